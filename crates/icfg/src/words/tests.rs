//! Words against the numbers they stand for.

use super::{Builder, MAX_WIDTH, Moment, TooLarge, Word};
use crate::{Expr, ExprId, Exprs, VarId};
use hardbop_base::Idx;
use proptest::prelude::{Just, Strategy, any, proptest};
use proptest::{prop_assert_eq, prop_oneof};
use rustc_hash::FxHashMap;

/// A number of up to 12 bits, some of which are variables and some of which are constants.
#[derive(Clone, Debug)]
struct Number {
    value: u64,
    /// Which bits are variables.
    open: u64,
    width: usize,
}

fn number() -> impl Strategy<Value = Number> {
    let open = prop_oneof![3 => Just(u64::MAX), 1 => Just(0), 2 => any::<u64>()];
    (any::<u64>(), open, 0..12_usize).prop_map(|(value, open, width)| Number {
        value: value & ((1 << width) - 1),
        open,
        width,
    })
}

/// Builds in an arena and knows what the variables are.
struct Bench {
    exprs: Exprs,
    values: Vec<bool>,
}

impl Bench {
    fn new() -> Self {
        Self { exprs: Exprs::default(), values: Vec::new() }
    }

    fn words(&mut self, numbers: &[Number]) -> Vec<Word> {
        let Self { exprs, values } = self;
        let mut builder = Builder::new(exprs);
        let words = numbers.iter().map(|number| {
            let bits = (0..number.width).map(|place| {
                let value = number.value >> place & 1 == 1;
                if number.open >> place & 1 == 1 {
                    values.push(value);
                    builder.read(VarId::from_usize(values.len() - 1), Moment::Now)
                } else {
                    builder.constant(value)
                }
            });
            let bits = bits.collect();
            builder.word(bits).expect("the words are narrow")
        });
        words.collect()
    }

