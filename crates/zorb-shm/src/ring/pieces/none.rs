//! Stand-ins for pieces in builds without the feature `buffers`. No value of these types exists.

use super::end::{Corrupt, End};

/// The buffers that a writer fills: none.
#[derive(Debug)]
pub(crate) enum Outgoing {}

impl Outgoing {
    pub(super) fn send(&self, _: &End, _: usize, _: &[u8]) -> bool {
        match *self {}
    }
}

/// The buffers that the peer of a reader fills: none.
#[derive(Debug)]
pub(crate) enum Incoming {}

impl Incoming {
    pub(super) fn announce(_: &End) {}

    pub(super) fn limit(&self, _: &End, _: u64, _: u64) -> u64 {
        match *self {}
    }

    pub(super) fn is_named(&self, _: &End) -> bool {
        match *self {}
    }

    pub(super) fn has_piece(&self, _: &End) -> bool {
        match *self {}
    }

    pub(super) fn read(&self, _: &End, _: &mut [u8]) -> Result<usize, Corrupt> {
        match *self {}
    }
}
