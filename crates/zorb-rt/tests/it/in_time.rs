//! Requests with an end time: how clients send it, and how servers enforce it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use zorb_cdr::ByteOrder;
use zorb_core::interceptor::{ClientRequestInfo, ClientRequestInterceptor};
use zorb_core::poa::{PoaCurrent, PoaPolicies};
use zorb_core::policy::{
    Policies, RelativeRequestTimeout, RelativeRoundtripTimeout, ServeInTime, SyncScope,
};
use zorb_core::{Interface, ObjectRef, Orb, OrbBuilder, Result, SendEndTimes, codegen};
use zorb_giop::{ComponentTag, GiopLite, IiopProfile, Ior, ProfileTag, ServiceId};
use zorb_rt::{LaneBuilder, Priority, RtOrb, Strategy};
use zorb_shm::ShmiopProtocol;
use zorb_tcp::IiopProtocol;
use zorb_transport::Composed;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use zorb_unix::UiopProtocol;

/// `interface Desk { unsigned long long left(); oneway void leave(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Desk(ObjectRef);

codegen::interface!(Desk(ObjectRef), "IDL:zorb.test/Desk:1.0", "Desk", []);

impl Desk {
    fn left(&self) -> Result<u64> {
        codegen::invoke!(self, left, [], [u64])
    }

    fn leave(&self) -> Result<()> {
        codegen::oneway!(self, leave, [])
    }
}

trait DeskServant: Send + Sync + 'static {
    fn left(&self) -> Result<u64>;
    fn leave(&self);
}

codegen::skeleton!(Desk, DeskServant, {
    0 "left" left() [result: u64],
    1 "leave" leave() oneway,
});

/// Says how many milliseconds there are left for the reply, `u64::MAX` for any number, and how often
/// it was asked.
struct Clerk {
    current: PoaCurrent,
    asked: AtomicUsize,
}

impl DeskServant for Clerk {
    fn left(&self) -> Result<u64> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let end = self.current.reply_end_time().unwrap();
        let left = end.map(|end| end.time_left().as_millis() as u64);
        Ok(left.unwrap_or(u64::MAX))
    }

    fn leave(&self) {
        self.asked.fetch_add(1, Ordering::SeqCst);
    }
}

fn builder() -> OrbBuilder {
    let orb = Orb::builder()
        .without_environment()
        .declare(zorb_rt::RtOptions::default())
        .protocol(Arc::new(IiopProtocol::new()));
    let orb = orb.protocol(Arc::new(UiopProtocol::new())).protocol(Arc::new(ShmiopProtocol::new()));
    let lite = Composed::new(&GiopLite, UiopProtocol::new(), ProfileTag::ZORB_LITE_UIOP);
    orb.protocol(Arc::new(lite))
}

struct Server {
    orb: Orb,
    rt: RtOrb,
    clerk: Arc<Clerk>,
}

fn server(url: &str) -> Server {
    let orb = builder().listen(url).build().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let clerk = Arc::new(Clerk { current: orb.poa_current(), asked: AtomicUsize::new(0) });
    Server { orb, rt, clerk }
}

impl Server {
    /// A desk of an adapter with these policies, as text.
    fn desk(&self, name: &str, policies: PoaPolicies) -> String {
        let poa = self.orb.root_poa().create(name, policies).unwrap();
        let desk: Desk = poa.activate_shared(&self.clerk).unwrap();
        desk.0.to_ior_string()
    }

    fn asked(&self) -> usize {
        self.clerk.asked.load(Ordering::SeqCst)
    }
}

fn in_time() -> PoaPolicies {
    PoaPolicies::new().with(ServeInTime::new())
}

fn client(to_all: bool) -> Orb {
    let to = if to_all { SendEndTimes::All } else { SendEndTimes::Requested };
    builder().round_trip_timeout(MINUTE).send_end_times(to).build().unwrap()
}

const MINUTE: Duration = Duration::from_secs(60);

