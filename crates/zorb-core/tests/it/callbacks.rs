//! Functions of the program that threads of the ORB call: they may panic, and may not wait for their own thread.

use std::io;
use std::net::TcpListener;
use std::panic::panic_any;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::support::{Acting, Echo, PanicsToo, Served, builder, client, served_by};
use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};
use zorb_core::flow::FlowEvent;
use zorb_core::lanes::{LaneSettings, LaneThreads, PoolSettings, Strategy};
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{Policies, RelativeRequestTimeout, SyncScope};
use zorb_core::{Interface, ObjectRef, OnewayQueue, Orb, Result, codegen};
use zorb_types::{SystemExceptionKind, minor};

/// How long a test waits for something before it fails.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An object of a server that reads nothing, whose one-way calls wait in `queue`; and the same with calls that are
/// too late.
fn queued(orb: &Orb, queue: &OnewayQueue) -> (TcpListener, Echo, Echo) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("corbaloc::{}/echo", listener.local_addr().unwrap());
    let object = orb.string_to_object(&url).unwrap().unwrap();
    let with = |object: &ObjectRef, policies: &Policies| object.with_policies(policies).unwrap();
    let policies = Policies::new().with(SyncScope::None).with(queue.clone());
    let object = with(&object, &policies);
    let late = with(&object, &Policies::new().with(RelativeRequestTimeout(Duration::ZERO)));
    (listener, Echo::from_object(object), Echo::from_object(late))
}

#[test]
fn a_queue_survives_a_panic_in_its_event_handler() {
    let orb = builder().build().unwrap();
    let queue = OnewayQueue::default().on_event(|_| panic!("on purpose"));
    let (_listener, echo, late) = queued(&orb, &queue);
    echo.note(1).unwrap();
    late.note(2).unwrap();
    echo.note(3).unwrap();
    assert!(queue.flush(TIMEOUT));
    let counts = queue.counts();
    assert_eq!([counts.sent, counts.lost], [2, 1]);
    orb.shutdown(true).unwrap();
}

/// A reference with a one-way operation whose argument makes the same call as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Nesting(ObjectRef);

codegen::interface!(Nesting(ObjectRef), "IDL:zorb.test/Nesting:1.0", "Nesting", []);

impl Nesting {
    fn note(&self, argument: &NestedCall) -> Result<()> {
        codegen::oneway!(self, "note", [NestedCall => argument])
    }
}

#[derive(Clone, Debug)]
struct NestedCall(Option<Nesting>);

impl Wire for NestedCall {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 1;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        if let Some(nesting) = &value.0 {
            nesting.note(&Self(None)).unwrap();
        }
        writer.write_u8(1);
        Ok(())
    }

    fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self(None))
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

#[test]
fn arguments_of_a_queued_call_may_make_one_as_they_are_written() {
    let orb = builder().build().unwrap();
    let queue = OnewayQueue::default();
    let (_listener, echo, _) = queued(&orb, &queue);
    let nesting = Nesting(echo.object().clone());
    let (tell, told) = channel();
    std::thread::spawn(move || {
        // The first call opens the queue's connection.
        for _ in 0..2 {
            tell.send(nesting.note(&NestedCall(Some(nesting.clone()))).is_ok()).unwrap();
        }
    });
    assert_eq!([(); 2].map(|()| told.recv_timeout(TIMEOUT)), [Ok(true); 2]);
    assert!(queue.flush(TIMEOUT));
    assert_eq!(queue.counts().sent, 4);
}

