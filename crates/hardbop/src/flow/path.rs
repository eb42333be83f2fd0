//! How a place fails: the run as the user wrote it, with the facts that change along it.
//!
//! A run over facts is a run over the C program, edge by edge, so nothing has to be translated back. What does nothing
//! to a fact that matters ([`reasons`](super::reasons)), and is no branch, call or return, is left out. Crossed calls
//! are stepped into at their first use while the lines last; those of models where they call what brings something about.

use super::moments::{FrameId, Moment, MomentId, Moments, Shown, Way};
use super::reasons::{Reasons, Whole};
use crate::arguments::Unfold;
use crate::statement;
use hardbop_base::{Idx, SourceMap, Span};
use hardbop_c_core::print::{Style, expr, place};
use hardbop_c_core::{Base, BinaryOp, Callee, Expr, ExprKind, Module, Place, Stmt, StmtKind, VarKind};
use hardbop_c_facts::{Encoding, Site};
use hardbop_c_graph::{Action, CGraph, Truth};
use hardbop_dataflow::Failure;
use hardbop_icfg::{EdgeId, EdgeKind, NodeId, ProcId, Program, Relation};
use hardbop_verdict::Length;
use hardbop_verdict::replay::Replayed;
use std::collections::BTreeMap;

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
    /// What an analysis sees of it.
    pub encoding: &'a Encoding,
    /// The texts.
    pub sources: &'a SourceMap,
    /// How far crossed calls are stepped into.
    pub unfold: Unfold,
}

impl Scene<'_> {
    /// The path to a place, of a failure whose run was replayed.
    pub fn path(&self, whole: &Whole<'_>, site: &Site, failure: &Failure, replayed: &Replayed) -> Path {
        let moments = Moments::new(self, failure, replayed);
        // What makes code outside call back is not asked for: it does as it likes.
        let is_meant = |moment: &Moment| !moment.is_aside && self.is_branch(failure, moment);
        let reasons = whole.reasons(&moments, &site.goal, is_meant);
        let mut builder = Builder { scene: self, program: &failure.projection, failure, reasons, steps: Vec::new() };
        builder.build(&moments);
        let depth = replayed.main().state(failure.witness.moves.len()).depth as usize;
        Path { steps: builder.steps, depth, length: failure.witness.length, is_cut: moments.is_cut }
    }

    /// Whether a moment is shown as a branch.
    fn is_branch(&self, failure: &Failure, moment: &Moment) -> bool {
        let here = &failure.projection.icfg;
        // A run that was put together knows the edges that it takes and no others.
        let icfg = &self.encoding.program.icfg;
        let edge = failure.origin.as_deref().map_or(Some(moment.edge), |origin| origin.edges[moment.edge]);
        let is_choice = edge.is_some_and(|edge| icfg.successors(icfg.edges[edge].from).len() > 1);
        let is_open = |condition: &Expr| is_choice && !matches!(condition.kind, ExprKind::Integer(_));
        moment.is_shown
            && self.model(failure, here.nodes[here.edges[moment.edge].from].proc).is_none()
            && matches!(self.action(failure, moment.edge), Some(Action::Assume(condition, _)) if is_open(condition))
    }
}

struct Builder<'a> {
    scene: &'a Scene<'a>,
    program: &'a Program<Relation>,
    failure: &'a Failure,
    reasons: Reasons,
    steps: Vec<Step>,
}

impl<'a> Builder<'a> {
    /// A run of one procedure starts where the procedure is called.
    fn begin(&mut self) {
        let first = self.failure.origin.as_deref().map(|origin| origin.procs[self.program.entry]);
        if first.is_none_or(|first| first == self.scene.encoding.program.entry) {
            return;
        }
        let proc = &self.program.icfg.procs[self.program.entry];
        let place = self.scene.sources.locate(proc.span);
        self.steps.push(Step {
            path: place.path.to_owned(),
            line: place.line,
            function: proc.name.clone(),
            depth: 0,
            text: format!("{} is called", proc.name),
            kind: Kind::Call,
            changes: Vec::new(),
        });
    }

