#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct pair { int a; double b; };
static double sum(const char *kinds, ...) {
    va_list list; double total = 0;
    va_start(list, kinds);
    for (; *kinds; kinds++) switch (*kinds) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += va_arg(list, long); break;
        case 'd': total += va_arg(list, double); break;
        case 's': total += strlen(va_arg(list, char *)); break;
        case 'p': { struct pair p = va_arg(list, struct pair); total += p.a * p.b; break; }
    }
    va_end(list);
    return total;
}
static int both(int n, va_list list) { va_list copy; int s = 0, t = 1; va_copy(copy, list);
    for (int i = 0; i < n; i++) s += va_arg(list, int);
    for (int i = 0; i < n; i++) t *= va_arg(copy, int);
    va_end(copy); return s * 1000 + t; }
static int call(int n, ...) { va_list list; va_start(list, n); int r = both(n, list); va_end(list); return r; }
static void say(const char *format, ...) { char b[99]; va_list l; va_start(l, format); int n = vsnprintf(b, 20, format, l); va_end(l); printf("%s|%d\n", b, n); }
int main(void) {
    struct pair p = { 3, 1.25 };
    char c = 7; float f = 0.5f; short s = -2;
    printf("%g\n", sum("ildspiii", 1, 2L, 0.25, "four", p, c, s, (int)f));
    printf("%d\n", call(4, 2, 3, 4, 5));
    say("%s-%05d-%c-%x", "abc", 42, 'q', 255u);
    say("%s", "a string that is longer than its buffer");
    return 0;
}
