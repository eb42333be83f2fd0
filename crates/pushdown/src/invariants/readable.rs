//! From a function to a short formula that says the same.
//!
//! A function is taken apart as far as it is a conjunction of independent parts: literals that it implies,
//! equivalences `a <=> b` and `a <=> !b` that it implies (of which one variable is then gone), and factors over disjoint
//! variables. Its negation is taken apart likewise, which makes it a disjunction. What is neither is written as the
//! shortest of an irredundant sum of products, an irredundant product of sums, and a definition `a <=> …` of one of its
//! variables with the rest.
//!
//! **Invariant:** a [`Formula`] is equivalent to its function, never an approximation; where that would be too long
//! there is none. Formulas depend on the function and the [`Order`] only.

mod text;

use hardbop_base::{Exhausted, Idx};
use hardbop_bdd::{Bdd, Cube, Fate, Kernel, Level, cover, cover_between};
use std::collections::BTreeMap;

/// The most steps for one formula: some milliseconds.
const EFFORT: u64 = 1 << 18;
/// The most steps for one cover.
const COVER_EFFORT: u64 = 1 << 14;
/// The most variables between which pairs are compared and factors are looked for.
const WIDEST: usize = 40;
/// The most variables among which one is looked for that the others define.
const WIDEST_DEFINITION: usize = 16;
/// The most nodes of a function for which a short formula is likely enough to look for one.
const LARGEST: usize = 1 << 12;
/// The most literals that can still be called short.
const LONGEST: usize = 200;

/// A formula over the levels of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// `T` or `F`.
    Constant(bool),
    /// A variable, or its negation.
    Literal(Level, bool),
    /// All of them.
    And(Vec<Formula>),
    /// One of them.
    Or(Vec<Formula>),
    /// Both or neither.
    Iff(Box<[Formula; 2]>),
    /// The first where the variable is true, otherwise the second.
    Ite(Level, Box<[Formula; 2]>),
}

/// In which order variables stand in a formula.
#[derive(Clone, Debug)]
pub struct Order {
    ranks: BTreeMap<Level, usize>,
    first_given: usize,
}

impl Order {
    /// The order of the `count` levels themselves.
    pub fn of_levels(count: usize) -> Self {
        Self::new((0..count).map(Level::from_usize), [])
    }

    /// First what is `computed`, then what is `given`; where one of each is equivalent, the given one stays.
    pub fn new(computed: impl IntoIterator<Item = Level>, given: impl IntoIterator<Item = Level>) -> Self {
        let mut ranks: BTreeMap<Level, usize> = computed.into_iter().zip(0..).collect();
        let first_given = ranks.len();
        ranks.extend(given.into_iter().zip(first_given..));
        Self { ranks, first_given }
    }

    fn rank(&self, level: Level) -> usize {
        *self.ranks.get(&level).expect("the order has all variables of the function")
    }

    fn is_given(&self, level: Level) -> bool {
        self.rank(level) >= self.first_given
    }
}

/// A short formula for `f`; `None` where none was found that is short.
pub fn describe(kernel: &mut Kernel, f: Bdd, order: &Order) -> Result<Option<Formula>, Exhausted> {
    if kernel.size(f) > LARGEST {
        return Ok(None);
    }
    let found = within(kernel, EFFORT, |kernel| Search { kernel, order }.conjunction(f))?;
    let formula = match found {
        Ok(formula) => Some(formula),
        Err(Failure::TooLarge) => None,
        Err(Failure::Exhausted) => nested(kernel, f, &mut { LONGEST }),
    };
    Ok(formula.filter(|formula| formula.length() <= LONGEST))
}

/// An irredundant set of cubes whose disjunction is `f`; `None` where those would be more than `most`, or hard to find.
pub fn short_cover(kernel: &mut Kernel, f: Bdd, most: usize) -> Result<Option<Vec<Cube>>, Exhausted> {
    let cubes = within(kernel, COVER_EFFORT, |kernel| cover(kernel, f))?.ok();
    Ok(cubes.filter(|cubes| cubes.len() <= most))
}

