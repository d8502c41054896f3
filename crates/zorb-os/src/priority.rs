//! Scheduling policies and priorities of threads.

use std::cell::Cell;
use std::fmt;
use std::io;
use std::time::Duration;

use crate::sys;

/// The scheduling policy and priority of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Time-sharing (`SCHED_OTHER`).
    Shared,
    /// Runs until it waits, in preference to all threads of lower priority and all time-sharing
    /// threads (`SCHED_FIFO`). 1 is the lowest priority, 99 the highest.
    Fifo(u8),
    /// Like [`Fifo`](Self::Fifo), with time slices among threads of the same priority (`SCHED_RR`).
    RoundRobin(u8),
}

/// The highest priority of [`Schedule::Fifo`] and [`Schedule::RoundRobin`].
pub const MAX_PRIORITY: u8 = 99;

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => f.write_str("SCHED_OTHER"),
            Self::Fifo(priority) => write!(f, "SCHED_FIFO {priority}"),
            Self::RoundRobin(priority) => write!(f, "SCHED_RR {priority}"),
        }
    }
}

/// The level reported for a thread with a deadline: above all priorities.
const DEADLINE: u8 = MAX_PRIORITY + 1;

thread_local! {
    /// The level that the thread last set for itself.
    static LAST_SET: Cell<u8> = const { Cell::new(0) };
    /// Whether threads that it starts inherit its priority.
    static CHILDREN_INHERIT: Cell<bool> = const { Cell::new(false) };
}

/// Makes threads started by the calling thread inherit the priority that it sets with [`set`] from
/// now on. A thread that starts as a time-sharing thread has to wait for all real-time threads of
/// the machine before it can raise its own priority.
///
/// Call it before setting a priority: a process without the privilege cannot reset
/// `SCHED_RESET_ON_FORK`.
pub fn enable_inheritance() {
    CHILDREN_INHERIT.set(true);
}

impl Schedule {
    /// Its priority; 0 for time-sharing threads.
    #[must_use]
    pub fn level(self) -> u8 {
        match self {
            Self::Shared => 0,
            Self::Fifo(priority) | Self::RoundRobin(priority) => priority,
        }
    }
}

/// The priority that the calling thread last set for itself with [`set`]; 0 for a time-sharing
/// thread, and without `set`. Reads a thread-local variable, without a system call.
#[inline]
#[must_use]
pub fn last_set() -> u8 {
    LAST_SET.get()
}

/// Sets the scheduling of the calling thread. Threads that it starts later use time-sharing
/// (`SCHED_RESET_ON_FORK`), unless they [inherit](enable_inheritance) its priority. One system call.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] without the privilege (`CAP_SYS_NICE`, or `RLIMIT_RTPRIO`);
/// [`io::ErrorKind::InvalidInput`] for a priority that is not 1 to [`MAX_PRIORITY`].
pub fn set(schedule: Schedule) -> io::Result<()> {
    set_of(0, schedule)?;
    LAST_SET.set(schedule.level());
    Ok(())
}

/// Sets the scheduling of another thread of the process, by its [`thread::id`](crate::thread::id).
///
/// # Errors
/// As [`set`]; [`io::ErrorKind::NotFound`] or another kind if there is no such thread.
pub fn set_of(thread: u32, schedule: Schedule) -> io::Result<()> {
    let (policy, priority) = match schedule {
        Schedule::Shared => (libc::SCHED_OTHER, 0),
        Schedule::Fifo(priority) => (libc::SCHED_FIFO, priority),
        Schedule::RoundRobin(priority) => (libc::SCHED_RR, priority),
    };
    let policy = match thread == 0 && CHILDREN_INHERIT.get() {
        true => policy,
        false => policy | libc::SCHED_RESET_ON_FORK,
    };
    sys::thread::set_schedule(thread.cast_signed(), policy, libc::c_int::from(priority))
}

/// Gives the calling thread `runtime` of a processor in every `period`, within `deadline` after it
/// becomes ready, in preference to all threads scheduled by [`set`] (`SCHED_DEADLINE`). After
/// `runtime` it waits for its next period. Threads that it starts use time-sharing. One system
/// call.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] without the privilege (`CAP_SYS_NICE`), or if the thread may
/// not use all processors; [`io::ErrorKind::ResourceBusy`] if the processors are overcommitted;
/// [`io::ErrorKind::InvalidInput`] unless 1024 ns <= `runtime` <= `deadline` <= `period`, and for
/// periods outside the system's limits (sysctl `kernel.sched_deadline_period_max_us`, `_min_us`: 4
/// s and 100 us).
pub fn set_deadline(runtime: Duration, deadline: Duration, period: Duration) -> io::Result<()> {
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    sys::thread::set_deadline(nanos(runtime), nanos(deadline), nanos(period))?;
    LAST_SET.set(DEADLINE);
    Ok(())
}

