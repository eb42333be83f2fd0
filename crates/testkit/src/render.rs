//! A model as text, one statement head per line.
//!
//! **Invariant:** the lines do not depend on [`Labels`], so that [`explore`](crate::explore) speaks of both texts.

use std::collections::BTreeSet;

use crate::model::{Block, Expr, Head, Model, Procedure, ProcedureId, ScopeEntry, Statement, Variable};
use crate::spell::Spelling;

/// A line of the text, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(pub usize);

/// Which statements get a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// Those a `goto` names, in varying forms; a label may be in several procedures.
    Targets,
    /// All that can have one, each its own in the whole program: `main_0`.
    Every,
}

/// A program as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The program.
    pub text: String,
    /// All statement heads, in the order of the text.
    pub heads: Vec<PlacedHead>,
}

/// Where a statement head is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedHead {
    /// The procedure it is in.
    pub procedure: ProcedureId,
    /// Which of its heads it is.
    pub head: Head,
    /// The line it is on.
    pub line: Line,
    /// A label it has.
    pub label: Option<String>,
}

impl Rendered {
    /// The line of a statement head.
    pub fn line(&self, procedure: ProcedureId, head: Head) -> Line {
        // Heads are in the order of the text, which is the order of the pairs.
        let found = self.heads.binary_search_by_key(&(procedure, head), |placed| (placed.procedure, placed.head));
        self.heads[found.expect("every head was rendered")].line
    }
}

impl Model {
    /// The text of the program, with the labels it needs.
    pub fn render(&self) -> Rendered {
        self.render_with(Labels::Targets)
    }

    /// The text of the program, on the same lines whatever `labels` says.
    pub fn render_with(&self, labels: Labels) -> Rendered {
        let mut renderer = Renderer {
            model: self,
            labels,
            spelling: Spelling::new(self.spelling),
            text: String::new(),
            line: 1,
            heads: Vec::new(),
        };
        renderer.declare(&self.globals, 0);
        for id in self.procedure_ids() {
            renderer.procedure(id);
        }
        Rendered { text: renderer.text, heads: renderer.heads }
    }
}

struct Renderer<'m> {
    model: &'m Model,
    labels: Labels,
    spelling: Spelling,
    text: String,
    /// The line that comes next.
    line: usize,
    heads: Vec<PlacedHead>,
}

/// The procedure that is being written.
struct Context<'m> {
    id: ProcedureId,
    procedure: &'m Procedure,
    scope: Vec<ScopeEntry>,
    targets: BTreeSet<Head>,
    /// By head, whether a label can stand there.
    labelable: Vec<bool>,
    /// How its labels look.
    prefix: &'static str,
    /// Heads written so far.
    written: usize,
}

impl Context<'_> {
    fn names(&self, variables: &[Variable]) -> Vec<&str> {
        variables.iter().map(|variable| self.scope[variable.0].name.as_str()).collect()
    }
}

impl<'m> Renderer<'m> {
    fn write(&mut self, depth: usize, text: &str) {
        let comment = if self.spelling.chance(3) { self.spelling.pick(&["  // note", " /* note; */"]) } else { "" };
        let indent = self.spelling.pick(&["  ", "  ", "\t", ""]).repeat(depth);
        self.text.push_str(&format!("{indent}{text}{comment}\n"));
        self.line += 1;
    }

    fn declare(&mut self, names: &[String], depth: usize) {
        let at_most = if self.spelling.chance(40) { 1 } else { names.len().max(1) };
        for names in names.chunks(at_most) {
            self.write(depth, &format!("decl {};", names.join(", ")));
        }
    }

    fn procedure(&mut self, id: ProcedureId) {
        let procedure = self.model.procedure(id);
        let mut targets = BTreeSet::new();
        collect_targets(&procedure.body, &mut targets);
        let prefix = self.spelling.pick(&["L", "L", "loop_", "1"]);
        let (scope, labelable) = (self.model.scope(id), procedure.labelable());
        let mut context = Context { id, procedure, scope, targets, labelable, prefix, written: 0 };
        let kind = match procedure.results {
            0 => self.spelling.pick(&["void ", "void ", ""]).to_string(),
            1 => self.spelling.pick(&["bool ", "bool ", "bool<1> "]).to_string(),
            count => format!("bool<{count}> "),
        };
        self.write(0, &format!("{kind}{}({})", procedure.name, procedure.parameters.join(", ")));
        self.write(0, "begin");
        self.declare(&procedure.locals, 1);
        for (keyword, expr) in [("enforce", &procedure.enforce), ("abortif", &procedure.abortif)] {
            if let Some(expr) = expr {
                let expr = self.spelling.expression(&context.scope, expr);
                self.write(1, &format!("{keyword} {expr};"));
            }
        }
        self.block(&mut context, &procedure.body, 1);
        self.write(0, "end");
        if self.spelling.chance(50) {
            self.write(0, "");
        }
    }

    fn block(&mut self, context: &mut Context<'m>, block: &'m Block, depth: usize) {
        for (place, statement) in block.iter().enumerate() {
            // Some programs leave out the semicolon before `end`.
            let is_last = depth == 1 && place + 1 == block.len();
            let stop = if is_last { self.spelling.pick(&[";", ";", ";", ""]) } else { ";" };
            self.statement(context, statement, depth, stop);
        }
    }