#[test]
fn an_event_handler_cannot_wait_for_the_shutdown_of_its_orb() {
    let orb = builder().build().unwrap();
    let (tell, told) = channel();
    let (tell, weak) = (Mutex::new(tell), orb.downgrade());
    let queue = OnewayQueue::default().on_event(move |event| {
        if let (FlowEvent::Lost(_), Some(orb)) = (event, weak.upgrade()) {
            tell.lock().unwrap().send(orb.shutdown(true)).unwrap();
        }
    });
    let (_listener, _, late) = queued(&orb, &queue);
    late.note(1).unwrap();
    let refused = told.recv_timeout(TIMEOUT).unwrap().unwrap_err();
    let refused = refused.system_exception().unwrap();
    assert_eq!(refused.kind, SystemExceptionKind::BadInvOrder);
    assert_eq!(refused.minor, minor::bad_inv_order::WOULD_DEADLOCK);
    orb.shutdown(true).unwrap();
}

/// Panics when a thread of the lane starts.
#[derive(Debug)]
struct Unprepared;

impl LaneThreads for Unprepared {
    fn begin(&self) -> io::Result<()> {
        panic!("on purpose")
    }
}

#[test]
fn no_pool_is_created_if_preparing_its_threads_panics() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let lane = LaneSettings { threads: Arc::new(Unprepared), ..LaneSettings::new(None, 1) };
    let settings = PoolSettings { lanes: vec![lane], ..PoolSettings::new("unprepared") };
    let (tell, told) = channel();
    std::thread::spawn(move || tell.send(orb.create_pool(settings).is_err()));
    assert!(told.recv_timeout(TIMEOUT).unwrap());
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("on purpose");
    }
}

/// A client of an object that deactivates itself with its first request, so that the thread of the request drops
/// the servant.
fn fleeting(orb: &Orb, policies: PoaPolicies) -> (Orb, Echo) {
    let poa = orb.root_poa().create("fleeting", policies).unwrap();
    let id = Arc::new(OnceLock::new());
    let (adapter, own, bomb) = (poa.clone(), Arc::clone(&id), Bomb);
    let echo: Echo = poa
        .activate(Acting(move |value| {
            let _bomb = &bomb;
            adapter.deactivate(own.get().unwrap()).unwrap();
            Ok(value)
        }))
        .unwrap();
    id.set(poa.id_of(&echo).unwrap()).unwrap();
    client(&echo)
}

#[test]
fn a_servant_that_panics_when_it_is_dropped_does_not_end_the_connection() {
    let server = || builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let gone = |there: &Echo| {
        assert_eq!(there.twice(1), Ok(1));
        let gone = there.twice(1).unwrap_err();
        assert_eq!(gone.kind, SystemExceptionKind::ObjectNotExist);
    };
    let orb = server();
    let (_client, there) = fleeting(&orb, PoaPolicies::new());
    gone(&there);
    for &strategy in Strategy::ALL {
        let orb = server();
        let lane = LaneSettings::new(None, 1);
        let settings = PoolSettings::new("fleeting");
        let settings = PoolSettings { strategy: Some(strategy), lanes: vec![lane], ..settings };
        let pool = orb.create_pool(settings).unwrap();
        let (_client, there) = fleeting(&orb, PoaPolicies::new().with(pool.policy()));
        gone(&there);
    }
}

#[test]
fn what_a_servant_panics_with_may_panic_when_it_is_dropped() {
    let panics = |value| match value {
        0 => panic_any(PanicsToo),
        value => Ok(value),
    };
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let adapters = [None].into_iter().chain(Strategy::ALL.iter().copied().map(Some));
    for (number, strategy) in adapters.enumerate() {
        let Served { policies, pool: _pool, .. } = served_by(&orb, strategy, 1);
        let poa = orb.root_poa().create(&format!("{number}"), policies).unwrap();
        let echo: Echo = poa.activate(Acting(panics)).unwrap();
        let (_client, there) = client(&echo);
        for echo in [&echo, &there] {
            assert_eq!(echo.twice(1), Ok(1));
            let panicked = echo.twice(0).unwrap_err();
            assert_eq!(panicked.minor, minor::unknown::SERVANT_PANICKED, "{strategy:?}");
            assert_eq!(echo.twice(2), Ok(2));
        }
    }
}
