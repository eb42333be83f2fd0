//! Programs do under gcc what they do after lowering and printing.
//!
//! Each one prints what it computes; the text as written and the three-address form are compiled and run, and must say
//! the same.

#[path = "support/compiled.rs"]
mod compiled;

use compiled::same;

#[test]
fn integer_conversions_mean_the_same() {
    same(
        "integer_conversions",
        r#"
int printf(const char *, ...);
typedef unsigned char u8; typedef signed char s8; typedef unsigned short u16;
int main(void) {
  u8 a = 200; s8 b = -100; u16 c = 65535; unsigned d = 4000000000u; long e = -1; unsigned long g = 1ul << 63;
  printf("%d %d %d\n", a + b, a * a, (u8)(a + 100)); printf("%d %u %ld\n", c * 2, d + a, e + d);
  printf("%d %d %d\n", -1 < 0u, e < d, (s8)200 == -56); printf("%lu %ld\n", g / 3, (long)g / 3);
  printf("%d %d\n", a >> 3, b >> 2); printf("%d %d %d\n", ~a, -a, !a); a += 100; b -= 100; c++;
  printf("%d %d %d\n", a, b, c);
  a = 300; b = 200; printf("%d %d\n", a, b); printf("%d\n", (int)sizeof(a + b)); a *= 1.5; printf("%d\n", a);
  _Bool t = 5, u = 0.25, v = (long)0; printf("%d %d %d\n", t, u, v); t += 7; u--; v++;
  printf("%d %d %d\n", t, u, v);
  double x = -3.7; printf("%d %d %g\n", (int)x, (s8)-200.0f == 56, x + 1); float f = 16777217;
  printf("%g\n", f + 0.0);
  printf("%d\n", 'a' + L'b' + (u8)'\377'); printf("%ld\n", (long)(int)d); printf("%llx\n", 0xffffffffu * 2ull);
  enum e { A = -1, B = 5 } en = B; en = en - 6; printf("%d %d\n", en == A, en < 0u); return 0; }
"#,
    );
}

#[test]
fn wide_integers_mean_the_same() {
    same(
        "wide_integers",
        r#"
int printf(const char *, ...);
int main(void) { unsigned long a = 0xfedcba9876543210ul, b = 0x123456789abcdef1ul;
  unsigned __int128 p = (unsigned __int128)a * b;
  printf("%lx %lx\n", (unsigned long)(p >> 64), (unsigned long)p); __int128 n = -(__int128)a; n /= 7; n <<= 3;
  printf("%lx %lx %d\n", (unsigned long)(n >> 64), (unsigned long)n, n < 0); unsigned c; long d; int e;
  unsigned char f;
  int o1 = __builtin_add_overflow(4000000000u, 500000000u, &c), o2 = __builtin_mul_overflow(1l << 62, 4, &d), o3 = __builtin_sub_overflow(-2, 2147483647, &e);
  int o4 = __builtin_add_overflow(250, 5, &f), o5 = __builtin_add_overflow(250, 6, &f), o6 = __builtin_mul_overflow(~0ul, ~0ul, &a), o7 = __builtin_mul_overflow_p(3, 5, (char)0);
  printf("%d %d %d %d %d %d %d %u %ld %d %d %lu\n", o1, o2, o3, o4, o5, o6, o7, c, d, e, f, a);
  printf("%d %d %d\n", __builtin_clz(5), __builtin_ctzl(40ul), __builtin_popcountll(0xf0f0ull)); int z = 77;
  printf("%d %x %d\n", __builtin_ffs(z), __builtin_bswap32(z), __builtin_parity(z)); return 0; }
"#,
    );
}

#[test]
fn side_effects_and_order_mean_the_same() {
    same(
        "side_effects_and_order",
        r#"
int printf(const char *, ...);
int g = 1, log_; int note(int k) { log_ = log_ * 10 + k; return k; } int bump(void) { g += 10; return g; }
  int *at(int *p) { note(9); return p; }
int main(void) { int a[5] = { 1, 2, 3, 4, 5 }, i = 0, *p = a, x; x = *p++ + *p++;
  printf("%d %d\n", x, (int)(p - a));
  *p++ = 30; *++p = 50; printf("%d %d\n", a[2], a[4]); x = (i++, i++, i); printf("%d %d\n", x, i); i = 0;
  a[i] = i + 7; printf("%d\n", a[0]);
  x = g + bump(); printf("%d\n", x); x = note(1) + note(2) * note(3); printf("%d %d\n", x, log_); log_ = 0;
  x = note(1) && note(0) && note(5); printf("%d %d\n", x, log_);
  log_ = 0; x = note(0) || note(4) || note(5); printf("%d %d\n", x, log_); log_ = 0; *at(a) += note(3);
  printf("%d %d\n", a[0], log_);
  int b, c; b = c = *p = 8; printf("%d %d %d\n", b, c, *p); x = i++ + 10; x += x++ * 0 + 1;
  printf("%d %d\n", i, x > 0); int *q = a; *q++ += 5; ++*q; (*q)--;
  printf("%d %d %d\n", a[0], a[1], (int)(q - a));
  struct { int *r; } s = { a }; x = *s.r++ + s.r[0]; printf("%d %d\n", x, (int)(s.r - a));
  x = (a[1] = 6) + (a[2] = 7); printf("%d\n", x); char ch; x = ch = 300; printf("%d %d\n", x, ch);
  for (i = 0, x = 0; i < 5; x += a[i++]); printf("%d\n", x); x = 5; x = x++ ? x : 0; x = -x--;
  printf("%d\n", x < 0); return 0; }
"#,
    );
}

