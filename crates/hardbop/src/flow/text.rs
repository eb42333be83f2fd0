//! What was found, for reading: what may fail with the way there, then what was taken for granted. The last
//! line states the verdict and what it rests on.

use super::alarms::{self, Alarm};
use super::path::{Kind, Path, Step};
use super::{Answer, Site, Status, precision_text};
use crate::answer::text::{Extent, advice, reason_text};
use crate::arguments::{Color, Limits, Unfold};
use crate::diagnostics;
use crate::figures::Figures;
use crate::palette::Palette;
use crate::statement::one_line;
use hardbop_c_graph::Truth;
use hardbop_dataflow::Precision;
use hardbop_verdict::{Length, Reason};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Result, Write};

/// Calls deeper than this are not indented further.
const DEEPEST: usize = 20;
/// What changes at statements that need more columns stands below them.
const WIDEST: usize = 44;
/// Lines are no longer than this, unless what changes is one thing.
const LINE: usize = 100;
/// So many assumptions, or alarms by what they say, are listed.
const MOST_LISTED: usize = 10;
/// From so many alarms on it is said what they have in common.
const MANY_ALARMS: usize = 20;

/// How an answer is printed.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The styles.
    pub palette: Palette,
    /// When excerpts of the source are coloured.
    pub color: Color,
    /// How much is said.
    pub extent: Extent,
    /// Whether each alarm is told by itself.
    pub unfold: Unfold,
    /// The limits of the run.
    pub limits: Limits,
}

/// Prints `answer`.
pub fn write(out: &mut impl Write, answer: &Answer, figures: Option<&Figures>, manner: &Manner) -> Result<()> {
    if manner.extent == Extent::Full {
        let alarms = match manner.unfold {
            Unfold::All => alarms::apart(answer),
            Unfold::Lines(_) => alarms::together(answer),
        };
        let (shown, files) = (alarms.len(), answer.sources.paths());
        for alarm in alarms {
            write_site(out, answer, alarm.shown, &files, manner)?;
            write_others(out, &alarm)?;
            writeln!(out)?;
        }
        write_common_alarms(out, answer, manner)?;
        write_assumptions(out, answer, manner)?;
        if let Some(figures) = figures {
            figures.write(out)?;
            writeln!(out)?;
        }
        writeln!(out, "{}", summary(answer))?;
        let failing = answer.count(Status::MayFail);
        if shown < failing {
            writeln!(out, "{shown} of {failing} paths are shown: `--unfold all` shows all")?;
        }
        if let Some(rough) = rough(answer) {
            writeln!(out, "{rough}")?;
        }
    }
    write_last_line(out, answer, manner)
}

fn write_site(
    out: &mut impl Write,
    answer: &Answer,
    site: &Site,
    files: &BTreeSet<&str>,
    manner: &Manner,
) -> Result<()> {
    writeln!(out, "{}", diagnostics::excerpt(&answer.sources, &site.message, site.span, manner.color))?;
    let faint = manner.palette.faint;
    match &site.failure {
        Some(path) => write_path(out, site, path, files, manner)?,
        None if site.precision == Precision::Flow => {}
        None => writeln!(out, "  {faint}the path is not known{faint:#}")?,
    }
    let why = match site.precision {
        Precision::Path | Precision::Auto => return Ok(()),
        Precision::Flow => "no path is known: facts were looked at one by one (precision `flow`)".to_owned(),
        Precision::Procedure => {
            "found in this function alone (precision `procedure`): its callers may rule it out".into()
        }
        Precision::Projections(size) => {
            let facts = if size == 1 { "fact" } else { "facts" };
            format!("found with groups of {size} {facts} (precision `projections={size}`): others may rule it out")
        }
    };
    writeln!(out, "  {faint}{why}{faint:#}")
}

/// Where else it is so.
fn write_others(out: &mut impl Write, alarm: &Alarm<'_>) -> Result<()> {
    if alarm.others.is_empty() {
        return Ok(());
    }
    let places: Vec<String> = alarm.others.iter().map(|site| format!("{}:{}", site.line, site.column)).collect();
    writeln!(out, "  also at {}", places.join(", "))
}

