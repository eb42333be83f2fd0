//! Properties of all programs, and of all texts.

mod model;
mod shape;

use hardbop_base::Severity;
use hardbop_icfg::{Expr, Exprs, Program, Relation, Transition};
use hardbop_lang_bp::{Ast, MAX_ERRORS, MAX_NESTING, check, lower, parse, print};
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_assume, prop_oneof, proptest};

/// Takes `text` as far as it goes; the tree, where it could be read.
fn run(text: &str) -> Option<Ast> {
    let (ast, findings) = parse(text, 7);
    assert!(findings.iter().filter(|finding| finding.severity == Severity::Error).count() <= MAX_ERRORS);
    for finding in &findings {
        let span = finding.span.expect("the parser always knows where");
        assert!(7 <= span.start && span.start <= span.end && span.end as usize <= 7 + text.len());
        assert!(text.is_char_boundary(span.start as usize - 7) && text.is_char_boundary(span.end as usize - 7));
    }
    print(&ast);
    check(&ast, "main");
    // Also after errors: the tree is then a part of the program.
    if let Ok(lowered) = lower(&ast, "main") {
        lowered.program.labels.iter().for_each(|label| match label {
            Relation::Step(step) => assert_choices_stand_once(&lowered.program.exprs, step),
            Relation::Call { enter, leave } => {
                assert_choices_stand_once(&lowered.program.exprs, enter);
                assert_choices_stand_once(&lowered.program.exprs, leave);
            }
            Relation::Return => {}
        });
    }
    findings.iter().all(|finding| finding.severity == Severity::Warning).then_some(ast)
}

fn program_of(ast: &Ast) -> Program<Relation> {
    lower(ast, "main").expect("the program is correct").program
}

fn assert_choices_stand_once(exprs: &Exprs, transition: &Transition) {
    let mut count = vec![0; transition.choices as usize];
    transition.for_each_leaf(exprs, |leaf| {
        if let Expr::Choice(choice) = leaf {
            count[hardbop_base::Idx::index(choice)] += 1;
        }
    });
    assert!(count.iter().all(|&count| count == 1), "{transition:?}");
}

const WORDS: &[&str] = &[
    "decl",
    "void",
    "bool",
    "begin",
    "end",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "goto",
    "return",
    "skip",
    "assert",
    "assume",
    "T",
    "F",
    "_",
    "dfs",
    "enforce",
    "abortif",
    "constrain",
    "schoose",
    "print",
    "dead",
    "start_thread",
    "end_thread",
    "sync",
    "atomic_begin",
    "main",
    "a",
    "b",
    "L",
    "ASYNC_1",
    "{x y}",
    "{",
    "}",
    "0",
    "1",
    "2",
    ",",
    ";",
    ":",
    ":=",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "=",
    "!=",
    "=>",
    "<=>",
    "|",
    "^",
    "&",
    "!",
    "?",
    "*",
    "'",
    "//",
    "/*",
    "*/",
    "\n",
    "\0",
    "é",
    "void main() begin",
    "decl a, b;",
];

fn tokens() -> impl Strategy<Value = String> {
    let word = prop_oneof![20 => (0..WORDS.len()).prop_map(|word| WORDS[word].to_owned()), 1 => any::<String>()];
    proptest::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn no_text_causes_a_panic(text in any::<String>()) {
        run(&text);
    }

    #[test]
    fn no_tokens_cause_a_panic(text in tokens()) {
        run(&text);
    }

    #[test]
    fn no_damaged_program_causes_a_panic(program in model::program(), cut in any::<(u16, u16)>(), junk in tokens()) {
        let text = program.spell();
        let (from, to) = (cut.0 as usize % (text.len() + 1), cut.1 as usize % 20);
        prop_assume!(text.is_char_boundary(from) && text.is_char_boundary((from + to).min(text.len())));
        run(&(text[..from].to_owned() + &junk + &text[(from + to).min(text.len())..]));
        run(&text[..from]);
    }

    #[test]
    fn whatever_can_be_read_prints_to_itself(text in tokens()) {
        if let Some(ast) = run(&text) {
            let again = run(&print(&ast));
            prop_assert!(again.is_some());
            prop_assert_eq!(again.as_ref().map(shape::of), Some(shape::of(&ast)));
        }
    }

    #[test]
    fn a_program_is_read_as_it_was_meant(program in model::program()) {
        let ast = run(&program.spell());
        prop_assert_eq!(ast.as_ref().map(shape::of), Some(program.shape()));
    }

    #[test]
    fn printing_loses_nothing(program in model::program()) {
        let ast = run(&program.spell()).expect("a spelled program is correct");
        let again = run(&print(&ast)).expect("a printed program is correct");
        prop_assert_eq!(shape::of(&again), shape::of(&ast));
        let (one, other) = (program_of(&ast), program_of(&again));
        prop_assert_eq!(one.icfg.edges, other.icfg.edges);
        prop_assert_eq!(one.labels, other.labels);
        prop_assert_eq!(one.exprs, other.exprs);
    }
}

/// The command runs on a thread with a large stack, and so do programs of great depth here.
fn on_a_large_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(1 << 30)
        .spawn(run)
        .expect("a thread can be started")
        .join()
        .expect("no panic");
}

fn nested(open: &str, middle: &str, close: &str, levels: u32) -> String {
    open.repeat(levels as usize) + middle + &close.repeat(levels as usize)
}

const NESTINGS: &[(&str, &str, &str)] =
    &[("if (a) then ", "skip;", " fi"), ("while (a) do ", "skip;", " od"), ("if (a) then skip; else ", "skip;", " fi")];

const EXPRESSIONS: &[(&str, &str, &str)] =
    &[("(", "a", ")"), ("!", "a", ""), ("a ? a : ", "a", ""), ("schoose[a, ", "a", "]"), ("a & ", "a", "")];

#[test]
fn a_hundred_thousand_levels_are_read_and_printed() {
    on_a_large_stack(|| {
        for (open, middle, close) in NESTINGS {
            let text = nested(open, middle, close, MAX_NESTING / 2);
            let ast = run(&format!("decl a; void main() begin {text} end")).expect("it is not too deep");
            assert!(run(&print(&ast)).is_some(), "{open}");
        }
        for (open, middle, close) in EXPRESSIONS {
            let expr = nested(open, middle, close, MAX_NESTING / 2);
            let text = format!("decl a; void main() begin enforce {expr}; a := {expr}; end");
            let ast = run(&text).expect("it is not too deep");
            assert!(run(&print(&ast)).is_some(), "{open}");
        }
    });
}

#[test]
fn deeper_programs_are_refused() {
    on_a_large_stack(|| {
        let too_deep = |&(open, middle, close): &(&str, &str, &str)| nested(open, middle, close, MAX_NESTING + 1);
        let stmts = NESTINGS.iter().map(too_deep);
        let exprs = EXPRESSIONS.iter().map(too_deep).map(|expr| format!("a := {expr};"));
        for stmt in stmts.chain(exprs) {
            let (_, findings) = parse(&format!("decl a; void main() begin {stmt} end"), 0);
            let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
            assert_eq!(codes, ["nested-too-deeply"], "{}", &stmt[..40]);
        }
    });
}
