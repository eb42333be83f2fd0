//! The states that a program can be in at each node, and what its procedures do, for people to read.
//!
//! Both are read off the fixpoint of the exact analysis: the states at `v` are `{ d₂ | ⟨d₁, d₂⟩ ∈ PE(v) }`, and a
//! procedure's summary is `PE(exit)` without the locals, which nobody sees from outside.
//!
//! | in a formula | is |
//! | --- | --- |
//! | `x` | at a node, the value of `x` there; in a summary, that of a global at the exit or that of an argument |
//! | `old(g)` | in a summary, the value of the global `g` at the entry, where that can be another than at the exit |
//! | `result`, `result0`, `result1`, … | in a summary, the value returned |
//! | `global(g)` | the global `g`, where a local or parameter of the same name hides it |
//! | `returned(result)` | the value returned, where a variable is called `result` too |
//!
//! All else is the language of boolean programs, so the formula at a node is an expression of that language.

pub mod readable;

use crate::encode::{Copy, Encoder, Levels};
use crate::flow::Flow;
use crate::summaries::{Keep, Saturation, Until};
use crate::{Context, Options, Setting, Switch, annotate};
use hardbop_base::{Budget, Exhausted, IndexVec};
use hardbop_bdd::{Bdd, Cube, Fate, Kernel, Level, PlanId};
use hardbop_icfg::{NodeId, ProcId, Program, Relation, Scope, SlotSet, VarId};
use readable::{Formula, Order, describe, short_cover};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

/// The most cubes that are worth a list.
const MOST_CUBES: usize = 1000;
/// How many nodes are made between two collections. The kernel would collect more often, each time walking the large
/// table that the analysis has left.
const GARBAGE: u64 = 1 << 20;

/// What is true at each node, and what each procedure does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariants {
    /// At each node, the states that it can be reached in.
    pub nodes: IndexVec<NodeId, States>,
    /// What each procedure does; `None` where it is never entered.
    pub summaries: IndexVec<ProcId, Option<Summary>>,
}

/// A set of states, over the globals and the procedure's parameters and locals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct States {
    /// Whether there are any.
    pub is_reachable: bool,
    /// An irredundant set of cubes whose disjunction it is; `None` where there are too many.
    pub cubes: Option<Vec<Vec<(VarId, bool)>>>,
    /// A formula for it.
    pub formula: Text,
}

/// How a procedure's exit states and results depend on its entry state; false where it never returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// What it leaves as it was.
    pub frame: Frame,
    /// The parameters that it speaks of: all up to the last that some call gives a value. (What every call leaves open
    /// is as good as a local.)
    pub parameters: Vec<VarId>,
    /// An irredundant set of cubes whose disjunction it is; `None` where there are too many.
    pub cubes: Option<Vec<Vec<(Term, bool)>>>,
    /// A formula for it.
    pub formula: Text,
}

/// Which globals may be different at the exit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frame {
    /// These, each in at least one run. Every other has one value, which a cube speaks of as the one at the exit.
    Changes(Vec<VarId>),
    /// Nobody calls the procedure that a run starts in, so what it started with is not kept: it is about the exit only.
    ExitOnly,
}

/// A value that a summary speaks of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// Whose.
    pub var: VarId,
    /// When.
    pub moment: Moment,
}

/// When a procedure's caller sees a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Moment {
    /// When the procedure starts: a global or a parameter.
    Entry,
    /// When it returns: a global or a result.
    Exit,
}

/// A formula as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Text {
    /// The formula.
    Formula(String),
    /// None that a person would read.
    TooLarge {
        /// The number of nodes of its BDD.
        nodes: usize,
    },
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Formula(text) => f.write_str(text),
            Self::TooLarge { nodes } => write!(f, "too large to print ({nodes} nodes)"),
        }
    }
}

