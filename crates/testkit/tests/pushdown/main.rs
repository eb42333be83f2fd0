//! Explicit pushdown systems: saturation and repeating heads against runs with explicit stacks.

mod search;

use hardbop_testkit::ltl::buchi::Buchi;
use hardbop_testkit::ltl::generate::{Steps, formulas};
use hardbop_testkit::ltl::{Formula, Letter, Unary};
use hardbop_testkit::pushdown::automaton::{Automaton, post_star, pre_star, reachable_heads};
use hardbop_testkit::pushdown::repeating::{has_accepted_run, holds};
use hardbop_testkit::pushdown::{Configuration, Head, Label, Pds, Rule, State, Symbol};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, proptest};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use proptest::{option, prop_oneof};

use search::{accepts_some_run, lassos, reach};

const STATES: usize = 2;
const SYMBOLS: usize = 3;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn post_star_is_what_runs_reach(pds in systems()) {
        let reached = reach(&pds, &pds.initial);
        let saturated = post_star(&pds, &Automaton::of(pds.states, &pds.initial));
        for configuration in &reached.configurations {
            assert!(saturated.accepts(configuration), "{configuration:?} is missing");
        }
        let heads = reachable_heads(&pds);
        assert!(reached.configurations.iter().filter_map(Configuration::head).all(|head| heads.contains(&head)));
        if reached.is_complete {
            for configuration in configurations(3) {
                let is_reached = reached.configurations.contains(&configuration);
                assert_eq!(saturated.accepts(&configuration), is_reached, "{configuration:?}");
            }
            let mut seen: Vec<Head> = reached.configurations.iter().filter_map(Configuration::head).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(heads, seen);
        }
    }

    #[test]
    fn pre_star_is_what_reaches(
        pds in systems(),
        targets in vec(configuration(2), 1..=2),
        heads in vec(head(), 1..=2),
    ) {
        for set in [Automaton::of(pds.states, &targets), Automaton::with_heads(&pds, heads)] {
            let saturated = pre_star(&pds, &set);
            for configuration in configurations(2) {
                let reached = reach(&pds, std::slice::from_ref(&configuration));
                let hits = reached.configurations.iter().any(|reached| set.accepts(reached));
                if hits || reached.is_complete {
                    assert_eq!(saturated.accepts(&configuration), hits, "{configuration:?}");
                }
            }
        }
    }

    #[test]
    fn pre_star_and_post_star_are_converse(pds in systems(), one in configuration(2), other in configuration(3)) {
        let [from, to] = [&one, &other].map(|single| Automaton::of(pds.states, std::slice::from_ref(single)));
        assert_eq!(post_star(&pds, &from).accepts(&other), pre_star(&pds, &to).accepts(&one));
    }

    #[test]
    fn a_run_that_violates_is_found(pds in systems(), formula in properties()) {
        let violating = lassos(&pds, 7, 60).into_iter().find(|word| !formula.holds_on(word));
        if let Some(word) = violating {
            assert!(!holds(&pds, &formula), "{word:?}");
        }
    }

    #[test]
    fn with_finitely_many_configurations_nested_search_agrees(
        pds in systems(),
        formula in properties(),
    ) {
        let reached = reach(&pds, &pds.initial);
        if reached.is_complete && reached.configurations.len() < 40 {
            let automaton = Buchi::of(&formula);
            assert_eq!(has_accepted_run(&pds, &automaton), accepts_some_run(&pds, &automaton));
        }
    }

    #[test]
    fn a_formula_and_its_negation_hold_only_without_runs(pds in systems(), formula in properties()) {
        let has_run = !holds(&pds, &Formula::Constant(false));
        assert!(!(has_run && holds(&pds, &formula) && holds(&pds, &formula.negated())));
        assert_eq!(holds(&pds, &formula), holds(&pds, &formula.negation_normal_form()));
    }
}

/// What the other tests leave open: that violations which need high stacks or long cycles are not made up.
#[test]
fn nearly_every_violation_has_a_short_lasso() {
    let mut runner = TestRunner::deterministic();
    let strategy = (systems(), properties());
    let (mut violations, mut confirmed, mut held, mut growing) = (0, 0, 0, 0);
    for _ in 0..600 {
        let (pds, formula) = strategy.new_tree(&mut runner).unwrap().current();
        if holds(&pds, &formula) {
            held += 1;
            continue;
        }
        violations += 1;
        growing += usize::from(!reach(&pds, &pds.initial).is_complete);
        confirmed += usize::from(lassos(&pds, 9, 4000).iter().any(|word| !formula.holds_on(word)));
    }
    assert!(
        held > 100 && violations > 100 && growing > 50,
        "{held} hold, {violations} do not, {growing} without bound"
    );
    assert!(confirmed * 100 >= violations * 95, "{confirmed} of {violations} confirmed");
}

