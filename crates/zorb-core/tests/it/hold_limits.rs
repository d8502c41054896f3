//! The limits of held requests, whatever they wait for: count, octets and age. Beyond each, clients get `TRANSIENT`.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::held::{DONE, Raw, STRATEGIES, TWO_WAY, key, request};
use crate::support::{Acting, Echo, EchoServant, Served, builder, served_by};
use zorb_core::Orb;
use zorb_core::lanes::Strategy;
use zorb_core::poa::{
    AdapterActivator, AnyServant, Etherealization, ObjectId, Poa, PoaPolicies, ServantActivator,
    ServantManagerError,
};
use zorb_testkit::connect_from;
use zorb_types::{CompletionStatus, MinorCode, SystemException, SystemExceptionKind, minor};

/// What requests wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    /// Their POA manager is holding.
    Manager,
    /// An upcall of their adapter, which has the single-thread model, is running.
    Turn,
    /// Nobody calls `perform_work`.
    MainThread,
    /// A servant activator is incarnating their object.
    Incarnation,
    /// An adapter activator is creating their adapter.
    Adapter,
}

const ALL: [For; 5] = [For::Manager, For::Turn, For::MainThread, For::Incarnation, For::Adapter];

/// The argument of the call that makes others wait.
const FIRST: i32 = 1_000;

/// Where a thread waits until the test lets it continue.
struct Gate {
    reached: Sender<()>,
    permitted: Mutex<Receiver<()>>,
}

impl Gate {
    fn pass(&self) {
        self.reached.send(()).unwrap();
        self.permitted.lock().unwrap().recv().unwrap();
    }
}

/// Activates an object, or creates an adapter with one, behind the gate.
#[derive(Clone)]
struct Behind {
    gate: Arc<Gate>,
    policies: PoaPolicies,
    servant: AnyServant,
}

impl ServantActivator for Behind {
    fn incarnate(&self, _: &Poa, _: &ObjectId) -> Result<AnyServant, ServantManagerError> {
        self.gate.pass();
        Ok(self.servant.clone())
    }

    fn etherealize(&self, _: &Poa, _: &ObjectId, _: AnyServant, _: Etherealization) {}
}

impl AdapterActivator for Behind {
    fn unknown_adapter(&self, parent: &Poa, name: &str) -> Result<bool, SystemException> {
        self.gate.pass();
        let policies = self.policies.clone().multiple_ids().default_servant();
        parent.create(name, policies)?.set_servant(self.servant.clone())?;
        Ok(true)
    }
}

/// An object whose requests wait, in a lane of one thread.
struct Scene {
    waits_for: For,
    orb: Orb,
    address: String,
    object: Echo,
    /// An object of another adapter in the same lane.
    free: Echo,
    /// The requests of the object, in order.
    asked: Arc<Mutex<Vec<i32>>>,
    reached: Receiver<()>,
    permits: Sender<()>,
}

impl Scene {
    fn new(waits_for: For, strategy: Option<Strategy>, (option, value): (&str, &str)) -> Self {
        let orb = builder().option("StallTakeover", "3600000").option("MaxHeldTime", "0");
        let orb = orb.option(option, value).listen("iiop://127.0.0.1:0").build().unwrap();
        let Served { policies, address, .. } = served_by(&orb, strategy, 1);
        let ((reaches, reached), (permits, permitted)) = (channel(), channel());
        let gate = Arc::new(Gate { reached: reaches, permitted: Mutex::new(permitted) });
        let asked = Arc::<Mutex<Vec<i32>>>::default();
        let servant = servant(&asked, &gate, waits_for);
        let (root, by_users) = (orb.root_poa(), policies.clone().user_ids());
        let free = root.create("free", policies.clone()).unwrap().activate(Acting(Ok)).unwrap();
        let behind = |policies| {
            let servant = AnyServant::of::<Echo, _>(Arc::clone(&servant));
            Behind { gate: Arc::clone(&gate), policies, servant }
        };
        let object: Echo = match waits_for {
            For::Manager => {
                let poa = root.create_with_manager("waits", policies, None).unwrap();
                poa.activate_shared(&servant).unwrap()
            }
            For::Turn => {
                let poa = root.create("waits", policies.single_thread()).unwrap();
                poa.activate_shared(&servant).unwrap()
            }
            For::MainThread => {
                let poa = root.create("waits", policies.main_thread()).unwrap();
                poa.activate_shared(&servant).unwrap()
            }
            For::Incarnation => {
                let poa = root.create("waits", by_users.clone().servant_manager()).unwrap();
                poa.set_servant_activator(behind(by_users)).unwrap();
                poa.create_reference_with_id("one").unwrap()
            }
            For::Adapter => {
                let policies = by_users.persistent();
                let poa = root.create("waits", policies.clone()).unwrap();
                let object = poa.create_reference_with_id("one").unwrap();
                poa.destroy();
                root.set_adapter_activator(behind(policies));
                object
            }
        };
        orb.serve().unwrap();
        Self { waits_for, orb, address, object, free, asked, reached, permits }
    }

