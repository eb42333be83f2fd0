//! What the C library does, in C.
//!
//! `models/` has definitions of library functions that say what an analysis can use: which pointer comes back, whether
//! it can be null, what is written and who is called back. [`supply`] gives them to a program that calls such functions
//! and does not define them.
//!
//! Every call gets a copy of the model: copies are small, and analyses that do not keep callers apart then do. A copy is
//! where its call is ([`Function::is_model`](hardbop_c_core::Function::is_model)), nobody else can see it, and what
//! records stand in its prototype is what the program has there. Nothing of the program changes but who is called, what
//! runs before it starts and ends, and that functions of threads return where the thread ends. Copies come behind all of its
//! functions.

mod copy;
mod end;
mod environment;
mod fit;
mod threads;

use copy::Supplier;
use hardbop_c_core::{Linkage, Module, Target};

/// The models, in the order in which they are read.
const FILES: &[&str] = &[
    include_str!("../models/any.c"),
    include_str!("../models/string.c"),
    include_str!("../models/stdlib.c"),
    include_str!("../models/stdio.c"),
    include_str!("../models/system.c"),
    include_str!("../models/getopt.c"),
    include_str!("../models/environ.c"),
    include_str!("../models/pthread.c"),
    include_str!("../models/lock.c"),
    include_str!("../models/macros.c"),
    include_str!("../models/verifier.c"),
];

/// Gives models to the calls of library functions in `module` that have no body. A call keeps what it calls where
/// `is_spoken_of` the function, unless the model does by itself what is spoken of, or where the call does not have the
/// types of the model.
pub fn supply(module: &mut Module, is_spoken_of: &dyn Fn(&str) -> bool) {
    let library = library(module.types.target);
    Supplier::new(module, &library, is_spoken_of).supply(module);
}

/// The names of the functions that have a model, in order.
pub fn names() -> Vec<String> {
    let library = library(Target::Lp64);
    let is_model = |row: &&hardbop_c_core::Function| row.body.is_some() && row.linkage == Linkage::External;
    let mut names: Vec<String> = library.functions.iter().filter(is_model).map(|row| row.source_name.clone()).collect();
    names.sort();
    names
}

/// All models as one program.
fn library(target: Target) -> Module {
    let (tree, found) = hardbop_lang_c::parse(&FILES.concat(), 0);
    assert!(found.is_empty(), "models are C: {found:?}");
    match hardbop_c_lower::lower(&tree, target) {
        Ok(lowered) => lowered.module,
        Err(found) => panic!("models are C: {found:?}"),
    }
}
