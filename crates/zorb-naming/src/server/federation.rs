//! Names that lead through contexts of other servers.
//!
//! The rest of the name is resolved there, by a call with a time limit. The number of such calls at the same time is
//! limited, and each passes fewer components on, so a name cannot go round for ever. What a server cannot do, it leaves
//! to the client, as the standard provides: `CannotProceed` with the other context and the rest of the name.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use zorb::giop::Ior;
use zorb::{CompletionStatus, Interface as _, ObjectRef};

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
    /// Those to each server.
    of: HashMap<Vec<u8>, usize>,
}

/// A call in progress, until it is dropped.
struct Slot<'a> {
    federation: &'a Federation,
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
        let Some(_slot) = self.begin(server_of(context.ior())) else {
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

    /// Begins a call to a server, unless there are too many.
    fn begin(&self, server: Vec<u8>) -> Option<Slot<'_>> {
        let mut running = self.running();
        let of_server = running.of.get(&server).copied().unwrap_or(0);
        let is_full = running.all >= self.options.naming_foreign_calls
            || of_server >= self.options.naming_foreign_calls_per_server;
        if is_full {
            return None;
        }
        running.all += 1;
        running.of.insert(server.clone(), of_server + 1);
        Some(Slot { federation: self, server })
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut running = self.federation.running();
        running.all -= 1;
        if let Some(count) = running.of.get_mut(&self.server) {
            *count -= 1;
            if *count == 0 {
                running.of.remove(&self.server);
            }
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

    #[test]
    fn a_server_that_does_not_answer_leaves_room_for_others() {
        let mut options = NamingOptions::default();
        (options.naming_foreign_calls, options.naming_foreign_calls_per_server) = (3, 2);
        let federation = Federation::new(&options);
        let begin = |server: &str| federation.begin(server.into());
        let (first, _second) = (begin("dead").unwrap(), begin("dead").unwrap());
        assert!(begin("dead").is_none());
        let _other = begin("alive").unwrap();
        assert!(begin("third").is_none(), "all slots are taken");
        drop(first);
        let _again = begin("dead").unwrap();
        assert!(begin("dead").is_none());
        drop(_other);
        drop(_again);
        drop(_second);
        assert!(federation.running().of.is_empty());
    }
}
