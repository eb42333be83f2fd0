//! C programs: from the user's files to one program in three-address form.

mod unused;

use crate::arguments::{CompilerOptions, Outside};
use crate::evidence::Failure;
use crate::input::Input;
use crate::task;
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::{Budget, Diagnostic, FileId, Marker};
use hardbop_c_core::{FunctionId, Linkage, Module, Target, VarKind};
use hardbop_c_graph::{CGraph, Entries};
use hardbop_c_lower::Inline;
use hardbop_lang_c as lang_c;
use hardbop_lang_c::ast::{Ast, BasicType, Item, LineMarker, Storage, TypeSpecifier};
use hardbop_lang_flow::Analysis;
use hardbop_points_to::PointsTo;
use std::path::PathBuf;

/// The codes of this module's diagnostics.
#[cfg(test)]
pub const CODES: &[&str] = &["unused-model"];

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
    /// How many of them are the program's own; the others are models.
    own: usize,
    is_task: bool,
    /// The machine that a task file names.
    target: Option<Target>,
}

/// From `files` to one program: read → preprocess → parse → lower → link. What `models` define counts where the program
/// does not define it; runs may start there, in `entry`.
pub fn load(
    files: &[PathBuf],
    models: &[PathBuf],
    entry: Option<&str>,
    compiler: &CompilerOptions,
    input: &mut Input,
    budget: &Budget,
) -> Result<CProgram, Failure> {
    budget.enter("read");
    let files = follow_tasks(files, models, input)?;
    budget.enter("preprocess");
    let sources: Vec<FileId> =
        files.paths.iter().map(|path| input.read_c(path, compiler, budget)).collect::<Result<_, _>>()?;
    let models = sources.get(files.own).map_or(u32::MAX, |&file| input.start(file));
    budget.enter("parse");
    let mut units = Vec::new();
    for file in sources {
        units.push(parse(file, input)?);
    }
    let targets = targets(&files, compiler, &units);
    let inline = inline(compiler);
    budget.enter("lower");
    let mut modules = Vec::new();
    for (index, (unit, target)) in units.iter().zip(targets).enumerate() {
        let mut lowered = input.accept_result(hardbop_c_lower::lower_as(unit, target, inline))?;
        input.accept(lowered.warnings)?;
        if index >= files.own {
            // A linker takes the program's definition instead of a weak one.
            lowered.module.functions.iter_mut().for_each(|function| function.is_weak |= function.body.is_some());
        }
        modules.push(lowered.module);
    }
    budget.enter("link");
    let (own, extra) = modules.split_at(files.own);
    input.accept(unused::warnings(own, extra, entry.unwrap_or("main"), &input.sources))?;
    let mut linked = input.accept_result(hardbop_c_link::link(modules))?;
    input.accept(linked.warnings)?;
    hide_models(&mut linked.module, models);
    Ok(CProgram { module: linked.module, is_task: files.is_task })
}

/// What `inline` means in the language that is asked for.
fn inline(compiler: &CompilerOptions) -> Inline {
    const OLD: [&str; 6] = ["c89", "c90", "gnu89", "gnu90", "iso9899:1990", "iso9899:199409"];
    match compiler.standard.as_deref() {
        Some(standard) if OLD.contains(&standard) => Inline::Gnu,
        _ => Inline::Standard,
    }
}

/// Code outside sees nothing that is defined in models, whose texts begin at `start` in the source map.
fn hide_models(module: &mut Module, start: u32) {
    for function in module.functions.iter_mut().filter(|row| row.body.is_some() && row.span.start >= start) {
        (function.linkage, function.is_weak) = (Linkage::Internal, false);
    }
    for variable in module.vars.iter_mut().filter(|row| row.init.is_some() && row.span.start >= start) {
        if variable.kind == VarKind::Global(Linkage::External) {
            (variable.kind, variable.is_weak) = (VarKind::Global(Linkage::Internal), false);
        }
    }
}

