//! What the analysis `null` says of what others write: code outside, assembly, functions of the library.

#[path = "support/marked.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod marked;
#[path = "support/subject.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod subject;

use hardbop_c_facts::Unknown;
use marked::{check, check_with};

#[test]
fn an_integer_outside_may_be_written_without_its_sign() {
    let text = "
struct b { int n; unsigned u; };
int cast(struct b *b) { int *p = 0; b->n = 1; *(unsigned *)&b->n = 0; if (b->n) p = &x; return *p; /* bad */ }
static void put(unsigned *to) { *to = 0; }
int called(struct b *b) { int *p = 0; b->n = 1; put((unsigned *)&b->n); if (b->n) p = &x; return *p; /* bad */ }
int given(int *a, unsigned *b) { int *p = 0; *a = 1; *b = 0; if (*a) p = &x; return *p; /* bad */ }
int member(struct b *b, int *a) { int *p = 0; b->u = 1; *a = 0; if (b->u) p = &x; return *p; /* bad */ }
int other(struct b *b, long *a) { int *p = 0; b->n = 1; *a = 0; if (b->n) p = &x; return *p; /* ok */ }
int flag;
int global(unsigned *a) { int *p = 0; flag = 1; *a = 0; if (flag) p = &x; return *p; /* bad */ }
struct c { _Bool is; };
int byte(struct c *c, unsigned char *a) { int *p = 0; c->is = 1; *a = 0; if (c->is) p = &x; return *p; /* bad */ }";
    check_with(text, Unknown::AsTested);
    check_with(&text.replace("/* ok */", ""), Unknown::Anything);
}

#[test]
fn assembly_that_says_so_writes_what_it_reaches() {
    check(
        "
int main(void) {
    int flag = 1, other = 1, *p = &x;
    asm volatile(\"\" : : \"r\"(&flag) : \"memory\");
    if (!flag) p = 0;
    *p = 1; /* ok */
    asm volatile(\"movl $0,(%0)\" : : \"r\"(&flag) : \"memory\");
    if (!other) p = 0;
    *p = 2; /* ok */
    if (!flag) p = 0;
    return *p; /* bad */
}",
    );
    check(
        "
static int named = 1, unnamed = 1;
int main(void) {
    int operand = 1, *p = &x;
    asm volatile(\"movl $0,%0; movl $0,named(%%rip)\" : : \"m\"(operand) : \"memory\");
    if (!unnamed) p = 0;
    *p = 1; /* ok */
    if (!operand) p = 0;
    *p = 2; /* bad */
    p = named ? &x : 0;
    return *p; /* bad */
}",
    );
}

#[test]
fn a_format_may_ask_for_a_count() {
    check(
        "
int printf(const char *, ...); int sprintf(char *, const char *, ...);
int main(void) {
    char text[9];
    const char *format = input() ? \"%d\" : \"a%n\";
    int none = 1, count = 0, other = 0, *p = &x;
    sprintf(text, \"%p%%n\", &none);
    if (!none) p = 0;
    *p = 1; /* ok */
    printf(\"%d%n\", 1, &count);
    if (count) p = 0;
    *p = 2; /* bad */
    p = &x;
    printf(format, &other);
    if (other) p = 0;
    return *p; /* bad */
}",
    );
    let text = "
struct file { int *p; }; int fprintf(struct file *, const char *, ...);
int keep(struct file *f) { if (!f || !f->p) return 0; fprintf(f, \"text\"); return *f->p; /* ok */ }";
    check_with(text, Unknown::Anything);
}

#[test]
fn bytes_outside_are_those_of_anything_if_nothing_is_assumed() {
    let text = "
struct b { int *p; short n; };
static void put(char *to) { *to = 0; }
int member(struct b *b, char *c) { if (!b || !c || !b->p) return 0; *c = 0; return *b->p; /* ok */ }
int plain(int **b, unsigned char *c) { if (!b || !c || !*b) return 0; *c = 0; return **b; /* ok */ }
int called(struct b *b, char *c) { if (!b || !c || !b->p) return 0; put(c); return *b->p; /* ok */ }
int number(struct b *b, char *c) { int *p = 0; if (!b || !c) return 0; b->n = 1; *c = 0; if (b->n == 1) p = &x; return *p; /* ok */ }";
    check_with(text, Unknown::AsTested);
    check_with(&text.replace("/* ok */", "/* bad */"), Unknown::Anything);
}

#[test]
fn members_with_and_without_a_sign_are_two() {
    let text = "
struct b { int n; unsigned u; };
static void put(struct b *b) { b->u = 0; }
int called(struct b *b) { int *p = 0; b->n = 1; put(b); if (b->n) p = &x; return *p; /* ok */ }";
    check_with(text, Unknown::AsTested);
}

#[test]
fn what_is_volatile_changes_between_two_reads() {
    let text = "
struct device { volatile unsigned status; unsigned plain; int *volatile buffer; };
int reg(volatile int *reg) { int *p = &x; if (*reg == 0) p = 0; if (*reg) return *p; /* bad */ return 0; }
int kept(volatile int *reg) { int *p = &x, n = *reg; if (n == 0) p = 0; if (n) return *p; /* ok */ return 0; }
int plain(int *reg) { int *p = &x; if (*reg == 0) p = 0; if (*reg) return *p; /* ok */ return 0; }
int member(struct device *d) { int *p = &x; if (!d->status) p = 0; if (d->status) return *p; /* bad */ return 0; }
int other(struct device *d) { int *p = &x; if (!d->plain) p = 0; if (d->plain) return *p; /* ok */ return 0; }
int pointer(struct device *d) { if (d->buffer) return *d->buffer; /* bad */ return 0; }
int copied(struct device *d) {
    struct device a = *d, b = *d;
    int *p = &x;
    if (!a.status) p = 0;
    if (b.status) return *p; /* bad */
    return 0;
}
static volatile int ready;
int poll(void) { int *p = 0; while (!ready) p = &x; return *p; /* bad */ }
_Atomic int shared;
int threads(void) { int *p = &x; if (!shared) p = 0; if (shared) return *p; /* bad */ return 0; }
int local(void) { volatile int i = 0; int *p = &x; if (i) p = 0; return *p; /* ok */ }
int escaped(void (*give)(volatile int *)) {
    volatile int i = 0;
    give(&i);
    i = 0;
    int *p = &x;
    if (i) p = 0;
    return *p; /* bad */
}
int twice(void) { int *p = &x; if (ready != ready) p = 0; return *p; /* bad */ }";
    check_with(text, Unknown::AsTested);
}
