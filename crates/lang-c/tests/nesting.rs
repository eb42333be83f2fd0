//! Deep and long texts: accepted up to a limit, then refused, and never a stack overflow.

use hardbop_base::Diagnostic;
use hardbop_lang_c::{MAX_NESTING, parse};

/// What the parser says of `text`, on a stack as large as the command's.
fn findings(text: String) -> Vec<Diagnostic> {
    let thread = std::thread::Builder::new().stack_size(1 << 30);
    let findings = thread.spawn(move || parse(&text, 0).1).expect("threads can be made");
    findings.join().expect("the parser does not panic")
}

#[track_caller]
fn accept(text: String) {
    assert_eq!(findings(text), []);
}

/// Asserts that `open` and `close` around `inside` are refused when there are too many, and only for that.
#[track_caller]
fn refuse(before: &str, open: &str, inside: &str, close: &str, after: &str) {
    let wrap = |n: usize| format!("{before}{}{inside}{}{after}", open.repeat(n), close.repeat(n));
    accept(wrap(1000));
    let findings = findings(wrap(2 * MAX_NESTING as usize));
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].code, "nested-too-deeply");
    assert!(findings[0].help.is_some());
}

#[test]
fn expressions_have_a_limit() {
    let function = "void f(void) { x = ";
    refuse(function, "(", "1", ")", "; }");
    refuse(function, "- ", "x", "", "; }");
    refuse(function, "(int)", "x", "", "; }");
    refuse(function, "x = ", "x", "", "; }");
    refuse(function, "x ? x : ", "x", "", "; }");
    refuse(function, "x ? ", "x", " : x", "; }");
    refuse(function, "x[", "x", "]", "; }");
    refuse(function, "f(", "x", ")", "; }");
    refuse(function, "({ ", "x;", "; })", "; }");
    refuse(function, "sizeof ", "x", "", "; }");
    refuse(function, "__extension__ -", "x", "", "; }");
    refuse(function, "(struct s){", "1", "}", "; }");
    refuse(function, "_Generic(1, int: ", "1", ")", "; }");
    refuse(function, "a || b && c | d ^ e & f == g < h << i + j * (", "1", ")", "; }");
}

#[test]
fn chains_have_a_limit() {
    let function = "void f(void) { x = x";
    refuse(function, " + x", "", "", "; }");
    refuse(function, ", x", "", "", "; }");
    refuse(function, ".y", "", "", "; }");
    refuse(function, "[1]", "", "", "; }");
    refuse(function, "()", "", "", "; }");
    refuse(function, "++", "", "", "; }");
    refuse("void f(void) {", "case 1: ", ";", "", "}");
    refuse("void f(void) {", "l: ", ";", "", "}");
    refuse("void f(void) {", "if (x) ; else ", ";", "", "}");
    refuse("int ", "*", "p", "", ";");
    refuse("int a", "[1]", "", "", ";");
}

#[test]
fn statements_have_a_limit() {
    let function = "void f(void) {";
    refuse(function, "{", "", "}", "}");
    refuse(function, "if (x) ", ";", "", "}");
    refuse(function, "while (x) ", ";", "", "}");
    refuse(function, "for (;;) {", ";", "}", "}");
    refuse(function, "do ", ";", " while (x);", "}");
    refuse(function, "switch (x) { case 1: ", ";", "}", "}");
    refuse("", "void f(void) {", "", "}", "");
}

#[test]
fn declarations_have_a_limit() {
    refuse("int ", "(", "a", ")", ";");
    refuse("int ", "(*", "a", ")(void)", ";");
    refuse("int f", "(int g", "", ")", ";");
    refuse("", "struct { ", "int x;", "} a;", "");
    refuse("int a = ", "{", "1", "}", ";");
    refuse("", "typeof(", "int", ")", " a;");
    refuse("int a", " __attribute__((x(int", "", ")))", ";");
    refuse("", "_Alignas(int ", "", ")", " int a;");
    refuse("", "enum e : ", "int", " { A }", " a;");
    refuse("int a = sizeof(int", "[sizeof(int", "", ")]", ");");
    refuse("", "typeof(({ ", "1;", "; }))", " a;");
    refuse("int a", "[({ int b", "", "; 1; })]", ";");
}

#[test]
fn tall_trees_on_top_of_each_other_have_one_limit() {
    let chain = " + 1".repeat(MAX_NESTING as usize / 2);
    for (open, close) in [("({ ", "; })"), ("sizeof(int[", "])"), ("((int[]){", "})[0]")] {
        let text = format!("void f(void) {{ x = {open}x{chain}{close}{chain}; }}");
        assert_eq!(findings(text)[0].code, "nested-too-deeply");
    }
}

#[test]
fn long_programs_are_accepted() {
    accept(format!("void f(void) {{ if (x) ; {} }}", "else if (x) { y; } ".repeat(20_000)));
    accept(format!("void f(void) {{ switch (x) {{ {} ; }} }}", "case 1: ".repeat(20_000)));
    accept(format!("void f(void) {{ {} ; }}", "l: ".repeat(20_000)));
    accept(format!("void f(void) {{ {}x;{} }}", "if (f()) { ".repeat(20_000), "}".repeat(20_000)));
    accept(format!("int x = 1{};", " + 1".repeat(40_000)));
    accept(format!("int a[] = {{ {} }};", "1, ".repeat(300_000)));
    accept(format!("void f(void) {{ {} }}", "x = x + 1; ".repeat(100_000)));
    accept(format!("char *s = {};", "\"abc\" ".repeat(100_000)));
    accept(format!("int {};", "a".repeat(1_000_000)));
    accept(format!("int x; {}", "/* */".repeat(100_000)));
}
