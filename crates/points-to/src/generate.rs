//! From statements to constraints.
//!
//! **Followed:** pointers through variables, members, arrays, unions, records copied whole, and memory copied by the
//! library; through integers at least as wide as a pointer and their arithmetic; byte by byte through narrower ones, as
//! long as they are only copied and widened.
//!
//! **Assumed:**
//! - No pointer is computed from integers narrower than itself: truncation, and arithmetic in narrow types, loses it.
//!   Conversions to floating types lose it too, as do `%` and `&` with a constant below 4096.
//! - An integer that does not come from a pointer points to no object of the program, unless it is a constant beyond
//!   the first and last 4096, which is the address of something outside (memory-mapped registers).
//! - `p + i` points into the object that `p` points into, whatever `i` holds.
//! - Constants below 16 that are or-ed, xor-ed, or masked away are tags in the low bits: they leave the cell as it is.
//! - Access to an array member of a record stays inside of that array; see [`layout`](crate::layout).
//! - Runs end at a [`StmtKind::Unmodelled`].

mod call;
mod value;

pub(crate) use value::{Flow, flow, steps};

use crate::call_graph::Edges;
use crate::layout::{Layouts, Position, START, Step};
use crate::memory::{Memory, NodeId, ObjectId, ObjectKind, Site};
use crate::solver::{CallId, Callable, Solver, Use};
use crate::{Outside, Policy, UndefinedWrite};
use hardbop_base::{Budget, Exhausted, IndexVec};
use hardbop_c_core::{
    Asm, Body, Callee, Expr, ExprKind, Function, FunctionId, InitialStep, InitialValue, Linkage, Module, Parameters,
    Place, Stmt, StmtKind, Type, TypeId, VarId, VarKind, stmt::visit_block,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What is made of a module.
pub(crate) struct Generated {
    pub(crate) solver: Solver,
    pub(crate) variables: IndexVec<VarId, ObjectId>,
    pub(crate) functions: IndexVec<FunctionId, ObjectId>,
    /// The calls through pointers.
    pub(crate) calls: BTreeMap<Site, CallId>,
    pub(crate) edges: Edges,
}

/// Makes the constraints of a module.
pub(crate) fn generate(module: &Module, policy: Policy, budget: &Budget) -> Result<Generated, Exhausted> {
    let mut generator = Generator::new(module, policy);
    for (var, variable) in module.vars.iter_enumerated() {
        generator.start_variable(var, variable.kind);
    }
    for (function, row) in module.functions.iter_enumerated() {
        generator.start_function(function, row);
    }
    for (function, row) in module.functions.iter_enumerated() {
        if let Some(body) = &row.body {
            generator.body(function, body, budget)?;
        }
    }
    Ok(generator.finish())
}

/// The state of generation.
struct Generator<'m> {
    module: &'m Module,
    policy: Policy,
    solver: Solver,
    layouts: Layouts,
    variables: IndexVec<VarId, ObjectId>,
    functions: IndexVec<FunctionId, ObjectId>,
    /// The nodes that hold just one location.
    constants: FxHashMap<u32, NodeId>,
    shifted: FxHashMap<(NodeId, Step), NodeId>,
    /// What the variables of the current function are cast to a pointer to.
    casts: FxHashMap<VarId, Vec<TypeId>>,
    calls: BTreeMap<Site, CallId>,
    edges: Edges,
    /// The next call statement.
    site: Site,
}

/// Where a place is.
enum Access {
    /// These parts of an object.
    Direct(ObjectId, Vec<Position>),
    /// What the node points to.
    Through(NodeId),
}

impl<'m> Generator<'m> {
    fn new(module: &'m Module, policy: Policy) -> Self {
        let mut memory = Memory::new(Layouts::lump());
        let mut layouts = Layouts::default();
        let (mut variables, mut functions) = (IndexVec::new(), IndexVec::new());
        for (var, variable) in module.vars.iter_enumerated() {
            let layout = layouts.of(&module.types, variable.ty.ty);
            variables.push(memory.add(ObjectKind::Variable(var), layout));
        }
        for function in module.functions.ids() {
            functions.push(memory.add(ObjectKind::Function(function), Layouts::lump()));
        }
        let mut solver = Solver::new(memory);
        let constants = variables.iter_enumerated().filter(|(var, _)| module.is_constant(*var));
        solver.constants = constants.map(|(_, &object)| object).collect();
        solver.pointer_size = module.types.pointer_size();
        solver.is_outside_active = policy.undefined == UndefinedWrite::Reachable;
        let site = Site { function: hardbop_base::Idx::from_usize(0), call: 0 };
        Self {
            module,
            policy,
            solver,
            layouts,
            variables,
            functions,
            constants: FxHashMap::default(),
            shifted: FxHashMap::default(),
            casts: FxHashMap::default(),
            calls: BTreeMap::new(),
            edges: Edges::new(module.functions.len()),
            site,
        }
    }

