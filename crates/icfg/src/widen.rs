//! A program with more variables: the same graph and the same labels, every variable renumbered.

use crate::{Expr, Exprs, ProcId, Program, Relation, Scope, Transition, Var, VarId};
use hardbop_base::{IndexVec, Span};

/// What is added.
#[derive(Clone, Default, Debug)]
pub struct More<'a> {
    /// Globals with these names, before the program's own.
    pub globals: &'a [String],
    /// In each procedure a result with this name, after its own.
    pub result: Option<&'a str>,
    /// In each procedure parameters with these names, before its own.
    pub parameters: &'a [String],
}

/// A program with more variables.
#[derive(Clone, Debug)]
pub struct Widened {
    /// The program.
    pub program: Program<Relation>,
    /// The variable that each of its variables was before, if it is not new.
    pub origin: IndexVec<VarId, Option<VarId>>,
    /// The new globals.
    pub globals: Vec<VarId>,
    /// The new result of each procedure, if one was asked for.
    pub results: IndexVec<ProcId, Option<VarId>>,
    /// The new parameters of each procedure.
    pub parameters: IndexVec<ProcId, Vec<VarId>>,
}

/// Adds `more` to `program`. The new variables stand in no label yet.
pub fn widen(program: &Program<Relation>, more: &More<'_>) -> Widened {
    let mut table = Table {
        span: program.icfg.procs[program.entry].span,
        old: program,
        vars: IndexVec::new(),
        origin: IndexVec::new(),
        new_of: IndexVec::from_elem(None, program.vars.len()),
    };
    let globals = more.globals.iter().map(|name| table.add(name, Scope::Global)).collect();
    program.globals().for_each(|var| {
        table.keep(var);
    });
    let mut result = Widened {
        program: program.clone(),
        origin: IndexVec::new(),
        globals,
        results: IndexVec::new(),
        parameters: IndexVec::new(),
    };
    for (proc, vars) in program.locals.iter_enumerated() {
        let is_result = |var: &&VarId| matches!(program.vars[**var].scope, Scope::Result(_));
        let mut locals: Vec<VarId> = vars.iter().filter(is_result).map(|&var| table.keep(var)).collect();
        let added = more.result.map(|name| table.add(name, Scope::Result(proc)));
        locals.extend(added);
        result.results.push(added);
        let added: Vec<VarId> = more.parameters.iter().map(|name| table.add(name, Scope::Parameter(proc))).collect();
        locals.extend(&added);
        result.parameters.push(added);
        locals.extend(vars.iter().filter(|var| !is_result(var)).map(|&var| table.keep(var)));
        result.program.locals[proc] = locals;
    }
    let Table { vars, origin, new_of, .. } = table;
    let new_of = |var: VarId| new_of[var].expect("every variable is a global or a procedure's");
    result.program.exprs = renamed(&program.exprs, new_of);
    let program = &mut result.program;
    for label in program.labels.iter_mut() {
        match label {
            Relation::Step(step) => retarget(step, new_of),
            Relation::Call { enter, leave } => {
                retarget(enter, new_of);
                retarget(leave, new_of);
            }
            Relation::Return => {}
        }
    }
    retarget(&mut program.initial, new_of);
    for bit in program.data.iter_mut().flat_map(|datum| &mut datum.bits) {
        *bit = new_of(*bit);
    }
    program.vars = vars;
    result.origin = origin;
    result
}

struct Table<'a> {
    span: Span,
    old: &'a Program<Relation>,
    vars: IndexVec<VarId, Var>,
    origin: IndexVec<VarId, Option<VarId>>,
    new_of: IndexVec<VarId, Option<VarId>>,
}

impl Table<'_> {
    fn add(&mut self, name: &str, scope: Scope) -> VarId {
        self.origin.push(None);
        self.vars.push(Var { name: name.to_owned(), scope, span: self.span })
    }

    fn keep(&mut self, var: VarId) -> VarId {
        // Two procedures can have the same locals, if one is a copy of the other.
        if let Some(id) = self.new_of[var] {
            return id;
        }
        self.origin.push(Some(var));
        let id = self.vars.push(self.old.vars[var].clone());
        self.new_of[var] = Some(id);
        id
    }
}

/// The same expressions under the same ids, over other variables.
fn renamed(exprs: &Exprs, new_of: impl Fn(VarId) -> VarId) -> Exprs {
    let mut result = Exprs::default();
    for expr in exprs.iter() {
        result.add(match expr {
            Expr::Var(var) => Expr::Var(new_of(var)),
            Expr::Next(var) => Expr::Next(new_of(var)),
            Expr::Saved(var) => Expr::Saved(new_of(var)),
            expr => expr,
        });
    }
    result
}

fn retarget(transition: &mut Transition, new_of: impl Fn(VarId) -> VarId) {
    for update in &mut transition.updates {
        update.target = new_of(update.target);
    }
}
