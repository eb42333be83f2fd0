//! Making types and asking about them.

use super::{
    Field, FloatKind, FunctionType, IntKind, Length, Parameters, Qualified, Qualifiers, RecordBody, RecordId, Target,
    Type, TypeId, Types,
};

impl Qualifiers {
    /// No qualifiers.
    pub const NONE: Self = Self { is_const: false, is_volatile: false, is_restrict: false, is_atomic: false };

    /// Those of both.
    pub fn union(self, other: Self) -> Self {
        Self {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
            is_atomic: self.is_atomic || other.is_atomic,
        }
    }
}

impl Qualified {
    /// The type without qualifiers.
    pub fn plain(ty: TypeId) -> Self {
        Self { ty, qualifiers: Qualifiers::NONE }
    }
}

impl Types {
    /// `void`
    pub fn void(&mut self) -> TypeId {
        self.intern(Type::Void)
    }

    /// An integer type.
    pub fn int(&mut self, kind: IntKind) -> TypeId {
        self.intern(Type::Int(kind))
    }

    /// A floating type.
    pub fn float(&mut self, kind: FloatKind) -> TypeId {
        self.intern(Type::Float(kind))
    }

    /// A pointer to the type without qualifiers.
    pub fn pointer_to(&mut self, pointee: TypeId) -> TypeId {
        self.intern(Type::Pointer(Qualified::plain(pointee)))
    }

    /// A pointer to the type with its qualifiers.
    pub fn pointer_to_qualified(&mut self, pointee: Qualified) -> TypeId {
        self.intern(Type::Pointer(pointee))
    }

    /// An array of so many elements.
    pub fn array_of(&mut self, element: Qualified, length: Length) -> TypeId {
        self.intern(Type::Array(element, length))
    }

    /// A function type.
    pub fn function(&mut self, result: TypeId, parameters: Parameters) -> TypeId {
        self.intern(Type::Function(FunctionType { result, parameters }))
    }

    /// The type without qualifiers.
    pub fn plain(&self, ty: TypeId) -> Qualified {
        Qualified::plain(ty)
    }

    /// Bytes of an object. `void` and functions have one, as in GNU C; incomplete types and those whose length only a
    /// run knows have none that we know, nor have those of more than 2⁶⁴ bytes.
    pub fn size_of(&self, ty: TypeId) -> Option<u64> {
        match *self.get(ty) {
            Type::Void | Type::Function(_) => Some(1),
            Type::Int(kind) => Some(self.int_size(kind)),
            Type::Float(kind) => Some(self.float_size(kind)),
            Type::Complex(kind) => Some(2 * self.float_size(kind)),
            Type::Pointer(_) => Some(self.pointer_size()),
            Type::Array(element, Length::Fixed(length)) => self.size_of(element.ty)?.checked_mul(length),
            Type::Array(_, Length::Unknown | Length::Variable(_)) => None,
            Type::Vector(element, length) => self.size_of(element)?.checked_mul(length),
            Type::Record(record) => Some(self.body(record)?.size),
            Type::Enum(id) => Some(self.int_size(self.enums[id].underlying)),
            Type::VaList => Some(match self.target {
                Target::Ilp32 => 4,
                Target::Lp64 => 24,
            }),
        }
    }

    /// The alignment that an object is sure to have, C's `_Alignof`: on i386 `long long` and `double` have 4. One for
    /// what is incomplete.
    pub fn align_of(&self, ty: TypeId) -> u64 {
        match *self.get(ty) {
            Type::Void | Type::Function(_) => 1,
            Type::Int(kind) => self.target.int_align(kind),
            Type::Float(kind) | Type::Complex(kind) => self.target.float_align(kind),
            Type::Pointer(_) | Type::VaList => self.pointer_size(),
            Type::Array(element, _) => self.align_of_qualified(element),
            Type::Vector(..) => self.size_of(ty).unwrap_or(1).max(1),
            Type::Record(record) => self.body(record).map_or(1, |body| body.align),
            Type::Enum(id) => self.target.int_align(self.enums[id].underlying),
        }
    }

    /// The alignment with the qualifiers minded: what is `_Atomic` and fits into a lock-free access is aligned to its
    /// size.
    pub fn align_of_qualified(&self, ty: Qualified) -> u64 {
        let align = self.align_of(ty.ty);
        match self.size_of(ty.ty) {
            Some(size @ (1 | 2 | 4 | 8 | 16)) if ty.qualifiers.is_atomic => align.max(size),
            _ => align,
        }
    }

