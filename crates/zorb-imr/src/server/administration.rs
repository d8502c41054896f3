//! The servant of the repository's interfaces.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use zorb::giop::Ior;
use zorb::{CompletionStatus, Interface as _, MinorCode, Result, SystemException};

use super::access::Refusal;
use super::definition::Definition;
use super::iterators::Iterators;
use super::listing::Listing;
use super::servers::Servers;
use super::start_requests::Reason;
use crate::implementation_repository::administration::{
    ActivateServerError, AddOrUpdateServerError, RemoveServerError, ServerIsRunningError,
    ServerIsShuttingDownError, ShutdownServerError,
};
use crate::implementation_repository::administration_ext::{
    ForceRemoveServerError, KillServerError, LinkServersError,
};
use crate::implementation_repository::{
    AdministrationExtServant, AdministrationServant, CannotActivate, CannotComplete, NotFound,
    ServerInformation, ServerInformationIterator, ServerInformationList, ServerObject,
    StartupOptions,
};
use crate::server_repository::repository::SetInstancesError;
use crate::server_repository::{RepositoryServant, Selection, StatusList};

/// The servant of a repository.
pub(crate) struct Administration {
    pub(crate) servers: Arc<Servers>,
    pub(crate) listing: Listing,
    pub(crate) iterators: Arc<Iterators>,
}

/// The exception for a refusal.
fn raised<E: From<NotFound> + From<SystemException>>(refusal: &Refusal) -> E {
    match refusal {
        Refusal::NotFound => NotFound.into(),
        refusal => refusal.exception().into(),
    }
}

impl Administration {
    fn check(&self) -> Result<(), SystemException> {
        self.listing.write_check.get().map_or(Ok(()), |check| check())
    }

    /// Sends a signal to the processes of a server; whether there were any.
    fn signal(&self, name: &str, signal: i16) -> Result<bool, Refusal> {
        let processes = {
            let state = self.servers.lock();
            let owner = state.owner(name);
            state.servers.get(owner).ok_or(Refusal::NotFound)?.processes.clone()
        };
        let sent = processes.iter().filter(|it| it.signal_group(signal.into()).is_ok()).count();
        Ok(sent > 0)
    }

    /// The addresses of a server that registers.
    fn reference_of(&self, partial: &str, object: Option<&ServerObject>) -> Result<Ior, Refusal> {
        if let Some(object) = object {
            return Ok(object.as_object().ior().clone());
        }
        // Other URLs would make the repository read files, or call other services.
        let is_address = partial.starts_with("corbaloc:") && !partial.starts_with("corbaloc:rir:");
        let orb = self.servers.orb.upgrade().filter(|_| is_address).ok_or(Refusal::Invalid)?;
        let url = format!("{}/x", partial.trim_end_matches('/'));
        let object = orb.string_to_object(&url).ok().flatten().ok_or(Refusal::Invalid)?;
        Ok(object.ior().clone())
    }
}

