//! Each form of the language on C: where it matches and where it does not.
//!
//! A case is an analysis without its header, a program, and the lines of the program that are flagged.

#[path = "support/subject.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod subject;

use hardbop_c_facts::Unknown;
use hardbop_dataflow::Precision;
use subject::{Said, read_analysis, report};

/// What every case may speak of.
const DECLARATIONS: &str = "\
analysis mine \"m\"
var p, q, r    : pointer
var i, j       : integer
var v, u, w    : scalar
var x, y       : object
var c          : constant
var e, f       : expression
var d, other   : definition
var s          : statement
";

const PRELUDE: &str = "\
int nondet(void); void hit(void); void start(void); void sink(int); void give(int *); void *malloc(unsigned long); void mark(int *);
";

/// Checks which lines of `program` are flagged; its first line is line 1.
#[track_caller]
fn check(clauses: &str, program: &str, expected: &[usize]) {
    assert_eq!(flagged(clauses, program), expected, "{clauses}\n{program}");
}

fn flagged(clauses: &str, program: &str) -> Vec<usize> {
    let analysis = read_analysis(&format!("{DECLARATIONS}{clauses}"));
    let source = format!("{PRELUDE}{program}");
    let said = report(&analysis, &source, Unknown::AsTested, Precision::Auto);
    let mut flagged: Vec<usize> =
        said.iter().filter(|(_, _, said)| *said == Said::MayFail).map(|(line, ..)| line - 1).collect();
    flagged.sort_unstable();
    flagged.dedup();
    flagged
}

/// Which lines of `body`, each in a program of its own, have a statement that `pattern` matches: the number of each,
/// from 1.
#[track_caller]
fn check_pattern(pattern: &str, body: &str, expected: &[usize]) {
    let clauses = format!(
        "fact seen() \"a\", \"b\"\non start(): seen() := false\non {pattern}: seen() := true\n\
         at hit(): require !seen() \"seen\"\n"
    );
    let found = body.lines().enumerate().filter(|(_, line)| {
        let program = format!(
            "int g; int *gp; struct s {{ int a; int *b; }} st; int own(int n) {{ return n; }}\n\
             int main(void) {{ int a = nondet(), b = nondet(); int *m = &a, *n = &b; int arr[4]; arr[0] = 0; start();\n\
             {line} hit(); return 0; }}"
        );
        !flagged(&clauses, &program).is_empty()
    });
    let found: Vec<usize> = found.map(|(row, _)| row + 1).collect();
    assert_eq!(found, expected, "{pattern}\n{body}");
}

#[test]
fn assignments_of_constants() {
    check_pattern("p = NULL", "m = 0;\nm = n;\na = 0;\ngp = 0;", &[1, 4]);
    check_pattern("i = 7", "a = 7;\na = 8;\ng = 7;\na = b;", &[1, 3]);
    check_pattern("i = c", "a = 7;\na = b;\nm = 0;\na = -1;", &[1, 4]);
    check_pattern("p = c", "m = (int *)64;\nm = 0;\nm = n;", &[1]);
}

#[test]
fn copies() {
    check_pattern("p = q", "m = n;\nm = &a;\na = b;\nm = gp;\nm = (int *)(void *)n;", &[1, 4, 5]);
    check_pattern("i = j", "a = b;\na = b + 1;\ng = a;\nm = n;", &[1, 3]);
    check_pattern("p = i", "m = (int *)(long)g;\nm = n;", &[1]);
    check_pattern("v = u", "a = b;\nm = n;\na = 1;", &[1, 2]);
    check_pattern("v = v + 1", "a = a + 1;\na = b + 1;\ng++;", &[1, 3]);
}

#[test]
fn addresses_and_pointers() {
    check_pattern("p = &x", "m = &b;\nm = n;\ngp = &g;", &[1, 3]);
    check_pattern("p = &_", "m = arr;\nm = n;", &[1]);
    check_pattern("v = *p", "a = *m;\na = b;\n*m = a;\na = m[1];\na = arr[1];", &[1, 4]);
    check_pattern("v = *_", "a = *m;\na = b;", &[1]);
    check_pattern("*p = e", "*m = 1;\na = *m;\nm[2] = b;\na = 3;", &[1, 3]);
    check_pattern("*_ = e", "*m = 1;\na = 1;", &[1]);
    check_pattern("*p = c", "*m = 1;\n*m = a;", &[1]);
}

