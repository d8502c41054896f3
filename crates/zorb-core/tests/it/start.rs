//! Servers that start: when they listen, and what they answer before they have all their objects.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::{Echo, Servant, builder, client, until};
use zorb_core::lanes::{LaneSettings, PoolSettings};
use zorb_core::poa::{AnyServant, PoaPolicies};
use zorb_core::{Error, ListenFrom, Orb};
use zorb_os::machine;
use zorb_testkit::{exhaust_descriptors, free_port, in_own_process};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

fn persistent() -> PoaPolicies {
    PoaPolicies::new().persistent().user_ids()
}

fn address(orb: &Orb) -> String {
    orb.endpoints()[0].trim_start_matches("iiop://").to_owned()
}

/// An object of the client, whatever its interface is: nobody is asked.
fn narrowed(client: &Orb, url: &str) -> Echo {
    client.string_to_object(url).unwrap().unwrap().unchecked_narrow()
}

fn assert_starting(error: &SystemException) {
    assert_eq!(error.minor, minor::transient::STARTING, "{error}");
    assert_eq!(
        (error.kind, error.completed),
        (SystemExceptionKind::Transient, CompletionStatus::No)
    );
}

#[test]
fn a_built_orb_has_its_address_and_refuses_clients_until_its_first_object() {
    let orb = builder().listen("iiop://127.0.0.9:0").build().unwrap();
    let address = address(&orb);
    assert!(!address.ends_with(":0"), "{address}");
    assert_eq!(TcpStream::connect(&address).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    let echo: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    TcpStream::connect(&address).unwrap();
    let (_client, there) = client(&echo);
    assert_eq!(there.twice(1).unwrap(), 2);
    let unserved = builder().listen("iiop://127.0.0.9:0").build().unwrap();
    unserved.shutdown(true).unwrap();
}

#[test]
fn an_orb_that_listens_when_it_runs_makes_references_before() {
    let orb = builder().listen("iiop://127.0.0.9:0").listen_from(ListenFrom::Run).build().unwrap();
    let lanes = vec![LaneSettings::new(Some(3), 1)];
    let pool = orb.create_pool(PoolSettings { lanes, ..PoolSettings::new("pool") }).unwrap();
    let in_lane = orb.root_poa().create("lane", PoaPolicies::new().with(pool.policy())).unwrap();
    let adapters = [orb.root_poa(), in_lane];
    let theirs = adapters.map(|poa| client(&poa.activate(Servant::default()).unwrap()));
    let (_clients, theirs): (Vec<Orb>, Vec<Echo>) = theirs.into_iter().unzip();
    for there in &theirs {
        let refused = there.twice(1).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Transient);
        assert_eq!(refused.minor, minor::transient::CONNECT_FAILED);
    }
    orb.serve().unwrap();
    for there in &theirs {
        assert_eq!(there.twice(1).unwrap(), 2);
    }
    let later = vec![LaneSettings::new(Some(4), 1)];
    let later = orb.create_pool(PoolSettings { lanes: later, ..PoolSettings::new("later") });
    let policies = PoaPolicies::new().with(later.unwrap().policy());
    let poa = orb.root_poa().create("later", policies).unwrap();
    let (_client, there) = client(&poa.activate(Servant::default()).unwrap());
    assert_eq!(there.twice(1).unwrap(), 2);
}

#[test]
fn a_server_without_descriptors_for_clients_does_not_start() {
    let name = "start::a_server_without_descriptors_for_clients_does_not_start";
    in_own_process(name, || {
        let orb = builder().listen("iiop://127.0.0.9:0").listen_from(ListenFrom::Run);
        let orb = orb.build().unwrap();
        let echo: Echo = orb.root_poa().activate(Servant::default()).unwrap();
        let mut others = exhaust_descriptors();
        let limit = machine::max_descriptors().unwrap();
        let is_asked_for = |error: Error, needed: u64| {
            let text = format!("{error:?}");
            assert!(
                text.contains(&format!("may have {limit}, and needs at least {needed}")),
                "{text}"
            );
            assert!(text.contains(&format!("`ulimit -n {needed}`")), "{text}");
        };
        // One for a client, and one to reject others.
        for free in 0..2 {
            is_asked_for(orb.serve().unwrap_err(), limit + 2 - free);
            drop(others.pop());
        }
        orb.serve().unwrap();
        // Those for signals are missing. The thread that waits for a client may have taken, or given back, one.
        let text = format!("{:?}", orb.run_until_signal().unwrap_err());
        assert!(text.contains("too few descriptors"), "{text}");
        drop(others);
        let (_client, there) = client(&echo);
        assert_eq!(there.twice(1).unwrap(), 2);
        orb.shutdown(true).unwrap();
    });
}

