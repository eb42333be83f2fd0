//! Texts that are not UTF-8. Old sources have bytes of other encodings in strings and comments, and C passes them on.
//!
//! A byte that is part of no character becomes one of the last 128 code points, which stand for nothing; in a literal it
//! becomes that byte again.

const FIRST: u32 = 0x10_ff80;

/// The text of a source file.
pub fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::with_capacity(error.as_bytes().len());
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|&byte| stand_in(byte)));
        }
        text
    })
}

fn stand_in(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte & 0x7f)).expect("code points go up to 0x10ffff")
}

/// The byte that `character` stands for.
pub(crate) fn raw_byte(character: char) -> Option<u8> {
    u32::from(character).checked_sub(FIRST).map(|low| low as u8 | 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        let back: Vec<u8> = decode(bytes.clone())
            .chars()
            .flat_map(|one| raw_byte(one).map_or_else(|| one.to_string().into_bytes(), |byte| vec![byte]))
            .collect();
        assert_eq!(back, bytes);
        assert_eq!(decode("grün".into()), "grün");
    }
}