fn write_path(out: &mut impl Write, site: &Site, path: &Path, files: &BTreeSet<&str>, manner: &Manner) -> Result<()> {
    let Palette { faint, bad, .. } = manner.palette;
    let place = |step: &Step| match step.path == site.path {
        true => step.line.to_string(),
        false => format!("{}:{}", shortest_end(&step.path, files), step.line),
    };
    let rows: Vec<(String, String)> = path.steps.iter().map(|step| (place(step), words(step))).collect();
    let last = (site.line.to_string(), format!("{:1$}{2}", "", indent(path.depth), one_line(&site.expression)));
    let all = || rows.iter().chain([&last]);
    let places = all().map(|(place, _)| place.chars().count()).max().unwrap_or(0).max("line".len());
    let widths = all().map(|(_, text)| text.chars().count()).filter(|&width| width <= WIDEST);
    let texts = widths.max().unwrap_or(0).max("statement".len());
    writeln!(out, "  {faint}{:>places$}  {:texts$}  what is so then{faint:#}", "line", "statement")?;
    for ((place, text), step) in rows.iter().zip(&path.steps) {
        write!(out, "  {place:>places$}  {text}")?;
        write_changes(out, &step.changes, (text.chars().count(), places + 4, texts), manner)?;
        writeln!(out)?;
    }
    let gap = texts.saturating_sub(last.1.chars().count()) + 2;
    writeln!(out, "  {:>places$}  {}{:gap$}{bad}<- may fail{bad:#}", last.0, last.1, "")?;
    if path.length == Length::PerhapsNotShortest {
        writeln!(out, "  {faint}perhaps not the shortest way: the search for a shorter one was cut off{faint:#}")?;
    }
    if path.is_cut {
        writeln!(out, "  {faint}some calls are folded to keep this short; --unfold all shows them{faint:#}")?;
    }
    Ok(())
}

/// Writes what changes beside a statement that is `width` wide, in the column behind `before` and `texts`.
fn write_changes(
    out: &mut impl Write,
    changes: &[String],
    (width, before, texts): (usize, usize, usize),
    manner: &Manner,
) -> Result<()> {
    let Palette { strong, .. } = manner.palette;
    let column = before + texts + 2;
    let below = format!("\n{:column$}", "");
    match changes.is_empty() {
        true => {}
        false if width > texts => write!(out, "{below}")?,
        false => write!(out, "{:1$}", "", texts - width + 2)?,
    }
    let mut at = column;
    for (number, change) in changes.iter().enumerate() {
        let comma = if number + 1 < changes.len() { "," } else { "" };
        let length = change.chars().count() + comma.len();
        match number {
            0 => {}
            _ if at + 1 + length > LINE => {
                write!(out, "{below}")?;
                at = column;
            }
            _ => {
                write!(out, " ")?;
                at += 1;
            }
        }
        write!(out, "{strong}{change}{comma}{strong:#}")?;
        at += length;
    }
    Ok(())
}

/// The shortest end of `path` that is the end of no other of `paths`.
fn shortest_end<'p>(path: &'p str, paths: &BTreeSet<&str>) -> &'p str {
    let starts = path.rmatch_indices('/').map(|(at, _)| at + 1);
    let is_end =
        |other: &str, end: &str| other.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    let mut ends = starts.map(|start| &path[start..]).filter(|end| !end.is_empty());
    let is_unique = |end: &&str| !paths.iter().any(|other| *other != path && is_end(other, end));
    ends.find(is_unique).unwrap_or(path)
}

/// Blanks before a statement; code outside, in which all runs start, is not counted.
fn indent(depth: usize) -> usize {
    2 * depth.saturating_sub(1).min(DEEPEST)
}

fn words(step: &Step) -> String {
    let (head, tail) = match step.kind {
        Kind::Branch(Truth::True) => ("if ", " is true"),
        Kind::Branch(Truth::False) => ("if ", " is false"),
        Kind::Folded => ("", "  (returns)"),
        Kind::Call | Kind::Return | Kind::Statement => ("", ""),
    };
    format!("{:1$}{head}{2}{tail}", "", indent(step.depth), step.text)
}

/// What many alarms say: often one value that may come from anywhere.
fn write_common_alarms(out: &mut impl Write, answer: &Answer, manner: &Manner) -> Result<()> {
    let failing = || answer.sites.iter().filter(|site| site.status == Status::MayFail);
    if failing().count() < MANY_ALARMS {
        return Ok(());
    }
    writeln!(out, "what the alarms say, the most frequent first:")?;
    write_counts(out, failing().map(|site| site.message.as_str()), manner)
}

/// What places are safe under.
fn write_assumptions(out: &mut impl Write, answer: &Answer, manner: &Manner) -> Result<()> {
    let conditional = answer.conditional().count();
    if conditional == 0 {
        return Ok(());
    }
    writeln!(out, "{} {} safe if:", places(conditional), are(conditional))?;
    write_counts(out, answer.conditional().flat_map(|site| &site.assumes).map(String::as_str), manner)
}

