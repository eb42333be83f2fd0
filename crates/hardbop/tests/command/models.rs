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
void errx(int, const char *, ...); void error(int, int, const char *, ...); void exit(int); void quick_exit(int);
int on_exit(void (*)(int, void *), void *); int at_quick_exit(void (*)(void)); int kill(int, int);
void *signal(int, void (*)(int)); void explicit_bzero(void *, size_t); void subscribe(void (*)(void));
int pthread_create(unsigned long *, const void *, void *(*)(void *), void *); int pthread_join(unsigned long, void **);
_Noreturn void pthread_exit(void *); int pthread_key_create(unsigned *, void (*)(void *));
int pthread_setspecific(unsigned, const void *); void *pthread_getspecific(unsigned); _Noreturn void die(void);
void __VERIFIER_assume(int); int __VERIFIER_nondet_int(void);
";

/// Checks which dereferences of `program` may fail, by their text.
#[track_caller]
fn check_null(program: &str, failing: &[&str]) {
    check("null", program, failing);
}

/// Checks which places of `program` may fail, by their text.
#[track_caller]
fn check(analysis: &str, program: &str, failing: &[&str]) {
    let file = Scratch::new("t.c", format!("{HEADER}{program}"));
    let code = i32::from(!failing.is_empty());
    let answer = json(&["flow", file.path(), "--analysis", analysis, "--json"], code);
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
fn elements_are_as_large_as_said_wherever_they_are() {
    let compare = "static int compare(const void *a, const void *b) { int *const *s = a; return *s ? 0 : -1; }\n";
    let program = format!("{compare}int x; int main(void) {{ TYPES CALL return *q.a; }}");
    let two = program.replace("TYPES", "struct { int *a, *b; } q = { &x, 0 };");
    check_null(&two.replace("CALL", "qsort(&q, 2, 8, compare);"), &["*q.a"]);
    check_null(&two.replace("CALL", "qsort(&q, 1, sizeof q, compare);"), &[]);
    check_null(&two.replace("CALL", "bsearch(&q, &q, 2, 8, compare);"), &[]);
    let found = "int **p = bsearch(&q, &q, 2, 8, compare); if (p) *p = 0; if (q.b) return *q.b;";
    check_null(&two.replace("CALL", found), &["*q.a"]);
    let wide = "struct { struct { int *p; long n; } v, w; int *a; } q = { { &x, 1 }, { 0, 2 }, &x };";
    check_null(
        &program.replace("TYPES", wide).replace("*q.a", "*q.v.p").replace("CALL", "qsort(&q, 2, 16, compare);"),
        &["*q.v.p"],
    );
    let array = "struct { int *a; long n; } v[2] = { { &x, 1 }, { &x, 2 } }, q = { &x, 1 };";
    let sorted = program.replace("TYPES", array).replace("CALL", "qsort(v, 2, sizeof *v, compare);");
    check_null(&sorted, &[]);
}

#[test]
fn counts_of_formats_are_written() {
    let program = "int vasprintf(char **, const char *, __builtin_va_list); int x;\n\
                   static int out(char **t, const char *f, ...) { __builtin_va_list a; __builtin_va_start(a, f);\n\
                   return vasprintf(t, f, a); }\n\
                   int main(void) { int n = 5, *p = &x; char *t; CALL; if (n != 5) p = 0; return *p; }";
    for (call, failing) in [
        ("asprintf(&t, \"a%n\", &n)", &["*p"][..]),
        ("asprintf(&t, \"a%d\", n)", &[]),
        ("out(&t, \"a%n\", &n)", &["*p"]),
        ("out(&t, \"a%d\", n)", &[]),
        ("error(0, 0, \"a%n\", &n)", &["*p"]),
    ] {
        check_null(&program.replace("CALL", call), failing);
    }
}

#[test]
fn errors_are_counted_and_say_who_has_them() {
    let program = "extern unsigned error_message_count; extern void (*error_print_progname)(void);\n\
                   extern int error_one_per_line; void error_at_line(int, int, const char *, unsigned, const char *, ...);\n\
                   int x, *p = &x; static void hook(void) { p = 0; } int main(int c, char **v) { BODY return *p; }";
    let count =
        "error_message_count = 0; error_print_progname = 0; error(0, 0, \"x\"); if (error_message_count == N) p = 0;";
    check_null(&program.replace("BODY", &count.replace('N', "1")), &["*p"]);
    check_null(&program.replace("BODY", &count.replace('N', "2")), &[]);
    check_null(&program.replace("BODY", "error_print_progname = hook; error(0, 0, \"x\");"), &["*p"]);
    check_null(&program.replace("BODY", "error_print_progname = 0; error(0, 0, \"x\");"), &[]);
    let line = "error_one_per_line = N; error_print_progname = 0; if (c > 1) p = 0; \
                error_at_line(c > 1, 0, \"f\", 1, \"x\");";
    check_null(&program.replace("BODY", &line.replace('N', "1")), &["*p"]);
    check_null(&program.replace("BODY", &line.replace('N', "0")), &[]);
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

/// Programs with a handler `last` that is there at their end; `STATEMENTS` stands for what `main` does.
const AT_END: &str = "static int x, *p = &x; static void last(void) { *p = 1; }\n\
                      static void last_with(int s, void *v) { *(int *)v = 1; }\n\
                      static void (*leave)(int) = LEAVE; static int (*enter)(void (*)(void)) = ENTER;\n\
                      MAIN { STATEMENTS }";

/// Checks which dereferences of handlers may fail if `main` does this, and who else is called is not known.
#[track_caller]
fn check_end(statements: &str, failing: &[&str]) {
    let program = AT_END.replace("LEAVE", "0").replace("ENTER", "0").replace("MAIN", "int main(int n, char **v)");
    check_null(&program.replace("STATEMENTS", statements), failing);
}

#[test]
fn handlers_run_however_the_run_ends() {
    check_end("atexit(last); p = 0;", &["*p"]);
    check_end("atexit(last); if (n > 1) { p = 0; exit(1); } return 0;", &["*p"]);
    check_end("atexit(last); if (n > 1) { p = 0; error(1, 0, \"over\"); } return 0;", &["*p"]);
    check_end("atexit(last); if (n > 1) { error(1, 0, \"over\"); p = 0; } return 0;", &[]);
    check_end("atexit(last); if (n > 1) { p = 0; die(); } return 0;", &["*p"]);
    check_end("atexit(last); if (n > 1) { p = 0; abort(); } return 0;", &[]);
    check_null(
        &AT_END
            .replace("LEAVE", "0")
            .replace("ENTER", "0")
            .replace("MAIN", "void main(void)")
            .replace("STATEMENTS", "atexit(last); p = 0;"),
        &["*p"],
    );
}

#[test]
fn handlers_with_arguments_run_with_them() {
    check_end("on_exit(last_with, &x); return 0;", &[]);
    check_end("on_exit(last_with, 0); return 0;", &["*v"]);
    check_end("on_exit(last_with, &x); on_exit(last_with, v); atexit(last); p = 0; return 0;", &["*p"]);
}

#[test]
fn what_runs_at_a_quick_exit_runs_at_no_other() {
    check_end("at_quick_exit(last); p = 0; quick_exit(1);", &["*p"]);
    check_end("at_quick_exit(last); p = 0; exit(1);", &[]);
    check_end("atexit(last); p = 0; quick_exit(1);", &[]);
}

#[test]
fn handlers_run_if_they_are_registered_or_the_run_ends_through_a_pointer() {
    let program = AT_END.replace("MAIN", "int main(int n, char **v)");
    let leave = program.replace("LEAVE", "exit").replace("ENTER", "0");
    check_null(&leave.replace("STATEMENTS", "atexit(last); p = 0; leave(1); p = &x; return 0;"), &["*p"]);
    let enter = program.replace("LEAVE", "0").replace("ENTER", "atexit");
    check_null(&enter.replace("STATEMENTS", "enter(last); p = 0; return 0;"), &["*p"]);
    check_null(&enter.replace("STATEMENTS", "enter(last); p = 0; exit(1);"), &["*p"]);
    check_null(&enter.replace("STATEMENTS", "enter(last); return 0;"), &[]);
}

#[test]
fn what_is_given_away_runs_at_the_end_too() {
    check_end("subscribe(last); return 0;", &[]);
    check_end("subscribe(last); p = 0; return 0;", &["*p"]);
    check_end("subscribe(last); p = 0; exit(1);", &["*p"]);
    check_end("subscribe(last); p = 0; abort();", &[]);
    // It may run before handlers do.
    let program = "static int x, *p = &x; static void clear(void) { p = 0; } static void last(void) { *p = 1; }\n\
                   int main(void) { subscribe(clear); p = &x; atexit(last); p = &x; return 0; }";
    check_null(program, &["*p"]);
    // A library has handlers and functions for others, which do not run where it ends the run.
    let library = "int *p; void use(void) { if (p) p[0] = 1; } void stop(void) { p = 0; exit(1); }\n\
                   static int x, *q = &x; static void last(void) { *q = 1; } void start(void) { subscribe(last); }\n\
                   void end(void) { q = 0; exit(1); } void again(void) { *q = 1; }";
    check_null(library, &["*q"]);
}

#[test]
fn constructors_run_before_main_and_destructors_at_the_end() {
    let program = "static int x, *p; MAIN\n\
                   __attribute__((constructor)) static void start(void) { p = START; }\n\
                   __attribute__((destructor)) static void end(void) { *p = 1; }";
    let check = |start: &str, main: &str, wanted: &[&str]| {
        check_null(&program.replace("START", start).replace("MAIN", main), wanted);
    };
    check("&x", "int main(void) { p[0] = 1; return 0; }", &[]);
    check("&x", "int main(void) { p = 0; return 0; }", &["*p"]);
    check("&x", "int main(void) { p = 0; exit(1); }", &["*p"]);
    check("0", "int main(void) { p[0] = 1; return 0; }", &["*p"]);
    // Of several it is not known which comes first.
    let other =
        "__attribute__((constructor)) static void other(void) { p = 0; } int main(void) { p[0] = 1; return 0; }";
    check("&x", other, &["*p"]);
    // In a library they run whenever.
    check("0", "void use(void) { if (p) p[0] = 1; }", &["*p"]);
}

#[test]
fn what_the_runtime_finds_in_its_tables_runs_before_main_or_at_the_end() {
    let program = "static int x, *p; MAIN\n\
                   static void start(void) { p = START; } static void end(void) { *p = 1; }\n\
                   static void (*first[])(void) __attribute__((section(\".init_array.5\"), used)) = { start };\n\
                   static void *last __attribute__((used, section(\".fini_array\"))) = (void *)end;";
    let check = |start: &str, main: &str, wanted: &[&str]| {
        check_null(&program.replace("START", start).replace("MAIN", main), wanted);
    };
    check("&x", "int main(void) { p[0] = 1; return 0; }", &[]);
    check("&x", "int main(void) { p = 0; return 0; }", &["*p"]);
    check("0", "int main(void) { p[0] = 1; return 0; }", &["*p"]);
}

#[test]
fn what_is_kept_is_called_by_who_finds_it() {
    let program = "static int x, *p; static void start(void) { *p = 1; } void other(void);\n\
                   static void (*entry)(void) ATTRIBUTES = start; MAIN";
    let check = |attributes: &str, main: &str, wanted: &[&str]| {
        check_null(&program.replace("ATTRIBUTES", attributes).replace("MAIN", main), wanted);
    };
    for attributes in ["__attribute__((used))", "__attribute__((section(\".initcall\")))"] {
        check(attributes, "", &["*p"]);
        check(attributes, "int main(void) { other(); return 0; }", &["*p"]);
        check(attributes, "extern void (*table[])(void); int main(void) { table[0](); return 0; }", &["*p"]);
        check(attributes, "int main(void) { p = &x; other(); return 0; }", &[]);
    }
    check("", "int main(void) { other(); return 0; }", &[]);
    // So is what a table holds that outside code knows by name.
    check_null("static int *p; static void f(void) { *p = 1; } struct { void (*f)(void); } table = { f };", &["*p"]);
    let function = "static int *p; static void f(void) __attribute__((used)); static void f(void) { *p = 1; }";
    check_null(function, &["*p"]);
}

#[test]
fn signals_are_handled_where_they_are_sent() {
    let program = "static int x, *p = &x; static void handle(int s) { *p = s; }\n\
                   int main(void) { signal(10, handle); p = 0; SEND p = &x; return 0; }";
    check_null(&program.replace("SEND", "kill(1, 10);"), &["*p"]);
    check_null(&program.replace("SEND", ""), &[]);
}

/// A program with threads that run `run`.
fn with_threads(run: &str, main: &str) -> String {
    format!(
        "static int x, *p = &x; static void *run(void *v) {{ {run} }}\nint main(void) {{ unsigned long t; {main} }}"
    )
}

#[test]
fn threads_run_with_what_they_are_given() {
    let create = |argument: &str| format!("pthread_create(&t, 0, run, {argument}); return 0;");
    check_null(&with_threads("*(int *)v = 1; return 0;", &create("0")), &["*v"]);
    check_null(&with_threads("*(int *)v = 1; return 0;", &create("&x")), &[]);
}

#[test]
fn threads_run_where_they_are_started_and_where_they_are_waited_for() {
    let main = "pthread_create(&t, 0, run, 0); p = 0; WAIT p = &x; return 0;";
    check_null(&with_threads("*p = 1; return 0;", &main.replace("WAIT", "pthread_join(t, 0);")), &["*p"]);
    check_null(&with_threads("*p = 1; return 0;", &main.replace("WAIT", "pthread_exit(0);")), &["*p"]);
    check_null(&with_threads("*p = 1; return 0;", &main.replace("WAIT", "")), &[]);
}

#[test]
fn what_a_thread_returns_is_what_is_waited_for() {
    let main = "void *r = &x; if (pthread_create(&t, 0, run, 0) || pthread_join(t, &r)) return 1; return *(int *)r;";
    check_null(&with_threads("return 0;", main), &["*r"]);
    check_null(&with_threads("pthread_exit(0);", main), &["*r"]);
    check_null(&with_threads("return &x;", main), &[]);
    let main = "if (pthread_create(&t, 0, run, 0) || pthread_join(t, 0)) return 1; return *p;";
    check_null(&with_threads("p = 0; pthread_exit(0);", main), &["*p"]);
    check_null(&with_threads("pthread_exit(0); p = 0;", main), &[]);
}

#[test]
fn a_thread_may_end_in_a_function_that_it_calls() {
    let main = "if (pthread_create(&t, 0, run, 0) || pthread_join(t, 0)) return 1; return *p;";
    let leave = "static int *p; HOW void leave(void) { p = 0; pthread_exit(0); }\n";
    for how in ["static", "_Noreturn static"] {
        let program = with_threads("leave(); p = &x; return 0;", main);
        check_null(&format!("{}{program}", leave.replace("HOW", how)), &["*p"]);
    }
    let maybe = "static int *p; static void maybe(int n) { if (n) { p = 0; pthread_exit(0); } }\n";
    check_null(&format!("{maybe}{}", with_threads("maybe(0); p = &x; return 0;", main)), &[]);
    check_null(&format!("{maybe}{}", with_threads("maybe(v != 0); p = &x; return 0;", main)), &["*p"]);
    let hidden = "static int *p; static void leave(void) { p = 0; pthread_exit(0); } static void (*f)(void) = leave;\n";
    check_null(&format!("{hidden}{}", with_threads("f(); p = &x; return 0;", main)), &["*p"]);
    let result = "static void leave(int *r) { pthread_exit(r); }\n";
    let main = "void *r = &x; if (pthread_create(&t, 0, run, 0) || pthread_join(t, &r)) return 1; return *(int *)r;";
    check_null(&format!("{result}{}", with_threads("leave(0); return &x;", main)), &["*r"]);
    check_null(&format!("{result}{}", with_threads("leave(&x); return 0;", main)), &[]);
}

#[test]
fn what_undoes_a_thread_may_run_whenever_it_ends() {
    // This is what `pthread_cleanup_push` is.
    let push = "int __sigsetjmp_cancel(void *, int); static void undo(void); static long buffer[30];\n";
    let run = "if (__sigsetjmp_cancel(buffer, 0)) { undo(); pthread_exit(0); } p = 0; pthread_exit(0);";
    let program = with_threads(run, "pthread_create(&t, 0, run, 0); return 0;");
    check_null(&format!("{push}{program}\nstatic void undo(void) {{ *p = 1; }}"), &["*p"]);
}

#[test]
fn what_a_thread_has_of_its_own_is_what_was_set_or_null() {
    let program = "static int x, *p = &x; static unsigned k; static void destroy(void *v) { *p = *(int *)v; }\n\
                   int main(void) { pthread_key_create(&k, destroy); SET int *q = pthread_getspecific(k); USE }";
    check_null(&program.replace("SET", "").replace("USE", "return *q;"), &["*q"]);
    check_null(&program.replace("SET", "pthread_setspecific(k, &x);").replace("USE", "return q ? *q : 0;"), &[]);
    check_null(
        &program.replace("SET", "pthread_setspecific(k, &x); p = 0;").replace("USE", "pthread_exit(q);"),
        &["*p"],
    );
}

#[test]
fn memory_is_cleared_for_certain() {
    check_null("int f(void) { int x, *p = &x; explicit_bzero(&p, sizeof p); return *p; }", &["*p"]);
    check_null("int f(void) { int x = 1, *p = &x; explicit_bzero(&x, sizeof x); if (x == 1) p = 0; return *p; }", &[]);
}

#[test]
fn values_that_are_kept_have_the_text_that_was_written() {
    let file = Scratch::new("t.c", format!("{HEADER}int x; int main(void) {{ atexit(die); return x + 1; }}"));
    let answer = json(&["flow", file.path(), "--analysis", "uninit", "--json"], 0);
    let texts: Vec<_> = answer["sites"].as_array().unwrap().iter().map(|site| site["expression"].as_str()).collect();
    assert!(texts.contains(&Some("x + 1")), "{texts:?}");
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
    assert_eq!(lines, ["     3  p = strchr(\"a\", 'x')         the result is NULL, p is NULL"], "{text}");
}

#[test]
fn the_program_is_shown_without_models() {
    let program = "char *strchr(const char *, int);\nint main(void) { return *strchr(\"a\", 'x'); }\n";
    let file = Scratch::new("t.c", program);
    let show = |stage: &str| String::from_utf8(run(&["show", file.path(), "--stage", stage]).stdout).unwrap();
    assert_eq!(show("calls").lines().collect::<Vec<_>>()[1..], ["  calls outside: strchr"]);
    assert!(!show("c").contains("nondet"));
}

#[test]
fn options_come_from_the_arguments() {
    let head = "int system(const char *); int getopt(int, char *const *, const char *); extern char *optarg;\n\
                struct option { const char *name; int has, *flag, val; };\n\
                int getopt_long(int, char *const *, const char *, const struct option *, int *);\n";
    let taints = |body: &str, failing: &[&str]| {
        check("taint", &format!("{head}int main(int c, char **v) {{ {body} return 0; }}"), failing);
    };
    taints("getopt(c, v, \"x:\"); system(optarg);", &["system(optarg)"]);
    taints("getopt_long(c, v, \"x:\", 0, 0); system(optarg);", &["system(optarg)"]);
    taints("static char *name = \"ls\"; getopt(c, v, \"x:\"); system(name);", &[]);
    // What is not there is not told apart by most programs; who tests it thinks of it.
    check_null(&format!("{head}int main(int c, char **v) {{ getopt(c, v, \"x:\"); return *optarg; }}"), &[]);
    let tests = "if (!optarg) c = 0; return *optarg;";
    check_null(&format!("{head}int main(int c, char **v) {{ getopt(c, v, \"x:\"); {tests} }}"), &["*optarg"]);
    let flags = "static int loud; int x, *p = &x; struct option table[] = {{\"loud\", 0, &loud, 1}};";
    let uses = "getopt_long(c, v, \"\", table, 0); if (loud) p = 0; return *p;";
    check_null(&format!("{head}int main(int c, char **v) {{ {flags} {uses} }}"), &["*p"]);
    check_null(&format!("{head}int main(int c, char **v) {{ {flags} if (loud) p = 0; return *p; }}"), &[]);
}

#[test]
fn the_environment_is_there_before_the_program() {
    let head = "int system(const char *); extern char **environ;\n";
    check("taint", &format!("{head}int main(void) {{ return system(environ[0]); }}"), &["system(*environ)"]);
    check("taint", &format!("{head}int run(void) {{ return system(environ[0]); }}"), &["system(*environ)"]);
    check(
        "taint",
        &format!("{head}int main(void) {{ char *own[] = {{ \"ls\" }}; return system(own[0]) + (environ != 0); }}"),
        &[],
    );
}

#[test]
fn what_failed_has_written_nothing() {
    let uninit = |body: &str, failing: &[&str]| {
        check("uninit", &format!("int f(int n) {{ {body} }}"), failing);
    };
    uninit("char *p; if (asprintf(&p, \"%d\", n) < 0) return p != 0; return 0;", &["p"]);
    uninit("char *p; if (asprintf(&p, \"%d\", n) >= 0) return p != 0; return 0;", &[]);
    uninit("unsigned k; pthread_key_create(&k, 0); return k;", &["k"]);
    uninit("unsigned k; if (pthread_key_create(&k, 0)) return 0; return k;", &[]);
    // Nearly nobody asks whether a thread was started.
    uninit("unsigned long t; pthread_create(&t, 0, (void *(*)(void *))0, 0); return pthread_join(t, 0);", &[]);
}

#[test]
fn what_cannot_be_reopened_is_closed() {
    let head = "FILE *fopen(const char *, const char *); FILE *freopen(const char *, const char *, FILE *);\n\
                int fgetc(FILE *); int fclose(FILE *); int fcloseall(void); int fflush(FILE *); int fseeko(FILE *, long, int);\n";
    let file = |body: &str, failing: &[&str]| {
        let open = "FILE *f = fopen(\"a\", \"r\"); if (!f) return 1;";
        check("file", &format!("{head}int main(void) {{ {open} {body} return 0; }}"), failing);
    };
    file("FILE *g = freopen(\"c\", \"r\", f); if (!g) fgetc(f);", &["fgetc(f)"]);
    file("FILE *g = freopen(\"c\", \"r\", f); if (g) fgetc(f);", &[]);
    file("FILE *g = freopen(\"c\", \"r\", f); if (g) fgetc(g);", &[]);
    file("fclose(f); freopen(\"c\", \"r\", f);", &["freopen(\"c\", \"r\", f)"]);
    file("fcloseall(); fgetc(f);", &["fgetc(f)"]);
    file("fclose(f); fseeko(f, 0, 0);", &["fseeko(f, 0, 0)"]);
    file("fflush(0); fseeko(f, 0, 0); fclose(f);", &[]);
}

/// Checks calls of `unlock` and the like in a program with two locks.
#[track_caller]
fn check_locks(body: &str, failing: &[&str]) {
    let declared = "typedef struct { int word; } lock; lock a, b; int mutex_trylock(lock *); void mutex_lock(lock *);
int pthread_mutex_trylock(lock *); int mutex_lock_interruptible(lock *); void mutex_unlock(lock *);
void pthread_mutex_unlock(lock *);\n";
    check("lock", &format!("{declared}{body}"), failing);
}

#[test]
fn what_a_lock_was_asked_for_says_whether_it_is_held() {
    for (ask, give) in [("!mutex_trylock", "mutex_unlock"), ("pthread_mutex_trylock", "pthread_mutex_unlock")] {
        let main = |body: &str| format!("int main(void) {{ {body} return 0; }}");
        check_locks(&main(&format!("if ({ask}(&a)) return 1; {give}(&a);")), &[]);
        check_locks(&main(&format!("if ({ask}(&a)) {give}(&a); else {give}(&a);")), &[&format!("{give}(&a)")]);
        check_locks(&main(&format!("int r = {ask}(&a); if (r == 0) {give}(&a);")), &[]);
        check_locks(&main(&format!("int r = {ask}(&a); if (r == 0) return 1;")), &["the end of main"]);
    }
    check_locks("int main(void) { if (mutex_lock_interruptible(&a)) return -4; mutex_unlock(&a); return 0; }", &[]);
    // What is called through a pointer has no model.
    let called = "int (*ask)(lock *) = mutex_trylock; int main(void) { int r = ask(&a);";
    check_locks(&format!("{called} return 0; }}"), &["the end of main"]);
}

#[test]
fn there_may_be_no_lock() {
    let both = "int work(lock *l) { if (l) mutex_lock(l); if (l) mutex_unlock(l); return 0; }
int main(int n, char **v) { work(n > 1 ? &a : 0); return work(n > 2 ? &b : 0); }";
    check_locks(both, &[]);
    check_locks(&both.replacen("if (l) mutex_unlock(l); ", "", 1), &["the end of main"]);
    let guard = "static void give(lock **l) { if (*l) mutex_unlock(*l); }
int main(int n, char **v) { lock *l __attribute__((cleanup(give))) = &a; mutex_lock(l); return n; }";
    check_locks(guard, &[]);
}
