//! The syntax tree of one translation unit: what was written, before anything is known of types.
//!
//! Expressions and statements lie in tables, so that a deep tree is dropped without recursion. Declarators are flat lists
//! read from the name outwards: `int *a[3]` is "array of 3", then "pointer".

use hardbop_base::{IndexVec, Span, newtype_index};

newtype_index! {
    /// An identifier's spelling.
    pub struct Name = "name";
    /// An expression.
    pub struct ExprId = "expr";
    /// A statement.
    pub struct StmtId = "stmt";
    /// A string literal, adjacent ones joined.
    pub struct StringId = "string";
}

/// A translation unit.
#[derive(Default, Debug)]
pub struct Ast {
    /// The spelling of each identifier.
    pub names: IndexVec<Name, Box<str>>,
    /// All expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    /// All statements.
    pub stmts: IndexVec<StmtId, Stmt>,
    /// All string literals.
    pub strings: IndexVec<StringId, StringLiteral>,
    /// What stands at the top, in order.
    pub items: Vec<Item>,
    /// Where the text came from, in order of [`LineMarker::offset`].
    pub markers: Vec<LineMarker>,
    /// The names that pragmas call weak.
    pub weak: Vec<WeakPragma>,
    /// The names that pragmas give another symbol, `#pragma redefine_extname name symbol`, with that.
    pub renamed: Vec<(Name, Box<str>)>,
}

/// `#pragma weak name`, or `#pragma weak name = target`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeakPragma {
    /// What may have no definition.
    pub name: Ident,
    /// What it is another name of.
    pub target: Option<Box<str>>,
}

/// `# 12 "driver.c" 1`, or `#line 12 "driver.c"`: the line after it is line 12 of that file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineMarker {
    /// Where the line after the marker begins.
    pub offset: u32,
    /// The number of that line.
    pub line: u32,
    /// The file it came from.
    pub path: Box<str>,
    /// Whether it is a header of the system (flag 3).
    pub is_system: bool,
}

/// An identifier at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ident {
    /// Its spelling.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// What stands outside all functions.
#[derive(Debug)]
pub enum Item {
    /// `int f(int x) { … }`
    Function(Box<FunctionDefinition>),
    /// `static int x = 1, *y;`, `struct s { … };`, `typedef …;`
    Declaration(Box<Declaration>),
    /// `_Static_assert(e, "…");`
    StaticAssert(StaticAssert),
    /// `asm("…");` outside of functions.
    Asm {
        /// Its text.
        text: StringId,
        /// Where it stands.
        span: Span,
    },
}

/// A function with its body.
#[derive(Debug)]
pub struct FunctionDefinition {
    /// What stands before its declarator.
    pub specifiers: Specifiers,
    /// Its name and type; the first part is a [`DeclaratorPart::Function`].
    pub declarator: Declarator,
    /// The declarations between `)` and `{` of an old-style definition.
    pub old_style: Vec<Declaration>,
    /// Its body, a [`StmtKind::Block`].
    pub body: StmtId,
    /// All of it.
    pub span: Span,
}

/// One declaration with any number of declarators.
#[derive(Debug)]
pub struct Declaration {
    /// What stands before the declarators.
    pub specifiers: Specifiers,
    /// What is declared.
    pub declarators: Vec<InitDeclarator>,
    /// All of it.
    pub span: Span,
}

/// `*x = 1` of `int *x = 1`.
#[derive(Debug)]
pub struct InitDeclarator {
    /// Name and type.
    pub declarator: Declarator,
    /// The initialiser.
    pub init: Option<Initialiser>,
}

/// `_Static_assert(condition, "message")`
#[derive(Clone, Copy, Debug)]
pub struct StaticAssert {
    /// What must not be zero.
    pub condition: ExprId,
    /// What to say otherwise.
    pub message: Option<StringId>,
    /// All of it.
    pub span: Span,
}

/// What stands before declarators, or begins the name of a type.
#[derive(Debug)]
pub struct Specifiers {
    /// `typedef`, `extern`, `static`, `auto`, `register`.
    pub storage: Option<Storage>,
    /// `_Thread_local`, `__thread`.
    pub is_thread_local: bool,
    /// `inline`.
    pub is_inline: bool,
    /// `_Noreturn`.
    pub is_noreturn: bool,
    /// `const`, `volatile`, `restrict`, `_Atomic`.
    pub qualifiers: Qualifiers,
    /// The type itself.
    pub base: TypeSpecifier,
    /// `_Alignas(…)`.
    pub alignments: Vec<Alignment>,
    /// `__attribute__((…))` and `[[…]]`, wherever they stand among the specifiers.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// A storage class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// The qualifiers of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic`, with parentheses, too
    pub is_atomic: bool,
}

