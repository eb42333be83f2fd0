//! Random programs, from a tape of numbers: a shorter tape, or smaller numbers, make a simpler program.

use super::model::{
    Assign, Branch, Decl, Dialect, Expr, Kind, Module, Place, Program, Source, Step, Stmt, Type, Value, Var,
};

/// A program with everything that Remopla has, over few enough bits to be run in all ways.
pub fn program(tape: &[u8]) -> Program {
    let mut tape = Tape { rest: tape.iter() };
    let dialect = if tape.below(2) == 0 { Dialect::Moped } else { Dialect::Leak };
    let (globals, extra) = profile(tape.below(8));
    let mut modules = vec![module("main", None, vec![], vec![("l", Type::Int(2)), ("k", Type::Bool)])];
    modules.extend(extra);
    let params = vec![("n", Type::Int(2)), ("t", Type::Bool)];
    modules.push(module("f", Some(Type::Int(2)), params, vec![("l", Type::Int(1))]));
    let mut program = Program { dialect, globals, modules };
    for id in (0..program.modules.len()).rev() {
        let mut body = Body { tape: &mut tape, program: &program, id, labels: 0, loops: 0 };
        let count = 1 + body.tape.below(5);
        let body = body.outermost(count);
        program.modules[id].body = body;
    }
    program
}

fn module(
    name: &'static str,
    result: Option<Type>,
    params: Vec<(&'static str, Type)>,
    locals: Vec<(&'static str, Type)>,
) -> Module {
    let count = params.len();
    let own = params.into_iter().chain(locals).map(|(name, kind)| Decl { name, kind }).collect();
    Module { name, result, own, params: count, body: Vec::new() }
}

/// Globals, and a module that has to do with them.
fn profile(number: usize) -> (Vec<Decl>, Option<Module>) {
    let array = |low, len, of: Type| Type::Array(low, len, Box::new(of));
    let color = Type::Enum(3);
    let pair = || Type::Struct("pair", vec![("u", Type::Int(2)), ("v", Type::Bool)]);
    let tiny = || Type::Struct("tiny", vec![("u", Type::Int(1)), ("v", Type::Bool)]);
    let (globals, extra) = match number {
        0 => (vec![("x", Type::Int(2)), ("y", Type::Int(1)), ("p", Type::Bool)], None),
        1 => {
            let kind = || array(0, 2, Type::Int(1));
            let extra = module("g", Some(kind()), vec![("z", kind())], vec![]);
            (vec![("a", array(0, 2, Type::Int(2))), ("b", kind())], Some(extra))
        }
        2 => (vec![("w", array(1, 3, Type::Int(1))), ("x", Type::Int(2))], None),
        3 => (vec![("m", array(0, 2, array(1, 2, Type::Int(1)))), ("p", Type::Bool)], None),
        4 => {
            let extra = module("g", Some(color.clone()), vec![("z", color.clone())], vec![("e", color.clone())]);
            (vec![("c", color), ("x", Type::Int(2))], Some(extra))
        }
        5 => {
            let extra = module("g", Some(pair()), vec![("z", pair())], vec![]);
            (vec![("s", pair()), ("r", pair())], Some(extra))
        }
        6 => {
            let extra = module("g", Some(tiny()), vec![("z", Type::Int(1))], vec![("e", tiny())]);
            (vec![("r", array(0, 2, tiny())), ("y", Type::Int(1))], Some(extra))
        }
        _ => (vec![("b", array(0, 3, Type::Bool)), ("x", Type::Int(2))], None),
    };
    (globals.into_iter().map(|(name, kind)| Decl { name, kind }).collect(), extra)
}

struct Tape<'t> {
    rest: std::slice::Iter<'t, u8>,
}

impl Tape<'_> {
    /// A number below `limit`; 0 when the tape has ended.
    fn below(&mut self, limit: usize) -> usize {
        self.rest.next().map_or(0, |&byte| byte as usize % limit)
    }
}

/// What kind of value is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Bool,
    Number,
}

fn sort(kind: &Type) -> Sort {
    if *kind == Type::Bool { Sort::Bool } else { Sort::Number }
}

