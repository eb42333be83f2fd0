//! Whatever the text, no panic, and no more errors than there should be.

use hardbop_lang_remopla::pds;
use proptest::prelude::{any, proptest};

/// Parses and lowers; errors are fine.
fn swallow(text: &str) {
    let (ast, found) = pds::parse(text, 0);
    assert!(found.len() <= 2 * pds::MAX_ERRORS);
    if found.is_empty()
        && let Err(found) = pds::lower(&ast)
    {
        assert!(!found.is_empty() && found.len() <= 2 * pds::MAX_ERRORS);
    }
}

const PIECES: &[&str] = &[
    "p",
    "<",
    ">",
    "-->",
    "a",
    "b",
    "(",
    ")",
    "global",
    "local",
    "int",
    "bool",
    "define",
    "atoms",
    "x",
    "x'",
    "x''",
    "[",
    "]",
    ",",
    ";",
    "0",
    "1",
    "2",
    "3",
    "=",
    "!=",
    "<=",
    "<<",
    ">>",
    "+",
    "-",
    "*",
    "/",
    "&",
    "|",
    "^",
    "!",
    "->",
    "<->",
    "A i (0,2)",
    "E i (0,1)",
    "\"l\"",
    "#",
    "\n",
    "'",
    "(p <a>)\n",
    "p <a> --> p <b>",
    "global int x(2);\n",
    "%",
    "é",
    "18446744073709551615",
];

proptest! {
    #[test]
    fn any_pieces_are_survived(picks in proptest::collection::vec(any::<u16>(), 0..60)) {
        let pieces = picks.iter().map(|&pick| PIECES[usize::from(pick) % PIECES.len()]);
        swallow(&pieces.collect::<Vec<_>>().join(" "));
    }

    #[test]
    fn any_condition_is_survived(picks in proptest::collection::vec(any::<u16>(), 0..20)) {
        let pieces = picks.iter().map(|&pick| PIECES[usize::from(pick) % PIECES.len()]);
        let condition = pieces.collect::<Vec<_>>().join(" ");
        let declarations = "global int x(2); local f (a, b) int y(2), a[2](1); (p <a>)";
        swallow(&format!("{declarations}\np <a> --> p <b a> ({condition})"));
    }

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        swallow(&text);
    }
}

#[test]
fn deep_nesting_is_refused_or_read() {
    let rule = |condition: String| format!("global bool g; int n(2), a[2](1); (p <a>)\np <a> --> p <a> ({condition})");
    for depth in [pds::MAX_NESTING as usize - 10, 200_000] {
        swallow(&rule("(".repeat(depth) + "g" + &")".repeat(depth)));
        swallow(&rule("!".repeat(depth) + "g"));
        swallow(&rule("g -> ".repeat(depth) + "g"));
        swallow(&rule("g <-> ".repeat(depth) + "g"));
        swallow(&rule("A i (0,0) ".repeat(depth) + "g"));
        swallow(&rule("a[".repeat(depth) + "n" + &"]".repeat(depth) + " = 1"));
        swallow(&rule("(n + ".repeat(depth) + "1" + &")".repeat(depth) + " = 1"));
        swallow(&rule("n - ".repeat(depth) + "1 = 1"));
    }
}

#[test]
fn long_conjunctions_are_read() {
    let condition = vec!["(g' = g)"; 100_000].join(" & ");
    let (ast, found) = pds::parse(&format!("global bool g; (p <a>)\np <a> --> p <a> ({condition})"), 0);
    assert!(found.is_empty());
    assert!(pds::lower(&ast).is_ok());
}

#[test]
fn many_rules_are_read() {
    let mut text = String::from("global int n(8); local f (s0) int x(8); (p <s0>)\n");
    for number in 0..20_000 {
        text += &format!("p <s{number}> --> p <s{}> \"\" (n' = n)\n", number + 1);
    }
    let (ast, found) = pds::parse(&text, 0);
    assert!(found.is_empty());
    assert_eq!(pds::lower(&ast).expect("the system is correct").program.icfg.nodes.len(), 20_002);
}

#[test]
fn many_entries_with_shared_symbols_are_refused_in_time() {
    let mut text = String::from("(p <s0>)\n");
    for number in 0..5_000 {
        text += &format!("p <s{number}> --> p <s{} s0>\n", (number + 1) % 5_000);
        text += &format!("p <s0> --> p <s{number}>\n");
    }
    swallow(&text);
}
