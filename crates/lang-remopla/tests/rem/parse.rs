//! How texts are read.

use super::shape;
use expect_test::{Expect, expect};
use hardbop_lang_remopla::rem::parse;

#[track_caller]
fn check(source: &str, expect: Expect) {
    let (ast, findings) = parse(source, 0);
    assert_eq!(findings, []);
    expect.assert_eq(&shape::of(&ast));
}

/// The same for an expression.
#[track_caller]
fn check_expr(source: &str, expect: Expect) {
    let (ast, findings) = parse(&format!("define x {source}"), 0);
    assert_eq!(findings, []);
    expect.assert_eq(shape::of(&ast).trim_end().trim_start_matches("define x "));
}

#[test]
fn declarations_have_dimensions_and_widths() {
    check(
        "define N 5\ndefine DEFAULT_INT_BITS N + 1;\n\
         shared int a[4](3), b, c[2][1,N](2); unsigned int u; unsigned v; bool p, q[2];",
        expect![[r#"
            define N 5
            define DEFAULT_INT_BITS (+ N 1)
            globals [(int[4](3) a) (int b) (int[2][1..N](2) c) (int u) (int v) (bool p) (bool[2] q)]
        "#]],
    );
}

#[test]
fn types_are_declared_alone_or_with_what_has_them() {
    check(
        "enum color { red, green, }; enum { on, off } switch; enum color c[2];\n\
         struct pair { int u(2), v(2); bool w; }; struct pair p, q[3]; struct { bool b; } s;",
        expect![[r#"
            enum color [red green]
            enum _ [on off]
            struct pair [(int(2) u) (int(2) v) (bool w)]
            struct _ [(bool b)]
            globals [(enum1 switch) (enum color[2] c) (struct pair p) (struct pair[3] q) (struct1 s)]
        "#]],
    );
}

#[test]
fn modules_are_declared_ahead_and_defined() {
    check(
        "module int[2](3) f(int x(3), bool y[2], enum color c, struct pair p);\ninit main other;\n\
         module void main() { int l(2); bool k; } module enum color g() { return red; } module unsigned int h() { }",
        expect![[r#"
            forward (int[2](3) f [(int(3) x) (bool[2] y) (enum color c) (struct pair p)])
            init main
            init other
            module (void main []) [(int(2) l) (bool k)] []
            module (enum color g []) [] [(return red)]
            module (int h []) [] []
        "#]],
    );
}

#[test]
fn statements_end_with_semicolons_and_blocks_need_none() {
    check(
        "module void main() {\n if :: a -> if :: b -> skip; fi :: else -> do :: true -> break; od fi\n\
         x = 1; if :: c -> skip fi; pchoice :: 0.5 -> x = 1; :: 1 -> choicep\n L: end: goto end; M: }",
        expect![[r#"
            module (void main []) [] [(if (a [(if (b [(skip)]))]) (else [(do (true [(break)]))])) ([(= x 1)]) (if (c [(skip)])) (pchoice (? [([(= x 1)])]) (? [])) (L: end: goto end []) (M: skip)]
        "#]],
    );
}

#[test]
fn assignments_are_parallel() {
    check(
        "module void main() { a[i] = b, s.x = undef, A i (0,N-1) A j (1,2) m[i][j] = i + j, x != y; p[1].u = 3; }",
        expect![[r#"
            module (void main []) [] [([(= (at a i) b) (= (of s x) undef) (A i 0 (- N 1) A j 1 2 = (at (at m i) j) (+ i j)) (!= x y)]) ([(= (of (at p 1) u) 3)])]
        "#]],
    );
}

#[test]
fn calls_have_targets_arguments_and_further_assignments() {
    check(
        "module void main() { f(); f(1, undef, a); x = f(a == b), y = x; a[i].u = f(), A i (0,1) b[i] = 0; fork g(1); }",
        expect![[r#"
            module (void main []) [] [(call f [] []) (call f [1 undef a] []) (x = call f [(== a b)] [(= y x)]) ((of (at a i) u) = call f [] [(A i 0 1 = (at b i) 0)]) (fork g [1])]
        "#]],
    );
}

#[test]
fn jumps_can_assign() {
    check(
        "module void main() { goto L, x = 1, y = undef; return; L: return undef; return x + 1; }",
        expect![[r#"
        module (void main []) [] [(goto L [(= x 1) (= y undef)]) (return) (L: return undef) (return (+ x 1))]
    "#]],
    );
}

#[test]
fn statements_can_stand_outside_of_modules() {
    check(
        "init a; a: x = 1; module void f() { skip (x == 1); } goto a;",
        expect![[r#"
        init a
        module (void f []) [] [(skip (== x 1))]
        outside [(a: [(= x 1)]) (goto a [])]
    "#]],
    );
}

#[test]
fn rules_have_conditions_with_primes() {
    check(
        "init a; q<a> --> q<b> \"text\" (x' = x + 1 && y'' == y && a'[i] = a[i]' && s'.x == s.x')\n\
         q<b> --> q<f c> q<c>-->q<>;",
        expect![[r#"
            init a
            outside [(rule q a q [b] (&& (&& (&& (== x' (+ x 1)) (== y'' y)) (== (at a' i) (at a' i))) (== (of s' x) (of s' x)))) (rule q b q [f c] ) (rule q c q [] )]
        "#]],
    );
}

#[test]
fn operators_bind_as_in_c() {
    check_expr(
        "a || b ^^ c && d | e ^ f & g == h < i << j + k * l",
        expect!["(|| a (^^ b (&& c (| d (^ e (& f (== g (< h (<< i (+ j (* k l)))))))))))"],
    );
    check_expr(
        "a - b - c * d / e >> 1 <= 2 != false <=> p",
        expect!["(<=> (!= (<= (>> (- (- a b) (/ (* c d) e)) 1) 2) false) p)"],
    );
    check_expr("!a == b && !(c || !d)", expect!["(&& (== (! a) b) (! (|| c (! d))))"]);
}

#[test]
fn quantifiers_bind_a_comparison() {
    check_expr(
        "A i (0,N-1) a[i] <= a[i+1] && E j (0,1) !b[j] || c",
        expect!["(|| (&& (A i 0 (- N 1) (<= (at a i) (at a (+ i 1)))) (E j 0 1 (! (at b j)))) c)"],
    );
    check_expr(
        "!E i (0,1) A j (0,1) m[i][j] == i + j",
        expect!["(! (E i 0 1 (A j 0 1 (== (at (at m i) j) (+ i j)))))"],
    );
}

#[test]
fn the_names_of_quantifiers_are_names_elsewhere() {
    check(
        "int A(1), E(2), signed(3); module void main() { A = E, E = A + 1; signed = A; A(E); shared: skip; }",
        expect![[r#"
        globals [(int(1) A) (int(2) E) (int(3) signed)]
        module (void main []) [] [([(= A E) (= E (+ A 1))]) ([(= signed A)]) (call A [E] []) (shared: skip)]
    "#]],
    );
}

#[test]
fn comments_begin_in_three_ways() {
    check(
        "# one\nint x(1); % two\nbool y; // three\n/* four\n*/ bool z;",
        expect![[r#"
        globals [(int(1) x) (bool y) (bool z)]
    "#]],
    );
}

#[test]
fn numbers_can_be_hexadecimal() {
    check_expr("0x1F + 0Xff - 007", expect!["(- (+ 31 255) 7)"]);
}
