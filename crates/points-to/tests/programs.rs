//! What the pointers of small programs point to, one rule after the other.

use expect_test::{Expect, expect};
use hardbop_base::Budget;
use hardbop_c_core::{Module, Target, VarKind};
use hardbop_points_to::{ObjectKind, Offset, PointsTo, Policy, UndefinedWrite, analyse};

fn module(source: &str) -> Module {
    let (ast, errors) = hardbop_lang_c::parse(source, 0);
    assert!(errors.is_empty(), "{errors:?}");
    hardbop_c_lower::lower(&ast, Target::Lp64).expect("the program is right").module
}

fn object_name(module: &Module, points_to: &PointsTo<'_>, object: hardbop_points_to::ObjectId) -> String {
    match points_to.kind(object) {
        ObjectKind::Unknown => "?".to_owned(),
        ObjectKind::Variable(var) => module.vars[var].name.clone(),
        ObjectKind::Heap(site, _) => format!("{}.{}", module.functions[site.function].name, site.call),
        ObjectKind::Opaque(site, _) => format!("opaque {}.{}", module.functions[site.function].name, site.call),
        ObjectKind::Function(function) => module.functions[function].name.clone(),
        ObjectKind::Arguments(function) => format!("arguments of {}", module.functions[function].name),
        ObjectKind::Result(function) => format!("result of {}", module.functions[function].name),
        ObjectKind::Vector(var) => format!("vector {}", module.vars[var].name),
    }
}

/// `variable: object+offset …` for all variables of the source that may point anywhere; `~` is inside of a cell and
/// `[]` anywhere in the object.
fn describe(source: &str, undefined: UndefinedWrite) -> String {
    let module = module(source);
    let policy = Policy::for_module(&module, undefined, |_, _| false);
    let points_to = analyse(&module, policy, &Budget::unlimited()).expect("no limit");
    let mut text = String::new();
    for (var, variable) in module.vars.iter_enumerated() {
        let targets = points_to.points_to(var);
        if targets.is_empty() || matches!(variable.kind, VarKind::Temporary(_)) {
            continue;
        }
        text += &format!("{}:", variable.name);
        for target in targets {
            let name = object_name(&module, &points_to, target.object);
            text += &match target.offset {
                _ if name == "?" => " ?".to_owned(),
                Offset::At(0) => format!(" {name}"),
                Offset::At(offset) => format!(" {name}+{offset}"),
                Offset::Inside(offset) => format!(" {name}+{offset}~"),
                Offset::Any => format!(" {name}[]"),
            };
        }
        text.push('\n');
    }
    text
}

#[track_caller]
fn check(source: &str, expect: Expect) {
    expect.assert_eq(&describe(source, UndefinedWrite::Reachable));
}

#[track_caller]
fn check_task(source: &str, expect: Expect) {
    expect.assert_eq(&describe(source, UndefinedWrite::Nothing));
}

