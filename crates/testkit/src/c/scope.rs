//! What can be named at a point of a function: variables, their parts, and what their pointers point to.
//!
//! No pointer outlives what it points to, by construction: every place has a [`Region`] that bounds what is stored to
//! it. A place in which a pointer of one region is kept is pointed to only by pointers to such places, or a write
//! through the pointer could smuggle the address of a local out of its function.

use super::model::{Content, Kind, Signature, Spelling, Storage, Variable};

/// How long something lives; what lives longer is less.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Region {
    /// As long as the program: globals, statics, and blocks that are never freed.
    Long,
    /// At least until the function returns: what callers pass.
    Caller,
    /// Until the function returns.
    Own,
}

/// What a place holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Number,
    Pointer,
    /// A pointer to a pointer whose region this is.
    Chain(Region),
    Record,
    Link,
    Callback(Signature),
}

/// Something that can be read and written. In its texts, `@` is an index below three.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) text: String,
    pub(crate) class: Class,
    pub(crate) spelling: Spelling,
    /// What pointers in it may point to.
    pub(crate) content: Region,
    /// How long the place itself lives.
    pub(crate) location: Region,
    /// An expression for a pointer to it, where such pointers are allowed.
    pub(crate) address: Option<String>,
    /// The pointer that has to be there for the address to be.
    pub(crate) guard: Option<String>,
    /// The pointer that is dereferenced.
    pub(crate) base: Option<String>,
}

impl Slot {
    fn new(text: String, class: Class, content: Region, location: Region) -> Self {
        let address = Some(format!("&{text}"));
        Self { text, class, spelling: Spelling::Int, content, location, address, guard: None, base: None }
    }

    /// A place behind the pointer `base`.
    fn behind(base: &str, text: String, class: Class, content: Region) -> Self {
        let base = Some(base.to_string());
        Self { address: None, base, ..Self::new(text, class, content, Region::Own) }
    }

    /// The field of a record behind the pointer `base`, which points into `location`.
    fn field(base: &str, name: &str, class: Class, location: Region) -> Self {
        let text = format!("{base}->{name}");
        let guard = Some(base.to_string());
        Self { guard: guard.clone(), base: guard, ..Self::new(text, class, Region::Long, location) }
    }

    fn without_address(self) -> Self {
        Self { address: None, ..self }
    }

    fn spelled(self, spelling: Spelling) -> Self {
        let address = self.address.filter(|_| spelling == Spelling::Int);
        Self { spelling, address, ..self }
    }

    /// Whether its address is a constant.
    pub(crate) fn is_constant(&self) -> bool {
        self.location == Region::Long && self.guard.is_none() && self.address.is_some()
    }
}

/// The places that come with a variable of this name.
pub(crate) fn slots(name: &str, variable: &Variable, scope: Scope) -> Vec<Slot> {
    let is_long = scope == Scope::Global || variable.storage == Storage::Static;
    let location = if is_long { Region::Long } else { Region::Own };
    let content = if is_long || variable.content == Content::Long { Region::Long } else { Region::Own };
    match variable.kind {
        Kind::Number => vec![Slot::new(name.to_string(), Class::Number, content, location)],
        Kind::Pointer(spelling) => pointer(name, spelling, content, location),
        Kind::Chain => chain(name, content, location, location),
        Kind::Record => record(name, content, location),
        Kind::Link => link(name, content, location),
        Kind::Pointers => pointer(&format!("{name}[@]"), Spelling::Int, content, location),
        Kind::Links => link(&format!("{name}[@]"), content, location),
        Kind::Union => {
            let number = Slot::new(format!("{name}.n"), Class::Pointer, content, location).spelled(Spelling::Long);
            let mut slots = pointer(&format!("{name}.p"), Spelling::Int, content, location);
            slots.push(number);
            slots
        }
        Kind::Callback(signature) => {
            vec![Slot::new(name.to_string(), Class::Callback(signature), content, location)]
        }
        Kind::Callbacks(signature) => {
            vec![Slot::new(format!("{name}[@]"), Class::Callback(signature), content, location)]
        }
    }
}

/// Where a variable is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    Global,
    Local,
}

/// The places that come with the parameters of a function.
pub(crate) fn parameters(signature: Signature) -> Vec<Slot> {
    let of_pointer = |name| pointer(name, Spelling::Int, Region::Caller, Region::Own);
    match signature {
        Signature::Picks => [of_pointer("a"), of_pointer("b")].concat(),
        Signature::Gets => {
            let number = Slot::new("n".to_string(), Class::Number, Region::Long, Region::Own);
            [chain("out", Region::Long, Region::Caller, Region::Own), vec![number]].concat()
        }
        Signature::Acts => [link("r", Region::Caller, Region::Own), of_pointer("q")].concat(),
    }
}

fn pointer(text: &str, spelling: Spelling, content: Region, location: Region) -> Vec<Slot> {
    let number = |text: String| Slot::behind(&text, format!("*{text}"), Class::Number, Region::Long);
    let mut slots = vec![Slot::new(text.to_string(), Class::Pointer, content, location).spelled(spelling)];
    if spelling == Spelling::Int {
        slots.push(number(text.to_string()));
        slots.push(Slot::behind(text, format!("{text}[0]"), Class::Number, Region::Long));
    } else {
        slots.push(number(format!("(int *){text}")));
    }
    slots
}

/// A pointer, to places of `content`, to pointers into `inner`.
fn chain(text: &str, inner: Region, content: Region, location: Region) -> Vec<Slot> {
    vec![
        Slot::new(text.to_string(), Class::Chain(inner), content, location).without_address(),
        Slot::behind(text, format!("*{text}"), Class::Pointer, inner),
        Slot::behind(text, format!("{text}[0]"), Class::Pointer, inner),
        Slot::behind(text, format!("**{text}"), Class::Number, Region::Long),
    ]
}

fn record(name: &str, content: Region, location: Region) -> Vec<Slot> {
    let whole = Slot::new(name.to_string(), Class::Record, content, location);
    // Behind a pointer to a record, pointers are long: a record with others is not pointed to.
    let whole = if content == Region::Long { whole } else { whole.without_address() };
    let mut slots = vec![whole];
    slots.extend(pointer(&format!("{name}.f"), Spelling::Int, content, location));
    slots.extend(pointer(&format!("{name}.g"), Spelling::Int, content, location));
    slots.push(Slot::new(format!("{name}.n"), Class::Number, content, location));
    slots.extend(link(&format!("{name}.next"), content, location));
    slots
}

fn link(text: &str, content: Region, location: Region) -> Vec<Slot> {
    vec![
        Slot::new(text.to_string(), Class::Link, content, location).without_address(),
        Slot::behind(text, format!("*{text}"), Class::Record, Region::Long),
        Slot::field(text, "f", Class::Pointer, content),
        Slot::field(text, "g", Class::Pointer, content),
        Slot::field(text, "n", Class::Number, content),
        Slot::field(text, "next", Class::Link, content).without_address(),
        Slot::behind(text, format!("*{text}->f"), Class::Number, Region::Long),
    ]
}
