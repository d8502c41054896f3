//! Shuts an ORB down when the process is asked to terminate.

#[cfg(test)]
mod tests;

use std::ffi::c_int;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_default;
use signal_hook::iterator::Signals;
use signal_hook::low_level::unregister;
use zorb_base::error::{Error, Phase};
use zorb_base::orb_core::OrbCore;
use zorb_os::lock::Lock;

use super::handle::Orb;

/// The signals that ask a process to terminate: from service managers, and Ctrl-C.
const TERMINATION: [c_int; 2] = [SIGTERM, SIGINT];

/// The descriptors by which they wake a thread.
const OF_SIGNALS: usize = 2;

/// What the signals do while no ORB waits for them. Their handlers remain once they are installed.
static DEFAULT_ACTION: Lock<Option<DefaultAction>> = Lock::new(None);

/// The default action of the signals, which ends the process.
struct DefaultAction {
    is_on: Arc<AtomicBool>,
    /// The number of ORBs that wait for the signals.
    waiting: usize,
}

/// Replaces the default action of the signals until dropped.
struct Waiting(Arc<AtomicBool>);

impl Waiting {
    /// # Errors
    /// The signals cannot be handled.
    fn begin() -> io::Result<Self> {
        let mut known = DEFAULT_ACTION.lock();
        if known.is_none() {
            let is_on = Arc::new(AtomicBool::new(true));
            register_all(&TERMINATION, &is_on)?;
            *known = Some(DefaultAction { is_on, waiting: 0 });
        }
        let action = known.as_mut().ok_or(io::ErrorKind::Other)?;
        action.waiting += 1;
        action.is_on.store(false, Ordering::SeqCst);
        Ok(Self(Arc::clone(&action.is_on)))
    }

    /// Makes the next signal end the process.
    fn has_received(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(action) = DEFAULT_ACTION.lock().as_mut() {
            action.waiting -= 1;
            if action.waiting == 0 {
                self.has_received();
            }
        }
    }
}

/// Makes the signals do their default action while `is_on`: all or none.
fn register_all(signals: &[c_int], is_on: &Arc<AtomicBool>) -> io::Result<()> {
    let mut registered = Vec::new();
    for signal in signals {
        match register_conditional_default(*signal, Arc::clone(is_on)) {
            Ok(id) => registered.push(id),
            Err(error) => {
                for id in registered {
                    unregister(id);
                }
                return Err(error);
            }
        }
    }
    Ok(())
}

impl Orb {
    /// Blocks until the ORB has been [shut down](Self::shutdown), as [`run`](Self::run) does, and shuts it down when
    /// the process gets SIGTERM or SIGINT. First it [drains](Self::drain) for the time of the option `ShutdownDrain` (0).
    /// Then it accepts no further connections and requests, completes those in progress
    /// within the option `ShutdownGrace`, and sends CloseConnection to its peers. A second signal ends the process at
    /// once, as do signals after this call. Several ORBs of a process may wait for signals, at the same time or one after
    /// the other.
    ///
    /// ```no_run
    /// let orb = zorb_core::Orb::builder().build()?;
    /// // Activate servants here.
    /// orb.run_until_signal()?;
    /// # Ok::<(), zorb_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The signals cannot be handled, or too few descriptors are left to serve a client. `TIMEOUT`, minor `SHUTDOWN`, if
    /// upcalls were still running at the end of the grace time.
    pub fn run_until_signal(&self) -> Result<(), Error> {
        OrbCore::check_process()?;
        let failed = |error: io::Error| {
            Error::new(Phase::Application, "handling signals").with_source(error)
        };
        self.inner.server.check_descriptors(OF_SIGNALS)?;
        // Before the signals wake the thread below, which restores the default action: what a signal does is done in the
        // order of registration.
        let received = Waiting::begin().map_err(failed)?;
        let mut signals = Signals::new(TERMINATION).map_err(failed)?;
        let handle = signals.handle();
        let threads = self.core().threads();
        std::thread::scope(|scope| {
            let waiter = std::thread::Builder::new().name(threads.thread_name("zorb-signals"));
            let waiting = waiter.spawn_scoped(scope, || {
                let _span = threads.span();
                if let Some(signal) = signals.forever().next() {
                    received.has_received();
                    self.drain_before_shutdown();
                    tracing::info!(signal, "shutting down");
                    if let Err(error) = self.shutdown(false) {
                        tracing::error!(%error, "cannot shut down");
                    }
                }
            });
            waiting.map_err(failed)?;
            let ended = self.run();
            handle.close();
            ended
        })
    }

    /// Serves for the time of the option `ShutdownDrain`, or until another thread shuts the ORB down.
    fn drain_before_shutdown(&self) {
        self.drain();
        let limit = self.options().shutdown_drain;
        if !limit.is_zero() {
            tracing::info!(?limit, "draining");
            let ended = self.inner.ended.lock();
            drop(self.inner.ending.wait_while(ended, limit, |()| self.core().is_running()));
        }
    }
}
