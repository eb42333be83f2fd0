//! The format engine of `printf` and its family.

use crate::machine::{Argument, Machine, Passed};
use crate::outcome::{Fallible, Undefined, unsupported};
use crate::value::{IntShape, Pointer, Shape, Value};

/// Where the arguments come from.
pub(super) enum Source<'a> {
    /// They are passed.
    Rest(&'a [Argument]),
    /// They are in this list.
    List(Pointer),
}

impl Source<'_> {
    fn next(&mut self, machine: &mut Machine<'_, '_>) -> Fallible<Argument> {
        match self {
            Self::Rest(arguments) => match arguments.split_first() {
                Some((first, rest)) => {
                    let first = first.clone();
                    *arguments = rest;
                    Ok(first)
                }
                None => bad("an argument is missing"),
            },
            Self::List(list) => machine.take_argument(*list),
        }
    }
}

fn bad<T>(why: &str) -> Fallible<T> {
    Err(Undefined::BadFormat(why.into()).into())
}

/// One directive.
#[derive(Default)]
struct Directive {
    is_left: bool,
    shows_plus: bool,
    shows_space: bool,
    is_alternative: bool,
    pads_with_zeros: bool,
    width: usize,
    precision: Option<usize>,
    length: Vec<u8>,
    conversion: u8,
}

// Wider output would only serve to exhaust memory.
const MAX_WIDTH: usize = 1 << 20;

/// What `format` prints.
pub(super) fn print(machine: &mut Machine<'_, '_>, format: &[u8], mut source: Source<'_>) -> Fallible<Vec<u8>> {
    let mut output = Vec::new();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            output.push(byte);
            continue;
        }
        let directive = parse(machine, &mut rest, &mut source)?;
        let text = convert(machine, &directive, &mut source)?;
        output.extend_from_slice(&text);
    }
    Ok(output)
}

fn parse(machine: &mut Machine<'_, '_>, rest: &mut &[u8], source: &mut Source<'_>) -> Fallible<Directive> {
    let mut directive = Directive::default();
    while let Some((&flag, after)) = rest.split_first() {
        match flag {
            b'-' => directive.is_left = true,
            b'+' => directive.shows_plus = true,
            b' ' => directive.shows_space = true,
            b'#' => directive.is_alternative = true,
            b'0' => directive.pads_with_zeros = true,
            _ => break,
        }
        *rest = after;
    }
    if let Some(width) = number(machine, rest, source)? {
        directive.is_left |= width < 0;
        directive.width = width.unsigned_abs() as usize;
    }
    if let Some((b'.', after)) = rest.split_first() {
        *rest = after;
        let precision = number(machine, rest, source)?.unwrap_or(0);
        directive.precision = usize::try_from(precision).ok();
    }
    while let Some((&letter @ (b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q'), after)) = rest.split_first() {
        directive.length.push(letter);
        *rest = after;
    }
    let Some((&conversion, after)) = rest.split_first() else { return bad("a directive has no end") };
    *rest = after;
    directive.conversion = conversion;
    if directive.width > MAX_WIDTH || directive.precision.is_some_and(|precision| precision > MAX_WIDTH) {
        return unsupported("a very wide output");
    }
    Ok(directive)
}

/// A number in the format, or `*` and its argument.
fn number(machine: &mut Machine<'_, '_>, rest: &mut &[u8], source: &mut Source<'_>) -> Fallible<Option<i32>> {
    if let Some((b'*', after)) = rest.split_first() {
        *rest = after;
        return match source.next(machine)?.passed {
            Passed::Scalar(Value::Int(bits)) => Ok(Some(bits as i32)),
            _ => bad("the argument of * is no int"),
        };
    }
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, after) = rest.split_at(count);
    *rest = after;
    let add = |number: i32, digit: &u8| number.saturating_mul(10).saturating_add(i32::from(digit - b'0'));
    Ok((count > 0).then(|| digits.iter().fold(0, add)))
}

fn convert(machine: &mut Machine<'_, '_>, directive: &Directive, source: &mut Source<'_>) -> Fallible<Vec<u8>> {
    match directive.conversion {
        b'%' => Ok(b"%".to_vec()),
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
            let argument = source.next(machine)?;
            integer(machine, directive, &argument)
        }
        b'c' => match source.next(machine)?.passed {
            Passed::Scalar(Value::Int(bits)) if directive.length.is_empty() => Ok(padded(directive, &[bits as u8])),
            _ => bad("the argument of %c is no int"),
        },
        b's' => match source.next(machine)?.passed {
            Passed::Scalar(Value::Pointer(pointer)) if directive.length.is_empty() => {
                let limit = directive.precision.map_or(u64::MAX, |precision| precision as u64);
                let text = machine.read_string_up_to(pointer, limit)?;
                Ok(padded(directive, &text))
            }
            Passed::Scalar(Value::Pointer(_)) => unsupported("wide characters"),
            _ => bad("the argument of %s is no pointer"),
        },
        b'p' => match source.next(machine)?.passed {
            Passed::Scalar(Value::Pointer(Pointer { address: 0, .. })) => Ok(padded(directive, b"(nil)")),
            Passed::Scalar(Value::Pointer(pointer)) => {
                Ok(padded(directive, format!("{:#x}", pointer.address).as_bytes()))
            }
            _ => bad("the argument of %p is no pointer"),
        },
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' if directive.length.contains(&b'L') => unsupported("long double"),
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => match source.next(machine)?.passed {
            Passed::Scalar(Value::Double(number)) => Ok(floating(directive, number)),
            _ => bad("the argument is no double"),
        },
        other => unsupported(format!("the directive %{}", char::from(other))),
    }
}

