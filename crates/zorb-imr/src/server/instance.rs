//! A process that serves a name.

use std::sync::Arc;
use std::time::Duration;

use zorb::WeakOrb;
use zorb::giop::Ior;
use zorb::transport::ProtocolRegistry;
use zorb_os::machine;
use zorb_os::process::ProcessId;

use super::values::{Decoder, Encoder};
use crate::implementation_repository::ServerObject;

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
    pub(crate) fn to_octets(instances: &[Self]) -> Vec<u8> {
        let mut encoder = Encoder::default();
        encoder.number(instances.len() as u64);
        for instance in instances {
            encoder.text(&instance.reference.to_stringified().unwrap_or_default());
            encoder.number(instance.has_object.into()).text(&instance.partial_ior);
            let (id, started) =
                instance.process.map_or((0, 0), |process| (process.id(), process.started()));
            encoder.number(id.into()).number(started);
        }
        encoder.text(machine::boot_id().unwrap_or_default());
        encoder.finish()
    }

    /// The processes in these octets, without those that have ended with the system. `None` if the octets are not those
    /// of processes.
    pub(crate) fn from_octets(octets: &[u8]) -> Option<Vec<Self>> {
        let mut decoder = Decoder::new(octets)?;
        let mut instances = Vec::new();
        for number in 0..decoder.number()? {
            let reference = Ior::from_stringified(&decoder.text()?).ok()?;
            let has_object = decoder.number()? != 0;
            let partial_ior = decoder.text()?;
            let id = u32::try_from(decoder.number()?).ok()?;
            let started = decoder.number()?;
            instances.push(Self {
                number,
                reference: Arc::new(reference),
                has_object,
                partial_ior,
                process: (id != 0).then(|| ProcessId::from_parts(id, started)),
                clients: 0,
            });
        }
        // Earlier versions have not stored it.
        let boot = if decoder.is_empty() { String::new() } else { decoder.text()? };
        if machine::boot_id().is_some_and(|now| !boot.is_empty() && boot != now) {
            instances.retain(|instance| instance.process.is_none());
        }
        decoder.finish(instances)
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
        let octets = Instance::to_octets(&[instance(process), instance(None)]);
        let known = Instance::from_octets(&octets).unwrap();
        assert_eq!(known.iter().map(|it| it.process).collect::<Vec<_>>(), [process, None]);
        let boot = machine::boot_id().unwrap();
        let earlier = [&octets[..octets.len() - boot.len()], &vec![b'0'; boot.len()]].concat();
        let known = Instance::from_octets(&earlier).unwrap();
        assert_eq!(known.iter().map(|it| it.process).collect::<Vec<_>>(), [None]);
    }
}
