//! The connectives: `f ∘ g` by Shannon expansion on the topmost variable [Bry86, §4.3], and `ite` [BRB90].

use hardbop_base::Exhausted;

use crate::cache::Tag;
use crate::{Bdd, Kernel};

/// What an operator knows without looking below the top of its operands.
enum Shortcut {
    /// The result is this.
    Is(Bdd),
    /// The result is the negation of this, which is no constant.
    Not(Bdd),
    /// Nothing is known.
    None,
}

/// A binary connective. Each becomes a recursion of its own.
trait Operator {
    const TAG: Tag;
    /// Whether operands may be swapped, which doubles the worth of a cache entry.
    const COMMUTES: bool;

    /// # Ensures
    /// Something is known of two constants.
    fn shortcut(f: Bdd, g: Bdd) -> Shortcut;
}

struct And;
struct Or;
struct Xor;
struct Iff;
struct Diff;
struct Implies;

impl Kernel {
    /// `¬f`.
    pub fn not(&mut self, f: Bdd) -> Result<Bdd, Exhausted> {
        self.apply::<Xor>(f, Bdd::TRUE)
    }

    /// `f ∧ g`.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        self.apply::<And>(f, g)
    }

    /// `f ∨ g`.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        self.apply::<Or>(f, g)
    }

    /// `f ⊕ g`.
    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        self.apply::<Xor>(f, g)
    }

    /// `f ↔ g`.
    pub fn iff(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        self.apply::<Iff>(f, g)
    }

    /// `f ∧ ¬g`.
    pub fn diff(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        self.apply::<Diff>(f, g)
    }

    /// `f → g`, as a function; [`implies_check`](Self::implies_check) asks whether it is [`Bdd::TRUE`].
    pub fn implies(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        self.apply::<Implies>(f, g)
    }

    /// `(f ∧ g) ∨ (¬f ∧ h)`.
    pub fn ite(&mut self, f: Bdd, g: Bdd, h: Bdd) -> Result<Bdd, Exhausted> {
        match (f, g, h) {
            (Bdd::TRUE, ..) => return Ok(g),
            (Bdd::FALSE, ..) => return Ok(h),
            _ if g == h => return Ok(g),
            // Where `f` holds, `g = f` is as good as true; where it does not, `h = f` is as good as false.
            (_, Bdd::TRUE, _) => return self.or(f, h),
            _ if f == g => return self.or(f, h),
            (_, _, Bdd::FALSE) => return self.and(f, g),
            _ if f == h => return self.and(f, g),
            (_, Bdd::FALSE, _) => return self.diff(h, f),
            (_, _, Bdd::TRUE) => return self.implies(f, g),
            _ => {}
        }
        if let Some(known) = self.cache.find(Tag::ite(h), f, g) {
            return Ok(known);
        }
        self.step()?;
        let (test, yes, no) = (*self.table.node(f), *self.table.node(g), *self.table.node(h));
        let top = test.level.min(yes.level).min(no.level);
        let (f0, f1) = test.split(f, top);
        let (g0, g1) = yes.split(g, top);
        let (h0, h1) = no.split(h, top);
        let low = self.ite(f0, g0, h0)?;
        let high = self.ite(f1, g1, h1)?;
        let result = self.table.make(top, low, high);
        self.cache.store(Tag::ite(h), f, g, result);
        Ok(result)
    }

    // Half of all calls end here, so this part is compiled into the callers and the rest is not.
    #[inline(always)]
    fn apply<O: Operator>(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        match O::shortcut(f, g) {
            Shortcut::Is(known) => Ok(known),
            Shortcut::Not(opposite) => self.expand::<Xor>(Bdd::TRUE, opposite),
            Shortcut::None if O::COMMUTES && g < f => self.expand::<O>(g, f),
            Shortcut::None => self.expand::<O>(f, g),
        }
    }

    #[inline(never)]
    fn expand<O: Operator>(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Exhausted> {
        if let Some(known) = self.cache.find(O::TAG, f, g) {
            return Ok(known);
        }
        self.step()?;
        let (left, right) = (*self.table.node(f), *self.table.node(g));
        let top = left.level.min(right.level);
        let (f0, f1) = left.split(f, top);
        let (g0, g1) = right.split(g, top);
        let low = self.apply::<O>(f0, g0)?;
        let high = self.apply::<O>(f1, g1)?;
        let result = self.table.make(top, low, high);
        self.cache.store(O::TAG, f, g, result);
        Ok(result)
    }
}

