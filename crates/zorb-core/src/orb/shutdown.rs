//! The orderly end of an ORB.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use zorb_types::{CompletionStatus, SystemException, minor};

use super::core::{CLOSED, CLOSING, OrbCore, RUNNING};
use crate::server::in_upcall;

impl OrbCore {
    pub(super) fn wait_for_shutdown(&self) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        while self.state.load(Ordering::Acquire) != CLOSED {
            ended = self.ending.wait(ended).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn shutdown(&self, wait: bool) -> Result<(), SystemException> {
        if wait && in_upcall() {
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
            let listeners = {
                let mut listeners = self.listeners.write().unwrap_or_else(PoisonError::into_inner);
                std::mem::take(&mut *listeners)
            };
            for listener in &listeners {
                listener.acceptor.close();
            }
            self.sentinel().stop();
            // Requests that a manager holds back would wait for ever.
            self.root_poa().release_held();
            for connection in self.sentinel().connections() {
                connection.close();
            }
            self.connections().close();
            self.initial.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        if wait {
            self.threads.join();
        }
        if first {
            self.root_poa().destroy();
            let _ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            self.state.store(CLOSED, Ordering::Release);
            self.ending.notify_all();
        } else if wait {
            self.wait_for_shutdown();
        }
        Ok(())
    }
}
