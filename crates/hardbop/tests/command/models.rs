//! Calls of library functions in C programs, whose models are shipped.

use crate::{Scratch, json, run};

/// Declarations as headers have them.
const HEADER: &str = "\
typedef unsigned long size_t; typedef struct _IO_FILE FILE;
char *strchr(const char *, int); char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t);
char *strtok(char *, const char *); char *getenv(const char *); char *fgets(char *, int, FILE *);
void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t); char *strdup(const char *);
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
void qsort(void *, size_t, size_t, int (*)(const void *, const void *)); int strcmp(const char *, const char *);
long strtol(const char *, char **, int); int atexit(void (*)(void)); long read(int, void *, size_t);
int asprintf(char **, const char *, ...); long getline(char **, size_t *, FILE *); void abort(void);
void errx(int, const char *, ...);
void __VERIFIER_assume(int); int __VERIFIER_nondet_int(void);
";

/// Checks which dereferences of `program` may fail, by their text.
#[track_caller]
fn check_null(program: &str, failing: &[&str]) {
    let file = Scratch::new("t.c", format!("{HEADER}{program}"));
    let code = i32::from(!failing.is_empty());
    let answer = json(&["flow", file.path(), "--analysis", "null", "--json"], code);
    let sites = answer["sites"].as_array().unwrap().iter().filter(|site| site["status"] == "may-fail");
    let found: Vec<&str> = sites.map(|site| site["expression"].as_str().unwrap()).collect();
    assert_eq!(found, failing, "{program}");
}

#[test]
fn what_is_looked_for_may_not_be_there() {
    check_null("void f(char *s) { char *p = strchr(s, 'x'); *p = 0; }", &["*p"]);
    check_null("void f(char *s) { char *p = strchr(s, 'x'); if (p) *p = 0; }", &[]);
    check_null("int f(void) { return *getenv(\"HOME\"); }", &["*getenv(...)"]);
    check_null("int f(FILE *f) { char line[9]; char *p = fgets(line, 9, f); return *p; }", &["*p"]);
    check_null("int f(FILE *f) { char line[9]; char *p; while ((p = fgets(line, 9, f))) *p = 0; return 0; }", &[]);
    check_null("int f(const char *s) { return *strdup(s); }", &["*strdup(...)"]);
}

#[test]
fn what_is_given_comes_back() {
    check_null("char f(const char *s) { char d[9]; char *q = strcpy(d, s); return q ? 0 : *q; }", &[]);
    check_null("char f(const char *s) { char d[9]; char *q = memcpy(d, s, 9); return q ? 0 : *q; }", &[]);
    check_null("char f(void) { char d[9]; char *q = memset(d, 0, 9); if (q == 0) q = 0; return *q; }", &[]);
    check_null("int f(const char *s) { char *e; strtol(s, &e, 10); return e ? *s : *e; }", &[]);
    check_null("int f(void) { char *e; strtol(\"12\", &e, 10); return e ? 0 : *e; }", &[]);
}

#[test]
fn tokens_come_one_after_the_other() {
    let all =
        "int f(char *s) { int n = 0; for (char *p = strtok(s, \",\"); p; p = strtok(0, \",\")) n += *p; return n; }";
    check_null(all, &[]);
    check_null("int f(char *s) { char *p = strtok(s, \",\"), *q = strtok(0, \",\"); return p ? *q : 0; }", &["*q"]);
}

#[test]
fn results_say_whether_there_is_memory() {
    check_null("int f(void) { char *t; return asprintf(&t, \"%d\", 3) < 0 ? 0 : *t; }", &[]);
    check_null("int f(void) { char *t; asprintf(&t, \"%d\", 3); return *t; }", &["*t"]);
    check_null("int f(FILE *f) { char *t = 0; size_t n; return getline(&t, &n, f) < 0 ? 0 : *t; }", &[]);
}

#[test]
fn what_is_written_is_forgotten_and_nothing_else() {
    let record = "struct s { int flag; char name[9]; int *p; };\n";
    let writes = |call: &str, test: &str| {
        format!(
            "{record}int f(const char *t, FILE *file) {{ int x; struct s v; v.flag = 1; v.p = &x; {call};\n\
             if ({test}) v.p = 0; return *v.p; }}"
        )
    };
    check_null(&writes("strncpy(v.name, t, 8)", "v.flag != 1"), &[]);
    check_null(&writes("fgets(v.name, 9, file)", "v.flag != 1"), &[]);
    check_null(&writes("strcpy((char *)&v, t)", "v.flag != 1"), &["*v.p"]);
    check_null(&writes("fgets((char *)&v, 9, file)", "v.flag != 1"), &["*v.p"]);
    check_null(&writes("read(0, &v.flag, 4)", "v.flag != 1"), &["*v.p"]);
    check_null("int f(const char *t) { int x = 0, *p = &x; strcpy((char *)&x, t); if (x) p = 0; return *p; }", &["*p"]);
}

