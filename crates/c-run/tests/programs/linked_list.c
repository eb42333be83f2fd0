#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *push(struct node *list, int value) {
    struct node *n = malloc(sizeof *n);
    if (!n) abort();
    n->value = value; n->next = list;
    return n;
}
static struct node *reverse(struct node *list) {
    struct node *result = NULL;
    while (list) { struct node *next = list->next; list->next = result; result = list; list = next; }
    return result;
}
static void remove_odd(struct node **link) {
    while (*link) {
        if ((*link)->value % 2) { struct node *dead = *link; *link = dead->next; free(dead); }
        else link = &(*link)->next;
    }
}
int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 20; i++) list = push(list, i * i);
    list = reverse(list);
    remove_odd(&list);
    for (struct node *n = list; n; n = n->next) printf("%d ", n->value);
    printf("\n");
    while (list) { struct node *n = list; list = n->next; free(n); }
    return 7;
}
