//! Calls of functions that are not there: what is known of their effects.

use super::cells::{Access, CellId, Sort};
use super::flows::Origin;
use super::shapes::{Assignment, Shape, Shaper, Source, SourceKind, assignment};
use super::types::part;
use hardbop_c_core as c;
use hardbop_c_core::{Base, Expr, ExprKind, FunctionId, Place, Stmt, StmtKind, TypeId};
use hardbop_points_to::{ObjectKind, Offset, Target};

/// A call of a function that is not there.
#[derive(Clone, Debug, Default)]
pub(crate) struct External<'m> {
    /// Which, if it is known.
    pub(crate) function: Option<FunctionId>,
    /// What it is given.
    pub(crate) arguments: Vec<Source<'m>>,
    /// Where its result goes.
    pub(crate) results: Vec<Assignment<'m>>,
    /// What it may write with nobody knows what.
    pub(crate) writes: Vec<CellId>,
    /// What it may set to zero.
    pub(crate) zeroes: Vec<CellId>,
    /// What it may copy: from and to.
    pub(crate) moves: Vec<(CellId, CellId)>,
    /// What it assigns.
    pub(crate) assigns: Vec<Assignment<'m>>,
    /// Whether what it writes are values of the program, of which nothing is assumed.
    pub(crate) is_copying: bool,
    /// Whether it may write all that has escaped.
    pub(crate) writes_escaped: bool,
}

impl External<'_> {
    /// Where the values come from that it writes.
    pub(crate) fn origin(&self) -> Option<Origin> {
        (!self.is_copying).then_some(Origin::Result(self.function))
    }

    /// The cells that it may write, those of its results and assignments aside.
    pub(crate) fn written(&self) -> impl Iterator<Item = CellId> {
        let moved = self.moves.iter().map(|&(_, to)| to);
        self.writes.iter().chain(&self.zeroes).copied().chain(moved)
    }
}

