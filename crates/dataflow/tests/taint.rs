//! What the analysis `taint` says of bytes that go about in memory of all forms.
//!
//! A line that must be flagged has `/* bad */` on it; no other may be.

#[path = "support/subject.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod subject;

use hardbop_c_facts::Unknown;
use hardbop_dataflow::Precision;
use subject::{Said, report, shipped_analysis};

const HEAD: &str = "\
typedef unsigned long size_t; typedef struct file FILE; typedef __builtin_va_list va_list; extern FILE *stdin;
int system(const char *); int execl(const char *, const char *, ...); int getchar(void); long read(int, void *, size_t);
char *fgets(char *, int, FILE *); char *getenv(const char *); int printf(const char *, ...);
int asprintf(char **, const char *, ...); int vsnprintf(char *, size_t, const char *, va_list);
void vsyslog(int, const char *, va_list); void *memccpy(void *, const void *, int, size_t); void *realloc(void *, size_t);
void *malloc(size_t); char *realpath(const char *, char *); size_t strlcpy(char *, const char *, size_t);
void make(char *, const char *); char *twin(const char *); int number(const char *);
int execv(const char *, char *const *); int posix_spawnp(int *, const char *, const void *, const void *, char *const *, char *const *);
char *strncpy(char *, const char *, size_t); int snprintf(char *, size_t, const char *, ...);
long readlink(const char *, char *, size_t); int getc_unlocked(FILE *); void join(char *, char **); void append(void *, const char *); void looks(const void *, const char *);
long getline(char **, size_t *, FILE *); struct iovec { void *start; size_t size; }; long readv(int, const struct iovec *, int);
struct buffer { int n; char *text; }; struct list { const struct buffer *first; char *const name; };
union word { char text[8]; long n; }; struct mixed { int n; char first[8], second[8]; };
";

/// Each line is all that `main` does.
#[track_caller]
fn check_lines(head: &str, lines: &[&str]) {
    for line in lines {
        let source = format!("{HEAD}{head}\nint main(void) {{ {line}\n return 0; }}");
        for precision in [Precision::Path, Precision::Flow] {
            let said = report(&shipped_analysis("taint"), &source, Unknown::AsTested, precision);
            let is_flagged = said.iter().any(|(_, _, said)| *said == Said::MayFail);
            assert_eq!(is_flagged, line.contains("/* bad */"), "{precision:?}: {said:?}\n{line}");
        }
    }
}

#[test]
fn a_string_is_all_its_bytes() {
    check_lines(
        "",
        &[
            "union word u; u.text[0] = getchar(); system(u.text); /* bad */",
            "union word u; u.n = getchar(); system(u.text); /* bad */",
            "union word u = { \"date\" }; system(u.text);",
            "struct mixed s = { 0 }; s.second[0] = getchar(); system((char *)&s); /* bad */",
            "struct mixed s = { 0 }; s.second[0] = getchar(); system(s.second); /* bad */",
            "struct mixed s = { 0 }; s.second[0] = getchar(); system(s.first);",
            "struct mixed s = { 0 }; char *p = (char *)&s; for (int i = 0; i < 8; i++) p[i] = getchar(); system(s.first); /* bad */",
        ],
    );
}

