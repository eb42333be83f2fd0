//! From statements to nodes and edges.
//!
//! A node is the place just before a statement. Statements follow each other by [`Builder::at`], the node where control
//! is; after a jump it is nowhere, and what follows is reached by labels only.

use crate::{Action, CGraph, Truth};
use hardbop_base::{Idx, IndexVec, Span};
use hardbop_c_core::{
    Body, Function, FunctionId, LabelId, Module, PlaceUse, RecordKind, Stmt, StmtKind, Type, TypeId, Variable,
};
use hardbop_icfg::{EdgeKind, IcfgBuilder, NodeId, Proc, ProcId};

/// What there is besides the functions of the module.
pub struct Surroundings<'a> {
    /// Where runs start.
    pub entries: Entries<'a>,
    /// The functions that code outside knows, and may call where it is called.
    pub known_outside: &'a [FunctionId],
    /// Those that it may call when the run ends.
    pub given_away: &'a [FunctionId],
    /// Whether a function without a body ends the run.
    pub ends_run: &'a dyn Fn(FunctionId) -> bool,
    /// Whether an analysis speaks of a function.
    pub is_described: &'a dyn Fn(FunctionId) -> bool,
    /// What a call may call.
    pub targets: &'a dyn Fn(CallSite<'_>) -> Targets,
}

/// Where runs start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entries<'e> {
    /// In this function.
    One(FunctionId),
    /// In any of these, and of those that are known outside, again and again: the program is a library.
    Any(&'e [FunctionId]),
}

/// A call statement.
#[derive(Clone, Copy, Debug)]
pub struct CallSite<'m> {
    /// The function it stands in.
    pub function: FunctionId,
    /// Which of the function's calls it is, in the order of the text.
    pub number: u32,
    /// The statement.
    pub stmt: &'m Stmt,
}

/// What a call may call.
pub struct Targets {
    /// Functions, with and without a body.
    pub functions: Vec<FunctionId>,
    /// Whether it may be something else, too.
    pub may_be_unknown: bool,
    /// Whether code outside that it calls may call back.
    pub may_call_back: bool,
}

/// The control flow of `module`.
pub fn graph<'m>(module: &'m Module, surroundings: &Surroundings<'_>) -> CGraph<'m> {
    let mut functions = IndexVec::new();
    let mut procs = IndexVec::from_elem(None, module.functions.len());
    for (id, function) in module.functions.iter_enumerated() {
        if function.body.is_some() {
            procs[id] = Some(functions.push(Some(id)));
        }
    }
    let (entry, call_backs): (ProcId, ProcId) = (functions.push(None), functions.push(None));
    let last_calls = (!surroundings.given_away.is_empty()).then(|| functions.push(None));
    let mut graph = Graph {
        module,
        builder: IcfgBuilder::default(),
        actions: IndexVec::new(),
        labels: Vec::new(),
        call_backs,
        last_calls,
        is_described: surroundings.is_described,
    };
    for (id, function) in module.functions.iter_enumerated() {
        if let (Some(proc), Some(body)) = (procs[id], &function.body) {
            let mut builder = Builder::new(module, id, &procs, surroundings, body);
            builder.body();
            graph.add(proc, function, body, builder);
        }
    }
    match surroundings.entries {
        Entries::One(main) => graph.add_start(entry, main, &procs),
        Entries::Any(functions) => graph.add_outside(entry, "outside", functions, &procs),
    }
    graph.add_outside(call_backs, "call backs", surroundings.known_outside, &procs);
    if let Some(last_calls) = last_calls {
        graph.add_outside(last_calls, "last calls", surroundings.given_away, &procs);
    }
    CGraph { icfg: graph.builder.finish(), actions: graph.actions, functions, procs, entry, labels: graph.labels }
}

