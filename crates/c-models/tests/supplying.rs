//! Programs with models: what is called, and that they are programs.

use expect_test::{Expect, expect};
use hardbop_c_core::{Module, Target, print};

fn lower(source: &str, target: Target) -> Module {
    let (tree, found) = hardbop_lang_c::parse(source, 0);
    assert!(found.is_empty(), "{found:?}\n{source}");
    match hardbop_c_lower::lower(&tree, target) {
        Ok(lowered) => lowered.module,
        Err(found) => panic!("{found:?}\n{source}"),
    }
}

/// Supplies models to `source`, but not for `gets`.
#[track_caller]
fn supplied(source: &str, target: Target) -> Module {
    let mut module = lower(source, target);
    hardbop_c_models::supply(&mut module, &|name| name == "gets");
    if let Err(found) = hardbop_c_core::check::check(&module) {
        panic!("{found:?}\n{}", print::module(&module));
    }
    module
}

/// The names of the copies that are made, in order.
#[track_caller]
fn copies(source: &str, target: Target) -> Vec<String> {
    let module = supplied(source, target);
    module.functions.iter().filter(|row| row.is_model).map(|row| row.source_name.clone()).collect()
}

#[track_caller]
fn check(source: &str, expect: Expect) {
    expect.assert_eq(&print::module(&supplied(source, Target::Lp64)));
}

#[track_caller]
fn check_copies(source: &str, expected: &[&str]) {
    assert_eq!(copies(source, Target::Lp64), expected);
}