/// Lists `texts` with how often each comes, the most frequent first.
fn write_counts<'a>(out: &mut impl Write, texts: impl Iterator<Item = &'a str>, manner: &Manner) -> Result<()> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(text, count)| (std::cmp::Reverse(count), text));
    let faint = manner.palette.faint;
    for (text, count) in counts.iter().take(MOST_LISTED) {
        writeln!(out, "  {text}  {faint}({}){faint:#}", places(*count))?;
    }
    if counts.len() > MOST_LISTED {
        writeln!(out, "  and {} more", counts.len() - MOST_LISTED)?;
    }
    writeln!(out)
}

/// `3 of 214 places may fail; 210 are safe, 8 of them if what is listed holds; 1 is never reached`.
fn summary(answer: &Answer) -> String {
    let (failing, safe) = (answer.count(Status::MayFail), answer.count(Status::Safe));
    let unreachable = answer.count(Status::Unreachable);
    let mut parts = Vec::new();
    if failing > 0 {
        parts.push(format!("{failing} of {} may fail", places(answer.sites.len())));
    }
    if safe > 0 {
        let number = if failing > 0 { safe.to_string() } else { format!("{safe} of {}", places(answer.sites.len())) };
        let conditional = match answer.conditional().count() {
            0 => String::new(),
            some => format!(", {some} of them if what is listed above is so"),
        };
        parts.push(format!("{number} {} safe{conditional}", are(safe)));
    }
    if unreachable > 0 {
        parts.push(format!("{unreachable} {} never reached", are(unreachable)));
    }
    let unknown = answer.count(Status::Unknown);
    if unknown > 0 {
        parts.push(format!("{unknown} {} undecided", are(unknown)));
    }
    if parts.is_empty() {
        parts.push("the program has no place where anything is required".into());
    }
    parts.join("; ")
}

/// `2 alarms were found with less than precision …: 1 with `procedure`, 1 with `flow``.
fn rough(answer: &Answer) -> Option<String> {
    let mut counts: BTreeMap<Precision, usize> = BTreeMap::new();
    let is_rough = |site: &&Site| site.status == Status::MayFail && site.precision < Precision::Path;
    answer.sites.iter().filter(is_rough).for_each(|site| *counts.entry(site.precision).or_default() += 1);
    let all: usize = counts.values().sum();
    let parts: Vec<String> = counts
        .iter()
        .rev()
        .map(|(&precision, &count)| match count == all {
            true => format!("with `{}`", precision_text(precision)),
            false => format!("{count} with `{}`", precision_text(precision)),
        })
        .collect();
    let was = if all == 1 { "alarm was" } else { "alarms were" };
    (all > 0).then(|| format!("{all} {was} found with less than precision `path`: {}", parts.join(", ")))
}

fn write_last_line(out: &mut impl Write, answer: &Answer, manner: &Manner) -> Result<()> {
    let Palette { good, bad, unsure, .. } = manner.palette;
    let (failing, open, all) = (answer.count(Status::MayFail), answer.count(Status::Unknown), answer.sites.len());
    let (style, verdict, what) = match (failing, open, answer.conditional().count()) {
        (0, 0, 0) => (good, "safe", places(all)),
        (0, 0, some) => (good, "safe", format!("{}, {some} under assumptions", places(all))),
        (0, open, _) => (unsure, "unknown", format!("{open} of {} {} undecided", places(all), are(open))),
        _ => (bad, "may fail", format!("{failing} of {}", places(all))),
    };
    let basis = &answer.basis;
    let limit = answer.limit.map_or(String::new(), |limit| {
        let reason = Reason::Limit(limit);
        let so = match (open, failing) {
            (0, _) if answer.conditional().next().is_none() => return String::new(),
            (0, _) => ", so not all that is taken for granted may be needed".into(),
            (_, 0) => String::new(),
            _ => format!(", so {open} {} undecided", are(open)),
        };
        let advice = advice(&reason, manner.limits).map_or(String::new(), |advice| format!("; {advice}"));
        format!("; {}{so}{advice}", reason_text(&reason, &answer.sources, manner.limits))
    });
    writeln!(
        out,
        "{style}{verdict}{style:#}: {what} ({}, from {}, {}; {}){limit}",
        basis.analysis, basis.entry, basis.data_model, basis.outside
    )
}

fn places(count: usize) -> String {
    if count == 1 { "1 place".into() } else { format!("{count} places") }
}

const fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_as_long_as_it_must_be() {
        let paths = BTreeSet::from(["/src/a/list.c", "/src/b/list.c", "/src/main.c", "list.c", "alist.c"]);
        let short = |path| shortest_end(path, &paths);
        assert_eq!(["/src/a/list.c", "/src/main.c", "alist.c"].map(short), ["a/list.c", "main.c", "alist.c"]);
        assert_eq!(short("list.c"), "list.c");
    }
}