impl Formula {
    /// The number of literals in it.
    pub fn length(&self) -> usize {
        match self {
            Self::Constant(_) | Self::Literal(..) => 1,
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::length).sum(),
            Self::Iff(sides) => sides.iter().map(Self::length).sum(),
            Self::Ite(_, branches) => 1 + branches.iter().map(Self::length).sum::<usize>(),
        }
    }

    fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Constant(true) => {}
                Self::Constant(false) => return part,
                Self::And(parts) => flat.extend(parts),
                part => flat.push(part),
            }
        }
        match flat.len() {
            0 => Self::Constant(true),
            1 => flat.remove(0),
            _ => Self::And(flat),
        }
    }

    fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Constant(false) => {}
                Self::Constant(true) => return part,
                Self::Or(parts) => flat.extend(parts),
                part => flat.push(part),
            }
        }
        match flat.len() {
            0 => Self::Constant(false),
            1 => flat.remove(0),
            _ => Self::Or(flat),
        }
    }

    fn iff(left: Self, right: Self) -> Self {
        Self::Iff(Box::new([left, right]))
    }
}

/// Why there is no formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Failure {
    /// A limit was hit: the budget's, or that of one formula.
    Exhausted,
    /// It is too long.
    TooLarge,
}

impl From<Exhausted> for Failure {
    fn from(Exhausted: Exhausted) -> Self {
        Self::Exhausted
    }
}

/// Works for at most `effort` steps, which the kernel's budget pays; the outer error is the budget's own end.
fn within<T, E>(
    kernel: &mut Kernel,
    effort: u64,
    work: impl FnOnce(&mut Kernel) -> Result<T, E>,
) -> Result<Result<T, E>, Exhausted> {
    let granted = effort.min(kernel.budget().left());
    let pass = kernel.budget().with_allowance(granted);
    let whole = kernel.set_budget(pass);
    let result = work(kernel);
    let pass = kernel.set_budget(whole);
    kernel.budget().spend(granted - pass.left())?;
    // What was cut short by the whole budget must not look like what is too long.
    if result.is_err() && granted < effort { Err(Exhausted) } else { Ok(result) }
}

/// `f` read off its diagram; `None` where that has more literals than are `left`.
fn nested(kernel: &Kernel, f: Bdd, left: &mut usize) -> Option<Formula> {
    let Some((level, low, high)) = kernel.branch(f) else { return Some(Formula::Constant(f.is_true())) };
    *left = left.checked_sub(1)?;
    let (yes, no) = (nested(kernel, high, left)?, nested(kernel, low, left)?);
    let literal = |value| Formula::Literal(level, value);
    Some(match (yes, no) {
        (Formula::Constant(true), no) => Formula::or([literal(true), no]),
        (Formula::Constant(false), no) => Formula::and([literal(false), no]),
        (yes, Formula::Constant(true)) => Formula::or([literal(false), yes]),
        (yes, Formula::Constant(false)) => Formula::and([literal(true), yes]),
        (yes, no) => Formula::Ite(level, Box::new([yes, no])),
    })
}

/// A conjunct that has no variable in common with the others, but for those that stand for equivalent ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Literal(Level, bool),
    /// The two, in the order of the text, are always equal, or never. One of them occurs in no other part.
    Same(Level, Level, bool),
    Rest(Bdd),
}

struct Search<'a> {
    kernel: &'a mut Kernel,
    order: &'a Order,
}

