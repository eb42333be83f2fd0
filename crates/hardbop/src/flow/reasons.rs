//! Why a run fails: the facts that matter along it, in the program over all facts.
//!
//! What was decided may rest on a program in which what is certain has been put in, so that the statements which make
//! it so do nothing there. Here the run is gone back along in the whole program, with a set of *literals*: bits of facts
//! and the values that they must have. It starts with some that make what is required false. Where a moment sets one,
//! those come in its place that give it this value, and the moment is *noted*; a branch that is shown adds those on
//! which it is taken. What is left at the start was so at the start.
//!
//! **Invariant:** the literals are true in the run: where it leaves a bit open, the run may be chosen so.

use super::moments::{FrameId, Moment, MomentId, Moments, Way, part_of};
use hardbop_base::{Idx, IndexVec};
use hardbop_c_facts::{Encoding, Fact};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{
    CallOrder, EdgeKind, Expr, ExprId, Goal, ModRef, Program, Relation, Scope, Slots, Transition, Value, VarId,
};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Values are followed back over so many assignments.
const MOST_FOLLOWED: usize = 32;

/// What is known of a program beside the runs.
pub struct Whole<'a> {
    program: &'a Program<Relation>,
    facts: &'a [Fact],
    /// The facts that have readings, by their bits.
    fact_of: HashMap<VarId, usize>,
    /// What is said of the first state, bit by bit.
    initial: HashMap<VarId, bool>,
    modified: OnceCell<(Slots, ModRef)>,
}

/// Something that matters, and where.
#[derive(Clone, Debug)]
pub struct Note {
    /// Whose it is: nobody's, or that of an activation.
    pub owner: Option<FrameId>,
    /// The fact.
    pub fact: usize,
    /// How it reads.
    pub reading: String,
}

/// What matters along a run.
pub struct Reasons {
    /// What each moment brings about.
    pub notes: IndexVec<MomentId, Vec<Note>>,
    /// What is so at the start.
    pub at_start: Vec<Note>,
}

impl<'a> Whole<'a> {
    /// Gets ready.
    pub fn new(encoding: &'a Encoding) -> Self {
        let (program, facts) = (&encoding.program, &encoding.facts[..]);
        let mut fact_of = HashMap::new();
        for (index, fact) in facts.iter().enumerate() {
            if !fact.readings.is_empty() || fact.shared.is_some() {
                fact_of.extend(fact.bits.iter().map(|&bit| (bit, index)));
            }
        }
        let said = program.initial.constraint.map_or_else(Vec::new, |said| program.exprs.conjuncts(said));
        let literal = |conjunct: ExprId| match program.exprs.get(conjunct) {
            Expr::Next(var) => Some((var, true)),
            Expr::Not(inner) => match program.exprs.get(inner) {
                Expr::Next(var) => Some((var, false)),
                _ => None,
            },
            _ => None,
        };
        let initial = said.into_iter().filter_map(literal).collect();
        Self { program, facts, fact_of, initial, modified: OnceCell::new() }
    }

    /// Why the run meets `goal`; `is_branch` says which moments are shown as branches.
    pub fn reasons(&self, moments: &Moments<'_>, goal: &Goal, is_branch: impl Fn(&Moment) -> bool) -> Reasons {
        let here = moments.failure.origin.as_deref();
        let here = here.map(|origin| origin.vars.iter_enumerated().map(|(here, &var)| (var, here)).collect());
        let notes = IndexVec::from_elem(Vec::new(), moments.all.len());
        let mut search = Search {
            whole: self,
            moments,
            here,
            written: HashMap::new(),
            found: RefCell::default(),
            literals: BTreeMap::new(),
            notes,
        };
        search.index();
        if let (Some(condition), Some(end)) = (goal.condition, search.moments.all.ids().next_back()) {
            search.demand(end, condition);
        }
        for id in search.moments.all.ids().rev() {
            search.go_back(id, &is_branch);
        }
        let left: Vec<(Slot, bool)> = search.literals.iter().map(|(&slot, &value)| (slot, value)).collect();
        let first = search.moments.all.ids().next();
        let at_start = first.map_or_else(Vec::new, |first| search.read(&left, first));
        Reasons { notes: search.notes, at_start }
    }