#[test]
fn operators() {
    check_pattern("i = -j", "a = -b;\na = ~b;\na = b;", &[1]);
    check_pattern("i = ~j", "a = -b;\na = ~b;", &[2]);
    check_pattern("i = !j", "a = !b;\na = -b;", &[1]);
    check_pattern("p = q + e", "m = n + a;\nm = n;\nm = n - 1;\nm = &n[3];", &[1, 4]);
    check_pattern("i = j < c", "a = b < 3;\na = b > 3;\na = b;", &[1]);
    check_pattern("i = j * _", "a = b * g;\na = b + g;", &[1]);
    for (op, other) in
        [("-", "+"), ("/", "%"), ("%", "/"), ("<<", ">>"), (">>", "<<"), ("&", "|"), ("|", "^"), ("^", "&")]
    {
        check_pattern(&format!("i = j {op} 3"), &format!("a = b {op} 3;\na = b {other} 3;"), &[1]);
    }
}

#[test]
fn calls() {
    check_pattern("nondet()", "nondet();\nsink(1);\na = nondet();", &[1, 3]);
    check_pattern("v = nondet()", "nondet();\na = nondet();", &[2]);
    check_pattern("sink(i)", "sink(a);\nsink(3);\nsink(a + b);", &[1, 2, 3]);
    check_pattern("sink(e)", "sink(a);\nsink(3);", &[1, 2]);
    check_pattern("sink(c)", "sink(a);\nsink(3);", &[2]);
    check_pattern("give(&x)", "give(&a);\ngive(m);", &[1]);
    check_pattern("{sink, gi*}(...)", "sink(1);\ngive(&a);\nnondet();", &[1, 2]);
    check_pattern("{*rk}(_)", "mark(m);\ngive(m);", &[1]);
    check_pattern("_(p)", "mark(m);\nsink(a);", &[1]);
    check_pattern("sink()", "sink(1);", &[]);
    check_pattern(
        "drop nondet()",
        "nondet();\na = nondet();\n(void)nondet();\nif (nondet()) ;\nsink(nondet());",
        &[1, 3],
    );
    check_pattern("drop {own, sink}(i)", "own(1);\na = own(2);\nsink(1);", &[1]);
    check_pattern("drop _(...)", "nondet();\nsink(1);\nint (*f)(void) = nondet; f();\na = f();", &[1, 3]);
}

#[test]
fn a_function_with_a_body_is_meant_by_its_name_only() {
    check_pattern("own(_)", "own(1);\na = own(2);\nsink(1);", &[1, 2]);
    check_pattern("v = own(_)", "own(1);\na = own(2);", &[2]);
    check_pattern("_(e)", "own(1);\na = own(2);\nsink(1);", &[3]);
}

#[test]
fn any_assignment() {
    check_pattern("v = e", "a = 1;\nsink(a);\nm = n;\na = nondet();\n*m = 1;", &[1, 3, 4, 5]);
    check_pattern("v = _", "a = 1;\nsink(a);\nst.a = 2;", &[1, 3]);
    check_pattern("i = e", "a = 1;\nm = n;", &[1]);
    check_pattern("d: v = _", "a = 1;\nsink(a);", &[1]);
    check_pattern("s: v = e", "a = 1;\nsink(a);", &[1]);
}

