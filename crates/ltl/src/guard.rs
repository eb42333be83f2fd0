//! When an edge can be taken: a boolean function of the propositions as a sum of products.

use hardbop_base::{Exhausted, Idx};
use hardbop_bdd::{Bdd, Kernel, Level, cover};

use crate::formula::PropId;

/// A conjunction of literals, sorted by proposition; the empty one is true.
pub type Cube = Vec<(PropId, bool)>;

/// A disjunction of cubes; the empty one is false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The cubes; none can be left out.
    pub cubes: Vec<Cube>,
}

/// A guard as a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GuardExpr {
    /// `true` or `false`.
    Constant(bool),
    /// A proposition or its negation.
    Literal(PropId, bool),
    /// All of them.
    And(Vec<GuardExpr>),
    /// One of them.
    Or(Vec<GuardExpr>),
}

impl Guard {
    /// The guard that always holds.
    pub fn always() -> Self {
        Self { cubes: vec![Vec::new()] }
    }

    /// Whether it holds whatever the propositions are.
    pub fn is_true(&self) -> bool {
        self.cubes.iter().any(Vec::is_empty)
    }

    /// The value where proposition `p` is `letter[p]`.
    pub fn holds(&self, letter: &[bool]) -> bool {
        self.cubes.iter().any(|cube| cube.iter().all(|&(prop, value)| letter[prop.index()] == value))
    }

    /// The guard as a tree.
    pub fn expr(&self) -> GuardExpr {
        let product = |cube: &Cube| match cube.as_slice() {
            [] => GuardExpr::Constant(true),
            &[(prop, value)] => GuardExpr::Literal(prop, value),
            _ => GuardExpr::And(cube.iter().map(|&(prop, value)| GuardExpr::Literal(prop, value)).collect()),
        };
        match self.cubes.as_slice() {
            [] => GuardExpr::Constant(false),
            [cube] => product(cube),
            cubes => GuardExpr::Or(cubes.iter().map(product).collect()),
        }
    }

    /// The guard in the words of `name`, with these signs between literals and between cubes.
    pub(crate) fn text(&self, name: impl Fn(PropId) -> String, and: &str, or: &str) -> String {
        if self.cubes.is_empty() {
            return "f".into();
        }
        let literal = |&(prop, value): &(PropId, bool)| format!("{}{}", if value { "" } else { "!" }, name(prop));
        let cube = |cube: &Cube| match cube.is_empty() {
            true => "t".into(),
            false => cube.iter().map(literal).collect::<Vec<_>>().join(and),
        };
        self.cubes.iter().map(cube).collect::<Vec<_>>().join(or)
    }

    /// The guard that is `function`, where proposition `p` is the variable at level `p`.
    pub(crate) fn from_bdd(kernel: &mut Kernel, function: Bdd) -> Result<Self, Exhausted> {
        let literal = |(level, value): (Level, bool)| (PropId::from_usize(level.index()), value);
        let cubes = cover(kernel, function)?;
        Ok(Self { cubes: cubes.into_iter().map(|cube| cube.into_iter().map(literal).collect()).collect() })
    }

    pub(crate) fn to_bdd(&self, kernel: &mut Kernel) -> Result<Bdd, Exhausted> {
        let mut sum = Bdd::FALSE;
        for cube in &self.cubes {
            let mut product = Bdd::TRUE;
            for &(prop, value) in cube {
                let literal = literal(kernel, prop, value)?;
                product = kernel.and(product, literal)?;
            }
            sum = kernel.or(sum, product)?;
        }
        Ok(sum)
    }
}

/// The proposition or its negation as a function.
pub(crate) fn literal(kernel: &mut Kernel, prop: PropId, value: bool) -> Result<Bdd, Exhausted> {
    let level = Level::from_usize(prop.index());
    if value { kernel.var(level) } else { kernel.nvar(level) }
}
