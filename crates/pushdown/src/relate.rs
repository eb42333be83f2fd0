//! What a procedure does, as an expression: its path edges at one place, for those who put a procedure's effect in the
//! place of the procedure.

use crate::encode::{Copy, Encoder, Levels};
use crate::flow::Flow;
use crate::summaries::{Keep, Saturation, Until};
use crate::{Context, Options, Setting};
use hardbop_base::{Budget, Exhausted};
use hardbop_bdd::{Bdd, Kernel};
use hardbop_icfg::{Expr, ExprId, Exprs, Goal, ProcId, Program, Relation, SlotId, VarId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A relation between the state at a procedure's entry, `x`, and a later one, `x'`. What the procedure cannot modify has
/// one value and is spoken of as `x`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Related {
    /// The expressions that it is made of.
    pub exprs: Exprs,
    /// The relation.
    pub relation: ExprId,
}

/// How the states at the place of `goal` depend on those at its procedure's entry, for the entry states that a run of
/// `program` has, as far as the variables go that the goal's condition mentions. The procedure is not the outermost.
/// Nothing where the relation would have more than `most` decisions.
pub fn relate(
    program: &Program<Relation>,
    goal: &Goal,
    most: usize,
    options: &Options,
    budget: &Budget,
) -> Result<Option<Related>, Exhausted> {
    let goals = std::slice::from_ref(goal);
    let setting = Setting::new(program, goals, options, Context::Exact);
    let flow = Flow::new(&setting, options.chains);
    let levels = Levels::new(program, &setting.slots, flow.most_choices, options.order);
    let kernel = Kernel::new(levels.count(), budget.clone());
    let encoder = Encoder::new(&setting, kernel, levels);
    let mut saturation = Saturation::new(&setting, &flow, encoder, options.frontiers, Keep::Sets)?;
    saturation.run(Until::Fixpoint)?;
    let edges = saturation.reached[goal.node];
    if saturation.encoder.kernel.size(edges) > most {
        return Ok(None);
    }
    let proc = program.icfg.nodes[goal.node].proc;
    let mut reader = Reader { saturation: &saturation, proc, exprs: Exprs::default(), known: FxHashMap::default() };
    let relation = reader.expr(edges);
    Ok(Some(Related { exprs: reader.exprs, relation }))
}

struct Reader<'a> {
    saturation: &'a Saturation<'a>,
    proc: ProcId,
    exprs: Exprs,
    known: FxHashMap<Bdd, ExprId>,
}

impl Reader<'_> {
    fn expr(&mut self, set: Bdd) -> ExprId {
        if let Some(&known) = self.known.get(&set) {
            return known;
        }
        let expr = match self.saturation.encoder.kernel.branch(set) {
            None => Expr::Const(set.is_true()),
            Some((level, low, high)) => {
                let (low, high) = (self.expr(low), self.expr(high));
                let (slot, copy) = self.saturation.encoder.levels.slot(level).expect("path edges speak of slots");
                let test = self.exprs.add(self.leaf(slot, copy));
                Expr::Ite(test, high, low)
            }
        };
        let id = self.exprs.add(expr);
        self.known.insert(set, id);
        id
    }

    fn leaf(&self, slot: SlotId, copy: Copy) -> Expr {
        let var = self.var(slot);
        match copy {
            Copy::Now if self.can_change(slot) => Expr::Next(var),
            Copy::Entry | Copy::Now => Expr::Var(var),
            Copy::Next => unreachable!("path edges speak of the entry and of now"),
        }
    }

    /// Whether the value now may be another than the one that the caller gave.
    fn can_change(&self, slot: SlotId) -> bool {
        let setting = self.saturation.setting;
        let is_given = setting.slots.is_global(slot) || setting.mod_ref.inputs[self.proc].contains(slot);
        !is_given || setting.mod_ref.modified[self.proc].contains(slot)
    }

    fn var(&self, slot: SlotId) -> VarId {
        let setting = self.saturation.setting;
        let mut scope = setting.program.scope(self.proc);
        scope.find(|&var| setting.slots.of(var) == slot).expect("a slot in use is a variable's in scope")
    }
}