/// Whether `left` milliseconds can be the rest of a minute.
fn of_a_minute(left: u64) -> bool {
    (1..=60_000).contains(&left)
}

/// Adds these octets to every request as the service context of Messaging's policies, instead of the ORB's.
#[derive(Debug)]
struct Says(Vec<u8>);

impl ClientRequestInterceptor for Says {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        info.add_request_service_context(ServiceId::INVOCATION_POLICIES, &self.0, true)
    }
}

/// An ORB whose requests all have this service context.
fn saying(octets: &[u8]) -> Orb {
    let orb = builder().round_trip_timeout(MINUTE).build().unwrap();
    let octets = octets.to_vec();
    orb.add_client_request_interceptor("says", move |_| Some(Arc::new(Says(octets.clone()))));
    orb
}

/// One policy: the request, or the reply, ends at the beginning of CORBA's time.
fn ended(policy: u8) -> Vec<u8> {
    let mut octets = vec![0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, policy, 0, 0, 0, 24];
    octets.resize(40, 0);
    octets
}

#[test]
fn servants_know_by_when_their_clients_want_the_reply() {
    for url in ["iiop://127.0.0.1:0", "uiop://", "shmiop://"] {
        let server = server(url);
        let (asks, silent) =
            (server.desk("asks", in_time()), server.desk("silent", PoaPolicies::new()));
        for to_all in [false, true] {
            let orb = client(to_all);
            let desk = |ior: &str| orb.resolve::<Desk>(ior).unwrap();
            assert!(of_a_minute(desk(&asks).left().unwrap()), "{url} {to_all}");
            assert_eq!(desk(&silent).left(), Ok(u64::MAX), "an adapter that does not look");
            let longer = Policies::new().with(RelativeRoundtripTimeout(60 * MINUTE));
            let longer = desk(&asks).for_call(&longer).unwrap();
            assert!(longer.left().unwrap() > 60_000, "{url} {to_all}");
        }
        let endless = builder().build().unwrap();
        let desk: Desk = endless.resolve(&asks).unwrap();
        assert_eq!(desk.left(), Ok(u64::MAX), "a call that may take any time");
    }
}

/// The same reference without the server's policies.
fn without_policies(ior: &str) -> String {
    let mut ior = Ior::from_stringified(ior).unwrap();
    for profile in &mut ior.profiles {
        let mut body = IiopProfile::decode(&profile.data).unwrap();
        body.components.retain(|component| component.tag != ComponentTag::POLICIES);
        *profile = body.encode(ByteOrder::NATIVE).unwrap();
    }
    ior.to_stringified().unwrap()
}

#[test]
fn requests_tell_it_to_who_asks_or_to_all() {
    let server = server("iiop://127.0.0.1:0");
    let asks = server.desk("asks", in_time());
    let hidden = without_policies(&asks);
    let of = |orb: &Orb, ior: &str| orb.resolve::<Desk>(ior).unwrap();
    let exposed = of(&server.orb, &asks).0.exposed_policy();
    assert_eq!(exposed, Ok(Some(ServeInTime::new())));
    let asked = client(false);
    assert!(of_a_minute(of(&asked, &asks).left().unwrap()));
    assert_eq!(of(&asked, &hidden).left(), Ok(u64::MAX), "it does not ask");
    let all = client(true);
    assert!(of_a_minute(of(&all, &hidden).left().unwrap()));
    assert!(of_a_minute(of(&all, &asks).left().unwrap()));
}

