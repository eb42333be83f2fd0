//! Random programs about a few records and pointers to them that are often the same: a member is tested, then something
//! happens to it by another name or in a function that is called, then it is followed.
//!
//! Few pointers to records are ever null, and coins are tossed once, so that runs come far and code outside has no part
//! in it. A loop or a call takes fuel, so that runs end.

use super::patterns::{Grammar, Table, texts};
use proptest::prelude::Strategy;

/// The texts of such programs. They call `malloc`, `calloc`, `realloc`, `memset`, `memcpy`, `memmove`, `exit` and
/// `nondet_int`, which has no body and returns anything.
pub fn aliasing_programs() -> impl Strategy<Value = String> {
    texts(&GRAMMAR, 7)
}

static GRAMMAR: Grammar = Grammar {
    head,
    function: ("static void ", "(struct rec *s, int **o, struct rec **out)"),
    locals: LOCALS,
    end: "}\n",
    main: MAIN,
    tables: TABLES,
    patterns: PATTERNS,
};

/// Variables that other files may see, or not, and so many of them that they are not told apart.
fn head(choice: usize) -> String {
    let keyword = if choice % 3 == 2 { "" } else { "static " };
    let many: String = (0..50).map(|number| format!("{}*m{number}", if number == 0 { "" } else { ", " })).collect();
    let many = if choice % 6 == 5 { format!("int {many};\n") } else { String::new() };
    format!("{TYPES}{many}{}{HELPERS}", GLOBALS.replace("static ", keyword))
}

const TYPES: &str = "\
void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void *realloc(void *, unsigned long);
void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long); void exit(int); int nondet_int(void);
struct in { int *f, *g; };
struct rec {
    struct in in; int *a[2]; union { int *p; long n; } u; struct rec *next; unsigned char c;
    int tag; unsigned has : 1, kind : 3; int neg : 1, low : 2;
};
struct tagged { int tag; union { int *p; long n; int i; char b[8]; } u; };
";

const GLOBALS: &str = "\
static int x, fuel = 30, bits;
static struct rec ga = { { &x, &x }, { &x, &x }, .next = &ga, .has = 1, .kind = 5, .low = -1 };
static struct rec gb = { { 0, &x }, { &x, &x }, .next = &ga, .tag = 1, .u.p = &x, .neg = -1 };
static struct tagged gt = { 1, { &x } };
static const struct in table[3] = { { &x, &x }, { &x, 0 }, { 0, 0 } }, pair = { &x, 0 };
static int *const ends[2] = { &x, 0 };
static struct rec *gr = &ga;
static int *gp = &x, **gpp = &gp;
";

const HELPERS: &str = "\
static struct rec make(int *p, int n) { struct rec r = { { p } }; r.next = &ga; if (n) r.in.g = r.a[1] = &x; return r; }
static struct rec same(struct rec r, int n) { if (n) r.in.f = 0; else r.a[0] = &x; return r; }
static void set(int **p, int *value, int n) { if (n) *p = value; }
static void get(struct rec **p, int n) { *p = n ? &ga : &gb; }
static int *pick(struct rec r, int n) { if (n) return r.a[n & 1]; if (r.in.g) *r.in.g = 1; return r.in.f; }
static void leaf(struct rec *s, int **o, struct rec **out) { if (s->in.f) *o = 0; *out = s; }
static void relay(struct rec *r, int n) { set(&r->in.f, 0, n); }
static void deep(int **o, int n) { int *t = &x; if (n > 0) { t = *o; deep(&t, n - 1); if (bits & 64) *t = 1; } }
static void set_next(struct rec *r, struct rec *n) { r->next = n; }
static int is_set(struct rec *r) { return r->in.f != 0; }
static void mark(struct rec *r, int *p) { r->in.f = p; r->has = p != 0; r->kind = 9; }
static struct tagged tagged(int *p, long n, int is_pointer) {
    struct tagged t; if (is_pointer) { t.tag = 1; t.u.p = p; } else { t.tag = 0; t.u.n = n; } return t;
}
static void untag(struct tagged *t, int n) { if (n) { t->tag = 0; t->u.n = 0; } }
static int count(const struct in *t) { int n = 0; for (; t->f; t++) n += *t->f; return n; }
";

const LOCALS: &str = "    int i = 0, n = 0, *v = &x, **pp = &v;
    struct rec la = *s, *p = &la, *q = s, *h = gr, **rr = &q, *ps[2] = { s, gr };
    struct tagged lt = gt, *tp = &lt; long w = 0; unsigned char c = 0; signed char sc = 0;
    void (*call)(struct rec *, int **, struct rec **) = 0;
";

const MAIN: &str = "\
int main(void) {
    struct rec *r = &gb;
    bits = nondet_int() & 255;
    bits ^= nondet_int() & 255;
    f0(&ga, &gb.in.f, &r);
    return 0;
}
";

