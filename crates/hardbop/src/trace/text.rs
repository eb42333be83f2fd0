//! Traces for reading, in the manner of [BR00, Figure 1]: call depth by indentation, the line, the statement, and the
//! values before it.

use super::unfold::{Line, Shown, lines, run_of, step_of};
use super::{Extent, Step, Trace, Value, VariableId};
use crate::arguments::Unfold;
use crate::palette::Palette;
use hardbop_base::IndexVec;
use hardbop_verdict::Length;
use std::io::{Result, Write};

/// Calls deeper than this are not indented further, so that a line's length does not grow with the depth.
const DEEPEST: usize = 20;
/// Statements that need more columns push their values to the right.
const WIDEST: usize = 64;

/// How a trace is printed.
#[derive(Clone, Copy, Debug)]
pub struct Manner<'a> {
    /// How far crossed calls are stepped into.
    pub unfold: Unfold,
    /// The styles.
    pub palette: Palette,
    /// What is said at the goal: "is reached", "fails".
    pub goal: &'a str,
    /// What stands there for the number of a step.
    pub last: &'a str,
    /// What is said of a run's length where none is shorter.
    pub shortest: &'a str,
}

/// Prints `trace`.
pub fn write(out: &mut impl Write, trace: &Trace, manner: &Manner<'_>) -> Result<()> {
    let lines = lines(trace, manner.unfold);
    let mut writer = Writer::new(out, trace, *manner, &lines);
    writer.head()?;
    for (index, line) in lines.iter().enumerate() {
        writer.line(index + 1, line)?;
    }
    writer.goal()?;
    writer.foot(&lines)
}

struct Writer<'a, W> {
    out: &'a mut W,
    trace: &'a Trace,
    manner: Manner<'a>,
    number_width: usize,
    line_width: usize,
    text_width: usize,
    /// Blanks that are due before whatever comes next on the line.
    due: usize,
    /// The last value printed of each variable.
    known: IndexVec<VariableId, Value>,
    /// The values of all globals when the call was made that a line is in: one row for each call that is open.
    callers: Vec<IndexVec<VariableId, Value>>,
    last: Option<(usize, super::ScopeId)>,
}

impl<'a, W: Write> Writer<'a, W> {
    fn new(out: &'a mut W, trace: &'a Trace, manner: Manner<'a>, lines: &[Line]) -> Self {
        let longest = trace.places.iter().map(|place| place.line).max().unwrap_or(0);
        let width = |depth: usize, step: &Step| 2 * depth.min(DEEPEST) + trace.places[step.place].text.chars().count();
        let end = &trace.main.end;
        let widths = lines.iter().map(|line| width(line.depth, step_of(trace, line)));
        let widths = widths.chain([width(end.depth as usize, end)]);
        Self {
            out,
            trace,
            manner,
            number_width: lines.len().to_string().len().max(manner.last.len()).max("step".len()),
            line_width: longest.to_string().len().max("line".len()),
            text_width: widths.chain(["statement".len()]).max().unwrap_or(0).min(WIDEST),
            due: 0,
            known: IndexVec::from_elem(Value::Any, trace.variables.len()),
            callers: Vec::new(),
            last: None,
        }
    }

    fn head(&mut self) -> Result<()> {
        let (number, line, text) = (self.number_width, self.line_width, self.text_width);
        let faint = self.manner.palette.faint;
        writeln!(
            self.out,
            "  {faint}{:>number$}  {:>line$}  {:text$}  values before it{faint:#}",
            "step", "line", "statement"
        )
    }

    fn line(&mut self, number: usize, line: &Line) -> Result<()> {
        let trace = self.trace;
        let step = step_of(trace, line);
        // Lines of a run that has been left are gone for good: its callers' values are not wanted any more.
        self.callers.truncate(line.unfolded);
        self.statement(&number.to_string(), line.depth, step)?;
        let is_fold = matches!(step.call, super::Call::Cross(_)) && line.shown != Shown::Inline;
        self.values(line.depth, step)?;
        if is_fold {
            self.fold(line)?;
        } else if matches!(step.call, super::Call::Cross(_)) {
            self.callers.push(self.globals());
        }
        writeln!(self.out)
    }

    fn goal(&mut self) -> Result<()> {
        let end = &self.trace.main.end;
        let bad = self.manner.palette.bad;
        self.callers.clear();
        self.statement(self.manner.last, end.depth as usize, end)?;
        self.values(end.depth as usize, end)?;
        self.gap()?;
        writeln!(self.out, "{bad}<- {}{bad:#}", self.manner.goal)
    }

    fn foot(&mut self, lines: &[Line]) -> Result<()> {
        let faint = self.manner.palette.faint;
        let moves = self.trace.main.steps.len();
        let counted = if lines.len() > moves { ", a call that returns counted as one" } else { "" };
        let steps = if moves == 1 { "step" } else { "steps" };
        let length = match self.trace.length {
            Length::Shortest if moves == 0 => String::new(),
            Length::Shortest => format!("{}: {moves} {steps}{counted}", self.manner.shortest),
            Length::ShortestInEach => format!("{moves} {steps}{counted}; the fewest in each procedure by itself"),
            Length::PerhapsNotShortest => {
                format!("{moves} {steps}{counted}; perhaps not the shortest: the search for a shorter run was cut off")
            }
        };
        if !length.is_empty() {
            writeln!(self.out, "  {faint}{length}{faint:#}")?;
        }
        if lines.iter().any(|line| line.shown == Shown::Cut) {
            writeln!(self.out, "  {faint}some calls are folded to keep this short; --unfold all shows them{faint:#}")?;
        }
        Ok(())
    }

