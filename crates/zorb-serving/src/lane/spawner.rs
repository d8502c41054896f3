//! The thread of a lane that starts its dynamic threads, so that serving threads need not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use zorb_os::futex;

/// Waits until its lane requests a thread; that takes no lock.
#[derive(Debug, Default)]
pub(crate) struct Spawner {
    called: AtomicU32,
    ended: AtomicBool,
}

impl Spawner {
    /// Makes the spawner check its lane.
    pub(crate) fn call(&self) {
        self.called.fetch_add(1, Ordering::AcqRel);
        futex::wake(&self.called);
    }

    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.call();
    }

    /// The body of its thread: `grow` starts the requested threads. Its argument is whether the spawner has
    /// been called.
    pub(crate) fn run(&self, grow: impl Fn(bool)) {
        loop {
            let called = self.called.load(Ordering::Acquire);
            if self.ended.load(Ordering::Acquire) {
                return;
            }
            grow(called > 0);
            futex::wait(&self.called, called, None);
        }
    }
}

/// The requests of a lane to its spawner.
#[derive(Debug, Default)]
pub(crate) struct ThreadRequests {
    threads: AtomicU32,
    /// `None` without dynamic threads.
    spawner: Option<Arc<Spawner>>,
}

impl ThreadRequests {
    pub(crate) fn new(dynamic_threads: usize) -> Self {
        let spawner = (dynamic_threads > 0).then(Arc::<Spawner>::default);
        Self { threads: AtomicU32::new(0), spawner }
    }

    pub(crate) fn spawner(&self) -> Option<&Arc<Spawner>> {
        self.spawner.as_ref()
    }

    /// Requests a thread, unless `most` requests are pending. If it returns `true`, the caller must
    /// [wake](Self::call) the spawner.
    pub(crate) fn ask(&self, most: u32) -> bool {
        let more = |wanted: u32| (wanted < most).then_some(wanted + 1);
        self.spawner.is_some()
            && self.threads.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok()
    }

    /// Wakes the spawner.
    pub(crate) fn call(&self) {
        if let Some(spawner) = &self.spawner {
            spawner.call();
        }
    }

    /// Whether [`ask`](Self::ask) would succeed.
    pub(crate) fn may_ask(&self, most: u32) -> bool {
        self.spawner.is_some() && self.threads.load(Ordering::Acquire) < most
    }

    /// Takes a pending request; `false` if there is none.
    pub(crate) fn take(&self) -> bool {
        let less = |wanted: u32| wanted.checked_sub(1);
        self.threads.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok()
    }
}
