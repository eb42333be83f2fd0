//! Proofs, right ones and every way to spoil them.

use crate::draft::{formula, goal, program};
use expect_test::{Expect, expect};
use hardbop_base::{Budget, Idx, IndexVec, Limit};
use hardbop_icfg::{NodeId, Program, Relation, SlotId};
use hardbop_verdict::{Atom, Formula, FormulaId, Formulas, Proof, certify};

/// One formula per node, in the order of the nodes.
fn proof(program: &Program<Relation>, annotation: &[&str]) -> Proof {
    let mut formulas = Formulas::default();
    let nodes = program.icfg.nodes.iter().zip(annotation);
    let at = nodes.map(|(node, text)| formula(program, &mut formulas, node.proc, text)).collect();
    Proof { formulas, at }
}

/// `goals` are triples of procedure, node and condition.
#[track_caller]
fn check(text: &str, annotation: &[&str], goals: &[(&str, usize, &str)], expect: Expect) {
    let mut program = program(text);
    let goals: Vec<_> =
        goals.iter().map(|(proc, node, condition)| goal(&mut program, proc, *node, condition)).collect();
    let proof = proof(&program, annotation);
    let answer = certify(&program, &goals.iter().collect::<Vec<_>>(), &proof, &Budget::unlimited());
    expect.assert_eq(&answer.map_or_else(|error| error.to_string(), |_| "ok".to_owned()));
}

/// A lock that is taken and given back by procedures.
const LOCK: &str = "
    globals locked
    initial !locked'
    proc main local more
    call 0 1 toggle ; set p = 1 ; back
    step 1 2 ; set more = *
    call 2 3 toggle ; set p = !locked ; back
    step 3 0 ; if more
    step 3 4 ; if !more
    proc toggle param p
    step 0 1 ; if p ; set locked = 1
    step 0 1 ; if !p ; set locked = 0";

const LOCK_PROOF: [&str; 7] =
    ["!locked", "locked", "locked", "!locked", "!locked", "p = p'' & locked = locked''", "p = p'' & locked = p''"];

#[track_caller]
fn check_lock(spoil: &[(usize, &str)], goals: &[(&str, usize, &str)], expect: Expect) {
    let mut annotation = LOCK_PROOF;
    for &(node, text) in spoil {
        annotation[node] = text;
    }
    check(LOCK, &annotation, goals, expect);
}

#[test]
fn a_right_proof_is_accepted() {
    check_lock(&[], &[("main", 3, "locked"), ("main", 1, "!locked & ?0")], expect!["ok"]);
    check_lock(&[(5, "p = p''"), (6, "locked = p''")], &[("main", 3, "locked")], expect!["ok"]);
}

#[test]
fn a_goal_that_the_annotation_allows_is_found() {
    check_lock(&[], &[("main", 3, "locked"), ("main", 1, "locked & ?0")], expect!["the annotation allows goal 1"]);
    check_lock(&[], &[("toggle", 0, "p")], expect!["the annotation allows goal 0"]);
}

#[test]
fn a_first_state_outside_is_found() {
    check_lock(&[(0, "!locked & more")], &[], expect!["a first state is outside the annotation"]);
    check_lock(&[(0, "locked''")], &[], expect!["a first state is outside the annotation"]);
    check_lock(&[(0, "locked = locked''")], &[], expect!["the step e3 leads out of the annotation"]);
}

#[test]
fn an_edge_that_leads_out_is_found() {
    check_lock(&[(4, "!locked & more")], &[], expect!["the step e4 leads out of the annotation"]);
    check_lock(&[(2, "locked & more")], &[], expect!["the step e1 leads out of the annotation"]);
    check_lock(&[(3, "locked")], &[], expect!["the way back from the call e2 leads out of the annotation"]);
    check_lock(&[(5, "p = p'' & locked")], &[], expect!["the way into the call e0 leads out of the annotation"]);
    check_lock(&[(5, "p'' & p")], &[], expect!["the way into the call e2 leads out of the annotation"]);
}

#[test]
fn a_weak_summary_is_not_enough() {
    check_lock(&[(6, "1")], &[], expect!["the way back from the call e0 leads out of the annotation"]);
    check_lock(&[(6, "p = p''")], &[], expect!["the way back from the call e0 leads out of the annotation"]);
    check_lock(&[(6, "locked = p'' & p''")], &[], expect!["the step e6 leads out of the annotation"]);
    check_lock(&[(6, "0")], &[], expect!["the step e5 leads out of the annotation"]);
}

#[test]
fn a_caller_keeps_its_locals_over_a_recursive_call() {
    let text = "
        globals g
        proc f param p
        call 0 1 f ; if p ; set p = !p ; back
        step 0 1 ; if !p";
    check(text, &["p = p''", "p = p''"], &[], expect!["ok"]);
    // The callee leaves with its own p false, which shares its slot with the caller's p.
    check(text, &["p = p''", "!p"], &[], expect!["the way back from the call e0 leads out of the annotation"]);
    check(text, &["p", "1"], &[], expect!["a first state is outside the annotation"]);
    let changing = "
        globals g
        proc f result r param p
        call 0 1 f ; if p ; set p = 0 ; back ; set g = r ^ p''
        step 0 1 ; if !p ; set r = p ; set g = p";
    check(
        changing,
        &["1", "(p'' -> p & g) & (!p'' -> !g & !r)"],
        &[],
        expect!["the way back from the call e0 leads out of the annotation"],
    );
    check(changing, &["p = p''", "p = p'' & (p'' -> g) & (!p'' -> !g & !r)"], &[], expect!["ok"]);
}

