//! Counts the ORB's threads, so that a shutdown can wait for the last one.

use std::sync::Arc;

use zorb_os::lock::{Condition, Lock};

use crate::steady_events::{Event, record};

/// The number of running threads of an ORB.
#[derive(Debug, Default)]
pub struct ThreadCount {
    running: Lock<usize>,
    ended: Condition,
}

/// Counts one thread until dropped.
#[derive(Debug)]
pub struct Running(Arc<ThreadCount>);

impl ThreadCount {
    /// Starts a counted thread, and records the event [`Event::ThreadStarted`].
    ///
    /// # Errors
    /// The system cannot start a thread. `body` is dropped.
    pub fn spawn(
        self: &Arc<Self>,
        name: &str,
        body: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        self.spawn_with(name, None, body)
    }

    /// Like [`spawn`](Self::spawn), with a stack of `stack_size` octets; `None` for the default of
    /// [`std::thread`].
    ///
    /// # Errors
    /// The system cannot start a thread. `body` is dropped.
    pub fn spawn_with(
        self: &Arc<Self>,
        name: &str,
        stack_size: Option<usize>,
        body: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        record(Event::ThreadStarted);
        let running = self.enter();
        let builder = std::thread::Builder::new().name(name.replace('\0', " "));
        // If the thread cannot be started, the closure is dropped, which decrements the count.
        stack_size
            .into_iter()
            .fold(builder, std::thread::Builder::stack_size)
            .spawn(move || {
                let _running = running;
                body();
            })
            .map(drop)
    }

    /// Counts work on another thread that [`join`](Self::join) must wait for, until the result is dropped.
    pub fn enter(self: &Arc<Self>) -> Running {
        *self.running.lock() += 1;
        Running(Arc::clone(self))
    }

    /// Whether no counted thread runs.
    pub fn is_empty(&self) -> bool {
        *self.running.lock() == 0
    }

    /// Waits until no counted thread runs.
    pub fn join(&self) {
        let mut running = self.running.lock();
        while *running > 0 {
            running = self.ended.wait(running);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        *self.0.running.lock() -= 1;
        self.0.ended.notify_all();
    }
}
