//! Random programs of tricks: bytes, unions, bit-fields, integers that wrap, pointers in integers, blocks that are
//! copied and resized.
//!
//! Much can be undefined in these programs; what a run does until then counts. A loop or a call takes fuel, so that runs
//! end.

use super::patterns::{Grammar, Table, texts};
use proptest::prelude::Strategy;

/// The texts of such programs. They call `malloc`, `calloc`, `realloc`, `memset`, `memcpy`, `memmove`, `exit` and
/// `nondet_int`, which has no body and returns anything.
pub fn tricky_programs() -> impl Strategy<Value = String> {
    texts(&GRAMMAR, 10)
}

static GRAMMAR: Grammar = Grammar {
    head: |_| HEAD.to_string(),
    function: ("static int ", "(int **pp, struct out *s, int n)"),
    locals: LOCALS,
    end: "    goto end;\nend:\n    return n;\n}\n",
    main: "int main(void) {\n    f0(&gq, &go, nondet_int());\n    return 0;\n}\n",
    tables: TABLES,
    patterns: PATTERNS,
};

const HEAD: &str = "\
void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void *realloc(void *, unsigned long);
void *memset(void *, int, unsigned long); void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long); void exit(int); int nondet_int(void);
struct in { int *a[2]; int *q; };
struct out { struct in i; int *p; unsigned char c; struct out *o; };
union word { int *p; long n; };
struct bits { unsigned one : 1; int two : 3; unsigned char c; };
static int fuel = 30, x, y, gi;
static int *gp = &x, *gq;
static struct out go = { { { &x } } };
static union word gu;
static struct bits gb;
static unsigned gun; static unsigned char guc; static signed char gsc; static short gs; static _Bool gt;
";

const LOCALS: &str = "\
    int *p = &x, *q = 0, **lpp = &p, **list = 0, i = 0;
    struct out l = { { { 0 } } }, *h = 0, *k = 0;
    struct bits b = { 0 }, *hb = 0;
    union word lu = { 0 };
    unsigned u = 0; unsigned char c = 0; signed char sc = 0; long w = 0;
";

/// Places that hold a pointer, each with what must be there for that.
const POINTERS: &[(&str, &str)] = &[
    ("p", ""),
    ("q", ""),
    ("gp", ""),
    ("gq", ""),
    ("l.p", ""),
    ("l.i.q", ""),
    ("l.i.a[0]", ""),
    ("l.i.a[1]", ""),
    ("go.p", ""),
    ("go.i.a[1]", ""),
    ("lu.p", ""),
    ("gu.p", ""),
    ("*lpp", "lpp"),
    ("*pp", "pp"),
    ("s->p", "s"),
    ("s->i.q", "s"),
    ("h->p", "h"),
    ("h->i.q", "h"),
    ("h->i.a[1]", "h"),
    ("k->p", "k"),
    ("list[0]", "list"),
    ("list[1]", "list"),
    ("h->o->p", "h && h->o"),
];
/// Places that hold a number.
const NUMBERS: &[(&str, &str)] = &[
    ("i", ""),
    ("u", ""),
    ("c", ""),
    ("sc", ""),
    ("w", ""),
    ("n", ""),
    ("gi", ""),
    ("gun", ""),
    ("guc", ""),
    ("gsc", ""),
    ("gs", ""),
    ("gt", ""),
    ("b.one", ""),
    ("b.two", ""),
    ("gb.two", ""),
    ("l.c", ""),
    ("h->c", "h"),
    ("k->c", "k"),
    ("hb->one", "hb"),
    ("hb->two", "hb"),
    ("s->c", "s"),
];
/// Pointers to records.
const RECORDS: &[(&str, &str)] = &[("&l", ""), ("&go", ""), ("s", "s"), ("h", "h"), ("k", "k"), ("h->o", "h")];
const CONSTANTS: &[(&str, &str)] = &[
    ("0", ""),
    ("1", ""),
    ("2", ""),
    ("-1", ""),
    ("3", ""),
    ("127", ""),
    ("128", ""),
    ("255", ""),
    ("256", ""),
    ("-128", ""),
    ("200", ""),
    ("7", ""),
    ("65535", ""),
    ("2147483647", ""),
    ("4294967295u", ""),
    ("-2", ""),
];
const COMPARISONS: &[(&str, &str)] = &[("==", ""), ("<", ""), (">", ""), ("!=", ""), ("<=", ""), (">=", "")];
const TYPES: &[(&str, &str)] = &[
    ("unsigned char", ""),
    ("int", ""),
    ("unsigned", ""),
    ("long", ""),
    ("signed char", ""),
    ("short", ""),
    ("_Bool", ""),
];

