//! Invariants and summaries against the explicit-state oracle, on random programs.

use crate::language::{Parsed, lower};
use crate::programs::options;
use hardbop_base::Budget;
use hardbop_icfg::{NodeId, ProcId, Program, Relation, Scope, VarId};
use hardbop_pushdown::invariants::{Frame, Invariants, Moment, States, Summary, Term, Text, invariants};
use hardbop_testkit::{Line, ProcedureId, Size, StatementReport, Valuation, Variable, explore, programs};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::collections::{BTreeMap, BTreeSet};

/// The rows of `0..2^count` as values.
fn rows(count: usize) -> impl Iterator<Item = Valuation> {
    (0..1 << count).map(Valuation)
}

fn bits(valuation: Valuation, count: usize) -> Vec<bool> {
    (0..count).map(|place| valuation.value(Variable(place))).collect()
}

/// Whether one of the cubes contains the place where `keys` have `values`.
fn contains<K: Ord>(cubes: &[Vec<(K, bool)>], keys: &[K], values: &[bool]) -> bool {
    let at: BTreeMap<&K, bool> = keys.iter().zip(values.iter().copied()).collect();
    cubes.iter().any(|cube| cube.iter().all(|(key, value)| at[key] == *value))
}

/// A program's own variables of a procedure: not the results.
fn own(program: &Program<Relation>, proc: ProcId) -> Vec<VarId> {
    let is_own = |var: &VarId| !matches!(program.vars[*var].scope, Scope::Result(_));
    program.locals[proc].iter().copied().filter(is_own).collect()
}

fn compare_states(
    program: &Program<Relation>,
    node: NodeId,
    states: &States,
    report: &StatementReport,
) -> Result<(), TestCaseError> {
    let locals = own(program, program.icfg.nodes[node].proc);
    let vars: Vec<VarId> = program.globals().chain(locals).collect();
    prop_assert_eq!(states.is_reachable, !report.states.is_empty());
    let cubes = states.cubes.as_ref().expect("small programs have small covers");
    let Text::Formula(text) = &states.formula else { panic!("small programs have small formulas") };
    let names: Vec<&str> = vars.iter().map(|&var| program.vars[var].name.as_str()).collect();
    let is_shadowed = names.iter().collect::<BTreeSet<_>>().len() < names.len();
    let parsed = (!is_shadowed).then(|| Parsed::new(text, &names));
    for state in rows(vars.len()) {
        let (is_reachable, values) = (report.states.contains(&state), bits(state, vars.len()));
        prop_assert_eq!(contains(cubes, &vars, &values), is_reachable, "{:?} in {:?}", state, cubes);
        if let Some(parsed) = &parsed {
            prop_assert_eq!(parsed.value(&values), is_reachable, "{:?} in {}", state, text);
        }
    }
    Ok(())
}

/// What a summary speaks of.
struct Terms {
    terms: Vec<Term>,
    /// Each term's place in an entry of the oracle or in an exit.
    places: Vec<(Moment, Variable)>,
}

fn terms(program: &Program<Relation>, proc: ProcId, summary: &Summary) -> Terms {
    let mut result = Terms { terms: Vec::new(), places: Vec::new() };
    let mut add = |var, moment, place| {
        result.terms.push(Term { var, moment });
        result.places.push((moment, Variable(place)));
    };
    for (place, var) in program.globals().enumerate() {
        add(var, Moment::Exit, place);
        if let Frame::Changes(vars) = &summary.frame
            && vars.contains(&var)
        {
            add(var, Moment::Entry, place);
        }
    }
    let globals = program.globals().count();
    let results = program.locals[proc].iter().filter(|&&var| matches!(program.vars[var].scope, Scope::Result(_)));
    for (place, &var) in results.enumerate() {
        add(var, Moment::Exit, globals + place);
    }
    for (place, &var) in own(program, proc).iter().enumerate().filter(|(_, var)| summary.parameters.contains(var)) {
        add(var, Moment::Entry, globals + place);
    }
    result
}

fn compare_summary(
    program: &Program<Relation>,
    proc: ProcId,
    summary: &Summary,
    pairs: &BTreeSet<(Valuation, Valuation)>,
) -> Result<(), TestCaseError> {
    let Terms { terms, places } = terms(program, proc, summary);
    let pick = |&(entry, exit): &(Valuation, Valuation)| {
        let value = |&(moment, place): &(Moment, Variable)| match moment {
            Moment::Entry => entry.value(place),
            Moment::Exit => exit.value(place),
        };
        places.iter().map(value).collect::<Vec<bool>>()
    };
    let expected: BTreeSet<Vec<bool>> = pairs.iter().map(pick).collect();
    let cubes = summary.cubes.as_ref().expect("small programs have small covers");
    for row in rows(terms.len()) {
        let values = bits(row, terms.len());
        let is_expected = expected.contains(&values);
        prop_assert_eq!(contains(cubes, &terms, &values), is_expected, "{:?} {:?} in {:?}", terms, values, cubes);
    }
    let Frame::Changes(changed) = &summary.frame else {
        prop_assert_eq!(proc, program.entry);
        return Ok(());
    };
    for (place, var) in program.globals().enumerate() {
        let is_different =
            |(entry, exit): &(Valuation, Valuation)| entry.value(Variable(place)) != exit.value(Variable(place));
        prop_assert_eq!(changed.contains(&var), pairs.iter().any(is_different), "{:?}", var);
    }
    Ok(())
}

#[test]
fn invariants_and_summaries_are_those_of_the_oracle() {
    let mut runner = TestRunner::new(Config { cases: 600, failure_persistence: None, ..Config::default() });
    let agree = |(model, off): (hardbop_testkit::Model, u32)| {
        let exploration = explore(&model);
        let (program, sources) = lower(&model.render().text);
        let found = invariants(&program, &options(off), &Budget::unlimited()).expect("there is no limit");
        let Invariants { nodes, summaries } = &found;
        for (node, states) in nodes.iter_enumerated() {
            let at = program.icfg.nodes[node];
            if program.icfg.procs[at.proc].exit != node {
                let line = Line(sources.locate(at.span).line);
                compare_states(&program, node, states, &exploration.statements[&line])?;
            }
        }
        for (proc, summary) in summaries.iter_enumerated() {
            use hardbop_base::Idx;
            let ProcedureId(place) = ProcedureId(proc.index());
            let report = &exploration.procedures[place];
            prop_assert_eq!(summary.is_some(), !report.entries.is_empty());
            if let Some(summary) = summary {
                compare_summary(&program, proc, summary, &report.summaries)?;
            }
        }
        Ok(())
    };
    if let Err(error) = runner.run(&(programs(Size::SMALL), 0..8u32), agree) {
        panic!("{error}");
    }
}
