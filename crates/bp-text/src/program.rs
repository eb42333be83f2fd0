//! A program over finite data as the text of a boolean program, which `hardbop check` reads back.
//!
//! Branches that meet again are `if … fi`, as in [BR01, Figure 5], and loops that are left at their head `while … od`;
//! everything else is labels and `goto`. A call's way back
//! is a statement of its own where it does more than hand on results. What must hold is an assertion that a run may
//! pass by: a run does not end where something fails.
//!
//! A run starts in `main`, which is what calls the program from outside; a procedure of the program that is called so
//! is `{main}`.

mod lines;
mod meeting;
mod names;
mod transition;

use hardbop_base::Span;
use hardbop_icfg::{
    EdgeId, EdgeKind, Expr, ExprId, NodeId, ProcId, Program, Relation, Transition, Update, Value, VarId,
};
use lines::{Kind, Line};
use meeting::meetings;
use names::Names;
use std::collections::{BTreeSet, HashMap, HashSet};
use transition::{Dictionary, repeated_choices, statements};

/// Branches nested deeper than this are written with `goto`.
const DEEPEST: usize = 40;
/// Loops whose rounds have more parts than this are written with `goto`.
const FARTHEST: usize = 1000;

/// The text of `program`, with an assertion for each of `failures`: a condition that must not be met at a node. Behind
/// what is written stands what `source` says of its place, if anything.
///
/// # Requires
/// Nothing calls the procedure that a run starts in.
pub fn print(
    program: &Program<Relation>,
    failures: impl Iterator<Item = (NodeId, ExprId)>,
    source: &dyn Fn(Span) -> Option<String>,
) -> String {
    let mut asserted: HashMap<NodeId, Vec<ExprId>> = HashMap::new();
    for (node, failure) in failures {
        let known = asserted.entry(node).or_default();
        if !known.contains(&failure) {
            known.push(failure);
        }
    }
    let names = Names::new(program);
    let ways = Ways::new(program);
    let mut text = String::new();
    let globals: Vec<&str> = program.globals().map(|var| names.var(var)).collect();
    declare(&mut text, "", &globals);
    for proc in program.icfg.procs.ids() {
        let is_asserted = program.icfg.nodes_of(proc).any(|node| asserted.contains_key(&node));
        if proc != program.entry && program.icfg.callers(proc).is_empty() && !is_asserted {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let printer = Printer {
            program,
            source,
            names: &names,
            ways: &ways,
            asserted: &asserted,
            proc,
            meetings: meetings(&program.icfg, proc),
            lines: Vec::new(),
            written: HashSet::new(),
            commented: HashSet::new(),
            wanted: BTreeSet::new(),
            known: HashMap::new(),
            temporaries: BTreeSet::new(),
            work: Vec::new(),
        };
        printer.print(&mut text);
    }
    text
}

fn declare(text: &mut String, indent: &str, names: &[&str]) {
    for row in names.chunks(8) {
        *text += &format!("{indent}decl {};\n", row.join(", "));
    }
}

/// What goes into procedures and comes back.
struct Ways {
    /// The variables that callers give a value, by procedure.
    parameters: HashMap<ProcId, Vec<VarId>>,
    /// The variables that callers read.
    results: HashMap<ProcId, Vec<VarId>>,
}

impl Ways {
    fn new(program: &Program<Relation>) -> Self {
        let mut given: HashSet<VarId> = HashSet::new();
        let mut read: HashSet<VarId> = HashSet::new();
        for label in &program.labels {
            let Relation::Call { enter, leave } = label else { continue };
            given.extend(enter.updates.iter().map(|update| update.target));
            enter.for_each_leaf(&program.exprs, |leaf| {
                if let Expr::Next(var) = leaf {
                    given.insert(var);
                }
            });
            leave.for_each_leaf(&program.exprs, |leaf| {
                if let Expr::Var(var) = leaf {
                    read.insert(var);
                }
            });
        }
        let pick = |chosen: &HashSet<VarId>| -> HashMap<ProcId, Vec<VarId>> {
            let procs = program.locals.iter_enumerated();
            let pick = |locals: &Vec<VarId>| locals.iter().copied().filter(|var| chosen.contains(var)).collect();
            procs.map(|(proc, locals)| (proc, pick(locals))).collect()
        };
        Self { parameters: pick(&given), results: pick(&read) }
    }
}

/// What is still to be written.
enum Work {
    /// From a node until another, which follows.
    From(NodeId, Option<NodeId>, usize),
    /// One way of a branch: what an edge does, then what follows it.
    Along(EdgeId, Guard, Option<NodeId>, usize),
    /// `else`, `elsif …`, `od`, `fi`
    Between(Line),
}

/// What becomes of an edge's guard.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// The branch has asked.
    Asked,
    /// It is assumed.
    Assumed,
}

