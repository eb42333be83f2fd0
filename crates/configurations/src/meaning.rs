//! What the frames and the condition of an expression mean in a program.

use crate::determine::{Order, determine};
use crate::expression::{Frame, FrameId, FrameKind};
use crate::set::{Naming, Set, pending_places};
use hardbop_base::diagnostic::nearest;
use hardbop_base::{Diagnostic, IndexVec, Span};
use hardbop_icfg::proposition::{Letter, Proposition, resolve};
use hardbop_icfg::words::Builder;
use hardbop_icfg::{ExprId, NodeId, Program, Relation};
use hardbop_ltl::formula::{Binary, Formula, FormulaId, Node, PropId, Unary};
use std::collections::BTreeMap;

/// The set of stacks with this order of frames and this condition on top, a text and where it starts.
///
/// # Errors
/// A name is unknown, the condition cannot be read, or the set is too large.
pub fn set(
    program: &mut Program<Relation>,
    naming: Naming,
    frames: &IndexVec<FrameId, Frame<'_>>,
    order: &Order,
    condition: Option<(&str, u32)>,
) -> Result<Set, Vec<Diagnostic>> {
    let nodes = self::frames(program, naming, frames)?;
    let automaton = determine(order, &nodes).map_err(|finding| vec![finding])?;
    let conditions = conditions(program, condition)?;
    Ok(automaton.with(pending_places(program, naming), conditions))
}

/// The nodes that each frame stands for.
///
/// # Errors
/// A name is neither a procedure's nor a label's.
fn frames(
    program: &Program<Relation>,
    naming: Naming,
    frames: &IndexVec<FrameId, Frame<'_>>,
) -> Result<IndexVec<FrameId, IndexVec<NodeId, bool>>, Vec<Diagnostic>> {
    let mut known: BTreeMap<FrameKind<'_>, Option<IndexVec<NodeId, bool>>> = BTreeMap::new();
    let mut findings = Vec::new();
    let mut result = IndexVec::new();
    for frame in frames {
        match known.entry(frame.kind).or_insert_with(|| nodes(program, naming, frame.kind)) {
            Some(nodes) => {
                result.push(nodes.clone());
            }
            None => findings.push(unknown(program, frame)),
        }
    }
    if findings.is_empty() { Ok(result) } else { Err(findings) }
}

fn nodes(program: &Program<Relation>, naming: Naming, kind: FrameKind<'_>) -> Option<IndexVec<NodeId, bool>> {
    let icfg = &program.icfg;
    let in_proc = |name: &str| -> Vec<NodeId> {
        let procs = icfg.procs.iter_enumerated().filter(|(_, proc)| proc.name == name);
        procs.flat_map(|(id, _)| icfg.nodes_of(id)).collect()
    };
    let at_label = |name: &str| -> Vec<NodeId> {
        program.marks.labels.iter().filter(|(label, _)| label == name).map(|&(_, node)| node).collect()
    };
    let one_or = |nodes: Vec<NodeId>, other: &dyn Fn() -> Vec<NodeId>| if nodes.is_empty() { other() } else { nodes };
    let found = match kind {
        FrameKind::Any => return Some(IndexVec::from_elem(true, icfg.nodes.len())),
        FrameKind::Name(name) if naming == Naming::Procedures => one_or(in_proc(name), &|| at_label(name)),
        FrameKind::Name(name) | FrameKind::At(name) => one_or(at_label(name), &|| in_proc(name)),
        FrameKind::Within(proc, label) => {
            let is_inside = |node: &NodeId| icfg.procs[icfg.nodes[*node].proc].name == proc;
            at_label(label).into_iter().filter(is_inside).collect()
        }
    };
    let mut is_there = IndexVec::from_elem(false, icfg.nodes.len());
    found.iter().for_each(|&node| is_there[node] = true);
    (!found.is_empty()).then_some(is_there)
}

fn unknown(program: &Program<Relation>, frame: &Frame<'_>) -> Diagnostic {
    let procs = || program.icfg.procs.iter().map(|proc| proc.name.as_str());
    let labels = || program.marks.labels.iter().map(|(label, _)| label.as_str());
    let (message, near) = match frame.kind {
        FrameKind::Within(proc, label) if procs().any(|name| name == proc) => {
            let icfg = &program.icfg;
            let inside =
                program.marks.labels.iter().filter(|(_, node)| icfg.procs[icfg.nodes[*node].proc].name == proc);
            let near = nearest(label, inside.map(|(label, _)| label.as_str())).map(|near| format!("{proc}:{near}"));
            (format!("`{proc}` has no label `{label}`"), near)
        }
        FrameKind::Within(proc, label) => {
            let near = nearest(proc, procs()).map(|near| format!("{near}:{label}"));
            (format!("there is no procedure `{proc}`"), near)
        }
        FrameKind::At(name) => {
            let near = nearest(name, labels().chain(procs())).map(|near| format!("@{near}"));
            (format!("`{name}` is neither a label nor a procedure of this program"), near)
        }
        FrameKind::Name(name) => {
            let near = nearest(name, procs().chain(labels())).map(str::to_owned);
            (format!("`{name}` is neither a procedure nor a label of this program"), near)
        }
        FrameKind::Any => unreachable!("`_` is known"),
    };
    let finding = Diagnostic::error("unknown-frame", message, frame.span);
    match (near, frame.kind) {
        (Some(near), _) => finding.help(format!("did you mean `{near}`?")),
        (None, FrameKind::Name(name)) if program.vars.iter().any(|var| var.name == name) => {
            finding.help(format!("`{name}` is a variable; a condition on variables follows `where`"))
        }
        _ => finding.help("a frame is a procedure, a label or `_`"),
    }
}

