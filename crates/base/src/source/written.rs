//! Where something stands in a line as the user wrote it, when it is known where it stands after preprocessing.
//!
//! A preprocessor expands macros, drops comments and makes one blank of many; everything else it leaves where it is.

use std::ops::Range;

/// Where the bytes `span` of `line` stand in `written`: to the byte where the text around them has not changed, else as
/// much of the line as they may be.
pub(super) fn find(written: &str, line: &str, span: Range<usize>) -> Range<usize> {
    if written.strip_prefix(line).is_some_and(|rest| rest.trim().is_empty()) {
        return span;
    }
    let text = line[span.clone()].trim_end();
    let start = follow(written, 0, &line[..span.start]).map(|at| skip_blanks(written, at));
    if let Some(start) = start
        && let Some(end) = follow(written, start, text)
    {
        return start..end;
    }
    let mut found = written.char_indices().filter_map(|(start, _)| Some(start..follow_word(written, start, text)?));
    match (found.next(), found.next()) {
        (Some(place), None) => place,
        _ => {
            let start = start.filter(|&start| start < written.len()).unwrap_or_else(|| skip_blanks(written, 0));
            start..end_of_code(written).max(start)
        }
    }
}

/// Where the first `end` bytes of `line` end in `written`, or its code does.
pub(super) fn find_end(written: &str, line: &str, end: usize) -> usize {
    follow(written, 0, &line[..end]).unwrap_or_else(|| end_of_code(written))
}

/// Where `text` ends in `written` if it begins at `at`; blanks and comments do not count.
fn follow(written: &str, at: usize, text: &str) -> Option<usize> {
    let mut at = at;
    for next in text.chars().filter(|next| !next.is_whitespace()) {
        at = skip_blanks(written, at);
        at += written[at..].starts_with(next).then(|| next.len_utf8())?;
    }
    Some(at)
}

/// The same, where `text` begins there and is not a part of longer words.
fn follow_word(written: &str, start: usize, text: &str) -> Option<usize> {
    let is_word = |next: char| next.is_alphanumeric() || next == '_';
    if text.is_empty() || !written[start..].starts_with(text.chars().next()?) {
        return None;
    }
    let end = follow(written, start, text)?;
    let is_cut = |left: Option<char>, right: Option<char>| left.is_some_and(is_word) && right.is_some_and(is_word);
    let is_whole = !is_cut(written[..start].chars().next_back(), text.chars().next())
        && !is_cut(text.chars().next_back(), written[end..].chars().next());
    is_whole.then_some(end)
}

fn skip_blanks(written: &str, at: usize) -> usize {
    let rest = written[at..].trim_start();
    let at = written.len() - rest.len();
    match rest.strip_prefix("/*") {
        Some(comment) => {
            comment.find("*/").map_or(written.len(), |length| skip_blanks(written, at + 2 + length + "*/".len()))
        }
        None if rest.starts_with("//") => written.len(),
        None => at,
    }
}

/// The end of the last statement: neither its semicolon nor a comment belongs to it.
pub(super) fn end_of_code(written: &str) -> usize {
    let mut end = 0;
    let mut at = skip_blanks(written, 0);
    while let Some(next) = written[at..].chars().next() {
        end = at + next.len_utf8();
        at = skip_blanks(written, end);
    }
    written[..end].trim_end_matches(';').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks where the part of `line` between bars stands in `written`, likewise marked.
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let bars: Vec<usize> = line.match_indices('|').map(|(at, _)| at).collect();
        let place = find(&expected.replace('|', ""), &line.replace('|', ""), bars[0]..bars[1] - 1);
        let mut marked = expected.replace('|', "");
        marked.insert(place.end, '|');
        marked.insert(place.start, '|');
        assert_eq!(marked, expected);
    }

    #[test]
    fn what_has_not_changed_is_where_it_was() {
        check("  |*p| = 1;", "  |*p| = 1;");
        check("  x = |*p|;", "\tx   = |*p|; // read");
        check("  x = |*p + 1|;", "  x /* is */ = |*p  +  1|;");
    }

    #[test]
    fn what_macros_surround_is_found_if_there_is_one() {
        check("  x = ((void *)0) ? 1 : |*p|;", "  x = NULL ? 1 : |*p|;");
        check("  if (!(|*p|)) fail(\"*p\", 7);", "  CHECK(|*p|);");
        check("  (((1))) + pp + |p|", "  ONE + pp + |p|");
    }

    #[test]
    fn what_is_expanded_is_the_rest_of_the_line() {
        check("  |p = ((void *)0)|;", "  |p = NULL|; /* for now */");
        check("  y = 1; |p = ((void *)0)|;", "  y = 1; |p = NULL|;");
        check("  (*(|p|)) = (*(p));", "  |SET(p, p)|;");
        check(" |int x|;", "||");
    }
}
