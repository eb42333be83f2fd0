//! The answers.

use crate::call_graph::{Activations, CallGraph};
use crate::generate::{Flow, Generated, flow, steps};
use crate::layout::{Position, START, Step};
use crate::memory::{Memory, ObjectId, ObjectKind, Site};
use crate::solver::{CallId, accepts};
use hardbop_base::{Idx, IndexVec};
use hardbop_c_core::{Base, Expr, ExprKind, Function, FunctionId, Module, Place, TypeId, VarId};
use std::collections::BTreeSet;

/// Where in an object a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Offset {
    /// At the first byte of the cell that starts here, in any element of the arrays that it is in.
    At(u64),
    /// Into the cell that starts here, but not at its first byte.
    Inside(u64),
    /// Anywhere.
    Any,
}

/// What a pointer may point to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The object.
    pub object: ObjectId,
    /// Where in it.
    pub offset: Offset,
}

/// A scalar part of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The object.
    pub object: ObjectId,
    /// Its first byte, the elements of arrays counted as the first.
    pub offset: u64,
}

/// A cell that an access may touch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Touch {
    /// Where the pointer points that the access goes through.
    pub through: Option<Target>,
    /// The cell.
    pub cell: Cell,
    /// Whether the access is of all of it.
    pub fit: Fit,
    /// Whether the access is known to begin where the cell does.
    pub is_at_start: bool,
}

/// How an access fits a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fit {
    /// It is of all of the cell, or of one element of it.
    Whole,
    /// It may be of a part of it, or of more.
    Blurred,
}

/// How much there was to solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Set variables.
    pub nodes: usize,
    /// Inclusions between them, found ones included.
    pub edges: usize,
    /// Elements of all sets, each set of a cycle counted once.
    pub elements: usize,
    /// Locations that have their address taken.
    pub locations: usize,
}

type Positions = BTreeSet<(ObjectId, Position)>;

/// What all pointers of a module may point to.
pub struct PointsTo<'m> {
    module: &'m Module,
    generated: Generated,
    unknown: ObjectId,
    escaped_functions: Vec<FunctionId>,
    call_graph: CallGraph,
    has_threads: bool,
}

impl<'m> PointsTo<'m> {
    pub(crate) fn new(module: &'m Module, generated: Generated) -> Self {
        let escaped_functions: Vec<FunctionId> = module
            .functions
            .ids()
            .filter(|&function| generated.solver.has_escaped(generated.functions[function]))
            .collect();
        let call_graph = call_graph(module, &generated, &escaped_functions);
        let has_threads = !generated.edges.threads.is_empty();
        let unknown = generated.solver.memory.object(Memory::UNKNOWN);
        Self { module, generated, unknown, escaped_functions, call_graph, has_threads }
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, ObjectKind)> {
        self.generated.solver.memory.objects.iter_enumerated().map(|(object, row)| (object, row.kind))
    }

    /// What an object stands for.
    pub fn kind(&self, object: ObjectId) -> ObjectKind {
        self.generated.solver.memory.objects[object].kind
    }

    /// The object of a variable.
    pub fn variable(&self, var: VarId) -> ObjectId {
        self.generated.variables[var]
    }

    /// The object of a function.
    pub fn function(&self, function: FunctionId) -> ObjectId {
        self.generated.functions[function]
    }

    /// What a function returns.
    pub fn result(&self, function: FunctionId) -> Option<ObjectId> {
        self.generated.solver.callables.get(&function).map(|callable| callable.result)
    }

    /// The object that stands for whatever code outside of the module owns.
    pub fn unknown(&self) -> ObjectId {
        self.unknown
    }

    /// The cells of an object.
    pub fn cells(&self, object: ObjectId) -> impl Iterator<Item = Cell> {
        let layout = &self.generated.solver.memory.objects[object].layout;
        (0..layout.cell_count()).map(move |cell| Cell { object, offset: layout.offset(cell) })
    }

    /// What any part of a variable may point to. The unknown object stands for itself and for all that has escaped.
    pub fn points_to(&self, var: VarId) -> Vec<Target> {
        let object = self.variable(var);
        self.public(self.contents(&[(object, Position::Any)].into(), u64::MAX))
    }

    /// What the value in a place, or any part of it, may point to. The unknown object stands for itself and for all
    /// that has escaped.
    pub fn points_to_place(&self, place: &Place) -> Vec<Target> {
        self.public(self.contents(&self.locate(place), self.width(place.ty)))
    }

    /// What a cell may point to. The unknown object stands for itself and for all that has escaped.
    pub fn points_to_cell(&self, cell: Cell) -> Vec<Target> {
        let memory = &self.generated.solver.memory;
        let layout = &memory.objects[cell.object].layout;
        let own = (0..layout.cell_count()).filter(|&at| layout.offset(at) == cell.offset);
        let held = own.flat_map(|at| {
            let held = self.generated.solver.solution(memory.node(cell.object, at));
            held.iter().map(|location| memory.resolve(location)).collect::<Vec<_>>()
        });
        self.public(held.collect())
    }

