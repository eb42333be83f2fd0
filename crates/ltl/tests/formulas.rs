//! Reading and writing formulas: what is read, and what is said of what is not.

use expect_test::{Expect, expect};
use hardbop_base::SourceMap;
use hardbop_ltl::formula::Prop;
use hardbop_ltl::{CODES, Formula, parse};

/// Each formula as it is written and its propositions with their places; or its errors.
#[track_caller]
fn check(sources: &[&str], expect: Expect) {
    expect.assert_eq(&sources.iter().map(|source| describe(source)).collect::<String>());
}

fn describe(source: &str) -> String {
    let mut sources = SourceMap::default();
    sources.add("formula", source.into()).expect("a test is small");
    let findings = match parse(source, 0) {
        Ok(formula) => {
            let again = parse(&formula.to_string(), 0).expect("what was written can be read");
            assert_eq!(again.to_string(), formula.to_string());
            let place = |prop: &Prop| {
                let span = prop.span.expect("it was read");
                format!("{} {}..{}", prop.text, span.start, span.end)
            };
            let props: Vec<String> = formula.props().iter().map(place).collect();
            let separator = if props.is_empty() { "" } else { "\n  " };
            return format!("{formula}{separator}{}\n", props.join(", "));
        }
        Err(findings) => findings,
    };
    let mut text = format!("{source}\n");
    for finding in findings {
        assert!(CODES.contains(&finding.code), "{}", finding.code);
        let place = finding.span.map(|span| sources.locate(span)).expect("the parser always knows where");
        let help = finding.help.map(|help| format!("; {help}")).unwrap_or_default();
        text += &format!("  {}: {}{help}\n", place.column, finding.message);
    }
    text
}

