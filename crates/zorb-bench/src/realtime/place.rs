//! Where threads of experiments run.

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use zorb_os::thread;

use crate::error::{Error, Result};

/// Where threads are, and those that they start.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) processor: Option<usize>,
    /// The network that they see; `None` for that of the process.
    pub(super) namespace: Option<Arc<File>>,
}

impl Place {
    /// Has the calling thread be there, for good.
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

    /// Runs something there, on a thread of its own.
    pub(super) fn run<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
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

/// What a thread came to.
pub(super) fn joined<T>(outcome: std::thread::Result<Result<T>>) -> Result<T> {
    outcome.unwrap_or_else(|_| Err(Error::new("a thread of the experiment panicked")))
}
