//! IIOP for servers that are to be called in an older version of GIOP, or that open no connections.

use std::io::ErrorKind;
use std::sync::Arc;

use zorb::giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb::transport::{
    Acceptor, ConnectError, ConnectOptions, ConnectPhase, Endpoint, EndpointError, ListenError,
    ListenOptions, ProfileError, Protocol, ResolvedProfile, Stream, Transport,
};
use zorb_tcp::IiopProtocol;

/// IIOP whose references name a highest version of GIOP: clients call with that one, or an older one.
#[derive(Debug)]
pub struct HighestIiop {
    iiop: IiopProtocol,
    highest: GiopVersion,
    only_accepts: Option<OnlyAccepts>,
}

impl HighestIiop {
    /// IIOP that has references say at most `highest`.
    #[must_use]
    pub fn new(highest: GiopVersion) -> Self {
        Self { iiop: IiopProtocol::new(), highest, only_accepts: None }
    }

    /// Opens no connections: what is called is called over those of clients.
    #[must_use]
    pub fn only_accepting(self) -> Self {
        Self { only_accepts: Some(OnlyAccepts(IiopProtocol::new())), ..self }
    }
}

impl Protocol for HighestIiop {
    fn transport(&self) -> &dyn Transport {
        match &self.only_accepts {
            Some(transport) => transport,
            None => self.iiop.transport(),
        }
    }

    fn profile_tag(&self) -> ProfileTag {
        self.iiop.profile_tag()
    }

    fn may_be_bidirectional(&self) -> bool {
        self.iiop.may_be_bidirectional()
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.iiop.decode_profile(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        self.iiop.encode_profile(endpoints, version.min(self.highest), object_key, components)
    }
}

/// TCP that connects to nothing.
#[derive(Debug)]
struct OnlyAccepts(IiopProtocol);

impl Transport for OnlyAccepts {
    fn scheme(&self) -> &str {
        self.0.transport().scheme()
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        self.0.transport().parse_endpoint(text)
    }

    fn connect(
        &self,
        endpoint: &Endpoint,
        _: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        Err(ConnectError::single(endpoint, ConnectPhase::Connect, ErrorKind::Unsupported.into()))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        self.0.transport().listen(url, options)
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        self.0.transport().beside(acceptor)
    }

    fn has_readiness(&self) -> bool {
        self.0.transport().has_readiness()
    }
}
