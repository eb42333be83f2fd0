//! `hardbop init`: files to start from.

use crate::arguments::Start;

/// The file to start from.
pub const fn text(what: Start) -> &'static str {
    match what {
        Start::Flow => include_str!("init/start.flow"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_lang_flow as analysis;

    #[test]
    fn the_analysis_to_start_from_is_one() {
        let (analysis, found) = analysis::parse(text(Start::Flow), 0);
        assert_eq!(found, []);
        assert_eq!(analysis::check(&analysis), []);
        assert!(!analysis.requirements.is_empty());
    }
}
