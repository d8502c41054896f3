//! Processes that register with the names that they serve, and that report their shutdown.

use std::sync::{Arc, PoisonError};

use zorb::giop::Ior;
use zorb::poa::HeldRequests;
use zorb_os::process::ProcessId;

use super::access::Refusal;
use super::definition::Definition;
use super::instance::Instance;
use super::servers::Servers;
use super::state::State;

/// The octets that a profile of a registered reference counts for beside its data.
const PROFILE_CHARGE: usize = 32;

/// The most former processes that are asked whether they run when one of a name reports its shutdown, the newest. Each may
/// take the whole time limit of a call.
const MOST_ASKED: usize = 8;

impl Servers {
    /// A process has registered.
    ///
    /// # Errors
    /// What [`add`](Self::add) returns, for a server that has not been added; its addresses are too long, or too many
    /// processes have registered.
    pub(super) fn register(
        &self,
        name: &str,
        partial_ior: &str,
        reference: Ior,
        has_object: bool,
    ) -> Result<(), Refusal> {
        if partial_ior.contains('\0') {
            return Err(Refusal::Invalid);
        }
        let sizes = reference.profiles.iter().map(|profile| profile.data.len() + PROFILE_CHARGE);
        let octets = partial_ior.len() + reference.type_id.len() + sizes.sum::<usize>();
        if octets > self.options.imr_definition_octets {
            return Err(Refusal::Full);
        }
        if !self.lock().servers.contains_key(name) {
            self.add(name, Definition::unmanaged())?;
        }
        let generation = self.lock().servers.get(name).map(|server| server.generation);
        drop(self.spawning.lock().unwrap_or_else(PoisonError::into_inner));
        let mut state = self.lock();
        let number = state.number();
        let known = state.known_process(name, &reference);
        state.former.forget(name, &reference);
        let Some(server) = generation.and_then(|known| state.server_of(name, known)) else {
            // Removed meanwhile, and perhaps added again: the process may be that of the other one.
            return Err(Refusal::NotFound);
        };
        let is_other = |instance: &Instance| instance.reference.profiles != reference.profiles;
        server.running.retain(|instance| !instance.has_ended() && is_other(instance));
        let mut replaced = None;
        if !server.lacks_processes() && !server.is_per_client() {
            // One that the repository cannot watch has probably ended.
            let unknown = server.running.iter().position(|instance| instance.process.is_none());
            replaced = unknown.map(|at| server.running.remove(at));
        }
        if server.running.len() >= self.options.imr_instances {
            return Err(Refusal::Full);
        }
        if let Some(replaced) = replaced {
            state.former.add(name, replaced);
        }
        let process = known.or_else(|| state.take_process(name));
        let Some(server) = state.servers.get_mut(name) else {
            return Err(Refusal::NotFound);
        };
        server.running.push(Instance {
            number,
            reference: Arc::new(reference),
            has_object,
            partial_ior: partial_ior.to_owned(),
            process,
            clients: 0,
        });
        if server.is_per_client() {
            server.unclaimed.push(number);
        }
        server.forget_claims();
        let waiting = server.waiting.take();
        drop(state);
        self.changed.notify_all();
        waiting.iter().for_each(HeldRequests::resume);
        self.store_running(name).map_err(Refusal::from)
    }

    /// A server is about to end. Which of its processes, the repository knows only if there is just one.
    ///
    /// # Errors
    /// There is no such server; the store fails.
    pub(super) fn is_shutting_down(&self, name: &str) -> Result<(), Refusal> {
        let (registered, served, former) = {
            let state = self.lock();
            let registered = state.registered(name).map(str::to_owned);
            let served = registered.as_deref().unwrap_or(name).to_owned();
            let former = state.former.of(&served);
            (registered, served, former)
        };
        let first_asked = former.len().saturating_sub(MOST_ASKED);
        let is_of_former = former.iter().enumerate().any(|(at, instance)| {
            let runs = match instance.process {
                Some(_) => true,
                None if at < first_asked => return false,
                None => self.answers(instance),
            };
            let state = &mut *self.lock();
            // Another thread may have removed it first.
            let is_known = state.former.remove(instance.number);
            if is_known && let Some(server) = state.servers.get_mut(&served) {
                // A process of a server that is being removed still counts as running, too.
                server.running.retain(|it| it.number != instance.number);
                server.forget_claims();
            }
            is_known && runs
        });
        if !is_of_former && let Some(server) = self.lock().servers.get_mut(&served) {
            server.forget_ended();
            if server.running.len() == 1 {
                server.running.clear();
                server.forget_claims();
            }
        }
        let stored = self.store_running(&served).map_err(Refusal::from);
        if registered.is_none() { Err(Refusal::NotFound) } else { stored }
    }
}

impl State {
    /// The process that has registered with the same reference before.
    fn known_process(&self, name: &str, reference: &Ior) -> Option<ProcessId> {
        let same = |it: &&Instance| it.reference.profiles == reference.profiles;
        self.servers.get(name)?.running.iter().find(same)?.process
    }

    /// Finds the process that registers: the server's own if it is starting, or that of the server it is linked to.
    fn take_process(&mut self, name: &str) -> Option<ProcessId> {
        let owner = self.owner(name).to_owned();
        let is_own = owner == name;
        let server = self.servers.get_mut(&owner)?;
        match is_own {
            true => server.process.take(),
            false => server.process.or_else(|| server.running.last()?.process),
        }
    }
}

#[cfg(test)]
mod tests;
