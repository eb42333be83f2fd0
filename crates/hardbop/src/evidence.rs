//! No evidence, no answer: every trace is replayed, and proofs are checked where that is asked for.

use crate::answer::{self, Counterexample, Finding, ProofBasis};
use crate::diagnostics::Rejection;
use crate::flow::path::{Path, Scene};
use crate::flow::reasons::Whole;
use crate::trace::{Lasso, relations};
use hardbop_base::{Budget, Diagnostic, Limit, Location, SourceMap};
use hardbop_configurations as configurations;
use hardbop_dataflow::{Decision, Status};
use hardbop_icfg::{EdgeKind, Expr, Goal, GoalKind, NodeId, Program, Relation, Unmodelled};
use hardbop_pushdown::Report;
use hardbop_temporal as temporal;
use hardbop_verdict::{
    Certificate, CertifyError, Move, Reason, Verdict, certify, certify_ranking, replay, replay_lasso,
};
use std::collections::HashMap;

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// The user's input is wrong.
    Rejected(Rejection),
    /// A limit was hit.
    Stopped(Limit),
    /// We are wrong, and this is how it shows.
    Fault(String),
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Rejected(diagnostic.into())
    }
}

/// Whether runs are replayed and shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traces {
    /// They are.
    Wanted,
    /// The engine was not asked for any.
    Unwanted,
}

/// What to ask the engine: the goals, then every statement that is not modelled.
pub fn questions(program: &Program<Relation>, goals: &[Goal]) -> Vec<Goal> {
    let unmodelled = program.marks.unmodelled.iter().map(|statement| Goal {
        node: statement.node,
        condition: None,
        name: statement.what.clone(),
        kind: GoalKind::Statement,
        span: statement.span,
    });
    goals.iter().cloned().chain(unmodelled).collect()
}

/// That nothing can be said of a program in which a statement that is not modelled can be reached.
pub fn refuse(statement: &Unmodelled) -> Diagnostic {
    let message = format!("{} can be reached and is not modelled, so what lies behind it is not known", statement.what);
    Diagnostic::error("unmodelled-statement", message, statement.span)
}

/// The goals as the user knows them.
pub fn describe(program: &Program<Relation>, sources: &SourceMap, goals: &[Goal]) -> Vec<answer::Goal> {
    let places: Vec<_> = goals.iter().map(|goal| sources.locate(goal.span)).collect();
    let mut per_line: HashMap<(&str, usize), usize> = HashMap::new();
    for place in &places {
        *per_line.entry((place.path, place.line)).or_default() += 1;
    }
    let describe = |(goal, place): (&Goal, &Location<'_>)| answer::Goal {
        name: goal.name.clone(),
        kind: goal.kind.into(),
        procedure: program.icfg.procs[program.icfg.nodes[goal.node].proc].name.clone(),
        path: place.path.to_owned(),
        line: place.line,
        place: match per_line[&(place.path, place.line)] {
            1 => format!("{}:{}", place.path, place.line),
            _ => format!("{}:{}:{}", place.path, place.line, place.column),
        },
    };
    goals.iter().zip(&places).map(describe).collect()
}

/// What is found about the first `goals` of `questions`, each run replayed.
pub fn replay_all(
    program: &Program<Relation>,
    sources: &SourceMap,
    questions: &[Goal],
    report: &Report,
    traces: Traces,
) -> Result<Vec<Finding>, Failure> {
    let goals = questions.len() - program.marks.unmodelled.len();
    let doubt = doubt(program, &report.verdicts[goals..]);
    let mut findings = Vec::with_capacity(goals);
    for (goal, verdict) in questions[..goals].iter().zip(&report.verdicts) {
        findings.push(match verdict {
            // What is never true cannot happen, whatever the statements that are not modelled do.
            Verdict::Holds if goal.condition.is_some_and(|it| program.exprs.get(it) == Expr::Const(false)) => {
                Finding::Holds
            }
            Verdict::Holds => doubt.clone().map_or(Finding::Holds, Finding::Unknown),
            Verdict::Unknown(reason) => Finding::Unknown(reason.clone()),
            Verdict::Violated(None) if traces == Traces::Wanted => {
                return Err(Failure::Fault(format!("`{}` is said to be reachable without a trace", goal.name)));
            }
            Verdict::Violated(None) => Finding::Violated(None),
            Verdict::Violated(Some(witness)) => {
                let replayed = replay(program, goal, witness).map_err(|error| {
                    Failure::Fault(format!("the trace of `{}` is not a run of the program: {error}", goal.name))
                })?;
                let trace = relations::trace(program, sources, witness, &replayed);
                Finding::Violated(Some(Box::new(Counterexample::Run(trace))))
            }
        });
    }
    Ok(findings)
}

