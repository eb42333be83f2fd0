//! Recursive descent over the clauses of an analysis.
//!
//! **Invariant:** no two errors at the same token, and after an error the parser goes on at the next clause.

mod pattern;
mod value;

use super::lexer::{Token, TokenKind, tokens};
use super::tree::{
    Analysis, Binder, Declaration, Direction, FactKind, Family, FamilyId, Header, Length, Meet, Message, Meta, MetaId,
    MetaUse, Part, Requirement, Rule, Set, SetKind, Sort, Test, Unknown, Update,
};
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// The limit for parentheses and operators inside each other.
pub const MAX_NESTING: u32 = 200;

/// Words that begin a clause. Anywhere else they are names like any other.
const CLAUSES: &[&str] = &["analysis", "direction", "meet", "var", "fact", "initially", "unknown", "on", "if", "at"];

/// Words that are no names of metavariables or facts.
const RESERVED: &[&str] = &[
    "true", "false", "NULL", "any", "all", "for", "in", "is", "not", "where", "else", "require", "use", "declare",
    "copy", "drop", "test", "return", "entry", "exit", "of", "new", "_",
];

/// The syntax tree of `text`, which starts at `base_offset` of the source map, and what is wrong with it.
///
/// With errors the tree is only a part of the analysis.
pub fn parse(text: &str, base_offset: u32) -> (Analysis, Vec<Diagnostic>) {
    let mut findings = Findings::default();
    let fits = u32::try_from(text.len()).is_ok_and(|len| base_offset.checked_add(len).is_some());
    if !fits {
        findings.add(Diagnostic::error("file-too-large", "the source texts together are larger than 4 GiB", None));
        return (Analysis::default(), findings.finish());
    }
    let tokens = tokens(text, base_offset, &mut findings);
    let mut parser = Parser {
        text,
        base: base_offset,
        tokens,
        at: 0,
        depth: 0,
        sums: 0,
        last_error: None,
        findings,
        analysis: Analysis::default(),
        metas: FxHashMap::default(),
        families: FxHashMap::default(),
        direction: None,
        meet: None,
    };
    parser.clauses();
    (parser.analysis, parser.findings.finish())
}

/// Parsing cannot go on here, and why has been reported.
#[derive(Debug)]
struct Stop;

struct Parser<'t> {
    text: &'t str,
    base: u32,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
    /// The number of additions and subtractions in this clause.
    sums: u32,
    last_error: Option<u32>,
    findings: Findings,
    analysis: Analysis,
    metas: FxHashMap<&'t str, MetaId>,
    families: FxHashMap<&'t str, FamilyId>,
    /// Where the direction is said.
    direction: Option<Span>,
    /// Where the meet is said.
    meet: Option<Span>,
}

impl<'t> Parser<'t> {
    fn clauses(&mut self) {
        while self.kind() != TokenKind::Eof && !self.findings.is_full() {
            if self.kind() == TokenKind::End {
                self.at += 1;
                continue;
            }
            if self.clause().and_then(|()| self.end_of_clause()).is_err() {
                self.depth = 0;
                while self.kind() != TokenKind::End && self.kind() != TokenKind::Eof {
                    self.at += 1;
                }
            }
        }
        if self.analysis.header.is_none() && !self.findings.has_errors() {
            let message = "an analysis begins with its name";
            let finding = Diagnostic::error("no-analysis", message, Span::new(self.base, self.base));
            self.findings.add(finding.help("write `analysis NAME \"what it finds\"` into the first line"));
        }
    }

    fn clause(&mut self) -> Result<(), Stop> {
        let word = if self.kind() == TokenKind::Word { self.here() } else { "" };
        let start = self.span();
        self.sums = 0;
        match word {
            "analysis" => self.header(),
            "direction" => self.direction(),
            "meet" => self.meet(),
            "var" => self.metavariables(),
            "fact" => self.fact(),
            "initially" => {
                self.bump();
                let updates = self.updates()?;
                self.analysis.initially.extend(updates);
                Ok(())
            }
            "unknown" => self.unknown(),
            "on" => self.rule(),
            "if" => self.test(),
            "at" => self.requirement(),
            _ => {
                let near = did_you_mean(word, CLAUSES.iter().copied());
                let message = format!("expected a clause, found {}{near}", self.found());
                let help = "a clause begins with `analysis`, `direction`, `meet`, `var`, `fact`, `initially`, \
                            `unknown`, `on`, `if` or `at`; a line that goes on with the clause before is indented";
                Err(self.report(Diagnostic::error("syntax", message, start).help(help)))
            }
        }
    }

