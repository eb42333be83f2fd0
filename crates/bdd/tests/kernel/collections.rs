//! A row that was freed and used again must not be taken for what it was.

use hardbop_bdd::{Bdd, Kernel};

use crate::truth::{kernel, level};

// `if x0 then high else low`, made in one step, so that it takes the lowest free row.
fn choice(kernel: &mut Kernel, low: Bdd, high: Bdd) -> Bdd {
    let top = kernel.var(level(0)).unwrap();
    kernel.ite(top, high, low).unwrap()
}

#[test]
fn a_result_is_forgotten_with_its_second_operand() {
    let mut kernel = kernel(4);
    let [top, x, y, z] = [0, 1, 2, 3].map(|row| kernel.var(level(row)).unwrap());
    let old = choice(&mut kernel, y, x);
    assert_eq!(kernel.and(top, old), kernel.and(top, x));
    let result = kernel.and(top, old).unwrap();
    kernel.collect([top, x, y, z, result]);
    let new = choice(&mut kernel, y, z);
    assert_eq!(new, old, "the row is used again");
    assert_eq!(kernel.and(top, new), kernel.and(top, z));
}

#[test]
fn a_result_is_forgotten_with_its_third_operand() {
    let mut kernel = kernel(4);
    let [top, x, y, z] = [0, 1, 2, 3].map(|row| kernel.var(level(row)).unwrap());
    let old = choice(&mut kernel, y, x);
    let result = kernel.ite(top, z, old).unwrap();
    assert_eq!(kernel.branch(result), Some((level(0), y, z)));
    kernel.collect([top, x, y, z, result]);
    let new = choice(&mut kernel, x, y);
    assert_eq!(new, old, "the row is used again");
    let result = kernel.ite(top, z, new).unwrap();
    assert_eq!(kernel.branch(result), Some((level(0), x, z)));
}

#[test]
fn a_result_that_was_removed_is_computed_again() {
    let mut kernel = kernel(4);
    let [x, y, z] = [1, 2, 3].map(|row| kernel.var(level(row)).unwrap());
    let old = kernel.and(x, y).unwrap();
    kernel.collect([x, y, z]);
    let other = kernel.or(x, z).unwrap();
    assert_eq!(other, old, "the row is used again");
    let new = kernel.and(x, y).unwrap();
    assert_eq!(kernel.branch(new), Some((level(1), Bdd::FALSE, y)));
}

#[test]
fn a_kept_result_needs_no_step_after_a_collection() {
    let mut kernel = kernel(4);
    let [x, y] = [1, 2].map(|row| kernel.var(level(row)).unwrap());
    let both = kernel.and(x, y).unwrap();
    kernel.collect([x, y, both]);
    kernel.set_budget(hardbop_bdd::Budget::unlimited().with_allowance(0));
    assert_eq!(kernel.and(y, x), Ok(both));
}