#[test]
fn conditionals_mean_the_same() {
    same(
        "conditionals",
        r#"
int printf(const char *, ...); struct s { int a, b; }; int calls; int t(int x) { calls++; return x; }
  void v(int x) { printf("v%d ", x); }
int main(void) { int x = 3, y = 0, *p = 0, z; struct s s1 = { 1, 2 }, s2 = { 3, 4 }, s3; s3 = x > 2 ? s1 : s2;
  printf("%d %d\n", s3.a, (y ? s1 : s2).b);
  z = x ? y ? 1 : 2 : 3; printf("%d\n", z); z = y ?: x; printf("%d\n", z); z = t(0) ?: t(7);
  printf("%d %d\n", z, calls); p = x ? &x : 0; printf("%d\n", *p); const void *q = y ? (void *)0 : p;
  printf("%d\n", q == p);
  x ? v(1) : v(2); y && (v(3), 1); x && (v(4), 1); x || (v(5), 1); y || (v(6), 1); printf("\n");
  z = (x && y) || (x && !y && (y || x)); printf("%d\n", z);
  if ((x && y) || x == 3) printf("A"); else printf("B"); if ((x || y) && y) printf("C"); else printf("D");
  if (!(x && y) && !(y || y)) printf("E"); if (x && (y || t(1)) && t(1)) printf("F"); else printf("G");
  printf("\n");
  printf("%g %d\n", x ? 1 : 2.5, (int)sizeof(x ? 1 : 2.5)); unsigned u = y ? 1u : -1; printf("%u\n", u);
  char c = 5; printf("%d\n", (int)sizeof(1 ? c : c)); z = !x + !!x; printf("%d\n", z); z = x == 3 ? t(8), 9 : 0;
  printf("%d\n", z);
  long l = x ? -1 : 0u; printf("%ld\n", l); z = 1 ? 2 : t(3); z += 0 && t(3); z += 1 || t(3);
  printf("%d %d\n", z, calls); for (z = 0; z < 3 || (z < 6 && x); z++) calls++; printf("%d\n", calls);
  while (z && (y || z > 2)) z--; printf("%d\n", z); do z++; while (z < 9 && (z != 7 || y)); printf("%d\n", z);
  return 0; }
"#,
    );
}

#[test]
fn switches_mean_the_same() {
    same(
        "switches",
        r#"
int printf(const char *, ...); enum c { RED, GREEN = 5, BLUE };
int f(int x) { switch (x) { case 0: return 10; case 1: case 2: x += 5; case 3: x++; break;
  case 10 ... 20: x = -x; break; case -5: { x = 55; default: x += 100; } } return x; }
int g(long x) { int r = 0; switch (x & 7) { case 1: for (int i = 0; i < 3; i++) { if (i == 1) continue; r += i;
  if (r > 100) break; } break; case 2: switch (r) { case 0: r = 9; break; default: r = 8; } r++; break;
  case 3: while (1) { r += 2; if (r > 4) break; } } return r; }
int h(enum c c) { switch (c) { case RED: return 1; case GREEN: return 2; case BLUE: return 3; } return 4; }
int k(unsigned char c) { switch (c) { case 'a' ... 'f': return c - 'a'; case 255: return 1; case 256: return 2;
  } return 0; }
int m(int n) { int s = 0; for (int i = 0; i < n; i++) switch (i % 3) { case 0: continue; case 1: s += i; break;
  default: s -= 1; } return s; }
int e(int x) { switch (x++) ; switch (x) default: x += 3; switch (x) { x = 1; case 7: x = 8; } switch (x) {
  int y; case 8: y = x; return y; } return x; }
int main(void) { for (int i = -6; i < 22; i++) printf("%d ", f(i)); for (int i = 0; i < 5;
  i++) printf("%d ", g(i)); printf("%d %d %d ", h(RED), h(BLUE), h(9));
  printf("%d %d %d %d %d %d\n", k('c'), k(255), k(0), m(10), e(3), e(4)); return 0; }
"#,
    );
}

#[test]
fn duffs_device_mean_the_same() {
    same(
        "duffs_device",
        r#"
int printf(const char *, ...);
void copy(char *to, const char *from, int count) { int n = (count + 7) / 8; switch (count % 8) { case 0: do {
  *to++ = *from++; case 7: *to++ = *from++; case 6: *to++ = *from++; case 5: *to++ = *from++;
  case 4: *to++ = *from++; case 3: *to++ = *from++; case 2: *to++ = *from++; case 1: *to++ = *from++; }
  while (--n > 0); } }
int co(int *s) { switch (*s) { case 0: for (;;) { *s = 1; return 10; case 1: *s = 2; return 20; case 2:; *s = 3;
  if (0) { case 3: return 40; } return 30; } } return 0; }
int main(void) { char a[32] = "the quick brown fox jumps over", b[32] = ""; for (int i = 1; i < 31; i++) {
  copy(b, a, i); b[i] = 0; printf("%s\n", b); } int s = 0; for (int i = 0; i < 5; i++) printf("%d ", co(&s));
  return 0; }
"#,
    );
}

#[test]
fn statement_expressions_mean_the_same() {
    same(
        "statement_expressions",
        r#"
int printf(const char *, ...);
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
struct s { int x, y; }; int f(int x) { return ({ if (x > 3) return 1; x; }) + 10; }
int main(void) { int i = 3, j = 4; printf("%d %d\n", max(i++, j++), max(max(i, j), max(7, i)));
  printf("%d %d\n", i, j); int k = ({ int t = 0; for (int n = 0; n < 5; n++) t += n; t; }); printf("%d\n", k);
  struct s v = ({ struct s t = { i, j }; t.x++; t; }); printf("%d %d\n", v.x, ({ struct s t = v; t; }).y);
  printf("%d %d\n", f(2), f(5)); ({ i = 9; }); if (({ int z = i; z == 9; })) printf("nine\n"); while (({ i--;
  i > 5; })) printf("%d ", i); printf("\n");
  ({ __label__ l; l: if (i < 8) { i++; goto l; } }); ({ __label__ l; l: if (i < 12) { i++; goto l; } });
  printf("%d\n", i); printf("%d\n", (int)sizeof(({ long q = 1; q; }))); int w = ({ i; }) + ({ int i = 100; i;
  }); printf("%d\n", w); char *p = ({ "str"; }); printf("%s\n", p); return 0; }
"#,
    );
}

