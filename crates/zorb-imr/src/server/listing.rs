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

/// How many servers are looked at under one lock: the system is asked about each of their processes.
const SLICE: usize = 64;

impl Servers {
    /// Visits the servers whose names are greater than `after`, in the order of their names: up to `most`, and at most 64,
    /// so that others can take the lock. Returns what `visit` has returned, and the last name if there may be more.
    pub(super) fn slice<T>(
        &self,
        after: &str,
        most: usize,
        mut visit: impl FnMut(&str, &mut Server) -> T,
    ) -> (Vec<T>, Option<String>) {
        let most = most.min(SLICE);
        let mut last = None;
        let mut visited = Vec::new();
        let mut state = self.lock();
        let behind = (Bound::Excluded(after), Bound::Unbounded);
        for (name, server) in state.servers.range_mut::<str, _>(behind).take(most) {
            visited.push(visit(name, server));
            last = Some(name).filter(|_| visited.len() == most);
        }
        (visited, last.cloned())
    }

    /// Visits all servers, [slice](Self::slice) by slice.
    pub(super) fn each<T>(&self, mut visit: impl FnMut(&str, &mut Server) -> T) -> Vec<T> {
        let (mut all, mut last) = self.slice("", SLICE, &mut visit);
        while let Some(after) = last {
            let (more, end) = self.slice(&after, SLICE, &mut visit);
            all.extend(more);
            last = end;
        }
        all
    }
}

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
            None => information("", &Server::new(0, Definition::unmanaged())),
        };
        drop(state);
        self.conceal([&mut information.startup]);
        information
    }

    /// The servers whose names are greater than `after`, as many as a reply may have and at most `how_many`, 0 for any
    /// number; and whether there are more.
    pub(crate) fn list(&self, after: &str, how_many: u32) -> (ServerInformationList, bool) {
        let how_many = if how_many == 0 { u32::MAX } else { how_many };
        let size = |listed: &ServerInformation| {
            listed.server.len() + octets(&listed.startup) + listed.partial_ior.len()
        };
        let (mut listed, has_more) = self.page(after, how_many, information, size);
        self.conceal(listed.iter_mut().map(|listed| &mut listed.startup));
        (listed, has_more)
    }

    /// The same with all that Zorb tells. None for 0.
    pub(crate) fn status(&self, after: &str, how_many: u32) -> StatusList {
        let (mut listed, _) = self.statuses(after, how_many);
        self.conceal(listed.iter_mut().map(|listed| &mut listed.startup));
        listed
    }

    /// The same with environments, and whether there are more.
    pub(crate) fn statuses(&self, after: &str, how_many: u32) -> (StatusList, bool) {
        let size = |status: &Status| {
            let addresses = status.running.iter().map(|instance| instance.partial_ior.len());
            let texts = status.server.len() + status.problem.len();
            octets(&status.startup) + texts + addresses.sum::<usize>()
        };
        self.page(after, how_many, status_of, size)
    }

    fn page<T>(
        &self,
        after: &str,
        how_many: u32,
        describe: impl Fn(&str, &Server) -> T,
        size: impl Fn(&T) -> usize,
    ) -> (Vec<T>, bool) {
        let most = MOST_LISTED.min(usize::try_from(how_many).unwrap_or(MOST_LISTED));
        let (mut listed, mut room) = (Vec::new(), self.servers.options.imr_listed_octets);
        let mut next = Some(after.to_owned());
        while let Some(after) = next {
            // One more shows whether there are more.
            let wanted = most - listed.len() + 1;
            let describe = |name: &str, server: &mut Server| describe(name, server);
            let (slice, last) = self.servers.slice(&after, wanted, describe);
            for described in slice {
                if listed.len() == most || (room == 0 && !listed.is_empty()) {
                    return (listed, true);
                }
                room = room.saturating_sub(size(&described));
                listed.push(described);
            }
            next = last;
        }
        (listed, false)
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

#[cfg(test)]
mod tests {
    use zorb::Orb;

    use super::super::options::ImrOptions;
    use super::*;

    #[test]
    fn many_servers_are_looked_at_in_slices() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let servers = Servers::load(&orb, &ImrOptions::default(), None).unwrap();
        for number in 0..1001 {
            let name = format!("Server{number:04}");
            servers.add(&name, Definition::unmanaged()).unwrap();
        }
        let (slice, last) = servers.slice("", usize::MAX, |name, _| name.to_owned());
        assert_eq!((slice.len(), last.as_ref()), (64, slice.last()));
        let names = servers.each(|name, _| name.to_owned());
        assert!(names.len() == 1001 && names.is_sorted());
        let listing = Listing { servers, write_check: Arc::default() };
        for (after, how_many, count, has_more) in [
            ("", 0, 1000, true),
            ("Server0000", 0, 1000, false),
            ("", 64, 64, true),
            ("", 65, 65, true),
            ("Server0998", 1, 1, true),
            ("Server0998", 2, 2, false),
            ("Server1000", 9, 0, false),
        ] {
            let (listed, more) = listing.list(after, how_many);
            assert_eq!((listed.len(), more), (count, has_more), "{how_many} after {after}");
        }
        assert!(listing.status("", 0).is_empty());
        orb.shutdown(true).unwrap();
    }
}
