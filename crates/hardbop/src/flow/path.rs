//! How a place fails: the run as the user wrote it, with the facts that change along it.
//!
//! A run over facts is a run over the C program, edge by edge, so nothing has to be translated back. What does nothing
//! to a fact that has a reading, and is no branch, call or return, is left out. Crossed calls are stepped into at their
//! first use while the lines last; those of models never.

use crate::arguments::Unfold;
use crate::statement;
use hardbop_base::{IndexVec, SourceMap, Span};
use hardbop_c_core::print::{Style, expr, place};
use hardbop_c_core::{Expr, ExprKind, Module};
use hardbop_c_facts::Fact;
use hardbop_c_graph::{Action, CGraph, Truth};
use hardbop_dataflow::Failure;
use hardbop_dataflow::modular::part::Origin;
use hardbop_icfg::{EdgeId, EdgeKind, NodeId, ProcId, Program, Relation, Transition, VarId};
use hardbop_verdict::replay::{Replayed, Run, State};
use hardbop_verdict::{Length, Move, SubTraceId, Witness};
use std::collections::{BTreeSet, HashMap};

/// The run that leads to a failure.
#[derive(Debug)]
pub struct Path {
    /// What happens on the way.
    pub steps: Vec<Step>,
    /// How many calls are open where it fails.
    pub depth: usize,
    /// Whether a shorter run might exist.
    pub length: Length,
    /// Whether calls are folded only since the lines did not last.
    pub is_cut: bool,
}

/// Something that happens on the way.
#[derive(Debug)]
pub struct Step {
    /// The file, as the user gave it.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The function.
    pub function: String,
    /// How many calls are open.
    pub depth: usize,
    /// The statement, in the words of the source.
    pub text: String,
    /// What kind of thing it is.
    pub kind: Kind,
    /// What is so afterwards and was not before, in C terms.
    pub changes: Vec<String>,
}

/// What kind of thing happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A condition, and what it is.
    Branch(Truth),
    /// A call; the steps that follow are the callee's.
    Call,
    /// A call of which only the effect is shown.
    Folded,
    /// A return.
    Return,
    /// Anything else.
    Statement,
}

/// What a run is a run of.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The C program.
    pub module: &'a Module,
    /// Its control flow.
    pub graph: &'a CGraph<'a>,
    /// What the facts are.
    pub facts: &'a [Fact],
    /// The texts.
    pub sources: &'a SourceMap,
    /// How far crossed calls are stepped into.
    pub unfold: Unfold,
}

impl Scene<'_> {
    /// The path of a failure whose run was replayed.
    pub fn path(&self, failure: &Failure, replayed: &Replayed) -> Path {
        let (program, witness, origin) = (&*failure.projection, &failure.witness, failure.origin.as_deref());
        let here: Option<HashMap<VarId, VarId>> =
            origin.map(|origin| origin.vars.iter_enumerated().map(|(here, &var)| (var, here)).collect());
        let bits = |fact: &Fact| match &here {
            None => Some(fact.bits.clone()),
            Some(here) => fact.bits.iter().map(|bit| here.get(bit).copied()).collect(),
        };
        let mut fact_of = HashMap::new();
        let facts: Vec<Vec<VarId>> = self.facts.iter().map(|fact| bits(fact).unwrap_or_default()).collect();
        for (index, bits) in facts.iter().enumerate().filter(|(index, _)| !self.facts[*index].readings.is_empty()) {
            fact_of.extend(bits.iter().map(|&bit| (bit, index)));
        }
        let left = match self.unfold {
            Unfold::Lines(lines) => lines,
            Unfold::All => usize::MAX,
        };
        let mut builder = Builder {
            scene: self,
            program,
            witness,
            replayed,
            origin,
            facts,
            fact_of,
            is_unfolded: IndexVec::from_elem(false, witness.subtraces.len()),
            left,
            steps: Vec::new(),
            is_cut: false,
        };
        builder.build();
        let depth = replayed.main().state(witness.moves.len()).depth as usize;
        Path { steps: builder.steps, depth, length: witness.length, is_cut: builder.is_cut }
    }
}

struct Builder<'a> {
    scene: &'a Scene<'a>,
    program: &'a Program<Relation>,
    witness: &'a Witness,
    replayed: &'a Replayed,
    /// What the program is in the whole, where it is about one procedure.
    origin: Option<&'a Origin>,
    /// The bits of the facts, in the program.
    facts: Vec<Vec<VarId>>,
    /// The facts that have readings, by their bits.
    fact_of: HashMap<VarId, usize>,
    is_unfolded: IndexVec<SubTraceId, bool>,
    /// How many more lines there may be.
    left: usize,
    steps: Vec<Step>,
    is_cut: bool,
}

/// A run that is being walked along.
struct Frame {
    run: Option<SubTraceId>,
    next: usize,
    /// The depth that the run's own depths are added to.
    base: usize,
}

