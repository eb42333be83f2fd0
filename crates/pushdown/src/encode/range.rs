//! Expressions with choices as the values they can take.
//!
//! Where each choice stands in one place, what an expression can be depends on what its parts can be and on nothing else.
//! Two sets of states say it: those in which it can be true, and those in which it can be false. A value read from one of
//! twenty places of memory has forty choices; as a function of all of them it would be as large as their combinations.
//! Choices that stand in several places are leaves like variables. So is what stands in several places and has choices
//! that stand nowhere else: it is a function of variables and one choice of its own, however many it has.

use super::Encoder;
use hardbop_base::{Exhausted, Idx};
use hardbop_bdd::{Bdd, Kernel};
use hardbop_icfg::{ChoiceId, Expr, ExprId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// What stands for the leaves of an expression.
pub(super) trait Leaves {
    /// What stands for a leaf that is no choice.
    fn leaf(&mut self, encoder: &mut Encoder<'_>, leaf: Expr) -> Result<Bdd, Exhausted>;

    /// The number of a choice among those that have a level; nothing where it stands in one place only.
    fn number(&self, choice: ChoiceId) -> Option<usize>;

    /// What is known of an expression with parts.
    fn whole(&self, id: ExprId) -> Whole;

    /// Takes note of what an expression is that stands in several places and has choices.
    fn keep(&mut self, id: ExprId, value: Bdd);
}

/// An expression with parts, as one that may stand in several places.
#[derive(Clone, Copy)]
pub(super) enum Whole {
    /// It stands in one place, or nothing in it is open.
    Single,
    /// It stands in several places.
    Shared,
    /// It stands in several places, and has been chosen.
    Known(Bdd),
}

/// Leaves where every choice has a level, for who asks which way each goes.
pub(super) struct Picking<F>(pub(super) F);

impl<F: FnMut(&mut Encoder<'_>, Expr) -> Result<Bdd, Exhausted>> Leaves for Picking<F> {
    fn leaf(&mut self, encoder: &mut Encoder<'_>, leaf: Expr) -> Result<Bdd, Exhausted> {
        (self.0)(encoder, leaf)
    }

    fn number(&self, choice: ChoiceId) -> Option<usize> {
        Some(choice.index())
    }

    fn whole(&self, _: ExprId) -> Whole {
        Whole::Single
    }

    fn keep(&mut self, _: ExprId, _: Bdd) {
        unreachable!("where every choice has a level, nothing is open")
    }
}

/// What stands in several places of a relation.
pub(super) struct Repeated {
    /// The choices, in order.
    choices: Vec<ChoiceId>,
    /// The number of the first.
    base: usize,
    /// Expressions with parts; those with choices are chosen when they are first met.
    wholes: RefCell<FxHashMap<ExprId, Whole>>,
}

impl Repeated {
    /// Leaves where these choices have levels.
    pub(super) fn beside<F>(&self, leaf: F) -> Beside<'_, F> {
        Beside { repeated: self, leaf }
    }
}

/// Leaves beside repeated choices.
pub(super) struct Beside<'r, F> {
    repeated: &'r Repeated,
    leaf: F,
}

