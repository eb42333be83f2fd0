//! What the analysis `null` says of more small programs: pointers, numbers, jumps and calls, line by line.

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
    the_address_of_a_member_is_not_that_of_the_first: "
static void clear(int **o) { *o = 0; }
int main(void) {
    struct s a = { &x, &x, 0, 0 }, *p = &a;
    clear(&p->g);
    *p->f = 1; /* ok */
    if (input()) *p->g = 1; /* bad */
    clear(&p->f);
    if (input()) *p->f = 1; /* bad */
    return 0;
}";
    a_block_goes_over_several_members: "
struct four { int *a, *b, *c, *d; };
int main(void) {
    struct four r = { &x, &x, &x, &x }, t = { &x, &x, &x, &x }, z = { 0, 0, 0, 0 }, *p = malloc(sizeof *p);
    int *start = (int *)&t;
    if (!p) return 0;
    p->a = p->b = p->c = p->d = &x;
    memset(&r.b, 0, 2 * sizeof(int *));
    if (input()) *r.a = 1; /* ok */
    if (input()) *r.b = 1; /* bad */
    if (input()) *r.c = 1; /* bad */
    if (input()) *r.d = 1; /* ok */
    memset(&p->b, 0, sizeof *p - 8);
    if (input()) *p->a = 1; /* ok */
    if (input()) *p->d = 1; /* bad */
    if (input()) { memset(start, 0, sizeof t); *t.c = 1; /* bad */ }
    memcpy(&t.b, &z.b, 2 * sizeof(int *));
    *t.c = 1; /* bad */
    return 0;
}";
    a_block_goes_over_elements_and_what_follows: "
struct three { int *a[2]; int *b, *c; };
int main(void) {
    struct three r = { { &x, &x }, &x, &x };
    unsigned long n = input();
    memset(&r.a[1], 0, 2 * sizeof(int *));
    if (input()) *r.b = 1; /* bad */
    memset(&r.b, 0, n);
    *r.c = 1; /* bad */
    return 0;
}";
    a_difference_of_addresses_may_be_zero: "
int main(void) {
    int a[4], *p = a, *q = a;
    int *r = (int *)(p - q), *s = (int *)((long)p - (long)q), *t = (int *)((long)p + 8);
    if (input()) *r = 1; /* bad */
    if (input()) *s = 1; /* bad */
    *t = 1; /* ok */
    return 0;
}";
    calloc_fills_an_array_of_pointers_with_null: "
int main(void) {
    int **a = calloc(2, sizeof *a);
    if (!a) return 0;
    a[0] = &x;
    *a[1] = 1; /* bad */
    return 0;
}";
    memset_behind_a_pointer_writes_null: "
static void clear(struct s *p) { memset(p, 0, sizeof *p); }
int main(void) {
    struct s a = { &x, &x, 1, 0 }, *p = malloc(sizeof *p);
    if (!p) return 0;
    p->f = &x;
    clear(&a);
    clear(p);
    if (input()) *a.f = 1; /* bad */
    *p->f = 1; /* bad */
    return 0;
}";
    a_union_with_an_array_is_copied_element_by_element: "
union u { int *a[2]; long n; };
int main(void) {
    union u a, b;
    a.a[0] = 0;
    a.a[1] = &x;
    b = a;
    if (b.a[1]) *b.a[0] = 1; /* bad */
    return 0;
}";
    a_copy_is_read_again_after_its_pointer_moved_with_what_it_points_to: "
int main(void) {
    struct s a = { &x, &x, 1, 0 }, b = { 0, &x, 1, 0 }, c = { &x, &x, 1, 0 };
    a.next = input() ? &c : &a;
    b.next = &a;
    *a.next->f = 1; /* ok */
    *a.next->f = 2; /* ok */
    a = b;
    *a.next->f = 3; /* bad */
    return 0;
}";
    bit_fields_of_one_word_are_different: "