    fn end_of_clause(&mut self) -> Result<(), Stop> {
        match self.kind() {
            TokenKind::End | TokenKind::Eof => Ok(()),
            _ => Err(self.expected("the end of the clause")),
        }
    }

    /// `analysis null "NULL pointer dereference"`
    fn header(&mut self) -> Result<(), Stop> {
        let start = self.span();
        self.bump();
        let name = self.word("the name of the analysis")?.0.to_owned();
        let title = match self.kind() {
            TokenKind::Text => self.unescape(self.span()),
            _ => return Err(self.expected("what the analysis finds, in double quotes")),
        };
        self.bump();
        let span = start.to(self.last());
        if let Some(first) = &self.analysis.header {
            let finding = Diagnostic::error("duplicate-clause", "a file has one analysis", start);
            let finding = finding.related("the first begins here", first.span);
            self.findings.add(finding);
            return Ok(());
        }
        self.analysis.header = Some(Header { name, title, span });
        Ok(())
    }

    fn direction(&mut self) -> Result<(), Stop> {
        let start = self.span();
        self.bump();
        let choices = [("forward", Direction::Forward), ("backward", Direction::Backward)];
        self.analysis.direction = self.choice(&choices, "`forward` or `backward`")?;
        let first = *self.direction.get_or_insert(start);
        self.note_duplicate(first, start, "the direction");
        Ok(())
    }

    fn meet(&mut self) -> Result<(), Stop> {
        let start = self.span();
        self.bump();
        let choices = [("union", Meet::Union), ("intersection", Meet::Intersection)];
        self.analysis.meet = self.choice(&choices, "`union` or `intersection`")?;
        let first = *self.meet.get_or_insert(start);
        self.note_duplicate(first, start, "the meet");
        Ok(())
    }

    fn note_duplicate(&mut self, first: Span, second: Span, what: &str) {
        if first != second {
            let finding = Diagnostic::error("duplicate-clause", format!("{what} is said twice"), second);
            self.findings.add(finding.related("first here", first));
        }
    }

    fn choice<T: Copy>(&mut self, choices: &[(&str, T)], what: &str) -> Result<T, Stop> {
        let found = choices.iter().find(|(text, _)| *text == self.here());
        let Some((_, choice)) = found else { return Err(self.expected(what)) };
        self.bump();
        Ok(*choice)
    }

    /// `var p, q : pointer`
    fn metavariables(&mut self) -> Result<(), Stop> {
        self.bump();
        let mut names = vec![self.metavariable()?];
        while self.eat(",") {
            names.push(self.metavariable()?);
        }
        self.expect(":", "`,`, or `:` and what they stand for")?;
        let sort = self.sort()?;
        for MetaUse { id, span } in names {
            match self.analysis.metas[id].declared {
                None => self.analysis.metas[id].declared = Some((sort, span)),
                Some((_, first)) => {
                    let message = format!("`{}` is declared twice", self.analysis.metas[id].name);
                    let finding = Diagnostic::error("duplicate-metavariable", message, span);
                    self.findings.add(finding.related("first declared here", first));
                }
            }
        }
        Ok(())
    }

    fn sort(&mut self) -> Result<Sort, Stop> {
        let (name, span) = self.word("what the metavariables stand for")?;
        let found = Sort::ALL.iter().find(|(text, _)| *text == name);
        found.map(|(_, sort)| *sort).ok_or_else(|| {
            let near = did_you_mean(name, Sort::ALL.iter().map(|(text, _)| *text));
            let finding = Diagnostic::error("unknown-sort", format!("`{name}` is no sort{near}"), span);
            let all: Vec<_> = Sort::ALL.iter().map(|(text, _)| *text).collect();
            self.report(finding.help(format!("the sorts are {}", all.join(", "))))
        })
    }

