//! A process that serves a name.

use std::sync::Arc;
use std::time::Duration;

use zorb::giop::Ior;
use zorb::transport::ProtocolRegistry;
use zorb::{CdrResult, WeakOrb};
use zorb_os::machine;
use zorb_os::process::ProcessId;

use super::values::{from_octets, to_octets};
use crate::implementation_repository::ServerObject;
use crate::server_repository::{StoredInstance, StoredInstances};

/// How long a call of a server's object may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// A process that has registered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Instance {
    /// Its number among all of the repository's run, for the choice by key.
    pub(crate) number: u64,
    /// The reference of its server object, whose profiles have the addresses of all its objects. Of a server that has
    /// registered without one, a reference made of `partial_ior`.
    pub(crate) reference: Arc<Ior>,
    /// Whether the server has registered a server object.
    pub(crate) has_object: bool,
    pub(crate) partial_ior: String,
    /// `None` if the repository does not know it.
    pub(crate) process: Option<ProcessId>,
    /// The clients that have been sent there.
    pub(crate) clients: u64,
}

impl Instance {
    /// Whether it certainly has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.process.is_some_and(|process| !process.is_alive())
    }

    /// The server object.
    pub(crate) fn object(&self, orb: &WeakOrb) -> Option<ServerObject> {
        let orb = orb.upgrade().filter(|_| self.has_object)?;
        Some(orb.object(Ior::clone(&self.reference)).with_timeout(TIMEOUT).unchecked_narrow())
    }

    /// The reference of the object with this key in this process.
    pub(crate) fn forward(&self, protocols: &ProtocolRegistry, key: &[u8]) -> Option<Ior> {
        with_key(protocols, &self.reference, key)
    }

    /// Processes as they are stored: with the system's boot, after which ids and start times say nothing.
    ///
    /// # Errors
    /// Text contains NUL.
    pub(crate) fn to_octets(instances: &[Self]) -> CdrResult<Vec<u8>> {
        let stored = |instance: &Self| StoredInstance {
            reference: instance.reference.to_stringified().unwrap_or_default(),
            has_object: instance.has_object,
            partial_ior: instance.partial_ior.clone(),
            process: instance.process.map_or(0, ProcessId::id),
            started: instance.process.map_or(0, ProcessId::started),
        };
        to_octets::<StoredInstances>(&StoredInstances {
            instances: instances.iter().map(stored).collect(),
            boot: machine::boot_id().unwrap_or_default().to_owned(),
        })
    }

    /// The processes in these octets, without those that have ended with the system. `None` if the octets are not those
    /// of processes.
    pub(crate) fn from_octets(octets: &[u8]) -> Option<Vec<Self>> {
        let StoredInstances { instances, boot } = from_octets::<StoredInstances>(octets).ok()?;
        let is_other = machine::boot_id().is_some_and(|now| !boot.is_empty() && boot != now);
        let mut known = Vec::new();
        for (instance, number) in instances.into_iter().zip(0..) {
            let StoredInstance { reference, has_object, partial_ior, process, started } = instance;
            let reference = Arc::new(Ior::from_stringified(&reference).ok()?);
            let process = (process != 0).then(|| ProcessId::from_parts(process, started));
            if process.is_none() || !is_other {
                known.push(Self {
                    number,
                    reference,
                    has_object,
                    partial_ior,
                    process,
                    clients: 0,
                });
            }
        }
        Some(known)
    }
}

/// A reference with the addresses and components of another one, and this object key. It has no type: that is the
/// client's. `None` if the ORB understands none of the profiles.
fn with_key(protocols: &ProtocolRegistry, ior: &Ior, key: &[u8]) -> Option<Ior> {
    let mut profiles = Vec::new();
    for profile in &ior.profiles {
        if let Some(Ok((protocol, resolved))) = protocols.resolve(ior, profile) {
            let (endpoints, components) = (&resolved.endpoints, &resolved.components);
            profiles.extend(protocol.encode_profile(endpoints, resolved.version, key, components));
        }
    }
    (!profiles.is_empty()).then(|| Ior { type_id: String::new(), profiles })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_end_with_the_system() {
        let process = ProcessId::of(std::process::id());
        let instance = |process| Instance {
            number: 0,
            reference: Arc::new(Ior::NIL),
            has_object: true,
            partial_ior: "corbaloc:".to_owned(),
            process,
            clients: 0,
        };
        let octets = Instance::to_octets(&[instance(process), instance(None)]).unwrap();
        let known = Instance::from_octets(&octets).unwrap();
        assert_eq!(known.iter().map(|it| it.process).collect::<Vec<_>>(), [process, None]);
        let boot = machine::boot_id().unwrap();
        // Its text is followed by NUL.
        let end = octets.len() - 1;
        let mut earlier = octets;
        earlier[end - boot.len()..end].fill(b'0');
        let known = Instance::from_octets(&earlier).unwrap();
        assert_eq!(known.iter().map(|it| it.process).collect::<Vec<_>>(), [None]);
    }
}
