//! Reads and writes of facts, in the label of one edge.
//!
//! A place that is one cell is read and written as such. One that may be several is each of them as far as the facts
//! can tell: the pointer's own fact says which, where it is followed, and otherwise it is any.

use super::Form;
use super::catalogue::Catalogue;
use super::chosen::{Aim, AimList};
use super::facts::{Facts, Known};
use super::objects::Object;
use super::presumed::Presumed;
use super::tuples::About;
use hardbop_c_cells::{
    Access, Assignment, CellId, Copied, Flows, Home, Key, Origin, Ranges, Shape, Shaper, Spot, meant,
};
use hardbop_c_core::{FunctionId, VarKind};
use hardbop_icfg::expr::Possible;
use hardbop_icfg::small::{Choices, Range};
use hardbop_icfg::words::{Builder, Moment, Word};
use hardbop_icfg::{EdgeId, EdgeKind, ExprId, ProcId, Scope, VarId};
use hardbop_lang_flow::Analysis;
use hardbop_lang_flow::tree::{FactKind, FamilyId, Sort as MetaSort};
use hardbop_points_to::{Fit, ObjectKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A place with more cells than this is not looked into when it is read.
const MOST_READ: usize = 16;

/// The label of an edge while it is being written.
#[derive(Default, Debug)]
pub(crate) struct Label {
    pub(crate) choices: Choices,
    pub(crate) guards: Vec<ExprId>,
    pub(crate) updates: BTreeMap<VarId, ExprId>,
    /// The function whose copies change with what they are copies of.
    pub(crate) function: Option<FunctionId>,
    /// Which facts are read.
    pub(crate) reads: Reads,
    /// What is written comes into being: few pointers led there before.
    pub(crate) is_birth: bool,
    /// How far behind what the edge makes the chosen object is, and where that is so.
    pub(crate) made: BTreeMap<i64, ExprId>,
}

/// Which facts the label of an edge reads.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Reads {
    /// Those before the edge.
    #[default]
    Before,
    /// Those that it has written so far: copies are read from memory as the edge leaves it.
    After,
}

/// A number that a fact is given.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    /// A constant.
    Constant(i128),
    /// What is in a fact.
    Held(Range, Word),
    /// Any.
    Any,
}

/// What a fact is given.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A truth value.
    Truth(ExprId),
    /// A number.
    Number(Number),
    /// An object.
    Object(Object),
}

pub(crate) type Pointed = (Rc<AimList>, Rc<[VarId]>);

/// Whether something is sure to be meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sure {
    /// It is.
    Yes,
    /// It, or something else.
    Perhaps,
}

/// Whether a write is sure to happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Certainty {
    /// It is.
    Sure,
    /// It happens where this is true.
    Where(ExprId),
    /// It may happen, and is taken to where it makes the fact this.
    Hoped(bool),
    /// The same of one thing of which it is not said what it is: where it makes the fact the opposite, it happens where
    /// this is true.
    Feared(bool, ExprId),
}

/// All that labels are made with.
pub(crate) struct Scribe<'a, 'm> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) shaper: Shaper<'a, 'm>,
    pub(crate) ranges: Ranges,
    pub(crate) flows: Flows,
    pub(crate) facts: Facts,
    pub(crate) builder: Builder<'a>,
    pub(crate) unknown: super::Unknown,
    /// What is taken of objects that are not told apart, of those of which something was said.
    pub(crate) presumed: Presumed,
    /// The families with a fact for each cell of a sort.
    pub(crate) families: Vec<FamilyId>,
    /// The others.
    pub(crate) tuples: Vec<FamilyId>,
    pub(crate) catalogue: Catalogue<'m>,
    pub(crate) form: Form,
    /// The edge that is being labelled.
    pub(crate) here: Option<EdgeId>,
    /// On the way back from a call: the caller, whose own facts are as they were when it called.
    pub(crate) returning: Option<ProcId>,
    /// The temporary that the edge at hand assigns to.
    pub(crate) begun: Option<CellId>,
    /// What facts are given where nothing is known any more.
    pub(crate) forgotten: FxHashMap<(EdgeId, VarId), ExprId>,
    /// What is taken of values from outside, by the cells that they may be in.
    pub(crate) assumed: FxHashMap<(Option<FunctionId>, Vec<CellId>), Vec<String>>,
}

