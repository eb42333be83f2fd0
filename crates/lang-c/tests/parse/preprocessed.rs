//! What is left after the preprocessor, and what it would have removed.

use crate::check;
use expect_test::expect;
use hardbop_lang_c::parse;

#[test]
fn blanks_and_comments_separate() {
    check(
        &[
            "int/**/a/* x\n*/;// y\nint\tb;\x0c\x0bint\r\nc;",
            "/* /* */ int a; // */ int x;\n",
            "int a; // x",
            r#"int a /*"*/; char *b = "/*";"#,
            "\u{feff}int a;",
        ],
        expect![[r#"
            (a: int)
            (b: int)
            (c: int)
            (a: int)
            (a: int)
            (a: int)
            (b: * char = "/*")
            (a: int)
        "#]],
    );
}

#[test]
fn a_backslash_joins_lines() {
    check(
        &[
            "in\\\nt a\\\n;",
            "int a = 1\\\n2;",
            "char *a = \"x\\\ny\" \"\\\n\";",
            "// x \\\nint hidden;\nint a;",
            "int a, b = a +\\\n+ + 1;",
            "int a = '\\\nx';",
            "int a\\\r\nb;",
            "int a\\ \t\nb;",
            "int \\u00\\\ne9;",
            "int a = 1.\\\n5 > 1;",
            "void f(void) __attribute__((no\\\nreturn));",
        ],
        expect![[r#"
            (a: int)
            (a: int = 12)
            (a: * char = "xy")
            (a: int)
            (a: int, b: int = (+ (_++ a) 1))
            (a: int = (char 120))
            (ab: int)
            (ab: int)
            (é: int)
            (a: int = (> (float 1.5 Double) 1))
            (f @noreturn: fn() void)
        "#]],
    );
}

#[test]
fn names_may_have_any_letters() {
    check(
        &[
            "int $a, b$, _, é, naïve, 名前;",
            r#"int \u00e9a, a\u00e9, \U000000e9b;"#,
            r#"int é; int *p = &\u00e9;"#,
            "int 😀;",
        ],
        expect![[r#"
            ($a: int, b$: int, _: int, é: int, naïve: int, 名前: int)
            (éa: int, aé: int, éb: int)
            (é: int)
            (p: * int = (& é))
            (😀: int)
        "#]],
    );
}

#[test]
fn what_the_preprocessor_leaves_is_skipped() {
    check(
        &[
            "#pragma pack(1)\nint a;\n # pragma x \\\n y\nint b;",
            "#ident \"x\"\n#\nint a;\n#sccs \"y\"\n",
            "int a =\n#pragma x\n1;",
            "%:pragma x\nint a;",
            "/* */ #pragma x\nint a;",
            "  #  12 \"x.c\"\nint a;",
        ],
        expect![[r#"
            (a: int)
            (b: int)
            (a: int)
            (a: int = 1)
            (a: int)
            (a: int)
            (a: int)
        "#]],
    );
}

#[test]
fn pack_bounds_alignments() {
    check(
        &[
            "#pragma pack(1)\nstruct a { int x; };\n#pragma pack()\nstruct b { int x; }; struct a c;",
            "#pragma pack(push, 2)\nstruct a { };\n#pragma pack( push,4 )\nstruct b { };\n#pragma pack(pop)\nstruct c { };\n#pragma pack(pop)\nstruct d { };",
            "#pragma pack(2)\n#pragma pack(push, x, 8)\n#pragma pack(push, 1)\nstruct a { };\n#pragma pack(pop, x)\nstruct b { };",
            "#pragma pack(push)\n#pragma pack(4)\nstruct a {\n#pragma pack(8)\n};\n#pragma pack(pop)\nstruct b { };",
            "#pragma pack(1)\n#pragma pack(3)\n#pragma pack(pop)\n#pragma pack(pop, x)\n#pragma pack x\nstruct a { };",
            "#pragma pack(1)\n#pragma pack(push, y)\n#pragma pack(0)\nstruct a { };\n#pragma pack(pop, y)\nunion b { };",
        ],
        expect![[r#"
            (struct a {x: int} pack 1)
            (struct b {x: int})
            (c: struct a)
            (struct a {} pack 2)
            (struct b {} pack 4)
            (struct c {} pack 2)
            (struct d {})
            (struct a {} pack 1)
            (struct b {} pack 2)
            (struct a {} pack 8)
            (struct b {})
            (struct a {} pack 1)
            (struct a {})
            (union b {} pack 1)
        "#]],
    );
}

#[test]
fn weak_names_are_noted() {
    let source = "#pragma weak a\nint x;\n# pragma  weak b = c \n#pragma weakness\n#pragma weak\n#pragma weak d e\n\
        int f(void) {\n#pragma weak g\nreturn 0; }";
    let (ast, findings) = parse(source, 0);
    assert_eq!(findings, []);
    let noted: Vec<_> = ast.weak.iter().map(|it| (&*ast.names[it.name.name], it.target.as_deref())).collect();
    assert_eq!(noted, [("a", None), ("b", Some("c")), ("g", None)]);
}

#[test]
fn other_symbols_are_noted() {
    let (ast, findings) = parse("#pragma redefine_extname a  b\n#pragma redefine_extname c\nint x;", 0);
    assert_eq!(findings, []);
    let noted: Vec<_> = ast.renamed.iter().map(|(name, symbol)| (&*ast.names[*name], &**symbol)).collect();
    assert_eq!(noted, [("a", "b")]);
}
