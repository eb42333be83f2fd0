//! Every undefined behaviour: a program that has it, and one that nearly has.

#[path = "support/program.rs"]
mod program;

use hardbop_c_core::Target;
use hardbop_c_run::{Options, Outcome, Scripted, SignedOverflow, Undefined};
use program::{OPTIONS, run};

const DECLARATIONS: &str = "
    void *malloc(unsigned long); void free(void *); void *realloc(void *, unsigned long);
    void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
    unsigned long strlen(const char *); char *strcpy(char *, const char *); int printf(const char *, ...);
    ";

#[track_caller]
fn outcome(text: &str, options: Options) -> Outcome {
    run(&format!("{DECLARATIONS}{text}"), Target::Lp64, options, &mut Scripted::default())
}

/// `bad` ends with what `is_expected` says, `good` with zero.
#[track_caller]
fn check_with(bad: &str, good: &str, options: Options, is_expected: fn(&Undefined) -> bool) {
    match outcome(bad, options) {
        Outcome::Undefined { what, .. } => assert!(is_expected(&what), "{what:?}"),
        other => panic!("bad: {other:?}"),
    }
    assert_eq!(outcome(good, options), Outcome::Exited(0), "good");
}

/// The bodies of `main`.
#[track_caller]
fn check(bad: &str, good: &str, is_expected: fn(&Undefined) -> bool) {
    let main = |body: &str| format!("int main(void) {{ {body} return 0; }}");
    check_with(&main(bad), &main(good), OPTIONS, is_expected);
}

#[test]
fn null_is_not_dereferenced() {
    check("int *p = 0; *p = 1;", "int x, *p = &x; *p = 1;", |what| *what == Undefined::NullDereference);
    check(
        "struct s { int a, b; } *p = 0; return p->b;",
        "struct s { int a, b; } *p = 0; if ((long)&p->b != 4) return 1;",
        |what| *what == Undefined::NullDereference,
    );
}

#[test]
fn what_is_weak_and_not_there_is_at_no_address() {
    let weak = "extern int v __attribute__((weak)); extern struct { int a, b; } s __attribute__((weak));
        int f(void) __attribute__((weak));";
    let check = |bad: &str| {
        let good = format!("{weak} int main(void) {{ int *p = &v; return p || &s.a || f; }}");
        check_with(&format!("{weak} int main(void) {{ {bad} }}"), &good, OPTIONS, |what| {
            *what == Undefined::NullDereference
        });
    };
    check("return v;");
    check("v = 1; return 0;");
    check("return s.b;");
    check("int (*p)(void) = f; return p();");
    let defined = "int v = 1; int main(void) { return &v ? 0 : 1; }";
    assert_eq!(outcome(&format!("{weak} {defined}"), OPTIONS), Outcome::Exited(0));
}

#[test]
fn objects_have_bounds() {
    check("int a[3]; int i = 3; a[i] = 0;", "int a[3]; int i = 2; a[i] = 0;", |what| {
        matches!(what, Undefined::OutOfBounds { offset: 12, size: 4, object_size: 12, .. })
    });
    check("char *p = malloc(4); *(int *)(p + 1) = 0;", "char *p = malloc(4); *(int *)p = 0; free(p);", |what| {
        matches!(what, Undefined::OutOfBounds { .. } | Undefined::Misaligned)
    });
    check("char s[3]; strcpy(s, \"abc\");", "char s[4]; strcpy(s, \"abc\");", |what| {
        matches!(what, Undefined::OutOfBounds { .. })
    });
    check("char s[3] = \"abc\"; return strlen(s);", "char s[4] = \"abc\"; return strlen(s) - 3;", |what| {
        matches!(what, Undefined::OutOfBounds { .. })
    });
}

#[test]
fn freed_memory_is_not_used() {
    check("int *p = malloc(4); free(p); *p = 1;", "int *p = malloc(4); *p = 1; free(p);", |what| {
        matches!(what, Undefined::UseAfterFree(_))
    });
    check(
        "int *p = malloc(4), *q; *p = 1; q = realloc(p, 8); *p = 1;",
        "int *p = malloc(4), *q; *p = 1; q = realloc(p, 8); return *q - 1;",
        |what| matches!(what, Undefined::UseAfterFree(_)),
    );
}

#[test]
fn locals_end_with_their_function() {
    let bad = "int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { return *f(); }";
    let good = "int *f(void) { static int x; int *p = &x; return p; } int main(void) { return *f(); }";
    check_with(bad, good, OPTIONS, |what| matches!(what, Undefined::UseAfterReturn(_)));
}

