//! Protocols.

mod error;
mod fields;
mod registry;
#[cfg(test)]
mod tests;

use std::fmt;

use zorb_giop::{
    ComponentBody, GiopVersion, Messaging, ProfileTag, TaggedComponent, TaggedProfile,
};

use crate::option::{OptionSet, OptionSets};
use crate::{Endpoint, EndpointError, Groups, Transport};

pub use error::{ProfileError, RegistryError};
pub use fields::{PropertyField, property_fields};
pub use registry::{ProtocolRegistry, join_profiles};

/// The maximum number of endpoints used of one profile; further alternates are ignored.
pub const MAX_PROFILE_ENDPOINTS: usize = 64;

/// A messaging protocol over a [`Transport`], with the kind of profile that contains its endpoints,
/// the scheme of its URLs and its prefix in `corbaloc`.
///
/// The ORB core finds the protocol of a profile or URL in a [`ProtocolRegistry`].
pub trait Protocol: Send + Sync + fmt::Debug {
    /// The transport.
    fn transport(&self) -> &dyn Transport;

    /// The messaging protocol. Default: `None` for GIOP, which the ORB reads and writes without
    /// dynamic calls.
    fn messaging(&self) -> Option<&'static dyn Messaging> {
        None
    }

    /// Whether it carries replies. Default: `true`. A protocol without replies is used only for
    /// one-way calls; other calls use the next profile of the reference, or fail with
    /// `NO_IMPLEMENT`. It has no connections either: a server's stream contains the requests of all
    /// clients, and each request carries its own code sets.
    fn carries_replies(&self) -> bool {
        true
    }

    /// Whether its connections may carry requests in both directions (CORBA 3.3 part 2, 15.8): GIOP between endpoints
    /// whose addresses are `host:port`. Default: no.
    fn may_be_bidirectional(&self) -> bool {
        false
    }

    /// The group operations of a protocol for groups of objects. References to single objects
    /// contain no profile of such a protocol, and its endpoints may receive requests of the same
    /// ORB. Default: none.
    fn groups(&self) -> Option<&dyn Groups> {
        None
    }

    /// Further profiles contained in `profile`, a profile of this protocol. Default: none.
    ///
    /// # Errors
    /// There is no memory for them.
    fn contained_profiles(
        &self,
        profile: &ResolvedProfile,
    ) -> Result<Vec<TaggedProfile>, ProfileError> {
        let _ = profile;
        Ok(Vec::new())
    }

    /// Counters by name, for example of dropped datagrams. Default: none.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// The kind of its profiles.
    fn profile_tag(&self) -> ProfileTag;

    /// The scheme of its endpoint URLs, which is the transport's.
    fn scheme(&self) -> &str {
        self.transport().scheme()
    }

    /// The prefix of its addresses in `corbaloc:` URLs, before the first `:`. Default: the scheme.
    fn corbaloc_prefix(&self) -> &str {
        self.scheme()
    }

    /// Whether its profiles extend those of another protocol and have the same kind. Such a
    /// protocol has precedence: if it can read a profile, calls use it. Default: `false`.
    fn extends_profiles(&self) -> bool {
        false
    }

    /// Adds the contents of `own`, a profile that this protocol has made, to `other`, a profile of
    /// the same object by the protocol that this one extends; returns whether it could. References
    /// then contain one profile for both. Default: it cannot.
    fn join_profile(&self, own: &TaggedProfile, other: &mut TaggedProfile) -> bool {
        let _ = (own, other);
        false
    }

    /// Whether it authenticates and encrypts, and has been configured for that. An ORB with such a protocol opens
    /// endpoints of others only if they are named. Default: `false`.
    fn is_secured(&self) -> bool {
        false
    }

    /// The options of the protocol, defined by [`options!`](crate::options!), with the values set
    /// by the program. The ORB sets them like its own, from the builder, a file, the environment
    /// and arguments, and passes them to [`configure`](Self::configure). Default: none.
    fn options(&self) -> Option<Box<dyn OptionSet>> {
        None
    }

    /// Takes its [options](Self::options) from `options`. Called once, when the ORB is built.
    /// Default: does nothing.
    ///
    /// # Errors
    /// An option has an unusable value.
    fn configure(
        &self,
        options: &OptionSets,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let _ = options;
        Ok(())
    }

    /// The fields of its connection properties in protocol policies of references, in order; for a
    /// protocol of another ORB, that ORB's layout. Default: none.
    fn property_fields(&self) -> &'static [PropertyField] {
        &[]
    }

    /// Decodes a profile of this protocol.
    ///
    /// # Errors
    /// [`ProfileError`]: it is of another kind, is malformed, or contains no usable endpoint.
    /// Invalid alternate endpoints are ignored.
    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError>;

    /// Encodes the profile of an object with this key at these endpoints, the preferred one first.
    /// A version 1.0 profile contains only one endpoint and no components: the others are omitted. It contains the octets
    /// of the key as they are, and depends on nothing else of it but the length: the ORB makes profiles of other objects
    /// by replacing them.
    ///
    /// # Errors
    /// [`ProfileError`]: there is no endpoint, one belongs to another protocol, or it cannot be
    /// encoded.
    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError>;

    /// Whether one profile, whose first endpoint is `first`, can contain `other`, too. A server that publishes both makes
    /// two profiles otherwise. Default: yes.
    fn shares_profile(&self, first: &Endpoint, other: &Endpoint) -> bool {
        let _ = (first, other);
        true
    }

    /// A component with the RT-CORBA priority of `endpoints` for other ORBs, in this protocol's usual format. Default:
    /// none.
    fn priority_component(&self, endpoints: &[Endpoint], priority: i16) -> Option<TaggedComponent> {
        let _ = (endpoints, priority);
        None
    }

    /// The priority of one of a profile's endpoints, from a component in that format. Default:
    /// none.
    ///
    /// # Errors
    /// There is no memory to read that component.
    fn endpoint_priority(
        &self,
        profile: &ResolvedProfile,
        endpoint: &Endpoint,
    ) -> Result<Option<i16>, ProfileError> {
        let _ = (profile, endpoint);
        Ok(None)
    }

    /// Parses an address of a `corbaloc` URL: the text after its prefix, `:` and version (the
    /// [`address`](zorb_giop::CorbalocAddress::address) of a parsed one).
    ///
    /// # Errors
    /// [`EndpointError`] if the text violates the transport's grammar.
    fn parse_corbaloc_address(&self, address: &str) -> Result<Endpoint, EndpointError> {
        if address.contains("://") {
            let shown: String = address.chars().take(80).collect();
            return Err(EndpointError::new(&shown, "a corbaloc address has no scheme of its own"));
        }
        self.transport().parse_endpoint(address)
    }
}

