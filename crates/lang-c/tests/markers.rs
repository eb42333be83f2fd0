//! Where the text came from.

use expect_test::{Expect, expect};
use hardbop_lang_c::parse;

#[track_caller]
fn check(source: &str, expect: Expect) {
    let (ast, findings) = parse(source, 100);
    assert_eq!(findings, []);
    let one = |marker: &hardbop_lang_c::ast::LineMarker| {
        let rest = &source[marker.offset as usize - 100..];
        let next = rest.lines().next().unwrap_or_default();
        let system = if marker.is_system { " system" } else { "" };
        format!("{:?}:{}{system} {next}\n", marker.path, marker.line)
    };
    expect.assert_eq(&ast.markers.iter().map(one).collect::<String>());
}

#[test]
fn gcc_writes_a_number_a_path_and_flags() {
    check(
        "# 0 \"a.c\"\n# 1 \"/usr/include/x.h\" 1 3 4\nint x;\n# 12 \"a.c\" 2\nint y;",
        expect![[r#"
            "a.c":0 # 1 "/usr/include/x.h" 1 3 4
            "/usr/include/x.h":1 system int x;
            "a.c":12 int y;
        "#]],
    );
}

#[test]
fn others_write_line() {
    check(
        "#line 7 \"a.c\"\nint x;\n#line 9\nint y;\n  #\tline 3 \"b.c\"\r\nint z;",
        expect![[r#"
            "a.c":7 int x;
            "a.c":9 int y;
            "b.c":3 int z;
        "#]],
    );
}

#[test]
fn paths_are_decoded() {
    check(
        "# 1 \"a \\\"b\\\" \\\\c\\303\\251.c\" 3\nint x;\n# 2 \"é\"\nint y;\n# 3 \"open\nint z;",
        expect![[r#"
            "a \"b\" \\cé.c":1 system int x;
            "é":2 int y;
            "open":3 int z;
        "#]],
    );
}

#[test]
fn markers_stand_between_any_tokens() {
    check(
        "int f(\n# 1 \"a.h\"\nint a,\n# 2 \"a.h\"\nint b\n# 3 \"a.h\"\n) { }\n# 4 \"a.h\"",
        expect![[r#"
            "a.h":1 int a,
            "a.h":2 int b
            "a.h":3 ) { }
            "a.h":4 
        "#]],
    );
}

#[test]
fn continued_lines_move_nothing() {
    check(
        "int \\\n a;\n# 5 \\\n \"a.c\"\nint b;",
        expect![[r#"
            "a.c":5 int b;
        "#]],
    );
}
