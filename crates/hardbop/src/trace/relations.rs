//! Traces of programs whose edges are relations, from what `verdict::replay` saw.

use super::{Call, Extent, Place, PlaceId, Run, Scope, ScopeId, Step, Trace, Value, Variable, VariableId};
use crate::statement;
use hardbop_base::{IndexVec, SourceMap};
use hardbop_icfg::{Datum, EdgeId, EdgeKind, NodeId, ProcId, Program, Relation, Type, VarId};
use hardbop_verdict::replay::{Replayed, Run as Followed, State};
use hardbop_verdict::{Move, SubTrace, Witness};
use std::collections::{HashMap, HashSet};

/// The trace of `witness`, with the states that its replay went through.
pub fn trace(program: &Program<Relation>, sources: &SourceMap, witness: &Witness, replayed: &Replayed) -> Trace {
    let mut builder = Builder::new(program, sources, witness);
    let main = builder.run(&witness.moves, &replayed.main(), None);
    let subtraces = witness.subtraces.iter_enumerated();
    let subtraces = subtraces.map(|(id, sub)| builder.run(&sub.moves, &replayed.subtrace(id), Some(sub))).collect();
    let Builder { places, scopes, variables, .. } = builder;
    Trace { places, scopes, variables, main, subtraces, length: witness.length }
}

