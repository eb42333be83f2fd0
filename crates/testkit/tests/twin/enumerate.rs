//! Every configuration, and how short hierarchical traces to it can be.
//!
//! A configuration has a cost per frame: the length of the trace when that frame last moved. A call starts a frame at
//! one more than its caller's; a return takes the caller's, plus one, however much the callee had. One configuration
//! can have several vectors of which none is the least, and all of them count.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hardbop_testkit::{Assertion, Head, Line, Model, ProcedureReport, Statement, StatementReport, Valuation};

use crate::choices::outcomes;
use crate::interpreter::{Configuration, Move, advance, fails, initial};
use crate::position::{Position, find, positions};

/// When to give up.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Frames on the stack.
    pub depth: usize,
    /// Configurations visited.
    pub visits: usize,
}

/// What was found, in the form of the oracle.
pub struct Runs {
    /// Whether no limit was met.
    pub is_complete: bool,
    pub statements: BTreeMap<Line, StatementReport>,
    pub procedures: Vec<ProcedureReport>,
}

/// Enumerates the runs of `model`.
pub fn enumerate(model: &Model, limits: Limits) -> Runs {
    let mut search = Search::new(model);
    for configuration in outcomes(|choices| initial(model, choices)) {
        search.add(configuration, vec![0]);
    }
    let mut visits = 0;
    while let Some((from, costs)) = search.queue.pop_front() {
        visits += 1;
        if visits > limits.visits {
            search.runs.is_complete = false;
            break;
        }
        for (what, to) in outcomes(|choices| advance(model, &from, choices)) {
            let mut costs = costs.clone();
            match what {
                Move::Step => {}
                Move::Call => costs.push(costs[costs.len() - 1]),
                Move::Return => {
                    costs.pop();
                }
            }
            if costs.len() > limits.depth {
                search.runs.is_complete = false;
                continue;
            }
            *costs.last_mut().expect("a run has a frame") += 1;
            search.add(to, costs);
        }
    }
    search.runs
}

struct Search<'m> {
    model: &'m Model,
    /// By configuration, the cost vectors none of which is below another.
    costs: BTreeMap<Configuration, Vec<Vec<usize>>>,
    /// First in, first out: long traces found first would be visited again for each shorter one.
    queue: VecDeque<(Configuration, Vec<usize>)>,
    runs: Runs,
    /// By procedure and position.
    lines: BTreeMap<(usize, Position), Line>,
}

impl<'m> Search<'m> {
    fn new(model: &'m Model) -> Self {
        let mut lines = BTreeMap::new();
        let mut statements = BTreeMap::new();
        let rendered = model.render();
        for id in model.procedure_ids() {
            for (place, position) in positions(model.procedure(id)).into_iter().enumerate() {
                let line = rendered.line(id, Head(place));
                let Position::At(path, _) = &position else { unreachable!("the end is no statement") };
                let is_assertion = matches!(find(model.procedure(id), path), Statement::Assert(_));
                let report = StatementReport {
                    procedure: id,
                    head: Head(place),
                    states: BTreeSet::new(),
                    distance: None,
                    assertion: is_assertion.then(Assertion::default),
                };
                statements.insert(line, report);
                lines.insert((id.0, position), line);
            }
        }
        let procedures = vec![ProcedureReport::default(); model.procedures.len()];
        let runs = Runs { is_complete: true, statements, procedures };
        Search { model, costs: BTreeMap::new(), queue: VecDeque::new(), runs, lines }
    }

    fn add(&mut self, configuration: Configuration, costs: Vec<usize>) {
        let known = self.costs.entry(configuration.clone()).or_default();
        let is_below = |one: &[usize], other: &[usize]| one.iter().zip(other).all(|(one, other)| one <= other);
        if known.iter().any(|known| is_below(known, &costs)) {
            return;
        }
        known.retain(|known| !is_below(&costs, known));
        known.push(costs.clone());
        self.record(&configuration, costs[costs.len() - 1]);
        self.queue.push_back((configuration, costs));
    }

    fn record(&mut self, configuration: &Configuration, cost: usize) {
        let frame = configuration.top();
        let id = frame.procedure;
        let report = &mut self.runs.procedures[id.0];
        let entry = bits(&frame.entry);
        report.entries.insert(entry);
        if frame.position == Position::End {
            let exit = [&configuration.scope()[..], &frame.results].concat();
            let outcome = [&configuration.globals[..], &frame.results].concat();
            report.exits.insert(bits(&exit));
            report.summaries.insert((entry, bits(&outcome)));
            return;
        }
        let shorten = |best: &mut Option<usize>| *best = Some(best.map_or(cost, |best| best.min(cost)));
        let state = bits(&configuration.scope());
        let line = self.lines[&(id.0, frame.position.clone())];
        let report = self.runs.statements.get_mut(&line).expect("every line is there");
        report.states.insert(state);
        shorten(&mut report.distance);
        let can_fail = outcomes(|choices| Some(fails(self.model, configuration, choices))).contains(&true);
        if let Some(assertion) = report.assertion.as_mut().filter(|_| can_fail) {
            assertion.failing.insert(state);
            shorten(&mut assertion.distance);
        }
    }
}

fn bits(values: &[bool]) -> Valuation {
    Valuation(values.iter().rev().fold(0, |bits, value| bits << 1 | u32::from(*value)))
}
