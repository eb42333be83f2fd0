// A list is searched for a key, and the key may not be there.
#include <stdlib.h>

struct node {
  int key;
  int value;
  struct node *next;
};

static struct node *find(struct node *list, int key) {
  while (list != NULL && list->key != key)
    list = list->next;
  return list;
}

static int lookup(struct node *list, int key) {
  struct node *found = find(list, key);
  return found->value;
}

int main(int argc, char **argv) {
  struct node *first = malloc(sizeof *first);
  if (first == NULL)
    return 1;
  first->key = argc;
  first->value = 42;
  first->next = NULL;
  return lookup(first, 2);
}
