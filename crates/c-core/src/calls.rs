//! Calls that were lowered before all was known of the function.
//!
//! `int f(); … f(1); … int f(char c) { … }`: what is called turns out to have other parameters, or in another unit
//! another type altogether. Arguments are converted as far as that is possible; what is left is a call of a function of
//! the type that it was taken for.

use crate::{
    Block, Callee, Expr, FunctionId, FunctionType, IntKind, Module, Parameters, StmtKind, Type, TypeId, Types,
};
use rustc_hash::FxHashSet;

/// Fits all calls of the functions in `changed` to the types that these have now.
pub fn fit_calls(module: &mut Module, changed: &FxHashSet<FunctionId>) {
    if changed.is_empty() {
        return;
    }
    for id in module.functions.ids() {
        if let Some(mut body) = module.functions[id].body.take() {
            fit_block(module, changed, &mut body.block);
            module.functions[id].body = Some(body);
        }
    }
}

fn fit_block(module: &mut Module, changed: &FxHashSet<FunctionId>, block: &mut Block) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Call { result, callee, arguments } => {
                if let Callee::Function(id) = *callee
                    && changed.contains(&id)
                {
                    let result = result.as_ref().map(|place| place.ty);
                    if !fit_arguments(module, id, result, arguments) {
                        *callee = as_taken(module, id, result);
                    }
                }
            }
            StmtKind::If(_, then, otherwise) => {
                fit_block(module, changed, then);
                fit_block(module, changed, otherwise);
            }
            StmtKind::While(_, block) | StmtKind::Block(block) => fit_block(module, changed, block),
            _ => {}
        }
    }
}

/// Converts the arguments to what the function takes; whether that is possible.
fn fit_arguments(module: &Module, id: FunctionId, result: Option<TypeId>, arguments: &mut [Expr]) -> bool {
    let types = &module.types;
    let Type::Function(FunctionType { result: returned, parameters }) = types.get(module.functions[id].ty) else {
        return false;
    };
    let expected = match parameters {
        Parameters::Fixed(expected) if expected.len() == arguments.len() => expected,
        Parameters::Variadic(expected) if expected.len() <= arguments.len() => expected,
        Parameters::Unspecified => return result.is_none_or(|result| types.is_compatible(result, *returned)),
        _ => return false,
    };
    let pairs = || arguments.iter().zip(expected);
    let fits = pairs().all(|(argument, &ty)| can_become(types, argument.ty, ty));
    if !fits || result.is_some_and(|result| !types.is_compatible(result, *returned)) {
        return false;
    }
    for (argument, &ty) in arguments.iter_mut().zip(expected) {
        if !types.is_compatible(argument.ty, ty) {
            *argument = argument.clone().cast(ty);
        }
    }
    true
}

fn can_become(types: &Types, from: TypeId, to: TypeId) -> bool {
    types.is_compatible(from, to) || types.is_scalar(from) && types.is_scalar(to) && is_castable(types, from, to)
}

fn is_castable(types: &Types, from: TypeId, to: TypeId) -> bool {
    let is_mixed = types.is_pointer(from) && types.is_floating(to) || types.is_floating(from) && types.is_pointer(to);
    !is_mixed
}

/// The function as a pointer to one that takes anything.
fn as_taken(module: &mut Module, id: FunctionId, result: Option<TypeId>) -> Callee {
    let types = &mut module.types;
    let result = result.unwrap_or_else(|| types.int(IntKind::Int));
    let taken = types.function(result, Parameters::Unspecified);
    let (taken, own) = (types.pointer_to(taken), types.pointer_to(module.functions[id].ty));
    module.functions[id].is_address_taken = true;
    Callee::Pointer(Expr::function(id, own).cast(taken))
}
