//! Several units as one program.

use expect_test::{Expect, expect};
use hardbop_base::{Diagnostic, Severity};
use hardbop_c_core::{Module, Target, print};
use hardbop_c_link::{Linked, link};
use hardbop_c_lower::lower;

fn unit(source: &str) -> Module {
    let (ast, errors) = hardbop_lang_c::parse(source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    lower(&ast, Target::Lp64).expect("the unit is right").module
}

fn linked(sources: &[&str]) -> Result<Linked, Vec<Diagnostic>> {
    link(sources.iter().map(|source| unit(source)).collect())
}

/// The program printed as C.
#[track_caller]
fn check(sources: &[&str], expect: Expect) {
    let program = linked(sources).expect("the units fit together");
    let text = print::module(&program.module);
    assert_eq!(hardbop_c_core::check::check(&program.module), Ok(()), "{text}");
    expect.assert_eq(&text);
}

/// What is said about the program.
#[track_caller]
fn check_findings(sources: &[&str], expect: &[&str]) {
    let list = match linked(sources) {
        Ok(program) => program.warnings,
        Err(list) => list,
    };
    let text = |finding: &Diagnostic| {
        let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
        format!("{severity}: {}: {}", finding.code, finding.message)
    };
    assert_eq!(list.iter().map(text).collect::<Vec<_>>(), expect);
}

#[test]
fn declarations_meet_their_definitions() {
    check(
        &["extern int x; int f(int); int main(void) { return f(x); }", "int x = 3; int f(int y) { return y + x; }"],
        expect![[r#"
            int f(int);
            int main(void);
            extern int x;
            int x = 3;

            int f(int y)
            {
              return y + x;
            }

            int main(void)
            {
              int f_1;

              f_1 = f(x);
              return f_1;
            }
        "#]],
    );
}

#[test]
fn internal_names_are_kept_apart() {
    check(
        &[
            "static int x = 1; static int f(void) { return x; } int g(void) { return f(); }",
            "static int x = 2; static int f(void) { return x; } int h(void) { return f(); }",
        ],
        expect![[r#"
            static int f(void);
            int g(void);
            static int f_1(void);
            int h(void);
            static int x;
            static int x_1;
            static int x = 1;
            static int x_1 = 2;

            static int f(void)
            {
              return x;
            }

            int g(void)
            {
              int f_2;

              f_2 = f();
              return f_2;
            }

            static int f_1(void)
            {
              return x_1;
            }

            int h(void)
            {
              int f_2;

              f_2 = f_1();
              return f_2;
            }
        "#]],
    );
}

#[test]
fn records_of_one_shape_are_one() {
    check(
        &[
            "struct n { struct n *next; struct m *m; }; struct m { int x; }; extern struct n *list; int f(void) { return list->m->x; }",
            "struct m { int x; }; struct n { struct n *next; struct m *m; }; struct n *list;",
        ],
        expect![[r#"
            struct n;
            struct m;
            struct n {
              struct n *next;
              struct m *m;
            };
            struct m {
              int x;
            };
            int f(void);
            extern struct n *list;
            struct n *list = 0;

            int f(void)
            {
              struct m *list_m;

              list_m = list->m;
              return list_m->x;
            }
        "#]],
    );
}

#[test]
fn records_of_different_shapes_are_two() {
    check(
        &[
            "struct a { int x; }; struct b { struct a *a; }; struct b *p;",
            "struct a { char x; }; struct b { struct a *a; }; struct b *q;",
        ],
        expect![[r#"
            struct a;
            struct b;
            struct a_1;
            struct b_1;
            struct a {
              int x;
            };
            struct b {
              struct a *a;
            };
            struct a_1 {
              char x;
            };
            struct b_1 {
              struct a_1 *a;
            };
            extern struct b *p;
            extern struct b_1 *q;
            struct b *p = 0;
            struct b_1 *q = 0;
        "#]],
    );
}

#[test]
fn a_declared_record_is_the_defined_one() {
    check(
        &[
            "struct s; struct s *make(void); void *f(void) { return make(); }",
            "struct s { int x; }; struct s *make(void) { return 0; }",
        ],
        expect![[r#"
            struct s;
            struct s {
              int x;
            };
            struct s *make(void);
            void *f(void);

            struct s *make(void)
            {
              return (struct s *)0;
            }

            void *f(void)
            {
              struct s *make_1;

              make_1 = make();
              return (void *)make_1;
            }
        "#]],
    );
}

#[test]
fn tentative_definitions_are_one() {
    check(
        &["int x; extern int a[];", "int x = 2; int a[3];", "int x;"],
        expect![[r#"
        extern int x;
        extern int a[3];
        int x = 2;
        int a[3] = {};
    "#]],
    );
}

#[test]
fn inline_functions_of_a_header_do_not_collide() {
    check_findings(&["inline int f(void) { return 1; }", "inline int f(void) { return 1; }"], &[]);
}

#[test]
fn two_definitions_are_an_error() {
    check_findings(&["int x = 1;", "int x = 2;"], &["error: duplicate-definition: `x` is defined in two files"]);
    check_findings(
        &["int f(void) { return 1; }", "int f(void) { return 1; }"],
        &["error: duplicate-definition: `f` is defined in two files"],
    );
}

#[test]
fn types_that_do_not_fit_are_a_warning() {
    check_findings(
        &["extern char x;", "int x = 2;"],
        &["warning: conflicting-declarations: `x` is declared with another type in another file"],
    );
    check_findings(
        &["void f(char *); void g(void) { f(0); }", "void f(int x) { }"],
        &["warning: conflicting-declarations: `f` is declared with another type in another file"],
    );
}

#[test]
fn uses_are_fitted_to_the_types_of_definitions() {
    check(
        &[
            "extern unsigned *p; extern unsigned char a[]; void f(); unsigned g(void) { f(1, 2); p = 0; return *p + a[1]; }",
            "int *p; char a[3]; void f(char x, long y) { }",
        ],
        expect![[r#"
            void f(char, long);
            unsigned int g(void);
            extern int *p;
            extern char a[3];
            int *p = 0;
            char a[3] = {};

            void f(char x, long y)
            {
            }

            unsigned int g(void)
            {
              f((char)1, (long)2);
              p = (int *)(unsigned int *)0;
              return *(unsigned int *)p + (unsigned int)(int)(unsigned char)a[1];
            }
        "#]],
    );
}

#[test]
fn a_call_with_too_few_arguments_is_one_of_what_was_declared() {
    check(
        &["int f(); int g(void) { return f(1); }", "int f(int x, int y) { return x + y; }"],
        expect![[r#"
        int f(int, int);
        int g(void);

        int f(int x, int y)
        {
          return x + y;
        }

        int g(void)
        {
          int f_1;

          f_1 = (*(int (*)())f)(1);
          return f_1;
        }
    "#]],
    );
}

#[test]
fn a_strong_definition_takes_the_place_of_weak_ones() {
    let weak = "int h(int); __attribute__((weak)) int f(int x) { static int n; int y = h(x); n = y; return n; }";
    let strong = "int f(int z) { int k = z + 1; return k; }";
    let expect = expect![[r#"
        int h(int);
        int f(int);
        static int n;
        static int n = 0;

        int f(int z)
        {
          int k;

          k = z + 1;
          return k;
        }
    "#]];
    check(&[weak, strong], expect);
    assert!(linked(&[strong, weak, weak]).is_ok());
    check_findings(&[strong, weak, strong], &["error: duplicate-definition: `f` is defined in two files"]);
}

#[test]
fn a_strong_variable_takes_the_place_of_weak_ones() {
    let (weak, strong) = ("int v __attribute__((weak)) = 1;", "int v = 2;");
    let expect = || {
        expect![[r#"
            extern int v;
            int v = 2;
        "#]]
    };
    check(&[weak, strong], expect());
    check(&[strong, weak, weak], expect());
    check_findings(&[strong, weak, strong], &["error: duplicate-definition: `v` is defined in two files"]);
    // What starts with zero is defined, too.
    check(
        &[weak, "int v;"],
        expect![[r#"
            extern int v;
            int v = 0;
        "#]],
    );
}

#[test]
fn a_weak_variable_says_so_until_it_is_defined() {
    let weak = "extern int v __attribute__((weak)); extern int w;\n#pragma weak w\n";
    check(
        &[weak, "extern int v; static int w;"],
        expect![[r#"
            extern int v __attribute__((weak));
            extern int w __attribute__((weak));
            static int w_1;
            static int w_1 = 0;
        "#]],
    );
    check(
        &[weak, "int v; int w __attribute__((weak)) = 1;"],
        expect![[r#"
            extern int v;
            extern int w __attribute__((weak));
            int v = 0;
            int w __attribute__((weak)) = 1;
        "#]],
    );
}

#[test]
fn the_first_of_weak_definitions_stays_and_says_so() {
    check(
        &[
            "int f(void) __attribute__((weak)); int main(void) { return f ? f() : 0; }",
            "__attribute__((weak)) int f(void) { return 1; }",
            "__attribute__((weak)) int f(void) { return 2; }",
        ],
        expect![[r#"
            __attribute__((weak)) int f(void);
            int main(void);

            __attribute__((weak)) int f(void)
            {
              return 1;
            }

            int main(void)
            {
              int value;

              if (f) {
                value = f();
              } else {
                value = 0;
              }
              return value;
            }
        "#]],
    );
}

#[test]
fn what_has_one_symbol_is_one() {
    check(
        &[
            "extern int *q asm(\"p\"); void al(void) asm(\"real\"); int scan(int) asm(\"__isoc99_scan\"); \
             int main(void) { *q = 1; al(); return scan(1); }",
            "int x, *p = &x; void real(void) {} int scan(int n) { return n; }",
        ],
        expect![[r#"
            void real(void);
            int scan(int);
            int main(void);
            extern int *p;
            extern int x;
            int *p = &x;
            int x = 0;

            void real(void)
            {
            }

            int scan(int n)
            {
              return n;
            }

            int main(void)
            {
              int scan_1;

              *p = 1;
              real();
              scan_1 = scan(1);
              return scan_1;
            }
        "#]],
    );
}

#[test]
fn what_has_another_symbol_is_another() {
    check(
        &[
            "int version asm(\"version_1\") = 1; static int p; extern int q asm(\"p\"); int *one(void) { return &q; }",
            "int version = 2; extern int version_1; int main(void) { return version_1; }",
            "long p; extern char s asm(\"none\"), t asm(\"none\"); char sum(void) { return s + t; }",
        ],
        expect![[r#"
            int *one(void);
            int main(void);
            char sum(void);
            extern int version;
            static int p_1;
            static int q;
            extern int version_1;
            extern long p;
            extern char s;
            int version = 1;
            static int p_1 = 0;
            int version_1 = 2;
            long p = 0;

            int *one(void)
            {
              return &p_1;
            }

            int main(void)
            {
              return version;
            }

            char sum(void)
            {
              return (char)((int)s + (int)s);
            }
        "#]],
    );
}

#[test]
fn an_alias_is_what_it_names_in_all_files() {
    check(
        &[
            "extern int g; int k = 5; int main(void) { return g; }",
            "static int k = 1; extern int g __attribute__((alias(\"k\"))); int f(void) { return k; }",
        ],
        expect![[r#"
            int main(void);
            int f(void);
            extern int k;
            extern int k_1;
            int k = 1;
            int k_1 = 5;

            int main(void)
            {
              return k;
            }

            int f(void)
            {
              return k;
            }
        "#]],
    );
}

#[test]
fn an_alias_is_not_defined_elsewhere() {
    let alias = |more: &str| {
        format!("static int k = 1; extern int g __attribute__(({more}alias(\"k\"))); int f(void) {{ return g; }}")
    };
    let message = "error: duplicate-definition: `g` is defined in another file, too, and an alias here";
    check_findings(&["int g = 2;", &alias("")], &[message]);
    check_findings(&["int g = 2;", &alias("weak, ")], &[message]);
    check_findings(&["int g __attribute__((weak)) = 2;", &alias("")], &[]);
    check_findings(&["int g = 2;", &alias("weak, ").replace("return g", "return k")], &[]);
}
