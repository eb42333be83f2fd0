//! The canonical text of an analysis, which parses back to the same tree, spans aside.

use super::tree::{
    Analysis, Binder, Call, Comparison, Condition, Direction, Expr, ExprKind, FactKind, FactUse, FamilyId, Form,
    Junction, Length, Meet, Message, MetaUse, Operand, Part, Pattern, Rest, Set, Sign, Site, Slot, Source, Target,
    Update,
};

/// The analysis as text: declarations first, then what holds at the start, assumptions, rules, conditions and
/// requirements; one clause a line, no parentheses that are not needed.
pub fn print(analysis: &Analysis) -> String {
    let mut printer = Printer { analysis, text: String::new() };
    printer.head();
    printer.declarations();
    printer.body();
    printer.text
}

/// How tightly the surroundings of a value bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Loosest,
    Or,
    And,
    Comparison,
    Sum,
    Operand,
    Tightest,
}

struct Printer<'a> {
    analysis: &'a Analysis,
    text: String,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn head(&mut self) {
        if let Some(header) = &self.analysis.header {
            self.put("analysis ");
            self.put(&header.name);
            self.put(" \"");
            self.escaped(&header.title);
            self.put("\"\n");
        }
        if self.analysis.direction == Direction::Backward {
            self.put("direction backward\n");
        }
        if self.analysis.meet == Meet::Intersection {
            self.put("meet intersection\n");
        }
    }

    fn declarations(&mut self) {
        let analysis = self.analysis;
        for meta in &analysis.metas {
            if let Some((sort, _)) = meta.declared {
                self.put(&format!("var {} : {}\n", meta.name, sort.text()));
            }
        }
        for family in &analysis.families {
            let Some(declaration) = &family.declared else { continue };
            self.put("fact ");
            self.put(&family.name);
            self.arguments(&declaration.parameters);
            if declaration.kind != FactKind::Boolean {
                self.put(&format!(" : {}", declaration.kind.text()));
            }
            self.binders(&declaration.binders);
            for (row, reading) in declaration.readings.iter().enumerate() {
                self.put(if row == 0 { " " } else { ", " });
                self.message(reading);
            }
            self.put("\n");
        }
    }

    fn body(&mut self) {
        let analysis = self.analysis;
        for update in &analysis.initially {
            self.put("initially ");
            self.update(update);
            self.put("\n");
        }
        for unknown in &analysis.unknowns {
            self.put("unknown ");
            self.meta(unknown.meta);
            self.put(": ");
            self.value(&unknown.value, Level::Loosest);
            self.put(" ");
            self.message(&unknown.message);
            self.put("\n");
        }
        for rule in &analysis.rules {
            self.put("on ");
            self.pattern(&rule.pattern);
            self.put(": ");
            for (row, update) in rule.updates.iter().enumerate() {
                self.put(if row == 0 { "" } else { ", " });
                self.update(update);
            }
            self.put("\n");
        }
        for test in &analysis.tests {
            self.put("if ");
            self.operand(&test.left);
            if let Some((op, right)) = &test.right {
                self.put(&format!(" {} ", op.text()));
                self.operand(right);
            }
            self.put(": ");
            self.value(&test.when_true, Level::Loosest);
            if let Some(value) = &test.when_false {
                self.put(" else ");
                self.value(value, Level::Loosest);
            }
            self.put("\n");
        }
        for requirement in &analysis.requirements {
            self.put("at ");
            self.site(&requirement.site);
            self.put(": require ");
            self.value(&requirement.value, Level::Loosest);
            self.binders(&requirement.binders);
            self.put(" ");
            self.message(&requirement.message);
            self.put("\n");
        }
    }

    fn update(&mut self, update: &Update) {
        self.fact(&update.target);
        self.put(" := ");
        self.value(&update.value, Level::Loosest);
        self.binders(&update.binders);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        if let Some(statement) = pattern.statement {
            self.meta(statement);
            self.put(": ");
        }
        match &pattern.form {
            Form::Any => self.put("_"),
            Form::Assign(target, source) => {
                match target {
                    Target::Variable(slot) => self.slot(*slot),
                    Target::Deref(slot) => {
                        self.put("*");
                        self.slot(*slot);
                    }
                }
                self.put(" = ");
                self.source(source);
            }
            Form::Call(call) => self.call(call),
            Form::Drop(call) => {
                self.put("drop ");
                self.call(call);
            }
            Form::Return(None) => self.put("return"),
            Form::Return(Some(operand)) => {
                self.put("return ");
                self.operand(operand);
            }
            Form::Declare(meta) => {
                self.put("declare ");
                self.meta(*meta);
            }
            Form::Copy(target, source) => {
                self.put("copy ");
                self.slot(*target);
                self.put(" = ");
                self.slot(*source);
            }
            Form::Test(operand) => {
                self.put("test ");
                self.operand(operand);
            }
        }
        self.conditions(&pattern.conditions);
    }

    fn source(&mut self, source: &Source) {
        match source {
            Source::Operand(operand) => self.operand(operand),
            Source::Unary(op, operand) => {
                self.put(op.text());
                // A number would take the sign for its own.
                if matches!(operand, Operand::Number(_)) {
                    self.put(" ");
                }
                self.operand(operand);
            }
            Source::Binary(left, op, right) => {
                self.operand(left);
                self.put(&format!(" {} ", op.text()));
                self.operand(right);
            }
            Source::Call(call) => self.call(call),
        }
    }

    fn call(&mut self, call: &Call) {
        match call.callees.as_slice() {
            [] => self.put("_"),
            [callee] if !callee.starts_with('*') => self.put(callee),
            callees => self.put(&format!("{{{}}}", callees.join(", "))),
        }
        self.put("(");
        for (row, argument) in call.arguments.iter().enumerate() {
            self.put(if row == 0 { "" } else { ", " });
            self.operand(argument);
        }
        if call.rest == Rest::Anything {
            self.put(if call.arguments.is_empty() { "..." } else { ", ..." });
        }
        self.put(")");
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Slot(slot) => self.slot(*slot),
            Operand::Null => self.put("NULL"),
            Operand::Number(number) => self.put(&number.to_string()),
            Operand::Deref(slot) => {
                self.put("*");
                self.slot(*slot);
            }
            Operand::Address(slot) => {
                self.put("&");
                self.slot(*slot);
            }
        }
    }

    fn site(&mut self, site: &Site) {
        let function = |of: &Option<String>| of.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        match site {
            Site::Deref(slot, conditions) => {
                self.put("*");
                self.slot(*slot);
                self.conditions(conditions);
            }
            Site::Use(slot, conditions) => {
                self.put("use ");
                self.slot(*slot);
                self.conditions(conditions);
            }
            Site::Entry(of) => self.put(&format!("entry{}", function(of))),
            Site::Exit(of) => self.put(&format!("exit{}", function(of))),
            Site::Operation(source, conditions) => {
                self.source(source);
                self.conditions(conditions);
            }
            Site::Statement(pattern) => self.pattern(pattern),
        }
    }

    fn conditions(&mut self, conditions: &[Condition]) {
        for (row, condition) in conditions.iter().enumerate() {
            self.put(if row == 0 { " where " } else { " & " });
            match condition {
                Condition::Only(set, member) => {
                    self.set(set);
                    self.put(" = {");
                    self.meta(*member);
                    self.put("}");
                }
                Condition::In(meta, set) => {
                    self.meta(*meta);
                    self.put(" in ");
                    self.set(set);
                }
                Condition::Is(left, right) | Condition::IsNot(left, right) => {
                    self.meta(*left);
                    self.put(if matches!(condition, Condition::Is(..)) { " is " } else { " is not " });
                    self.meta(*right);
                }
            }
        }
    }

    fn binders(&mut self, binders: &[Binder]) {
        for binder in binders {
            self.put(" for ");
            self.meta(binder.meta);
            self.put(" in ");
            self.set(&binder.set);
        }
    }

    fn set(&mut self, set: &Set) {
        self.put(set.kind.text());
        let Some(argument) = set.argument else { return };
        self.put("(");
        self.meta(argument);
        for (sign, length) in [(", ", set.length), (" * ", set.times)] {
            let Some(length) = length else { continue };
            self.put(sign);
            match length {
                Length::Meta(meta) => self.meta(meta),
                Length::Number(number) => self.put(&number.to_string()),
            }
        }
        self.put(")");
    }

    fn fact(&mut self, fact: &FactUse) {
        self.family(fact.family);
        self.arguments(&fact.arguments);
    }

    fn arguments(&mut self, arguments: &[MetaUse]) {
        self.put("(");
        for (row, &argument) in arguments.iter().enumerate() {
            self.put(if row == 0 { "" } else { ", " });
            self.meta(argument);
        }
        self.put(")");
    }

    fn slot(&mut self, slot: Slot) {
        match slot {
            Slot::Any => self.put("_"),
            Slot::Meta(meta) => self.meta(meta),
        }
    }

    fn meta(&mut self, meta: MetaUse) {
        self.text.push_str(&self.analysis.metas[meta.id].name);
    }

    fn family(&mut self, family: FamilyId) {
        self.text.push_str(&self.analysis.families[family].name);
    }

    fn message(&mut self, message: &Message) {
        self.put("\"");
        for part in &message.parts {
            match part {
                Part::Text(text) => self.escaped(&text.replace('{', "{{").replace('}', "}}")),
                Part::Meta(meta) => {
                    self.put("{");
                    self.meta(*meta);
                    self.put("}");
                }
                Part::Value => self.put("{}"),
            }
        }
        self.put("\"");
    }

    fn escaped(&mut self, text: &str) {
        self.text.push_str(&text.replace('\\', "\\\\").replace('"', "\\\""));
    }

    fn value(&mut self, expr: &Expr, surroundings: Level) {
        let is_enclosed = level(expr) < surroundings;
        self.put(if is_enclosed { "(" } else { "" });
        match &expr.kind {
            ExprKind::Const(value) => self.put(if *value { "true" } else { "false" }),
            ExprKind::Unknown => self.put("*"),
            ExprKind::New => self.put("new"),
            ExprKind::Number(number) => self.put(&number.to_string()),
            ExprKind::Fact(fact) => self.fact(fact),
            ExprKind::Meta(meta) => self.meta(*meta),
            ExprKind::Is(left, right) => {
                self.meta(*left);
                self.put(" is ");
                self.meta(*right);
            }
            ExprKind::Not(operand) => {
                self.put("!");
                self.value(operand, Level::Tightest);
            }
            ExprKind::Junction(junction, operands) => {
                let (sign, level) = match junction {
                    Junction::Or => (" | ", Level::And),
                    Junction::And => (" & ", Level::Comparison),
                };
                for (row, operand) in operands.iter().enumerate() {
                    self.put(if row == 0 { "" } else { sign });
                    self.value(operand, level);
                }
            }
            ExprKind::Implies(left, right) => self.binary(left, " -> ", right, [Level::Or, Level::Loosest]),
            ExprKind::Compare(left, Comparison::Equal, right) => self.binary(left, " = ", right, [Level::Sum; 2]),
            ExprKind::Compare(left, op, right) => {
                self.binary(left, &format!(" {} ", op.text()), right, [Level::Sum; 2]);
            }
            ExprKind::Sum(left, sign, right) => {
                let sign = if *sign == Sign::Plus { " + " } else { " - " };
                self.binary(left, sign, right, [Level::Sum, Level::Operand]);
            }
            ExprKind::Over(junction, body, binder) => {
                self.put(if *junction == Junction::Or { "any " } else { "all " });
                self.value(body, Level::Loosest);
                self.binders(std::slice::from_ref(binder));
            }
        }
        self.put(if is_enclosed { ")" } else { "" });
    }

    fn binary(&mut self, left: &Expr, sign: &str, right: &Expr, levels: [Level; 2]) {
        self.value(left, levels[0]);
        self.put(sign);
        self.value(right, levels[1]);
    }
}

/// How tightly a value holds together.
fn level(expr: &Expr) -> Level {
    match expr.kind {
        // What stands after a set could be taken for a part of the value around it.
        ExprKind::Implies(..) | ExprKind::Over(..) => Level::Loosest,
        ExprKind::Junction(Junction::Or, _) => Level::Or,
        ExprKind::Junction(Junction::And, _) => Level::And,
        ExprKind::Compare(..) => Level::Comparison,
        ExprKind::Sum(..) => Level::Sum,
        ExprKind::Is(..) => Level::Operand,
        _ => Level::Tightest,
    }
}
