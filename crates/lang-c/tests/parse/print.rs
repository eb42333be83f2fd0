//! The tree on one line per item, short enough to be compared by eye.
//!
//! A declarator is its name, what stands around it from the inside out, and the type: `a: [3] * int`.

use hardbop_lang_c::Ast;
use hardbop_lang_c::ast::{
    Alignment, ArrayLength, Attribute, AttributeArgument, BasicType, Declaration, Declarator, DeclaratorPart,
    Designator, EnumSpecifier, FieldDeclarator, FunctionDefinition, Ident, InitList, Initialiser, Item, Member, Name,
    Parameter, Parameters, Qualifiers, RecordKind, RecordSpecifier, Specifiers, StaticAssert, Storage, TypeName,
    TypeSpecifier,
};

pub fn print(ast: &Ast) -> String {
    let printer = Printer { ast };
    ast.items.iter().map(|item| printer.item(item) + "\n").collect()
}

pub struct Printer<'a> {
    pub ast: &'a Ast,
}

pub fn join(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    parts.into_iter().collect::<Vec<_>>().join(between)
}

impl Printer<'_> {
    fn item(&self, item: &Item) -> String {
        match item {
            Item::Function(function) => self.function(function),
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::StaticAssert(assertion) => self.static_assert(assertion),
            Item::Asm { text, .. } => format!("(asm {})", self.string(*text)),
        }
    }

    pub fn function(&self, function: &FunctionDefinition) -> String {
        let old: String = function.old_style.iter().map(|it| format!(" {}", self.declaration(it))).collect();
        let head = self.declared(&function.specifiers, &function.declarator);
        format!("(fn {head}{old} {})", self.stmt(function.body))
    }

    pub fn declaration(&self, declaration: &Declaration) -> String {
        let Declaration { specifiers, declarators, .. } = declaration;
        if declarators.is_empty() {
            return format!("({})", self.specifiers(specifiers));
        }
        let one = |it: &hardbop_lang_c::ast::InitDeclarator| {
            let init = it.init.as_ref().map(|init| format!(" = {}", self.init(init))).unwrap_or_default();
            self.declared(specifiers, &it.declarator) + &init
        };
        format!("({})", join(declarators.iter().map(one), ", "))
    }

    pub fn static_assert(&self, assertion: &StaticAssert) -> String {
        let message = assertion.message.map(|text| format!(" {}", self.string(text))).unwrap_or_default();
        format!("(assert {}{message})", self.expr(assertion.condition))
    }

    pub fn name(&self, name: Name) -> &str {
        &self.ast.names[name]
    }

    pub fn idents(&self, idents: &[Ident]) -> String {
        join(idents.iter().map(|ident| self.name(ident.name).into()), " ")
    }

    fn declared(&self, specifiers: &Specifiers, declarator: &Declarator) -> String {
        let name = declarator.name.map_or("_", |ident| self.name(ident.name));
        let label = declarator.asm_label.map(|text| format!(" asm {}", self.string(text))).unwrap_or_default();
        let attributes = self.attributes(&declarator.attributes);
        format!("{name}{label}{attributes}: {}{}", self.parts(declarator), self.specifiers(specifiers))
    }

    fn parts(&self, declarator: &Declarator) -> String {
        declarator.parts.iter().map(|part| self.part(part) + " ").collect()
    }

    fn part(&self, part: &DeclaratorPart) -> String {
        match part {
            DeclaratorPart::Pointer(it) => format!("* {}", qualifiers(*it)).trim_end().into(),
            DeclaratorPart::Array { length, qualifiers: it } => {
                let length = match *length {
                    ArrayLength::Unknown => String::new(),
                    ArrayLength::Star => "*".into(),
                    ArrayLength::Given(length) => self.expr(length),
                };
                format!("[{}{length}]", qualifiers(*it))
            }
            DeclaratorPart::Function(Parameters::OldStyle(names)) => format!("old({})", self.idents(names)),
            DeclaratorPart::Function(Parameters::Prototype { list, is_variadic }) => {
                let one = |it: &Parameter| self.declared(&it.specifiers, &it.declarator);
                let rest = is_variadic.then(|| "...".into());
                format!("fn({})", join(list.iter().map(one).chain(rest), ", "))
            }
        }
    }

    pub fn type_name(&self, name: &TypeName) -> String {
        let attributes = self.attributes(&name.declarator.attributes);
        format!("<{}{}{attributes}>", self.parts(&name.declarator), self.specifiers(&name.specifiers))
    }

    fn specifiers(&self, it: &Specifiers) -> String {
        let storage = match it.storage {
            None => "",
            Some(Storage::Typedef) => "typedef ",
            Some(Storage::Extern) => "extern ",
            Some(Storage::Static) => "static ",
            Some(Storage::Auto) => "auto ",
            Some(Storage::Register) => "register ",
        };
        let mut text = String::from(storage);
        for (is_set, word) in
            [(it.is_thread_local, "thread "), (it.is_inline, "inline "), (it.is_noreturn, "noreturn ")]
        {
            text += if is_set { word } else { "" };
        }
        text += &qualifiers(it.qualifiers);
        text += &self.base(&it.base);
        for alignment in &it.alignments {
            text += &match alignment {
                Alignment::Type(name) => format!(" align {}", self.type_name(name)),
                Alignment::Bytes(bytes) => format!(" align {}", self.expr(*bytes)),
            };
        }
        text + &self.attributes(&it.attributes)
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        attributes.iter().map(|it| self.attribute(it)).collect()
    }

    fn attribute(&self, attribute: &Attribute) -> String {
        let one = |it: &AttributeArgument| match it {
            AttributeArgument::Expr(expr) => self.expr(*expr),
            AttributeArgument::Type(name) => self.type_name(name),
        };
        let arguments = join(attribute.arguments.iter().map(one), ", ");
        let arguments = if arguments.is_empty() { arguments } else { format!("({arguments})") };
        format!(" @{}{arguments}", self.name(attribute.name.name))
    }

    fn base(&self, base: &TypeSpecifier) -> String {
        match base {
            TypeSpecifier::Basic(basic) => basic_type(*basic),
            TypeSpecifier::Typedef(name) => self.name(name.name).into(),
            TypeSpecifier::Record(record) => self.record(record),
            TypeSpecifier::Enum(it) => self.enumeration(it),
            TypeSpecifier::TypeofExpr(expr) => format!("typeof {}", self.expr(*expr)),
            TypeSpecifier::TypeofType(name) => format!("typeof {}", self.type_name(name)),
            TypeSpecifier::Auto => "auto-type".into(),
        }
    }

    fn record(&self, record: &RecordSpecifier) -> String {
        let kind = if record.kind == RecordKind::Struct { "struct" } else { "union" };
        let tag = record.tag.map(|tag| format!(" {}", self.name(tag.name))).unwrap_or_default();
        let members = record.members.as_ref().map(|members| {
            let members = join(members.iter().map(|member| self.member(member)), "; ");
            format!(" {{{members}}}")
        });
        let pack = record.pragma_pack.map(|bytes| format!(" pack {bytes}")).unwrap_or_default();
        format!("{kind}{tag}{}{pack}{}", members.unwrap_or_default(), self.attributes(&record.attributes))
    }

    fn member(&self, member: &Member) -> String {
        match member {
            Member::StaticAssert(assertion) => self.static_assert(assertion),
            Member::Fields { specifiers, declarators } if declarators.is_empty() => self.specifiers(specifiers),
            Member::Fields { specifiers, declarators } => {
                let one = |it: &FieldDeclarator| {
                    let width = it.width.map(|width| format!(" :{}", self.expr(width))).unwrap_or_default();
                    self.declared(specifiers, &it.declarator) + &width
                };
                join(declarators.iter().map(one), ", ")
            }
        }
    }

    fn enumeration(&self, it: &EnumSpecifier) -> String {
        let tag = it.tag.map(|tag| format!(" {}", self.name(tag.name))).unwrap_or_default();
        let underlying = it.underlying.as_ref().map(|name| format!(" : {}", self.type_name(name))).unwrap_or_default();
        let constants = it.constants.as_ref().map(|constants| {
            let one = |it: &hardbop_lang_c::ast::EnumConstant| {
                let value = it.value.map(|value| format!(" = {}", self.expr(value))).unwrap_or_default();
                format!("{}{value}", self.name(it.name.name))
            };
            format!(" {{{}}}", join(constants.iter().map(one), ", "))
        });
        format!("enum{tag}{underlying}{}{}", constants.unwrap_or_default(), self.attributes(&it.attributes))
    }

    fn init(&self, init: &Initialiser) -> String {
        match init {
            Initialiser::Expr(expr) => self.expr(*expr),
            Initialiser::List(list) => self.init_list(list),
        }
    }

    pub fn init_list(&self, list: &InitList) -> String {
        let one = |it: &hardbop_lang_c::ast::InitElement| {
            let path = self.designators(&it.designators);
            let equals = if path.is_empty() { "" } else { " = " };
            format!("{path}{equals}{}", self.init(&it.value))
        };
        format!("{{{}}}", join(list.elements.iter().map(one), ", "))
    }

    pub fn designators(&self, path: &[Designator]) -> String {
        let one = |it: &Designator| match *it {
            Designator::Member(name) => format!(".{}", self.name(name.name)),
            Designator::Index(index) => format!("[{}]", self.expr(index)),
            Designator::Range(low, high) => format!("[{} ... {}]", self.expr(low), self.expr(high)),
        };
        path.iter().map(one).collect()
    }
}

fn qualifiers(it: Qualifiers) -> String {
    let words = [
        (it.is_const, "const "),
        (it.is_volatile, "volatile "),
        (it.is_restrict, "restrict "),
        (it.is_atomic, "_Atomic "),
    ];
    words.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect()
}

fn basic_type(basic: BasicType) -> String {
    match basic {
        BasicType::Implicit => "implicit".into(),
        BasicType::Float(float) => format!("{float:?}"),
        BasicType::Complex(float) => format!("complex {float:?}"),
        // `UnsignedLongLong` is `unsigned long long`.
        _ => {
            let mut text = String::new();
            for letter in format!("{basic:?}").chars() {
                if letter.is_ascii_uppercase() && !text.is_empty() {
                    text.push(' ');
                }
                text.push(letter.to_ascii_lowercase());
            }
            text
        }
    }
}
