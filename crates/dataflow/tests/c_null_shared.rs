//! What the analysis `null` says of scalars that share bytes, and of what nobody can write: bit-fields, members of unions,
//! tables that are `const`.

#[path = "support/marked.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod marked;
#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_c_facts::Unknown;
use marked::{check, check_with};

macro_rules! programs {
    ($($name:ident: $text:expr;)*) => { $(#[test] fn $name() { check($text); })* };
}

programs! {
    a_bit_field_keeps_its_value_while_its_neighbours_change: "
struct b { unsigned has : 1; unsigned kind : 3; int *p; };
int main(void) {
    struct b b = { 0 };
    if (input()) { b.p = &x; b.has = 1; }
    b.kind = 2;
    b.kind++;
    if (b.has) *b.p = 1; /* ok */
    if (b.kind == 3) *b.p = 1; /* bad */
    if (!b.has) *b.p = 1; /* bad */
    return 0;
}";
    what_is_too_large_for_a_bit_field_is_cut_off: "
struct b { int flag : 1; unsigned low : 2; _Bool is : 1; };
int main(void) {
    struct b b;
    int *p = 0;
    b.flag = 1;
    b.low = 6;
    b.is = 6;
    if (b.flag == 1) *p = 1; /* dead */
    if (b.low == 6) *p = 1; /* dead */
    if (b.is != 1) *p = 1; /* dead */
    if (input() && b.flag == -1) *p = 1; /* bad */
    if (input() && b.low == 2) *p = 1; /* bad */
    if (b.is) *p = 1; /* bad */
    return 0;
}";
    a_bit_field_is_followed_by_another_name: "
struct b { unsigned has : 1; unsigned kind : 3; int *p; };
static void set(struct b *b, int *p) { b->p = p; b->has = p != 0; }
static void use(struct b *b) { if (b->has) *b->p = 1; } /* ok */
static void use_other(struct b *b) { if (!b->has) *b->p = 1; } /* bad */
static void set_kind(struct b *b) { b->kind = 4; }
int main(void) {
    struct b b;
    b.kind = 1;
    set(&b, input() ? &x : 0);
    set_kind(&b);
    use(&b);
    use_other(&b);
    return 0;
}";
    a_bit_field_on_the_heap_is_remembered: "
struct b { unsigned has : 1; unsigned kind : 3; int *p; };
int main(void) {
    struct b *b = malloc(sizeof *b), *c = malloc(sizeof *c);
    if (!b || !c) return 0;
    b->p = 0;
    b->has = 0;
    if (input()) { b->p = &x; b->has = 1; }
    b->kind = 2;
    c->kind = 3;
    if (b->has) *b->p = 1; /* ok */
    if (input()) b = c;
    if (b->has) *b->p = 1; /* bad */
    return 0;
}";
    bytes_that_are_written_are_forgotten_of_bit_fields: "
struct b { unsigned has : 1; unsigned kind : 3; int *p; };
static void put(unsigned char *to) { *to = 1; }
int main(void) {
    struct b b = { 0 }, c = { 1, 2, 0 };
    struct { unsigned has : 1; unsigned kind : 3; int *p; } *o = (void *)&b;
    if (b.has) *b.p = 1; /* dead */
    if (input()) { memset(&b, 0xff, sizeof(int)); if (b.has) *b.p = 1; /* bad */ }
    b.has = 0;
    if (input()) { put((unsigned char *)&b); if (b.has) *b.p = 1; /* bad */ }
    b.has = 0;
    if (input()) { memcpy(&b, &c, sizeof b); if (b.has) *b.p = 1; /* bad */ }
    memset(&b, 0, sizeof b);
    if (b.has || b.kind) *b.p = 1; /* dead */
    if (input()) { b = c; if (b.kind == 2) *b.p = 1; /* bad */ if (b.kind != 2) *b.p = 1; /* dead */ }
    b.has = 0;
    o->has = 1;
    if (b.has) *b.p = 1; /* bad */
    return 0;
}";
    a_static_bit_field_starts_as_it_is_initialised: "
static struct { unsigned a : 2, b : 2; int c : 2; } s = { 1, .c = -1 };
int main(void) {
    int *p = 0;
    if (s.a != 1 || s.b || s.c != -1) *p = 1; /* dead */
    s.b = 3;
    if (s.a == 1 && input()) *p = 1; /* bad */
    return 0;
}";
    bit_fields_and_the_word_that_they_are_in_are_one: "
union w { unsigned raw; struct { unsigned low : 1, high : 31; } bits; };
int main(void) {
    union w w;
    int *p = 0;
    w.raw = 0;
    w.bits.low = 1;
    if (w.raw && input()) *p = 1; /* bad */
    w.raw = 0;
    if (w.raw) *p = 1; /* dead */
    if (w.bits.high) *p = 1; /* rough */
    w.bits.high = 3;
    if (w.bits.high != 3) *p = 1; /* dead */
    return 0;
}";
    a_tag_says_which_member_of_a_union_there_is: "
struct v { int tag; union { int *p; long n; int i; } u; };
static void clear(struct v *v) { v->tag = 0; v->u.n = 0; }
int main(void) {
    struct v v, w;
    if (input()) { v.tag = 1; v.u.p = &x; } else { v.tag = 0; v.u.i = 0; }
    if (v.tag == 1) *v.u.p = 1; /* ok */
    w = v;
    if (w.tag == 1) *w.u.p = 1; /* ok */
    if (input() && v.tag == 0) *v.u.p = 1; /* bad */
    if (input()) w.u.n = 0;
    if (input() && w.tag == 1) *w.u.p = 1; /* bad */
    clear(&v);
    if (v.tag == 1) *v.u.p = 1; /* dead */
    if (input()) { w.tag = 1; w.u.p = &x; }
    clear(&w);
    w.tag = 1;
    if (w.tag == 1) *w.u.p = 1; /* bad */
    return 0;
}";
    a_member_of_a_union_that_was_tested_is_followed: "
union u { int *p; long n; char b[8]; };
static union u g;
int main(void) {
    union u u = { 0 }, *v = &u;
    if (input()) u.p = &x;
    if (u.p) *u.p = 1; /* ok */
    if (u.p) { if (input()) v->n = 0; *u.p = 1; /* bad */ }
    if (u.p) { if (input()) u.b[input() & 7] = 0; *u.p = 1; /* bad */ }
    if (g.p) *g.p = 1; /* dead */
    g.p = &x;
    g.n = 0;
    *g.p = 1; /* bad */
    return 0;
}";
    a_union_starts_as_it_is_initialised: "
static union { long n; int *p; } zero = { 0 };
static union { int *p; long n; } set = { &x };
static union { int i; int *p; } part = { 5 };
int main(void) {
    *set.p = 1; /* ok */
    if (input()) *part.p = 1; /* rough */
    *zero.p = 1; /* bad */
    return 0;
}";
    a_union_that_is_returned_holds_what_it_held: "
union u { int *p; int i; };
static union u make(int n) { union u u; if (n) u.p = &x; else { u.p = 0; u.i = 0; } return u; }
int main(void) {
    union u u = make(input());
    if (u.p) { *u.p = 1; /* ok */ }
    *u.p = 1; /* bad */
    return 0;
}";
    nobody_writes_a_table_that_is_constant: "
typedef int (*action)(int);
static int one(int n) { return n; }
struct op { action run; int *to; };
static const struct op ops[] = { { one, &x }, { one, &y } }, some[] = { { one, &x }, { 0, 0 } };
static const struct op single = { one, &x };
static int *const ends[2] = { &x, &y };
static struct op open[] = { { one, &x } };
void elsewhere(const void *, const void *, const void *, void *, const void *);
int use(int i) {
    elsewhere(ops, ends, &single, open, some);
    if (single.to == 0 || ends[i & 1] == 0 || ops[i & 1].to == 0) return 1;
    if (input()) return single.run(1); /* ok */
    if (input()) return ops[i & 1].run(*ops[i & 1].to); /* ok */
    if (input()) return *ends[i & 1]; /* ok */
    if (input() && open[0].to) { elsewhere(0, 0, 0, 0, 0); return *open[0].to; } /* bad */
    return *some[i & 1].to; /* bad */
}
int main(void) { return use(input()); }";
    what_is_constant_only_behind_a_pointer_may_change: "
static int *p = &x, *volatile const q = &x;
static int *const *const v = &p;
void elsewhere(const void *, const void *);
int main(void) {
    elsewhere(&p, (const void *)&q);
    if (p == 0 || q == 0) return 1;
    elsewhere(0, 0);
    if (input()) **v = 1; /* bad */
    *q = 1; /* bad */
    return 0;
}";
}

#[test]
fn who_reads_from_outside_sees_what_is_in_a_constant() {
    let text = "
struct row { const char *name; int *to; };
static const struct row rows[] = { { \"a\", &x }, { 0, 0 } };
void elsewhere(const struct row *, int (*)(const struct row *));
static int find(const struct row *r) { if (r->to == 0) y = 1; return *r->to; } /* bad */
void start(void) { elsewhere(rows, find); }";
    check_with(text, Unknown::AsTested);
    check_with(&text.replace("if (r->to == 0) y = 1;", ""), Unknown::Anything);
}
