//! Everything else that is read: C, symbolic pushdown systems, Remopla, formulas and automata.

use crate::{errors, is_small, spans_are_inside};
use hardbop_base::Budget;
use hardbop_c_core::{Module, Target};
use hardbop_icfg::{Program, Relation};
use hardbop_lang_remopla::{pds, rem};
use hardbop_ltl::hoa;

/// What a translation may spend: a formula's automaton can be exponentially larger than the formula.
pub(crate) const TRANSLATION: u64 = 200_000;

/// Reads and lowers `bytes` as a symbolic pushdown system.
pub fn parse_pds(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (ast, found) = pds::parse(text, 0);
    assert!(errors(&found) <= pds::MAX_ERRORS, "more errors than anyone reads");
    spans_are_inside(text, &found);
    if errors(&found) == 0 {
        match pds::lower(&ast) {
            Ok(lowered) => spans_are_inside(text, &lowered.warnings),
            Err(found) => complains(text, &found, pds::MAX_ERRORS),
        }
    }
}

/// Reads and lowers `bytes` as a Remopla program.
pub fn parse_rem(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (ast, found) = rem::parse(text, 0);
    assert!(errors(&found) <= rem::MAX_ERRORS, "more errors than anyone reads");
    spans_are_inside(text, &found);
    if errors(&found) == 0 {
        match rem::lower(&ast, None) {
            Ok(lowered) => spans_are_inside(text, &lowered.warnings),
            Err(found) => complains(text, &found, rem::MAX_ERRORS),
        }
    }
}

/// Reads `bytes` as C; what can be lowered is in good form, and what is printed of it is C again.
pub fn parse_c(bytes: &[u8]) {
    let text = hardbop_lang_c::decode(bytes.to_vec());
    let Some(module) = lower_c(&text) else { return };
    hardbop_c_core::check::check(&module).expect("what is lowered is in good form");
    let printed = hardbop_c_core::print::module(&module);
    let (ast, found) = hardbop_lang_c::parse(&printed, 0);
    assert_eq!(errors(&found), 0, "what was printed cannot be read: {printed}");
    let again = hardbop_c_lower::lower(&ast, Target::Lp64);
    again.unwrap_or_else(|found| panic!("what was printed cannot be lowered: {found:?}\n{printed}"));
}

fn lower_c(text: &str) -> Option<Module> {
    let (ast, found) = hardbop_lang_c::parse(text, 0);
    assert!(errors(&found) <= hardbop_lang_c::MAX_ERRORS, "more errors than anyone reads");
    spans_are_inside(text, &found);
    if errors(&found) > 0 {
        return None;
    }
    match hardbop_c_lower::lower(&ast, Target::Lp64) {
        Ok(lowered) => {
            spans_are_inside(text, &lowered.warnings);
            Some(lowered.module)
        }
        Err(found) => {
            complains(text, &found, hardbop_lang_c::MAX_ERRORS);
            None
        }
    }
}

/// What cannot be lowered has a reason.
fn complains(text: &str, found: &[hardbop_base::Diagnostic], most: usize) {
    assert!((1..=most).contains(&errors(found)), "no error, or more than anyone reads");
    spans_are_inside(text, found);
}

/// Reads `bytes` as a formula; one that is small is translated, and its automaton written and read again.
pub fn parse_ltl(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let formula = match hardbop_ltl::parse(text, 0) {
        Ok(formula) => formula,
        Err(found) => {
            assert!(errors(&found) > 0, "a formula is refused without a reason");
            return spans_are_inside(text, &found);
        }
    };
    let printed = formula.to_string();
    let again = hardbop_ltl::parse(&printed, 0).expect("what was printed can be read");
    assert_eq!(again.to_string(), printed, "what was printed reads as something else");
    for formula in [formula.nnf(), formula.simplified()] {
        hardbop_ltl::parse(&formula.to_string(), 0).expect("what was printed can be read");
    }
    let budget = Budget::unlimited().with_allowance(TRANSLATION);
    if let Ok(automaton) = hardbop_ltl::translate_buchi(&formula, &budget) {
        assert!(automaton.is_buchi());
        let read = hoa::read(&hoa::write(&automaton, Some(&printed)), 0).expect("what was written can be read");
        assert_eq!(read.automaton, automaton, "what was written reads as something else");
    }
}

/// Reads `bytes` as an automaton in the Hanoi format; what is read is written and read again.
pub fn read_hoa(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let automaton = match hoa::read(text, 0) {
        Ok(read) => {
            for span in &read.prop_spans {
                assert!(text.get(span.start as usize..span.end as usize).is_some(), "a span outside of the text");
            }
            read.automaton
        }
        Err(found) => {
            assert!(errors(&found) > 0, "an automaton is refused without a reason");
            return spans_are_inside(text, &found);
        }
    };
    let again = hoa::read(&hoa::write(&automaton, None), 0).expect("what was written can be read");
    assert_eq!(again.automaton, automaton, "what was written reads as something else");
    let budget = Budget::unlimited().with_allowance(TRANSLATION);
    if let Ok(degeneralised) = automaton.degeneralise(&budget) {
        assert!(degeneralised.is_buchi());
    }
}

/// The boolean program, pushdown system or Remopla program of `text`, whichever it is, if it is small.
pub(crate) fn program(text: &str) -> Option<(Program<Relation>, Language)> {
    let (ast, found) = hardbop_lang_bp::parse(text, 0);
    let (program, language) = if errors(&found) == 0 {
        (hardbop_lang_bp::lower(&ast, "main").ok()?.program, Language::BooleanProgram)
    } else {
        let (ast, found) = pds::parse(text, 0);
        if errors(&found) == 0 {
            (pds::lower(&ast).ok()?.program, Language::PushdownSystem)
        } else {
            let (ast, found) = rem::parse(text, 0);
            if errors(&found) > 0 {
                return None;
            }
            (rem::lower(&ast, None).ok()?.program, Language::Remopla)
        }
    };
    is_small(&program).then_some((program, language))
}

/// What a program is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    BooleanProgram,
    PushdownSystem,
    Remopla,
}
