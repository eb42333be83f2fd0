//! Regular sets of configurations: which of them can be reached, and from where they can be.
//!
//! The second reachability engine: symbolic P-automata, saturated forwards and backwards [ES01, §4.1 and §4.3]. It shares
//! with the first the BDD kernel and the order of slots, and nothing else. A set is written as an [`expression`] over
//! stacks, or as the [`transitions`] of an automaton; [`ask`] decides whether one of its configurations can be reached,
//! and gets a run from the first engine, by making what is below an activation a parameter of it ([`run`]).

pub mod automaton;
mod determine;
pub mod expression;
mod intersect;
pub mod layout;
pub mod listing;
mod meaning;
mod post_star;
mod pre_star;
mod rules;
mod run;
pub mod set;
mod space;
pub mod transitions;

pub use automaton::{Automaton, AutomatonId, Configuration, Kind, Place, State};
pub use expression::read;
pub use listing::Listing;
pub use set::{Naming, Set};
pub use space::Space;

use hardbop_base::{Budget, Exhausted};
use hardbop_icfg::{Goal, NodeId, Program, Relation};
use hardbop_pushdown::{Evidence, Options, Stats};
use hardbop_verdict::{Reason, Verdict};

/// Which way the engine looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the start: which configurations of the set can be reached?
    Forwards,
    /// From the set: which configurations can reach it?
    Backwards,
}

/// How a set is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Which way the engine looks.
    pub direction: Direction,
    /// How many transitions of the automaton that it finds are listed.
    pub listed: usize,
}

/// What is known of a set.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Whether a configuration of the set can be reached: `Violated` if so, as with every goal.
    pub verdict: Verdict,
    /// The head of the configuration that the run leads to: what replay is asked about.
    pub goal: Option<Goal>,
    /// Forwards, the configurations of the set that can be reached; backwards, all from which the set can be. `None`
    /// where a limit was hit before.
    pub listing: Option<Listing>,
    /// Figures.
    pub stats: Stats,
}

/// Asks whether a configuration of `set` can be reached.
pub fn ask(program: &Program<Relation>, set: &Set, request: &Request, options: &Options, budget: &Budget) -> Answer {
    budget.enter("prepare");
    let mut space = Space::new(program, options.order, budget);
    let limit = || Verdict::Unknown(Reason::Limit(budget.hit()));
    let mut answer = Answer { verdict: limit(), goal: None, listing: None, stats: Stats::default() };
    let found = find(&mut space, set, request);
    answer.stats = Stats {
        peak_nodes: space.kernel.peak(),
        created_nodes: space.kernel.created(),
        iterations: space.visits,
        levels: space.layout.count(),
        variables: program.vars.len(),
        effects: Vec::new(),
    };
    let Ok(Found { nodes, unmodelled, listing }) = found else {
        answer.verdict = limit();
        return answer;
    };
    answer.listing = Some(listing);
    drop(space);
    if nodes.is_empty() {
        answer.verdict = unmodelled.map_or(Verdict::Holds, Verdict::Unknown);
    } else if options.evidence == Evidence::None {
        answer.verdict = Verdict::Violated(None);
    } else {
        budget.enter("trace");
        match run::run(program, set, &nodes, options, budget) {
            Ok((goal, witness)) => {
                answer.verdict = Verdict::Violated(Some(Box::new(witness)));
                answer.goal = Some(goal);
            }
            Err(Exhausted) => answer.verdict = limit(),
        }
    }
    answer
}

/// What the saturation has found.
struct Found {
    /// The nodes on top of configurations of the set that can be reached.
    nodes: Vec<NodeId>,
    /// Why there may be others.
    unmodelled: Option<Reason>,
    listing: Listing,
}

fn find(space: &mut Space<'_>, set: &Set, request: &Request) -> Result<Found, Exhausted> {
    let budget = space.kernel.budget().clone();
    let program = space.program;
    let (initial, wanted) = (space.initial()?, space.configurations(set)?);
    let reached;
    let (listed, nodes) = match request.direction {
        Direction::Forwards => {
            budget.enter("post*");
            reached = Some(space.post_star(initial)?);
            let both = space.intersect(reached.expect("it was just made"), wanted)?;
            (both, tops(space.automaton(both)))
        }
        Direction::Backwards => {
            budget.enter("pre*");
            let reaching = space.pre_star(wanted)?;
            let starts = space.intersect(reaching, initial)?;
            let is_reached = !space.automaton(starts).has_no_top();
            let everything = space.configurations(&Set::everything(program))?;
            let listed = space.intersect(reaching, everything)?;
            let needs_forwards = is_reached || !program.marks.unmodelled.is_empty();
            reached = if needs_forwards { Some(space.post_star(initial)?) } else { None };
            let nodes = match reached {
                Some(reached) if is_reached => {
                    let both = space.intersect(reached, wanted)?;
                    let nodes = tops(space.automaton(both));
                    assert!(!nodes.is_empty(), "post* and pre* disagree");
                    nodes
                }
                _ => Vec::new(),
            };
            (listed, nodes)
        }
    };
    let mut unmodelled = None;
    if let Some(reached) = reached.filter(|_| nodes.is_empty()) {
        for found in &program.marks.unmodelled {
            if space.has_head(reached, found.node, None)? {
                unmodelled = Some(Reason::Unmodelled { what: found.what.clone(), span: found.span });
                break;
            }
        }
    }
    budget.enter("describe");
    let listing = listing::list(space, listed, request.listed)?;
    Ok(Found { nodes, unmodelled, listing })
}

fn tops(automaton: &Automaton) -> Vec<NodeId> {
    automaton.tops.iter_enumerated().filter(|(_, row)| !row.is_empty()).map(|(node, _)| node).collect()
}