#[test]
fn a_copy_stands_behind_the_program() {
    check(
        "char *strchr(const char *, int);\nchar *f(char *s) { return strchr(s, 'x'); }",
        expect![[r#"
            char *strchr(const char *, int);
            char *f(char *);
            static char *strchr_1(const char *, int);
            static int __VERIFIER_nondet_int(void);
            static unsigned long __VERIFIER_nondet_size_t(void);

            char *f(char *s)
            {
              char *strchr_2;

              strchr_2 = strchr_1((const char *)s, 120);
              return strchr_2;
            }

            static char *strchr_1(const char *string, int wanted)
            {
              int __VERIFIER_nondet_int_1;
              unsigned long __VERIFIER_nondet_size_t_1;

              __VERIFIER_nondet_int_1 = __VERIFIER_nondet_int();
              if (__VERIFIER_nondet_int_1) {
                return (char *)0;
              }
              __VERIFIER_nondet_size_t_1 = __VERIFIER_nondet_size_t();
              return (char *)string + __VERIFIER_nondet_size_t_1;
            }
        "#]],
    );
}

#[test]
fn every_call_gets_its_own_copy() {
    let strchr = "char *strchr(const char *, int);\n";
    check_copies(&format!("{strchr}char *f(char *s) {{ return strchr(strchr(s, 1), 2); }}"), &["strchr", "strchr"]);
    check_copies(&format!("{strchr}char *(*f(void))(const char *, int) {{ return strchr; }}"), &[]);
}

#[test]
fn the_program_knows_better() {
    check_copies("char *strchr(const char *s, int c) { return 0; } char *f(char *s) { return strchr(s, 1); }", &[]);
    check_copies("static char *strchr(const char *, int); char *f(char *s) { return strchr(s, 1); }", &[]);
    check_copies("char *gets(char *); char *f(char *s) { return gets(s); }", &[]);
}

#[test]
fn a_call_with_other_types_keeps_what_it_calls() {
    check_copies("int *strchr(const char *, int); int *f(char *s) { return strchr(s, 1); }", &[]);
    check_copies("char *strchr(const char *); char *f(char *s) { return strchr(s); }", &[]);
    check_copies("int fopen(const char *, const char *); int f(char *s) { return fopen(s, s); }", &[]);
}

#[test]
fn qualifiers_and_missing_prototypes_do_not_matter() {
    check_copies("char *strchr(char *, int); char *f(char *s) { return strchr(s, 1); }", &["strchr"]);
    check_copies("char *strchr(); char *f(char *s) { return strchr(s, 1); }", &["strchr"]);
}

#[test]
fn a_file_is_whatever_the_program_says() {
    let source = "typedef struct mine { int n; } FILE; char *fgets(char *, int, FILE *); FILE *tmpfile(void);\n\
                  char *f(char *s) { return fgets(s, 1, tmpfile()); }";
    check_copies(source, &["tmpfile", "fgets"]);
}

#[test]
fn what_ends_the_run_does_so_without_being_declared_so() {
    let source = "void abort(void); void reach_error(void); int f(int x) { if (x) abort(); reach_error(); }";
    let module = supplied(source, Target::Lp64);
    assert!(module.functions.iter().all(|row| row.is_noreturn == (row.source_name != "f")));
    let own = supplied("void abort(void) {} int f(int x) { if (x) abort(); }", Target::Lp64);
    assert!(own.functions.iter().all(|row| !row.is_noreturn));
}

#[test]
fn what_runs_at_the_end_runs_where_main_returns() {
    let exit = "int atexit(void (*)(void)); void exit(int); void last(void);\n";
    let main = "int main(int argc, char **argv) { if (argc) exit(1); ATEXIT return 0; }";
    check_copies(
        &format!("{exit}{}", main.replace("ATEXIT", "atexit(last);")),
        &["atexit", "__run_exit_handlers", "__run_exit_handlers"],
    );
    check_copies(&format!("{exit}{}", main.replace("ATEXIT", "")), &[]);
}

#[test]
fn what_is_used_as_a_value_may_run_at_an_end_that_nobody_sees() {
    let exit = "int atexit(void (*)(void)); void exit(int); void last(void); int main(void);\n";
    for hidden in ["void (*f)(int) = exit;", "int (*f)(void (*)(void)) = atexit;", "int (*f)(void) = main;"] {
        check_copies(&format!("{exit}{hidden} int main(void) {{ atexit(last); exit(1); }}"), &[]);
    }
    check_copies(
        &format!("{exit}int again(void) {{ return main(); }} int main(void) {{ atexit(last); exit(1); }}"),
        &[],
    );
}

#[test]
fn what_does_not_return_may_exit_unless_it_is_known() {
    let main = "int atexit(void (*)(void)); void last(void); void abort(void); _Noreturn void die(int);\n\
                void main(void) { atexit(last); CALL }";
    check_copies(&main.replace("CALL", "die(1);"), &["atexit", "__run_exit_handlers", "__run_exit_handlers"]);
    check_copies(&main.replace("CALL", "abort();"), &["atexit", "__run_exit_handlers"]);
}

#[test]
fn values_are_kept_while_handlers_run_under_the_text_that_was_written() {
    let source = "int atexit(void (*)(void)); void last(void); int x;\nint main(void) { atexit(last); return x + 1; }";
    let module = supplied(source, Target::Lp64);
    assert!(module.vars.iter().any(|variable| variable.source_name == "x + 1"));
}

#[test]
fn a_thread_ends_where_its_function_does() {
    check_copies("_Noreturn void pthread_exit(void *); void *run(void *v) { pthread_exit(v); }", &["pthread_exit"]);
    let module = supplied(
        "_Noreturn void pthread_exit(void *); int pthread_create(long *, void *, void *(*)(void *), void *);\n\
         void *run(void *v) { pthread_exit(v); } void *kept(void *v) { pthread_exit(v); }\n\
         void leave(int *p) { pthread_exit(p); } void *(*start)(void *) = kept;\n\
         int main(void) { long t; pthread_create(&t, 0, run, 0); leave(0); return 1; }",
        Target::Lp64,
    );
    let text = print::module(&module);
    for (function, end) in [
        ("void *run(void *v)", "  thread_result = v_1;\n  thread_ended = 0;\n  return thread_result;\n}"),
        ("void *kept(void *v)", "  thread_result = v_1;\n  thread_ended = thread_or_part;\n  return thread_result;\n}"),
        ("void leave(int *p)", "  thread_result = p_1;\n  thread_ended = 1;\n  return;\n}"),
        ("int main(void)", "leave((int *)0);\n  if (thread_ended) {\n    thread_ended = 0;\n    return 0;\n  }"),
    ] {
        let body = text.split(&format!("\n{function}\n")).nth(1).unwrap_or_default();
        let body = &body[..body.find("\n}").map_or(0, |end| end + 2)];
        assert!(body.contains(end), "{function}\n{text}");
    }
}

/// A declaration and a call of each function, as headers have them on x86-64.
const ALL: &[(&str, &str)] = &[
    ("void __run_exit_handlers(void)", "__run_exit_handlers()"),
    ("void __run_quick_exit_handlers(void)", "__run_quick_exit_handlers()"),
    ("void __VERIFIER_assume(int)", "__VERIFIER_assume(n)"),
    ("int asprintf(char **, const char *, ...)", "asprintf(&s, t, n, s)"),
    ("int atexit(void (*)(void))", "atexit(last)"),
    ("int at_quick_exit(void (*)(void))", "at_quick_exit(last)"),
    (
        "void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *))",
        "v = bsearch(t, s, n, n, compare)",
    ),
    ("void *dlopen(const char *, int)", "v = dlopen(s, n)"),
    ("void error(int, int, const char *, ...)", "error(n, n, t, n)"),
    ("void error_at_line(int, int, const char *, unsigned, const char *, ...)", "error_at_line(n, n, t, n, t)"),
    ("FILE *fdopen(int, const char *)", "file = fdopen(n, s)"),
    ("char *fgets(char *, int, FILE *)", "s = fgets(s, n, file)"),
    ("FILE *fopen(const char *, const char *)", "file = fopen(s, t)"),
    ("FILE *fopen64(const char *, const char *)", "file = fopen64(s, t)"),
    ("FILE *freopen(const char *, const char *, FILE *)", "file = freopen(s, t, file)"),
    ("FILE *freopen64(const char *, const char *, FILE *)", "file = freopen64(s, t, file)"),
    ("char *getcwd(char *, size_t)", "s = getcwd(s, n)"),
    ("ssize_t getdelim(char **, size_t *, int, FILE *)", "n = getdelim(&s, &z, n, file)"),
    ("char *getenv(const char *)", "s = getenv(t)"),
    ("struct hostent *gethostbyname(const char *)", "v = gethostbyname(t)"),
    ("ssize_t getline(char **, size_t *, FILE *)", "n = getline(&s, &z, file)"),
    ("int getopt(int, char *const *, const char *)", "getopt(n, &s, t)"),
    ("int getopt_long(int, char *const *, const char *, const struct option *, int *)", "getopt_long(n, &s, t, 0, &n)"),
    (
        "int getopt_long_only(int, char *const *, const char *, const struct option *, int *)",
        "getopt_long_only(n, &s, t, 0, 0)",
    ),
    ("struct passwd *getpwnam(const char *)", "v = getpwnam(t)"),
    ("struct passwd *getpwuid(unsigned)", "v = getpwuid(n)"),
    ("struct tm *gmtime(const long *)", "v = gmtime(&time)"),
    ("struct tm *gmtime_r(const long *, struct tm *)", "v = gmtime_r(&time, v)"),
    ("char *index(const char *, int)", "s = index(t, n)"),
    ("struct tm *localtime(const long *)", "v = localtime(&time)"),
    ("struct tm *localtime_r(const long *, struct tm *)", "v = localtime_r(&time, v)"),
    ("void *memchr(const void *, int, size_t)", "v = memchr(t, n, n)"),
    ("void *memmem(const void *, size_t, const void *, size_t)", "v = memmem(t, n, t, n)"),
    ("void *memrchr(const void *, int, size_t)", "v = memrchr(t, n, n)"),
    ("int on_exit(void (*)(int, void *), void *)", "on_exit(last_with, v)"),
    ("struct dir *opendir(const char *)", "v = opendir(t)"),
    ("FILE *popen(const char *, const char *)", "file = popen(t, t)"),
    (
        "int pthread_create(unsigned long *, const union attributes *, void *(*)(void *), void *)",
        "pthread_create(&thread, 0, run, v)",
    ),
    ("void pthread_exit(void *)", "pthread_exit(v)"),
    ("void *pthread_getspecific(unsigned)", "v = pthread_getspecific(n)"),
    ("int pthread_join(unsigned long, void **)", "pthread_join(thread, &v)"),
    ("int pthread_key_create(unsigned *, void (*)(void *))", "pthread_key_create(&key, destroy)"),
    ("int pthread_setspecific(unsigned, const void *)", "pthread_setspecific(n, v)"),
    ("void qsort(void *, size_t, size_t, int (*)(const void *, const void *))", "qsort(s, n, n, compare)"),
    (
        "void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *)",
        "qsort_r(s, n, n, compare_with, s)",
    ),
    ("void *rawmemchr(const void *, int)", "v = rawmemchr(t, n)"),
    ("struct dirent *readdir(struct dir *)", "v = readdir(v)"),
    ("char *realpath(const char *, char *)", "s = realpath(t, s)"),
    ("char *rindex(const char *, int)", "s = rindex(t, n)"),
    ("char *secure_getenv(const char *)", "s = secure_getenv(t)"),
    ("char *setlocale(int, const char *)", "s = setlocale(n, t)"),
    ("char *stpcpy(char *, const char *)", "s = stpcpy(s, t)"),
    ("char *stpncpy(char *, const char *, size_t)", "s = stpncpy(s, t, n)"),
    ("char *strcasestr(const char *, const char *)", "s = strcasestr(t, t)"),
    ("char *strcat(char *, const char *)", "s = strcat(s, t)"),
    ("char *strchr(const char *, int)", "s = strchr(t, n)"),
    ("char *strchrnul(const char *, int)", "s = strchrnul(t, n)"),
    ("char *strcpy(char *, const char *)", "s = strcpy(s, t)"),
    ("char *strdup(const char *)", "s = strdup(t)"),
    ("char *strerror(int)", "s = strerror(n)"),
    ("char *strncat(char *, const char *, size_t)", "s = strncat(s, t, n)"),
    ("char *strncpy(char *, const char *, size_t)", "s = strncpy(s, t, n)"),
    ("char *strndup(const char *, size_t)", "s = strndup(t, n)"),
    ("char *strpbrk(const char *, const char *)", "s = strpbrk(t, t)"),
    ("char *strrchr(const char *, int)", "s = strrchr(t, n)"),
    ("char *strsep(char **, const char *)", "s = strsep(&s, t)"),
    ("char *strstr(const char *, const char *)", "s = strstr(t, t)"),
    ("double strtod(const char *, char **)", "strtod(t, &s)"),
    ("float strtof(const char *, char **)", "strtof(t, &s)"),
    ("char *strtok(char *, const char *)", "s = strtok(s, t)"),
    ("char *strtok_r(char *, const char *, char **)", "s = strtok_r(s, t, &s)"),
    ("long strtol(const char *, char **, int)", "strtol(t, &s, n)"),
    ("long double strtold(const char *, char **)", "strtold(t, &s)"),
    ("long long strtoll(const char *, char **, int)", "strtoll(t, &s, n)"),
    ("unsigned long strtoul(const char *, char **, int)", "strtoul(t, &s, n)"),
    ("unsigned long long strtoull(const char *, char **, int)", "strtoull(t, &s, n)"),
    ("int thrd_create(unsigned long *, int (*)(void *), void *)", "thrd_create(&thread, run_number, v)"),
    ("void thrd_exit(int)", "thrd_exit(n)"),
    ("int thrd_join(unsigned long, int *)", "thrd_join(thread, &n)"),
    ("FILE *tmpfile(void)", "file = tmpfile()"),
    ("char *tmpnam(char *)", "s = tmpnam(s)"),
    ("int tss_create(unsigned *, void (*)(void *))", "tss_create(&key, destroy)"),
    ("void *tss_get(unsigned)", "v = tss_get(n)"),
    ("int tss_set(unsigned, void *)", "tss_set(n, v)"),
    ("char *ttyname(int)", "s = ttyname(n)"),
    ("int vasprintf(char **, const char *, __builtin_va_list)", "vasprintf(&s, t, list)"),
    ("wchar_t *wcscat(wchar_t *, const wchar_t *)", "w = wcscat(w, w)"),
    ("wchar_t *wcschr(const wchar_t *, wchar_t)", "w = wcschr(w, n)"),
    ("wchar_t *wcscpy(wchar_t *, const wchar_t *)", "w = wcscpy(w, w)"),
    ("wchar_t *wcsdup(const wchar_t *)", "w = wcsdup(w)"),
    ("wchar_t *wcsrchr(const wchar_t *, wchar_t)", "w = wcsrchr(w, n)"),
    ("wchar_t *wcsstr(const wchar_t *, const wchar_t *)", "w = wcsstr(w, w)"),
    ("int mtx_timedlock(struct lock *, const struct timespec *)", "mtx_timedlock(v, v)"),
    ("int mtx_trylock(struct lock *)", "mtx_trylock(v)"),
    ("int *__errno_location(void)", "__errno_location()"),
    ("int *__h_errno_location(void)", "__h_errno_location()"),
    ("const unsigned short **__ctype_b_loc(void)", "__ctype_b_loc()"),
    ("const int **__ctype_tolower_loc(void)", "__ctype_tolower_loc()"),
    ("const int **__ctype_toupper_loc(void)", "__ctype_toupper_loc()"),
    ("int mutex_lock_interruptible(struct lock *)", "mutex_lock_interruptible(v)"),
    ("int mutex_lock_killable(struct lock *)", "mutex_lock_killable(v)"),
    ("int mutex_trylock(struct lock *)", "mutex_trylock(v)"),
    ("int pthread_mutex_clocklock(struct lock *, int, const struct timespec *)", "pthread_mutex_clocklock(v, n, v)"),
    ("int pthread_mutex_timedlock(struct lock *, const struct timespec *)", "pthread_mutex_timedlock(v, v)"),
    ("int pthread_mutex_trylock(struct lock *)", "pthread_mutex_trylock(v)"),
    ("int pthread_spin_trylock(volatile int *)", "pthread_spin_trylock(v)"),
    ("int raw_spin_trylock(struct lock *)", "raw_spin_trylock(v)"),
    ("int spin_trylock(struct lock *)", "spin_trylock(v)"),
    ("int spin_trylock_bh(struct lock *)", "spin_trylock_bh(v)"),
    ("int spin_trylock_irq(struct lock *)", "spin_trylock_irq(v)"),
];

#[test]
fn every_model_serves_a_program() {
    for target in [Target::Lp64, Target::Ilp32] {
        let mut source = String::from(
            "typedef __typeof__(sizeof 0) size_t; typedef __typeof__((char *)0 - (char *)0) ssize_t;\n\
             typedef __typeof__(L' ') wchar_t; typedef struct _IO_FILE { int n; } FILE;\n\
             void last(void); int compare(const void *, const void *);\n\
             int compare_with(const void *, const void *, void *); void last_with(int, void *);\n\
             struct option { const char *name; int has, *flag, val; }; struct lock; struct timespec;\n\
             void *run(void *); int run_number(void *); void destroy(void *); unsigned long thread; unsigned key;\n",
        );
        ALL.iter().for_each(|(declaration, _)| source += &format!("{declaration};\n"));
        source += "void all(char *s, const char *t, void *v, FILE *file, int n, size_t z, long time, wchar_t *w, ...)\n\
                   {\n__builtin_va_list list; __builtin_va_start(list, w);\n";
        ALL.iter().for_each(|(_, call)| source += &format!("{call};\n"));
        source += "}\n";
        let mut expected = hardbop_c_models::names();
        expected.retain(|name| name != "gets" && name != "__set_environ");
        let mut made = copies(&source, target);
        made.sort();
        // What ends the run runs handlers first.
        made.dedup();
        assert_eq!(made, expected, "{target:?}");
    }
}

#[test]
fn a_variable_that_a_model_declares_is_the_programs() {
    let module = supplied(
        "int getopt(int, char *const *, const char *); extern char *optarg; static int optind;\n\
         int f(char **v) { return getopt(1, v, \"x\") + (optarg != 0) + optind; }",
        Target::Lp64,
    );
    let count = |name: &str| module.vars.iter().filter(|row| row.source_name == name).count();
    assert_eq!([count("optarg"), count("optind"), count("optopt")], [1, 2, 1]);
}

#[test]
fn the_environment_is_set_for_who_asks() {
    let setters = |source: &str, is_asked: bool| {
        let mut module = lower(source, Target::Lp64);
        hardbop_c_models::supply(&mut module, &|name| is_asked && name == "__environment");
        hardbop_c_core::check::check(&module).unwrap();
        module.functions.iter().filter(|row| row.is_constructor).count()
    };
    let source = "extern char **environ; char *f(void) { return environ[0]; }";
    assert_eq!(setters(source, true), 1);
    assert_eq!(setters(source, false), 0);
    assert_eq!(setters("extern char **environ; char *f(void) { return 0; }", true), 0);
}
