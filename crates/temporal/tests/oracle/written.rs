//! Programs whose answers rest on one thing that random ones rarely do, with every combination of the optimisations.

use super::programs::lower_text;
use super::{Binary, Case, Formula, Unary};
use hardbop_temporal::finish::finish;

fn often(formula: Formula) -> Formula {
    Formula::unary(Unary::Globally, Formula::unary(Unary::Finally, formula))
}

#[track_caller]
fn check(program: &str, texts: &[&str], formula: Formula, expected: bool) {
    let finished = finish(&lower_text(program));
    let texts = texts.iter().map(ToString::to_string).collect();
    let case =
        Case { program: finished.program, end: Some(finished.end), formula, fairness: vec![], texts, spelling: 0 };
    for bits in 0..1 << 9 {
        // Every other switch has a bit.
        if let Err(error) = case.compare(expected, bits) {
            panic!("{bits:#b}: {error}");
        }
    }
}

#[test]
fn accepting_state_at_the_exit_of_a_crossed_call_counts() {
    let program = "void main() begin while (T) do f(); od end void f() begin L: skip; end";
    let [often_there, never_again] =
        [often(Formula::proposition(0)), often(Formula::proposition(0)).negated()].map(|formula| formula.clone());
    check(program, &["@L"], often_there, true);
    check(program, &["@L"], never_again, false);
}

#[test]
fn accepting_state_inside_a_call_within_a_call_counts() {
    let program = "
        decl g;
        void main() begin while (T) do f(); od end
        void f() begin h(); g := F; end
        void h() begin g := T; end";
    check(program, &["g", "@h"], often(Formula::proposition(0)).negated(), false);
    let both = Formula::binary(Binary::And, Formula::proposition(0), Formula::proposition(1));
    check(program, &["g", "@h"], often(both), true);
}

#[test]
fn accepting_state_before_a_call_that_does_not_return_counts() {
    let program = "
        decl g;
        void main() begin g := F; f(); end
        void f() begin g := T; g := F; f(); end";
    check(program, &["g"], often(Formula::proposition(0)).negated(), false);
    check(program, &["g"], often(Formula::proposition(0)), true);
}

#[test]
fn memory_of_one_activation_is_not_that_of_the_next() {
    // An accepting state is seen once, before the recursion that goes on for ever.
    let program = "
        decl g;
        void main() begin g := T; g := F; f(); end
        void f() begin if (g) then g := F; fi f(); end";
    check(program, &["g"], often(Formula::proposition(0)).negated(), true);
}

#[test]
fn stack_that_nobody_reads_is_not_met_again() {
    let none = Formula::binary(Binary::And, Formula::Constant(false), Formula::proposition(0));
    let formula = Formula::unary(Unary::Next, Formula::binary(Binary::Release, Formula::proposition(0), none));
    check("void main() begin skip; main(); skip; end", &["on_stack(main)"], formula, false);
}

#[test]
fn global_that_is_dead_at_an_entry_is_handed_on() {
    // `h` overwrites `g` before it reads it, and what it hands on is another value.
    let program = "
        decl g, last;
        void main() begin f(g, g); end
        void f(a, b) begin
          last, g := *, T constrain ('a & last | ('b ? g : 'g));
          h();
        end
        void h() begin
          decl one, other;
          g := schoose[other, !other];
          other, g, last := last, other, other;
          g := *;
          f(g, schoose[g => one, !g]);
        end";
    check(program, &["on_stack(h)"], Formula::proposition(0), false);
}