struct Builder<'a> {
    program: &'a Program<Relation>,
    sources: &'a SourceMap,
    witness: &'a Witness,
    places: IndexVec<PlaceId, Place>,
    scopes: IndexVec<ScopeId, Scope>,
    variables: IndexVec<VariableId, Variable>,
    /// The bits of each variable, least significant first.
    bits_of: IndexVec<VariableId, Vec<VarId>>,
    /// What the user declared, by its first bit; other bits have none.
    data: HashMap<VarId, Option<&'a Datum>>,
    place_of: HashMap<(NodeId, Option<EdgeId>), PlaceId>,
    scope_of: HashMap<ProcId, ScopeId>,
    silent: HashSet<NodeId>,
    /// Which globals the run that is looked at has written so far.
    written: IndexVec<VarId, bool>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program<Relation>, sources: &'a SourceMap, witness: &'a Witness) -> Self {
        let mut builder = Self {
            program,
            sources,
            witness,
            places: IndexVec::new(),
            scopes: IndexVec::new(),
            variables: IndexVec::new(),
            bits_of: IndexVec::new(),
            data: data_of(program),
            place_of: HashMap::new(),
            scope_of: HashMap::new(),
            silent: program.marks.silent.iter().copied().collect(),
            written: IndexVec::from_elem(false, program.globals().count()),
        };
        for var in program.globals() {
            builder.variable(var, Extent::Global);
        }
        builder
    }

    /// The variable whose first bit is `var`; a bit that is not a first one has none of its own.
    fn variable(&mut self, var: VarId, extent: Extent) -> Option<VariableId> {
        let (name, kind, bits) = match self.data.get(&var) {
            Some(datum) => {
                let datum = (*datum)?;
                (datum.name.clone(), datum.kind.clone(), datum.bits.clone())
            }
            None => (self.program.vars[var].name.clone(), Type::Bool, vec![var]),
        };
        self.bits_of.push(bits);
        Some(self.variables.push(Variable { name, extent, kind }))
    }

    fn run(&mut self, moves: &[Move], followed: &Followed<'_>, lemma: Option<&SubTrace>) -> Run {
        self.written.iter_mut().for_each(|written| *written = false);
        let mut steps = Vec::with_capacity(moves.len());
        for (step, state) in moves.iter().zip(followed.states()) {
            let call = match *step {
                Move::Step { .. } => Call::None,
                Move::Enter { .. } => Call::Enter,
                Move::Cross { sub, .. } => Call::Cross(sub),
            };
            // Of a step in two halves, one has a line: the call if there is one, otherwise the first.
            let is_second = self.silent.contains(&state.node);
            let has_line = if is_second { call != Call::None } else { !self.is_before_call(step.edge()) };
            if has_line {
                steps.push(self.step(&state, Some(step.edge()), call, lemma));
            }
            self.note_written(step);
        }
        let end = self.step(&followed.state(moves.len()), None, Call::None, lemma);
        Run { steps, end }
    }

    /// Whether `edge` is the first half of a call.
    fn is_before_call(&self, edge: EdgeId) -> bool {
        let icfg = &self.program.icfg;
        let is_call = |&edge: &EdgeId| matches!(icfg.edges[edge].kind, EdgeKind::Call { .. });
        match icfg.edges[edge].kind {
            EdgeKind::Step { to } => self.silent.contains(&to) && icfg.successors(to).iter().any(is_call),
            EdgeKind::Call { .. } | EdgeKind::Return => false,
        }
    }

    fn step(&mut self, state: &State<'_>, edge: Option<EdgeId>, call: Call, lemma: Option<&SubTrace>) -> Step {
        let place = self.place(state.node, edge);
        let visible = &self.scopes[self.places[place].scope].variables;
        let value = |&id: &VariableId| {
            let bits = &self.bits_of[id];
            let is_untouched = || bits.iter().all(|&bit| self.written.get(bit).is_some_and(|&written| !written));
            let number =
                bits.iter().rev().try_fold(0, |number: u128, &bit| Some(number << 1 | u128::from(state.value(bit)?)));
            match number {
                Some(number) => Value::Is(number),
                None if lemma.is_some() && is_untouched() => Value::Inherited,
                None => Value::Any,
            }
        };
        let values = visible.iter().map(value).collect();
        Step { place, depth: state.depth, call, values }
    }

    fn note_written(&mut self, step: &Move) {
        let program = self.program;
        let mut note = |var: VarId| {
            if self.written.get(var).is_some() {
                self.written[var] = true;
            }
        };
        match &program.labels[step.edge()] {
            Relation::Step(transition) => transition.updates.iter().for_each(|update| note(update.target)),
            Relation::Call { enter, leave } => {
                enter.updates.iter().chain(&leave.updates).for_each(|update| note(update.target));
            }
            Relation::Return => {}
        }
        if let Move::Cross { sub, .. } = *step {
            self.witness.subtraces[sub].effects.iter().for_each(|&(var, _)| note(var));
        }
    }

    /// The statement at `node`, or the rule that `edge` was made from.
    fn place(&mut self, node: NodeId, edge: Option<EdgeId>) -> PlaceId {
        let rule = edge.filter(|edge| self.program.marks.rules.contains_key(edge));
        if let Some(&place) = self.place_of.get(&(node, rule)) {
            return place;
        }
        let found = self.program.icfg.nodes[node];
        let scope = self.scope(found.proc);
        let span = rule.map_or(found.span, |edge| self.program.marks.rules[&edge]);
        let location = self.sources.locate(span);
        let mut text = statement::one_line(self.sources.text(span));
        if edge.is_none()
            && let Some((configuration, _)) = text.split_once(" -->")
        {
            // Where a run of a pushdown system ends, no rule is applied.
            text.truncate(configuration.len());
        }
        let place = self.places.push(Place { path: location.path.to_owned(), line: location.line, text, scope });
        self.place_of.insert((node, rule), place);
        place
    }

    fn scope(&mut self, proc: ProcId) -> ScopeId {
        if let Some(&scope) = self.scope_of.get(&proc) {
            return scope;
        }
        let program = self.program;
        let locals = program.locals[proc].iter().copied();
        let locals: Vec<VarId> = locals.filter(|&var| is_named(program, var)).collect();
        let locals: Vec<VariableId> = locals.iter().filter_map(|&var| self.variable(var, Extent::Local)).collect();
        let hidden: HashSet<&str> = locals.iter().map(|&id| &*self.variables[id].name).collect();
        let globals = self.variables.iter_enumerated().take_while(|(_, it)| it.extent == Extent::Global);
        let globals = globals.filter(|(_, it)| !hidden.contains(&*it.name)).map(|(id, _)| id);
        let variables: Vec<VariableId> = globals.chain(locals.iter().copied()).collect();
        let scope = self.scopes.push(Scope { procedure: program.icfg.procs[proc].name.clone(), variables });
        self.scope_of.insert(proc, scope);
        scope
    }
}

/// What each bit of a declared value stands for: the value itself where it is the first, nothing of its own otherwise.
fn data_of(program: &Program<Relation>) -> HashMap<VarId, Option<&Datum>> {
    let mut data = HashMap::new();
    for datum in program.data.iter().filter(|datum| datum.bits.len() <= u128::BITS as usize) {
        let first = datum.bits.iter().min().copied();
        for &bit in &datum.bits {
            data.insert(bit, (Some(bit) == first).then_some(datum));
        }
    }
    data
}

/// Whether the user has written `var`: a procedure's results have no name in the source.
fn is_named(program: &Program<Relation>, var: VarId) -> bool {
    !matches!(program.vars[var].scope, hardbop_icfg::Scope::Result(_))
}
