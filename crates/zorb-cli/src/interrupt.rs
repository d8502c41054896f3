//! Ctrl-C, seen between two steps of a command.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use zorb_os::signal::{Signal, TerminationSignal};

use crate::failure::Failure;

/// Holds back the signals that ask the program to end, so that it can finish its work in good
/// order. A second signal ends it at once.
#[derive(Debug)]
pub(crate) struct Interrupt {
    arrivals: Receiver<Signal>,
    seen: Cell<Option<Signal>>,
}

impl Interrupt {
    /// Begins to hold them back; to be called before any thread is started.
    pub(crate) fn watch() -> Result<Self, Failure> {
        let termination = TerminationSignal::block()?;
        let (sender, arrivals) = channel();
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            if let Ok(Some(signal)) = termination.wait() {
                // Nobody listens any more when the command is over.
                let _ = sender.send(signal);
                let _ = termination.release();
                // This thread is where the second signal arrives.
                loop {
                    std::thread::park();
                }
            }
        })?;
        Ok(Self { arrivals, seen: Cell::new(None) })
    }

    /// The signal that has arrived, if one has.
    pub(crate) fn arrived(&self) -> Option<Signal> {
        self.wait(Duration::ZERO)
    }

    /// Waits for a signal for at most `timeout`.
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

    /// Fails once a signal has arrived.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self.arrived() {
            Some(signal) => Err(Failure::interrupted(signal)),
            None => Ok(()),
        }
    }
}