#[test]
fn declarations_and_conditions() {
    check_pattern("declare v", "int z; sink(a);\na = 1;\nint y = 2; sink(y);", &[1, 3]);
    check_pattern("declare p", "int z; sink(a);\nint *y; sink(a);", &[2]);
    check_pattern("test e", "if (a) sink(1);\na = 1;\nif (a < b) sink(1);", &[1, 3]);
    check_pattern("test i", "if (a) sink(1);\nif (!a) sink(1);\nif (a < b) sink(1);\nif (m) sink(1);", &[1, 2]);
    check_pattern("test p", "if (a) sink(1);\nif (m) sink(1);", &[2]);
    check_pattern("test *_", "if (*m) sink(1);\nif (a) sink(1);", &[1]);
    check_pattern("_", "a = 1;\n;\nwhile (b) b = 0;", &[1, 3]);
    check_pattern("s: _", "a = 1;\n;\nsink(1);", &[1, 3]);
}

#[test]
fn copies_of_structures() {
    let body = "struct s x = st; sink(x.a);\na = st.a;\na = b;\nstruct s x; st = x;\ngive_all(st);\nst = make();\na = own(b);\n\
        memcpy(&st, &other, sizeof st);\nmemcpy(&a, &b, sizeof a);\nst = (struct s){ 1, 0 };\nstruct w y; y.s = st;";
    let program = |line: &str| {
        format!(
            "struct s {{ int a; int *b; }} st, other; struct w {{ struct s s; }}; int own(int n) {{ return n; }}\n\
             void *memcpy(void *, const void *, unsigned long); void give_all(struct s s) {{ sink(s.a); }}\n\
             struct s make(void) {{ return other; }}\n\
             int main(void) {{ int a = nondet(), b = nondet(); start();\n{line} hit(); return a; }}"
        )
    };
    let matching = |pattern: &str| {
        let clauses = format!(
            "fact seen() \"a\", \"b\"\non start(): seen() := false\non {pattern}: seen() := true\n\
             at hit(): require !seen() \"seen\"\n"
        );
        let is_seen = |line: &str| !flagged(&clauses, &program(line)).is_empty();
        body.lines().enumerate().filter(|(_, line)| is_seen(line)).map(|(row, _)| row + 1).collect::<Vec<_>>()
    };
    assert_eq!(matching("copy _ = _"), [1, 4, 5, 6, 8, 9, 10, 11]);
    assert_eq!(matching("copy v = p"), [1, 4, 5, 6, 8, 10, 11]);
}

#[test]
fn what_copies_memory_is_not_any_call() {
    let program = "void *memcpy(void *, const void *, unsigned long); struct s { int a, b; };
int main(void) {
  struct s s, t; int n = nondet();
  start();
  memcpy(&s, &t, n); hit();
  memcpy(&s, &t, sizeof s); hit();
  give(&n); hit();
  return 0;
}";
    let clauses = |call: &str| {
        format!(
            "fact seen() \"a\", \"b\"\non {{start, hit}}(): seen() := false\non {call}(...): seen() := true\n\
             at hit(): require !seen() \"seen\"\n"
        )
    };
    check(&clauses("_"), program, &[7]);
    check(&clauses("memcpy"), program, &[5, 6]);
}

#[test]
fn returns() {
    let clauses = |pattern: &str| {
        format!(
            "fact seen() \"a\", \"b\"\ninitially seen() := false\non {pattern}: seen() := true\n\
             at hit(): require !seen() \"seen\"\n"
        )
    };
    let of_nothing = "void f(void) { return; }\nint main(void) { f(); hit(); return 0; }";
    let of_two = "int f(void) { return 2; }\nint main(void) { f(); hit(); return 0; }";
    check(&clauses("return"), of_nothing, &[2]);
    check(&clauses("return"), of_two, &[2]);
    check(&clauses("return e"), of_nothing, &[]);
    check(&clauses("return e"), of_two, &[2]);
    check(&clauses("return 2"), of_two, &[2]);
    check(&clauses("return 3"), of_two, &[]);
    check(&clauses("return i"), "int f(int n) { return n; }\nint main(void) { f(2); hit(); return 0; }", &[2]);
}