/// After so many places it is said that the work goes on.
const SEEN_TO_GO_ON: usize = 8;

/// The decisions with the paths of those places that may fail, each replayed in the projection that it was found in.
/// Where a limit was hit there is still time for that, as long as it can be seen to go on.
pub fn replay_failures(
    decisions: Vec<Decision>,
    scene: &Scene<'_>,
    budget: &Budget,
) -> Result<Vec<(Decision, Option<Path>)>, Failure> {
    budget.enter("replay");
    let whole = Whole::new(scene.encoding);
    let replayed = decisions.into_iter().zip(&scene.encoding.sites).enumerate().map(|(number, (decision, site))| {
        let Status::MayFail(Some(failure)) = &decision.status else { return Ok((decision, None)) };
        if number.is_multiple_of(SEEN_TO_GO_ON) {
            budget.enter("replay");
        }
        let replayed = replay(&failure.projection, &failure.goal, &failure.witness).map_err(|error| {
            Failure::Fault(format!("the path to `{}` is not a run of the program: {error}", failure.goal.name))
        })?;
        let path = scene.path(&whole, site, failure, &replayed);
        Ok((decision, Some(path)))
    });
    replayed.collect()
}

/// What is found about infinite runs, the run without end replayed.
pub fn replay_endless(
    program: &Program<Relation>,
    sources: &SourceMap,
    report: &temporal::Report,
) -> Result<Finding, Failure> {
    if !report.is_violated {
        return Ok(match report.unmodelled {
            Some(place) => {
                let found = &program.marks.unmodelled[place];
                Finding::Unknown(Reason::Unmodelled { what: found.what.clone(), span: found.span })
            }
            None => Finding::Holds,
        });
    }
    let Some(lasso) = &report.lasso else { return Ok(Finding::Violated(None)) };
    let replayed = replay_lasso(&lasso.parts(program))
        .map_err(|error| Failure::Fault(format!("the run without end is not one of the program: {error}")))?;
    let round = &lasso.restarted.program;
    let callee = |step: &Move| match (step, round.icfg.edges[step.edge()].kind) {
        (Move::Enter { .. }, EdgeKind::Call { callee, .. }) => Some(round.icfg.procs[callee].name.clone()),
        _ => None,
    };
    let lasso = Lasso {
        stem: relations::trace(program, sources, &lasso.stem, &replayed.stem),
        round: relations::trace(round, sources, &lasso.round, &replayed.round),
        grows: lasso.round.moves.iter().filter_map(callee).collect(),
    };
    Ok(Finding::Violated(Some(Box::new(Counterexample::Lasso(lasso)))))
}

/// Has the proof that no infinite run is accepted checked. Where the checker is stopped, what held is unknown.
pub fn certify_endless(
    report: &temporal::Report,
    finding: &mut Finding,
    budget: &Budget,
) -> Result<ProofBasis, Failure> {
    if !matches!(finding, Finding::Holds) {
        return Ok(ProofBasis::Fixpoint);
    }
    let endless = report.proof.as_ref().ok_or_else(|| Failure::Fault("it holds and there is no proof".into()))?;
    let (program, proof) = (&endless.product.program, &endless.proof);
    let reach = certify(program, &[], proof, budget);
    let certified = reach.and_then(|reach| {
        let ranks = certify_ranking(program, proof, &endless.ranking, endless.acceptance(), budget)?;
        Ok(count(&reach) + count(&ranks))
    });
    match certified {
        Ok(obligations) => Ok(ProofBasis::Certified { obligations }),
        Err(CertifyError::Exhausted) => {
            *finding = Finding::Unknown(Reason::Limit(budget.hit()));
            Ok(ProofBasis::Fixpoint)
        }
        Err(error) => Err(Failure::Fault(format!("the proof is not accepted: {error}"))),
    }
}

