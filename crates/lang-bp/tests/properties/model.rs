//! Random programs that are correct, each with the text it is spelled as and the shape it should be read as.
//!
//! Text and shape are made together, bottom-up: a strategy's value is the pair.

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;

/// A program with globals `a`, `b`, `{c d}`, a procedure `f` of one argument and two results, and `main`.
#[derive(Clone, Debug)]
pub struct Program {
    parts: Piece,
}

impl Program {
    /// The source text.
    pub fn spell(&self) -> String {
        self.parts.text.clone()
    }

    /// What [`super::shape::of`] should say.
    pub fn shape(&self) -> String {
        self.parts.shape.clone()
    }
}

#[derive(Clone, Debug)]
struct Piece {
    text: String,
    shape: String,
}

fn piece(text: impl Into<String>, shape: impl Into<String>) -> Piece {
    Piece { text: text.into(), shape: shape.into() }
}

/// Several pieces in a row, their texts with `between` in between.
fn join(pieces: &[Piece], between: &str) -> Piece {
    let texts: Vec<_> = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let shapes: Vec<_> = pieces.iter().map(|piece| piece.shape.as_str()).collect();
    piece(texts.join(between), format!("[{}]", shapes.join(" ")))
}

pub fn program() -> impl Strategy<Value = Program> {
    let invariants = || {
        vec(invariant(), 0..3).prop_map(|pieces| {
            piece(
                join(&pieces, " ").text,
                format!("[{}]", pieces.iter().map(|piece| piece.shape.as_str()).collect::<String>()),
            )
        })
    };
    let header = select(vec![("bool<2> ", "2"), ("", "?"), ("dfs bool<2>\n", "2")]);
    (header, invariants(), block(), invariants(), block(), values(2)).prop_map(
        |(header, f_invariants, f_body, main_invariants, main_body, results)| {
            let text = format!(
                "decl a; {}f(x) begin decl y; {} {} return {}; L: end decl b, {{ c d }}; \
                 void main() begin decl x, y; {} {} L: skip end",
                header.0, f_invariants.text, f_body.text, results.text, main_invariants.text, main_body.text,
            );
            let last = |block: &str, more: &str| {
                let inside = &block[1..block.len() - 1];
                if inside.is_empty() { format!("[{more}]") } else { format!("[{inside} {more}]") }
            };
            let shape = format!(
                "[a b {{c d}}] ({} f [x] [y] {} {}) (0 main [] [x y] {} {})",
                header.1,
                f_invariants.shape,
                last(&f_body.shape, &format!("([]return {}) ([L]skip)", results.shape)),
                main_invariants.shape,
                last(&main_body.shape, "([L]skip)"),
            );
            Program { parts: piece(text, shape) }
        },
    )
}

fn invariant() -> impl Strategy<Value = Piece> {
    (select(vec!["enforce", "abortif"]), expr(Primes::Forbidden))
        .prop_map(|(word, test)| piece(format!("{word} {};", test.text), format!("({word} {})", test.shape)))
}

fn variable() -> impl Strategy<Value = Piece> {
    select(vec![("a", "a"), ("b", "b"), ("x", "x"), ("y", "y"), ("{c d}", "{c d}"), ("{ c d\t}", "{c d}")])
        .prop_map(|(text, shape)| piece(text, shape))
}

#[derive(Clone, Copy)]
enum Primes {
    Allowed,
    Forbidden,
}

/// An expression in parentheses, or one that needs none.
fn expr(primes: Primes) -> BoxedStrategy<Piece> {
    let constants = vec![("T", "T"), ("0", "F"), ("1", "T"), ("false", "F"), ("*", "*"), ("?", "*")];
    let constant = select(constants).prop_map(|(text, shape)| piece(text, shape));
    let leaf = match primes {
        Primes::Forbidden => prop_oneof![constant, variable()].boxed(),
        Primes::Allowed => {
            let primed = (any::<bool>(), variable()).prop_map(|(is_before, var)| {
                let text = if is_before { format!("'{}", var.text) } else { format!("{} '", var.text) };
                piece(text, var.shape + "'")
            });
            prop_oneof![constant, variable(), primed].boxed()
        }
    };
    let operators = vec![
        ("<=>", "<=>"),
        ("=>", "=>"),
        ("|", "|"),
        ("||", "|"),
        ("^", "^"),
        ("&", "&"),
        ("&&", "&"),
        ("=", "="),
        ("==", "="),
        ("!=", "!="),
        ("<>", "!="),
    ];
    let inner = leaf.prop_recursive(5, 30, 3, move |inner| {
        let not = (select(vec!["!", "~", "! "]), inner.clone())
            .prop_map(|(op, a)| piece(format!("{op}{}", a.text), format!("(! {})", a.shape)));
        let binary = (select(operators.clone()), inner.clone(), inner.clone()).prop_map(|(op, a, b)| {
            piece(format!("({} {} {})", a.text, op.0, b.text), format!("({} {} {})", op.1, a.shape, b.shape))
        });
        let ite = (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| {
            let text = format!("({} ? {}: {})", a.text, b.text, c.text);
            piece(text, format!("(? {} {} {})", a.shape, b.shape, c.shape))
        });
        let schoose = (inner.clone(), inner).prop_map(|(a, b)| {
            piece(format!("schoose [{},{}]", a.text, b.text), format!("(schoose {} {})", a.shape, b.shape))
        });
        prop_oneof![not, binary, ite, schoose]
    });
    inner.boxed()
}