    /// The alignment that gcc gives to variables, GNU's `__alignof__`: on i386 `long long` and `double` have 8.
    pub fn preferred_align_of(&self, ty: TypeId) -> u64 {
        let eight = |size: u64| if size == 8 { 8 } else { self.align_of(ty) };
        match *self.get(ty) {
            Type::Int(kind) => eight(self.int_size(kind)),
            Type::Enum(id) => eight(self.int_size(self.enums[id].underlying)),
            Type::Float(kind) | Type::Complex(kind) => eight(self.float_size(kind)),
            Type::Array(element, _) => self.preferred_align_of(element.ty).max(self.align_of_qualified(element)),
            _ => self.align_of(ty),
        }
    }

    /// The integer that an integer or enumeration type is.
    pub fn int_kind(&self, ty: TypeId) -> Option<IntKind> {
        match *self.get(ty) {
            Type::Int(kind) => Some(kind),
            Type::Enum(id) => Some(self.enums[id].underlying),
            _ => None,
        }
    }

    /// What a pointer points to.
    pub fn pointee(&self, ty: TypeId) -> Option<Qualified> {
        match *self.get(ty) {
            Type::Pointer(pointee) => Some(pointee),
            _ => None,
        }
    }

    /// What an array or a vector consists of.
    pub fn element(&self, ty: TypeId) -> Option<Qualified> {
        match *self.get(ty) {
            Type::Array(element, _) => Some(element),
            Type::Vector(element, _) => Some(Qualified::plain(element)),
            _ => None,
        }
    }

    /// The record that a type is.
    pub fn record(&self, ty: TypeId) -> Option<RecordId> {
        match *self.get(ty) {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The function type that a type is, or that it points to.
    pub fn callee(&self, ty: TypeId) -> Option<&FunctionType> {
        match self.get(ty) {
            Type::Function(function) => Some(function),
            Type::Pointer(pointee) => match self.get(pointee.ty) {
                Type::Function(function) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }

    /// The members of a record, once they are known.
    pub fn body(&self, record: RecordId) -> Option<&RecordBody> {
        self.records[record].body.as_ref()
    }

    /// A member of a complete record type.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn field(&self, ty: TypeId, index: u32) -> &Field {
        let body = self.record(ty).and_then(|record| self.body(record)).expect("a complete record has members");
        &body.fields[index as usize]
    }

    /// The way to the member with this name, through anonymous members if need be.
    pub fn find_field(&self, record: RecordId, name: &str) -> Option<Vec<u32>> {
        let fields = &self.body(record)?.fields;
        for (index, field) in (0..).zip(fields) {
            if !field.is_anonymous {
                if field.name == name {
                    return Some(vec![index]);
                }
            } else if let Some(inner) = self.record(field.ty.ty)
                && let Some(mut path) = self.find_field(inner, name)
            {
                path.insert(0, index);
                return Some(path);
            }
        }
        None
    }

    /// An integer or an enumeration.
    pub fn is_integer(&self, ty: TypeId) -> bool {
        self.int_kind(ty).is_some()
    }

    /// A floating type, complex ones included.
    pub fn is_floating(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Float(_) | Type::Complex(_))
    }

    /// A number.
    pub fn is_arithmetic(&self, ty: TypeId) -> bool {
        self.is_integer(ty) || self.is_floating(ty)
    }

    /// A pointer.
    pub fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Pointer(_))
    }

    /// A number or a pointer.
    pub fn is_scalar(&self, ty: TypeId) -> bool {
        self.is_arithmetic(ty) || self.is_pointer(ty)
    }

    /// A function.
    pub fn is_function(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Function(_))
    }

    /// `void`
    pub fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Void)
    }

    /// An array.
    pub fn is_array(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Array(..))
    }

    /// Whether objects can have it: all but `void`, functions, records that are only declared, and arrays without a
    /// length or with elements that are incomplete.
    pub fn is_complete(&self, ty: TypeId) -> bool {
        match *self.get(ty) {
            Type::Void | Type::Function(_) | Type::Array(_, Length::Unknown) => false,
            Type::Array(element, _) => self.is_complete(element.ty),
            Type::Record(record) => self.body(record).is_some(),
            _ => true,
        }
    }
}
