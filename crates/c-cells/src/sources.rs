//! Values as edges give them to cells, and what is asked of them.

use super::cells::{Access, CellId};
use super::operators::is_comparison;
use hardbop_c_core::{BinaryOp, Expr, TypeId, UnaryOp};
use hardbop_c_graph::Truth;
use hardbop_points_to::Target;

/// A value.
#[derive(Clone, Debug)]
pub struct Source<'m> {
    /// What it is.
    pub kind: SourceKind<'m>,
    /// As it stands in the program.
    pub expr: Option<&'m Expr>,
    /// Its type.
    pub ty: TypeId,
}

impl Source<'_> {
    /// The places that the value is read from.
    pub fn for_each_access(&self, found: &mut impl FnMut(&Access)) {
        match &self.kind {
            SourceKind::Copy(access) => found(access),
            SourceKind::Unary(_, operand) => operand.for_each_access(found),
            SourceKind::Binary(_, left, right) => {
                left.for_each_access(found);
                right.for_each_access(found);
            }
            _ => {}
        }
    }
}

/// What a value is. Conversions that keep it are left out.
#[derive(Clone, Debug)]
pub enum SourceKind<'m> {
    /// The null pointer.
    Null,
    /// A constant.
    Number(i128),
    /// The address of an object, and of which if it is known.
    Address(Option<Target>),
    /// What is in a place.
    Copy(Access),
    /// One operand.
    Unary(UnaryOp, Box<Source<'m>>),
    /// Two operands.
    Binary(BinaryOp, Box<Source<'m>>, Box<Source<'m>>),
    /// What code outside gives to a parameter that is these cells.
    Given(Vec<CellId>),
    /// What a function that is not there returns.
    Called,
    /// Anything else.
    Other,
}

/// `left ~ right`.
#[derive(Clone, Debug)]
pub struct Condition<'m> {
    /// The left side; no constant unless both are.
    pub left: Source<'m>,
    /// How they compare: one of the six operators that do.
    pub comparison: BinaryOp,
    /// The right side.
    pub right: Source<'m>,
    /// Whether it is so.
    pub truth: Truth,
}

impl Condition<'_> {
    /// Whether the sides compare so, where both are constants.
    pub fn of_constants(&self) -> Option<bool> {
        let number = |source: &Source<'_>| match source.kind {
            SourceKind::Number(value) => Some(value),
            SourceKind::Null => Some(0),
            _ => None,
        };
        let (left, right) = (number(&self.left)?, number(&self.right)?);
        Some(match self.comparison {
            BinaryOp::Eq => left == right,
            BinaryOp::Ne => left != right,
            BinaryOp::Lt => left < right,
            BinaryOp::Le => left <= right,
            BinaryOp::Gt => left > right,
            BinaryOp::Ge => left >= right,
            _ => return None,
        })
    }
}

/// Whether a value is a comparison or a negation.
pub fn is_condition(source: &Source<'_>) -> bool {
    is_truth(&source.kind)
}

/// The same of what a value is.
pub(crate) fn is_truth(kind: &SourceKind<'_>) -> bool {
    match kind {
        SourceKind::Unary(UnaryOp::Not, _) => true,
        SourceKind::Binary(op, ..) => is_comparison(*op),
        _ => false,
    }
}

/// Whether a value is a constant.
pub(crate) fn is_constant(source: &Source<'_>) -> bool {
    matches!(source.kind, SourceKind::Number(_) | SourceKind::Null)
}