#[test]
fn conditions_of_patterns() {
    let one = "int main(void) { int a = 0; int *k = &a; mark(k); hit(); return 0; }";
    let two = "int main(void) { int a = 0, b = 0; int *k = &a; if (nondet()) k = &b; mark(k); hit(); return 0; }";
    let clauses = "fact seen() \"a\", \"b\"\ninitially seen() := false\non mark(p) where pts(p) = {x}: seen() := true\n\
                   at hit(): require !seen() \"seen\"\n";
    check(clauses, one, &[1]);
    check(clauses, two, &[]);
    check_pattern("v = _ where v in globals", "g = 1;\na = 1;\n gp = 0;", &[1, 3]);
    check_pattern("v = _ where v in locals", "g = 1;\na = 1;", &[2]);
    check_pattern("v = _ where v in pointers", "a = 1;\nm = n;", &[2]);
    check_pattern("v = _ where v in integers", "a = 1;\nm = n;", &[1]);
    check_pattern("v = e where v in reads(e)", "a = a + b;\na = b;", &[1]);
    check_pattern("v = u where v is u", "a = b;\na = a;", &[2]);
    check_pattern("v = u where v is not u", "a = b;\na = a;", &[1]);
    check_pattern("d: v = _ where d in definitions(v)", "a = 1;", &[1]);
    check_pattern("v = e where e in expressions", "a = b + 1;\na = b;", &[1]);
}

#[test]
fn parameters_are_a_set() {
    let clauses = "fact seen(v) \"a\", \"b\"\non v = _ where v in parameters: seen(v) := true\non v = _: seen(v) := false\n\
                   at use v where v in integers: require !seen(v) \"seen\"\n";
    check(clauses, "int f(int n) {\nint k = 1;\nk = k + 1;\nreturn n; }\nint main(void) { return f(2); }", &[4]);
}

#[test]
fn facts_about_definitions() {
    let clauses = "fact reaches(d) \"a\", \"b\"\ninitially reaches(d) := false for d in definitions\n\
                   on d: v = 7: reaches(d) := true\n\
                   on d: v = _: reaches(other) := false for other in definitions(v), reaches(d) := false\n\
                   at sink(_): require !(any reaches(d) for d in definitions) \"seven\"\n";
    check(clauses, "int main(void) { int a = 7;\nsink(a);\na = 8; sink(a);\nreturn 0; }", &[2]);
    check(clauses, "int g; void f(void) { g = 7; }\nint main(void) { f();\nsink(g); return 0; }", &[3]);
    check(clauses, "void f(int n) {\nsink(n); }\nint main(void) { f(7); f(8); return 0; }", &[2]);
    // What an activation has assigned is not its caller's.
    let recursive =
        "void f(int n) { int a = 8; if (n) f(0); else a = 7;\nsink(a);\n}\nint main(void) { f(1); return 0; }";
    check(clauses, recursive, &[2]);
}

#[test]
fn facts_about_expressions() {
    let clauses = "fact known(e) \"a\", \"b\"\ninitially known(e) := false for e in expressions\n\
                   on v = e: known(f) := true for f in parts(e), known(f) := false for f in mentioning(v)\n\
                   at v = e where e in expressions: require !known(e) \"computed already\"\n";
    check(
        clauses,
        "int main(void) { int a = nondet(), b = a * 2;\nint c = a * 2;\na = 3;\nint d = a * 2;\nreturn b + c + d; }",
        &[2],
    );
    check(clauses, "int main(void) { int a = nondet(), b = a * 2 + 1;\nint c = a * 2;\nreturn b + c; }", &[2]);
    check(clauses, "int g; void f(void);\nint main(void) { int b = g + 1; f();\nint c = g + 1; return b + c; }", &[3]);
    let wanted = clauses.replace("require !known(e)", "require known(e)");
    // Code outside may write what it has the address of.
    let program = |before: &str| {
        format!("static int g;\nint main(void) {{ {before} int b = g + 1; hit();\nint c = g + 1; return 0; }}")
    };
    check(&wanted, &program(""), &[2]);
    check(&wanted, &program("give(&g);"), &[2, 3]);
}

