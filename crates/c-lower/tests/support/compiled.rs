//! Programs that gcc compiles as they are written, and as they are printed after lowering.

use hardbop_c_core::{Target, check, print};
use std::path::{Path, PathBuf};
use std::process::Command;

fn gcc(arguments: &[&str], from: &Path, to: &Path) -> String {
    let output = Command::new("gcc").args(["-std=gnu11", "-w"]).args(arguments).arg(from).arg("-o").arg(to).output();
    let output = output.expect("gcc can be started");
    let text = std::fs::read_to_string(from).expect("what is compiled can be read");
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What the program at `path` prints, and how it ends.
fn run(path: &Path, program: &Path) -> (Option<i32>, String) {
    gcc(&["-fwrapv"], path, program);
    let output = Command::new(program).output().expect("the program can be started");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Requires that the program does under gcc what it does after lowering and printing.
#[track_caller]
pub fn same(name: &str, source: &str) {
    let has_gcc = Command::new("gcc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_gcc {
        eprintln!("skipped: there is no gcc");
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = |suffix: &str| folder.join(format!("behaviour-{name}{suffix}"));
    std::fs::write(file(".c"), source).expect("the folder for tests can be written");
    gcc(&["-E", "-P"], &file(".c"), &file(".i"));
    let text = std::fs::read_to_string(file(".i")).expect("gcc wrote it");
    let (ast, errors) = hardbop_lang_c::parse(&text, 0);
    assert!(errors.is_empty(), "{errors:?}");
    let lowered = hardbop_c_lower::lower(&ast, Target::Lp64).expect("the program is right");
    let printed = print::module(&lowered.module);
    assert_eq!(check::check(&lowered.module), Ok(()), "{printed}");
    std::fs::write(file("-printed.c"), &printed).expect("the folder for tests can be written");
    let expected = run(&file(".c"), &file("-written"));
    assert!(!expected.1.is_empty(), "the program prints something");
    assert_eq!(run(&file("-printed.c"), &file("-printed")), expected, "{printed}");
}
