//! Which names are types, and where.

use crate::check;
use expect_test::expect;

#[test]
fn a_variable_hides_a_type() {
    check(
        &[
            "typedef int T; void f(void) { T T; T = 1; T * T; }",
            "typedef int T; void f(void) { int T; (T) + 1; (T)(1); T(1); sizeof(T); }",
            "typedef int T; void f(void) { { int T; T * x; } T * x; }",
            "typedef int T; void f(void) { T T = sizeof(T), x = T; }",
            "typedef int T; void f(void) { T a, T; T * a; }",
            "typedef int T; int T1; void f(void) { unsigned T; T * T1; }",
            "typedef int T; void f(void) { T *T, x = *T; }",
            "typedef char T; struct T { T T; T *next; } x; T y;",
        ],
        expect![[r#"
            (T: typedef int)
            (fn f: fn() void {(T: T) (= T 1) (* T T)})
            (T: typedef int)
            (fn f: fn() void {(T: int) (+ T 1) (call T 1) (call T 1) (sizeof T)})
            (T: typedef int)
            (fn f: fn() void {{(T: int) (* T x)} (x: * T)})
            (T: typedef int)
            (fn f: fn() void {(T: T = (sizeof T), x: T = T)})
            (T: typedef int)
            (fn f: fn() void {(a: T, T: T) (* T a)})
            (T: typedef int)
            (T1: int)
            (fn f: fn() void {(T: unsigned int) (* T T1)})
            (T: typedef int)
            (fn f: fn() void {(T: * T, x: T = (* T))})
            (T: typedef char)
            (x: struct T {T: T; next: * T})
            (y: T)
        "#]],
    );
}

#[test]
fn a_parameter_hides_a_type() {
    check(
        &[
            "typedef int T; void f(int T) { T * T; } T x;",
            "typedef int T; void f(T T) { T = (T) + 1; } T x;",
            "typedef int T; void f(int T, int a[sizeof(T)], int b[(T) + 1]); T x;",
            "typedef int T; void f(int T), g(T);",
            "typedef int T; int (*f(int T))(T) { T * T; } T x;",
            "typedef int T; void f(void (*g)(int T), T x) { T * y; }",
            "typedef int T; f(a) T a; { T * b; }",
            "typedef int T; f(a, b) int a, b; { T c; } T d;",
            "typedef int T; f(x, T1) T x; { (x)(T1); }",
            "typedef int T; void f(T, int);",
        ],
        expect![[r#"
            (T: typedef int)
            (fn f: fn(T: int) void {(* T T)})
            (x: T)
            (T: typedef int)
            (fn f: fn(T: T) void {(= T (+ T 1))})
            (x: T)
            (T: typedef int)
            (f: fn(T: int, a: [(sizeof T)] int, b: [(+ T 1)] int) void)
            (x: T)
            (T: typedef int)
            (f: fn(T: int) void, g: fn(_: T) void)
            (T: typedef int)
            (fn f: fn(T: int) * fn(_: T) int {(* T T)})
            (x: T)
            (T: typedef int)
            (fn f: fn(g: * fn(T: int) void, x: T) void {(y: * T)})
            (T: typedef int)
            (fn f: old(a) implicit (a: T) {(b: * T)})
            (T: typedef int)
            (fn f: old(a b) implicit (a: int, b: int) {(c: T)})
            (d: T)
            (T: typedef int)
            (fn f: old(x T1) implicit (x: T) {(call x T1)})
            (T: typedef int)
            (f: fn(_: T, _: int) void)
        "#]],
    );
}

#[test]
fn constants_and_functions_hide_types() {
    check(
        &[
            "typedef int T; void f(void) { enum { T = sizeof(T) }; T * 2; }",
            "typedef int T; void f(void) { int T(void); T(); (T)(1); }",
            "typedef int T; void f(void) { enum { A, T } x; (T) - 1; } T y;",
            "typedef int T; void f(void) { typedef char T; T * x; }",
            "void f(void) { typedef int T; T x; } int T; void g(void) { T * 2; }",
            "int T; void f(void) { typedef int T; T * x; { int T; T * x; } T * y; } int g(void) { return T * 2; }",
        ],
        expect![[r#"
            (T: typedef int)
            (fn f: fn() void {(enum {T = (sizeof <T>)}) (* T 2)})
            (T: typedef int)
            (fn f: fn() void {(T: fn() int) (call T) (call T 1)})
            (T: typedef int)
            (fn f: fn() void {(x: enum {A, T}) (- T 1)})
            (y: T)
            (T: typedef int)
            (fn f: fn() void {(T: typedef char) (x: * T)})
            (fn f: fn() void {(T: typedef int) (x: T)})
            (T: int)
            (fn g: fn() void {(* T 2)})
            (T: int)
            (fn f: fn() void {(T: typedef int) (x: * T) {(T: int) (* T x)} (y: * T)})
            (fn g: fn() int {(return (* T 2))})
        "#]],
    );
}

#[test]
fn members_labels_and_tags_hide_nothing() {
    check(
        &[
            "typedef int T; struct s { int T; T x; }; T y;",
            "typedef int T; void f(void) { T: ; T * x; goto T; }",
            "typedef int T; struct T { int x; }; T y; struct T z;",
            "typedef int T; void f(struct s *p) { p->T = 1; p->T * 2; T x; }",
            "typedef int T; struct s x = { .T = 1 }, y = { T: 2 }; T z;",
            "typedef int T; enum T { A }; T x; enum T y;",
            "typedef int T; int x = __builtin_offsetof(struct s, T);",
        ],
        expect![[r#"
            (T: typedef int)
            (struct s {T: int; x: T})
            (y: T)
            (T: typedef int)
            (fn f: fn() void {(T: ;) (x: * T) (goto T)})
            (T: typedef int)
            (struct T {x: int})
            (y: T)
            (z: struct T)
            (T: typedef int)
            (fn f: fn(p: * struct s) void {(= (-> p T) 1) (* (-> p T) 2) (x: T)})
            (T: typedef int)
            (x: struct s = {.T = 1}, y: struct s = {.T = 2})
            (z: T)
            (T: typedef int)
            (enum T {A})
            (x: T)
            (y: enum T)
            (T: typedef int)
            (x: int = (offsetof <struct s> .T))
        "#]],
    );
}

#[test]
fn a_loop_is_a_scope() {
    check(
        &[
            "typedef int T; void f(void) { for (int T = 0; T < 3; T++) { T * 2; } T * x; }",
            "typedef int T; void f(void) { for (T T = 0; ; ) T * 2; T x; }",
            "typedef int T; void f(void) { if (1) { int T; } T x; }",
            "typedef int T; int f(void) { return ({ int T = 1; T * 2; }) + sizeof(T *); }",
            "typedef int T; void f(void) { switch (1) { int T; case 1: T * 2; } T * x; }",
        ],
        expect![[r#"
            (T: typedef int)
            (fn f: fn() void {(for (T: int = 0x0) (< T 3) (_++ T) {(* T 2)}) (x: * T)})
            (T: typedef int)
            (fn f: fn() void {(for (T: T = 0x0) _ _ (* T 2)) (x: T)})
            (T: typedef int)
            (fn f: fn() void {(if 1 {(T: int)}) (x: T)})
            (T: typedef int)
            (fn f: fn() int {(return (+ (stmt {(T: int = 1) (* T 2)}) (sizeof <* T>)))})
            (T: typedef int)
            (fn f: fn() void {(switch 1 {(T: int) (case 1 (* T 2))}) (x: * T)})
        "#]],
    );
}

#[test]
fn after_a_type_a_type_is_a_name() {
    check(
        &[
            "typedef int T; unsigned T;",
            "typedef int T; typedef long T2, T; T x;",
            "typedef int T; void f(void) { const T; static T x; long T; T * 2; }",
            "typedef int T; struct s { unsigned T; T T : 3; T : 2; int T2; };",
            "typedef int T; void f(unsigned T) { T * 2; }",
            "typedef int T; void f(void) { struct s T; T.x; }",
            "typedef int T, U; T U; T x = U * 2;",
            "typedef int T; void f(void) { extern T; register T x; }",
            "typedef int T; void f(void) { typeof(T) T; T * 2; }",
        ],
        expect![[r#"
            (T: typedef int)
            (T: unsigned int)
            (T: typedef int)
            (T2: typedef long, T: typedef long)
            (x: T)
            (T: typedef int)
            (fn f: fn() void {(const T) (x: static T) (T: long) (* T 2)})
            (T: typedef int)
            (struct s {T: unsigned int; T: T :3; _: T :2; T2: int})
            (T: typedef int)
            (fn f: fn(T: unsigned int) void {(* T 2)})
            (T: typedef int)
            (fn f: fn() void {(T: struct s) (. T x)})
            (T: typedef int, U: typedef int)
            (U: T)
            (x: T = (* U 2))
            (T: typedef int)
            (fn f: fn() void {(extern T) (x: register T)})
            (T: typedef int)
            (fn f: fn() void {(T: typeof <T>) (* T 2)})
        "#]],
    );
}
