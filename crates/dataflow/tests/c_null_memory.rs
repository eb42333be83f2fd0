//! What the analysis `null` says of memory behind pointers in memory, and of parts of local arrays.

#[path = "support/marked.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod marked;
#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_c_facts::Unknown;
use marked::{check, check_with};

/// Each body is that of a function with these parameters, in a program that has what `head` declares.
fn check_bodies(head: &str, parameters: &str, bodies: &[(&str, &str)]) {
    for (body, mark) in bodies {
        check_with(&format!("{head}\nint f({parameters}) {{\n{body} /* {mark} */\nreturn 0; }}"), Unknown::Anything);
    }
}

#[test]
fn what_is_only_called_is_remembered_from_the_start() {
    check(
        "
static int g(int n) { return n; } static int h(int n) { return -n; }
static const struct { int n; int (*f)(int); } table[2] = { { 1, g }, { 2, h } };
static int call(int i) { return table[i].f(1); /* ok */ }
static int behind(struct s *s) { return table[s->n].f(1); /* ok */ }
struct v { int (*f)(int); };
int main(void) {
    struct s one = { &x, &y, 1, 0 };
    static struct v v[2] = { { g }, { h } };
    struct v *p = &v[input() & 1], *q = &v[input() & 1];
    call(0); behind(&one);
    p->f(1); /* ok */
    for (int n = 0; n < 3; n++) {
        if (n == 2) q->f = 0;
        p->f(2); /* bad */
    }
    return 0;
}",
    );
}

#[test]
fn what_was_found_out_behind_two_pointers_is_known_until_one_may_change() {
    let head = "struct n { struct n *next, *back; int *p, v; }; struct n *g; void any(void); int use(int);
static void cut(struct n *n) { n->next = 0; } static void none(int *k) { *k = 0; }
static int deep(struct n *n) { return *n->next->p; }";
    check_bodies(
        head,
        "struct n *n, struct n *m, int i",
        &[
            ("if (n && n->next && n->next->next) return n->next->next->v;", "ok"),
            ("if (n && n->next && n->next->next) return use(n->next->next->v);", "ok"),
            ("if (n && n->next && n->next->next && n->next->next->next) return n->next->next->next->v;", "ok"),
            ("if (n && n->next && n->next->p) *n->next->p = 1;", "ok"),
            ("if (n && n->next && n->next->p) return deep(n);", "ok"),
            ("if (g && g->next && g->next->next) return g->next->next->v;", "ok"),
            ("if (n && n->next && n->next->next) { n->v = 1; n->next->v = 2; return n->next->next->v; }", "ok"),
            ("if (n && n->next && n->next->next) { none(&i); return n->next->next->v; }", "ok"),
            ("if (n && n->next && n->next->p) { m = n->next; return *m->p; }", "rough"),
            ("if (n && n->next && n->next->p) { n = n->next; return *n->p; }", "rough"),
            ("if (n && n->next && n->next->p) { *n->next->p = 1; m = n->next; if (i) *m->p = 2; return *m->p; }", "ok"),
            ("if (n && n->next && n->next->p) { *n->next->p = 1; n = n->next; if (i) *n->p = 2; return *n->p; }", "ok"),
            ("if (n && m && m->p) { n->next = m; return *n->next->p; }", "rough"),
            // One of the pointers is another, by its own name or by another one.
            ("if (n && n->next && n->next->next) { n = m; if (n && n->next) return n->next->next->v; }", "bad"),
            ("if (n && n->next && n->next->p) { n->next = m; if (m) return *n->next->p; }", "bad"),
            ("if (n && m && n->next && n->next->p) { m->next = n; if (n->next) return *n->next->p; }", "bad"),
            ("if (n && n->next && n->next->p) { struct n **q = &n->next; *q = m; if (m) return *n->next->p; }", "bad"),
            ("if (n && n->next && n->next->p) { n = n->next; if (n->next) return *n->next->p; }", "bad"),
            ("if (n && n->next && n->next->next) { n = n->next; if (n->next) return n->next->next->v; }", "bad"),
            ("if (n && n->next && n->next->p && m) { *n->next = *m; return *n->next->p; }", "bad"),
            ("if (n && n->next && n->next->p && m) { *n = *m; if (n->next) return *n->next->p; }", "bad"),
            // What is at the end is.
            ("if (n && n->next && n->next->p) { n->next->p = 0; return *n->next->p; }", "bad"),
            ("if (n && m && n->next && n->next->p) { m->p = 0; return *n->next->p; }", "bad"),
            ("if (n && n->next && n->next->next) { n->next->next = 0; return n->next->next->v; }", "bad"),
            ("if (n && n->next && n->next->next) { n->next->next = m; return n->next->next->v; }", "bad"),
            ("if (n && n->next && n->next->next) { memset(n->next, 0, sizeof *n); return n->next->next->v; }", "bad"),
            // Somebody else writes.
            ("if (n && n->next && n->next->next) { any(); if (n->next) return n->next->next->v; }", "bad"),
            ("if (n && n->next && n->next->next) { cut(n->next); return n->next->next->v; }", "bad"),
            ("if (n && n->next && n->next->next) { cut(n->next->next); return n->next->next->v; }", "bad"),
            ("if (g && g->next && g->next->next) { g = m; if (g && g->next) return g->next->next->v; }", "bad"),
            // It is another thing.
            ("if (n && n->next && n->back && n->next->p) return *n->back->p;", "bad"),
            ("if (n && n->next && n->next->next) return n->next->next->next->v;", "bad"),
            ("if (n && n->next && m && m->next && n->next->p) return *m->next->p;", "bad"),
        ],
    );
}

