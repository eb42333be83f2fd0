//! From links to a witness.
//!
//! The run itself goes back from the goal over entered calls to the start; what happens inside of a crossed call is the
//! way back from its exit to the entry of its context. Each exit becomes one sub-trace, however often it is crossed.
//! Nothing here recurses: call chains can be a hundred thousand long.

use super::code::{Code, EdgeCode};
use super::execute::is_set;
use super::records::{BitsId, CallId, Link, PathEdgeId};
use super::{Found, Search};
use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::{EdgeId, Relation, Scope, SlotSet, VarId};
use hardbop_verdict::{Length, Move, Picks, SubTrace, SubTraceId, Witness};
use std::collections::{BTreeMap, BTreeSet};

/// A move whose sub-trace has no number yet.
enum Hop {
    Step(EdgeId, Picks),
    Enter(EdgeId, Picks),
    Cross { edge: EdgeId, enter: Picks, exit: PathEdgeId, leave: Picks },
}

/// Which calls a run is followed back over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All, up to the start of the program.
    Program,
    /// None, up to the entry of the context.
    Context,
}

impl Search<'_> {
    /// The witness of a run to a goal.
    pub(super) fn unfold(&self, Found { last, choices }: Found) -> Witness {
        let (hops, first) = self.hops(last, Extent::Program);
        let mut runs = BTreeMap::new();
        let mut waiting: BTreeSet<PathEdgeId> = crossed(&hops).collect();
        // A run crosses only exits that were found before its own end, so the last of those left is used by no other.
        while let Some(exit) = waiting.pop_last() {
            let run = self.hops(exit, Extent::Context);
            waiting.extend(crossed(&run.0));
            runs.insert(exit, run);
        }
        let mut subtraces = IndexVec::new();
        let mut ids = BTreeMap::new();
        for (exit, (hops, entry)) in runs {
            let subtrace = self.subtrace(entry, exit, moves(hops, &ids), &subtraces);
            ids.insert(exit, subtraces.push(subtrace));
        }
        let initial = self.picks(&self.codes.initial, self.records.path_edges[first].bits);
        let scope = self.setting.program.scope(self.setting.program.entry).count();
        let mut values = initial.values;
        values.resize(scope, None);
        Witness {
            initial: values,
            initial_choices: initial.choices,
            moves: moves(hops, &ids),
            goal_choices: choices,
            subtraces,
            length: Length::PerhapsNotShortest,
        }
    }

    /// The run to `last`, and the path edge that it starts from.
    fn hops(&self, last: PathEdgeId, extent: Extent) -> (Vec<Hop>, PathEdgeId) {
        let mut hops = Vec::new();
        let mut at = last;
        loop {
            let path_edge = self.records.path_edges[at];
            at = match path_edge.link {
                Link::Start => break,
                Link::Enter(_) if extent == Extent::Context => break,
                Link::Enter(call) => {
                    let call = self.records.calls[call];
                    hops.push(Hop::Enter(call.edge, self.picks(self.way_in(call.edge), call.bits)));
                    call.from
                }
                Link::Step(from, edge) => {
                    let EdgeCode::Step { code, .. } = &self.codes.edges[edge] else {
                        unreachable!("the edge is a step")
                    };
                    hops.push(Hop::Step(edge, self.picks(code, path_edge.bits)));
                    from
                }
                Link::Cross(call, exit) => {
                    hops.push(self.cross_hop(call, exit, path_edge.bits));
                    self.records.calls[call].from
                }
            };
        }
        hops.reverse();
        (hops, at)
    }

    fn cross_hop(&self, call: CallId, exit: PathEdgeId, bits: BitsId) -> Hop {
        let call = self.records.calls[call];
        let EdgeCode::Call { leave: Some(leave), .. } = &self.codes.edges[call.edge] else {
            unreachable!("the edge is a call that was crossed")
        };
        let enter = self.picks(self.way_in(call.edge), call.bits);
        Hop::Cross { edge: call.edge, enter, exit, leave: self.picks(leave, bits) }
    }

    fn way_in(&self, edge: EdgeId) -> &Code {
        let EdgeCode::Call { enter: Some(enter), .. } = &self.codes.edges[edge] else {
            unreachable!("the edge is a call that was entered")
        };
        enter
    }

    fn picks(&self, code: &Code, bits: BitsId) -> Picks {
        code.picks(self.records.bits(bits, code.words()))
    }

    fn subtrace(
        &self,
        entry: PathEdgeId,
        exit: PathEdgeId,
        moves: Vec<Move>,
        earlier: &IndexVec<SubTraceId, SubTrace>,
    ) -> SubTrace {
        let setting = self.setting;
        let (entry, exit) = (self.records.path_edges[entry], self.records.path_edges[exit]);
        let value = |state, var: VarId| is_set(self.states.words(state), setting.slots.of(var).index());
        let written = self.written(&moves, earlier);
        let proc = setting.program.icfg.nodes[entry.node].proc;
        let (mut requires, mut effects) = (Vec::new(), Vec::new());
        for var in setting.program.scope(proc) {
            let slot = setting.slots.of(var);
            if setting.liveness.at(entry.node).contains(slot) {
                requires.push((var, value(entry.state, var)));
            }
            let known = setting.liveness.at(exit.node).contains(slot).then(|| value(exit.state, var));
            match setting.program.vars[var].scope {
                Scope::Global if written.contains(slot) => effects.push((var, known)),
                Scope::Result(_) if known.is_some() => effects.push((var, known)),
                _ => {}
            }
        }
        SubTrace { proc, requires, moves, effects }
    }

    /// The globals that `moves` write, whether live or not.
    fn written(&self, moves: &[Move], earlier: &IndexVec<SubTraceId, SubTrace>) -> SlotSet {
        let setting = self.setting;
        let program = setting.program;
        let mut written = SlotSet::empty(setting.slots.len());
        for step in moves {
            let updates = match &program.labels[step.edge()] {
                Relation::Step(step) => &step.updates,
                Relation::Call { leave, .. } => &leave.updates,
                Relation::Return => unreachable!("a return is part of the call that it ends"),
            };
            let told: &[_] = match step {
                Move::Cross { sub, .. } => &earlier[*sub].effects,
                Move::Step { .. } | Move::Enter { .. } => &[],
            };
            let targets = updates.iter().map(|update| update.target).chain(told.iter().map(|&(var, _)| var));
            for var in targets.filter(|&var| program.is_global(var)) {
                written.insert(setting.slots.of(var));
            }
        }
        written
    }
}

fn crossed(hops: &[Hop]) -> impl Iterator<Item = PathEdgeId> + '_ {
    hops.iter().filter_map(|hop| match hop {
        Hop::Cross { exit, .. } => Some(*exit),
        Hop::Step(..) | Hop::Enter(..) => None,
    })
}

fn moves(hops: Vec<Hop>, ids: &BTreeMap<PathEdgeId, SubTraceId>) -> Vec<Move> {
    let number = |hop| match hop {
        Hop::Step(edge, picks) => Move::Step { edge, picks },
        Hop::Enter(edge, picks) => Move::Enter { edge, picks },
        Hop::Cross { edge, enter, exit, leave } => Move::Cross { edge, enter, sub: ids[&exit], leave },
    };
    hops.into_iter().map(number).collect()
}
