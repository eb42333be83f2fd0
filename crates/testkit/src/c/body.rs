//! The text of the body of a function.

use super::model::{
    Allocation, Arm, ArmEnd, Callee, Choice, Condition, Copying, Function, Guard, Number, Program, Signature, Spelling,
    Statement, Value,
};
use super::render::{callback, function_name};
use super::scope::{Class, Region, Slot};
use super::values::{Dereferences, Names, Place, Written};

/// How far the clean-up at the end is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cleanup {
    /// Nothing goes to it, so far.
    Unused,
    /// Something goes to it.
    Used,
    /// It is being written; going back to it might never end.
    Started,
}

/// Whether there is something between braces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Inside {
    Nothing,
    Lines,
}

/// A body that is being written.
pub(crate) struct Body<'p> {
    program: &'p Program,
    names: Names,
    /// The function's place in the program.
    place: usize,
    function: &'p Function,
    text: String,
    indent: usize,
    most_counters: usize,
    cleanup: Cleanup,
}

impl<'p> Body<'p> {
    /// The body of the function at a place.
    pub(crate) fn of(program: &'p Program, names: Names, place: usize, function: &'p Function) -> Self {
        let text = String::new();
        let mut body =
            Self { program, names, place, function, text, indent: 1, most_counters: 0, cleanup: Cleanup::Unused };
        body.block(&function.body);
        if body.cleanup == Cleanup::Used {
            body.cleanup = Cleanup::Started;
            body.line("cleanup: ;");
            body.block(&function.cleanup);
        }
        body.leave(&function.result);
        body
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How many counters of loops there are to be declared.
    pub(crate) fn counters(&self) -> usize {
        self.most_counters
    }

    fn line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.text += "    ";
        }
        self.text += line;
        self.text.push('\n');
    }

    /// Lines between braces, after a head.
    fn braces(&mut self, head: &str, inside: impl FnOnce(&mut Self)) -> Inside {
        let space = if head.is_empty() { "" } else { " " };
        self.line(&format!("{head}{space}{{"));
        self.indent += 1;
        let before = self.text.len();
        inside(self);
        let is_empty = self.text.len() == before;
        self.indent -= 1;
        self.line("}");
        if is_empty { Inside::Nothing } else { Inside::Lines }
    }

    /// A line that is reached if the condition holds.
    fn guarded(&mut self, condition: Option<&str>, line: &str) {
        match condition {
            Some(condition) => {
                self.line(&format!("if ({condition})"));
                self.indent += 1;
                self.line(line);
                self.indent -= 1;
            }
            None => self.line(line),
        }
    }

    fn block(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Plain(inside) => self.block(inside),
            Statement::If(condition, yes, no) => self.branch(condition, yes, no),
            Statement::For(count, inside) => self.repeat(*count, inside),
            Statement::While(condition, inside) => {
                let condition = self.names.condition(condition);
                self.braces(&format!("while (fuel > 0 && {condition})"), |body| {
                    body.line("fuel--;");
                    body.block(inside);
                });
            }
            Statement::Switch(on, arms) => self.switch(*on, arms),
            Statement::Break if self.names.counters == 0 => {}
            Statement::Break => self.line("break;"),
            Statement::Cleanup => {
                if let Some(line) = self.go_to_cleanup() {
                    self.line(line);
                }
            }
            Statement::OwnerList { count, uses } => self.owner_list(*count, *uses),
            Statement::Owner { pointer, uses } => self.owner(*pointer, *uses),
            statement => {
                // Where there is nothing to choose from, nothing is written.
                let _is_written = self.simple(statement).is_some();
            }
        }
    }

    fn simple(&mut self, statement: &Statement) -> Option<()> {
        match statement {
            Statement::Pointer(target, value) => self.assign(*target, value, |class| class == Class::Pointer),
            Statement::Link(target, value) => self.assign(*target, value, |class| class == Class::Link),
            Statement::Chain(target, value) => self.assign(*target, value, |class| matches!(class, Class::Chain(_))),
            Statement::Number(target, number) => self.number(*target, number),
            Statement::Callback(target, function) => self.callback(*target, *function),
            Statement::Load(to, from, guard) => self.load(*to, *from, *guard),
            Statement::Store(to, value, guard) => self.store(*to, *value, *guard),
            Statement::CopyRecord(to, from, copying) => self.copy_record(*to, *from, *copying),
            Statement::CopyPointer(to, from) => self.copy_pointer(*to, *from),
            Statement::Correlate { pointer, flag, value } => self.correlate(*pointer, *flag, value),
            Statement::Call { callee, values, number, target } => self.call(*callee, values, *number, *target),
            Statement::Deliver(value) => self.deliver(value),
            Statement::Ask { callee, pointer, number } => self.ask(*callee, *pointer, *number),
            Statement::Allocate(to, how) => self.allocate(*to, *how, Class::Pointer),
            Statement::AllocateRecord(to, how) => self.allocate(*to, *how, Class::Link),
            Statement::Build(to, count) => self.build(*to, *count),
            Statement::Walk(from, uses) => self.walk(*from, *uses),
            Statement::Return(value) => self.leave(value),
            Statement::Insist(pointer) => {
                let condition = self.names.condition(&Condition::Null(*pointer, 1));
                self.guarded(Some(&condition), "exit(3);");
                Some(())
            }
            Statement::Plain(_)
            | Statement::If(..)
            | Statement::For(..)
            | Statement::While(..)
            | Statement::Switch(..)
            | Statement::Break
            | Statement::Cleanup
            | Statement::OwnerList { .. }
            | Statement::Owner { .. } => unreachable!("they choose from nothing"),
        }
    }

    /// The way to the clean-up, where that is yet to come.
    fn go_to_cleanup(&mut self) -> Option<&'static str> {
        if self.cleanup == Cleanup::Started {
            return None;
        }
        self.cleanup = Cleanup::Used;
        Some("goto cleanup;")
    }

    fn counted(&mut self, count: usize, inside: impl FnOnce(&mut Self, &str)) {
        let counter = format!("i{}", self.names.counters);
        self.names.counters += 1;
        self.most_counters = self.most_counters.max(self.names.counters);
        let head = format!("for ({counter} = 0; {counter} < {count}; {counter}++)");
        self.braces(&head, |body| inside(body, &counter));
        self.names.counters -= 1;
    }

    /// A loop with a counter, in several spellings.
    fn repeat(&mut self, count: Choice, inside: &[Statement]) {
        let counter = format!("i{}", self.names.counters);
        let bound = count % 3 + 1;
        match count / 3 % 3 {
            0 => self.counted(bound, |body, _| body.block(inside)),
            form => {
                self.line(&format!("{counter} = 0;"));
                self.names.counters += 1;
                self.most_counters = self.most_counters.max(self.names.counters);
                let head = if form == 1 { format!("while ({counter} < {bound})") } else { "do".to_string() };
                self.braces(&head, |body| {
                    body.block(inside);
                    body.line(&format!("{counter}++;"));
                });
                if form == 2 {
                    self.line(&format!("while ({counter} < {bound});"));
                }
                self.names.counters -= 1;
            }
        }
    }

    fn branch(&mut self, condition: &Condition, yes: &[Statement], no: &[Statement]) {
        let condition = self.names.condition(condition);
        let before = self.text.len();
        let is_there = self.braces(&format!("if ({condition})"), |body| body.block(yes));
        let beside = self.text.len();
        let is_other = self.braces("else", |body| body.block(no));
        match (is_there, is_other) {
            // Compilers leave out the condition, too, and its null pointer with it.
            (Inside::Nothing, Inside::Nothing) => self.text.truncate(before),
            (Inside::Lines, Inside::Nothing) => self.text.truncate(beside),
            (_, Inside::Lines) => {}
        }
    }

    fn switch(&mut self, on: Choice, arms: &[Arm]) {
        let number = self.names.number(on / 2).filter(|_| on % 2 == 1);
        let number = number.unwrap_or_else(|| "nondet_int() & 3".to_string());
        self.braces(&format!("switch ({number})"), |body| {
            for (place, arm) in arms.iter().enumerate() {
                let is_default = place + 1 == arms.len() && !on.is_multiple_of(3);
                body.line(&if is_default { "default:".to_string() } else { format!("case {place}:") });
                body.indent += 1;
                body.block(&arm.body);
                body.line(if arm.end == ArmEnd::Break { "break;" } else { ";" });
                body.indent -= 1;
            }
        });
    }

    /// Returns from the function.
    fn leave(&mut self, value: &Value) -> Option<()> {
        let line = match self.function.signature {
            _ if self.place == 0 => "return checksum();".to_string(),
            Signature::Picks => {
                let value = self.names.value(Class::Pointer, value, Region::Caller, Dereferences::Forbidden);
                format!("return {};", value.text)
            }
            Signature::Gets => {
                let number = choice_of(value).and_then(|choice| self.names.number(choice));
                format!("return {};", number.as_deref().unwrap_or("0"))
            }
            Signature::Acts => "return;".to_string(),
        };
        self.line(&line);
        Some(())
    }

    fn assign(&mut self, target: Choice, value: &Value, is_fit: impl Fn(Class) -> bool) -> Option<()> {
        let target_place = self.names.pick(target, |slot| is_fit(slot.class))?;
        let dereferences = if target_place.base.is_some() { Dereferences::Forbidden } else { Dereferences::Allowed };
        let value = self.names.value(target_place.class, value, target_place.content, dereferences);
        let base = target_place.base.clone().or(value.base.clone());
        // A few go without: null pointers are to be met.
        let condition = base.filter(|_| !target.is_multiple_of(8));
        self.guarded(condition.as_deref(), &assignment(&target_place, &value));
        Some(())
    }

    fn number(&mut self, target: Choice, number: &Number) -> Option<()> {
        let target = self.names.number(target)?;
        let value = self.names.computed(number, &target);
        self.line(&format!("{target} = {value};"));
        Some(())
    }

    fn callback(&mut self, target: Choice, function: Choice) -> Option<()> {
        let target = self.names.pick(target, |slot| matches!(slot.class, Class::Callback(_)))?;
        let Class::Callback(signature) = target.class else { return None };
        self.line(&format!("{} = {};", target.text, callback(self.program, signature, function)));
        Some(())
    }

    fn condition_of(&self, guard: Guard, base: Option<String>) -> Option<String> {
        match guard {
            Guard::Nothing => None,
            Guard::Pointer => base,
            Guard::Flag(flag) => self.names.number(flag),
        }
    }

    fn load(&mut self, to: Choice, from: Choice, guard: Guard) -> Option<()> {
        let to = self.names.number(to)?;
        let from = self.names.pick(from, |slot| slot.class == Class::Number && slot.base.is_some())?;
        let condition = self.condition_of(guard, from.base);
        self.guarded(condition.as_deref(), &format!("{to} = {};", from.text));
        Some(())
    }

    fn store(&mut self, to: Choice, value: Choice, guard: Guard) -> Option<()> {
        let to = self.names.pick(to, |slot| slot.class == Class::Number && slot.base.is_some())?;
        let number = self.names.number(value / 2).filter(|_| value % 2 == 1);
        let number = number.unwrap_or_else(|| (value / 2 % 4).to_string());
        let condition = self.condition_of(guard, to.base);
        self.guarded(condition.as_deref(), &format!("{} = {number};", to.text));
        Some(())
    }

    fn copy_record(&mut self, to: Choice, from: Choice, copying: Copying) -> Option<()> {
        let to_place = self.names.pick(to, |slot| slot.class == Class::Record)?;
        let condition = to_place.base.clone().filter(|_| !to.is_multiple_of(8));
        if copying == Copying::Zeros {
            let line = format!("memset({}, 0, sizeof(struct record));", pointer_to(&to_place.text));
            self.guarded(condition.as_deref(), &line);
            return Some(());
        }
        let from = self.names.pick(from, |slot| {
            let is_one = slot.base.is_none() || to_place.base.is_none();
            slot.class == Class::Record && slot.content <= to_place.content && is_one
        })?;
        let condition = condition.or(from.base.clone().filter(|_| !to.is_multiple_of(8)));
        if copying == Copying::Assignment {
            self.guarded(condition.as_deref(), &format!("{} = {};", to_place.text, from.text));
            return Some(());
        }
        let (to, from) = (pointer_to(&to_place.text), pointer_to(&from.text));
        // Between objects that overlap, there is no such copy.
        let condition = condition.map_or_else(String::new, |condition| format!("{condition} && "));
        let condition = format!("{condition}{to} != {from}");
        self.guarded(Some(&condition), &format!("memcpy({to}, {from}, sizeof(struct record));"));
        Some(())
    }

    fn copy_pointer(&mut self, to: Choice, from: Choice) -> Option<()> {
        let is_variable = |slot: &Slot| {
            let is_plain = slot.base.is_none() && slot.spelling == Spelling::Int && !slot.text.contains('@');
            slot.class == Class::Pointer && is_plain
        };
        let to = self.names.pick(to, is_variable)?;
        let from =
            self.names.pick(from, |slot| is_variable(slot) && slot.content <= to.content && slot.text != to.text)?;
        self.line(&format!("memcpy(&{}, &{}, sizeof(int *));", to.text, from.text));
        Some(())
    }

    fn correlate(&mut self, pointer: Choice, flag: Choice, value: &Value) -> Option<()> {
        let pointer = self
            .names
            .pick(pointer, |slot| matches!(slot.class, Class::Pointer | Class::Link) && slot.base.is_none())?;
        let flag = self.names.number(flag)?;
        let value = self.names.value(pointer.class, value, pointer.content, Dereferences::Forbidden);
        let null = Written { text: "0".to_string(), region: Region::Long, base: None };
        self.braces("if (nondet_int())", |body| {
            body.line(&assignment(&pointer, &value));
            body.line(&format!("{flag} = 1;"));
        });
        self.braces("else", |body| {
            body.line(&assignment(&pointer, &null));
            body.line(&format!("{flag} = 0;"));
        });
        Some(())
    }

    fn call(&mut self, callee: Callee, values: &[Value; 2], number: Choice, target: Choice) -> Option<()> {
        let (name, signature, condition) = self.callee(callee)?;
        let write = |class, value| self.names.value(class, value, Region::Own, Dereferences::Forbidden);
        let number = self.names.number(number).unwrap_or_else(|| "0".to_string());
        let line = match signature {
            Signature::Picks => {
                let [one, two] = values.each_ref().map(|value| write(Class::Pointer, value));
                let region = one.region.max(two.region);
                // What is returned lives as long as what was passed.
                let is_fit =
                    |slot: &Slot| slot.class == Class::Pointer && slot.content >= region && slot.base.is_none();
                let result = Written { text: format!("{name}({}, {})", one.text, two.text), region, base: None };
                match self.names.pick(target, is_fit) {
                    Some(place) if target.is_multiple_of(5) && place.spelling == Spelling::Int => {
                        let way = self.go_to_cleanup().unwrap_or(";");
                        format!("if (!({} = {})) {way}", place.text, result.text)
                    }
                    Some(place) => assignment(&place, &result),
                    None => format!("{};", result.text),
                }
            }
            Signature::Gets => {
                let out = write(Class::Chain(Region::Long), &values[0]);
                let target = self.names.number(target).map_or_else(String::new, |target| format!("{target} = "));
                format!("{target}{name}({}, {number});", out.text)
            }
            Signature::Acts => {
                let (record, pointer) = (write(Class::Link, &values[0]), write(Class::Pointer, &values[1]));
                format!("{name}({}, {});", record.text, pointer.text)
            }
        };
        if let Some(condition) = condition {
            self.braces(&format!("if ({condition})"), |body| {
                body.line("fuel--;");
                body.line(&line);
            });
        } else {
            self.line(&line);
        }
        Some(())
    }

    fn deliver(&mut self, value: &Value) -> Option<()> {
        if self.place == 0 || self.function.signature != Signature::Gets {
            return None;
        }
        let value = self.names.value(Class::Pointer, value, Region::Long, Dereferences::Forbidden);
        self.braces("if (out && nondet_int())", |body| {
            body.line(&format!("*out = {};", value.text));
            body.line("return 1;");
        });
        Some(())
    }

    fn ask(&mut self, callee: Choice, pointer: Choice, number: Choice) -> Option<()> {
        let later = self.place + 1..self.program.functions.len();
        let later = later.filter(|place| self.program.functions[*place].signature == Signature::Gets);
        let later: Vec<usize> = later.collect();
        let callee = later.get(callee % later.len().max(1))?;
        let pointer = self.names.pick(pointer, |slot| {
            let is_given = slot.address.is_some() && slot.base.is_none();
            slot.class == Class::Pointer && slot.content == Region::Long && is_given
        })?;
        let number = self.names.number(number)?;
        let condition = format!("{}(&{}, {number})", function_name(*callee), pointer.text);
        self.guarded(Some(&condition), &format!("{number} = *{};", pointer.text));
        Some(())
    }

    /// The name and signature of what is called, and on which condition it may be.
    fn callee(&self, callee: Callee) -> Option<(String, Signature, Option<String>)> {
        let functions = &self.program.functions;
        match callee {
            Callee::Later(choice) => {
                let later = functions.len() - self.place - 1;
                let place = self.place + 1 + choice % Some(later).filter(|later| *later > 0)?;
                Some((function_name(place), functions[place].signature, None))
            }
            Callee::Any(choice) => {
                let place = 1 + choice % Some(functions.len() - 1).filter(|others| *others > 0)?;
                let condition = if choice % 2 == 0 { "fuel > 0" } else { "fuel > 0 && nondet_int()" };
                Some((function_name(place), functions[place].signature, Some(condition.to_string())))
            }
            Callee::Callback(choice) => {
                let slot = self.names.pick(choice, |slot| matches!(slot.class, Class::Callback(_)))?;
                let Class::Callback(signature) = slot.class else { return None };
                let condition = Some(format!("{} && fuel > 0", slot.text));
                Some((slot.text, signature, condition))
            }
        }
    }

    fn allocate(&mut self, to: Choice, how: Allocation, class: Class) -> Option<()> {
        let to =
            self.names.pick(to, |slot| slot.class == class && slot.base.is_none() && slot.spelling == Spelling::Int)?;
        let (to, is_record) = (to.text, class == Class::Link);
        let (size, maker) =
            if is_record { ("sizeof(struct record)", "new_record") } else { ("sizeof(int)", "new_number") };
        match how {
            Allocation::Checked => {
                self.line(&format!("{to} = malloc({size});"));
                let line = if is_record { format!("memset({to}, 0, {size});") } else { format!("*{to} = 0;") };
                self.guarded(Some(&to), &line);
            }
            Allocation::Zeroed => self.line(&format!("{to} = calloc(1, {size});")),
            Allocation::MayFail => self.line(&format!("{to} = {maker}();")),
        }
        Some(())
    }

    fn owner(&mut self, pointer: Choice, uses: Choice) {
        let pointer = self.names.pick(pointer, |slot| {
            slot.class == Class::Pointer && slot.base.is_none() && slot.spelling == Spelling::Int
        });
        let pointer = pointer.filter(|_| uses % 2 == 1);
        let later = self.place + 1..self.program.functions.len();
        let mut later = later.filter(|place| self.program.functions[*place].signature == Signature::Picks);
        let callee = later.next().filter(|_| uses / 2 % 2 == 1);
        self.braces("", |body| {
            body.line("int *own = malloc(sizeof(int));");
            body.guarded(Some("own"), "*own = 1;");
            if let Some(callee) = callee {
                // The result is dropped: it may be `own`, which is freed.
                body.guarded(Some("own"), &format!("{}(own, 0);", function_name(callee)));
            }
            if let Some(Place { text, .. }) = &pointer {
                body.line(&format!("{text} = own;"));
                body.guarded(Some(text), &format!("*{text} = 2;"));
                body.line(&format!("{text} = 0;"));
            }
            body.line("free(own);");
        });
    }

    fn owner_list(&mut self, count: Choice, uses: Choice) {
        let number = self.names.number(uses).filter(|_| uses % 2 == 1);
        self.braces("", |body| {
            body.line("struct record *list = 0;");
            body.counted(count % 3 + 1, |body, counter| {
                body.line("struct record *item = calloc(1, sizeof(struct record));");
                body.guarded(Some("item"), "item->next = list;");
                body.guarded(Some("item"), &format!("item->n = {counter};"));
                // Without asking, the list of a failed allocation is lost, but never used after it was freed.
                body.guarded(Some("item").filter(|_| count % 2 == 1), "list = item;");
            });
            if let Some(number) = number {
                body.guarded(Some("list").filter(|_| !uses.is_multiple_of(5)), &format!("{number} = list->n;"));
            }
            body.braces("while (list)", |body| {
                body.line("struct record *item = list;");
                body.line("list = list->next;");
                body.line("free(item);");
            });
        });
    }

    fn build(&mut self, to: Choice, count: Choice) -> Option<()> {
        let list = self
            .names
            .pick(to, |slot| slot.class == Class::Link && slot.base.is_none() && slot.content == Region::Long)?;
        let item = Value::Address(count);
        let held = self.names.value(Class::Pointer, &item, Region::Long, Dereferences::Forbidden).text;
        let list = list.text;
        self.counted(count % 3 + 1, |body, counter| {
            body.line("struct record *item = calloc(1, sizeof(struct record));");
            body.guarded(Some("!item"), "break;");
            body.line(&format!("item->n = {counter};"));
            body.line(&format!("item->f = {held};"));
            body.line(&format!("item->next = {list};"));
            body.line(&format!("{list} = item;"));
        });
        Some(())
    }

    fn walk(&mut self, from: Choice, uses: Choice) -> Option<()> {
        let list = self.names.pick(from, |slot| slot.class == Class::Link && slot.base.is_none())?;
        let number = self.names.number(uses / 4);
        self.braces("", |body| {
            body.line(&format!("struct record *item = {};", list.text));
            body.line("int *held;");
            body.braces("while (item && fuel > 0)", |body| {
                body.line("fuel--;");
                body.line("held = item->f;");
                body.guarded(Some("held").filter(|_| !uses.is_multiple_of(4)), "*held = 1;");
                if let Some(number) = number {
                    body.line(&format!("{number} = item->n;"));
                }
                body.line("item = item->next;");
            });
        });
        Some(())
    }
}

/// Stores to a place what fits its type.
fn assignment(target: &Place, value: &Written) -> String {
    let cast = if target.spelling == Spelling::Long { "(long)" } else { "" };
    if cast.is_empty() {
        format!("{} = {};", target.text, value.text)
    } else {
        format!("{} = {cast}({});", target.text, value.text)
    }
}

/// An expression for the address of a record.
fn pointer_to(record: &str) -> String {
    record.strip_prefix('*').map_or_else(|| format!("&{record}"), str::to_string)
}

fn choice_of(value: &Value) -> Option<Choice> {
    match value {
        Value::Null | Value::Through(..) | Value::Either(..) => None,
        Value::Address(choice) | Value::Copy(choice) => Some(*choice),
    }
}