/// `_Alignas(type)` or `_Alignas(expression)`.
#[derive(Debug)]
pub enum Alignment {
    /// As strict as this type's.
    Type(Box<TypeName>),
    /// So many bytes.
    Bytes(ExprId),
}

/// An attribute: `packed`, `aligned(8)`, `gnu::noreturn`; underscores around the name removed.
#[derive(Debug)]
pub struct Attribute {
    /// Its name, without leading and trailing `__` and without a prefix `gnu::`.
    pub name: Ident,
    /// Its arguments.
    pub arguments: Vec<AttributeArgument>,
}

/// An argument of an attribute.
#[derive(Debug)]
pub enum AttributeArgument {
    /// An expression; a lone identifier such as `printf` or a machine mode too, as [`ExprKind::Name`].
    Expr(ExprId),
    /// The name of a type.
    Type(Box<TypeName>),
}

/// The type among the specifiers.
#[derive(Debug)]
pub enum TypeSpecifier {
    /// Words such as `unsigned long`, in any order; none at all is `int`, and old code relies on it.
    Basic(BasicType),
    /// The name of a type.
    Typedef(Ident),
    /// `struct` or `union`.
    Record(Box<RecordSpecifier>),
    /// `enum`
    Enum(Box<EnumSpecifier>),
    /// `typeof(e)`
    TypeofExpr(ExprId),
    /// `typeof(type)`, and `_Atomic(type)`, which is qualified besides.
    TypeofType(Box<TypeName>),
    /// `__auto_type`
    Auto,
}

/// A basic type by its words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BasicType {
    /// No word at all.
    Implicit,
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// `char`
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`, `signed`
    Int,
    /// `unsigned`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
    /// `float`, `_Float32`, …, and with `_Complex`
    Float(FloatType),
    /// `float _Complex`, …
    Complex(FloatType),
    /// `__builtin_va_list`
    VaList,
}

/// A floating type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatType {
    /// `_Float16`, `__fp16`, `__bf16`
    Float16,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
    /// `_Float32`
    Float32,
    /// `_Float64`
    Float64,
    /// `_Float32x`
    Float32x,
    /// `_Float64x`, `__float80`
    Float64x,
    /// `_Float128`, `__float128`
    Float128,
    /// `_Decimal32`
    Decimal32,
    /// `_Decimal64`
    Decimal64,
    /// `_Decimal128`
    Decimal128,
}

/// `struct tag { … }`
#[derive(Debug)]
pub struct RecordSpecifier {
    /// `struct` or `union`.
    pub kind: RecordKind,
    /// The tag.
    pub tag: Option<Ident>,
    /// The members, if they are given here.
    pub members: Option<Vec<Member>>,
    /// Attributes before the tag and after the `}`.
    pub attributes: Vec<Attribute>,
    /// The bytes of the `#pragma pack` that is in force at the `}`.
    pub pragma_pack: Option<u64>,
    /// All of it.
    pub span: Span,
}

/// `struct` or `union`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordKind {
    /// Members one after the other.
    Struct,
    /// Members on top of each other.
    Union,
}

/// What stands between the braces of a record.
#[derive(Debug)]
pub enum Member {
    /// `int x, *y : 3;`; without declarators an anonymous record.
    Fields {
        /// What stands before the declarators.
        specifiers: Specifiers,
        /// The members.
        declarators: Vec<FieldDeclarator>,
    },
    /// `_Static_assert(…);`
    StaticAssert(StaticAssert),
}

/// One member.
#[derive(Debug)]
pub struct FieldDeclarator {
    /// Its name and type; no name for padding `int : 3`.
    pub declarator: Declarator,
    /// The width of a bit-field.
    pub width: Option<ExprId>,
}

