//! Addresses in references, with every protocol that has hosts and ports: behind a port map, several of one endpoint,
//! and by rules.
#![cfg(all(feature = "tls", feature = "udp", feature = "arq", feature = "sctp", feature = "rt"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::certificates::Authority;
use crate::support::{Notice, NoticeServant};
use tempfile::TempDir;
use zorb::giop::Ior;
use zorb::rt::{LaneBuilder, Priority, RtOrb};
use zorb::{Orb, OrbBuilder, SystemExceptionKind, poa::PoaPolicies};
use zorb_testkit::{PortMap, free_port};

/// An address that nobody else uses.
const UNSHARED: &str = "127.0.0.10";

const OVER_TCP: [&str; 3] = ["iiop", "ssliop", "lite+iiop"];
const OVER_UDP: [&str; 3] = ["diop", "rudp", "sciop"];

fn schemes() -> impl Iterator<Item = &'static str> {
    OVER_TCP.into_iter().chain(OVER_UDP)
}

/// The files for TLS, which every ORB here can use.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("authority");
        authority.write(folder.path());
        authority.server().write(folder.path(), "server");
        Self(folder)
    }

    fn builder(&self) -> OrbBuilder {
        let path = |name: &str| self.0.path().join(name).to_str().unwrap().to_owned();
        Orb::builder()
            .without_environment()
            .option("SsliopRoots", path("ca.pem"))
            .option("SsliopCertificate", path("server.pem"))
            .option("SsliopKey", path("server.key"))
    }
}

struct Board(Sender<u32>);

impl NoticeServant for Board {
    fn post(&self, number: u32, _: &[u8]) {
        self.0.send(number).unwrap();
    }

    fn count(&self) -> zorb::Result<i32> {
        Ok(7)
    }
}

fn serve(orb: &Orb) -> (Notice, Receiver<u32>) {
    let (sender, posted) = channel();
    (orb.root_poa().activate(Board(sender)).unwrap(), posted)
}

/// The endpoints of all profiles, as a client uses them.
fn endpoints(client: &Orb, ior: &Ior) -> Vec<String> {
    let mut all = Vec::new();
    for profile in &ior.profiles {
        let (_, resolved) = client.protocols().resolve(ior, profile).unwrap().unwrap();
        all.extend(resolved.endpoints.iter().map(ToString::to_string));
    }
    all
}

/// The address of an endpoint's host.
fn host(endpoint: &str) -> IpAddr {
    let address = endpoint.split_once("://").unwrap().1;
    address.parse::<SocketAddr>().unwrap().ip()
}

