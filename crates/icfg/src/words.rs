//! Words: natural numbers as vectors of boolean expressions, and arithmetic on them, in the arena of a program.
//!
//! Arithmetic is exact. A sum has one bit more than its longer operand, a product as many as both; a difference, a
//! quotient and an element of an array come with the condition under which they have a value. Who wants numbers to wrap
//! cuts them with [`Builder::cut`].
//!
//! A [`Builder`] folds constants and finds equal expressions again, so what it makes are graphs with sharing: a carry
//! is one expression that the sum's bit and the next carry both read. The size of an operation is linear in the width,
//! of multiplication and division quadratic; as trees they can be exponentially larger, so nobody should walk them as
//! such.
//!
//! **Invariant:** the top bit of a [`Word`] is never the constant false. No word is wider than [`MAX_WIDTH`].

mod boolean;
mod divide;
mod replace;
#[cfg(test)]
mod tests;

pub use divide::Division;
pub use replace::Moments;

use crate::{Expr, ExprId, Exprs, VarId};
use hardbop_base::Idx;
use rustc_hash::FxHashMap;

/// The most bits a word can have.
pub const MAX_WIDTH: usize = 4096;
/// The most pairs of bits that one multiplication or division looks at.
pub const MAX_PAIRS: usize = 1 << 16;
/// The most expressions that one arena should hold.
pub const MAX_EXPRS: usize = 1 << 24;

/// Why a word could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// The result would have more than [`MAX_WIDTH`] bits.
    Word,
    /// A multiplication or division would look at more than [`MAX_PAIRS`] pairs of bits.
    Product,
    /// The arena holds more than [`MAX_EXPRS`] expressions.
    Arena,
}

/// Which value of a variable is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Moment {
    /// `x`: before.
    Now,
    /// `x'`: after.
    Next,
    /// `x''`: the caller's, as it was saved.
    Saved,
}

/// A natural number of any width.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Word {
    /// Its bits, least significant first; above them all is zero.
    bits: Vec<ExprId>,
}

impl Word {
    /// Its bits, least significant first; above them all is zero.
    pub fn bits(&self) -> &[ExprId] {
        &self.bits
    }

    /// The number of bits.
    pub fn width(&self) -> usize {
        self.bits.len()
    }
}

/// A word that has a value only in some states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partial {
    /// The value; meaningless where it is not defined.
    pub word: Word,
    /// Where it is defined.
    pub defined: ExprId,
}

/// Makes expressions in an arena, each of them once.
///
/// A choice that it sees in two places is one choice: who wants two numbers them apart.
#[derive(Debug)]
pub struct Builder<'a> {
    exprs: &'a mut Exprs,
    known: FxHashMap<Expr, ExprId>,
}

impl<'a> Builder<'a> {
    /// Builds in `exprs`.
    pub fn new(exprs: &'a mut Exprs) -> Self {
        Self { exprs, known: FxHashMap::default() }
    }

    /// The arena.
    pub fn exprs(&self) -> &Exprs {
        self.exprs
    }

    /// Fails where the arena has grown too large. Who builds in a loop asks in the loop.
    pub fn check_size(&self) -> Result<(), TooLarge> {
        if self.exprs.len() > MAX_EXPRS { Err(TooLarge::Arena) } else { Ok(()) }
    }

    /// The word of these bits, least significant first.
    pub fn word(&mut self, bits: Vec<ExprId>) -> Result<Word, TooLarge> {
        let word = self.trim(bits);
        if word.width() > MAX_WIDTH { Err(TooLarge::Word) } else { Ok(word) }
    }

    /// A natural number.
    pub fn number(&mut self, value: u64) -> Word {
        let bits = (0..u64::BITS - value.leading_zeros()).map(|bit| self.constant(value >> bit & 1 == 1)).collect();
        Word { bits }
    }

    /// The number in these variables, least significant bit first.
    pub fn variable(&mut self, bits: &[VarId], moment: Moment) -> Word {
        let bits = bits.iter().map(|&bit| self.read(bit, moment)).collect();
        Word { bits }
    }

    /// That these variables have these values.
    pub fn values_are(&mut self, values: &[(VarId, bool)], moment: Moment) -> ExprId {
        let literals: Vec<ExprId> = values
            .iter()
            .map(|&(var, value)| {
                let var = self.read(var, moment);
                if value { var } else { self.not(var) }
            })
            .collect();
        self.all(literals)
    }

