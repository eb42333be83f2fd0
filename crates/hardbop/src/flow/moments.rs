//! A run as one sequence of moments: steps, and the ways into and out of calls.
//!
//! What a crossed call does is put in at each use, as far as there is room; what does not fit, and what is known by a
//! summary only, is one moment within the call. Which calls are shown is decided here, too: at their first use while
//! the lines last; of those of models only what they call of the program.

use super::path::Scene;
use crate::arguments::Unfold;
use hardbop_base::{Idx, IndexVec, newtype_index};
use hardbop_c_graph::Action;
use hardbop_dataflow::Failure;
use hardbop_icfg::{EdgeId, EdgeKind, ProcId, Relation, Transition};
use hardbop_verdict::replay::{Replayed, Run, State};
use hardbop_verdict::{Move, SubTraceId};

newtype_index! {
    /// A moment of a run.
    pub struct MomentId = "m";
    /// An activation of a procedure.
    pub struct FrameId = "f";
}

/// So many moments are put in.
const MOST_MOMENTS: usize = 20_000;

/// Something that changes the state.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// What it is.
    pub way: Way,
    /// The edge, in the program that the run is one of.
    pub edge: EdgeId,
    /// The run of the witness, and the number of the move in it.
    pub place: (Option<SubTraceId>, usize),
    /// How many calls are open.
    pub depth: usize,
    /// The procedure's own activation; of a call, the caller's.
    pub frame: FrameId,
    /// Whether it is part of what is shown.
    pub is_shown: bool,
    /// Whether it is in a call that code outside or the library makes meanwhile.
    pub is_aside: bool,
}

/// What a moment is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// A step.
    Step,
    /// The way into a call, the way out of it if there is one, and how it is shown.
    Enter(FrameId, Option<MomentId>, Shown),
    /// All that happens in a call of which nothing more is known here.
    Within(FrameId),
    /// The way out of a call.
    Leave(FrameId),
    /// Where it fails.
    Goal,
}

/// How a call is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// With what happens in it.
    Open,
    /// As one line.
    Folded,
    /// As a statement, unless it calls back: it is one of the library.
    Model,
}

/// A run, moment by moment.
pub struct Moments<'a> {
    /// What it is a run to.
    pub failure: &'a Failure,
    /// Its states.
    pub replayed: &'a Replayed,
    /// The moments; the last one is where it fails.
    pub all: IndexVec<MomentId, Moment>,
    /// Whether calls are folded only since the lines did not last.
    pub is_cut: bool,
}

impl<'a> Moments<'a> {
    /// The moments of a run that was replayed.
    pub fn new(scene: &Scene<'_>, failure: &'a Failure, replayed: &'a Replayed) -> Self {
        let left = match scene.unfold {
            Unfold::Lines(lines) => lines,
            Unfold::All => usize::MAX,
        };
        let moments = Self { failure, replayed, all: IndexVec::new(), is_cut: false };
        let is_unfolded = IndexVec::from_elem(false, failure.witness.subtraces.len());
        let mut unroll = Unroll { scene, moments, is_unfolded, left, frames: 1 };
        unroll.run();
        unroll.moments
    }

