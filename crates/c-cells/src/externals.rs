//! Calls of functions that are not there: what is known of their effects.

use super::cells::{Access, CellId, Sort};
use super::copies::Poured;
use super::flows::Origin;
use super::remembered::{Anchor, Behind};
use super::shapes::{Assignment, Shape, Shaper, copied};
use super::sources::{Source, SourceKind};
use hardbop_c_core as c;
use hardbop_c_core::parts::{part, start};
use hardbop_c_core::{Base, Expr, ExprKind, FunctionId, Place, Stmt, StmtKind, TypeId};
use hardbop_c_graph::Action;
use hardbop_icfg::EdgeId;
use hardbop_points_to::{Cell, ObjectId, ObjectKind, Offset, Target, library};
use std::ops::Range;

/// The bytes of the widest scalar.
const WIDEST: u64 = 16;

/// A call of a function that is not there.
#[derive(Clone, Debug, Default)]
pub struct External<'m> {
    /// Which, if it is known.
    pub function: Option<FunctionId>,
    /// What it is given.
    pub arguments: Vec<Source<'m>>,
    /// Where its result goes.
    pub results: Vec<Assignment<'m>>,
    /// What it may write with nobody knows what.
    pub writes: Vec<CellId>,
    /// What it makes, with nothing in it.
    pub allocates: Vec<CellId>,
    /// What it may set to zero.
    pub zeroes: Vec<CellId>,
    /// What it may copy: from and to.
    pub moves: Vec<(CellId, CellId)>,
    /// What it assigns.
    pub assigns: Vec<Assignment<'m>>,
    /// What it may write with nobody knows what in memory of code outside.
    pub fills: Vec<Access>,
    /// What facts about objects go where: as `writes` and `moves` for those about values.
    pub carries: Vec<Assignment<'m>>,
    /// Whether all it does is to move what is in memory.
    pub is_move: bool,
    /// Whether what it writes are values of the program, of which nothing is assumed.
    pub is_copying: bool,
    /// Whether it may write all that has escaped.
    pub writes_escaped: bool,
}

/// How many bytes of what a pointer points to are meant.
#[derive(Clone, Copy)]
pub(crate) enum Extent {
    /// Those of the type that it points to.
    Pointee,
    /// So many.
    Bytes(u64),
    /// Who knows how many.
    Unknown,
}

/// Memory of code outside.
enum Outside {
    /// These scalars.
    Parts(Vec<Access>),
    /// Any: this is any pointer there.
    Anything(Access),
}

impl<'m> External<'m> {
    /// Instructions that assign and may write whatever they can reach.
    pub(crate) fn assembly(assigns: Vec<Assignment<'m>>) -> Self {
        Self { assigns, writes_escaped: true, ..Self::default() }
    }

    /// Where the values come from that it writes.
    pub fn origin(&self) -> Option<Origin> {
        (!self.is_copying).then_some(Origin::Result(self.function))
    }

    /// What it makes and leaves as it was before.
    pub fn unwritten(&self) -> &[CellId] {
        if self.zeroes.is_empty() { &self.allocates } else { &[] }
    }

    /// The cells that it may write, those of its results and assignments aside.
    pub fn written(&self) -> impl Iterator<Item = CellId> {
        let moved = self.moves.iter().map(|&(_, to)| to);
        self.writes.iter().chain(&self.zeroes).copied().chain(moved)
    }
}

