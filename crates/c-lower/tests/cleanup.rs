//! The attribute `cleanup`: calls wherever the scope of a variable is left.

#[path = "support/compiled.rs"]
mod compiled;
#[path = "support/functions.rs"]
mod functions;

use compiled::same;
use expect_test::expect;
use functions::{check, check_findings};

#[test]
fn every_way_out_means_the_same() {
    same("cleanup", include_str!("../../c-run/tests/programs/cleanup.c"));
}

#[test]
fn the_end_of_a_block_cleans_up_in_reverse_order() {
    check(
        "void c(int *), d(void *); void t(int n) { int x __attribute__((cleanup(c))) = n; { long y __attribute__((cleanup(d))), \
         z __attribute__((__cleanup__(d))); f(x); } f(2); }",
        expect![[r#"
            x = n;
            f(x);
            d((void *)&z);
            d((void *)&y);
            f(2);
            c(&x);
        "#]],
    );
}

#[test]
fn what_is_returned_is_known_before() {
    check(
        "void c(int *); int t(int n) { int x __attribute__((cleanup(c))) = n; if (n) return x + 1; return 3; }",
        expect![[r#"
            x = n;
            if (n) {
              x_1 = x + 1;
              c(&x);
              return x_1;
            }
            c(&x);
            return 3;
        "#]],
    );
}

#[test]
fn jumps_clean_up_what_they_leave() {
    check(
        "void c(int *); void t(int n) { again:; int x __attribute__((cleanup(c))) = n; if (n == 1) goto again; \
         for (;;) { int y __attribute__((cleanup(c))) = n; if (n == 2) goto again; if (n == 3) goto here; \
         if (n == 4) break; if (n == 5) goto after; here:; } after:; }",
        expect![[r#"
            again:;
            x = n;
            if (n == 1) {
              c(&x);
              goto again;
            }
            while (1) {
              y = n;
              if (n == 2) {
                c(&y);
                c(&x);
                goto again;
              }
              if (n == 3) {
                goto here;
              }
              if (n == 4) {
                c(&y);
                break;
              }
              if (n == 5) {
                c(&y);
                goto after;
              }
              here:;
              c(&y);
            }
            after:;
            c(&x);
        "#]],
    );
}

#[test]
fn a_jump_into_the_scope_is_inside() {
    check(
        "void c(int *); void t(int n) { if (n) goto in; { int x __attribute__((cleanup(c))) = n; in: f(n); } }",
        expect![[r#"
            if (n) {
              goto in;
            }
            x = n;
            in:;
            f(n);
            c(&x);
        "#]],
    );
}

#[test]
fn a_jump_that_a_run_chooses_is_not_modelled_where_it_may_leave() {
    check(
        "void c(int *); void t(int n) { void *to = n ? &&in : &&out; { int x __attribute__((cleanup(c))) = n; goto *to; in:; } out:; }",
        expect![[r#"
            if (n) {
              to = &&in;
            } else {
              to = &&out;
            }
            x = n;
            __builtin_trap(); /* a computed jump out of the scope of a variable with a cleanup */
            goto *to;
            in:;
            c(&x);
            out:;
        "#]],
    );
    check(
        "void c(int *); void t(int n) { int x __attribute__((cleanup(c))) = n; goto *(n ? &&in : &&out); in:; out:; }",
        expect![[r#"
            x = n;
            if (n) {
              value = &&in;
            } else {
              value = &&out;
            }
            goto *value;
            in:;
            out:;
            c(&x);
        "#]],
    );
    check(
        "void c(int *); void t(int n) { { int x __attribute__((cleanup(c))) = n; asm goto(\"\" : : : : out); } out:; }",
        expect![[r#"
            x = n;
            __builtin_trap(); /* a computed jump out of the scope of a variable with a cleanup */
            __asm__ volatile goto ("" :  :  :  : out);
            c(&x);
            out:;
        "#]],
    );
}

#[test]
fn a_type_that_is_asked_for_leaves_nothing_behind() {
    check(
        "void c(int *); void t(int n) { typeof(({ int x __attribute__((cleanup(c))) = n; if (n) goto out; x; })) y = n; \
         { int z __attribute__((cleanup(c))) = n; goto out; } out: f(y); }",
        expect![[r#"
            y = n;
            z = n;
            c(&z);
            goto out;
            out:;
            f(y);
        "#]],
    );
}

#[test]
fn what_cannot_clean_up_is_refused() {
    check_findings(
        "void t(void) { int x __attribute__((cleanup(none))); }",
        expect![[r#"
        not-callable: a cleanup is the name of a function that is declared [cleanup]
    "#]],
    );
    check_findings(
        "void t(int c) { int x __attribute__((cleanup(c))); }",
        expect![[r#"
        not-callable: a cleanup is the name of a function that is declared [cleanup]
    "#]],
    );
    check_findings(
        "void t(void) { int x __attribute__((cleanup)); }",
        expect![[r#"
        not-callable: a cleanup is the name of a function that is declared [cleanup]
    "#]],
    );
    check_findings(
        "void t(void) { int x __attribute__((cleanup(two))); }",
        expect![[r#"
        too-few-arguments: too few arguments: `two` takes 2, here are 1 [cleanup]
    "#]],
    );
    check_findings(
        "void c(struct s); void t(void) { int x __attribute__((cleanup(c))); }",
        expect![[r#"
        incompatible-types: cannot convert a pointer to `struct s` [cleanup]
    "#]],
    );
}
