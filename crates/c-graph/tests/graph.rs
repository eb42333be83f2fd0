//! The graphs of small functions, edge by edge.

use expect_test::{Expect, expect};
use hardbop_c_core::print::{Style, expr, place, stmt_line};
use hardbop_c_core::{Callee, FunctionId, Module, StmtKind, Target};
use hardbop_c_graph::{Action, CGraph, CallSite, Entries, Surroundings, Targets, Truth, graph};
use hardbop_icfg::EdgeKind;
use std::fmt::Write;

fn module(text: &str) -> Module {
    let (ast, found) = hardbop_lang_c::parse(text, 0);
    assert!(found.is_empty(), "{found:?}");
    hardbop_c_lower::lower(&ast, Target::Lp64).unwrap_or_else(|found| panic!("{found:?}")).module
}

fn function(module: &Module, name: &str) -> FunctionId {
    let mut functions = module.functions.iter_enumerated();
    functions.find(|(_, function)| function.source_name == name).expect("the function is there").0
}

fn describe(module: &Module, graph: &CGraph<'_>, function: FunctionId) -> String {
    let proc = graph.procs[function].expect("it has a body");
    let procs = &graph.icfg.procs;
    let mut text = String::new();
    let name = |node| if node == procs[proc].exit { "exit".to_owned() } else { format!("{node}") };
    for node in graph.icfg.nodes_of(proc) {
        for &edge in graph.icfg.successors(node) {
            let what = match graph.actions[edge] {
                Action::Nothing => "jump".to_owned(),
                Action::Assume(condition, Truth::True) => format!("if {}", expr(module, condition, Style::READABLE)),
                Action::Assume(condition, Truth::False) => {
                    format!("unless {}", expr(module, condition, Style::READABLE))
                }
                Action::Do(stmt) => stmt_line(module, function, stmt, Style::READABLE),
                Action::Change(what) => format!("change {}", place(module, what, Style::READABLE)),
                Action::Call(stmt, callee) => {
                    format!(
                        "enter {}: {}",
                        module.functions[callee].name,
                        stmt_line(module, function, stmt, Style::READABLE)
                    )
                }
                Action::Take(stmt, _) => format!("take: {}", stmt_line(module, function, stmt, Style::READABLE)),
                Action::CallBack(_) => "call back".to_owned(),
                Action::End => "end".to_owned(),
                Action::External(stmt, _) => format!("outside: {}", stmt_line(module, function, stmt, Style::READABLE)),
                Action::Start(callee) => format!("start {}", module.functions[callee].name),
                Action::Started(callee) => format!("started {}", module.functions[callee].name),
                Action::Return(None) => "return".to_owned(),
                Action::Return(Some(value)) => format!("return {}", expr(module, value, Style::READABLE)),
                Action::Enter(_) => "enter".to_owned(),
                Action::Outside => "outside".to_owned(),
                Action::Leave => continue,
            };
            let target = graph.icfg.edges[edge].target().map_or("caller".to_owned(), name);
            writeln!(text, "{} -> {target}: {what}", name(node)).expect("a string takes everything");
        }
    }
    text
}

/// The graph of `f`; a pointer may point to any function whose address is taken.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let module = module(text);
    let taken = module.functions.iter_enumerated().filter(|(_, function)| function.is_address_taken);
    let taken: Vec<FunctionId> = taken.map(|(id, _)| id).collect();
    let targets = |site: CallSite<'_>| match &site.stmt.kind {
        StmtKind::Call { callee: Callee::Function(callee), .. } => {
            Targets { functions: vec![*callee], may_be_unknown: false, may_call_back: false }
        }
        _ => Targets { functions: taken.clone(), may_be_unknown: true, may_call_back: true },
    };
    let entries = Entries::One(function(&module, "f"));
    let graph = graph(
        &module,
        &Surroundings {
            entries,
            known_outside: &taken,
            given_away: &[],
            ends_run: &|_| false,
            is_described: &|_| false,
            targets: &targets,
        },
    );
    for (id, edge) in graph.icfg.edges.iter_enumerated() {
        let is_call = matches!(graph.actions[id], Action::Call(..) | Action::CallBack(_) | Action::Start(_));
        assert_eq!(is_call, matches!(edge.kind, EdgeKind::Call { .. }));
    }
    expected.assert_eq(&describe(&module, &graph, function(&module, "f")));
}

