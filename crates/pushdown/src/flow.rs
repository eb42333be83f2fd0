//! The graph that the engine walks: the useful part of the control flow, with straight-line chains made one block.
//!
//! A node stays if something can join, branch, call or be asked there; between two such nodes a chain of steps with at
//! most eight updates is one block, and so one relation.

use crate::{Setting, Switch};
use hardbop_base::{Idx, IndexVec, newtype_index};
use hardbop_icfg::{EdgeId, EdgeKind, Expr, ExprId, NodeId, ProcId, Relation, Transition, Value};

newtype_index! {
    /// A block.
    pub struct BlockId = "b";
}

/// The most updates in one block.
const LONGEST_CHAIN: usize = 8;

/// What a block does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// Steps, one after the other.
    Steps {
        /// The first and the one after the last in [`Flow::steps`].
        steps: (u32, u32),
    },
    /// A call.
    Call {
        /// The call.
        edge: EdgeId,
        /// Whom it calls.
        callee: ProcId,
    },
}

/// A block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Where it starts.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// What it does.
    pub kind: BlockKind,
}

/// The graph of blocks.
#[derive(Debug)]
pub struct Flow {
    /// All blocks, by their start.
    pub blocks: IndexVec<BlockId, Block>,
    /// For each node the first of its blocks; the next node's first is the end.
    first: Vec<BlockId>,
    /// The steps that blocks are made of.
    pub steps: Vec<EdgeId>,
    /// The calls of each procedure that are in the graph.
    pub callers: IndexVec<ProcId, Vec<BlockId>>,
    /// Whether a node is a start or an end of blocks.
    pub is_kept: IndexVec<NodeId, bool>,
    /// The most choices in one block.
    pub most_choices: usize,
}

impl Flow {
    /// The graph of blocks for `setting`, with or without chains.
    pub fn new(setting: &Setting<'_>, chains: Switch) -> Self {
        let is_kept = kept_nodes(setting, chains);
        let most_choices = most_choices(setting);
        let icfg = &setting.program.icfg;
        let mut flow = Self {
            blocks: IndexVec::new(),
            first: Vec::with_capacity(icfg.nodes.len() + 1),
            steps: Vec::new(),
            callers: IndexVec::from_elem(Vec::new(), icfg.procs.len()),
            is_kept,
            most_choices,
        };
        for node in icfg.nodes.ids() {
            flow.first.push(flow.blocks.next_id());
            if flow.is_kept[node] {
                flow.add_blocks(setting, node);
            }
        }
        flow.first.push(flow.blocks.next_id());
        flow
    }

    /// The blocks that start at `node`.
    pub fn blocks_of(&self, node: NodeId) -> impl Iterator<Item = BlockId> + use<> {
        (self.first[node.index()].index()..self.first[node.index() + 1].index()).map(BlockId::from_usize)
    }

    /// The steps of a block of steps.
    pub fn steps_of(&self, (start, end): (u32, u32)) -> &[EdgeId] {
        &self.steps[start as usize..end as usize]
    }

    fn add_blocks(&mut self, setting: &Setting<'_>, from: NodeId) {
        let icfg = &setting.program.icfg;
        for &id in icfg.successors(from) {
            match icfg.edges[id].kind {
                EdgeKind::Step { to } if setting.slice.is_useful[to] => {
                    let start = self.steps.len() as u32;
                    self.steps.push(id);
                    let to = self.follow(setting, to);
                    let kind = BlockKind::Steps { steps: (start, self.steps.len() as u32) };
                    self.blocks.push(Block { from, to, kind });
                }
                EdgeKind::Call { callee, to } => {
                    let block = self.blocks.push(Block { from, to, kind: BlockKind::Call { edge: id, callee } });
                    self.callers[callee].push(block);
                }
                EdgeKind::Step { .. } | EdgeKind::Return => {}
            }
        }
    }

