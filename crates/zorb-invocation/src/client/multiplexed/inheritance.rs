//! Priority inheritance of the leader.
//!
//! The lock of a connection's state has priority inheritance, but leading is no lock: the leader mostly waits
//! for the server, and wakes followers while it stays the leader. Therefore a follower that goes to sleep and has
//! a higher priority than the leader raises the leader's priority, which is restored when it stops leading. For
//! threads that have not set a priority this costs reading a thread-local.

use zorb_os::priority::{self, MAX_PRIORITY, Schedule};
use zorb_os::thread;

/// The caller that receives for all callers.
#[derive(Debug, Default)]
pub(super) struct Leader {
    /// Its thread; 0 if there is no leader.
    thread: u32,
    /// The priority that it has set or inherited.
    priority: u8,
    /// Its schedule before it inherited a priority.
    own: Option<Schedule>,
}

impl Leader {
    /// The calling thread becomes the leader.
    #[inline]
    pub(super) fn begin(&mut self) {
        *self = Self { thread: thread::id(), priority: priority::last_set(), own: None };
    }

    /// The calling thread stops leading.
    #[inline]
    pub(super) fn end(&mut self) {
        self.thread = 0;
        if let Some(own) = self.own.take() {
            // A thread may always lower its priority.
            let _ = priority::set(own);
        }
    }

    /// The leader inherits the priority of the calling thread, which is about to wait for its reply.
    #[inline]
    pub(super) fn inherit(&mut self) {
        if priority::last_set() > self.priority && self.thread != 0 {
            self.raise(priority::last_set());
        }
    }

    /// Raises the leader to `priority`, unless its own is higher.
    #[cold]
    fn raise(&mut self, priority: u8) {
        let Ok(now) = priority::of(self.thread) else { return };
        if now.level() < priority {
            // Fails if the process may not set priorities; then no thread has one.
            let wanted = Schedule::Fifo(priority.min(MAX_PRIORITY));
            if priority::set_of(self.thread, wanted).is_ok() {
                self.own.get_or_insert(now);
            }
        }
        self.priority = priority;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schedule of a thread with the lowest real-time priority while it leads and a thread with `priority`
    /// waits for it, and afterwards; `None` without the privilege.
    fn led(priority: u8) -> Option<[Schedule; 2]> {
        let lead = move || {
            let mut leader = Leader::default();
            priority::set(Schedule::Fifo(1)).ok()?;
            leader.begin();
            std::thread::scope(|scope| {
                let follower = || {
                    priority::set(Schedule::Fifo(priority)).unwrap();
                    leader.inherit();
                };
                scope.spawn(follower).join().unwrap();
            });
            let during = priority::current().unwrap();
            leader.end();
            Some([during, priority::current().unwrap()])
        };
        std::thread::spawn(lead).join().unwrap()
    }

    #[test]
    fn a_leader_inherits_priorities_until_it_stops_leading() {
        let Some(scheduled) = led(7) else { return };
        assert_eq!(scheduled, [Schedule::Fifo(7), Schedule::Fifo(1)]);
    }

    #[test]
    fn a_leader_is_not_lowered() {
        let mut leader = Leader::default();
        leader.inherit();
        leader.begin();
        leader.inherit();
        assert_eq!(leader.own, None);
        assert_eq!(leader.thread, thread::id());
        leader.end();
        assert_eq!(leader.thread, 0);
    }
}
