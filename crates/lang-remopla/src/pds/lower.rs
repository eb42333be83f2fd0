//! From rules to the shared representation: a node for each symbol of each procedure, an edge for each rule.
//!
//! The control state is a global. A return is a step to the procedure's exit, since only one edge returns. A call that
//! changes globals, or saves what cannot be computed on the way back, is a step to a node of its own and a call from
//! there; such nodes, like exits, are no places of the system ([`Marks::silent`]).

mod effect;
mod rule;
mod storage;
mod terms;

use super::ast::{Ast, Initial, Pushed, Rule};
use super::check::check;
use super::procedures::{Procedures, procedures};
use super::scope::{Frames, Place, Scopes, StateId, SymbolId};
use effect::effect;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Idx, IndexVec, Span};
use hardbop_icfg::words::{Builder, Moment, TooLarge};
use hardbop_icfg::{
    EdgeId, EdgeKind, Expr, ExprId, Exprs, IcfgBuilder, Marks, NodeId, Proc, ProcId, Program, Relation, Transition,
    Var, VarId,
};
use rustc_hash::FxHashMap;
use storage::Storage;
use terms::{Context, Overgrown, Terms};

/// A program, and what its author may not have meant.
#[derive(Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program<Relation>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// The program of `ast`.
///
/// # Errors
/// Names that mean nothing, types that do not fit, and systems that are too large.
pub fn lower(ast: &Ast) -> Result<Lowered, Vec<Diagnostic>> {
    let mut findings = Findings::default();
    let scopes = Scopes::new(ast, &mut findings);
    let roles = check(ast, &scopes, &mut findings);
    let Some(initial) = ast.initial.filter(|_| !findings.has_errors()) else { return Err(findings.finish()) };
    let program = procedures(ast, &scopes, scopes.symbol(initial.symbol))
        .and_then(|procedures| Ok((Storage::new(ast, &scopes, &roles, &procedures)?, procedures)))
        .and_then(|(storage, procedures)| {
            let mut exprs = Exprs::default();
            let lowering = Lowering {
                ast,
                scopes: &scopes,
                procedures: &procedures,
                terms: Terms::new(ast, &scopes, Builder::new(&mut exprs)),
                global_bits: storage.global_bits(),
                storage,
                states: IndexVec::new(),
                graph: IcfgBuilder::default(),
                labels: IndexVec::new(),
                marks: Marks::default(),
                copies: FxHashMap::default(),
                nodes: FxHashMap::default(),
            };
            let parts = lowering.lower(initial)?;
            Ok(parts.assemble(exprs))
        });
    match program {
        Ok(program) => Ok(Lowered { program, warnings: findings.finish() }),
        Err(error) => {
            findings.add(error);
            Err(findings.finish())
        }
    }
}

struct Lowering<'a> {
    ast: &'a Ast,
    scopes: &'a Scopes,
    procedures: &'a Procedures,
    terms: Terms<'a>,
    storage: Storage,
    /// The bits of all declared globals.
    global_bits: Vec<VarId>,
    /// That the control state is this one.
    states: IndexVec<StateId, ExprId>,
    graph: IcfgBuilder,
    labels: IndexVec<EdgeId, Relation>,
    marks: Marks,
    /// In a caller, the copies of a callee's parameters.
    copies: FxHashMap<(ProcId, VarId), VarId>,
    /// The nodes of the procedure at hand.
    nodes: FxHashMap<SymbolId, NodeId>,
}

/// Everything but the expressions, which are still being built.
struct Parts {
    storage: Storage,
    graph: IcfgBuilder,
    labels: IndexVec<EdgeId, Relation>,
    marks: Marks,
    initial: Transition,
}

