#include <stdio.h>
int main(void) {
    printf("[%d][%5d][%-5d][%05d][%+d][% d][%.3d][%8.3d][%-8.3d|\n", 42, 42, 42, 42, 42, 42, 7, 7, 7);
    printf("[%x][%X][%#x][%o][%#o][%#08x][%u]\n", 255, 255, 255, 8, 8, 255, -1);
    printf("[%hhd][%hd][%ld][%lld][%zu][%jd][%td]\n", 300, 70000, -1L, 1LL << 40, sizeof(int), (long)5, (long)-3);
    printf("[%c][%5c][%-3c][%s][%8s][%-8s][%.2s][%*d][%-*d][%.*s]\n", 'a', 'b', 'c', "str", "right", "left", "cut", 6, 1, 6, 2, 1, "xyz");
    printf("[%f][%.2f][%10.3f][%-10.1f][%+.0f][%e][%.3E][%g][%g][%g][%G]\n", 3.14159, 2.005, -1.5, 2.25, 2.5, 12345.678, 0.00012, 100000.0, 1000000.0, 0.0001, 1e-10);
    printf("[%g][%#g][%.10g][%f][%F][%e]\n", 0.1, 1.0, 1.0 / 3, 1.0 / 0.0, -1.0 / 0.0, 0.0);
    printf("[%%][%5s][%p][%d]\n", "", (void *)0, printf("inner\n"));
    char buffer[32];
    int n = sprintf(buffer, "%d-%s", 12, "ab"); printf("%s %d\n", buffer, n);
    n = snprintf(buffer, 4, "%d", 123456); printf("%s %d %d\n", buffer, n, snprintf(NULL, 0, "%s", "12345"));
    puts("done"); putchar('x'); putchar('\n'); fputs("out\n", stdout); fprintf(stderr, "err\n"); fprintf(stdout, "%d\n", 9);
    return 0;
}
