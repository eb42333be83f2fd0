//! Layouts compared with those of gcc, for both machines. Random records are compiled to assembly, which needs no
//! libraries of the other machine; sizes, alignments and offsets are read from there, and so are objects in which one
//! bit-field is all ones. Where there is no gcc the tests pass and say so.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hardbop_base::{IndexVec, Span};
use hardbop_c_core::layout::{MemberDeclaration, RecordAttributes, lay_out};
use hardbop_c_core::names::name_variables;
use hardbop_c_core::print;
use hardbop_c_core::{
    Enumeration, FloatKind, IntKind, Length, Module, Qualified, Record, RecordBody, RecordKind, Target, Type, TypeId,
    Types,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// Records as text for gcc and as layouts of ours.
struct Generator {
    dice: Dice,
    types: Types,
    text: String,
    /// Complete types that members may have, with their names.
    known: Vec<(String, TypeId)>,
    /// Bit-fields may have these.
    for_bits: Vec<(&'static str, TypeId)>,
    /// Spellings and bodies, in order.
    records: Vec<(String, RecordBody)>,
    members: u32,
}

const INTEGERS: &[(&str, IntKind)] = &[
    ("_Bool", IntKind::Bool),
    ("char", IntKind::Char),
    ("unsigned char", IntKind::UnsignedChar),
    ("short", IntKind::Short),
    ("unsigned short", IntKind::UnsignedShort),
    ("int", IntKind::Int),
    ("unsigned", IntKind::UnsignedInt),
    ("long", IntKind::Long),
    ("unsigned long", IntKind::UnsignedLong),
    ("long long", IntKind::LongLong),
    ("unsigned long long", IntKind::UnsignedLongLong),
    ("__int128", IntKind::Int128),
];

const FLOATS: &[(&str, FloatKind)] = &[
    ("float", FloatKind::Float),
    ("double", FloatKind::Double),
    ("long double", FloatKind::LongDouble),
    ("_Float128", FloatKind::Float128),
    ("_Float32x", FloatKind::Float32x),
    ("_Float64x", FloatKind::Float64x),
    ("_Decimal64", FloatKind::Decimal64),
    ("_Decimal128", FloatKind::Decimal128),
];

impl Generator {
    fn new(target: Target, seed: u64) -> Self {
        let mut types = Types::new(target);
        let (mut known, mut for_bits) = (Vec::new(), Vec::new());
        for &(name, kind) in INTEGERS {
            if kind != IntKind::Int128 || target == Target::Lp64 {
                let ty = types.int(kind);
                known.push((name.to_owned(), ty));
                for_bits.push((name, ty));
            }
        }
        for &(name, kind) in FLOATS {
            known.push((name.to_owned(), types.float(kind)));
        }
        for &(name, kind) in &FLOATS[..3] {
            known.push((format!("_Complex {name}"), types.intern(Type::Complex(kind))));
        }
        let small = Enumeration {
            tag: Some("small".to_owned()),
            name: "small".to_owned(),
            underlying: IntKind::UnsignedInt,
            constants: vec![("A".to_owned(), 0), ("B".to_owned(), 1)],
            span: Span::new(0, 0),
        };
        let small = types.enums.push(small);
        let small = types.intern(Type::Enum(small));
        known.push(("enum small".to_owned(), small));
        for_bits.push(("enum small", small));
        let void = types.void();
        known.push(("pointer".to_owned(), types.pointer_to(void)));
        known.push(("list".to_owned(), types.intern(Type::VaList)));
        let int = types.int(IntKind::Int);
        known.push(("vector".to_owned(), types.intern(Type::Vector(int, 4))));
        // What gcc does on i386 with small records that are aligned to more than 4 because of these alone, and that lie
        // inside of other records, depends on the registers that they would take.
        known.retain(|&(_, ty)| target == Target::Lp64 || types.align_of(ty) <= 4);
        let text = "enum small { A, B };\ntypedef void *pointer;\ntypedef __builtin_va_list list;\n\
                    typedef int vector __attribute__((vector_size(16)));\n"
            .to_owned();
        Self { dice: Dice(seed), types, text, known, for_bits, records: Vec::new(), members: 0 }
    }

    fn record(&mut self, number: usize) {
        let attributes = RecordAttributes {
            is_packed: self.dice.one_in(5),
            align: self.dice.one_in(6).then(|| self.dice.pick(&[1, 2, 4, 8, 16, 32])),
            pragma_pack: self.dice.one_in(6).then(|| self.dice.pick(&[1, 2, 4, 8, 16])),
        };
        let (kind, keyword) =
            if self.dice.one_in(5) { (RecordKind::Union, "union") } else { (RecordKind::Struct, "struct") };
        let (body, id, inside) = self.body(kind, attributes);
        let spelling = format!("{keyword} r{number}");
        if let Some(pack) = attributes.pragma_pack {
            writeln!(self.text, "#pragma pack({pack})").unwrap();
        }
        write!(self.text, "{spelling} {{\n{inside}}}").unwrap();
        if attributes.is_packed {
            self.text += " __attribute__((packed))";
        }
        if let Some(align) = attributes.align {
            write!(self.text, " __attribute__((aligned({align})))").unwrap();
        }
        self.text += ";\n#pragma pack()\n";
        self.known.push((spelling.clone(), id));
        self.records.push((spelling, body));
    }

    fn body(&mut self, kind: RecordKind, attributes: RecordAttributes) -> (RecordBody, TypeId, String) {
        let (mut members, mut inside) = (Vec::new(), String::new());
        for _ in 0..self.dice.below(8) {
            let (member, line) = match self.dice.below(10) {
                0..5 => self.bit_field(),
                5 => self.anonymous(attributes),
                _ => self.whole(),
            };
            members.push(member);
            writeln!(inside, "  {line};").unwrap();
        }
        let has_named = members.iter().any(|member: &MemberDeclaration| member.name.is_some());
        if kind == RecordKind::Struct && has_named && self.dice.one_in(8) {
            let (spelling, ty) = self.known[self.dice.below(15) as usize].clone();
            let name = self.name();
            let ty = self.types.array_of(Qualified::plain(ty), Length::Unknown);
            writeln!(inside, "  {spelling} {name}[];").unwrap();
            members.push(MemberDeclaration::new(name, Qualified::plain(ty)));
        }
        let body = lay_out(&self.types, kind, members, attributes);
        let record = Record { kind, tag: None, name: String::new(), body: Some(body.clone()), span: Span::new(0, 0) };
        let record = self.types.records.push(record);
        (body, self.types.intern(Type::Record(record)), inside)
    }

    fn name(&mut self) -> String {
        self.members += 1;
        format!("m{}", self.members)
    }

    fn bit_field(&mut self) -> (MemberDeclaration, String) {
        let (spelling, ty) = self.dice.pick(&self.for_bits);
        let most = self.types.width(self.types.int_kind(ty).unwrap());
        let name = self.name();
        let mut member = MemberDeclaration::new(name.clone(), Qualified::plain(ty));
        let width = self.dice.below(u64::from(most)) as u32 + 1;
        let (width, name) = match self.dice.below(8) {
            0 => (0, String::new()),
            1 => (width, String::new()),
            2 => (most, name),
            _ => (width, name),
        };
        member.width = Some(width);
        if name.is_empty() {
            member.name = None;
        }
        let mut line = format!("{spelling} {name} : {width}");
        if self.dice.one_in(8) {
            let align = self.dice.pick(&[1, 2, 4, 8, 16]);
            member.type_align = Some(align);
            let number = self.members;
            writeln!(self.text, "typedef {spelling} t{number} __attribute__((aligned({align})));").unwrap();
            line = format!("t{number} {name} : {width}");
        }
        self.attributes(&mut member, &mut line);
        (member, line)
    }

    fn whole(&mut self) -> (MemberDeclaration, String) {
        let (spelling, ty) = self.known[self.dice.below(self.known.len() as u64) as usize].clone();
        let name = self.name();
        let mut member = MemberDeclaration::new(name.clone(), Qualified::plain(ty));
        let mut line = format!("{spelling} {name}");
        if self.dice.one_in(4) {
            let length = self.dice.below(4);
            member.ty.ty = self.types.array_of(member.ty, Length::Fixed(length));
            write!(line, "[{length}]").unwrap();
        } else if self.dice.one_in(8) && self.may_be_atomic(ty) {
            member.ty.qualifiers.is_atomic = true;
            line = format!("_Atomic {line}");
        } else if self.dice.one_in(8) && self.types.is_scalar(ty) {
            let align = self.dice.pick(&[1, 2, 4, 8, 16]);
            member.type_align = Some(align);
            writeln!(self.text, "typedef {spelling} t{name} __attribute__((aligned({align})));").unwrap();
            line = format!("t{name} {name}");
        }
        self.attributes(&mut member, &mut line);
        (member, line)
    }

    fn may_be_atomic(&self, ty: TypeId) -> bool {
        let is_long = self.types.size_of(ty) > Some(4);
        self.types.is_scalar(ty) && (self.types.target == Target::Lp64 || !is_long)
    }

    fn attributes(&mut self, member: &mut MemberDeclaration, line: &mut String) {
        if self.dice.one_in(8) {
            member.is_packed = true;
            *line += " __attribute__((packed))";
        }
        if self.dice.one_in(8) {
            let align = self.dice.pick(&[1, 2, 4, 8, 16]);
            member.align = Some(align);
            write!(line, " __attribute__((aligned({align})))").unwrap();
        }
    }

    /// `#pragma pack` is said outside and so holds inside, too.
    fn anonymous(&mut self, outer: RecordAttributes) -> (MemberDeclaration, String) {
        let (first, second) = (self.whole(), self.bit_field());
        let inside = format!("{}; {};", first.1, second.1);
        let attributes = RecordAttributes { pragma_pack: outer.pragma_pack, ..RecordAttributes::default() };
        let body = lay_out(&self.types, RecordKind::Struct, vec![first.0, second.0], attributes);
        let kind = RecordKind::Struct;
        let record = Record { kind, tag: None, name: String::new(), body: Some(body), span: Span::new(0, 0) };
        let record = self.types.records.push(record);
        let mut member = MemberDeclaration::new("", Qualified::plain(self.types.intern(Type::Record(record))));
        member.name = None;
        (member, format!("struct {{ {inside} }}"))
    }
}

/// Adds objects that show where everything is; returns their names with what we expect in them.
fn questions(records: &[(String, RecordBody)], text: &mut String) -> BTreeMap<String, Vec<u8>> {
    let mut expected = BTreeMap::new();
    for (number, (spelling, body)) in records.iter().enumerate() {
        let mut numbers = vec![body.size as u32, body.align as u32];
        write!(text, "unsigned s{number}[] = {{ sizeof({spelling}), _Alignof({spelling})").unwrap();
        for field in body.fields.iter().filter(|field| !field.is_anonymous && field.bits.is_none()) {
            write!(text, ", __builtin_offsetof({spelling}, {})", field.name).unwrap();
            numbers.push(field.offset as u32);
        }
        *text += " };\n";
        expected.insert(format!("s{number}"), numbers.iter().flat_map(|number| number.to_le_bytes()).collect());
        for field in &body.fields {
            let (Some(bits), name) = (field.bits, &field.name) else { continue };
            writeln!(text, "{spelling} b{number}_{name} = {{ .{name} = -1 }};").unwrap();
            let mut bytes = vec![0; body.size as usize];
            for bit in bits.first..bits.first + u64::from(bits.width) {
                bytes[bit as usize / 8] |= 1 << (bit % 8);
            }
            expected.insert(format!("b{number}_{name}"), bytes);
        }
    }
    expected
}

/// The bytes after every label of gcc's assembly; `None` without gcc.
fn compile(text: &str, target: Target, seed: u64) -> Option<BTreeMap<String, Vec<u8>>> {
    let flag = if target == Target::Lp64 { "-m64" } else { "-m32" };
    let file = std::env::temp_dir().join(format!("hardbop-layout-{}-{seed}{flag}.c", std::process::id()));
    std::fs::write(&file, text).unwrap();
    let output = Command::new("gcc").args(["-w", "-S", "-O0", flag, "-o", "-"]).arg(&file).output();
    let Ok(output) = output else {
        std::fs::remove_file(file).unwrap();
        eprintln!("there is no gcc: layouts are not compared");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(file).unwrap();
    let (mut objects, mut label) = (BTreeMap::<_, Vec<u8>>::new(), String::new());
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        if let Some(name) = line.strip_suffix(':') {
            label = name.to_owned();
            continue;
        }
        let mut words = line.split_whitespace();
        let (Some(directive), Some(Ok(number))) = (words.next(), words.next().map(str::parse::<i128>)) else {
            continue;
        };
        let bytes = objects.entry(label.clone()).or_default();
        let size = match directive {
            ".byte" => 1,
            ".value" => 2,
            ".long" => 4,
            ".quad" => 8,
            ".zero" => {
                bytes.resize(bytes.len() + number as usize, 0);
                continue;
            }
            _ => continue,
        };
        bytes.extend(&number.to_le_bytes()[..size]);
    }
    Some(objects)
}

/// Which text gcc gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    /// The one that was made up.
    Original,
    /// The one that we print.
    Printed,
}

#[track_caller]
fn check(target: Target, seed: u64, which: Text) {
    let mut generator = Generator::new(target, seed);
    for number in 0..200 {
        generator.record(number);
    }
    let (mut text, records) = match which {
        Text::Original => (generator.text, generator.records),
        Text::Printed => printed(generator.types),
    };
    let expected = questions(&records, &mut text);
    let Some(objects) = compile(&text, target, seed) else { return };
    let mut wrong = String::new();
    for (name, expected) in expected {
        if objects[&name] != expected {
            let number: usize = name[1..].split('_').next().unwrap().parse().unwrap();
            let (spelling, body) = &records[number];
            let start = text.find(&format!("{spelling} {{")).unwrap();
            let definition = text[start..].split("};").next().unwrap();
            write!(wrong, "{name}: gcc {:?}\n ours {expected:?}\n{definition}{body:?}\n\n", objects[&name]).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The types as we print them, and their names there.
fn printed(types: Types) -> (String, Vec<(String, RecordBody)>) {
    let mut module = Module { types, vars: IndexVec::new(), functions: IndexVec::new(), asm: Vec::new() };
    name_variables(&mut module);
    let records = module.types.records.iter().map(|record| {
        let keyword = if record.kind == RecordKind::Union { "union" } else { "struct" };
        (format!("{keyword} {}", record.name), record.body.clone().unwrap())
    });
    (print::module(&module), records.collect())
}

#[test]
fn records_lie_as_gcc_lays_them_out_on_x86_64() {
    (1..=15).for_each(|seed| check(Target::Lp64, seed, Text::Original));
}

#[test]
fn records_lie_as_gcc_lays_them_out_on_i386() {
    (61..=75).for_each(|seed| check(Target::Ilp32, seed, Text::Original));
}

#[test]
fn printed_records_lie_as_they_did() {
    (21..=30).for_each(|seed| check(Target::Lp64, seed, Text::Printed));
    (31..=40).for_each(|seed| check(Target::Ilp32, seed, Text::Printed));
}
