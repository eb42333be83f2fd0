#include <stdio.h>
#include <string.h>
static unsigned char composite[2000];
static int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
static long power(long base, int exponent, long modulus) { long r = 1; for (base %= modulus; exponent; exponent >>= 1) { if (exponent & 1) r = r * base % modulus; base = base * base % modulus; } return r; }
int main(void) {
    int count = 0;
    for (int i = 2; i < 2000; i++) { if (composite[i]) continue; count++; for (int j = i * i; j < 2000; j += i) composite[j] = 1; }
    printf("%d %d %ld\n", count, gcd(1071, 462), power(3, 200, 1000007));
    int longest = 0, best = 0;
    for (int i = 1; i < 300; i++) { int n = 0; for (long x = i; x != 1; n++) x = x & 1 ? 3 * x + 1 : x / 2; if (n > longest) { longest = n; best = i; } }
    printf("%d %d\n", best, longest);
    char digits[40] = "1"; for (int k = 0; k < 60; k++) { int carry = 0, n = strlen(digits); for (int i = 0; i < n; i++) { int d = (digits[i] - '0') * 3 + carry; digits[i] = d % 10 + '0'; carry = d / 10; } if (carry) { digits[n] = carry + '0'; digits[n + 1] = 0; } }
    for (int i = strlen(digits); i--;) putchar(digits[i]);
    putchar('\n');
    return count & 0x7f;
}