    fn modified(&self) -> &(Slots, ModRef) {
        self.modified.get_or_init(|| {
            let (slots, order) = (Slots::new(self.program), CallOrder::new(&self.program.icfg));
            let mod_ref = ModRef::new(self.program, &slots, &order, |_| true, |_| true);
            (slots, mod_ref)
        })
    }
}

/// A bit of a fact, and whose it is.
type Slot = (Option<FrameId>, VarId);

/// Why an expression has a value: the fewest literals, as far as that is easily seen.
#[derive(Clone, Default, Debug)]
struct Why {
    /// How many of them are open in the run.
    open: usize,
    /// How many do not read.
    silent: usize,
    literals: BTreeMap<Slot, bool>,
}

type Memo = HashMap<(ExprId, bool), Option<Rc<Why>>>;

struct Search<'a, 'r> {
    whole: &'a Whole<'a>,
    moments: &'a Moments<'r>,
    /// The variables of the whole in the program of the run, where they are others.
    here: Option<HashMap<VarId, VarId>>,
    /// Where each bit is set.
    written: HashMap<Slot, Vec<MomentId>>,
    /// What was set, as far as it was asked for.
    found: RefCell<HashMap<(MomentId, VarId), Option<bool>>>,
    literals: BTreeMap<Slot, bool>,
    notes: IndexVec<MomentId, Vec<Note>>,
}

