//! Small functions after common declarations: what their bodies become, and what is reported.

use expect_test::Expect;
use hardbop_c_core::{FunctionId, Target, check, print};

const DECLARATIONS: &str = "struct s { int n; unsigned low : 3; struct s *next; int *q; int array[4]; int (*call)(int); }; \
     int g, f(int), two(int, int), *h(int *), old(), print(const char *, ...); volatile int v; struct s make(void);";

/// The body of the last function, after `DECLARATIONS`.
#[track_caller]
pub fn check(source: &str, expect: Expect) {
    let source = format!("{DECLARATIONS}\n{source}");
    let (ast, errors) = hardbop_lang_c::parse(&source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    let lowered = hardbop_c_lower::lower(&ast, Target::Lp64);
    let module = lowered.unwrap_or_else(|findings| panic!("{findings:#?}")).module;
    assert_eq!(check::check(&module), Ok(()), "{}", print::module(&module));
    let defined = |id: &FunctionId| module.functions[*id].body.is_some();
    let last = module.functions.ids().rfind(defined).expect("a function is defined");
    let body = module.functions[last].body.as_ref().expect("it has a body");
    expect.assert_eq(&print::block(&module, last, &body.block, print::Style::EXACT));
}

/// What is reported: codes, messages and the text that is meant.
#[track_caller]
pub fn check_findings(source: &str, expect: Expect) {
    let source = format!("{DECLARATIONS}\n{source}");
    let (ast, errors) = hardbop_lang_c::parse(&source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    let findings = match hardbop_c_lower::lower(&ast, Target::Lp64) {
        Ok(lowered) => lowered.warnings,
        Err(findings) => findings,
    };
    let lines = findings.iter().map(|finding| {
        let span = finding.span.map_or(0..0, |span| span.start as usize..span.end as usize);
        format!("{}: {} [{}]\n", finding.code, finding.message, &source[span])
    });
    expect.assert_eq(&lines.collect::<String>());
}
