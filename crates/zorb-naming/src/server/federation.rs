//! Names that lead through contexts of other servers.
//!
//! The rest of the name is resolved there, by a call with a time limit. The number of such calls at the same time is
//! limited, as are those for the clients at one address and those to one server, so that others have room. Each call passes
//! fewer components on, so a name cannot go round for ever. What a server cannot do, it leaves to the client, as the
//! standard provides: `CannotProceed` with the other context and the rest of the name.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use zorb::giop::Ior;
use zorb::{Caller, CompletionStatus, Interface as _, ObjectRef};

use super::options::NamingOptions;
use super::raise::Raised;
use crate::cos_naming::naming_context::CannotProceed;
use crate::cos_naming::{Name, NamingContext};

/// Calls to contexts of other servers.
#[derive(Debug)]
pub(crate) struct Federation {
    options: NamingOptions,
    // Held for a moment, and around no call.
    running: Mutex<Running>,
}

/// The calls in progress.
#[derive(Debug, Default)]
struct Running {
    all: usize,
    /// Those for the clients at each address; local ones have none.
    of_clients: HashMap<Option<IpAddr>, usize>,
    /// Those to each server.
    of_servers: HashMap<Vec<u8>, usize>,
}

/// A call in progress, until it is dropped.
struct Slot<'a> {
    federation: &'a Federation,
    client: Option<IpAddr>,
    server: Vec<u8>,
}

impl Federation {
    pub(crate) fn new(options: &NamingOptions) -> Self {
        Self { options: options.clone(), running: Mutex::default() }
    }

    /// Makes a call for the rest of a name. `is_safe` means that the client may repeat it in any case.
    pub(crate) fn call<T, E: Into<Raised>>(
        &self,
        context: &ObjectRef,
        rest: Name,
        is_safe: bool,
        call: impl FnOnce(&NamingContext, &Name) -> Result<T, E>,
    ) -> Result<T, Raised> {
        let client = Caller::current().and_then(|caller| caller.network());
        let Some(_slot) = self.begin(client, server_of(context.ior())) else {
            return Err(cannot_proceed(context, rest));
        };
        let other = context.with_timeout(self.options.naming_foreign_timeout).unchecked_narrow();
        call(&other, &rest).map_err(Into::into).map_err(|raised| match raised {
            Raised::System(exception) if is_safe || exception.completed == CompletionStatus::No => {
                tracing::debug!(%exception, "a context of another server cannot be reached");
                cannot_proceed(context, rest)
            }
            other => other,
        })
    }

    /// Begins a call for a client to a server, unless there are too many.
    fn begin(&self, client: Option<IpAddr>, server: Vec<u8>) -> Option<Slot<'_>> {
        let mut running = self.running();
        let most = self.options.naming_foreign_calls;
        let is_full = running.all >= most
            || count(&running.of_clients, &client) >= most.div_ceil(2)
            || count(&running.of_servers, &server) >= self.options.naming_foreign_calls_per_server;
        if is_full {
            return None;
        }
        running.all += 1;
        *running.of_clients.entry(client).or_default() += 1;
        *running.of_servers.entry(server.clone()).or_default() += 1;
        Some(Slot { federation: self, client, server })
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut running = self.federation.running();
        running.all -= 1;
        end(&mut running.of_clients, &self.client);
        end(&mut running.of_servers, &self.server);
    }
}

fn count<K: Eq + Hash>(running: &HashMap<K, usize>, key: &K) -> usize {
    running.get(key).copied().unwrap_or(0)
}

/// One of the calls has ended.
fn end<K: Eq + Hash>(running: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = running.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            running.remove(key);
        }
    }
}

/// What identifies the server of a reference: the address of its first IIOP profile; without one, its profiles.
fn server_of(ior: &Ior) -> Vec<u8> {
    match ior.iiop_profiles().next() {
        Some(profile) => format!("{}:{}", profile.host, profile.port).into_bytes(),
        None => ior.profiles.iter().flat_map(|profile| profile.data.iter().copied()).collect(),
    }
}

#[cold]
fn cannot_proceed(context: &ObjectRef, rest_of_name: Name) -> Raised {
    let cxt = Some(NamingContext::from_object(context.clone()));
    CannotProceed { cxt, rest_of_name }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn federation(calls: usize, per_server: usize) -> Federation {
        Federation::new(&NamingOptions {
            naming_foreign_calls: calls,
            naming_foreign_calls_per_server: per_server,
            ..NamingOptions::default()
        })
    }

    fn client(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn a_server_that_does_not_answer_leaves_room_for_others() {
        let federation = federation(3, 2);
        let mut last = 0;
        // Each for a client of its own.
        let mut begin = |server: &str| {
            last += 1;
            federation.begin(client(last), server.into())
        };
        let (first, second) = (begin("dead").unwrap(), begin("dead").unwrap());
        assert!(begin("dead").is_none());
        let other = begin("alive").unwrap();
        assert!(begin("third").is_none(), "all slots are taken");
        drop(first);
        let again = begin("dead").unwrap();
        assert!(begin("dead").is_none());
        drop((second, other, again));
        let running = federation.running();
        assert_eq!((running.all, running.of_clients.len(), running.of_servers.len()), (0, 0, 0));
    }

    #[test]
    fn a_client_leaves_half_of_the_calls_to_others() {
        let federation = federation(5, 5);
        let of = |client, count: u8| -> Vec<_> {
            (0..count).map_while(|number| federation.begin(client, vec![number])).collect()
        };
        let greedy = of(client(1), 9);
        assert_eq!(greedy.len(), 3, "half, rounded up");
        let local = of(None, 9);
        assert_eq!(local.len(), 2, "what is left of all");
        assert!(federation.begin(client(2), vec![7]).is_none());
        drop(greedy);
        assert_eq!(of(client(2), 9).len(), 3);
    }
}
