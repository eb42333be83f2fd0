//! Whether a call has the types of a model.
//!
//! Types of two modules are compared by what they are. Qualifiers do not matter, `void *` is a pointer to anything,
//! integers of the same size are the same, and a record of the model is whatever record the program has in its place, as
//! long as it is one throughout.

use hardbop_c_core::{FunctionType, Module, Parameters, Qualified, Record, RecordId, Type, TypeId, Types};
use rustc_hash::FxHashMap;

/// What the records of a model stand for.
#[derive(Clone, Default, Debug)]
pub(crate) struct Fit {
    records: FxHashMap<RecordId, TypeId>,
}

impl Fit {
    /// How the model of type `own` fits a call with arguments of these types, of a function that returns `result`.
    pub(crate) fn of_call(
        library: &Module,
        own: TypeId,
        module: &Module,
        result: TypeId,
        arguments: &[TypeId],
    ) -> Option<Self> {
        let Type::Function(FunctionType { result: returned, parameters }) = library.types.get(own) else { return None };
        let (taken, is_enough) = match parameters {
            Parameters::Fixed(taken) => (taken, taken.len() == arguments.len()),
            Parameters::Variadic(taken) => (taken, taken.len() <= arguments.len()),
            Parameters::Unspecified => return None,
        };
        let mut fit = Self::default();
        let types = (&library.types, &module.types);
        let fits = is_enough
            && fit.matches(types, *returned, result)
            && taken.iter().zip(arguments).all(|(&taken, &given)| fit.matches(types, taken, given));
        fits.then_some(fit)
    }

    fn matches(&mut self, types: (&Types, &Types), own: TypeId, other: TypeId) -> bool {
        let (library, program) = types;
        match (library.get(own), program.get(other)) {
            (Type::Void, Type::Void) | (Type::VaList, Type::VaList) => true,
            (Type::Int(own), Type::Int(other)) => library.int_size(*own) == program.int_size(*other),
            (Type::Float(own), Type::Float(other)) => own == other,
            (Type::Pointer(own), Type::Pointer(other)) => {
                library.is_void(own.ty) || program.is_void(other.ty) || self.matches(types, own.ty, other.ty)
            }
            (Type::Record(own), Type::Record(_)) => *self.records.entry(*own).or_insert(other) == other,
            (Type::Function(own), Type::Function(given)) => self.matches_function(types, own, given),
            _ => false,
        }
    }

    fn matches_function(&mut self, types: (&Types, &Types), own: &FunctionType, other: &FunctionType) -> bool {
        let fits = match (&own.parameters, &other.parameters) {
            (Parameters::Fixed(own), Parameters::Fixed(other)) => {
                own.len() == other.len() && own.iter().zip(other).all(|(&own, &other)| self.matches(types, own, other))
            }
            (_, Parameters::Unspecified) => true,
            _ => false,
        };
        fits && self.matches(types, own.result, other.result)
    }

    /// A type of the library as one of the program.
    pub(crate) fn translate(&mut self, library: &Types, program: &mut Types, ty: TypeId) -> TypeId {
        let moved = match library.get(ty) {
            Type::Record(record) => return self.record(library, program, *record),
            Type::Pointer(pointee) => Type::Pointer(self.qualified(library, program, *pointee)),
            Type::Array(element, length) => Type::Array(self.qualified(library, program, *element), *length),
            Type::Function(FunctionType { result, parameters }) => {
                let result = self.translate(library, program, *result);
                let mut all = |types: &[TypeId]| types.iter().map(|&ty| self.translate(library, program, ty)).collect();
                let parameters = match parameters {
                    Parameters::Fixed(types) => Parameters::Fixed(all(types)),
                    Parameters::Variadic(types) => Parameters::Variadic(all(types)),
                    Parameters::Unspecified => Parameters::Unspecified,
                };
                Type::Function(FunctionType { result, parameters })
            }
            plain @ (Type::Void | Type::Int(_) | Type::Float(_) | Type::VaList) => plain.clone(),
            other => unreachable!("no model has a type like {other:?}"),
        };
        program.intern(moved)
    }

    fn qualified(&mut self, library: &Types, program: &mut Types, ty: Qualified) -> Qualified {
        Qualified { ty: self.translate(library, program, ty.ty), ..ty }
    }

    fn record(&mut self, library: &Types, program: &mut Types, record: RecordId) -> TypeId {
        if let Some(&known) = self.records.get(&record) {
            return known;
        }
        let Record { kind, tag, name, span, .. } = library.records[record].clone();
        let added = program.records.push(Record { kind, tag, name, body: None, span });
        let ty = program.intern(Type::Record(added));
        self.records.insert(record, ty);
        ty
    }
}
