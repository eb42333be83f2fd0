//! Images of all pairs of functions of three variables under every plan that keeps the order, in a kernel of four levels.

use hardbop_base::Idx;
use hardbop_bdd::{Bdd, Fate, Kernel, Level};

use crate::truth::{Truth, build, build_all, kernel, level};

const LEVELS: usize = 3;
const TARGETS: usize = 4;

/// Where each of the three variables goes; `None` forgets it.
type Targets = [Option<usize>; LEVELS];

#[test]
fn image_forgets_and_moves_the_conjunction() {
    let mut kernel = kernel(TARGETS);
    let functions = build_all(&mut kernel, LEVELS);
    for targets in order_keeping() {
        let plan = kernel.plan(fates(targets));
        let expected: Vec<Bdd> = (0..256).map(|table| moved(&mut kernel, table, targets)).collect();
        for (left, &f) in functions.iter().enumerate() {
            for (right, &g) in functions.iter().enumerate() {
                let image = kernel.image(f, g, plan);
                assert_eq!(image, Ok(expected[left & right]), "tables {left:#x}, {right:#x}, plan {targets:?}");
            }
        }
    }
}

#[test]
fn transform_is_the_image_of_one_function() {
    let mut kernel = kernel(TARGETS);
    let functions = build_all(&mut kernel, LEVELS);
    for targets in order_keeping() {
        let plan = kernel.plan(fates(targets));
        for (table, &f) in (0..).zip(&functions) {
            let expected = moved(&mut kernel, table, targets);
            assert_eq!(kernel.transform(f, plan), Ok(expected), "table {table:#x}, plan {targets:?}");
        }
    }
}

#[test]
fn a_move_onto_a_kept_level_is_fine_where_that_level_does_not_occur() {
    let mut kernel = kernel(2);
    let [current, next] = [level(0), level(1)];
    let (x, y) = (kernel.var(current).unwrap(), kernel.var(next).unwrap());
    let plan = kernel.plan([(next, Fate::MoveTo(current))]);
    assert_eq!(kernel.transform(y, plan), Ok(x));
}

fn fates(targets: Targets) -> impl Iterator<Item = (Level, Fate)> {
    targets.into_iter().enumerate().map(|(from, to)| match to {
        None => (level(from), Fate::Forget),
        Some(to) if to == from => (level(from), Fate::Keep),
        Some(to) => (level(from), Fate::MoveTo(level(to))),
    })
}

// All plans in which the variables that stay keep their order.
fn order_keeping() -> Vec<Targets> {
    let choices = || (0..TARGETS).map(Some).chain([None]);
    let mut plans = Vec::new();
    for a in choices() {
        for b in choices() {
            for c in choices() {
                let targets = [a, b, c];
                let staying: Vec<usize> = targets.into_iter().flatten().collect();
                if staying.is_sorted_by(|first, second| first < second) {
                    plans.push(targets);
                }
            }
        }
    }
    assert_eq!(plans.len(), 35, "Σ over k of (3 choose k) (4 choose k)");
    plans
}

// The meaning of a plan, place by place.
fn moved(kernel: &mut Kernel, table: Truth, targets: Targets) -> Bdd {
    let mut result: Truth = 0;
    for after in 0..1 << TARGETS {
        for before in (0..1 << LEVELS).filter(|before| table >> before & 1 == 1) {
            let agrees = targets
                .into_iter()
                .enumerate()
                .all(|(from, to)| to.is_none_or(|to| before >> from & 1 == after >> level(to).index() & 1));
            result |= Truth::from(agrees) << after;
        }
    }
    build(kernel, TARGETS, result).unwrap()
}
