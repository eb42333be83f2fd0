//! How paths of `hardbop flow` read: in the words of the source, in few columns.

use crate::{Scratch, json, run};
use expect_test::{Expect, expect};

/// The lines of all paths in what is printed about `files`, each behind a bar, so that blanks before them count.
fn paths(analysis: &str, files: &[&str]) -> String {
    let printed = run(&[&["flow", "--analysis", analysis], files].concat());
    let text = String::from_utf8(printed.stdout).unwrap();
    let is_other = |line: &str| line.contains("what is so then") || line.contains("-->") || line.contains('|');
    let is_step = |line: &&str| line.starts_with("  ") && !is_other(line);
    text.lines().filter(is_step).map(|line| format!("|{line}\n")).collect()
}

#[track_caller]
fn check(analysis: &str, program: &str, expect: Expect) {
    let file = Scratch::new("t.c", program);
    expect.assert_eq(&paths(analysis, &[file.path()]));
}

#[test]
fn another_file_is_called_by_its_last_part() {
    let first =
        Scratch::new("first.c", "int *find(int n) {\n  if (n > 3)\n    return 0;\n  static int x;\n  return &x;\n}\n");
    let second = Scratch::new(
        "second.c",
        "int *find(int n);\nint main(int c, char **v) {\n  int *p = find(c);\n  return *p;\n}\n",
    );
    let shown = paths("null", &[first.path(), second.path()]);
    expect![[r#"
        |          2  main is called from outside
        |          3  find(c)
        |  first.c:2    if n > 3 is true
        |  first.c:3    return 0;                  find() is NULL
        |          3  p = find(c)                  p is NULL
        |          4  *p                           <- may fail
    "#]]
    .assert_eq(&shown);
}

#[test]
fn what_the_library_calls_is_shown_if_it_matters() {
    let program = |body: &str| {
        format!(
            "#include <stdlib.h>\nstatic int one, *g = &one, *h;\nstatic int cmp(const void *a, const void *b)\n{{\n  {body}\n  \
             return 0;\n}}\nint main(void)\n{{\n  int v[4] = {{ 3, 1, 4, 1 }};\n  qsort(v, 4, sizeof *v, cmp);\n  \
             return *g + *h;\n}}\n"
        )
    };
    check(
        "null",
        &program("g = NULL;"),
        expect![[r#"
            |     8  main is called from outside
            |    11  qsort(v, 4, sizeof *v, cmp)
            |    11    qsort calls cmp
            |     5      g = NULL                 g is NULL
            |     6      return 0;
            |    12  *g                           <- may fail
            |     8  main is called from outside  h is NULL
            |    12  *h                           <- may fail
        "#]],
    );
    // Here it is another pointer that is NULL from the start.
    check(
        "null",
        &program("if (*(int *)a > 3) one = 1;"),
        expect![[r#"
            |     8  main is called from outside  h is NULL
            |    12  *h                           <- may fail
        "#]],
    );
}

#[test]
fn conditions_read_as_they_are_written() {
    check(
        "null",
        "#define OPEN 31153\n#define WRITING(s) ((s)->mode == OPEN)\n#define NULL ((void *)0)\nint next(void);\n\
         struct s { int mode, err; };\nint f(struct s *s, char c, int n)\n{\n  int *p = NULL;\n  switch (c) {\n  \
         case '(': return 1;\n  case 'a' ... 'z': return 2;\n  }\n  if (s->mode != OPEN || s->err != OPEN + 1) return 3;\n  \
         if (!WRITING(s)) return 4;\n  while (n != '\\n') n = next();\n  \
         if (next() == 'x' && p == NULL) return *p;\n  return 0;\n}\n",
        expect![[r#"
            |     6  f is called from outside        c < 40, s is not NULL, s->mode = 31153, s->err = 31154,
            |                                        n = 10
            |     8  p = NULL                        p is NULL
            |     9  c                               c < 40
            |    10  if c == '(' is false
            |    11  if c >= 97 is false
            |    13  if s->mode != OPEN is false
            |    13  if s->err != OPEN + 1 is false
            |    14  if !WRITING(s) is false
            |    15  if n != '\n' is false
            |    16  next()                          next() = 120
            |    16  if next() == 'x' is true
            |    16  if p == NULL is true
            |    16  *p                              <- may fail
            |  s != NULL at the entry of f  (1 place)
        "#]],
    );
}

#[test]
fn many_changes_stand_below_each_other() {
    check(
        "null",
        "struct state { int *first_member, *second_member, *third_member; };\n\
         int the_function(struct state *the_first_state, struct state *the_second_state)\n{\n  \
         if (!the_first_state || !the_second_state) return 0;\n  \
         if (!the_first_state->first_member || !the_first_state->second_member || the_second_state->third_member) return 1;\n  \
         return *the_second_state->third_member;\n}\n",
        expect![[r#"
            |     2  the_function is called from outside          some state.first_member is not NULL,
            |                                                     some state.second_member is not NULL,
            |                                                     some state.third_member is NULL,
            |                                                     the_first_state is not NULL,
            |                                                     the_second_state is not NULL,
            |                                                     the_first_state->first_member is not NULL,
            |                                                     the_first_state->second_member is not NULL,
            |                                                     the_second_state->third_member is NULL
            |     4  if !the_first_state is false
            |     4  if !the_second_state is false
            |     5  if !the_first_state->first_member is false
            |     5  if !the_first_state->second_member is false
            |     5  if the_second_state->third_member is false
            |     6  *the_second_state->third_member              the_second_state->third_member is NULL
            |     6  *the_second_state->third_member              <- may fail
        "#]],
    );
}

#[test]
fn who_asks_and_does_nothing_expects_both() {
    let failing = |test: &str| {
        let file = Scratch::new("t.c", format!("int f(int *p) {{\n  {test}\n  return *p;\n}}\n"));
        run(&["flow", "--analysis", "null", file.path()]).status.code()
    };
    assert_eq!(["if (p) {}", "if (!p) {}", "if (!p) ; else {}", "p ? 0 : 0;"].map(failing), [Some(1); 4]);
    assert_eq!(["", "(void)p;", "if (p == p + 1) {}"].map(failing), [Some(0); 3]);
}

#[test]
fn a_function_that_is_not_there_is_warned_about() {
    let program = Scratch::new("t.c", "int *g;\nvoid quit(void) {}\nint main(void) { quit(); return 0; }\n");
    let warned = |function: &str| {
        let text = format!(
            "analysis mine \"x\"\nvar p : pointer\nfact null(p) \"{{p}} is NULL\"\non p = NULL: null(p) := true\n\
             at exit of {function}: require all !null(p) for p in globals \"x\"\n"
        );
        let analysis = Scratch::new("mine.flow", text);
        let printed = run(&["flow", "--analysis", analysis.path(), program.path()]).stderr;
        let printed = String::from_utf8(printed).unwrap();
        printed.lines().find(|line| line.starts_with("warning")).map(str::to_owned)
    };
    let expected = "warning[unknown-function]: there is no function `qui` with a body; did you mean `quit`?";
    assert_eq!(warned("qui").as_deref(), Some(expected));
    assert_eq!(warned("quit"), None);
}

#[test]
fn a_misspelt_function_is_warned_about_and_what_a_program_does_without_is_not() {
    let program =
        Scratch::new("t.c", "int take_lock(int);\nvoid quit(void) {}\nint main(void) { return take_lock(3); }\n");
    let warned = |pattern: &str| {
        let text = format!(
            "analysis mine \"x\"\nfact held() \"held\", \"free\"\ninitially held() := false\non {pattern}(...): held() := true\n\
             at {pattern}(...): require !held() \"x\"\n"
        );
        let analysis = Scratch::new("mine.flow", text);
        let printed = String::from_utf8(run(&["flow", "--analysis", analysis.path(), program.path()]).stderr).unwrap();
        printed.lines().filter(|line| line.starts_with("warning[u")).map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = "warning[unknown-function]: the program has no function `take_lokc`; did you mean `take_lock`?";
    assert_eq!(warned("take_lokc"), [expected]);
    assert_eq!(warned("{take_lock, take_lokc}"), [""; 0]);
    assert_eq!(warned("take_lok*"), [""; 0]);
    assert_eq!(warned("give_back"), [""; 0]);
    assert_eq!(warned("take_lock"), [""; 0]);
}

#[test]
fn nothing_is_assumed_of_a_number_that_moves_a_pointer() {
    let program =
        "long strtol(const char *, char **, int);\nint f(const char *s) { char *e; strtol(s, &e, 10); return *e; }\n";
    let file = Scratch::new("t.c", program);
    let answer = json(&["flow", file.path(), "--analysis", "null", "--json"], 0);
    for site in answer["sites"].as_array().unwrap() {
        assert_eq!(site["assumes"].to_string(), r#"["s != NULL at the entry of f"]"#);
    }
}