impl Scribe<'_, '_> {
    /// Either truth value.
    pub(crate) fn either(&mut self, label: &mut Label) -> ExprId {
        label.choices.either(&mut self.builder)
    }

    /// The fact of a family about a cell.
    pub(crate) fn fact(&mut self, family: FamilyId, cell: CellId) -> Option<Known> {
        if !self.analysis.declaration(family).binders.is_empty() && !self.is_declared(family, &[About::Cell(cell)]) {
            return None;
        }
        self.facts.of(self.analysis, &self.shaper.cells, &self.ranges, family, cell, self.form)
    }

    /// The families about values: what is written by code outside changes these, and not those about objects.
    pub(crate) fn value_families(&self) -> Vec<FamilyId> {
        self.families.iter().copied().filter(|&family| !self.is_about_objects(family)).collect()
    }

    /// The other families with a fact for each cell.
    pub(crate) fn object_families(&self) -> Vec<FamilyId> {
        self.families.iter().copied().filter(|&family| self.is_about_objects(family)).collect()
    }

    /// The families that are about a cell, of those about objects only where some rule speaks of this one.
    pub(crate) fn spoken_families(&self, cell: CellId) -> Vec<FamilyId> {
        let is_spoken = |family: &FamilyId| !self.is_about_objects(*family) || self.facts.has(*family, cell);
        self.families.iter().copied().filter(is_spoken).collect()
    }

    /// Whether facts are about objects rather than about the value in a variable.
    pub(crate) fn is_about_objects(&self, family: FamilyId) -> bool {
        let parameters = &self.analysis.declaration(family).parameters;
        parameters.iter().any(|parameter| self.analysis.sort(parameter.id) == MetaSort::Object)
    }

    fn moment(&self, var: VarId) -> Moment {
        match (self.returning, self.facts.vars[var].scope) {
            (Some(caller), Scope::Parameter(proc) | Scope::Local(proc)) if caller == proc => Moment::Saved,
            _ => Moment::Now,
        }
    }

    pub(crate) fn var(&mut self, var: VarId, label: &Label) -> ExprId {
        let written = label.updates.get(&var).filter(|_| label.reads == Reads::After);
        let moment = self.moment(var);
        written.copied().unwrap_or_else(|| self.builder.read(var, moment))
    }

    pub(crate) fn word(&mut self, bits: &[VarId], label: &Label) -> Word {
        let bits = bits.iter().map(|&bit| self.var(bit, label)).collect();
        self.builder.word(bits).expect("few bits")
    }

    /// What is meant for certain happens; what is not may.
    pub(crate) fn certainty(&mut self, sure: Sure, label: &mut Label) -> Certainty {
        match sure {
            Sure::Yes => Certainty::Sure,
            Sure::Perhaps => Certainty::Where(self.either(label)),
        }
    }

    /// Any value of a family.
    pub(crate) fn any(&mut self, family: FamilyId, label: &mut Label) -> Value {
        match self.analysis.declaration(family).kind {
            FactKind::Boolean => Value::Truth(self.either(label)),
            FactKind::Small => Value::Number(Number::Any),
            FactKind::Target => Value::Object(Object::Any),
        }
    }

    /// What is known of a place.
    pub(crate) fn read(&mut self, family: FamilyId, access: &Access, label: &mut Label) -> Value {
        if let Some(copy) = access.copy {
            return self.read_cell(family, copy, label);
        }
        if let Some(taken) = self.trusted(family, access, label) {
            return self.read_trusted(family, access, taken, label);
        }
        match &access.spots[..] {
            [spot] if spot.fit == Fit::Whole => self.read_spot(family, *spot, label),
            spots if spots.is_empty() || spots.len() > MOST_READ => match self.presumed.of(family) {
                Some(taken) => Value::Truth(self.builder.constant(taken)),
                None => self.any(family, label),
            },
            spots if self.analysis.declaration(family).kind == FactKind::Boolean => {
                let mut value = None;
                for spot in spots {
                    let Value::Truth(own) = self.read_spot(family, *spot, label) else { continue };
                    value = Some(match value {
                        None => own,
                        Some(others) => {
                            let is_it = self.is_spot(family, access, *spot, label);
                            self.choose(is_it, own, others)
                        }
                    });
                }
                value.map_or_else(|| self.any(family, label), Value::Truth)
            }
            _ => self.any(family, label),
        }
    }