impl<F: FnMut(&mut Encoder<'_>, Expr) -> Result<Bdd, Exhausted>> Leaves for Beside<'_, F> {
    fn leaf(&mut self, encoder: &mut Encoder<'_>, leaf: Expr) -> Result<Bdd, Exhausted> {
        (self.leaf)(encoder, leaf)
    }

    fn number(&self, choice: ChoiceId) -> Option<usize> {
        self.repeated.choices.binary_search(&choice).ok().map(|place| self.repeated.base + place)
    }

    fn whole(&self, id: ExprId) -> Whole {
        self.repeated.wholes.borrow().get(&id).copied().unwrap_or(Whole::Single)
    }

    fn keep(&mut self, id: ExprId, value: Bdd) {
        self.repeated.wholes.borrow_mut().insert(id, Whole::Known(value));
    }
}

/// What an expression can be.
#[derive(Clone, Copy)]
enum Range {
    /// A function of the leaves.
    Function(Bdd),
    /// True in the states of the first set, and false in those of the second; either in both.
    Open(Bdd, Bdd),
}

impl Encoder<'_> {
    /// Finds what stands in several places of `exprs`, and gives levels to the choices among it.
    pub(super) fn repeated(&mut self, exprs: impl Iterator<Item = ExprId>) -> Repeated {
        let table = &self.setting.program.exprs;
        let mut wholes: FxHashMap<ExprId, Whole> = FxHashMap::default();
        let mut places: FxHashMap<ChoiceId, bool> = FxHashMap::default();
        let mut waiting: Vec<ExprId> = exprs.collect();
        while let Some(id) = waiting.pop() {
            let expr = table.get(id);
            if let Expr::Choice(choice) = expr {
                places.entry(choice).and_modify(|is_repeated| *is_repeated = true).or_insert(false);
            } else if expr.children().next().is_some() {
                let whole = wholes.entry(id).and_modify(|whole| *whole = Whole::Shared).or_insert(Whole::Single);
                if matches!(whole, Whole::Single) {
                    waiting.extend(expr.children());
                }
            }
        }
        wholes.retain(|_, whole| matches!(whole, Whole::Shared));
        let is_repeated = places.into_iter().filter(|&(_, is_repeated)| is_repeated);
        let mut choices: Vec<ChoiceId> = is_repeated.map(|(choice, _)| choice).collect();
        choices.sort_unstable();
        let base = self.choices;
        self.choices += choices.len();
        Repeated { choices, base, wholes: RefCell::new(wholes) }
    }

    /// Where an expression can be true.
    pub(super) fn possibly(&mut self, id: ExprId, leaves: &mut dyn Leaves) -> Result<Bdd, Exhausted> {
        match self.range(id, leaves, &mut Shared::default())? {
            Range::Function(value) | Range::Open(value, _) => Ok(value),
        }
    }

    /// An expression as a function of its leaves, and of one choice if it is open.
    pub(super) fn chosen(&mut self, id: ExprId, leaves: &mut dyn Leaves) -> Result<Bdd, Exhausted> {
        match self.range(id, leaves, &mut Shared::default())? {
            Range::Function(value) => Ok(value),
            Range::Open(yes, no) => self.choose(yes, no),
        }
    }

    /// True in the first of two sets and false in the second; where it can be both, as a fresh choice says.
    fn choose(&mut self, yes: Bdd, no: Bdd) -> Result<Bdd, Exhausted> {
        let choice = self.fresh()?;
        let never = self.kernel.not(no)?;
        self.kernel.ite(choice, yes, never)
    }

    fn range(&mut self, id: ExprId, leaves: &mut dyn Leaves, shared: &mut Shared) -> Result<Range, Exhausted> {
        shared.visits += 1;
        if shared.visits > FEW
            && let Some(&known) = shared.known.get(&id)
        {
            return Ok(known);
        }
        let whole = leaves.whole(id);
        if let Whole::Known(value) = whole {
            return Ok(Range::Function(value));
        }
        let mut part = |encoder: &mut Self, id| encoder.range(id, leaves, shared);
        let mut result = match self.setting.program.exprs.get(id) {
            Expr::Const(value) => return Ok(Range::Function(if value { Bdd::TRUE } else { Bdd::FALSE })),
            Expr::Choice(choice) => {
                return match leaves.number(choice) {
                    Some(number) => self.choice(number).map(Range::Function),
                    None => Ok(Range::Open(Bdd::TRUE, Bdd::TRUE)),
                };
            }
            leaf @ (Expr::Var(_) | Expr::Next(_) | Expr::Saved(_)) => {
                return leaves.leaf(self, leaf).map(Range::Function);
            }
            Expr::Not(a) => part(self, a)?.not(&mut self.kernel)?,
            Expr::Ite(a, b, c) => {
                let (a, b, c) = (part(self, a)?, part(self, b)?, part(self, c)?);
                Range::ite(&mut self.kernel, a, b, c)?
            }
            binary => {
                let mut parts = binary.children().map(|child| part(self, child));
                let (a, b) = (parts.next().expect("it has two parts")?, parts.next().expect("it has two parts")?);
                drop(parts);
                Range::binary(&mut self.kernel, binary, a, b)?
            }
        };
        if let (Whole::Shared, Range::Open(yes, no)) = (whole, result) {
            let value = self.choose(yes, no)?;
            leaves.keep(id, value);
            result = Range::Function(value);
        }
        if shared.visits > FEW {
            shared.known.insert(id, result);
        }
        Ok(result)
    }
}