#[test]
fn facts_about_several_things_or_none() {
    let clauses = "fact from(v, x) for x in globals \"a\", \"b\"\ninitially from(v, x) := false for v in scalars for x in globals\n\
                   on p = &x: from(p, y) := false for y in globals, from(p, x) := true\n\
                   on p = q: from(p, x) := from(q, x) for x in globals\n\
                   at mark(p): require !(any from(p, x) for x in globals) \"global\"\n";
    check(clauses, "int g; int main(void) { int *k = &g;\nmark(k); return 0; }", &[2]);
    check(clauses, "int g; int main(void) { int a; int *k = &a;\nmark(k); return 0; }", &[]);
    check(clauses, "int g; int main(void) { int *k = &g; int *l = k;\nmark(l); return 0; }", &[2]);
    check(clauses, "int g; int main(void) { int a; int *k = &g; k = &a;\nmark(k); return 0; }", &[]);
    let depth = "fact inside() \"a\", \"b\"\ninitially inside() := false\non start(): inside() := true\non hit(): inside() := false\n\
                 at sink(_): require !inside() \"inside\"\n";
    check(depth, "int main(void) { sink(1); start();\nsink(2);\nhit(); sink(3); return 0; }", &[2]);
}

#[test]
fn starts_and_ends_of_functions() {
    let clauses = |site: &str| {
        format!(
            "fact inside() \"a\", \"b\"\ninitially inside() := false\non start(): inside() := true\non hit(): inside() := false\n\
             at {site}: require !inside() \"inside\"\n"
        )
    };
    let program = "void f(void)\n{ hit();\n}\nint main(void) { start(); f();\nstart(); return 0;\n}";
    check(&clauses("exit of main"), program, &[6]);
    check(&clauses("exit of f"), program, &[]);
    check(&clauses("exit"), program, &[6]);
    check(&clauses("entry of f"), program, &[2]);
    check(&clauses("entry"), program, &[2]);
    check(&clauses("entry of main"), program, &[]);
}

#[test]
fn sites() {
    let clauses =
        |site: &str| format!("fact bad() \"a\", \"b\"\ninitially bad() := true\nat {site}: require !bad() \"bad\"\n");
    let program = "int g; int main(void) { int a = nondet(); int *k = &a;\n*k = 1;\na = *k;\nif (a)\nsink(a);\nk = 0;\nreturn g; }";
    check(&clauses("*p"), program, &[2]);
    check(&clauses("*_"), program, &[2]);
    check(&clauses("use i where i in globals"), program, &[7]);
    check(&clauses("use p"), program, &[2]);
    check(&clauses("use _"), program, &[2]);
    check(&clauses("p = NULL"), program, &[6]);
    check(&clauses("sink(_)"), program, &[5]);
    check(&clauses("test i"), program, &[4]);
    check(&clauses("return e"), program, &[7]);
    check(&clauses("v = *p"), program, &[3]);
    check(&clauses("*p = 1"), program, &[2]);
    check(&clauses("declare p"), program, &[1]);
}

#[test]
fn operations_are_sites_wherever_they_stand() {
    let clauses = |site: &str| {
        format!(
            "fact bad() \"a\", \"b\"\ninitially bad() := true\non _: bad() := true\nat {site}: require !bad() \"bad\"\n"
        )
    };
    let program = "int g; int own(int n) { return n; }\nint main(void) { int a = nondet(), b = nondet(), t[9]; int *k = &a;\na = b / a;\n\
                   a = 1 + b / a;\nt[a / 2] = 3;\nif (b / a > 3)\nsink(a % b);\na = own(b / a);\na /= b;\nt[b / a] = own(1);\n\
                   a = *k / 2;\na = -b;\na = 1 - b;\na = 2 * -b;\nreturn (a / b) * 2; }";
    check(&clauses("i / j"), program, &[3, 4, 5, 6, 8, 9, 10, 11, 15]);
    check(&clauses("i / 2"), program, &[5, 11]);
    check(&clauses("*p / _"), program, &[11]);
    check(&clauses("i % j"), program, &[7]);
    check(&clauses("-i"), program, &[12, 14]);
    check(&clauses("1 - e"), program, &[13]);
    check(&clauses("i > 3"), program, &[6]);
    check(&clauses("i / j where i in globals"), program, &[]);
}

