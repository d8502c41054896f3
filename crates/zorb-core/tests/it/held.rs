//! Held requests are queued messages: with every strategy they delay no others.

mod limits;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use crate::support::{Acting, Echo, Served, builder, served_by, until};
use zorb_cdr::ByteOrder;
use zorb_core::interceptor::{ServerRequestInfo, ServerRequestInterceptor};
use zorb_core::lanes::{Pool, Strategy};
use zorb_core::poa::{PoaManager, PoaPolicies};
use zorb_core::{CollocationStrategy, Interface, Orb, OrbBuilder};
use zorb_giop::{
    GiopVersion, MessageKind, MessageWriter, ReplyHeader, ReplyStart, ReplyStatus, RequestStart,
    ResponseFlags, TargetAddress,
};
use zorb_testkit::{connect_from, read_message};
use zorb_types::{CompletionStatus, SystemException, minor};

/// More than the limits of threads, connections or descriptors.
const HELD: i32 = 1_000;

/// Two objects in one lane: one behind a manager of its own, one behind an active manager.
pub(crate) struct Scene {
    pub(crate) orb: Orb,
    pub(crate) manager: PoaManager,
    /// The policies of both adapters, with the pool.
    pub(crate) policies: PoaPolicies,
    pool: Option<Pool>,
    pub(crate) held: Echo,
    pub(crate) free: Echo,
    /// The requests of the first object, in order.
    pub(crate) asked: Arc<Mutex<Vec<i32>>>,
    pub(crate) address: String,
}

/// `None` for the ORB's own lane.
pub(crate) const STRATEGIES: [Option<Strategy>; 5] = [
    None,
    Some(Strategy::ThreadPerConnection),
    Some(Strategy::LeaderFollowers),
    Some(Strategy::HalfSync),
    Some(Strategy::SingleThread),
];

impl Scene {
    /// A lane of one thread, which holds this many requests of one peer.
    pub(crate) fn new(strategy: Option<Strategy>, max_held: i32) -> Self {
        Self::with(strategy, builder().option("MaxHeldRequests", (2 * max_held).to_string()))
    }

    /// The same, where the watchdog hands no connection over, so that its requests keep their order.
    fn in_order(strategy: Option<Strategy>, max_held: i32) -> Self {
        let builder = builder().option("StallTakeover", "3600000");
        Self::with(strategy, builder.option("MaxHeldRequests", (2 * max_held).to_string()))
    }

    pub(crate) fn with(strategy: Option<Strategy>, builder: OrbBuilder) -> Self {
        let orb = builder.listen("iiop://127.0.0.1:0").build().unwrap();
        let Served { policies, pool, address } = served_by(&orb, strategy, 1);
        let manager = orb.create_poa_manager();
        let root = orb.root_poa();
        let behind = root.create_with_manager("held", policies.clone(), manager.clone()).unwrap();
        let asked = Arc::<Mutex<Vec<i32>>>::default();
        let note = Arc::clone(&asked);
        let held = behind.activate(Acting(move |value| {
            note.lock().unwrap().push(value);
            Ok(value)
        }));
        let free = root.create("free", policies.clone()).unwrap().activate(Acting(Ok));
        let (held, free) = (held.unwrap(), free.unwrap());
        Self { orb, manager, policies, pool, held, free, asked, address }
    }

    pub(crate) fn connect(&self) -> Raw {
        self.connect_from("127.0.0.1")
    }

    pub(crate) fn connect_from(&self, address: &str) -> Raw {
        Raw(connect_from(address, &self.address).unwrap())
    }
}

/// The key of an object.
pub(crate) fn key(echo: &Echo) -> Vec<u8> {
    zorb_giop::iiop_object_key(&echo.object().ior().profiles[0].data).unwrap().to_vec()
}

/// A call of `twice`, whose argument is the request's id.
pub(crate) fn request(key: &[u8], value: i32, response: ResponseFlags) -> Vec<u8> {
    let mut octets = Vec::new();
    let start = RequestStart {
        request_id: u32::try_from(value).unwrap(),
        response,
        target: TargetAddress::Key(key),
        operation: "twice",
        service_contexts: &[],
    };
    let (version, order) = (GiopVersion::V1_2, ByteOrder::Little);
    let mut message = MessageWriter::request(&mut octets, version, order, &start).unwrap();
    message.body(Default::default()).write_i32(value);
    message.finish().unwrap();
    octets
}

