//! Properties of all analyses, and of all texts.

use hardbop_base::findings::MAX_ERRORS;
use hardbop_base::{Idx, Severity, Span};
use hardbop_lang_flow::tree::{
    BinaryOp, Binder, Call, Comparison, Condition, Declaration, Direction, Expr, ExprKind, FactKind, FactUse, Family,
    FamilyId, Form, Header, Junction, Length, Meet, Message, Meta, MetaId, MetaUse, Operand, Part, Pattern,
    Requirement, Rest, Rule, Set, SetKind, Sign, Site, Slot, Sort, Source, Target, Test, UnaryOp, Unknown, Update,
};
use hardbop_lang_flow::{Analysis, check, is_distributive, parse, print, shipped};
use proptest::prelude::{BoxedStrategy, Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use proptest::{collection::vec, option, sample};

const NOWHERE: Span = Span::new(0, 0);
const METAS: usize = 8;
const FAMILIES: usize = 3;

/// Takes `text` as far as it goes; the tree, where it could be read.
fn run(text: &str) -> Option<Analysis> {
    let (tree, findings) = parse(text, 7);
    assert!(findings.iter().filter(|finding| finding.severity == Severity::Error).count() <= MAX_ERRORS);
    let found_later = check(&tree);
    for finding in findings.iter().chain(&found_later) {
        let span = finding.span.expect("the place is known");
        assert!(7 <= span.start && span.start <= span.end && span.end as usize <= 7 + text.len());
        assert!(text.is_char_boundary(span.start as usize - 7) && text.is_char_boundary(span.end as usize - 7));
    }
    print(&tree);
    let is_error = |finding: &hardbop_base::Diagnostic| finding.severity == Severity::Error;
    if !findings.iter().chain(&found_later).any(is_error) {
        let _ = is_distributive(&tree);
    }
    (!findings.iter().any(is_error)).then_some(tree)
}

/// The tree as text, without places.
fn shape(tree: &Analysis) -> String {
    let text = format!("{tree:?}");
    let mut parts = text.split("Span { start: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shape, part| shape + part.split_once('}').expect("a span has an end").1)
}

fn meta() -> impl Strategy<Value = MetaUse> {
    (0..METAS).prop_map(|row| MetaUse { id: MetaId::from_usize(row), span: NOWHERE })
}

fn slot() -> impl Strategy<Value = Slot> {
    prop_oneof![meta().prop_map(Slot::Meta), Just(Slot::Any)]
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        slot().prop_map(Operand::Slot),
        Just(Operand::Null),
        (-9i64..9).prop_map(Operand::Number),
        slot().prop_map(Operand::Deref),
        slot().prop_map(Operand::Address),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let name = sample::select(vec!["malloc", "exec*", "*_lock", "a*b*", "exit", "return_", "_x"]);
    let callees = vec(name.prop_map(String::from), 0..3);
    let rest = prop_oneof![Just(Rest::Nothing), Just(Rest::Anything)];
    (callees, vec(operand(), 0..3), rest).prop_map(|(callees, arguments, rest)| Call { callees, arguments, rest })
}

fn operation() -> impl Strategy<Value = Source> {
    prop_oneof![
        (sample::select(UnaryOp::ALL), slot()).prop_map(|(op, slot)| Source::Unary(op, Operand::Slot(slot))),
        (operand(), sample::select(BinaryOp::ALL), operand())
            .prop_map(|(left, op, right)| Source::Binary(left, op, right)),
    ]
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        operand().prop_map(Source::Operand),
        (sample::select(UnaryOp::ALL), operand()).prop_map(|(op, operand)| match operand {
            // `-3` is a number.
            Operand::Number(_) => Source::Operand(operand),
            _ => Source::Unary(op, operand),
        }),
        operation(),
        call().prop_map(Source::Call),
    ]
}

fn set() -> impl Strategy<Value = Set> {
    let kinds: Vec<_> = SetKind::ALL.iter().map(|(_, kind)| *kind).collect();
    let lengths = [(); 2].map(|()| option::of(length()));
    (sample::select(kinds), option::of(meta()), lengths).prop_map(|(kind, argument, [length, times])| {
        let length = length.filter(|_| argument.is_some() && kind.has_length());
        Set { kind, argument, length, times: times.filter(|_| length.is_some()), span: NOWHERE }
    })
}

fn length() -> impl Strategy<Value = Length> {
    prop_oneof![meta().prop_map(Length::Meta), (0i64..9).prop_map(Length::Number)]
}

fn binder() -> impl Strategy<Value = Binder> {
    (meta(), set()).prop_map(|(meta, set)| Binder { meta, set })
}

fn condition() -> impl Strategy<Value = Condition> {
    prop_oneof![
        (set(), meta()).prop_map(|(set, meta)| Condition::Only(set, meta)),
        (meta(), set()).prop_map(|(meta, set)| Condition::In(meta, set)),
        (meta(), meta()).prop_map(|(left, right)| Condition::Is(left, right)),
        (meta(), meta()).prop_map(|(left, right)| Condition::IsNot(left, right)),
    ]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let target = prop_oneof![slot().prop_map(Target::Variable), slot().prop_map(Target::Deref)];
    let form = prop_oneof![
        Just(Form::Any),
        (target, source()).prop_map(|(target, source)| Form::Assign(target, source)),
        call().prop_map(Form::Call),
        call().prop_map(Form::Drop),
        option::of(operand()).prop_map(Form::Return),
        meta().prop_map(Form::Declare),
        (slot(), slot()).prop_map(|(target, source)| Form::Copy(target, source)),
        operand().prop_map(Form::Test),
    ];
    (option::of(meta()), form, vec(condition(), 0..2)).prop_map(|(statement, form, conditions)| Pattern {
        statement,
        form,
        conditions,
    })
}

fn fact() -> impl Strategy<Value = FactUse> {
    (0..FAMILIES, vec(meta(), 0..3)).prop_map(|(row, arguments)| FactUse {
        family: FamilyId::from_usize(row),
        arguments,
        span: NOWHERE,
    })
}

fn value() -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(ExprKind::Const),
        Just(ExprKind::Unknown),
        Just(ExprKind::New),
        (-9i64..9).prop_map(ExprKind::Number),
        fact().prop_map(ExprKind::Fact),
        meta().prop_map(ExprKind::Meta),
        (meta(), meta()).prop_map(|(left, right)| ExprKind::Is(left, right)),
    ];
    let placed = |kind| Expr { kind, span: NOWHERE };
    let junction = || prop_oneof![Just(Junction::And), Just(Junction::Or)];
    let sign = || prop_oneof![Just(Sign::Plus), Just(Sign::Minus)];
    let deeper = move |inner: BoxedStrategy<Expr>| {
        let pair = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            inner.clone().prop_map(|operand| ExprKind::Not(Box::new(operand))),
            (junction(), vec(inner.clone(), 2..4)).prop_map(|(junction, all)| ExprKind::Junction(junction, all)),
            pair().prop_map(|(left, right)| ExprKind::Implies(left, right)),
            (pair(), sample::select(Comparison::ALL))
                .prop_map(|((left, right), op)| ExprKind::Compare(left, op, right)),
            (pair(), sign()).prop_map(|((left, right), sign)| ExprKind::Sum(left, sign, right)),
            (junction(), inner.clone(), binder()).prop_map(|(op, body, binder)| ExprKind::Over(
                op,
                Box::new(body),
                binder
            )),
        ]
        .prop_map(placed)
        .boxed()
    };
    leaf.prop_map(placed).prop_recursive(4, 24, 3, move |inner| deeper(inner.boxed())).boxed()
}

