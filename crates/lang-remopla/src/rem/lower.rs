//! From the syntax tree to the shared representation: one node per statement, one edge per way it can go.
//!
//! Names are looked up and types checked on the way. Nothing here recurses over statements: first each statement learns
//! what follows it, then each makes its edges.

mod assign;
mod entry;
mod expr;
mod place;
mod rule;
mod stmt;

use super::ast::{self, Ast, Block, Body, Ident, StmtId, StmtKind};
use super::names::Symbol;
use super::roles::DatumId;
use super::scope::{Scopes, VariableId, declare};
use expr::{Bound, Reading};
use hardbop_base::{Diagnostic, Idx, IndexVec};
use hardbop_icfg::words::Builder;
use hardbop_icfg::{
    EdgeId, EdgeKind, ExprId, Exprs, IcfgBuilder, Marks, NodeId, Proc, ProcId, Program, Relation, Scope, Transition,
    VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most updates that all edges together can make.
const MAX_UPDATES: usize = 1 << 22;

/// The name of the procedure that the statements outside of all modules are in.
const OUTSIDE: &str = "init";

/// A program, and what its author may not have meant.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program<Relation>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// The program of `ast`. It starts in module `entry` or, without one, where its `init` says or in `main`.
///
/// # Errors
/// What is wrong with names, types and numbers.
pub fn lower(ast: &Ast, entry: Option<&str>) -> Result<Lowered, Vec<Diagnostic>> {
    let scopes = declare(ast);
    if scopes.findings.has_errors() {
        return Err(scopes.findings.finish());
    }
    let mut exprs = Exprs::default();
    let mut lowering = Lowering::new(scopes, Builder::new(&mut exprs));
    let start = lowering.start(entry);
    lowering.bodies(&start);
    let initial = lowering.initial(&start);
    lowering.set_roles();
    let Lowering { scopes, graph, labels, mut marks, .. } = lowering;
    if scopes.findings.has_errors() {
        return Err(scopes.findings.finish());
    }
    let warnings = scopes.findings.finish();
    let icfg = graph.finish();
    marks.labels.sort_by_key(|&(_, node)| icfg.nodes[node].span.start);
    let mut locals = IndexVec::from_elem(Vec::new(), icfg.procs.len());
    for (id, var) in scopes.vars.iter_enumerated() {
        if let Scope::Parameter(proc) | Scope::Local(proc) | Scope::Result(proc) = var.scope {
            let of_proc: &mut Vec<VarId> = &mut locals[proc];
            of_proc.push(id);
        }
    }
    let data = scopes.data.iter().cloned().collect();
    let (vars, entry) = (scopes.vars, start.entry);
    Ok(Lowered { program: Program { icfg, vars, exprs, data, labels, locals, entry, initial, marks }, warnings })
}

struct Lowering<'a> {
    ast: &'a Ast,
    scopes: Scopes<'a>,
    words: Builder<'a>,
    graph: IcfgBuilder,
    labels: IndexVec<EdgeId, Relation>,
    marks: Marks,
    /// By statement: its node, where control goes behind it, and where a `break` in it goes.
    nodes: IndexVec<StmtId, NodeId>,
    following: IndexVec<StmtId, NodeId>,
    breaks: IndexVec<StmtId, Option<NodeId>>,
    procedure: Procedure,
    reading: Reading,
    /// What quantifiers around here give to names, the innermost last.
    bound: Vec<Bound>,
    /// Which assignments, by their targets, have one value wherever they have one target.
    agreements: FxHashMap<(ast::ExprId, ast::ExprId), bool>,
    /// The names that have been reported as undeclared.
    unknown: FxHashSet<(ProcId, Symbol)>,
    instances: u64,
    updates: usize,
    has_chance: bool,
    /// The only state that rules are about.
    state: Option<Ident>,
}

/// The procedure that is being lowered.
struct Procedure {
    id: ProcId,
    exit: NodeId,
    labels: FxHashMap<Symbol, NodeId>,
}

/// Where a run starts.
struct Start {
    entry: ProcId,
    /// The place in the entry where it starts, where that is not the beginning.
    label: Option<Ident>,
    /// Modules and labels of which one is chosen, in a procedure of their own.
    choice: Vec<Ident>,
}

impl<'a> Lowering<'a> {
    fn new(scopes: Scopes<'a>, words: Builder<'a>) -> Self {
        let ast = scopes.ast;
        let nowhere = NodeId::from_usize(0);
        let procedure = Procedure { id: ProcId::from_usize(0), exit: nowhere, labels: FxHashMap::default() };
        Self {
            ast,
            scopes,
            words,
            graph: IcfgBuilder::default(),
            labels: IndexVec::new(),
            marks: Marks::default(),
            nodes: IndexVec::from_elem(nowhere, ast.stmts.len()),
            following: IndexVec::from_elem(nowhere, ast.stmts.len()),
            breaks: IndexVec::from_elem(None, ast.stmts.len()),
            procedure,
            reading: Reading::Statement,
            bound: Vec::new(),
            agreements: FxHashMap::default(),
            unknown: FxHashSet::default(),
            instances: 0,
            updates: 0,
            has_chance: false,
            state: None,
        }
    }

