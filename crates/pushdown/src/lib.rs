//! Reachability in recursive programs with finite data, by path edges and summaries over BDDs.
//!
//! [`check`] climbs a ladder of analyses ([`ladder`]). The data flows like this: a program and goals become a
//! [`Setting`] (what is sliced, modified, live) and a [`flow`] (blocks instead of edges); [`encode`] turns labels into
//! BDDs; [`summaries`] saturates; [`trace`] turns a goal that was reached into a run, [`annotate`] a fixpoint into a
//! proof.

pub mod annotate;
pub mod concrete;
pub mod encode;
pub mod flow;
pub mod invariants;
pub mod ladder;
pub mod options;
pub mod relate;
pub mod setting;
pub mod summaries;
pub mod trace;
pub mod worklist;

pub use ladder::check;
pub use options::{Evidence, Options, Report, Rung, Stats, Switch};
pub use relate::relate;
pub use setting::{Context, Setting};
