//! A protocol whose transport a test changes.

use std::fmt::Debug;
use std::sync::Arc;

use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    LocalSocket, ProfileError, Protocol, ResolvedProfile, Stream, Transport,
};

/// What a test changes of a transport, which is `inner`.
pub trait Around: Debug + Send + Sync {
    /// Connects; by default as `inner` does.
    ///
    /// # Errors
    /// As [`Transport::connect`].
    fn connect(
        &self,
        inner: &dyn Transport,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        inner.connect(endpoint, options)
    }

    /// Listens; by default as `inner` does.
    ///
    /// # Errors
    /// As [`Transport::listen`].
    fn listen(
        &self,
        inner: &dyn Transport,
        url: &str,
        options: &ListenOptions,
    ) -> Result<Arc<dyn Acceptor>, ListenError> {
        inner.listen(url, options)
    }
}

/// GIOP with the profiles of another protocol, over its transport, which a test changes. It is this transport, too.
#[derive(Clone, Debug)]
pub struct WithTransport<A> {
    protocol: Arc<dyn Protocol>,
    around: A,
}

impl<A: Around> WithTransport<A> {
    /// The profiles of `protocol` over its transport, changed by `around`.
    pub fn new(protocol: impl Protocol + 'static, around: A) -> Self {
        Self { protocol: Arc::new(protocol), around }
    }

    fn inner(&self) -> &dyn Transport {
        self.protocol.transport()
    }
}

impl<A: Around> Protocol for WithTransport<A> {
    fn transport(&self) -> &dyn Transport {
        self
    }

    fn profile_tag(&self) -> ProfileTag {
        self.protocol.profile_tag()
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.protocol.decode_profile(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        self.protocol.encode_profile(endpoints, version, object_key, components)
    }

    fn shares_profile(&self, first: &Endpoint, other: &Endpoint) -> bool {
        self.protocol.shares_profile(first, other)
    }

    fn priority_component(&self, endpoints: &[Endpoint], priority: i16) -> Option<TaggedComponent> {
        self.protocol.priority_component(endpoints, priority)
    }

    fn endpoint_priority(
        &self,
        profile: &ResolvedProfile,
        endpoint: &Endpoint,
    ) -> Result<Option<i16>, ProfileError> {
        self.protocol.endpoint_priority(profile, endpoint)
    }
}

impl<A: Around> Transport for WithTransport<A> {
    fn scheme(&self) -> &str {
        self.inner().scheme()
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        self.inner().parse_endpoint(text)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        self.around.connect(self.inner(), endpoint, options)
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        self.around.listen(self.inner(), url, options)
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        self.inner().beside(acceptor)
    }

    fn has_readiness(&self) -> bool {
        self.inner().has_readiness()
    }

    fn local_socket(&self, endpoint: &Endpoint) -> Option<LocalSocket> {
        self.inner().local_socket(endpoint)
    }
}
