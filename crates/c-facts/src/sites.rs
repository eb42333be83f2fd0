//! The places where the analysis requires something.

use super::Site;
use super::catalogue::expressions;
use super::needs::{reads_facts, value_depends_on};
use super::occasions::Happening;
use super::presumed::Doubt;
use super::scribe::{Certainty, Label, Scribe, Value as Truth};
use super::things::{Bindings, Thing, When};
use hardbop_base::Span;
use hardbop_c_cells::{
    Access, CellId, OUTSIDE_MEMORY, Shape, Source, SourceKind, Spot, for_each_place, meant, stripped,
};
use hardbop_c_core::expr::PlaceUse;
use hardbop_c_core::print::{self, Style};
use hardbop_c_core::{Expr, ExprKind as Kind, FunctionId, Module, Place, Stmt, StmtKind, Type, VarKind};
use hardbop_c_graph::Action;
use hardbop_icfg::{EdgeId, ExprId, Goal, GoalKind, NodeId};
use hardbop_lang_flow::name_matches;
use hardbop_lang_flow::tree::{
    Condition, Expr as Value, ExprKind, FactKind, FactUse, Junction, Message, MetaId, Part, Requirement,
    Site as Pattern, Slot, Source as Operation, Unknown,
};
use std::collections::{BTreeMap, BTreeSet};

/// The sites so far.
#[derive(Default, Debug)]
pub(crate) struct Sites {
    pub(crate) found: Vec<Site>,
    /// Where each of them is among those found.
    known: BTreeMap<(NodeId, usize, String), usize>,
}

/// An end of a function.
#[derive(Clone, Copy)]
enum Border {
    Entry,
    Exit,
}

/// What is required, and what it is about.
struct Required<'m> {
    bindings: Bindings<'m>,
    expression: String,
}

