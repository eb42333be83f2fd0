#include <stdio.h>
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static unsigned long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int is_even(int n); static int is_odd(int n) { return n ? is_even(n - 1) : 0; }
static int is_even(int n) { return n ? is_odd(n - 1) : 1; }
static void hanoi(int n, char a, char b, char c) { if (n) { hanoi(n - 1, a, c, b); printf("%c%c ", a, c); hanoi(n - 1, b, a, c); } }
static int queens(int row, unsigned columns, unsigned left, unsigned right, int n) {
    if (row == n) return 1;
    int count = 0;
    for (int i = 0; i < n; i++) { unsigned bit = 1u << i;
        if (!((columns | left | right) & bit)) count += queens(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1, n); }
    return count;
}
int main(void) {
    printf("%d %lu %d %d\n", ackermann(2, 5), fib(15), is_even(100), is_odd(71));
    hanoi(4, 'a', 'b', 'c');
    printf("\n%d %d\n", queens(0, 0, 0, 0, 6), queens(0, 0, 0, 0, 7));
    return 0;
}
