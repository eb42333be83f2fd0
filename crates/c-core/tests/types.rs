//! Sizes, conversions, members and compatibility of types; names; walks over expressions and statements.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hardbop_base::{Idx, IndexVec, Span};
use hardbop_c_core::layout::{MemberDeclaration, RecordAttributes, lay_out};
use hardbop_c_core::names::name_variables;
use hardbop_c_core::{
    BinaryOp, Enumeration, Expr, FloatKind, IntKind, Length, Linkage, Module, Parameters, Place, Qualified, Qualifiers,
    Record, RecordId, RecordKind, Stmt, StmtKind, Target, Type, TypeId, Types, VarId, VarKind, Variable,
};

const NOWHERE: Span = Span::new(0, 0);

fn types() -> Types {
    Types::new(Target::Lp64)
}

#[test]
fn operands_meet_in_the_type_that_c_says() {
    #[track_caller]
    fn check(target: Target, left: IntKind, right: IntKind, expected: IntKind) {
        assert_eq!(target.usual_arithmetic(left, right), expected);
        assert_eq!(target.usual_arithmetic(right, left), expected);
    }
    check(Target::Lp64, IntKind::Char, IntKind::Bool, IntKind::Int);
    check(Target::Lp64, IntKind::UnsignedShort, IntKind::UnsignedChar, IntKind::Int);
    check(Target::Lp64, IntKind::UnsignedInt, IntKind::Int, IntKind::UnsignedInt);
    check(Target::Lp64, IntKind::UnsignedInt, IntKind::Long, IntKind::Long);
    check(Target::Ilp32, IntKind::UnsignedInt, IntKind::Long, IntKind::UnsignedLong);
    check(Target::Ilp32, IntKind::UnsignedLong, IntKind::LongLong, IntKind::LongLong);
    check(Target::Lp64, IntKind::UnsignedLong, IntKind::LongLong, IntKind::UnsignedLongLong);
    check(Target::Lp64, IntKind::UnsignedLongLong, IntKind::Int128, IntKind::Int128);
}

#[test]
fn ranges_are_those_of_the_machine() {
    assert_eq!(Target::Lp64.range(IntKind::Bool), (0, 1));
    assert_eq!(Target::Lp64.range(IntKind::Char), (-128, 127));
    assert_eq!(Target::Lp64.range(IntKind::UnsignedLong), (0, u64::MAX.into()));
    assert_eq!(Target::Ilp32.range(IntKind::Long), (i32::MIN.into(), i32::MAX.into()));
    assert_eq!(Target::Lp64.range(IntKind::Int128), (i128::MIN, i128::MAX));
}

#[test]
fn only_complete_types_have_sizes() {
    let mut types = types();
    let (int, void) = (types.int(IntKind::Int), types.void());
    let unknown = types.array_of(Qualified::plain(int), Length::Unknown);
    let huge = types.array_of(Qualified::plain(int), Length::Fixed(u64::MAX));
    let record = declare(&mut types, Some("later"));
    assert_eq!(types.size_of(void), Some(1));
    assert_eq!(types.size_of(unknown), None);
    assert_eq!(types.size_of(huge), None);
    assert_eq!(types.size_of(record), None);
    assert!(!types.is_complete(record) && !types.is_complete(unknown) && !types.is_complete(void));
    let long_double = types.float(FloatKind::LongDouble);
    assert_eq!((types.size_of(long_double), types.align_of(long_double)), (Some(16), 16));
    types.target = Target::Ilp32;
    let double = types.float(FloatKind::Double);
    assert_eq!((types.size_of(long_double), types.align_of(long_double)), (Some(12), 4));
    assert_eq!((types.align_of(double), types.preferred_align_of(double)), (4, 8));
}

fn declare(types: &mut Types, tag: Option<&str>) -> TypeId {
    let (kind, tag) = (RecordKind::Struct, tag.map(str::to_owned));
    let record = types.records.push(Record { kind, tag, name: String::new(), body: None, span: NOWHERE });
    types.intern(Type::Record(record))
}

