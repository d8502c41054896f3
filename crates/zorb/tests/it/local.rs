//! Servers of one machine: where their sockets are, and how they are found. That calls reach them is
//! in the suite that every protocol passes.
#![cfg(all(feature = "shm", feature = "toml", feature = "unix"))]
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use crate::support::{Adder, Servant};
use zorb::codegen::{self, Ref};
use zorb::giop::{Ior, ProfileTag};
use zorb::{ObjectRef, Orb, OrbBuilder, SystemExceptionKind};
use zorb_cdr::Wire;
use zorb_giop::{IiopProfile, MessageWriter, ReplyStatus, RequestHeader};
use zorb_testkit::read_message;

/// URLs without a name: in the file system, and abstract.
const PLACES: [&str; 5] = ["uiop://", "uiop://@", "lite+uiop://", "shmiop://", "shmiop://@"];

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

    /// The name of its first socket, as URLs have it.
    fn socket(&self) -> String {
        self.orb.endpoints()[0].split_once("://").unwrap().1.to_owned()
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
fn a_socket_has_a_file_while_its_server_lives_if_it_is_no_abstract_one() {
    for url in PLACES {
        let server = Server::at(&[url]);
        let client = builder().build().unwrap();
        let there = there(&client, server.ior());
        assert_eq!(there.add(20, 22).unwrap(), 42);
        let socket = server.socket();
        assert_eq!(Path::new(&socket).exists(), !url.ends_with('@'), "{url}");
        server.orb.shutdown(true).unwrap();
        assert!(!Path::new(&socket).exists(), "{url}");
        assert_eq!(there.add(1, 1).unwrap_err().kind, SystemExceptionKind::Transient, "{url}");
    }
}

#[test]
fn shared_memory_is_waited_for_or_watched() {
    let server = Server::at(&["shmiop://@"]);
    for micros in ["0", "50"] {
        let client = builder().option("BusyWait", micros).build().unwrap();
        let there = there(&client, server.ior());
        for left in 0..100 {
            assert_eq!(there.add(left, 22).unwrap(), left + 22);
        }
        // Larger than the rings.
        let large: Vec<u8> = (0..3_000_000).map(|i| i as u8).collect();
        assert!(there.mirror(&large).unwrap() == large);
    }
}

#[test]
fn a_published_object_is_found_by_corbaloc() {
    for place in PLACES {
        let server = Server::at(&[place]);
        server.orb.publish("adder/one", &server.adder).unwrap();
        let (scheme, socket) = (place.split("://").next().unwrap(), server.socket());
        let client = builder().build().unwrap();
        for url in [
            format!("corbaloc:{scheme}:1.2@{socket}|adder/one"),
            format!("corbaloc:{scheme}:{socket}|adder/one"),
            format!("corbaloc:uiop:1.1@/no/such/socket,{scheme}:1.2@{socket}|adder%2Fone"),
            format!("corbaloc:iiop:127.0.0.1:1,{scheme}:1.2@{socket}|adder/one"),
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
fn a_place_that_cannot_be_listened_at_is_named() {
    for place in PLACES {
        let server = Server::at(&[place]);
        let taken = server.orb.endpoints()[0].clone();
        let error = format!("{:?}", builder().listen(&taken).build().unwrap_err());
        let told =
            if place.ends_with('@') { &taken } else { "another server listens on this path" };
        assert!(error.contains(&taken) && error.contains(told), "{error}");
    }
    let error = format!("{:?}", builder().listen("uiop://relative").build().unwrap_err());
    assert!(error.contains("starts at the root"), "{error}");
}

#[test]
fn iiop_is_what_an_orb_listens_with_that_is_told_nothing() {
    let server = Server::at(&[]);
    assert_eq!(server.ior().profiles[0].tag, ProfileTag::INTERNET_IOP);
    assert_eq!(server.orb.endpoints().len(), 1);
}

/// `interface Finder { Adder find(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Finder(ObjectRef);

codegen::interface!(Finder(ObjectRef), "IDL:zorb.test/Finder:1.0", "Finder", []);

impl Finder {
    fn find(&self) -> zorb::Result<Option<Adder>> {
        codegen::invoke!(self, find, [], [Ref<Adder>])
    }
}

trait FinderServant: Send + Sync + 'static {
    fn find(&self) -> zorb::Result<Option<Adder>>;
}

codegen::skeleton!(Finder, FinderServant, { 0 "find" find() [result: Ref<Adder>], });

/// A server that answers one request with this status and reference; its own reference.
fn stranger(status: ReplyStatus, body: Ior) -> (Ior, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let profile = IiopProfile {
        version: zorb_giop::GiopVersion::V1_2,
        host: "127.0.0.1".to_owned(),
        port: listener.local_addr().unwrap().port(),
        object_key: b"stranger".to_vec(),
        components: Vec::new(),
    };
    let profiles = vec![profile.encode(zorb_cdr::ByteOrder::NATIVE).unwrap()];
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (header, request) = read_message(&mut stream).unwrap();
        let (id, order) =
            (RequestHeader::read(&request, &header).unwrap().0.request_id, header.order);
        let mut octets = Vec::new();
        let mut reply =
            MessageWriter::reply(&mut octets, header.version, order, id, status, &[]).unwrap();
        Ior::write(&body, &mut reply.body(Default::default())).unwrap();
        reply.finish().unwrap();
        stream.write_all(&octets).unwrap();
        // Until the client has gone.
        let _ = stream.read(&mut [0]);
    });
    (Ior { type_id: "IDL:zorb.test/Finder:1.0".to_owned(), profiles }, server)
}

#[test]
fn forwards_and_results_of_strangers_lead_to_no_socket_unless_that_is_permitted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let server = Server::at(&[&format!("uiop://{path}/adder.sock")]);
    for permitted in ["", path] {
        for status in [ReplyStatus::LocationForward, ReplyStatus::NoException] {
            let (ior, stranger) = stranger(status, server.ior().clone());
            let client = builder().option("LocalSocketFolders", permitted).build().unwrap();
            let text = ior.to_stringified().unwrap();
            let outcome = match status {
                ReplyStatus::LocationForward => {
                    let adder: Adder = client.object(ior).unchecked_narrow();
                    adder.add(20, 22)
                }
                _ => {
                    let finder: Finder = client.resolve(&text).unwrap();
                    finder.find().unwrap().unwrap().add(20, 22)
                }
            };
            let outcome = outcome.map_err(|error| error.kind);
            let expected = match permitted {
                "" => Err(SystemExceptionKind::NoPermission),
                _ => Ok(42),
            };
            assert_eq!(outcome, expected, "{status:?}, permitted: {permitted:?}");
            client.shutdown(true).unwrap();
            stranger.join().unwrap();
        }
    }
}
