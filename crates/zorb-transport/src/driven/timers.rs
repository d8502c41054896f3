//! Timers of connections.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};
use std::{fmt, io, thread};

use zorb_os::lock::{Condition, Lock, Locked};
use zorb_os::priority::{self, Schedule};
use zorb_os::thread::run_anywhere;

use super::settings::Micros;
use crate::Workers;

/// Microseconds since the first call.
pub(super) fn now() -> Micros {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    // Never 0, which is before all other times.
    u64::try_from(BEGUN.elapsed().as_micros()).unwrap_or(u64::MAX).saturating_add(1)
}

/// Calls handlers at their times, from a thread that exists while there are alarms; with worker
/// threads of an endpoint, until [`end`](Self::end). The shared timers serve the clients of all
/// threads, and are not restricted to their processors.
#[derive(Debug)]
pub(super) struct Timers {
    /// The prefix of the thread's name.
    name: &'static str,
    due: Lock<Due>,
    changed: Condition,
    workers: Workers,
    /// Whether it serves the clients of all threads.
    is_shared: bool,
}

/// Handles an alarm: a link of any of the protocols, whose types differ.
pub(super) trait TimeoutHandler: fmt::Debug + Send + Sync {
    /// Called at the time of the alarm.
    fn handle_timeout(self: Arc<Self>);
}

#[derive(Debug, Default)]
struct Due {
    handlers: BTreeMap<Alarm, Weak<dyn TimeoutHandler>>,
    next: u64,
    is_running: bool,
    /// Whether the thread continues without alarms.
    stays: bool,
    /// The system's id of the thread, once it runs.
    thread: Option<u32>,
    /// The minimum priority of the thread; 0 for none.
    level: u8,
}

impl Due {
    fn give_priority(&self) {
        if let Some(thread) = self.thread
            && self.level > 0
        {
            // Threads of this priority were allowed to do the same.
            let _ = priority::set_of(thread, Schedule::Fifo(self.level));
        }
    }
}

/// The time, and a unique number.
pub(super) type Alarm = (Micros, u64);

impl Timers {
    fn due(&self) -> Locked<'_, Due> {
        self.due.lock()
    }

    /// Timers shared by all clients.
    pub(super) fn shared(name: &'static str) -> Arc<Self> {
        Arc::new(Self::new(name, Workers::default(), true))
    }

    /// Timers of an endpoint with these worker threads.
    pub(super) fn of_endpoint(name: &'static str, workers: Workers) -> Arc<Self> {
        Arc::new(Self::new(name, workers, false))
    }

    fn new(name: &'static str, workers: Workers, is_shared: bool) -> Self {
        let (due, changed) = (Lock::default(), Condition::new());
        Self { name, due, changed, workers, is_shared }
    }

    pub(super) fn workers(&self) -> &Workers {
        &self.workers
    }

    /// Starts the thread of an endpoint with worker threads: starting it at the first alarm could
    /// be too late.
    pub(super) fn start(self: &Arc<Self>) -> io::Result<()> {
        if self.workers.is_default() {
            return Ok(());
        }
        let mut due = self.due();
        self.spawn()?;
        due.is_running = true;
        due.stays = true;
        Ok(())
    }

    /// Ends the thread when no alarms are left.
    pub(super) fn end(&self) {
        self.due().stays = false;
        self.changed.notify_one();
    }

    /// Raises the thread's priority to at least `level`.
    pub(super) fn raise(&self, level: u8) {
        let mut due = self.due();
        if level > due.level {
            due.level = level;
            due.give_priority();
        }
    }

    fn spawn(self: &Arc<Self>) -> io::Result<()> {
        let timers = Arc::clone(self);
        let thread = thread::Builder::new().name(format!("{}-time", self.name));
        thread.spawn(move || timers.run()).map(drop)
    }

    /// Sets an alarm, and removes the handler's previous one.
    pub(super) fn set(
        self: &Arc<Self>,
        at: Micros,
        handler: Weak<dyn TimeoutHandler>,
        old: Option<Alarm>,
    ) -> Alarm {
        let mut due = self.due();
        if let Some(old) = old {
            due.handlers.remove(&old);
        }
        let alarm = (at, due.next);
        due.next = due.next.wrapping_add(1);
        due.handlers.insert(alarm, handler);
        let is_first = due.handlers.first_key_value().is_some_and(|(first, _)| *first == alarm);
        if !due.is_running {
            due.is_running = self.spawn().is_ok();
        } else if is_first {
            self.changed.notify_one();
        }
        alarm
    }

    /// Removes an alarm of a handler that has ended: its memory is in use until then.
    pub(super) fn cancel(&self, alarm: Alarm) {
        self.due().handlers.remove(&alarm);
    }

    fn run(self: Arc<Self>) {
        self.workers.begin();
        if self.is_shared {
            // The thread that connects first may be restricted to the processors of a lane.
            let _ = run_anywhere();
        }
        let mut due = self.due();
        due.thread = Some(zorb_os::thread::id());
        due.give_priority();
        loop {
            let Some(first) = due.handlers.first_entry() else {
                if !due.stays {
                    due.is_running = false;
                    due.thread = None;
                    return;
                }
                self.workers.work_ends();
                due = self.changed.wait(due);
                self.workers.work_begins();
                continue;
            };
            let (at, _) = *first.key();
            let now = now();
            if at > now {
                self.workers.work_ends();
                due = self.changed.wait_for(due, Duration::from_micros(at - now));
                self.workers.work_begins();
                continue;
            }
            let handler = first.remove();
            drop(due);
            if let Some(handler) = handler.upgrade() {
                handler.handle_timeout();
            }
            due = self.due();
        }
    }
}
