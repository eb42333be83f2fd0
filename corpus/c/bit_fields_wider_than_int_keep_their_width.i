//@ stage: c
struct s { unsigned long long a : 40; long long b : 50; unsigned c : 3; _Bool d : 1; };

int f(struct s *p, struct s *q, int x) {
  unsigned long long u = p->a << 4;
  long long v = p->a * q->b - x;
  if (p->a < -1 && p->c - q->c < 0)
    u += -p->a;
  v = (p->b = x) + 1;
  return (x ? p->a : -1) > q->a++ || u < v;
}
