//! Programs that gcc refuses, or that have no three-address form: each is reported, and nothing else goes wrong.

use hardbop_base::Severity;
use hardbop_c_core::Target;

/// Each program has an error, and the first one is this.
#[track_caller]
fn refused(code: &str, sources: &[&str]) {
    for source in sources {
        let (ast, errors) = hardbop_lang_c::parse(source, 0);
        assert!(errors.is_empty(), "{errors:?}");
        match hardbop_c_lower::lower(&ast, Target::Lp64) {
            Ok(_) => panic!("accepted: {source}"),
            Err(findings) => {
                let first = findings.iter().find(|finding| finding.severity == Severity::Error);
                assert_eq!(first.map(|finding| finding.code), Some(code), "{source}: {findings:?}");
            }
        }
    }
}

#[test]
fn atomic_functions_take_pointers() {
    refused(
        "wrong-operands",
        &[
            "int x; void f(int y) { __atomic_load(&x, y, 5); }",
            "int x; void f(int y) { __atomic_store(&x, y, 5); }",
            "int x; void f(int y) { __atomic_exchange(&x, &y, y, 5); }",
            "int x; void f(int y) { __atomic_compare_exchange_n(&x, y, 1, 0, 5, 5); }",
            "int x; void f(int y) { __atomic_compare_exchange(&x, &y, y, 0, 5, 5); }",
            "void f(int y) { __sync_fetch_and_add(y, 1); }",
        ],
    );
}

#[test]
fn vectors_meet_numbers_only() {
    let vector = "typedef float v4 __attribute__((vector_size(16)));";
    refused(
        "wrong-operands",
        &[
            &format!("{vector} v4 f(v4 v) {{ return v * f; }}"),
            &format!("{vector} v4 f(v4 v, char *p) {{ return v + *&p; }}"),
            &format!("{vector} int f(v4 v) {{ return v ?: 1; }}"),
        ],
    );
}

#[test]
fn what_has_linkage_has_a_constant_length() {
    refused(
        "variable-length",
        &[
            "int f(int n) { extern int row[n]; return row[0]; }",
            "int f(int n) { static int row[n]; return row[0]; }",
            "int f(int n) { static int (*p)[n]; return **p; }",
        ],
    );
}

#[test]
fn nothing_is_no_argument_even_of_what_nobody_knows() {
    refused("void-value", &["void g(void); void f(void) { __builtin_unknown(1, g()); }"]);
}

#[test]
fn arguments_passed_on_by_inlining_are_not_supported() {
    refused(
        "unsupported-construct",
        &[
            "int p(const char *, ...); extern inline int f(int x, ...) { return p(\"\", __builtin_va_arg_pack()); }",
            "extern inline int f(int x, ...) { return __builtin_va_arg_pack_len(); }",
            "inline __attribute__((gnu_inline)) int f(int x, ...) { return __builtin_va_arg_pack_len(); }",
            "static inline __attribute__((gnu_inline)) int f(int x, ...) { return __builtin_va_arg_pack_len(); }",
            "extern inline __attribute__((gnu_inline)) int f(int, ...);
             inline int f(int x, ...) { return __builtin_va_arg_pack_len(); }",
            "int n; extern inline __attribute__((gnu_inline)) int f(int x, ...) { return n = __builtin_va_arg_pack_len(); }",
            "int g(void); extern inline __attribute__((gnu_inline)) int f(int x, ...)
             { g(); return __builtin_va_arg_pack_len(); } int g(void) { return 1; }",
        ],
    );
}

#[test]
fn builtins_that_we_take_apart_have_all_their_arguments() {
    refused(
        "too-few-arguments",
        &[
            "void f(int n, ...) { __builtin_va_list a; __builtin_va_copy(a); }",
            "void f(int n, ...) { __builtin_va_end(); }",
        ],
    );
}

#[test]
fn a_name_with_linkage_is_a_function_or_a_variable() {
    refused(
        "redeclared",
        &[
            "int x(void) { extern int x; return 0; }",
            "int x(void) { int x; { extern int x; } return 0; }",
            "void f(void) { extern int x; } void g(void) { int x(void); }",
        ],
    );
}

#[test]
fn a_flexible_array_is_not_alone() {
    refused(
        "flexible-member",
        &["struct { int a[]; } y = { { 2, 3 } };", "struct s { int : 3; int a[]; };", "union u { int n; int a[]; };"],
    );
}

#[test]
fn functions_have_names_inside_of_them_only() {
    refused("undeclared", &["const char *p = __func__;", "int n = sizeof __FUNCTION__;"]);
}

#[test]
fn what_is_initialised_has_a_known_type() {
    refused("incomplete-variable", &["enum b b = -1; enum b { B = -1 };", "void f(void) { enum never x; }"]);
    refused("incomplete-parameter", &["void f(void n, typeof(n) m);", "void f(int, void n) { }"]);
    refused("incompatible-types", &["void g(int, ...); void f(int z) { g(1, (struct s)__builtin_parity(z)); }"]);
}

#[test]
fn operands_of_assembly_have_a_size() {
    refused(
        "unsupported-construct",
        &[
            "void f(void *p) { asm(\"\" : \"+m\"(*p)); }",
            "void f(void *p) { asm(\"\" : : \"m\"(*p)); }",
            "void f(void *p) { asm(\"\" : \"=m\"(*(int (*)[4])p)); }",
        ],
    );
}