/// A client without an ORB, which sends requests without waiting for replies.
pub(crate) struct Raw(pub(crate) TcpStream);

impl Raw {
    pub(crate) fn twice(&mut self, echo: &Echo, value: i32, response: ResponseFlags) {
        self.twice_to(&key(echo), value, response);
    }

    /// The same with the key of an object.
    pub(crate) fn twice_to(&mut self, key: &[u8], value: i32, response: ResponseFlags) {
        self.0.write_all(&request(key, value, response)).unwrap();
    }

    /// The id and the status of the next reply.
    pub(crate) fn reply(&mut self) -> (i32, ReplyStatus) {
        let (id, status, _) = self.whole_reply();
        (id, status)
    }

    /// The same, and all octets of the message.
    fn whole_reply(&mut self) -> (i32, ReplyStatus, Vec<u8>) {
        let (header, octets) = read_message(&mut self.0).unwrap();
        assert_eq!(header.kind, MessageKind::Reply);
        let start = ReplyStart::read(&octets, &header).unwrap();
        (i32::try_from(start.request_id).unwrap(), start.status, octets)
    }

    /// The id of the next reply, which has a system exception.
    pub(crate) fn exception(&mut self) -> (i32, SystemException) {
        let (header, octets) = read_message(&mut self.0).unwrap();
        let (reply, mut body) = ReplyHeader::read(&octets, &header).unwrap();
        assert_eq!(reply.status, ReplyStatus::SystemException);
        let exception = SystemException::read(&mut body).unwrap();
        (i32::try_from(reply.request_id).unwrap(), exception)
    }
}

pub(crate) fn held(manager: &PoaManager) -> i32 {
    i32::try_from(manager.held_requests()).unwrap()
}

pub(crate) const TWO_WAY: ResponseFlags = ResponseFlags::SyncWithTarget;
pub(crate) const DONE: ReplyStatus = ReplyStatus::NoException;

