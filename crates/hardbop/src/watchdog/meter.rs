//! What the process has used so far.

use std::sync::LazyLock;
use std::time::Instant;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The ticks per second in which Linux reports processor time; the same on all its architectures of today.
const TICKS: f64 = 100.0;

/// Seconds of processor time, of children that have ended too. Where the system does not say: seconds since the first
/// question.
pub fn cpu_seconds() -> f64 {
    LazyLock::force(&START);
    read_ticks().map_or_else(|| START.elapsed().as_secs_f64(), |ticks| ticks as f64 / TICKS)
}

/// Megabytes of resident memory; 0 where the system does not say.
pub fn resident_megabytes() -> u64 {
    read_kilobytes("VmRSS:").unwrap_or(0) / 1024
}

/// The most megabytes that were resident at once; 0 where the system does not say.
pub fn peak_megabytes() -> u64 {
    read_kilobytes("VmHWM:").unwrap_or(0) / 1024
}

/// `utime + stime + cutime + cstime`, fields 14 to 17 of `/proc/self/stat`.
fn read_ticks() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the command's name in parentheses and may contain anything.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().skip(11).take(4).map(|field| field.parse::<u64>().ok()).sum()
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
    fn this_process_uses_memory_and_time() {
        assert!(resident_megabytes() > 0);
        let before = cpu_seconds();
        let mut sum = 0u64;
        while cpu_seconds() <= before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
    }
}
