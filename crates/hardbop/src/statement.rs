//! The source text of a statement as it stands in a trace or a graph: one line, and a short one.

/// More characters than this are cut off.
const WIDTH: usize = 60;

/// `text` on one line: comments gone, blanks as one, cut where it is long.
pub fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut rest = text;
    let mut is_spaced = false;
    let mut starts_line = false;
    while let Some(next) = rest.chars().next() {
        if next.is_whitespace() {
            is_spaced = true;
            starts_line |= next == '\n';
            rest = &rest[next.len_utf8()..];
        } else if next == '#' && starts_line {
            // A comment, or where a preprocessor says what line this is.
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if let Some(after) = skip_comment(rest) {
            is_spaced = true;
            rest = after;
        } else {
            if is_spaced && length > 0 {
                line.push(' ');
                length += 1;
            }
            (is_spaced, starts_line) = (false, false);
            if length >= WIDTH {
                line.push('…');
                return line;
            }
            line.push(next);
            length += 1;
            rest = &rest[next.len_utf8()..];
        }
    }
    line
}

fn skip_comment(text: &str) -> Option<&str> {
    if let Some(comment) = text.strip_prefix("//") {
        Some(comment.split_once('\n').map_or("", |(_, after)| after))
    } else {
        text.strip_prefix("/*").map(|comment| comment.split_once("*/").map_or("", |(_, after)| after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(one_line(text), expected);
    }

    #[test]
    fn blanks_and_comments_become_one_blank() {
        check("a,\n\t b  := // both\n 1, /* and */ 0;", "a, b := 1, 0;");
        check("", "");
        check("x := y; // end", "x := y;");
        check("*p =\n# 7 \"a.h\" 3 4\n ((void *)0)\n# 9 \"a.c\"\n+ '#'", "*p = ((void *)0) + '#'");
    }

    #[test]
    fn long_text_is_cut() {
        check(&"é".repeat(60), &"é".repeat(60));
        check(&"é".repeat(61), &format!("{}…", "é".repeat(60)));
    }
}
