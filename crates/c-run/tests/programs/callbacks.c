#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct person { char name[12]; int age; };
static int calls;
static int by_age(const void *a, const void *b) { calls++; return ((const struct person *)a)->age - ((const struct person *)b)->age; }
static int by_name(const void *a, const void *b) { return strcmp(((const struct person *)a)->name, ((const struct person *)b)->name); }
static int ints(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
int main(void) {
    struct person p[] = { { "carol", 33 }, { "alice", 41 }, { "bob", 33 }, { "dave", 19 }, { "eve", 50 } };
    qsort(p, 5, sizeof *p, by_age);
    for (int i = 0; i < 5; i++) printf("%s:%d ", p[i].name, p[i].age);
    qsort(p, 5, sizeof *p, by_name);
    for (int i = 0; i < 5; i++) printf("%s ", p[i].name);
    int a[200]; for (int i = 0; i < 200; i++) a[i] = (i * 7919) % 211;
    qsort(a, 200, sizeof *a, ints);
    for (int i = 1; i < 200; i++) if (a[i - 1] > a[i]) return 1;
    int key = a[77], none = 1000;
    printf("\n%d %d\n", (int *)bsearch(&key, a, 200, sizeof *a, ints) - a == 77, bsearch(&none, a, 200, sizeof *a, ints) == NULL);
    struct person *found = bsearch("bob", p, 5, sizeof *p, by_name);
    printf("%d %d\n", found->age, calls > 4);
    return 0;
}
