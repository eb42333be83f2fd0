//! What the analysis `null` says of what others write: code outside, assembly, functions of the library.

#[path = "support/marked.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod marked;
#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_c_facts::Unknown;
use hardbop_dataflow::Precision;
use marked::{check, check_pessimistically, check_with};
use subject::{Said, shipped_analysis, sites};

#[test]
fn an_integer_outside_may_be_written_without_its_sign() {
    let text = "
struct b { int n; unsigned u; };
int cast(struct b *b) { int *p = 0; b->n = 1; *(unsigned *)&b->n = 0; if (b->n) p = &x; return *p; /* bad */ }
static void put(unsigned *to) { *to = 0; }
int called(struct b *b) { int *p = 0; b->n = 1; put((unsigned *)&b->n); if (b->n) p = &x; return *p; /* bad */ }
int given(int *a, unsigned *b) { int *p = 0; *a = 1; *b = 0; if (*a) p = &x; return *p; /* bad */ }
int member(struct b *b, int *a) { int *p = 0; b->u = 1; *a = 0; if (b->u) p = &x; return *p; /* bad */ }
int other(struct b *b, long *a) { int *p = 0; b->n = 1; *a = 0; if (b->n) p = &x; return *p; /* ok */ }
int flag;
int global(unsigned *a) { int *p = 0; flag = 1; *a = 0; if (flag) p = &x; return *p; /* bad */ }
struct c { _Bool is; };
int byte(struct c *c, unsigned char *a) { int *p = 0; c->is = 1; *a = 0; if (c->is) p = &x; return *p; /* bad */ }";
    check_with(text, Unknown::AsTested);
    check_with(&text.replace("/* ok */", ""), Unknown::Anything);
}

