//! Servant activators.

use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_core::lanes::Strategy;
use zorb_core::poa::{
    AnyServant, Etherealization, ObjectId, Poa, PoaError, PoaPolicies, ServantActivator,
    ServantManagerError,
};
use zorb_core::{CollocationStrategy, Orb};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use super::views;
use crate::held::{DONE, Raw, STRATEGIES, TWO_WAY};
use crate::support::{Acting, Echo, Servant, Served, builder, served_by, server, until};

/// More than the limits of threads, connections or descriptors.
const MANY: i32 = 1_000;
/// The argument with which a servant waits for a permission.
const WAITS: i32 = 100_000;

/// What happens, in order.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(super) fn note(&self, event: impl Into<String>) {
        self.0.lock().unwrap().push(event.into());
    }

    pub(super) fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    pub(super) fn has(&self, event: &str) -> bool {
        self.0.lock().unwrap().iter().any(|known| known == event)
    }
}

/// Incarnates objects as its function does, and notes its calls.
struct Noting<F> {
    log: Log,
    make: F,
}

pub(super) type Made = Result<AnyServant, ServantManagerError>;

impl<F> ServantActivator for Noting<F>
where
    F: Fn(&Poa, &ObjectId) -> Made + Send + Sync + 'static,
{
    fn incarnate(&self, poa: &Poa, id: &ObjectId) -> Made {
        self.log.note(format!("incarnate {} {id}", poa.name()));
        (self.make)(poa, id)
    }

    fn etherealize(&self, poa: &Poa, id: &ObjectId, servant: AnyServant, ended: Etherealization) {
        let Etherealization { cleanup_in_progress, remaining_activations, .. } = ended;
        let flags = [cleanup_in_progress, remaining_activations].map(u8::from);
        self.log.note(format!("etherealize {} {id} {flags:?}", poa.name()));
        drop(servant);
    }
}

pub(super) fn servant() -> AnyServant {
    AnyServant::of::<Echo, _>(Arc::new(Servant::default()))
}

pub(super) fn policies() -> PoaPolicies {
    PoaPolicies::new().user_ids().servant_manager()
}

fn activated<F>(parent: &Poa, policies: PoaPolicies, make: F) -> (Poa, Log)
where
    F: Fn(&Poa, &ObjectId) -> Made + Send + Sync + 'static,
{
    let poa = parent.create("activated", policies).unwrap();
    let log = Log::default();
    poa.set_servant_activator(Noting { log: log.clone(), make }).unwrap();
    (poa, log)
}

pub(super) fn reference(poa: &Poa, id: &str) -> Echo {
    poa.create_reference_with_id(id).unwrap()
}

#[test]
fn an_activator_incarnates_an_object_for_its_first_request() {
    for direct in [CollocationStrategy::ThruPoa, CollocationStrategy::Direct] {
        let orb =
            builder().listen("iiop://127.0.0.1:0").collocation_strategy(direct).build().unwrap();
        let (poa, log) = activated(&orb.root_poa(), policies(), |_, _| Ok(servant()));
        for of_client in [0, 1] {
            let (_client, views) = views(&reference(&poa, "one"));
            assert!(views[of_client].object().locate().unwrap());
            assert!(log.taken().is_empty());
            assert_eq!(views[of_client].twice(4), Ok(8));
            assert_eq!(log.taken(), ["incarnate activated one"]);
            assert!(views.iter().all(|view| view.twice(5) == Ok(10)));
            assert_eq!(poa.active_objects(), 1);
            assert!(poa.id_to_servant(&"one".into()).unwrap().downcast::<Servant>().is_some());
            let refused = poa.activate_with_id::<_, Echo>("one", Servant::default()).unwrap_err();
            assert_eq!(refused, PoaError::ObjectAlreadyActive);
            poa.deactivate(&"one".into()).unwrap();
            assert_eq!(log.taken(), ["etherealize activated one [0, 0]"]);
            assert_eq!(poa.deactivate(&"one".into()).unwrap_err(), PoaError::ObjectNotActive);
            // The implicit operations, too.
            assert!(!views[of_client].object().non_existent().unwrap());
            assert_eq!(log.taken(), ["incarnate activated one"]);
            poa.deactivate(&"one".into()).unwrap();
            log.taken();
        }
        assert_eq!(poa.active_objects(), 0);
    }
}

