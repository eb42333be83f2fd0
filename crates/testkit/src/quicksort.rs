//! Quicksort as a symbolic pushdown system, as large as asked for: the examples of [ES01, §5.1], as `.pds` text.
//!
//! The paper shows the faulty version. The corrected one parts its piece of the array in three: what is less than the
//! pivot, from `left` to before `eq`; what equals it, to before `lo`; what is greater, from behind `hi` to `right`.
//!
//! **Invariant:** a run that is done stays at `end`, or at `bad` if it has not sorted. So `F @end` says all there is to
//! say, and that `bad` cannot be reached says all but that runs end.

/// Which quicksort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Where no number is greater than the pivot, it calls itself with the bounds that it has.
    Faulty,
    /// Each call has less to sort than its caller.
    Corrected,
}

/// Which element is the pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pivot {
    /// The one at `right`.
    Last,
    /// Any from `left` to `right`.
    Any,
}

/// The bounds alone, numbers of so many `bits`, without an array: a comparison goes either way.
pub fn termination(version: Version, bits: usize) -> String {
    match version {
        Version::Faulty => faulty(bits),
        Version::Corrected => corrected(bits),
    }
}

/// The corrected version on an array of any `length` numbers of so many `bits`, which are those of its indexes, too.
pub fn sorting(pivot: Pivot, bits: usize, length: usize) -> String {
    assert!(1 < length && length < 1 << bits, "an index behind the array must have a number");
    let last = length - 1;
    let mut system = System::new(&["left", "right", "lo", "hi", "eq", "piv"], bits, Some(length));
    system.rule("main", "enter check", format!("left' = 0 & right' = {last} & {}", system.same_array()));
    let mut start = |condition: &str, pivot: &str| {
        let changes = [("lo", "left"), ("hi", "right"), ("eq", "left"), ("piv", pivot)];
        system.step("enter", "loop", condition, &changes);
    };
    match pivot {
        Pivot::Last => start("left < right", "a[right]"),
        // A rule for each is an assignment each; one rule for all would be a relation, and slower to compute with.
        Pivot::Any => (0..length).for_each(|at| {
            start(&format!("left < right & left <= {at} & {at} <= right"), &format!("a[{at}]"));
        }),
    }
    system.step("loop", "compare", "lo <= hi", &[]);
    system.step("compare", "less", "a[lo] < piv", &[]);
    system.step("compare", "loop", "a[lo] = piv", &[("lo", "lo + 1")]);
    system.step("compare", "greater", "a[lo] > piv", &[]);
    system.exchange("less", "loop", ["lo", "eq"], &[("lo", "lo + 1"), ("eq", "eq + 1")]);
    system.exchange("greater", "loop", ["lo", "hi"], &[("hi", "hi - 1")]);
    system.step("loop", "first", "lo > hi", &[]);
    system.parts();
    system.rule("check", "bad", format!("E i (0,{}) a[i] > a[i + 1]", last - 1));
    system.rule("check", "end", format!("A i (0,{}) a[i] <= a[i + 1]", last - 1));
    system.stay("bad");
    system.finish()
}

fn faulty(bits: usize) -> String {
    let mut system = System::new(&["left", "right", "lo", "hi"], bits, None);
    system.rule("main", "enter end", "left' <= right'".into());
    system.step("enter", "loop", "left < right", &[("lo", "left"), ("hi", "right")]);
    system.step("loop", "compare", "lo <= hi", &[]);
    system.step("compare", "loop", "", &[("hi", "hi - 1")]);
    system.step("compare", "loop", "", &[("lo", "lo + 1")]);
    system.step("loop", "first", "lo > hi", &[]);
    system.call("first", "second", "", ["left", "hi"]);
    system.call("second", "leave", "", ["lo", "right"]);
    system.finish()
}

fn corrected(bits: usize) -> String {
    let mut system = System::new(&["left", "right", "lo", "hi", "eq"], bits, None);
    system.rule("main", "enter end", "left' <= right'".into());
    system.step("enter", "loop", "left < right", &[("lo", "left"), ("hi", "right"), ("eq", "left")]);
    system.step("loop", "compare", "lo <= hi", &[]);
    system.step("compare", "loop", "", &[("lo", "lo + 1"), ("eq", "eq + 1")]);
    system.step("compare", "loop", "", &[("lo", "lo + 1")]);
    system.step("compare", "loop", "", &[("hi", "hi - 1")]);
    // One number at least equals the pivot: the pivot.
    system.step("loop", "first", "lo > hi & eq < lo", &[]);
    system.parts();
    system.finish()
}

/// A pushdown system in the making. The symbols of `quicksort` are those that a rule of `enter` leads to.
struct System {
    locals: &'static [&'static str],
    length: Option<usize>,
    text: String,
}