#[test]
fn what_was_not_stored_is_not_used() {
    check("int x; return x + 1;", "int x; x = -1; return x + 1;", |what| *what == Undefined::UninitialisedRead);
    check(
        "struct s { int a, b; } x, y; x.a = 0; y = x; return y.b;",
        "struct s { int a, b; } x, y; x.a = 0; y = x; return y.a;",
        |what| *what == Undefined::UninitialisedRead,
    );
    check("unsigned char c[2], d; d = c[1]; if (d) return 1;", "unsigned char c[2], d; d = c[1]; c[0] = d;", |what| {
        *what == Undefined::UninitialisedRead
    });
    check("int *p = malloc(4); return *p;", "int *p = malloc(4); memset(p, 0, 4); return *p;", |what| {
        *what == Undefined::UninitialisedRead
    });
}

#[test]
fn numbers_are_no_pointers() {
    check(
        "int *p = (int *)123456; return *p;",
        "int x = 0; unsigned long n = (unsigned long)&x; int *p = (int *)(n + 1 - 1); return *p;",
        |what| *what == Undefined::InvalidPointer,
    );
}

#[test]
fn accesses_are_aligned() {
    check(
        "char a[8] __attribute__((aligned(8))); int *p = (int *)(a + 1); *p = 0;",
        "char a[8] __attribute__((aligned(8))); int *p = (int *)(a + 4); *p = 0;",
        |what| *what == Undefined::Misaligned,
    );
}

#[test]
fn divisions_have_a_result() {
    check("int x = 0; return 1 / x;", "int x = 2; return 1 / x;", |what| *what == Undefined::DivisionByZero);
    check("int x = 0; return 1 % x;", "int x = 1; return 1 % x;", |what| *what == Undefined::DivisionByZero);
    check(
        "int x = -1, y = -2147483647 - 1; return y / x;",
        "int x = -1, y = -2147483647; return y / x - 2147483647;",
        |what| *what == Undefined::DivisionOverflow,
    );
    check("int x = -1, y = -2147483647 - 1; return y % x;", "int x = -1, y = -2147483647; return y % x;", |what| {
        *what == Undefined::DivisionOverflow
    });
}

#[test]
fn shifts_are_within_the_width() {
    check("int x = 32; return 1 << x;", "int x = 31; return (1 << x) > 0;", |what| *what == Undefined::ShiftOutOfRange);
    check("int x = -1; return 1 >> x;", "long x = 63; return (1l >> x) != 0;", |what| {
        *what == Undefined::ShiftOutOfRange
    });
}

#[test]
fn signed_results_fit_if_asked_for() {
    let options = Options { signed_overflow: SignedOverflow::Undefined, ..OPTIONS };
    let overflow: fn(&Undefined) -> bool = |what| *what == Undefined::SignedOverflow;
    let bad = "int main(void) { int x = 2147483647; x = x + 1; return 0; }";
    check_with(bad, "int main(void) { unsigned x = 4294967295u; x = x + 1; return x; }", options, overflow);
    assert_eq!(outcome(bad, OPTIONS), Outcome::Exited(0));
    let bad = "int main(void) { int x = -2147483647 - 1; x = -x; return 0; }";
    check_with(bad, "int main(void) { int x = -2147483647; x = -x; return 0; }", options, overflow);
    let bad = "int main(void) { long x = 4611686018427387904; x = x * 2; return 0; }";
    check_with(bad, "int main(void) { long x = -4611686018427387904; x = x * 2; return 0; }", options, overflow);
}

#[test]
fn pointers_stay_in_their_object() {
    check("int a[3]; int *p = a + 2; p = p + 2;", "int a[3]; int *p = a + 2; p = p + 1; p--;", |what| {
        matches!(what, Undefined::PointerOutOfBounds { offset: 16, object_size: 12, .. })
    });
    check("int a[3]; int *p = a; p--;", "int a[3]; int *p = a + 1; p--;", |what| {
        matches!(what, Undefined::PointerOutOfBounds { offset: -4, .. })
    });
}

#[test]
fn only_pointers_of_one_object_have_an_order() {
    let unrelated: fn(&Undefined) -> bool = |what| *what == Undefined::UnrelatedPointers;
    check("int a, b; return &a < &b;", "int a[2]; return !(&a[0] < &a[1]);", unrelated);
    check("int a, b; return &a - &b;", "int a[2]; return &a[1] - &a[0] - 1;", unrelated);
    check("int a[2], b; return &a[2] - &b;", "int a, b; return &a == &b;", unrelated);
}

