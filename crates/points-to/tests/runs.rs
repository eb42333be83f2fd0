//! The analysis against reality: programs are run, and every pointer that is seen must have been foreseen.

#[path = "support/watch.rs"]
mod watch;

use hardbop_c_run::{Outcome, Scripted};
use hardbop_points_to::UndefinedWrite;
use proptest::prelude::{any, prop, proptest};
use proptest::test_runner::Config;

/// Runs the program and compares; says how the run ended and how many pointers were compared.
fn compare(source: &str) -> (Outcome, usize) {
    let mut environment = Scripted::with_integers((0..200).map(|n| n * 7 % 11));
    watch::compare(source, UndefinedWrite::Reachable, &mut environment)
}

#[track_caller]
fn check(source: &str) {
    let (outcome, seen) = compare(source);
    assert!(matches!(outcome, Outcome::Exited(_)), "{outcome:?}");
    assert!(seen > 10, "only {seen} pointers were seen");
}

#[test]
fn a_list_is_built_reversed_and_freed() {
    check(
        "void *malloc(unsigned long); void free(void *); struct n { int v; struct n *next; };
         struct n *push(struct n *l, int v) { struct n *n = malloc(sizeof *n); n->v = v; n->next = l; return n; }
         struct n *reverse(struct n *l) { struct n *r = 0; while (l) { struct n *t = l->next; l->next = r; r = l; l = t; } return r; }
         int main(void) { struct n *l = 0; for (int i = 0; i < 5; i++) l = push(l, i); l = reverse(l);
         int s = 0; while (l) { struct n *t = l; s += l->v; l = l->next; free(t); } return s; }",
    );
}

#[test]
fn a_list_inside_of_its_items_finds_them() {
    check(
        "struct list { struct list *next, *prev; }; struct item { int n; struct list in; int *v; };
         struct list head = { &head, &head }; struct item items[3]; int x, y;
         void add(struct list *l) { l->next = &head; l->prev = head.prev; head.prev->next = l; head.prev = l; }
         int main(void) { struct item one = { 1, { 0, 0 }, &x }; for (int i = 0; i < 3; i++) { items[i].v = &y; add(&items[i].in); }
         add(&one.in); int s = 0;
         for (struct list *l = head.next; l != &head; l = l->next) {
           struct item *it = (struct item *)((char *)l - __builtin_offsetof(struct item, in)); s += *it->v + it->n; }
         head.next = head.prev = &head; return s; }",
    );
}

#[test]
fn callbacks_through_tables_and_qsort() {
    check(
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *)); int total;
         struct shape { int (*area)(const struct shape *); int w, h; const struct shape *base; };
         int square(const struct shape *s) { return s->w * s->w; } int box(const struct shape *s) { return s->w * s->h; }
         struct shape shapes[3] = { { square, 2, 0, 0 }, { box, 2, 3, &shapes[0] }, { square, 1, 0, &shapes[1] } };
         const struct shape *order[3];
         int by_area(const void *a, const void *b) { const struct shape *x = *(const struct shape *const *)a;
           const struct shape *y = *(const struct shape *const *)b; return x->area(x) - y->area(y); }
         int main(void) { for (int i = 0; i < 3; i++) order[i] = &shapes[i]; qsort(order, 3, sizeof *order, by_area);
         for (int i = 0; i < 3; i++) total += order[i]->area(order[i]); return total; }",
    );
}

#[test]
fn pointers_hide_in_integers_bytes_and_unions() {
    check(
        "void *memcpy(void *, const void *, unsigned long); int x, y; union u { int *p; unsigned long n; char b[8]; } u;
         struct t { unsigned long tagged; } t; int *copy; int *out; unsigned long masked;
         int main(void) { u.p = &x; t.tagged = u.n | 1; masked = t.tagged & ~7ul; out = (int *)masked; *out = 3;
         for (int i = 0; i < 8; i++) ((char *)&copy)[i] = u.b[i]; *copy = 4; int *again; memcpy(&again, &copy, sizeof again);
         *again += 1; int **pp = &again; *pp = &y; *again = 2; return x + y; }",
    );
}

