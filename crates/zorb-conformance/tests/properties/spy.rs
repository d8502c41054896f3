//! A protocol that keeps the streams of another one, and what is sent over them.

use std::io::IoSlice;
use std::sync::Mutex;

use zorb_testkit::{Watch, Watched, WatchedStream};

/// A protocol whose streams are kept.
pub(crate) type Spied = Watched<Spy>;
/// A stream that keeps what is sent over it.
pub(crate) type SpyStream = WatchedStream<Spy>;

/// What was sent at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// In how many parts it lay.
    pub(crate) parts: usize,
    pub(crate) octets: Vec<u8>,
}

/// Keeps what is sent over a stream.
#[derive(Debug, Default)]
pub(crate) struct Spy(Mutex<Vec<Sent>>);

impl Spy {
    /// What was sent since this was asked last.
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
