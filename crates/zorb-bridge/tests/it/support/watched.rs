//! The in-process transport with recorded streams.
#![allow(unreachable_pub, clippy::unwrap_used)]

use std::io::IoSlice;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

pub use zorb_testkit::Toward;
use zorb_testkit::{Watch, Watched};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};

/// A memory region: address and length.
pub type Region = (usize, usize);

/// A recorded operation of a stream.
#[derive(Clone, Debug)]
pub struct Event {
    pub thread: ThreadId,
    pub toward: Toward,
    pub kind: EventKind,
}

#[derive(Clone, Debug)]
pub enum EventKind {
    /// Octets were received, into a space of this size.
    Received(Region, usize),
    /// Octets were sent from these regions.
    Sent(Vec<Region>),
}

/// The recorded operations in order.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<Event>>>);

impl Log {
    fn note(&self, toward: Toward, kind: EventKind) {
        let thread = thread::current().id();
        self.0.lock().unwrap().push(Event { thread, toward, kind });
    }

    pub fn all(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }
}

/// GIOP over recorded streams.
pub fn watched(transport: InprocTransport, log: &Log) -> Watched<Recorder> {
    let log = log.clone();
    Watched::new(Arc::new(InprocProtocol::new(transport)), move |toward| Recorder {
        toward,
        log: log.clone(),
    })
}

/// Records the operations of one stream.
#[derive(Debug)]
pub struct Recorder {
    toward: Toward,
    log: Log,
}

fn region(octets: &[u8]) -> Region {
    (octets.as_ptr().addr(), octets.len())
}

impl Watch for Recorder {
    fn received(&self, space: &[u8], count: usize) {
        let (at, room) = region(space);
        self.log.note(self.toward, EventKind::Received((at, count), room));
    }

    fn sends(&self, parts: &[IoSlice<'_>]) {
        let regions = parts.iter().map(|part| region(part)).collect();
        self.log.note(self.toward, EventKind::Sent(regions));
    }
}
