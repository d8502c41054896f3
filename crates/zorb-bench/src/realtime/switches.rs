//! Context switches of this program's threads.

use std::collections::BTreeMap;
use std::fs;
use std::ops::AddAssign;

/// Numbers of context switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Switches {
    /// Voluntary ones.
    pub(super) waits: u64,
    /// Involuntary ones.
    pub(super) interruptions: u64,
}

impl Switches {
    /// Those of a thread since its start; 0 if it has ended.
    pub(super) fn of(thread: u32) -> Self {
        let status = fs::read_to_string(format!("/proc/self/task/{thread}/status"));
        Self::read(&status.unwrap_or_default())
    }

    fn read(status: &str) -> Self {
        let number = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            line.and_then(|rest| rest.trim().parse().ok()).unwrap_or(0)
        };
        Self {
            waits: number("voluntary_ctxt_switches:"),
            interruptions: number("nonvoluntary_ctxt_switches:"),
        }
    }

    /// The difference to `before`.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            waits: self.waits.saturating_sub(before.waits),
            interruptions: self.interruptions.saturating_sub(before.interruptions),
        }
    }

    pub(super) fn all(self) -> u64 {
        self.waits + self.interruptions
    }
}

impl AddAssign for Switches {
    fn add_assign(&mut self, more: Self) {
        self.waits += more.waits;
        self.interruptions += more.interruptions;
    }
}

/// The context switches of each thread at one moment.
#[derive(Debug, Default)]
pub(super) struct Threads(BTreeMap<u32, Switches>);

impl Threads {
    pub(super) fn now() -> Self {
        let Ok(threads) = fs::read_dir("/proc/self/task") else { return Self::default() };
        let ids = threads.flatten().filter_map(|thread| thread.file_name().to_str()?.parse().ok());
        Self(ids.map(|thread| (thread, Switches::of(thread))).collect())
    }

    /// The context switches of the current threads since `before`. Those of ended threads are lost.
    pub(super) fn since(&self, before: &Self) -> Switches {
        let mut sum = Switches::default();
        for (thread, now) in &self.0 {
            sum += now.since(before.0.get(thread).copied().unwrap_or_default());
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use zorb_os::thread;

    use super::*;

    fn threads(of: &[(u32, u64)]) -> Threads {
        let switches = |waits| Switches { waits, interruptions: 1 };
        Threads(of.iter().map(|(thread, waits)| (*thread, switches(*waits))).collect())
    }

    #[test]
    fn waits_and_interruptions_are_told_apart() {
        let status = "Name:\tlane\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(Switches::read(status), Switches { waits: 12, interruptions: 3 });
        assert_eq!(Switches::read("Name:\tlane\n"), Switches::default());
    }

    #[test]
    fn threads_that_begin_count_and_those_that_end_do_not() {
        let (before, now) = (threads(&[(1, 10), (2, 500)]), threads(&[(1, 14), (3, 2)]));
        assert_eq!(now.since(&before), Switches { waits: 6, interruptions: 1 });
        assert_eq!(before.since(&before).all(), 0);
    }

    #[test]
    fn the_kernel_counts_for_this_thread() {
        // It waits for the other until that one has seen it wait: once at the least.
        let (own, before) = (thread::id(), Switches::of(thread::id()));
        let (tell, told) = std::sync::mpsc::channel();
        let teller = std::thread::spawn(move || {
            while Switches::of(own).waits == before.waits {
                std::thread::yield_now();
            }
            tell.send(()).unwrap();
        });
        told.recv().unwrap();
        teller.join().unwrap();
        assert!(Switches::of(own).since(before).waits >= 1);
        assert!(Threads::now().since(&Threads::default()).waits >= 1);
        assert_eq!(Switches::of(0), Switches::default());
    }
}
