//! Aliases, cells, the call graph and single cells.

use expect_test::{Expect, expect};
use hardbop_base::Budget;
use hardbop_c_core::{Module, Place, PlaceUse, Target, stmt::visit_block};
use hardbop_points_to::{Activations, PointsTo, Policy, Site, UndefinedWrite, analyse};

fn module(source: &str) -> Module {
    let (ast, errors) = hardbop_lang_c::parse(source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    hardbop_c_lower::lower(&ast, Target::Lp64).expect("the program is right").module
}

fn solved(module: &Module) -> PointsTo<'_> {
    let policy = Policy::for_module(module, UndefinedWrite::Reachable, |_, _| false);
    analyse(module, policy, &Budget::unlimited()).expect("no limit")
}

/// Callees of each function, those called many times at once marked with `*`, those that call outside with `?`.
#[track_caller]
fn check_calls(source: &str, expect: Expect) {
    let module = module(source);
    let points_to = solved(&module);
    let graph = points_to.call_graph();
    let mut text = String::new();
    for component in graph.components() {
        for &function in component {
            let mark = if graph.activations(function) == Activations::Many { "*" } else { "" };
            let outside = if graph.calls_outside(function) { " ?" } else { "" };
            let callees = graph.callees(function).iter().map(|&callee| format!(" {}", module.functions[callee].name));
            text += &format!("{}{mark}:{}{outside}\n", module.functions[function].name, callees.collect::<String>());
        }
    }
    expect.assert_eq(&text);
}

/// The places that `main` writes, in order.
fn written(module: &Module) -> Vec<&Place> {
    let main = module.functions.iter().find(|function| function.name == "main").expect("a main");
    let mut places = Vec::new();
    visit_block(&main.body.as_ref().expect("a body").block, &mut |statement| {
        statement.visit_own_places(&mut |place, usage| {
            if usage == PlaceUse::Write {
                places.push(place);
            }
        });
    });
    places
}

/// For the places that `main` writes: how many cells each may touch, and with which of the others it may alias.
#[track_caller]
fn check_aliases(source: &str, expect: Expect) {
    let module = module(source);
    let points_to = solved(&module);
    let places = written(&module);
    let mut text = String::new();
    for (index, place) in places.iter().enumerate() {
        let others = places.iter().enumerate().filter(|&(other, _)| other != index);
        let aliases: Vec<usize> =
            others.filter(|(_, other)| points_to.may_alias(place, other)).map(|(other, _)| other).collect();
        text += &format!("{index}: {} cells, aliases {aliases:?}\n", points_to.targets(place).len());
    }
    expect.assert_eq(&text);
}

/// The variables whose first cell is single.
#[track_caller]
fn check_single(source: &str, expect: &[&str]) {
    let module = module(source);
    let points_to = solved(&module);
    let is_single = |var| points_to.is_single(points_to.cells(points_to.variable(var)).next().expect("a cell"));
    let single = module.vars.iter_enumerated().filter(|&(var, _)| is_single(var)).map(|(_, variable)| &*variable.name);
    assert_eq!(single.collect::<Vec<_>>(), expect);
}

#[test]
fn calls_through_pointers_make_cycles() {
    check_calls(
        "void (*next)(int); void even(int); void odd(int n) { if (n) even(n - 1); } void even(int n) { if (n) next(n - 1); }
         void once(int n) { } int main(void) { next = odd; once(1); even(3); return 0; }",
        expect![[r#"
            odd*: even
            even*: odd
            once:
            main: even once
        "#]],
    );
}

#[test]
fn outside_code_calls_what_has_escaped() {
    check_calls(
        "void later(void (*)(void)); static void again(void) { later(0); } static void other(void) { }
         int main(void) { later(again); other(); return 0; }",
        expect![[r#"
            again*: later
            later*: ?
            other:
            main: later other
        "#]],
    );
}

#[test]
fn library_functions_call_back() {
    check_calls(
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *)); int a[4];
         int compare(const void *x, const void *y) { return 0; } int main(void) { qsort(a, 4, 4, compare); return 0; }",
        expect![[r#"
            compare:
            qsort: compare
            main: qsort
        "#]],
    );
}

#[test]
fn the_functions_that_a_call_may_reach_are_known_by_its_number() {
    let module = module(
        "int f(int x) { return x; } int g(int x) { return -x; } int h(void) { return 0; } int (*p)(int);
         int main(int n) { h(); p = n ? f : g; p = n > 1 ? (int (*)(int))h : p; return p(1); }",
    );
    let points_to = solved(&module);
    let main = module.functions.ids().find(|&function| module.functions[function].name == "main").expect("a main");
    let callees = |call| {
        let callees = points_to.callees(Site { function: main, call });
        callees.into_iter().map(|function| module.functions[function].name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(callees(0), Vec::<String>::new());
    assert_eq!(callees(1), ["f", "g", "h"]);
    assert!(!points_to.may_call_outside(Site { function: main, call: 1 }));
}

#[test]
fn members_and_variables_do_not_alias() {
    check_aliases(
        "struct s { int a, b; } s, t; int main(int n) { struct s *p = n ? &s : &t; p->a = 1; p->b = 2; s.a = 3; t.b = 4; return 0; }",
        expect![[r#"
            0: 1 cells, aliases [1]
            1: 1 cells, aliases [0]
            2: 2 cells, aliases [4]
            3: 2 cells, aliases [5]
            4: 1 cells, aliases [2]
            5: 1 cells, aliases [3]
        "#]],
    );
}

#[test]
fn an_unknown_pointer_aliases_what_has_escaped() {
    check_aliases(
        "int *get(int *); static int x, y; int main(void) { int *p = get(&x); *p = 1; x = 2; y = 3; return 0; }",
        expect![[r#"
            0: 1 cells, aliases []
            1: 2 cells, aliases [2]
            2: 1 cells, aliases [1]
            3: 1 cells, aliases []
        "#]],
    );
}

#[test]
fn locals_of_recursive_functions_and_elements_are_many() {
    check_single(
        "int g, a[3]; struct s { int n; } s; void f(int n) { int inner; if (n) f(n - 1); } int main(void) { int once; f(2); return 0; }",
        &["g", "s", "once"],
    );
}

#[test]
fn locals_of_handlers_are_many_where_code_outside_runs_again() {
    let program = "void *signal(int, void (*)(int)); int kill(int, int); void exit(int); void give(int, void (*)(int));
         void h(int n) { int inner; AGAIN } int main(void) { int once; START(10, h); return 0; }";
    let check = |start: &str, again: &str, expected: &[&str]| {
        check_single(&program.replace("START", start).replace("AGAIN", again), expected);
    };
    check("signal", "kill(1, 10);", &["once"]);
    check("give", "exit(1);", &["once"]);
    check("give", "", &["n", "inner", "once"]);
}

#[test]
fn locals_of_threads_are_many() {
    check_single(
        "typedef unsigned long pthread_t; int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
         _Thread_local int own; void *run(void *p) { int inner; return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); return 0; }",
        &["t"],
    );
}
