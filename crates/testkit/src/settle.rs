//! From a sketch to a model: every number becomes something that is there, every list as long as it has to be.
//!
//! **Invariant:** total. Any sketch has a model, or proptest could not shrink.

use crate::model::{Block, Expr, Head, Model, Procedure, ProcedureId, Role, Statement, Variable};

/// A program whose variables, callees and labels are any numbers.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    pub(crate) globals: Vec<NameForm>,
    pub(crate) procedures: Vec<ProcedureSketch>,
    pub(crate) spelling: u64,
}

/// A procedure of a sketch.
#[derive(Clone, Debug)]
pub(crate) struct ProcedureSketch {
    pub(crate) parameters: Vec<NameForm>,
    pub(crate) results: usize,
    pub(crate) locals: Vec<NameForm>,
    pub(crate) enforce: Option<Expr>,
    pub(crate) abortif: Option<Expr>,
    pub(crate) body: Block,
}

/// How a variable is to be named.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NameForm {
    Plain,
    /// An escaped identifier, one of several kinds.
    Braces(u8),
    Dollar,
    /// As a global, if there is one left.
    Shadow(usize),
}

/// The model a sketch stands for.
pub(crate) fn settle(sketch: Sketch) -> Model {
    let globals: Vec<String> =
        sketch.globals.iter().enumerate().map(|(place, form)| name(*form, &format!("g{place}"))).collect();
    let mut procedures = Vec::new();
    for (place, sketch) in sketch.procedures.into_iter().enumerate() {
        let mut shadowable = globals.clone();
        let parameters = names(&sketch.parameters, "a", &mut shadowable);
        let locals = names(&sketch.locals, "l", &mut shadowable);
        procedures.push(Procedure {
            name: if place == 0 { "main".to_string() } else { format!("p{place}") },
            parameters,
            results: sketch.results,
            locals,
            enforce: sketch.enforce,
            abortif: sketch.abortif,
            body: sketch.body,
        });
    }
    let mut model = Model { globals, procedures, spelling: sketch.spelling };
    let signatures: Vec<Signature> = model
        .procedures
        .iter()
        .map(|procedure| Signature { parameters: procedure.parameters.len(), results: procedure.results })
        .collect();
    for id in model.procedure_ids() {
        let scope = model.scope(id).into_iter().enumerate();
        let visible = scope.filter(|(_, entry)| entry.role != Role::ShadowedGlobal).map(|(bit, _)| Variable(bit));
        let labelable = model.procedure(id).labelable().into_iter().enumerate();
        let labels = labelable.filter_map(|(head, can)| can.then_some(Head(head)));
        let settler = Settler { id, signatures: &signatures, visible: visible.collect(), labels: labels.collect() };
        settler.settle(&mut model.procedures[id.0]);
    }
    model
}

struct Signature {
    parameters: usize,
    results: usize,
}

fn name(form: NameForm, plain: &str) -> String {
    match form {
        NameForm::Plain | NameForm::Shadow(_) => plain.to_string(),
        NameForm::Braces(kind) => match kind % 3 {
            0 => format!("{{{plain}==0}}"),
            1 => format!("{{p->{plain}!=q[i]}}"),
            _ => format!("{{*{plain} > 0}}"),
        },
        NameForm::Dollar => format!("{plain}$1"),
    }
}

fn names(forms: &[NameForm], prefix: &str, shadowable: &mut Vec<String>) -> Vec<String> {
    let mut names = Vec::new();
    for (place, form) in forms.iter().enumerate() {
        names.push(match form {
            NameForm::Shadow(number) if !shadowable.is_empty() => shadowable.remove(number % shadowable.len()),
            form => name(*form, &format!("{prefix}{place}")),
        });
    }
    names
}

struct Settler<'s> {
    id: ProcedureId,
    signatures: &'s [Signature],
    /// The variables that can be named.
    visible: Vec<Variable>,
    /// The heads that can have a label.
    labels: Vec<Head>,
}