#[test]
fn choices_in_and_back_are_independent() {
    let text = "
        globals g h
        proc main
        call 0 1 f ; set p = ?0 ; back ; set g = p ; set h = ?0
        proc f param p
        step 0 1";
    check(text, &["1", "1", "p = p''", "p = p''"], &[("main", 1, "g & !h")], expect!["the annotation allows goal 0"]);
    check(
        text,
        &["1", "g = h", "p = p''", "p = p''"],
        &[],
        expect!["the way back from the call e0 leads out of the annotation"],
    );
    let any = "globals g h\nproc main local a\nstep 0 1 ; set g = * ; set h = * ; such g' = h'\nstep 1 2 ; such a";
    check(any, &["1", "g = h", "g = h & a"], &[], expect!["ok"]);
    check(any, &["1", "g", "1"], &[], expect!["the step e0 leads out of the annotation"]);
    check(any, &["1", "1", "g"], &[], expect!["the step e1 leads out of the annotation"]);
}

#[test]
fn a_callees_locals_start_arbitrary() {
    let text = "globals g\nproc main local a\ncall 0 1 f ; such !m'\nproc f local l local m\nstep 0 1";
    check(text, &["!a", "1", "!m", "1"], &[], expect!["a first state is outside the annotation"]);
    check(text, &["1", "1", "!m", "1"], &[], expect!["ok"]);
    check(text, &["1", "1", "l", "1"], &[], expect!["the way into the call e0 leads out of the annotation"]);
}

#[test]
fn a_malformed_annotation_is_rejected() {
    let program = program("globals g\nproc main\nstep 0 1");
    let right = proof(&program, &["1", "1"]);
    let check = |proof: &Proof, expect: Expect| {
        let answer = certify(&program, &[], proof, &Budget::unlimited());
        expect.assert_eq(&answer.map_or_else(|error| error.to_string(), |_| "ok".to_owned()));
    };
    check(&right, expect!["ok"]);
    let short: IndexVec<NodeId, FormulaId> = right.at.iter().copied().take(1).collect();
    check(&Proof { at: short, ..right.clone() }, expect!["the annotation is incomplete or not well formed"]);
    let bad = |formula: Formula| {
        let mut proof = right.clone();
        let id = proof.formulas.intern(formula);
        proof.at[NodeId::from_usize(1)] = id;
        proof
    };
    let (slot, itself) = (SlotId::from_usize(0), FormulaId::from_usize(1));
    check(&bad(Formula::And(itself, itself)), expect!["the annotation is incomplete or not well formed"]);
    check(
        &bad(Formula::Ite(Atom::Now(slot), itself, itself)),
        expect!["the annotation is incomplete or not well formed"],
    );
    check(&bad(Formula::Unchanged(SlotId::from_usize(1))), expect!["the annotation is incomplete or not well formed"]);
    check(&bad(Formula::Unchanged(slot)), expect!["the step e0 leads out of the annotation"]);
}

#[test]
fn what_is_unchanged_in_some_cases_only_is_not_unchanged() {
    let program = program("globals g h\nproc main\ncall 0 1 f\nproc f\nstep 0 1 ; set h = *");
    let check = |exit: fn(&mut Formulas, FormulaId, FormulaId) -> FormulaId, expect: Expect| {
        let mut proof = proof(&program, &["1", "h = h''", "1", "1"]);
        let is_true = proof.at[NodeId::from_usize(0)];
        let unchanged = proof.formulas.intern(Formula::Unchanged(SlotId::from_usize(1)));
        proof.at[NodeId::from_usize(0)] = unchanged;
        proof.at[NodeId::from_usize(3)] = exit(&mut proof.formulas, is_true, unchanged);
        let answer = certify(&program, &[], &proof, &Budget::unlimited());
        expect.assert_eq(&answer.unwrap_err().to_string());
    };
    let test = |formulas: &mut Formulas, is_true, unchanged| {
        formulas.intern(Formula::Ite(Atom::Now(SlotId::from_usize(0)), unchanged, is_true))
    };
    check(test, expect!["the way back from the call e0 leads out of the annotation"]);
    // As a conjunct it is enough for the caller, and too much for the callee.
    let both = |formulas: &mut Formulas, is_true, unchanged| formulas.intern(Formula::And(is_true, unchanged));
    check(both, expect!["the step e1 leads out of the annotation"]);
}

#[test]
fn a_limit_is_said_to_be_hit() {
    let program = program(LOCK);
    let proof = proof(&program, &LOCK_PROOF);
    let (pass, stopped) = (Budget::unlimited().with_allowance(20), Budget::unlimited());
    stopped.stop(Limit::Time);
    for budget in [pass, stopped] {
        let answer = certify(&program, &[], &proof, &budget);
        expect!["a limit was hit"].assert_eq(&answer.unwrap_err().to_string());
    }
}

#[test]
fn procedures_of_the_same_shape_are_proved_once() {
    let copies = 300;
    let mut text = "globals g\ninitial g'\nproc main\ncall 0 1 f0\n".to_owned();
    for index in 0..copies {
        let callee = (index + 1) % copies;
        text += &format!(
            "proc f{index} local a{index}\nstep 0 1 ; set a{index} = g\ncall 1 2 f{callee} ; back ; set g = g\n"
        );
        text += &format!("step 0 2 ; set g = g | a{index}\n");
    }
    let program = program(&text);
    let mut annotation = vec!["g".to_owned(); 2];
    for index in 0..copies {
        annotation.extend(["g".to_owned(), format!("g & a{index}"), "g".to_owned()]);
    }
    let proof = proof(&program, &annotation.iter().map(String::as_str).collect::<Vec<_>>());
    let certificate = certify(&program, &[], &proof, &Budget::unlimited()).unwrap();
    expect![[r#"
        Certificate {
            solved: 4,
            folded: 3,
            repeated: 1196,
        }
    "#]]
    .assert_debug_eq(&certificate);
}