fn padded(directive: &Directive, text: &[u8]) -> Vec<u8> {
    let padding = vec![b' '; directive.width.saturating_sub(text.len())];
    if directive.is_left { [text, &padding].concat() } else { [&padding, text].concat() }
}

fn integer(machine: &Machine<'_, '_>, directive: &Directive, argument: &Argument) -> Fallible<Vec<u8>> {
    let word = 8 * machine.module.types.pointer_size() as u8;
    let (bits, kept) = match directive.length.as_slice() {
        b"" => (32, 32),
        b"h" => (32, 16),
        b"hh" => (32, 8),
        b"l" | b"z" | b"t" => (word, word),
        b"ll" | b"j" | b"q" => (64, 64),
        _ => return bad("an unknown length"),
    };
    let shape = Shape::of(&machine.module.types, argument.ty);
    let (Passed::Scalar(Value::Int(value)), Some(Shape::Int(shape))) = (&argument.passed, shape) else {
        return bad("the argument is no integer");
    };
    if shape.bits != bits {
        return bad("the argument has another size");
    }
    let is_signed = matches!(directive.conversion, b'd' | b'i');
    let value = IntShape { bits: kept, is_signed, is_bool: false }.wrap(*value);
    let is_negative = is_signed && (value as i64) < 0;
    let magnitude = if is_negative { value.wrapping_neg() } else { value };
    let mut digits = match directive.conversion {
        b'x' => format!("{magnitude:x}"),
        b'X' => format!("{magnitude:X}"),
        b'o' => format!("{magnitude:o}"),
        _ => magnitude.to_string(),
    };
    if directive.precision == Some(0) && magnitude == 0 {
        digits.clear();
    }
    let least = directive.precision.unwrap_or(0);
    let missing = least.saturating_sub(digits.len());
    digits.insert_str(0, &"0".repeat(missing));
    if directive.conversion == b'o' && directive.is_alternative && !digits.starts_with('0') {
        digits.insert(0, '0');
    }
    let prefix = match directive.conversion {
        b'x' if directive.is_alternative && magnitude != 0 => "0x",
        b'X' if directive.is_alternative && magnitude != 0 => "0X",
        _ if is_signed => sign(directive, is_negative),
        _ => "",
    };
    Ok(with_prefix(directive, prefix, &digits, directive.pads_with_zeros && directive.precision.is_none()))
}

fn sign(directive: &Directive, is_negative: bool) -> &'static str {
    match (is_negative, directive.shows_plus, directive.shows_space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

fn with_prefix(directive: &Directive, prefix: &str, digits: &str, pads_with_zeros: bool) -> Vec<u8> {
    if pads_with_zeros && !directive.is_left {
        let zeros = directive.width.saturating_sub(prefix.len() + digits.len());
        return format!("{prefix}{}{digits}", "0".repeat(zeros)).into_bytes();
    }
    padded(directive, format!("{prefix}{digits}").as_bytes())
}

fn floating(directive: &Directive, number: f64) -> Vec<u8> {
    let prefix = sign(directive, number.is_sign_negative());
    let is_upper = directive.conversion.is_ascii_uppercase();
    if !number.is_finite() {
        let text = if number.is_nan() { "nan" } else { "inf" };
        let text = if is_upper { text.to_ascii_uppercase() } else { text.into() };
        return with_prefix(directive, prefix, &text, false);
    }
    let magnitude = number.abs();
    let precision = directive.precision.unwrap_or(6);
    let mut digits = match directive.conversion.to_ascii_lowercase() {
        b'f' => fixed(magnitude, precision),
        b'e' => scientific(magnitude, precision),
        _ => general(magnitude, precision.max(1), directive.is_alternative),
    };
    if directive.is_alternative && !digits.contains('.') {
        let at = digits.find('e').unwrap_or(digits.len());
        digits.insert(at, '.');
    }
    let digits = if is_upper { digits.to_ascii_uppercase() } else { digits };
    with_prefix(directive, prefix, &digits, directive.pads_with_zeros)
}

// Rust prints the exact value, rounded half to even, as glibc does.
fn fixed(number: f64, precision: usize) -> String {
    format!("{number:.precision$}")
}

fn scientific(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').expect("scientific notation has an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn general(number: f64, precision: usize, keeps_zeros: bool) -> String {
    let rounded = scientific(number, precision - 1);
    let (_, exponent) = rounded.split_once('e').expect("scientific notation has an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    let is_fixed = exponent >= -4 && exponent < precision as i32;
    let text = if is_fixed { fixed(number, (precision as i32 - 1 - exponent) as usize) } else { rounded };
    if keeps_zeros {
        return text;
    }
    let (mantissa, tail) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    if !mantissa.contains('.') {
        return text;
    }
    format!("{}{tail}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}