#[test]
fn an_activator_refuses_and_forwards() {
    let (orb, elsewhere) = server();
    elsewhere.note(3).unwrap();
    until(|| elsewhere.noted() == Ok(3));
    let shared = Arc::new(Servant::default());
    let (poa, log) = activated(&orb.root_poa(), policies(), move |poa, id| match id.as_bytes() {
        b"elsewhere" => Err(ServantManagerError::forward(&elsewhere)),
        b"refused" => {
            let code = minor::no_permission::POLICY_LEVEL;
            Err(SystemException::no_permission(code, CompletionStatus::No).into())
        }
        b"panics" => panic!("as asked"),
        b"itself" => {
            let called = reference(poa, "itself").twice(1);
            Err(called.unwrap_err().into())
        }
        _ => Ok(AnyServant::of::<Echo, _>(Arc::clone(&shared))),
    });
    for (id, kind, code) in [
        ("refused", SystemExceptionKind::NoPermission, minor::no_permission::POLICY_LEVEL),
        ("panics", SystemExceptionKind::Unknown, minor::unknown::SERVANT_PANICKED),
        ("itself", SystemExceptionKind::BadInvOrder, minor::bad_inv_order::WOULD_DEADLOCK),
    ] {
        for view in views(&reference(&poa, id)).1 {
            let refused = view.twice(1).unwrap_err();
            assert_eq!((refused.kind, refused.minor), (kind, code), "{id}");
            assert_eq!(log.taken(), [format!("incarnate activated {id}")]);
        }
    }
    for view in views(&reference(&poa, "elsewhere")).1 {
        assert_eq!(view.noted(), Ok(3));
    }
    // A servant has one id in this adapter.
    for view in views(&reference(&poa, "first")).1 {
        assert_eq!(view.twice(1), Ok(2));
    }
    for view in views(&reference(&poa, "second")).1 {
        let refused = view.twice(1).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::ObjAdapter);
        assert_eq!(refused.minor, minor::obj_adapter::WRONG_POLICY);
    }
    assert_eq!(poa.active_objects(), 1);
}

#[test]
fn an_adapter_has_one_activator() {
    let (orb, _) = server();
    let (poa, log) = activated(&orb.root_poa(), policies(), |_, _| Ok(servant()));
    let another = || Noting { log: log.clone(), make: |_: &Poa, _: &ObjectId| Ok(servant()) };
    let code = |refused: PoaError| match refused {
        PoaError::System(exception) => exception.minor,
        other => panic!("{other}"),
    };
    let second = poa.set_servant_activator(another()).unwrap_err();
    assert_eq!(code(second), minor::bad_inv_order::SERVANT_MANAGER_SET);
    let refused = orb.root_poa().set_servant_activator(another()).unwrap_err();
    assert_eq!(refused, PoaError::WrongPolicy);
    let locates = orb.root_poa().create("locates", policies().non_retain()).unwrap();
    let refused = locates.set_servant_activator(another()).unwrap_err();
    assert_eq!(code(refused), minor::obj_adapter::NO_SERVANT_MANAGER);
}

#[test]
fn a_servant_with_other_objects_remains_and_destruction_ends_all() {
    let (orb, _) = server();
    let shared = Arc::new(Servant::default());
    let (poa, log) = activated(&orb.root_poa(), policies().multiple_ids(), move |_, _| {
        Ok(AnyServant::of::<Echo, _>(Arc::clone(&shared)))
    });
    for id in ["a", "b", "c"] {
        assert_eq!(reference(&poa, id).twice(1), Ok(2));
    }
    log.taken();
    poa.deactivate(&"b".into()).unwrap();
    assert_eq!(log.taken(), ["etherealize activated b [0, 1]"]);
    poa.destroy();
    assert_eq!(log.taken(), ["etherealize activated a [1, 1]", "etherealize activated c [1, 0]"]);
}

