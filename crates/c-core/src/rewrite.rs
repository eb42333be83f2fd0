//! A finished body with other types, variables and functions in the same places.

use crate::{
    Asm, Base, Block, Callee, Expr, ExprKind, FunctionId, InitialValue, Initialiser, Module, Place, Projection, Stmt,
    StmtKind, TypeId, VarId, VarKind, Variable,
};

/// What takes the place of what. Where nothing is said all stays as it is.
pub trait Rewrite {
    /// The type in place of `ty`.
    fn ty(&mut self, ty: TypeId) -> TypeId {
        ty
    }

    /// The variable in place of `var`.
    fn var(&mut self, var: VarId) -> VarId {
        var
    }

    /// The integer that `var` always is.
    fn value(&mut self, _var: VarId) -> Option<i128> {
        None
    }

    /// The function in place of `function`.
    fn function(&mut self, function: FunctionId) -> FunctionId {
        function
    }
}

/// Rewrites a block and all inside of it.
pub fn rewrite_block(block: &mut Block, rewrite: &mut impl Rewrite) {
    for stmt in block {
        rewrite_stmt(stmt, rewrite);
    }
}

/// Rewrites what an object starts with.
pub fn rewrite_initialiser(init: &mut Initialiser, rewrite: &mut impl Rewrite) {
    for part in &mut init.parts {
        if let InitialValue::Expr(expr) = &mut part.value {
            rewrite_expr(expr, rewrite);
        }
    }
}

impl Module {
    /// Whether a block that is in no function uses variables or functions that are defined at file scope.
    pub fn defines_what_is_used(&self, mut block: Block) -> bool {
        let mut uses = Uses { module: self, is_defined: false };
        rewrite_block(&mut block, &mut uses);
        uses.is_defined
    }
}

/// Whether anything that is used is defined.
struct Uses<'m> {
    module: &'m Module,
    is_defined: bool,
}

impl Rewrite for Uses<'_> {
    fn var(&mut self, var: VarId) -> VarId {
        let Variable { kind, init, .. } = &self.module.vars[var];
        self.is_defined |= matches!(kind, VarKind::Global(_)) && init.is_some();
        var
    }

    fn function(&mut self, function: FunctionId) -> FunctionId {
        self.is_defined |= self.module.functions[function].body.is_some();
        function
    }
}

fn rewrite_stmt(stmt: &mut Stmt, rewrite: &mut impl Rewrite) {
    match &mut stmt.kind {
        StmtKind::Assign(place, value) => {
            rewrite_place(place, rewrite);
            rewrite_expr(value, rewrite);
        }
        StmtKind::Zero(place) => rewrite_place(place, rewrite),
        StmtKind::Call { result, callee, arguments } => {
            result.iter_mut().for_each(|place| rewrite_place(place, rewrite));
            match callee {
                Callee::Function(function) => *function = rewrite.function(*function),
                Callee::Pointer(pointer) => rewrite_expr(pointer, rewrite),
            }
            arguments.iter_mut().for_each(|argument| rewrite_expr(argument, rewrite));
        }
        StmtKind::NextArgument { result, list, ty } => {
            result.iter_mut().for_each(|place| rewrite_place(place, rewrite));
            rewrite_expr(list, rewrite);
            *ty = rewrite.ty(*ty);
        }
        StmtKind::Fresh(var) => *var = rewrite.var(*var),
        StmtKind::Asm(asm) => rewrite_asm(asm, rewrite),
        StmtKind::If(condition, then, otherwise) => {
            rewrite_expr(condition, rewrite);
            rewrite_block(then, rewrite);
            rewrite_block(otherwise, rewrite);
        }
        StmtKind::While(condition, block) => {
            rewrite_expr(condition, rewrite);
            rewrite_block(block, rewrite);
        }
        StmtKind::GotoComputed(expr) | StmtKind::Return(Some(expr)) => rewrite_expr(expr, rewrite),
        StmtKind::Block(block) => rewrite_block(block, rewrite),
        StmtKind::Unmodelled(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Return(None) => {}
    }
}

fn rewrite_asm(asm: &mut Asm, rewrite: &mut impl Rewrite) {
    asm.outputs.iter_mut().for_each(|(_, _, place)| rewrite_place(place, rewrite));
    asm.inputs.iter_mut().for_each(|(_, _, value)| rewrite_expr(value, rewrite));
}

fn rewrite_expr(expr: &mut Expr, rewrite: &mut impl Rewrite) {
    expr.ty = rewrite.ty(expr.ty);
    if let ExprKind::Read(Place { base: Base::Var(var), path, .. }) = &expr.kind
        && let (true, Some(value)) = (path.is_empty(), rewrite.value(*var))
    {
        expr.kind = ExprKind::Integer(value);
        return;
    }
    match &mut expr.kind {
        ExprKind::Read(place) | ExprKind::Address(place) => rewrite_place(place, rewrite),
        ExprKind::Function(function) => *function = rewrite.function(*function),
        ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => rewrite_expr(operand, rewrite),
        ExprKind::Binary(_, left, right) => {
            rewrite_expr(left, rewrite);
            rewrite_expr(right, rewrite);
        }
        ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Label(_) => {}
    }
}

fn rewrite_place(place: &mut Place, rewrite: &mut impl Rewrite) {
    place.ty = rewrite.ty(place.ty);
    match &mut place.base {
        Base::Var(var) => *var = rewrite.var(*var),
        Base::Deref(pointer) => rewrite_expr(pointer, rewrite),
    }
    for step in &mut place.path {
        if let Projection::Index(index) = step {
            rewrite_expr(index, rewrite);
        }
    }
}