#[test]
fn branches_meet_again() {
    check(
        "int f(int x) { if (x) x = 1; else x = 2; return x; }",
        expect![[r#"
        n0 -> n1: if x
        n0 -> n3: unless x
        n1 -> n2: x = 1;
        n2 -> exit: return x
        n3 -> n4: x = 2;
        n4 -> n2: jump
    "#]],
    );
}

#[test]
fn a_loop_asks_before_each_round() {
    check(
        "int f(int x) { while (x) { if (x == 3) break; if (x == 4) continue; x = x - 1; } return x; }",
        expect![[r#"
            n0 -> n1: jump
            n1 -> n2: unless x
            n1 -> n3: if x
            n2 -> exit: return x
            n3 -> n4: if x == 3
            n3 -> n5: unless x == 3
            n4 -> n2: jump
            n5 -> n6: if x == 4
            n5 -> n7: unless x == 4
            n6 -> n1: jump
            n7 -> n8: x = x - 1;
            n8 -> n1: jump
        "#]],
    );
}

#[test]
fn what_changes_by_itself_does_before_each_read() {
    check(
        "volatile int v; int f(volatile int *p) { while (v) { *p = 1; if (*p) continue; } return *p; }",
        expect![[r#"
            n0 -> n1: jump
            n1 -> n3: change v
            n2 -> n9: change *p
            n3 -> n2: unless v
            n3 -> n4: if v
            n4 -> n5: *p = 1;
            n5 -> n6: change *p
            n6 -> n7: if *p
            n6 -> n8: unless *p
            n7 -> n1: jump
            n8 -> n1: jump
            n9 -> exit: return *p
        "#]],
    );
}

#[test]
fn labels_are_reached_from_everywhere() {
    check(
        "void f(int x) { goto in; while (x) { x = 1; in: x = 2; } return; never: x = 3; }",
        expect![[r#"
        n0 -> n1: jump
        n1 -> n6: x = 2;
        n2 -> n3: unless x
        n2 -> n4: if x
        n3 -> exit: return
        n4 -> n5: x = 1;
        n5 -> n1: jump
        n6 -> n2: jump
        n7 -> n8: x = 3;
        n8 -> exit: return
    "#]],
    );
}

#[test]
fn a_call_enters_what_has_a_body_and_stays_outside_otherwise() {
    check(
        "int g(int); int h(int x) { return x; } int f(int x) { x = g(x); return h(x); }",
        expect![[r#"
            n2 -> n3: outside: x = g(x);
            n3 -> n4: enter h: h(...) = h(x);
            n4 -> n5: take: h(...) = h(x);
            n5 -> exit: return h(...)
        "#]],
    );
}

#[test]
fn what_does_not_return_has_no_way_on() {
    check(
        "void die(void) __attribute__((noreturn)); void f(int x) { if (x) die(); x = 1; }",
        expect![[r#"
            n0 -> n1: if x
            n0 -> n3: unless x
            n1 -> n2: outside: die();
            n3 -> n4: x = 1;
            n4 -> exit: return
        "#]],
    );
}

#[test]
fn a_pointer_calls_what_it_may_point_to() {
    check(
        "int g(void) { return 1; } int f(int (*p)(void)) { p = g; return p(); }",
        expect![[r#"
            n2 -> n3: p = g;
            n3 -> n4: enter g: p() = (*p)();
            n3 -> n6: call back
            n4 -> n5: take: p() = (*p)();
            n5 -> exit: return p()
            n6 -> n7: outside: p() = (*p)();
            n7 -> n5: jump
        "#]],
    );
}

#[test]
fn a_computed_jump_goes_to_labels_whose_address_is_taken() {
    check(
        "void f(int x) { void *p = &&a; if (x) p = &&b; goto *p; a: x = 1; b: x = 2; c: x = 3; }",
        expect![[r#"
            n0 -> n1: void *p;
            n1 -> n2: p = &&a;
            n2 -> n3: if x
            n2 -> n4: unless x
            n3 -> n4: p = &&b;
            n4 -> n5: goto *p;
            n5 -> n6: jump
            n5 -> n7: jump
            n6 -> n8: x = 1;
            n7 -> n9: x = 2;
            n8 -> n7: jump
            n9 -> n10: x = 3;
            n10 -> exit: return
        "#]],
    );
}

#[test]
fn assembly_may_jump() {
    check(
        "void f(int x) { asm goto (\"\" : : : : out); x = 1; out: x = 2; }",
        expect![[r#"
        n0 -> n1: __asm__ volatile goto ("" :  :  :  : out);
        n0 -> n2: __asm__ volatile goto ("" :  :  :  : out);
        n1 -> n4: x = 2;
        n2 -> n3: x = 1;
        n3 -> n1: jump
        n4 -> exit: return
    "#]],
    );
}

#[test]
fn what_was_given_away_is_called_where_the_run_ends() {
    let module = module("void exit(int); void h(void) {} int main(void) { exit(1); return 0; }");
    let [main, handler, exit] = ["main", "h", "exit"].map(|name| function(&module, name));
    let targets = |_: CallSite<'_>| Targets { functions: vec![exit], may_be_unknown: false, may_call_back: false };
    let surroundings = Surroundings {
        entries: Entries::One(main),
        known_outside: &[],
        given_away: &[handler],
        ends_run: &|callee| callee == exit,
        is_described: &|_| false,
        targets: &targets,
    };
    let graph = graph(&module, &surroundings);
    let ends = graph.actions.iter_enumerated().filter(|(_, action)| **action == Action::End);
    let ends: Vec<_> = ends.map(|(edge, _)| graph.icfg.edges[edge]).collect();
    let procs: Vec<_> = ends.iter().map(|edge| &*graph.icfg.procs[graph.icfg.nodes[edge.from].proc].name).collect();
    assert_eq!(procs, ["main", "outside"]);
    for edge in ends {
        let EdgeKind::Call { callee, .. } = edge.kind else { panic!("code outside is called: {edge:?}") };
        let mut edges = graph.icfg.nodes_of(callee).flat_map(|node| graph.icfg.successors(node));
        assert!(edges.any(|&edge| graph.actions[edge] == Action::Start(handler)));
    }
}

#[test]
fn what_is_described_has_been_called_when_it_returns_to_outside() {
    let module = module("void h(void) {} int main(void) { return 0; }");
    let [main, handler] = ["main", "h"].map(|name| function(&module, name));
    let surroundings = Surroundings {
        entries: Entries::One(main),
        known_outside: &[handler],
        given_away: &[],
        ends_run: &|_| false,
        is_described: &|function| function == handler,
        targets: &|_: CallSite<'_>| unreachable!("nothing is called"),
    };
    let graph = graph(&module, &surroundings);
    let find = |action| graph.actions.iter_enumerated().find(|(_, one)| **one == action).map(|(edge, _)| edge);
    let (start, done) = (find(Action::Start(handler)).unwrap(), find(Action::Started(handler)).unwrap());
    assert_eq!(graph.icfg.edges[start].target(), Some(graph.icfg.edges[done].from));
    assert_eq!(find(Action::Started(main)), None);
}

#[test]
fn a_library_is_entered_again_and_again() {
    let module = module("int f(void) { return 0; } int g(void) { return 1; }");
    let entries = [function(&module, "f"), function(&module, "g")];
    let targets = |_: CallSite<'_>| Targets { functions: Vec::new(), may_be_unknown: true, may_call_back: true };
    let surroundings = Surroundings {
        entries: Entries::Any(&entries),
        known_outside: &[],
        given_away: &[],
        ends_run: &|_| false,
        is_described: &|_| false,
        targets: &targets,
    };
    let graph = graph(&module, &surroundings);
    let outside = &graph.icfg.procs[graph.entry];
    let edges = |node| graph.icfg.successors(node).iter().copied();
    let begin: Vec<_> = edges(outside.entry).collect();
    assert_eq!(begin.len(), 1);
    assert_eq!(graph.actions[begin[0]], Action::Outside, "code outside writes what it can before every call");
    let ready = graph.icfg.edges[begin[0]].target().expect("it leads somewhere");
    let next = edges(ready).map(|edge| graph.icfg.edges[edge].target());
    assert_eq!(next.collect::<Vec<_>>(), [Some(outside.entry), Some(outside.entry), Some(outside.exit)]);
}