    /// What the function at hand takes to be so of what it reads in a place.
    fn trusted(&self, family: FamilyId, access: &Access, label: &Label) -> Option<bool> {
        let taken = self.trusts(family)?;
        let reader = label.function.or_else(|| self.shaper.function(self.here?))?;
        self.flows.is_trusted(&self.shaper.cells, reader, access).then_some(taken)
    }

    /// What functions take to be so of what they read from memory of code outside and never compare.
    pub(crate) fn trusts(&self, family: FamilyId) -> Option<bool> {
        let is_told = self.unknown == super::Unknown::AsTested && !self.is_about_objects(family);
        let taken = super::rules::assumed(self.analysis, family).filter(|_| is_told)?;
        taken.definite().filter(|_| super::rules::is_told_of(self.analysis, family))
    }

    /// What is taken, or what is known of what the place is if it is none of code outside.
    fn read_trusted(&mut self, family: FamilyId, access: &Access, taken: bool, label: &mut Label) -> Value {
        let mut value = self.builder.constant(taken);
        let is_named = |spot: &&Spot| access.named.contains(&spot.cell);
        let known: Vec<Spot> = access.spots.iter().filter(is_named).copied().collect();
        for spot in known {
            if let Value::Truth(own) = self.read_spot(family, spot, label) {
                let is_it = self.is_spot(family, access, spot, label);
                value = self.choose(is_it, own, value);
            }
        }
        Value::Truth(value)
    }

    /// What goes to somebody who compares it may be anything, though who reads it trusts it.
    pub(crate) fn asked(&mut self, family: FamilyId, one: &Assignment<'_>, value: Value, label: &mut Label) -> Value {
        let (Some(taken), Value::Truth(truth), Some(here)) = (self.trusts(family), &value, self.here) else {
            return value;
        };
        let Some(reader) = self.shaper.function(here) else { return value };
        let cells = &self.shaper.cells;
        // A model hands on what it is given.
        let is_model = cells.subject.module.functions[reader].is_model;
        let is_given = |cell: CellId| is_model && matches!(cells.rows[cell].home, Home::Parameter(_));
        let parameters = &self.analysis.declaration(family).parameters;
        let is_about = |access: &Access| {
            parameters.iter().any(|parameter| self.is_of(self.analysis.sort(parameter.id), Some(access.ty)))
        };
        let mut may_be_trusted = false;
        one.source.for_each_access(&mut |access| {
            let is_meant = is_about(access) && !access.spots.iter().all(|spot| is_given(spot.cell));
            may_be_trusted |= is_meant && self.flows.may_be_trusted(cells, reader, access);
        });
        let is_call = matches!(self.shaper.cells.subject.graph.icfg.edges[here].kind, EdgeKind::Call { .. });
        let is_own = |cell: CellId| matches!(self.shaper.cells.rows[cell].home, Home::Local(_) | Home::Parameter(_));
        let is_elsewhere = is_call || !meant(&one.target).all(is_own);
        if !may_be_trusted || !is_elsewhere || !self.flows.is_asked(&one.target) {
            return value;
        }
        self.opened(*truth, taken, label)
    }

    /// A truth value that may also be other than what was taken.
    pub(crate) fn opened(&mut self, truth: ExprId, taken: bool, label: &mut Label) -> Value {
        let either = self.either(label);
        Value::Truth(if taken { self.builder.and(truth, either) } else { self.builder.or(truth, either) })
    }

    /// `value` as far as it is certain, else what was.
    fn choose(&mut self, certainty: Certainty, value: ExprId, old: ExprId) -> ExprId {
        match certainty {
            Certainty::Sure => value,
            Certainty::Where(test) => self.builder.ite(test, value, old),
            Certainty::Hoped(true) => self.builder.or(value, old),
            Certainty::Hoped(false) => self.builder.and(value, old),
            Certainty::Feared(true, happens) => {
                let kept = self.builder.not(happens);
                let kept = self.builder.and(kept, old);
                self.builder.or(value, kept)
            }
            Certainty::Feared(false, happens) => {
                let kept = self.builder.or(happens, old);
                self.builder.and(value, kept)
            }
        }
    }

