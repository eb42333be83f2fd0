//! Whether every name means something, is bound where it stands, and is of the right sort.
//!
//! Nothing here recurses deeper than the parser's limit.

mod value;

use super::overlap;
use super::tree::{
    Analysis, Argument, Binder, Condition, Declaration, Direction, ExprKind, FactKind, FactUse, FamilyId, Form, Length,
    Message, MetaId, MetaUse, Operand, Part, Pattern, Requirement, Rule, Set, Site, Slot, Sort, Source, Target, Test,
    Unknown, Update,
};
use hardbop_base::diagnostic::did_you_mean;
use hardbop_base::findings::Findings;
use hardbop_base::{Diagnostic, IndexVec, Span};

/// What is wrong with an analysis that has been parsed: errors and warnings, in the order of the source.
pub fn check(analysis: &Analysis) -> Vec<Diagnostic> {
    let mut checker = Checker {
        analysis,
        findings: Findings::default(),
        bound: Vec::new(),
        reported_metas: IndexVec::from_elem(false, analysis.metas.len()),
        reported_families: IndexVec::from_elem(false, analysis.families.len()),
        is_set: IndexVec::from_elem(false, analysis.families.len()),
        is_read: IndexVec::from_elem(false, analysis.families.len()),
        reader: Reader::Anything,
        assumed: IndexVec::from_elem(None, analysis.families.len()),
    };
    checker.declarations();
    checker.initially();
    analysis.unknowns.iter().for_each(|unknown| checker.unknown(unknown));
    analysis.rules.iter().for_each(|rule| checker.rule(rule));
    analysis.tests.iter().for_each(|test| checker.test(test));
    analysis.requirements.iter().for_each(|requirement| checker.requirement(requirement));
    checker.warn_of_useless_facts();
    if !checker.findings.has_errors() {
        overlap::warn_of_unreachable(analysis, &mut checker.findings);
    }
    checker.findings.finish()
}

struct Checker<'a> {
    analysis: &'a Analysis,
    findings: Findings,
    /// The metavariables that stand for something here.
    bound: Vec<MetaId>,
    /// The metavariables that have been called undeclared.
    reported_metas: IndexVec<MetaId, bool>,
    /// The families that have been called undeclared.
    reported_families: IndexVec<FamilyId, bool>,
    /// The families that some rule sets.
    is_set: IndexVec<FamilyId, bool>,
    /// The families that something other than their own updates and assumptions reads.
    is_read: IndexVec<FamilyId, bool>,
    /// Whose values these are.
    reader: Reader,
    /// Where something is assumed of facts of the family.
    assumed: IndexVec<FamilyId, Option<Span>>,
}

/// What reads the facts of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// An update of this family.
    Update(FamilyId),
    /// An `unknown`, which makes nobody depend on the fact.
    Assumption,
    /// What is there for its own sake.
    Anything,
}

