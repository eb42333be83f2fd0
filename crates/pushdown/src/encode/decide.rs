//! How a transition's open values were decided, given the states on both sides.

use super::Encoder;
use super::range::Picking;
use hardbop_base::{Exhausted, Idx};
use hardbop_bdd::Bdd;
use hardbop_icfg::{Expr, Transition, Value, VarId};
use hardbop_verdict::Picks;

impl Encoder<'_> {
    /// Values for the choices of `transition` and for its updates to anything, such that it can be taken where `leaf`
    /// gives the values before (and after, for variables without an update) and leads to `wanted`.
    ///
    /// # Requires
    /// There are such values.
    pub fn decide(
        &mut self,
        transition: &Transition,
        leaf: &dyn Fn(Expr) -> bool,
        wanted: &[(VarId, bool)],
    ) -> Result<Picks, Exhausted> {
        let open: Vec<VarId> = open_targets(transition).collect();
        let choices = transition.choices as usize;
        if choices + open.len() == 0 {
            return Ok(Picks::default());
        }
        self.choices = choices + open.len();
        let constant = |_: &mut Encoder<'_>, expr| Ok(if leaf(expr) { Bdd::TRUE } else { Bdd::FALSE });
        let mut before = Picking(constant);
        let mut after = |encoder: &mut Encoder<'_>, var| match transition.update_of(var) {
            Some(Value::Of(value)) => encoder.possibly(value, &mut before).map(Some),
            Some(Value::Any) => {
                let place = open.iter().position(|&target| target == var).expect("it is an open target");
                encoder.choice(choices + place).map(Some)
            }
            None => Ok(None),
        };
        let mut condition = Bdd::TRUE;
        for &(var, value) in wanted {
            if let Some(found) = after(self, var)? {
                let found = if value { found } else { self.kernel.not(found)? };
                condition = self.kernel.and(condition, found)?;
            }
        }
        if let Some(constraint) = transition.constraint {
            let mut both = Picking(|encoder: &mut Encoder<'_>, expr| match expr {
                Expr::Next(var) => match after(encoder, var)? {
                    Some(value) => Ok(value),
                    None => constant(encoder, expr),
                },
                expr => constant(encoder, expr),
            });
            let constraint = self.possibly(constraint, &mut both)?;
            condition = self.kernel.and(condition, constraint)?;
        }
        if let Some(guard) = transition.guard {
            let guard = self.possibly(guard, &mut before)?;
            condition = self.kernel.and(condition, guard)?;
        }
        Ok(self.read_picks(condition, choices, open.len()))
    }

    /// The choices that make `condition`, which speaks of nothing else, true.
    pub fn decide_condition(
        &mut self,
        condition: hardbop_icfg::ExprId,
        leaf: &dyn Fn(Expr) -> bool,
    ) -> Result<Vec<Option<bool>>, Exhausted> {
        self.choices = 0;
        let constant = |_: &mut Encoder<'_>, expr| Ok(if leaf(expr) { Bdd::TRUE } else { Bdd::FALSE });
        let condition = self.possibly(condition, &mut Picking(constant))?;
        let choices = self.choices;
        Ok(self.read_picks(condition, choices, 0).choices)
    }

    fn read_picks(&self, condition: Bdd, choices: usize, values: usize) -> Picks {
        // What the condition leaves open is false: an expression such as `'x | !'x` still rests on some value.
        let mut picks = Picks { choices: vec![Some(false); choices], values: vec![Some(false); values] };
        let first = self.levels.choice(0).index();
        for (level, value) in self.kernel.pick(condition).expect("the transition can be taken") {
            let number = level.index() - first;
            match number.checked_sub(choices) {
                None => picks.choices[number] = Some(value),
                Some(place) => picks.values[place] = Some(value),
            }
        }
        picks
    }
}

/// The targets of updates to anything, in order.
pub fn open_targets(transition: &Transition) -> impl Iterator<Item = VarId> + '_ {
    transition.updates.iter().filter(|update| update.value == Value::Any).map(|update| update.target)
}
