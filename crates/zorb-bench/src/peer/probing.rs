//! Commands about the time probes of a peer.

use zorb_os::clock::{MonotonicTime, ticks};
use zorb_os::probe::{self, Mark};

use crate::driver::Traces;

/// Starts a series of calls; earlier passages are ignored.
pub(crate) const MARK: &str = "mark";
/// Requests the passages since the mark.
pub(crate) const TRACE: &str = "trace";

/// Passages that are timed together to measure the cost of one.
const TIMED: u32 = 10_000;

/// The current series.
#[derive(Debug)]
pub(super) struct Probing {
    mark: Mark,
    begin: (MonotonicTime, u64),
}

impl Probing {
    pub(super) fn new() -> Self {
        Self { mark: Mark::now(), begin: moment() }
    }

    /// The answer to a command about probes, if this program has any.
    pub(super) fn answer(&mut self, line: &str) -> Option<String> {
        match line {
            MARK if probe::ON => {
                *self = Self::new();
                Some("marked".to_owned())
            }
            TRACE if probe::ON => Some(self.traces().line().unwrap_or_else(|reason| reason)),
            _ => None,
        }
    }

    fn traces(&self) -> Traces {
        let traces = self.mark.traces();
        let (time, ticks) = moment();
        let passed = ticks.wrapping_sub(self.begin.1) as f64;
        let micros = time.nanos_since(self.begin.0).max(1) as f64 / 1e3;
        let thread = |trace: &probe::Trace| {
            let mut last = trace.passages.first().map_or(0, |passage| passage.ticks);
            let step = |passage: &probe::Passage| {
                let took = passage.ticks.saturating_sub(last);
                last = passage.ticks;
                (passage.step as u8, took)
            };
            trace.passages.iter().map(step).collect()
        };
        Traces {
            cost_ns: cost_ns(),
            ticks_per_us: passed / micros,
            lost: traces.iter().map(|trace| trace.lost).sum(),
            threads: traces.iter().map(thread).collect(),
        }
    }
}

fn moment() -> (MonotonicTime, u64) {
    (MonotonicTime::now(), ticks())
}

/// The cost of passing a probe, in nanoseconds.
fn cost_ns() -> f64 {
    let start = MonotonicTime::now();
    for _ in 0..TIMED {
        zorb_os::probe!(Begin);
    }
    start.elapsed().as_nanos() as f64 / f64::from(TIMED)
}
