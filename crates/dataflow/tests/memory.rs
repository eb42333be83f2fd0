//! A run that remembers another says what a fresh one says, whatever was changed in between, and asks again only about
//! what depends on the change.

#[path = "support/boolean.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod boolean;
#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use boolean::{goals, lower};
use hardbop_base::{Budget, Idx, Span};
use hardbop_c_facts::{Subject, Unknown};
use hardbop_dataflow::content::{Key, key};
use hardbop_dataflow::{Decision, Engine, Memory, Precision, Status, decide};
use hardbop_icfg::graph::IcfgBuilder;
use hardbop_icfg::{
    EdgeId, EdgeKind, Expr, ExprId, Exprs, Goal, Icfg, NodeId, Program, Relation, Transition, Value, VarId,
};
use hardbop_points_to::UndefinedWrite;
use hardbop_pushdown::{Evidence, Options};
use hardbop_testkit::c::tricky_programs;
use hardbop_testkit::{Labels, Size, programs};
use hardbop_verdict::replay;
use proptest::prelude::*;
use proptest::sample::Index;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

const OPTIONS: Options = Options { evidence: Evidence::Traces, ..subject::OPTIONS };

#[derive(Default)]
struct Notes {
    answers: RefCell<HashMap<Key, Vec<u8>>>,
    asked: Cell<usize>,
    known: Cell<usize>,
}

impl Memory for Notes {
    fn recall(&self, question: &Key) -> Option<Vec<u8>> {
        let answer = self.answers.borrow().get(question).cloned();
        self.asked.set(self.asked.get() + 1);
        self.known.set(self.known.get() + usize::from(answer.is_some()));
        answer
    }

    fn remember(&self, question: &Key, answer: &[u8]) {
        let before = self.answers.borrow_mut().insert(*question, answer.to_vec());
        assert!(before.is_none(), "what is known is not asked");
    }
}

impl Notes {
    /// What a run asks that is not known.
    fn new_questions(&self, program: &Program<Relation>, goals: &[Goal], precision: Precision) -> usize {
        let (asked, known) = (self.asked.get(), self.known.get());
        let engine = Engine { options: OPTIONS, memory: Some(self) };
        decide(program, goals, precision, &engine, &Budget::unlimited()).expect("there is no limit");
        self.asked.get() - asked - (self.known.get() - known)
    }
}

/// What is said of a goal, down to the run that is shown.
type Told = (String, Option<Rc<Program<Relation>>>);

fn told(decision: Decision) -> Told {
    match decision.status {
        Status::MayFail(Some(failure)) => {
            replay(&failure.projection, &failure.goal, &failure.witness).expect("a run that is shown is one");
            (format!("{:?} {:?} {:?}", decision.precision, failure.witness, failure.origin), Some(failure.projection))
        }
        other => (format!("{:?} {other:?}", decision.precision), None),
    }
}

fn decisions(
    program: &Program<Relation>,
    goals: &[Goal],
    precision: Precision,
    memory: Option<&dyn Memory>,
) -> Vec<Told> {
    // Little enough that some questions stay open, and much more than a tri-vector takes.
    let budget = Budget::unlimited().with_allowance(300_000);
    let engine = Engine { options: OPTIONS, memory };
    let decided = decide(program, goals, precision, &engine, &budget).expect("tri-vectors are cheap");
    decided.into_iter().map(told).collect()
}

/// What is done to a program, or to what is asked of it.
#[derive(Clone, Copy, Debug)]
enum Change {
    Nothing,
    Skip,
    Anything,
    Unguarded,
    /// The edge leads elsewhere in its procedure.
    Redirected,
    /// Its first update is of another variable.
    OtherTarget,
    /// An expression reads another variable.
    OtherLeaf,
    /// The first state is another.
    OtherStart,
    /// A goal is elsewhere.
    OtherNode,
    /// A guard is one of another edge.
    OtherGuard,
    /// A goal asks for what another does.
    OtherCondition,
}

