//! Random programs about locks that go by many names: variables, members, elements, on the heap and in memory of the
//! caller.
//!
//! The locks are `struct mutex`, and the functions `mutex_lock` and `mutex_unlock` look whether what they are given is
//! held: where it is not as it must be they follow a null pointer. Coins are tossed once; a loop or a call takes fuel, so
//! that runs end.

use super::patterns::{Grammar, Table, texts};
use proptest::prelude::Strategy;

/// What the functions that lock are in a program that is run.
pub const LOCKING: [&str; 2] = [
    "void mutex_lock(struct mutex *m) { if (m->held) *(int *)0 = 1; m->held = 1; }",
    "void mutex_unlock(struct mutex *m) { if (!m->held) *(int *)0 = 1; m->held = 0; }",
];

/// The texts of such programs. Each line of [`LOCKING`] is in it, and could be a declaration instead.
pub fn locking_programs() -> impl Strategy<Value = String> {
    texts(&GRAMMAR, 8)
}

static GRAMMAR: Grammar = Grammar {
    head,
    function: ("static void ", "(struct dev *d, struct mutex *l, struct mutex **out)"),
    locals: LOCALS,
    end: "}\n",
    main: MAIN,
    tables: TABLES,
    patterns: PATTERNS,
};

/// Variables that other files may see, or not.
fn head(choice: usize) -> String {
    let keyword = if choice % 3 == 2 { "" } else { "static " };
    format!("{TYPES}{}\n{}\n{}{HELPERS}", LOCKING[0], LOCKING[1], GLOBALS.replace("static ", keyword))
}

const TYPES: &str = "\
void *calloc(unsigned long, unsigned long); void exit(int); int nondet_int(void);
struct mutex { int held; int wait; };
struct dev { int id; struct mutex m, n; struct dev *next; struct mutex *other; void *own; };
struct pack { struct mutex m, row[2]; };
";

const GLOBALS: &str = "\
static int fuel = 20, bits;
static struct mutex ga, gb, row[3];
static struct dev gd, ge, devs[2];
static struct pack ka, kb, *gk = &ka;
static union { struct mutex one, two[2]; } gu;
static struct dev *gp = &gd;
static struct mutex *gm = &ga, **gpp = &gm;
";

const HELPERS: &str = "\
static void take(struct dev *d) { mutex_lock(&d->m); }
static void give(struct dev *d) { mutex_unlock(&d->m); }
static void both(struct mutex *a, struct mutex *b) { mutex_lock(a); if (a != b) mutex_lock(b); }
static struct mutex *pick(struct dev *d, int n) { return n ? &d->m : &d->n; }
static struct dev *owner(struct mutex *m) { return (struct dev *)((char *)m - __builtin_offsetof(struct dev, m)); }
static struct dev *make(struct dev *next) {
    struct dev *d = calloc(1, sizeof *d);
    if (!d) exit(1);
    d->next = next; d->other = &d->n;
    return d;
}
static void leaf(struct dev *d, struct mutex *l, struct mutex **out) { *out = d->other; if (l == &d->m) *out = l; }
";

const LOCALS: &str = "    int i = 0, n = 0;
    struct mutex lm = { 0, 0 }, *p = l, *q = &ga, **pp = &p;
    struct dev ld = { 0, { 0, 0 }, { 0, 0 }, d, l }, *e = d, *h = gp;
    struct pack *k = gk;
";

const MAIN: &str = "\
int main(void) {
    struct mutex *m = &gb;
    bits = nondet_int() & 255;
    gd.next = &ge; ge.next = &gd; gd.other = &ga; ge.other = &gd.n;
    devs[0].next = &devs[1]; devs[1].next = &gd; devs[0].other = &row[1]; devs[1].other = &devs[0].m;
    f0(bits & 128 ? &gd : &devs[1], bits & 64 ? &ga : &row[2], &m);
    return 0;
}
";