#[test]
fn bit_fields_mean_the_same() {
    same(
        "bit_fields",
        r#"
int printf(const char *, ...); struct b { unsigned a : 3; int s : 4; unsigned long w : 33; _Bool t : 1;
  unsigned u : 32; int : 0; signed char c : 5; } x, *p = &x; struct b mk(int n) { struct b r = {
  n, n, n, n, n, n }; return r; }
int main(void) { x.a = 9; x.s = 9; x.w = -1; x.t = 2; x.u = -1; x.c = 17;
  printf("%d %d %llx %d %u %d\n", x.a, x.s, (unsigned long long)x.w, x.t, x.u, x.c);
  printf("%d %d\n", x.a - 2 < 0, x.u - 1 > 0); int r = p->a = 12; printf("%d %d\n", r, p->a); r = p->s = 12;
  printf("%d\n", r); r = x.s = 7; x.s++; printf("%d %d\n", r, x.s); r = p->a++; printf("%d %d\n", r, p->a);
  r = ++p->s; printf("%d\n", r); r = p->s--; printf("%d %d\n", r, p->s);
  x.a += 7; x.s *= 3; p->c <<= 1; printf("%d %d %d\n", x.a, x.s, p->c); printf("%d\n", -x.a < 0);
  printf("%d %d\n", mk(5).a, mk(5).s); r = (x.a = 15) + 1; printf("%d\n", r); p->t = 0.5; printf("%d\n", p->t);
  x.t ^= 1; printf("%d\n", x.t); r = (p->c = 100); printf("%d\n", r); printf("%d\n", (p->u = -1) > 0);
  printf("%d\n", (int)sizeof(x.a + 0)); x = mk(3); printf("%d\n", x.w == 3 && (x.a == 3)); return 0; }
"#,
    );
}

#[test]
fn compound_assignment_mean_the_same() {
    same(
        "compound_assignment",
        r#"
int printf(const char *, ...); int n; int *next(int *p) { n++; return p; }
int main(void) { int a[4] = { 1, 2, 3, 4 }, i = 1; *next(a) += 5; *next(a + 1) <<= 2; a[i++] -= 10;
  printf("%d %d %d %d\n", a[0], a[1], i, n); unsigned char c = 250; c += 10; printf("%d\n", c); c -= 20; c *= 3;
  c /= 2; c %= 50; c |= 0x81; c ^= 0xf; c &= ~1; c >>= 1; printf("%d\n", c); short s = 1; s += 1e3; s -= 0.5f;
  printf("%d\n", s); double d = 2; d += 3; d *= a[2]; d /= 4; printf("%g\n", d); float f = 1; f += 0.1;
  printf("%.9g\n", f); int *p = a; p += 2; *p += *(p + 1); p -= 1; printf("%d %d\n", *p, p[1]); long l = 1;
  l <<= 40; l |= 1u; printf("%ld\n", l); i = 5; i += i++ * 0; a[0] = a[1] += a[2] -= 1;
  printf("%d %d %d\n", a[0], a[1], a[2]); int b[2][2] = { 1, 2, 3, 4 }; b[1][0] += b[0][1]++;
  printf("%d %d\n", b[1][0], b[0][1]); struct { struct { int k; } in[2]; } q = { 0 }; q.in[i > 0].k += 3;
  q.in[1].k++; printf("%d\n", q.in[1].k); char *t = "hello"; t += 1; printf("%s\n", t++); --t;
  printf("%c\n", *t); int k = 7; k -= -k; k /= -2; k %= 4; printf("%d\n", k); i = -17; i /= 4; i >>= 1;
  printf("%d\n", i); unsigned u = 1; u -= 2; u /= 3; printf("%u\n", u); return 0; }
"#,
    );
}

#[test]
fn pointers_to_functions_mean_the_same() {
    same(
        "pointers_to_functions",
        r#"
int printf(const char *, ...); int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; }
  typedef int (*op)(int, int); op pick(int k) { return k ? add : &sub; } int (*pick2(int k))(int, int) {
  return k ? sub : add; } struct v { op ops[2]; struct v *self; }; int apply(op f, int a, int b) {
  return (*f)(a, b) + (***f)(a, b) + f(a, b); } int ap(int f(int, int), int x) { return f(x, x); } int noargs();
  int noargs(a, b) char a; float b; { return a + b; }
int main(void) { op t[] = { add, sub, *add, **sub };
  printf("%d %d %d\n", t[0](1, 2), (*t[1])(1, 2), (**t[3])(5, 1));
  printf("%d %d\n", pick(1)(3, 4), pick2(1)(3, 4)); struct v v = { { add, sub } }; v.self = &v;
  printf("%d %d\n", v.self->ops[1](9, 4), v.self->self->ops[0](9, 4));
  printf("%d %d\n", apply(add, 2, 3), ap(sub, 4)); op f = add; f = f == add ? sub : add;
  printf("%d %d\n", f(1, 1), f != 0); printf("%d\n", (f ? f : add)(8, 1)); void *p = (void *)add;
  printf("%d\n", ((op)p)(1, 1)); printf("%d\n", noargs(3, 2.5)); printf("%d\n", (1 ? add : sub)(1, 2));
  int (*arr)[3]; int m[2][3] = { 1, 2, 3, 4, 5, 6 }; arr = m; printf("%d %d\n", (*arr)[1], arr[1][2]);
  printf("%d\n", (*&add)(4, 5)); return 0; }
"#,
    );
}

