//! Lines that a backslash joins to the next.

use std::borrow::Cow;

/// From `joined` on, places in the joined text lie `removed` bytes further in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Splice {
    joined: u32,
    removed: u32,
}

/// The text without its continuations, and where they were. Almost no preprocessed file has any.
pub(crate) fn join(text: &str) -> (Cow<'_, str>, Vec<Splice>) {
    let mut splices = Vec::new();
    let mut joined = String::new();
    let (mut copied, mut from, mut removed) = (0, 0, 0);
    while let Some(at) = text[from..].find('\\').map(|at| from + at) {
        let Some(len) = continuation_len(&text.as_bytes()[at..]) else {
            from = at + 1;
            continue;
        };
        joined.push_str(&text[copied..at]);
        copied = at + len;
        from = copied;
        removed += len as u32;
        splices.push(Splice { joined: joined.len() as u32, removed });
    }
    if splices.is_empty() {
        return (Cow::Borrowed(text), splices);
    }
    joined.push_str(&text[copied..]);
    (Cow::Owned(joined), splices)
}

/// How long the continuation is that begins with this backslash. Like gcc, blanks before the end of the line are
/// overlooked.
fn continuation_len(bytes: &[u8]) -> Option<usize> {
    let blanks = bytes[1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    (bytes.get(1 + blanks) == Some(&b'\n')).then_some(blanks + 2)
}

/// Where the byte at `at` of the joined text lies in the source.
#[inline]
pub(crate) fn origin(splices: &[Splice], at: usize) -> usize {
    if splices.is_empty() {
        return at;
    }
    let before = splices.partition_point(|splice| splice.joined as usize <= at);
    at + before.checked_sub(1).map_or(0, |last| splices[last].removed as usize)
}
