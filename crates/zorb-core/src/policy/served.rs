//! How the connections are set up by which an adapter's objects are called.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_cdr::ByteOrder;
use zorb_giop::{PolicyValue, ProfileTag};
use zorb_transport::StreamOptions;

use super::properties::octets;
use super::{AroundUpcall, ConnectionProperties, Policies, ServerProtocols};
use crate::servant::Served;
use crate::serving::{ConnectionSetup, ServerCall, served_by, set_up_served};

/// Sets connections up as policies of servers say: when they are accepted, where it is known then that they
/// are for objects with those policies, and else in upcalls.
pub(crate) trait SetsUp: AroundUpcall + ConnectionSetup {
    /// What it is known by; no other is.
    fn mark(&self) -> usize;
}

/// What [`TypedPolicy::served`](super::TypedPolicy::served) returns.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct ServedOf(fn(&Policies) -> Option<Arc<dyn SetsUp>>);

impl ServedOf {
    /// That of protocols and properties, which have each other's words in mind.
    #[doc(hidden)]
    pub const CONNECTIONS: Self = Self(SetUp::of);

    pub(crate) fn sets_up(self, policies: &Policies) -> Option<Arc<dyn SetsUp>> {
        (self.0)(policies)
    }
}

impl fmt::Debug for ServedOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServedOf")
    }
}

/// What the policies of an adapter say of connections by profiles of this kind: what they say of the
/// protocol, then what they say of all.
pub(crate) fn served_properties(policies: &Policies, profile: ProfileTag) -> ConnectionProperties {
    let protocols: Option<&ServerProtocols> = policies.value();
    let of_protocol = protocols.map(|chosen| chosen.properties(profile)).unwrap_or_default();
    of_protocol.or(policies.value().copied().unwrap_or_default())
}

/// Has the connections of an adapter's clients be set up as its policies say, and replies be sent so.
#[derive(Debug)]
struct SetUp {
    mark: usize,
    /// What is said of protocols, by the kind of their profiles.
    of_protocols: Vec<(ProfileTag, ConnectionProperties)>,
    of_others: ConnectionProperties,
    /// What clients know of the policies.
    exposed: Vec<PolicyValue>,
}

impl SetUp {
    /// `None` where nothing is said of connections.
    fn of(policies: &Policies) -> Option<Arc<dyn SetsUp>> {
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
        let mark = NEXT.fetch_add(1, Ordering::Relaxed);
        let exposed = policies.iter().filter(|policy| policy.is_exposed());
        let exposed = exposed.filter_map(|policy| policy.to_wire(ByteOrder::NATIVE).ok()).collect();
        Some(Arc::new(Self { mark, of_protocols, of_others, exposed }))
    }

    fn properties(&self, profile: ProfileTag) -> &ConnectionProperties {
        let own = self.of_protocols.iter().find(|(tag, _)| *tag == profile);
        own.map_or(&self.of_others, |(_, properties)| properties)
    }
}

impl ConnectionSetup for SetUp {
    fn stream(
        &self,
        profile: ProfileTag,
        otherwise: StreamOptions,
    ) -> (StreamOptions, Option<bool>) {
        let said = self.properties(profile);
        (said.stream(otherwise), said.network_priority)
    }

    fn exposed(&self) -> &[PolicyValue] {
        &self.exposed
    }
}

impl SetsUp for SetUp {
    fn mark(&self) -> usize {
        self.mark
    }
}

impl AroundUpcall for SetUp {
    fn upcall(
        &self,
        call: &mut ServerCall<'_>,
        run: &mut dyn FnMut(&mut ServerCall<'_>) -> Served,
    ) -> Served {
        // Calls inside the ORB come over no connection.
        let Some(profile) = served_by().filter(|_| call.has_come_over_a_connection()) else {
            return run(call);
        };
        let said = self.properties(profile);
        set_up_served(self.mark, self);
        let most = octets(said.fragment_size).filter(|&most| most > 0);
        call.write_reply_as(octets(said.copy_threshold), octets(said.preallocate), most);
        let served = run(call);
        if let (Ok(()), Some(most)) = (&served, most) {
            call.send_in_fragments(most);
        }
        served
    }

    fn is_about_connections(&self) -> bool {
        true
    }
}