struct b { int one : 3; int two : 3; };
int main(void) {
    struct b *b = malloc(sizeof *b);
    int *p = 0;
    if (!b) return 0;
    b->one = 1;
    b->two = 0;
    if (b->one == 1) *p = 1; /* bad */
    return 0;
}";
    a_bit_field_of_a_variable_holds_what_fits: "
struct b { unsigned one : 1; int two : 3; };
int main(void) {
    struct b b;
    int *p = 0;
    b.one = 1;
    b.two = 7;
    if (b.two == -1) *p = 1; /* bad */
    return 0;
}";
    what_is_below_zero_is_seen_of_a_small_unsigned: "
int main(void) {
    unsigned char c = 0;
    int i = c - 1, *p = 0;
    if (i < 0) *p = 1; /* bad */
    return 0;
}";
    what_is_below_zero_is_seen_of_an_unsigned_made_long: "
int main(void) {
    unsigned u = 0;
    long l = (long)u - 1;
    int *p = 0;
    if (l < 0) *p = 1; /* bad */
    return 0;
}";
    a_small_unsigned_does_not_wrap_as_an_int: "
int main(void) {
    unsigned char c = 100;
    int i = c + 200, *p = 0;
    if (i == 300) *p = 1; /* bad */
    return 0;
}";
    a_signed_char_can_be_less_than_its_least: "
int main(void) {
    signed char c = -128;
    int i = c - 1, *p = 0;
    if (i < -128) *p = 1; /* bad */
    return 0;
}";
    an_unsigned_wraps: "
int main(void) {
    unsigned u = 0;
    int *p = 0;
    u--;
    if (u > 10) *p = 1; /* bad */
    return 0;
}";
    a_char_wraps: "
int main(void) {
    unsigned char c = 255;
    int *p = 0;
    c++;
    if (c == 0) *p = 1; /* bad */
    return 0;
}";
    signs_are_compared_as_c_does: "
int main(void) {
    int i = -1, *p = 0;
    unsigned u = 0;
    if (i > u) *p = 1; /* bad */
    return 0;
}";
    a_signed_char_is_compared_as_an_int: "
int main(void) {
    signed char c = -1;
    unsigned char d = -1;
    int *p = 0;
    if (input() && c == d) *p = 1; /* rough */
    if (d == 255) *p = 1; /* bad */
    return 0;
}";
    a_truncated_number_is_another: "
int main(void) {
    int i = 256, *p = 0;
    char c = (char)i;
    if (c == 0) *p = 1; /* bad */
    return 0;
}";
    a_number_is_given_as_its_parameter_has_it: "
int f();
int main(void) { f(-1); return 0; }
int f(u) unsigned u; {
    int *p = 0;
    if (u > 10) *p = 1; /* bad */
    return 0;
}";
    fewer_arguments_than_parameters_are_anything: "
int f();
int main(void) { f(); return 0; }
int f(p) int *p; { *p = 1; /* bad */
    return 0; }
";
    a_comparison_can_become_a_pointer: "
int main(void) {
    int *p = (int *)(long)(input() == 3);
    *p = 1; /* bad */
    return 0;
}";
    a_number_can_become_a_pointer: "
int main(void) {
    long n = 0, m = (long)&x;
    int *p = (int *)n, *q = (int *)m;
    if (q) *q = 1; /* ok */
    *p = 1; /* bad */
    return 0;
}";
    a_pointer_survives_in_a_number: "
int main(void) {
    int *p = input() ? &x : 0;
    unsigned long n = (unsigned long)p;
    int *q = (int *)n;
    *q = 1; /* bad */
    return 0;
}";
    a_narrowed_pointer_can_be_null: "
int main(void) {
    int *p = (int *)(long)(char)(long)&x;
    *p = 1; /* bad */
    return 0;
}";
    a_union_is_one_memory: "
