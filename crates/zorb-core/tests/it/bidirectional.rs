//! Objects of clients that nobody can connect to: their servers call them over the clients' connections.

use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};

use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{BidirectionalPolicy, Policies};
use zorb_core::{Interface, Orb, OrbBuilder};
use zorb_types::{CompletionStatus, SystemException};

use crate::support::{Acting, Echo, Servant, builder};

/// Where nothing listens, so that the only way to objects that are published there is a connection of their ORB.
const UNREACHABLE: &str = "iiop://127.0.0.1:0/publish=127.0.0.1:1";

/// The number of nested calls.
const DEPTH: i32 = 40;

fn both() -> Policies {
    Policies::new().with(BidirectionalPolicy::Both)
}

/// An ORB with one connection to an endpoint, which carries all calls together and has a thread for each of their upcalls.
fn multiplexing() -> OrbBuilder {
    let options = [
        ("MaxCallsPerConnection", "200"),
        ("MaxConnectionsPerEndpoint", "1"),
        ("MaxThreadsPerConnection", "200"),
    ];
    options.into_iter().fold(builder(), |orb, (name, value)| orb.option(name, value))
}

/// A server whose ORB has these policies, and an object of an adapter that has those.
fn server(orb: OrbBuilder, of_orb: &Policies, of_adapter: PoaPolicies) -> (Orb, Echo) {
    let orb = orb.listen("iiop://127.0.0.1:0").build().unwrap();
    orb.policy_manager().add(of_orb).unwrap();
    let adapter = orb.root_poa().create("server", of_adapter).unwrap();
    adapter.manager().activate().unwrap();
    let echo = adapter.activate(Servant::default()).unwrap();
    (orb, echo)
}

/// A client that nobody can connect to, with these policies, and the server's object as it has it.
fn client(orb: OrbBuilder, policies: &Policies, server: &Echo) -> (Orb, Echo) {
    let orb = orb.listen(UNREACHABLE).build().unwrap();
    orb.policy_manager().add(policies).unwrap();
    let there = orb.resolve(&server.object().to_ior_string()).unwrap();
    (orb, there)
}

/// The server calls an object of the client.
fn call_back(orb: &Orb, there: &Echo) -> Result<i32, SystemException> {
    let own: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    there.call_back(Some(&own), 3)
}

#[test]
fn a_server_calls_its_client_over_the_client_s_connection() {
    let of_adapter = PoaPolicies::new().with(BidirectionalPolicy::Both);
    for (of_orb, of_adapter) in [(both(), PoaPolicies::new()), (Policies::new(), of_adapter)] {
        let (served, echo) = server(builder(), &of_orb, of_adapter);
        let (orb, there) = client(builder(), &both(), &echo);
        // Before the client listens. It offers that over the same connection later.
        assert_eq!(there.twice(4).unwrap(), 8);
        for _ in 0..3 {
            assert_eq!(call_back(&orb, &there).unwrap(), 3);
        }
        assert_eq!(there.twice(4).unwrap(), 8);
        orb.shutdown(true).unwrap();
        served.shutdown(true).unwrap();
    }
}

#[test]
fn both_sides_must_want_that() {
    let normal = Policies::new().with(BidirectionalPolicy::Normal);
    for (of_server, of_client) in [(both(), normal.clone()), (normal, both())] {
        let (served, echo) = server(builder(), &of_server, PoaPolicies::new());
        let (orb, there) = client(builder(), &of_client, &echo);
        let failed = call_back(&orb, &there).unwrap_err();
        assert_eq!(failed.completed, CompletionStatus::No);
        assert_eq!(there.twice(4).unwrap(), 8);
        orb.shutdown(true).unwrap();
        served.shutdown(true).unwrap();
    }
}

#[test]
fn a_reference_offers_on_its_own() {
    let (served, echo) = server(builder(), &both(), PoaPolicies::new());
    let (orb, there) = client(builder(), &Policies::new(), &echo);
    assert!(call_back(&orb, &there).is_err());
    let offering = there.object().with_policies(&both()).unwrap();
    assert_eq!(call_back(&orb, &Echo::from_object(offering)).unwrap(), 3);
    orb.shutdown(true).unwrap();
    served.shutdown(true).unwrap();
}

