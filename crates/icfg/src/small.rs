//! Small numbers: the value of an integer while it lies in a range, otherwise only on which side of it.
//!
//! A program compares its flags, counters and error codes with a few constants; a [`Range`] covers these. A number is a
//! code: `below`, one for each value of the range, `above`, as a [`Word`] of boolean expressions. Operations are exact
//! while they stay in the range, and take in all that can be where they leave it; integers wrap around.
//!
//! **Invariant:** a code that is larger than needed means `above`, so that any word of the right width is a number.

use crate::words::{Builder, Word};
use crate::{ChoiceId, ExprId};
use hardbop_base::Idx;

/// The widest range.
pub const MOST_VALUES: i128 = 256;

/// The values that are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// The first of them.
    pub low: i128,
    /// The last of them.
    pub high: i128,
    /// The least value of the type.
    pub least: i128,
    /// Its greatest value.
    pub most: i128,
}

/// What a code says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// This value.
    Is(i128),
    /// Less than this.
    Below(i128),
    /// More than this.
    Above(i128),
}

impl std::fmt::Display for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Is(value) => write!(f, "{value}"),
            Self::Below(low) => write!(f, "less than {low}"),
            Self::Above(high) => write!(f, "more than {high}"),
        }
    }
}

/// Comparisons of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// `=`
    Equal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
}

/// The choices of one label.
#[derive(Default, Debug)]
pub struct Choices {
    /// How many there are.
    pub count: u32,
}

impl Choices {
    /// One more: either value.
    pub fn either(&mut self, builder: &mut Builder<'_>) -> ExprId {
        let choice = ChoiceId::from_usize(self.count as usize);
        self.count += 1;
        builder.choice(choice)
    }
}

impl Range {
    /// The bits of a number.
    pub fn width(&self) -> usize {
        (u64::BITS - self.above().leading_zeros()) as usize
    }

    fn has_below(&self) -> bool {
        self.least < self.low
    }

    fn has_above(&self) -> bool {
        self.high < self.most
    }

    /// The code of the value `low`.
    fn first(&self) -> i128 {
        i128::from(self.has_below())
    }

    /// The code of a value of the range, or of the one right after it.
    fn code(&self, value: i128) -> u64 {
        u64::try_from(value - self.low + self.first()).expect("the value is not below the range")
    }

    /// The code that says `above`.
    fn above(&self) -> u64 {
        self.code(self.high + 1)
    }

    /// The number `value`.
    pub fn constant(&self, builder: &mut Builder<'_>, value: i128) -> Word {
        let code = if value < self.low { 0 } else { self.code(value.min(self.high + 1)) };
        builder.number(code)
    }

    /// The number with this code.
    pub fn read(&self, code: u64) -> Reading {
        let value = self.low + i128::from(code) - self.first();
        match value {
            // Where the type has but one value there, it is this one.
            _ if value < self.low && value > self.least => Reading::Below(self.low),
            _ if value > self.high && value < self.most => Reading::Above(self.high),
            _ => Reading::Is(value),
        }
    }

    /// The number of another range, as far as it is known here.
    pub fn convert(&self, builder: &mut Builder<'_>, number: &Word, from: &Self, choices: &mut Choices) -> Word {
        if self == from {
            return number.clone();
        }
        let (low, high) = (self.low.max(from.low), self.high.min(from.high));
        let other = self.any(builder, choices);
        if low > high {
            return other;
        }
        let (first, last) = (builder.number(from.code(low)), builder.number(from.code(high)));
        let is_high_enough = builder.less_or_equal(&first, number);
        let is_low_enough = builder.less_or_equal(number, &last);
        let is_inside = builder.and(is_high_enough, is_low_enough);
        let (there, here) = (from.code(low), self.code(low));
        let distance = builder.number(there.abs_diff(here));
        let moved = if here >= there {
            builder.add(number, &distance).expect("a small number is no wide word")
        } else {
            builder.sub(number, &distance).expect("a small number is no wide word").word
        };
        let keeps = self.least <= from.least && from.most <= self.most;
        let other = if keeps { self.convert_sides(builder, number, from, other) } else { other };
        builder.ite_word(is_inside, &moved, &other)
    }

