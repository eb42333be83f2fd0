//! What is declared: constants, variables, control states and stack symbols, and which names mean what where.

use super::ast::{Ast, Declaration, DeclaredKind, Dimension, ExprId, Ident, Rule};
use super::constants::{Known, NotConstant};
use super::names::NameId;
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, IndexVec, Span, newtype_index};
use hardbop_icfg::words::Moment;
use rustc_hash::FxHashMap;

newtype_index! {
    /// A declared variable, which may be an array.
    pub(super) struct DeclId = "decl";
    /// A `local` block.
    pub(super) struct BlockId = "block";
    /// A control state.
    pub(super) struct StateId = "state";
    /// A stack symbol.
    pub(super) struct SymbolId = "symbol";
}

/// The most bits that all variables together can have.
const MAX_BITS: u64 = 100_000;
/// The most bits of one number.
const MAX_WIDTH: u64 = 256;
/// The constant that says how wide an `int` without a width is.
const DEFAULT_WIDTH: &str = "DEFAULT_INT_BITS";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Bool,
    Number { width: usize },
}

impl Shape {
    pub(super) const fn width(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Number { width } => width,
        }
    }
}

/// A declared variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Ident,
    pub(super) shape: Shape,
    /// The first index.
    pub(super) low: u64,
    pub(super) elements: usize,
    pub(super) is_array: bool,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) name: Option<Ident>,
    pub(super) variables: Vec<DeclId>,
    names: FxHashMap<NameId, DeclId>,
}

#[derive(Debug)]
pub(super) struct Symbol {
    pub(super) name: NameId,
    /// Where it stands first.
    pub(super) span: Span,
    pub(super) blocks: Vec<BlockId>,
}

/// Everything that has a name.
#[derive(Default, Debug)]
pub(super) struct Scopes {
    pub(super) constants: FxHashMap<NameId, u64>,
    pub(super) variables: IndexVec<DeclId, Variable>,
    pub(super) globals: Vec<DeclId>,
    global_names: FxHashMap<NameId, DeclId>,
    pub(super) blocks: IndexVec<BlockId, Block>,
    pub(super) states: IndexVec<StateId, NameId>,
    state_ids: FxHashMap<NameId, StateId>,
    pub(super) symbols: IndexVec<SymbolId, Symbol>,
    symbol_ids: FxHashMap<NameId, SymbolId>,
    bits: u64,
}

/// The symbols whose locals an expression can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Frames {
    /// `x`
    pub(super) left: SymbolId,
    /// `x'`
    pub(super) first: Option<SymbolId>,
    /// `x''`
    pub(super) second: Option<SymbolId>,
    /// Whether there is a state after at all.
    pub(super) place: Place,
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// In the initial configuration.
    Initial,
    /// In a rule.
    Rule,
}

/// What a name means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Number(u64),
    Truth(bool),
    Variable(DeclId, Moment),
}

/// Why a name means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaningless {
    /// There is no such variable.
    Undeclared,
    /// What a quantifier or `define` names has no next value.
    PrimedConstant,
    /// There is a variable, but no state that the primes could speak of.
    NoState,
    /// A global has no saved value.
    SavedGlobal,
}

impl Scopes {
    /// What `ast` declares; what is wrong is in `findings`.
    pub(super) fn new(ast: &Ast, findings: &mut Findings) -> Self {
        let mut scopes = Self::default();
        scopes.read_constants(ast, findings);
        let mut names = FxHashMap::default();
        for declaration in &ast.globals {
            let decl = scopes.declare(ast, declaration, &mut names, findings);
            scopes.globals.extend(decl);
        }
        scopes.global_names = names;
        scopes.read_symbols(ast);
        for block in &ast.blocks {
            let mut names = FxHashMap::default();
            let variables = block.variables.iter();
            let variables = variables.filter_map(|it| scopes.declare(ast, it, &mut names, findings)).collect();
            let id = scopes.blocks.push(Block { name: block.name, variables, names });
            for &symbol in &block.symbols {
                scopes.join(ast, symbol, id, findings);
            }
        }
        scopes
    }

    pub(super) fn state(&self, ident: Ident) -> StateId {
        self.state_ids[&ident.name]
    }

    pub(super) fn symbol(&self, ident: Ident) -> SymbolId {
        self.symbol_ids[&ident.name]
    }

    /// The symbol of this name, if a rule or the initial configuration has it.
    pub(super) fn find_symbol(&self, name: NameId) -> Option<SymbolId> {
        self.symbol_ids.get(&name).copied()
    }

    pub(super) fn frames(&self, rule: &Rule) -> Frames {
        let mut pushed = rule.to.symbols().map(|ident| self.symbol(ident));
        Frames { left: self.symbol(rule.from), first: pushed.next(), second: pushed.next(), place: Place::Rule }
    }

