//! The properties that policies of servers set on accepted connections and their replies.

use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_base::policy::{ConnectionProperties, Policies, ServerProtocols};
use zorb_cdr::ByteOrder;
use zorb_giop::{PolicyValue, ProfileTag};
use zorb_transport::StreamOptions;

/// How connections are set up whose requests are for objects with certain policies: when they are
/// accepted if that is known then, otherwise in upcalls.
#[derive(Debug)]
pub struct ConnectionSetup {
    /// Its number, which no other setup has.
    id: usize,
    /// The properties of protocols, by the tag of their profiles.
    of_protocols: Vec<(ProfileTag, ConnectionProperties)>,
    of_others: ConnectionProperties,
    /// The policies in references.
    exposed: Vec<PolicyValue>,
}

impl ConnectionSetup {
    /// The setup that `policies` ask for; `None` if they contain no properties of connections.
    pub fn of(policies: &Policies) -> Option<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let of_others: ConnectionProperties = policies.value().copied().unwrap_or_default();
        let chosen = policies.value::<ServerProtocols>().map(ServerProtocols::choices);
        let of_protocols: Vec<_> = chosen
            .unwrap_or_default()
            .iter()
            .filter_map(|choice| Some((choice.profile, choice.properties?.or(of_others))))
            .collect();
        if of_protocols.is_empty() && of_others == ConnectionProperties::default() {
            return None;
        }
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let exposed = policies.iter().filter(|policy| policy.is_exposed());
        let exposed = exposed.filter_map(|policy| policy.to_wire(ByteOrder::NATIVE).ok()).collect();
        Some(Self { id, of_protocols, of_others, exposed })
    }

    /// A number that no other setup of the process has.
    pub fn id(&self) -> usize {
        self.id
    }

    /// The properties of connections by profiles of this kind.
    pub(crate) fn properties(&self, profile: ProfileTag) -> &ConnectionProperties {
        let own = self.of_protocols.iter().find(|(tag, _)| *tag == profile);
        own.map_or(&self.of_others, |(_, properties)| properties)
    }

    /// The options of connections by profiles of this kind, where `otherwise` contains the defaults, and
    /// the property `network_priority`.
    pub fn stream(
        &self,
        profile: ProfileTag,
        otherwise: StreamOptions,
    ) -> (StreamOptions, Option<bool>) {
        let properties = self.properties(profile);
        (properties.stream(otherwise), properties.network_priority)
    }

    /// The policies in references, one of which may declare a priority.
    pub fn exposed(&self) -> &[PolicyValue] {
        &self.exposed
    }
}
