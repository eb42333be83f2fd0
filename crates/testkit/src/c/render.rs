//! From a program to its text: declarations here, bodies in [`super::body`].

use super::body::Body;
use super::model::{Choice, Function, Initial, Kind, Program, Signature, Spelling, Storage, Value, Variable};
use super::scope::{Class, Region, Scope, Slot, parameters, slots};
use super::values::{Dereferences, Names};

/// What programs may need, each with the word that says so.
const PARTS: [(&str, &str); 14] = [
    ("malloc(", "void *malloc(unsigned long);\n"),
    ("calloc(", "void *calloc(unsigned long, unsigned long);\n"),
    ("free(", "void free(void *);\n"),
    ("exit(", "void exit(int);\n"),
    ("memset(", "void *memset(void *, int, unsigned long);\n"),
    ("memcpy(", "void *memcpy(void *, const void *, unsigned long);\n"),
    ("nondet_int(", "int nondet_int(void);\n"),
    ("struct record", "struct record { int *f; int *g; int n; struct record *next; };\n"),
    ("union word", "union word { int *p; long n; };\n"),
    ("picker", "typedef int *(*picker)(int *, int *);\n"),
    ("getter", "typedef int (*getter)(int **, int);\n"),
    ("actor", "typedef void (*actor)(struct record *, int *);\n"),
    ("new_number(", NEW_NUMBER),
    ("new_record(", NEW_RECORD),
];

const NEW_NUMBER: &str = "\
static int *new_number(void) {
    if (nondet_int()) return 0;
    return calloc(1, sizeof(int));
}
";

const NEW_RECORD: &str = "\
static struct record *new_record(void) {
    if (nondet_int()) return 0;
    return calloc(1, sizeof(struct record));
}
";

pub(crate) fn render(program: &Program) -> String {
    // From the last part to the first, since the last ones need the others.
    PARTS.iter().rev().fold(
        declarations(program),
        |text, (word, part)| {
            if text.contains(word) { format!("{part}{text}") } else { text }
        },
    )
}

fn declarations(program: &Program) -> String {
    let mut text = "static int fuel = 40;\n".to_string();
    for (place, function) in program.functions.iter().enumerate().skip(1) {
        text += &format!("{};\n", header(function.signature, &function_name(place)));
    }
    let mut names = Names { slots: Vec::new(), counters: 0 };
    let mut numbers = Vec::new();
    for (place, variable) in program.globals.iter().enumerate() {
        let name = format!("g{}{place}", prefix(variable.kind));
        text += &declaration(program, &names, &name, variable, Scope::Global);
        numbers.extend(number_in(&name, variable.kind));
        names.slots.extend(slots(&name, variable, Scope::Global));
    }
    numbers.push("fuel".to_string());
    text += &format!("static int checksum(void) {{\n    return ({}) & 127;\n}}\n", numbers.join(" ^ "));
    for (place, function) in program.functions.iter().enumerate().rev() {
        text += &definition(program, &names, place, function);
    }
    text
}

/// The name of the function at a place.
pub(crate) fn function_name(place: usize) -> String {
    if place == 0 { "main".to_string() } else { format!("f{place}") }
}

fn number_in(name: &str, kind: Kind) -> Option<String> {
    match kind {
        Kind::Number => Some(name.to_string()),
        Kind::Record => Some(format!("{name}.n")),
        _ => None,
    }
}

fn header(signature: Signature, name: &str) -> String {
    match signature {
        Signature::Picks => format!("int *{name}(int *a, int *b)"),
        Signature::Gets => format!("int {name}(int **out, int n)"),
        Signature::Acts => format!("void {name}(struct record *r, int *q)"),
    }
}

fn prefix(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "x",
        Kind::Pointer(Spelling::Int) => "p",
        Kind::Pointer(Spelling::Void) => "v",
        Kind::Pointer(Spelling::Long) => "w",
        Kind::Chain => "pp",
        Kind::Record => "s",
        Kind::Link => "l",
        Kind::Pointers => "a",
        Kind::Links => "t",
        Kind::Union => "u",
        Kind::Callback(_) => "c",
        Kind::Callbacks(_) => "d",
    }
}