#[test]
fn a_client_of_a_client_calls_back_over_the_same_way() {
    // The object that the server calls is that of a reference which it keeps and calls from a thread of its own.
    let (served, echo) = server(builder(), &both(), PoaPolicies::new());
    let (orb, there) = client(builder(), &both(), &echo);
    let own: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    assert_eq!(there.twice(1).unwrap(), 2);
    let kept = served.resolve::<Echo>(&own.object().to_ior_string()).unwrap();
    std::thread::scope(|scope| {
        for value in 0..8 {
            let kept = &kept;
            scope.spawn(move || {
                for _ in 0..20 {
                    assert_eq!(kept.twice(value).unwrap(), 2 * value);
                }
                let data = vec![7; 300_000];
                assert_eq!(kept.mirror(&data).unwrap(), data);
            });
        }
        for _ in 0..20 {
            assert_eq!(there.twice(21).unwrap(), 42);
        }
    });
    orb.shutdown(true).unwrap();
    served.shutdown(true).unwrap();
}

/// A servant that calls the other side, which calls back, and so on.
fn nesting(
    other: &Arc<OnceLock<Echo>>,
) -> Acting<impl Fn(i32) -> Result<i32, SystemException> + Send + Sync + 'static> {
    let other = Arc::clone(other);
    Acting(move |depth| match depth {
        0 => Ok(0),
        _ => Ok(other.get().unwrap().twice(depth - 1)? + 1),
    })
}

#[test]
fn calls_nest_over_the_connections_of_each_call() {
    // The client opens further connections, and the server calls over the first one.
    nest(builder, 10, 1);
}

#[test]
fn calls_nest_over_one_connection() {
    nest(multiplexing, DEPTH, 4);
}

/// Makes calls between two such ORBs, nested to this depth, on so many threads.
fn nest(builder: fn() -> OrbBuilder, depth: i32, threads: usize) {
    let served = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let orb = builder().listen(UNREACHABLE).build().unwrap();
    for orb in [&served, &orb] {
        orb.policy_manager().add(&both()).unwrap();
    }
    let [to_client, to_server] = [(); 2].map(|()| Arc::new(OnceLock::new()));
    let echo: Echo = served.root_poa().activate(nesting(&to_client)).unwrap();
    let own: Echo = orb.root_poa().activate(nesting(&to_server)).unwrap();
    let there =
        |orb: &Orb, echo: &Echo| -> Echo { orb.resolve(&echo.object().to_ior_string()).unwrap() };
    to_client.set(there(&served, &own)).unwrap();
    to_server.set(there(&orb, &echo)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| assert_eq!(to_server.get().unwrap().twice(depth).unwrap(), depth));
        }
    });
    orb.shutdown(true).unwrap();
    served.shutdown(true).unwrap();
}

#[test]
fn the_end_of_the_client_ends_the_calls_to_it() {
    let (served, echo) = server(builder(), &both(), PoaPolicies::new());
    let (orb, there) = client(builder(), &both(), &echo);
    let (begun, begins) = channel();
    let (end, ended) = channel::<()>();
    let ended = std::sync::Mutex::new(ended);
    let own: Echo = orb
        .root_poa()
        .activate(Acting(move |value| {
            begun.send(()).unwrap();
            let _ = ended.lock().unwrap().recv();
            Ok(value)
        }))
        .unwrap();
    assert_eq!(there.twice(1).unwrap(), 2);
    let kept = served.resolve::<Echo>(&own.object().to_ior_string()).unwrap();
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| kept.twice(5));
        begins.recv().unwrap();
        // The server goes, with all of its connections.
        served.shutdown(false).unwrap();
        assert!(there.twice(1).is_err());
        end.send(()).unwrap();
        // Either the reply was in time, or the call has failed: it does not wait.
        let _ = calling.join().unwrap();
    });
    orb.shutdown(true).unwrap();
}
