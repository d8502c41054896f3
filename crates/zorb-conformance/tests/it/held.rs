//! Held requests are messages in a queue over every protocol: a thousand of them delay nobody, with any strategy.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};

use zorb::poa::{PoaManager, PoaPolicies};
use zorb::rt::{Denied, LaneBuilder, Priority, RtOrb, Strategy, Threadpool};
use zorb::transport::inproc::{InprocProtocol, InprocTransport};
use zorb::{Interface as _, Octets, Orb, OrbBuilder, Pending, Result, Wire as _};
use zorb_testkit::until;

use crate::properties::mirror::{Mirror, MirrorServant};
use crate::tls::with_tls;

/// More than the limits of threads, connections or descriptors.
const HELD: u32 = 1_000;
/// The argument with which the servant waits for a permission.
const WAITS: u32 = 100_000;
/// That of calls to the other object.
const FREE: u32 = 100_001;

/// Notes its arguments when upcalls end.
struct Noting {
    ended: Arc<Mutex<Vec<u32>>>,
    begins: Mutex<Sender<u32>>,
    permitted: Arc<Mutex<Receiver<()>>>,
}

impl MirrorServant for Noting {
    fn mirror(&self, data: &[u8]) -> Result<Vec<u8>> {
        let value = u32::from_ne_bytes(data.try_into().unwrap());
        // The test listens only if it has to.
        let _ = self.begins.lock().unwrap().send(value);
        if value == WAITS {
            self.permitted.lock().unwrap().recv().unwrap();
        }
        self.ended.lock().unwrap().push(value);
        Ok(data.to_vec())
    }

    fn post(&self, _: &[u8]) {}
}

fn send(object: &Mirror, value: u32) -> Pending<Vec<u8>> {
    let data = value.to_ne_bytes();
    object.as_object().send("mirror", |writer| Octets::write(&data, writer), Octets::read)
}

fn call(object: &Mirror, value: u32) {
    assert_eq!(object.mirror(&value.to_ne_bytes()).unwrap(), value.to_ne_bytes());
}

static INSIDE: LazyLock<InprocTransport> = LazyLock::new(InprocTransport::new);

fn builder() -> OrbBuilder {
    let builder = with_tls(Orb::builder().without_environment());
    builder.protocol(Arc::new(InprocProtocol::new(INSIDE.clone())))
}

/// Two objects in one lane: one behind a manager of its own, and one behind an active manager.
struct Scene {
    server: Orb,
    manager: PoaManager,
    _pool: Option<Threadpool>,
    held: Mirror,
    free: Mirror,
    ended: Arc<Mutex<Vec<u32>>>,
    begun: Receiver<u32>,
    permits: Sender<()>,
}

impl Scene {
    /// A lane of one thread, or for `None` the ORB's own.
    fn new(url: &str, strategy: Option<Strategy>) -> Self {
        let server = builder().listen(url).option("MaxHeldRequests", (2 * HELD).to_string());
        let server = server.option("StallTakeover", "3600000").build().unwrap();
        let pool = strategy.map(|strategy| {
            let rt = RtOrb::builder().denied(Denied::Run).attach(&server).unwrap();
            let lane = LaneBuilder::new(Priority::default(), 1);
            rt.threadpool("pool").strategy(strategy).without_lanes(lane).create().unwrap()
        });
        let policies = match &pool {
            Some(pool) => PoaPolicies::new().with(pool.policy()),
            None => PoaPolicies::new(),
        };
        let ((begins, begun), (permits, permitted)) = (channel(), channel());
        let (ended, permitted) = (Arc::default(), Arc::new(Mutex::new(permitted)));
        let servant = || Noting {
            ended: Arc::clone(&ended),
            begins: Mutex::new(begins.clone()),
            permitted: Arc::clone(&permitted),
        };
        let root = server.root_poa();
        let waiting = root.create_with_manager("held", policies.clone(), None).unwrap();
        let manager = waiting.manager();
        let held = waiting.activate(servant()).unwrap();
        let free = root.create("free", policies).unwrap().activate(servant()).unwrap();
        server.serve().unwrap();
        Self { manager, _pool: pool, held, free, ended, begun, permits, server }
    }

