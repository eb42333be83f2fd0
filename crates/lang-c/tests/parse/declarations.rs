//! Declarators, initialisers and functions.

use crate::check;
use expect_test::expect;

#[test]
fn declarators_are_read_from_the_inside_out() {
    check(
        &[
            "int a, *b, **c, d[3], e[2][3], *f[3], (*g)[3];",
            "int f(int), *g(void), (*h)(int), (*i[3])(char), *(*j)(void);",
            "int (*f(int a))(char b);",
            "int (*(*f[3])(void))[4];",
            "void (*signal(int sig, void (*func)(int)))(int);",
            "char *(*(**foo[][8])())[];",
            "int ((a)), (((*b)));",
            "int (*(*(*f)(int))(int))(int);",
        ],
        expect![[r#"
            (a: int, b: * int, c: * * int, d: [3] int, e: [2] [3] int, f: [3] * int, g: * [3] int)
            (f: fn(_: int) int, g: fn() * int, h: * fn(_: int) int, i: [3] * fn(_: char) int, j: * fn() * int)
            (f: fn(a: int) * fn(b: char) int)
            (f: [3] * fn() * [4] int)
            (signal: fn(sig: int, func: * fn(_: int) void) * fn(_: int) void)
            (foo: [] [8] * * old() * [] * char)
            (a: int, b: * int)
            (f: * fn(_: int) * fn(_: int) * fn(_: int) int)
        "#]],
    );
}

#[test]
fn parameters() {
    check(
        &[
            "void f();",
            "void f(void);",
            "void f(int);",
            "void f(int, ...);",
            "void f(int a, int b);",
            "void f(int *, int[], int (*)(int), int (int));",
            "void f(int a[3], int b[static 3], int c[const], int d[*], int e[static const 4], int g[restrict], int h[const static 5]);",
            "void f(int n, int a[n], int b[n][n + 1]);",
            "void f(register int a, const char *restrict b);",
            "void f(int a[const *]);",
            "void f(struct s *, enum e, union u);",
            "void f(int n; int a[n], int n);",
            "void f(...);",
            "int f(int (*)(int, int), int (*g)(int));",
            "void f(int []), g(int [*][3]);",
            "void f(const void), g(void *);",
            "void f(int [5], int (*)[5]);",
        ],
        expect![[r#"
            (f: old() void)
            (f: fn() void)
            (f: fn(_: int) void)
            (f: fn(_: int, ...) void)
            (f: fn(a: int, b: int) void)
            (f: fn(_: * int, _: [] int, _: * fn(_: int) int, _: fn(_: int) int) void)
            (f: fn(a: [3] int, b: [3] int, c: [const ] int, d: [*] int, e: [const 4] int, g: [restrict ] int, h: [const 5] int) void)
            (f: fn(n: int, a: [n] int, b: [n] [(+ n 1)] int) void)
            (f: fn(a: register int, b: * restrict const char) void)
            (f: fn(a: [const *] int) void)
            (f: fn(_: * struct s, _: enum e, _: union u) void)
            (f: fn(a: [n] int, n: int) void)
            (f: fn(...) void)
            (f: fn(_: * fn(_: int, _: int) int, g: * fn(_: int) int) int)
            (f: fn(_: [] int) void, g: fn(_: [*] [3] int) void)
            (f: fn(_: const void) void, g: fn(_: * void) void)
            (f: fn(_: [5] int, _: * [5] int) void)
        "#]],
    );
}

#[test]
fn a_type_name_in_parentheses_makes_a_parameter_a_function() {
    check(
        &[
            "typedef int T; void f(int (T));",
            "typedef int T; void f(int T);",
            "typedef int T; void f(T);",
            "typedef int T; void f(T, T *, T (T));",
            "typedef int T; void f(int (*T));",
            "typedef int T; void f(int (x), int ((y)));",
            "typedef int T; void f(unsigned T, const T);",
            "void f(int (void), int ());",
        ],
        expect![[r#"
            (T: typedef int)
            (f: fn(_: fn(_: T) int) void)
            (T: typedef int)
            (f: fn(T: int) void)
            (T: typedef int)
            (f: fn(_: T) void)
            (T: typedef int)
            (f: fn(_: T, _: * T, _: fn(_: T) T) void)
            (T: typedef int)
            (f: fn(T: * int) void)
            (T: typedef int)
            (f: fn(x: int, y: int) void)
            (T: typedef int)
            (f: fn(T: unsigned int, T: const implicit) void)
            (f: fn(_: fn() int, _: old() int) void)
        "#]],
    );
}

#[test]
fn initialisers() {
    check(
        &[
            "int a = 1, *b = &a, c[] = {1, 2, 3}, d[2] = {1,}, e[] = {};",
            "struct s x = { .a = 1, .b = { 2, 3 }, .c.d = 4, .e[1] = 5, .f[1].g = 6 };",
            "int a[] = { [0] = 1, [2 ... 4] = 5, [6][1] = 7, 8 };",
            "struct s x = { a: 1, b: { c: 2 } };",
            "int a[] = { [3] 5, [4 ... 5] 6, [7] {8} };",
            r#"char a[] = "abc", b[] = {"abc"}, *c[] = {"a" "b", "c"};"#,
            "int a = (1, 2), b = 3;",
            "int x = ({ 1; });",
            "int a[][2] = {{1, 2}, {3}}, b = {1};",
            "int *p = (int[]){1, 2};",
            "int (*f)(void) = 0, a[2] = {[1] = 1 ? 2 : 3};",
        ],
        expect![[r#"
            (a: int = 1, b: * int = (& a), c: [] int = {1, 2, 3}, d: [2] int = {1}, e: [] int = {})
            (x: struct s = {.a = 1, .b = {2, 3}, .c.d = 4, .e[1] = 5, .f[1].g = 6})
            (a: [] int = {[0x0] = 1, [2 ... 4] = 5, [6][1] = 7, 8})
            (x: struct s = {.a = 1, .b = {.c = 2}})
            (a: [] int = {[3] = 5, [4 ... 5] = 6, [7] = {8}})
            (a: [] char = "abc", b: [] char = {"abc"}, c: [] * char = {"ab", "c"})
            (a: int = (, 1 2), b: int = 3)
            (x: int = (stmt {1}))
            (a: [] [2] int = {{1, 2}, {3}}, b: int = {1})
            (p: * int = (compound <[] int> {1, 2}))
            (f: * fn() int = 0x0, a: [2] int = {[1] = (? 1 2 3)})
        "#]],
    );
}

#[test]
fn functions() {
    check(
        &[
            "int main(void) { return 0; }",
            "void f(int a, char *b) { }",
            "int *f(void) { return 0; }",
            "int (*f(int a))(char) { return 0; }",
            "static inline int f() { return 1; }",
            "int (f)(int x) { return x; }",
            "int f(int a), g(int b); int h(void) {}",
            "struct s { int x; } f(void) { }",
            "void f(int, ...) { }",
            "int (*(f)(void))[3] { }",
        ],
        expect![[r#"
            (fn main: fn() int {(return 0x0)})
            (fn f: fn(a: int, b: * char) void {})
            (fn f: fn() * int {(return 0x0)})
            (fn f: fn(a: int) * fn(_: char) int {(return 0x0)})
            (fn f: old() static inline int {(return 1)})
            (fn f: fn(x: int) int {(return x)})
            (f: fn(a: int) int, g: fn(b: int) int)
            (fn h: fn() int {})
            (fn f: fn() struct s {x: int} {})
            (fn f: fn(_: int, ...) void {})
            (fn f: fn() * [3] int {})
        "#]],
    );
}

#[test]
fn old_style_functions() {
    check(
        &[
            "int f(a, b) int a; char *b; { return a; }",
            "f(a) { return a; }",
            "main() { }",
            "typedef int T; f(a, b) T a; register T *b; { }",
            "int f() { }",
            "char *f(s, n) char *s; { }",
            "f(a, b) int a, b[]; struct s { int x; } c; { }",
            "int f(); g(x) int x; { }",
            "int f(a) int (*a)(); { }",
            "static f(a) {}",
        ],
        expect![[r#"
            (fn f: old(a b) int (a: int) (b: * char) {(return a)})
            (fn f: old(a) implicit {(return a)})
            (fn main: old() implicit {})
            (T: typedef int)
            (fn f: old(a b) implicit (a: T) (b: * register T) {})
            (fn f: old() int {})
            (fn f: old(s n) * char (s: * char) {})
            (fn f: old(a b) implicit (a: int, b: [] int) (c: struct s {x: int}) {})
            (f: old() int)
            (fn g: old(x) implicit (x: int) {})
            (fn f: old(a) int (a: * old() int) {})
            (fn f: old(a) static implicit {})
        "#]],
    );
}

#[test]
fn int_may_be_left_out() {
    check(
        &[
            "x;",
            "x, *y;",
            "static x;",
            "const x = 1;",
            "f(), *g();",
            "extern f(void);",
            "register x; auto y;",
            "*p;",
            "(*q);",
            "static *p;",
            "typedef T; T x;",
            "a[3] = {1};",
        ],
        expect![[r#"
            (x: implicit)
            (x: implicit, y: * implicit)
            (x: static implicit)
            (x: const implicit = 1)
            (f: old() implicit, g: old() * implicit)
            (f: fn() extern implicit)
            (x: register implicit)
            (y: auto implicit)
            (p: * implicit)
            (q: * implicit)
            (p: * static implicit)
            (T: typedef implicit)
            (x: T)
            (a: [3] implicit = {1})
        "#]],
    );
}

#[test]
fn extensions_and_asm_stand_outside() {
    check(
        &[
            "__extension__ int a;",
            "__extension__ typedef long long L; L x;",
            "__extension__ __extension__ struct s { int x; };",
            r#"asm("nop");"#,
            r#"__asm__ ("a" "b");"#,
            r#"asm volatile ("x");"#,
            ";;",
            r#"_Static_assert(1, "x"); _Static_assert(sizeof(int) == 4);"#,
            r#"int f(void) asm("g"), x asm ("y") = 1;"#,
            r#"register int r asm("eax");"#,
            r#"extern int f(void) __asm__("" "g") __attribute__((nothrow));"#,
            "",
        ],
        expect![[r#"
            (a: int)
            (L: typedef long long)
            (x: L)
            (struct s {x: int})
            (asm "nop")
            (asm "ab")
            (asm "x")
            (assert 1 "x")
            (assert (== (sizeof <int>) 4))
            (f asm "g": fn() int, x asm "y": int = 1)
            (r asm "eax": register int)
            (f asm "g" @nothrow: fn() extern int)
        "#]],
    );
}
