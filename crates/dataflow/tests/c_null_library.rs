//! What the analysis `null` says of what functions of the library write, without models.

#[path = "support/marked.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod marked;
#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_c_facts::Unknown;
use marked::{check, check_with};

const LISTS: &str = "
typedef __builtin_va_list va_list;
int printf(const char *, ...); int vprintf(const char *, va_list); int vsscanf(const char *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list); int asprintf(char **, const char *, ...);
static void get(const char *s, const char *f, ...) { va_list a; __builtin_va_start(a, f); vsscanf(s, f, a); }
static void put(const char *f, ...) { va_list a; __builtin_va_start(a, f); vprintf(f, a); }
static void put_list(va_list a) { char text[9]; vsnprintf(text, 9, \"x%n\", a); }
static void pass(int n, ...) { va_list a; __builtin_va_start(a, n); put_list(a); }
";

fn with_lists(body: &str) -> String {
    format!("{LISTS}int main(void) {{ int n = 1, other = 1, *p = &x; {body}\n}}")
}

#[test]
fn a_list_leads_to_what_is_read() {
    check(&with_lists(
        "get(\"3\", \"%d\", &n);
        if (other != 1) p = 0;
        *p = 1; /* ok */
        if (n != 1) p = 0;
        return *p; /* bad */",
    ));
}

#[test]
fn a_list_leads_to_what_is_counted() {
    check(&with_lists("put(\"abc%n\", &n); if (n != 1) p = 0; return *p; /* bad */"));
    check(&with_lists("put(\"abc%d\", &n); if (n != 1) p = 0; return *p; /* ok */"));
    check(&with_lists("pass(1, &n); if (n != 1) p = 0; return *p; /* bad */"));
    check(&with_lists("pass(1, &n); if (other != 1) p = 0; return *p; /* ok */"));
}

#[test]
fn a_count_goes_wherever_its_argument_points() {
    check(&with_lists("unsigned char c = 0; printf(\"abc%hhn\", &c); if (c) p = 0; return *p; /* bad */"));
    check(&with_lists("char c = 0; printf(\"%s%hn\", &c, (short *)&n); if (c) p = 0; return *p; /* ok */"));
    check(&with_lists("void *v = &n; printf(\"abc%n\", v); if (n != 1) p = 0; return *p; /* bad */"));
    check(&with_lists("void *v = &n; printf(\"abc%p\", v); if (n != 1) p = 0; return *p; /* ok */"));
    check(&with_lists("char *t; asprintf(&t, \"a%n\", &n); if (n != 1) p = 0; return *p; /* bad */"));
}

#[test]
fn a_format_may_begin_in_the_middle_of_a_text() {
    check(&with_lists("printf(\"%%n\" + 1, &n); if (n != 1) p = 0; return *p; /* bad */"));
    check(&with_lists("const char *f = \"%%n\"; f++; printf(f, &n); if (n != 1) p = 0; return *p; /* bad */"));
    check(&with_lists("printf(\"%%n\", &n); if (n != 1) p = 0; return *p; /* ok */"));
}

#[test]
fn pipes_are_two_descriptors() {
    let program = |body: &str| {
        format!(
            "int pipe(int *); int main(void) {{ struct {{ int r, w, n; }} s = {{ 0, 0, 0 }}; int *p = &x; {body} \
             return *p;"
        )
    };
    check(&format!("{} /* bad */ }}", program("pipe(&s.r); if (s.w) p = 0;")));
    check(&format!("{} /* ok */ }}", program("pipe(&s.r); if (s.n) p = 0;")));
}

#[test]
fn wide_characters_are_as_many_as_said() {
    let program = "int *wmemset(int *, int, size_t); struct t { int *a, *b; } t, u;
int main(void) { t.b = u.b = &x; wmemset((int *)&t, 0, 4); *u.b = 1; /* ok */
    return *t.b; /* bad */ }";
    check(program);
}

#[test]
fn a_function_without_a_prototype_writes_as_with_one() {
    let program = "int read();
int main(void) { struct { int a, b, c; } s = { 5, 5, 5 }; int *p = &x; read(0, &s.a, 8L);
    if (s.c != 5) p = 0;
    *p = 1; /* ok */
    if (s.b != 5) p = 0;
    return *p; /* bad */ }";
    check(program);
}

#[test]
fn bytes_go_on_behind_a_number() {
    let program = "int snprintf(char *, size_t, const char *, ...);
int main(void) { struct { int a, b; } s = { 5, 5 }, t = s; int *p = &x; snprintf((char *)&s.a, 8, \"abcdefg\");
    if (t.b != 5) p = 0;
    *p = 1; /* ok */
    if (s.b != 5) p = 0;
    return *p; /* bad */ }";
    check(program);
}

const MAPPED: &str = "
void *mmap(void *, size_t, int, int, int, long); int fork(void); int wait(int *); void *shmat(int, const void *, int);
";

#[test]
fn memory_that_is_shared_is_that_of_others() {
    let twice = "int main(void) { int **a = mmap(0, 9, 3, FLAGS, 3, 0), **b = mmap(0, 9, 3, FLAGS, 3, 0);
    if (!a || !b) return 0; *a = &x; *b = 0; return **a; MARK }";
    let changed = "int main(void) { int *f = mmap(0, 9, 3, FLAGS, -1, 0), *p = &x; if (!f) return 0; *f = 0;
    if (fork() == 0) return 0; wait(0); if (*f == 3) p = 0; return *p; MARK }";
    for (flags, mark) in [("1", "bad"), ("3", "bad"), ("0x21", "bad"), ("input()", "bad"), ("0x22", "ok")] {
        for program in [twice, changed] {
            let program = program.replace("FLAGS", flags).replace("MARK", &format!("/* {mark} */"));
            check(&format!("{MAPPED}{program}"));
        }
    }
    let attached = "int main(void) { int *f = shmat(1, 0, 0), *p = &x; if (!f) return 0; *f = 0;
    wait(0); if (*f == 3) p = 0; return *p; /* bad */ }";
    check(&format!("{MAPPED}{attached}"));
    // What is in a file is not zero.
    check(&format!(
        "{MAPPED}int main(void) {{ int *f = mmap(0, 9, 1, 2, 3, 0), *p = &x; if (!f) return 0; if (*f) p = 0;
        return *p; /* bad */ }}"
    ));
}

