//! What the ORB's threads do: their operations, and whether they wait.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

thread_local! {
    /// The activity of the calling thread, if a `ThreadCount` has started it.
    pub(super) static ACTIVITY: RefCell<Option<Arc<ThreadActivity>>> = const { RefCell::new(None) };
}

/// The number of octets of an operation's name that are recorded.
pub(super) const NAME_OCTETS: usize = 32;

/// What a counted thread does: its name, and the operation that it served last.
#[derive(Debug)]
pub struct ThreadActivity {
    thread: String,
    /// The first octets of the operation's name, padded with NUL. A thread writes its own without synchronization.
    operation: [AtomicU64; NAME_OCTETS / 8],
    /// Whether it waits for requests, or for a client to read. Written likewise.
    idle: AtomicBool,
}

impl ThreadActivity {
    pub(super) fn new(thread: &str) -> Arc<Self> {
        let idle = AtomicBool::new(false);
        Arc::new(Self { thread: thread.to_owned(), operation: Default::default(), idle })
    }

    /// That of the calling thread, if a `ThreadCount` has started it.
    pub fn of_this_thread() -> Option<Arc<Self>> {
        ACTIVITY.try_with(|activity| activity.borrow().clone()).ok().flatten()
    }

    /// Whether the thread makes no upcall, because it waits for requests, or for a client to read.
    pub fn is_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed)
    }

    /// Sets whether the calling thread is [idle](Self::is_idle).
    #[inline]
    pub fn set_idle(&self, idle: bool) {
        self.idle.store(idle, Ordering::Relaxed);
    }

    /// The name of the thread.
    pub fn thread(&self) -> &str {
        &self.thread
    }

    /// The name of the operation that the thread served last, cut to 32 octets; empty if it has not served any. It is
    /// right if the thread is still serving this operation.
    pub fn operation(&self) -> String {
        let octets =
            self.operation.iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes());
        let name: Vec<u8> = octets.take_while(|&octet| octet != 0).collect();
        String::from_utf8_lossy(&name).into_owned()
    }

    pub(super) fn set_operation(&self, name: &[u8]) {
        let mut octets = [0; NAME_OCTETS];
        for (octet, from) in octets.iter_mut().zip(name) {
            *octet = *from;
        }
        let mut words = [0; NAME_OCTETS / 8];
        for (word, from) in words.iter_mut().zip(octets.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*from);
        }
        self.set_words(words);
    }

    pub(super) fn words(&self) -> [u64; NAME_OCTETS / 8] {
        self.operation.each_ref().map(|word| word.load(Ordering::Relaxed))
    }

    pub(super) fn set_words(&self, words: [u64; NAME_OCTETS / 8]) {
        for (word, value) in self.operation.iter().zip(words) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

/// Records the operation that the calling thread is about to serve, for reports about threads that do not end.
#[cold]
pub fn record_operation(name: &[u8]) {
    // A thread that ends may have dropped it, and still make a collocated call.
    let _ = ACTIVITY.try_with(|activity| {
        if let Some(activity) = &*activity.borrow() {
            activity.set_operation(name);
        }
    });
}

/// Calls `wait`, during which the calling thread is [idle](ThreadActivity::is_idle).
#[cold]
pub fn while_idle<T>(wait: impl FnOnce() -> T) -> T {
    let activity = ThreadActivity::of_this_thread();
    activity.iter().for_each(|activity| activity.set_idle(true));
    let waited = wait();
    activity.iter().for_each(|activity| activity.set_idle(false));
    waited
}
