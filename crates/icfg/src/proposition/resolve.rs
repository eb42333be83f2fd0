//! From a proposition's text to what it says about a program.

use super::Proposition;
use super::read::{Comparison, Operator, Term, Tree, read};
use crate::words::{Builder, Moment, Partial, TooLarge};
use crate::{ExprId, NodeId, ProcId, Program, Relation, Scope, Type, VarId};
use hardbop_base::diagnostic::nearest;
use hardbop_base::{Diagnostic, IndexVec, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The codes of all diagnostics that this module gives.
pub const CODES: &[&str] = &["proposition-syntax", "unknown-proposition", "proposition-scope", "proposition-size"];

/// What is wrong with a proposition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    code: &'static str,
    message: String,
    help: Option<String>,
}

impl Problem {
    /// It cannot be read.
    pub fn syntax(message: String) -> Self {
        Self { code: "proposition-syntax", message, help: Some(FORMS.to_owned()) }
    }

    fn unknown<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        let near = nearest(name, candidates).map(|near| format!("did you mean `{near}`?"));
        let message = format!("`{name}` is neither a variable nor a place of this program");
        Self { code: "unknown-proposition", message, help: Some(near.unwrap_or_else(|| FORMS.to_owned())) }
    }

    fn scope(message: String) -> Self {
        let help = "say which procedure is meant, as in `main.x`; one proposition can speak of one procedure's locals";
        Self { code: "proposition-scope", message, help: Some(help.to_owned()) }
    }

    /// As a finding at `span`.
    pub fn at(self, span: Option<Span>) -> Diagnostic {
        let found = Diagnostic::error(self.code, self.message, span);
        match self.help {
            Some(help) => found.help(help),
            None => found,
        }
    }
}

impl From<TooLarge> for Problem {
    fn from(_: TooLarge) -> Self {
        let message = "this arithmetic makes numbers that are too large".to_owned();
        Self { code: "proposition-size", message, help: Some("compare smaller terms".to_owned()) }
    }
}

const FORMS: &str = "a proposition is a variable (`x`, `main.i < 4`, `a[2] == 3`) or a place (`@label`, `@proc`, \
                     `at_entry(f)`, `at_exit(f)`, `on_stack(f)`, a stack symbol)";

/// What `text` says about `program`, which gets the expressions for it; `end` is where a finished program stays.
///
/// # Errors
/// It cannot be read, or speaks of what there is not.
pub fn resolve(program: &mut Program<Relation>, end: Option<NodeId>, text: &str) -> Result<Proposition, Problem> {
    let names = Names::new(program, end);
    names.proposition(program, &read(text)?)
}

/// A variable as the user knows it.
#[derive(Clone, Debug)]
struct Known {
    bits: Vec<VarId>,
    kind: Type,
}

struct Names {
    vars: BTreeMap<(Option<ProcId>, String), Known>,
    /// Arrays by name: the number of their first element and of the one after the last.
    arrays: BTreeMap<(Option<ProcId>, String), (u64, u64)>,
    procs: BTreeMap<String, Vec<ProcId>>,
    places: BTreeMap<String, Vec<NodeId>>,
    end: Option<NodeId>,
}

impl Names {
    fn new(program: &Program<Relation>, end: Option<NodeId>) -> Self {
        let mut names = Self {
            vars: BTreeMap::new(),
            arrays: BTreeMap::new(),
            procs: BTreeMap::new(),
            places: BTreeMap::new(),
            end,
        };
        let scope = |var: VarId| match program.vars[var].scope {
            Scope::Global => None,
            Scope::Parameter(proc) | Scope::Local(proc) | Scope::Result(proc) => Some(proc),
        };
        let mut is_bit = IndexVec::<VarId, bool>::from_elem(false, program.vars.len());
        for datum in &program.data {
            datum.bits.iter().for_each(|&bit| is_bit[bit] = true);
            let Some(&first) = datum.bits.first() else { continue };
            names.array(scope(first), &datum.name);
            let known = Known { bits: datum.bits.clone(), kind: datum.kind.clone() };
            names.vars.insert((scope(first), datum.name.clone()), known);
        }
        for (var, info) in program.vars.iter_enumerated().filter(|&(var, _)| !is_bit[var]) {
            if !matches!(info.scope, Scope::Result(_)) {
                let known = Known { bits: vec![var], kind: Type::Bool };
                names.vars.insert((scope(var), info.name.clone()), known);
            }
        }
        for (id, proc) in program.icfg.procs.iter_enumerated() {
            names.procs.entry(proc.name.clone()).or_default().push(id);
        }
        for (label, node) in &program.marks.labels {
            names.places.entry(label.clone()).or_default().push(*node);
        }
        names
    }