    fn statement(&mut self, context: &mut Context<'m>, statement: &'m Statement, depth: usize, stop: &str) {
        match statement {
            Statement::If { arms, otherwise } => {
                for (place, (condition, block)) in arms.iter().enumerate() {
                    let keyword = if place == 0 { "if" } else { "elsif" };
                    let condition = self.spelling.bare_decider(&context.scope, condition);
                    self.head(context, depth, &format!("{keyword}{condition}then"));
                    self.block(context, block, depth + 1);
                }
                if let Some(block) = otherwise {
                    self.write(depth, "else");
                    self.block(context, block, depth + 1);
                }
                let closing = self.spelling.pick(&["fi", "fi;"]);
                self.write(depth, closing);
            }
            Statement::While { condition, body } => {
                let condition = self.spelling.bare_decider(&context.scope, condition);
                self.head(context, depth, &format!("while{condition}do"));
                self.block(context, body, depth + 1);
                let closing = self.spelling.pick(&["od", "od;"]);
                self.write(depth, closing);
            }
            _ => {
                let text = self.simple(context, statement);
                self.head(context, depth, &format!("{text}{stop}"));
            }
        }
    }

    /// A statement of one line, without what ends it.
    fn simple(&mut self, context: &Context, statement: &Statement) -> String {
        let scope = &context.scope;
        match statement {
            Statement::Skip => "skip".to_string(),
            Statement::Print(exprs) => format!("print({})", self.spelling.expressions(scope, exprs)),
            Statement::Dead(variables) => format!("dead {}", context.names(variables).join(", ")),
            Statement::Assign { targets, values, constrain } => {
                let values = self.spelling.expressions(scope, values);
                let constrain = constrain.as_ref().map_or(String::new(), |expr| {
                    let expr = self.spelling.expression(scope, expr);
                    if self.spelling.chance(30) { format!(" constrain {expr}") } else { format!(" constrain ({expr})") }
                });
                format!("{} := {values}{constrain}", context.names(targets).join(", "))
            }
            Statement::Call { callee, arguments, targets } => {
                let name = &self.model.procedure(*callee).name;
                let arguments = self.spelling.expressions(scope, arguments);
                let targets: Vec<&str> =
                    targets.iter().map(|target| target.map_or("_", |target| scope[target.0].name.as_str())).collect();
                let assignment = if targets.is_empty() { String::new() } else { targets.join(", ") + " := " };
                format!("{assignment}{name}({arguments})")
            }
            Statement::Constrain(expr) => format!("constrain{}", self.spelling.decider(scope, expr)),
            Statement::Assert(expr) => self.keyword_with(scope, "assert", expr),
            Statement::Assume(expr) => self.keyword_with(scope, "assume", expr),
            Statement::Goto(targets) => {
                let targets: Vec<String> = targets.iter().map(|target| self.label(context, *target)).collect();
                format!("goto {}", targets.join(", "))
            }
            Statement::Return(values) if values.is_empty() => "return".to_string(),
            Statement::Return(values) => format!("return {}", self.spelling.expressions(scope, values)),
            Statement::If { .. } | Statement::While { .. } => unreachable!("takes several lines"),
        }
    }

    fn keyword_with(&mut self, scope: &[ScopeEntry], keyword: &str, expr: &Expr) -> String {
        let condition = self.spelling.bare_decider(scope, expr);
        format!("{keyword}{}", condition.trim_end())
    }

    fn label(&self, context: &Context, head: Head) -> String {
        match self.labels {
            Labels::Targets => format!("{}{}", context.prefix, head.0),
            Labels::Every => format!("{}_{}", context.procedure.name, head.0),
        }
    }

    /// Writes a line that is a statement head, with the labels it has.
    fn head(&mut self, context: &mut Context<'m>, depth: usize, text: &str) {
        let head = Head(context.written);
        context.written += 1;
        let is_labelled = context.labelable[head.0]
            && match self.labels {
                Labels::Targets => context.targets.contains(&head),
                Labels::Every => true,
            };
        let label = is_labelled.then(|| self.label(context, head));
        // Drawn whether there is a label or not: the rest of the text must not depend on labels.
        let repeats = self.spelling.pick(&["one", "one", "one", "one", "another", "the same"]);
        let labels = match (&label, self.labels, repeats) {
            (None, _, _) => String::new(),
            (Some(label), Labels::Targets, "another") => format!("{label}: M{}: ", head.0),
            (Some(label), Labels::Targets, "the same") => format!("{label}: {label}: "),
            (Some(label), _, _) => format!("{label}: "),
        };
        self.heads.push(PlacedHead { procedure: context.id, head, line: Line(self.line), label });
        self.write(depth, &format!("{labels}{text}"));
    }
}

fn collect_targets(block: &Block, targets: &mut BTreeSet<Head>) {
    for statement in block {
        match statement {
            Statement::Goto(heads) => targets.extend(heads),
            Statement::If { arms, otherwise } => {
                arms.iter().map(|(_, block)| block).chain(otherwise).for_each(|block| collect_targets(block, targets));
            }
            Statement::While { body, .. } => collect_targets(body, targets),
            _ => {}
        }
    }
}
