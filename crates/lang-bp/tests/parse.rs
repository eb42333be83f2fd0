//! What can be read, and how it is printed.

use expect_test::{Expect, expect};
use hardbop_lang_bp::{parse, print};

/// The canonical text of `source`, which must be read without complaint.
#[track_caller]
fn check(source: &str, expect: Expect) {
    let (ast, findings) = parse(source, 0);
    assert_eq!(findings, []);
    let text = print(&ast);
    expect.assert_eq(&text);
    let (again, findings) = parse(&text, 0);
    assert_eq!(findings, []);
    assert_eq!(print(&again), text);
}

/// The canonical text of each expression, a line each.
#[track_caller]
fn check_exprs(exprs: &[&str], expect: Expect) {
    let lines = exprs.iter().map(|expr| {
        let (ast, findings) = parse(&format!("void main() begin a := {expr}; end"), 0);
        assert_eq!(findings, []);
        let text = print(&ast);
        let start = text.find(":= ").expect("there is an assignment") + 3;
        let end = text.rfind(";\nend").expect("there is an end");
        text[start..end].to_owned() + "\n"
    });
    expect.assert_eq(&lines.collect::<String>());
}

#[test]
fn an_empty_file_is_a_program() {
    check("", expect![[""]]);
}

#[test]
fn declarations_stand_anywhere_outside() {
    check(
        "decl a; void f() begin end decl b, c; void main() begin decl d; decl e; skip; end decl f;",
        expect![[r#"
        decl a, b, c, f;

        void f()
        begin
        end

        void main()
        begin
          decl d, e;
          skip;
        end
    "#]],
    );
}

#[test]
fn a_type_says_how_many_results_there_are() {
    check(
        "void a() begin end; bool b(x) begin end bool<1> c(x, y) begin end bool<3> d() begin end bool<0> e() begin end",
        expect![[r#"
            void a()
            begin
            end

            bool b(x)
            begin
            end

            bool c(x, y)
            begin
            end

            bool<3> d()
            begin
            end

            void e()
            begin
            end
        "#]],
    );
}

#[test]
fn a_procedure_needs_no_type_and_dfs_means_nothing() {
    check(
        "f(x) begin end dfs void g() begin end dfs h() begin end void dfs() begin end dfs() begin end",
        expect![[r#"
            f(x)
            begin
            end

            void g()
            begin
            end

            h()
            begin
            end

            void dfs()
            begin
            end

            dfs()
            begin
            end
        "#]],
    );
}

#[test]
fn statements_of_both_dialects_are_read() {
    check(
        "void main(x) begin enforce x; abortif (!x);
         skip; print(x, T); print(); goto l, 2; l: 2: return; return x, *; x := F; x, _ := T, T constrain 'x | x';
         f(); x := f(x, !x); x, y := f(); assert(x); assert x; assume(x); assume x; constrain('x); constrain 'x; end",
        expect![[r#"
            void main(x)
            begin
              enforce x;
              abortif !x;
              skip;
              print(x, T);
              print();
              goto l, 2;
              l: 2: return;
              return x, *;
              x := F;
              x, _ := T, T constrain 'x | 'x;
              f();
              x := f(x, !x);
              x, y := f();
              assert(x);
              assert(x);
              assume(x);
              assume(x);
              constrain('x);
              constrain('x);
            end
        "#]],
    );
}

#[test]
fn statements_of_one_dialect_are_read() {
    check(
        "void main() begin dead x, y; start_thread f(x); start_thread goto l; end_thread; sync s; atomic_begin;
         atomic_end; end",
        expect![[r#"
            void main()
            begin
              dead x, y;
              start_thread f(x);
              start_thread goto l;
              end_thread;
              sync s;
              atomic_begin;
              atomic_end;
            end
        "#]],
    );
}

#[test]
fn conditions_need_no_parentheses_and_semicolons_may_be_missing() {
    check(
        "void main() begin if a then skip elsif (b) then skip; else skip fi if (a) & b then fi; while * do skip od;
         while (?) do od ;; if (a) then if (b) then skip fi fi return end",
        expect![[r#"
            void main()
            begin
              if (a) then
                skip;
              elsif (b) then
                skip;
              else
                skip;
              fi
              if (a & b) then
              fi
              while (*) do
                skip;
              od
              while (*) do
              od
              if (a) then
                if (b) then
                  skip;
                fi
              fi
              return;
            end
        "#]],
    );
}

#[test]
fn labels_may_be_numbers_and_stand_alone() {
    check(
        "void main() begin L1:\n L2: 10: skip; if (a) then x: fi while (a) do y: ; od z: end",
        expect![[r#"
        void main()
        begin
          L1: L2: 10: skip;
          if (a) then
            x: skip;
          fi
          while (a) do
            y: skip;
          od
          z: skip;
        end
    "#]],
    );
}

#[test]
fn rare_keywords_are_names_where_they_cannot_be_keywords() {
    check(
        "decl dead, sync, print, constrain, enforce, abortif, dfs, schoose, atomic_begin, end_thread, start_thread;
         void sync() begin enforce := T; abortif, dfs := F, schoose; dead := print; sync := constrain; sync(); end
         void atomic_end() begin print: constrain, dead := dead & schoose, sync; atomic_end(); end",
        expect![[r#"
            decl dead, sync, print, constrain, enforce, abortif, dfs, schoose, atomic_begin, end_thread, start_thread;

            void sync()
            begin
              enforce := T;
              abortif, dfs := F, schoose;
              dead := print;
              sync := constrain;
              sync();
            end

            void atomic_end()
            begin
              print: constrain, dead := dead & schoose, sync;
              atomic_end();
            end
        "#]],
    );
}

#[test]
fn names_may_have_dollars_and_braces() {
    check(
        "decl c$$x, $, _y, {p->n == 0 && *q}, { a }, {a};",
        expect![[r#"
        decl c$$x, $, _y, {p->n == 0 && *q}, {a}, {a};
    "#]],
    );
}

#[test]
fn comments_and_blanks_are_skipped() {
    check(
        "\u{feff}/* a /* b */ decl\x0c a //\r\n,\tb; // c",
        expect![[r#"
        decl a, b;
    "#]],
    );
}

#[test]
fn operators_bind_as_in_the_grammar() {
    check_exprs(
        &[
            "a | b & c",
            "(a | b) & c",
            "a ^ b & c | d",
            "a = b & c",
            "a = (b & c)",
            "!a = b",
            "!(a = b)",
            "a => b | c",
            "a <=> b => c",
            "(a <=> b) => c",
            "a != b = c",
            "a != (b = c)",
        ],
        expect![[r#"
            a | b & c
            (a | b) & c
            a ^ b & c | d
            a = b & c
            a = (b & c)
            !a = b
            !(a = b)
            a => b | c
            a <=> b => c
            (a <=> b) => c
            a != b = c
            a != (b = c)
        "#]],
    );
}

#[test]
fn operators_have_several_spellings() {
    check_exprs(
        &["a || b", "a && b", "a == b", "a <> b", "~a", "~!a", "true", "false", "1", "0", "T", "F", "?", "*"],
        expect![[r#"
            a | b
            a & b
            a = b
            a != b
            !a
            !!a
            T
            F
            T
            F
            T
            F
            *
            *
        "#]],
    );
}

#[test]
fn a_question_mark_is_a_value_or_an_operator() {
    check_exprs(
        &["?", "a ? b : c", "? ? ? : ?", "a ? b ? T : F : c ? T : F", "(a ? b : c) ? T : F", "a | ? & b"],
        expect![[r#"
            *
            a ? b : c
            * ? * : *
            a ? b ? T : F : c ? T : F
            (a ? b : c) ? T : F
            a | * & b
        "#]],
    );
}

#[test]
fn choices_have_two_arguments() {
    check_exprs(
        &["schoose[a | b, !a]", "!schoose[a ? T : F, schoose[F, F]] & schoose"],
        expect![[r#"
        schoose[a | b, !a]
        !schoose[a ? T : F, schoose[F, F]] & schoose
    "#]],
    );
}

#[test]
fn chains_associate_to_the_left() {
    check_exprs(
        &["a & b & c", "a & (b & c)", "a = b = c", "a = (b = c)", "(a => b) => c", "a => (b => c)"],
        expect![[r#"
            a & b & c
            a & (b & c)
            a = b = c
            a = (b = c)
            (a => b) => c
            a => (b => c)
        "#]],
    );
}
