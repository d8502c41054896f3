//! Time stolen from the processor while tasks were ready.
//!
//! Two measurements are independent of the upcalls: a thread of the highest priority that wakes at the releases of the
//! fastest task, and the loop that this task's upcalls consist of, makes no system call and has a known duration. No
//! task can compensate a delay of either of them.

use std::time::Duration;

use zorb_os::clock::MonotonicTime;

/// Shorter delays are ignored: wake-up latencies and loop durations vary by this much.
const GRAIN: Duration = Duration::from_micros(30);

/// An interval: start and end.
pub(super) type Window = (MonotonicTime, MonotonicTime);

/// Disjoint intervals of stolen time, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StolenTime(Vec<Window>);

impl StolenTime {
    /// Whether a delay is long enough to count.
    pub(super) fn counts(late: Duration) -> bool {
        late > GRAIN
    }

    /// Merges these intervals, which may overlap.
    pub(super) fn of(mut windows: Vec<Window>) -> Self {
        windows.retain(|(from, to)| Self::counts(to.duration_since(*from)));
        windows.sort_unstable();
        let mut all: Vec<Window> = Vec::with_capacity(windows.len());
        for (from, to) in windows {
            match all.last_mut() {
                Some((_, end)) if from <= *end => *end = (*end).max(to),
                _ => all.push((from, to)),
            }
        }
        Self(all)
    }

    /// The stolen time between two points in time, in nanoseconds.
    pub(super) fn within(&self, begun: MonotonicTime, ended: MonotonicTime) -> u64 {
        let first = self.0.partition_point(|(_, to)| *to <= begun);
        let windows = self.0.iter().skip(first).take_while(|(from, _)| *from < ended);
        windows.map(|(from, to)| (*to).min(ended).nanos_since((*from).max(begun))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> MonotonicTime {
        MonotonicTime::from_nanos(micros * 1000)
    }

    fn taken(windows: &[(u64, u64)]) -> StolenTime {
        StolenTime::of(windows.iter().map(|(from, to)| (at(*from), at(*to))).collect())
    }

    #[test]
    fn windows_that_overlap_are_taken_once() {
        let taken = taken(&[(500, 900), (100, 200), (150, 300), (600, 700), (900, 1000)]);
        for (from, to, expected) in [
            (0, 100, 0),
            (0, 2000, 700),
            (150, 160, 10),
            (250, 600, 150),
            (299, 501, 2),
            (1000, 2000, 0),
        ] {
            assert_eq!(taken.within(at(from), at(to)), expected * 1000, "{from} to {to}");
        }
    }

    #[test]
    fn short_delays_are_ignored() {
        let taken = taken(&[(0, 30), (100, 131)]);
        assert_eq!(taken.within(at(0), at(1000)), 31_000);
    }
}
