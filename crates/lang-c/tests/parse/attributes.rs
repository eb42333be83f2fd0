//! Attributes, in every place where gcc takes them.

use crate::{check, check_stmts};
use expect_test::expect;

#[test]
fn attributes_stand_among_specifiers() {
    check(
        &[
            "__attribute__((unused)) int a;",
            "int __attribute__((unused)) a;",
            "static __attribute__((unused)) const int a;",
            "int const __attribute__((aligned(8), packed)) a;",
            "__attribute__((a)) __attribute__((b)) int x;",
            "__attribute__(()) int a; __attribute__((,unused,)) int b;",
            "__attribute__((noreturn)) void f(void), g(void);",
            "__attribute((unused)) int a;",
            "const __attribute__((x)) y;",
        ],
        expect![[r#"
            (a: int @unused)
            (a: int @unused)
            (a: static const int @unused)
            (a: const int @aligned(8) @packed)
            (x: int @a @b)
            (a: int)
            (b: int @unused)
            (f: fn() void @noreturn, g: fn() void @noreturn)
            (a: int @unused)
            (y: const implicit @x)
        "#]],
    );
}

#[test]
fn attributes_stand_in_declarators() {
    check(
        &[
            "int *__attribute__((aligned(4))) p;",
            "int *const __attribute__((x)) *volatile q;",
            "int (__attribute__((cdecl)) *f)(void);",
            "int (*__attribute__((cdecl)) f)(void);",
            "int a __attribute__((unused)), b __attribute__((aligned)) = 1;",
            "int a, __attribute__((x)) b, __attribute__((y)) *c;",
            "int f(void) __attribute__((pure)) __attribute__((const));",
            "int (__attribute__((x)) a);",
            "int a[3] __attribute__((aligned(16))) = {1};",
            "void f(int a __attribute__((unused)), __attribute__((unused)) int b, int *c __attribute__((x)));",
            "void f(int __attribute__((x)), int (__attribute__((y)) *)(void), int (__attribute__((z)) int));",
            "void f(void) __attribute__((x)) { }",
            "__attribute__((x)) f() { }",
            "void (__attribute__((noreturn)) f)(void) { }",
        ],
        expect![[r#"
            (p @aligned(4): * int)
            (q @x: * volatile * const int)
            (f @cdecl: * fn() int)
            (f @cdecl: * fn() int)
            (a @unused: int, b @aligned: int = 1)
            (a: int, b @x: int, c @y: * int)
            (f @pure @const: fn() int)
            (a @x: int)
            (a @aligned(16): [3] int = {1})
            (f: fn(a @unused: int, b: int @unused, c @x: * int) void)
            (f: fn(_: int @x, _ @y: * fn() int, _ @z: fn(_: int) int) void)
            (fn f @x: fn() void {})
            (fn f: old() implicit @x {})
            (fn f @noreturn: fn() void {})
        "#]],
    );
}

#[test]
fn attributes_stand_on_tags_and_members() {
    check(
        &[
            "struct __attribute__((packed)) s { int x; };",
            "struct s { int x; } __attribute__((packed));",
            "struct s { int x; } __attribute__((packed)) a __attribute__((unused));",
            "struct __attribute__((x)) { int x; } __attribute__((y)) *a;",
            "struct s { int x __attribute__((aligned(8))), y; __attribute__((z)) int w; int __attribute__((v)) u; };",
            "enum __attribute__((packed)) e { A __attribute__((deprecated)), B __attribute__((x)) = 2 } __attribute__((y));",
            "union u { int x; } __attribute__((transparent_union));",
            "struct s __attribute__((x)) *p;",
            "typedef struct { int x; } __attribute__((aligned(4))) T __attribute__((y));",
            "struct s { int; int : 3 __attribute__((x)); struct { int y; } __attribute__((packed)); };",
        ],
        expect![[r#"
            (struct s {x: int} @packed)
            (struct s {x: int} @packed)
            (a @unused: struct s {x: int} @packed)
            (a: * struct {x: int} @x @y)
            (struct s {x @aligned(8): int, y: int; w: int @z; u: int @v})
            (enum e {A, B = 2} @packed @y)
            (union u {x: int} @transparent_union)
            (p: * struct s @x)
            (T @y: typedef struct {x: int} @aligned(4))
            (struct s {int; _ @x: int :3; struct {y: int} @packed})
        "#]],
    );
}

#[test]
fn attributes_have_arguments() {
    check(
        &[
            "__attribute__((format(printf, 1, 2))) void f(char *, ...);",
            "__attribute__((__format__(__printf__, 1, 1 + 1))) void f(char *, ...);",
            r#"int x __attribute__((mode(DI), section("a" "b"), aligned(sizeof(int) * 2)));"#,
            "typedef int byte; typedef int T __attribute__((__mode__(byte)));",
            "int x __attribute__((vec_type_hint(int), aligned(), vector_size(4 * sizeof(T[2])), cleanup(f)));",
            "int x __attribute__((__const__, const, __signed__, __volatile));",
            "int x __attribute__((alloc_size(1, 2), nonnull, access(read_only, 1)));",
            "int x __attribute__((availability(os, introduced=10.4)));",
            r#"void f(void) __attribute__((__alias__("g"), __x, __, ____));"#,
        ],
        expect![[r#"
            (f: fn(_: * char, ...) void @format(printf, 1, 2))
            (f: fn(_: * char, ...) void @format(__printf__, 1, (+ 1 1)))
            (x @mode(DI) @section("ab") @aligned((* (sizeof <int>) 2)): int)
            (byte: typedef int)
            (T @mode(byte): typedef int)
            (x @vec_type_hint(<int>) @aligned @vector_size((* 4 (sizeof ([] T 2)))) @cleanup(f): int)
            (x @const @const @signed @volatile: int)
            (x @alloc_size(1, 2) @nonnull @access(read_only, 1): int)
            (x @availability(os, (= introduced (float 10.4 Double))): int)
            (f @alias("g") @x @__ @____: fn() void)
        "#]],
    );
}

#[test]
fn attributes_of_the_standard() {
    check(
        &[
            "[[noreturn]] void f(void);",
            r#"[[deprecated("why")]] int a; [[maybe_unused, gnu::aligned(8)]] int b;"#,
            "[[gnu::__packed__]] int c; [[__gnu__::__unused__]] int c2;",
            "int a [[x]] = 1, b[3] [[y]];",
            "int [[x]] a;",
            "struct [[x]] s { [[y]] int z; int w [[v]]; };",
            "enum e { A [[x]], B [[y]] = 1 };",
            "void f([[x]] int a, int [[y]] b, int c [[z]]);",
            "[[clang::whatever(a b ((c)) + )]] int a;",
            "[[]] int a; [[,x,]] int b;",
            "int *[[x]] p; int f(void) [[y]];",
            "int a[1] [[x]] [2];",
        ],
        expect![[r#"
            (f: fn() void @noreturn)
            (a: int @deprecated("why"))
            (b: int @maybe_unused @aligned(8))
            (c: int @packed)
            (c2: int @unused)
            (a @x: int = 1, b @y: [3] int)
            (a: int @x)
            (struct s {z: int @y; w @v: int} @x)
            (enum e {A, B = 1})
            (f: fn(a: int @x, b: int @y, c @z: int) void)
            (a: int)
            (a: int)
            (b: int @x)
            (p @x: * int)
            (f @y: fn() int)
            (a @x: [1] [2] int)
        "#]],
    );
}

#[test]
fn attributes_stand_on_statements() {
    check_stmts(
        &[
            "__attribute__((fallthrough));",
            "[[fallthrough]];",
            "switch (a) { case 1: __attribute__((__fallthrough__)); case 2: [[fallthrough]]; default: ; }",
            "l: __attribute__((unused)) ;",
            "l: __attribute__((unused)) a = 1;",
            "l: __attribute__((unused)) int x;",
            "[[likely]] a = 1;",
            "[[x]] l: a;",
            "__attribute__((unused)) int x;",
            "[[maybe_unused]] int x;",
            "if (a) [[likely]] b; else [[unlikely]] { c; }",
            "__attribute__((x)) T y;",
            "for (__attribute__((unused)) int i = 0;;) ;",
            "int __attribute__((x)) y;",
        ],
        expect![[r#"
            ;
            ;
            (switch a {(case 1 ;) (case 2 ;) (default ;)})
            (l: ;)
            (l: (= a 1))
            (l: (x: int @unused))
            (= a 1)
            (l: a)
            (x: int @unused)
            (x: int @maybe_unused)
            (if a b {c})
            (y: T @x)
            (for (i: int @unused = 0x0) _ _ ;)
            (y: int @x)
        "#]],
    );
}