#[test]
fn variadic_functions_mean_the_same() {
    same(
        "variadic_functions",
        r#"
typedef __builtin_va_list va_list; int printf(const char *, ...); int vprintf(const char *, va_list);
int sum(int n, ...) { va_list ap; int s = 0; __builtin_va_start(ap, n); for (int i = 0; i < n;
  i++) s += __builtin_va_arg(ap, int); __builtin_va_end(ap); return s; }
double mixed(const char *f, ...) { va_list ap, aq; double r = 0; __builtin_va_start(ap, f);
  __builtin_va_copy(aq, ap); for (; *f; f++) switch (*f) { case 'i': r += __builtin_va_arg(ap, int); break;
  case 'd': r += __builtin_va_arg(ap, double); break; case 'l': r += __builtin_va_arg(ap, long long); break;
  case 'p': r += *__builtin_va_arg(ap, int *); } r += __builtin_va_arg(aq, int) * 1000; __builtin_va_end(ap);
  __builtin_va_end(aq); return r; }
void say(const char *f, ...) { va_list ap; __builtin_va_start(ap, f); vprintf(f, ap); __builtin_va_end(ap); }
  int take(va_list ap) { return __builtin_va_arg(ap, int); } int takep(va_list *ap) {
  return __builtin_va_arg(*ap, int); } int pass(int n, ...) { va_list ap; __builtin_va_start(ap, n);
  int x = take(ap); x = x * 10 + take(ap); x = x * 10 + takep(&ap); __builtin_va_end(ap); return x; }
  struct big { long a[4]; }; long st(int n, ...) { va_list ap; __builtin_va_start(ap, n);
  struct big b = __builtin_va_arg(ap, struct big); long r = b.a[3] + __builtin_va_arg(ap, struct big).a[0];
  __builtin_va_end(ap); return r; }
int main(void) { float f = 1.5f; char c = 7; short s = -3; int k = 4; printf("%d\n", sum(4, c, s, k, 'a'));
  printf("%g\n", mixed("idlp", 2, f, 3ll, &k)); say("%d %s %g\n", c, "text", f);
  printf("%d\n", pass(3, 1, 2, 3)); struct big b = { { 1, 2, 3, 4 } }; printf("%ld\n", st(2, b, b)); return 0; }
"#,
    );
}

#[test]
fn variable_length_arrays_mean_the_same() {
    same(
        "variable_length_arrays",
        r#"
int printf(const char *, ...); int sum(int n, int m, int a[n][m]) { int s = 0; for (int i = 0; i < n;
  i++) for (int j = 0; j < m; j++) s += a[i][j] * (i + 1); return s; }
int f(int n) { int a[n], b[n + 1][n]; for (int i = 0; i < n; i++) a[i] = i * i; for (int i = 0; i <= n;
  i++) for (int j = 0; j < n; j++) b[i][j] = i * 10 + j; int (*p)[n] = b; p++;
  int s = p[0][1] + (*p)[0] + *p[1]; printf("%d %d %d\n", (int)sizeof a, (int)sizeof b, (int)sizeof b[0]);
  printf("%d %d\n", s, sum(n + 1, n, b)); n = 1; printf("%d %d\n", (int)(sizeof a / sizeof a[0]), a[2]);
  int *q = a + 1; printf("%d %d\n", *q, (int)(&b[2] - &b[0])); return (int)(p - b); }
int g(int n) { int t = 0; for (int i = 1; i <= n; i++) { char c[i]; c[i - 1] = i; t += c[i - 1] + sizeof c; }
  typedef int row[n]; row r; r[0] = 5; t += sizeof(row) + sizeof r + r[0]; t += sizeof(int[n][2]); return t; }
int main(void) { printf("%d %d\n", f(4), g(5)); int k = 3; int z[k][2][k]; for (int i = 0; i < k * 2 * k;
  i++) (&z[0][0][0])[i] = i; printf("%d %d\n", z[2][1][0], (int)sizeof z[1]); char *m = __builtin_alloca(k * 4);
  for (int i = 0; i < 12; i++) m[i] = i; printf("%d\n", m[11]); return 0; }
"#,
    );
}

#[test]
fn recursion_mean_the_same() {
    same(
        "recursion",
        r#"
int printf(const char *, ...); int ack(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); } int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2); } void hanoi(int n, char a, char b, char c, int *moves) { if (n) {
  hanoi(n - 1, a, c, b, moves); ++*moves; hanoi(n - 1, c, b, a, moves); } } int even(int); int odd(int n) {
  return n && even(n - 1); } int even(int n) { return !n || odd(n - 1); }
struct t { int v; struct t *l, *r; } pool[32]; int used; struct t *ins(struct t *t, int v) { if (!t) {
  t = &pool[used++]; t->v = v; return t; } if (v < t->v) t->l = ins(t->l, v); else t->r = ins(t->r, v);
  return t; } int walk(struct t *t, int d) {
  return t ? walk(t->l, d + 1) * 3 + t->v * d + walk(t->r, d + 1) : 1; } void qs(int *a, int l, int r) {
  int i = l, j = r, p = a[(l + r) / 2]; do { while (a[i] < p) i++; while (a[j] > p) j--; if (i <= j) {
  int t = a[i]; a[i++] = a[j]; a[j--] = t; } } while (i <= j); if (l < j) qs(a, l, j); if (i < r) qs(a, i, r); }
int main(void) { int moves = 0; hanoi(6, 'a', 'b', 'c', &moves);
  printf("%d %d %d %d %d\n", ack(2, 3), fib(15), moves, odd(7), even(7)); struct t *t = 0; int v[] = {
  5, 2, 8, 1, 9, 3, 7 }; for (int i = 0; i < 7; i++) t = ins(t, v[i]); printf("%d\n", walk(t, 1)); qs(v, 0, 6);
  for (int i = 0; i < 7; i++) printf("%d ", v[i]); return 0; }
"#,
    );
}

#[test]
fn jumps_mean_the_same() {
    same(
        "jumps",
        r#"
int printf(const char *, ...); int f(int n) { int s = 0; again: if (n > 0) { s += n--; goto again; }
  if (s > 10) goto in; while (s < 5) { s += 3; in: s++; if (s % 7 == 0) goto out; } return s; out: return -s; }
  int g(int n) { static void *t[] = { &&a, &&b, &&c }; int r = 0; goto *t[n % 3]; a: r += 1; b: r += 10;
  c: r += 100; if (r < 200) { n++; goto *t[n % 3]; } return r; } int h(void) { int i, j; for (i = 0; i < 5;
  i++) for (j = 0; j < 5; j++) if (i * j == 6) goto found; return -1; found: return i * 10 + j; } int k(int x) {
  { if (x) goto inner; x = 100; } { inner: x++; } return x; } int l(int x) { do { if (x == 1) continue;
  if (x == 2) break; x = 7; } while (0); do { x++; if (x == 3) continue; x += 10; } while (x < 20); return x; }
  int m(void *p, int x) { void *q = &&yes; if (p) q = p; if (x) goto *q; return 0; yes: return 1; }
int main(void) { printf("%d %d %d\n", f(2), f(4), f(6)); printf("%d %d %d\n", g(0), g(1), g(2));
  printf("%d %d %d %d %d %d %d\n", h(), k(0), k(5), l(1), l(2), l(3), m(0, 1)); return 0; }
"#,
    );
}

