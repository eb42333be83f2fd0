//! The analyses that come with Hardbop on small programs as people write them.
//!
//! A line that must be flagged has `/* bad */` on it; no other may be.

#[path = "support/subject.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod subject;

use hardbop_c_facts::Unknown;
use hardbop_dataflow::Precision;
use subject::{Said, report, shipped_analysis};

#[track_caller]
fn check(analysis: &str, program: &str) {
    let said = report(&shipped_analysis(analysis), program, Unknown::AsTested, Precision::Auto);
    let mut flagged: Vec<usize> =
        said.iter().filter(|(_, _, said)| *said == Said::MayFail).map(|(line, ..)| *line).collect();
    flagged.sort_unstable();
    flagged.dedup();
    let marked = program.lines().enumerate().filter(|(_, line)| line.contains("/* bad */"));
    let marked: Vec<usize> = marked.map(|(row, _)| row + 1).collect();
    assert_eq!(flagged, marked, "{analysis}: {said:?}\n{program}");
}

const LOCK: &str = "
typedef struct { int inside; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *); int nondet(void);
int printf(const char *, ...);
static pthread_mutex_t a, b; static int shared;
";

#[test]
fn locks_are_given_back() {
    check(
        "lock",
        &format!(
            "{LOCK}
            static void good(int n) {{
              pthread_mutex_lock(&b); /* bad */
              printf(\"%d\", n);
              pthread_mutex_unlock(&b);
            }}
            static void add(int n) {{
              pthread_mutex_lock(&a);
              shared += n;
              if (n < 0) {{ printf(\"no\"); return; }}
              pthread_mutex_unlock(&a);
            }}
            int main(void) {{
              good(1); good(2);
              add(nondet());
              pthread_mutex_lock(&a); /* bad */
              pthread_mutex_unlock(&a);
              pthread_mutex_unlock(&b); /* bad */
              pthread_mutex_lock(&b);
              good(3);
              return 0;
            }}"
        ),
    );
}

#[test]
fn a_guard_gives_its_lock_back_on_every_way() {
    check(
        "lock",
        &format!(
            "{LOCK}
            typedef pthread_mutex_t *guard;
            static guard enter(pthread_mutex_t *m) {{ pthread_mutex_lock(m); return m; }}
            static void leave(guard *g) {{ pthread_mutex_unlock(*g); }}
            static int add(int n) {{
              for (int i = 0; i < n; i++) {{
                guard g __attribute__((cleanup(leave))) = enter(&a);
                if (i == 3) continue;
                if (i == 4) break;
                if (i == 5) goto out;
                if (nondet()) return shared;
                pthread_mutex_unlock(&b); /* bad */
              }}
            out: return shared += n;
            }}
            int main(void) {{
              add(nondet());
              pthread_mutex_lock(&a);
              pthread_mutex_unlock(&a);
              pthread_mutex_unlock(&a); /* bad */
              return 0;
            }}"
        ),
    );
}

#[test]
fn a_lock_is_held_at_the_end() {
    let program = |last: &str, mark: &str| {
        format!(
            "{LOCK}
            static void leave(void) {{ {last} }}
            int main(void) {{
              pthread_mutex_lock(&a); pthread_mutex_lock(&b);
              shared = 1;
              pthread_mutex_unlock(&b); leave();
              return 0;
            }} {mark}"
        )
    };
    check("lock", &program("", "/* bad */"));
    check("lock", &program("pthread_mutex_unlock(&a);", ""));
    check("lock", &program("if (nondet()) pthread_mutex_unlock(&a);", "/* bad */"));
}

#[test]
fn which_of_two_locks_it_is_need_not_be_known() {
    check(
        "lock",
        &format!(
            "{LOCK}
            int main(void) {{
              pthread_mutex_t *one = nondet() ? &a : &b;
              pthread_mutex_lock(one);
              pthread_mutex_lock(one); /* bad */
              return 0;
            }} /* bad */"
        ),
    );
}

#[test]
fn a_lock_through_a_pointer_is_the_same_lock() {
    check(
        "lock",
        &format!(
            "{LOCK}
            static void enter(pthread_mutex_t *m) {{ pthread_mutex_lock(m); }}
            int main(void) {{
              pthread_mutex_t *p = &b;
              enter(&a);
              pthread_mutex_unlock(&a);
              pthread_mutex_lock(p);
              pthread_mutex_lock(&b); /* bad */
              pthread_mutex_unlock(p);
              return 0;
            }}"
        ),
    );
}

const MUTEX: &str = "
struct mutex { int owner, wait; }; struct dev { int id; struct mutex m, n; struct mutex *other; };
void mutex_lock(struct mutex *); void mutex_unlock(struct mutex *); void *malloc(unsigned long);
";

#[test]
fn locks_that_come_from_outside_are_followed() {
    check(
        "lock",
        &format!(
            "{MUTEX}
            void fine(struct mutex *p) {{ mutex_lock(p); mutex_unlock(p); }}
            void twice(struct mutex *p) {{
              mutex_lock(p);
              mutex_lock(p); /* bad */
              mutex_unlock(p);
            }}
            void members(struct dev *d) {{ mutex_lock(&d->m); mutex_lock(&d->n); mutex_unlock(&d->n); mutex_unlock(&d->m); }}
            void kept(struct dev *d) {{ mutex_lock(d->other); mutex_unlock(d->other); }}
            void flagged(struct dev *d, int f) {{ if (f) mutex_lock(&d->m); d->id = 3; if (f) mutex_unlock(&d->m); }}
            void other(struct mutex *a, struct mutex *b) {{
              if (a == b) return;
              mutex_lock(a); mutex_lock(b); mutex_unlock(b); mutex_unlock(a);
            }}
            void same(struct mutex *a, struct mutex *b) {{
              mutex_lock(a);
              mutex_lock(b); /* bad */
              mutex_unlock(b);
              mutex_unlock(a); /* bad */
            }}"
        ),
    );
}

#[test]
fn a_lock_goes_with_what_it_is_in() {
    check(
        "lock",
        &format!(
            "{MUTEX}
            static void take(struct dev *d) {{ mutex_lock(&d->m); }}
            static void give(struct dev *d) {{ mutex_unlock(&d->m); }}
            static struct dev *owner(struct mutex *m) {{
              return (struct dev *)((char *)m - __builtin_offsetof(struct dev, m));
            }}
            void wrapped(struct dev *d) {{ take(d); d->id++; give(d); }}
            void found(struct mutex *m) {{ mutex_lock(m); give(owner(m)); }}
            void lost(struct dev *d, struct dev *e) {{
              take(d);
              mutex_unlock(&e->m); /* bad */
              if (d != e) give(d);
            }}"
        ),
    );
}

#[test]
fn locks_on_the_heap_and_in_arrays_are_different_ones() {
    check(
        "lock",
        &format!(
            "{MUTEX}
            static struct mutex row[4];
            void heap(void) {{
              struct mutex *a = malloc(sizeof *a), *b = malloc(sizeof *b);
              if (!a || !b) return;
              mutex_lock(a); mutex_lock(b); mutex_unlock(a); mutex_unlock(b);
            }}
            void loop(int n) {{ for (int i = 0; i < n; i++) {{ struct mutex *p = &row[i]; mutex_lock(p); mutex_unlock(p); }} }}
            void array(int i, int j) {{
              struct mutex *p = &row[i], *q = &row[j];
              mutex_lock(p);
              mutex_lock(q); /* bad */
              mutex_unlock(q);
              mutex_unlock(p); /* bad */
            }}"
        ),
    );
}

#[test]
fn a_pointer_from_outside_may_be_one_to_a_lock_with_a_name() {
    check(
        "lock",
        &format!(
            "{MUTEX}
            struct mutex known; static struct mutex hidden;
            void first(struct mutex *p) {{
              mutex_lock(&known);
              mutex_lock(p); /* bad */
              mutex_unlock(p);
              mutex_unlock(&known); /* bad */
            }}
            void second(struct mutex *p) {{
              mutex_lock(&hidden);
              mutex_lock(p);
              mutex_unlock(p);
              mutex_unlock(&hidden);
            }}"
        ),
    );
}

#[test]
fn two_locks_may_have_one_name() {
    check(
        "lock",
        &format!(
            "{MUTEX}
            static void take(struct mutex *m) {{
              mutex_lock(m); /* bad */
            }}
            static void one(void) {{ struct mutex lock; take(&lock); mutex_unlock(&lock); }}
            static void two(void) {{ struct mutex lock; take(&lock); take(&lock); mutex_unlock(&lock); }}
            int main(void) {{ one(); two(); return 0; }}"
        ),
    );
}

#[test]
fn what_a_function_with_a_body_does_to_a_lock_a_rule_may_say() {
    check(
        "lock",
        "
        struct mutex { int held; };
        static void mutex_lock(struct mutex *m) { m->held = 1; }
        static void mutex_unlock(struct mutex *m) { m->held = 0; }
        void use(struct mutex *a, struct mutex *b) {
          mutex_lock(a);
          if (a != b) mutex_lock(b);
          mutex_unlock(b);
          mutex_unlock(a); /* bad */
        }",
    );
    // Who can take a lock may have taken it.
    check(
        "lock",
        "
        struct mutex { int held; };
        void mutex_lock(struct mutex *m) { m->held = 1; }
        static void mutex_unlock(struct mutex *m) { m->held = 0; }
        void use(struct mutex *a) {
          mutex_lock(a); /* bad */
          mutex_unlock(a);
        }",
    );
}

const FILE: &str = "
typedef struct file FILE; extern FILE *stderr; FILE *fopen(const char *, const char *); int fclose(FILE *);
int fgetc(FILE *); int fprintf(FILE *, const char *, ...); FILE *find(void);
";

#[test]
fn what_is_returned_says_whether_a_file_is_open() {
    check(
        "file",
        &format!(
            "{FILE}
            static int get(FILE **out) {{ *out = fopen(\"a\", \"r\"); if (!*out) return -1; return 0; }}
            int main(int argc, char **argv) {{
              FILE *f, *g; int is_open = 0;
              if (get(&f) < 0) return 1;
              fgetc(f);
              fclose(f);
              get(&g);
              if (argc > 1) {{ f = fopen(argv[1], \"r\"); is_open = f != 0; }}
              if (is_open) fclose(f);
              fgetc(g); /* bad */
              return 0;
            }}"
        ),
    );
}

#[test]
fn files_are_open_where_they_are_used() {
    check(
        "file",
        &format!(
            "{FILE}
            static FILE *log;
            int count(const char *path) {{
              FILE *f = fopen(path, \"r\");
              int n = 0;
              if (!f) return -1;
              while (fgetc(f) != -1) n++;
              fclose(f);
              return n;
            }}
            int unchecked(const char *path) {{
              FILE *f = fopen(path, \"r\");
              int c = fgetc(f); /* bad */
              fclose(f);
              return c;
            }}
            int after(const char *path) {{
              FILE *f = fopen(path, \"r\");
              if (f == 0) return 0;
              fclose(f);
              return fgetc(f); /* bad */
            }}
            int twice(const char *path, int quick) {{
              FILE *f = fopen(path, \"r\");
              if (f == 0) return 0;
              if (quick) fclose(f);
              fclose(f); /* bad */
              return 1;
            }}
            void note(void) {{
              if (!log) log = fopen(\"log\", \"a\");
              if (!log) return;
              fprintf(log, \"x\");
              fprintf(stderr, \"x\");
              fclose(find());
            }}
            int main(int argc, char **argv) {{
              note();
              return count(argv[0]) + unchecked(argv[0]) + after(argv[0]) + twice(argv[0], argc);
            }}"
        ),
    );
}

#[test]
fn a_file_is_closed_by_any_name() {
    check(
        "file",
        &format!(
            "{FILE}
            struct log {{ FILE *out; int n; }};
            static void done(FILE *f) {{ fclose(f); }}
            int alias(const char *path) {{
              FILE *f = fopen(path, \"r\"), *g = f;
              if (!f) return 1;
              fclose(f);
              return fgetc(g); /* bad */
            }}
            int two(const char *path) {{
              FILE *f = fopen(path, \"r\"), *g = fopen(path, \"w\");
              if (f) fclose(f);
              if (g) {{ fprintf(g, \"x\"); fclose(g); }}
              return 0;
            }}
            int handed(const char *path) {{
              FILE *f = fopen(path, \"r\");
              if (!f) return 1;
              done(f);
              fclose(f); /* bad */
              return 0;
            }}
            int main(int argc, char **argv) {{
              struct log log = {{ fopen(argv[0], \"w\"), 0 }}, *l = &log;
              if (!l->out) return 1;
              fprintf(l->out, \"x\");
              fclose(log.out);
              fprintf(l->out, \"x\"); /* bad */
              return alias(argv[0]) + two(argv[0]) + handed(argv[0]);
            }}"
        ),
    );
}

#[test]
fn what_comes_from_outside_is_followed() {
    check(
        "taint",
        "
        typedef unsigned long size_t; typedef struct file FILE; extern FILE *stdin;
        char *getenv(const char *); int system(const char *); char *strcpy(char *, const char *); int atoi(const char *);
        char *fgets(char *, int, FILE *); int printf(const char *, ...); int snprintf(char *, size_t, const char *, ...);
        int sprintf(char *, const char *, ...); void log_line(const char *); char *escape_shell(const char *);
        long read(int, void *, size_t); char *other(const char *);
        static void run(const char *what) {
          system(what); /* bad */
        }
        static char *sanitize(char *text) { text[0] = 'x'; return text; }
        int main(int argc, char **argv) {
          char buf[100], cmd[200], safe[100], raw[10];
          char *env = getenv(\"EDITOR\");
          system(\"ls\");
          strcpy(safe, \"ls -l\");
          log_line(safe);
          system(safe);
          char *clean = escape_shell(env);
          system(clean);
          if (env) system(env); /* bad */
          if (fgets(buf, sizeof buf, stdin)) {
            log_line(buf);
            printf(\"%s\", buf);
            printf(buf); /* bad */
          }
          if (fgets(buf, sizeof buf, stdin)) {
            snprintf(cmd, sizeof cmd, \"ls %s\", buf);
            system(cmd); /* bad */
          }
          if (read(0, raw, 10) > 0) system(raw); /* bad */
          int n = atoi(argv[1]);
          sprintf(safe, \"kill %d\", n);
          system(safe);
          run(argv[2]);
          char *mine = sanitize(argv[3]);
          system(other(getenv(\"HOME\"))); /* bad */
          return mine == 0;
        }",
    );
}

const INPUT: &str = "
typedef unsigned long size_t; typedef struct file FILE; extern FILE *stdin;
int system(const char *); long read(int, void *, size_t); size_t fread(void *, size_t, size_t, FILE *); void *malloc(size_t);
char *fgets(char *, int, FILE *); char *getenv(const char *); int sprintf(char *, const char *, ...);
void *memcpy(void *, const void *, size_t); char *strcpy(char *, const char *);
struct text { char first[8], second[8]; }; struct row { int n; char name[8]; };
struct table { int n; struct { int x; char y[4]; } rows[3]; char end[8]; }; union either { char text[8]; int n; };
";

/// Each line is all that `main` does.
#[track_caller]
fn check_lines(analysis: &str, head: &str, lines: &[&str]) {
    for line in lines {
        check(analysis, &format!("{head}int main(void) {{ {line} return 0; }}"));
    }
}

#[test]
fn what_is_read_goes_on_after_a_member() {
    check_lines(
        "taint",
        INPUT,
        &[
            "struct text s; fread(&s.first, 1, sizeof s, stdin); system(s.second); /* bad */",
            "struct text s; read(0, &s, sizeof s); system(s.second); /* bad */",
            "struct row s; size_t n = 0; while (n < s.n) n++; read(0, &s.n, n); system(s.name); /* bad */",
            "struct row s; fread(&s.n, 4, 3, stdin); system(s.name); /* bad */",
            "struct row *s = malloc(sizeof *s); fread(s, sizeof *s, 1, stdin); system(s->name); /* bad */",
            "struct row s[3]; read(0, &s[1].n, sizeof s); system(s[0].name); /* bad */",
            "struct table t; read(0, &t.rows[1].y, 40); system(t.end); /* bad */",
            "struct table t; char out[9]; read(0, t.rows[0].y, 8); sprintf(out, \"%d\", t.rows[1].x); system(out); /* bad */",
            "union either u; read(0, &u.n, sizeof u.n); system(u.text); /* bad */",
            "struct text s; void *p = &s; read(0, p, sizeof s); system(s.second); /* bad */",
            "struct row s; char out[16]; fread(&s, sizeof s, 1, stdin); memcpy(out, s.name, 8); system(out); /* bad */",
        ],
    );
}

#[test]
fn what_is_read_goes_on_in_an_array() {
    check_lines(
        "taint",
        INPUT,
        &[
            "char text[32]; read(0, text + 8, 8); system(text); /* bad */",
            "char text[32], *p = &text[8]; read(0, text, 8); system(p); /* bad */",
            "char *text = malloc(32), *p = text + 3; fgets(p, 4, stdin); system(text); /* bad */",
            "char lines[4][8]; read(0, lines[1], 8); system(lines[2]); /* bad */",
            "struct text s; char *p = s.first; read(0, p, 8); system(s.second); /* bad */",
            "struct text s; read(0, s.first + 4, 8); system(s.second); /* bad */",
            "char text[8]; memcpy(text, getenv(\"A\"), 8); system(text); /* bad */",
            "char text[8]; strcpy(text, getenv(\"A\")); system(text); /* bad */",
        ],
    );
}

#[test]
fn what_is_read_into_a_member_stays_there() {
    check_lines(
        "taint",
        INPUT,
        &[
            "struct text s; s.second[0] = 0; read(0, s.first, sizeof s.first); system(s.second);",
            "struct text s; s.first[0] = 0; read(0, s.second, getenv(\"A\") ? 4 : 8); system(s.first);",
            "struct row s; s.name[0] = 0; fread(&s.n, sizeof s.n, 1, stdin); system(s.name);",
            "struct text *s = malloc(sizeof *s); s->second[0] = 0; read(0, s->first, 8); system(s->second);",
            "struct table t; t.end[0] = 0; read(0, &t.rows[0].y, 8); system(t.end);",
            "char text[8], other[8]; other[0] = 0; read(0, text, 8); system(other);",
            "struct text s; char out[8]; fgets(s.first, 8, stdin); memcpy(out, s.second, 8); system(out);",
        ],
    );
}

#[test]
fn variables_are_written_before_they_are_read() {
    check(
        "uninit",
        "
        struct point { int x, y; };
        int printf(const char *, ...); int scanf(const char *, ...); void *memset(void *, int, unsigned long);
        void get(int *out); static int zero;
        static void set(int *out) { *out = 3; }
        static int try_set(int *out, int ok) { if (ok) { *out = 1; return 1; } return 0; }
        int main(int argc, char **argv) {
          int a, b, c, d, e, f, g;
          struct point p, q;
          char buf[10];
          int arr[4];
          static int kept;
          get(&a);
          set(&b);
          set(&c);
          printf(\"%d %d %d\", a, b, c);
          if (scanf(\"%d %d\", &d, &e) == 2) printf(\"%d %d\", d, e);
          if (try_set(&f, argc)) printf(\"%d\", f);
          if (argc > 2) g = 1;
          printf(\"%d\", g); /* bad */
          printf(\"%d\", g);
          memset(&p, 0, sizeof p);
          q.x = 1;
          printf(\"%d %d\", p.x, p.y);
          printf(\"%d\", q.x);
          printf(\"%d\", q.y); /* bad */
          buf[0] = 'a'; buf[1] = 0;
          printf(\"%c\", buf[0]);
          for (int i = 0; i < 4; i++) arr[i] = i;
          printf(\"%d %d %d\", arr[2], kept, zero);
          int found = 0, where;
          for (int i = 0; i < argc; i++) {
            int t, u;
            if (i == 3) { where = i; found = 1; }
            if (i > 2) t = i;
            if (i > 5) printf(\"%d\", t);
            if (i < 5) u = 1;
            printf(\"%d\", u); /* bad */
          }
          if (found) printf(\"%d\", where);
          struct point r = q;
          return r.x;
        }",
    );
}

#[test]
fn a_structure_is_copied_with_what_was_not_written() {
    check(
        "uninit",
        "
        typedef unsigned long size_t;
        void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
        void bcopy(const void *, void *, size_t); long read(int, void *, size_t); void sink(int);
        struct point { int x, y; }; struct line { struct point from, to; int width; }; struct real { float v; };
        static int take(struct point p) { return p.x + p.y; /* bad */ }
        static int take_address(struct point p) { int *x = &p.x; return *x + p.y; /* bad */ }
        static struct point make(void) { struct point p; p.x = 1; return p; }
        static void swap(struct point *a, struct point *b) { struct point t = *a; *a = *b; *b = t; }
        int main(int argc, char **argv) {
          struct point a, b, c, d, e, f, g, h, i, full, none, *one;
          struct line l, m, n;
          struct real r, s;
          full.x = full.y = a.x = 1;
          b = a;
          sink(b.x);
          sink(b.y); /* bad */
          sink(take(full) + take(a));
          sink(take_address(a));
          c = make();
          sink(c.x);
          sink(c.y); /* bad */
          d = argc ? full : none;
          sink(d.x); /* bad */
          l.from = full;
          m = l;
          sink(m.from.y);
          sink(m.to.y); /* bad */
          s = r;
          sink(s.v); /* bad */
          memcpy(&e, &a, sizeof a);
          sink(e.x);
          sink(e.y); /* bad */
          memmove(&n.to, &full, sizeof full);
          sink(n.to.y);
          sink(n.from.x); /* bad */
          bcopy(&none, &f, sizeof f);
          sink(f.y); /* bad */
          one = argc ? &a : &full;
          g = *one;
          sink(g.x);
          sink(g.y); /* bad */
          swap(&full, &h);
          sink(h.x);
          sink(full.x); /* bad */
          none = full;
          i = none;
          i.x = 2;
          sink(i.x);
          return i.y; /* bad */
        }",
    );
}

#[test]
fn bytes_that_are_copied_are_those_that_were_there() {
    check(
        "uninit",
        "
        typedef unsigned long size_t;
        void *memcpy(void *, const void *, size_t); long read(int, void *, size_t); void sink(int);
        struct point { int x, y; }; struct line { struct point from, to; };
        static void get(struct point *out, size_t size) {
          struct point p;
          p.x = 1;
          memcpy(out, &p, size);
          sink(p.y); /* bad */
        }
        int main(int argc, char **argv) {
          struct point a, b, c, d = { 1, 2 }, e = { 3, 4 };
          struct line l;
          char bytes[sizeof a];
          read(0, bytes, sizeof bytes);
          memcpy(&a, bytes, sizeof a);
          sink(a.x + a.y);
          memcpy(&b, argv[1], sizeof b);
          sink(b.x + b.y);
          memcpy(&c, &d, sizeof c.y);
          sink(c.y); /* bad */
          memcpy(&d, &e, argc);
          sink(d.x + d.y);
          memcpy(&l, &d, sizeof d);
          sink(l.to.x); /* bad */
          get(&e, argc);
          return 0;
        }",
    );
}

/// What holds at the start is known to the cheapest point of the dial, too.
#[test]
fn a_program_may_have_many_variables() {
    let all = |text: &dyn Fn(usize) -> String| (0..400).map(text).collect::<String>();
    let program = format!(
        "static int x; {} int main(void) {{ {} return 0; }}",
        all(&|number| format!("static int *p{number} = &x;\n")),
        all(&|number| format!("*p{number} = 1;\n")),
    );
    let said = report(&shipped_analysis("null"), &program, Unknown::AsTested, Precision::Flow);
    assert!(said.len() == 400 && said.iter().all(|(_, _, said)| *said == Said::Safe));
}

/// Each row of Table 1 of [BR01]: what an assignment makes of `p`, and what a branch tells.
#[test]
fn the_rows_of_the_papers_table() {
    let around = |statement: &str, mark: &str| {
        format!(
            "void *malloc(unsigned long); int nondet(void); struct s {{ int n; int *f; }};
            int main(void) {{ int x, *p, *q; int **pp = &q; struct s rec;
              q = &x; p = &x; rec.f = &x;
              {statement}
              *p = 1; {mark}
              return 0; }}"
        )
    };
    for safe in [
        "p = &x;",
        "p = q;",
        "q = 0; q = &x; p = q;",
        "p = *pp;",
        "p = &rec.n;",
        "p = rec.f;",
        "*pp = &x; p = q;",
        "p = 0; if (p == 0) p = &x;",
        "p = malloc(4); if (!p) return 1;",
        "if (p == 0) { p = 0; }",
        "q = malloc(4); if (q != 0) p = q;",
        "q = malloc(4); if (q == 0) q = p; p = q;",
    ] {
        check("null", &around(safe, ""));
    }
    for bad in [
        "p = 0;",
        "q = 0; p = q;",
        "*pp = 0; p = q;",
        "p = malloc(4);",
        "q = 0; p = *pp;",
        "rec.f = 0; p = rec.f;",
        "q = malloc(4); if (q == 0) p = q;",
    ] {
        check("null", &around(bad, "/* bad */"));
    }
}