/// The function of `module` that `--entry` names.
pub fn entry(module: &Module, name: &str) -> Result<FunctionId, Diagnostic> {
    let defined = module.functions.iter_enumerated().filter(|(_, function)| function.body.is_some());
    let mut defined = defined.map(|(id, function)| (id, function.source_name.as_str()));
    if let Some((id, _)) = defined.clone().find(|(_, known)| *known == name) {
        return Ok(id);
    }
    let near = did_you_mean(name, defined.by_ref().map(|(_, known)| known));
    let message = format!("there is no function `{name}` with a body{near}");
    Err(Diagnostic::error("no-main", message, None).help("`--entry` names a function that the program defines"))
}

/// The function `main`, where it has a body.
fn main_of(module: &Module) -> Option<FunctionId> {
    let is_main = |id: &FunctionId| module.functions[*id].source_name == "main" && module.functions[*id].body.is_some();
    module.functions.ids().find(is_main)
}

/// Where runs start, in words.
pub fn entry_name(program: &CProgram, entry: Option<FunctionId>) -> String {
    let entry = entry.or_else(|| main_of(&program.module));
    entry.map_or_else(|| "any function".into(), |entry| program.module.functions[entry].source_name.clone())
}

/// The sizes of the machine's types.
pub const fn data_model(module: &Module) -> &'static str {
    match module.types.target {
        Target::Ilp32 => "ILP32",
        Target::Lp64 => "LP64",
    }
}

/// What is taken of code that is not there, in words.
pub fn outside_words(program: &CProgram, outside: &Outside) -> String {
    let values = match outside.pessimistic {
        true => "values from outside may be anything",
        false => "values from outside are fine unless tested",
    };
    let writes = if program.is_task { "write nothing" } else { "write what they can reach" };
    format!("{values}, undefined functions {writes}")
}

/// The control flow of a program: from `entry`, else from `main`, or without one from every function that others can
/// call. What an analysis says of a function without a body is all that this does.
pub fn graph<'m>(
    program: &'m CProgram,
    points_to: &PointsTo<'_>,
    entry: Option<FunctionId>,
    analysis: Option<&Analysis>,
) -> CGraph<'m> {
    let module = &program.module;
    let is_called = |id: &FunctionId| {
        let function = &module.functions[*id];
        let is_found = function.linkage == Linkage::External || function.is_kept;
        function.body.is_some() && (is_found || function.is_constructor || function.is_destructor)
    };
    let others: Vec<FunctionId> = module.functions.ids().filter(is_called).collect();
    let entries = entry.or_else(|| main_of(module)).map_or(Entries::Any(&others), Entries::One);
    let is_described = |name: &str| analysis.is_some_and(|analysis| analysis.speaks_of(name));
    hardbop_c_graph::whole(module, points_to, entries, &is_described)
}

/// The programs that task files name instead of them.
fn follow_tasks(files: &[PathBuf], models: &[PathBuf], input: &mut Input) -> Result<Files, Failure> {
    let mut result = Files { paths: Vec::new(), own: 0, is_task: false, target: None };
    for path in files {
        if path.extension().is_some_and(|extension| extension == "yml") {
            let file = input.read(path)?;
            let task = task::read(path, input.text(file), input.start(file));
            let task = task.map_err(|found| input.refuse(found))?;
            result.paths.extend(task.inputs);
            result.is_task = true;
            result.target = result.target.or(task.target);
        } else {
            result.paths.push(path.clone());
        }
    }
    result.own = result.paths.len();
    result.paths.extend(models.iter().cloned());
    Ok(result)
}

fn parse(file: FileId, input: &mut Input) -> Result<Ast, Failure> {
    let start = input.start(file);
    let (mut ast, found) = lang_c::parse(input.text(file), start);
    let markers = std::mem::take(&mut ast.markers);
    let own = markers.iter().filter(|marker| !marker.is_system).map(|marker| &*marker.path);
    input.read_written(file, own);
    let markers = markers.into_iter().map(|LineMarker { offset, line, path, is_system }| {
        let line = line as usize;
        Marker { offset, line, path, is_system }
    });
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
