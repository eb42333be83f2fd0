//! Specifiers: basic types, records, enumerations and names of types.

use crate::check;
use expect_test::expect;

#[test]
fn basic_types_come_in_any_order() {
    check(
        &[
            "char a; signed char b; unsigned char c; char signed d;",
            "short a; short int b; int short unsigned c; unsigned short d;",
            "int a; signed b; unsigned c; unsigned int d; int signed e;",
            "long a; long int b; unsigned long c; long unsigned int d; int long e;",
            "long long a; long long int b; unsigned long long c; long int long unsigned d; long const long e;",
            "void *a; _Bool b; __int128 c; unsigned __int128 d; __int128 unsigned e; __int128_t f; __uint128_t g;",
        ],
        expect![[r#"
            (a: char)
            (b: signed char)
            (c: unsigned char)
            (d: signed char)
            (a: short)
            (b: short)
            (c: unsigned short)
            (d: unsigned short)
            (a: int)
            (b: int)
            (c: unsigned int)
            (d: unsigned int)
            (e: int)
            (a: long)
            (b: long)
            (c: unsigned long)
            (d: unsigned long)
            (e: long)
            (a: long long)
            (b: long long)
            (c: unsigned long long)
            (d: unsigned long long)
            (e: const long long)
            (a: * void)
            (b: bool)
            (c: int128)
            (d: unsigned int128)
            (e: unsigned int128)
            (f: __int128_t)
            (g: __uint128_t)
        "#]],
    );
}

#[test]
fn floating_types_have_many_names() {
    check(
        &[
            "float a; double b; long double c; double long d;",
            "_Float16 a; __fp16 b; __bf16 c; _Float32 d; _Float64 e; _Float32x f; _Float64x g; __float80 h; _Float128 i; __float128 j;",
            "_Decimal32 a; _Decimal64 b; _Decimal128 c;",
            "_Complex a; float _Complex b; _Complex double c; __complex__ long double d; _Complex _Float128 e; __complex float f;",
            "__builtin_va_list a; __signed__ char b; __signed c;",
        ],
        expect![[r#"
            (a: Float)
            (b: Double)
            (c: LongDouble)
            (d: LongDouble)
            (a: Float16)
            (b: Float16)
            (c: Float16)
            (d: Float32)
            (e: Float64)
            (f: Float32x)
            (g: Float64x)
            (h: Float64x)
            (i: Float128)
            (j: Float128)
            (a: Decimal32)
            (b: Decimal64)
            (c: Decimal128)
            (a: complex Double)
            (b: complex Float)
            (c: complex Double)
            (d: complex LongDouble)
            (e: complex Float128)
            (f: complex Float)
            (a: va list)
            (b: signed char)
            (c: int)
        "#]],
    );
}

#[test]
fn qualifiers_have_old_spellings() {
    check(
        &[
            "const int a; __const int b; __const__ int c;",
            "volatile int a; __volatile int b; __volatile__ int c;",
            "int *restrict a; int *__restrict b; int *__restrict__ c;",
            "int const volatile a; const const int b; int *const volatile *const c;",
            "_Atomic int a; _Atomic(int) b; _Atomic(int *) *c; int *_Atomic d; const _Atomic(int) e;",
            "int __seg_gs *p; __seg_fs int q;",
        ],
        expect![[r#"
            (a: const int)
            (b: const int)
            (c: const int)
            (a: volatile int)
            (b: volatile int)
            (c: volatile int)
            (a: * restrict int)
            (b: * restrict int)
            (c: * restrict int)
            (a: const volatile int)
            (b: const int)
            (c: * const * const volatile int)
            (a: _Atomic int)
            (b: _Atomic typeof <int>)
            (c: * _Atomic typeof <* int>)
            (d: * _Atomic int)
            (e: const _Atomic typeof <int>)
            (p: * int)
            (q: int)
        "#]],
    );
}

#[test]
fn storage_classes_and_function_specifiers() {
    check(
        &[
            "extern int a; static int b; register int c; auto int d;",
            "int static a; const extern int b;",
            "_Thread_local int a; __thread int b; static __thread int c; extern _Thread_local int d;",
            "inline int f(void); static __inline int g(void); extern __inline__ int h(void); _Noreturn void e(void);",
        ],
        expect![[r#"
            (a: extern int)
            (b: static int)
            (c: register int)
            (d: auto int)
            (a: static int)
            (b: extern const int)
            (a: thread int)
            (b: thread int)
            (c: static thread int)
            (d: extern thread int)
            (f: fn() inline int)
            (g: fn() static inline int)
            (h: fn() extern inline int)
            (e: fn() noreturn void)
        "#]],
    );
}

#[test]
fn alignments() {
    check(
        &["_Alignas(16) int a; int _Alignas(double) b; _Alignas(4) _Alignas(8) char c; _Alignas(1 + 2) int d;"],
        expect![[r#"
            (a: int align 16)
            (b: int align <Double>)
            (c: char align 4 align 8)
            (d: int align (+ 1 2))
        "#]],
    );
}

#[test]
fn structures() {
    check(
        &[
            "struct s;",
            "struct s { int x; };",
            "struct { int x, *y; } a;",
            "struct s { int x; } a, *b;",
            "struct {} a;",
            "struct s { ; int x;; };",
            "struct s { int x };",
            "union u { int x; float y; };",
            "struct s { struct t { int x; } y; union { int a; int b; }; struct { int c; }; };",
            "struct s { int; struct t; };",
            "struct s { struct s *next; int a[]; };",
            "struct s { int a[0]; };",
            "struct s { __extension__ union { int a; }; __extension__ int b; };",
            r#"struct s { _Static_assert(1, "x"); int y; };"#,
            "struct s { int (*f)(int), (*g[3])(void); };",
            "const struct s { const int x; } a;",
        ],
        expect![[r#"
            (struct s)
            (struct s {x: int})
            (a: struct {x: int, y: * int})
            (a: struct s {x: int}, b: * struct s {x: int})
            (a: struct {})
            (struct s {x: int})
            (struct s {x: int})
            (union u {x: int; y: Float})
            (struct s {y: struct t {x: int}; union {a: int; b: int}; struct {c: int}})
            (struct s {int; struct t})
            (struct s {next: * struct s; a: [] int})
            (struct s {a: [0x0] int})
            (struct s {union {a: int}; b: int})
            (struct s {(assert 1 "x"); y: int})
            (struct s {f: * fn(_: int) int, g: [3] * fn() int})
            (a: const struct s {x: const int})
        "#]],
    );
}

#[test]
fn bit_fields() {
    check(
        &[
            "struct s { int a : 3; unsigned b : 4, : 0, c : 1 + 2; int : 5; _Bool d : 1; };",
            "struct s { enum e : 3; enum e x : 3; };",
            "struct s { int a : 3 __attribute__((packed)), b : 2; };",
        ],
        expect![[r#"
            (struct s {a: int :3; b: unsigned int :4, _: unsigned int :0x0, c: unsigned int :(+ 1 2); _: int :5; d: bool :1})
            (struct s {_: enum e :3; x: enum e :3})
            (struct s {a @packed: int :3, b: int :2})
        "#]],
    );
}

#[test]
fn enumerations() {
    check(
        &[
            "enum e;",
            "enum { A };",
            "enum e { A, B = 3, C, };",
            "enum e { A = 1 << 2, B = A | 1 } x;",
            "enum e : unsigned char { A };",
            "enum : long { A } x;",
            "typedef int T; enum e : T { A } x;",
        ],
        expect![[r#"
            (enum e)
            (enum {A})
            (enum e {A, B = 3, C})
            (x: enum e {A = (<< 1 2), B = (| A 1)})
            (enum e : <unsigned char> {A})
            (x: enum : <long> {A})
            (T: typedef int)
            (x: enum e : <T> {A})
        "#]],
    );
}

#[test]
fn typeof_takes_types_and_expressions() {
    check(
        &[
            "int x; typeof(x) a; __typeof__(int *) b; __typeof(x + 1) c; typeof(int[3]) d;",
            "int f(void); typeof(f) g; const typeof(*(int *)0) h; typeof(typeof(int)) i;",
            "typeof(({ int y; y; })) j;",
            "typeof((int)1) k;",
            "__auto_type z = 1;",
        ],
        expect![[r#"
            (x: int)
            (a: typeof x)
            (b: typeof <* int>)
            (c: typeof (+ x 1))
            (d: typeof <[3] int>)
            (f: fn() int)
            (g: typeof f)
            (h: const typeof (* (cast <* int> 0x0)))
            (i: typeof <typeof <int>>)
            (j: typeof (stmt {(y: int) y}))
            (k: typeof (cast <int> 1))
            (z: auto-type = 1)
        "#]],
    );
}

#[test]
fn typedefs() {
    check(
        &[
            "typedef int T; T a, *b;",
            "typedef struct s S; struct s { S *next; }; S x;",
            "typedef int T[3], (*F)(void), *P; T a; F b; P c;",
            "int typedef T; T a; const T b; T const c; T static d;",
            "typedef int T; typedef T T; T x;",
            "typedef unsigned T; struct T { T T; }; enum E { X = sizeof(T) }; struct T y;",
            "typedef int T; T (x); T (*y); T (f)(T); T (*(z));",
        ],
        expect![[r#"
            (T: typedef int)
            (a: T, b: * T)
            (S: typedef struct s)
            (struct s {next: * S})
            (x: S)
            (T: [3] typedef int, F: * fn() typedef int, P: * typedef int)
            (a: T)
            (b: F)
            (c: P)
            (T: typedef int)
            (a: T)
            (b: const T)
            (c: const T)
            (d: static T)
            (T: typedef int)
            (T: typedef T)
            (x: T)
            (T: typedef unsigned int)
            (struct T {T: T})
            (enum E {X = (sizeof <T>)})
            (y: struct T)
            (T: typedef int)
            (x: T)
            (y: * T)
            (f: fn(_: T) T)
            (z: * T)
        "#]],
    );
}