    /// One bit as a number.
    pub fn bit(&mut self, bit: ExprId) -> Word {
        self.trim(vec![bit])
    }

    /// Bit `index` of `word`; false above its width.
    pub fn bit_of(&mut self, word: &Word, index: usize) -> ExprId {
        match word.bits.get(index) {
            Some(&bit) => bit,
            None => self.constant(false),
        }
    }

    /// `width` bits of `word`: zeros above, or what is above cut off.
    pub fn bits_of(&mut self, word: &Word, width: usize) -> Vec<ExprId> {
        (0..width).map(|bit| self.bit_of(word, bit)).collect()
    }

    /// The number, where it is a constant that fits.
    pub fn value_of(&self, word: &Word) -> Option<u64> {
        if word.width() > 64 {
            return None;
        }
        let bits = word.bits.iter().enumerate();
        bits.map(|(index, &bit)| Some(u64::from(self.constant_of(bit)?) << index)).sum()
    }

    /// `word mod 2^width`.
    pub fn cut(&mut self, word: &Word, width: usize) -> Word {
        self.trim(word.bits.iter().copied().take(width).collect())
    }

    /// Whether `word < 2^width`.
    pub fn fits(&mut self, word: &Word, width: usize) -> ExprId {
        let above = word.bits.get(width..).unwrap_or_default().to_vec();
        let any = self.any(above);
        self.not(any)
    }

    /// `left + right`.
    pub fn add(&mut self, left: &Word, right: &Word) -> Result<Word, TooLarge> {
        self.check_size()?;
        let mut carry = self.constant(false);
        let mut bits = Vec::with_capacity(left.width().max(right.width()) + 1);
        for index in 0..left.width().max(right.width()) {
            let (a, b) = (self.bit_of(left, index), self.bit_of(right, index));
            let differ = self.xor(a, b);
            bits.push(self.xor(differ, carry));
            carry = self.ite(differ, carry, a);
        }
        bits.push(carry);
        self.word(bits)
    }

    /// `left - right`, where it is not below zero.
    pub fn sub(&mut self, left: &Word, right: &Word) -> Result<Partial, TooLarge> {
        self.check_size()?;
        let (bits, borrow) = self.difference(left, right);
        let word = self.trim(bits.into_iter().take(left.width()).collect());
        Ok(Partial { word, defined: self.not(borrow) })
    }

    /// `left * right`.
    pub fn mul(&mut self, left: &Word, right: &Word) -> Result<Word, TooLarge> {
        let (short, long) = if left.width() < right.width() { (left, right) } else { (right, left) };
        // A power of two costs nothing, however wide the other factor is.
        if short.width() > 1 && short.width().saturating_mul(long.width()) > MAX_PAIRS {
            return Err(TooLarge::Product);
        }
        let mut product = Word::default();
        for (shift, &bit) in short.bits.iter().enumerate() {
            let zeros = vec![self.constant(false); shift];
            let row = zeros.into_iter().chain(long.bits.iter().map(|&other| self.and(bit, other))).collect();
            let row = self.word(row)?;
            product = self.add(&product, &row)?;
        }
        // The carry out of the last row is always zero, which no folding sees.
        Ok(self.cut(&product, left.width() + right.width()))
    }

    /// `left << right`.
    pub fn shl(&mut self, left: &Word, right: &Word) -> Result<Word, TooLarge> {
        self.check_size()?;
        let mut word = left.clone();
        for (index, &bit) in right.bits.iter().enumerate() {
            let distance = 1_usize.checked_shl(index as u32).filter(|&distance| distance < MAX_WIDTH);
            let distance = match distance {
                Some(distance) => distance,
                None if word.width() == 0 => 0,
                None => return Err(TooLarge::Word),
            };
            let zero = self.constant(false);
            let shifted = std::iter::repeat_n(zero, distance).chain(word.bits.iter().copied()).collect();
            let shifted = self.word(shifted)?;
            word = self.ite_word(bit, &shifted, &word);
        }
        Ok(word)
    }

    /// `left >> right`.
    pub fn shr(&mut self, left: &Word, right: &Word) -> Word {
        let mut word = left.clone();
        for (index, &bit) in right.bits.iter().enumerate() {
            let distance = 1_usize.checked_shl(index as u32).unwrap_or(usize::MAX);
            let shifted = Word { bits: word.bits.iter().copied().skip(distance).collect() };
            word = self.ite_word(bit, &shifted, &word);
        }
        word
    }