impl Lowering<'_> {
    fn lower(mut self, initial: Initial) -> Result<Parts, Diagnostic> {
        // All of them, whether or not a rule asks: a goal may.
        for state in self.scopes.states.ids() {
            let word = self.terms.builder.variable(&self.storage.state, Moment::Now);
            let number = self.terms.builder.number(state.index() as u64);
            self.states.push(self.terms.builder.equal(&word, &number));
        }
        let transition = self.initial(initial)?;
        let atoms = self.atoms();
        for proc in self.procedures.list.ids() {
            self.procedure(proc, &atoms)?;
        }
        let Self { storage, graph, labels, marks, .. } = self;
        Ok(Parts { storage, graph, labels, marks, initial: transition })
    }

    fn initial(&mut self, initial: Initial) -> Result<Transition, Diagnostic> {
        let frames =
            Frames { left: self.scopes.symbol(initial.symbol), first: None, second: None, place: Place::Initial };
        let entry = ProcId::from_usize(0);
        let context = Context { frames, caller: entry, callee: entry, unprimed: Moment::Next };
        let word = self.terms.builder.variable(&self.storage.state, Moment::Next);
        let number = self.terms.builder.number(self.scopes.state(initial.state).index() as u64);
        let mut parts = vec![self.terms.builder.equal(&word, &number)];
        for expr in initial.globals.into_iter().chain(initial.locals) {
            let truth = self.terms.truth(&self.storage, context, expr);
            parts.push(truth.map_err(|error| overgrown(error, initial.span))?);
        }
        let constraint = self.terms.builder.all(parts);
        Ok(Transition { constraint: self.unless_true(constraint), ..Transition::SKIP })
    }

    /// More names for symbols.
    fn atoms(&self) -> FxHashMap<SymbolId, Vec<String>> {
        let mut atoms: FxHashMap<SymbolId, Vec<String>> = FxHashMap::default();
        for row in &self.ast.atoms {
            if let Some(symbol) = self.scopes.find_symbol(row.symbol.name) {
                let names = row.propositions.iter().map(|&name| self.ast.text(name).to_owned());
                atoms.entry(symbol).or_default().extend(names);
            }
        }
        atoms
    }

    fn procedure(&mut self, id: ProcId, atoms: &FxHashMap<SymbolId, Vec<String>>) -> Result<(), Diagnostic> {
        let (ast, procedures) = (self.ast, self.procedures);
        let procedure = &procedures.list[id];
        let first = self.graph.next_node();
        self.nodes.clear();
        for &symbol in &procedure.symbols {
            let node = self.graph.node(id, self.span_of(symbol));
            self.nodes.insert(symbol, node);
            let name = ast.names.text(self.scopes.symbols[symbol].name);
            self.marks.labels.push((name.into(), node));
            let others = atoms.get(&symbol).into_iter().flatten().filter(|atom| *atom != name);
            self.marks.labels.extend(others.map(|atom| (atom.clone(), node)));
        }
        let rules =
            procedure.symbols.iter().flat_map(|&symbol| &procedures.rules[symbol]).map(|&rule| &ast.rules[rule]);
        let end = rules.clone().find(|rule| rule.to == Pushed::Nothing);
        let exit = self.graph.node(id, end.map_or(self.span_of(procedure.symbols[0]), |rule| rule.span));
        self.marks.silent.push(exit);
        for rule in rules {
            self.rule(id, rule, exit).map_err(|error| overgrown(error, rule.span))?;
        }
        self.graph.edge(exit, EdgeKind::Return);
        self.labels.push(Relation::Return);
        let nodes = (first, self.graph.next_node());
        let span = self.scopes.symbols[procedure.symbols[0]].span;
        self.graph.proc(Proc { name: procedure.name.clone(), span, entry: first, exit, nodes });
        Ok(())
    }

    /// Where a symbol is on top: its first rule or, where it has none, its name.
    fn span_of(&self, symbol: SymbolId) -> Span {
        let first = self.procedures.rules[symbol].first();
        first.map_or(self.scopes.symbols[symbol].span, |&rule| self.ast.rules[rule].span)
    }

    fn rule(&mut self, proc: ProcId, rule: &Rule, exit: NodeId) -> Result<(), Overgrown> {
        let frames = self.scopes.frames(rule);
        let callee = match rule.to {
            Pushed::Two(..) => frames.first.map_or(proc, |entry| self.procedures.entered_at(entry)),
            _ => proc,
        };
        let context = Context { frames, caller: proc, callee, unprimed: Moment::Now };
        // Every variable is looked at, whether or not the rule mentions it.
        let locals = frames.first.into_iter().chain(frames.second).flat_map(|symbol| self.scopes.locals(symbol));
        self.terms.count((self.global_bits.len() + locals.count()) as u64)?;
        let mut effect = effect(&mut self.terms, &self.storage, context, rule.condition)?;
        let (before, after) = (self.scopes.state(rule.from_state), self.scopes.state(rule.to_state));
        effect.guards.insert(0, self.states[before]);
        let number = self.terms.builder.number(after.index() as u64);
        let bits = self.terms.builder.bits_of(&number, self.storage.state.len());
        for (&var, bit) in self.storage.state.iter().zip(bits) {
            let now = self.terms.builder.read(var, Moment::Now);
            effect.values.insert((Moment::Next, var), if before == after { now } else { bit });
        }
        let from = self.nodes[&frames.left];
        match (frames.first, frames.second) {
            (None, _) => {
                let step = self.step(&effect, &[]);
                self.edge(from, EdgeKind::Step { to: exit }, Relation::Step(step), rule.span);
            }
            (Some(to), None) => {
                let locals = self.local_bits(to, proc);
                let step = self.step(&effect, &locals);
                self.edge(from, EdgeKind::Step { to: self.nodes[&to] }, Relation::Step(step), rule.span);
            }
            (Some(entry), Some(to)) => {
                let call =
                    rule::Call { from, to: self.nodes[&to], entry, back: to, caller: proc, callee, span: rule.span };
                self.call(&effect, &call);
            }
        }
        Ok(())
    }

    /// Adds an edge of the rule at `span`.
    fn edge(&mut self, from: NodeId, kind: EdgeKind, label: Relation, span: Span) {
        let edge = self.graph.edge(from, kind);
        self.labels.push(label);
        self.marks.rules.insert(edge, span);
    }

    fn unless_true(&self, expr: ExprId) -> Option<ExprId> {
        (self.terms.builder.constant_of(expr) != Some(true)).then_some(expr)
    }
}