#[test]
fn comparisons_are_called_back_with_elements() {
    let compare = "static int compare(const void *a, const void *b) { return **(char **)a - **(char **)b; }\n";
    check_null(
        &format!("{compare}void f(char **a, size_t n) {{ a[0] = 0; qsort(a, n, 8, compare); }}"),
        &["**b", "**a"],
    );
    check_null(
        &format!("{compare}char f(void) {{ char *a[] = {{\"x\", \"y\"}}; qsort(a, 2, 8, compare); return *a[0]; }}"),
        &[],
    );
    let found = "int f(char **a, char *k) { char **p = bsearch(&k, a, 2, 8, compare); return **p; }";
    check_null(&format!("{compare}{found}"), &["*p"]);
}

#[test]
fn what_is_assumed_holds_from_there_on() {
    let program = "int x; int main(void) { int n = __VERIFIER_nondet_int(); int *p = n ? &x : 0; CALL return *p; }";
    check_null(&program.replace("CALL", ""), &["*p"]);
    check_null(&program.replace("CALL", "__VERIFIER_assume(n != 0);"), &[]);
    check_null(&program.replace("CALL", "if (!n) abort();"), &[]);
}

#[test]
fn handlers_run_with_what_is_so_at_the_end() {
    let program = "static int x, *p; static void last(void) { *p = 1; }\n\
                   int main(int n, char **v) { p = &x; atexit(last); LATER return 0; }";
    check_null(&program.replace("LATER", ""), &[]);
    check_null(&program.replace("LATER", "if (n > 1) p = 0;"), &["*p"]);
    check_null(&program.replace("LATER", "p = 0; errx(1, \"over\");"), &["*p"]);
    // What is returned is read before.
    check_null(&program.replace("return 0", "return *p").replace("LATER", "p = 0;"), &["*p"]);
    check_null(
        &program.replace("*p = 1;", "*p = 1; p = 0;").replace("return 0", "return *p").replace("LATER", ""),
        &[],
    );
}

#[test]
fn handlers_see_what_others_have_done() {
    let program = "static int x, *p = &x; static void use(void) { *p = 1; } static void clear(void) { p = 0; LATER }\n\
                   int main(void) { FIRST atexit(clear); return 0; }";
    check_null(&program.replace("LATER", "").replace("FIRST", "atexit(use);"), &["*p"]);
    check_null(&program.replace("LATER", "atexit(use);").replace("FIRST", ""), &["*p"]);
}

#[test]
fn a_definition_of_the_program_or_of_its_user_comes_first() {
    let program = "char *strchr(const char *, int);\nint main(void) { return *strchr(\"x\", 'x'); }\n";
    let (file, model) =
        (Scratch::new("t.c", program), Scratch::new("m.c", "char *strchr(char *s, int c) { return s; }"));
    let args = ["flow", file.path(), "--analysis", "null"];
    assert_eq!(run(&args).status.code(), Some(1));
    assert_eq!(run(&[&args[..], &["--model", model.path()]].concat()).status.code(), Some(0));
    check_null("static char *own(const char *s) { return (char *)s; } int main(void) { return *own(\"x\"); }", &[]);
}

#[test]
fn a_model_is_one_line_of_a_trace() {
    let file = Scratch::new(
        "t.c",
        "char *strchr(const char *, int);\nint main(void) {\n  char *p = strchr(\"a\", 'x');\n  return *p;\n}\n",
    );
    let output = run(&["flow", file.path(), "--analysis", "null"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("strchr")).collect();
    assert_eq!(lines, ["     3  strchr(\"a\", 'x')             the result is NULL, p is NULL"], "{text}");
}

#[test]
fn the_program_is_shown_without_models() {
    let program = "char *strchr(const char *, int);\nint main(void) { return *strchr(\"a\", 'x'); }\n";
    let file = Scratch::new("t.c", program);
    let show = |stage: &str| String::from_utf8(run(&["show", file.path(), "--stage", stage]).stdout).unwrap();
    assert_eq!(show("calls").lines().collect::<Vec<_>>()[1..], ["  calls outside: strchr"]);
    assert!(!show("c").contains("nondet"));
}
