//! The solver against a fixpoint that tries every constraint on every node until nothing changes.

use super::{Call, Callable, Solver, Use};
use crate::layout::{Layouts, START, Step};
use crate::memory::{Memory, NodeId, ObjectId, ObjectKind, Site};
use hardbop_base::{Budget, Idx, IndexVec, Span};
use hardbop_c_core::layout::{MemberDeclaration, RecordAttributes, lay_out};
use hardbop_c_core::{
    FunctionId, IntKind, Length, Parameters, Qualified, Record, RecordId, RecordKind, Target, Type, TypeId, Types,
};
use proptest::prelude::{Strategy, any, prop, proptest};
use proptest::test_runner::Config;
use std::collections::BTreeSet;

/// A constraint on nodes and locations, whose numbers are taken modulo how many there are.
#[derive(Clone, Debug)]
enum Constraint {
    Location(usize, u32),
    Edge(usize, usize),
    Shift(usize, Step, usize),
    Load(usize, u64, usize),
    Store(usize, u64, usize),
    Call(usize, Vec<usize>, usize),
    Escape(usize),
}

fn constraint() -> impl Strategy<Value = Constraint> {
    let node = || any::<u16>().prop_map(usize::from);
    let width = prop::sample::select(vec![1u64, 4, 8, 16, u64::MAX]);
    let steps = vec![
        Step::Add(8),
        Step::Add(-8),
        Step::Add(4),
        Step::Walk(8),
        Step::Walk(1),
        Step::Enter(8),
        Step::Field { offset: 8, size: 16 },
        Step::Smear,
    ];
    let step = prop::sample::select(steps);
    proptest::prop_oneof![
        4 => (node(), any::<u16>()).prop_map(|(node, location)| Constraint::Location(node, u32::from(location))),
        6 => (node(), node()).prop_map(|(from, to)| Constraint::Edge(from, to)),
        2 => (node(), step, node()).prop_map(|(from, step, to)| Constraint::Shift(from, step, to)),
        4 => (node(), width.clone(), node()).prop_map(|(pointer, width, to)| Constraint::Load(pointer, width, to)),
        4 => (node(), width, node()).prop_map(|(pointer, width, from)| Constraint::Store(pointer, width, from)),
        1 => (node(), prop::collection::vec(node(), 0..3), node())
            .prop_map(|(pointer, arguments, result)| Constraint::Call(pointer, arguments, result)),
        1 => node().prop_map(Constraint::Escape),
    ]
}

fn nowhere() -> Span {
    Span::new(0, 0)
}

/// `struct { T *a; T *b; T *c[2]; int d; }` and others.
fn layouts() -> (Types, Vec<TypeId>) {
    let mut types = Types::new(Target::Lp64);
    let int = types.int(IntKind::Int);
    let pointer = types.pointer_to(int);
    let pointers = types.array_of(Qualified::plain(pointer), Length::Fixed(2));
    let mut record = |members: &[TypeId]| {
        let member = |(n, &ty)| MemberDeclaration::new(format!("m{n}"), Qualified::plain(ty));
        let members = members.iter().enumerate().map(member).collect();
        let body = lay_out(&types, RecordKind::Struct, members, RecordAttributes::default());
        let span = nowhere();
        let row = Record { kind: RecordKind::Struct, tag: None, name: String::new(), body: Some(body), span };
        let id: RecordId = types.records.push(row);
        types.intern(Type::Record(id))
    };
    let pair = record(&[pointer, pointer]);
    let mixed = record(&[pointer, pointer, pointers, int]);
    (types, vec![pointer, pair, mixed])
}

fn system() -> Solver {
    let (types, kinds) = layouts();
    let mut layouts = Layouts::default();
    let mut memory = Memory::new(Layouts::lump());
    let function = FunctionId::from_usize(0);
    let span = nowhere();
    for index in 0..6u32 {
        let layout = layouts.of(&types, kinds[index as usize % 3]);
        let object = memory.add(ObjectKind::Heap(Site { function, call: index }, span), layout);
        memory.location(object, START);
    }
    let mut callables = Vec::new();
    for index in 0..2 {
        let function = FunctionId::from_usize(index);
        let object = memory.add(ObjectKind::Function(function), Layouts::lump());
        memory.location(object, START);
        let mut slot = |kind| memory.add(kind, layouts.of(&types, kinds[0]));
        let parameters = (0..=index).map(|_| slot(ObjectKind::Arguments(function))).collect();
        let (result, rest) = (slot(ObjectKind::Result(function)), slot(ObjectKind::Arguments(function)));
        let takes = Parameters::Fixed(vec![kinds[0]; index + 1]);
        callables.push((function, Callable { parameters, result, rest, takes }));
    }
    let mut solver = Solver::new(memory);
    solver.callables.extend(callables);
    for _ in 0..8 {
        solver.add_node();
    }
    solver
}