/// Whether the name of a quantifier can be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    Free,
    Bound,
}

struct Body<'t, 'p> {
    tape: &'t mut Tape<'p>,
    program: &'t Program,
    id: usize,
    labels: usize,
    loops: usize,
}

impl Body<'_, '_> {
    /// Every statement has a label here, so that there is something to jump to.
    fn outermost(&mut self, count: usize) -> Vec<Stmt> {
        (0..count).map(|row| Stmt { label: Some(format!("T{row}")), kind: self.kind(2, count) }).collect()
    }

    fn block(&mut self, depth: usize, jumps: usize) -> Vec<Stmt> {
        let count = self.tape.below(3);
        let stmts = (0..count).map(|_| {
            let label = (self.tape.below(2) == 0).then(|| {
                self.labels += 1;
                format!("L{}", self.labels)
            });
            Stmt { label, kind: self.kind(depth, jumps) }
        });
        stmts.collect()
    }

    /// A statement; there are `jumps` places to jump to.
    fn kind(&mut self, depth: usize, jumps: usize) -> Kind {
        match self.tape.below(16) {
            0 => Kind::Skip(None),
            1..=5 => Kind::Assign(self.assigns(3)),
            6 => Kind::Skip(Some(self.expr(Sort::Bool, 2, Binding::Free))),
            7 | 8 => self.call(),
            9 if depth > 0 => Kind::If(self.branches(depth, jumps)),
            10 | 11 if depth > 0 => {
                self.loops += 1;
                let branches = self.branches(depth, jumps);
                self.loops -= 1;
                Kind::Do(branches)
            }
            12 if depth > 0 => {
                let count = 1 + self.tape.below(2);
                Kind::Chance((0..count).map(|_| self.block(depth - 1, jumps)).collect())
            }
            13 => {
                let label = format!("T{}", self.tape.below(jumps));
                let also = self.tape.below(2);
                Kind::Goto(label, if also == 0 { Vec::new() } else { self.assigns(2) })
            }
            14 if self.loops > 0 => Kind::Break,
            15 => self.returned(),
            _ if self.tape.below(12) == 11 => self.fork(),
            _ => Kind::Assign(self.assigns(1)),
        }
    }

    fn branches(&mut self, depth: usize, jumps: usize) -> Vec<Branch> {
        let count = 1 + self.tape.below(3);
        let otherwise = self.tape.below(count + 1);
        let branches = (0..count).map(|row| {
            let is_else = row + 1 == otherwise;
            let guard = (!is_else).then(|| self.expr(Sort::Bool, 2, Binding::Free));
            Branch { guard, body: self.block(depth - 1, jumps) }
        });
        branches.collect()
    }

    fn returned(&mut self) -> Kind {
        match &self.program.modules[self.id].result {
            Some(kind) if self.tape.below(8) != 7 => Kind::Return(Some(self.value(&kind.clone()))),
            _ => Kind::Return(None),
        }
    }

    /// A module that comes later.
    fn callee(&mut self) -> Option<usize> {
        let first = self.id + 1;
        let count = self.program.modules.len() - first;
        (count > 0).then(|| first + self.tape.below(count))
    }

    fn arguments(&mut self, callee: usize) -> Vec<Option<Value>> {
        let module = &self.program.modules[callee];
        module.own[..module.params].iter().map(|decl| self.value(&decl.kind)).collect()
    }

    fn call(&mut self) -> Kind {
        let Some(callee) = self.callee() else { return Kind::Assign(self.assigns(1)) };
        let args = self.arguments(callee);
        let target = match &self.program.modules[callee].result {
            Some(kind) if self.tape.below(4) != 3 => self.place_for(kind),
            _ => None,
        };
        let also = if self.tape.below(3) == 2 { self.assigns(2) } else { Vec::new() };
        Kind::Call { target, callee, args, also }
    }

    fn fork(&mut self) -> Kind {
        match self.callee() {
            Some(callee) => Kind::Fork(callee, self.arguments(callee)),
            None => Kind::Skip(None),
        }
    }