    /// The moves of a run of the witness.
    pub fn moves(&self, run: Option<SubTraceId>) -> &'a [Move] {
        let witness = &self.failure.witness;
        run.map_or(&witness.moves, |sub| &witness.subtraces[sub].moves)
    }

    fn states(&self, run: Option<SubTraceId>) -> Run<'a> {
        run.map_or_else(|| self.replayed.main(), |sub| self.replayed.subtrace(sub))
    }

    /// The move that a moment is of.
    fn step(&self, moment: &Moment) -> Option<&'a Move> {
        self.moves(moment.place.0).get(moment.place.1)
    }

    /// The state before a moment: where it is a return, the callee's.
    pub fn before(&self, moment: &Moment) -> State<'a> {
        match (moment.way, self.step(moment)) {
            (Way::Leave(_), Some(Move::Cross { sub, .. })) => self.last_of(*sub),
            _ => self.outer(moment),
        }
    }

    /// The state of the frame that a moment is of, before it.
    pub fn outer(&self, moment: &Moment) -> State<'a> {
        self.states(moment.place.0).state(moment.place.1)
    }

    /// The state after a moment: where it is a call, the callee's.
    pub fn after(&self, moment: &Moment) -> State<'a> {
        match (moment.way, self.step(moment)) {
            (Way::Enter(..), Some(Move::Cross { sub, .. })) => self.states(Some(*sub)).state(0),
            (Way::Within(_), Some(Move::Cross { sub, .. })) => self.last_of(*sub),
            (Way::Goal, _) => self.outer(moment),
            _ => self.states(moment.place.0).state(moment.place.1 + 1),
        }
    }

    fn last_of(&self, sub: SubTraceId) -> State<'a> {
        let run = self.states(Some(sub));
        run.state(run.len() - 1)
    }

    /// What the run chose at a moment.
    pub fn choices(&self, moment: &Moment) -> &'a [Option<bool>] {
        match (moment.way, self.step(moment)) {
            (Way::Goal, _) => &self.failure.witness.goal_choices,
            (Way::Step, Some(Move::Step { picks, .. })) | (Way::Enter(..), Some(Move::Enter { picks, .. })) => {
                &picks.choices
            }
            (Way::Enter(..), Some(Move::Cross { enter, .. })) => &enter.choices,
            (Way::Leave(_), Some(Move::Cross { leave, .. })) => &leave.choices,
            _ => &[],
        }
    }
}

/// What a moment does, as a label says.
pub fn part_of(label: &Relation, way: Way) -> Option<&Transition> {
    match (label, way) {
        (Relation::Step(step), Way::Step) => Some(step),
        (Relation::Call { enter, .. }, Way::Enter(..)) => Some(enter),
        (Relation::Call { leave, .. }, Way::Leave(_)) => Some(leave),
        _ => None,
    }
}

struct Unroll<'a, 's> {
    scene: &'s Scene<'s>,
    moments: Moments<'a>,
    is_unfolded: IndexVec<SubTraceId, bool>,
    /// How many more lines there may be.
    left: usize,
    frames: usize,
}

/// A run that is being walked along.
struct Walk {
    run: Option<SubTraceId>,
    next: usize,
    /// The depth that the run's own depths are added to.
    base: usize,
    frame: FrameId,
    is_shown: bool,
    is_aside: bool,
    /// The way in, where it is that of a call.
    enter: Option<MomentId>,
}

impl Unroll<'_, '_> {
    fn run(&mut self) {
        let frame = FrameId::from_usize(0);
        let main = Walk { run: None, next: 0, base: 0, frame, is_shown: true, is_aside: false, enter: None };
        let mut walks = vec![main];
        while let Some(walk) = walks.last_mut() {
            let Some(step) = self.moments.moves(walk.run).get(walk.next) else {
                let done = walks.pop().expect("there is one");
                self.finish(&done);
                continue;
            };
            let place = (walk.run, walk.next);
            let depth = walk.base + self.moments.states(walk.run).state(walk.next).depth as usize;
            walk.next += 1;
            let (way, edge) = (Way::Step, step.edge());
            let Walk { frame, is_shown, is_aside, .. } = *walk;
            let moment = Moment { way, edge, place, depth, frame, is_shown, is_aside };
            match *step {
                Move::Step { .. } => drop(self.moments.all.push(moment)),
                Move::Enter { .. } => {
                    let callee = self.frame();
                    self.moments.all.push(Moment { way: Way::Enter(callee, None, Shown::Open), ..moment });
                    walk.frame = callee;
                }
                Move::Cross { sub, .. } => walks.extend(self.cross(moment, sub)),
            }
        }
    }

    fn frame(&mut self) -> FrameId {
        self.frames += 1;
        FrameId::from_usize(self.frames - 1)
    }

