//! The label of each edge.

use super::cells::{Access, CellId, Copied, Home};
use super::externals::External;
use super::flows::Origin;
use super::mods::Written;
use super::rules::Occasion;
use super::scribe::{Label, Reads, Scribe, Value};
use super::shapes::{Assignment, Shape, SourceKind};
use hardbop_base::IndexVec;
use hardbop_c_core::FunctionId;
use hardbop_c_graph::Action;
use hardbop_icfg::{EdgeId, EdgeKind, ExprId, ProcId, Relation, Scope, Transition, Update, Value as IcfgValue};

impl<'m> Scribe<'_, 'm> {
    /// The label of an edge that is no call, with what must hold on the way.
    pub(crate) fn label(
        &mut self,
        edge: EdgeId,
        shape: &Shape<'m>,
        required: Vec<ExprId>,
        choices: crate::small::Choices,
        written: &IndexVec<ProcId, Written>,
    ) -> Relation {
        let function = self.shaper.function(edge);
        let mut label = Label { choices, guards: required, function, ..Label::default() };
        let graph = self.shaper.cells.subject.graph;
        match (graph.icfg.edges[edge].kind, shape) {
            (EdgeKind::Return, _) => return Relation::Return,
            (EdgeKind::Call { callee, .. }, shape) => return self.call(shape, label, &written[callee]),
            (_, Shape::Assume(condition)) => {
                let guard = self.assume(condition, &mut label);
                label.guards.push(guard);
                self.apply(Occasion::Test(condition), &mut label);
            }
            (_, Shape::Assign(assignments)) => {
                if let Action::Return(_) = graph.actions[edge] {
                    let source = assignments.first().map(|one| &one.source);
                    self.apply(Occasion::Return(source), &mut label);
                }
                assignments.iter().for_each(|one| self.assign(one, None, &mut label));
                self.move_copies(assignments, &mut label);
            }
            (_, Shape::Fresh(cells)) => self.fresh(cells, &mut label),
            (_, Shape::External(external)) => self.external(external, &mut label),
            (_, Shape::Outside) => self.outside(&mut label),
            (_, Shape::Forget) => self.forget_all(edge, &mut label),
            (_, Shape::Skip | Shape::Call(..) | Shape::Start(..)) => {}
        }
        Relation::Step(self.transition(label))
    }

    fn transition(&mut self, label: Label) -> Transition {
        let guard = self.builder.all(label.guards);
        let guard = (self.builder.constant_of(guard) != Some(true)).then_some(guard);
        let updates = label.updates.into_iter();
        let updates = updates.map(|(target, value)| Update { target, value: IcfgValue::Of(value) }).collect();
        Transition { guard, updates, constraint: None, choices: label.choices.count }
    }

    /// `target = source`; where it is the result of a call, of which.
    fn assign(&mut self, assignment: &Assignment<'m>, call: Option<&External<'m>>, label: &mut Label) {
        if !self.assign_truth(assignment, label) {
            self.apply(Occasion::Assign(assignment, call), label);
        }
        self.blur(&assignment.target, label);
    }

    /// Copies of what is behind pointers that get other values. Memory is read as the assignments leave it.
    fn move_copies(&mut self, assignments: &[Assignment<'m>], label: &mut Label) {
        let Some(function) = label.function else { return };
        label.reads = Reads::After;
        for copy in self.shaper.cells.copies[function].clone() {
            let writes = |pointer: CellId| {
                assignments.iter().filter(move |one| one.target.spots.iter().any(|spot| spot.cell == pointer))
            };
            let Some(one) = writes(copy.pointer).next() else { continue };
            let twin = match &one.source.kind {
                // A pointer that is assigned itself is not what it was.
                SourceKind::Copy(from) if from.is_certain && writes(from.spots[0].cell).next().is_none() => {
                    self.twin(function, &copy, from.spots[0].cell)
                }
                _ => None,
            };
            let is_certain = one.target.is_certain && writes(copy.pointer).count() == 1;
            for family in self.families.clone() {
                let value = match twin {
                    Some(twin) if is_certain => self.read_cell(family, twin, label),
                    _ => self.read(family, &copy.original, label),
                };
                if is_certain {
                    self.set(family, copy.cell, &value, label);
                } else {
                    self.may_set(family, copy.cell, &value, label);
                }
            }
        }
        label.reads = Reads::Before;
    }

    /// The copy of the same place behind another pointer.
    fn twin(&self, function: FunctionId, copy: &Copied, pointer: CellId) -> Option<CellId> {
        use super::cells::Key;
        let Key::Copy(_, _, offset, ty) = self.shaper.cells.rows[copy.cell].key else { return None };
        self.shaper.cells.find(Key::Copy(function, pointer, offset, ty))
    }

    fn fresh(&mut self, cells: &[CellId], label: &mut Label) {
        for &cell in cells {
            if self.shaper.cells.rows[cell].home == Home::Summary {
                continue;
            }
            for family in self.families.clone() {
                let value = match self.initial_value(family, cell) {
                    Some(value) => Value::Truth(self.builder.constant(value)),
                    None => self.any(family, label),
                };
                self.set(family, cell, &value, label);
            }
            self.apply(Occasion::Declare(cell), label);
        }
    }

    fn external(&mut self, external: &External<'m>, label: &mut Label) {
        let origin = external.origin();
        external.writes.iter().for_each(|&cell| self.may_forget(cell, origin, label));
        external.zeroes.iter().for_each(|&cell| self.may_be_zero(cell, label));
        external.moves.iter().for_each(|&(from, to)| self.pour(from, to, label));
        external.assigns.iter().for_each(|one| self.assign(one, None, label));
        if external.writes_escaped {
            self.outside(label);
        }
        self.apply(Occasion::Call(external), label);
        self.reload(label, &Written::of(external));
        external.results.iter().for_each(|one| self.assign(one, Some(external), label));
        self.move_copies(&external.results, label);
    }

    fn may_be_zero(&mut self, cell: CellId, label: &mut Label) {
        let Some(ty) = self.shaper.cells.rows[cell].ty else { return };
        let zero = self.shaper.zero_of(self.shaper.cells.just(cell, ty));
        for family in self.families.clone() {
            let value = self.value_of(family, &zero.source, label);
            self.may_set(family, cell, &value, label);
        }
    }

    /// Code outside writes what it can reach.
    fn outside(&mut self, label: &mut Label) {
        for cell in self.shaper.cells.escaped.clone() {
            // What may be in the others is known from the start.
            if self.shaper.cells.rows[cell].home != Home::Summary {
                self.may_forget(cell, Some(Origin::Memory(cell)), label);
            }
        }
    }

    /// What the function at hand remembers of places that may have been written is read again.
    fn reload(&mut self, label: &mut Label, written: &Written) {
        let Some(function) = label.function else { return };
        let cells = &self.shaper.cells;
        let is_stale = |copy: &&Copied| written.meets(cells, &copy.original) || written.contains(cells, copy.pointer);
        let stale: Vec<Copied> = cells.copies[function].iter().filter(is_stale).cloned().collect();
        label.reads = Reads::After;
        for copy in stale {
            let original = self.seen_by_all(&copy);
            for family in self.families.clone() {
                let value = self.read(family, &original, label);
                self.set(family, copy.cell, &value, label);
            }
        }
        label.reads = Reads::Before;
    }

    /// What a copy is a copy of, as far as facts that are no function's own tell.
    fn seen_by_all(&self, copy: &Copied) -> Access {
        let pointer = copy.original.pointer.filter(|&pointer| self.shaper.cells.rows[pointer].home == Home::Global);
        Access { pointer, ..copy.original.clone() }
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
        let vars: Vec<_> =
            self.facts.vars.iter_enumerated().filter(|(_, var)| seen(var.scope)).map(|(id, _)| id).collect();
        for var in vars {
            let value = self.either(label);
            label.updates.insert(var, value);
        }
    }

    fn call(&mut self, shape: &Shape<'m>, mut enter: Label, written: &Written) -> Relation {
        let caller = enter.function.take();
        match shape {
            Shape::Call(function, given) => {
                given.iter().for_each(|one| self.give(one, &mut enter));
                self.enter_copies(caller, *function, given, &mut enter);
            }
            Shape::Start(function, parameters) => {
                for &cell in parameters {
                    for family in self.families.clone() {
                        let value = self.outside_fact(family, Origin::Parameter(*function, cell), &mut enter);
                        self.set(family, cell, &value, &mut enter);
                    }
                }
                self.enter_copies(None, *function, &[], &mut enter);
            }
            _ => {}
        }
        let mut leave = Label { function: caller, ..Label::default() };
        if let (Shape::Call(function, _), Some(caller)) = (shape, caller) {
            for (result, returned) in self.shaper.cells.passed(caller, *function) {
                for family in self.families.clone() {
                    let value = self.read_cell(family, result, &mut leave);
                    self.set(family, returned, &value, &mut leave);
                }
            }
        }
        self.reload(&mut leave, written);
        Relation::Call { enter: self.transition(enter), leave: self.transition(leave) }
    }

    fn give(&mut self, assignment: &Assignment<'m>, enter: &mut Label) {
        if !self.assign_truth(assignment, enter) {
            self.apply(Occasion::Assign(assignment, None), enter);
        }
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
            let pointer = if self.shaper.cells.rows[copy.pointer].home == Home::Global {
                Some(copy.pointer)
            } else {
                let own = given.iter().find(|one| one.target.is_certain && one.target.spots[0].cell == copy.pointer);
                own.and_then(|one| match &one.source.kind {
                    SourceKind::Copy(from) if from.is_certain => Some(from.spots[0].cell),
                    _ => None,
                })
            };
            let twin = caller.zip(pointer).and_then(|(caller, pointer)| self.twin(caller, &copy, pointer));
            let original = self.seen_by_all(&copy);
            for family in self.families.clone() {
                let value = match twin {
                    Some(twin) => self.read_cell(family, twin, enter),
                    None => self.read(family, &original, enter),
                };
                self.set(family, copy.cell, &value, enter);
            }
        }
    }
}
