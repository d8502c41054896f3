//! Another messaging protocol over the transport of a protocol.

#[cfg(test)]
mod tests;

use std::collections::TryReserveError;
use std::io;
use std::sync::Arc;

use zorb_cdr::fallible;
use zorb_giop::{GiopVersion, Messaging, ProfileTag, TaggedComponent, TaggedProfile};

use crate::{
    AcceptError, Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError,
    ListenOptions, LocalSocket, OptionSet, OptionSets, ProfileError, Protocol, ResolvedProfile,
    Stream, Transport, strip_scheme,
};

/// A protocol composed of a messaging protocol and the transport, addresses and profiles of another
/// [`Protocol`].
///
/// Its scheme combines both names, as in `lite+iiop`. Its profiles have the format of the other
/// protocol's profiles under a tag of their own, so that a reference can contain both, and an ORB
/// that knows only one uses that. With the same tag the two cannot be distinguished, as in TAO;
/// then register only one of them.
///
/// It cannot be combined with a protocol for [groups](crate::Groups), whose streams rewrite the
/// targets of GIOP requests: building an ORB with such a protocol fails, and so do calls and
/// listening.
#[derive(Debug)]
pub struct Composed {
    messaging: &'static dyn Messaging,
    tag: ProfileTag,
    transport: Renamed,
}

impl Composed {
    /// `messaging` over the transport of `protocol`, with profiles of kind `tag`. If the two names
    /// together are not a URL scheme, no URL refers to it.
    #[must_use]
    pub fn new(
        messaging: &'static dyn Messaging,
        protocol: impl Protocol + 'static,
        tag: ProfileTag,
    ) -> Self {
        let scheme = format!("{}+{}", messaging.name(), protocol.scheme()).to_ascii_lowercase();
        let transport = Renamed { scheme, inner: Arc::new(protocol) };
        Self { messaging, tag, transport }
    }

    /// Only its transport: the other protocol's transport under this protocol's scheme.
    #[must_use]
    pub fn into_transport(self) -> impl Transport {
        self.transport
    }

    fn inner(&self) -> &dyn Protocol {
        &*self.transport.inner
    }

    /// The contents of a profile of this protocol, as a profile of the other protocol.
    fn inner_profile(
        &self,
        profile: &ResolvedProfile,
    ) -> Result<Option<ResolvedProfile>, TryReserveError> {
        let Ok(endpoints) = self.transport.all_inner(&profile.endpoints) else { return Ok(None) };
        let object_key = fallible::copy(&profile.object_key)?;
        let mut components = Vec::new();
        for TaggedComponent { tag, data } in &profile.components {
            let data = fallible::copy(data)?;
            fallible::push(&mut components, TaggedComponent { tag: *tag, data })?;
        }
        Ok(Some(ResolvedProfile { version: profile.version, endpoints, object_key, components }))
    }
}

impl Protocol for Composed {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn messaging(&self) -> Option<&'static dyn Messaging> {
        Some(self.messaging)
    }

    fn carries_replies(&self) -> bool {
        self.inner().carries_replies()
    }

    fn is_secured(&self) -> bool {
        self.inner().is_secured()
    }

    fn contained_profiles(
        &self,
        profile: &ResolvedProfile,
    ) -> Result<Vec<TaggedProfile>, ProfileError> {
        match self.inner_profile(profile)? {
            Some(profile) => self.inner().contained_profiles(&profile),
            None => Ok(Vec::new()),
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.inner().counters()
    }

    fn profile_tag(&self) -> ProfileTag {
        self.tag
    }

    fn extends_profiles(&self) -> bool {
        self.inner().extends_profiles()
    }

    fn join_profile(&self, own: &TaggedProfile, other: &mut TaggedProfile) -> bool {
        let tag = self.inner().profile_tag();
        let inner = |profile: &TaggedProfile| TaggedProfile { tag, data: profile.data.clone() };
        let mut joined = inner(other);
        let done = self.inner().join_profile(&inner(own), &mut joined);
        if done {
            other.data = joined.data;
        }
        done
    }

    fn options(&self) -> Option<Box<dyn OptionSet>> {
        self.inner().options()
    }

    fn configure(
        &self,
        options: &OptionSets,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self.transport.for_single_objects()?;
        self.inner().configure(options)
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        ProfileError::check_tag(self.tag, profile)?;
        let tag = self.inner().profile_tag();
        let inner = TaggedProfile { tag, data: fallible::copy(&profile.data)? };
        let mut resolved = self.inner().decode_profile(&inner)?;
        for endpoint in &mut resolved.endpoints {
            *endpoint = self.transport.outer(endpoint)?;
        }
        Ok(resolved)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        let endpoints = self.transport.all_inner(endpoints)?;
        let inner = self.inner().encode_profile(&endpoints, version, object_key, components)?;
        Ok(TaggedProfile { tag: self.tag, data: inner.data })
    }

    fn shares_profile(&self, first: &Endpoint, other: &Endpoint) -> bool {
        match (self.transport.inner(first), self.transport.inner(other)) {
            (Ok(first), Ok(other)) => self.inner().shares_profile(&first, &other),
            _ => true,
        }
    }

    fn priority_component(&self, endpoints: &[Endpoint], priority: i16) -> Option<TaggedComponent> {
        self.inner().priority_component(&self.transport.all_inner(endpoints).ok()?, priority)
    }

    fn endpoint_priority(
        &self,
        profile: &ResolvedProfile,
        endpoint: &Endpoint,
    ) -> Result<Option<i16>, ProfileError> {
        match (self.inner_profile(profile)?, self.transport.inner(endpoint)) {
            (Some(profile), Ok(endpoint)) => self.inner().endpoint_priority(&profile, &endpoint),
            _ => Ok(None),
        }
    }

    fn parse_corbaloc_address(&self, address: &str) -> Result<Endpoint, EndpointError> {
        self.transport.outer(&self.inner().parse_corbaloc_address(address)?)
    }
}

