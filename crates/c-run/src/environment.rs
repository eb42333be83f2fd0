//! What the program does not say: values of functions without a body, success of allocations, input and output.

use crate::value::{IntShape, Shape};
use std::collections::VecDeque;

/// What a value is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked<'a> {
    /// The result of this function, which has no body.
    Function(&'a str),
    /// A parameter of the entry function.
    Parameter(&'a str),
    /// A value that nothing was stored to.
    Uninitialised,
}

/// A value from outside.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Answer {
    /// An integer, taken modulo the range of the type; a pointer with this address.
    Integer(i128),
    /// A floating number.
    Float(f64),
}

/// Where a byte of output goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// The world around a run.
pub trait Environment {
    /// A value of the given shape; `None` ends the run.
    fn choose(&mut self, asked: Asked<'_>, shape: Shape) -> Option<Answer>;

    /// Whether a function without a body and without a result may be called.
    fn permits(&mut self, function: &str) -> bool;

    /// Whether memory of this size is to be had.
    fn grants(&mut self, size: u64) -> bool;

    /// The program prints.
    fn write(&mut self, stream: Stream, bytes: &[u8]);

    /// The next byte of standard input; `None` at its end.
    fn read(&mut self) -> Option<u8>;
}

/// An environment that says what it was told to say, in order, and collects the output.
#[derive(Default, Debug)]
pub struct Scripted {
    /// The next values.
    pub answers: VecDeque<Answer>,
    /// The next results of allocations; granted, once these are used up.
    pub grants: VecDeque<bool>,
    /// The next bytes of input.
    pub input: VecDeque<u8>,
    /// What was printed.
    pub output: Vec<u8>,
}

impl Scripted {
    /// An environment with these integers as values.
    pub fn with_integers(integers: impl IntoIterator<Item = i128>) -> Self {
        Self { answers: integers.into_iter().map(Answer::Integer).collect(), ..Self::default() }
    }
}

impl Environment for Scripted {
    fn choose(&mut self, _asked: Asked<'_>, _shape: Shape) -> Option<Answer> {
        self.answers.pop_front()
    }

    fn permits(&mut self, _function: &str) -> bool {
        false
    }

    fn grants(&mut self, _size: u64) -> bool {
        self.grants.pop_front().unwrap_or(true)
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Output {
            self.output.extend_from_slice(bytes);
        }
    }

    fn read(&mut self) -> Option<u8> {
        self.input.pop_front()
    }
}

/// What a random environment does about functions that it does not know as sources of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// They end the run.
    Stop,
    /// They return anything and do nothing else.
    Answer,
}

/// An environment of random values, small ones and those at the borders of their types more often.
#[derive(Debug)]
pub struct Random {
    state: u64,
    unknown: Unknown,
    /// Out of a thousand allocations, how many fail.
    pub failing_allocations: u32,
    /// What was printed.
    pub output: Vec<u8>,
}

impl Random {
    /// The environment of this seed.
    pub fn new(seed: u64, unknown: Unknown) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { state, unknown, failing_allocations: 0, output: Vec::new() }
    }

    fn next(&mut self) -> u64 {
        // xorshift64*: any period and any quality beyond "varied" would do.
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn integer(&mut self, shape: IntShape) -> i128 {
        let random = self.next();
        match random % 8 {
            0 => 0,
            1 | 2 => i128::from(random >> 32 & 0xf) - 4,
            3 | 4 => i128::from(random >> 32 & 0xff),
            5 => (1 << (u32::from(shape.bits.min(64)) - 1)) - 1 + i128::from(random >> 32 & 1),
            _ => i128::from(self.next()) << 64 | i128::from(random),
        }
    }
}

impl Environment for Random {
    fn choose(&mut self, asked: Asked<'_>, shape: Shape) -> Option<Answer> {
        if let Asked::Function(name) = asked
            && !self.permits(name)
        {
            return None;
        }
        Some(match shape {
            Shape::Int(shape) => Answer::Integer(self.integer(shape)),
            Shape::Pointer(_) => Answer::Integer(0),
            Shape::Float | Shape::Double => Answer::Float((self.next() as i64 >> 40) as f64 / 16.0),
        })
    }

    fn permits(&mut self, function: &str) -> bool {
        self.unknown == Unknown::Answer || function.contains("nondet") || function == "rand"
    }

    fn grants(&mut self, _size: u64) -> bool {
        self.failing_allocations == 0 || self.next() % 1000 >= u64::from(self.failing_allocations)
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if stream == Stream::Output {
            self.output.extend_from_slice(bytes);
        }
    }

    fn read(&mut self) -> Option<u8> {
        None
    }
}
