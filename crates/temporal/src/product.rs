//! The product of a program and a Büchi automaton: the automaton's state is one more global.
//!
//! The automaton moves with every step of the program, by the letter of the configuration that is left. So that all of
//! that configuration's variables are in scope when it does, it moves on steps only: a call is preceded, a return
//! followed by a silent node, with the automaton's move between.
//!
//! Where the automaton is not weak, each activation remembers whether it has seen an accepting state. The memory starts
//! empty and is handed back to the caller, so a summary tells whether the call that it crosses has seen one.
//!
//! What a proposition says of the stack is a parameter of every procedure, handed down with each call.
//!
//! **Invariant:** what is left of a run when the new variables and the steps without an origin are dropped is a run of
//! the program, and each run of the program that the automaton can read arises that way.

use hardbop_base::{Idx, IndexVec};
use hardbop_icfg::proposition::{Letter, Proposition};
use hardbop_icfg::widen::{More, Widened, widen};
use hardbop_icfg::words::{Builder, Moment};
use hardbop_icfg::{
    EdgeId, EdgeKind, Expr, ExprId, IcfgBuilder, NodeId, Proc, ProcId, Program, Relation, Transition, Update, Value,
    VarId,
};
use hardbop_verdict::{Move, Picks, SubTrace, Witness};

/// A Büchi automaton with accepting states.
#[derive(Clone, Debug)]
pub struct Buchi {
    /// Whether each state is accepting.
    pub accepting: Vec<bool>,
    /// The states it may start in.
    pub initial: Vec<usize>,
    /// Its moves.
    pub moves: Vec<BuchiMove>,
    /// When it ends, having accepted whatever follows: from each of these states, by this guard.
    pub ends: Vec<(usize, Guard)>,
}

/// One of these conjunctions of literals, a proposition's number and its value.
pub type Guard = Vec<Vec<(usize, bool)>>;

/// A move of a Büchi automaton.
#[derive(Clone, Debug)]
pub struct BuchiMove {
    /// Where it starts.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// When it can be made.
    pub guard: Guard,
}

/// What a run remembers of the accepting states that it has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// Nothing: the automaton is weak, and any one state of a cycle tells whether it is accepting.
    None,
    /// Each activation, whether it and the calls that it has crossed have seen one.
    Activation,
    /// The run, whether it has seen one.
    Run,
}

/// The product.
#[derive(Clone, Debug)]
pub struct Product {
    /// The program.
    pub program: Program<Relation>,
    /// What each of its nodes was before, if it is not new.
    pub node_origin: IndexVec<NodeId, Option<NodeId>>,
    /// What each of its edges was before, if it is not new.
    pub edge_origin: IndexVec<EdgeId, Option<EdgeId>>,
    /// What each of its variables was before, if it is not new.
    pub var_origin: IndexVec<VarId, Option<VarId>>,
    /// The bits of the automaton's state.
    pub state: Vec<VarId>,
    /// For each procedure, the variables that tell what is on the stack: one for each proposition that asks.
    pub stack: IndexVec<ProcId, Vec<VarId>>,
    /// For each procedure, the variable in which an activation remembers.
    pub seen: Option<IndexVec<ProcId, VarId>>,
    /// For each procedure, the variable in which it hands its memory back.
    pub seen_within: Option<IndexVec<ProcId, VarId>>,
    /// The variable in which the run remembers.
    pub ever: Option<VarId>,
    /// For each node that the automaton moves at, that it can.
    pub can_move: IndexVec<NodeId, Option<ExprId>>,
    /// For each node that the automaton moves at, that it can end there.
    pub can_end: IndexVec<NodeId, Option<ExprId>>,
    /// That the automaton is in an accepting state.
    pub accepting: ExprId,
}

