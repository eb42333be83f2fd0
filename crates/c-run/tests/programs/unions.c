#include <stdio.h>
#include <stdint.h>
#include <string.h>
union number { float f; uint32_t u; uint8_t b[4]; struct { uint16_t low, high; } h; };
struct shape { enum { CIRCLE, SQUARE } kind; union { double radius; struct { int w, h; }; }; };
static double area(struct shape s) { return s.kind == CIRCLE ? 3 * s.radius * s.radius : s.w * s.h; }
int main(void) {
    union number n = { 1.5f };
    printf("%08x %02x %02x %04x\n", n.u, n.b[3], n.b[0], n.h.high);
    n.h.high ^= 0x8000;
    printf("%f\n", n.f);
    double d = -0.1; uint64_t bits;
    memcpy(&bits, &d, 8);
    printf("%016llx\n", (unsigned long long)bits);
    struct shape a = { .kind = CIRCLE, .radius = 2.5 }, b = { SQUARE, .w = 3, .h = 4 };
    printf("%g %g\n", area(a), area(b));
    union { int *p; uintptr_t i; } u; int x = 5;
    u.p = &x; u.i += 4; u.i -= 4;
    printf("%d\n", *u.p);
    return 0;
}
