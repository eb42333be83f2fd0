//! Temporal properties of boolean programs: a program as an explicit pushdown system.
//!
//! A control state holds the globals, a stack symbol a place with the values of parameters and locals. One step is one
//! edge of the control flow: a statement, a test one way or the other, a call up to the callee's first place, a return
//! from the exit to the place after the call. A return takes two rules, and what is between them is
//! [silent](Label::Silent).
//!
//! A false assumption and a failed assertion block a run. A program that has finished stays at the place `end`, below
//! the first activation of `main`, for ever.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};

use crate::flow::{Action, Place};
use crate::generate::{Size, programs};
use crate::ltl::generate::{Steps, formulas};
use crate::ltl::{Formula, Letter, Unary};
use crate::model::{Head, Model, ProcedureId, Valuation, Variable};
use crate::oracle::Machine;
use crate::pushdown::{Label, Pds, repeating, unfold};
use crate::render::Labels;

/// Something that is true or false at each step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proposition {
    /// A global is true; also where a local of the same name hides it.
    Global(Variable),
    /// The statement is about to be executed.
    At(ProcedureId, Head),
    /// The procedure is running: it is at one of its statements or at its exit, and has called nothing.
    In(ProcedureId),
    /// The procedure is at its exit.
    AtExit(ProcedureId),
    /// The procedure has been called and has not returned.
    OnStack(ProcedureId),
    /// The program has finished.
    End,
}

impl Proposition {
    /// Its text in a formula, where the program has its labels from [`Labels::Every`].
    pub fn render(&self, model: &Model) -> String {
        match self {
            Proposition::Global(variable) => model.globals[variable.0].clone(),
            Proposition::At(id, head) => {
                let rendered = model.render_with(Labels::Every);
                let placed = rendered.heads.iter().find(|placed| (placed.procedure, placed.head) == (*id, *head));
                let label = placed.and_then(|placed| placed.label.clone());
                format!("@{}", label.expect("only statements with labels can be asked about"))
            }
            Proposition::In(id) => format!("@{}", model.procedure(*id).name),
            Proposition::AtExit(id) => format!("at_exit({})", model.procedure(*id).name),
            Proposition::OnStack(id) => format!("on_stack({})", model.procedure(*id).name),
            Proposition::End => "end".to_string(),
        }
    }
}

/// All propositions about a program.
pub fn propositions(model: &Model) -> Vec<Proposition> {
    let mut all: Vec<Proposition> = (0..model.globals.len()).map(|bit| Proposition::Global(Variable(bit))).collect();
    all.push(Proposition::End);
    for id in model.procedure_ids() {
        all.extend([Proposition::In(id), Proposition::AtExit(id), Proposition::OnStack(id)]);
        let labelable = model.procedure(id).labelable().into_iter().enumerate();
        all.extend(labelable.filter(|(_, can)| *can).map(|(head, _)| Proposition::At(id, Head(head))));
    }
    all
}

/// A program and what to ask about it.
#[derive(Clone, Debug)]
pub struct Question {
    /// The program.
    pub model: Model,
    /// The formula.
    pub formula: Formula,
    /// Its propositions.
    pub propositions: Vec<Proposition>,
}

impl Question {
    /// The formula as text.
    pub fn render(&self) -> String {
        let texts: Vec<String> = self.propositions.iter().map(|one| one.render(&self.model)).collect();
        self.formula.render(&texts, self.model.spelling)
    }
}

/// Programs with formulas about them, with operators at most `depth` levels deep.
pub fn questions(size: Size, depth: usize, steps: Steps) -> impl Strategy<Value = Question> {
    let numbers = vec(any::<u8>().prop_map(usize::from), 3);
    (programs(size), formulas(3, depth, steps), numbers).prop_map(|(model, formula, numbers)| {
        let all = propositions(&model);
        // Globals, which come first, twice as often as each statement.
        let pick = |number: usize| all[number % (all.len() + model.globals.len()) % all.len()];
        let propositions = numbers.into_iter().map(pick).collect();
        Question { model, formula, propositions }
    })
}

/// Whether `formula`, over `propositions`, holds on all infinite runs, the finished ones among them.
pub fn holds(model: &Model, formula: &Formula, propositions: &[Proposition]) -> bool {
    repeating::holds(&expand(model, propositions), formula)
}

/// Whether every run that is not blocked finishes.
pub fn terminates(model: &Model) -> bool {
    holds(model, &Formula::unary(Unary::Finally, Formula::proposition(0)), &[Proposition::End])
}

/// A control state.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    /// The globals.
    Running(Valuation),
    /// A procedure has ended with these globals and results.
    Returned(ProcedureId, Valuation),
}

/// The procedures on the stack that are asked about.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Open(u64);

/// A stack symbol. The values are those of parameters and locals, and at an exit of the results.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Symbol {
    /// A procedure is at a place.
    At(ProcedureId, Place, Valuation, Open),
    /// It waits for the call there to come back.
    Waiting(ProcedureId, Head, Valuation, Open),
    /// The program has finished.
    End,
}