/// Makes the product of `program` and `buchi`, whose propositions are `propositions`. What they say of the stack is so
/// at the start; `None` where only the first activation is there.
pub fn product(
    program: &Program<Relation>,
    propositions: &[Proposition],
    buchi: &Buchi,
    memory: Memory,
    start: Option<&[bool]>,
) -> Product {
    let bits = usize::BITS - buchi.accepting.len().saturating_sub(1).leading_zeros();
    let mut globals: Vec<String> = (0..bits).map(|bit| format!("automaton.{bit}")).collect();
    if memory == Memory::Run {
        globals.push("ever".to_owned());
    }
    let on_stack: Vec<&IndexVec<ProcId, bool>> = propositions
        .iter()
        .filter_map(|proposition| match proposition {
            Proposition::OnStack(is_meant) => Some(is_meant),
            _ => None,
        })
        .collect();
    let mut parameters: Vec<String> = (0..on_stack.len()).map(|number| format!("on_stack.{number}")).collect();
    let result = (memory == Memory::Activation).then_some("seen'");
    parameters.extend(result.map(|_| "seen".to_owned()));
    let more = More { globals: &globals, result, parameters: &parameters };
    let Widened { program: widened, origin, globals: mut state, results, parameters: mut stack } =
        widen(program, &more);
    let seen = stack.iter_mut().map(|vars| result.and_then(|_| vars.pop())).collect();
    let start = start.map_or_else(|| on_stack.iter().map(|it| it[program.entry]).collect(), <[bool]>::to_vec);
    let ever = if memory == Memory::Run { state.pop() } else { None };
    let mut weaver = Weaver {
        old: program,
        propositions,
        buchi,
        is_silent: program.marks.is_silent(program.icfg.nodes.len()),
        state,
        ever,
        results,
        seen,
        on_stack,
        stack,
        start,
        builder: IcfgBuilder::default(),
        new_of: IndexVec::new(),
        before_call: IndexVec::from_elem(None, program.icfg.edges.len()),
        labels: IndexVec::new(),
        node_origin: IndexVec::new(),
        edge_origin: IndexVec::new(),
        silent: Vec::new(),
        can_move: IndexVec::new(),
        can_end: IndexVec::new(),
        program: widened,
    };
    weaver.nodes();
    weaver.can_move = IndexVec::from_elem(None, weaver.node_origin.len());
    weaver.can_end = weaver.can_move.clone();
    for edge in program.icfg.edges.ids() {
        weaver.edge(edge);
    }
    weaver.finish(origin)
}

struct Weaver<'a> {
    old: &'a Program<Relation>,
    propositions: &'a [Proposition],
    buchi: &'a Buchi,
    is_silent: IndexVec<NodeId, bool>,
    state: Vec<VarId>,
    ever: Option<VarId>,
    results: IndexVec<ProcId, Option<VarId>>,
    seen: IndexVec<ProcId, Option<VarId>>,
    on_stack: Vec<&'a IndexVec<ProcId, bool>>,
    stack: IndexVec<ProcId, Vec<VarId>>,
    start: Vec<bool>,
    builder: IcfgBuilder,
    new_of: IndexVec<NodeId, NodeId>,
    before_call: IndexVec<EdgeId, Option<NodeId>>,
    labels: IndexVec<EdgeId, Relation>,
    node_origin: IndexVec<NodeId, Option<NodeId>>,
    edge_origin: IndexVec<EdgeId, Option<EdgeId>>,
    silent: Vec<NodeId>,
    can_move: IndexVec<NodeId, Option<ExprId>>,
    can_end: IndexVec<NodeId, Option<ExprId>>,
    /// With the new variables and the old graph.
    program: Program<Relation>,
}

