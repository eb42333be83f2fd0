//! The pragmas that change what a program means: `pack` bounds the alignment of members, `weak` lets a name have no
//! definition, `redefine_extname` gives it another symbol.

/// What is in force, and what was before.
#[derive(Default, Debug)]
pub(crate) struct Packing {
    /// The largest alignment in bytes, if there is a bound.
    pub(crate) bound: Option<u64>,
    pushed: Vec<(String, Option<u64>)>,
}

impl Packing {
    /// Obeys what follows `#pragma`. Like gcc, overlooks what makes no sense.
    pub(crate) fn obey(&mut self, pragma: &str) {
        let arguments = pragma.trim_start().strip_prefix("pack").and_then(|rest| rest.trim_start().strip_prefix('('));
        let Some((arguments, _)) = arguments.and_then(|rest| rest.split_once(')')) else { return };
        let words: Vec<&str> = arguments.split(',').map(str::trim).collect();
        match *words {
            [""] => self.bound = None,
            ["push"] => self.push("", None),
            ["push", word] if word.parse::<u64>().is_ok() => self.push("", Some(word)),
            ["push", name] => self.push(name, None),
            ["push", name, word] => self.push(name, Some(word)),
            ["pop"] => self.pop(self.pushed.len().checked_sub(1)),
            ["pop", name] => self.pop(self.pushed.iter().rposition(|(pushed, _)| pushed == name)),
            [word] => self.set(word),
            _ => {}
        }
    }

    fn push(&mut self, name: &str, bound: Option<&str>) {
        self.pushed.push((name.into(), self.bound));
        bound.into_iter().for_each(|bound| self.set(bound));
    }

    fn pop(&mut self, to: Option<usize>) {
        let Some(to) = to else { return };
        let (_, bound) = self.pushed[to];
        self.pushed.truncate(to);
        self.bound = bound;
    }

    fn set(&mut self, word: &str) {
        match word.parse() {
            Ok(0) => self.bound = None,
            Ok(bound @ (1 | 2 | 4 | 8 | 16)) => self.bound = Some(bound),
            _ => {}
        }
    }
}

/// The name that `#pragma weak` speaks of, and what it is another name of, if that is said.
pub(crate) fn weak(pragma: &str) -> Option<(&str, Option<&str>)> {
    let rest = pragma.trim_start().strip_prefix("weak")?;
    let (name, target) = rest.split_once('=').map_or((rest, None), |(name, target)| (name, Some(target)));
    let is_apart = name.starts_with(|first: char| first.is_ascii_whitespace());
    let mut words = name.split_ascii_whitespace();
    let name = words.next().filter(|_| is_apart && words.next().is_none())?;
    Some((name, target.map(str::trim).filter(|target| !target.is_empty())))
}

/// The name that `#pragma redefine_extname` speaks of, and the symbol that it gives it.
pub(crate) fn renamed(pragma: &str) -> Option<(&str, &str)> {
    let mut words = pragma.split_ascii_whitespace();
    let (Some("redefine_extname"), Some(name), Some(symbol)) = (words.next(), words.next(), words.next()) else {
        return None;
    };
    words.next().is_none().then_some((name, symbol))
}