    fn read_spot(&mut self, family: FamilyId, spot: Spot, label: &mut Label) -> Value {
        if spot.fit == Fit::Blurred && !self.is_about_objects(family) {
            return self.any(family, label);
        }
        let own = self.read_cell(family, spot.cell, label);
        let partner = self.shaper.cells.partners.get(&spot.cell).and_then(|partners| partners.read);
        match (own, partner.map(|partner| self.read_cell(family, partner, label))) {
            (Value::Truth(own), Some(Value::Truth(stored))) => {
                let is_stored = self.either(label);
                Value::Truth(self.builder.ite(is_stored, stored, own))
            }
            (own, _) => own,
        }
    }

    /// What is known of a cell.
    pub(crate) fn read_cell(&mut self, family: FamilyId, cell: CellId, label: &mut Label) -> Value {
        if (self.begun, self.form) == (Some(cell), Form::Sets)
            && label.reads == Reads::Before
            && let Some(value) = self.initial_of(family, &[About::Cell(cell)])
        {
            return value;
        }
        let known = self.fact(family, cell);
        let own = match (known, self.analysis.declaration(family).kind) {
            (None, FactKind::Target) => Value::Object(self.only_object(cell)),
            (known, _) => self.read_known(family, known, label),
        };
        // A pointer from outside may have been one to it.
        let stored = self.outside_objects(family, cell, Key::OutsideObjectsStored);
        match (own, stored.map(|stored| self.read_cell(family, stored, label))) {
            (Value::Truth(own), Some(Value::Truth(stored))) => {
                let is_stored = self.either(label);
                Value::Truth(self.builder.ite(is_stored, stored, own))
            }
            (own, _) => own,
        }
    }

    /// The temporary that an edge assigns to: nobody declares it, so it is new each time.
    pub(crate) fn begun_by(&self, shape: &Shape<'_>) -> Option<CellId> {
        let assigned = match shape {
            Shape::Assign(all) => all,
            Shape::External(external) => &external.results,
            _ => return None,
        };
        let [Assignment { target, .. }] = &assigned[..] else { return None };
        let cell = target.spots.first().filter(|_| target.is_certain)?.cell;
        let Key::Part(part) = self.shaper.cells.rows[cell].key else { return None };
        let subject = self.shaper.cells.subject;
        let ObjectKind::Variable(var) = subject.points_to.kind(part.object) else { return None };
        matches!(subject.module.vars[var].kind, VarKind::Temporary(_)).then_some(cell)
    }

    /// What stands for all objects that code outside can reach, if the cell is among them.
    fn outside_objects(&self, family: FamilyId, cell: CellId, key: Key) -> Option<CellId> {
        let cells = &self.shaper.cells;
        // What the library hands out is its own.
        let is_opaque = matches!(cells.rows[cell].key, Key::Spread(_)) && cells.is_outside(cell);
        let is_among = cells.rows[cell].has_escaped && !is_opaque && self.is_about_objects(family);
        cells.find(key).filter(|_| is_among)
    }

    /// What a fact says; any where there is none.
    pub(crate) fn read_known(&mut self, family: FamilyId, known: Option<Known>, label: &mut Label) -> Value {
        match known {
            Some(Known::Flag(var)) => Value::Truth(self.var(var, label)),
            Some(Known::May { yes, no }) => {
                let (yes, no) = (self.var(yes, label), self.var(no, label));
                let either = self.either(label);
                let (not_yes, not_no) = (self.builder.not(yes), self.builder.not(no));
                // Where nothing was ever stored, it is anything.
                let can_be_true = self.builder.or(yes, not_no);
                let can_be_false = self.builder.or(no, not_yes);
                let is_never_false = self.builder.not(can_be_false);
                let is_true = self.builder.ite(either, can_be_true, is_never_false);
                Value::Truth(match self.presumed.of(family) {
                    Some(true) => self.builder.or(yes, is_true),
                    Some(false) => self.builder.and(not_no, is_true),
                    None => is_true,
                })
            }
            Some(Known::Number(range, bits)) => Value::Number(Number::Held(range, self.word(&bits, label))),
            Some(Known::Target(targets, bits)) => Value::Object(Object::Held(targets, self.word(&bits, label))),
            None => self.any(family, label),
        }
    }