#[test]
fn records_mean_the_same() {
    same(
        "records",
        r#"
int printf(const char *, ...); struct p { int x, y; }; struct q { struct p a[2]; union { int i; float f;
  struct { char c[4]; }; }; struct q *n; }; struct p mk(int x, int y) { struct p r = { x, y }; return r; }
  struct p add(struct p a, struct p b) { a.x += b.x; a.y += b.y; return a; } struct q id(struct q v) {
  v.a[0].x++; return v; } struct w { int a[3]; }; struct w arr(int k) { struct w w = { { k, k + 1, k + 2 } };
  return w; }
int main(void) { struct q s = { { { 1, 2 }, { 3, 4 } }, { 65 } }, *p = &s; s.n = p;
  printf("%d %d\n", mk(3, 4).y, add(mk(1, 2), add(mk(3, 4), s.a[1])).x);
  printf("%d %d\n", id(s).a[0].x, s.a[0].x); p->n->n->a[1] = mk(7, 8);
  printf("%d %c %c\n", s.a[1].y, s.c[0], p->c[0]); printf("%d\n", arr(5).a[1]); struct p *pp = (struct p[]) { {
  1, 2 }, { 3, 4 } }, t; t = pp[1]; pp++; printf("%d %d\n", t.x, pp->y); t = *pp, t.x = 9;
  printf("%d\n", (&t)->x); struct p u; u = t = mk(5, 6); printf("%d %d\n", u.x, (t = mk(1, 1)).x);
  printf("%d\n", ((struct p) { .y = 4 }).y); p->a[p->a[0].x] = p->a[0]; printf("%d\n", s.a[1].x); *p = id(*p);
  printf("%d\n", s.a[0].x); int o = (int)__builtin_offsetof(struct q, a[1].y), k = 1;
  printf("%d %d\n", o, (int)__builtin_offsetof(struct q, a[k].x));
  printf("%d\n", (int)(unsigned long)&((struct q *)0)->n); volatile struct p vp = { 1, 2 }; vp.x++;
  printf("%d\n", vp.x + vp.y); struct { int len; char data[]; } *fl = (void *)&s;
  printf("%d\n", fl->len == s.a[0].x); return 0; }
"#,
    );
}

#[test]
fn strings_and_arrays_mean_the_same() {
    same(
        "strings_and_arrays",
        r#"
int printf(const char *, ...); unsigned long strlen(const char *); char *strcpy(char *, const char *);
  int m[3][4]; char names[][6] = { "one", "two", "three" }; const char *w[] = { "alpha", "beta" };
  int sum(int *a, int n) { int s = 0; while (n--) s += *a++; return s; } int rows(int (*a)[4]) {
  return a[1][2] + (*a)[3]; } char *cat(char *d, const char *s) { char *r = d; while (*d) d++;
  while ((*d++ = *s++)); return r; }
int main(void) { for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) m[i][j] = i * 4 + j;
  printf("%d %d %d %d\n", sum(m[1], 4), sum(*m, 12), rows(m + 1), *(*(m + 2) + 1));
  printf("%s %c %c %d\n", names[2], names[1][1], 2[names][0], (int)sizeof names); char b[20] = "ab";
  printf("%s\n", cat(b, "cd")); printf("%d\n", (int)strlen(b));
  printf("%c %c %d\n", "xyz"[1], *("pq" + 1), (int)sizeof "hello"); printf("%s %s\n", w[1] + 1, *w);
  char (*pa)[6] = &names[1]; printf("%s %s\n", *pa, pa[1]); int a[] = { 5, 4, 3 }, *e = a + 3, n = 0;
  for (int *p = a; p != e; ++p) n = n * 10 + *p; printf("%d %d %d\n", n, (int)(e - a), (int)(&a[2] - a));
  printf("%s %s\n", __func__, __FUNCTION__); int idx = 0; a[idx++] = a[idx]; char *s = "a\0b\x41\101\n";
  printf("%d %c%c\n", s[2], s[3], s[4]); printf("%d\n", L"wide"[2]); int z[2][2][2] = {
  1, 2, 3, 4, 5, 6, 7, 8 }; printf("%d %d\n", z[1][0][1], ***(z + 1)); const char *t = 1 ? "yes" : "no";
  printf("%s\n", t); unsigned char uc[] = "\377\200"; printf("%d\n", uc[0] + uc[1]); return 0; }
"#,
    );
}

#[test]
fn floating_point_mean_the_same() {
    same(
        "floating_point",
        r#"
int printf(const char *, ...); double half(double x) { return x / 2; } float sq(float x) { return x * x; }
  int trunc_(double d) { return d; }
int main(void) { int i = 7; float f = 0.1f; double d = 0.1; long double l = 0.1L;
  printf("%d %d %d\n", f == d, f < d, (float)d == f); printf("%g %g %g\n", half(i), sq(i / 2), 1 / 3 * 3.0);
  printf("%d %d %d\n", trunc_(-2.9), (unsigned char)3.99, (int)1e9f);
  printf("%.17g %.9g %Lg\n", d + f, f * 3, l * 2); d++; --f; printf("%g %g\n", d, f);
  if (d && !(f > 0)) printf("t\n"); d = -d; printf("%g %g\n", d, +d); unsigned u = 3000000000u; f = u; d = u;
  printf("%g %g %d\n", f, d, f != d); printf("%d\n", d > f ? 1 : 0); i += 2.7; i *= 1.5; printf("%d\n", i);
  unsigned long ul = 1e19; printf("%lu\n", ul); printf("%g %g\n", 0x1.8p3, 1e-3f + 1.);
  double inf = __builtin_inf(), nan = __builtin_nan(""); printf("%d %d %g\n", nan == nan, inf > 1e308, inf);
  printf("%d\n", (_Bool)0.1 + (_Bool)0.0); _Complex double c = 1.0 + 2.0i; c *= c;
  printf("%g %g\n", __real__ c, __imag__ c); __real__ c = 5; printf("%g\n", __real__ (c + 1)); return 0; }
"#,
    );
}

