//! The state of the walk: one translation unit, and the function whose body is being lowered.

use crate::Inline;
use crate::Lowered;
use crate::declare::Declarations;
use crate::expr::order::Effects;
use crate::expr::typing::Typing;
use crate::scope::Scopes;
use crate::stmt::flow::Flow;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, IndexVec, Span};
use hardbop_c_core::names::name_variables;
use hardbop_c_core::{
    Block, FunctionId, Label, LabelId, Module, Qualified, Stmt, StmtKind, Target, TypeId, Types, VarId, Variable,
};
use hardbop_lang_c::ast::{Ast, ExprId, Name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// One translation unit on its way.
pub(crate) struct Unit<'a> {
    /// The tree.
    pub ast: &'a Ast,
    /// What has been lowered.
    pub module: Module,
    /// What `inline` means.
    pub inline: Inline,
    /// What is wrong.
    pub findings: Findings,
    /// What names mean here.
    pub scopes: Scopes,
    /// The function whose body is being lowered; none outside of functions.
    pub function: Option<Activation>,
    /// What is known of declarations beyond scopes.
    pub declared: Declarations,
    /// The declared types of variables in which a length is only known by a run.
    pub variable_length: FxHashMap<VarId, Qualified>,
    /// The types of conditional expressions that have been asked for.
    pub conditional_types: FxHashMap<ExprId, Typing>,
    /// How many bits temporaries have that hold the value of a bit-field.
    pub narrow: FxHashMap<VarId, u32>,
    /// How many mistakes in expressions have been met: what follows from one is not reported again.
    pub mistakes: u32,
    /// Where the last of them stands.
    pub last_mistake: Option<Span>,
    /// Functions that only the compiler knows, and we do not, with the first place of each.
    pub unknown_builtins: BTreeMap<&'a str, Span>,
    /// Identifiers by their spelling, once that is needed.
    pub spelled: Option<FxHashMap<&'a str, Name>>,
    /// How labels are spelled anywhere in the source, once that is needed.
    pub written_labels: Option<FxHashSet<String>>,
}

/// The function whose body is being lowered.
pub(crate) struct Activation {
    /// Which one.
    pub id: FunctionId,
    /// What it returns.
    pub result: TypeId,
    /// What means something only where its body is inlined.
    pub inlined: Option<Span>,
    /// Its variables, parameters and statics not counted.
    pub locals: Vec<VarId>,
    /// Its labels.
    pub labels: IndexVec<LabelId, Label>,
    /// Where `break`, `continue`, `case` and `goto` lead.
    pub flow: Flow,
    /// When variables and memory last changed.
    pub effects: Effects,
    /// The blocks that are being filled, innermost last.
    blocks: Vec<Block>,
}

impl<'a> Unit<'a> {
    pub fn new(ast: &'a Ast, target: Target, inline: Inline) -> Self {
        let types = Types::new(target);
        let module = Module { types, vars: IndexVec::new(), functions: IndexVec::new(), asm: Vec::new() };
        Self {
            ast,
            inline,
            module,
            findings: Findings::default(),
            scopes: Scopes::default(),
            function: None,
            declared: Declarations::default(),
            variable_length: FxHashMap::default(),
            conditional_types: FxHashMap::default(),
            narrow: FxHashMap::default(),
            mistakes: 0,
            last_mistake: None,
            unknown_builtins: BTreeMap::new(),
            spelled: None,
            written_labels: None,
        }
    }

    pub fn finish(mut self) -> Result<Lowered, Vec<Diagnostic>> {
        self.warn_of_unknown_builtins();
        let has_errors = self.findings.has_errors();
        let findings = self.findings.finish();
        if has_errors {
            return Err(findings);
        }
        name_variables(&mut self.module);
        Ok(Lowered { module: self.module, warnings: findings })
    }

    /// The function whose body is being lowered.
    ///
    /// # Requires
    /// The walk is inside a function.
    pub fn activation(&mut self) -> &mut Activation {
        self.function.as_mut().expect("statements stand in functions")
    }

    /// Appends a statement to the innermost open block.
    pub fn emit(&mut self, kind: StmtKind, span: Span) {
        self.note_effects(&kind);
        let blocks = &mut self.activation().blocks;
        blocks.last_mut().expect("a function has a block").push(Stmt { kind, span });
    }

    /// Opens a block; what is emitted goes there until it is closed.
    pub fn open(&mut self) {
        self.activation().blocks.push(Block::new());
    }

    /// Closes the innermost block.
    pub fn close(&mut self) -> Block {
        self.activation().blocks.pop().expect("what is closed has been opened")
    }

    /// A variable of its own for the value of `text`, a part of the source.
    pub fn temporary(&mut self, ty: TypeId, text: &str, span: Span) -> VarId {
        let owner = self.activation().id;
        let id = self.module.vars.push(Variable::temporary(owner, ty, text, span));
        self.activation().locals.push(id);
        id
    }
}

impl Activation {
    pub fn new(id: FunctionId, result: TypeId) -> Self {
        let (labels, flow, effects) = (IndexVec::new(), Flow::default(), Effects::default());
        Self { id, result, inlined: None, locals: Vec::new(), labels, flow, effects, blocks: Vec::new() }
    }

    /// How many statements the innermost open block has.
    pub fn position(&self) -> usize {
        self.blocks.last().map_or(0, Block::len)
    }

    /// The statements of the innermost open block from `position` on.
    pub fn since(&self, position: usize) -> &[Stmt] {
        self.blocks.last().map_or(&[], |block| &block[position..])
    }

    /// Puts a statement before the one at `position` of the innermost open block.
    pub fn insert(&mut self, position: usize, stmt: Stmt) {
        self.blocks.last_mut().expect("a function has a block").insert(position, stmt);
    }

    /// The last statement of the innermost open block.
    pub fn last(&self) -> Option<&StmtKind> {
        self.blocks.last().and_then(|block| block.last()).map(|stmt| &stmt.kind)
    }
}
