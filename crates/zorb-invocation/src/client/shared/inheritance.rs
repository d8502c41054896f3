//! Priority inheritance of the leader.
//!
//! The lock of a connection's state has priority inheritance of its own. Leading is no lock: the leader
//! waits for the server most of the time, and wakes followers without giving it up. So a follower that
//! goes to sleep and is more urgent than the leader raises the leader's priority, which is restored when
//! it leads no more. Threads that have given themselves no priority pay a look at a thread-local.

use zorb_os::priority::{self, MAX_PRIORITY, Schedule};
use zorb_os::thread;

/// The caller that receives for all.
#[derive(Debug, Default)]
pub(super) struct Leader {
    /// Its thread; 0 while nobody leads.
    thread: u32,
    /// The priority that it has given itself, or has inherited.
    level: u8,
    /// How it was scheduled before it inherited a priority.
    own: Option<Schedule>,
}

impl Leader {
    /// The calling thread leads from now on.
    #[inline]
    pub(super) fn begins(&mut self) {
        *self = Self { thread: thread::id(), level: priority::last_set(), own: None };
    }

    /// The calling thread leads no more.
    #[inline]
    pub(super) fn ends(&mut self) {
        self.thread = 0;
        if let Some(own) = self.own.take() {
            // It may lower itself at any time.
            let _ = priority::set(own);
        }
    }

    /// The leader inherits the priority of the calling thread, which is about to sleep until its reply
    /// comes.
    #[inline]
    pub(super) fn inherit(&mut self) {
        if priority::last_set() > self.level && self.thread != 0 {
            self.rise(priority::last_set());
        }
    }

    /// Has the leader be scheduled at `level`, if it is not more urgent already.
    #[cold]
    fn rise(&mut self, level: u8) {
        let Ok(now) = priority::of(self.thread) else { return };
        if now.level() < level {
            // Refused where the process may not set priorities; nobody has one by itself there.
            let wanted = Schedule::Fifo(level.min(MAX_PRIORITY));
            if priority::set_of(self.thread, wanted).is_ok() {
                self.own.get_or_insert(now);
            }
        }
        self.level = level;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a thread of the lowest real-time priority is scheduled at while it leads and one of
    /// `urgency` waits for it, and afterwards; `None` without the privilege.
    fn led(urgency: u8) -> Option<[Schedule; 2]> {
        let lead = move || {
            let mut leader = Leader::default();
            priority::set(Schedule::Fifo(1)).ok()?;
            leader.begins();
            std::thread::scope(|scope| {
                let hurried = || {
                    priority::set(Schedule::Fifo(urgency)).unwrap();
                    leader.inherit();
                };
                scope.spawn(hurried).join().unwrap();
            });
            let during = priority::current().unwrap();
            leader.ends();
            Some([during, priority::current().unwrap()])
        };
        std::thread::spawn(lead).join().unwrap()
    }

    #[test]
    fn a_leader_inherits_priorities_until_it_leads_no_more() {
        let Some(scheduled) = led(7) else { return };
        assert_eq!(scheduled, [Schedule::Fifo(7), Schedule::Fifo(1)]);
    }

    #[test]
    fn a_leader_is_not_lowered() {
        let mut leader = Leader::default();
        leader.inherit();
        leader.begins();
        leader.inherit();
        assert_eq!(leader.own, None);
        leader.ends();
        assert_eq!(leader.thread, 0);
    }
}