/// The functions so far.
struct Graph<'m, 'a> {
    module: &'m Module,
    builder: IcfgBuilder,
    actions: IndexVec<hardbop_icfg::EdgeId, Action<'m>>,
    labels: Vec<(String, NodeId)>,
    call_backs: ProcId,
    /// What code outside does when the run ends, if it knows anybody.
    last_calls: Option<ProcId>,
    is_described: &'a dyn Fn(FunctionId) -> bool,
}

impl<'m> Graph<'m, '_> {
    fn add(&mut self, proc: ProcId, function: &Function, body: &Body, built: Builder<'m, '_>) {
        let first = self.builder.next_node();
        let node = |at: usize| NodeId::from_usize(first.index() + at);
        for span in &built.nodes {
            self.builder.node(proc, *span);
        }
        let (entry, exit) = (node(0), self.builder.node(proc, body.end));
        for (from, to, action) in built.edges {
            let to = if to == EXIT { exit } else { node(to) };
            let kind = match action {
                Action::Call(_, callee) => {
                    EdgeKind::Call { callee: built.procs[callee].expect("a call edge has a body to go to"), to }
                }
                Action::CallBack(_) => EdgeKind::Call { callee: self.call_backs, to },
                Action::End => EdgeKind::Call { callee: self.last_calls.expect("somebody is called at the end"), to },
                _ => EdgeKind::Step { to },
            };
            self.builder.edge(node(from), kind);
            self.actions.push(action);
        }
        self.leave(exit);
        let written = body.labels.iter_enumerated().filter(|(_, label)| label.is_written);
        self.labels.extend(written.filter_map(|(id, label)| Some((label.name.clone(), node(built.labels[id]?)))));
        let nodes = (first, self.builder.next_node());
        self.builder.proc(Proc { name: function.source_name.clone(), span: function.span, entry, exit, nodes });
    }

    /// The procedure that calls constructors, `main`, and then whom code outside calls at the end.
    fn add_start(&mut self, proc: ProcId, main: FunctionId, procs: &IndexVec<FunctionId, Option<ProcId>>) {
        let span = Span::new(0, 0);
        let (entry, exit) = (self.builder.node(proc, span), self.builder.node(proc, span));
        let over = self.last_calls.map(|last_calls| {
            let end = self.module.functions[main].body.as_ref().map_or(span, |body| body.end);
            (self.builder.node(proc, end), last_calls)
        });
        let ready = self.add_constructors(proc, entry, procs);
        let callee = procs[main].expect("what is called from outside has a body");
        self.start(proc, (ready, main, callee), over.map_or(exit, |(over, _)| over));
        if let Some((over, callee)) = over {
            self.builder.edge(over, EdgeKind::Call { callee, to: exit });
            self.actions.push(Action::End);
        }
        self.leave(exit);
        let nodes = (entry, self.builder.next_node());
        self.builder.proc(Proc { name: "outside".into(), span, entry, exit, nodes });
    }

    /// Calls the constructors: if there are several, any of them in any order, since linkers have orders of their own.
    fn add_constructors(
        &mut self,
        proc: ProcId,
        entry: NodeId,
        procs: &IndexVec<FunctionId, Option<ProcId>>,
    ) -> NodeId {
        let constructors = self.module.functions.iter_enumerated().filter(|(_, row)| row.is_constructor);
        let constructors: Vec<_> = constructors.filter_map(|(id, _)| Some((id, procs[id]?))).collect();
        if constructors.is_empty() {
            return entry;
        }
        let ready = self.builder.node(proc, Span::new(0, 0));
        let to = if constructors.len() == 1 { ready } else { entry };
        for (function, callee) in constructors {
            self.start(proc, (entry, function, callee), to);
        }
        if to == entry {
            self.builder.edge(entry, EdgeKind::Step { to: ready });
            self.actions.push(Action::Nothing);
        }
        ready
    }

    /// A procedure that calls functions of the module: again and again any of them, or none.
    fn add_outside(
        &mut self,
        proc: ProcId,
        name: &str,
        functions: &[FunctionId],
        procs: &IndexVec<FunctionId, Option<ProcId>>,
    ) {
        let span = Span::new(0, 0);
        let [entry, exit, start] = std::array::from_fn(|_| self.builder.node(proc, span));
        self.builder.edge(entry, EdgeKind::Step { to: start });
        self.actions.push(Action::Outside);
        for &function in functions {
            let callee = procs[function].expect("what is called from outside has a body");
            self.start(proc, (start, function, callee), entry);
        }
        self.builder.edge(start, EdgeKind::Step { to: exit });
        self.actions.push(Action::Nothing);
        self.leave(exit);
        let nodes = (entry, self.builder.next_node());
        self.builder.proc(Proc { name: name.into(), span, entry, exit, nodes });
    }

    /// A call of a function from outside.
    fn start(&mut self, proc: ProcId, (from, function, callee): (NodeId, FunctionId, ProcId), to: NodeId) {
        if !(self.is_described)(function) {
            self.builder.edge(from, EdgeKind::Call { callee, to });
            self.actions.push(Action::Start(function));
            return;
        }
        let done = self.builder.node(proc, self.module.functions[function].span);
        self.builder.edge(from, EdgeKind::Call { callee, to: done });
        self.actions.push(Action::Start(function));
        self.builder.edge(done, EdgeKind::Step { to });
        self.actions.push(Action::Started(function));
    }

    fn leave(&mut self, exit: NodeId) {
        self.builder.edge(exit, EdgeKind::Return);
        self.actions.push(Action::Leave);
    }
}

