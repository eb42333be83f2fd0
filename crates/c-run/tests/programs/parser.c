#include <stdio.h>
#include <ctype.h>
#include <stdlib.h>
static const char *at;
static long sum(void);
static void fail(const char *why) { printf("error: %s at '%s'\n", why, at); exit(3); }
static void skip(void) { while (isspace((unsigned char)*at)) at++; }
static long atom(void) {
    skip();
    if (*at == '(') { at++; long v = sum(); skip(); if (*at++ != ')') fail("parenthesis"); return v; }
    if (*at == '-') { at++; return -atom(); }
    if (!isdigit((unsigned char)*at)) fail("number");
    long v = 0; while (isdigit((unsigned char)*at)) v = v * 10 + (*at++ - '0');
    return v;
}
static long product(void) { long v = atom(); for (;;) { skip(); if (*at == '*') { at++; v *= atom(); } else if (*at == '/') { at++; long d = atom(); if (!d) fail("division"); v /= d; } else return v; } }
static long sum(void) { long v = product(); for (;;) { skip(); if (*at == '+') { at++; v += product(); } else if (*at == '-') { at++; v -= product(); } else return v; } }
int main(void) {
    const char *tests[] = { "1 + 2 * 3", "(1+2)*3 - -4", "100 / 7 / 2", "2*(3+(4-5)*6)", "1 + x" };
    for (unsigned i = 0; i < 5; i++) { at = tests[i]; printf("%s = ", at); printf("%ld\n", sum()); }
    return 0;
}
