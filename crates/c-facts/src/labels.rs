//! The label of each edge.

use super::Form;
use super::facts::{FactRow, Known};
use super::moves::Kept;
use super::occasions::{Happening, Occasion};
use super::scribe::{Label, Reads, Scribe, Value};
use super::tuples::About;
use hardbop_base::IndexVec;
use hardbop_c_cells::{
    Access, Anchor, Assignment, CellId, Cells, Copied, External, Home, Key, Origin, Shape, SourceKind, Written,
};
use hardbop_c_core::{FunctionId, Stmt, StmtKind};
use hardbop_c_graph::Action;
use hardbop_icfg::expr::Possible;
use hardbop_icfg::{
    EdgeId, EdgeKind, ExprId, ProcId, Relation, Scope, Transition, Update, Value as IcfgValue, VarId as FactVar,
};
use hardbop_lang_flow::tree::{Direction, FamilyId};
use std::collections::{BTreeMap, BTreeSet};

impl<'m> Scribe<'_, 'm> {
    /// The label of an edge that is no call, with what must hold on the way.
    pub(crate) fn label(
        &mut self,
        edge: EdgeId,
        shape: &Shape<'m>,
        passed: Label,
        written: &IndexVec<ProcId, Written>,
    ) -> Relation {
        self.here = Some(edge);
        let mut label = Label { function: self.shaper.function(edge), ..passed };
        let graph = self.shaper.cells.subject.graph;
        let happening = self.happening(edge, shape);
        match (graph.icfg.edges[edge].kind, shape) {
            (EdgeKind::Return, _) => return Relation::Return,
            (EdgeKind::Call { callee, .. }, shape) => {
                return self.call((edge, callee), shape, label, &written[callee]);
            }
            (_, Shape::Assume(condition)) => {
                if self.form == Form::Sets {
                    let guard = self.assume(condition, &mut label);
                    label.guards.push(guard);
                }
                happening.test().into_iter().for_each(|occasion| self.apply(occasion, &mut label));
            }
            (_, Shape::Assign(assignments)) => match graph.actions[edge] {
                Action::Take(stmt, callee) => self.take((stmt, callee), assignments, &happening, &mut label),
                action => {
                    if let Action::Enter(_) = action {
                        assignments.iter().for_each(|one| self.renew(&one.target, &mut label));
                    }
                    happening.returning().into_iter().for_each(|occasion| self.apply(occasion, &mut label));
                    assignments.iter().for_each(|one| self.assign(one, None, &mut label));
                    self.move_copies(assignments, Kept::All, &mut label);
                }
            },
            (_, Shape::Fresh(cells)) => {
                self.fresh(cells, &mut label);
                if let Action::Do(Stmt { kind: StmtKind::Fresh(var), .. }) = graph.actions[edge] {
                    // What is remembered of an array was in the one before.
                    let anchor = Anchor::Variable(*var);
                    self.read_again(&mut label, |_, copy| copy.behind.anchor == anchor);
                }
            }
            (_, Shape::External(external)) => self.external(external, &mut label),
            (_, Shape::Change(changed)) if self.analysis.direction == Direction::Forward => {
                self.forget_tuples(changed, &mut label);
                self.forget_values(changed, &mut label);
                self.reload(&mut label, &Written::of_changed(&self.shaper.cells, changed));
            }
            (_, Shape::Outside) => self.outside(&mut label),
            (_, Shape::Forget(results)) => {
                self.forget_all(edge, &mut label);
                results.iter().for_each(|one| self.assign(one, None, &mut label));
            }
            (_, Shape::Skip | Shape::Change(_) | Shape::Call(..) | Shape::Start(..)) => {
                let occasions = happening.occasions(graph.actions[edge], shape);
                occasions.into_iter().for_each(|occasion| self.apply(occasion, &mut label));
            }
        }
        let proc = graph.icfg.nodes[graph.icfg.edges[edge].from].proc;
        Relation::Step(self.transition(label, proc))
    }

    /// What the function with a body that was called before has returned, and what rules say of the call.
    fn take(
        &mut self,
        (stmt, callee): (&'m Stmt, FunctionId),
        assignments: &[Assignment<'m>],
        happening: &Happening<'m>,
        label: &mut Label,
    ) {
        let call = happening.call.as_ref();
        // Sets of sets go into a callee as they are: what is everywhere changes when it is done.
        if let (Form::Sets, Direction::Forward, Some(caller)) = (self.form, self.analysis.direction, label.function) {
            let given = self.shaper.given(caller, stmt, callee);
            self.call_rules(Scope::Global, &given, label);
        }
        if self.analysis.direction == Direction::Forward {
            call.into_iter().for_each(|call| self.apply(Occasion::Call(call), label));
        }
        assignments.iter().for_each(|one| self.assign(one, call, label));
        self.move_copies(assignments, Kept::All, label);
        if self.analysis.direction == Direction::Backward {
            call.into_iter().for_each(|call| self.apply(Occasion::Call(call), label));
        }
    }

    /// The label's transition, with what can be seen in `proc`, where it leads to.
    fn transition(&mut self, label: Label, proc: ProcId) -> Transition {
        let guard = self.builder.all(label.guards);
        let guard = (self.builder.constant_of(guard) != Some(true)).then_some(guard);
        let is_seen = |var: FactVar| match self.facts.vars[var].scope {
            Scope::Global => true,
            Scope::Parameter(owner) | Scope::Local(owner) | Scope::Result(owner) => owner == proc,
        };
        let updates = label.updates.into_iter().filter(|(target, _)| is_seen(*target));
        let updates = updates.map(|(target, value)| Update { target, value: IcfgValue::Of(value) }).collect();
        Transition { guard, updates, constraint: None, choices: label.choices.count }
    }

    /// `target = source`; where it is the result of a call, of which.
    fn assign(&mut self, assignment: &Assignment<'m>, call: Option<&External<'m>>, label: &mut Label) {
        self.apply_assign(Occasion::Assign(assignment, call), label);
        self.blur(&assignment.target, label);
        // Elements of an array that is copied differ from each other.
        if let (true, SourceKind::Copy(from)) = (assignment.is_part, &assignment.source.kind) {
            let has_several = |cell: CellId| {
                let cells = &self.shaper.cells;
                cells.is_spread(cell) || matches!(cells.rows[cell].key, Key::Given(..))
            };
            let is_spread = |cell: &CellId| self.shaper.cells.is_spread(*cell);
            if from.spots.iter().any(|spot| has_several(spot.cell)) {
                let targets: Vec<CellId> =
                    assignment.target.spots.iter().map(|spot| spot.cell).filter(is_spread).collect();
                targets.into_iter().for_each(|cell| self.forget(cell, None, label));
            }
        }
    }

    /// Nothing has been said yet of an array or a union of which there is one at a time.
    fn renew(&mut self, access: &Access, label: &mut Label) {
        for cell in access.spots.iter().map(|spot| spot.cell) {
            for family in self.object_families() {
                self.clear(family, cell, label);
            }
        }
    }

    fn clear(&mut self, family: FamilyId, cell: CellId, label: &mut Label) {
        if self.shaper.cells.is_one_array(cell)
            && let Some(Known::May { yes, no }) = self.fact(family, cell)
        {
            let never = self.builder.constant(false);
            label.updates.extend([(yes, never), (no, never)]);
        }
    }

    fn fresh(&mut self, cells: &[CellId], label: &mut Label) {
        for &cell in cells {
            if self.shaper.cells.rows[cell].home == Home::Summary {
                self.declare_many(cell, label);
                self.leave_unwritten(cell, label);
                continue;
            }
            for family in self.spoken_families(cell) {
                let value = match self.initial_of(family, &[About::Cell(cell)]) {
                    Some(value) => value,
                    None => self.any(family, label),
                };
                self.set(family, cell, &value, label);
            }
            self.renew_tuples(cell, label);
            label.is_birth = true;
            self.apply(Occasion::Declare(cell), label);
            label.is_birth = false;
        }
    }

    /// One of those that a cell stands for comes into being; of an array of which there is one, all do.
    fn declare_many(&mut self, cell: CellId, label: &mut Label) {
        if self.form == Form::Subset {
            return;
        }
        let occasion = Occasion::Declare(cell);
        for family in self.object_families() {
            if self.rule_for(family, occasion).is_some() {
                self.clear(family, cell, label);
            }
            label.is_birth = true;
            self.apply_to(&[family], occasion, label);
            label.is_birth = false;
        }
    }

    /// One of those that a cell stands for has not been written yet. What is taken of values that nobody knows is taken
    /// of it, and adds nothing to what the others hold.
    fn leave_unwritten(&mut self, cell: CellId, label: &mut Label) {
        let origin = Origin::Unwritten(cell);
        for family in self.value_families() {
            if self.allowed(family, origin) == Possible::ANY
                && self.initial_of(family, &[About::Cell(cell)]).is_none()
                && let Some(Known::May { yes, no }) = self.fact(family, cell)
            {
                let always = self.builder.constant(true);
                label.updates.extend([(yes, always), (no, always)]);
            }
        }
    }

    fn external(&mut self, external: &External<'m>, label: &mut Label) {
        if self.analysis.direction == Direction::Backward {
            external.results.iter().for_each(|one| self.assign(one, Some(external), label));
            self.apply(Occasion::Call(external), label);
            self.written_outside(external, label);
            return;
        }
        external.allocates.iter().for_each(|&cell| self.declare_many(cell, label));
        external.unwritten().iter().for_each(|&cell| self.leave_unwritten(cell, label));
        self.written_outside(external, label);
        self.apply(Occasion::Call(external), label);
        let written = Written::of(&self.shaper.cells, external);
        self.reload(label, &written);
        external.results.iter().for_each(|one| self.assign(one, Some(external), label));
        self.move_copies(&external.results, Kept::Variables, label);
    }

    /// What a function that is not there writes.
    fn written_outside(&mut self, external: &External<'m>, label: &mut Label) {
        let filled = external.fills.iter().flat_map(|access| &access.spots).map(|spot| spot.cell);
        let written: Vec<CellId> = external.written().chain(filled).collect();
        self.forget_tuples(&written, label);
        let origin = external.origin();
        external.fills.iter().for_each(|access| self.fill(access, origin, label));
        external.writes.iter().for_each(|&cell| self.may_forget(cell, origin, label));
        external.zeroes.iter().for_each(|&cell| self.may_be_zero(cell, label));
        external.moves.iter().for_each(|&(from, to)| self.pour(from, to, label));
        external.assigns.iter().for_each(|one| self.assign(one, None, label));
        let objects = self.object_families();
        external.carries.iter().for_each(|one| self.apply_to(&objects, Occasion::Assign(one, None), label));
        if external.writes_escaped {
            self.outside(label);
        }
    }

    /// A place holds anything, or what a value from `origin` can be.
    fn fill(&mut self, access: &Access, origin: Option<Origin>, label: &mut Label) {
        for family in self.value_families() {
            let value = match origin {
                Some(origin) => self.outside_fact(family, origin, label),
                None => self.any(family, label),
            };
            self.write(family, access, &value, label);
        }
        self.blur(access, label);
    }

    fn may_be_zero(&mut self, cell: CellId, label: &mut Label) {
        let Some(ty) = self.shaper.cells.rows[cell].ty else { return };
        let zero = self.shaper.zero_of(self.shaper.cells.just(cell, ty));
        for family in self.value_families() {
            let value = self.value_of(family, &zero.source, label);
            self.may_set(family, cell, &value, label);
        }
    }

    /// Code outside writes what it can reach.
    fn outside(&mut self, label: &mut Label) {
        let escaped = self.shaper.cells.escaped.clone();
        self.forget_tuples(&escaped, label);
        // What may be in the others is known from the start.
        let is_followed = |cell: &&CellId| self.shaper.cells.rows[**cell].home != Home::Summary;
        let followed: Vec<CellId> = escaped.iter().filter(is_followed).copied().collect();
        self.forget_values(&followed, label);
    }

    /// What is in these is what came there from elsewhere, or as it was.
    fn forget_values(&mut self, cells: &[CellId], label: &mut Label) {
        cells.iter().for_each(|&cell| self.may_forget(cell, Some(Origin::Memory(cell)), label));
    }

    /// What the function at hand remembers of places that may have been written is read again.
    fn reload(&mut self, label: &mut Label, written: &Written) {
        self.read_again(label, |cells, copy| {
            written.meets(cells, &copy.original) || copy.behind.leads().any(|lead| written.contains(cells, lead))
        });
    }

    /// Reads again what the function at hand remembers, as far as it is stale.
    fn read_again(&mut self, label: &mut Label, is_stale: impl Fn(&Cells<'_, '_>, &Copied) -> bool) {
        let Some(function) = label.function else { return };
        let cells = &self.shaper.cells;
        let (mut stale, mut moved): (Vec<Copied>, BTreeSet<CellId>) = Default::default();
        for copy in &cells.copies[function] {
            if is_stale(cells, copy) || copy.behind.leads().any(|lead| moved.contains(&lead)) {
                moved.insert(copy.cell);
                stale.push(copy.clone());
            }
        }
        label.reads = Reads::After;
        for copy in stale {
            for family in self.families.clone() {
                let value = self.read(family, &copy.original, label);
                self.set(family, copy.cell, &value, label);
            }
        }
        label.reads = Reads::Before;
    }

    /// Nothing is known any more.
    fn forget_all(&mut self, edge: EdgeId, label: &mut Label) {
        let graph = self.shaper.cells.subject.graph;
        let proc = graph.icfg.nodes[graph.icfg.edges[edge].from].proc;
        let seen = |scope: Scope| match scope {
            Scope::Global => true,
            Scope::Parameter(owner) | Scope::Local(owner) => owner == proc,
            Scope::Result(_) => false,
        };
        let kept = self.presumed_bits();
        let vars = self.facts.vars.iter_enumerated().filter(|(id, var)| seen(var.scope) && !kept.contains(id));
        let vars: Vec<FactVar> = vars.map(|(id, _)| id).collect();
        for var in vars {
            let value = self.either(label);
            self.forgotten.insert((edge, var), value);
            label.updates.insert(var, value);
        }
    }

    /// What has been said of things that are not told apart, where that is what is taken of them, and of those that were
    /// there from the start.
    fn presumed_bits(&self) -> BTreeSet<FactVar> {
        let bits = |row: &FactRow| match (&row.known, self.presumed.of(row.family), &row.about[..]) {
            (_, Some(_), [About::Cell(cell)]) if !self.presumed.born.contains(cell) => row.known.bits(),
            (Known::May { yes, .. }, Some(true), _) => vec![*yes],
            (Known::May { no, .. }, Some(false), _) => vec![*no],
            _ => Vec::new(),
        };
        self.facts.rows.iter().flat_map(bits).collect()
    }

    fn call(
        &mut self,
        (edge, callee): (EdgeId, ProcId),
        shape: &Shape<'m>,
        mut enter: Label,
        written: &Written,
    ) -> Relation {
        let graph = self.shaper.cells.subject.graph;
        let caller = enter.function.take();
        let vars = &self.facts.vars;
        // What is the caller's own waits there until the callee is done.
        let (shared, own) = enter.updates.into_iter().partition(|(var, _)| vars[*var].scope == Scope::Global);
        enter.updates = shared;
        let proc = graph.icfg.nodes[graph.icfg.edges[edge].from].proc;
        if self.analysis.direction == Direction::Backward {
            return self.call_backward((proc, callee), caller, shape);
        }
        match shape {
            Shape::Call(function, given) => {
                if self.form == Form::Subset {
                    self.call_rules(Scope::Global, &[], &mut enter);
                }
                given.iter().for_each(|one| self.give(one, &mut enter));
                self.enter_copies(caller, *function, given, &mut enter);
            }
            Shape::Start(function, parameters) => {
                for &cell in parameters {
                    for family in self.spoken_families(cell) {
                        let value = match self.initial_of(family, &[About::Cell(cell)]) {
                            Some(value) => value,
                            None => self.outside_fact(family, Origin::Parameter(*function, cell), &mut enter),
                        };
                        self.set(family, cell, &value, &mut enter);
                    }
                }
                self.enter_copies(None, *function, &[], &mut enter);
            }
            _ => {}
        }
        self.begin(callee, &mut enter);
        let mut leave = Label { function: caller, updates: own, ..Label::default() };
        self.returning = Some(proc);
        if let (Shape::Call(function, _), Some(caller)) = (shape, caller) {
            for (result, returned) in self.shaper.cells.passed(caller, *function) {
                for family in self.families.clone() {
                    let value = self.read_cell(family, result, &mut leave);
                    self.set(family, returned, &value, &mut leave);
                }
            }
        }
        self.reload(&mut leave, written);
        if let Shape::Call(..) = shape {
            self.call_rules(Scope::Local(proc), &[], &mut leave);
        }
        self.returning = None;
        if self.form == Form::Sets {
            let vars = &self.facts.vars;
            enter.updates.retain(|var, _| vars[*var].scope != Scope::Global);
        }
        Relation::Call { enter: self.transition(enter, callee), leave: self.transition(leave, proc) }
    }

    /// What rules about every statement say of a call, and about the assignments of `given` to parameters: to the facts
    /// that are everywhere, or to those of the caller, which wait there until the callee is done.
    fn call_rules(&mut self, scope: Scope, given: &[Assignment<'m>], label: &mut Label) {
        let choices = std::mem::take(&mut label.choices);
        let mut own = Label { choices, function: label.function, ..Label::default() };
        self.apply(Occasion::Other, &mut own);
        given.iter().for_each(|one| self.apply(Occasion::Assign(one, None), &mut own));
        label.choices = own.choices;
        let is_meant = |var: FactVar| match (scope, self.facts.vars[var].scope) {
            (Scope::Global, Scope::Global) => true,
            (Scope::Local(caller), Scope::Parameter(proc) | Scope::Local(proc)) => caller == proc,
            _ => false,
        };
        label.updates.extend(own.updates.into_iter().filter(|(var, _)| is_meant(*var)));
    }

    /// The facts that are the callee's own and that the call does not set are as at the start.
    fn begin(&mut self, callee: ProcId, enter: &mut Label) {
        self.begin_tuples(callee, enter);
        if self.form == Form::Sets {
            return;
        }
        let own: Vec<FactRow> = self.facts.own(callee).cloned().collect();
        for row in own {
            let Known::Flag(var) = row.known else { continue };
            if !enter.updates.contains_key(&var) {
                let value = match self.initial_of(row.family, &row.about) {
                    Some(value) => value,
                    None => self.any(row.family, enter),
                };
                if let Value::Truth(value) = value {
                    enter.updates.insert(var, value);
                }
            }
        }
    }

    /// A call against its direction: from what comes after it to the callee's end, and from the callee's start to what
    /// comes before.
    fn call_backward(
        &mut self,
        (proc, callee): (ProcId, ProcId),
        caller: Option<FunctionId>,
        shape: &Shape<'m>,
    ) -> Relation {
        let (mut enter, mut leave) = (Label::default(), Label { function: caller, ..Label::default() });
        if let (Shape::Call(function, _), Some(caller)) = (shape, caller) {
            for (result, returned) in self.shaper.cells.passed(caller, *function) {
                for family in self.families.clone() {
                    let value = self.read_cell(family, returned, &mut enter);
                    self.set(family, result, &value, &mut enter);
                }
            }
        }
        self.begin(callee, &mut enter);
        self.returning = Some(proc);
        if let Shape::Call(_, given) = shape {
            self.call_rules(Scope::Global, &[], &mut leave);
            self.call_rules(Scope::Local(proc), &[], &mut leave);
            given.iter().for_each(|one| self.give(one, &mut leave));
        }
        self.returning = None;
        Relation::Call { enter: self.transition(enter, callee), leave: self.transition(leave, proc) }
    }

    /// What a caller remembers of a place, which `callee` remembers, too. What the caller trusts the callee may compare.
    fn read_twin(
        &mut self,
        family: FamilyId,
        twin: CellId,
        (callee, original): (FunctionId, &Access),
        label: &mut Label,
    ) -> Value {
        let value = self.read_cell(family, twin, label);
        let is_trusted = self.flows.is_trusted(&self.shaper.cells, callee, original);
        match (self.trusts(family), value) {
            (Some(taken), Value::Truth(truth)) if !is_trusted && self.flows.has_trusted(twin) => {
                self.opened(truth, taken, label)
            }
            (_, value) => value,
        }
    }

    fn give(&mut self, assignment: &Assignment<'m>, enter: &mut Label) {
        self.apply_assign(Occasion::Assign(assignment, None), enter);
    }

    /// What the callee remembers from the start: what its caller does of the same place, else what may be there.
    fn enter_copies(
        &mut self,
        caller: Option<FunctionId>,
        callee: FunctionId,
        given: &[Assignment<'m>],
        enter: &mut Label,
    ) {
        for copy in self.shaper.cells.copies[callee].clone() {
            if !matches!(self.shaper.cells.rows[copy.cell].home, Home::Parameter(_)) {
                continue;
            }
            let own = copy.behind.pointer();
            let is_shared = own.is_some_and(|own| self.shaper.cells.rows[own].home == Home::Global);
            let twin = caller.zip(own).and_then(|(caller, own)| {
                let pointer = self.shaper.callers_pointer(caller, own, given)?;
                self.twin(caller, &copy, pointer)
            });
            // Where the pointer points is what it is given.
            let bits = own.and_then(|own| self.targets_of(own)).map_or_else(Vec::new, |(_, bits)| bits.to_vec());
            let updates: BTreeMap<FactVar, ExprId> =
                bits.iter().filter_map(|bit| Some((*bit, *enter.updates.get(bit)?))).collect();
            let is_given = updates.len() == bits.len() || is_shared;
            let original = Access { pointer: copy.original.pointer.filter(|_| is_given), ..copy.original.clone() };
            let mut seen = Label { reads: Reads::After, updates, function: Some(callee), ..Label::default() };
            for family in self.families.clone() {
                std::mem::swap(&mut seen.choices, &mut enter.choices);
                let value = match twin {
                    Some(twin) => self.read_twin(family, twin, (callee, &original), &mut seen),
                    None => self.read(family, &original, &mut seen),
                };
                std::mem::swap(&mut seen.choices, &mut enter.choices);
                self.set(family, copy.cell, &value, enter);
            }
        }
    }
}
