//! Random expressions over the stacks of a program, and what they mean, told by someone who has never heard of automata.

use hardbop_icfg::{NodeId, Program, Relation, Scope};
use proptest::prelude::*;

/// An expression whose names are numbers, to be looked up in a program.
#[derive(Clone, Debug)]
pub enum Sketch {
    Frame(usize),
    Row(Vec<Sketch>),
    Choice(Vec<Sketch>),
    Repeat(Box<Sketch>, char),
}

/// A set: stacks, and perhaps a condition.
#[derive(Clone, Debug)]
pub struct SetSketch {
    pub stacks: Sketch,
    pub condition: Option<(usize, bool, usize, bool)>,
}

pub fn sets() -> impl Strategy<Value = SetSketch> {
    let frame = (0..64usize).prop_map(Sketch::Frame);
    let stacks = frame.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 2..4).prop_map(Sketch::Row),
            1 => prop::collection::vec(inner.clone(), 2..3).prop_map(Sketch::Choice),
            3 => (inner, prop::sample::select(vec!['*', '+', '?'])).prop_map(|(it, sign)| Sketch::Repeat(Box::new(it), sign)),
        ]
    });
    let condition = prop::option::weighted(0.5, (0..64usize, any::<bool>(), 0..64usize, any::<bool>()));
    // Most sets begin with what is often at the bottom, or hardly any stack would be in them.
    let start = prop_oneof![2 => Just("_*"), 1 => Just("main"), 1 => Just("main+"), 1 => Just("")];
    (start, stacks, condition).prop_map(|(start, stacks, condition)| {
        let any = || Sketch::Frame(0);
        let begin = match start {
            "_*" => Some(Sketch::Repeat(Box::new(any()), '*')),
            "main" => Some(Sketch::Frame(1)),
            "main+" => Some(Sketch::Repeat(Box::new(Sketch::Frame(1)), '+')),
            _ => None,
        };
        SetSketch { stacks: Sketch::Row(begin.into_iter().chain([stacks]).collect()), condition }
    })
}

/// The frames that a sketch can name: what is written, and the nodes that are meant.
pub fn frames(program: &Program<Relation>) -> Vec<(String, Vec<NodeId>)> {
    let icfg = &program.icfg;
    let nodes_called = |name: &str| -> Vec<NodeId> {
        icfg.nodes.ids().filter(|&node| icfg.procs[icfg.nodes[node].proc].name == name).collect()
    };
    let mut frames = vec![("_".to_owned(), icfg.nodes.ids().collect()), ("main".to_owned(), nodes_called("main"))];
    for proc in icfg.procs.iter().filter(|proc| proc.name != "main") {
        frames.push((format!("\"{}\"", proc.name), nodes_called(&proc.name)));
    }
    for (label, _) in &program.marks.labels {
        let nodes = program.marks.labels.iter().filter(|(other, _)| other == label).map(|&(_, node)| node);
        frames.push((format!("@\"{label}\""), nodes.collect()));
    }
    frames
}

/// Whether a proposition can be about it: names like `{x == 0}` are read as what is in them.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

impl SetSketch {
    /// The text of the set.
    pub fn text(&self, program: &Program<Relation>) -> String {
        let mut text = self.stacks.text(&frames(program));
        let globals: Vec<_> =
            program.vars.iter().filter(|var| var.scope == Scope::Global && is_plain(&var.name)).collect();
        let Some((left, is_left, right, is_right)) = self.condition.filter(|_| !globals.is_empty()) else {
            return text;
        };
        let literal = |number: usize, value: bool| {
            let name = &globals[number % globals.len()].name;
            if value { format!("\"{name}\"") } else { format!("!\"{name}\"") }
        };
        text += &format!(" where {} || {}", literal(left, is_left), literal(right, is_right));
        text
    }
}

impl Sketch {
    fn text(&self, frames: &[(String, Vec<NodeId>)]) -> String {
        let all =
            |parts: &[Sketch], between| parts.iter().map(|part| part.text(frames)).collect::<Vec<_>>().join(between);
        match self {
            Self::Frame(number) => frames[number % frames.len()].0.clone(),
            Self::Row(parts) => format!("({})", all(parts, " ")),
            Self::Choice(parts) => format!("({})", all(parts, " | ")),
            Self::Repeat(inner, sign) => format!("{}{sign}", inner.text(frames)),
        }
    }

    /// Whether the stack with frames at these nodes is meant.
    pub fn matches(&self, frames: &[(String, Vec<NodeId>)], stack: &[NodeId]) -> bool {
        self.ends(frames, stack, 0).contains(&stack.len())
    }

    /// Where a match that begins at `start` can end.
    fn ends(&self, frames: &[(String, Vec<NodeId>)], stack: &[NodeId], start: usize) -> Vec<usize> {
        let mut ends = match self {
            Self::Frame(number) => {
                let is_here = stack.get(start).is_some_and(|node| frames[number % frames.len()].1.contains(node));
                if is_here { vec![start + 1] } else { Vec::new() }
            }
            Self::Row(parts) => parts.iter().fold(vec![start], |starts, part| {
                starts.into_iter().flat_map(|start| part.ends(frames, stack, start)).collect()
            }),
            Self::Choice(parts) => parts.iter().flat_map(|part| part.ends(frames, stack, start)).collect(),
            Self::Repeat(inner, sign) => {
                let mut ends = if *sign == '+' { inner.ends(frames, stack, start) } else { vec![start] };
                if *sign == '?' {
                    ends.extend(inner.ends(frames, stack, start));
                } else {
                    let mut done = 0;
                    while done < ends.len() {
                        for end in inner.ends(frames, stack, ends[done]) {
                            if !ends.contains(&end) {
                                ends.push(end);
                            }
                        }
                        done += 1;
                    }
                }
                ends
            }
        };
        ends.sort_unstable();
        ends.dedup();
        ends
    }
}