#[test]
fn calls_go_to_functions_of_their_type() {
    check_with(
        "int main(void) { int x; void (*f)(void) = (void (*)(void))&x; f(); return 0; }",
        "void g(void) {} int main(void) { void (*f)(void) = g; f(); return 0; }",
        OPTIONS,
        |what| *what == Undefined::BadFunctionPointer,
    );
    check_with(
        "int g(int x) { return x; } int main(void) { int (*f)(double) = (int (*)(double))g; return f(0.0); }",
        "int g(int *x) { return *x; } int main(void) { int y = 0; int (*f)(void *) = (int (*)(void *))g; return f(&y); }",
        OPTIONS,
        |what| *what == Undefined::WrongFunctionType,
    );
    check_with(
        "int main(void) { void (*f)(void) = (void (*)(void))8; f(); return 0; }",
        "unsigned g(void) { return -1; } int main(void) { int (*f)(void) = (int (*)(void))g; return f() >= 0; }",
        OPTIONS,
        |what| *what == Undefined::BadFunctionPointer,
    );
    check("void (*f)(void) = 0; f();", "void (*f)(void) = 0; if (f) f();", |what| *what == Undefined::NullDereference);
}

#[test]
fn literals_and_const_objects_are_not_written() {
    check("char *s = \"abc\"; s[0] = 'x';", "char s[] = \"abc\"; s[0] = 'x';", |what| {
        *what == Undefined::ModifiedLiteral
    });
    check_with(
        "const int x = 1; int main(void) { *(int *)&x = 2; return 0; }",
        "int x = 1; int main(void) { const int *p = &x; *(int *)p = 0; return *p; }",
        OPTIONS,
        |what| matches!(what, Undefined::ModifiedConst(_)),
    );
    check(
        "const int x = 1; *(int *)&x = 2;",
        "const char s[] = \"abc\"; const int a[2] = { 0, 1 }; const int *p = a; return *p;",
        |what| matches!(what, Undefined::ModifiedConst(_)),
    );
}

#[test]
fn only_allocated_memory_is_freed_and_once() {
    check("int x; free(&x);", "free(0);", |what| *what == Undefined::InvalidFree);
    check("char *p = malloc(2); free(p + 1);", "char *p = malloc(2); free(p + 1 - 1);", |what| {
        *what == Undefined::InvalidFree
    });
    check("char *p = malloc(2); free(p); free(p);", "char *p = malloc(2); free(p); p = 0; free(p);", |what| {
        *what == Undefined::DoubleFree
    });
}

#[test]
fn copies_do_not_overlap() {
    check("char a[8] = { 0 }; memcpy(a, a + 3, 4);", "char a[8] = { 0 }; memcpy(a, a + 4, 4);", |what| {
        *what == Undefined::OverlappingCopy
    });
}

#[test]
fn a_result_that_was_not_returned_is_not_used() {
    check_with(
        "int f(void) { } int main(void) { return f(); }",
        "int f(void) { } int main(void) { f(); return 0; }",
        OPTIONS,
        |what| *what == Undefined::MissingReturnValue,
    );
}

#[test]
fn unreachable_is_not_reached() {
    check("int x = 1; if (x) __builtin_unreachable();", "int x = 0; if (x) __builtin_unreachable();", |what| {
        *what == Undefined::Unreachable
    });
}

#[test]
fn floating_values_become_integers_that_hold_them() {
    check("double x = 2147483648.0; return (int)x;", "double x = 2147483647.9; return (int)x != 2147483647;", |what| {
        *what == Undefined::FloatToInteger
    });
    check("double x = -1.0; return (unsigned)x;", "double x = -0.9; return (unsigned)x;", |what| {
        *what == Undefined::FloatToInteger
    });
}

#[test]
fn argument_lists_have_an_end() {
    let f = "int f(int n, ...) { __builtin_va_list l; int s = 0; __builtin_va_start(l, n);
             while (n-- > 0) s += __builtin_va_arg(l, int); __builtin_va_end(l); return s; }";
    let bad = format!("{f} int main(void) {{ return f(3, 1, 2); }}");
    let good = format!("{f} int main(void) {{ return f(3, 1, 2, -3); }}");
    check_with(&bad, &good, OPTIONS, |what| *what == Undefined::BadArgumentList);
}

#[test]
fn formats_fit_their_arguments() {
    check("printf(\"%d\\n\", 1l);", "printf(\"%ld\\n\", 1l);", |what| matches!(what, Undefined::BadFormat(_)));
    check("printf(\"%d %d\\n\", 1);", "printf(\"%d\\n\", 1, 2);", |what| matches!(what, Undefined::BadFormat(_)));
}

#[test]
fn variable_arrays_have_a_size() {
    check("int n = -1; char a[n]; a[0] = 0;", "int n = 1; char a[n]; a[0] = 0;", |what| {
        matches!(what, Undefined::BadSize)
    });
}
