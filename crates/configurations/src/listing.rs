//! An automaton for people to read: its transitions with formulas, as text or as a graph.
//!
//! | in a formula | is |
//! | --- | --- |
//! | `x` | on top, the value of `x` there; of a pending call, what its caller saved, or a global as it is handed over |
//! | `f.x` | of a pending call of `f`, the argument `x` that it was made with, or the result that it will come back with |
//! | `old(x)` | the value with which the activation that this frame belongs to was entered |
//! | `after(x)` | the value with which the activation that this frame belongs to will return |
//! | `global(x)` | the global, where a local hides it |

use crate::automaton::{AutomatonId, Kind, State};
use crate::layout::Copy;
use crate::space::Space;
use hardbop_base::Exhausted;
use hardbop_bdd::{Bdd, Level};
use hardbop_icfg::{EdgeId, EdgeKind, NodeId, ProcId, Program, Relation, VarId};
use hardbop_pushdown::invariants::Text;
use hardbop_pushdown::invariants::readable::{Order, describe};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The transitions of an automaton, or the first of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// Its states.
    pub states: Vec<Listed>,
    /// The transitions that read a top frame: its node, what must be so, the number of the next state.
    pub tops: Vec<(NodeId, Text, usize)>,
    /// How many of those are left out.
    pub more_tops: usize,
    /// The transitions that read a pending call: the number of the state, the call, what must be so, the next state.
    pub pending: Vec<(usize, EdgeId, Text, usize)>,
    /// How many of those are left out.
    pub more_pending: usize,
}

/// A state of a listed automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The procedure whose activation is above.
    pub proc: ProcId,
    /// What is remembered of it.
    pub kind: Kind,
    /// What of it: the names of the values.
    pub values: Vec<String>,
    /// Whether it is the bottom of a stack.
    pub is_bottom: bool,
}

/// The transitions of the automaton `id`, of each kind at most `most`.
pub fn list(space: &mut Space<'_>, id: AutomatonId, most: usize) -> Result<Listing, Exhausted> {
    let automaton = space.automaton(id).clone();
    let program = space.program;
    let targets = automaton.tops.iter().flat_map(|row| row.keys().copied());
    let others = automaton.pending.iter().flat_map(|row| row.keys().flat_map(|&(from, to)| [from, to]));
    let states: BTreeSet<State> = targets.chain(others).collect();
    // Bottoms first, since every reader looks for them.
    let mut sorted: Vec<State> = states.into_iter().collect();
    sorted.sort_by_key(|state| (!automaton.finals.contains(state), *state));
    let number: BTreeMap<State, usize> = sorted.iter().copied().zip(0..).collect();
    let listed = sorted.iter().map(|state| Listed {
        proc: state.proc,
        kind: state.kind,
        values: data(space, *state).into_iter().map(|(var, _)| program.vars[var].name.clone()).collect(),
        is_bottom: automaton.finals.contains(state),
    });
    let mut listing =
        Listing { states: listed.collect(), tops: Vec::new(), more_tops: 0, pending: Vec::new(), more_pending: 0 };
    for (node, row) in automaton.tops.iter_enumerated() {
        for (state, &label) in row {
            if listing.tops.len() == most {
                listing.more_tops += 1;
                continue;
            }
            let names = top_names(space, program.icfg.nodes[node].proc, *state);
            listing.tops.push((node, text(space, label, &names)?, number[state]));
        }
    }
    for (edge, row) in automaton.pending.iter_enumerated() {
        for ((from, to), &label) in row {
            if listing.pending.len() == most {
                listing.more_pending += 1;
                continue;
            }
            let names = pending_names(space, edge, *from, *to);
            listing.pending.push((number[from], edge, text(space, label, &names)?, number[to]));
        }
    }
    listing.pending.sort_by_key(|&(from, edge, _, to)| (from, edge, to));
    Ok(listing)
}

fn text(space: &mut Space<'_>, label: Bdd, names: &BTreeMap<Level, String>) -> Result<Text, Exhausted> {
    let order = Order::of_levels(space.layout.count());
    Ok(match describe(&mut space.kernel, label, &order)? {
        Some(formula) => Text::Formula(formula.text(&|level| names.get(&level).map_or("?", String::as_str))),
        None => Text::TooLarge { nodes: space.kernel.size(label) },
    })
}

/// The variables that are the datum of `state`, and how they are called there.
fn data(space: &Space<'_>, state: State) -> Vec<(VarId, String)> {
    let program = space.program;
    let locals = match state.kind {
        Kind::Below => return Vec::new(),
        Kind::Entered => &space.inputs[state.proc],
        Kind::Returned => &space.outputs[state.proc],
    };
    let title = &program.icfg.procs[state.proc].name;
    let globals = program.globals().map(|var| (var, program.vars[var].name.clone()));
    let of_proc = program.locals[state.proc].iter().filter(|&&var| locals.contains(&space.slots.of(var)));
    globals.chain(of_proc.map(|&var| (var, format!("{title}.{}", program.vars[var].name)))).collect()
}

