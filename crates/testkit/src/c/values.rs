//! The text of expressions.

use super::model::{Choice, Condition, Number, Spelling, Value};
use super::scope::{Class, Region, Slot};

/// Whether an expression may dereference a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dereferences {
    Allowed,
    Forbidden,
}

/// A place whose indexes are chosen.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) text: String,
    pub(crate) spelling: Spelling,
    pub(crate) class: Class,
    pub(crate) content: Region,
    /// The pointer that is dereferenced.
    pub(crate) base: Option<String>,
}

/// The text of a pointer and what it may point to.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) region: Region,
    /// The pointer that is dereferenced.
    pub(crate) base: Option<String>,
}

/// What is there to make expressions of.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) slots: Vec<Slot>,
    /// How many loops with counters are around.
    pub(crate) counters: usize,
}

impl Names {
    /// One of the places with the property.
    pub(crate) fn pick(&self, choice: Choice, is_fit: impl Fn(&Slot) -> bool) -> Option<Place> {
        let slot = self.choose(choice, is_fit)?;
        let index = |text: &str| text.replace('@', &self.index(choice));
        Some(Place {
            text: index(&slot.text),
            spelling: slot.spelling,
            class: slot.class,
            content: slot.content,
            base: slot.base.as_deref().map(index),
        })
    }

    fn choose(&self, choice: Choice, is_fit: impl Fn(&Slot) -> bool) -> Option<&Slot> {
        let fitting: Vec<&Slot> = self.slots.iter().filter(|slot| is_fit(slot)).collect();
        fitting.get(choice % fitting.len().max(1)).copied()
    }

    /// A number that can be read without a dereference.
    pub(crate) fn number(&self, choice: Choice) -> Option<String> {
        self.pick(choice, |slot| slot.class == Class::Number && slot.base.is_none()).map(|place| place.text)
    }

    /// An index below three.
    fn index(&self, choice: Choice) -> String {
        let number = self.slots.iter().find(|slot| slot.class == Class::Number && slot.base.is_none());
        match (choice / 3 % 5, self.counters, number) {
            (constant @ 0..=2, _, _) => constant.to_string(),
            (_, counters @ 1.., _) => format!("i{}", counters - 1),
            (_, 0, Some(number)) => format!("(unsigned)({}) % 3", number.text),
            (_, 0, None) => "0".to_string(),
        }
    }

    /// A pointer of a class, to what is in the region.
    pub(crate) fn value(&self, class: Class, value: &Value, limit: Region, dereferences: Dereferences) -> Written {
        let null = || Written { text: "0".to_string(), region: Region::Long, base: None };
        match value {
            Value::Null => null(),
            Value::Address(choice) => self.address(class, *choice, limit).unwrap_or_else(null),
            Value::Copy(choice) => self.copy(class, *choice, limit, dereferences).unwrap_or_else(null),
            Value::Through(spelling, inner) => {
                let inner = self.value(class, inner, limit, dereferences);
                let way = match spelling {
                    Spelling::Int => "",
                    Spelling::Void => "(void *)",
                    Spelling::Long => "(long)",
                };
                Written { text: format!("({}){way}({})", type_name(class), inner.text), ..inner }
            }
            Value::Either(condition, two) => {
                let [yes, no] = two.each_ref().map(|value| self.value(class, value, limit, Dereferences::Forbidden));
                let (condition, ty) = (self.condition(condition), type_name(class));
                let text = format!("({condition} ? ({ty}){} : ({ty}){})", yes.text, no.text);
                Written { text, region: yes.region.max(no.region), base: None }
            }
        }
    }

