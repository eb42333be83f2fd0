#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct link { uintptr_t both; int value; };
static void swap(void *a, void *b, size_t n) { unsigned char *x = a, *y = b; while (n--) { unsigned char t = *x; *x++ = *y; *y++ = t; } }
struct inner { int a; char b; struct { short c[3]; } d; };
#define container(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
int main(void) {
    int a[5] = { 1, 2, 3, 4, 5 }, *p = a, *end = a + 5, **pp = &p;
    while (*pp < end) printf("%d ", *(*pp)++);
    printf("%td %d\n", p - a, p[-1]);
    int *x = &a[0], *y = &a[4]; swap(&x, &y, sizeof x); printf("%d %d\n", *x, *y);
    struct link l[4]; for (int i = 0; i < 4; i++) { l[i].value = i * 11; l[i].both = (i ? (uintptr_t)&l[i - 1] : 0) ^ (i < 3 ? (uintptr_t)&l[i + 1] : 0); }
    for (uintptr_t prev = 0, here = (uintptr_t)l; here;) { struct link *k = (struct link *)here; printf("%d ", k->value); uintptr_t next = k->both ^ prev; prev = here; here = next; }
    struct inner in = { 1, 'x', { { 7, 8, 9 } } }; short *c = &in.d.c[2];
    printf("\n%d %zu %d\n", container(c, struct inner, d.c[2])->a, offsetof(struct inner, d), *(c - 1));
    char *bytes = (char *)&in; printf("%c %d\n", bytes[offsetof(struct inner, b)], ((uintptr_t)bytes & 3) == 0);
    void *v = malloc(16); int **cell = v; *cell = a + 2; void *w = realloc(v, 64); printf("%d\n", **(int **)w); free(w);
    const char *const words[] = { "alpha", "beta" }; const char *const *q = words; printf("%s %c\n", q[1], *(*q + 2));
    int tagged = 5; uintptr_t t = (uintptr_t)&tagged | 1; if (t & 1) printf("%d\n", *(int *)(t & ~(uintptr_t)1));
    return 0;
}