    /// What is on one side of the other range is on the same side of this, where both end at the same value.
    fn convert_sides(&self, builder: &mut Builder<'_>, number: &Word, from: &Self, mut other: Word) -> Word {
        if self.low == from.low && from.has_below() {
            let (is_below, below) = (from.is_below(builder, number), builder.number(0));
            other = builder.ite_word(is_below, &below, &other);
        }
        if self.high == from.high && from.has_above() {
            let (is_above, above) = (from.is_above(builder, number), builder.number(self.above()));
            other = builder.ite_word(is_above, &above, &other);
        }
        other
    }

    /// Any number.
    pub fn any(&self, builder: &mut Builder<'_>, choices: &mut Choices) -> Word {
        let bits = (0..self.width()).map(|_| choices.either(builder)).collect();
        builder.word(bits).expect("a small number is no wide word")
    }

    fn is_below(&self, builder: &mut Builder<'_>, number: &Word) -> ExprId {
        let zero = builder.number(0);
        if self.has_below() { builder.equal(number, &zero) } else { builder.constant(false) }
    }

    fn is_above(&self, builder: &mut Builder<'_>, number: &Word) -> ExprId {
        let above = builder.number(self.above());
        builder.less_or_equal(&above, number)
    }

    /// `number + difference`.
    pub fn plus(&self, builder: &mut Builder<'_>, number: &Word, difference: i128, choices: &mut Choices) -> Word {
        // A step that is longer than the range leads out of it from everywhere.
        if difference.abs() > self.high - self.low + 1 {
            return self.any(builder, choices);
        }
        let mut step = Step { range: self, difference, choices, coin: None, any: None };
        let inside = step.inside(builder, number);
        let (below, above) = (step.leave_below(builder), step.leave_above(builder));
        let (is_below, is_above) = (self.is_below(builder, number), self.is_above(builder, number));
        let high = builder.ite_word(is_above, &above, &inside);
        builder.ite_word(is_below, &below, &high)
    }

    /// `number + difference`, whether it is computed in the number's own type, and wraps around, or in a wider one. The
    /// range of the result may be of a wider type.
    pub fn plus_freely(
        &self,
        builder: &mut Builder<'_>,
        number: &Word,
        difference: i128,
        choices: &mut Choices,
    ) -> (Self, Word) {
        let open = Self { least: self.least.min(self.low - 1), most: self.most.max(self.high + 1), ..*self };
        if open == *self {
            return (open, self.plus(builder, number, difference, choices));
        }
        let anything = open.any(builder, choices);
        if difference.abs() > self.high - self.low + 1 {
            return (open, anything);
        }
        let sum = self.plus(builder, number, difference, choices);
        let sum = open.convert(builder, &sum, self, choices);
        // Beyond the range, a short step does not lead past its other end; only where the range ends with the type
        // does it lead to where no code says.
        if if difference < 0 { self.has_below() } else { self.has_above() } {
            return (open, sum);
        }
        let edge = if difference < 0 { self.low - difference } else { self.high + 1 - difference };
        let is_less = self.compare_constant(builder, number, Order::Less, edge, choices);
        let leaves = if difference < 0 { is_less } else { builder.not(is_less) };
        (open, builder.ite_word(leaves, &anything, &sum))
    }

    /// What the type makes of a number.
    pub fn wrap(&self, value: i128) -> i128 {
        (value - self.least).rem_euclid(self.most - self.least + 1) + self.least
    }

