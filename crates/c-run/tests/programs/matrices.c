#include <stdio.h>
enum { N = 4 };
static int cube[2][3][4];
static void multiply(int n, double a[n][n], double b[n][n], double c[n][n]) {
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { c[i][j] = 0; for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; }
}
int main(void) {
    double a[N][N], b[N][N], c[N][N];
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { a[i][j] = i + j; b[i][j] = i == j ? 2 : j - i; }
    multiply(N, a, b, c);
    for (int i = 0; i < N; i++) { for (int j = 0; j < N; j++) printf("%6.1f", c[i][j]); putchar('\n'); }
    int n = 0, total = 0;
    for (int (*p)[3][4] = cube; p < cube + 2; p++) for (int (*q)[4] = *p; q < *p + 3; q++) for (int *r = *q; r < *q + 4; r++) *r = n++;
    for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) total = total * 7 + cube[i][j][(i + j) % 4];
    printf("%d %zu %zu\n", total, sizeof cube, sizeof cube[0]);
    char names[][6] = { "zero", "one", "three" };
    for (int i = 0; i < 3; i++) printf("%s%c ", names[i], names[i][2]);
    puts("");
    return 0;
}
