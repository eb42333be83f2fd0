//! From an analysis and a C program to a program over facts.
//!
//! What the program does to its memory is known from [`hardbop_c_cells`]. [`encode`] lays out the facts that the analysis
//! has about the cells ([`facts`]), lets the rules say of every edge what becomes of them ([`rules`], [`labels`]), and
//! finds the places where something must hold ([`sites`]); the [`Scribe`] holds all that this is written with.
//!
//! **Invariant:** nodes and edges are those of the program's graph, and what happens to facts on an edge is a relation that
//! has all that can happen to the cells that they are about.

mod again;
mod behind;
mod catalogue;
mod chosen;
mod facts;
mod finish;
mod initial;
mod labels;
mod listed;
mod memory;
mod moves;
mod needs;
mod objects;
mod occasions;
mod operators;
mod presumed;
mod rules;
mod scribe;
mod sites;
mod things;
mod tuples;
mod values;

pub use hardbop_c_cells::{Subject, Unknown};

use catalogue::Catalogue;
use chosen::Aims;
use facts::Facts;
use finish::Draft;
use hardbop_base::{Budget, Exhausted, IndexVec, Span};
use hardbop_c_cells::{Detail, Flows, Interest, Ranges, Shape, Written, shapes, written};
use hardbop_c_core::FunctionId;
use hardbop_icfg::expr::Possible;
use hardbop_icfg::words::Builder;
use hardbop_icfg::{EdgeId, Exprs, Goal, NodeId, ProcId, Program, Relation, VarId};
use hardbop_lang_flow::Analysis;
use hardbop_lang_flow::tree::{FamilyId, Requirement};
use needs::Needs;
use presumed::Presumed;
use rustc_hash::FxHashMap;
use scribe::{Label, Scribe};
use sites::Sites;

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
    // Copies are for facts that belong together; where each is followed alone they are only more of them.
    let has_copies = form == Form::Sets;
    // Facts about memory are about bytes, whatever is seen in them; those about the chosen object are about none.
    let has_views = has_copies && (has_chosen || !needs::is_about_memory(analysis));
    let detail = Detail { unknown, has_chosen, has_views, has_copies, elements: needs::elements(analysis) };
    let (mut shaper, shapes) = shapes(subject, detail, budget)?;
    let catalogue = if needs.catalogue { Catalogue::new(&mut shaper, &shapes) } else { Catalogue::default() };
    let interest = if requires_numbers(analysis) { Interest::All(needs::numbers(analysis)) } else { Interest::Tested };
    let ranges = Ranges::new(&shaper.cells, &shapes, &interest);
    let flows = Flows::new(&shaper.cells, &shapes);
    let written = written(&subject.graph.icfg, &shaper.cells, &shapes);
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
        forgotten: FxHashMap::default(),
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
        self.keep_what_stays(shapes, &mut labels);
        let mut sites = sites.found;
        sites.sort_by_key(|site| site.node);
        Ok((labels, sites))
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
