//! What the analysis `uninit` says of memory in all its forms.
//!
//! A line with `/* bad */` reads what was not written, and is flagged. One with `/* if */` is safe if something is so that
//! it says, and is flagged by who assumes nothing. No other line is flagged, with assumptions or without.

#[path = "support/subject.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod subject;

use hardbop_c_facts::Unknown;
use hardbop_dataflow::Precision;
use subject::{Said, line_of, shipped_analysis, sites};

const HEAD: &str = "\
typedef unsigned long size_t; typedef struct file FILE; extern FILE *stdout;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); size_t strlen(const char *);
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); int memcmp(const void *, const void *, size_t);
int printf(const char *, ...); int snprintf(char *, size_t, const char *, ...); long read(int, void *, size_t);
size_t fwrite(const void *, size_t, size_t, FILE *); int strcasecmp(const char *, const char *); char *strsep(char **, const char *); char *strtok_r(char *, const char *, char **);
void *memchr(const void *, int, size_t); struct tm { int sec, min, hour, mday, mon, year, wday, yday, isdst; }; long mktime(struct tm *);
struct timespec { long sec, nsec; }; int nanosleep(const struct timespec *, struct timespec *); size_t wcslen(const int *);
long getline(char **, size_t *, FILE *); extern FILE *stdin;
int nondet(void); void unknown(int *); void looks(const int *); void sink(int); void log_it(const char *);
struct pair { int a, b; }; typedef int four __attribute__((vector_size(16))); union word { int n; struct pair pair; }; struct bits { unsigned low : 3, high : 5; };
";

#[track_caller]
fn check(program: &str) {
    let source = format!("{HEAD}{program}");
    for unknown in [Unknown::AsTested, Unknown::Anything] {
        let sites = sites(&shipped_analysis("uninit"), &source, unknown, Precision::Auto);
        for (index, line) in source.lines().enumerate() {
            let here: Vec<_> = sites.iter().filter(|(site, _)| line_of(&source, site.span) == index + 1).collect();
            let is_flagged = here.iter().any(|(_, said)| *said == Said::MayFail);
            let assumes = here.iter().any(|(site, said)| *said == Said::Safe && !site.assumes.is_empty());
            let (is_bad, is_if) = (line.contains("/* bad */"), line.contains("/* if */"));
            let is_right = match unknown {
                Unknown::AsTested => is_flagged == is_bad && (assumes || !is_if),
                Unknown::Anything => is_flagged == (is_bad || is_if) && !assumes,
            };
            let said: Vec<_> = here.iter().map(|(site, said)| (&site.expression, said, &site.assumes)).collect();
            assert!(is_right, "{unknown:?}: line {}: {line}\n{said:?}\n{program}", index + 1);
        }
    }
}

/// Each line is all that `main` does.
#[track_caller]
fn check_lines(head: &str, lines: &[&str]) {
    for line in lines {
        check(&format!("{head}\nint main(int argc, char **argv) {{ {line}\n return 0; }}"));
    }
}

#[test]
fn an_object_is_not_there_in_its_own_initialiser() {
    check_lines(
        "struct node { struct node *next, *last; };",
        &[
            "struct pair s = { .a = 1, .b = s.a }; /* bad */ sink(s.b);",
            "struct pair s = { .b = s.b }; /* bad */ sink(s.a);",
            "struct pair s = { 1, s.a + 1 }; /* bad */ sink(s.b);",
            "int a[3] = { 1, a[0] }; /* bad */ sink(a[2]);",
            "struct pair s = { .a = 1, .b = sizeof s.a }; sink(s.b);",
            "struct node n = { &n, &n }; sink(n.next == n.last);",
            "struct pair t = { 1, 2 }, s = { .b = t.a }; sink(s.a + s.b);",
        ],
    );
}