/// A system from its rules, `p<a> -> q<a b>`, all names of one letter: states `p` and `q`, symbols `a` to `d`.
fn system(rules: &str, initial: &str) -> Pds {
    let number = |text: &str, names: &str| names.find(text).unwrap_or_else(|| panic!("no {text} in {names}"));
    let head = |text: &str| -> (State, Vec<Symbol>) {
        let (state, stack) = text.trim().split_once('<').expect("a stack");
        let stack = stack.trim_end_matches('>').split_whitespace();
        (State(number(state, "pq")), stack.map(|symbol| Symbol(number(symbol, "abcd"))).collect())
    };
    let configuration = |text: &str| {
        let (state, stack) = head(text);
        Configuration { state, stack }
    };
    let mut pds = Pds { states: 2, symbols: 4, initial: vec![configuration(initial)], ..Pds::default() };
    for rule in rules.split(',') {
        let (from, to) = rule.split_once("->").expect("an arrow");
        let ((from, symbol), (state, push)) = (head(from), head(to));
        pds.rules.push(Rule { from: Head { state: from, symbol: symbol[0] }, state, push });
    }
    pds
}

#[test]
fn pops_meet_what_is_below_them_only() {
    let pds = system("p<a> -> p<a b>, p<a> -> q<>, q<b> -> q<>", "p<a c>");
    let saturated = post_star(&pds, &Automaton::of(pds.states, &pds.initial));
    let reached = configurations(3).into_iter().filter(|configuration| saturated.accepts(configuration));
    let text = |configuration: Configuration| {
        let stack: Vec<&str> = configuration.stack.iter().map(|symbol| &"abc"[symbol.0..=symbol.0]).collect();
        format!("{}<{}>", &"pq"[configuration.state.0..=configuration.state.0], stack.join(" "))
    };
    let reached: Vec<String> = reached.map(text).collect();
    assert_eq!(reached, ["p<a c>", "p<a b c>", "q<c>", "q<b c>", "q<b b c>"]);
}

/// What happens in a call again and again, and neither at its start nor at its end, happens again and again.
#[test]
fn calls_that_return_are_seen_from_outside() {
    let mut pds = system("p<a> -> p<b a>, p<b> -> p<c>, p<c> -> p<d>, p<d> -> p<>", "p<a>");
    for symbol in 0..4 {
        let head = Head { state: State(0), symbol: Symbol(symbol) };
        pds.labels.clear();
        pds.labels.insert(head, Label::Letter(Letter(1)));
        assert!(holds(&pds, &again(Formula::proposition(0))), "{head:?}");
        assert!(!holds(&pds, &again(Formula::proposition(0)).negated()), "{head:?}");
    }
}

fn again(formula: Formula) -> Formula {
    Formula::unary(Unary::Globally, Formula::unary(Unary::Finally, formula))
}

fn configurations(height: usize) -> Vec<Configuration> {
    let mut stacks: Vec<Vec<Symbol>> = vec![Vec::new()];
    let mut last = stacks.clone();
    for _ in 0..height {
        let longer = last.iter().flat_map(|stack| (0..SYMBOLS).map(|top| [&stack[..], &[Symbol(top)]].concat()));
        last = longer.collect();
        stacks.extend(last.iter().cloned());
    }
    let states = (0..STATES).map(State);
    states.flat_map(|state| stacks.iter().map(move |stack| Configuration { state, stack: stack.clone() })).collect()
}

/// Formulas, half of them about what happens again and again.
fn properties() -> impl Strategy<Value = Formula> {
    prop_oneof![
        2 => formulas(2, 3, Steps::Counted),
        1 => formulas(2, 1, Steps::Counted).prop_map(again),
        1 => formulas(2, 1, Steps::Counted).prop_map(|formula| again(formula).negated()),
    ]
}

fn systems() -> impl Strategy<Value = Pds> {
    let labels = vec((0..4_u32).prop_map(|bits| Label::Letter(Letter(bits))), STATES * SYMBOLS);
    let push = (any::<u8>(), symbol(), symbol()).prop_map(|(shape, one, other)| match shape % 8 {
        0..2 => vec![],
        2..6 => vec![one],
        _ => vec![one, other],
    });
    let rule = (head(), state(), push).prop_map(|(from, state, push)| Rule { from, state, push });
    let parts = (vec(rule, 3..=12), vec(configuration(2), 1..=2), labels, option::weighted(0.3, head()));
    parts.prop_map(|(mut rules, initial, labels, silent)| {
        rules.sort();
        rules.dedup();
        // From a silent head straight back to it would be a run without a word.
        let may_lead_to = |rule: &Rule, head: Head| {
            rule.state == head.state && rule.push.first().is_none_or(|symbol| *symbol == head.symbol)
        };
        rules.retain(|rule| Some(rule.from) != silent || !may_lead_to(rule, rule.from));
        let number = |number| Head { state: State(number / SYMBOLS), symbol: Symbol(number % SYMBOLS) };
        let labels = labels.into_iter().enumerate().map(|(place, label)| (number(place), label));
        let labels = labels.chain(silent.map(|head| (head, Label::Silent))).collect();
        Pds { states: STATES, symbols: SYMBOLS, rules, initial, labels }
    })
}

fn configuration(height: usize) -> impl Strategy<Value = Configuration> {
    (state(), vec(symbol(), 1..=height)).prop_map(|(state, stack)| Configuration { state, stack })
}

fn head() -> impl Strategy<Value = Head> {
    (state(), symbol()).prop_map(|(state, symbol)| Head { state, symbol })
}

fn state() -> impl Strategy<Value = State> {
    (0..STATES).prop_map(State)
}

fn symbol() -> impl Strategy<Value = Symbol> {
    (0..SYMBOLS).prop_map(Symbol)
}