    /// What further arguments of functions point to that a list, or a pointer to one, leads to.
    pub fn listed(&self, list: &Expr) -> Vec<Target> {
        let all = |object: ObjectId| self.contents(&[(object, Position::Any)].into(), u64::MAX);
        let (mut found, mut open) = (Positions::new(), self.evaluate(list));
        while let Some((object, position)) = open.pop_first() {
            match self.kind(object) {
                ObjectKind::Arguments(_) => found.extend(all(object)),
                kind if kind.is_own_data() => {
                    let is_list = |(object, _): &(ObjectId, Position)| {
                        *object == self.unknown || matches!(self.kind(*object), ObjectKind::Arguments(_))
                    };
                    open.extend(all(object).into_iter().filter(is_list));
                }
                _ => drop(found.insert((object, position))),
            }
        }
        self.public(found)
    }

    /// Whether other processes may write memory that this one has.
    pub fn shares_memory(&self) -> bool {
        self.generated.edges.shares_memory
    }

    /// What a value may point to. The unknown object stands for itself and for all that has escaped.
    pub fn points_to_expr(&self, expr: &Expr) -> Vec<Target> {
        self.public(self.evaluate(expr))
    }

    /// Whether the value may be a pointer that nobody knows: to anything of outside code, or that has escaped.
    pub fn may_be_unknown(&self, expr: &Expr) -> bool {
        self.evaluate(expr).iter().any(|(object, _)| *object == self.unknown)
    }

    /// All cells that a read or write of the place may touch. If it may touch the unknown object's, those of all
    /// objects that have escaped are there too. None: no such access is valid.
    pub fn targets(&self, place: &Place) -> Vec<Cell> {
        let mut cells = self.touched(&self.locate(place), self.width(place.ty));
        if cells.iter().any(|cell| cell.object == self.unknown) {
            let is_data = |object: &ObjectId| !matches!(self.kind(*object), ObjectKind::Function(_));
            cells.extend(self.escaped_objects().filter(is_data).flat_map(|object| self.cells(object)));
        }
        cells.into_iter().collect()
    }

    /// All cells that a read or write of the place may touch, and how. The unknown object stands for itself and for all
    /// that has escaped.
    pub fn touches(&self, place: &Place) -> Vec<Touch> {
        let (starts, is_through) = match &place.base {
            Base::Var(var) => ([(self.variable(*var), START)].into(), false),
            Base::Deref(pointer) => (self.evaluate(pointer), true),
        };
        let (steps, width) = (steps(self.module, place), self.width(place.ty));
        let mut touches = BTreeSet::new();
        for start in starts {
            if matches!(self.kind(start.0), ObjectKind::Function(_)) {
                continue;
            }
            let through = is_through.then(|| self.target(start));
            let mut positions = Positions::from([start]);
            for &step in &steps {
                positions = self.shift(&positions, step);
            }
            for (object, position) in positions {
                let layout = &self.generated.solver.memory.objects[object].layout;
                let cells = layout.touched(position, width);
                for &at in &cells {
                    let is_whole = cells.len() == 1 && layout.fills(position, at, width);
                    let fit = if is_whole { Fit::Whole } else { Fit::Blurred };
                    let is_at_start = fit == Fit::Whole || layout.is_at_start(position, at);
                    let cell = Cell { object, offset: layout.offset(at) };
                    touches.insert(Touch { through, cell, fit, is_at_start });
                }
            }
        }
        touches.into_iter().collect()
    }

    /// The type of an object, or of the elements of the array that it is or may be.
    pub fn element(&self, object: ObjectId) -> Option<TypeId> {
        self.generated.solver.memory.objects[object].layout.element()
    }

    /// Whether a function without a body is known to be one of the library that does nothing with pointers but what is
    /// in the model.
    pub fn is_modelled(&self, function: FunctionId) -> bool {
        crate::models::of(self.module, &self.module.functions[function]).is_some()
    }

    /// Whether the run ends where a function without a body is called, and functions that were given away run there.
    pub fn ends_run(&self, function: FunctionId) -> bool {
        crate::models::ends_run(self.module, &self.module.functions[function])
    }

    /// The functions that the module gives to code outside, in order: those that run when the run ends.
    pub fn given_away(&self) -> impl Iterator<Item = FunctionId> {
        given_away(self.module, &self.escaped_functions)
    }

    /// The argument that a function of the library without a body always returns.
    pub fn returned_argument(&self, function: FunctionId) -> Option<usize> {
        crate::models::returned_argument(self.module, &self.module.functions[function])
    }

