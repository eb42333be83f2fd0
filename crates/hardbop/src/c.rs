//! C programs: from the user's files to one program in three-address form.

use crate::arguments::CompilerOptions;
use crate::evidence::Failure;
use crate::input::Input;
use crate::task;
use hardbop_base::{Budget, FileId, Marker};
use hardbop_c_core::{Callee, FunctionId, Linkage, Module, StmtKind, Target};
use hardbop_c_graph::{CGraph, CallSite, Entries, Surroundings, Targets};
use hardbop_lang_c as lang_c;
use hardbop_lang_c::ast::{Ast, BasicType, Item, Storage, TypeSpecifier};
use hardbop_points_to::{PointsTo, Site};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A C program.
#[derive(Debug)]
pub struct CProgram {
    /// Its three-address form.
    pub module: Module,
    /// Whether task files name it, in which undefined functions write nothing.
    pub is_task: bool,
}

/// The files of a program.
struct Files {
    paths: Vec<PathBuf>,
    is_task: bool,
    /// The machine that a task file names.
    target: Option<Target>,
}

/// From `files` to one program: read → preprocess → parse → lower → link.
pub fn load(
    files: &[PathBuf],
    compiler: &CompilerOptions,
    input: &mut Input,
    budget: &Budget,
) -> Result<CProgram, Failure> {
    budget.enter("read");
    let files = follow_tasks(files, input)?;
    budget.enter("preprocess");
    let sources: Vec<FileId> =
        files.paths.iter().map(|path| input.read_c(path, compiler, budget)).collect::<Result<_, _>>()?;
    budget.enter("parse");
    let mut units = Vec::new();
    for file in sources {
        units.push(parse(file, input)?);
    }
    let targets = targets(&files, compiler, &units);
    budget.enter("lower");
    let mut modules = Vec::new();
    for (unit, target) in units.iter().zip(targets) {
        let lowered = input.accept_result(hardbop_c_lower::lower(unit, target))?;
        input.accept(lowered.warnings)?;
        modules.push(lowered.module);
    }
    budget.enter("link");
    let linked = input.accept_result(hardbop_c_lower::link(modules))?;
    input.accept(linked.warnings)?;
    Ok(CProgram { module: linked.module, is_task: files.is_task })
}

/// The control flow of `module`: from `main`, or without one from every function that others can call.
pub fn graph<'m>(module: &'m Module, points_to: &PointsTo<'_>) -> CGraph<'m> {
    let (defined, undefined): (Vec<FunctionId>, Vec<FunctionId>) =
        module.functions.ids().partition(|&id| module.functions[id].body.is_some());
    let main = defined.iter().find(|&&id| module.functions[id].source_name == "main");
    let is_external = |id: &FunctionId| module.functions[*id].linkage == Linkage::External;
    let others: Vec<FunctionId> = defined.iter().copied().filter(is_external).collect();
    let entries = main.map_or(Entries::Any(&others), |&main| Entries::One(main));
    let calls = points_to.call_graph();
    let called_back: BTreeSet<FunctionId> = undefined.iter().flat_map(|&id| calls.callees(id)).copied().collect();
    let is_known = |id: &FunctionId| called_back.contains(id) || points_to.has_escaped(points_to.function(*id));
    let known_outside: Vec<FunctionId> = defined.iter().copied().filter(is_known).collect();
    let calls_back = |id: &FunctionId| calls.calls_outside(*id) || !calls.callees(*id).is_empty();
    let targets = |site: CallSite<'_>| {
        let call = Site { function: site.function, call: site.number };
        let may_be_unknown = points_to.may_call_outside(call);
        let functions = match &site.stmt.kind {
            StmtKind::Call { callee: Callee::Function(callee), .. } => vec![*callee],
            _ => points_to.callees(call),
        };
        let is_outside = |id: &&FunctionId| module.functions[**id].body.is_none();
        let may_call_back = may_be_unknown || functions.iter().filter(is_outside).any(calls_back);
        Targets { functions, may_be_unknown, may_call_back }
    };
    hardbop_c_graph::graph(module, &Surroundings { entries, known_outside: &known_outside, targets: &targets })
}

/// The programs that task files name instead of them.
fn follow_tasks(files: &[PathBuf], input: &mut Input) -> Result<Files, Failure> {
    let mut result = Files { paths: Vec::new(), is_task: false, target: None };
    for path in files {
        if path.extension().is_some_and(|extension| extension == "yml") {
            let file = input.read(path)?;
            let task = task::read(path, input.text(file))?;
            result.paths.extend(task.inputs);
            result.is_task = true;
            result.target = result.target.or(task.target);
        } else {
            result.paths.push(path.clone());
        }
    }
    Ok(result)
}

fn parse(file: FileId, input: &mut Input) -> Result<Ast, Failure> {
    let start = input.start(file);
    let (mut ast, found) = lang_c::parse(input.text(file), start);
    let markers = std::mem::take(&mut ast.markers).into_iter();
    let markers = markers.map(|marker| Marker { offset: marker.offset, line: marker.line as usize, path: marker.path });
    input.sources.set_markers(file, markers.collect());
    input.accept(found)?;
    Ok(ast)
}

/// The machine of each unit: what the options say, else what its own `size_t` says, else what another's says, else what
/// the task says, else that of SV-COMP or this one.
fn targets(files: &Files, compiler: &CompilerOptions, units: &[Ast]) -> Vec<Target> {
    let host = if cfg!(target_pointer_width = "32") { Target::Ilp32 } else { Target::Lp64 };
    let asked = compiler.m32.then_some(Target::Ilp32).or(compiler.m64.then_some(Target::Lp64));
    let own: Vec<Option<Target>> = units.iter().map(size_type).collect();
    let usual = files.target.unwrap_or(if files.is_task { Target::Ilp32 } else { host });
    let others = own.iter().find_map(|own| *own).unwrap_or(usual);
    own.into_iter().map(|own| asked.or(own).unwrap_or(others)).collect()
}

/// The machine on which `size_t` is what this unit says.
fn size_type(unit: &Ast) -> Option<Target> {
    unit.items.iter().find_map(|item| {
        let Item::Declaration(declaration) = item else { return None };
        let declares = |name: &str| {
            let names = declaration.declarators.iter().filter_map(|one| one.declarator.name);
            names.into_iter().any(|ident| &*unit.names[ident.name] == name)
        };
        match (declaration.specifiers.storage, &declaration.specifiers.base) {
            (Some(Storage::Typedef), TypeSpecifier::Basic(BasicType::UnsignedInt)) if declares("size_t") => {
                Some(Target::Ilp32)
            }
            (Some(Storage::Typedef), TypeSpecifier::Basic(BasicType::UnsignedLong)) if declares("size_t") => {
                Some(Target::Lp64)
            }
            _ => None,
        }
    })
}
