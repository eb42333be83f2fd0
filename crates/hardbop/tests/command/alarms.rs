//! Many alarms: what they have in common is said once.

use crate::{Scratch, json, run};

#[test]
fn many_alarms_end_with_what_they_have_in_common() {
    let uses = |count: usize| "int f(void) { return *p + *q; }\n".replace("f(", &format!("f{count}("));
    let program = |functions: usize| {
        let head = "static int *p, *q; int x; void set(int n, int m) { p = n ? &x : 0; q = m ? &x : 0; }\n".to_owned();
        head + &(0..functions).map(uses).collect::<String>()
    };
    let printed = |functions: usize| {
        let file = Scratch::new("many.c", program(functions));
        String::from_utf8(run(&["flow", file.path(), "--analysis", "null"]).stdout).unwrap()
    };
    let common = "what the alarms say, the most frequent first:
  `p` may be NULL here  (12 places)
  `q` may be NULL here  (12 places)
";
    let many = printed(12);
    assert!(many.contains(common), "{many}");
    assert!(!printed(2).contains("the most frequent first"));
}

#[test]
fn alarms_that_say_the_same_in_one_function_are_told_once() {
    let program = "\
int one(int n) {
  int *p = 0;
  switch (n) {
    case 1: return *p;
    case 2: return *p + 1;
  }
  return *p;
}
int two(void) {
  int *p = 0;
  return *p;
}
";
    let file = Scratch::new("t.c", program);
    let printed = |options: &[&str]| {
        let call = [&["flow", file.path(), "--analysis", "null"], options].concat();
        String::from_utf8(run(&call).stdout).unwrap().replace(file.path(), "t.c")
    };
    let (once, each) = (printed(&[]), printed(&["--unfold", "all"]));
    assert_eq!(once.matches("alarm: `p` may be NULL here").count(), 2, "{once}");
    assert!(once.contains("  also at 5:20, 7:10\n"), "{once}");
    assert!(once.contains("2 of 4 paths are shown: `--unfold all` shows all\n"), "{once}");
    assert_eq!(each.matches("alarm: `p` may be NULL here").count(), 4, "{each}");
    assert!(!each.contains("also at") && !each.contains("are shown"), "{each}");
    let functions = json(&["flow", file.path(), "--analysis", "null", "--json"], 1);
    let functions: Vec<&str> =
        functions["sites"].as_array().unwrap().iter().map(|site| site["function"].as_str().unwrap()).collect();
    assert_eq!(functions, ["one", "one", "one", "two"]);
}