/// `enum tag { A, B = 3 }`
#[derive(Debug)]
pub struct EnumSpecifier {
    /// The tag.
    pub tag: Option<Ident>,
    /// `enum e : unsigned char`, of C23.
    pub underlying: Option<Box<TypeName>>,
    /// The constants, if they are given here.
    pub constants: Option<Vec<EnumConstant>>,
    /// Attributes before the tag and after the `}`.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// One constant of an enumeration.
#[derive(Debug)]
pub struct EnumConstant {
    /// Its name.
    pub name: Ident,
    /// Its value, if given.
    pub value: Option<ExprId>,
}

/// A name with what makes its type out of the specifiers' type.
#[derive(Debug)]
pub struct Declarator {
    /// What is declared; nothing in the name of a type or an unnamed parameter.
    pub name: Option<Ident>,
    /// From the name outwards: the first is what the name is, the last is applied to the specifiers' type.
    pub parts: Vec<DeclaratorPart>,
    /// `asm("symbol")` after it.
    pub asm_label: Option<StringId>,
    /// Attributes inside and after the declarator.
    pub attributes: Vec<Attribute>,
    /// All of it; where it is empty, the place where it would stand.
    pub span: Span,
}

/// One layer of a declarator.
#[derive(Debug)]
pub enum DeclaratorPart {
    /// `*`
    Pointer(Qualifiers),
    /// `[n]`
    Array {
        /// How many elements.
        length: ArrayLength,
        /// The qualifiers inside the brackets, those of a parameter's pointer.
        qualifiers: Qualifiers,
    },
    /// `(int x, char *y)`
    Function(Parameters),
}

/// How many elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrayLength {
    /// `[]`
    Unknown,
    /// `[*]`
    Star,
    /// `[e]`, also `[static e]`
    Given(ExprId),
}

/// The parameters of a function.
#[derive(Debug)]
pub enum Parameters {
    /// `(int x, ...)`; `(void)` is an empty list.
    Prototype {
        /// One for each parameter.
        list: Vec<Parameter>,
        /// Whether `...` follows.
        is_variadic: bool,
    },
    /// `()`, or `(x, y)` of an old-style definition.
    OldStyle(Vec<Ident>),
}

/// A parameter.
#[derive(Debug)]
pub struct Parameter {
    /// What stands before the declarator.
    pub specifiers: Specifiers,
    /// The name, if any, and the type.
    pub declarator: Declarator,
}

/// The name of a type: `unsigned long *[3]`.
#[derive(Debug)]
pub struct TypeName {
    /// What stands before the declarator; no storage class.
    pub specifiers: Specifiers,
    /// A declarator without a name.
    pub declarator: Declarator,
}

/// What an object starts with.
#[derive(Debug)]
pub enum Initialiser {
    /// `= e`
    Expr(ExprId),
    /// `= { … }`
    List(InitList),
}

/// `{ .x = 1, [2 ... 4] = 5, 6 }`
#[derive(Debug)]
pub struct InitList {
    /// The elements in order.
    pub elements: Vec<InitElement>,
    /// All of it.
    pub span: Span,
}

/// One element of an initialiser.
#[derive(Debug)]
pub struct InitElement {
    /// Which part of the object; none for the next one.
    pub designators: Vec<Designator>,
    /// What it starts with.
    pub value: Initialiser,
}

