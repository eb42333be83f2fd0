//! Programs from a few lines of text.
//!
//! ```text
//! globals g h
//! initial !g'
//! proc f result r param p local l
//! step 0 1 ; if g & p ; set l = !g ; set g = * ; such l' -> g'
//! call 1 2 f ; set p = l ; back ; set g = r
//! ```
//!
//! Nodes are numbered within their procedure; the first is its entry, the last its exit. The first procedure is the
//! entry of the program. `x'` is next, `x''` is saved (in a formula: at the entry), `?0` is a choice.

use hardbop_base::{Idx, IndexVec, Span};
use hardbop_icfg::{
    ChoiceId, EdgeKind, Expr, ExprId, Exprs, Goal, GoalKind, IcfgBuilder, Marks, NodeId, Proc, ProcId, Program,
    Relation, Scope, Slots, Transition, Update, Value, Var, VarId,
};
use hardbop_verdict::{Atom, Formula, FormulaId, Formulas};

const SPAN: Span = Span::new(0, 0);

pub fn program(text: &str) -> Program<Relation> {
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split(';').map(str::trim).collect())
        .filter(|line: &Vec<_>| !line[0].is_empty())
        .collect();
    let mut program = declare(&lines);
    let mut icfg = IcfgBuilder::default();
    let mut proc = None;
    let mut pending: Vec<(NodeId, EdgeKind, Relation)> = Vec::new();
    let node_count = |index: usize| {
        let body = lines.iter().filter(|line| !line[0].starts_with("globals") && !line[0].starts_with("initial"));
        let body = body.skip_while(|line| line[0] != lines[index][0]).skip(1);
        let edges = body.take_while(|line| !line[0].starts_with("proc"));
        let nodes =
            edges.flat_map(|line| line[0].split(' ').skip(1).take(2).map(|node| node.parse::<usize>().unwrap()));
        nodes.max().unwrap_or(0) + 1
    };
    for (index, line) in lines.iter().enumerate() {
        let head: Vec<&str> = line[0].split_whitespace().collect();
        match head[0] {
            "initial" => {
                let scope = Names { now: None, next: Some(program.entry), saved: None };
                program.initial.constraint = Some(scope.parse(&mut program, line[0].trim_start_matches("initial")));
                program.initial.choices = 8;
            }
            "proc" => {
                let id = ProcId::from_usize(proc.map_or(0, |(id, _): (ProcId, NodeId)| id.index() + 1));
                let (entry, nodes) = (icfg.next_node(), node_count(index));
                (0..nodes).for_each(|_| _ = icfg.node(id, SPAN));
                let (exit, nodes) = (NodeId::from_usize(entry.index() + nodes - 1), (entry, icfg.next_node()));
                icfg.proc(Proc { name: head[1].to_owned(), span: SPAN, entry, exit, nodes });
                pending.push((exit, EdgeKind::Return, Relation::Return));
                proc = Some((id, entry));
            }
            "step" | "call" => {
                let (id, entry) = proc.expect("a procedure comes first");
                let node = |text: &str| NodeId::from_usize(entry.index() + text.parse::<usize>().unwrap());
                let (from, to) = (node(head[1]), node(head[2]));
                let callee = head.get(3).map(|name| find_proc(&lines, name));
                let kind = callee.map_or(EdgeKind::Step { to }, |callee| EdgeKind::Call { callee, to });
                let relation = label(&mut program, id, callee, &line[1..]);
                icfg.edge(from, kind);
                program.labels.push(relation);
            }
            _ => {}
        }
    }
    // Returns last, so that the edges of the text are numbered as they stand there.
    for (from, kind, relation) in pending {
        icfg.edge(from, kind);
        program.labels.push(relation);
    }
    program.icfg = icfg.finish();
    program
}

fn label(program: &mut Program<Relation>, proc: ProcId, callee: Option<ProcId>, parts: &[&str]) -> Relation {
    let names = Names { now: Some(proc), next: callee.or(Some(proc)), saved: None };
    let back = parts.iter().position(|&part| part == "back").unwrap_or(parts.len());
    let there = names.transition(program, &parts[..back]);
    if callee.is_none() {
        return Relation::Step(there);
    }
    let names = Names { now: callee, next: Some(proc), saved: Some(proc) };
    let leave = names.transition(program, parts.get(back + 1..).unwrap_or(&[]));
    Relation::Call { enter: there, leave }
}

