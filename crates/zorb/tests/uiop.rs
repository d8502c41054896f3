//! Calls over Unix-domain sockets, from one ORB to another.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use support::{Adder, Servant};
use zorb::giop::{GiopVersion, Ior, ProfileTag};
use zorb::{Orb, OrbBuilder, SystemExceptionKind};

fn builder() -> OrbBuilder {
    Orb::builder().without_environment()
}

/// A server with one object. It is shut down in the end, so that its sockets leave no file.
struct Server {
    orb: Orb,
    adder: Adder,
}

impl Server {
    fn at(urls: &[&str]) -> Self {
        let builder = urls.iter().fold(builder(), |builder, url| builder.listen(*url));
        let orb = builder.build().unwrap();
        let adder = orb.root_poa().activate(Servant).unwrap();
        Self { orb, adder }
    }

    fn ior(&self) -> &Ior {
        self.adder.object().ior()
    }

    /// The address of its socket, as URLs have it.
    fn path(&self) -> String {
        let urls = self.orb.endpoints();
        let url = urls.iter().find(|url| url.starts_with("uiop://")).unwrap();
        url.trim_start_matches("uiop://").to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}

/// A client's view of a reference.
fn there(client: &Orb, ior: &Ior) -> Adder {
    client.resolve(&ior.to_stringified().unwrap()).unwrap()
}

#[test]
fn a_call_reaches_the_servant_and_its_reply_comes_back() {
    for url in ["uiop://", "uiop://@"] {
        let server = Server::at(&[url]);
        let profiles = &server.ior().profiles;
        assert_eq!(profiles.len(), 1);
        assert_eq!(profiles[0].tag, ProfileTag::TAO_UIOP);
        let client = builder().build().unwrap();
        let there = there(&client, server.ior());
        assert_eq!(there.add(20, 22).unwrap(), 42);
        let large: Vec<u8> = (0..300_000).map(|i| i as u8).collect();
        assert_eq!(there.mirror(&large).unwrap(), large);
        let path = server.path();
        assert_eq!(Path::new(&path).exists(), url == "uiop://");
        server.orb.shutdown(true).unwrap();
        assert!(!Path::new(&path).exists());
        assert_eq!(there.add(1, 1).unwrap_err().kind, SystemExceptionKind::Transient);
    }
}

#[test]
fn a_published_object_is_found_by_corbaloc() {
    for url in ["uiop://", "uiop://@"] {
        let server = Server::at(&[url]);
        server.orb.publish("adder/one", &server.adder).unwrap();
        let path = server.path();
        let client = builder().build().unwrap();
        for url in [
            format!("corbaloc:uiop:1.2@{path}|adder/one"),
            format!("corbaloc:uiop:{path}|adder/one"),
            format!("corbaloc:uiop:1.1@/no/such/socket,uiop:1.2@{path}|adder%2Fone"),
            format!("corbaloc:iiop:127.0.0.1:1,uiop:1.2@{path}|adder/one"),
        ] {
            let there: Adder = client.resolve(&url).unwrap();
            assert_eq!(there.add(1, 2).unwrap(), 3, "{url}");
        }
        for url in ["corbaloc:uiop:1.2@relative|adder/one", "corbaloc:uiop:|adder/one"] {
            let error = client.resolve::<Adder>(url).unwrap_err();
            assert_eq!(error.system_exception().unwrap().kind, SystemExceptionKind::BadParam);
        }
    }
}

#[test]
fn one_reference_tells_of_two_protocols() {
    let server = Server::at(&["iiop://127.0.0.1:0", "uiop://"]);
    let ior = server.ior().clone();
    let tags: Vec<_> = ior.profiles.iter().map(|profile| profile.tag).collect();
    assert_eq!(tags, [ProfileTag::INTERNET_IOP, ProfileTag::TAO_UIOP]);
    let client = builder().build().unwrap();
    assert_eq!(there(&client, &ior).add(1, 1).unwrap(), 2);
    // Either way alone leads there.
    for profile in &ior.profiles {
        let alone = Ior { profiles: vec![profile.clone()], ..ior.clone() };
        assert_eq!(there(&client, &alone).add(2, 2).unwrap(), 4);
    }
    // Where the first leads nowhere, the second is taken.
    let nowhere =
        client.string_to_object("corbaloc:iiop:1.2@127.0.0.1:1/nothing").unwrap().unwrap();
    let nowhere = nowhere.ior().profiles[0].clone();
    let rescued = Ior { profiles: vec![nowhere, ior.profiles[1].clone()], ..ior.clone() };
    assert_eq!(there(&client, &rescued).add(3, 3).unwrap(), 6);
}

#[test]
fn references_come_out_as_they_went_in() {
    let server = Server::at(&["uiop://", "iiop://127.0.0.1:0"]);
    let client = builder().build().unwrap();
    let there = there(&client, server.ior());
    assert_eq!(there.object().ior(), server.ior());
    assert_eq!(there.object().ior().profiles[0].tag, ProfileTag::TAO_UIOP);
    // The highest version is offered.
    assert_eq!(there.object().ior().profiles[0].data[1..3], [1, GiopVersion::HIGHEST.minor()]);
}

#[test]
fn iiop_is_what_an_orb_listens_with_that_is_told_nothing() {
    let server = Server::at(&[]);
    assert_eq!(server.ior().profiles[0].tag, ProfileTag::INTERNET_IOP);
    assert_eq!(server.orb.endpoints().len(), 1);
}

#[test]
fn a_place_that_cannot_be_listened_at_is_a_told_story() {
    let server = Server::at(&["uiop://"]);
    let taken = format!("uiop://{}", server.path());
    let error = builder().listen(&taken).build().unwrap_err().to_string();
    assert!(error.contains(&taken) && error.contains("another server listens there"), "{error}");
    let error = builder().listen("uiop://relative").build().unwrap_err().to_string();
    assert!(error.contains("starts at the root"), "{error}");
}
