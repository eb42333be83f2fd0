//! Folding compared with the integers of Rust, and with what gcc makes of the same expressions printed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hardbop_base::{Idx, IndexVec};
use hardbop_c_core::fold::{fold, integer};
use hardbop_c_core::print::{self, Style};
use hardbop_c_core::{
    BinaryOp, Expr, ExprKind, FloatKind, IntKind, Length, Module, Place, Qualified, Target, TypeId, Types, UnaryOp,
    VarId,
};
use proptest::prelude::{ProptestConfig, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use std::process::Command;

const OPERATORS: &[BinaryOp] = &[
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
];

/// An operator on two numbers.
type Reference = fn(BinaryOp, i128, i128) -> Option<i128>;

/// What Rust's own type of the same size says.
macro_rules! reference {
    ($name:ident, $int:ty) => {
        fn $name(op: BinaryOp, left: i128, right: i128) -> Option<i128> {
            let (left, right) = (left as $int, right as $int);
            let amount = u32::try_from(right).ok();
            Some(match op {
                BinaryOp::Add => left.wrapping_add(right) as i128,
                BinaryOp::Sub => left.wrapping_sub(right) as i128,
                BinaryOp::Mul => left.wrapping_mul(right) as i128,
                BinaryOp::Div | BinaryOp::Rem if right == 0 => return None,
                BinaryOp::Div => left.wrapping_div(right) as i128,
                BinaryOp::Rem => left.wrapping_rem(right) as i128,
                BinaryOp::Shl => left.checked_shl(amount?)? as i128,
                BinaryOp::Shr => left.checked_shr(amount?)? as i128,
                BinaryOp::BitAnd => (left & right) as i128,
                BinaryOp::BitOr => (left | right) as i128,
                BinaryOp::BitXor => (left ^ right) as i128,
                BinaryOp::Eq => (left == right).into(),
                BinaryOp::Ne => (left != right).into(),
                BinaryOp::Lt => (left < right).into(),
                BinaryOp::Le => (left <= right).into(),
                BinaryOp::Gt => (left > right).into(),
                _ => (left >= right).into(),
            })
        }
    };
}
reference!(as_i8, i8);
reference!(as_u8, u8);
reference!(as_i32, i32);
reference!(as_u32, u32);
reference!(as_i64, i64);
reference!(as_u64, u64);
reference!(as_i128, i128);
reference!(as_u128, u128);

fn folded(types: &mut Types, kind: IntKind, op: BinaryOp, left: i128, right: i128) -> Option<i128> {
    let ty = types.int(kind);
    let (left, right) = (Expr::wrapped(left, ty, types), Expr::wrapped(right, ty, types));
    let expr = Expr::binary(op, left, right, types);
    integer(types, &expr)
}

#[test]
fn all_operators_agree_on_all_bytes() {
    let mut types = Types::new(Target::Lp64);
    for &op in OPERATORS {
        for left in -128..=255 {
            for right in -128..=255 {
                if (-128..128).contains(&left) && (-128..128).contains(&right) {
                    let signed = folded(&mut types, IntKind::SignedChar, op, left, right);
                    assert_eq!(signed, as_i8(op, left, right), "{left} {op:?} {right}");
                }
                if left >= 0 && right >= 0 {
                    let unsigned = folded(&mut types, IntKind::UnsignedChar, op, left, right);
                    assert_eq!(unsigned, as_u8(op, left, right), "{left} {op:?} {right}");
                }
            }
        }
    }
}

fn number() -> impl Strategy<Value = i128> {
    prop_oneof![any::<i128>(), (-70i128..70), any::<i32>().prop_map(i128::from), (0u32..127).prop_map(|bit| 1 << bit)]
}

proptest! {
    #[test]
    fn all_operators_agree_on_wide_integers(op in prop::sample::select(OPERATORS), left in number(), right in number()) {
        let mut types = Types::new(Target::Lp64);
        let references: [(IntKind, Reference); 6] = [
            (IntKind::Int, as_i32),
            (IntKind::UnsignedInt, as_u32),
            (IntKind::Long, as_i64),
            (IntKind::UnsignedLong, as_u64),
            (IntKind::Int128, as_i128),
            (IntKind::UnsignedInt128, as_u128),
        ];
        for (kind, reference) in references {
            prop_assert_eq!(folded(&mut types, kind, op, left, right), reference(op, left, right));
        }
    }

    #[test]
    fn a_conversion_keeps_the_low_bits(value in any::<i128>()) {
        let target = Target::Lp64;
        prop_assert_eq!(target.wrap(IntKind::Char, value), i128::from(value as i8));
        prop_assert_eq!(target.wrap(IntKind::UnsignedShort, value), i128::from(value as u16));
        prop_assert_eq!(target.wrap(IntKind::Long, value), i128::from(value as i64));
        prop_assert_eq!(Target::Ilp32.wrap(IntKind::UnsignedLong, value), i128::from(value as u32));
        prop_assert_eq!(target.wrap(IntKind::UnsignedInt128, value), value);
        prop_assert_eq!(target.wrap(IntKind::Bool, value), i128::from(value != 0));
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn printed_expressions_mean_the_same_to_gcc(
        bytes in prop::collection::vec(prop::collection::vec(any::<u8>(), 40), 50),
    ) {
        for target in [Target::Lp64, Target::Ilp32] {
            check_with_gcc(target, &bytes);
        }
    }
}

/// An expression that the bytes choose, as deep as they say.
fn random(types: &mut Types, kinds: &[IntKind], bytes: &mut impl Iterator<Item = u8>, depth: u32) -> Expr {
    let mut next = || bytes.next().unwrap_or(0);
    let (choice, ty) = (next(), types.int(kinds[usize::from(next()) % kinds.len()]));
    if depth == 0 || choice < 40 {
        let value = match choice % 4 {
            0 => i128::from(next() as i8),
            1 => 1 << (next() % 127),
            2 => -(1 << (next() % 127)),
            _ => (i128::from(next()) << 60) + i128::from(next()),
        };
        return Expr::wrapped(value, ty, types);
    }
    let operator = OPERATORS[usize::from(next()) % OPERATORS.len()];
    let sign = [UnaryOp::Neg, UnaryOp::BitNot, UnaryOp::Not][usize::from(next()) % 3];
    let mut operand = |types: &mut Types| random(types, kinds, bytes, depth - 1).cast(ty);
    if choice < 80 {
        let operand = operand(types);
        return if sign == UnaryOp::Not { Expr::not(operand, types) } else { Expr::unary(sign, operand, ty) };
    }
    let (left, right) = (operand(types), operand(types));
    Expr::binary(operator, left, right, types)
}

fn check_with_gcc(target: Target, choices: &[Vec<u8>]) {
    let mut kinds = vec![
        IntKind::Bool,
        IntKind::Char,
        IntKind::UnsignedShort,
        IntKind::Int,
        IntKind::UnsignedInt,
        IntKind::Long,
        IntKind::UnsignedLong,
        IntKind::LongLong,
        IntKind::UnsignedLongLong,
    ];
    if target == Target::Lp64 {
        kinds.extend([IntKind::Int128, IntKind::UnsignedInt128]);
    }
    let mut types = Types::new(target);
    let exprs: Vec<Expr> =
        choices.iter().map(|bytes| random(&mut types, &kinds, &mut bytes.iter().copied(), 4)).collect();
    let module = Module { types, vars: IndexVec::new(), functions: IndexVec::new(), asm: Vec::new() };
    let mut text = "_Static_assert(1, \"\");\n".to_owned();
    for expr in &exprs {
        let Some(value) = integer(&module.types, expr) else { continue };
        let ty = print::declaration(&module, Qualified::plain(expr.ty), "");
        let value = print::expr(&module, &Expr::integer(value, expr.ty), Style::EXACT);
        let printed = print::expr(&module, expr, Style::EXACT);
        text += &format!("_Static_assert(({printed}) == ({ty})({value}), \"\");\n");
    }
    syntax_check(&text, target);
}

#[track_caller]
fn syntax_check(text: &str, target: Target) {
    use std::io::Write;
    let flag = if target == Target::Lp64 { "-m64" } else { "-m32" };
    let mut command = Command::new("gcc");
    command.args(["-std=gnu11", "-w", "-fwrapv", "-fsyntax-only", flag, "-x", "c", "-"]);
    command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        eprintln!("there is no gcc: nothing is compared");
        return;
    };
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}{text}", String::from_utf8_lossy(&output.stderr));
}

