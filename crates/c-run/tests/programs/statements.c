#include <stdio.h>
static int log_(int x) { printf("<%d>", x); return x; }
static int counter(void) { static int n = 10; return n++; }
int global = 3; static int *alias = &global;
int main(void) {
    int a = 1, b = 0, i = 5;
    if (log_(a) && log_(b) || log_(2)) puts("yes");
    printf("%d\n", a ? log_(3) : log_(4)); printf("%d\n", (log_(5), log_(6)));
    i += i++ * 0 + 2; 
    do { if (i == 6) continue; printf("%d ", i); } while (--i > 3);
    int x = ({ int t = 4; t *= 2; t + 1; }), y = a ?: 9;
    printf("%d %d %d\n", x, y, b ?: 8);
    counter(); counter(); *alias += counter(); printf("%d\n", global);
    for (int j = 0, k = 10; j < k; j += 3, k--) printf("(%d,%d)", j, k);
    int arr[] = { [3] = 1, 2, [0] = 9 }; for (unsigned j = 0; j < sizeof arr / sizeof *arr; j++) printf(" %d", arr[j]);
    { int a = 100; printf(" %d", a); } printf(" %d\n", a);
    while (1) { switch (a++) { case 1: case 2: continue; case 3: break; default: goto out; } printf("after\n"); }
out:
    printf("%d %d\n", a, (int)(sizeof(char[a]) ));
    __typeof__(a) z = -a; z ^= a << 2 | 1; printf("%d %d %d\n", z, !z, ~z);
    _Generic(a, int: puts("int"), default: puts("other"));
    return 0;
}