    fn finish(self) -> Generated {
        let Self { solver, variables, functions, calls, edges, .. } = self;
        Generated { solver, variables, functions, calls, edges }
    }

    /// What an object of static storage holds at the start, and whether outside code can see it.
    fn start_variable(&mut self, var: VarId, kind: VarKind) {
        let object = self.variables[var];
        let variable = &self.module.vars[var];
        let is_declared_only = matches!(kind, VarKind::Global(_)) && variable.init.is_none();
        let is_named = variable.is_named_outside() && self.policy.outside >= Outside::KnowsVariables;
        if is_declared_only || is_named || variable.is_kept {
            let location = self.solver.memory.location(object, START);
            self.solver.add_location(self.solver.memory.outside(), location);
        }
        self.initialise(var);
    }

    fn initialise(&mut self, var: VarId) {
        let variable = &self.module.vars[var];
        let Some(init) = &variable.init else { return };
        for part in &init.parts {
            let InitialValue::Expr(value) = &part.value else { continue };
            let Some(node) = self.value(value) else { continue };
            if self.bounds_section(value) {
                self.solver.add_location(node, Memory::UNKNOWN);
            }
            let mut steps = Vec::new();
            let mut ty = variable.ty.ty;
            for step in &part.path {
                match step {
                    InitialStep::Field(index) => ty = self.to_field(ty, *index, &mut steps),
                    InitialStep::Index(_) | InitialStep::Range(..) => ty = self.to_element(ty, &mut steps),
                }
            }
            let positions = self.walk(self.variables[var], &steps);
            let width = self.width(ty);
            self.write(&Access::Direct(self.variables[var], positions), width, node);
        }
    }

    /// Whether a constant is the address of where a section begins or ends, which is where others are.
    fn bounds_section(&self, value: &Expr) -> bool {
        let mut found = false;
        value.visit_places(&mut |place, _| {
            found |= matches!(place.base, hardbop_c_core::Base::Var(var) if self.module.vars[var].bounds_section());
        });
        found
    }

    fn start_function(&mut self, function: FunctionId, row: &Function) {
        let Type::Function(ty) = self.module.types.get(row.ty) else { return };
        let takes = ty.parameters.clone();
        let listed = match &takes {
            Parameters::Fixed(types) | Parameters::Variadic(types) => types.clone(),
            Parameters::Unspecified => Vec::new(),
        };
        let result = self.layouts.of(&self.module.types, ty.result);
        let result = self.solver.memory.add(ObjectKind::Result(function), result);
        let rest = self.solver.memory.add(ObjectKind::Arguments(function), Layouts::lump());
        let parameters = match &row.body {
            Some(body) => body.parameters.iter().map(|&var| self.variables[var]).collect(),
            None => listed.iter().map(|&ty| self.parameter_slot(function, ty)).collect(),
        };
        self.solver.callables.insert(function, Callable { parameters, result, rest, takes });
        if row.body.is_none() {
            self.define_undefined(function, row);
            return;
        }
        // Code outside could call `main`, too, but does not.
        let is_main = row.source_name == "main";
        let is_named = row.linkage == Linkage::External && self.policy.outside == Outside::KnowsNames;
        if is_named && !is_main || row.is_kept {
            let location = self.function_location(function);
            self.solver.add_location(self.solver.memory.outside(), location);
        } else if is_main {
            self.start_main(row.body.as_ref().map_or(&[], |body| &body.parameters));
            let Callable { rest, result, .. } = self.solver.callables[&function];
            self.solver.give_anything(rest);
            self.solver.leave_outside(result);
        } else if row.is_constructor || row.is_destructor {
            self.solver.call_from_outside(function);
        }
    }

    /// The program starts. Its arguments are in an array of their own, which nobody else knows: what is in other memory
    /// of code outside is not in it.
    fn start_main(&mut self, parameters: &[VarId]) {
        let types = &self.module.types;
        for (index, &parameter) in parameters.iter().enumerate() {
            let object = self.variables[parameter];
            let word = types.pointee(self.module.vars[parameter].ty.ty).filter(|word| types.is_pointer(word.ty));
            let (1, Some(word)) = (index, word) else {
                self.solver.give_anything(object);
                continue;
            };
            let layout = self.layouts.of_many(types, word.ty);
            let vector = self.solver.memory.add(ObjectKind::Vector(parameter), layout);
            self.solver.give_anything(vector);
            let location = self.solver.memory.location(vector, START);
            let pointer = self.solver.memory.node(object, 0);
            self.solver.add_location(pointer, location);
        }
    }

