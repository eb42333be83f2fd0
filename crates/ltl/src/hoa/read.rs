//! Reading: one token ahead, errors at the first.

use std::collections::BTreeMap;

use hardbop_base::{Budget, Diagnostic, Idx, IndexVec, Span};
use hardbop_bdd::{Bdd, Kernel, Level};
use rustc_hash::FxHashMap;

use super::lexer::{Finding, Lexer, Token};
use crate::automaton::{Automaton, Edge, MAX_SETS, Marks, StateId};
use crate::formula::PropId;
use crate::guard::Guard;

/// The most states that are read.
const MAX_STATES: u32 = 1 << 20;
/// The most propositions that are read.
const MAX_PROPS: usize = 1 << 12;
/// The most propositions of an automaton whose edges have no labels: there is an edge for each letter.
const MAX_IMPLICIT: usize = 12;
/// The work that labels may cost.
const ALLOWANCE: u64 = 20_000_000;

/// An automaton that was read.
#[derive(Clone, Debug)]
pub struct Hoa {
    /// The automaton.
    pub automaton: Automaton,
    /// Where the propositions stand.
    pub prop_spans: IndexVec<PropId, Span>,
}

/// The automaton that `text` is, which starts at `base_offset` of the source map.
pub fn read(text: &str, base_offset: u32) -> Result<Hoa, Vec<Diagnostic>> {
    let fits = u32::try_from(text.len()).is_ok_and(|len| base_offset.checked_add(len).is_some());
    if !fits {
        return Err(vec![Diagnostic::error("file-too-large", "the source texts together are larger than 4 GiB", None)]);
    }
    let mut reader = Reader {
        lexer: Lexer::new(text, base_offset),
        token: Token::Eof,
        span: Span::new(base_offset, base_offset),
        props: IndexVec::new(),
        prop_spans: IndexVec::new(),
        aliases: FxHashMap::default(),
        kernel: Kernel::new(0, Budget::unlimited()),
        states: None,
        start: Vec::new(),
        acceptance: None,
        edges: BTreeMap::new(),
        largest: None,
    };
    reader.automaton().map_err(|finding| vec![*finding])
}

pub(super) struct Reader<'t> {
    lexer: Lexer<'t>,
    pub(super) token: Token,
    pub(super) span: Span,
    pub(super) props: IndexVec<PropId, String>,
    prop_spans: IndexVec<PropId, Span>,
    pub(super) aliases: FxHashMap<String, Bdd>,
    pub(super) kernel: Kernel,
    states: Option<u32>,
    start: Vec<(u32, Span)>,
    /// How many sets there are, and which of them count.
    acceptance: Option<(u32, Marks)>,
    edges: BTreeMap<u32, Vec<RawEdge>>,
    /// The largest state that was named, and where.
    largest: Option<(u32, Span)>,
}

struct RawEdge {
    label: Bdd,
    to: u32,
    marks: Marks,
}

