//! Changes of servers by administrators.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use zorb::poa::HeldRequests;

use super::access::Refusal;
use super::definition::Definition;
use super::entry::Server;
use super::servers::Servers;
use super::tables;
use crate::server_repository::Selection;

/// The longest name of a server, in octets.
const LONGEST_NAME: usize = 1024;

impl Servers {
    /// Adds a server, or changes what is known of it.
    ///
    /// # Errors
    /// The name is invalid, the definition too large, or there are too many servers; the store fails.
    pub(super) fn add(&self, name: &str, definition: Definition) -> Result<(), Refusal> {
        check_name(name)?;
        let octets = definition.to_octets().map_err(|_| Refusal::Invalid)?.len();
        if octets > self.options.imr_definition_octets
            || definition.instances as usize > self.options.imr_instances
        {
            return Err(Refusal::Full);
        }
        self.change(name, |servers| match servers.get(name) {
            Some(known) => {
                let Definition { startup, .. } = definition;
                Ok(Definition { startup, ..known.definition.clone() })
            }
            None if servers.len() >= self.options.imr_servers => Err(Refusal::Full),
            None => Ok(definition),
        })
    }

    /// Sets how many processes of a server run, and which of them a client is sent to.
    ///
    /// # Errors
    /// There is no such server; the number is 0 or too large; the store fails.
    pub(super) fn set_instances(
        &self,
        name: &str,
        instances: u32,
        choice: Selection,
    ) -> Result<(), Refusal> {
        self.change(name, |servers| {
            let known = &servers.get(name).ok_or(Refusal::NotFound)?.definition;
            match instances {
                0 => Err(Refusal::Invalid),
                _ if instances as usize > self.options.imr_instances => Err(Refusal::Full),
                _ => Ok(Definition { instances, choice, ..known.clone() }),
            }
        })
    }

    /// Says that a name is served by the process of another server, `None` for its own.
    ///
    /// # Errors
    /// The name is invalid; there is no such server, or the other one is itself served by another; there are too many
    /// servers; the store fails.
    pub(super) fn link(&self, name: &str, linked_to: Option<&str>) -> Result<(), Refusal> {
        check_name(name)?;
        self.change(name, |servers| {
            if let Some(other) = linked_to {
                let other_server = servers.get(other).ok_or(Refusal::NotFound)?;
                let is_linked = other_server.definition.linked_to.is_some();
                let mut all = servers.values();
                let is_owner = all.any(|it| it.definition.linked_to.as_deref() == Some(name));
                if is_linked || is_owner || name == other {
                    return Err(Refusal::Invalid);
                }
            }
            let known = match servers.get(name) {
                Some(known) => known.definition.clone(),
                None if servers.len() >= self.options.imr_servers => return Err(Refusal::Full),
                None => Definition::unmanaged(),
            };
            Ok(Definition { linked_to: linked_to.map(str::to_owned), ..known })
        })
    }

    /// Removes a server. Its processes go on running.
    ///
    /// # Errors
    /// There is no such server; the store fails.
    pub(super) fn remove(&self, name: &str) -> Result<(), Refusal> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let former = {
            let state = &mut *self.lock();
            let server = state.servers.get(name).ok_or(Refusal::NotFound)?;
            for instance in &server.running {
                state.former.add(name, instance.clone());
            }
            match self.store {
                Some(_) => state.former.take_changes(),
                None => Vec::new(),
            }
        };
        if let Some(store) = &self.store
            && let Err(error) = tables::remove(&**store, name, &former)
        {
            let state = &mut *self.lock();
            state.former.not_stored(former);
            for instance in state.servers.get(name).into_iter().flat_map(|it| &it.running) {
                state.former.remove(instance.number);
            }
            return Err(error.into());
        }
        let waiting = {
            let mut state = self.lock();
            let waiting = state.take_waiting(name);
            state.remove(name);
            waiting
        };
        self.changed.notify_all();
        waiting.iter().for_each(HeldRequests::resume);
        Ok(())
    }

    /// Changes a definition: `new` gets the known servers. It is stored before it takes effect.
    fn change(
        &self,
        name: &str,
        new: impl FnOnce(&BTreeMap<String, Server>) -> Result<Definition, Refusal>,
    ) -> Result<(), Refusal> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let definition = new(&self.lock().servers)?;
        if let Some(store) = &self.store {
            tables::put_definition(&**store, name, &definition)?;
        }
        let mut state = self.lock();
        match state.servers.get_mut(name) {
            Some(server) => server.definition = definition,
            None => {
                state.insert(name.to_owned(), definition);
            }
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }
}

/// # Errors
/// It cannot be the name of a server.
fn check_name(name: &str) -> Result<(), Refusal> {
    match name.is_empty() || name.len() > LONGEST_NAME || name.contains('\0') {
        true => Err(Refusal::Invalid),
        false => Ok(()),
    }
}
