//! Numbers: their value, their base and their suffixes.

use super::Parser;
use crate::ast::{ExprKind, FloatLiteral, FloatType, Integer};
use hardbop_base::{Diagnostic, Span};

impl Parser<'_> {
    /// What the number at `span` is worth.
    pub(super) fn number(&mut self, span: Span) -> ExprKind {
        let text = self.lexer.joined_text(span);
        match decode(&text) {
            Ok(kind) => kind,
            Err(message) => {
                self.report(Diagnostic::error("invalid-literal", message, span));
                ExprKind::Error
            }
        }
    }
}

fn decode(text: &str) -> Result<ExprKind, String> {
    let bytes = text.as_bytes();
    let (base, digits_start) = match bytes {
        [b'0', b'x' | b'X', ..] => (16, 2),
        [b'0', b'b' | b'B', ..] => (2, 2),
        [b'0', ..] => (8, 0),
        _ => (10, 0),
    };
    let is_digit = |byte: &&u8| if base == 16 { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let digits_end = digits_start + bytes[digits_start..].iter().take_while(is_digit).count();
    let is_float = match bytes.get(digits_end) {
        Some(b'.') => base != 2,
        Some(b'e' | b'E') => base == 8 || base == 10,
        Some(b'p' | b'P') => base == 16,
        _ => false,
    };
    if is_float {
        return float(text, base == 16);
    }
    let digits = &text[digits_start..digits_end];
    if digits.is_empty() {
        return Err(format!("`{}` has no digits", shortened(text)));
    }
    let (is_unsigned, longs, is_imaginary) = integer_suffix(&text[digits_end..])
        .ok_or_else(|| format!("no integer has the suffix `{}`", shortened(&text[digits_end..])))?;
    let mut value: u128 = 0;
    for byte in digits.bytes() {
        let digit = char::from(byte).to_digit(base).ok_or_else(|| {
            let kind = if base == 8 { "an octal" } else { "a binary" };
            format!("{kind} number has no digit `{}`", char::from(byte))
        })?;
        let next = value.checked_mul(u128::from(base)).and_then(|value| value.checked_add(u128::from(digit)));
        value = next.ok_or_else(|| String::from("this number has more than 128 bits"))?;
    }
    Ok(ExprKind::Integer(Integer { value, is_decimal: base == 10, is_unsigned, longs, is_imaginary }))
}

/// `u`, how many `l`, `i`; in any order, each at most once.
fn integer_suffix(suffix: &str) -> Option<(bool, u8, bool)> {
    let (mut is_unsigned, mut longs, mut is_imaginary) = (false, 0, false);
    let mut rest = suffix.as_bytes();
    while let Some(&first) = rest.first() {
        let mut len = 1;
        match first {
            b'u' | b'U' if !is_unsigned => is_unsigned = true,
            b'i' | b'j' | b'I' | b'J' if !is_imaginary => is_imaginary = true,
            b'l' | b'L' if longs == 0 => {
                len = if rest.get(1) == Some(&first) { 2 } else { 1 };
                longs = len as u8;
            }
            _ => return None,
        }
        rest = &rest[len..];
    }
    Some((is_unsigned, longs, is_imaginary))
}

fn float(text: &str, is_hex: bool) -> Result<ExprKind, String> {
    let bytes = text.as_bytes();
    let count = |from: usize, is_digit: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| is_digit(byte)).count();
    let is_digit: fn(&u8) -> bool = if is_hex { u8::is_ascii_hexdigit } else { u8::is_ascii_digit };
    let start = if is_hex { 2 } else { 0 };
    let whole = count(start, is_digit);
    let mut at = start + whole;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction = count(at + 1, is_digit);
        at += 1 + fraction;
    }
    if whole + fraction == 0 {
        return Err(format!("`{}` has no digits", shortened(text)));
    }
    let has_exponent = match bytes.get(at) {
        Some(b'p' | b'P') => is_hex,
        Some(b'e' | b'E') => !is_hex,
        _ => false,
    };
    if has_exponent {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let digits = count(at, u8::is_ascii_digit);
        if digits == 0 {
            return Err("this exponent has no digits".into());
        }
        at += digits;
    } else if is_hex {
        return Err("a hexadecimal floating number needs an exponent".into());
    }
    let (kind, is_imaginary) = float_suffix(&text[at..])
        .ok_or_else(|| format!("no floating number has the suffix `{}`", shortened(&text[at..])))?;
    Ok(ExprKind::Float(FloatLiteral { text: text[..at].into(), kind, is_imaginary }))
}

fn float_suffix(suffix: &str) -> Option<(FloatType, bool)> {
    let imaginary = ['i', 'j', 'I', 'J'];
    let (kind, is_imaginary) = match (suffix.strip_prefix(imaginary), suffix.strip_suffix(imaginary)) {
        (Some(rest), _) | (None, Some(rest)) => (rest, true),
        (None, None) => (suffix, false),
    };
    let kind = match kind {
        "" | "d" | "D" => FloatType::Double,
        "f" | "F" => FloatType::Float,
        "l" | "L" => FloatType::LongDouble,
        "q" | "Q" | "f128" | "F128" => FloatType::Float128,
        "w" | "W" | "f64x" | "F64x" => FloatType::Float64x,
        "f16" | "F16" | "bf16" | "BF16" => FloatType::Float16,
        "f32" | "F32" => FloatType::Float32,
        "f64" | "F64" => FloatType::Float64,
        "f32x" | "F32x" => FloatType::Float32x,
        "df" | "DF" => FloatType::Decimal32,
        "dd" | "DD" => FloatType::Decimal64,
        "dl" | "DL" => FloatType::Decimal128,
        _ => return None,
    };
    Some((kind, is_imaginary))
}

/// A piece of a message: a number may be a million characters long.
fn shortened(text: &str) -> &str {
    // Numbers are ASCII.
    text.get(..40).unwrap_or(text)
}
