//! Whether an analysis is a distributive subset problem, as `SP_rhs` [BR01, §3] needs it.
//!
//! With union a fact that is set must be a constant, a fact, or a disjunction of such: then what holds after a
//! statement is the union of what follows from each fact alone. With intersection it is the dual, a conjunction. `*` is
//! 'may' with union (true) and 'need not' with intersection (false). What conditions tell (`if`) is not used.

use super::tree::{Analysis, Comparison, Direction, Expr, ExprKind, FactKind, Junction, Meet};
use hardbop_base::{Diagnostic, Span};

/// Says why an analysis is not distributive: which fact, assumption or rule, and what in it.
///
/// # Requires
/// The analysis has been checked and has no errors.
pub fn is_distributive(analysis: &Analysis) -> Result<(), Diagnostic> {
    solved_one_by_one(analysis).map_err(|finding| match (analysis.direction, analysis.meet) {
        (Direction::Forward, _) => finding,
        // There is no other way to solve it.
        (Direction::Backward, Meet::Union) => {
            finding.help("backwards facts are solved one by one: use `|` and `any` only")
        }
        (Direction::Backward, Meet::Intersection) => {
            finding.help("backwards facts are solved one by one: use `&` and `all` only")
        }
    })
}

fn solved_one_by_one(analysis: &Analysis) -> Result<(), Diagnostic> {
    for family in &analysis.families {
        let Some(declaration) = &family.declared else { continue };
        let message = match declaration.kind {
            FactKind::Boolean => continue,
            FactKind::Small => format!("`{}` is a number, and a set of facts has no numbers", family.name),
            FactKind::Target => format!("`{}` is an object, and a fact in a set is true or false", family.name),
        };
        return Err(refusal(message, declaration.span));
    }
    if let Some(unknown) = analysis.unknowns.first() {
        // It may relate several facts of a value, and holds or not by what `if` says, which a subset problem leaves out.
        return Err(refusal("a set of facts has no assumptions about values from outside", unknown.span));
    }
    let meet = match analysis.meet {
        Meet::Union => Junction::Or,
        Meet::Intersection => Junction::And,
    };
    for rule in &analysis.rules {
        for update in &rule.updates {
            distributes(&update.value, meet).map_err(|finding| finding.related("in this rule", rule.span))?;
        }
    }
    for requirement in &analysis.requirements {
        let wanted = match analysis.meet {
            Meet::Union => Polarity::Negative,
            Meet::Intersection => Polarity::Positive,
        };
        polarity(&requirement.value, Polarity::Positive, wanted)
            .map_err(|finding| finding.related("required here", requirement.span))?;
    }
    Ok(())
}

fn refusal(message: impl Into<String>, span: Span) -> Diagnostic {
    let finding = Diagnostic::error("not-distributive", message, span);
    finding.help("such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`")
}

fn distributes(value: &Expr, meet: Junction) -> Result<(), Diagnostic> {
    match &value.kind {
        _ if is_fixed(value) => Ok(()),
        ExprKind::Fact(_) | ExprKind::Unknown => Ok(()),
        ExprKind::Over(junction, body, _) if *junction == meet => distributes(body, meet),
        ExprKind::Junction(junction, operands) => {
            // What is fixed only says whether the rest counts.
            let is_gate = operands.iter().filter(|operand| !is_fixed(operand)).count() <= 1;
            if *junction != meet && !is_gate {
                return Err(dual(value.span, meet));
            }
            operands.iter().try_for_each(|operand| distributes(operand, meet))
        }
        ExprKind::Over(..) => Err(dual(value.span, meet)),
        ExprKind::Not(_) => {
            Err(refusal("a set of facts does not say what follows from the absence of one", value.span))
        }
        _ => Err(refusal("this depends on more than one fact at a time", value.span)),
    }
}

fn dual(span: Span, meet: Junction) -> Diagnostic {
    let message = match meet {
        Junction::Or => "this needs two facts at once, and with `meet union` one must be enough",
        Junction::And => "this needs only one of two facts, and with `meet intersection` all must be needed",
    };
    refusal(message, span)
}

/// Whether a value is the same whatever the facts are.
fn is_fixed(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Const(_) | ExprKind::Is(..) | ExprKind::Number(_) | ExprKind::Meta(_) => true,
        ExprKind::Unknown | ExprKind::New | ExprKind::Fact(_) => false,
        ExprKind::Not(operand) | ExprKind::Over(_, operand, _) => is_fixed(operand),
        ExprKind::Junction(_, operands) => operands.iter().all(is_fixed),
        ExprKind::Implies(left, right) | ExprKind::Compare(left, _, right) | ExprKind::Sum(left, _, right) => {
            is_fixed(left) && is_fixed(right)
        }
    }
}

/// Whether a fact helps a requirement to hold, or hinders it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Polarity {
    Positive,
    Negative,
}

impl Polarity {
    fn flipped(self) -> Self {
        match self {
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
        }
    }
}

/// With union only what may hold is known, so a requirement can only want facts not to hold; with intersection only
/// what must hold, so it can only want them to.
fn polarity(value: &Expr, here: Polarity, wanted: Polarity) -> Result<(), Diagnostic> {
    match &value.kind {
        _ if is_fixed(value) => Ok(()),
        ExprKind::Fact(_) if here == wanted => Ok(()),
        ExprKind::Fact(fact) => Err(match wanted {
            Polarity::Negative => refusal("with `meet union` only what may hold is known, not what must", fact.span),
            Polarity::Positive => {
                refusal("with `meet intersection` only what must hold is known, not what may", fact.span)
            }
        }),
        ExprKind::Not(operand) => polarity(operand, here.flipped(), wanted),
        ExprKind::Junction(_, operands) => operands.iter().try_for_each(|operand| polarity(operand, here, wanted)),
        ExprKind::Over(_, body, _) => polarity(body, here, wanted),
        ExprKind::Implies(left, right) => {
            polarity(left, here.flipped(), wanted)?;
            polarity(right, here, wanted)
        }
        ExprKind::Compare(_, Comparison::Equal | Comparison::NotEqual, _) => {
            Err(refusal("this depends on whether facts are equal", value.span))
        }
        _ => Err(refusal("this can only be said of sets of sets of facts", value.span)),
    }
}