#[test]
fn a_request_that_is_over_is_not_served() {
    for strategy in std::iter::once(None).chain(Strategy::ALL.iter().copied().map(Some)) {
        let server = server("uiop://");
        let mut policies = in_time();
        if let Some(strategy) = strategy {
            let lane = LaneBuilder::new(Priority::MIN, 1);
            let pool = server.rt.threadpool("test").without_lanes(lane).strategy(strategy);
            policies = policies.with(pool.create().unwrap().policy());
        }
        let ior = server.desk("asks", policies);
        let over = [(28, minor::timeout::REQUEST_EXPIRED), (30, minor::timeout::REPLY_EXPIRED)];
        for (policy, code) in over {
            let orb = saying(&ended(policy));
            let desk: Desk = orb.resolve(&ior).unwrap();
            let refused = desk.left().unwrap_err();
            let what = (refused.kind, refused.minor, refused.completed);
            let timeout = SystemExceptionKind::Timeout;
            assert_eq!(what, (timeout, code, CompletionStatus::No), "{strategy:?}");
            desk.leave().unwrap();
            let synchronous = Policies::new().with(SyncScope::WithTarget);
            let told = desk.for_call(&synchronous).unwrap().leave().unwrap_err();
            assert_eq!((told.kind, told.minor), (timeout, code), "one that waits is told");
        }
        assert_eq!(server.asked(), 0, "{strategy:?}");
        let tolerant = ServeInTime::new().tolerance(Duration::MAX);
        let tolerant = server.desk("tolerant", PoaPolicies::new().with(tolerant));
        let indifferent = server.desk("indifferent", PoaPolicies::new());
        let orb = saying(&ended(30));
        for ior in [tolerant, indifferent] {
            assert!(orb.resolve::<Desk>(&ior).unwrap().left().is_ok());
        }
        assert_eq!(server.asked(), 2, "{strategy:?}");
    }
}

#[test]
fn octets_that_mean_nothing_are_refused_where_they_are_read() {
    let server = server("uiop://");
    let asks = server.desk("asks", in_time());
    let silent = server.desk("silent", PoaPolicies::new());
    for octets in [&[][..], &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], &ended(28)[..39]] {
        let orb = saying(octets);
        let refused = orb.resolve::<Desk>(&asks).unwrap().left().unwrap_err();
        let what = (refused.kind, refused.completed);
        assert_eq!(what, (SystemExceptionKind::Marshal, CompletionStatus::No));
        assert_eq!(orb.resolve::<Desk>(&silent).unwrap().left(), Ok(u64::MAX));
    }
}

#[test]
fn calls_without_contexts_and_inside_one_orb_are_served() {
    let server = server("lite+uiop://");
    let ior = server.desk("asks", in_time());
    let desk: Desk = client(true).resolve(&ior).unwrap();
    assert_eq!(desk.left(), Ok(u64::MAX), "its protocol has nothing to tell it by");
    let inside: Desk = server.orb.resolve(&ior).unwrap();
    assert_eq!(inside.left(), Ok(u64::MAX));
}

#[test]
fn a_one_way_call_ends_with_its_request() {
    let server = server("uiop://");
    let ior = server.desk("asks", in_time());
    let orb = client(false);
    let desk: Desk = orb.resolve(&ior).unwrap();
    let limited = Policies::new().with(RelativeRequestTimeout(MINUTE));
    desk.for_call(&limited).unwrap().leave().unwrap();
    // Over the same connection, so that it comes after it.
    assert!(of_a_minute(desk.for_call(&limited).unwrap().left().unwrap()));
    assert_eq!(server.asked(), 2);
}

#[test]
fn an_adapter_is_told_to_by_words_as_well() {
    let orb = builder()
        .option("RtAdapter", "strict=in-time")
        .option("RtAdapter", "mild=in-time=250")
        .option("RtAdapter", "wrong=in-time=soon")
        .build()
        .unwrap();
    RtOrb::builder().attach(&orb).unwrap();
    let of = |name: &str| {
        let poa = orb.root_poa().create(name, PoaPolicies::new());
        poa.map(|poa| poa.policies().others.value::<ServeInTime>().copied())
    };
    assert_eq!(of("strict").unwrap(), Some(ServeInTime::new()));
    let mild = ServeInTime::new().tolerance(Duration::from_millis(250));
    assert_eq!(of("mild").unwrap(), Some(mild));
    assert!(of("wrong").is_err());
    assert_eq!(of("other").unwrap(), None);
}
