//! Automata in the Hanoi omega-automata format, version 1 [BBD+15].
//!
//! [`write()`] writes any automaton; [`read`] reads what is a generalised Büchi automaton, marks on states or edges. What
//! the format has beyond that is refused by name.
//!
//! **Invariant:** what was written is read back as the same automaton.

mod label;
mod lexer;
mod read;

use std::fmt::Write as _;

use hardbop_base::Idx;

use crate::automaton::{Automaton, Marks};

pub use read::{Hoa, read};

/// The automaton as text.
pub fn write(automaton: &Automaton, name: Option<&str>) -> String {
    let mut text = String::from("HOA: v1\n");
    // Nothing can go wrong when writing into a string.
    if let Some(name) = name {
        let _ = writeln!(text, "name: {}", quoted(name));
    }
    let _ = writeln!(text, "States: {}", automaton.states.len());
    for state in &automaton.initial {
        let _ = writeln!(text, "Start: {}", state.index());
    }
    let _ = write!(text, "AP: {}", automaton.props.len());
    for prop in &automaton.props {
        let _ = write!(text, " {}", quoted(prop));
    }
    let sets: Vec<String> = (0..automaton.sets).map(|set| format!("Inf({set})")).collect();
    let (acceptance, condition) = match automaton.sets {
        0 => ("all".into(), "t".into()),
        1 => ("Buchi".into(), sets[0].clone()),
        sets_count => (format!("generalized-Buchi {sets_count}"), sets.join("&")),
    };
    let _ = writeln!(text, "\nacc-name: {acceptance}\nAcceptance: {} {condition}", automaton.sets);
    let is_state_based = automaton.is_state_based();
    let basis = if is_state_based { "state-acc" } else { "trans-acc" };
    let determinism = if automaton.is_deterministic() { " deterministic" } else { "" };
    let _ = writeln!(text, "properties: trans-labels explicit-labels {basis}{determinism}\n--BODY--");
    for (state, edges) in automaton.states.iter_enumerated() {
        let marks = automaton.marks_of(state).filter(|_| is_state_based).unwrap_or_default();
        let _ = writeln!(text, "State: {}{}", state.index(), braces(marks));
        for edge in edges {
            let label = edge.guard.text(|prop| prop.index().to_string(), "&", " | ");
            let marks = if is_state_based { Marks::NONE } else { edge.marks };
            let _ = writeln!(text, "[{label}] {}{}", edge.to.index(), braces(marks));
        }
    }
    text += "--END--\n";
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn braces(marks: Marks) -> String {
    let sets: Vec<String> = marks.sets().map(|set| set.to_string()).collect();
    if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) }
}
