//! Initialisers: braces, designators, strings, and what stays zero.

use expect_test::{Expect, expect};
use hardbop_base::Severity;
use hardbop_c_core::{Module, Target, print};

fn lower(source: &str) -> (Module, Vec<String>) {
    let (ast, errors) = hardbop_lang_c::parse(source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    let lowered = hardbop_c_lower::lower(&ast, Target::Lp64).expect("the program is right");
    assert_eq!(hardbop_c_core::check::check(&lowered.module), Ok(()), "{}", print::module(&lowered.module));
    assert!(lowered.warnings.iter().all(|finding| finding.severity == Severity::Warning));
    (lowered.module, lowered.warnings.into_iter().map(|finding| finding.code.to_owned()).collect())
}

#[track_caller]
fn check(source: &str, expect: Expect) {
    expect.assert_eq(&print::module(&lower(source).0));
}

#[test]
fn braces_may_be_left_out() {
    check(
        "struct p { int x, y; }; struct p a[] = { 1, 2, 3 }; int m[2][2] = { 1, { 2, 3 } };",
        expect![[r#"
        struct p;
        struct p {
          int x;
          int y;
        };
        extern struct p a[2];
        extern int m[2][2];
        struct p a[2] = {
          [0].x = 1,
          [0].y = 2,
          [1].x = 3,
        };
        int m[2][2] = {
          [0][0] = 1,
          [0][1] = 2,
        };
    "#]],
    );
}

#[test]
fn designators_lead_into_parts_and_go_on_there() {
    check(
        "struct { int a; struct { int b, c; } d[2]; int e; } s = { .d[1].b = 1, 2, 3, .a = 4 };
         int a[] = { [3] = 1, 2, [0] = 5 };",
        expect![[r#"
            struct anonymous;
            struct anonymous_1;
            struct anonymous_1 {
              int b;
              int c;
            };
            struct anonymous {
              int a;
              struct anonymous_1 d[2];
              int e;
            };
            extern struct anonymous s;
            extern int a[5];
            struct anonymous s = {
              .d[1].b = 1,
              .d[1].c = 2,
              .e = 3,
              .a = 4,
            };
            int a[5] = {
              [3] = 1,
              [4] = 2,
              [0] = 5,
            };
        "#]],
    );
}

#[test]
fn ranges_are_written_once() {
    check(
        "int a[1000] = { [1 ... 998] = 7, 8 };",
        expect![[r#"
        extern int a[1000];
        int a[1000] = {
          [1 ... 998] = 7,
          [999] = 8,
        };
    "#]],
    );
}

#[test]
fn a_later_whole_is_cut_out_of_a_range() {
    check(
        "struct { int x, y; } a[9] = { [1 ... 7] = { 1, 2 }, [3 ... 4] = { 3 } }, b[3] = { [1] = { 1, 2 }, [0 ... 2] = { 3 } };",
        expect![[r#"
            struct anonymous;
            struct anonymous {
              int x;
              int y;
            };
            extern struct anonymous a[9];
            extern struct anonymous b[3];
            struct anonymous a[9] = {
              [1 ... 2].x = 1,
              [5 ... 7].x = 1,
              [1 ... 2].y = 2,
              [5 ... 7].y = 2,
              [3 ... 4].x = 3,
            };
            struct anonymous b[3] = { [0 ... 2].x = 3 };
        "#]],
    );
}

#[test]
fn a_later_value_replaces_an_earlier_one() {
    check(
        "struct { struct { int x, y; } p; int z; } s = { .p = { 1, 2 }, .z = 3, .p = { .y = 4 }, .z = 5 };",
        expect![[r#"
            struct anonymous;
            struct anonymous_1;
            struct anonymous_1 {
              int x;
              int y;
            };
            struct anonymous {
              struct anonymous_1 p;
              int z;
            };
            extern struct anonymous s;
            struct anonymous s = {
              .p.y = 4,
              .z = 5,
            };
        "#]],
    );
}

#[test]
fn strings_fill_arrays_of_characters() {
    check(
        "char a[] = \"ab\", b[2] = \"abc\", c[4] = { \"x\" }, d[2][3] = { \"p\", \"q\" }; int w[] = L\"h\"; char *p = \"ab\";",
        expect![[r#"
            extern char a[3];
            extern char b[2];
            extern char c[4];
            extern char d[2][3];
            extern int w[2];
            extern char *p;
            char a[3] = "ab";
            char b[2] = "ab";
            char c[4] = "x";
            char d[2][3] = {
              [0] = "p",
              [1] = "q",
            };
            int w[2] = { [0] = 104, [1] = 0 };
            char *p = "ab";
        "#]],
    );
}

#[test]
fn unions_start_with_their_first_or_a_named_member() {
    check(
        "union u { char c; int x; } a = { 1 }, b = { .x = 2 }; struct { union u u; int y; } c = { 3, 4 };",
        expect![[r#"
            union u;
            struct anonymous;
            union u {
              char c;
              int x;
            };
            struct anonymous {
              union u u;
              int y;
            };
            extern union u a;
            extern union u b;
            extern struct anonymous c;
            union u a = { .c = 1 };
            union u b = { .x = 2 };
            struct anonymous c = {
              .u.c = 3,
              .y = 4,
            };
        "#]],
    );
}

#[test]
fn anonymous_members_are_named_from_outside() {
    check(
        "struct { int a; union { int b; char c; }; int d; } s = { .b = 1, 2 }, t = { 1, 2, 3 };",
        expect![[r#"
        struct anonymous;
        union anonymous_1;
        union anonymous_1 {
          int b;
          char c;
        };
        struct anonymous {
          int a;
          union anonymous_1 anonymous_1;
          int d;
        };
        extern struct anonymous s;
        extern struct anonymous t;
        struct anonymous s = {
          .anonymous_1.b = 1,
          .d = 2,
        };
        struct anonymous t = {
          .a = 1,
          .anonymous_1.b = 2,
          .d = 3,
        };
    "#]],
    );
}

#[test]
fn a_flexible_array_may_be_initialised() {
    check(
        "struct { int n; char s[]; } x = { 2, \"ab\" }; struct { int n; int a[]; } y = { 1, { 2, 3 } };",
        expect![[r#"
            struct anonymous;
            struct anonymous_1;
            struct anonymous {
              int n;
              char s[];
            };
            struct anonymous_1 {
              int n;
              int a[];
            };
            extern struct anonymous x;
            extern struct anonymous_1 y;
            struct anonymous x = {
              .n = 2,
              .s = "ab",
            };
            struct anonymous_1 y = {
              .n = 1,
              .a[0] = 2,
              .a[1] = 3,
            };
        "#]],
    );
}

#[test]
fn compound_literals_are_objects() {
    check(
        "int *p = (int[]){ 1, 2 }; struct s { int x; } s = (struct s){ 3 }; int f(void) { int *q = (int[2]){ 4 }; return q[0]; }",
        expect![[r#"
            struct s;
            struct s {
              int x;
            };
            int f(void);
            extern int *p;
            static int value[2];
            extern struct s s;
            int *p = &value[0];
            static int value[2] = {
              [0] = 1,
              [1] = 2,
            };
            struct s s = { .x = 3 };

            int f(void)
            {
              int *q;
              int value_1[2];

              __builtin_memset(&value_1, 0, sizeof(value_1));
              value_1[0] = 4;
              q = &value_1[0];
              return *q;
            }
        "#]],
    );
}

#[test]
fn a_local_is_zeroed_only_if_something_remains() {
    check(
        "void f(int x) { int a[2] = { x, 1 }; int b[2] = { x }; struct { int u, v; } s = { .v = x, .u = 2 }; int c[1000000] = { 0 }; }",
        expect![[r#"
            struct anonymous;
            struct anonymous {
              int u;
              int v;
            };
            void f(int);

            void f(int x)
            {
              int a[2];
              int b[2];
              struct anonymous s;
              int c[1000000];

              a[0] = x;
              a[1] = 1;
              __builtin_memset(&b, 0, sizeof(b));
              b[0] = x;
              s.v = x;
              s.u = 2;
              __builtin_memset(&c, 0, sizeof(c));
            }
        "#]],
    );
}

#[test]
fn a_record_among_the_elements_is_taken_whole() {
    check(
        "struct p { int x, y; }; void f(struct p q) { struct { struct p a, b; int z; } s = { q, 1, 2, 3 }; }",
        expect![[r#"
            struct p;
            struct anonymous;
            struct p {
              int x;
              int y;
            };
            struct anonymous {
              struct p a;
              struct p b;
              int z;
            };
            void f(struct p);

            void f(struct p q)
            {
              struct anonymous s;

              s.a = q;
              s.b.x = 1;
              s.b.y = 2;
              s.z = 3;
            }
        "#]],
    );
}

#[test]
fn a_local_range_evaluates_its_value_once() {
    check(
        "int g(void); void f(void) { int a[100] = { [10 ... 90] = g() }, b[3] = { [0 ... 1] = g() }; }",
        expect![[r#"
            int g(void);
            void f(void);

            void f(void)
            {
              int a[100];
              int g_1;
              int element;
              long index;
              int b[3];
              int g_2;
              int element_1;

              __builtin_memset(&a, 0, sizeof(a));
              g_1 = g();
              element = g_1;
              index = 10L;
              while (index <= 90L) {
                a[index] = element;
                index = index + 1L;
              }
              __builtin_memset(&b, 0, sizeof(b));
              g_2 = g();
              element_1 = g_2;
              b[0] = element_1;
              b[1] = element_1;
            }
        "#]],
    );
}

#[test]
fn a_local_string_is_stored_or_copied() {
    check(
        "void f(void) { char a[] = \"ab\"; char b[30] = \"a long string of characters\"; }",
        expect![[r#"
        void f(void);

        void f(void)
        {
          char a[3];
          char b[30];

          a[0] = 97;
          a[1] = 98;
          a[2] = 0;
          __builtin_memset(&b, 0, sizeof(b));
          __builtin_memcpy((void *)&b[0], (const void *)"a long string of characters", 28UL);
        }
    "#]],
    );
}

#[test]
fn excess_elements_are_left_out() {
    assert_eq!(lower("int a[1] = { 1, 2, 3 }; int x = { 1, 2 };").1, ["excess-initialiser", "excess-initialiser"]);
}

#[test]
fn elements_without_parts_take_no_time() {
    lower("struct e { }; struct e a[1000000000] = { 1 };");
}

#[test]
fn a_large_table_is_linear() {
    let rows: String = (0..50_000).map(|row| format!("{{ {row}, \"s\" }}, ")).collect();
    let (module, _) = lower(&format!("struct {{ int x; char *s; }} table[] = {{ {rows} }};"));
    let table = module.vars.iter().find(|var| var.source_name == "table").expect("there is a table");
    assert_eq!(table.init.as_ref().map(|init| init.parts.len()), Some(100_000));
}