    /// The locals of `symbol`.
    pub(super) fn locals(&self, symbol: SymbolId) -> impl Iterator<Item = DeclId> + '_ {
        self.symbols[symbol].blocks.iter().flat_map(|&block| self.blocks[block].variables.iter().copied())
    }

    pub(super) fn is_global(&self, decl: DeclId) -> bool {
        self.global_names.get(&self.variables[decl].name.name) == Some(&decl)
    }

    /// What `name` with so many primes means.
    pub(super) fn meaning(
        &self,
        ast: &Ast,
        frames: Frames,
        bindings: &[(NameId, u64)],
        name: NameId,
        primes: u8,
    ) -> Result<Meaning, Meaningless> {
        let bound = bindings.iter().rev().find(|(bound, _)| *bound == name);
        if let Some(&(_, value)) = bound {
            return if primes == 0 { Ok(Meaning::Number(value)) } else { Err(Meaningless::PrimedConstant) };
        }
        let (symbol, moment) = match primes {
            0 => (Some(frames.left), Moment::Now),
            1 => (frames.first, Moment::Next),
            _ => (frames.second, Moment::Saved),
        };
        if let Some(decl) = symbol.and_then(|symbol| self.local(symbol, name)) {
            return Ok(Meaning::Variable(decl, moment));
        }
        let is_elsewhere = || {
            [Some(frames.left), frames.first, frames.second]
                .into_iter()
                .flatten()
                .any(|symbol| self.local(symbol, name).is_some())
        };
        if let Some(&decl) = self.global_names.get(&name) {
            return match moment {
                Moment::Saved if frames.second.is_none() => Err(Meaningless::NoState),
                Moment::Saved => Err(Meaningless::SavedGlobal),
                Moment::Next if frames.place == Place::Initial => Err(Meaningless::NoState),
                _ => Ok(Meaning::Variable(decl, moment)),
            };
        }
        if primes > 0 && is_elsewhere() && symbol.is_none() {
            return Err(Meaningless::NoState);
        }
        let constant = self.constants.get(&name).map(|&value| Meaning::Number(value)).or(match ast.names.text(name) {
            "true" => Some(Meaning::Truth(true)),
            "false" => Some(Meaning::Truth(false)),
            _ => None,
        });
        match constant {
            Some(_) if primes > 0 => Err(Meaningless::PrimedConstant),
            Some(constant) => Ok(constant),
            None => Err(Meaningless::Undeclared),
        }
    }

    /// The variables that can be named where `symbol` is on top.
    pub(super) fn visible(&self, symbol: Option<SymbolId>) -> impl Iterator<Item = DeclId> + '_ {
        symbol.into_iter().flat_map(|symbol| self.locals(symbol)).chain(self.globals.iter().copied())
    }

    fn local(&self, symbol: SymbolId, name: NameId) -> Option<DeclId> {
        self.symbols[symbol].blocks.iter().find_map(|&block| self.blocks[block].names.get(&name).copied())
    }

    fn read_constants(&mut self, ast: &Ast, findings: &mut Findings) {
        let mut first: FxHashMap<NameId, Span> = FxHashMap::default();
        for constant in &ast.constants {
            if let Some(&span) = first.get(&constant.name.name) {
                let message = format!("`{}` is defined twice", ast.text(constant.name));
                let finding = Diagnostic::error("duplicate-constant", message, constant.name.span);
                findings.add(finding.related("the first definition", span));
                continue;
            }
            first.insert(constant.name.name, constant.name.span);
            // One that is wrong has been reported; where it is used, nothing else is.
            let value = self.constant(ast, constant.value, findings).unwrap_or(1);
            self.constants.insert(constant.name.name, value);
        }
    }

    fn constant(&self, ast: &Ast, expr: ExprId, findings: &mut Findings) -> Option<u64> {
        let known = Known { ast, constants: &self.constants, bindings: &[] };
        let (part, message) = match known.value(expr) {
            Ok(value) => return Some(value),
            Err(NotConstant::Unknown(part)) => (part, "this is no constant"),
            Err(NotConstant::NoValue(part)) => (part, "this has no value"),
        };
        let finding = Diagnostic::error("not-constant", message, ast.exprs[part].span);
        findings
            .add(finding.help("a constant is made of numbers, names that `define` has given a value, `+ - * / << >>`"));
        None
    }

    fn declare(
        &mut self,
        ast: &Ast,
        declaration: &Declaration,
        names: &mut FxHashMap<NameId, DeclId>,
        findings: &mut Findings,
    ) -> Option<DeclId> {
        let name = declaration.name;
        if let Some(&first) = names.get(&name.name) {
            let message = format!("`{}` is declared twice", ast.text(name));
            let finding = Diagnostic::error("duplicate-variable", message, name.span);
            findings.add(finding.related("the first declaration", self.variables[first].name.span));
            return None;
        }
        // Known by name even if the rest is wrong: its uses are not.
        let mut variable =
            Variable { name, shape: Shape::Bool, low: 0, elements: 1, is_array: declaration.dimension.is_some() };
        if let DeclaredKind::Int(width) = declaration.kind {
            let width = self.width(ast, name, width, findings).unwrap_or(1);
            variable.shape = Shape::Number { width };
        }
        if let Some(dimension) = declaration.dimension
            && let Some((low, elements)) = self.dimension(ast, name, dimension, findings)
        {
            (variable.low, variable.elements) = (low, elements);
        }
        let bits = (variable.elements as u64).saturating_mul(variable.shape.width() as u64);
        let before = self.bits;
        self.bits = self.bits.saturating_add(bits);
        if self.bits > MAX_BITS {
            if before <= MAX_BITS {
                let message = format!("the variables up to `{}` have more than {MAX_BITS} bits", ast.text(name));
                let finding = Diagnostic::error("system-too-large", message, name.span);
                findings.add(finding.help("make arrays shorter, or numbers narrower"));
            }
            variable.elements = 1;
        }
        let decl = self.variables.push(variable);
        names.insert(name.name, decl);
        Some(decl)
    }

    fn width(&self, ast: &Ast, name: Ident, width: Option<ExprId>, findings: &mut Findings) -> Option<usize> {
        let (width, span) = match width {
            Some(width) => (self.constant(ast, width, findings)?, ast.exprs[width].span),
            None => {
                let default = ast.names.find(DEFAULT_WIDTH).and_then(|name| self.constants.get(&name));
                match default {
                    Some(&width) => (width, name.span),
                    None => {
                        let message = format!("how many bits has `{}`?", ast.text(name));
                        let finding = Diagnostic::error("syntax", message, name.span);
                        findings.add(finding.help(format!("write `{}(4)`, or define {DEFAULT_WIDTH}", ast.text(name))));
                        return None;
                    }
                }
            }
        };
        if (1..=MAX_WIDTH).contains(&width) {
            return usize::try_from(width).ok();
        }
        let message = format!("a number has from 1 to {MAX_WIDTH} bits, not {width}");
        findings.add(Diagnostic::error("number-too-large", message, span));
        None
    }

    fn dimension(&self, ast: &Ast, name: Ident, dimension: Dimension, findings: &mut Findings) -> Option<(u64, usize)> {
        let (low, elements, span) = match dimension {
            Dimension::Length(length) => (0, self.constant(ast, length, findings)?, ast.exprs[length].span),
            Dimension::Range(low, high) => {
                let span = ast.exprs[low].span.to(ast.exprs[high].span);
                let (low, high) = (self.constant(ast, low, findings), self.constant(ast, high, findings));
                let (low, high) = (low?, high?);
                (low, high.checked_sub(low).map_or(0, |distance| distance.saturating_add(1)), span)
            }
        };
        if elements == 0 {
            let message = format!("the array `{}` has no elements", ast.text(name));
            findings.add(Diagnostic::error("array-bounds", message, span));
            return None;
        }
        Some((low, usize::try_from(elements).unwrap_or(usize::MAX)))
    }

    fn read_symbols(&mut self, ast: &Ast) {
        if let Some(initial) = ast.initial {
            self.add_state(initial.state);
            self.add_symbol(initial.symbol);
        }
        for rule in &ast.rules {
            self.add_state(rule.from_state);
            self.add_state(rule.to_state);
            self.add_symbol(rule.from);
            for symbol in rule.to.symbols() {
                self.add_symbol(symbol);
            }
        }
    }

    fn add_state(&mut self, ident: Ident) {
        self.state_ids.entry(ident.name).or_insert_with(|| self.states.push(ident.name));
    }

    fn add_symbol(&mut self, ident: Ident) {
        let Ident { name, span } = ident;
        self.symbol_ids.entry(name).or_insert_with(|| self.symbols.push(Symbol { name, span, blocks: Vec::new() }));
    }

    /// Makes the variables of `block` locals of a symbol. One that stands in no rule needs none.
    fn join(&mut self, ast: &Ast, ident: Ident, block: BlockId, findings: &mut Findings) {
        let Some(symbol) = self.find_symbol(ident.name) else { return };
        let blocks = &self.symbols[symbol].blocks;
        if blocks.contains(&block) {
            let message = format!("`{}` stands twice in this list", ast.text(ident));
            findings.add(Diagnostic::error("duplicate-symbol", message, ident.span));
            return;
        }
        let candidates: &[DeclId] = if blocks.is_empty() { &[] } else { &self.blocks[block].variables };
        let clash = candidates.iter().find_map(|&decl| {
            let name = self.variables[decl].name;
            self.local(symbol, name.name).map(|first| (name, first))
        });
        if let Some((name, first)) = clash {
            let message = format!("`{}` has two locals called `{}`", ast.text(ident), ast.text(name));
            let finding = Diagnostic::error("duplicate-variable", message, ident.span);
            findings.add(finding.related("the first declaration", self.variables[first].name.span));
            return;
        }
        self.symbols[symbol].blocks.push(block);
    }

    /// What is near `name` among the variables that can be named where `symbol` is on top.
    pub(super) fn suggestion(&self, ast: &Ast, symbol: Option<SymbolId>, name: NameId) -> String {
        let names = self.visible(symbol).map(|decl| ast.text(self.variables[decl].name));
        did_you_mean(ast.names.text(name), names)
    }
}