impl Reader<'_> {
    fn automaton(&mut self) -> Result<Hoa, Finding> {
        self.bump()?;
        match (&self.token, self.span) {
            (Token::Header(name), _) if name == "HOA" => self.bump()?,
            (_, span) => {
                let finding = Diagnostic::error("hoa-syntax", "this is no automaton in the HOA format", span);
                return Err(Box::new(finding.help("the first line is `HOA: v1`")));
            }
        }
        match &self.token {
            Token::Word(version) if version == "v1" || version.starts_with("v1.") || version.starts_with("v1-") => {}
            _ => return Err(self.unsupported("a version other than v1")),
        }
        self.bump()?;
        while self.token != Token::Body {
            self.header()?;
        }
        if self.acceptance.is_none() {
            return Err(Box::new(Diagnostic::error("hoa-syntax", "there is no `Acceptance:`", self.span)));
        }
        self.bump()?;
        while let Token::Header(_) = self.token {
            self.state()?;
        }
        match self.token {
            Token::End => self.bump()?,
            Token::Abort => return Err(self.unsupported("an automaton that was given up")),
            _ => return Err(self.expected("`State:` or `--END--`")),
        }
        match self.token {
            Token::Eof => self.finish(),
            _ => Err(self.unsupported("more than one automaton")),
        }
    }

    fn header(&mut self) -> Result<(), Finding> {
        let Token::Header(name) = self.token.clone() else { return Err(self.expected("a header or `--BODY--`")) };
        let span = self.span;
        self.bump()?;
        match name.as_str() {
            "HOA" => Err(Box::new(Diagnostic::error("hoa-syntax", "`HOA:` stands here again", span))),
            "States" => {
                let span = self.span;
                let count = self.expect_number("the number of states")?;
                if count > MAX_STATES {
                    let message = format!("an automaton may have at most {MAX_STATES} states");
                    return Err(Box::new(Diagnostic::error("hoa-too-large", message, span)));
                }
                self.states = Some(count);
                Ok(())
            }
            "Start" => {
                let state = self.target()?;
                self.start.push(state);
                Ok(())
            }
            "AP" => self.propositions(span),
            "Alias" => self.alias(),
            "Acceptance" => self.acceptance(span),
            "acc-name" | "tool" | "name" | "properties" => self.skip_values(),
            // Who writes a header in capitals says that its meaning must be known.
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let message = format!("the header `{name}:` is not known");
                Err(Box::new(Diagnostic::error("hoa-unsupported", message, span)))
            }
            _ => self.skip_values(),
        }
    }

    fn skip_values(&mut self) -> Result<(), Finding> {
        while matches!(
            self.token,
            Token::Word(_) | Token::Number(_) | Token::Text(_) | Token::Sign(_) | Token::Alias(_)
        ) {
            if self.token == Token::Word("univ-branch".into()) {
                return Err(self.unsupported("alternation"));
            }
            self.bump()?;
        }
        Ok(())
    }

    fn propositions(&mut self, header: Span) -> Result<(), Finding> {
        if !self.aliases.is_empty() || !self.props.is_empty() {
            return Err(Box::new(Diagnostic::error("hoa-inconsistent", "`AP:` comes too late or twice", header)));
        }
        let span = self.span;
        let count = self.expect_number("the number of propositions")? as usize;
        while let Token::Text(text) = &self.token {
            if self.props.iter().any(|known| known == text) {
                let message = format!("the proposition `{text}` stands here twice");
                return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, self.span)));
            }
            self.props.push(text.clone());
            self.prop_spans.push(self.span);
            if self.props.len() > MAX_PROPS {
                let message = format!("an automaton may have at most {MAX_PROPS} propositions");
                return Err(Box::new(Diagnostic::error("hoa-too-large", message, self.span)));
            }
            self.bump()?;
        }
        if self.props.len() != count {
            let message = format!("`AP:` announces {count} propositions and has {}", self.props.len());
            return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, span)));
        }
        self.kernel = Kernel::new(count, Budget::unlimited().with_allowance(ALLOWANCE));
        Ok(())
    }

    fn alias(&mut self) -> Result<(), Finding> {
        let Token::Alias(name) = self.token.clone() else { return Err(self.expected("`@` and a name")) };
        self.bump()?;
        let label = self.label()?;
        self.aliases.insert(name, label);
        Ok(())
    }

    fn acceptance(&mut self, header: Span) -> Result<(), Finding> {
        if self.acceptance.is_some() {
            return Err(Box::new(Diagnostic::error("hoa-syntax", "`Acceptance:` stands here again", header)));
        }
        let span = self.span;
        let sets = self.expect_number("the number of acceptance sets")?;
        if sets > MAX_SETS {
            let message = format!("an automaton may have at most {MAX_SETS} acceptance sets");
            return Err(Box::new(Diagnostic::error("hoa-too-large", message, span)));
        }
        let needed = self.condition(sets)?;
        self.acceptance = Some((sets, needed));
        Ok(())
    }

    fn state(&mut self) -> Result<(), Finding> {
        let Token::Header(name) = &self.token else { return Err(self.expected("`State:`")) };
        if name != "State" {
            return Err(self.expected("`State:`"));
        }
        self.bump()?;
        let state_label = self.optional_label()?;
        let span = self.span;
        let state = self.expect_number("the number of a state")?;
        self.name_state(state, span)?;
        if self.edges.contains_key(&state) {
            let message = format!("state {state} stands here twice");
            return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, span)));
        }
        if let Token::Text(_) = self.token {
            self.bump()?;
        }
        let state_marks = self.marks()?;
        let mut edges = Vec::new();
        let mut implicit = 0;
        while let Token::Sign('[') | Token::Number(_) = self.token {
            let start = self.span;
            let label = match (self.optional_label()?, state_label) {
                (Some(_), Some(_)) => {
                    let message = "an edge of a state with a label has one of its own";
                    return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, start)));
                }
                (Some(label), None) | (None, Some(label)) => label,
                (None, None) => {
                    implicit += 1;
                    self.letter(implicit - 1, start)?
                }
            };
            let (to, _) = self.target()?;
            let marks = self.marks()?.union(state_marks);
            edges.push(RawEdge { label, to, marks });
        }
        if implicit > 0 && (implicit != edges.len() || implicit != 1 << self.props.len()) {
            let message =
                format!("state {state} has {implicit} edges without a label; there must be one for each letter");
            return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, span)));
        }
        self.edges.insert(state, edges);
        Ok(())
    }

    fn optional_label(&mut self) -> Result<Option<Bdd>, Finding> {
        if self.token != Token::Sign('[') {
            return Ok(None);
        }
        self.bump()?;
        let label = self.label()?;
        self.expect_sign(']')?;
        Ok(Some(label))
    }

    /// The letter with this number: bit `p` is proposition `p`.
    fn letter(&mut self, number: usize, span: Span) -> Result<Bdd, Finding> {
        if self.props.len() > MAX_IMPLICIT {
            let message = format!("with more than {MAX_IMPLICIT} propositions edges must have labels");
            return Err(Box::new(Diagnostic::error("hoa-too-large", message, span)));
        }
        let mut letter = Bdd::TRUE;
        for prop in self.props.ids() {
            let level = Level::from_usize(prop.index());
            let is_true = number >> prop.index() & 1 == 1;
            let literal = if is_true { self.kernel.var(level) } else { self.kernel.nvar(level) };
            let both = literal.and_then(|literal| self.kernel.and(letter, literal));
            letter = both.map_err(|limit| self.too_complex(limit, span))?;
        }
        Ok(letter)
    }

    /// A state that an edge leads to or that runs begin in.
    fn target(&mut self) -> Result<(u32, Span), Finding> {
        let span = self.span;
        let state = self.expect_number("the number of a state")?;
        self.name_state(state, span)?;
        if self.token == Token::Sign('&') {
            return Err(self.unsupported("alternation"));
        }
        Ok((state, span))
    }

    fn name_state(&mut self, state: u32, span: Span) -> Result<(), Finding> {
        if state >= MAX_STATES {
            let message = format!("an automaton may have at most {MAX_STATES} states");
            return Err(Box::new(Diagnostic::error("hoa-too-large", message, span)));
        }
        if self.largest.is_none_or(|(largest, _)| largest < state) {
            self.largest = Some((state, span));
        }
        Ok(())
    }

    /// `{0 1}`, or nothing.
    fn marks(&mut self) -> Result<Marks, Finding> {
        let mut marks = Marks::NONE;
        if self.token != Token::Sign('{') {
            return Ok(marks);
        }
        self.bump()?;
        let declared = self.acceptance.map_or(0, |(sets, _)| sets);
        while let Token::Number(set) = self.token {
            if set >= declared {
                let message = format!("there is no acceptance set {set}: `Acceptance:` has {declared}");
                return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, self.span)));
            }
            marks = marks.union(Marks::only(set));
            self.bump()?;
        }
        self.expect_sign('}')?;
        Ok(marks)
    }

    fn finish(&mut self) -> Result<Hoa, Finding> {
        let named = self.largest.map_or(0, |(state, _)| state + 1);
        let count = self.states.unwrap_or(named);
        if let Some((state, span)) = self.largest
            && state >= count
        {
            let message = format!("there is no state {state}: `States:` has {count}");
            return Err(Box::new(Diagnostic::error("hoa-inconsistent", message, span)));
        }
        let (_, needed) = self.acceptance.expect("the header was read");
        let renumber = |marks: Marks| {
            let kept = needed.sets().enumerate().filter(|(_, set)| marks.has(*set));
            kept.fold(Marks::NONE, |marks, (place, _)| marks.union(Marks::only(place as u32)))
        };
        let id = |state: u32| StateId::from_usize(state as usize);
        let mut states: IndexVec<StateId, Vec<Edge>> = IndexVec::from_elem(Vec::new(), count as usize);
        let span = self.span;
        for (state, edges) in std::mem::take(&mut self.edges) {
            for edge in edges.into_iter().filter(|edge| !edge.label.is_false()) {
                let guard = Guard::from_bdd(&mut self.kernel, edge.label);
                let guard = guard.map_err(|limit| self.too_complex(limit, span))?;
                states[id(state)].push(Edge { guard, to: id(edge.to), marks: renumber(edge.marks) });
            }
        }
        let mut initial: Vec<StateId> = Vec::new();
        for &(state, _) in &self.start {
            if !initial.contains(&id(state)) {
                initial.push(id(state));
            }
        }
        let props = std::mem::take(&mut self.props);
        let automaton = Automaton { props, states, initial, sets: needed.sets().count() as u32 };
        Ok(Hoa { automaton, prop_spans: std::mem::take(&mut self.prop_spans) })
    }

    pub(super) fn bump(&mut self) -> Result<(), Finding> {
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    pub(super) fn expect_sign(&mut self, sign: char) -> Result<(), Finding> {
        match self.token == Token::Sign(sign) {
            true => self.bump(),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    pub(super) fn expect_number(&mut self, what: &str) -> Result<u32, Finding> {
        let Token::Number(number) = self.token else { return Err(self.expected(what)) };
        self.bump()?;
        Ok(number)
    }

    pub(super) fn expected(&self, what: &str) -> Finding {
        let message = format!("expected {what}, found {}", self.token.name());
        Box::new(Diagnostic::error("hoa-syntax", message, self.span))
    }

    pub(super) fn unsupported(&self, what: &str) -> Finding {
        let finding = Diagnostic::error("hoa-unsupported", format!("{what} is not supported"), self.span);
        Box::new(finding.help("Büchi and generalised Büchi automata are read"))
    }
}