#[test]
fn while_a_program_starts_its_missing_objects_are_transient() {
    let orb = builder().listen("iiop://127.0.0.9:0").build().unwrap();
    let root = orb.root_poa();
    let by_default = persistent().multiple_ids().default_servant();
    let create = |name, policies: &PoaPolicies| root.create(name, policies.clone()).unwrap();
    // References of an earlier run of the program.
    let gone = create("gone", &persistent());
    let of_gone: Echo = gone.create_reference_with_id("x").unwrap();
    gone.destroy();
    let of_nobody: Echo = create("here", &persistent()).create_reference_with_id("x").unwrap();
    let unset: Echo = create("unset", &by_default).create_reference_with_id("x").unwrap();
    let transient: Echo = root.create_reference().unwrap();
    let client = builder().build().unwrap();
    let there = |echo: &Echo| narrowed(&client, &echo.object().to_ior_string());
    let name = narrowed(&client, &format!("corbaloc::{}/name", address(&orb)));
    let absent = [there(&of_gone), there(&of_nobody), there(&unset), name, of_gone, of_nobody];
    for echo in &absent {
        assert_starting(&echo.twice(1).unwrap_err());
        assert_starting(&echo.object().non_existent().unwrap_err());
    }
    assert_starting(&absent[0].object().locate().unwrap_err());
    // It never comes back.
    let refused = there(&transient).twice(1).unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::ObjectNotExist);

    orb.serve().unwrap();
    for (at, echo) in absent.iter().enumerate() {
        let expected = match at {
            2 => SystemExceptionKind::ObjAdapter,
            _ => SystemExceptionKind::ObjectNotExist,
        };
        assert_eq!(echo.twice(1).unwrap_err().kind, expected, "{at}");
    }
    assert!(!absent[0].object().locate().unwrap());
}

/// What a client calls.
const TARGETS: usize = 4;

/// What the clients have seen of the servers, which start and stop all the time.
#[derive(Default)]
struct Seen {
    answers: [AtomicU64; TARGETS],
    /// Of servers without the object.
    starting: [AtomicU64; TARGETS],
    /// Exceptions that are no reason to try again.
    permanent: Mutex<BTreeSet<String>>,
    is_done: AtomicBool,
}

impl Seen {
    /// Calls until the end.
    fn call(&self, target: usize, there: &Echo) {
        while !self.is_done.load(Ordering::SeqCst) {
            match there.twice(4) {
                Ok(answer) => {
                    assert_eq!(answer, 8);
                    self.answers[target].fetch_add(1, Ordering::SeqCst);
                }
                Err(error) if error.minor == minor::transient::STARTING => {
                    self.starting[target].fetch_add(1, Ordering::SeqCst);
                }
                Err(error) => match error.kind {
                    SystemExceptionKind::Transient | SystemExceptionKind::CommFailure => {}
                    _ => drop(self.permanent.lock().unwrap().insert(error.to_string())),
                },
            }
        }
    }

    /// Waits until each of `counts` has grown.
    fn until_more(&self, counts: &[AtomicU64]) {
        let before: Vec<u64> = counts.iter().map(|count| count.load(Ordering::SeqCst)).collect();
        until(|| {
            let mut counts = counts.iter().zip(&before);
            let failed = || !self.permanent.lock().unwrap().is_empty();
            counts.all(|(count, before)| count.load(Ordering::SeqCst) > *before) || failed()
        });
    }
}

/// Starts a server in the usual order, and ends it when the clients have found all its objects.
fn one_run(url: &str, seen: &Seen) {
    let orb = builder().listen(url).build().unwrap();
    let root = orb.root_poa();
    let first = root.create("first", persistent()).unwrap();
    // From here on the ORB listens.
    let _: Echo = first.activate_with_id("one", Servant::default()).unwrap();
    seen.until_more(&seen.answers[..1]);
    seen.until_more(&seen.starting[1..]);
    let second = first.create("second", persistent()).unwrap();
    let _: Echo = second.activate_with_id("one", Servant::default()).unwrap();
    let policies = persistent().multiple_ids().default_servant();
    let third = root.create("third", policies).unwrap();
    let any: Echo = third.create_reference_with_id("any").unwrap();
    orb.publish("name", &any).unwrap();
    third.set_servant(AnyServant::of::<Echo, _>(Arc::new(Servant::default()))).unwrap();
    orb.serve().unwrap();
    seen.until_more(&seen.answers);
    orb.shutdown(true).unwrap();
}

#[test]
fn clients_see_no_permanent_error_through_two_hundred_restarts() {
    // An address without clients, lest one of them takes the port.
    let address = free_port("127.0.0.9");
    let url = format!("iiop://{address}");
    let earlier = builder().listen(&*url).build().unwrap();
    let path = |names: &[&str]| {
        let mut poa = earlier.root_poa();
        for name in names {
            let found = poa.find(name);
            poa = found.or_else(|_| poa.create(name, persistent())).unwrap();
        }
        let echo: Echo = poa.create_reference_with_id("one").unwrap();
        echo.object().to_ior_string()
    };
    let urls = [
        path(&["first"]),
        path(&["first", "second"]),
        path(&["third"]),
        format!("corbaloc::{address}/name"),
    ];
    earlier.shutdown(true).unwrap();
    let clients = builder().build().unwrap();
    let seen = Seen::default();
    std::thread::scope(|scope| {
        for (target, there) in urls.iter().enumerate() {
            let (seen, there) = (&seen, narrowed(&clients, there));
            scope.spawn(move || seen.call(target, &there));
        }
        for _ in 0..200 {
            if seen.permanent.lock().unwrap().is_empty() {
                one_run(&url, &seen);
            }
        }
        seen.is_done.store(true, Ordering::SeqCst);
    });
    assert_eq!(*seen.permanent.lock().unwrap(), BTreeSet::new());
}