    /// `fact value(i) : small for i in globals "{i} = {}"`
    fn fact(&mut self) -> Result<(), Stop> {
        self.bump();
        let (name, span) = self.name("the name of a fact")?;
        let parameters = self.arguments()?;
        let kind = match self.eat(":") {
            false => FactKind::Boolean,
            true => self.choice(FactKind::ALL, "`boolean`, `small` or `target`")?,
        };
        let binders = self.binders()?;
        let mut readings = Vec::new();
        if self.kind() == TokenKind::Text {
            readings.push(self.message()?);
            if self.eat(",") {
                readings.push(self.message()?);
            }
        }
        let id = self.family(name);
        match &self.analysis.families[id].declared {
            None => {
                let declaration = Declaration { span, parameters, kind, binders, readings };
                self.analysis.families[id].declared = Some(declaration);
            }
            Some(first) => {
                let finding = Diagnostic::error("duplicate-fact", format!("`{name}` is declared twice"), span);
                let finding = finding.related("first declared here", first.span);
                self.findings.add(finding);
            }
        }
        Ok(())
    }

    /// `unknown p: VALUE "…"`
    fn unknown(&mut self) -> Result<(), Stop> {
        self.bump();
        let start = self.span();
        let meta = self.metavariable()?;
        self.expect(":", "`:` and what is taken to hold")?;
        let value = self.value()?;
        let span = start.to(self.last());
        if self.kind() != TokenKind::Text {
            return Err(self.expected("how the assumption reads, in double quotes"));
        }
        let message = self.message()?;
        self.analysis.unknowns.push(Unknown { meta, value, message, span });
        Ok(())
    }

    /// `on PATTERN: UPDATES`
    fn rule(&mut self) -> Result<(), Stop> {
        self.bump();
        let start = self.span();
        let pattern = self.pattern()?;
        let span = start.to(self.last());
        self.expect(":", "`:` and what the statement does to the facts")?;
        let updates = self.updates()?;
        self.analysis.rules.push(Rule { pattern, updates, span });
        Ok(())
    }

    fn updates(&mut self) -> Result<Vec<Update>, Stop> {
        let mut updates = vec![self.update()?];
        while self.eat(",") {
            updates.push(self.update()?);
        }
        Ok(updates)
    }

    fn update(&mut self) -> Result<Update, Stop> {
        let target = self.fact_use()?;
        if matches!(self.here(), "=" | "==") {
            let finding = self.expectation("`:=`");
            return Err(self.report(finding.help("a fact is set with `:=`")));
        }
        self.expect(":=", "`:=`")?;
        let value = self.value()?;
        Ok(Update { target, value, binders: self.binders()? })
    }

    /// `if CONDITION: VALUE else VALUE`
    fn test(&mut self) -> Result<(), Stop> {
        self.bump();
        let start = self.span();
        let (left, right) = self.condition_pattern()?;
        let span = start.to(self.last());
        self.expect(":", "`:` and what the facts say")?;
        let when_true = self.value()?;
        let when_false = if self.eat("else") { Some(self.value()?) } else { None };
        self.analysis.tests.push(Test { left, right, when_true, when_false, span });
        Ok(())
    }

    /// `at SITE: require VALUE "…"`
    fn requirement(&mut self) -> Result<(), Stop> {
        self.bump();
        let start = self.span();
        let site = self.site()?;
        let span = start.to(self.last());
        self.expect(":", "`:` and what must hold")?;
        self.expect("require", "`require`")?;
        let value = self.value()?;
        let binders = self.binders()?;
        if self.kind() != TokenKind::Text {
            let finding = self.expectation("what to say where it does not hold, in double quotes");
            return Err(self.report(finding.help("such as `at *p: require !null(p) \"`{p}` may be NULL\"`")));
        }
        let message = self.message()?;
        self.analysis.requirements.push(Requirement { site, value, binders, message, span });
        Ok(())
    }

    /// `for u in SET for …`
    fn binders(&mut self) -> Result<Vec<Binder>, Stop> {
        let mut binders = Vec::new();
        while self.here() == "for" {
            binders.push(self.binder()?);
        }
        Ok(binders)
    }

    fn binder(&mut self) -> Result<Binder, Stop> {
        self.expect("for", "`for`")?;
        let meta = self.metavariable()?;
        self.expect("in", "`in`")?;
        Ok(Binder { meta, set: self.set()? })
    }

