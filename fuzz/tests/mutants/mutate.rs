//! From valid programs to texts that are nearly valid.

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutation {
    /// Bytes: what comes out is often not even text.
    Bytes,
    /// Words and lines: what comes out is often a program.
    Words,
}

/// What stands in for another word.
const WORDS: &[&str] = &[
    "*",
    "T",
    "F",
    "!",
    "&",
    "|",
    "^",
    "=",
    "!=",
    "=>",
    "<=>",
    "?",
    ":",
    ";",
    ",",
    "(",
    ")",
    ":=",
    "skip",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "begin",
    "end",
    "decl",
    "goto",
    "return",
    "assert",
    "assume",
    "enforce",
    "constrain",
    "abortif",
    "schoose",
    "print",
    "dead",
    "void",
    "bool",
    "main",
    "main()",
    "start_thread",
    "SLIC_ERROR",
    "<",
    ">",
    "-->",
    "->",
    "'",
    "''",
    "[",
    "]",
    "{",
    "}",
    "+",
    "-",
    "/",
    "0",
    "1",
    "7",
    "18446744073709551616",
    "global",
    "local",
    "int",
    "define",
    "module",
    "init",
    "enum",
    "struct",
    "X",
    "G",
    "U",
    "W",
    "R",
    "M",
    "xor",
    "@",
    "_",
    "where",
    "end",
    "on_stack",
    "State:",
    "Start:",
    "Acceptance:",
    "Inf",
    "Fin",
    "--BODY--",
    "--END--",
];

/// Mutant number `number` of `seeds`.
pub fn mutant(seeds: &[Vec<u8>], mutation: Mutation, number: u64) -> Vec<u8> {
    let mut random = Random { state: number };
    let mut text = random.pick(seeds).clone();
    for _ in 0..=random.below(4) {
        text = match mutation {
            Mutation::Bytes => mutate_bytes(text, &mut random),
            Mutation::Words => mutate_words(&text, &mut random),
        };
    }
    text
}

fn mutate_bytes(mut text: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let at = random.below(text.len() + 1);
    match random.below(4) {
        0 => text.insert(at, random.below(256) as u8),
        1 => text.truncate(at),
        2 if at < text.len() => text[at] ^= 1 << random.below(8),
        _ => {
            let end = (at + random.below(20)).min(text.len());
            let piece = text[at..end].to_vec();
            let to = random.below(text.len() + 1);
            text.splice(to..to, piece);
        }
    }
    text
}

fn mutate_words(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut words = split(text);
    if words.is_empty() {
        return text.to_vec();
    }
    let (at, other) = (random.below(words.len()), random.below(words.len()));
    match random.below(6) {
        0 => words[at] = random.pick(WORDS).as_bytes().to_vec(),
        1 => words.insert(at, random.pick(WORDS).as_bytes().to_vec()),
        2 => drop(words.remove(at)),
        3 => words.swap(at, other),
        // A variable or a procedure by the name of another one keeps the program valid more often than not.
        4 => words[at] = words[other].clone(),
        _ => {
            let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
            let (at, other) = (random.below(lines.len()), random.below(lines.len()));
            match random.below(3) {
                0 => lines.swap(at, other),
                1 => lines.insert(at, lines[other]),
                _ => drop(lines.remove(at)),
            }
            return lines.join(&b'\n');
        }
    }
    words.concat()
}

/// Names, blanks and signs, each a piece; their concatenation is `text`.
fn split(text: &[u8]) -> Vec<Vec<u8>> {
    let kind = |byte: u8| match byte {
        b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => 0,
        b' ' | b'\n' => 1,
        _ => 2,
    };
    text.chunk_by(|&a, &b| kind(a) == kind(b)).map(<[u8]>::to_vec).collect()
}

/// A stream of numbers that depends on the first state alone.
struct Random {
    state: u64,
}

impl Random {
    /// A number below `bound`, by the generator of Steele, Lea and Flood.
    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
