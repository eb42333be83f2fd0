//! The lines of a body, and how they become text: what says nothing is left out.

use hardbop_icfg::NodeId;
use std::collections::{BTreeSet, HashMap};

/// A line of a body.
pub struct Line {
    depth: usize,
    kind: Kind,
}

/// What a line is.
pub enum Kind {
    /// A node begins here.
    Node(NodeId),
    /// A whole statement, or an end of one.
    Statement(String),
    /// `goto` a node.
    Goto(NodeId),
    /// `if (condition) then  // comment`
    If {
        /// What is asked.
        condition: String,
        /// What the user wrote, or nothing.
        comment: String,
    },
    /// `elsif (*) then`
    Elsif,
    /// `else`
    Else,
    /// `fi`
    Fi,
}

impl Line {
    /// A line, so many levels deep.
    pub const fn new(depth: usize, kind: Kind) -> Self {
        Self { depth, kind }
    }
}

/// The text of `lines`, with labels at those nodes that are `wanted`.
pub fn print(lines: Vec<Line>, wanted: &BTreeSet<NodeId>) -> String {
    let labels: HashMap<NodeId, usize> = wanted.iter().enumerate().map(|(number, &node)| (node, number + 1)).collect();
    let mut text = String::new();
    for Line { depth, kind } in tidy(lines, wanted) {
        let indent = "  ".repeat(depth);
        text += &match kind {
            Kind::Node(node) => format!("{}L{}:\n", &indent[1..], labels[&node]),
            Kind::Statement(statement) => format!("{indent}{statement}\n"),
            Kind::Goto(node) => format!("{indent}goto L{};\n", labels[&node]),
            Kind::If { condition, comment } => format!("{indent}if ({condition}) then{comment}\n"),
            Kind::Elsif => format!("{indent}elsif (*) then\n"),
            Kind::Else => format!("{indent}else\n"),
            Kind::Fi => format!("{indent}fi\n"),
        };
    }
    text
}

/// Leaves out nodes that nobody jumps to, branches in which nothing happens, and a return right before the end.
fn tidy(lines: Vec<Line>, wanted: &BTreeSet<NodeId>) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::new();
    // The lines of the conditionals that are open.
    let mut open: Vec<usize> = Vec::new();
    for line in lines {
        match line.kind {
            Kind::Node(node) if !wanted.contains(&node) => continue,
            Kind::If { .. } => open.push(kept.len()),
            Kind::Fi => {
                let start = open.pop().expect("a conditional has a beginning");
                if !close(&mut kept, start) {
                    continue;
                }
            }
            _ => {}
        }
        kept.push(line);
    }
    if kept.last().is_some_and(|last| matches!(&last.kind, Kind::Statement(text) if text == "return;")) {
        kept.pop();
    }
    kept
}

/// Looks at a conditional that starts at line `start` and is about to end; whether anything is left of it.
fn close(kept: &mut Vec<Line>, start: usize) -> bool {
    if kept.last().is_some_and(|last| matches!(last.kind, Kind::Else)) {
        kept.pop();
    }
    if kept.len() == start + 1 {
        kept.pop();
        return false;
    }
    if matches!(kept[start + 1].kind, Kind::Else) {
        kept.remove(start + 1);
        if let Kind::If { condition, .. } = &mut kept[start].kind {
            *condition = opposite(condition);
        }
    }
    true
}

fn opposite(condition: &str) -> String {
    let is_name = |text: &str| match text.strip_prefix('{') {
        Some(braced) => braced.find('}') == Some(braced.len() - 1),
        None => text.chars().all(|next| next.is_ascii_alphanumeric() || matches!(next, '_' | '$')),
    };
    match condition.strip_prefix('!') {
        _ if condition == "*" => "*".into(),
        Some(name) if is_name(name) => name.into(),
        None if is_name(condition) => format!("!{condition}"),
        _ => format!("!({condition})"),
    }
}
