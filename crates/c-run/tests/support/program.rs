//! From C text to the end of its run.

use hardbop_c_core::{FunctionId, Module, Target};
use hardbop_c_run::{Checking, Environment, Machine, Options, Outcome, SignedOverflow, Uninitialised};

/// Everything is checked; signed arithmetic wraps.
pub const OPTIONS: Options = Options {
    max_steps: 10_000_000,
    max_memory: 1 << 27,
    max_depth: 10_000,
    signed_overflow: SignedOverflow::Wraps,
    uninitialised: Uninitialised::Error,
    alignment: Checking::On,
    pointer_arithmetic: Checking::On,
};

/// The module of a preprocessed text without errors.
#[track_caller]
pub fn module(text: &str, target: Target) -> Module {
    let (ast, errors) = hardbop_lang_c::parse(text, 0);
    assert!(errors.is_empty(), "{errors:?}");
    match hardbop_c_lower::lower(&ast, target) {
        Ok(lowered) => lowered.module,
        Err(errors) => panic!("{errors:?}"),
    }
}

/// The function of this name.
#[track_caller]
pub fn function(module: &Module, name: &str) -> FunctionId {
    let found = module.functions.iter_enumerated().find(|(_, function)| function.source_name == name);
    found.map(|(id, _)| id).expect("the function exists")
}

/// How `main` ends.
#[track_caller]
pub fn run(text: &str, target: Target, options: Options, environment: &mut dyn Environment) -> Outcome {
    let module = module(text, target);
    let main = function(&module, "main");
    Machine::new(&module, options, environment).run(main, &[b"program"])
}