    /// Whether `access` is this spot of it, as the pointer's fact says.
    fn is_spot(&mut self, family: FamilyId, access: &Access, spot: Spot, label: &mut Label) -> Certainty {
        match self.told(access, spot) {
            Some((bits, code)) => {
                let (word, code) = (self.word(&bits, label), self.builder.number(code as u64));
                Certainty::Where(self.builder.equal(&word, &code))
            }
            None => self.unsure(family, label),
        }
    }

    /// The bits of the pointer's fact and the value with which `access` is this spot of it.
    pub(crate) fn told(&mut self, access: &Access, spot: Spot) -> Option<(Rc<[VarId]>, usize)> {
        let (targets, bits) = self.targets_of(access.pointer?)?;
        Some((bits, targets.code(Aim::Place(spot.through?))?))
    }

    /// Something may happen to facts of `family`.
    pub(crate) fn unsure(&mut self, family: FamilyId, label: &mut Label) -> Certainty {
        match self.presumed.of(family) {
            Some(taken) => Certainty::Hoped(taken),
            None => Certainty::Where(self.either(label)),
        }
    }

    /// Writes what is known of a place.
    pub(crate) fn write(&mut self, family: FamilyId, access: &Access, value: &Value, label: &mut Label) {
        for spot in &access.spots {
            if spot.fit == Fit::Blurred {
                if self.is_about_objects(family) {
                    let may = self.unsure(family, label);
                    self.write_cell(family, spot.cell, value, may, label);
                }
                continue;
            }
            let certainty = if access.is_certain || self.shaper.cells.rows[spot.cell].home == Home::Summary {
                Certainty::Sure
            } else {
                self.is_spot(family, access, *spot, label)
            };
            self.write_cell(family, spot.cell, value, certainty, label);
            if let Some(&partners) = self.shaper.cells.partners.get(&spot.cell) {
                self.write_cell(family, partners.written, value, certainty, label);
            }
        }
        if let Some(copy) = access.copy {
            self.write_cell(family, copy, value, Certainty::Sure, label);
        }
        if self.is_about_objects(family) {
            for cell in self.shaper.cells.punned(access) {
                self.may_set(family, cell, value, label);
            }
        }
        for other in self.aliases(access, label) {
            self.may_set_copy(family, &other, value, label);
        }
    }

    /// Sets the fact of a copy, or leaves it, where what it is a copy of may have been written. Where facts tell what that
    /// is, it is what is there.
    pub(crate) fn may_set_copy(&mut self, family: FamilyId, copy: &Copied, value: &Value, label: &mut Label) {
        if self.is_about_objects(family) && self.is_all_told(&copy.original) {
            let reads = std::mem::replace(&mut label.reads, Reads::After);
            let value = self.read(family, &copy.original, label);
            label.reads = reads;
            return self.set(family, copy.cell, &value, label);
        }
        let may_be = match self.presumed.of(family).filter(|_| !label.is_birth) {
            Some(taken) => Certainty::Feared(taken, self.either(label)),
            None => self.unsure(family, label),
        };
        self.write_cell(family, copy.cell, value, may_be, label);
    }

    /// Whether facts tell which cell a place is, and each of them is followed on its own.
    fn is_all_told(&mut self, access: &Access) -> bool {
        let is_one = |spot: &Spot| {
            let cells = &self.shaper.cells;
            let has_partner = cells.partners.contains_key(&spot.cell);
            spot.fit == Fit::Whole && cells.rows[spot.cell].home != Home::Summary && !has_partner
        };
        access.spots.len() <= MOST_READ
            && access.spots.iter().all(is_one)
            && access.spots.iter().all(|spot| self.told(access, *spot).is_some())
    }