/// A change, the place that is changed, and what it becomes.
type Edit = (Change, Index, Index);

fn edits() -> impl Strategy<Value = Edit> {
    (proptest::sample::select(CHANGES), any::<Index>(), any::<Index>())
}

const CHANGES: &[Change] = &[
    Change::Nothing,
    Change::Skip,
    Change::Anything,
    Change::Unguarded,
    Change::Redirected,
    Change::OtherTarget,
    Change::OtherLeaf,
    Change::OtherStart,
    Change::OtherNode,
    Change::OtherGuard,
    Change::OtherCondition,
];

type Asked = (Program<Relation>, Vec<Goal>);

fn edited((program, goals): &Asked, edit: Edit) -> Asked {
    let (mut program, mut goals) = (program.clone(), goals.clone());
    if !goals.is_empty() {
        match edit.0 {
            Change::Nothing => {}
            Change::Redirected | Change::OtherLeaf | Change::OtherStart => edit_program(&mut program, edit),
            Change::OtherNode | Change::OtherCondition => edit_goal(&program, &mut goals, edit),
            _ => edit_label(&mut program, edit),
        }
    }
    (program, goals)
}

fn edit_label(program: &mut Program<Relation>, (change, place, other): Edit) {
    let edge = EdgeId::from_usize(place.index(program.icfg.edges.len()));
    let globals: Vec<VarId> = program.globals().collect();
    let proc = program.icfg.nodes[program.icfg.edges[edge].from].proc;
    let edges = program.icfg.nodes_of(proc).flat_map(|node| program.icfg.successors(node).to_vec());
    let guard = |edge: EdgeId| match &program.labels[edge] {
        // Choices are a label's own.
        Relation::Step(step) if step.choices == 0 => step.guard,
        _ => None,
    };
    let guards: Vec<ExprId> = edges.filter_map(guard).collect();
    match (change, &mut program.labels[edge]) {
        (Change::Skip, label) => each(label, |transition| *transition = Transition::SKIP),
        (Change::Anything, label) => each(label, |transition| {
            transition.updates.iter_mut().for_each(|update| update.value = Value::Any);
        }),
        (Change::Unguarded, label) => each(label, |transition| transition.guard = None),
        (Change::OtherTarget, Relation::Step(step)) => {
            let free: Vec<VarId> = globals.into_iter().filter(|&var| step.update_of(var).is_none()).collect();
            if let (Some(update), false) = (step.updates.first_mut(), free.is_empty()) {
                update.target = free[other.index(free.len())];
            }
        }
        (Change::OtherGuard, Relation::Step(step)) if !guards.is_empty() => {
            step.guard = Some(guards[other.index(guards.len())]);
        }
        _ => {}
    }
}

fn edit_program(program: &mut Program<Relation>, (change, place, other): Edit) {
    let globals: Vec<VarId> = program.globals().collect();
    match change {
        Change::Redirected => {
            let edge = EdgeId::from_usize(place.index(program.icfg.edges.len()));
            let proc = program.icfg.nodes[program.icfg.edges[edge].from].proc;
            let nodes: Vec<NodeId> = program.icfg.nodes_of(proc).collect();
            program.icfg = redirected(&program.icfg, edge, nodes[other.index(nodes.len())]);
        }
        Change::OtherLeaf if !program.exprs.is_empty() => {
            let chosen = place.index(program.exprs.len());
            let mut exprs = Exprs::default();
            for (number, expr) in program.exprs.iter().enumerate() {
                exprs.add(match expr {
                    Expr::Var(var) if number == chosen && globals.contains(&var) => {
                        Expr::Var(globals[other.index(globals.len())])
                    }
                    expr => expr,
                });
            }
            program.exprs = exprs;
        }
        Change::OtherStart if !globals.is_empty() => {
            let var = program.exprs.add(Expr::Next(globals[other.index(globals.len())]));
            program.initial.constraint = Some(program.exprs.add(Expr::Not(var)));
        }
        _ => {}
    }
}

