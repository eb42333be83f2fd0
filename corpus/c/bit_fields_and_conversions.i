//@ stage: c
struct flags { unsigned ready : 1; int level : 3; unsigned long wide : 40; };
int update(struct flags *f, signed char c, unsigned short s) {
  f->ready = 2;
  f->level += c;
  f->wide = ~0ul;
  if (f->level < 0 && c > s) return f->wide >> 3;
  return c * s - sizeof(struct flags);
}