    /// The copies of the function at hand that a write to `access` may change, its own aside.
    fn aliases(&self, access: &Access, label: &Label) -> Vec<Copied> {
        let Some(function) = label.function else { return Vec::new() };
        let copies = self.shaper.cells.copies[function].iter();
        let is_other = |copy: &&Copied| Some(copy.cell) != access.copy;
        copies.filter(|copy| is_other(copy) && self.may_be_written(access, &copy.original)).cloned().collect()
    }

    /// Whether a write to `access` may be one to `other`.
    pub(crate) fn may_be_written(&self, access: &Access, other: &Access) -> bool {
        let cells = &self.shaper.cells;
        let mut spots = other.spots.iter();
        // What is a number to one member of a union is a pointer to another.
        let shares = |cell| access.siblings.contains(&cell);
        let is_in_union = access.unions.iter().chain(&access.around).any(|union| other.unions.contains(union));
        let mut is_there = || {
            is_in_union
                || spots.any(|spot| shares(spot.cell) || access.spots.iter().any(|own| cells.meet(own.cell, spot.cell)))
        };
        !access.is_apart(other) && is_there()
    }

    /// What is known of a part of what is written is forgotten.
    pub(crate) fn blur(&mut self, access: &Access, label: &mut Label) {
        let blurred: Vec<CellId> =
            access.spots.iter().filter(|spot| spot.fit == Fit::Blurred).map(|spot| spot.cell).collect();
        for &cell in blurred.iter().chain(&self.shaper.cells.punned(access)) {
            self.forget(cell, None, label);
        }
        for copy in self.aliases(access, label).into_iter().map(|copy| copy.cell) {
            // Memory has the type that it was last written with.
            if !blurred.is_empty() || !self.shaper.cells.fits(copy, access.ty) {
                self.forget(copy, None, label);
            }
        }
    }

    /// A cell holds anything, or what a value from `origin` can be.
    pub(crate) fn forget(&mut self, cell: CellId, origin: Option<Origin>, label: &mut Label) {
        for family in self.value_families() {
            let value = match origin {
                Some(origin) => self.outside_fact(family, origin, label),
                None => self.any(family, label),
            };
            let is_open = origin.is_none_or(|origin| self.allowed(family, origin) == Possible::ANY);
            if let (true, Some(Known::May { yes, no })) = (is_open, self.fact(family, cell)) {
                let always = self.builder.constant(true);
                label.updates.extend([(yes, always), (no, always)]);
                continue;
            }
            self.write_cell(family, cell, &value, Certainty::Sure, label);
        }
        self.forget_tuples(&[cell], label);
    }

    /// A cell may hold what any of those holds that another stands for.
    pub(crate) fn pour(&mut self, from: CellId, to: CellId, label: &mut Label) {
        for family in self.value_families() {
            let facts = (self.fact(family, from), self.fact(family, to));
            if let (Some(Known::May { yes, no }), Some(Known::May { yes: may, no: may_not })) = facts {
                for (from, to) in [(yes, may), (no, may_not)] {
                    let own = label.updates.get(&to).copied();
                    let own = own.unwrap_or_else(|| self.builder.read(to, Moment::Now));
                    let new = self.builder.read(from, Moment::Now);
                    let grown = self.builder.or(own, new);
                    label.updates.insert(to, grown);
                }
            } else {
                let value = self.read_cell(family, from, label);
                self.may_set(family, to, &value, label);
            }
        }
    }

    /// As [`forget`](Self::forget), or the cell stays as it is.
    pub(crate) fn may_forget(&mut self, cell: CellId, origin: Option<Origin>, label: &mut Label) {
        if self.shaper.cells.rows[cell].home == Home::Summary {
            return self.forget(cell, origin, label);
        }
        for family in self.value_families() {
            let value = match origin {
                Some(origin) => self.outside_fact(family, origin, label),
                None => self.any(family, label),
            };
            self.may_set(family, cell, &value, label);
        }
    }

    /// What a value from `origin` can be.
    pub(crate) fn outside_fact(&mut self, family: FamilyId, origin: Origin, label: &mut Label) -> Value {
        match self.allowed(family, origin).definite() {
            Some(value) if self.analysis.declaration(family).kind == FactKind::Boolean => {
                Value::Truth(self.builder.constant(value))
            }
            _ => self.any(family, label),
        }
    }