#[test]
fn generic_selection_mean_the_same() {
    same(
        "generic_selection",
        r#"
int printf(const char *, ...);
#define name(x) _Generic((x), char: "char", int: "int", unsigned: "unsigned", long: "long", unsigned long: "ulong", float: "float", double: "double", char *: "char*", const char *: "const char*", int *: "int*", void *: "void*", default: "other")
int main(void) { char c = 1; short s = 2; const int k = 3; int a[3]; struct { int x : 3; unsigned y : 31; }
  b = { 1, 2 }; printf("%s %s %s %s\n", name(c), name(+c), name(s), name(s + s));
  printf("%s %s %s %s\n", name(k), name(a), name(&k), name(&a[0]));
  printf("%s %s %s\n", name("x"), name((const char *)"x"), name((void *)0));
  printf("%s %s %s\n", name(1L), name(1ul), name(1u + 1L));
  printf("%s %s %s\n", name(1.0f), name(1.0f * 1), name(1.0f + 1.0));
  printf("%s %s\n", name(sizeof c), name(1 ? 1 : 1u)); printf("%s %s\n", name(b.x + 0), name(b.y + 0));
  printf("%s %s %s\n", name('a'), name(c++), name(1 == 2));
  printf("%s %s\n", name(0x80000000), name(2147483648));
  printf("%d %d\n", __builtin_types_compatible_p(int, const int), __builtin_types_compatible_p(int *, char *));
  printf("%d\n", __builtin_choose_expr(sizeof(int) == 4, 11, "no"));
  printf("%d %d\n", __builtin_constant_p(3 + 4), __builtin_constant_p(a[0]));
  printf("%s %s\n", name(c << 1L), name(1 << 1L)); printf("%s\n", name(k ? &c : (void *)0));
  printf("%s\n", name(k ? 0 : a)); __typeof__(a) a2 = { 1 }; __typeof__(a2[0] + 1L) l = a2[0];
  printf("%s %d\n", name(l), (int)sizeof a2); __auto_type q = 2.5f;
  printf("%s %d\n", name(q), (int)_Alignof(double)); return 0; }
"#,
    );
}

#[test]
fn volatile_and_static_mean_the_same() {
    same(
        "volatile_and_static",
        r#"
int printf(const char *, ...); volatile int v; static int count(void) { static int n = 5; return n++; }
  int reg(volatile int *p) { *p; *p = 3; *p += 2; int x = *p + *p; (*p)++; return x + *p; }
int main(void) { v; v = 4; v++; v += v; printf("%d\n", v); printf("%d\n", reg(&v)); printf("%d ", count());
  printf("%d ", count()); for (int i = 0; i < 3; i++) { static int s = 10; int t = 0; s += ++t;
  printf("%d ", s); } volatile struct { int a[2]; } w = { { 1, 2 } }; w.a[v > 0] += 5; printf("%d\n", w.a[1]);
  int x = v = 9; printf("%d %d\n", x, v); if (v) while (v > 7) v--; printf("%d\n", v); switch (v) {
  case 7: printf("seven\n"); } int *volatile pp = &x; *pp = 3; pp[0]++; printf("%d\n", x); return 0; }
"#,
    );
}

#[test]
fn globals_changed_by_calls_mean_the_same() {
    same(
        "globals_changed_by_calls",
        r#"
int printf(const char *, ...); int g = 1; int *gp = &g; int a[3] = { 1, 2, 3 }, i; struct { int x; struct {
  int y; } in; } s; int f(void) { g++; i++; s.x += 5; return g; } int h(int x, int y) { f(); return x * 100 + y;
  } int *mv(void) { static int o[2] = { 7, 8 }; gp = o; return gp; }
int main(void) { printf("%d\n", h(g, g)); printf("%d\n", h(f(), 1)); int l = 5, *lp = &l; l = h(l, *lp) + l;
  printf("%d\n", l); a[1] = f() * 0 + 9; printf("%d %d %d\n", a[0], a[1], a[2]); s.in.y = s.x;
  printf("%d\n", s.in.y); int t = s.x; t = (f(), s.x) - t; printf("%d\n", t); *mv() = 3;
  printf("%d %d\n", *gp, g); g = g ? f() : 0; printf("%d\n", g); if (f() && g > 3) g = 0;
  printf("%d %d\n", g, i); while (f() < 5) ; printf("%d\n", g); for (l = f(); l < 20 && f() != 9; l += 4) ;
  printf("%d %d\n", l, g); return 0; }
"#,
    );
}

#[test]
fn atomics_mean_the_same() {
    same(
        "atomics",
        r#"
int printf(const char *, ...); int main(void) { int x = 5, e = 5, *p = &x;
  printf("%d ", __sync_fetch_and_add(p, 3)); printf("%d\n", __sync_add_and_fetch(&x, 2));
  printf("%d ", __atomic_load_n(&x, 5)); printf("%d\n", __atomic_exchange_n(&x, 7, 5));
  int ok = __atomic_compare_exchange_n(&x, &e, 9, 0, 5, 5); printf("%d %d %d\n", ok, x, e);
  ok = __atomic_compare_exchange_n(&x, &e, 9, 0, 5, 5); printf("%d %d\n", ok, x);
  printf("%d ", __sync_bool_compare_and_swap(&x, 9, 1)); printf("%d ", __sync_val_compare_and_swap(&x, 1, 2));
  printf("%d\n", x); __atomic_store_n(&x, 12, 0); __atomic_fetch_or(p, 1, 0); printf("%d ", x);
  printf("%d\n", __atomic_and_fetch(p, 6, 0)); char flag = 0; printf("%d ", __atomic_test_and_set(&flag, 5));
  printf("%d ", __atomic_test_and_set(&flag, 5)); __atomic_clear(&flag, 5); printf("%d\n", flag); int y, z = 3;
  __atomic_load(&x, &y, 5); __atomic_store(&x, &z, 5); __atomic_exchange(&x, &y, &z, 5);
  printf("%d %d %d\n", x, y, z); unsigned char c = 250; printf("%d ", __sync_fetch_and_add(&c, 10));
  printf("%d\n", c); printf("%d ", __sync_lock_test_and_set(&x, 1)); printf("%d\n", x); __sync_lock_release(&x);
  __sync_synchronize(); __atomic_thread_fence(5); printf("%d ", __sync_fetch_and_nand(&x, 3));
  printf("%d\n", x); _Atomic int a = 1; a++; a += 4; printf("%d\n", a); return 0; }
"#,
    );
}

