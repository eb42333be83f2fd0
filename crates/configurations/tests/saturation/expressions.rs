//! Expressions over stacks: what they mean, and what is said of those that mean nothing.

use crate::language::lower;
use expect_test::{Expect, expect};
use hardbop_base::Diagnostic;
use hardbop_configurations::expression::{CODES, DEEPEST, LONGEST};
use hardbop_configurations::{Naming, read};
use hardbop_icfg::{EdgeId, NodeId, Program, Relation};

pub const PROGRAM: &str = "
decl locked, x;
void main() begin decl y; L: f(y); skip; end
void f(a) begin decl z; M: if (*) then N: h(); else R: skip; fi end
void h() begin N: skip; f(T); end
";

/// The findings as they would be shown, with where they are.
pub fn shown(findings: &[Diagnostic]) -> String {
    let mut shown = String::new();
    for finding in findings {
        let place = finding.span.map_or(String::new(), |span| format!(" {}..{}", span.start, span.end));
        shown += &format!("  {}{place}: {}\n", finding.code, finding.message);
        shown += &finding.help.as_ref().map_or(String::new(), |help| format!("    help: {help}\n"));
    }
    shown
}

/// What is said of each of `texts`.
#[track_caller]
fn refused(texts: &[&str], expect: Expect) {
    let mut said = String::new();
    for text in texts {
        let findings = read(&mut lower(PROGRAM), Naming::Procedures, text).expect_err("it means nothing");
        let text: String = text.chars().take(30).collect();
        said += &format!("{text:?}\n{}", shown(&findings));
    }
    expect.assert_eq(&said);
}

/// For each of `texts` the size of the automaton, and which of some stacks are in the set.
#[track_caller]
fn accepted(texts: &[&str], expect: Expect) {
    let mut program = lower(PROGRAM);
    let mut found = String::new();
    for text in texts {
        let read = read(&mut program, Naming::Procedures, text);
        let set = read.unwrap_or_else(|findings| panic!("{text}:\n{}", shown(&findings)));
        let stacks = stacks(&program).into_iter().filter(|(_, pending, top)| set.has_stack(pending, *top));
        let names: Vec<&str> = stacks.map(|(name, ..)| name).collect();
        found += &format!("{text}: {} states; {}\n", set.moves.len(), names.join(", "));
    }
    expect.assert_eq(&found);
}

/// Stacks of the program by the names of their frames, each frame at its only call or at its label.
fn stacks(program: &Program<Relation>) -> Vec<(&'static str, Vec<EdgeId>, NodeId)> {
    let proc_of = |node: NodeId| program.icfg.procs[program.icfg.nodes[node].proc].name.as_str();
    let label = |name: &str, proc: &str| {
        let found = program.marks.labels.iter().find(|(label, node)| label == name && proc_of(*node) == proc);
        found.expect("it is a label").1
    };
    let (main, f, h) = (label("L", "main"), label("N", "f"), label("N", "h"));
    let recursive = program.icfg.nodes.ids().find(|&node| proc_of(node) == "h" && node != h);
    let calls =
        [main, f, recursive.expect("`h` has a second statement"), f].map(|node| program.icfg.successors(node)[0]);
    let named = ["main", "main f", "main f h", "main f h f", "main f h f h"].into_iter().zip([main, f, h, f, h]);
    named.enumerate().map(|(depth, (name, top))| (name, calls[..depth].to_vec(), top)).collect()
}