    /// The way into a call, and the walk through it if there is room.
    fn cross(&mut self, moment: Moment, sub: SubTraceId) -> Option<Walk> {
        let callee = self.frame();
        // What does not fit is not shown either.
        if self.moments.all.len() >= MOST_MOMENTS {
            self.left = 0;
        }
        let shown = match moment.is_shown {
            true => self.shown(moment.edge, sub),
            false => Shown::Folded,
        };
        let enter = self.moments.all.push(Moment { way: Way::Enter(callee, None, shown), ..moment });
        if self.moments.all.len() > MOST_MOMENTS || self.is_stub(sub) {
            self.moments.all.push(Moment { way: Way::Within(callee), is_shown: false, ..moment });
            self.leave(moment, callee, enter);
            return None;
        }
        let (base, is_shown) = (moment.depth + 1, moment.is_shown && shown != Shown::Folded);
        let is_aside = moment.is_aside
            || shown == Shown::Model
            || matches!(self.scene.action(self.moments.failure, moment.edge), Some(Action::CallBack(_)));
        Some(Walk { run: Some(sub), next: 0, base, frame: callee, is_shown, is_aside, enter: Some(enter) })
    }

    fn finish(&mut self, done: &Walk) {
        match done.enter {
            Some(enter) => {
                let moment = self.moments.all[enter];
                self.leave(moment, done.frame, enter);
            }
            None => {
                let last = self.moments.states(None).state(done.next);
                let (edge, place, depth) = (EdgeId::from_usize(0), (None, done.next), last.depth as usize);
                let (frame, is_shown, is_aside) = (done.frame, true, false);
                let goal = Moment { way: Way::Goal, edge, place, depth, frame, is_shown, is_aside };
                self.moments.all.push(goal);
            }
        }
    }

    fn leave(&mut self, moment: Moment, callee: FrameId, enter: MomentId) {
        let leave = self.moments.all.push(Moment { way: Way::Leave(callee), ..moment });
        if let Way::Enter(_, known, _) = &mut self.moments.all[enter].way {
            *known = Some(leave);
        }
    }

    /// Whether what `sub` does is known by a summary only.
    fn is_stub(&self, sub: SubTraceId) -> bool {
        let action = |step: &Move| self.scene.action(self.moments.failure, step.edge());
        self.moments.moves(Some(sub)).iter().all(|step| action(step).is_none())
    }

    fn shown(&mut self, edge: EdgeId, sub: SubTraceId) -> Shown {
        let callee = callee(self.moments.failure, edge);
        if callee.is_some_and(|callee| self.scene.model(self.moments.failure, callee).is_some()) {
            return Shown::Model;
        }
        if self.is_unfolded[sub] || self.is_stub(sub) {
            return Shown::Folded;
        }
        let moves = self.moments.moves(Some(sub)).len();
        let Some(left) = self.left.checked_sub(moves) else {
            self.moments.is_cut = true;
            return Shown::Folded;
        };
        self.left = left;
        self.is_unfolded[sub] = true;
        Shown::Open
    }
}

/// The procedure that an edge calls.
pub fn callee(failure: &Failure, edge: EdgeId) -> Option<ProcId> {
    match failure.projection.icfg.edges[edge].kind {
        EdgeKind::Call { callee, .. } => Some(callee),
        _ => None,
    }
}

impl<'s> Scene<'s> {
    /// What an edge does in C; nothing where it stands for all that a procedure does.
    pub(super) fn action(&self, failure: &Failure, edge: EdgeId) -> Option<Action<'s>> {
        let edge = failure.origin.as_deref().map_or(Some(edge), |origin| origin.edges[edge])?;
        Some(self.graph.actions[edge])
    }

    /// The name of the library function whose model a procedure is.
    pub(super) fn model(&self, failure: &Failure, proc: ProcId) -> Option<&'s str> {
        let proc = failure.origin.as_deref().map_or(Some(proc), |origin| origin.procs.get(proc).copied())?;
        let function = &self.module.functions[self.graph.functions[proc]?];
        function.is_model.then_some(function.source_name.as_str())
    }
}
