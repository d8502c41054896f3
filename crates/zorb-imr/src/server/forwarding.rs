//! Where requests for objects of servers go.

use zorb::poa::{ForwardTo, Forwarder};

use super::access::{ending, not_started};
use super::servers::Servers;
use super::start_requests::Reason;

impl Forwarder for Servers {
    fn find(&self, key: &[u8], was_held: bool) -> ForwardTo {
        let Some(orb) = self.orb.upgrade() else { return ForwardTo::Nowhere };
        let state = &mut *self.lock();
        let Some(name) = state.name_of(key) else { return ForwardTo::Nowhere };
        if state.has_ended {
            return ForwardTo::Refused(ending());
        }
        let Some(server) = state.servers.get_mut(&name) else { return ForwardTo::Nowhere };
        if !was_held && server.is_per_client() {
            server.wanted += 1;
        }
        if let Some(instance) = server.choose(key) {
            instance.clients += 1;
            let forward = instance.forward(orb.protocols(), key);
            let lacks_others = server.lacks_processes();
            state.forwards += 1;
            if lacks_others {
                // This request does not wait for the others, so it does not matter whether they may start.
                let _ = self.begin(state, &name, Reason::Automatic);
            }
            return match forward {
                Some(ior) => ForwardTo::Reference(Box::new(ior)),
                None => ForwardTo::Refused(not_started()),
            };
        }
        let begun = if was_held && state.is_stopped(&name) {
            // It starts for new requests, not for those that waited then.
            Err("it has been stopped")
        } else if was_held && state.owner(&name) != name {
            // Otherwise a process that never registers this name would be started again and again.
            Err("the process that it waited for has not registered this name")
        } else {
            self.begin(state, &name, Reason::Request)
        };
        match begun {
            Ok(()) => match state.servers.get_mut(&name) {
                Some(server) => {
                    let new = || orb.new_held_requests();
                    ForwardTo::Held(server.waiting.get_or_insert_with(new).clone())
                }
                None => ForwardTo::Nowhere,
            },
            Err(why) => {
                tracing::debug!(server = name, why, "refusing a request");
                if let Some(server) = state.servers.get_mut(&name) {
                    server.wanted = 0;
                }
                ForwardTo::Refused(not_started())
            }
        }
    }

    fn knows(&self, key: &[u8]) -> bool {
        self.lock().name_of(key).is_some()
    }

    fn release(&self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use zorb::Orb;

    use super::super::definition::Definition;
    use super::super::options::ImrOptions;
    use super::*;
    use crate::implementation_repository::ActivationMode;

    /// Otherwise a stopped server starts again for the requests that waited for it.
    #[test]
    fn requests_that_waited_for_a_stopped_server_are_refused() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let servers = Servers::load(&orb, &ImrOptions::default(), None).unwrap();
        let mut definition = Definition::unmanaged();
        definition.startup.activation = ActivationMode::Normal;
        definition.startup.command_line = "true".to_owned();
        servers.add("Shop", definition).unwrap();
        servers.link("Orders", Some("Shop")).unwrap();
        servers.lock().servers.get_mut("Shop").unwrap().is_stopped = true;
        let keys = ["Shop", "Orders"].map(|name| name.as_bytes());
        for key in keys {
            let found = servers.find(key, true);
            assert!(matches!(found, ForwardTo::Refused(_)), "{found:?}");
        }
        assert!(servers.lock().servers["Shop"].is_stopped);
        servers.lock().servers.get_mut("Shop").unwrap().is_starting = true;
        let found = servers.find(keys[0], false);
        assert!(matches!(found, ForwardTo::Held(_)), "{found:?}");
        assert!(!servers.lock().servers["Shop"].is_stopped, "for a new one it starts");
        orb.shutdown(true).unwrap();
    }
}
