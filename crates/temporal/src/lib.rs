//! Temporal properties of recursive programs \[ES01\]: is there an infinite run that a Büchi automaton accepts?
//!
//! A program that can finish is made to go on for ever ([`finish`]). Where the beginning of a run tells that it is
//! accepted, plain reachability may answer at once ([`terminal`]). Otherwise the program's [`product`] with the automaton of the negated
//! property is saturated like any other program, and the path edges and summaries that come of it hold all that is
//! needed to find the heads that repeat ([`heads`], [`cycles`]).

mod backwards;
mod components;
pub mod cycles;
pub mod finish;
pub mod heads;
pub mod lasso;
pub mod product;
pub mod ranks;
pub mod restart;
mod stuck;
mod terminal;

use cycles::Way;
use hardbop_base::{Budget, Exhausted, Idx, IndexVec};
use hardbop_bdd::Kernel;
use hardbop_icfg::proposition::Proposition;
use hardbop_icfg::{NodeId, Program, Relation, Role};
use hardbop_ltl::Automaton;
use hardbop_ltl::automaton::Component as Kind;
use hardbop_pushdown::encode::{Encoder, Levels};
use hardbop_pushdown::flow::Flow;
use hardbop_pushdown::summaries::{Keep, Saturation, Until};
use hardbop_pushdown::{Evidence, Options, Setting, Stats, Switch};
use heads::Heads;
use lasso::Lasso;
use product::{Buchi, BuchiMove, Memory, Product};
use ranks::{EndlessProof, Ranks};
use restart::Head;

/// What is asked of a program: that no infinite run is accepted.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The program; it has been [finished](finish::finish) if its runs can end well.
    pub program: &'a Program<Relation>,
    /// The automaton of what must not happen: one acceptance set, by states.
    pub automaton: &'a Automaton,
    /// What its propositions mean.
    pub propositions: &'a [Proposition],
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Report {
    /// Whether there is such a run.
    pub is_violated: bool,
    /// The run, if it was wanted.
    pub lasso: Option<Lasso>,
    /// The proof that there is none, if it was wanted.
    pub proof: Option<Box<EndlessProof>>,
    /// Where a run can get stuck; looked for only where there is no violation, and not where the answer is about every
    /// beginning of a run, stuck or not.
    pub stuck: Vec<NodeId>,
    /// The first statement of [`Marks::unmodelled`](hardbop_icfg::Marks) that can be reached.
    pub unmodelled: Option<usize>,
    /// Figures.
    pub stats: Stats,
}

impl Report {
    /// That there is no such run, and nothing besides.
    fn holds(unmodelled: Option<usize>, stats: Stats) -> Self {
        Self { is_violated: false, lasso: None, proof: None, stuck: Vec::new(), unmodelled, stats }
    }
}

/// Answers `question`.
pub fn check(question: &Question<'_>, options: &Options, budget: &Budget) -> Result<Report, Exhausted> {
    if let Some(stats) = terminal::excluded(question, options, budget) {
        return Ok(Report::holds(None, stats));
    }
    budget.enter("product");
    let product = make_product(question, options.class);
    budget.enter("prepare");
    let watched: Vec<_> = product.seen.iter().flatten().copied().collect();
    let setting = Setting::watching(&product.program, &watched, options);
    // A proof speaks of every node.
    let chains = if options.evidence == Evidence::TracesAndProof { Switch::Off } else { options.chains };
    let flow = Flow::new(&setting, chains);
    let levels = Levels::new(&product.program, &setting.slots, flow.most_choices, options.order);
    let kernel = Kernel::new(levels.count(), budget.clone());
    let encoder = Encoder::new(&setting, kernel, levels);
    let mut saturation = Saturation::new(&setting, &flow, encoder, options.frontiers, Keep::Sets)?;
    budget.enter("exact");
    if options.post == Switch::Off {
        saturation.enter_everywhere()?;
    }
    saturation.run(Until::Fixpoint)?;
    budget.enter("heads");
    if options.post == Switch::Off {
        let is_violated = backwards::is_violated(&mut Heads::new(&mut saturation, &product)?, options)?;
        // A run or a proof speaks of what can be reached. The answer may change then, from a violation to none: here an
        // automaton that cannot move on may seem to repeat its state.
        return if is_violated || options.evidence == Evidence::TracesAndProof {
            let report = check(question, &Options { post: Switch::On, ..*options }, budget)?;
            assert!(
                is_violated || !report.is_violated,
                "what cannot repeat anywhere repeats among what can be reached"
            );
            Ok(report)
        } else {
            Ok(Report::holds(unmodelled(&saturation), stats(&saturation)))
        };
    }
    let mut heads = Heads::new(&mut saturation, &product)?;
    let mut ranks = match options.evidence {
        Evidence::TracesAndProof => Some(Ranks::new(&mut heads)?),
        Evidence::Traces | Evidence::None => None,
    };
    let head = first_that_repeats(&mut heads, &mut ranks, options.rough)?;
    let stats = stats(&saturation);
    let unmodelled = unmodelled(&saturation);
    let stuck = if head.is_none() { stuck::stuck(&mut saturation, &product)? } else { Vec::new() };
    let lasso = match &head {
        Some(head) if options.evidence != Evidence::None => {
            Some(lasso::lasso(question, &product, head, options, budget)?)
        }
        _ => None,
    };
    let proof = ranks.filter(|_| head.is_none()).map(|ranks| Box::new(ranks.finish(product.clone())));
    Ok(Report { is_violated: head.is_some(), lasso, proof, stuck, unmodelled, stats })
}

