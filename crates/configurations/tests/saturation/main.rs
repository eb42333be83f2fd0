//! Regular sets of configurations: the saturations against the summaries, against an explicit pushdown system and against
//! each other, the expressions that sets are written in, and the answers of `ask`.

mod asked;
mod duality;
mod explicit;
mod expressions;
mod language;
mod listings;
mod sets;
mod summaries;
mod systems;
mod transitions;
