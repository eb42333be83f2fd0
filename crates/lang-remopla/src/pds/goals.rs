//! Goals by name: a stack symbol, a stack symbol in a control state, or a rule.

use super::lexer::Lexer;
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::source::SourceFile;
use hardbop_base::{Diagnostic, Idx, SourceMap, Span};
use hardbop_icfg::{Datum, Expr, ExprId, Goal, GoalKind, NodeId, Program, Relation, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The goals called `names`: `SYMBOL`, `STATE:SYMBOL` or `FILE:LINE`. Without names there are none.
///
/// # Requires
/// `program` was made by [`lower`](super::lower).
///
/// # Errors
/// A name that means nothing is an `unknown-goal`.
pub fn goals(program: &Program<Relation>, sources: &SourceMap, names: &[String]) -> Result<Vec<Goal>, Vec<Diagnostic>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let finder = Finder { program, sources, states: States::new(program) };
    let (mut goals, mut errors) = (Vec::new(), Vec::new());
    let mut seen = FxHashSet::default();
    for name in names.iter().filter(|&name| seen.insert(name)) {
        match finder.find(name) {
            Ok(found) => goals.extend(found),
            Err(error) => errors.push(error),
        }
    }
    errors.truncate(super::MAX_ERRORS);
    if errors.is_empty() { Ok(goals) } else { Err(errors) }
}

struct Finder<'a> {
    program: &'a Program<Relation>,
    sources: &'a SourceMap,
    states: States<'a>,
}

impl Finder<'_> {
    fn find(&self, name: &str) -> Result<Vec<Goal>, Diagnostic> {
        let nodes = self.nodes_of(name);
        if !nodes.is_empty() {
            return Ok(self.goals(name, &nodes, None, GoalKind::Label));
        }
        let Some((place, rest)) = name.rsplit_once(':') else { return Err(self.unknown_symbol(name, name)) };
        if let Some(state) = self.states.find(place) {
            let nodes = self.nodes_of(rest);
            return match nodes.is_empty() {
                true => Err(self.unknown_symbol(name, rest)),
                false => Ok(self.goals(name, &nodes, self.states.conditions[state], GoalKind::Label)),
            };
        }
        match rest.parse() {
            Ok(line) if self.is_the_file(place) => self.rules_at(name, line),
            _ => Err(self.unknown_state(name, place)),
        }
    }

    fn nodes_of(&self, symbol: &str) -> Vec<NodeId> {
        let labels = self.program.marks.labels.iter().filter(|(name, _)| name == symbol);
        labels.map(|&(_, node)| node).collect()
    }

    /// One goal for each node. A symbol that belongs to several procedures is several goals.
    fn goals(&self, name: &str, nodes: &[NodeId], condition: Option<ExprId>, kind: GoalKind) -> Vec<Goal> {
        let icfg = &self.program.icfg;
        let full = |&node: &NodeId| match nodes.len() {
            1 => name.to_owned(),
            _ => {
                let procedure = &icfg.procs[icfg.nodes[node].proc].name;
                let is_alone =
                    nodes.iter().filter(|&&other| icfg.nodes[other].proc == icfg.nodes[node].proc).count() == 1;
                let symbol = if is_alone { String::new() } else { format!(" at {}", self.symbol_at(node)) };
                format!("{name}{symbol} in {procedure}")
            }
        };
        let goal =
            |node: &NodeId| Goal { node: *node, condition, name: full(node), kind, span: icfg.nodes[*node].span };
        nodes.iter().map(goal).collect()
    }

    /// The symbol comes before its other names.
    fn symbol_at(&self, node: NodeId) -> &str {
        let label = self.program.marks.labels.iter().find(|(_, at)| *at == node);
        label.map_or("", |(name, _)| name)
    }

    /// Whether `name` is the path of the system's file, or the end of it.
    fn is_the_file(&self, name: &str) -> bool {
        let start = self.file().path.strip_suffix(name);
        !name.is_empty() && start.is_some_and(|start| start.is_empty() || start.ends_with(['/', '\\']))
    }

    /// A pushdown system is one file.
    fn file(&self) -> &SourceFile {
        self.sources.file_of(self.program.icfg.nodes[NodeId::from_usize(0)].span)
    }

    /// The left-hand sides of the rules that start at `line`.
    fn rules_at(&self, name: &str, line: usize) -> Result<Vec<Goal>, Diagnostic> {
        let file = self.file();
        let Some(bytes) = file.line_span(line) else {
            return Err(unknown(format!("`{}` has no line {line}", file.path)));
        };
        let silent: FxHashSet<NodeId> = self.program.marks.silent.iter().copied().collect();
        let rules = self.program.marks.rules.iter();
        let rules = rules.map(|(&edge, &span)| (self.program.icfg.edges[edge].from, span));
        let rules: Vec<(NodeId, Span)> = rules.filter(|(node, _)| !silent.contains(node)).collect();
        let is_there = |span: Span| (bytes.start..=bytes.end).contains(&span.start);
        let mut spans: Vec<Span> = rules.iter().map(|&(_, span)| span).filter(|&span| is_there(span)).collect();
        spans.sort_unstable();
        spans.dedup();
        if spans.is_empty() {
            let finding = unknown(format!("no rule starts at line {line} of `{}`", file.path));
            let following = rules.iter().map(|&(_, span)| span).filter(|span| span.start > bytes.end).min();
            return Err(match following {
                Some(next) => finding.help(format!("the next one is at line {}", self.sources.locate(next).line)),
                None => finding,
            });
        }
        let mut goals = Vec::new();
        for &span in &spans {
            let name = match spans.len() {
                1 => name.to_owned(),
                _ => format!("{name}:{}", self.sources.locate(span).column),
            };
            let nodes: Vec<NodeId> = rules.iter().filter(|rule| rule.1 == span).map(|rule| rule.0).collect();
            let found = self.goals(&name, &nodes, self.condition_of(span), GoalKind::Statement);
            goals.extend(found.into_iter().map(|goal| Goal { span, ..goal }));
        }
        Ok(goals)
    }

    /// That the control state is the one on the left of the rule.
    fn condition_of(&self, rule: Span) -> Option<ExprId> {
        let mut lexer = Lexer::new(self.sources.text(rule), rule.start);
        let state = lexer.next();
        let state = self.states.find(lexer.text(state.span))?;
        self.states.conditions[state]
    }

    fn unknown_symbol(&self, name: &str, symbol: &str) -> Diagnostic {
        let labels = self.program.marks.labels.iter().map(|(label, _)| label.as_str());
        let near = did_you_mean(symbol, labels);
        let of = if name == symbol { String::new() } else { format!(" of `{name}`") };
        unknown(format!("no rule has the stack symbol `{symbol}`{of}{near}")).help(KINDS)
    }

    fn unknown_state(&self, name: &str, state: &str) -> Diagnostic {
        let near = did_you_mean(state, self.states.names.iter().map(String::as_str));
        unknown(format!("no rule has the control state `{state}` of `{name}`{near}")).help(KINDS)
    }
}

