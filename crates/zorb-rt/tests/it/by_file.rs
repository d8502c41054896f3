//! Real-time settings in a file have the same effect as in the program.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use zorb_core::poa::{Poa, PoaPolicies};
use zorb_core::policy::{
    ConnectionProperties, Policies, PolicyType, PrivateConnection, RelativeRequestTimeout,
    SyncScope,
};
use zorb_core::{ObjectRef, OnewayQueue, Orb, OrbBuilder, Result, codegen};
use zorb_rt::{
    Buffering, Direct, LaneBuilder, NativePriority, Priority, PriorityBand, PriorityBands,
    PriorityModel, RtCurrent, RtOrb, Strategy, Threadpool,
};
use zorb_tcp::IiopProtocol;
use zorb_testkit::require_loopback;
use zorb_types::SystemExceptionKind;

/// `interface Desk { short priority(); oneway void leave(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Desk(ObjectRef);

codegen::interface!(Desk(ObjectRef), "IDL:zorb.test/Desk:1.0", "Desk", []);

impl Desk {
    fn priority(&self) -> Result<i16> {
        codegen::invoke!(self, priority, [], [i16])
    }

    fn leave(&self) -> Result<()> {
        codegen::oneway!(self, leave, [])
    }
}

trait DeskServant: Send + Sync + 'static {
    fn priority(&self) -> Result<i16>;
    fn leave(&self);
}

codegen::skeleton!(Desk, DeskServant, {
    0 "priority" priority() [result: i16],
    1 "leave" leave() oneway,
});

struct Clerk(RtCurrent);

impl DeskServant for Clerk {
    fn priority(&self) -> Result<i16> {
        Ok(self.0.priority()?.value())
    }

    fn leave(&self) {}
}

const SERVER: &str = "rt_mapping = \"direct\"\nrt_highest_priority = 40\n\
    [rt_pool]\n\
    control = \"10:1 20:2\"\n\
    held = \"any:1 strategy=half-sync buffering=5/4096 by-priority\"\n\
    [rt_adapter]\n\
    control = \"client-propagated=10 pool=control\"\n\
    \"control/valves\" = \"server-declared=20 pool=control\"\n\
    held = \"server-declared=7 pool=held bands=0-9,10-40\"\n\
    \"*\" = \"server-declared=30\"\n";

const CLIENT: &str = "rt_mapping = \"direct\"\nrt_highest_priority = 40\n\
    rt_bands = \"0-15, 16-40\"\nrt_private_connections = \"yes\"\n\
    rt_oneways = \"queued\"\nmax_queued_calls = 7\n\
    rt_request_timeout = 250000\nround_trip_timeout = 600000\n\
    fragment_size = 4096\n";

fn builder() -> OrbBuilder {
    require_loopback();
    Orb::builder()
        .without_environment()
        .declare(zorb_rt::RtOptions::default())
        .protocol(Arc::new(IiopProtocol::new()))
}

/// A file that is removed after the test.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("zorb-by-file-{name}-{}.toml", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // A leftover file does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

fn bands(of: &[(i16, i16)]) -> PriorityBands {
    let band = |&(low, high): &(i16, i16)| PriorityBand::new(number(low), number(high)).unwrap();
    PriorityBands::new(of.iter().map(band)).unwrap()
}

struct Server {
    orb: Orb,
    rt: RtOrb,
    pools: [Threadpool; 2],
    adapters: [Poa; 4],
}

fn mapping() -> Direct {
    Direct::new(NativePriority::SHARED, NativePriority(40))
}

fn server_by_api() -> Server {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let rt = RtOrb::builder().mapping(mapping()).attach(&orb).unwrap();
    let lane = |priority, threads| LaneBuilder::new(number(priority), threads);
    let control = rt.threadpool("control").lane(lane(10, 1)).lane(lane(20, 2)).create().unwrap();
    let held = rt.threadpool("held").without_lanes(lane(0, 1)).strategy(Strategy::HalfSync);
    let room = Buffering { max_requests: 5, max_octets: Some(4096) };
    let held = held.buffering(room).by_priority(true).create().unwrap();
    let policies = PoaPolicies::new().with(rt.client_propagated(number(10)));
    let of_control = orb.root_poa().create("control", policies.with(control.policy())).unwrap();
    let policies = PoaPolicies::new().with(rt.server_declared(number(20)));
    let valves = of_control.create("valves", policies.with(control.policy())).unwrap();
    let policies = PoaPolicies::new().with(rt.server_declared(number(7)));
    let policies = policies.with(held.policy()).with(bands(&[(0, 9), (10, 40)]));
    let of_held = orb.root_poa().create("held", policies).unwrap();
    let other = PoaPolicies::new().with(rt.server_declared(number(30)));
    let other = orb.root_poa().create("other", other).unwrap();
    Server { orb, rt, pools: [control, held], adapters: [of_control, valves, of_held, other] }
}