/// A variable `a` of type `int[10]`.
fn element(types: &mut Types, index: i128) -> Expr {
    let int = types.int(IntKind::Int);
    let long = types.int(IntKind::Long);
    let array = types.array_of(Qualified::plain(int), Length::Fixed(10));
    let place = Place::var(VarId::from_usize(0), array).index(Expr::integer(index, long), types);
    Expr::address(place, types)
}

#[test]
fn pointers_move_and_subtract_inside_of_one_array() {
    let mut types = Types::new(Target::Lp64);
    let long = types.int(IntKind::Long);
    let (third, fifth) = (element(&mut types, 3), element(&mut types, 5));
    let moved = Expr::binary(BinaryOp::PointerAdd, third.clone(), Expr::integer(2, long), &mut types);
    assert_eq!(fold(&types, moved), fifth);
    let difference = Expr::binary(BinaryOp::PointerDifference, third.clone(), fifth.clone(), &mut types);
    assert_eq!(integer(&types, &difference), Some(-2));
    let less = Expr::binary(BinaryOp::Lt, third.clone(), fifth, &mut types);
    assert_eq!(integer(&types, &less), Some(1));
    let is_null = Expr::not(third, &mut types);
    assert_eq!(integer(&types, &is_null), None);
}

#[test]
fn the_offset_of_a_member_is_a_constant() {
    let mut types = Types::new(Target::Lp64);
    let int = types.int(IntKind::Int);
    let array = types.array_of(Qualified::plain(int), Length::Fixed(10));
    let pointer = types.pointer_to(array);
    let third = Expr::integer(3, types.int(IntKind::Long));
    let place = Place::deref(Expr::integer(0, pointer), &types).index(third, &types);
    let address = Expr::address(place, &mut types);
    assert_eq!(integer(&types, &address), Some(12));
}

