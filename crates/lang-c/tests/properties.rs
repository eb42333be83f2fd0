//! Properties of all texts: the parser never panics, and what it says has a place in the text.

use hardbop_lang_c::ast::{Item, StmtKind};
use hardbop_lang_c::{Ast, MAX_ERRORS, parse};
use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use proptest::sample::{Index, select};

const BASE: u32 = 7;

/// Parses `text` and looks at everything that came out of it.
fn run(text: &str) {
    let (ast, findings) = parse(text, BASE);
    assert!(findings.len() <= MAX_ERRORS);
    let is_inside = |span: hardbop_base::Span| {
        let range = (span.start - BASE) as usize..(span.end - BASE) as usize;
        assert!(span.start >= BASE && text.get(range).is_some(), "{span:?} in {text:?}");
    };
    for finding in &findings {
        is_inside(finding.span.expect("the parser always knows where"));
        finding.related.iter().for_each(|(_, span)| is_inside(*span));
    }
    ast.exprs.iter().for_each(|expr| is_inside(expr.span));
    ast.stmts.iter().for_each(|stmt| is_inside(stmt.span));
    ast.strings.iter().for_each(|string| is_inside(string.span));
    assert!(ast.markers.windows(2).all(|pair| pair[0].offset <= pair[1].offset));
    if findings.is_empty() {
        assert_no_error(&ast);
    }
}

/// What is missing from the tree has been reported.
fn assert_no_error(ast: &Ast) {
    assert!(!ast.exprs.iter().any(|expr| matches!(expr.kind, hardbop_lang_c::ast::ExprKind::Error)));
    assert!(!ast.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Error)));
    for item in &ast.items {
        if let Item::Function(function) = item {
            assert!(matches!(ast.stmts[function.body].kind, StmtKind::Block(_)));
        }
    }
}

/// Words and signs that mean something, and some that do not.
const PIECES: &[&str] = &[
    "int",
    "T",
    "x",
    "y",
    "typedef",
    "struct",
    "union",
    "enum",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "*",
    "&",
    "&&",
    "+",
    "++",
    "-",
    "->",
    ".",
    "...",
    "=",
    "+=",
    "<<",
    "?",
    "!",
    "~",
    "1",
    "0x1p3",
    "08",
    "'a'",
    "\"s\"",
    "L\"s\"",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "goto",
    "return",
    "break",
    "sizeof",
    "_Alignof",
    "__attribute__((x))",
    "__attribute__",
    "[[x]]",
    "asm",
    "volatile",
    "const",
    "static",
    "void",
    "unsigned",
    "long",
    "typeof",
    "_Generic",
    "__extension__",
    "__label__",
    "__builtin_offsetof",
    "__builtin_va_arg",
    "_Static_assert",
    "_Atomic",
    "_Alignas",
    "\n# 1 \"x.c\" 3\n",
    "\n#pragma x\n",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\n",
    "'",
    "\"",
    "\\",
    "R\"(",
    "\u{e9}",
    "@",
    "\0",
    "#",
    "%:",
    "<:",
    "\\u00e9",
    "({",
    "})",
    "(T)",
    "T T;",
    "T: ",
    "__auto_type",
    "register",
];

/// A program with a bit of everything, to be cut and mixed.
const PROGRAM: &str = r#"# 1 "a.c"
typedef unsigned long size_t; typedef struct list { struct list *next; int v : 3; union { int a; char b[8]; }; } list;
__extension__ extern __inline__ __attribute__((gnu_inline, nonnull(1))) int g(const char *restrict s, ...) __asm__("g2");
enum { A, B = 1 << 2, C = 'x' };
static int table[2][3] = { [0] = { 1, 2 }, [1 ... 1] = { [2] = 0x1f } }, (*hook)(int, char *) = 0;
int old(a, b) int a; char *b; { return a + *b; }
_Static_assert(sizeof(list) > 1, "size");
int main(int argc, char **argv) {
    list l = { .next = &(list){ 0 }, v: 1 }; size_t size_t = sizeof (list) + sizeof l;
    for (int i = 0, *p = &i; i < 10; i++) { if (i % 2) continue; else if (!p) break; else p = 0; }
    switch (argc) { case 1: case 2 ... 5: { goto done; } default: asm volatile ("nop" : "=r"(argc) : : "memory"); }
    do { argc -= ({ int t = (int)1.5e3f; t ?: 2; }); } while (argc > 0 && size_t * 2);
    void *q = &&done; goto *q;
done: return _Generic(argc, int: "a" "b\n"[0], default: L'\x41') + __builtin_offsetof(list, b[1]) /* end */;
}
"#;

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![8 => select(PIECES).prop_map(String::from), 1 => any::<String>()]
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        run(&text);
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        run(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_mixture_of_words_is_read(pieces in proptest::collection::vec(piece(), 0..60)) {
        run(&pieces.join(" "));
        run(&pieces.concat());
        run(&format!("typedef int T; void f(int x) {{ {} }}", pieces.join(" ")));
    }

    #[test]
    fn any_part_of_a_program_is_read(from in any::<Index>(), to in any::<Index>()) {
        let (from, to) = (from.index(PROGRAM.len()), to.index(PROGRAM.len()));
        run(&PROGRAM[from.min(to)..from.max(to)]);
        run(&PROGRAM[..to]);
    }

    #[test]
    fn any_mutant_of_a_program_is_read(
        edits in proptest::collection::vec((any::<Index>(), 0usize..8, piece()), 1..6),
    ) {
        let mut text = String::from(PROGRAM);
        for (at, len, piece) in edits {
            // The program is ASCII, but what is put in need not be.
            let mut start = at.index(text.len());
            let mut end = (start + len).min(text.len());
            while !text.is_char_boundary(start) { start -= 1; }
            while !text.is_char_boundary(end) { end += 1; }
            text.replace_range(start..end, &piece);
        }
        run(&text);
    }
}

#[test]
fn the_program_is_correct() {
    assert_eq!(parse(PROGRAM, 0).1, []);
}

/// Every program that is cut off is missing something at its end, and nothing else.
#[test]
fn every_beginning_of_a_program_is_read() {
    (0..PROGRAM.len()).for_each(|len| run(&PROGRAM[..len]));
}