    /// A place for an argument of a function without a body.
    fn parameter_slot(&mut self, function: FunctionId, ty: TypeId) -> ObjectId {
        let layout = self.layouts.of(&self.module.types, ty);
        self.solver.memory.add(ObjectKind::Arguments(function), layout)
    }

    fn function_location(&mut self, function: FunctionId) -> u32 {
        self.solver.memory.location(self.functions[function], START)
    }

    fn body(&mut self, function: FunctionId, body: &'m Body, budget: &Budget) -> Result<(), Exhausted> {
        self.site = Site { function, call: 0 };
        self.casts.clear();
        let mut statements = Vec::new();
        visit_block(&body.block, &mut |statement| statements.push(statement));
        for statement in &statements {
            statement.visit_own_exprs(&mut |expr| self.note_cast(expr));
        }
        for chunk in statements.chunks(1024) {
            budget.spend(chunk.len() as u64)?;
            for statement in chunk {
                self.statement(statement);
            }
        }
        Ok(())
    }

    /// Remembers `(T *)x`: what is allocated and then cast so is laid out as an array of `T`.
    fn note_cast(&mut self, expr: &Expr) {
        let ExprKind::Cast(operand) = &expr.kind else { return };
        let (ExprKind::Read(place), Some(pointee)) = (&operand.kind, self.module.types.pointee(expr.ty)) else {
            return;
        };
        if let (hardbop_c_core::Base::Var(var), true) = (&place.base, place.path.is_empty()) {
            self.casts.entry(*var).or_default().push(pointee.ty);
        }
    }

    fn statement(&mut self, statement: &'m Stmt) {
        match &statement.kind {
            StmtKind::Assign(place, value) => {
                let parts = self.parts(value);
                self.assign(place, &parts);
            }
            StmtKind::Call { result, callee, arguments } => self.call(statement.span, result, callee, arguments),
            StmtKind::NextArgument { result, list, .. } => self.next_argument(result.as_ref(), list),
            StmtKind::Asm(asm) => self.assembly(asm),
            StmtKind::Return(Some(value)) => {
                let parts = self.parts(value);
                let result = self.solver.callables[&self.site.function].result;
                for (offset, width, node) in parts {
                    let positions = self.walk(result, &[Step::Add(i64::try_from(offset).unwrap_or(i64::MAX))]);
                    self.write(&Access::Direct(result, positions), width, node);
                }
            }
            StmtKind::Zero(_)
            | StmtKind::Fresh(_)
            | StmtKind::Unmodelled(_)
            | StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Return(None)
            | StmtKind::Block(_) => {}
        }
    }

    fn next_argument(&mut self, result: Option<&Place>, list: &Expr) {
        let (Some(result), Some(list)) = (result, self.value(list)) else { return };
        let value = self.listed(list);
        let parts = self.whole(result.ty, value);
        self.assign(result, &parts);
    }

    /// The further arguments that a list leads to.
    fn listed(&mut self, list: NodeId) -> NodeId {
        let [arguments, value] = [self.solver.add_node(), self.solver.add_node()];
        self.solver.add_use(list, Use::Load(u64::MAX, arguments));
        self.solver.add_use(arguments, Use::Load(u64::MAX, value));
        value
    }

    fn assembly(&mut self, asm: &'m Asm) {
        let output = self.solver.add_node();
        self.solver.add_location(output, Memory::UNKNOWN);
        for (_, _, value) in &asm.inputs {
            for (_, _, node) in self.parts(value) {
                self.solver.add_edge(node, output);
            }
        }
        if asm.clobbers.iter().any(|clobber| clobber == "memory") {
            self.solver.add_edge(output, self.solver.memory.outside());
        }
        for (_, _, place) in &asm.outputs {
            let parts = self.whole(place.ty, output);
            self.assign(place, &parts);
        }
    }

    /// Parts of a value of this type that all hold what the node holds.
    fn whole(&mut self, ty: TypeId, node: NodeId) -> Vec<(u64, u64, NodeId)> {
        let parts = self.layouts.parts(&self.module.types, ty);
        parts.iter().map(|&(offset, width)| (offset, width, node)).collect()
    }

    fn width(&self, ty: TypeId) -> u64 {
        self.module.types.size_of(ty).unwrap_or(u64::MAX)
    }

    fn call(&mut self, span: hardbop_base::Span, result: &'m Option<Place>, callee: &'m Callee, arguments: &'m [Expr]) {
        let site = self.site;
        self.site.call += 1;
        self.call_at(site, span, result.as_ref(), callee, arguments);
    }
}
