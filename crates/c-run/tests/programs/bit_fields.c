#include <stdio.h>
#include <string.h>
struct s { unsigned a : 3; int b : 5; unsigned c : 9; long long d : 40; _Bool e : 1; unsigned : 0; unsigned char f : 2; };
struct __attribute__((packed)) p { unsigned a : 7; unsigned b : 30; unsigned char c; int d; };
static struct s global = { 5, -3, 300, -123456789012LL, 1, 2 };
int main(void) {
    struct s x;
    memset(&x, 0, sizeof x);
    x.a = 9; x.b = 15; x.b++; x.c = 511; x.c += 2; x.d = -1; x.e = 4; x.f = 7;
    printf("%u %d %u %lld %d %u %zu\n", x.a, x.b, x.c, (long long)x.d, x.e, x.f, sizeof x);
    printf("%u %d %u %lld %d %u\n", global.a, global.b, global.c, (long long)global.d, global.e, global.f);
    unsigned char bytes[sizeof x];
    memcpy(bytes, &global, sizeof global);
    for (unsigned i = 0; i < 7; i++) printf("%02x ", bytes[i]);
    struct p y = { 127, 0x2aaaaaaa, 200, -5 };
    y.b ^= 0xff;
    printf("\n%u %x %u %d %zu\n", y.a, y.b, y.c, y.d, sizeof y);
    printf("%d\n", (x.a = 12) + (x.b -= 20));
    return 0;
}
