//! Clocks of periodic tasks.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use zorb_os::clock::{self, MonotonicTime};
use zorb_os::futex;

use crate::Time;

/// The clock of a periodic task.
pub trait UpcallClock {
    /// The current time.
    fn now(&self) -> Time;

    /// The processor time used by the calling thread.
    fn used(&self) -> Time;

    /// Waits until `moment`, not at all if it has passed; `false` when the task must stop. May
    /// return early.
    fn wait_until(&self, moment: Time) -> bool;
}

/// A simulated clock, for tests of periodic tasks.
///
/// Waiting advances it; so does the upcall, by [`work`](Self::work) and [`wait`](Self::wait).
pub struct VirtualClock {
    now: Cell<Time>,
    used: Cell<Time>,
    end: Time,
    wakes_late: Box<dyn Fn(Time) -> Time>,
}

impl VirtualClock {
    /// A clock that starts at zero and stops at `end`: nothing is released then or later.
    #[must_use]
    pub fn until(end: Time) -> Self {
        Self {
            now: Cell::new(Time::ZERO),
            used: Cell::new(Time::ZERO),
            end,
            wakes_late: Box::new(|_| Time::ZERO),
        }
    }

    /// Makes waits return late: `late` maps the requested to the actual time.
    #[must_use]
    pub fn waking_late(self, late: impl Fn(Time) -> Time + 'static) -> Self {
        Self { wakes_late: Box::new(late), ..self }
    }

    /// Uses this much processor time.
    pub fn work(&self, time: Time) {
        self.used.set(self.used.get() + time);
        self.wait(time);
    }

    /// Lets this much time pass without using the processor.
    pub fn wait(&self, time: Time) {
        self.now.set(self.now.get() + time);
    }
}

impl UpcallClock for VirtualClock {
    fn now(&self) -> Time {
        self.now.get()
    }

    fn used(&self) -> Time {
        self.used.get()
    }

    fn wait_until(&self, moment: Time) -> bool {
        if moment >= self.end {
            return false;
        }
        if self.now.get() < moment {
            self.now.set(moment + (self.wakes_late)(moment));
        }
        true
    }
}

impl fmt::Debug for VirtualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VirtualClock")
            .field("now", &self.now.get())
            .field("used", &self.used.get())
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

/// The machine's clock, with a stop flag for waiting threads.
#[derive(Clone, Debug)]
pub(super) struct MachineClock {
    state: Arc<AtomicU32>,
}

const RUNNING: u32 = 0;
const STOPPED: u32 = 1;

impl MachineClock {
    pub(super) fn new() -> Self {
        Self { state: Arc::new(AtomicU32::new(RUNNING)) }
    }

    pub(super) fn stop(&self) {
        self.state.store(STOPPED, Ordering::Release);
        futex::wake(&self.state);
    }
}

impl UpcallClock for MachineClock {
    fn now(&self) -> Time {
        Time::from_nanos(MonotonicTime::now().as_nanos())
    }

    fn used(&self) -> Time {
        clock::thread_time().into()
    }

    /// One system call; none for a time that has passed.
    fn wait_until(&self, moment: Time) -> bool {
        loop {
            if self.state.load(Ordering::Acquire) == STOPPED {
                return false;
            }
            if self.now() >= moment {
                return true;
            }
            futex::wait_until(&self.state, RUNNING, MonotonicTime::from_nanos(moment.as_nanos()));
        }
    }
}
