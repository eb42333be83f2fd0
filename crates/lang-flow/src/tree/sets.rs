//! The sets that rules go through.

use super::{MetaUse, Sort};
use hardbop_base::Span;

/// A set that the program and its points-to relation give.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Set {
    /// Which.
    pub kind: SetKind,
    /// Of what, for those that are of something.
    pub argument: Option<MetaUse>,
    /// How many bytes of it, for memory.
    pub length: Option<Length>,
    /// How often so many.
    pub times: Option<Length>,
    /// Where it stands.
    pub span: Span,
}

/// A number of bytes, or of elements.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Length {
    /// What a metavariable stands for.
    Meta(MetaUse),
    /// This many.
    Number(i64),
}

impl Set {
    /// The metavariables that it depends on.
    pub fn metas(&self) -> impl Iterator<Item = MetaUse> {
        let in_length = |length: Option<Length>| match length {
            Some(Length::Meta(meta)) => Some(meta),
            _ => None,
        };
        [self.argument, in_length(self.length), in_length(self.times)].into_iter().flatten()
    }
}

/// The kinds of sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetKind {
    /// The objects that a pointer or an expression may point to; of a statement, those of everything in it.
    Pts,
    /// The scalars from where a pointer or an expression points, so many bytes or to the end of what is there.
    Memory,
    /// The scalars of the string that a pointer or an expression points to.
    String,
    /// The scalars that can be reached from a pointer or an expression by any number of pointers.
    Reach,
    /// The scalars of the strings that a call of a function like `printf` takes as its format says.
    Printed,
    /// The variables that an expression or a statement reads.
    Reads,
    /// What a function without a body that a statement calls writes through the pointers that it is given.
    Writes,
    /// The definitions of a variable; without argument, all.
    Definitions,
    /// The expressions in which a variable stands.
    Mentioning,
    /// The expressions that stand in an expression, itself among them, or in a statement.
    Parts,
    /// The variables of static storage duration.
    Globals,
    /// The variables of the function at hand, its parameters not among them.
    Locals,
    /// The parameters of the function at hand.
    Parameters,
    /// All variables and members that are pointers.
    Pointers,
    /// All variables and members that are integers.
    Integers,
    /// All variables and members.
    Scalars,
    /// All objects.
    Objects,
    /// All expressions that the program computes.
    Expressions,
}

impl SetKind {
    /// All kinds, with their names.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("pts", Self::Pts),
        ("memory", Self::Memory),
        ("string", Self::String),
        ("reach", Self::Reach),
        ("printed", Self::Printed),
        ("reads", Self::Reads),
        ("writes", Self::Writes),
        ("definitions", Self::Definitions),
        ("mentioning", Self::Mentioning),
        ("parts", Self::Parts),
        ("globals", Self::Globals),
        ("locals", Self::Locals),
        ("parameters", Self::Parameters),
        ("pointers", Self::Pointers),
        ("integers", Self::Integers),
        ("scalars", Self::Scalars),
        ("objects", Self::Objects),
        ("expressions", Self::Expressions),
    ];

    /// How it is written.
    pub fn text(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(text, _)| text)
    }

    /// What its members are.
    pub fn member(self) -> Sort {
        match self {
            Self::Pts | Self::Objects => Sort::Object,
            Self::Memory
            | Self::String
            | Self::Reach
            | Self::Printed
            | Self::Reads
            | Self::Writes
            | Self::Globals
            | Self::Locals
            | Self::Parameters
            | Self::Scalars => Sort::Scalar,
            Self::Definitions => Sort::Definition,
            Self::Mentioning | Self::Parts | Self::Expressions => Sort::Expression,
            Self::Pointers => Sort::Pointer,
            Self::Integers => Sort::Integer,
        }
    }

    /// Whether it must be, may be or cannot be of something.
    pub fn argument(self) -> Argument {
        match self {
            Self::Pts
            | Self::Memory
            | Self::String
            | Self::Reach
            | Self::Printed
            | Self::Reads
            | Self::Writes
            | Self::Mentioning
            | Self::Parts => Argument::Needed,
            Self::Definitions => Argument::Possible,
            _ => Argument::None,
        }
    }

    /// Whether it can be of so many bytes.
    pub fn has_length(self) -> bool {
        self == Self::Memory
    }

    /// Whether it can be of something of this sort.
    pub fn takes(self, sort: Sort) -> bool {
        match self {
            Self::Pts | Self::Memory | Self::String | Self::Reach => {
                matches!(sort, Sort::Pointer | Sort::Scalar | Sort::Expression) || sort.is_within(Sort::Statement)
            }
            Self::Reads | Self::Parts => sort.is_within(Sort::Expression) || sort.is_within(Sort::Statement),
            Self::Printed | Self::Writes => sort.is_within(Sort::Statement),
            Self::Definitions | Self::Mentioning => sort.is_place(),
            _ => false,
        }
    }
}

/// Whether a set has an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// Always.
    Needed,
    /// With or without.
    Possible,
    /// Never.
    None,
}
