//! Processors and network namespaces of threads.

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use zorb_os::thread;

use crate::error::{Error, Result};

/// The processor and network namespace of threads, and of those that they start.
#[derive(Clone, Debug, Default)]
pub(super) struct Placement {
    pub(super) processor: Option<usize>,
    /// The network namespace; `None` for that of the process.
    pub(super) namespace: Option<Arc<File>>,
}

impl Placement {
    /// Moves the calling thread there permanently.
    pub(super) fn enter(&self) -> Result<()> {
        if let Some(processor) = self.processor {
            thread::set_affinity(&[processor])?;
        }
        if let Some(namespace) = &self.namespace {
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))
                .map_err(std::io::Error::from)?;
        }
        Ok(())
    }

    /// Runs a function there on a new thread.
    pub(super) fn run<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let work = boxed(work);
        std::thread::scope(|scope| {
            let thread = scope.spawn(move || {
                self.enter()?;
                work()
            });
            joined(thread.join())
        })
    }
}

/// The first two processors, for client and server.
pub(super) fn processors() -> Option<(usize, usize)> {
    match thread::affinity().unwrap_or_default().as_slice() {
        [client, server, ..] => Some((*client, *server)),
        _ => None,
    }
}

/// The work of a thread, boxed: starting a thread is compiled once for each type of result, and not for each function.
/// It was compiled 56 times, for a tenth of this crate's code.
pub(super) fn boxed<'s, T>(
    work: impl FnOnce() -> Result<T> + Send + 's,
) -> Box<dyn FnOnce() -> Result<T> + Send + 's> {
    Box::new(work)
}

/// The result of a thread.
pub(super) fn joined<T>(outcome: std::thread::Result<Result<T>>) -> Result<T> {
    outcome.unwrap_or_else(|_| Err(Error::new("a thread of the experiment panicked")))
}
