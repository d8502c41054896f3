//! What tools are told about servers.

use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use super::access::WriteCheck;
use super::definition::Definition;
use super::entry::Server;
use super::servers::Servers;
use crate::implementation_repository::{
    ServerActiveStatus, ServerInformation, ServerInformationList, StartupOptions,
};
use crate::server_repository::{Instance, Status, StatusList};

/// The most servers in one reply.
const MOST_LISTED: usize = 1000;

/// Lists the servers of a repository.
#[derive(Clone)]
pub(crate) struct Listing {
    pub(crate) servers: Arc<Servers>,
    /// Who may change servers; everybody without one.
    pub(crate) write_check: Arc<OnceLock<Box<WriteCheck>>>,
}

impl Listing {
    /// What is known of a server; without a name if there is none.
    pub(crate) fn find(&self, name: &str) -> ServerInformation {
        let state = self.servers.lock();
        let mut information = match state.servers.get(name) {
            Some(server) => information(name, server),
            None => information("", &Server::new(Definition::unmanaged())),
        };
        drop(state);
        self.conceal([&mut information.startup]);
        information
    }

    /// The servers whose names are greater than `after`, as many as a reply may have and at most `how_many`, 0 for any
    /// number; and whether there are more.
    pub(crate) fn list(&self, after: &str, how_many: u32) -> (ServerInformationList, bool) {
        let how_many = if how_many == 0 { u32::MAX } else { how_many };
        let size = |listed: &ServerInformation| octets(&listed.startup) + listed.partial_ior.len();
        let (mut listed, has_more) = self.page(after, how_many, information, size);
        self.conceal(listed.iter_mut().map(|listed| &mut listed.startup));
        (listed, has_more)
    }

    /// The same with all that Zorb tells. None for 0.
    pub(crate) fn status(&self, after: &str, how_many: u32) -> StatusList {
        let size = |status: &Status| {
            let addresses = status.running.iter().map(|instance| instance.partial_ior.len());
            octets(&status.startup) + status.problem.len() + addresses.sum::<usize>()
        };
        let (mut listed, _) = self.page(after, how_many, status_of, size);
        self.conceal(listed.iter_mut().map(|listed| &mut listed.startup));
        listed
    }

    fn page<T>(
        &self,
        after: &str,
        how_many: u32,
        describe: impl Fn(&str, &Server) -> T,
        size: impl Fn(&T) -> usize,
    ) -> (Vec<T>, bool) {
        let most = MOST_LISTED.min(usize::try_from(how_many).unwrap_or(MOST_LISTED));
        let state = self.servers.lock();
        let behind = (Bound::Excluded(after), Bound::Unbounded);
        let mut servers = state.servers.range::<str, _>(behind);
        let (mut listed, mut room) = (Vec::new(), self.servers.options.imr_listed_octets);
        while listed.len() < most && (room > 0 || listed.is_empty()) {
            let Some((name, server)) = servers.next() else { break };
            let described = describe(name, server);
            room = room.saturating_sub(name.len() + size(&described));
            listed.push(described);
        }
        (listed, servers.next().is_some())
    }

    /// Hides the environments, which may contain passwords, from clients that may not change servers.
    fn conceal<'a>(&self, all: impl IntoIterator<Item = &'a mut StartupOptions>) {
        let all = all.into_iter().filter(|startup| !startup.environment.is_empty());
        let mut all = all.peekable();
        if all.peek().is_some() && self.write_check.get().is_some_and(|check| check().is_err()) {
            all.for_each(|startup| startup.environment.clear());
        }
    }
}

/// The approximate size of what an administrator has said about a server.
fn octets(startup: &StartupOptions) -> usize {
    let variables = startup.environment.iter().map(|it| it.name.len() + it.value.len() + 16);
    let texts = startup.command_line.len() + startup.working_directory.len();
    texts + startup.activator.len() + variables.sum::<usize>()
}

fn information(name: &str, server: &Server) -> ServerInformation {
    let running = server.running.iter().find(|instance| !instance.has_ended());
    ServerInformation {
        server: name.to_owned(),
        startup: server.definition.startup.clone(),
        partial_ior: running.map(|it| it.partial_ior.clone()).unwrap_or_default(),
        active_status: match running {
            None => ServerActiveStatus::ActiveNo,
            Some(instance) if instance.process.is_some() => ServerActiveStatus::ActiveYes,
            Some(_) => ServerActiveStatus::ActiveMaybe,
        },
    }
}

fn status_of(name: &str, server: &Server) -> Status {
    let running = server.running.iter().filter(|it| !it.has_ended());
    Status {
        server: name.to_owned(),
        startup: server.definition.startup.clone(),
        instances: server.definition.instances,
        choice: server.definition.choice,
        linked_to: server.definition.linked_to.clone().unwrap_or_default(),
        state: server.state(),
        running: running
            .map(|instance| Instance {
                process: instance.process.map_or(0, |process| process.id()),
                clients: instance.clients,
                partial_ior: instance.partial_ior.clone(),
            })
            .collect(),
        starts: server.starts,
        failures: server.failures,
        problem: server.problem.clone(),
    }
}
