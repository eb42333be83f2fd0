//! Random programs: what the oracle says that they do is what their lowered form does.

mod execute;
mod generate;
mod meaning;
mod model;

use hardbop_lang_remopla::rem::{lower, parse};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

/// The text of a random program.
pub fn spell(tape: &[u8]) -> String {
    generate::program(tape).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lowered_programs_do_what_they_mean(tape in proptest::collection::vec(any::<u8>(), 0..300)) {
        let program = generate::program(&tape);
        let text = program.to_string();
        let (ast, findings) = parse(&text, 0);
        prop_assert_eq!(findings, [], "{}", text);
        let lowered = match lower(&ast, None) {
            Ok(lowered) => lowered.program,
            Err(errors) => return Err(proptest::test_runner::TestCaseError::fail(format!("{errors:?}\n{text}"))),
        };
        let (wanted, found) = (meaning::reached(&program), execute::reached(&lowered, &program));
        let missing: Vec<_> = wanted.difference(&found).take(3).collect();
        let extra: Vec<_> = found.difference(&wanted).take(3).collect();
        prop_assert!(missing.is_empty() && extra.is_empty(), "missing {:?}, extra {:?} in\n{}", missing, extra, text);
    }
}
