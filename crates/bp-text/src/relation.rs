//! What an edge does, in the words of boolean programs: `[g & !a] a, b := 1, * constrain ('a | 'b)`.

use hardbop_icfg::{Expr, ExprId, Exprs, Program, Relation, Transition, Value, VarId};
use std::fmt::Write;

/// `transition` on one line; empty where nothing happens.
pub fn print(program: &Program<Relation>, transition: &Transition) -> String {
    let mut text = String::new();
    if let Some(guard) = transition.guard {
        text += "[";
        print_expr(program, guard, Tightness::LOOSE, &mut text);
        text += "]";
    }
    if !transition.updates.is_empty() {
        let targets: Vec<&str> = transition.updates.iter().map(|update| name(program, update.target)).collect();
        let gap = if text.is_empty() { "" } else { " " };
        write!(text, "{gap}{} := ", targets.join(", ")).expect("a string takes everything");
        for (index, update) in transition.updates.iter().enumerate() {
            text += if index == 0 { "" } else { ", " };
            match update.value {
                Value::Any => text += "*",
                Value::Of(value) => print_expr(program, value, Tightness::LOOSE, &mut text),
            }
        }
    }
    if let Some(constraint) = transition.constraint {
        text += if text.is_empty() { "constrain (" } else { " constrain (" };
        print_expr(program, constraint, Tightness::LOOSE, &mut text);
        text += ")";
    }
    text
}

fn name(program: &Program<Relation>, var: VarId) -> &str {
    &program.vars[var].name
}

/// How tightly an operator binds; what binds less tightly than its surroundings needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tightness(u8);

impl Tightness {
    const LOOSE: Self = Self(0);
    const TIGHT: Self = Self(9);
}

/// What is still to be printed. Expressions may be deeper than a stack.
enum Piece {
    Text(&'static str),
    Expr(ExprId, Tightness),
}

fn print_expr(program: &Program<Relation>, id: ExprId, around: Tightness, text: &mut String) {
    print_pieces(&program.exprs, id, around, &|expr| leaf(program, expr), text);
}

/// `id`, whose leaves read as `leaf` says.
pub fn print_with(exprs: &Exprs, id: ExprId, leaf: &dyn Fn(Expr) -> Option<String>) -> String {
    let mut text = String::new();
    print_pieces(exprs, id, Tightness::LOOSE, leaf, &mut text);
    text
}

fn print_pieces(
    exprs: &Exprs,
    id: ExprId,
    around: Tightness,
    leaf: &dyn Fn(Expr) -> Option<String>,
    text: &mut String,
) {
    let mut pieces = vec![Piece::Expr(id, around)];
    while let Some(piece) = pieces.pop() {
        let (id, around) = match piece {
            Piece::Text(piece) => {
                *text += piece;
                continue;
            }
            Piece::Expr(id, around) => (id, around),
        };
        match leaf(exprs.get(id)) {
            Some(leaf) => *text += &leaf,
            None => {
                let (own, parts) = parts(exprs, id);
                let is_loose = own < around;
                pieces.extend(is_loose.then_some(Piece::Text(")")));
                pieces.extend(parts.into_iter().rev());
                pieces.extend(is_loose.then_some(Piece::Text("(")));
            }
        }
    }
}

fn leaf(program: &Program<Relation>, expr: Expr) -> Option<String> {
    match expr {
        Expr::Const(value) => Some(if value { "1" } else { "0" }.into()),
        Expr::Var(var) => Some(name(program, var).into()),
        Expr::Next(var) => Some(format!("'{}", name(program, var))),
        Expr::Saved(var) => Some(format!("saved {}", name(program, var))),
        Expr::Choice(_) => Some("*".into()),
        _ => None,
    }
}

fn parts(exprs: &Exprs, id: ExprId) -> (Tightness, Vec<Piece>) {
    let binary = |tightness: u8, operator: &'static str, left: ExprId, right: ExprId| {
        let tightness = Tightness(tightness);
        // All operators associate to the left.
        let right = Piece::Expr(right, Tightness(tightness.0 + 1));
        (tightness, vec![Piece::Expr(left, tightness), Piece::Text(operator), right])
    };
    match exprs.get(id) {
        Expr::Not(operand) => (Tightness(8), vec![Piece::Text("!"), Piece::Expr(operand, Tightness::TIGHT)]),
        Expr::Iff(left, right) => binary(6, " = ", left, right),
        Expr::And(left, right) => binary(5, " & ", left, right),
        Expr::Xor(left, right) => binary(4, " ^ ", left, right),
        Expr::Or(left, right) => binary(3, " | ", left, right),
        Expr::Implies(left, right) => binary(2, " => ", left, right),
        Expr::Ite(test, yes, no) => {
            let branch = Tightness(1);
            let parts = [Piece::Expr(test, Tightness(2)), Piece::Text(" ? "), Piece::Expr(yes, branch)];
            (Tightness(0), parts.into_iter().chain([Piece::Text(" : "), Piece::Expr(no, branch)]).collect())
        }
        Expr::Const(_) | Expr::Var(_) | Expr::Next(_) | Expr::Saved(_) | Expr::Choice(_) => {
            unreachable!("leaves have no parts")
        }
    }
}