#[test]
fn what_is_behind_a_pointer_is_read_there() {
    check_lines(
        "static int follow(int *p) { return p ? 1 : 0; }
        static void set(int *p, int n) { if (n) *p = 1; }
        static void give(int *p) { if (p) *p = 1; }",
        &[
            "int x, *p = &x; sink(*p); /* bad */",
            "int x = 1, *p = &x; sink(*p);",
            "int x, y = 0, *p = argc ? &x : &y; sink(*p); /* bad */",
            "int x, y = 0, *p = argc ? &x : &y; *p = 1; sink(*p);",
            "int x; set(&x, argc); sink(x); /* bad */",
            "int x; set(&x, 1); sink(x);",
            "int x; give(&x); sink(x);",
            "int x; sink(follow(&x));",
            "struct pair s, *p = &s; s.a = 1; sink(p->b); /* bad */",
            "struct pair s, *p = &s; s.a = 1; sink(p->a);",
            "static int x, *p = &x; sink(*p);",
        ],
    );
}

#[test]
fn parts_stand_for_the_whole_if_one_says_so() {
    check_lines(
        "",
        &[
            "static union { long l; short h; } u; sink(u.l);",
            "struct bits s; sink(s.high); /* bad */",
            "struct bits s; s.low = 1; sink(s.high); /* if */",
            "int x; ((char *)&x)[0] = 1; sink(x); /* if */",
            "union word u; u.n = 1; sink(u.n);",
            "union word u; u.n = 1; sink(u.pair.b); /* bad */",
            "union word u; sink(u.n); /* bad */",
            "four v, w; w = v + v; /* bad */",
            "four v = { 1 }, w; w = v + v; sink(w[1]); /* if */",
            "int v[3]; sink(v[1]); /* bad */",
            "int v[3]; v[0] = 1; sink(v[1]); /* if */",
            "struct pair v[2]; v[0].a = 1; sink(v[1].b); /* bad */",
            "struct pair v[2], t; v[0].b = 1; t = v[1]; sink(t.b); /* if */",
            "static const int v[] = { 1, 2 }; sink(v[argc]); sink(\"text\"[argc]);",
        ],
    );
}

#[test]
fn memory_on_the_heap_is_not_written_at_first() {
    check_lines(
        "",
        &[
            "struct pair *p = malloc(sizeof *p); if (p) sink(p->a); /* bad */",
            "struct pair *p = malloc(sizeof *p); if (p) { p->a = 1; sink(p->b); } /* bad */",
            "struct pair *p = malloc(sizeof *p); if (p) { p->a = 1; sink(p->a); }",
            "struct pair *p = malloc(sizeof *p), s; if (p) { s = *p; sink(s.a); } /* bad */",
            "struct pair *p = calloc(1, sizeof *p); if (p) sink(p->a); /* if */",
            "int *p = malloc(8); if (p) { *p = 1; p = realloc(p, 16); if (p) sink(*p); } /* if */",
        ],
    );
}

#[test]
fn functions_without_a_body_write_what_they_can() {
    check_lines(
        "",
        &[
            "int x; unknown(&x); sink(x); /* if */",
            "int x; looks(&x); sink(x); /* bad */",
            "int x; printf(\"%p\", &x); sink(x); /* bad */",
            "int x; printf(\"a%n\", &x); sink(x); /* if */",
            "int x; read(0, &x, sizeof x); sink(x); /* if */",
            "struct pair s; read(0, &s, sizeof s.a); sink(s.b); /* bad */",
            "struct pair s; memset(&s, 0, sizeof s.a); sink(s.b); /* bad */",
            "struct pair s; memset(&s, 0, sizeof s); sink(s.b);",
            "struct pair s, t; s.a = 1; memcpy(&t, &s, sizeof t); sink(t.b); /* bad */",
            "char text[8], out[8]; snprintf(out, 8, \"%s\", text); sink(text[0]); /* bad */",
            "int x; __asm__(\"movl $1, %0\" : \"=r\"(x)); sink(x);",
        ],
    );
}