/// The exit of the function, which has no number while its other nodes are being made.
const EXIT: usize = usize::MAX;

/// The nodes and edges of one function.
struct Builder<'m, 'a> {
    module: &'m Module,
    function: FunctionId,
    procs: &'a IndexVec<FunctionId, Option<ProcId>>,
    surroundings: &'a Surroundings<'a>,
    body: &'m Body,
    /// The calls so far.
    calls: u32,
    /// The statement at each node.
    nodes: Vec<Span>,
    /// From, to, and what is done.
    edges: Vec<(usize, usize, Action<'m>)>,
    labels: IndexVec<LabelId, Option<usize>>,
    /// The loops around: where each is asked again, and where it is left to.
    loops: Vec<(usize, usize)>,
    /// Where control is.
    at: Option<usize>,
}

impl<'m, 'a> Builder<'m, 'a> {
    fn new(
        module: &'m Module,
        function: FunctionId,
        procs: &'a IndexVec<FunctionId, Option<ProcId>>,
        surroundings: &'a Surroundings<'a>,
        body: &'m Body,
    ) -> Self {
        Self {
            module,
            function,
            procs,
            surroundings,
            body,
            calls: 0,
            nodes: Vec::new(),
            edges: Vec::new(),
            labels: IndexVec::from_elem(None, body.labels.len()),
            loops: Vec::new(),
            at: None,
        }
    }

    fn body(&mut self) {
        self.at = Some(self.node(self.body.end));
        let is_handed_over =
            |variable: &Variable| variable.is_address_taken || has_common_parts(self.module, variable.ty.ty);
        if self.body.parameters.iter().any(|&parameter| is_handed_over(&self.module.vars[parameter])) {
            self.step(Action::Enter(self.function), self.body.end);
        }
        self.block(&self.body.block);
        self.jump(EXIT, Action::Return(None));
    }

