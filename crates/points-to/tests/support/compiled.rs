//! Compiled programs that say where their objects are and what their pointers hold: each must have been foreseen.
//!
//! The three-address form is printed with calls of the recorder between its statements, compiled and run. What is freed
//! stays there, so that an address means one object of the heap for ever; a frame's objects are those that were last there.

use crate::watch::{is_foreseen, is_placed, module};
use hardbop_base::{Budget, Idx, Span};
use hardbop_c_core::print::{self, Style};
use hardbop_c_core::{Block, Callee, FunctionId, Module, Place, Stmt, StmtKind, Type, VarId};
use hardbop_points_to::{ObjectId, ObjectKind, PointsTo, Policy, UndefinedWrite, analyse};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// What is printed: a letter, a number, an address and a size. `v`: a variable is there; `f`: a function is;
/// `a`: memory was allocated; `s`: at this statement; `p`: a pointer holds this.
const RECORDER: &str = r#"
int printf(const char *, ...); int fflush(void *); void *malloc(unsigned long);
void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
void record(char what, int number, const volatile void *address, unsigned long size) {
  printf("%c %d %lx %lx\n", what, number, (unsigned long)address, size); fflush(0); }
void *recorded_malloc(unsigned long size) { void *found = malloc(size + 8); record('a', 0, found, size); return found; }
void *recorded_calloc(unsigned long count, unsigned long size) {
  void *found = recorded_malloc(count * size); return memset(found, 0, count * size); }
void *recorded_realloc(void *old, unsigned long size) {
  char *found = recorded_malloc(size); if (old) for (unsigned long i = 0; i < size; i++) found[i] = ((char *)old)[i]; return found; }
void recorded_free(void *old) { }
static unsigned tossed = 1;
int nondet_int(void) { tossed = tossed * 1103515245 + 12345; return tossed >> 16 & 3; }
#define malloc recorded_malloc
#define calloc recorded_calloc
#define realloc recorded_realloc
#define free recorded_free
"#;

/// Where a call of the recorder stands in the printed text, as something that cannot be in a program.
const MARK: &str = "__builtin_trap(); /* record ";

/// The program with calls of the recorder.
struct Instrumented {
    module: Module,
    /// The pointers that are recorded, by number.
    pointers: Vec<Place>,
    /// The statements that allocate, by number.
    sites: Vec<Span>,
}

impl Instrumented {
    fn new(original: &Module) -> Self {
        let mut result = Self { module: original.clone(), pointers: Vec::new(), sites: Vec::new() };
        for function in original.functions.ids() {
            let Some(body) = &original.functions[function].body else { continue };
            let mut block = Block::new();
            let own = body.parameters.iter().chain(&body.locals).copied();
            own.filter(|&var| original.vars[var].is_address_taken).for_each(|var| block.push(variable(original, var)));
            if original.functions[function].name == "main" {
                let is_static = |var: &VarId| original.vars[*var].init.is_some() && is_named(original, *var);
                block.extend(original.vars.ids().filter(is_static).map(|var| variable(original, var)));
                block.extend(
                    original
                        .functions
                        .iter_enumerated()
                        .filter(|(_, row)| row.body.is_some())
                        .map(|(id, row)| record(&format!("'f', {}, (const void *){}, 1", id.index(), row.name))),
                );
            }
            block.extend(result.block(original, &body.block));
            result.module.functions[function].body.as_mut().expect("it has one").block = block;
        }
        result
    }

    fn block(&mut self, original: &Module, block: &[Stmt]) -> Block {
        let mut result = Block::new();
        for stmt in block {
            let kind = match &stmt.kind {
                StmtKind::If(condition, yes, no) => {
                    StmtKind::If(condition.clone(), self.block(original, yes), self.block(original, no))
                }
                StmtKind::While(condition, body) => StmtKind::While(condition.clone(), self.block(original, body)),
                StmtKind::Block(block) => StmtKind::Block(self.block(original, block)),
                other => other.clone(),
            };
            result.push(Stmt { kind, span: stmt.span });
            match &stmt.kind {
                StmtKind::Assign(place, _) => self.pointer(original, place, &mut result),
                StmtKind::Call { result: Some(place), callee, .. } => {
                    if let Callee::Function(function) = callee
                        && allocates(original, *function)
                    {
                        let text = print::place(original, place, Style::EXACT);
                        result.push(record(&format!("'s', {}, (const void *)({text}), 0", self.sites.len())));
                        self.sites.push(stmt.span);
                    }
                    self.pointer(original, place, &mut result);
                }
                _ => {}
            }
        }
        result
    }

    /// What is in `place` now, if that is a pointer.
    fn pointer(&mut self, original: &Module, place: &Place, block: &mut Block) {
        if matches!(original.types.get(place.ty), Type::Pointer(_)) {
            let text = print::place(original, place, Style::EXACT);
            block.push(record(&format!("'p', {}, (const void *)({text}), 0", self.pointers.len())));
            self.pointers.push(place.clone());
        }
    }