    /// Notes that `name`, if it is an element's, belongs to an array.
    fn array(&mut self, scope: Option<ProcId>, name: &str) {
        let Some((array, index)) = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) else { return };
        if let Ok(index) = index.parse::<u64>() {
            let range = self.arrays.entry((scope, array.to_owned())).or_insert((index, index + 1));
            *range = (range.0.min(index), range.1.max(index + 1));
            self.array(scope, array);
        }
    }

    fn proposition(&self, program: &mut Program<Relation>, tree: &Tree) -> Result<Proposition, Problem> {
        let icfg = &program.icfg;
        let places = |nodes: &mut dyn Iterator<Item = NodeId>| {
            let mut is_there = IndexVec::from_elem(false, icfg.nodes.len());
            nodes.for_each(|node| is_there[node] = true);
            Ok(Proposition::Places(is_there))
        };
        match tree {
            Tree::At(name) => match self.place(program, name) {
                Some(nodes) => places(&mut nodes.into_iter()),
                None => Err(Problem::unknown(name, self.places.keys().chain(self.procs.keys()).map(String::as_str))),
            },
            Tree::AtEntry(name) => places(&mut self.procs_called(name)?.iter().map(|&proc| icfg.procs[proc].entry)),
            Tree::AtExit(name) => places(&mut self.procs_called(name)?.iter().map(|&proc| icfg.procs[proc].exit)),
            Tree::OnStack(name) => {
                let mut is_meant = IndexVec::from_elem(false, icfg.procs.len());
                self.procs_called(name)?.iter().for_each(|&proc| is_meant[proc] = true);
                Ok(Proposition::OnStack(is_meant))
            }
            Tree::Not(tree) => self.negation(program, tree),
            Tree::Alone(Term::Name(name, indices)) if indices.is_empty() && !self.is_variable(name) => {
                match self.place(program, name) {
                    Some(nodes) => places(&mut nodes.into_iter()),
                    None => Err(Problem::unknown(name, self.all_names())),
                }
            }
            Tree::Alone(_) | Tree::Compare(..) => self.state(program, tree),
        }
    }

    fn negation(&self, program: &mut Program<Relation>, tree: &Tree) -> Result<Proposition, Problem> {
        Ok(match self.proposition(program, tree)? {
            Proposition::Places(places) => Proposition::Places(places.iter().map(|&is_there| !is_there).collect()),
            Proposition::State(expr) => Proposition::State(Builder::new(&mut program.exprs).not(expr)),
            Proposition::OnStack(_) => {
                return Err(Problem::syntax("`!` stands before the formula, not inside a proposition".to_owned()));
            }
            Proposition::StateIn(exprs) => {
                let mut builder = Builder::new(&mut program.exprs);
                let mut of: BTreeMap<ProcId, ExprId> = BTreeMap::new();
                for (proc, expr) in exprs {
                    of.insert(proc, builder.not(expr));
                }
                let always = builder.constant(true);
                let all = program.icfg.procs.ids().map(|proc| (proc, of.get(&proc).copied().unwrap_or(always)));
                Proposition::StateIn(all.collect())
            }
        })
    }

    /// The nodes called `name`: a label's or symbol's, a procedure's, or `end`.
    fn place(&self, program: &Program<Relation>, name: &str) -> Option<Vec<NodeId>> {
        if let Some(nodes) = self.places.get(name) {
            return Some(nodes.clone());
        }
        if name == "end" && self.end.is_some() {
            return Some(self.end.into_iter().collect());
        }
        let procs = self.procs.get(name)?;
        Some(procs.iter().flat_map(|&proc| program.icfg.nodes_of(proc)).collect())
    }

    fn procs_called(&self, name: &str) -> Result<&[ProcId], Problem> {
        let found = self.procs.get(name);
        found.map(Vec::as_slice).ok_or_else(|| Problem::unknown(name, self.procs.keys().map(String::as_str)))
    }

    fn all_names(&self) -> impl Iterator<Item = &str> {
        let vars = self.vars.keys().map(|(_, name)| name);
        vars.chain(self.places.keys()).chain(self.procs.keys()).map(String::as_str)
    }

    fn is_variable(&self, name: &str) -> bool {
        matches!(name, "true" | "false") || !self.scopes(name).is_empty()
    }

    /// The scopes in which `name` is a variable or an array: everywhere, or those procedures.
    fn scopes(&self, name: &str) -> BTreeSet<Option<ProcId>> {
        let keys = self.vars.keys().chain(self.arrays.keys());
        let plain: BTreeSet<_> = keys.filter(|(_, known)| known == name).map(|(scope, _)| *scope).collect();
        if plain.contains(&None) {
            return BTreeSet::from([None]);
        }
        if !plain.is_empty() {
            return plain;
        }
        let Some((proc, rest)) = name.split_once('.') else { return BTreeSet::new() };
        let procs = self.procs.get(proc).into_iter().flatten().map(|&proc| Some(proc));
        let is_known = |scope: &Option<ProcId>| {
            let key = (*scope, rest.to_owned());
            self.vars.contains_key(&key) || self.arrays.contains_key(&key)
        };
        procs.filter(is_known).collect()
    }

    /// A proposition about variables.
    fn state(&self, program: &mut Program<Relation>, tree: &Tree) -> Result<Proposition, Problem> {
        let mut procs: Option<BTreeSet<ProcId>> = None;
        for name in names_in(tree) {
            let scopes = self.scopes(name);
            if scopes.is_empty() || scopes.contains(&None) {
                continue;
            }
            let found: BTreeSet<ProcId> = scopes.into_iter().flatten().collect();
            let titles: BTreeSet<&str> = found.iter().map(|&proc| program.icfg.procs[proc].name.as_str()).collect();
            if titles.len() > 1 {
                let titles: Vec<String> = titles.iter().map(|title| format!("`{title}`")).collect();
                return Err(Problem::scope(format!("`{name}` is a local of {}", titles.join(", "))));
            }
            if procs.as_ref().is_some_and(|procs| *procs != found) {
                return Err(Problem::scope("this speaks of the locals of two procedures".to_owned()));
            }
            procs = Some(found);
        }
        let mut builder = Builder::new(&mut program.exprs);
        let mut of = |proc| Sentence { names: self, proc, builder: &mut builder }.tree(tree);
        match procs {
            None => Ok(Proposition::State(of(None)?)),
            Some(procs) => {
                let exprs = procs.into_iter().map(|proc| Ok((proc, of(Some(proc))?)));
                Ok(Proposition::StateIn(exprs.collect::<Result<_, Problem>>()?))
            }
        }
    }
}