#[test]
fn a_store_behind_two_pointers_is_seen_there() {
    let head = "struct n { struct n *next; int *p; };";
    check_bodies(
        head,
        "struct n *n, int i",
        &[
            ("if (n && n->next) { n->next->p = &i; return *n->next->p; }", "ok"),
            ("if (n && n->next) { n->next->p = &i; n->next = 0; return *n->next->p; }", "bad"),
            ("if (n && n->next) { n->next->p = &i; n->next->p = 0; return *n->next->p; }", "bad"),
        ],
    );
}

#[test]
fn a_list_that_leads_to_itself_is_cut_anywhere() {
    check(
        "
int main(void) {
    struct s *n = malloc(sizeof *n);
    if (!n) return 0;
    n->f = &x;
    n->next = n;
    if (n->next && n->next->next) {
        *n->next->next->f = 1;
        n->next->next = 0;
        if (input()) *n->next->f = 2; /* bad */
    }
    return 0;
}",
    );
    check(
        "
int main(void) {
    struct s a = { &x, &x, 1, 0 }, b = { 0, &x, 1, 0 }, *n = &a, *m = input() ? &a : &b;
    a.next = &a;
    b.next = &b;
    if (n->next->f) {
        m->next = &b;
        *n->next->f = 1; /* bad */
    }
    return 0;
}",
    );
}

#[test]
fn a_loop_along_a_list_looks_at_another_element_each_time() {
    let head = "struct n { struct n *next; int *p, v; };";
    check_bodies(
        head,
        "struct n *n, int i",
        &[
            ("for (; n && n->next; n = n->next) if (n->next->p) *n->next->p = 1;", "ok"),
            ("while (n && n->next && n->next->next) { n = n->next->next; i += n->v; }", "ok"),
            ("for (; n && n->next; n = n->next) if (n->next->p || i) *n->next->p = 1;", "bad"),
            ("if (n && n->next && n->next->p) for (; n && n->next; n = n->next) *n->next->p = 1;", "bad"),
        ],
    );
}

#[test]
fn elements_behind_pointers_in_memory_are_what_they_were() {
    let head = "struct t { int *kids[4]; struct t *up; }; void any(void); struct t *rows[8]; volatile int now;";
    check_bodies(
        head,
        "struct t **a, struct t *t, int i, int j",
        &[
            ("if (a && a[1] && a[1]->kids[i]) return *a[1]->kids[i];", "ok"),
            ("if (a && a[j] && a[j]->kids[i]) return *a[j]->kids[i];", "ok"),
            ("if (rows[i] && rows[i]->kids[2]) return *rows[i]->kids[2];", "ok"),
            ("if (rows[i] && rows[i]->up && rows[i]->up->kids[j]) return *rows[i]->up->kids[j];", "ok"),
            ("if (a && a[1] && a[1]->kids[i]) { i++; return *a[1]->kids[i]; }", "bad"),
            ("if (a && a[j] && a[j]->kids[i]) { j++; if (a[j]) return *a[j]->kids[i]; }", "bad"),
            ("if (a && a[1] && a[1]->kids[i]) { a[1] = t; if (t) return *a[1]->kids[i]; }", "bad"),
            ("if (a && a[1] && a[1]->kids[i]) { a[j] = t; if (a[1]) return *a[1]->kids[i]; }", "bad"),
            ("if (a && a[1] && a[1]->kids[i]) { a[1]->kids[j] = 0; return *a[1]->kids[i]; }", "bad"),
            ("if (a && a[1] && a[1]->kids[i] && t) { t->kids[i] = 0; return *a[1]->kids[i]; }", "bad"),
            ("if (rows[i] && rows[i]->kids[2]) { any(); if (rows[i]) return *rows[i]->kids[2]; }", "bad"),
            ("if (rows[i] && rows[i]->kids[2]) { rows[j] = t; if (rows[i]) return *rows[i]->kids[2]; }", "bad"),
            ("if (rows[now] && rows[now]->kids[2]) return *rows[now]->kids[2];", "bad"),
            ("if (t && t->kids[1]) { t->kids[2] = 0; return *t->kids[1]; }", "ok"),
            ("if (t && t->kids[1]) { t->kids[i] = 0; return *t->kids[1]; }", "bad"),
            ("if (a && a[0]) { a[1] = 0; a[0]->up = t; }", "ok"),
            ("if (a && a[0]) { a[i] = 0; a[0]->up = t; }", "bad"),
        ],
    );
}