union u { int *p; long n; };
int main(void) {
    union u u, *v = malloc(sizeof *v);
    if (!v) return 0;
    u.p = &x;
    u.n = 0;
    if (input()) *u.p = 1; /* bad */
    v->p = &x;
    *v->p = 1; /* ok */
    v->n = 0;
    *v->p = 1; /* bad */
    return 0;
}";
    bytes_of_a_pointer_can_be_written: "
int main(void) {
    int *p = &x;
    char *c = (char *)&p;
    int i;
    for (i = 0; i < 8; i++) c[i] = 0;
    *p = 1; /* bad */
    return 0;
}";
    what_is_behind_a_pointer_changes_through_another: "
static void f(struct s *p, struct s *q) {
    p->f = &x;
    *p->f = 1; /* ok */
    q->f = 0;
    *p->f = 1; /* bad */
}
int main(void) {
    struct s *a = malloc(sizeof *a);
    if (a) f(a, a);
    return 0;
}";
    what_is_behind_a_pointer_changes_in_a_callee: "
static struct s *keep;
static void g(void) { if (keep) keep->f = 0; }
static void f(struct s *p) {
    p->f = &x;
    *p->f = 1; /* ok */
    g();
    *p->f = 1; /* bad */
}
int main(void) {
    struct s *a = malloc(sizeof *a);
    keep = a;
    if (a) f(a);
    return 0;
}";
    a_global_pointer_moves_in_a_callee: "
static struct s a = { &x, &x, 1, 0 }, b = { 0, &x, 1, 0 }, *cursor = &a;
static void g(void) { cursor = &b; }
int main(void) {
    *cursor->f = 1; /* ok */
    *cursor->f = 1; /* ok */
    g();
    *cursor->f = 1; /* bad */
    return 0;
}";
    a_null_function_is_called: "
int main(void) {
    void (*f)(void) = 0;
    f(); /* bad */
    return 0;
}";
    a_function_pointer_may_be_null: "
static void g(void) {}
int main(void) {
    void (*f)(void) = input() ? g : 0;
    if (f) f(); /* ok */
    f(); /* bad */
    return 0;
}";
    what_is_given_to_a_function_that_does_not_return_is_read: "
int main(void) {
    int *p = 0;
    exit(*p); /* bad */
}";
    what_follows_a_dead_end_is_dead: "
int main(void) {
    int *p = 0;
    if (input()) { exit(1); *p = 1; /* dead */
    }
    for (;;) { }
    *p = 1; /* dead */
}";
    a_comparator_is_called: "
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
static int compare(const void *a, const void *b) {
    int *const *p = a, *const *q = b;
    return **p - **q; /* bad */
}
int main(void) {
    int *a[2] = { &x, 0 };
    qsort(a, 2, sizeof *a, compare);
    return 0;
}";
    what_a_member_of_a_local_is_in_is_there: "
struct list { struct list *next; }; struct thing { int n; struct list list; };
int main(void) {
    struct thing thing = { 3 };
    struct thing *same = (struct thing *)((char *)&thing.list - __builtin_offsetof(struct thing, list));
    same->n = 4; /* ok */
    int *after = (int *)((char *)&thing + 4 * input());
    *after = 1; /* ok */
    return 0;
}";
    a_jump_back_forgets: "
typedef long jmp_buf[32];
int setjmp(jmp_buf); void longjmp(jmp_buf, int);
static jmp_buf env;
static int *p = &x;
static void f(void) { p = 0; longjmp(env, 1); }
int main(void) {
    if (setjmp(env)) { *p = 1; /* bad */
        return 1; }
    f();
    return 0;
}";
    a_case_falls_through: "
int main(void) {
    int *p = &x;
    switch (input()) {
    case -1: p = 0;
    case 2: *p = 1; /* bad */
        break;
    case 3: *p = 1; /* ok */
        break;
    default: p = 0;
    }
    return 0;
}";
    cases_of_an_unsigned_char_are_numbers_of_it: "
int main(void) {
    unsigned char c = 255;
    int *p = 0;
    switch (c) {
    case 255: *p = 1; /* bad */
        break;
    }
    return 0;
}";
    a_variable_argument_may_be_null: "
