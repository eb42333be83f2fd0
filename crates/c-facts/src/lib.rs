//! From an analysis and a C program to a program over facts.

mod assembly;
mod behind;
mod catalogue;
mod cells;
mod chosen;
mod externals;
mod facts;
mod finish;
mod flows;
mod formats;
mod initial;
mod labels;
mod memory;
mod mods;
mod needs;
mod objects;
mod occasions;
mod operators;
mod presumed;
mod ranges;
mod reach;
mod remembered;
mod rules;
mod scribe;
mod shapes;
mod sites;
mod things;
mod tuples;
mod values;

use catalogue::Catalogue;
use cells::{CellId, Cells};
use chosen::Aims;
use facts::{FactRow, Facts};
use finish::Draft;
use flows::Flows;
use hardbop_base::{Budget, Exhausted, IndexVec, Span};
use hardbop_c_core::{FunctionId, Module};
use hardbop_c_graph::CGraph;
use hardbop_icfg::expr::Possible;
use hardbop_icfg::words::Builder;
use hardbop_icfg::{EdgeId, Exprs, Goal, NodeId, ProcId, Program, Relation, VarId};
use hardbop_lang_flow::Analysis;
use hardbop_lang_flow::tree::{FamilyId, Requirement};
use hardbop_points_to::PointsTo;
use mods::Written;
use needs::Needs;
use presumed::Presumed;
use ranges::{Interest, Ranges};
use rustc_hash::FxHashMap;
use scribe::{Label, Scribe};
use shapes::Shape;
use sites::Sites;
use std::collections::{BTreeMap, BTreeSet};
use tuples::About;

/// What is taken of values that come from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// What the analysis says, unless the program tests it.
    AsTested,
    /// Anything.
    Anything,
}

/// A C program with what is known of it.
#[derive(Clone, Copy)]
pub struct Subject<'a, 'm> {
    /// The program.
    pub module: &'m Module,
    /// Its control flow.
    pub graph: &'a CGraph<'m>,
    /// What its pointers point to.
    pub points_to: &'a PointsTo<'m>,
}

/// A C program as an analysis sees it.
#[derive(Debug)]
pub struct Encoding {
    /// The program over facts. Nodes and edges are those of the C program's graph; each fact is a datum.
    pub program: Program<Relation>,
    /// The facts.
    pub facts: Vec<Fact>,
    /// The places where something must hold, in the order of the graph.
    pub sites: Vec<Site>,
    /// The edges after which nothing is known, since what they do is not modelled.
    pub unmodelled: Vec<EdgeId>,
}

/// A fact about the program's data.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Its bits, least significant first.
    pub bits: Vec<VarId>,
    /// How it is written: `null(p)`.
    pub name: String,
    /// How each of its values reads to the user, by number: "p is not NULL", "p is NULL". Empty for what has no reading,
    /// since it is about something that the user did not write.
    pub readings: Vec<String>,
    /// Where it stands for many things: how it reads that one of them may be so, and that one may not be.
    pub shared: Option<[String; 2]>,
    /// Its family: `null`.
    pub family: String,
    /// What it is about: `p`.
    pub about: Vec<String>,
    /// Where the statement stands that it is about.
    pub definition: Option<Span>,
    /// The procedures that speak of it, where it was encoded to be looked at.
    pub procs: Vec<ProcId>,
    /// Whether it is about what the user wrote, and not about a value on the way.
    pub is_written: bool,
}

/// A place where something must hold.
#[derive(Clone, Debug)]
pub struct Site {
    /// Where and how it fails; without a condition it cannot.
    pub goal: Goal,
    /// Whether it can fail at all as far as the text says.
    pub can_fail: bool,
    /// The function it is in.
    pub function: FunctionId,
    /// What it is about: `*p`.
    pub expression: String,
    /// What is said where it fails.
    pub message: String,
    /// What is taken for granted of values that come from outside.
    pub assumes: Vec<String>,
    /// The place in the source.
    pub span: Span,
    /// Where.
    pub node: NodeId,
}

/// What is made of the labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// Sets of sets of facts: what belongs together is kept together, and branches and requirements tell of facts.
    Sets,
    /// One set of facts: each is followed on its own, along every path.
    Subset,
}

/// Encodes `subject` as `analysis` sees it.
pub fn encode(
    analysis: &Analysis,
    subject: Subject<'_, '_>,
    unknown: Unknown,
    budget: &Budget,
) -> Result<Encoding, Exhausted> {
    Ok(write(analysis, subject, unknown, Form::Sets, budget)?.0)
}

/// Encodes `subject` for an analysis that can be solved fact by fact: labels distribute, what conditions tell is left
/// out, and there are no sites. Of a backward analysis the labels are against the graph's edges: that of a call leads
/// from what comes after it to the callee's end, and from the callee's start to what comes before it.
///
/// Beside it is what each fact that is not a procedure's own can be where paths start.
///
/// # Requires
/// The analysis is distributive.
pub fn encode_facts(
    analysis: &Analysis,
    subject: Subject<'_, '_>,
    budget: &Budget,
) -> Result<(Encoding, Vec<(VarId, Possible)>), Exhausted> {
    write(analysis, subject, Unknown::AsTested, Form::Subset, budget)
}

/// So many times labels are written anew because there are more facts than before.
const MOST_ROUNDS: usize = 8;

