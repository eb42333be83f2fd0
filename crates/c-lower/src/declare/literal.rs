//! Objects and functions without a declaration: strings, names of functions, what compilers know.

use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::{
    FunctionId, InitialPart, InitialValue, Initialiser, IntKind, Length, Linkage, Qualified, Qualifiers, TypeId, VarId,
    VarKind, Variable,
};
use hardbop_lang_c::ast::{Encoding, StringId, StringLiteral, Units};

impl Unit<'_> {
    /// The object of a string literal; equal ones share it.
    pub fn literal(&mut self, string: StringId) -> VarId {
        let ast = self.ast;
        let literal = &ast.strings[string];
        let kind = self.unit_kind(literal.encoding);
        let length = unit_count(literal) + 1;
        let key = (kind, self.literal_bytes(literal, length));
        if let Some(&var) = self.declared.literals.get(&key) {
            return var;
        }
        let element = Qualified::plain(self.module.types.int(kind));
        let var = self.new_literal(element, length, key.1.clone(), literal.span);
        self.declared.literals.insert(key, var);
        var
    }

    /// The object of `__func__`.
    pub fn function_name_literal(&mut self) -> VarId {
        let id = self.activation().id;
        if let Some((function, var)) = self.declared.function_name
            && function == id
        {
            return var;
        }
        let function = &self.module.functions[id];
        let (name, span) = (function.source_name.clone(), function.span);
        let qualifiers = Qualifiers { is_const: true, ..Qualifiers::NONE };
        let element = Qualified { ty: self.module.types.int(IntKind::Char), qualifiers };
        let var = self.new_literal(element, name.len() as u64 + 1, name.bytes().chain([0]).collect(), span);
        self.declared.function_name = Some((id, var));
        var
    }

    fn new_literal(&mut self, element: Qualified, length: u64, bytes: Box<[u8]>, span: Span) -> VarId {
        let part = InitialPart { path: Vec::new(), value: InitialValue::Bytes(bytes) };
        let ty = self.module.types.array_of(element, Length::Fixed(length));
        self.module.vars.push(Variable {
            name: String::new(),
            source_name: String::new(),
            ty: Qualified::plain(ty),
            kind: VarKind::Literal,
            init: Some(Initialiser { parts: vec![part] }),
            is_thread_local: false,
            is_weak: false,
            symbol: None,
            other_names: Vec::new(),
            is_model: false,
            is_kept: false,
            is_address_taken: false,
            align: None,
            span,
        })
    }

    /// The bytes in memory of the first `length` elements of a string, its final zero included where there is room.
    pub fn literal_bytes(&self, literal: &StringLiteral, length: u64) -> Box<[u8]> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let size = self.module.types.int_size(self.unit_kind(literal.encoding)) as usize;
        match &literal.units {
            Units::Bytes(bytes) => bytes.iter().copied().chain([0]).take(length).collect(),
            Units::Wide(units) => {
                let units = units.iter().copied().chain([0]).take(length);
                units.flat_map(|unit| unit.to_le_bytes().into_iter().take(size)).collect()
            }
        }
    }

    /// The integer that a string with this prefix consists of.
    pub fn unit_kind(&self, encoding: Encoding) -> IntKind {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => IntKind::Char,
            Encoding::Utf16 => IntKind::UnsignedShort,
            Encoding::Utf32 => IntKind::UnsignedInt,
            Encoding::Wide => self.module.types.wide_char_kind(),
        }
    }

    /// A function that compilers know, without a body.
    pub fn builtin(&mut self, name: &str, ty: TypeId) -> FunctionId {
        if let Some(&id) = self.declared.builtins.get(name) {
            return id;
        }
        if let Some(id) = self.linked_function(name) {
            return id;
        }
        let id = self.new_function(name, ty, Linkage::External, Span::new(0, 0));
        self.declared.builtins.insert(name.into(), id);
        id
    }
}

/// How many code units a string has, its final zero not counted.
pub(crate) fn unit_count(literal: &StringLiteral) -> u64 {
    match &literal.units {
        Units::Bytes(bytes) => bytes.len() as u64,
        Units::Wide(units) => units.len() as u64,
    }
}