    /// Whether two places may share a byte.
    pub fn may_alias(&self, left: &Place, right: &Place) -> bool {
        let left = self.touched(&self.locate(left), self.width(left.ty));
        let right = self.touched(&self.locate(right), self.width(right.ty));
        let reaches = |from: &BTreeSet<Cell>, to: &BTreeSet<Cell>| {
            let is_unknown = from.iter().any(|cell| cell.object == self.unknown);
            is_unknown && to.iter().any(|cell| self.has_escaped(cell.object))
        };
        !left.is_disjoint(&right) || reaches(&left, &right) || reaches(&right, &left)
    }

    /// The functions that the call through a pointer may call, in order; nothing for other statements.
    ///
    /// Neither the number nor the types of arguments are compared, since programs get them wrong and run; only where the
    /// pointer may be one from outside, it is taken to be to a function that takes so many.
    pub fn callees(&self, site: Site) -> Vec<FunctionId> {
        self.generated
            .calls
            .get(&site)
            .map_or_else(Vec::new, |&call| callees(&self.generated, call, &self.escaped_functions))
    }

    /// Whether the call through a pointer may call code that is not in the module.
    pub fn may_call_outside(&self, site: Site) -> bool {
        let call = self.generated.calls.get(&site);
        call.is_some_and(|&call| self.generated.solver.calls_unknown(call))
    }

    /// Who calls whom.
    pub fn call_graph(&self) -> &CallGraph {
        &self.call_graph
    }

    /// The objects that outside code may read, write or call, in order.
    pub fn escaped_objects(&self) -> impl Iterator<Item = ObjectId> {
        self.generated.solver.memory.objects.ids().filter(|&object| self.has_escaped(object))
    }

    /// Whether nobody can write the object, not even who has a pointer to it.
    pub fn is_constant(&self, object: ObjectId) -> bool {
        self.generated.solver.constants.contains(&object)
    }

    /// Whether outside code may read, write or call the object.
    pub fn has_escaped(&self, object: ObjectId) -> bool {
        object == self.unknown || self.generated.solver.has_escaped(object)
    }

    /// Whether the cell stands for exactly one scalar of the running program at a time: a part of a variable that is in
    /// no array, shares its bytes with nothing of another size, and is not of a function of which several activations
    /// can exist side by side.
    pub fn is_single(&self, cell: Cell) -> bool {
        let row = &self.generated.solver.memory.objects[cell.object];
        let ObjectKind::Variable(var) = row.kind else { return false };
        let variable = &self.module.vars[var];
        let is_one = variable.kind.owner().is_none_or(|owner| self.call_graph.activations(owner) == Activations::One);
        is_one && self.is_scalar(cell) && !(variable.is_thread_local && self.has_threads)
    }

    /// Whether the cell stands for one scalar of each object of its kind: it is in no array, and shares its bytes with
    /// nothing of another size.
    pub fn is_scalar(&self, cell: Cell) -> bool {
        let layout = &self.generated.solver.memory.objects[cell.object].layout;
        (0..layout.cell_count()).any(|at| layout.offset(at) == cell.offset && layout.is_scalar(at))
    }

    /// How much there was to solve.
    pub fn size(&self) -> Size {
        let [nodes, edges, elements] = self.generated.solver.size();
        Size { nodes, edges, elements, locations: self.generated.solver.memory.location_count() }
    }

    fn width(&self, ty: TypeId) -> u64 {
        self.module.types.size_of(ty).unwrap_or(u64::MAX)
    }

    fn public(&self, positions: Positions) -> Vec<Target> {
        let targets: BTreeSet<Target> = positions.into_iter().map(|position| self.target(position)).collect();
        targets.into_iter().collect()
    }

    fn target(&self, (object, position): (ObjectId, Position)) -> Target {
        let layout = &self.generated.solver.memory.objects[object].layout;
        // An object with one cell has one position.
        let offset = match layout.position(layout.number(position)) {
            _ if object == self.unknown => Offset::Any,
            Position::At { cell, .. } => Offset::At(layout.offset(cell)),
            Position::Inside(cell) => Offset::Inside(layout.offset(cell)),
            Position::Any => Offset::Any,
        };
        Target { object, offset }
    }

    fn touched(&self, positions: &Positions, width: u64) -> BTreeSet<Cell> {
        let mut cells = BTreeSet::new();
        let is_data = |object: ObjectId| !matches!(self.kind(object), ObjectKind::Function(_));
        for &(object, position) in positions.iter().filter(|(object, _)| is_data(*object)) {
            let layout = &self.generated.solver.memory.objects[object].layout;
            for cell in layout.touched(position, width) {
                cells.insert(Cell { object, offset: layout.offset(cell) });
            }
        }
        cells
    }