impl Operator for And {
    const TAG: Tag = Tag::AND;
    const COMMUTES: bool = true;

    #[inline(always)]
    fn shortcut(f: Bdd, g: Bdd) -> Shortcut {
        match (f, g) {
            (Bdd::FALSE, _) | (_, Bdd::FALSE) => Shortcut::Is(Bdd::FALSE),
            (Bdd::TRUE, other) | (other, Bdd::TRUE) => Shortcut::Is(other),
            _ if f == g => Shortcut::Is(f),
            _ => Shortcut::None,
        }
    }
}

impl Operator for Or {
    const TAG: Tag = Tag::OR;
    const COMMUTES: bool = true;

    #[inline(always)]
    fn shortcut(f: Bdd, g: Bdd) -> Shortcut {
        match (f, g) {
            (Bdd::TRUE, _) | (_, Bdd::TRUE) => Shortcut::Is(Bdd::TRUE),
            (Bdd::FALSE, other) | (other, Bdd::FALSE) => Shortcut::Is(other),
            _ if f == g => Shortcut::Is(f),
            _ => Shortcut::None,
        }
    }
}

impl Operator for Xor {
    const TAG: Tag = Tag::XOR;
    const COMMUTES: bool = true;

    // With `TRUE` nothing is known: that is how negation itself is computed.
    #[inline(always)]
    fn shortcut(f: Bdd, g: Bdd) -> Shortcut {
        match (f, g) {
            (Bdd::FALSE, other) | (other, Bdd::FALSE) => Shortcut::Is(other),
            _ if f == g => Shortcut::Is(Bdd::FALSE),
            _ => Shortcut::None,
        }
    }
}

impl Operator for Iff {
    const TAG: Tag = Tag::IFF;
    const COMMUTES: bool = true;

    #[inline(always)]
    fn shortcut(f: Bdd, g: Bdd) -> Shortcut {
        match (f, g) {
            (Bdd::TRUE, other) | (other, Bdd::TRUE) => Shortcut::Is(other),
            _ if f == g => Shortcut::Is(Bdd::TRUE),
            (Bdd::FALSE, other) | (other, Bdd::FALSE) => Shortcut::Not(other),
            _ => Shortcut::None,
        }
    }
}

impl Operator for Diff {
    const TAG: Tag = Tag::DIFF;
    const COMMUTES: bool = false;

    #[inline(always)]
    fn shortcut(f: Bdd, g: Bdd) -> Shortcut {
        match (f, g) {
            (Bdd::FALSE, _) | (_, Bdd::TRUE) => Shortcut::Is(Bdd::FALSE),
            (_, Bdd::FALSE) => Shortcut::Is(f),
            (Bdd::TRUE, _) => Shortcut::Not(g),
            _ if f == g => Shortcut::Is(Bdd::FALSE),
            _ => Shortcut::None,
        }
    }
}

impl Operator for Implies {
    const TAG: Tag = Tag::IMPLIES;
    const COMMUTES: bool = false;

    #[inline(always)]
    fn shortcut(f: Bdd, g: Bdd) -> Shortcut {
        match (f, g) {
            (Bdd::FALSE, _) | (_, Bdd::TRUE) => Shortcut::Is(Bdd::TRUE),
            (Bdd::TRUE, _) => Shortcut::Is(g),
            (_, Bdd::FALSE) => Shortcut::Not(f),
            _ if f == g => Shortcut::Is(Bdd::TRUE),
            _ => Shortcut::None,
        }
    }
}
