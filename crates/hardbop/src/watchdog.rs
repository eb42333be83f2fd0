//! Limits, kept from outside: the work is done on a thread of its own while this one watches clock, memory and user.
//!
//! An engine polls its [`Budget`] and gives up by itself. One that does not answer in time is left behind: the process
//! ends with the answer `unknown` all the same.
//!
//! **Invariant:** only the watching thread prints, so an answer and an `unknown` never mix.

pub mod meter;

use crate::arguments::Limits;
use crate::progress::{Line, Phases};
use hardbop_base::{Budget, Limit};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(20);
/// How long an engine may take to notice that it is to stop. With the time to print this stays under a second.
const GRACE: Duration = Duration::from_millis(400);
/// How long one may take that has noticed and works on what it has found: it enters phases on the way.
const LONG_GRACE: Duration = Duration::from_secs(5);
/// Deep nesting of the input is deep recursion somewhere. The memory is only reserved, not used.
const STACK_SIZES: [usize; 3] = [1 << 30, 1 << 28, 1 << 26];

const WORKER: &str = "worker";

/// How the work ended.
#[derive(Debug)]
pub enum Ending<T> {
    /// With a result.
    Done(T),
    /// It was told to stop and did not.
    Overrun(Limit),
    /// It panicked, and this is what it said.
    Panicked(String),
}

/// Does `work` within `limits`.
pub fn watch<T: Send + 'static>(
    limits: Limits,
    phases: &Phases,
    mut line: Line,
    work: impl FnOnce(&Budget) -> T + Send + 'static,
) -> Ending<T> {
    let hook = phases.clone();
    let budget = Budget::observed(move |name| hook.enter(name));
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // Without a handler the user's Ctrl-C ends the process at once, which is the next best thing.
    let _ = ctrlc::set_handler(move || flag.store(true, Relaxed));
    let results = start(budget.clone(), work);
    let mut stopped = None;
    loop {
        match results.recv_timeout(POLL) {
            Ok(Ok(result)) => return Ending::Done(result),
            Ok(Err(message)) => return Ending::Panicked(message),
            Err(RecvTimeoutError::Disconnected) => {
                return Ending::Panicked("the worker ended without an answer".into());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        line.draw(phases, budget.progress());
        if stopped.is_none()
            && let Some(limit) = exceeded(limits, &interrupted)
        {
            budget.stop(limit);
            stopped = Some((Instant::now(), limit));
        }
        if let Some((since, limit)) = stopped {
            let last = phases.since().map_or(since, |entered| entered.max(since));
            if last.elapsed() > GRACE || since.elapsed() > LONG_GRACE {
                return Ending::Overrun(limit);
            }
        }
    }
}

fn exceeded(limits: Limits, interrupted: &AtomicBool) -> Option<Limit> {
    let is_over_time = || limits.seconds.is_some_and(|limit| meter::cpu_seconds() >= limit);
    let is_over_memory = || limits.megabytes.is_some_and(|limit| meter::resident_megabytes() >= limit);
    match () {
        () if interrupted.load(Relaxed) => Some(Limit::Interrupt),
        () if is_over_time() => Some(Limit::Time),
        () if is_over_memory() => Some(Limit::Memory),
        () => None,
    }
}

/// Starts the worker; what it sends is its result or the text of its panic.
fn start<T: Send + 'static>(
    budget: Budget,
    work: impl FnOnce(&Budget) -> T + Send + 'static,
) -> Receiver<Result<T, String>> {
    let (sender, receiver) = channel();
    listen();
    let job = move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&budget)));
        let result = result.map_err(|_| SAID.take());
        // Nobody listens any more once the answer was given for us.
        let _ = sender.send(result);
    };
    spawn(job);
    receiver
}

thread_local! {
    /// What the last panic of this thread said.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on, what a panic of a worker says is kept in its [`SAID`] instead of printed.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().name() == Some(WORKER) {
                SAID.set(panic.to_string());
            } else {
                others(panic);
            }
        }));
    });
}

fn spawn(job: impl FnOnce() + Send + 'static) {
    // A closure can be handed over only once, and a failed attempt drops it: so it waits in a cell.
    let cell = Arc::new(Mutex::new(Some(job)));
    for size in STACK_SIZES {
        let cell = Arc::clone(&cell);
        let run = move || {
            let job = cell.lock().unwrap_or_else(PoisonError::into_inner).take();
            job.expect("only the attempt that succeeds runs")();
        };
        if std::thread::Builder::new().name(WORKER.into()).stack_size(size).spawn(run).is_ok() {
            return;
        }
    }
    // The cell's last owner goes, and with it the sender: the watcher sees the channel closed.
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Visibility;

    fn watch_with<T: Send + 'static>(
        seconds: Option<f64>,
        work: impl FnOnce(&Budget) -> T + Send + 'static,
    ) -> Ending<T> {
        let limits = Limits { seconds, megabytes: None };
        watch(limits, &Phases::default(), Line::new(Visibility::Hidden), work)
    }

    #[test]
    fn panic_is_caught_and_quoted() {
        let ending = watch_with(None, |_| -> () { panic!("the stack is empty") });
        assert!(matches!(&ending, Ending::Panicked(text) if text.contains("the stack is empty")), "{ending:?}");
        let ending = watch_with(None, |_| -> () { panic!("the stack is {}", "full") });
        assert!(matches!(&ending, Ending::Panicked(text) if text.contains("the stack is full")), "{ending:?}");
    }

    #[test]
    fn worker_that_listens_gives_its_own_answer() {
        let ending = watch_with(Some(1e-9), |budget| {
            while budget.spend(1).is_ok() {
                std::thread::yield_now();
            }
            budget.hit()
        });
        assert!(matches!(ending, Ending::Done(Limit::Time)), "{ending:?}");
    }

    #[test]
    fn worker_that_finishes_its_answer_gets_more_time() {
        let ending = watch_with(Some(1e-9), |budget| {
            while budget.spend(1).is_ok() {
                std::thread::yield_now();
            }
            for phase in ["replay", "merge", "print"] {
                budget.enter(phase);
                std::thread::sleep(GRACE / 2);
            }
        });
        assert!(matches!(ending, Ending::Done(())), "{ending:?}");
    }

    #[test]
    fn worker_that_does_not_listen_is_left_behind() {
        let start = Instant::now();
        let ending = watch_with(Some(1e-9), |_| std::thread::sleep(Duration::from_secs(60)));
        assert!(matches!(ending, Ending::Overrun(Limit::Time)), "{ending:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
