//! What the workloads need of a BDD library, three times.

use std::hash::RandomState;

use biodivine_lib_bdd::{Bdd as BiodivineBdd, BddVariable, BddVariableSet, op_function};
use hardbop_base::Idx;
use hardbop_bdd::{Bdd, Budget, Fate, Kernel, Level, PlanId};
use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::util::SatCountCache;
use oxidd::util::num::F64;
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, FunctionSubst, HasWorkers, Manager, ManagerRef, Subst,
    VarNo, WorkerPool,
};

/// A BDD library with its manager, if it has one.
pub trait Library {
    type Function: Clone + Eq;
    /// Which variables an image forgets and which it moves, in whatever form the library wants it.
    type Plan;

    fn new(levels: usize) -> Self;
    fn constant(&mut self, value: Constant) -> Self::Function;
    fn var(&mut self, level: usize) -> Self::Function;
    fn not(&mut self, f: &Self::Function) -> Self::Function;
    fn and(&mut self, f: &Self::Function, g: &Self::Function) -> Self::Function;
    fn or(&mut self, f: &Self::Function, g: &Self::Function) -> Self::Function;
    fn xor(&mut self, f: &Self::Function, g: &Self::Function) -> Self::Function;
    /// The plan that forgets the first of each pair and moves the second there.
    fn plan(&mut self, moves: &[(usize, usize)]) -> Self::Plan;
    fn image(&mut self, f: &Self::Function, relation: &Self::Function, plan: &Self::Plan) -> Self::Function;
    /// A point at which only `roots` are still needed.
    fn safe_point(&mut self, roots: &[&[Self::Function]]);
    /// The number of models over all levels.
    fn count(&mut self, f: &Self::Function) -> f64;
}

pub enum Constant {
    False,
    True,
}

pub struct Hardbop(Kernel);

impl Library for Hardbop {
    type Function = Bdd;
    type Plan = PlanId;

    fn new(levels: usize) -> Self {
        Self(Kernel::new(levels, Budget::unlimited()))
    }

    fn constant(&mut self, value: Constant) -> Bdd {
        Bdd::from(matches!(value, Constant::True))
    }

    fn var(&mut self, level: usize) -> Bdd {
        self.0.var(Level::from_usize(level)).expect("the budget is unlimited")
    }

    fn not(&mut self, f: &Bdd) -> Bdd {
        self.0.not(*f).expect("the budget is unlimited")
    }

    fn and(&mut self, f: &Bdd, g: &Bdd) -> Bdd {
        self.0.and(*f, *g).expect("the budget is unlimited")
    }

    fn or(&mut self, f: &Bdd, g: &Bdd) -> Bdd {
        self.0.or(*f, *g).expect("the budget is unlimited")
    }

    fn xor(&mut self, f: &Bdd, g: &Bdd) -> Bdd {
        self.0.xor(*f, *g).expect("the budget is unlimited")
    }

    fn plan(&mut self, moves: &[(usize, usize)]) -> PlanId {
        let fates = moves.iter().flat_map(|&(to, from)| {
            let (to, from) = (Level::from_usize(to), Level::from_usize(from));
            [(to, Fate::Forget), (from, Fate::MoveTo(to))]
        });
        self.0.plan(fates)
    }

    fn image(&mut self, f: &Bdd, relation: &Bdd, plan: &PlanId) -> Bdd {
        self.0.image(*f, *relation, *plan).expect("the budget is unlimited")
    }

    fn safe_point(&mut self, roots: &[&[Bdd]]) {
        if self.0.wants_collection() {
            self.0.collect(roots.iter().copied().flatten().copied());
        }
    }

    fn count(&mut self, f: &Bdd) -> f64 {
        let levels: Vec<Level> = (0..self.0.levels()).map(Level::from_usize).collect();
        self.0.count(*f, &levels)
    }
}

pub struct Oxidd {
    manager: BDDManagerRef,
    levels: usize,
}

impl Library for Oxidd {
    type Function = BDDFunction;
    type Plan = (BDDFunction, Subst<BDDFunction>);

    fn new(levels: usize) -> Self {
        let manager = new_manager(1 << 23, 1 << 20, 1);
        manager.with_manager_exclusive(|manager| {
            manager.add_vars(levels as VarNo);
            manager.workers().set_split_depth(Some(0));
        });
        Self { manager, levels }
    }

    fn constant(&mut self, value: Constant) -> BDDFunction {
        self.manager.with_manager_shared(|manager| match value {
            Constant::False => BDDFunction::f(manager),
            Constant::True => BDDFunction::t(manager),
        })
    }