#[test]
fn vectors_mean_the_same() {
    same(
        "vectors",
        r#"
int printf(const char *, ...); typedef int v4 __attribute__((vector_size(16)));
  typedef float f4 __attribute__((vector_size(16))); v4 add(v4 a, v4 b) { return a + b; }
int main(void) { v4 a = { 1, 2, 3, 4 }, b = { 10, 20, 30, 40 }, c; c = add(a, b) * 2; c[1] = 7; c[2] += 1;
  printf("%d %d %d %d\n", c[0], c[1], c[2], c[3]); c = -a; c ^= b; int i = 3;
  printf("%d %d\n", c[i], (a < b)[0]); v4 *p = &a; (*p)[0] = 9; printf("%d\n", a[0]); f4 f = { 1.5f, 2 };
  f = f * 2 + f; printf("%g %g\n", f[0], f[1]); c = a << 1; printf("%d\n", c[3]); c = (v4) { 5, 6 };
  printf("%d %d\n", c[1], c[3]); v4 d = __builtin_convertvector(f, v4); printf("%d\n", d[0]); return 0; }
"#,
    );
}

#[test]
fn nested_control_flow_mean_the_same() {
    same(
        "nested_control_flow",
        r#"
int printf(const char *, ...); int collatz(int n) { int c = 0; while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2;
  c++; } return c; } int primes(int n) { int c = 0; for (int i = 2; i < n; i++) { int p = 1; for (int j = 2;
  j * j <= i && p; j++) if (i % j == 0) p = 0; if (!p) continue; c++; } return c; } int grade(int x) {
  if (x > 90) return 'A'; else if (x > 80) return 'B'; else if (x > 70 && x != 75) return 'C';
  else if (x == 75 || x < 10) return '?'; else return 'F'; } int find(const char *h, const char *n) {
  for (int i = 0; h[i]; i++) { int j = 0; while (n[j] && h[i + j] == n[j]) j++; if (!n[j]) return i; }
  return -1; } int odd(int n) { int s = 0; for (;;) { if (n <= 0) break; if (n-- % 2) continue; s += n; }
  return s; } unsigned crc(const char *s) { unsigned c = ~0u; while (*s) { c ^= (unsigned char)*s++;
  for (int k = 8; k--;) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1; } return ~c; } int matrix(void) {
  int m[3][3], t = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 3;
  j++) m[i][j] = i == j ? 1 : i > j ? -1 : 2; for (int i = 0, j = 2; i < 3; i++, j--) t = t * 10 + m[i][j] + 2;
  return t; }
int main(void) { printf("%d %d\n", collatz(27), primes(100)); for (int i = 0; i < 100;
  i += 5) printf("%c", grade(i));
  printf(" %d %d %d %x %d\n", find("hello world", "wor"), find("abc", "z"), odd(10), crc("123456789"), matrix());
  int i = 0; for (; i < 3;) { i++; } for (; ;) { if (i++ > 5) break; else continue; } printf("%d\n", i);
  return 0; }
"#,
    );
}

#[test]
fn linked_structures_mean_the_same() {
    same(
        "linked_structures",
        r#"
int printf(const char *, ...); void *malloc(unsigned long); void free(void *); struct n { int v;
  struct n *next, **back; }; struct n *push(struct n **h, int v) { struct n *n = malloc(sizeof *n); n->v = v;
  if ((n->next = *h)) n->next->back = &n->next; *h = n; n->back = h; return n; } void del(struct n *n) {
  if ((*n->back = n->next) != 0) n->next->back = n->back; free(n); } struct n *rev(struct n *l) {
  struct n *r = 0, *t; while (l) t = l->next, l->next = r, r = l, l = t; return r; }
int main(void) { struct n *h = 0, *k; for (int i = 0; i < 6; i++) { struct n *x = push(&h, i * i);
  if (i == 3) k = x; } del(k); for (struct n *p = h; p; p = p->next) printf("%d ", p->v); h = rev(h); int s = 0;
  for (struct n *p = h; p && p->v < 20; p = p->next) s += p->v; printf("%d %d\n", s, h->next->next->v);
  struct n **pp = &h; while (*pp && (*pp)->v != 4) pp = &(*pp)->next; if (*pp) *pp = (*pp)->next;
  for (struct n *p = h; p; ) { struct n *q = p; p = p->next; printf("%d ", q->v); free(q); } printf("\n");
  return 0; }
"#,
    );
}

#[test]
fn unevaluated_operands_mean_the_same() {
    same(
        "unevaluated_operands",
        r#"
int printf(const char *, ...); int n; int f(void) { n++; return 1; } int main(void) { int x = 1, a[3];
  printf("%d %d %d\n", (int)sizeof(x++), (int)sizeof(f()), (int)sizeof(a[f()])); __typeof__(f()) y = 2;
  __typeof__(x++) z = 3; printf("%d %d %d %d\n", x, n, y, z); printf("%d\n", __builtin_constant_p(f()));
  printf("%d %d\n", n, _Generic(f(), int: 5, default: f())); printf("%d\n", (int)_Alignof(short));
  printf("%d %d\n", 0 && f(), 1 || f()); printf("%d\n", 1 ? 4 : f()); printf("%d\n", n); struct { char c; int i;
  } s; printf("%d %d\n", (int)sizeof s, (int)sizeof(s.c + s.c)); enum {
  K = sizeof(int) * 2, L = K > 7 ? 3 : 1 / 1 }; char b[K + L]; printf("%d\n", (int)sizeof b);
  return (__builtin_expect(x == 1, 1), 0); }
"#,
    );
}