    fn block(&mut self, block: &'m [Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'m Stmt) {
        // A label is no statement: what comes after it is what happens there.
        if let Some(at) = self.at
            && !matches!(stmt.kind, StmtKind::Label(_) | StmtKind::Block(_))
        {
            self.nodes[at] = stmt.span;
        }
        if !matches!(stmt.kind, StmtKind::While(..)) {
            self.change(stmt);
        }
        match &stmt.kind {
            StmtKind::Block(block) => self.block(block),
            StmtKind::Label(label) => self.place(*label, stmt.span),
            StmtKind::Goto(label) => {
                let to = self.label(*label, stmt.span);
                self.jump(to, Action::Nothing);
            }
            StmtKind::GotoComputed(_) => {
                self.step(Action::Do(stmt), stmt.span);
                self.jump_anywhere(stmt.span);
            }
            StmtKind::Break => {
                let (_, end) = *self.loops.last().expect("`break` stands in a loop");
                self.jump(end, Action::Nothing);
            }
            StmtKind::Continue => {
                let (head, _) = *self.loops.last().expect("`continue` stands in a loop");
                self.jump(head, Action::Nothing);
            }
            StmtKind::Return(value) => self.jump(EXIT, Action::Return(value.as_ref())),
            StmtKind::If(condition, yes, no) => self.branch(stmt.span, condition, yes, no),
            StmtKind::While(condition, body) => self.repeat(stmt, condition, body),
            StmtKind::Call { .. } => {
                let targets = self.targets(stmt);
                self.call(stmt, targets);
            }
            StmtKind::Asm(asm) => {
                if asm.text.windows(4).any(|word| word == b"call") && !self.surroundings.known_outside.is_empty() {
                    self.step(Action::CallBack(stmt), stmt.span);
                }
                let at = self.at;
                for &label in &asm.labels {
                    let to = self.label(label, stmt.span);
                    self.jump(to, Action::Do(stmt));
                    self.at = at;
                }
                self.step(Action::Do(stmt), stmt.span);
            }
            StmtKind::Assign(..)
            | StmtKind::Zero(_)
            | StmtKind::NextArgument { .. }
            | StmtKind::Fresh(_)
            | StmtKind::Unmodelled(_) => self.step(Action::Do(stmt), stmt.span),
        }
    }

    fn branch(&mut self, span: Span, condition: &'m hardbop_c_core::Expr, yes: &'m [Stmt], no: &'m [Stmt]) {
        let start = self.at;
        let arms = [(Truth::True, yes), (Truth::False, no)];
        let mut ends = Vec::new();
        for (truth, block) in arms.iter().filter(|(_, block)| !block.is_empty()) {
            self.at = start;
            self.step(Action::Assume(condition, *truth), span);
            self.block(block);
            ends.extend(self.at);
        }
        self.meet(&ends);
        // Where there is nothing to do, control is where the other arm ends: no step, so no run seems longer.
        for &(truth, _) in arms.iter().filter(|(_, block)| block.is_empty()) {
            match (start, self.at) {
                (Some(start), Some(end)) => self.edges.push((start, end, Action::Assume(condition, truth))),
                (Some(_), None) => {
                    self.at = start;
                    self.step(Action::Assume(condition, truth), span);
                }
                (None, _) => {}
            }
        }
    }

    fn repeat(&mut self, stmt: &'m Stmt, condition: &'m hardbop_c_core::Expr, body: &'m [Stmt]) {
        let span = stmt.span;
        // Labels inside may lead into a loop that nothing leads to.
        let head = self.fresh(span);
        let end = self.node(span);
        self.loops.push((head, end));
        self.at = Some(head);
        self.change(stmt);
        let asked = self.at;
        self.jump(end, Action::Assume(condition, Truth::False));
        self.at = asked;
        self.step(Action::Assume(condition, Truth::True), span);
        self.block(body);
        self.jump(head, Action::Nothing);
        self.loops.pop();
        self.at = Some(end);
    }

    /// What `stmt` itself reads and what changes by itself has done so.
    fn change(&mut self, stmt: &'m Stmt) {
        let mut changed = Vec::new();
        stmt.visit_own_places(&mut |place, usage| {
            if usage == PlaceUse::Read && self.module.may_change_by_itself(place) {
                changed.push(place);
            }
        });
        changed.into_iter().for_each(|place| self.step(Action::Change(place), stmt.span));
    }

    fn targets(&mut self, stmt: &'m Stmt) -> Targets {
        let targets = (self.surroundings.targets)(CallSite { function: self.function, number: self.calls, stmt });
        self.calls += 1;
        targets
    }

