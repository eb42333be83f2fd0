//! What each statement becomes.

mod pretty;

use expect_test::{Expect, expect};
use hardbop_base::SourceMap;
use hardbop_lang_bp::{lower, parse};

/// The program of `source`, as text.
#[track_caller]
fn check(source: &str, expect: Expect) {
    let mut sources = SourceMap::default();
    let file = sources.add("test.bp", source.into()).expect("a test is small");
    let (ast, findings) = parse(&sources.file(file).text, sources.file(file).start);
    assert_eq!(findings, []);
    let lowered = lower(&ast, "main").expect("the program is correct");
    expect.assert_eq(&pretty::pretty(&lowered.program, &sources));
}

/// The same for the body of `main`, with globals `a`, `b`, `c`.
#[track_caller]
fn check_body(body: &str, expect: Expect) {
    check(&format!("decl a, b, c; void main() begin {body} end"), expect);
}

#[test]
fn statements_without_effect_are_steps() {
    check_body(
        "skip; print(a, !b); atomic_begin; atomic_end;",
        expect![[r#"
        main() from n0
          n0 skip
            -> n1
          n1 print(a, !b)
            -> n2
          n2 atomic_begin
            -> n3
          n3 atomic_end
            -> n4
          n4 end
    "#]],
    );
}

#[test]
fn an_empty_body_starts_at_its_exit() {
    check_body(
        "",
        expect![[r#"
        main() from n0
          n0 end
    "#]],
    );
}

#[test]
fn an_if_has_an_edge_for_each_outcome_and_an_elsif_is_a_node() {
    check_body(
        "if (a) then skip; elsif b then a := b; elsif (c) then else b := a; fi; skip;",
        expect![[r#"
        main() from n0
          n0 if (a)
            -> n1 if a
            -> n2 if !a
          n1 skip
            -> n6
          n2 elsif b
            -> n3 if b
            -> n4 if !b
          n3 a := b
            -> n6 [a := b]
          n4 elsif (c)
            -> n6 if c
            -> n5 if !c
          n5 b := a
            -> n6 [b := a]
          n6 skip
            -> n7
          n7 end
    "#]],
    );
}

#[test]
fn an_if_without_else_goes_on_behind() {
    check_body(
        "if (a) then fi while (b) do if (c) then skip; fi od",
        expect![[r#"
        main() from n0
          n0 if (a)
            -> n1 if a
            -> n1 if !a
          n1 while (b)
            -> n2 if b
            -> n4 if !b
          n2 if (c)
            -> n3 if c
            -> n1 if !c
          n3 skip
            -> n1
          n4 end
    "#]],
    );
}

#[test]
fn a_loop_goes_back_to_its_head() {
    check_body(
        "while (!a) do a := b; b := c; od skip",
        expect![[r#"
        main() from n0
          n0 while (!a)
            -> n1 if !a
            -> n3 if a
          n1 a := b
            -> n2 [a := b]
          n2 b := c
            -> n0 [b := c]
          n3 skip
            -> n4
          n4 end
    "#]],
    );
}

#[test]
fn an_arbitrary_condition_is_no_guard() {
    check_body(
        "if (*) then skip; fi while ? do od assume(*); assert(!*);",
        expect![[r#"
        main() from n0
          n0 if (*)
            -> n1
            -> n2
          n1 skip
            -> n2
          n2 while ?
            -> n2
            -> n3
          n3 assume(*)
            -> n4
          n4 assert(!*)
            fails where ?0
            -> n5
          n5 end
    "#]],
    );
}

#[test]
fn constant_conditions_stay_in_the_graph() {
    check_body(
        "if (T) then skip; fi while (0) do od assume(1); assert(T); assert(F);",
        expect![[r#"
        main() from n0
          n0 if (T)
            -> n1
            -> n2 if F
          n1 skip
            -> n2
          n2 while (0)
            -> n2 if F
            -> n3
          n3 assume(1)
            -> n4
          n4 assert(T)
            fails where F
            -> n5
          n5 assert(F)
            fails where T
            -> n6 if F
          n6 end
    "#]],
    );
}

#[test]
fn a_goto_has_one_edge_for_each_different_target() {
    check_body(
        "goto x, y, x, z; x: y: skip; z: skip;",
        expect![[r#"
        main() from n0
          n0 goto x, y, x, z
            -> n1
            -> n2
          n1 x: y: skip
            -> n2
          n2 z: skip
            -> n3
          n3 end
    "#]],
    );
}

#[test]
fn a_label_before_end_is_a_statement() {
    check_body(
        "goto out; 1: 2: skip; out:",
        expect![[r#"
        main() from n0
          n0 goto out
            -> n2
          n1 1: 2: skip
            -> n2
          n2 out: out
            -> n3
          n3 end
    "#]],
    );
}

#[test]
fn assertions_fail_where_their_condition_is_false() {
    check_body(
        "assert(a => b); assert(a & *);",
        expect![[r#"
        main() from n0
          n0 assert(a => b)
            fails where !(a => b)
            -> n1 if (a => b)
          n1 assert(a & *)
            fails where !(a & ?0)
            -> n2 if (a & ?0)
          n2 end
    "#]],
    );
}

#[test]
fn assignments_are_parallel() {
    check_body(
        "a, b, c := b, *, a & (* | b); _ := a; a, _ := b, c;",
        expect![[r#"
        main() from n0
          n0 a, b, c := b, *, a & (* | b)
            -> n1 [a := b] [b := *] [c := (a & (?0 | b))]
          n1 _ := a
            -> n2
          n2 a, _ := b, c
            -> n3 [a := b]
          n3 end
    "#]],
    );
}

#[test]
fn a_variable_twice_on_the_left_gets_either_value() {
    check_body(
        "a, a := b, c; a, a := T, F; a, a := T, T; a, b, a, a := b, * & c, !c, b; a, a := b, *; a, a := T, b;",
        expect![[r#"
            main() from n0
              n0 a, a := b, c
                -> n1 [a := (?0 ? b : c)]
              n1 a, a := T, F
                -> n2 [a := *]
              n2 a, a := T, T
                -> n3 [a := T]
              n3 a, b, a, a := b, * & c, !c, b
                -> n4 [a := (?1 ? b : (?0 ? !c : b))] [b := (?2 & c)]
              n4 a, a := b, *
                -> n5 [a := *]
              n5 a, a := T, b
                -> n6 [a := (?0 ? T : b)]
              n6 end
        "#]],
    );
}

#[test]
fn schoose_is_true_or_not_false() {
    check_body(
        "a := schoose[b, c]; a := schoose[F, F]; a := schoose[T, b]; a := schoose[b, T]; a := schoose[F, b];
         a := schoose[b, F]; a := schoose[schoose[a, b], *];",
        expect![[r#"
            main() from n0
              n0 a := schoose[b, c]
                -> n1 [a := (b | (!c & ?0))]
              n1 a := schoose[F, F]
                -> n2 [a := *]
              n2 a := schoose[T, b]
                -> n3 [a := T]
              n3 a := schoose[b, T]
                -> n4 [a := b]
              n4 a := schoose[F, b]
                -> n5 [a := (!b & ?0)]
              n5 a := schoose[b, F]
                -> n6 [a := (b | ?0)]
              n6 a := schoose[schoose[a, b], *]
                -> n7 [a := ((a | (!b & ?0)) | (?1 & ?2))]
              n7 end
        "#]],
    );
}

#[test]
fn operations_on_constants_are_folded() {
    check_body(
        "a := T => b; a := b => F; a := b ^ T; a := b = F; a := b <=> T; a := b ? T : F; a := b ? F : T; a := !!b;",
        expect![[r#"
            main() from n0
              n0 a := T => b
                -> n1 [a := b]
              n1 a := b => F
                -> n2 [a := !b]
              n2 a := b ^ T
                -> n3 [a := !b]
              n3 a := b = F
                -> n4 [a := !b]
              n4 a := b <=> T
                -> n5 [a := b]
              n5 a := b ? T : F
                -> n6 [a := b]
              n6 a := b ? F : T
                -> n7 [a := !b]
              n7 a := !!b
                -> n8 [a := b]
              n8 end
        "#]],
    );
}

#[test]
fn choices_that_are_folded_away_are_not_counted() {
    check_body(
        "a := (* & F) | (* & b); a := * => T; a := * ? T : T; a := T ? * : b & *; a := b | T & *;",
        expect![[r#"
            main() from n0
              n0 a := (* & F) | (* & b)
                -> n1 [a := (?0 & b)]
              n1 a := * => T
                -> n2 [a := T]
              n2 a := * ? T : T
                -> n3 [a := T]
              n3 a := T ? * : b & *
                -> n4 [a := *]
              n4 a := b | T & *
                -> n5 [a := (b | ?0)]
              n5 end
        "#]],
    );
}

#[test]
fn operators_keep_their_meaning() {
    check_body(
        "a := b & c | !a; a := b != c; a := b <> c; a := b ^ c; a := b == c; a := b <=> c; a := b => c; a := b ? c : *;",
        expect![[r#"
            main() from n0
              n0 a := b & c | !a
                -> n1 [a := ((b & c) | !a)]
              n1 a := b != c
                -> n2 [a := (b ^ c)]
              n2 a := b <> c
                -> n3 [a := (b ^ c)]
              n3 a := b ^ c
                -> n4 [a := (b ^ c)]
              n4 a := b == c
                -> n5 [a := (b = c)]
              n5 a := b <=> c
                -> n6 [a := (b = c)]
              n6 a := b => c
                -> n7 [a := (b => c)]
              n7 a := b ? c : *
                -> n8 [a := (b ? c : ?0)]
              n8 end
        "#]],
    );
}

#[test]
fn a_constraint_relates_both_states() {
    check_body(
        "a, b := *, * constrain 'a & !b' | c & 'c; a := b constrain T; a := b constrain *;",
        expect![[r#"
        main() from n0
          n0 a, b := *, * constrain 'a & !b' | c & 'c
            -> n1 [a := *] [b := *] so that ((a' & !b') | (c & c'))
          n1 a := b constrain T
            -> n2 [a := b]
          n2 a := b constrain *
            -> n3 [a := b]
          n3 end
    "#]],
    );
}

#[test]
fn a_constrain_statement_changes_what_is_primed() {
    check_body(
        "constrain('a = !a & 'b); constrain('a | T); constrain(b); constrain 'c & *;",
        expect![[r#"
        main() from n0
          n0 constrain('a = !a & 'b)
            -> n1 [a := *] [b := *] so that ((a' = !a) & b')
          n1 constrain('a | T)
            -> n2 [a := *]
          n2 constrain(b)
            -> n3 so that b
          n3 constrain 'c & *
            -> n4 [c := *] so that (c' & ?0)
          n4 end
    "#]],
    );
}

#[test]
fn dead_variables_get_any_value() {
    check_body(
        "dead b, a, b;",
        expect![[r#"
        main() from n0
          n0 dead b, a, b
            -> n1 [a := *] [b := *]
          n1 end
    "#]],
    );
}

#[test]
fn calls_pass_arguments_and_results() {
    check(
        "decl g; bool<2> f(x, y) begin decl z; return y, *; end
         void main() begin decl u, v; u, v := f(u & g, *); u, u := f(* & u, T); _, g := f(v, v); f(F, F); end",
        expect![[r#"
            f(result0, result1, x, y, z) from n0
              n0 return y, *
                -> n1 [result0 := y] [result1 := *]
              n1 end
            main(u, v) from n2
              n2 u, v := f(u & g, *)
                enter f [x := (u & g)]
                -> n3 [u := result0] [v := result1]
              n3 u, u := f(* & u, T)
                enter f [x := (?0 & u)] [y := T]
                -> n4 [u := (?0 ? result0 : result1)]
              n4 _, g := f(v, v)
                enter f [x := v] [y := v]
                -> n5 [g := result1]
              n5 f(F, F)
                enter f [x := F] [y := F]
                -> n6
              n6 end
        "#]],
    );
}

#[test]
fn a_bare_return_leaves_results_open() {
    check(
        "bool f() begin return; return T; end void main() begin f(); return; end",
        expect![[r#"
        f(result) from n0
          n0 return
            -> n2
          n1 return T
            -> n2 [result := T]
          n2 end
        main() from n3
          n3 f()
            enter f
            -> n4
          n4 return
            -> n5
          n5 end
    "#]],
    );
}

#[test]
fn results_without_type_are_those_of_the_returns() {
    check(
        "f(x) begin return; return x, !x; end main() begin decl a, b; a, b := f(a); end",
        expect![[r#"
        f(result0, result1, x) from n0
          n0 return
            -> n2
          n1 return x, !x
            -> n2 [result0 := x] [result1 := !x]
          n2 end
        main(a, b) from n3
          n3 a, b := f(a)
            enter f [x := a]
            -> n4 [a := result0] [b := result1]
          n4 end
    "#]],
    );
}

#[test]
fn locals_shadow_globals() {
    check(
        "decl a, b; void f(a) begin decl b; a := b; end void main() begin f(a); a := b; end",
        expect![[r#"
        f(a, b) from n0
          n0 a := b
            -> n1 [a := b]
          n1 end
        main() from n2
          n2 f(a)
            enter f [a := a]
            -> n3
          n3 a := b
            -> n4 [a := b]
          n4 end
    "#]],
    );
}

#[test]
fn an_invariant_holds_at_entry_and_after_what_may_break_it() {
    check(
        "decl a, b, c; void main() begin decl l; enforce a | l; abortif b; skip; a := c; c := a; b, l := c, c; f(); end
         void f() begin enforce c; c := *; end",
        expect![[r#"
            initially so that ((a' | l') & !b')
            main(l) from n0
              n0 skip
                -> n1
              n1 a := c
                -> n2 [a := c] so that (a' | l')
              n2 c := a
                -> n3 [c := a]
              n3 b, l := c, c
                -> n4 [b := c] [l := c] so that ((a' | l') & !b')
              n4 f()
                enter f so that c'
                -> n5 so that ((a' | l') & !b')
              n5 end
            f() from n6
              n6 c := *
                -> n7 [c := *] so that c'
              n7 end
        "#]],
    );
}

#[test]
fn an_invariant_with_a_choice_is_checked_at_every_step() {
    check(
        "decl a; void main() begin enforce a | *; enforce T; abortif *; skip; a := *; if (* & a) then skip; fi main(); end",
        expect![[r#"
            initially so that (a' | ?0)
            main() from n0
              n0 skip
                -> n1 so that (a' | ?0)
              n1 a := *
                -> n2 [a := *] so that (a' | ?0)
              n2 if (* & a)
                -> n3 if (?0 & a) so that (a' | ?1)
                -> n4 if !(?0 & a) so that (a' | ?1)
              n3 skip
                -> n4 so that (a' | ?0)
              n4 main()
                enter main so that (a' | ?0)
                -> n5 so that (a' | ?0)
              n5 end
        "#]],
    );
}

#[test]
fn a_constraint_and_an_invariant_both_hold() {
    check(
        "decl a, b; void main() begin enforce a; a := * constrain 'a = b; end",
        expect![[r#"
        initially so that a'
        main() from n0
          n0 a := * constrain 'a = b
            -> n1 [a := *] so that ((a' = b) & a')
          n1 end
    "#]],
    );
}

#[test]
fn the_entry_may_have_parameters() {
    check(
        "bool main(x) begin enforce x; return x; end",
        expect![[r#"
        initially so that x'
        main(result, x) from n0
          n0 return x
            -> n1 [result := x]
          n1 end
    "#]],
    );
}

#[test]
fn threads_are_marked_and_end_the_run() {
    check(
        "decl a; void main() begin start_thread f(); start_thread goto x; x: sync a; L: ASYNC_1: f(); ASYNC_: f();
         end_thread; a := T; end void f() begin end",
        expect![[r#"
            main() from n0
              n0 start_thread f()
                not modelled: `start_thread`
              n1 start_thread goto x
                not modelled: `start_thread`
              n2 x: sync a
                not modelled: `sync`
              n3 L: ASYNC_1: f()
                not modelled: `ASYNC_1:`
              n4 ASYNC_: f()
                enter f
                -> n5
              n5 end_thread
              n6 a := T
                -> n7 [a := T]
              n7 end
            f() from n8
              n8 end
        "#]],
    );
}

#[test]
fn names_in_braces_are_variables() {
    check(
        "decl {x == 0}; void main() begin { x == 0 } := !{x == 0}; end",
        expect![[r#"
        main() from n0
          n0 { x == 0 } := !{x == 0}
            -> n1 [{x == 0} := !{x == 0}]
          n1 end
    "#]],
    );
}