fn edit_goal(program: &Program<Relation>, goals: &mut [Goal], (change, place, other): Edit) {
    let goal = place.index(goals.len());
    let proc = |goal: &Goal| program.icfg.nodes[goal.node].proc;
    if matches!(change, Change::OtherNode) {
        let nodes: Vec<NodeId> = program.icfg.nodes_of(proc(&goals[goal])).collect();
        goals[goal].node = nodes[other.index(nodes.len())];
        return;
    }
    let near = goals.iter().filter(|other| proc(other) == proc(&goals[goal]));
    let conditions: Vec<ExprId> = near.filter_map(|goal| goal.condition).collect();
    if !conditions.is_empty() {
        goals[goal].condition = Some(conditions[other.index(conditions.len())]);
    }
}

/// Changes what an edge does, on the way back where it is a call.
fn each(label: &mut Relation, change: impl FnOnce(&mut Transition)) {
    match label {
        Relation::Step(step) => change(step),
        Relation::Call { leave, .. } => change(leave),
        Relation::Return => {}
    }
}

/// The graph where a step leads to `target` instead.
fn redirected(icfg: &Icfg, step: EdgeId, target: NodeId) -> Icfg {
    let mut builder = IcfgBuilder::default();
    for node in &icfg.nodes {
        builder.node(node.proc, node.span);
    }
    for proc in &icfg.procs {
        builder.proc(proc.clone());
    }
    for (id, edge) in icfg.edges.iter_enumerated() {
        let kind = match edge.kind {
            EdgeKind::Step { .. } if id == step => EdgeKind::Step { to: target },
            kind => kind,
        };
        builder.edge(edge.from, kind);
    }
    builder.finish()
}

const POINTS: [Precision; 4] = [Precision::Path, Precision::Projections(2), Precision::Procedure, Precision::Auto];

