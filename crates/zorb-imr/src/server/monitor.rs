//! Looks after servers: finds those that have ended without a thread of the repository waiting for them, and starts those
//! that should always run.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use zorb::SystemExceptionKind;

use super::instance::Instance;
use super::servers::Servers;
use super::start_requests::Reason;
use crate::implementation_repository::ActivationMode;

/// How many servers are asked at the same time whether they still are there.
const ASKED_AT_ONCE: usize = 16;

impl Servers {
    /// Starts servers that should always run, until the repository ends.
    pub(super) fn run_monitor(&self) {
        while self.orb.upgrade().is_some() {
            self.start_automatic();
            let state = self.lock();
            if state.has_ended {
                return;
            }
            // Servers that have ended are started again at once.
            let waited = self.changed.wait_timeout(state, self.options.imr_check_interval);
            if waited.unwrap_or_else(PoisonError::into_inner).0.has_ended {
                return;
            }
        }
    }

    /// Looks for servers that have ended, until the repository ends.
    pub(super) fn run_checks(&self) {
        while self.orb.upgrade().is_some() {
            self.forget_unreachable();
            let next = Instant::now().checked_add(self.options.imr_check_interval);
            let mut state = self.lock();
            loop {
                let left = next.map(|next| next.saturating_duration_since(Instant::now()));
                match left {
                    _ if state.has_ended => return,
                    Some(left) if left.is_zero() => break,
                    left => {
                        let left = left.unwrap_or(self.options.imr_check_interval);
                        let waited = self.changed.wait_timeout(state, left);
                        state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    }
                }
            }
        }
    }

    /// Starts the servers that should always run.
    fn start_automatic(&self) {
        let wanted: Vec<String> = self
            .lock()
            .servers
            .iter()
            .filter(|(_, server)| server.definition.startup.activation == ActivationMode::AutoStart)
            .filter(|(_, server)| server.definition.linked_to.is_none())
            .map(|(name, _)| name.clone())
            .collect();
        for name in wanted {
            let state = &mut *self.lock();
            if state.has_ended {
                return;
            }
            let Some(server) = state.servers.get_mut(&name) else { continue };
            server.forget_ended();
            if server.lacks_processes()
                && let Err(why) = self.begin(state, &name, Reason::Automatic)
            {
                tracing::debug!(server = name, why, "not starting a server");
            }
        }
    }

    /// Forgets the processes that have ended, and those that the repository cannot watch and that do not answer.
    fn forget_unreachable(&self) {
        let mut unknown: Vec<(String, Instance)> = Vec::new();
        let mut changed = Vec::new();
        self.each(|name, server| {
            if server.forget_ended() {
                changed.push(name.to_owned());
            }
            server.processes.retain(|process| process.is_alive());
            let of_server = server.running.iter().filter(|instance| instance.process.is_none());
            unknown.extend(of_server.map(|instance| (name.to_owned(), instance.clone())));
        });
        for (name, instance) in self.without_answer(unknown) {
            tracing::info!(
                server = name,
                address = instance.partial_ior,
                "a server does not answer"
            );
            if let Some(server) = self.lock().servers.get_mut(&name) {
                server.running.retain(|known| known.number != instance.number);
                server.forget_claims();
            }
            changed.push(name);
        }
        for name in changed {
            if let Err(error) = self.store_running(&name) {
                tracing::error!(%error, server = name, "cannot store that a process has ended");
            }
        }
    }

    /// Those that do not answer. Some that are slow do not keep the repository from asking others.
    fn without_answer(&self, mut all: Vec<(String, Instance)>) -> Vec<(String, Instance)> {
        let next = Mutex::new(std::mem::take(&mut all).into_iter());
        let silent = Mutex::new(all);
        let ask = || {
            loop {
                let asked = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((name, instance)) = asked else { return };
                if !self.answers(&instance) {
                    silent.lock().unwrap_or_else(PoisonError::into_inner).push((name, instance));
                }
            }
        };
        let others = next.lock().unwrap_or_else(PoisonError::into_inner).len().min(ASKED_AT_ONCE);
        std::thread::scope(|scope| {
            for _ in 1..others {
                let thread = std::thread::Builder::new().name("imr-ping".to_owned());
                // Without a thread, the others ask.
                let _ = thread.spawn_scoped(scope, ask);
            }
            ask();
        });
        silent.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a process answers, or may only be slow.
    pub(super) fn answers(&self, instance: &Instance) -> bool {
        use SystemExceptionKind::{CommFailure, ObjectNotExist, Transient};
        let Some(object) = instance.object(&self.orb) else { return true };
        match object.ping() {
            Ok(()) => true,
            Err(error) => !matches!(error.kind, CommFailure | ObjectNotExist | Transient),
        }
    }
}
