//! A formula as an expression of the language of boolean programs, with few parentheses.

use super::Formula;
use hardbop_bdd::Level;

/// How tightly operators bind, as in that language.
const TERNARY: u8 = 0;
const IFF: u8 = 1;
const IMPLIES: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 5;

impl Formula {
    /// The formula with the names that `name` gives.
    pub fn text<'n>(&self, name: &dyn Fn(Level) -> &'n str) -> String {
        let mut writer = Writer { name, text: String::new() };
        writer.formula(self, TERNARY);
        writer.text
    }
}

struct Writer<'a, 'n> {
    name: &'a dyn Fn(Level) -> &'n str,
    text: String,
}

impl Writer<'_, '_> {
    /// `formula`, in parentheses where it binds less tightly than `surroundings`.
    fn formula(&mut self, formula: &Formula, surroundings: u8) {
        match formula {
            Formula::Constant(value) => self.text.push(if *value { 'T' } else { 'F' }),
            Formula::Literal(level, value) => self.literal(*level, *value),
            Formula::And(parts) => self.enclosed(AND, surroundings, |writer| writer.list(parts, " & ", AND + 1)),
            Formula::Or(parts) => self.alternatives(parts, surroundings),
            // Arrows inside of arrows are in parentheses, needed or not: `a <=> b => c` would be a riddle.
            Formula::Iff(sides) => self.enclosed(IFF, surroundings, |writer| writer.list(&**sides, " <=> ", OR)),
            Formula::Ite(level, branches) => self.enclosed(TERNARY, surroundings, |writer| {
                writer.literal(*level, true);
                writer.text.push_str(" ? ");
                writer.list(&**branches, " : ", TERNARY);
            }),
        }
    }

    /// A disjunction, as an implication where it has negated variables and something else.
    fn alternatives(&mut self, parts: &[Formula], surroundings: u8) {
        let is_negated = |part: &&Formula| matches!(part, Formula::Literal(_, false));
        let (premises, conclusions): (Vec<&Formula>, Vec<&Formula>) = parts.iter().partition(is_negated);
        if premises.is_empty() || conclusions.is_empty() {
            return self.enclosed(OR, surroundings, |writer| writer.list(parts, " | ", OR + 1));
        }
        self.enclosed(IMPLIES, surroundings, |writer| {
            for (place, premise) in premises.into_iter().enumerate() {
                let Formula::Literal(level, _) = premise else { unreachable!("a premise is a literal") };
                if place > 0 {
                    writer.text.push_str(" & ");
                }
                writer.literal(*level, true);
            }
            writer.text.push_str(" => ");
            // A single conclusion may bind as loosely as a disjunction, several are one.
            let surroundings = if conclusions.len() == 1 { OR } else { OR + 1 };
            writer.list(conclusions, " | ", surroundings);
        });
    }

    fn list<'f>(&mut self, parts: impl IntoIterator<Item = &'f Formula>, between: &str, surroundings: u8) {
        for (place, part) in parts.into_iter().enumerate() {
            if place > 0 {
                self.text.push_str(between);
            }
            self.formula(part, surroundings);
        }
    }

    fn literal(&mut self, level: Level, value: bool) {
        if !value {
            self.text.push('!');
        }
        self.text.push_str((self.name)(level));
    }

    fn enclosed(&mut self, own: u8, surroundings: u8, write: impl FnOnce(&mut Self)) {
        let is_needed = own < surroundings;
        if is_needed {
            self.text.push('(');
        }
        write(self);
        if is_needed {
            self.text.push(')');
        }
    }
}
