//@ stage: c
int f() __attribute__((weak));
struct list { int n; char s[]; } l = { 2, "ab" };
enum e { A = -1, B = 5 };
static int hidden[];

int old(x, s) char x; short s; {
  extern int f(int);
  static enum e state = B;
  { extern int shared; shared = state; }
  return f ? f(x + s) : hidden[1];
}

static int hidden[3] = { [1] = 1, 4 - 1 };
int shared = sizeof(l) + sizeof hidden;
int (*const table[])(int) = { f, 0 };
__attribute__((weak, alias("old"))) int alias();