    fn build(&mut self, moments: &Moments<'_>) {
        self.begin();
        let mut skipped = None;
        for (id, moment) in moments.all.iter_enumerated().filter(|(_, moment)| moment.is_shown) {
            if skipped.is_some_and(|last| id <= last) {
                continue;
            }
            match moment.way {
                Way::Step => self.step(id, moment),
                Way::Enter(_, None, _) => self.call(moment, Kind::Call, self.changes(id, id, |_| true)),
                Way::Enter(_, Some(leave), shown) => {
                    // What is the callee's own is gone when it is over.
                    let changes = self.changes(id, leave, |owner| owner.is_none_or(|owner| owner == moment.frame));
                    let is_callback = matches!(self.action(moment.edge), Some(Action::CallBack(_)));
                    skipped = Some(leave);
                    match shown {
                        Shown::Model if self.calls_back(moments, id, leave) => {
                            skipped = None;
                            self.call(moment, Kind::Call, self.own_changes(moments, id, leave));
                        }
                        _ if changes.is_empty() && (is_callback || shown == Shown::Model) => {}
                        Shown::Open => {
                            skipped = None;
                            self.call(moment, Kind::Call, self.changes(id, id, |_| true));
                        }
                        Shown::Model => self.call(moment, Kind::Statement, changes),
                        Shown::Folded => self.call(moment, Kind::Folded, changes),
                    }
                }
                Way::Leave(_) => self.leave(id, moment),
                Way::Within(_) | Way::Goal => {}
            }
        }
        let at_start: Vec<String> = self.reasons.at_start.iter().map(|note| note.reading.clone()).collect();
        if let Some(first) = self.steps.first_mut() {
            first.changes.splice(0..0, at_start);
        }
    }

    /// Whether a function of the program that a model calls between two moments brings about anything.
    fn calls_back(&self, moments: &Moments<'_>, from: MomentId, to: MomentId) -> bool {
        (from.index() + 1..to.index()).map(MomentId::from_usize).any(|id| {
            let Way::Enter(callee, Some(leave), Shown::Open | Shown::Folded) = moments.all[id].way else {
                return false;
            };
            !self.changes(id, leave, |owner| owner.is_none_or(|owner| owner < callee)).is_empty()
        })
    }

    /// What a model brings about by itself between two moments.
    fn own_changes(&self, moments: &Moments<'_>, from: MomentId, to: MomentId) -> Vec<String> {
        let own = (from.index()..=to.index()).map(MomentId::from_usize).filter(|&id| {
            let node = self.program.icfg.edges[moments.all[id].edge].from;
            moments.all[id].way == Way::Step && self.model(self.program.icfg.nodes[node].proc).is_some()
        });
        let is_meant = |owner: Option<FrameId>| owner.is_none_or(|owner| owner <= moments.all[from].frame);
        own.flat_map(|id| self.changes(id, id, is_meant)).collect()
    }

    /// What a call that was shown brings about when it is over goes with its end. That its result is what it returns
    /// goes without saying.
    fn leave(&mut self, id: MomentId, moment: &Moment) {
        let facts = &self.scene.encoding.facts;
        let notes = self.reasons.notes[id].iter().filter(|note| facts[note.fact].is_written);
        let changes: Vec<String> = notes.map(|note| note.reading.clone()).collect();
        match self.steps.last_mut() {
            _ if changes.is_empty() => {}
            Some(last) if last.kind == Kind::Return && last.depth == moment.depth + 1 => last.changes.extend(changes),
            _ => self.call(moment, Kind::Statement, changes),
        }
    }

    /// What happens from one moment to another, of those that `is_meant`: the last word on each fact.
    fn changes(&self, from: MomentId, to: MomentId, is_meant: impl Fn(Option<FrameId>) -> bool) -> Vec<String> {
        let mut last: BTreeMap<(usize, Option<FrameId>), &str> = BTreeMap::new();
        for index in from.index()..=to.index() {
            for note in self.reasons.notes[MomentId::from_usize(index)].iter().filter(|note| is_meant(note.owner)) {
                last.insert((note.fact, note.owner), &note.reading);
            }
        }
        last.into_values().map(str::to_owned).collect()
    }

