//! A budget that ends in the middle of an operation leaves a kernel that goes on as if nothing had happened.

use hardbop_base::Limit;
use hardbop_bdd::{Bdd, Budget, Exhausted, Fate, Kernel, cover};

use crate::truth::{Truth, build, kernel, level, read};

const LEVELS: usize = 6;
// Two functions without any pattern, so that every operation has something to do.
const LEFT: Truth = 0x9e37_79b9_7f4a_7c15;
const RIGHT: Truth = 0xc2b2_ae3d_27d4_eb4f;

// Runs `operation` under the allowances 0, 1, 2, … until one suffices. After each failure everything must still be right.
#[track_caller]
fn check(operation: impl Fn(&mut Kernel, Bdd, Bdd) -> Result<Bdd, Exhausted>, expected: Truth) {
    for allowance in 0.. {
        let mut kernel = kernel(LEVELS);
        let f = build(&mut kernel, LEVELS, LEFT).unwrap();
        let g = build(&mut kernel, LEVELS, RIGHT).unwrap();
        kernel.collect([f, g]);
        let unlimited = kernel.set_budget(Budget::unlimited().with_allowance(allowance));
        let stopped = operation(&mut kernel, f, g).is_err();
        assert_eq!(stopped, kernel.budget().hit() == Limit::Allowance && stopped);
        kernel.set_budget(unlimited);
        if allowance % 2 == 1 {
            kernel.collect([f, g]);
        }
        let result = operation(&mut kernel, f, g).unwrap();
        assert_eq!(read(&kernel, LEVELS, result), expected, "after an allowance of {allowance}");
        assert_eq!(build(&mut kernel, LEVELS, expected), Ok(result), "after an allowance of {allowance}");
        assert_eq!(read(&kernel, LEVELS, f), LEFT);
        assert_eq!(read(&kernel, LEVELS, g), RIGHT);
        if !stopped {
            assert!(allowance > 10, "the operation is too small to be stopped in the middle");
            return;
        }
    }
}

#[test]
fn a_stopped_and_can_be_redone() {
    check(Kernel::and, LEFT & RIGHT);
}

#[test]
fn a_stopped_negation_can_be_redone() {
    check(|kernel, f, _| kernel.not(f), !LEFT);
}

#[test]
fn a_stopped_ite_can_be_redone() {
    let operation = |kernel: &mut Kernel, f, g| {
        let h = kernel.xor(f, g)?;
        kernel.ite(f, h, g)
    };
    check(operation, LEFT & (LEFT ^ RIGHT) | !LEFT & RIGHT);
}

#[test]
fn a_stopped_image_can_be_redone() {
    let operation = |kernel: &mut Kernel, f, g| {
        let plan = kernel.plan([(level(0), Fate::Forget), (level(1), Fate::MoveTo(level(0)))]);
        kernel.image(f, g, plan)
    };
    let mut expected = 0;
    for place in 0..64 {
        let [without, with] = [0, 1].map(|first| (place & !3) | (place & 1) << 1 | first);
        expected |= ((LEFT & RIGHT) >> without & 1 | (LEFT & RIGHT) >> with & 1) << place;
    }
    check(operation, expected);
}

#[test]
fn a_stopped_simplification_can_be_redone() {
    let operation = |kernel: &mut Kernel, f, g| {
        let simple = kernel.simplify(f, g)?;
        kernel.and(simple, g)
    };
    check(operation, LEFT & RIGHT);
}

#[test]
fn a_stopped_cover_can_be_redone() {
    let operation = |kernel: &mut Kernel, f, _| {
        let cubes = cover(kernel, f)?;
        let mut sum = Bdd::FALSE;
        for cube in cubes {
            let mut product = Bdd::TRUE;
            for (level, value) in cube {
                let literal = if value { kernel.var(level) } else { kernel.nvar(level) }?;
                product = kernel.and(product, literal)?;
            }
            sum = kernel.or(sum, product)?;
        }
        Ok(sum)
    };
    check(operation, LEFT);
}

#[test]
fn a_stop_ends_an_operation_within_a_few_thousand_nodes() {
    let budget = Budget::unlimited();
    let mut kernel = Kernel::new(60, budget.clone());
    // The variables of a pair are far apart in the order, so the conjunction has 2^30 nodes.
    let mut pairs = Bdd::TRUE;
    budget.stop(Limit::Interrupt);
    let mut build_pairs = || {
        for row in 0..30 {
            let (x, y) = (kernel.var(level(row))?, kernel.var(level(row + 30))?);
            let same = kernel.iff(x, y)?;
            pairs = kernel.and(pairs, same)?;
        }
        Ok::<(), Exhausted>(())
    };
    assert_eq!(build_pairs(), Err(Exhausted));
    assert!(kernel.created() < 4096, "{} nodes were made", kernel.created());
}
