//! From an analysis and a C program to a program over facts.

mod cells;
mod externals;
mod facts;
mod finish;
mod flows;
mod initial;
mod labels;
mod library;
mod mods;
mod ranges;
mod rules;
mod scribe;
mod shapes;
mod sites;
mod types;
mod values;

use cells::Cells;
use facts::Facts;
use finish::Draft;
use flows::Flows;
use hardbop_base::{Budget, Exhausted, IndexVec, Span};
use hardbop_c_core::{FunctionId, Module};
use hardbop_c_graph::CGraph;
use hardbop_icfg::words::Builder;
use hardbop_icfg::{EdgeId, Exprs, Goal, NodeId, Program, Relation, VarId};
use hardbop_lang_flow::Analysis;
use hardbop_lang_flow::tree::{FamilyId, Requirement};
use hardbop_points_to::PointsTo;
use ranges::{Interest, Ranges};
use scribe::Scribe;
use shapes::Shape;
use sites::Sites;

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

/// Encodes `subject` as `analysis` sees it.
pub fn encode(
    analysis: &Analysis,
    subject: Subject<'_, '_>,
    unknown: Unknown,
    budget: &Budget,
) -> Result<Encoding, Exhausted> {
    budget.enter("facts");
    let (shaper, shapes) = shapes::shapes(Cells::new(subject, unknown), budget)?;
    let interest = if requires_numbers(analysis) { Interest::All } else { Interest::Tested };
    let ranges = Ranges::new(&shaper.cells, &shapes, interest);
    let flows = Flows::new(&shaper.cells, &shapes);
    let written = mods::written(&subject.graph.icfg, &shaper.cells, &shapes);
    let mut exprs = Exprs::default();
    let families = analysis.families.ids().collect();
    let facts = Facts::default();
    let builder = Builder::new(&mut exprs);
    let mut scribe = Scribe { analysis, shaper, ranges, flows, facts, builder, unknown, families };
    let mut sites = Sites::default();
    let mut labels: IndexVec<EdgeId, Relation> = IndexVec::from_elem(Relation::Return, shapes.len());
    // What forgets everything comes last, when all facts are known.
    let forgets = |edge: &EdgeId| matches!(shapes[*edge], Shape::Forget);
    let (last, first): (Vec<EdgeId>, Vec<EdgeId>) = shapes.ids().partition(forgets);
    for edge in first.into_iter().chain(last) {
        budget.spend(1)?;
        let (required, choices) = scribe.require(edge, &shapes[edge], &mut sites);
        labels[edge] = scribe.label(edge, &shapes[edge], required, choices, &written);
    }
    let initial = scribe.initial();
    let Scribe { facts, shaper, .. } = scribe;
    let rows = facts.rows.iter().map(|row| Fact {
        bits: row.known.bits(),
        name: format!("{}({})", analysis.families[row.family].name, shaper.cells.rows[row.cell].name),
        readings: facts::readings(analysis, &shaper.cells, row),
    });
    let rows = rows.collect();
    let mut sites = sites.found;
    sites.sort_by_key(|site| site.node);
    let draft = Draft { vars: facts.vars, exprs, labels, initial, facts: rows, sites };
    Ok(draft.finish(subject.graph))
}

/// Whether a requirement speaks of numbers.
fn requires_numbers(analysis: &Analysis) -> bool {
    use hardbop_lang_flow::tree::FactKind;
    let small = |family: FamilyId| analysis.declaration(family).kind == FactKind::Small;
    let families: Vec<FamilyId> = analysis.families.ids().filter(|&family| small(family)).collect();
    let speaks = |requirement: &Requirement| families.iter().any(|&family| rules::mentions(&requirement.value, family));
    analysis.requirements.iter().any(speaks)
}