/// One step of a designation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Designator {
    /// `.x`, also the old `x:`
    Member(Ident),
    /// `[3]`
    Index(ExprId),
    /// `[3 ... 5]`
    Range(ExprId, ExprId),
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Debug)]
pub enum ExprKind {
    /// `x`
    Name(Name),
    /// `0x1fUL`
    Integer(Integer),
    /// `1.5e3f`
    Float(FloatLiteral),
    /// `'a'`
    Char(CharLiteral),
    /// `"text"`
    String(StringId),
    /// `-e`
    Unary(UnaryOp, ExprId),
    /// `l + r`
    Binary(BinaryOp, ExprId, ExprId),
    /// `l = r`, `l += r`
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `c ? t : e`, and GNU's `c ?: e`
    Conditional(ExprId, Option<ExprId>, ExprId),
    /// `f(a, b)`
    Call(ExprId, Vec<ExprId>),
    /// `a[i]`
    Index(ExprId, ExprId),
    /// `s.x`
    Member(ExprId, Ident),
    /// `p->x`
    Arrow(ExprId, Ident),
    /// `(type)e`
    Cast(Box<TypeName>, ExprId),
    /// `(type){ … }`
    Compound(Box<TypeName>, InitList),
    /// `sizeof e`
    SizeofExpr(ExprId),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `_Alignof e`
    AlignofExpr(ExprId),
    /// `_Alignof(type)`
    AlignofType(Box<TypeName>),
    /// `({ … })`; the statement is a block.
    Statement(StmtId),
    /// `&&label`
    LabelAddress(Ident),
    /// `_Generic(e, type: e, default: e)`; no type for `default`.
    Generic(ExprId, Vec<(Option<TypeName>, ExprId)>),
    /// `__builtin_va_arg(list, type)`
    VaArg(ExprId, Box<TypeName>),
    /// `__builtin_offsetof(type, x[1].y)`; the first designator is a member.
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_types_compatible_p(type, type)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, t, e)`
    Choose(ExprId, ExprId, ExprId),
    /// `__builtin_convertvector(e, type)`
    ConvertVector(ExprId, Box<TypeName>),
    /// What stood here was wrong, and has been reported.
    Error,
}

/// An integer literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integer {
    /// Its value.
    pub value: u128,
    /// Whether it is written with the base ten; another base widens the choice of types.
    pub is_decimal: bool,
    /// `u`
    pub is_unsigned: bool,
    /// How many `l`.
    pub longs: u8,
    /// `i` or `j`: an imaginary number.
    pub is_imaginary: bool,
}

/// A floating literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FloatLiteral {
    /// Its text without the suffix.
    pub text: Box<str>,
    /// Its type.
    pub kind: FloatType,
    /// `i` or `j`: an imaginary number.
    pub is_imaginary: bool,
}

/// A character literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CharLiteral {
    /// Its value: that of an `int` for a plain one, as gcc has it, several characters too.
    pub value: i64,
    /// The prefix.
    pub encoding: Encoding,
}

/// A string literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringLiteral {
    /// The code units, without the final zero.
    pub units: Units,
    /// The prefix.
    pub encoding: Encoding,
    /// Where it stands.
    pub span: Span,
}

/// The code units of a string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Units {
    /// One byte each.
    Bytes(Box<[u8]>),
    /// Two or four bytes each.
    Wide(Box<[u32]>),
}

/// The prefix of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encoding {
    /// None.
    Plain,
    /// `u8`
    Utf8,
    /// `u`
    Utf16,
    /// `U`
    Utf32,
    /// `L`
    Wide,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    BitNot,
    /// `!`
    Not,
    /// `*`
    Deref,
    /// `&`
    AddressOf,
    /// `++x`
    PreIncrement,
    /// `--x`
    PreDecrement,
    /// `x++`
    PostIncrement,
    /// `x--`
    PostDecrement,
    /// `__real__`
    Real,
    /// `__imag__`
    Imaginary,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `,`
    Comma,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Debug)]
pub enum StmtKind {
    /// `{ … }`
    Block(Vec<StmtId>),
    /// A declaration among statements.
    Declaration(Box<Declaration>),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssert),
    /// `__label__ a, b;`
    LocalLabels(Vec<Ident>),
    /// A function inside a function, as GNU C allows.
    NestedFunction(Box<FunctionDefinition>),
    /// `e;`
    Expr(ExprId),
    /// `;`, with attributes such as `fallthrough` or without
    Empty,
    /// `if (c) t else e`
    If(ExprId, StmtId, Option<StmtId>),
    /// `while (c) s`
    While(ExprId, StmtId),
    /// `do s while (c);`
    DoWhile(StmtId, ExprId),
    /// `for (init; condition; step) s`; the first is an expression statement, a declaration or empty.
    For {
        /// What happens first.
        init: Option<StmtId>,
        /// Asked before each round.
        condition: Option<ExprId>,
        /// Done after each round.
        step: Option<ExprId>,
        /// The round.
        body: StmtId,
    },
    /// `switch (e) s`
    Switch(ExprId, StmtId),
    /// `case low: s`, GNU's `case low ... high: s`
    Case(ExprId, Option<ExprId>, StmtId),
    /// `default: s`
    Default(StmtId),
    /// `label: s`
    Label(Ident, StmtId),
    /// `goto label;`
    Goto(Ident),
    /// `goto *e;`
    GotoComputed(ExprId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<ExprId>),
    /// `asm volatile ("…" : … : … : …);`
    Asm(Box<Asm>),
    /// What stood here was wrong, and has been reported.
    Error,
}

/// An `asm` statement.
#[derive(Debug)]
pub struct Asm {
    /// Its text.
    pub text: StringId,
    /// `volatile`
    pub is_volatile: bool,
    /// What it writes.
    pub outputs: Vec<AsmOperand>,
    /// What it reads.
    pub inputs: Vec<AsmOperand>,
    /// What else it destroys: `"memory"`, registers.
    pub clobbers: Vec<StringId>,
    /// Where it may jump to.
    pub labels: Vec<Ident>,
}

/// `[name] "constraint" (e)`
#[derive(Debug)]
pub struct AsmOperand {
    /// Its name in the text.
    pub name: Option<Ident>,
    /// How it is passed.
    pub constraint: StringId,
    /// What is passed.
    pub value: ExprId,
}
