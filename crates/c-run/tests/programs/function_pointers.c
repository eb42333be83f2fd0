#include <stdio.h>
typedef int (*operation)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static const struct { const char *name; operation run; } table[] = { { "add", add }, { "sub", sub }, { "mul", mul } };
static operation pick(int n) { return n ? *table[n].run : &add; }
static int fold(operation f, const int *a, int n, int start) { while (n--) start = (*f)(start, *a++); return start; }
static int (*chain(int depth))(int, int) { return depth > 2 ? mul : depth > 1 ? chain(depth + 1) : sub; }
int main(void) {
    int a[] = { 1, 2, 3, 4, 5 };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        printf("%s %d %d\n", table[i].name, table[i].run(7, 3), fold(pick(i), a, 5, 10));
    printf("%d %d %d\n", chain(1)(9, 4), chain(2)(9, 4), pick(0) == add);
    return 0;
}
