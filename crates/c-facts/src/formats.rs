//! The set `printed(s)`: the scalars of the strings that a call prints.
//!
//! Which of its further arguments a function like `printf` takes for strings is what its format says, the last of the
//! arguments that are declared. Where that is not a string literal, it may be all that point to bytes.

use super::cells::CellId;
use super::memory::join;
use super::scribe::Scribe;
use super::shapes::Shaper;
use super::things::{Member, Thing};
use hardbop_c_core as c;
use hardbop_c_core::{Expr, StmtKind};
use hardbop_c_graph::Action;
use hardbop_icfg::EdgeId;
use hardbop_points_to::{ObjectKind, Target};
use std::collections::{BTreeMap, BTreeSet};

impl<'m> Scribe<'_, 'm> {
    /// The scalars of the strings that the call of an edge prints.
    pub(crate) fn printed(&mut self, edge: EdgeId) -> Vec<Member<'m>> {
        let Some(function) = self.shaper.function(edge) else { return Vec::new() };
        let mut found: BTreeMap<CellId, Member<'m>> = BTreeMap::new();
        for argument in self.shaper.printed(edge) {
            let thing = Thing::Value(self.shaper.source(function, argument));
            for member in self.string(&thing) {
                if let Thing::Cell(cell) = member.thing {
                    join(&mut found, cell, member.when);
                }
            }
        }
        found.into_values().collect()
    }
}

impl<'m> Shaper<'_, 'm> {
    /// The arguments that the call of an edge takes for strings.
    fn printed(&self, edge: EdgeId) -> Vec<&'m Expr> {
        let (stmt, callee) = match self.cells.subject.graph.actions[edge] {
            Action::Call(stmt, callee) | Action::External(stmt, Some(callee)) => (stmt, callee),
            _ => return Vec::new(),
        };
        let types = &self.module().types;
        let declared = types.callee(self.module().functions[callee].ty).map(|ty| &ty.parameters);
        let (StmtKind::Call { arguments, .. }, Some(c::Parameters::Variadic(fixed))) = (&stmt.kind, declared) else {
            return Vec::new();
        };
        let Some(format) = fixed.len().checked_sub(1).and_then(|last| arguments.get(last)) else { return Vec::new() };
        let is_text = |argument: &Expr| {
            let pointee = super::externals::pointee(self, argument);
            pointee.is_none_or(|ty| types.size_of(ty) == Some(1)) && types.is_pointer(argument.ty)
        };
        let taken = self.formats(format).map(|formats| formats.into_iter().flat_map(strings).collect::<BTreeSet<_>>());
        let further = arguments.iter().skip(fixed.len()).enumerate();
        let is_taken = |&(index, argument): &(usize, &'m Expr)| match &taken {
            Some(taken) => taken.contains(&index),
            None => is_text(argument),
        };
        further.filter(is_taken).map(|(_, argument)| argument).collect()
    }

    /// The string literals that a format may be, if it is one for certain.
    pub(crate) fn formats(&self, format: &Expr) -> Option<Vec<&'m [u8]>> {
        let points_to = self.cells.subject.points_to;
        let text = |target: &Target| {
            let ObjectKind::Variable(var) = points_to.kind(target.object) else { return None };
            let variable = &self.module().vars[var];
            match (variable.kind, variable.init.as_ref().map(|init| &init.parts[..])) {
                (c::VarKind::Literal, Some([c::InitialPart { value: c::InitialValue::Bytes(text), .. }])) => {
                    Some(&text[..])
                }
                _ => None,
            }
        };
        points_to.points_to_expr(format).iter().map(text).collect()
    }
}

/// The further arguments that a format of `printf` takes for strings, the first being 0.
fn strings(format: &[u8]) -> Vec<usize> {
    let (mut found, mut next, mut rest) = (Vec::new(), 0, format);
    while let Some(start) = rest.iter().position(|&byte| byte == b'%') {
        rest = &rest[start + 1..];
        let (mut own, mut number, mut is_precision, mut reads) = (None, 0usize, false, true);
        let end = rest.iter().position(|byte| !b"0123456789-+ #'.*$hlLjztqI".contains(byte));
        for &byte in &rest[..end.unwrap_or(rest.len())] {
            match byte {
                b'0'..=b'9' => number = number.saturating_mul(10).saturating_add(usize::from(byte - b'0')),
                b'$' => (own, number) = (number.checked_sub(1).or(own), 0),
                // A width or a precision is an argument, unless it has a number of its own.
                b'*' => (next, number) = (next + 1, 1),
                b'.' => (is_precision, number) = (true, 0),
                _ => {}
            }
        }
        reads &= !(is_precision && number == 0);
        let Some(end) = end else { break };
        match rest[end] {
            b'%' | b'm' => {}
            conversion => {
                let index = own.unwrap_or(next);
                next += usize::from(own.is_none());
                found.extend((reads && b"sS".contains(&conversion)).then_some(index));
            }
        }
        rest = &rest[end + 1..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::strings;

    #[test]
    fn a_string_is_a_conversion() {
        let cases: [(&[u8], &[usize]); 10] = [
            (b"%s", &[0]),
            (b"%d %5s%%s", &[1]),
            (b"%*d %-.3s", &[2]),
            (b"%.*s %s", &[1, 2]),
            (b"%2$s %1$d", &[1]),
            (b"%ls%m%p", &[0]),
            (b"%.0s%.s", &[]),
            (b"100%", &[]),
            (b"%zu %lld %hhx %s", &[3]),
            (b"s\n", &[]),
        ];
        for (format, expected) in cases {
            assert_eq!(strings(format), expected, "{format:?}");
        }
    }
}
