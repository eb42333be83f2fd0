//! Automata over stacks as text: they mean what expressions mean, and what is misspelt is found.

use crate::expressions::{PROGRAM, shown};
use crate::language::lower;
use expect_test::{Expect, expect};
use hardbop_configurations::{Naming, read, transitions};

/// Automata beside expressions for the same stacks.
#[track_caller]
fn same(automaton: &str, expression: &str) {
    let found = transitions::read(&mut lower(PROGRAM), Naming::Procedures, automaton);
    let found = found.unwrap_or_else(|findings| panic!("{automaton}:\n{}", shown(&findings)));
    let wanted = read(&mut lower(PROGRAM), Naming::Procedures, expression).expect("it is an expression");
    assert_eq!(found, wanted, "{automaton}");
}

#[track_caller]
fn refused(texts: &[&str], expect: Expect) {
    let mut said = String::new();
    for text in texts {
        let found = transitions::read(&mut lower(PROGRAM), Naming::Procedures, text).expect_err("it means nothing");
        said += &format!("{text:?}\n{}", shown(&found));
    }
    expect.assert_eq(&said);
}

#[test]
fn automata_mean_what_expressions_mean() {
    same("start s\ns main -> t\naccept t", "main");
    same("# comments\nstart s # and more\n\n s  main -> m\nm f -> m\nm f:N -> t\naccept t\n", "main f* f:N");
    same("start s\ns _ -> s\ns @N -> t\naccept t", "_* @N");
    same(
        "start s\ns main -> t\ns main -> u\nu f -> t\nt h -> u\naccept u t",
        "main (f h)* | main (f h)* f | main h (f h)* f? ",
    );
    same("start s\ns main -> t\nt \"f\" -> t\naccept t\nwhere locked && !x", "main f* where locked && !x");
}

#[test]
fn what_is_misspelt_is_found() {
    refused(
        &[
            "",
            "start s",
            "start s\naccept s",
            "start s\nstart t\n",
            "start s\ns main -> t\naccept tt",
            "start s\nss main -> t\naccept t",
            "start s\ns main f -> t\naccept t",
            "start s\ns main t\naccept t",
            "start s\ns mian -> t\naccept t",
            "start s\ns main -> t\naccept t\nwhere lokced",
            "start s\ns main -> t\naccept t\nwhere x\nwhere locked",
            "start s\ns ( -> t\naccept t",
            "é -> \u{2028}ü",
        ],
        expect![[r#"
            ""
              stack-syntax: there is no line `start`
                help: `start STATE` says where the automaton is below the bottom frame
            "start s"
              stack-syntax: there is no line `accept`
                help: `accept STATE` says where it is above the top frame
            "start s\naccept s"
              stack-syntax 15..16: no transition leads to the state `s`
                help: a stack has at least one frame; remove what cannot be reached
            "start s\nstart t\n"
              stack-syntax 8..15: there are two lines `start`
                help: an automaton has one start
            "start s\ns main -> t\naccept tt"
              stack-syntax 27..29: no transition leads to the state `tt`
                help: did you mean `t`?
            "start s\nss main -> t\naccept t"
              stack-syntax 8..10: no transition leads to the state `ss`
                help: did you mean `s`?
            "start s\ns main f -> t\naccept t"
              stack-syntax 15..16: `f` is not expected here
                help: a condition on variables follows `where`
            "start s\ns main t\naccept t"
              stack-syntax 8..16: this line is none of an automaton over stacks
                help: a line is `start STATE`, `STATE FRAME -> STATE`, `accept STATE` or `where CONDITION`
            "start s\ns mian -> t\naccept t"
              unknown-frame 10..14: `mian` is neither a procedure nor a label of this program
                help: a frame is a procedure, a label or `_`
            "start s\ns main -> t\naccept t\nwhere lokced"
              unknown-proposition 35..41: `lokced` is neither a variable nor a place of this program
                help: did you mean `locked`?
            "start s\ns main -> t\naccept t\nwhere x\nwhere locked"
              stack-syntax 37..49: there are two lines `where`
                help: join them with `&&`
            "start s\ns ( -> t\naccept t"
              stack-syntax 10..11: `(` is not expected here
                help: a condition on variables follows `where`
            "é -> \u{2028}ü"
              stack-syntax 0..11: this line is none of an automaton over stacks
                help: a line is `start STATE`, `STATE FRAME -> STATE`, `accept STATE` or `where CONDITION`
        "#]],
    );
}

#[test]
fn large_automata_are_refused() {
    let many: String = (0..=500).map(|number| format!("s{number} _ -> s{}\n", number + 1)).collect();
    let many = format!("start s0\n{many}accept s501");
    let found = transitions::read(&mut lower(PROGRAM), Naming::Procedures, &many).expect_err("it is too large");
    assert_eq!(found[0].code, "stack-too-large");
}
