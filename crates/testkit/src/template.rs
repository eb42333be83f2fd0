//! Programs as large as asked for, as text.
//!
//! [`bebop_levels`] and [`bit_counter`] have known answers; [`random_program`] does not, and is for comparing engines.

use std::fmt::Write;

use crate::random::Random;

/// What the answer for the label `SLIC_ERROR` should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A run gets there.
    Reachable,
    /// None does.
    Unreachable,
}

/// The template of [BR00, §4]: `levels` procedures that call the next twice unless a global says otherwise; then they
/// count to seven. The number of variables in scope stays the same, that of calls doubles with each level.
pub fn bebop_levels(levels: usize, answer: Answer) -> String {
    let goal = match answer {
        Answer::Reachable => "!g",
        Answer::Unreachable => "g & !g",
    };
    let mut text = format!(
        "decl g;\nvoid main()\nbegin\n  level1();\n  level1();\n  if ({goal}) then\n    SLIC_ERROR: skip;\n  fi\nend\n"
    );
    for level in 1..=levels {
        let next = level + 1;
        let deeper = if level == levels { "skip;".to_string() } else { format!("level{next}();\n    level{next}();") };
        let procedure = format!(
            "void level{level}()
begin
  decl a, b, c;
  if (g) then
    a, b, c := F, F, F;
    while (!(a & b & c)) do
      if (a & b) then
        a, b, c := F, F, T;
      elsif (a) then
        a, b := F, T;
      else
        a := T;
      fi
    od
  else
    {deeper}
  fi
  g := !g;
end
"
        );
        text.push_str(&procedure);
    }
    text
}

/// A counter of `bits` global bits, each incremented by a procedure of its own that calls the next on a carry. The
/// shortest run to its end has more than `2^bits` steps, so every fixpoint takes as many rounds.
pub fn bit_counter(bits: usize, answer: Answer) -> String {
    assert!(bits > 0, "a counter without bits does not count");
    let names: Vec<String> = (0..bits).map(|bit| format!("b{bit}")).collect();
    let goal = match answer {
        Answer::Reachable => "b0",
        Answer::Unreachable => "!b0",
    };
    let mut text = format!(
        "decl {};
void main()
begin
  {} := {};
  while (!({})) do
    increment0();
  od
  if ({goal}) then
    SLIC_ERROR: skip;
  fi
end
",
        names.join(", "),
        names.join(", "),
        vec!["F"; bits].join(", "),
        names.join(" & "),
    );
    for bit in 0..bits {
        let carry = if bit + 1 < bits { format!("increment{}();", bit + 1) } else { "skip;".to_string() };
        let procedure = format!(
            "void increment{bit}()
begin
  if (b{bit}) then
    b{bit} := F;
    {carry}
  else
    b{bit} := T;
  fi
end
"
        );
        text.push_str(&procedure);
    }
    text
}

/// How large a [`random_program`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// Global variables.
    pub globals: usize,
    /// Procedures, with `main`.
    pub procedures: usize,
    /// Statement heads of each procedure, approximately.
    pub statements: usize,
    /// Two programs with the same numbers are the same program.
    pub seed: u64,
}

/// A random program in Moped's dialect, with recursion, whose last procedure ends at the label `SLIC_ERROR` under a
/// condition that may or may not be possible.
pub fn random_program(dimensions: Dimensions) -> String {
    assert!(dimensions.globals > 0 && dimensions.procedures > 0, "a program has a global and `main`");
    let mut random = Random::new(dimensions.seed);
    let signatures = (0..dimensions.procedures).map(|place| match place {
        0 => Signature { parameters: 0, results: 0, locals: 4 + random.below(5) },
        _ => Signature { parameters: random.below(4), results: random.below(3), locals: 2 + random.below(5) },
    });
    let signatures: Vec<Signature> = signatures.collect();
    let globals: Vec<String> = (0..dimensions.globals).map(|place| format!("g{place}")).collect();
    let mut text = format!("decl {};\n", globals.join(", "));
    for place in 0..dimensions.procedures {
        let mut writer = Writer { random, text, signatures: &signatures, place, variables: globals.clone() };
        writer.procedure(dimensions.statements);
        (random, text) = (writer.random, writer.text);
    }
    text
}

struct Signature {
    parameters: usize,
    results: usize,
    locals: usize,
}

/// Writes one procedure of a random program.
struct Writer<'s> {
    random: Random,
    text: String,
    signatures: &'s [Signature],
    place: usize,
    /// Those in scope.
    variables: Vec<String>,
}

