//! What is wrong with a system, and how it is said.

use expect_test::{Expect, expect};
use hardbop_base::{Diagnostic, SourceMap};
use hardbop_lang_remopla::pds;
use std::fmt::Write;

#[track_caller]
fn check(text: &str, expect: Expect) {
    let mut sources = SourceMap::default();
    sources.add("system.pds", text.into()).expect("a test is small");
    let (ast, mut found) = pds::parse(text, 0);
    if found.is_empty() {
        found = match pds::lower(&ast) {
            Ok(lowered) => lowered.warnings,
            Err(found) => found,
        };
    }
    let mut shown = String::new();
    for Diagnostic { code, message, span, related, help, .. } in found {
        assert!(pds::CODES.contains(&code), "`{code}` is not listed");
        let place = span.map(|span| sources.locate(span));
        let place = place.map(|place| format!("{}:{}: ", place.line, place.column)).unwrap_or_default();
        writeln!(shown, "{place}{code}: {message}").expect("a string takes everything");
        if let Some((what, span)) = related {
            let place = sources.locate(span);
            writeln!(shown, "  {}:{}: {what}", place.line, place.column).expect("a string takes everything");
        }
        help.iter().for_each(|help| writeln!(shown, "  help: {help}").expect("a string takes everything"));
    }
    expect.assert_eq(&shown);
}

/// A rule in a system with some variables.
#[track_caller]
fn check_rule(rule: &str, expect: Expect) {
    let declarations = "global int n(2), a[3](2); bool g; local f (a, b) int x(2); bool y; (p <m>)";
    check(&format!("{declarations}\n{rule}"), expect);
}

