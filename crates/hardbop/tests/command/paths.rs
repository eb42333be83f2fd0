//! Paths of `hardbop flow`: what is shown explains the failure.

use crate::{Scratch, check as check_output, json, run};
use expect_test::{Expect, expect};
use serde_json::Value;

/// Checks the lines of all paths, and that in JSON the same is said.
#[track_caller]
fn check_with(analysis: &str, program: &str, options: &[&str], expect: Expect) {
    let file = Scratch::new("t.c", program);
    let args = [&["flow", file.path(), "--analysis", analysis], options].concat();
    let output = run(&args);
    let text = String::from_utf8(output.stdout).unwrap();
    let paths = text.lines().skip_while(|line| !line.contains("what is so then"));
    let paths: Vec<&str> = paths.take_while(|line| !line.is_empty()).skip(1).collect();
    let margin = paths.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let shown: String = paths.iter().map(|line| format!("{}\n", &line[margin..])).collect();
    expect.assert_eq(&shown);
    let answer: Value = serde_json::from_slice(&run(&[&args[..], &["--json"]].concat()).stdout).unwrap();
    let failing = answer["sites"].as_array().unwrap().iter().find(|site| site["status"] == "may-fail").unwrap();
    for (step, line) in failing["trace"].as_array().unwrap().iter().zip(&paths) {
        assert!(line.contains(step["statement"].as_str().unwrap()), "{line}: {step}");
        for change in step["changes"].as_array().unwrap() {
            assert!(line.contains(change.as_str().unwrap()), "{line}: {step}");
        }
    }
}

#[track_caller]
fn check(analysis: &str, program: &str, expect: Expect) {
    check_with(analysis, program, &[], expect);
}

