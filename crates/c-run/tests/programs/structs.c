#include <stdio.h>
struct vector { double x, y; };
struct box { struct vector low, high; char name[8]; int *counter; };
static struct vector add(struct vector a, struct vector b) { a.x += b.x; a.y += b.y; return a; }
static struct box grow(struct box b, double by) { b.high = add(b.high, (struct vector){ by, by }); b.name[0]++; ++*b.counter; return b; }
static struct box boxes[3] = { [1] = { .name = "one", .high = { 1, 2 } }, { { 5 }, { .y = 6 }, "two" } };
struct flexible { int n; short tail[]; };
static struct flexible f = { 3, { 1, 2, 3 } };
int main(void) {
    int count = 0;
    struct box a = { { 0, 0 }, { 1, 1 }, "box", &count }, b = a;
    b = grow(grow(a, 1.5), 2);
    printf("%g %g %s %s %d\n", b.high.x, a.high.y, b.name, a.name, count);
    printf("%s%g %s%g %g\n", boxes[1].name, boxes[1].high.y, boxes[2].name, boxes[2].high.y, boxes[2].low.x);
    struct vector list[4] = { { 1, 2 }, { 3, 4 } }, *p = list + 1;
    p[1] = *p; p[2] = add(p[0], p[-1]);
    printf("%g %g %g\n", list[2].y, list[3].x, (p + 2)->y);
    printf("%d %zu %zu\n", f.tail[0] + f.tail[1] + f.tail[2], sizeof f, sizeof(struct box));
    printf("%g\n", grow(b, 1).high.x);
    return 0;
}
