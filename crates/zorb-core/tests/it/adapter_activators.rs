//! Adapter activators.

use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use zorb_core::Orb;
use zorb_core::lanes::Strategy;
use zorb_core::poa::{AdapterActivator, Poa, PoaError, PoaPolicies};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use crate::held::{DONE, Raw, STRATEGIES, TWO_WAY};
use crate::support::{Acting, Echo, Served, builder, client, served_by, server, until};

/// More than the limits of threads, connections or descriptors.
const MANY: i32 = 1_000;

type Log = Arc<Mutex<Vec<String>>>;

/// Creates the adapters `outer` and `inner`, with the object `one`, and behaves otherwise for other names.
#[derive(Clone)]
struct Creating {
    log: Log,
}

impl AdapterActivator for Creating {
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        self.log.lock().unwrap().push(format!("{}/{name}", parent.name()));
        let policies = PoaPolicies::new().persistent().user_ids();
        match name {
            "outer" => {
                parent.create(name, policies)?.set_adapter_activator(self.clone());
                Ok(true)
            }
            "inner" => {
                let created = parent.create(name, policies)?;
                created.activate_with_id::<_, Echo>("one", Acting(Ok))?;
                Ok(true)
            }
            "missing" => Ok(true),
            "own" => {
                let created = parent.create(name, policies)?;
                let echo: Echo = created.activate_with_id("one", Acting(Ok))?;
                // The activator itself may use what it has created.
                assert_eq!(parent.find_or_activate(name)?.active_objects(), 1);
                Ok(echo.twice(4)? == 4 && reference_in(&created)?.twice(5)? == 5)
            }
            "itself" => Err(parent.find_or_activate(name).unwrap_err().into()),
            "fails" => Err(SystemException::no_memory(
                minor::no_memory::OUT_OF_MEMORY,
                CompletionStatus::No,
            )),
            "panics" => panic!("as asked"),
            _ => Ok(false),
        }
    }
}

/// Creates an adapter, and activates its object when it is permitted: requests do not find the adapter before that.
struct Waiting {
    policies: PoaPolicies,
    starts: Sender<()>,
    permitted: Mutex<Receiver<()>>,
    /// The requests of the object, in order.
    asked: Arc<Mutex<Vec<i32>>>,
}

impl AdapterActivator for Waiting {
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        let created = parent.create(name, self.policies.clone())?;
        self.starts.send(()).unwrap();
        self.permitted.lock().unwrap().recv().unwrap();
        let asked = Arc::clone(&self.asked);
        let noting = Acting(move |value| {
            asked.lock().unwrap().push(value);
            Ok(value)
        });
        created.activate_with_id::<_, Echo>("one", noting)?;
        Ok(true)
    }
}

fn reference_in(poa: &Poa) -> Result<Echo, SystemException> {
    Ok(poa.create_reference_with_id("one")?)
}

fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lock().unwrap())
}

/// A reference to the object `one` of the adapter at a path, which does not exist any more.
fn reference(orb: &Orb, path: &[&str]) -> Echo {
    let policies = || PoaPolicies::new().persistent().user_ids();
    let mut poa = orb.root_poa();
    for name in path {
        poa = poa.create(name, policies()).unwrap();
    }
    let reference = poa.create_reference_with_id("one").unwrap();
    orb.root_poa().find(path[0]).unwrap().destroy();
    reference
}

fn code(exception: SystemException) -> (SystemExceptionKind, zorb_types::MinorCode) {
    (exception.kind, exception.minor)
}

const UNKNOWN: (SystemExceptionKind, zorb_types::MinorCode) =
    (SystemExceptionKind::ObjectNotExist, minor::object_not_exist::POA_NOT_FOUND);
const FAILED: (SystemExceptionKind, zorb_types::MinorCode) =
    (SystemExceptionKind::ObjAdapter, minor::obj_adapter::UNKNOWN_ADAPTER);

#[test]
fn activators_create_each_missing_adapter_on_the_path_of_a_reference() {
    let (orb, _) = server();
    let log = Log::default();
    let here = reference(&orb, &["outer", "inner"]);
    let (_client, there) = client(&here);
    let root = orb.root_poa();
    assert_eq!(code(there.twice(1).unwrap_err()), UNKNOWN);
    root.set_adapter_activator(Creating { log: Arc::clone(&log) });
    for view in [&here, &there] {
        assert!(view.object().locate().unwrap());
        assert!(taken(&log).is_empty());
        assert_eq!(view.twice(1), Ok(1));
        assert_eq!(taken(&log), ["RootPOA/outer", "outer/inner"]);
        assert_eq!((here.twice(1), there.twice(1)), (Ok(1), Ok(1)));
        // From the first existing ancestor on.
        root.find("outer").unwrap().find("inner").unwrap().destroy();
        assert_eq!(view.twice(1), Ok(1));
        assert_eq!(taken(&log), ["outer/inner"]);
        root.find("outer").unwrap().destroy();
    }
    assert_eq!(root.find("outer").unwrap_err(), PoaError::AdapterNonExistent);
    assert_eq!(root.find_or_activate("outer").unwrap().name(), "outer");
    assert_eq!(root.find_or_activate("outer").unwrap().children().len(), 0);
    assert_eq!(taken(&log), ["RootPOA/outer"]);
}

