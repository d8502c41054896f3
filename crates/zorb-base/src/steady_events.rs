//! Events that a lane in steady state should not cause: it starts no threads, opens no connections and
//! writes to no tables. They are counted by thread, so that lanes can report them as violations.

use std::cell::Cell;

/// An event that is a violation in steady state.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The ORB starts a thread.
    ThreadStarted,
    /// A client connection is opened.
    Connected,
    /// A table that calls look into changes: adapters, active objects, connections.
    TableWritten,
}

/// How many events a thread has caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCounts {
    /// Threads started.
    pub threads: u64,
    /// Client connections opened.
    pub connects: u64,
    /// Changes of tables that calls look into.
    pub table_writes: u64,
}

thread_local! {
    static HERE: Cell<EventCounts> =
        const { Cell::new(EventCounts { threads: 0, connects: 0, table_writes: 0 }) };
}

/// Counts an event of the calling thread.
#[cold]
#[inline(never)]
pub fn record(event: Event) {
    let mut here = HERE.get();
    match event {
        Event::ThreadStarted => here.threads += 1,
        Event::Connected => here.connects += 1,
        Event::TableWritten => here.table_writes += 1,
    }
    HERE.set(here);
}

impl EventCounts {
    /// The events of the calling thread since it began.
    pub fn here() -> Self {
        HERE.get()
    }
}