#[test]
fn three_symbols_on_the_right_are_too_many() {
    check(
        "(p <a>)\np <a> --> p <b c d>\np <a> --> p <b>",
        expect![[r#"
        2:13: too-many-symbols: a rule puts at most two symbols on the stack
          help: push them one after the other, by rules with a symbol of their own in between
    "#]],
    );
}

#[test]
fn two_symbols_on_the_left_are_too_many() {
    check(
        "(p <a>)\np <a b> --> p <b>\np <a> -> p <b>",
        expect![[r#"
        2:6: syntax: expected `>`: there is one symbol on the left of `-->`, found `b`
        3:7: syntax: expected `-->`, found `->`
    "#]],
    );
}

#[test]
fn a_system_starts_somewhere() {
    check(
        "p <a> --> p <b>",
        expect![[r#"
        1:16: no-initial-configuration: there is no initial configuration
          help: write `(state <symbol>)` before the rules
    "#]],
    );
    check(
        "(p <a>)\n(q <a>)\np <a> --> p <b>",
        expect![[r#"
        2:1: syntax: there is a second initial configuration
          1:1: the first is here
    "#]],
    );
    check(
        "",
        expect![[r#"
        1:1: no-initial-configuration: there is no initial configuration
          help: write `(state <symbol>)` before the rules
    "#]],
    );
}

#[test]
fn every_line_gets_its_error() {
    check(
        "(p <a>)\np <a> --> p <b> (x = )\np <a> --> p <b> \"open\np <a> --> p b>\n% what",
        expect![[r#"
        2:22: syntax: expected an expression, found `)`
        3:17: unterminated-label: this label has no end in its line
          help: add `"`
        4:13: syntax: expected `<`, found `b`
        5:1: unknown-character: `%` means nothing in a pushdown system
    "#]],
    );
}

#[test]
fn names_must_be_declared() {
    check_rule(
        "p <m> --> p <b> (nn = 1 & x'' = 1 & x = 2 & y' = 1)",
        expect![[r#"
        2:18: undeclared-variable: `nn` is not declared where `m` is on the stack; did you mean `n`?
        2:27: primed-variable: `x''`: the rule has no second symbol on its right
        2:37: undeclared-variable: `x` is not declared where `m` is on the stack
          1:54: the list of this block does not name `m`
    "#]],
    );
    check_rule(
        "p <a> --> p <b> (xx = 1)",
        expect![[r#"
        2:18: undeclared-variable: `xx` is not declared where `a` is on the stack; did you mean `x`?
    "#]],
    );
}

#[test]
fn primes_need_a_state_to_speak_of() {
    check_rule(
        "p <a> --> p <> (x' = x & n' = n)",
        expect![[r#"
        2:17: primed-variable: `x'`: `x` is local, and the rule has no symbol on its right
    "#]],
    );
    check_rule(
        "p <a> --> p <b> (x'' = x)",
        expect![[r#"
        2:18: primed-variable: `x''`: the rule has no second symbol on its right
    "#]],
    );
    check_rule(
        "p <a> --> p <b b> (n'' = n)",
        expect![[r#"
        2:20: primed-variable: `n''`: `n` is global, and only locals are saved on the stack
          help: its value after the rule is `n'`
    "#]],
    );
    check_rule(
        "p <a> --> p <b> (A i (0,2) i' = i)",
        expect![[r#"
        2:28: primed-variable: `i'`: `i` is a constant and has no next value
    "#]],
    );
    check_rule(
        "p <a> --> p <b> (x''' = x)",
        expect![[r#"
        2:18: primed-variable: a variable has at most two primes
    "#]],
    );
    check(
        "global bool g; (p (g' = g) <a>)",
        expect![[r#"
        1:20: primed-variable: `g'`: the initial configuration has no step before it
    "#]],
    );
}

#[test]
fn arrays_have_indexes_and_others_have_none() {
    check_rule(
        "p <a> --> p <b> (a = 1 & n[0] = 1)",
        expect![[r#"
        2:18: array-index: `a` is an array: which of its elements?
        2:26: array-index: `n` is no array, so it has no elements
    "#]],
    );
}

#[test]
fn numbers_are_no_truth_values() {
    check_rule(
        "p <a> --> p <b> (n & g)",
        expect![[r#"
        2:18: type-mismatch: this is a number, where something true or false belongs
    "#]],
    );
    check_rule(
        "p <a> --> p <b> ((g & y) + 1 = 2)",
        expect![[r#"
        2:19: type-mismatch: this is true or false, where a number belongs
    "#]],
    );
    check_rule(
        "p <a> --> p <b> ((g & y) = n)",
        expect![[r#"
        2:19: type-mismatch: this is true or false, where a number belongs
    "#]],
    );
    check_rule("p <a> --> p <b> (g = 1 & g = y & (g | y) = y & n + g = 2 & 1)", expect![""]);
}

#[test]
fn comparisons_form_no_chains() {
    check_rule(
        "p <a> --> p <b> (0 < n < 3)",
        expect![[r#"
        2:24: syntax: comparisons do not form chains
          help: write `a < b & b < c`
    "#]],
    );
}

#[test]
fn ranges_are_constant() {
    check_rule(
        "p <a> --> p <b> (A i (0,n) a[i] = 0)",
        expect![[r#"
        2:25: not-constant: this is no constant
          help: a range goes from one number or `define`d name to another
    "#]],
    );
    check(
        "define N M\nglobal int a[N](2), b[0](2), c[3,1](1);\n(p <a>)",
        expect![[r#"
            1:10: not-constant: this is no constant
              help: a constant is made of numbers, names that `define` has given a value, `+ - * / << >>`
            2:23: array-bounds: the array `b` has no elements
            2:32: array-bounds: the array `c` has no elements
        "#]],
    );
    check(
        "define N 0-1\ndefine N 2\nglobal int x(0), y(1000), z;\n(p <a>)",
        expect![[r#"
        1:10: not-constant: this has no value
          help: a constant is made of numbers, names that `define` has given a value, `+ - * / << >>`
        2:8: duplicate-constant: `N` is defined twice
          1:8: the first definition
        3:14: number-too-large: a number has from 1 to 256 bits, not 0
        3:20: number-too-large: a number has from 1 to 256 bits, not 1000
        3:27: syntax: how many bits has `z`?
          help: write `z(4)`, or define DEFAULT_INT_BITS
    "#]],
    );
}

#[test]
fn names_are_declared_once() {
    check(
        "global bool x; int x(2);\nlocal f (a) bool y, y;\n(p <a>)",
        expect![[r#"
        1:20: duplicate-variable: `x` is declared twice
          1:13: the first declaration
        2:21: duplicate-variable: `y` is declared twice
          2:18: the first declaration
    "#]],
    );
    check(
        "local f (a) bool y;\nlocal g (a, a) bool y;\n(p <a>)",
        expect![[r#"
        2:10: duplicate-variable: `a` has two locals called `y`
          1:18: the first declaration
        2:13: duplicate-variable: `a` has two locals called `y`
          1:18: the first declaration
    "#]],
    );
}

#[test]
fn a_symbol_stands_once_in_a_list() {
    check(
        "local g (a, a) bool y;\n(p <a>)",
        expect![[r#"
        1:13: duplicate-symbol: `a` stands twice in this list
    "#]],
    );
}

#[test]
fn an_atom_of_nothing_is_worth_a_warning() {
    check(
        "(p <main>)\natoms mian good",
        expect![[r#"
        2:7: unknown-symbol: no rule has a stack symbol `mian`
    "#]],
    );
}

#[test]
fn large_systems_are_refused() {
    check(
        "global int a[1000000000](64);\n(p <a>)",
        expect![[r#"
        1:12: system-too-large: the variables up to `a` have more than 100000 bits
          help: make arrays shorter, or numbers narrower
    "#]],
    );
    check(
        "global int a[99999999999999999999](64);\n(p <a>)",
        expect![[r#"
        1:14: number-too-large: a number is at most 18446744073709551615
    "#]],
    );
    check(
        "global bool g; (p <a>)\np <a> --> p <a> (A i (0,4000000000) A j (0,4000000000) g)",
        expect![[r#"
        2:1: system-too-large: the rules up to here, with all values of their quantifiers, are too large
    "#]],
    );
    check(
        "global int n(200); (p <a>)\np <a> --> p <a> (1 << n = 3)",
        expect![[r#"
        2:1: system-too-large: a number in this has too many bits
    "#]],
    );
    check(
        "global int n(256); (p <a>)\np <a> --> p <a> (n*n*n*n = 3)",
        expect![[r#"
        2:1: system-too-large: this multiplies or divides numbers that are too wide
    "#]],
    );
}
