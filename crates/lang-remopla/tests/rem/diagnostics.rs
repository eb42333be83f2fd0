//! What is wrong with an input, word by word.

use expect_test::{Expect, expect};
use hardbop_base::{Diagnostic, Severity, SourceMap};
use hardbop_lang_remopla::rem::{CODES, MAX_ERRORS, lower, parse};

/// The findings of `parse` or, where that has no errors, of `lower` as well.
pub fn find(source: &str) -> Vec<Diagnostic> {
    let (ast, mut findings) = parse(source, 0);
    if findings.iter().all(|finding| finding.severity != Severity::Error) {
        findings.extend(lower(&ast, None).map_or_else(|errors| errors, |lowered| lowered.warnings));
    }
    findings
}

#[track_caller]
fn check(source: &str, expect: Expect) {
    let mut sources = SourceMap::default();
    sources.add("test.rem", source.into()).expect("a test is small");
    let mut text = String::new();
    for finding in find(source) {
        assert!(CODES.contains(&finding.code), "{}", finding.code);
        if let Some(place) = finding.span.map(|span| sources.locate(span)) {
            text += &format!("{}:{}: ", place.line, place.column);
        }
        if finding.severity == Severity::Warning {
            text += "warning: ";
        }
        text += &format!("{}: {}\n", finding.code, finding.message);
        if let Some((what, span)) = finding.related {
            let place = sources.locate(span);
            text += &format!("  {what}: {}:{}\n", place.line, place.column);
        }
        if let Some(help) = finding.help {
            text += &format!("  {help}\n");
        }
    }
    expect.assert_eq(&text);
}

/// The same for the body of `main`, with some globals and a module `f`.
#[track_caller]
fn check_body(body: &str, expect: Expect) {
    check(
        &format!(
            "int x(2), a[3](2); bool p; struct t {{ int u(2); }}; struct t s; enum {{ red, green }} c;\ninit main;\n\
             module int(2) f(int n(2), bool q) {{ return n; }}\nmodule void main() {{\n{body}\n}}\n"
        ),
        expect,
    );
}

