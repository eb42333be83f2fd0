//! No text causes a panic, and none takes for ever.

use super::diagnostics::find;
use super::oracle::spell;
use hardbop_base::Severity;
use hardbop_lang_remopla::rem::{MAX_ERRORS, MAX_NESTING, lower, parse};
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assume, prop_oneof, proptest};

/// Takes `text` as far as it goes.
fn run(text: &str) {
    let (ast, findings) = parse(text, 7);
    assert!(findings.iter().filter(|finding| finding.severity == Severity::Error).count() <= MAX_ERRORS);
    for finding in &findings {
        let span = finding.span.expect("the parser always knows where");
        assert!(7 <= span.start && span.start <= span.end && span.end as usize <= 7 + text.len());
        assert!(text.is_char_boundary(span.start as usize - 7) && text.is_char_boundary(span.end as usize - 7));
    }
    // Also after errors: the tree is then a part of the program.
    match lower(&ast, None) {
        Ok(lowered) => {
            let icfg = &lowered.program.icfg;
            assert_eq!(icfg.edges.len(), lowered.program.labels.len());
            assert_eq!(icfg.procs.len(), lowered.program.locals.len());
        }
        Err(errors) => assert!((1..=2 * MAX_ERRORS).contains(&errors.len())),
    }
}

const WORDS: &[&str] = &[
    "define N 2",
    "define",
    "DEFAULT_INT_BITS",
    "bool",
    "int",
    "unsigned",
    "signed",
    "shared",
    "enum",
    "struct",
    "module",
    "void",
    "init",
    "if",
    "fi",
    "do",
    "od",
    "else",
    "skip",
    "goto",
    "break",
    "return",
    "undef",
    "true",
    "false",
    "fork",
    "pchoice",
    "choicep",
    "A",
    "E",
    "i",
    "x",
    "a",
    "p",
    "s",
    "u",
    "f",
    "main",
    "L",
    "N",
    "red",
    "0",
    "1",
    "3",
    "0.5",
    "18446744073709551615",
    ",",
    ";",
    ":",
    "::",
    "->",
    "-->",
    "=",
    "==",
    "!=",
    "!",
    "<",
    "<=",
    ">",
    ">=",
    "<=>",
    "<<",
    ">>",
    "+",
    "-",
    "*",
    "/",
    "&&",
    "&",
    "||",
    "|",
    "^^",
    "^",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    "'",
    "\"t\"",
    "#",
    "\n",
    "\0",
    "é",
    "module void main() {",
    "int x(2), a[3](2);",
    "struct t { int u(2); };",
    "struct t s;",
    "A i (0,1)",
    "q<a> --> q<a>",
    ":: p ->",
    "init main;",
    "a[x]",
    "s.u",
    "x = f(1)",
];

fn tokens() -> impl Strategy<Value = String> {
    let word = prop_oneof![20 => (0..WORDS.len()).prop_map(|word| WORDS[word].to_owned()), 1 => any::<String>()];
    proptest::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_causes_a_panic(text in any::<String>()) {
        run(&text);
    }

    #[test]
    fn no_tokens_cause_a_panic(text in tokens()) {
        run(&text);
    }

    #[test]
    fn no_damaged_program_causes_a_panic(
        tape in proptest::collection::vec(any::<u8>(), 0..300),
        cut in any::<(u16, u16)>(),
        junk in tokens(),
    ) {
        let text = spell(&tape);
        let (from, to) = (cut.0 as usize % (text.len() + 1), cut.1 as usize % 20);
        prop_assume!(text.is_char_boundary(from) && text.is_char_boundary((from + to).min(text.len())));
        run(&(text[..from].to_owned() + &junk + &text[(from + to).min(text.len())..]));
        run(&text[..from]);
    }
}

/// The command runs on a thread with a large stack, and so do programs of great depth here.
fn on_a_large_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(run).expect("a thread can be started");
    thread.join().expect("no panic");
}

fn nested((open, middle, close): (&str, &str, &str), levels: u32) -> String {
    open.repeat(levels as usize) + middle + &close.repeat(levels as usize)
}

const STATEMENTS: &[(&str, &str, &str)] = &[
    ("if :: p -> ", "skip;", " fi"),
    ("do :: p -> ", "skip;", " od"),
    ("if :: p -> skip; :: else -> ", "skip;", " fi"),
    ("pchoice :: 1 -> ", "skip;", " choicep"),
];

const EXPRESSIONS: &[(&str, &str, &str)] = &[
    ("(", "p", ")"),
    ("!", "p", ""),
    ("p && ", "p", ""),
    ("E i (0,0) ", "p", ""),
    ("p == (", "p", ")"),
    ("b[0 + ", "0", "]"),
];

fn with(stmt: &str) -> String {
    format!("bool p, b[2]; int x(2); module void main() {{ {stmt} }}")
}

#[test]
fn what_is_deep_is_read() {
    on_a_large_stack(|| {
        let stmts = STATEMENTS.iter().map(|&parts| nested(parts, MAX_NESTING / 2));
        let parts = &EXPRESSIONS[..EXPRESSIONS.len() - 1];
        let exprs = parts.iter().map(|&parts| format!("p = {};", nested(parts, MAX_NESTING / 2)));
        for stmt in stmts.chain(exprs) {
            let codes: Vec<_> = find(&with(&stmt)).iter().map(|finding| finding.code).collect();
            assert!(codes.is_empty() || codes == ["probabilities-ignored"], "{codes:?} {}", &stmt[..40]);
        }
    });
}

#[test]
fn what_is_deeper_is_refused() {
    on_a_large_stack(|| {
        let stmts = STATEMENTS.iter().map(|&parts| nested(parts, MAX_NESTING + 1));
        let exprs = EXPRESSIONS.iter().map(|&parts| format!("p = {};", nested(parts, MAX_NESTING + 1)));
        for stmt in stmts.chain(exprs) {
            let codes: Vec<_> = find(&with(&stmt)).iter().map(|finding| finding.code).collect();
            assert_eq!(codes, ["nested-too-deeply"], "{}", &stmt[..40]);
        }
    });
}

#[test]
fn what_is_too_large_is_refused() {
    let refused = |source: &str, code: &str| {
        let codes: Vec<_> = find(source).iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [code], "{source}");
    };
    refused(&with("skip (A i (0,100000000) E j (0,100000000) i == j);"), "too-large");
    refused(&with("A i (0,100000000) b[0] = p;"), "too-large");
    refused("int i(64); bool b; module void main() { b = A j (0,18446744073709551615) i == j; }", "too-large");
}

#[test]
fn megabytes_take_no_time() {
    let stmts = "if :: x == 1 -> x = 2; :: else -> L: x = x / 2; fi ".replace("L: ", "");
    let source = format!("int x(8); module void main() {{ {} }}", stmts.repeat(50_000));
    let (ast, findings) = parse(&source, 0);
    assert_eq!(findings, []);
    let lowered = lower(&ast, None).expect("the program is correct");
    assert_eq!(lowered.program.icfg.nodes.len(), 150_001);
}