#[test]
fn a_thousand_held_requests_delay_nobody_on_their_connection_or_in_their_lane() {
    for strategy in STRATEGIES {
        let scene = Scene::in_order(strategy, HELD);
        let mut client = scene.connect();
        (0..HELD).for_each(|value| client.twice(&scene.held, value, TWO_WAY));
        until(|| held(&scene.manager) == HELD);
        // On the same connection, on another one, and by a client that holds requests itself.
        client.twice(&scene.free, HELD, TWO_WAY);
        assert_eq!(client.reply(), (HELD, DONE), "{strategy:?}");
        let mut other = scene.connect();
        other.twice(&scene.free, 7, TWO_WAY);
        assert_eq!(other.reply(), (7, DONE), "{strategy:?}");
        assert!(scene.asked.lock().unwrap().is_empty(), "the control: they are still held");

        scene.manager.activate().unwrap();
        let mut replies: Vec<_> = (0..HELD).map(|_| client.reply()).collect();
        replies.sort_unstable_by_key(|(id, _)| *id);
        assert_eq!(replies, (0..HELD).map(|id| (id, DONE)).collect::<Vec<_>>());
        assert_eq!(held(&scene.manager), 0);
        let asked = scene.asked.lock().unwrap().clone();
        assert_eq!(asked, (0..HELD).collect::<Vec<_>>(), "{strategy:?}");
        // Later ones pass at once.
        client.twice(&scene.held, 5, TWO_WAY);
        assert_eq!(client.reply(), (5, DONE));
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_client_that_has_gone_leaves_its_one_way_requests_and_no_connection() {
    for strategy in STRATEGIES {
        let scene = Scene::in_order(strategy, HELD);
        for value in 0..20 {
            let mut client = scene.connect();
            client.twice(&scene.held, value, ResponseFlags::NoResponse);
            client.twice(&scene.held, value + 100, TWO_WAY);
            client.twice(&scene.held, value + 200, ResponseFlags::NoResponse);
            until(|| held(&scene.manager) == 2 * value + 3);
            client.0.shutdown(std::net::Shutdown::Write).unwrap();
            // The server ends its side although requests of this client are held.
            assert_eq!(client.0.read(&mut [0; 64]).unwrap(), 0, "{strategy:?}");
            until(|| held(&scene.manager) == 2 * value + 2);
        }
        scene.manager.activate().unwrap();
        until(|| scene.asked.lock().unwrap().len() == 40);
        // Each client's in their order, and all.
        let mut asked = scene.asked.lock().unwrap().clone();
        asked.sort_by_key(|value| value % 100);
        let expected: Vec<_> = (0..20).flat_map(|value| [value, value + 200]).collect();
        assert_eq!(asked, expected, "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}

/// Panics before a reply with an exception is written: that is no part of an upcall.
#[derive(Debug)]
struct Fragile;

impl ServerRequestInterceptor for Fragile {
    fn send_exception(&self, _: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        panic!("on purpose")
    }
}

#[test]
fn a_panic_outside_an_upcall_ends_no_thread_though_the_client_has_gone() {
    // More than the threads for resumed requests of any lane.
    const CLIENTS: i32 = 65;
    for strategy in STRATEGIES {
        let scene = Scene::in_order(strategy, HELD);
        scene.orb.add_server_request_interceptor("fragile", |_| Some(Arc::new(Fragile)));
        let (policies, manager) = (scene.policies.clone(), scene.manager.clone());
        let root = scene.orb.root_poa();
        let poa = root.create_with_manager("fragile", policies, manager).unwrap();
        let transient = minor::transient::REQUEST_DISCARDED;
        let fails = move |_| Err(SystemException::transient(transient, CompletionStatus::No));
        let failing: Echo = poa.activate(Acting(fails)).unwrap();
        for value in 0..CLIENTS {
            let mut client = scene.connect();
            client.twice(&failing, value, ResponseFlags::NoResponse);
            client.twice(&scene.held, value, ResponseFlags::NoResponse);
            until(|| held(&scene.manager) == 2 * (value + 1));
            client.0.shutdown(std::net::Shutdown::Write).unwrap();
            assert_eq!(client.0.read(&mut [0; 64]).unwrap(), 0, "{strategy:?}");
        }
        scene.manager.activate().unwrap();
        until(|| i32::try_from(scene.asked.lock().unwrap().len()) == Ok(CLIENTS));
        let mut client = scene.connect();
        client.twice(&scene.free, 1, TWO_WAY);
        assert_eq!(client.reply(), (1, DONE), "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_resumed_request_that_blocks_delays_no_later_one() {
    for strategy in [None, Some(Strategy::ThreadPerConnection)] {
        let scene = Scene::new(strategy, HELD);
        // The servant records requests under this lock.
        let mut clients = [scene.connect(), scene.connect()];
        clients[0].twice(&scene.held, 1, TWO_WAY);
        until(|| held(&scene.manager) == 1);
        let pool_has_one_thread = strategy.is_some();
        let blocked = scene.asked.lock().unwrap();
        scene.manager.activate().unwrap();
        clients[1].twice(&scene.free, 2, TWO_WAY);
        if !pool_has_one_thread {
            assert_eq!(clients[1].reply(), (2, DONE), "{strategy:?}");
        }
        drop(blocked);
        assert_eq!(clients[0].reply(), (1, DONE), "{strategy:?}");
        if pool_has_one_thread {
            assert_eq!(clients[1].reply(), (2, DONE), "{strategy:?}");
        }
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_manager_that_holds_again_keeps_the_order() {
    for _ in 0..20 {
        holds_again();
    }
}

fn holds_again() {
    let scene = Scene::new(Some(Strategy::LeaderFollowers), HELD);
    let mut client = scene.connect();
    (0..50).for_each(|value| client.twice(&scene.held, value, TWO_WAY));
    until(|| held(&scene.manager) == 50);
    for round in 0..20 {
        scene.manager.activate().unwrap();
        scene.manager.hold_requests().unwrap();
        client.twice(&scene.held, 50 + round, TWO_WAY);
    }
    scene.manager.activate().unwrap();
    (0..70).for_each(|_| assert_eq!(client.reply().1, DONE));
    assert_eq!(*scene.asked.lock().unwrap(), (0..70).collect::<Vec<_>>());
    scene.orb.shutdown(true).unwrap();
}

#[test]
fn a_collocated_call_does_not_wait_for_requests_that_its_own_thread_would_serve() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy, HELD);
        let (manager, held_object) = (scene.manager.clone(), scene.held.clone());
        let opens = Acting(move |value| {
            manager.activate().unwrap();
            // The request that was held waits for this thread, where the lane has no other.
            held_object.with_collocation(CollocationStrategy::Marshalled).twice(value)
        });
        let poa = scene.orb.root_poa().create("opening", scene.policies.clone()).unwrap();
        let opening = poa.activate(opens).unwrap();
        let mut client = scene.connect();
        client.twice(&scene.held, 1, TWO_WAY);
        until(|| held(&scene.manager) == 1);
        client.twice(&opening, 2, TWO_WAY);
        let mut replies = [client.reply(), client.reply()];
        replies.sort_unstable_by_key(|(id, _)| *id);
        assert_eq!(replies, [(1, DONE), (2, DONE)], "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_request_held_for_a_pool_that_has_ended_holds_up_no_other() {
    for strategy in STRATEGIES.into_iter().flatten() {
        let scene = Scene::new(Some(strategy), HELD);
        let root = scene.orb.root_poa();
        let manager = scene.manager.clone();
        let other = root.create_with_manager("other", PoaPolicies::new(), manager).unwrap();
        let other = other.activate(Acting(Ok)).unwrap();
        let mut client = scene.connect();
        client.twice(&scene.held, 1, ResponseFlags::NoResponse);
        until(|| held(&scene.manager) == 1);
        drop(client);
        for name in ["held", "free"] {
            root.find(name).unwrap().destroy();
        }
        scene.pool.as_ref().unwrap().destroy().unwrap();
        scene.manager.activate().unwrap();
        let (_orb, there) = crate::support::client(&other);
        assert_eq!(there.twice(2), Ok(2), "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_lane_serves_the_objects_of_its_pool_alone() {
    for strategy in STRATEGIES.into_iter().flatten() {
        let scene = Scene::new(Some(strategy), HELD);
        let other = scene.orb.root_poa().create("other", PoaPolicies::new()).unwrap();
        let other = other.activate(Acting(Ok)).unwrap();
        let mut client = scene.connect();
        client.twice(&other, 1, TWO_WAY);
        assert_eq!(client.reply(), (1, ReplyStatus::SystemException), "{strategy:?}");
        client.twice(&scene.free, 2, TWO_WAY);
        assert_eq!(client.reply(), (2, DONE), "{strategy:?}");
        let (_orb, there) = crate::support::client(&other);
        assert_eq!(there.twice(3), Ok(3), "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}

#[test]
fn one_way_requests_with_published_keys_are_held() {
    for strategy in STRATEGIES {
        let scene = Scene::in_order(strategy, HELD);
        scene.orb.publish("held", &scene.held).unwrap();
        let mut client = scene.connect();
        for value in 0..20 {
            // With the object's own key, they keep their place.
            match value % 3 {
                0 => client.twice(&scene.held, value, ResponseFlags::NoResponse),
                _ => client.twice_to(b"held", value, ResponseFlags::NoResponse),
            }
        }
        // Others are forwarded.
        client.twice_to(b"held", 20, TWO_WAY);
        assert_eq!(client.reply(), (20, ReplyStatus::LocationForward), "{strategy:?}");
        until(|| held(&scene.manager) == 20);
        scene.manager.activate().unwrap();
        until(|| scene.asked.lock().unwrap().len() == 20);
        // One that is not held is served at once.
        client.twice_to(b"held", 21, ResponseFlags::NoResponse);
        until(|| scene.asked.lock().unwrap().len() == 21);
        let asked = scene.asked.lock().unwrap().clone();
        assert!(asked.into_iter().eq((0..20).chain([21])), "{strategy:?}");
        scene.orb.shutdown(true).unwrap();
    }
}
