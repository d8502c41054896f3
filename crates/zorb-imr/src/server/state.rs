//! What a repository knows of its servers at the moment.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::definition::Definition;
use super::entry::{Pending, Server};
use super::former::Former;
use super::instance::Instance;
use super::names::{Candidate, adapter_of, candidates};

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) servers: BTreeMap<String, Server>,
    /// The servers whose processes are to be started and no thread is starting, in turn.
    pub(super) pending: VecDeque<Pending>,
    /// The threads that start them, and how many of these wait.
    pub(super) starters: usize,
    pub(super) idle_starters: usize,
    /// The number of processes that have been started, and have not registered.
    pub(super) starting: usize,
    pub(super) has_ended: bool,
    pub(super) forwards: u64,
    /// The processes that no longer serve their names, and may report their shutdown.
    pub(super) former: Former,
    /// The names that contain more than the name of an adapter, behind that.
    adapters: BTreeSet<(String, String)>,
    next_number: u64,
}

impl State {
    pub(super) fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// Adds the former processes of earlier runs. The numbers of this one are greater than `last`.
    pub(super) fn remember(&mut self, former: Vec<(String, Instance)>, last: u64) {
        self.former = Former::stored(former);
        self.next_number = last;
    }

    /// Adds a server.
    pub(super) fn insert(&mut self, name: String, definition: Definition) -> &mut Server {
        let server = Server::new(self.number(), definition);
        if let Some(adapter) = adapter_of(&name) {
            self.adapters.insert((adapter.to_owned(), name.clone()));
        }
        match self.servers.entry(name) {
            Entry::Vacant(entry) => entry.insert(server),
            Entry::Occupied(entry) => {
                let known = entry.into_mut();
                *known = server;
                known
            }
        }
    }

    /// Removes a server. Its processes go on running, and may report their shutdown later.
    pub(super) fn remove(&mut self, name: &str) {
        let Some(server) = self.servers.remove(name) else { return };
        if let Some(adapter) = adapter_of(name) {
            self.adapters.remove(&(adapter.to_owned(), name.to_owned()));
        }
        for instance in server.running {
            self.former.add(name, instance);
        }
    }

    /// A server, unless it has been removed, also if another one has its name now.
    pub(super) fn server_of(&mut self, name: &str, generation: u64) -> Option<&mut Server> {
        self.servers.get_mut(name).filter(|server| server.generation == generation)
    }

    /// The name of the server of an object.
    pub(super) fn name_of(&self, key: &[u8]) -> Option<String> {
        candidates(key).into_iter().find_map(|candidate| match candidate {
            Candidate::Server(name) => self.servers.contains_key(&name).then_some(name),
            Candidate::Adapter(name) => self.registered(&name).map(str::to_owned),
        })
    }

    /// The name under which a server has registered that names its adapter only: that of the adapter, or the only one that
    /// contains more.
    pub(super) fn registered(&self, adapter: &str) -> Option<&str> {
        if let Some((name, _)) = self.servers.get_key_value(adapter) {
            return Some(name);
        }
        let from = (adapter.to_owned(), String::new());
        let mut known = self.adapters.range(from..).take_while(|(known, _)| known == adapter);
        known.next().filter(|_| known.next().is_none()).map(|(_, name)| name.as_str())
    }

    /// The server whose process serves a name.
    pub(super) fn owner<'a>(&'a self, name: &'a str) -> &'a str {
        let linked = self.servers.get(name).and_then(|it| it.definition.linked_to.as_deref());
        linked.unwrap_or(name)
    }

    /// Whether the server whose process serves a name has been stopped.
    pub(super) fn is_stopped(&self, name: &str) -> bool {
        self.servers.get(self.owner(name)).is_some_and(|server| server.is_stopped)
    }

    /// Whether a server's process has still to register a name that is linked to it.
    pub(super) fn lacks_linked(&self, name: &str) -> bool {
        self.servers.values().any(|server| {
            server.definition.linked_to.as_deref() == Some(name) && server.running.is_empty()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_found_by_the_names_of_their_adapters() {
        let mut state = State::default();
        for name in ["Bank", "JACORB:a/Shop", "one:Stock", "two:Stock"] {
            state.insert(name.to_owned(), Definition::unmanaged());
        }
        for (adapter, name) in [
            ("Bank", Some("Bank")),
            ("Shop", Some("JACORB:a/Shop")),
            ("JACORB:a/Shop", Some("JACORB:a/Shop")),
            // It may be either.
            ("Stock", None),
            ("Sto", None),
        ] {
            assert_eq!(state.registered(adapter), name, "{adapter}");
        }
        state.remove("two:Stock");
        assert_eq!(state.registered("Stock"), Some("one:Stock"));
        state.remove("one:Stock");
        assert_eq!(state.registered("Stock"), None);
    }
}