/// An adapter with an activator in a lane of one thread, and an object of another adapter.
struct Stage {
    orb: Orb,
    poa: Poa,
    log: Log,
    object: Echo,
    free: Echo,
    permits: Sender<()>,
    address: String,
}

impl Stage {
    /// `incarnates` is called first by `incarnate`, with the receiver of permissions.
    fn new(
        strategy: Option<Strategy>,
        own: impl Fn(PoaPolicies) -> PoaPolicies,
        incarnates: impl Fn(&Receiver<()>) -> Result<(), SystemException> + Send + Sync + 'static,
    ) -> Self {
        let limit = (3 * MANY).to_string();
        let builder = builder().option("MaxHeldRequests", limit).listen("iiop://127.0.0.1:0");
        // Longer than a test waits for anything.
        let builder = builder.shutdown_grace(Duration::from_secs(120));
        let orb = builder.build().unwrap();
        let Served { policies: pool, address, .. } = served_by(&orb, strategy, 1);
        let (permits, permitted) = channel();
        let permitted = Arc::new(Mutex::new(permitted));
        let log = Log::default();
        let make = {
            let log = log.clone();
            move |_: &Poa, _: &ObjectId| {
                incarnates(&permitted.lock().unwrap())?;
                let (log, permitted) = (log.clone(), Arc::clone(&permitted));
                Ok(AnyServant::of::<Echo, _>(Arc::new(Acting(move |value: i32| {
                    log.note(format!("begin {value}"));
                    if value == WAITS {
                        permitted.lock().unwrap().recv().unwrap();
                    }
                    log.note(format!("end {value}"));
                    Ok(value)
                }))))
            }
        };
        let policies = own(pool.clone().user_ids().servant_manager());
        let poa = orb.root_poa().create("activated", policies).unwrap();
        poa.set_servant_activator(Noting { log: log.clone(), make }).unwrap();
        let free = orb.root_poa().create("free", pool).unwrap().activate(Acting(Ok)).unwrap();
        let object = reference(&poa, "one");
        Self { orb, poa, log, object, free, permits, address }
    }

    fn connect(&self) -> Raw {
        Raw(TcpStream::connect(&self.address).unwrap())
    }
}

fn recv(permitted: &Receiver<()>) -> Result<(), SystemException> {
    permitted.recv().unwrap();
    Ok(())
}

fn one_by_one(values: impl IntoIterator<Item = i32>) -> Vec<String> {
    values.into_iter().flat_map(|it| [format!("begin {it}"), format!("end {it}")]).collect()
}