    /// The truth values that a fact about a value from `origin` can have.
    pub(crate) fn allowed(&mut self, family: FamilyId, origin: Origin) -> Possible {
        // A comparison that the analysis has nothing to say about is no test of the fact.
        let is_tested = || self.flows.is_tested(origin) && super::rules::is_told_of(self.analysis, family);
        let is_there = match origin {
            Origin::Memory(cell) | Origin::Parameter(_, cell) => self.shaper.cells.is_there_at_start(cell),
            Origin::Result(_) | Origin::Unwritten(_) | Origin::Trusted(..) => false,
        };
        if self.unknown == super::Unknown::Anything && !is_there || is_tested() {
            return Possible::ANY;
        }
        super::rules::assumed(self.analysis, family).unwrap_or(Possible::ANY)
    }

    /// Sets the fact of a cell for certain.
    pub(crate) fn set(&mut self, family: FamilyId, cell: CellId, value: &Value, label: &mut Label) {
        self.write_cell(family, cell, value, Certainty::Sure, label);
    }

    /// Sets the fact of a cell, or leaves it.
    pub(crate) fn may_set(&mut self, family: FamilyId, cell: CellId, value: &Value, label: &mut Label) {
        let may = self.unsure(family, label);
        self.write_cell(family, cell, value, may, label);
    }

    pub(crate) fn write_cell(
        &mut self,
        family: FamilyId,
        cell: CellId,
        value: &Value,
        certainty: Certainty,
        label: &mut Label,
    ) {
        let Some(known) = self.fact(family, cell) else { return };
        let is_many = self.shaper.cells.rows[cell].home == Home::Summary && matches!(known, Known::Flag(_));
        let certainty = match certainty {
            Certainty::Sure if is_many => Certainty::Where(self.either(label)),
            other => other,
        };
        self.write_known(&known, value, certainty, label);
        if let Some(all) = self.outside_objects(family, cell, Key::OutsideObjects) {
            self.write_cell(family, all, value, certainty, label);
        }
    }

    /// Lets a fact be this.
    pub(crate) fn write_known(&mut self, known: &Known, value: &Value, certainty: Certainty, label: &mut Label) {
        match (known, value) {
            (Known::Flag(var), Value::Truth(value)) => self.update(*var, *value, certainty, label),
            (&Known::May { yes, no }, Value::Truth(value)) => {
                // A summary only grows, so that it does not matter whether the write is sure.
                let (value, opposite) = (*value, self.builder.not(*value));
                for (var, new) in [(yes, value), (no, opposite)] {
                    let before = label.updates.get(&var).copied();
                    let old = before.unwrap_or_else(|| self.var(var, label));
                    let grown = self.builder.or(old, new);
                    label.updates.insert(var, grown);
                }
            }
            (Known::Number(range, bits), Value::Number(number)) => {
                let word = self.number_in(range, number, label);
                self.update_bits(bits, &word, certainty, label);
            }
            (Known::Target(targets, bits), Value::Object(object)) => {
                let word = self.object_in(targets, object, bits.len(), label);
                self.update_bits(bits, &word, certainty, label);
            }
            _ => {}
        }
    }

    fn update_bits(&mut self, bits: &[VarId], word: &Word, certainty: Certainty, label: &mut Label) {
        for (index, &var) in bits.iter().enumerate() {
            let value = self.builder.bit_of(word, index);
            self.update(var, value, certainty, label);
        }
    }

    fn update(&mut self, var: VarId, value: ExprId, certainty: Certainty, label: &mut Label) {
        let value = match certainty {
            Certainty::Sure => value,
            _ => {
                let before = label.updates.get(&var).copied();
                let old = before.unwrap_or_else(|| self.var(var, label));
                self.choose(certainty, value, old)
            }
        };
        label.updates.insert(var, value);
    }

    /// A number over `range`.
    fn number_in(&mut self, range: &Range, number: &Number, label: &mut Label) -> Word {
        match number {
            Number::Constant(value) => range.constant(&mut self.builder, range.wrap(*value)),
            Number::Held(from, word) => range.convert(&mut self.builder, word, from, &mut label.choices),
            Number::Any => range.any(&mut self.builder, &mut label.choices),
        }
    }
}