fn names_in(tree: &Tree) -> Vec<&str> {
    fn collect<'t>(term: &'t Term, into: &mut Vec<&'t str>) {
        match term {
            Term::Number(_) => {}
            Term::Name(name, indices) => {
                into.push(name);
                indices.iter().for_each(|index| collect(index, into));
            }
            Term::Binary(_, left, right) => {
                collect(left, into);
                collect(right, into);
            }
        }
    }
    let mut names = Vec::new();
    match tree {
        Tree::Alone(term) => collect(term, &mut names),
        Tree::Compare(left, _, right) => {
            collect(left, &mut names);
            collect(right, &mut names);
        }
        Tree::At(_) | Tree::AtEntry(_) | Tree::AtExit(_) | Tree::OnStack(_) | Tree::Not(_) => {}
    }
    names
}

/// A term's value, and the names of its values if it is of an enumeration.
struct Meaning {
    value: Partial,
    names: Option<Vec<String>>,
}

/// A proposition about variables, said in one procedure.
struct Sentence<'a, 'e> {
    names: &'a Names,
    proc: Option<ProcId>,
    builder: &'a mut Builder<'e>,
}

impl Sentence<'_, '_> {
    fn tree(&mut self, tree: &Tree) -> Result<ExprId, Problem> {
        let (left, comparison, right) = match tree {
            Tree::Alone(term) => {
                let meaning = self.term(term, None)?;
                let zero = self.builder.number(0);
                let is_zero = self.builder.equal(&meaning.value.word, &zero);
                let is_other = self.builder.not(is_zero);
                return Ok(self.builder.and(is_other, meaning.value.defined));
            }
            Tree::Compare(left, comparison, right) => (left, *comparison, right),
            _ => unreachable!("places are not about variables"),
        };
        // A name of an enumeration's value means something only beside a variable of it.
        let (left, right) = match self.term(left, None) {
            Ok(left) => {
                let right = self.term(right, left.names.as_deref())?;
                (left, right)
            }
            Err(problem) => {
                let right = self.term(right, None).map_err(|_| problem)?;
                (self.term(left, right.names.as_deref())?, right)
            }
        };
        let defined = self.builder.and(left.value.defined, right.value.defined);
        let (left, right) = (&left.value.word, &right.value.word);
        let holds = match comparison {
            Comparison::Equal => self.builder.equal(left, right),
            Comparison::Unequal => {
                let equal = self.builder.equal(left, right);
                self.builder.not(equal)
            }
            Comparison::Less => self.builder.less(left, right),
            Comparison::LessOrEqual => self.builder.less_or_equal(left, right),
            Comparison::Greater => self.builder.less(right, left),
            Comparison::GreaterOrEqual => self.builder.less_or_equal(right, left),
        };
        Ok(self.builder.and(defined, holds))
    }

