#include <stdio.h>
#include <math.h>
static double newton(double x) { double g = x; for (int i = 0; i < 30; i++) g = (g + x / g) / 2; return g; }
int main(void) {
    float f = 0.1f; double d = 0.1; float sum = 0; for (int i = 0; i < 10; i++) sum += f;
    printf("%.10f %.20f %.10f %d %d\n", f, d, sum, f == d, sum == 1.0f);
    printf("%.15g %.15g %d\n", newton(2), sqrt(2), newton(2) == sqrt(2));
    double nan = 0.0 / 0.0 , inf = 1e308 * 10; 
    printf("%d %d %d %d %f %f\n", nan == nan, nan != nan, nan < 1, inf > 1e308, inf, -inf);
    printf("%g %g %g %g\n", floor(-2.5), ceil(-2.5), fabs(-3.25), fmod(7.5, 2));
    printf("%g %g %g\n", 1e-320, 0x1.8p3, .5e1);
    printf("%d %u %lld\n", (int)1e9, (unsigned)4e9, (long long)-1e18);
    float big = 16777216.0f; printf("%d %.1f\n", big + 1 == big, big * 3.0f);
    double horner = 0; for (int i = 5; i >= 0; i--) horner = horner * 1.5 + i; printf("%.12g\n", horner);
    int i = 7; i /= 2.5; i *= 1.9f; printf("%d\n", i);
    return 0;
}
