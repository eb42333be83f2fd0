//! How far a run is, for a person who waits: one line on a terminal, and the time each phase took.

use hardbop_base::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A run that is over sooner is not worth a line.
const DELAY: Duration = Duration::from_secs(1);

/// The phases entered so far, and when.
#[derive(Clone, Default, Debug)]
pub struct Phases {
    entered: Arc<Mutex<Vec<(&'static str, Instant)>>>,
}

impl Phases {
    /// Notes that `name` begins, and what was before it ends.
    pub fn enter(&self, name: &'static str) {
        self.entered.lock().unwrap_or_else(PoisonError::into_inner).push((name, Instant::now()));
    }

    /// The phase that is under way.
    pub fn current(&self) -> Option<&'static str> {
        self.entered.lock().unwrap_or_else(PoisonError::into_inner).last().map(|&(name, _)| name)
    }

    /// When it began.
    pub fn since(&self) -> Option<Instant> {
        self.entered.lock().unwrap_or_else(PoisonError::into_inner).last().map(|&(_, since)| since)
    }

    /// The time spent in each phase until now, in the order in which they were first entered.
    pub fn times(&self) -> Vec<(&'static str, Duration)> {
        let entered = self.entered.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = entered.iter().skip(1).map(|&(_, start)| start).chain([Instant::now()]);
        let mut times: Vec<(&'static str, Duration)> = Vec::new();
        for (&(name, start), end) in entered.iter().zip(ends) {
            match times.iter_mut().find(|(known, _)| *known == name) {
                Some((_, time)) => *time += end - start,
                None => times.push((name, end - start)),
            }
        }
        times
    }
}

/// Whether progress is shown where standard error is a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// It is.
    Shown,
    /// It is not.
    Hidden,
}

/// The line on the terminal. It vanishes when this is dropped.
#[derive(Debug)]
pub struct Line {
    since: Instant,
    bar: ProgressBar,
    is_drawn: bool,
}

impl Line {
    /// A line that is not drawn yet.
    pub fn new(visibility: Visibility) -> Self {
        let target = match visibility {
            // Indicatif draws nothing where standard error is not a terminal.
            Visibility::Shown => ProgressDrawTarget::stderr(),
            Visibility::Hidden => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(ProgressStyle::with_template("{spinner} {elapsed} {msg}").expect("the template is well formed"));
        Self { since: Instant::now(), bar, is_drawn: false }
    }

    /// Draws how far the run is, once it has taken long enough.
    pub fn draw(&mut self, phases: &Phases, progress: &Progress) {
        if self.since.elapsed() < DELAY {
            return;
        }
        self.is_drawn = true;
        let phase = phases.current().unwrap_or("starting");
        let (procedures, worklist) = (progress.procedures.load(Relaxed), progress.worklist.load(Relaxed));
        let nodes = progress.nodes.load(Relaxed);
        self.bar.set_message(format!("{phase}: {procedures} procedures, worklist {worklist}, {nodes} nodes"));
        self.bar.tick();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.is_drawn {
            self.bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_summed_in_the_order_of_their_first_entry() {
        let phases = Phases::default();
        for name in ["read", "search", "read"] {
            phases.enter(name);
        }
        assert_eq!(phases.times().iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["read", "search"]);
        assert_eq!(phases.current(), Some("read"));
    }
}