/// What `condition`, a text and where it starts, says at each node.
///
/// # Errors
/// It cannot be read, is about more than one moment, or names what there is not.
fn conditions(
    program: &mut Program<Relation>,
    condition: Option<(&str, u32)>,
) -> Result<IndexVec<NodeId, Letter>, Vec<Diagnostic>> {
    let Some((text, start)) = condition else { return Ok(Set::everything(program).conditions) };
    let blank = text.len() - text.trim_start().len();
    let span = Span::new(start + blank as u32, start + (blank + text.trim().len()) as u32);
    if text.trim().is_empty() {
        let end = Span::new(start, start + text.len() as u32);
        let finding = Diagnostic::error("stack-syntax", "there is no condition after `where`", end);
        return Err(vec![finding.help("a condition is about variables: `where locked && x = 1`")]);
    }
    let formula = hardbop_ltl::parse(text, start)?;
    if formula.nodes().iter().any(is_temporal) {
        let message = "a condition is about one configuration, and this has a temporal operator";
        let finding = Diagnostic::error("temporal-condition", message, span);
        return Err(vec![finding.help("`hardbop check --ltl` is for what happens over time")]);
    }
    let mut propositions: IndexVec<PropId, Proposition> = IndexVec::new();
    let mut findings = Vec::new();
    for prop in formula.props() {
        match resolve(program, None, &prop.text) {
            Ok(Proposition::OnStack(_)) => {
                let finding = Diagnostic::error("stack-syntax", "a condition is about the top frame", prop.span);
                findings.push(finding.help("what is on the stack is said before `where`: `_* f _*`"));
            }
            Ok(proposition) => {
                propositions.push(proposition);
            }
            Err(problem) => findings.push(problem.at(prop.span)),
        }
    }
    if findings.is_empty() { Ok(evaluate(program, &formula, &propositions)) } else { Err(findings) }
}

fn is_temporal(node: &Node) -> bool {
    match node {
        Node::Unary(operator, _) => *operator != Unary::Not,
        Node::Binary(operator, ..) => !matches!(operator, Binary::Implies | Binary::Iff | Binary::Xor),
        Node::Constant(_) | Node::Prop(_) | Node::And(_) | Node::Or(_) => false,
    }
}

/// The formula at each node; nodes at which the propositions say the same share it.
fn evaluate(
    program: &mut Program<Relation>,
    formula: &Formula,
    propositions: &IndexVec<PropId, Proposition>,
) -> IndexVec<NodeId, Letter> {
    let is_silent = program.marks.is_silent(program.icfg.nodes.len());
    let icfg = &program.icfg;
    let mut builder = Builder::new(&mut program.exprs);
    let mut known: BTreeMap<Vec<ExprId>, Letter> = BTreeMap::new();
    let mut result = IndexVec::new();
    for (node, is_silent) in is_silent.iter_enumerated() {
        if *is_silent {
            result.push(Letter::Const(false));
            continue;
        }
        let letters: Vec<ExprId> = propositions
            .iter()
            .map(|proposition| match proposition.at(icfg, node) {
                Letter::Const(value) => builder.constant(value),
                Letter::Expr(expr) => expr,
            })
            .collect();
        let letter = *known.entry(letters).or_insert_with_key(|letters| {
            let value = value(&mut builder, formula, &letters.iter().copied().collect());
            builder.constant_of(value).map_or(Letter::Expr(value), Letter::Const)
        });
        result.push(letter);
    }
    result
}

/// The formula, where its propositions are `letters`.
fn value(builder: &mut Builder<'_>, formula: &Formula, letters: &IndexVec<PropId, ExprId>) -> ExprId {
    let mut values: IndexVec<FormulaId, ExprId> = IndexVec::new();
    for node in formula.nodes() {
        let value = match node {
            Node::Constant(value) => builder.constant(*value),
            Node::Prop(prop) => letters[*prop],
            Node::Unary(_, inner) => builder.not(values[*inner]),
            Node::Binary(Binary::Implies, left, right) => builder.implies(values[*left], values[*right]),
            Node::Binary(Binary::Iff, left, right) => builder.iff(values[*left], values[*right]),
            Node::Binary(_, left, right) => builder.xor(values[*left], values[*right]),
            Node::And(parts) => builder.all(parts.iter().map(|&part| values[part]).collect::<Vec<_>>()),
            Node::Or(parts) => builder.any(parts.iter().map(|&part| values[part]).collect::<Vec<_>>()),
        };
        values.push(value);
    }
    values[formula.root()]
}
