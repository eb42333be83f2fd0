//@ stage: c
struct point { int x, y; };
struct shape { char name[4]; struct point corners[3]; union { int i; float f; } u; };
struct shape square = { "sq", { [1] = { .y = 5 }, { 6, 7 } }, .u.f = 1.5f };
static const char *words[] = { "one", "two", [4] = "five" };
int table[8] = { [2 ... 4] = 9, 1 };
int local(int n) {
  struct point p = { .y = n };
  int a[] = { 1, n, 3 };
  char text[] = "hi";
  return p.x + a[1] + text[0];
}
