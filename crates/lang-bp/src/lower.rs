//! From the syntax tree to the shared representation: one node per statement, one edge per way it can go.
//!
//! A procedure's statements are numbered like its nodes, so nothing here recurses over statements: first each
//! statement learns what follows it, then each makes its edges.

mod expr;
mod invariant;
mod stmt;

use crate::ast::{self, Ast, Block, Otherwise, StmtId, StmtKind};
use crate::check::resolve;
use expr::Terms;
use hardbop_base::{Diagnostic, Idx, IndexVec};
use hardbop_icfg::{
    EdgeId, EdgeKind, Exprs, IcfgBuilder, Marks, NodeId, Proc, ProcId, Program, Relation, Transition, VarId,
};
use invariant::Invariant;
use stmt::Assignment;

/// A program, and what its author may not have meant.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program<Relation>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// The program of `ast`, which starts in procedure `entry`.
///
/// # Errors
/// What [`check`](crate::check()) finds, where there are errors in it.
pub fn lower(ast: &Ast, entry: &str) -> Result<Lowered, Vec<Diagnostic>> {
    let ((scopes, entry), findings) = resolve(ast, entry);
    let Some(entry) = entry.filter(|_| !findings.has_errors()) else { return Err(findings.finish()) };
    let mut lowering = Lowering {
        ast,
        places: IndexVec::from_elem(None, scopes.vars.len()),
        terms: Terms { ast, scopes, exprs: Exprs::default(), choices: 0 },
        builder: IcfgBuilder::default(),
        labels: IndexVec::new(),
        marks: Marks::default(),
        invariants: IndexVec::new(),
        assignments: Vec::new(),
        procedure: Procedure::default(),
    };
    lowering.invariants = lowering.all_invariants();
    for id in ast.procs.ids() {
        lowering.procedure(id);
    }
    let program = lowering.finish(entry);
    Ok(Lowered { program, warnings: findings.finish() })
}

struct Lowering<'a> {
    ast: &'a Ast,
    terms: Terms<'a>,
    builder: IcfgBuilder,
    labels: IndexVec<EdgeId, Relation>,
    marks: Marks,
    invariants: IndexVec<ast::ProcId, Vec<Invariant>>,
    /// What the present statement assigns; empty between statements.
    assignments: Vec<Assignment>,
    /// Where each variable stands first among `assignments`; all `None` between statements.
    places: IndexVec<VarId, Option<u32>>,
    procedure: Procedure,
}

/// The procedure that is being lowered.
struct Procedure {
    id: ast::ProcId,
    first_stmt: StmtId,
    first_node: NodeId,
    exit: NodeId,
    /// By statement, counted from `first_stmt`: where control goes behind it.
    following: Vec<NodeId>,
}

impl Default for Procedure {
    fn default() -> Self {
        Self {
            id: Idx::from_usize(0),
            first_stmt: Idx::from_usize(0),
            first_node: Idx::from_usize(0),
            exit: Idx::from_usize(0),
            following: Vec::new(),
        }
    }
}

impl Procedure {
    fn row(&self, stmt: StmtId) -> usize {
        stmt.index() - self.first_stmt.index()
    }

    fn node(&self, stmt: StmtId) -> NodeId {
        NodeId::from_usize(self.first_node.index() + self.row(stmt))
    }

    fn follow(&mut self, stmt: StmtId, node: NodeId) {
        let row = self.row(stmt);
        self.following[row] = node;
    }

    /// Where control goes that reaches `block` and then `after`.
    fn start_of(&self, ast: &Ast, block: Block, after: NodeId) -> NodeId {
        ast.block(block).first().map_or(after, |&stmt| self.node(stmt))
    }

    fn follow_block(&mut self, ast: &Ast, block: Block, after: NodeId) {
        let stmts = ast.block(block);
        for pair in stmts.windows(2) {
            self.follow(pair[0], self.node(pair[1]));
        }
        if let Some(&last) = stmts.last() {
            self.follow(last, after);
        }
    }
}

impl Lowering<'_> {
    fn procedure(&mut self, id: ast::ProcId) {
        let ast = self.ast;
        let proc = &ast.procs[id];
        let number = ProcId::from_usize(id.index());
        self.terms.scopes.enter(id, &mut |_| ());
        let first_node = self.builder.next_node();
        for stmt in proc.stmts.ids() {
            let node = self.builder.node(number, ast.stmts[stmt].span);
            for &label in ast.idents(ast.stmts[stmt].labels) {
                // A label that stands twice on a statement counts once.
                if self.terms.scopes.add_label(label.name, stmt).is_none() {
                    self.marks.labels.push((ast.text(label).into(), node));
                }
            }
        }
        let exit = self.builder.node(number, proc.end);
        self.procedure.id = id;
        self.procedure.first_stmt = proc.stmts.ids().next().unwrap_or(Idx::from_usize(0));
        self.procedure.first_node = first_node;
        self.procedure.exit = exit;
        self.find_following(proc);
        for stmt in proc.stmts.ids() {
            self.statement(stmt);
        }
        self.edge(exit, EdgeKind::Return, Relation::Return);
        self.builder.proc(Proc {
            name: ast.text(proc.name).into(),
            span: proc.name.span,
            entry: self.procedure.start_of(ast, proc.body, exit),
            exit,
            nodes: (first_node, self.builder.next_node()),
        });
    }

    /// A statement comes before those inside it, so what follows it is known when theirs is needed.
    fn find_following(&mut self, proc: &ast::Proc) {
        let Self { ast, procedure, .. } = self;
        procedure.following.clear();
        procedure.following.resize(proc.stmts.len(), procedure.exit);
        procedure.follow_block(ast, proc.body, procedure.exit);
        for id in proc.stmts.ids() {
            let after = procedure.following[procedure.row(id)];
            match ast.stmts[id].kind {
                StmtKind::If { then, otherwise, .. } => {
                    procedure.follow_block(ast, then, after);
                    match otherwise {
                        Otherwise::Nothing => {}
                        Otherwise::Elsif(stmt) => procedure.follow(stmt, after),
                        Otherwise::Else(block) => procedure.follow_block(ast, block, after),
                    }
                }
                StmtKind::While { body, .. } => procedure.follow_block(ast, body, procedure.node(id)),
                _ => {}
            }
        }
    }

    fn edge(&mut self, from: NodeId, kind: EdgeKind, label: Relation) {
        self.builder.edge(from, kind);
        self.labels.push(label);
    }

    fn finish(mut self, entry: ast::ProcId) -> Program<Relation> {
        self.terms.choices = 0;
        let mut initial = Transition::SKIP;
        self.enforce_all(entry, &mut initial);
        initial.choices = self.terms.choices;
        let Terms { scopes, exprs, .. } = self.terms;
        let locals = scopes.signatures.iter().map(|signature| {
            signature.results.ids().chain(signature.formals.ids()).chain(signature.locals.ids()).collect()
        });
        Program {
            icfg: self.builder.finish(),
            locals: locals.collect(),
            vars: scopes.vars,
            data: Vec::new(),
            exprs,
            labels: self.labels,
            entry: ProcId::from_usize(entry.index()),
            initial,
            marks: self.marks,
        }
    }
}