    /// Makes a client's requests wait during `work`, and lets `held` of them pass afterwards.
    fn during<T>(&self, held: usize, work: impl FnOnce(&mut Raw) -> T) -> (Raw, T) {
        let mut client = Raw(connect_from("127.0.0.1", &self.address).unwrap());
        let worked = std::thread::scope(|scope| {
            let stops = matches!(self.waits_for, For::Turn | For::Incarnation | For::Adapter);
            let stopped = stops.then(|| {
                let (root, object) = (self.orb.root_poa(), &self.object);
                let call = match self.waits_for {
                    For::Adapter => {
                        scope.spawn(move || assert!(root.find_or_activate("waits").is_ok()))
                    }
                    _ => scope.spawn(|| assert_eq!(object.twice(FIRST), Ok(FIRST))),
                };
                self.reached.recv().unwrap();
                call
            });
            let worked = work(&mut client);
            match self.waits_for {
                For::Manager => {
                    self.orb.root_poa().find("waits").unwrap().manager().activate().unwrap();
                }
                For::MainThread => (0..held).for_each(|_| {
                    assert!(self.orb.perform_work_within(Duration::MAX).unwrap());
                }),
                For::Turn | For::Incarnation | For::Adapter => {
                    self.permits.send(()).unwrap();
                    stopped.unwrap().join().unwrap();
                }
            }
            worked
        });
        (client, worked)
    }
}

fn servant(
    asked: &Arc<Mutex<Vec<i32>>>,
    gate: &Arc<Gate>,
    waits_for: For,
) -> Arc<impl EchoServant> {
    let (asked, gate) = (Arc::clone(asked), Arc::clone(gate));
    Arc::new(Acting(move |value| {
        match value {
            FIRST if waits_for == For::Turn => gate.pass(),
            FIRST => {}
            _ => asked.lock().unwrap().push(value),
        }
        Ok(value)
    }))
}

#[track_caller]
fn assert_transient(exception: &SystemException, minor: MinorCode, place: &str) {
    assert_eq!(exception.kind, SystemExceptionKind::Transient, "{place}");
    assert_eq!(exception.minor, minor, "{place}");
    assert_eq!(exception.completed, CompletionStatus::No, "{place}");
}

/// Three requests are held, and the fourth is refused at once, while they are.
fn three_are_held(option: impl Fn(For, Option<Strategy>) -> (&'static str, String)) {
    for (waits_for, strategy) in all() {
        let place = format!("{waits_for:?}, {strategy:?}");
        let (name, value) = option(waits_for, strategy);
        let scene = Scene::new(waits_for, strategy, (name, &value));
        let (mut client, refused) = scene.during(3, |client| {
            (0..4).for_each(|value| client.twice(&scene.object, value, TWO_WAY));
            client.twice(&scene.free, 4, TWO_WAY);
            let refused = client.exception();
            assert_eq!(client.reply(), (4, DONE), "{place}");
            assert!(scene.asked.lock().unwrap().is_empty(), "{place}: they still wait");
            refused
        });
        assert_eq!(refused.0, 3, "{place}");
        assert_transient(&refused.1, minor::transient::QUEUE_FULL, &place);
        let mut served = [client.reply(), client.reply(), client.reply()];
        served.sort_unstable_by_key(|(id, _)| *id);
        assert_eq!(served, [(0, DONE), (1, DONE), (2, DONE)], "{place}");
        let mut asked = scene.asked.lock().unwrap().clone();
        asked.sort_unstable();
        assert_eq!(asked, [0, 1, 2], "{place}");
        scene.orb.shutdown(true).unwrap();
    }
}

fn all() -> impl Iterator<Item = (For, Option<Strategy>)> {
    ALL.into_iter().flat_map(|waits_for| STRATEGIES.map(|strategy| (waits_for, strategy)))
}

#[test]
fn a_request_beyond_the_number_of_those_that_wait_is_transient() {
    // One peer has half of the queue.
    three_are_held(|_, _| ("MaxHeldRequests", "6".to_owned()));
}

#[test]
fn a_request_beyond_the_octets_of_those_that_wait_is_transient() {
    three_are_held(|waits_for, strategy| {
        // Requests to this object have the same size in another ORB.
        let scene = Scene::new(waits_for, strategy, ("MaxHeldRequests", "6"));
        let octets = request(&key(&scene.object), 0, TWO_WAY).len();
        scene.orb.shutdown(true).unwrap();
        ("MaxHeldOctets", (2 * 3 * octets).to_string())
    });
}

#[test]
fn a_request_that_has_waited_for_too_long_is_transient_and_is_not_served() {
    for (waits_for, strategy) in all() {
        let place = format!("{waits_for:?}, {strategy:?}");
        let scene = Scene::new(waits_for, strategy, ("MaxHeldTime", "1"));
        let (_client, late) = scene.during(0, |client| {
            client.twice(&scene.object, 1, TWO_WAY);
            client.exception()
        });
        assert_eq!(late.0, 1, "{place}");
        assert_transient(&late.1, minor::transient::REQUEST_DISCARDED, &place);
        // Whatever still waits would be answered by the end, or served.
        scene.orb.shutdown(true).unwrap();
        assert!(scene.asked.lock().unwrap().is_empty(), "{place}");
    }
}