impl AdministrationServant for Administration {
    fn activate_server(&self, server: &str) -> Result<(), ActivateServerError> {
        self.check()?;
        let servers = &self.servers;
        let mut state = servers.lock();
        let owner = state.owner(server).to_owned();
        let known = state.servers.get_mut(&owner).ok_or(NotFound)?;
        known.is_stopped = false;
        known.forget_ended();
        if known.is_per_client() || !known.lacks_processes() {
            return Ok(());
        }
        let fails = |reason: &str| CannotActivate { reason: reason.to_owned() };
        servers.begin(&mut state, server, Reason::Administrator).map_err(fails)?;
        loop {
            let known = state.servers.get(&owner).ok_or(NotFound)?;
            if !known.lacks_processes() {
                return Ok(());
            }
            if !known.is_starting || state.has_ended {
                let why = if known.problem.is_empty() { "it has ended" } else { &known.problem };
                return Err(fails(why).into());
            }
            let waited = servers.changed.wait_timeout(state, Duration::from_millis(200));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn add_or_update_server(
        &self,
        server: &str,
        options: &StartupOptions,
    ) -> Result<(), AddOrUpdateServerError> {
        self.check()?;
        if crate::command_line::split(&options.command_line).is_none() {
            return Err(Refusal::Invalid.exception().into());
        }
        let added = self.servers.add(server, Definition::new(options.clone()));
        added.map_err(|refusal| raised(&refusal))
    }

    fn remove_server(&self, server: &str) -> Result<(), RemoveServerError> {
        self.check()?;
        self.servers.remove(server).map_err(|refusal| raised(&refusal))
    }

    fn shutdown_server(&self, server: &str) -> Result<(), ShutdownServerError> {
        self.check()?;
        self.servers.stop(server).map_err(|refusal| raised(&refusal))
    }

    fn server_is_running(
        &self,
        server: &str,
        partial_ior: &str,
        server_object: Option<&ServerObject>,
    ) -> Result<(), ServerIsRunningError> {
        self.check()?;
        let registered = self.reference_of(partial_ior, server_object).and_then(|reference| {
            self.servers.register(server, partial_ior, reference, server_object.is_some())
        });
        registered.map_err(|refusal| raised(&refusal))
    }

    fn server_is_shutting_down(&self, server: &str) -> Result<(), ServerIsShuttingDownError> {
        self.check()?;
        self.servers.is_shutting_down(server).map_err(|refusal| raised(&refusal))
    }

    fn find(&self, server: &str) -> Result<ServerInformation> {
        Ok(self.listing.find(server))
    }

    fn list(
        &self,
        how_many: u32,
        _determine_active_status: bool,
    ) -> Result<(ServerInformationList, Option<ServerInformationIterator>)> {
        let (listed, has_more) = self.listing.list("", how_many);
        let iterator = match listed.last() {
            Some(last) if has_more => self.iterators.create(&last.server)?,
            _ => None,
        };
        Ok((listed, iterator))
    }

    fn shutdown(&self, _activators: bool, servers: bool) -> Result<()> {
        self.check()?;
        if servers {
            self.servers.stop_all();
        }
        match self.servers.orb.upgrade() {
            Some(orb) => orb.shutdown(false).map_err(|error| {
                let maybe = CompletionStatus::Maybe;
                error.into_exception(SystemException::internal(MinorCode::NONE, maybe))
            }),
            None => Ok(()),
        }
    }
}

impl AdministrationExtServant for Administration {
    fn link_servers(&self, server: &str, peers: &[String]) -> Result<(), LinkServersError> {
        self.check()?;
        for peer in peers {
            self.servers.link(peer, Some(server)).map_err(|refusal| match refusal {
                Refusal::Invalid => {
                    let reason = format!("{peer} or {server} is linked to another server");
                    LinkServersError::from(CannotComplete { reason })
                }
                refusal => raised(&refusal),
            })?;
        }
        Ok(())
    }

    fn kill_server(&self, server: &str, signum: i16) -> Result<(), KillServerError> {
        self.check()?;
        match self.signal(server, signum) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let reason = "the repository knows no process of the server".to_owned();
                Err(CannotComplete { reason }.into())
            }
            Err(refusal) => Err(raised(&refusal)),
        }
    }

    fn force_remove_server(&self, server: &str, signum: i16) -> Result<(), ForceRemoveServerError> {
        self.check()?;
        let removed = self.signal(server, signum).and_then(|_| self.servers.remove(server));
        removed.map_err(|refusal| raised(&refusal))
    }
}

impl RepositoryServant for Administration {
    fn set_instances(
        &self,
        server: &str,
        instances: u32,
        choice: Selection,
    ) -> Result<(), SetInstancesError> {
        self.check()?;
        let set = self.servers.set_instances(server, instances, choice);
        set.map_err(|refusal| raised(&refusal))
    }

    fn status(&self, after: &str, how_many: u32) -> Result<StatusList> {
        Ok(self.listing.status(after, how_many))
    }
}