#[test]
fn elements_of_local_arrays_are_apart() {
    let head = "struct e { int *p, *q; }; union u { int *a[2]; struct { int *c, *d; } s; }; static int z;
static void clear(int **a) { a[0] = 0; }
static void put(int **a, int k) { a[k] = 0; }";
    for (body, mark) in [
        ("int *a[2]; a[0] = &z; a[1] = 0; return *a[0];", "ok"),
        ("int *a[2]; a[1] = 0; a[0] = &z; if (a[1]) return *a[0];", "dead"),
        ("struct e s[2]; s[0].p = &z; s[0].q = 0; s[1].p = 0; s[1].q = 0; return *s[0].p;", "ok"),
        ("struct e s[2]; s[i].p = &z; s[i].q = 0; return *s[i].p;", "ok"),
        ("struct e s[2], t = { 0, 0 }; s[0].p = &z; s[1] = t; return *s[0].p;", "ok"),
        ("struct e s[2], t = { &z, 0 }; s[1].p = 0; s[0] = t; return *s[0].p;", "rough"),
        ("int *a[2][2]; a[0][1] = &z; a[1][0] = 0; return *a[0][1];", "ok"),
        ("int *a[2]; a[0] = &z; a[1] = 0; return *a[1];", "bad"),
        ("int *a[2]; a[0] = &z; a[i] = 0; return *a[0];", "bad"),
        ("int *a[2], **b = a; a[0] = &z; a[1] = 0; b[0] = 0; return *a[0];", "bad"),
        ("int *a[2], **b = a + 1; a[1] = &z; a[0] = 0; b[0] = 0; return *a[1];", "bad"),
        ("int *a[2]; a[0] = &z; a[1] = 0; clear(a); return *a[0];", "bad"),
        ("int *a[2]; a[0] = &z; a[1] = &z; put(a, i & 1); return *a[0];", "bad"),
        ("int *a[2]; a[0] = &z; memset(a, 0, sizeof a); return *a[0];", "bad"),
        ("struct e s[2], t = { 0, 0 }; s[0].p = &z; s[i & 1] = t; return *s[0].p;", "bad"),
        ("struct e s[2]; s[i & 1].p = &z; i++; s[i & 1].p = 0; i++; return *s[i & 1].p;", "rough"),
        ("struct e s[2]; s[0].p = &z; *(int **)(s + (i & 1)) = 0; return *s[0].p;", "bad"),
        ("union u v; v.a[1] = &z; v.a[0] = 0; v.s.d = 0; return *v.a[1];", "bad"),
        ("union u v; v.a[1] = &z; v.s.c = 0; return *v.a[1];", "rough"),
    ] {
        check(&format!("{head}\nint main(void) {{ int i = input();\n{body} /* {mark} */\nreturn 0; }}"));
    }
}

#[test]
fn each_activation_has_its_own_elements() {
    check(
        "
static int go(int n, int **up) {
    int *a[2];
    a[0] = &x;
    a[1] = 0;
    if (up && n == 1) up[0] = 0;
    if (n > 0) go(n - 1, a);
    return *a[0]; /* bad */
}
int main(void) { return go(input(), 0); }",
    );
}

#[test]
fn a_pointer_to_one_place_hands_that_on() {
    let head = "struct n { struct n *next; int v; };";
    check_bodies(
        head,
        "int k",
        &[
            ("struct n a = { 0, 1 }, b = { &a, 2 }, *x = &b, *q = &a; q = x; return q->next->v;", "ok"),
            ("struct n a = { 0, 1 }, b = { &a, 2 }, *x = &b, *q = &a; if (k) q = x; return q->next->v;", "bad"),
            ("struct n a = { 0, 1 }, b = { &a, 2 }, *x = &a, *q = &b; q = x; return q->next->v;", "bad"),
            ("struct n a[2] = { { 0, 1 }, { a, 2 } }, *x = a, *q = &a[1]; q = x + k; return q->next->v;", "bad"),
        ],
    );
}