fn message() -> impl Strategy<Value = Message> {
    let text = "[a {}\\\\\"`é]{1,4}".prop_map(Part::Text);
    // Two texts beside each other would be read as one.
    let hole = prop_oneof![3 => meta().prop_map(Part::Meta), 1 => Just(Part::Value)];
    let parts = (option::of(text.clone()), vec((hole, option::of(text)), 0..3));
    parts.prop_map(|(first, rest)| {
        let rest = rest.into_iter().flat_map(|(hole, text)| std::iter::once(hole).chain(text));
        Message { parts: first.into_iter().chain(rest).collect(), span: NOWHERE }
    })
}

fn update() -> impl Strategy<Value = Update> {
    (fact(), value(), vec(binder(), 0..2)).prop_map(|(target, value, binders)| Update { target, value, binders })
}

fn unknown() -> impl Strategy<Value = Unknown> {
    (meta(), value(), message()).prop_map(|(meta, value, message)| Unknown { meta, value, message, span: NOWHERE })
}

fn requirement() -> impl Strategy<Value = Requirement> {
    let function = || option::of(sample::select(vec!["main", "exit", "f"]).prop_map(String::from));
    let site = prop_oneof![
        (slot(), vec(condition(), 0..2)).prop_map(|(slot, conditions)| Site::Deref(slot, conditions)),
        (slot(), vec(condition(), 0..2)).prop_map(|(slot, conditions)| Site::Use(slot, conditions)),
        function().prop_map(Site::Entry),
        function().prop_map(Site::Exit),
        (operation(), vec(condition(), 0..2)).prop_map(|(source, conditions)| Site::Operation(source, conditions)),
        pattern().prop_map(Site::Statement),
    ];
    (site, value(), vec(binder(), 0..2), message()).prop_map(|(site, value, binders, message)| Requirement {
        site,
        value,
        binders,
        message,
        span: NOWHERE,
    })
}

