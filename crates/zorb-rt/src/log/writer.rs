//! The thread that writes the lines of a log.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, Thread};

use zorb_os::priority::{self, Schedule};
use zorb_os::signal::AllSignalsBlocked;

use super::shared::Shared;

/// Starts it; it ends when nobody can log any more and all is written.
pub(super) fn start(shared: Arc<Shared>, sink: impl Write + Send + 'static) -> io::Result<Thread> {
    let mut writer = Writer { shared, sink, told: 0 };
    // A log is set up first of all, before the program has said which signals it waits for.
    let _held = AllSignalsBlocked::new()?;
    let thread = thread::Builder::new().name("zorb-log".to_owned()).spawn(move || {
        // Threads may begin with the priority of the one that starts them. To give it up is always allowed.
        let _ = priority::set(Schedule::Shared);
        // Nor is it to keep to the processors of a lane; where it may not leave them, it stays.
        let _ = zorb_os::thread::run_anywhere();
        writer.run();
    })?;
    Ok(thread.thread().clone())
}

struct Writer<S> {
    shared: Arc<Shared>,
    sink: S,
    /// How many dropped lines the log tells of.
    told: u64,
}

impl<S: Write> Writer<S> {
    fn run(&mut self) {
        loop {
            // Asked before the queue is looked into: what comes in between is found in the next round.
            let ending = self.shared.is_ending();
            let lines = self.write_all();
            self.tell_dropped();
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

    /// Writes what is in the queue; how many lines that were.
    fn write_all(&mut self) -> u64 {
        let mut lines = 0;
        // Not more than there can be at once: dropped ones are to be told of while others keep coming.
        while lines < self.shared.capacity()
            && let Some(line) = self.shared.next()
        {
            let count = match self.sink.write_all(&line) {
                Ok(()) => &self.shared.written,
                Err(_) => &self.shared.failed,
            };
            count.fetch_add(1, Ordering::Relaxed);
            self.shared.give_back(line);
            lines += 1;
        }
        lines
    }

    /// Has the log say how many lines are missing from it.
    fn tell_dropped(&mut self) {
        let dropped = self.shared.dropped.load(Ordering::Relaxed);
        let new = dropped - self.told;
        if new == 0 {
            return;
        }
        // In one piece, as all others: others may write to the same terminal.
        let line = format!("log: lines dropped for want of room: {new}\n");
        if self.sink.write_all(line.as_bytes()).is_ok() {
            self.told = dropped;
        }
    }
}
