use std::sync::Arc;

use zorb_cdr::{CdrError, CdrErrorKind};
use zorb_giop::{ComponentTag, Ior};

use super::*;
use crate::inproc::{InprocProtocol, InprocTransport};

/// The in-process protocol under other names.
#[derive(Debug)]
struct Renamed {
    inner: InprocProtocol,
    scheme: RenamedTransport,
    tag: u32,
    prefix: &'static str,
}

#[derive(Debug)]
struct RenamedTransport(&'static str, InprocTransport);

impl Transport for RenamedTransport {
    fn scheme(&self) -> &str {
        self.0
    }
    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        self.1.parse_endpoint(text)
    }
    fn connect(
        &self,
        endpoint: &Endpoint,
        options: &crate::ConnectOptions,
    ) -> Result<Arc<dyn crate::Stream>, crate::ConnectError> {
        self.1.connect(endpoint, options)
    }
    fn listen(
        &self,
        url: &str,
        options: &crate::ListenOptions,
    ) -> Result<Arc<dyn crate::Acceptor>, crate::ListenError> {
        self.1.listen(url, options)
    }
    fn beside(&self, acceptor: &dyn crate::Acceptor) -> String {
        self.1.beside(acceptor)
    }
}

impl Protocol for Renamed {
    fn transport(&self) -> &dyn Transport {
        &self.scheme
    }
    fn profile_tag(&self) -> ProfileTag {
        ProfileTag(self.tag)
    }
    fn corbaloc_prefix(&self) -> &str {
        self.prefix
    }
    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.inner.decode_profile(profile)
    }
    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        self.inner.encode_profile(endpoints, version, object_key, components)
    }
}

fn renamed(scheme: &'static str, tag: u32, prefix: &'static str) -> Arc<Renamed> {
    let scheme = RenamedTransport(scheme, InprocTransport::new());
    Arc::new(Renamed { inner: InprocProtocol::default(), scheme, tag, prefix })
}

#[test]
fn protocols_are_found_by_each_of_their_names() {
    let registry = ProtocolRegistry::new();
    assert!(registry.by_scheme("one").is_none());
    registry.register(renamed("one", 1001, "uno")).unwrap();
    registry.register(renamed("two", 1002, "due")).unwrap();
    assert_eq!(registry.by_scheme("TWO").unwrap().scheme(), "two");
    assert_eq!(registry.by_profile_tag(ProfileTag(1001)).unwrap().scheme(), "one");
    assert_eq!(registry.by_corbaloc_prefix("Due").unwrap().scheme(), "two");
    assert!(registry.by_corbaloc_prefix("two").is_none());
    assert!(registry.by_profile_tag(ProfileTag(0)).is_none());
    let schemes: Vec<_> = registry.protocols().iter().map(|p| p.scheme().to_owned()).collect();
    assert_eq!(schemes, ["one", "two"]);
}

#[test]
fn a_name_is_given_once() {
    let registry = ProtocolRegistry::new();
    registry.register(renamed("one", 1001, "uno")).unwrap();
    let refused = |protocol| registry.register(protocol).unwrap_err();
    assert_eq!(refused(renamed("one", 9, "x")), RegistryError::Scheme("one".to_owned()));
    let tag = RegistryError::ProfileTag(ProfileTag(1001));
    assert_eq!(refused(renamed("x", 1001, "x")), tag);
    let prefix = RegistryError::CorbalocPrefix("uno".to_owned());
    assert_eq!(refused(renamed("x", 9, "uno")), prefix);
    assert_eq!(registry.protocols().len(), 1, "what was refused left nothing behind");
    registry.register(renamed("x", 9, "x")).unwrap();
}

#[test]
fn an_inproc_profile_makes_the_round_trip() {
    let protocol = InprocProtocol::new(InprocTransport::new());
    let endpoint: Endpoint = "inproc://server".parse().unwrap();
    let component = TaggedComponent { tag: ComponentTag(77), data: vec![1, 2, 3] };
    let components = [component];
    let version = GiopVersion::V1_2;
    let profile = protocol
        .encode_profile(std::slice::from_ref(&endpoint), version, b"key", &components)
        .unwrap();
    assert_eq!(profile.tag, InprocProtocol::PROFILE_TAG);
    let resolved = protocol.decode_profile(&profile).unwrap();
    assert_eq!(resolved.version, version);
    assert_eq!(resolved.endpoints, [endpoint]);
    assert_eq!(resolved.object_key, b"key");
    assert_eq!(resolved.components, components);
}

#[test]
fn profiles_that_cannot_be_used_say_why() {
    let protocol = InprocProtocol::default();
    let tag = InprocProtocol::PROFILE_TAG;
    let foreign = TaggedProfile { tag: ProfileTag(0), data: vec![] };
    let error = protocol.decode_profile(&foreign).unwrap_err();
    assert_eq!(error, ProfileError::WrongTag { expected: tag, found: ProfileTag(0) });
    let empty = TaggedProfile { tag, data: vec![] };
    assert!(matches!(protocol.decode_profile(&empty), Err(ProfileError::Codec(_))));
    let none = protocol.encode_profile(&[], GiopVersion::V1_2, b"key", &[]);
    assert_eq!(none, Err(ProfileError::NoEndpoint));
    let other = ["iiop://host:1".parse().unwrap()];
    let other = protocol.encode_profile(&other, GiopVersion::V1_2, b"key", &[]);
    assert!(matches!(other, Err(ProfileError::Endpoint(_))));
}

#[test]
fn corbaloc_addresses_are_the_transports() {
    let protocol = InprocProtocol::default();
    let found = protocol.parse_corbaloc_address("server").unwrap();
    assert_eq!(found.as_str(), "inproc://server");
    assert!(protocol.parse_corbaloc_address("inproc://server").is_err());
    assert!(protocol.parse_corbaloc_address("a/b").is_err());
}

/// A secure protocol that has no memory to decode profiles.
#[derive(Debug)]
struct WithoutMemory(RenamedTransport);

impl Protocol for WithoutMemory {
    fn transport(&self) -> &dyn Transport {
        &self.0
    }
    fn profile_tag(&self) -> ProfileTag {
        InprocProtocol::PROFILE_TAG
    }
    fn extends_profiles(&self) -> bool {
        true
    }
    fn decode_profile(&self, _: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        Err(CdrError::new(CdrErrorKind::OutOfMemory, 0, "profile").into())
    }
    fn encode_profile(
        &self,
        _: &[Endpoint],
        _: GiopVersion,
        _: &[u8],
        _: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        Err(ProfileError::NoEndpoint)
    }
}

#[test]
fn a_lack_of_memory_for_a_secure_alternative_causes_no_fallback() {
    let registry = ProtocolRegistry::new();
    let plain = InprocProtocol::default();
    let endpoint: Endpoint = "inproc://server".parse().unwrap();
    let profile = plain.encode_profile(&[endpoint], GiopVersion::V1_2, b"key", &[]).unwrap();
    let ior = Ior { type_id: String::new(), profiles: vec![profile] };
    registry.register(Arc::new(plain)).unwrap();
    assert!(registry.resolve(&ior, &ior.profiles[0]).unwrap().is_ok());
    let secure = WithoutMemory(RenamedTransport("secure", InprocTransport::new()));
    registry.register(Arc::new(secure)).unwrap();
    let error = registry.resolve(&ior, &ior.profiles[0]).unwrap().unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
}
