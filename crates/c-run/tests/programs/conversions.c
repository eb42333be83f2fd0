#include <stdio.h>
#include <limits.h>
int main(void) {
    signed char c = -1; unsigned char u = c; short s = 40000; unsigned short us = -1; int i = 3000000000u; unsigned ui = -5;
    long l = i; unsigned long ul = i; long long ll = ui; _Bool b = 0.1, b2 = 256, b3 = &c != 0;
    printf("%d %d %d %d %d %u %ld %lu %lld %d %d %d\n", c, u, s, us, i, ui, l, ul, ll, b, b2, b3);
    printf("%d %d %d\n", -1 < 1u, (short)-1 < (unsigned short)1, -1L < 1u);
    printf("%d %d %u\n", c >> 1, u >> 1, ui >> 28);
    printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
    printf("%d %d %ld\n", (int)3.99, (int)-3.99, (long)1e15);
    printf("%.1f %.1f %f\n", (double)UINT_MAX, (float)16777217, (float)0.1);
    u += 300; c *= 100; s <<= 3; us++; printf("%d %d %d %d\n", u, c, s, us);
    unsigned char x = 200, y = 100; printf("%d %d\n", x + y, (unsigned char)(x + y));
    printf("%d %d\n", INT_MAX + 1 < 0, INT_MIN - 1 > 0);
    __int128 w = (__int128)LLONG_MAX * 4 + 3; printf("%lld %lld\n", (long long)(w >> 64), (long long)(w % 1000));
    unsigned __int128 m = -1; printf("%d %llu\n", m / 2 > (unsigned __int128)w, (unsigned long long)(m >> 100));
    enum color { RED = -1, BLUE } e = BLUE; e--; printf("%d %zu\n", e, sizeof e);
    printf("%d %d\n", sizeof(int) - 8 > 0, (int)sizeof(int) - 8 > 0);
    char ch = 200; printf("%d %x %d\n", ch, ch, 'a' + ch);
    return (c & 0xff) >> 1;
}
