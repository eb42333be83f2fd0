//! Where the dial puts its questions, and a memory of the answers.
//!
//! What the engine says of a question depends on the question alone: work is counted in steps, never in seconds. So an
//! answer to a question that was asked before, in this run or in one before the program was changed elsewhere, is the
//! answer still. What the limits of a run cut short is not remembered.

use crate::content::{Key, key};
use hardbop_base::{Budget, Exhausted, Limit};
use hardbop_icfg::{Goal, Program, Relation};
use hardbop_pushdown::relate::Related;
use hardbop_pushdown::{Evidence, Options, Report, check, relate};
use hardbop_verdict::{Reason, Verdict, Witness};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Answers by their questions.
pub trait Memory {
    /// The answer to `question`, just as it was given to [`remember`](Self::remember).
    fn recall(&self, question: &Key) -> Option<Vec<u8>>;

    /// Remembers an answer; it may be forgotten at any time.
    fn remember(&self, question: &Key, answer: &[u8]);
}

/// The engine with its options, and with a memory if there is one.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    /// How it works.
    pub options: Options,
    /// What it said before.
    pub memory: Option<&'a dyn Memory>,
}

impl std::fmt::Debug for Engine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<'a> Engine<'a> {
    /// An engine without a memory.
    pub const fn new(options: Options) -> Self {
        Self { options, memory: None }
    }

    /// What is said of each goal.
    pub(crate) fn check(
        &self,
        program: &Program<Relation>,
        goals: &[Goal],
        evidence: Evidence,
        budget: &Budget,
    ) -> Vec<Told> {
        let options = Options { evidence, ..self.options };
        let how = || format!("check {options:?} {}", budget.left());
        let question = self.question(program, goals, how);
        if let Some(answers) = question.as_ref().and_then(Question::recall::<Vec<Answer>>) {
            return answers.into_iter().map(Told::from).collect();
        }
        let Report { verdicts, is_entered, .. } = check(program, goals, &options, budget);
        let told: Vec<Told> =
            verdicts.into_iter().zip(is_entered).map(|(verdict, is_entered)| Told { verdict, is_entered }).collect();
        let answers: Option<Vec<Answer>> = told.iter().map(Answer::of).collect();
        if let (Some(question), Some(answers)) = (question, answers) {
            question.remember(&answers, budget);
        }
        told
    }

    /// How the states at the place of `goal` depend on those at its procedure's entry; nothing where that takes more
    /// than the allowance, or more than `most` decisions.
    pub(crate) fn relate(
        &self,
        program: &Program<Relation>,
        goal: &Goal,
        most: usize,
        budget: &Budget,
    ) -> Result<Option<Related>, Exhausted> {
        let options = Options { evidence: Evidence::None, ..self.options };
        let how = || format!("relate {options:?} {} {most}", budget.left());
        let question = self.question(program, std::slice::from_ref(goal), how);
        if let Some(answer) = question.as_ref().and_then(Question::recall) {
            return Ok(answer);
        }
        let answer = match relate(program, goal, most, &options, budget) {
            Err(Exhausted) if budget.hit() == Limit::Allowance => None,
            found => found?,
        };
        if let Some(question) = question {
            question.remember(&answer, budget);
        }
        Ok(answer)
    }

    fn question(
        &self,
        program: &Program<Relation>,
        goals: &[Goal],
        how: impl FnOnce() -> String,
    ) -> Option<Question<'a>> {
        let memory = self.memory?;
        Some(Question { memory, key: key(program, goals, &how()) })
    }
}

/// What is said of a goal.
pub(crate) struct Told {
    /// Whether it can be met.
    pub(crate) verdict: Verdict,
    /// Whether control comes to its place at all, if that is known.
    pub(crate) is_entered: Option<bool>,
}

/// A question that an answer may be known to.
struct Question<'a> {
    memory: &'a dyn Memory,
    key: Key,
}

impl Question<'_> {
    fn recall<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.memory.recall(&self.key)?).ok()
    }

    /// Remembers `answer`, unless a limit of the run has been hit: what came of it may be less than the whole answer.
    fn remember<T: Serialize>(&self, answer: &T, budget: &Budget) {
        if budget.hit() == Limit::Allowance {
            let answer = serde_json::to_vec(answer).expect("an answer is lists and numbers");
            self.memory.remember(&self.key, &answer);
        }
    }
}

/// What is said of a goal as it is remembered. How a goal is met says that control comes there.
#[derive(Serialize, Deserialize)]
enum Answer {
    Holds(Option<bool>),
    Violated(Option<Box<Witness>>),
    AllowanceSpent,
}

impl Answer {
    /// Nothing for what another run may say otherwise.
    fn of(told: &Told) -> Option<Self> {
        match &told.verdict {
            Verdict::Holds => Some(Self::Holds(told.is_entered)),
            Verdict::Violated(witness) => Some(Self::Violated(witness.clone())),
            Verdict::Unknown(Reason::Limit(Limit::Allowance)) => Some(Self::AllowanceSpent),
            Verdict::Unknown(_) => None,
        }
    }
}

impl From<Answer> for Told {
    fn from(answer: Answer) -> Self {
        let (verdict, is_entered) = match answer {
            Answer::Holds(is_entered) => (Verdict::Holds, is_entered),
            Answer::Violated(witness) => (Verdict::Violated(witness), Some(true)),
            Answer::AllowanceSpent => (Verdict::Unknown(Reason::Limit(Limit::Allowance)), None),
        };
        Self { verdict, is_entered }
    }
}
