//! Decides whether a server is to start, and has other threads start it.

use std::time::Instant;

use super::entry::Pending;
use super::servers::Servers;
use super::state::State;
use crate::implementation_repository::ActivationMode;

/// Why a server is to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Request,
    Administrator,
    /// It has the mode `AUTO_START`, or too few processes of it run.
    Automatic,
}

impl Servers {
    /// Has a server's processes started by other threads, unless that is going on, or nothing is to be done.
    ///
    /// # Errors
    /// Why it is not started.
    pub(super) fn begin(
        &self,
        state: &mut State,
        name: &str,
        reason: Reason,
    ) -> Result<(), &'static str> {
        let owner = state.owner(name).to_owned();
        let server = state.servers.get_mut(&owner).ok_or("its server has been removed")?;
        if server.is_starting {
            if reason != Reason::Automatic && server.process.is_none() {
                // Stopped meanwhile: the thread that has started it starts it again.
                server.is_stopped = false;
            }
            return Ok(());
        }
        server.forget_ended();
        let startup = &server.definition.startup;
        if startup.command_line.is_empty() {
            return Err("it has no command line");
        }
        if startup.activation == ActivationMode::Manual && reason != Reason::Administrator {
            return Err("it is started by hand");
        }
        if reason == Reason::Automatic && server.is_stopped {
            return Err("it has been stopped");
        }
        match reason {
            Reason::Administrator => server.limits.clear_failures(),
            _ if server.limits.refuses(Instant::now()) => return Err("it could not be started"),
            _ => {}
        }
        if !server.lacks_processes() {
            return Err("its process does not serve this name");
        }
        if server.running.len() >= self.options.imr_instances {
            return Err("as many of its processes run as may");
        }
        server.is_stopped = false;
        server.is_starting = true;
        let generation = server.generation;
        state.pending.push_back(Pending::new(owner.clone(), generation));
        if state.pending.len() <= state.idle_starters
            || state.starters >= self.options.imr_starts_at_once.max(1)
        {
            self.changed.notify_all();
            return Ok(());
        }
        let this = self.this.upgrade().ok_or("the repository has ended")?;
        let thread = std::thread::Builder::new().name("imr-start".to_owned());
        match thread.spawn(move || this.run_starts()) {
            Ok(_) => state.starters += 1,
            Err(_) if state.starters > 0 => {}
            Err(_) => {
                state.pending.pop_back();
                if let Some(server) = state.servers.get_mut(&owner) {
                    server.is_starting = false;
                }
                return Err("there is no thread to start it");
            }
        }
        Ok(())
    }
}
