//! What is wrong with an input, word by word.

use expect_test::{Expect, expect};
use hardbop_base::{Diagnostic, Severity, SourceMap};
use hardbop_lang_bp::{CODES, MAX_ERRORS, check as check_names, parse};

/// The findings of `parse` or, where that has no errors, of `check` as well.
fn find(source: &str) -> Vec<Diagnostic> {
    let (ast, mut findings) = parse(source, 0);
    if findings.iter().all(|finding| finding.severity != Severity::Error) {
        findings.extend(check_names(&ast, "main"));
    }
    findings
}

#[track_caller]
fn check(source: &str, expect: Expect) {
    let mut sources = SourceMap::default();
    sources.add("test.bp", source.into()).expect("a test is small");
    let mut text = String::new();
    for finding in find(source) {
        assert!(CODES.contains(&finding.code), "{}", finding.code);
        if let Some(place) = finding.span.map(|span| sources.locate(span)) {
            text += &format!("{}:{}: ", place.line, place.column);
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

/// The same for the body of `main`, with globals `a`, `b` and procedures `f` and `g`.
#[track_caller]
fn check_body(body: &str, expect: Expect) {
    check(
        &format!(
            "decl a, b;\nvoid f(x) begin end\nbool<2> g() begin return a, b; end\nvoid main() begin\n{body}\nend\n"
        ),
        expect,
    );
}

#[test]
fn unknown_characters_are_not_ignored() {
    check_body(
        "a := a + b; skip @@@ ; skip; \0 skip; é",
        expect![[r#"
            5:8: unknown-character: `+` means nothing in a boolean program
            5:18: unknown-character: `@` means nothing in a boolean program
            5:30: unknown-character: `\u{0}` means nothing in a boolean program
            5:38: unknown-character: `é` means nothing in a boolean program
        "#]],
    );
}

#[test]
fn a_comment_needs_an_end() {
    check_body(
        "skip; /* skip;",
        expect![[r#"
            5:7: unterminated-comment: this comment has no end
              add `*/`
        "#]],
    );
}

#[test]
fn a_name_in_braces_stays_in_its_line() {
    check_body(
        "{a := T;\n{b} := T; {} := a;",
        expect![[r#"
        5:1: unterminated-name: this name has no `}` in its line
        6:11: syntax: there is no name between these braces
    "#]],
    );
}

#[test]
fn a_missing_semicolon_is_found_and_parsing_goes_on() {
    check_body(
        "a := b\nb := a; a := ;\nskip skip;",
        expect![[r#"
        6:1: syntax: expected `;`, found `b`
          after this: 5:6
        6:14: syntax: expected an expression, found `;`
        7:6: syntax: expected `;`, found `skip`
          after this: 7:1
    "#]],
    );
}

#[test]
fn a_mistake_in_a_condition_leaves_the_block_alone() {
    check_body(
        "if (a & ) then skip; fi while a b do od if (a then fi while a skip; od if a then )",
        expect![[r#"
            5:9: syntax: expected an expression, found `)`
            5:33: syntax: expected an operator or `do`, found `b`
            5:47: syntax: expected an operator or `)`, found `then`
              opened here: 5:44
            5:63: syntax: expected an operator or `do`, found `skip`
            5:82: syntax: expected a statement, found `)`
            6:1: syntax: expected `fi`, found `end`
              to close this: 5:72
        "#]],
    );
}

#[test]
fn what_closes_a_block_must_fit() {
    check_body(
        "if (a) then while (b) do skip; fi fi",
        expect![[r#"
        5:32: syntax: expected `od`, found `fi`
          to close this: 5:13
    "#]],
    );
}

#[test]
fn an_open_block_is_found_at_the_end_of_the_procedure() {
    check(
        "void f() begin if (a) then skip; end void main() begin skip; void g() begin end end",
        expect![[r#"
        1:34: syntax: expected `fi`, found `end`
          to close this: 1:16
        1:62: syntax: expected `end`, found `void`
          to close this: 1:50
        1:81: syntax: expected a declaration or a procedure, found `end`
    "#]],
    );
}

#[test]
fn declarations_come_first() {
    check_body(
        "skip; decl c; enforce a; abortif (a); skip;",
        expect![[r#"
        5:7: syntax: `decl` stands before the first statement of a procedure
        5:15: syntax: `enforce` stands before the first statement of a procedure
        5:26: syntax: `abortif` stands before the first statement of a procedure
    "#]],
    );
}

#[test]
fn a_file_in_another_language_is_refused() {
    check(
        "int main(void) { return 0; }",
        expect![[r#"
        1:1: syntax: expected a declaration or a procedure, found `int`
        1:14: syntax: expected a procedure's name, found `)`
    "#]],
    );
}

#[test]
fn a_file_that_stops_is_refused() {
    check(
        "decl a; void main() begin a :=",
        expect![[r#"
        1:31: syntax: expected an expression, found the end of the file
    "#]],
    );
    check(
        "void",
        expect![[r#"
        1:5: syntax: expected a procedure's name, found the end of the file
    "#]],
    );
    check(
        "decl",
        expect![[r#"
        1:5: syntax: expected a variable, found the end of the file
    "#]],
    );
    check(
        "bool<",
        expect![[r#"
        1:6: syntax: expected a number of results, found the end of the file
    "#]],
    );
}

#[test]
fn numbers_are_zero_and_one() {
    check_body(
        "a := 2; a := 1 & 00; a := 99999999999999999999;",
        expect![[r#"
        5:6: syntax: expected an expression, in which the only numbers are 0 and 1, found `2`
        5:18: syntax: expected an expression, in which the only numbers are 0 and 1, found `00`
        5:27: syntax: expected an expression, in which the only numbers are 0 and 1, found `99999999999999999999`
    "#]],
    );
}

#[test]
fn calls_and_lists_need_their_parentheses() {
    check_body(
        "f(a; f(a b); dead; goto; print a; a; a, b; start_thread a; sync;",
        expect![[r#"
        5:4: syntax: expected `,` or `)`, found `;`
          opened here: 5:2
        5:10: syntax: expected `,` or `)`, found `b`
          opened here: 5:7
        5:18: syntax: expected a variable, found `;`
        5:24: syntax: expected a label, found `;`
        5:32: syntax: expected `:=`, `(` or `:` after a name, found `a`
        5:36: syntax: expected `:=`, `(` or `:` after a name, found `;`
        5:42: syntax: expected `:=`, found `;`
        5:58: syntax: expected `(`, found `;`
        5:64: syntax: expected a label, found `;`
    "#]],
    );
}

#[test]
fn keywords_and_constants_are_no_names() {
    check(
        "decl T, x; decl if; void while() begin end void main(_) begin end",
        expect![[r#"
            1:6: reserved-name: `T` is a constant, not a variable
            1:17: reserved-name: expected a variable, found the keyword `if`
            1:26: reserved-name: expected a procedure's name, found the keyword `while`
            1:54: reserved-name: `_` is no variable: it only takes what is not wanted, on the left of `:=`
        "#]],
    );
    check_body(
        "F := T; then: skip; true, a := T, T; dead end; if := T; goto else; do();",
        expect![[r#"
            5:1: reserved-name: `F` is a constant, not a variable
            5:9: reserved-name: expected a label, found the keyword `then`
            5:21: reserved-name: `true` is a constant, not a variable
            5:43: reserved-name: expected a variable, found the keyword `end`
            5:48: syntax: expected a declaration or a procedure, found `if`
        "#]],
    );
}

#[test]
fn a_discard_has_no_value() {
    check_body(
        "a := _; 'a := b; a := '_ & ''b;",
        expect![[r#"
        5:6: syntax: expected an expression: `_` only stands on the left of `:=`, found `_`
        5:9: syntax: expected a statement, found `'`
        5:24: reserved-name: `_` is no variable: it only takes what is not wanted, on the left of `:=`
    "#]],
    );
}

#[test]
fn there_is_a_limit_to_results() {
    check(
        "bool<65536> f() begin end bool<65537> main() begin end bool<99999999999> g() begin end",
        expect![[r#"
        1:32: too-many-results: a procedure can have at most 65536 results
        1:61: too-many-results: a procedure can have at most 65536 results
    "#]],
    );
}

#[test]
fn schoose_has_two_arguments() {
    check_body(
        "a := schoose[a]; a := schoose[a, b, a]; a := schoose[];",
        expect![[r#"
            5:6: schoose-arity: `schoose` has two arguments, not 1
              `schoose[p, n]` is true where `p` is, else false where `n` is true, else either
            5:23: schoose-arity: `schoose` has two arguments, not 3
              `schoose[p, n]` is true where `p` is, else false where `n` is true, else either
            5:46: schoose-arity: `schoose` has two arguments, not 0
              `schoose[p, n]` is true where `p` is, else false where `n` is true, else either
        "#]],
    );
}

#[test]
fn primes_only_stand_in_constraints() {
    check_body(
        "a := 'b; assume(b' | a); a := b constrain 'a; constrain('a); f('a);",
        expect![[r#"
        5:6: primed-variable: the value after the statement can only stand in a `constrain`
        5:17: primed-variable: the value after the statement can only stand in a `constrain`
        5:64: primed-variable: the value after the statement can only stand in a `constrain`
    "#]],
    );
}

#[test]
fn an_undeclared_variable_is_named_once_with_its_procedure() {
    check(
        "decl x1, locked; void level1(y) begin decl z; x := y; x := lokced & x; end
         void main() begin y := q; z, _ := lockd, alpha constrain 'omega; dead z, v; end",
        expect![[r#"
            1:47: undeclared-variable: `x` is not declared in `level1`; did you mean `x1`?
            1:60: undeclared-variable: `lokced` is not declared in `level1`; did you mean `locked`?
            2:28: undeclared-variable: `y` is not declared in `main`
            2:33: undeclared-variable: `q` is not declared in `main`
            2:36: undeclared-variable: `z` is not declared in `main`
            2:44: undeclared-variable: `lockd` is not declared in `main`; did you mean `locked`?
            2:51: undeclared-variable: `alpha` is not declared in `main`
            2:67: undeclared-variable: `omega` is not declared in `main`
            2:83: undeclared-variable: `v` is not declared in `main`
        "#]],
    );
}

#[test]
fn invariants_are_checked_too() {
    check(
        "void main() begin decl a; enforce a & b; abortif 'a; end",
        expect![[r#"
        1:39: undeclared-variable: `b` is not declared in `main`
        1:50: primed-variable: the value after the statement can only stand in a `constrain`
    "#]],
    );
}

#[test]
fn variables_are_declared_once() {
    check(
        "decl a, b, a; decl b; void main(x, y, x) begin decl a, y; end",
        expect![[r#"
        1:12: duplicate-variable: `a` is declared twice
          first declared here: 1:6
        1:20: duplicate-variable: `b` is declared twice
          first declared here: 1:9
        1:39: duplicate-variable: `x` is declared twice
          first declared here: 1:33
        1:56: duplicate-variable: `y` is declared twice
          first declared here: 1:36
    "#]],
    );
}

#[test]
fn procedures_are_defined_once() {
    check(
        "void main() begin end bool main() begin end",
        expect![[r#"
        1:28: duplicate-procedure: there are two procedures `main`
          the first is here: 1:6
    "#]],
    );
}

#[test]
fn labels_stand_on_one_statement_of_a_procedure() {
    check(
        "void f() begin x: skip; end void main() begin x: y: x: skip; y: skip; end",
        expect![[r#"
        1:62: duplicate-label: label `y` stands on two statements of `main`
          the first is here: 1:50
    "#]],
    );
}

#[test]
fn labels_belong_to_their_procedure() {
    check(
        "void f() begin loop: goto loop; end void main() begin lop: skip; goto loop, 7; start_thread goto f; end",
        expect![[r#"
            1:71: undefined-label: there is no label `loop` in `main`; did you mean `lop`?
            1:77: undefined-label: there is no label `7` in `main`
            1:98: undefined-label: there is no label `f` in `main`
        "#]],
    );
}

#[test]
fn a_procedure_must_exist() {
    check_body(
        "h(); a := ff(a); start_thread func();",
        expect![[r#"
        5:1: undefined-procedure: there is no procedure `h`
        5:11: undefined-procedure: there is no procedure `ff`; did you mean `f`?
        5:31: undefined-procedure: there is no procedure `func`
    "#]],
    );
}

#[test]
fn lists_have_the_right_length() {
    check_body(
        "a, b := T; a := T, F; _ := a, b; f(); f(a, b); a := f(a); a := g(); a, b, _ := g(); g();",
        expect![[r#"
            5:1: assignment-arity: on the left 2 variables and on the right 1 value
            5:12: assignment-arity: on the left 1 variable and on the right 2 values
            5:23: assignment-arity: on the left 1 variable and on the right 2 values
            5:34: call-arity: `f` takes 1 argument, not 0
              defined here: 2:6
            5:39: call-arity: `f` takes 1 argument, not 2
              defined here: 2:6
            5:53: result-arity: `f` returns 0 values, not 1
              defined here: 2:6
            5:64: result-arity: `g` returns 2 values, not 1
              defined here: 3:9
            5:80: result-arity: `g` returns 2 values, not 3
              defined here: 3:9
        "#]],
    );
}

#[test]
fn returns_fit_the_type() {
    check(
        "void main() begin return T; end bool f() begin return T, F; return; end h() begin return T; return T, F; end",
        expect![[r#"
            1:19: return-arity: `main` returns 0 values, not 1
              declared here: 1:6
            1:48: return-arity: `f` returns 1 value, not 2
              declared here: 1:38
            1:93: return-arity: `h` returns 1 value, not 2
              all `return`s with values must give as many as the first
        "#]],
    );
}

#[test]
fn the_entry_must_exist() {
    check(
        "",
        expect![[r#"
        no-main: there are no procedures
    "#]],
    );
    check(
        "void mian() begin end void f() begin end",
        expect![[r#"
        no-main: there is no procedure `main`; there is `mian`, `f`
          say where to start, for instance with `--entry mian`
    "#]],
    );
}

#[test]
fn an_init_that_nobody_calls_is_suspicious() {
    check(
        "void init() begin end void main() begin end",
        expect![[r#"
        1:6: init-not-called: `init` is never called: a run starts in `main`, with any values
          call it at the start of `main`
    "#]],
    );
    check("void init() begin end void main() begin init(); end", expect![[""]]);
}

#[test]
fn a_chain_of_implications_is_suspicious() {
    check_body(
        "a := a => b => a => b; a := (a => b) => a;",
        expect![[r#"
        5:13: implication-chain: `a => b => c` is read as `(a => b) => c`
          write the parentheses
        5:18: implication-chain: `a => b => c` is read as `(a => b) => c`
          write the parentheses
    "#]],
    );
}

#[test]
fn there_is_an_end_to_the_errors() {
    assert_eq!(find(&"a := ; ".repeat(1000)).len(), 1);
    for body in ["a := ) ;", "x := y; ", "goto nowhere;", "f();", "x: ", "x: skip;", "@ skip;", "a := 'a;", "skip: "] {
        let found = find(&format!("decl a; void main() begin {} end", body.repeat(1000)));
        assert!(found.len() <= MAX_ERRORS, "{body}: {}", found.len());
    }
}

#[test]
fn every_code_has_a_test() {
    let tests = [include_str!("diagnostics.rs"), include_str!("goals.rs"), include_str!("properties/main.rs")];
    // A text of 4 GiB is too large for a test.
    for code in CODES.iter().filter(|&&code| code != "file-too-large") {
        assert!(tests.iter().any(|test| test.contains(code)), "{code}");
    }
}
