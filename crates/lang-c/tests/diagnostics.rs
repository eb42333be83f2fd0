//! What is wrong with a text, word by word.

use expect_test::{Expect, expect};
use hardbop_base::SourceMap;
use hardbop_lang_c::{CODES, MAX_ERRORS, parse};

/// The findings for each of `sources`, with places, second places and help.
#[track_caller]
fn check(sources: &[&str], expect: Expect) {
    let mut text = String::new();
    for source in sources {
        let mut map = SourceMap::default();
        map.add("test.c", (*source).into()).expect("a test is small");
        let (_, findings) = parse(source, 0);
        assert!(!findings.is_empty(), "{source}");
        for finding in findings {
            assert!(CODES.contains(&finding.code), "{}", finding.code);
            let span = finding.span.expect("the parser always knows where");
            let place = map.locate(span);
            let len = span.end - span.start;
            text += &format!("{}:{}+{len}: {}: {}\n", place.line, place.column, finding.code, finding.message);
            if let Some((what, span)) = finding.related {
                let place = map.locate(span);
                text += &format!("  {what}: {}:{}\n", place.line, place.column);
            }
            if let Some(help) = finding.help {
                text += &format!("  {help}\n");
            }
        }
    }
    expect.assert_eq(&text);
}

#[test]
fn what_was_expected_is_said() {
    check(
        &[
            "int a",
            "int a b;",
            "int 3;",
            "int a = ;",
            "}",
            "int f(void) { a + ; }",
            "int f(void) { if a; }",
            "int f(void) { return 1 }",
            "int f(void) { goto 3; }",
            "int f(void) { do a; }",
            "int f(void) { else b; }",
            "int f(void) { a.3; }",
            "int f(void) { x = sizeof; }",
            "int f(void) { int; int *; }",
            "struct;",
            "enum { 1 };",
            "struct s { x; };",
            "_Static_assert(1, 2);",
            "asm(x);",
            "int f(int a, 3);",
            "int f(void) { case: ; }",
            "int a[] = { .x 1 };",
            "int f(void) { __builtin_va_arg(a, b); }",
            "int f(void) { _Generic(a); }",
            "__attribute__(x) int a;",
            "int f(void) { asm(\"x\" : \"=r\" a); }",
        ],
        expect![[r#"
            1:6+0: syntax: expected `;`, found the end of the file
            1:7+1: syntax: expected `;`, found `b`
            1:5+1: syntax: expected a name, found `3`
            1:9+1: syntax: expected an expression, found `;`
            1:1+1: syntax: expected a declaration or a function, found `}`
            1:19+1: syntax: expected an expression, found `;`
            1:18+1: syntax: expected `(`, found `a`
            1:24+1: syntax: expected an operator or `;`, found `}`
            1:20+1: syntax: expected a label, found `3`
            1:21+1: syntax: expected `while`, found `}`
            1:15+4: syntax: expected a statement, found the keyword `else`
            1:16+2: syntax: expected an operator or `;`, found `.3`
            1:25+1: syntax: expected an expression, found `;`
            1:25+1: syntax: expected a name, found `;`
            1:7+1: syntax: expected a tag or `{`, found `;`
            1:8+1: syntax: expected the name of a constant, found `1`
            1:12+1: syntax: expected a member or `}`, found `x`
            1:19+1: syntax: expected a string, found `2`
            1:5+1: syntax: expected a string, found `x`
            1:14+1: syntax: expected a parameter, found `3`
            1:19+1: syntax: expected an expression, found `:`
            1:16+1: syntax: expected `=`, found `1`
            1:35+1: syntax: expected a type, found `b`
            1:25+1: syntax: expected `,`, found `)`
            1:15+1: syntax: expected `((`, found `x`
            1:30+1: syntax: expected `(`, found `a`
        "#]],
    );
}

#[test]
fn what_is_not_closed_is_shown() {
    check(
        &[
            "int f(void) {",
            "int f(void) { a = (b; }",
            "int a[3;",
            "int f(int a;",
            "struct s { int x; ",
            "int a[] = { 1, 2;",
            "enum e { A, B;",
            "int f(void) { g(a, b; c[1; }",
            "int f(void) { a ? b; }",
            "int a __attribute__((x);",
        ],
        expect![[r#"
            1:14+0: syntax: expected a statement or `}`, found the end of the file
              opened here: 1:13
            1:21+1: syntax: expected an operator or `)`, found `;`
              opened here: 1:19
            1:8+1: syntax: expected `]`, found `;`
              opened here: 1:6
            1:13+0: syntax: expected a parameter, found the end of the file
            1:19+0: syntax: expected `}`, found the end of the file
              opened here: 1:10
            1:17+1: syntax: expected `,` or `}`, found `;`
              opened here: 1:11
            1:14+1: syntax: expected `,` or `}`, found `;`
              opened here: 1:8
            1:21+1: syntax: expected `,` or `)`, found `;`
              opened here: 1:16
            1:26+1: syntax: expected `]`, found `;`
              opened here: 1:24
            1:20+1: syntax: expected `:`, found `;`
              opened here: 1:17
            1:24+1: syntax: expected `))`, found `;`
              opened here: 1:20
        "#]],
    );
}

#[test]
fn unknown_types_are_named() {
    check(
        &[
            "foo_t x;",
            "foo_t *x;",
            "static foo_t x;",
            "int f(foo_t x);",
            "int f(foo_t *x);",
            "int f(int a, foo_t);",
            "int f(void) { foo_t x; const bar_t y; }",
            "struct s { foo_t x; bar_t *y; int z; };",
            "int f(void) { sizeof(foo_t x); }",
        ],
        expect![[r#"
            1:1+5: unknown-type: `foo_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:1+5: unknown-type: `foo_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:8+5: unknown-type: `foo_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:7+5: unknown-type: `foo_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:7+5: unknown-type: `foo_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:14+5: unknown-type: `foo_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:15+5: unknown-type: `foo_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:30+5: unknown-type: `bar_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:12+5: unknown-type: `foo_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:21+5: unknown-type: `bar_t` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:28+1: syntax: expected an operator or `)`, found `x`
              opened here: 1:21
        "#]],
    );
}

#[test]
fn impossible_types_are_refused() {
    check(
        &[
            "long char a;",
            "unsigned double a;",
            "int int a;",
            "long long long a;",
            "signed unsigned a;",
            "struct s int a;",
            "int struct s a;",
            "typedef int T; T unsigned a;",
            "_Complex int a;",
            "static extern int a;",
            "float _Bool a;",
            "short long a;",
            "unsigned void a;",
        ],
        expect![[r#"
            1:1+9: invalid-type: `long char` is no type
            1:1+15: invalid-type: `unsigned double` is no type
            1:5+3: invalid-type: `int` does not fit the words before it
            1:11+4: invalid-type: `long` does not fit the words before it
            1:8+8: invalid-type: `unsigned` does not fit the words before it
            1:10+3: invalid-type: `int` is a second type in one declaration
            1:5+6: invalid-type: `struct` is a second type in one declaration
            1:18+8: invalid-type: `unsigned` is a second type in one declaration
            1:1+12: invalid-type: complex integers are not supported
            1:8+6: invalid-type: this is a second storage class
            1:7+5: invalid-type: `_Bool` does not fit the words before it
            1:1+10: invalid-type: `short long` is no type
            1:1+13: invalid-type: `unsigned void` is no type
        "#]],
    );
}

#[test]
fn literals_must_mean_something() {
    check(
        &[
            "int a = 1x;",
            "int a = 08;",
            "int a = 0b2;",
            "int a = 0x;",
            "int a = 1lul;",
            "int a = 1uu;",
            "int a = 340282366920938463463374607431768211456;",
            "double a = 1.0x;",
            "double a = 1e;",
            "double a = 0x1.8;",
            "double a = 0x.p1;",
            "int a = '';",
            "char *a = \"\\x\";",
            "char *a = \"\\u12\";",
            "char *a = \"\\ud800\";",
            "char *a = L\"a\" u\"b\";",
            "char *a = \"abc;\nint b;",
            "int a = 'a;\nint b;",
            "char *a = R\"(abc;",
            "char *a = R\"toolongtoolongtoolong(x)toolongtoolongtoolong\";",
            "int a = 1.2.3;",
        ],
        expect![[r#"
            1:9+2: invalid-literal: no integer has the suffix `x`
            1:9+2: invalid-literal: an octal number has no digit `8`
            1:9+3: invalid-literal: a binary number has no digit `2`
            1:9+2: invalid-literal: `0x` has no digits
            1:9+4: invalid-literal: no integer has the suffix `lul`
            1:9+3: invalid-literal: no integer has the suffix `uu`
            1:9+39: invalid-literal: this number has more than 128 bits
            1:12+4: invalid-literal: no floating number has the suffix `x`
            1:12+2: invalid-literal: this exponent has no digits
            1:12+5: invalid-literal: a hexadecimal floating number needs an exponent
            1:12+5: invalid-literal: `0x.p1` has no digits
            1:9+2: invalid-literal: there is no character between these quotes
            1:11+4: invalid-literal: an escape in this literal has no digits, or no character has that number
            1:11+6: invalid-literal: an escape in this literal has no digits, or no character has that number
            1:11+8: invalid-literal: an escape in this literal has no digits, or no character has that number
            1:16+4: invalid-literal: this string has another prefix than those before it
            1:11+5: unterminated-literal: this string has no end in its line
              add `"`
            1:9+3: unterminated-literal: this character has no end in its line
              add `'`
            1:11+2: unterminated-literal: this string has no end
            1:11+2: unterminated-literal: this string has no end
            1:9+5: invalid-literal: no floating number has the suffix `.3`
        "#]],
    );
}

#[test]
fn characters_must_mean_something() {
    check(
        &["int a @@ = 1;", "int a; ` int b; \0", "int a; /* x", "int a \\ b;", "int a; # 1", "int a; \u{a0} int b;"],
        expect![[r#"
            1:7+2: unknown-character: `@` means nothing in C
            1:8+1: unknown-character: ``` means nothing in C
            1:17+1: unknown-character: `\u{0}` means nothing in C
            1:8+2: unterminated-comment: this comment has no end
              add `*/`
            1:7+1: unknown-character: `\` means nothing in C
            1:8+1: unknown-character: `#` means nothing in C
            1:8+2: unknown-character: `\u{a0}` means nothing in C
        "#]],
    );
}

#[test]
fn a_text_must_be_preprocessed() {
    check(
        &[
            "#include <stdio.h>\nint main(void) { whatever }",
            "int a;\n  # define X 1\n#define Y\n @",
            "#if 1\n#endif",
            "#line x\n",
            "#12345678901234567890\n",
        ],
        expect![[r#"
            1:1+18: not-preprocessed: this line is for the preprocessor, which has not been run
              run `gcc -E` on the file first
            2:3+12: not-preprocessed: this line is for the preprocessor, which has not been run
              run `gcc -E` on the file first
            1:1+5: not-preprocessed: this line is for the preprocessor, which has not been run
              run `gcc -E` on the file first
            1:1+7: not-preprocessed: this line is for the preprocessor, which has not been run
              run `gcc -E` on the file first
            1:1+21: not-preprocessed: this line is for the preprocessor, which has not been run
              run `gcc -E` on the file first
        "#]],
    );
}

#[test]
fn after_an_error_parsing_goes_on() {
    check(
        &[
            "int f(void) { a +; b -; { c *; } d /; }\nint g(void) { e %; }",
            "int a = { 1, +, { 2 } };\nint b = ;\nvoid f(int x) { }\nint 1;",
            "typedef struct { int x; + ; int y } T;\nT a; 3;",
            "void f(int x { a; b; }\nint c = ;",
            "int f(void) { if (a) { b c; d e f; } g h; }",
            "typedef int T @; T x; 1;",
            "int f(void) { } } int g(void) { + }",
            "void f(void) { for (int i = 0; i < 1, i++) { a; } 1 2; }",
        ],
        expect![[r#"
            1:18+1: syntax: expected an expression, found `;`
            1:23+1: syntax: expected an expression, found `;`
            1:30+1: syntax: expected an expression, found `;`
            1:37+1: syntax: expected an expression, found `;`
            2:18+1: syntax: expected an expression, found `;`
            1:15+1: syntax: expected an expression, found `,`
            2:9+1: syntax: expected an expression, found `;`
            4:5+1: syntax: expected a name, found `1`
            1:25+1: syntax: expected a member or `}`, found `+`
            2:6+1: syntax: expected a declaration or a function, found `3`
            1:14+1: syntax: expected `,` or `)`, found `{`
              opened here: 1:7
            2:9+1: syntax: expected an expression, found `;`
            1:24+1: unknown-type: `b` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:29+1: unknown-type: `d` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:33+1: syntax: expected `;`, found `f`
            1:38+1: unknown-type: `g` is not declared as a type
              declare it, or preprocess the file together with the header that does
            1:15+1: unknown-character: `@` means nothing in C
            1:23+1: syntax: expected a declaration or a function, found `1`
            1:17+1: syntax: expected a declaration or a function, found `}`
            1:35+1: syntax: expected an expression, found `}`
            1:42+1: syntax: expected an operator or `;`, found `)`
            1:53+1: syntax: expected an operator or `;`, found `2`
        "#]],
    );
}

#[test]
fn a_declaration_is_no_body() {
    check(
        &["int f(void) { if (a) int x; while (b) static y; }"],
        expect![[r#"
        1:22+3: syntax: a declaration cannot stand here
          put it into braces
        1:39+6: syntax: a declaration cannot stand here
          put it into braces
    "#]],
    );
}

#[test]
fn places_are_those_of_the_source() {
    check(
        &["int a\\\nb @;", "int x = \\\n  08;", "int a; \\\n\\\n+", "/* é */ int é = 'é\\\n' ¿;"],
        expect![[r#"
            2:3+1: unknown-character: `@` means nothing in C
            2:3+2: invalid-literal: an octal number has no digit `8`
            3:1+1: syntax: expected a declaration or a function, found `+`
            2:3+2: unknown-character: `¿` means nothing in C
        "#]],
    );
}

#[test]
fn errors_have_a_limit() {
    let (_, findings) = parse(&"int = ;\n".repeat(1000), 0);
    assert_eq!(findings.len(), MAX_ERRORS);
    let (_, findings) = parse(&"int a @\n".repeat(1000), 0);
    assert_eq!(findings.len(), MAX_ERRORS);
}

#[test]
fn a_text_that_ends_too_late_is_refused() {
    let (_, findings) = parse("int a;", u32::MAX - 3);
    assert_eq!(findings[0].code, "file-too-large");
}