static void f(int n, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, n);
    int *p = __builtin_va_arg(list, int *);
    *p = 1; /* bad */
    __builtin_va_end(list);
}
int main(void) { f(1, (int *)0); return 0; }
";
    a_comma_and_an_increment_have_an_order: "
int main(void) {
    int *p = &x, i = 0, j;
    j = (p = 0, i++);
    if (input() && j == 0) *p = 1; /* bad */
    p = &x;
    j = ++i;
    if (j == 1) p = 0;
    *p = 1; /* ok */
    return 0;
}";
    a_conditional_value_is_one_of_two: "
int main(void) {
    int c = input(), *p = c ? &x : 0;
    *(c ? p : &y) = 1; /* ok */
    *(c ? &y : p) = 1; /* bad */
    return 0;
}";
    short_circuits_guard: "
int main(void) {
    int *p = input() ? &x : 0;
    if (p && *p == 0) *p = 1; /* ok */
    if (!p || *p == 0) { } /* ok */
    if (p || *p == 0) { } /* bad */
    return 0;
}";
    overlapping_parts_are_assigned_at_once: "
int main(void) {
    struct s a = { 0, &x, 1, 0 };
    int *t = a.f;
    a.f = a.g;
    a.g = t;
    *a.f = 1; /* ok */
    *a.g = 1; /* bad */
    return 0;
}";
    a_pointer_goes_from_member_to_member: "
struct t { int *f; int *g; };
int main(void) {
    struct t a = { &x, 0 };
    int **p = &a.f;
    p = (int **)((char *)p + 8);
    **p = 1; /* bad */
    return 0;
}";
    of_two_targets_the_one_that_is_pointed_to_is_written: "
int main(void) {
    int *p = &x, *q = &x, c = input(), **pp = c ? &p : &q;
    *pp = 0;
    if (c) *q = 1; /* ok */
    if (c) *p = 1; /* bad */
    return 0;
}";
    a_target_stays_with_a_copy_of_the_pointer: "
static void put(int **pp) { *pp = 0; }
int main(void) {
    int *p = &x, *q = &x, **pp = &p, **qq;
    if (input()) pp = &q;
    qq = pp;
    put(qq);
    if (pp == &p) *p = 1; /* bad */
    *q = 1; /* bad */
    return 0;
}";
    a_counter_near_the_greatest_int: "
int main(void) {
    int i = 2147483647, *p = 0;
    unsigned u = i;
    u = u + 1;
    if (u == 2147483648u) *p = 1; /* bad */
    if (i - 1 == 2147483646) *p = 1; /* bad */
    return 0;
}";
    a_negative_constant_is_added_to_an_unsigned: "
int main(void) {
    unsigned u = 3;
    int *p = 0;
    u += -2;
    if (u == 1) *p = 1; /* bad */
    return 0;
}";
    a_loop_counts_down_past_zero: "
int main(void) {
    unsigned n = 3;
    int *p = &x;
    while (n-- > 0) { if (n == 0) p = 0; }
    if (n == 4294967295u) *p = 1; /* bad */
    return 0;
}";
    a_truth_value_is_one: "
int main(void) {
    _Bool b = 2;
    int *p = 0;
    if (input() && b == 1) *p = 1; /* bad */
    b += 1;
    if (b == 1) *p = 1; /* bad */
    return 0;
}";
    heap_memory_of_a_loop_is_many: "
int main(void) {
    struct s *list = 0;
    int i;
    for (i = 0; i < 2; i++) {
        struct s *item = malloc(sizeof *item);
        if (!item) return 0;
        item->f = i ? &x : 0;
        item->next = list;
        list = item;
    }
    if (list->f) *list->next->f = 1; /* bad */
    return 0;
}";
    a_swap_through_pointers_swaps: "
static void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
int main(void) {
    int *p = &x, *q = 0;
    swap(&p, &q);
    *q = 1; /* ok */
    *p = 1; /* bad */
    return 0;
}";
    a_goto_leads_into_a_block: "
