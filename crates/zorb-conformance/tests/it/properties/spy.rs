//! A protocol that records the streams of another one and the octets sent over them.

use std::io::IoSlice;
use std::sync::Mutex;

use zorb_testkit::{Watch, Watched, WatchedStream};

/// A protocol that records its streams.
pub(crate) type Spied = Watched<Spy>;
/// A stream that records what is sent over it.
pub(crate) type SpyStream = WatchedStream<Spy>;

/// The octets of one send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The number of parts.
    pub(crate) parts: usize,
    pub(crate) octets: Vec<u8>,
}

/// Records what is sent over a stream.
#[derive(Debug, Default)]
pub(crate) struct Spy(Mutex<Vec<Sent>>);

impl Spy {
    /// What was sent since the last call.
    pub(crate) fn take_sent(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

impl Watch for Spy {
    fn sends(&self, parts: &[IoSlice<'_>]) {
        let octets = parts.iter().flat_map(|part| part.iter().copied()).collect();
        self.0.lock().unwrap().push(Sent { parts: parts.len(), octets });
    }
}
