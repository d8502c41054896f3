//! Ends servers: first by their own operation, then by signals.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use zorb_os::process::ProcessId;
use zorb_os::signal::Signal;

use super::access::Refusal;
use super::instance::Instance;
use super::servers::Servers;

/// How often is looked whether processes have ended that nobody waits for.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

impl Servers {
    /// Ends all processes of a server: asks their server objects, and if they have not ended in the time for that, sends
    /// `SIGTERM`, and at last `SIGKILL`. Returns when they have ended, as far as the repository knows them.
    ///
    /// # Errors
    /// There is no such server; the store fails.
    pub(super) fn stop(&self, name: &str) -> Result<(), Refusal> {
        let (owner, instances, processes) = {
            let state = &mut *self.lock();
            if !state.servers.contains_key(name) {
                return Err(Refusal::NotFound);
            }
            let owner = state.owner(name).to_owned();
            let server = state.servers.get_mut(&owner).ok_or(Refusal::NotFound)?;
            server.is_stopped = true;
            let instances = std::mem::take(&mut server.running);
            server.forget_claims();
            for instance in &instances {
                state.former.add(&owner, instance.clone());
            }
            let known = instances.iter().filter_map(|instance| instance.process);
            let mut processes: Vec<ProcessId> = known.collect();
            processes.extend(server.processes.iter().copied());
            (owner, instances, processes)
        };
        self.changed.notify_all();
        self.store_running(&owner)?;
        instances.iter().for_each(|instance| self.ask_to_end(&owner, instance));
        if self.have_ended(&processes) {
            return Ok(());
        }
        for signal in [Signal::TERMINATE, Signal::KILL] {
            for process in processes.iter().filter(|process| process.is_alive()) {
                tracing::warn!(server = owner, process = process.id(), %signal, "ending a server");
                // It may have ended by now.
                let _ = process.signal_group(signal.number());
            }
            if self.have_ended(&processes) {
                break;
            }
        }
        Ok(())
    }

    /// Ends all servers.
    pub(super) fn stop_all(&self) {
        let names: Vec<String> = self.lock().servers.keys().cloned().collect();
        for name in names {
            if let Err(refusal) = self.stop(&name) {
                tracing::error!(server = name, ?refusal, "cannot end a server");
            }
        }
    }

    fn ask_to_end(&self, name: &str, instance: &Instance) {
        let Some(object) = instance.object(&self.orb) else { return };
        if let Err(error) = object.shutdown() {
            tracing::debug!(server = name, %error, "cannot ask a server to end");
        }
    }

    /// Waits for the end of processes, for as long as they may take. Returns whether all have ended.
    fn have_ended(&self, processes: &[ProcessId]) -> bool {
        let deadline = Instant::now().checked_add(self.options.imr_stop_grace);
        let mut state = self.lock();
        loop {
            if !processes.iter().any(|process| process.is_alive()) {
                return true;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return false;
            }
            let waited = self.changed.wait_timeout(state, LOOK_AGAIN);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
