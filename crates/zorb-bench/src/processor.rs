//! Processor affinity and CPU time.

use rustix::time::{ClockId, clock_gettime};
use zorb_os::thread;

use crate::error::{Error, Result};

/// Pins the calling thread, and those that it starts, to a processor.
///
/// # Errors
/// The process may not use the processor.
pub fn pin(processor: usize) -> Result<()> {
    thread::set_affinity(&[processor])
        .map_err(|error| Error::new(format!("processor {processor}: {error}")))
}

/// CPU time of the process in nanoseconds, user and system.
#[must_use]
pub fn process_cpu_ns() -> u64 {
    nanos(ClockId::ProcessCPUTime)
}

/// CPU time of the calling thread in nanoseconds.
#[must_use]
pub fn thread_cpu_ns() -> u64 {
    nanos(ClockId::ThreadCPUTime)
}

fn nanos(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000) + u64::try_from(time.tv_nsec).unwrap_or_default()
}
