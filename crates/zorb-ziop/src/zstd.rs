//! Zstandard (RFC 8878), by its reference implementation.
//!
//! Its memory lasts for a message, and those who use it charge it like that: idle connections have none.

use std::fmt;
use std::io;

use zstd_safe::zstd_sys::ZSTD_EndDirective::{self, ZSTD_e_continue, ZSTD_e_end};
use zstd_safe::{CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, SafeResult};

use crate::inflated::{Inflated, invalid};

/// The largest window of a frame, sent or received, as a power of two: 128 KiB.
const WINDOW: u32 = 17;
/// What compressing takes at most, at any level: the test `memory_is_limited` measures it.
pub(crate) const COMPRESSION: usize = 2_560 << 10;
/// What decompressing a frame takes at most, whatever it contains.
pub(crate) const DECOMPRESSION: usize = 640 << 10;
/// The octets of the largest frame header.
const MAX_HEADER: usize = 18;

/// Compresses `parts`, which are `size` octets, into `output` as a frame, and returns the number of octets; `None` if it has
/// no room for them, there is no memory, or the level is 0.
pub(crate) fn compress<'p>(
    level: u8,
    size: usize,
    parts: impl Iterator<Item = &'p [u8]>,
    output: &mut [u8],
) -> Option<usize> {
    if level == 0 {
        return None;
    }
    let mut compress = Compress::new(level, size)?;
    let mut output = OutBuffer::around(output);
    for mut part in parts {
        while !part.is_empty() {
            let (taken, _) = compress.run(part, &mut output, ZSTD_e_continue)?;
            part = part.get(taken..)?;
        }
    }
    loop {
        if let (_, 0) = compress.run(&[], &mut output, ZSTD_e_end)? {
            return Some(output.pos());
        }
    }
}

/// The state of a frame that is compressed.
pub(crate) struct Compress {
    context: CCtx<'static>,
}

impl Compress {
    /// Begins a frame of `size` octets; `None` without memory.
    pub(crate) fn new(level: u8, size: usize) -> Option<Self> {
        let mut context = CCtx::try_create()?;
        context.set_parameter(CParameter::CompressionLevel(level.into())).ok()?;
        context.set_parameter(CParameter::WindowLog(WINDOW)).ok()?;
        context.set_parameter(CParameter::ChecksumFlag(true)).ok()?;
        context.set_pledged_src_size(Some(size.try_into().ok()?)).ok()?;
        Some(Self { context })
    }

    /// Compresses some of `input` to `output`. Returns the number of octets taken, and 0 if the frame has ended; `None`
    /// without progress.
    pub(crate) fn run(
        &mut self,
        input: &[u8],
        output: &mut OutBuffer<'_, [u8]>,
        until: ZSTD_EndDirective,
    ) -> Option<(usize, usize)> {
        let before = output.pos();
        let mut input = InBuffer::around(input);
        let left = self.context.compress_stream2(output, &mut input, until).ok()?;
        let progress = input.pos() > 0 || output.pos() > before || left == 0;
        progress.then_some((input.pos(), left))
    }

    /// The octets that it takes.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.context.sizeof()
    }
}

/// The state of a frame that is decompressed.
pub(crate) struct Decompress {
    context: DCtx<'static>,
    /// The octets that the frame header may have beyond those that have been read.
    header: usize,
    /// Whether it may produce more without further input.
    has_more: bool,
}

impl fmt::Debug for Decompress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decompress").field("has_more", &self.has_more).finish_non_exhaustive()
    }
}

impl Decompress {
    /// Begins a frame.
    ///
    /// # Errors
    /// [`io::ErrorKind::OutOfMemory`]: there is no memory.
    pub(crate) fn new() -> io::Result<Self> {
        let mut context = DCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
        checked(context.set_parameter(DParameter::WindowLogMax(WINDOW)))?;
        Ok(Self { context, header: MAX_HEADER, has_more: false })
    }

    /// Decompresses some of `input` to the beginning of `output`; also returns whether the frame has ended. Without progress
    /// it needs more input.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`]: the frame is malformed, needs a larger window or a dictionary.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> io::Result<(Inflated, bool)> {
        let mut step = Inflated { read: 0, produced: 0 };
        let mut ended = false;
        while !ended && step.produced < output.len() {
            let rest = input.get(step.read..).unwrap_or_default();
            // A frame that is in the input as a whole is decompressed at once, without a look at its window. So that all
            // frames are treated the same, its header is given octet by octet.
            let part = if self.header > 0 { rest.get(..1).unwrap_or_default() } else { rest };
            if part.is_empty() && !self.has_more {
                break;
            }
            let before = step;
            ended = self.run(part, output, &mut step)?;
            self.header = self.header.saturating_sub(step.read - before.read);
            if step == before {
                break;
            }
        }
        Ok((step, ended))
    }

    /// Decompresses some of `input` to `output` behind what `step` has produced, and adds to that.
    fn run(&mut self, input: &[u8], output: &mut [u8], step: &mut Inflated) -> io::Result<bool> {
        let mut input = InBuffer::around(input);
        let mut output = OutBuffer::around_pos(output, step.produced);
        let left = checked(self.context.decompress_stream(&mut output, &mut input))?;
        step.read += input.pos();
        step.produced = output.pos();
        self.has_more = output.pos() == output.capacity();
        Ok(left == 0)
    }

    /// The octets that it takes.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.context.sizeof()
    }
}

fn checked(result: SafeResult) -> io::Result<usize> {
    result.map_err(|_| invalid("compressed data is malformed"))
}
