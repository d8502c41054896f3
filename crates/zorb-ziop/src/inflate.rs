//! Decompressing a body.

use std::io;
use std::sync::Arc;

use flate2::{Decompress, FlushDecompress, Status};
use zorb_giop::{Charge, MessageBudget};

use crate::inflated::{Inflated, invalid};
use crate::memory::charge_of;
use crate::policy::CompressorId;
#[cfg(feature = "zstd")]
use crate::zstd;

/// The state of a message that is decompressed.
#[derive(Debug)]
pub(crate) struct Inflater {
    codec: Codec,
    /// The octets of the compressed body that have not been read.
    compressed: usize,
    /// The octets of the original body that have not been produced.
    original: usize,
    ended: bool,
    /// The charge of its memory to that for messages.
    _charge: Charge,
}

/// The format of the compressed body.
#[derive(Debug)]
enum Codec {
    Zlib(Decompress),
    #[cfg(feature = "zstd")]
    Zstd(Box<zstd::Decompress>),
}

impl Inflater {
    /// Charges its memory to `share`, except that of zlib, which connections keep.
    ///
    /// # Errors
    /// [`io::ErrorKind::OutOfMemory`]: the memory for messages is used up.
    pub(crate) fn new(compressor: CompressorId, share: &Arc<MessageBudget>) -> io::Result<Self> {
        let charged = match compressor {
            #[cfg(feature = "zstd")]
            CompressorId::ZSTD => zstd::DECOMPRESSION,
            _ => 0,
        };
        let charge = charge_of(share, charged).ok_or(io::ErrorKind::OutOfMemory)?;
        let codec = match compressor {
            #[cfg(feature = "zstd")]
            CompressorId::ZSTD => Codec::Zstd(Box::new(zstd::Decompress::new()?)),
            _ => Codec::Zlib(Decompress::new(true)),
        };
        Ok(Self { codec, compressed: 0, original: 0, ended: true, _charge: charge })
    }

    /// Begins a body of these sizes.
    pub(crate) fn begin(&mut self, compressed: usize, original: usize) {
        match &mut self.codec {
            Codec::Zlib(zlib) => zlib.reset(true),
            // It has begun none.
            #[cfg(feature = "zstd")]
            Codec::Zstd(_) => {}
        }
        (self.compressed, self.original, self.ended) = (compressed, original, false);
    }

    /// Whether it can begin another body by this compressor.
    pub(crate) fn can_begin(&self, compressor: CompressorId) -> bool {
        self.is_kept() && compressor == CompressorId::ZLIB
    }

    /// Whether it is kept for further bodies. That of Zstandard takes too much memory.
    pub(crate) const fn is_kept(&self) -> bool {
        matches!(self.codec, Codec::Zlib(_))
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
        let place = output.get_mut(before..).unwrap_or_default();
        let step = self.codec.step(input, place);
        let produced = step.as_ref().map_or(0, |(step, _)| step.produced);
        output.truncate(before + produced);
        let (step, ended) = step?;
        if step.produced > self.original {
            return Err(invalid("compressed data becomes longer than its message says"));
        }
        self.compressed -= step.read;
        self.original -= step.produced;
        self.ended = ended;
        let has_stopped = !ended && step.read == 0 && step.produced == 0;
        if ended && self.original > 0 || has_stopped && self.compressed == 0 {
            return Err(invalid("compressed data becomes shorter than its message says"));
        }
        if ended && self.compressed > 0 || has_stopped && !input.is_empty() {
            return Err(invalid("compressed data ends before its message"));
        }
        Ok(step)
    }
}

impl Codec {
    /// Decompresses some of `input` to the beginning of `output`; also returns whether the data has ended.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> io::Result<(Inflated, bool)> {
        match self {
            Self::Zlib(zlib) => inflate(zlib, input, output),
            #[cfg(feature = "zstd")]
            Self::Zstd(zstd) => zstd.step(input, output),
        }
    }
}

fn inflate(zlib: &mut Decompress, input: &[u8], output: &mut [u8]) -> io::Result<(Inflated, bool)> {
    let (read, produced) = (zlib.total_in(), zlib.total_out());
    let status = zlib.decompress(input, output, FlushDecompress::None);
    let status = status.map_err(|_| invalid("compressed data is malformed"))?;
    let difference = |now: u64, then: u64| usize::try_from(now - then).unwrap_or(usize::MAX);
    let step = Inflated {
        read: difference(zlib.total_in(), read),
        produced: difference(zlib.total_out(), produced),
    };
    Ok((step, status == Status::StreamEnd))
}
