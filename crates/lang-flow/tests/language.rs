//! The language of analyses: what is read, what is wrong with it word by word, and what is shipped.

use expect_test::{Expect, expect};
use hardbop_base::{Diagnostic, Severity, SourceMap};
use hardbop_lang_flow as analysis;
use hardbop_lang_flow::{Analysis, CODES, is_distributive, name_matches, shipped};

/// The findings of `parse` or, where that has no errors, of `check` as well.
fn find(source: &str) -> (Analysis, Vec<Diagnostic>) {
    let (tree, mut findings) = analysis::parse(source, 0);
    if findings.iter().all(|finding| finding.severity != Severity::Error) {
        findings.extend(analysis::check(&tree));
    }
    (tree, findings)
}

fn render(source: &str, findings: &[Diagnostic]) -> String {
    let mut sources = SourceMap::default();
    sources.add("test.flow", source.into()).expect("a test is small");
    let mut text = String::new();
    for finding in findings {
        assert!(CODES.contains(&finding.code), "{}", finding.code);
        let place = sources.locate(finding.span.expect("every finding has its place"));
        let warning = if finding.severity == Severity::Warning { "warning " } else { "" };
        text += &format!("{}:{}: {warning}{}: {}\n", place.line, place.column, finding.code, finding.message);
        if let Some((what, span)) = &finding.related {
            let place = sources.locate(*span);
            text += &format!("  {what}: {}:{}\n", place.line, place.column);
        }
        if let Some(help) = &finding.help {
            text += &format!("  {help}\n");
        }
    }
    text
}

#[track_caller]
fn check(source: &str, expect: Expect) {
    let (_, findings) = find(source);
    expect.assert_eq(&render(source, &findings));
}

const HEAD: &str = r#"analysis t "a test"
var p, q : pointer
var i, j : integer
var v, u : scalar
var x, y : object
var c : constant
var e : expression
var d : definition
var s : statement
fact null(p)
fact at(p, x) for x in pts(p)
fact value(i) : small "{i} = {}"
initially null(p) := * for p in pointers, at(p, x) := * for p in pointers for x in pts(p)
initially value(i) := 0 for i in integers
"#;

/// The same for clauses after a head of 14 lines that declares metavariables and facts.
#[track_caller]
fn check_clauses(clauses: &str, expect: Expect) {
    check(&format!("{HEAD}{clauses}"), expect);
}

/// The canonical text of clauses after the head.
#[track_caller]
fn check_print(clauses: &str, expect: Expect) {
    let head = analysis::print(&find(HEAD).0);
    let (tree, findings) = find(&format!("{HEAD}{clauses}"));
    assert!(findings.iter().all(|finding| finding.severity == Severity::Warning), "{findings:?}");
    let text = analysis::print(&tree);
    assert_eq!(analysis::print(&find(&text).0), text);
    expect.assert_eq(text.strip_prefix(&head).expect("the head is printed first"));
}

/// Why the analysis of the head without numbers, and these clauses, is no subset problem.
#[track_caller]
fn check_distributive(clauses: &str, expect: Expect) {
    let head: Vec<_> = HEAD.lines().filter(|line| !line.contains("value(i)")).collect();
    let source = format!("{}\n{clauses}", head.join("\n"));
    let (tree, findings) = find(&source);
    assert!(findings.iter().all(|finding| finding.severity == Severity::Warning), "{findings:?}");
    let refusal = is_distributive(&tree).err();
    expect.assert_eq(&refusal.map(|finding| render(&source, &[finding])).unwrap_or_default());
}

#[test]
fn shipped_analyses_have_nothing_wrong() {
    for (name, text) in shipped::ALL {
        let (tree, findings) = find(text);
        assert_eq!(render(text, &findings), "", "{name}");
        assert_eq!(tree.name(), *name);
        assert_eq!(shipped::text(name), Some(*text));
        let printed = analysis::print(&tree);
        let (again, findings) = find(&printed);
        assert_eq!(findings, [], "{name}");
        assert_eq!(analysis::print(&again), printed, "{name}");
    }
    assert_eq!(shipped::text("nil"), None);
}

