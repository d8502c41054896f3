//! Looks after servers: finds those that have ended without a thread of the repository waiting for them, and starts those
//! that should always run.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use zorb::SystemExceptionKind;

use super::instance::Instance;
use super::servers::{Reason, Servers};
use crate::implementation_repository::ActivationMode;

impl Servers {
    /// Runs until the repository ends.
    pub(super) fn run_monitor(self: Arc<Self>) {
        let mut checked: Option<Instant> = None;
        while self.orb.upgrade().is_some() {
            if checked.is_none_or(|checked| checked.elapsed() >= self.settings.check_interval) {
                self.forget_unreachable();
                checked = Some(Instant::now());
            }
            self.start_automatic();
            let state = self.lock();
            if state.has_ended {
                return;
            }
            // Servers that have ended are started again at once.
            let waited = self.changed.wait_timeout(state, self.settings.check_interval);
            if waited.unwrap_or_else(PoisonError::into_inner).0.has_ended {
                return;
            }
        }
    }

    /// Starts the servers that should always run.
    fn start_automatic(&self) {
        let state = &mut *self.lock();
        if state.has_ended {
            return;
        }
        let wanted: Vec<String> = state
            .servers
            .iter()
            .filter(|(_, server)| server.definition.startup.activation == ActivationMode::AutoStart)
            .filter(|(_, server)| server.definition.linked_to.is_none())
            .map(|(name, _)| name.clone())
            .collect();
        for name in wanted {
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
        for (name, server) in &mut self.lock().servers {
            if server.forget_ended() {
                changed.push(name.clone());
            }
            server.processes.retain(|process| process.is_alive());
            let of_server = server.running.iter().filter(|instance| instance.process.is_none());
            unknown.extend(of_server.map(|instance| (name.clone(), instance.clone())));
        }
        for (name, instance) in unknown {
            if self.answers(&instance) {
                continue;
            }
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
