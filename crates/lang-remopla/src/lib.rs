//! Pushdown systems as text: [`pds`], rules over symbolic configurations, and [`rem`], the language Remopla.
//!
//! Both give the same [`Program`](hardbop_icfg::Program); their arithmetic is that of [`hardbop_icfg::words`]. The
//! grammars and what everything means are in `docs/src/language-pds.md` and `docs/src/language-remopla.md`.
//!
//! **Invariant:** no text makes any of these functions panic.

pub mod pds;
pub mod rem;
