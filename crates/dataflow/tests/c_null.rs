//! What the analysis `null` says of small programs about memory, line by line.

#[path = "support/marked.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod marked;
#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_c_facts::Unknown;
use marked::{check, check_pessimistically, check_with};

macro_rules! programs {
    ($($name:ident: $text:expr;)*) => { $(#[test] fn $name() { check($text); })* };
}

macro_rules! pessimistic_programs {
    ($($name:ident: $text:expr;)*) => { $(#[test] fn $name() { check_pessimistically($text); })* };
}

programs! {
    the_end_of_a_scope_cleans_up: "
static int *kept = &x;
static void drop(int **p) { **p = 1; kept = 0; } /* bad */
static void put(int **p) { kept = &x; }
static int guarded(int n) {
    int *q __attribute__((cleanup(put))) = 0;
    kept = 0;
    if (n) return 1;
    return *kept; /* bad */
}
int main(void) {
    int *p = &x;
    { int *q __attribute__((cleanup(drop))) = &x; *kept = 1; /* ok */
    }
    if (input()) *kept = 1; /* bad */
    guarded(input());
    *kept = 1; /* ok */
    for (;;) { int *q __attribute__((cleanup(drop))) = p; if (input()) break; p = 0; }
    return 0;
}";
    a_store_through_a_pointer_to_a_pointer_is_seen: "
int main(void) {
    int *p = &x, **pp = &p;
    *p = 1; /* ok */
    *pp = 0;
    *p = 1; /* bad */
    return 0;
}";
    a_store_under_another_name_is_seen: "
int *kept = &x;
extern int *known asm(\"kept\");
void real(void) { known = &x; }
extern void other(void) asm(\"real\");
int main(void) {
    known = 0;
    if (input()) *kept = 1; /* bad */
    other();
    *kept = 1; /* ok */
    return 0;
}";
    a_store_to_one_of_two_may_be_to_either: "
int main(void) {
    int *p = &x, *q = &x, **pp = input() ? &p : &q;
    *pp = 0;
    if (input()) *p = 1; /* bad */
    *q = 1; /* bad */
    return 0;
}";
    members_behind_one_pointer_are_apart: "
struct s *get(void);
int main(void) {
    struct s *p = malloc(sizeof *p), *q = input() ? p : get();
    if (!p || !q) return 0;
    if (!q->f) q->f = &x;
    q->g = 0;
    *q->f = 1; /* ok */
    p->f = 0;
    *q->f = 1; /* bad */
    return 0;
}";
    members_of_a_union_are_not_apart: "
union u { int *a; struct { int *b, *c; } in; };
int main(void) {
    union u *p = malloc(sizeof *p);
    if (!p) return 0;
    if (!p->a) p->a = &x;
    *p->a = 1; /* ok */
    p->in.b = 0;
    *p->a = 1; /* bad */
    return 0;
}";
    bytes_behind_another_type_are_not_apart: "
int main(void) {
    struct s *p = malloc(sizeof *p);
    if (!p) return 0;
    if (!p->g) p->g = &x;
    *p->g = 1; /* ok */
    ((long *)p)[1] = 0;
    *p->g = 1; /* bad */
    return 0;
}";
    calloc_fills_with_null: "
int main(void) {
    struct s *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    if (!a || !b) return 0;
    b->f = &x;
    *b->f = 1;
    *a->f = 1; /* bad */
    return 0;
}";
    realloc_keeps_what_was_there: "
int main(void) {
    int **a = malloc(sizeof *a), **b;
    if (!a) return 0;
    a[0] = 0;
    b = realloc(a, 2 * sizeof *a);
    if (!b) return 0;
    b[1] = &x;
    *b[0] = 1; /* bad */
    return 0;
}";
    memset_writes_null: "
int main(void) {
    struct s a = { &x, &x, 1, 0 };
    *a.f = 1; /* ok */
    memset(&a, 0, sizeof a);
    *a.f = 1; /* bad */
    return 0;
}";
    memcpy_copies_null: "
int main(void) {
    struct s a = { &x, &x, 1, 0 }, b = { 0, &x, 1, 0 };
    memcpy(&a, &b, sizeof a);
    *a.f = 1; /* bad */
    return 0;
}";
    memcpy_of_an_array_copies_each_element: "
int main(void) {
    int *a[2] = { 0, &x }, *b[2] = { &x, &x };
    memcpy(b, a, sizeof a);
    if (b[1]) *b[0] = 1; /* bad */
    return 0;
}";
    a_record_with_an_array_is_copied_element_by_element: "
struct t { int *a[2]; };
int main(void) {
    struct t a, b;
    a.a[0] = 0;
    a.a[1] = &x;
    b = a;
    if (b.a[1]) *b.a[0] = 1; /* bad */
    return 0;
}";
    a_record_with_an_array_is_given_element_by_element: "
struct t { int *a[2]; };
static void f(struct t v) { v.a[0] = &x; *v.a[1] = 1; /* bad */
}
int main(void) {
    struct t a = { { &x, 0 } };
    f(a);
    return 0;
}";
    memory_that_is_seen_as_two_types_is_one_memory: "
int main(void) {
    long *l = malloc(sizeof *l);
    int **q = (int **)l;
    if (!l) return 0;
    *q = &x;
    **q = 1; /* ok */
    *l = 0;
    **q = 1; /* bad */
    return 0;
}";
    a_recursive_local_is_there_twice: "
static void f(int **out, int n) {
    int *p = &x;
    if (n > 0) f(&p, n - 1);
    if (out) *out = 0;
    *p = 1; /* bad */
}
int main(void) { f(0, 1); return 0; }
";
    an_activation_has_its_own_locals: "
static void f(int n) {
    int *p = n ? &x : 0;
    if (n > 0) f(n - 1);
    if (n > 0) *p = 1; /* ok */
}
int main(void) { f(3); return 0; }
";
    an_address_taken_parameter_is_written: "
static void g(int **pp) { *pp = 0; }
static void f(int *p) {
    *p = 1; /* ok */
    g(&p);
    *p = 1; /* bad */
}
int main(void) { f(&x); return 0; }
";
    a_callee_starts_with_what_its_caller_knows: "
static void g(struct s *p) {
    *p->f = 1; /* ok */
    *p->f = 2; /* ok */
}
static void f(struct s *p) {
    p->f = &x;
    g(p);
    *p->f = 1; /* ok */
}
int main(void) {
    struct s *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    if (!a || !b) return 0;
    b->f = 0;
    f(a);
    return 0;
}";
    an_address_is_no_access: "
int main(void) {
    struct s *p = 0;
    int **q = &p->g;
    unsigned long n = sizeof(*p) + sizeof(p->f);
    if (input()) *q = 0; /* bad */
    return (int)n;
}";
    a_static_local_keeps_its_value: "
static void f(void) {
    static int *p, n;
    if (n) *p = 1; /* ok */
    p = &x;
    n = 1;
}
int main(void) { f(); f(); return 0; }
";
    a_static_local_starts_as_null: "
static void f(void) {
    static int *p;
    *p = 1; /* bad */
    p = &x;
}
int main(void) { f(); f(); return 0; }
";
    a_callback_writes_a_global: "
static int *p = &x;
static void reset(void) { p = 0; }
static void run(void (*f)(void)) { f(); }
int main(void) {
    *p = 1; /* ok */
    run(reset);
    *p = 1; /* bad */
    return 0;
}";
    a_compound_literal_is_memory: "
int main(void) {
    struct s *p = &(struct s){ .g = &x };
    *p->g = 1; /* ok */
    *p->f = 1; /* bad */
    return 0;
}";
    a_partial_initialiser_leaves_null: "
static int *a[3] = { &x };
static struct { int *p[2]; int *q; } r = { { &x, &x } };
int main(void) {
    int *b[3] = { &x, &x };
    if (input()) *r.p[1] = 1; /* ok */
    if (input()) *r.q = 1; /* bad */
    if (input()) *a[2] = 1; /* bad */
    *b[2] = 1; /* bad */
    return 0;
}";
    a_designator_may_come_twice: "
static int *a[3] = { [0 ... 2] = &x, [1] = 0 };
int main(void) {
    *a[1] = 1; /* bad */
    return 0;
}";
    one_element_of_a_range_is_another: "
static int *a[10] = { [0 ... 9] = 0, [0] = &x };
static int *b[5] = { [0 ... 2] = &x, [1 ... 3] = &x };
static int *c[5] = { [0 ... 2] = &x, [3 ... 4] = &x };
int main(void) {
    if (input()) *a[1] = 1; /* bad */
    if (input()) *b[4] = 1; /* bad */
    *c[4] = 1; /* ok */
    return 0;
}";
    a_whole_element_of_a_range_is_another: "
struct two { int *p, *q; };
static struct two a[3] = { [0 ... 2] = { &x, &x }, [1] = { &x } };
static struct two b[3] = { [1] = { &x, &x }, [0 ... 2] = { &x } };
int main(void) {
    struct two c[3] = { [0 ... 2] = { &x, &x }, [1] = { &x } };
    if (input()) *a[1].q = 1; /* bad */
    if (input()) *b[1].q = 1; /* bad */
    *c[1].q = 1; /* bad */
    return 0;
}";
    a_record_is_returned: "
static struct s make(int n) { struct s r = { 0, &x, 0, 0 }; if (n) r.f = &x; return r; }
int main(void) {
    struct s a = make(1), b = make(0);
    *a.f = 1; /* ok */
    *a.g = 1; /* ok */
    *b.f = 1; /* bad */
    return 0;
}";
    an_out_parameter_of_a_recursive_function_is_set: "
static int get(int n, int **out) {
    int *mine;
    if (n == 0) { *out = 0; return 1; }
    if (get(n - 1, &mine)) *out = mine;
    return 1;
}
int main(void) {
    int *p = &x;
    if (get(2, &p)) *p = 1; /* bad */
    return 0;
}";
    a_list_is_walked: "
int main(void) {
    struct s a = { &x, 0, 1, 0 }, b = { 0, &x, 1, &a }, *p;
    for (p = &b; p; p = p->next) {
        if (!p->f) continue;
        *p->f = 1; /* ok */
    }
    p = &b;
    while (p->next) p = p->next; /* ok */
    *p->g = 1; /* bad */
    return 0;
}";
    an_address_that_a_callee_keeps_is_written_later: "
static int **kept;
static void keep(int **pp) { kept = pp; }
static void later(void) { *kept = 0; }
int main(void) {
    int *p = &x;
    keep(&p);
    *p = 1; /* ok */
    later();
    *p = 1; /* bad */
    return 0;
}";
    a_callee_writes_through_a_copy_of_its_parameter: "
static void f(struct s *p) { struct s *q = p; q->f = 0; }
int main(void) {
    struct s *a = malloc(sizeof *a);
    if (!a) return 0;
    a->f = &x;
    *a->f = 1; /* ok */
    f(a);
    *a->f = 1; /* bad */
    return 0;
}";
    tentative_definitions_are_null: "
static int *p;
int *q;
static const char *text = \"text\";
int main(void) {
    if (input()) return *text; /* ok */
    if (input()) *p = 1; /* bad */
    *q = 1; /* bad */
    return 0;
}";
    a_global_copy_is_seen_by_a_recursive_function: "
static struct s *cursor;
static void f(int n) {
    if (!cursor) return;
    cursor->f = &x;
    if (n > 0) { f(n - 1); cursor->f = 0; }
    *cursor->f = 1; /* bad */
}
int main(void) { cursor = malloc(sizeof *cursor); f(2); return 0; }
";
    elements_of_an_array_of_records_differ: "
int main(void) {
    struct s a[2] = { { &x, &x, 1, 0 } };
    int i = input() ? 1 : 0;
    struct s *p = &a[0], *q = &a[i];
    p->f = &x;
    *p->f = 1; /* ok */
    q->f = 0;
    *p->f = 1; /* bad */
    return 0;
}";
    a_parameter_record_has_its_own_members: "
static int f(struct s v) { struct s *p = &v; p->f = 0; if (input()) *v.f = 1; /* bad */
    return 0; }
int main(void) {
    struct s a = { &x, &x, 1, 0 };
    f(a);
    *a.f = 1; /* ok */
    return 0;
}";
    the_first_member_is_the_record: "
struct t { struct s in; int *p; };
static void clear(struct s *s) { struct t *t = (struct t *)s; t->p = 0; }
int main(void) {
    struct t t = { { &x, &x, 1, 0 }, &x };
    clear(&t.in);
    *t.p = 1; /* bad */
    return 0;
}";
}

programs! {
    members_of_an_outside_union_are_the_same: "
struct one { int *f; int n; };
struct other { int *f; char c; };
union both { struct one a; struct other b; int *p; long n; };
int by_structures(union both *p, union both *q) {
    if (!p->a.f) return 0;
    q->b.f = 0;
    return *p->a.f; /* bad */
}
int by_pointers(union both *p, union both *q) {
    if (!p->a.f) return 0;
    q->p = 0;
    return *p->a.f; /* bad */
}
int by_numbers(union both *p, union both *q) {
    if (!p->p) return 0;
    q->n = 0;
    return *p->p; /* bad */
}
int by_no_way(union both *p, struct s *q) {
    if (!p->p) return 0;
    q->f = 0;
    return *p->p; /* ok */
}";
}

pessimistic_programs! {
    assembly_may_make_null: "
int main(void) {
    int *p = &x, *q = &x;
    __asm__ volatile (\"\" : \"=r\"(p));
    if (input()) *p = 1; /* bad */
    __asm__ volatile (\"\" : : \"r\"(&q) : \"memory\");
    *q = 1; /* bad */
    return 0;
}";
    what_outside_code_writes_may_be_null: "
void ext(int **);
int main(void) {
    int *p = &x;
    ext(&p);
    *p = 1; /* bad */
    return 0;
}";
    copies_are_read_again_after_outside_code: "
void ext(int ***);
int main(int c, char **v) {
    int *a = &x, *b = &x, **pp = c > 1 ? &a : &b, **keep = pp;
    **pp = 1; /* ok */
    ext(&keep);
    **pp = 1; /* bad */
    return 0;
}";
    copies_are_read_again_after_a_call_back: "
static struct s a = { &x, &x, 1, 0 }, b = { &x, &x, 1, 0 };
static void reset(void) { a.f = 0; b.f = 0; }
void ext(void (*)(void));
int main(int c, char **v) {
    struct s *p = c > 1 ? &a : &b;
    *p->f = 1; /* ok */
    ext(reset);
    *p->f = 1; /* bad */
    return 0;
}";
    outside_code_keeps_what_it_was_given: "
void take(int **); void later(void);
int main(void) {
    int *p = &x;
    take(&p);
    p = &x;
    later();
    *p = 1; /* bad */
    return 0;
}";
    what_outside_code_returns_may_be_null: "
int *ext(void);
int main(void) {
    int *p = ext();
    *p = 1; /* bad */
    return 0;
}";
    what_is_filled_by_outside_code_differs_from_element_to_element: "
void ext(int **);
int main(void) {
    int *a[2] = { &x, &x };
    ext(a);
    if (a[1]) *a[0] = 1; /* bad */
    return 0;
}";
    a_parameter_from_outside_may_be_null: "
void f(int *p, struct s *s) {
    if (!s) return;
    if (input()) *p = 1; /* bad */
    *s->f = 1; /* bad */
}";
    a_byte_written_by_way_of_outside_may_be_any: "
char *ext(int **);
int main(void) {
    int *p = &x;
    char *c = ext(&p);
    int i;
    p = &x;
    for (i = 0; i < 8; i++) c[i] = 0;
    *p = 1; /* bad */
    return 0;
}";
}

#[test]
fn what_the_program_stores_in_outside_memory_is_no_assumption() {
    let text = "
void f(struct s *s) {
    int **pp = &s->f;
    *pp = 0;
    *s->f = 1; /* bad */
}
void g(struct s *s) {
    s->g = 0;
    int **pp = &s->g;
    **pp = 1; /* bad */
}
static void put(int **pp) { *pp = 0; }
void h(struct s *s) {
    s->f = &x;
    *s->f = 1; /* ok */
    *s->f = 2; /* ok */
    put(&s->f);
    *s->f = 3; /* bad */
}
void k(struct s *s) {
    int **pp = &s->f;
    s->f = &x;
    *s->f = 1; /* ok */
    *pp = 0;
    *s->f = 3; /* bad */
}";
    check_with(text, Unknown::AsTested);
}

#[test]
fn a_number_in_a_union_is_a_pointer_to_another_function() {
    let text = "
union u { long n; int *p; double d; struct { int low, high; } halves; };
struct holder { union u u; int *q; };
void put_number(struct holder *h) { h->u.n = 0; }
int take_pointer(struct holder *h) { put_number(h); return *h->u.p; /* bad */ }
int take_other(struct holder *h) { put_number(h); return *h->q; /* ok */ }
union half { struct { int low, high; } halves; int *p; };
void put_half(union half *u) { u->halves.low = 0; }
int take_whole(union half *u) { put_half(u); return *u->p; /* bad */ }
union inner { long n; int *p; };
union outer { union inner in; double d; };
void put_outer(union outer *o) { o->d = 0; }
int take_inner(union outer *o) { put_outer(o); return *o->in.p; /* bad */ }
union part { long n; int *p; };
union around { union part in; double d; };
void put_part(union part *i) { i->n = 0; }
int take_part(union around *o) { put_part(&o->in); return *o->in.p; /* bad */ }
union bits { unsigned f : 3; int *p; };
void put_bits(union bits *u) { u->f = 0; }
int take_bits(union bits *u) { put_bits(u); return *u->p; /* bad */ }
static void clear(union inner *u) { u->n = 0; }
void again(union inner *u) {
    u->p = &x;
    *u->p = 1; /* ok */
    *u->p = 2; /* ok */
    clear(u);
    *u->p = 3; /* bad */
}";
    check_with(text, Unknown::AsTested);
}

#[test]
fn a_pointer_into_a_union_reaches_all_of_it() {
    let text = "
union u { long n; int *p; };
static void put(long *n) { *n = 0; }
void first(union u *u) { put(&u->n); }
int second(union u *u) { first(u); return *u->p; /* bad */ }
union v { struct a { int *p; } a; struct b { long n; } b; };
static void put_member(struct b *b) { b->n = 0; }
void third(union v *v) { put_member(&v->b); }
int fourth(union v *v) { third(v); return *v->a.p; /* bad */ }
union w { long n; int *p; };
void fifth(union w *w) { w->n = 0; }
static int take(union w *w, int **p) { fifth(w); return **p; /* bad */ }
int sixth(union w *w) { return take(w, &w->p); }
int seventh(struct s *s) { return *s->f; /* ok */ }";
    check_with(text, Unknown::AsTested);
}

#[test]
fn bytes_that_the_library_writes_are_parts_of_structures_outside() {
    let text = "
struct a { int *p; int n; };
int cleared(struct a *a, unsigned long n) { a->p = &x; memset(a, 0, n * sizeof *a); return *a->p; /* bad */ }
struct b { int *p; int n; };
void clear(struct b *b, unsigned long n) { memset(b, 0, n); }
int elsewhere(struct b *b) { clear(b, b->n); return *b->p; /* bad */ }
struct c { int *many[4]; };
int elements(struct c *c) { c->many[1] = &x; memset(c, 0, sizeof *c); return *c->many[1]; /* bad */ }
struct e { int *p, *q; };
void copied(struct e *to, struct e *from, unsigned long n) { from->p = 0; memcpy(to, from, n * sizeof *to); }
int copy(struct e *e, struct e *from) { copied(e, from, 1); return *e->p + /* bad */
    *e->q; /* ok */ }
struct f { int *p; };
int kept(struct f *f, char *bytes, unsigned long n) { f->p = &x; memset(bytes, 0, n); return *f->p; /* ok */ }";
    check_with(text, Unknown::AsTested);
    let reading = "
struct d { int n, m; };
int scanned(struct d *d) {
    d->n = 1;
    d->m = 1;
    scanf(\"%d\", &d->n);
    int *p = d->m ? &x : 0;
    *p = 1; /* ok */
    p = d->n ? &x : 0;
    return *p; /* bad */
}";
    check_with(reading, Unknown::AsTested);
}

#[test]
fn bytes_of_no_type_may_be_any_structure() {
    let clearing = "
struct a { int *p; };
void clear(void *to, unsigned long n) { memset(to, 0, n); }
int take(struct a *a) { a->p = &x; clear(a, sizeof *a); return *a->p; /* bad */ }";
    check_with(clearing, Unknown::AsTested);
    let copying = "
struct a { int *p; };
void copy(void *to, void *from, unsigned long n) { memcpy(to, from, n); }
int take(struct a *a, struct a *b) { copy(a, b, sizeof *a); return *a->p; /* ok */ }";
    check_with(copying, Unknown::AsTested);
    let giving = "
struct a { int *p; };
int *own;
void copy(void *to, void *from, unsigned long n) { memcpy(to, from, n); }
int take(struct a *a) { own = 0; copy(a, &own, sizeof own); return *a->p; /* bad */ }";
    check_with(giving, Unknown::AsTested);
}

#[test]
fn structures_in_a_union_that_only_pointers_reach_are_told_apart() {
    let text = |of_others: &str| {
        format!(
            "
union any {{ struct name {{ int *text; }} name; struct number {{ long value; }} number; }};
union any *make(void);
static struct name *as_name(union any *a) {{ return &a->name; }}
static struct number *as_number(union any *a) {{ return &a->number; }}
void put(void) {{ as_number(make())->value = 0; }}
int take(void) {{ return *as_name(make())->text; /* {of_others} */ }}"
        )
    };
    check_with(&text("ok"), Unknown::AsTested);
    check_with(&text("bad"), Unknown::Anything);
}

#[test]
fn what_nobody_writes_a_number_to_is_as_outside_values_are() {
    let text = "
union u { long n; int *p; };
struct holder { union u u; int *q; };
union other { long n; int *p; };
void put(union other *o) { o->n = 0; }
long get(struct holder *h) { return h->u.n; }
void copy(struct holder *a, struct holder *b) { memcpy(a, b, sizeof *a); memcpy(&a->u, &b->u, sizeof b->u); }
void store(struct holder *h) { h->u.p = &x; }
int take(struct holder *h) { return *h->u.p; /* ok */ }";
    check_with(text, Unknown::AsTested);
}
