//! Lifecycles: adapters that are destroyed while in use, ORBs that shut down while they serve.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::{Acting, Echo, Servant, builder, client, server, until};
use zorb_core::interceptor::{ServerRequestInfo, ServerRequestInterceptor};
use zorb_core::lanes::{LaneSettings, PoolSettings};
use zorb_core::poa::{ObjectId, Poa, PoaPolicies};
use zorb_core::{Error, Orb};
use zorb_testkit::free_port;
use zorb_types::{SystemExceptionKind, minor};

/// An adapter whose manager holds, and a remote client's view of its object "one".
fn held() -> (Orb, Poa, Orb, Echo) {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    orb.serve().unwrap();
    let policies = PoaPolicies::new().persistent().user_ids();
    let manager = orb.create_poa_manager();
    let poa = orb.root_poa().create_with_manager("held", policies, manager).unwrap();
    let one: Echo = poa.create_reference_with_id("one").unwrap();
    let client = builder().build().unwrap();
    let object = client.string_to_object(&one.object().to_ior_string()).unwrap().unwrap();
    (orb, poa, client, object.unchecked_narrow())
}

/// Makes a call that is held, calls `meanwhile`, and releases it.
fn call_held(
    poa: &Poa,
    there: &Echo,
    meanwhile: impl FnOnce(),
) -> Result<i32, zorb_types::SystemException> {
    std::thread::scope(|scope| {
        let call = scope.spawn(|| there.twice(4));
        until(|| poa.manager().held_requests() > 0 || call.is_finished());
        meanwhile();
        poa.manager().activate().unwrap();
        call.join().unwrap()
    })
}

#[test]
fn requests_are_held_for_objects_that_are_activated_meanwhile() {
    let (_orb, poa, _client, there) = held();
    assert!(there.object().locate().unwrap(), "a holding adapter may have any object");
    let answer = call_held(&poa, &there, || {
        let _: Echo = poa.activate_with_id("one", Servant::default()).unwrap();
    });
    assert_eq!(answer.unwrap(), 8);
}

#[test]
fn held_requests_do_not_reach_objects_deactivated_meanwhile() {
    let (_orb, poa, _client, there) = held();
    let _: Echo = poa.activate_with_id("one", Servant::default()).unwrap();
    let answer = call_held(&poa, &there, || poa.deactivate(&"one".into()).unwrap());
    assert_eq!(answer.unwrap_err().kind, SystemExceptionKind::ObjectNotExist);
}

/// Calls a function when dropped.
struct OnDrop<F: FnMut() + Send + Sync + 'static>(F);

impl<F: FnMut() + Send + Sync + 'static> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn servants_may_use_their_adapter_as_it_is_destroyed() {
    let (orb, _) = server();
    for policies in [PoaPolicies::new(), PoaPolicies::new().user_ids()] {
        let poa = orb.root_poa().create("going", policies).unwrap();
        let dropped = Arc::new(AtomicBool::new(false));
        let (inside, seen) = (poa.clone(), Arc::clone(&dropped));
        let using = OnDrop(move || {
            // Both look into the active object map, and find nothing in it.
            assert!(inside.deactivate(&ObjectId::new([0; 8])).is_err());
            assert!(inside.activate::<_, Echo>(Servant::default()).is_err());
            seen.store(true, Ordering::SeqCst);
        });
        let servant = Acting(move |value| {
            let _ = &using;
            Ok(value)
        });
        let _: Echo = match poa.policies().id_assignment {
            zorb_core::poa::IdAssignment::System => poa.activate(servant).unwrap(),
            zorb_core::poa::IdAssignment::User => poa.activate_with_id("x", servant).unwrap(),
        };
        poa.destroy();
        assert!(dropped.load(Ordering::SeqCst));
    }
}

#[test]
fn an_object_without_a_reference_does_not_stay_active() {
    let orb = Orb::builder().without_environment().build().unwrap();
    let servant = Arc::new(Servant::default());
    for _ in 0..2 {
        let refused = orb.root_poa().activate_shared::<_, Echo>(&servant).unwrap_err();
        assert!(refused.to_string().contains("INITIALIZE"), "{refused}");
        assert_eq!(orb.root_poa().active_objects(), 0);
    }
}

