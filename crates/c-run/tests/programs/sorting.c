#include <stdio.h>
static unsigned seed = 12345;
static int next(void) { seed = seed * 1103515245u + 12345u; return (int)(seed >> 16) % 1000; }
static void quick(int *a, int low, int high) {
    int i = low, j = high, pivot = a[(low + high) / 2];
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }
    }
    if (low < j) quick(a, low, j);
    if (i < high) quick(a, i, high);
}
static void bubble(int *a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j + 1 < n - i; j++)
            if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
}
static void heap(int *a, int n) {
    for (int start = n / 2 - 1, end = n; end > 1;) {
        int root;
        if (start >= 0) root = start--;
        else { int t = a[--end]; a[end] = a[0]; a[0] = t; root = 0; }
        for (;;) {
            int child = 2 * root + 1;
            if (child >= end) break;
            if (child + 1 < end && a[child] < a[child + 1]) child++;
            if (a[root] >= a[child]) break;
            int t = a[root]; a[root] = a[child]; a[child] = t;
            root = child;
        }
    }
}
int main(void) {
    int a[100], b[100], c[100];
    for (int i = 0; i < 100; i++) a[i] = b[i] = c[i] = next() - 500;
    quick(a, 0, 99); bubble(b, 100); heap(c, 100);
    for (int i = 0; i < 100; i++) {
        if (a[i] != b[i] || b[i] != c[i]) return 1;
        printf("%d%c", a[i], i % 10 == 9 ? '\n' : ' ');
    }
    return 0;
}