#[test]
fn operators_bind_as_in_spot() {
    check(
        &[
            "a U b U c && !d R e || f -> g <-> h xor i",
            "(((a -> b) -> c) U d) W (e M f)",
            "!(a && b) || !a || X X F G true",
            "(a xor b) xor c <-> d",
        ],
        expect![[r#"
            a U (b U c) && !d R e || f -> g <-> h xor i
              a 0..1, b 4..5, c 8..9, d 14..15, e 18..19, f 23..24, g 28..29, h 34..35, i 40..41
            (((a -> b) -> c) U d) W (e M f)
              a 3..4, b 8..9, c 14..15, d 19..20, e 25..26, f 29..30
            !(a && b) || !a || XXFG true
              a 2..3, b 7..8
            (a xor b) xor c <-> d
              a 1..2, b 7..8, c 14..15, d 20..21
        "#]],
    );
}

#[test]
fn every_spelling_is_read() {
    check(
        &["[]<>p & <>[]q | ~r and not s or t xor u => v <=> w ^ x", "a V b WU c", "1 && 0 && true && false"],
        expect![[r#"
            GF p && FG q || !r && !s || t xor u -> v <-> w xor x
              p 4..5, q 12..13, r 17..18, s 27..28, t 32..33, u 38..39, v 43..44, w 49..50, x 53..54
            a R (b W c)
              a 0..1, b 4..5, c 9..10
            true && false && true && false
        "#]],
    );
}

#[test]
fn prefix_operators_may_be_glued_to_short_names() {
    check(
        &["GFp0 -> FG!p1 && XXa", "GF\"x\" && FG(y) && X@l", "Flag && Xbox == 1 && F1 && GFp.x && Gp_1"],
        expect![[r#"
            GF p0 -> FG !p1 && XX a
              p0 2..4, p1 11..13, a 19..20
            GF x && FG y && X @l
              x 2..5, y 12..13, @l 19..21
            Flag && Xbox == 1 && F1 && GFp.x && Gp_1
              Flag 0..4, Xbox == 1 8..17, F1 21..23, GFp.x 27..32, Gp_1 36..40
        "#]],
    );
}

#[test]
fn propositions_are_texts_with_places() {
    check(
        &[
            "G(a[2] == 3 -> main.i < 4)",
            "x + 1 <= y U x+1<=y",
            "@loop && at_entry(f) && at_exit ( g ) && @f",
            "x<-1 && y - z > -2 * a[b[1] + 1] << 2",
            "!x == 1 U {lock held}",
            "a<->b -> c<=d",
            "\"c > (n / 2)\" U \"GFp0\" || \"true\"",
            "1 == x && 0 < y",
        ],
        expect![[r#"
            G(a[2] == 3 -> main.i < 4)
              a[2] == 3 2..11, main.i < 4 15..25
            x + 1 <= y U x + 1 <= y
              x + 1 <= y 0..10
            @loop && at_entry(f) && at_exit ( g ) && @f
              @loop 0..5, at_entry(f) 9..20, at_exit ( g ) 24..37, @f 41..43
            x<-1 && y - z > -2 * a[b[1] + 1] << 2
              x<-1 0..4, y - z > -2 * a[b[1] + 1] << 2 8..37
            !(x == 1) U {lock held}
              x == 1 1..7, {lock held} 10..21
            a <-> b -> c<=d
              a 0..1, b 4..5, c<=d 9..13
            "c > (n / 2)" U "GFp0" || "true"
              c > (n / 2) 0..13, GFp0 16..22, true 26..32
            1 == x && 0 < y
              1 == x 0..6, 0 < y 10..15
        "#]],
    );
}

#[test]
fn blanks_do_not_make_propositions_different() {
    check(
        &["x==1 && x == 1 && \" x  ==1 \""],
        expect![[r#"
        x==1 && x==1 && x==1
          x==1 0..4
    "#]],
    );
}

#[test]
fn what_is_missing_is_named() {
    check(
        &[
            "",
            "a &&",
            "a && U b",
            "(a && b",
            "a)",
            "a b",
            "G",
            "x ==",
            "x == && y",
            "\"x == 1",
            "\"\" && a",
            "at_entry(f",
            "a[1 == 2",
            "@ && a",
        ],
        expect![[r#"

              1: the formula ends where an operand is wanted
            a &&
              5: the formula ends where an operand is wanted
            a && U b
              6: expected an operand, found `U`; this operator has nothing on its left
            (a && b
              1: this `(` is never closed; add `)`
            a)
              2: this `)` was never opened
            a b
              3: expected an operator or the end, found `b`; operators are `&&`, `||`, `xor`, `->`, `<->`, `U`, `W`, `R` and `M`
            G
              2: the formula ends where an operand is wanted
            x ==
              5: the formula ends where a term is wanted
            x == && y
              6: expected a term, found `&&`
            "x == 1
              1: this quoted proposition has no end; add `"`
            "" && a
              1: there is no proposition between these quotes
            at_entry(f
              1: this `(` is never closed; add `)`
            a[1 == 2
              1: this `[` is never closed; add `]`
            @ && a
              1: expected an operand, found `@`; a place is `@label` or `@procedure`
        "#]],
    );
}

#[test]
fn near_misses_get_help() {
    check(
        &["a u b", "a orr b", "a <> b", "f(x)", "G 2", "'x == 1'", "a && é & b % c"],
        expect![[r#"
            a u b
              3: expected an operator or the end, found `u`; write `U`
            a orr b
              3: expected an operator or the end, found `orr`; did you mean `or`?
            a <> b
              3: expected an operator or the end, found `<`; unequal is `!=`
            f(x)
              2: expected an operator or the end, found `(`; only `at_entry`, `at_exit` and `on_stack` take what is in parentheses
            G 2
              3: the number `2` is no proposition; compare it with something, or write `true` or `false`
            'x == 1'
              1: expected an operand, found `'`; quote with `"`
            a && é & b % c
              12: expected an operator or the end, found `%`; operators are `&&`, `||`, `xor`, `->`, `<->`, `U`, `W`, `R` and `M`
        "#]],
    );
}

#[test]
fn nesting_is_limited_and_parentheses_are_free() {
    let deep = 100_000;
    let formula = parse(&format!("{}a{}", "(".repeat(deep), ")".repeat(deep)), 0).unwrap();
    assert_eq!(formula.to_string(), "a");
    for (operator, close) in [("!", ""), ("X", ""), ("G ", ""), ("F(", ")"), ("a U ", ""), ("a -> ", "")] {
        let findings = parse(&format!("{}a{}", operator.repeat(deep), close.repeat(deep)), 0).unwrap_err();
        assert_eq!(findings[0].code, "ltl-too-deep", "{operator}");
    }
    let findings = parse(&"!".repeat(deep), 0).unwrap_err();
    assert_eq!(findings[0].code, "ltl-syntax");
    let chain = vec!["a"; deep].join(" && ");
    assert!(parse(&chain, 0).is_ok());
}

#[test]
fn formulas_are_built_from_formulas() {
    let property = parse("G(req -> F ack)", 0).unwrap();
    let fair = parse("GF run && GF ack", 0).unwrap();
    let goal = fair.binary(hardbop_ltl::formula::Binary::Implies, &property);
    assert_eq!(goal.to_string(), "GF run && GF ack -> G(req -> F ack)");
    assert_eq!(goal.props().len(), 3);
    let parts: Vec<String> = goal.nodes().ids().map(|id| goal.text(id)).collect();
    assert!(parts.contains(&"GF ack".to_owned()), "{parts:?}");
    let built = Formula::proposition("x == 1").negated().and(&Formula::constant(true)).or(&Formula::proposition("U"));
    assert_eq!(built.to_string(), "!(x == 1) && true || \"U\"");
    assert_eq!(built.negated().negated().to_string(), "!(x == 1) && true || \"U\"");
}

/// The formula in negation normal form, and rewritten.
#[track_caller]
fn check_rewritten(source: &str, expect: Expect) {
    let formula = parse(source, 0).expect("the formula is well-formed");
    expect.assert_eq(&format!("{} ~ {}", formula.nnf(), formula.simplified()));
}

#[test]
fn formulas_are_rewritten() {
    check_rewritten("!(a U b)", expect!["!a R !b ~ !a R !b"]);
    check_rewritten("!G(a -> F b)", expect!["F(a && G !b) ~ F(a && G !b)"]);
    check_rewritten("G(F a && F b)", expect!["G(F a && F b) ~ GF a && GF b"]);
    check_rewritten("F(a && G F b)", expect!["F(a && GF b) ~ GF b && F a"]);
    check_rewritten("G F(a && X F b)", expect!["GF(a && XF b) ~ GF a && GF b"]);
    check_rewritten("F G(a U b)", expect!["FG(a U b) ~ FG(a || b) && GF b"]);
    check_rewritten(
        "F p -> ((!p && !q) U (p || (!p && q) U p))",
        expect!["(!p && !q) U (p || (!p && q) U p) || G !p ~ G !p || !q U (q U p)"],
    );
    check_rewritten("(a U b) || G a", expect!["a U b || G a ~ a W b"]);
    check_rewritten("X a U X b && X true", expect!["X a U X b && X true ~ X(a U b)"]);
    check_rewritten("(a W b) && F b", expect!["a W b && F b ~ a U b"]);
    check_rewritten("(a U b) && (c U b) && G !b", expect!["a U b && c U b && G !b ~ false"]);
    check_rewritten("a && (!a || X b)", expect!["a && (!a || X b) ~ a && X b"]);
}
