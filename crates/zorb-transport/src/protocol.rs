//! A protocol as object references know it, and the registry of them.

mod error;
mod fields;
mod registry;
#[cfg(test)]
mod tests;

use std::fmt;

use zorb_giop::{GiopVersion, Messaging, ProfileTag, TaggedComponent, TaggedProfile};

use crate::option::{OptionSet, OptionSets};
use crate::{Endpoint, EndpointError, Groups, Transport};

pub use error::{ProfileError, RegistryError};
pub use fields::{PropertyField, property_fields};
pub use registry::{ProtocolRegistry, join_profiles};

/// The most endpoints that are taken from one profile; further alternates are left out.
pub const MAX_PROFILE_ENDPOINTS: usize = 64;

/// A messaging protocol over one [`Transport`], as object references know it: the kind of profile
/// that carries its endpoints, the scheme of its URLs and its prefix in `corbaloc`.
///
/// The ORB core asks a [`ProtocolRegistry`] for the protocol of a profile or URL and needs to
/// know no more about it.
pub trait Protocol: Send + Sync + fmt::Debug {
    /// How the bytes move.
    fn transport(&self) -> &dyn Transport;

    /// How requests and replies are framed. Default: `None`, by GIOP, which the ORB writes and reads
    /// without a dynamic call.
    fn messaging(&self) -> Option<&'static dyn Messaging> {
        None
    }

    /// Whether replies come back. Default: they do. Over a protocol without them, one-way calls alone
    /// are made: all others take the next way that the reference tells of, and fail with
    /// `NO_IMPLEMENT` when there is none. It has no connections either: a stream of a server brings the
    /// requests of all clients, and each says for itself what its code sets are.
    fn carries_replies(&self) -> bool {
        true
    }

    /// Its groups, where its references are for groups of objects. No profile of it stands in the
    /// references of single objects then, and what its endpoints receive comes from elsewhere, be it
    /// from this very ORB. Default: it has none.
    fn groups(&self) -> Option<&dyn Groups> {
        None
    }

    /// Further profiles that `profile`, one of its own, has in itself, by which the object is to be
    /// reached as well. Default: none.
    fn also_reached_by(&self, profile: &ResolvedProfile) -> Vec<TaggedProfile> {
        let _ = profile;
        Vec::new()
    }

    /// What it has counted since it was made, each number with its name: datagrams that were dropped,
    /// say. Default: nothing.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// The kind of profile that this protocol reads and writes.
    fn profile_tag(&self) -> ProfileTag;

    /// The scheme of its endpoint URLs, the transport's.
    fn scheme(&self) -> &str {
        self.transport().scheme()
    }

    /// What comes before the first `:` of an address in `corbaloc:`. Default: the scheme.
    fn corbaloc_prefix(&self) -> &str {
        self.scheme()
    }

    /// Whether its profiles are those of another protocol with something more in them, and have that
    /// one's kind. Such a protocol is asked first about a profile; that it can read one settles that
    /// the object is called with it. Default: `false`.
    fn extends_profiles(&self) -> bool {
        false
    }

    /// Puts what `own`, a profile that this protocol has made, says into `other`, a profile of the same
    /// object that the protocol made whose profiles this one extends. Whether that could be done:
    /// references then hold one profile for both. Default: it cannot.
    fn join_profile(&self, own: &TaggedProfile, other: &mut TaggedProfile) -> bool {
        let _ = (own, other);
        false
    }

    /// The options that the protocol declares by [`options!`](crate::options!), at the values that the
    /// program has given them. The ORB sets them like its own, from the builder, a file, the environment and
    /// arguments, and hands them to [`configure`](Self::configure). Default: none.
    fn options(&self) -> Option<Box<dyn OptionSet>> {
        None
    }

    /// Takes the options out of `options` that it has [declared](Self::options). Called once, when the ORB
    /// is built. Default: nothing.
    ///
    /// # Errors
    /// Which of them cannot be used, and why.
    fn configure(
        &self,
        options: &OptionSets,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let _ = options;
        Ok(())
    }

    /// What protocol policies in references say of its connections, in this order; of a protocol of
    /// another ORB's invention that ORB's layout. Default: nothing.
    fn property_fields(&self) -> &'static [PropertyField] {
        &[]
    }

    /// Reads a profile of this protocol's kind.
    ///
    /// # Errors
    /// [`ProfileError`]: it is of another kind, is malformed, or names no endpoint that can be
    /// connected to. Alternate endpoints that make no sense are left out without an error.
    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError>;

    /// Makes the profile of an object with this key at these endpoints, the preferred one
    /// first. A version 1.0 profile has room for one endpoint and no components: it leaves out
    /// the rest.
    ///
    /// # Errors
    /// [`ProfileError`]: there is no endpoint, one is not this protocol's, or it has no
    /// encoding.
    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError>;

    /// A component that tells other ORBs which RT-CORBA priority `endpoints` serve, in the form that
    /// is usual with this protocol. Default: there is none.
    fn priority_component(&self, endpoints: &[Endpoint], priority: i16) -> Option<TaggedComponent> {
        let _ = (endpoints, priority);
        None
    }

    /// The priority that one of a profile's endpoints serves, by a component of that form. Default:
    /// there is none.
    fn endpoint_priority(&self, profile: &ResolvedProfile, endpoint: &Endpoint) -> Option<i16> {
        let _ = (profile, endpoint);
        None
    }

    /// Reads one address of a `corbaloc` URL: what follows its prefix, `:` and version (the
    /// [`address`](zorb_giop::CorbalocAddress::address) of a parsed one).
    ///
    /// # Errors
    /// [`EndpointError`] when the text breaks the transport's grammar.
    fn parse_corbaloc_address(&self, address: &str) -> Result<Endpoint, EndpointError> {
        if address.contains("://") {
            let shown: String = address.chars().take(80).collect();
            return Err(EndpointError::new(&shown, "a corbaloc address has no scheme of its own"));
        }
        self.transport().parse_endpoint(address)
    }
}

/// What a profile says, with addresses made into endpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedProfile {
    /// The highest GIOP version that the object's server speaks.
    pub version: GiopVersion,
    /// Where the object is to be reached: at least one, no two equal, to be tried in order.
    pub endpoints: Vec<Endpoint>,
    /// What the server knows the object by.
    pub object_key: Vec<u8>,
    /// The profile's tagged components, all of them, as received.
    pub components: Vec<TaggedComponent>,
}