    fn set(&mut self) -> Result<Set, Stop> {
        let (name, start) = self.word("a set, such as `reads(e)`")?;
        let Some((_, kind)) = SetKind::ALL.iter().find(|(text, _)| *text == name) else {
            let near = did_you_mean(name, SetKind::ALL.iter().map(|(text, _)| *text));
            let finding = Diagnostic::error("unknown-set", format!("`{name}` is no set{near}"), start);
            let all: Vec<_> = SetKind::ALL.iter().map(|(text, _)| *text).collect();
            return Err(self.report(finding.help(format!("the sets are {}", all.join(", ")))));
        };
        let (mut argument, mut length, mut times) = (None, None, None);
        if self.eat("(") {
            argument = Some(self.metavariable()?);
            if kind.has_length() && self.eat(",") {
                length = Some(self.length()?);
                times = if self.eat("*") { Some(self.length()?) } else { None };
            }
            self.expect(")", "`)`")?;
        }
        Ok(Set { kind: *kind, argument, length, times, span: start.to(self.last()) })
    }

    fn length(&mut self) -> Result<Length, Stop> {
        match self.kind() {
            TokenKind::Number => Ok(Length::Number(self.number()?)),
            _ => Ok(Length::Meta(self.metavariable()?)),
        }
    }

    /// `(p, x)`
    fn arguments(&mut self) -> Result<Vec<MetaUse>, Stop> {
        let open = self.span();
        self.expect("(", "`(`")?;
        let mut arguments = Vec::new();
        if self.here() != ")" {
            arguments.push(self.metavariable()?);
            while self.eat(",") {
                arguments.push(self.metavariable()?);
            }
        }
        self.close(")", "`,` or `)`", open)?;
        Ok(arguments)
    }

    fn metavariable(&mut self) -> Result<MetaUse, Stop> {
        let (name, span) = self.name("a metavariable")?;
        Ok(self.meta_use(name, span))
    }

    fn meta_use(&mut self, name: &'t str, span: Span) -> MetaUse {
        let metas = &mut self.analysis.metas;
        let id = *self.metas.entry(name).or_insert_with(|| metas.push(Meta { name: name.into(), declared: None }));
        MetaUse { id, span }
    }

    fn family(&mut self, name: &'t str) -> FamilyId {
        let families = &mut self.analysis.families;
        *self.families.entry(name).or_insert_with(|| families.push(Family { name: name.into(), declared: None }))
    }

    /// A name that is no reserved word.
    fn name(&mut self, what: &str) -> Result<(&'t str, Span), Stop> {
        if self.kind() == TokenKind::Word && RESERVED.contains(&self.here()) {
            let message = format!("expected {what}, found the keyword `{}`", self.here());
            return Err(self.report(Diagnostic::error("reserved-name", message, self.span())));
        }
        self.word(what)
    }

    fn word(&mut self, what: &str) -> Result<(&'t str, Span), Stop> {
        if self.kind() != TokenKind::Word {
            return Err(self.expected(what));
        }
        let word = (self.here(), self.span());
        self.bump();
        Ok(word)
    }

    /// A text with metavariables in braces; empty braces stand for the value of a fact.
    fn message(&mut self) -> Result<Message, Stop> {
        let span = self.span();
        if self.kind() != TokenKind::Text {
            return Err(self.expected("a text in double quotes"));
        }
        self.bump();
        let (mut parts, mut plain) = (Vec::new(), String::new());
        let (first, end) = ((span.start - self.base) as usize + 1, (span.end - self.base) as usize - 1);
        let inside = &self.text[first..end];
        let mut characters = inside.char_indices().peekable();
        while let Some((offset, character)) = characters.next() {
            let is_doubled = characters.peek().is_some_and(|&(_, next)| next == character);
            match character {
                '\\' => plain.extend(characters.next().map(|(_, escaped)| escaped)),
                '{' | '}' if is_doubled => {
                    characters.next();
                    plain.push(character);
                }
                '{' => {
                    let name = inside[offset + 1..].split_once('}').map(|(name, _)| name);
                    let Some(name) = name.filter(|name| name.is_empty() || is_name(name)) else {
                        self.bad_placeholder(span);
                        continue;
                    };
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    let start = self.base + (first + offset) as u32 + 1;
                    let place = Span::new(start, start + name.len() as u32);
                    parts.push(match name {
                        "" => Part::Value,
                        _ => Part::Meta(self.meta_use(name, place)),
                    });
                    characters.nth(name.chars().count());
                }
                '}' => self.bad_placeholder(span),
                _ => plain.push(character),
            }
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Message { parts, span })
    }

