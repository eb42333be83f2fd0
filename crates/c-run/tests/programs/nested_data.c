#include <stdio.h>
#include <string.h>
struct command { const char *name; int (*run)(struct command *, int); struct { int low, high; } limits[2]; struct command *next; };
static int clamp(struct command *c, int x) { for (int i = 0; i < 2; i++) { if (x < c->limits[i].low) x = c->limits[i].low; if (x > c->limits[i].high) x = c->limits[i].high; } return c->next ? c->next->run(c->next, x) : x; }
static int negate(struct command *c, int x) { return c->next ? c->next->run(c->next, -x) : -x; }
static struct command second = { "negate", negate }, first = { .name = "clamp", .run = clamp, .limits = { { -10, 10 }, { -100, 5 } }, .next = &second };
static int *const pointers[] = { &first.limits[0].high, &first.limits[1].low, (int *)&second + 6 };
static const char *names[3] = { [0 ... 1] = "same", "last" };
static char text[4] = "abcd", *middle = text + 1;
static struct { char c; long l; char d[3]; } padded[2] = { { 'a', 1, "xy" }, { 'b', -1, { 1, 2 } } };
int main(void) {
    printf("%d %d %d\n", first.run(&first, 50), first.run(&first, -500), first.run(&first, 3));
    printf("%d %d %d\n", *pointers[0], *pointers[1], *pointers[2]);
    printf("%s %s %d %.3s\n", names[1], names[2], names[0] == names[1], middle);
    *pointers[0] = 2; printf("%d\n", first.run(&first, 50));
    printf("%c%ld%s%d %zu\n", padded[0].c, padded[1].l, padded[0].d, padded[1].d[1], sizeof padded);
    return 0;
}
