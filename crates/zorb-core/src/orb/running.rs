//! Serving, running and ending an ORB.

use std::time::Duration;

use zorb_base::error::Error;
use zorb_base::orb_core::OrbCore;
use zorb_base::upcall_thread::in_upcall_of;

use super::handle::Orb;

impl Orb {
    /// Ends the program's start: the ORB listens at its endpoints, and a persistent object or published key that the
    /// program has not created by now does not exist (`OBJECT_NOT_EXIST`). Before that, requests for such an object get
    /// `TRANSIENT` (Zorb 9), so that clients try again. [`run`](Self::run) and [`perform_work`](Self::perform_work)
    /// do the same. Unless the option `ListenFrom` is `run`, the ORB listens already from its first reference on, and
    /// serves the objects that are there.
    ///
    /// # Errors
    /// An endpoint at which the ORB cannot listen; `BAD_INV_ORDER` (OMG 4) after a shutdown; with the option `UseImr`, the
    /// exception of a call to the implementation repository: the ORB serves nevertheless, and another `serve` registers
    /// again.
    pub fn serve(&self) -> Result<(), Error> {
        self.core().check_running()?;
        self.inner.server.listen()?;
        self.core().set_serving();
        match self.options().use_imr {
            true => self.inner.register_adapters(None),
            false => Ok(()),
        }
    }

    /// [Serves](Self::serve), and executes the requests of adapters with the main-thread model on the calling thread,
    /// until the ORB has been [shut down](Self::shutdown). The ORB's own threads serve all other requests. [`run_until_signal`](Self::run_until_signal) also shuts the ORB down when the process is asked to
    /// terminate.
    ///
    /// # Errors
    /// An endpoint at which the ORB cannot listen; `TIMEOUT`, minor `SHUTDOWN`, if upcalls were still running at the end
    /// of the option `ShutdownGrace`.
    pub fn run(&self) -> Result<(), Error> {
        OrbCore::check_process()?;
        // The ORB may have been shut down already.
        if let Err(error) = self.serve()
            && self.core().is_running()
        {
            return Err(error);
        }
        if !in_upcall_of(&self.inner.core) {
            while self.inner.adapters.main_thread().serve_next(None) {}
        }
        self.inner.wait_for_shutdown();
        self.inner.check_ended().map_err(Error::from)
    }

    /// Whether requests wait for the main thread.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 4) after a shutdown.
    pub fn work_pending(&self) -> Result<bool, Error> {
        self.inner.core.check_running()?;
        Ok(!self.inner.adapters.main_thread().is_empty())
    }

    /// Executes one request that waits for the main thread on the calling thread, if there is one. Returns whether
    /// there was one. Does not wait, and does nothing inside an upcall. [Serves](Self::serve).
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub fn perform_work(&self) -> Result<bool, Error> {
        self.perform_work_within(Duration::ZERO)
    }

    /// Like [`perform_work`](Self::perform_work), but waits for a request for at most `limit`.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub fn perform_work_within(&self, limit: Duration) -> Result<bool, Error> {
        self.inner.core.check_running()?;
        self.serve()?;
        if in_upcall_of(&self.inner.core) {
            return Ok(false);
        }
        Ok(self.inner.adapters.main_thread().serve_next(Some(limit)))
    }

    /// Announces the shutdown: from now on, the [health object](Self::publish_health) reports that the server is alive but
    /// not ready, while the ORB still serves old and new clients. Load balancers stop sending new clients.
    /// Call [`shutdown`](Self::shutdown) when they have had time to notice;
    /// [`run_until_signal`](Self::run_until_signal) does both.
    pub fn drain(&self) {
        self.core().set_draining();
    }

    /// Shuts the ORB down: it accepts no further requests, completes and answers those in progress, and sends
    /// CloseConnection to its peers. With `wait` the call returns when the last thread has ended, or at the end of
    /// the option `ShutdownGrace` (30 s); then the log and the error name the upcalls that are still running: operation and
    /// thread. Clients have a tenth of that time, at most 3 s, to read their replies; then their connections are closed.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` (OMG 3) with `wait` on a thread of the ORB, which would wait for itself: inside an upcall, or in
    /// another function that the ORB calls, for example [`OnewayQueue::on_event`](crate::OnewayQueue::on_event).
    /// `TIMEOUT`, minor `SHUTDOWN`, with `wait` if upcalls were still running at the end of `ShutdownGrace`; its text names
    /// them.
    pub fn shutdown(&self, wait: bool) -> Result<(), Error> {
        self.inner.shutdown(wait).map_err(Error::from)
    }

    /// Shuts the ORB down with waiting, unless that has been done, and destroys it: its id is free again, and later
    /// calls of its operations and by its references get `OBJECT_NOT_EXIST`, minor `ORB_DESTROYED` (CORBA 3.3 part 1,
    /// 8.5.5). Between a [`shutdown`](Self::shutdown) and this call they get `BAD_INV_ORDER` (OMG 4).
    ///
    /// # Errors
    /// As [`shutdown`](Self::shutdown) with waiting; after `TIMEOUT` the ORB is destroyed nevertheless. `OBJECT_NOT_EXIST`
    /// if the ORB has been destroyed before.
    pub fn destroy(&self) -> Result<(), Error> {
        self.inner.destroy().map_err(Error::from)
    }
}
