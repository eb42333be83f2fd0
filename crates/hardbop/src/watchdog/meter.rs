//! What the process has used so far.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The ticks per second in which Linux reports processor time; the same on all its architectures of today.
const TICKS: f64 = 100.0;

/// The process group of a child that is at work; 0 while there is none.
static GROUP: AtomicU32 = AtomicU32::new(0);

/// Counts the group of the child `id` from now on: the system adds a child's time to ours only when it has ended.
pub fn count_group(id: u32) {
    GROUP.store(id, Relaxed);
}

/// The child has ended.
pub fn forget_group() {
    GROUP.store(0, Relaxed);
}

/// Seconds of processor time, of children too. Where the system does not say: seconds since the first question.
pub fn cpu_seconds() -> f64 {
    LazyLock::force(&START);
    let Some(ticks) = read_ticks() else { return START.elapsed().as_secs_f64() };
    (ticks + group_ticks(GROUP.load(Relaxed))) as f64 / TICKS
}

/// Megabytes of resident memory; 0 where the system does not say.
pub fn resident_megabytes() -> u64 {
    read_kilobytes("VmRSS:").unwrap_or(0) / 1024
}

/// The most megabytes that were resident at once; 0 where the system does not say.
pub fn peak_megabytes() -> u64 {
    read_kilobytes("VmHWM:").unwrap_or(0) / 1024
}

fn read_ticks() -> Option<u64> {
    ticks(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// `utime + stime + cutime + cstime`, fields 14 to 17 of `/proc/self/stat`.
fn ticks(stat: &str) -> Option<u64> {
    fields(stat).skip(11).take(4).map(|field| field.parse::<u64>().ok()).sum()
}

/// The third field and those after it. The second is the command's name in parentheses and may contain anything.
fn fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace()
}

/// What the processes of a group have used.
fn group_ticks(group: u32) -> u64 {
    let Some(processes) = (group != 0).then(|| std::fs::read_dir("/proc").ok()).flatten() else { return 0 };
    let stats = processes.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    let is_of_group = |stat: &String| fields(stat).nth(2).is_some_and(|field| field.parse() == Ok(group));
    stats.filter(is_of_group).filter_map(|stat| ticks(&stat)).sum()
}

fn read_kilobytes(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_group_at_work_is_counted() {
        use std::os::unix::process::CommandExt;
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "while :; do :; done"]).process_group(0);
        let mut child = command.spawn().unwrap();
        while group_ticks(child.id()) < 3 {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(group_ticks(child.id()), 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_uses_memory_and_time() {
        assert!(resident_megabytes() > 0);
        let before = cpu_seconds();
        let mut sum = 0u64;
        while cpu_seconds() <= before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
    }
}
