//! Facts about several things, about none, and about statements and expressions.
//!
//! Where it is not clear which of several cells is meant, the fact is one of several: reading it gives what any of them
//! is, and writing it sets each of them or leaves it.

use super::catalogue::{ExpressionId, StatementId};
use super::facts::{FactRow, Known, Lookup};
use super::occasions::Occasion;
use super::scribe::{Label, Scribe, Sure, Value};
use super::things::{Bindings, Thing};
use hardbop_base::{Idx, Span};
use hardbop_c_cells::{CellId, Home, Source, SourceKind};
use hardbop_icfg::{ExprId, ProcId, Scope};
use hardbop_lang_flow::tree::{FactUse, FamilyId, Sort as MetaSort, Update};

/// What a fact is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum About {
    /// A cell.
    Cell(CellId),
    /// A statement.
    Statement(StatementId),
    /// An expression.
    Expression(ExpressionId),
    /// A constant.
    Number(i128),
}

/// The facts that may be meant.
struct Meant {
    all: Vec<Vec<About>>,
    /// Whether it is the only one.
    is_certain: bool,
}

/// A place with more cells than this is not looked into.
const MOST_CELLS: usize = 16;

impl<'m> Scribe<'_, 'm> {
    /// Whether a fact of several things holds.
    pub(crate) fn read_tuple(&mut self, fact: &FactUse, bindings: &Bindings<'m>, label: &mut Label) -> ExprId {
        let Some(meant) = self.meant(fact, bindings) else { return self.either(label) };
        let mut value = None;
        for about in meant.all {
            let own = self.read_about(fact.family, &about, label);
            value = Some(match value {
                None => own,
                Some(others) => {
                    let is_it = self.either(label);
                    self.builder.ite(is_it, own, others)
                }
            });
        }
        // There is no such fact, so it does not hold.
        value.unwrap_or_else(|| self.builder.constant(false))
    }

    fn read_about(&mut self, family: FamilyId, about: &[About], label: &mut Label) -> ExprId {
        match self.tuple(family, about) {
            Lookup::Fact(known) => match self.read_known(family, Some(known), label) {
                Value::Truth(value) => value,
                _ => self.either(label),
            },
            Lookup::LeftOut => self.builder.constant(false),
            Lookup::Unknown => self.either(label),
        }
    }

    /// Sets a fact of several things.
    pub(crate) fn write_tuple(&mut self, update: &Update, bindings: &Bindings<'m>, sure: Sure, label: &mut Label) {
        let family = update.target.family;
        let value = Value::Truth(self.truth(&update.value, bindings, label));
        match self.meant(&update.target, bindings) {
            Some(meant) => {
                let sure = if meant.is_certain { sure } else { Sure::Perhaps };
                for about in &meant.all {
                    self.write_about(family, about, &value, sure, label);
                }
            }
            // Any of them may be meant.
            None => {
                for about in self.facts.tuples_of(family) {
                    self.write_about(family, &about, &value, Sure::Perhaps, label);
                }
            }
        }
    }

    /// Sets a fact of several things where it is clear which.
    pub(crate) fn set_tuple(&mut self, fact: &FactUse, bindings: &Bindings<'m>, value: &Value, label: &mut Label) {
        if let Some(Meant { all, is_certain: true }) = self.meant(fact, bindings) {
            all.iter().for_each(|about| self.write_about(fact.family, about, value, Sure::Yes, label));
        }
    }

    fn write_about(&mut self, family: FamilyId, about: &[About], value: &Value, sure: Sure, label: &mut Label) {
        let Lookup::Fact(known) = self.tuple(family, about) else { return };
        let sure = if self.is_summary(about) { Sure::Perhaps } else { sure };
        let certainty = self.certainty(sure, label);
        self.write_known(&known, value, certainty, label);
    }

    /// What is known of several things that one of these cells is, or is read by, may be anything.
    pub(crate) fn forget_tuples(&mut self, cells: &[CellId], label: &mut Label) {
        for (family, about) in self.facts.tuples_with(cells) {
            let value = self.any(family, label);
            self.write_about(family, &about, &value, Sure::Perhaps, label);
        }
    }

    /// A variable is new, and so is what is known of it and others.
    pub(crate) fn renew_tuples(&mut self, cell: CellId, label: &mut Label) {
        for (family, about) in self.facts.tuples_with(&[cell]) {
            let value = match self.initial_of(family, &about) {
                Some(value) => value,
                None => self.any(family, label),
            };
            self.write_about(family, &about, &value, Sure::Yes, label);
        }
    }

    pub(crate) fn is_summary(&self, about: &[About]) -> bool {
        about.iter().any(|one| match one {
            About::Cell(cell) => self.shaper.cells.rows[*cell].home == Home::Summary,
            _ => false,
        })
    }

    /// The fact about these things.
    fn tuple(&mut self, family: FamilyId, about: &[About]) -> Lookup {
        if let Some(found) = self.facts.find_tuple(family, about) {
            return found;
        }
        let lookup = if !self.is_declared(family, about) {
            Lookup::LeftOut
        } else {
            match self.scope_of(about) {
                Some(scope) => {
                    let name = self.name_of(family, about);
                    let is_summary = self.is_summary(about) && self.form == super::Form::Sets;
                    let span = self.span_of(about);
                    Lookup::Fact(if is_summary {
                        self.facts.add_may(&name, scope, span)
                    } else {
                        self.facts.add_flag(name, scope, span)
                    })
                }
                None => Lookup::Unknown,
            }
        };
        let cells = self.cells_in(about);
        self.facts.add_tuple(family, about, &lookup, &cells);
        lookup
    }

    /// The cells whose change matters to a fact.
    fn cells_in(&self, about: &[About]) -> Vec<CellId> {
        let mut cells = Vec::new();
        for one in about {
            match one {
                About::Cell(cell) => cells.push(*cell),
                About::Expression(id) => cells.extend(&self.catalogue.expressions[*id].cells),
                About::Statement(_) | About::Number(_) => {}
            }
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Whether the `for` of the family's declaration has these things.
    pub(crate) fn is_declared(&mut self, family: FamilyId, about: &[About]) -> bool {
        let analysis = self.analysis;
        let declaration = analysis.declaration(family);
        let bindings: Bindings<'m> =
            declaration.parameters.iter().zip(about).map(|(meta, one)| (meta.id, thing_of(*one))).collect();
        let here = self.here.take();
        let is_declared = declaration.binders.iter().all(|binder| {
            let thing = bindings.get(&binder.meta.id).cloned();
            thing.is_some_and(|thing| self.is_member(&thing, &binder.set, &bindings))
        });
        self.here = here;
        is_declared
    }

    /// Where a fact about these things lives; nowhere if they are never seen together.
    fn scope_of(&self, about: &[About]) -> Option<Scope> {
        let mut scope: Option<(ProcId, bool)> = None;
        for one in about {
            let own = match one {
                About::Cell(cell) => match self.shaper.cells.rows[*cell].home {
                    Home::Global | Home::Summary => continue,
                    Home::Parameter(proc) => (proc, true),
                    Home::Local(proc) => (proc, false),
                    Home::Result(_) => return None,
                },
                About::Statement(id) => match self.catalogue.statements[*id].owner {
                    Some(proc) => (proc, true),
                    None => continue,
                },
                About::Expression(id) => match self.catalogue.expressions[*id].owner {
                    Some(proc) => (proc, true),
                    None => continue,
                },
                About::Number(_) => continue,
            };
            scope = match scope {
                None => Some(own),
                Some((proc, is_given)) if proc == own.0 => Some((proc, is_given | own.1)),
                Some(_) => return None,
            };
        }
        Some(match scope {
            None => Scope::Global,
            Some((proc, true)) => Scope::Parameter(proc),
            Some((proc, false)) => Scope::Local(proc),
        })
    }

    /// Where what a fact is about stands in the source.
    pub(crate) fn span_of(&self, about: &[About]) -> Span {
        let spans = about.iter().map(|one| match one {
            About::Cell(cell) => super::facts::span_of(&self.shaper.cells, *cell),
            About::Statement(id) => self.catalogue.statements[*id].span,
            About::Expression(_) | About::Number(_) => Span::new(0, 0),
        });
        spans.into_iter().next().unwrap_or(Span::new(0, 0))
    }

    /// How a fact is written.
    pub(crate) fn name_of(&self, family: FamilyId, about: &[About]) -> String {
        let names: Vec<String> = about.iter().map(|one| self.about_name(*one)).collect();
        format!("{}({})", self.analysis.families[family].name, names.join(", "))
    }

    /// How the user calls it.
    pub(crate) fn about_name(&self, about: About) -> String {
        match about {
            About::Cell(cell) => self.shaper.cells.rows[cell].name.clone(),
            About::Statement(id) => self.catalogue.statements[id].name.clone(),
            About::Expression(id) => self.catalogue.expressions[id].name.clone(),
            About::Number(value) => value.to_string(),
        }
    }

    /// The facts that may be meant; nothing where it is any.
    fn meant(&mut self, fact: &FactUse, bindings: &Bindings<'m>) -> Option<Meant> {
        let analysis = self.analysis;
        let parameters = &analysis.declaration(fact.family).parameters;
        let mut meant = Meant { all: vec![Vec::new()], is_certain: true };
        for (argument, parameter) in fact.arguments.iter().zip(parameters) {
            let thing = bindings.get(&argument.id).cloned()?;
            let ones: Vec<About> = match self.analysis.sort(parameter.id) {
                MetaSort::Expression => self.expression_of(&thing).map(About::Expression).into_iter().collect(),
                MetaSort::Definition | MetaSort::Statement => {
                    self.statement_of(&thing).map(About::Statement).into_iter().collect()
                }
                MetaSort::Constant => match &thing {
                    Thing::Value(Source { kind: SourceKind::Number(value), .. }) => vec![About::Number(*value)],
                    _ => return None,
                },
                _ => {
                    let access = self.place_of(&thing)?;
                    meant.is_certain &= access.is_certain || matches!(access.spots[..], [_]);
                    self.whole_spots(&access, MOST_CELLS)?.into_iter().map(About::Cell).collect()
                }
            };
            let longer = |tuple: &Vec<About>| {
                ones.iter().map(|one| tuple.iter().copied().chain([*one]).collect()).collect::<Vec<Vec<About>>>()
            };
            meant.all = meant.all.iter().flat_map(longer).collect();
        }
        meant.is_certain &= meant.all.len() <= 1;
        Some(meant)
    }

    /// Sets every fact of several things that is the callee's own and that the call does not set: as at the start.
    pub(crate) fn begin_tuples(&mut self, callee: ProcId, label: &mut Label) {
        if self.tuples.is_empty() {
            return;
        }
        let is_tuple = |row: &&FactRow| self.tuples.contains(&row.family);
        let own: Vec<FactRow> = self.facts.own(callee).filter(is_tuple).cloned().collect();
        for FactRow { family, about, known } in own {
            let Known::Flag(var) = known else { continue };
            if !matches!(self.facts.vars[var].scope, Scope::Parameter(_)) || label.updates.contains_key(&var) {
                continue;
            }
            let value = match self.initial_of(family, &about) {
                Some(value) => value,
                None => self.any(family, label),
            };
            let certainty = self.certainty(Sure::Yes, label);
            self.write_known(&known, &value, certainty, label);
        }
    }

    /// Lets the rules for `families` say what becomes of the facts.
    pub(crate) fn apply_to(&mut self, families: &[FamilyId], occasion: Occasion<'_, 'm>, label: &mut Label) {
        for &family in families {
            let Some((rule, bindings)) = self.rule_for(family, occasion) else { continue };
            let analysis = self.analysis;
            for update in analysis.rules[rule].updates.iter().filter(|update| update.target.family == family) {
                self.apply_update(update, &bindings, occasion, label);
            }
        }
    }
}

/// A thing that is known by what a fact is about.
pub(crate) fn thing_of<'m>(about: About) -> Thing<'m> {
    match about {
        About::Cell(cell) => Thing::Cell(cell),
        About::Statement(id) => Thing::Definition(id),
        About::Expression(id) => Thing::Expression(id),
        About::Number(value) => {
            // Nobody asks for the type of a constant by itself.
            Thing::Value(Source { kind: SourceKind::Number(value), expr: None, ty: Idx::from_usize(0) })
        }
    }
}