    fn bodies(&mut self, start: &Start) {
        let ast = self.ast;
        for (id, module) in ast.modules.iter_enumerated() {
            self.body(Scopes::procedure(id), Some(module.header.name), &module.body, start);
        }
        let outside = self.scopes.outside();
        if start.entry == outside || !ast.outside.stmts.is_empty() {
            self.body(outside, None, &ast.outside, start);
        }
    }

    fn body(&mut self, id: ProcId, name: Option<Ident>, body: &Body, start: &Start) {
        self.procedure.id = id;
        let first_node = self.graph.next_node();
        self.add_nodes(body);
        let exit = self.graph.node(id, body.end);
        self.procedure.exit = exit;
        let mut entry = self.start_of(body.block, exit);
        if let Some(name) = name {
            // A module's name stands for its beginning, unless there is a label of that name.
            self.procedure.labels.entry(name.name).or_insert(entry);
        }
        self.find_following(body);
        for stmt in body.all() {
            if self.scopes.findings.is_full() {
                break;
            }
            // What is wrong with one statement does not keep us from looking at the next.
            let _ = self.statement(stmt);
        }
        if start.entry == id {
            entry = self.start_node(start, entry);
        }
        self.edge(exit, EdgeKind::Return, Relation::Return);
        let nodes = (first_node, self.graph.next_node());
        let (text, span) = name.map_or((OUTSIDE, body.end), |name| (self.ast.text(name), name.span));
        self.graph.proc(Proc { name: text.into(), span, entry, exit, nodes });
    }

    fn add_nodes(&mut self, body: &Body) {
        let ast = self.ast;
        self.procedure.labels.clear();
        for id in body.all() {
            let stmt = &ast.stmts[id];
            if matches!(stmt.kind, StmtKind::Rule(_)) {
                continue;
            }
            let node = self.graph.node(self.procedure.id, stmt.span);
            self.nodes[id] = node;
            for &label in ast.idents(stmt.labels) {
                self.add_label(label, node);
            }
        }
        self.add_symbols(body);
    }

    fn add_label(&mut self, label: Ident, node: NodeId) {
        match self.procedure.labels.get(&label.name) {
            // A label that stands twice on a statement counts once.
            Some(&first) if first == node => {}
            Some(_) => {
                let message = format!("the label `{}` stands twice in one module", self.ast.text(label));
                self.scopes.report(Diagnostic::error("duplicate-label", message, label.span));
            }
            None => {
                self.procedure.labels.insert(label.name, node);
                self.marks.labels.push((self.ast.text(label).into(), node));
            }
        }
    }

    /// Where control goes that reaches `block` and then `after`.
    fn start_of(&self, block: Block, after: NodeId) -> NodeId {
        self.ast.block(block).first().map_or(after, |&stmt| self.nodes[stmt])
    }

    /// A statement comes before those inside it, so what follows it is known when theirs is needed.
    fn find_following(&mut self, body: &Body) {
        let ast = self.ast;
        self.follow_block(body.block, self.procedure.exit, None);
        for id in body.all() {
            let (after, node) = (self.following[id], self.nodes[id]);
            let (branches, after, broken) = match ast.stmts[id].kind {
                StmtKind::If(branches) | StmtKind::Chance(branches) => (branches, after, self.breaks[id]),
                StmtKind::Do(branches) => (branches, node, Some(after)),
                _ => continue,
            };
            for branch in ast.branches(branches) {
                self.follow_block(branch.body, after, broken);
            }
        }
    }

    fn follow_block(&mut self, block: Block, after: NodeId, broken: Option<NodeId>) {
        let stmts = self.ast.block(block);
        for (row, &stmt) in stmts.iter().enumerate() {
            self.following[stmt] = stmts.get(row + 1).map_or(after, |&next| self.nodes[next]);
            self.breaks[stmt] = broken;
        }
    }

    /// What must be true of the locals of `proc` when it starts.
    fn start_values(&mut self, proc: ProcId) -> Option<ExprId> {
        let signature = &self.scopes.signatures[proc];
        let variables = signature.result.iter().chain(&signature.params).chain(&signature.locals);
        let variables: Vec<VariableId> = variables.copied().collect();
        self.members(&variables)
    }

    /// That the next values of `variables` are those that their types have.
    fn members(&mut self, variables: &[VariableId]) -> Option<ExprId> {
        let mut parts = Vec::new();
        for &variable in variables {
            let variable = self.scopes.variables[variable];
            for offset in 0..self.scopes.types.scalars(variable.kind) {
                parts.push(self.is_member(DatumId::from_usize(variable.first.index() + offset)));
            }
        }
        let all = self.words.all(parts);
        self.unless_true(all)
    }

    fn initial(&mut self, start: &Start) -> Transition {
        let globals = self.globals();
        let parts = [self.members(&globals), self.start_values(start.entry)];
        let all = self.words.all(parts.into_iter().flatten().collect::<Vec<_>>());
        Transition { constraint: self.unless_true(all), ..Transition::SKIP }
    }

    fn set_roles(&mut self) {
        for id in self.scopes.data.ids() {
            self.scopes.data[id].role = self.scopes.roles.role(id);
        }
    }
}
