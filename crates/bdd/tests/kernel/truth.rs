//! Functions of up to six variables as truth tables: bit `i` is the value where variable `v` is bit `v` of `i`.

use hardbop_base::Idx;
use hardbop_bdd::{Bdd, Budget, Exhausted, Kernel, Level};

/// A function, on the levels from 0 on.
pub type Truth = u64;

pub fn level(row: usize) -> Level {
    Level::from_usize(row)
}

pub fn kernel(levels: usize) -> Kernel {
    Kernel::new(levels, Budget::unlimited())
}

/// The bits of a table over `levels` variables.
pub fn all(levels: usize) -> Truth {
    u64::MAX >> (64 - (1 << levels))
}

/// The function of a table, as a disjunction of minterms.
pub fn build(kernel: &mut Kernel, levels: usize, table: Truth) -> Result<Bdd, Exhausted> {
    let mut function = Bdd::FALSE;
    for place in (0..1 << levels).filter(|place| table >> place & 1 == 1) {
        let mut minterm = Bdd::TRUE;
        for row in (0..levels).rev() {
            let literal = if place >> row & 1 == 1 { kernel.var(level(row)) } else { kernel.nvar(level(row)) }?;
            minterm = kernel.and(literal, minterm)?;
        }
        function = kernel.or(function, minterm)?;
    }
    Ok(function)
}

/// The table of a function.
pub fn read(kernel: &Kernel, levels: usize, f: Bdd) -> Truth {
    (0..1 << levels)
        .map(|place: usize| Truth::from(kernel.eval(f, |level| place >> level.index() & 1 == 1)) << place)
        .fold(0, |table, bit| table | bit)
}

/// All functions of `levels` variables, in the order of their tables.
pub fn build_all(kernel: &mut Kernel, levels: usize) -> Vec<Bdd> {
    (0..=all(levels)).map(|table| build(kernel, levels, table).unwrap()).collect()
}