#[test]
fn what_nothing_can_satisfy_stops_no_run() {
    let clauses = "fact value(i) : small \"{i} = {}\"\non i = c: value(i) := c\non i = e: value(i) := *\n\
                   at sink(i): require value(i) = 0 \"not 0\"\nat drop nondet(): require false \"dropped\"\n\
                   at mark(&x): require x is not x \"never\"\n";
    let program =
        "int main(void) { int a; sink(1);\nsink(2);\nsink(0);\nnondet();\nnondet();\nmark(&a);\nsink(3); return 0; }";
    check(clauses, program, &[1, 2, 4, 5, 6, 7]);
}

#[test]
fn what_is_known_of_an_operand_decides() {
    let clauses = "fact value(i) : small \"{i} = {}\"\non i = c: value(i) := c\non i = j - c: value(i) := value(j) - c\n\
                   on i = e: value(i) := *\nif i == c: value(i) = c\nat e / j: require value(j) != 0 \"`{j}` may be 0\"\n";
    let program = "int main(void) { int n = nondet();\nsink(7 / n);\nif (n) sink(3 + 7 / n);\nif (n != 1) sink(7 / (n - 1));\n\
                   sink(7 / (n - 1));\nsink(7 / 2);\nreturn n && 7 / n > 2; }";
    check(clauses, program, &[2, 5]);
}

#[test]
fn sets_of_statements() {
    let clauses = "fact known(x) \"a\", \"b\"\ninitially known(x) := false for x in objects\n\
                   on s: mark(...): known(x) := true for x in pts(s)\non s: start(): known(x) := false for x in globals\n\
                   at use v: require !known(v) \"known\"\n";
    check(clauses, "int main(void) { int a = 0, b = 0; mark(&a);\nsink(a);\nsink(b); return 0; }", &[2]);
    check(clauses, "int g; int main(void) { mark(&g); start();\nsink(g); return 0; }", &[]);
    let reads = "fact used(v) \"a\", \"b\"\ninitially used(v) := false for v in scalars\n\
                 on s: sink(...): used(v) := true for v in reads(s)\non hit(): used(v) := false for v in locals\n\
                 at use v where v in integers: require !used(v) \"used\"\n";
    check(
        reads,
        "int main(void) { int a = nondet(), b = nondet(); sink(a + 1);\nsink(b);\nsink(a);\nhit(); sink(b);\nreturn 0; }",
        &[3],
    );
}

#[test]
fn memory_goes_on_behind_the_type_of_a_pointer() {
    let clauses = |set: &str| {
        format!(
            "fact seen(v) \"a\", \"b\"\ninitially seen(v) := false for v in scalars\non v = _: seen(v) := false\n\
             on reach(e, f): seen(v) := true for v in {set}\nat use v: require !seen(v) \"seen\"\n"
        )
    };
    let program = "void reach(int *p, int n) { }
int main(void) {
  struct { int a, b, c; } s = { 1, 2, 3 };
  reach(&s.b, 4); s.a;
  sink(s.a);
  sink(s.b);
  sink(s.c);
  return 0;
}";
    check(&clauses("pts(e)"), program, &[6]);
    check(&clauses("memory(e, f)"), program, &[6]);
    check(&clauses("memory(e)"), program, &[6, 7]);
    check(&clauses("memory(e, f)"), &program.replace("4", "5"), &[6, 7]);
    check(&clauses("memory(e, f)"), &program.replace("4", "nondet()"), &[6, 7]);
}