fn overgrown(error: Overgrown, span: Span) -> Diagnostic {
    let message = match error {
        Overgrown::Bits(TooLarge::Word) => "a number in this has too many bits",
        Overgrown::Bits(TooLarge::Product) => "this multiplies or divides numbers that are too wide",
        Overgrown::Bits(TooLarge::Arena) => "the rules up to here are too large",
        Overgrown::Work => "the rules up to here, with all values of their quantifiers, are too large",
    };
    Diagnostic::error("system-too-large", message, span)
}

impl Parts {
    /// The program. Copies of parameters were added last, and belong to the locals of their procedures.
    fn assemble(self, exprs: Exprs) -> Program<Relation> {
        let Self { mut storage, graph, mut labels, marks, mut initial } = self;
        let globals = storage.vars.ids().filter(|&var| storage.is_global(var));
        let order: Vec<VarId> = globals.chain(storage.lists.iter().flatten().copied()).collect();
        let mut exprs = exprs;
        if !order.is_sorted() {
            let mut places = IndexVec::from_elem(VarId::from_usize(0), order.len());
            for (place, &var) in order.iter().enumerate() {
                places[var] = VarId::from_usize(place);
            }
            exprs = renumber(&exprs, &places);
            let vars: IndexVec<VarId, Var> = order.iter().map(|&var| storage.vars[var].clone()).collect();
            storage.vars = vars;
            for label in labels.iter_mut() {
                match label {
                    Relation::Step(step) => renumber_targets(step, &places),
                    Relation::Call { enter, leave } => {
                        renumber_targets(enter, &places);
                        renumber_targets(leave, &places);
                    }
                    Relation::Return => {}
                }
            }
            renumber_targets(&mut initial, &places);
            let data = storage.data.iter_mut().flat_map(|datum| &mut datum.bits);
            for var in data.chain(storage.lists.iter_mut().flatten()) {
                *var = places[*var];
            }
            storage.data.sort_by_key(|datum| datum.bits.first().copied());
        }
        Program {
            icfg: graph.finish(),
            vars: storage.vars,
            exprs,
            data: storage.data,
            labels,
            locals: storage.lists,
            entry: ProcId::from_usize(0),
            initial,
            marks,
        }
    }
}

/// The same expressions, with the same ids, over other variables.
fn renumber(exprs: &Exprs, places: &IndexVec<VarId, VarId>) -> Exprs {
    let mut result = Exprs::default();
    for id in 0..exprs.len() {
        result.add(match exprs.get(ExprId::from_usize(id)) {
            Expr::Var(var) => Expr::Var(places[var]),
            Expr::Next(var) => Expr::Next(places[var]),
            Expr::Saved(var) => Expr::Saved(places[var]),
            other => other,
        });
    }
    result
}

fn renumber_targets(transition: &mut Transition, places: &IndexVec<VarId, VarId>) {
    for update in &mut transition.updates {
        update.target = places[update.target];
    }
    transition.updates.sort_by_key(|update| update.target);
}
