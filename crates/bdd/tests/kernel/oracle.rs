//! Long random sequences of operations with collections in between, against `oxidd`.
//!
//! The levels are four triples (entry, current, next). After each operation the result is rebuilt in `oxidd` from its
//! nodes and compared with what `oxidd` computed itself.

use std::collections::HashMap;

use hardbop_base::Idx;
use hardbop_bdd::{Bdd, Fate, Kernel, Level, PlanId};
use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, FunctionSubst, Manager, ManagerRef, Subst, VarNo};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::Index;

use crate::truth::{kernel, level};

const SLOTS: usize = 4;
const LEVELS: usize = 3 * SLOTS;

/// What becomes of the copies of each slot: the fate of `3 * slot + copy` is a copy of the same slot, or `None`.
type SlotPlan = [Option<usize>; 3];

#[derive(Clone, Debug)]
enum Step {
    Not(Index),
    And(Index, Index),
    Or(Index, Index),
    Xor(Index, Index),
    Iff(Index, Index),
    Diff(Index, Index),
    Implies(Index, Index),
    Ite(Index, Index, Index),
    Image(Index, Index, [SlotPlan; SLOTS]),
    Simplify(Index, Index),
    Drop(Index),
    Collect,
}

fn step() -> impl Strategy<Value = Step> {
    let i = any::<Index>;
    let binary: [fn(Index, Index) -> Step; 7] =
        [Step::And, Step::Or, Step::Xor, Step::Iff, Step::Diff, Step::Implies, Step::Simplify];
    prop_oneof![
        1 => i().prop_map(Step::Not),
        7 => (0..binary.len(), i(), i()).prop_map(move |(which, f, g)| binary[which](f, g)),
        2 => (i(), i(), i()).prop_map(|(f, g, h)| Step::Ite(f, g, h)),
        4 => (i(), i(), proptest::array::uniform4(slot_plan())).prop_map(|(f, g, plan)| Step::Image(f, g, plan)),
        3 => i().prop_map(Step::Drop),
        2 => Just(Step::Collect),
    ]
}

