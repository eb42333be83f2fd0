//! Random programs about memory that is written in part: structures, unions, bit-fields, arrays, blocks on the heap,
//! copies of these, and pointers to them that are handed about.
//!
//! A loop or a call takes fuel, so that runs end; what a run does until it reads what was not written counts.

use super::patterns::{Grammar, Table, texts};
use proptest::prelude::Strategy;

/// The texts of such programs. They call `malloc`, `calloc`, `realloc`, `memset`, `memcpy`, `memmove` and `nondet_int`,
/// which has no body and returns anything.
pub fn unwritten_programs() -> impl Strategy<Value = String> {
    texts(&GRAMMAR, 8)
}

static GRAMMAR: Grammar = Grammar {
    head: |_| HEAD.to_string(),
    function: ("static int ", "(int *out, struct pair *s, int n)"),
    locals: LOCALS,
    end: "end:\n    if (n == 3) return n;\n}\n",
    main: "int main(void) {\n    struct pair m;\n    int r;\n    m.a = 1;\n    f0(&r, &m, nondet_int());\n    return 0;\n}\n",
    tables: TABLES,
    patterns: PATTERNS,
};

const HEAD: &str = "\
void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void *realloc(void *, unsigned long);
void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long); int nondet_int(void);
struct pair { int a, b; };
struct line { struct pair from, to; };
union word { int n; struct pair pair; unsigned char bytes[8]; };
struct bits { unsigned low : 3, high : 5; int n; };
static int fuel = 30, g;
static struct pair gp, *kept;
static struct pair make(int n) { struct pair p; if (n) p.a = 1; p.b = 2; return p; }
static int leaf(int *out, struct pair *s, int n) { if (n > 0) *out = 1; if (s) s->b = n; return 0; }
";

const LOCALS: &str = "\
    int i, j, *p = 0, *q = &g, v[3], flag = 0;
    struct pair x, y, z[2], *h = 0, *k = &gp;
    struct line l;
    union word u;
    struct bits t;
";

/// Places that hold a number, each with what must be there for that.
const NUMBERS: &[(&str, &str)] = &[
    ("i", ""),
    ("j", ""),
    ("n", ""),
    ("x.a", ""),
    ("x.b", ""),
    ("y.a", ""),
    ("y.b", ""),
    ("l.from.b", ""),
    ("l.to.a", ""),
    ("v[0]", ""),
    ("v[2]", ""),
    ("z[0].a", ""),
    ("z[1].b", ""),
    ("u.n", ""),
    ("u.pair.b", ""),
    ("u.bytes[1]", ""),
    ("t.low", ""),
    ("t.high", ""),
    ("t.n", ""),
    ("gp.a", ""),
    ("g", ""),
    ("*p", "p"),
    ("*q", ""),
    ("*out", "out"),
    ("s->a", "s"),
    ("s->b", "s"),
    ("h->a", "h"),
    ("h->b", "h"),
    ("k->b", "k"),
];
/// Places that have an address.
const ADDRESSES: &[(&str, &str)] = &[
    ("&i", ""),
    ("&j", ""),
    ("&x.b", ""),
    ("&y.a", ""),
    ("&l.to.b", ""),
    ("&v[1]", ""),
    ("v", ""),
    ("&u.n", ""),
    ("&g", ""),
    ("p", ""),
    ("q", ""),
    ("out", "out"),
];
/// Pointers to records.
const RECORDS: &[(&str, &str)] = &[
    ("&x", ""),
    ("&y", ""),
    ("&z[1]", ""),
    ("z", ""),
    ("&l.from", ""),
    ("&l.to", ""),
    ("&u.pair", ""),
    ("&gp", ""),
    ("s", "s"),
    ("h", "h"),
    ("k", "k"),
];
const CONSTANTS: &[(&str, &str)] = &[("0", ""), ("1", ""), ("2", ""), ("-1", ""), ("3", "")];

const TABLES: &[Table] = &[
    Table { letter: 'N', rows: NUMBERS, used: 6 },
    Table { letter: 'A', rows: ADDRESSES, used: 4 },
    Table { letter: 'R', rows: RECORDS, used: 5 },
    Table { letter: 'C', rows: CONSTANTS, used: 3 },
];

const PATTERNS: &[(u32, &str)] = &[
    (8, "@N = @C;"),
    (5, "@N = @N;"),
    (3, "g = g ^ @N;"),
    (3, "if (@N == @C) { {} }"),
    (3, "if (nondet_int()) { {} } else @N = @C;"),
    (2, "flag = nondet_int() != 0; if (flag) @N = @C; if (flag) g = g ^ @1;"),
    (4, "*@R = *@R;"),
    (2, "l.from = *@R;"),
    (2, "x = l.to;"),
    (2, "u.pair = *@R;"),
    (2, "*@R = make(@C);"),
    (2, "z[@C & 1] = *@R;"),
    (1, "*@R = (struct pair){ 1 };"),
    (3, "p = @A;"),
    (2, "q = @A;"),
    (2, "k = @R;"),
    (2, "h = malloc(sizeof *h);"),
    (1, "h = calloc(1, sizeof *h);"),
    (1, "h = realloc(h, 2 * sizeof *h);"),
    (2, "memset(@R, 0, sizeof(struct pair));"),
    (2, "memset(@R, 0, sizeof(int));"),
    (2, "memset(@A, @C, sizeof(int));"),
    (2, "memcpy(@R, @R, sizeof(struct pair));"),
    (2, "memcpy(@R, @R, sizeof(int));"),
    (1, "memmove(&l, @R, nondet_int() ? sizeof(int) : sizeof(struct pair));"),
    (2, "memcpy(@A, @A, sizeof(int));"),
    (1, "((char *)@R)[@C & 3] = 0;"),
    (1, "for (g = 0; g < 4; g++) ((char *)@A)[g] = 0;"),
    (2, "kept = @R;"),
    (1, "if (kept && fuel > 25) @N = kept->a;"),
    (5, "if (fuel-- > 0) @N = @F(@A, @R, @C);"),
    (3, "if (fuel-- > 0) @F(&i, &x, @C);"),
    (3, "if (fuel-- > 0) @G(@A, 0, @C);"),
    (2, "{ int (*call)(int *, struct pair *, int) = n > 1 ? @F : leaf; if (fuel-- > 0) call(@A, @R, 1); }"),
    (2, "{ int w; if (@N) w = 1; @N = w; }"),
    (2, "while (fuel-- > 0 && nondet_int()) { {} }"),
    (1, "if (n == @C) goto end;"),
    (1, "if (n == @C) return @N;"),
    (1, "switch (n) { case 1: @N = 1; case 2: { {} } break; default: @N = 2; }"),
];