fn server_by_file() -> Server {
    let file = File::new("server", SERVER);
    let orb = builder().config_file(&file.0).listen("iiop://127.0.0.1:0").build().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let create = |poa: &Poa, name: &str| poa.create(name, PoaPolicies::new()).unwrap();
    let root = orb.root_poa();
    let control = create(&root, "control");
    let valves = create(&control, "valves");
    let adapters = [control, valves, create(&root, "held"), create(&root, "other")];
    let pools = ["control", "held"].map(|name| rt.configured_threadpool(name).unwrap());
    Server { orb, rt, pools, adapters }
}

fn client_by_api() -> (Orb, RtOrb) {
    let orb = builder().round_trip_timeout(Duration::from_secs(600)).build().unwrap();
    let rt = RtOrb::builder().mapping(mapping()).attach(&orb).unwrap();
    let mut properties = ConnectionProperties::default();
    properties.fragment_size = Some(4096);
    properties.queued_calls = Some(7);
    let policies = Policies::new().with(bands(&[(0, 15), (16, 40)])).with(PrivateConnection);
    let policies = policies.with(SyncScope::None).with(OnewayQueue::default()).with(properties);
    let policies = policies.with(RelativeRequestTimeout(Duration::from_millis(250_000)));
    orb.policy_manager().add(&policies).unwrap();
    (orb, rt)
}

fn client_by_file() -> (Orb, RtOrb) {
    let file = File::new("client", CLIENT);
    let orb = builder().config_file(&file.0).build().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    (orb, rt)
}

/// The properties of an object that its client observes.
#[derive(Debug, PartialEq)]
struct Facts {
    profiles: usize,
    model: Option<PriorityModel>,
    servers_bands: Option<PriorityBands>,
    /// The replies to threads of these priorities.
    answers: Vec<std::result::Result<i16, SystemExceptionKind>>,
    inconsistent: Vec<PolicyType>,
    request: Option<RelativeRequestTimeout>,
    scope: Option<SyncScope>,
    properties: ConnectionProperties,
    queued: u64,
}

fn facts(adapter: &Poa, server: &Server, (client, rt): &(Orb, RtOrb)) -> Facts {
    let desk: Desk = adapter.activate(Clerk(server.rt.current())).unwrap();
    let desk: Desk = client.resolve(&desk.0.to_ior_string()).unwrap();
    let at = |priority: i16| {
        std::thread::scope(|scope| {
            let call = || {
                rt.current().set_priority(number(priority)).unwrap();
                desk.priority().map_err(|exception| exception.kind)
            };
            scope.spawn(call).join().unwrap()
        })
    };
    let answers = [10, 12, 20, 30].map(at).to_vec();
    let queue: OnewayQueue = client.policy_manager().policy().unwrap();
    let before = queue.counts().sent;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            rt.current().set_priority(number(20)).unwrap();
            // It fails if the bands of both sides contradict each other.
            let _ = desk.leave();
        });
    });
    assert!(queue.flush(Duration::from_secs(3600)));
    Facts {
        profiles: desk.0.ior().profiles.len(),
        model: desk.0.exposed_policy().unwrap(),
        servers_bands: desk.0.exposed_policy().unwrap(),
        answers,
        inconsistent: desk.0.inconsistent_policies().unwrap(),
        request: desk.0.policy().unwrap(),
        scope: desk.0.policy().unwrap(),
        properties: desk.0.connection_properties(zorb_giop::ProfileTag::INTERNET_IOP),
        queued: queue.counts().sent - before,
    }
}

/// What can be seen of a pool afterwards: its strategy and the threads of each lane. The number of
/// connections varies: a call opens another one if the last call has not released its own yet.
fn lanes(pool: &Threadpool) -> (Strategy, Vec<usize>) {
    (pool.strategy(), pool.counts().into_iter().map(|lane| lane.threads).collect())
}