fn define(types: &mut Types, record: TypeId, members: &[(&str, TypeId)]) {
    let members = members.iter().map(|&(name, ty)| {
        let name = (!name.is_empty()).then(|| name.to_owned());
        MemberDeclaration { name, ..MemberDeclaration::new("", Qualified::plain(ty)) }
    });
    let body = lay_out(types, RecordKind::Struct, members.collect(), RecordAttributes::default());
    let id: RecordId = types.record(record).unwrap();
    types.records[id].body = Some(body);
}

#[test]
fn impossible_sizes_are_no_reason_to_panic() {
    let mut types = types();
    let char = types.int(IntKind::Char);
    let huge = types.array_of(Qualified::plain(char), Length::Fixed(u64::MAX));
    let mut bits = MemberDeclaration::new("bits", Qualified::plain(types.int(IntKind::Long)));
    bits.width = Some(60);
    let members = vec![MemberDeclaration::new("huge", Qualified::plain(huge)), bits];
    let attributes = RecordAttributes { align: Some(0), pragma_pack: Some(0), ..RecordAttributes::default() };
    for attributes in [attributes, RecordAttributes { align: Some(u64::MAX), ..attributes }] {
        let body = lay_out(&types, RecordKind::Struct, members.clone(), attributes);
        assert!(body.align > 0);
    }
}

#[test]
fn members_are_found_through_anonymous_ones() {
    let mut types = types();
    let int = types.int(IntKind::Int);
    let (inner, middle, outer) = (declare(&mut types, None), declare(&mut types, None), declare(&mut types, None));
    define(&mut types, inner, &[("a", int), ("anonymous_1", int)]);
    define(&mut types, middle, &[("", inner), ("b", int)]);
    define(&mut types, outer, &[("c", int), ("", middle)]);
    let outer = types.record(outer).unwrap();
    assert_eq!(types.find_field(outer, "c"), Some(vec![0]));
    assert_eq!(types.find_field(outer, "b"), Some(vec![1, 1]));
    assert_eq!(types.find_field(outer, "anonymous_1"), Some(vec![1, 0, 1]));
    assert_eq!(types.find_field(outer, "anonymous_2"), None);
    let names: Vec<&str> = types.body(outer).unwrap().fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["c", "anonymous_3"]);
}

/// `struct list { struct list *next; element value; }`
fn list(types: &mut Types, element: TypeId) -> TypeId {
    let list = declare(types, Some("list"));
    let next = types.pointer_to(list);
    define(types, list, &[("next", next), ("value", element)]);
    list
}

#[test]
fn records_of_two_units_are_compatible_if_their_members_are() {
    let mut types = types();
    let (int, long) = (types.int(IntKind::Int), types.int(IntKind::Long));
    let (one, two, other) = (list(&mut types, int), list(&mut types, int), list(&mut types, long));
    let only_declared = declare(&mut types, Some("list"));
    assert!(types.is_compatible(one, two));
    assert!(!types.is_compatible_within_unit(one, two));
    assert!(!types.is_compatible(one, other));
    assert!(types.is_compatible(one, only_declared));
    assert_eq!(types.composite(only_declared, one), one);
}

#[test]
fn long_chains_of_records_are_compared() {
    let mut types = types();
    let int = types.int(IntKind::Int);
    let mut chain = || {
        (0..100_000).fold(int, |last, _| {
            let record = declare(&mut types, Some("link"));
            let next = types.pointer_to(last);
            define(&mut types, record, &[("next", next)]);
            record
        })
    };
    let (one, two) = (chain(), chain());
    assert!(types.is_compatible(one, two));
}

#[test]
fn functions_without_prototype_take_what_promotion_leaves_alone() {
    let mut types = types();
    let (int, short, float) = (types.int(IntKind::Int), types.int(IntKind::Short), types.float(FloatKind::Float));
    let old = types.function(int, Parameters::Unspecified);
    let of_int = types.function(int, Parameters::Fixed(vec![int]));
    let of_short = types.function(int, Parameters::Fixed(vec![short]));
    let of_float = types.function(int, Parameters::Fixed(vec![float]));
    let variadic = types.function(int, Parameters::Variadic(vec![int]));
    assert!(types.is_compatible(old, of_int));
    assert!(!types.is_compatible(old, of_short) && !types.is_compatible(of_float, old));
    assert!(!types.is_compatible(variadic, of_int));
    assert_eq!(types.composite(old, of_int), of_int);
}