/// The explicit system of a program; its letters say which of `propositions` are true.
pub fn expand(model: &Model, propositions: &[Proposition]) -> Pds {
    let asked = propositions.iter().fold(0, |asked, one| match one {
        Proposition::OnStack(id) => asked | 1 << id.0,
        _ => asked,
    });
    let expansion = Expansion { machine: Machine::new(model), globals: model.globals.len(), asked: Open(asked) };
    let main = ProcedureId::MAIN;
    let entries = expansion.machine.initial_entries();
    let starts = entries.flat_map(|entry| expansion.starts(main, entry, Open::default()));
    let initial: Vec<_> = starts.map(|(state, top)| (state, vec![top, Symbol::End])).collect();
    let label = |state: &State, symbol: &Symbol| {
        let State::Running(globals) = *state else { return Label::Silent };
        Label::Letter(Letter::of(propositions.iter().map(|one| is_true(*one, globals, *symbol))))
    };
    unfold(initial, |state, symbol| expansion.rules(*state, *symbol), label).pds
}

fn is_true(proposition: Proposition, globals: Valuation, symbol: Symbol) -> bool {
    match (proposition, symbol) {
        (Proposition::Global(variable), _) => globals.value(variable),
        (Proposition::At(id, head), Symbol::At(running, place, ..)) => id == running && place == Place::At(head),
        (Proposition::In(id), Symbol::At(running, ..)) => id == running,
        (Proposition::AtExit(id), Symbol::At(running, place, ..)) => id == running && place == Place::Exit,
        (Proposition::OnStack(id), Symbol::At(.., open)) => open.0 >> id.0 & 1 == 1,
        (Proposition::End, Symbol::End) => true,
        _ => false,
    }
}

struct Expansion<'m> {
    machine: Machine<'m>,
    /// How many globals there are.
    globals: usize,
    /// The procedures that propositions about the stack ask about.
    asked: Open,
}

impl Expansion<'_> {
    fn rules(&self, state: State, symbol: Symbol) -> Vec<(State, Vec<Symbol>)> {
        match (state, symbol) {
            (State::Running(globals), Symbol::At(id, Place::At(head), own, open)) => {
                let valuation = self.join(globals, own);
                let steps = self.machine.steps(id, head, valuation).into_iter();
                let steps = steps.map(|(place, next)| self.at(id, place, next, open));
                let steps = steps.map(|(state, top)| (state, vec![top]));
                steps.chain(self.calls(id, head, valuation, open)).collect()
            }
            (State::Running(globals), Symbol::At(id, Place::Exit, own, _)) => {
                vec![(State::Returned(id, self.machine.outcome(id, self.join(globals, own))), vec![])]
            }
            (State::Returned(callee, outcome), Symbol::Waiting(id, head, own, open)) => {
                let Action::Call(call) = self.machine.action(id, head) else { unreachable!("it waits at a call") };
                // No stack has such a pair, but unfolding asks.
                if call.callee != callee {
                    return Vec::new();
                }
                let caller = self.join(Valuation::default(), own);
                let returns = self.machine.returns(id, call, caller, outcome).into_iter();
                let returns = returns.map(|(place, next)| self.at(id, place, next, open));
                returns.map(|(state, top)| (state, vec![top])).collect()
            }
            (State::Returned(callee, outcome), Symbol::End) => {
                let globals = self.split(outcome).0;
                let is_first = callee == ProcedureId::MAIN;
                if is_first { vec![(State::Running(globals), vec![Symbol::End])] } else { Vec::new() }
            }
            (State::Running(_), Symbol::End) => vec![(state, vec![symbol])],
            // No activation runs while it waits, and none waits before it has run.
            (State::Running(_), Symbol::Waiting(..)) | (State::Returned(..), Symbol::At(..)) => Vec::new(),
        }
    }

    /// What a call at `head` leads to, if there is one.
    fn calls(&self, id: ProcedureId, head: Head, valuation: Valuation, open: Open) -> Vec<(State, Vec<Symbol>)> {
        let Action::Call(call) = self.machine.action(id, head) else { return Vec::new() };
        let waiting = Symbol::Waiting(id, head, self.split(valuation).1, open);
        let entries = self.machine.entries(call, valuation).into_iter();
        let starts = entries.flat_map(|entry| self.starts(call.callee, entry, open));
        starts.map(|(state, top)| (state, vec![top, waiting])).collect()
    }

    /// The first configurations of a procedure that is entered with `entry`, above what is `below`.
    fn starts(&self, id: ProcedureId, entry: Valuation, below: Open) -> Vec<(State, Symbol)> {
        let open = Open(below.0 | self.asked.0 & 1 << id.0);
        let place = self.machine.flows[id.0].entry;
        let states = self.machine.entry_states(id, entry).into_iter();
        let starts = states.flat_map(|state| self.machine.fill_results(id, (place, state)));
        starts.map(|(place, state)| self.at(id, place, state, open)).collect()
    }

    fn at(&self, id: ProcedureId, place: Place, valuation: Valuation, open: Open) -> (State, Symbol) {
        let (globals, own) = self.split(valuation);
        (State::Running(globals), Symbol::At(id, place, own, open))
    }

    /// The globals, and the rest.
    fn split(&self, valuation: Valuation) -> (Valuation, Valuation) {
        (Valuation(valuation.0 & ((1 << self.globals) - 1)), Valuation(valuation.0 >> self.globals))
    }

    fn join(&self, globals: Valuation, own: Valuation) -> Valuation {
        Valuation(globals.0 | own.0 << self.globals)
    }
}