#[test]
fn the_library_reads_what_it_is_given() {
    check_lines(
        "",
        &[
            "char text[8]; sink(strlen(text)); /* bad */",
            "char text[8]; text[0] = 0; sink(strlen(text)); /* if */",
            "sink(strlen(argv[0])); /* if */",
            "sink(strlen(\"text\"));",
            "struct pair s; s.a = 1; fwrite(&s, sizeof s, 1, stdout); /* bad */",
            "struct pair s = { 1, 2 }; fwrite(&s, sizeof s, 1, stdout);",
            "int x, y = 1; sink(memcmp(&y, &x, sizeof x)); /* bad */",
            "struct pair s; s.a = 1; fwrite(&s, 4, 2, stdout); /* bad */",
            "struct pair s; s.a = 1; fwrite(&s, 2, 2, stdout);",
            "struct pair s; s.a = 1; fwrite(&s, 4, argc, stdout); /* bad */",
            "struct pair s = { 1, 2 }; fwrite(&s, argc, 2, stdout);",
            "char text[8]; sink(strcasecmp(\"a\", text)); /* bad */",
            "sink(strcasecmp(\"a\", \"b\"));",
            "int x; sink(memchr(&x, 1, sizeof x) != 0); /* bad */",
            "int x = 1; sink(memchr(&x, 1, sizeof x) != 0);",
            "char *rest; sink(strsep(&rest, \",\") != 0); /* bad */",
            "char *rest; sink(strtok_r(0, \",\", &rest) != 0); /* bad */",
            "char *rest, text[] = \"a,b\"; strtok_r(text, \",\", &rest); sink(strtok_r(0, \",\", &rest) != 0); /* if */",
            "int text[8]; sink(wcslen(text)); /* bad */",
            "struct timespec t; t.sec = 1; nanosleep(&t, 0); /* bad */",
            "struct timespec t = { 1, 0 }, rest; nanosleep(&t, &rest);",
            "struct tm t; t.year = 1; sink(mktime(&t)); /* bad */",
            "struct tm t; t.sec = t.min = t.hour = t.mday = t.mon = t.year = 1; sink(mktime(&t));",
            "char *line; size_t n = 0; getline(&line, &n, stdin); /* bad */",
            "char *line = malloc(8); size_t n; getline(&line, &n, stdin); /* bad */",
            "char *line = 0; size_t n; getline(&line, &n, stdin);",
        ],
    );
}

#[test]
fn there_is_no_place_about_a_string_literal() {
    let source = format!("{HEAD}int main(void) {{ int x = 1; printf(\"%d\\n\", x); return 0; }}");
    let sites = sites(&shipped_analysis("uninit"), &source, Unknown::AsTested, Precision::Auto);
    let about: Vec<&str> = sites.iter().map(|(site, _)| &*site.expression).collect();
    assert_eq!(about, ["x"]);
}

#[test]
fn a_function_may_end_without_a_value() {
    check_lines(
        "static int maybe(int n) { if (n) return 1; }
        static int surely(int n) { if (n) return 1; return 0; }
        static struct pair some(int n) { struct pair s = { 1, 2 }; if (n) return s; }",
        &[
            "sink(maybe(argc)); /* bad */",
            "maybe(argc);",
            "sink(maybe(1));",
            "sink(surely(argc));",
            "struct pair s = some(argc); sink(s.b); /* bad */",
            "struct pair s = some(1); sink(s.b);",
        ],
    );
}

