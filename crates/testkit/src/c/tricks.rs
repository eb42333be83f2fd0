//! Random programs of tricks: bytes, unions, bit-fields, integers that wrap, pointers in integers, blocks that are
//! copied and resized.
//!
//! A statement is a pattern with holes and numbers that say what to put in. Much can be undefined in these programs;
//! what a run does until then counts. A loop or a call takes fuel, so that runs end.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any};
use proptest::prop_oneof;

/// The texts of such programs. They call `malloc`, `calloc`, `realloc`, `memset`, `memcpy`, `memmove`, `exit` and
/// `nondet_int`, which has no body and returns anything.
pub fn tricky_programs() -> impl Strategy<Value = String> {
    let few = |all: usize| vec(0..all, 3..6);
    let swarm = (vec(pattern(), 6..12), few(POINTERS.len()), few(NUMBERS.len()), few(CONSTANTS.len()));
    let swarm =
        swarm.prop_map(|(patterns, pointers, numbers, constants)| Swarm { patterns, pointers, numbers, constants });
    (swarm, vec(vec(statement(2), 1..10), 1..4)).prop_map(|(swarm, functions)| render(&swarm, &functions))
}

/// What a program is made of. With all patterns and places, statements would seldom have to do with each other.
#[derive(Clone, Debug)]
struct Swarm {
    patterns: Vec<usize>,
    pointers: Vec<usize>,
    numbers: Vec<usize>,
    constants: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Statement {
    pattern: usize,
    choices: [usize; 4],
    inside: Vec<Statement>,
}

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
const CONSTANTS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "3",
    "127",
    "128",
    "255",
    "256",
    "-128",
    "200",
    "7",
    "65535",
    "2147483647",
    "4294967295u",
    "-2",
];
const COMPARISONS: &[&str] = &["==", "<", ">", "!=", "<=", ">="];
const TYPES: &[&str] = &["unsigned char", "int", "unsigned", "long", "signed char", "short", "_Bool"];

/// Holes: `P` a pointer, `N` a number, `R` a pointer to a record, `C` a constant, `~` a comparison, `T` a type, `F` a
/// function, `{}` statements.
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

fn pattern() -> impl Strategy<Value = usize> {
    let total: u32 = PATTERNS.iter().map(|(weight, _)| weight).sum();
    (0..total).prop_map(|mut number| {
        let is_it = |&(weight, _): &(u32, &str)| {
            let is_it = number < weight;
            number = number.saturating_sub(weight);
            is_it
        };
        PATTERNS.iter().position(is_it).expect("the number is below the sum of all weights")
    })
}

fn statement(nesting: usize) -> BoxedStrategy<Statement> {
    let choice = prop_oneof![0..6usize, any::<u8>().prop_map(usize::from)];
    let inside = if nesting == 0 { Just(Vec::new()).boxed() } else { vec(statement(nesting - 1), 1..4).boxed() };
    let choices = [choice.clone(), choice.clone(), choice.clone(), choice];
    (0..60usize, choices, inside).prop_map(|(pattern, choices, inside)| Statement { pattern, choices, inside }).boxed()
}

fn render(swarm: &Swarm, functions: &[Vec<Statement>]) -> String {
    let mut text = HEAD.to_string();
    for function in 0..functions.len() {
        text += &format!("static int f{function}(int **pp, struct out *s, int n);\n");
    }
    for (function, body) in functions.iter().enumerate() {
        text += &format!("static int f{function}(int **pp, struct out *s, int n) {{\n{LOCALS}");
        for statement in body {
            line(swarm, statement, functions.len(), 1, &mut text);
        }
        text += "    goto end;\nend:\n    return n;\n}\n";
    }
    text + "int main(void) {\n    f0(&gq, &go, nondet_int());\n    return 0;\n}\n"
}

/// A statement, with what must be there for it before it.
fn line(swarm: &Swarm, statement: &Statement, functions: usize, depth: usize, text: &mut String) {
    let mut written = String::new();
    let mut guards: Vec<&str> = Vec::new();
    let mut holes = 0;
    let (_, pattern) = PATTERNS[swarm.patterns[statement.pattern % swarm.patterns.len()]];
    let mut rest = pattern;
    while let Some(at) = rest.find('@') {
        written += &rest[..at];
        let choice = statement.choices[holes % 4] + holes / 4 * 5;
        holes += 1;
        let mut guarded = |table: &[(&'static str, &'static str)], few: &[usize]| {
            let (place, guard) = table[few[choice % few.len()]];
            if !guard.is_empty() && !guards.contains(&guard) {
                guards.push(guard);
            }
            place.to_string()
        };
        written += &match &rest[at + 1..at + 2] {
            "P" => guarded(POINTERS, &swarm.pointers),
            "N" => guarded(NUMBERS, &swarm.numbers),
            "R" => guarded(RECORDS, &[choice % RECORDS.len()]),
            "C" => CONSTANTS[swarm.constants[choice % swarm.constants.len()]].to_string(),
            "~" => COMPARISONS[choice % COMPARISONS.len()].to_string(),
            "T" => TYPES[choice % TYPES.len()].to_string(),
            _ => format!("f{}", choice % functions),
        };
        rest = &rest[at + 2..];
    }
    written += rest;
    let indent = "    ".repeat(depth);
    // A few go without: null pointers are to be met on the way, too. But there are no members of nothing.
    if !guards.is_empty() && (statement.choices[3] % 7 != 6 || pattern.contains("&@P")) {
        *text += &format!("{indent}if ({})\n    ", guards.join(" && "));
    }
    match written.split_once("{}") {
        Some((before, after)) => {
            *text += &format!("{indent}{before}\n");
            statement.inside.iter().for_each(|inner| line(swarm, inner, functions, depth + 1, text));
            *text += &format!("{indent}{after}\n");
        }
        None => *text += &format!("{indent}{written}\n"),
    }
}
