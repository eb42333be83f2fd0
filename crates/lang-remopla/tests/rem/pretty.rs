//! A program as text: its data, then each node with its statement, below it its edges.

use hardbop_base::SourceMap;
use hardbop_icfg::{EdgeKind, Expr, ExprId, NodeId, Program, Relation, Transition, Value, VarId};

pub fn pretty(program: &Program<Relation>, sources: &SourceMap) -> String {
    let printer = Printer { program };
    let mut text = String::new();
    if !program.initial.is_skip() {
        text += &format!("initially{}\n", printer.transition(&program.initial));
    }
    for (id, proc) in program.icfg.procs.iter_enumerated() {
        let vars: Vec<_> = program.locals[id].iter().map(|&var| printer.var(var)).collect();
        let entry = if id == program.entry { "start at" } else { "from" };
        text += &format!("{}({}) {entry} {}\n", proc.name, vars.join(", "), proc.entry);
        for node in program.icfg.nodes_of(id) {
            text += &printer.node(node, sources);
        }
    }
    text
}

/// Names, types and roles of all data.
pub fn data(program: &Program<Relation>) -> String {
    let lines = program.data.iter().map(|datum| {
        let bits: Vec<_> = datum.bits.iter().map(|&bit| program.vars[bit].name.as_str()).collect();
        let scope = program.vars[datum.bits[0]].scope;
        format!("{}: {:?} {:?} {scope:?} [{}]\n", datum.name, datum.kind, datum.role, bits.join(" "))
    });
    lines.collect()
}

struct Printer<'a> {
    program: &'a Program<Relation>,
}

impl Printer<'_> {
    fn node(&self, node: NodeId, sources: &SourceMap) -> String {
        let program = self.program;
        let labels = program.marks.labels.iter().filter(|&&(_, place)| place == node);
        let labels: String = labels.map(|(label, _)| format!("{label}: ")).collect();
        let silent = if program.marks.silent.contains(&node) { "(silent) " } else { "" };
        let mut text = format!("  {node} {silent}{labels}{}\n", sources.text(program.icfg.nodes[node].span));
        for unmodelled in program.marks.unmodelled.iter().filter(|unmodelled| unmodelled.node == node) {
            text += &format!("    not modelled: {}\n", unmodelled.what);
        }
        for &edge in program.icfg.successors(node) {
            match (program.icfg.edges[edge].kind, &program.labels[edge]) {
                (EdgeKind::Step { to }, Relation::Step(step)) => {
                    text += &format!("    -> {to}{}\n", self.transition(step));
                }
                (EdgeKind::Call { callee, to }, Relation::Call { enter, leave }) => {
                    let name = &program.icfg.procs[callee].name;
                    text += &format!("    enter {name}{}\n", self.transition(enter));
                    text += &format!("    -> {to}{}\n", self.transition(leave));
                }
                (EdgeKind::Return, Relation::Return) => {}
                other => panic!("an edge and its label do not fit: {other:?}"),
            }
        }
        text
    }

    fn var(&self, var: VarId) -> &str {
        &self.program.vars[var].name
    }

    fn transition(&self, transition: &Transition) -> String {
        assert_eq!(transition.choices, 0);
        let mut text = String::new();
        if let Some(guard) = transition.guard {
            text += &format!(" if {}", self.expr(guard));
        }
        for update in &transition.updates {
            let value = match update.value {
                Value::Of(value) => self.expr(value),
                Value::Any => "*".into(),
            };
            text += &format!(" [{} := {value}]", self.var(update.target));
        }
        if let Some(constraint) = transition.constraint {
            text += &format!(" so that {}", self.expr(constraint));
        }
        text
    }

    fn expr(&self, id: ExprId) -> String {
        let binary = |op, a, b| format!("({} {op} {})", self.expr(a), self.expr(b));
        match self.program.exprs.get(id) {
            Expr::Const(value) => if value { "T" } else { "F" }.into(),
            Expr::Var(var) => self.var(var).into(),
            Expr::Next(var) => format!("{}'", self.var(var)),
            Expr::Saved(var) => format!("{}''", self.var(var)),
            Expr::Choice(choice) => choice.to_string(),
            Expr::Not(a) => format!("!{}", self.expr(a)),
            Expr::And(a, b) => binary("&", a, b),
            Expr::Or(a, b) => binary("|", a, b),
            Expr::Xor(a, b) => binary("^", a, b),
            Expr::Iff(a, b) => binary("=", a, b),
            Expr::Implies(a, b) => binary("=>", a, b),
            Expr::Ite(a, b, c) => format!("({} ? {} : {})", self.expr(a), self.expr(b), self.expr(c)),
        }
    }
}
