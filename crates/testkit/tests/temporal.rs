//! Temporal properties of programs written by hand: how long everything takes, and what goes on for ever.

use hardbop_testkit::ltl::{Binary, Formula, Unary};
use hardbop_testkit::temporal::{Proposition, holds, terminates};
use hardbop_testkit::{Block, Expr, Head, Model, Procedure, ProcedureId, Statement, Variable};

const TRUE: Expr = Expr::Constant(true);
const FALSE: Expr = Expr::Constant(false);
const MAIN: ProcedureId = ProcedureId::MAIN;
const CALLEE: ProcedureId = ProcedureId(1);

fn program(globals: &[&str], bodies: Vec<Block>) -> Model {
    let procedures = bodies.into_iter().enumerate().map(|(place, body)| Procedure {
        name: if place == 0 { "main".to_string() } else { format!("p{place}") },
        parameters: vec![],
        results: 0,
        locals: vec![],
        enforce: None,
        abortif: None,
        body,
    });
    let globals = globals.iter().map(ToString::to_string).collect();
    Model { globals, procedures: procedures.collect(), spelling: 0 }
}

fn call(callee: ProcedureId) -> Statement {
    Statement::Call { callee, arguments: vec![], targets: vec![] }
}

fn assign(value: Expr) -> Statement {
    Statement::Assign { targets: vec![Variable(0)], values: vec![value], constrain: None }
}

/// Checks where the only run is, position by position; after the last it stays there.
#[track_caller]
fn check_run(model: &Model, places: &[Proposition]) {
    let mut formula = Formula::unary(Unary::Globally, Formula::proposition(places.len() - 1));
    for place in (0..places.len() - 1).rev() {
        let rest = Formula::unary(Unary::Next, formula);
        formula = Formula::binary(Binary::And, Formula::proposition(place), rest);
    }
    assert!(holds(model, &formula, places));
    assert!(!holds(model, &Formula::Constant(false), &[]), "there is a run");
}

#[test]
fn empty_program_is_at_its_exit_once() {
    check_run(&program(&[], vec![vec![]]), &[Proposition::In(MAIN), Proposition::End]);
}

#[test]
fn statement_is_a_step_and_exit_is_a_place() {
    let model = program(&[], vec![vec![Statement::Skip, Statement::Return(vec![])]]);
    let at = |head| Proposition::At(MAIN, Head(head));
    check_run(&model, &[at(0), at(1), Proposition::In(MAIN), Proposition::End]);
}

#[test]
fn call_and_return_are_a_step_each() {
    let model = program(&[], vec![vec![call(CALLEE), Statement::Skip], vec![Statement::Skip]]);
    let [main, callee] = [MAIN, CALLEE].map(|id| move |head| Proposition::At(id, Head(head)));
    let exits = [MAIN, CALLEE].map(Proposition::In);
    check_run(&model, &[main(0), callee(0), exits[1], main(1), exits[0], Proposition::End]);
}

#[test]
fn test_is_a_step_and_so_is_each_after_it() {
    let arms = vec![(FALSE, vec![]), (TRUE, vec![Statement::Skip])];
    let model = program(
        &[],
        vec![vec![Statement::If { arms, otherwise: None }, Statement::Goto(vec![Head(4)]), Statement::Skip]],
    );
    let at = |head| Proposition::At(MAIN, Head(head));
    check_run(&model, &[at(0), at(1), at(2), at(3), at(4), Proposition::In(MAIN), Proposition::End]);
}

#[test]
fn end_is_not_the_exit_of_a_recursive_main() {
    let arms = vec![(Expr::Read(Variable(0)), vec![assign(FALSE), call(MAIN), assign(FALSE)])];
    let model = program(&["g"], vec![vec![Statement::If { arms, otherwise: None }]]);
    let start = Formula::proposition(0);
    let formula =
        |steps: usize| (0..steps).fold(Formula::proposition(1), |inner, _| Formula::unary(Unary::Next, inner));
    let takes = |start: Formula, steps| {
        let propositions = [Proposition::Global(Variable(0)), Proposition::End];
        let [at, before] = [formula(steps), formula(steps - 1).negated()];
        let both = Formula::binary(Binary::And, at, before);
        assert!(holds(&model, &Formula::binary(Binary::Implies, start, both), &propositions));
    };
    // The test, and the return; or the test, the assignment, the call, as above, and from its return the last
    // assignment.
    takes(start.negated(), 2);
    takes(start, 7);
}

#[test]
fn blocked_run_is_none() {
    for statement in [Statement::Assume(FALSE), Statement::Assert(FALSE)] {
        let model = program(&[], vec![vec![statement]]);
        assert!(holds(&model, &Formula::Constant(false), &[]));
        assert!(terminates(&model));
    }
}

#[test]
fn loops_and_recursion_need_not_end() {
    let repeat = |condition| Statement::While { condition, body: vec![Statement::Skip] };
    assert!(!terminates(&program(&[], vec![vec![repeat(Expr::Star)]])));
    assert!(!terminates(&program(&[], vec![vec![repeat(TRUE)]])));
    assert!(terminates(&program(&[], vec![vec![repeat(FALSE)]])));
    assert!(!terminates(&program(&[], vec![vec![call(CALLEE)], vec![call(CALLEE)]])));
    let guarded = vec![(Expr::Read(Variable(0)), vec![assign(FALSE), call(CALLEE)])];
    let guarded = Statement::If { arms: guarded, otherwise: None };
    assert!(terminates(&program(&["g"], vec![vec![call(CALLEE)], vec![guarded]])));
}

#[test]
fn globals_keep_their_values_at_the_end() {
    let model = program(&["g"], vec![vec![assign(TRUE)]]);
    let settled = Formula::unary(Unary::Finally, Formula::unary(Unary::Globally, Formula::proposition(0)));
    assert!(holds(&model, &settled, &[Proposition::Global(Variable(0))]));
    assert!(!holds(&model, &Formula::proposition(0), &[Proposition::Global(Variable(0))]), "anything at first");
}
