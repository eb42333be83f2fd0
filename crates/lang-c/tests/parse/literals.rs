//! Numbers, characters and strings.

use crate::check_exprs;
use expect_test::expect;

#[test]
fn integers_have_bases_and_suffixes() {
    check_exprs(
        &[
            "0",
            "1",
            "42u",
            "42UL",
            "42LLU",
            "42ull",
            "0x1F",
            "0Xffu",
            "0755",
            "0b101",
            "0B1u",
            "00",
            "1i",
            "2uj",
            "3LLi",
            "18446744073709551615",
            "0xffffffffffffffffffffffffffffffff",
            "1uLL",
            "1Lu",
        ],
        expect![[r#"
            0x0
            1
            42u
            42ul
            42ull
            42ull
            0x1f
            0xffu
            0x1ed
            0x5
            0x1u
            0x0
            1i
            2ui
            3lli
            18446744073709551615
            0xffffffffffffffffffffffffffffffff
            1ull
            1ul
        "#]],
    );
}

#[test]
fn floats_have_exponents() {
    check_exprs(
        &[
            "1.0",
            "1.",
            ".5",
            "1e5",
            "1e+5",
            "1.5E-3",
            "1.0f",
            "1.0L",
            "1.0l",
            "1e5F",
            "0x1p3",
            "0x1.8p-1f",
            "0x.8P+2L",
            "0xap1",
        ],
        expect![[r#"
            (float 1.0 Double)
            (float 1. Double)
            (float .5 Double)
            (float 1e5 Double)
            (float 1e+5 Double)
            (float 1.5E-3 Double)
            (float 1.0 Float)
            (float 1.0 LongDouble)
            (float 1.0 LongDouble)
            (float 1e5 Float)
            (float 0x1p3 Double)
            (float 0x1.8p-1 Float)
            (float 0x.8P+2 LongDouble)
            (float 0xap1 Double)
        "#]],
    );
}

#[test]
fn floats_have_suffixes_of_gnu() {
    check_exprs(
        &[
            "1.0i", "1.0if", "1.0fi", "2.0Lj", "1.0q", "1.0Q", "1.0w", "1.0f16", "1.0f32", "1.0F64", "1.0f128",
            "1.0f32x", "1.0f64x", "1.0df", "1.0dd", "1.0DL", "09.5", "08e1", "1.0d",
        ],
        expect![[r#"
            (float 1.0 Double i)
            (float 1.0 Float i)
            (float 1.0 Float i)
            (float 2.0 LongDouble i)
            (float 1.0 Float128)
            (float 1.0 Float128)
            (float 1.0 Float64x)
            (float 1.0 Float16)
            (float 1.0 Float32)
            (float 1.0 Float64)
            (float 1.0 Float128)
            (float 1.0 Float32x)
            (float 1.0 Float64x)
            (float 1.0 Decimal32)
            (float 1.0 Decimal64)
            (float 1.0 Decimal128)
            (float 09.5 Double)
            (float 08e1 Double)
            (float 1.0 Double)
        "#]],
    );
}

#[test]
fn characters_are_valued_as_gcc_does() {
    check_exprs(
        &[
            "'a'",
            r#"'\n'"#,
            r#"'\0'"#,
            r#"'\377'"#,
            r#"'\x7f'"#,
            r#"'\xff'"#,
            r#"'\e'"#,
            r#"'\''"#,
            r#"'"'"#,
            r#"'\\'"#,
            r#"'\a' + '\b' + '\f' + '\v' + '\t' + '\r' + '\?'"#,
            "'ab'",
            "'abcd'",
            "'abcde'",
            r#"'\377\377\377\377'"#,
            r#"'\0\377'"#,
            "'é'",
        ],
        expect![[r#"
            (char 97)
            (char 10)
            (char 0)
            (char -1)
            (char 127)
            (char -1)
            (char 27)
            (char 39)
            (char 34)
            (char 92)
            (+ (+ (+ (+ (+ (+ (char 7) (char 8)) (char 12)) (char 11)) (char 9)) (char 13)) (char 63))
            (char 24930)
            (char 1633837924)
            (char 1650680933)
            (char -1)
            (char 255)
            (char 50089)
        "#]],
    );
}

#[test]
fn wide_characters_are_numbers_too() {
    check_exprs(
        &[
            "L'a'",
            "L'é'",
            r#"L'\xffffffff'"#,
            r#"u'\xffff'"#,
            r#"U'\xffffffff'"#,
            "L'ab'",
            r#"u'\u20ac'"#,
            r#"'\u00e9'"#,
            r#"'\E'"#,
            r#"'\%'"#,
            "u8'a'",
        ],
        expect![[r#"
            (char Wide 97)
            (char Wide 233)
            (char Wide -1)
            (char Utf16 65535)
            (char Utf32 4294967295)
            (char Wide 98)
            (char Utf16 8364)
            (char 50089)
            (char 27)
            (char 37)
            (char Utf8 97)
        "#]],
    );
}

#[test]
fn strings_are_decoded() {
    check_exprs(
        &[
            r#""""#,
            r#""abc""#,
            r#""a\n\t\0b""#,
            r#""\x41\x4a4b""#,
            r#""\1234""#,
            r#""\"\\""#,
            r#""é\u00e9\U0001F600""#,
            r#"u8"é""#,
            r#"L"aé""#,
            r#"u"\U0001F600""#,
            r#"U"\U0001F600""#,
            r#"L"\x12345678""#,
            r#"u"\x12345""#,
            r#""\%\(" "x""#,
            r#""a//b/*c*/""#,
            r#""?" "?/""#,
        ],
        expect![[r#"
            ""
            "abc"
            "a\n\t\x00b"
            "AK"
            "S4"
            "\"\\"
            "\xc3\xa9\xc3\xa9\xf0\x9f\x98\x80"
            u8"\xc3\xa9"
            L[97, 233]
            u[55357, 56832]
            U[128512]
            L[305419896]
            u[9029]
            "%(x"
            "a//b/*c*/"
            "??/"
        "#]],
    );
}

#[test]
fn neighbouring_strings_are_joined() {
    check_exprs(
        &[
            r#""a" "b""#,
            r#""a" "b" "c""#,
            r#"L"a" "b""#,
            r#""a" L"b""#,
            r#""a" u"b" "c""#,
            r#"u8"a" "b""#,
            r#""\x1" "2""#,
            r#"f("a" "b", "c")"#,
        ],
        expect![[r#"
            "ab"
            "abc"
            L[97, 98]
            L[97, 98]
            u[97, 98, 99]
            u8"ab"
            "\x012"
            (call f "ab" "c")
        "#]],
    );
}

#[test]
fn raw_strings_keep_everything() {
    check_exprs(
        &[
            r#"R"(a\n"b)""#,
            r#"R"x(a)" )x""#,
            r#"LR"(a\)""#,
            r#"u8R"(é)""#,
            "R\"(a\nb)\"",
            r#"uR"()""#,
            "R + LR + u8 + u + U + L",
        ],
        expect![[r#"
            "a\\n\"b"
            "a)\" "
            L[97, 92]
            u8"\xc3\xa9"
            "a\nb"
            u[]
            (+ (+ (+ (+ (+ R LR) u8) u) U) L)
        "#]],
    );
}