fn count(certificate: &Certificate) -> usize {
    certificate.solved + certificate.folded + certificate.repeated
}

/// That runs can get stuck, and where.
pub fn stuck_places(program: &Program<Relation>, sources: &SourceMap, stuck: &[NodeId]) -> Option<String> {
    let mut lines: Vec<usize> = stuck.iter().map(|&node| sources.locate(program.icfg.nodes[node].span).line).collect();
    lines.sort_unstable();
    lines.dedup();
    let shown: Vec<String> = lines.iter().take(5).map(usize::to_string).collect();
    let more = if lines.len() > shown.len() { ", …" } else { "" };
    let (places, noun) = (stuck.len(), if lines.len() == 1 { "line" } else { "lines" });
    let at = if places == 1 { "1 place".to_owned() } else { format!("{places} places") };
    (places > 0).then(|| {
        let lines = shown.join(", ");
        format!(
            "a run can get stuck at {at} ({noun} {lines}{more}); one that does is no infinite run and does not count"
        )
    })
}

/// A set of stacks as the user knows it.
pub fn describe_stacks(program: &Program<Relation>, sources: &SourceMap, text: &str) -> answer::Goal {
    let proc = &program.icfg.procs[program.entry];
    let place = sources.locate(proc.span);
    answer::Goal {
        name: text.to_owned(),
        kind: answer::Kind::Stacks,
        procedure: proc.name.clone(),
        path: place.path.to_owned(),
        line: place.line,
        place: place.path.to_owned(),
    }
}

/// What is found about a set of stacks, the run to one of them replayed.
pub fn replay_stack(
    program: &Program<Relation>,
    sources: &SourceMap,
    found: &configurations::Answer,
) -> Result<Finding, Failure> {
    Ok(match (&found.verdict, &found.goal) {
        (Verdict::Holds, _) => Finding::Holds,
        (Verdict::Unknown(reason), _) => Finding::Unknown(reason.clone()),
        (Verdict::Violated(Some(witness)), Some(goal)) => {
            let replayed = replay(program, goal, witness)
                .map_err(|error| Failure::Fault(format!("the trace is not a run of the program: {error}")))?;
            let trace = relations::trace(program, sources, witness, &replayed);
            Finding::Violated(Some(Box::new(Counterexample::Run(trace))))
        }
        (Verdict::Violated(_), _) => {
            return Err(Failure::Fault("a stack is said to be there without a trace".into()));
        }
    })
}

/// A node's name for the user: the procedure, and the line.
pub fn place_of(program: &Program<Relation>, sources: &SourceMap, node: NodeId) -> String {
    let found = program.icfg.nodes[node];
    let label = program.marks.labels.iter().find(|(_, at)| *at == node).map(|(label, _)| label);
    let procedure = &program.icfg.procs[found.proc].name;
    match label {
        Some(label) => format!("{procedure}:{label}"),
        None => format!("{procedure}:{}", sources.locate(found.span).line),
    }
}

/// Why a goal that was not reached may be reached all the same: runs end at a statement that is not modelled.
fn doubt(program: &Program<Relation>, verdicts: &[Verdict]) -> Option<Reason> {
    let statements = program.marks.unmodelled.iter().zip(verdicts);
    let reached = statements.clone().find(|(_, verdict)| matches!(verdict, Verdict::Violated(_)));
    let undecided = verdicts.iter().find_map(|verdict| match verdict {
        Verdict::Unknown(reason) => Some(reason.clone()),
        _ => None,
    });
    reached.map(|(found, _)| Reason::Unmodelled { what: found.what.clone(), span: found.span }).or(undecided)
}