#[test]
fn copies_hand_on_what_they_copy() {
    check_lines(
        "",
        &[
            "char *p; asprintf(&p, \"%s\", getenv(\"HOME\")); system(p); /* bad */",
            "char *p; asprintf(&p, \"%d\", 1); system(p);",
            "struct mixed s = { 0 }; strncpy(s.first, getenv(\"HOME\"), 8); system(s.first); /* bad */",
            "struct mixed s = { 0 }; strncpy(s.first, getenv(\"HOME\"), 8); system(s.second);",
            "struct mixed s = { 0 }; strncpy(s.first, getenv(\"HOME\"), 16); system(s.second); /* bad */",
            "struct mixed s = { 0 }; snprintf(s.first, 8, \"%s\", getenv(\"HOME\")); system(s.first); /* bad */",
            "struct mixed s = { 0 }; snprintf(s.first, 8, \"%s\", getenv(\"HOME\")); system(s.second);",
            "char *s = getenv(\"HOME\"), *t; __asm__(\"mov %1, %0\" : \"=r\"(t) : \"r\"(s)); system(t); /* bad */",
            "char *s = \"ls\", *t; __asm__(\"mov %1, %0\" : \"=r\"(t) : \"r\"(s)); system(t);",
            "char b[8], d[8]; fgets(b, 8, stdin); memccpy(d, b, 0, 8); system(d); /* bad */",
            "char b[8], d[8]; fgets(b, 8, stdin); strlcpy(d, b, 8); system(d); /* bad */",
            "char d[8]; strlcpy(d, \"date\", 8); system(d);",
            "char b[8], d[8]; fgets(b, 8, stdin); __builtin_strcpy(d, b); system(d); /* bad */",
            "char b[8], d[8]; fgets(b, 8, stdin); __builtin___strcpy_chk(d, b, 8); system(d); /* bad */",
            "char d[99]; system(realpath(getenv(\"HOME\"), d)); /* bad */",
            "char *b = malloc(8); b[0] = getchar(); b = realloc(b, 16); system(b); /* bad */",
            "char *b = malloc(8); b[0] = 'a'; b = realloc(b, 16); system(b);",
        ],
    );
}

#[test]
fn a_function_without_a_body_hands_on_what_it_is_given() {
    check_lines(
        "",
        &[
            "char b[8], d[8]; fgets(b, 8, stdin); make(d, b); system(d); /* bad */",
            "char b[8]; fgets(b, 8, stdin); system(twin(b)); /* bad */",
            "char d[8]; make(d, \"date\"); system(d);",
            "system(twin(\"date\"));",
        ],
    );
}

#[test]
fn every_argument_of_exec_is_run() {
    check_lines(
        "",
        &[
            "execl(\"/bin/sh\", \"sh\", \"-c\", getenv(\"HOME\"), (char *)0); /* bad */",
            "execl(\"/bin/sh\", \"sh\", \"-c\", \"date\", (char *)0);",
            "char b[8], *a[] = { \"sh\", \"-c\", b, 0 }; fgets(b, 8, stdin); execv(\"/bin/sh\", a); /* bad */",
            "char b[8], *a[] = { \"sh\", \"-c\", b, 0 }; fgets(b, 8, stdin); posix_spawnp(0, \"sh\", 0, 0, a, 0); /* bad */",
            "char b[8], *a[] = { \"sh\", \"-c\", \"date\", 0 }; fgets(b, 8, stdin); execv(\"/bin/sh\", a);",
            "char b[8], *a[] = { \"sh\", \"-c\", \"date\", 0 }; fgets(b, 8, stdin); posix_spawnp(0, \"sh\", 0, 0, a, 0);",
        ],
    );
}

#[test]
fn links_and_characters_come_from_outside() {
    check_lines(
        "",
        &[
            "char b[8]; readlink(\"/proc/self/exe\", b, 8); system(b); /* bad */",
            "char b[8] = \"ls\", d[8]; readlink(\"/proc/self/exe\", d, 8); system(b);",
            "char b[8]; b[0] = getc_unlocked(stdin); system(b); /* bad */",
        ],
    );
}

#[test]
fn pointers_lead_to_pointers() {
    check_lines(
        "",
        &[
            "char b[8], o[8], *a[] = { \"ls\", b, 0 }; fgets(b, 8, stdin); join(o, a); system(o); /* bad */",
            "char b[8], o[8], *a[] = { \"ls\", \"-l\", 0 }; fgets(b, 8, stdin); join(o, a); system(o);",
            "char m[8]; struct buffer b = { 0, m }; append(&b, getenv(\"HOME\")); system(m); /* bad */",
            "char m[8], o[8]; struct buffer b = { 0, m }; append(&b, getenv(\"HOME\")); system(o);",
            "char m[8] = \"ls\"; struct buffer b = { 0, m }; looks(&b, getenv(\"HOME\")); system(m); /* bad */",
            "char m[8] = \"ls\"; looks(m, getenv(\"HOME\")); system(m);",
            "char m[8]; struct list l = { 0, m }; append(&l, getenv(\"HOME\")); system(m); /* bad */",
            "char *b = malloc(8), *l = b; size_t n = 8; getline(&l, &n, stdin); system(b); /* bad */",
            "char *b = malloc(8), *l = malloc(8); size_t n = 8; *b = 'a'; getline(&l, &n, stdin); system(b);",
            "char b[8], d[8]; struct iovec v = { b, 8 }; readv(0, &v, 1); system(b); /* bad */",
            "char b[8], d[8] = \"ls\"; struct iovec v = { b, 8 }; readv(0, &v, 1); system(d);",
        ],
    );
}