const TABLES: &[Table] = &[
    Table { letter: 'P', rows: LOCKS, used: 3 },
    Table { letter: 'D', rows: DEVICES, used: 2 },
    Table { letter: 'L', rows: &[("p", ""), ("q", ""), ("gm", ""), ("*pp", ""), ("*out", ""), ("*gpp", "")], used: 3 },
    Table { letter: 'E', rows: &[("e", ""), ("h", ""), ("gp", "")], used: 2 },
    Table { letter: 'I', rows: &[("bits & 1", ""), ("bits & 2", ""), ("bits & 4", ""), ("n", "")], used: 3 },
];
/// Pointers to locks.
const LOCKS: &[(&str, &str)] = &[
    ("p", ""),
    ("p", ""),
    ("q", ""),
    ("l", ""),
    ("gm", ""),
    ("*out", ""),
    ("*pp", ""),
    ("&ga", ""),
    ("&gb", ""),
    ("&lm", ""),
    ("&row[0]", ""),
    ("&row[i & 1]", ""),
    ("&d->m", ""),
    ("&e->m", ""),
    ("&e->n", ""),
    ("&h->m", ""),
    ("&gd.m", ""),
    ("&k->m", ""),
    ("&ka.m", ""),
    ("&ka.row[i & 1]", ""),
    ("(struct mutex *)((char *)k + sizeof k->m)", ""),
    ("&gu.one", ""),
    ("&gu.two[i & 1]", ""),
    ("&ld.n", ""),
    ("&devs[n & 1].m", ""),
    ("e->other", ""),
    ("d->other", ""),
    ("h->next->other", ""),
    ("pick(e, n)", ""),
];
/// Pointers to devices.
const DEVICES: &[(&str, &str)] =
    &[("d", ""), ("e", ""), ("h", ""), ("gp", ""), ("(&gd)", ""), ("(&ld)", ""), ("(&devs[1])", ""), ("e->next", "")];

const PATTERNS: &[(u32, &str)] = &[
    (14, "mutex_lock(@P);"),
    (10, "mutex_unlock(@P);"),
    (14, "{ mutex_lock(@P); {} mutex_unlock(@1); }"),
    (4, "{ struct mutex *t = @P; mutex_lock(t); {} mutex_unlock(t); }"),
    (4, "if (@I) mutex_lock(@P); {} if (@1) mutex_unlock(@2);"),
    (4, "{ take(@D); {} give(@1); }"),
    (2, "take(@D);"),
    (2, "give(@D);"),
    (3, "{ both(@P, @P); {} mutex_unlock(@1); if (@1 != @2) mutex_unlock(@2); }"),
    (3, "if (@P == @P) { mutex_lock(@1); {} mutex_unlock(@2); }"),
    (3, "if (@P != @P) { mutex_lock(@1); mutex_lock(@2); {} mutex_unlock(@2); mutex_unlock(@1); }"),
    (6, "@L = @P;"),
    (3, "@L = @I ? @P : @P;"),
    (2, "pp = &@L;"),
    (1, "gpp = &gm;"),
    (5, "@E = @D;"),
    (2, "@E = @I ? @D : @D;"),
    (2, "@E = owner(&@E->m);"),
    (2, "{ struct mutex *t = &@D->m; @E = owner(t); mutex_lock(&@2->m); {} mutex_unlock(t); }"),
    (3, "@E = make(@D);"),
    (2, "{ struct dev *t = make(d), *u = make(t); mutex_lock(&t->m); mutex_lock(&u->m); {} mutex_unlock(&t->m); }"),
    (2, "@D->other = @P;"),
    (2, "@E->other = pick(@D, @I);"),
    (1, "@E->next = @D;"),
    (2, "{ p = row + 1; p++; mutex_lock(p); {} mutex_unlock(&row[2]); }"),
    (2, "for (i = 0; i < 3; i++) { mutex_lock(&row[i]); {} }"),
    (2, "for (i = 0; i < 2 && fuel-- > 0; i++) { h = make(h); mutex_lock(&h->m); {} }"),
    (5, "@G(@D, @P, out);"),
    (3, "@G(&ld, @P, &@L);"),
    (3, "if (fuel-- > 0) @F(@D, @P, &@L);"),
    (2, "if (fuel-- > 0) @F(e, &lm, out);"),
    (2, "{ long w = (long)@P; mutex_lock((struct mutex *)w); {} mutex_unlock(@1); }"),
    (2, "k = @I ? &ka : &kb;"),
    (1, "gk = k; k = @I ? gk : &kb;"),
    (2, "if (@P == &gd.m) { @E = owner(@1); {} }"),
    (2, "{ p = @I ? @P : &gd.m; if (p == &gd.m) { e = owner(p); mutex_lock(&e->n); {} } mutex_lock(p); }"),
    (3, "@D->own = calloc(1, 8); if (!@1->own) exit(1); mutex_lock(@1->own); {} if (@D->own) mutex_unlock(@2->own);"),
    (2, "if (@D->own) mutex_lock(@1->own);"),
    (2, "n = bits & 8;"),
    (1, "n = 0;"),
    (3, "if (@I) { {} }"),
    (2, "while (fuel-- > 0 && @I) { {} }"),
    (1, "if (@I) return;"),
];