#[track_caller]
fn check_float(spelling: &str, kind: FloatKind, expected: Option<i128>) {
    let mut types = Types::new(Target::Lp64);
    let (from, to): (TypeId, TypeId) = (types.float(kind), types.int(IntKind::Long));
    assert_eq!(integer(&types, &Expr::float(spelling, from).cast(to)), expected, "{spelling}");
}

#[test]
fn floating_constants_are_folded_only_if_exact() {
    check_float("12", FloatKind::Double, Some(12));
    check_float("12.50e1", FloatKind::Double, Some(125));
    check_float("1e3", FloatKind::Float, Some(1000));
    check_float("120e-1", FloatKind::Float, Some(12));
    check_float("0e999999999", FloatKind::Float, Some(0));
    check_float("1e999999999", FloatKind::Double, None);
    check_float("12.5", FloatKind::Double, None);
    check_float("16777217", FloatKind::Float, None);
    check_float("16777217", FloatKind::Double, Some(16_777_217));
    check_float("0x10p0", FloatKind::Double, None);
    check_float("", FloatKind::Double, None);
}

#[test]
fn an_integer_becomes_a_floating_constant() {
    let mut types = Types::new(Target::Lp64);
    let (int, float) = (types.int(IntKind::Int), types.float(FloatKind::Float));
    let cast = |value| Expr { kind: ExprKind::Cast(Box::new(Expr::integer(value, int))), ty: float };
    assert_eq!(fold(&types, cast(3)), Expr::float("3.0", float));
    let minus_three = fold(&types, cast(-3));
    assert_eq!(minus_three, Expr::unary(UnaryOp::Neg, Expr::float("3.0", float), float));
    assert_eq!(integer(&types, &minus_three.cast(int)), Some(-3));
    assert_eq!(fold(&types, cast(16_777_217)), cast(16_777_217));
}
