//! Runs of a program under observation: every pointer that is seen must have been foreseen.

use hardbop_base::{Budget, Span};
use hardbop_c_core::{Base, Module, Place, PlaceUse, Stmt, StmtKind, Target, VarId};
use hardbop_c_run::{
    AccessKind, Checking, Environment, Event, Machine, Options, Origin, Outcome, Pointee, SignedOverflow,
    Uninitialised, Value,
};
use hardbop_points_to::{
    Cell, ObjectId, ObjectKind, Offset, PointsTo, Policy, Target as Pointed, UndefinedWrite, analyse,
};

const OPTIONS: Options = Options {
    max_steps: 200_000,
    max_memory: 1 << 20,
    max_depth: 200,
    signed_overflow: SignedOverflow::Wraps,
    uninitialised: Uninitialised::Arbitrary,
    alignment: Checking::Off,
    pointer_arithmetic: Checking::Off,
};

/// The three-address form of a program.
pub fn module(source: &str) -> Module {
    let (ast, errors) = hardbop_lang_c::parse(source, 0);
    assert!(errors.is_empty(), "{errors:?}\n{source}");
    hardbop_c_lower::lower(&ast, Target::Lp64).expect("the program is right").module
}

/// The abstract objects that stand for what a pointer points to; `None` if it points to nothing of the program.
fn stands_for(points_to: &PointsTo<'_>, pointee: Pointee) -> Option<(Vec<ObjectId>, i64)> {
    let allocated = |at: Span| {
        let is_it = |kind| matches!(kind, ObjectKind::Heap(_, span) | ObjectKind::Opaque(_, span) if span == at);
        points_to.objects().filter(|&(_, kind)| is_it(kind)).map(|(object, _)| object).collect()
    };
    match pointee {
        Pointee::Object { origin: Origin::Variable(var), offset } => Some((vec![points_to.variable(var)], offset)),
        Pointee::Object { origin: Origin::Heap { span, .. } | Origin::Alloca { span, .. }, offset } => {
            Some((allocated(span), offset))
        }
        Pointee::Function(function) => Some((vec![points_to.function(function)], 0)),
        Pointee::Object { origin: Origin::Outside, .. } | Pointee::Null | Pointee::Dead | Pointee::Number(_) => None,
    }
}

/// Whether the foreseen targets have one of the objects; those that have escaped stand in the unknown one.
pub fn is_foreseen(points_to: &PointsTo<'_>, targets: &[Pointed], objects: &[ObjectId]) -> bool {
    let has_unknown = targets.iter().any(|target| target.object == points_to.unknown());
    objects.iter().any(|&object| {
        targets.iter().any(|target| target.object == object) || has_unknown && points_to.has_escaped(object)
    })
}

/// Whether a target of an object that is no array is where the pointer is.
pub fn is_placed(
    module: &Module,
    points_to: &PointsTo<'_>,
    targets: &[Pointed],
    object: ObjectId,
    offset: i64,
) -> bool {
    let ObjectKind::Variable(var) = points_to.kind(object) else { return true };
    let size = module.types.size_of(module.vars[var].ty.ty).unwrap_or(0);
    let cells: Vec<u64> = points_to.cells(object).map(|cell| cell.offset).collect();
    let is_plain = cells.iter().all(|&cell| points_to.is_single(Cell { object, offset: cell }));
    let here = u64::try_from(offset).ok().filter(|&offset| offset < size);
    let Some(here) = here.filter(|_| is_plain) else { return true };
    targets.iter().any(|target| match target.offset {
        _ if target.object == points_to.unknown() => true,
        _ if target.object != object => false,
        Offset::At(cell) => here == cell || cells.len() == 1,
        Offset::Inside(cell) => here > cell,
        Offset::Any => true,
    })
}

struct Watcher<'m> {
    module: &'m Module,
    points_to: PointsTo<'m>,
    seen: usize,
}

impl Watcher<'_> {
    fn variable(&mut self, machine: &Machine<'_, '_>, var: VarId) {
        let Some(Value::Pointer(pointer)) = machine.variable(var) else { return };
        let pointee = machine.pointee(pointer);
        let Some((objects, offset)) = stands_for(&self.points_to, pointee) else { return };
        let targets = self.points_to.points_to(var);
        let name = &self.module.vars[var].name;
        assert!(is_foreseen(&self.points_to, &targets, &objects), "{name} holds {pointee:?}, not in {targets:?}");
        for object in objects {
            let is_right = is_placed(self.module, &self.points_to, &targets, object, offset);
            assert!(is_right, "{name} holds {pointee:?}, elsewhere than {targets:?}");
        }
        self.seen += 1;
    }

    fn access(&mut self, machine: &Machine<'_, '_>, statement: &Stmt, access: hardbop_c_run::Access) {
        let Some((objects, offset)) = stands_for(&self.points_to, machine.pointee(access.pointer)) else { return };
        let wanted = if access.kind == AccessKind::Read { PlaceUse::Read } else { PlaceUse::Write };
        let mut places: Vec<&Place> = Vec::new();
        statement.visit_own_places(&mut |place, usage| {
            if usage == wanted && matches!(place.base, Base::Deref(_)) {
                places.push(place);
            }
        });
        // Library functions access what their arguments point to.
        let is_call = matches!(statement.kind, StmtKind::Call { .. });
        let [place] = places[..] else { return };
        if is_call {
            return;
        }
        let cells = self.points_to.targets(place);
        let is_there = objects.iter().any(|&object| self.has_cell(&cells, object, offset));
        assert!(is_there, "an access to {:?} by {statement:?} is not in {cells:?}", machine.pointee(access.pointer));
        self.seen += 1;
    }
}

impl Watcher<'_> {
    /// Whether the byte of the object is in one of the cells, as far as cells are told apart.
    fn has_cell(&self, cells: &[Cell], object: ObjectId, offset: i64) -> bool {
        let all: Vec<Cell> = self.points_to.cells(object).collect();
        let is_plain = all.iter().all(|&cell| self.points_to.is_single(cell));
        let here = all.iter().rev().find(|cell| i128::from(cell.offset) <= i128::from(offset));
        match here {
            Some(here) if is_plain => cells.contains(here),
            _ => cells.iter().any(|cell| cell.object == object),
        }
    }
}

/// Runs the program and compares; says how the run ended and how many pointers were compared.
pub fn compare(source: &str, undefined: UndefinedWrite, environment: &mut dyn Environment) -> (Outcome, usize) {
    let module = module(source);
    let policy = Policy::for_module(&module, undefined, |_, _| false);
    let points_to = analyse(&module, policy, &Budget::unlimited()).expect("no limit");
    let mut watcher = Watcher { module: &module, points_to, seen: 0 };
    let main = module.functions.ids().find(|&function| module.functions[function].name == "main").expect("a main");
    let mut machine = Machine::new(&module, OPTIONS, environment);
    let outcome = machine.run_observed(main, &[b"main"], &mut |machine, event| {
        let Event::After { statement, accesses, .. } = event else { return };
        for var in module.vars.ids() {
            watcher.variable(machine, var);
        }
        for &access in accesses {
            watcher.access(machine, statement, access);
        }
    });
    (outcome, watcher.seen)
}