#[test]
fn a_thousand_requests_wait_for_an_incarnation_and_delay_nobody() {
    for strategy in STRATEGIES {
        let stage = Stage::new(strategy, |policies| policies, recv);
        let (mut client, mut other) = (stage.connect(), stage.connect());
        std::thread::scope(|scope| {
            let first = scope.spawn(|| stage.object.twice(0));
            until(|| stage.log.has("incarnate activated one"));
            (1..=MANY).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
            client.twice(&stage.free, MANY + 1, TWO_WAY);
            assert_eq!(client.reply(), (MANY + 1, DONE), "{strategy:?}");
            other.twice(&stage.free, 7, TWO_WAY);
            assert_eq!(other.reply(), (7, DONE), "{strategy:?}");
            assert_eq!(stage.log.taken(), ["incarnate activated one"], "{strategy:?}");
            stage.permits.send(()).unwrap();
            // It may not overtake the others.
            client.twice(&stage.object, MANY + 2, TWO_WAY);
            assert_eq!(first.join().unwrap(), Ok(0));
        });
        let mut replies: Vec<_> = (0..=MANY).map(|_| client.reply()).collect();
        replies.sort_unstable_by_key(|(id, _)| *id);
        let ids = (1..=MANY).chain([MANY + 2]);
        assert!(replies.into_iter().eq(ids.map(|id| (id, DONE))), "{strategy:?}");
        assert!(!stage.log.has("incarnate activated one"), "{strategy:?}");
        assert_eq!(stage.poa.active_objects(), 1);
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn requests_that_waited_for_an_incarnation_are_served_in_order() {
    // Connections with threads of their own serve resumed requests on several threads.
    let own_threads = Some(Strategy::ThreadPerConnection);
    for strategy in STRATEGIES.into_iter().filter(|it| *it != own_threads).flatten() {
        let stage = Stage::new(Some(strategy), |policies| policies, recv);
        let mut client = stage.connect();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| stage.object.twice(WAITS));
            until(|| stage.log.has("incarnate activated one"));
            (1..=100).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
            client.twice(&stage.free, 101, TWO_WAY);
            assert_eq!(client.reply(), (101, DONE), "{strategy:?}");
            stage.permits.send(()).unwrap();
            (102..=200).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
            for value in (1..=100).chain(102..=200) {
                assert_eq!(client.reply(), (value, DONE), "{strategy:?}");
            }
            stage.permits.send(()).unwrap();
            assert_eq!(first.join().unwrap(), Ok(WAITS));
        });
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn when_an_incarnation_fails_the_next_request_incarnates() {
    let attempts = Mutex::new(0);
    let stage = Stage::new(
        None,
        |policies| policies,
        move |permitted| {
            permitted.recv().unwrap();
            let mut attempts = attempts.lock().unwrap();
            *attempts += 1;
            match *attempts {
                1 => Err(SystemException::no_memory(
                    minor::no_memory::OUT_OF_MEMORY,
                    CompletionStatus::No,
                )),
                _ => Ok(()),
            }
        },
    );
    let mut client = stage.connect();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| stage.object.twice(0));
        until(|| stage.log.has("incarnate activated one"));
        (1..=10).for_each(|value| client.twice(&stage.object, value, TWO_WAY));
        client.twice(&stage.free, 11, TWO_WAY);
        assert_eq!(client.reply(), (11, DONE));
        stage.log.taken();
        stage.permits.send(()).unwrap();
        assert_eq!(first.join().unwrap().unwrap_err().kind, SystemExceptionKind::NoMemory);
        until(|| stage.log.has("incarnate activated one"));
        stage.permits.send(()).unwrap();
        let mut replies: Vec<_> = (1..=10).map(|_| client.reply()).collect();
        replies.sort_unstable_by_key(|(id, _)| *id);
        assert!(replies.into_iter().eq((1..=10).map(|id| (id, DONE))));
    });
    let events = stage.log.taken();
    assert_eq!(events.iter().filter(|event| event.starts_with("inc")).count(), 1, "{events:?}");
}

