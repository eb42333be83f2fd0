//! Names to print with: what the source says, made unique.
//!
//! **Invariant:** what has external linkage keeps its name, unless the linker calls it something else. File-scope variables and functions share one name space, into
//! which no local reaches; records and enumerations share another, and each function has one for its labels.

use crate::{EnumId, FunctionId, Linkage, Module, RecordId, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Longer made-up names are cut off.
const LONGEST: usize = 32;

/// Gives every variable, function, record, enumeration and label the unique name that it is printed with.
pub fn name_variables(module: &mut Module) {
    name_records(module);
    let mut globals = Names::default();
    name_externals(module, &mut globals);
    name_internals(module, &mut globals);
    let mut of_function = FxHashMap::<FunctionId, Vec<VarId>>::default();
    for (var, variable) in module.vars.iter_enumerated() {
        if let Some(owner) = variable.kind.owner() {
            of_function.entry(owner).or_default().push(var);
        }
    }
    for function in module.functions.ids() {
        name_locals(module, of_function.remove(&function).unwrap_or_default(), &globals);
        name_labels(module, function);
    }
}

fn name_records(module: &mut Module) {
    let mut tags = Names::default();
    let tag = |tag: &Option<String>| tag.as_deref().map_or_else(|| "anonymous".to_owned(), identifier);
    let records: Vec<RecordId> = module.types.records.ids().collect();
    for record in records {
        let record = &mut module.types.records[record];
        record.name = tags.unique(&tag(&record.tag));
    }
    let enums: Vec<EnumId> = module.types.enums.ids().collect();
    for id in enums {
        let enumeration = &mut module.types.enums[id];
        enumeration.name = tags.unique(&tag(&enumeration.tag));
    }
}

fn name_externals(module: &mut Module, globals: &mut Names) {
    for function in module.functions.iter_mut().filter(|function| function.linkage == Linkage::External) {
        function.name = globals.unique(&function.source_name);
    }
    for variable in module.vars.iter_mut().filter(|variable| is_external(variable.kind)) {
        variable.name = globals.unique(&variable.source_name);
    }
}

fn name_internals(module: &mut Module, globals: &mut Names) {
    for function in module.functions.iter_mut().filter(|function| function.linkage == Linkage::Internal) {
        function.name = globals.unique(&identifier(&function.source_name));
    }
    for variable in module.vars.iter_mut() {
        match variable.kind {
            VarKind::Literal => variable.name = globals.unique("string"),
            VarKind::Global(Linkage::Internal) | VarKind::StaticLocal(_) => {
                variable.name = globals.unique(&identifier(&variable.source_name));
            }
            _ => {}
        }
    }
}

/// Parameters come first, then declared variables: they keep their names rather than temporaries.
fn name_locals(module: &mut Module, mut vars: Vec<VarId>, globals: &Names) {
    vars.sort_by_key(|&var| match module.vars[var].kind {
        VarKind::Parameter(_) => 0,
        VarKind::Local(_) => 1,
        _ => 2,
    });
    let mut names = Names { outer: Some(&globals.taken), ..Names::default() };
    for var in vars {
        let variable = &mut module.vars[var];
        variable.name = names.unique(&identifier(&variable.source_name));
    }
}

fn name_labels(module: &mut Module, function: FunctionId) {
    let Some(body) = &mut module.functions[function].body else { return };
    let mut names = Names::default();
    for is_written in [true, false] {
        for label in body.labels.iter_mut().filter(|label| label.is_written == is_written) {
            let wish = if label.name.is_empty() { "label".to_owned() } else { identifier(&label.name) };
            label.name = names.unique(&wish);
        }
    }
}

fn is_external(kind: VarKind) -> bool {
    kind == VarKind::Global(Linkage::External)
}

/// One name space.
#[derive(Default)]
struct Names<'o> {
    outer: Option<&'o FxHashSet<String>>,
    taken: FxHashSet<String>,
    /// The number to try next for a name that is taken.
    numbers: FxHashMap<String, u32>,
}

impl Names<'_> {
    /// The name, or the name with a number if it is taken.
    fn unique(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        while self.outer.is_some_and(|outer| outer.contains(&name)) || self.taken.contains(&name) {
            let number = self.numbers.entry(wish.to_owned()).or_default();
            *number += 1;
            name = format!("{wish}_{number}");
        }
        self.taken.insert(name.clone());
        name
    }
}

/// An identifier made of the words in a text: `p->next` is `p_next`.
fn identifier(text: &str) -> String {
    let is_letter = |letter: char| match letter {
        '_' | '$' => true,
        _ if letter.is_ascii() => letter.is_ascii_alphanumeric(),
        _ => letter.is_alphabetic(),
    };
    let words: Vec<&str> = text
        .split(|letter| !is_letter(letter))
        .filter(|word| !word.is_empty())
        .skip_while(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .collect();
    let is_made_up = words.len() != 1 || words[0].len() != text.len();
    let mut name = words.join("_");
    if is_made_up && let Some((end, _)) = name.char_indices().nth(LONGEST) {
        name.truncate(end);
    }
    if name.is_empty() {
        "value".to_owned()
    } else if is_keyword(&name) {
        format!("{name}_")
    } else {
        name
    }
}

/// Whether C or GNU C has another use for the name.
fn is_keyword(name: &str) -> bool {
    #[rustfmt::skip]
    const KEYWORDS: &[&str] = &[
        "asm", "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
        "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short",
        "signed", "sizeof", "static", "struct", "switch", "typedef", "typeof", "union", "unsigned", "void",
        "volatile", "while", "i386", "linux", "unix",
    ];
    KEYWORDS.contains(&name) || is_reserved(name)
}

/// Names with a leading underscore that are words of the language, or that the printer makes.
fn is_reserved(name: &str) -> bool {
    const PREFIXES: &[&str] = &["_Float", "_Decimal", "__builtin_", "__vector_", "__int", "__float"];
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn",
        "_Static_assert", "_Thread_local", "__alignof__", "__asm__", "__attribute__", "__auto_type", "__complex__",
        "__const", "__extension__", "__func__", "__imag__", "__inline", "__inline__", "__label__", "__real__",
        "__restrict", "__signed__", "__thread", "__typeof__", "__volatile__", "__FUNCTION__", "__PRETTY_FUNCTION__",
    ];
    WORDS.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
