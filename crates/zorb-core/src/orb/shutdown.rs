//! Shuts an ORB down.

use std::sync::Arc;
use std::time::Instant;

use zorb_base::orb_core::OrbCore;
use zorb_base::threads::{ThreadActivity, record_operation};
use zorb_base::upcall_thread::check_may_wait;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::inner::OrbInner;

impl OrbInner {
    pub(super) fn wait_for_shutdown(&self) {
        let mut ended = self.ended.lock();
        while !self.core.is_closed() {
            ended = self.ending.wait(ended);
        }
    }

    pub(super) fn shutdown(self: &Arc<Self>, wait: bool) -> Result<(), SystemException> {
        OrbCore::check_process()?;
        if self.core.is_destroyed() {
            return Err(self.core.shut_down());
        }
        if wait {
            check_may_wait(&self.core)?;
        }
        if self.core.options().use_imr && self.core.is_running() {
            self.unregister_adapters();
        }
        let first = self.core.begin_shutdown();
        if first {
            self.stop_serving();
        }
        match (first, wait) {
            (true, true) => self.finish(),
            (true, false) => self.finish_later(),
            (false, true) => self.wait_for_shutdown(),
            (false, false) => {}
        }
        if wait { self.check_ended() } else { Ok(()) }
    }

    pub(super) fn destroy(self: &Arc<Self>) -> Result<(), SystemException> {
        OrbCore::check_process()?;
        check_may_wait(&self.core)?;
        let ended = self.shutdown(true);
        match self.core.set_destroyed() {
            true => ended,
            false => Err(self.core.shut_down()),
        }
    }

    /// Checks that no upcall was running when the shutdown ended.
    ///
    /// # Errors
    /// `TIMEOUT`, minor `SHUTDOWN`.
    pub(super) fn check_ended(&self) -> Result<(), SystemException> {
        if self.core.threads().is_empty() {
            return Ok(());
        }
        Err(SystemException::timeout(minor::timeout::SHUTDOWN, CompletionStatus::Maybe))
    }

    /// Closes endpoints and connections, and stops all lanes, without waiting.
    fn stop_serving(&self) {
        let listeners = self.server.close_listeners();
        let pools = self.server.stop_pools();
        // Requests that a POA manager is holding would wait forever.
        self.root.get().inspect(|root| root.release_held());
        self.adapters.release_held();
        for pool in &pools {
            pool.stop();
        }
        self.server.stop_default_lane();
        self.client.connections().close();
        // From here on only calls in progress reach a servant directly.
        self.root.get().inspect(|root| root.end_collocation());
        let initial = std::mem::take(&mut *self.initial.lock());
        drop((initial, listeners, pools));
    }

    /// Completes the shutdown, on a thread of its own if the ORB has threads to wait for. A thread in `run` may end
    /// the process, so it must not wake before accepted requests have been answered.
    fn finish_later(self: &Arc<Self>) {
        if self.core.threads().is_empty() {
            return self.finish();
        }
        let core = Arc::clone(self);
        let name = self.core.threads().thread_name("zorb-shutdown");
        let started = std::thread::Builder::new().name(name).spawn(move || core.finish());
        if let Err(error) = started {
            tracing::error!(%error, "cannot start the shutdown thread; not waiting for requests");
            self.destroy_adapters();
            self.close();
        }
    }

    /// Waits for the ORB's threads, destroys its adapters and closes it: all within the grace time.
    fn finish(self: &Arc<Self>) {
        let threads = self.core.threads();
        let Some(grace) = self.core.options().shutdown_grace else {
            threads.join();
            self.destroy_adapters();
            return self.close();
        };
        let begun = Instant::now();
        let stuck = threads.join_within(grace);
        stuck.iter().for_each(|thread| report(thread));
        let has_waited = threads.is_empty();
        self.start_destroying_adapters();
        if has_waited {
            let left = grace.saturating_sub(begun.elapsed());
            threads.join_within(left).iter().for_each(|thread| report(thread));
        }
        self.close();
    }

    /// Destroys the adapters on a thread of the ORB: etherealizing objects and dropping servants may block.
    fn start_destroying_adapters(self: &Arc<Self>) {
        if self.root.get().is_none() {
            return;
        }
        let orb = Arc::clone(self);
        let destroy = move || {
            record_operation(b"POA::destroy");
            orb.destroy_adapters();
        };
        if let Err(error) = self.core.threads().spawn("zorb-shutdown", destroy) {
            tracing::error!(%error, "cannot start the shutdown thread; destroying POAs on this one");
            self.destroy_adapters();
        }
    }

    fn destroy_adapters(&self) {
        if let Some(root) = self.root.get() {
            root.destroy(true, &|adapter| self.adapters.unregister(adapter));
        }
    }

    fn close(&self) {
        let _ended = self.ended.lock();
        self.core.set_closed();
        self.ending.notify_all();
    }
}

/// Names a thread that is still running when the grace time ends.
#[cold]
fn report(stuck: &ThreadActivity) {
    let (thread, operation) = (stuck.thread(), stuck.operation());
    tracing::error!(thread, operation, "still running at the end of the shutdown's grace time");
}