    /// Adds steps from `node` up to the next node that is kept.
    fn follow(&mut self, setting: &Setting<'_>, mut node: NodeId) -> NodeId {
        let icfg = &setting.program.icfg;
        while !self.is_kept[node] {
            let &[id] = icfg.successors(node) else { unreachable!("a node in a chain has one successor") };
            self.steps.push(id);
            node = icfg.edges[id].target().expect("a step leads somewhere");
        }
        node
    }
}

/// The nodes that blocks start and end at.
fn kept_nodes(setting: &Setting<'_>, chains: Switch) -> IndexVec<NodeId, bool> {
    let icfg = &setting.program.icfg;
    let is_useful = &setting.slice.is_useful;
    if chains == Switch::Off {
        return is_useful.clone();
    }
    let mut is_kept: IndexVec<NodeId, bool> = IndexVec::from_elem(false, icfg.nodes.len());
    for goal in setting.goals {
        is_kept[goal.node] = true;
    }
    for proc in &icfg.procs {
        is_kept[proc.entry] = true;
        is_kept[proc.exit] = true;
    }
    for node in icfg.nodes.ids() {
        is_kept[node] |= !is_in_chain(setting, node);
        is_kept[node] &= is_useful[node];
    }
    break_long_chains(setting, &mut is_kept);
    is_kept
}

/// One step in, one step out, and not a step to itself.
fn is_in_chain(setting: &Setting<'_>, node: NodeId) -> bool {
    let icfg = &setting.program.icfg;
    let is_useful = &setting.slice.is_useful;
    let (&[into], &[out]) = (icfg.predecessors(node), icfg.successors(node)) else { return false };
    let (into, out) = (icfg.edges[into], icfg.edges[out]);
    match (into.kind, out.kind) {
        (EdgeKind::Step { .. }, EdgeKind::Step { to }) => to != node && into.from != node && is_useful[to],
        _ => false,
    }
}

/// Keeps nodes so that no chain has too many updates or choices. A node in a chain has one predecessor, so each chain
/// is walked once.
fn break_long_chains(setting: &Setting<'_>, is_kept: &mut IndexVec<NodeId, bool>) {
    let icfg = &setting.program.icfg;
    let most_choices = most_choices(setting);
    for start in icfg.nodes.ids() {
        if !is_kept[start] {
            continue;
        }
        for &id in icfg.successors(start) {
            let (mut edge, mut writes, mut choices) = (id, 0, 0);
            while let Relation::Step(step) = &setting.program.labels[edge] {
                writes += step.updates.len();
                choices += open_values(step);
                let to = icfg.edges[edge].target().expect("a step leads somewhere");
                if writes > LONGEST_CHAIN || choices > most_choices {
                    // The step that was one too many starts the next block.
                    is_kept[icfg.edges[edge].from] = true;
                    (writes, choices) = (step.updates.len(), open_values(step));
                }
                if is_kept[to] || !setting.slice.is_useful[to] {
                    break;
                }
                edge = icfg.successors(to)[0];
            }
        }
    }
}

/// How many values a transition leaves open.
pub fn open_values(transition: &Transition) -> usize {
    transition.choices as usize + transition.updates.iter().filter(|update| update.value == Value::Any).count()
}

/// Room for the choices of any one label, and for those of a chain.
fn most_choices(setting: &Setting<'_>) -> usize {
    let of_label = |label: &Relation| match label {
        Relation::Step(step) => open_values(step),
        Relation::Call { enter, leave } => open_values(enter) + open_values(leave),
        Relation::Return => 0,
    };
    let labels = setting.program.labels.iter().map(of_label).max().unwrap_or(0);
    let in_goals = setting.goals.iter().filter_map(|goal| goal.condition);
    let goals = in_goals.map(|condition| choices_in(setting, condition)).max().unwrap_or(0);
    labels.max(open_values(&setting.program.initial)).max(goals).max(16)
}

fn choices_in(setting: &Setting<'_>, condition: ExprId) -> usize {
    let mut count = 0;
    setting.program.exprs.for_each_leaf(condition, |leaf| count += usize::from(matches!(leaf, Expr::Choice(_))));
    count
}
