//! What is still so where a function such as `setjmp` returns again.
//!
//! It returns to a state of some later moment of the same run. What nothing can have changed until then is as it was: a
//! variable that was written before the first return, and whose declaration is not reached again, is written.
//!
//! **Invariant:** a bit that is kept has no other update on any edge of another procedure, nor on any that can be reached
//! from here in this one, that could make it what it was not.

use super::scribe::Scribe;
use hardbop_base::IndexVec;
use hardbop_c_cells::Shape;
use hardbop_c_graph::Action;
use hardbop_icfg::expr::Possible;
use hardbop_icfg::words::Moment;
use hardbop_icfg::{EdgeId, Expr, ExprId, NodeId, Relation, Scope, Update, Value, VarId as FactVar};
use hardbop_points_to::Activations;
use std::collections::{BTreeMap, BTreeSet};

/// Where a bit may become true, and where false.
type Ends = BTreeMap<FactVar, [Vec<EdgeId>; 2]>;

impl<'m> Scribe<'_, 'm> {
    /// Lets bits stay as they are where a function returns again, if nothing happens to them.
    ///
    /// # Requires
    /// The labels of all edges are there.
    pub(crate) fn keep_what_stays(
        &mut self,
        shapes: &IndexVec<EdgeId, Shape<'m>>,
        labels: &mut IndexVec<EdgeId, Relation>,
    ) {
        let graph = self.shaper.cells.subject.graph;
        // What any other thing does that is not modelled nobody knows.
        let is_again =
            |edge: &EdgeId| matches!((graph.actions[*edge], &shapes[*edge]), (Action::External(..), Shape::Forget(_)));
        let again: Vec<EdgeId> = shapes.ids().filter(is_again).collect();
        if again.is_empty() {
            return;
        }
        let ends = self.ends(labels);
        for edge in again {
            let reached = self.reached(edge);
            let own = graph.icfg.nodes[graph.icfg.edges[edge].from].proc;
            // Where the procedure can be entered anew, all of it can happen to what is not an activation's own.
            let is_alone = self.shaper.function(edge).is_some_and(|function| {
                self.shaper.cells.subject.points_to.call_graph().activations(function) == Activations::One
            });
            let vars = &self.facts.vars;
            let is_on_the_way = |var: FactVar, end: EdgeId| {
                let from = graph.icfg.edges[end].from;
                let is_own = vars[var].scope != Scope::Global || is_alone;
                !is_own || graph.icfg.nodes[from].proc != own || reached.contains(&from)
            };
            let Relation::Step(transition) = &mut labels[edge] else { continue };
            for update in &mut transition.updates {
                let (var, Value::Of(chosen)) = (update.target, update.value) else { continue };
                if self.forgotten.get(&(edge, var)) != Some(&chosen) {
                    continue;
                }
                let can_become = |value: bool| {
                    let ends = ends.get(&var).map_or(&[][..], |ends| &ends[usize::from(value)]);
                    ends.iter().any(|&end| is_on_the_way(var, end))
                };
                let now = self.builder.read(var, Moment::Now);
                update.value = Value::Of(match (can_become(false), can_become(true)) {
                    (false, false) => now,
                    (false, true) => self.builder.or(now, chosen),
                    (true, false) => self.builder.and(now, chosen),
                    (true, true) => chosen,
                });
            }
        }
    }

    /// For each bit the edges on which it may become false and those on which it may become true.
    fn ends(&self, labels: &IndexVec<EdgeId, Relation>) -> Ends {
        let asked: BTreeSet<FactVar> = self.forgotten.keys().map(|&(_, var)| var).collect();
        let mut ends = Ends::new();
        for (edge, label) in labels.iter_enumerated() {
            let (enter, step): (&[Update], &[Update]) = match label {
                Relation::Step(transition) => (&[], &transition.updates),
                Relation::Call { enter, leave } => (&enter.updates, &leave.updates),
                Relation::Return => (&[], &[]),
            };
            // What a callee starts with is another activation's.
            let enter = enter.iter().filter(|update| self.facts.vars[update.target].scope == Scope::Global);
            for update in enter.chain(step).filter(|update| asked.contains(&update.target)) {
                let can_become = |value: bool| match update.value {
                    Value::Of(expr) if self.forgotten.get(&(edge, update.target)) == Some(&expr) => false,
                    Value::Of(expr) => !self.stays(expr, update.target, !value),
                    Value::Any => true,
                };
                for value in [false, true].into_iter().filter(|&value| can_become(value)) {
                    ends.entry(update.target).or_default()[usize::from(value)].push(edge);
                }
            }
        }
        ends
    }

    /// Whether an expression is `value` where `var` is.
    fn stays(&self, expr: ExprId, var: FactVar, value: bool) -> bool {
        let leaf = |leaf: Expr| match leaf {
            Expr::Var(own) | Expr::Saved(own) if own == var => Possible::only(value),
            _ => Possible::ANY,
        };
        self.builder.exprs().possible(expr, &leaf).definite() == Some(value)
    }

    /// The nodes of its procedure that can be reached from an edge.
    fn reached(&self, edge: EdgeId) -> BTreeSet<NodeId> {
        let icfg = &self.shaper.cells.subject.graph.icfg;
        let (mut reached, mut open) = (BTreeSet::new(), Vec::from_iter(icfg.edges[edge].target()));
        while let Some(node) = open.pop() {
            if reached.insert(node) {
                open.extend(icfg.successors(node).iter().filter_map(|&next| icfg.edges[next].target()));
            }
        }
        reached
    }
}
