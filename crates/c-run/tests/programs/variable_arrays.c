#include <stdio.h>
#include <alloca.h>
#include <string.h>
static int total(int n, int m, int a[n][m]) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j]; return s + (int)sizeof(a[0]); }
int main(void) {
    for (int n = 1; n < 4; n++) {
        int a[n][n + 1]; char s[n * 2];
        for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) a[i][j] = i * j + n;
        memset(s, 'a' + n, sizeof s);
        printf("%d %zu %.*s\n", total(n, n + 1, a), sizeof a, (int)sizeof s, s);
    }
    char *p = alloca(10); strcpy(p, "alloca"); puts(p);
    int n = 3; int list[3] = { 1, 2, 3 }, (*q)[n] = &list; printf("%d\n", (*q)[2]);
    return 0;
}