impl<'m> Shaper<'_, 'm> {
    /// A call of a function that is not there.
    pub(crate) fn external(&mut self, function: FunctionId, stmt: &'m Stmt, callee: Option<FunctionId>) -> Shape<'m> {
        let StmtKind::Call { result, arguments, .. } = &stmt.kind else { return Shape::Skip };
        let name = callee.map_or("", |callee| &self.module().functions[callee].source_name);
        if matches!(name, "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "vfork") {
            return Shape::Forget;
        }
        let returned = callee.and_then(|callee| self.cells.subject.points_to.returned_argument(callee));
        let returned = returned.and_then(|index| arguments.get(index)).zip(result.as_ref());
        let results = match returned {
            Some((value, place)) => self.assign(function, place, value),
            None => result.iter().flat_map(|place| self.lose(function, place, &SourceKind::Called)).collect(),
        };
        let arguments_given = arguments.iter().map(|argument| self.source(function, argument)).collect();
        let mut external = External { function: callee, arguments: arguments_given, results, ..External::default() };
        let plain = super::library::plain(name);
        match (callee.filter(|&callee| self.cells.subject.points_to.is_modelled(callee)), &arguments[..]) {
            (None, _) => external.writes_escaped = true,
            (_, [to, byte, size, ..]) if plain == "memset" => self.fill(function, [to, byte, size], &mut external),
            (_, [to, from, size, ..]) if matches!(plain, "memcpy" | "memmove" | "mempcpy") => {
                self.copy(function, [to, from, size], &mut external);
            }
            (_, [to, ..]) if plain == "bzero" => external.zeroes = self.behind(to),
            (_, [from, to, ..]) if plain == "bcopy" => self.pour(from, to, &mut external),
            (_, [from, ..]) if super::library::moves(plain) => {
                let (old, new) = (self.behind(from), self.allocated(stmt));
                self.pour_cells(&old, new, &mut external);
            }
            _ if super::library::zeroes(plain) => external.zeroes = self.allocated(stmt),
            (Some(callee), _) => external.writes = self.library_writes(arguments, callee),
        }
        Shape::External(Box::new(external))
    }

    /// `memset`.
    fn fill(&mut self, function: FunctionId, [to, byte, size]: [&'m Expr; 3], external: &mut External<'m>) {
        let is_zero = matches!(self.source(function, byte).kind, SourceKind::Number(0));
        match self.parts_behind(function, to, size).filter(|_| is_zero) {
            Some(parts) => external.assigns = parts.into_iter().map(|target| self.zero_of(target)).collect(),
            None if is_zero => external.zeroes = self.behind(to),
            None => (external.writes, external.is_copying) = (self.behind(to), true),
        }
    }

    /// `memcpy`.
    fn copy(&mut self, function: FunctionId, [to, from, size]: [&'m Expr; 3], external: &mut External<'m>) {
        let ends = [to, from].map(|end| pointee(self, end));
        let is_same = ends[0].is_some() && ends[0] == ends[1];
        let parts = [to, from].map(|end| self.parts_behind(function, end, size));
        match parts {
            [Some(targets), Some(sources)] if is_same => {
                let pairs = targets.into_iter().zip(sources);
                external.assigns = pairs.map(|(target, from)| assignment(target, SourceKind::Copy(from))).collect();
            }
            _ if is_same => self.pour(from, to, external),
            _ => (external.writes, external.is_copying) = (self.behind(to), true),
        }
    }

    fn pour(&mut self, from: &'m Expr, to: &'m Expr, external: &mut External<'m>) {
        let (from, to) = (self.behind(from), self.behind(to));
        self.pour_cells(&from, to, external);
    }

    /// Of what is copied, who knows how much, each pointer may be any of the pointers.
    fn pour_cells(&mut self, from: &[CellId], to: Vec<CellId>, external: &mut External<'m>) {
        let sort = |cell: CellId| self.cells.sort(self.cells.rows[cell].ty);
        let is_known = from.iter().all(|&cell| sort(cell) != Sort::Other);
        let pointers: Vec<CellId> = from.iter().copied().filter(|&cell| sort(cell) == Sort::Pointer).collect();
        external.is_copying = true;
        for cell in to {
            if is_known && !pointers.is_empty() && sort(cell) == Sort::Pointer {
                external.moves.extend(pointers.iter().filter(|&&from| from != cell).map(|&from| (from, cell)));
            } else {
                external.writes.push(cell);
            }
        }
    }

    /// The scalars of the object that a pointer points to, if so many bytes are one.
    fn parts_behind(&mut self, function: FunctionId, pointer: &'m Expr, size: &'m Expr) -> Option<Vec<Access>> {
        let types = &self.module().types;
        let pointer = without_casts(pointer);
        let (place, through) = match &pointer.kind {
            ExprKind::Address(place) => (place.clone(), self.pointer(function, place)),
            _ => {
                let ty = types.pointee(pointer.ty)?.ty;
                let through = match self.source(function, pointer).kind {
                    SourceKind::Copy(access) if access.is_certain => Some(access.spots[0].cell),
                    _ => None,
                };
                (Place { base: Base::Deref(Box::new(pointer.clone())), path: Vec::new(), ty }, through)
            }
        };
        let SourceKind::Number(size) = self.source(function, size).kind else { return None };
        if types.size_of(place.ty).map(i128::from) != Some(size) || types.is_void(place.ty) {
            return None;
        }
        let leaves = self.cells.leaves(place.ty);
        // Elements of arrays differ from each other.
        let is_plain =
            |leaf: &super::types::Leaf| !leaf.steps.iter().any(|step| matches!(step, c::expr::Projection::Index(_)));
        if leaves.is_empty() || !leaves.iter().all(is_plain) {
            return None;
        }
        Some(leaves.iter().map(|leaf| self.access_through(function, &part(&place, leaf), through)).collect())
    }

    /// What a function of the library writes: what its arguments point to, unless their type says that it does not.
    fn library_writes(&mut self, arguments: &'m [Expr], callee: FunctionId) -> Vec<CellId> {
        let row = &self.module().functions[callee];
        if super::library::writes_nothing(&row.source_name) {
            return Vec::new();
        }
        let declared = self.module().types.callee(row.ty).map(|ty| ty.parameters.clone());
        let types = match &declared {
            Some(c::Parameters::Fixed(types) | c::Parameters::Variadic(types)) => &types[..],
            _ => &[],
        };
        let mut written = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let pointee = types.get(index).and_then(|&ty| self.module().types.pointee(ty));
            if !pointee.is_some_and(|pointee| pointee.qualifiers.is_const) {
                written.extend(self.behind(argument));
            }
        }
        written.sort_unstable();
        written.dedup();
        written
    }

    /// All cells of what a value points to.
    fn behind(&mut self, value: &'m Expr) -> Vec<CellId> {
        let pointee = pointee(self, value);
        self.cells_behind(&self.cells.subject.points_to.points_to_expr(value), pointee)
    }

    /// All cells of what is pointed to, as far as an object of type `pointee` goes.
    pub(crate) fn cells_behind(&mut self, targets: &[Target], pointee: Option<TypeId>) -> Vec<CellId> {
        let points_to = self.cells.subject.points_to;
        let is_data =
            |target: &&Target| matches!(points_to.kind(target.object), ObjectKind::Variable(_) | ObjectKind::Heap(..));
        let pointee = pointee.filter(|&pointee| !self.module().types.is_void(pointee));
        let size = pointee.and_then(|ty| self.module().types.size_of(ty));
        let mut cells = Vec::new();
        for target in targets.iter().filter(is_data) {
            let range = match (target.offset, size) {
                (Offset::At(start), Some(size)) if size > 1 => start..start.saturating_add(size),
                _ => 0..u64::MAX,
            };
            let all: Vec<_> = points_to.cells(target.object).filter(|cell| range.contains(&cell.offset)).collect();
            cells.extend(all.into_iter().map(|cell| self.cells.of(cell)));
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The cells of what a statement allocates.
    fn allocated(&mut self, stmt: &'m Stmt) -> Vec<CellId> {
        let points_to = self.cells.subject.points_to;
        let is_it = |kind: ObjectKind| matches!(kind, ObjectKind::Heap(_, span) if span == stmt.span);
        let objects = points_to.objects().filter(|&(_, kind)| is_it(kind)).map(|(object, _)| object);
        let cells: Vec<_> = objects.flat_map(|object| points_to.cells(object)).collect();
        let mut cells: Vec<CellId> = cells.into_iter().map(|cell| self.cells.of(cell)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

/// The type that a pointer points to, as the program has it before it is converted.
fn pointee(shaper: &Shaper<'_, '_>, pointer: &Expr) -> Option<TypeId> {
    let types = &shaper.module().types;
    let pointee = types.pointee(without_casts(pointer).ty).map(|pointee| pointee.ty);
    pointee.filter(|&ty| !types.is_void(ty))
}

fn without_casts(mut expr: &Expr) -> &Expr {
    while let ExprKind::Cast(inner) = &expr.kind {
        expr = inner;
    }
    expr
}