// Any choice of what to forget, and any move of the rest within the slot that keeps the order.
fn slot_plan() -> impl Strategy<Value = SlotPlan> {
    let copy = || prop_oneof![Just(None), (0usize..3).prop_map(Some)];
    [copy(), copy(), copy()].prop_filter("the copies keep their order", |plan| {
        plan.iter().flatten().is_sorted_by(|first, second| first < second)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_operations_and_collections_agree_with_oxidd(steps in proptest::collection::vec(step(), 1..120)) {
        let mut twins = Twins::new();
        for step in &steps {
            twins.apply(step);
        }
    }
}

/// The same functions twice.
struct Twins {
    kernel: Kernel,
    manager: BDDManagerRef,
    pairs: Vec<(Bdd, BDDFunction)>,
}

impl Twins {
    fn new() -> Self {
        let manager = new_manager(1 << 16, 1 << 12, 1);
        manager.with_manager_exclusive(|manager| manager.add_vars(LEVELS as VarNo));
        let mut twins = Self { kernel: kernel(LEVELS), manager, pairs: Vec::new() };
        for row in 0..LEVELS {
            let pair = (twins.kernel.var(level(row)).unwrap(), twins.var(row));
            twins.pairs.push(pair);
        }
        twins
    }

    fn apply(&mut self, step: &Step) {
        let of = |index: &Index| self.pairs[index.index(self.pairs.len())].clone();
        let kernel = &mut self.kernel;
        let (ours, theirs) = match step {
            Step::Not(f) => (kernel.not(of(f).0), of(f).1.not()),
            Step::And(f, g) => (kernel.and(of(f).0, of(g).0), of(f).1.and(&of(g).1)),
            Step::Or(f, g) => (kernel.or(of(f).0, of(g).0), of(f).1.or(&of(g).1)),
            Step::Xor(f, g) => (kernel.xor(of(f).0, of(g).0), of(f).1.xor(&of(g).1)),
            Step::Iff(f, g) => (kernel.iff(of(f).0, of(g).0), of(f).1.equiv(&of(g).1)),
            Step::Diff(f, g) => (kernel.diff(of(f).0, of(g).0), of(g).1.imp_strict(&of(f).1)),
            Step::Implies(f, g) => (kernel.implies(of(f).0, of(g).0), of(f).1.imp(&of(g).1)),
            Step::Ite(f, g, h) => (kernel.ite(of(f).0, of(g).0, of(h).0), of(f).1.ite(&of(g).1, &of(h).1)),
            Step::Image(f, g, plan) => {
                let (f, g) = (of(f), of(g));
                return self.image(f, g, plan);
            }
            Step::Simplify(f, care) => {
                let (f, care) = (of(f), of(care));
                return self.simplify(f, care);
            }
            Step::Drop(f) => return self.drop_pair(f.index(self.pairs.len())),
            Step::Collect => return self.collect(),
        };
        self.add(ours.unwrap(), theirs.unwrap());
    }

    // The oracle has no fused operation: it conjoins and quantifies, then substitutes.
    fn image(&mut self, f: (Bdd, BDDFunction), g: (Bdd, BDDFunction), plan: &[SlotPlan; SLOTS]) {
        let fates: Vec<(usize, Option<usize>)> = plan
            .iter()
            .enumerate()
            .flat_map(|(slot, copies)| (0..3).map(move |copy| (3 * slot + copy, copies[copy].map(|to| 3 * slot + to))))
            .collect();
        let id = self.plan(&fates);
        let ours = self.kernel.image(f.0, g.0, id).unwrap();
        let mut forgotten = self.manager.with_manager_shared(|manager| BDDFunction::t(manager));
        let (mut moved, mut onto) = (Vec::new(), Vec::new());
        for (from, to) in fates {
            match to {
                None => forgotten = forgotten.and(&self.var(from)).unwrap(),
                Some(to) => {
                    moved.push(from as VarNo);
                    onto.push(self.var(to));
                }
            }
        }
        let product = f.1.apply_exists(BooleanOperator::And, &g.1, &forgotten).unwrap();
        let theirs = product.substitute(&Subst::new(moved, onto)).unwrap();
        self.add(ours, theirs);
    }

    fn plan(&mut self, fates: &[(usize, Option<usize>)]) -> PlanId {
        let fate = |to: Option<usize>| to.map_or(Fate::Forget, |to| Fate::MoveTo(level(to)));
        self.kernel.plan(fates.iter().map(|&(from, to)| (level(from), fate(to))))
    }

    // Here the oracle cannot know the result; it checks what was promised.
    fn simplify(&mut self, f: (Bdd, BDDFunction), care: (Bdd, BDDFunction)) {
        let simple = self.kernel.simplify(f.0, care.0).unwrap();
        assert!(self.kernel.size(simple) <= self.kernel.size(f.0));
        let theirs = self.rebuild(simple);
        assert!(theirs.and(&care.1).unwrap() == f.1.and(&care.1).unwrap(), "they agree where it matters");
        self.pairs.push((simple, theirs));
    }

    fn drop_pair(&mut self, index: usize) {
        if self.pairs.len() > 1 {
            self.pairs.swap_remove(index);
        }
    }

    fn collect(&mut self) {
        self.kernel.collect(self.pairs.iter().map(|&(f, _)| f));
        for (ours, theirs) in &self.pairs {
            assert!(self.rebuild(*ours) == *theirs, "{ours:?} changed in a collection");
        }
    }

    fn add(&mut self, ours: Bdd, theirs: BDDFunction) {
        assert!(self.rebuild(ours) == theirs, "{ours:?} is not what oxidd computed");
        for (other, twin) in &self.pairs {
            assert_eq!(*other == ours, *twin == theirs, "equal functions are equal handles");
        }
        let over: Vec<Level> = (0..LEVELS).map(level).collect();
        let disjoint = self.pairs.iter().all(|(other, twin)| {
            let expected = !twin.and(&theirs).unwrap().satisfiable();
            self.kernel.disjoint(*other, ours) == Ok(expected)
        });
        assert!(disjoint, "disjointness is an empty conjunction");
        assert!((self.kernel.count(ours, &over) > 0.0) == theirs.satisfiable());
        self.pairs.push((ours, theirs));
    }

    fn rebuild(&self, f: Bdd) -> BDDFunction {
        let constants = self.manager.with_manager_shared(|manager| [BDDFunction::f(manager), BDDFunction::t(manager)]);
        let [no, yes] = constants;
        let mut known = HashMap::from([(Bdd::FALSE, no), (Bdd::TRUE, yes)]);
        self.rebuild_node(f, &mut known)
    }

    fn rebuild_node(&self, f: Bdd, known: &mut HashMap<Bdd, BDDFunction>) -> BDDFunction {
        if let Some(theirs) = known.get(&f) {
            return theirs.clone();
        }
        let (level, low, high) = self.kernel.branch(f).expect("the constants are known");
        let (low, high) = (self.rebuild_node(low, known), self.rebuild_node(high, known));
        let theirs = self.var(level.index()).ite(&high, &low).unwrap();
        known.insert(f, theirs.clone());
        theirs
    }

    fn var(&self, row: usize) -> BDDFunction {
        self.manager.with_manager_shared(|manager| BDDFunction::var(manager, row as VarNo)).unwrap()
    }
}
