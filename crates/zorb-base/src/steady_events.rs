//! Events that are violations in steady state: starting threads, opening connections, and changing tables.
//! They are counted by thread, so that a lane reports only those of its own threads.

use std::cell::Cell;

/// An event that is a violation in steady state.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The ORB starts a thread.
    ThreadStarted,
    /// A client connection is opened.
    Connected,
    /// A table that calls read changes: adapters, active objects, connections.
    TableWritten,
}

/// The numbers of events that a thread has caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Threads started.
    pub threads: u64,
    /// Client connections opened.
    pub connects: u64,
    /// Changes of tables that calls read.
    pub table_writes: u64,
}

thread_local! {
    static COUNTS: Cell<EventCounts> =
        const { Cell::new(EventCounts { threads: 0, connects: 0, table_writes: 0 }) };
}

/// Counts an event of the calling thread.
#[cold]
#[inline(never)]
pub fn record(event: Event) {
    let mut counts = COUNTS.get();
    match event {
        Event::ThreadStarted => counts.threads += 1,
        Event::Connected => counts.connects += 1,
        Event::TableWritten => counts.table_writes += 1,
    }
    COUNTS.set(counts);
}

impl EventCounts {
    /// The events of the calling thread since it started.
    pub fn of_this_thread() -> Self {
        COUNTS.get()
    }
}
