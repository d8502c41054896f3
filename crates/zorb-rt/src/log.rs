//! A log for real-time threads: lines are queued in memory, and a thread without a priority writes them.

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

/// The default number of lines.
const LINES: usize = 1024;
/// The default size of a line in octets.
const OCTETS: usize = 512;
/// The minimum size of a line in octets.
const MIN_OCTETS: usize = 16;

/// A bounded queue of log lines between threads that must not block and a file, a terminal or a pipe, which may.
///
/// A thread that logs copies its line to preallocated memory, without a lock, an allocation or a wait, and wakes the
/// writing thread. If the queue is full, the line is dropped and counted; a line that is too long is truncated. The log
/// itself reports the number of dropped lines. The writing thread has no real-time priority (`SCHED_OTHER`), whatever
/// the priority of the thread that starts it.
///
/// A subscriber of `tracing` writes to a [`line`](Self::line):
///
/// ```
/// use zorb_rt::LogQueue;
///
/// let log = LogQueue::builder().lines(256).write_to(std::io::stderr())?;
/// let lines = log.clone();
/// tracing_subscriber::fmt().with_writer(move || lines.line()).init();
///
/// tracing::warn!("logged without waiting for the terminal");
/// assert!(log.flush(std::time::Duration::from_secs(1)));
/// assert_eq!(log.counts().dropped, 0);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// Clones share the log. When the last one is dropped, the thread writes the lines that are queued and ends; call
/// [`flush`](Self::flush) before the program exits.
#[derive(Clone)]
pub struct LogQueue(Arc<Handle>);

/// Configures and starts a [`LogQueue`].
#[derive(Clone, Copy, Debug)]
pub struct LogQueueBuilder {
    lines: usize,
    octets: usize,
}

/// Counters of a [`LogQueue`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LogCounts {
    /// Lines that were written.
    pub written: u64,
    /// Lines that were dropped because the queue was full.
    pub dropped: u64,
    /// Lines that were truncated because they were too long.
    pub cut: u64,
    /// Writes and flushes that failed.
    pub failed: u64,
}

/// A line for a [`LogQueue`], which is queued when it is dropped.
///
/// Writing to it never fails; octets that do not fit are omitted. An empty line is not queued.
pub struct LogLine {
    log: LogQueue,
    /// `None` if the queue was full.
    octets: Option<Vec<u8>>,
    /// Whether nothing was written to it, not even octets that were omitted.
    empty: bool,
    cut: bool,
}

/// The state that the clones of a log share; the thread ends when it is dropped.
struct Handle {
    shared: Arc<Shared>,
    writer: Thread,
}

impl LogQueue {
    /// A builder with the defaults: 1024 lines of 512 octets.
    #[must_use]
    pub const fn builder() -> LogQueueBuilder {
        LogQueueBuilder { lines: LINES, octets: OCTETS }
    }

    /// A new line.
    #[must_use]
    pub fn line(&self) -> LogLine {
        LogLine { log: self.clone(), octets: self.0.shared.take(), empty: true, cut: false }
    }

    /// The counters so far.
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

    /// Waits until all lines that are queued now have been written or have failed; returns `false` if this takes longer
    /// than `within`. Threads of lanes should not call it.
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
    /// The maximum number of queued lines, at least one. Default: 1024.
    #[must_use]
    pub const fn lines(self, lines: usize) -> Self {
        Self { lines, ..self }
    }

    /// The maximum length of a line in octets, including its end; at least 16. Default: 512.
    #[must_use]
    pub const fn octets(self, octets: usize) -> Self {
        Self { octets, ..self }
    }

    /// Allocates the memory and starts the thread that writes to `sink`.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn write_to(self, sink: impl Write + Send + 'static) -> io::Result<LogQueue> {
        let (lines, octets) = (self.lines.max(1), self.octets.max(MIN_OCTETS));
        let shared = Arc::new(Shared::new(lines, octets));
        let writer = writer::start(Arc::clone(&shared), sink)?;
        Ok(LogQueue(Arc::new(Handle { shared, writer })))
    }
}

impl LogLine {
    /// Appends what fits; the last octet is reserved for the end of the line.
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

/// `octets` without an incomplete character at the end.
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
            Some(octets) if self.empty => return shared.recycle(octets),
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
        // The same thread reports dropped lines.
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
