//! Symbolic pushdown systems: what their rules mean, what they look like, and how random ones fare.

mod twin;

use std::collections::BTreeSet;

use hardbop_testkit::ltl::{Binary, Formula, Unary};
use hardbop_testkit::pds::generate::{Question, Size, questions, systems};
use hardbop_testkit::pds::{
    Access, Arithmetic, Block, Comparison, Condition, Connective, Initial, Kind, Proposition, Quantifier, Range, Rule,
    Scope, StateId, SymbolId, System, Term, Time, Variable, VariableId, oracle,
};
use hardbop_testkit::pushdown::Unfolded;
use proptest::prelude::{ProptestConfig, proptest};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn rules_are_all_that_satisfies_them(system in systems(Size::SMALL)) {
        check_rules(&system);
    }

    #[test]
    fn each_rule_has_a_line(system in systems(Size::SMALL)) {
        let text = system.render();
        let code = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        assert_eq!(code.filter(|code| code.contains("-->")).count(), system.rules.len());
    }
}

#[track_caller]
fn check_rules(system: &System) {
    let Unfolded { pds, states, symbols } = oracle::expand(system, &[]);
    let mut heads: BTreeSet<_> = pds.labels.keys().copied().collect();
    assert!(pds.rules.iter().all(|rule| heads.contains(&rule.from)));
    while let Some(head) = heads.pop_first() {
        let rules = pds.rules.iter().filter(|rule| rule.from == head);
        let found: Vec<twin::Target> = rules
            .map(|rule| {
                let stack = rule.push.iter().map(|symbol| symbols[symbol.0].clone());
                (states[rule.state.0].clone(), stack.collect())
            })
            .collect();
        let different: BTreeSet<twin::Target> = found.iter().cloned().collect();
        assert_eq!(different.len(), found.len(), "a rule stands twice");
        let (state, symbol) = (&states[head.state.0], &symbols[head.symbol.0]);
        assert_eq!(different, twin::targets(system, state, symbol), "from {state:?} {symbol:?}");
    }
}

#[test]
fn a_good_share_of_symbols_is_reachable_and_of_formulas_holds() {
    let mut runner = TestRunner::deterministic();
    let strategy = questions(Size::SMALL, 3);
    let (mut symbols, mut reachable, mut holding, mut running) = (0, 0, 0, 0);
    for _ in 0..400 {
        let Question { system, formula, propositions } = strategy.new_tree(&mut runner).unwrap().current();
        symbols += system.symbols;
        reachable +=
            (0..system.symbols).filter(|symbol| oracle::is_reachable(&system, SymbolId(*symbol), None)).count();
        let has_run = !oracle::holds(&system, &Formula::Constant(false), &[]);
        running += usize::from(has_run);
        holding += usize::from(has_run && oracle::holds(&system, &formula, &propositions));
    }
    assert!((45..75).contains(&(100 * reachable / symbols)), "{reachable} of {symbols} reachable");
    assert!(running > 220, "{running} of 400 run for ever");
    assert!((20..60).contains(&(100 * holding / running)), "{holding} of {running} formulas hold");
}

#[test]
fn every_form_is_drawn() {
    let mut runner = TestRunner::deterministic();
    let strategy = systems(Size::LARGE);
    let text: String = (0..500).map(|_| strategy.new_tree(&mut runner).unwrap().current().render()).collect();
    let forms = [
        ["global", "local (", "local f0 (", "bool ", "int ", "[2]", "[0,1]", "[1,2]"],
        ["define N2 2", "N1", "<main>", "<>", "<m1 m2>", "x0'", "x0''", "'[i]"],
        ["[1]", "!", "&", " | ", " ^ ", " <-> ", "<=", ">="],
        ["!=", "+", "-", "*", "/", "<<", "A i (", "E i ("],
        [">>", " -> ", "==", "~", "&&", "||", "g1", "N0"],
        ["E j (", "\"\"", "\"step\"", "# note", "(p (", "<main (", "x1' = x1", "g0'="],
    ];
    for form in forms.concat() {
        assert!(text.contains(form), "{form} is never drawn");
    }
}

/// Checks the text, the reachable heads as `state values symbol values`, and how many heads are blocked.
#[track_caller]
fn check(system: &System, text: &str, heads: &str, blocked: usize) {
    assert_eq!(system.render(), text);
    let values = |values: Vec<u64>| values.iter().map(u64::to_string).collect::<String>();
    let mut seen: Vec<String> = oracle::heads(system)
        .into_iter()
        .map(|((state, globals), (symbol, locals))| {
            let [state, symbol] = [system.state_name(state), system.symbol_name(symbol)];
            format!("{state}{} {symbol}{}", values(globals), values(locals))
        })
        .collect();
    seen.sort();
    assert_eq!(seen.join(", "), heads);
    assert_eq!(oracle::blocked_heads(system), blocked);
    check_rules(system);
}

