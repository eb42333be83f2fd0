//! Programs of csmith print the checksum that they print when gcc has compiled them: in the interpreter, and compiled from
//! the printed three-address form.
//!
//! Without csmith or gcc there is nothing to compare with. `HARDBOP_CSMITH_SEEDS=1000..1100` tries other seeds.

#[path = "support/program.rs"]
mod program;

use hardbop_c_core::Target;
use hardbop_c_run::{Checking, Options, Outcome, Scripted};
use program::{OPTIONS, module, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HEADERS: &str = "-I/usr/include/csmith";

fn output(command: &mut Command) -> Option<Vec<u8>> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// What the program in `source` prints when gcc has compiled it.
fn compile_and_run(source: &Path) -> Option<Vec<u8>> {
    let binary = source.with_extension("out");
    output(Command::new("gcc").args(["-w", "-fwrapv", HEADERS, "-o"]).arg(&binary).arg(source))?;
    output(Command::new("timeout").arg("2").arg(&binary))
}

/// The text of a program, and what it prints; `None` if it takes too long.
fn generate(seed: u32, folder: &Path) -> Option<(String, Vec<u8>)> {
    let source = folder.join(format!("random{seed}.c"));
    // It leaves a file where it runs.
    let mut csmith = Command::new("csmith");
    csmith.args(["--seed", &seed.to_string(), "--max-funcs", "5"]).current_dir(folder);
    let text = output(&mut csmith)?;
    std::fs::write(&source, text).expect("the folder for temporary files can be written to");
    let preprocessed = output(Command::new("gcc").args(["-E", "-P", "-w", HEADERS]).arg(&source))?;
    Some((String::from_utf8(preprocessed).ok()?, compile_and_run(&source)?))
}

fn check(seed: u32) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let Some((text, expected)) = generate(seed, &folder) else {
        println!("skipped: the program of seed {seed} takes too long");
        return;
    };
    let source = folder.join(format!("printed{seed}.c"));
    let form = hardbop_c_core::print::module(&module(&text, Target::Lp64));
    std::fs::write(&source, form).expect("the folder for temporary files can be written to");
    let printed = compile_and_run(&source).expect("the printed form compiles and runs");
    assert_eq!(String::from_utf8_lossy(&printed), String::from_utf8_lossy(&expected), "printed form of seed {seed}");
    // Members of packed records are not aligned, and csmith takes their address.
    let options = Options { alignment: Checking::Off, ..OPTIONS };
    let mut environment = Scripted::default();
    match run(&text, Target::Lp64, options, &mut environment) {
        Outcome::StepLimit => println!("skipped: seed {seed} takes too many steps"),
        outcome => {
            assert_eq!(outcome, Outcome::Exited(0), "seed {seed}");
            let printed = String::from_utf8_lossy(&environment.output);
            assert_eq!(printed, String::from_utf8_lossy(&expected), "seed {seed}");
        }
    }
}

#[test]
fn checksums_are_those_of_the_compiled_program() {
    for tool in ["csmith", "gcc"] {
        if Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            println!("skipped: {tool} is not installed (Debian package {tool})");
            return;
        }
    }
    let seeds = std::env::var("HARDBOP_CSMITH_SEEDS").unwrap_or_else(|_| "1..6".into());
    let (first, last) = seeds.split_once("..").expect("a range such as 1..6");
    for seed in first.parse().unwrap()..last.parse().unwrap() {
        check(seed);
    }
}