    fn globals(&self) -> IndexVec<VariableId, Value> {
        let globals = self.trace.variables.iter().take_while(|variable| variable.extent == Extent::Global);
        globals.zip(&self.known).map(|(_, &value)| value).collect()
    }

    fn statement(&mut self, number: &str, depth: usize, step: &Step) -> Result<()> {
        let place = &self.trace.places[step.place];
        let faint = self.manner.palette.faint;
        let (number_width, line_width) = (self.number_width, self.line_width);
        let indent = 2 * depth.min(DEEPEST);
        write!(self.out, "  {faint}{number:>number_width$}{faint:#}  {:>line_width$}  {:indent$}", place.line, "")?;
        let mut width = indent + place.text.chars().count();
        if depth > DEEPEST {
            let note = format!("[depth {depth}] ");
            width += note.len();
            write!(self.out, "{note}")?;
        }
        self.due = self.text_width.saturating_sub(width);
        write!(self.out, "{}", place.text)
    }

    /// Goes to the column of the values, or two blanks further.
    fn gap(&mut self) -> Result<()> {
        let due = std::mem::take(&mut self.due) + 2;
        write!(self.out, "{:due$}", "")
    }

    /// Prints the values before `step`; those that changed since they were printed last stand out.
    fn values(&mut self, depth: usize, step: &Step) -> Result<()> {
        let scope = self.trace.places[step.place].scope;
        let is_same_frame = self.last == Some((depth, scope));
        let strong = self.manner.palette.strong;
        let variables = &self.trace.scopes[scope].variables;
        for (index, (&id, &value)) in variables.iter().zip(&step.values).enumerate() {
            if index == 0 {
                self.gap()?;
            }
            let name_of = |index: usize| variables.get(index).map(|&id| self.trace.variables[id].name.as_str());
            let (name, end) = array_signs(index.checked_sub(1).and_then(name_of), name_of(index), name_of(index + 1));
            let variable = &self.trace.variables[id];
            let value = self.resolve(id, value);
            let is_comparable = self.last.is_some() && (is_same_frame || variable.extent == Extent::Global);
            let gap = if index == 0 { "" } else { " " };
            if is_comparable && self.known[id] != value {
                write!(self.out, "{gap}{strong}{name}{}{strong:#}{end}", variable.show(value))?;
            } else {
                write!(self.out, "{gap}{name}{}{end}", variable.show(value))?;
            }
            self.known[id] = value;
        }
        self.last = Some((depth, scope));
        Ok(())
    }

    fn resolve(&self, id: VariableId, value: Value) -> Value {
        match (value, self.callers.last()) {
            (Value::Inherited, Some(caller)) => caller[id],
            (Value::Inherited, None) => Value::Any,
            _ => value,
        }
    }

    /// Prints what a folded call changes.
    fn fold(&mut self, line: &Line) -> Result<()> {
        let run = run_of(self.trace, line.run);
        let (before, after) = (&run.steps[line.step], run.after(line.step));
        let strong = self.manner.palette.strong;
        let variables = &self.trace.scopes[self.trace.places[before.place].scope].variables;
        self.gap()?;
        write!(self.out, "| ")?;
        let mut gap = "";
        for (&id, (&old, &new)) in variables.iter().zip(before.values.iter().zip(&after.values)) {
            if old != new {
                let variable = &self.trace.variables[id];
                let (old, new) = (self.resolve(id, old), self.resolve(id, new));
                let (old, new) = (variable.show(old), variable.show(new));
                write!(self.out, "{gap}{strong}{}: {old} -> {new}{strong:#}", variable.name)?;
                gap = ", ";
            }
        }
        if gap.is_empty() {
            write!(self.out, "changes nothing")?;
        }
        match line.shown {
            Shown::AsIn(first, last) if first == last => write!(self.out, ", as in step {first}"),
            Shown::AsIn(first, last) => write!(self.out, ", as in steps {first}-{last}"),
            _ => Ok(()),
        }
    }
}

/// What stands before and behind a value between its neighbours: `x=`, and around the elements of an array `a=[` and `]`,
/// or `a[1..]=[` where they do not start at 0.
fn array_signs(before: Option<&str>, name: Option<&str>, next: Option<&str>) -> (String, &'static str) {
    let place = name.and_then(element);
    let follows = |left: Option<(&str, usize)>, right: Option<(&str, usize)>| match (left, right) {
        (Some((array, at)), Some((other, next))) => array == other && at + 1 == next,
        _ => false,
    };
    let (is_after, is_before) = (follows(before.and_then(element), place), follows(place, next.and_then(element)));
    let end = if is_after && !is_before { "]" } else { "" };
    match place {
        _ if is_after => (String::new(), end),
        Some((array, 0)) if is_before => (format!("{array}=["), end),
        Some((array, first)) if is_before => (format!("{array}[{first}..]=["), end),
        _ => (format!("{}=", name.unwrap_or_default()), end),
    }
}

/// The array and the index of `a[3]`.
fn element(name: &str) -> Option<(&str, usize)> {
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_an_array_stand_together() {
        let names = ["x", "a[0]", "a[1]", "b[0]", "c[1]", "c[2]", "c[4]", "m[0][0]", "m[0][1]", "m[1][0]", "s[0].x"];
        let at = |index: Option<usize>| index.and_then(|index| names.get(index).copied());
        let shown = (0..names.len()).map(|index| {
            let (name, end) = array_signs(at(index.checked_sub(1)), at(Some(index)), at(Some(index + 1)));
            format!("{name}v{end}")
        });
        let shown: Vec<String> = shown.collect();
        assert_eq!(shown.join(" "), "x=v a=[v v] b[0]=v c[1..]=[v v] c[4]=v m[0]=[v v] m[1][0]=v s[0].x=v");
    }
}
