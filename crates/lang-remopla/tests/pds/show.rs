//! Programs as text.

use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::{EdgeKind, Expr, ExprId, NodeId, Program, Relation, Scope, Transition, Value, VarId};
use std::fmt::Write;

/// The whole program: a line for each group of variables, for each node and for each edge.
pub fn show(program: &Program<Relation>) -> String {
    let mut text = String::new();
    let mut names: IndexVec<NodeId, Vec<&str>> = IndexVec::from_elem(Vec::new(), program.icfg.nodes.len());
    for (label, node) in &program.marks.labels {
        names[*node].push(label);
    }
    for datum in &program.data {
        let scope = datum.bits.first().map_or(Scope::Global, |&bit| program.vars[bit].scope);
        writeln!(text, "{:?} {} {:?}: {} bits, {:?}", scope, datum.name, datum.kind, datum.bits.len(), datum.role)
            .expect("a string takes everything");
    }
    let initial = transition(program, &program.initial);
    writeln!(text, "initially {initial}").expect("a string takes everything");
    let node = |id: NodeId| match names[id].as_slice() {
        [] if program.icfg.procs.iter().any(|proc| proc.exit == id) => "exit".to_owned(),
        [] => format!("silent-{}", id.index() - program.icfg.procs[program.icfg.nodes[id].proc].nodes.0.index()),
        names => names.join("/"),
    };
    for (id, proc) in program.icfg.procs.iter_enumerated() {
        writeln!(text, "procedure {}", proc.name).expect("a string takes everything");
        for from in program.icfg.nodes_of(id) {
            for &edge in program.icfg.successors(from) {
                let (from, label) = (node(from), &program.labels[edge]);
                match (program.icfg.edges[edge].kind, label) {
                    (EdgeKind::Step { to }, Relation::Step(step)) => {
                        writeln!(text, "  {from} -> {}: {}", node(to), transition(program, step))
                            .expect("a string takes everything");
                    }
                    (EdgeKind::Call { callee, to }, Relation::Call { enter, leave }) => {
                        let callee = &program.icfg.procs[callee].name;
                        writeln!(text, "  {from} -> call {callee}, {}:", node(to)).expect("a string takes everything");
                        writeln!(text, "    enter {}", transition(program, enter)).expect("a string takes everything");
                        writeln!(text, "    leave {}", transition(program, leave)).expect("a string takes everything");
                    }
                    _ => {}
                }
            }
        }
    }
    text
}

fn transition(program: &Program<Relation>, transition: &Transition) -> String {
    let mut parts = Vec::new();
    if let Some(guard) = transition.guard {
        parts.push(format!("if {}", expr(program, guard)));
    }
    for update in &transition.updates {
        let target = name(program, update.target);
        parts.push(match update.value {
            Value::Of(value) => format!("{target} := {}", expr(program, value)),
            Value::Any => format!("{target} := *"),
        });
    }
    if let Some(constraint) = transition.constraint {
        parts.push(format!("where {}", expr(program, constraint)));
    }
    if parts.is_empty() { "skip".into() } else { parts.join(", ") }
}

fn name(program: &Program<Relation>, var: VarId) -> &str {
    &program.vars[var].name
}

/// Only for small expressions: what is shared is written again.
pub fn expr(program: &Program<Relation>, id: ExprId) -> String {
    let text = |id| expr(program, id);
    match program.exprs.get(id) {
        Expr::Const(value) => if value { "1" } else { "0" }.into(),
        Expr::Var(var) => name(program, var).into(),
        Expr::Next(var) => format!("{}'", name(program, var)),
        Expr::Saved(var) => format!("{}''", name(program, var)),
        Expr::Choice(choice) => format!("{choice}"),
        Expr::Not(a) => format!("!{}", text(a)),
        Expr::And(a, b) => format!("({} & {})", text(a), text(b)),
        Expr::Or(a, b) => format!("({} | {})", text(a), text(b)),
        Expr::Xor(a, b) => format!("({} ^ {})", text(a), text(b)),
        Expr::Iff(a, b) => format!("({} = {})", text(a), text(b)),
        Expr::Implies(a, b) => format!("({} -> {})", text(a), text(b)),
        Expr::Ite(a, b, c) => format!("({} ? {} : {})", text(a), text(b), text(c)),
    }
}