fn values(count: usize) -> impl Strategy<Value = Piece> {
    vec(expr(Primes::Forbidden), count).prop_map(|values| join(&values, ", "))
}

fn targets(count: usize) -> impl Strategy<Value = Piece> {
    vec(prop_oneof![4 => variable(), 1 => Just(piece("_", "_"))], count).prop_map(|targets| join(&targets, " ,"))
}

fn simple_stmt() -> impl Strategy<Value = Piece> {
    let words = vec!["skip", "end_thread", "atomic_begin", "atomic_end"];
    let tests = (select(vec!["assert", "assume"]), expr(Primes::Forbidden))
        .prop_map(|(word, test)| piece(format!("{word} {}", test.text), format!("{word} {}", test.shape)));
    let constrain = expr(Primes::Allowed)
        .prop_map(|test| piece(format!("constrain {}", test.text), format!("constrain {}", test.shape)));
    let assign = (1..4usize).prop_flat_map(|count| {
        (targets(count), values(count), proptest::option::of(expr(Primes::Allowed))).prop_map(
            |(targets, values, constraint)| {
                let suffix = constraint.as_ref().map(|test| format!(" constrain {}", test.text)).unwrap_or_default();
                let constraint = constraint.map(|test| test.shape).unwrap_or_default();
                piece(
                    format!("{}:={}{suffix}", targets.text, values.text),
                    format!("assign {} {} [{constraint}]", targets.shape, values.shape),
                )
            },
        )
    });
    let call = (proptest::option::of(targets(2)), values(1)).prop_map(|(targets, args)| {
        let (left, shape) = match targets {
            Some(targets) => (targets.text + " := ", targets.shape),
            None => (String::new(), "[]".into()),
        };
        piece(format!("{left}f({})", args.text), format!("call {shape} f {}", args.shape))
    });
    let dead = vec(variable(), 1..3).prop_map(|vars| join(&vars, ","));
    prop_oneof![
        select(words).prop_map(|word| piece(word, word)),
        tests,
        constrain,
        assign,
        call,
        dead.prop_map(|vars| piece(format!("dead {}", vars.text), format!("dead {}", vars.shape))),
        values(2).prop_map(|values| piece(format!("print({})", values.text), format!("print {}", values.shape))),
        values(1).prop_map(|args| piece(format!("start_thread f({})", args.text), format!("start f {}", args.shape))),
        Just(piece("goto L, L", "goto [L L]")),
        Just(piece("start_thread goto L", "start-goto L")),
        Just(piece("return", "return []")),
        Just(piece("sync a", "sync a")),
    ]
}

fn block() -> impl Strategy<Value = Piece> {
    let simple = simple_stmt().prop_map(|stmt| piece(stmt.text + ";", format!("([]{})", stmt.shape)));
    let stmt = simple.prop_recursive(3, 12, 3, |inner| {
        let body = || vec(inner.clone(), 0..3).prop_map(|stmts| join(&stmts, " "));
        let test = || expr(Primes::Forbidden);
        let repeat = (test(), body()).prop_map(|(test, body)| {
            let text = format!("while {} do {} od", test.text, body.text);
            piece(text, format!("([]while {} {})", test.shape, body.shape))
        });
        let parts = vec((test(), body()), 1..4);
        let choose =
            (parts, proptest::option::of(body()), any::<bool>()).prop_map(|(parts, otherwise, has_semicolon)| {
                let mut text = String::new();
                for (row, (test, body)) in parts.iter().enumerate() {
                    let word = if row == 0 { "if" } else { " elsif" };
                    text += &format!("{word} ({}) then {}", test.text, body.text);
                }
                let mut rest = match &otherwise {
                    Some(block) => {
                        text += &format!(" else {}", block.text);
                        format!("else {}", block.shape)
                    }
                    None => "nothing".into(),
                };
                for (row, (test, body)) in parts.iter().enumerate().rev() {
                    rest = format!("([]if {} {} {rest})", test.shape, body.shape);
                    if row > 0 {
                        rest = format!("elsif {rest}");
                    }
                }
                piece(text + if has_semicolon { " fi;" } else { " fi" }, rest)
            });
        prop_oneof![repeat, choose]
    });
    vec(stmt, 0..5).prop_map(|stmts| join(&stmts, "\n"))
}