    /// Whether `left` and `right`, both of this range, are in that order.
    pub fn compare(
        &self,
        builder: &mut Builder<'_>,
        left: &Word,
        order: Order,
        right: &Word,
        choices: &mut Choices,
    ) -> ExprId {
        let known = match order {
            Order::Equal => builder.equal(left, right),
            Order::Less => builder.less(left, right),
            Order::AtMost => builder.less_or_equal(left, right),
        };
        // Two numbers on the same side of the range may be in any order.
        let sides = [Self::is_below, Self::is_above].map(|side| {
            let (left, right) = (side(self, builder, left), side(self, builder, right));
            builder.and(left, right)
        });
        let is_open = builder.or(sides[0], sides[1]);
        let choice = choices.either(builder);
        builder.ite(is_open, choice, known)
    }

    /// Whether `number` and a constant are in that order.
    pub fn compare_constant(
        &self,
        builder: &mut Builder<'_>,
        number: &Word,
        order: Order,
        value: i128,
        choices: &mut Choices,
    ) -> ExprId {
        match order {
            Order::AtMost => self.compare_constant(builder, number, Order::Less, value + 1, choices),
            Order::Equal if (self.low..=self.high).contains(&value) => {
                let value = self.constant(builder, value);
                builder.equal(number, &value)
            }
            Order::Equal if !(self.least..=self.most).contains(&value) => builder.constant(false),
            Order::Equal => {
                let is_there = self.is_on_side_of(builder, number, value);
                let choice = choices.either(builder);
                builder.and(is_there, choice)
            }
            Order::Less if value <= self.least => builder.constant(false),
            Order::Less if value > self.most => builder.constant(true),
            Order::Less if (self.low..=self.high + 1).contains(&value) => {
                let value = builder.number(self.code(value));
                builder.less(number, &value)
            }
            Order::Less => {
                let is_there = self.is_on_side_of(builder, number, value);
                let choice = choices.either(builder);
                let elsewhere = builder.constant(value > self.high);
                builder.ite(is_there, choice, elsewhere)
            }
        }
    }

    /// Whether `number` is on the side of the range where `value`, which is not in it, is.
    fn is_on_side_of(&self, builder: &mut Builder<'_>, number: &Word, value: i128) -> ExprId {
        if value < self.low { self.is_below(builder, number) } else { self.is_above(builder, number) }
    }
}

/// An addition. Its cases exclude each other, so they share their choices.
struct Step<'a> {
    range: &'a Range,
    difference: i128,
    choices: &'a mut Choices,
    coin: Option<ExprId>,
    any: Option<Word>,
}

