//! The network class of connections for one priority, as passed to transports.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_core::Orb;
use zorb_core::poa::PoaPolicies;
use zorb_rt::{
    LaneBuilder, LinearNetwork, NetworkClass, NetworkPriorityMapping, Priority, Qos, QosClass,
    RtOrb, expand,
};
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Around, WithTransport};
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, ListenError, ListenOptions, Stream,
    StreamOptions, Transport,
};

use crate::probe::{Fixed, Probe};

/// Records the options of streams.
#[derive(Debug, Default)]
struct Recording {
    connected: Arc<Mutex<Vec<StreamOptions>>>,
    listened: Arc<Mutex<Vec<StreamOptions>>>,
}

impl Around for Recording {
    fn connect(
        &self,
        inner: &dyn Transport,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> std::result::Result<Arc<dyn Stream>, ConnectError> {
        self.connected.lock().unwrap().push(options.stream.clone());
        inner.connect(endpoint, options)
    }

    fn listen(
        &self,
        inner: &dyn Transport,
        url: &str,
        options: &ListenOptions,
    ) -> std::result::Result<Arc<dyn Acceptor>, ListenError> {
        self.listened.lock().unwrap().push(options.stream.clone());
        inner.listen(url, options)
    }
}

struct Side {
    orb: Orb,
    rt: RtOrb,
    connected: Arc<Mutex<Vec<StreamOptions>>>,
    listened: Arc<Mutex<Vec<StreamOptions>>>,
}

/// Only two classes, so that no result is right by chance.
#[derive(Debug)]
struct Halves;

impl NetworkPriorityMapping for Halves {
    fn to_network(&self, priority: Priority) -> NetworkClass {
        match priority.value() < 1000 {
            true => NetworkClass { dscp: Some(10), queue: Some(1) },
            false => NetworkClass { dscp: Some(46), queue: Some(5) },
        }
    }
}

fn side(mapped: bool) -> Side {
    let recording = Recording::default();
    let (connected, listened) = (Arc::clone(&recording.connected), Arc::clone(&recording.listened));
    let protocol = WithTransport::new(IiopProtocol::new(), recording);
    let orb = Orb::builder()
        .without_environment()
        .declare(zorb_rt::RtOptions::default())
        .protocol(Arc::new(protocol));
    let orb = orb.listen("iiop://127.0.0.1:0").build().unwrap();
    let builder = RtOrb::builder();
    let builder = if mapped { builder.network(Halves) } else { builder };
    let rt = builder.attach(&orb).unwrap();
    Side { orb, rt, connected, listened }
}

fn classes(options: &Mutex<Vec<StreamOptions>>) -> Vec<(Option<u8>, Option<u32>)> {
    let taken = std::mem::take(&mut *options.lock().unwrap());
    taken.iter().map(|options| (options.dscp, options.socket_priority)).collect()
}

fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

const LOW: (Option<u8>, Option<u32>) = (Some(10), Some(1));
const HIGH: (Option<u8>, Option<u32>) = (Some(46), Some(5));
const NONE: (Option<u8>, Option<u32>) = (None, None);

#[test]
fn lanes_have_the_class_of_their_priority_on_both_sides() {
    let (server, client) = (side(true), side(true));
    assert_eq!(classes(&server.listened), [NONE], "the ORB's own endpoint is for all");
    let pool = server.rt.threadpool("lanes");
    let pool = pool.lane(LaneBuilder::new(number(10), 1)).lane(LaneBuilder::new(number(2000), 1));
    let pool = pool.create().unwrap();
    let mut listened = classes(&server.listened);
    listened.sort_unstable();
    assert_eq!(listened, [LOW, HIGH]);
    let model = server.rt.client_propagated(number(10));
    let policies = PoaPolicies::new().with(model).with(pool.policy());
    let poa = server.orb.root_poa().create("lanes", policies).unwrap();
    let here: Probe = poa.activate(Fixed).unwrap();
    let there: Probe = client.orb.resolve(&here.0.to_ior_string()).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (priority, class) in [(2000, HIGH), (10, LOW), (2000, HIGH)] {
                client.rt.current().set_priority(number(priority)).unwrap();
                for _ in 0..2 {
                    assert_eq!(there.answer().unwrap(), 42);
                }
                let connected = classes(&client.connected);
                // Once for each connection, never in a call.
                assert!(connected.is_empty() || connected == [class], "{connected:?}");
            }
        });
    });
}