#[test]
fn assembly_that_says_so_writes_what_it_reaches() {
    check(
        "
int main(void) {
    int flag = 1, other = 1, *p = &x;
    asm volatile(\"\" : : \"r\"(&flag) : \"memory\");
    if (!flag) p = 0;
    *p = 1; /* ok */
    asm volatile(\"movl $0,(%0)\" : : \"r\"(&flag) : \"memory\");
    if (!other) p = 0;
    *p = 2; /* ok */
    if (!flag) p = 0;
    return *p; /* bad */
}",
    );
    check(
        "
static int named = 1, unnamed = 1;
int main(void) {
    int operand = 1, *p = &x;
    asm volatile(\"movl $0,%0; movl $0,named(%%rip)\" : : \"m\"(operand) : \"memory\");
    if (!unnamed) p = 0;
    *p = 1; /* ok */
    if (!operand) p = 0;
    *p = 2; /* bad */
    p = named ? &x : 0;
    return *p; /* bad */
}",
    );
}

#[test]
fn a_format_may_ask_for_a_count() {
    check(
        "
int printf(const char *, ...); int sprintf(char *, const char *, ...);
int main(void) {
    char text[9];
    const char *format = input() ? \"%d\" : \"a%n\";
    int none = 1, count = 0, other = 0, *p = &x;
    sprintf(text, \"%p%%n\", &none);
    if (!none) p = 0;
    *p = 1; /* ok */
    printf(\"%d%n\", 1, &count);
    if (count) p = 0;
    *p = 2; /* bad */
    p = &x;
    printf(format, &other);
    if (other) p = 0;
    return *p; /* bad */
}",
    );
    let text = "
struct file { int *p; }; int fprintf(struct file *, const char *, ...);
int keep(struct file *f) { if (!f || !f->p) return 0; fprintf(f, \"text\"); return *f->p; /* ok */ }";
    check_with(text, Unknown::Anything);
}

#[test]
fn bytes_outside_are_those_of_anything_if_nothing_is_assumed() {
    let text = "
struct b { int *p; short n; };
static void put(char *to) { *to = 0; }
int member(struct b *b, char *c) { if (!b || !c || !b->p) return 0; *c = 0; return *b->p; /* ok */ }
int plain(int **b, unsigned char *c) { if (!b || !c || !*b) return 0; *c = 0; return **b; /* ok */ }
int called(struct b *b, char *c) { if (!b || !c || !b->p) return 0; put(c); return *b->p; /* ok */ }
int number(struct b *b, char *c) { int *p = 0; if (!b || !c) return 0; b->n = 1; *c = 0; if (b->n == 1) p = &x; return *p; /* ok */ }";
    check_with(text, Unknown::AsTested);
    check_with(&text.replace("/* ok */", "/* bad */"), Unknown::Anything);
}

#[test]
fn members_with_and_without_a_sign_are_two() {
    let text = "
struct b { int n; unsigned u; };
static void put(struct b *b) { b->u = 0; }
int called(struct b *b) { int *p = 0; b->n = 1; put(b); if (b->n) p = &x; return *p; /* ok */ }";
    check_with(text, Unknown::AsTested);
}

#[test]
fn what_is_volatile_changes_between_two_reads() {
    let text = "
struct device { volatile unsigned status; unsigned plain; int *volatile buffer; };
int reg(volatile int *reg) { int *p = &x; if (*reg == 0) p = 0; if (*reg) return *p; /* bad */ return 0; }
int kept(volatile int *reg) { int *p = &x, n = *reg; if (n == 0) p = 0; if (n) return *p; /* ok */ return 0; }
int plain(int *reg) { int *p = &x; if (*reg == 0) p = 0; if (*reg) return *p; /* ok */ return 0; }
int member(struct device *d) { int *p = &x; if (!d->status) p = 0; if (d->status) return *p; /* bad */ return 0; }
int other(struct device *d) { int *p = &x; if (!d->plain) p = 0; if (d->plain) return *p; /* ok */ return 0; }
int pointer(struct device *d) { if (d->buffer) return *d->buffer; /* bad */ return 0; }
int copied(struct device *d) {
    struct device a = *d, b = *d;
    int *p = &x;
    if (!a.status) p = 0;
    if (b.status) return *p; /* bad */
    return 0;
}
static volatile int ready;
int poll(void) { int *p = 0; while (!ready) p = &x; return *p; /* bad */ }
_Atomic int shared;
int threads(void) { int *p = &x; if (!shared) p = 0; if (shared) return *p; /* bad */ return 0; }
int local(void) { volatile int i = 0; int *p = &x; if (i) p = 0; return *p; /* ok */ }
int escaped(void (*give)(volatile int *)) {
    volatile int i = 0;
    give(&i);
    i = 0;
    int *p = &x;
    if (i) p = 0;
    return *p; /* bad */
}
int twice(void) { int *p = &x; if (ready != ready) p = 0; return *p; /* bad */ }";
    check_with(text, Unknown::AsTested);
}

#[test]
fn who_uses_a_library_calls_what_it_finds_in_it() {
    for exported in [
        "struct ops { int (*f)(void), (*g)(void); }; const struct ops ops = { use, clear };",
        "int (*find(int n))(void) { return n ? use : clear; }",
        "struct ops { int (*f)(void), (*g)(void); }; void fill(struct ops *o) { o->f = use; o->g = clear; }",
        "int (*const hooks[])(void) = { use, clear };",
    ] {
        check(&format!(
            "static int *p = &x;\nstatic int use(void) {{ return *p; }} /* bad */\n\
             static int clear(void) {{ p = 0; return 0; }}\n{exported}"
        ));
    }
    // What is only given to a function that calls it then is not called otherwise.
    check_with(
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; } /* ok */
void sort(int *v, int n) { if (v) qsort(v, n, sizeof *v, compare); }",
        Unknown::AsTested,
    );
}

#[test]
fn functions_are_called_with_as_many_arguments_as_the_caller_has() {
    check(
        "
typedef void (*visit)(void *, void *);
struct list { void *data; struct list *next; };
static void each(struct list *l, visit f, void *with) { for (; l; l = l->next) f(l->data, with); }
struct thing { int *n; };
static void release(struct thing *t) { *t->n = 0; } /* bad */
static int *config = &x;
static void clear(void) { config = 0; }
int main(int argc, char **argv) {
    struct thing t = { argc ? &x : 0 };
    struct list l = { &t, 0 };
    each(&l, (visit)release, 0);
    void (*f)(int) = (void (*)(int))clear;
    f(1);
    return *config; /* bad */
}",
    );
    check(
        "
static int zero(int *p) { return *p; } /* bad */
static int other(int *p) { return *p; } /* ok */
int main(void) { int (*f)(unsigned long) = (void *)zero; return other(&x) + f(0); }",
    );
}

#[test]
fn a_part_of_a_number_that_is_cleared_leaves_anything() {
    let program = |clear: &str, test: &str, mark: &str| {
        format!(
            "struct mixed {{ char c; int n; int m; }};
int main(int argc, char **argv) {{
    struct mixed s; s.n = 257; s.m = 257; int n = 257, *p = &x;
    {clear}
    if ({test}) p = 0;
    return *p; {mark}
}}"
        )
    };
    for (clear, test) in [
        ("memset(&n, 0, 1);", "n == 256"),
        ("memset(&n, 0, argc);", "n == 256"),
        ("memset(&s, 0, 5);", "s.n == 256"),
        ("memset((char *)&s + 9, 0, 1);", "s.m == 1"),
    ] {
        check(&program(clear, test, "/* bad */"));
    }
    for (clear, test) in [
        ("memset(&n, 0, 4);", "n != 0"),
        ("memset(&s, 0, sizeof s);", "s.n != 0"),
        ("memset(&s, 0, 8);", "s.m != 257"),
        ("memset(&s, 0, 8);", "s.n == 256"),
    ] {
        check(&program(clear, test, "/* ok */"));
    }
}

#[test]
fn assembly_may_call_what_it_is_given() {
    for (text, mark) in [("call *%0", "bad"), ("nop", "ok")] {
        check(&format!(
            "static int *p = &x; static void clear(void) {{ p = 0; }}
int main(void) {{ asm volatile(\"{text}\" : : \"r\"(clear) : \"memory\", \"rax\");
return *p; /* {mark} */ }}"
        ));
    }
}

#[test]
fn nothing_is_known_where_a_function_returns_again() {
    for (name, leave) in [("__builtin_setjmp", "__builtin_longjmp(b, 1)"), ("getcontext", "setcontext(b)")] {
        check(&format!(
            "int getcontext(void *); int setcontext(void *); static int *p = &x; static void *b[200];
static void leave(void) {{ p = 0; {leave}; }}
static int enter(void) {{ static int n; if ({name}(b) || n++) return 1; leave(); return 0; }}
int main(void) {{ enter(); return *p; /* bad */ }}"
        ));
    }
}

#[test]
fn only_zero_asks_for_null() {
    for (test, mark) in [
        ("p == (int *)-1", "ok"),
        ("(unsigned long)p >= -4095UL", "ok"),
        ("p == 0 || input()", "bad"),
        ("(unsigned long)p == 0 || input()", "bad"),
    ] {
        let text = format!(
            "int *map(void); int use(void) {{ int *p = map(); int n = 0;
if ({test}) n = 1;
return *p + n; }} /* {mark} */"
        );
        check_with(&text, Unknown::AsTested);
    }
    for test in ["(unsigned long)p", "(unsigned long)p != 0", "0 != (long)p", "!!(unsigned long)p"] {
        check(&format!("int use(int *p) {{ if ({test}) return *p; return 0; }} /* ok */"));
    }
}

#[test]
fn what_is_weak_may_not_be_there() {
    let text = "
int hook(void) __attribute__((weak)); extern int knob __attribute__((weak));
int called(void) { return hook(); } /* bad */
int asked(void) { return hook ? hook() : 0; } /* ok */
int read(void) { return knob; } /* bad */
int written(void) { if (&knob) knob = 3; return 0; } /* ok */";
    check_with(text, Unknown::AsTested);
}

#[test]
fn functions_that_are_elsewhere_know_the_variables_of_a_program() {
    for (before, call, mark) in [
        ("void elsewhere(void); int *g = &x;", "elsewhere();", "bad"),
        ("void elsewhere(void); int *g = &x; void unused(void) { elsewhere(); }", "", "ok"),
        ("void elsewhere(void); static int *g = &x;", "elsewhere();", "ok"),
        ("void elsewhere(void); static int *g = &x; int **to = &g;", "elsewhere();", "bad"),
        ("void elsewhere(void); int *g = &x; void (*f)(void) = elsewhere;", "f();", "bad"),
        ("void elsewhere(void); static int *g = &x; void clear(void) { g = 0; }", "elsewhere();", "ok"),
        ("void elsewhere(void (*)(void)); static int *g = &x; void clear(void) { g = 0; }", "elsewhere(clear);", "bad"),
        ("int puts(const char *); int *g = &x;", "puts(\"\");", "ok"),
        ("extern void (*hook)(void); int *g = &x;", "if (hook) hook();", "bad"),
        ("extern void (*hook)(void); static int *g = &x;", "if (hook) hook();", "ok"),
        ("void here(void) {} int *g = &x;", "here();", "ok"),
    ] {
        let text = format!("{before}\nint main(void) {{ {call} return *g; }} /* {mark} */");
        check_with(&text, Unknown::Anything);
    }
}

#[test]
fn addresses_that_are_computed_as_integers_may_be_any() {
    for (statements, mark) in [
        (
            "struct { int *base; long off; } a = { 0, (long)&x }; int *q = (int *)((long)a.base + a.off); p = q ? 0 : &x;",
            "bad",
        ),
        ("int n = input(), *q = &x; p = (int *)((long)q - n);", "bad"),
        ("int *q = &x; p = (int *)(long)q;", "ok"),
        ("char *q = (char *)&x; p = (int *)(q + input());", "ok"),
    ] {
        check_with(&format!("int main(void) {{ int *p; {statements}\nreturn *p; }} /* {mark} */"), Unknown::Anything);
    }
}

#[test]
fn an_element_that_was_tested_is_what_it_was() {
    let head = "void any(void); struct e { int v; struct e *kids[4]; }; struct e *a[10]; void *other(void);";
    for (body, mark) in [
        ("if (v[i]) return *v[i];", "ok"),
        ("int s = 0; for (int k = 0; k < i; k++) { if (v[k] == 0) continue; s += *v[k]; } return s;", "ok"),
        ("if (v[1] && v[2]) return *v[1] + *v[2];", "ok"),
        ("a[i] = other(); if (!a[i]) return 1; a[i]->v = i;", "ok"),
        ("a[0] = other(); if (!a[0]) return 1; a[0]->v = i;", "ok"),
        ("struct e *e = a[1]; if (e && e->kids[i]) return e->kids[i]->v;", "ok"),
        ("if (a[1] && a[1]->kids[i]) return a[1]->kids[i]->v;", "ok"),
        ("if (v[i]) { i++; return *v[i]; }", "bad"),
        ("if (v[i]) { v++; return *v[i]; }", "bad"),
        ("if (v[i]) { v[j] = 0; return *v[i]; }", "bad"),
        ("if (v[i]) { any(); return *v[i]; }", "bad"),
        ("if (v[1]) return *v[2];", "bad"),
        ("if (v[i]) return *v[j];", "bad"),
        ("if (((int **)((char *)v + 8))[i]) return *v[i];", "bad"),
        ("if (a[i]) { a[j] = 0; return a[i]->v; }", "bad"),
        ("if (a[1]) { a[i] = 0; return a[1]->v; }", "bad"),
        ("int *p = &i; if (a[i]) { *p = 3; return a[i]->v; }", "bad"),
        ("int **p = &v[1]; if (v[1]) { *p = 0; return *v[1]; }", "bad"),
        ("struct e **p = &a[i]; if (a[i]) { *p = 0; return a[i]->v; }", "bad"),
        ("if (a[i]) { memset(a, 0, sizeof a); return a[i]->v; }", "bad"),
        ("signed char c = i; if (v[c]) return *v[(unsigned char)c];", "bad"),
        ("int w[2][2] = { 1, 1, 1, 1 }, *p = &x; w[i][j] = 0; if (!w[j][i]) p = 0; return *p;", "bad"),
    ] {
        let text = format!("{head}\nint f(int **v, int i, int j) {{ if (!v) return 1;\n{body}\nreturn 0; }}");
        let marked = text.replacen("\nreturn 0; }", &format!(" /* {mark} */\nreturn 0; }}"), 1);
        check_with(&marked, Unknown::Anything);
    }
}

#[test]
fn an_array_that_is_declared_again_is_another() {
    for (declared, mark) in [("", "bad"), (" = { &x, &x }", "ok")] {
        check(&format!(
            "int main(void) {{ for (int k = 0; k < 2; k++) {{ int *a[2]{declared};
if (k == 0) {{ a[0] = 0; a[0] = &x; }}
if (input()) *a[0] = 1; /* {mark} */
}} return 0; }}"
        ));
    }
}

#[test]
fn bytes_may_be_a_number_here_and_a_pointer_there() {
    let head = "struct mixed { long n; int *p; }; struct other { int *p; long n; }; struct two { int *p, *q; };
static struct mixed s, u; static struct other t; static struct two v, w;
static void copy(char *to, const char *from, int n) { memcpy(to, from, n); }";
    for (statements, mark) in [
        ("s.p = t.p = &x; char *a = (char *)&t, *b = (char *)&s; memcpy(a, b, 16); return *t.p;", "bad"),
        ("s.p = &x; copy((char *)&s.p, (char *)&s.n, 8); return *s.p;", "bad"),
        ("v.p = v.q = w.p = w.q = &x; char *a = (char *)&v, *b = (char *)&w; memcpy(a, b, 16); return *v.p;", "ok"),
        ("s.p = u.p = &x; memcpy(&s, &u, sizeof s); return *s.p;", "ok"),
    ] {
        check(&format!("{head}\nint main(void) {{ {statements} }} /* {mark} */"));
    }
}

#[test]
fn what_a_callee_finds_out_about_memory_its_caller_knows() {
    let types = "
struct in { int n; struct out *up; };
struct out { struct in *in; int *p; int is; };
struct out *everywhere;
static int check(struct out *o) { struct in *i; if (!o) return 1; i = o->in; if (!i) return 1; return 0; }";
    for (function, mark) in [
        ("int use(struct out *o) { if (check(o)) return 1; return o->in->n; }", "ok"),
        ("int use(struct out *o) { struct in *i; if (check(o)) return 1; i = o->in; return i->n; }", "ok"),
        ("int use(struct out *o, struct out *q) { if (check(q)) return 1; return o->in->n; }", "bad"),
        ("int use(struct out *o) { if (check(o)) return 1; o->in = 0; return o->in->n; }", "bad"),
        ("int use(struct out *o, struct out *q) { if (check(o)) return 1; q->in = 0; return o->in->n; }", "bad"),
        ("int use(struct out *o, struct out *q) { if (check(o)) return 1; o = q; return o->in->n; }", "bad"),
        (
            "void other(struct out *); int use(struct out *o) { if (check(o)) return 1; other(o); return o->in->n; }",
            "bad",
        ),
        (
            "static int lost(struct out *o) { int r = check(o); if (input()) o->in = 0; return r; }
          int use(struct out *o) { if (lost(o)) return 1; return o->in->n; }",
            "bad",
        ),
        (
            "static int moved(struct out *o) { struct in *i; if (input()) o = everywhere; i = o->in; if (!i) return 1; return 0; }
          int use(struct out *o) { if (moved(o)) return 1; return o->in->n; }",
            "bad",
        ),
        (
            "static int known(void) { struct in *i = everywhere->in; return !i; }
          int use(void) { if (known()) return 1; return everywhere->in->n; }",
            "ok",
        ),
        (
            "static int known(void) { struct in *i = everywhere->in; return !i; } void other(void);
          int use(void) { if (known()) return 1; other(); return everywhere->in->n; }",
            "bad",
        ),
    ] {
        check_with(&format!("{types}\n{function} /* {mark} */"), Unknown::Anything);
    }
}

#[test]
fn nobody_knows_what_arithmetic_of_more_than_128_bits_gives() {
    check(
        "
int main(int argc, char **argv) {
    int *p = &x;
    long r;
    if (__builtin_add_overflow((__int128)argc, (__int128)1, &r)) p = 0;
    return *p; /* bad */
}",
    );
}

#[test]
fn numbers_of_128_bits_are_not_followed() {
    check(
        "
int main(int argc, char **argv) {
    int a = -1, *p = &x;
    unsigned __int128 u = a;
    if (u > 9) p = 0;
    x = *p; /* bad */
    p = &x;
    __int128 s = -1;
    if (s == -1) p = 0;
    return *p; /* bad */
}",
    );
}

#[test]
fn who_does_not_ask_relies_on_memory_of_others() {
    let text = "
struct b { int *p; struct b *next; };
int make(struct b *b) { b->p = malloc(4); if (!b->p) return 0; return *b->p; /* ok */ }
int use(struct b *b) { return *b->p; /* ok */ }
int asks(struct b *b) { if (b->p) y = 1; return *b->p; /* bad */ }
int asks_a_copy(struct b *b) { int *q = b->p; if (q) y = 1; return *b->p; /* bad */ }
int through(struct b *b) { return *b->next->p; /* ok */ }
static struct b own;
static int look(struct b *b) { return *b->p; /* bad */ }
int both(struct b *b) { return look(b) + look(&own); }";
    check_with(text, Unknown::AsTested);
    check_with(&text.replacen("/* ok */", "", 1).replace("/* ok */", "/* bad */"), Unknown::Anything);
    let analysis = shipped_analysis("null");
    let found = sites(
        &analysis,
        "struct b { int *p; };\nint use(struct b *b) { return *b->p; }",
        Unknown::AsTested,
        Precision::Path,
    );
    let assumed: Vec<&String> = found.iter().flat_map(|(site, _)| &site.assumes).collect();
    assert!(assumed.iter().any(|assumed| *assumed == "b.p != NULL where use() reads it"), "{assumed:?}");
}

#[test]
fn what_a_function_has_spoilt_it_knows() {
    let text = "
struct b { int *p; };
static void drop(struct b *b) { b->p = 0; }
int after(struct b *b) { drop(b); return *b->p; /* bad */ }
static void fill(struct b *b) { b->p = malloc(4); }
int unchecked(struct b *b) { fill(b); return *b->p; /* bad */ }
int cleared(struct b *b, size_t n) { memset(b, 0, n); return *b->p; /* bad */ }
struct c { struct b *b; };
static int inner(struct c *c) { return *c->b->p; /* bad */ }
int outer(struct c *c) { c->b->p = 0; return inner(c); }
struct d { int *p; };
static void move(struct d *d, struct d *from) { d->p = from->p; }
int moved(struct d *d, struct d *from) { move(d, from); return *d->p; /* ok */ }";
    check_with(text, Unknown::AsTested);
}

#[test]
fn what_others_compare_may_be_anything_to_them() {
    let text = "
struct b { int *p; int *q; int *r; };
static int log(int *p) { int *none = 0; if (!p) return *none; /* bad */ return *p; /* ok */ }
int give(struct b *b) { return log(b->p) + *b->p; /* ok */ }
static int *get(struct b *b) { return b->q; }
int got(struct b *b) { int *none = 0; if (!get(b)) return *none; /* bad */ return 0; }
static int *last = &x;
void keep(struct b *b) { last = b->r; }
int kept(void) { int *none = 0; if (!last) return *none; /* bad */ return 0; }
static int is(int *p) { return p != 0; }
int given(int *p) { is(p); return *p; /* ok */ }
static int same(struct b *b) { int *none = 0; if (!b->p) return *none; /* bad */ return 0; }
int remembered(struct b *b) { int n = *b->p; /* ok */ return same(b) + *b->p; /* ok */ }";
    check_with(text, Unknown::AsTested);
}

#[test]
fn only_what_is_compared_is_tested() {
    let text = "
char *strrchr(const char *, int);
int base(char **v) { char *p = strrchr(v[0], '/'); p = p ? p + 1 : v[0]; return *p; /* ok */ }
int kept(char *q) { char *p = q; if (p) p = 0; p = q; return *p; /* bad */ }
int other(char *q, char *r) { char *p = q; if (!p) return 0; p = r; return *p + *q; /* ok */ }
int loop(char *q, char *r) { char *p = q; while (p) p = r; return *q; /* bad */ }
int branch(char *q, char *r, int n) { char *p; if (n) p = q; else p = r; if (!p) n = 1; return *q; /* bad */ }";
    check_with(text, Unknown::AsTested);
}

#[test]
fn who_compares_with_what_may_be_null_asks_for_null() {
    let text = "
int end(char *p, char *e) { int n = 0; while (p != e) n += *p++; return n; /* ok */ }
int null(char *q) { char *e = 0; if (q == e) return 0; return *q; /* ok */ }
int unasked(char *q) { char *e = 0; int n = 0; if (q == e) n = 1; return *q + n; /* bad */ }
static int given(char *q, char *e) { int n = 0; if (q == e) n = 1; return *q + n; /* bad */ }
int gives(char *q) { return given(q, 0); }";
    check_with(text, Unknown::AsTested);
}

#[test]
fn the_arguments_of_the_program_are_in_an_array_of_their_own() {
    let text = "
struct option { int *flag; }; extern void see(struct option *); extern void take(char **);
static struct option table[1];
static int first(char **words) { return words[0][0]; /* ok */ }
int main(int argc, char **argv) {
    see(table);
    x = first(argv);
    x = argv[argc - 1][0]; /* ok */
    argv[1] = 0;
    if (argc > 5) x = argv[2][0]; /* bad */
    return 0;
}";
    check_with(text, Unknown::AsTested);
    check_with(&text.replace("/* ok */", "/* bad */"), Unknown::Anything);
    let given = text.replace("see(table);", "take(argv); char *p = 0; take(&p); ");
    check_with(&given.replace("/* ok */", ""), Unknown::AsTested);
    let tested = "int main(int argc, char **argv) { while (*argv) argv++; return **argv; /* bad */ }";
    check_with(tested, Unknown::AsTested);
}

#[test]
fn there_is_always_an_array_of_arguments() {
    check("int main(int argc, char **argv) { return argv[0] == 0; /* ok */ }");
    check(
        "static int again(char **argv) { return argv[0] == 0; /* bad */ }
int main(int argc, char **argv) { if (argc > 9) return again(0); return argc ? main(argc - 1, argv) : 0; }",
    );
    check_pessimistically(
        "extern void call(int (*)(int, char **));
int main(int argc, char **argv) { call(main); return argv[0] == 0; /* bad */ }",
    );
}

#[test]
fn what_was_not_written_may_be_anything_to_who_assumes_nothing() {
    for (body, mark) in [
        ("int *a[2]; a[1] = &x; return *a[0];", "bad"),
        ("int *a[2] = { &x, &x }; a[1] = &y; return *a[0];", "ok"),
        ("int **v = malloc(2 * sizeof *v); if (!v) return 1; v[1] = &x; return *v[0];", "bad"),
        ("struct s *s = malloc(sizeof *s); if (!s) return 1; s->f = &x; s++; return *s->f;", "bad"),
        ("int n[2], *p = &x; n[1] = 1; if (!n[0]) p = 0; return *p;", "bad"),
        ("int n[2] = { 1, 1 }, *p = &x; n[1] = 1; if (!n[0]) p = 0; return *p;", "ok"),
    ] {
        check_with(&format!("int main(void) {{ {body} /* {mark} */ }}"), Unknown::Anything);
    }
    // A pointer is taken to have been written, and the place says so.
    let text = "int x; int main(void) { int *a[2]; a[1] = &x; return *a[0]; }";
    let analysis = shipped_analysis("null");
    let found = sites(&analysis, text, Unknown::AsTested, Precision::Path);
    let [(site, said)] = &found[..] else { panic!("one place") };
    assert_eq!((*said, &site.assumes[..]), (Said::Safe, &["a != NULL until it is written".to_owned()][..]));
}

#[test]
fn callers_have_pointers_into_unions() {
    let head = "struct in { long n; }; struct pair { int *p, *q; };
union u { int *p; long n; double d; struct in in; char *c; struct pair pair; }; struct o { union u u; int *other; };";
    for (function, mark) in [
        ("int f(struct o *a, long *b) { a->u.p = &x; *b = 0; return *a->u.p; }", "bad"),
        ("int f(struct o *a, unsigned long *b) { a->u.p = &x; *b = 0; return *a->u.p; }", "bad"),
        ("int f(struct o *a, double *b) { a->u.p = &x; *b = 0; return *a->u.p; }", "bad"),
        ("int f(struct o *a, struct in *b) { a->u.p = &x; b->n = 0; return *a->u.p; }", "bad"),
        ("int f(struct o *a, long *b) { a->u.pair.p = &x; *b = 0; return *a->u.pair.p; }", "bad"),
        ("int f(struct o *a, int **b) { *b = &x; a->u.n = 0; return **b; }", "bad"),
        (
            "static void put(long *b) { *b = 0; } int f(struct o *a, long *b) { a->u.p = &x; put(b); return *a->u.p; }",
            "bad",
        ),
        ("int f(struct o *a, long *b) { a->u.p = &x; memset(b, 0, sizeof *b); return *a->u.p; }", "bad"),
        ("int f(struct o *a, long *b) { a->other = &x; *b = 0; return *a->other; }", "ok"),
        ("int f(struct o *a, short *b) { a->u.p = &x; *b = 0; return *a->u.p; }", "ok"),
        ("struct far { short s; }; int f(struct o *a, struct far *b) { a->u.p = &x; b->s = 0; return *a->u.p; }", "ok"),
    ] {
        check_with(&format!("{head}\n{function} /* {mark} */"), Unknown::AsTested);
    }
}
