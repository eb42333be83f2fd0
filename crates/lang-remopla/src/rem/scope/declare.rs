//! Declares everything that a program declares. Where a name is declared twice the first counts.

use super::{Meaning, Relay, Reported, Scopes, Signature, Variable, VariableId, members_of};
use crate::rem::ast::{
    Assign, Ast, Body, Decl, DeclType, Dim, EnumId, ExprId, ExprKind, Header, Ident, ModuleId, StmtKind, StructId,
    TypeName, Value,
};
use crate::rem::names::{Keyword, Symbol};
use crate::rem::roles::{DatumId, Kin, Roles};
use crate::rem::types::{MAX_BITS, MAX_WIDTH, Member, Type, TypeId, Types};
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Idx, IndexVec, Span};
use hardbop_icfg::{self as icfg, Datum, ProcId, Role, Scope, Var, VarId};
use rustc_hash::FxHashMap;

/// All declarations of `ast`; what is wrong with them is among the findings.
pub(in crate::rem) fn declare(ast: &Ast) -> Scopes<'_> {
    let names = ast.names.len();
    let scopes = Scopes {
        ast,
        findings: Findings::default(),
        types: Types::default(),
        variables: IndexVec::new(),
        vars: IndexVec::new(),
        data: IndexVec::new(),
        scalars: IndexVec::new(),
        roles: Roles::new(),
        signatures: IndexVec::new(),
        globals: IndexVec::from_elem(None, names),
        modules: IndexVec::from_elem(None, names),
    };
    let mut declaring = Declaring {
        scopes,
        enums: FxHashMap::default(),
        structs: FxHashMap::default(),
        struct_types: IndexVec::new(),
        places: IndexVec::from_elem(None, names),
        default_width: None,
        is_full: false,
    };
    declaring.all();
    declaring.scopes
}

struct Declaring<'a> {
    scopes: Scopes<'a>,
    enums: FxHashMap<Symbol, EnumId>,
    structs: FxHashMap<Symbol, StructId>,
    struct_types: IndexVec<StructId, Option<TypeId>>,
    /// Where each global name is declared first.
    places: IndexVec<Symbol, Option<Span>>,
    default_width: Option<u64>,
    /// There are too many bits already, and it has been said.
    is_full: bool,
}

