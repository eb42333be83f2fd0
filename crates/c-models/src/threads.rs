//! What happens where a thread ends.
//!
//! A thread is a call of its function (`models/pthread.c`), and so `pthread_exit` is a `return` there. Elsewhere it is
//! taken to go on: nobody knows which function of a thread it leads out of, and what was done before must not be lost.

use crate::copy::{called, is_open};
use crate::end::{is_main, keep};
use hardbop_c_core::{Block, Body, Callee, Expr, FunctionId, Module, Stmt, StmtKind, TypeId, VarId};

/// The functions that end a thread.
const EXITS: [&str; 2] = ["pthread_exit", "thrd_exit"];

/// Returns from the functions of threads where they end the thread.
pub(crate) fn leave_threads(module: &mut Module) {
    let rows = module.functions.iter_enumerated();
    let rows = rows.filter(|(_, row)| is_open(row) && EXITS.contains(&&*row.source_name));
    let exits: Vec<FunctionId> = rows.map(|(id, _)| id).collect();
    if exits.is_empty() {
        return;
    }
    exits.iter().for_each(|&exit| module.functions[exit].is_noreturn = false);
    let called = called(module);
    for id in module.functions.ids().collect::<Vec<_>>() {
        let row = &module.functions[id];
        let is_start = is_main(row) || row.is_address_taken && !called.contains(&id);
        let Some(result) = module.types.callee(row.ty).map(|ty| ty.result).filter(|_| is_start) else { continue };
        let Some(mut body) = module.functions[id].body.take() else { continue };
        let Body { block, locals, .. } = &mut body;
        Leaving { module, exits: &exits, function: id, result, locals }.block(block);
        module.functions[id].body = Some(body);
    }
}

/// A function with which a thread starts.
struct Leaving<'s> {
    module: &'s mut Module,
    exits: &'s [FunctionId],
    function: FunctionId,
    result: TypeId,
    locals: &'s mut Vec<VarId>,
}

impl Leaving<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut left = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            let span = stmt.span;
            let mut returns = None;
            match &mut stmt.kind {
                StmtKind::Call { callee: Callee::Function(callee), arguments, .. } if self.exits.contains(callee) => {
                    if let [given] = &mut arguments[..] {
                        left.extend(keep(self.module, self.function, self.locals, given, span));
                        returns = self.returned(given);
                    }
                }
                StmtKind::If(_, then, otherwise) => {
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::While(_, block) | StmtKind::Block(block) => self.block(block),
                _ => {}
            }
            left.push(stmt);
            left.extend(returns.map(|kind| Stmt { kind, span }));
        }
        *block = left;
    }

    /// How the function returns what the thread ends with.
    fn returned(&self, given: &Expr) -> Option<StmtKind> {
        let types = &self.module.types;
        let is_pointer = types.is_pointer(self.result) && types.is_pointer(given.ty);
        let value = if types.is_void(self.result) {
            None
        } else if is_main(&self.module.functions[self.function]) {
            Some(Expr::integer(0, self.result))
        } else if types.is_compatible(self.result, given.ty) {
            Some(given.clone())
        } else if is_pointer {
            Some(given.clone().cast(self.result))
        } else {
            return None;
        };
        Some(StmtKind::Return(value))
    }
}
