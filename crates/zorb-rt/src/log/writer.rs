//! The thread that writes the lines of a log.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, Thread};

use zorb_os::priority::{self, Schedule};
use zorb_os::signal::AllSignalsBlocked;

use super::shared::Shared;

/// Starts the thread. It ends after the last handle of the log is dropped and all lines are written.
pub(super) fn start(shared: Arc<Shared>, sink: impl Write + Send + 'static) -> io::Result<Thread> {
    let mut writer = Writer { shared, sink, reported: 0 };
    // A log is started early, before the program has blocked the signals that it waits for.
    let _blocked = AllSignalsBlocked::new()?;
    let thread = thread::Builder::new().name("zorb-log".to_owned()).spawn(move || {
        // A thread inherits the priority of its creator. Lowering it is always allowed.
        let _ = priority::set(Schedule::Shared);
        // Nor should it be bound to the processors of a lane. If it cannot be moved, it stays there.
        let _ = zorb_os::thread::run_anywhere();
        writer.run();
    })?;
    Ok(thread.thread().clone())
}

struct Writer<S> {
    shared: Arc<Shared>,
    sink: S,
    /// The number of dropped lines that have been reported.
    reported: u64,
}

impl<S: Write> Writer<S> {
    fn run(&mut self) {
        loop {
            // Read before the queue, so that lines queued in between are found in the next round.
            let ending = self.shared.is_ending();
            let lines = self.write_all();
            self.report_dropped();
            if self.sink.flush().is_err() {
                self.shared.failed.fetch_add(1, Ordering::Relaxed);
            }
            if lines > 0 {
                self.shared.note_done(lines);
            } else if ending {
                return;
            } else {
                thread::park();
            }
        }
    }

    /// Writes the queued lines; returns their number.
    fn write_all(&mut self) -> u64 {
        let mut lines = 0;
        // Limited, so that dropped lines are reported even if new lines keep coming.
        while lines < self.shared.capacity()
            && let Some(line) = self.shared.next()
        {
            let count = match self.sink.write_all(&line) {
                Ok(()) => &self.shared.written,
                Err(_) => &self.shared.failed,
            };
            count.fetch_add(1, Ordering::Relaxed);
            self.shared.recycle(line);
            lines += 1;
        }
        lines
    }

    /// Writes the number of lines that were dropped since the last report.
    fn report_dropped(&mut self) {
        let dropped = self.shared.dropped.load(Ordering::Relaxed);
        let new = dropped - self.reported;
        if new == 0 {
            return;
        }
        // One write, because other processes may write to the same terminal.
        let line = format!("log: {new} lines dropped because the queue was full\n");
        if self.sink.write_all(line.as_bytes()).is_ok() {
            self.reported = dropped;
        }
    }
}