    fn text(&self) -> String {
        let printed = print::module(&self.module);
        let lines = printed.lines().map(|line| match line.split_once(MARK) {
            Some((_, call)) => format!("record({});\n", call.trim_end().trim_end_matches(" */")),
            None => format!("{line}\n"),
        });
        RECORDER.chars().chain(lines.collect::<String>().chars()).collect()
    }
}

fn record(call: &str) -> Stmt {
    Stmt { kind: StmtKind::Unmodelled(format!("record {call}")), span: Span::new(0, 0) }
}

fn variable(module: &Module, var: VarId) -> Stmt {
    let name = &module.vars[var].name;
    record(&format!("'v', {}, &{name}, sizeof {name}", var.index()))
}

/// Whether a variable has a name in the printed text.
fn is_named(module: &Module, var: VarId) -> bool {
    module.vars[var].kind != hardbop_c_core::VarKind::Literal
}

fn allocates(module: &Module, function: FunctionId) -> bool {
    ["malloc", "calloc", "realloc"].contains(&module.functions[function].source_name.as_str())
}

/// What a run of the program prints; one that fails has printed what came before.
fn run(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.out")));
    std::fs::write(&source, text).expect("the folder for temporary files can be written to");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-w", "-fwrapv", "-fno-builtin", "-o"]).arg(&binary).arg(&source);
    let compiled = gcc.output().expect("gcc was there before");
    assert!(compiled.status.success(), "{}\n{text}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new("timeout").arg("5").arg(&binary).stderr(Stdio::null()).output();
    String::from_utf8_lossy(&output.expect("`timeout` is there").stdout).into_owned()
}

/// What is where: by its first byte, the byte after its last one, and the objects that stand for it.
#[derive(Default)]
struct Memory {
    objects: BTreeMap<u64, (u64, Vec<ObjectId>)>,
}

impl Memory {
    /// What was there before is there no more.
    fn add(&mut self, start: u64, size: u64, objects: Vec<ObjectId>) {
        let end = start + size.max(1);
        self.objects.retain(|&from, (to, _)| *to <= start || end <= from);
        self.objects.insert(start, (end, objects));
    }

    /// The objects that `address` is in, and where they start.
    fn find(&self, address: u64) -> Option<(u64, &[ObjectId])> {
        let (start, (end, objects)) = self.objects.range(..=address).next_back()?;
        (address < *end).then_some((*start, objects))
    }
}

/// Whether programs can be compiled; says so once where they cannot.
pub fn has_compiler() -> bool {
    static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
        let is_there = Command::new("gcc").arg("--version").stdout(Stdio::null()).status().is_ok();
        if !is_there {
            println!("skipped: gcc is not installed (Debian package gcc)");
        }
        is_there
    });
    *IS_THERE
}

/// Compiles and runs the program under a name of the test's own, and compares; says how many pointers were compared.
pub fn compare(name: &str, source: &str) -> usize {
    let module = module(source);
    let policy = Policy::for_module(&module, UndefinedWrite::Reachable, |_, _| false);
    let points_to = analyse(&module, policy, &Budget::unlimited()).expect("no limit");
    let program = Instrumented::new(&module);
    let printed = run(name, &program.text());
    let (mut memory, mut size, mut seen) = (Memory::default(), 0, 0);
    // The last line of a run that was stopped may be cut.
    for line in printed.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [what, number, address, extent] = words[..] else { panic!("the recorder prints four words: {line}") };
        let number: usize = number.parse().expect("a number");
        let [address, extent] = [address, extent].map(|word| u64::from_str_radix(word, 16).expect("a number"));
        match what {
            "v" => memory.add(address, extent, vec![points_to.variable(VarId::from_usize(number))]),
            "f" => memory.add(address, extent, vec![points_to.function(FunctionId::from_usize(number))]),
            "a" => size = extent,
            "s" => memory.add(address, size, allocated(&points_to, program.sites[number])),
            _ => {
                let Some((start, objects)) = memory.find(address) else { continue };
                let place = &program.pointers[number];
                let targets = points_to.points_to_place(place);
                let text = print::place(&module, place, Style::READABLE);
                let kinds: Vec<ObjectKind> = objects.iter().map(|&object| points_to.kind(object)).collect();
                let (offset, context) = ((address - start) as i64, format!("not in {targets:?}\n{source}"));
                assert!(is_foreseen(&points_to, &targets, objects), "{text} holds {kinds:?} + {offset}, {context}");
                let is_right = objects.iter().all(|&object| is_placed(&module, &points_to, &targets, object, offset));
                assert!(is_right, "{text} holds {kinds:?} + {offset}, {context}");
                seen += 1;
            }
        }
    }
    seen
}

fn allocated(points_to: &PointsTo<'_>, at: Span) -> Vec<ObjectId> {
    let is_it = |kind| matches!(kind, ObjectKind::Heap(_, span) | ObjectKind::Opaque(_, span) if span == at);
    points_to.objects().filter(|&(_, kind)| is_it(kind)).map(|(object, _)| object).collect()
}
