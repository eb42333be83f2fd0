//! What happens where a thread ends.
//!
//! A thread is a call of its function (`models/pthread.c`), and so `pthread_exit` is a `return` there. In a function that
//! this one calls it leads out of several: it returns with a flag set, and so does, while the flag is set, whoever called
//! it, up to the function of the thread.

use crate::copy::{called, is_open};
use crate::end::{is_main, keep};
use hardbop_c_core::stmt::visit_block;
use hardbop_c_core::{
    Block, Body, Callee, Expr, ExprKind, FunctionId, InitialValue, Initialiser, IntKind, Linkage, Module, Qualified,
    Qualifiers, Stmt, StmtKind, TypeId, VarId, VarKind, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions that end a thread.
const EXITS: [&str; 2] = ["pthread_exit", "thrd_exit"];
/// Those that start one, each with the argument that says in which function.
const STARTS: [(&str, usize); 2] = [("pthread_create", 2), ("thrd_create", 1)];

/// Leaves the functions of a thread where it ends.
pub(crate) fn leave_threads(module: &mut Module) {
    let rows = module.functions.iter_enumerated();
    let rows = rows.filter(|(_, row)| is_open(row) && EXITS.contains(&&*row.source_name));
    let exits: Vec<FunctionId> = rows.map(|(id, _)| id).collect();
    let Some(&exit) = exits.first() else { return };
    let ways = Ways::new(module, exits.into_iter().collect());
    for &id in ways.exits.iter().chain(&ways.leaving) {
        module.functions[id].is_noreturn = false;
    }
    let flags = Flags::new(module, exit);
    for id in module.functions.ids().filter(|id| ways.leaving.contains(id)).collect::<Vec<_>>() {
        let Some(result) = module.types.callee(module.functions[id].ty).map(|ty| ty.result) else { continue };
        let Some(mut body) = module.functions[id].body.take() else { continue };
        let Body { block, locals, .. } = &mut body;
        Leaving { module, ways: &ways, flags, function: id, result, locals }.block(block);
        module.functions[id].body = Some(body);
    }
}

/// Who leads out of a thread.
struct Ways {
    exits: FxHashSet<FunctionId>,
    /// The functions with a body in which a thread may end.
    leaving: FxHashSet<FunctionId>,
    /// Whether one of them may be called by who knows whom.
    has_hidden: bool,
    /// How a thread comes to be in each function.
    roles: FxHashMap<FunctionId, Role>,
}

/// How a thread comes to be in a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It starts there.
    Start,
    /// Another function calls it.
    Part,
    /// Either.
    Both,
}

impl Ways {
    fn new(module: &Module, exits: FxHashSet<FunctionId>) -> Self {
        let roles = roles(module);
        let mut ways = Self { exits, leaving: FxHashSet::default(), has_hidden: false, roles };
        loop {
            let before = (ways.leaving.len(), ways.has_hidden);
            for (id, row) in module.functions.iter_enumerated() {
                let Some(body) = &row.body else { continue };
                let mut leaves = false;
                visit_block(&body.block, &mut |stmt| leaves |= ways.is_exit(stmt) || ways.may_leave(module, stmt));
                if leaves {
                    ways.leaving.insert(id);
                    ways.has_hidden |= row.is_address_taken && ways.roles[&id] != Role::Start;
                }
            }
            if before == (ways.leaving.len(), ways.has_hidden) {
                return ways;
            }
        }
    }

    fn is_exit(&self, stmt: &Stmt) -> bool {
        matches!(stmt.kind, StmtKind::Call { callee: Callee::Function(callee), .. } if self.exits.contains(&callee))
    }

    /// Whether a thread may end in what a statement calls.
    fn may_leave(&self, module: &Module, stmt: &Stmt) -> bool {
        match stmt.kind {
            StmtKind::Call { callee: Callee::Function(callee), .. } => {
                let may_call = self.has_hidden && module.functions[callee].body.is_none();
                self.leaving.contains(&callee) || may_call && !self.exits.contains(&callee)
            }
            StmtKind::Call { callee: Callee::Pointer(_), .. } => self.has_hidden,
            _ => false,
        }
    }
}

fn roles(module: &Module) -> FxHashMap<FunctionId, Role> {
    let (called, only_started) = (called(module), only_started(module));
    let has_main = module.functions.iter().any(|row| is_main(row) && row.body.is_some());
    let rows = module.functions.iter_enumerated().filter(|(_, row)| row.body.is_some());
    let role = |(id, row): (FunctionId, &hardbop_c_core::Function)| {
        let is_seen_outside = row.is_kept || !has_main && row.linkage == Linkage::External;
        let is_started = is_main(row) || is_seen_outside || row.is_address_taken;
        let is_part = called.contains(&id) || row.is_address_taken && !only_started.contains(&id);
        let role = match (is_started, is_part) {
            (true, false) => Role::Start,
            (true, true) => Role::Both,
            (false, _) => Role::Part,
        };
        (id, role)
    };
    rows.map(role).collect()
}

