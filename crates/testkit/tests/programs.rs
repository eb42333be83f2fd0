//! What random programs look like: as text, in their share of reachable statements, and once shrunk.

use std::collections::BTreeSet;

use hardbop_testkit::{Exploration, Labels, Line, Model, Size, Statement, explore, programs};
use proptest::prelude::{ProptestConfig, proptest};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{TestCaseError, TestError, TestRunner};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn each_line_has_at_most_one_head(model in programs(Size::LARGE)) {
        let rendered = model.render();
        let lines: Vec<Line> = rendered.heads.iter().map(|placed| placed.line).collect();
        assert!(lines.is_sorted_by(|one, other| one < other));
        let text: Vec<&str> = rendered.text.lines().chain([""]).collect();
        let heads = text.windows(2).enumerate().filter(|(_, lines)| is_head(lines[0], lines[1]));
        let heads: Vec<Line> = heads.map(|(place, _)| Line(place + 1)).collect();
        assert_eq!(heads, lines);
    }

    #[test]
    fn labels_leave_lines_alone(model in programs(Size::SMALL)) {
        let [targets, every] = [model.render(), model.render_with(Labels::Every)];
        for (one, other) in targets.heads.iter().zip(&every.heads) {
            assert_eq!((one.procedure, one.head, one.line), (other.procedure, other.head, other.line));
        }
        let labels: Vec<&String> = every.heads.iter().filter_map(|placed| placed.label.as_ref()).collect();
        let distinct: BTreeSet<&&String> = labels.iter().collect();
        assert_eq!(distinct.len(), labels.len());
        let without_label = every.heads.iter().filter(|placed| placed.label.is_none());
        let text: Vec<&str> = every.text.lines().collect();
        assert!(without_label.into_iter().all(|placed| text[placed.line.0 - 1].trim_start().starts_with("elsif")));
    }

    #[test]
    fn spelling_does_not_change_meaning(model in programs(Size::TINY)) {
        let plain = Model { spelling: 0, ..model.clone() };
        let [one, other] = [explore(&model), explore(&plain)];
        let distances = |exploration: &Exploration| -> Vec<Option<usize>> {
            exploration.statements.values().map(|statement| statement.distance).collect()
        };
        assert_eq!(distances(&one), distances(&other));
        assert_eq!(one.procedures, other.procedures);
    }
}

#[test]
fn a_good_share_of_statements_is_reachable_and_a_good_share_is_not() {
    for size in [Size::TINY, Size::SMALL, Size::LARGE] {
        let (mut all, mut reachable, mut assertions, mut failing) = (0, 0, 0, 0);
        for model in sample(size, 300) {
            for statement in explore(&model).statements.values() {
                all += 1;
                reachable += usize::from(statement.distance.is_some());
                if let Some(assertion) = &statement.assertion {
                    assertions += 1;
                    failing += usize::from(assertion.distance.is_some());
                }
            }
        }
        assert!((45..80).contains(&(100 * reachable / all)), "{reachable} of {all} reachable");
        assert!((25..65).contains(&(100 * failing / assertions)), "{failing} of {assertions} fail");
    }
}

#[test]
fn every_form_is_drawn() {
    let text: String = sample(Size::LARGE, 400).iter().map(|model| model.render().text).collect();
    let forms = "skip print( dead assume assert constrain( goto return if elsif else while enforce abortif schoose[ _ \
        void bool bool<1> bool<2> ~ ! && || == != <> ^ => <=> T F 1 0 true false * ? ' {g0==0} $1 fi; od; // /*";
    for form in forms.split_whitespace() {
        assert!(text.contains(form), "{form} is never drawn");
    }
    for header in ["\nmain(", "\np1("] {
        assert!(text.contains(header), "no header without type");
    }
}

/// A failure that needs one assertion is reported with a program of one assertion.
#[test]
fn programs_shrink_to_what_matters() {
    let mut runner = TestRunner::deterministic();
    let failure = runner.run(&programs(Size::LARGE), |model| {
        let exploration = explore(&model);
        let mut assertions = exploration.statements.values().filter_map(|statement| statement.assertion.as_ref());
        match assertions.any(|assertion| assertion.distance.is_some()) {
            true => Err(TestCaseError::fail("an assertion fails")),
            false => Ok(()),
        }
    });
    let Err(TestError::Fail(_, model)) = failure else { panic!("some assertion fails") };
    assert_eq!(model.procedures.len(), 1);
    assert_eq!(model.spelling, 0);
    assert!(model.globals.is_empty() && model.procedures[0].locals.is_empty());
    assert!(matches!(model.procedures[0].body[..], [Statement::Assert(_)]), "{model:?}");
}

fn sample(size: Size, count: usize) -> Vec<Model> {
    let mut runner = TestRunner::deterministic();
    let strategy = programs(size);
    (0..count).map(|_| strategy.new_tree(&mut runner).expect("nothing is rejected").current()).collect()
}

/// Whether a line is a statement head, going by the text alone.
fn is_head(line: &str, next: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default().replace("/* note; */", "");
    let code = code.trim();
    let is_frame = ["begin", "end", "else", "fi", "od", "fi;", "od;", ""].contains(&code);
    let is_declaration = ["decl ", "enforce ", "abortif "].iter().any(|keyword| code.starts_with(keyword));
    let is_header = next.starts_with("begin");
    !is_frame && !is_declaration && !is_header
}