impl<'m> Scribe<'_, 'm> {
    /// Finds the sites of an edge. Returns what is so once it is passed: nobody gets past a NULL pointer, and where
    /// anything else is required the run goes on as if it held, so that what follows from one failure is not told again.
    pub(crate) fn require(&mut self, edge: EdgeId, shape: &Shape<'m>, sites: &mut Sites) -> Label {
        let mut passed = Label::default();
        let analysis = self.analysis;
        let Some(function) = self.shaper.function(edge) else { return passed };
        self.here = Some(edge);
        let happening = self.happening(edge, shape);
        for (index, requirement) in analysis.requirements.iter().enumerate() {
            for required in self.occurrences(requirement, edge, (&happening, shape)) {
                // What a model does with what it is given is the caller's affair: requirements name the function.
                let is_written = !self.shaper.cells.subject.module.functions[function].is_model;
                for (bindings, when) in self.all(&requirement.binders, &required.bindings) {
                    if is_written {
                        let about = (&bindings, &when);
                        self.add_site(edge, function, (index, requirement), about, &required.expression, sites);
                    }
                    if !reads_facts(&requirement.value) {
                        // What is forbidden whatever is so says nothing of the runs that come there.
                    } else if let Pattern::Deref(..) = requirement.site {
                        let holds = self.truth(&requirement.value, &bindings, &mut passed);
                        self.go_on_where(holds, &when, &mut passed);
                    } else {
                        self.mend(&requirement.value, Junction::And, (&bindings, &when), &mut passed);
                    }
                }
            }
        }
        passed
    }

    /// Lets facts be as a requirement wants them: `value` where `wanted` is `&`, its negation where it is `|`. What can
    /// be had in several ways must be so for the run to go on.
    fn mend(
        &mut self,
        value: &Value,
        wanted: Junction,
        (bindings, when): (&Bindings<'m>, &When<'m>),
        passed: &mut Label,
    ) {
        match &value.kind {
            ExprKind::Fact(fact) if self.analysis.declaration(fact.family).kind == FactKind::Boolean => {
                self.mend_fact(fact, wanted, (bindings, when), passed);
            }
            ExprKind::Not(inner) => self.mend(inner, dual(wanted), (bindings, when), passed),
            ExprKind::Junction(junction, parts) if *junction == wanted => {
                parts.iter().for_each(|part| self.mend(part, wanted, (bindings, when), passed));
            }
            ExprKind::Over(junction, inner, binder) if *junction == wanted => {
                for (bindings, own) in self.each(binder, bindings) {
                    let when = when.clone().and(own);
                    self.mend(inner, wanted, (&bindings, &when), passed);
                }
            }
            _ => {
                let holds = self.truth(value, bindings, passed);
                let holds = if wanted == Junction::And { holds } else { self.builder.not(holds) };
                // What no run can satisfy is a mistake of its own each time.
                if self.builder.constant_of(holds) != Some(false) {
                    self.go_on_where(holds, when, passed);
                }
            }
        }
    }

    /// Only runs go on where something holds of what is meant.
    fn go_on_where(&mut self, holds: ExprId, when: &When<'m>, passed: &mut Label) {
        let holds = match self.guard(when, passed) {
            Some(guard) => self.builder.implies(guard, holds),
            None => holds,
        };
        passed.guards.push(holds);
    }

    fn mend_fact(
        &mut self,
        fact: &FactUse,
        wanted: Junction,
        (bindings, when): (&Bindings<'m>, &When<'m>),
        passed: &mut Label,
    ) {
        let value = self.builder.constant(wanted == Junction::And);
        if self.tuples.contains(&fact.family) {
            self.set_tuple(fact, bindings, &Truth::Truth(value), passed);
            return;
        }
        let [argument] = fact.arguments[..] else { return };
        let Some(thing) = bindings.get(&argument.id).cloned() else { return };
        let (Some(access), value) = (self.place_of(&thing), Truth::Truth(value)) else { return };
        if access.is_certain {
            let cell = access.spots[0].cell;
            match self.guard(when, passed) {
                Some(guard) => self.write_cell(fact.family, cell, &value, Certainty::Where(guard), passed),
                None if when.is_sure() => self.set(fact.family, cell, &value, passed),
                None => self.may_set(fact.family, cell, &value, passed),
            }
        } else if self.presumed.of(fact.family).is_some() {
            // Of several things it is not known which was meant: the others are as they were.
            let is_one = access.spots.len() == 1;
            let known = |spot: &Spot| is_one || self.is_doubtful(spot.cell) || self.told(&access, *spot).is_some();
            let spots = access.spots.iter().copied().filter(known).collect();
            self.write(fact.family, &Access { spots, ..access }, &value, passed);
        }
    }

    fn add_site(
        &mut self,
        edge: EdgeId,
        function: FunctionId,
        (index, requirement): (usize, &Requirement),
        (bindings, when): (&Bindings<'m>, &When<'m>),
        expression: &str,
        sites: &mut Sites,
    ) {
        let graph = self.shaper.cells.subject.graph;
        let node = graph.icfg.edges[edge].from;
        let message = self.message(&requirement.message, bindings, expression);
        let mut label = Label::default();
        let holds = self.truth(&requirement.value, bindings, &mut label);
        let mut failure = self.builder.not(holds);
        let is_taken = matches!(when, When::Perhaps) && self.is_presumed(&requirement.value);
        if let Some(guard) = self.guard(when, &mut label) {
            failure = self.builder.and(guard, failure);
        } else if is_taken {
            failure = self.builder.constant(false);
        }
        let key = (node, index, format!("{expression}\n{message}"));
        let known = sites.known.get(&key).copied();
        // A node has several edges, and different things may have one name.
        if let Some(other) = known.and_then(|known| sites.found[known].goal.condition) {
            failure = self.builder.or(other, failure);
        }
        let can_fail = self.builder.constant_of(failure) != Some(false);
        // Values that go by one name are the same.
        let assumes = match known.is_none() || self.is_presumed(&requirement.value) {
            true => self.assumptions(&requirement.value, bindings, (expression, when)),
            false => Vec::new(),
        };
        if let Some(site) = known.map(|known| &mut sites.found[known]) {
            (site.goal.condition, site.can_fail) = (Some(failure), can_fail);
            site.assumes.extend(assumes);
            site.assumes.sort();
            site.assumes.dedup();
            return;
        }
        sites.known.insert(key, sites.found.len());
        let span: Span = graph.icfg.nodes[node].span;
        let goal =
            Goal { node, condition: Some(failure), name: expression.to_owned(), kind: GoalKind::Statement, span };
        let expression = expression.to_owned();
        sites.found.push(Site { goal, can_fail, function, expression, message, assumes, span, node });
    }

    /// What is taken for granted of the values that a site is about.
    fn assumptions(&mut self, value: &Value, bindings: &Bindings<'m>, about: (&str, &When<'m>)) -> Vec<String> {
        let mut said = Vec::new();
        if self.unknown == super::Unknown::Anything {
            return said;
        }
        let (of_objects, of_values): (Vec<&Unknown>, Vec<&Unknown>) =
            self.analysis.unknowns.iter().partition(|unknown| self.is_presumed(&unknown.value));
        if !of_objects.is_empty() {
            self.assumed_of_objects(&of_objects, (value, bindings), about, &mut said);
        }
        if !of_values.is_empty() {
            self.assumed_of_values(&of_values, bindings, &mut said);
        }
        said.sort();
        said.dedup();
        said
    }

    /// Whether a value reads facts of which something is taken where objects are not told apart.
    fn is_presumed(&self, value: &Value) -> bool {
        let mut families = self.analysis.families.ids().filter(|&family| self.presumed.of(family).is_some());
        families.any(|family| super::rules::mentions(value, family))
    }

    /// What is taken of objects that are not told apart.
    fn assumed_of_objects(
        &mut self,
        unknowns: &[&Unknown],
        (value, bindings): (&Value, &Bindings<'m>),
        (expression, when): (&str, &When<'m>),
        said: &mut Vec<String>,
    ) {
        let meant = bindings.iter().filter(|(meta, _)| value_depends_on(value, **meta));
        for (_, thing) in meant {
            let Some(access) = self.place_of(thing) else { continue };
            let is_perhaps = matches!(when, When::Perhaps).then_some(Doubt::Several);
            let perhaps = || Some((self.thing_text(thing), is_perhaps?));
            let Some((what, doubt)) = perhaps().or_else(|| self.doubt_about(&access, expression)) else { continue };
            let functions = &self.shaper.cells.subject.module.functions;
            let why = match doubt {
                Doubt::Several => " where it is read".to_owned(),
                Doubt::Part => ", all of it".to_owned(),
                Doubt::Function(Some(function)) => format!(" by {}()", functions[function].source_name),
                Doubt::Function(None) => " by an unknown function".to_owned(),
                Doubt::Outside => " by code outside".to_owned(),
            };
            said.extend(unknowns.iter().map(|unknown| format!("{}{why}", assumption(unknown, &what))));
        }
    }

    /// What is taken of the values that come from outside.
    fn assumed_of_values(&mut self, unknowns: &[&Unknown], bindings: &Bindings<'m>, said: &mut Vec<String>) {
        for thing in bindings.values().cloned().collect::<Vec<_>>() {
            let access = match &thing {
                Thing::Value(source) => base(source),
                _ => self.place_of(&thing),
            };
            let Some(access) = access else { continue };
            let cells: Vec<CellId> = meant(&access).collect();
            let reader = self.here.and_then(|edge| self.shaper.function(edge)).filter(|_| self.is_trusting());
            let key = (reader, cells);
            if !self.assumed.contains_key(&key) {
                let found = self.assumed_of(unknowns, &access, reader);
                self.assumed.insert(key.clone(), found);
            }
            said.extend_from_slice(&self.assumed[&key]);
        }
    }

    /// Whether functions trust what they read and never compare.
    fn is_trusting(&self) -> bool {
        self.analysis.families.ids().any(|family| self.trusts(family).is_some())
    }

    /// What is taken of the values that may be in a place that `reader` reads.
    fn assumed_of(&self, unknowns: &[&Unknown], access: &Access, reader: Option<FunctionId>) -> Vec<String> {
        use hardbop_c_cells::Origin;
        let mut said = BTreeSet::new();
        let cells = &self.shaper.cells;
        let function_name = |function: FunctionId| &cells.subject.module.functions[function].source_name;
        let origins = self.flows.origins(cells, access, reader);
        let is_anywhere = |origin: &Origin| matches!(*origin, Origin::Memory(cell) if cells.is_outside(cell));
        let is_summed_up = origins.iter().any(|origin| is_anywhere(origin) && !self.flows.is_tested(*origin));
        let is_meant =
            |cell: CellId| unknowns.iter().any(|it| self.is_of(self.analysis.sort(it.meta.id), cells.rows[cell].ty));
        let is_told = |origin: &Origin| match *origin {
            // What is anywhere outside may be in any of the variables that are there, and who reads it need not know which.
            Origin::Memory(cell) => !(is_summed_up && cells.is_elsewhere(cell)),
            // Of a number that becomes a pointer nothing is taken.
            Origin::Unwritten(cell) | Origin::Trusted(_, cell) => is_meant(cell),
            Origin::Result(Some(function)) => {
                let types = &cells.subject.module.types;
                let result = types.callee(cells.subject.module.functions[function].ty).map(|function| function.result);
                let is_it = |unknown: &&Unknown| self.is_of(self.analysis.sort(unknown.meta.id), result);
                !result.is_some_and(|result| types.is_arithmetic(result)) || unknowns.iter().any(is_it)
            }
            _ => true,
        };
        for origin in origins.into_iter().filter(|origin| !self.flows.is_tested(*origin) && is_told(origin)) {
            let (what, place) = match origin {
                Origin::Parameter(function, cell) => {
                    (cells.rows[cell].name.clone(), format!(" at the entry of {}", function_name(function)))
                }
                // Models are made of it; the user has not called it.
                Origin::Result(Some(function)) if function_name(function) == "__VERIFIER_nondet_memory" => {
                    ("what the library has written".into(), String::new())
                }
                Origin::Result(Some(function)) => (format!("{}()", function_name(function)), String::new()),
                Origin::Result(None) => ("what an unknown function returns".into(), String::new()),
                Origin::Unwritten(cell) => (cells.rows[cell].name.clone(), " until it is written".into()),
                Origin::Trusted(function, cell) => {
                    let what = match cells.rows[cell].name.as_str() {
                        OUTSIDE_MEMORY => "what code outside has put into memory",
                        name => name,
                    };
                    (what.to_owned(), format!(" where {}() reads it", function_name(function)))
                }
                Origin::Memory(cell) => {
                    let name = &cells.rows[cell].name;
                    // Memory may hold more than its type says.
                    match is_meant(cell) && name != OUTSIDE_MEMORY {
                        true => (name.clone(), " where code outside has put it".into()),
                        false => ("what code outside has put into memory".into(), String::new()),
                    }
                }
            };
            said.extend(unknowns.iter().map(|unknown| format!("{}{place}", assumption(unknown, &what))));
        }
        said.into_iter().collect()
    }

    fn occurrences(
        &mut self,
        requirement: &Requirement,
        edge: EdgeId,
        (happening, shape): (&Happening<'m>, &Shape<'m>),
    ) -> Vec<Required<'m>> {
        match &requirement.site {
            Pattern::Deref(slot, conditions) => {
                let mut found = Vec::new();
                for (pointer, place) in self.shaper.pointers(edge) {
                    let expression = self.access_text(&pointer, place);
                    let mut bindings = bound(*slot, Thing::Value(pointer));
                    if conditions.iter().all(|condition| self.holds(condition, &mut bindings)) {
                        found.push(Required { bindings, expression });
                    }
                }
                found
            }
            Pattern::Use(slot, conditions) => {
                let mut found = Vec::new();
                for (access, expression) in self.uses(edge) {
                    if let Slot::Meta(meta) = slot
                        && !self.is_place_of(meta.id, &access)
                    {
                        continue;
                    }
                    let mut bindings = bound(*slot, Thing::Place(access));
                    if conditions.iter().all(|condition| self.holds(condition, &mut bindings)) {
                        found.push(Required { bindings, expression });
                    }
                }
                found
            }
            Pattern::Operation(operation, conditions) => self.operations(operation, conditions, edge),
            Pattern::Entry(name) => self.border(name.as_deref(), edge, Border::Entry).into_iter().collect(),
            Pattern::Exit(name) => self.border(name.as_deref(), edge, Border::Exit).into_iter().collect(),
            Pattern::Statement(pattern) => {
                let action = self.shaper.cells.subject.graph.actions[edge];
                let mut found = Vec::new();
                for occasion in happening.occasions(action, shape) {
                    if let Some(bindings) = self.matches(pattern, occasion) {
                        found.push(Required { bindings, expression: self.statement_text(edge) });
                    }
                }
                found
            }
        }
    }

    /// Where an edge computes this, also inside of something larger.
    fn operations(&mut self, operation: &Operation, conditions: &[Condition], edge: EdgeId) -> Vec<Required<'m>> {
        let Some(function) = self.shaper.function(edge) else { return Vec::new() };
        let subject = self.shaper.cells.subject;
        let mut computed: Vec<&'m Expr> = Vec::new();
        for whole in expressions(subject.graph.actions[edge]) {
            whole.visit(&mut |part| {
                if matches!(part.kind, Kind::Unary(..) | Kind::Binary(..)) {
                    computed.push(part);
                }
            });
        }
        let mut found = Vec::new();
        for part in computed {
            let source = self.shaper.source(function, part);
            let mut bindings = Bindings::new();
            if self.match_operation(operation, &source, &mut bindings)
                && conditions.iter().all(|condition| self.holds(condition, &mut bindings))
            {
                found.push(Required { bindings, expression: print::expr(subject.module, part, Style::READABLE) });
            }
        }
        found
    }

    /// Where a function of this name, or any, begins or ends.
    fn border(&self, name: Option<&str>, edge: EdgeId, border: Border) -> Option<Required<'m>> {
        let subject = self.shaper.cells.subject;
        let function = self.shaper.function(edge)?;
        let own = &subject.module.functions[function].source_name;
        let node = subject.graph.icfg.edges[edge].from;
        let proc = &subject.graph.icfg.procs[subject.graph.icfg.nodes[node].proc];
        let (place, text) = match border {
            Border::Entry => (proc.entry, "start"),
            Border::Exit => (proc.exit, "end"),
        };
        let is_it = node == place && name.is_none_or(|name| name_matches(name, own));
        is_it.then(|| Required { bindings: Bindings::new(), expression: format!("the {text} of {own}") })
    }

    fn is_place_of(&self, meta: MetaId, access: &Access) -> bool {
        use hardbop_c_cells::Sort;
        use hardbop_lang_flow::tree::Sort as MetaSort;
        let sort = self.shaper.cells.sort(Some(access.ty));
        match self.analysis.sort(meta) {
            MetaSort::Pointer => sort == Sort::Pointer,
            MetaSort::Integer => sort == Sort::Integer,
            _ => true,
        }
    }

    /// The variables that an edge reads.
    fn uses(&mut self, edge: EdgeId) -> Vec<(Access, String)> {
        let Some(function) = self.shaper.function(edge) else { return Vec::new() };
        let action = self.shaper.cells.subject.graph.actions[edge];
        let mut places: Vec<&'m Place> = Vec::new();
        for_each_place(action, &mut |place, usage| {
            // Who copies something larger reads none of its members; with a vector one computes.
            let types = &self.shaper.cells.subject.module.types;
            let is_value = types.is_scalar(place.ty) || matches!(types.get(place.ty), Type::Vector(..));
            if usage == PlaceUse::Read && is_value {
                places.push(place);
            }
        });
        let module = self.shaper.cells.subject.module;
        let text = |place| print::place(module, place, Style::READABLE);
        let mut found: Vec<(Access, String)> =
            places.into_iter().map(|place| (self.shaper.access(function, place), text(place))).collect();
        // Where the next argument is depends on the list.
        for (access, list) in self.shaper.lists(edge) {
            let name = match &stripped(list).kind {
                Kind::Address(place) => text(place),
                _ => print::expr(module, list, Style::READABLE),
            };
            found.push((access, name));
        }
        // Assembly gets something larger to read it.
        for whole in wholes_of_assembly(module, action) {
            found.extend(self.shaper.parts(function, whole).into_iter().map(|(_, part)| (part, text(whole))));
        }
        // What a function returns is read where it is taken, unless it is a structure.
        if let Action::Take(stmt, callee) = action
            && let StmtKind::Call { result: Some(place), .. } = &stmt.kind
            && module.types.is_scalar(place.ty)
        {
            let passed = self.shaper.cells.passed(function, callee).into_iter();
            let may_be_nothing = passed.filter(|(result, _)| self.presumed.born.contains(result));
            let name = format!("{}()", module.functions[callee].source_name);
            found.extend(may_be_nothing.map(|(_, returned)| (self.shaper.cells.whole(returned), name.clone())));
        }
        found
    }

    fn message(&self, message: &Message, bindings: &Bindings<'m>, expression: &str) -> String {
        let name = |meta: MetaId| match bindings.get(&meta) {
            Some(Thing::Place(access)) => self.access_name(access).unwrap_or_else(|| expression.to_owned()),
            Some(thing) => self.thing_text(thing),
            None => String::new(),
        };
        let parts = message.parts.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Meta(meta) => name(meta.id),
            Part::Value => String::new(),
        });
        parts.collect()
    }

    fn thing_text(&self, thing: &Thing<'m>) -> String {
        match thing {
            Thing::Value(source) => self.source_text(source),
            Thing::Place(access) => self.access_name(access).unwrap_or_else(|| "it".into()),
            Thing::Cell(cell) => self.shaper.cells.rows[*cell].name.clone(),
            Thing::Behind(_, pointer) => self.behind_text(pointer),
            Thing::Result(_) => "what is returned".into(),
            Thing::Statement(edge) => self.statement_text(*edge),
            Thing::Definition(id) => self.catalogue.statements[*id].name.clone(),
            Thing::Expression(id) => self.catalogue.expressions[*id].name.clone(),
            Thing::Object(target) => {
                let hardbop_points_to::Offset::At(offset) = target.offset else { return "it".into() };
                self.shaper.cells.name_of(hardbop_points_to::Cell { object: target.object, offset })
            }
        }
    }

    fn behind_text(&self, pointer: &Source<'m>) -> String {
        let module = self.shaper.cells.subject.module;
        match pointer.expr.map(|expr| &stripped(expr).kind) {
            Some(Kind::Address(place)) => print::place(module, place, Style::READABLE),
            _ => format!("*{}", self.source_text(pointer)),
        }
    }

    fn access_name(&self, access: &Access) -> Option<String> {
        let cell = access.copy.or_else(|| access.is_certain.then(|| access.spots[0].cell))?;
        Some(self.shaper.cells.rows[cell].name.clone())
    }

    fn source_text(&self, source: &Source<'m>) -> String {
        let module = self.shaper.cells.subject.module;
        let named = match &source.kind {
            SourceKind::Copy(access) => self.access_name(access),
            SourceKind::Binary(_, left, _) if module.types.is_pointer(left.ty) => return self.source_text(left),
            SourceKind::Null => Some("NULL".into()),
            _ => None,
        };
        let written = |expr: &Expr| print::expr(module, expr, Style::READABLE);
        named.or_else(|| source.expr.map(written)).unwrap_or_else(|| "it".into())
    }

    fn access_text(&self, pointer: &Source<'m>, place: Option<&Place>) -> String {
        let name = self.source_text(pointer);
        let Some(place) = place else { return format!("{name}()") };
        let module = self.shaper.cells.subject.module;
        let is_plain = matches!(pointer.kind, SourceKind::Copy(_));
        match hardbop_c_core::parts::member_of(module, place) {
            Some((record, index)) if is_plain => {
                let field = module.types.body(record).map_or("", |body| &body.fields[index as usize].name);
                format!("{name}->{field}")
            }
            _ if is_plain => format!("*{name}"),
            _ => print::place(module, place, Style::READABLE),
        }
    }

    fn statement_text(&self, edge: EdgeId) -> String {
        let subject = self.shaper.cells.subject;
        match (subject.graph.actions[edge], self.shaper.function(edge)) {
            (
                Action::External(stmt, _) | Action::Call(stmt, _) | Action::Take(stmt, _) | Action::Do(stmt),
                Some(function),
            ) => {
                // What the user did not write is not told.
                let is_temporary = |place: &Place| {
                    place.as_var().is_some_and(|var| matches!(subject.module.vars[var].kind, VarKind::Temporary(_)))
                };
                let text = |stmt: &Stmt| print::stmt_line(subject.module, function, stmt, Style::READABLE);
                let text = match &stmt.kind {
                    StmtKind::Assign(target, value) if is_temporary(target) => {
                        return print::expr(subject.module, value, Style::READABLE);
                    }
                    StmtKind::Call { result: Some(target), callee, arguments } if is_temporary(target) => {
                        let (callee, arguments) = (callee.clone(), arguments.clone());
                        text(&Stmt { kind: StmtKind::Call { result: None, callee, arguments }, ..stmt.clone() })
                    }
                    _ => text(stmt),
                };
                text.trim_end_matches(';').to_owned()
            }
            (Action::Assume(expr, _), _) => print::expr(subject.module, expr, Style::READABLE),
            (Action::Return(Some(expr)), _) => format!("return {}", print::expr(subject.module, expr, Style::READABLE)),
            (Action::Return(None), _) => "return".into(),
            _ => String::new(),
        }
    }
}