/// The constraints in numbers that exist.
fn narrow(solver: &Solver, constraints: &[Constraint]) -> Vec<Constraint> {
    let (nodes, locations) = (solver.memory.node_count(), solver.memory.location_count());
    let node = |number: &usize| number % nodes;
    let narrowed = |constraint: &Constraint| match constraint {
        Constraint::Location(at, location) => {
            Constraint::Location(node(at), location % u32::try_from(locations).expect("few"))
        }
        Constraint::Edge(from, to) => Constraint::Edge(node(from), node(to)),
        Constraint::Shift(from, step, to) => Constraint::Shift(node(from), *step, node(to)),
        Constraint::Load(pointer, width, to) => Constraint::Load(node(pointer), *width, node(to)),
        Constraint::Store(pointer, width, from) => Constraint::Store(node(pointer), *width, node(from)),
        Constraint::Call(pointer, arguments, result) => {
            Constraint::Call(node(pointer), arguments.iter().map(node).collect(), node(result))
        }
        Constraint::Escape(at) => Constraint::Escape(node(at)),
    };
    constraints.iter().map(narrowed).collect()
}

fn solved(constraints: &[Constraint]) -> Solver {
    let mut solver = system();
    let row = NodeId::from_usize;
    let part = |node: &usize| vec![(0, 8, row(*node))];
    for constraint in narrow(&solver, constraints) {
        match constraint {
            Constraint::Location(node, location) => solver.add_location(row(node), location),
            Constraint::Edge(from, to) => solver.add_edge(row(from), row(to)),
            Constraint::Shift(from, step, to) => solver.add_use(row(from), Use::Shift(step, row(to))),
            Constraint::Load(pointer, width, to) => solver.add_use(row(pointer), Use::Load(width, row(to))),
            Constraint::Store(pointer, width, from) => solver.add_use(row(pointer), Use::Store(width, row(from))),
            Constraint::Call(pointer, arguments, result) => {
                let arguments = arguments.iter().map(part).collect();
                solver.add_call(row(pointer), Call { arguments, result: part(&result) });
            }
            Constraint::Escape(node) => solver.add_edge(row(node), solver.memory.outside()),
        }
    }
    solver.solve(&Budget::unlimited()).expect("no limit");
    solver
}

/// The fixpoint, from the meaning of the constraints alone.
struct Naive {
    system: Solver,
    sets: IndexVec<NodeId, BTreeSet<u32>>,
    has_changed: bool,
}

impl Naive {
    fn put(&mut self, node: NodeId, location: u32) {
        self.has_changed |= self.sets[node].insert(location);
    }

    fn flow(&mut self, from: NodeId, to: NodeId) {
        for location in self.sets[from].clone() {
            self.put(to, location);
        }
    }

    fn cells(&self, location: u32, width: u64) -> Vec<NodeId> {
        let (object, position) = self.system.memory.resolve(location);
        if matches!(self.system.memory.objects[object].kind, ObjectKind::Function(_)) {
            return Vec::new();
        }
        let cells = self.system.memory.objects[object].layout.touched(position, width);
        cells.into_iter().map(|cell| self.system.memory.node(object, cell)).collect()
    }

    fn first_cell(&self, object: ObjectId) -> NodeId {
        self.system.memory.node(object, 0)
    }