const TABLES: &[Table] = &[
    Table { letter: 'P', rows: POINTERS, used: 4 },
    Table { letter: 'N', rows: NUMBERS, used: 4 },
    Table { letter: 'R', rows: RECORDS, used: 6 },
    Table { letter: 'C', rows: CONSTANTS, used: 4 },
    Table { letter: '~', rows: COMPARISONS, used: 6 },
    Table { letter: 'T', rows: TYPES, used: 6 },
];

const PATTERNS: &[(u32, &str)] = &[
    (3, "@P = 0;"),
    (4, "@P = &x;"),
    (6, "@P = @P;"),
    (5, "*@P = 1;"),
    (8, "if (@N @~ @C) *@P = 1;"),
    (4, "if (@P) *@P = 1;"),
    (4, "if (@N @~ @N) *@P = 1;"),
    (3, "if (@P == @P) *@P = 1;"),
    (4, "@N = @C;"),
    (5, "@N = @N + @C;"),
    (4, "@N = @N - @C;"),
    (2, "@N++;"),
    (2, "--@N;"),
    (3, "@N = @N;"),
    (3, "@N = (@T)@N;"),
    (2, "@N = (@T)@N - @C;"),
    (2, "@N = nondet_int();"),
    (3, "@N = @P != 0;"),
    (3, "@N = @N @~ @C;"),
    (1, "@N = -@N;"),
    (1, "w = (long)@P;"),
    (1, "@P = (int *)w;"),
    (1, "@P = (int *)(long)@N;"),
    (1, "@P = (int *)(long)(@N @~ @C);"),
    (1, "lu.n = (long)@P;"),
    (1, "gu.n = 0;"),
    (1, "gu = lu;"),
    (3, "*@R = *@R;"),
    (1, "memset(@R, 0, sizeof(struct out));"),
    (1, "memset(&@P, 0, sizeof(int *));"),
    (1, "memset(&l.i, 0, sizeof l.i.a);"),
    (1, "memset(@R, @N, sizeof(struct in));"),
    (2, "memcpy(@R, @R, sizeof(struct out));"),
    (1, "memmove(&@P, &@P, sizeof(int *));"),
    (1, "memcpy(l.i.a, go.i.a, sizeof l.i.a);"),
    (1, "for (i = 0; i < 8; i++) ((char *)&@P)[i] = 0;"),
    (2, "h = calloc(1, sizeof *h);"),
    (2, "h = malloc(sizeof *h); if (h) memset(h, 0, sizeof *h);"),
    (2, "k = h;"),
    (2, "h = @R;"),
    (2, "if (h) h->o = @R;"),
    (1, "hb = calloc(1, sizeof *hb);"),
    (1, "list = calloc(2, sizeof *list);"),
    (2, "list = realloc(list, 4 * sizeof *list); if (list) list[3] = &x;"),
    (3, "lpp = &@P;"),
    (1, "lpp = pp;"),
    (5, "if (fuel-- > 0) @N = @F(&@P, @R, @N);"),
    (2, "if (fuel-- > 0) @F(lpp, h, @N);"),
    (2, "{ int (*call)(int **, struct out *, int) = @N @~ @C ? @F : 0; if (fuel-- > 0 && call) call(&@P, @R, 1); }"),
    (1, "{ int (*call)(int **, struct out *, int) = @N @~ @C ? @F : 0; if (fuel-- > 0) call(&@P, @R, 1); }"),
    (2, "{ int *t = @P; @P = @P; @P = t; }"),
    (2, "@P = @N @~ @C ? &x : 0;"),
    (2, "@P = @N @~ @C ? @P : @P;"),
    (2, "l = (struct out){ .p = @P };"),
    (1, "if (@N @~ @C) goto end;"),
    (1, "if (@P == 0) return @N;"),
    (1, "if (!@P) exit(1);"),
    (1, "{ static int *kept; if (@N) *kept = 1; kept = @P; }"),
    (5, "if (@N @~ @C) { {} }"),
    (4, "if (@P) { {} } else @P = 0;"),
    (2, "while (fuel-- > 0 && @N @~ @C) { {} }"),
    (2, "for (@N = @C; @N @~ @C && fuel-- > 0; @N++) { {} }"),
    (2, "if (@P && @N @~ @C || @P == 0) { {} }"),
    (2, "switch (@N) { case 1: @P = 0; case 255: { {} } break; case -1: *@P = 1; break; default: @P = &y; }"),
    (1, "do { {} } while (fuel-- > 0 && --@N @~ @C);"),
];
