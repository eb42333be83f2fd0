//! What a name means where: constants, variables and modules.

mod declare;

use super::ast::{Ast, BinaryOp, ExprId, ExprKind, Ident, ModuleId, Primes};
use super::names::Symbol;
use super::roles::{DatumId, Roles};
use super::types::{Type, TypeId, Types};
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Idx, IndexVec, Span, newtype_index};
use hardbop_icfg::{Datum, ProcId, Var, VarId};
use rustc_hash::FxHashMap;

pub(super) use declare::declare;

newtype_index! {
    /// A variable as it is declared, of any type.
    pub(super) struct VariableId = "variable";
}

/// What is wrong has been reported.
#[derive(Debug)]
pub(super) struct Reported;

/// A variable as it is declared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) kind: TypeId,
    /// Its first scalar; the others follow.
    pub(super) first: DatumId,
    pub(super) name: Ident,
}

/// What a name means outside of modules.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    Constant(u64),
    Variable(VariableId),
}

/// What a call needs that its two halves cannot say, as further locals of the caller.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Relay {
    /// An argument that is read before and passed after the assignments that come with the call.
    Argument(ModuleId, usize),
    /// A result whose place is only known when the module has returned.
    Result(ModuleId),
}

/// The variables of a module.
#[derive(Default, Debug)]
pub(super) struct Signature {
    pub(super) result: Option<VariableId>,
    pub(super) params: Vec<VariableId>,
    pub(super) locals: Vec<VariableId>,
    pub(super) relays: FxHashMap<Relay, VariableId>,
    names: FxHashMap<Symbol, VariableId>,
}

/// All declarations.
pub(super) struct Scopes<'a> {
    pub(super) ast: &'a Ast,
    pub(super) findings: Findings,
    pub(super) types: Types,
    pub(super) variables: IndexVec<VariableId, Variable>,
    pub(super) vars: IndexVec<VarId, Var>,
    pub(super) data: IndexVec<DatumId, Datum>,
    /// The type of each datum.
    pub(super) scalars: IndexVec<DatumId, TypeId>,
    pub(super) roles: Roles,
    /// By procedure; the last one is for the statements outside of all modules.
    pub(super) signatures: IndexVec<ProcId, Signature>,
    globals: IndexVec<Symbol, Option<Meaning>>,
    modules: IndexVec<Symbol, Option<ModuleId>>,
}

