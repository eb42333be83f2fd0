//! Analyses of C programs as a user asks for them: `flow`, `show --stage facts`, `show --stage bp`, `init`.

use crate::{Scratch, check, json, run};
use expect_test::{Expect, expect};
use serde_json::Value;

/// Checks that a call is wrong, and that what is said about it contains each of `messages`.
#[track_caller]
fn check_wrong(args: &[&str], messages: &[&str]) {
    let output = run(args);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(output.stdout.is_empty());
    for message in messages {
        assert!(printed.contains(message), "{printed}");
    }
}

#[test]
fn an_unknown_analysis_lists_those_that_are_shipped() {
    check(
        &["flow", "examples/list.c", "--analysis", "nul"],
        2,
        expect![[r#"
            error[unknown-analysis]: there is no analysis `nul`; did you mean `null`?
             |
             = help: shipped are `available`, `file`, `live`, `lock`, `null`, `reaching`, `taint`, `uninit`; the name of your own ends in `.flow`

            aborting due to 1 error; `hardbop explain unknown-analysis` says more
        "#]],
    );
    check_wrong(&["flow", "examples/list.c", "--analysis", "nowhere.flow"], &["file-not-found"]);
    check_wrong(&["flow", "examples/list.c"], &["--analysis"]);
}

#[test]
fn an_analysis_that_requires_nothing_is_refused() {
    for name in ["live", "reaching", "available"] {
        check_wrong(&["flow", "examples/list.c", "--analysis", name], &["nothing-required", "--stage facts"]);
    }
}

#[test]
fn what_is_wrong_with_an_analysis_is_shown_in_it() {
    let file = Scratch::new("mine.flow", "analysis mine \"m\"\nvar p : pointer\nfact f(p)\non p = : f(p) := true\n");
    check_wrong(&["flow", "examples/list.c", "--analysis", file.path()], &["error[syntax]", "mine.flow:4:8"]);
}

#[test]
fn what_does_not_fit_is_said() {
    let null = ["--analysis", "null"];
    check_wrong(&["flow", "examples/lock.bp", null[0], null[1]], &["misfit-kind", "C programs only"]);
    check_wrong(&["check", "examples/list.c"], &["misfit-kind", "hardbop flow"]);
    check_wrong(&["flow", "examples/list.c", null[0], null[1], "--entry", "Main"], &["no-main", "did you mean `main`"]);
    check_wrong(&["flow", "examples/list.c", null[0], null[1], "--precision", "projections=0"], &["at least 1"]);
    check_wrong(&["flow", "examples/list.c", null[0], null[1], "--precision", "exact"], &["`projections=K`"]);
    check_wrong(&["show", "examples/list.c", "--stage", "facts"], &["misfit-option", "--analysis null"]);
    check_wrong(&["show", "examples/list.c", "--stage", "c", null[0], null[1]], &["misfit-option", "--stage facts"]);
    check_wrong(&["show", "examples/lock.bp", "--stage", "facts"], &["misfit-option"]);
    check_wrong(&["init", "rule"], &["possible values: flow"]);
}

#[test]
fn the_analysis_to_start_from_can_be_run() {
    let start = String::from_utf8(run(&["init", "flow"]).stdout).unwrap();
    let analysis = Scratch::new("start.flow", start);
    let program = Scratch::new(
        "free.c",
        "void free(void *);\nint *new(void);\nint main(void) {\n  int *p = new();\n  free(p);\n  return *p;\n}\n",
    );
    let answer = json(&["flow", program.path(), "--analysis", analysis.path(), "--json"], 1);
    assert_eq!(flagged(&answer), [6]);
}

/// Checks what `flow --analysis null` prints about a program, which is called `t.c` in what it prints.
#[track_caller]
fn check_null(program: &str, options: &[&str], code: i32, expect: Expect) {
    let file = Scratch::new("t.c", program);
    let output = run(&[&["flow", file.path(), "--analysis", "null"], options].concat());
    let printed = String::from_utf8([output.stderr, output.stdout].concat()).unwrap();
    expect.assert_eq(&printed.replace(file.path(), "t.c"));
    assert_eq!(output.status.code(), Some(code));
}

/// The statuses of a program's places, by line.
#[track_caller]
fn statuses(program: &str, options: &[&str], code: i32) -> Vec<(u64, String)> {
    let file = Scratch::new("t.c", program);
    let answer = json(&[&["flow", file.path(), "--analysis", "null", "--json"], options].concat(), code);
    let sites = answer["sites"].as_array().unwrap().iter();
    sites.map(|site| (site["line"].as_u64().unwrap(), site["status"].as_str().unwrap().to_owned())).collect()
}

/// `get` gives a pointer or NULL, and says which.
const OUT_PARAMETER: &str = "\
int nondet(void);
int store;
static int get(int **out) {
  *out = 0;
  if (nondet()) { *out = &store; return 0; }
  return nondet();
}
int main(void) {
  int *p;
  if (get(&p) == 0)
    *p = 1;
  return 0;
}
";

#[test]
fn a_failure_comes_with_its_path() {
    check_null(
        OUT_PARAMETER,
        &[],
        1,
        expect![[r#"
            alarm: `p` may be NULL here
              --> t.c:11:5
               |
            11 |     *p = 1;
               |     ^^
              line  statement                    what is so then
                 8  main is called from outside
                10  get(&p)
                 4    *out = 0                   p is NULL
                 5    nondet()                   nondet() = 0
                 5    if nondet() is false
                 6    nondet()                   nondet() = 0
                 6    return nondet();           get() = 0
                10  if get(&p) == 0 is true
                11  *p                           <- may fail

            1 of 3 places may fail; 2 are safe
            may fail: 1 of 3 places (null, from main, LP64; values from outside are fine unless tested, undefined functions write what they can reach)
        "#]],
    );
    check_null(
        OUT_PARAMETER,
        &["--unfold", "0"],
        1,
        expect![[r#"
            alarm: `p` may be NULL here
              --> t.c:11:5
               |
            11 |     *p = 1;
               |     ^^
              line  statement                    what is so then
                 8  main is called from outside
                10  get(&p)  (returns)           p is NULL, the result = 0
                10  get(&p)                      get(...) = 0
                10  if get(&p) == 0 is true
                11  *p                           <- may fail
              some calls are folded to keep this short; --unfold all shows them

            1 of 3 places may fail; 2 are safe
            may fail: 1 of 3 places (null, from main, LP64; values from outside are fine unless tested, undefined functions write what they can reach)
        "#]],
    );
    check_null(
        OUT_PARAMETER,
        &["--quiet"],
        1,
        expect![[r#"
        may fail: 1 of 3 places (null, from main, LP64; values from outside are fine unless tested, undefined functions write what they can reach)
    "#]],
    );
}

#[test]
fn facts_one_by_one_have_no_path() {
    let flow = statuses(OUT_PARAMETER, &["--precision", "flow"], 1);
    assert_eq!(flow, statuses(OUT_PARAMETER, &["--precision", "path"], 1));
    let safe = OUT_PARAMETER.replace("return nondet();", "return 1;");
    assert_eq!(statuses(&safe, &["--precision", "flow"], 1).last().unwrap(), &(11, "may-fail".to_owned()));
    assert_eq!(statuses(&safe, &["--precision", "path"], 0).last().unwrap(), &(11, "safe".to_owned()));
    check_null(
        &safe,
        &["--precision", "flow"],
        1,
        expect![[r#"
            alarm: `p` may be NULL here
              --> t.c:11:5
               |
            11 |     *p = 1;
               |     ^^
              no path is known: facts were looked at one by one (precision `flow`)

            1 of 3 places may fail; 2 are safe
            1 alarm was found with less than precision `path`: with `flow`
            may fail: 1 of 3 places (null, from main, LP64; values from outside are fine unless tested, undefined functions write what they can reach)
        "#]],
    );
}

const LIBRARY: &str = "\
int first(int *p) { return *p; }
int second(int *q) { return q ? *q : *q; }
static int third(int *r) { return *r; }
int fourth(int n) { if (n > 1) { if (n < 1) return *(int *)0; } return third(&n); }
";

#[test]
fn what_is_safe_under_an_assumption_says_so() {
    check_null(
        LIBRARY,
        &[],
        1,
        expect![[r#"
        alarm: `q` may be NULL here
         --> t.c:2:38
          |
        2 | int second(int *q) { return q ? *q : *q; }
          |                                      ^^
          line  statement                      what is so then
             2  second is called from outside  q is NULL
             2  if q is false
             2  *q                             <- may fail

        1 place is safe if:
          p != NULL at the entry of first  (1 place)

        1 of 5 places may fail; 3 are safe, 1 of them if what is listed above is so; 1 is never reached
        may fail: 1 of 5 places (null, from any function, LP64; values from outside are fine unless tested, undefined functions write what they can reach)
    "#]],
    );
    let all = statuses(LIBRARY, &["--pessimistic"], 1);
    assert!(all.contains(&(1, "may-fail".into())), "{all:?}");
}

#[test]
fn an_entry_is_the_only_function_that_is_called_from_outside() {
    let only = statuses(LIBRARY, &["--entry", "first"], 0);
    assert_eq!(only[0], (1, "safe".into()));
    assert!(only[1..].iter().all(|(_, status)| status == "unreachable"), "{only:?}");
}

#[test]
fn a_model_defines_what_the_program_declares() {
    let program = "int *get(void);\nint *own(void) { static int x; return &x; }\n\
                   int main(void) { return *get() + *own(); }\n";
    let model = Scratch::new("model.c", "int *get(void) { return 0; }\nint *own(void) { return 0; }\n");
    let file = Scratch::new("t.c", program);
    let args = ["flow", file.path(), "--analysis", "null", "--json"];
    assert_eq!(flagged(&json(&args, 0)), [0; 0]);
    let answer = json(&[&args[..], &["--model", model.path()]].concat(), 1);
    assert_eq!(flagged(&answer), [3]);
    assert_eq!(answer["sites"].as_array().unwrap().len(), 2);
}

#[test]
fn json_has_the_promised_fields() {
    let answer = json(&["flow", "examples/list.c", "--analysis", "null", "--json"], 1);
    assert_eq!(answer["format"], 1);
    assert_eq!(answer["stats"], serde_json::json!({}));
    assert_eq!(flagged(&answer), [18]);
    for site in answer["sites"].as_array().unwrap() {
        assert_eq!(site["file"], "examples/list.c");
        assert!(site["line"].is_u64() && site["column"].is_u64());
        assert!(site["expression"].is_string() && site["message"].is_string() && site["precision"].is_string());
        assert!(site["assumes"].is_array());
        assert_eq!(site["trace"].as_array().unwrap().is_empty(), site["status"] != "may-fail");
    }
    let places: Vec<(u64, u64)> = answer["sites"].as_array().unwrap().iter().map(place).collect();
    assert!(places.is_sorted(), "{places:?}");
}

fn place(site: &Value) -> (u64, u64) {
    (site["line"].as_u64().unwrap(), site["column"].as_u64().unwrap())
}

#[test]
fn output_does_not_change_from_run_to_run() {
    let args = ["flow", "examples/list.c", "--analysis", "null", "--json"];
    assert_eq!(run(&args).stdout, run(&args).stdout);
}

/// Figure 5 of [BR01].
const FIGURE_5: &str = "\
void foo(int *p, int *q) {
  if (p != 0) { q = p; }
  if (p != 0)
    *q = *p + 1;
}
";

#[test]
fn facts_stand_beside_their_lines() {
    // Functions that headers of the system define are not the user's.
    let with_header = Scratch::new("t.c", format!("#include <stdlib.h>\n{FIGURE_5}"));
    let output = run(&["show", with_header.path(), "--stage", "facts", "--analysis", "null"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), FIGURE_5.lines().count() + 2);
    let file = Scratch::new("t.c", FIGURE_5);
    let output = run(&["show", file.path(), "--stage", "facts", "--analysis", "null"]);
    let printed = String::from_utf8(output.stdout).unwrap().replace(file.path(), "t.c");
    expect![[r#"
        t.c
        1  void foo(int *p, int *q) {
        2    if (p != 0) { q = p; }   | q is not NULL
        3    if (p != 0)              | q is not NULL
        4      *q = *p + 1;           | p is not NULL, q is not NULL
        5  }                          | q is not NULL
    "#]]
    .assert_eq(&printed);
    let facts = json(&["show", file.path(), "--stage", "facts", "--analysis", "null", "--json"], 0);
    assert_eq!(facts["files"][0]["lines"][2]["line"], 4);
    assert_eq!(facts["files"][0]["lines"][2]["facts"], serde_json::json!(["p is not NULL", "q is not NULL"]));
}

#[test]
fn the_boolean_program_reads_like_the_papers_and_reads_back() {
    let file = Scratch::new("t.c", FIGURE_5);
    let output = run(&["show", file.path(), "--stage", "bp", "--analysis", "null"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    expect![[r#"
        void foo({null(p)}, {null(q)}) begin
          if (!{null(p)}) then  // 2: p != 0
            {null(q)} := {null(p)};  // 2: q = p
          fi
          if (!{null(p)}) then  // 3: p != 0
            assert(!{null(p)});  // 4: *q = *p + 1
            assert(!{null(q)});  // 4: *q = *p + 1
          fi
        end

        // What calls the program; a run starts here.
        void main() begin
         L1:
          while (*) do
            foo(*, F);
            goto L1;
          od
        end
    "#]]
    .assert_eq(&printed);
    let boolean = Scratch::new("t.bp", &printed);
    assert_eq!(run(&["check", boolean.path()]).status.code(), Some(0));
    assert_eq!(statuses(FIGURE_5, &[], 0), [(4, "safe".into()), (4, "safe".into())]);
}

/// The lines of the places that may fail.
fn flagged(answer: &Value) -> Vec<u64> {
    let sites = answer["sites"].as_array().unwrap().iter();
    sites.filter(|site| site["status"] == "may-fail").map(|site| site["line"].as_u64().unwrap()).collect()
}

const TEXTBOOK: &str = "\
int g;
int f(int n, int unused) {
  int a = n + 1;
  g = a;
  return a * 2;
}
int main(void) {
  int x = 1;
  int y = 2;
  int z = f(x, y);
  while (x < 10) {
    x = x + z;
    y = 5;
  }
  z = y;
  g = x + z;
  return 0;
}
";

/// Checks the facts that `show` prints of the textbooks' program.
#[track_caller]
fn check_textbook(analysis: &str, expect: Expect) {
    check_facts(analysis, TEXTBOOK, expect);
}

/// Checks the facts that `show` prints of a program.
#[track_caller]
fn check_facts(analysis: &str, program: &str, expect: Expect) {
    let file = Scratch::new("t.c", program);
    let output = run(&["show", file.path(), "--stage", "facts", "--analysis", analysis]);
    let printed = String::from_utf8([output.stderr, output.stdout].concat()).unwrap();
    expect.assert_eq(&printed.replace(file.path(), "t.c"));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_leads_to_a_place_is_live_and_so_is_what_the_library_reads() {
    check_facts(
        "live",
        "long write(int, const void *, unsigned long);
        void *memcpy(void *, const void *, unsigned long);
        union word { int i; float f; };
        struct pair { int a, b; };
        int sink(int, int *, int *);
        int main(void) {
          int x = 1, i = 2, n = 3, t[4], *p = &x;
          struct pair from, to;
          union word u;
          char c = 4;
          t[i] = 5;
          *p = 6;
          write(1, &c, 1);
          __asm__ volatile(\"\" : : \"r\"(n));
          u.i = 7;
          float f = u.f;
          from.b = f;
          memcpy(&to, &from, sizeof to);
          return to.b;
        }
        ",
        expect![[r#"
            t.c
             1  long write(int, const void *, unsigned long);
             2          void *memcpy(void *, const void *, unsigned long);
             3          union word { int i; float f; };
             4          struct pair { int a, b; };
             5          int sink(int, int *, int *);
             6          int main(void) {
             7            int x = 1, i = 2, n = 3, t[4], *p = &x;          |
             8            struct pair from, to;                            | live: i, n, p
             9            union word u;                                    | live: i, n, p, from.a
            10            char c = 4;                                      | live: i, n, p, u, from.a
            11            t[i] = 5;                                        | live: i, n, p, u, from.a, c
            12            *p = 6;                                          | live: n, p, u, from.a, c
            13            write(1, &c, 1);                                 | live: n, u, from.a, c
            14            __asm__ volatile("" : : "r"(n));                 | live: n, u, from.a
            15            u.i = 7;                                         | live: u, from.a
            16            float f = u.f;                                   | live: u, from.a
            17            from.b = f;                                      | live: f, from.a
            18            memcpy(&to, &from, sizeof to);                   | live: from.a, from.b
            19            return to.b;                                     | live: to.b
            20          }                                                  |
            21
        "#]],
    );
}

#[test]
fn a_copy_is_a_definition() {
    check_facts(
        "reaching",
        "void *memcpy(void *, const void *, unsigned long);
        struct one { int a; };
        int main(void) {
          struct one s = { 1 }, t = { 2 };
          memcpy(&t, &s, sizeof t);
          return t.a;
        }
        ",
        expect![[r#"
            t.c
            1  void *memcpy(void *, const void *, unsigned long);
            2          struct one { int a; };
            3          int main(void) {
            4            struct one s = { 1 }, t = { 2 };         |
            5            memcpy(&t, &s, sizeof t);                | reaches: s.a = 1 (line 4), t.a = 2 (line 4)
            6            return t.a;                              | reaches: s.a = 1 (line 4), memcpy(&t, &s, 4) (line 5)
            7          }                                          | reaches: s.a = 1 (line 4), memcpy(&t, &s, 4) (line 5)
            8
        "#]],
    );
}

#[test]
fn live_variables_stand_beside_their_lines() {
    check_textbook(
        "live",
        expect![[r#"
        t.c
         1  int g;
         2  int f(int n, int unused) {
         3    int a = n + 1;           | live: n
         4    g = a;                   | live: a
         5    return a * 2;            | live: a
         6  }                          |
         7  int main(void) {
         8    int x = 1;               |
         9    int y = 2;               | live: x
        10    int z = f(x, y);         | live: x, y
        11    while (x < 10) {         | live: x, y, z
        12      x = x + z;             | live: x, z
        13      y = 5;                 | live: x, z
        14    }
        15    z = y;                   | live: x, y
        16    g = x + z;               | live: x, z
        17    return 0;                | live: g
        18  }                          | live: g
    "#]],
    );
    let file = Scratch::new("t.c", TEXTBOOK);
    let facts = json(&["show", file.path(), "--stage", "facts", "--analysis", "live", "--json"], 0);
    let lines = facts["files"][0]["lines"].as_array().unwrap();
    let line = lines.iter().find(|line| line["line"] == 11).unwrap();
    assert_eq!(line["facts"], serde_json::json!(["live(x)", "live(y)", "live(z)"]));
}

#[test]
fn reaching_definitions_stand_beside_their_lines() {
    check_textbook(
        "reaching",
        expect![[r#"
            t.c
             1  int g;
             2  int f(int n, int unused) {
             3    int a = n + 1;           | reaches: f(x, y) (line 10)
             4    g = a;                   | reaches: a = n + 1 (line 3), f(x, y) (line 10)
             5    return a * 2;            | reaches: a = n + 1 (line 3), f(x, y) (line 10), g = a (line 4)
             6  }                          | reaches: a = n + 1 (line 3), f(x, y) (line 10), g = a (line 4)
             7  int main(void) {
             8    int x = 1;               |
             9    int y = 2;               | reaches: x = 1 (line 8)
            10    int z = f(x, y);         | reaches: x = 1 (line 8), y = 2 (line 9)
            11    while (x < 10) {         | reaches: x = 1 (line 8), x = x + z (line 12), y = 2 (line 9), y = 5 (line 13), z = f(x, y) (line 10), g = a (line 4)
            12      x = x + z;             | reaches: x = 1 (line 8), x = x + z (line 12), y = 2 (line 9), y = 5 (line 13), z = f(x, y) (line 10), g = a (line 4)
            13      y = 5;                 | reaches: x = x + z (line 12), y = 2 (line 9), y = 5 (line 13), z = f(x, y) (line 10), g = a (line 4)
            14    }
            15    z = y;                   | reaches: x = 1 (line 8), x = x + z (line 12), y = 2 (line 9), y = 5 (line 13), z = f(x, y) (line 10), g = a (line 4)
            16    g = x + z;               | reaches: x = 1 (line 8), x = x + z (line 12), y = 2 (line 9), y = 5 (line 13), z = y (line 15), g = a (line 4)
            17    return 0;                | reaches: x = 1 (line 8), x = x + z (line 12), y = 2 (line 9), y = 5 (line 13), z = y (line 15), g = x + z (line 16)
            18  }                          | reaches: x = 1 (line 8), x = x + z (line 12), y = 2 (line 9), y = 5 (line 13), z = y (line 15), g = x + z (line 16)
        "#]],
    );
}

const LOOPS: &str = "\
int nondet(void);
static int x;
int main() {
  int *p = &x;
  while (nondet()) p = 0;
  p = &x;
  while (nondet() && x < 5) {
    x = x + 1;
  }
  for (int i = 0; i < 3; i++)
    p = 0;
  do {
    p = &x;
  } while (nondet());
  if (nondet()) p = 0; else p = &x;
}
";

#[test]
fn what_stands_beside_a_loop_holds_before_every_round() {
    check_facts(
        "null",
        LOOPS,
        expect![[r#"
            t.c
             1  int nondet(void);
             2  static int x;
             3  int main() {
             4    int *p = &x;                      | x < 5
             5    while (nondet()) p = 0;           | x < 5
             6    p = &x;                           | nondet() = 0, x < 5
             7    while (nondet() && x < 5) {       | p is not NULL, nondet() = 0
             8      x = x + 1;                      | p is not NULL, nondet() = 0, x < 5
             9    }
            10    for (int i = 0; i < 3; i++)       | nondet() = 0
            11      p = 0;                          | nondet() = 0
            12    do {                              | nondet() = 0
            13      p = &x;                         | nondet() = 0
            14    } while (nondet());               | p is not NULL, nondet() = 0
            15    if (nondet()) p = 0; else p = &x; | p is not NULL, nondet() = 0
            16  }                                   | nondet() = 0
        "#]],
    );
    check_facts(
        "reaching",
        LOOPS,
        expect![[r#"
            t.c
             1  int nondet(void);
             2  static int x;
             3  int main() {
             4    int *p = &x;                      |
             5    while (nondet()) p = 0;           | reaches: p = &x (line 4), p = 0 (line 5)
             6    p = &x;                           | reaches: p = &x (line 4), p = 0 (line 5)
             7    while (nondet() && x < 5) {       | reaches: p = &x (line 6), x = x + 1 (line 8)
             8      x = x + 1;                      | reaches: p = &x (line 6), x = x + 1 (line 8)
             9    }
            10    for (int i = 0; i < 3; i++)       | reaches: p = &x (line 6), p = 0 (line 11), i = 0 (line 10), i = i + 1 (line 10), x = x + 1 (line 8)
            11      p = 0;                          | reaches: p = &x (line 6), p = 0 (line 11), i = 0 (line 10), i = i + 1 (line 10), x = x + 1 (line 8)
            12    do {                              | reaches: p = &x (line 6), p = 0 (line 11), p = &x (line 13), i = 0 (line 10), i = i + 1 (line 10), x = x + 1 (line 8)
            13      p = &x;                         | reaches: p = &x (line 6), p = 0 (line 11), p = &x (line 13), i = 0 (line 10), i = i + 1 (line 10), x = x + 1 (line 8)
            14    } while (nondet());               | reaches: p = &x (line 13), i = 0 (line 10), i = i + 1 (line 10), x = x + 1 (line 8)
            15    if (nondet()) p = 0; else p = &x; | reaches: p = &x (line 6), p = 0 (line 11), p = &x (line 13), i = 0 (line 10), i = i + 1 (line 10), x = x + 1 (line 8)
            16  }                                   | reaches: p = 0 (line 15), p = &x (line 15), i = 0 (line 10), i = i + 1 (line 10), x = x + 1 (line 8)
        "#]],
    );
}

#[test]
fn what_macros_change_is_shown_as_it_is_written() {
    let text = "#include <stddef.h>\n#define READ(p) (*(p))\n#define TWICE(p) (*(p) + *(p))\n\
                int f(void) {\n\tint *p = NULL, *q = NULL; int *r = NULL;\n\
                \tint x = READ(p);  // expanded\n\tint y = (NULL == p)  + *q;\n\treturn TWICE(r) + x + y;\n}\n";
    let file = Scratch::new("t.c", text);
    let output = run(&["flow", file.path(), "--analysis", "null"]);
    let printed = String::from_utf8(output.stdout).unwrap().replace(file.path(), "t.c");
    let excerpts: Vec<&str> = printed.lines().filter(|line| line.contains('|') || line.contains("-->")).collect();
    expect![[r#"
         --> t.c:6:2
          |
        6 |     int x = READ(p);  // expanded
          |     ^^^^^^^^^^^^^^^"#]]
    .assert_eq(&excerpts.join("\n"));
    let answer = json(&["flow", file.path(), "--analysis", "null", "--json"], 1);
    let places = answer["sites"].as_array().unwrap().iter().map(|site| format!("{}:{}", site["line"], site["column"]));
    expect!["6:2 7:25 8:2"].assert_eq(&places.collect::<Vec<_>>().join(" "));
}

#[test]
fn available_expressions_stand_beside_their_lines() {
    check_textbook(
        "available",
        expect![[r#"
        t.c
         1  int g;
         2  int f(int n, int unused) {
         3    int a = n + 1;           |
         4    g = a;                   | available: n + 1
         5    return a * 2;            | available: n + 1
         6  }                          | available: n + 1, a * 2
         7  int main(void) {
         8    int x = 1;               |
         9    int y = 2;               |
        10    int z = f(x, y);         |
        11    while (x < 10) {         |
        12      x = x + z;             | available: x < 10
        13      y = 5;                 |
        14    }
        15    z = y;                   | available: x < 10
        16    g = x + z;               | available: x < 10
        17    return 0;                | available: x < 10, x + z
        18  }                          | available: x < 10, x + z
    "#]],
    );
}

#[test]
fn a_backward_analysis_must_be_distributive() {
    let text = "analysis back \"b\"\ndirection backward\nvar v, u : scalar\nfact f(v)\non v = u: f(v) := !f(u)\n";
    let analysis = Scratch::new("back.flow", text);
    let program = Scratch::new("t.c", TEXTBOOK);
    check_wrong(
        &["show", program.path(), "--stage", "facts", "--analysis", analysis.path()],
        &["not-distributive", "back.flow:5", "in this rule"],
    );
    check_wrong(
        &["show", program.path(), "--stage", "bp", "--analysis", "live"],
        &["nothing-required", "--stage facts"],
    );
}

#[test]
fn figure_5_is_flagged_where_facts_are_looked_at_one_by_one() {
    let lines = |options: &[&str], code| {
        let found = statuses(FIGURE_5, &[&["--pessimistic"], options].concat(), code);
        found.into_iter().filter(|(_, status)| status == "may-fail").map(|(line, _)| line).collect::<Vec<u64>>()
    };
    assert_eq!(lines(&["--precision", "path"], 0), Vec::<u64>::new());
    assert_eq!(lines(&["--precision", "flow"], 1), [4]);
}

#[test]
fn a_lock_that_is_held_at_the_end_is_told() {
    let program = Scratch::new(
        "t.c",
        "int mutex_lock(int *);\nint mutex_unlock(int *);\nint a, b;\nint main(void) {\n  mutex_lock(&a);\n  \
         mutex_lock(&b);\n  mutex_unlock(&a);\n  return 0;\n}\n",
    );
    let answer = json(&["flow", program.path(), "--analysis", "lock", "--json"], 1);
    assert_eq!(flagged(&answer), [9]);
    let site = answer["sites"].as_array().unwrap().iter().find(|site| site["status"] == "may-fail").unwrap();
    assert_eq!(site["message"], "`b` may still be held at the end");
}

#[test]
fn one_header_of_two_units_is_shown_twice() {
    let user = Scratch::new("a.i", "# 1 \"h.h\"\nint f(int);\n# 2 \"a.c\"\nint main(void) { return f(1); }\n");
    let maker = Scratch::new("b.i", "# 1 \"h.h\"\nlong f(int x) { return x; }\n# 2 \"b.c\"\nint g;\n");
    let output = run(&["flow", user.path(), maker.path(), "--analysis", "null"]);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.contains("long f(int x)") && printed.contains("int f(int);"), "{printed}");
}

#[test]
fn who_compares_two_pointers_does_not_test_them() {
    let library = |condition: &str| format!("int f(int *p, int *q) {{ if ({condition}) return 0; return *p; }}");
    assert_eq!(statuses(&library("p == q"), &[], 0), [(1, "safe".into())]);
    assert_eq!(statuses(&library("p == 0 && q"), &[], 1), [(1, "may-fail".into())]);
    assert_eq!(statuses(&library("p == q"), &["--pessimistic"], 1), [(1, "may-fail".into())]);
}

#[test]
fn an_assumption_is_listed_where_it_is_needed() {
    // The paper's Figure 5: what `q` is does not matter, since both pointers are tested.
    let figure = "int x; int *foo(int *p, int *q) { if (p == 0) p = q; if (p != 0) *p = 1; return p; }
int use(int *p) { int *q; q = &x; return *q + *p; }\n";
    let program = Scratch::new("t.c", figure);
    let answer = json(&["flow", program.path(), "--analysis", "null", "--json"], 0);
    let assumed = |site: &Value| (site["expression"].clone(), site["assumes"].clone());
    let found: Vec<(Value, Value)> = answer["sites"].as_array().unwrap().iter().map(assumed).collect();
    let needed = serde_json::json!(["p != NULL at the entry of use"]);
    assert!(
        found.contains(&(serde_json::json!("*q"), serde_json::json!([])))
            && found.contains(&(serde_json::json!("*p"), needed)),
        "{found:?}"
    );
    assert_eq!(found.iter().filter(|(_, assumes)| *assumes != serde_json::json!([])).count(), 1);
}

#[test]
fn requirements_that_say_the_same_keep_their_assumptions() {
    let analysis = "analysis twice \"two requirements\"\nvar p : pointer\nvar q : pointer\nvar e : expression
fact null(p) \"{p} is NULL\"\nunknown p: !null(p) \"{p} != NULL\"\non p = NULL: null(p) := true\non p = q: null(p) := null(q)
on p = e: null(p) := *\nif p == NULL: null(p)\nat sink(q, p): require !null(p) \"NULL is given\"
at sink(p, q): require !null(p) \"NULL is given\"\n";
    let analysis = Scratch::new("twice.flow", analysis);
    let text = "void sink(int *, int *); int x; void f(int *a, int *b) { b = a; if (b) sink(b, a); }
void g(int *a, int *b) { if (a) sink(a, b); }\n";
    let program = Scratch::new("t.c", text);
    let answer = json(&["flow", program.path(), "--analysis", analysis.path(), "--json"], 0);
    let sites = answer["sites"].as_array().unwrap();
    let second = sites.iter().find(|site| site["line"] == 2).unwrap();
    assert_eq!(second["assumes"], serde_json::json!(["b != NULL at the entry of g"]), "{answer}");
}

#[test]
fn what_is_named_together_is_kept_together() {
    // Many flags are set where the pointer is; the one that tells about it is set elsewhere.
    let crowd = |value: usize| (0..9).map(|flag| format!("f{flag} = {value};")).collect::<String>();
    let flags: Vec<String> = (0..9).map(|flag| format!("f{flag}")).collect();
    let text = format!(
        "int x, {};\nint main(int n, char **v) {{ int *p = 0, ready = 0;\n{}if (n > 1) {{ ready = 1; {} goto set; }}
back: if (f0) n++; {} if (ready) return *p; return 0;\nset: {} p = &x; goto back; }}\n",
        flags.join(", "),
        crowd(0),
        crowd(1),
        crowd(0),
        crowd(1)
    );
    let program = Scratch::new("t.c", text);
    let ask = |more: &[&str], code: i32| {
        let options = ["flow", program.path(), "--analysis", "null", "--json", "--precision", "projections=4"];
        json(&[&options[..], more].concat(), code)
    };
    assert_eq!(ask(&[], 1)["sites"][0]["status"], "may-fail");
    assert_eq!(ask(&["--together", "p, ready"], 0)["sites"][0]["status"], "safe");
    check_wrong(
        &["flow", program.path(), "--analysis", "null", "--together", "p,redy"],
        &["unknown-name", "did you mean `ready`?"],
    );
}

#[test]
fn a_limit_that_comes_first_is_told_in_the_shape_of_an_answer() {
    // So many functions take longer to read than it takes to look at the clock.
    let text: String = (0..20_000).map(|n| format!("int f{n}(int *p) {{ return p ? *p : {n}; }}\n")).collect();
    let program = Scratch::new("t.i", text);
    let answer = json(&["flow", program.path(), "--analysis", "null", "--json", "--time-limit", "0.000001"], 3);
    assert_eq!(
        (&answer["sites"], &answer["reason"]),
        (&serde_json::json!([]), &serde_json::json!("time limit of 0.000001 s reached"))
    );
}
