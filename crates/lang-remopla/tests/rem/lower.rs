//! What each statement becomes.

use super::pretty;
use expect_test::{Expect, expect};
use hardbop_base::SourceMap;
use hardbop_icfg::{Program, Relation};
use hardbop_lang_remopla::rem::{lower, parse};

#[track_caller]
fn program(source: &str, entry: Option<&str>) -> (Program<Relation>, SourceMap) {
    let mut sources = SourceMap::default();
    sources.add("test.rem", source.into()).expect("a test is small");
    let (ast, findings) = parse(source, 0);
    assert_eq!(findings, []);
    let lowered = lower(&ast, entry).expect("the program is correct");
    (lowered.program, sources)
}

/// The program of `source`, as text.
#[track_caller]
fn check(source: &str, expect: Expect) {
    let (program, sources) = program(source, None);
    expect.assert_eq(&pretty::pretty(&program, &sources));
}

/// The same for the body of `main`, with booleans `a`, `b`, `c`, in the dialect with `init`.
#[track_caller]
fn check_body(body: &str, expect: Expect) {
    check(&format!("bool a, b, c; init main; module void main() {{ {body} }}"), expect);
}

#[track_caller]
fn check_data(source: &str, expect: Expect) {
    let (program, _) = program(source, None);
    expect.assert_eq(&pretty::data(&program));
}