const KINDS: &str = "a goal is `SYMBOL`, `STATE:SYMBOL` or `FILE:LINE`";

fn unknown(message: String) -> Diagnostic {
    Diagnostic::error("unknown-goal", message, None)
}

/// The control states.
struct States<'a> {
    names: &'a [String],
    /// That the state is this one; nothing where there is only one.
    conditions: Vec<Option<ExprId>>,
}

impl<'a> States<'a> {
    fn new(program: &'a Program<Relation>) -> Self {
        let state = program.data.iter().find_map(|datum| match &datum.kind {
            Type::Enum(names) => Some((datum, names)),
            _ => None,
        });
        let Some((datum, names)) = state else { return Self { names: &[], conditions: Vec::new() } };
        let mut conditions = vec![None; names.len()];
        for (id, number) in comparisons(program, datum) {
            if let Some(condition @ None) = conditions.get_mut(number) {
                *condition = Some(id);
            }
        }
        Self { names, conditions }
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|state| state == name)
    }
}

/// The expressions that compare `datum` with a number. Lowering has made one for each value.
fn comparisons(program: &Program<Relation>, datum: &Datum) -> Vec<(ExprId, usize)> {
    let places: FxHashMap<VarId, usize> = datum.bits.iter().enumerate().map(|(place, &bit)| (bit, place)).collect();
    let all = (1_usize << datum.bits.len()) - 1;
    // For each conjunction of such bits: which bits it speaks of, and what it says.
    let mut cubes: FxHashMap<ExprId, (usize, usize)> = FxHashMap::default();
    let mut found = Vec::new();
    for id in (0..program.exprs.len()).map(ExprId::from_usize) {
        let cube = match program.exprs.get(id) {
            Expr::Var(var) => places.get(&var).map(|&place| (1 << place, 1 << place)),
            Expr::Not(inner) => match program.exprs.get(inner) {
                Expr::Var(_) => cubes.get(&inner).map(|&(bits, _)| (bits, 0)),
                _ => None,
            },
            Expr::And(a, b) => cubes.get(&a).zip(cubes.get(&b)).map(|(a, b)| (a.0 | b.0, a.1 | b.1)),
            _ => None,
        };
        if let Some((bits, value)) = cube {
            cubes.insert(id, (bits, value));
            if bits == all {
                found.push((id, value));
            }
        }
    }
    found
}