/// The transport of a protocol under another scheme.
#[derive(Debug)]
struct Renamed {
    scheme: String,
    inner: Arc<dyn Protocol>,
}

impl Renamed {
    /// Rejects protocols for groups.
    fn for_single_objects(&self) -> Result<(), std::io::Error> {
        if self.inner.groups().is_none() {
            return Ok(());
        }
        let why = format!(
            "groups require GIOP: {} cannot carry another messaging protocol",
            self.inner.scheme()
        );
        Err(std::io::Error::new(std::io::ErrorKind::Unsupported, why))
    }

    /// Converts an endpoint of the other protocol to this scheme.
    fn outer(&self, endpoint: &Endpoint) -> Result<Endpoint, EndpointError> {
        Endpoint::new(&self.scheme, endpoint.address())
    }

    /// Converts an endpoint of this scheme to the other protocol.
    fn inner(&self, endpoint: &Endpoint) -> Result<Endpoint, EndpointError> {
        let address = strip_scheme(&self.scheme, endpoint.as_str())?;
        self.inner.transport().parse_endpoint(address)
    }

    fn all_inner(&self, endpoints: &[Endpoint]) -> Result<Vec<Endpoint>, EndpointError> {
        endpoints.iter().map(|endpoint| self.inner(endpoint)).collect()
    }
}

/// Rejects an address that starts with another scheme.
fn one_scheme(address: &str) -> Result<(), EndpointError> {
    if address.contains("://") {
        let shown: String = address.chars().take(80).collect();
        return Err(EndpointError::new(&shown, "the address contains a second scheme"));
    }
    Ok(())
}

impl Transport for Renamed {
    fn scheme(&self) -> &str {
        &self.scheme
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        let address = strip_scheme(&self.scheme, text)?;
        one_scheme(address)?;
        self.outer(&self.inner.transport().parse_endpoint(address)?)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let inner = self.for_single_objects().and_then(|()| {
            let invalid = std::io::ErrorKind::InvalidInput;
            self.inner(endpoint).map_err(|error| std::io::Error::new(invalid, error.reason()))
        });
        let failed = |error| ConnectError::single(endpoint, crate::ConnectPhase::Address, error);
        let inner = inner.map_err(failed)?;
        let connected = self.inner.transport().connect(&inner, options);
        connected.map_err(|error| error.at(endpoint))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        let address = strip_scheme(&self.scheme, url)?;
        one_scheme(address)?;
        self.for_single_objects().map_err(|error| ListenError::new(url, error))?;
        let listening = self.inner.transport().listen(address, options);
        let inner = listening.map_err(|error| error.at(url))?;
        let endpoint = self.outer(inner.endpoint())?;
        let published: Result<Vec<_>, _> =
            inner.published().iter().map(|endpoint| self.outer(endpoint)).collect();
        Ok(Arc::new(RenamedAcceptor { endpoint, published: published?, inner }))
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        let url = self.inner.transport().beside(acceptor);
        let address = url.split_once("://").map_or("", |(_, address)| address);
        format!("{}://{address}", self.scheme)
    }

    fn has_readiness(&self) -> bool {
        self.inner.transport().has_readiness()
    }

    fn local_socket(&self, endpoint: &Endpoint) -> Option<LocalSocket> {
        self.inner.transport().local_socket(&self.inner(endpoint).ok()?)
    }
}

#[derive(Debug)]
struct RenamedAcceptor {
    endpoint: Endpoint,
    published: Vec<Endpoint>,
    inner: Arc<dyn Acceptor>,
}

impl Acceptor for RenamedAcceptor {
    fn listen(&self) -> io::Result<()> {
        self.inner.listen()
    }

    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        self.inner.accept()
    }

    fn close_backlog(&self) {
        self.inner.close_backlog();
    }

    fn accept_waiting(&self) -> Option<Arc<dyn Stream>> {
        self.inner.accept_waiting()
    }

    fn close(&self) {
        self.inner.close();
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn published(&self) -> &[Endpoint] {
        &self.published
    }
}