impl<'a> Builder<'a> {
    /// How the values of `fact` at `state` read; nothing where they are not known, or have no reading.
    fn reading(&self, fact: usize, state: &State<'_>) -> Option<&'a str> {
        let mut bits = self.facts[fact].iter().rev();
        let number =
            bits.try_fold(0_usize, |number, &bit| number.checked_mul(2)?.checked_add(usize::from(state.value(bit)?)));
        self.scene.facts[fact].readings.get(number?).map(String::as_str).filter(|reading| !reading.is_empty())
    }

    /// What an edge does in C; nothing where it stands for all that a procedure does.
    fn action(&self, edge: EdgeId) -> Option<Action<'a>> {
        let edge = self.origin.map_or(Some(edge), |origin| origin.edges[edge])?;
        Some(self.scene.graph.actions[edge])
    }

    /// A run of one procedure starts where the procedure is called.
    fn begin(&mut self) {
        if self.origin.is_none() {
            return;
        }
        let proc = &self.program.icfg.procs[self.program.entry];
        let (vars, start) = (self.program.scope(self.program.entry).collect(), self.run(None).state(0));
        let changes = self.changes(vars, None, &start);
        let place = self.scene.sources.locate(proc.span);
        self.steps.push(Step {
            path: place.path.to_owned(),
            line: place.line,
            function: proc.name.clone(),
            depth: 0,
            text: format!("{} is called", proc.name),
            kind: Kind::Call,
            changes,
        });
    }

    fn build(&mut self) {
        self.begin();
        let mut frames = vec![Frame { run: None, next: 0, base: 0 }];
        while let Some(frame) = frames.last_mut() {
            let Some(step) = self.moves(frame.run).get(frame.next) else {
                frames.pop();
                continue;
            };
            let (run, index) = (self.run(frame.run), frame.next);
            frame.next += 1;
            let (before, after) = (run.state(index), run.state(index + 1));
            let depth = frame.base + before.depth as usize;
            match *step {
                Move::Step { edge, .. } => self.step(edge, depth, &before, &after),
                Move::Enter { edge, .. } => {
                    let changes = self.changes(self.entered(edge), None, &after);
                    self.call(edge, depth, Kind::Call, changes);
                }
                Move::Cross { edge, sub, .. } if self.is_model(edge) => {
                    let changes = self.changes(self.crossed(edge, sub), Some(&before), &after);
                    if !changes.is_empty() {
                        self.call(edge, depth, Kind::Statement, changes);
                    }
                }
                Move::Cross { edge, sub, .. } => {
                    if self.unfolds(sub) {
                        let entry = self.run(Some(sub)).state(0);
                        let changes = self.changes(self.entered(edge), None, &entry);
                        self.call(edge, depth, Kind::Call, changes);
                        frames.push(Frame { run: Some(sub), next: 0, base: depth + 1 });
                    } else {
                        let changes = self.changes(self.crossed(edge, sub), Some(&before), &after);
                        self.call(edge, depth, Kind::Folded, changes);
                    }
                }
            }
        }
    }