int main(void) {
    int *p = 0;
    if (input()) goto inside;
    if (p) {
inside:
        *p = 1; /* bad */
    }
    return 0;
}";
    a_record_is_assigned_to_itself_or_another: "
int main(void) {
    struct s a = { &x, 0, 1, 0 }, b = { 0, &x, 1, 0 }, *p = input() ? &a : &b, *q = input() ? &a : &b;
    *p = *q;
    if (p == &a && q == &a) *p->f = 1; /* ok */
    *p->f = 1; /* bad */
    return 0;
}";
    a_record_of_pointers_to_pointers: "
struct t { int **pp; struct s in[2]; };
int main(void) {
    int *p = &x, *q = &x;
    struct t t = { &p, { { &x, &x, 1, 0 } } };
    if (input()) t.pp = &q;
    *t.pp = 0;
    if (input()) *t.in[1].f = 1; /* bad */
    if (input()) *p = 1; /* bad */
    *q = 1; /* bad */
    return 0;
}";
    truth_values_can_be_computed_with: "
int main(void) {
    int *p = input() ? &x : 0, f = (p != 0) + 1, g = !p;
    if (f == 2) *p = 1; /* rough */
    if (!!p == 1) *p = 1; /* ok */
    if (g == 0) *p = 1; /* ok */
    if (g) *p = 1; /* bad */
    return 0;
}";
    a_range_of_cases: "
int main(void) {
    int *p = 0, i = 3;
    switch (i) {
    case 1 ... 5: *p = 1; /* bad */
        break;
    default: *p = 1; /* dead */
    }
    return 0;
}";
    large_numbers_are_numbers: "
int main(void) {
    long w = 5000000000;
    unsigned long n = -1;
    int *p = 0;
    if (input() && w == 5000000000) *p = 1; /* bad */
    w++;
    if (input() && w == 5000000001) *p = 1; /* bad */
    if (n == 18446744073709551615ul) *p = 1; /* bad */
    return 0;
}";
    enumerators_can_be_negative: "
enum e { LOW = -2, MID, HIGH = 5 };
int main(void) {
    enum e e = LOW;
    int *p = 0;
    e++;
    if (e == MID) *p = 1; /* bad */
    return 0;
}";
    a_statement_expression_has_effects: "
int main(void) {
    int *p = &x, i = ({ p = 0; 1; });
    if (i) *p = 1; /* bad */
    return 0;
}";
    two_functions_call_each_other: "
static int *p = &x;
static void odd(int n);
static void even(int n) { if (n) odd(n - 1); else p = 0; }
static void odd(int n) { if (n) even(n - 1); }
int main(void) {
    odd(3);
    *p = 1; /* bad */
    return 0;
}";
    a_flag_in_a_bit_field_is_a_flag: "
struct b { unsigned is_set : 1; };
int main(void) {
    int *p = 0;
    struct b b;
    b.is_set = 0;
    if (input()) { p = &x; b.is_set = 1; }
    if (b.is_set) *p = 1; /* ok */
    if (!b.is_set) *p = 1; /* bad */
    return 0;
}";
    a_pointer_is_compared_with_an_address: "
int main(void) {
    int *a = 0, *b = &x, **pp = input() ? &a : &b;
    if (pp == &b) **pp = 1; /* ok */
    if (pp != &b) **pp = 1; /* bad */
    return 0;
}";
    a_nested_record_is_copied_into_its_container: "
struct t { struct s in; int *p; };
int main(void) {
    struct t t = { { &x, 0, 1, 0 }, 0 };
    struct s a = { 0, &x, 1, 0 };
    struct s *p = &t.in;
    *p = a;
    if (input()) *t.in.f = 1; /* bad */
    *t.in.g = 1; /* ok */
    *t.p = 1; /* bad */
    return 0;
}";
    a_pointer_of_another_type_points_to_the_same: "
