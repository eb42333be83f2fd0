//! Compatible types and what two declarations of one thing mean together.

use super::{EnumId, FloatKind, FunctionType, IntKind, Length, Parameters, Qualified, RecordId, Type, TypeId, Types};
use rustc_hash::FxHashSet;

/// When two records are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Records {
    /// If one declaration makes them.
    SameDeclaration,
    /// Also if they have the same tag and compatible members, as those of two translation units.
    SameMembers,
}

/// One question. A pair of records is taken to be compatible where it is met, and looked at once, later: records may
/// contain pointers to themselves, and long chains of records must not become deep recursion.
struct Comparison<'t> {
    types: &'t Types,
    records: Records,
    assumed: FxHashSet<(RecordId, RecordId)>,
    pending: Vec<(RecordId, RecordId)>,
}

impl Types {
    /// Whether the types are compatible; records of different translation units are if tags and members agree.
    pub fn is_compatible(&self, left: TypeId, right: TypeId) -> bool {
        Comparison::new(self, Records::SameMembers).run(left, right)
    }

    /// Whether the types are compatible within one translation unit, where every declaration of a record is its own.
    pub fn is_compatible_within_unit(&self, left: TypeId, right: TypeId) -> bool {
        Comparison::new(self, Records::SameDeclaration).run(left, right)
    }

    /// What is known from both of two compatible types together.
    pub fn composite(&mut self, left: TypeId, right: TypeId) -> TypeId {
        if left == right {
            return left;
        }
        match (self.get(left).clone(), self.get(right).clone()) {
            (Type::Pointer(first), Type::Pointer(second)) => {
                let ty = self.composite(first.ty, second.ty);
                self.pointer_to_qualified(Qualified { ty, ..first })
            }
            (Type::Array(first, length), Type::Array(second, other)) => {
                let ty = self.composite(first.ty, second.ty);
                let length = match (length, other) {
                    (Length::Unknown, known) => known,
                    (Length::Variable(_), Length::Fixed(_)) => other,
                    _ => length,
                };
                self.array_of(Qualified { ty, ..first }, length)
            }
            (Type::Function(first), Type::Function(second)) => {
                let result = self.composite(first.result, second.result);
                let parameters = self.composite_parameters(first.parameters, second.parameters);
                self.function(result, parameters)
            }
            (Type::Record(first), Type::Record(_)) if self.body(first).is_none() => right,
            _ => left,
        }
    }

    fn composite_parameters(&mut self, left: Parameters, right: Parameters) -> Parameters {
        let mut both = |left: Vec<TypeId>, right: Vec<TypeId>| {
            left.into_iter().zip(right).map(|(left, right)| self.composite(left, right)).collect()
        };
        match (left, right) {
            (Parameters::Unspecified, known) | (known, Parameters::Unspecified) => known,
            (Parameters::Fixed(left), Parameters::Fixed(right)) => Parameters::Fixed(both(left, right)),
            (Parameters::Variadic(left), Parameters::Variadic(right)) => Parameters::Variadic(both(left, right)),
            (left, _) => left,
        }
    }
}

impl<'t> Comparison<'t> {
    fn new(types: &'t Types, records: Records) -> Self {
        Self { types, records, assumed: FxHashSet::default(), pending: Vec::new() }
    }

    fn run(mut self, left: TypeId, right: TypeId) -> bool {
        let mut is_compatible = self.types(left, right);
        while is_compatible && let Some((left, right)) = self.pending.pop() {
            is_compatible = self.members(left, right);
        }
        is_compatible
    }

    fn types(&mut self, left: TypeId, right: TypeId) -> bool {
        if left == right {
            return true;
        }
        match (self.types.get(left), self.types.get(right)) {
            (&Type::Pointer(left), &Type::Pointer(right)) => self.qualified(left, right),
            (&Type::Array(left, length), &Type::Array(right, other)) => {
                let same_length = match (length, other) {
                    (Length::Fixed(length), Length::Fixed(other)) => length == other,
                    _ => true,
                };
                same_length && self.qualified(left, right)
            }
            (Type::Vector(left, length), Type::Vector(right, other)) => length == other && self.types(*left, *right),
            (Type::Function(left), Type::Function(right)) => self.functions(left, right),
            (&Type::Record(left), &Type::Record(right)) => self.records(left, right),
            (&Type::Enum(left), &Type::Enum(right)) => self.records == Records::SameMembers && self.enums(left, right),
            (&Type::Enum(id), &Type::Int(kind)) | (&Type::Int(kind), &Type::Enum(id)) => {
                let row = &self.types.enums[id];
                // What is only declared has no integer yet.
                row.underlying == kind && (self.records == Records::SameMembers || !row.constants.is_empty())
            }
            _ => false,
        }
    }

    fn qualified(&mut self, left: Qualified, right: Qualified) -> bool {
        left.qualifiers == right.qualifiers && self.types(left.ty, right.ty)
    }

    fn functions(&mut self, left: &FunctionType, right: &FunctionType) -> bool {
        if !self.types(left.result, right.result) {
            return false;
        }
        let (left, right) = match (&left.parameters, &right.parameters) {
            (Parameters::Unspecified, Parameters::Unspecified) => return true,
            (Parameters::Unspecified, Parameters::Fixed(types))
            | (Parameters::Fixed(types), Parameters::Unspecified) => {
                return types.iter().all(|&ty| self.survives_promotion(ty));
            }
            (Parameters::Fixed(left), Parameters::Fixed(right)) => (left, right),
            (Parameters::Variadic(left), Parameters::Variadic(right)) => (left, right),
            _ => return false,
        };
        left.len() == right.len() && left.iter().zip(right).all(|(&left, &right)| self.types(left, right))
    }

    /// Whether the default argument promotions leave the type as it is.
    fn survives_promotion(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Float(kind) => *kind != FloatKind::Float,
            _ => self.types.int_kind(ty).is_none_or(|kind| kind.rank() >= IntKind::Int.rank()),
        }
    }

    fn records(&mut self, left: RecordId, right: RecordId) -> bool {
        let (first, second) = (&self.types.records[left], &self.types.records[right]);
        if self.records == Records::SameDeclaration || first.kind != second.kind || first.tag != second.tag {
            return false;
        }
        if first.body.is_none() || second.body.is_none() {
            return first.tag.is_some();
        }
        if self.assumed.insert((left, right)) {
            self.pending.push((left, right));
        }
        true
    }

    fn members(&mut self, left: RecordId, right: RecordId) -> bool {
        let (Some(left), Some(right)) = (self.types.body(left), self.types.body(right)) else {
            return true;
        };
        (left.size, left.align, left.fields.len()) == (right.size, right.align, right.fields.len())
            && left.fields.iter().zip(&right.fields).all(|(left, right)| {
                left.is_anonymous == right.is_anonymous
                    && (left.is_anonymous || left.name == right.name)
                    && (left.offset, left.bits) == (right.offset, right.bits)
                    && self.qualified(left.ty, right.ty)
            })
    }

    fn enums(&self, left: EnumId, right: EnumId) -> bool {
        let (left, right) = (&self.types.enums[left], &self.types.enums[right]);
        let is_declared_only = left.constants.is_empty() || right.constants.is_empty();
        left.tag == right.tag
            && left.underlying == right.underlying
            && (is_declared_only && left.tag.is_some() || left.constants == right.constants)
    }
}
