//! `asm` statements: operands go through temporaries where they go through pointers.

use crate::unit::Unit;
use hardbop_base::Span;
use hardbop_c_core::{Asm, Expr, LabelId, Place, StmtKind, Type};
use hardbop_lang_c::ast::{self, AsmOperand, StringId, Units};

impl Unit<'_> {
    pub(super) fn asm(&mut self, asm: &ast::Asm, span: Span) {
        let mut outputs = Vec::new();
        let mut inputs = Vec::new();
        // What must be written back afterwards.
        let mut results: Vec<(Place, Place)> = Vec::new();
        for operand in &asm.outputs {
            if let Some(place) = self.output(operand, &mut results) {
                outputs.push((self.operand_name(operand), self.string_text(operand.constraint), place));
            }
        }
        for operand in &asm.inputs {
            let value = self.input(operand);
            inputs.push((self.operand_name(operand), self.string_text(operand.constraint), value));
        }
        let labels: Vec<LabelId> = asm.labels.iter().map(|&label| self.label(label)).collect();
        let may_jump = !labels.is_empty();
        let lowered = Asm {
            text: self.string_bytes(asm.text),
            is_volatile: asm.is_volatile || asm.outputs.is_empty(),
            outputs,
            inputs,
            clobbers: asm.clobbers.iter().map(|&clobber| self.string_text(clobber)).collect(),
            labels,
        };
        let lowered = StmtKind::Asm(Box::new(lowered));
        if may_jump {
            self.jump(lowered, span)
        } else {
            self.emit(lowered, span)
        }
        for (place, temporary) in results {
            self.emit(StmtKind::Assign(place, Expr::read(temporary)), span);
        }
    }

    fn output(&mut self, operand: &AsmOperand, results: &mut Vec<(Place, Place)>) -> Option<Place> {
        let span = self.ast.exprs[operand.value].span;
        let mistakes = self.mistakes;
        let Some(place) = self.place(operand.value) else {
            if self.mistakes == mistakes {
                self.wrong("not-assignable", "an output of `asm` must be a place", span);
            }
            return None;
        };
        let types = &self.module.types;
        let is_whole = types.is_complete(place.ty) && !self.is_variable(place.ty);
        if is_whole && !place.is_deref() && self.bit_width(&place).is_none() {
            return Some(place);
        }
        if !is_whole || types.is_array(place.ty) || *types.get(place.ty) == Type::VaList {
            self.unsupported("an output of `asm` that cannot be assigned", span);
            return None;
        }
        let text = self.text_of_place(&place);
        let temporary = self.temporary_place(place.ty, &text, span);
        if self.string_text(operand.constraint).contains('+') {
            let value = self.load(place.clone(), span);
            self.emit(StmtKind::Assign(temporary.clone(), value), span);
        }
        results.push((place, temporary.clone()));
        Some(temporary)
    }

    fn input(&mut self, operand: &AsmOperand) -> Expr {
        let span = self.ast.exprs[operand.value].span;
        // What must lie in memory is a place of its own; its address is not taken by C's rules.
        let mut value = self.value(operand.value);
        if self.is_void(value.ty) {
            return self.unsupported("an operand of `asm` without a size", span);
        }
        self.read_now(&mut value, span);
        value
    }

    fn operand_name(&self, operand: &AsmOperand) -> Option<String> {
        operand.name.map(|name| self.ast.names[name.name].to_string())
    }

    fn string_bytes(&self, id: StringId) -> Vec<u8> {
        match &self.ast.strings[id].units {
            Units::Bytes(bytes) => bytes.to_vec(),
            Units::Wide(_) => Vec::new(),
        }
    }

    fn string_text(&self, id: StringId) -> String {
        String::from_utf8_lossy(&self.string_bytes(id)).into_owned()
    }
}
