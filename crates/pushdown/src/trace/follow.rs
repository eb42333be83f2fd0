//! Back through the rings: a state in each, from the target to the start.

use super::Tracer;
use super::rings::{Extent, Order, Rings};
use crate::encode::Copy;
use crate::summaries::Addition;
use hardbop_base::Exhausted;
use hardbop_bdd::Bdd;
use hardbop_icfg::{EdgeId, EdgeKind, NodeId, Relation, SlotSet};

/// How an edge was followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// A step.
    Step,
    /// Into a call.
    Enter,
    /// Over a call.
    Cross,
}

/// A move between two states; each gives the values of what is live at its node.
#[derive(Clone, Debug)]
pub struct Link {
    /// The edge.
    pub edge: EdgeId,
    /// How it was followed.
    pub manner: Manner,
    /// The state before: the slots that are true.
    pub before: SlotSet,
    /// The state after.
    pub after: SlotSet,
}

/// A run: its last state, and the moves to it.
#[derive(Clone, Debug)]
pub struct Run {
    /// The last state.
    pub last: SlotSet,
    /// The moves, in order.
    pub links: Vec<Link>,
}

/// Where a run ends: in one of `states`, which were found at `time`.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The node.
    pub node: NodeId,
    /// The states.
    pub states: Bdd,
    /// The distance or time.
    pub time: u64,
}

impl Tracer<'_, '_> {
    /// A run from `start` to `target` along `rings`.
    pub(super) fn follow(
        &mut self,
        extent: Extent,
        target: Target,
        rings: &Rings,
        start: (NodeId, Bdd),
    ) -> Result<Run, Exhausted> {
        let mut node = target.node;
        let mut time = target.time;
        let states = self.forget_entry(node, target.states)?;
        let mut state = self.pick(states, Copy::Now);
        let mut run = Run { last: state.clone(), links: Vec::new() };
        while node != start.0 || !self.contains(start.1, &state) {
            let link = self.predecessor(extent, rings, node, &state, &mut time)?;
            node = self.saturation.setting.program.icfg.edges[link.edge].from;
            state = link.before.clone();
            run.links.push(link);
        }
        run.links.reverse();
        Ok(run)
    }

    fn contains(&self, set: Bdd, state: &SlotSet) -> bool {
        let levels = &self.saturation.encoder.levels;
        self.saturation
            .encoder
            .kernel
            .eval(set, |level| levels.slot(level).is_some_and(|(slot, copy)| copy == Copy::Now && state.contains(slot)))
    }

    /// A move into `state`, from an earlier ring; `time` becomes that ring's.
    fn predecessor(
        &mut self,
        extent: Extent,
        rings: &Rings,
        node: NodeId,
        state: &SlotSet,
        time: &mut u64,
    ) -> Result<Link, Exhausted> {
        let icfg = &self.saturation.setting.program.icfg;
        let proc = icfg.nodes[node].proc;
        let is_entered = extent == Extent::Program && icfg.procs[proc].entry == node;
        let callers = if is_entered { icfg.callers(proc) } else { &[] };
        let into = icfg.predecessors(node).iter().map(|&edge| match icfg.edges[edge].kind {
            EdgeKind::Call { .. } => (edge, Manner::Cross),
            _ => (edge, Manner::Step),
        });
        for (edge, manner) in into.chain(callers.iter().map(|&edge| (edge, Manner::Enter))) {
            let from = icfg.edges[edge].from;
            let additions = self.before(rings, from, *time)?;
            if additions.is_empty() {
                continue;
            }
            let Some(relation) = self.relation_into(extent, edge, manner, node, state)? else { continue };
            for addition in additions {
                let states = match rings.order {
                    Order::Distance => addition.states,
                    Order::Time => self.forget_entry(from, addition.states)?,
                };
                let before = self.kernel().and(states, relation)?;
                if !before.is_false() {
                    *time = addition.time;
                    let before = self.pick(before, Copy::Now);
                    return Ok(Link { edge, manner, before, after: state.clone() });
                }
            }
        }
        unreachable!("a state in a ring has a predecessor in an earlier one")
    }