    fn action(&self, edge: EdgeId) -> Option<Action<'a>> {
        self.scene.action(self.failure, edge)
    }

    fn model(&self, proc: ProcId) -> Option<&'a str> {
        self.scene.model(self.failure, proc)
    }

    fn step(&mut self, id: MomentId, moment: &Moment) {
        let Relation::Step(transition) = &self.program.labels[moment.edge] else { return };
        let node = self.program.icfg.edges[moment.edge].from;
        if self.model(self.program.icfg.nodes[node].proc).is_some() {
            return;
        }
        let mut changes = self.changes(id, id, |_| true);
        if !changes.is_empty() && self.is_unmodelled(moment.edge) {
            changes = vec!["nothing is known after this".into()];
        }
        let Some(action) = self.action(moment.edge) else { return };
        if self.keeps_old_value(action) || self.takes_what_was_told(action) {
            return;
        }
        let (kind, text) = match action {
            Action::Assume(condition, truth) if self.scene.is_branch(self.failure, moment) => {
                (Kind::Branch(truth), self.condition(condition, self.program.icfg.nodes[node].span))
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
            _ => (Kind::Statement, self.statement(action, self.program.icfg.nodes[node].span)),
        };
        let around = match action {
            // What is outside has no place of its own.
            Action::Outside => self.steps.iter().rev().find(|step| step.depth < moment.depth),
            _ => None,
        };
        let around = around.map(|step| (step.path.clone(), step.line));
        self.push(node, moment.depth, text, kind, changes);
        if let (Some(around), Some(step)) = (around, self.steps.last_mut()) {
            (step.path, step.line) = around;
        }
    }

    /// Whether a variable's value is kept before it changes, as in `f(n--)`: what is said of that reads as if it were said of
    /// the variable afterwards.
    fn keeps_old_value(&self, action: Action<'_>) -> bool {
        let is_temporary = |place: &Place| matches!(place.base, Base::Var(var) if matches!(self.scene.module.vars[var].kind, VarKind::Temporary(_)));
        let Action::Do(stmt) = action else { return false };
        let StmtKind::Assign(target, value) = &stmt.kind else { return false };
        let ExprKind::Read(from) = &value.kind else { return false };
        is_temporary(target) && matches!(from.base, Base::Var(_)) && from.path.is_empty()
    }

    /// Whether the result of a call is kept on the way, and the line before says what is returned.
    fn takes_what_was_told(&self, action: Action<'_>) -> bool {
        let Action::Take(..) = action else { return false };
        let is_temporary = |var| matches!(self.scene.module.vars[var].kind, VarKind::Temporary(_));
        let is_told = self.steps.last().is_some_and(|last| last.kind == Kind::Return && !last.changes.is_empty());
        is_told && target_of(action).and_then(Place::as_var).is_some_and(is_temporary)
    }

    fn is_unmodelled(&self, edge: EdgeId) -> bool {
        let edge = self.failure.origin.as_deref().map_or(Some(edge), |origin| origin.edges[edge]);
        edge.is_some_and(|edge| self.scene.encoding.unmodelled.contains(&edge))
    }

    /// A statement in the words of the source: what a variable starts with is assigned to it.
    fn statement(&self, action: Action<'_>, span: Span) -> String {
        let text = self.text(span);
        match target_of(action) {
            Some(target) if self.is_initialiser(target, span) => {
                let name = place(self.scene.module, target, Style::READABLE);
                statement::one_line(&format!("{name} = {text}"))
            }
            _ => text,
        }
    }

    /// Whether `span` is what the declaration of `target` says that it starts with.
    fn is_initialiser(&self, target: &Place, span: Span) -> bool {
        let Base::Var(var) = target.base else { return false };
        let variable = &self.scene.module.vars[var];
        let declared = variable.span;
        if !matches!(variable.kind, VarKind::Local(_)) || declared.start == declared.end || declared.end > span.start {
            return false;
        }
        let between = self.scene.sources.text(Span::new(declared.end, span.start));
        !between.contains(';') && between.split_once('=').is_some_and(|(before, _)| !before.contains([',', '{']))
    }

    /// A condition in the words of the source, where these are few; of a `switch`, what the case compares.
    fn condition(&self, condition: &Expr, span: Span) -> String {
        let form = |condition: &Expr| expr(self.scene.module, condition, Style::READABLE);
        let words = match &condition.kind {
            ExprKind::Binary(BinaryOp::Eq, value, _) if self.is_case(span) => {
                format!("{} == {}", form(value), self.words(span))
            }
            _ if self.is_case(span) => form(condition),
            _ => self.words(span),
        };
        let line = statement::one_line(&words);
        if line.ends_with('…') { statement::one_line(&form(condition)) } else { line }
    }

    /// Whether `span` is what a `case` says.
    fn is_case(&self, span: Span) -> bool {
        // Macros mostly have parentheses of their own.
        let before =
            self.scene.sources.text_before(span).trim_end_matches(|next: char| next == '(' || next.is_whitespace());
        let is_word = |next: char| next.is_alphanumeric() || next == '_';
        before.strip_suffix("case").is_some_and(|rest| !rest.ends_with(is_word))
    }

    fn text(&self, span: Span) -> String {
        statement::one_line(&self.words(span))
    }

    /// The words of the source; where macros are in the way, what they have become.
    fn words(&self, span: Span) -> String {
        let sources = self.scene.sources;
        sources.written_text(span).map_or_else(|| sources.text(span).replace("((void *)0)", "NULL"), str::to_owned)
    }

    fn call(&mut self, moment: &Moment, kind: Kind, changes: Vec<String>) {
        let found = self.program.icfg.edges[moment.edge];
        let Some(action) = self.action(moment.edge) else { return };
        let text = match action {
            Action::Start(function) => {
                format!("{} is called from outside", self.scene.module.functions[function].source_name)
            }
            Action::CallBack(_) => "code outside calls back".into(),
            Action::End => "the run ends".into(),
            _ => match self.model(self.program.icfg.nodes[found.from].proc) {
                Some(name) => self.called_by(name, found.kind),
                None if kind == Kind::Statement => self.statement(action, self.program.icfg.nodes[found.from].span),
                None => self.call_text(action, self.program.icfg.nodes[found.from].span),
            },
        };
        let place = match (action, found.kind) {
            // What is outside has no place of its own.
            (Action::Start(_), EdgeKind::Call { callee, .. }) => self.program.icfg.procs[callee].entry,
            _ => found.from,
        };
        self.push(place, moment.depth, text, kind, changes);
        if let (Action::Start(function), Some(step)) = (action, self.steps.last_mut()) {
            let place = self.scene.sources.locate(self.scene.module.functions[function].span);
            (step.path, step.line) = (place.path.to_owned(), place.line);
        }
    }

    fn called_by(&self, model: &str, call: EdgeKind) -> String {
        match call {
            EdgeKind::Call { callee, .. } => format!("{model} calls {}", self.program.icfg.procs[callee].name),
            _ => format!("{model} calls back"),
        }
    }

    /// A call in the words of the source; where these do not name the function, it is named.
    fn call_text(&self, action: Action<'_>, span: Span) -> String {
        let text = self.text(span);
        match action {
            Action::Call(Stmt { kind: StmtKind::Call { callee: Callee::Pointer(_), .. }, .. }, function) => {
                format!("{text} calls {}", self.scene.module.functions[function].source_name)
            }
            _ => text,
        }
    }

    fn push(&mut self, node: NodeId, depth: usize, text: String, kind: Kind, changes: Vec<String>) {
        let found = self.program.icfg.nodes[node];
        let place = self.scene.sources.locate(found.span);
        let function = self.program.icfg.procs[found.proc].name.clone();
        // A statement that was taken apart is one statement again.
        if let Some(last) = self.steps.last_mut()
            && (last.kind, kind) == (Kind::Statement, Kind::Statement)
            && (last.depth, last.line, &last.path[..]) == (depth, place.line, place.path)
            && text.strip_suffix(&last.text).is_some_and(|target| target.is_empty() || target.ends_with(" = "))
        {
            last.text = text;
            last.changes.extend(changes);
            return;
        }
        self.steps.push(Step { path: place.path.to_owned(), line: place.line, function, depth, text, kind, changes });
    }
}

/// What an action assigns to.
fn target_of(action: Action<'_>) -> Option<&Place> {
    let (Action::Do(stmt) | Action::Call(stmt, _) | Action::Take(stmt, _) | Action::External(stmt, _)) = action else {
        return None;
    };
    match &stmt.kind {
        StmtKind::Assign(target, _) | StmtKind::Zero(target) => Some(target),
        StmtKind::Call { result, .. } | StmtKind::NextArgument { result, .. } => result.as_ref(),
        _ => None,
    }
}