#[test]
fn shipped_subset_problems_are_the_textbook_ones() {
    let is_subset = |name: &&str| is_distributive(&find(shipped::text(name).unwrap()).0).is_ok();
    let names: Vec<_> = shipped::ALL.iter().map(|(name, _)| *name).filter(is_subset).collect();
    assert_eq!(names, ["available", "live", "reaching", "taint"]);
}

#[test]
fn a_clause_goes_on_in_indented_lines_and_after_a_comma() {
    let text =
        "on p = NULL:\n   null(p) := true\non p = q: null(p) := null(q),\nat(p, x) := at(q, x) for x in pts(q) -- so\n";
    check_print(
        text,
        expect![[r#"
        on p = NULL: null(p) := true
        on p = q: null(p) := null(q), at(p, x) := at(q, x) for x in pts(q)
    "#]],
    );
}

#[test]
fn every_pattern_reads_and_prints() {
    check_print(
        r#"
on p = &_:                            null(p) := false
on p = *q:                            null(p) := *
on p = q + e:                         null(p) := null(q)
on p = {malloc, calloc, my_*}(...):   null(p) := *
on *p = NULL where pts(p) = {q}:      null(q) := true
on *p = e where pts(p) = {q} & q in globals & q is not p: null(q) := *
on _ = exec*(_, &x, -1, *p, ...):     null(p) := false
on {*_free}(p):                       null(p) := true
on _(p):                              null(p) := *
on exit(3):                           null(p) := * for p in locals
on i = -j:                            value(i) := *
on i = j - -1:                        value(i) := value(j) - -1 + value(i) - 2
on return e:                          null(p) := * for p in reads(e)
on return:                            null(p) := * for p in locals
on declare p:                         null(p) := *
on copy p = q:                        null(p) := null(q)
on copy _ = _:                        null(p) := * for p in locals
on test e:                            null(p) := * for p in reads(e)
on f(e):                              null(p) := * for p in memory(e)
on g(e, c):                           null(p) := * for p in memory(e, c)
on s: _:                              null(p) := * for p in reads(s)
"#,
        expect![[r#"
            on p = &_: null(p) := false
            on p = *q: null(p) := *
            on p = q + e: null(p) := null(q)
            on p = {malloc, calloc, my_*}(...): null(p) := *
            on *p = NULL where pts(p) = {q}: null(q) := true
            on *p = e where pts(p) = {q} & q in globals & q is not p: null(q) := *
            on _ = exec*(_, &x, -1, *p, ...): null(p) := false
            on {*_free}(p): null(p) := true
            on _(p): null(p) := *
            on exit(3): null(p) := * for p in locals
            on i = -j: value(i) := *
            on i = j - -1: value(i) := value(j) - -1 + value(i) - 2
            on return e: null(p) := * for p in reads(e)
            on return: null(p) := * for p in locals
            on declare p: null(p) := *
            on copy p = q: null(p) := null(q)
            on copy _ = _: null(p) := * for p in locals
            on test e: null(p) := * for p in reads(e)
            on f(e): null(p) := * for p in memory(e)
            on g(e, c): null(p) := * for p in memory(e, c)
            on s: _: null(p) := * for p in reads(s)
        "#]],
    );
}

#[test]
fn values_bind_as_tightly_as_they_look() {
    check_print(
        r#"
on p = q: null(p) := (null(p) | (null(q) & !(null(p) & null(q)))) -> (null(q) -> true)
on p = &x: null(p) := (null(p) -> null(p)) -> (value(i) = 3) & !(x is y) for i in locals for y in objects
on p = e: null(p) := ((any null(q) for q in reads(e)) | all (!null(q) -> true) for q in pts(e)) & true
if i < c: value(i) < c else (value(i) + 1) - (c + 1) >= 0
if p: !null(p)
at *p where p in globals: require !null(p) "`{p}` {{may}} be \"NULL\" \\ here"
at use v: require true "{v}"
at exit of main: require !null(p) for p in pointers "{p}"
at entry: require false ""
at d: v = e: require true "{d} {v}"
"#,
        expect![[r#"
            on p = q: null(p) := null(p) | null(q) & !(null(p) & null(q)) -> null(q) -> true
            on p = &x: null(p) := (null(p) -> null(p)) -> value(i) = 3 & !(x is y) for i in locals for y in objects
            on p = e: null(p) := ((any null(q) for q in reads(e)) | (all !null(q) -> true for q in pts(e))) & true
            if i < c: value(i) < c else value(i) + 1 - (c + 1) >= 0
            if p: !null(p)
            at *p where p in globals: require !null(p) "`{p}` {{may}} be \"NULL\" \\ here"
            at use v: require true "{v}"
            at exit of main: require !null(p) for p in pointers "{p}"
            at entry: require false ""
            at d: v = e: require true "{d} {v}"
        "#]],
    );
}

#[test]
fn a_file_begins_with_its_name() {
    check(
        "",
        expect![[r#"
        1:1: no-analysis: an analysis begins with its name
          write `analysis NAME "what it finds"` into the first line
    "#]],
    );
    check(
        "-- nothing\nvar p : pointer\n",
        expect![[r#"
        1:1: no-analysis: an analysis begins with its name
          write `analysis NAME "what it finds"` into the first line
    "#]],
    );
    check(
        "analysis a \"b\"\nanalysis c \"d\"",
        expect![[r#"
        2:1: duplicate-clause: a file has one analysis
          the first begins here: 1:1
    "#]],
    );
    check(
        "analysis a",
        expect![[r#"
        1:11: syntax: expected what the analysis finds, in double quotes, found the end of the file
    "#]],
    );
    check(
        "analysis a b",
        expect![[r#"
        1:12: syntax: expected what the analysis finds, in double quotes, found `b`
    "#]],
    );
}

#[test]
fn what_is_said_twice_is_wrong() {
    check(
        "analysis a \"b\"\nmeet union\nmeet union\ndirection forward\ndirection backward\nvar p, p : pointer\nfact f(p)\nfact f(p)\non _: f(p) := true for p in pointers",
        expect![[r#"
            3:1: duplicate-clause: the meet is said twice
              first here: 2:1
            5:1: duplicate-clause: the direction is said twice
              first here: 4:1
            6:8: duplicate-metavariable: `p` is declared twice
              first declared here: 6:5
            8:6: duplicate-fact: `f` is declared twice
              first declared here: 7:6
        "#]],
    );
}

#[test]
fn clauses_have_known_words() {
    check_clauses(
        "one p = e: null(p) := *\nfacts f(p)\n{} on",
        expect![[r#"
            15:1: syntax: expected a clause, found `one`; did you mean `on`?
              a clause begins with `analysis`, `direction`, `meet`, `var`, `fact`, `initially`, `unknown`, `on`, `if` or `at`; a line that goes on with the clause before is indented
            16:1: syntax: expected a clause, found `facts`; did you mean `fact`?
              a clause begins with `analysis`, `direction`, `meet`, `var`, `fact`, `initially`, `unknown`, `on`, `if` or `at`; a line that goes on with the clause before is indented
            17:1: syntax: expected a clause, found `{`
              a clause begins with `analysis`, `direction`, `meet`, `var`, `fact`, `initially`, `unknown`, `on`, `if` or `at`; a line that goes on with the clause before is indented
        "#]],
    );
    check_clauses(
        "direction sideways\nmeet join\nvar z : pointr\nvar z pointer",
        expect![[r#"
        15:11: syntax: expected `forward` or `backward`, found `sideways`
        16:6: syntax: expected `union` or `intersection`, found `join`
        17:9: unknown-sort: `pointr` is no sort; did you mean `pointer`?
          the sorts are pointer, integer, scalar, object, constant, expression, definition, statement
        18:7: syntax: expected `,`, or `:` and what they stand for, found `pointer`
    "#]],
    );
    check_clauses(
        "on p = e: null(p) := * for p in reads",
        expect![[r#"
        15:28: metavariable-in-use: `p` stands for something already
          let another metavariable go through the set
        15:33: set-arity: `reads` is a set of something
          write `reads(…)`
    "#]],
    );
    check_clauses(
        "on p = e: null(q) := * for q in read(e)\non p = e: null(q) := * for q in pts[e]",
        expect![[r#"
            15:33: unknown-set: `read` is no set; did you mean `reads`?
              the sets are pts, memory, string, reach, printed, reads, writes, definitions, mentioning, parts, globals, locals, parameters, pointers, integers, scalars, objects, expressions
            16:36: unknown-character: `[` means nothing in an analysis
            16:38: unknown-character: `]` means nothing in an analysis
        "#]],
    );
}

#[test]
fn names_are_declared() {
    check_clauses(
        "on pp = qq: nul(pp) := nul(qq), null(pp) := true\nat *p: require !nul(p) \"{r}\"",
        expect![[r#"
        10:6: warning fact-never-read: nothing reads the fact `null`
        11:6: warning fact-never-read: nothing reads the fact `at`
        12:6: warning fact-never-read: nothing reads the fact `value`
        15:4: undeclared-metavariable: `pp` is not declared; did you mean `p`?
          say what it stands for, for instance `var pp : pointer`
        15:9: undeclared-metavariable: `qq` is not declared; did you mean `q`?
          say what it stands for, for instance `var qq : pointer`
        15:13: undeclared-fact: there is no fact `nul`; did you mean `null`?
        16:26: undeclared-metavariable: `r` is not declared
          say what it stands for, for instance `var r : pointer`
    "#]],
    );
    check_clauses(
        "on true = e: null(p) := *",
        expect![[r#"
        15:4: reserved-name: expected a metavariable, found the keyword `true`
    "#]],
    );
    check_clauses(
        "var for : pointer",
        expect![[r#"
        15:5: reserved-name: expected a metavariable, found the keyword `for`
    "#]],
    );
}

#[test]
fn metavariables_are_bound() {
    check_clauses(
        "on p = NULL: null(q) := true",
        expect![[r#"
        15:19: unbound-metavariable: nothing says what `q` stands for here
          name it in the pattern, or add `for q in SET`
    "#]],
    );
    check_clauses(
        "on p = NULL: null(p) := null(q)",
        expect![[r#"
        15:30: unbound-metavariable: nothing says what `q` stands for here
          name it in the pattern, or add `for q in SET`
    "#]],
    );
    check_clauses(
        "on p = q: null(p) := * for p in pts(p)",
        expect![[r#"
        15:28: metavariable-in-use: `p` stands for something already
          let another metavariable go through the set
    "#]],
    );
    check_clauses(
        "at *p: require !null(p) \"{q} is NULL\"",
        expect![[r#"
        11:6: warning fact-never-read: nothing reads the fact `at`
        12:6: warning fact-never-read: nothing reads the fact `value`
        15:27: unbound-metavariable: nothing says what `q` stands for here
          name it in the pattern, or add `for q in SET`
    "#]],
    );
    check_clauses(
        "on p = q where v in globals: null(p) := null(q)",
        expect![[r#"
        15:16: unbound-metavariable: nothing says what `v` stands for here
          name it in the pattern, or add `for v in SET`
    "#]],
    );
    check_clauses(
        "fact three(p) for x in pts(p)\non p = e: three(p) := all three(q) for q in reads(e)",
        expect![[r#"
            15:19: unbound-metavariable: nothing says what `x` stands for here
              name it in the pattern, or add `for x in SET`
        "#]],
    );
}

#[test]
fn memory_is_of_a_pointer_and_may_have_a_length() {
    check_clauses(
        "on d: p = e: null(p) := * for u in memory(e, d) for q in memory",
        expect![[r#"
        15:46: wrong-sort: `d` is a definition, but a length has a value
        15:58: set-arity: `memory` is a set of something
          write `memory(…)`
    "#]],
    );
    check_clauses("on p = e: null(p) := * for u in memory(e, 8 * e)", expect![[r#""#]]);
    check_clauses(
        "on d: p = e: null(p) := * for u in memory(e, 8 * d)",
        expect![[r#"
        15:50: wrong-sort: `d` is a definition, but a length has a value
    "#]],
    );
    check_clauses(
        "on p = e: null(p) := * for u in reads(e, e)",
        expect![[r#"
        15:40: syntax: expected `)`, found `,`
    "#]],
    );
}

#[test]
fn sorts_and_arities_fit() {
    check_clauses(
        "on v = e: null(v) := *, null(v, v) := true, null() := true",
        expect![[r#"
        15:16: wrong-sort: `v` is a scalar, but here `null` wants a pointer
        15:25: fact-arity: `null` has 1 argument, not 2
          declared here: 10:6
        15:45: fact-arity: `null` has 1 argument, not 0
          declared here: 10:6
    "#]],
    );
    check_clauses(
        "on c = e: null(p) := * for p in pts(i)",
        expect![[r#"
        15:4: wrong-sort: `c` is a constant, but what is assigned is a variable
        15:37: unbound-metavariable: nothing says what `i` stands for here
          name it in the pattern, or add `for i in SET`
        15:37: wrong-sort: `i` is an integer, but `pts` is not of such
    "#]],
    );
    check_clauses(
        "on *i = &c: null(p) := * for p in definitions(v)",
        expect![[r#"
        15:5: wrong-sort: `i` is an integer, but what `*` is applied to is a pointer
        15:10: wrong-sort: `c` is a constant, but what has an address is a variable
        15:30: wrong-sort: `p` is a pointer, but each member of `definitions` is a definition
        15:47: unbound-metavariable: nothing says what `v` stands for here
          name it in the pattern, or add `for v in SET`
    "#]],
    );
    check_clauses(
        "on v: p = d: null(p) := p is d",
        expect![[r#"
        15:4: wrong-sort: `v` is a scalar, but this names a statement
        15:11: wrong-sort: `d` is a definition, but what stands here has a value
        15:25: wrong-sort: `p` is a pointer, but `d` is a definition: they are never the same
    "#]],
    );
    check_clauses(
        "on p = e: null(p) := * for q in globals(e) for u in reads",
        expect![[r#"
        15:33: set-arity: `globals` has no argument
          write `globals`
        15:53: set-arity: `reads` is a set of something
          write `reads(…)`
    "#]],
    );
    check_clauses(
        "fact f(c)\nfact g(p, p)\non p = e: f(p) := true, g(p, p) := true",
        expect![[r#"
        15:8: wrong-sort: there are no facts about every constant
        16:11: duplicate-metavariable: `p` is two parameters of one fact
        17:13: wrong-sort: `p` is a pointer, but here `f` wants a constant
    "#]],
    );
}

#[test]
fn numbers_are_no_truth_values() {
    check_clauses(
        "on i = c: value(i) := true\non p = NULL: null(p) := 1",
        expect![[r#"
        15:23: wrong-type: this is true or false, where a number is wanted
          numbers come from `: small` facts
        16:25: wrong-type: this is a number, where something true or false is wanted
          write `true`, `false` or a comparison
    "#]],
    );
    check_clauses(
        "on i = j: value(i) := value(j) + null(p) for p in locals",
        expect![[r#"
        15:34: wrong-type: this is true or false, where a number is wanted
          numbers come from `: small` facts
    "#]],
    );
    check_clauses(
        "if i < c: value(i) = null(i)\nif i == c: value(i) & true",
        expect![[r#"
        15:22: wrong-type: this is true or false, where a number is wanted
          numbers come from `: small` facts
        15:27: wrong-sort: `i` is an integer, but here `null` wants a pointer
        16:12: wrong-type: this is a number, where something true or false is wanted
          write `true`, `false` or a comparison
    "#]],
    );
    check_clauses(
        "on i = j + 9223372036854775808: value(i) := j",
        expect![[r#"
        15:12: number-too-large: this number has more than 63 bits
    "#]],
    );
}

#[test]
fn a_backward_analysis_requires_nothing() {
    check_clauses(
        "direction backward\non p = e: null(p) := *\nat *p: require !null(p) \"\"",
        expect![[r#"
        11:6: warning fact-never-read: nothing reads the fact `at`
        12:6: warning fact-never-read: nothing reads the fact `value`
        17:4: require-backward: a backward analysis cannot require anything
          its facts are about what follows; take the clause out, or make the analysis forward
    "#]],
    );
}

#[test]
fn at_the_start_there_is_nothing_to_read() {
    check_clauses(
        "initially null(p) := null(q) for p in pointers for q in pointers",
        expect![[r#"
        15:22: initial-fact: at the start there are no facts to read yet
          write `true`, `false` or `*`
    "#]],
    );
}

#[test]
fn useless_facts_and_rules_are_warned_of() {
    check(
        "analysis a \"b\"\nvar p : pointer\nfact f(p)\nfact g(p)\non p = _: g(p) := g(p)\nat *p: require true \"\"",
        expect![[r#"
            3:6: warning fact-never-set: no rule sets the fact `f`
            4:6: warning fact-never-read: nothing reads the fact `g`
        "#]],
    );
    check_clauses(
        "on p = e: null(p) := *\non p = q + e: null(p) := null(q)\non p = {malloc}(e): null(p) := *, at(p, x) := * for x in pts(p)",
        expect![[r#"
            16:4: warning unreachable-rule: this rule never applies: an earlier one matches everything it matches
              the earlier rule: 15:4
              the first rule that matches counts; move this one up, or remove it
        "#]],
    );
    check_clauses(
        "on f*(p, ...): null(p) := *\non p = free(q, q): null(q) := *\non gree(p): null(p) := *\non i = c: value(i) := c\non i = 7: value(i) := 7",
        expect![[r#"
            16:4: warning unreachable-rule: this rule never applies: an earlier one matches everything it matches
              the earlier rule: 15:4
              the first rule that matches counts; move this one up, or remove it
            19:4: warning unreachable-rule: this rule never applies: an earlier one matches everything it matches
              the earlier rule: 18:4
              the first rule that matches counts; move this one up, or remove it
        "#]],
    );
    check_clauses("on p = p: null(p) := *\non p = q: null(p) := null(q)", expect![[r#""#]]);
    check_clauses("on copy p = q: null(p) := null(q)\non p = q: null(p) := *", expect![[r#""#]]);
    check_clauses(
        "on p = _: null(p) := *\non copy p = q: null(p) := null(q)",
        expect![[r#"
            16:4: warning unreachable-rule: this rule never applies: an earlier one matches everything it matches
              the earlier rule: 15:4
              the first rule that matches counts; move this one up, or remove it
        "#]],
    );
}

#[test]
fn small_slips_are_explained() {
    check_clauses(
        "on p == q: null(p) := *;",
        expect![[r#"
        15:6: syntax: expected `=`, found `==`
          a pattern is written as in C: `p = e`
        15:24: unknown-character: `;` means nothing in an analysis
          a clause ends with its line; updates are separated by `,`
    "#]],
    );
    check_clauses(
        "on p = q: null(p) = null(q)",
        expect![[r#"
        15:19: syntax: expected `:=`, found `=`
          a fact is set with `:=`
    "#]],
    );
    check_clauses(
        "if p = NULL: null(p)",
        expect![[r#"
        15:6: syntax: expected `==`, found `=`
          a condition is written as in C: `p == NULL`
    "#]],
    );
    check_clauses(
        "on p = q: null(p) := null(p) || null(q) // so",
        expect![[r#"
        15:30: syntax: expected `|`, found `||`
          `&` and `|` stand between values
    "#]],
    );
    check_clauses(
        "on p = q: null(p) := true // so",
        expect![[r#"
        15:27: syntax: expected the end of the clause, found `/`
          a comment begins with `--`
    "#]],
    );
}

#[test]
fn unfinished_values_and_patterns_are_explained() {
    check_clauses(
        "on p = q + i + j: null(p) := true",
        expect![[r#"
        15:14: syntax: expected `:` or `where`, found `+`
          statements have been taken apart: a right-hand side has one operator
    "#]],
    );
    check_clauses(
        "on p = q: null(p) := any null(q)",
        expect![[r#"
        15:33: syntax: expected `for`, found the end of the file
          this `any` needs a set: 15:22
          write `any F for u in SET`
    "#]],
    );
    check_clauses(
        "on p = q: null(p) := value(i) < 2 < 3",
        expect![[r#"
        15:35: syntax: expected an operator that is no comparison, found `<`
          write the parentheses
    "#]],
    );
    check_clauses(
        "on p = q: null := true",
        expect![[r#"
        15:16: syntax: expected `(`, found `:=`
          a fact has parentheses: `null(…)`
    "#]],
    );
    check_clauses(
        "on p = f(q: null(p) := true",
        expect![[r#"
        15:11: syntax: expected `,` or `)`, found `:`
          opened here: 15:9
    "#]],
    );
}

#[test]
fn unfinished_requirements_and_texts_are_explained() {
    check_clauses(
        "at *p: !null(p)",
        expect![[r#"
        15:8: syntax: expected `require`, found `!`
    "#]],
    );
    check_clauses(
        "at *p: require !null(p)",
        expect![[r#"
        15:24: syntax: expected what to say where it does not hold, in double quotes, found the end of the file
          such as `at *p: require !null(p) "`{p}` may be NULL"`
    "#]],
    );
    check_clauses(
        "at *p: require !null(p)\n\n",
        expect![[r#"
        15:24: syntax: expected what to say where it does not hold, in double quotes, found the end of the file
          such as `at *p: require !null(p) "`{p}` may be NULL"`
    "#]],
    );
    check_clauses(
        "at *p: require !null(p) \"oh",
        expect![[r#"
        15:25: unterminated-string: this text has no end in its line
          add `"`
    "#]],
    );
    check_clauses(
        "at *p: require !null(p) \"{p is }\"",
        expect![[r#"
        15:25: message-placeholder: braces in a text stand around a metavariable
          write `{p}`, or `{{` and `}}` for the braces themselves
    "#]],
    );
    check_clauses(
        "on p = q: null(p) := true\n  on p = e: null(p) := *",
        expect![[r#"
        16:3: syntax: expected the end of the clause, found `on`
    "#]],
    );
    check_clauses(
        "on p = é: null(p) := @@",
        expect![[r#"
        15:8: unknown-character: `é` means nothing in an analysis
        15:22: unknown-character: `@` means nothing in an analysis
    "#]],
    );
}

#[test]
fn nesting_has_a_limit() {
    let deep = |open: &str, close: &str| format!("on p = q: null(p) := {}true{}", open.repeat(500), close.repeat(500));
    for text in [deep("(", ")"), deep("!", ""), deep("true -> ", ""), deep("any (", ") for u in locals")] {
        let (_, findings) = analysis::parse(&format!("{HEAD}{text}"), 0);
        assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["nested-too-deeply"]);
    }
    let sum = format!("{HEAD}on i = j: value(i) := 0{}", " + 1".repeat(500));
    assert_eq!(analysis::parse(&sum, 0).1[0].code, "nested-too-deeply");
    let wide = format!("{HEAD}on p = q: null(p) := true{}", " | null(q)".repeat(50_000));
    assert_eq!(find(&wide).1, []);
}

#[test]
fn what_distributes_is_a_subset_problem() {
    check_distributive(
        "on p = q: null(p) := null(q) | (any at(q, y) for y in pts(q)) | true, at(p, x) := (x is y) & at(q, y) for x in pts(p) for y in pts(q)\non p = e: null(p) := *\nat *p: require !null(p) & (null(p) -> false) \"\"",
        expect![[r#""#]],
    );
    check_distributive(
        "meet intersection\non p = q: null(p) := null(q) & null(p)\nat *p: require null(p) \"\"",
        expect![[r#""#]],
    );
}

#[test]
fn what_goes_backwards_can_only_be_solved_fact_by_fact() {
    check_distributive(
        "direction backward\non p = q: null(p) := null(q) & null(p)",
        expect![[r#"
        14:22: not-distributive: this needs two facts at once, and with `meet union` one must be enough
          in this rule: 14:4
          backwards facts are solved one by one: use `|` and `any` only
    "#]],
    );
}

#[test]
fn what_does_not_distribute_is_refused_with_its_rule() {
    check_distributive(
        "on p = e: null(p) := *\non p = q: null(p) := null(q) & null(p)",
        expect![[r#"
        14:22: not-distributive: this needs two facts at once, and with `meet union` one must be enough
          in this rule: 14:4
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]],
    );
    check_distributive(
        "on p = q: null(p) := !null(q)",
        expect![[r#"
        13:22: not-distributive: a set of facts does not say what follows from the absence of one
          in this rule: 13:4
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]],
    );
    check_distributive(
        "on p = q: null(p) := null(p) = null(q)",
        expect![[r#"
        13:22: not-distributive: this depends on more than one fact at a time
          in this rule: 13:4
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]],
    );
    check_distributive(
        "meet intersection\non p = q: null(p) := null(q) | null(p)",
        expect![[r#"
        14:22: not-distributive: this needs only one of two facts, and with `meet intersection` all must be needed
          in this rule: 14:4
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]],
    );
    check_distributive(
        "on p = e: null(p) := all null(q) for q in reads(e)",
        expect![[r#"
        13:22: not-distributive: this needs two facts at once, and with `meet union` one must be enough
          in this rule: 13:4
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]],
    );
    check_distributive(
        "on p = q: null(p) := null(q)\nat *p: require null(p) \"\"",
        expect![[r#"
        14:16: not-distributive: with `meet union` only what may hold is known, not what must
          required here: 14:4
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]],
    );
    check_distributive(
        "fact n(i) : small \"{i} = {}\"\non i = c: n(i) := c",
        expect![[r#"
        13:6: not-distributive: `n` is a number, and a set of facts has no numbers
          such an analysis needs sets of sets of facts: use `path`, `projections` or `flow`
    "#]],
    );
}

#[test]
fn a_star_in_a_name_stands_for_any_characters() {
    let all = |pattern: &str, names: &[&str]| names.iter().map(|name| name_matches(pattern, name)).collect::<Vec<_>>();
    assert_eq!(all("pthread_*_lock", &["pthread_mutex_lock", "pthread_lock", "pthread__lock"]), [true, false, true]);
    assert_eq!(all("exec*", &["exec", "execve", "my_exec"]), [true, true, false]);
    assert_eq!(all("*a*b", &["ab", "xaxbxb", "ba", "b"]), [true, true, false, false]);
    assert_eq!(all("free", &["free", "freed"]), [true, false]);
    assert_eq!(all("a*a", &["a", "aa"]), [false, true]);
}