fn dual(junction: Junction) -> Junction {
    match junction {
        Junction::And => Junction::Or,
        Junction::Or => Junction::And,
    }
}

/// How an assumption reads.
fn assumption(unknown: &Unknown, what: &str) -> String {
    let parts = unknown.message.parts.iter().map(|part| match part {
        Part::Text(text) => text.as_str(),
        Part::Meta(_) => what,
        Part::Value => "",
    });
    parts.collect()
}

/// What assembly is given that is no scalar. An array in memory is written as the address of its first element.
fn wholes_of_assembly<'m>(module: &Module, action: Action<'m>) -> Vec<&'m Place> {
    let Action::Do(Stmt { kind: StmtKind::Asm(asm), .. }) = action else { return Vec::new() };
    let mut places = Vec::new();
    for (_, constraint, value) in &asm.inputs {
        match &value.kind {
            Kind::Read(place) if !module.types.is_scalar(place.ty) => places.push(place),
            Kind::Address(place) if constraint.contains('m') && !constraint.contains(['r', 'g', 'i']) => {
                places.push(place)
            }
            _ => {}
        }
    }
    places
}

/// The place that a pointer is computed from.
fn base(source: &Source<'_>) -> Option<Access> {
    match &source.kind {
        SourceKind::Copy(access) => Some(access.clone()),
        SourceKind::Binary(_, left, _) => base(left),
        _ => None,
    }
}

fn bound<'m>(slot: Slot, thing: Thing<'m>) -> Bindings<'m> {
    slot.meta().map(|meta| (meta.id, thing)).into_iter().collect()
}