impl System {
    fn new(locals: &'static [&'static str], bits: usize, length: Option<usize>) -> Self {
        let array = length.map_or_else(String::new, |length| format!("global int a[{length}]({bits});\n"));
        let numbers: Vec<String> = locals.iter().map(|local| format!("{local}({bits})")).collect();
        let symbols = "enter, loop, compare, less, greater, first, second, leave";
        let text = format!("{array}local quicksort ({symbols}) int {};\n(q <main>)\n", numbers.join(", "));
        Self { locals, length, text }
    }

    /// The rules that all versions have, and then the text.
    fn finish(mut self) -> String {
        self.rule("enter", "", conjunction(["left >= right".into(), self.same_array()]));
        self.rule("leave", "", self.same_array());
        self.stay("end");
        self.text
    }

    /// Sorts what is less than the pivot, and what is greater.
    fn parts(&mut self) {
        self.call("first", "second", "eq > left", ["left", "eq - 1"]);
        self.step("first", "second", "eq = left", &[]);
        self.call("second", "leave", "", ["lo", "right"]);
    }

    /// A step after which the locals of `changes` have these values.
    fn step(&mut self, from: &str, to: &str, condition: &str, changes: &[(&str, &str)]) {
        self.rule(from, to, conjunction([condition.into(), self.after(changes), self.same_array()]));
    }

    /// A step that exchanges two numbers of the array, besides.
    fn exchange(&mut self, from: &str, to: &str, [one, other]: [&str; 2], changes: &[(&str, &str)]) {
        let last = self.length.expect("there is an array") - 1;
        let rest = format!("A i (0,{last}) (i = {one} | i = {other} | a'[i] = a[i])");
        let both = format!("a'[{one}] = a[{other}] & a'[{other}] = a[{one}]");
        self.rule(from, to, conjunction([self.after(changes), rest, both]));
    }

    /// A call of `quicksort` with these bounds, which comes back to `to`.
    fn call(&mut self, from: &str, to: &str, condition: &str, [left, right]: [&str; 2]) {
        let bounds = format!("left' = {left} & right' = {right}");
        let saved: Vec<String> = self.locals.iter().map(|local| format!("{local}'' = {local}")).collect();
        let relation = conjunction([condition.into(), bounds, saved.join(" & "), self.same_array()]);
        self.rule(from, &format!("enter {to}"), relation);
    }

    fn stay(&mut self, symbol: &str) {
        self.rule(symbol, symbol, self.same_array());
    }

    fn rule(&mut self, from: &str, to: &str, relation: String) {
        let relation = if relation.is_empty() { relation } else { format!(" ({relation})") };
        self.text.push_str(&format!("q <{from}> --> q <{to}>{relation}\n"));
    }

    /// That a step changes these locals and no other.
    fn after(&self, changes: &[(&str, &str)]) -> String {
        let equation = |local: &&str| {
            let change = changes.iter().find(|(changed, _)| changed == local);
            format!("{local}' = {}", change.map_or(*local, |(_, value)| value))
        };
        conjunction(self.locals.iter().map(equation))
    }

    /// That the array stays as it is; nothing where there is none.
    fn same_array(&self) -> String {
        self.length.map_or_else(String::new, |length| format!("A i (0,{}) a'[i] = a[i]", length - 1))
    }
}

/// The parts that say anything, with `&` between them.
fn conjunction(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" & ")
}

#[cfg(test)]
mod tests {
    use super::{Pivot, Version, sorting, termination};

    #[track_caller]
    fn check(text: &str, bits: usize, rules: usize, rule: &str) {
        assert_eq!(text.lines().filter(|line| line.contains("-->")).count(), rules, "{text}");
        assert!(text.contains(&format!("left({bits})")) && text.lines().any(|line| line == rule), "{text}");
    }

    #[test]
    fn bounds_are_numbers_of_so_many_bits() {
        check(&termination(Version::Faulty, 3), 3, 11, "q <main> --> q <enter end> (left' <= right')");
        let same = "left' = left & right' = right & lo' = lo & hi' = hi & eq' = eq";
        let halt = format!("q <loop> --> q <first> (lo > hi & eq < lo & {same})");
        check(&termination(Version::Corrected, 4), 4, 13, &halt);
    }

    #[test]
    fn pivot_is_the_last_or_any() {
        let bounds = "left' = left & right' = right & lo' = left & hi' = right & eq' = left";
        let rule = |condition: &str, pivot: &str| {
            let array = "A i (0,3) a'[i] = a[i]";
            format!("q <enter> --> q <loop> ({condition} & {bounds} & piv' = a[{pivot}] & {array})")
        };
        check(&sorting(Pivot::Last, 3, 4), 3, 18, &rule("left < right", "right"));
        check(&sorting(Pivot::Any, 3, 4), 3, 21, &rule("left < right & left <= 2 & 2 <= right", "2"));
    }
}