#[test]
fn variadic_arguments_arrive() {
    check(
        "typedef __builtin_va_list va_list; int sum(int n, ...) { va_list l; __builtin_va_start(l, n); int s = 0;
           for (int i = 0; i < n; i++) { int *p = __builtin_va_arg(l, int *); s += *p; } __builtin_va_end(l); return s; }
         int x = 1, y = 2; int main(void) { int z = 3; int *last = &z; return sum(3, &x, &y, last) + sum(1, &z); }",
    );
}

#[test]
fn strings_and_buffers_of_the_library() {
    check(
        "void *malloc(unsigned long); void *realloc(void *, unsigned long); char *strcpy(char *, const char *); char *strchr(const char *, int);
         unsigned long strlen(const char *); char *strdup(const char *); void *memset(void *, int, unsigned long);
         struct r { char name[8]; char *rest; struct r *up; } r;
         int main(void) { strcpy(r.name, \"a=b\"); r.rest = strchr(r.name, '=') + 1; r.up = &r; char *d = strdup(r.rest);
         struct r *m = malloc(sizeof *m); memset(m, 0, sizeof *m); *m = r; m->up = m; m = realloc(m, 2 * sizeof *m); m[1] = m[0];
         char *e = m[1].rest; for (char *p = m[0].name; *p; p++) e = p; return (int)strlen(d) + *e; }",
    );
}

/// Writes programs whose pointers are always valid, so that most runs come to their end.
struct Writer<'b> {
    choices: std::slice::Iter<'b, u8>,
}

impl Writer<'_> {
    fn choose<'t>(&mut self, from: &[&'t str]) -> &'t str {
        let choice = self.choices.next().copied().unwrap_or(0);
        from[usize::from(choice) % from.len()]
    }

    /// A pointer to `struct s`, never null.
    fn record(&mut self) -> String {
        let plain = self.choose(&[
            "&s0",
            "&s1",
            "sp0",
            "sp1",
            "t",
            "t + 1",
            "*spp",
            "make()",
            "@->q",
            "(&@->in)->own",
            "of_in(&@->in)",
            "(struct s *)v",
            "(struct s *)(u & ~1ul)",
            "fp(@)",
            "table[(c ^= 1) & 1](@)",
            "choose(2, @, @)",
            "un.record",
        ]);
        self.fill(plain)
    }

    /// A pointer to an `int`, never null.
    fn number(&mut self) -> String {
        let plain = self.choose(&[
            "&x",
            "&y",
            "&@->n",
            "ip0",
            "*pp",
            "@->p",
            "@->a[c & 1]",
            "&numbers[c & 3]",
            "*&ip1",
            "un2.number",
            "(int *)(unsigned long)@->p",
            "*at(@, c & 1)",
        ]);
        self.fill(plain)
    }

    fn fill(&mut self, plain: &str) -> String {
        plain
            .split('@')
            .map(str::to_owned)
            .reduce(|before, after| {
                let inner =
                    self.choose(&["(&s0)", "(&s1)", "sp0", "sp1", "(t + (c & 1))", "(*spp)", "sp0->q", "sp1->q"]);
                before + inner + &after
            })
            .unwrap_or_default()
    }

    fn statement(&mut self) -> String {
        let to_number = ["ip0", "ip1", "*pp", "@->p", "@->a[c & 1]", "un2.number"];
        let to_record = ["sp0", "sp1", "*spp", "@->q", "un.record", "v", "(&@->in)->own"];
        match self.choose(&["number", "number", "record", "record", "other", "other"]) {
            "number" => {
                let (to, value) = (self.choose(&to_number), self.number());
                format!("{} = {value};", self.fill(to))
            }
            "record" => {
                let (to, value) = (self.choose(&to_record), self.record());
                format!("{} = {value};", self.fill(to))
            }
            _ => {
                let plain = self.choose(&[
                    "pp = &ip0;",
                    "pp = &@->p;",
                    "pp = &@->a[c & 1];",
                    "spp = &sp1;",
                    "spp = &@->q;",
                    "fp = same;",
                    "fp = next;",
                    "*@ = *@;",
                    "memcpy(@, @, sizeof s0);",
                    "copy((char *)@, (char *)@, sizeof s0);",
                    "u = (unsigned long)@ | 1;",
                    "{ struct s *a = @; s1 = *a; }",
                    "c++;",
                    "swap(&sp0, &@->q);",
                    "un.bits = (unsigned long)@;",
                    "t[c & 1] = *@;",
                    "*@->p += 1;",
                    "{ struct s local = *@; sp0 = &s0; *@ = local; }",
                ]);
                self.fill(plain)
            }
        }
    }

    fn program(&mut self) -> String {
        let count = 4 + self.choices.len() / 4;
        let body: Vec<String> = (0..count.min(60)).map(|_| self.statement()).collect();
        let (first, second) = body.split_at(body.len() / 2);
        format!(
            "{PRELUDE} void work(void) {{ {} }} int main(void) {{ start(); {} work(); {} work(); return 0; }}",
            first.join("\n"),
            second.join("\n"),
            second.join("\n")
        )
    }
}

