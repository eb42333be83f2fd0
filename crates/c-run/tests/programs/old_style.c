#include <stdio.h>
int add(a, b, c) int a; char b; float c; { return a + b + (int)c; }
void twice(f, x) void (*f)(int); int x; { f(x); f(x + 1); }
static void show(int x) { printf("%d ", x); }
int main(argc, argv) int argc; char **argv; {
    printf("%d %d %d\n", add(1, 2 + 256, 3.5), argc, argv[argc] == 0);
    twice(show, 4);
    printf("\n");
    return 0;
}