#[test]
fn unknown_characters_are_not_ignored() {
    check_body(
        "x = x ? 1; skip @@@; é",
        expect![[r#"
        5:7: unknown-character: `?` means nothing in Remopla
        5:17: unknown-character: `@` means nothing in Remopla
        5:22: unknown-character: `é` means nothing in Remopla
    "#]],
    );
}

#[test]
fn numbers_have_64_bits() {
    check_body(
        "x = 99999999999999999999; x = 0x1ffffffffffffffff;",
        expect![[r#"
        5:5: number-too-large: this number has more than 64 bits
        5:31: number-too-large: this number has more than 64 bits
    "#]],
    );
}

#[test]
fn comments_and_texts_need_an_end() {
    check(
        "init a; q<a> --> q<a> \"text\nq<a> --> q<>",
        expect![[r#"
        1:23: unterminated-text: this text has no `"` in its line
    "#]],
    );
    check(
        "int x(1); /* no end",
        expect![[r#"
        1:11: unterminated-comment: this comment has no end
          add `*/`
    "#]],
    );
}

#[test]
fn equality_is_written_twice() {
    check_body(
        "if :: x = 1 -> skip; fi",
        expect![[r#"
        5:9: syntax: expected an operator or `->`, found `=`
          `=` assigns; equality is `==`
    "#]],
    );
}

#[test]
fn a_call_is_no_expression() {
    check_body(
        "x = 1 + f(1, true); x = undef + 1;",
        expect![[r#"
        5:10: syntax: expected an operator, found `(`
          a call is a statement of its own: `x = f(…);`
        5:31: syntax: expected `;`, found `+`
          after this: 5:25
    "#]],
    );
}

#[test]
fn a_keyword_is_no_name() {
    check(
        "bool if; module void do() { }",
        expect![[r#"
        1:6: reserved-name: expected a name to declare, found the keyword `if`
        1:22: reserved-name: expected a module's name, found the keyword `do`
    "#]],
    );
}

#[test]
fn mistakes_in_one_place_do_not_hide_others() {
    check_body(
        "if :: x ( -> skip; :: p -> skip od x = ; y = 1 z = 2;\nskip goto L; do skip; od",
        expect![[r#"
        5:9: syntax: expected an operator, found `(`
          a call is a statement of its own: `x = f(…);`
        5:33: syntax: expected `fi`, found `od`
          to close this: 5:1
        5:40: syntax: expected an expression, found `;`
        5:48: syntax: expected `;`, found `z`
          after this: 5:46
        6:6: syntax: expected `;`, found `goto`
          after this: 6:1
        6:17: syntax: expected `::`, found `skip`
    "#]],
    );
}

#[test]
fn what_is_not_closed_is_shown() {
    check(
        "module void main() { if :: true -> skip; }",
        expect![[r#"
        1:42: syntax: expected `fi`, found `}`
          to close this: 1:22
    "#]],
    );
    check(
        "module void main() { skip;",
        expect![[r#"
        1:27: syntax: expected a statement or `}`, found the end of the file
          opened here: 1:20
    "#]],
    );
    check(
        "module void main() { x = (1 + 2; }",
        expect![[r#"
        1:32: syntax: expected an operator or `)`, found `;`
          opened here: 1:26
    "#]],
    );
}

#[test]
fn declarations_come_first() {
    check_body(
        "skip; int y(2); y = 1;",
        expect![[r#"
        5:7: syntax: declarations stand before the first statement of a module
    "#]],
    );
}

#[test]
fn names_must_be_declared() {
    check_body(
        "y = 1; x = xx; xx = y; xyz = 1; ff(1, p); s.v = 1; goto L; L2: goto L3; x = gren;",
        expect![[r#"
            5:1: undeclared-name: `y` is not declared in `main`
            5:12: undeclared-name: `xx` is not declared in `main`; did you mean `x`?
            5:24: undeclared-name: `xyz` is not declared in `main`
            5:33: undefined-module: there is no module `ff`; did you mean `f`?
            5:45: undefined-member: there is no member `v`
            5:57: undefined-label: there is no label `L` in `main`; did you mean `L2`?
            5:69: undefined-label: there is no label `L3` in `main`; did you mean `L2`?
            5:77: undeclared-name: `gren` is not declared in `main`; did you mean `green`?
        "#]],
    );
}

#[test]
fn names_are_declared_once() {
    check(
        "define N 1\nint N(1), x(1); bool x; enum { x, y, y }; struct t { bool a, a; }; struct t { bool b; };\n\
         module void f(bool a) { bool a; L: skip; L: skip; } module void f() { }",
        expect![[r#"
            2:5: duplicate-name: `N` is declared twice
              first declared here: 1:8
            2:22: duplicate-name: `x` is declared twice
              first declared here: 2:11
            2:32: duplicate-name: `x` is declared twice
              first declared here: 2:11
            2:38: duplicate-name: `y` is declared twice
              first declared here: 2:35
            2:62: duplicate-name: `a` is declared twice
              first declared here: 2:59
            2:75: duplicate-name: there are two types `t`
            3:30: duplicate-name: `a` is declared twice
              first declared here: 3:20
            3:65: duplicate-module: there are two modules `f`
              the first is here: 3:13
        "#]],
    );
    check(
        "module void main() { L: skip; L: skip; }",
        expect![[r#"
        1:31: duplicate-label: the label `L` stands twice in one module
    "#]],
    );
}

#[test]
fn sorts_must_fit() {
    check_body(
        "x = true; p = 1; p = 0; p = x && p; x = x & 1 == 0; if :: x -> skip; fi p = p < p; x = a; a = x; s = x; s = a;\n\
         x = a[p]; x = x[0]; x = x.u; p = a == a; a != 1; x = !x; p = p == x; red = 1;",
        expect![[r#"
            5:5: type-mismatch: a number is needed here, and this is a boolean
            5:15: type-mismatch: a boolean is needed here, and this is a number
              write `true`
            5:22: type-mismatch: a boolean is needed here, and this is a number
              write `false`
            5:29: type-mismatch: a boolean is needed here, and this is a number
            5:45: type-mismatch: a number is needed here, and this is a boolean
              `==` binds tighter than `&`, `^` and `|`: write parentheses
            5:59: type-mismatch: a boolean is needed here, and this is a number
            5:77: type-mismatch: a number is needed here, and this is a boolean
            5:88: type-mismatch: this is an array
              say which element: `a[i]`
            5:95: type-mismatch: an array is needed here, and this is a number
            5:102: type-mismatch: a structure is needed here, and this is a number
            5:109: type-mismatch: a structure is needed here, and this is an array
            6:7: type-mismatch: a number is needed here, and this is a boolean
            6:15: type-mismatch: this is a number, which has no elements
            6:27: type-mismatch: this is a number, which has no members
            6:34: type-mismatch: this is an array
              say which element: `a[i]`
            6:39: type-mismatch: this is an array
              say which element: `a[i]`
            6:47: type-mismatch: an array cannot be assigned with `!=`
            6:55: type-mismatch: a boolean is needed here, and this is a number
            6:67: type-mismatch: a boolean is needed here, and this is a number
            6:70: not-a-variable: `red` is a constant, not a variable
        "#]],
    );
}

#[test]
fn statements_begin_with_names() {
    check_body(
        "1 = x;",
        expect![[r#"
        5:1: syntax: expected a statement, found `1`
    "#]],
    );
}

#[test]
fn calls_must_fit() {
    check_body(
        "f(1); x = f(p, p); main(1); x = main(); s = f(1, p); f(1, 2);",
        expect![[r#"
        5:1: call-arity: `f` takes 2 arguments, not 1
          defined here: 3:15
        5:13: type-mismatch: a number is needed here, and this is a boolean
        5:20: call-arity: `main` takes 0 arguments, not 1
          defined here: 4:13
        5:33: no-result: `main` returns nothing
          defined here: 4:13
        5:41: type-mismatch: the result is a number, and this is a structure
        5:59: type-mismatch: a boolean is needed here, and this is a number
          write `true`
    "#]],
    );
}

#[test]
fn results_must_fit() {
    check_body(
        "return 1;",
        expect![[r#"
        5:1: unexpected-result: nothing can be returned here
          a `void` module: 4:13
    "#]],
    );
    check(
        "init f; module bool f() { return 1; }",
        expect![[r#"
        1:34: type-mismatch: a boolean is needed here, and this is a number
          write `true`
    "#]],
    );
}

#[test]
fn a_module_must_be_defined_as_declared() {
    check(
        "module void f(int x(2)); module void g(); module void h(int x(2));\ninit f;\n\
         module void f(int x(3)) { g(); } module void h(int y(2)) { }",
        expect![[r#"
            1:13: module-mismatch: `f` is declared otherwise than it is defined
              defined here: 3:13
        "#]],
    );
}

#[test]
fn a_module_that_is_called_must_be_defined() {
    check(
        "module void g();\ninit main; module void main() { g(); }",
        expect![[r#"
        2:33: undefined-module: module `g` is declared but not defined
          declared here: 1:13
    "#]],
    );
}

#[test]
fn widths_are_needed_and_limited() {
    check(
        "int x; module void main() { }",
        expect![[r#"
        1:5: no-width: this number has no width
          write it behind the name, `x(8)`, or for all numbers: `define DEFAULT_INT_BITS 8`
    "#]],
    );
    check(
        "define DEFAULT_INT_BITS 0\nint x, y(2000), z(3); bool b(2); module void main() { }",
        expect![[r#"
        2:5: bad-width: a number has 1 to 1024 bits, not 0
        2:10: bad-width: a number has 1 to 1024 bits, not 2000
        2:30: width-without-number: only an `int` has a width
    "#]],
    );
}

#[test]
fn numbers_are_natural() {
    check(
        "signed int x(3); module void main() { }",
        expect![[r#"
        1:1: signed-number: numbers cannot be negative
          write `int`; a difference below zero has no value
    "#]],
    );
    check(
        "define N 1 - 2\nint x(N); module void main() { }",
        expect![[r#"
        1:10: constant-out-of-range: this is below zero or has more than 64 bits
    "#]],
    );
}

#[test]
fn constants_are_needed() {
    check(
        "int x(2), y(x), z(w); bool a[true]; module void main() { x = E i (0,x) i == 1; }",
        expect![[r#"
        1:13: not-constant: a constant is needed here
          numbers, `define`d names and constants of enumerations can be calculated with
        1:19: undeclared-name: `w` is not declared
        1:30: not-constant: a constant is needed here
          numbers, `define`d names and constants of enumerations can be calculated with
    "#]],
    );
    check(
        "int x(2); bool b; module void main() { b = E i (0,x) i == 1; }",
        expect![[r#"
        1:51: not-constant: a constant is needed here
    "#]],
    );
}

#[test]
fn arrays_have_elements() {
    check(
        "bool a[0], b[3,1], c[2][2][2]; module void main() { }",
        expect![[r#"
        1:27: too-many-dimensions: an array has at most two dimensions
    "#]],
    );
    check(
        "bool a[0], b[3,1]; module void main() { }",
        expect![[r#"
        1:7: empty-array: an array has at least one element
          `[n]` has elements 0 to n - 1, `[lo,hi]` elements lo to hi
        1:13: empty-array: an array has at least one element
          `[n]` has elements 0 to n - 1, `[lo,hi]` elements lo to hi
    "#]],
    );
}

#[test]
fn all_variables_together_are_limited() {
    check(
        "int a[100000](64); bool b[1000000000000], c[100000], d; module void main() { }",
        expect![[r#"
        1:5: too-many-bits: all variables together have more than 100000 bits
          make arrays shorter or numbers narrower
    "#]],
    );
}

#[test]
fn a_constant_index_out_of_range_is_a_warning() {
    check_body(
        "x = a[3]; a[5] = 1; skip (A i (0,3) (i == 3 || a[i] == 0));",
        expect![[r#"
        5:7: warning: index-out-of-range: there are elements 0 to 2, so this never has a value
        5:13: warning: index-out-of-range: there are elements 0 to 2, so this never has a value
    "#]],
    );
}

#[test]
fn quantifiers_reach_to_the_next_conjunction() {
    check_body(
        "skip (A i (0,1) a[i] == 0 && a[i+1] == 1);",
        expect![[r#"
        5:32: undeclared-name: `i` is not declared in `main`
          a quantifier reaches to the next `&&` or `||`: write parentheses
    "#]],
    );
    check_body(
        "A i (0,1) i = 1;",
        expect![[r#"
        5:11: not-a-variable: `i` is a constant, not a variable
    "#]],
    );
    check_body(
        "E i (0,1) x = i;",
        expect![[r#"
        5:1: unsupported-assignment: only `A` can stand before an assignment
          choose the value first: `i = undef; skip (lo <= i && i <= hi);`
    "#]],
    );
}

#[test]
fn primes_are_for_rules() {
    check_body(
        "x = x'; x' = 1;",
        expect![[r#"
        5:5: primed-variable: the value afterwards can only stand in the condition of a rule
          an assignment reads old values: `x = x + 1`
        5:9: primed-variable: the value afterwards can only stand in the condition of a rule
          an assignment reads old values: `x = x + 1`
    "#]],
    );
}

#[test]
fn a_variable_has_at_most_two_primes() {
    check_body(
        "x = x''';",
        expect![[r#"
        5:8: syntax: a variable has at most two primes
    "#]],
    );
}

#[test]
fn rules_are_limited() {
    check(
        "int g(1); init a; q<a> --> r<b> q<a> --> q<b c> q<a> --> q<b> (g'' == g)",
        expect![[r#"
        1:28: unsupported-rule: the rules have two states, `q` and `r`
          the first is here: 1:19
          keep the state in a variable, or write the whole system as a `.pds`
        1:44: undefined-module: there is no module `b`
        1:64: primed-variable: only a rule that calls saves something
    "#]],
    );
    check(
        "int g(1); init a; q<a> --> q<f a> q<a> --> q<f a> (g' == g && n' < 1)\nmodule void f(int n(1)) { }",
        expect![[r#"
            1:19: unsupported-rule: a rule that calls cannot change a global: `g`
              add `g' == g` to the condition, and change it in a rule before
            1:35: unsupported-rule: a rule that calls can only give values to parameters and keep what is saved
              say `x' == e` of a parameter, `x' == x` of a global, `x'' == x` of a local
        "#]],
    );
}

#[test]
fn a_break_needs_a_loop_and_an_else_is_alone() {
    check_body(
        "break; if :: p -> break; fi do :: p -> break; :: else -> skip; :: else -> skip; od",
        expect![[r#"
        5:1: break-outside: there is no `do` around this `break`
        5:19: break-outside: there is no `do` around this `break`
        5:67: duplicate-else: there are two `else`s
          the first is here: 5:50
    "#]],
    );
}

#[test]
fn a_run_needs_a_start() {
    check(
        "bool b;",
        expect![[r#"
        no-main: there are no modules
    "#]],
    );
    check(
        "module void man() { } module void f() { }",
        expect![[r#"
        no-main: there is no module `main`; there is `man`, `f`
          say where to start with `init man;` or `--entry man`
    "#]],
    );
    check(
        "init a; module void main() { }",
        expect![[r#"
        1:6: undefined-module: there is no module and no label `a`
    "#]],
    );
    check(
        "init L; module void main() { L: main(); }",
        expect![[r#"
        1:6: unsupported-init: a run cannot start at the label `L`
          it can start at a module, at a label outside of all modules, or at one in a module that is not called
    "#]],
    );
    check(
        "init L main; module void main() { L: skip; }",
        expect![[r#"
        1:6: unsupported-init: a run cannot start at the label `L`
          it can start at a module, at a label outside of all modules, or at one in a module that is not called
    "#]],
    );
    check(
        "init main; init f; module void main() { }",
        expect![[r#"
        1:12: duplicate-init: there are two `init`s
          the first is here: 1:1
    "#]],
    );
}

#[test]
fn probabilities_are_ignored_with_one_warning() {
    check(
        "module void main() { pchoice :: 0.5 -> :: 0.5 -> choicep pchoice :: 1 -> choicep }",
        expect![[r#"
        1:22: warning: probabilities-ignored: probabilities are ignored: each branch of a `pchoice` can be taken
    "#]],
    );
    check(
        "module void main() { pchoice :: true -> choicep }",
        expect![[r#"
        1:33: syntax: expected a probability, found `true`
    "#]],
    );
}

#[test]
fn types_must_be_defined() {
    check(
        "enum color c; struct t s; enum colr { red }; struct u { struct u v; }; module void main() { }",
        expect![[r#"
        1:6: undefined-type: there is no type `color` here; did you mean `colr`?
        1:22: undefined-type: there is no type `t` here
        1:64: undefined-type: there is no type `u` here
    "#]],
    );
}

#[test]
fn there_are_at_most_twenty_errors() {
    let source = format!("module void main() {{ {} }}", "x @ 2; ".repeat(100));
    assert_eq!(find(&source).len(), MAX_ERRORS);
    let body: String = (0..100).map(|row| format!("y{row} = 1; ")).collect();
    assert_eq!(find(&format!("module void main() {{ {body} }}")).len(), MAX_ERRORS);
}

#[test]
fn numbers_that_grow_too_wide_are_refused() {
    check(
        "int x(1024), y(300); module void main() { x = x * x; x = (x << 1000 << 1000 << 1000 << 1000); y = y / y; x = x >> x; }",
        expect![[r#"
            1:47: too-large: these numbers have too many bits to be multiplied or divided
              make arrays shorter or numbers narrower
            1:59: too-large: this number can have thousands of bits
              make arrays shorter or numbers narrower
            1:99: too-large: these numbers have too many bits to be multiplied or divided
              make arrays shorter or numbers narrower
        "#]],
    );
}