#[test]
fn qualifiers_matter_below_pointers_only() {
    let mut types = types();
    let int = types.int(IntKind::Int);
    let constant = Qualified { ty: int, qualifiers: Qualifiers { is_const: true, ..Qualifiers::NONE } };
    let (plain, to_const) = (types.pointer_to(int), types.pointer_to_qualified(constant));
    assert!(!types.is_compatible(plain, to_const));
    let known = types.array_of(constant, Length::Fixed(3));
    let unknown = types.array_of(constant, Length::Unknown);
    assert!(types.is_compatible(known, unknown));
    let (to_known, to_unknown) = (types.pointer_to(known), types.pointer_to(unknown));
    assert_eq!(types.composite(to_unknown, to_known), to_known);
}

#[test]
fn an_enumeration_is_compatible_with_its_integer() {
    let mut types = types();
    let (tag, constants) = (Some("e".to_owned()), vec![("A".to_owned(), 0)]);
    let e = Enumeration { tag, name: String::new(), underlying: IntKind::UnsignedInt, constants, span: NOWHERE };
    let id = types.enums.push(e);
    let (e, unsigned, int) = (types.intern(Type::Enum(id)), types.int(IntKind::UnsignedInt), types.int(IntKind::Int));
    assert!(types.is_compatible(e, unsigned) && !types.is_compatible(e, int));
    assert_eq!(types.int_kind(e), Some(IntKind::UnsignedInt));
}

#[test]
fn an_access_through_a_pointer_counts_unless_only_its_address_is_taken() {
    let mut types = types();
    let int = types.int(IntKind::Int);
    let pointer = types.pointer_to(int);
    let p = || Expr::read(Place::var(VarId::from_usize(0), pointer));
    let x = Place::var(VarId::from_usize(1), int);
    let target = Place::deref(p(), &types);
    assert_eq!(Expr::address(target.clone(), &mut types), p());
    assert_eq!(Place::deref(Expr::address(x.clone(), &mut types), &types), x);
    let read = Expr::read(target.clone());
    assert_eq!((read.pointer_reads(), p().pointer_reads()), (1, 0));
    assert_eq!(read.vars_read(), [VarId::from_usize(0)]);
    let sum = Expr::binary(BinaryOp::Add, read.clone(), Expr::read(x.clone()), &mut types);
    assert_eq!(sum.vars_read(), [VarId::from_usize(0), VarId::from_usize(1)]);
    let copy = Stmt { kind: StmtKind::Assign(target, sum), span: NOWHERE };
    assert_eq!(copy.pointer_accesses(), 2);
    let block = Stmt { kind: StmtKind::While(read, vec![copy]), span: NOWHERE };
    assert_eq!(block.pointer_accesses(), 1);
    let mut count = 0;
    block.visit_exprs(&mut |_| count += 1);
    assert_eq!(count, 7);
}

#[track_caller]
fn check_names(variables: &[(&str, VarKind)], expected: &[&str]) {
    let mut types = types();
    let int = Qualified::plain(types.int(IntKind::Int));
    let vars = variables.iter().map(|&(name, kind)| Variable {
        name: String::new(),
        source_name: name.to_owned(),
        ty: int,
        kind,
        init: None,
        is_thread_local: false,
        is_weak: false,
        symbol: None,
        other_names: Vec::new(),
        is_model: false,
        is_kept: false,
        is_address_taken: false,
        align: None,
        span: NOWHERE,
    });
    let mut module = Module { vars: vars.collect(), types, functions: IndexVec::new(), asm: Vec::new() };
    name_variables(&mut module);
    let names: Vec<&str> = module.vars.iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, expected);
}

#[test]
fn names_are_unique_and_external_ones_stay() {
    check_names(
        &[
            ("x", VarKind::Global(Linkage::Internal)),
            ("x", VarKind::Global(Linkage::External)),
            ("x_1", VarKind::Global(Linkage::Internal)),
            ("while", VarKind::Global(Linkage::Internal)),
            ("", VarKind::Literal),
            ("", VarKind::Literal),
        ],
        &["x_1", "x", "x_1_1", "while_", "string", "string_1"],
    );
}