#[test]
fn a_declared_priority_says_the_class_without_lanes() {
    let (server, client, plain) = (side(true), side(true), side(false));
    for (name, priority, class) in [("low", 7, LOW), ("high", 30_000, HIGH)] {
        let policies = PoaPolicies::new().with(server.rt.server_declared(number(priority)));
        let poa = server.orb.root_poa().create(name, policies).unwrap();
        let here: Probe = poa.activate(Fixed).unwrap();
        let text = here.0.to_ior_string();
        let there: Probe = client.orb.resolve(&text).unwrap();
        assert_eq!(there.answer().unwrap(), 42);
        assert_eq!(classes(&client.connected), [class], "a connection for each class");
        let there: Probe = plain.orb.resolve(&text).unwrap();
        assert_eq!(there.answer().unwrap(), 42);
    }
    assert_eq!(classes(&plain.connected), [NONE], "and one for all without a mapping");
}

#[test]
fn the_option_is_the_linear_mapping() {
    let recording = Recording::default();
    let listened = Arc::clone(&recording.listened);
    let protocol = WithTransport::new(IiopProtocol::new(), recording);
    let orb = Orb::builder()
        .without_environment()
        .declare(zorb_rt::RtOptions::default())
        .protocol(Arc::new(protocol));
    let orb = orb.option("RtNetwork", "linear").build().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let highest = LaneBuilder::new(Priority::MAX, 1).listen("iiop://127.0.0.1:0");
    let _pool = rt.threadpool("highest").lane(highest).create().unwrap();
    assert_eq!(classes(&listened), [(Some(46), Some(6))]);
}

#[test]
fn connections_for_all_priorities_have_no_class() {
    let (server, client) = (side(true), side(true));
    let here: Probe = server.orb.root_poa().activate(Fixed).unwrap();
    let there: Probe = client.orb.resolve(&here.0.to_ior_string()).unwrap();
    assert_eq!(there.answer().unwrap(), 42);
    assert_eq!(classes(&client.connected), [NONE]);
}

#[test]
fn a_class_of_service_sets_its_connections_up() {
    let (server, client) = (side(false), side(false));
    let here: Probe = server.orb.root_poa().activate(Fixed).unwrap();
    let there: Probe = client.orb.resolve(&here.0.to_ior_string()).unwrap();
    let control =
        Qos::new(QosClass::LowLatencyTransaction).rate(100).deadline(Duration::from_secs(300));
    let urgent = Probe(there.0.with_policies(&expand(&control).policies()).unwrap());
    assert_eq!(urgent.answer().unwrap(), 42);
    let options = std::mem::take(&mut *client.connected.lock().unwrap());
    let seen: Vec<_> = options.iter().map(|o| (o.dscp, o.send_buffer, o.no_delay)).collect();
    assert_eq!(seen, [(Some(46), Some(16 << 10), true)]);
    // The original reference has its own connection, with the options' settings.
    assert_eq!(there.answer().unwrap(), 42);
    assert_eq!(classes(&client.connected), [NONE]);

    let highest = LinearNetwork.to_network(Priority::MAX);
    assert_eq!(highest.dscp, Some(46), "the two agree on what is most urgent");
}

#[test]
fn a_class_of_service_has_a_lane() {
    let server = side(false);
    let control = Qos::new(QosClass::LowLatencyTransaction).deadline(Duration::from_secs(300));
    let bulk = Qos::new(QosClass::BulkData);
    let (control, bulk) = (expand(&control), expand(&bulk));
    let pool = server.rt.threadpool("classes").lane(bulk.lane()).lane(control.lane());
    let pool = pool.create().unwrap();
    let model = server.rt.client_propagated(bulk.priority);
    let policies = PoaPolicies::new().with(model).with(pool.policy());
    let poa = server.orb.root_poa().create("classes", policies).unwrap();
    let here: Probe = poa.activate(Fixed).unwrap();
    let client = side(false);
    let there: Probe = client.orb.resolve(&here.0.to_ior_string()).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            client.rt.current().set_priority(control.priority).unwrap();
            let call = there.0.for_call(&control.policies()).map(Probe).unwrap();
            assert_eq!(call.answer().unwrap(), 42);
            assert_eq!(classes(&client.connected), [(Some(46), None)]);
        });
    });
}
