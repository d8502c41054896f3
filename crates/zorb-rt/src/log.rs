//! A log that no lane waits for: its lines wait in memory, and a thread without a priority writes them.

#[cfg(test)]
mod gated;
mod shared;
#[cfg(test)]
mod tests;
mod writer;

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::Thread;
use std::time::Duration;

use shared::Shared;

/// How many lines may wait, unless it is said otherwise.
const LINES: usize = 1024;
/// How many octets a line may have, unless it is said otherwise.
const OCTETS: usize = 512;
/// The least that a line may have: room for more than the end of a line.
const LEAST_OCTETS: usize = 16;

/// A bounded queue of lines between threads that must not wait and a file, a terminal or a pipe that
/// may take its time.
///
/// A thread that logs copies its line into memory that was set aside before, without a lock, an
/// allocation or a wait, and wakes the thread that writes. Lines that find no memory are dropped and
/// counted, and those that are too long are cut; the log itself says how many were dropped, as soon as
/// it can. The writing thread is a shared one (`SCHED_OTHER`), whatever the priority of the one that
/// set it up.
///
/// [`line`](Self::line) is what a subscriber of `tracing` writes to:
///
/// ```
/// use zorb_rt::LogQueue;
///
/// let log = LogQueue::builder().lines(256).write_to(std::io::stderr())?;
/// let lines = log.clone();
/// tracing_subscriber::fmt().with_writer(move || lines.line()).init();
///
/// tracing::warn!("told without waiting for the terminal");
/// assert!(log.flush(std::time::Duration::from_secs(1)));
/// assert_eq!(log.counts().dropped, 0);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// Clones are the same log. When the last of them goes, what is in the queue is still written, by the
/// thread, which ends then; a program that ends itself calls [`flush`](Self::flush) before.
#[derive(Clone)]
pub struct LogQueue(Arc<Handle>);

/// How a [`LogQueue`] is set up.
#[derive(Clone, Copy, Debug)]
pub struct LogQueueBuilder {
    lines: usize,
    octets: usize,
}

/// What has become of the lines of a [`LogQueue`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LogCounts {
    /// Handed to the file, the terminal or the pipe.
    pub written: u64,
    /// For which there was no room in the queue.
    pub dropped: u64,
    /// Of which the end is missing, as they were too long.
    pub cut: u64,
    /// Writes that failed: of a line, or of what the file had gathered.
    pub failed: u64,
}

/// One line on its way into a [`LogQueue`], which it enters when it is dropped.
///
/// What does not fit is left out, and no write to it fails. A line of which nothing is written is none.
pub struct LogLine {
    log: LogQueue,
    /// `None` when there was no memory for it.
    octets: Option<Vec<u8>>,
    /// Whether nothing was written to it, whether there was room for that or not.
    empty: bool,
    cut: bool,
}

/// What the clones of a log share; the thread ends when it is dropped.
struct Handle {
    shared: Arc<Shared>,
    writer: Thread,
}

impl LogQueue {
    /// A log with room for 1024 lines of 512 octets, unless it is told otherwise.
    #[must_use]
    pub const fn builder() -> LogQueueBuilder {
        LogQueueBuilder { lines: LINES, octets: OCTETS }
    }

    /// A line to be written to, if there is room for it.
    #[must_use]
    pub fn line(&self) -> LogLine {
        LogLine { log: self.clone(), octets: self.0.shared.take(), empty: true, cut: false }
    }

    /// What has become of its lines so far.
    #[must_use]
    pub fn counts(&self) -> LogCounts {
        let shared = &self.0.shared;
        LogCounts {
            written: shared.written.load(Ordering::Relaxed),
            dropped: shared.dropped.load(Ordering::Relaxed),
            cut: shared.cut.load(Ordering::Relaxed),
            failed: shared.failed.load(Ordering::Relaxed),
        }
    }

    /// Waits until all lines that are in the queue now have been written, or could not be; whether that
    /// was so within the time. Not for the threads of lanes.
    #[must_use]
    pub fn flush(&self, within: Duration) -> bool {
        self.0.shared.wait_until_written(within)
    }
}

impl fmt::Debug for LogQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LogQueue").field(&self.counts()).finish()
    }
}

impl LogQueueBuilder {
    /// With room for so many lines. Default: 1024; at least one.
    #[must_use]
    pub const fn lines(self, lines: usize) -> Self {
        Self { lines, ..self }
    }

    /// Of so many octets each, the end of the line among them. Default: 512; at least 16.
    #[must_use]
    pub const fn octets(self, octets: usize) -> Self {
        Self { octets, ..self }
    }

    /// Sets the memory aside and starts the thread that writes to `sink`.
    ///
    /// # Errors
    /// When the system has no thread for it.
    pub fn write_to(self, sink: impl Write + Send + 'static) -> io::Result<LogQueue> {
        let (lines, octets) = (self.lines.max(1), self.octets.max(LEAST_OCTETS));
        let shared = Arc::new(Shared::new(lines, octets));
        let writer = writer::start(Arc::clone(&shared), sink)?;
        Ok(LogQueue(Arc::new(Handle { shared, writer })))
    }
}

impl LogLine {
    /// Adds what fits; the last octet is for the end of the line.
    fn add(&mut self, more: &[u8]) {
        let Some(octets) = &mut self.octets else { return };
        if self.cut {
            return;
        }
        let room = self.log.0.shared.octets.saturating_sub(octets.len() + 1);
        match more.split_at_checked(room) {
            None | Some((_, b"" | b"\n")) => {
                octets.extend_from_slice(more.get(..room).unwrap_or(more));
            }
            Some((head, _)) => {
                octets.extend_from_slice(whole_characters(head));
                self.cut = true;
            }
        }
    }
}

/// Without the part of a character at the end.
fn whole_characters(octets: &[u8]) -> &[u8] {
    match str::from_utf8(octets) {
        Err(error) if error.error_len().is_none() => &octets[..error.valid_up_to()],
        _ => octets,
    }
}

impl Write for LogLine {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        self.empty &= more.is_empty();
        self.add(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for LogLine {
    fn drop(&mut self) {
        let shared = &self.log.0.shared;
        match self.octets.take() {
            None if self.empty => return,
            Some(octets) if self.empty => return shared.give_back(octets),
            None => {
                shared.dropped.fetch_add(1, Ordering::Relaxed);
            }
            Some(mut octets) => {
                if octets.last() != Some(&b'\n') {
                    octets.push(b'\n');
                }
                if self.cut {
                    shared.cut.fetch_add(1, Ordering::Relaxed);
                }
                shared.accept(octets);
            }
        }
        // A line that was dropped is told of by the same thread.
        self.log.0.writer.unpark();
    }
}

impl fmt::Debug for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.octets.as_deref().map(String::from_utf8_lossy);
        f.debug_struct("LogLine").field("text", &text).field("cut", &self.cut).finish()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.end();
        self.writer.unpark();
    }
}