#[test]
fn activators_refuse_and_fail() {
    let (orb, _) = server();
    let log = Log::default();
    let names = ["refused", "missing", "fails", "panics", "itself"];
    let references = names.map(|name| reference(&orb, &[name]));
    let root = orb.root_poa();
    root.set_adapter_activator(Creating { log: Arc::clone(&log) });
    let expected = [UNKNOWN, UNKNOWN, FAILED, FAILED, FAILED];
    for ((name, here), expected) in names.into_iter().zip(&references).zip(expected) {
        let (_client, there) = client(here);
        for view in [here, &there] {
            assert_eq!(code(view.twice(1).unwrap_err()), expected, "{name}");
            assert_eq!(taken(&log), [format!("RootPOA/{name}")]);
        }
        match (root.find_or_activate(name).unwrap_err(), expected) {
            (PoaError::AdapterNonExistent, UNKNOWN) => {}
            (PoaError::System(exception), FAILED) => assert_eq!(code(exception), FAILED),
            (other, _) => panic!("{name}: {other}"),
        }
        taken(&log);
    }
}

#[test]
fn an_activator_uses_the_adapter_that_it_creates() {
    let (orb, _) = server();
    let log = Log::default();
    let here = reference(&orb, &["own"]);
    orb.root_poa().set_adapter_activator(Creating { log: Arc::clone(&log) });
    let (_client, there) = client(&here);
    assert_eq!((there.twice(1), here.twice(2)), (Ok(1), Ok(2)));
    assert_eq!(taken(&log), ["RootPOA/own"]);
}

#[test]
fn a_thousand_requests_wait_for_an_adapter_and_delay_nobody() {
    for strategy in STRATEGIES {
        thousand_wait(strategy);
    }
}

/// In the ORB's own lane, or in a lane of one thread.
fn thousand_wait(strategy: Option<Strategy>) {
    let orb = builder().option("MaxHeldRequests", (2 * MANY).to_string());
    let orb = orb.option("StallTakeover", "3600000").listen("iiop://127.0.0.1:0").build().unwrap();
    let Served { policies, address, .. } = served_by(&orb, strategy, 1);
    let root = orb.root_poa();
    let free: Echo = root.create("free", policies.clone()).unwrap().activate(Acting(Ok)).unwrap();
    let policies = policies.persistent().user_ids();
    let waits = root.create("waits", policies.clone()).unwrap();
    let object: Echo = waits.create_reference_with_id("one").unwrap();
    waits.destroy();
    let (starts, started) = channel();
    let (permits, permitted) = channel();
    let asked = Arc::<Mutex<Vec<i32>>>::default();
    root.set_adapter_activator(Waiting {
        policies,
        starts,
        permitted: Mutex::new(permitted),
        asked: Arc::clone(&asked),
    });
    let mut client = Raw(TcpStream::connect(address).unwrap());
    std::thread::scope(|scope| {
        let found = scope.spawn(|| root.find_or_activate("waits").unwrap().active_objects());
        started.recv().unwrap();
        (1..=MANY).for_each(|value| client.twice(&object, value, TWO_WAY));
        client.twice(&free, MANY + 1, TWO_WAY);
        assert_eq!(client.reply(), (MANY + 1, DONE), "{strategy:?}");
        assert!(asked.lock().unwrap().is_empty(), "the control: they still wait");
        permits.send(()).unwrap();
        assert_eq!(found.join().unwrap(), 1);
    });
    let mut replies: Vec<_> = (0..MANY).map(|_| client.reply()).collect();
    replies.sort_unstable_by_key(|(id, _)| *id);
    assert!(replies.into_iter().eq((1..=MANY).map(|id| (id, DONE))), "{strategy:?}");
    assert_eq!(*asked.lock().unwrap(), (1..=MANY).collect::<Vec<_>>(), "{strategy:?}");
    assert!(started.try_recv().is_err(), "the activator has been asked once: {strategy:?}");
    orb.shutdown(true).unwrap();
}

#[test]
fn a_holding_ancestor_holds_requests_for_missing_adapters() {
    let (orb, _) = server();
    let log = Log::default();
    let there = client(&reference(&orb, &["outer", "inner"]));
    let root = orb.root_poa();
    root.set_adapter_activator(Creating { log: Arc::clone(&log) });
    root.manager().hold_requests().unwrap();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| there.1.twice(4));
        until(|| root.manager().held_requests() == 1);
        assert!(taken(&log).is_empty());
        root.manager().activate().unwrap();
        assert_eq!(call.join().unwrap(), Ok(4));
    });
    assert_eq!(taken(&log), ["RootPOA/outer", "outer/inner"]);
}
