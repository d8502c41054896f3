//! Decompressing a body.

use std::io;

use flate2::{Decompress, FlushDecompress, Status};

/// The state of a message that is decompressed.
#[derive(Debug)]
pub(crate) struct Inflater {
    zlib: Decompress,
    /// The octets of the compressed body that have not been read.
    compressed: usize,
    /// The octets of the original body that have not been produced.
    original: usize,
    ended: bool,
}

/// What a step has done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inflated {
    /// The number of octets read.
    pub(crate) read: usize,
    /// The number of octets produced.
    pub(crate) produced: usize,
}

impl Inflater {
    pub(crate) fn new() -> Self {
        Self { zlib: Decompress::new(true), compressed: 0, original: 0, ended: true }
    }

    /// Begins a body of these sizes.
    pub(crate) fn begin(&mut self, compressed: usize, original: usize) {
        self.zlib.reset(true);
        (self.compressed, self.original, self.ended) = (compressed, original, false);
    }

    /// Whether the whole body has been produced, and its checksum is right.
    pub(crate) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the whole body has been produced, except that its end has not been read.
    pub(crate) const fn is_complete(&self) -> bool {
        self.original == 0
    }

    /// Decompresses some of `input` to the end of `output`, which may become `most` octets long. Without progress it
    /// needs more input.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`]: the data is malformed, or has another size than the message says.
    pub(crate) fn step(
        &mut self,
        input: &[u8],
        output: &mut Vec<u8>,
        most: usize,
    ) -> io::Result<Inflated> {
        let input = input.get(..self.compressed).unwrap_or(input);
        let before = output.len();
        // A further octet shows data that becomes longer than the message says.
        let room = most.saturating_sub(before).min(self.original).max(1);
        output.resize(before + room, 0);
        let (read, produced) = (self.zlib.total_in(), self.zlib.total_out());
        let place = output.get_mut(before..).unwrap_or_default();
        let status = self.zlib.decompress(input, place, FlushDecompress::None);
        let difference = |now: u64, then: u64| usize::try_from(now - then).unwrap_or(usize::MAX);
        let step = Inflated {
            read: difference(self.zlib.total_in(), read),
            produced: difference(self.zlib.total_out(), produced),
        };
        output.truncate(before + step.produced);
        let status = status.map_err(|_| invalid("compressed data is malformed"))?;
        if step.produced > self.original {
            return Err(invalid("compressed data becomes longer than its message says"));
        }
        self.compressed -= step.read;
        self.original -= step.produced;
        self.ended = status == Status::StreamEnd;
        let has_stopped = step.read == 0 && step.produced == 0;
        if self.ended && self.original > 0 || !self.ended && has_stopped && self.compressed == 0 {
            return Err(invalid("compressed data becomes shorter than its message says"));
        }
        if self.ended && self.compressed > 0 || !self.ended && has_stopped && !input.is_empty() {
            return Err(invalid("compressed data ends before its message"));
        }
        Ok(step)
    }
}

/// The peer has sent compressed data that cannot be decompressed, for this reason.
#[cold]
pub(crate) fn invalid(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
