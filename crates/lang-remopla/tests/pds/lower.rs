//! Systems and the programs they become.

use crate::show::show;
use expect_test::{Expect, expect};
use hardbop_lang_remopla::pds;

#[track_caller]
fn check(text: &str, expect: Expect) {
    let (ast, found) = pds::parse(text, 0);
    assert!(found.is_empty(), "{found:#?}");
    let lowered = pds::lower(&ast).unwrap_or_else(|found| panic!("{found:#?}"));
    assert!(lowered.warnings.is_empty(), "{:#?}", lowered.warnings);
    expect.assert_eq(&show(&lowered.program));
}

#[test]
fn a_plain_system_has_no_variables() {
    check(
        "(p <m>)
         p <m> --> p <f e>
         p <f> --> p <f f>
         p <f> --> p <>
         p <e> --> p <e>",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            initially skip
            procedure m
              m -> call f, e:
                enter skip
                leave skip
              e -> e: skip
            procedure f
              f -> call f, f:
                enter skip
                leave skip
              f -> exit: skip
        "#]],
    );
}

#[test]
fn control_states_are_data() {
    check(
        "(p <a>)
         p <a> --> q <b>
         q <b> --> r <a>
         r <a> --> r <>",
        expect![[r#"
            Global state Enum(["p", "q", "r"]): 2 bits, Data
            initially where (!state.0' & !state.1')
            procedure a
              a -> b: if (!state.0 & !state.1), state.0 := 1, state.1 := 0
              a -> exit: if (!state.0 & state.1)
              b -> a: if (state.0 & !state.1), state.0 := 0, state.1 := 1
        "#]],
    );
}

#[test]
fn a_call_in_another_state_is_a_step_and_a_call() {
    check(
        "local (f) int n(1);
         (p <a>)
         p <a> --> q <f b> (n' = 1)
         q <f> --> q <>",
        expect![[r#"
            Global state Enum(["p", "q"]): 1 bits, Data
            Parameter(p1) n Number: 1 bits, Data
            initially where !state.0'
            procedure a
              a -> silent-3: if !state.0, state.0 := 1
              silent-3 -> call f, b:
                enter n.0 := 1
                leave skip
            procedure f
              f -> exit: if state.0
        "#]],
    );
}

#[test]
fn what_is_not_mentioned_is_open() {
    check(
        "global bool g; int n(1);
         local f (a, b) bool x;
         (p <a>)
         p <a> --> p <b>
         p <b> --> p <a> (g' = g & x' = x)
         p <b> --> p <> (n' = 0)",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            Global g Bool: 1 bits, Data
            Global n Number: 1 bits, Data
            Local(p0) x Bool: 1 bits, Data
            initially skip
            procedure f
              a -> b: g := *, n.0 := *, x := *
              b -> a: n.0 := *
              b -> exit: g := *, n.0 := 0
        "#]],
    );
}

#[test]
fn what_is_saved_is_computed_on_the_way_back() {
    check(
        "local f (a, b) int x(2); bool y, z;
         (p <a>)
         p <a> --> p <a b> (x' = x & x'' = x + 1 & y'' = y)
         p <b> --> p <>",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            Parameter(p0) x Number: 2 bits, Counter
            Local(p0) y Bool: 1 bits, Data
            Local(p0) z Bool: 1 bits, Data
            initially skip
            procedure f
              a -> call f, b:
                enter if !(x.1 & x.0), x.0 := x.0, x.1 := x.1
                leave x.0 := !x.0'', x.1 := (x.1'' ^ x.0''), z := *
              b -> exit: skip
        "#]],
    );
}

#[test]
fn what_is_saved_of_a_global_is_stored_before_the_call() {
    check(
        "global bool g;
         local f (a, b) bool x, y;
         (p <a>)
         p <a> --> p <a b> (g' = !g & (x' | y') & x'' = g)
         p <b> --> p <> (g' = g)",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            Global g Bool: 1 bits, Data
            Parameter(p0) x Bool: 1 bits, Data
            Parameter(p0) y Bool: 1 bits, Data
            Local(p0) f.x Bool: 1 bits, Data
            Local(p0) f.y Bool: 1 bits, Data
            initially skip
            procedure f
              a -> silent-3: g := !g, x := g, y := *, f.x := *, f.y := *, where (f.x' | f.y')
              b -> exit: skip
              silent-3 -> call f, b:
                enter x := f.x, y := f.y
                leave skip
        "#]],
    );
}

#[test]
fn a_swap_is_a_function() {
    check(
        "global int a[2](1); int i(1), j(1);
         (p <m>)
         p <m> --> p <m> (i' = i & j' = j & A k (0,1) (k = i | k = j | a'[k] = a[k]) & a'[i] = a[j] & a'[j] = a[i])",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            Global a[0] Number: 1 bits, Data
            Global a[1] Number: 1 bits, Data
            Global i Number: 1 bits, Counter
            Global j Number: 1 bits, Counter
            initially skip
            procedure m
              m -> m: a[0].0 := (i.0 ? (j.0 ? a[0].0 : (i.0 ? a[1].0 : a[0].0)) : (j.0 ? a[1].0 : a[0].0)), a[1].0 := (i.0 ? (j.0 ? a[1].0 : a[0].0) : (j.0 ? (i.0 ? a[1].0 : a[0].0) : a[1].0))
        "#]],
    );
}

#[test]
fn values_follow_from_values() {
    check(
        "global int a(1), b(1), c(2); bool d;
         (p <m>)
         p <m> --> p <m> (a' = b' & b' = a & c' = b' + a' & d')
         p <m> --> p <m> (a' = a & (b' = 1 | d') & c' < 2 & c' = c)",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            Global a Number: 1 bits, Counter
            Global b Number: 1 bits, Counter
            Global c Number: 2 bits, Counter
            Global d Bool: 1 bits, Data
            initially skip
            procedure m
              m -> m: b.0 := a.0, c.0 := 0, c.1 := a.0, d := 1
              m -> m: if !c.1, b.0 := *, d := *, where (b.0' | d')
        "#]],
    );
}

#[test]
fn what_does_not_fit_has_no_successor() {
    check(
        "global int n(2); int a[1,2](1);
         (p <m>)
         p <m> --> p <m> (n' = n + 1 & A i (1,2) a'[i] = a[i])
         p <m> --> p <m> (n' = 2 - n & a'[0] = 0)
         p <m> --> p <m> (n' = a[n] & a'[n] = 1)",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            Global n Number: 2 bits, Counter
            Global a[1] Number: 1 bits, Counter
            Global a[2] Number: 1 bits, Counter
            initially skip
            procedure m
              m -> m: if !(n.1 & n.0), n.0 := !n.0, n.1 := (n.1 ^ n.0)
              m -> m: if 0, n.1 := (n.1 = n.0), a[1].0 := 0, a[2].0 := *
              m -> m: if (!(!n.1 & !n.0) & (n.1 ^ n.0)), n.0 := (n.0 ? a[1].0 : a[2].0), n.1 := 0, a[1].0 := *, a[2].0 := *, where (((n.0 & (n.1 ^ n.0)) -> a[1].0') & ((!n.0 & (n.1 ^ n.0)) -> a[2].0'))
        "#]],
    );
}

#[test]
fn a_symbol_that_two_entries_lead_to_is_in_two_procedures() {
    check(
        "(p <m>)
         p <m> --> p <f m>
         p <m> --> p <g m>
         p <f> --> p <x>
         p <g> --> p <x>
         p <x> --> p <>
         p <never> --> p <x>
         atoms x both, shared",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            initially skip
            procedure m
              m -> call f, m:
                enter skip
                leave skip
              m -> call g, m:
                enter skip
                leave skip
            procedure f
              f -> x/both/shared: skip
              x/both/shared -> exit: skip
            procedure g
              g -> x/both/shared: skip
              x/both/shared -> exit: skip
            procedure never
              never -> x/both/shared: skip
              x/both/shared -> exit: skip
        "#]],
    );
}

#[test]
fn the_first_configuration_can_be_constrained() {
    check(
        "define N 2
         global int n(N); bool g;
         local main (m) int x(1);
         (q (n < N & g) <m (x = 1)>)
         p <m> --> p <m> (n' = n & g' = g & x' = x)
         q <m> --> p <m> (n' = n & g' = g & x' = x)",
        expect![[r#"
            Global state Enum(["q", "p"]): 1 bits, Data
            Global n Number: 2 bits, Data
            Global g Bool: 1 bits, Data
            Local(p0) x Number: 1 bits, Data
            initially where ((!state.0' & (!n.1' & g')) & x.0')
            procedure main
              m -> m: if state.0
              m -> m: if !state.0, state.0 := 1
        "#]],
    );
}

#[test]
fn blocks_of_one_procedure_keep_their_variables_apart() {
    check(
        "local first (a) bool x; int n(1);
         local second (b) bool x;
         (p <a>)
         p <a> --> p <b> (x' = !x & n = 0)
         p <b> --> p <a> (x' = x & n' = 1)",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            Local(p0) x Bool: 1 bits, Data
            Local(p0) n Number: 1 bits, Data
            Local(p0) second.x Bool: 1 bits, Data
            initially skip
            procedure first
              a -> b: if !n.0, second.x := !x
              b -> a: x := second.x, n.0 := 1
        "#]],
    );
}

#[test]
fn roles_follow_from_use() {
    check(
        "global int data(1), pivot(1), literal(1), index(1), limit(1), array[2](1), sum(2);
         (p <m>)
         p <m> --> p <x> (data < pivot & literal = 1 & array[index] = data & index != limit & sum' = sum + 1)
         p <x> --> p <x> (pivot' = data)",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            Global data Number: 1 bits, Data
            Global pivot Number: 1 bits, Data
            Global literal Number: 1 bits, Data
            Global index Number: 1 bits, Counter
            Global limit Number: 1 bits, Counter
            Global array[0] Number: 1 bits, Data
            Global array[1] Number: 1 bits, Data
            Global sum Number: 2 bits, Counter
            initially skip
            procedure m
              m -> x: if (((((data.0 ^ pivot.0) & pivot.0) & literal.0) & (((index.0 ? array[1].0 : array[0].0) = data.0) & (index.0 ^ limit.0))) & !(sum.1 & sum.0)), data.0 := *, pivot.0 := *, literal.0 := *, index.0 := *, limit.0 := *, array[0].0 := *, array[1].0 := *, sum.0 := !sum.0, sum.1 := (sum.1 ^ sum.0)
              x -> x: data.0 := *, pivot.0 := data.0, literal.0 := *, index.0 := *, limit.0 := *, array[0].0 := *, array[1].0 := *, sum.0 := *, sum.1 := *
        "#]],
    );
}

#[test]
fn operators_bind_as_documented() {
    check(
        "global bool a, b, c; int n(2);
         (p <m>)
         p <m> --> p <m> (a | b & c ^ a -> b <-> c)
         p <m> --> p <m> (!n = 1 + 1 * 2 & !a)
         p <m> --> p <m> (1 << 1 + 0 = n & (a && b || !(c)) & true)
         p <m> --> p <m> (E i (0,1) n = i & a -> b -> c)",
        expect![[r#"
            Global state Enum(["p"]): 0 bits, Data
            Global a Bool: 1 bits, Data
            Global b Bool: 1 bits, Data
            Global c Bool: 1 bits, Data
            Global n Number: 2 bits, Data
            initially skip
            procedure m
              m -> m: if (((a | ((b & c) ^ a)) -> b) = c), a := *, b := *, c := *, n.0 := *, n.1 := *
              m -> m: if (!(n.0 & n.1) & !a), a := *, b := *, c := *, n.0 := *, n.1 := *
              m -> m: if ((!n.0 & n.1) & ((a & b) | !c)), a := *, b := *, c := *, n.0 := *, n.1 := *
              m -> m: if ((((!n.0 & !n.1) | (n.0 & !n.1)) & a) -> (b -> c)), a := *, b := *, c := *, n.0 := *, n.1 := *
        "#]],
    );
}
