//! From formulas to automata: the sizes of ours beside those that a table has of another tool.

use super::{Bench, Pace, table};
use crate::{Failure, cargo};

/// The sets of formulas that papers use: Dwyer and others, Etessami and Holzmann, Somenzi and Bloem, Liberouter, BEEM.
const SETS: [&str; 5] = ["dac-patterns", "eh-patterns", "sb-patterns", "hkrss-patterns", "p-patterns"];

/// Prints the sizes, if they are asked for and there is a table.
pub fn measure(bench: &Bench<'_>) -> Result<(), Failure> {
    if !bench.is_wanted("translation", "", Pace::Quick) {
        return Ok(());
    }
    table::print_title("Formulas: states of our Büchi automata, and of those of the table");
    let Some(formulas) = &bench.request.formulas else {
        println!("(left out: no table of formulas was given, see --formulas)");
        return Ok(());
    };
    // The example runs in the folder of the workspace, the user's path starts where the user is.
    let formulas = std::path::absolute(formulas)?;
    let mut example = cargo();
    example.args(["run", "--release", "--quiet", "--package", "hardbop-ltl", "--example", "sizes", "--"]);
    if !example.arg(formulas).args(SETS).status()?.success() {
        return Err("the translation cannot be measured".into());
    }
    println!("\nThe lower rows are all formulas again, with one reduction more in each.");
    Ok(())
}
