//! Invariants and summaries of small programs.

use crate::language::lower;
use expect_test::{Expect, expect};
use hardbop_base::{Budget, Exhausted};
use hardbop_icfg::{Program, Relation, VarId};
use hardbop_pushdown::invariants::{Frame, invariants};
use hardbop_pushdown::ladder::{FIRST_ATTEMPT, TRACE_ATTEMPT};
use hardbop_pushdown::{Evidence, Options, Switch};

/// All optimisations whose bits are not set.
pub fn options(off: u32) -> Options {
    let switch = |bit: u32| if off >> bit & 1 == 0 { Switch::On } else { Switch::Off };
    Options {
        order: Switch::On,
        class: Switch::On,
        post: Switch::On,
        rough: Switch::On,
        unroll: Switch::On,
        slice: Switch::On,
        mod_ref: switch(0),
        liveness: Switch::On,
        chains: switch(1),
        frontiers: switch(2),
        concrete: Switch::On,
        insensitive: Switch::On,
        evidence: Evidence::None,
        first_attempt: FIRST_ATTEMPT,
        trace_attempt: TRACE_ATTEMPT,
    }
}

fn names(program: &Program<Relation>, vars: &[VarId]) -> String {
    let names: Vec<&str> = vars.iter().map(|&var| program.vars[var].name.as_str()).collect();
    names.join(", ")
}

/// One line for each node, with what its line of the source says, and one for each procedure.
fn pretty(source: &str, off: u32) -> String {
    let (program, sources) = lower(source);
    let found = invariants(&program, &options(off), &Budget::unlimited()).expect("there is no limit");
    let mut text = String::new();
    for (node, states) in found.nodes.iter_enumerated() {
        let span = program.icfg.nodes[node].span;
        let file = sources.file_of(span);
        let line = sources.text(file.line_span(sources.locate(span).line).expect("it is a line of the file")).trim();
        text += &format!("{line:<20} {}\n", states.formula);
    }
    for (proc, summary) in found.summaries.iter_enumerated() {
        let name = &program.icfg.procs[proc].name;
        let Some(summary) = summary else {
            text += &format!("{name} is never entered\n");
            continue;
        };
        let frame = match &summary.frame {
            Frame::ExitOnly => "ends with".into(),
            Frame::Changes(vars) if vars.is_empty() => "changes nothing,".into(),
            Frame::Changes(vars) => format!("changes only {},", names(&program, vars)),
        };
        text += &format!("{name} {frame} {}\n", summary.formula);
    }
    text
}

#[track_caller]
fn check(source: &str, expect: Expect) {
    let text = pretty(source, 0);
    expect.assert_eq(&text);
    for off in 1..8 {
        assert_eq!(pretty(source, off), text, "without the optimisations {off:#b}");
    }
}

#[test]
fn summaries_relate_entry_and_exit() {
    check(
        "decl g, h;
        void main() begin
          decl a, b;
          a := !b;
          h := T;
          flip(a);
          a := both(g, b);
          if (a) then
            skip;
          fi
        end
        void flip(x) begin
          if (x) then
            g := !g;
          fi
        end
        bool both(x, y) begin
          x := x & y;
          return x;
        end
        void idle() begin
          skip;
        end",
        expect![[r#"
            a := !b;             T
            h := T;              a <=> !b
            flip(a);             h & (a <=> !b)
            a := both(g, b);     h & (a <=> !b)
            if (a) then          h & (a <=> g & b)
            skip;                g & h & a & b
            end                  h & (a <=> g & b)
            if (x) then          h
            g := !g;             h & x
            end                  h
            x := x & y;          h & (g <=> x)
            return x;            h & (x <=> g & y)
            end                  h & (x <=> g & y)
            skip;                F
            end                  F
            main ends with h
            flip changes only g, h & (g <=> (old(g) <=> !x))
            both changes nothing, h & (g <=> x) & (result <=> g & y)
            idle is never entered
        "#]],
    );
}

#[test]
fn hidden_and_clashing_names_are_told_apart() {
    check(
        "decl g, result;
        void main() begin
          g := f(result);
          result := f(*);
        end
        bool f(g) begin
          swap();
          return !g;
        end
        void swap() begin
          g, result := result, g;
        end",
        expect![[r#"
            g := f(result);      T
            result := f(*);      T
            end                  T
            swap();              T
            return !g;           T
            end                  T
            g, result := result, g; T
            end                  T
            main ends with T
            f changes only g, result, (global(g) <=> old(result)) & (result <=> old(global(g))) & (returned(result) <=> !g)
            swap changes only g, result, (g <=> old(result)) & (result <=> old(g))
        "#]],
    );
}

#[test]
fn arguments_that_are_left_open_are_related_all_the_same() {
    check(
        "void main() begin
          decl a, b;
          a, b := f(*, T);
          a := g(*);
        end
        bool<2> f(x, y) begin
          x := !x;
          return x, y;
        end
        bool g(x) begin
          return x;
        end",
        expect![[r#"
            a, b := f(*, T);     T
            a := g(*);           b
            end                  b
            x := !x;             y
            return x, y;         y
            end                  y
            return x;            T
            end                  T
            main ends with T
            f changes nothing, result1 & y & (result0 <=> !x)
            g changes nothing, result <=> x
        "#]],
    );
}

#[test]
fn a_procedure_that_never_returns_has_the_summary_false() {
    check(
        "decl g;
        void main() begin
          if (g) then
            spin();
          fi
        end
        void spin() begin
          L: goto L;
        end",
        expect![[r#"
            if (g) then          T
            spin();              g
            end                  !g
            L: goto L;           g
            end                  F
            main ends with !g
            spin changes nothing, F
        "#]],
    );
}

#[test]
fn a_recursive_entry_procedure_has_a_whole_summary() {
    check(
        "decl g;
        void main() begin
          if (*) then
            g := !g;
            main();
            g := !g;
          fi
        end",
        expect![[r#"
            if (*) then          T
            g := !g;             T
            main();              T
            g := !g;             T
            end                  T
            main changes nothing, T
        "#]],
    );
}

#[test]
fn a_spent_budget_ends_the_analysis() {
    let (program, _) = lower("decl g; void main() begin g := !g; end");
    let result = invariants(&program, &options(0), &Budget::unlimited().with_allowance(1));
    assert_eq!(result, Err(Exhausted));
}