/// Calls `encode` for each profile of an object at these endpoints: with its first endpoint and those that
/// [share its profile](Protocol::shares_profile), in their order. For creators of references.
///
/// # Errors
/// The first error of `encode`.
pub fn for_each_profile<E>(
    protocol: &dyn Protocol,
    endpoints: &[Endpoint],
    mut encode: impl FnMut(&[Endpoint]) -> Result<(), E>,
) -> Result<(), E> {
    if endpoints.len() <= 1 {
        return encode(endpoints);
    }
    let mut left = endpoints.to_vec();
    while let Some(first) = left.first().cloned() {
        let (profile, others) = left
            .into_iter()
            .partition(|other| *other == first || protocol.shares_profile(&first, other));
        let profile: Vec<_> = profile;
        encode(&profile)?;
        left = others;
    }
    Ok(())
}

/// The usable ones of the endpoints that a profile contains, each once, and at most
/// [`MAX_PROFILE_ENDPOINTS`]; for authors of protocols.
///
/// # Errors
/// The first error, or [`ProfileError::NoEndpoint`], if there is no usable endpoint; an error for
/// [lack of memory](ProfileError::is_out_of_memory) in any case.
pub fn usable_endpoints<E: Into<ProfileError>>(
    all: impl IntoIterator<Item = Result<Endpoint, E>>,
) -> Result<Vec<Endpoint>, ProfileError> {
    let mut endpoints = Vec::new();
    let mut failure = None;
    for endpoint in all {
        match endpoint {
            Ok(endpoint) if endpoints.contains(&endpoint) => {}
            Ok(endpoint) => endpoints.push(endpoint),
            Err(error) => {
                let error = error.into();
                if error.is_out_of_memory() {
                    return Err(error);
                }
                failure.get_or_insert(error);
            }
        }
        if endpoints.len() == MAX_PROFILE_ENDPOINTS {
            break;
        }
    }
    match endpoints.as_slice() {
        [] => Err(failure.unwrap_or(ProfileError::NoEndpoint)),
        _ => Ok(endpoints),
    }
}

/// The bodies of a profile's well-formed components of kind `T`, for authors of protocols. The error for
/// [lack of memory](ProfileError::is_out_of_memory) in place of one.
pub fn bodies_of<T: ComponentBody>(
    components: &[TaggedComponent],
) -> impl Iterator<Item = Result<T, ProfileError>> {
    components.iter().filter_map(|component| match component.body() {
        Ok(body) => body.map(Ok),
        Err(error) => {
            Some(ProfileError::from(error)).filter(ProfileError::is_out_of_memory).map(Err)
        }
    })
}

/// The decoded contents of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedProfile {
    /// The highest GIOP version of the server.
    pub version: GiopVersion,
    /// The endpoints of the object in order of preference: at least one, without duplicates.
    pub endpoints: Vec<Endpoint>,
    /// The object key.
    pub object_key: Vec<u8>,
    /// All tagged components of the profile, as received.
    pub components: Vec<TaggedComponent>,
}