struct other { int *first; int *second; };
int main(void) {
    struct s a = { &x, &x, 1, 0 };
    struct other *o = (struct other *)&a;
    o->second = 0;
    if (input()) *a.f = 1; /* ok */
    *a.g = 1; /* bad */
    return 0;
}";
    a_loop_ends_after_its_counter_wrapped: "
int main(void) {
    unsigned char c;
    int *p = &x;
    for (c = 250; c != 3; c++) if (c == 0) p = 0;
    *p = 1; /* bad */
    return 0;
}";
    an_int_wraps_as_the_machine_does: "
int main(void) {
    short s = 32767;
    int *p = 0;
    s++;
    if (s < 0) *p = 1; /* bad */
    return 0;
}";
    what_is_weak_may_be_nowhere: "
extern int w __attribute__((weak)), row[4] __attribute__((weak)), late, there;
extern struct { int a, b; } pair __attribute__((weak));
#pragma weak late
int d __attribute__((weak)) = 1;
int weak_function(void) __attribute__((weak));
int *start = &w;
static int use(int *p) { return *p; /* bad */ }
static int first(void) { int *p = &w; return *p; /* bad */ }
static int second(void) { int *p = row; return p[1]; /* bad */ }
static int third(void) { int *p = &pair.b; return *p; /* bad */ }
static int fourth(void) { int *p = &late; return *p; /* bad */ }
static int fifth(void) { return *(char *)&w; /* bad */ }
static int sixth(void) { int (*f)(void) = weak_function; return f(); /* bad */ }
int main(void) {
    int *p = &d, *q = &w, *r = &there;
    *p = 1; /* ok */
    *r = 1; /* ok */
    switch (input()) {
    case 1: return first();
    case 2: return second();
    case 3: return third();
    case 4: return fourth();
    case 5: return fifth();
    case 6: return sixth();
    case 7: return use(&w);
    case 8: return *start; /* bad */
    }
    if (q) *q = 1; /* ok */
    if (&w) {
        int *s = &w;
        *s = 1; /* ok */
        *q = 1; /* ok */
    }
    if (row) p = row + 2; else p = &x;
    *p = 1; /* ok */
    if (!&pair) return 0;
    p = &pair.b;
    *p = 1; /* ok */
    if (!weak_function) return 0;
    int (*f)(void) = weak_function;
    f(); /* ok */
    f = &w ? input : 0;
    if (!&w) f(); /* bad */
    return 0;
}";
    a_computed_goto_leads_to_its_labels: "
int main(void) {
    int *p = 0;
    void *to = input() ? &&one : &&two;
    goto *to;
one: *p = 1; /* bad */
two: return 0;
}";
}

#[test]
fn members_of_objects_that_nobody_outside_knows_are_their_own() {
    check_with(
        "
struct many { int *n[2]; };
struct node { struct node *next; int *value; };
static int sum(struct many m) { return *m.n[0]; /* rough */ }
static struct many made(int *p) { struct many m = { { p, p } }; return m; }
int main(void) {
    struct many a, b, d = made(&x), e = made(&x);
    struct node *good = 0, *poor = 0;
    a.n[0] = a.n[1] = &x;
    b.n[0] = b.n[1] = 0;
    if (input()) return *a.n[input() & 1]; /* ok */
    if (input()) return *b.n[input() & 1]; /* bad */
    while (input()) { struct node *n = malloc(sizeof *n); if (!n) return 1; n->next = good; n->value = &x; good = n; }
    while (input()) { struct node *n = malloc(sizeof *n); if (!n) return 1; n->next = poor; n->value = 0; poor = n; }
    for (struct node *n = good; n; n = n->next) x += *n->value; /* ok */
    for (struct node *n = poor; n; n = n->next) x += *n->value; /* bad */
    if (input()) return *d.n[0]; /* ok */
    e = b;
    if (input()) return *e.n[1]; /* bad */
    return sum(a);
}",
        Unknown::AsTested,
    );
}
