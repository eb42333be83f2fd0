//! Takes transitions: closes their open bits, evaluates them, and where they cannot be taken steers the bits.
//!
//! Bits are drawn first and looked at afterwards: where guards are easily met that gives the most variety. Only where a
//! guard or a constraint comes out false is it made true from the top down, as far as open bits go. Each choice stands
//! in one place, so for guards that finds a way if there is one; for constraints, where a primed variable can stand in
//! several, it usually does.

use super::code::{Code, Codes, Source};
use super::wishes::Wish;
use hardbop_base::Idx;
use hardbop_icfg::{Expr, ExprId, Exprs, SlotId, Slots};

/// How many parts of an expression are looked at before steering gives up.
const FUEL: u32 = 2_000;
/// How often steering is tried anew where its first way did not meet everything.
const ATTEMPTS: u32 = 4;

/// Pseudo-random numbers (xorshift64*); the same in each run.
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new() -> Self {
        Self { state: 0x2545_f491_5e7d_cc14 }
    }

    pub fn word(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which is small.
    pub fn below(&mut self, bound: usize) -> usize {
        (((self.word() >> 32) * bound as u64) >> 32) as usize
    }
}

/// The states around a transition that is being taken, and its open bits.
///
/// # Requires
/// Before [`Executor::take`], the caller sets `now` and, where there is one, `saved`, and `next` to what is so after
/// the transition but for its updates.
pub struct Executor<'a> {
    exprs: &'a Exprs,
    slots: &'a Slots,
    codes: &'a Codes,
    pub random: Random,
    pub now: Vec<u64>,
    pub next: Vec<u64>,
    pub saved: Vec<u64>,
    /// The open bits.
    pub bits: Vec<u64>,
    /// The bits that steering has decided, and in which order.
    is_decided: Vec<u64>,
    trail: Vec<u32>,
    fuel: u32,
}

impl<'a> Executor<'a> {
    /// `width` words per state.
    pub fn new(exprs: &'a Exprs, slots: &'a Slots, codes: &'a Codes, width: usize) -> Self {
        let (now, next, saved) = (vec![0; width], vec![0; width], vec![0; width]);
        let random = Random::new();
        let (bits, is_decided, trail) = (Vec::new(), Vec::new(), Vec::new());
        Self { exprs, slots, codes, random, now, next, saved, bits, is_decided, trail, fuel: 0 }
    }

    /// Closes the open bits of `code`: `number` runs through all ways to do so, in an order that varies every bit soon.
    pub fn draw(&mut self, code: &Code, start: u64, number: u64) {
        self.bits.clear();
        self.bits.resize(code.words(), 0);
        let mut word = start.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for (place, &bit) in code.open.iter().enumerate() {
            if place > 0 && place % 64 == 0 {
                word = self.random.word();
            }
            self.bits[bit as usize / 64] |= (word >> (place % 64) & 1) << (bit % 64);
        }
    }

    /// Steers the bits towards what is wished for behind `code`, as far as that is possible; others stay as drawn.
    pub fn prefer(&mut self, code: &Code, wish: Wish<'_>) {
        self.forget();
        for &(slot, source) in &code.updates {
            match (source, wish.of(slot)) {
                (Source::Of(expr), Some(value)) => self.steer(code, expr, value),
                (Source::Open(bit), Some(value)) => self.decide(bit as usize, value),
                (_, None) => continue,
            };
        }
    }

    /// Makes the updates of `code` in `next`, with other open bits where those drawn do not do; whether it can be taken.
    pub fn take(&mut self, code: &Code) -> bool {
        if self.is_met(code) {
            return true;
        }
        if code.open.is_empty() {
            return false;
        }
        (0..ATTEMPTS).any(|_| {
            self.forget();
            for condition in code.guard.into_iter().chain(code.constraint) {
                // What cannot be steered may still come out right by the bits that are left as drawn.
                self.steer(code, condition, true);
            }
            self.is_met(code)
        })
    }

    /// Nothing is decided.
    fn forget(&mut self) {
        self.is_decided.clear();
        self.is_decided.resize(self.bits.len(), 0);
        self.trail.clear();
        self.fuel = FUEL;
    }

    fn is_met(&mut self, code: &Code) -> bool {
        if code.guard.is_some_and(|guard| !self.value(guard)) {
            return false;
        }
        for &(slot, source) in &code.updates {
            let value = match source {
                Source::Of(expr) => self.value(expr),
                Source::Open(bit) => is_set(&self.bits, bit as usize),
            };
            put(&mut self.next, slot.index(), value);
        }
        code.constraint.is_none_or(|constraint| self.value(constraint))
    }

