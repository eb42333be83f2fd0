//! What runs beside the rest of a program: threads and handlers of signals, which are followed where they start and where
//! they are waited for, not in between; and files that are missing.

use hardbop_base::{Diagnostic, SourceMap};
use hardbop_c_core::{Linkage, Module};
use hardbop_c_facts::Subject;
use hardbop_c_graph::Action;
use hardbop_points_to as points_to;
use hardbop_points_to::library;

/// A warning for each kind of what runs beside the program, at the first place where such a thing begins.
pub fn warnings(subject: Subject<'_, '_>) -> Vec<Diagnostic> {
    let icfg = &subject.graph.icfg;
    let calls = subject.graph.actions.iter_enumerated().filter_map(|(edge, action)| {
        let (Action::Call(_, callee) | Action::External(_, Some(callee))) = action else { return None };
        let callee = &subject.module.functions[*callee];
        let is_library = callee.is_model || callee.body.is_none();
        is_library.then(|| (library::plain(&callee.source_name), icfg.nodes[icfg.edges[edge].from].span))
    });
    let calls: Vec<_> = calls.collect();
    let first = |is_meant: fn(&str) -> bool, what: &str, help: &str| {
        let places = calls.iter().filter(|(name, _)| is_meant(name)).map(|&(_, span)| span);
        let place = places.min_by_key(|span| span.start)?;
        Some(Diagnostic::warning("one-at-a-time", format!("{what} are not modelled"), Some(place)).help(help))
    };
    let threads = first(
        library::starts_thread,
        "threads that take turns",
        "each is taken to run to its end where it is started, or where one is waited for: `safe` is said of such runs",
    );
    let handlers = first(
        library::installs_handler,
        "signals that come at any time",
        "a handler is taken to run where it is installed, or where the signal is raised: `safe` is said of such runs",
    );
    threads.into_iter().chain(handlers).collect()
}

/// A warning where files are missing that could call functions of a program by their names.
pub fn elsewhere(module: &Module, sources: &SourceMap) -> Option<Diagnostic> {
    let is_library = |_: &str, span| sources.is_of_system(span);
    let (name, place) = points_to::elsewhere(module, is_library).min_by_key(|(_, span)| span.start)?;
    let is_open = |row: &&hardbop_c_core::Function| {
        row.body.is_some() && !row.is_model && row.linkage == Linkage::External && row.source_name != "main"
    };
    let callable = module.functions.iter().find(is_open)?;
    let message = format!("`{name}` is in none of the files");
    let help = format!(
        "code that is not here is taken to call functions that it is given, and none, such as `{}`, by its name; \
         give all files, or `--pessimistic`",
        callable.source_name
    );
    Some(Diagnostic::warning("missing-file", message, Some(place)).help(help))
}