/// Analyses `program` as a whole. Of `options`, slicing and liveness do not count: every statement and every variable is
/// asked about.
pub fn invariants(program: &Program<Relation>, options: &Options, budget: &Budget) -> Result<Invariants, Exhausted> {
    let options = Options { slice: Switch::Off, liveness: Switch::Off, ..*options };
    budget.enter("prepare");
    let mut setting = Setting::new(program, &[], &options, Context::Exact);
    let parameters = parameters(program);
    relate_parameters(&mut setting, &parameters);
    let flow = Flow::new(&setting, options.chains);
    let levels = Levels::new(program, &setting.slots, flow.most_choices, options.order);
    let kernel = Kernel::new(levels.count(), budget.clone());
    let encoder = Encoder::new(&setting, kernel, levels);
    let mut saturation = Saturation::new(&setting, &flow, encoder, options.frontiers, Keep::Sets)?;
    budget.enter("exact");
    saturation.run(Until::Fixpoint)?;
    budget.enter("describe");
    let mut edges = saturation.reached.clone();
    annotate::fill_chains(&mut saturation, &mut edges)?;
    let Encoder { kernel, levels, .. } = saturation.encoder;
    let mut reader = Reader {
        setting: &setting,
        parameters,
        kernel,
        order: Order::of_levels(levels.count()),
        levels,
        known: HashMap::new(),
        roots: Vec::new(),
        created: 0,
    };
    reader.read(&edges)
}

/// The parameters of each procedure.
fn parameters(program: &Program<Relation>) -> IndexVec<ProcId, Vec<VarId>> {
    let is_parameter = |var: &VarId| matches!(program.vars[*var].scope, Scope::Parameter(_));
    program.locals.iter().map(|vars| vars.iter().copied().filter(is_parameter).collect()).collect()
}

/// Makes path edges speak of the entry value of every parameter, also of those that calls leave open: no caller
/// depends on it, but people want to know.
fn relate_parameters(setting: &mut Setting<'_>, parameters: &IndexVec<ProcId, Vec<VarId>>) {
    for (proc, vars) in parameters.iter_enumerated() {
        for &var in vars {
            let slot = setting.slots.of(var);
            setting.mod_ref.inputs[proc].insert(slot);
            if setting.mod_ref.modified[proc].contains(slot) {
                setting.copied[proc].insert(slot);
            }
        }
    }
}

fn is_result(program: &Program<Relation>, var: VarId) -> bool {
    matches!(program.vars[var].scope, Scope::Result(_))
}

/// A description in terms of levels.
struct Description {
    formula: Option<Formula>,
    cubes: Option<Vec<Cube>>,
    /// The number of nodes of the BDD.
    nodes: usize,
}

/// A summary's set, and what its levels stand for.
struct Relating {
    set: Bdd,
    frame: Frame,
    /// Globals that may change and results, at the exit.
    computed: Vec<(Level, Term)>,
    /// Globals that do not change, globals at the entry, and parameters.
    given: Vec<(Level, Term)>,
}

/// Turns path edges into something to read.
struct Reader<'a> {
    setting: &'a Setting<'a>,
    parameters: IndexVec<ProcId, Vec<VarId>>,
    kernel: Kernel,
    levels: Levels,
    order: Order,
    /// What is known of sets of states: many nodes have the same.
    known: HashMap<Bdd, Description>,
    /// All sets that are or will be described.
    roots: Vec<Bdd>,
    /// How many nodes had been made at the last collection.
    created: u64,
}

