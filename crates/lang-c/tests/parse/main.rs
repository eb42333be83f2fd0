//! What can be read, construct by construct.

mod attributes;
mod declarations;
mod expressions;
mod literals;
mod preprocessed;
mod print;
mod print_body;
mod scopes;
mod statements;
mod types;

use expect_test::Expect;
use hardbop_lang_c::parse;

/// The trees of `sources`, one after the other, each of which must be read without complaint.
#[track_caller]
fn check(sources: &[&str], expect: Expect) {
    let trees = sources.iter().map(|source| {
        let (ast, findings) = parse(source, 0);
        assert_eq!(findings, [], "{source}");
        print::print(&ast)
    });
    expect.assert_eq(&trees.collect::<String>());
}

/// The trees of expressions, where `T` is a type and everything else a variable.
#[track_caller]
fn check_exprs(exprs: &[&str], expect: Expect) {
    let trees = exprs.iter().map(|expr| body_of(&format!("{expr};")));
    expect.assert_eq(&trees.collect::<String>());
}

/// The trees of statements in a function, where `T` is a type and everything else a variable.
#[track_caller]
fn check_stmts(stmts: &[&str], expect: Expect) {
    let trees = stmts.iter().map(|stmt| body_of(stmt));
    expect.assert_eq(&trees.collect::<String>());
}

#[track_caller]
fn body_of(stmts: &str) -> String {
    let source = format!("typedef int T; f() {{ {stmts} }}");
    let (ast, findings) = parse(&source, 0);
    assert_eq!(findings, [], "{source}");
    let text = print::print(&ast);
    let start = text.find(" {").expect("a function has a body");
    let end = text.rfind("})").expect("a body ends");
    text[start + 2..end].to_owned() + "\n"
}