    fn bad_placeholder(&mut self, span: Span) {
        let message = "braces in a text stand around a metavariable";
        let finding = Diagnostic::error("message-placeholder", message, span);
        self.findings.add(finding.help("write `{p}`, or `{{` and `}}` for the braces themselves"));
    }

    /// A text without its quotes and escapes.
    fn unescape(&self, span: Span) -> String {
        let inside = &self.text[(span.start - self.base) as usize + 1..(span.end - self.base) as usize - 1];
        let mut characters = inside.chars();
        let mut plain = String::new();
        while let Some(character) = characters.next() {
            plain.extend(if character == '\\' { characters.next() } else { Some(character) });
        }
        plain
    }

    fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The token before.
    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// The text of the token here; nothing where a text, an error or an end is.
    fn here(&self) -> &'t str {
        self.ahead(0)
    }

    /// The same, so many tokens further on.
    fn ahead(&self, count: usize) -> &'t str {
        match self.tokens.get(self.at + count) {
            Some(Token {
                kind: TokenKind::Word | TokenKind::Symbol | TokenKind::Number | TokenKind::Wildcard,
                span,
            }) => self.slice(*span),
            _ => "",
        }
    }

    fn slice(&self, span: Span) -> &'t str {
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    fn bump(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_here = self.here() == text;
        if is_here {
            self.bump();
        }
        is_here
    }

    fn expect(&mut self, text: &str, what: &str) -> Result<(), Stop> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// What closes the bracket at `open`.
    fn close(&mut self, text: &str, what: &str, open: Span) -> Result<(), Stop> {
        if self.eat(text) {
            return Ok(());
        }
        let finding = self.expectation(what).related("opened here", open);
        Err(self.report(finding))
    }

    fn expected(&mut self, what: &str) -> Stop {
        let finding = self.expectation(what);
        self.report(finding)
    }

    fn expectation(&self, what: &str) -> Diagnostic {
        // Where the file ends too early, what is missing belongs behind what is there.
        let mut before = self.tokens[..self.at].iter().rev();
        let place = match before.find(|token| token.kind != TokenKind::End) {
            Some(last) if self.is_at_end() => Span::new(last.span.end, last.span.end),
            _ => self.span(),
        };
        let finding = Diagnostic::error("syntax", format!("expected {what}, found {}", self.found()), place);
        match (self.here(), self.ahead(1)) {
            ("/", "/" | "*") => finding.help("a comment begins with `--`"),
            ("&&" | "||", _) => finding.help("`&` and `|` stand between values"),
            _ => finding,
        }
    }

    fn is_at_end(&self) -> bool {
        let is_last = self.span().start as usize == self.base as usize + self.text.len();
        self.kind() == TokenKind::Eof || self.kind() == TokenKind::End && is_last
    }

    fn found(&self) -> String {
        const LONGEST: usize = 40;
        match self.kind() {
            _ if self.is_at_end() => "the end of the file".into(),
            TokenKind::End => "the end of the clause".into(),
            _ => {
                let text = self.slice(self.span());
                match text.char_indices().nth(LONGEST) {
                    Some((end, _)) => format!("`{}…`", &text[..end]),
                    None => format!("`{text}`"),
                }
            }
        }
    }

    fn report(&mut self, finding: Diagnostic) -> Stop {
        let place = finding.span.map(|span| span.start);
        if self.kind() != TokenKind::Unknown && (self.last_error.is_none() || self.last_error != place) {
            self.last_error = place;
            self.findings.add(finding);
        }
        Stop
    }

    /// Goes one level deeper, if that is allowed. Who comes back takes the level off `depth` again.
    fn descend(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth <= MAX_NESTING {
            return Ok(());
        }
        Err(self.too_deep(self.span()))
    }

    fn too_deep(&mut self, span: Span) -> Stop {
        let message = format!("this is nested more than {MAX_NESTING} levels deep");
        self.report(Diagnostic::error("nested-too-deeply", message, span))
    }
}

fn is_name(text: &str) -> bool {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(is_inside) && text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}
