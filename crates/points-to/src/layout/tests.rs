use super::{Layout, Layouts, Position, START, Step};
use expect_test::{Expect, expect};
use hardbop_c_core::{Target, VarId};
use std::rc::Rc;

/// The layout of the variable `v`.
fn layout(source: &str) -> Rc<Layout> {
    let (ast, errors) = hardbop_lang_c::parse(source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    let module = hardbop_c_lower::lower(&ast, Target::Lp64).expect("the program is right").module;
    let var: VarId = module.vars.ids().find(|&var| module.vars[var].name == "v").expect("a variable");
    Layouts::default().of(&module.types, module.vars[var].ty.ty)
}

fn describe(layout: &Layout, position: Position) -> String {
    match position {
        Position::At { cell, level } => format!("{}/{level}", layout.offset(cell)),
        Position::Inside(cell) => format!("{}~", layout.offset(cell)),
        Position::Any => "any".to_owned(),
    }
}

/// The first bytes of the cells of `v`, and where the steps lead from its start.
#[track_caller]
fn check(source: &str, steps: &[Step], expect: Expect) {
    let layout = layout(source);
    let cells: Vec<u64> = (0..layout.cell_count()).map(|cell| layout.offset(cell)).collect();
    let mut positions = vec![START];
    let mut text = format!("cells {cells:?}\n");
    for &step in steps {
        let mut moved = Vec::new();
        for &position in &positions {
            layout.shift(position, step, &mut |position| moved.push(position));
        }
        positions = moved;
        let positions: Vec<String> = positions.iter().map(|&position| describe(&layout, position)).collect();
        text += &format!("{step:?}: {}\n", positions.join(" "));
    }
    expect.assert_eq(&text);
}

#[test]
fn nested_members_are_cells_and_arrays_are_one() {
    check(
        "struct { int a; struct { char b; long c; } d; short e[3]; } v;",
        &[Step::Add(8), Step::Add(8)],
        expect![[r#"
            cells [0, 8, 16, 24]
            Add(8): 8/0
            Add(8): 16/0
        "#]],
    );
}

#[test]
fn a_walk_in_an_array_member_stays_there() {
    check(
        "struct { long a; char name[8]; long b; } v;",
        &[Step::Field { offset: 8, size: 24 }, Step::Enter(1), Step::Walk(1), Step::Add(3), Step::Add(-8)],
        expect![[r#"
            cells [0, 8, 16]
            Field { offset: 8, size: 24 }: 8/0
            Enter(1): 8/1
            Walk(1): 8/1
            Add(3): 8/1
            Add(-8): 0/0 8/1
        "#]],
    );
}

#[test]
fn a_walk_in_a_record_goes_anywhere() {
    check(
        "struct { long a; long b; } v;",
        &[Step::Walk(16), Step::Walk(8), Step::Add(8)],
        expect![[r#"
        cells [0, 8]
        Walk(16): 0/0
        Walk(8): any
        Add(8): any
    "#]],
    );
}

#[test]
fn elements_of_an_array_of_records_are_crossed_by_bytes() {
    check(
        "struct { long a; long b; } v[4];",
        &[Step::Add(8), Step::Add(8), Step::Walk(16), Step::Add(4)],
        expect![[r#"
            cells [0, 8]
            Add(8): 8/0
            Add(8): 0/0
            Walk(16): 0/0
            Add(4): 0~
        "#]],
    );
}

#[test]
fn an_array_of_records_with_arrays_has_two_levels() {
    check(
        "struct { int n; struct { char name[8]; long x; } e[3]; } v;",
        &[Step::Field { offset: 8, size: 56 }, Step::Enter(16), Step::Enter(1), Step::Walk(1)],
        expect![[r#"
            cells [0, 8, 16]
            Field { offset: 8, size: 56 }: 8/0
            Enter(16): 8/1
            Enter(1): 8/2
            Walk(1): 8/2
        "#]],
    );
}

#[test]
fn one_past_the_end_comes_back() {
    check(
        "struct { long a; long b; } v;",
        &[Step::Add(16), Step::Add(-16), Step::Add(8), Step::Add(8)],
        expect![[r#"
        cells [0, 8]
        Add(16): 0/0
        Add(-16): 0/0
        Add(8): 8/0
        Add(8): any
    "#]],
    );
}

#[test]
fn bit_fields_share_their_unit() {
    check(
        "struct { int a : 3; int b : 7; long c; } v;",
        &[Step::Add(8)],
        expect![[r#"
        cells [0, 8]
        Add(8): 8/0
    "#]],
    );
}

#[test]
fn a_flexible_array_goes_on() {
    check(
        "struct { long n; long data[]; } v;",
        &[Step::Field { offset: 8, size: 8 }, Step::Enter(8), Step::Add(80)],
        expect![[r#"
            cells [0, 8]
            Field { offset: 8, size: 8 }: 8/0
            Enter(8): 8/1
            Add(80): 8/1
        "#]],
    );
}

#[test]
fn too_many_cells_are_one() {
    let members: String = (0..300).map(|n| format!("int m{n};")).collect();
    check(
        &format!("struct {{ {members} }} v;"),
        &[Step::Add(8)],
        expect![[r#"
        cells [0]
        Add(8): 0/0
    "#]],
    );
}

#[test]
fn records_that_double_are_no_danger() {
    let doubled: String = (1..60).map(|n| format!("struct s{n} {{ struct s{m} a, b; }};", m = n - 1)).collect();
    check(
        &format!("struct s0 {{ char c; }}; {doubled} extern struct s59 v;"),
        &[Step::Add(8)],
        expect![[r#"
        cells [0]
        Add(8): 0/0
    "#]],
    );
}

#[test]
fn numbers_of_positions_are_one_to_one() {
    let layout = layout("struct { int n; struct { char name[8]; long x; } e[3]; union { int i; long l; } u; } v;");
    for number in 0..layout.position_count() {
        assert_eq!(layout.number(layout.position(number)), number);
    }
}