/// The functions whose address is used for nothing but to start threads.
fn only_started(module: &Module) -> FxHashSet<FunctionId> {
    let starting = |callee: FunctionId| {
        let row = &module.functions[callee];
        STARTS.iter().find(|(name, _)| is_open(row) && row.source_name == *name).map(|&(_, argument)| argument)
    };
    let (mut used, mut started) = (Vec::new(), Vec::new());
    for body in module.functions.iter().filter_map(|row| row.body.as_ref()) {
        visit_block(&body.block, &mut |stmt| {
            stmt.visit_own_exprs(&mut |expr| used.extend(function_of(expr)));
            if let StmtKind::Call { callee: Callee::Function(callee), arguments, .. } = &stmt.kind {
                started.extend(starting(*callee).and_then(|argument| named(arguments.get(argument)?)));
            }
        });
    }
    for part in module.vars.iter().filter_map(|row| row.init.as_ref()).flat_map(|init| &init.parts) {
        if let InitialValue::Expr(value) = &part.value {
            value.visit(&mut |expr| used.extend(function_of(expr)));
        }
    }
    let count = |all: &[FunctionId], one| all.iter().filter(|&&other| other == one).count();
    started.iter().copied().filter(|&one| count(&used, one) == count(&started, one)).collect()
}

fn function_of(expr: &Expr) -> Option<FunctionId> {
    match expr.kind {
        ExprKind::Function(function) => Some(function),
        _ => None,
    }
}

/// The function that an expression is, perhaps as another type.
fn named(expr: &Expr) -> Option<FunctionId> {
    match &expr.kind {
        ExprKind::Cast(operand) => named(operand),
        _ => function_of(expr),
    }
}

/// What the functions of a thread tell each other when it ends.
#[derive(Clone, Copy)]
struct Flags {
    /// Whether it has ended.
    ended: VarId,
    /// What it returns.
    result: VarId,
    /// Anything, each time it is read.
    either: VarId,
}

impl Flags {
    fn new(module: &mut Module, exit: FunctionId) -> Self {
        let span = module.functions[exit].span;
        let (int, void) = (module.types.int(IntKind::Int), module.types.void());
        let pointer = module.types.pointer_to(void);
        let mut global = |name: &str, ty: TypeId, is_volatile| {
            let ty = Qualified { ty, qualifiers: Qualifiers { is_volatile, ..Qualifiers::NONE } };
            let kind = VarKind::Global(Linkage::Internal);
            let init = Some(Initialiser::default());
            module.vars.push(Variable { ty, kind, init, ..Variable::temporary(exit, ty.ty, name, span) })
        };
        Self {
            ended: global("thread_ended", int, false),
            result: global("thread_result", pointer, false),
            either: global("thread_or_part", int, true),
        }
    }
}

/// A function in which a thread may end.
struct Leaving<'s> {
    module: &'s mut Module,
    ways: &'s Ways,
    flags: Flags,
    function: FunctionId,
    result: TypeId,
    locals: &'s mut Vec<VarId>,
}

impl Leaving<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut left = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            let span = stmt.span;
            let place = |kind: StmtKind| Stmt { kind, span };
            if self.ways.is_exit(&stmt) {
                let StmtKind::Call { arguments, .. } = &mut stmt.kind else { unreachable!("an exit is called") };
                let given = arguments.first_mut().map(|given| {
                    left.extend(keep(self.module, self.function, self.locals, given, span));
                    given.clone()
                });
                left.push(stmt);
                left.extend(self.end(given).into_iter().map(place));
                continue;
            }
            let may_leave = self.ways.may_leave(self.module, &stmt);
            match &mut stmt.kind {
                StmtKind::If(_, then, otherwise) => {
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::While(_, block) | StmtKind::Block(block) => self.block(block),
                _ => {}
            }
            left.push(stmt);
            if may_leave {
                let ended = Expr::read(self.module.place(self.flags.ended));
                let leave = self.leave().into_iter().map(place).collect();
                left.push(place(StmtKind::If(ended, leave, Block::new())));
            }
        }
        *block = left;
    }

    /// The thread ends here, with a result.
    fn end(&mut self, given: Option<Expr>) -> Vec<StmtKind> {
        let place = self.module.place(self.flags.result);
        let given = given.filter(|given| self.module.types.is_pointer(given.ty));
        let mut stmts: Vec<StmtKind> =
            given.into_iter().map(|given| StmtKind::Assign(place.clone(), given.cast(place.ty))).collect();
        let one = Expr::int(1, &mut self.module.types);
        stmts.extend((self.role() == Role::Part).then(|| StmtKind::Assign(self.module.place(self.flags.ended), one)));
        stmts.extend(self.leave());
        stmts
    }

    fn role(&self) -> Role {
        self.ways.roles[&self.function]
    }

    /// Goes back to who called, or ends the thread.
    fn leave(&mut self) -> Vec<StmtKind> {
        let ended = match self.role() {
            Role::Start => Some(Expr::int(0, &mut self.module.types)),
            Role::Both => Some(Expr::read(self.module.place(self.flags.either))),
            Role::Part => None,
        };
        let ended = ended.map(|value| StmtKind::Assign(self.module.place(self.flags.ended), value));
        ended.into_iter().chain([StmtKind::Return(self.returned())]).collect()
    }

    /// What the function returns then.
    fn returned(&self) -> Option<Expr> {
        if is_main(&self.module.functions[self.function]) && self.module.types.is_integer(self.result) {
            return Some(Expr::integer(0, self.result));
        }
        let is_pointer = self.module.types.is_pointer(self.result);
        is_pointer.then(|| Expr::read(self.module.place(self.flags.result)).cast(self.result))
    }
}