impl Checker<'_> {
    fn report(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.findings.add(Diagnostic::error(code, message, span));
    }

    fn declarations(&mut self) {
        let analysis = self.analysis;
        let mut target = None;
        for (id, family) in analysis.families.iter_enumerated() {
            let Some(declaration) = &family.declared else { continue };
            self.declaration(declaration);
            self.readings(declaration);
            if declaration.kind == FactKind::Target {
                self.target(declaration, *target.get_or_insert(declaration.span));
                // The engine reads it at each `*p`.
                self.is_read[id] = true;
            }
            if declaration.kind == FactKind::Small {
                self.number(declaration);
            }
        }
        if let Some(header) = &analysis.header
            && analysis.families.iter().all(|family| family.declared.is_none())
        {
            let finding = Diagnostic::error("no-facts", "this analysis has no facts", header.span);
            self.findings.add(finding.help("declare some, for instance `fact null(p)`"));
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.bound.clear();
        for &parameter in &declaration.parameters {
            if self.bound.contains(&parameter.id) {
                let message = format!("`{}` is two parameters of one fact", self.name(parameter));
                self.report("duplicate-metavariable", message, parameter.span);
            }
            if let Some(sort @ (Sort::Constant | Sort::Statement)) = self.sort(parameter) {
                let message = format!("there are no facts about every {}", sort.text());
                self.report("wrong-sort", message, parameter.span);
            }
            self.bound.push(parameter.id);
        }
        for Binder { meta, set } in &declaration.binders {
            self.use_bound(*meta);
            self.set(set);
            self.member(*meta, set);
        }
        for reading in &declaration.readings {
            self.metas_of(reading);
        }
    }

    /// What is true or false reads so, or so; of a number or an object there is one text around it.
    fn readings(&mut self, declaration: &Declaration) {
        let what = match declaration.kind {
            FactKind::Boolean => return declaration.readings.iter().for_each(|reading| self.no_value(reading)),
            FactKind::Small => "number",
            FactKind::Target => "object",
        };
        let help = format!("write one text, with `{{}}` for the {what}");
        let (message, span) = match declaration.readings.as_slice() {
            [] => (format!("nothing says how this {what} reads"), declaration.span),
            [reading] if reading.parts.contains(&Part::Value) => return,
            [reading] => (format!("this text does not say where the {what} stands"), reading.span),
            [_, second, ..] => (format!("there is no negation of this {what} that could be read"), second.span),
        };
        self.findings.add(Diagnostic::error("fact-reading", message, span).help(help));
    }

    fn target(&mut self, declaration: &Declaration, first: Span) {
        if declaration.span != first {
            let message = "two facts say what a pointer points to";
            let finding = Diagnostic::error("duplicate-target", message, declaration.span);
            let help = "what `*p` is must be clear: let one of them be a fact that is true or false";
            self.findings.add(finding.related("the first", first).help(help));
        }
        if declaration.parameters.len() != 1 {
            let message = format!("a target is that of one pointer, not of {}", declaration.parameters.len());
            self.report("fact-arity", message, declaration.span);
        }
        for &parameter in &declaration.parameters {
            if let Some(sort) = self.sort(parameter).filter(|&sort| sort != Sort::Pointer) {
                self.wrong_sort(parameter, sort, "only a pointer has a target");
            }
        }
    }

    /// A number is what is in one variable.
    fn number(&mut self, declaration: &Declaration) {
        if declaration.parameters.len() != 1 {
            let message = format!("a number is that of one variable, not of {}", declaration.parameters.len());
            self.report("fact-arity", message, declaration.span);
        }
        for &parameter in &declaration.parameters {
            if let Some(sort) = self.sort(parameter).filter(|sort| !sort.is_place()) {
                self.wrong_sort(parameter, sort, "only a variable has a number");
            }
        }
    }

    fn initially(&mut self) {
        let analysis = self.analysis;
        for update in &analysis.initially {
            self.bound.clear();
            self.update(update);
            let mut read = None;
            value::for_each_fact(&update.value, &mut |fact| read = read.or(Some(fact.span)));
            if let Some(span) = read {
                let finding = Diagnostic::error("initial-fact", "at the start there are no facts to read yet", span);
                self.findings.add(finding.help("write `true`, `false` or `*`"));
            }
            let declared = analysis.families[update.target.family].declared.as_ref();
            let is_target = declared.is_some_and(|declared| declared.kind == FactKind::Target);
            if is_target && !matches!(update.value.kind, ExprKind::Unknown) {
                let message = "what a pointer points to at the start, the program says";
                let finding = Diagnostic::error("initial-fact", message, update.value.span);
                self.findings.add(finding.help("leave it out, or write `*`"));
            }
        }
    }

    fn unknown(&mut self, unknown: &Unknown) {
        if self.analysis.direction == Direction::Backward {
            let message = "a backward analysis has no values that come from outside";
            let finding = Diagnostic::error("assume-backward", message, unknown.span);
            let help = "its facts are about what follows; take the clause out, or make the analysis forward";
            self.findings.add(finding.help(help));
        }
        self.bound.clear();
        let has_value = |sort| matches!(sort, Sort::Pointer | Sort::Integer | Sort::Scalar);
        self.slot(Slot::Meta(unknown.meta), has_value, "what comes from outside is a pointer, an integer or a scalar");
        self.reader = Reader::Assumption;
        self.boolean(&unknown.value);
        self.reader = Reader::Anything;
        self.message(&unknown.message);
        let mut facts = Vec::new();
        value::for_each_fact(&unknown.value, &mut |fact| facts.push(fact));
        if facts.is_empty() {
            let message = format!("this says nothing about `{}`", self.name(unknown.meta));
            let finding = Diagnostic::error("assumption-scope", message, unknown.value.span);
            self.findings.add(finding.help("name a fact that is taken to hold, or not to hold"));
        }
        facts.into_iter().for_each(|fact| self.assumed_fact(fact, unknown));
    }

    /// A fact in the condition of an `unknown`.
    fn assumed_fact(&mut self, fact: &FactUse, unknown: &Unknown) {
        if fact.arguments.iter().any(|argument| argument.id != unknown.meta.id) {
            let message = format!("only facts about `{}` alone can be taken to hold here", self.name(unknown.meta));
            let finding = Diagnostic::error("assumption-scope", message, fact.span);
            self.findings.add(finding.help("where the value comes from, nothing else is known"));
        }
        let declared = self.analysis.families[fact.family].declared.as_ref();
        if declared.is_some_and(|declared| declared.kind != FactKind::Boolean) {
            let message = "only what is true or false can be taken to hold of a value from outside";
            self.report("assumption-scope", message, fact.span);
        }
        let first = *self.assumed[fact.family].get_or_insert(unknown.span);
        if first != unknown.span {
            let message = format!("what is assumed of `{}` is said twice", self.analysis.families[fact.family].name);
            let finding = Diagnostic::error("duplicate-clause", message, fact.span).related("first here", first);
            self.findings.add(finding.help("join both conditions with `&`"));
        }
    }

    fn rule(&mut self, rule: &Rule) {
        self.bound.clear();
        self.pattern(&rule.pattern);
        rule.updates.iter().for_each(|update| self.update(update));
    }

    fn test(&mut self, test: &Test) {
        self.bound.clear();
        self.operand(&test.left);
        if let Some((_, right)) = &test.right {
            self.operand(right);
        }
        self.boolean(&test.when_true);
        if let Some(value) = &test.when_false {
            self.boolean(value);
        }
    }

    fn requirement(&mut self, requirement: &Requirement) {
        if self.analysis.direction == Direction::Backward {
            let message = "a backward analysis cannot require anything";
            let finding = Diagnostic::error("require-backward", message, requirement.span);
            let help = "its facts are about what follows; take the clause out, or make the analysis forward";
            self.findings.add(finding.help(help));
        }
        self.bound.clear();
        match &requirement.site {
            Site::Deref(slot, conditions) => {
                self.slot(*slot, is_pointing, "what `*` is applied to is a pointer");
                self.conditions(conditions);
            }
            Site::Use(slot, conditions) => {
                self.slot(*slot, Sort::is_place, "what is used is a variable");
                self.conditions(conditions);
            }
            Site::Entry(_) | Site::Exit(_) => {}
            Site::Operation(source, conditions) => {
                self.source(source);
                self.conditions(conditions);
            }
            Site::Statement(pattern) => self.pattern(pattern),
        }
        let outside = self.bound.len();
        requirement.binders.iter().for_each(|binder| self.bind(binder));
        self.boolean(&requirement.value);
        self.message(&requirement.message);
        self.bound.truncate(outside);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        if let Some(statement) = pattern.statement {
            let is_statement = |sort: Sort| sort.is_within(Sort::Statement);
            self.slot(Slot::Meta(statement), is_statement, "this names a statement");
        }
        match &pattern.form {
            Form::Any => {}
            Form::Assign(target, source) => {
                match target {
                    Target::Variable(slot) => self.slot(*slot, Sort::is_place, "what is assigned is a variable"),
                    Target::Deref(slot) => self.slot(*slot, is_pointing, "what `*` is applied to is a pointer"),
                }
                self.source(source);
            }
            Form::Call(call) | Form::Drop(call) => call.arguments.iter().for_each(|argument| self.operand(argument)),
            Form::Return(operand) => operand.iter().for_each(|operand| self.operand(operand)),
            Form::Declare(meta) => self.slot(Slot::Meta(*meta), Sort::is_place, "what is declared is a variable"),
            Form::Copy(target, source) => {
                self.slot(*target, Sort::is_place, "what is assigned is a variable");
                self.slot(*source, Sort::is_place, "what is copied is a variable");
            }
            Form::Test(operand) => self.operand(operand),
        }
        self.conditions(&pattern.conditions);
    }

    fn source(&mut self, source: &Source) {
        source.operands().iter().for_each(|operand| self.operand(operand));
    }

    fn operand(&mut self, operand: &Operand) {
        let has_value = |sort: Sort| !sort.is_within(Sort::Statement);
        match operand {
            Operand::Slot(slot) => self.slot(*slot, has_value, "what stands here has a value"),
            Operand::Deref(slot) => self.slot(*slot, is_pointing, "what `*` is applied to is a pointer"),
            Operand::Address(slot) => self.slot(*slot, Sort::is_place, "what has an address is a variable"),
            Operand::Null | Operand::Number(_) => {}
        }
    }

    /// Binds a metavariable of a pattern.
    fn slot(&mut self, slot: Slot, is_right: impl Fn(Sort) -> bool, rule: &str) {
        let Slot::Meta(meta) = slot else { return };
        if let Some(sort) = self.sort(meta).filter(|&sort| !is_right(sort)) {
            self.wrong_sort(meta, sort, rule);
        }
        self.bound.push(meta.id);
    }

    fn conditions(&mut self, conditions: &[Condition]) {
        for condition in conditions {
            match condition {
                Condition::Only(set, member) => {
                    self.set(set);
                    self.member(*member, set);
                    self.bound.push(member.id);
                }
                Condition::In(meta, set) => {
                    self.use_bound(*meta);
                    self.set(set);
                    self.member(*meta, set);
                }
                Condition::Is(left, right) | Condition::IsNot(left, right) => self.same(*left, *right),
            }
        }
    }

    fn update(&mut self, update: &Update) {
        let outside = self.bound.len();
        update.binders.iter().for_each(|binder| self.bind(binder));
        let family = update.target.family;
        self.fact(&update.target);
        self.is_set[family] = true;
        self.reader = Reader::Update(family);
        self.assigned(&update.target, &update.value);
        self.reader = Reader::Anything;
        self.bound.truncate(outside);
    }

    /// Lets a metavariable go through a set.
    fn bind(&mut self, binder: &Binder) {
        self.set(&binder.set);
        if self.bound.contains(&binder.meta.id) {
            let message = format!("`{}` stands for something already", self.name(binder.meta));
            let finding = Diagnostic::error("metavariable-in-use", message, binder.meta.span);
            self.findings.add(finding.help("let another metavariable go through the set"));
        }
        self.member(binder.meta, &binder.set);
        self.bound.push(binder.meta.id);
    }

    fn set(&mut self, set: &Set) {
        let text = set.kind.text();
        match (set.kind.argument(), set.argument) {
            (Argument::Needed, None) => {
                let finding = Diagnostic::error("set-arity", format!("`{text}` is a set of something"), set.span);
                self.findings.add(finding.help(format!("write `{text}(…)`")));
            }
            (Argument::None, Some(_)) => {
                let finding = Diagnostic::error("set-arity", format!("`{text}` has no argument"), set.span);
                self.findings.add(finding.help(format!("write `{text}`")));
            }
            (_, None) => {}
            (_, Some(argument)) => {
                self.use_bound(argument);
                if let Some(sort) = self.sort(argument).filter(|&sort| !set.kind.takes(sort)) {
                    self.wrong_sort(argument, sort, &format!("`{text}` is not of such"));
                }
            }
        }
        for length in set.length.into_iter().chain(set.times) {
            let Length::Meta(length) = length else { continue };
            self.use_bound(length);
            if let Some(sort) = self.sort(length).filter(|sort| sort.is_within(Sort::Statement)) {
                self.wrong_sort(length, sort, "a length has a value");
            }
        }
    }

    fn member(&mut self, meta: MetaUse, set: &Set) {
        let member = set.kind.member();
        if let Some(sort) = self.sort(meta).filter(|sort| !sort.overlaps(member)) {
            let text = set.kind.text();
            self.wrong_sort(meta, sort, &format!("each member of `{text}` is {}", member.one()));
        }
    }

    /// `left is right`
    fn same(&mut self, left: MetaUse, right: MetaUse) {
        self.use_bound(left);
        self.use_bound(right);
        if let (Some(one), Some(other)) = (self.sort(left), self.sort(right))
            && !one.overlaps(other)
        {
            self.wrong_sort(left, one, &format!("`{}` is {}: they are never the same", self.name(right), other.one()));
        }
    }

    fn fact(&mut self, fact: &FactUse) {
        let analysis = self.analysis;
        let family = &analysis.families[fact.family];
        // What else an assumption is about is refused as a whole.
        if self.reader != Reader::Assumption {
            fact.arguments.iter().for_each(|&argument| self.use_bound(argument));
        }
        let Some(declaration) = &family.declared else {
            if !std::mem::replace(&mut self.reported_families[fact.family], true) {
                let declared = analysis.families.iter().filter(|family| family.declared.is_some());
                let near = did_you_mean(&family.name, declared.map(|family| family.name.as_str()));
                self.report("undeclared-fact", format!("there is no fact `{}`{near}", family.name), fact.span);
            }
            return;
        };
        let (wanted, given) = (declaration.parameters.len(), fact.arguments.len());
        if wanted != given {
            let things = if wanted == 1 { "argument" } else { "arguments" };
            let message = format!("`{}` has {wanted} {things}, not {given}", family.name);
            let finding = Diagnostic::error("fact-arity", message, fact.span);
            self.findings.add(finding.related("declared here", declaration.span));
            return;
        }
        for (&argument, &parameter) in fact.arguments.iter().zip(&declaration.parameters) {
            if let (Some(sort), Some(wanted)) = (self.sort(argument), self.sort(parameter))
                && !sort.is_within(wanted)
            {
                self.wrong_sort(argument, sort, &format!("here `{}` wants {}", family.name, wanted.one()));
            }
        }
    }

    fn note_read(&mut self, family: FamilyId) {
        if self.reader != Reader::Assumption && self.reader != Reader::Update(family) {
            self.is_read[family] = true;
        }
    }

    /// A text that is not the reading of a number or an object.
    fn message(&mut self, message: &Message) {
        self.metas_of(message);
        self.no_value(message);
    }

    fn no_value(&mut self, message: &Message) {
        if message.parts.contains(&Part::Value) {
            let text = "`{}` stands for a number or an object, and here is none";
            let finding = Diagnostic::error("message-placeholder", text, message.span);
            self.findings.add(finding.help("write `{p}`, or `{{}}` for the braces themselves"));
        }
    }

    fn metas_of(&mut self, message: &Message) {
        for part in &message.parts {
            if let Part::Meta(meta) = part {
                self.use_bound(*meta);
            }
        }
    }

    /// A metavariable that something must have bound.
    fn use_bound(&mut self, meta: MetaUse) {
        if self.sort(meta).is_some() && !self.bound.contains(&meta.id) {
            let message = format!("nothing says what `{}` stands for here", self.name(meta));
            let finding = Diagnostic::error("unbound-metavariable", message, meta.span);
            let help = format!("name it in the pattern, or add `for {} in SET`", self.name(meta));
            self.findings.add(finding.help(help));
        }
    }

    /// What a metavariable stands for; where it is not declared, that is said once.
    fn sort(&mut self, meta: MetaUse) -> Option<Sort> {
        let analysis = self.analysis;
        let known = analysis.metas[meta.id].declared.map(|(sort, _)| sort);
        if known.is_none() && !std::mem::replace(&mut self.reported_metas[meta.id], true) {
            let name = &analysis.metas[meta.id].name;
            let declared = analysis.metas.iter().filter(|meta| meta.declared.is_some());
            let near = did_you_mean(name, declared.map(|meta| meta.name.as_str()));
            let message = format!("`{name}` is not declared{near}");
            let finding = Diagnostic::error("undeclared-metavariable", message, meta.span);
            self.findings.add(finding.help(format!("say what it stands for, for instance `var {name} : pointer`")));
        }
        known
    }

    fn name(&self, meta: MetaUse) -> &str {
        &self.analysis.metas[meta.id].name
    }

    fn wrong_sort(&mut self, meta: MetaUse, sort: Sort, rule: &str) {
        let message = format!("`{}` is {}, but {rule}", self.name(meta), sort.one());
        self.report("wrong-sort", message, meta.span);
    }

    fn warn_of_useless_facts(&mut self) {
        let analysis = self.analysis;
        for (id, family) in analysis.families.iter_enumerated() {
            let Some(declaration) = &family.declared else { continue };
            let (code, what) = match (self.is_set[id], self.is_read[id]) {
                (false, _) => ("fact-never-set", "no rule sets"),
                (true, false) if !analysis.requirements.is_empty() => ("fact-never-read", "nothing reads"),
                _ => continue,
            };
            let message = format!("{what} the fact `{}`", family.name);
            self.findings.add(Diagnostic::warning(code, message, declaration.span));
        }
    }
}

fn is_pointing(sort: Sort) -> bool {
    matches!(sort, Sort::Pointer | Sort::Expression)
}