/// The scheduling of the calling thread. Batch and idle threads are reported as time-sharing, and
/// threads with a deadline as the highest priority. Two system calls.
///
/// # Errors
/// The system call fails.
pub fn current() -> io::Result<Schedule> {
    of(0)
}

/// The scheduling of another thread of the process.
///
/// # Errors
/// As [`current`]; or there is no such thread.
pub fn of(thread: u32) -> io::Result<Schedule> {
    let (policy, priority) = sys::thread::schedule(thread.cast_signed())?;
    let priority = u8::try_from(priority).unwrap_or(MAX_PRIORITY);
    Ok(match policy & !libc::SCHED_RESET_ON_FORK {
        libc::SCHED_FIFO => Schedule::Fifo(priority),
        libc::SCHED_RR => Schedule::RoundRobin(priority),
        libc::SCHED_DEADLINE => Schedule::Fifo(MAX_PRIORITY),
        _ => Schedule::Shared,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_priority_is_set_or_unchanged() {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let before = current().unwrap();
                for wanted in [Schedule::Fifo(7), Schedule::RoundRobin(3), Schedule::Shared] {
                    match set(wanted) {
                        Ok(()) => {
                            assert_eq!(current().unwrap(), wanted);
                            assert_eq!(last_set(), wanted.level());
                            let child = std::thread::spawn(current).join().unwrap();
                            assert_eq!(child.unwrap(), Schedule::Shared);
                        }
                        Err(error) => {
                            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{wanted}");
                            assert_eq!(current().unwrap(), before);
                        }
                    }
                }
            });
        });
    }

    #[test]
    fn started_threads_inherit_the_priority_if_enabled() {
        let parent = || {
            enable_inheritance();
            let given = set(Schedule::Fifo(4));
            let child = std::thread::spawn(|| (current().unwrap(), set(Schedule::Fifo(3))));
            let (began, lowered) = child.join().unwrap();
            assert_eq!(began == Schedule::Fifo(4), given.is_ok());
            assert_eq!(lowered.is_ok(), given.is_ok());
        };
        std::thread::spawn(parent).join().unwrap();
    }

    #[test]
    fn another_thread_is_given_a_priority() {
        let (tell, told) = std::sync::mpsc::channel();
        let (go, gone) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || {
            tell.send(crate::thread::id()).unwrap();
            gone.recv().unwrap();
            current().unwrap()
        });
        let thread = told.recv().unwrap();
        let before = of(thread).unwrap();
        let given = set_of(thread, Schedule::Fifo(5));
        let seen = of(thread).unwrap();
        go.send(()).unwrap();
        let is = other.join().unwrap();
        assert_eq!(seen, if given.is_ok() { Schedule::Fifo(5) } else { before });
        match given {
            Ok(()) => assert_eq!(is, Schedule::Fifo(5)),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::PermissionDenied),
        }
    }

    #[test]
    fn a_deadline_is_set_or_the_reason_reported() {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let us = Duration::from_micros;
                match set_deadline(us(200), us(5_000), us(10_000)) {
                    Ok(()) => assert_eq!(current().unwrap(), Schedule::Fifo(MAX_PRIORITY)),
                    Err(error) => assert!(
                        matches!(
                            error.kind(),
                            io::ErrorKind::PermissionDenied | io::ErrorKind::ResourceBusy
                        ),
                        "{error}"
                    ),
                }
                let longer_than_its_deadline = set_deadline(us(2), us(1), us(10_000));
                let kind = longer_than_its_deadline.unwrap_err().kind();
                let expected = [io::ErrorKind::InvalidInput, io::ErrorKind::PermissionDenied];
                assert!(expected.contains(&kind), "{kind}");
            });
        });
    }

    #[test]
    fn impossible_priorities_are_refused() {
        for impossible in [Schedule::Fifo(0), Schedule::Fifo(100), Schedule::RoundRobin(0)] {
            assert_eq!(set(impossible).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
    }
}