    fn address(&self, class: Class, choice: Choice, limit: Region) -> Option<Written> {
        let slot = self.choose(choice, |slot| {
            slot.address.is_some() && slot.location <= limit && {
                match class {
                    Class::Pointer => slot.class == Class::Number,
                    Class::Chain(inner) => slot.class == Class::Pointer && slot.content == inner,
                    Class::Link => slot.class == Class::Record,
                    Class::Number | Class::Record | Class::Callback(_) => false,
                }
            }
        })?;
        let address = slot.address.as_ref()?;
        let text = match &slot.guard {
            Some(guard) => format!("({guard} ? {address} : 0)"),
            None => address.clone(),
        };
        Some(Written { text: text.replace('@', &self.index(choice)), region: slot.location, base: None })
    }

    fn copy(&self, class: Class, choice: Choice, limit: Region, dereferences: Dereferences) -> Option<Written> {
        let place = self.pick(choice, |slot| {
            let is_plain = slot.base.is_none() || dereferences == Dereferences::Allowed;
            slot.class == class && slot.content <= limit && is_plain
        })?;
        let text = if place.spelling == Spelling::Long { format!("(int *){}", place.text) } else { place.text };
        Some(Written { text, region: place.content, base: place.base })
    }

    /// Any pointer in a variable.
    fn held(&self, choice: Choice) -> Option<Place> {
        let is_pointer = |class| matches!(class, Class::Pointer | Class::Link | Class::Chain(_));
        self.pick(choice, |slot| is_pointer(slot.class) && slot.base.is_none())
    }

    /// A condition, in parentheses where it has parts.
    pub(crate) fn condition(&self, condition: &Condition) -> String {
        let nondet = || "nondet_int()".to_string();
        match condition {
            Condition::Nondet => nondet(),
            Condition::Flag(choice) => self.number(*choice).unwrap_or_else(nondet),
            Condition::Less(choice, bound) => {
                self.number(*choice).map_or_else(nondet, |number| format!("({number} < {})", bound % 4))
            }
            Condition::Null(choice, form) => {
                let Some(Place { text, .. }) = self.held(*choice) else { return nondet() };
                match form % 4 {
                    0 => text,
                    1 => format!("!{text}"),
                    2 => format!("({text} == 0)"),
                    _ => format!("({text} != 0)"),
                }
            }
            Condition::Same(one, other) => {
                let Some(one) = self.held(*one) else { return nondet() };
                let same =
                    |slot: &Slot| slot.class == one.class && slot.spelling == one.spelling && slot.base.is_none();
                let other = self.pick(*other, same).map_or_else(|| "0".to_string(), |place| place.text);
                format!("({} == {other})", one.text)
            }
            Condition::Peek(choice, value) => {
                let is_behind = |slot: &Slot| slot.class == Class::Number && slot.base.is_some();
                let Some(place) = self.pick(*choice, is_behind) else { return nondet() };
                match place.base.filter(|_| !choice.is_multiple_of(8)) {
                    Some(base) => format!("({base} && {} == {})", place.text, value % 3),
                    None => format!("({} == {})", place.text, value % 3),
                }
            }
            Condition::Both(two) => format!("({} && {})", self.condition(&two[0]), self.condition(&two[1])),
            Condition::OneOf(two) => format!("({} || {})", self.condition(&two[0]), self.condition(&two[1])),
        }
    }

    /// A number to be stored to `target`.
    pub(crate) fn computed(&self, number: &Number, target: &str) -> String {
        let zero = || "0".to_string();
        match number {
            Number::Constant(value) => (value % 4).to_string(),
            Number::Copy(choice) => self.number(*choice).unwrap_or_else(zero),
            Number::Nondet => "nondet_int()".to_string(),
            Number::IsSet(choice) => self.held(*choice).map_or_else(zero, |place| format!("{} != 0", place.text)),
            Number::Next => format!("{target} < 3 ? {target} + 1 : 0"),
        }
    }
}

/// The type of pointers of a class.
pub(crate) fn type_name(class: Class) -> &'static str {
    match class {
        Class::Chain(_) => "int **",
        Class::Link => "struct record *",
        Class::Pointer | Class::Number | Class::Record | Class::Callback(_) => "int *",
    }
}