impl Declaring<'_> {
    fn all(&mut self) {
        let ast = self.scopes.ast;
        self.modules();
        for (id, kind) in ast.enums.iter_enumerated() {
            self.name_type(kind.name, |declaring, name| *declaring.enums.entry(name).or_insert(id) == id);
            for (value, &member) in ast.idents(kind.members).iter().enumerate() {
                self.global(member, Meaning::Constant(value as u64));
            }
        }
        for define in &ast.defines {
            // After an error any value does: that the name means nothing would be a consequence.
            let value = self.scopes.constant(define.value).unwrap_or(1);
            if define.name.name == Keyword::IntBits.symbol() {
                self.default_width = Some(value);
            }
            self.global(define.name, Meaning::Constant(value));
        }
        for (id, kind) in ast.structs.iter_enumerated() {
            let members = self.members(ast.decls(kind.members));
            let members = members.and_then(|members| {
                let span = kind.name.map(|name| name.span);
                self.add_type(Type::Struct { id, members }, span)
            });
            self.struct_types.push(members.ok());
            self.name_type(kind.name, |declaring, name| *declaring.structs.entry(name).or_insert(id) == id);
        }
        for decl in &ast.globals {
            if let Ok(variable) = self.variable(decl.name, &decl.kind, Scope::Global) {
                self.global(decl.name, Meaning::Variable(variable));
            }
        }
        for id in ast.modules.ids() {
            self.locals(id);
        }
        self.scopes.signatures.push(Signature::default());
        self.relays(&ast.outside, self.scopes.outside());
        for header in &ast.forwards {
            self.forward(header);
        }
    }

    fn modules(&mut self) {
        let ast = self.scopes.ast;
        for (id, module) in ast.modules.iter_enumerated() {
            let name = module.header.name;
            let first = *self.scopes.modules[name.name].get_or_insert(id);
            if first != id {
                let message = format!("there are two modules `{}`", ast.text(name));
                let finding = Diagnostic::error("duplicate-module", message, name.span);
                self.scopes.report(finding.related("the first is here", ast.modules[first].header.name.span));
            }
        }
    }

    fn name_type(&mut self, name: Option<Ident>, is_first: impl FnOnce(&mut Self, Symbol) -> bool) {
        let Some(name) = name else { return };
        if !is_first(self, name.name) {
            let message = format!("there are two types `{}`", self.scopes.ast.text(name));
            self.scopes.report(Diagnostic::error("duplicate-name", message, name.span));
        }
    }

    fn global(&mut self, name: Ident, meaning: Meaning) {
        match self.places[name.name] {
            // Constants are declared first, wherever they stand.
            Some(first) if name.span < first => {
                self.places[name.name] = Some(name.span);
                self.duplicate(Ident { span: first, ..name }, name.span);
            }
            Some(first) => self.duplicate(name, first),
            None => {
                self.places[name.name] = Some(name.span);
                self.scopes.globals[name.name] = Some(meaning);
            }
        }
    }

    fn duplicate(&mut self, name: Ident, first: Span) {
        let message = format!("`{}` is declared twice", self.scopes.ast.text(name));
        let finding = Diagnostic::error("duplicate-name", message, name.span);
        self.scopes.report(finding.related("first declared here", first));
    }

    fn add_type(&mut self, kind: Type, span: Option<Span>) -> Result<TypeId, Reported> {
        self.scopes.types.add(kind).map_err(|_| self.too_many_bits(span))
    }

    fn too_many_bits(&mut self, span: Option<Span>) -> Reported {
        if !std::mem::replace(&mut self.is_full, true) {
            let message = format!("all variables together have more than {MAX_BITS} bits");
            let finding = Diagnostic::error("too-many-bits", message, span);
            self.scopes.report(finding.help("make arrays shorter or numbers narrower"));
        }
        Reported
    }

    fn members(&mut self, decls: &[Decl]) -> Result<Vec<Member>, Reported> {
        let mut members: Vec<Member> = Vec::new();
        let mut known: FxHashMap<Symbol, Span> = FxHashMap::default();
        let mut offset = 0;
        for decl in decls {
            let kind = self.declared_type(decl.name.span, &decl.kind)?;
            match known.get(&decl.name.name) {
                Some(&first) => self.duplicate(decl.name, first),
                None => {
                    known.insert(decl.name.name, decl.name.span);
                    members.push(Member { name: decl.name.name, kind, offset });
                    offset += self.scopes.types.scalars(kind);
                }
            }
        }
        Ok(members)
    }

    fn declared_type(&mut self, span: Span, kind: &DeclType) -> Result<TypeId, Reported> {
        let mut id = match kind.base {
            TypeName::Bool => self.add_type(Type::Bool, Some(span))?,
            TypeName::Int => {
                let width = self.width(span, kind.bits)?;
                self.add_type(Type::Number { width }, Some(span))?
            }
            TypeName::Enum(name) => match self.enums.get(&name.name) {
                Some(&id) => self.enum_type(id, span)?,
                None => return Err(self.undefined_type(name)),
            },
            TypeName::InlineEnum(id) => self.enum_type(id, span)?,
            TypeName::Struct(name) => match self.structs.get(&name.name) {
                Some(&id) => self.struct_types[id].ok_or(Reported)?,
                None => return Err(self.undefined_type(name)),
            },
            TypeName::InlineStruct(id) => self.struct_types.get(id).copied().flatten().ok_or(Reported)?,
        };
        if let Some(bits) = kind.bits.filter(|_| !matches!(kind.base, TypeName::Int)) {
            let span = self.scopes.ast.exprs[bits].span;
            let message = "only an `int` has a width";
            return Err(self.scopes.report(Diagnostic::error("width-without-number", message, span)));
        }
        for dim in kind.dims.iter().rev().flatten() {
            let (low, len) = self.dimension(dim)?;
            id = self.add_type(Type::Array { low, len, of: id }, Some(span))?;
        }
        Ok(id)
    }

    fn enum_type(&mut self, id: EnumId, span: Span) -> Result<TypeId, Reported> {
        let members = self.scopes.ast.enums[id].members.len() as u64;
        self.add_type(Type::Enum { id, members }, Some(span))
    }

    fn undefined_type(&mut self, name: Ident) -> Reported {
        let ast = self.scopes.ast;
        let enums = ast.enums.iter().filter_map(|kind| kind.name);
        let structs = ast.structs.iter().filter_map(|kind| kind.name);
        let suggestion = did_you_mean(ast.text(name), enums.chain(structs).map(|name| ast.text(name)));
        let message = format!("there is no type `{}` here{suggestion}", ast.text(name));
        self.scopes.report(Diagnostic::error("undefined-type", message, name.span))
    }

    fn width(&mut self, span: Span, bits: Option<ExprId>) -> Result<usize, Reported> {
        let (width, span) = match bits {
            Some(bits) => (self.scopes.constant(bits)?, self.scopes.ast.exprs[bits].span),
            None => match self.default_width {
                Some(width) => (width, span),
                None => {
                    let finding = Diagnostic::error("no-width", "this number has no width", span);
                    let help = "write it behind the name, `x(8)`, or for all numbers: `define DEFAULT_INT_BITS 8`";
                    return Err(self.scopes.report(finding.help(help)));
                }
            },
        };
        if width == 0 || width > MAX_WIDTH {
            let message = format!("a number has 1 to {MAX_WIDTH} bits, not {width}");
            return Err(self.scopes.report(Diagnostic::error("bad-width", message, span)));
        }
        Ok(width as usize)
    }

    /// The first index and the number of elements.
    fn dimension(&mut self, dim: &Dim) -> Result<(u64, usize), Reported> {
        let high = self.scopes.constant(dim.high)?;
        let low = dim.low.map_or(Ok(0), |low| self.scopes.constant(low))?;
        let len = match dim.low {
            None => Some(high),
            Some(_) => high.checked_sub(low).and_then(|len| len.checked_add(1)),
        };
        match len {
            Some(len) if len > 0 => match usize::try_from(len).ok().filter(|&len| len <= MAX_BITS) {
                Some(len) => Ok((low, len)),
                None => Err(self.too_many_bits(Some(dim.span))),
            },
            _ => {
                let finding = Diagnostic::error("empty-array", "an array has at least one element", dim.span);
                Err(self.scopes.report(finding.help("`[n]` has elements 0 to n - 1, `[lo,hi]` elements lo to hi")))
            }
        }
    }

    fn variable(&mut self, name: Ident, kind: &DeclType, scope: Scope) -> Result<VariableId, Reported> {
        let kind = self.declared_type(name.span, kind)?;
        let text = self.scopes.ast.text(name).to_owned();
        self.lay_out(&text, name, kind, scope)
    }

    fn lay_out(&mut self, text: &str, name: Ident, kind: TypeId, scope: Scope) -> Result<VariableId, Reported> {
        let scopes = &mut self.scopes;
        if scopes.vars.len() + scopes.types.bits(kind) > MAX_BITS {
            return Err(self.too_many_bits(Some(name.span)));
        }
        let first = scopes.data.next_id();
        let layout = scopes.types.layout(kind, &|member| scopes.ast.names.text(member).to_owned());
        for (path, scalar) in layout {
            let text = format!("{text}{path}");
            let bits = match scopes.types.get(scalar) {
                Type::Bool => vec![scopes.vars.push(Var { name: text.clone(), scope, span: name.span })],
                _ => {
                    let add = |bit| scopes.vars.push(Var { name: format!("{text}.{bit}"), scope, span: name.span });
                    (0..scopes.types.bits(scalar)).map(add).collect::<Vec<VarId>>()
                }
            };
            let kind = match (scopes.types.get(scalar), members_of(scopes.ast, scopes.types.get(scalar))) {
                (Type::Bool, _) => icfg::Type::Bool,
                (_, Some(members)) => icfg::Type::Enum(members),
                _ => icfg::Type::Number,
            };
            scopes.data.push(Datum { name: text, kind, role: Role::Data, bits });
            scopes.scalars.push(scalar);
            scopes.roles.add();
        }
        self.unite_elements(kind, first);
        Ok(self.scopes.variables.push(Variable { kind, first, name }))
    }

    /// What is done with one element of an array may be done with all.
    fn unite_elements(&mut self, kind: TypeId, first: DatumId) {
        let after = |count: usize| DatumId::from_usize(first.index() + count);
        match self.scopes.types.get(kind).clone() {
            Type::Array { len, of, .. } => {
                let size = self.scopes.types.scalars(of);
                for row in size..len * size {
                    let (one, other) = (Kin::of(after(row % size)), Kin::of(after(row)));
                    self.scopes.roles.unite(Some(one), Some(other));
                }
                self.unite_elements(of, first);
            }
            Type::Struct { members, .. } => {
                for member in members {
                    self.unite_elements(member.kind, after(member.offset));
                }
            }
            _ => {}
        }
    }

    fn locals(&mut self, id: ModuleId) {
        let ast = self.scopes.ast;
        let module = &ast.modules[id];
        let proc = Scopes::procedure(id);
        let mut signature = Signature::default();
        let header = &module.header;
        if let Some(kind) = &header.result {
            let kind = self.declared_type(header.name.span, kind);
            let result = kind.and_then(|kind| self.lay_out("result", header.name, kind, Scope::Result(proc)));
            signature.result = result.ok();
        }
        for decl in ast.decls(header.params) {
            if let Ok(variable) = self.variable(decl.name, &decl.kind, Scope::Parameter(proc)) {
                signature.params.push(variable);
                self.name_local(&mut signature, decl.name, variable);
            }
        }
        for decl in ast.decls(module.locals) {
            if let Ok(variable) = self.variable(decl.name, &decl.kind, Scope::Local(proc)) {
                signature.locals.push(variable);
                self.name_local(&mut signature, decl.name, variable);
            }
        }
        self.scopes.signatures.push(signature);
        self.relays(&module.body, proc);
    }

    fn name_local(&mut self, signature: &mut Signature, name: Ident, variable: VariableId) {
        match signature.names.get(&name.name) {
            Some(&first) => self.duplicate(name, self.scopes.variables[first].name.span),
            None => {
                signature.names.insert(name.name, variable);
            }
        }
    }

    /// The relays that the calls in `body` need.
    fn relays(&mut self, body: &Body, proc: ProcId) {
        let ast = self.scopes.ast;
        for id in body.all() {
            let StmtKind::Call { target, callee, args, also } = ast.stmts[id].kind else { continue };
            let Some(callee) = self.scopes.module(callee.name) else { continue };
            if target.is_some_and(|target| self.has_open_index(proc, target)) {
                self.relay(proc, Relay::Result(callee));
            }
            let assigned: Vec<Symbol> = ast.assigns(also).iter().filter_map(|also| root(ast, also)).collect();
            for (index, &arg) in ast.values(args).iter().enumerate() {
                if let Value::Of(arg) = arg
                    && mentions(ast, arg, &assigned)
                {
                    self.relay(proc, Relay::Argument(callee, index));
                }
            }
        }
    }

    fn relay(&mut self, proc: ProcId, relay: Relay) {
        let ast = self.scopes.ast;
        let (callee, index) = match relay {
            Relay::Argument(callee, index) => (callee, Some(index)),
            Relay::Result(callee) => (callee, None),
        };
        let header = &ast.modules[callee].header;
        let kind = match index {
            Some(index) => ast.decls(header.params).get(index).map(|decl| decl.kind),
            None => header.result,
        };
        let Some(kind) = kind.filter(|_| !self.scopes.signatures[proc].relays.contains_key(&relay)) else { return };
        let what = index.map_or("result", |index| ast.text(ast.decls(header.params)[index].name));
        let text = format!("{}:{what}", ast.text(header.name));
        let kind = self.declared_type(header.name.span, &kind);
        let variable = kind.and_then(|kind| self.lay_out(&text, header.name, kind, Scope::Local(proc)));
        if let Ok(variable) = variable {
            self.scopes.signatures[proc].relays.insert(relay, variable);
        }
    }

    /// Whether it depends on the state of `proc` which element `id` is.
    fn has_open_index(&self, proc: ProcId, id: ExprId) -> bool {
        match self.scopes.ast.exprs[id].kind {
            ExprKind::Index(base, index) => {
                let locals: Vec<Symbol> = self.scopes.signatures[proc].names.keys().copied().collect();
                let is_constant =
                    self.scopes.try_constant(index).is_some() && !mentions(self.scopes.ast, index, &locals);
                !is_constant || self.has_open_index(proc, base)
            }
            ExprKind::Member(base, _) => self.has_open_index(proc, base),
            _ => false,
        }
    }

    /// A module that is declared ahead must look as it is defined.
    fn forward(&mut self, forward: &Header) {
        let ast = self.scopes.ast;
        let Some(id) = self.scopes.module(forward.name.name) else { return };
        let header = &ast.modules[id].header;
        let (ahead, defined) = (ast.decls(forward.params), ast.decls(header.params));
        let mut is_same = ahead.len() == defined.len() && forward.result.is_some() == header.result.is_some();
        let kinds = ahead.iter().zip(defined).map(|(one, other)| (one.kind, other.kind));
        for (one, other) in kinds.chain(forward.result.zip(header.result)) {
            let (Ok(one), Ok(other)) =
                (self.declared_type(forward.name.span, &one), self.declared_type(header.name.span, &other))
            else {
                return;
            };
            is_same &= self.scopes.types.can_be_copied(one, other)
                && self.scopes.types.bits(one) == self.scopes.types.bits(other);
        }
        if !is_same {
            let message = format!("`{}` is declared otherwise than it is defined", ast.text(forward.name));
            let finding = Diagnostic::error("module-mismatch", message, forward.name.span);
            self.scopes.report(finding.related("defined here", header.name.span));
        }
    }
}

/// The variable that is assigned to.
fn root(ast: &Ast, assign: &Assign) -> Option<Symbol> {
    let mut id = assign.target;
    loop {
        match ast.exprs[id].kind {
            ExprKind::Index(base, _) | ExprKind::Member(base, _) => id = base,
            ExprKind::Name(name, _) => return Some(name),
            _ => return None,
        }
    }
}

/// Whether one of `names` stands in `id`.
fn mentions(ast: &Ast, id: ExprId, names: &[Symbol]) -> bool {
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        match ast.exprs[id].kind {
            ExprKind::Name(name, _) if names.contains(&name) => return true,
            ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Name(..) => {}
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => stack.extend([a, b]),
            ExprKind::Member(a, _) | ExprKind::Not(a) => stack.push(a),
            ExprKind::Quantified { body, .. } => stack.push(body),
        }
    }
    false
}
