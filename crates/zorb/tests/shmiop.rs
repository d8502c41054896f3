//! Calls over shared memory, from one ORB to another.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::thread;

use support::{Adder, Servant};
use zorb::giop::{Ior, ProfileTag};
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

    /// The name of its socket, as URLs have it.
    fn socket(&self) -> String {
        let urls = self.orb.endpoints();
        let url = urls.iter().find(|url| url.starts_with("shmiop://")).unwrap();
        url.trim_start_matches("shmiop://").to_owned()
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
    for (url, spin) in [("shmiop://", "0"), ("shmiop://@", "0"), ("shmiop://@", "50")] {
        let server = Server::at(&[url]);
        let profiles = &server.ior().profiles;
        assert_eq!(profiles.len(), 1);
        assert_eq!(profiles[0].tag, ProfileTag::TAO_SHMIOP);
        let client = builder().option("Spin", spin).build().unwrap();
        let there = there(&client, server.ior());
        for left in 0..100 {
            assert_eq!(there.add(left, 22).unwrap(), left + 22);
        }
        // Larger than the rings.
        let large: Vec<u8> = (0..3_000_000).map(|i| i as u8).collect();
        assert!(there.mirror(&large).unwrap() == large);
        let socket = server.socket();
        assert_eq!(Path::new(&socket).exists(), url == "shmiop://");
        server.orb.shutdown(true).unwrap();
        assert!(!Path::new(&socket).exists());
        assert_eq!(there.add(1, 1).unwrap_err().kind, SystemExceptionKind::Transient);
    }
}

#[test]
fn threads_call_at_once() {
    let server = Server::at(&["shmiop://"]);
    let client = builder().build().unwrap();
    let adder = there(&client, server.ior());
    thread::scope(|scope| {
        for number in 0..8 {
            let adder = &adder;
            scope.spawn(move || {
                let data = vec![number as u8; 20_000];
                for round in 0..50 {
                    assert_eq!(adder.add(number, round).unwrap(), number + round);
                    assert!(adder.mirror(&data).unwrap() == data);
                }
            });
        }
    });
}

#[test]
fn a_published_object_is_found_by_corbaloc() {
    for url in ["shmiop://", "shmiop://@"] {
        let server = Server::at(&[url]);
        server.orb.publish("adder/one", &server.adder).unwrap();
        let socket = server.socket();
        let client = builder().build().unwrap();
        for url in [
            format!("corbaloc:shmiop:1.2@{socket}|adder/one"),
            format!("corbaloc:shmiop:{socket}|adder/one"),
            format!("corbaloc:iiop:127.0.0.1:1,shmiop:1.2@{socket}|adder/one"),
        ] {
            let there: Adder = client.resolve(&url).unwrap();
            assert_eq!(there.add(1, 2).unwrap(), 3, "{url}");
        }
    }
}

#[test]
fn a_client_elsewhere_takes_the_next_profile() {
    let server = Server::at(&["shmiop://", "iiop://127.0.0.1:0"]);
    let mut ior = server.ior().clone();
    let tags: Vec<_> = ior.profiles.iter().map(|profile| profile.tag).collect();
    assert_eq!(tags, [ProfileTag::TAO_SHMIOP, ProfileTag::INTERNET_IOP]);
    let client = builder().build().unwrap();
    assert_eq!(there(&client, &ior).add(1, 1).unwrap(), 2);
    // As if it came from another machine: its id is a UUID in the profile.
    let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let (boot_id, data) = (boot_id.trim().as_bytes(), &mut ior.profiles[0].data);
    let at = data.windows(boot_id.len()).position(|octets| octets == boot_id).unwrap();
    data[at] ^= 1;
    assert_eq!(there(&client, &ior).add(2, 2).unwrap(), 4);
    ior.profiles.truncate(1);
    let error = there(&client, &ior).add(1, 1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Transient);
}

#[test]
fn a_place_that_cannot_be_listened_at_is_a_told_story() {
    let server = Server::at(&["shmiop://"]);
    let taken = format!("shmiop://{}", server.socket());
    let error = builder().listen(&taken).build().unwrap_err().to_string();
    assert!(error.contains(&taken) && error.contains("another server listens there"), "{error}");
}