/// Has the proof of all that holds checked. Where the checker is stopped, what held is unknown.
pub fn certify_all(
    program: &Program<Relation>,
    questions: &[Goal],
    report: &Report,
    findings: &mut [Finding],
    budget: &Budget,
) -> Result<ProofBasis, Failure> {
    if !findings.iter().any(|finding| matches!(finding, Finding::Holds)) {
        return Ok(ProofBasis::Fixpoint);
    }
    let proof = report.proof.as_ref().ok_or_else(|| Failure::Fault("goals hold and there is no proof".into()))?;
    let answered = questions.iter().zip(&report.verdicts);
    let proved: Vec<&Goal> =
        answered.filter(|(_, verdict)| matches!(verdict, Verdict::Holds)).map(|(goal, _)| goal).collect();
    match certify(program, &proved, proof, budget) {
        Ok(certificate) => Ok(ProofBasis::Certified { obligations: count(&certificate) }),
        Err(CertifyError::Exhausted) => {
            for finding in findings.iter_mut().filter(|finding| matches!(finding, Finding::Holds)) {
                *finding = Finding::Unknown(Reason::Limit(budget.hit()));
            }
            Ok(ProofBasis::Fixpoint)
        }
        Err(error) => Err(Failure::Fault(format!("the proof is not accepted: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_lang_bp as lang_bp;
    use hardbop_pushdown::{Evidence, Options, Switch, check, ladder};

    const OPTIONS: Options = Options {
        order: Switch::On,
        class: Switch::On,
        post: Switch::On,
        rough: Switch::On,
        unroll: Switch::On,
        slice: Switch::On,
        mod_ref: Switch::On,
        liveness: Switch::On,
        chains: Switch::On,
        frontiers: Switch::On,
        concrete: Switch::On,
        insensitive: Switch::On,
        evidence: Evidence::TracesAndProof,
        first_attempt: ladder::FIRST_ATTEMPT,
        trace_attempt: ladder::TRACE_ATTEMPT,
    };

    /// The program of `text` with its goals and what the engine says about them.
    fn report(sources: &mut SourceMap, text: &str) -> (Program<Relation>, Vec<Goal>, Report) {
        let (ast, _) = lang_bp::parse(text, 0);
        sources.add("test.bp", text.into()).unwrap();
        let program = lang_bp::lower(&ast, "main").unwrap().program;
        let goals = lang_bp::goals(&program, sources, &[]).unwrap();
        let report = check(&program, &goals, &OPTIONS, &Budget::unlimited());
        (program, goals, report)
    }

    #[test]
    fn trace_that_is_no_run_is_our_fault() {
        let mut sources = SourceMap::default();
        let (program, goals, mut report) =
            report(&mut sources, "decl g;\nvoid main() begin g := F; assume(g = F); ERROR: skip; end");
        let Verdict::Violated(Some(witness)) = &mut report.verdicts[0] else { panic!("the label can be reached") };
        witness.moves.remove(0);
        let result = replay_all(&program, &sources, &goals, &report, Traces::Wanted);
        assert!(matches!(result, Err(Failure::Fault(text)) if text.contains("is not a run of the program")));
    }

    #[test]
    fn proof_that_is_not_inductive_is_our_fault() {
        let mut sources = SourceMap::default();
        let (program, goals, mut report) =
            report(&mut sources, "decl g;\nvoid main() begin g := F; g := !g; assert(g); end");
        let proof = report.proof.as_mut().unwrap();
        let nowhere = proof.formulas.intern(hardbop_verdict::Formula::Const(false));
        proof.at[program.icfg.procs[program.entry].entry] = nowhere;
        let mut findings = vec![Finding::Holds];
        let result = certify_all(&program, &goals, &report, &mut findings, &Budget::unlimited());
        assert!(matches!(result, Err(Failure::Fault(text)) if text.contains("the proof is not accepted")));
    }
}
