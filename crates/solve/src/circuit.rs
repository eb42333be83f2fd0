//! Circuits: boolean functions as hash-consed gates.
//!
//! **Invariant:** a gate's inputs have smaller numbers, no gate computes a constant or one of its own inputs, and
//! equal gates have equal numbers. What is complemented is the edge, not the gate, so `a` and `¬a` share one.

use rustc_hash::FxHashMap;
use std::ops::Not;

/// A value in a circuit: the output of a gate, or its complement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal(u32);

impl Signal {
    /// Never true.
    pub const FALSE: Self = Self(0);
    /// Always true.
    pub const TRUE: Self = Self(1);

    /// The constant signal of `value`.
    pub const fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// A number that no other signal of the circuit has.
    pub const fn code(self) -> u32 {
        self.0
    }

    pub(crate) const fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) const fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    const fn complemented_if(self, is_complemented: bool) -> Self {
        Self(self.0 ^ is_complemented as u32)
    }
}

impl Not for Signal {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// What a gate computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Gate {
    /// False. Only the first gate is this.
    Constant,
    /// Anything; each input gate is its own.
    Input,
    /// Conjunction; the first signal is the smaller.
    And(Signal, Signal),
    /// Exclusive or; neither signal is complemented, the first is the smaller.
    Xor(Signal, Signal),
    /// If the first then the second else the third; the first and the second are not complemented.
    Ite(Signal, Signal, Signal),
}

/// A table of gates.
#[derive(Clone, Debug)]
pub struct Circuit {
    gates: Vec<Gate>,
    ids: FxHashMap<Gate, Signal>,
}

impl Default for Circuit {
    fn default() -> Self {
        Self::new()
    }
}

impl Circuit {
    /// Just the constants.
    pub fn new() -> Self {
        Self { gates: vec![Gate::Constant], ids: FxHashMap::default() }
    }

    /// A new signal that can have either value.
    pub fn input(&mut self) -> Signal {
        self.push(Gate::Input)
    }

    /// How many gates there are, inputs among them.
    #[expect(clippy::len_without_is_empty, reason = "the constants are always there")]
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// `a ∧ b`.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            Signal::FALSE => Signal::FALSE,
            Signal::TRUE => b,
            _ if a == b => a,
            _ if a == !b => Signal::FALSE,
            _ => self.intern(Gate::And(a, b)),
        }
    }

    /// `a ∨ b`.
    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    /// `a → b`.
    pub fn implies(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(a, !b)
    }

    /// `a ⊕ b`.
    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        let flip = a.is_complemented() ^ b.is_complemented();
        let (a, b) = (a.complemented_if(a.is_complemented()), b.complemented_if(b.is_complemented()));
        let (a, b) = (a.min(b), a.max(b));
        let result = match a {
            Signal::FALSE => b,
            _ if a == b => Signal::FALSE,
            _ => self.intern(Gate::Xor(a, b)),
        };
        result.complemented_if(flip)
    }

    /// `a ↔ b`.
    pub fn iff(&mut self, a: Signal, b: Signal) -> Signal {
        !self.xor(a, b)
    }

    /// If `test` then `yes` else `no`.
    pub fn ite(&mut self, test: Signal, yes: Signal, no: Signal) -> Signal {
        if test.is_complemented() {
            return self.ite_uncomplemented(!test, no, yes);
        }
        self.ite_uncomplemented(test, yes, no)
    }

    fn ite_uncomplemented(&mut self, test: Signal, yes: Signal, no: Signal) -> Signal {
        if test == Signal::FALSE {
            return no;
        }
        // What a branch knows of the test.
        let yes = if yes == test { Signal::TRUE } else { yes };
        let yes = if yes == !test { Signal::FALSE } else { yes };
        let no = if no == test { Signal::FALSE } else { no };
        let no = if no == !test { Signal::TRUE } else { no };
        match (yes, no) {
            _ if yes == no => yes,
            _ if yes == !no => self.xor(test, no),
            (Signal::TRUE, _) => self.or(test, no),
            (Signal::FALSE, _) => self.and(!test, no),
            (_, Signal::FALSE) => self.and(test, yes),
            (_, Signal::TRUE) => self.or(!test, yes),
            _ if yes.is_complemented() => !self.intern(Gate::Ite(test, !yes, !no)),
            _ => self.intern(Gate::Ite(test, yes, no)),
        }
    }

    pub(crate) fn gate(&self, signal: Signal) -> Gate {
        self.gates[signal.gate()]
    }

    fn intern(&mut self, gate: Gate) -> Signal {
        if let Some(&signal) = self.ids.get(&gate) {
            return signal;
        }
        let signal = self.push(gate);
        self.ids.insert(gate, signal);
        signal
    }

    fn push(&mut self, gate: Gate) -> Signal {
        let number = u32::try_from(self.gates.len()).ok().filter(|&number| number < u32::MAX / 2);
        let number = number.expect("a circuit has fewer than 2^31 gates");
        self.gates.push(gate);
        Signal(2 * number)
    }
}
