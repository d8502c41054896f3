//! What connection properties do, for every protocol and every property: what the system says of the very
//! connections, and what goes over them. What a protocol has no counterpart for, it passes over.
#![allow(clippy::unwrap_used, clippy::panic)]

mod accept;
mod bands;
mod hidden;
mod levels;
mod messages;
mod mirror;
mod sockets;
mod spy;
#[path = "../tls/mod.rs"]
mod tls;

use std::sync::Arc;

use zorb::poa::PoaPolicies;
use zorb::policy::{ConnectionProperties, Policies};
use zorb::transport::Protocol;
use zorb::{Interface as _, Orb, OrbBuilder};

use mirror::{Board, Mirror};
use spy::{Spied, SpyStream};

/// What the connections of a protocol are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// TCP, also below TLS.
    Tcp,
    /// Unix-domain sockets.
    Unix,
    /// Nothing that could be asked here: shared memory; and datagrams, of which a server's connections share
    /// a socket, so that their crates look at what is sent.
    Other,
}

/// Every protocol of the facade but MIOP, whose objects are groups; where it is listened at.
const PROTOCOLS: [(&str, Family); 12] = [
    ("iiop://127.0.0.1:0", Family::Tcp),
    ("iiop://[::1]:0", Family::Tcp),
    ("lite+iiop://127.0.0.1:0", Family::Tcp),
    ("short+iiop://127.0.0.1:0", Family::Tcp),
    ("ssliop://127.0.0.1:0", Family::Tcp),
    ("uiop://", Family::Unix),
    ("lite+uiop://", Family::Unix),
    ("short+uiop://", Family::Unix),
    ("shmiop://", Family::Other),
    ("rudp://127.0.0.1:0", Family::Other),
    ("sciop://127.0.0.1:0", Family::Other),
    ("diop://127.0.0.1:0", Family::Other),
];

/// The protocols that this machine has.
fn protocols() -> impl Iterator<Item = (&'static str, Family)> {
    let has_ipv6 = std::net::TcpListener::bind("[::1]:0").is_ok();
    PROTOCOLS.into_iter().filter(move |(url, _)| has_ipv6 || !url.contains("[::1]"))
}

fn scheme(url: &str) -> &str {
    url.split_once("://").unwrap().0
}

/// An ORB with the one protocol, whose streams are kept.
fn spied(url: &str) -> (OrbBuilder, Arc<Spied>) {
    let all = tls::with_tls(Orb::builder().without_environment()).build().unwrap();
    let protocol: Arc<dyn Protocol> = all.protocols().by_scheme(scheme(url)).unwrap();
    let spied = Arc::new(Spied::new(protocol, |_| spy::Spy::default()));
    let builder = OrbBuilder::new().without_environment().protocol(Arc::<Spied>::clone(&spied));
    (builder.option("StallTakeover", "3600000"), spied)
}

/// A server and a client of one protocol, which have met.
struct Met {
    mirror: Mirror,
    board: mirror::Posted,
    connected: Arc<SpyStream>,
    accepted: Arc<SpyStream>,
    /// Ended with the client's.
    orbs: [Orb; 2],
}

impl Drop for Met {
    fn drop(&mut self) {
        self.orbs.iter().rev().for_each(|orb| orb.shutdown(true).unwrap());
    }
}

impl Met {
    /// What happens over the protocol where the client's ORB says `client`, and the adapter `adapter`.
    fn new(
        url: &str,
        client: Option<ConnectionProperties>,
        adapter: Option<ConnectionProperties>,
    ) -> Self {
        let (builder, serving) = spied(url);
        let server = builder.listen(url).build().unwrap();
        let policies = adapter.map_or(PoaPolicies::new(), |it| PoaPolicies::new().with(it));
        let poa = server.root_poa().create("adapter", policies).unwrap();
        let (servant, board) = Board::new();
        let object: Mirror = poa.activate(servant).unwrap();
        let (builder, calling) = spied(url);
        let orb = builder.build().unwrap();
        if let Some(properties) = client {
            orb.policy_manager().add(&Policies::new().with(properties)).unwrap();
        }
        let mirror: Mirror = orb.resolve(&object.as_object().to_ior_string()).unwrap();
        board.meet(&mirror, url);
        Self {
            mirror,
            board,
            connected: calling.connected(),
            accepted: serving.accepted(),
            orbs: [server, orb],
        }
    }
}