    /// A value for something of type `kind`, or `undef`.
    fn value(&mut self, kind: &Type) -> Option<Value> {
        if self.tape.below(6) == 5 {
            return None;
        }
        match kind.is_scalar() {
            true => Some(Value::Scalar(self.expr(sort(kind), 2, Binding::Free))),
            false => self.place_for(kind).map(Value::Whole),
        }
    }

    fn assigns(&mut self, most: usize) -> Vec<Assign> {
        let count = 1 + self.tape.below(most);
        (0..count).map(|_| self.assign()).collect()
    }

    fn assign(&mut self) -> Assign {
        let quantifier = (self.tape.below(6) == 5).then(|| (0, self.tape.below(3) as u64));
        let binding = if quantifier.is_some() { Binding::Bound } else { Binding::Free };
        let wanted = if self.tape.below(2) == 0 { Sort::Number } else { Sort::Bool };
        let whole = self.tape.below(8) == 7;
        if whole && let Some((target, kind)) = self.whole(binding) {
            let source = match self.place_with(&kind, binding) {
                Some(place) if self.tape.below(4) != 3 => Source::Of(Value::Whole(place)),
                _ => Source::Undef,
            };
            return Assign { quantifier, target, source };
        }
        let (target, kind) = self.scalar(wanted, 1, binding);
        let wanted = sort(&kind);
        let source = match self.tape.below(8) {
            6 => Source::AnyBut(self.expr(wanted, 1, binding)),
            7 => Source::Undef,
            _ => Source::Of(Value::Scalar(self.expr(wanted, 2, binding))),
        };
        Assign { quantifier, target, source }
    }

    /// All that can be named, down to scalars: with a path whose indexes are still to be filled in.
    fn places(&self) -> Vec<(Place, Type)> {
        let globals = self.program.globals.iter().enumerate().map(|(row, decl)| (Var::Global(row), decl));
        let own = self.program.modules[self.id].own.iter().enumerate().map(|(row, decl)| (Var::Local(row), decl));
        // A local hides a global of the same name.
        let locals: Vec<_> = self.program.modules[self.id].own.iter().map(|decl| decl.name).collect();
        let visible = globals.filter(|(_, decl)| !locals.contains(&decl.name)).chain(own);
        let mut places: Vec<_> =
            visible.map(|(var, decl)| (Place { var, name: decl.name, path: Vec::new() }, decl.kind.clone())).collect();
        let mut row = 0;
        while row < places.len() {
            let (place, kind) = places[row].clone();
            let with = |step| {
                let mut place = place.clone();
                place.path.push(step);
                place
            };
            match kind {
                Type::Array(low, _, of) => places.push((with(Step::Index(Expr::Number(low))), *of)),
                Type::Struct(_, members) => {
                    places.extend(members.into_iter().map(|(name, kind)| (with(Step::Member(name)), kind)));
                }
                _ => {}
            }
            row += 1;
        }
        places
    }

    fn pick(&mut self, is_wanted: impl Fn(&Type) -> bool, depth: usize, binding: Binding) -> Option<(Place, Type)> {
        let mut places = self.places();
        places.retain(|(_, kind)| is_wanted(kind));
        if places.is_empty() {
            return None;
        }
        let (mut place, kind) = places.swap_remove(self.tape.below(places.len()));
        for step in &mut place.path {
            if let Step::Index(index) = step {
                *index = self.index(depth, binding);
            }
        }
        Some((place, kind))
    }

    fn index(&mut self, depth: usize, binding: Binding) -> Expr {
        match self.tape.below(4) {
            0 => Expr::Number(self.tape.below(3) as u64),
            1 if binding == Binding::Bound => Expr::Bound,
            _ if depth > 0 => self.expr(Sort::Number, depth - 1, binding),
            _ => Expr::Number(1),
        }
    }

    fn scalar(&mut self, wanted: Sort, depth: usize, binding: Binding) -> (Place, Type) {
        let is_wanted = |kind: &Type| kind.is_scalar() && sort(kind) == wanted;
        let found = self.pick(is_wanted, depth, binding).or_else(|| self.pick(Type::is_scalar, depth, binding));
        found.expect("every module has a scalar")
    }