impl Weaver<'_> {
    /// Adds all nodes, the new ones of each procedure after its own.
    fn nodes(&mut self) {
        let icfg = &self.old.icfg;
        for (id, proc) in icfg.procs.iter_enumerated() {
            let first = self.builder.next_node();
            for node in icfg.nodes_of(id) {
                let new = self.builder.node(id, icfg.nodes[node].span);
                self.new_of.push(new);
                self.node_origin.push(Some(node));
                if self.is_silent[node] {
                    self.silent.push(new);
                }
            }
            for node in icfg.nodes_of(id) {
                for &edge in icfg.successors(node) {
                    let is_call = matches!(icfg.edges[edge].kind, EdgeKind::Call { .. });
                    if is_call && !self.is_silent[node] {
                        self.before_call[edge] = Some(self.silent_node(id, node));
                    }
                }
            }
            let has_step_out = !self.is_silent[proc.exit] || self.results[id].is_some();
            let exit = if has_step_out { self.silent_node(id, proc.exit) } else { self.new_of[proc.exit] };
            let nodes = (first, self.builder.next_node());
            let entry = self.new_of[proc.entry];
            self.builder.proc(Proc { name: proc.name.clone(), span: proc.span, entry, exit, nodes });
        }
    }

    fn silent_node(&mut self, proc: ProcId, beside: NodeId) -> NodeId {
        let node = self.builder.node(proc, self.old.icfg.nodes[beside].span);
        self.node_origin.push(None);
        self.silent.push(node);
        node
    }

    fn edge(&mut self, id: EdgeId) {
        let edge = self.old.icfg.edges[id];
        let from = self.new_of[edge.from];
        let proc = self.old.icfg.nodes[edge.from].proc;
        match (edge.kind, self.program.labels[id].clone()) {
            (EdgeKind::Step { to }, Relation::Step(step)) => {
                let step = self.advance(edge.from, step);
                self.add(from, EdgeKind::Step { to: self.new_of[to] }, Relation::Step(step), Some(id));
            }
            (EdgeKind::Call { callee, to }, Relation::Call { enter, leave }) => {
                let mut start = from;
                if let Some(before) = self.before_call[id] {
                    let step = self.advance(edge.from, Transition::SKIP);
                    self.add(from, EdgeKind::Step { to: before }, Relation::Step(step), None);
                    start = before;
                }
                let label = self.call(proc, callee, enter, leave);
                self.add(start, EdgeKind::Call { callee, to: self.new_of[to] }, label, Some(id));
            }
            (EdgeKind::Return, Relation::Return) => self.way_out(edge.from, proc, id),
            _ => unreachable!("the label of an edge is of its kind"),
        }
    }

    fn add(&mut self, from: NodeId, kind: EdgeKind, label: Relation, origin: Option<EdgeId>) {
        self.builder.edge(from, kind);
        self.labels.push(label);
        self.edge_origin.push(origin);
    }

    fn call(&mut self, caller: ProcId, callee: ProcId, mut enter: Transition, mut leave: Transition) -> Relation {
        let exprs = &mut self.program.exprs;
        for (number, is_meant) in self.on_stack.iter().enumerate() {
            let below = Expr::Var(self.stack[caller][number]);
            let value = Value::Of(exprs.add(if is_meant[callee] { Expr::Const(true) } else { below }));
            enter.updates.push(Update { target: self.stack[callee][number], value });
        }
        if let (Some(parameter), Some(result), Some(seen)) =
            (self.seen[callee], self.results[callee], self.seen[caller])
        {
            let nothing = exprs.add(Expr::Const(false));
            enter.updates.push(Update { target: parameter, value: Value::Of(nothing) });
            let (before, within) = (exprs.add(Expr::Saved(seen)), exprs.add(Expr::Var(result)));
            let value = Value::Of(exprs.add(Expr::Or(before, within)));
            leave.updates.push(Update { target: seen, value });
        }
        Relation::Call { enter, leave }
    }

    fn way_out(&mut self, exit: NodeId, proc: ProcId, id: EdgeId) {
        let from = self.new_of[exit];
        let is_split = !self.is_silent[exit] || self.results[proc].is_some();
        if !is_split {
            self.add(from, EdgeKind::Return, Relation::Return, Some(id));
            return;
        }
        let mut step = self.advance(exit, Transition::SKIP);
        if let (Some(result), Some(seen)) = (self.results[proc], self.seen[proc]) {
            let value = match step.update_of(seen) {
                Some(value) => value,
                None => Value::Of(self.program.exprs.add(Expr::Var(seen))),
            };
            step.updates.push(Update { target: result, value });
        }
        let last = NodeId::from_usize(self.last_node(proc));
        self.add(from, EdgeKind::Step { to: last }, Relation::Step(step), None);
        self.add(last, EdgeKind::Return, Relation::Return, Some(id));
    }

    /// The exit of `proc`, which is its last node.
    fn last_node(&self, proc: ProcId) -> usize {
        let next = proc.index() + 1;
        let end = match self.old.icfg.procs.get(ProcId::from_usize(next)) {
            Some(proc) => self.new_of[proc.nodes.0],
            None => self.builder.next_node(),
        };
        end.index() - 1
    }

    /// Adds to `step`, which leaves `node`, the automaton's move.
    fn advance(&mut self, node: NodeId, mut step: Transition) -> Transition {
        if self.is_silent[node] {
            return step;
        }
        let (letters, proc) = (self.letters(node), self.old.icfg.nodes[node].proc);
        let mut builder = Builder::new(&mut self.program.exprs);
        let (mut possible, mut enabled) = (Vec::new(), Vec::new());
        for step in &self.buchi.moves {
            let guard = disjunction(&mut builder, &step.guard, &letters);
            let from = state_is(&mut builder, &self.state, step.from, Moment::Now);
            let to = state_is(&mut builder, &self.state, step.to, Moment::Next);
            enabled.push(builder.and(from, guard));
            possible.push(builder.all([from, guard, to]));
        }
        let mut ends = Vec::new();
        for (from, guard) in &self.buchi.ends {
            let guard = disjunction(&mut builder, guard, &letters);
            let from = state_is(&mut builder, &self.state, *from, Moment::Now);
            ends.push(builder.and(from, guard));
        }
        self.can_move[self.new_of[node]] = Some(builder.any(enabled));
        self.can_end[self.new_of[node]] = Some(builder.any(ends));
        let possible = builder.any(possible);
        if self.state.is_empty() {
            step.guard = Some(step.guard.map_or(possible, |guard| builder.and(guard, possible)));
        } else {
            step.constraint = Some(step.constraint.map_or(possible, |constraint| builder.and(constraint, possible)));
            step.updates.extend(self.state.iter().map(|&target| Update { target, value: Value::Any }));
        }
        if let Some(seen) = self.seen[proc].or(self.ever) {
            let accepting = accepting(&mut builder, &self.state, &self.buchi.accepting);
            let before = builder.read(seen, Moment::Now);
            let value = Value::Of(builder.or(before, accepting));
            step.updates.push(Update { target: seen, value });
        }
        step
    }

    fn letters(&mut self, node: NodeId) -> Vec<Letter> {
        let icfg = &self.old.icfg;
        let mut stack = self.stack[icfg.nodes[node].proc].iter();
        let exprs = &mut self.program.exprs;
        let letter = |proposition: &Proposition| match proposition {
            Proposition::OnStack(_) => {
                let &var = stack.next().expect("there is a variable for each proposition about the stack");
                Letter::Expr(exprs.add(Expr::Var(var)))
            }
            proposition => proposition.at(icfg, node),
        };
        self.propositions.iter().map(letter).collect()
    }

    fn finish(mut self, var_origin: IndexVec<VarId, Option<VarId>>) -> Product {
        let mut builder = Builder::new(&mut self.program.exprs);
        let starts: Vec<ExprId> =
            self.buchi.initial.iter().map(|&state| state_is(&mut builder, &self.state, state, Moment::Next)).collect();
        let mut parts = vec![builder.any(starts)];
        if let Some(seen) = self.seen[self.old.entry].or(self.ever) {
            let seen = builder.read(seen, Moment::Next);
            parts.push(builder.not(seen));
        }
        for (&var, &is_there) in self.stack[self.old.entry].iter().zip(&self.start) {
            let var = builder.read(var, Moment::Next);
            parts.push(if is_there { var } else { builder.not(var) });
        }
        parts.extend(self.program.initial.constraint);
        let initial = builder.all(parts);
        let accepting = accepting(&mut builder, &self.state, &self.buchi.accepting);
        let mut program = self.program;
        program.initial.constraint = Some(initial);
        program.icfg = self.builder.finish();
        program.labels = self.labels;
        let marks = &mut program.marks;
        marks.silent = self.silent;
        marks.labels.iter_mut().for_each(|(_, node)| *node = self.new_of[*node]);
        marks.assertions.iter_mut().for_each(|assertion| assertion.node = self.new_of[assertion.node]);
        marks.unmodelled.iter_mut().for_each(|found| found.node = self.new_of[found.node]);
        Product {
            program,
            node_origin: self.node_origin,
            edge_origin: self.edge_origin,
            can_move: self.can_move,
            can_end: self.can_end,
            var_origin,
            state: self.state,
            ever: self.ever,
            stack: self.stack,
            seen_within: self
                .results
                .iter()
                .copied()
                .collect::<Option<Vec<VarId>>>()
                .map(|vars| vars.into_iter().collect()),
            seen: self.seen.iter().copied().collect::<Option<Vec<VarId>>>().map(|vars| vars.into_iter().collect()),
            accepting,
        }
    }
}

