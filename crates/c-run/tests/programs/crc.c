#include <stdio.h>
#include <stdint.h>
#include <string.h>
static uint32_t table[256];
static void make(void) { for (uint32_t i = 0; i < 256; i++) { uint32_t c = i; for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1; table[i] = c; } }
static uint32_t crc(const void *data, size_t n) { const uint8_t *p = data; uint32_t c = ~0u; while (n--) c = table[(c ^ *p++) & 255] ^ c >> 8; return ~c; }
static uint64_t rotate(uint64_t x, unsigned k) { return x << k | x >> (64 - k); }
static uint64_t state[2] = { 1, 2 };
static uint64_t next(void) { uint64_t a = state[0], b = state[1], r = a + b; b ^= a; state[0] = rotate(a, 24) ^ b ^ b << 16; state[1] = rotate(b, 37); return r; }
int main(void) {
    make();
    const char *s = "123456789"; printf("%08x\n", crc(s, strlen(s)));
    for (int i = 0; i < 5; i++) printf("%016llx ", (unsigned long long)next());
    printf("\n%d %d %d %d\n", __builtin_popcount(0xff0f), __builtin_clz(1), __builtin_ctz(8), __builtin_ffs(0));
    printf("%x %llx %d\n", __builtin_bswap32(0x12345678), (unsigned long long)__builtin_bswap64(1), __builtin_parity(7));
    int r, o = __builtin_add_overflow(2147483647, 1, &r); printf("%d %d\n", o, r);
    unsigned char sum; o = __builtin_mul_overflow(16, 16, &sum); printf("%d %d\n", o, sum);
    return 0;
}
