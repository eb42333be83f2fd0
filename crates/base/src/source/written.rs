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

/// What became `text` in a line that had `before` in front of it and `behind` after it.
///
/// Where all that is around it has not changed it is what stands in between. Where something has, a part that has not and
/// that stands there once says as much; then the text itself must begin alike.
pub(super) fn between(written: &str, [before, text, behind]: [&str; 3]) -> Option<Range<usize>> {
    let code = code_of(written);
    let letters: Vec<char> = code.iter().map(|&(_, letter)| letter).collect();
    let [before, text, behind] = [before, text, behind].map(without_blanks);
    let start = letters.starts_with(&before).then_some(before.len());
    let end = letters.ends_with(&behind).then(|| letters.len() - behind.len());
    let is_sure = start.is_some() && end.is_some();
    let start = start.or_else(|| {
        let tails = (0..before.len()).map(|from| &before[from..]);
        tails.map(|tail| only_place(&letters, tail)).find_map(|place| place).map(|place| place.end)
    })?;
    let end = end.or_else(|| {
        let heads = (1..=behind.len()).rev().map(|to| &behind[..to]);
        heads.map(|head| only_place(&letters, head)).find_map(|place| place).map(|place| place.start)
    })?;
    let found = letters.get(start..end).filter(|found| !found.is_empty())?;
    let is_alike = found.iter().zip(&text).take_while(|(left, right)| left == right).count() >= LEAST_ALIKE;
    let (last, length) = code[end - 1];
    let range = code[start].0..last + length.len_utf8();
    let is_whole = !is_word_at(written, range.start) && !is_word_at(written, range.end);
    (is_whole && (is_sure || is_alike)).then_some(range)
}

/// So much of a text must be there if something around it has changed.
const LEAST_ALIKE: usize = 2;

/// Where `part` stands in `letters`, if it stands there once.
fn only_place(letters: &[char], part: &[char]) -> Option<Range<usize>> {
    let mut places = (0..letters.len()).filter(|&at| letters[at..].starts_with(part));
    match (places.next(), places.next()) {
        (Some(at), None) => Some(at..at + part.len()),
        _ => None,
    }
}

/// What is neither a blank nor in a comment, and where.
fn code_of(written: &str) -> Vec<(usize, char)> {
    let mut code = Vec::new();
    let mut at = skip_blanks(written, 0);
    while let Some(next) = written[at..].chars().next() {
        code.push((at, next));
        at = skip_blanks(written, at + next.len_utf8());
    }
    code
}

fn without_blanks(text: &str) -> Vec<char> {
    text.chars().filter(|next| !next.is_whitespace()).collect()
}

/// Whether a word goes on at `at`.
fn is_word_at(written: &str, at: usize) -> bool {
    let is_word = |next: char| next.is_alphanumeric() || next == '_';
    written[..at].ends_with(is_word) && written[at..].starts_with(is_word)
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
        None if rest.starts_with("//") => {
            rest.find('\n').map_or(written.len(), |length| skip_blanks(written, at + length))
        }
        None => at,
    }
}

/// The end of the last statement: neither its semicolon nor a comment belongs to it.
pub(super) fn end_of_code(written: &str) -> usize {
    let end = code_of(written).last().map_or(0, |&(at, last)| at + last.len_utf8());
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

    /// What of `written` becomes the part of `line` between bars, if that is known.
    #[track_caller]
    fn check_between(line: &str, written: &str, expected: Option<&str>) {
        let parts: Vec<&str> = line.split('@').collect();
        let found = between(written, [parts[0], parts[1], parts[2]]).map(|found| &written[found]);
        assert_eq!(found, expected);
    }

    #[test]
    fn what_a_macro_stands_for_is_between_what_has_not_changed() {
        check_between("  if (@s->state != 31153@ && x) {", "  if (WRITING(s) && x) { // c", Some("WRITING(s)"));
        check_between("case @40@:", "case '(' /* open */ :", Some("'('"));
        check_between("  if (!(@*p@)) fail();", "  CHECK(*p);", Some("*p"));
        check_between("  if (!(@x > 3@)) fail();", "  CHECK(x, 3);", None);
        check_between("  @x = 1;@ y = 2;", "  SET(x, y);", None);
        check_between("return @ab@;", "return a;", Some("a"));
        check_between("return a@b@;", "return ab;", None);
    }

    #[test]
    fn what_stands_once_says_where_it_is_beside_macros() {
        let written = "if (s->mode != GZ_WRITE || s->err != Z_OK)";
        check_between("if (@s->mode != 31153@ || s->err != 0)", written, Some("s->mode != GZ_WRITE"));
        check_between("if (s->mode != 31153 || @s->err != 0@)", written, Some("s->err != Z_OK"));
        check_between("if (a == 1 || @b == 2@ || c == 3)", "if (a == ONE || b == TWO || c == THREE)", None);
        check_between("if (@(x) > 3@ || z || y)", "if (FOO(x) || y)", None);
    }

    #[test]
    fn what_is_expanded_is_the_rest_of_the_line() {
        check("  |p = ((void *)0)|;", "  |p = NULL|; /* for now */");
        check("  y = 1; |p = ((void *)0)|;", "  y = 1; |p = NULL|;");
        check("  (*(|p|)) = (*(p));", "  |SET(p, p)|;");
        check(" |int x|;", "||");
    }
}