fn test() -> impl Strategy<Value = Test> {
    let right = option::of((sample::select(Comparison::ALL), operand()));
    (operand(), right, value(), option::of(value())).prop_map(|(left, right, when_true, when_false)| Test {
        left,
        right,
        when_true,
        when_false,
        span: NOWHERE,
    })
}

fn declaration() -> impl Strategy<Value = Declaration> {
    let kind = prop_oneof![Just(FactKind::Boolean), Just(FactKind::Small), Just(FactKind::Target)];
    (vec(meta(), 0..3), kind, vec(binder(), 0..2), vec(message(), 0..3)).prop_map(
        |(parameters, kind, binders, readings)| Declaration { span: NOWHERE, parameters, kind, binders, readings },
    )
}

/// Any tree that the grammar allows, whether or not it makes sense.
fn analyses() -> impl Strategy<Value = Analysis> {
    let families = vec(declaration(), FAMILIES);
    let sorts: Vec<_> = Sort::ALL.iter().map(|(_, sort)| *sort).collect();
    let sides = (any::<bool>(), any::<bool>(), vec(sample::select(sorts), METAS));
    let rule = (pattern(), vec(update(), 1..3)).prop_map(|(pattern, updates)| Rule { pattern, updates, span: NOWHERE });
    let start = (vec(update(), 0..2), vec(unknown(), 0..2));
    let body = (start, vec(rule, 0..3), vec(test(), 0..2), vec(requirement(), 0..2));
    (families, sides, body).prop_map(|(families, (backward, must, sorts), (start, rules, tests, requirements))| {
        let name = |row: usize, what: &str| format!("{what}{row}");
        let meta = |(row, sort): (usize, Sort)| Meta { name: name(row, "m"), declared: Some((sort, NOWHERE)) };
        let family = |(row, declared)| Family { name: name(row, "f"), declared: Some(declared) };
        Analysis {
            header: Some(Header { name: "a".into(), title: "\"{\\".into(), span: NOWHERE }),
            direction: if backward { Direction::Backward } else { Direction::Forward },
            meet: if must { Meet::Intersection } else { Meet::Union },
            metas: sorts.into_iter().enumerate().map(meta).collect(),
            families: families.into_iter().enumerate().map(family).collect(),
            initially: start.0,
            unknowns: start.1,
            rules,
            tests,
            requirements,
        }
    })
}

/// A shipped text with pieces of it left out, doubled or replaced.
fn mutants() -> impl Strategy<Value = String> {
    let texts: Vec<_> = shipped::ALL.iter().map(|(_, text)| *text).collect();
    let scraps = vec![
        "",
        "\n",
        "(",
        ")",
        "{",
        "}",
        "*",
        "!",
        ":=",
        "for",
        "any",
        "\"",
        "--",
        ",",
        ":",
        "é",
        "\0",
        "on",
        "unknown",
        "{}",
        ": target",
        "9999999999999999999",
        "...",
    ];
    let change = (any::<sample::Index>(), 0..12usize, sample::select(scraps), any::<bool>());
    (sample::select(texts), vec(change, 1..6)).prop_map(|(text, changes)| {
        let mut characters: Vec<char> = text.chars().collect();
        for (place, length, scrap, is_copy) in changes {
            let start = place.index(characters.len() + 1);
            let end = (start + length).min(characters.len());
            let cut: Vec<_> = characters.splice(start..end, scrap.chars()).collect();
            if is_copy {
                let again = place.index(characters.len() + 1);
                characters.splice(again..again, cut);
            }
        }
        characters.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_parses_back(tree in analyses()) {
        let text = print(&tree);
        let (again, findings) = parse(&text, 0);
        prop_assert_eq!(findings, [], "{}", text);
        prop_assert_eq!(shape(&again), shape(&tree), "{}", text);
        check(&tree);
        run(&text);
    }

    #[test]
    fn no_mutant_of_a_shipped_analysis_breaks_anything(text in mutants()) {
        if let Some(tree) = run(&text) {
            let printed = print(&tree);
            let (again, findings) = parse(&printed, 0);
            prop_assert_eq!(findings, [], "{}", printed);
            prop_assert_eq!(print(&again), printed);
        }
    }

    #[test]
    fn no_text_breaks_anything(text in "(\\PC|[ \n\t\"{}()*:=!&|<>.,_-]){0,80}") {
        run(&text);
    }
}