fn write(
    analysis: &Analysis,
    subject: Subject<'_, '_>,
    unknown: Unknown,
    form: Form,
    budget: &Budget,
) -> Result<(Encoding, Vec<(VarId, Possible)>), Exhausted> {
    budget.enter("facts");
    let needs = Needs::new(analysis);
    let has_chosen = needs.chosen && form == Form::Sets;
    let (mut shaper, shapes) =
        shapes::shapes(Cells::new(subject, unknown, has_chosen), (form, needs::elements(analysis)), budget)?;
    let catalogue = if needs.catalogue { Catalogue::new(&mut shaper, &shapes) } else { Catalogue::default() };
    let interest = if requires_numbers(analysis) { Interest::All(needs::numbers(analysis)) } else { Interest::Tested };
    let ranges = Ranges::new(&shaper.cells, &shapes, &interest);
    let flows = Flows::new(&shaper.cells, &shapes);
    let written = mods::written(&subject.graph.icfg, &shaper.cells, &shapes);
    let mut exprs = Exprs::default();
    let facts = match has_chosen {
        true => Facts::of_chosen(Aims::new(analysis, &mut shaper, &shapes)),
        false => Facts::default(),
    };
    let builder = Builder::new(&mut exprs);
    let Needs { plain: families, tuples, rounds, .. } = needs;
    let (here, returning) = (None, None);
    let mut scribe = Scribe {
        analysis,
        shaper,
        ranges,
        flows,
        facts,
        builder,
        unknown,
        presumed: Presumed::new(analysis, unknown),
        families,
        tuples,
        catalogue,
        form,
        here,
        returning,
        begun: None,
        assumed: FxHashMap::default(),
    };
    scribe.find_doubts(&shapes);
    let mut known = 0;
    let mut drafted = scribe.labels(&shapes, &written, budget)?;
    // What a label sets can depend on which facts there are.
    let most = if rounds || form == Form::Subset { MOST_ROUNDS } else { 0 };
    for _ in 0..most {
        if std::mem::replace(&mut known, scribe.facts.rows.len()) == scribe.facts.rows.len() {
            break;
        }
        drafted = scribe.labels(&shapes, &written, budget)?;
    }
    let (labels, sites) = drafted;
    let starts = if form == Form::Subset { scribe.possible_starts() } else { Vec::new() };
    let initial = scribe.initial();
    let rows = scribe.listed();
    let vars = scribe.facts.vars;
    let unmodelled = shapes.ids().filter(|&edge| matches!(shapes[edge], Shape::Forget(_))).collect();
    let draft = Draft { vars, exprs, labels, initial, facts: rows, sites, unmodelled };
    Ok(draft.finish(subject.graph, starts))
}

type Labels = IndexVec<EdgeId, Relation>;

impl<'m> Scribe<'_, 'm> {
    /// Every label, and the sites.
    fn labels(
        &mut self,
        shapes: &IndexVec<EdgeId, Shape<'m>>,
        written: &IndexVec<ProcId, Written>,
        budget: &Budget,
    ) -> Result<(Labels, Vec<Site>), Exhausted> {
        let mut sites = Sites::default();
        let mut labels: Labels = IndexVec::from_elem(Relation::Return, shapes.len());
        // What forgets everything comes last, when all facts are known.
        let forgets = |edge: &EdgeId| matches!(shapes[*edge], Shape::Forget(_));
        let (last, first): (Vec<EdgeId>, Vec<EdgeId>) = shapes.ids().partition(forgets);
        for edge in first.into_iter().chain(last) {
            budget.spend(1)?;
            self.begun = self.begun_by(&shapes[edge]);
            let passed = match self.form {
                Form::Sets => self.require(edge, &shapes[edge], &mut sites),
                Form::Subset => Label::default(),
            };
            labels[edge] = self.label(edge, &shapes[edge], passed, written);
        }
        let mut sites = sites.found;
        sites.sort_by_key(|site| site.node);
        Ok((labels, sites))
    }

    /// The procedures that speak of each cell.
    fn speakers(&mut self) -> BTreeMap<CellId, BTreeSet<ProcId>> {
        let graph = self.shaper.cells.subject.graph;
        let mut speakers: BTreeMap<CellId, BTreeSet<ProcId>> = BTreeMap::new();
        for (edge, &action) in graph.actions.iter_enumerated() {
            let Some(function) = self.shaper.function(edge) else { continue };
            let proc = graph.icfg.nodes[graph.icfg.edges[edge].from].proc;
            let mut places = Vec::new();
            shapes::for_each_place(action, &mut |place, _| places.push(place));
            for spot in places.into_iter().flat_map(|place| self.shaper.access(function, place).spots) {
                speakers.entry(spot.cell).or_default().insert(proc);
            }
        }
        speakers
    }

    /// The facts as others see them.
    fn listed(&mut self) -> Vec<Fact> {
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
            cells::Key::Part(part) | cells::Key::Spread(part) | cells::Key::Whole(part) => {
                match subject.points_to.kind(part.object) {
                    ObjectKind::Variable(var) => {
                        !matches!(subject.module.vars[var].kind, VarKind::Temporary(_) | VarKind::Literal)
                    }
                    _ => true,
                }
            }
            cells::Key::Member(..)
            | cells::Key::OutsideMember(..)
            | cells::Key::OutsideUnion(..)
            | cells::Key::Address(_) => true,
            _ => false,
        }
    }
}

/// Whether a requirement speaks of numbers.
fn requires_numbers(analysis: &Analysis) -> bool {
    use hardbop_lang_flow::tree::FactKind;
    let small = |family: FamilyId| analysis.declaration(family).kind == FactKind::Small;
    let families: Vec<FamilyId> = analysis.families.ids().filter(|&family| small(family)).collect();
    let speaks = |requirement: &Requirement| families.iter().any(|&family| rules::mentions(&requirement.value, family));
    analysis.requirements.iter().any(speaks)
}