    /// Where a predecessor, at `node`, of a state with time `time` can be. In rings by distance, a node inside of a block
    /// has what the block's start leads to.
    fn before(&mut self, rings: &Rings, node: NodeId, time: u64) -> Result<Vec<Addition>, Exhausted> {
        if self.flow.is_kept[node] || rings.order == Order::Time {
            return Ok(rings.before(node, time).collect());
        }
        let icfg = &self.saturation.setting.program.icfg;
        let (mut start, mut at, mut steps) = (node, time - 1, Vec::new());
        let mut states = loop {
            if let Some(&states) = self.inside.get(&(start, at)) {
                break states;
            }
            if self.flow.is_kept[start] {
                match rings.before(start, at + 1).next() {
                    Some(addition) => break addition.states,
                    None => return Ok(Vec::new()),
                }
            }
            let &[edge] = icfg.predecessors(start) else { unreachable!("a node in a chain has one predecessor") };
            steps.push(edge);
            start = icfg.edges[edge].from;
            match at.checked_sub(1) {
                Some(before) => at = before,
                None => return Ok(Vec::new()),
            }
        };
        for edge in steps.into_iter().rev() {
            let code = self.step_code(edge)?;
            states = self.kernel().image(states, code.relation, code.plan)?;
            at += 1;
            self.inside.insert((icfg.edges[edge].target().expect("a step leads somewhere"), at), states);
        }
        Ok(vec![Addition { time: at, states }])
    }

    /// The relation of `edge`, restricted to moves into `state`.
    fn relation_into(
        &mut self,
        extent: Extent,
        edge: EdgeId,
        manner: Manner,
        node: NodeId,
        state: &SlotSet,
    ) -> Result<Option<Bdd>, Exhausted> {
        let (relation, changed) = match manner {
            Manner::Step => (self.step_code(edge)?.relation, self.changed(edge)),
            Manner::Cross => match self.effect(edge, extent)? {
                Some((effect, _)) => (effect, self.changed(edge)),
                None => return Ok(None),
            },
            Manner::Enter => match self.call(edge) {
                Some(call) => {
                    (call.code.enter.relation, self.saturation.setting.mod_ref.inputs[self.callee(edge)].clone())
                }
                None => return Ok(None),
            },
        };
        let setting = self.saturation.setting;
        let live = setting.liveness.at(node);
        let mut literals = self.literals(live.iter().filter(|&slot| changed.contains(slot)), Copy::Next, state);
        // What the callee's other locals start with is its own affair.
        let kept = live.iter().filter(|&slot| !changed.contains(slot));
        let kept = kept.filter(|&slot| manner != Manner::Enter || setting.slots.is_global(slot));
        literals.extend(self.literals(kept, Copy::Now, state));
        let cube = self.cube(literals)?;
        Ok(Some(self.kernel().and(relation, cube)?))
    }

    /// The slots of the caller or the procedure that `edge` may change.
    pub(super) fn changed(&self, edge: EdgeId) -> SlotSet {
        let setting = self.saturation.setting;
        let mut changed = SlotSet::empty(setting.slots.len());
        let updates = match &setting.program.labels[edge] {
            Relation::Step(step) => &step.updates,
            Relation::Call { leave, .. } => {
                let modified = &setting.mod_ref.modified[self.callee(edge)];
                for slot in modified.iter().filter(|&slot| setting.slots.is_global(slot)) {
                    changed.insert(slot);
                }
                &leave.updates
            }
            Relation::Return => unreachable!("a return is followed by its call"),
        };
        for update in updates.iter().filter(|update| setting.slice.is_relevant[update.target]) {
            changed.insert(setting.slots.of(update.target));
        }
        changed
    }
}
