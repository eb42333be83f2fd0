//! Writing a formula so that [`parse`](super::parse()) reads the same again.

use std::fmt;

use super::parse::is_bare;
use super::{Binary, Formula, FormulaId, Node, Unary};

/// How tightly the place binds that a subformula is written into.
const UNARY: u8 = 7;
const COMPARISON: u8 = 6;
const TEMPORAL: u8 = 5;
const AND: u8 = 4;
const OR: u8 = 3;
const XOR: u8 = 2;
const IMPLIES: u8 = 1;
const IFF: u8 = 0;

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, self.root, IFF)
    }
}

struct Part<'f>(&'f Formula, FormulaId);

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, self.1, IFF)
    }
}

impl Formula {
    /// The text of a subformula.
    pub fn text(&self, id: FormulaId) -> String {
        Part(self, id).to_string()
    }

    // As deep as the formula is high, which is limited.
    fn write(&self, f: &mut fmt::Formatter<'_>, id: FormulaId, place: u8) -> fmt::Result {
        let binds = self.binds(id);
        let is_wrapped = binds < place;
        if is_wrapped {
            f.write_str("(")?;
        }
        match &self.nodes[id] {
            Node::Constant(value) => write!(f, "{value}")?,
            Node::Prop(prop) => match self.props[*prop].text.as_str() {
                text if is_bare(text) => f.write_str(text)?,
                text => write!(f, "\"{text}\"")?,
            },
            Node::Unary(operator, inner) => self.write_unary(f, *operator, *inner)?,
            Node::Binary(operator, left, right) => {
                self.write(f, *left, binds + 1)?;
                write!(f, " {} ", sign(*operator))?;
                // All of them lean to the right; few remember that of the temporal ones.
                self.write(f, *right, if binds == TEMPORAL { binds + 1 } else { binds })?;
            }
            Node::And(parts) | Node::Or(parts) => {
                for (place, part) in parts.iter().enumerate() {
                    let sign = if binds == AND { " && " } else { " || " };
                    f.write_str(if place == 0 { "" } else { sign })?;
                    self.write(f, *part, binds + 1)?;
                }
            }
        }
        if is_wrapped {
            f.write_str(")")?;
        }
        Ok(())
    }

    fn write_unary(&self, f: &mut fmt::Formatter<'_>, operator: Unary, inner: FormulaId) -> fmt::Result {
        f.write_str(match operator {
            Unary::Not => "!",
            Unary::Next => "X",
            Unary::Eventually => "F",
            Unary::Always => "G",
        })?;
        let is_apart = operator != Unary::Not
            && match self.nodes[inner] {
                Node::Unary(below, _) => below == Unary::Not,
                Node::Binary(..) | Node::And(_) | Node::Or(_) => false,
                Node::Constant(_) => true,
                Node::Prop(_) => self.binds(inner) >= UNARY,
            };
        f.write_str(if is_apart { " " } else { "" })?;
        self.write(f, inner, UNARY)
    }

    fn binds(&self, id: FormulaId) -> u8 {
        match &self.nodes[id] {
            Node::Constant(_) | Node::Unary(..) => UNARY,
            Node::Prop(prop) => {
                let text = &self.props[*prop].text;
                let is_comparison = text.contains(|c: char| "<>=!+-*/".contains(c)) && is_bare(text);
                if is_comparison { COMPARISON } else { UNARY }
            }
            Node::And(_) => AND,
            Node::Or(_) => OR,
            Node::Binary(operator, ..) => match operator {
                Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => TEMPORAL,
                Binary::Xor => XOR,
                Binary::Implies => IMPLIES,
                Binary::Iff => IFF,
            },
        }
    }
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Until => "U",
        Binary::WeakUntil => "W",
        Binary::Release => "R",
        Binary::StrongRelease => "M",
        Binary::Xor => "xor",
        Binary::Implies => "->",
        Binary::Iff => "<->",
    }
}