impl Range {
    fn sets(self, kernel: &mut Kernel) -> Result<(Bdd, Bdd), Exhausted> {
        match self {
            Self::Function(value) => Ok((value, kernel.not(value)?)),
            Self::Open(yes, no) => Ok((yes, no)),
        }
    }

    fn not(self, kernel: &mut Kernel) -> Result<Self, Exhausted> {
        Ok(match self {
            Self::Function(value) => Self::Function(kernel.not(value)?),
            Self::Open(yes, no) => Self::Open(no, yes),
        })
    }

    fn and(kernel: &mut Kernel, a: Self, b: Self) -> Result<Self, Exhausted> {
        if let (Self::Function(a), Self::Function(b)) = (a, b) {
            return kernel.and(a, b).map(Self::Function);
        }
        let ((a, not_a), (b, not_b)) = (a.sets(kernel)?, b.sets(kernel)?);
        Ok(Self::Open(kernel.and(a, b)?, kernel.or(not_a, not_b)?))
    }

    fn or(kernel: &mut Kernel, a: Self, b: Self) -> Result<Self, Exhausted> {
        if let (Self::Function(a), Self::Function(b)) = (a, b) {
            return kernel.or(a, b).map(Self::Function);
        }
        let ((a, not_a), (b, not_b)) = (a.sets(kernel)?, b.sets(kernel)?);
        Ok(Self::Open(kernel.or(a, b)?, kernel.and(not_a, not_b)?))
    }

    fn iff(kernel: &mut Kernel, a: Self, b: Self) -> Result<Self, Exhausted> {
        if let (Self::Function(a), Self::Function(b)) = (a, b) {
            return kernel.iff(a, b).map(Self::Function);
        }
        let ((a, not_a), (b, not_b)) = (a.sets(kernel)?, b.sets(kernel)?);
        let (both, neither) = (kernel.and(a, b)?, kernel.and(not_a, not_b)?);
        let (first, second) = (kernel.and(a, not_b)?, kernel.and(not_a, b)?);
        Ok(Self::Open(kernel.or(both, neither)?, kernel.or(first, second)?))
    }

    fn binary(kernel: &mut Kernel, operator: Expr, a: Self, b: Self) -> Result<Self, Exhausted> {
        match operator {
            Expr::And(..) => Self::and(kernel, a, b),
            Expr::Or(..) => Self::or(kernel, a, b),
            Expr::Iff(..) => Self::iff(kernel, a, b),
            Expr::Xor(..) => Self::iff(kernel, a, b)?.not(kernel),
            Expr::Implies(..) => {
                let not_a = a.not(kernel)?;
                Self::or(kernel, not_a, b)
            }
            _ => unreachable!("the operator has two operands"),
        }
    }

    fn ite(kernel: &mut Kernel, a: Self, b: Self, c: Self) -> Result<Self, Exhausted> {
        if let (Self::Function(a), Self::Function(b), Self::Function(c)) = (a, b, c) {
            return kernel.ite(a, b, c).map(Self::Function);
        }
        let (a, not_a) = a.sets(kernel)?;
        let ((b, not_b), (c, not_c)) = (b.sets(kernel)?, c.sets(kernel)?);
        let (then_yes, else_yes) = (kernel.and(a, b)?, kernel.and(not_a, c)?);
        let (then_no, else_no) = (kernel.and(a, not_b)?, kernel.and(not_a, not_c)?);
        Ok(Self::Open(kernel.or(then_yes, else_yes)?, kernel.or(then_no, else_no)?))
    }
}

/// After so many visits, what is shared is encoded once.
const FEW: usize = 32;

/// What has been encoded of a large expression.
#[derive(Default)]
struct Shared {
    visits: usize,
    known: FxHashMap<ExprId, Range>,
}
