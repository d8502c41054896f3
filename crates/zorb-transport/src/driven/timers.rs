//! Connections that have to do something at a certain time.

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
    // Never 0, which is the time before all others.
    u64::try_from(BEGUN.elapsed().as_micros()).unwrap_or(u64::MAX).saturating_add(1)
}

/// Wakes connections at their times, by a thread that is there while there are any; by one that is there
/// until the [end](Self::end) where somebody says what it is like. By default it is for the connections of
/// whatever threads connect, and on none of their processors in particular.
#[derive(Debug)]
pub(super) struct Timers {
    /// What the thread's name begins with.
    name: &'static str,
    due: Lock<Due>,
    changed: Condition,
    workers: Workers,
    /// Whether it is for the connections of any threads.
    is_shared: bool,
}

/// What is called when an alarm is due.
pub(super) trait TimeoutHandler: fmt::Debug + Send + Sync {
    /// The time of its alarm has come.
    fn handle_timeout(self: Arc<Self>);
}

#[derive(Debug, Default)]
struct Due {
    handlers: BTreeMap<Alarm, Weak<dyn TimeoutHandler>>,
    next: u64,
    is_running: bool,
    /// Whether the thread is there although nothing is due.
    stays: bool,
    /// The system's id of the thread, once it has begun.
    thread: Option<u32>,
    /// The priority that the thread has at the least; 0 for none.
    level: u8,
}

impl Due {
    fn give_priority(&self) {
        if let Some(thread) = self.thread
            && self.level > 0
        {
            // Allowed to those whose priority it was, it is allowed here.
            let _ = priority::set_of(thread, Schedule::Fifo(self.level));
        }
    }
}

/// When, and a number that no other has.
pub(super) type Alarm = (Micros, u64);

impl Timers {
    fn due(&self) -> Locked<'_, Due> {
        self.due.lock()
    }

    /// Timers for the connections of all clients.
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

    /// Starts the thread, where it is to be there from the beginning: whoever first has to be woken may
    /// not have the time for it.
    pub(super) fn start(self: &Arc<Self>) -> io::Result<()> {
        if self.workers.are_anyones() {
            return Ok(());
        }
        let mut due = self.due();
        self.spawn()?;
        due.is_running = true;
        due.stays = true;
        Ok(())
    }

    /// Nothing will be due any more.
    pub(super) fn end(&self) {
        self.due().stays = false;
        self.changed.tell_one();
    }

    /// Has the thread have this priority at the least.
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

    /// Has a connection woken at a time, instead of at an earlier alarm of its own.
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
            self.changed.tell_one();
        }
        alarm
    }

    fn run(self: Arc<Self>) {
        self.workers.begin();
        if self.is_shared {
            // The one that connects first may be kept on a processor of a lane's.
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
                self.workers.turn_ends();
                due = self.changed.wait(due);
                self.workers.turn_begins();
                continue;
            };
            let (at, _) = *first.key();
            let now = now();
            if at > now {
                self.workers.turn_ends();
                due = self.changed.wait_for(due, Duration::from_micros(at - now));
                self.workers.turn_begins();
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
