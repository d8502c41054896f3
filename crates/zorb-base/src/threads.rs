//! Counting the ORB's threads, so that a shutdown can wait for the last one.

use std::sync::Arc;

use zorb_os::lock::{Condition, Lock};

use crate::steady_events::{Event, record};

/// How many threads the ORB runs.
#[derive(Debug, Default)]
pub struct ThreadCount {
    running: Lock<usize>,
    ended: Condition,
}

/// Counts one thread until dropped.
#[derive(Debug)]
pub struct Running(Arc<ThreadCount>);

impl ThreadCount {
    /// Starts a counted thread.
    pub fn spawn(
        self: &Arc<Self>,
        name: &str,
        body: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        self.spawn_with(name, None, body)
    }

    /// The same with a stack of so many octets, if it is not to be as usual.
    pub fn spawn_with(
        self: &Arc<Self>,
        name: &str,
        stack_size: Option<usize>,
        body: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        record(Event::ThreadStarted);
        let running = self.enter();
        let builder = std::thread::Builder::new().name(name.replace('\0', " "));
        // When the thread cannot be started the closure is dropped, and the count with it.
        stack_size
            .into_iter()
            .fold(builder, std::thread::Builder::stack_size)
            .spawn(move || {
                let _running = running;
                body();
            })
            .map(drop)
    }

    /// Counts something that has to come to its end as a thread has.
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
