//! Texts that nobody writes: each gets an answer, and soon.

use crate::{Scratch, command};
use std::process::Output;

/// The program is refused, found fine, or not decided, in good order.
#[track_caller]
fn check(name: &str, text: impl AsRef<[u8]>) {
    let file = Scratch::new(name, text);
    for analysis in ["null", "uninit"] {
        answers(&["flow", file.path(), "--analysis", analysis]);
    }
    for stage in ["c", "points-to", "calls"] {
        answers(&["show", file.path(), "--stage", stage]);
    }
    answers(&["show", file.path(), "--stage", "facts", "--analysis", "null"]);
}

#[track_caller]
fn answers(args: &[&str]) {
    let Output { status, stderr, .. } = command(&[args, &["--time-limit", "120"]].concat()).output().unwrap();
    let said = String::from_utf8_lossy(&stderr);
    let said: String = said.chars().take(1000).collect();
    assert!(matches!(status.code(), Some(0..=2)), "{args:?}: {status}\n{said}");
}

fn main_with(before: &str, open: &str, inside: &str, close: &str, depth: usize) -> String {
    format!(
        "int f(void); int main(void) {{ int x = 0; {before}{}{inside}{}; }}\n",
        open.repeat(depth),
        close.repeat(depth)
    )
}

#[test]
fn deep_expressions_are_answered() {
    check("parens.c", main_with("x = ", "(", "0", ")", 100_000));
    check("signs.c", main_with("return ", "- ", "x;", "", 100_000));
    check("sum.c", main_with("return x", " + x", ";", "", 100_000));
}

#[test]
fn deep_statements_are_answered() {
    check("blocks.c", main_with("", "{", "x = 1;", "}", 100_000));
    check("ifs.c", main_with("", "if (f()) {", "x = 1;", "}", 3_000));
}

#[test]
fn macros_that_feed_on_each_other_are_answered() {
    let double = |level: usize| format!("#define A{level} {}\n", vec![format!("A{}", level - 1); 10].join(" "));
    let macros: String = (1..10).map(double).collect();
    check("bomb.c", format!("#define A0 x;\n{macros}int main(void) {{ int x = 0; A9 return 0; }}\n"));
}

#[test]
fn bytes_that_are_no_text_are_answered() {
    check("nul.c", b"int main(void) { return 0\0; }\n".repeat(3));
    check("bytes.c", (0..=255).collect::<Vec<u8>>().repeat(400));
    check("name.c", format!("int {}; int main(void) {{ return 0; }}\n", "a".repeat(1_000_000)));
}