    /// Both objects as a client with one connection sees them.
    fn client(&self) -> (Orb, [Mirror; 2]) {
        let client = builder().option("MaxConnectionsPerEndpoint", "1");
        let client = client.option("MaxCallsPerConnection", "1024").build().unwrap();
        let objects = [&self.held, &self.free];
        let seen = objects.map(|it| client.resolve(&it.as_object().to_ior_string()).unwrap());
        (client, seen)
    }

    fn connections(&self) -> usize {
        self.server.metrics().lanes.iter().map(|lane| lane.counts.connections).sum()
    }

    fn ended(&self) -> Vec<u32> {
        std::mem::take(&mut *self.ended.lock().unwrap())
    }
}

/// The strategies of lanes that serve the protocol. A single thread serves only connections for which it can wait together.
fn strategies(url: &str) -> impl Iterator<Item = Strategy> {
    let (scheme, _) = url.split_once("://").unwrap();
    let is_polled = ["iiop", "lite+iiop", "short+iiop", "uiop"].contains(&scheme);
    [Strategy::ThreadPerConnection, Strategy::LeaderFollowers, Strategy::HalfSync]
        .into_iter()
        .chain(is_polled.then_some(Strategy::SingleThread))
}

fn held_requests_delay_nobody(url: &str) {
    for strategy in [None].into_iter().chain(strategies(url).map(Some)) {
        let scene = Scene::new(url, strategy);
        let (client, [held, free]) = scene.client();
        let waiting: Vec<_> = (0..HELD).map(|value| send(&held, value)).collect();
        until(|| scene.manager.held_requests() == HELD as usize);
        // On the same connection, and on another one.
        call(&free, FREE);
        assert_eq!(scene.connections(), 1, "{url}, {strategy:?}");
        let (other, [_, free]) = scene.client();
        call(&free, FREE);
        assert_eq!(scene.ended(), [FREE, FREE], "{url}, {strategy:?}: the others are still held");
        scene.manager.activate().unwrap();
        for (value, call) in (0..HELD).zip(waiting) {
            assert_eq!(call.wait().unwrap(), value.to_ne_bytes(), "{url}, {strategy:?}");
        }
        let mut ended = scene.ended();
        ended.sort_unstable();
        assert!(ended.into_iter().eq(0..HELD), "{url}, {strategy:?}");
        assert_eq!(scene.manager.held_requests(), 0);
        [client, other, scene.server].iter().for_each(|orb| orb.shutdown(true).unwrap());
    }
}

/// The control: a request that waits in its upcall delays those of its lane.
fn requests_in_upcalls_delay_others(url: &str) {
    for strategy in strategies(url) {
        let scene = Scene::new(url, Some(strategy));
        scene.manager.activate().unwrap();
        let (client, [held, free]) = scene.client();
        let first = send(&held, WAITS);
        assert_eq!(scene.begun.recv(), Ok(WAITS));
        let second = send(&free, FREE);
        scene.permits.send(()).unwrap();
        assert_eq!(second.wait().unwrap(), FREE.to_ne_bytes());
        assert_eq!(first.wait().unwrap(), WAITS.to_ne_bytes());
        assert_eq!(scene.ended(), [WAITS, FREE], "{url}, {strategy:?}");
        [client, scene.server].iter().for_each(|orb| orb.shutdown(true).unwrap());
    }
}

macro_rules! over {
    ($($name:ident $url:literal)*) => {
        $(mod $name {
            #[test]
            fn held_requests_delay_nobody() {
                super::held_requests_delay_nobody($url);
            }

            #[test]
            fn requests_in_upcalls_delay_others() {
                super::requests_in_upcalls_delay_others($url);
            }
        })*
    };
}

over! {
    iiop "iiop://127.0.0.1:0"
    lite_iiop "lite+iiop://127.0.0.1:0"
    short_iiop "short+iiop://127.0.0.1:0"
    uiop "uiop://"
    shmiop "shmiop://"
    ssliop "ssliop://127.0.0.1:0"
    rudp "rudp://127.0.0.1:0"
    sciop "sciop://127.0.0.1:0"
    inproc "inproc://"
}