#[test]
fn an_object_is_etherealized_after_its_last_request_and_then_incarnated_anew() {
    for strategy in STRATEGIES {
        let stage = Stage::new(strategy, |policies| policies, |_| Ok(()));
        let mut client = stage.connect();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| stage.object.twice(WAITS));
            until(|| stage.log.has("begin 100000"));
            stage.poa.deactivate(&"one".into()).unwrap();
            assert_eq!(stage.poa.active_objects(), 0);
            let second = scope.spawn(|| stage.object.twice(5));
            client.twice(&stage.object, 6, TWO_WAY);
            client.twice(&stage.free, 7, TWO_WAY);
            assert_eq!(client.reply(), (7, DONE), "{strategy:?}");
            assert_eq!(stage.log.taken(), ["incarnate activated one", "begin 100000"]);
            stage.permits.send(()).unwrap();
            assert_eq!(first.join().unwrap(), Ok(WAITS));
            assert_eq!(second.join().unwrap(), Ok(5));
            assert_eq!(client.reply(), (6, DONE), "{strategy:?}");
        });
        let events = stage.log.taken();
        let expected =
            ["end 100000", "etherealize activated one [0, 0]", "incarnate activated one"];
        assert_eq!(events[..3], expected, "{strategy:?}");
        assert_eq!(events.len(), 7, "{events:?}");
        // After a remote request, too.
        client.twice(&stage.object, WAITS, TWO_WAY);
        until(|| stage.log.has("begin 100000"));
        stage.poa.deactivate(&"one".into()).unwrap();
        stage.permits.send(()).unwrap();
        assert_eq!(client.reply(), (WAITS, DONE), "{strategy:?}");
        until(|| stage.log.has("etherealize activated one [0, 0]"));
        let expected = ["begin 100000", "end 100000", "etherealize activated one [0, 0]"];
        assert_eq!(stage.log.taken(), expected, "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn an_adapter_with_one_upcall_at_a_time_etherealizes_at_its_turn() {
    for strategy in STRATEGIES {
        let stage = Stage::new(strategy, PoaPolicies::single_thread, |_| Ok(()));
        let idle = reference(&stage.poa, "idle");
        assert_eq!(idle.twice(1), Ok(1));
        let mut client = stage.connect();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| stage.object.twice(WAITS));
            until(|| stage.log.has("begin 100000"));
            stage.poa.deactivate(&"idle".into()).unwrap();
            client.twice(&stage.object, 6, TWO_WAY);
            client.twice(&stage.free, 7, TWO_WAY);
            assert_eq!(client.reply(), (7, DONE), "{strategy:?}");
            stage.log.taken();
            stage.permits.send(()).unwrap();
            assert_eq!(first.join().unwrap(), Ok(WAITS));
            assert_eq!(client.reply(), (6, DONE), "{strategy:?}");
        });
        let mut expected = vec!["end 100000".to_owned()];
        expected.push("etherealize activated idle [0, 0]".to_owned());
        expected.extend(one_by_one([6]));
        assert_eq!(stage.log.taken(), expected, "{strategy:?}");
        stage.orb.shutdown(true).unwrap();
    }
}

#[test]
fn destruction_waits_for_requests_and_etherealizes_if_asked() {
    for (etherealizes, log) in [(true, &["etherealize activated one [1, 0]"][..]), (false, &[])] {
        let stage = Stage::new(None, |policies| policies, |_| Ok(()));
        let mut client = stage.connect();
        client.twice(&stage.object, WAITS, TWO_WAY);
        until(|| stage.log.has("begin 100000"));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| stage.poa.destroy_with(etherealizes, true));
            until(|| stage.orb.root_poa().find("activated").is_err());
            until(|| stage.poa.active_objects() == 0);
            let refused = stage.object.twice(1).unwrap_err();
            assert_eq!(refused.kind, SystemExceptionKind::ObjectNotExist);
            assert!(!waits.is_finished());
            stage.permits.send(()).unwrap();
            waits.join().unwrap().unwrap();
        });
        let expected = ["incarnate activated one", "begin 100000", "end 100000"];
        assert!(stage.log.taken().iter().eq(expected.iter().chain(log)));
        assert_eq!(client.reply(), (WAITS, DONE));
    }
}

#[test]
fn a_second_destruction_waits_for_the_children_that_the_first_has_destroyed() {
    let stage = Stage::new(None, |policies| policies, |_| Ok(()));
    let mut client = stage.connect();
    client.twice(&stage.object, WAITS, TWO_WAY);
    until(|| stage.log.has("begin 100000"));
    let root = stage.orb.root_poa();
    root.destroy();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            root.destroy_with(true, true).unwrap();
            stage.log.note("destroyed");
        });
        (0..100).for_each(|_| std::thread::yield_now());
        stage.permits.send(()).unwrap();
    });
    let events = stage.log.taken();
    let last = ["end 100000", "etherealize activated one [1, 0]", "destroyed"];
    assert!(events.ends_with(&last.map(str::to_owned)), "{events:?}");
    assert_eq!(client.reply(), (WAITS, DONE));
}

