//! Traces of programs whose edges are relations, from what `verdict::replay` saw.

use super::{Call, Extent, Place, PlaceId, Run, Scope, ScopeId, Step, Trace, Value, Variable, VariableId};
use crate::statement;
use hardbop_base::{Idx, IndexVec, SourceMap};
use hardbop_icfg::{NodeId, ProcId, Program, Relation, VarId};
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
    var_of: IndexVec<VariableId, VarId>,
    place_of: HashMap<NodeId, PlaceId>,
    scope_of: HashMap<ProcId, ScopeId>,
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
            var_of: IndexVec::new(),
            place_of: HashMap::new(),
            scope_of: HashMap::new(),
            written: IndexVec::from_elem(false, program.globals().count()),
        };
        for var in program.globals() {
            builder.variable(var, Extent::Global);
        }
        builder
    }

    fn variable(&mut self, var: VarId, extent: Extent) -> VariableId {
        self.var_of.push(var);
        self.variables.push(Variable { name: self.program.vars[var].name.clone(), extent })
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
            steps.push(self.step(&state, call, lemma));
            self.note_written(step);
        }
        let end = self.step(&followed.state(moves.len()), Call::None, lemma);
        Run { steps, end }
    }

    fn step(&mut self, state: &State<'_>, call: Call, lemma: Option<&SubTrace>) -> Step {
        let place = self.place(state.node);
        let visible = &self.scopes[self.places[place].scope].variables;
        let value = |&id: &VariableId| {
            let var = self.var_of[id];
            let is_untouched = || self.written.get(var).is_some_and(|&written| !written);
            match state.value(var) {
                Some(value) => Value::Is(value),
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

    fn place(&mut self, node: NodeId) -> PlaceId {
        if let Some(&place) = self.place_of.get(&node) {
            return place;
        }
        let found = self.program.icfg.nodes[node];
        let scope = self.scope(found.proc);
        let location = self.sources.locate(found.span);
        let text = statement::one_line(self.sources.text(found.span));
        let place = self.places.push(Place { path: location.path.to_owned(), line: location.line, text, scope });
        self.place_of.insert(node, place);
        place
    }

    fn scope(&mut self, proc: ProcId) -> ScopeId {
        if let Some(&scope) = self.scope_of.get(&proc) {
            return scope;
        }
        let program = self.program;
        let locals = program.locals[proc].iter().copied();
        let locals: Vec<VarId> = locals.filter(|&var| is_named(program, var)).collect();
        let hidden: HashSet<&str> = locals.iter().map(|&var| &*program.vars[var].name).collect();
        let globals = program.globals().map(|var| VariableId::from_usize(var.index()));
        let mut variables: Vec<VariableId> =
            globals.filter(|&id| !hidden.contains(&*self.variables[id].name)).collect();
        variables.extend(locals.iter().map(|&var| self.variable(var, Extent::Local)));
        let scope = self.scopes.push(Scope { procedure: program.icfg.procs[proc].name.clone(), variables });
        self.scope_of.insert(proc, scope);
        scope
    }
}

/// Whether the user has written `var`: a procedure's results have no name in the source.
fn is_named(program: &Program<Relation>, var: VarId) -> bool {
    !matches!(program.vars[var].scope, hardbop_icfg::Scope::Result(_))
}
