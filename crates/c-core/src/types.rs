//! Types, interned: equal types have equal ids, records and enumerations are what their declaration makes them.

use hardbop_base::{IndexVec, Span, newtype_index};
use rustc_hash::FxHashMap;

mod compatible;
mod number;
mod query;

newtype_index! {
    /// A type without qualifiers of its own.
    pub struct TypeId = "t";
    /// A `struct` or `union`.
    pub struct RecordId = "record";
    /// An `enum`.
    pub struct EnumId = "enum";
}

/// The machine that the program is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// `int`, `long` and pointers of 4 bytes (i386: `long long` and `double` are aligned to 4 inside records).
    Ilp32,
    /// `long` and pointers of 8 bytes (x86-64).
    Lp64,
}

/// The integers. `char` is signed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "named as in C")]
pub enum IntKind {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
}

/// The floating types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "named as in C")]
pub enum FloatKind {
    Float16,
    Float,
    Double,
    LongDouble,
    Float32,
    Float64,
    Float32x,
    Float64x,
    Float128,
    Decimal32,
    Decimal64,
    Decimal128,
}

/// What a pointer, an element or a member may be besides its type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic`
    pub is_atomic: bool,
}

/// A type with its qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Qualified {
    /// The type.
    pub ty: TypeId,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
}

/// How many elements an array has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// So many; zero is allowed, as in GNU C.
    Fixed(u64),
    /// Not said: the type is incomplete, or the array is the flexible last member of a record.
    Unknown,
    /// What this variable holds: the number of elements, as `size_t`. Only `c-lower` meets such types; no variable,
    /// place or expression of a finished module has one.
    Variable(crate::VarId),
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// An integer.
    Int(IntKind),
    /// A floating type.
    Float(FloatKind),
    /// `_Complex`
    Complex(FloatKind),
    /// A pointer to an object, to `void` or to a function.
    Pointer(Qualified),
    /// An array.
    Array(Qualified, Length),
    /// GNU's vector of so many elements.
    Vector(TypeId, u64),
    /// A `struct` or `union`.
    Record(RecordId),
    /// An `enum`.
    Enum(EnumId),
    /// A function.
    Function(FunctionType),
    /// `__builtin_va_list`: an object that only `va_start`, `va_arg`, `va_copy` and `va_end` look into. It is passed
    /// on by address, as the array that it is on x86-64.
    VaList,
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// What it returns.
    pub result: TypeId,
    /// What it takes.
    pub parameters: Parameters,
}

/// What a function takes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Parameters {
    /// `(int, char *)`
    Fixed(Vec<TypeId>),
    /// `(char *, ...)`
    Variadic(Vec<TypeId>),
    /// `()`: anything, after the default promotions.
    Unspecified,
}

/// `struct` or `union`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordKind {
    /// Members one after the other.
    Struct,
    /// Members on top of each other.
    Union,
}

/// A `struct` or `union`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Which of the two.
    pub kind: RecordKind,
    /// The tag in the source.
    pub tag: Option<String>,
    /// The name it is printed with; no other record of the module has it.
    pub name: String,
    /// The members with their places, once they are known.
    pub body: Option<RecordBody>,
    /// Where it is declared.
    pub span: Span,
}

/// The members of a record and their places in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordBody {
    /// The members in order; padding bit-fields without a name are left out.
    pub fields: Vec<Field>,
    /// Bytes, padding at the end included.
    pub size: u64,
    /// Bytes.
    pub align: u64,
}

/// A member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name; an anonymous record inside has a made-up one that no member in scope has.
    pub name: String,
    /// Whether the name is made up, and the members inside are named as if they were ours.
    pub is_anonymous: bool,
    /// Its type.
    pub ty: Qualified,
    /// The first byte, from the start of the record; of a bit-field, that of the storage unit it is accessed with.
    pub offset: u64,
    /// Where a bit-field lies.
    pub bits: Option<Bits>,
}

impl Field {
    /// Where a bit-field lies from the start of the unit that it is accessed with.
    pub fn bits_in_unit(&self) -> Option<Bits> {
        self.bits.map(|bits| Bits { first: bits.first.saturating_sub(self.offset.saturating_mul(8)), ..bits })
    }
}

/// Where a bit-field lies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bits {
    /// The first bit, least significant first, from the start of the record.
    pub first: u64,
    /// How many.
    pub width: u32,
}

/// An `enum`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enumeration {
    /// The tag in the source.
    pub tag: Option<String>,
    /// The name it is printed with.
    pub name: String,
    /// The integer type it is compatible with.
    pub underlying: IntKind,
    /// Its constants with their values; empty while it is only declared.
    pub constants: Vec<(String, i128)>,
    /// Where it is declared.
    pub span: Span,
}

/// All types of a module.
#[derive(Clone, Debug)]
pub struct Types {
    /// The machine.
    pub target: Target,
    /// All records.
    pub records: IndexVec<RecordId, Record>,
    /// All enumerations.
    pub enums: IndexVec<EnumId, Enumeration>,
    table: IndexVec<TypeId, Type>,
    index: FxHashMap<Type, TypeId>,
}

impl Types {
    /// No types yet but `void *`.
    pub fn new(target: Target) -> Self {
        let (records, enums) = (IndexVec::new(), IndexVec::new());
        let mut types = Self { target, records, enums, table: IndexVec::new(), index: FxHashMap::default() };
        let void = types.void();
        types.pointer_to(void);
        types
    }

    /// The type `void *`.
    pub fn void_pointer(&self) -> TypeId {
        let pointer = Type::Pointer(Qualified::plain(self.index[&Type::Void]));
        self.index[&pointer]
    }

    /// The id of `ty`.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = self.table.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    /// The type of `id`.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.table[id]
    }

    /// All types.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.table.iter_enumerated()
    }
}