fn system(globals: Vec<Variable>, locals: Vec<Variable>, rules: Vec<Rule>) -> System {
    let blocks = vec![Block { symbols: vec![SymbolId(1), SymbolId(2)], variables: locals }];
    let blocks = blocks.into_iter().filter(|block| !block.variables.is_empty()).collect();
    let initial = Initial { state: StateId(0), globals: None, symbol: SymbolId(0), locals: None };
    System { states: 1, symbols: 3, globals, blocks, initial, rules, spelling: 0 }
}

fn variable(name: &str, kind: Kind, range: Option<(usize, usize)>) -> Variable {
    Variable { name: name.to_string(), kind, range }
}

fn rule(symbol: usize, push: &[usize], condition: Option<Condition>) -> Rule {
    let push = push.iter().copied().map(SymbolId).collect();
    Rule { state: StateId(0), symbol: SymbolId(symbol), next: StateId(0), push, condition }
}

fn access(scope: Scope, time: Time, index: Option<Term>) -> Access {
    Access { scope, variable: VariableId(0), time, index: index.map(Box::new) }
}

fn global(time: Time) -> Term {
    Term::Read(access(Scope::Global, time, None))
}

fn local(time: Time) -> Term {
    Term::Read(access(Scope::Local, time, None))
}

fn equal(left: Term, right: Term) -> Condition {
    Condition::compare(Comparison::Equal, left, right)
}

fn and(left: Condition, right: Condition) -> Condition {
    Condition::join(Connective::And, left, right)
}

fn arithmetic(operator: Arithmetic, left: Term, right: u64) -> Term {
    Term::Join(operator, Box::new([left, Term::Number(right)]))
}

#[test]
fn what_a_rule_leaves_open_is_anything() {
    let set = equal(local(Time::Next), Term::Number(1));
    check(
        &system(
            vec![variable("g0", Kind::Bool, None)],
            vec![variable("x0", Kind::Int(1), None)],
            vec![rule(0, &[1, 2], Some(set)), rule(1, &[], None)],
        ),
        "global bool g0;\nlocal (m1, m2)\nint x0(1);\n(p <main>)\np <main> --> p <m1 m2> (x0'=1)\np <m1> --> p <>\n",
        "p0 m11, p0 m20, p0 m21, p0 main, p1 m11, p1 m20, p1 m21, p1 main",
        4,
    );
}

#[test]
fn a_number_that_does_not_fit_blocks() {
    let count = equal(global(Time::Next), arithmetic(Arithmetic::Add, global(Time::Now), 1));
    let start = equal(global(Time::Now), Term::Number(1));
    let mut counter = system(vec![variable("g0", Kind::Int(2), None)], vec![], vec![rule(0, &[0], Some(count))]);
    counter.initial.globals = Some(start);
    check(
        &counter,
        "global int g0(2);\n(p (g0=1) <main>)\np <main> --> p <main> (g0'=g0+1)\n",
        "p1 main, p2 main, p3 main",
        1,
    );
}

#[test]
fn what_has_no_value_makes_a_comparison_false_and_its_negation_true() {
    let down =
        Condition::compare(Comparison::AtMost, arithmetic(Arithmetic::Subtract, global(Time::Now), 2), Term::Number(9));
    let [no, yes] = [Condition::Not(Box::new(down.clone())), down];
    let keep = || equal(global(Time::Next), global(Time::Now));
    check(
        &system(
            vec![variable("g0", Kind::Int(2), None)],
            vec![],
            vec![rule(0, &[1], Some(and(yes, keep()))), rule(0, &[2], Some(and(no, keep())))],
        ),
        "global int g0(2);\n(p <main>)\np <main> --> p <m1> ((g0-2<=9) & (g0'=g0))\n\
         p <main> --> p <m2> ((!(g0-2<=9)) & (g0'=g0))\n",
        "p0 m2, p0 main, p1 m2, p1 main, p2 m1, p2 main, p3 m1, p3 main",
        4,
    );
}