/// Compares runs after an edit with and without a memory of the time before.
fn compare(before: &Asked, edit: Edit) -> Result<(), TestCaseError> {
    let (notes, after) = (Notes::default(), edited(before, edit));
    for precision in POINTS {
        for (program, goals) in [before, before, &after] {
            let fresh = decisions(program, goals, precision, None);
            prop_assert_eq!(&decisions(program, goals, precision, Some(&notes)), &fresh, "{:?}", edit.0);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_memory_changes_no_answer(model in programs(Size::SMALL), edit in edits()) {
        let program = lower(&model.render_with(Labels::Every).text);
        let goals = goals(&program);
        compare(&(program, goals), edit)?;
    }

    #[test]
    fn questions_with_one_key_are_one_question(model in programs(Size::SMALL), edit in edits()) {
        let program = lower(&model.render_with(Labels::Every).text);
        let goals = goals(&program);
        let one = (program, goals);
        let other = edited(&one, edit);
        let is_same = one.0.labels == other.0.labels
            && one.0.icfg == other.0.icfg
            && one.0.initial == other.0.initial
            && one.1 == other.1;
        if key(&one.0, &one.1, "") == key(&other.0, &other.1, "") {
            prop_assert!(is_same);
        }
        prop_assert_ne!(key(&one.0, &one.1, "some"), key(&one.0, &one.1, "much"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_memory_changes_no_answer_about_c(source in tricky_programs(), edit in edits()) {
        let module = subject::module(&source);
        let points_to = subject::pointers(&module, UndefinedWrite::Reachable);
        let analysis = subject::shipped_analysis("null");
        let graph = subject::graph(&module, &points_to, &analysis);
        let seen = Subject { module: &module, graph: &graph, points_to: &points_to };
        let mut encoding = subject::encoding(&analysis, seen, Unknown::Anything);
        let goals = subject::goals(&mut encoding);
        compare(&(encoding.program, goals), edit)?;
    }
}

#[test]
fn names_and_places_are_no_part_of_a_question() {
    let one = lower("decl g; bool f(x) begin g := !x; return x; end void main() begin g := f(g); assert(g); end");
    let other = lower(
        "decl seen;\n\nbool negate(it) begin seen := !it; return it; end
         void main() begin seen := negate(seen); assert(seen); end",
    );
    assert_eq!(key(&one, &goals(&one), ""), key(&other, &goals(&other), ""));
    let mut moved = one.clone();
    moved.vars.iter_mut().for_each(|var| var.span = Span::new(0, 0));
    assert_eq!(key(&one, &goals(&one), ""), key(&moved, &goals(&one), ""));
}

#[test]
fn who_is_called_is_a_part_of_a_question() {
    let program = |callee: &str| {
        let procedures = "decl a; void f() begin a := T; end void g() begin a := F; end";
        lower(&format!("{procedures} void main() begin {callee}(); assert(a); end"))
    };
    let (one, other) = (program("f"), program("g"));
    assert_ne!(key(&one, &goals(&one), ""), key(&other, &goals(&other), ""));
}

/// Three procedures: `main` calls `middle`, which calls `last`; `other` is called by `main` alone.
fn chain(last: &str, middle: &str, unseen: &str) -> String {
    format!(
        "decl a, b, unseen;
         void last() begin a := *; b := a; {last} end
         void middle() begin last(); assert(a = b); {middle} end
         void other() begin a := *; b := !a; assert(a != b); end
         void main() begin {unseen} middle(); other(); assert(a != b); end"
    )
}

#[test]
fn only_what_depends_on_a_change_is_asked_again() {
    let ask_in = |notes: &Notes, text: &str| {
        let program = lower(text);
        notes.new_questions(&program, &goals(&program), Precision::Procedure)
    };
    let notes = Notes::default();
    let ask = |text: &str| ask_in(&notes, text);
    let fresh = |text: &str| ask_in(&Notes::default(), text);
    ask(&chain("skip;", "skip;", "skip;"));
    assert_eq!(ask(&chain("skip;", "skip;", "skip;")), 0);
    // What nobody sees.
    assert_eq!(ask(&chain("skip;", "skip;", "unseen := *;")), 0);
    // What `last` does, said otherwise: its summary is made again, and is the same.
    assert_eq!(ask(&chain("a := !a; a := !a;", "skip;", "skip;")), 1);
    // What `middle` does to its callers: itself, its summary, and `main`.
    let changed = chain("skip;", "b := !a;", "skip;");
    let (above, all) = (ask(&changed), fresh(&changed));
    assert!((2..all).contains(&above), "{above} of {all}");
    // What everyone but `other` depends on.
    let changed = chain("b := !a;", "skip;", "skip;");
    let (below, all) = (ask(&changed), fresh(&changed));
    assert!((2..all).contains(&below), "{below} of {all}");
}

#[test]
fn what_is_too_large_to_be_asked_about_as_a_whole_is_asked_about_piece_by_piece() {
    let text = |changed: &str| {
        let procedure = |number: usize| {
            let more = if number == 300 { changed } else { "" };
            format!(
                "void f{number}(p) begin decl q; q := *; {more} if (p) then skip; else q := T; fi assert(p | q); assert(q); end\n"
            )
        };
        let calls = |number: usize| format!("f{number}(*); ");
        let procedures: String = (0..600).map(procedure).collect();
        format!("{procedures} void main() begin {} end", (0..600).map(calls).collect::<String>())
    };
    let notes = Notes::default();
    let ask = |text: &str| {
        let program = lower(text);
        notes.new_questions(&program, &goals(&program), Precision::Auto)
    };
    let all = ask(&text(""));
    assert!(all > 600, "{all}");
    // The procedure, and the ways to where it fails.
    let changed = ask(&text("if (*) then q := q; fi"));
    assert!((1..=4).contains(&changed), "{changed} of {all}");
}