/// A declaration on a line; initial values use what is declared before.
fn declaration(program: &Program, names: &Names, name: &str, variable: &Variable, scope: Scope) -> String {
    let is_static = scope == Scope::Global || variable.storage == Storage::Static;
    let keyword = if scope == Scope::Local && is_static { "static " } else { "" };
    let own = slots(name, variable, scope);
    let first = own.first().expect("every variable has a place");
    let limit = if is_static { Region::Long } else { first.content };
    let constants =
        Names { slots: names.slots.iter().filter(|slot| slot.is_constant()).cloned().collect(), counters: 0 };
    let names = if is_static { &constants } else { names };
    let initial = match variable.initial {
        Initial::Value(choice) => format!(" = {}", initial(program, names, first, variable.kind, choice, limit)),
        Initial::Nothing if is_static || !matches!(variable.kind, Kind::Pointer(_) | Kind::Link | Kind::Chain) => {
            format!(" = {}", initial(program, names, first, variable.kind, 0, limit))
        }
        Initial::Nothing => String::new(),
    };
    let declared = match variable.kind {
        Kind::Number => format!("int {name}"),
        Kind::Pointer(Spelling::Int) => format!("int *{name}"),
        Kind::Pointer(Spelling::Void) => format!("void *{name}"),
        Kind::Pointer(Spelling::Long) => format!("long {name}"),
        Kind::Chain => format!("int **{name}"),
        Kind::Record => format!("struct record {name}"),
        Kind::Link => format!("struct record *{name}"),
        Kind::Pointers => format!("int *{name}[3]"),
        Kind::Links => format!("struct record *{name}[3]"),
        Kind::Union => format!("union word {name}"),
        Kind::Callback(signature) => format!("{} {name}", signature.type_name()),
        Kind::Callbacks(signature) => format!("{} {name}[3]", signature.type_name()),
    };
    format!("{keyword}{declared}{initial};\n")
}

fn initial(program: &Program, names: &Names, own: &Slot, kind: Kind, choice: Choice, limit: Region) -> String {
    let pointer = |class, choice: Choice| {
        let value = if choice.is_multiple_of(4) { Value::Null } else { Value::Address(choice / 4 % 9) };
        // Below nine, indexes are constants.
        names.value(class, &value, limit, Dereferences::Forbidden).text
    };
    let three = |class| [choice, choice / 2, choice + 1].map(|choice| pointer(class, choice)).join(", ");
    match kind {
        Kind::Number => (choice % 3).to_string(),
        Kind::Pointer(Spelling::Long) => format!("(long)({})", pointer(own.class, choice)),
        Kind::Pointer(_) | Kind::Chain | Kind::Link => pointer(own.class, choice),
        Kind::Record => {
            let [first, second] = [choice, choice + 1].map(|choice| pointer(Class::Pointer, choice));
            format!("{{ {first}, {second}, {}, {} }}", choice % 3, pointer(Class::Link, choice + 2))
        }
        Kind::Pointers => format!("{{ {} }}", three(Class::Pointer)),
        Kind::Links => format!("{{ {} }}", three(Class::Link)),
        Kind::Union => format!("{{ {} }}", pointer(Class::Pointer, choice)),
        Kind::Callback(signature) => callback(program, signature, choice),
        Kind::Callbacks(signature) => {
            let three = [choice, choice + 1, choice / 2].map(|choice| callback(program, signature, choice));
            format!("{{ {} }}", three.join(", "))
        }
    }
}

/// The name of a function with this signature, or null.
pub(crate) fn callback(program: &Program, signature: Signature, choice: Choice) -> String {
    let functions = program.functions.iter().enumerate().skip(1);
    let fitting: Vec<usize> =
        functions.filter(|(_, function)| function.signature == signature).map(|(place, _)| place).collect();
    match fitting.get(choice % (fitting.len() + 1)) {
        Some(place) => function_name(*place),
        None => "0".to_string(),
    }
}

fn definition(program: &Program, globals: &Names, place: usize, function: &Function) -> String {
    let mut text = if place == 0 {
        "int main(void) {\n".to_string()
    } else {
        format!("{} {{\n", header(function.signature, &function_name(place)))
    };
    let mut names = globals.clone();
    if place != 0 {
        // First, so that small numbers choose them.
        names.slots.splice(0..0, parameters(function.signature));
    }
    for (number, local) in function.locals.iter().enumerate() {
        let name = format!("{}{number}", prefix(local.kind));
        text += "    ";
        text += &declaration(program, &names, &name, local, Scope::Local);
        names.slots.splice(0..0, slots(&name, local, Scope::Local));
    }
    let body = Body::of(program, names, place, function);
    for counter in 0..body.counters() {
        text += &format!("    int i{counter} = 0;\n");
    }
    text += body.text();
    text + "}\n"
}
