//! The in-process transport with somebody who writes down what is done with its streams.
#![allow(unreachable_pub, clippy::unwrap_used)]

use std::io::IoSlice;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

pub use zorb_transport::conformance::Toward;
use zorb_transport::conformance::{Watch, Watched};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};

/// Octets in memory: where, and how many.
pub type Place = (usize, usize);

/// Something that was done with a stream.
#[derive(Clone, Debug)]
pub struct Done {
    pub thread: ThreadId,
    pub toward: Toward,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    /// Octets came, into a space of so many.
    Received(Place, usize),
    /// Octets were sent from these places.
    Sent(Vec<Place>),
}

/// What was done, in its order.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<Done>>>);

impl Log {
    fn note(&self, toward: Toward, what: What) {
        let thread = thread::current().id();
        self.0.lock().unwrap().push(Done { thread, toward, what });
    }

    pub fn all(&self) -> Vec<Done> {
        self.0.lock().unwrap().clone()
    }
}

/// GIOP over streams whose log is written.
pub fn watched(transport: InprocTransport, log: &Log) -> Watched<Clerk> {
    let log = log.clone();
    Watched::new(Arc::new(InprocProtocol::new(transport)), move |toward| Clerk {
        toward,
        log: log.clone(),
    })
}

/// Writes down what is done with one stream.
#[derive(Debug)]
pub struct Clerk {
    toward: Toward,
    log: Log,
}

fn place(octets: &[u8]) -> Place {
    (octets.as_ptr().addr(), octets.len())
}

impl Watch for Clerk {
    fn received(&self, space: &[u8], count: usize) {
        let (at, room) = place(space);
        self.log.note(self.toward, What::Received((at, count), room));
    }

    fn sends(&self, parts: &[IoSlice<'_>]) {
        let places = parts.iter().map(|part| place(part)).collect();
        self.log.note(self.toward, What::Sent(places));
    }
}