impl Settler<'_> {
    fn settle(&self, procedure: &mut Procedure) {
        procedure.enforce.iter_mut().for_each(|expr| self.expr(expr));
        procedure.abortif.iter_mut().for_each(|expr| self.expr(expr));
        self.block(&mut procedure.body);
    }

    fn block(&self, block: &mut Block) {
        for statement in block {
            self.replace_call(statement);
            if self.visible.is_empty() && needs_variable(statement) {
                *statement = Statement::Skip;
            }
            self.statement(statement);
        }
    }

    fn statement(&self, statement: &mut Statement) {
        match statement {
            Statement::Skip => {}
            Statement::Print(exprs) => self.exprs(exprs),
            Statement::Dead(variables) => variables.iter_mut().for_each(|variable| self.variable(variable)),
            Statement::Assign { targets, values, constrain } => {
                targets.iter_mut().for_each(|target| self.variable(target));
                self.exprs(values);
                constrain.iter_mut().for_each(|expr| self.expr(expr));
            }
            Statement::Call { callee, arguments, targets } => {
                *callee = self.callee(callee.0).expect("a call without callee was replaced");
                let Signature { parameters, results } = self.signatures[callee.0];
                arguments.resize(parameters, Expr::Star);
                targets.resize(results, None);
                self.exprs(arguments);
                for target in targets {
                    match target {
                        Some(variable) if !self.visible.is_empty() => self.variable(variable),
                        _ => *target = None,
                    }
                }
            }
            Statement::Constrain(expr) | Statement::Assert(expr) | Statement::Assume(expr) => self.expr(expr),
            Statement::Goto(targets) => {
                for target in targets {
                    *target = self.labels[target.0 % self.labels.len()];
                }
            }
            Statement::Return(values) => {
                // All values or none: fewer than the header says is an error in most dialects.
                let results = self.signatures[self.id.0].results;
                values.truncate(if values.len() < results { 0 } else { results });
                self.exprs(values);
            }
            Statement::If { arms, otherwise } => {
                for (condition, block) in arms {
                    self.expr(condition);
                    self.block(block);
                }
                otherwise.iter_mut().for_each(|block| self.block(block));
            }
            Statement::While { condition, body } => {
                self.expr(condition);
                self.block(body);
            }
        }
    }

    /// Where there is nothing to call, assigns the arguments to the targets instead.
    fn replace_call(&self, statement: &mut Statement) {
        if let Statement::Call { callee, arguments, targets } = statement
            && self.callee(callee.0).is_none()
        {
            let pairs = targets.iter().zip(arguments.drain(..));
            let pairs = pairs.filter_map(|(target, value)| target.map(|target| (target, value)));
            let (targets, values): (Vec<Variable>, Vec<Expr>) = pairs.unzip();
            *statement = if targets.is_empty() {
                Statement::Skip
            } else {
                Statement::Assign { targets, values, constrain: None }
            };
        }
    }

    /// Mostly a later procedure, if there is one: calls at random recurse for ever, and nothing after them is reached.
    fn callee(&self, number: usize) -> Option<ProcedureId> {
        let later = self.signatures.len() - self.id.0 - 1;
        if number % 8 == 7 {
            Some(ProcedureId(number / 8 % self.signatures.len()))
        } else {
            // The next one most often, so that few procedures are never called.
            let skipped = Some(number / 8 % (later + 2)).filter(|skipped| *skipped < later).unwrap_or(0);
            (later > 0).then_some(ProcedureId(self.id.0 + 1 + skipped))
        }
    }

    fn exprs(&self, exprs: &mut [Expr]) {
        exprs.iter_mut().for_each(|expr| self.expr(expr));
    }

    fn expr(&self, expr: &mut Expr) {
        match expr {
            Expr::Constant(_) | Expr::Star => {}
            Expr::Read(variable) | Expr::Primed(variable) if self.visible.is_empty() => {
                *expr = Expr::Constant(variable.0 % 2 == 1);
            }
            Expr::Read(variable) | Expr::Primed(variable) => self.variable(variable),
            Expr::Not(inner) => self.expr(inner),
            Expr::Binary(_, operands) | Expr::Schoose(operands) => self.exprs(&mut operands[..]),
            Expr::Ternary(operands) => self.exprs(&mut operands[..]),
        }
    }

    fn variable(&self, variable: &mut Variable) {
        *variable = self.visible[variable.0 % self.visible.len()];
    }
}

fn needs_variable(statement: &Statement) -> bool {
    matches!(statement, Statement::Dead(_) | Statement::Assign { .. })
}