impl<'a> Search<'a, '_> {
    fn slot(&self, var: VarId, frame: FrameId) -> Slot {
        (if self.whole.program.is_global(var) { None } else { Some(frame) }, var)
    }

    /// What a moment does to all facts; nothing where that is not known.
    fn transition(&self, moment: &Moment) -> Option<&'a Transition> {
        let origin = self.moments.failure.origin.as_deref();
        let edge = origin.map_or(Some(moment.edge), |origin| origin.edges[moment.edge])?;
        part_of(&self.whole.program.labels[edge], moment.way)
    }

    /// Where what a moment sets belongs.
    const fn target_frame(moment: &Moment) -> FrameId {
        match moment.way {
            Way::Enter(callee, ..) | Way::Within(callee) => callee,
            Way::Step | Way::Leave(_) | Way::Goal => moment.frame,
        }
    }

    fn index(&mut self) {
        for id in self.moments.all.ids() {
            let moment = &self.moments.all[id];
            let frame = Self::target_frame(moment);
            let targets = match moment.way {
                Way::Within(_) => self.modified_within(moment),
                _ => self.transition(moment).map_or_else(Vec::new, targets),
            };
            for var in targets {
                let slot = self.slot(var, frame);
                self.written.entry(slot).or_default().push(id);
            }
        }
    }

    /// What the procedure that a moment calls may set.
    fn modified_within(&self, moment: &Moment) -> Vec<VarId> {
        let origin = self.moments.failure.origin.as_deref();
        let Some(edge) = origin.map_or(Some(moment.edge), |origin| origin.edges[moment.edge]) else {
            return Vec::new();
        };
        let program = self.whole.program;
        let EdgeKind::Call { callee, .. } = program.icfg.edges[edge].kind else { return Vec::new() };
        let (slots, mod_ref) = self.whole.modified();
        let globals = program.globals().filter(|&var| mod_ref.modified[callee].contains(slots.of(var)));
        let is_result = |var: &VarId| matches!(program.vars[*var].scope, Scope::Result(_));
        globals.chain(program.locals[callee].iter().copied().filter(is_result)).collect()
    }

    /// One moment back.
    fn go_back(&mut self, id: MomentId, is_branch: &impl Fn(&Moment) -> bool) {
        let moment = self.moments.all[id];
        let frame = Self::target_frame(&moment);
        let set: Vec<(Slot, bool)> = match moment.way {
            // What is not given to a callee starts with any value.
            Way::Enter(callee, ..) => self.literals_where(|slot| slot.0 == Some(callee)),
            Way::Within(_) => {
                let modified: BTreeSet<VarId> = self.modified_within(&moment).into_iter().collect();
                self.literals_where(|slot| modified.contains(&slot.1) && slot.0.is_none_or(|owner| owner == frame))
            }
            _ => {
                let targets = self.transition(&moment).map_or_else(Vec::new, targets);
                let slots = targets.into_iter().map(|var| self.slot(var, frame));
                slots.filter_map(|slot| Some((slot, *self.literals.get(&slot)?))).collect()
            }
        };
        self.replace(id, &set);
        if let (Way::Step, Some(guard)) = (moment.way, self.transition(&moment).and_then(|step| step.guard))
            && is_branch(&moment)
        {
            self.demand(id, guard);
        }
    }

    fn literals_where(&self, is_meant: impl Fn(&Slot) -> bool) -> Vec<(Slot, bool)> {
        self.literals.iter().filter(|(slot, _)| is_meant(slot)).map(|(&slot, &value)| (slot, value)).collect()
    }

    /// Puts what gives each of `set` its value in its place.
    fn replace(&mut self, id: MomentId, set: &[(Slot, bool)]) {
        let next = MomentId::from_usize(id.index() + 1);
        let Some(transition) = self.transition(&self.moments.all[id]) else {
            let notes = self.read(set, next);
            self.notes[id].extend(notes);
            for (slot, _) in set {
                self.literals.remove(slot);
            }
            return;
        };
        let mut memo = Memo::new();
        let (mut changed, mut reasons) = (Vec::new(), Vec::new());
        for &(slot, value) in set {
            let why = match transition.update_of(slot.1) {
                Some(Value::Of(expr)) => self.why(id, expr, value, &mut memo),
                Some(Value::Any) | None => Some(Rc::default()),
            };
            match why {
                // It stays as it is.
                Some(why) if why.literals.len() == 1 && why.literals.get(&slot) == Some(&value) => {}
                Some(why) => {
                    changed.push((slot, value));
                    reasons.push(why);
                }
                None => {
                    self.literals.remove(&slot);
                }
            }
        }
        // What was so before is not brought about here, whatever else it rests on.
        let is_new = |((slot, value), why): &(&(Slot, bool), &Rc<Why>)| why.literals.get(slot) != Some(value);
        let new: Vec<(Slot, bool)> = changed.iter().zip(&reasons).filter(is_new).map(|(&bit, _)| bit).collect();
        let mut notes = self.read(&new, next);
        // What rests on nothing is a constant, which reads, or was chosen; of what a function is given that is no news.
        if !matches!(self.moments.all[id].way, Way::Enter(..)) {
            for ((slot, _), _) in changed.iter().zip(&reasons).filter(|(_, why)| why.literals.is_empty()) {
                notes.extend(self.opened(*slot, &notes));
            }
        }
        self.notes[id].extend(notes);
        for (slot, _) in &changed {
            self.literals.remove(slot);
        }
        reasons.iter().for_each(|why| self.add(why));
    }

    /// Adds what makes an expression true.
    fn demand(&mut self, id: MomentId, expr: ExprId) {
        if let Some(why) = self.why(id, expr, true, &mut Memo::new()) {
            self.add(&why);
        }
    }

    fn add(&mut self, why: &Why) {
        for (&slot, &value) in &why.literals {
            self.literals.entry(slot).or_insert(value);
        }
    }

    /// How literals read, with the other bits of their facts as they are before a moment.
    fn read(&self, literals: &[(Slot, bool)], before: MomentId) -> Vec<Note> {
        let mut facts: BTreeMap<(usize, Option<FrameId>), BTreeMap<VarId, bool>> = BTreeMap::new();
        for &((owner, var), value) in literals {
            if let Some(&fact) = self.whole.fact_of.get(&var) {
                facts.entry((fact, owner)).or_default().insert(var, value);
            }
        }
        let notes = facts.into_iter().filter_map(|((fact, owner), bits)| {
            let reading = self.reading(fact, owner, &bits, before)?;
            Some(Note { owner, fact, reading })
        });
        notes.collect()
    }

    /// That a number may be any from here on, unless one of `notes` says which it is.
    fn opened(&self, (owner, var): Slot, notes: &[Note]) -> Option<Note> {
        let fact = *self.whole.fact_of.get(&var)?;
        let is_number = self.whole.facts[fact].bits.len() > 1 && self.whole.facts[fact].shared.is_none();
        if !is_number || notes.iter().any(|note| (note.fact, note.owner) == (fact, owner)) {
            return None;
        }
        let about = self.whole.facts[fact].about.join(", ");
        Some(Note { owner, fact, reading: format!("{about} may be anything") })
    }

    fn reading(
        &self,
        fact: usize,
        owner: Option<FrameId>,
        known: &BTreeMap<VarId, bool>,
        before: MomentId,
    ) -> Option<String> {
        let found = &self.whole.facts[fact];
        if let (Some([yes, no]), [may, may_not]) = (&found.shared, &found.bits[..]) {
            let is_so = |bit: &VarId| known.get(bit) == Some(&true);
            return match (is_so(may), is_so(may_not)) {
                (true, _) => Some(yes.clone()),
                (false, true) => Some(no.clone()),
                (false, false) => None,
            };
        }
        let bit = |var: VarId| {
            let slot = (owner, var);
            let wanted = known.get(&var).or_else(|| self.literals.get(&slot)).copied();
            wanted.or_else(|| self.value(slot, before, MOST_FOLLOWED))
        };
        let mut bits = found.bits.iter().rev();
        let number = bits.try_fold(0_usize, |number, &var| number.checked_mul(2)?.checked_add(usize::from(bit(var)?)));
        found.readings.get(number?).filter(|reading| !reading.is_empty()).cloned()
    }

    /// Whose bit a leaf is, at a moment.
    fn leaf(&self, moment: &Moment, leaf: Expr) -> Option<Slot> {
        match (leaf, moment.way) {
            (Expr::Var(var), Way::Leave(callee)) => Some(self.slot(var, callee)),
            (Expr::Var(var) | Expr::Saved(var), _) => Some(self.slot(var, moment.frame)),
            _ => None,
        }
    }

    /// The value of a bit before a moment; nothing where it is open.
    fn value(&self, slot: Slot, before: MomentId, most: usize) -> Option<bool> {
        let written = self.written.get(&slot).map_or(&[][..], Vec::as_slice);
        let last = written[..written.partition_point(|&moment| moment < before)].last().copied();
        let Some(last) = last else {
            let said = self.whole.initial.get(&slot.1).copied();
            return said.filter(|_| self.here.is_none()).or_else(|| self.in_run(slot, before));
        };
        let seen = if self.is_followed(last, slot.1) { self.in_run(slot, before) } else { None };
        seen.or_else(|| self.set_at(slot, last, most))
    }

    /// The value of a bit in the state before a moment.
    fn in_run(&self, slot: Slot, before: MomentId) -> Option<bool> {
        let moment = &self.moments.all[before];
        let var = self.in_part(slot.1)?;
        match slot.0 {
            Some(owner) if owner == moment.frame => self.moments.outer(moment).value(var),
            Some(owner) if moment.way == Way::Leave(owner) => self.moments.before(moment).value(var),
            Some(_) => None,
            None => self.moments.before(moment).value(var),
        }
    }

    /// The variable in the program of the run.
    fn in_part(&self, var: VarId) -> Option<VarId> {
        self.here.as_ref().map_or(Some(var), |here| here.get(&var).copied())
    }

    /// Whether the program of the run, too, sets the variable at this moment.
    fn is_followed(&self, id: MomentId, var: VarId) -> bool {
        let moment = &self.moments.all[id];
        let Some(var) = self.in_part(var) else { return false };
        match part_of(&self.moments.failure.projection.labels[moment.edge], moment.way) {
            Some(transition) => transition.update_of(var).is_some(),
            None => moment.way == Way::Within(Self::target_frame(moment)),
        }
    }

    /// The value that a moment gives a bit.
    fn set_at(&self, slot: Slot, id: MomentId, most: usize) -> Option<bool> {
        let key = (id, slot.1);
        if let Some(&known) = self.found.borrow().get(&key) {
            return known;
        }
        let moment = &self.moments.all[id];
        let followed = match self.in_part(slot.1) {
            Some(var) if self.is_followed(id, slot.1) => self.moments.after(moment).value(var),
            _ => None,
        };
        let most = most.checked_sub(1)?;
        let found = followed.or_else(|| match self.transition(moment)?.update_of(slot.1)? {
            Value::Of(expr) => {
                let exprs = &self.whole.program.exprs;
                exprs.possible(expr, &|leaf| self.possible(id, leaf, most)).definite()
            }
            Value::Any => None,
        });
        self.found.borrow_mut().insert(key, found);
        found
    }

    fn possible(&self, id: MomentId, leaf: Expr, most: usize) -> Possible {
        let moment = &self.moments.all[id];
        let value = match leaf {
            // The choices of one procedure's program have other numbers.
            Expr::Choice(choice) if self.here.is_none() => {
                self.moments.choices(moment).get(choice.index()).copied().flatten()
            }
            _ => self.leaf(moment, leaf).and_then(|slot| self.value(slot, id, most)),
        };
        value.map_or(Possible::ANY, Possible::only)
    }

    /// Why `expr` is `wanted` at a moment; nothing where it cannot be.
    fn why(&self, id: MomentId, expr: ExprId, wanted: bool, memo: &mut Memo) -> Option<Rc<Why>> {
        if let Some(known) = memo.get(&(expr, wanted)) {
            return known.clone();
        }
        let mut all = |parts: &[(ExprId, bool)]| {
            let parts: Option<Vec<Rc<Why>>> =
                parts.iter().map(|&(part, wanted)| self.why(id, part, wanted, memo)).collect();
            parts.and_then(|parts| together(&parts))
        };
        let found = match self.whole.program.exprs.get(expr) {
            Expr::Const(value) => (value == wanted).then(Rc::default),
            Expr::Not(part) => all(&[(part, !wanted)]),
            Expr::And(left, right) if wanted => all(&[(left, true), (right, true)]),
            Expr::And(left, right) => least([all(&[(left, false)]), all(&[(right, false)])]),
            Expr::Or(left, right) if wanted => least([all(&[(left, true)]), all(&[(right, true)])]),
            Expr::Or(left, right) => all(&[(left, false), (right, false)]),
            Expr::Implies(left, right) if wanted => least([all(&[(left, false)]), all(&[(right, true)])]),
            Expr::Implies(left, right) => all(&[(left, true), (right, false)]),
            Expr::Iff(left, right) => {
                least([all(&[(left, true), (right, wanted)]), all(&[(left, false), (right, !wanted)])])
            }
            Expr::Xor(left, right) => {
                least([all(&[(left, true), (right, !wanted)]), all(&[(left, false), (right, wanted)])])
            }
            Expr::Ite(test, yes, no) => {
                least([all(&[(test, true), (yes, wanted)]), all(&[(test, false), (no, wanted)])])
            }
            leaf => self.why_leaf(id, leaf, wanted),
        };
        memo.insert((expr, wanted), found.clone());
        found
    }

    fn why_leaf(&self, id: MomentId, leaf: Expr, wanted: bool) -> Option<Rc<Why>> {
        let value = self.possible(id, leaf, MOST_FOLLOWED).definite();
        if value.is_some_and(|value| value != wanted) {
            return None;
        }
        let Some(slot) = self.leaf(&self.moments.all[id], leaf) else { return Some(Rc::default()) };
        let silent = usize::from(!self.whole.fact_of.contains_key(&slot.1));
        Some(Rc::new(Why { open: usize::from(value.is_none()), silent, literals: BTreeMap::from([(slot, wanted)]) }))
    }
}

fn targets(transition: &Transition) -> Vec<VarId> {
    transition.updates.iter().map(|update| update.target).collect()
}

/// All of them; nothing where they contradict each other.
fn together(parts: &[Rc<Why>]) -> Option<Rc<Why>> {
    let (first, others) = parts.split_first()?;
    if others.iter().all(|other| other.literals.is_empty()) {
        return Some(Rc::clone(first));
    }
    let mut all = Why::clone(first);
    for other in others {
        all.open += other.open;
        all.silent += other.silent;
        for (&slot, &value) in &other.literals {
            if all.literals.insert(slot, value).is_some_and(|known| known != value) {
                return None;
            }
        }
    }
    Some(Rc::new(all))
}

/// The one that rests on the least; the first of such.
fn least(ways: [Option<Rc<Why>>; 2]) -> Option<Rc<Why>> {
    let weight = |why: &Rc<Why>| (why.open, why.silent, why.literals.len());
    ways.into_iter().flatten().min_by_key(weight)
}
