//! Covers of all functions of three variables, and of all intervals between two of them.

use hardbop_base::Idx;
use hardbop_bdd::{Cube, cover, cover_between};

use crate::truth::{Truth, build, build_all, kernel};

const LEVELS: usize = 3;

#[track_caller]
fn check(cubes: &[Cube], lower: Truth, upper: Truth) {
    let tables: Vec<Truth> = cubes.iter().map(table).collect();
    let sum = |skipped: Option<usize>| {
        tables.iter().enumerate().filter(|&(i, _)| Some(i) != skipped).fold(0, |sum, (_, table)| sum | table)
    };
    assert_eq!(lower & !sum(None), 0, "{cubes:?} covers {lower:#x}");
    assert_eq!(sum(None) & !upper, 0, "{cubes:?} stays within {upper:#x}");
    for skipped in 0..cubes.len() {
        assert_ne!(lower & !sum(Some(skipped)), 0, "{cubes:?} covers {lower:#x} without cube {skipped}");
    }
}

fn table(cube: &Cube) -> Truth {
    (0..1 << LEVELS)
        .filter(|place| cube.iter().all(|&(level, value)| (place >> level.index() & 1 == 1) == value))
        .fold(0, |table, place| table | 1 << place)
}

#[test]
fn a_cover_is_its_function_and_no_cube_can_be_left_out() {
    let mut kernel = kernel(LEVELS);
    for (table, f) in (0..).zip(build_all(&mut kernel, LEVELS)) {
        check(&cover(&mut kernel, f).unwrap(), table, table);
    }
}

#[test]
fn a_cover_of_an_interval_lies_inside_it_and_no_cube_can_be_left_out() {
    let mut kernel = kernel(LEVELS);
    let functions = build_all(&mut kernel, LEVELS);
    for (lower, &f) in (0..).zip(&functions) {
        for (upper, &g) in (0..).zip(&functions).filter(|(upper, _)| lower & !upper == 0) {
            check(&cover_between(&mut kernel, f, g).unwrap(), lower, upper);
        }
    }
}

#[test]
fn what_cannot_happen_makes_a_cover_shorter() {
    let mut kernel = kernel(LEVELS);
    // All three equal and true, where the only other possibility is all three false.
    let lower = build(&mut kernel, LEVELS, 0x80).unwrap();
    let upper = build(&mut kernel, LEVELS, 0xfe).unwrap();
    let cubes = cover_between(&mut kernel, lower, upper).unwrap();
    assert_eq!(cubes.len(), 1);
    assert_eq!(cubes[0].len(), 1);
}