#[test]
fn a_pointer_to_behind_what_is_copied_is_one_to_a_byte() {
    let program = "void *mempcpy(void *, const void *, size_t); void *memccpy(void *, const void *, int, size_t);
struct t { int *p, *q; } a, b, c, z;
int main(void) { a.q = b.q = c.q = &x; memset(mempcpy(&a, &z, 8), 0, 8); char *e = memccpy(&b, \"aaaaaaab\", 'b', 8);
    *c.q = 1; /* ok */
    if (e) memset(e, 0, 8);
    *b.q = 2; /* bad */
    return *a.q; /* bad */ }";
    check(program);
}

#[test]
fn what_is_looked_for_is_added() {
    let program = "void *lsearch(const void *, void *, size_t *, size_t, int (*)(const void *, const void *));
void *lfind(const void *, const void *, size_t *, size_t, int (*)(const void *, const void *));
static int *px = &x, *py = &y, **a[2], **b[2]; static int compare(const void *l, const void *r) { return 1; }
int main(void) { int **k = &px, **l = &py; size_t n = 0; lsearch(&k, a, &n, 8, compare); lfind(&l, b, &n, 8, compare);
    if (a[0]) *a[0] = 0;
    *py = 1; /* ok */
    return *px; /* bad */ }";
    check(program);
}

#[test]
fn what_a_block_held_is_read_as_another_type() {
    let head = "struct one { int *p; }; struct mixed { long n; int *p; }; struct two { int *p, *q; };";
    for (ty, store, mark) in [
        ("struct one", "a->p = &x;", "ok"),
        ("struct one", "a->p = 0;", "bad"),
        ("struct mixed", "a->p = &x; a->n = 0;", "bad"),
        ("struct two", "a->p = a->q = &x;", "ok"),
        ("struct two", "a->p = &x; a->q = 0;", "ok"),
        ("long", "*a = 0;", "bad"),
        ("char", "memset(a, 0, 8);", "bad"),
    ] {
        let program = format!(
            "{head} int main(void) {{ {ty} *a = malloc(sizeof *a); if (!a) return 0; {store}
            struct two *b = realloc(a, sizeof *b); if (!b) return 0; b->q = &x;
            return *b->p; }} /* {mark} */"
        );
        check_with(&program, Unknown::AsTested);
    }
    check_with(
        &format!(
            "{head} int main(void) {{ struct mixed *v = 0; for (int n = 1; ; n++) {{
            struct mixed *w = realloc(v, n * sizeof *w); if (!w) return 1; v = w; v[n - 1].p = &x; v[n - 1].n = 0;
            if (input()) break; }}
            return *v[0].p; }} /* ok */"
        ),
        Unknown::AsTested,
    );
}