#[test]
fn compatible_types_mean_the_same() {
    let pairs = "
T(enum e, unsigned) T(unsigned, enum e) T(enum e, int) T(enum n, int) T(enum n, unsigned) T(enum e, enum f)
T(enum e, enum e) T(enum l, unsigned long) T(enum l, unsigned long long) T(enum m, long) T(enum m, long long)
T(enum p, unsigned char) T(enum p, char) T(enum e *, unsigned *) T(enum e *, enum f *) T(enum e[3], unsigned[3])
T(enum x, unsigned) T(enum x *, unsigned *) T(enum e (*)(void), unsigned (*)(void)) T(enum e, long) T(enum p *, unsigned *)
T(int (*)(enum e), int (*)(unsigned)) T(int (*)(enum e), int (*)(enum f)) T(const enum e, volatile unsigned)";
    same(
        "compatible_types",
        &format!(
            "int printf(const char *, ...); enum e {{ A }}; enum n {{ N = -1 }}; enum l {{ L = 1ul << 40 }}; enum x;
enum m {{ M = 1l << 40, K = -1 }}; enum f {{ F }}; enum __attribute__((packed)) p {{ P }};
#define T(a, b) printf(\"%d\", __builtin_types_compatible_p(a, b));
int main(void) {{ {pairs} return 0; }}"
        ),
    );
}

#[test]
fn sizes_of_arrays_mean_the_same() {
    same(
        "sizes_of_arrays",
        "int printf(const char *, ...); char b[8]; int main(void) { int a[3][2]; unsigned long n =
__builtin_object_size(b, 0); printf(\"%lu %lu %lu\", n, __builtin_object_size(a, 3), __builtin_dynamic_object_size(b, 1));
return 0; }",
    );
}

#[test]
fn bit_fields_wider_than_int_compute_in_their_own_width() {
    same(
        "wide_bit_fields",
        r#"
int printf(const char *, ...); typedef unsigned long long u64; typedef long long s64;
struct s { u64 a : 40; s64 b : 40; u64 c : 50; s64 d : 33; unsigned long e : 64; u64 f : 32; s64 g : 31; u64 h : 33; };
struct s v, *p = &v, *q = &v; u64 state = 88172645463325252ull;
u64 next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
#define SHOW(e) printf("%llx ", (u64)(e)); printf("%d ", (e) < 0); printf("%d\n", (e) > 5)
#define BOTH(x, y) SHOW(x + y); SHOW(x - y); SHOW(x * y); SHOW(x & y); SHOW(x | y); SHOW(x ^ y); if (y) { SHOW(x / y); SHOW(x % y); } \
  printf("%d %d %d %d\n", x < y, x == y, x >= y, x != y); SHOW(state & 1 ? x : y); SHOW((0, x) + y)
#define ALONE(x) SHOW(-x); SHOW(~x); SHOW(+x); SHOW(x << 4); SHOW(x >> 3); SHOW(!x); SHOW(x + 1); SHOW(x - 1); SHOW(x * 3u); SHOW(x * -1); \
  SHOW(x + 1ll); SHOW(x - 7ull); SHOW(x - 8l); SHOW((u64)x << 20); SHOW((s64)x * 77777); SHOW(x++); SHOW(++x); SHOW(x--); SHOW((x += 99) - 100); \
  SHOW((x = next()) << 2); SHOW(-(-x + 1) * 5); SHOW(x ? x : -1); SHOW(1 ? x : -1); SHOW(({ x; }) << 1); printf("%d\n", (int)sizeof(x + 1)); \
  x <<= 3; SHOW(x); x -= 1ull << 39; SHOW(x); x *= x; SHOW(x); { double z = x; printf("%g\n", z + x); }
int main(void) { for (int i = 0; i < 12; i++) {
  v.a = next(); v.b = next(); v.c = next(); v.d = next(); v.e = next(); v.f = next(); v.g = next(); v.h = next();
  if (i == 3) { v.a = 0; v.b = -1; v.h = 1; v.d = -1; }
  BOTH(v.a, v.b); BOTH(v.a, v.c); BOTH(v.b, v.c); BOTH(v.d, v.h); BOTH(v.f, v.b); BOTH(v.g, v.a); BOTH(v.e, v.a); BOTH(v.b, v.d);
  BOTH(p->a, q->b); BOTH(p->f, q->g); BOTH(p->c, -1); BOTH(p->d, 3u); BOTH(p->b, ((s64)i - 4)); BOTH(p->a, ((short)-2));
  ALONE(v.a); ALONE(v.b); ALONE(p->c); ALONE(p->d); ALONE(v.e); ALONE(p->f); ALONE(v.g); ALONE(q->h); } return 0; }
"#,
    );
}

#[test]
fn narrow_bit_fields_behind_pointers_are_promoted_to_int() {
    same(
        "narrow_bit_fields_behind_pointers",
        r#"
int printf(const char *, ...); struct s { unsigned a : 3; unsigned char b : 5; unsigned c : 32; _Bool d : 1; signed char e : 4; };
int f(struct s *p, struct s *q) { int k = 0; printf("%d %d %d\n", p->a - q->b < 0, p->b - q->a * 40 < 0, -p->a < q->e);
  printf("%d %d\n", (p->a = 9) - q->b < 0, (p->c = -1) - q->a > 0); printf("%d %d\n", (p->e = 13) < 0, (p->d = 4) + q->a);
  printf("%d %d\n", p->a++ - k++ - 8 < 0, --q->b - 31 + k < 0); return p->a - (k += 7) < 0; }
int main(void) { struct s x = { 3, 7, 9, 1, -2 }, y = { 1, 20, 4, 0, 5 }; printf("%d\n", f(&x, &y)); return x.a - 5 > 0; }
"#,
    );
}
