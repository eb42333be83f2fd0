//! Names for the linker: `asm("symbol")` behind what is declared.

#[path = "support/compiled.rs"]
mod compiled;
#[path = "support/functions.rs"]
mod functions;

use compiled::same;
use expect_test::expect;
use functions::{check, check_findings};

#[test]
fn names_with_one_symbol_mean_the_same() {
    same(
        "symbols",
        r#"
#include <stdio.h>
int value = 1; static int hidden = 2; int *p = &value;
extern int again asm("value"), found asm("hidden"); extern int *q asm("p");
int stored asm("elsewhere") = 5; extern int elsewhere;
extern int one asm("shared"), two asm("shared"); int shared = 8;
void real(int n) { printf("real%d ", n + value); }
extern void al(int) __asm__("real"); extern void old() asm("real");
static int inner(void) { return 40; } extern int outer(void) asm("inner");
int renamed(int) asm("other"); int other(int); int renamed(int n) { return n * 2; }
void (*table[])(int) = { al, real }; int *addresses[] = { &again, &value, &one };
int main(void) {
  again = 3; printf("%d ", value); *q = 4; printf("%d %d ", value, *p); q = &found; printf("%d ", *p);
  found++; printf("%d ", hidden); elsewhere++; printf("%d ", stored); one = two + 1; printf("%d\n", shared);
  al(1); real(2); old(3); table[0](4); printf("%d\n", table[0] == table[1]);
  printf("%d %d %d\n", outer(), other(21), renamed(4)); printf("%d %d\n", addresses[0] == addresses[1], *addresses[2]);
  return 0;
}
"#,
    );
}

#[test]
fn a_symbol_of_the_library_changes_nothing() {
    check(
        "int scan(int) asm(\"__isoc99_scan\"); extern inline __attribute__((gnu_inline)) int get(int n) { return n; } \
         int get_alias(int) asm(\"get\"); int t(int n) { register int r asm(\"g\") = n; return scan(r) + get_alias(n); }",
        expect![[r#"
            r = n;
            scan_1 = scan(r);
            get_alias_1 = get_alias(n);
            return scan_1 + get_alias_1;
        "#]],
    );
}

#[test]
fn another_type_under_another_name_is_refused() {
    check_findings(
        "int p; extern long q asm(\"p\"); extern long unused asm(\"p\"); long t(void) { return q; }",
        expect![[r#"
            unsupported-construct: `q` is `p` under another name, which has another type [q]
        "#]],
    );
    check_findings(
        "void p(int n) {} extern void q(long) asm(\"p\"); void t(void) { q(1); }",
        expect![[r#"
        unsupported-construct: `q` is `p` under another name, which has another type [q]
    "#]],
    );
    check_findings(
        "void p(int n) {} extern int q asm(\"p\"); int *t(void) { return &q; }",
        expect![[r#"
        unsupported-construct: `q` is `p` under another name, which has another type [q]
    "#]],
    );
}

#[test]
fn a_function_that_is_chosen_means_the_same() {
    same(
        "resolved",
        r#"
#include <stdio.h>
static int twice(int n) { return 2 * n; }
static int thrice(int n) { return 3 * n; }
static int is_fast = 1;
static int (*choose(void))(int) { return is_fast ? thrice : twice; }
static void *choose_any() { return twice; }
int times(int) __attribute__((ifunc("choose"))); int any(int n) __attribute__((__ifunc__("choose_any")));
static void say(int *p, const char *text) { printf("%s%d\n", text, *p); }
static void (*choose_say(void))(int *, const char *) { return say; }
void speak(int *, const char *) __attribute__((ifunc("choose_say")));
int main(void) { int n = times(4) + any(5); int (*p)(int) = times; n += p(100); speak(&n, "n = "); return 0; }
"#,
    );
}

#[test]
fn a_choice_that_is_not_here_is_refused() {
    check_findings(
        "int t(int) __attribute__((ifunc(\"none\")));",
        expect![[r#"
            unsupported-construct: an `ifunc` whose `none` is not defined here, takes something or returns no pointer is not supported [ifunc]
        "#]],
    );
    check_findings(
        "void *c(long n) { return 0; } int t(int) __attribute__((ifunc(\"c\")));",
        expect![[r#"
            unsupported-construct: an `ifunc` whose `c` is not defined here, takes something or returns no pointer is not supported [ifunc]
        "#]],
    );
    check_findings(
        "void *c(void) { return 0; } int t(int, ...) __attribute__((ifunc(\"c\")));",
        expect![[r#"
            unsupported-construct: an `ifunc` whose parameters are not all declared is not supported [ifunc]
        "#]],
    );
}
