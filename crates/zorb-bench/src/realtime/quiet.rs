//! Detects disturbances: times in which the hypervisor or the system withheld a processor.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use zorb_os::clock::MonotonicTime;
use zorb_os::priority::{self, Schedule};
use zorb_os::thread;

use crate::error::Result;

/// Higher than all measured priorities.
const PRIORITY: u8 = 95;
const PERIOD: Duration = Duration::from_millis(1);
/// The observer wakes later than this only if the hypervisor or the system withheld the processor.
const LATE: Duration = Duration::from_millis(1);
/// Periods between readings of the stolen time.
const PERIODS_OF_STEAL: u32 = 100;

type Window = (MonotonicTime, MonotonicTime);

/// Times of disturbances.
#[derive(Clone, Debug, Default)]
pub(super) struct Disturbed(Vec<Window>);

impl Disturbed {
    pub(super) fn of(windows: Vec<Window>) -> Self {
        Self(windows)
    }

    /// The union with `others`.
    pub(super) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Whether one of them overlaps the time between two moments.
    pub(super) fn overlaps(&self, begun: MonotonicTime, ended: MonotonicTime) -> bool {
        self.0.iter().any(|(from, to)| *from < ended && begun < *to)
    }

    /// The number of disturbances.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

/// Observes processors until dropped.
#[derive(Debug)]
pub(super) struct Quiet {
    stop: Arc<AtomicBool>,
    windows: Arc<Mutex<Vec<Window>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Quiet {
    /// Observes these processors.
    pub(super) fn watch(processors: &[usize]) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let windows = Arc::new(Mutex::new(Vec::with_capacity(1024)));
        let mut threads = Vec::new();
        for &processor in processors {
            let (stop, windows) = (Arc::clone(&stop), Arc::clone(&windows));
            let watch = move || {
                // Without permission, it also detects its own delays.
                let _ = thread::set_affinity(&[processor]);
                let _ = priority::set(Schedule::Fifo(PRIORITY));
                observe(&stop, &windows, processor);
            };
            threads.push(std::thread::Builder::new().name("control".to_owned()).spawn(watch)?);
        }
        Ok(Self { stop, windows, threads })
    }

    /// The disturbances so far.
    pub(super) fn disturbed(&self) -> Disturbed {
        Disturbed(self.windows.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn observe(stop: &AtomicBool, windows: &Mutex<Vec<Window>>, processor: usize) {
    let mut due = MonotonicTime::now() + PERIOD;
    let (mut asked, mut stolen, mut periods) = (MonotonicTime::now(), steal(processor), 0);
    let note = |from, to| windows.lock().unwrap_or_else(PoisonError::into_inner).push((from, to));
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(due.time_left());
        let now = MonotonicTime::now();
        if now.duration_since(due) > LATE {
            note(due, now);
            due = now;
        }
        due = due + PERIOD;
        periods += 1;
        if periods % PERIODS_OF_STEAL == 0 {
            let total = steal(processor);
            if total != stolen {
                note(asked, now);
            }
            (asked, stolen) = (now, total);
        }
    }
}

/// The stolen time of a processor in ticks; `None` if the system does not report it.
fn steal(processor: usize) -> Option<u64> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let name = format!("cpu{processor}");
    let line = text.lines().find(|line| line.split(' ').next() == Some(&name))?;
    line.split_ascii_whitespace().nth(8)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_intervals_do_not_overlap() {
        let at = MonotonicTime::from_nanos;
        let disturbed = Disturbed::of(vec![(at(10), at(20)), (at(40), at(50))]);
        for (begun, ended, expected) in [
            (0, 10, false),
            (20, 40, false),
            (0, 11, true),
            (19, 20, true),
            (15, 16, true),
            (0, 99, true),
        ] {
            assert_eq!(disturbed.overlaps(at(begun), at(ended)), expected, "{begun}..{ended}");
        }
    }
}