impl Scopes<'_> {
    /// The procedure of a module.
    pub(super) fn procedure(id: ModuleId) -> ProcId {
        ProcId::from_usize(id.index())
    }

    /// The procedure of the statements outside of all modules.
    pub(super) fn outside(&self) -> ProcId {
        ProcId::from_usize(self.ast.modules.len())
    }

    pub(super) fn module(&self, name: Symbol) -> Option<ModuleId> {
        self.modules[name]
    }

    /// The module that is called, or forked.
    pub(super) fn callee(&mut self, name: Ident) -> Result<ModuleId, Reported> {
        if let Some(id) = self.module(name.name) {
            return Ok(id);
        }
        let ast = self.ast;
        let text = ast.text(name);
        if let Some(forward) = ast.forwards.iter().find(|forward| forward.name.name == name.name) {
            let message = format!("module `{text}` is declared but not defined");
            let finding = Diagnostic::error("undefined-module", message, name.span);
            return Err(self.report(finding.related("declared here", forward.name.span)));
        }
        let suggestion = did_you_mean(text, ast.modules.iter().map(|module| ast.text(module.header.name)));
        let message = format!("there is no module `{text}`{suggestion}");
        Err(self.report(Diagnostic::error("undefined-module", message, name.span)))
    }

    /// What `name` means in `proc`.
    pub(super) fn meaning(&self, proc: ProcId, name: Symbol) -> Option<Meaning> {
        let local = self.signatures[proc].names.get(&name);
        local.map(|&variable| Meaning::Variable(variable)).or(self.globals[name])
    }

    pub(super) fn undeclared(&self, proc: ProcId, name: Ident) -> Diagnostic {
        let ast = self.ast;
        let text = ast.text(name);
        let signature = self.signatures.get(proc).into_iter();
        let locals = signature.flat_map(|signature| signature.params.iter().chain(&signature.locals));
        let locals = locals.map(|&local| ast.text(self.variables[local].name));
        let globals = ast.globals.iter().map(|decl| decl.name).chain(ast.defines.iter().map(|define| define.name));
        let members = ast.enums.iter().flat_map(|kind| ast.idents(kind.members)).copied();
        let globals = globals.chain(members).map(|name| ast.text(name));
        let suggestion = did_you_mean(text, locals.chain(globals));
        let place = match ast.modules.get(ModuleId::from_usize(proc.index())) {
            Some(module) => format!(" in `{}`", ast.text(module.header.name)),
            None => String::new(),
        };
        Diagnostic::error("undeclared-name", format!("`{text}` is not declared{place}{suggestion}"), name.span)
    }

    pub(super) fn report(&mut self, finding: Diagnostic) -> Reported {
        self.findings.add(finding);
        Reported
    }

    /// The bits of a scalar.
    pub(super) fn bits(&self, datum: DatumId) -> &[VarId] {
        &self.data[datum].bits
    }

    /// The number that a constant expression has.
    pub(super) fn constant(&mut self, id: ExprId) -> Result<u64, Reported> {
        self.evaluate(id).map_err(|(span, problem)| {
            let finding = match problem {
                Problem::Undeclared(name) => {
                    let outside = self.outside();
                    self.undeclared(outside, Ident { name, span })
                }
                Problem::Variable => Diagnostic::error("not-constant", "a constant is needed here", span)
                    .help("numbers, `define`d names and constants of enumerations can be calculated with"),
                Problem::Range => {
                    Diagnostic::error("constant-out-of-range", "this is below zero or has more than 64 bits", span)
                }
            };
            self.report(finding)
        })
    }

    /// The same, where it may be no constant.
    pub(super) fn try_constant(&self, id: ExprId) -> Option<u64> {
        self.evaluate(id).ok()
    }

    fn evaluate(&self, id: ExprId) -> Result<u64, (Span, Problem)> {
        let expr = self.ast.exprs[id];
        let range = (expr.span, Problem::Range);
        match expr.kind {
            ExprKind::Number(value) => Ok(value),
            ExprKind::Name(name, Primes::None) => match self.globals[name] {
                Some(Meaning::Constant(value)) => Ok(value),
                Some(Meaning::Variable(_)) => Err((expr.span, Problem::Variable)),
                None => Err((expr.span, Problem::Undeclared(name))),
            },
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                let value = match op {
                    BinaryOp::Add => left.checked_add(right),
                    BinaryOp::Subtract => left.checked_sub(right),
                    BinaryOp::Multiply => left.checked_mul(right),
                    BinaryOp::Divide => left.checked_div(right),
                    BinaryOp::ShiftLeft => u32::try_from(right).ok().and_then(|distance| {
                        let shifted = left.checked_shl(distance)?;
                        (shifted >> distance == left).then_some(shifted)
                    }),
                    BinaryOp::ShiftRight => {
                        Some(u32::try_from(right).ok().map_or(0, |by| left.checked_shr(by).unwrap_or(0)))
                    }
                    BinaryOp::BitAnd => Some(left & right),
                    BinaryOp::BitOr => Some(left | right),
                    BinaryOp::BitXor => Some(left ^ right),
                    _ => return Err((expr.span, Problem::Variable)),
                };
                value.ok_or(range)
            }
            _ => Err((expr.span, Problem::Variable)),
        }
    }
}

/// Why an expression is no constant.
enum Problem {
    Undeclared(Symbol),
    Variable,
    Range,
}

/// The names of the members of an enumeration, if `kind` is one.
pub(super) fn members_of(ast: &Ast, kind: &Type) -> Option<Vec<String>> {
    match kind {
        Type::Enum { id, .. } => {
            Some(ast.idents(ast.enums[*id].members).iter().map(|&name| ast.text(name).into()).collect())
        }
        _ => None,
    }
}
