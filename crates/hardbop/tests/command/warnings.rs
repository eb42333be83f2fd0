//! What `hardbop flow` warns about.

use crate::{Scratch, json, run};
use serde_json::Value;

/// The warnings with `code` of a run: lines and messages.
fn warned(args: &[&str], code: &str) -> Vec<(u64, String)> {
    let output = run(&[args, &["--json"]].concat());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let warnings = answer["warnings"].as_array().unwrap().iter().filter(|warning| warning["code"] == code);
    let line = |warning: &Value| warning["line"].as_u64().unwrap();
    warnings.map(|warning| (line(warning), warning["message"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn what_two_units_have_from_one_header_is_warned_of_once() {
    let header = Scratch::new("h.h", "static int twice(int n) {\n  return add(n, n);\n}\n");
    let text = |name: &str| format!("#include \"{}\"\nint {name}(void) {{ return twice(1); }}\n", header.path());
    let (first, second) = (Scratch::new("a.c", text("a")), Scratch::new("b.c", text("b")));
    let args = ["flow", first.path(), second.path(), "--analysis", "null"];
    assert_eq!(warned(&args, "implicit-function").len(), 1);
    let printed = String::from_utf8(run(&args).stderr).unwrap();
    assert_eq!(printed.matches("warning[").count(), 1, "{printed}");
    assert_eq!(json(&[&args[..], &["--json"]].concat(), 0)["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_handler_that_is_installed_on_many_paths_is_warned_of_once() {
    let program = Scratch::new(
        "t.c",
        "struct sigaction { void (*run)(int); };\nint sigaction(int, const struct sigaction *, struct sigaction *);\n\
         static void run(int n) { (void)n; }\nstatic void install(int n) {\n  struct sigaction s = { run };\n  \
         sigaction(n, &s, 0);\n}\nint main(int n, char **v) {\n  while (n--) { install(2); if (n > 3) install(15); }\n}\n",
    );
    let found = warned(&["flow", program.path(), "--analysis", "null"], "one-at-a-time");
    assert_eq!(found, [(6, "signals that come at any time are not modelled".into())]);
}

#[test]
fn files_that_are_missing_are_warned_of_where_they_could_call() {
    let text = "void step(void);\nstatic int x, *g = &x;\nvoid clear(void) { g = 0; }\n\
         int main(void) { step(); return *g; }\n";
    let missing = |text: &str, options: &[&str], exit: i32| {
        let program = Scratch::new("t.c", text);
        let args = [&["flow", program.path(), "--analysis", "null", "--json"], options].concat();
        let found = json(&args, exit);
        let found = found["warnings"].as_array().unwrap().iter().map(|found| found["code"].clone());
        found.collect::<Vec<_>>()
    };
    assert_eq!(missing(text, &[], 0), ["missing-file"]);
    assert_eq!(missing(text, &["--pessimistic"], 1), [""; 0]);
    assert_eq!(missing(&text.replace("void clear", "static void clear"), &[], 0), [""; 0]);
    assert_eq!(missing(&text.replace("void step(void);", "void step(void) {}"), &[], 0), [""; 0]);
    // What only models of the library speak of is no file of the program.
    let library = "#include <ctype.h>\n#include <stdlib.h>\n".to_owned() + text;
    let library = library.replace("void step(void);", "").replace("step()", "if (isdigit(atoi(\"7\"))) abort()");
    assert_eq!(missing(&library, &[], 0), [""; 0]);
}

/// Checks what is said of the functions of a model.
#[track_caller]
fn check_unused(model: &str, options: &[&str], expected: &[(u64, &str)]) {
    let program = Scratch::new("t.c", "int *lookup(int);\nint main(void) { return *lookup(1); }\n");
    let model = Scratch::new("model.c", model);
    let args = [&["flow", program.path(), "--analysis", "null", "--model", model.path()], options].concat();
    let found = warned(&args, "unused-model");
    assert_eq!(found.iter().map(|(line, message)| (*line, &**message)).collect::<Vec<_>>(), expected);
}

#[test]
fn a_model_of_nothing_is_told() {
    let nothing = "is a model of nothing: the program does not declare it";
    check_unused(
        "int *lokup(int n) { return 0; }\n",
        &[],
        &[(1, &format!("`lokup` {nothing}; did you mean `lookup`?"))],
    );
    check_unused("int *lookup(int n) { return 0; }\n", &[], &[]);
    check_unused(
        "int x;\nint *other(int n) { return n ? other(n - 1) : &x; }\n",
        &[],
        &[(2, &format!("`other` {nothing}"))],
    );
}

#[test]
fn what_a_model_is_made_of_is_no_model() {
    check_unused("int *own(void) { return 0; }\nint *lookup(int n) { return own(); }\n", &[], &[]);
    check_unused(
        "int *own(void) { return 0; }\nint *(*make)(void) = own;\nint *lookup(int n) { return make(); }\n",
        &[],
        &[],
    );
    check_unused("#include <stdlib.h>\nstatic int *own(void) { return 0; }\n", &[], &[]);
    check_unused("__attribute__((constructor)) void first(void) {}\nvoid start(void) {}\n", &["--entry", "start"], &[]);
}

#[test]
fn a_function_that_is_only_called_is_spoken_of() {
    let program = Scratch::new("t.c", "int main(void) { return look(1); }\n");
    let model = Scratch::new("model.c", "int look(int n) { return n; }\n");
    let args = ["flow", program.path(), "--analysis", "null", "--model", model.path()];
    assert_eq!(warned(&args, "unused-model"), []);
}
