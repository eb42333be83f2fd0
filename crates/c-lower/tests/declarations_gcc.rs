//! Programs do under gcc what they do after lowering and printing.

use hardbop_c_core::{Target, print};
use std::path::PathBuf;
use std::process::Command;

fn gcc() -> Option<()> {
    Command::new("gcc").arg("--version").output().ok().filter(|output| output.status.success()).map(drop)
}

fn run(name: &str, sources: &[String]) -> (Option<i32>, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut paths = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let path = folder.join(format!("{name}-{index}.c"));
        std::fs::write(&path, source).expect("the folder for tests can be written");
        paths.push(path);
    }
    let program = folder.join(name);
    let output = Command::new("gcc").args(["-std=gnu11", "-fcommon", "-w", "-o"]).arg(&program).args(&paths).output();
    let output = output.expect("gcc can be started");
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), sources.join("\n"));
    let output = Command::new(&program).output().expect("the program can be started");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The units and the one program that they are after linking do the same.
#[track_caller]
fn check(name: &str, sources: &[&str]) {
    if gcc().is_none() {
        eprintln!("skipped: there is no gcc");
        return;
    }
    let mut units = Vec::new();
    for source in sources {
        let (ast, errors) = hardbop_lang_c::parse(source, 0);
        assert!(errors.is_empty(), "{errors:?}");
        units.push(hardbop_c_lower::lower(&ast, Target::Lp64).expect("the unit is right").module);
    }
    let program = hardbop_c_link::link(units).expect("the units fit together").module;
    assert_eq!(hardbop_c_core::check::check(&program), Ok(()), "{}", print::module(&program));
    let written: Vec<String> = sources.iter().map(|source| (*source).to_owned()).collect();
    let expected = run(&format!("{name}-written"), &written);
    let printed = run(&format!("{name}-printed"), &[print::module(&program)]);
    assert_eq!(printed, expected, "{}", print::module(&program));
}