fn plain(program: &Program<Relation>, proc: ProcId, var: VarId) -> String {
    let name = &program.vars[var].name;
    let is_hidden =
        program.is_global(var) && program.locals[proc].iter().any(|&local| program.vars[local].name == *name);
    if is_hidden { format!("global({name})") } else { name.clone() }
}

/// The names of the frame's locals and of the target's datum.
fn frame_names(space: &Space<'_>, proc: ProcId, target: State) -> BTreeMap<Level, String> {
    let program = space.program;
    let level = |var: VarId, copy| space.layout.of(space.slots.of(var), copy);
    let locals = program.locals[proc].iter().map(|&var| (level(var, Copy::Frame), plain(program, proc, var)));
    let moment = if target.kind == Kind::Returned { "after" } else { "old" };
    let kept = data(space, target).into_iter();
    let kept = kept.map(|(var, _)| (level(var, Copy::Target), format!("{moment}({})", plain(program, proc, var))));
    locals.chain(kept).collect()
}

fn top_names(space: &Space<'_>, proc: ProcId, target: State) -> BTreeMap<Level, String> {
    let program = space.program;
    let mut names = frame_names(space, proc, target);
    for var in program.globals() {
        names.insert(space.layout.of(space.slots.of(var), Copy::Source), plain(program, proc, var));
    }
    names
}

fn pending_names(space: &Space<'_>, edge: EdgeId, source: State, target: State) -> BTreeMap<Level, String> {
    let program = space.program;
    let caller = program.icfg.nodes[program.icfg.edges[edge].from].proc;
    let mut names = frame_names(space, caller, target);
    for (var, name) in data(space, source) {
        let name = if program.is_global(var) { plain(program, caller, var) } else { name };
        names.insert(space.layout.of(space.slots.of(var), Copy::Source), name);
    }
    names
}

impl Listing {
    /// As text; `place` says where a node is.
    pub fn text(&self, program: &Program<Relation>, place: &dyn Fn(NodeId) -> String) -> String {
        if self.states.is_empty() {
            return "no configurations\n".to_owned();
        }
        let mut text = String::from("on top of the stack\n");
        let width = self.tops.iter().map(|(node, ..)| place(*node).chars().count()).max().unwrap_or(0).min(40);
        for (node, condition, next) in &self.tops {
            let _ = writeln!(text, "  {:<width$}  {condition}  above {}", place(*node), next + 1);
        }
        more(&mut text, self.more_tops);
        if !self.pending.is_empty() || self.more_pending > 0 {
            text.push_str("pending calls\n");
        }
        for (from, edge, condition, next) in &self.pending {
            let at = place(program.icfg.edges[*edge].from);
            let callee = &program.icfg.procs[callee(program, *edge)].name;
            let _ = writeln!(text, "  {}: {at} calls {callee}, {condition}  above {}", from + 1, next + 1);
        }
        more(&mut text, self.more_pending);
        text.push_str("where\n");
        for (number, state) in self.states.iter().enumerate() {
            let _ = writeln!(text, "  {} is {}", number + 1, state.describe(program));
        }
        text
    }

    /// As a graph for Graphviz; `place` says where a node is.
    pub fn dot(&self, program: &Program<Relation>, place: &dyn Fn(NodeId) -> String) -> String {
        let mut text = String::from("digraph configurations {\n  rankdir=LR;\n  top [shape=point];\n");
        for (number, state) in self.states.iter().enumerate() {
            let shape = if state.is_bottom { "doublecircle" } else { "circle" };
            let title = quoted(&state.describe(program));
            let _ = writeln!(text, "  q{0} [shape={shape}, label=\"{0}\", tooltip={title}];", number + 1);
        }
        for (node, condition, next) in &self.tops {
            let label = quoted(&format!("{}\n{condition}", place(*node)));
            let _ = writeln!(text, "  top -> q{} [label={label}];", next + 1);
        }
        for (from, edge, condition, next) in &self.pending {
            let label = quoted(&format!("{}\n{condition}", place(program.icfg.edges[*edge].from)));
            let _ = writeln!(text, "  q{} -> q{} [label={label}];", from + 1, next + 1);
        }
        let left_out = self.more_tops + self.more_pending;
        if left_out > 0 {
            let _ = writeln!(text, "  more [shape=plaintext, label=\"… and {left_out} more\"];");
        }
        text.push_str("}\n");
        text
    }
}

impl Listed {
    fn describe(&self, program: &Program<Relation>) -> String {
        let name = &program.icfg.procs[self.proc].name;
        let values = if self.values.is_empty() { String::new() } else { format!(" with {}", self.values.join(", ")) };
        let above = match self.kind {
            Kind::Below => format!("below {name}"),
            Kind::Entered => format!("below {name}, which was entered{values}"),
            Kind::Returned => format!("below {name}, which will return{values}"),
        };
        if self.is_bottom { format!("the bottom, {above}") } else { above }
    }
}

fn callee(program: &Program<Relation>, edge: EdgeId) -> ProcId {
    match program.icfg.edges[edge].kind {
        EdgeKind::Call { callee, .. } => callee,
        _ => unreachable!("a pending call is a call"),
    }
}

fn more(text: &mut String, left_out: usize) {
    if left_out > 0 {
        let _ = writeln!(text, "  … and {left_out} more");
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