#[test]
fn functions_that_are_called_again_have_locals_of_their_own() {
    check(
        "static int get(int n, int *out) { if (n < 0) return -1; *out = n; return 0; }
        int load(int n) {
          int x;
          if (get(n, &x)) log_it(\"bad\");
          return x; /* bad */
        }
        int checked(int n) {
          int x;
          if (get(n, &x)) { log_it(\"bad\"); return 0; }
          return x; /* if */
        }
        int again(int n) {
          int x, *p = &x;
          if (n > 0) *p = again(n - 1);
          return n > 0 ? x : n; /* if */
        }",
    );
}

#[test]
fn what_was_copied_to_memory_that_is_not_told_apart_is_doubtful() {
    check_lines(
        "static struct pair table[4], one, two, *both[2] = { &one, &two }, *next = table; static int numbers[4]; static long wide;",
        &[
            "struct pair x; x.a = 1; table[1] = x;\n sink(table[1].b); /* if */",
            "int x; memcpy(&numbers[1], &x, 4);\n sink(numbers[1]); /* if */",
            "int x; memcpy(&wide, &x, 4);\n sink((int)wide); /* if */",
            "struct pair x; x.a = 1; *both[argc & 1] = x;\n sink(two.b); /* if */",
            "struct pair x; x.a = 1; *next++ = x;\n sink(table[0].b); /* if */",
            "struct pair x; x.a = 1; table[2] = x; struct pair y = table[2];\n sink(y.b); /* if */",
            "struct pair x = { 1, 2 }; one = x;\n sink(one.b);",
        ],
    );
    check(
        "static int again(int n, struct pair given) {
            struct pair *p = &given;
            if (n == 0) return p->b; /* if */
            struct pair x; x.a = 1;
            return again(n - 1, x);
        }
        int main(void) { struct pair y = { 1, 2 }; return again(1, y); }",
    );
}

#[test]
fn what_is_given_as_a_further_argument_is_what_it_was() {
    let list = "typedef __builtin_va_list va_list;\n";
    check(&format!(
        "{list}static int first(int n, ...) {{ va_list ap; __builtin_va_start(ap, n); return __builtin_va_arg(ap, int); }}
        static int whole(int n, ...) {{
            va_list ap; __builtin_va_start(ap, n); struct pair x = __builtin_va_arg(ap, struct pair);
            return x.b; /* if */
        }}
        int main(void) {{ struct pair s; s.a = 1; return first(1, 2) + whole(1, s); }}"
    ));
}

#[test]
fn what_is_loaded_as_a_whole_is_read() {
    check_lines(
        "",
        &["int x, y; __atomic_load(&x, &y, 5); /* bad */", "int x = 1, y; __atomic_load(&x, &y, 5); sink(y);"],
    );
}

#[test]
fn assembly_reads_what_it_changes() {
    check_lines(
        "",
        &[
            "long r; __asm__(\"add %1,%0\" : \"+r\"(r) : \"r\"(3L)); /* bad */",
            "long r; __asm__(\"mov %1,%0\" : \"=r\"(r) : \"r\"(3L)); sink(r);",
            "long r = 1; __asm__(\"add %1,%0\" : \"+r\"(r) : \"r\"(3L)); sink(r);",
        ],
    );
}

#[test]
fn unions_are_given_as_they_are() {
    check(
        "union both { long l; short h; }; struct around { int n; union both in; }; union parts { int n; struct { short a, b; } s; };
        static int deep;
        static void one(union both c) { sink(c.l); /* bad */ }
        static void inside(struct around c) { sink(c.in.l); /* bad */ }
        static void half(union parts c) { sink(c.s.b); /* bad */ }
        static void taken(union both c) { union both *p = &c; sink(p->l); /* bad */ }
        static void last(union both c) { sink(c.h); /* bad */ }
        static void on(union both c) { last(c); }
        static void pointed(union both c) { sink(c.l); /* bad */ }
        static void again(union both c) { if (deep++ < 3) again(c); else sink(c.l); /* bad */ }
        static void good(union both c) { sink(c.l); /* if */ }
        static void good_inside(struct around c) { sink(c.n); sink(c.in.l); /* if */ }
        int main(void) {
            union both v, w; struct around a, b; union parts p; void (*f)(union both) = nondet() ? pointed : good;
            one(v); inside(a); half(p); taken(v); on(v); again(v); pointed(v);
            w.l = 1; b.n = 1; b.in.l = 1; f(w); good_inside(b);
            return 0;
        }",
    );
}

#[test]
fn what_is_seen_through_a_pointer_can_be_lost() {
    check_lines(
        "",
        &[
            "struct pair a = { 0 }, b = { 0 }, t, *c = nondet() ? &a : &b; a = t; sink(c->b); /* bad */",
            "struct pair a = { 0 }, b = { 0 }, t = { 0 }, *c = nondet() ? &a : &b; a = t; sink(c->b);",
            "struct pair a = { 0 }, b = { 0 }, t, *c = &b; if (argc > 9) c = &a; a = t; if (argc < 9) sink(c->b);",
            "struct pair a, b, *c = nondet() ? &a : &b, *d = nondet() ? &a : &b; d->a = 1; sink(d->a);\n sink(c->a); /* bad */",
            "struct pair *c = malloc(8), *d = c, t; if (c) { d->a = 1; sink(d->a);\n sink(c->a); /* if */\n *d = t; sink(c->a); } /* bad */",
            "int y = 0, *c = &y, n = 0; again:; int x; if (n)\n sink(*c); /* bad */\n x = 1; if (nondet()) c = &x; if (!n++) goto again;",
            "int y = 0, *c = &y, n = 0; again:; int x = 1; if (n)\n sink(*c);\n if (nondet()) c = &x; if (!n++) goto again;",
        ],
    );
    check(
        "static void set(struct pair *c, struct pair *d) { struct pair t; *d = t; sink(c->b); /* bad */ }
        static void keep(struct pair *c, struct pair *d) { struct pair t; *d = t; sink(c->b); }
        int main(void) {
            struct pair a = { 0 }, b = { 0 }, e = { 0 };
            set(&a, &a); set(&b, &a); keep(&b, &e); keep(&b, &a);
            return 0;
        }",
    );
}

#[test]
fn what_is_copied_from_one_of_several_is_doubtful() {
    check_lines(
        "",
        &[
            "struct pair a, b = { 0 }, *both[2] = { &a, &b }, t = *both[argc & 1]; /* if */\n sink(t.a); /* if */",
            "int x, y = 1, *both[2] = { &x, &y }; sink(*both[argc & 1]); /* if */\n sink(x); /* bad */",
        ],
    );
}

#[test]
fn a_computed_jump_reads_where_it_leads() {
    check_lines(
        "",
        &[
            "static void *const t[] = { &&x, &&y }; int i;\n goto *t[i]; /* bad */\n x: y:;",
            "static void *const t[] = { &&x, &&y }; int i = argc & 1;\n goto *t[i];\n x: y:;",
            "void *l; if (argc) l = &&x;\n goto *l; /* bad */\n x:;",
            "void *l = &&x;\n goto *l;\n x:;",
        ],
    );
}

#[test]
fn what_a_format_takes_for_a_string_is_read() {
    check_lines(
        "int fprintf(FILE *, const char *, ...); int sprintf(char *, const char *, ...); void syslog(int, const char *, ...);",
        &[
            "char text[8]; printf(\"%s\", text); /* bad */",
            "char text[8]; printf(\"%*d %-5s\", 1, 2, text); /* bad */",
            "char text[8]; printf(\"%2$s %1$d\", 1, text); /* bad */",
            "char text[8]; printf(\"%p %.0s\", (void *)text, text);",
            "char text[8]; text[0] = 0; printf(\"%s\", text); /* if */",
            "char text[8]; printf(argv[1], 1, text); /* bad */",
            "char text[8]; printf(argc ? \"%p\" : \"%d\", text);",
            "char text[8]; fprintf(stdout, \"a%s\", text); /* bad */",
            "char text[8], out[9]; sprintf(out, \"%s\", text); /* bad */",
            "char text[8]; syslog(1, \"%s %d\", text, 1); /* bad */",
            "printf(\"%s %s\", \"a\", argc ? \"b\" : \"c\");",
        ],
    );
}

#[test]
fn functions_of_the_system_read_what_they_are_given() {
    check_lines(
        "struct sockaddr { unsigned short family; char data[14]; }; struct in { unsigned short family, port; int addr; char zero[8]; };
        typedef union { struct { int lock, count; } data; char size[40]; } mutex; int pthread_mutex_lock(mutex *);
        int pthread_mutex_init(mutex *, const void *); int bind(int, const struct sockaddr *, unsigned); int mkstemp(char *);
        int accept(int, struct sockaddr *, unsigned *); int execv(const char *, char *const *); int execl(const char *, ...);
        int rand_r(unsigned *); struct span { struct timespec every, first; }; void *dlsym(void *, const char *);
        int timer_settime(void *, int, const struct span *, struct span *); int unlinkat(int, const char *, int);",
        &[
            "struct in a; bind(1, (struct sockaddr *)&a, sizeof a); /* bad */",
            "struct in a; a.family = 2; a.port = 1; a.addr = 1; bind(1, (struct sockaddr *)&a, sizeof a);",
            "mutex m; pthread_mutex_lock(&m); /* bad */",
            "static mutex m; pthread_mutex_lock(&m);",
            "mutex m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); /* if */",
            "char text[8]; mkstemp(text); /* bad */",
            "unsigned n; accept(1, 0, &n); /* bad */",
            "unsigned n = 0; accept(1, 0, &n);",
            "char *v[2]; execv(\"a\", v); /* bad */",
            "char text[8]; execl(\"a\", \"b\", text, (char *)0); /* bad */",
            "execl(\"a\", \"b\", (char *)0);",
            "unsigned n; sink(rand_r(&n)); /* bad */",
            "char text[8]; sink(dlsym(0, text) != 0); /* bad */",
            "struct span t; t.every.sec = 1; timer_settime(0, 0, &t, 0); /* bad */",
            "char text[8]; unlinkat(1, text, 0); /* bad */",
        ],
    );
}

#[test]
fn assembly_reads_all_of_what_it_is_given() {
    check_lines(
        "",
        &[
            "struct pair s; s.a = 1; __asm__ volatile(\"\" : : \"m\"(s)); /* bad */",
            "struct pair s = { 1, 2 }; __asm__ volatile(\"\" : : \"m\"(s));",
            "int v[2]; __asm__ volatile(\"\" : : \"m\"(v)); /* bad */",
            "int v[2], n = 1; __asm__ volatile(\"\" : : \"r\"(v), \"m\"(n));",
        ],
    );
}

#[test]
fn a_list_of_arguments_is_begun_before_it_is_read() {
    let head = "typedef __builtin_va_list va_list; int vprintf(const char *, va_list); struct in { va_list list; };
static int next(va_list a) { return __builtin_va_arg(a, int); }
static int member(struct in *in) { return __builtin_va_arg(in->list, int); }
static void print(va_list a) { vprintf(\"\", a); }
void one(const char *f, ...) { va_list a; __builtin_va_start(a, f); print(a); }
void two(const char *f, ...) { va_list a; __builtin_va_start(a, f); print(a); }
void inside(int n, ...) { struct in in; __builtin_va_start(in.list, n); member(&in); }
int given(va_list a) { va_list b; __builtin_va_copy(b, a); return __builtin_va_arg(b, int) + __builtin_va_arg(a, int); } /* if */
";
    for (body, mark) in [
        ("__builtin_va_start(a, n); __builtin_va_arg(a, int);", ""),
        ("if (n) __builtin_va_start(a, n); __builtin_va_arg(a, int);", "/* bad */"),
        ("if (n) __builtin_va_start(a, n); if (n) __builtin_va_arg(a, int);", ""),
        ("__builtin_va_start(a, n); va_list b; __builtin_va_copy(b, a); next(b); __builtin_va_end(b);", ""),
        ("va_list b; __builtin_va_copy(b, a);", "/* bad */"),
        ("vprintf(\"\", a);", "/* bad */"),
        ("__builtin_va_start(a, n); vprintf(\"\", a);", ""),
    ] {
        check(&format!("{head}void f(int n, ...) {{ va_list a; {body} }} {mark}"));
    }
    check(
        "static int next(__builtin_va_list a) {
    return __builtin_va_arg(a, int); /* bad */
}
void f(int n, ...) { __builtin_va_list a; next(a); }",
    );
}

#[test]
fn what_was_written_before_setjmp_is_written_when_it_returns_again() {
    let head = "typedef long jmp_buf[25]; int _setjmp(jmp_buf); void longjmp(jmp_buf, int); static jmp_buf env;\n\
                static void leave(int *p) { *p = 1; longjmp(env, 1); }\n";
    check_lines(
        head,
        &[
            "int a = argc, b, r = 0; r = _setjmp(env);\n if (r) { sink(a);\n sink(r);\n sink(b); /* bad */ }\n b = a;\n if (b > 3) longjmp(env, 1); sink(b);",
            "int a = 3, b; if (_setjmp(env)) {\n sink(a);\n return b; /* bad */ }\n leave(&b);",
            "int *p = &argc; if (_setjmp(env)) return *p;\n *p = 3; longjmp(env, 1);",
            "again: ; int a;\n if (argc) a = 1; else return 0; if (_setjmp(env)) return a; /* bad */\n if (argc++ < 5) goto again; longjmp(env, 1);",
            "struct pair s = { 1, 2 }, t; if (_setjmp(env)) return s.a; /* bad */\n t.b = 1; s = t; longjmp(env, 1);",
            "struct pair s = { 1, 2 }; if (_setjmp(env)) return s.a; longjmp(env, 1);",
        ],
    );
}
