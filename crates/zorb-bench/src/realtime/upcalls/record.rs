//! Records start and loop times of periodic upcalls, and attributes missed deadlines to the program or to the machine.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use zorb_os::clock::MonotonicTime;
use zorb_sched::Activation;

use super::super::times::Sample;
use super::stolen_time::{StolenTime, Window};

/// A missed deadline is excused if the upcall, without the time that the machine took, used at most this fraction (1/n)
/// of its deadline.
const IN_TIME: u64 = 2;

/// Releases whose upcalls missed their deadlines or were skipped.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Late {
    pub(super) all: u64,
    /// Those excused because the machine delayed the start of threads, and those because it interrupted the loop of the
    /// fastest task.
    pub(super) begun_late: u64,
    pub(super) held_up: u64,
    /// The longest response time without the time that the machine took, in nanoseconds.
    pub(super) longest_own: u64,
}

impl Late {
    /// Missed releases that the machine does not excuse.
    pub(super) const fn own(&self) -> u64 {
        self.all - self.begun_late - self.held_up
    }
}

/// A missed deadline.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) task: String,
    pub(super) releases: u64,
    /// The release, or the first skipped one.
    pub(super) from: MonotonicTime,
    pub(super) ended: MonotonicTime,
    /// Relative to the release, in nanoseconds.
    pub(super) deadline: u64,
}

/// The stolen times, from two independent measurements.
#[derive(Debug)]
pub(super) struct StolenTimes {
    /// Intervals in which no thread could start.
    pub(super) begins: StolenTime,
    /// These, and intervals in which the loop of the fastest task was interrupted.
    pub(super) both: StolenTime,
}

impl StolenTimes {
    /// Attributes the missed deadlines of a task.
    pub(super) fn judge<'r>(&self, reports: impl Iterator<Item = &'r Report>) -> Late {
        let mut late = Late::default();
        for Report { releases, from, ended, deadline, .. } in reports {
            late.all += releases;
            let taken = self.both.within(*from, *ended);
            let own = ended.nanos_since(*from).saturating_sub(taken);
            late.longest_own = late.longest_own.max(own);
            if own > *deadline / IN_TIME {
                continue;
            }
            match self.begins.within(*from, *ended) * 2 >= taken {
                true => late.begun_late += releases,
                false => late.held_up += releases,
            }
        }
        late
    }
}

/// The start latency and loop duration of each release of a task. Recorded without locks, in preallocated slots.
#[derive(Debug)]
pub(super) struct Starts {
    /// The time of the first release in nanoseconds; 0 before it.
    pub(super) first: AtomicU64,
    /// The start latency of each release in nanoseconds plus 1; 0 if its upcall did not start.
    late: Box<[AtomicU32]>,
    /// The loop duration of each release in nanoseconds.
    looped: Box<[AtomicU32]>,
}

impl Starts {
    /// Preallocates slots for this number of releases.
    pub(super) fn of(releases: u64) -> Self {
        let none = || (0..releases).map(|_| AtomicU32::new(0)).collect();
        Self { first: AtomicU64::new(0), late: none(), looped: none() }
    }

    pub(super) fn note(&self, activation: &Activation) {
        if activation.number == 0 {
            self.first.store(activation.release.as_nanos(), Ordering::Release);
        }
        let slot = usize::try_from(activation.number).ok().and_then(|index| self.late.get(index));
        if let Some(slot) = slot {
            let now = MonotonicTime::now().as_nanos();
            let late = now.saturating_sub(activation.release.as_nanos());
            slot.store(u32::try_from(late).unwrap_or(u32::MAX - 1) + 1, Ordering::Relaxed);
        }
    }

    /// Records the end of an upcall's loop.
    pub(super) fn looped(&self, activation: &Activation, begun: MonotonicTime) {
        let slot = usize::try_from(activation.number).ok().and_then(|index| self.looped.get(index));
        if let Some(slot) = slot {
            let nanos = MonotonicTime::now().nanos_since(begun);
            slot.store(u32::try_from(nanos).unwrap_or(u32::MAX), Ordering::Relaxed);
        }
    }

    /// Intervals by which loops exceeded their usual duration.
    pub(super) fn held_up(&self, period_us: u64, work_us: u32) -> Vec<Window> {
        let first = MonotonicTime::from_nanos(self.first.load(Ordering::Acquire));
        let released = (0..).map(|number| first + Duration::from_micros(period_us * number));
        let each = released.zip(self.late.iter().zip(&self.looped));
        let held_up = each.filter_map(|(released, (late, looped))| {
            let late = late.load(Ordering::Relaxed).checked_sub(1)?;
            let began = released + Duration::from_nanos(late.into());
            let looped = Duration::from_nanos(looped.load(Ordering::Relaxed).into());
            let usual = Duration::from_micros(work_us.into());
            (looped > usual).then_some((began + usual, began + looped))
        });
        held_up.collect()
    }

    /// The start latencies.
    pub(super) fn samples(&self, period_us: u64) -> Vec<Sample> {
        let first = MonotonicTime::from_nanos(self.first.load(Ordering::Acquire));
        let released = (0..).map(|number| first + Duration::from_micros(period_us * number));
        let made = released.zip(&self.late).filter_map(|(released, late)| {
            let late = late.load(Ordering::Relaxed).checked_sub(1)?;
            Some(Sample::of_nanos(released, late.into()))
        });
        made.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_upcalls_that_were_fast_otherwise_are_excused() {
        let at = |micros: u64| MonotonicTime::from_nanos(micros * 1000);
        let taken = |windows: &[(u64, u64)]| {
            StolenTime::of(windows.iter().map(|(from, to)| (at(*from), at(*to))).collect())
        };
        // No thread could start from 0 to 1,400; a loop was interrupted from 2,050 to 2,500.
        let stolen_times = StolenTimes {
            begins: taken(&[(0, 1_400)]),
            both: taken(&[(0, 1_400), (2_050, 2_500)]),
        };
        let report = |releases, from, ended| Report {
            task: String::new(),
            releases,
            from: at(from),
            ended: at(ended),
            deadline: 500_000,
        };
        let reports = [
            report(2, 0, 1_480),
            report(1, 2_000, 2_570),
            report(1, 3_000, 3_510),
            report(1, 1_300, 1_801),
        ];
        let Late { all, begun_late, held_up, longest_own } = stolen_times.judge(reports.iter());
        assert_eq!((all, begun_late, held_up, longest_own), (5, 2, 1, 510_000));
        assert_eq!(stolen_times.judge(reports.iter()).own(), 2);
    }

    #[test]
    fn a_longer_loop_counts_as_interrupted_from_its_usual_end_on() {
        let starts = Starts::of(3);
        let release = |number| Activation {
            number,
            release: zorb_sched::Time::from_nanos(1_000_000 + number * 500_000),
            deadline: zorb_sched::Time::ZERO,
            skipped: 0,
        };
        starts.note(&release(0));
        starts.looped(&release(0), MonotonicTime::from_nanos(0));
        let windows = starts.held_up(500, 70);
        let [(from, to)] = windows[..] else { panic!("{windows:?}") };
        assert!(to > from && from > MonotonicTime::from_nanos(1_000_000));
        assert_eq!(starts.samples(500).len(), 1);
    }
}
