//! Ctrl-C, checked between two steps of a command.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use zorb_os::signal::{Signal, TerminationSignal};

use crate::failure::Failure;

/// Defers termination signals, so that the program can shut down cleanly. A second signal
/// terminates it immediately.
#[derive(Debug)]
pub(crate) struct Interrupt {
    arrivals: Receiver<Signal>,
    seen: Cell<Option<Signal>>,
}

impl Interrupt {
    /// Starts deferring signals; call it before any thread is started.
    pub(crate) fn watch() -> Result<Self, Failure> {
        let termination = TerminationSignal::block()?;
        let (sender, arrivals) = channel();
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            if let Ok(Some(signal)) = termination.wait() {
                // The receiver is gone when the command has finished.
                let _ = sender.send(signal);
                let _ = termination.unblock();
                // The second signal is delivered to this thread.
                loop {
                    std::thread::park();
                }
            }
        })?;
        Ok(Self { arrivals, seen: Cell::new(None) })
    }

    /// The signal that has arrived, if any.
    pub(crate) fn arrived(&self) -> Option<Signal> {
        self.wait(Duration::ZERO)
    }

    /// Waits up to `timeout` for a signal.
    pub(crate) fn wait(&self, timeout: Duration) -> Option<Signal> {
        if self.seen.get().is_none() {
            match self.arrivals.recv_timeout(timeout) {
                Ok(signal) => self.seen.set(Some(signal)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::park_timeout(timeout),
            }
        }
        self.seen.get()
    }

    /// Fails if a signal has arrived.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self.arrived() {
            Some(signal) => Err(Failure::interrupted(signal)),
            None => Ok(()),
        }
    }
}