impl Search<'_> {
    fn conjunction(&mut self, f: Bdd) -> Result<Formula, Failure> {
        let parts = self.split(f)?;
        if parts == [Part::Rest(f)] {
            return self.disjunction(f);
        }
        let mut formulas = Vec::with_capacity(parts.len());
        for part in parts {
            formulas.push(match part {
                Part::Literal(level, value) => Formula::Literal(level, value),
                Part::Same(a, b, same) => Formula::iff(Formula::Literal(a, true), Formula::Literal(b, same)),
                // It is no conjunction, or the split would have gone further.
                Part::Rest(rest) => self.disjunction(rest)?,
            });
        }
        Ok(Formula::and(formulas))
    }

    /// `f`, which is no conjunction of independent parts.
    fn disjunction(&mut self, f: Bdd) -> Result<Formula, Failure> {
        let negation = self.kernel.not(f)?;
        let parts = self.split(negation)?;
        if parts == [Part::Rest(negation)] {
            return self.entangled(f, negation);
        }
        let mut formulas = Vec::with_capacity(parts.len());
        for part in parts {
            formulas.push(match part {
                Part::Literal(level, value) => Formula::Literal(level, !value),
                Part::Same(a, b, same) => Formula::iff(Formula::Literal(a, true), Formula::Literal(b, !same)),
                Part::Rest(rest) => {
                    let rest = self.kernel.not(rest)?;
                    self.conjunction(rest)?
                }
            });
        }
        Ok(Formula::or(formulas))
    }

    /// The finest conjunction of independent parts that `f` is: literals, then equivalences, then others. No part is
    /// constant, unless it is all there is.
    fn split(&mut self, f: Bdd) -> Result<Vec<Part>, Exhausted> {
        if f.is_constant() {
            return Ok(vec![Part::Rest(f)]);
        }
        let mut parts = Vec::new();
        let mut rest = self.pull_literals(f, &mut parts)?;
        let mut support = self.support(rest);
        if support.len() <= WIDEST {
            rest = self.pull_equivalences(rest, &support, &mut parts)?;
            support = self.support(rest);
            if !rest.is_constant() {
                parts.extend(self.factors(rest, &support)?.into_iter().map(Part::Rest));
            }
        } else {
            parts.push(Part::Rest(rest));
        }
        Ok(parts)
    }

    fn pull_literals(&mut self, f: Bdd, parts: &mut Vec<Part>) -> Result<Bdd, Exhausted> {
        let mut rest = f;
        for level in self.support(f) {
            for value in [true, false] {
                let against = self.literal((level, !value))?;
                if self.kernel.disjoint(rest, against)? {
                    parts.push(Part::Literal(level, value));
                    rest = self.forget(rest, level)?;
                    break;
                }
            }
        }
        Ok(rest)
    }

    fn pull_equivalences(&mut self, f: Bdd, support: &[Level], parts: &mut Vec<Part>) -> Result<Bdd, Exhausted> {
        let (given, computed): (Vec<Level>, Vec<Level>) =
            support.iter().partition(|&&level| self.order.is_given(level));
        let candidates: Vec<Level> = given.into_iter().chain(computed).collect();
        let mut is_gone = vec![false; candidates.len()];
        let mut rest = f;
        let first = parts.len();
        for (place, &stays) in candidates.iter().enumerate() {
            for other in place + 1..candidates.len() {
                let goes = candidates[other];
                if is_gone[place] || is_gone[other] {
                    continue;
                }
                if let Some(same) = self.relation(rest, stays, goes)? {
                    let (a, b) =
                        if self.order.rank(goes) < self.order.rank(stays) { (goes, stays) } else { (stays, goes) };
                    parts.push(Part::Same(a, b, same));
                    is_gone[other] = true;
                    rest = self.forget(rest, goes)?;
                }
            }
        }
        parts[first..].sort_by_key(|part| match part {
            Part::Same(a, b, _) => (self.order.rank(*a), self.order.rank(*b)),
            Part::Literal(..) | Part::Rest(_) => unreachable!("only equivalences were added"),
        });
        Ok(rest)
    }

    /// Whether two variables are the same wherever `f` is true, or different; `None` where neither.
    fn relation(&mut self, f: Bdd, a: Level, b: Level) -> Result<Option<bool>, Exhausted> {
        let (a, b) = (self.kernel.var(a)?, self.kernel.var(b)?);
        let different = self.kernel.xor(a, b)?;
        if self.kernel.disjoint(f, different)? {
            return Ok(Some(true));
        }
        Ok(self.kernel.implies_check(f, different)?.then_some(false))
    }

    /// The finest partition of the variables such that `f` is the product of its projections; those projections.
    ///
    /// The projections of `f` to more and more of its variables are factored one after the other. A factor of one is a
    /// factor of the next, or else is joined with the new variable.
    fn factors(&mut self, f: Bdd, support: &[Level]) -> Result<Vec<Bdd>, Exhausted> {
        let mut projections = vec![f];
        for &level in support.iter().skip(1).rev() {
            let last = *projections.last().expect("it starts with one");
            projections.push(self.forget(last, level)?);
        }
        let mut factors: Vec<(Vec<Level>, Bdd)> = Vec::new();
        for (&level, f) in support.iter().zip(projections.into_iter().rev()) {
            let mut joined = vec![level];
            let mut others = Vec::new();
            let mut factor_of_joined = f;
            for (levels, factor) in factors {
                let rest = self.forget_all(f, &levels)?;
                if self.kernel.and(factor, rest)? == f {
                    factor_of_joined = self.forget_all(factor_of_joined, &levels)?;
                    others.push((levels, factor));
                } else {
                    joined.extend(levels);
                }
            }
            others.push((joined, factor_of_joined));
            factors = others;
        }
        let order = self.order;
        factors.sort_by_key(|(levels, _)| levels.iter().map(|&level| order.rank(level)).min());
        Ok(factors.into_iter().map(|(_, factor)| factor).collect())
    }

    /// `f`, of which neither it nor its negation is a conjunction of independent parts.
    fn entangled(&mut self, f: Bdd, negation: Bdd) -> Result<Formula, Failure> {
        if f.is_constant() {
            return Ok(Formula::Constant(f.is_true()));
        }
        let is_short = |cubes: &Vec<Cube>| cubes.iter().map(Vec::len).sum::<usize>() <= LONGEST;
        let sum = self.cover(f, f)?.filter(is_short).map(|cubes| self.sum(&cubes));
        let product = self.cover(negation, negation)?.filter(is_short).map(|cubes| self.product(&cubes));
        let flat = shorter(sum, product);
        let support = self.support(f);
        // A definition has every variable at least once.
        let is_worth_trying = support.len() < flat.as_ref().map_or(LONGEST, Formula::length);
        let definition = if is_worth_trying && support.len() <= WIDEST_DEFINITION {
            match self.definition(f, &support) {
                Err(Failure::TooLarge) => None,
                found => found?,
            }
        } else {
            None
        };
        let best = shorter(flat, definition);
        best.or_else(|| nested(self.kernel, f, &mut { LONGEST })).ok_or(Failure::TooLarge)
    }

    /// `a <=> h` and what is true of the others, for the variable with the shortest `h`; `None` where no variable is
    /// determined by the others.
    fn definition(&mut self, f: Bdd, support: &[Level]) -> Result<Option<Formula>, Failure> {
        let computed: Vec<Level> = support.iter().copied().filter(|&level| !self.order.is_given(level)).collect();
        let candidates = if computed.is_empty() { support } else { &computed };
        let mut best: Option<(usize, Level, Bdd)> = None;
        for &level in candidates {
            let (no, yes) = (self.cofactor(f, (level, false))?, self.cofactor(f, (level, true))?);
            if !self.kernel.disjoint(no, yes)? {
                continue;
            }
            // What the others cannot be together is open, so there are many definitions.
            let (not_no, not_yes) = (self.kernel.not(no)?, self.kernel.not(yes)?);
            for (lower, upper, value) in [(yes, not_no, true), (no, not_yes, false)] {
                let Some(cubes) = self.cover(lower, upper)? else { continue };
                let length = cubes.iter().map(Vec::len).sum();
                if best.is_none_or(|(shortest, ..)| length < shortest) {
                    let union = self.union(&cubes)?;
                    best = Some((length, level, if value { union } else { self.kernel.not(union)? }));
                }
            }
        }
        let Some((_, level, meaning)) = best else { return Ok(None) };
        let meaning = self.conjunction(meaning)?;
        let rest = self.forget(f, level)?;
        let rest = self.conjunction(rest)?;
        Ok(Some(Formula::and([Formula::iff(Formula::Literal(level, true), meaning), rest])))
    }

    fn sum(&self, cubes: &[Cube]) -> Formula {
        let cubes = self.sorted(cubes);
        let literals = |cube: Cube| cube.into_iter().map(|(level, value)| Formula::Literal(level, value));
        Formula::or(cubes.into_iter().map(|cube| Formula::and(literals(cube))))
    }

    /// The negation of the cubes' disjunction.
    fn product(&self, cubes: &[Cube]) -> Formula {
        let cubes = self.sorted(cubes);
        let literals = |cube: Cube| cube.into_iter().map(|(level, value)| Formula::Literal(level, !value));
        Formula::and(cubes.into_iter().map(|cube| Formula::or(literals(cube))))
    }

    /// The cubes in the order of the text, short ones and true literals first.
    fn sorted(&self, cubes: &[Cube]) -> Vec<Cube> {
        let mut cubes = cubes.to_vec();
        for cube in &mut cubes {
            cube.sort_by_key(|&(level, _)| self.order.rank(level));
        }
        cubes.sort_by_cached_key(|cube| {
            let key: Vec<_> = cube.iter().map(|&(level, value)| (self.order.rank(level), !value)).collect();
            (cube.len(), key)
        });
        cubes
    }

    fn cover(&mut self, lower: Bdd, upper: Bdd) -> Result<Option<Vec<Cube>>, Exhausted> {
        Ok(within(self.kernel, COVER_EFFORT, |kernel| cover_between(kernel, lower, upper))?.ok())
    }

    fn union(&mut self, cubes: &[Cube]) -> Result<Bdd, Exhausted> {
        let mut union = Bdd::FALSE;
        for cube in cubes {
            let mut product = Bdd::TRUE;
            for &literal in cube.iter().rev() {
                let literal = self.literal(literal)?;
                product = self.kernel.and(literal, product)?;
            }
            union = self.kernel.or(union, product)?;
        }
        Ok(union)
    }

    /// The variables of `f` in the order of the text.
    fn support(&self, f: Bdd) -> Vec<Level> {
        let mut support = self.kernel.support(f);
        support.sort_by_key(|&level| self.order.rank(level));
        support
    }

    fn literal(&mut self, (level, value): (Level, bool)) -> Result<Bdd, Exhausted> {
        if value { self.kernel.var(level) } else { self.kernel.nvar(level) }
    }

    fn cofactor(&mut self, f: Bdd, literal: (Level, bool)) -> Result<Bdd, Exhausted> {
        let plan = self.kernel.plan([(literal.0, Fate::Forget)]);
        let literal = self.literal(literal)?;
        self.kernel.image(f, literal, plan)
    }

    // One variable at a time: so there are as many plans as variables, not as sets of them.
    fn forget(&mut self, f: Bdd, level: Level) -> Result<Bdd, Exhausted> {
        let plan = self.kernel.plan([(level, Fate::Forget)]);
        self.kernel.transform(f, plan)
    }

    fn forget_all(&mut self, f: Bdd, levels: &[Level]) -> Result<Bdd, Exhausted> {
        levels.iter().try_fold(f, |f, &level| self.forget(f, level))
    }
}

/// The shorter one, and the first where they are equally long.
fn shorter(first: Option<Formula>, second: Option<Formula>) -> Option<Formula> {
    match (first, second) {
        (Some(first), Some(second)) if second.length() < first.length() => Some(second),
        (None, second) => second,
        (first, _) => first,
    }
}
