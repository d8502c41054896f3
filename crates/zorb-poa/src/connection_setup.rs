//! The connection properties that an adapter's policies set on accepted connections and their replies.

use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_base::policy::{ConnectionProperties, Policies, ServerProtocols};
use zorb_cdr::ByteOrder;
use zorb_giop::{PolicyValue, ProfileTag};
use zorb_transport::StreamOptions;

/// The connection properties of an adapter or object. They are applied when a connection is accepted if the adapter
/// is known by then, otherwise in the first upcall.
#[derive(Debug)]
pub struct ConnectionSetup {
    /// Unique in the process.
    id: usize,
    /// The properties of protocols, by the tag of their profiles.
    of_protocols: Vec<(ProfileTag, ConnectionProperties)>,
    of_others: ConnectionProperties,
    /// The policies in references.
    exposed: Vec<PolicyValue>,
}

impl ConnectionSetup {
    /// The setup by `policies`; `None` if they contain no connection properties.
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

    /// A number that is unique in the process.
    pub fn id(&self) -> usize {
        self.id
    }

    /// The properties of connections to endpoints in profiles with this tag.
    pub(crate) fn properties(&self, profile: ProfileTag) -> &ConnectionProperties {
        let own = self.of_protocols.iter().find(|(tag, _)| *tag == profile);
        own.map_or(&self.of_others, |(_, properties)| properties)
    }

    /// The stream options of connections to endpoints in profiles with this tag, with those of `defaults` where the
    /// properties are not set; and the property `network_priority`.
    pub fn stream(
        &self,
        profile: ProfileTag,
        defaults: StreamOptions,
    ) -> (StreamOptions, Option<bool>) {
        let properties = self.properties(profile);
        (properties.stream(defaults), properties.network_priority)
    }

    /// The policies that references contain, whose priority model may declare a priority.
    pub fn exposed(&self) -> &[PolicyValue] {
        &self.exposed
    }
}