    fn var(&mut self, level: usize) -> BDDFunction {
        let var = self.manager.with_manager_shared(|manager| BDDFunction::var(manager, level as VarNo));
        var.expect("there is room")
    }

    fn not(&mut self, f: &BDDFunction) -> BDDFunction {
        f.not().expect("there is room")
    }

    fn and(&mut self, f: &BDDFunction, g: &BDDFunction) -> BDDFunction {
        f.and(g).expect("there is room")
    }

    fn or(&mut self, f: &BDDFunction, g: &BDDFunction) -> BDDFunction {
        f.or(g).expect("there is room")
    }

    fn xor(&mut self, f: &BDDFunction, g: &BDDFunction) -> BDDFunction {
        f.xor(g).expect("there is room")
    }

    fn plan(&mut self, moves: &[(usize, usize)]) -> Self::Plan {
        let forgotten = moves.iter().fold(self.constant(Constant::True), |cube, &(to, _)| {
            let var = self.var(to);
            self.and(&cube, &var)
        });
        let from = moves.iter().map(|&(_, from)| from as VarNo).collect();
        let onto = moves.iter().map(|&(to, _)| self.var(to)).collect();
        (forgotten, Subst::new(from, onto))
    }

    fn image(&mut self, f: &BDDFunction, relation: &BDDFunction, (forgotten, moved): &Self::Plan) -> BDDFunction {
        let product = f.apply_exists(BooleanOperator::And, relation, forgotten).expect("there is room");
        product.substitute(moved).expect("there is room")
    }

    // Its collector runs on a thread of its own; where many small steps outrun it, it needs a push.
    fn safe_point(&mut self, _: &[&[BDDFunction]]) {
        self.manager.with_manager_shared(|manager| {
            if manager.num_inner_nodes() > 1 << 22 {
                manager.gc();
            }
        });
    }

    fn count(&mut self, f: &BDDFunction) -> f64 {
        f.sat_count::<F64, RandomState>(self.levels as u32, &mut SatCountCache::default()).0
    }
}

pub struct Biodivine(BddVariableSet);

impl Library for Biodivine {
    type Function = BiodivineBdd;
    type Plan = Vec<(BddVariable, BddVariable)>;

    fn new(levels: usize) -> Self {
        Self(BddVariableSet::new_anonymous(u16::try_from(levels).expect("there are few levels")))
    }

    fn constant(&mut self, value: Constant) -> BiodivineBdd {
        match value {
            Constant::False => self.0.mk_false(),
            Constant::True => self.0.mk_true(),
        }
    }

    fn var(&mut self, level: usize) -> BiodivineBdd {
        self.0.mk_var(BddVariable::from_index(level))
    }

    fn not(&mut self, f: &BiodivineBdd) -> BiodivineBdd {
        f.not()
    }

    fn and(&mut self, f: &BiodivineBdd, g: &BiodivineBdd) -> BiodivineBdd {
        f.and(g)
    }

    fn or(&mut self, f: &BiodivineBdd, g: &BiodivineBdd) -> BiodivineBdd {
        f.or(g)
    }

    fn xor(&mut self, f: &BiodivineBdd, g: &BiodivineBdd) -> BiodivineBdd {
        f.xor(g)
    }

    fn plan(&mut self, moves: &[(usize, usize)]) -> Self::Plan {
        moves.iter().map(|&(to, from)| (BddVariable::from_index(to), BddVariable::from_index(from))).collect()
    }

    // Renaming in place is an unsafe function there; this is the safe way, and linear too.
    fn image(&mut self, f: &BiodivineBdd, relation: &BiodivineBdd, plan: &Self::Plan) -> BiodivineBdd {
        let forgotten: Vec<BddVariable> = plan.iter().map(|&(to, _)| to).collect();
        let product = BiodivineBdd::binary_op_with_exists(f, relation, op_function::and, &forgotten);
        let mut nodes = product.to_nodes();
        for node in nodes.iter_mut().skip(2) {
            if let Some(&(to, _)) = plan.iter().find(|&&(_, from)| from == node.var) {
                node.var = to;
            }
        }
        BiodivineBdd::from_nodes(&nodes).expect("the order is kept")
    }

    fn safe_point(&mut self, _: &[&[BiodivineBdd]]) {}

    fn count(&mut self, f: &BiodivineBdd) -> f64 {
        f.cardinality()
    }
}