    fn term(&mut self, term: &Term, values: Option<&[String]>) -> Result<Meaning, Problem> {
        match term {
            Term::Number(number) => Ok(self.constant(*number)),
            Term::Name(name, indices) => self.name(name, indices, values),
            Term::Binary(operator, left, right) => {
                let (left, right) = (self.term(left, None)?.value, self.term(right, None)?.value);
                self.binary(*operator, &left, &right)
            }
        }
    }

    fn constant(&mut self, number: u64) -> Meaning {
        let value = Partial { word: self.builder.number(number), defined: self.builder.constant(true) };
        Meaning { value, names: None }
    }

    fn binary(&mut self, operator: Operator, left: &Partial, right: &Partial) -> Result<Meaning, Problem> {
        let builder = &mut *self.builder;
        let mut defined = builder.and(left.defined, right.defined);
        let (left, right) = (&left.word, &right.word);
        let word = match operator {
            Operator::Add => builder.add(left, right)?,
            Operator::Multiply => builder.mul(left, right)?,
            Operator::ShiftLeft => builder.shl(left, right)?,
            Operator::ShiftRight => builder.shr(left, right),
            Operator::Subtract | Operator::Divide => {
                let partial = match operator {
                    Operator::Subtract => builder.sub(left, right)?,
                    _ => builder.div(left, right)?,
                };
                defined = builder.and(defined, partial.defined);
                partial.word
            }
        };
        Ok(Meaning { value: Partial { word, defined }, names: None })
    }

    fn name(&mut self, name: &str, indices: &[Term], values: Option<&[String]>) -> Result<Meaning, Problem> {
        if indices.is_empty() {
            match name {
                "true" => return Ok(self.constant(1)),
                "false" => return Ok(self.constant(0)),
                _ => {}
            }
        }
        let scopes = self.names.scopes(name);
        if scopes.is_empty() {
            let place = values.and_then(|values| values.iter().position(|value| value == name));
            return match place {
                Some(place) => Ok(self.constant(place as u64)),
                None => Err(Problem::unknown(name, self.names.all_names())),
            };
        }
        let (scope, rest) = if scopes.contains(&None) {
            (None, name)
        } else {
            let is_plain = self.names.vars.contains_key(&(self.proc, name.to_owned()))
                || self.names.arrays.contains_key(&(self.proc, name.to_owned()));
            let rest = if is_plain { name } else { name.split_once('.').map_or(name, |(_, rest)| rest) };
            (self.proc, rest)
        };
        self.element(scope, rest, indices)
    }

    fn element(&mut self, scope: Option<ProcId>, name: &str, indices: &[Term]) -> Result<Meaning, Problem> {
        let key = (scope, name.to_owned());
        let Some((index, rest)) = indices.split_first() else {
            let Some(known) = self.names.vars.get(&key) else {
                return Err(Problem::syntax(format!("`{name}` is an array; say which element, as in `{name}[0]`")));
            };
            let word = self.builder.variable(&known.bits, Moment::Now);
            let word = self.builder.word(word.bits().to_vec())?;
            let names = match &known.kind {
                Type::Enum(names) => Some(names.clone()),
                Type::Bool | Type::Number => None,
            };
            return Ok(Meaning { value: Partial { word, defined: self.builder.constant(true) }, names });
        };
        let Some(&(first, end)) = self.names.arrays.get(&key) else {
            return Err(Problem::syntax(format!("`{name}` is not an array")));
        };
        let index = self.term(index, None)?.value;
        let first_word = self.builder.number(first);
        let offset = self.builder.sub(&index.word, &first_word)?;
        let mut choices = Vec::new();
        let mut names = None;
        let mut defined = self.builder.and(index.defined, offset.defined);
        for place in first..end {
            let element = self.element(scope, &format!("{name}[{place}]"), rest)?;
            // Elements of inner arrays are defined by the same indices.
            let is_here = {
                let place = self.builder.number(place);
                self.builder.equal(&index.word, &place)
            };
            let holds = self.builder.implies(is_here, element.value.defined);
            defined = self.builder.and(defined, holds);
            names = element.names;
            choices.push(element.value.word);
        }
        let chosen = self.builder.select(&choices, &offset.word);
        let defined = self.builder.and(defined, chosen.defined);
        Ok(Meaning { value: Partial { word: chosen.word, defined }, names })
    }
}