#[test]
fn addresses_flow_along_assignments_in_one_direction() {
    check(
        "int x, y; int main(void) { int *p = &x, *q = &y; p = q; return 0; }",
        expect![[r#"
        p: x y
        q: y
    "#]],
    );
}

#[test]
fn loads_and_stores_go_through_pointers() {
    check(
        "int x; int *a, *b, **pp, *r; int main(void) { a = &x; pp = &b; *pp = a; r = *pp; return 0; }",
        expect![[r#"
        a: x
        b: x
        pp: b
        r: x
    "#]],
    );
}

#[test]
fn members_are_apart() {
    check(
        "struct s { int *a; int *b; } s, *p; int x, y; int *ra, *rb;
         int main(void) { p = &s; p->a = &x; s.b = &y; ra = s.a; rb = p->b; return 0; }",
        expect![[r#"
            s: x y
            p: s
            ra: x
            rb: y
        "#]],
    );
}

#[test]
fn the_address_of_a_member_and_container_of_are_inverse() {
    check(
        "struct list { struct list *next; }; struct item { int n; int *v; struct list l; } i; int x; int *r;
         struct list *h; struct item *back;
         int main(void) { i.v = &x; h = &i.l;
           back = (struct item *)((char *)h - __builtin_offsetof(struct item, l)); r = back->v; return 0; }",
        expect![[r#"
            i: x
            r: x
            h: i+16
            back: i
        "#]],
    );
}

#[test]
fn elements_of_arrays_are_one() {
    check(
        "int x, y; int *a[4], *r; int main(void) { a[0] = &x; a[1] = &y; r = a[2]; return 0; }",
        expect![[r#"
        a: x y
        r: x y
    "#]],
    );
}

#[test]
fn an_array_member_is_walked_without_touching_its_neighbours() {
    check(
        "struct s { char *first; char name[8]; char *last; } s; char c, *p, *q, *r;
         int main(int n) { s.first = &c; p = s.name; p += n; p++; q = &p[n]; r = s.last; return 0; }",
        expect![[r#"
            s: c
            p: s+8
            q: s+8
        "#]],
    );
}

#[test]
fn a_pointer_to_a_record_plus_anything_is_anywhere_in_it() {
    check(
        "struct s { int *a; int *b; } s; char *p; int x; int **q;
         int main(int n) { p = (char *)&s; p += n; q = (int **)p; *q = &x; return 0; }",
        expect![[r#"
            s: x
            p: s s[]
            q: s s[]
        "#]],
    );
}

#[test]
fn elements_of_an_array_of_records_keep_their_members_apart() {
    check(
        "struct s { int *a; int *b; } t[4], *p; int x, y, *ra, *rb;
         int main(int n) { p = t; p += n; p->a = &x; (p + 1)->b = &y; ra = t[3].a; rb = t[n].b; return 0; }",
        expect![[r#"
            t: x y
            p: t
            ra: x
            rb: y
        "#]],
    );
}

#[test]
fn a_cast_of_the_first_array_member_finds_the_record() {
    check(
        "struct s { char name[8]; int *v; } s; char *n; int x; int *r;
         int main(void) { s.v = &x; n = s.name; r = ((struct s *)n)->v; return 0; }",
        expect![[r#"
            s: x
            n: s
            r: x
        "#]],
    );
}

#[test]
fn members_of_a_union_share_by_offset() {
    check(
        "union u { struct { long tag; int *p; } a; struct { long tag; long *q; } b; } u; int x; long *r; long t;
         int main(void) { u.a.p = &x; r = u.b.q; t = u.b.tag; return 0; }",
        expect![[r#"
            u: x
            r: x
        "#]],
    );
}

#[test]
fn a_union_of_different_shapes_is_one_cell() {
    check(
        "union u { int *p[2]; char bytes[16]; struct { int a; int *q; } s; } u; int x; int *r;
         int main(void) { u.p[1] = &x; r = u.s.q; return 0; }",
        expect![[r#"
            u: x
            r: x
        "#]],
    );
}

#[test]
fn integers_carry_pointers() {
    check(
        "int x, y; unsigned long n; int *p, *q, *tag, *none; int main(void) { n = (unsigned long)&x; p = (int *)n;
         q = (int *)((unsigned long)p ^ (unsigned long)&y); tag = (int *)(((unsigned long)&y | 1) & ~3ul);
         none = (int *)(n & 7); return 0; }",
        expect![[r#"
            n: x
            p: x
            q: x y
            tag: y
        "#]],
    );
}

#[test]
fn bytes_carry_pointers_when_copied() {
    check(
        "int x; int *p, *q; int main(void) { p = &x; char *from = (char *)&p, *to = (char *)&q;
         for (int i = 0; i < 8; i++) to[i] = from[i]; return 0; }",
        expect![[r#"
            p: x
            q: x
            from: p
            to: q
        "#]],
    );
}

#[test]
fn records_are_copied_member_by_member() {
    check(
        "struct s { int *a; struct { int *b; int *c[2]; } in; } s, t, *p; int x, y, z; int *ra, *rb, *rc;
         int main(void) { s.a = &x; s.in.b = &y; s.in.c[1] = &z; p = &t; *p = s; ra = t.a; rb = t.in.b; rc = t.in.c[0];
         return 0; }",
        expect![[r#"
            s: x y z
            t: x y z
            p: t
            ra: x
            rb: y
            rc: z
        "#]],
    );
}

#[test]
fn memcpy_copies_members_if_it_knows_how_many() {
    check(
        "void *memcpy(void *, const void *, unsigned long);
         struct s { int *a; int *b; } s, t, u; int x, y; int *ta, *ua; void *r;
         int main(int n) { s.a = &x; s.b = &y; r = memcpy(&t, &s, sizeof t); memcpy(&u, &s, n); ta = t.a; ua = u.a;
         return 0; }",
        expect![[r#"
            s: x y
            t: x y
            u: x y
            ta: x
            ua: x y
            r: t
        "#]],
    );
}

#[test]
fn allocation_sites_are_objects_laid_out_as_what_they_are_cast_to() {
    check(
        "void *malloc(unsigned long); void free(void *);
         struct n { struct n *next; int *v; } *head; int x; int *r; struct n *second;
         int main(void) { for (int i = 0; i < 3; i++) { struct n *n = malloc(sizeof *n); n->next = head; n->v = &x; head = n; }
         r = head->v; second = head->next; free(head); return 0; }",
        expect![[r#"
            head: main.0
            r: x
            second: main.0
            n: main.0
        "#]],
    );
}

#[test]
fn realloc_moves_what_was_there() {
    check(
        "void *malloc(unsigned long); void *realloc(void *, unsigned long); int x; int **a, **b, *r;
         int main(void) { a = malloc(8); *a = &x; b = realloc(a, 16); r = b[0]; return 0; }",
        expect![[r#"
            a: main.0
            b: main.1
            r: x
        "#]],
    );
}

#[test]
fn calls_through_tables_reach_functions_of_the_right_arity() {
    check(
        "int x, y; int *f(int *p) { return p; } int *g(int *q) { return &y; } int *h(void) { return 0; }
         struct ops { int *(*call)(int *); } ops[] = { { f }, { g }, { (int *(*)(int *))h } }; int *r;
         int main(int n) { r = ops[n].call(&x); return 0; }",
        expect![[r#"
            p: x
            q: x
            ops: f g h
            r: x y
        "#]],
    );
}

#[test]
fn variadic_arguments_come_out_of_the_list() {
    check(
        "typedef __builtin_va_list va_list; int x, y; int *r; void keep(va_list l) { r = __builtin_va_arg(l, int *); }
         void f(int n, ...) { va_list l; __builtin_va_start(l, n); keep(l); __builtin_va_end(l); }
         int main(void) { f(1, &x); f(2, 0, &y); return 0; }",
        expect![[r#"
            r: x y
            l: l
            l: arguments of f
        "#]],
    );
}

#[test]
fn an_undefined_function_does_anything_with_what_it_can_reach() {
    check(
        "int *g(int **); int x, y, *p, *r, *local; static int *hidden; int main(void) { p = &x; hidden = &y; r = g(&p);
         local = p; return 0; }",
        expect![[r#"
            x: ?
            y: ?
            p: ?
            r: ?
            local: ?
            hidden: y
        "#]],
    );
}

#[test]
fn an_undefined_function_of_a_task_writes_nothing() {
    check_task(
        "int *g(int **); int x, *p, *r; int main(void) { p = &x; r = g(&p); return 0; }",
        expect![[r#"
        p: x
        r: ?
    "#]],
    );
}

#[test]
fn an_escaped_function_is_called_with_anything() {
    check(
        "void take(void (*)(int *)); int x, *seen; static void call(int *p) { seen = p; }
         int main(void) { take(call); return 0; }",
        expect![[r#"
            x: ?
            seen: ?
            p: ?
        "#]],
    );
}

#[test]
fn a_store_through_an_unknown_pointer_lets_escape() {
    check(
        "int **g(void); int x, *r; int main(void) { *g() = &x; r = *g(); return 0; }",
        expect![[r#"
            x: ?
            r: ?
        "#]],
    );
}

#[test]
fn without_main_everything_external_is_called_and_changed_from_outside() {
    check(
        "int x; int *shared; static int *own; static int y; void f(int *p) { own = p; }
         static void never(int *q) { own = &y; } int *read(void) { return shared; }",
        expect![[r#"
            x: ?
            shared: ?
            own: ? y
            p: ?
        "#]],
    );
}

#[test]
fn what_is_kept_is_known_outside() {
    let program = "static int x, y; static int *own, *other;
         static void first(int *p) { own = p; } static void second(int *q) { own = q; } static void third(int *r) { own = r; }
         static void (*entry)(int *) __attribute__((section(\".initcall\"))) = first;
         static void fourth(int *s) __attribute__((used)); static void fourth(int *s) { own = s; }
         static int *seen __attribute__((__used__)) = &x; static int *fast __attribute__((section(\".data..fast\"))) = &y;
         extern void (*start[])(int *); void run(void) { static int *z __attribute__((section(\"set\"))) = &x; start[0](other); }";
    let known = expect![[r#"
        x: ?
        own: ?
        p: ?
        entry: ?
        s: ?
        seen: ?
        fast: y
        start: ?
        z: ?
    "#]];
    check(program, known);
}

#[test]
fn constructors_are_given_something() {
    check(
        "static char **p, **q; __attribute__((constructor)) static void c(int n, char **v) { p = v; }
         static void d(int n, char **w) { q = w; } static void (*t[])(int, char **) __attribute__((section(\".init_array\"))) = { d };
         int main(void) { return 0; }",
        expect![[r#"
            p: ?
            q: ?
            v: ?
            w: ?
            t: d
        "#]],
    );
}

#[test]
fn library_functions_do_what_they_do_and_nothing_else() {
    check(
        "unsigned long strlen(const char *); char *strchr(const char *, int); int printf(const char *, ...);
         char *strdup(const char *); void *fopen(const char *, const char *); char *strcpy(char *, const char *);
         char buffer[8], *p, *q, *d; void *file; long strtol(const char *, char **, int); char *end;
         int main(void) { p = strchr(buffer, 'x'); printf(\"%s\", p); q = strcpy(buffer, \"a\"); d = strdup(q);
         file = fopen(\"f\", \"r\"); strtol(buffer, &end, 10); return (int)strlen(d); }",
        expect![[r#"
            p: buffer
            q: buffer
            d: main.3
            file: opaque main.4
            end: buffer
        "#]],
    );
}

#[test]
fn qsort_calls_back_with_elements() {
    check(
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *)); int a[4]; const int *seen;
         int compare(const void *x, const void *y) { seen = x; return 0; }
         int main(void) { qsort(a, 4, sizeof *a, compare); return 0; }",
        expect![[r#"
            seen: a
            x: a
            y: a
        "#]],
    );
}

#[test]
fn elements_are_as_large_as_said() {
    check(
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *)); const void *seen;
         struct s { int *a, *b; } s, t[2], *r; int x, y; int compare(const void *p, const void *q) { seen = p; return 0; }
         int main(int i) { s.a = &x; t[0].b = &y; qsort(&s, 2, 8, compare); qsort(t, 2, sizeof *t, compare);
         int *sb = s.b, *ta = t[0].a; r = (struct s *)((char *)t + i * sizeof *t); return 0; }",
        expect![[r#"
            seen: s[] t
            s: x
            t: y
            r: t
            p: s[] t
            q: s[] t
            sb: x
        "#]],
    );
}

#[test]
fn bytes_that_are_found_are_anywhere() {
    check(
        "void *mempcpy(void *, const void *, unsigned long); void *memccpy(void *, const void *, int, unsigned long);
         char *strchr(const char *, int); struct s { int *a, *b; char name[8]; } s, t; void *p, *q; char *r;
         int main(void) { p = mempcpy(&s, &t, 8); q = memccpy(&s, &t, 1, 8); r = strchr(s.name, 'x'); return 0; }",
        expect![[r#"
            p: s[]
            q: s[]
            r: s+16
        "#]],
    );
}

#[test]
fn memory_is_mapped_for_one_or_for_all() {
    check(
        "void *mmap(void *, unsigned long, int, int, int, long); void *p, *q, *r, *s; int x;
         int main(int n) { p = mmap(0, 1, 3, 0x22, -1, 0); q = mmap(0, 1, 3, 0x21, -1, 0); r = mmap(0, 1, 3, n, -1, 0);
         s = mmap(&x, 1, 3, 0x32, -1, 0); return 0; }",
        expect![[r#"
            p: main.0
            q: ?
            r: ?
            s: ? x
        "#]],
    );
}

#[test]
fn assembly_makes_its_outputs_unknown() {
    check(
        "int x, y, *p, *q, *r; int main(void) { p = &x; __asm__(\"\" : \"=r\"(q) : \"r\"(p));
         __asm__ volatile(\"\" : : \"r\"(&r) : \"memory\"); return 0; }",
        expect![[r#"
            p: x
            q: ? x
            r: ?
        "#]],
    );
}

#[test]
fn constant_addresses_are_outside_and_small_ones_nowhere() {
    check(
        "volatile int *device, *none, *failed; int main(void) { device = (int *)0x40001000; none = (int *)8;
         failed = (int *)-1; return 0; }",
        expect![[r#"
            device: ?
        "#]],
    );
}

#[test]
fn initialisers_are_assignments() {
    check(
        "int x, y; struct s { int n; int *p; } s = { 1, &x }, t[2] = { [1] = { .p = &y } }; int **pp = &t[1].p;
         char *text = \"abc\"; int main(void) { return 0; }",
        expect![[r#"
            s: x
            t: y
            pp: t+8
            text: string
        "#]],
    );
}

#[test]
fn library_functions_can_be_called_through_pointers() {
    check(
        "void *malloc(unsigned long); void *(*allocate)(unsigned long) = malloc; void *p; void (*gone)(void *);
         int main(void) { p = allocate(4); return 0; }",
        expect![[r#"
            allocate: malloc
            p: malloc.0
        "#]],
    );
}

#[test]
fn threads_run_with_their_argument() {
    check(
        "typedef unsigned long pthread_t; int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
         int x; void *seen; void *run(void *p) { seen = p; return 0; }
         int main(void) { pthread_t t; return pthread_create(&t, 0, run, &x); }",
        expect![[r#"
            seen: x
            p: x
        "#]],
    );
}

#[test]
fn a_function_that_only_has_the_name_of_a_library_function_is_unknown() {
    check(
        "int *remove(int *); int x, *r; int main(void) { r = remove(&x); return 0; }",
        expect![[r#"
        x: ?
        r: ?
    "#]],
    );
}

#[test]
fn the_arguments_of_the_program_are_known_to_main_alone() {
    check(
        "char *first, **all; void give(char **); int main(int argc, char **argv) { first = argv[0]; all = argv; return 0; }",
        expect![[r#"
            first: ?
            all: vector argv
            argv: vector argv
        "#]],
    );
    check(
        "char **seen; void give(char **); char **get(void); int main(int argc, char **argv) { give(argv); seen = get(); return 0; }",
        expect![[r#"
            seen: ?
            argv: vector argv
        "#]],
    );
}

#[test]
fn strings_are_made_where_pointers_are_read() {
    check(
        "int scanf(const char *, ...); int n; char text[8]; char *p, *q; struct { char *name; } s;
         int main(void) { scanf(\"%d %s %ms %ms\", &n, text, &p, &s.name); return 0; }",
        expect![[r#"
            p: ? main.0
            s: ? main.0
        "#]],
    );
}
