//! From variables in the order in which they were needed to those of a program: globals, then each procedure's results,
//! parameters and other locals.

use super::facts::Draft as Var;
use super::{Encoding, Fact, Site};
use hardbop_base::{Idx, IndexVec};
use hardbop_c_graph::CGraph;
use hardbop_icfg::expr::{Expr, Possible};
use hardbop_icfg::{Datum, EdgeId, Exprs, Marks, ProcId, Program, Relation, Role, Scope, Transition, Type, VarId};
use rustc_hash::FxHashMap;

/// An encoding whose variables have no final numbers yet.
pub(crate) struct Draft {
    pub(crate) vars: IndexVec<VarId, Var>,
    pub(crate) exprs: Exprs,
    pub(crate) labels: IndexVec<EdgeId, Relation>,
    pub(crate) initial: Transition,
    pub(crate) facts: Vec<Fact>,
    pub(crate) sites: Vec<Site>,
    pub(crate) unmodelled: Vec<EdgeId>,
}

impl Draft {
    /// The encoding, and `starts` by its variables.
    pub(crate) fn finish(
        mut self,
        graph: &CGraph<'_>,
        starts: Vec<(VarId, Possible)>,
    ) -> (Encoding, Vec<(VarId, Possible)>) {
        let order = self.order();
        let mut number = IndexVec::from_elem(VarId::from_usize(0), self.vars.len());
        for (new, &old) in order.iter().enumerate() {
            number[old] = VarId::from_usize(new);
        }
        self.facts.iter_mut().for_each(|fact| fact.bits.iter_mut().for_each(|bit| *bit = number[*bit]));
        for label in self.labels.iter_mut() {
            match label {
                Relation::Step(transition) => renumber(transition, &number),
                Relation::Call { enter, leave } => [enter, leave].into_iter().for_each(|way| renumber(way, &number)),
                Relation::Return => {}
            }
        }
        let exprs = rename(&self.exprs, &number);
        let (vars, locals) = self.variables(&order, graph.icfg.procs.len());
        let data = self.facts.iter().filter_map(datum).collect();
        let marks = Marks { labels: graph.labels.clone(), ..Marks::default() };
        let (icfg, entry) = (graph.icfg.clone(), graph.entry);
        let Self { labels, initial, facts, sites, unmodelled, .. } = self;
        let program = Program { icfg, vars, exprs, data, labels, locals, entry, initial, marks };
        let starts = starts.into_iter().map(|(var, possible)| (number[var], possible)).collect();
        (Encoding { program, facts, sites, unmodelled }, starts)
    }

    fn order(&self) -> Vec<VarId> {
        let rank = |var: VarId| match self.vars[var].scope {
            Scope::Global => (0, 0),
            Scope::Result(proc) => (proc.index() + 1, 0),
            Scope::Parameter(proc) => (proc.index() + 1, 1),
            Scope::Local(proc) => (proc.index() + 1, 2),
        };
        let mut order: Vec<VarId> = self.vars.ids().collect();
        order.sort_by_key(|&var| (rank(var), var));
        order
    }

    /// The variables in their order, names made different, and those of each procedure.
    fn variables(
        &self,
        order: &[VarId],
        procs: usize,
    ) -> (IndexVec<VarId, hardbop_icfg::Var>, IndexVec<ProcId, Vec<VarId>>) {
        let mut vars: IndexVec<VarId, hardbop_icfg::Var> = IndexVec::new();
        let mut locals: IndexVec<ProcId, Vec<VarId>> = IndexVec::from_elem(Vec::new(), procs);
        // By name the number of its last copy: a function may have thousands of variables of one name.
        let (mut globals, mut own): (FxHashMap<String, usize>, FxHashMap<String, usize>) = Default::default();
        let mut current = None;
        for &old in order {
            let Var { name, scope, span } = &self.vars[old];
            let proc = match *scope {
                Scope::Global => None,
                Scope::Parameter(proc) | Scope::Local(proc) | Scope::Result(proc) => Some(proc),
            };
            if current != proc {
                own.clear();
                current = proc;
            }
            let known = own.get(name).or_else(|| globals.get(name));
            let mut copies = known.copied().unwrap_or(0);
            let unique = loop {
                copies += 1;
                let copy = if copies == 1 { name.clone() } else { format!("{name}'{copies}") };
                if !globals.contains_key(&copy) && !own.contains_key(&copy) {
                    break copy;
                }
            };
            let names = if proc.is_some() { &mut own } else { &mut globals };
            names.insert(name.clone(), copies);
            names.insert(unique.clone(), 1);
            let id = vars.push(hardbop_icfg::Var { name: unique, scope: *scope, span: *span });
            if let Some(proc) = proc {
                locals[proc].push(id);
            }
        }
        (vars, locals)
    }
}

/// Several bits are one value to the user.
fn datum(fact: &Fact) -> Option<Datum> {
    if fact.bits.len() < 2 || fact.readings.is_empty() {
        return None;
    }
    let kind = Type::Enum(fact.readings.clone());
    Some(Datum { name: fact.name.clone(), kind, role: Role::Flag, bits: fact.bits.clone() })
}

fn renumber(transition: &mut Transition, number: &IndexVec<VarId, VarId>) {
    transition.updates.iter_mut().for_each(|update| update.target = number[update.target]);
}

fn rename(exprs: &Exprs, number: &IndexVec<VarId, VarId>) -> Exprs {
    let mut renamed = Exprs::default();
    for expr in exprs.iter() {
        renamed.add(match expr {
            Expr::Var(var) => Expr::Var(number[var]),
            Expr::Next(var) => Expr::Next(number[var]),
            Expr::Saved(var) => Expr::Saved(number[var]),
            other => other,
        });
    }
    renamed
}
