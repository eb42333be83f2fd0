//! A finite automaton over stacks, as text, for sets that are easier to write so than as an expression.
//!
//! ```text
//! start s                    # below the bottom frame
//! s main -> m
//! m work -> m
//! m log  -> t
//! accept t
//! where locked               # of the top frame, as in an expression
//! ```
//!
//! A frame is written as in an [`crate::expression`]. Transitions take the place of its frames: which of them
//! can follow each other is all that is asked.

use crate::determine::{Order, Positions};
use crate::expression::{self, Finding, Frame, FrameId, LONGEST};
use crate::meaning;
use crate::set::{Naming, Set};
use hardbop_base::diagnostic::nearest;
use hardbop_base::{Diagnostic, IndexVec, Span};
use hardbop_icfg::{Program, Relation};

/// A word of the text and where it stands.
type Word<'t> = (&'t str, Span);

/// What was written.
#[derive(Default)]
struct Written<'t> {
    start: Option<Word<'t>>,
    accepting: Vec<Word<'t>>,
    transitions: Vec<Transition<'t>>,
    condition: Option<(&'t str, u32)>,
}

struct Transition<'t> {
    from: Word<'t>,
    frame: Frame<'t>,
    to: &'t str,
}

/// The set that the automaton `text` accepts; all else is as with [`expression::read`].
///
/// # Errors
/// It cannot be read, or it names what there is not. Spans are places in `text`.
pub fn read(program: &mut Program<Relation>, naming: Naming, text: &str) -> Result<Set, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::error("stack-too-large", "this text is larger than 4 GiB", None)]);
    }
    let written = parse(text).map_err(|found| vec![*found])?;
    written.check()?;
    let frames: IndexVec<FrameId, Frame<'_>> = written.transitions.iter().map(|transition| transition.frame).collect();
    meaning::set(program, naming, &frames, &written.order(), written.condition)
}

fn parse(text: &str) -> Result<Written<'_>, Finding> {
    let mut written = Written::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        written.line(line.split('#').next().unwrap_or_default(), at)?;
        at += line.len() as u32;
    }
    Ok(written)
}

impl<'t> Written<'t> {
    /// Reads a line that starts at `at`.
    fn line(&mut self, line: &'t str, at: u32) -> Result<(), Finding> {
        let words = words(line, at);
        let (Some(&first), Some(last)) = (words.first(), words.last()) else { return Ok(()) };
        let span = Span::new(first.1.start, last.1.end);
        let is_transition = words.iter().any(|word| word.0 == "->");
        match (first.0, &words[1..]) {
            ("start", &[state]) if self.start.is_none() => self.start = Some(state),
            ("start", &[_]) => return Err(wrong("there are two lines `start`", span, "an automaton has one start")),
            ("accept", [_, ..]) if !is_transition => self.accepting.extend(&words[1..]),
            ("where", _) if !is_transition && self.condition.is_none() => {
                let after = first.1.end;
                self.condition = Some((&line[(after - at) as usize..], after));
            }
            ("where", _) if !is_transition => {
                return Err(wrong("there are two lines `where`", span, "join them with `&&`"));
            }
            (_, [frame @ .., ("->", _), to]) if !frame.is_empty() => {
                if self.transitions.len() == LONGEST {
                    let message = format!("this has more than {LONGEST} transitions");
                    return Err(Box::new(Diagnostic::error("stack-too-large", message, span)));
                }
                let (start, end) = (frame[0].1.start, frame[frame.len() - 1].1.end);
                let frame = expression::frame(&line[(start - at) as usize..(end - at) as usize], start)?;
                self.transitions.push(Transition { from: first, frame, to: to.0 });
            }
            _ => {
                let help = "a line is `start STATE`, `STATE FRAME -> STATE`, `accept STATE` or `where CONDITION`";
                return Err(wrong("this line is none of an automaton over stacks", span, help));
            }
        }
        Ok(())
    }

    /// Finds states that are misspelt: they could only make the set smaller than it was meant to be.
    fn check(&self) -> Result<(), Vec<Diagnostic>> {
        let Some(start) = self.start else {
            let finding = Diagnostic::error("stack-syntax", "there is no line `start`", None);
            return Err(vec![finding.help("`start STATE` says where the automaton is below the bottom frame")]);
        };
        if self.accepting.is_empty() {
            let finding = Diagnostic::error("stack-syntax", "there is no line `accept`", None);
            return Err(vec![finding.help("`accept STATE` says where it is above the top frame")]);
        }
        let targets = || self.transitions.iter().map(|transition| transition.to);
        let entered = || targets().chain([start.0]);
        let left = self.transitions.iter().map(|transition| transition.from).filter(|&(state, _)| state != start.0);
        let mut findings = Vec::new();
        for (state, span) in left.chain(self.accepting.iter().copied()) {
            if targets().all(|target| target != state) {
                let finding =
                    Diagnostic::error("stack-syntax", format!("no transition leads to the state `{state}`"), span);
                findings.push(match nearest(state, entered()) {
                    Some(near) => finding.help(format!("did you mean `{near}`?")),
                    None => finding.help("a stack has at least one frame; remove what cannot be reached"),
                });
            }
        }
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }

    fn order(&self) -> Order {
        let count = self.transitions.len();
        let those = |is_one: &dyn Fn(&Transition<'_>) -> bool| {
            let mut positions = Positions::empty(count);
            let ids = (0..count).map(hardbop_base::Idx::from_usize);
            ids.zip(&self.transitions).filter(|(_, it)| is_one(it)).for_each(|(id, _)| positions.insert(id));
            positions
        };
        let from = |state: &str| those(&|transition| transition.from.0 == state);
        Order {
            first: self.start.map_or_else(|| Positions::empty(count), |(start, _)| from(start)),
            last: those(&|transition| self.accepting.iter().any(|&(state, _)| state == transition.to)),
            follow: self.transitions.iter().map(|transition| from(transition.to)).collect(),
        }
    }
}

fn wrong(message: &str, span: Span, help: &str) -> Finding {
    Box::new(Diagnostic::error("stack-syntax", message, span).help(help))
}

/// The words of a line that starts at `at`.
fn words(line: &str, at: u32) -> Vec<Word<'_>> {
    let mut rest = line;
    let mut words = Vec::new();
    loop {
        rest = rest.trim_start();
        let len = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if len == 0 {
            return words;
        }
        let start = at + (line.len() - rest.len()) as u32;
        words.push((&rest[..len], Span::new(start, start + len as u32)));
        rest = &rest[len..];
    }
}