#[test]
fn what_is_copied_through_a_tainted_pointer_is_tainted() {
    check_lines(
        "struct cfg { int n; char *cmd; };
        static struct cfg table[4];
        static void load(struct cfg c) { system(c.cmd); }
        static struct cfg get(const struct cfg *c) { return *c; }
        static struct cfg *find(int n, struct cfg *c) { return n ? c : (struct cfg *)getenv(\"CFG\"); }",
        &[
            "struct cfg c = *(struct cfg *)getenv(\"CFG\"); system(c.cmd); /* bad */",
            "struct cfg d = { 1, \"ls\" }, *p = &d, c = *p; system(c.cmd);",
            "load(*(struct cfg *)getenv(\"CFG\")); /* bad */",
            "struct cfg d = { 1, \"ls\" }, *p = &d; load(*p);",
            "struct cfg c = get((struct cfg *)getenv(\"CFG\")); system(c.cmd); /* bad */",
            "struct cfg d = { 1, \"ls\" }, c = get(&d); system(c.cmd);",
            "struct cfg c = table[getchar()]; system(c.cmd); /* bad */",
            "struct cfg d = { 1, \"ls\" }; table[getchar()] = d; system(table[0].cmd);",
            "struct cfg q[4]; q[1] = *(struct cfg *)getenv(\"CFG\"); system(q[2].cmd); /* bad */",
        ],
    );
}

#[test]
fn further_arguments_may_be_anything() {
    check_lines(
        "static void run(const char *format, ...) {
          char text[9];
          va_list list;
          __builtin_va_start(list, format);
          vsnprintf(text, 9, format, list);
          __builtin_va_end(list);
          system(text);
        }
        static void second(int n, ...) {
          va_list list;
          __builtin_va_start(list, n);
          char *text = __builtin_va_arg(list, char *);
          __builtin_va_end(list);
          if (n) system(text);
        }
        static void tell(const char *format, ...) {
          va_list list;
          __builtin_va_start(list, format);
          vsyslog(1, format, list);
          __builtin_va_end(list);
        }",
        &[
            "run(\"%s\", getenv(\"HOME\")); /* bad */",
            "second(1, getenv(\"HOME\")); /* bad */",
            "tell(\"%s\", getenv(\"HOME\"));",
            "tell(getenv(\"HOME\")); /* bad */",
        ],
    );
}

#[test]
fn assembly_hands_on_what_it_reads() {
    check_lines(
        "",
        &[
            "unsigned n = getchar(); __asm__(\"bswap %0\" : \"+r\"(n)); char b[2] = { n >> 24, 0 }; system(b); /* bad */",
            "unsigned n = getchar(), m; __asm__(\"mov %1,%0\" : \"=r\"(m) : \"r\"(n)); char b[2] = { m, 0 }; system(b); /* bad */",
            "unsigned n = getchar(), m; __asm__(\"mov %1,%0\" : \"=r\"(m) : \"r\"(1)); char b[2] = { m, 0 }; system(b);",
            "char from[8], to[8] = \"ls\"; read(0, from, 8);
             __asm__(\"rep movsb\" : : \"S\"(from), \"D\"(to), \"c\"(8) : \"memory\"); system(to); /* bad */",
        ],
    );
}

#[test]
fn lists_lead_to_what_is_read() {
    check_lines(
        "int vscanf(const char *, va_list); int vprintf(const char *, va_list);
static void get(const char *f, ...) { va_list a; __builtin_va_start(a, f); vscanf(f, a); }
static void put(const char *f, ...) { va_list a; __builtin_va_start(a, f); vprintf(f, a); }",
        &[
            "char b[20] = \"ls\"; get(\"%19s\", b); system(b); /* bad */",
            "char b[20] = \"ls\", c[20]; get(\"%19s\", c); system(b);",
            "char b[20] = \"ls\"; put(\"%19s\", b); system(b);",
        ],
    );
}