#[test]
fn calls_of_every_protocol_go_through_a_port_map() {
    let files = Files::new();
    for scheme in schemes() {
        let (inside, map) = if OVER_TCP.contains(&scheme) {
            let inside = free_port(UNSHARED);
            (inside, PortMap::tcp(inside))
        } else {
            let inside = UdpSocket::bind((UNSHARED, 0)).unwrap().local_addr().unwrap();
            (inside, PortMap::udp(inside))
        };
        let outside = map.address();
        let url = format!("{scheme}://{inside}/publish={outside}");
        let orb = files.builder().listen(url).build().unwrap();
        assert_eq!(orb.endpoints(), [format!("{scheme}://{outside}")]);
        let (here, posted) = serve(&orb);
        let client = files.builder().build().unwrap();
        assert_eq!(endpoints(&client, here.object().ior()), orb.endpoints());
        let there: Notice = client.resolve(&here.object().to_ior_string()).unwrap();
        if scheme == "diop" {
            // Datagrams may be lost.
            let arrives = |_| {
                there.post(3, &[]).unwrap();
                posted.recv_timeout(Duration::from_secs(1)).is_ok()
            };
            assert!((0..60).any(arrives), "none of 60 datagrams arrived");
        } else {
            assert_eq!(there.count().unwrap(), 7, "{scheme}");
        }
        assert!(map.passed() > 0, "{scheme}");
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn one_endpoint_has_several_addresses_in_references() {
    let files = Files::new();
    let client = files.builder().build().unwrap();
    let places = ["gate.example.org:5000", "[2001:db8::9]:5001", "gate.example.org:5002"];
    for scheme in schemes() {
        let options = places.map(|place| format!("publish={place}")).join("&");
        let orb = files.builder().listen(format!("{scheme}://127.0.0.1:0/{options}"));
        let orb = orb.build().unwrap();
        assert_eq!(orb.endpoints(), places.map(|place| format!("{scheme}://{place}")));
        let (here, _) = serve(&orb);
        let mut found = endpoints(&client, here.object().ior());
        let mut expected = orb.endpoints();
        // A profile of SSLIOP has one host, and one of SCIOP has one port.
        let profiles = match scheme {
            "ssliop" => 2,
            "sciop" => 3,
            _ => 1,
        };
        assert_eq!(here.object().ior().profiles.len(), profiles, "{scheme}");
        if scheme == "ssliop" {
            expected.sort();
            found.sort();
        }
        assert_eq!(found, expected);
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn calls_use_an_address_that_is_reachable() {
    let files = Files::new();
    for scheme in ["iiop", "ssliop", "lite+iiop"] {
        let inside = free_port(UNSHARED);
        // Nobody listens at the first address.
        let url =
            format!("{scheme}://{inside}/publish=127.0.0.11:9&publish=[::1]:9&publish=127.0.0.1");
        let map = PortMap::tcp(inside);
        let url = format!("{url}:{}", map.address().port());
        let orb = files.builder().listen(url).build().unwrap();
        let (here, _) = serve(&orb);
        let client = files.builder().build().unwrap();
        let there: Notice = client.resolve(&here.object().to_ior_string()).unwrap();
        assert_eq!(there.count().unwrap(), 7, "{scheme}");
        assert_eq!(map.passed(), 1);
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn rules_hold_for_every_protocol_and_every_lane() {
    let files = Files::new();
    let client = files.builder().build().unwrap();
    let builder = |listed: bool| {
        let builder = files.builder().publish_rules(["loopback"]);
        match listed {
            true => schemes().fold(builder, |orb, scheme| orb.listen(format!("{scheme}://"))),
            false => builder.option("ServerProtocols", "iiop,ssliop,lite+iiop,diop,rudp,sciop"),
        }
    };
    for listed in [true, false] {
        let orb = builder(listed).build().unwrap();
        let (here, _) = serve(&orb);
        let rt = RtOrb::builder().attach(&orb).unwrap();
        let pool = rt.threadpool("lanes");
        let pool = [1000, 2000].into_iter().fold(pool, |pool, priority| {
            pool.lane(LaneBuilder::new(Priority::new(priority).unwrap(), 1))
        });
        let pool = pool.create().unwrap();
        let policies = PoaPolicies::new()
            .with(rt.client_propagated(Priority::new(1000).unwrap()))
            .with(pool.policy());
        let poa = orb.root_poa().create("lanes", policies).unwrap();
        let (sender, _posted) = channel();
        let in_lanes: Notice = poa.activate(Board(sender)).unwrap();
        for object in [here.object(), in_lanes.object()] {
            let found = endpoints(&client, object.ior());
            for scheme in schemes().filter(|scheme| *scheme != "iiop") {
                assert!(
                    found.iter().any(|found| found.starts_with(&format!("{scheme}:"))),
                    "{scheme}: {found:?}"
                );
            }
            for endpoint in &found {
                assert!(host(endpoint).is_loopback(), "{endpoint}");
            }
        }
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn an_orb_is_not_made_if_the_rules_exclude_all_addresses() {
    let files = Files::new();
    for scheme in schemes() {
        for (url, address) in [
            (format!("{scheme}://"), "127.0.0.1 (-ipv4)"),
            (format!("{scheme}://127.0.0.1:0"), "127.0.0.1 (-ipv4)"),
            (
                format!("{scheme}://:0/publish=192.0.2.1:7&publish=192.0.2.2"),
                "192.0.2.1 (-ipv4), 192.0.2.2 (-ipv4)",
            ),
        ] {
            let builder = files.builder().publish_rules(["-ipv4", "-ipv6"]).listen(&url);
            let error = builder.build().unwrap_err();
            let text = zorb::Report(&error).to_string();
            let rules = "PublishRules (-ipv4;-ipv6)";
            assert!(text.contains(rules) && text.contains(address), "{url}: {text}");
        }
        // An endpoint that nobody has named is opened for the first reference: of a callback, for example.
        let orb =
            files.builder().publish_rules(["-ipv4", "-ipv6"]).option("ServerProtocols", scheme);
        let orb = orb.build().unwrap();
        let (sender, _posted) = channel();
        let error: zorb::SystemException =
            orb.root_poa().activate::<_, Notice>(Board(sender)).unwrap_err().into();
        assert_eq!(error.kind, SystemExceptionKind::Initialize, "{scheme}");
        let text = zorb::Report(&error).to_string();
        assert!(text.contains("PublishRules (-ipv4;-ipv6)"), "{scheme}: {text}");
        assert!(orb.endpoints().is_empty());
        orb.shutdown(true).unwrap();
    }
}

#[test]
fn an_operator_can_set_the_rules() {
    let files = Files::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("zorb.toml");
    std::fs::write(&file, "publish_rules = [\"name=gate.*\", \"-ipv6\"]").unwrap();
    let two = "iiop://:0/publish=gate.example.org&publish=host.example.org";
    let orb = files.builder().listen(two).config_file(&file).build().unwrap();
    assert!(
        orb.endpoints().iter().all(|endpoint| endpoint.starts_with("iiop://gate.example.org:"))
    );
    let mut arguments = vec!["-ORBPublishRules".to_owned(), "name=host.*;ipv4".to_owned()];
    let orb = files.builder().listen(two).config_file(&file).arguments(&mut arguments);
    let orb = orb.build().unwrap();
    assert!(
        orb.endpoints().iter().all(|endpoint| endpoint.starts_with("iiop://host.example.org:"))
    );
    let error = files.builder().option("PublishRules", "looback").build().unwrap_err();
    let text = zorb::Report(&error).to_string();
    assert!(text.contains("PublishRules") && text.contains("looback"), "{text}");
}
