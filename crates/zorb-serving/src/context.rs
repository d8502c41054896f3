//! The part of the ORB that connections and lanes use.

use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use zorb_base::orb_core::OrbCore;
use zorb_base::policy::Policies;
use zorb_base::progress::message_limits;
use zorb_base::threads::while_idle;
use zorb_cdr::ReadContext;
use zorb_os::lock::Lock;
use zorb_poa::{Adapters, ConnectionSetup};

use crate::watchdog::{Watchdog, Watched};

/// What connections and lanes use of their ORB.
pub(crate) struct ServerContext {
    orb: Arc<OrbCore>,
    adapters: Arc<Adapters>,
    /// The context in which arguments are decoded.
    read_context: Box<dyn ReadContext + Send + Sync>,
    watchdog: Arc<Watchdog>,
    /// The number of requests that wait for deferred replies.
    deferred: AtomicUsize,
    /// The number of new connections that wait for threads.
    awaiting_threads: AtomicUsize,
    /// The setup of accepted connections according to the ORB's policies.
    default_connection_setup: Lock<Option<Arc<ConnectionSetup>>>,
}

impl Deref for ServerContext {
    type Target = Arc<OrbCore>;

    #[inline]
    fn deref(&self) -> &Arc<OrbCore> {
        &self.orb
    }
}

impl std::fmt::Debug for ServerContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerContext").field("orb", &self.orb).finish_non_exhaustive()
    }
}

impl ServerContext {
    /// The context of an ORB with these `adapters`; `read_context` decodes arguments.
    pub(crate) fn new(
        orb: &Arc<OrbCore>,
        adapters: &Arc<Adapters>,
        read_context: Box<dyn ReadContext + Send + Sync>,
    ) -> Arc<Self> {
        Arc::new(Self {
            orb: Arc::clone(orb),
            adapters: Arc::clone(adapters),
            read_context,
            deferred: AtomicUsize::new(0),
            awaiting_threads: AtomicUsize::new(0),
            watchdog: Arc::new(Watchdog::new(message_limits(orb.options()))),
            default_connection_setup: Lock::default(),
        })
    }

    /// What all parts of the ORB share.
    pub(crate) fn orb(&self) -> &Arc<OrbCore> {
        &self.orb
    }

    #[inline]
    pub(crate) fn adapters(&self) -> &Adapters {
        &self.adapters
    }

    /// The context in which arguments are decoded.
    #[inline]
    pub(crate) fn read_context(&self) -> &dyn ReadContext {
        &*self.read_context
    }

    pub(crate) fn watchdog(&self) -> &Arc<Watchdog> {
        &self.watchdog
    }

    /// Counts a request that waits for a deferred reply. Returns `false` if as many do as the option
    /// `MaxDeferredRequests` permits.
    pub(crate) fn begin_deferred(&self) -> bool {
        let most = self.options().max_deferred_requests;
        let next = |count| (count < most).then_some(count + 1);
        self.deferred.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }

    /// The number of requests that wait for deferred replies.
    pub(crate) fn deferred_requests(&self) -> usize {
        self.deferred.load(Ordering::Relaxed)
    }

    /// The number of new connections that wait for threads. Others that need one wait behind them.
    pub(crate) fn awaiting_threads(&self) -> &AtomicUsize {
        &self.awaiting_threads
    }

    /// Uncounts such a request.
    pub(crate) fn end_deferred(&self) {
        self.deferred.fetch_sub(1, Ordering::Relaxed);
    }

    /// Ends a connection if its client does not read until `deadline`.
    ///
    /// # Errors
    /// The ORB shuts down, and the watchdog's thread cannot be started again.
    pub(crate) fn watch_output<C: Watched + 'static>(
        &self,
        connection: &Arc<C>,
        deadline: Instant,
    ) -> io::Result<()> {
        match self.watchdog.watch_output(connection, deadline) {
            true => self.run_watchdog(),
            false => Ok(()),
        }
    }

    /// Starts the watchdog's thread.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn run_watchdog(&self) -> io::Result<()> {
        let watchdog = Arc::clone(&self.watchdog);
        let period = self.options().stall_takeover;
        self.threads().spawn("zorb-watchdog", move || while_idle(|| watchdog.run(period)))
    }

    /// The setup of accepted connections according to the ORB's policies.
    pub(crate) fn default_connection_setup(&self) -> Option<Arc<ConnectionSetup>> {
        self.default_connection_setup.lock().clone()
    }

    /// Sets up future connections according to the ORB's policies. `policies` returns the current ones; it is
    /// called under a lock, so that the last of two concurrent changes wins.
    pub(crate) fn update_default_connection_setup(&self, policies: impl FnOnce() -> Policies) {
        let mut setup = self.default_connection_setup.lock();
        *setup = ConnectionSetup::of(&policies()).map(Arc::new);
    }
}