/// A head that repeats, in the first component that has one; components without get their ranks.
fn first_that_repeats(
    heads: &mut Heads<'_, '_>,
    ranks: &mut Option<Ranks>,
    rough: Switch,
) -> Result<Option<Head>, Exhausted> {
    let nothing = IndexVec::new();
    let only_counts = only_counts(heads.saturation.setting.program);
    for rough in heads.rough(rough) {
        let mut layers = Vec::new();
        if let Some(mut component) = heads.graph(&rough)? {
            if ranks.is_none() && only_counts {
                heads.trim(&mut component, Way::Backwards, None, &nothing)?;
            }
            let wanted = ranks.is_some().then_some(&mut layers);
            heads.trim(&mut component, Way::Forwards, wanted, &nothing)?;
            if component.graph.states.iter().any(|states| !states.is_false()) {
                return Ok(Some(lasso::head(heads, &component)?));
            }
        }
        if let Some(ranks) = ranks {
            ranks.add(heads, &rough, &layers)?;
        }
    }
    Ok(None)
}

/// Whether all numbers are calculated with. Then the way back is the shorter one: what leads nowhere is soon gone.
fn only_counts(program: &Program<Relation>) -> bool {
    let mut numbers = program.data.iter().filter(|datum| datum.bits.len() > 1).peekable();
    numbers.peek().is_some() && numbers.all(|datum| datum.role == Role::Counter)
}

/// The first statement that is not modelled and can be reached.
fn unmodelled(saturation: &Saturation<'_>) -> Option<usize> {
    let statements = &saturation.setting.program.marks.unmodelled;
    statements.iter().position(|statement| !saturation.reached[statement.node].is_false())
}

fn stats(saturation: &Saturation<'_>) -> Stats {
    let kernel = &saturation.encoder.kernel;
    Stats {
        peak_nodes: kernel.peak(),
        created_nodes: kernel.created(),
        iterations: saturation.visits,
        levels: kernel.levels(),
        variables: saturation.setting.program.vars.len(),
        effects: Vec::new(),
    }
}

fn make_product(question: &Question<'_>, class: Switch) -> Product {
    let kinds = question.automaton.accepting_components();
    let is_weak = !kinds.iter().any(|kind| *kind == Kind::Mixed);
    let memory = if is_weak && class == Switch::On { Memory::None } else { Memory::Activation };
    product::product(question.program, question.propositions, &buchi(question.automaton), memory, None)
}

/// The automaton with its accepting states; in a weak one those of accepting components.
fn buchi(automaton: &Automaton) -> Buchi {
    let kinds = automaton.accepting_components();
    let is_weak = !kinds.iter().any(|kind| *kind == Kind::Mixed);
    let accepting = automaton.states.ids().map(|state| match is_weak {
        true => kinds[state] == Kind::Accepting,
        false => automaton.is_accepting(state) && kinds[state] != Kind::Rejecting,
    });
    let moves = automaton.states.iter_enumerated().flat_map(|(from, edges)| {
        edges.iter().map(move |edge| BuchiMove {
            from: from.index(),
            to: edge.to.index(),
            guard: edge.guard.cubes.iter().map(|cube| cube.iter().map(|&(p, v)| (p.index(), v)).collect()).collect(),
        })
    });
    Buchi {
        accepting: accepting.collect(),
        initial: automaton.initial.iter().map(|state| state.index()).collect(),
        moves: moves.collect(),
        ends: Vec::new(),
    }
}