#[test]
fn elements_are_kept_one_by_one() {
    let element = |time| Term::Read(access(Scope::Global, time, Some(Term::Bound(0))));
    let keep = Condition::Quantified(
        Quantifier::All,
        Range { low: 1, high: 2 },
        Box::new(equal(element(Time::Next), element(Time::Now))),
    );
    let start = Condition::compare(
        Comparison::Less,
        Term::Read(access(Scope::Global, Time::Now, Some(Term::Number(1)))),
        Term::Read(access(Scope::Global, Time::Now, Some(Term::Number(2)))),
    );
    let mut array = system(vec![variable("g0", Kind::Int(1), Some((1, 2)))], vec![], vec![rule(0, &[1], Some(keep))]);
    array.initial.globals = Some(start);
    check(
        &array,
        "global int g0[1,2](1);\n(p (g0[1]<g0[2]) <main>)\np <main> --> p <m1> (A i (1,2) (g0'[i]=g0[i]))\n",
        "p01 m1, p01 main",
        1,
    );
}

#[test]
fn an_index_may_be_a_value_to_come() {
    let element = |index, time| Term::Read(access(Scope::Global, time, Some(index)));
    let keep = |index: u64| equal(element(Term::Number(index), Time::Next), element(Term::Number(index), Time::Now));
    let points = equal(element(local(Time::Next), Time::Now), Term::Number(1));
    check(
        &system(
            vec![variable("g0", Kind::Int(1), Some((0, 1)))],
            vec![variable("x0", Kind::Int(2), None)],
            vec![rule(0, &[1], Some(and(and(points, keep(0)), keep(1))))],
        ),
        "global int g0[2](1);\nlocal (m1, m2)\nint x0(2);\n(p <main>)\n\
         p <main> --> p <m1> ((g0[x0']=1) & (g0'[0]=g0[0]) & (g0'[1]=g0[1]))\n",
        "p00 main, p01 m11, p01 main, p10 m10, p10 main, p11 m10, p11 m11, p11 main",
        5,
    );
}

#[test]
fn parentheses_are_where_they_matter() {
    let join = |operator, left, right| Term::Join(operator, Box::new([left, right]));
    let g = || global(Time::Now);
    let one = || Term::Number(1);
    let terms = [
        join(Arithmetic::Subtract, join(Arithmetic::Subtract, g(), one()), one()),
        join(Arithmetic::Subtract, g(), join(Arithmetic::Subtract, g(), one())),
        join(Arithmetic::Multiply, join(Arithmetic::Add, g(), one()), one()),
        join(Arithmetic::Add, join(Arithmetic::Divide, g(), one()), one()),
        join(Arithmetic::Divide, g(), join(Arithmetic::Multiply, g(), one())),
        join(Arithmetic::ShiftLeft, join(Arithmetic::Add, g(), one()), one()),
        join(Arithmetic::Add, one(), join(Arithmetic::ShiftLeft, g(), one())),
    ];
    let rules = terms.map(|term| rule(0, &[], Some(equal(term, g())))).to_vec();
    let text = system(vec![variable("g0", Kind::Int(2), None)], vec![], rules).render();
    let written: Vec<&str> = text.lines().filter_map(|line| line.split_once("p <> ")).map(|(_, rest)| rest).collect();
    let expected = ["g0-1-1", "g0-(g0-1)", "(g0+1)*1", "g0/1+1", "g0/(g0*1)", "(g0+1)<<1", "1+(g0<<1)"];
    assert_eq!(written, expected.map(|term| format!("({term}=g0)")));
}

/// A recursion that can go down for ever, and the formulas that tell.
#[test]
fn recursion_without_end_is_a_run() {
    let deep = system(
        vec![],
        vec![],
        vec![rule(0, &[1, 2], None), rule(1, &[1, 2], None), rule(1, &[], None), rule(2, &[], None)],
    );
    let propositions = [1, 2].map(|symbol| Proposition::Top(SymbolId(symbol)));
    let holds = |formula| oracle::holds(&deep, &formula, &propositions);
    let [call, back] = [Formula::proposition(0), Formula::proposition(1)];
    assert!(!holds(Formula::unary(Unary::Finally, back.clone())));
    assert!(holds(Formula::unary(Unary::Next, Formula::unary(Unary::Globally, call.clone()))));
    assert!(holds(Formula::binary(Binary::Implies, Formula::unary(Unary::Finally, back), Formula::Constant(false))));
    assert!(oracle::is_reachable(&deep, SymbolId(2), Some(StateId(0))));
    assert!(!oracle::is_reachable(&deep, SymbolId(2), Some(StateId(1))));
    let finite = System { rules: deep.rules[2..].to_vec(), ..deep.clone() };
    assert!(oracle::holds(&finite, &Formula::Constant(false), &[]), "no run at all");
}