#[test]
fn a_failed_build_gives_its_endpoints_back() {
    // An address of its own, where no other test takes the port meanwhile.
    let first = free_port("127.0.0.4");
    let busy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let second = busy.local_addr().unwrap();
    let urls = format!("iiop://{first};iiop://{second}");
    builder().listen(urls).build().unwrap_err();
    // A process that another test starts has all sockets of this one for a moment.
    let end = Instant::now() + Duration::from_secs(60);
    while let Err(error) = std::net::TcpListener::bind(first) {
        assert!(Instant::now() < end, "{error}");
        std::thread::yield_now();
    }
}

#[test]
fn a_servant_that_shuts_its_orb_down_is_answered_before_run_returns() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let inside = orb.clone();
    let busy = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&busy);
    let servant = Acting(move |value| {
        flag.store(true, Ordering::SeqCst);
        inside.shutdown(false).unwrap();
        // Running requests keep their objects, and no new ones begin.
        assert_eq!(inside.root_poa().active_objects(), 1);
        let late = inside.root_poa().create("late", PoaPolicies::new()).unwrap_err();
        assert!(late.to_string().contains("BAD_INV_ORDER"), "{late}");
        (0..100).for_each(|_| std::thread::yield_now());
        flag.store(false, Ordering::SeqCst);
        Ok(value)
    });
    let echo: Echo = orb.root_poa().activate(servant).unwrap();
    let (_client, there) = client(&echo);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            orb.run().unwrap();
            assert!(!busy.load(Ordering::SeqCst));
        });
        assert_eq!(there.twice(3).unwrap(), 3);
        running.join().unwrap();
    });
    assert_eq!(orb.root_poa().active_objects(), 0);
    orb.shutdown(true).unwrap();
}

#[test]
fn a_servant_may_wait_for_the_end_of_another_orb_only() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let (other, _) = server();
    let inside = orb.clone();
    let servant = Acting(move |value| {
        let refused = zorb_types::SystemException::from(inside.shutdown(true).unwrap_err());
        assert_eq!(refused.minor, minor::bad_inv_order::WOULD_DEADLOCK);
        other.shutdown(true).unwrap();
        Ok(value)
    });
    let echo: Echo = orb.root_poa().activate(servant).unwrap();
    let (_client, there) = client(&echo);
    assert_eq!(there.twice(3).unwrap(), 3);
    orb.shutdown(true).unwrap();
}

/// Panics when a request is read.
#[derive(Debug)]
struct Panics;

impl ServerRequestInterceptor for Panics {
    fn queue_priority(&self, _: &ServerRequestInfo<'_>) -> Option<i16> {
        std::panic::resume_unwind(Box::new("in an interceptor"));
    }
}

#[test]
fn a_panic_outside_the_servants_code_ends_the_connection_only() {
    let (orb, echo) = server();
    orb.add_server_request_interceptor("panics", |_| Some(Arc::new(Panics)));
    // It reads priorities, and so calls the interceptor, before the upcall.
    let lane = LaneSettings::new(None, 1);
    let settings = PoolSettings { by_priority: Some(true), ..PoolSettings::new("ordered") };
    let pool = orb.create_pool(PoolSettings { lanes: vec![lane], ..settings }).unwrap();
    let policies = PoaPolicies::new().with(pool.policy());
    let poa = orb.root_poa().create("ordered", policies).unwrap();
    let panics: Echo = poa.activate(Servant::default()).unwrap();
    let (_client, there) = client(&panics);
    assert_eq!(there.twice(3).unwrap_err().kind, SystemExceptionKind::CommFailure);
    let (_client, there) = client(&echo);
    assert_eq!(there.twice(3).unwrap(), 6);
    orb.shutdown(true).unwrap();
}

#[test]
fn timeouts_of_the_builder_are_rounded_up() -> Result<(), Error> {
    let short = Duration::from_micros(10);
    let options = builder().round_trip_timeout(short).connect_timeout(short).options()?;
    assert_eq!(options.round_trip_timeout, Some(Duration::from_millis(1)));
    assert_eq!(options.connect_timeout, Duration::from_millis(1));
    let none = builder().round_trip_timeout(Duration::ZERO).options()?;
    assert_eq!(none.round_trip_timeout, None);
    Ok(())
}
