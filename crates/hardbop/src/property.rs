//! What is asked about infinite runs, as the automaton of what must not happen.

use crate::answer::{Goal, Kind};
use crate::arguments::Check;
use crate::evidence::Failure;
use crate::input::{self, Input};
use hardbop_base::{Budget, Diagnostic, Span};
use hardbop_icfg::proposition::{self, Proposition};
use hardbop_icfg::{NodeId, Program, Relation};
use hardbop_ltl::formula::Unary;
use hardbop_ltl::{Automaton, Formula, translate_buchi};
use hardbop_verdict::{Lasso, WordError, word};

/// The longest word on which a formula is looked at.
const MOST_LETTERS: usize = 20_000;

/// How many procedures are named where one is misspelt.
const MOST_NAMES: usize = 5;

/// What is asked.
#[derive(Debug)]
pub struct Property {
    /// Its name for the user.
    pub name: String,
    /// Which question it is.
    pub kind: Kind,
    /// The procedure whose calls must end.
    proc: Option<String>,
    /// What must not happen, where it was not given as an automaton.
    formula: Option<Formula>,
    /// The automaton of what must not happen.
    pub automaton: Automaton,
    /// Where each of its propositions stands.
    pub spans: Vec<Option<Span>>,
}

/// Whether anything is asked about infinite runs.
pub fn is_asked(request: &Check) -> bool {
    request.ltl.is_some() || request.terminates.is_some() || request.ltl_automaton.is_some() || !request.fair.is_empty()
}

/// What is asked by `request` of a program of kind `kind`.
pub fn read(request: &Check, kind: input::Kind, input: &mut Input, budget: &Budget) -> Result<Property, Failure> {
    if let Some(path) = &request.ltl_automaton {
        let file = input.read(path)?;
        let read = hardbop_ltl::hoa::read(input.text(file), input.start(file));
        let read = input.accept_result(read)?;
        let automaton = read.automaton.degeneralise(budget).map_err(|_| Failure::Stopped(budget.hit()))?;
        let spans = read.prop_spans.iter().map(|&span| Some(span)).collect();
        let name = path.display().to_string();
        return Ok(Property { name, kind: Kind::Automaton, proc: None, formula: None, automaton, spans });
    }
    let mut formula = match (&request.ltl, &request.terminates) {
        (Some(text), _) => formula(input, "--ltl", text)?.negated(),
        (None, Some(of)) => without_end(of.as_deref(), kind),
        (None, None) => {
            let error = Diagnostic::error("misfit-option", "`--fair` says of which runs, but not what must hold", None);
            return Err(error.help("add `--ltl FORMULA` or `--terminates`").into());
        }
    };
    for text in &request.fair {
        formula = formula.and(&self::formula(input, "--fair", text)?);
    }
    budget.enter("translate");
    let automaton = translate_buchi(&formula, budget).map_err(|_| Failure::Stopped(budget.hit()))?;
    let span_of = |text: &String| formula.props().iter().find(|prop| prop.text == *text).and_then(|prop| prop.span);
    let spans = automaton.props.iter().map(span_of).collect();
    let (name, kind) = match (&request.ltl, &request.terminates) {
        (Some(text), _) => (text.clone(), Kind::Ltl),
        (None, Some(Some(proc))) => (format!("`{proc}`"), Kind::Termination),
        (None, _) => ("the program".to_owned(), Kind::Termination),
    };
    let proc = request.terminates.clone().flatten();
    Ok(Property { name, kind, proc, formula: Some(formula), automaton, spans })
}

/// The runs that do not end: a finished program stays at `end`, a finished pushdown system does not go on.
fn without_end(proc: Option<&str>, kind: input::Kind) -> Formula {
    match (proc, kind) {
        (Some(proc), _) => {
            let inside = Formula::proposition(&format!("on_stack({proc})"));
            inside.unary(Unary::Always).unary(Unary::Eventually)
        }
        (None, input::Kind::PushdownSystem) => Formula::constant(true),
        (None, _) => Formula::proposition(FINISHED).negated().unary(Unary::Always),
    }
}

/// The place of a finished program, by a name that no program can give.
const FINISHED: &str = "(end)";

fn formula(input: &mut Input, option: &str, text: &str) -> Result<Formula, Failure> {
    let file = input.take(option, text)?;
    let parsed = hardbop_ltl::parse(input.text(file), input.start(file));
    input.accept_result(parsed)
}

impl Property {
    /// What its propositions say about `program`; `end` is where that stays when it has finished.
    pub fn propositions(
        &self,
        program: &mut Program<Relation>,
        end: Option<NodeId>,
        input: &mut Input,
    ) -> Result<Vec<Proposition>, Failure> {
        if let Some(proc) = &self.proc
            && program.icfg.procs.iter().all(|known| known.name != *proc)
        {
            let of_ours = end.map(|end| program.icfg.nodes[end].proc);
            let procs = program.icfg.procs.iter_enumerated().filter(|(id, _)| Some(*id) != of_ours);
            let names: Vec<String> = procs.map(|(_, known)| format!("`{}`", known.name)).take(MOST_NAMES).collect();
            let error = Diagnostic::error("undefined-procedure", format!("there is no procedure `{proc}`"), None);
            return Err(error.help(format!("there are {}", names.join(", "))).into());
        }
        let mut found = Vec::new();
        let mut propositions = Vec::new();
        for (text, &span) in self.automaton.props.iter().zip(&self.spans) {
            if text == FINISHED {
                let places = program.icfg.nodes.ids().map(|node| Some(node) == end).collect();
                propositions.push(Proposition::Places(places));
                continue;
            }
            match proposition::resolve(program, end, text) {
                Ok(proposition) => propositions.push(proposition),
                Err(problem) => found.push(problem.at(span)),
            }
        }
        input.accept(found)?;
        Ok(propositions)
    }

    /// Looks whether what must not happen does happen on `lasso`, by the definition of the logic. A run that is very long
    /// with all calls stepped into is taken as it is.
    pub fn confirm(&self, lasso: &Lasso<'_>, propositions: &[Proposition]) -> Result<(), Failure> {
        let Some(formula) = &self.formula else { return Ok(()) };
        let word = match word(lasso, propositions, MOST_LETTERS) {
            Ok(word) => word,
            Err(WordError::TooLong) => return Ok(()),
            Err(WordError::NoRun(why)) => {
                return Err(Failure::Fault(format!("the run without end cannot be followed: {why}")));
            }
        };
        let place = |text: &str| self.automaton.props.iter().position(|prop| prop == text);
        // What the automaton does not look at makes no difference.
        let is_true = |text: &str, at: usize| place(text).is_some_and(|place| word.letters[at][place]);
        match formula.holds_on(word.letters.len(), word.back, &is_true) {
            true => Ok(()),
            false => Err(Failure::Fault("the run without end violates nothing".to_owned())),
        }
    }

    /// The question as the user knows it.
    pub fn goal(&self, program: &Program<Relation>, input: &Input) -> Goal {
        let proc = &program.icfg.procs[program.entry];
        let place = input.sources.locate(proc.span);
        Goal {
            name: self.name.clone(),
            kind: self.kind,
            procedure: proc.name.clone(),
            path: place.path.to_owned(),
            line: place.line,
            place: place.path.to_owned(),
        }
    }
}
