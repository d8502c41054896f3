//! The thread that writes dumps.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// A thread that writes a dump from time to time, until this is dropped. It may wait for the disk; no other thread waits for it.
#[derive(Debug)]
pub(crate) struct Dumper {
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Stop {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Dumper {
    /// Starts the thread, which calls `dump` after `first`, and then after each interval.
    ///
    /// # Errors
    /// The system has no more threads.
    pub(crate) fn start(
        first: Duration,
        interval: Duration,
        mut dump: impl FnMut() + Send + 'static,
    ) -> io::Result<Self> {
        let stop = Arc::new(Stop::default());
        let its = Arc::clone(&stop);
        let run = move || {
            let mut pause = first;
            while !its.wait(pause) {
                dump();
                pause = interval;
            }
        };
        let thread = Builder::new().name("zorb-dump".to_owned()).spawn(run)?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Stop {
    /// Waits; returns whether the thread should end.
    fn wait(&self, interval: Duration) -> bool {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(stopped, interval, |stopped| !*stopped);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for Dumper {
    fn drop(&mut self) {
        *self.stop.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It does not panic.
            let _ = thread.join();
        }
    }
}
