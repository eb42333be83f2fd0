//! The oracle on programs written by hand: where its answers come from can be read off.

use hardbop_testkit::{Block, Expr, Model, Operator, Procedure, ProcedureId, Statement, Variable, explore};

/// Checks the text of each line with a statement, and with it how long the shortest trace is and how many states there
/// are: `0/4 skip;`. A failing assertion has the length of the shortest failing trace as well: `0/4!0`.
#[track_caller]
fn check(model: &Model, expected: &[&str]) {
    let text = model.render().text;
    let lines: Vec<&str> = text.lines().collect();
    let seen: Vec<String> = explore(model)
        .statements
        .iter()
        .map(|(line, statement)| {
            let distance = statement.distance.map_or("-".to_string(), |distance| distance.to_string());
            let failure = statement.assertion.as_ref().and_then(|assertion| assertion.distance);
            let failure = failure.map_or(String::new(), |distance| format!("!{distance}"));
            format!("{distance}/{}{failure} {}", statement.states.len(), lines[line.0 - 1].trim())
        })
        .collect();
    assert_eq!(seen, expected);
}

fn model(globals: &[&str], procedures: Vec<Procedure>) -> Model {
    Model { globals: strings(globals), procedures, spelling: 0 }
}

fn procedure(name: &str, parameters: &[&str], results: usize, locals: &[&str], body: Block) -> Procedure {
    let [parameters, locals] = [strings(parameters), strings(locals)];
    Procedure { name: name.to_string(), parameters, results, locals, enforce: None, abortif: None, body }
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn read(variable: usize) -> Expr {
    Expr::Read(Variable(variable))
}

fn not(expr: Expr) -> Expr {
    Expr::Not(Box::new(expr))
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new([left, right]))
}

fn assign(target: usize, value: Expr) -> Statement {
    Statement::Assign { targets: vec![Variable(target)], values: vec![value], constrain: None }
}

fn call(callee: usize, arguments: Vec<Expr>, targets: &[usize]) -> Statement {
    let targets = targets.iter().map(|target| Some(Variable(*target))).collect();
    Statement::Call { callee: ProcedureId(callee), arguments, targets }
}

const TRUE: Expr = Expr::Constant(true);
const FALSE: Expr = Expr::Constant(false);

/// The example of [BR00, Figure 1]: one of the runs recurses for ever in the second call, the other ends.
#[test]
fn crossed_call_is_one_move() {
    let a = procedure(
        "A",
        &["a1", "a2"],
        0,
        &[],
        vec![Statement::If {
            arms: vec![(read(1), vec![call(1, vec![read(2), read(1)], &[])])],
            otherwise: Some(vec![assign(0, read(2))]),
        }],
    );
    let main = procedure(
        "main",
        &[],
        0,
        &["h"],
        vec![
            assign(1, not(read(0))),
            call(1, vec![read(0), read(1)], &[]),
            Statement::Skip,
            call(1, vec![read(0), read(1)], &[]),
            Statement::If { arms: vec![(read(0), vec![Statement::Skip])], otherwise: None },
        ],
    );
    check(
        &model(&["g"], vec![main, a]),
        &[
            "0/4 h := !g;",
            "1/2 A(g, h);",
            "2/2 skip;",
            "3/2 A(g, h);",
            "4/1 if (g) then",
            "5/1 skip;",
            "2/4 if (a1) then",
            "3/2 A(a2, a1);",
            "3/2 g := a2;",
        ],
    );
}

#[test]
fn either_value_wins_where_a_variable_is_twice_on_the_left() {
    let twice =
        Statement::Assign { targets: vec![Variable(0), Variable(0)], values: vec![TRUE, FALSE], constrain: None };
    let main = procedure("main", &[], 0, &["x"], vec![assign(0, TRUE), twice, Statement::Skip]);
    check(&model(&[], vec![main]), &["0/2 x := T;", "1/1 x, x := T, F;", "2/2 skip;"]);
}

#[test]
fn enforce_of_the_caller_holds_after_the_call_only() {
    let mut main = procedure("main", &[], 0, &[], vec![call(1, vec![], &[]), Statement::Skip]);
    main.enforce = Some(read(0));
    let body =
        vec![assign(0, FALSE), Statement::If { arms: vec![(Expr::Star, vec![assign(0, TRUE)])], otherwise: None }];
    let callee = procedure("p", &[], 0, &[], body);
    check(
        &model(&["g"], vec![main, callee]),
        &["0/1 p();", "1/1 skip;", "1/1 g := F;", "2/1 if (*) then", "3/1 g := T;"],
    );
}

#[test]
fn enforce_of_the_callee_blocks_the_call() {
    let main = procedure("main", &[], 0, &[], vec![assign(0, FALSE), call(1, vec![], &[]), Statement::Skip]);
    let mut callee = procedure("p", &[], 0, &[], vec![assign(0, TRUE)]);
    callee.enforce = Some(read(0));
    check(&model(&["g"], vec![main, callee]), &["0/2 g := F;", "1/1 p();", "-/0 skip;", "-/0 g := T;"]);
}

#[test]
fn shadowed_global_keeps_its_value() {
    let main = procedure(
        "main",
        &[],
        0,
        &[],
        vec![assign(0, FALSE), call(1, vec![TRUE], &[]), Statement::Assert(not(read(0)))],
    );
    let callee = procedure("p", &["g"], 0, &[], vec![Statement::Assert(not(read(1)))]);
    check(&model(&["g"], vec![main, callee]), &["0/2 g := F;", "1/1 p(T);", "-/0 assert (!g);", "2/1!2 assert (!g);"]);
}

#[test]
fn constraint_relates_before_and_after() {
    let differ = binary(Operator::Unequal, Expr::Primed(Variable(0)), read(0));
    let body = vec![assign(0, FALSE), Statement::Constrain(differ), Statement::Assert(not(read(0)))];
    let main = procedure("main", &[], 0, &["x", "y"], body);
    check(&model(&[], vec![main]), &["0/4 x := F;", "1/2 constrain('x != x);", "2/2!2 assert (!x);"]);
}

#[test]
fn missing_results_are_arbitrary() {
    let body = vec![assign(0, FALSE), call(1, vec![], &[0]), Statement::Assert(read(0))];
    let main = procedure("main", &[], 0, &["x"], body);
    let callee = procedure("p", &[], 1, &[], vec![]);
    check(&model(&[], vec![main, callee]), &["0/2 x := F;", "1/1 x := p();", "2/2!2 assert (x);"]);
}

#[test]
fn operators_bind_as_in_moped() {
    let [x, y] = [read(0), read(1)];
    let chain = binary(Operator::Implies, binary(Operator::Implies, x.clone(), y.clone()), x.clone());
    let nested = binary(Operator::Implies, x.clone(), binary(Operator::Implies, y.clone(), x.clone()));
    let mixed = binary(
        Operator::And,
        binary(Operator::Or, x.clone(), y.clone()),
        binary(Operator::Equal, not(x.clone()), binary(Operator::Xor, x.clone(), y.clone())),
    );
    let iff = binary(Operator::And, x.clone(), binary(Operator::Iff, not(not(x)), y));
    let main = procedure("main", &[], 0, &["x", "y"], vec![Statement::Print(vec![chain, nested, mixed, iff])]);
    check(
        &model(&[], vec![main]),
        &["0/4 print(x => y => x, x => (y => x), (x | y) & !x = (x ^ y), x & (!(!x) <=> y));"],
    );
}
