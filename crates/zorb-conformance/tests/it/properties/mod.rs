//! The effect of every connection property on every protocol, observed on the sockets and on the
//! octets sent. Properties that do not apply to a protocol have no effect.

mod accept;
mod bands;
mod hidden;
mod levels;
mod messages;
pub(crate) mod mirror;
mod sockets;
mod spy;

use std::sync::Arc;

use zorb::poa::PoaPolicies;
use zorb::policy::{ConnectionProperties, Policies};
use zorb::transport::Protocol;
use zorb::{Interface as _, Orb, OrbBuilder};

use mirror::{Board, Mirror};
use spy::{Spied, SpyStream};

/// The kind of sockets of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// TCP, also below TLS.
    Tcp,
    /// Unix-domain sockets.
    Unix,
    /// Nothing to observe here: shared memory; and datagrams, for which a server's connections
    /// share a socket, so their crates test the datagrams themselves.
    Other,
}

/// Every protocol of the facade except MIOP, whose objects are groups, with its URL for listening.
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

/// The protocols that are available on this machine.
fn protocols() -> impl Iterator<Item = (&'static str, Family)> {
    let has_ipv6 = std::net::TcpListener::bind("[::1]:0").is_ok();
    PROTOCOLS.into_iter().filter(move |(url, _)| has_ipv6 || !url.contains("[::1]"))
}

fn scheme(url: &str) -> &str {
    url.split_once("://").unwrap().0
}

/// An ORB with one protocol, whose streams are recorded.
fn spied(url: &str) -> (OrbBuilder, Arc<Spied>) {
    let all = crate::tls::with_tls(Orb::builder().without_environment()).build().unwrap();
    let protocol: Arc<dyn Protocol> = all.protocols().by_scheme(scheme(url)).unwrap();
    let spied = Arc::new(Spied::new(protocol, |_| spy::Spy::default()));
    let builder = OrbBuilder::new().without_environment().protocol(Arc::<Spied>::clone(&spied));
    (builder.option("StallTakeover", "3600000"), spied)
}

/// A server and a client of one protocol, after their first call.
struct Pair {
    mirror: Mirror,
    board: mirror::Posted,
    connected: Arc<SpyStream>,
    accepted: Arc<SpyStream>,
    /// Shut down after the client's.
    orbs: [Orb; 2],
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.orbs.iter().rev().for_each(|orb| orb.shutdown(true).unwrap());
    }
}

impl Pair {
    /// Connects with the properties `client` of the client's ORB and `adapter` of the object
    /// adapter.
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
        board.first_call(&mirror, url);
        Self {
            mirror,
            board,
            connected: calling.connected(),
            accepted: serving.accepted(),
            orbs: [server, orb],
        }
    }
}
