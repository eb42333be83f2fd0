//! Programs that print what they print when gcc has compiled them.
//!
//! Each `programs/*.c` runs here and natively; output and exit status are equal. Without gcc there is nothing to compare
//! with.

#[path = "support/program.rs"]
mod program;

use hardbop_c_core::Target;
use hardbop_c_run::{Outcome, Scripted};
use program::{OPTIONS, run};
use std::path::{Path, PathBuf};
use std::process::Command;

fn gcc(arguments: &[&str], file: &Path) -> Option<Vec<u8>> {
    let output = Command::new("gcc").args(arguments).arg(file).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

/// What the compiled program prints and returns.
fn natively(file: &Path) -> Option<(Vec<u8>, i32)> {
    let name = file.file_stem().expect("a program has a name");
    let binary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    gcc(&["-w", "-fwrapv", "-o", binary.to_str().expect("the path is text")], file)?;
    let output = Command::new(&binary).output().expect("what gcc made can be run");
    Some((output.stdout, output.status.code().expect("no signal ended it")))
}

#[track_caller]
fn check(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    let (Some(text), Some((expected, status))) = (gcc(&["-E", "-P"], &file), natively(&file)) else {
        println!("skipped: gcc is not found");
        return;
    };
    let mut environment = Scripted::default();
    let outcome =
        run(&String::from_utf8(text).expect("the programs are text"), Target::Lp64, OPTIONS, &mut environment);
    let printed = String::from_utf8_lossy(&environment.output);
    assert_eq!(printed, String::from_utf8_lossy(&expected), "{outcome:?}");
    assert_eq!(outcome, Outcome::Exited(status));
}

macro_rules! programs {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            check(concat!(stringify!($name), ".c"));
        }
    )*};
}

programs! {
    bit_fields callbacks cleanup computed_goto conversions crc duff floats formats function_pointers hash_table life
    linked_list matrices nested_data old_style parser pointers recursion sieve sorting statements strings structs tree
    unions varargs variable_arrays
}