struct Printer<'a> {
    program: &'a Program<Relation>,
    source: &'a dyn Fn(Span) -> Option<String>,
    names: &'a Names,
    ways: &'a Ways,
    asserted: &'a HashMap<NodeId, Vec<ExprId>>,
    proc: ProcId,
    /// Where the ways from a node meet again.
    meetings: HashMap<NodeId, NodeId>,
    lines: Vec<Line>,
    written: HashSet<NodeId>,
    /// The nodes whose source has been shown.
    commented: HashSet<NodeId>,
    /// The nodes that a `goto` names.
    wanted: BTreeSet<NodeId>,
    /// What an assertion has seen to at a node.
    known: HashMap<NodeId, String>,
    /// Variables of ours.
    temporaries: BTreeSet<String>,
    work: Vec<Work>,
}

impl Printer<'_> {
    fn print(mut self, text: &mut String) {
        let proc = &self.program.icfg.procs[self.proc];
        if self.proc == self.program.entry {
            self.begin();
        }
        self.work.push(Work::From(proc.entry, None, 1));
        loop {
            while let Some(work) = self.work.pop() {
                self.write(work);
            }
            // What was too deep, or only a `goto` leads to.
            let Some(&left) = self.wanted.iter().find(|node| !self.written.contains(node)) else { break };
            self.work.push(Work::From(left, None, 1));
        }
        self.head(text);
        *text += &lines::print(std::mem::take(&mut self.lines), &self.wanted);
        *text += "end\n";
    }

    /// `bool<2> f(a, b) begin decl …;`
    fn head(&self, text: &mut String) {
        let (parameters, results) = (&self.ways.parameters[&self.proc], &self.ways.results[&self.proc]);
        let kind = match results.len() {
            0 => "void".into(),
            1 => "bool".into(),
            count => format!("bool<{count}>"),
        };
        let list: Vec<&str> = parameters.iter().map(|&var| self.names.var(var)).collect();
        if self.proc == self.program.entry {
            *text += "// What calls the program; a run starts here.\n";
        }
        *text += &format!("{kind} {}({}) begin\n", self.names.proc(self.proc), list.join(", "));
        let locals = self.program.locals[self.proc].iter().filter(|var| !parameters.contains(var));
        let locals = locals.map(|&var| self.names.var(var)).chain(self.temporaries.iter().map(String::as_str));
        declare(text, "  ", &locals.collect::<Vec<_>>());
    }

    /// What is so of the first state.
    fn begin(&mut self) {
        let initial = Transition { updates: Vec::new(), ..self.program.initial.clone() };
        let dictionary = Dictionary::new(self.program, self.names);
        let (lines, temporaries) = statements(&dictionary, &initial);
        self.temporaries.extend(temporaries);
        lines.into_iter().for_each(|line| self.line(1, line));
    }

    fn line(&mut self, depth: usize, text: String) {
        self.lines.push(Line::new(depth, Kind::Statement(text)));
    }

    fn write(&mut self, work: Work) {
        match work {
            Work::From(node, stop, depth) => self.write_from(node, stop, depth),
            Work::Along(edge, guard, stop, depth) => {
                self.write_edge(edge, guard, depth);
                if let Some(next) = self.program.icfg.edges[edge].target() {
                    self.work.push(Work::From(next, stop, depth));
                }
            }
            Work::Between(line) => self.lines.push(line),
        }
    }

    fn write_from(&mut self, node: NodeId, stop: Option<NodeId>, depth: usize) {
        if Some(node) == stop {
            return;
        }
        if self.written.contains(&node) || depth > DEEPEST {
            self.wanted.insert(node);
            return self.lines.push(Line::new(depth, Kind::Goto(node)));
        }
        self.written.insert(node);
        self.lines.push(Line::new(depth, Kind::Node(node)));
        self.write_assertions(node, depth);
        let program = self.program;
        match program.icfg.successors(node) {
            [] => self.line(depth, "assume(F);".into()),
            [edge] if program.icfg.edges[*edge].kind == EdgeKind::Return => self.write_return(depth),
            [edge] => self.work.push(Work::Along(*edge, Guard::Assumed, stop, depth)),
            edges => self.write_branch(node, edges, stop, depth),
        }
    }

    fn write_assertions(&mut self, node: NodeId, depth: usize) {
        let dictionary = Dictionary::new(self.program, self.names);
        let failures = self.asserted.get(&node).map_or(&[][..], Vec::as_slice);
        for &failure in failures {
            let condition = match self.program.exprs.get(failure) {
                Expr::Not(good) => dictionary.print(good),
                leaf if leaf.children().next().is_none() => format!("!{}", dictionary.print(failure)),
                _ => format!("!({})", dictionary.print(failure)),
            };
            let comment = self.comment(node);
            if failures.len() == 1 && self.is_assumed(node, &condition) {
                self.line(depth, format!("assert({condition});{comment}"));
                self.known.insert(node, condition);
            } else {
                self.line(depth, format!("if (*) then assert({condition}); fi{comment}"));
            }
        }
    }

    /// Whether no run goes on from `node` without `condition`, as is so after an assertion.
    fn is_assumed(&self, node: NodeId, condition: &str) -> bool {
        let dictionary = Dictionary::new(self.program, self.names);
        let edges = self.program.icfg.successors(node);
        let is_assumed = |&edge: &EdgeId| match &self.program.labels[edge] {
            Relation::Step(transition) => transition.guard.is_some_and(|guard| dictionary.demands(guard, condition)),
            Relation::Call { .. } | Relation::Return => false,
        };
        !edges.is_empty() && edges.iter().all(is_assumed)
    }

    fn write_return(&mut self, depth: usize) {
        let results: Vec<&str> = self.ways.results[&self.proc].iter().map(|&var| self.names.var(var)).collect();
        let gap = if results.is_empty() { "" } else { " " };
        self.line(depth, format!("return{gap}{};", results.join(", ")));
    }

    fn write_branch(&mut self, node: NodeId, edges: &[EdgeId], stop: Option<NodeId>, depth: usize) {
        if let &[first, second] = edges {
            for (round, out) in [(first, second), (second, first)] {
                if self.comes_back(node, round) {
                    return self.write_loop(node, (round, out), stop, depth);
                }
            }
        }
        let meeting = self.meetings.get(&node).copied();
        let (condition, guard) = self.condition(edges);
        let comment = self.comment(node);
        self.lines.push(Line::new(depth, Kind::If { condition, comment }));
        // Last in, first out.
        if let Some(meeting) = meeting {
            self.work.push(Work::From(meeting, stop, depth));
        }
        self.work.push(Work::Between(Line::new(depth, Kind::Fi)));
        for (index, &edge) in edges.iter().enumerate().rev() {
            self.work.push(Work::Along(edge, guard, meeting, depth + 1));
            if index > 0 {
                let kind = if index + 1 == edges.len() { Kind::Else } else { Kind::Elsif };
                self.work.push(Work::Between(Line::new(depth, kind)));
            }
        }
    }

    /// Whether every way along `edge` to the exit comes by `node`, where it starts, again. What is asserted there would
    /// stand before the loop, not in each of its rounds.
    fn comes_back(&self, node: NodeId, edge: EdgeId) -> bool {
        if self.asserted.contains_key(&node) {
            return false;
        }
        let mut at = self.program.icfg.edges[edge].target();
        for _ in 0..FARTHEST {
            match at {
                Some(at) if at == node => return true,
                Some(next) => at = self.meetings.get(&next).copied(),
                None => return false,
            }
        }
        false
    }

    fn write_loop(&mut self, node: NodeId, (round, out): (EdgeId, EdgeId), stop: Option<NodeId>, depth: usize) {
        let (condition, guard) = self.condition(&[round, out]);
        let comment = self.comment(node);
        self.line(depth, format!("while ({condition}) do{comment}"));
        self.work.push(Work::Along(out, guard, stop, depth));
        self.work.push(Work::Between(Line::new(depth, Kind::Statement("od".into()))));
        self.work.push(Work::Along(round, guard, Some(node), depth + 1));
    }

    /// What decides which of two ways is taken; `*` where that is not one condition.
    fn condition(&self, edges: &[EdgeId]) -> (String, Guard) {
        let dictionary = self.dictionary(edges[0]);
        let guard = |edge: EdgeId| match &self.program.labels[edge] {
            Relation::Step(transition) if dictionary.known.is_none() => Some(vec![transition.guard?]),
            Relation::Step(transition) => Some(dictionary.conjuncts(transition.guard?)),
            Relation::Call { .. } | Relation::Return => None,
        };
        if let &[yes, no] = edges
            && let (Some(yes), Some(no)) = (guard(yes), guard(no))
            && let (&[yes], &[no]) = (&*yes, &*no)
            && dictionary.is_certain(yes)
            && dictionary.is_certain(no)
        {
            let is_not = |left: ExprId, right: ExprId| match self.program.exprs.get(left) {
                Expr::Not(operand) => dictionary.print(operand) == dictionary.print(right),
                _ => false,
            };
            if is_not(yes, no) || is_not(no, yes) {
                return (dictionary.print(yes), Guard::Asked);
            }
        }
        ("*".into(), Guard::Assumed)
    }

    /// The words at an edge, where what has been asserted need not be said again.
    fn dictionary(&self, edge: EdgeId) -> Dictionary<'_> {
        let mut dictionary = Dictionary::new(self.program, self.names);
        dictionary.known = self.known.get(&self.program.icfg.edges[edge].from).cloned();
        dictionary
    }

    fn write_edge(&mut self, edge: EdgeId, guard: Guard, depth: usize) {
        let found = self.program.icfg.edges[edge];
        let lines = match (&self.program.labels[edge], found.kind) {
            (Relation::Step(transition), _) => {
                let mut transition = transition.clone();
                if guard == Guard::Asked {
                    transition.guard = None;
                }
                let (lines, temporaries) = statements(&self.dictionary(edge), &transition);
                self.temporaries.extend(temporaries);
                lines
            }
            (Relation::Call { .. }, EdgeKind::Call { callee, .. }) => self.call(edge, callee),
            _ => Vec::new(),
        };
        let is_branch = self.program.icfg.successors(found.from).len() > 1;
        for (index, line) in lines.into_iter().enumerate() {
            let comment = if index == 0 && !is_branch { self.comment(found.from) } else { String::new() };
            self.line(depth, format!("{line}{comment}"));
        }
    }

    /// The way in, the call, the way back.
    fn call(&mut self, edge: EdgeId, callee: ProcId) -> Vec<String> {
        let Relation::Call { enter, leave } = &self.program.labels[edge] else { return Vec::new() };
        let mut dictionary = Dictionary::new(self.program, self.names);
        let parameters = &self.ways.parameters[&callee];
        let is_plain = enter.constraint.is_none()
            && repeated_choices(self.program, enter).is_empty()
            && enter.updates.iter().all(|update| parameters.contains(&update.target));
        let (mut lines, arguments) = if is_plain {
            let guard = Transition { updates: Vec::new(), ..enter.clone() };
            let argument = |&var: &VarId| match enter.update_of(var) {
                Some(Value::Of(value)) => dictionary.print(value),
                Some(Value::Any) | None => "*".into(),
            };
            (statements(&dictionary, &guard).0, parameters.iter().map(argument).collect())
        } else {
            let names: Vec<String> = (0..parameters.len()).map(|number| format!("{{argument {number}}}")).collect();
            dictionary.rename_targets(parameters.iter().copied().zip(names.iter().cloned()));
            let (lines, temporaries) = statements(&dictionary, &with_all(enter, parameters));
            self.temporaries.extend(temporaries.into_iter().chain(names.iter().cloned()));
            (lines, names)
        };
        let call = format!("{}({})", self.names.proc(callee), arguments.join(", "));
        lines.extend(self.back(leave, callee, &call));
        lines
    }

    /// `call`, and what becomes of its results.
    fn back(&mut self, leave: &Transition, callee: ProcId, call: &str) -> Vec<String> {
        let results = &self.ways.results[&callee];
        let mut dictionary = Dictionary::new(self.program, self.names);
        if let Some(targets) = self.handed_on(leave, results) {
            let targets = targets.join(", ");
            return vec![if targets.is_empty() { format!("{call};") } else { format!("{targets} := {call};") }];
        }
        let names: Vec<String> = (0..results.len()).map(|number| format!("{{result {number}}}")).collect();
        dictionary.rename(results.iter().copied().zip(names.iter().cloned()));
        let call = match names.is_empty() {
            true => format!("{call};"),
            false => format!("{} := {call};", names.join(", ")),
        };
        let (lines, temporaries) = statements(&dictionary, leave);
        self.temporaries.extend(temporaries.into_iter().chain(names));
        [call].into_iter().chain(lines).collect()
    }

    /// The targets of a call whose way back only hands on results; none where it does more.
    fn handed_on(&self, leave: &Transition, results: &[VarId]) -> Option<Vec<&str>> {
        if leave.guard.is_some() || leave.constraint.is_some() {
            return None;
        }
        let mut targets = vec!["_"; results.len()];
        for update in &leave.updates {
            let Value::Of(value) = update.value else { return None };
            let Expr::Var(read) = self.program.exprs.get(value) else { return None };
            let place = results.iter().position(|&result| result == read).filter(|&place| targets[place] == "_")?;
            targets[place] = self.names.var(update.target);
        }
        Some(if leave.updates.is_empty() { Vec::new() } else { targets })
    }

    /// What the user wrote at `node`, once.
    fn comment(&mut self, node: NodeId) -> String {
        if !self.commented.insert(node) {
            return String::new();
        }
        let found = self.program.icfg.nodes[node];
        (self.source)(found.span).map_or_else(String::new, |text| format!("  // {text}"))
    }
}

/// `enter`, where each of `parameters` that gets no value gets any.
fn with_all(enter: &Transition, parameters: &[VarId]) -> Transition {
    let open = parameters.iter().filter(|&&parameter| enter.update_of(parameter).is_none());
    let open = open.map(|&target| Update { target, value: Value::Any });
    Transition { updates: enter.updates.iter().copied().chain(open).collect(), ..enter.clone() }
}