    fn apply(&mut self, constraint: &Constraint) {
        let row = NodeId::from_usize;
        let outside = self.system.memory.outside();
        match constraint {
            Constraint::Location(node, location) => self.put(row(*node), *location),
            Constraint::Edge(from, to) => self.flow(row(*from), row(*to)),
            Constraint::Escape(node) => self.flow(row(*node), outside),
            Constraint::Shift(from, step, to) => {
                for location in self.sets[row(*from)].clone() {
                    let mut moved = Vec::new();
                    self.system.memory.shift(location, *step, &mut |location| moved.push(location));
                    for location in moved {
                        self.put(row(*to), location);
                    }
                }
            }
            Constraint::Load(pointer, width, to) => {
                for location in self.sets[row(*pointer)].clone() {
                    if location == Memory::UNKNOWN {
                        self.put(row(*to), location);
                        continue;
                    }
                    for cell in self.cells(location, *width) {
                        self.flow(cell, row(*to));
                    }
                }
            }
            Constraint::Store(pointer, width, from) => {
                for location in self.sets[row(*pointer)].clone() {
                    for cell in self.cells(location, *width) {
                        self.flow(row(*from), cell);
                    }
                }
            }
            Constraint::Call(pointer, arguments, result) => {
                for location in self.sets[row(*pointer)].clone() {
                    self.call(location, arguments, row(*result));
                }
            }
        }
    }

    fn call(&mut self, location: u32, arguments: &[usize], result: NodeId) {
        let row = NodeId::from_usize;
        if location == Memory::UNKNOWN {
            for argument in arguments {
                self.flow(row(*argument), self.system.memory.outside());
            }
            self.put(result, Memory::UNKNOWN);
            return;
        }
        let object = self.system.memory.object(location);
        let ObjectKind::Function(function) = self.system.memory.objects[object].kind else { return };
        let callable = self.system.callables[&function].clone();
        for (index, argument) in arguments.iter().enumerate() {
            let parameter = callable.parameters.get(index).copied().unwrap_or(callable.rest);
            self.flow(row(*argument), self.first_cell(parameter));
        }
        self.flow(self.first_cell(callable.result), result);
    }

    /// Outside code reads, writes and calls what it has hold of.
    fn escape(&mut self) {
        let outside = self.system.memory.outside();
        self.put(outside, Memory::UNKNOWN);
        for location in self.sets[outside].clone().into_iter().filter(|&location| location != Memory::UNKNOWN) {
            let object = self.system.memory.object(location);
            if let ObjectKind::Function(function) = self.system.memory.objects[object].kind {
                let callable = self.system.callables[&function].clone();
                for slot in callable.parameters.into_iter().chain([callable.rest]) {
                    self.put(self.first_cell(slot), Memory::UNKNOWN);
                }
                self.flow(self.first_cell(callable.result), outside);
                continue;
            }
            for cell in self.system.memory.nodes(object) {
                self.flow(cell, outside);
                self.put(cell, Memory::UNKNOWN);
            }
        }
    }
}

fn naive(constraints: &[Constraint]) -> IndexVec<NodeId, BTreeSet<u32>> {
    let system = system();
    let constraints = narrow(&system, constraints);
    let sets = IndexVec::from_elem(BTreeSet::new(), system.memory.node_count());
    let mut naive = Naive { system, sets, has_changed: true };
    while std::mem::take(&mut naive.has_changed) {
        for constraint in &constraints {
            naive.apply(constraint);
        }
        naive.escape();
    }
    naive.sets
}

/// The set with all that the unknown location stands for.
fn spelled_out(solver: &Solver, set: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut set = set.clone();
    if set.contains(&Memory::UNKNOWN) {
        let locations = 0..u32::try_from(solver.memory.location_count()).expect("few");
        set.extend(locations.filter(|&location| solver.has_escaped(solver.memory.object(location))));
    }
    set
}

proptest! {
    #![proptest_config(Config { cases: 3000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn it_finds_the_least_fixpoint(constraints in prop::collection::vec(constraint(), 1..60)) {
        let solver = solved(&constraints);
        let expected = naive(&constraints);
        for object in solver.memory.objects.ids().skip(1) {
            let is_held = |location: &u32| solver.memory.object(*location) == object;
            let outside = &expected[solver.memory.outside()];
            assert_eq!(solver.has_escaped(object), outside.iter().any(is_held), "{object} has escaped");
        }
        for (node, expected) in expected.iter_enumerated() {
            let found: BTreeSet<u32> = solver.solution(node).iter().collect();
            assert_eq!(spelled_out(&solver, &found), spelled_out(&solver, expected), "at {node}");
        }
    }
}
