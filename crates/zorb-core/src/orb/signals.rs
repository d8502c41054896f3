//! Shuts an ORB down when the process is asked to terminate.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_default;
use signal_hook::iterator::Signals;
use zorb_base::error::{Error, Phase};

use super::handle::Orb;

/// The signals that ask a process to terminate: from service managers, and Ctrl-C.
const TERMINATION: [i32; 2] = [SIGTERM, SIGINT];

impl Orb {
    /// Blocks until the ORB has been [shut down](Self::shutdown), as [`run`](Self::run) does, and shuts it down when
    /// the process gets SIGTERM or SIGINT: it accepts no further connections and requests, completes those in progress
    /// within the option `ShutdownGrace`, and sends CloseConnection to its peers. A second signal ends the process at
    /// once, as do signals after this call.
    ///
    /// ```no_run
    /// let orb = zorb_core::Orb::builder().build()?;
    /// // Activate servants here.
    /// orb.run_until_signal()?;
    /// # Ok::<(), zorb_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The signals cannot be handled. `TIMEOUT`, minor `SHUTDOWN`, if upcalls were still running at the end of the
    /// grace time.
    pub fn run_until_signal(&self) -> Result<(), Error> {
        let failed = |error: io::Error| {
            Error::new(Phase::Application, "handling signals").with_source(error)
        };
        let ends_process = Arc::new(AtomicBool::new(false));
        // Before the signals wake the thread below, which sets the flag: actions run in the order of their registration.
        for signal in TERMINATION {
            register_conditional_default(signal, Arc::clone(&ends_process)).map_err(failed)?;
        }
        let mut signals = Signals::new(TERMINATION).map_err(failed)?;
        let handle = signals.handle();
        std::thread::scope(|scope| {
            let waiter = std::thread::Builder::new().name("zorb-signals".to_owned());
            let waiting = waiter.spawn_scoped(scope, || {
                if let Some(signal) = signals.forever().next() {
                    tracing::info!(signal, "shutting down");
                    ends_process.store(true, Ordering::SeqCst);
                    if let Err(error) = self.shutdown(false) {
                        tracing::error!(%error, "cannot shut down");
                    }
                }
            });
            waiting.map_err(failed)?;
            let ended = self.run();
            ends_process.store(true, Ordering::SeqCst);
            handle.close();
            ended
        })
    }
}
