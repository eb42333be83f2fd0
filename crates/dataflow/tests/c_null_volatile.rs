//! What the analysis `null` says of what may change by itself: every read is one of its own.

#[path = "support/marked.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod marked;
#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use marked::check;

#[test]
fn atomic_types_change_in_either_spelling() {
    for (ty, mark) in [("_Atomic(int)", "bad"), ("_Atomic int", "bad"), ("int", "ok")] {
        check(&format!(
            "static {ty} v; static int *p;
int main(void) {{ v = input(); if (v) p = &x; if (v) return *p; return 0; }} /* {mark} */"
        ));
    }
}

#[test]
fn each_argument_is_a_read_of_its_own() {
    let sets = "static int *p; static void f(int a, int b) { if (a) p = &x; if (b) *p = 1; }";
    for (declared, call, mark) in [
        ("volatile int v;", "f(v, v)", "bad"),
        ("_Atomic int v;", "f(v, v)", "bad"),
        ("_Atomic(int) v;", "f(v, v)", "bad"),
        ("struct { volatile int k; } s;", "f(s.k, s.k)", "bad"),
        ("volatile int v; static void (*volatile h)(int, int) = f;", "h(v, v)", "bad"),
        ("int v;", "v = input(); f(v, v)", "ok"),
        ("volatile int v;", "int w = v; f(w, w)", "ok"),
    ] {
        let sets = sets.replace("*p = 1; }", &format!("{{\n*p = 1; /* {mark} */\n}} }}"));
        check(&format!("{sets} static {declared}\nint main(void) {{ {call}; return 0; }}"));
    }
    for (qualifier, mark) in [("volatile", "bad"), ("", "ok")] {
        check(&format!(
            "struct t {{ int k; }}; static int *p;
static void f(struct t a, struct t b) {{ if (a.k) p = &x; if (b.k) *p = 1; }} /* {mark} */
static {qualifier} struct t s; int main(void) {{ s.k = input(); f(s, s); return 0; }}"
        ));
        check(&format!(
            "static int *{qualifier} q; static void f(int *a, int *b) {{ if (a) *b = 1; }} /* {mark} */
int main(void) {{ q = input() ? &x : 0; if (!q) y = 1; f(q, q); return 0; }}"
        ));
    }
}

#[test]
fn both_operands_are_reads_of_their_own() {
    for (qualifier, mark) in [("volatile", "bad"), ("", "dead")] {
        check(&format!(
            "static {qualifier} int v; int main(void) {{ int *p = 0; v = 1;
if (v != v) return *p; /* {mark} */
return 0; }}"
        ));
    }
}

#[test]
fn members_are_volatile_in_what_is() {
    for (qualifier, declaration, read, mark) in [
        ("volatile", "__auto_type q = s.f;", "*q", "bad"),
        ("volatile", "__auto_type q = &s.f;", "(*q)[0]", "bad"),
        ("", "__auto_type q = s.f;", "*q", "ok"),
    ] {
        check(&format!(
            "typedef struct {{ int f[2]; }} S; static {qualifier} S s; static int *p;
int main(void) {{
    s.f[0] = input();
    {declaration}
    if ({read}) p = &x;
    if ({read}) return *p; /* {mark} */
    return 0;
}}"
        ));
    }
}