impl Reader<'_> {
    fn read(&mut self, edges: &IndexVec<NodeId, Bdd>) -> Result<Invariants, Exhausted> {
        let icfg = &self.setting.program.icfg;
        let mut sets = IndexVec::new();
        let mut relating: IndexVec<ProcId, Option<Relating>> = IndexVec::new();
        for (id, proc) in icfg.procs.iter_enumerated() {
            for node in icfg.nodes_of(id) {
                sets.push(self.states(id, edges[node])?);
            }
            let is_entered = !edges[proc.entry].is_false();
            relating.push(if is_entered { Some(self.relating(id, edges[proc.exit])?) } else { None });
        }
        self.roots = sets.iter().copied().chain(relating.iter().flatten().map(|relating| relating.set)).collect();
        let mut result = Invariants { nodes: IndexVec::new(), summaries: IndexVec::new() };
        for (proc, relating) in relating.iter_enumerated() {
            let vars = self.scope(proc);
            for node in icfg.nodes_of(proc) {
                result.nodes.push(self.read_states(&vars, sets[node])?);
            }
            let summary = relating.as_ref().map(|relating| self.read_summary(proc, relating));
            result.summaries.push(summary.transpose()?);
        }
        Ok(result)
    }

    /// The states now, without results, of path edges.
    fn states(&mut self, proc: ProcId, edges: Bdd) -> Result<Bdd, Exhausted> {
        let (setting, levels) = (self.setting, &self.levels);
        let entry = setting.copied[proc].iter().map(|slot| (levels.of(slot, Copy::Entry), Fate::Forget));
        let results = setting.program.locals[proc].iter().filter(|&&var| is_result(setting.program, var));
        let results = results.map(|&var| (levels.of(setting.slots.of(var), Copy::Now), Fate::Forget));
        let plan = self.kernel.plan(entry.chain(results));
        self.kernel.transform(edges, plan)
    }

    fn relating(&mut self, proc: ProcId, edges: Bdd) -> Result<Relating, Exhausted> {
        let (setting, levels) = (self.setting, self.levels.clone());
        let program = setting.program;
        let copied = &setting.copied[proc];
        let plan = self.plan_for_callers(proc, copied);
        let mut set = self.kernel.transform(edges, plan)?;
        let is_outermost = proc == program.entry && program.icfg.callers(proc).is_empty();
        let (mut changed, mut computed, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for var in program.globals() {
            let slot = setting.slots.of(var);
            let (entry, now) = (levels.of(slot, Copy::Entry), levels.of(slot, Copy::Now));
            let at_exit = (now, Term { var, moment: Moment::Exit });
            if is_outermost {
                computed.push(at_exit);
            } else if !copied.contains(slot) {
                given.push(at_exit);
            } else if self.is_same(set, entry, now)? {
                let plan = self.kernel.plan([(entry, Fate::Forget)]);
                set = self.kernel.transform(set, plan)?;
                given.push(at_exit);
            } else {
                changed.push(var);
                computed.push(at_exit);
                given.push((entry, Term { var, moment: Moment::Entry }));
            }
        }
        for &var in program.locals[proc].iter().filter(|&&var| is_result(program, var)) {
            computed.push((levels.of(setting.slots.of(var), Copy::Now), Term { var, moment: Moment::Exit }));
        }
        for &var in &self.parameters[proc] {
            let slot = setting.slots.of(var);
            let copy = if copied.contains(slot) { Copy::Entry } else { Copy::Now };
            given.push((levels.of(slot, copy), Term { var, moment: Moment::Entry }));
        }
        let frame = if is_outermost { Frame::ExitOnly } else { Frame::Changes(changed) };
        Ok(Relating { set, frame, computed, given })
    }

    /// Forgets what no caller sees: locals, and the value at the exit of parameters that may change.
    fn plan_for_callers(&mut self, proc: ProcId, copied: &SlotSet) -> PlanId {
        let (setting, levels) = (self.setting, &self.levels);
        let mut fates = Vec::new();
        for &var in setting.program.locals[proc].iter().filter(|&&var| !is_result(setting.program, var)) {
            let slot = setting.slots.of(var);
            let is_parameter = self.parameters[proc].contains(&var);
            if !is_parameter || copied.contains(slot) {
                fates.push((levels.of(slot, Copy::Now), Fate::Forget));
            }
            if !is_parameter {
                fates.push((levels.of(slot, Copy::Entry), Fate::Forget));
            }
        }
        self.kernel.plan(fates)
    }

    fn is_same(&mut self, set: Bdd, one: Level, other: Level) -> Result<bool, Exhausted> {
        let (one, other) = (self.kernel.var(one)?, self.kernel.var(other)?);
        let different = self.kernel.xor(one, other)?;
        self.kernel.disjoint(set, different)
    }

    /// The variables that a state of `proc` has, and how they are written.
    fn scope(&self, proc: ProcId) -> BTreeMap<Level, (VarId, String)> {
        let Setting { program, slots, .. } = self.setting;
        let locals = program.locals[proc].iter().filter(|&&var| !is_result(program, var));
        let hiding: BTreeSet<&str> = locals.clone().map(|&var| program.vars[var].name.as_str()).collect();
        let vars = program.globals().chain(locals.copied());
        let entry = |var| (self.levels.of(slots.of(var), Copy::Now), (var, name(program, var, &hiding)));
        vars.map(entry).collect()
    }

    fn read_states(&mut self, vars: &BTreeMap<Level, (VarId, String)>, set: Bdd) -> Result<States, Exhausted> {
        if !self.known.contains_key(&set) {
            let description = Description::new(&mut self.kernel, set, &self.order)?;
            self.known.insert(set, description);
            self.tidy();
        }
        let description = &self.known[&set];
        Ok(States {
            is_reachable: !set.is_false(),
            cubes: description.cubes(|level| vars[&level].0),
            formula: description.text(&|level| vars[&level].1.as_str()),
        })
    }

    fn read_summary(&mut self, proc: ProcId, relating: &Relating) -> Result<Summary, Exhausted> {
        let level = |&(level, _): &(Level, Term)| level;
        let order = Order::new(relating.computed.iter().map(level), relating.given.iter().map(level));
        let description = Description::new(&mut self.kernel, relating.set, &order)?;
        self.tidy();
        let terms: BTreeMap<Level, Term> = relating.computed.iter().chain(&relating.given).copied().collect();
        let names = self.term_names(proc, relating);
        Ok(Summary {
            frame: relating.frame.clone(),
            parameters: self.parameters[proc].clone(),
            cubes: description.cubes(|level| terms[&level]),
            formula: description.text(&|level| names[&level].as_str()),
        })
    }

    /// How the values that a summary speaks of are written.
    fn term_names(&self, proc: ProcId, relating: &Relating) -> BTreeMap<Level, String> {
        let program = self.setting.program;
        let parameters = self.parameters[proc].iter().copied();
        let hiding: BTreeSet<&str> = parameters.clone().map(|var| program.vars[var].name.as_str()).collect();
        let all: BTreeSet<&str> =
            parameters.chain(program.globals()).map(|var| program.vars[var].name.as_str()).collect();
        let written = |Term { var, moment }: Term| match (program.vars[var].scope, moment) {
            (Scope::Global, Moment::Entry) => format!("old({})", name(program, var, &hiding)),
            (Scope::Result(_), _) if all.contains(program.vars[var].name.as_str()) => {
                format!("returned({})", program.vars[var].name)
            }
            _ => name(program, var, &hiding),
        };
        relating.computed.iter().chain(&relating.given).map(|&(level, term)| (level, written(term))).collect()
    }

    /// Collects garbage if it pays.
    fn tidy(&mut self) {
        if self.kernel.created() - self.created >= GARBAGE {
            self.kernel.collect(self.roots.iter().copied());
            self.created = self.kernel.created();
        }
    }
}

impl Description {
    fn new(kernel: &mut Kernel, set: Bdd, order: &Order) -> Result<Self, Exhausted> {
        let (cubes, formula) = (short_cover(kernel, set, MOST_CUBES)?, describe(kernel, set, order)?);
        Ok(Self { formula, cubes, nodes: kernel.size(set) })
    }

    fn text<'n>(&self, name: &dyn Fn(Level) -> &'n str) -> Text {
        match &self.formula {
            Some(formula) => Text::Formula(formula.text(name)),
            None => Text::TooLarge { nodes: self.nodes },
        }
    }

    fn cubes<K>(&self, key: impl Fn(Level) -> K) -> Option<Vec<Vec<(K, bool)>>> {
        let cube = |cube: &Cube| cube.iter().map(|&(level, value)| (key(level), value)).collect();
        self.cubes.as_ref().map(|cubes| cubes.iter().map(cube).collect())
    }
}

/// How `var` is written where variables with the names in `hiding` hide globals.
fn name(program: &Program<Relation>, var: VarId, hiding: &BTreeSet<&str>) -> String {
    let name = &program.vars[var].name;
    let is_hidden = program.is_global(var) && hiding.contains(name.as_str());
    if is_hidden { format!("global({name})") } else { name.clone() }
}