fn find_proc(lines: &[Vec<&str>], name: &str) -> ProcId {
    let names = lines.iter().filter_map(|line| line[0].strip_prefix("proc "));
    ProcId::from_usize(names.map(|rest| rest.split(' ').next().unwrap()).position(|found| found == name).unwrap())
}

/// The variables, and no control flow yet.
fn declare(lines: &[Vec<&str>]) -> Program<Relation> {
    let mut vars: IndexVec<VarId, Var> = IndexVec::new();
    let mut locals: IndexVec<ProcId, Vec<VarId>> = IndexVec::new();
    let mut declare = |name: &str, scope| vars.push(Var { name: name.to_owned(), scope, span: SPAN });
    for name in lines.iter().filter_map(|line| line[0].strip_prefix("globals ")).flat_map(str::split_whitespace) {
        declare(name, Scope::Global);
    }
    for rest in lines.iter().filter_map(|line| line[0].strip_prefix("proc ")) {
        let proc = locals.next_id();
        let words: Vec<&str> = rest.split_whitespace().skip(1).collect();
        let scope = |kind: &str| if kind == "result" { Scope::Result(proc) } else { Scope::Local(proc) };
        locals.push(words.chunks(2).map(|pair| declare(pair[1], scope(pair[0]))).collect());
    }
    Program {
        icfg: IcfgBuilder::default().finish(),
        vars,
        exprs: Exprs::default(),
        data: Vec::new(),
        labels: IndexVec::new(),
        locals,
        entry: ProcId::from_usize(0),
        initial: Transition::default(),
        marks: Marks::default(),
    }
}

/// `main.x` or a global.
pub fn var(program: &Program<Relation>, name: &str) -> VarId {
    let (proc, name) = name.split_once('.').map_or((None, name), |(proc, name)| (Some(proc), name));
    let proc = proc.map(|proc| program.icfg.procs.iter_enumerated().find(|(_, found)| found.name == proc).unwrap().0);
    resolve(program, proc, name).unwrap()
}

pub fn node(program: &Program<Relation>, proc: &str, number: usize) -> NodeId {
    let found = program.icfg.procs.iter().find(|found| found.name == proc).unwrap();
    NodeId::from_usize(found.entry.index() + number)
}

pub fn goal(program: &mut Program<Relation>, proc: &str, number: usize, condition: &str) -> Goal {
    let node = node(program, proc, number);
    let now = Some(program.icfg.nodes[node].proc);
    let condition = Some(Names { now, next: None, saved: None }.parse(program, condition));
    Goal { node, condition, name: proc.to_owned(), kind: GoalKind::Label, span: SPAN }
}

fn resolve(program: &Program<Relation>, proc: Option<ProcId>, name: &str) -> Option<VarId> {
    let owned = |var: &&VarId| program.vars[**var].name == name;
    let local = proc.and_then(|proc| program.locals[proc].iter().find(owned).copied());
    local.or_else(|| program.globals().find(|&var| program.vars[var].name == name))
}

/// Whose variables `x`, `x'` and `x''` are.
#[derive(Clone, Copy)]
struct Names {
    now: Option<ProcId>,
    next: Option<ProcId>,
    saved: Option<ProcId>,
}

impl Names {
    fn transition(self, program: &mut Program<Relation>, parts: &[&str]) -> Transition {
        let mut transition = Transition { choices: 8, ..Transition::SKIP };
        for part in parts {
            let (word, rest) = part.split_once(' ').unwrap();
            match word {
                "if" => transition.guard = Some(self.parse(program, rest)),
                "such" => transition.constraint = Some(self.parse(program, rest)),
                "set" => {
                    let (target, value) = rest.split_once('=').unwrap();
                    let target = resolve(program, self.next, target.trim()).unwrap();
                    let value = match value.trim() {
                        "*" => Value::Any,
                        value => Value::Of(self.parse(program, value)),
                    };
                    transition.updates.push(Update { target, value });
                }
                _ => panic!("{part}"),
            }
        }
        transition
    }

    fn parse(self, program: &mut Program<Relation>, text: &str) -> ExprId {
        let mut rest = text;
        let expr = self.binary(program, &mut rest, 0);
        assert_eq!(rest.trim(), "", "in {text}");
        expr
    }

