//! The facts as others see them: what they are called, what they are about, who speaks of them.

use super::facts::FactRow;
use super::scribe::Scribe;
use super::tuples::About;
use super::{Fact, Form, facts};
use hardbop_c_cells::{CellId, Key, for_each_place};
use hardbop_icfg::ProcId;
use std::collections::{BTreeMap, BTreeSet};

impl Scribe<'_, '_> {
    /// The facts as others see them.
    pub(crate) fn listed(&mut self) -> Vec<Fact> {
        let speakers = match self.form {
            Form::Sets => BTreeMap::new(),
            Form::Subset => self.speakers(),
        };
        let spoken = |row: &FactRow| {
            let cells = row.about.iter().flat_map(|&about| self.cells_of_text(about));
            cells.filter_map(|cell| speakers.get(&cell)).flatten().copied().collect::<BTreeSet<ProcId>>()
        };
        let row = |row: &FactRow| Fact {
            procs: spoken(row).into_iter().collect(),
            bits: row.known.bits(),
            name: self.name_of(row.family, &row.about),
            readings: facts::readings(self.analysis, &self.shaper.cells, row, &|about| self.about_name(about)),
            shared: facts::shared(self.analysis, &self.shaper.cells, row, &|about| self.about_name(about)),
            family: self.analysis.families[row.family].name.clone(),
            about: row.about.iter().map(|&about| self.about_name(about)).collect(),
            definition: row.about.iter().find_map(|&about| match about {
                About::Statement(id) => Some(self.catalogue.statements[id].span),
                _ => None,
            }),
            is_written: row.about.iter().all(|&about| self.is_written(about)),
        };
        self.facts.rows.iter().map(row).collect()
    }

    /// The procedures that speak of each cell.
    fn speakers(&mut self) -> BTreeMap<CellId, BTreeSet<ProcId>> {
        let graph = self.shaper.cells.subject.graph;
        let mut speakers: BTreeMap<CellId, BTreeSet<ProcId>> = BTreeMap::new();
        for (edge, &action) in graph.actions.iter_enumerated() {
            let Some(function) = self.shaper.function(edge) else { continue };
            let proc = graph.icfg.nodes[graph.icfg.edges[edge].from].proc;
            let mut places = Vec::new();
            for_each_place(action, &mut |place, _| places.push(place));
            for spot in places.into_iter().flat_map(|place| self.shaper.access(function, place).spots) {
                speakers.entry(spot.cell).or_default().insert(proc);
            }
        }
        speakers
    }

    /// The cells that a fact about this has to do with.
    fn cells_of_text(&self, about: About) -> Vec<CellId> {
        match about {
            About::Cell(cell) => vec![cell],
            About::Statement(id) => self.catalogue.statements[id].targets.clone(),
            About::Expression(id) => self.catalogue.expressions[id].cells.clone(),
            About::Number(_) => Vec::new(),
        }
    }

    /// Whether the user wrote it.
    fn is_written(&self, about: About) -> bool {
        use hardbop_c_core::VarKind;
        use hardbop_points_to::ObjectKind;
        let cell = match about {
            About::Cell(cell) => cell,
            About::Statement(id) => {
                let targets = &self.catalogue.statements[id].targets;
                return targets.is_empty() || targets.iter().any(|&target| self.is_written(About::Cell(target)));
            }
            About::Expression(_) | About::Number(_) => return true,
        };
        let subject = self.shaper.cells.subject;
        match self.shaper.cells.rows[cell].key {
            Key::Part(part) | Key::Spread(part) | Key::View(part, _) | Key::Whole(part) => {
                match subject.points_to.kind(part.object) {
                    ObjectKind::Variable(var) => {
                        !matches!(subject.module.vars[var].kind, VarKind::Temporary(_) | VarKind::Literal)
                    }
                    _ => true,
                }
            }
            Key::Member(..) | Key::OutsideMember(..) | Key::OutsideUnion(..) | Key::Address(_) => true,
            _ => false,
        }
    }
}
