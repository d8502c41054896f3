//! Connections that have to do something at a certain time.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use zorb_os::lock::{Condition, Lock, Locked};

use super::link::Link;
use super::{Driven, Micros};

/// Microseconds since the first call.
pub(super) fn now() -> Micros {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    // Never 0, which is the time before all others.
    u64::try_from(BEGUN.elapsed().as_micros()).unwrap_or(u64::MAX).saturating_add(1)
}

/// Wakes connections at their times, by a thread that is there while there are any.
#[derive(Debug)]
pub(super) struct Timers<D: Driven> {
    due: Lock<Due<D>>,
    changed: Condition,
}

impl<D: Driven> Default for Timers<D> {
    fn default() -> Self {
        let due = Due { links: BTreeMap::new(), next: 0, is_running: false };
        Self { due: Lock::new(due), changed: Condition::new() }
    }
}

#[derive(Debug)]
struct Due<D: Driven> {
    links: BTreeMap<Alarm, Weak<Link<D>>>,
    next: u64,
    is_running: bool,
}

/// When, and a number that no other has.
pub(super) type Alarm = (Micros, u64);

impl<D: Driven> Timers<D> {
    fn due(&self) -> Locked<'_, Due<D>> {
        self.due.lock()
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
            let timers = Arc::clone(self);
            let started = thread::Builder::new().name(format!("{}-time", D::THREADS));
            due.is_running = started.spawn(move || timers.run()).is_ok();
        } else if is_first {
            self.changed.tell_one();
        }
        alarm
    }

    fn run(self: Arc<Self>) {
        let mut due = self.due();
        loop {
            let Some(first) = due.links.first_entry() else {
                due.is_running = false;
                return;
            };
            let (at, _) = *first.key();
            let now = now();
            if at > now {
                due = self.changed.wait_for(due, Duration::from_micros(at - now));
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
