//! Reduced ordered binary decision diagrams [Bry86, §2] under one fixed order of the variables.
//!
//! A [`Bdd`] names a function `𝔹ⁿ → 𝔹` held by a [`Kernel`]; a [`Level`] names a variable by its place in the order, 0 on
//! top. What the engines ask for most is [`Kernel::image`]: conjunction, quantification and renaming in one recursion,
//! steered by a plan that says what becomes of each variable.
//!
//! What must stay true:
//! - **Canonicity.** Two handles of one kernel are equal iff their functions are.
//! - **Handles stay.** A node never moves; its handle is good until a [`Kernel::collect`] that does not reach it.
//! - **Every operation can be stopped.** The budget is polled inside the recursion. After [`Exhausted`] the kernel is as
//!   good as before: the partial results are ordinary nodes that the next collection removes.
//!
//! There are no complement edges and no reordering: the encoder knows the order before the first node is built.

mod apply;
mod cache;
mod compare;
mod cover;
mod image;
mod kernel;
mod plan;
mod query;
mod simplify;
mod table;

use std::fmt;
use std::num::NonZeroU32;

use hardbop_base::newtype_index;

pub use cover::{Cube, cover, cover_between};
pub use hardbop_base::{Budget, Exhausted};
pub use kernel::Kernel;
pub use plan::{Fate, PlanId};

newtype_index! {
    /// A variable, named by its position in the order: 0 is on top.
    pub struct Level = "x";
}

/// A boolean function, named by the node of its diagram in the [`Kernel`] that made it.
// Row 0 of the node table stays empty: so the handle is the row, and `Result<Bdd, Exhausted>` and `Option<Bdd>` are as
// small as the handle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bdd(NonZeroU32);

impl Bdd {
    /// The function that is false everywhere.
    pub const FALSE: Self = Self(NonZeroU32::MIN);
    /// The function that is true everywhere.
    pub const TRUE: Self = Self(NonZeroU32::MIN.saturating_add(1));

    /// Whether this is [`FALSE`](Self::FALSE).
    #[inline]
    pub fn is_false(self) -> bool {
        self == Self::FALSE
    }

    /// Whether this is [`TRUE`](Self::TRUE).
    #[inline]
    pub fn is_true(self) -> bool {
        self == Self::TRUE
    }

    /// Whether this is one of the two constants.
    #[inline]
    pub fn is_constant(self) -> bool {
        self <= Self::TRUE
    }

    #[inline]
    fn row(self) -> usize {
        self.0.get() as usize
    }
}

impl From<bool> for Bdd {
    #[inline]
    fn from(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }
}

impl fmt::Debug for Bdd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::FALSE => f.write_str("⊥"),
            Self::TRUE => f.write_str("⊤"),
            _ => write!(f, "@{}", self.0),
        }
    }
}
