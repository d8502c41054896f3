//! The thread of a pool that starts dynamic threads, so that no lane's own has to.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use zorb_os::{futex, priority};

use super::Lane;

/// Waits until a lane wants a thread. Lanes call it without a lock.
#[derive(Debug, Default)]
pub(super) struct Keeper {
    called: AtomicU32,
    ended: AtomicBool,
}

impl Keeper {
    /// Has the keeper look at the lanes.
    pub(super) fn call(&self) {
        self.called.fetch_add(1, Ordering::AcqRel);
        futex::wake(&self.called);
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.call();
    }

    /// The body of its thread, for lanes in the order of their priorities. It waits at the highest, and
    /// starts each thread at that thread's own.
    pub(super) fn run(&self, lanes: &[Weak<Lane>]) {
        priority::bequeath();
        let at_the_highest = || {
            if let Some(highest) = lanes.iter().find_map(Weak::upgrade) {
                highest.settings.threads.adopt();
            }
        };
        at_the_highest();
        loop {
            let called = self.called.load(Ordering::Acquire);
            if self.ended.load(Ordering::Acquire) {
                return;
            }
            let mut grew = false;
            for lane in lanes.iter().filter_map(Weak::upgrade) {
                grew |= Lane::grow(&lane);
            }
            if grew {
                at_the_highest();
            }
            futex::wait(&self.called, called, None);
        }
    }
}

/// What a lane asks its keeper for.
#[derive(Debug, Default)]
pub(super) struct Wants {
    threads: AtomicU32,
    keeper: Option<Arc<Keeper>>,
}

impl Wants {
    pub(super) fn of(keeper: Option<Arc<Keeper>>) -> Self {
        Self { threads: AtomicU32::new(0), keeper }
    }

    /// Asks for one more thread, `most` at a time; whether one is on its way, once the keeper has been
    /// [called](Self::call).
    pub(super) fn ask(&self, most: u32) -> bool {
        let more = |wanted: u32| (wanted < most).then_some(wanted + 1);
        self.keeper.is_some()
            && self.threads.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok()
    }

    /// Has the keeper see what is asked for.
    pub(super) fn call(&self) {
        if let Some(keeper) = &self.keeper {
            keeper.call();
        }
    }

    /// Whether one more would be asked for.
    pub(super) fn may_ask(&self, most: u32) -> bool {
        self.keeper.is_some() && self.threads.load(Ordering::Acquire) < most
    }

    /// Takes one wish; `false` when there is none.
    pub(super) fn take(&self) -> bool {
        let less = |wanted: u32| wanted.checked_sub(1);
        self.threads.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok()
    }
}