impl Product {
    /// The variables in which an activation of `proc` remembers.
    pub fn memory_of(&self, proc: ProcId) -> impl Iterator<Item = VarId> + '_ {
        self.seen.iter().chain(&self.seen_within).map(move |vars| vars[proc])
    }

    /// The node that `node` of the program has become.
    pub fn node(&self, node: NodeId) -> NodeId {
        let found = self.node_origin.iter_enumerated().find(|(_, origin)| **origin == Some(node));
        found.expect("every node of the program is in the product").0
    }

    /// The variable that `var` of the program has become.
    pub fn var(&self, var: VarId) -> VarId {
        let found = self.var_origin.iter_enumerated().find(|(_, origin)| **origin == Some(var));
        found.expect("every variable of the program is in the product").0
    }

    /// A run of the product as a run of the program that the product was made of.
    pub fn project(&self, base: &Program<Relation>, witness: &Witness) -> Witness {
        let scope = self.program.scope(self.program.entry);
        let known = scope.zip(&witness.initial).filter(|(var, _)| self.var_origin[*var].is_some());
        let subtraces = witness.subtraces.iter().map(|sub| SubTrace {
            proc: sub.proc,
            requires: sub.requires.iter().filter_map(|&(var, value)| Some((self.var_origin[var]?, value))).collect(),
            moves: self.project_moves(base, &sub.moves),
            effects: sub.effects.iter().filter_map(|&(var, value)| Some((self.var_origin[var]?, value))).collect(),
        });
        Witness {
            initial: known.map(|(_, &value)| value).collect(),
            initial_choices: witness.initial_choices.clone(),
            moves: self.project_moves(base, &witness.moves),
            goal_choices: Vec::new(),
            subtraces: subtraces.collect(),
            length: witness.length,
        }
    }

    fn project_moves(&self, base: &Program<Relation>, moves: &[Move]) -> Vec<Move> {
        let project = |step: &Move| {
            let edge = self.edge_origin[step.edge()]?;
            Some(match (step, &base.labels[edge]) {
                (Move::Step { picks, .. }, Relation::Step(step)) => {
                    Move::Step { edge, picks: first_values(picks, step) }
                }
                (Move::Enter { edge: at, picks }, _) => Move::Enter { edge, picks: self.project_entry(*at, picks) },
                (Move::Cross { edge: at, enter, sub, leave }, Relation::Call { leave: back, .. }) => {
                    let (enter, leave) = (self.project_entry(*at, enter), first_values(leave, back));
                    Move::Cross { edge, enter, sub: *sub, leave }
                }
                _ => unreachable!("a move is of its edge's kind"),
            })
        };
        moves.iter().filter_map(project).collect()
    }

    /// The open values on the way in are those of the callee's variables without an update to something.
    fn project_entry(&self, edge: EdgeId, picks: &Picks) -> Picks {
        let (EdgeKind::Call { callee, .. }, Relation::Call { enter, .. }) =
            (self.program.icfg.edges[edge].kind, &self.program.labels[edge])
        else {
            unreachable!("a call edge carries a call")
        };
        let is_open = |var: &&VarId| !matches!(enter.update_of(**var), Some(Value::Of(_)));
        let open = self.program.locals[callee].iter().filter(is_open);
        let values = open.zip(&picks.values).filter(|(var, _)| self.var_origin[**var].is_some());
        Picks { choices: picks.choices.clone(), values: values.map(|(_, &value)| value).collect() }
    }
}

