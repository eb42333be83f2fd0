//! Snapshots: inline `expect!` and the `.out` files of the corpus, rewritten to what the program says today.
//!
//! A verdict is no snapshot: a corpus program whose verdict is not the one in its head fails here, too.

use crate::{Failure, cargo};
use clap::Args;

/// `cargo xtask bless`.
#[derive(Args)]
pub struct Request {
    /// Arguments for `cargo test`, such as `-p hardbop`; the whole workspace where there are none
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// Runs the tests, which rewrite what they find changed.
pub fn bless(request: &Request) -> Result<(), Failure> {
    let mut command = cargo();
    command.arg("test").env("UPDATE_EXPECT", "1");
    if request.arguments.is_empty() {
        command.arg("--workspace");
    }
    if command.args(&request.arguments).status()?.success() {
        Ok(())
    } else {
        Err("some tests fail for other reasons than their snapshots".into())
    }
}
