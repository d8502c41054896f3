#![allow(clippy::unwrap_used)]

use zorb_giop::{ComponentTag, GiopLite};

use super::*;
use crate::inproc::{InprocProtocol, InprocTransport};

const TAG: ProfileTag = ProfileTag(0x7a6c_6974);

fn composed() -> Composed {
    Composed::new(&GiopLite, InprocProtocol::new(InprocTransport::new()), TAG)
}

#[test]
fn the_scheme_has_both_names() {
    let composed = composed();
    assert_eq!(composed.scheme(), "lite+inproc");
    assert_eq!(composed.corbaloc_prefix(), "lite+inproc");
    let endpoint = composed.transport().parse_endpoint("lite+inproc://here").unwrap();
    assert_eq!(endpoint.as_str(), "lite+inproc://here");
    assert_eq!(composed.parse_corbaloc_address("here").unwrap(), endpoint);
    for other in ["inproc://here", "lite+inproc://inproc://here"] {
        composed.transport().parse_endpoint(other).unwrap_err();
        composed.transport().listen(other, &ListenOptions::default()).unwrap_err();
    }
}

#[test]
fn profiles_have_a_tag_of_their_own_around_the_same_octets() {
    let composed = composed();
    let endpoint = composed.transport().parse_endpoint("here").unwrap();
    let version = GiopVersion::HIGHEST;
    let profile =
        composed.encode_profile(std::slice::from_ref(&endpoint), version, b"key", &[]).unwrap();
    assert_eq!(profile.tag, TAG);
    let resolved = composed.decode_profile(&profile).unwrap();
    assert_eq!((&resolved.endpoints[..], &resolved.object_key[..]), (&[endpoint][..], &b"key"[..]));
    let inner = TaggedProfile { tag: composed.inner().profile_tag(), ..profile };
    assert_eq!(composed.inner().decode_profile(&inner).unwrap().endpoints[0].scheme(), "inproc");
    composed.decode_profile(&inner).unwrap_err();
}

#[test]
fn errors_name_the_given_url() {
    let composed = composed();
    let endpoint = composed.transport().parse_endpoint("nobody").unwrap();
    let error = composed.transport().connect(&endpoint, &ConnectOptions::default()).unwrap_err();
    assert_eq!(error.endpoint(), &endpoint);
    let url = "lite+inproc://taken";
    let _acceptor = composed.transport().listen(url, &ListenOptions::default()).unwrap();
    let error = composed.transport().listen(url, &ListenOptions::default()).unwrap_err();
    assert_eq!(error.endpoint(), url);
}

/// A protocol with further profiles and priorities, for endpoints of its own scheme.
#[derive(Debug)]
struct Knowing(InprocProtocol);

const FURTHER: ProfileTag = ProfileTag(0x7a6c_6975);

impl Protocol for Knowing {
    fn transport(&self) -> &dyn Transport {
        self.0.transport()
    }

    fn profile_tag(&self) -> ProfileTag {
        self.0.profile_tag()
    }

    fn contained_profiles(
        &self,
        profile: &ResolvedProfile,
    ) -> Result<Vec<TaggedProfile>, ProfileError> {
        assert!(profile.endpoints.iter().all(|endpoint| endpoint.scheme() == "inproc"));
        Ok(vec![TaggedProfile { tag: FURTHER, data: profile.object_key.clone() }])
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.0.decode_profile(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        self.0.encode_profile(endpoints, version, object_key, components)
    }

    fn priority_component(&self, endpoints: &[Endpoint], priority: i16) -> Option<TaggedComponent> {
        assert!(endpoints.iter().all(|endpoint| endpoint.scheme() == "inproc"));
        let data = priority.to_be_bytes().to_vec();
        Some(TaggedComponent { tag: ComponentTag(FURTHER.0), data })
    }

    fn endpoint_priority(
        &self,
        profile: &ResolvedProfile,
        endpoint: &Endpoint,
    ) -> Result<Option<i16>, ProfileError> {
        assert!(profile.endpoints.contains(endpoint));
        let component = profile.components.first();
        Ok(component.map(|it| i16::from_be_bytes(it.data.as_slice().try_into().unwrap())))
    }
}

#[test]
fn other_properties_of_the_inner_protocol_are_preserved() {
    let inner = Knowing(InprocProtocol::new(InprocTransport::new()));
    let composed = Composed::new(&GiopLite, inner, TAG);
    let endpoints = [composed.transport().parse_endpoint("here").unwrap()];
    let component = composed.priority_component(&endpoints, 4711).unwrap();
    let resolved = ResolvedProfile {
        version: GiopVersion::HIGHEST,
        endpoints: endpoints.to_vec(),
        object_key: b"key".to_vec(),
        components: vec![component],
    };
    assert_eq!(composed.endpoint_priority(&resolved, &endpoints[0]), Ok(Some(4711)));
    let further = TaggedProfile { tag: FURTHER, data: b"key".to_vec() };
    assert_eq!(composed.contained_profiles(&resolved), Ok(vec![further]));
    let foreign = composed.inner().transport().parse_endpoint("here").unwrap();
    assert_eq!(composed.endpoint_priority(&resolved, &foreign), Ok(None));
    assert_eq!(composed.priority_component(&[foreign], 1), None);
}
