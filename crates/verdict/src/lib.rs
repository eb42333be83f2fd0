//! No evidence, no answer: verdicts, and what they rest on.
//!
//! A violation rests on a [`Witness`], a run that [`replay`](replay::replay) has followed step by step with code that
//! shares nothing with the engines. A proof is an inductive annotation that a small checker confirms with SAT.

pub mod check;
pub mod lasso;
pub mod proof;
pub mod replay;
pub mod witness;
pub mod word;

pub use check::ranking::{Acceptance, Rank, Ranking, certify_ranking};
pub use check::{Certificate, CertifyError, certify};
pub use lasso::{Lasso, LassoError, Rounds, replay_lasso};
pub use proof::{Atom, Formula, FormulaId, Formulas, Proof};
pub use replay::{ReplayError, Replayed, replay};
pub use witness::{Length, Move, Picks, SubTrace, SubTraceId, Witness};
pub use word::{Word, WordError, word};

use hardbop_base::{Limit, Span};

/// The answer to one goal.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The goal cannot be reached.
    Holds,
    /// The goal can be reached, and this is a run that does, if one was wanted.
    Violated(Option<Box<Witness>>),
    /// No answer, and why not.
    Unknown(Reason),
}

/// Why there is no answer. Each has a page in `hardbop explain`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit was hit.
    Limit(Limit),
    /// The answer depends on a statement that is not modelled.
    Unmodelled {
        /// What it is.
        what: String,
        /// Where it is.
        span: Span,
    },
}

impl Reason {
    /// The name of its page in `hardbop explain`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Limit(Limit::Time) => "time-limit",
            Self::Limit(Limit::Memory) => "memory-limit",
            Self::Limit(Limit::Interrupt) => "interrupted",
            Self::Limit(Limit::Allowance) => "allowance",
            Self::Unmodelled { .. } => "unmodelled-statement",
        }
    }
}