#[test]
fn static_initialisers_mean_the_same() {
    check(
        "static-initialisers",
        &[r#"int printf(const char *, ...);
struct p { int x, y; }; struct p a[] = { 1, 2, 3 }; int m[2][3] = { 1, { 2, 3 } };
struct { int a; struct { int b, c; } d[2]; int e; } s = { .d[1].b = 1, 2, 3, .a = 4 };
int r[20] = { [3 ... 17] = 7, 8, [5] = 9, [0] = 1 };
char t[] = "ab", u[2] = "abc", v[4] = { "x" }, w[2][3] = { "p", "q" }; int wide[] = L"h\x1234";
union { char c; int x; } k = { .x = 0x1234 }; struct { struct { int x, y; } p; int z; } o = { .p = { 1, 2 }, .p = { .y = 4 } };
struct { int n; char s[]; } f = { 2, "flex" }; int *cl = (int[]){ 5, 6 }; struct p *ptr = &a[1]; char *str = &"hello"[1];
double d[] = { 1, 2.5f, -3e10 }; int (*table[])(const char *, ...) = { printf, &printf, 0 };
int main(void) {
  printf("%d %d %zu\n", a[1].x, a[1].y, sizeof a); printf("%d %d %d\n", m[0][0], m[0][1], m[1][1]);
  printf("%d %d %d %d %d\n", s.a, s.d[0].b, s.d[1].b, s.d[1].c, s.e);
  for (int i = 0; i < 20; i++) printf("%d ", r[i]);
  printf("%zu %c %s %s %d %d\n", sizeof t, u[1], v, w[1], wide[1], k.c);
  printf("%d %d %d %s %d %d %s\n", o.p.x, o.p.y, o.z, f.s, cl[1], ptr->x, str); table[0]("%g %g %g\n", d[0], d[1], d[2]);
}"#],
    );
}

#[test]
fn local_initialisers_mean_the_same() {
    check(
        "local-initialisers",
        &[r#"int printf(const char *, ...); struct p { int x, y; };
static int calls; int g(void) { return ++calls; }
int sum(int n, int *a) { int s = 0; for (int i = 0; i < n; i++) s += a[i] * (i + 1); return s; }
int f(int x, struct p q) {
  int a[4] = { x, 1 }; struct { struct p a, b; int z; } s = { q, 1, 2, 3 }; struct { int u, v; } t = { .v = x, .u = 2 };
  char c[] = "abc", d[40] = "a somewhat longer string", e[3] = "xyz"; int r[100] = { [10 ... 90] = g(), [20] = 3 };
  int b[5] = { [1 ... 3] = g() }; union { int i; char c[8]; } u = { .c = "hi" }; struct p w[2] = { [1] = q, [1].x = 9 };
  int two[][2] = { 1, 2, 3, 4, 5 }; int n = sizeof two / sizeof two[0];
  printf("%d %d %d %d %d\n", a[0], a[2], s.a.y, s.b.y, s.z); printf("%d %d %s %s %c%zu\n", t.u, t.v, c, d, e[2], sizeof c);
  printf("%d %d %d %s %d %d %d\n", sum(100, r), sum(5, b), n, u.c, w[0].x, w[1].x, w[1].y);
  return sum(3, (int[]){ 7, x, 9 }) + ((struct p){ .y = x }).y + two[2][1];
}
int main(void) { printf("%d\n", f(3, (struct p){ 4, 5 })); printf("%d\n", f(6, (struct p){ 7 })); return calls; }"#],
    );
}

#[test]
fn layouts_are_the_same() {
    check(
        "layouts",
        &[r#"int printf(const char *, ...);
struct a { char c; int x : 3, y : 30; short z; union { long l; struct { char m, n; }; }; };
struct __attribute__((packed)) b { char c; int x; short y : 5, z : 12; }; struct c { char c; int x __attribute__((aligned(16))); };
typedef int wide __attribute__((aligned(8))); struct d { char c; wide w; char e; }; struct e { char c; long double d; int : 0; char f; };
struct f { int n; _Alignas(32) char s[3]; }; union g { char c[5]; short s; }; enum h { H = 1ull << 40 }; enum __attribute__((packed)) i { I };
struct j { struct b b; enum i i; unsigned long long k : 40, l : 30; _Bool m : 1; };
struct a a; struct b b; struct j j;
int main(void) {
  printf("%zu %zu %zu %zu %zu %zu %zu %zu %zu\n", sizeof(struct a), sizeof(struct b), sizeof(struct c), sizeof(struct d),
    sizeof(struct e), sizeof(struct f), sizeof(union g), sizeof(enum h), sizeof(struct j));
  a.x = 3; a.y = -5; a.z = 7; a.n = 9; b.x = 0x12345678; b.y = -3; b.z = 1000; j.k = 0xabcdefabcdull; j.l = 12345; j.m = 1;
  unsigned char *p = (unsigned char *)&a; for (int i = 0; i < sizeof a; i++) printf("%x ", p[i]);
  p = (unsigned char *)&b; for (int i = 0; i < sizeof b; i++) printf("%x ", p[i]);
  p = (unsigned char *)&j; for (int i = 0; i < sizeof j; i++) printf("%x ", p[i]);
  printf("%d %d %d %d %lu %d\n", a.x, a.y, b.y, b.z, (unsigned long)j.k, j.l);
}"#],
    );
}

#[test]
fn alignments_are_the_same() {
    check(
        "alignments",
        &[r#"int printf(const char *, ...);
struct __attribute__((aligned(16))) a { char c; } __attribute__((aligned(4))); struct b { char c; } __attribute__((aligned(16), aligned(4)));
struct __attribute__((aligned(4))) c { char c; } __attribute__((aligned(16))); struct d { int x; } __attribute__((aligned(2)));
struct e { char c __attribute__((aligned(16))) __attribute__((aligned(4))); }; struct f { _Alignas(16) _Alignas(4) char c; };
typedef int two __attribute__((aligned(16))) __attribute__((aligned(2))); typedef struct a loose __attribute__((aligned(1)));
struct g { char c; two x; }; struct h { char c; loose a; }; struct i { char c; _Alignas(two) char d; };
int v __attribute__((aligned(64))) __attribute__((aligned(8)));
int main(void) {
  printf("%zu %zu %zu %zu %zu %zu %zu %zu %zu\n", sizeof(struct a), sizeof(struct b), sizeof(struct c), sizeof(struct d), sizeof(struct e),
    sizeof(struct f), sizeof(struct g), sizeof(struct h), sizeof(struct i));
  printf("%zu %zu %zu %zu %zu\n", _Alignof(two), _Alignof(loose), _Alignof(struct b), _Alignof(v), _Alignof(two[3]));
}"#],
    );
}

#[test]
fn linkage_is_the_same() {
    check(
        "linkage",
        &[
            r#"int printf(const char *, ...); extern int shared[]; static int own = 1; int common; struct s { int x; struct s *next; };
extern struct s *list; typedef struct { int u; } unnamed; int take(unnamed *); static int f(void) { return own; } int other(void);
inline int twice(int x) { return 2 * x; }
int main(void) { unnamed u = { 5 }; extern int late; common++; printf("%d %d %d %d %d %d %d\n", shared[1], f(), other(), common,
  list->next->x, take(&u), twice(late)); { int own = 7; { extern int shared[]; own += shared[0]; } printf("%d\n", own); } return 0; }
int late = 4;"#,
            r#"int shared[2] = { 10, 20 }; static int own = 2; int common = 40; struct s { int x; struct s *next; }; static int f(void) { return own; }
static struct s second = { 8, 0 }, first = { 7, &second }; struct s *list = &first; typedef struct { int u; } unnamed;
int take(unnamed *p) { return p->u; } inline int twice(int x) { return 2 * x; } extern int twice(int); int other(void) { static int own = 100; return own++ + f(); }"#,
        ],
    );
}

#[test]
fn old_style_and_variable_lengths_mean_the_same() {
    check(
        "old-style",
        &[r#"int printf(); int f(c, x, p) char c; float x; int p[]; { return c + (int)(x * 2) + p[1]; }
int sum(int n, int m, int a[n][m]) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j]; return s; }
int g(int n) { int a[n][n + 1]; for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) a[i][j] = i * 10 + j;
  int (*p)[n + 1] = a; p++; return sum(n, n + 1, a) * 1000 + (*p)[1] + (int)sizeof a + (int)sizeof *p; }
int k(n) { static int calls; calls += n; return calls; }
int main() { int a[] = { 1, 2 }; printf("%d %d %d\n", f(300, 1.5, a), g(2), g(3)); k(1); printf("%d %s\n", k(4), __func__); return 3; }"#],
    );
}

#[test]
fn anonymous_members_and_overrides_mean_the_same() {
    check(
        "anonymous",
        &[r#"int printf(const char *, ...);
struct s { int a; union { int b; float c; }; struct { int d; struct { int e; }; }; } x = { 1, { 2 }, { 3, { 4 } } },
  y = { .e = 5, .c = 1.5f, .a = 7 }, z = { 1, 2, 3, 4 }; struct t { struct s s[2]; int n; } q = { .s[1].e = 1, 2, .s[0] = { .d = 3 }, .s[1].a = 4 };
int main(void) { struct t r = { .n = 1, .s = { [1] = y, [0] = x }, .s[0].d = 8 };
  printf("%d %d %d %d %d %g %d %d %d\n", x.b, x.d, x.e, y.e, y.a, y.c, y.d, z.d, z.e);
  printf("%d %d %d %d\n", q.s[1].e, q.n, q.s[0].d, q.s[1].a); printf("%d %d %d %d\n", r.s[0].d, r.s[0].a, r.s[1].e, r.n); }"#],
    );
}

#[test]
fn enumerations_and_bit_fields_have_the_same_signs() {
    check(
        "signs",
        &[
            r#"int printf(const char *, ...); enum a { A = 3 }; enum b { B = -1, B2 = 0x7fffffff }; enum c { C = 0xffffffff }; enum d { D = -1, D2 = 0xffffffffu };
struct { int i : 3; unsigned u : 3; enum a a : 3; enum b b : 3; _Bool f : 1; signed char c : 2; } s = { 7, 7, 7, 7, 2, 3 };
int main(void) { enum a a = -1; enum b b = -1; printf("%d %d %d %d\n", a > 0, b > 0, (enum c)-1 > 0, (enum d)-1 > 0);
  printf("%d %d %d %d %d %d\n", s.i, s.u, s.a, s.b, s.f, s.c); printf("%zu %zu %zu %d\n", sizeof a, sizeof(enum d), sizeof(D2), C > 0); s.i++; s.u += 2; printf("%d %d\n", s.i, s.u); }"#,
        ],
    );
}

#[test]
fn statics_keep_their_values() {
    check(
        "statics",
        &[
            r#"int printf(const char *, ...); static int depth; int f(int n) { static int calls = 10; static int last[3] = { 1, [2] = 3 }; static char *name = "f";
  calls++; last[n % 3] += n; depth += n; if (n) return f(n - 1); return calls * 100 + last[0] * 10 + last[1] + last[2] + name[0]; }
int g(void) { static struct { int *p; int (*f)(int); } s = { &depth, f }; { static int depth = 3; depth++; *s.p += depth; } return s.f(2); }
int main(void) { printf("%d ", f(3)); printf("%d ", g()); printf("%d ", g()); printf("%d\n", depth); return f(0) & 63; }"#,
        ],
    );
}

#[test]
fn flexible_arrays_and_addresses_mean_the_same() {
    check(
        "addresses",
        &[
            r#"int printf(const char *, ...); void *malloc(unsigned long); struct v { int n; short a[]; } v = { 3, { 1, 2, 3 } }; struct n { struct n *next; char *s; int *p; };
static int cells[4] = { 4, 3, 2, 1 }; struct n b, a = { &b, "a" "b", cells + 1 }, b = { &a, &"xyz"[1], &cells[3] }; int *end = cells + sizeof cells / sizeof *cells;
long distance = (char *)&((struct n *)0)->p - (char *)0; char *const names[][2] = { { "p", "q" }, [2] = { [1] = "r" } };
int main(void) { struct v *w = malloc(sizeof *w + 4); w->n = 2; w->a[1] = 5; printf("%d %zu %d\n", v.a[2], sizeof v, w->a[1]);
  printf("%s %s %d %d %ld %ld %s %d\n", a.s, a.next->s, *a.p, *b.p, end - cells, distance, names[2][1], names[1][0] == 0); }"#,
        ],
    );
}

#[test]
fn strings_mean_the_same() {
    check(
        "strings",
        &[
            r#"int printf(const char *, ...); char a[] = "a\0b", b[2] = "xyz", c[3][4] = { "abc", { "de" }, { 'f', 'g' } }; unsigned short u[] = u"x\u00e9"; int w[4] = L"ab";
int main(void) { char s[] = "local", t[8] = "t", k[2][20] = { "seventeen letters", "b" }, e[3] = { 'x' }, l[40] = { "a rather long string, copied" }; int v[] = L"wide";
  unsigned char n[4] = "\377\1"; printf("%zu %c %s %s %d %d\n", sizeof a, b[1], c[1], c[2], u[1], w[2]);
  printf("%s %s %d %s %s %s %s %zu %d %d\n", s, t, t[7], k[0], k[1], e, l, sizeof v / sizeof *v, v[3], n[0]); printf("%s %zu\n", __func__, sizeof __func__);
  printf("%s %d %d\n", __builtin_FUNCTION(), *__builtin_FILE() != 0, __builtin_LINE() > 0); }"#,
        ],
    );
}

#[test]
fn three_units_are_one_program() {
    check(
        "three-units",
        &[
            r#"struct list; struct list *push(struct list *, int); int total(struct list *); int printf(const char *, ...); extern int limit; int counter;
int main(void) { struct list *l = 0; for (int i = 0; i < limit; i++) l = push(l, i); printf("%d %d\n", total(l), counter); return 0; }"#,
            r#"void *malloc(unsigned long); struct list { struct list *next; int value; }; static int helper(int x) { return x * 2; } extern int counter;
struct list *push(struct list *l, int v) { struct list *n = malloc(sizeof *n); *n = (struct list){ l, helper(v) }; counter++; return n; }"#,
            r#"struct list { struct list *next; int value; }; static int helper(struct list *l) { return l->value + 1; } int limit = 5; int counter;
int total(struct list *l) { int t = 0; for (; l; l = l->next) t += helper(l); return t; }"#,
        ],
    );
}

#[test]
fn aliases_and_inline_functions_mean_the_same() {
    check(
        "aliases",
        &[
            r#"int printf(const char *, ...); int f(int x) { return x + 1; } int g(int) __attribute__((alias("f"))); int data = 5; extern int other __attribute__((alias("data")));
static inline int twice(int x) { return 2 * x; } extern inline __attribute__((gnu_inline)) int h(int x) { return x; } int h(int x) { return x + 2; }
typedef union { int *i; char *c; } any __attribute__((transparent_union)); int first(any a) { return a.c[0]; }
int main(void) { int n = 65; other++; printf("%d %d %d %d %d %d\n", g(1), data, twice(g(2)), h(3), first(&n), first("B")); }"#,
        ],
    );
}

#[test]
fn weak_names_mean_the_same() {
    let first = r#"int printf(const char *, ...); extern int absent __attribute__((weak)), present __attribute__((weak));
extern int __attribute__((weak)) row[3], taken; int own __attribute__((weak)) = 1; int f(void) __attribute__((weak));
#pragma weak nick = target
int target = 7; extern int nick, late;
#pragma weak late
int main(void) { extern struct { int x, y; } s __attribute__((weak)); int (*g)(void) = f;
printf("%d %d %d %d %d %d %d %d\n", &absent != 0, present, row != 0, own, g != 0, nick, &late == 0, &s.x == 0); }"#;
    check("weak-names", &[first, "int present = 4; int own = 5;"]);
}
