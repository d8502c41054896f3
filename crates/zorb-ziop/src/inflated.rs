//! What a step of decompression has done, or why it has failed.

use std::io;

/// What a step has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inflated {
    /// The number of octets read.
    pub(crate) read: usize,
    /// The number of octets produced.
    pub(crate) produced: usize,
}

/// The peer has sent compressed data that cannot be decompressed, for this reason.
#[cold]
pub(crate) fn invalid(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
