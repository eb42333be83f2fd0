//! Formulas for single functions.

use crate::language::Parsed;
use expect_test::{Expect, expect};
use hardbop_base::{Budget, Exhausted, Idx, Limit};
use hardbop_bdd::{Bdd, Kernel, Level};
use hardbop_pushdown::invariants::readable::{Formula, Order, describe};
use proptest::prelude::{any, prop_assert_eq, prop_assume, proptest};

const NAMES: [&str; 5] = ["a", "b", "{c == 0}", "d", "e"];

fn kernel(levels: usize) -> Kernel {
    Kernel::new(levels, Budget::unlimited())
}

/// The function over levels from `first` on whose values at `0..2^count` are the bits of `table`, the first level being
/// the highest digit.
fn function(kernel: &mut Kernel, first: usize, count: usize, table: &dyn Fn(usize) -> bool) -> Bdd {
    fn build(kernel: &mut Kernel, level: usize, end: usize, row: usize, table: &dyn Fn(usize) -> bool) -> Bdd {
        if level == end {
            return Bdd::from(table(row));
        }
        let low = build(kernel, level + 1, end, 2 * row, table);
        let high = build(kernel, level + 1, end, 2 * row + 1, table);
        let var = kernel.var(Level::from_usize(level)).expect("there is no limit");
        kernel.ite(var, high, low).expect("there is no limit")
    }
    build(kernel, first, first + count, 0, table)
}

fn formula(kernel: &mut Kernel, f: Bdd) -> Formula {
    let order = Order::of_levels(kernel.levels());
    describe(kernel, f, &order).expect("there is no limit").expect("it is short")
}

fn text(formula: &Formula) -> String {
    formula.text(&|level| NAMES[level.index()])
}

fn values(row: usize, count: usize) -> Vec<bool> {
    (0..count).map(|place| row >> (count - 1 - place) & 1 == 1).collect()
}

/// The formula for the function of `source`, an expression over [`NAMES`].
#[track_caller]
fn check(source: &str, expect: Expect) {
    let parsed = Parsed::new(source, &NAMES);
    let mut kernel = kernel(NAMES.len());
    let f = function(&mut kernel, 0, NAMES.len(), &|row| parsed.value(&values(row, NAMES.len())));
    expect.assert_eq(&text(&formula(&mut kernel, f)));
}

#[test]
fn constants_are_constants() {
    check("a | !a", expect!["T"]);
    check("a & !a", expect!["F"]);
}

#[test]
fn implied_literals_come_first() {
    check("(a <=> !b) & !e & d", expect!["d & !e & (a <=> !b)"]);
}

#[test]
fn equivalent_variables_are_one() {
    check("(a <=> b) & (b <=> !{c == 0}) & (a | d)", expect!["(a <=> b) & (a <=> !{c == 0}) & (a | d)"]);
}

#[test]
fn independent_parts_are_apart() {
    check("(a & d | !a & !d & e) & (b | {c == 0})", expect!["(a <=> d) & (a | e) & (b | {c == 0})"]);
    check("a & d | b & e | !{c == 0}", expect!["{c == 0} => a & d | b & e"]);
    check("(a => b) & ({c == 0} => d)", expect!["(a => b) & ({c == 0} => d)"]);
    check("(a <=> b) | (d <=> !e)", expect!["(a <=> b) | (d <=> !e)"]);
}

#[test]
fn the_shorter_of_sum_and_product_is_taken() {
    check("(a | b) & (b | d) & (a | d)", expect!["a & b | a & d | b & d"]);
    check("a & b | b & d & e | a & d", expect!["a & b | a & d | b & d & e"]);
    check("(a | b | d) & (b | d | e) & (a | e)", expect!["(a | e) & (a | b | d) & (b | d | e)"]);
}

#[test]
fn negated_variables_are_premises() {
    check("!a | b", expect!["a => b"]);
    check("!a | !b", expect!["!a | !b"]);
    check("!a | !b | d | e", expect!["a & b => d | e"]);
    check("a => b & d", expect!["a => b & d"]);
    check("a => (b <=> d)", expect!["a => (b <=> d)"]);
    check("(a => b) & (b => d) & (a => e)", expect!["(a => b) & (a => e) & (b => d)"]);
}

