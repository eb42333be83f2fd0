//! From the run of a part to the start of the program: who calls the procedure so, and who calls the caller.
//!
//! What a run of a part rests on where its procedure is entered makes a *place*. A question about a caller's part says
//! how it comes to the place: the *leg* there, which begins at a place again. Each place asks its callers one after the
//! other, the nearest to the start of the program first, until there is a way from the start; and all places that want to
//! know something of a caller ask at once.
//!
//! So the run is a shortest one in the procedure that it ends in, and again in each caller on the way out.

use super::Modular;
use super::build::Origin;
use super::guide::Guides;
use super::part::{Part, Way, all_of, goal_at, hops};
use crate::dial::Failure;
use hardbop_base::{IndexVec, Limit, newtype_index};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{EdgeId, EdgeKind, Expr, Goal, Icfg, ProcId, Program, Relation, Scope, Value, VarId};
use hardbop_verdict::{Witness, replay};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// So many runs are followed back; each takes its time and room.
const MOST_FOLLOWED: usize = 3_000;
/// So many procedures a way may go through.
const MOST_LEGS: usize = 64;
/// So many callers are asked for each place.
const MOST_ASKED: usize = 6;

/// The way through one procedure.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    pub(super) hops: Vec<(EdgeId, Way)>,
    /// Where it begins.
    from: PlaceId,
}

newtype_index! {
    /// A place where runs enter a procedure.
    struct PlaceId = "place";
}

/// What is known of a place.
#[derive(Clone, Debug)]
struct Place {
    proc: ProcId,
    /// What runs rest on there.
    given: Vec<(VarId, bool)>,
    /// How many legs there are from here to where it was first asked for.
    legs: usize,
    /// The callers that may still be asked, the next one last.
    callers: Vec<ProcId>,
    /// The newest way there.
    leg: Option<Leg>,
}

/// The ways from the start of the program to runs of parts.
pub(crate) struct Ways<'m, 'a> {
    modular: &'m Modular<'a>,
    /// How many calls away from the start of the program each procedure is.
    depth: IndexVec<ProcId, u32>,
    places: IndexVec<PlaceId, Place>,
    known: FxHashMap<(ProcId, Vec<(VarId, bool)>), PlaceId>,
}

/// Where the newest legs to a place lead from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Root {
    /// The start of the program.
    Start,
    /// A place that can still ask.
    Open(PlaceId),
    /// Nowhere.
    Nothing,
}

impl<'m, 'a> Ways<'m, 'a> {
    /// None so far.
    pub(crate) fn new(modular: &'m Modular<'a>) -> Self {
        let depth = depths(&modular.program.icfg, modular.program.entry);
        Self { modular, depth, places: IndexVec::new(), known: FxHashMap::default() }
    }

    /// For each goal of which there is a run of a part, the run of the whole that it is the end of; nothing where none is
    /// found.
    pub(crate) fn continued(&mut self, runs: &[Option<&Failure>]) -> Vec<Option<Failure>> {
        let mut followed = 0;
        let last = runs.iter().map(|run| {
            let Failure { witness, projection, goal, origin } = run.filter(|_| followed < MOST_FOLLOWED)?;
            followed += 1;
            self.leg((projection, origin.as_deref()?), goal, witness, 1)
        });
        let last: Vec<Option<Leg>> = last.collect();
        while let questions = self.questions()
            && !questions.is_empty()
        {
            for (caller, places) in questions {
                // Where a limit of the run was hit, nothing more is found.
                if self.modular.budget.hit() == Limit::Allowance {
                    self.ask(caller, &places);
                }
            }
        }
        let mut guides = Guides::new(self.modular);
        let found = last.into_iter().enumerate().map(|(goal, last)| guides.follow(&self.back_from(last?)?, goal));
        found.collect()
    }

    /// The legs of a run that ends with `last`, from the start of the program.
    fn back_from(&self, last: Leg) -> Option<Vec<Leg>> {
        if self.root(last.from) != Root::Start {
            return None;
        }
        let mut legs = vec![last];
        while let Some(leg) = legs.last().and_then(|leg| self.places[leg.from].leg.clone()) {
            legs.push(leg);
        }
        legs.reverse();
        Some(legs)
    }

    fn root(&self, place: PlaceId) -> Root {
        let (mut at, mut seen) = (place, BTreeSet::new());
        while seen.insert(at) {
            match &self.places[at].leg {
                _ if self.places[at].proc == self.modular.program.entry => return Root::Start,
                Some(leg) => at = leg.from,
                None if self.places[at].callers.is_empty() => return Root::Nothing,
                None => return Root::Open(at),
            }
        }
        Root::Nothing
    }

    /// What is to be asked next: of whom, and by which places.
    fn questions(&mut self) -> BTreeMap<ProcId, Vec<PlaceId>> {
        let mut questions: BTreeMap<ProcId, Vec<PlaceId>> = BTreeMap::new();
        for place in self.places.ids() {
            let asks = match self.root(place) {
                Root::Start => false,
                Root::Open(open) => open == place,
                Root::Nothing => true,
            };
            if asks && let Some(caller) = self.places[place].callers.pop() {
                questions.entry(caller).or_default().push(place);
            }
        }
        questions
    }

