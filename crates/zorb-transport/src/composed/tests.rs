#![allow(clippy::unwrap_used)]

use zorb_giop::GiopLite;

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
fn what_goes_wrong_is_told_of_the_url_that_was_given() {
    let composed = composed();
    let endpoint = composed.transport().parse_endpoint("nobody").unwrap();
    let error = composed.transport().connect(&endpoint, &ConnectOptions::default()).unwrap_err();
    assert_eq!(error.endpoint(), &endpoint);
    let url = "lite+inproc://taken";
    let _acceptor = composed.transport().listen(url, &ListenOptions::default()).unwrap();
    let error = composed.transport().listen(url, &ListenOptions::default()).unwrap_err();
    assert_eq!(error.endpoint(), url);
}

mod conformance {
    use super::*;
    use crate::conformance::Subject;

    crate::conformance_suite!(Subject::new(composed().into_transport(), "lite+inproc://"));
}