    /// Bit by bit `left & right`.
    pub fn and_word(&mut self, left: &Word, right: &Word) -> Word {
        self.zip(left, right, Self::and)
    }

    /// Bit by bit `left | right`.
    pub fn or_word(&mut self, left: &Word, right: &Word) -> Word {
        self.zip(left, right, Self::or)
    }

    /// Bit by bit `left ^ right`.
    pub fn xor_word(&mut self, left: &Word, right: &Word) -> Word {
        self.zip(left, right, Self::xor)
    }

    /// If `test` then `yes` else `no`.
    pub fn ite_word(&mut self, test: ExprId, yes: &Word, no: &Word) -> Word {
        self.zip(yes, no, |builder, yes, no| builder.ite(test, yes, no))
    }

    /// `left = right`.
    pub fn equal(&mut self, left: &Word, right: &Word) -> ExprId {
        let width = left.width().max(right.width());
        let (left, right) = (self.bits_of(left, width), self.bits_of(right, width));
        let pairs = left.into_iter().zip(right).map(|(a, b)| self.iff(a, b)).collect::<Vec<_>>();
        self.all(pairs)
    }

    /// `left < right`.
    pub fn less(&mut self, left: &Word, right: &Word) -> ExprId {
        let below = self.constant(false);
        self.compare(left, right, below)
    }

    /// `left <= right`.
    pub fn less_or_equal(&mut self, left: &Word, right: &Word) -> ExprId {
        let below = self.constant(true);
        self.compare(left, right, below)
    }

    /// `choices[index]`, where there is one.
    pub fn select(&mut self, choices: &[Word], index: &Word) -> Partial {
        let count = self.number(choices.len() as u64);
        let defined = self.less(index, &count);
        let mut row = choices.to_vec();
        let mut level = 0;
        while row.len() > 1 {
            let bit = self.bit_of(index, level);
            let pairs = row.chunks(2).map(|pair| match pair {
                [even, odd] => self.ite_word(bit, odd, even),
                // What stands here is never asked for with the bit set.
                single => single[0].clone(),
            });
            row = pairs.collect();
            level += 1;
        }
        Partial { word: row.pop().unwrap_or_default(), defined }
    }

    /// Bits of `left - right` modulo a power of two, and whether it is below zero.
    fn difference(&mut self, left: &Word, right: &Word) -> (Vec<ExprId>, ExprId) {
        let mut borrow = self.constant(false);
        let mut bits = Vec::with_capacity(left.width().max(right.width()));
        for index in 0..left.width().max(right.width()) {
            let (a, b) = (self.bit_of(left, index), self.bit_of(right, index));
            let differ = self.xor(a, b);
            bits.push(self.xor(differ, borrow));
            borrow = self.ite(differ, b, borrow);
        }
        (bits, borrow)
    }

    /// From the least significant bit upwards, the last difference decides; `below` where there is none.
    fn compare(&mut self, left: &Word, right: &Word, below: ExprId) -> ExprId {
        let mut result = below;
        for index in 0..left.width().max(right.width()) {
            let (a, b) = (self.bit_of(left, index), self.bit_of(right, index));
            let differ = self.xor(a, b);
            result = self.ite(differ, b, result);
        }
        result
    }

    fn zip(&mut self, left: &Word, right: &Word, mut combine: impl FnMut(&mut Self, ExprId, ExprId) -> ExprId) -> Word {
        let width = left.width().max(right.width());
        let mut bits = Vec::with_capacity(width);
        for index in 0..width {
            let (a, b) = (self.bit_of(left, index), self.bit_of(right, index));
            bits.push(combine(self, a, b));
        }
        self.trim(bits)
    }

    fn trim(&self, mut bits: Vec<ExprId>) -> Word {
        while bits.last().is_some_and(|&bit| self.constant_of(bit) == Some(false)) {
            bits.pop();
        }
        Word { bits }
    }

    fn intern(&mut self, expr: Expr) -> ExprId {
        let key = match expr {
            Expr::And(a, b) if b.index() < a.index() => Expr::And(b, a),
            Expr::Or(a, b) if b.index() < a.index() => Expr::Or(b, a),
            Expr::Xor(a, b) if b.index() < a.index() => Expr::Xor(b, a),
            Expr::Iff(a, b) if b.index() < a.index() => Expr::Iff(b, a),
            other => other,
        };
        // Found in either order, but written as it was first said.
        *self.known.entry(key).or_insert_with(|| self.exprs.add(expr))
    }
}
