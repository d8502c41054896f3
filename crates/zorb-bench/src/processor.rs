//! Which processors a process runs on, and how much of them it uses.

use rustix::time::{ClockId, clock_gettime};
use zorb_os::thread;

use crate::error::{Error, Result};

/// Keeps the calling thread, and those that it starts, on one processor.
///
/// # Errors
/// There is no such processor for this process.
pub fn pin(processor: usize) -> Result<()> {
    thread::set_affinity(&[processor])
        .map_err(|error| Error::new(format!("processor {processor}: {error}")))
}

/// What the whole process has used of the processor since it began, in nanoseconds: in its own code
/// and in the system's.
#[must_use]
pub fn process_cpu_ns() -> u64 {
    nanos(ClockId::ProcessCPUTime)
}

/// What the calling thread has used of the processor since it began, in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    nanos(ClockId::ThreadCPUTime)
}

fn nanos(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000) + u64::try_from(time.tv_nsec).unwrap_or_default()
}