    fn binary(self, program: &mut Program<Relation>, rest: &mut &str, level: usize) -> ExprId {
        const OPERATORS: [&[&str]; 4] = [&["->"], &["|"], &["&"], &["=", "^"]];
        if level == OPERATORS.len() {
            return self.unary(program, rest);
        }
        let mut left = self.binary(program, rest, level + 1);
        while let Some((operator, after)) =
            OPERATORS[level].iter().find_map(|&operator| Some((operator, rest.trim_start().strip_prefix(operator)?)))
        {
            *rest = after;
            let right = self.binary(program, rest, level + 1);
            left = program.exprs.add(match operator {
                "->" => Expr::Implies(left, right),
                "=" => Expr::Iff(left, right),
                "^" => Expr::Xor(left, right),
                "|" => Expr::Or(left, right),
                _ => Expr::And(left, right),
            });
        }
        left
    }

    fn unary(self, program: &mut Program<Relation>, rest: &mut &str) -> ExprId {
        let text = rest.trim_start();
        let expr = if let Some(after) = text.strip_prefix('!') {
            *rest = after;
            Expr::Not(self.unary(program, rest))
        } else if let Some(after) = text.strip_prefix('(') {
            *rest = after;
            let inner = self.binary(program, rest, 0);
            *rest = rest.trim_start().strip_prefix(')').expect("a closing parenthesis");
            return inner;
        } else {
            let end = text.find(|letter: char| !letter.is_alphanumeric() && !"'?".contains(letter));
            let (word, after) = text.split_at(end.unwrap_or(text.len()));
            *rest = after;
            match word {
                "0" | "1" => Expr::Const(word == "1"),
                _ if word.starts_with('?') => Expr::Choice(ChoiceId::from_usize(word[1..].parse().unwrap())),
                _ => self.variable(program, word),
            }
        };
        program.exprs.add(expr)
    }

    fn variable(self, program: &Program<Relation>, word: &str) -> Expr {
        let name = word.trim_end_matches('\'');
        let found = |proc| resolve(program, proc, name).unwrap_or_else(|| panic!("{word} is not in scope"));
        match word.len() - name.len() {
            0 => Expr::Var(found(self.now)),
            1 => Expr::Next(found(self.next)),
            _ => Expr::Saved(found(self.saved)),
        }
    }
}

/// The formula of `text` over `x` (now) and `x''` (at the entry) of `proc`.
pub fn formula(program: &Program<Relation>, formulas: &mut Formulas, proc: ProcId, text: &str) -> FormulaId {
    let mut scratch = program.clone();
    let root = Names { now: Some(proc), next: None, saved: Some(proc) }.parse(&mut scratch, text);
    let mut leaves = Vec::new();
    scratch.exprs.for_each_leaf(root, |leaf| {
        if !matches!(leaf, Expr::Const(_)) && !leaves.contains(&leaf) {
            leaves.push(leaf);
        }
    });
    expand(&scratch, formulas, root, &leaves, &mut Vec::new())
}

fn expand(
    program: &Program<Relation>,
    formulas: &mut Formulas,
    root: ExprId,
    leaves: &[Expr],
    values: &mut Vec<bool>,
) -> FormulaId {
    if values.len() == leaves.len() {
        return formulas.intern(Formula::Const(evaluate(&program.exprs, root, &|leaf| {
            values[leaves.iter().position(|&found| found == leaf).unwrap()]
        })));
    }
    let atom = match leaves[values.len()] {
        Expr::Var(var) => Atom::Now(Slots::new(program).of(var)),
        Expr::Saved(var) => Atom::Entry(Slots::new(program).of(var)),
        leaf => panic!("{leaf:?} in a formula"),
    };
    let [no, yes] = [false, true].map(|value| {
        values.push(value);
        let part = expand(program, formulas, root, leaves, values);
        values.pop();
        part
    });
    if yes == no { yes } else { formulas.intern(Formula::Ite(atom, yes, no)) }
}

/// The value of an expression, the plain way.
pub fn evaluate(exprs: &Exprs, id: ExprId, leaf: &impl Fn(Expr) -> bool) -> bool {
    let value = |id| evaluate(exprs, id, leaf);
    match exprs.get(id) {
        Expr::Const(value) => value,
        expr @ (Expr::Var(_) | Expr::Next(_) | Expr::Saved(_) | Expr::Choice(_)) => leaf(expr),
        Expr::Not(a) => !value(a),
        Expr::And(a, b) => value(a) && value(b),
        Expr::Or(a, b) => value(a) || value(b),
        Expr::Xor(a, b) => value(a) != value(b),
        Expr::Iff(a, b) => value(a) == value(b),
        Expr::Implies(a, b) => !value(a) || value(b),
        Expr::Ite(a, b, c) => {
            if value(a) {
                value(b)
            } else {
                value(c)
            }
        }
    }
}