#[test]
fn the_source_of_taint_is_in_the_path() {
    check(
        "taint",
        "struct file; struct file *in; char *fgets(char *, int, struct file *); int system(const char *);\n\
         int main(void) {\n  char buf[100];\n  if (!fgets(buf, 100, in)) return 1;\n  system(buf);\n  return 0;\n}\n",
        expect![[r#"
            2  main is called from outside
            4  fgets(buf, 100, in)               buf comes from outside
            4  if !fgets(buf, 100, in) is false
            5  system(buf)                       <- may fail
        "#]],
    );
}

#[test]
fn a_copy_of_what_may_be_tainted_is_in_the_path() {
    check(
        "taint",
        "char *getenv(const char *); char *strcpy(char *, const char *); int system(const char *);\n\
         static void run(const char *c) { system(c); }\n\
         int main(int argc, char **argv) {\n  char b[50];\n  char *s = getenv(\"X\");\n  if (!s) s = \"ls\";\n  \
         strcpy(b, s);\n  if (argc > 1) strcpy(b, \"date\");\n  run(b);\n  return 0;\n}\n",
        expect![[r#"
            3  main is called from outside
            5  s = getenv("X")              memory of the library comes from outside
            6  if !s is false
            7  strcpy(b, s)                 b comes from outside
            8  if argc > 1 is false
            9  run(b)
            2    system(c)                  <- may fail
        "#]],
    );
}

const FREED: &str = "analysis freed \"f\"\nvar p, q : pointer\nvar e : expression\n\
    fact freed(p) \"{p} has been freed\", \"{p} has not been freed\"\ninitially freed(p) := false for p in globals\n\
    on p = q: freed(p) := freed(q)\non p = malloc(...): freed(p) := false\non p = e: freed(p) := *\n\
    on free(p): freed(p) := true\nat *p: require !freed(p) \"`{p}` may have been freed\"\n";

#[test]
fn what_frees_is_in_the_path() {
    let analysis = Scratch::new("freed.flow", FREED);
    check(
        analysis.path(),
        "void *malloc(unsigned long); void free(void *);\nstruct list { struct list *next; };\n\
         void drop(struct list *l) {\n  while (l) {\n    free(l);\n    l = l->next;\n  }\n}\n\
         int main(void) {\n  struct list *l = malloc(sizeof *l);\n  if (!l) return 1;\n  drop(l);\n  return 0;\n}\n",
        expect![[r#"
                 9  main is called from outside
                11  if !l is false
                12  drop(l)
                 4    if l is true
                 5    free(l)                    l has been freed
                 6    l->next                    <- may fail
        "#]],
    );
}

#[test]
fn what_is_the_same_in_every_run_is_in_the_path() {
    check(
        "null",
        "int x;\nint main(int argc, char **argv) {\n  int *p = 0;\n  if (argc > 1) x = 3;\n  *p = x;\n  return 0;\n}\n",
        expect![[r#"
            2  main is called from outside
            3  p = 0                        p is NULL
            4  if argc > 1 is false
            5  *p                           <- may fail
        "#]],
    );
    check(
        "null",
        "static int *gp;\nint main(void) {\n  *gp = 1;\n  return 0;\n}\n",
        expect![[r#"
                 2  main is called from outside  gp is NULL
                 3  *gp                          <- may fail
        "#]],
    );
}

#[test]
fn what_a_callee_does_is_in_the_path() {
    let program = "int *g;\nvoid set(int **q) { *q = 0; }\n\
                   int main(void) {\n  int x;\n  g = &x;\n  set(&g);\n  *g = 2;\n  return 0;\n}\n";
    check(
        "null",
        program,
        expect![[r#"
                 3  main is called from outside
                 6  set(&g)
                 2    *q = 0                     g is NULL
                 7  *g                           <- may fail
        "#]],
    );
    check_with(
        "null",
        program,
        &["--unfold", "0"],
        expect![[r#"
                 3  main is called from outside
                 6  set(&g)  (returns)           g is NULL
                 7  *g                           <- may fail
              some calls are folded to keep this short; --unfold all shows them
        "#]],
    );
    check_with(
        "null",
        program,
        &["--precision", "procedure"],
        expect![[r#"
            3  main is called from outside
            6  set(&g)
            2    *q = 0                     g is NULL
            7  *g                           <- may fail
        "#]],
    );
}

#[test]
fn what_does_not_matter_is_not_in_the_path() {
    check(
        "null",
        "int main(void) {\n  int x, *p = &x, *q = &x;\n  q = p;\n  p = 0;\n  p = q;\n  q = 0;\n  *p = 1;\n  return *q;\n}\n",
        expect![[r#"
                 1  main is called from outside
                 6  q = 0                        q is NULL
                 8  *q                           <- may fail
        "#]],
    );
}

#[test]
fn code_outside_that_does_nothing_of_note_is_not_in_the_path() {
    let program = "void unknown(void (*)(void));\nstatic int *h, n;\nstatic void on(void) { if (n) n = 2; }\n\
                   static void off(void) { h = 0; }\n\
                   int f(int *q) {\n  unknown(on);\n  if (q) n++;\n  return *q;\n}\n";
    check(
        "null",
        program,
        expect![[r#"
                 5  f is called from outside  q is NULL
                 7  if q is false
                 8  *q                        <- may fail
        "#]],
    );
    let program = program.replace("unknown(on)", "h = &n;\n  unknown(off)").replace("*q;", "q ? *h : 0;");
    check(
        "null",
        &program,
        expect![[r#"
                 5  f is called from outside      q is not NULL
                 7  code outside calls back
                 4    off is called from outside
                 4      h = 0                     h is NULL
                 8  if q is true
                 9  if q is true
                 9  *h                            <- may fail
        "#]],
    );
}

#[test]
fn the_only_value_of_a_range_is_said() {
    check(
        "null",
        "unsigned g;\nint f(int *q, unsigned k) {\n  g = k;\n  if (g < 1) q = 0;\n  return *q;\n}\n",
        expect![[r#"
                 2  f is called from outside  k = 0
                 3  g = k                     g = 0
                 4  if g < 1 is true
                 4  q = 0                     q is NULL
                 5  *q                        <- may fail
        "#]],
    );
}

#[test]
fn what_was_so_before_is_not_brought_about() {
    let program = "struct dev { int l; struct dev *next; };\nvoid mutex_lock(int *), mutex_unlock(int *);\n\
                   int f(struct dev *d) { mutex_lock(&d->l); d = d->next; mutex_unlock(&d->l); return 0; }\n";
    let file = Scratch::new("t.c", program);
    let output = run(&["flow", file.path(), "--analysis", "lock", "--unfold", "all"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("mutex_lock(&d->l)"), "{printed}");
    assert!(!printed.lines().any(|line| line.contains("unlock") && line.ends_with("is held")), "{printed}");
}

#[test]
fn what_is_not_modelled_is_marked() {
    let program = "typedef long jmp_buf[25];\nint _setjmp(jmp_buf);\nstatic jmp_buf j;\n\
                   int main(void) {\n  int x = 0;\n  int *h = &x;\n  if (_setjmp(j)) return 1;\n  *h = 1;\n  h = 0;\n  return 0;\n}\n";
    check(
        "null",
        program,
        expect![[r#"
            4  main is called from outside
            7  _setjmp(j)                   nothing is known after this
            7  if _setjmp(j) is false
            8  *h                           <- may fail
        "#]],
    );
    let file = Scratch::new("t.c", program);
    let output = run(&["flow", file.path(), "--analysis", "null"]);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(printed.matches("warning[not-modelled]").count(), 1, "{printed}");
    assert!(printed.contains("t.c:7:7"), "{printed}");
    let answer = json(&["flow", file.path(), "--analysis", "null", "--json"], 1);
    assert_eq!(answer["warnings"][0]["code"], "not-modelled");
    check_wide(
        "static int f(unsigned __int128 a, __int128 b) { __int128 c; return __builtin_mul_overflow(a, b, &c); }",
    );
}

/// Checks that something in a function is not modelled.
#[track_caller]
fn check_wide(function: &str) {
    let file =
        Scratch::new("t.c", format!("{function}\nint main(void) {{ int x, *p = &x; *p = f(1, 2); return 0; }}\n"));
    let output = run(&["flow", file.path(), "--analysis", "null"]);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("warning[not-modelled]: arithmetic wider than 128 bits is not modelled"), "{printed}");
}

#[test]
fn alarms_say_which_precision_found_them() {
    // Whenever `p` is NULL, `c` is 0.
    let program = "int x;\nstatic int f(int *p, int c) {\n  if (c) return *p;\n  return 0;\n}\n\
                   int main(int c, char **v) {\n  int *p = 0;\n  if (c) p = &x;\n  return f(p, c);\n}\n";
    let file = Scratch::new("t.c", program);
    let printed = |precision: &str| {
        let output = run(&["flow", file.path(), "--analysis", "null", "--precision", precision]);
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!printed("auto").contains("precision"));
    for (precision, remark) in [
        ("flow", "  no path is known: facts were looked at one by one (precision `flow`)\n"),
        ("procedure", "  found in this function alone (precision `procedure`): its callers may rule it out\n"),
        ("projections=1", "  found with groups of 1 fact (precision `projections=1`): others may rule it out\n"),
    ] {
        let (printed, name) = (printed(precision), precision);
        assert!(printed.contains(remark), "{printed}");
        let summary = format!("\n1 alarm was found with less than precision `path`: with `{name}`\nmay fail: ");
        assert!(printed.contains(&summary), "{printed}");
    }
}

#[test]
fn what_code_outside_has_put_somewhere_is_said_in_words() {
    let file = Scratch::new("t.c", "int main(int c, char **v) {\n  return v[c - 1][0];\n}\n");
    check_output(
        &["flow", file.path(), "--analysis", "null"],
        0,
        expect![[r#"
            1 place is safe if:
              *v != NULL where code outside has put it  (1 place)

            2 of 2 places are safe, 1 of them if what is listed above is so
            safe: 2 places, 1 under assumptions (null, from main, LP64; values from outside are fine unless tested, undefined functions write what they can reach)
        "#]],
    );
}

#[test]
fn what_code_outside_does_has_the_place_of_its_call() {
    check(
        "null",
        "void elsewhere(void);\nvoid (*signal(int, void (*)(int)))(int);\nint x, *p = &x;\n\
         static void own(int n) { x = 1; }\nint main(void) {\n  signal(2, own);\n  if (!p) elsewhere();\n  return *p;\n}\n",
        expect![[r#"
            5  main is called from outside
            6  code outside calls back
            6    code outside does anything  p is NULL
            7  if !p is true
            7  elsewhere()                   p is NULL
            8  *p                            <- may fail
        "#]],
    );
}

#[test]
fn a_branch_that_does_not_matter_is_not_taken() {
    check(
        "null",
        "int main(int argc, char **argv) {\n  int *p = 0;\n  if (argc > 1)\n    argc = 1;\n  if (argc > 2) ;\n  else argc = 3;\n\
         \n  return *p;\n}\n",
        expect![[r#"
            1  main is called from outside
            2  p = 0                        p is NULL
            3  if argc > 1 is false
            5  if argc > 2 is false
            8  *p                           <- may fail
        "#]],
    );
}

#[test]
fn what_does_not_happen_one_after_another_is_warned_of() {
    let program = "#include <pthread.h>\n#include <signal.h>\nstatic void *work(void *a) { return a; }\n\
                   static void stop(int n) {}\nint main(void) {\n  pthread_t t;\n  int x, *p = &x;\n\
                   pthread_create(&t, 0, work, 0);\n  signal(SIGINT, stop);\n  return *p;\n}\n";
    let file = Scratch::new("t.c", program);
    let answer = json(&["flow", file.path(), "--analysis", "null", "--json"], 0);
    let told: Vec<_> = answer["warnings"].as_array().unwrap().iter().collect();
    let lines: Vec<_> =
        told.iter().map(|told| (told["code"].as_str().unwrap(), told["line"].as_u64().unwrap())).collect();
    assert_eq!(lines, [("one-at-a-time", 8), ("one-at-a-time", 9)], "{answer}");
    // A function of the program's own is no thread because of its name.
    let own = "int pthread_create(int n) { return n; }\nint main(void) { int *p = 0; pthread_create(1); return !p; }\n";
    let file = Scratch::new("t.c", own);
    assert_eq!(
        json(&["flow", file.path(), "--analysis", "null", "--json"], 0)["warnings"].as_array().unwrap().len(),
        0
    );
}

#[test]
fn functions_of_system_headers_know_nothing_of_a_program() {
    let program = |declaration: &str, call: &str| {
        format!("{declaration}\nint x, *p = &x;\nint main(void) {{\n  {call};\n  if (!p) x = 1;\n  return *p;\n}}\n")
    };
    for (declaration, call, code) in
        [("#include <dirent.h>", "seekdir(0, 0)", 0), ("void seekdirs(void *, int);", "seekdirs(0, 0)", 1)]
    {
        let file = Scratch::new("t.c", program(declaration, call));
        json(&["flow", file.path(), "--analysis", "null", "--json"], code);
    }
}

#[test]
fn a_number_that_is_not_followed_any_further_is_in_the_path() {
    check(
        "null",
        "int x;\nint scanf(const char *, ...);\nint main(int argc, char **argv) {\n  int n = 7, *p = 0;\n  \
         if (argc > 5) n = argc * 3;\n  if (n == 7) scanf(\"%d\", &n);\n  if (n == 7 || n == 2) p = &x;\n  return *p;\n}\n",
        expect![[r#"
            3  main is called from outside
            4  n = 7                        n = 7
            4  p = 0                        p is NULL
            5  if argc > 5 is false
            6  if n == 7 is true
            6  scanf("%d", &n)              n may be anything
            7  if n == 7 is false
            7  if n == 2 is false
            8  *p                           <- may fail
        "#]],
    );
}

#[test]
fn what_a_pointer_calls_is_named_and_old_values_are_not_shown_as_new() {
    check(
        "null",
        "int x;\nstatic void one(int **p) { *p = &x; }\nstatic void two(int **p) { *p = 0; }\n\
         static void (*const table[])(int **) = { one, two };\nstatic void use(int n) {\n  int *p = &x;\n  \
         while (n > 1)\n    if (n-- == 2)\n      table[n](&p);\n  *p = 1;\n}\nint main(void) {\n  use(2);\n  return 0;\n}\n",
        expect![[r#"
            12  main is called from outside
            13  use(2)                       n = 2
             7    if n > 1 is true
             8    n--                        n = 1
             8    if n-- == 2 is true
             9    table[n](&p) calls two
             3      *p = 0                   p is NULL
             7    if n > 1 is false
            10    *p                         <- may fail
        "#]],
    );
}

#[test]
fn a_case_that_is_a_macro_is_what_it_compares() {
    check(
        "null",
        "#define ONE 1\n#define TWO (2 | (1 << 4))\nint x;\nint f(int tag, int *p) {\n  switch (tag) {\n  case ONE: return 0;\n  \
         case TWO: return p ? 1 : *p;\n  default: return 2;\n  }\n}\n",
        expect![[r#"
            4  f is called from outside  tag = 18, p is NULL
            6  if tag == ONE is false
            7  if tag == TWO is true
            7  if p is false
            7  *p                        <- may fail
        "#]],
    );
}
