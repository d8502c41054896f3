//! Connections that have to do something at a certain time.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};
use std::{io, thread};

use zorb_os::lock::{Condition, Lock, Locked};
use zorb_os::priority::{self, Schedule};
use zorb_os::thread::run_anywhere;

use super::link::Link;
use super::{Driven, Micros};
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
pub(super) struct Timers<D: Driven> {
    due: Lock<Due<D>>,
    changed: Condition,
    workers: Workers,
    /// Whether it is for the connections of any threads.
    is_shared: bool,
}

impl<D: Driven> Default for Timers<D> {
    fn default() -> Self {
        let due = Due {
            links: BTreeMap::new(),
            next: 0,
            is_running: false,
            stays: false,
            thread: None,
            level: 0,
        };
        let (changed, workers) = (Condition::new(), Workers::default());
        Self { due: Lock::new(due), changed, workers, is_shared: true }
    }
}

#[derive(Debug)]
struct Due<D: Driven> {
    links: BTreeMap<Alarm, Weak<Link<D>>>,
    next: u64,
    is_running: bool,
    /// Whether the thread is there although nothing is due.
    stays: bool,
    /// The system's id of the thread, once it has begun.
    thread: Option<u32>,
    /// The priority that the thread has at the least; 0 for none.
    level: u8,
}

impl<D: Driven> Due<D> {
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

impl<D: Driven> Timers<D> {
    fn due(&self) -> Locked<'_, Due<D>> {
        self.due.lock()
    }

    /// Timers of an endpoint whose threads are like this.
    pub(super) fn of(workers: Workers) -> Arc<Self> {
        Arc::new(Self { workers, is_shared: false, ..Self::default() })
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
        let thread = thread::Builder::new().name(format!("{}-time", D::THREADS));
        thread.spawn(move || timers.run()).map(drop)
    }

    /// Has a connection woken at a time, instead of at an earlier alarm of its own.
    pub(super) fn set(
        self: &Arc<Self>,
        at: Micros,
        link: Weak<Link<D>>,
        old: Option<Alarm>,
    ) -> Alarm {
        let mut due = self.due();
        if let Some(old) = old {
            due.links.remove(&old);
        }
        let alarm = (at, due.next);
        due.next = due.next.wrapping_add(1);
        due.links.insert(alarm, link);
        let is_first = due.links.first_key_value().is_some_and(|(first, _)| *first == alarm);
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
            let Some(first) = due.links.first_entry() else {
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
            let link = first.remove();
            drop(due);
            if let Some(link) = link.upgrade() {
                link.on_time();
            }
            due = self.due();
        }
    }
}
