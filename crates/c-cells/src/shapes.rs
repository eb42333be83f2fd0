//! What the edges of the graph do, as far as cells go: which places get which values.

use super::cells::{Access, Bytes, CellId, Cells, Home, Key, bounds};
use super::externals::External;
use super::operators::{is_comparison, is_sum, mirrored, opposite};
use super::remembered::{Behind, Elements, Remembered};
use super::sources::{Condition, Source, SourceKind, is_condition, is_constant, is_truth};
use super::{Detail, Subject};
use hardbop_base::{Budget, Exhausted, IndexVec, Span};
use hardbop_c_core as c;
use hardbop_c_core::parts::{Leaf, is_at_start, number_kind, part, unions_of};
use hardbop_c_core::{
    Base, BinaryOp, Callee, Expr, ExprKind, FunctionId, Place, Stmt, StmtKind, TypeId, UnaryOp, VarId,
};
use hardbop_c_graph::{Action, Truth};
use hardbop_icfg::EdgeId;
use hardbop_points_to::{ObjectId, ObjectKind, Offset, Target};
use rustc_hash::FxHashMap;

/// `target = source`.
#[derive(Clone, Debug)]
pub struct Assignment<'m> {
    /// What is assigned.
    pub target: Access,
    /// What it gets.
    pub source: Source<'m>,
    /// Whether it is a part of something larger that is copied.
    pub is_part: bool,
}

