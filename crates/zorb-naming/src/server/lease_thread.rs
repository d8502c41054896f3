//! Removes bindings whose leases have ended.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use zorb::{CompletionStatus, MinorCode, Report, SystemException};
use zorb_os::repeating::RepeatingThread;

use super::clock::Clock;
use super::names::Names;

/// How often leases are looked at, and how late bindings go away at most.
const INTERVAL: Duration = Duration::from_secs(1);

/// A thread that a service has from its first lease on.
pub(crate) struct LeaseThread {
    pub(crate) clock: Clock,
    thread: Mutex<Option<RepeatingThread>>,
}

impl LeaseThread {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, thread: Mutex::default() }
    }

    /// Starts the thread, unless it runs.
    ///
    /// # Errors
    /// `NO_RESOURCES`: the system has no more threads.
    pub(crate) fn start(&self, names: &Arc<Names>) -> Result<(), SystemException> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_some() {
            return Ok(());
        }
        let (names, clock) = (Arc::clone(names), self.clock);
        let run = move || {
            match names.end_leases(clock.now()) {
                // The thread can end in between.
                Ok(true) => Some(Duration::ZERO),
                Ok(false) => Some(INTERVAL),
                Err(error) => {
                    tracing::error!(error = %Report(&error), "cannot remove names whose leases have ended");
                    Some(INTERVAL)
                }
            }
        };
        *thread =
            Some(RepeatingThread::start("zorb-leases", Duration::ZERO, run).map_err(|_| {
                SystemException::no_resources(MinorCode::NONE, CompletionStatus::No)
            })?);
        Ok(())
    }
}