#[test]
fn a_file_sets_up_what_the_api_sets_up() {
    let seen = [
        (server_by_api(), client_by_api()),
        (server_by_api(), client_by_file()),
        (server_by_file(), client_by_api()),
        (server_by_file(), client_by_file()),
    ]
    .map(|(server, client)| {
        let facts = server.adapters.each_ref().map(|it| facts(it, &server, &client));
        let lanes = server.pools.each_ref().map(lanes);
        server.orb.shutdown(true).unwrap();
        client.0.shutdown(true).unwrap();
        (facts, lanes)
    });
    let (facts, lanes) = &seen[0];
    assert_eq!(facts.each_ref().map(|it| it.profiles), [2, 1, 1, 1]);
    let kinds = |of: &Facts| of.answers.clone();
    // A priority without a lane goes to the lane of its band; the server's own are as declared.
    assert_eq!(kinds(&facts[0]), [Ok(10), Ok(12), Ok(20), Ok(30)]);
    assert_eq!(kinds(&facts[1]), [Ok(20); 4]);
    assert_eq!(kinds(&facts[2]), [Err(SystemExceptionKind::InvPolicy); 4], "bands on both sides");
    assert_eq!(kinds(&facts[3]), [Ok(30); 4]);
    assert_eq!(facts.each_ref().map(|it| it.queued), [1, 1, 0, 1]);
    assert_eq!(facts[1].properties.queued_calls, Some(7));
    assert_eq!(lanes[0].1, [1, 2]);
    assert_eq!(lanes[1].0, Strategy::HalfSync);
    for other in &seen[1..] {
        assert_eq!(other, &seen[0]);
    }
}

#[test]
fn the_program_is_stronger_than_the_file() {
    let (file, client_file) = (File::new("weaker", SERVER), File::new("weaker-client", CLIENT));
    let orb = builder().config_file(&file.0).listen("iiop://127.0.0.1:0").build().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let own = PoaPolicies::new().with(rt.server_declared(number(3)));
    let poa = orb.root_poa().create("other", own).unwrap();
    let model: Option<PriorityModel> = poa.policies().others.value().cloned();
    assert_eq!(model.map(|model| model.server_priority()), Some(number(3)));
    let of_root: Option<&PriorityModel> = None;
    assert_eq!(orb.root_poa().policies().others.value(), of_root, "it is made before");
    let client = builder().config_file(&client_file.0).build().unwrap();
    let own = bands(&[(1, 2)]);
    client.policy_manager().add(&Policies::new().with(own.clone())).unwrap();
    RtOrb::builder().attach(&client).unwrap();
    assert_eq!(client.policy_manager().policy_overrides().value(), Some(&own));
    assert!(client.policy_manager().policy_overrides().value::<PrivateConnection>().is_some());
}

#[test]
fn a_configured_pool_is_one_until_it_is_destroyed() {
    let orb = builder().option("RtPool", "p=any:1").listen("iiop://127.0.0.1:0").build().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let pool = rt.configured_threadpool("p").unwrap();
    assert_eq!(rt.configured_threadpool("p").unwrap(), pool);
    assert_eq!(RtOrb::of(&orb).unwrap().configured_threadpool("p").unwrap().id(), pool.id());
    pool.destroy().unwrap();
    assert_ne!(rt.configured_threadpool("p").unwrap().id(), pool.id());
    orb.shutdown(true).unwrap();
}

#[test]
fn errors_in_a_file_are_named() {
    for words in ["1-0", "0-x", "5", "0-5;6-9", "0-5,", "-1-5"] {
        let orb = builder().option("RtBands", words).build().unwrap();
        let refused = RtOrb::builder().attach(&orb).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Initialize);
        let failure = zorb_core::Error::from(refused).to_string();
        assert!(failure.contains("RtBands") && failure.contains("program"), "{failure}");
    }
    for words in ["garbage", "0:2 nonsense=3", "0:2 half-sync", "0:0x"] {
        let orb = builder().option("RtPool", format!("main={words}")).build().unwrap();
        let refused = RtOrb::builder().attach(&orb).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Initialize);
        let failure = zorb_core::Error::from(refused).to_string();
        assert!(failure.contains("RtPool") && failure.contains("main"), "{failure}");
    }
    for words in ["server-declared", "server-declared=-1", "pool=nowhere", "bands=", "quick"] {
        let orb = builder().option("RtAdapter", format!("a={words}"));
        let orb = orb.listen("iiop://127.0.0.1:0").build().unwrap();
        RtOrb::builder().attach(&orb).unwrap();
        let refused = orb.root_poa().create("a", PoaPolicies::new()).unwrap_err();
        let failure = zorb_core::Error::from(refused).to_string();
        assert!(failure.contains("RtAdapter") && failure.contains("\"a\""), "{failure}");
        assert!(orb.root_poa().create("b", PoaPolicies::new()).is_ok());
    }
}