impl<'m> Shaper<'_, 'm> {
    /// A call of a function that is not there.
    pub(crate) fn external(&mut self, function: FunctionId, stmt: &'m Stmt, callee: Option<FunctionId>) -> Shape<'m> {
        let StmtKind::Call { result, arguments, .. } = &stmt.kind else { return Shape::Skip };
        let name = callee.map_or("", |callee| &self.module().functions[callee].source_name);
        let is_said_so = callee.is_some_and(|callee| self.module().functions[callee].returns_twice);
        if is_said_so || library::returns_again(name) {
            let results = result.iter().flat_map(|place| self.lose(function, place, &SourceKind::Called));
            return Shape::Forget(results.collect());
        }
        let returned = callee.and_then(|callee| self.cells.subject.points_to.returned_argument(callee));
        let returned = returned.and_then(|index| arguments.get(index)).zip(result.as_ref());
        let results = match returned {
            Some((value, place)) => self.assign(function, place, value),
            None => result.iter().flat_map(|place| self.lose(function, place, &SourceKind::Called)).collect(),
        };
        let arguments_given = arguments.iter().map(|argument| self.source(function, argument)).collect();
        let allocates = self.allocated(stmt);
        // Other processes run, too.
        let writes_escaped = self.cells.subject.points_to.shares_memory();
        let mut external = External {
            function: callee,
            arguments: arguments_given,
            results,
            allocates,
            writes_escaped,
            ..External::default()
        };
        let plain = library::plain(name);
        match (callee.filter(|&callee| self.cells.subject.points_to.is_modelled(callee)), &arguments[..]) {
            (None, _) => external.writes_escaped = true,
            (_, [to, byte, size, ..]) if plain == "memset" => self.fill(function, [to, byte, size], &mut external),
            (_, [to, from, size, ..]) if matches!(plain, "memcpy" | "memmove" | "mempcpy") => {
                self.copy(function, [to, from, size], &mut external);
            }
            (_, [to, size, ..]) if matches!(plain, "bzero" | "explicit_bzero") => {
                self.clear(function, to, size, &mut external);
            }
            (_, [from, to, size, ..]) if plain == "bcopy" => self.copy(function, [to, from, size], &mut external),
            (_, [to, ..]) if matches!(plain, "wmemset" | "qsort" | "qsort_r") => {
                self.overwrite(to, Extent::Unknown, &mut external)
            }
            (Some(callee), [list, from @ ..]) if matches!(plain, "va_start" | "va_copy") => {
                match self.begun_list(function, list, from.first().filter(|_| plain == "va_copy")) {
                    Some(begun) => external.assigns.push(begun),
                    None => self.library_writes(function, arguments, callee, &mut external),
                }
            }
            (_, [element, ..]) if plain == "__move_elements" => self.shuffle(element, &mut external),
            (_, [key, to, count, ..]) if plain == "lsearch" => self.append([key, to, count], &mut external),
            (_, [from, ..]) if library::moves(plain) => {
                let (to, alike) = (external.allocates.clone(), self.grown_alike(stmt, from));
                self.pour(Poured { from, extent: Extent::Unknown, to, alike }, &mut external);
            }
            _ if library::zeroes(plain) && !external.allocates.is_empty() => {
                external.zeroes.clone_from(&external.allocates)
            }
            (Some(callee), _) => self.library_writes(function, arguments, callee, &mut external),
        }
        Shape::External(Box::new(external))
    }

    /// A call of a function with a body by code outside.
    pub(crate) fn called_from_outside(&mut self, function: FunctionId) -> External<'m> {
        let parameters = self.module().functions[function].body.as_ref().map_or(&[][..], |body| &body.parameters);
        let mut arguments = Vec::new();
        for &parameter in parameters {
            let (given, ty) = (self.parameter(function, parameter), self.module().vars[parameter].ty.ty);
            let cells = given.iter().flat_map(|(_, access)| &access.spots).map(|spot| spot.cell).collect();
            arguments.push(Source { kind: SourceKind::Given(cells), expr: None, ty });
        }
        External { function: Some(function), arguments, ..External::default() }
    }

    /// `memset`.
    fn fill(&mut self, function: FunctionId, [to, byte, size]: [&'m Expr; 3], external: &mut External<'m>) {
        let is_zero = matches!(self.source(function, byte).kind, SourceKind::Number(0));
        match is_zero {
            true => self.clear(function, to, size, external),
            false => {
                let extent = self.extent(function, size);
                self.overwrite(to, extent, external);
            }
        }
    }

    /// Zeroes from where a pointer points.
    fn clear(&mut self, function: FunctionId, to: &'m Expr, size: &'m Expr, external: &mut External<'m>) {
        if let Some(parts) = self.parts_behind(function, to, size) {
            external.assigns = parts.into_iter().map(|target| self.zero_of(target)).collect();
            return;
        }
        let extent = self.extent(function, size);
        let cut = self.cut(to, extent);
        (external.writes, external.zeroes) = self.behind(to, extent).into_iter().partition(|cell| cut.contains(cell));
        external.is_copying = true;
        match self.outside_behind(to, extent) {
            Outside::Parts(parts) => external.assigns = parts.into_iter().map(|target| self.zero_of(target)).collect(),
            Outside::Anything(pointer) => {
                external.zeroes.extend_from_slice(&self.cells.escaped);
                external.assigns = vec![self.zero_of(pointer)];
                external.writes_escaped = true;
            }
        }
    }

    /// The integers of which a part may be behind a pointer and a part not.
    fn cut(&mut self, to: &'m Expr, extent: Extent) -> Vec<CellId> {
        let targets = self.cells.subject.points_to.points_to_expr(to);
        let ranges: Option<Vec<_>> =
            targets.iter().map(|&target| Some((target.object, self.bytes(to, target, extent)?))).collect();
        let mut cut = if ranges.is_none() { self.behind(to, Extent::Unknown) } else { Vec::new() };
        for (object, bytes) in ranges.into_iter().flatten() {
            for edge in [bytes.start, bytes.end] {
                let after = self.cells_in(object, &(edge..edge.saturating_add(1)));
                let before = self.cells_in(object, &(edge.saturating_sub(1)..edge));
                cut.extend(after.into_iter().filter(|cell| before.contains(cell)));
            }
        }
        cut.retain(|&cell| {
            let ty = self.cells.rows[cell].ty;
            self.cells.sort(ty) != Sort::Pointer && ty.and_then(|ty| self.module().types.size_of(ty)) != Some(1)
        });
        cut
    }

    /// Bytes of the program that are nobody knows what, from where a pointer points.
    fn overwrite(&mut self, to: &'m Expr, extent: Extent, external: &mut External<'m>) {
        (external.writes, external.is_copying) = (self.behind(to, extent), true);
        self.overwrite_outside(to, extent, external);
    }

    fn overwrite_outside(&mut self, to: &'m Expr, extent: Extent, external: &mut External<'m>) {
        match self.outside_behind(to, extent) {
            Outside::Parts(parts) => external.fills.extend(parts),
            Outside::Anything(pointer) => {
                if external.is_copying {
                    external.writes.extend_from_slice(&self.cells.escaped);
                }
                external.fills.push(pointer);
                external.writes_escaped = true;
            }
        }
    }

    /// `memcpy`.
    fn copy(&mut self, function: FunctionId, [to, from, size]: [&'m Expr; 3], external: &mut External<'m>) {
        let ends = [to, from].map(|end| pointee(self, end));
        let is_same = ends[0].is_some() && ends[0] == ends[1];
        let parts = [to, from].map(|end| self.parts_behind(function, end, size));
        let extent = self.extent(function, size);
        external.is_move = true;
        match parts {
            [Some(targets), Some(sources)] if is_same => {
                let pairs = targets.into_iter().zip(sources);
                external.assigns = pairs.map(|(target, from)| copied(target, from)).collect();
                return;
            }
            [targets, _] => external.carries = self.carried(targets, to, from, extent),
        }
        let cells = self.behind(to, extent);
        match is_same {
            true => {
                let alike = self.copied_alike(to, from);
                self.pour(Poured { from, extent, to: cells, alike }, external);
            }
            false => (external.writes, external.is_copying) = (cells, true),
        }
        self.copy_outside(to, from, extent, external);
    }

    /// Elements of an array change places.
    fn shuffle(&mut self, element: &'m Expr, external: &mut External<'m>) {
        let targets = self.cells.subject.points_to.points_to_expr(element);
        let cells = self.cells_behind(&targets, None);
        match targets.iter().any(|&target| self.is_own(target) && !matches!(target.offset, Offset::At(_))) {
            // They are not those of the object.
            true => (external.writes, external.is_copying) = (cells, true),
            false => external.moves = cells.into_iter().map(|cell| (cell, cell)).collect(),
        }
        external.writes_escaped |= !targets.iter().all(|&target| self.is_own(target));
    }

    /// `lsearch`.
    fn append(&mut self, [key, to, count]: [&'m Expr; 3], external: &mut External<'m>) {
        let (cells, alike) = (self.behind(to, Extent::Unknown), self.copied_alike(to, key));
        self.pour(Poured { from: key, extent: Extent::Unknown, to: cells, alike }, external);
        external.writes.extend(self.behind(count, Extent::Pointee));
        self.copy_outside(to, key, Extent::Unknown, external);
    }

    /// What `memcpy` of so many bytes does to memory of code outside.
    fn copy_outside(&mut self, to: &'m Expr, from: &'m Expr, extent: Extent, external: &mut External<'m>) {
        match self.outside_behind(to, extent) {
            Outside::Parts(targets) => {
                let sources = self.scalars(from, extent);
                let is_same = targets.iter().map(|target| target.ty).eq(sources.iter().map(|source| source.ty));
                let is_same = is_same && pointee(self, to) == pointee(self, from);
                match is_same {
                    true => {
                        external.assigns = targets.into_iter().zip(sources).map(|(to, from)| copied(to, from)).collect()
                    }
                    false => external.fills = targets,
                }
            }
            // Objects are copied as what they are: there is nothing new outside but what comes from here.
            Outside::Anything(pointer) => {
                let own = self.behind(from, extent);
                let own = own.into_iter().filter(|&cell| self.cells.sort(self.cells.rows[cell].ty) == Sort::Pointer);
                external.assigns = own.map(|cell| copied(pointer.clone(), self.cells.just(cell, pointer.ty))).collect();
                external.writes_escaped = true;
            }
        }
    }

    /// Copies of bytes: what is written is one of `targets`, or else may be anything there; it gets any of what is read.
    fn carried(
        &mut self,
        targets: Option<Vec<Access>>,
        to: &'m Expr,
        from: &'m Expr,
        extent: Extent,
    ) -> Vec<Assignment<'m>> {
        let mut sources = self.behind(from, extent);
        let read = self.cells.subject.points_to.points_to_expr(from);
        if !read.iter().all(|target| self.is_own(*target)) {
            sources.push(self.cells.somewhere_outside());
        }
        let targets = targets.unwrap_or_else(|| {
            let cells = self.behind(to, extent);
            cells.into_iter().map(|cell| Access { is_certain: false, ..self.cells.whole(cell) }).collect()
        });
        let copy = |target: Access| {
            let from = Access::among(&sources, target.ty);
            copied(target, from)
        };
        targets.into_iter().map(copy).collect()
    }

    /// Whether a pointer points to memory of the program.
    pub(crate) fn is_own(&self, target: Target) -> bool {
        let kind = self.cells.subject.points_to.kind(target.object);
        kind.is_own_data() || matches!(kind, ObjectKind::Function(_))
    }

    /// What of outside memory is so many bytes from where a pointer points. Bytes are not where structures are.
    fn outside_behind(&mut self, pointer: &'m Expr, extent: Extent) -> Outside {
        let targets = self.cells.subject.points_to.points_to_expr(pointer);
        let is_outside = targets.iter().any(|&target| !self.is_own(target));
        match pointee(self, pointer) {
            _ if !is_outside || !self.module().types.is_pointer(pointer.ty) => Outside::Parts(Vec::new()),
            Some(_) => Outside::Parts(self.scalars(pointer, extent)),
            None => Outside::Anything(self.cells.plain_outside(pointer.ty)),
        }
    }

    /// The scalars that are so many bytes from where a pointer points. What is longer than a member goes on behind it.
    fn scalars(&mut self, pointer: &'m Expr, extent: Extent) -> Vec<Access> {
        let types = &self.module().types;
        let Some(place) = self.pointed(pointer) else { return Vec::new() };
        let is_within = match extent {
            Extent::Pointee => true,
            Extent::Bytes(count) => types.size_of(place.ty).is_some_and(|size| count <= size),
            Extent::Unknown => false,
        };
        let place = match is_within {
            true => place,
            false => Place { ty: start(self.module(), &place), path: Vec::new(), base: place.base },
        };
        let leaves = self.cells.leaves(place.ty);
        leaves.iter().map(|leaf| self.cells.access(&part(&place, leaf))).collect()
    }

    /// What a pointer points to, as the program has it before it is converted.
    fn pointed(&self, pointer: &'m Expr) -> Option<Place> {
        let pointer = stripped(pointer);
        if let ExprKind::Address(place) = &pointer.kind {
            return Some(place.clone());
        }
        let ty = self.module().types.pointee(pointer.ty)?.ty;
        Some(Place { base: Base::Deref(Box::new(pointer.clone())), path: Vec::new(), ty })
    }

    /// The scalars of the object that a pointer points to, if so many bytes are one.
    fn parts_behind(&mut self, function: FunctionId, pointer: &'m Expr, size: &'m Expr) -> Option<Vec<Access>> {
        let types = &self.module().types;
        let (place, pointer) = (self.pointed(pointer)?, stripped(pointer));
        let through = match &pointer.kind {
            ExprKind::Address(place) => (self.pointer(function, place), self.spoken(function, place)),
            _ => {
                let source = self.source(function, pointer);
                let pointer = self.lead(&source, place.ty);
                let (anchor, ty) = (Anchor::Pointer, place.ty);
                let behind = |pointer| Behind { anchor: anchor(pointer), index: None, offset: 0, bits: None, ty };
                (pointer, pointer.map(behind))
            }
        };
        let SourceKind::Number(size) = self.source(function, size).kind else { return None };
        if types.size_of(place.ty).map(i128::from) != Some(size) || types.is_void(place.ty) {
            return None;
        }
        let leaves = self.cells.leaves(place.ty);
        // Elements of arrays differ from each other.
        let is_plain = |leaf: &hardbop_c_core::parts::Leaf| {
            !leaf.steps.iter().any(|step| matches!(step, c::expr::Projection::Index(_)))
        };
        if leaves.is_empty() || !leaves.iter().all(is_plain) {
            return None;
        }
        let mut parts: Vec<Access> = leaves.iter().map(|leaf| self.part(function, &place, leaf, through)).collect();
        super::Cells::settle(parts.iter_mut());
        Some(parts)
    }

    /// What a function of the library writes: what its arguments point to, unless their type says that it does not.
    fn library_writes(
        &mut self,
        function: FunctionId,
        arguments: &'m [Expr],
        callee: FunctionId,
        external: &mut External<'m>,
    ) {
        let row = &self.module().functions[callee];
        let plain = library::plain(&row.source_name);
        let (reads, prints) = (library::writes_nothing(plain), library::prints(plain));
        if reads && !prints {
            return;
        }
        let is_sized = library::is_sized(plain);
        let declared = self.module().types.callee(row.ty).map(|ty| ty.parameters.clone());
        let types = match &declared {
            Some(c::Parameters::Fixed(types) | c::Parameters::Variadic(types)) => &types[..],
            _ => &[],
        };
        let list = arguments.iter().position(|argument| self.is_list(argument));
        let format = list.unwrap_or(types.len()).checked_sub(1).and_then(|index| arguments.get(index));
        let counted = format.filter(|_| prints).and_then(|format| self.converted(format, b"n"));
        let counts = counted.as_ref().is_some_and(|counted| !counted.is_empty());
        if let Some(list) = list.filter(|_| counts || library::scans(plain)) {
            self.write_listed(&arguments[list], external);
        }
        for (index, argument) in arguments.iter().enumerate() {
            let pointee = types.get(index).and_then(|&ty| self.module().types.pointee(ty));
            let is_kept = match prints && index >= types.len() {
                true => match &counted {
                    Some(counted) => !counted.contains(&(index - types.len())),
                    None => !self.is_counter(argument),
                },
                false => reads || pointee.is_some_and(|pointee| pointee.qualifiers.is_const),
            };
            if is_kept {
                continue;
            }
            let extent = match arguments.get(index + 1) {
                Some(size) if is_sized && self.is_open(argument, &declared) => self.extent(function, size),
                _ if self.is_open(argument, &declared) => Extent::Unknown,
                _ => self.elements(argument, library::elements(plain)),
            };
            external.writes.extend(self.behind(argument, extent));
            self.overwrite_outside(argument, extent, external);
        }
        if library::scans(plain) {
            // Who makes a string writes it.
            external.writes.append(&mut external.allocates);
        }
        external.writes.sort_unstable();
        external.writes.dedup();
    }

    /// Whether an argument is given as bytes, with a size or an end of their own, that are more than their type says.
    fn is_open(&self, argument: &Expr, declared: &Option<c::Parameters>) -> bool {
        let types = &self.module().types;
        let is_byte = |ty: TypeId| types.size_of(ty) == Some(1);
        let given = types.pointee(argument.ty).map(|pointee| pointee.ty);
        matches!(declared, None | Some(c::Parameters::Unspecified))
            || given.is_some_and(|ty| types.is_void(ty) || is_byte(ty) && !pointee(self, argument).is_some_and(is_byte))
    }

    /// So many elements of what an argument points to.
    fn elements(&self, argument: &Expr, count: Option<u64>) -> Extent {
        let size = pointee(self, argument).and_then(|ty| self.module().types.size_of(ty));
        match (count, size) {
            (Some(1), _) => Extent::Pointee,
            (Some(count), Some(size)) => Extent::Bytes(count.saturating_mul(size)),
            _ => Extent::Unknown,
        }
    }

    /// Whether an argument is a list of the further arguments of some function.
    pub(crate) fn is_list(&self, argument: &Expr) -> bool {
        let types = &self.module().types;
        let ty = types.pointee(argument.ty).map_or(argument.ty, |pointee| pointee.ty);
        matches!(types.get(ty), c::Type::VaList)
    }

    /// Writes what the further arguments in a list point to.
    fn write_listed(&mut self, list: &'m Expr, external: &mut External<'m>) {
        let points_to = self.cells.subject.points_to;
        let targets = points_to.listed(list);
        external.writes.extend(self.cells_behind(&targets, None));
        if targets.iter().any(|target| target.object == points_to.unknown()) {
            external.fills.push(self.cells.plain_outside(list.ty));
            external.writes_escaped = true;
        }
    }

    /// Whether a function that prints may write a number there as a format says that is not known.
    fn is_counter(&self, argument: &Expr) -> bool {
        let types = &self.module().types;
        let is_byte = |ty| matches!(types.int_kind(ty), Some(c::IntKind::Char | c::IntKind::UnsignedChar));
        pointee(self, argument).is_none_or(|ty| types.int_kind(ty).is_some() && !is_byte(ty))
    }

    /// What a function that is not there and that an edge calls writes through the pointers that it is given: one that
    /// nobody knows, what is not constant behind them and behind all that can be reached. What only moves memory about is
    /// told by what it copies.
    pub fn written_by_call(&mut self, edge: EdgeId) -> Vec<CellId> {
        let (Action::External(stmt, callee), Some(function)) =
            (self.cells.subject.graph.actions[edge], self.function(edge))
        else {
            return Vec::new();
        };
        let (StmtKind::Call { arguments, .. }, Shape::External(external)) =
            (&stmt.kind, self.external(function, stmt, callee))
        else {
            return Vec::new();
        };
        let filled = external.fills.iter().flat_map(|access| &access.spots).map(|spot| spot.cell);
        let mut written: Vec<CellId> = external.written().chain(filled).filter(|_| !external.is_move).collect();
        if !callee.is_some_and(|callee| self.cells.subject.points_to.is_modelled(callee)) {
            written.extend(self.written_through(arguments));
        }
        written.sort_unstable();
        written.dedup();
        written
    }

    fn extent(&mut self, function: FunctionId, size: &'m Expr) -> Extent {
        match self.source(function, size).kind {
            SourceKind::Number(size) => u64::try_from(size).map_or(Extent::Unknown, Extent::Bytes),
            _ => Extent::Unknown,
        }
    }

    /// The cells of what a value points to.
    pub(crate) fn behind(&mut self, value: &'m Expr, extent: Extent) -> Vec<CellId> {
        let targets = self.cells.subject.points_to.points_to_expr(value);
        let pointee = pointee(self, value);
        match extent {
            Extent::Pointee => self.cells_behind(&targets, pointee),
            Extent::Unknown => self.cells_behind(&targets, None),
            Extent::Bytes(_) => {
                let mut cells: Vec<CellId> = Vec::new();
                for &target in &targets {
                    let bytes = self.bytes(value, target, extent).unwrap_or(0..u64::MAX);
                    cells.extend(self.cells_in(target.object, &bytes));
                }
                cells.sort_unstable();
                cells.dedup();
                cells
            }
        }
    }

    /// The bytes of `target` that are meant, where it is what a value points to.
    fn bytes(&self, value: &'m Expr, target: Target, extent: Extent) -> Option<Range<u64>> {
        let Extent::Bytes(count) = extent else { return None };
        let size = pointee(self, value).and_then(|ty| self.module().types.size_of(ty)).unwrap_or(0);
        match target.offset {
            _ if count > size => self.bytes_within(target, count, self.start_of(value)),
            Offset::At(start) => Some(start..start.saturating_add(count)),
            _ => None,
        }
    }

    /// All cells of what is pointed to, as far as an object of type `pointee` goes.
    pub fn cells_behind(&mut self, targets: &[Target], pointee: Option<TypeId>) -> Vec<CellId> {
        let size = self.size_behind(pointee);
        let mut cells: Vec<CellId> = targets.iter().flat_map(|&target| self.cells_within(target, size)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The same as parts of one of the objects.
    pub(crate) fn parts_behind_one(&mut self, target: Target, pointee: Option<TypeId>) -> Vec<Cell> {
        let size = self.size_behind(pointee);
        self.parts_in(target.object, &bytes_within(target, size))
    }

    /// How many bytes there are where a pointer to `pointee` points; one to a byte is one to any number of them.
    fn size_behind(&self, pointee: Option<TypeId>) -> Option<u64> {
        let types = &self.module().types;
        let pointee = pointee.filter(|&pointee| !types.is_void(pointee));
        pointee.and_then(|ty| types.size_of(ty)).filter(|&size| size > 1)
    }

    /// The cells of so many bytes from where a pointer points; of the whole object where that is not known.
    fn cells_within(&mut self, target: Target, count: Option<u64>) -> Vec<CellId> {
        self.cells_in(target.object, &bytes_within(target, count))
    }

    /// The cells of these bytes of an object, where it is one of the program.
    pub(crate) fn cells_in(&mut self, object: ObjectId, bytes: &Range<u64>) -> Vec<CellId> {
        self.parts_in(object, bytes).into_iter().flat_map(|part| self.cells.all_of(part)).collect()
    }

    /// The parts of an object that have one of these bytes, where it is one of the program.
    pub(crate) fn parts_in(&mut self, object: ObjectId, bytes: &Range<u64>) -> Vec<Cell> {
        let points_to = self.cells.subject.points_to;
        if !points_to.kind(object).is_own_data() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for part in points_to.cells(object) {
            let id = self.cells.of(part);
            // Members of a union may begin before what is meant, and reach into it.
            let size = match self.cells.extent(part) {
                Some(size) => size,
                None => self.cells.rows[id].ty.and_then(|ty| self.module().types.size_of(ty)).unwrap_or(WIDEST),
            };
            if part.offset < bytes.end && bytes.start < part.offset.saturating_add(size) {
                found.push(part);
            }
        }
        found
    }

    /// The cells of what a statement allocates.
    fn allocated(&mut self, stmt: &'m Stmt) -> Vec<CellId> {
        let points_to = self.cells.subject.points_to;
        let objects = self.allocations.get(&stmt.span).into_iter().flatten();
        let cells: Vec<_> = objects.flat_map(|&object| points_to.cells(object)).collect();
        let mut cells: Vec<CellId> = cells.into_iter().flat_map(|cell| self.cells.all_of(cell)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

fn bytes_within(target: Target, count: Option<u64>) -> Range<u64> {
    match (target.offset, count) {
        (Offset::At(start), Some(count)) => start..start.saturating_add(count),
        _ => 0..u64::MAX,
    }
}

/// The type that a pointer points to, as the program has it before it is converted.
pub(crate) fn pointee(shaper: &Shaper<'_, '_>, pointer: &Expr) -> Option<TypeId> {
    let types = &shaper.module().types;
    let pointee = types.pointee(stripped(pointer).ty).map(|pointee| pointee.ty);
    pointee.filter(|&ty| !types.is_void(ty))
}

/// Without the conversions around it.
pub fn stripped(mut expr: &Expr) -> &Expr {
    while let ExprKind::Cast(inner) = &expr.kind {
        expr = inner;
    }
    expr
}
