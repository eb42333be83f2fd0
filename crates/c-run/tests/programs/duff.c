#include <stdio.h>
static void send(short *to, const short *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7: *to++ = *from++;
    case 6: *to++ = *from++;
    case 5: *to++ = *from++;
    case 4: *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
            } while (--n > 0);
    }
}
static const char *range(int x) { switch (x) { case -5 ... -1: return "negative"; case 0: return "zero"; case 1 ... 9: return "small"; default: return "large"; } }
int main(void) {
    short a[21], b[21] = { 0 };
    for (int i = 0; i < 21; i++) a[i] = i * 3;
    send(b, a, 21);
    for (int i = 0; i < 21; i++) printf("%d ", b[i]);
    printf("\n%s %s %s %s\n", range(-3), range(0), range(9), range(10));
    int i = 0, sum = 0;
again:
    for (;; i++) { if (i % 3 == 0) continue; if (i > 20) break; sum += i; if (i == 10) { i = 15; goto again; } }
    printf("%d %d\n", i, sum);
    return 0;
}