    fn whole(&mut self, binding: Binding) -> Option<(Place, Type)> {
        self.pick(|kind| !kind.is_scalar(), 1, binding)
    }

    fn place_for(&mut self, kind: &Type) -> Option<Place> {
        self.place_with(kind, Binding::Free)
    }

    /// A place that something of type `kind` can be copied to and from.
    fn place_with(&mut self, kind: &Type, binding: Binding) -> Option<Place> {
        let is_wanted = |other: &Type| can_be_copied(other, kind);
        self.pick(is_wanted, 1, binding).map(|(place, _)| place)
    }

    fn expr(&mut self, wanted: Sort, depth: usize, binding: Binding) -> Expr {
        if !self.has_scalar(wanted) || depth == 0 || self.tape.below(4) == 0 {
            return self.leaf(wanted, depth, binding);
        }
        let depth = depth - 1;
        match wanted {
            Sort::Number => {
                const OPERATORS: [&str; 9] = ["+", "-", "*", "/", "&", "|", "^", ">>", "<<"];
                let left = self.operand(Sort::Number, depth, binding);
                let op = OPERATORS[self.tape.below(OPERATORS.len())];
                let right = match op {
                    "<<" => Expr::Number(self.tape.below(4) as u64),
                    _ => self.expr(Sort::Number, depth, binding),
                };
                Expr::Binary(op, left, Box::new(right))
            }
            Sort::Bool => match self.tape.below(12) {
                0 => Expr::Not(self.operand(Sort::Bool, depth, binding)),
                choice @ (1 | 2) if binding == Binding::Free => {
                    let high = self.tape.below(3) as u64;
                    let body = self.operand(Sort::Bool, depth, Binding::Bound);
                    if choice == 1 { Expr::All(0, high, body) } else { Expr::Some(0, high, body) }
                }
                3..=6 => {
                    const OPERATORS: [&str; 7] = ["&&", "||", "^^", "<=>", "==", "!=", "&"];
                    let (left, right) =
                        (self.operand(Sort::Bool, depth, binding), self.operand(Sort::Bool, depth, binding));
                    Expr::Binary(OPERATORS[self.tape.below(OPERATORS.len())], left, right)
                }
                _ => {
                    const OPERATORS: [&str; 6] = ["<", "<=", "==", "!=", ">=", ">"];
                    let (left, right) =
                        (self.operand(Sort::Number, depth, binding), self.operand(Sort::Number, depth, binding));
                    Expr::Binary(OPERATORS[self.tape.below(OPERATORS.len())], left, right)
                }
            },
        }
    }

    fn operand(&mut self, wanted: Sort, depth: usize, binding: Binding) -> Box<Expr> {
        Box::new(self.expr(wanted, depth, binding))
    }

    fn has_scalar(&self, wanted: Sort) -> bool {
        self.places().iter().any(|(_, kind)| kind.is_scalar() && sort(kind) == wanted)
    }

    fn leaf(&mut self, wanted: Sort, depth: usize, binding: Binding) -> Expr {
        let choice = self.tape.below(4);
        match wanted {
            Sort::Bool if choice == 1 || !self.has_scalar(Sort::Bool) => Expr::Bool(self.tape.below(2) == 1),
            Sort::Number if choice == 1 => {
                const NAMED: [(&str, u64); 4] = [("red", 0), ("green", 1), ("blue", 2), ("two", 2)];
                let (name, value) = NAMED[self.tape.below(NAMED.len())];
                Expr::Named(name, value)
            }
            Sort::Number if choice == 2 && binding == Binding::Bound => Expr::Bound,
            Sort::Number if choice == 2 || !self.has_scalar(Sort::Number) => Expr::Number(self.tape.below(5) as u64),
            _ => Expr::Read(self.scalar(wanted, depth.min(1), binding).0),
        }
    }
}

fn can_be_copied(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Array(_, len, of), Type::Array(_, other_len, other)) => len == other_len && can_be_copied(of, other),
        (Type::Struct(name, _), Type::Struct(other, _)) => name == other,
        _ => one.is_scalar() && other.is_scalar() && sort(one) == sort(other),
    }
}
