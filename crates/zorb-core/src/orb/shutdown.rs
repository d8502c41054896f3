//! The orderly end of an ORB.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use zorb_types::{CompletionStatus, SystemException, minor};

use super::core::{CLOSED, CLOSING, OrbCore, RUNNING};
use crate::collocation;
use crate::serving::in_upcall_of;

impl OrbCore {
    pub(super) fn wait_for_shutdown(&self) {
        let mut ended = self.ended.lock();
        while self.state.load(Ordering::Acquire) != CLOSED {
            ended = self.ending.wait(ended);
        }
    }

    pub(super) fn shutdown(self: &Arc<Self>, wait: bool) -> Result<(), SystemException> {
        if wait && (in_upcall_of(self) || collocation::in_upcall_of(self)) {
            return Err(SystemException::bad_inv_order(
                minor::bad_inv_order::WOULD_DEADLOCK,
                CompletionStatus::No,
            ));
        }
        let first = self
            .state
            .compare_exchange(RUNNING, CLOSING, Ordering::AcqRel, Ordering::Acquire)
            .is_ok();
        if first {
            self.stop_serving();
        }
        match (first, wait) {
            (true, true) => self.finish(),
            (true, false) => self.finish_later(),
            (false, true) => self.wait_for_shutdown(),
            (false, false) => {}
        }
        Ok(())
    }

    /// Has everything come to its end, without waiting for it.
    fn stop_serving(&self) {
        let listeners = {
            let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *listeners)
        };
        for listener in &listeners {
            listener.acceptor.close();
        }
        let pools = {
            let mut pools = self.pools.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *pools)
        };
        self.watchdog().stop();
        // Requests that a manager holds back would wait for ever.
        self.known_root_poa().inspect(|root| root.release_held());
        for pool in pools {
            pool.stop();
        }
        if let Some(lane) = self.default_lane() {
            lane.stop();
        }
        self.connections().close();
        // From here on only calls that are running keep what leads straight to a servant.
        self.known_root_poa().inspect(|root| root.end_bonds());
        let initial = std::mem::take(&mut *self.initial.lock());
        drop(initial);
    }

    /// Finishes on a thread of its own when there are others to wait for: whoever waits in `run`
    /// may end the process, so accepted requests are to be answered before it wakes.
    fn finish_later(self: &Arc<Self>) {
        if self.threads.is_empty() {
            return self.finish();
        }
        let core = Arc::clone(self);
        let name = "zorb-shutdown".to_owned();
        let started = std::thread::Builder::new().name(name).spawn(move || core.finish());
        if let Err(error) = started {
            tracing::error!(%error, "no thread to end the ORB with; requests are not waited for");
            self.close();
        }
    }

    fn finish(&self) {
        self.threads.join();
        self.close();
    }

    fn close(&self) {
        self.known_root_poa().inspect(|root| root.destroy());
        let _ended = self.ended.lock();
        self.state.store(CLOSED, Ordering::Release);
        self.ending.notify_all();
    }
}
