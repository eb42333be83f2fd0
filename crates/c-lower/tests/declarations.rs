//! Declarations: types, layouts, storage and linkage.

use expect_test::{Expect, expect};
use hardbop_base::Severity;
use hardbop_c_core::{Function, Linkage, Target, print};
use hardbop_c_lower::Inline;

fn findings(source: &str) -> Vec<String> {
    let (ast, errors) = hardbop_lang_c::parse(source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    let (module, list) = match hardbop_c_lower::lower(&ast, Target::Lp64) {
        Ok(lowered) => (Some(lowered.module), lowered.warnings),
        Err(list) => (None, list),
    };
    if let Some(module) = module {
        assert_eq!(hardbop_c_core::check::check(&module), Ok(()), "{}", print::module(&module));
    }
    let text = |span: Option<hardbop_base::Span>| {
        span.map_or_else(String::new, |span| source[span.start as usize..span.end as usize].to_owned())
    };
    list.into_iter()
        .map(|finding| {
            let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
            format!("{severity}: {} `{}`", finding.code, text(finding.span))
        })
        .collect()
}

/// The program printed as C.
#[track_caller]
fn check(source: &str, expect: Expect) {
    let (ast, errors) = hardbop_lang_c::parse(source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    let lowered = hardbop_c_lower::lower(&ast, Target::Lp64).expect("the program is right");
    let text = print::module(&lowered.module);
    assert_eq!(hardbop_c_core::check::check(&lowered.module), Ok(()), "{text}");
    expect.assert_eq(&text);
}

/// What is said about the program, one finding in each line.
#[track_caller]
fn check_findings(source: &str, expect: &[&str]) {
    assert_eq!(findings(source), expect);
}

#[test]
fn tentative_definitions_are_one_variable() {
    check(
        "int x; extern int x; int x; int y = 1; extern int y; static int z; static int z;",
        expect![[r#"
        extern int x;
        extern int y;
        static int z;
        int x = 0;
        int y = 1;
        static int z = 0;
    "#]],
    );
}

#[test]
fn an_array_takes_its_length_from_any_declaration() {
    check(
        "extern int a[]; int a[3]; extern int b[]; int b[] = {1, 2}; extern int c[];",
        expect![[r#"
        extern int a[3];
        extern int b[2];
        extern int c[];
        int a[3] = {};
        int b[2] = {
          [0] = 1,
          [1] = 2,
        };
    "#]],
    );
}

#[test]
fn a_tentative_array_without_a_length_has_one_element() {
    check_findings("int a[];", &["warning: incomplete-array `a`"]);
}

#[test]
fn extern_after_static_is_internal() {
    check(
        "static int f(void); extern int f(void); static int x; extern int x; int g(void) { return f() + x; } int f(void) { return 1; }",
        expect![[r#"
            static int f(void);
            int g(void);
            static int x;
            static int x = 0;

            static int f(void)
            {
              return 1;
            }

            int g(void)
            {
              int f_1;

              f_1 = f();
              return f_1 + x;
            }
        "#]],
    );
}

#[test]
fn extern_in_a_block_is_the_global() {
    check(
        "int f(void) { extern int x; { extern int x; return x; } } int x = 3;",
        expect![[r#"
        int f(void);
        extern int x;
        int x = 3;

        int f(void)
        {
          return x;
        }
    "#]],
    );
}

#[test]
fn a_local_hides_and_its_name_is_unique() {
    check(
        "int x; void f(int y) { int x = y; { int x = 2; y = x; } y = x; }",
        expect![[r#"
        void f(int);
        extern int x;
        int x = 0;

        void f(int y)
        {
          int x_1;
          int x_2;

          x_1 = y;
          x_2 = 2;
          y = x_2;
          y = x_1;
        }
    "#]],
    );
}

#[test]
fn a_static_local_is_initialised_once() {
    check(
        "int next(void) { static int count = 5; static int zero; return ++count + zero; }",
        expect![[r#"
        int next(void);
        static int count;
        static int zero;
        static int count = 5;
        static int zero = 0;

        int next(void)
        {
          count = count + 1;
          return count + zero;
        }
    "#]],
    );
}

#[test]
fn an_inline_definition_is_the_units_own() {
    check(
        "inline int f(void) { return 1; } inline int g(void) { return 2; } extern int g(void);",
        expect![[r#"
        static int f(void);
        int g(void);

        static int f(void)
        {
          return 1;
        }

        int g(void)
        {
          return 2;
        }
    "#]],
    );
}

#[test]
fn a_gnu_inline_body_gives_way_to_a_definition() {
    check(
        "extern inline __attribute__((gnu_inline)) int f(void) { return 1; } int f(void) { return 2; }",
        expect![[r#"
            int f(void);

            int f(void)
            {
              return 2;
            }
        "#]],
    );
}

/// Which functions other units can call here: those whose body is exported.
#[track_caller]
fn exported(inline: Inline, source: &str) -> Vec<String> {
    let (ast, errors) = hardbop_lang_c::parse(source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    let module = hardbop_c_lower::lower_as(&ast, Target::Lp64, inline).expect("the program is right").module;
    let is_exported = |row: &&Function| row.body.is_some() && row.linkage == Linkage::External;
    module.functions.iter().filter(is_exported).map(|row| row.name.clone()).collect()
}

#[test]
fn inline_bodies_are_exported_as_the_language_has_it() {
    let source = "inline int plain(void) { return 1; } extern inline int outer(void) { return 2; }
        static inline int own(void) { return 3; } extern inline int both(void) { return 4; } extern int both(void);
        extern inline int given(void) { return 5; } int given(void) { return 6; }
        inline int declared(void); extern int declared(void); int declared(void) { return 7; }";
    let old = source;
    let new = source.replace("int given(void) { return 6; }", "");
    assert_eq!(exported(Inline::Gnu, old), ["plain", "given", "declared"]);
    assert_eq!(exported(Inline::Standard, &new), ["outer", "both", "given", "declared"]);
}

#[test]
fn a_body_that_needs_inlining_gives_no_definition() {
    check(
        "int p(const char *, ...); int printf(const char *, ...);
         extern inline __attribute__((gnu_inline)) int f(const char *s, ...)
         { static int calls; int n = calls++; return n ? p(s, __builtin_va_arg_pack()) : 0; }
         int g(void) { return f(\"%d\", 1); }",
        expect![[r#"
            int p(const char *, ...);
            int printf(const char *, ...);
            int f(const char *, ...);
            int g(void);
            static int calls;
            static int calls = 0;

            int g(void)
            {
              int f_1;

              f_1 = f((const char *)"%d", 1);
              return f_1;
            }
        "#]],
    );
    check(
        "extern inline __attribute__((gnu_inline)) int f(int x, ...) { return __builtin_va_arg_pack_len(); }
         int f(int x, ...) { return x; }",
        expect![[r#"
            int f(int, ...);

            int f(int x_1, ...)
            {
              return x_1;
            }
        "#]],
    );
}

#[test]
fn an_old_style_definition_takes_promoted_arguments() {
    check(
        "int f(c, x, p) char c; float x; int p[]; { return c + x + p[0]; } int g() { return f('a', 1.0f, 0); }",
        expect![[r#"
            int f();
            int g();

            int f(c, x, p)
              int c;
              double x;
              int *p;
            {
              char c_1;
              float x_1;

              c_1 = (char)c;
              x_1 = (float)x;
              return (int)((float)(int)c_1 + x_1 + (float)*p);
            }

            int g()
            {
              int f_1;

              f_1 = f(97, 1.0, 0);
              return f_1;
            }
        "#]],
    );
}

#[test]
fn an_old_style_definition_after_a_prototype_takes_what_that_says() {
    check(
        "int f(char); int f(c) char c; { return c; }",
        expect![[r#"
        int f(char);

        int f(char c)
        {
          return (int)c;
        }
    "#]],
    );
}

#[test]
fn parameters_are_adjusted() {
    check(
        "int f(int a[3], int g(int), const int b[const 4]) { return g(a[0]) + b[1]; }",
        expect![[r#"
        int f(int *, int (*)(int), const int *);

        int f(int *a, int (*g)(int), const int *b)
        {
          int g_1;

          g_1 = (*g)(*a);
          return g_1 + b[1];
        }
    "#]],
    );
}

#[test]
fn main_returns_zero_at_its_end() {
    check(
        "int main(void) { }",
        expect![[r#"
        int main(void);

        int main(void)
        {
          return 0;
        }
    "#]],
    );
}

#[test]
fn a_function_that_is_not_declared_is_one_of_the_library_or_anything() {
    check(
        "void f(char *p) { p = malloc(3); g(p); g(); }",
        expect![[r#"
        void f(char *);
        void *malloc(unsigned long);
        int g();

        void f(char *p)
        {
          void *malloc_1;

          malloc_1 = malloc(3UL);
          p = (char *)malloc_1;
          g(p);
          g();
        }
    "#]],
    );
    check_findings("void f(void) { g(1); }", &["warning: implicit-function `g`"]);
}

#[test]
fn an_alias_calls_its_target() {
    check(
        "int f(int x) { return x; } int g(int x) __attribute__((alias(\"f\")));",
        expect![[r#"
        int f(int);
        int g(int);

        int f(int x)
        {
          return x;
        }

        int g(int value)
        {
          int result;

          result = f(value);
          return result;
        }
    "#]],
    );
}

#[test]
fn typeof_and_auto_type_take_the_type_of_a_value() {
    check(
        "void f(void) { int a[3]; typeof(a) b; typeof(int *) p = b; __auto_type q = a; __auto_type r = 1.5; p = q; r = r; }",
        expect![[r#"
            void f(void);

            void f(void)
            {
              int a[3];
              int b[3];
              int *p;
              int *q;
              double r;

              p = &b[0];
              q = &a[0];
              r = 1.5;
              p = q;
              r = r;
            }
        "#]],
    );
}

#[test]
fn modes_and_vectors_make_types() {
    check(
        "typedef int di __attribute__((mode(DI))); typedef unsigned qi __attribute__((__mode__(__QI__))); di x; qi y;
         typedef float v4 __attribute__((vector_size(16))); v4 v;",
        expect![[r#"
            typedef float __vector_t7 __attribute__((vector_size(16)));
            extern long x;
            extern unsigned char y;
            extern __vector_t7 v;
            long x = 0;
            unsigned char y = 0;
            __vector_t7 v = {};
        "#]],
    );
}

#[test]
fn an_enumeration_has_the_integer_that_its_values_need() {
    check(
        "enum a { A }; enum b { B = -1 }; enum c { C = 0x80000000 }; enum d { D = 1ull << 40 };
         enum __attribute__((packed)) e { E = 200 }; enum f { F = -1, F1 = 0x80000000 };
         enum a a; enum b b; enum c c; enum d d; enum e e; enum f f; int n = sizeof(D) * 10 + sizeof(A); typeof(C) t;",
        expect![[r#"
            extern unsigned int a;
            extern int b;
            extern unsigned int c;
            extern unsigned long d;
            extern unsigned char e;
            extern long f;
            extern int n;
            extern unsigned int t;
            unsigned int a = 0;
            int b = 0;
            unsigned int c = 0;
            unsigned long d = 0;
            unsigned char e = 0;
            long f = 0;
            int n = 84;
            unsigned int t = 0;
        "#]],
    );
}

#[test]
fn members_lie_where_gcc_puts_them() {
    check(
        "struct s { char c; int x : 3, y : 30; short z; union { long l; struct { char a, b; }; }; } s;
         struct __attribute__((packed)) p { char c; int x; } p;
         struct { char c; int x __attribute__((aligned(16))); } q;
         typedef int wide __attribute__((aligned(8))); struct { char c; wide w; } r;
         int n = __builtin_offsetof(struct s, b);",
        expect![[r#"
            struct s;
            union anonymous;
            struct anonymous_1;
            struct p;
            struct anonymous_2;
            struct anonymous_3;
            struct anonymous_1 {
              char a;
              char b;
            };
            union anonymous {
              long l;
              struct anonymous_1 anonymous_1;
            };
            struct s {
              char c;
              int x : 3;
              int y : 30;
              short z;
              union anonymous anonymous_2;
            };
            struct __attribute__((packed, aligned(1))) p {
              char c;
              int x;
            };
            struct __attribute__((packed, aligned(16))) anonymous_2 {
              char c;
              char padding_1[15];
              int x;
            };
            struct __attribute__((packed, aligned(8))) anonymous_3 {
              char c;
              char padding_1[7];
              int w;
            };
            extern struct s s;
            extern struct p p;
            extern struct anonymous_2 q;
            extern struct anonymous_3 r;
            extern int n;
            struct s s = {};
            struct p p = {};
            struct anonymous_2 q = {};
            struct anonymous_3 r = {};
            int n = 17;
        "#]],
    );
}

#[test]
fn variable_length_arrays_are_allocated() {
    check(
        "int f(int n, int m) { int a[n][m]; a[1][2] = 3; typedef int row[m]; row *p = a; return sizeof a + sizeof p[0] + a[1][2]; }",
        expect![[r#"
            int f(int, int);

            int f(int n, int m)
            {
              unsigned long length;
              unsigned long length_1;
              int *a;
              void *array;
              unsigned long length_2;
              int *p;

              length = (unsigned long)m;
              length_1 = (unsigned long)n;
              array = __builtin_alloca(length_1 * length * 4UL);
              a = (int *)array;
              (a + 1UL * length)[2] = 3;
              length_2 = (unsigned long)m;
              p = (int *)a;
              return (int)(length_1 * length * 4UL + length_2 * 4UL + (unsigned long)(a + 1UL * length)[2]);
            }
        "#]],
    );
}

#[test]
fn parameters_may_have_rows_of_variable_length() {
    check(
        "int f(int n, int a[n][n]) { return a[1][2]; } int g(int n, int a[*][n]);",
        expect![[r#"
        int f(int, int *);
        int g(int, int *);

        int f(int n, int *a)
        {
          unsigned long length;

          length = (unsigned long)n;
          return (a + 1UL * length)[2];
        }
    "#]],
    );
}

#[test]
fn what_is_wrong_with_names_is_said() {
    check_findings("int x; char x;", &["error: conflicting-types `x`"]);
    check_findings("int f(int); int f(char *);", &["error: conflicting-types `f`"]);
    check_findings("int f(void); int f(x) { return x; }", &["error: conflicting-types `f`"]);
    check_findings("int f(void); static int f(void) { return 1; }", &["error: conflicting-linkage `f`"]);
    check_findings("static int x; int x;", &["error: conflicting-linkage `x`"]);
    check_findings("int f(void) {} int f(void) {}", &["error: redefined `f`"]);
    check_findings("int x = 1; int x = 2;", &["error: redefined `x`"]);
    check_findings("void f(int x) { int x; }", &["error: redeclared `x`"]);
    check_findings("void f(int x, int x) {}", &["error: redeclared `x`"]);
    check_findings("typedef int t; typedef int t; typedef char t;", &["error: redeclared `t`"]);
    check_findings("enum { A, A };", &["error: redeclared `A`"]);
    check_findings("void f(void) { int x; extern int x; }", &["error: redeclared `x`"]);
}

#[test]
fn what_is_wrong_with_types_is_said() {
    check_findings("struct s { int x; }; struct s { int x; };", &["error: redefined-type `struct s { int x; }`"]);
    check_findings("struct s; union s x;", &["error: wrong-tag `union s`", "error: incomplete-variable `x`"]);
    check_findings("struct s { int x; char x; };", &["error: duplicate-member `x`"]);
    check_findings("struct s { int x; struct { char x; }; };", &["error: duplicate-member `struct { char x; }`"]);
    check_findings("struct s { struct t x; };", &["error: incomplete-member `x`"]);
    check_findings("struct s { int x[]; int y; };", &["error: flexible-member `x[]`"]);
    check_findings("struct s { int x : 33; };", &["error: invalid-bit-field `33`"]);
    check_findings("struct s x;", &["error: incomplete-variable `x`"]);
    check_findings("int a[-1];", &["error: negative-length `-1`"]);
    check_findings("int n; int a[n];", &["error: variable-length `a[n]`"]);
    check_findings(
        "_Static_assert(sizeof(int) == 4, \"four\"); _Static_assert(0, \"never\");",
        &["error: static-assertion `_Static_assert(0, \"never\")`"],
    );
}

#[test]
fn calls_are_fitted_to_a_prototype_that_comes_later() {
    check(
        "int f(); void g(char *s) { f(1, s); f(s); } int f(unsigned x, unsigned char *s) { return x; }",
        expect![[r#"
            int f(unsigned int, unsigned char *);
            void g(char *);

            int f(unsigned int x, unsigned char *s)
            {
              return (int)x;
            }

            void g(char *s)
            {
              f((unsigned int)1, (unsigned char *)s);
              (*(int (*)())f)(s);
            }
        "#]],
    );
}

#[test]
fn a_builtin_is_the_function_that_is_declared_later() {
    check(
        "void *g(void *p) { return __builtin_memcpy(p, p, 1); } void *memcpy(void *, const void *, unsigned long);",
        expect![[r#"
            void *g(void *);
            void *memcpy(void *, const void *, unsigned long);

            void *g(void *p)
            {
              void *memcpy_1;

              memcpy_1 = memcpy(p, (const void *)p, 1UL);
              return memcpy_1;
            }
        "#]],
    );
}

#[test]
fn the_outermost_length_of_a_parameter_is_evaluated() {
    check(
        "int f(int n, int a[n++]) { return n; }",
        expect![[r#"
        int f(int, int *);

        int f(int n, int *a)
        {
          n = n + 1;
          return n;
        }
    "#]],
    );
}

#[test]
fn layouts_of_other_compilers_are_not_supported() {
    check_findings("struct __attribute__((ms_struct)) s { int x; };", &["error: unsupported-construct `ms_struct`"]);
}

#[test]
fn the_type_of_a_parameter_may_speak_of_an_earlier_one() {
    check(
        "void f(long n, typeof(n) m, int a[3][sizeof n]); int g(int n, int a[n + 1][2 * n]) { return a[1][1]; }",
        expect![[r#"
            void f(long, long, int (*)[8]);
            int g(int, int *);

            int g(int n, int *a)
            {
              unsigned long length;

              length = (unsigned long)(2 * n);
              return (a + 1UL * length)[1];
            }
        "#]],
    );
}

#[test]
fn a_variable_that_is_an_alias_is_its_target() {
    check(
        "int x = 1; extern int y __attribute__((alias(\"x\"))); int f(void) { return y; }
         struct s { int x; }; static struct s t[2]; extern struct s u __attribute__((alias(\"t\")));",
        expect![[r#"
            struct s;
            struct s {
              int x;
            };
            int f(void);
            extern int x;
            extern int y;
            static struct s t[2];
            extern struct s u;
            int x = 1;
            static struct s t[2] = {};

            int f(void)
            {
              return x;
            }
        "#]],
    );
    check_findings(
        "int x; extern char y __attribute__((alias(\"x\"))); int f(void) { return y; }",
        &["error: unsupported-construct `alias`"],
    );
}

/// The code of every diagnostic in a text.
fn codes(text: &str) -> Vec<&str> {
    let starts = ["Diagnostic::error(", "Diagnostic::warning(", ".wrong("];
    let calls = starts.iter().flat_map(|start| text.split(start).skip(1));
    calls.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next()).collect()
}

fn sources(folder: &std::path::Path, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("the sources are there").path();
        if path.is_dir() {
            sources(&path, texts);
        } else {
            texts.push(std::fs::read_to_string(path).expect("the sources are there"));
        }
    }
}

#[test]
fn every_code_is_listed() {
    let mut texts = Vec::new();
    sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut texts);
    let used: std::collections::BTreeSet<&str> = texts.iter().flat_map(|text| codes(text)).collect();
    assert_eq!(used.into_iter().collect::<Vec<_>>(), hardbop_c_lower::CODES);
}

#[test]
fn a_prototype_inside_of_its_function_comes_too_late() {
    check_findings("int f(x) int x; { int f(void); return x; }", &[]);
}

#[test]
fn functions_may_run_before_and_after_main() {
    check(
        "static void start(void) __attribute__((constructor)); static void start(void) {}
        __attribute__((destructor)) void end(void) {}",
        expect![[r#"
            static __attribute__((constructor)) void start(void);
            __attribute__((destructor)) void end(void);

            static __attribute__((constructor)) void start(void)
            {
            }

            __attribute__((destructor)) void end(void)
            {
            }
        "#]],
    );
}