    /// Asks `caller` how it comes to `places`.
    fn ask(&mut self, caller: ProcId, places: &[PlaceId]) {
        let given = |&place: &PlaceId| self.places[place].given.iter().map(|&(var, _)| var);
        let wanted: BTreeSet<VarId> = places.iter().flat_map(given).collect();
        let Part { mut program, origin, .. } = self.modular.source().part(caller, &[], &wanted);
        let here: FxHashMap<VarId, VarId> = origin.vars.iter_enumerated().map(|(here, &var)| (var, here)).collect();
        let stubs: FxHashMap<ProcId, ProcId> =
            origin.procs.iter_enumerated().map(|(here, &proc)| (proc, here)).collect();
        let mut goals = Vec::with_capacity(places.len());
        for &place in places {
            let Place { proc, given, .. } = &self.places[place];
            let condition = all_of(&mut program.exprs, given.iter().map(|(var, value)| (here[var], *value)));
            let called = stubs[proc];
            goals.push(goal_at(&program, called, program.icfg.procs[called].entry, condition));
        }
        let found = self.modular.runs(&program, &goals);
        for ((&place, goal), witness) in places.iter().zip(&goals).zip(found) {
            let legs = self.places[place].legs + 1;
            let leg = witness.and_then(|witness| self.leg((&program, &origin), goal, &witness, legs));
            if leg.is_some() {
                self.places[place].leg = leg;
            }
        }
    }

    /// The run of a part in terms of the whole; with those behind it there are so many `legs`.
    fn leg(
        &mut self,
        (program, origin): (&Program<Relation>, &Origin),
        goal: &Goal,
        witness: &Witness,
        legs: usize,
    ) -> Option<Leg> {
        let modular = self.modular;
        let replayed = replay(program, goal, witness).ok()?;
        let (first, proc) = (replayed.main().state(0), origin.procs[program.entry]);
        let entry = modular.program.icfg.procs[proc].entry;
        // What is certain there need not be asked for.
        let is_open = |var: VarId| modular.flow.value(entry, var).is_some_and(|value| value.definite().is_none());
        let is_given = |var: VarId| match modular.program.vars[var].scope {
            Scope::Global => is_open(var),
            Scope::Parameter(owner) => owner == proc && is_open(var),
            Scope::Local(_) | Scope::Result(_) => false,
        };
        let vars = origin.vars.iter_enumerated().filter(|&(_, &var)| is_given(var));
        let given = vars.filter_map(|(here, &var)| Some((var, first.value(here)?))).collect();
        let hops = hops(origin, &witness.moves)?;
        Some(Leg { hops, from: self.place(proc, given, legs) })
    }

    fn place(&mut self, proc: ProcId, given: Vec<(VarId, bool)>, legs: usize) -> PlaceId {
        let key = (proc, given);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let icfg = &self.modular.program.icfg;
        let calls = icfg.callers(proc).iter().filter(|&&edge| self.may_give(edge, &key.1));
        let callers = calls.map(|&edge| icfg.nodes[icfg.edges[edge].from].proc);
        let callers: BTreeSet<ProcId> = callers.filter(|&caller| caller != proc).collect();
        let mut callers: Vec<ProcId> = callers.into_iter().collect();
        callers.sort_by_key(|&caller| self.depth[caller]);
        callers.truncate(if legs < MOST_LEGS { MOST_ASKED } else { 0 });
        callers.reverse();
        let place = self.places.push(Place { proc, given: key.1.clone(), legs, callers, leg: None });
        self.known.insert(key, place);
        place
    }
}

impl Ways<'_, '_> {
    /// Whether a call may give these values, as far as the tri-vectors know.
    fn may_give(&self, edge: EdgeId, given: &[(VarId, bool)]) -> bool {
        let (program, flow) = (&self.modular.program, self.modular.flow);
        let from = program.icfg.edges[edge].from;
        let Relation::Call { enter, .. } = &program.labels[edge] else { unreachable!("the edge is a call") };
        let now = |var: VarId| flow.value(from, var).unwrap_or(Possible::ANY);
        let leaf = |leaf: Expr| match leaf {
            Expr::Var(var) => now(var),
            _ => Possible::ANY,
        };
        let may_be = |&(var, value): &(VarId, bool)| match enter.update_of(var) {
            Some(Value::Of(given)) => program.exprs.possible(given, &leaf).contains(value),
            Some(Value::Any) => true,
            None => !program.is_global(var) || now(var).contains(value),
        };
        flow.is_reachable(from) && given.iter().all(may_be)
    }
}

/// How many calls away from `entry` each procedure is.
fn depths(icfg: &Icfg, entry: ProcId) -> IndexVec<ProcId, u32> {
    let mut depth = IndexVec::from_elem(u32::MAX, icfg.procs.len());
    let mut waiting = VecDeque::from([entry]);
    depth[entry] = 0;
    while let Some(proc) = waiting.pop_front() {
        for &edge in icfg.nodes_of(proc).flat_map(|node| icfg.successors(node)) {
            if let EdgeKind::Call { callee, .. } = icfg.edges[edge].kind
                && depth[callee] == u32::MAX
            {
                depth[callee] = depth[proc] + 1;
                waiting.push_back(callee);
            }
        }
    }
    depth
}