    fn value(&self, expr: ExprId) -> bool {
        match self.exprs.get(expr) {
            Expr::Const(value) => value,
            Expr::Var(var) => is_set(&self.now, self.slots.of(var).index()),
            Expr::Next(var) => is_set(&self.next, self.slots.of(var).index()),
            Expr::Saved(var) => is_set(&self.saved, self.slots.of(var).index()),
            Expr::Choice(choice) => is_set(&self.bits, choice.index()),
            Expr::Not(a) => !self.value(a),
            Expr::And(a, b) => self.value(a) && self.value(b),
            Expr::Or(a, b) => self.value(a) || self.value(b),
            Expr::Xor(a, b) => self.value(a) != self.value(b),
            Expr::Iff(a, b) => self.value(a) == self.value(b),
            Expr::Implies(a, b) => !self.value(a) || self.value(b),
            Expr::Ite(a, b, c) => {
                if self.value(a) {
                    self.value(b)
                } else {
                    self.value(c)
                }
            }
        }
    }

    /// Decides open bits such that `expr` has `value`; where that fails, decides none.
    fn steer(&mut self, code: &Code, expr: ExprId, value: bool) -> bool {
        if !self.codes.is_open[expr] {
            return self.value(expr) == value;
        }
        if self.fuel == 0 {
            return false;
        }
        self.fuel -= 1;
        match self.exprs.get(expr) {
            Expr::Const(_) | Expr::Var(_) | Expr::Saved(_) => unreachable!("the leaf is not open"),
            Expr::Choice(choice) => self.decide(choice.index(), value),
            Expr::Next(var) => self.steer_next(code, self.slots.of(var), value),
            Expr::Not(a) => self.steer(code, a, !value),
            Expr::And(a, b) if value => self.steer_both(code, (a, true), (b, true)),
            Expr::And(a, b) => self.steer_either(code, (a, false), (b, false)),
            Expr::Or(a, b) if value => self.steer_either(code, (a, true), (b, true)),
            Expr::Or(a, b) => self.steer_both(code, (a, false), (b, false)),
            Expr::Implies(a, b) if value => self.steer_either(code, (a, false), (b, true)),
            Expr::Implies(a, b) => self.steer_both(code, (a, true), (b, false)),
            Expr::Xor(a, b) => self.steer_parity(code, a, b, value),
            Expr::Iff(a, b) => self.steer_parity(code, a, b, !value),
            Expr::Ite(test, yes, no) => {
                let first = self.guess(test);
                let branch = |test| if test { yes } else { no };
                self.steer_both(code, (test, first), (branch(first), value))
                    || self.steer_both(code, (test, !first), (branch(!first), value))
            }
        }
    }

    fn steer_next(&mut self, code: &Code, slot: SlotId, value: bool) -> bool {
        match code.updates.iter().find(|&&(target, _)| target == slot) {
            Some(&(_, Source::Of(expr))) => self.steer(code, expr, value),
            Some(&(_, Source::Open(bit))) => self.decide(bit as usize, value),
            None => is_set(&self.next, slot.index()) == value,
        }
    }

    fn steer_both(&mut self, code: &Code, left: (ExprId, bool), right: (ExprId, bool)) -> bool {
        let mark = self.trail.len();
        let is_met = self.steer(code, left.0, left.1) && self.steer(code, right.0, right.1);
        if !is_met {
            self.undo(mark);
        }
        is_met
    }

    fn steer_either(&mut self, code: &Code, left: (ExprId, bool), right: (ExprId, bool)) -> bool {
        let (first, second) = if self.random.word() >> 63 == 0 { (left, right) } else { (right, left) };
        self.steer(code, first.0, first.1) || self.steer(code, second.0, second.1)
    }

    /// Makes `a` and `b` differ, or not.
    fn steer_parity(&mut self, code: &Code, a: ExprId, b: ExprId, differ: bool) -> bool {
        let first = if self.codes.is_open[b] { self.guess(a) } else { self.value(b) != differ };
        self.steer_both(code, (a, first), (b, first != differ))
            || self.steer_both(code, (a, !first), (b, first == differ))
    }

    /// The value of `expr`, if it has one; otherwise any.
    fn guess(&mut self, expr: ExprId) -> bool {
        if self.codes.is_open[expr] { self.random.word() >> 63 == 1 } else { self.value(expr) }
    }

    fn decide(&mut self, bit: usize, value: bool) -> bool {
        if is_set(&self.is_decided, bit) {
            return is_set(&self.bits, bit) == value;
        }
        put(&mut self.is_decided, bit, true);
        put(&mut self.bits, bit, value);
        self.trail.push(u32::try_from(bit).expect("open bits are few"));
        true
    }

    fn undo(&mut self, mark: usize) {
        for bit in self.trail.drain(mark..) {
            put(&mut self.is_decided, bit as usize, false);
        }
    }
}

#[inline]
pub fn is_set(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}

#[inline]
fn put(words: &mut [u64], bit: usize, value: bool) {
    let mask = 1 << (bit % 64);
    if value {
        words[bit / 64] |= mask;
    } else {
        words[bit / 64] &= !mask;
    }
}
