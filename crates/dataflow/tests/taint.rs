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