const PRELUDE: &str = "
void *malloc(unsigned long); void *memcpy(void *, const void *, unsigned long); typedef __builtin_va_list va_list;
struct in { int k; struct s *own; }; struct s { int n; int *p; struct s *q; int *a[2]; struct in in; };
int x, y, numbers[4], c, *ip0 = &x, *ip1 = &y, **pp = &ip0; struct s s0, s1, t[2], *sp0 = &s0, *sp1 = &s1, **spp = &sp0;
void *v = &s0; unsigned long u = (unsigned long)&s1;
union { struct s *record; unsigned long bits; char b[8]; } un = { &s0 }; union { int *number; char b[8]; } un2 = { &y };
struct s *same(struct s *p) { return p; } struct s *next(struct s *p) { return p->q; }
struct s *(*fp)(struct s *) = same, *(*table[2])(struct s *) = { same, next };
void set(struct s *p) { p->p = &x; p->q = p; p->a[0] = &y; p->a[1] = &numbers[1]; p->in.own = p; }
struct s *make(void) { struct s *m = malloc(sizeof *m); m->n = 0; m->in.k = 0; set(m); return m; }
struct s *of_in(struct in *i) { return (struct s *)((char *)i - __builtin_offsetof(struct s, in)); }
struct s *choose(int n, ...) { va_list l; __builtin_va_start(l, n); struct s *r = __builtin_va_arg(l, struct s *);
  r = __builtin_va_arg(l, struct s *); __builtin_va_end(l); return r; }
int **at(struct s *p, int i) { return &p->a[i]; }
void copy(char *to, char *from, unsigned long n) { for (unsigned long i = 0; i < n; i++) to[i] = from[i]; }
void swap(struct s **a, struct s **b) { struct s *h = *a; *a = *b; *b = h; }
void start(void) { set(&s0); set(&s1); set(t); set(t + 1); }
";

proptest! {
    #![proptest_config(Config { cases: 150, failure_persistence: None, ..Config::default() })]

    #[test]
    fn random_programs_do_nothing_unforeseen(choices in prop::collection::vec(any::<u8>(), 20..300)) {
        let source = Writer { choices: choices.iter() }.program();
        let (outcome, seen) = compare(&source);
        assert!(matches!(outcome, Outcome::Exited(_)), "{outcome:?}\n{source}");
        assert!(seen > 10, "only {seen} pointers were seen");
    }
}