    fn moves(&self, run: Option<SubTraceId>) -> &'a [Move] {
        run.map_or(&self.witness.moves, |sub| &self.witness.subtraces[sub].moves)
    }

    fn run(&self, run: Option<SubTraceId>) -> Run<'a> {
        run.map_or_else(|| self.replayed.main(), |sub| self.replayed.subtrace(sub))
    }

    /// Whether what `sub` does is shown here.
    fn unfolds(&mut self, sub: SubTraceId) -> bool {
        let is_stub = self.moves(Some(sub)).iter().all(|step| self.action(step.edge()).is_none());
        if self.is_unfolded[sub] || is_stub {
            return false;
        }
        let moves = self.witness.subtraces[sub].moves.len();
        let Some(left) = self.left.checked_sub(moves) else {
            self.is_cut = true;
            return false;
        };
        self.left = left;
        self.is_unfolded[sub] = true;
        true
    }

    /// Whether a call is one of a model, which is one line whatever happens inside.
    fn is_model(&self, edge: EdgeId) -> bool {
        matches!(self.program.icfg.edges[edge].kind, EdgeKind::Call { callee, .. } if self.model(callee).is_some())
    }

    /// The name of the library function whose model a procedure is.
    fn model(&self, proc: ProcId) -> Option<&'a str> {
        let proc = self.origin.map_or(Some(proc), |origin| origin.procs.get(proc).copied())?;
        let function = &self.scene.module.functions[self.scene.graph.functions[proc]?];
        function.is_model.then_some(function.source_name.as_str())
    }

    fn step(&mut self, edge: EdgeId, depth: usize, before: &State<'_>, after: &State<'_>) {
        let Relation::Step(transition) = &self.program.labels[edge] else { return };
        let node = self.program.icfg.edges[edge].from;
        if self.model(self.program.icfg.nodes[node].proc).is_some() {
            return;
        }
        let changes = self.changes(targets(transition), Some(before), after);
        let Some(action) = self.action(edge) else { return };
        let (kind, text) = match action {
            Action::Assume(condition, truth) if self.is_branch(node, condition) => {
                (Kind::Branch(truth), self.condition(condition))
            }
            Action::Return(Some(_)) => (Kind::Return, self.text(self.program.icfg.nodes[node].span)),
            Action::Change(what) if !transition.updates.is_empty() => {
                let name = place(self.scene.module, what, Style::READABLE);
                (Kind::Statement, format!("{} may have changed by itself", statement::one_line(&name)))
            }
            _ if changes.is_empty() => return,
            Action::Outside => (Kind::Statement, "code outside does anything".into()),
            Action::Started(function) => {
                (Kind::Statement, format!("{} has returned", self.scene.module.functions[function].source_name))
            }
            _ => (Kind::Statement, self.text(self.program.icfg.nodes[node].span)),
        };
        self.push(node, depth, text, kind, changes);
    }

    /// Whether the source leaves it open which way control goes.
    fn is_branch(&self, node: NodeId, condition: &Expr) -> bool {
        self.program.icfg.successors(node).len() > 1 && !matches!(condition.kind, ExprKind::Integer(_))
    }

    fn condition(&self, condition: &Expr) -> String {
        statement::one_line(&expr(self.scene.module, condition, Style::READABLE))
    }

    fn text(&self, span: Span) -> String {
        statement::one_line(self.scene.sources.text(span))
    }

    fn call(&mut self, edge: EdgeId, depth: usize, kind: Kind, changes: Vec<String>) {
        let found = self.program.icfg.edges[edge];
        let Some(action) = self.action(edge) else { return };
        let text = match action {
            Action::Start(function) => {
                format!("{} is called from outside", self.scene.module.functions[function].source_name)
            }
            Action::CallBack(_) => "code outside calls back".into(),
            Action::End => "the run ends".into(),
            _ => match self.model(self.program.icfg.nodes[found.from].proc) {
                Some(name) => format!("{name} calls back"),
                None => self.text(self.program.icfg.nodes[found.from].span),
            },
        };
        let place = match (action, found.kind) {
            // What is outside has no place of its own.
            (Action::Start(_), EdgeKind::Call { callee, .. }) => self.program.icfg.procs[callee].entry,
            _ => found.from,
        };
        self.push(place, depth, text, kind, changes);
        if let (Action::Start(function), Some(step)) = (action, self.steps.last_mut()) {
            let place = self.scene.sources.locate(self.scene.module.functions[function].span);
            (step.path, step.line) = (place.path.to_owned(), place.line);
        }
    }

    fn push(&mut self, node: NodeId, depth: usize, text: String, kind: Kind, changes: Vec<String>) {
        let found = self.program.icfg.nodes[node];
        let place = self.scene.sources.locate(found.span);
        let function = self.program.icfg.procs[found.proc].name.clone();
        // A statement that was taken apart is one statement again.
        if let Some(last) = self.steps.last_mut()
            && (last.kind, kind) == (Kind::Statement, Kind::Statement)
            && (last.depth, last.line, &last.path[..], &last.text) == (depth, place.line, place.path, &text)
        {
            last.changes.extend(changes);
            return;
        }
        self.steps.push(Step { path: place.path.to_owned(), line: place.line, function, depth, text, kind, changes });
    }

    /// What is known of `vars` at `after` and was not so `before`.
    fn changes(&self, vars: Vec<VarId>, before: Option<&State<'_>>, after: &State<'_>) -> Vec<String> {
        let facts: BTreeSet<usize> = vars.iter().filter_map(|var| self.fact_of.get(var).copied()).collect();
        let changed = facts.into_iter().filter_map(|fact| {
            let now = self.reading(fact, after)?;
            let was = before.and_then(|before| self.reading(fact, before));
            (was != Some(now)).then(|| now.to_owned())
        });
        changed.collect()
    }

    /// What a call gives its callee.
    fn entered(&self, edge: EdgeId) -> Vec<VarId> {
        match (&self.program.labels[edge], self.program.icfg.edges[edge].kind) {
            (Relation::Call { .. }, EdgeKind::Call { callee, .. }) if self.is_start(edge) => {
                self.program.scope(callee).collect()
            }
            (Relation::Call { enter, .. }, _) => targets(enter),
            _ => Vec::new(),
        }
    }

    fn is_start(&self, edge: EdgeId) -> bool {
        matches!(self.action(edge), Some(Action::Start(_)))
    }

    /// What a call that is crossed may change for its caller.
    fn crossed(&self, edge: EdgeId, sub: SubTraceId) -> Vec<VarId> {
        let Relation::Call { leave, .. } = &self.program.labels[edge] else { return Vec::new() };
        let effects = self.witness.subtraces[sub].effects.iter().map(|&(var, _)| var);
        targets(leave).into_iter().chain(effects.filter(|&var| self.program.is_global(var))).collect()
    }
}

fn targets(transition: &Transition) -> Vec<VarId> {
    transition.updates.iter().map(|update| update.target).collect()
}