    fn call(&mut self, stmt: &'m Stmt, targets: Targets) {
        let Some(at) = self.at else { return };
        let mut ends = Vec::new();
        for function in targets.functions {
            self.at = Some(at);
            if self.procs[function].is_some() {
                self.step(Action::Call(stmt, function), stmt.span);
                self.step(Action::Take(stmt, function), stmt.span);
            } else {
                self.call_outside(stmt, Some(function), targets.may_call_back);
            }
            ends.extend(self.at);
        }
        if targets.may_be_unknown {
            self.at = Some(at);
            self.call_outside(stmt, None, targets.may_call_back);
            ends.extend(self.at);
        }
        self.meet(&ends);
    }

    fn call_outside(&mut self, stmt: &'m Stmt, function: Option<FunctionId>, may_call_back: bool) {
        if may_call_back && !self.surroundings.known_outside.is_empty() {
            self.step(Action::CallBack(stmt), stmt.span);
        }
        if !self.surroundings.given_away.is_empty() && function.is_some_and(self.surroundings.ends_run) {
            self.step(Action::End, stmt.span);
        }
        // Arguments are evaluated even if nothing comes after.
        self.step(Action::External(stmt, function), stmt.span);
        if function.is_some_and(|function| self.module.functions[function].is_noreturn) {
            self.at = None;
        }
    }

    /// Control is where any of `ends` leads to.
    fn meet(&mut self, ends: &[usize]) {
        self.at = ends.first().copied();
        for &end in ends.iter().skip(1) {
            self.edges.push((end, ends[0], Action::Nothing));
        }
    }

    /// To every label whose address is taken.
    fn jump_anywhere(&mut self, span: Span) {
        let at = self.at;
        let taken = self.body.labels.iter_enumerated().filter(|(_, label)| label.is_address_taken);
        for (label, _) in taken {
            let to = self.label(label, span);
            self.at = at;
            self.jump(to, Action::Nothing);
        }
        self.at = None;
    }

    /// Control comes to `label`.
    fn place(&mut self, label: LabelId, span: Span) {
        match (self.labels[label], self.at) {
            (None, Some(at)) => self.labels[label] = Some(at),
            (None, None) => self.at = Some(self.label(label, span)),
            (Some(known), _) => {
                self.jump(known, Action::Nothing);
                self.at = Some(known);
            }
        }
    }

    fn label(&mut self, label: LabelId, span: Span) -> usize {
        match self.labels[label] {
            Some(node) => node,
            None => {
                let node = self.node(span);
                self.labels[label] = Some(node);
                node
            }
        }
    }

    /// A node that nothing else leads to yet, and control is there.
    fn fresh(&mut self, span: Span) -> usize {
        let node = self.node(span);
        self.jump(node, Action::Nothing);
        node
    }

    /// Goes on after `action`.
    fn step(&mut self, action: Action<'m>, span: Span) {
        if let Some(at) = self.at {
            let to = self.node(span);
            self.edges.push((at, to, action));
            self.at = Some(to);
        }
    }

    /// Goes to `to`, and nowhere else.
    fn jump(&mut self, to: usize, action: Action<'m>) {
        if let Some(at) = self.at.take() {
            self.edges.push((at, to, action));
        }
    }

    fn node(&mut self, span: Span) -> usize {
        self.nodes.push(span);
        self.nodes.len() - 1
    }
}

/// Whether there are parts in an object of this type that are not told apart: of a union, or of an array.
fn has_common_parts(module: &Module, ty: TypeId) -> bool {
    match module.types.get(ty) {
        Type::Array(..) => true,
        Type::Record(record) => {
            let is_union = module.types.records[*record].kind == RecordKind::Union;
            let body = module.types.body(*record);
            is_union || body.is_some_and(|body| body.fields.iter().any(|field| has_common_parts(module, field.ty.ty)))
        }
        _ => false,
    }
}
