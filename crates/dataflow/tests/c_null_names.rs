//! What the analysis `null` says of programs whose things have several names, or are several things with one name.

#[path = "support/marked.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod marked;
#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_c_facts::Unknown;
use marked::{check, check_with};

/// Another file sets `g`, which is `k` if the text of the first one says so.
#[track_caller]
fn check_set_elsewhere(declarations: &str, mark: &str) {
    check(&format!(
        "extern int *g; int use(void); int main(void) {{ g = 0; return use(); }}
//@ next file
static int x; {declarations}
int use(void) {{ return *k; }} /* {mark} */
"
    ));
}

#[test]
fn other_files_see_variables_by_other_names() {
    for (declarations, mark) in [
        ("int *k = &x; extern int *g __attribute__((alias(\"k\")));", "bad"),
        ("static int *k = &x; extern int *g __attribute__((alias(\"k\")));", "bad"),
        ("static int *k = &x; extern int *g __attribute__((weak, alias(\"k\")));", "bad"),
        (
            "static int *k = &x; extern int *h, *g __attribute__((alias(\"h\"))), *h __attribute__((alias(\"k\")));",
            "bad",
        ),
        ("int *k = &x; extern int *g;\n#pragma weak g = k\n", "bad"),
        ("int *k = &x;\n#pragma weak g = k\n", "bad"),
        ("int *k = &x;\n#pragma redefine_extname k g\n", "bad"),
        ("int *k = &x, *g;", "ok"),
        ("static int *k = &x; int *g;", "ok"),
        ("int *k = &x, *g;\n#pragma redefine_extname k h\n", "ok"),
    ] {
        check_set_elsewhere(declarations, mark);
    }
}

#[test]
fn a_weak_other_name_gives_way() {
    check(
        "extern int *g; int use(void); int *g = 0; int main(void) { g = 0; return use(); }
//@ next file
static int x; static int *k = &x; extern int *g __attribute__((weak, alias(\"k\")));
int use(void) { return *k; } /* ok */
",
    );
}

#[test]
fn functions_have_other_names_by_pragmas() {
    for (pragma, mark) in [("weak g = k", "bad"), ("redefine_extname k g", "bad"), ("weak k", "ok")] {
        check_with(
            &format!(
                "void g(void) __attribute__((weak)); extern int *p; int main(void) {{ if (g) g();
return *p; /* {mark} */ }}
//@ next file
static int z; int *p = &z; void k(void) {{ p = 0; }}
#pragma {pragma}
"
            ),
            Unknown::AsTested,
        );
    }
}

#[test]
fn outside_code_sees_variables_by_other_names() {
    check_with(
        "static int *k = &x, *j = &x; extern int *g __attribute__((alias(\"k\")));
int set(int *p) { return p ? *p : 0; } /* ok */
int use(void) { return k ? *k : 0; } /* ok */
int fail(void) { if (k) return 0;
return *k; } /* bad */
int other(void) { return *j; } /* ok */",
        Unknown::AsTested,
    );
    check_with(
        "struct ops { void (*f)(void); }; static int *q;
static void cb(void) { *q = 1; } /* bad */
static struct ops st = { cb }; extern struct ops pub __attribute__((alias(\"st\")));
int any(void) { return 0; }",
        Unknown::AsTested,
    );
}

#[test]
fn a_weak_reference_is_what_it_refers_to() {
    check(
        "static int *g = &x; static void real(void) { g = 0; }
static void wr(void) __attribute__((weakref(\"real\")));
int main(void) { if (wr) wr(); return *g; } /* bad */",
    );
    check(
        "static int *g; static void real(void) { g = &x; }
static void wr(void) __attribute__((weakref(\"real\")));
int main(void) { wr(); return *g; } /* ok */",
    );
    for other in ["real", "wr"] {
        let mark = if other == "real" { "bad" } else { "ok" };
        check(&format!(
            "int *get(void); static void wr(void) __attribute__((weakref(\"real\")));
int main(void) {{ if (wr) wr(); return *get(); }} /* {mark} */
//@ next file
static int z; static int *g = &z; int *get(void) {{ return g; }} void {other}(void) {{ g = 0; }}
"
        ));
    }
}

#[test]
fn assembly_speaks_of_symbols() {
    for (symbol, mark) in [("gsym", "bad"), ("gs$ym", "bad"), ("other", "ok")] {
        check(&format!(
            "static int *g __asm__(\"{symbol}\") = &x;
int main(void) {{ __asm__ volatile(\"movq $0, gsym(%%rip); gs$ym\" : : : \"memory\"); return *g; }} /* {mark} */"
        ));
    }
}

#[test]
fn assembly_outside_of_functions_has_what_it_names() {
    for (text, mark) in [(".section .init_array; .quad clear", "bad"), ("nop", "ok")] {
        check_with(
            &format!(
                "static int *g = &x; static void clear(void) {{ g = 0; }} __asm__(\"{text}\");
int main(void) {{ return *g; }} /* {mark} */"
            ),
            Unknown::AsTested,
        );
    }
    for (name, mark) in [("clear", "bad"), ("other", "ok")] {
        check_with(
            &format!(
                "static int *g = &x; static void clear(void) {{ g = 0; }} __asm__(\"entry: jmp {name}\");
void entry(void); int main(void) {{ entry(); return *g; }} /* {mark} */"
            ),
            Unknown::AsTested,
        );
    }
}

#[test]
fn sections_are_tables_of_what_is_in_them() {
    for (access, mark) in [
        ("__start_mysec->st = 1;", "bad"),
        ("__start_mysec[0].st = 1;", "bad"),
        ("for (struct t *t = __start_mysec; t < __stop_mysec; t++) t->st = 1;", "bad"),
        ("static struct t *t = __start_mysec; t->st = 1;", "bad"),
        ("x = __start_mysec->st;", "ok"),
    ] {
        check_with(
            &format!(
                "struct t {{ int st; }}; __attribute__((section(\"mysec\"), used)) static struct t a = {{ 0 }};
extern struct t __start_mysec[], __stop_mysec[];
int main(void) {{
    int *p = 0; {access}
    if (a.st == 1) return *p; /* {} */
    return 0;
}}",
                if mark == "ok" { "dead" } else { mark }
            ),
            Unknown::AsTested,
        );
    }
}

#[test]
fn functions_return_twice_where_they_are_declared_so() {
    for (attribute, mark) in [("__attribute__((returns_twice))", "bad"), ("", "ok")] {
        check(&format!(
            "int save(void **) {attribute}; void leap(void **) __attribute__((noreturn));
static int *p = &x; static void *b[20];
static void leave(void) {{ p = 0; leap(b); }}
int main(void) {{
    if (save(b)) return *p; /* {mark} */
    leave();
    return 0;
}}"
        ));
    }
}

#[test]
fn what_only_compilers_know_has_their_prefix() {
    for (function, mark) in [("expect", "bad"), ("trap", "bad"), ("parity", "bad"), ("__builtin_ffs", "ok")] {
        let declared = if mark == "bad" { format!("int {function}(int);") } else { String::new() };
        check_with(
            &format!(
                "{declared} int *p = &x;
int main(void) {{
    {function}(1);
    return *p; /* {mark} */
}}"
            ),
            Unknown::Anything,
        );
    }
}