    /// What the bytes at the positions hold.
    fn contents(&self, positions: &Positions, width: u64) -> Positions {
        let memory = &self.generated.solver.memory;
        let mut result = Positions::new();
        for &(object, position) in positions {
            if object == self.unknown {
                result.insert((object, START));
                continue;
            }
            for cell in memory.objects[object].layout.touched(position, width) {
                let held = self.generated.solver.solution(memory.node(object, cell));
                result.extend(held.iter().map(|location| memory.resolve(location)));
            }
        }
        result
    }

    /// Where a place may be.
    fn locate(&self, place: &Place) -> Positions {
        let mut positions = match &place.base {
            Base::Var(var) => [(self.variable(*var), START)].into(),
            Base::Deref(pointer) => self.evaluate(pointer),
        };
        for step in steps(self.module, place) {
            positions = self.shift(&positions, step);
        }
        positions
    }

    fn shift(&self, positions: &Positions, step: Step) -> Positions {
        let mut result = Positions::new();
        for &(object, position) in positions {
            let layout = &self.generated.solver.memory.objects[object].layout;
            layout.shift(position, step, &mut |position| {
                result.insert((object, position));
            });
        }
        result
    }

    fn evaluate(&self, expr: &Expr) -> Positions {
        match &expr.kind {
            ExprKind::Read(place) => self.contents(&self.locate(place), self.width(place.ty)),
            ExprKind::Address(place) => self.locate(place),
            ExprKind::Function(function) => [(self.function(*function), START)].into(),
            _ => match flow(self.module, expr) {
                Flow::Nothing => Positions::new(),
                Flow::Unknown => [(self.unknown, START)].into(),
                Flow::Same(operand) => self.evaluate(operand),
                Flow::Moved(operand, step) => self.shift(&self.evaluate(operand), step),
                Flow::Mixed(left, right) => {
                    let mut both = self.evaluate(left);
                    both.extend(right.map(|right| self.evaluate(right)).unwrap_or_default());
                    self.shift(&both, Step::Smear)
                }
            },
        }
    }
}

/// The functions that a call through a pointer may call.
fn callees(generated: &Generated, call: CallId, escaped: &[FunctionId]) -> Vec<FunctionId> {
    let solver = &generated.solver;
    let mut callees = solver.callees[call].clone();
    if solver.calls_unknown(call) {
        let count = solver.calls[call].arguments.len();
        callees.extend(escaped.iter().filter(|function| accepts(&solver.callables[function].takes, count)));
    }
    callees.sort_unstable();
    callees.dedup();
    callees
}

/// The functions whose address the module has given to code outside, and destructors.
fn given_away(module: &Module, escaped: &[FunctionId]) -> impl Iterator<Item = FunctionId> {
    let is_given = |id: FunctionId, row: &Function| {
        row.is_destructor || row.is_address_taken && escaped.binary_search(&id).is_ok()
    };
    let defined = module.functions.iter_enumerated().filter(|(_, row)| row.body.is_some());
    defined.filter(move |(id, row)| is_given(*id, row)).map(|(id, _)| id)
}

fn call_graph(module: &Module, generated: &Generated, escaped: &[FunctionId]) -> CallGraph {
    let solver = &generated.solver;
    let mut edges = generated.edges.direct.clone();
    let mut calls_outside: IndexVec<FunctionId, bool> = IndexVec::from_elem(false, module.functions.len());
    for (function, row) in module.functions.iter_enumerated() {
        let is_modelled = crate::models::of(module, row).is_some();
        calls_outside[function] = solver.is_outside_active && row.body.is_none() && !is_modelled;
        if crate::models::ends_run(module, row) {
            edges[function].extend(given_away(module, escaped));
        }
    }
    let by_site = generated.calls.iter().map(|(site, &call)| (site.function, call));
    for (caller, call) in by_site.chain(generated.edges.call_backs.iter().copied()) {
        edges[caller].extend(callees(generated, call, escaped));
        calls_outside[caller] |= solver.is_outside_active && solver.calls_unknown(call);
    }
    let mut threads: Vec<FunctionId> = Vec::new();
    for &call in &generated.edges.threads {
        threads.extend(callees(generated, call, escaped));
    }
    threads.sort_by_key(|function| function.index());
    for (function, row) in module.functions.iter_enumerated() {
        if crate::models::resumes_threads(module, row) {
            edges[function].extend_from_slice(&threads);
        }
    }
    // Whom the library knows it may call whenever code outside runs.
    let mut known_outside = escaped.to_vec();
    for &(_, call) in &generated.edges.call_backs {
        known_outside.extend(callees(generated, call, escaped));
    }
    known_outside.sort_unstable();
    known_outside.dedup();
    CallGraph::new(edges, calls_outside, &known_outside, &threads)
}