const TABLES: &[Table] = &[
    Table { letter: 'R', rows: RECORDS, used: 3 },
    Table { letter: 'M', rows: MEMBERS, used: 2 },
    Table { letter: 'X', rows: &[("ga", ""), ("gb", ""), ("la", ""), ("(*h)", "")], used: 2 },
    Table { letter: 'L', rows: &[("p", ""), ("q", ""), ("h", "")], used: 2 },
    Table { letter: 'V', rows: &[("v", ""), ("gp", ""), ("*pp", ""), ("*o", ""), ("*gpp", "")], used: 3 },
    Table { letter: 'O', rows: &[("pp", ""), ("o", ""), ("gpp", "")], used: 2 },
    Table { letter: 'N', rows: &[("n", ""), ("c", ""), ("sc", ""), ("p->c", ""), ("s->c", "")], used: 2 },
    Table { letter: 'C', rows: &[("0", ""), ("1", ""), ("255", ""), ("-1", ""), ("127", "")], used: 2 },
    Table { letter: 'I', rows: COINS, used: 4 },
];
/// Pointers to records.
const RECORDS: &[(&str, &str)] = &[
    ("p", ""),
    ("q", ""),
    ("s", ""),
    ("gr", ""),
    ("h", ""),
    ("(*rr)", ""),
    ("(*out)", ""),
    ("p->next", "p->next"),
    ("s->next", "s->next"),
    ("q->next->next", "q->next && q->next->next"),
    ("ps[0]", ""),
    ("ps[i & 1]", ""),
    ("ps[1]->next", "ps[1]->next"),
];
/// Members that hold a pointer.
const MEMBERS: &[(&str, &str)] =
    &[("in.f", ""), ("in.f", ""), ("in.g", ""), ("u.p", ""), ("a[0]", ""), ("a[i & 1]", "")];
const COINS: &[(&str, &str)] =
    &[("bits & 1", ""), ("bits & 2", ""), ("bits & 4", ""), ("bits & 8", ""), ("bits & 16", ""), ("bits & 32", "")];