#[test]
fn what_is_copied_goes_on_behind_a_member() {
    let head =
        "struct e { int *p; }; struct t { struct e a[2]; long n; int *p; }; struct o { int *p; long n; int *q; };
static struct t s, u; static struct e v[9]; static struct o o; static struct e *first(void) { return s.a; }";
    for (statements, mark) in [
        ("s.p = &x; memcpy(s.a, v, input() * sizeof *v); return *s.p;", "bad"),
        ("s.p = &x; memcpy(s.a, v, 2 * sizeof *v); return *s.p;", "ok"),
        ("s.p = &x; memcpy(s.a, v, sizeof s); return *s.p;", "bad"),
        ("s.p = &x; memcpy(first(), v, input() * sizeof *v); return *s.p;", "bad"),
        ("s.a[0].p = s.a[1].p = s.p = v[0].p = &x; memcpy(v, s.a, input() * sizeof *v); return *v[0].p;", "bad"),
        ("s.p = u.p = &x; memcpy(s.a, u.a, input() * sizeof *v); return *s.p;", "ok"),
        ("s.p = &x; memcpy(s.a, u.a, input() * sizeof *v); return *s.p;", "bad"),
        ("s.p = u.p = &x; memcpy(s.a + input(), u.a, input() * sizeof *v); return *s.p;", "bad"),
        ("s.p = o.p = &x; long *a = (long *)&o, *b = &s.n; memcpy(a, b, 16); return *o.p;", "bad"),
    ] {
        check_with(&format!("{head}\nint main(void) {{ {statements} }} /* {mark} */"), Unknown::AsTested);
    }
}

#[test]
fn what_is_scanned_may_be_a_new_string() {
    let head = "int scanf(const char *, ...); int sscanf(const char *, const char *, ...);";
    for (scan, mark) in [
        ("scanf(\"%ms\", &p)", "bad"),
        ("sscanf(\"a\", \"%m[a-z]\", &p)", "bad"),
        ("void *v = &p; scanf(\"%mc\", v)", "bad"),
        ("int (*volatile f)(const char *, ...) = scanf; f(\"%ms\", &p)", "bad"),
        ("sscanf(\"1\", \"%p\", (void **)&p)", "bad"),
        ("get(\"a\", \"%ms\", &p)", "bad"),
        ("scanf(\"%d\", &n)", "ok"),
        ("scanf(\"%s\", text)", "ok"),
    ] {
        // Who takes `p` to point to `c` as before thinks that `c` is 0.
        check(&format!(
            "{LISTS}{head}
int main(void) {{ char c = 1, *p = &c, text[9]; int n, *q = &x; {scan}; if (!p) return 0; *p = 0; if (c) q = 0;
    return *q; }} /* {mark} */"
        ));
    }
}
