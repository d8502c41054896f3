//! A protocol over a transport of a test.

use std::sync::Arc;

use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_transport::{Endpoint, ProfileError, Protocol, ResolvedProfile, Transport};

/// GIOP with the profiles of another protocol, over a transport for the same endpoints.
#[derive(Clone, Debug)]
pub struct WithTransport<T> {
    protocol: Arc<dyn Protocol>,
    transport: T,
}

impl<T: Transport> WithTransport<T> {
    /// The profiles of `protocol` over the transport that `make` creates from it.
    pub fn new(
        protocol: impl Protocol + 'static,
        make: impl FnOnce(Arc<dyn Protocol>) -> T,
    ) -> Self {
        let protocol: Arc<dyn Protocol> = Arc::new(protocol);
        Self { transport: make(Arc::clone(&protocol)), protocol }
    }
}

impl<T: Transport> Protocol for WithTransport<T> {
    fn transport(&self) -> &dyn Transport {
        &self.transport
    }

    fn profile_tag(&self) -> ProfileTag {
        self.protocol.profile_tag()
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.protocol.decode_profile(profile)
    }

    fn shares_profile(&self, first: &Endpoint, other: &Endpoint) -> bool {
        self.protocol.shares_profile(first, other)
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
}
