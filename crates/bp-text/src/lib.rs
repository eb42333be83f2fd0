//! Programs over finite data in the words of boolean programs: [`program`] writes a whole one that `hardbop check` reads
//! back, [`relation`] what a single edge does.

pub mod program;
pub mod relation;