#[test]
fn a_guard_is_an_edge_to_the_first_statement_of_its_branch() {
    check_body(
        "if :: a -> b = c; :: b && c -> skip; skip; :: else -> fi; skip;",
        expect![[r#"
        main() start at n0
          n0 if
            -> n1 if a
            -> n2 if (b & c)
            -> n4 if !(a | (b & c))
          n1 b = c
            -> n4 [b := c]
          n2 skip
            -> n3
          n3 skip
            -> n4
          n4 skip
            -> n5
          n5 }
    "#]],
    );
}

#[test]
fn an_if_without_else_can_block() {
    check_body(
        "if :: a -> skip; fi",
        expect![[r#"
        main() start at n0
          n0 if
            -> n1 if a
          n1 skip
            -> n2
          n2 }
    "#]],
    );
}

#[test]
fn a_do_is_repeated_until_a_break() {
    check_body(
        "do :: a -> b = c; :: else -> if :: b -> break; :: !b -> skip; fi od c = a;",
        expect![[r#"
        main() start at n0
          n0 do
            -> n1 if a
            -> n2 if !a
          n1 b = c
            -> n0 [b := c]
          n2 if
            -> n3 if b
            -> n4 if !b
          n3 break
            -> n5
          n4 skip
            -> n0
          n5 c = a
            -> n6 [c := a]
          n6 }
    "#]],
    );
}

#[test]
fn with_init_a_do_with_one_guard_can_block() {
    check_body(
        "do :: a -> a = b; od skip;",
        expect![[r#"
        main() start at n0
          n0 do
            -> n1 if a
          n1 a = b
            -> n0 [a := b]
          n2 skip
            -> n3
          n3 }
    "#]],
    );
}

#[test]
fn without_init_a_do_with_one_guard_ends_where_the_guard_is_false() {
    check(
        "bool a, b; module void main() { do :: a -> a = b; od do :: a -> skip; :: b -> skip; od }",
        expect![[r#"
        main() start at n0
          n0 do
            -> n1 if a
            -> n2 if !a
          n1 a = b
            -> n0 [a := b]
          n2 do
            -> n3 if a
            -> n4 if b
          n3 skip
            -> n2
          n4 skip
            -> n2
          n5 }
    "#]],
    );
}

#[test]
fn a_label_can_jump_to_itself() {
    check_body(
        "end: goto end; L: goto L, a = b, b = a; goto main;",
        expect![[r#"
        main() start at n0
          n0 end: goto end
            -> n0
          n1 L: goto L, a = b, b = a
            -> n1 [a := b] [b := a]
          n2 goto main
            -> n0
          n3 }
    "#]],
    );
}

#[test]
fn every_branch_of_a_pchoice_can_be_taken() {
    check_body(
        "pchoice :: 0.5 -> a = b; :: 0.5 -> choicep; skip (a || b);",
        expect![[r#"
        main() start at n0
          n0 pchoice
            -> n1
            -> n2
          n1 a = b
            -> n2 [a := b]
          n2 skip (a || b)
            -> n3 if (a | b)
          n3 }
    "#]],
    );
}

#[test]
fn parallel_assignments_read_old_values() {
    check_body(
        "a = b, b = a, c = undef;",
        expect![[r#"
        main() start at n0
          n0 a = b, b = a, c = undef
            -> n1 [a := b] [b := a] [c := *]
          n1 }
    "#]],
    );
}

#[test]
fn what_is_assigned_twice_gets_either_value() {
    check_body(
        "a = b, a = c; a = true, a = true; a != b;",
        expect![[r#"
        main() start at n0
          n0 a = b, a = c
            -> n1 [a := *] so that ((a' = b) | (a' = c))
          n1 a = true, a = true
            -> n2 [a := T]
          n2 a != b
            -> n3 [a := *] so that (a' ^ b)
          n3 }
    "#]],
    );
}

#[test]
fn a_swap_is_no_conflict() {
    check(
        "bool s[2], i, j; int x(1), y(1); init main; module void main() { s[x] = s[y], s[y] = s[x]; }",
        expect![[r#"
        main() start at n0
          n0 s[x] = s[y], s[y] = s[x]
            -> n1 [s[0] := (y.0 ? (x.0 ? s[0] : (y.0 ? s[1] : s[0])) : (x.0 ? s[1] : s[0]))] [s[1] := (y.0 ? (x.0 ? s[1] : s[0]) : (x.0 ? (y.0 ? s[1] : s[0]) : s[1]))]
          n1 }
    "#]],
    );
}

#[test]
fn an_open_index_may_hit_what_is_written_as_well() {
    check(
        "bool s[2]; int x(1); init main; module void main() { s[x] = true, s[0] = false; s[x] = undef; }",
        expect![[r#"
        main() start at n0
          n0 s[x] = true, s[0] = false
            -> n1 [s[0] := *] [s[1] := (x.0 | s[1])] so that ((!x.0 & s[0]') | !s[0]')
          n1 s[x] = undef
            -> n2 [s[0] := *] [s[1] := *] so that (((x.0 & (s[0]' = s[0])) | !x.0) & ((!x.0 & (s[1]' = s[1])) | x.0))
          n2 }
    "#]],
    );
}

#[test]
fn what_does_not_fit_or_is_below_zero_blocks() {
    check(
        "int x(1), y(2); init main; module void main() { x = y; x = x + y; y = y - x; x = y / x; }",
        expect![[r#"
            main() start at n0
              n0 x = y
                -> n1 if !y.1 [x.0 := y.0]
              n1 x = x + y
                -> n2 if !((y.1 ^ ((x.0 = y.0) & x.0)) | (y.1 & ((x.0 = y.0) & x.0))) [x.0 := (x.0 ^ y.0)]
              n2 y = y - x
                -> n3 if !(!y.1 & ((x.0 ^ y.0) & x.0)) [y.0 := (x.0 ^ y.0)] [y.1 := (y.1 ^ ((x.0 ^ y.0) & x.0))]
              n3 x = y / x
                -> n4 if (x.0 & ((y.1 ^ x.0) & x.0)) [x.0 := !(!(((y.1 ^ x.0) & x.0) ? y.1 : (y.1 ^ x.0)) & ((x.0 ^ y.0) & x.0))]
              n4 }
        "#]],
    );
}

#[test]
fn an_index_out_of_range_blocks() {
    check(
        "bool s[1,3], b; int x(2); init main; module void main() { b = s[x]; if :: s[x] -> skip; :: else -> fi }",
        expect![[r#"
        main() start at n0
          n0 b = s[x]
            -> n1 if (!(!x.1 & !x.0) & ((x.1 ^ x.0) | x.0)) [b := ((x.1 = x.0) ? s[3] : (x.0 ? s[1] : s[2]))]
          n1 if
            -> n2 if ((!(!x.1 & !x.0) & ((x.1 ^ x.0) | x.0)) & ((x.1 = x.0) ? s[3] : (x.0 ? s[1] : s[2])))
            -> n3 if !((!(!x.1 & !x.0) & ((x.1 ^ x.0) | x.0)) & ((x.1 = x.0) ? s[3] : (x.0 ? s[1] : s[2])))
          n2 skip
            -> n3
          n3 }
    "#]],
    );
}

#[test]
fn the_right_of_a_conjunction_is_needed_where_the_left_is_true() {
    check(
        "bool s[3], b; int x(2); init main; module void main() { b = x < 3 && s[x]; b = x == 3 || s[x]; }",
        expect![[r#"
            main() start at n0
              n0 b = x < 3 && s[x]
                -> n1 [b := ((x.1 => !x.0) & (x.1 ? s[2] : (x.0 ? s[1] : s[0])))]
              n1 b = x == 3 || s[x]
                -> n2 if ((x.0 & x.1) | (x.1 => !x.0)) [b := ((x.0 & x.1) | (x.1 ? s[2] : (x.0 ? s[1] : s[0])))]
              n2 }
        "#]],
    );
}

#[test]
fn quantifiers_are_expanded() {
    check(
        "bool s[3], b; init main; module void main() { A i (0,2) s[i] = i == 1; b = E i (0,1) (s[i] && s[i+1]); \
         b = A i (0,2) A j (i,2) s[i] == s[j]; }",
        expect![[r#"
            main() start at n0
              n0 A i (0,2) s[i] = i == 1
                -> n1 [s[0] := F] [s[1] := T] [s[2] := F]
              n1 b = E i (0,1) (s[i] && s[i+1])
                -> n2 [b := ((s[0] & s[1]) | (s[1] & s[2]))]
              n2 b = A i (0,2) A j (i,2) s[i] == s[j]
                -> n3 [b := (((s[0] = s[1]) & (s[0] = s[2])) & (s[1] = s[2]))]
              n3 }
        "#]],
    );
}

#[test]
fn a_call_passes_arguments_and_takes_a_result() {
    check(
        "bool a; int x(2); init main; module int(1) f(bool p, int n(2)) { bool l; return n - 1; }\n\
         module void main() { f(a, 2); x = f(!a, x + 1); x = f(undef, 1); }",
        expect![[r#"
            f(result.0, p, n.0, n.1, l) from n0
              n0 return n - 1
                -> n1 if (!(!n.1 & !n.0) & (n.1 ^ n.0)) [result.0 := !n.0]
              n1 }
            main() start at n2
              n2 f(a, 2)
                enter f [p := a] [n.0 := F] [n.1 := T]
                -> n3
              n3 x = f(!a, x + 1)
                enter f if !(x.1 & x.0) [p := !a] [n.0 := !x.0] [n.1 := (x.1 ^ x.0)]
                -> n4 [x.0 := result.0] [x.1 := F]
              n4 x = f(undef, 1)
                enter f [n.0 := T] [n.1 := F]
                -> n5 [x.0 := result.0] [x.1 := F]
              n5 }
        "#]],
    );
}

#[test]
fn what_is_assigned_at_a_call_is_a_step_before_it() {
    check(
        "bool a, b; module bool f(bool p) { return p; } module void main() { a = f(b), b = a; f(a), b = true; }",
        expect![[r#"
            f(result, p) from n0
              n0 return p
                -> n1 [result := p]
              n1 }
            main(f:p) start at n2
              n2 a = f(b), b = a
                -> n5 [b := a] [f:p := b]
              n3 f(a), b = true
                -> n6 [b := T] [f:p := a]
              n4 }
              n5 (silent) a = f(b), b = a
                enter f [p := f:p]
                -> n3 [a := result]
              n6 (silent) f(a), b = true
                enter f [p := f:p]
                -> n4
        "#]],
    );
}

#[test]
fn a_result_for_an_open_element_is_a_step_behind_the_call() {
    check(
        "bool s[2]; int x(1); module bool f() { } module void main() { s[x] = f(); s[1] = f(); }",
        expect![[r#"
        f(result) from n0
          n0 }
        main(f:result) start at n1
          n1 s[x] = f()
            enter f
            -> n4 [f:result := result]
          n2 s[1] = f()
            enter f
            -> n3 [s[1] := result]
          n3 }
          n4 (silent) s[x] = f()
            -> n2 [s[0] := (x.0 ? s[0] : f:result)] [s[1] := (x.0 ? f:result : s[1])]
    "#]],
    );
}

#[test]
fn structures_and_arrays_are_copied_whole() {
    check(
        "struct t { bool u, v[2]; }; struct t s, r[2]; int x(1); init main;\n\
         module struct t f(struct t z) { return r[0]; } module void main() { s = r[x]; r[1] = f(s); s.v = r[0].v; s = undef; }",
        expect![[r#"
            f(result.u, result.v[0], result.v[1], z.u, z.v[0], z.v[1]) from n0
              n0 return r[0]
                -> n1 [result.u := r[0].u] [result.v[0] := r[0].v[0]] [result.v[1] := r[0].v[1]]
              n1 }
            main() start at n2
              n2 s = r[x]
                -> n3 [s.u := (x.0 ? r[1].u : r[0].u)] [s.v[0] := (x.0 ? r[1].v[0] : r[0].v[0])] [s.v[1] := (x.0 ? r[1].v[1] : r[0].v[1])]
              n3 r[1] = f(s)
                enter f [z.u := s.u] [z.v[0] := s.v[0]] [z.v[1] := s.v[1]]
                -> n4 [r[1].u := result.u] [r[1].v[0] := result.v[0]] [r[1].v[1] := result.v[1]]
              n4 s.v = r[0].v
                -> n5 [s.v[0] := r[0].v[0]] [s.v[1] := r[0].v[1]]
              n5 s = undef
                -> n6 [s.u := *] [s.v[0] := *] [s.v[1] := *]
              n6 }
        "#]],
    );
}

#[test]
fn an_enumeration_has_only_its_members() {
    check(
        "enum color { red, green, blue }; enum color c; int x(2); init main;\n\
         module void main() { enum color l; f(blue); c = undef; c = l; c = x; }\n\
         module void f(enum color p) { enum color l; skip (p == red); }",
        expect![[r#"
            initially so that ((c.1' => !c.0') & (l.1' => !l.0'))
            main(l.0, l.1) start at n0
              n0 f(blue)
                enter f [p.0 := F] [p.1 := T] so that ((p.1' => !p.0') & (l.1' => !l.0'))
                -> n1
              n1 c = undef
                -> n2 [c.0 := *] [c.1 := *] so that (c.1' => !c.0')
              n2 c = l
                -> n3 if (l.1 => !l.0) [c.0 := l.0] [c.1 := l.1]
              n3 c = x
                -> n4 if (x.1 => !x.0) [c.0 := x.0] [c.1 := x.1]
              n4 }
            f(p.0, p.1, l.0, l.1) from n5
              n5 skip (p == red)
                -> n6 if (!p.0 & !p.1)
              n6 }
        "#]],
    );
}

#[test]
fn a_fork_is_not_modelled() {
    check_body(
        "fork main(); skip;",
        expect![[r#"
        main() start at n0
          n0 fork main()
            not modelled: `fork`
          n1 skip
            -> n2
          n2 }
    "#]],
    );
}

#[test]
fn a_run_can_start_at_a_label_outside_of_modules() {
    check(
        "bool a; init L; a = true; L: f(); goto L; module void f() { }",
        expect![[r#"
        f() from n0
          n0 }
        init() start at n2
          n1 a = true
            -> n2 [a := T]
          n2 L: f()
            enter f
            -> n3
          n3 goto L
            -> n2
          n4 
    "#]],
    );
}

#[test]
fn a_run_can_start_at_a_label_in_a_module_that_is_not_called() {
    check(
        "bool a; init L; module void f() { a = true; L: skip; }",
        expect![[r#"
        f() start at n1
          n0 a = true
            -> n1 [a := T]
          n1 L: skip
            -> n2
          n2 }
    "#]],
    );
}

#[test]
fn several_inits_are_a_choice() {
    check(
        "bool a; init L f g; L: a = true; module void f() { } module void g() { f(); }",
        expect![[r#"
        f() from n0
          n0 }
        g() from n1
          n1 f()
            enter f
            -> n2
          n2 }
        init() start at n5
          n3 L: a = true
            -> n4 [a := T]
          n4 
          n5 (silent) L
            -> n3
            enter f
            -> n4
            enter g
            -> n4
    "#]],
    );
}

#[test]
fn an_entry_can_be_named() {
    let (program, _) = program("init main; module void main() { } module void f() { }", Some("f"));
    assert_eq!(program.icfg.procs[program.entry].name, "f");
}

#[test]
fn a_rule_says_everything() {
    check(
        "bool a, b; init p; q<p> --> q<r> (a' == b && b' == b && a)\n\
         q<p> --> q<s> \"open\" (a' ^^ b')\n q<r> --> q<f s> (n' == a && a' == a && b' == b)\n q<s> --> q<> (b' = a)\n\
         module void f(bool n) { bool l; q<f> --> q<f1> (n' == n && a' = a && b' = b) f1: skip; q<e> --> q<f f1> (a'=a && b'=b && l''=l) }",
        expect![[r#"
            f(n, l) from n1
              n0 f1: skip
                -> n2
              n1 f: q<f> --> q<f1> (n' == n && a' = a && b' = b)
                -> n0 [l := *]
              n2 e: q<e> --> q<f f1> (a'=a && b'=b && l''=l)
                enter f
                -> n0 [n := *]
              n3 }
            init() start at n4
              n4 p: q<p> --> q<r> (a' == b && b' == b && a)
                -> n5 if a [a := b]
                -> n6 [a := *] [b := *] so that (a' ^ b')
              n5 r: q<r> --> q<f s> (n' == a && a' == a && b' == b)
                enter f [n := a]
                -> n6
              n6 s: q<s> --> q<> (b' = a)
                -> n7 [a := *] [b := a]
              n7 
        "#]],
    );
}

#[test]
fn everything_that_is_declared_is_a_datum() {
    check_data(
        "define DEFAULT_INT_BITS 2\nenum color { red, green, blue }; struct t { int u; bool v; };\n\
         int x, a[1,2](1), m[2][2](1); bool p, q[2]; enum color c; struct t s, r[2];\n\
         module int(3) f(int n) { bool l; } module void main() { a[x] = f(x), x = 1; }",
        expect![[r#"
            x: Number Counter Global [x.0 x.1]
            a[1]: Number Data Global [a[1].0]
            a[2]: Number Data Global [a[2].0]
            m[0][0]: Number Data Global [m[0][0].0]
            m[0][1]: Number Data Global [m[0][1].0]
            m[1][0]: Number Data Global [m[1][0].0]
            m[1][1]: Number Data Global [m[1][1].0]
            p: Bool Data Global [p]
            q[0]: Bool Data Global [q[0]]
            q[1]: Bool Data Global [q[1]]
            c: Enum(["red", "green", "blue"]) Data Global [c.0 c.1]
            s.u: Number Data Global [s.u.0 s.u.1]
            s.v: Bool Data Global [s.v]
            r[0].u: Number Data Global [r[0].u.0 r[0].u.1]
            r[0].v: Bool Data Global [r[0].v]
            r[1].u: Number Data Global [r[1].u.0 r[1].u.1]
            r[1].v: Bool Data Global [r[1].v]
            result: Number Data Result(p0) [result.0 result.1 result.2]
            n: Number Counter Parameter(p0) [n.0 n.1]
            l: Bool Data Local(p0) [l]
            f:result: Number Data Local(p1) [f:result.0 f:result.1 f:result.2]
            f:n: Number Counter Local(p1) [f:n.0 f:n.1]
        "#]],
    );
}

#[test]
fn what_is_calculated_with_is_a_counter_and_so_are_its_kin() {
    check_data(
        "int index(1), array[2](1), data(1), kin(1), sum(1), compared(1), copied(1), masked(1); init main;\n\
         module void main() { data = array[index]; kin = index; sum = sum + 1; skip (compared < sum - 1); \
         f(data, kin); masked = data & copied; copied = 1; }\n\
         module void f(int passed(1), int counter(1)) { passed = 0; }",
        expect![[r#"
            index: Number Counter Global [index.0]
            array[0]: Number Data Global [array[0].0]
            array[1]: Number Data Global [array[1].0]
            data: Number Data Global [data.0]
            kin: Number Counter Global [kin.0]
            sum: Number Counter Global [sum.0]
            compared: Number Counter Global [compared.0]
            copied: Number Data Global [copied.0]
            masked: Number Data Global [masked.0]
            passed: Number Data Parameter(p1) [passed.0]
            counter: Number Counter Parameter(p1) [counter.0]
        "#]],
    );
}