    fn build<T>(&mut self, make: impl FnOnce(&mut Builder<'_>) -> T) -> T {
        make(&mut Builder::new(&mut self.exprs))
    }

    fn truth(&self, expr: ExprId) -> bool {
        let mut known: FxHashMap<ExprId, bool> = FxHashMap::default();
        for id in (0..=expr.index()).map(ExprId::from_usize) {
            let value = match self.exprs.get(id) {
                Expr::Const(value) => value,
                Expr::Var(var) | Expr::Next(var) | Expr::Saved(var) => self.values[var.index()],
                Expr::Choice(_) => unreachable!("words have no choices"),
                Expr::Not(a) => !known[&a],
                Expr::And(a, b) => known[&a] & known[&b],
                Expr::Or(a, b) => known[&a] | known[&b],
                Expr::Xor(a, b) => known[&a] ^ known[&b],
                Expr::Iff(a, b) => known[&a] == known[&b],
                Expr::Implies(a, b) => !known[&a] | known[&b],
                Expr::Ite(a, b, c) => known[if known[&a] { &b } else { &c }],
            };
            known.insert(id, value);
        }
        known[&expr]
    }

    fn value(&self, word: &Word) -> u64 {
        let bits = word.bits().iter().enumerate();
        bits.map(|(place, &bit)| u64::from(self.truth(bit)) << place).sum()
    }
}

proptest! {
    #[test]
    fn sums_and_products_are_exact(a in number(), b in number()) {
        let mut bench = Bench::new();
        let words = bench.words(&[a.clone(), b.clone()]);
        let sum = bench.build(|builder| builder.add(&words[0], &words[1]).expect("the words are narrow"));
        prop_assert_eq!(bench.value(&sum), a.value + b.value);
        let product = bench.build(|builder| builder.mul(&words[0], &words[1]).expect("the words are narrow"));
        prop_assert_eq!(bench.value(&product), a.value * b.value);
    }

    #[test]
    fn differences_and_quotients_say_where_they_are_defined(a in number(), b in number()) {
        let mut bench = Bench::new();
        let words = bench.words(&[a.clone(), b.clone()]);
        let difference = bench.build(|builder| builder.sub(&words[0], &words[1]).expect("the words are narrow"));
        let found = bench.truth(difference.defined).then(|| bench.value(&difference.word));
        prop_assert_eq!(found, a.value.checked_sub(b.value));
        let division = bench.build(|builder| builder.divide(&words[0], &words[1]).expect("the words are narrow"));
        let found = bench.truth(division.quotient.defined).then(|| bench.value(&division.quotient.word));
        prop_assert_eq!(found, a.value.checked_div(b.value));
        let found = bench.truth(division.remainder.defined).then(|| bench.value(&division.remainder.word));
        prop_assert_eq!(found, a.value.checked_rem(b.value));
    }

    #[test]
    fn comparisons_agree_with_numbers(a in number(), b in number()) {
        let mut bench = Bench::new();
        let words = bench.words(&[a.clone(), b.clone()]);
        let results = bench.build(|builder| {
            let (x, y) = (&words[0], &words[1]);
            [builder.equal(x, y), builder.less(x, y), builder.less_or_equal(x, y)]
        });
        let found = results.map(|expr| bench.truth(expr));
        prop_assert_eq!(found, [a.value == b.value, a.value < b.value, a.value <= b.value]);
    }

    #[test]
    fn shifts_move_bits(a in number(), by in number()) {
        let mut bench = Bench::new();
        let by = Number { width: by.width.min(5), value: by.value & 31 & ((1 << by.width.min(5)) - 1), ..by };
        let words = bench.words(&[a.clone(), by.clone()]);
        let left = bench.build(|builder| builder.shl(&words[0], &words[1]).expect("the words are narrow"));
        prop_assert_eq!(bench.value(&left), a.value << by.value);
        let right = bench.build(|builder| builder.shr(&words[0], &words[1]));
        prop_assert_eq!(bench.value(&right), a.value >> by.value);
    }

    #[test]
    fn bits_are_combined_one_by_one(a in number(), b in number(), width in 0..14_usize) {
        let mut bench = Bench::new();
        let words = bench.words(&[a.clone(), b.clone()]);
        let results = bench.build(|builder| {
            let (x, y) = (&words[0], &words[1]);
            let fits = builder.fits(x, width);
            let test = builder.less(x, y);
            let words = [
                builder.and_word(x, y),
                builder.or_word(x, y),
                builder.xor_word(x, y),
                builder.ite_word(test, x, y),
                builder.cut(x, width),
            ];
            (fits, words)
        });
        let found = results.1.map(|word| bench.value(&word));
        let (x, y) = (a.value, b.value);
        prop_assert_eq!(found, [x & y, x | y, x ^ y, x.min(y), x & ((1 << width) - 1)]);
        prop_assert_eq!(bench.truth(results.0), x < 1 << width);
    }

    #[test]
    fn selection_finds_the_element_if_there_is_one(
        choices in proptest::collection::vec(number(), 0..6),
        index in 0..8_u64,
        open in any::<u64>(),
    ) {
        let mut bench = Bench::new();
        let words = bench.words(&choices);
        let place = bench.words(&[Number { value: index, open, width: 3 }]).remove(0);
        let selected = bench.build(|builder| builder.select(&words, &place));
        let found = bench.truth(selected.defined).then(|| bench.value(&selected.word));
        prop_assert_eq!(found, choices.get(index as usize).map(|choice| choice.value));
    }

    #[test]
    fn replaced_leaves_are_read_instead(a in number(), b in number()) {
        let mut bench = Bench::new();
        let words = bench.words(&[a.clone(), b.clone()]);
        let less = bench.build(|builder| builder.less(&words[0], &words[1]));
        let values = bench.values.clone();
        // With every variable replaced by its value nothing is left to read.
        let folded = bench.build(|builder| {
            builder.replace(less, &mut FxHashMap::default(), &mut |builder, leaf| match leaf {
                Expr::Var(var) => Some(builder.constant(values[var.index()])),
                _ => None,
            })
        });
        prop_assert_eq!(bench.exprs.get(folded), Expr::Const(a.value < b.value));
    }
}

/// Two variables and their negations.
fn leaves(builder: &mut Builder<'_>) -> [ExprId; 4] {
    let (x, y) = (builder.read(VarId::from_usize(0), Moment::Now), builder.read(VarId::from_usize(1), Moment::Now));
    [x, y, builder.not(x), builder.not(y)]
}

#[test]
fn what_is_always_so_is_folded() {
    let mut exprs = Exprs::default();
    let builder = &mut Builder::new(&mut exprs);
    let [x, y, not_x, _] = leaves(builder);
    let (yes, no) = (builder.constant(true), builder.constant(false));
    assert_eq!(builder.and(x, not_x), no);
    assert_eq!(builder.or(not_x, x), yes);
    assert_eq!(builder.not(not_x), x);
    assert_eq!(builder.iff(x, x), yes);
    assert_eq!(builder.xor(x, not_x), yes);
    assert_eq!(builder.ite(x, y, y), y);
    assert_eq!(builder.ite(x, yes, no), x);
    assert_eq!(builder.ite(not_x, no, yes), x);
    assert_eq!(builder.implies(x, x), yes);
    assert_eq!(builder.implies(not_x, x), x);
    assert_eq!(builder.and(x, y), builder.and(y, x));
    let (same, different) = (builder.iff(x, y), builder.xor(y, x));
    assert_eq!(builder.and(same, different), no);
    assert_eq!(builder.all([]), yes);
    assert_eq!(builder.any([]), no);
}

#[test]
fn every_function_of_two_variables_is_kept() {
    let mut bench = Bench { exprs: Exprs::default(), values: vec![false, false] };
    let leaves = bench.build(leaves);
    for a in leaves {
        for b in leaves {
            for c in leaves {
                let made = bench.build(|builder| {
                    let pairs = [
                        builder.and(a, b),
                        builder.or(a, b),
                        builder.xor(a, b),
                        builder.iff(a, b),
                        builder.implies(a, b),
                    ];
                    (pairs, builder.ite(a, b, c), builder.not(c))
                });
                for values in [[false, false], [false, true], [true, false], [true, true]] {
                    bench.values = values.to_vec();
                    let [x, y, z] = [a, b, c].map(|leaf| bench.truth(leaf));
                    let found = made.0.map(|expr| bench.truth(expr));
                    assert_eq!(found, [x & y, x | y, x ^ y, x == y, !x | y]);
                    assert_eq!(bench.truth(made.1), if x { y } else { z });
                    assert_eq!(bench.truth(made.2), !z);
                }
            }
        }
    }
}

#[test]
fn a_sum_grows_linearly() {
    let size = |width: usize| {
        let mut exprs = Exprs::default();
        let mut builder = Builder::new(&mut exprs);
        let vars: Vec<VarId> = (0..2 * width).map(VarId::from_usize).collect();
        let left = builder.variable(&vars[..width], Moment::Now);
        let right = builder.variable(&vars[width..], Moment::Next);
        builder.add(&left, &right).expect("the words are narrow");
        exprs.len()
    };
    assert!(size(200) <= 8 * 200, "{}", size(200));
}

#[test]
fn what_would_be_too_wide_is_refused() {
    let mut exprs = Exprs::default();
    let mut builder = Builder::new(&mut exprs);
    let vars: Vec<VarId> = (0..MAX_WIDTH).map(VarId::from_usize).collect();
    let (wide, narrow) = (builder.variable(&vars, Moment::Now), builder.variable(&vars[..13], Moment::Now));
    assert_eq!(builder.add(&wide, &wide), Err(TooLarge::Word));
    assert_eq!(builder.mul(&wide, &wide), Err(TooLarge::Product));
    assert_eq!(builder.div(&wide, &wide), Err(TooLarge::Product));
    assert_eq!(builder.shl(&wide, &narrow), Err(TooLarge::Word));
    let zero = builder.number(0);
    assert_eq!(builder.shl(&zero, &wide), Ok(zero));
    assert_eq!(builder.shr(&narrow, &wide).width(), 13);
}

#[test]
fn numbers_have_no_leading_zeros() {
    let mut exprs = Exprs::default();
    let mut builder = Builder::new(&mut exprs);
    let (five, no) = (builder.number(5), builder.constant(false));
    assert_eq!(five.width(), 3);
    assert_eq!(builder.value_of(&five), Some(5));
    let bits = five.bits().iter().copied().chain([no, no]).collect();
    assert_eq!(builder.word(bits), Ok(five));
    assert_eq!(builder.number(0).width(), 0);
    let largest = builder.number(u64::MAX);
    assert_eq!(builder.value_of(&largest), Some(u64::MAX));
}
