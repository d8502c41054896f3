//! Compressing a body.

use std::io::IoSlice;

use flate2::{Compress, Compression, FlushCompress, Status};

/// Compresses bodies by zlib. The state of the compressor, some 300 KiB, is made by the first message.
#[derive(Debug, Default)]
pub(crate) struct Deflater {
    made: Option<(u8, Compress)>,
}

impl Deflater {
    /// Compresses `parts` into `output`, and returns the number of octets; `None` if it has no room for them.
    pub(crate) fn compress<'p>(
        &mut self,
        level: u8,
        parts: impl Iterator<Item = &'p [u8]>,
        output: &mut [u8],
    ) -> Option<usize> {
        if self.made.as_ref().is_none_or(|(known, _)| *known != level) {
            self.made = Some((level, Compress::new(Compression::new(level.into()), true)));
        }
        let (_, compress) = self.made.as_mut()?;
        compress.reset();
        for mut part in parts {
            while !part.is_empty() {
                let taken = run(compress, part, output, FlushCompress::None)?.0;
                part = part.get(taken..)?;
            }
        }
        loop {
            let (_, status) = run(compress, &[], output, FlushCompress::Finish)?;
            if status == Status::StreamEnd {
                return usize::try_from(compress.total_out()).ok();
            }
        }
    }
}

/// Compresses some of `input` to where the last output ended. Returns the number of octets taken; `None` without progress.
fn run(
    compress: &mut Compress,
    input: &[u8],
    output: &mut [u8],
    flush: FlushCompress,
) -> Option<(usize, Status)> {
    let (taken, made) = (compress.total_in(), compress.total_out());
    let rest = output.get_mut(usize::try_from(made).ok()?..)?;
    let status = compress.compress(input, rest, flush).ok()?;
    let taken = usize::try_from(compress.total_in() - taken).ok()?;
    let progress = taken > 0 || compress.total_out() > made || status == Status::StreamEnd;
    progress.then_some((taken, status))
}

/// The octets of `parts` from `start` on.
pub(crate) fn from<'p>(parts: &'p [IoSlice<'_>], start: usize) -> impl Iterator<Item = &'p [u8]> {
    let mut skip = start;
    parts.iter().map(move |part| {
        let skipped = skip.min(part.len());
        skip -= skipped;
        part.get(skipped..).unwrap_or_default()
    })
}
