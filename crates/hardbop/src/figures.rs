//! What `--stats` prints: the time of each phase, what the engine used, and what each optimisation did.

use crate::cache::Recalled;
use hardbop_pushdown::{Rung, Stats};
use serde_json::{Map, Value, json};
use std::io::{Result, Write};
use std::time::Duration;

/// Figures of a run. They differ from run to run, so nothing else may print them.
#[derive(Debug)]
pub struct Figures {
    /// The time spent in each phase.
    pub phases: Vec<(&'static str, Duration)>,
    /// Seconds of processor time.
    pub cpu_seconds: f64,
    /// The most megabytes resident at once.
    pub peak_megabytes: u64,
    /// Figures of the engine, if it ran.
    pub engine: Option<Stats>,
    /// What the cache was good for, if there was one.
    pub recalled: Option<Recalled>,
    /// Which rung of the engine's ladder decided each question.
    pub rungs: Vec<Option<Rung>>,
}

impl Figures {
    /// As a table.
    pub fn write(&self, out: &mut impl Write) -> Result<()> {
        for (phase, time) in &self.phases {
            writeln!(out, "  {phase:16} {:>12.3} s", time.as_secs_f64())?;
        }
        writeln!(out, "  {:16} {:>12.2} s", "processor time", self.cpu_seconds)?;
        writeln!(out, "  {:16} {:>12} MB", "peak memory", self.peak_megabytes)?;
        if let Some(Recalled { asked, known }) = self.recalled {
            writeln!(out, "  {:16} {known:>12} of {asked} answers known", "cache")?;
        }
        let Some(engine) = &self.engine else { return Ok(()) };
        let rows = [
            ("peak nodes", engine.peak_nodes as u64),
            ("created nodes", engine.created_nodes),
            ("iterations", engine.iterations),
            ("levels", engine.levels as u64),
            ("variables", engine.variables as u64),
        ];
        for (name, number) in rows {
            writeln!(out, "  {name:16} {number:>12}")?;
        }
        for (name, kept, dropped, what) in &engine.effects {
            writeln!(out, "  {name:16} {kept:>12} {what} kept, {dropped} dropped")?;
        }
        for (name, decided) in self.decided() {
            writeln!(out, "  {name:16} {decided:>12} decided")?;
        }
        Ok(())
    }

    /// How many questions each rung decided.
    fn decided(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let rungs = [(Rung::Concrete, "concrete"), (Rung::Insensitive, "insensitive"), (Rung::Exact, "exact")];
        rungs.into_iter().map(|(rung, name)| (name, self.rungs.iter().filter(|&&found| found == Some(rung)).count()))
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let seconds = self.phases.iter().map(|(phase, time)| ((*phase).to_owned(), time.as_secs_f64().into()));
        let mut object = json!({
            "seconds": seconds.collect::<Map<_, _>>(),
            "cpu_seconds": self.cpu_seconds,
            "peak_megabytes": self.peak_megabytes,
        });
        if let Some(Recalled { asked, known }) = self.recalled {
            object["cache"] = json!({ "asked": asked, "known": known });
        }
        if let Some(engine) = &self.engine {
            let effects = engine.effects.iter().map(|(name, kept, dropped, what)| {
                json!({ "optimisation": name, "kept": kept, "dropped": dropped, "of": what })
            });
            object["peak_nodes"] = engine.peak_nodes.into();
            object["created_nodes"] = engine.created_nodes.into();
            object["decided"] =
                self.decided().map(|(name, decided)| (name.to_owned(), decided.into())).collect::<Map<_, _>>().into();
            object["iterations"] = engine.iterations.into();
            object["levels"] = engine.levels.into();
            object["variables"] = engine.variables.into();
            object["effects"] = effects.collect();
        }
        object
    }
}