#[test]
fn names_stand_for_procedures_and_labels() {
    accepted(
        &["main f", "main f h", "@L @N", "_* N", "_* h:N", "_* @h", "\"main\" \"f\""],
        expect![[r#"
        main f: 4 states; main f
        main f h: 5 states; main f h
        @L @N: 4 states; main f
        _* N: 2 states; main f, main f h, main f h f, main f h f h
        _* h:N: 2 states; main f h, main f h f h
        _* @h: 2 states; main f h, main f h f h
        "main" "f": 4 states; main f
    "#]],
    );
}

#[test]
fn repetition_and_choice() {
    accepted(
        &["_+", "main (f h)*", "main (f h)+ f?", "main f | main f h", "main (f | h)*+?", "_* f _* h", "_ _ _"],
        expect![[r#"
            _+: 2 states; main, main f, main f h, main f h f, main f h f h
            main (f h)*: 4 states; main, main f h, main f h f h
            main (f h)+ f?: 6 states; main f h, main f h f, main f h f h
            main f | main f h: 5 states; main f, main f h
            main (f | h)*+?: 3 states; main, main f, main f h, main f h f, main f h f h
            _* f _* h: 3 states; main f h, main f h f h
            _ _ _: 5 states; main f h
        "#]],
    );
}

#[test]
fn unknown_names_have_near_misses() {
    refused(
        &["main g", "mian f", "main f:K", "main ff:N", "main @LL", "main locked", "maim ff gg_long_name"],
        expect![[r#"
            "main g"
              unknown-frame 5..6: `g` is neither a procedure nor a label of this program
                help: did you mean `L`?
            "mian f"
              unknown-frame 0..4: `mian` is neither a procedure nor a label of this program
                help: a frame is a procedure, a label or `_`
            "main f:K"
              unknown-frame 5..8: `f` has no label `K`
                help: did you mean `f:M`?
            "main ff:N"
              unknown-frame 5..9: there is no procedure `ff`
                help: did you mean `f:N`?
            "main @LL"
              unknown-frame 5..8: `LL` is neither a label nor a procedure of this program
                help: did you mean `@L`?
            "main locked"
              unknown-frame 5..11: `locked` is neither a procedure nor a label of this program
                help: `locked` is a variable; a condition on variables follows `where`
            "maim ff gg_long_name"
              unknown-frame 0..4: `maim` is neither a procedure nor a label of this program
                help: did you mean `main`?
              unknown-frame 5..7: `ff` is neither a procedure nor a label of this program
                help: did you mean `f`?
              unknown-frame 8..20: `gg_long_name` is neither a procedure nor a label of this program
                help: a frame is a procedure, a label or `_`
        "#]],
    );
}

#[test]
fn parentheses_and_signs_need_their_frames() {
    refused(
        &["main (f", "main (f where x", "main f)", "* f", "main ()", "main (f |)", "main | ", "main | where x"],
        expect![[r#"
            "main (f"
              stack-syntax 5..6: this `(` is never closed
                help: add `)`
            "main (f where x"
              stack-syntax 5..6: this `(` is never closed
                help: add `)`
            "main f)"
              stack-syntax 6..7: this `)` was never opened
                help: remove it
            "* f"
              stack-syntax 0..1: `*` has nothing to repeat
                help: it follows what it repeats: `f*`; `_*` is any frames
            "main ()"
              stack-syntax 6..7: a frame is wanted before `)`
                help: a frame is a procedure, a label or `_`
            "main (f |)"
              stack-syntax 9..10: a frame is wanted before `)`
                help: a frame is a procedure, a label or `_`
            "main | "
              stack-syntax 7..7: this ends where a frame is wanted
                help: a frame is a procedure, a label or `_`
            "main | where x"
              stack-syntax 7..12: a frame is wanted before `where`
                help: a frame is a procedure, a label or `_`
        "#]],
    );
}

#[test]
fn what_is_no_frame_is_refused() {
    refused(
        &["", "   ", "where x", "main x = 1", "main @", "main f:", "main \"f", "main … f"],
        expect![[r#"
            ""
              stack-syntax 0..0: there are no frames
                help: write frames from the bottom of the stack to its top; `_+` is any stack
            "   "
              stack-syntax 3..3: there are no frames
                help: write frames from the bottom of the stack to its top; `_+` is any stack
            "where x"
              stack-syntax 0..5: there are no frames before `where`
                help: write frames from the bottom of the stack to its top; `_+` is any stack
            "main x = 1"
              stack-syntax 7..8: `=` has no meaning between frames
                help: a condition on variables follows `where`: `main f where x = 1`
            "main @"
              stack-syntax 5..6: a name is missing
                help: a label follows `@` and `:`
            "main f:"
              stack-syntax 5..7: a name is missing
                help: a label follows `@` and `:`
            "main \"f"
              stack-syntax 5..7: this quoted name has no end
                help: add `"`
            "main … f"
              stack-syntax 5..8: `…` has no meaning in a stack
                help: a frame is a procedure, a label or `_`; a name with such a character can be quoted
        "#]],
    );
}

#[test]
fn conditions_are_about_one_configuration() {
    refused(
        &[
            "main where",
            "main where x && \"on_stack(f)\"",
            "main where G x",
            "main where x U locked",
            "main where lokced && x",
            "main where x &&",
            "_* f where main.q = 1",
            "_* f where (x",
        ],
        expect![[r#"
            "main where"
              stack-syntax 10..10: there is no condition after `where`
                help: a condition is about variables: `where locked && x = 1`
            "main where x && \"on_stack(f)\""
              stack-syntax 16..29: a condition is about the top frame
                help: what is on the stack is said before `where`: `_* f _*`
            "main where G x"
              temporal-condition 11..14: a condition is about one configuration, and this has a temporal operator
                help: `hardbop check --ltl` is for what happens over time
            "main where x U locked"
              temporal-condition 11..21: a condition is about one configuration, and this has a temporal operator
                help: `hardbop check --ltl` is for what happens over time
            "main where lokced && x"
              unknown-proposition 11..17: `lokced` is neither a variable nor a place of this program
                help: did you mean `locked`?
            "main where x &&"
              ltl-syntax 15..15: the formula ends where an operand is wanted
            "_* f where main.q = 1"
              unknown-proposition 11..21: `main.q` is neither a variable nor a place of this program
                help: did you mean `main`?
            "_* f where (x"
              ltl-syntax 11..12: this `(` is never closed
                help: add `)`
        "#]],
    );
}

#[test]
fn deep_and_long_expressions_are_refused() {
    let deep = format!("{}main{}", "(".repeat(DEEPEST + 1), ")".repeat(DEEPEST + 1));
    let long = "_ ".repeat(LONGEST + 1);
    let wide = format!("_* f {}", "_ ".repeat(30));
    refused(
        &[&deep, &long, &wide],
        expect![[r#"
        "(((((((((((((((((((((((((((((("
          stack-nested-too-deeply 200..201: parentheses are nested more than 200 deep
        "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ "
          stack-too-large 1000..1001: this has more than 500 frames
        "_* f _ _ _ _ _ _ _ _ _ _ _ _ _"
          stack-too-large: these stacks need an automaton of more than 1000 states
            help: fewer alternatives before a fixed number of frames make it smaller
    "#]],
    );
    let (most, fits) = (format!("{}main{}", "(".repeat(DEEPEST), ")".repeat(DEEPEST)), "_ ".repeat(LONGEST));
    for text in [&most, &fits] {
        assert!(read(&mut lower(PROGRAM), Naming::Procedures, text).is_ok(), "this is at the limit, not above it");
    }
}

#[test]
fn hostile_text_is_refused_in_order() {
    let parts = [
        "(", ")", "*", "+", "?", "|", "_", "main", "f", "@", ":", "\"", "where", "x", "é", "=", "!", "\0", "\u{202e}",
        " ",
    ];
    let mut state = 1u64;
    let mut draw = |bound: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) as usize % bound
    };
    let program = lower(PROGRAM);
    for _ in 0..20_000 {
        let text: String = (0..draw(12)).map(|_| parts[draw(parts.len())]).collect();
        for finding in read(&mut program.clone(), Naming::Procedures, &text).err().into_iter().flatten() {
            let is_inside = finding.span.is_none_or(|span| text.get(span.start as usize..span.end as usize).is_some());
            assert!(is_inside, "{text:?}: {finding:?}");
            let is_ours = CODES.contains(&finding.code) || finding.code.starts_with("ltl-");
            assert!(is_ours || finding.code.contains("proposition"), "{text:?}: {finding:?}");
        }
    }
    let postfix = format!("main{}", "*?+".repeat(50_000));
    assert!(read(&mut program.clone(), Naming::Procedures, &postfix).is_ok());
    let open = "(".repeat(100_000);
    assert!(read(&mut program.clone(), Naming::Procedures, &open).is_err());
}
