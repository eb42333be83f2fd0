//! The tree of a boolean program, with everything resolved: variables are bits, labels are statements.
//!
//! A statement *head* is what occupies a line of the text and a node of the control flow: a simple statement, the
//! test of an `if` or a `while`, and each `elsif`. Heads are numbered in the order of the text, per procedure.
//!
//! **Invariant:** in every procedure, a [`Variable`] is a bit of its [`scope`](Model::scope) that is not shadowed, a
//! [`Head`] in a `goto` is not an `elsif`, calls have as many arguments and targets as the callee has parameters and
//! results, and [`Expr::Primed`] occurs in constraints only. Generated models are like that; a model made by hand has
//! to be.

use std::fmt;

/// A procedure, by its place in [`Model::procedures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcedureId(pub usize);

impl ProcedureId {
    /// The entry procedure.
    pub const MAIN: ProcedureId = ProcedureId(0);
}

/// A variable, by its place in the scope of the procedure it is used in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(pub usize);

/// A statement head, by its place in the text of its procedure, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Head(pub usize);

/// Values of a list of variables; variable `i` is bit `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Valuation(pub u32);

impl Valuation {
    /// The value of `variable`.
    pub fn value(self, variable: Variable) -> bool {
        self.0 >> variable.0 & 1 == 1
    }

    /// This valuation with `variable` set to `value`.
    #[must_use]
    pub fn with(self, variable: Variable, value: bool) -> Self {
        Valuation(self.0 & !(1 << variable.0) | u32::from(value) << variable.0)
    }
}

/// A boolean program.
#[derive(Clone, PartialEq, Eq)]
pub struct Model {
    /// Names of the global variables.
    pub globals: Vec<String>,
    /// The procedures; the first is `main`.
    pub procedures: Vec<Procedure>,
    /// Decides among the ways to write the same program; zero is the plainest.
    pub spelling: u64,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// Names of the parameters. Those of `main` start arbitrary.
    pub parameters: Vec<String>,
    /// How many values it returns.
    pub results: usize,
    /// Names of the local variables.
    pub locals: Vec<String>,
    /// What every state within the procedure satisfies.
    pub enforce: Option<Expr>,
    /// What no state within the procedure satisfies.
    pub abortif: Option<Expr>,
    /// Its statements.
    pub body: Block,
}

/// A sequence of statements, possibly empty.
pub type Block = Vec<Statement>;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `skip`.
    Skip,
    /// `print(…)`, which does nothing.
    Print(Vec<Expr>),
    /// `dead x, y`: the variables get arbitrary values.
    Dead(Vec<Variable>),
    /// `x, y := e, f`, perhaps with `constrain g`.
    Assign {
        /// The left side. Where a variable stands twice, either value may win.
        targets: Vec<Variable>,
        /// The right side, as long as the left.
        values: Vec<Expr>,
        /// Relates the values before to the values after (primed).
        constrain: Option<Expr>,
    },
    /// `x, _ := f(e)`.
    Call {
        /// The procedure called.
        callee: ProcedureId,
        /// Its arguments.
        arguments: Vec<Expr>,
        /// Where its results go; none is `_`.
        targets: Vec<Option<Variable>>,
    },
    /// `constrain(e)`: the variables primed in `e` get any values such that `e` holds.
    Constrain(Expr),
    /// `assert(e)`: fails where `e` can be false, goes on where it can be true.
    Assert(Expr),
    /// `assume(e)`.
    Assume(Expr),
    /// `goto L, M`.
    Goto(Vec<Head>),
    /// `return e, f`. With fewer values than the procedure has results (that is, with none), they are arbitrary.
    Return(Vec<Expr>),
    /// `if … elsif … else … fi`.
    If {
        /// The conditions and what they guard, at least one.
        arms: Vec<(Expr, Block)>,
        /// What follows `else`.
        otherwise: Option<Block>,
    },
    /// `while … do … od`.
    While {
        /// The test.
        condition: Expr,
        /// What it guards.
        body: Block,
    },
}

/// An expression, which may have several values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Constant(bool),
    /// The value of a variable, in a constraint its value before.
    Read(Variable),
    /// The value of a variable after the statement; in constraints only.
    Primed(Variable),
    /// `*`: either value, each occurrence on its own.
    Star,
    /// Negation.
    Not(Box<Expr>),
    /// A binary operator.
    Binary(Operator, Box<[Expr; 2]>),
    /// `c ? e : f`.
    Ternary(Box<[Expr; 3]>),
    /// `schoose[p, n]`: true if `p`, else false if `n`, else either.
    Schoose(Box<[Expr; 2]>),
}

/// A binary operator. Some are the same function; they are written and parsed differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `=`.
    Equal,
    /// `!=`.
    Unequal,
    /// `=>`.
    Implies,
    /// `<=>`.
    Iff,
}

/// What a variable in scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Declared outside of the procedures.
    Global,
    /// A global that a parameter or local of the same name hides: it keeps its value, and cannot be named.
    ShadowedGlobal,
    /// A parameter.
    Parameter,
    /// Declared in the procedure.
    Local,
}

/// A variable in scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeEntry {
    /// As in the text.
    pub name: String,
    /// What it is.
    pub role: Role,
}

impl Model {
    /// The procedure `id`.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.0]
    }

    /// The procedures' ids, in the order of the text.
    pub fn procedure_ids(&self) -> impl Iterator<Item = ProcedureId> + use<> {
        (0..self.procedures.len()).map(ProcedureId)
    }

    /// The variables of the states within a procedure, in the order of the bits: globals, parameters, locals.
    pub fn scope(&self, id: ProcedureId) -> Vec<ScopeEntry> {
        let Procedure { parameters, locals, .. } = self.procedure(id);
        let globals = self.globals.iter().map(|name| {
            let is_shadowed = parameters.contains(name) || locals.contains(name);
            (name, if is_shadowed { Role::ShadowedGlobal } else { Role::Global })
        });
        let parameters = parameters.iter().map(|name| (name, Role::Parameter));
        let locals = locals.iter().map(|name| (name, Role::Local));
        let all = globals.chain(parameters).chain(locals);
        all.map(|(name, role)| ScopeEntry { name: name.clone(), role }).collect()
    }
}

/// A failing test prints its model: the text says more than the tree.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "spelling {}\n{}", self.spelling, self.render().text)
    }
}

impl Procedure {
    /// Whether each head is one a label can stand at: all but `elsif`.
    pub(crate) fn labelable(&self) -> Vec<bool> {
        let mut heads = Vec::new();
        collect_labelable(&self.body, &mut heads);
        heads
    }
}

fn collect_labelable(block: &Block, heads: &mut Vec<bool>) {
    for statement in block {
        heads.push(true);
        match statement {
            Statement::If { arms, otherwise } => {
                for (place, (_, block)) in arms.iter().enumerate() {
                    if place > 0 {
                        heads.push(false);
                    }
                    collect_labelable(block, heads);
                }
                otherwise.iter().for_each(|block| collect_labelable(block, heads));
            }
            Statement::While { body, .. } => collect_labelable(body, heads),
            _ => {}
        }
    }
}