#[test]
fn numbers_and_targets() {
    let clauses = "fact value(i) : small \"{i} = {}\"\nfact at(p) : target \"{p} at {}\"\ninitially value(i) := 5 for i in globals\n\
                   on i = c: value(i) := c\non i = j: value(i) := value(j)\non i = j + c: value(i) := value(j) + c\non i = e: value(i) := *\n\
                   on p = &x: at(p) := x\non p = q: at(p) := at(q)\non p = e: at(p) := *\n\
                   if i < c: value(i) < c\nif i == c: value(i) = c\n\
                   at sink(i): require value(i) < 4 \"large\"\n";
    check(clauses, "int main(void) { int a = 3; sink(a); a = a + 1;\nsink(a); return 0; }", &[2]);
    check(clauses, "int g; int main(void) {\nsink(g); return 0; }", &[2]);
    check(clauses, "int main(void) { int a = nondet(); if (a < 4) sink(a); return 0; }", &[]);
    // The target says what the store does not write.
    let store = "int main(void) { int a = 0, b = 0; int *k = &a; if (nondet()) k = &b;\nk = &a; *k = 9;\nsink(b);\nsink(a); return 0; }";
    check(clauses, store, &[4]);
    let blind: String =
        clauses.lines().filter(|line| !line.contains("at(p)")).map(|line| format!("{line}\n")).collect();
    check(&blind, store, &[3, 4]);
}

#[test]
fn a_rule_about_a_function_counts_when_code_outside_has_called_it() {
    let clauses = "fact on() \"on\", \"off\"\ninitially on() := false\non begin(...): on() := true\n\
                   at hit(): require !on() \"on\"\n";
    check(clauses, "void begin(void) {}\nvoid work(void) { hit(); }", &[2]);
    check(clauses, "static void begin(void) {}\nvoid work(void) { hit(); }", &[]);
    check(
        clauses,
        "__attribute__((constructor)) static void begin(void) {}\nint main(void) {\nhit(); return 0; }",
        &[3],
    );
    let held = "fact held(x) \"{x} is held\", \"{x} is free\"\ninitially held(x) := false for x in objects\n\
                on take(p): held(x) := true for x in pts(p)\nat take(p): require !held(x) for x in pts(p) \"held\"\n";
    let program = "static int m; static int n; static void take(int *p) { *p = 1; } void iter(void (*)(int *), int *);\n\
                   int main(void) { iter(take, &m);\ntake(&n);\ntake(&m); return 0; }";
    check(held, program, &[4]);
    check(held, &program.replace("iter(take, &m)", "iter(0, &m)"), &[]);
}

#[test]
fn an_argument_may_be_any_integer() {
    let clauses = "fact value(i) : small \"{i} = {}\"\non i = c: value(i) := c\non i = j: value(i) := value(j)\n\
                   on i = j + c: value(i) := value(j) + c\non i = e: value(i) := *\nif i == c: value(i) = c\n\
                   at sink(i): require !(value(i) = 0) \"zero\"\n";
    let program = "long get(void); int main(int argc, char **argv) { unsigned u = get(); int one = 1;\n\
                   sink(u);\nsink(get());\nsink(5);\nsink(0);\nsink(one);\nsink(one + 1);\nreturn 0; }";
    check(clauses, program, &[2, 3, 5]);
}

#[test]
fn numbers_of_an_analysis_are_told_apart_though_no_program_compares_them() {
    let clauses = "fact state(i) : small \"{i} is {}\"\ninitially state(i) := 0 for i in integers\n\
                   on i = start(): state(i) := 3\non i = nondet(): state(i) := 4\non i = e: state(i) := 0\n\
                   at sink(i): require state(i) = 3 \"not started\"\n";
    let program = |call: &str| {
        format!("int begin(void) __asm__(\"start\");\nint main(void) {{ int h = {call}; sink(h);\nreturn 0; }}")
    };
    check(&clauses.replace("start()", "begin()"), &program("begin()"), &[]);
    check(&clauses.replace("start()", "begin()"), &program("nondet()"), &[2]);
    check(&clauses.replace("start()", "begin()"), &program("7"), &[2]);
}

#[test]
fn a_temporary_is_new_whenever_it_is_assigned() {
    let clauses = "fact pending(i) \"a\", \"b\"\ninitially pending(i) := false for i in integers\n\
                   on i = nondet(): pending(i) := true\non i = e: pending(i) := false\n\
                   at i = e: require !pending(i) \"overwritten\"\n";
    check(clauses, "int f(void) { while (nondet())\n sink(nondet());\nreturn nondet(); }", &[]);
    check(clauses, "int f(void) { int r = nondet();\nr = nondet();\nreturn r; }", &[2]);
}
