//! What the analysis `null` says of small programs, line by line.
//!
//! A line that ends in `/* bad */` has a dereference that fails in some run, and must be flagged. One with `/* ok */`
//! has none that can fail, one with `/* dead */` is never reached; both are what `path` can see. `/* rough */` is
//! flagged though it cannot fail: today's answer, not a claim.

#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_dataflow::Precision;
use hardbop_dataflow::encode::Unknown;
use subject::{Said, report, shipped_analysis};

const HEAD: &str = "\
typedef unsigned long size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
void exit(int) __attribute__((noreturn)); int input(void);
struct s { int *f; int *g; int n; struct s *next; };
static int x, y;
";

const MARKS: [(&str, Said); 4] = [
    ("/* bad */", Said::MayFail),
    ("/* ok */", Said::Safe),
    ("/* dead */", Said::Unreachable),
    ("/* rough */", Said::MayFail),
];

fn check_with(text: &str, unknown: Unknown) {
    let source = format!("{HEAD}{text}");
    let analysis = shipped_analysis("null");
    let points = [Precision::Path, Precision::Projections(4), Precision::Flow, Precision::Auto];
    let mut wrong = Vec::new();
    for point in points {
        let found = report(&analysis, &source, unknown, point);
        for (index, line) in source.lines().enumerate() {
            let Some(&(_, wanted)) = MARKS.iter().find(|(mark, _)| line.contains(mark)) else { continue };
            let here = found.iter().filter(|(at, ..)| *at == index + 1).map(|&(.., said)| said);
            let worst = here.max();
            // Cheaper points may flag more, never less.
            let is_right = match point {
                // What no jump leads to has no place in the graph.
                _ if wanted == Said::Unreachable && worst.is_none() => true,
                Precision::Path | Precision::Auto => worst == Some(wanted),
                _ => worst >= Some(wanted),
            };
            if !is_right {
                wrong.push(format!("{point:?} ({unknown:?}) says {worst:?} of {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{text}", wrong.join("\n"));
}

/// Values from outside are anything, or as the program tests them: there must be none where that matters.
#[track_caller]
fn check(text: &str) {
    check_with(text, Unknown::Anything);
    check_with(text, Unknown::AsTested);
}

#[track_caller]
fn check_pessimistically(text: &str) {
    check_with(text, Unknown::Anything);
}

macro_rules! programs {
    ($($name:ident: $text:expr;)*) => { $(#[test] fn $name() { check($text); })* };
}

macro_rules! pessimistic_programs {
    ($($name:ident: $text:expr;)*) => { $(#[test] fn $name() { check_pessimistically($text); })* };
}

programs! {
    a_store_through_a_pointer_to_a_pointer_is_seen: "
int main(void) {
    int *p = &x, **pp = &p;
    *p = 1; /* ok */
    *pp = 0;
    *p = 1; /* bad */
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
    calloc_fills_with_null: "
int main(void) {
    struct s *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    if (!a || !b) return 0;
    b->f = &x;
    *b->f = 1;
    *a->f = 1; /* bad */
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
    bytes_of_a_pointer_can_be_written: "
int main(void) {
    int *p = &x;
    char *c = (char *)&p;
    int i;
    for (i = 0; i < 8; i++) c[i] = 0;
    *p = 1; /* bad */
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
    an_address_is_no_access: "
int main(void) {
    struct s *p = 0;
    int **q = &p->g;
    unsigned long n = sizeof(*p) + sizeof(p->f);
    if (input()) *q = 0; /* bad */
    return (int)n;
}";
    what_follows_a_dead_end_is_dead: "
int main(void) {
    int *p = 0;
    if (input()) { exit(1); *p = 1; /* dead */
    }
    for (;;) { }
    *p = 1; /* dead */
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
    a_record_is_returned: "
static struct s make(int n) { struct s r = { 0, &x, 0, 0 }; if (n) r.f = &x; return r; }
int main(void) {
    struct s a = make(1), b = make(0);
    *a.f = 1; /* ok */
    *a.g = 1; /* ok */
    *b.f = 1; /* bad */
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
    a_computed_goto_leads_to_its_labels: "
int main(void) {
    int *p = 0;
    void *to = input() ? &&one : &&two;
    goto *to;
one: *p = 1; /* bad */
two: return 0;
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