#[test]
fn what_others_determine_is_defined() {
    check("d <=> a & b", expect!["d <=> a & b"]);
    check("d <=> (a => b)", expect!["d <=> (a => b)"]);
    check("(d <=> a & b) & (e <=> a | b)", expect!["(d <=> a & b) & (e <=> a | b)"]);
    check("a ^ b ^ d", expect!["a <=> (b <=> d)"]);
    check("e <=> (a ? b : d)", expect!["e <=> a & b | !a & d"]);
}

#[test]
fn all_functions_of_three_variables_keep_their_meaning() {
    let mut kernel = kernel(3);
    for table in 0..256usize {
        let f = function(&mut kernel, 0, 3, &|row| table >> row & 1 == 1);
        let text = text(&formula(&mut kernel, f));
        let parsed = Parsed::new(&text, &NAMES[..3]);
        for row in 0..8 {
            assert_eq!(parsed.value(&values(row, 3)), table >> row & 1 == 1, "{table:#b} {row} {text}");
        }
    }
}

proptest! {
    #[test]
    fn formulas_keep_their_meaning(table in any::<u32>(), mask in any::<u32>(), given in 0..=5usize) {
        // Also functions that are rarely true.
        for table in [table, table & mask, table | mask] {
            let mut kernel = kernel(5);
            let f = function(&mut kernel, 0, 5, &|row| table >> row & 1 == 1);
            let levels = || (0..5).map(Level::from_usize);
            let order = Order::new(levels().skip(given), levels().take(given));
            let formula = describe(&mut kernel, f, &order).unwrap().expect("it is short");
            let text = text(&formula);
            let parsed = Parsed::new(&text, &NAMES);
            for row in 0..32 {
                prop_assert_eq!(parsed.value(&values(row, 5)), table >> row & 1 == 1, "{} {}", row, text);
            }
        }
    }

    #[test]
    fn the_formula_of_a_product_is_the_product(left in any::<u16>(), right in any::<u16>()) {
        prop_assume!(![left, right].contains(&0) && ![left, right].contains(&u16::MAX));
        let mut kernel = kernel(8);
        let left = function(&mut kernel, 0, 4, &|row| left >> row & 1 == 1);
        let right = function(&mut kernel, 4, 4, &|row| right >> row & 1 == 1);
        let product = kernel.and(left, right).unwrap();
        let sum = kernel.or(left, right).unwrap();
        let lengths = [left, right].map(|f| formula(&mut kernel, f).length());
        prop_assert_eq!(formula(&mut kernel, product).length(), lengths[0] + lengths[1]);
        prop_assert_eq!(formula(&mut kernel, sum).length(), lengths[0] + lengths[1]);
    }
}

/// A function without any structure.
fn scrambled(kernel: &mut Kernel, count: usize) -> Bdd {
    function(kernel, 0, count, &|row| {
        (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(row as u64 | 1) >> 40 & 1 == 1
    })
}

#[test]
fn what_has_no_short_formula_gets_none() {
    let mut kernel = kernel(12);
    let f = scrambled(&mut kernel, 12);
    let order = Order::of_levels(12);
    assert_eq!(describe(&mut kernel, f, &order), Ok(None));
}

#[test]
fn many_variables_still_get_a_formula() {
    let mut kernel = kernel(60);
    let mut f = Bdd::TRUE;
    for level in (0..60).step_by(2).rev() {
        let [one, other] = [level, level + 1].map(|level| kernel.var(Level::from_usize(level)).unwrap());
        let same = kernel.iff(one, other).unwrap();
        f = kernel.and(same, f).unwrap();
    }
    let length = formula(&mut kernel, f).length();
    assert_eq!(length, 120, "two implications for each pair");
}

#[test]
fn a_spent_budget_ends_the_search() {
    let mut kernel = kernel(12);
    let f = scrambled(&mut kernel, 12);
    let order = Order::of_levels(12);
    let budget = Budget::unlimited();
    kernel.set_budget(budget.with_allowance(3_000));
    assert_eq!(describe(&mut kernel, f, &order), Err(Exhausted));
    kernel.set_budget(budget.clone());
    budget.stop(Limit::Time);
    assert_eq!(describe(&mut kernel, f, &order), Err(Exhausted));
}
