//! Expressions.

use crate::check_exprs;
use expect_test::expect;

#[test]
fn operators_bind_as_in_the_standard() {
    check_exprs(
        &[
            "a + b * c",
            "a - b - c",
            "a << b + c",
            "a < b == c > d",
            "a & b == c",
            "a ^ b | c & d",
            "a || b && c",
            "a, b, c",
            "a * -b",
            "a % b / c",
            "!a == ~b",
        ],
        expect![[r#"
            (+ a (* b c))
            (- (- a b) c)
            (<< a (+ b c))
            (== (< a b) (> c d))
            (& a (== b c))
            (| (^ a b) (& c d))
            (|| a (&& b c))
            (, (, a b) c)
            (* a (- b))
            (/ (% a b) c)
            (== (! a) (~ b))
        "#]],
    );
}

#[test]
fn assignments_lean_to_the_right() {
    check_exprs(
        &["a = b = c", "a += b -= c", "a *= 1, b /= 2, c %= 3", "a &= b |= c ^= d", "a <<= b >>= c", "a = b ? c : d"],
        expect![[r#"
            (= a (= b c))
            (+= a (-= b c))
            (, (, (*= a 1) (/= b 2)) (%= c 3))
            (&= a (|= b (^= c d)))
            (<<= a (>>= b c))
            (= a (? b c d))
        "#]],
    );
}

#[test]
fn conditionals_lean_to_the_right() {
    check_exprs(
        &["a ? b : c ? d : e", "a ? b ? c : d : e", "a ? b, c : d", "a ?: b", "a ?: b ?: c", "a || b ? c : d"],
        expect![[r#"
            (? a b (? c d e))
            (? a (? b c d) e)
            (? a (, b c) d)
            (?: a b)
            (?: a (?: b c))
            (? (|| a b) c d)
        "#]],
    );
}

#[test]
fn unary_operators_nest() {
    check_exprs(
        &["- - a", "-+a", "!~a", "**a", "&*a", "++--a", "a++--", "*a++", "(*a)++", "-a++", "&a[1]", "*&a->b", "++a.b"],
        expect![[r#"
            (- (- a))
            (- (+ a))
            (! (~ a))
            (* (* a))
            (& (* a))
            (++_ (--_ a))
            (_-- (_++ a))
            (* (_++ a))
            (_++ (* a))
            (- (_++ a))
            (& ([] a 1))
            (* (& (-> a b)))
            (++_ (. a b))
        "#]],
    );
}

#[test]
fn suffixes_apply_from_left_to_right() {
    check_exprs(
        &["a.b.c", "a->b.c", "a[1][2]", "f(a)(b)", "f()", "f(a, b, c)", "f((a, b))", "a[b, c]", "a.b[1]->c(d)++"],
        expect![[r#"
            (. (. a b) c)
            (. (-> a b) c)
            ([] ([] a 1) 2)
            (call (call f a) b)
            (call f)
            (call f a b c)
            (call f (, a b))
            ([] a (, b c))
            (_++ (call (-> ([] (. a b) 1) c) d))
        "#]],
    );
}

#[test]
fn a_parenthesised_type_is_a_cast() {
    check_exprs(
        &[
            "(int)a",
            "(T)a",
            "(T)-a",
            "(T)(a)",
            "(T)(a)[b]",
            "(T)a.b",
            "(T)(int)a",
            "(T *)a + b",
            "(T)&a",
            "(T)*a",
            "(unsigned)a",
            "(const T)a",
            "(struct s *)a",
            "(int (*)(void))a",
            "(T (*)[3])a",
            "(void)0",
            "(T)sizeof a",
            "(__typeof__(a))b",
            "(__attribute__((aligned(4))) int)a",
        ],
        expect![[r#"
            (cast <int> a)
            (cast <T> a)
            (cast <T> (- a))
            (cast <T> a)
            (cast <T> ([] a b))
            (cast <T> (. a b))
            (cast <T> (cast <int> a))
            (+ (cast <* T> a) b)
            (cast <T> (& a))
            (cast <T> (* a))
            (cast <unsigned int> a)
            (cast <const T> a)
            (cast <* struct s> a)
            (cast <* fn() int> a)
            (cast <* [3] T> a)
            (cast <void> 0x0)
            (cast <T> (sizeof a))
            (cast <typeof a> b)
            (cast <int @aligned(4)> a)
        "#]],
    );
}

#[test]
fn a_parenthesised_variable_is_no_cast() {
    check_exprs(
        &["(a) + b", "(a) - b", "(a) * b", "(a) & b", "(a)(b)", "(a)[b]", "(a)++"],
        expect![[r#"
            (+ a b)
            (- a b)
            (* a b)
            (& a b)
            (call a b)
            ([] a b)
            (_++ a)
        "#]],
    );
}

#[test]
fn sizeof_takes_types_and_expressions() {
    check_exprs(
        &[
            "sizeof a",
            "sizeof(a)",
            "sizeof(T)",
            "sizeof(T) + 1",
            "sizeof(a)[0]",
            "sizeof(a)->b",
            "sizeof (T){1}",
            "sizeof (T[]){1, 2}[0]",
            "sizeof(T *)",
            "sizeof(int[3])",
            "sizeof -a",
            "sizeof sizeof a",
            "sizeof(T) * a",
            "sizeof (T)",
        ],
        expect![[r#"
            (sizeof a)
            (sizeof a)
            (sizeof <T>)
            (+ (sizeof <T>) 1)
            (sizeof ([] a 0x0))
            (sizeof (-> a b))
            (sizeof (compound <T> {1}))
            (sizeof ([] (compound <[] T> {1, 2}) 0x0))
            (sizeof <* T>)
            (sizeof <[3] int>)
            (sizeof (- a))
            (sizeof (sizeof a))
            (* (sizeof <T>) a)
            (sizeof <T>)
        "#]],
    );
}

#[test]
fn alignof_is_spelled_in_three_ways() {
    check_exprs(
        &["_Alignof(T)", "__alignof__(a)", "__alignof (a.b)", "__alignof__ a", "_Alignof(struct s)"],
        expect![[r#"
            (alignof <T>)
            (alignof a)
            (alignof (. a b))
            (alignof a)
            (alignof <struct s>)
        "#]],
    );
}

#[test]
fn compound_literals_take_suffixes() {
    check_exprs(
        &[
            "(T){1}",
            "(T){}",
            "(T[]){1, 2}",
            "(struct s){.x = 1}.x",
            "&(struct s){1}",
            "(T[]){1}[0]",
            "(struct s *){0}->x",
            "-(T){1}",
            "(T){1} + 2",
        ],
        expect![[r#"
            (compound <T> {1})
            (compound <T> {})
            (compound <[] T> {1, 2})
            (. (compound <struct s> {.x = 1}) x)
            (& (compound <struct s> {1}))
            ([] (compound <[] T> {1}) 0x0)
            (-> (compound <* struct s> {0x0}) x)
            (- (compound <T> {1}))
            (+ (compound <T> {1}) 2)
        "#]],
    );
}

#[test]
fn statements_can_be_values() {
    check_exprs(
        &[
            "({ a; })",
            "({ int x = 1; x; }) + 1",
            "({ })",
            "f(({ a; b; }), c)",
            "__extension__ ({ T x; x; })",
            "({ ({ a; }); })",
            "({ if (a) b; else c; d; })",
            "({ a; }).x",
        ],
        expect![[r#"
            (stmt {a})
            (+ (stmt {(x: int = 1) x}) 1)
            (stmt {})
            (call f (stmt {a b}) c)
            (stmt {(x: T) x})
            (stmt {(stmt {a})})
            (stmt {(if a b c) d})
            (. (stmt {a}) x)
        "#]],
    );
}

#[test]
fn labels_have_addresses() {
    check_exprs(
        &["&&done", "a = &&done", "a && &&done", "(T)&&done"],
        expect![[r#"
            (&& done)
            (= a (&& done))
            (&& a (&& done))
            (cast <T> (&& done))
        "#]],
    );
}

#[test]
fn generic_selections() {
    check_exprs(
        &[
            "_Generic(a, int: 1, default: 2)",
            "_Generic((a), T: f, const char *: g, default: h)(a)",
            "_Generic(a, struct s: 1)",
            "_Generic(1 ? a : b, int (*)(void): c)",
        ],
        expect![[r#"
            (generic a <int>: 1 default: 2)
            (call (generic a <T>: f <* const char>: g default: h) a)
            (generic a <struct s>: 1)
            (generic (? 1 a b) <* fn() int>: c)
        "#]],
    );
}

#[test]
fn builtins_take_types() {
    check_exprs(
        &[
            "__builtin_va_arg(a, int)",
            "__builtin_va_arg(*a, T *)",
            "__builtin_offsetof(struct s, x)",
            "__builtin_offsetof(T, x.y[3].z)",
            "__builtin_offsetof(T, x[a + 1][2])",
            "__builtin_types_compatible_p(int, T)",
            "__builtin_types_compatible_p(__typeof__(a), char [])",
            "__builtin_choose_expr(1, a, b)",
            "__builtin_convertvector(a, T)",
            "__builtin_choose_expr(1, a, b).x",
        ],
        expect![[r#"
            (va_arg a <int>)
            (va_arg (* a) <* T>)
            (offsetof <struct s> .x)
            (offsetof <T> .x.y[3].z)
            (offsetof <T> .x[(+ a 1)][2])
            (compatible <int> <T>)
            (compatible <typeof a> <[] char>)
            (choose 1 a b)
            (convertvector a <T>)
            (. (choose 1 a b) x)
        "#]],
    );
}

#[test]
fn extension_and_complex_parts_are_unary() {
    check_exprs(
        &[
            "__extension__ a",
            "__extension__ a + b",
            "__real__ a + b",
            "__imag a",
            "__real__ __imag__ a",
            "__extension__ (T)a",
            "-__extension__ a",
        ],
        expect![[r#"
            a
            (+ a b)
            (+ (real a) b)
            (imag a)
            (real (imag a))
            (cast <T> a)
            (- a)
        "#]],
    );
}

#[test]
fn ordinary_builtins_are_names() {
    check_exprs(
        &[
            "__builtin_expect(!!(a), 0)",
            "__func__",
            "__FUNCTION__",
            "__PRETTY_FUNCTION__",
            "__builtin_tgmath(f, g, a)",
            "nullptr",
            "bool",
            "static_assert(a)",
        ],
        expect![[r#"
            (call __builtin_expect (! (! a)) 0x0)
            __func__
            __FUNCTION__
            __PRETTY_FUNCTION__
            (call __builtin_tgmath f g a)
            nullptr
            bool
            (call static_assert a)
        "#]],
    );
}

#[test]
fn some_tokens_have_two_spellings() {
    check_exprs(
        &[
            "a<:1:>",
            "({ <% a; %> })",
            "a+++b",
            "a---b",
            "a- - -b",
            "a&&b",
            "a& &b",
            "a<<=b",
            "a->b",
            "a-->b",
            "a?.5:1",
            "a?b:.5",
        ],
        expect![[r#"
            ([] a 1)
            (stmt {{a}})
            (+ (_++ a) b)
            (- (_-- a) b)
            (- a (- (- b)))
            (&& a b)
            (& a (& b))
            (<<= a b)
            (-> a b)
            (> (_-- a) b)
            (? a (float .5 Double) 1)
            (? a b (float .5 Double))
        "#]],
    );
}