#[test]
fn destruction_without_etherealization_is_so_for_objects_that_are_being_incarnated() {
    for (etherealizes, log) in [(true, &["etherealize activated one [1, 0]"][..]), (false, &[])] {
        let stage = Stage::new(None, |policies| policies, recv);
        std::thread::scope(|scope| {
            let call = scope.spawn(|| stage.object.twice(1));
            until(|| stage.log.has("incarnate activated one"));
            stage.poa.destroy_with(etherealizes, false).unwrap();
            stage.permits.send(()).unwrap();
            assert_eq!(call.join().unwrap(), Ok(1));
        });
        stage.poa.destroy_with(true, true).unwrap();
        let expected = ["incarnate activated one", "begin 1", "end 1"];
        assert!(stage.log.taken().iter().eq(expected.iter().chain(log)));
    }
}

#[test]
fn a_shutdown_does_not_wait_for_a_reference_that_has_bound_an_object_early() {
    let stage = Stage::new(None, |policies| policies, recv);
    let (mut first, mut second) = (stage.connect(), stage.connect());
    first.twice(&stage.object, 1, TWO_WAY);
    until(|| stage.log.has("incarnate activated one"));
    second.twice(&stage.object, 2, TWO_WAY);
    second.twice(&stage.free, 3, TWO_WAY);
    assert_eq!(second.reply(), (3, DONE));
    stage.permits.send(()).unwrap();
    assert_eq!((first.reply(), second.reply()), ((1, DONE), (2, DONE)));
    // Requests have waited for the object, so that it is not in the active object map yet.
    assert_eq!(stage.object.twice(4), Ok(4));
    std::thread::scope(|scope| {
        let ends = scope.spawn(|| stage.orb.shutdown(true));
        // Before the grace time has elapsed.
        until(|| ends.is_finished());
        ends.join().unwrap().unwrap();
    });
}

#[test]
fn destruction_waits_for_default_servants_but_not_inside_an_upcall() {
    let (orb, _) = server();
    let policies = PoaPolicies::new().user_ids().multiple_ids().default_servant();
    let poa = orb.root_poa().create("defaults", policies).unwrap();
    let (events, permits) = (Log::default(), channel::<()>());
    let (permits, permitted) = (permits.0, Mutex::new(permits.1));
    let (log, itself) = (events.clone(), poa.clone());
    let servant = Acting(move |value| {
        if value == 0 {
            return Err(itself.destroy_with(true, true).unwrap_err().into());
        }
        log.note("begin");
        permitted.lock().unwrap().recv().unwrap();
        log.note("end");
        Ok(value)
    });
    poa.set_servant(AnyServant::of::<Echo, _>(Arc::new(servant))).unwrap();
    let (_client, views) = views(&reference(&poa, "one"));
    for view in &views {
        let refused = view.twice(0).unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::BadInvOrder);
        assert_eq!(refused.minor, minor::bad_inv_order::WOULD_DEADLOCK);
    }
    std::thread::scope(|scope| {
        let call = scope.spawn(|| views[1].twice(1));
        until(|| events.has("begin"));
        let waits = scope.spawn(|| poa.destroy_with(true, true));
        until(|| orb.root_poa().find("defaults").is_err());
        assert!(!waits.is_finished());
        permits.send(()).unwrap();
        waits.join().unwrap().unwrap();
        assert_eq!(events.taken(), ["begin", "end"]);
        assert_eq!(call.join().unwrap(), Ok(1));
    });
}

#[test]
fn destruction_does_not_wait_for_references_that_bypass_the_adapter() {
    let direct = CollocationStrategy::Direct;
    let orb = builder().listen("iiop://127.0.0.1:0").collocation_strategy(direct).build().unwrap();
    let poa = orb.root_poa().create("direct", PoaPolicies::new()).unwrap();
    let echo: Echo = poa.activate(Servant::default()).unwrap();
    assert_eq!(echo.twice(1), Ok(2));
    poa.destroy_with(true, true).unwrap();
    assert_eq!(echo.twice(1), Ok(2));
}