impl Writer<'_> {
    fn procedure(&mut self, statements: usize) {
        let Signature { parameters, results, locals } = self.signatures[self.place];
        let place = self.place;
        let parameters: Vec<String> = (0..parameters).map(|number| format!("a{place}_{number}")).collect();
        let locals: Vec<String> = (0..locals).map(|number| format!("l{place}_{number}")).collect();
        let kind = match results {
            0 => "void".to_string(),
            1 => "bool".to_string(),
            count => format!("bool<{count}>"),
        };
        let name = self.name(place);
        self.write(0, &format!("{kind} {name}({})", parameters.join(", ")));
        self.write(0, "begin");
        self.write(1, &format!("decl {};", locals.join(", ")));
        self.variables.extend(parameters.into_iter().chain(locals));
        self.block(1, statements);
        if self.place + 1 == self.signatures.len() {
            let condition = self.expression(3);
            self.write(1, &format!("if ({condition}) then"));
            self.write(2, "SLIC_ERROR: skip;");
            self.write(1, "fi");
        }
        let values: Vec<String> = (0..results).map(|_| self.expression(2)).collect();
        self.write(1, &format!("return {}", values.join(", ")));
        self.text.truncate(self.text.trim_end().len());
        self.text.push_str(";\nend\n");
    }

    fn name(&self, place: usize) -> String {
        if place == 0 { "main".to_string() } else { format!("p{place}") }
    }

    fn write(&mut self, depth: usize, line: &str) {
        let indent = "  ".repeat(depth);
        writeln!(self.text, "{indent}{line}").expect("a string takes all");
    }

    /// Writes `statements` heads, the tests of branches and loops among them.
    fn block(&mut self, depth: usize, statements: usize) {
        let mut left = statements.max(1);
        while left > 0 {
            let inner = left.min(3 + self.random.below(8)) - 1;
            let is_compound = depth < 4 && inner >= 2 && self.random.chance(22);
            if is_compound {
                self.compound(depth, inner);
                left -= inner + 1;
            } else {
                self.simple(depth);
                left -= 1;
            }
        }
    }

    fn compound(&mut self, depth: usize, inner: usize) {
        let condition = if self.random.chance(35) { "*".to_string() } else { self.expression(2) };
        if self.random.chance(30) {
            self.write(depth, &format!("while ({condition}) do"));
            self.block(depth + 1, inner);
            return self.write(depth, "od");
        }
        self.write(depth, &format!("if ({condition}) then"));
        self.block(depth + 1, inner / 2);
        self.write(depth, "else");
        self.block(depth + 1, inner - inner / 2);
        self.write(depth, "fi");
    }

    fn simple(&mut self, depth: usize) {
        let line = match self.random.below(100) {
            0..5 => "skip;".to_string(),
            // A disjunction, or soon no state would be left.
            5..13 => format!("assume({} | {});", self.expression(1), self.expression(1)),
            13..35 => self.call(),
            _ => self.assignment(),
        };
        self.write(depth, &line);
    }

    fn assignment(&mut self) -> String {
        let count = 1 + self.random.below(3);
        let targets = self.targets(count);
        let values: Vec<String> = targets.iter().map(|_| self.value()).collect();
        format!("{} := {};", targets.join(", "), values.join(", "))
    }

    fn call(&mut self) -> String {
        // Mostly a later procedure, so that most calls return.
        let later = self.signatures.len() - self.place - 1;
        let callee = match self.random.chance(80) && later > 0 {
            true => self.place + 1 + self.random.below(later),
            false if self.signatures.len() == 1 => return "skip;".to_string(),
            false => 1 + self.random.below(self.signatures.len() - 1),
        };
        let Signature { parameters, results, .. } = self.signatures[callee];
        let targets = self.targets(results);
        let arguments: Vec<String> = (0..parameters).map(|_| self.expression(2)).collect();
        let assignment = if results == 0 { String::new() } else { targets.join(", ") + " := " };
        format!("{assignment}{}({});", self.name(callee), arguments.join(", "))
    }

    /// `count` different variables.
    ///
    /// # Requires
    /// There are as many: a procedure has at least three in scope, a global and two locals.
    fn targets(&mut self, count: usize) -> Vec<String> {
        assert!(count <= self.variables.len(), "more targets than variables");
        let mut targets: Vec<String> = Vec::new();
        while targets.len() < count {
            let name = &self.variables[self.random.below(self.variables.len())];
            if !targets.contains(name) {
                targets.push(name.clone());
            }
        }
        targets
    }

    fn value(&mut self) -> String {
        match self.random.below(10) {
            0 => "schoose[F, F]".to_string(),
            1 => format!("schoose[{}, {}]", self.expression(1), self.expression(1)),
            2 => ["T", "F"][self.random.below(2)].to_string(),
            _ => self.expression(2),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(30) {
            let sign = ["", "!"][self.random.below(2)];
            return format!("{sign}{}", self.variables[self.random.below(self.variables.len())]);
        }
        let sign = ["&", "|", "=", "!="][self.random.below(4)];
        format!("({} {sign} {})", self.expression(depth - 1), self.expression(depth - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Dimensions, bebop_levels, bit_counter, random_program};

    #[test]
    fn templates_grow_by_a_procedure() {
        for text in [bebop_levels(7, Answer::Reachable), bit_counter(7, Answer::Unreachable)] {
            assert_eq!(text.matches("\nend\n").count(), 8, "{text}");
            assert_eq!(text.matches("SLIC_ERROR").count(), 1, "{text}");
        }
    }

    #[test]
    fn random_program_is_its_seed() {
        let dimensions = Dimensions { globals: 12, procedures: 9, statements: 100, seed: 3 };
        assert_eq!(random_program(dimensions), random_program(dimensions));
        assert_ne!(random_program(dimensions), random_program(Dimensions { seed: 4, ..dimensions }));
    }

    #[test]
    fn random_program_has_as_many_statements_as_asked() {
        for seed in 0..20 {
            let text = random_program(Dimensions { globals: 1, procedures: 5, statements: 60, seed });
            let is_head = |line: &str| line.contains(';') || line.ends_with("then") || line.ends_with("do");
            let heads = text.lines().filter(|line| is_head(line) && !line.trim_start().starts_with("decl")).count();
            // Each procedure has a return, the last one a goal.
            assert_eq!(heads, 5 * 61 + 2, "{text}");
        }
    }
}
