//! Automata for people: as text and as a drawing.

use std::fmt::Write as _;

use crate::automaton::{Automaton, Class, Marks};
use crate::formula::PropId;
use crate::guard::Guard;

/// The automaton as text: what it is, then each state with its edges.
pub fn text(automaton: &Automaton) -> String {
    let class = match automaton.class() {
        Class::Terminal => "terminal",
        Class::Weak => "weak",
        Class::Strong => "strong",
    };
    let determinism = if automaton.is_deterministic() { "deterministic" } else { "nondeterministic" };
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let mut text = format!(
        "{}, {}, {}; {class}, {determinism}\n",
        count(automaton.states.len(), "state"),
        count(automaton.edges(), "edge"),
        count(automaton.sets as usize, "acceptance set"),
    );
    let is_state_based = automaton.is_state_based();
    for (state, edges) in automaton.states.iter_enumerated() {
        let start = if automaton.initial.contains(&state) { " initial" } else { "" };
        let marks = match automaton.marks_of(state) {
            Some(marks) if is_state_based => braces(marks),
            _ => String::new(),
        };
        let _ = writeln!(text, "{state}{start}{marks}");
        for edge in edges {
            let marks = if is_state_based { String::new() } else { braces(edge.marks) };
            let _ = writeln!(text, "  {} -> {}{marks}", label(automaton, &edge.guard), edge.to);
        }
    }
    text
}

/// The automaton for Graphviz.
pub fn dot(automaton: &Automaton) -> String {
    let mut text = String::from("digraph automaton {\n  rankdir=LR\n  node [shape=circle]\n");
    let is_buchi = automaton.is_buchi();
    for (place, state) in automaton.initial.iter().enumerate() {
        let _ = writeln!(text, "  start{place} [shape=point]\n  start{place} -> {state}");
    }
    for (state, edges) in automaton.states.iter_enumerated() {
        let shape = if is_buchi && automaton.is_accepting(state) { " [shape=doublecircle]" } else { "" };
        let _ = writeln!(text, "  {state}{shape}");
        for edge in edges {
            let marks = if is_buchi { String::new() } else { braces(edge.marks) };
            let label = format!("{}{marks}", label(automaton, &edge.guard)).replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "  {state} -> {} [label=\"{label}\"]", edge.to);
        }
    }
    text += "}\n";
    text
}

fn label(automaton: &Automaton, guard: &Guard) -> String {
    let name = |prop: PropId| {
        let text = &automaton.props[prop];
        let is_word = text.chars().all(|c| c.is_alphanumeric() || "_.@$[]{}".contains(c));
        if is_word { text.clone() } else { format!("({text})") }
    };
    match guard.is_true() {
        true => "true".into(),
        false => guard.text(name, " && ", " || "),
    }
}

fn braces(marks: Marks) -> String {
    let sets: Vec<String> = marks.sets().map(|set| set.to_string()).collect();
    if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) }
}
