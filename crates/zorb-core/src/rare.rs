//! What a program that has found its pace does no more: it starts no threads, opens no connections,
//! writes to no table. Counted by thread, so that a lane can say what its threads did after all.

use std::cell::Cell;

/// One of the things that are rare.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rare {
    /// A thread of the ORB is started.
    Threads,
    /// A client's connection is opened.
    Connects,
    /// A table changes that calls look into: adapters, active objects, connections.
    TableWrites,
}

/// How often a thread has done them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RareCounts {
    pub(crate) threads: u64,
    pub(crate) connects: u64,
    pub(crate) table_writes: u64,
}

thread_local! {
    static HERE: Cell<RareCounts> =
        const { Cell::new(RareCounts { threads: 0, connects: 0, table_writes: 0 }) };
}

/// Counts one.
#[cold]
#[inline(never)]
pub(crate) fn happens(what: Rare) {
    let mut here = HERE.get();
    match what {
        Rare::Threads => here.threads += 1,
        Rare::Connects => here.connects += 1,
        Rare::TableWrites => here.table_writes += 1,
    }
    HERE.set(here);
}

impl RareCounts {
    /// What the calling thread has done since it began.
    pub(crate) fn here() -> Self {
        HERE.get()
    }
}