const PATTERNS: &[(u32, &str)] = &[
    // A test, something in between, a dereference.
    (20, "if (@R->@M) { {} if (@I) *@1->@2 = 1; }"),
    (12, "if (@R->@M) { {} *@1->@2 = 1; }"),
    (6, "if (@X.@M) { {} *@1.@2 = 1; }"),
    (4, "if (@V) { {} *@1 = 1; }"),
    (3, "{ @N = @R->@M != 0; {} if (@1) *@2->@3 = 1; }"),
    (3, "if (!@R->@M) @1->@2 = &x; else { {} }"),
    (3, "if (@R == @R) { {} *@1->@M = 1; }"),
    (2, "if (is_set(@R)) { {} *@1->in.f = 1; }"),
    (3, "if (@R->@M && @I) *@1->@2 = 1;"),
    // The same with what is in between, where it would seldom come together by chance.
    (4, "{ int **t = &@R->@M; if (@R->@2) { *t = 0; if (@I) *@3->@2 = 1; } }"),
    (3, "{ struct rec **t = @I ? &@L : &@L; if (@R->@M) { *t = @4; if (@I) *@2->@5 = 1; } }"),
    (3, "if (@R->@M) { long t = 0; memcpy(&@R->@2, &t, sizeof t); if (@I) *@1->@2 = 1; }"),
    (2, "if (@R->in.g) { memset(&@R->in.f, 0, 2 * sizeof(int *)); if (@I) *@1->in.g = 1; }"),
    (3, "if (@R->in.f) { relay(@R, @I); if (@I) *@1->in.f = 1; }"),
    (3, "if (@R->@M) { get(&@1, @I); if (@I) *@1->@2 = 1; }"),
    (2, "if (@R->u.p) { @R->u.n = 0; if (@I) *@1->u.p = 1; }"),
    (
        2,
        "{ struct rec **t = @I ? &p : &q; p = &gb; if (s->in.f) { *t = s; if (@I) *p->in.f = 1; else *p->in.f = 2; } }",
    ),
    (2, "if (@V && @I) *@1 = 1;"),
    // Behind a pointer in memory, which may be another one then.
    (6, "if (@R->next && @1->next->@M) { {} if (@1->next && @I) *@1->next->@2 = 1; }"),
    (
        6,
        "{ static struct rec t; t = ga; t.@M = 0; if (@R->next && @2->next->@1) { @R->next = &t; if (@I) *@2->next->@1 = 1; } }",
    ),
    (
        3,
        "{ static struct rec t; t = ga; t.@M = 0; if (@R->next && @2->next->@1) { set_next(@R, &t); if (@I) *@2->next->@1 = 1; } }",
    ),
    (3, "if (@R->next && @1->next->@M) { get(&@R->next, @I); if (@I) *@1->next->@2 = 1; }"),
    // Flags that are a few bits.
    (5, "{ @R->has = @1->@M != 0; {} if (@1->has && @I) *@1->@2 = 1; }"),
    (4, "{ @X.has = @1.@M != 0; {} if (@1.has && @I) *@1.@2 = 1; }"),
    (3, "{ @R->neg = @1->@M != 0; @R->low = @C; if (@1->neg == @C) *@1->@2 = 1; }"),
    (3, "{ @X.low = @C; if (@1.low == @C) @X.@M = 0; if (@1.low > @C) *@4.@5 = 1; }"),
    (3, "mark(@R, @V); if (@R->has && @I) *@3->in.f = 1;"),
    (2, "@R->has = @R->@M != 0;"),
    (2, "if (@R->has && @I) *@R->@M = 1;"),
    (2, "@R->kind = @C;"),
    (2, "@X.kind = @C;"),
    (2, "if (@R->kind == @C) @R->@M = 0;"),
    (2, "if (@R->neg == @C && @I) *@R->@M = 1;"),
    (2, "@N = @R->low; @R->kind++; @R->low = @1;"),
    (
        3,
        "{ union { unsigned raw; struct { unsigned a : 1, b : 2; } s; } t, *w = &t; int *z = @V; t.raw = @C; t.s.a = @I; if (@I) w->s.b = @C; if (t.raw == 1 || w->s.b == 3) z = 0; if (t.s.a && @I) *z = 1; }",
    ),
    // What a tag says of a union.
    (5, "lt = tagged(@V, @C, @I); {} if (@I) untag(tp, @I); if (lt.tag == 1 && @I) *lt.u.p = 1;"),
    (3, "lt = gt; if (@I) gt.u.n = 0; if (lt.tag && @I) *lt.u.p = 1; if (tp->u.p && @I) *lt.u.p = 1;"),
    (3, "gt = lt; if (@I) gt.tag = 1; if (gt.tag && @I) *gt.u.p = 1;"),
    (3, "if (lt.u.p) { if (@I) tp->u.n = 0; if (@I) lt.u.b[@N & 7] = 0; if (@I) *lt.u.p = 1; }"),
    (3, "lt.u.p = @V; if (!tp->u.n) lt.u.p = &x; if (@I) lt.u.i = 0; if (@I) *lt.u.p = 1;"),
    (
        2,
        "tp = @I ? &lt : &gt; tp->tag = 1; tp->u.p = @V; if (lt.tag && @I) *lt.u.p = 1; if (tp->tag && @I) *tp->u.p = 1;",
    ),
    (2, "memset(&@R->u, 0, 8); memcpy(&lt.u, &@R->u, 8); if (lt.u.p && @I) *lt.u.p = 1;"),
    (2, "@R->tag = 1; @1->u.p = @V;"),
    (2, "@R->tag = 0; @1->u.n = @C;"),
    (4, "if (@R->tag == 1) { {} if (@I) *@1->u.p = 1; }"),
    (3, "if (@X.tag == 1) { {} if (@I) *@1.u.p = 1; }"),
    // Tables that nobody can write.
    (3, "@V = table[@N & 1].f; if (@I) *@1 = 1;"),
    (3, "@V = ends[@I ? 1 : 0]; if (@I) *@1 = 1;"),
    (2, "if (@I) *table[@N & 1].g = 1;"),
    (2, "if (table[i & 1].g && @I) *table[i & 1].g = 1;"),
    (2, "{ const struct in *t = @I ? &pair : table; *t->f = 1; {} if (t->g && @I) *t->g = 2; if (@I) *t->g = 3; }"),
    (2, "@R->in = @I ? pair : table[@N & 1];"),
    (1, "@N = count(table);"),
    // Stores by one name or another.
    (6, "@R->@M = 0;"),
    (5, "@R->@M = &x;"),
    (5, "@R->@M = @R->@M;"),
    (3, "@X.@M = 0;"),
    (3, "@X.@M = &x;"),
    (3, "@V = @R->@M;"),
    (3, "@R->@M = @V;"),
    (3, "@V = 0;"),
    (2, "@V = &x;"),
    (4, "pp = &@R->@M;"),
    (3, "pp = @I ? &@R->@M : &@R->@M;"),
    (2, "@O = @O;"),
    (1, "gpp = &@V;"),
    (2, "{ int *t = @R->@M; {} @1->@2 = t; }"),
    (4, "{ int **t = &@R->@M; {} *t = 0; }"),
    (2, "{ struct in *t = &@R->in; {} t->f = t->g = 0; }"),
    // Pointers that come to be the same.
    (5, "@R = @R;"),
    (2, "@R = &@X;"),
    (2, "@R = @R->next; if (!@1) @1 = s;"),
    (2, "@R->next = @R;"),
    (2, "rr = &@L;"),
    (1, "rr = out;"),
    (2, "{ struct rec *t = @R; @1 = @R; @2 = t; }"),
    (2, "@R = @I ? @R : @R;"),
    (2, "get(&@R, @I);"),
    // Whole records.
    (4, "*@R = *@R;"),
    (2, "@X = *@R;"),
    (2, "*@R = make(@V, @I);"),
    (2, "*@R = same(*@R, @I);"),
    (2, "@X = same(@X, @I);"),
    (2, "@R->in = @R->in;"),
    (3, "@V = pick(*@R, @I);"),
    (1, "@V = pick(@X, @I);"),
    // Calls.
    (5, "@G(@R, &@R->@M, out);"),
    (3, "@G(&la, @O, &@R);"),
    (1, "if (fuel-- > 0) @F(@R, &@R->@M, out);"),
    (1, "if (fuel-- > 0) @F(&la, @O, &@R);"),
    (3, "set(&@R->@M, 0, @I);"),
    (2, "set(@O, @V, @I);"),
    (3, "deep(@O, 2);"),
    (2, "call = @I ? @G : 0; if (call) call(@R, @O, rr);"),
    (2, "call = @I ? @G : leaf; call(@R, &@3->@M, &@L);"),
    // Bytes.
    (1, "memset(@R, 0, sizeof(struct rec)); @1->next = &ga;"),
    (2, "memset(&@R->@M, 0, sizeof(int *));"),
    (2, "memset(&@R->@M, n, sizeof(int *));"),
    (2, "{ long t = 0; memcpy(&@R->@M, &t, sizeof t); }"),
    (1, "memset(&@R->in.f, 0, 2 * sizeof(int *));"),
    (1, "memset(&@R->in, 0, sizeof(struct in));"),
    (2, "memmove(@R, @R, sizeof(struct rec));"),
    (1, "memmove(@R, @R, sizeof(struct in));"),
    (2, "memmove(&@R->@M, &@R->@M, sizeof(int *));"),
    (2, "{ int *t[2] = { &x, &x }, *u[2] = { @V, 0 }; memcpy(t, u, sizeof t); if (@I) *t[1] = 1; }"),
    (1, "memcpy(&@V, &@R->@M, sizeof(int *));"),
    (2, "@R->u.n = 0;"),
    (1, "@R->u.n = (long)@V;"),
    (1, "*(long *)&@R->@M = 0;"),
    (2, "for (i = 0; i < 8; i++) ((char *)&@R->@M)[i] = 0;"),
    (1, "w = (long)@R->@M;"),
    (1, "@R->@M = (int *)w;"),
    (1, "@R->@M = (int *)(long)@N;"),
    // The heap.
    (2, "h = malloc(sizeof *h); if (!h) exit(1); *h = *@R;"),
    (2, "@L = calloc(1, sizeof *h); if (!@1) exit(1); @1->next = gr;"),
    (2, "{ struct rec *t = malloc(sizeof *t); if (!t) exit(1); *t = *@R; t->next = @R; @2 = t; }"),
    (
        2,
        "{ int **t = malloc(8), **u; if (!t) exit(1); *t = @I ? &x : 0; u = realloc(t, 16); if (!u) exit(1); u[1] = &x; *u[0] = 1; }",
    ),
    (
        2,
        "{ int **t = calloc(2, 8), **u = malloc(8); if (!t || !u) exit(1); t[0] = &x; u[0] = &x; if (@I) *t[1] = *u[0]; }",
    ),
    (
        2,
        "for (i = 0; i < 3; i++) { h = malloc(sizeof *h); if (!h) exit(1); *h = ga; h->@M = i ? &x : 0; if (@I) @R = h; }",
    ),
    // Statics.
    (2, "{ static struct rec *last = &ga; last->@M = 0; last = @R; }"),
    (1, "{ static struct rec kept; @R = &kept; if (!kept.next) { kept = *s; kept.next = s; } }"),
    (1, "{ static int *kept; if (@I && kept) *kept = 1; kept = @R->@M; {} if (kept) *kept = 1; }"),
    // Numbers.
    (2, "@N = @C;"),
    (2, "@N += @C;"),
    (1, "@N--;"),
    (2, "if (@N == @C) @R->@M = 0;"),
    (2, "if (@N > @C) *@R->@M = 1;"),
    (2, "if (@N == @C) *@R->@M = 1;"),
    // Ways.
    (3, "if (@I) { {} }"),
    (2, "while (fuel-- > 0 && @I) { {} }"),
    (2, "for (i = 0; i < 2 && fuel-- > 0; i++) { {} }"),
    (1, "do { {} } while (fuel-- > 0 && @R->@M);"),
    (1, "if (@I) return;"),
];
