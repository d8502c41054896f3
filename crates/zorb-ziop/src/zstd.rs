//! Zstandard (RFC 8878).

use std::fmt;
use std::io::{self, Read, Write};

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::encoding::{CompressionLevel, FrameCompressor};

use zorb_giop::Charge;

use crate::inflated::{Inflated, invalid};
use crate::memory::charge_of;

/// The largest window of a frame that is decompressed: that of the frames that are sent.
const MAX_WINDOW: u64 = 128 << 10;
/// The largest block of a frame.
const MAX_BLOCK: usize = 128 << 10;
const BLOCK_HEADER: usize = 3;
const CHECKSUM: usize = 4;
/// The octets that are decompressed at a time: a block, with the checksum after the last one.
pub(crate) const BUFFER: usize = BLOCK_HEADER + MAX_BLOCK + CHECKSUM;

/// The memory that decompressing a hostile frame may take.
const MEMORY: usize = 2 << 20;

/// Compresses `parts` into `output` as a frame, and returns the number of octets; `None` if it has no room for them. At
/// level 0 they are not compressed; all others are the same, which is about level 1 of the reference implementation.
pub(crate) fn compress<'p>(
    level: u8,
    parts: impl Iterator<Item = &'p [u8]>,
    output: &mut [u8],
) -> Option<usize> {
    let level = match level {
        0 => CompressionLevel::Uncompressed,
        _ => CompressionLevel::Fastest,
    };
    let mut drain = Drain { output, length: 0 };
    let mut compressor = FrameCompressor::new(level);
    compressor.set_source(Parts { parts, part: &[] });
    compressor.set_drain(&mut drain);
    compressor.compress();
    let Drain { output, length } = drain;
    (length <= output.len()).then_some(length)
}

/// Octets that are read part by part.
struct Parts<'p, P> {
    parts: P,
    part: &'p [u8],
}

impl<'p, P: Iterator<Item = &'p [u8]>> Read for Parts<'p, P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.part.is_empty() {
            let Some(next) = self.parts.next() else { return Ok(0) };
            self.part = next;
        }
        self.part.read(buffer)
    }
}

/// Takes any number of octets, as the compressor does not expect errors, and keeps those for which there is room.
struct Drain<'o> {
    output: &'o mut [u8],
    length: usize,
}

impl Write for Drain<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        if let Some(place) = self.output.get_mut(self.length..) {
            std::iter::zip(place, octets).for_each(|(place, octet)| *place = *octet);
        }
        self.length = self.length.saturating_add(octets.len());
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The state of a frame that is decompressed.
pub(crate) struct Decompress {
    decoder: FrameDecoder,
    /// What is known of the frame after its header.
    frame: Option<FrameHeader>,
    /// The charge of its memory to that for messages.
    _charge: Charge,
}

/// What the header of a frame says.
#[derive(Clone, Copy, Debug)]
struct FrameHeader {
    size: usize,
    has_checksum: bool,
}

impl fmt::Debug for Decompress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decompress").field("frame", &self.frame).finish_non_exhaustive()
    }
}

impl Decompress {
    /// Begins a frame.
    ///
    /// # Errors
    /// [`io::ErrorKind::OutOfMemory`]: the memory for messages is used up.
    pub(crate) fn new() -> io::Result<Self> {
        let charge = charge_of(MEMORY).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Ok(Self { decoder, frame: None, _charge: charge })
    }

    /// Decompresses some of `input` to the beginning of `output`; also returns whether the frame has ended. Without progress
    /// it needs more input.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`]: the frame is malformed, or needs a larger window than 128 KiB.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> io::Result<(Inflated, bool)> {
        let mut step = Inflated { read: 0, produced: 0 };
        let Some(frame) = self.frame else {
            let header = FrameHeader::of(input);
            if let Some((header, mut octets)) =
                header.and_then(|header| Some((header, input.get(..header.size)?)))
            {
                self.decoder.reset(&mut octets).map_err(malformed)?;
                self.frame = Some(header);
                step.read = header.size;
            }
            return Ok((step, false));
        };
        if !self.decoder.is_finished() && self.decoder.can_collect() == 0 {
            let size = size_of_block(input, frame.has_checksum)?;
            let Some(mut block) = size.and_then(|size| input.get(..size)) else {
                return Ok((step, false));
            };
            step.read = block.len();
            let one = BlockDecodingStrategy::UptoBlocks(1);
            self.decoder.decode_blocks(&mut block, one).map_err(malformed)?;
        }
        step.produced = self.decoder.read(output)?;
        let ended = self.decoder.is_finished() && self.decoder.can_collect() == 0;
        if ended && self.has_wrong_checksum() {
            return Err(invalid("compressed data is malformed"));
        }
        Ok((step, ended))
    }

    fn has_wrong_checksum(&self) -> bool {
        let sent = self.decoder.get_checksum_from_data();
        sent.is_some() && sent != self.decoder.get_calculated_checksum()
    }
}

impl FrameHeader {
    /// The frame header at the start of `octets`; `None` if the octet that describes it is not there.
    fn of(octets: &[u8]) -> Option<Self> {
        const MAGIC: usize = 4;
        let descriptor = *octets.get(MAGIC)?;
        let is_single_segment = descriptor & 0x20 != 0;
        let window = usize::from(!is_single_segment);
        let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let content = match descriptor >> 6 {
            0 => usize::from(is_single_segment),
            flag => 1 << flag,
        };
        let size = MAGIC + 1 + window + dictionary + content;
        Some(Self { size, has_checksum: descriptor & 4 != 0 })
    }
}

/// The size of the block at the start of `octets`, with the checksum that follows the last one; `None` if its header is not
/// there.
fn size_of_block(octets: &[u8], has_checksum: bool) -> io::Result<Option<usize>> {
    const REPEATED: u32 = 1;
    let Some([a, b, c]) = octets.first_chunk::<BLOCK_HEADER>() else { return Ok(None) };
    let header = u32::from_le_bytes([*a, *b, *c, 0]);
    let is_last = header & 1 != 0;
    let content = match (header >> 1) & 3 {
        REPEATED => 1,
        _ => (header >> 3) as usize,
    };
    if content > MAX_BLOCK {
        return Err(invalid("compressed data is malformed"));
    }
    let checksum = if is_last && has_checksum { CHECKSUM } else { 0 };
    Ok(Some(BLOCK_HEADER + content + checksum))
}

#[cold]
fn malformed<E>(_: E) -> io::Error {
    invalid("compressed data is malformed")
}