/// The picks for the values that `transition`, to which others have been added, leaves open itself.
fn first_values(picks: &Picks, transition: &Transition) -> Picks {
    let open = transition.updates.iter().filter(|update| update.value == Value::Any).count();
    Picks { choices: picks.choices.clone(), values: picks.values.iter().copied().take(open).collect() }
}

/// That all literals of one of the conjunctions are true.
fn disjunction(builder: &mut Builder<'_>, guard: &Guard, letters: &[Letter]) -> ExprId {
    let cubes: Vec<ExprId> = guard.iter().map(|cube| conjunction(builder, cube, letters)).collect();
    builder.any(cubes)
}

/// That every literal of `cube` is true.
fn conjunction(builder: &mut Builder<'_>, cube: &[(usize, bool)], letters: &[Letter]) -> ExprId {
    let literals: Vec<ExprId> = cube
        .iter()
        .map(|&(proposition, value)| {
            let letter = match letters[proposition] {
                Letter::Const(value) => builder.constant(value),
                Letter::Expr(expr) => expr,
            };
            if value { letter } else { builder.not(letter) }
        })
        .collect();
    builder.all(literals)
}

/// That the automaton is in `state`, now or next.
fn state_is(builder: &mut Builder<'_>, bits: &[VarId], state: usize, moment: Moment) -> ExprId {
    let bits: Vec<ExprId> = bits
        .iter()
        .enumerate()
        .map(|(place, &bit)| {
            let bit = builder.read(bit, moment);
            if state >> place & 1 == 1 { bit } else { builder.not(bit) }
        })
        .collect();
    builder.all(bits)
}

fn accepting(builder: &mut Builder<'_>, bits: &[VarId], accepting: &[bool]) -> ExprId {
    let states = (0..accepting.len()).filter(|&state| accepting[state]);
    let states: Vec<ExprId> = states.map(|state| state_is(builder, bits, state, Moment::Now)).collect();
    builder.any(states)
}
