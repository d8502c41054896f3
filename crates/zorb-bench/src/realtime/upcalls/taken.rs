//! What the machine took of a processor while tasks were to run on it.
//!
//! Two witnesses tell, neither of which has anything to do with upcalls: a thread above all others
//! that wakes at the releases of the fastest task, and the loop that this task's upcalls consist of,
//! which asks for nothing and takes a known time. What either of them was late by, no task can make up
//! for.

use std::time::Duration;

use zorb_os::clock::MonotonicTime;

/// The witnesses are not heard about less than this: threads are woken that late, and loops are not of
/// one length.
const GRAIN: Duration = Duration::from_micros(30);

/// From when to when.
pub(super) type Window = (MonotonicTime, MonotonicTime);

/// The times that the machine took, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken(Vec<Window>);

impl Taken {
    /// Whether a witness that is so late is heard.
    pub(super) fn counts(late: Duration) -> bool {
        late > GRAIN
    }

    /// Those between these moments, which may overlap.
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

    /// What of the time between two moments was taken, in nanoseconds.
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

    fn taken(windows: &[(u64, u64)]) -> Taken {
        Taken::of(windows.iter().map(|(from, to)| (at(*from), at(*to))).collect())
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
    fn what_every_thread_waits_for_is_not_taken() {
        let taken = taken(&[(0, 30), (100, 131)]);
        assert_eq!(taken.within(at(0), at(1000)), 31_000);
    }
}
