//! What is printed reads back as a program with the same goals, of which as many are violated.

use expect_test::{Expect, expect};
use hardbop_base::{Budget, Severity, SourceMap, Span};
use hardbop_bp_text::program::print;
use hardbop_icfg::{Expr, Goal, GoalKind, Program, Relation};
use hardbop_lang_bp as lang_bp;
use hardbop_pushdown::ladder::{FIRST_ATTEMPT, TRACE_ATTEMPT};
use hardbop_pushdown::{Evidence, Options, Switch};
use hardbop_testkit::{Size, programs};
use hardbop_verdict::Verdict;
use proptest::prelude::{ProptestConfig as Config, proptest};

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
    evidence: Evidence::None,
    first_attempt: FIRST_ATTEMPT,
    trace_attempt: TRACE_ATTEMPT,
};

fn read(text: &str) -> (Program<Relation>, Vec<Goal>, SourceMap) {
    let mut sources = SourceMap::default();
    sources.add("test.bp", text.into()).expect("it is small");
    let (ast, found) = lang_bp::parse(text, 0);
    assert!(found.iter().all(|found| found.severity == Severity::Warning), "{found:?}\n{text}");
    let program = lang_bp::lower(&ast, "main").unwrap_or_else(|found| panic!("{found:?}\n{text}")).program;
    let goals = lang_bp::goals(&program, &sources, &[]).expect("all goals can be had");
    (program, goals, sources)
}

/// How many goals there are, and how many are violated.
fn decide(program: &Program<Relation>, goals: &[Goal]) -> (usize, usize) {
    let report = hardbop_pushdown::check(program, goals, &OPTIONS, &Budget::unlimited());
    let violated = report.verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Violated(_))).count();
    (goals.len(), violated)
}

/// The first line of what stands at `span`, if anything does.
fn line(sources: &SourceMap, span: Span) -> Option<String> {
    let first = sources.text(span).lines().next()?;
    Some(format!("{}: {first}", sources.locate(span).line))
}

/// Prints what `text` is lowered to; what is read back has the same goals, and as many of them are violated.
fn printed(text: &str) -> String {
    let (mut program, goals, sources) = read(text);
    let always = program.exprs.add(Expr::Const(true));
    let failures: Vec<_> = goals.iter().map(|goal| (goal.node, goal.condition.unwrap_or(always))).collect();
    let printed = print(&program, failures.into_iter(), &|span| line(&sources, span));
    let (again, found, _) = read(&printed);
    assert_eq!(decide(&again, &found), decide(&program, &goals), "{printed}");
    printed
}

#[track_caller]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&printed(text));
}

#[test]
fn branches_that_meet_again_are_conditionals() {
    check(
        "decl p, q;\nvoid main() begin\n  if (!p) then q := p; fi\n  if (!p) then assert(!q); fi\nend\n",
        expect![[r#"
            decl p, q;

            // What calls the program; a run starts here.
            void main() begin
              if (!p) then  // 3: if (!p)
                q := p;  // 3: q := p
              fi
              if (!p) then  // 4: if (!p)
                assert(!q);  // 4: assert(!q)
              fi
            end
        "#]],
    );
}

#[test]
fn loops_left_at_their_head_are_loops() {
    check(
        "decl a;\nvoid main() begin\n  while (!a) do a := *; od\n  assert(a);\nend\n",
        expect![[r#"
            decl a;

            // What calls the program; a run starts here.
            void main() begin
              while (!a) do  // 3: while (!a)
                a := *;  // 3: a := *
              od
              assert(a);  // 4: assert(a)
            end
        "#]],
    );
}

#[test]
fn calls_take_arguments_and_give_results() {
    check(
        "decl g;\nbool<2> f(a, b) begin return b, a & g; end\nvoid main() begin\n  decl x, y;\n  x, y := f(T, *);\n  \
         f(x, y);\n  assert(x | y);\nend\n",
        expect![[r#"
            decl g;

            bool<2> f(a, b) begin
              decl result0, result1;
              result0, result1 := b, a & g;  // 2: return b, a & g
              return result0, result1;
            end

            // What calls the program; a run starts here.
            void main() begin
              decl x, y;
              x, y := f(T, *);  // 5: x, y := f(T, *)
              f(x, y);  // 6: f(x, y)
              assert(x | y);  // 7: assert(x | y)
            end
        "#]],
    );
}

#[test]
fn constraints_and_choices_stay_what_they_are() {
    check(
        "decl a, b;\nvoid main() begin\n  a, b := *, schoose[a, b] constrain ('a != 'b);\n  assert(a | b);\n  \
         assert(a & b);\nend\n",
        expect![[r#"
            decl a, b;

            // What calls the program; a run starts here.
            void main() begin
              a, b := *, a | !b & * constrain ('a ^ 'b);  // 3: a, b := *, schoose[a, b] constrain ('a != 'b)
              assert(a | b);  // 4: assert(a | b)
              if (*) then assert(a & b); fi  // 5: assert(a & b)
              assume(a);
              assume(b);
            end
        "#]],
    );
}

#[test]
fn examples_read_back() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("the corpus can be read").path();
        if path.extension().is_some_and(|extension| extension == "bp") {
            printed(&std::fs::read_to_string(path).expect("the corpus can be read"));
        }
    }
}

/// Prints `text` with an assertion at each node; as many nodes can be reached in what is read back.
fn check_everywhere(text: &str) {
    let (mut program, _, sources) = read(text);
    if !program.icfg.callers(program.entry).is_empty() {
        return;
    }
    let always = program.exprs.add(Expr::Const(true));
    let goals = program.icfg.nodes.iter_enumerated().map(|(node, found)| {
        let (name, kind) = (node.to_string(), GoalKind::Statement);
        Goal { node, condition: None, name, kind, span: found.span }
    });
    let goals: Vec<Goal> = goals.collect();
    let printed = print(&program, goals.iter().map(|goal| (goal.node, always)), &|span| line(&sources, span));
    let (again, found, _) = read(&printed);
    assert_eq!(decide(&again, &found).1, decide(&program, &goals).1, "{text}\n{printed}");
}

proptest! {
    #![proptest_config(Config { cases: 200, failure_persistence: None, ..Config::default() })]
    #[test]
    fn random_programs_read_back(model in programs(Size::SMALL)) {
        check_everywhere(&model.render().text);
    }
}
