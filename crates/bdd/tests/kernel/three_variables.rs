//! Every operation on all functions of three variables. Handles are compared, not values, so canonicity is checked too.

use hardbop_bdd::{Bdd, Exhausted, Kernel};

use crate::truth::{Truth, all, build_all, kernel, level, read};

const LEVELS: usize = 3;

type Binary = fn(&mut Kernel, Bdd, Bdd) -> Result<Bdd, Exhausted>;

#[track_caller]
fn check(operation: Binary, meaning: fn(Truth, Truth) -> Truth) {
    let mut kernel = kernel(LEVELS);
    let functions = build_all(&mut kernel, LEVELS);
    for (left, &f) in (0..).zip(&functions) {
        for (right, &g) in (0..).zip(&functions) {
            let expected = functions[(meaning(left, right) & all(LEVELS)) as usize];
            assert_eq!(operation(&mut kernel, f, g), Ok(expected), "tables {left:#x} and {right:#x}");
        }
    }
}

#[track_caller]
fn check_question(question: fn(&mut Kernel, Bdd, Bdd) -> Result<bool, Exhausted>, meaning: fn(Truth, Truth) -> bool) {
    let mut kernel = kernel(LEVELS);
    let functions = build_all(&mut kernel, LEVELS);
    let before = kernel.created();
    for (left, &f) in (0..).zip(&functions) {
        for (right, &g) in (0..).zip(&functions) {
            let answer = question(&mut kernel, f, g);
            assert_eq!(answer, Ok(meaning(left, right)), "tables {left:#x} and {right:#x}");
        }
    }
    assert_eq!(kernel.created(), before, "a question makes no nodes");
}

#[test]
fn built_functions_have_the_values_of_their_tables() {
    let mut kernel = kernel(LEVELS);
    for (table, f) in (0..).zip(build_all(&mut kernel, LEVELS)) {
        assert_eq!(read(&kernel, LEVELS, f), table);
    }
}

#[test]
fn and_is_conjunction() {
    check(Kernel::and, |f, g| f & g);
}

#[test]
fn or_is_disjunction() {
    check(Kernel::or, |f, g| f | g);
}

#[test]
fn xor_is_difference_of_values() {
    check(Kernel::xor, |f, g| f ^ g);
}

#[test]
fn iff_is_equality_of_values() {
    check(Kernel::iff, |f, g| !(f ^ g));
}

#[test]
fn diff_is_conjunction_with_the_negation() {
    check(Kernel::diff, |f, g| f & !g);
}

#[test]
fn implies_is_disjunction_with_the_negation() {
    check(Kernel::implies, |f, g| !f | g);
}

#[test]
fn not_is_negation() {
    check(|kernel, f, _| kernel.not(f), |f, _| !f);
}

#[test]
fn disjoint_asks_for_an_empty_conjunction() {
    check_question(Kernel::disjoint, |f, g| f & g == 0);
}

#[test]
fn implies_check_asks_for_inclusion() {
    check_question(Kernel::implies_check, |f, g| f & !g == 0);
}

#[test]
fn ite_chooses() {
    let mut kernel = kernel(LEVELS);
    let functions = build_all(&mut kernel, LEVELS);
    for (test, &f) in (0..256).zip(&functions) {
        for (yes, &g) in (0..256).zip(&functions) {
            for (no, &h) in (0..256).zip(&functions) {
                let expected = functions[test & yes | !test & no];
                assert_eq!(kernel.ite(f, g, h), Ok(expected), "tables {test:#x}, {yes:#x}, {no:#x}");
            }
        }
    }
}

#[test]
fn simplify_agrees_on_the_care_set_and_never_grows() {
    let mut kernel = kernel(LEVELS);
    let functions = build_all(&mut kernel, LEVELS);
    for (table, &f) in (0..).zip(&functions) {
        for (care, &c) in (0..).zip(&functions) {
            let simple = kernel.simplify(f, c).unwrap();
            assert_eq!(read(&kernel, LEVELS, simple) & care, table & care, "table {table:#x} within {care:#x}");
            assert!(kernel.size(simple) <= kernel.size(f), "table {table:#x} within {care:#x}");
        }
    }
}

#[test]
fn models_are_counted_and_the_picked_one_is_a_model() {
    let mut kernel = kernel(LEVELS);
    let over = [level(0), level(1), level(2)];
    for (table, f) in (0u64..).zip(build_all(&mut kernel, LEVELS)) {
        assert_eq!(kernel.count(f, &over), f64::from(table.count_ones()));
        let picked = kernel.pick(f);
        assert_eq!(picked.is_none(), f.is_false());
        for (row, f) in picked.into_iter().flatten().scan(f, |f, (level, value)| {
            let (top, low, high) = kernel.branch(*f).unwrap();
            assert_eq!(top, level);
            assert!(!value || low.is_false(), "the low branch is preferred");
            *f = if value { high } else { low };
            Some((level, *f))
        }) {
            assert!(!f.is_false(), "the path to {row} stays inside");
        }
    }
}

#[test]
fn support_is_what_a_function_depends_on() {
    let mut kernel = kernel(LEVELS);
    let functions = build_all(&mut kernel, LEVELS);
    for (table, &f) in (0u64..).zip(&functions) {
        let depends = |row: usize| (0..8).any(|place| (table >> place ^ table >> (place ^ 1 << row)) & 1 == 1);
        let expected: Vec<_> = (0..LEVELS).filter(|&row| depends(row)).map(level).collect();
        assert_eq!(kernel.support(f), expected, "table {table:#x}");
    }
}
