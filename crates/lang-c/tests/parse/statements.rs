//! Statements.

use crate::check_stmts;
use expect_test::expect;

#[test]
fn simple_statements() {
    check_stmts(
        &[
            ";",
            "a;",
            "return;",
            "return a, b;",
            "break;",
            "continue;",
            "goto l; l: ;",
            "goto *a;",
            "goto *&&l; l: ;",
            "{ }",
            "{ a; { b; } ; }",
            "{ } { }",
        ],
        expect![[r#"
            ;
            a
            (return _)
            (return (, a b))
            break
            continue
            (goto l) (l: ;)
            (goto* a)
            (goto* (&& l)) (l: ;)
            {}
            {a {b} ;}
            {} {}
        "#]],
    );
}

#[test]
fn branches() {
    check_stmts(
        &[
            "if (a) b;",
            "if (a) b; else c;",
            "if (a) if (b) c; else d;",
            "if (a) { if (b) c; } else d;",
            "if (a) b; else if (c) d; else e;",
            "if (a) b; else if (c) d; else if (e) g;",
            "if (a) ; else ;",
            "if (a) while (b) if (c) d; else e;",
            "if (a, b) return; else goto l; l: ;",
        ],
        expect![[r#"
            (if a b)
            (if a b c)
            (if a (if b c d))
            (if a {(if b c)} d)
            (if a b (if c d e))
            (if a b (if c d (if e g)))
            (if a ; ;)
            (if a (while b (if c d e)))
            (if (, a b) (return _) (goto l)) (l: ;)
        "#]],
    );
}

#[test]
fn loops() {
    check_stmts(
        &[
            "while (a) b;",
            "do a; while (b);",
            "do { a; } while (b); c;",
            "for (;;) ;",
            "for (a; b; c) d;",
            "for (a, b; c; d, e) ;",
            "for (int i = 0, j = 1; i < j; i++) { }",
            "for (T i = 0; ; ) a;",
            "for (__extension__ int i = 0; ; ) ;",
            "for (struct s { int x; } y; ;) ;",
            "do do a; while (b); while (c);",
            "for (;;) while (a) do ; while (b);",
            "for (static int i; ; ) ;",
        ],
        expect![[r#"
            (while a b)
            (do a b)
            (do {a} b) c
            (for _ _ _ ;)
            (for a b c d)
            (for (, a b) c (, d e) ;)
            (for (i: int = 0x0, j: int = 1) (< i j) (_++ i) {})
            (for (i: T = 0x0) _ _ a)
            (for (i: int = 0x0) _ _ ;)
            (for (y: struct s {x: int}) _ _ ;)
            (do (do a b) c)
            (for _ _ _ (while a (do ; b)))
            (for (i: static int) _ _ ;)
        "#]],
    );
}

#[test]
fn switches() {
    check_stmts(
        &[
            "switch (a) { case 1: b; break; case 2: case 3: c; default: d; }",
            "switch (a) case 1: b;",
            "switch (a) { case 1 ... 5: b; case 'a' ... 'z': ; }",
            "switch (a) { default: case 1: l: b; }",
            "switch (a) { case 1: }",
            "switch (a) { int x; case 1: x; }",
            "switch (a) { case 1: { b; } case 1 + 2: ; }",
            "switch (a) { case b ? c : d: e; }",
            "switch (a) { case 1: int x = 1; case 2: T y; }",
            "switch (a) { case (T)1: case -1: ; default: }",
        ],
        expect![[r#"
            (switch a {(case 1 b) break (case 2 (case 3 c)) (default d)})
            (switch a (case 1 b))
            (switch a {(case 1...5 b) (case (char 97)...(char 122) ;)})
            (switch a {(default (case 1 (l: b)))})
            (switch a {(case 1 ;)})
            (switch a {(x: int) (case 1 x)})
            (switch a {(case 1 {b}) (case (+ 1 2) ;)})
            (switch a {(case (? b c d) e)})
            (switch a {(case 1 (x: int = 1)) (case 2 (y: T))})
            (switch a {(case (cast <T> 1) (case (- 1) ;)) (default ;)})
        "#]],
    );
}

#[test]
fn labels() {
    check_stmts(
        &[
            "l: a;",
            "l: m: a;",
            "l: { }",
            "{ l: }",
            "T: a;",
            "T: T x;",
            "l: int x;",
            "goto T; T: ;",
            "l: if (a) b;",
            "l: case 1: default: m: ;",
            "{ __label__ a, b; __label__ c; a: b: c: ; }",
            "x: x;",
            "l: __extension__ a;",
            "l:; int x;",
        ],
        expect![[r#"
            (l: a)
            (l: (m: a))
            (l: {})
            {(l: ;)}
            (T: a)
            (T: (x: T))
            (l: (x: int))
            (goto T) (T: ;)
            (l: (if a b))
            (l: (case 1 (default (m: ;))))
            {(labels a b) (labels c) (a: (b: (c: ;)))}
            (x: x)
            (l: a)
            (l: ;) (x: int)
        "#]],
    );
}

#[test]
fn declarations_stand_among_statements() {
    check_stmts(
        &[
            "int x; a; int y = 1; b;",
            "T x;",
            "T *x;",
            "T (x);",
            "T (*x)(int);",
            "T;",
            "struct s { int x; } y;",
            "static int x = 1;",
            "typedef int U; U x;",
            "extern int f(int); int g();",
            r#"_Static_assert(1, "x");"#,
            "__extension__ int x;",
            "__extension__ a = 1;",
            r#"register int r asm("eax") = 1;"#,
            "auto int x; auto f();",
            "const T x = 1; T const y; int T;",
            "enum { A, B }; A;",
            "_Alignas(8) char x;",
            "typeof(a) x;",
            "__auto_type x = 1;",
            "_Atomic int x; _Atomic(int) y;",
            "unsigned x; _Bool y; inline int f(void);",
            "_Thread_local static int x;",
        ],
        expect![[r#"
            (x: int) a (y: int = 1) b
            (x: T)
            (x: * T)
            (x: T)
            (x: * fn(_: int) T)
            (T)
            (y: struct s {x: int})
            (x: static int = 1)
            (U: typedef int) (x: U)
            (f: fn(_: int) extern int) (g: old() int)
            (assert 1 "x")
            (x: int)
            (= a 1)
            (r asm "eax": register int = 1)
            (x: auto int) (f: old() auto implicit)
            (x: const T = 1) (y: const T) (T: int)
            (enum {A, B}) A
            (x: char align 8)
            (x: typeof a)
            (x: auto-type = 1)
            (x: _Atomic int) (y: _Atomic typeof <int>)
            (x: unsigned int) (y: bool) (f: fn() inline int)
            (x: static thread int)
        "#]],
    );
}

#[test]
fn functions_stand_in_functions() {
    check_stmts(
        &[
            "int g(int x) { return x; }",
            "auto int g(void); int g(void) { }",
            "void g(a) int a; { }",
            "T g(T x) { }",
            "static inline int g() { int h() { } }",
        ],
        expect![[r#"
            (fn g: fn(x: int) int {(return x)})
            (g: fn() auto int) (fn g: fn() int {})
            (fn g: old(a) void (a: int) {})
            (fn g: fn(x: T) T {})
            (fn g: old() static inline int {(fn h: old() int {})})
        "#]],
    );
}

#[test]
fn assembly() {
    check_stmts(
        &[
            r#"asm("nop");"#,
            r#"asm volatile ("nop");"#,
            r#"__asm__ __volatile__ ("a" "b" : : : "memory");"#,
            r#"asm("x" : "=r"(a) : "r"(b), "0"(c) : "cc", "memory");"#,
            r#"asm("x" : [out] "=r" (a.b) : [in] "r" (b + 1));"#,
            r#"asm("x" :: "r"(a));"#,
            r#"asm("x" ::: "memory");"#,
            r#"asm goto ("x" : : "i"(a) : : l, m); l: m: ;"#,
            r#"asm volatile goto ("x" : "=r"(a) : : "memory" : l); l: ;"#,
            r#"asm inline ("x"); asm volatile inline ("x");"#,
            r#"asm("");"#,
            r#"asm("x" : : );"#,
            r#"asm("x" : "+m" (*(T *)a), "=&r" ((a, b)) : );"#,
            r#"if (a) asm("x"); else asm("y");"#,
            r#"asm goto ("x" :::: T); T: ;"#,
            r#"asm("x" : "=" "r"(a));"#,
        ],
        expect![[r#"
            (asm "nop" out() in() () ())
            (asm volatile "nop" out() in() () ())
            (asm volatile "ab" out() in() ("memory") ())
            (asm "x" out("=r" a) in("r" b, "0" c) ("cc" "memory") ())
            (asm "x" out([out] "=r" (. a b)) in([in] "r" (+ b 1)) () ())
            (asm "x" out() in("r" a) () ())
            (asm "x" out() in() ("memory") ())
            (asm "x" out() in("i" a) () (l m)) (l: (m: ;))
            (asm volatile "x" out("=r" a) in() ("memory") (l)) (l: ;)
            (asm "x" out() in() () ()) (asm volatile "x" out() in() () ())
            (asm "" out() in() () ())
            (asm "x" out() in() () ())
            (asm "x" out("+m" (* (cast <* T> a)), "=&r" (, a b)) in() () ())
            (if a (asm "x" out() in() () ()) (asm "y" out() in() () ()))
            (asm "x" out() in() () (T)) (T: ;)
            (asm "x" out("=r" a) in() () ())
        "#]],
    );
}