impl Step<'_> {
    fn any(&mut self, builder: &mut Builder<'_>) -> Word {
        let any = self.any.take().unwrap_or_else(|| self.range.any(builder, self.choices));
        self.any.insert(any).clone()
    }

    fn either(&mut self, builder: &mut Builder<'_>, one: u64, other: u64) -> Word {
        let coin = *self.coin.get_or_insert_with(|| self.choices.either(builder));
        let (one, other) = (builder.number(one), builder.number(other));
        builder.ite_word(coin, &one, &other)
    }

    /// From a value of the range.
    fn inside(&mut self, builder: &mut Builder<'_>, number: &Word) -> Word {
        let distance = builder.number(u64::try_from(self.difference.unsigned_abs()).expect("a step is not long"));
        let range = self.range;
        let (result, is_inside, outside) = if self.difference >= 0 {
            let sum = builder.add(number, &distance).expect("a small number is no wide word");
            let last = builder.number(range.code(range.high));
            let is_inside = builder.less_or_equal(&sum, &last);
            (sum, is_inside, (range.high + self.difference <= range.most).then(|| range.above()))
        } else {
            let result = builder.sub(number, &distance).expect("a small number is no wide word");
            let first = builder.number(range.code(range.low));
            let is_inside = builder.less_or_equal(&first, &result.word);
            let is_inside = builder.and(is_inside, result.defined);
            (result.word, is_inside, (range.low + self.difference >= range.least).then_some(0))
        };
        let outside = outside.map(|code| builder.number(code)).unwrap_or_else(|| self.any(builder));
        builder.ite_word(is_inside, &result, &outside)
    }

    /// From below the range.
    fn leave_below(&mut self, builder: &mut Builder<'_>) -> Word {
        let range = self.range;
        match self.difference {
            0 => builder.number(0),
            1 if range.least == range.low - 1 => builder.number(range.code(range.low)),
            1 => self.either(builder, 0, range.code(range.low)),
            // It stays below, or wraps around to the greatest value.
            -1 if range.has_above() => self.either(builder, 0, range.above()),
            _ => self.any(builder),
        }
    }

    /// From above the range.
    fn leave_above(&mut self, builder: &mut Builder<'_>) -> Word {
        let range = self.range;
        match self.difference {
            0 => builder.number(range.above()),
            -1 => self.either(builder, range.above(), range.code(range.high)),
            1 if range.has_below() => self.either(builder, range.above(), 0),
            _ => self.any(builder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Possible;
    use crate::words::Moment;
    use crate::{Expr, Exprs, VarId};
    use std::collections::BTreeSet;

    const LEAST: i128 = -8;
    const MOST: i128 = 7;

    /// All ranges of a type of four bits.
    fn ranges() -> impl Iterator<Item = Range> {
        let pairs = (LEAST..=MOST).flat_map(|low| (low..=MOST).map(move |high| (low, high)));
        pairs.map(|(low, high)| Range { low, high, least: LEAST, most: MOST })
    }

    fn wrap(value: i128) -> i128 {
        (value - LEAST).rem_euclid(MOST - LEAST + 1) + LEAST
    }

    /// The code of a value, `above` told from what is larger.
    fn code(range: &Range, value: i128) -> u64 {
        if value < range.low { 0 } else { range.code(value.min(range.high + 1)) }
    }

    fn bits(width: usize, first: usize) -> Vec<VarId> {
        (first..first + width).map(VarId::from_usize).collect()
    }

    /// The values that `expr` takes over all choices, with variables as `codes` says.
    fn values(exprs: &Exprs, parts: &[ExprId], choices: u32, codes: u64) -> BTreeSet<u64> {
        let value = |part: ExprId, picks: u32| {
            let leaf = |leaf: Expr| match leaf {
                Expr::Var(var) => Possible::only(codes >> var.index() & 1 == 1),
                Expr::Choice(choice) => Possible::only(picks >> choice.index() & 1 == 1),
                _ => Possible::ANY,
            };
            u64::from(exprs.possible(part, &leaf).definite().expect("every leaf has a value"))
        };
        let number = |picks| parts.iter().enumerate().map(|(bit, &part)| value(part, picks) << bit).sum();
        (0..1 << choices).map(number).collect()
    }

    #[test]
    fn sums_take_in_every_value_and_are_exact_inside() {
        for range in ranges() {
            for difference in -3..=3 {
                let mut exprs = Exprs::default();
                let (mut builder, mut choices) = (Builder::new(&mut exprs), Choices::default());
                let number = builder.variable(&bits(range.width(), 0), Moment::Now);
                let sum = range.plus(&mut builder, &number, difference, &mut choices);
                let sum = builder.bits_of(&sum, range.width());
                for value in LEAST..=MOST {
                    let found = values(&exprs, &sum, choices.count, code(&range, value));
                    let found: BTreeSet<u64> = found.into_iter().map(|code| code.min(range.above())).collect();
                    let wanted = code(&range, wrap(value + difference));
                    assert!(found.contains(&wanted), "{range:?}: {value} + {difference} is not in {found:?}");
                    let is_inside = |value| (range.low..=range.high).contains(&value);
                    if is_inside(value) && is_inside(value + difference) {
                        assert_eq!(found.len(), 1, "{range:?}: {value} + {difference}");
                    }
                }
            }
        }
    }

    #[test]
    fn sums_of_a_wider_type_are_taken_in_too() {
        let is_at_the_end = |range: &Range| range.low == LEAST || range.high == MOST;
        for range in ranges().filter(|range| is_at_the_end(range) && range.high - range.low < 3) {
            for difference in -4..=4 {
                let mut exprs = Exprs::default();
                let (mut builder, mut choices) = (Builder::new(&mut exprs), Choices::default());
                let number = builder.variable(&bits(range.width(), 0), Moment::Now);
                let (wider, sum) = range.plus_freely(&mut builder, &number, difference, &mut choices);
                let sum = builder.bits_of(&sum, wider.width());
                for value in LEAST..=MOST {
                    let found = values(&exprs, &sum, choices.count, code(&range, value));
                    let found: BTreeSet<u64> = found.into_iter().map(|code| code.min(wider.above())).collect();
                    for sum in [value + difference, wrap(value + difference)] {
                        let wanted = code(&wider, sum);
                        let is_there = found.contains(&wanted);
                        assert!(is_there, "{range:?}: {value} + {difference} = {sum} is not in {found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_step_over_the_edge_of_the_range_is_seen() {
        let range = Range { low: 0, high: 3, least: -128, most: 127 };
        let mut exprs = Exprs::default();
        let (mut builder, mut choices) = (Builder::new(&mut exprs), Choices::default());
        let number = builder.variable(&bits(range.width(), 0), Moment::Now);
        let sum = range.plus(&mut builder, &number, 1, &mut choices);
        let sum = builder.bits_of(&sum, range.width());
        let from = |value| values(&exprs, &sum, choices.count, code(&range, value));
        assert_eq!(from(3), [range.above()].into());
        assert_eq!(from(-1), [0, range.code(0)].into());
        assert_eq!(from(9), [0, range.above()].into());
    }

    #[test]
    fn comparisons_allow_the_right_answer_and_know_it_inside() {
        for range in ranges() {
            for order in [Order::Equal, Order::Less, Order::AtMost] {
                check_comparison(&range, order);
            }
        }
    }

    fn check_comparison(range: &Range, order: Order) {
        let right_answer = |left: i128, right: i128| match order {
            Order::Equal => left == right,
            Order::Less => left < right,
            Order::AtMost => left <= right,
        };
        let is_inside = |value| (range.low..=range.high).contains(&value);
        let mut exprs = Exprs::default();
        let (mut builder, mut choices) = (Builder::new(&mut exprs), Choices::default());
        let width = range.width();
        let (left, right) =
            (builder.variable(&bits(width, 0), Moment::Now), builder.variable(&bits(width, width), Moment::Now));
        let both = range.compare(&mut builder, &left, order, &right, &mut choices);
        // Constants outside of the type, too.
        let constants: Vec<_> = (LEAST - 2..=MOST + 2)
            .map(|value| {
                let mut choices = Choices::default();
                let answer = range.compare_constant(&mut builder, &left, order, value, &mut choices);
                (value, answer, choices.count)
            })
            .collect();
        for a in LEAST..=MOST {
            for b in LEAST..=MOST {
                let found = values(&exprs, &[both], choices.count, code(range, a) | code(range, b) << width);
                assert!(found.contains(&u64::from(right_answer(a, b))), "{range:?}: {a} {order:?} {b}");
                assert!(found.len() == 1 || !is_inside(a) && !is_inside(b), "{range:?}: {a} {order:?} {b}");
            }
            for &(b, answer, choices) in &constants {
                let found = values(&exprs, &[answer], choices, code(range, a));
                assert!(found.contains(&u64::from(right_answer(a, b))), "{range:?}: {a} {order:?} {b}");
                assert!(found.len() == 1 || !is_inside(a), "{range:?}: {a} {order:?} {b}");
            }
        }
    }
}