/// What an edge does.
#[derive(Clone, Debug)]
pub enum Shape<'m> {
    /// Nothing.
    Skip,
    /// Goes on only if it is so.
    Assume(Box<Condition<'m>>),
    /// Assigns all at once.
    Assign(Vec<Assignment<'m>>),
    /// A variable holds anything from here on.
    Fresh(Vec<CellId>),
    /// A call with these values for the parameters.
    Call(FunctionId, Vec<Assignment<'m>>),
    /// A call of a function that is not there.
    External(Box<External<'m>>),
    /// A call from outside: the parameters.
    Start(FunctionId, Vec<CellId>),
    /// What may be in these changes by itself.
    Change(Vec<CellId>),
    /// Code outside writes what it can reach.
    Outside,
    /// Nothing is known afterwards but that something is assigned.
    Forget(Vec<Assignment<'m>>),
}

/// Finds shapes.
pub struct Shaper<'a, 'm> {
    /// The cells.
    pub cells: Cells<'a, 'm>,
    /// Whether there are copies of elements of arrays.
    pub(crate) elements: Elements,
    /// The places of which there are copies.
    pub(crate) remembered: Remembered,
    /// What is allocated where.
    pub(crate) allocations: FxHashMap<Span, Vec<ObjectId>>,
}

/// The shape of every edge.
pub fn shapes<'a, 'm>(
    subject: Subject<'a, 'm>,
    detail: Detail,
    budget: &Budget,
) -> Result<(Shaper<'a, 'm>, IndexVec<EdgeId, Shape<'m>>), Exhausted> {
    let mut allocations: FxHashMap<Span, Vec<ObjectId>> = FxHashMap::default();
    for (object, kind) in subject.points_to.objects() {
        if let ObjectKind::Heap(_, span) = kind {
            allocations.entry(span).or_default().push(object);
        }
    }
    let cells = Cells::new(subject, detail);
    let mut shaper = Shaper { cells, elements: detail.elements, remembered: Remembered::default(), allocations };
    let graph = shaper.cells.subject.graph;
    for &action in &graph.actions {
        shaper.expose(action);
    }
    shaper.cells.expose_unions();
    if detail.has_copies {
        shaper.find_remembered(budget)?;
    }
    let mut shapes = IndexVec::new();
    for (edge, &action) in graph.actions.iter_enumerated() {
        budget.spend(1)?;
        let mut shape = shaper.shape(edge, action);
        shape.spare(&shaper.cells);
        shapes.push(shape);
        shaper.see_callee(edge, action);
    }
    Ok((shaper, shapes))
}

impl<'m> Shaper<'_, 'm> {
    /// The program.
    pub fn module(&self) -> &'m c::Module {
        self.cells.subject.module
    }

    /// The function that an edge is in.
    pub fn function(&self, edge: EdgeId) -> Option<FunctionId> {
        self.cells.function(edge)
    }

    /// Takes note of the place that a call reads its callee from: what is remembered of it changes on other edges, too.
    fn see_callee(&mut self, edge: EdgeId, action: Action<'m>) {
        let (Action::Call(stmt, _) | Action::External(stmt, _) | Action::CallBack(stmt)) = action else { return };
        if let (Some(function), StmtKind::Call { callee: Callee::Pointer(pointer), .. }) =
            (self.function(edge), &stmt.kind)
        {
            self.source(function, pointer);
        }
    }

    fn expose(&mut self, action: Action<'m>) {
        for_each_place(action, &mut |place, usage| match usage {
            _ if !place.is_deref() => {}
            c::expr::PlaceUse::Address => self.cells.expose(place),
            _ => self.cells.name_unions(place),
        });
    }

    /// The cell of the pointer that a place is behind, if it is one.
    pub(crate) fn pointer(&mut self, function: FunctionId, place: &'m Place) -> Option<CellId> {
        let Base::Deref(pointer) = &place.base else { return None };
        let source = self.source(function, pointer);
        self.lead(&source, place.ty)
    }

    /// The cells that a place may be.
    pub fn access(&mut self, function: FunctionId, place: &'m Place) -> Access {
        let pointer = self.pointer(function, place);
        let behind = self.spoken(function, place);
        self.access_as(function, place, pointer, behind)
    }

    pub(crate) fn access_as(
        &mut self,
        function: FunctionId,
        place: &Place,
        pointer: Option<CellId>,
        behind: Option<Behind>,
    ) -> Access {
        let mut access = self.cells.access(place);
        let size = self.module().types.size_of(place.ty);
        access.pointer = pointer;
        access.bytes = behind.zip(size).and_then(|(behind, size)| Bytes::new(behind, size));
        let is_remembered = |behind: &Behind| self.remembered.contains(function, *behind);
        if let Some(behind) = behind.filter(is_remembered)
            && !access.is_certain
            && self.module().types.is_scalar(place.ty)
        {
            let name = match pointer {
                Some(pointer) if !matches!(self.cells.rows[pointer].key, Key::Copy(..)) => {
                    self.place_name(place, pointer)
                }
                _ => c::print::place(self.module(), place, c::print::Style::READABLE),
            };
            access.copy = Some(self.cells.copy_of(function, behind, &access, name));
        }
        access
    }

    fn place_name(&self, place: &Place, pointer: CellId) -> String {
        let name = &self.cells.rows[pointer].name;
        let mut ty = match &place.base {
            Base::Deref(pointer) => self.module().types.pointee(pointer.ty).map_or(place.ty, |pointee| pointee.ty),
            Base::Var(var) => self.module().vars[*var].ty.ty,
        };
        let mut path = String::new();
        for step in &place.path {
            let c::expr::Projection::Field(index) = step else { break };
            let field = self.module().types.field(ty, *index);
            if !field.is_anonymous {
                path.push_str(if path.is_empty() { "->" } else { "." });
                path.push_str(&field.name);
            }
            ty = field.ty.ty;
        }
        if path.is_empty() { format!("*{name}") } else { format!("{name}{path}") }
    }

    /// A value.
    pub fn source(&mut self, function: FunctionId, expr: &'m Expr) -> Source<'m> {
        let kind = self.kind(function, expr);
        Source { kind, expr: Some(expr), ty: expr.ty }
    }

    fn kind(&mut self, function: FunctionId, expr: &'m Expr) -> SourceKind<'m> {
        let types = &self.module().types;
        match &expr.kind {
            ExprKind::Read(place) => SourceKind::Copy(self.access(function, place)),
            _ if types.is_integer(expr.ty) && number_kind(types, expr.ty).is_none() => SourceKind::Other,
            ExprKind::Integer(0) if types.is_pointer(expr.ty) => SourceKind::Null,
            ExprKind::Integer(value) => SourceKind::Number(*value),
            ExprKind::Address(place) => self.address(function, expr, place),
            ExprKind::Function(callee) => {
                let object = self.cells.subject.points_to.function(*callee);
                if self.module().functions[*callee].may_be_missing() {
                    SourceKind::Copy(self.cells.weak_address(object, expr.ty))
                } else {
                    SourceKind::Address(Some(Target { object, offset: Offset::At(0) }))
                }
            }
            ExprKind::Cast(inner) => self.cast(function, expr.ty, inner),
            ExprKind::Unary(UnaryOp::Real | UnaryOp::Imaginary, _) => SourceKind::Other,
            ExprKind::Unary(op, operand) => SourceKind::Unary(*op, Box::new(self.source(function, operand))),
            ExprKind::Binary(op, left, right) => self.binary(function, *op, left, right),
            ExprKind::Float(_) | ExprKind::Label(_) => SourceKind::Other,
        }
    }

    fn address(&mut self, function: FunctionId, expr: &'m Expr, place: &'m Place) -> SourceKind<'m> {
        match &place.base {
            Base::Var(var) if self.module().vars[*var].may_be_missing() => {
                let object = self.cells.subject.points_to.variable(*var);
                let kind = SourceKind::Copy(self.cells.weak_address(object, expr.ty));
                if is_at_start(self.module(), place) {
                    return kind;
                }
                behind(Source { kind, expr: None, ty: expr.ty })
            }
            Base::Var(_) => {
                let targets = self.cells.subject.points_to.points_to_expr(expr);
                SourceKind::Address(if let [target] = targets[..] { Some(target) } else { None })
            }
            Base::Deref(pointer) if place.path.is_empty() => self.source(function, pointer).kind,
            Base::Deref(pointer) => behind(self.source(function, pointer)),
        }
    }

    fn cast(&mut self, function: FunctionId, to: TypeId, inner: &'m Expr) -> SourceKind<'m> {
        let types = &self.module().types;
        let (from_pointer, to_pointer) = (types.is_pointer(inner.ty), types.is_pointer(to));
        let keeps = match (types.int_kind(inner.ty), types.int_kind(to)) {
            (Some(_), Some(c::IntKind::Bool)) => return self.truth_of(function, inner),
            (Some(from), Some(to)) => {
                let width = self.width_of(inner);
                let ((least, most), (low, high)) = (bounds(types.range(from), width), types.range(to));
                low <= least && most <= high
            }
            (Some(from), None) => to_pointer && types.int_size(from) <= types.pointer_size(),
            (None, Some(c::IntKind::Bool)) if from_pointer => return self.truth_of(function, inner),
            (None, Some(to)) => from_pointer && types.int_size(to) >= types.pointer_size(),
            (None, None) => from_pointer && to_pointer,
        };
        match self.source(function, inner).kind {
            SourceKind::Number(0) if to_pointer => SourceKind::Null,
            SourceKind::Null if !to_pointer => SourceKind::Number(0),
            SourceKind::Number(value) => {
                types.int_kind(to).map_or(SourceKind::Number(value), |kind| SourceKind::Number(types.wrap(kind, value)))
            }
            // What is computed from addresses as integers may be any address, or none.
            SourceKind::Binary(op, _, right) if is_sum(op) && to_pointer && !from_pointer && !is_constant(&right) => {
                SourceKind::Other
            }
            kind if keeps => kind,
            // Any integer can hold what is true or false.
            kind if types.is_integer(to) && is_truth(&kind) => kind,
            _ => SourceKind::Other,
        }
    }

    fn truth_of(&mut self, function: FunctionId, inner: &'m Expr) -> SourceKind<'m> {
        let left = self.source(function, inner);
        if is_condition(&left) {
            return left.kind;
        }
        let kind = if self.module().types.is_pointer(inner.ty) { SourceKind::Null } else { SourceKind::Number(0) };
        let zero = Source { kind, expr: None, ty: inner.ty };
        SourceKind::Binary(BinaryOp::Ne, Box::new(left), Box::new(zero))
    }

    fn binary(&mut self, function: FunctionId, op: BinaryOp, left: &'m Expr, right: &'m Expr) -> SourceKind<'m> {
        let (left, right) = (self.source(function, left), self.source(function, right));
        let is_constant = |source: &Source<'_>| matches!(source.kind, SourceKind::Number(_));
        let swaps = op == BinaryOp::Add && is_constant(&left) && !is_constant(&right);
        let (left, mut right) = if swaps { (right, left) } else { (left, right) };
        // To add a large number to an unsigned one is to subtract a small one.
        let types = &self.module().types;
        if let (BinaryOp::Add | BinaryOp::Sub, SourceKind::Number(value)) = (op, &mut right.kind)
            && let Some((0, most)) = number_kind(types, left.ty).map(|kind| types.range(kind))
            && *value > most / 2
        {
            *value -= most + 1;
        }
        SourceKind::Binary(op, Box::new(left), Box::new(right))
    }

    /// What it means that an expression is zero or not.
    pub(crate) fn condition(&mut self, function: FunctionId, expr: &'m Expr, truth: Truth) -> Condition<'m> {
        let source = self.source(function, expr);
        self.condition_of(source, truth)
    }

    /// What it means that a value is zero or not.
    pub fn condition_of(&mut self, source: Source<'m>, truth: Truth) -> Condition<'m> {
        match source.kind {
            SourceKind::Unary(UnaryOp::Not, operand) => self.condition_of(*operand, opposite(truth)),
            SourceKind::Binary(comparison, left, right) if is_comparison(comparison) => {
                let is_asked = match (comparison, &right.kind) {
                    _ if !is_condition(&left) => None,
                    (BinaryOp::Ne, SourceKind::Number(0)) | (BinaryOp::Eq, SourceKind::Number(1)) => Some(truth),
                    (BinaryOp::Eq, SourceKind::Number(0)) | (BinaryOp::Ne, SourceKind::Number(1)) => {
                        Some(opposite(truth))
                    }
                    _ => None,
                };
                match comparison {
                    _ if let Some(truth) = is_asked => self.condition_of(*left, truth),
                    _ if is_constant(&left) && !is_constant(&right) => {
                        let zero = self.compared(&right, *left);
                        Condition { left: *right, comparison: mirrored(comparison), right: zero, truth }
                    }
                    _ => {
                        let right = self.compared(&left, *right);
                        Condition { left: *left, comparison, right, truth }
                    }
                }
            }
            _ => {
                let right = Source { kind: SourceKind::Number(0), expr: None, ty: source.ty };
                let right = self.compared(&source, right);
                Condition { left: source, comparison: BinaryOp::Ne, right, truth }
            }
        }
    }

    /// What a value is compared with: zero is the null pointer if it is one, though it be converted to a number.
    fn compared(&self, left: &Source<'m>, right: Source<'m>) -> Source<'m> {
        let types = &self.module().types;
        let is_pointer = match &left.kind {
            SourceKind::Copy(access) => types.is_pointer(access.ty) || types.is_pointer(left.ty),
            _ => types.is_pointer(left.ty),
        };
        match right.kind {
            SourceKind::Number(0) if is_pointer => Source { kind: SourceKind::Null, ..right },
            _ => right,
        }
    }

    fn shape(&mut self, edge: EdgeId, action: Action<'m>) -> Shape<'m> {
        let function = self.function(edge);
        match (action, function) {
            (Action::Assume(condition, truth), Some(function)) => {
                Shape::Assume(Box::new(self.condition(function, condition, truth)))
            }
            (Action::Do(stmt), Some(function)) => self.statement(function, stmt),
            (Action::Change(place), Some(function)) => Shape::Change(self.cells_of(function, place)),
            (Action::Call(stmt, callee), Some(function)) => Shape::Call(callee, self.given(function, stmt, callee)),
            (Action::Take(stmt, callee), Some(function)) => Shape::Assign(self.taken(function, stmt, callee)),
            (Action::External(stmt, callee), Some(function)) => self.external(function, stmt, callee),
            (Action::Return(Some(value)), Some(function)) => Shape::Assign(self.returned(function, value)),
            (Action::Return(None), Some(function)) => self.fall_off(function),
            (Action::Enter(_), Some(function)) => Shape::Assign(self.entered(function)),
            (Action::Start(callee), _) => Shape::Start(callee, self.parameters(callee)),
            (Action::Outside, _) => Shape::Outside,
            (Action::Started(callee), _) => Shape::External(Box::new(self.called_from_outside(callee))),
            _ => Shape::Skip,
        }
    }

    fn statement(&mut self, function: FunctionId, stmt: &'m Stmt) -> Shape<'m> {
        match &stmt.kind {
            StmtKind::Assign(place, value) => Shape::Assign(self.assign(function, place, value)),
            StmtKind::Zero(place) => Shape::Assign(self.zero(function, place)),
            StmtKind::NextArgument { result, list, ty } => {
                // It is as the list is: what was given to it is not followed.
                let list = self.cells.subject.points_to.points_to_expr(list);
                let mut from = self.cells_behind(&list, None);
                // Who gives a structure reads none of its members.
                let is_whole = !self.module().types.is_scalar(*ty);
                from.extend(is_whole.then(|| self.cells.somewhere_outside()));
                let kind = SourceKind::Copy(Access::among(&from, *ty));
                let results = result.iter().flat_map(|place| self.lose(function, place, &kind));
                Shape::Assign(results.map(|one| Assignment { is_part: is_whole, ..one }).collect())
            }
            StmtKind::Asm(asm) => self.assembly(function, asm),
            StmtKind::Fresh(var) => {
                let object = self.cells.subject.points_to.variable(*var);
                let cells: Vec<_> = self.cells.subject.points_to.cells(object).collect();
                let mut all: Vec<CellId> = cells.iter().flat_map(|&cell| self.cells.all_of(cell)).collect();
                if self.module().vars[*var].is_address_taken {
                    let target = |offset| Target { object, offset: Offset::At(offset) };
                    all.extend(cells.iter().filter_map(|cell| self.cells.pointed(target(cell.offset))));
                }
                all.sort_unstable();
                all.dedup();
                Shape::Fresh(all)
            }
            StmtKind::Unmodelled(_) => Shape::Forget(Vec::new()),
            _ => Shape::Skip,
        }
    }

    /// The cells that the scalars of a place may be.
    pub(crate) fn cells_of(&mut self, function: FunctionId, place: &'m Place) -> Vec<CellId> {
        let parts = self.parts(function, place);
        parts.iter().flat_map(|(_, part)| part.cells()).collect()
    }

    /// The places of the scalars of a place, each with its first byte; a bit-field has none.
    pub fn parts(&mut self, function: FunctionId, place: &'m Place) -> Vec<(Option<u64>, Access)> {
        if self.module().types.is_scalar(place.ty) {
            return vec![(Some(0), self.access(function, place))];
        }
        let whole = (self.pointer(function, place), self.spoken(function, place));
        let leaves = self.cells.leaves(place.ty);
        if leaves.is_empty() {
            return vec![(Some(0), self.cells.access(place))];
        }
        let mut part = |leaf: &Leaf| (self.first_byte(leaf, &leaves), self.part(function, place, leaf, whole));
        let mut parts: Vec<_> = leaves.iter().map(&mut part).collect();
        Cells::settle(parts.iter_mut().map(|(_, part)| part));
        parts
    }

    /// The first byte of one of the scalars of a type, unless others begin there that are not the same.
    fn first_byte(&self, leaf: &Leaf, all: &[Leaf]) -> Option<u64> {
        let is_other = |other: &Leaf| other.offset == leaf.offset && !self.cells.is_alike(leaf.ty, other.ty);
        let is_shared = self.cells.has_views && (leaf.bits.is_some() || all.iter().any(is_other));
        (!is_shared).then_some(leaf.offset)
    }

    /// A scalar of a place that is read or written as a whole, so that unions inside stay what they are.
    pub(crate) fn part(
        &mut self,
        function: FunctionId,
        place: &Place,
        leaf: &Leaf,
        (pointer, behind): (Option<CellId>, Option<Behind>),
    ) -> Access {
        let part = part(place, leaf);
        // Of an array inside, all elements are meant.
        let is_one = leaf.steps.iter().all(|step| matches!(step, c::Projection::Field(_)));
        let behind = behind
            .filter(|_| is_one)
            .and_then(|behind| Some((behind, behind.offset.checked_add(leaf.offset)?)))
            .map(|(behind, offset)| Behind { offset, bits: leaf.bits, ty: part.ty, ..behind });
        let mut access = self.access_as(function, &part, pointer, behind);
        let (around, all) = (unions_of(self.module(), place), unions_of(self.module(), &part));
        access.unions.retain(|union| around.contains(union) || !all.contains(union));
        access
    }

    pub(super) fn assign(&mut self, function: FunctionId, place: &'m Place, value: &'m Expr) -> Vec<Assignment<'m>> {
        let from = match &value.kind {
            ExprKind::Read(from) if !self.module().types.is_scalar(place.ty) => from,
            _ => {
                let (target, source) = (self.access(function, place), self.source(function, value));
                return vec![Assignment { target, source, is_part: false }];
            }
        };
        let (targets, sources) = (self.parts(function, place), self.parts(function, from));
        targets.into_iter().zip(sources).map(|((_, target), (_, from))| copied(target, from)).collect()
    }

    fn zero(&mut self, function: FunctionId, place: &'m Place) -> Vec<Assignment<'m>> {
        let parts = self.parts(function, place);
        parts.into_iter().map(|(_, target)| self.zero_of(target)).collect()
    }

    /// `target` gets zero, or the null pointer.
    pub fn zero_of(&self, target: Access) -> Assignment<'m> {
        let is_pointer = self.module().types.is_pointer(target.ty);
        assignment(target, if is_pointer { SourceKind::Null } else { SourceKind::Number(0) })
    }

    pub(crate) fn lose(
        &mut self,
        function: FunctionId,
        place: &'m Place,
        kind: &SourceKind<'m>,
    ) -> Vec<Assignment<'m>> {
        let parts = self.parts(function, place);
        parts.into_iter().map(|(_, target)| assignment(target, kind.clone())).collect()
    }

    /// The cells of a parameter, as the caller gives them.
    pub(crate) fn parameter(&mut self, function: FunctionId, parameter: VarId) -> Vec<(Option<u64>, Access)> {
        let ty = self.module().vars[parameter].ty.ty;
        let leaves = self.cells.leaves(ty);
        let place = Place::var(parameter, ty);
        let mut cells = Vec::new();
        for leaf in leaves.iter() {
            let mut access = self.cells.access(&part(&place, leaf));
            let first = self.first_byte(leaf, &leaves);
            if self.is_handed_over(parameter, &access) {
                access = match first {
                    Some(_) => {
                        let given = self.cells.given(function, parameter, leaf);
                        self.cells.just(given, leaf.ty)
                    }
                    // Nobody says what it was given.
                    None => Access::among(&[], leaf.ty),
                };
            }
            cells.push((first, access));
        }
        Cells::settle(cells.iter_mut().map(|(_, part)| part));
        cells
    }

    /// Whether a part of a parameter gets what it is given when the function begins: what is known of it is not the
    /// function's own.
    fn is_handed_over(&self, parameter: VarId, part: &Access) -> bool {
        let is_shared = part.spots.iter().any(|spot| self.cells.is_spread(spot.cell));
        self.module().vars[parameter].is_address_taken || is_shared
    }

    fn parameters(&mut self, function: FunctionId) -> Vec<CellId> {
        let Some(body) = &self.module().functions[function].body else { return Vec::new() };
        let all = body.parameters.iter().flat_map(|&parameter| self.parameter(function, parameter));
        all.filter(|(_, access)| access.is_certain).map(|(_, access)| access.spots[0].cell).collect()
    }

    /// The values that a call gives to the parameters of a function with a body.
    pub fn given(&mut self, caller: FunctionId, stmt: &'m Stmt, callee: FunctionId) -> Vec<Assignment<'m>> {
        let (StmtKind::Call { arguments, .. }, Some(body)) = (&stmt.kind, &self.module().functions[callee].body) else {
            return Vec::new();
        };
        let mut given = Vec::new();
        for (index, &parameter) in body.parameters.iter().enumerate() {
            let targets = self.parameter(callee, parameter);
            match arguments.get(index) {
                Some(Expr { kind: ExprKind::Read(place), ty }) if !self.module().types.is_scalar(*ty) => {
                    let sources = self.parts(caller, place);
                    let pairs = targets.into_iter().zip(sources);
                    given.extend(pairs.map(|((_, target), (_, from))| copied(target, from)));
                }
                Some(value) => {
                    let source = self.source(caller, value);
                    let source = self.passed_as(source, self.module().vars[parameter].ty.ty);
                    let assign = |target| Assignment { target, source: source.clone(), is_part: false };
                    given.extend(targets.into_iter().map(|(_, target)| assign(target)));
                }
                None => given.extend(targets.into_iter().map(|(_, target)| assignment(target, SourceKind::Other))),
            }
        }
        given.retain(|assignment| assignment.target.is_certain);
        given
    }

    /// What a parameter of type `ty` is given. A definition in the style of K&R, or behind a pointer of another type, may
    /// have another than the caller thinks: zero is zero then, and what is copied stays the same bytes.
    fn passed_as(&self, source: Source<'m>, ty: TypeId) -> Source<'m> {
        let types = &self.module().types;
        let is_same = |left: TypeId, right: TypeId| {
            types.is_pointer(left) && types.is_pointer(right) || number_kind(types, left) == number_kind(types, right)
        };
        let kind = match source.kind {
            _ if types.size_of(source.ty) != types.size_of(ty) => SourceKind::Other,
            SourceKind::Null | SourceKind::Number(0) if types.is_pointer(ty) => SourceKind::Null,
            SourceKind::Null if types.is_integer(ty) => SourceKind::Number(0),
            SourceKind::Copy(from) => SourceKind::Copy(from),
            kind if is_same(source.ty, ty) => kind,
            _ => SourceKind::Other,
        };
        Source { kind, ..source }
    }

    /// What of parameters is not the function's own gets what was given.
    fn entered(&mut self, function: FunctionId) -> Vec<Assignment<'m>> {
        let Some(body) = &self.module().functions[function].body else { return Vec::new() };
        let mut assignments = Vec::new();
        for &parameter in &body.parameters {
            let ty = self.module().vars[parameter].ty.ty;
            let leaves = self.cells.leaves(ty);
            for leaf in leaves.iter() {
                let target = self.cells.access(&part(&Place::var(parameter, ty), leaf));
                if !self.is_handed_over(parameter, &target) {
                    continue;
                }
                if self.first_byte(leaf, &leaves).is_none() {
                    assignments.push(assignment(target, SourceKind::Other));
                    continue;
                }
                let given = self.cells.given(function, parameter, leaf);
                let source = self.cells.just(given, leaf.ty);
                let is_part = !self.module().types.is_scalar(ty);
                assignments.push(Assignment { is_part, ..copied(target, source) });
            }
        }
        assignments
    }

    fn returned(&mut self, function: FunctionId, value: &'m Expr) -> Vec<Assignment<'m>> {
        if self.module().types.is_scalar(value.ty) {
            let result = self.cells.result(function, 0, value.ty);
            let (target, source) = (self.cells.just(result, value.ty), self.source(function, value));
            return vec![Assignment { target, source, is_part: false }];
        }
        let ExprKind::Read(place) = &value.kind else { return Vec::new() };
        let parts = self.parts(function, place);
        let mut assignments = Vec::new();
        for (offset, from) in parts.into_iter().filter_map(|(offset, from)| Some((offset?, from))) {
            let result = self.cells.result(function, offset, from.ty);
            assignments.push(copied(self.cells.just(result, from.ty), from));
        }
        assignments
    }

    /// What is returned without a value is anything.
    fn fall_off(&mut self, function: FunctionId) -> Shape<'m> {
        let result = self.result_type(function);
        let is_main = self.module().functions[function].source_name == "main";
        let Some(result) = result.filter(|&result| !is_main && !self.module().types.is_void(result)) else {
            return Shape::Skip;
        };
        let leaves = self.cells.leaves(result);
        let firsts = leaves.iter().filter_map(|leaf| Some((self.first_byte(leaf, &leaves)?, leaf.ty)));
        let firsts: Vec<(u64, TypeId)> = firsts.collect();
        let cells = firsts.into_iter().map(|(first, ty)| self.cells.result(function, first, ty)).collect();
        Shape::Fresh(cells)
    }

    fn result_type(&self, function: FunctionId) -> Option<TypeId> {
        self.module().types.callee(self.module().functions[function].ty).map(|ty| ty.result)
    }

    /// Where the result of a function with a body goes.
    pub fn taken(&mut self, caller: FunctionId, stmt: &'m Stmt, callee: FunctionId) -> Vec<Assignment<'m>> {
        let StmtKind::Call { result: Some(place), .. } = &stmt.kind else { return Vec::new() };
        let returns = self.result_type(callee);
        let is_same =
            returns.is_some_and(|ty| self.module().types.size_of(ty) == self.module().types.size_of(place.ty));
        if !is_same {
            return self.lose(caller, place, &SourceKind::Other);
        }
        let mut assignments = Vec::new();
        for (offset, target) in self.parts(caller, place) {
            let Some(offset) = offset else {
                assignments.push(assignment(target, SourceKind::Other));
                continue;
            };
            // The callee's own type says which of the results it is.
            let (ty, cell) = (target.ty, self.cells.result(callee, offset, target.ty));
            let known = self.cells.rows[cell].ty.unwrap_or(ty);
            let returned = self.cells.returned(caller, offset, known);
            let is_part = !self.module().types.is_scalar(place.ty);
            assignments.push(Assignment { is_part, ..copied(target, self.cells.just(returned, known)) });
        }
        assignments
    }

    /// The statement's dereferences and what they go through, the callee among them.
    pub fn pointers(&mut self, edge: EdgeId) -> Vec<(Source<'m>, Option<&'m Place>)> {
        let Some(function) = self.function(edge) else { return Vec::new() };
        let action = self.cells.subject.graph.actions[edge];
        let mut found = Vec::new();
        for_each_place(action, &mut |place, usage| match &place.base {
            _ if usage == c::expr::PlaceUse::Address => {}
            Base::Deref(pointer) => found.push((self.source(function, pointer), Some(place))),
            Base::Var(var) if self.module().vars[*var].may_be_missing() => {
                found.push((self.weak(self.cells.subject.points_to.variable(*var)), Some(place)));
            }
            Base::Var(_) => {}
        });
        if let Action::Call(stmt, _) | Action::External(stmt, _) = action
            && let StmtKind::Call { callee, .. } = &stmt.kind
        {
            match callee {
                Callee::Pointer(pointer) => found.push((self.source(function, pointer), None)),
                Callee::Function(callee) if self.module().functions[*callee].may_be_missing() => {
                    found.push((self.weak(self.cells.subject.points_to.function(*callee)), None));
                }
                Callee::Function(_) => {}
            }
        }
        found
    }

    /// The address of what may not be there.
    fn weak(&mut self, object: ObjectId) -> Source<'m> {
        let ty = self.module().types.void_pointer();
        Source { kind: SourceKind::Copy(self.cells.weak_address(object, ty)), expr: None, ty }
    }

    /// Whether the facts of a cell are everywhere.
    pub fn is_shared(&self, cell: CellId) -> bool {
        matches!(self.cells.rows[cell].home, Home::Global | Home::Summary)
    }
}

/// Calls `see` for the places that an action reads or writes itself.
pub fn for_each_place<'m>(action: Action<'m>, see: &mut impl FnMut(&'m Place, c::expr::PlaceUse)) {
    match action {
        Action::Do(stmt) => stmt.visit_own_places(see),
        Action::Assume(condition, _) => condition.visit_places(see),
        Action::Return(Some(value)) => value.visit_places(see),
        // Arguments before the call, the result after it.
        Action::Call(stmt, _) => {
            stmt.visit_parts(&mut |value| value.visit_places(see), &mut |_| {});
        }
        Action::External(stmt, _) => stmt.visit_own_places(see),
        Action::Take(stmt, _) => {
            if let StmtKind::Call { result: Some(place), .. } = &stmt.kind {
                place.visit_places(c::expr::PlaceUse::Write, see);
            }
        }
        _ => {}
    }
}

pub(crate) fn assignment<'m>(target: Access, kind: SourceKind<'m>) -> Assignment<'m> {
    let ty = target.ty;
    Assignment { target, source: Source { kind, expr: None, ty }, is_part: false }
}

/// A part of something that is copied.
pub(crate) fn copied<'m>(target: Access, from: Access) -> Assignment<'m> {
    Assignment { is_part: true, ..assignment(target, SourceKind::Copy(from)) }
}

/// Somewhere behind a pointer.
fn behind(pointer: Source<'_>) -> SourceKind<'_> {
    let offset = Source { kind: SourceKind::Other, expr: None, ty: pointer.ty };
    SourceKind::Binary(BinaryOp::PointerAdd, Box::new(pointer), Box::new(offset))
}
