//! The priority that upcalls run at, over connections and inside one ORB.

use std::sync::{Arc, Mutex};

use zorb_core::poa::{ObjectId, Poa, PoaError, PoaPolicies};
use zorb_core::{ObjectRef, Orb, Result, codegen};
use zorb_os::priority::Schedule;
use zorb_rt::{
    Denied, Direct, NativePriority, Priority, PriorityModel, PriorityTransform, RtCurrent, RtOrb,
};
use zorb_tcp::IiopProtocol;
use zorb_testkit::require_loopback;
use zorb_types::SystemExceptionKind;

/// `interface Probe { short priority(in Probe next); oneway void note(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Probe(ObjectRef);

codegen::interface!(Probe(ObjectRef), "IDL:zorb.test/Probe:1.0", "Probe", []);

impl Probe {
    /// The priority of the servant, or of the one that `next` leads to.
    fn priority(&self, next: Option<&Probe>) -> Result<i16> {
        codegen::invoke!(self, priority, [codegen::RefArgument::<Probe> => next], [i16])
    }

    fn note(&self) -> Result<()> {
        codegen::oneway!(self, note, [])
    }
}

trait ProbeServant: Send + Sync + 'static {
    fn priority(&self, next: Option<&Probe>) -> Result<i16>;
    fn note(&self);
}

codegen::skeleton!(Probe, ProbeServant, {
    0 "priority" priority(next: codegen::Ref<Probe> => next.as_ref()) [result: i16],
    1 "note" note() oneway,
});

/// Records the priorities of its upcalls.
struct Recorder {
    current: RtCurrent,
    seen: Mutex<Vec<(Option<i16>, Schedule)>>,
}

impl Recorder {
    fn record(&self) -> Option<i16> {
        let priority = self.current.priority().ok().map(Priority::value);
        self.seen.lock().unwrap().push((priority, zorb_os::priority::current().unwrap()));
        priority
    }

    fn take(&self) -> Vec<(Option<i16>, Schedule)> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}

impl ProbeServant for Recorder {
    fn priority(&self, next: Option<&Probe>) -> Result<i16> {
        let own = self.record();
        match next {
            Some(next) => next.priority(None),
            None => Ok(own.unwrap_or(-1)),
        }
    }

    fn note(&self) {
        self.record();
    }
}

struct Side {
    orb: Orb,
    rt: RtOrb,
    recorder: Arc<Recorder>,
    /// Whether the system lets priorities be set.
    permitted: bool,
}

/// An ORB whose CORBA priorities are native ones, up to 40.
fn side() -> Side {
    require_loopback();
    let orb = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    let orb = orb.listen("iiop://127.0.0.1:0").build().unwrap();
    let mapping = Direct::new(NativePriority::SHARED, NativePriority(40));
    let rt = RtOrb::builder().mapping(mapping).attach(&orb).unwrap();
    let recorder = Recorder { current: rt.current(), seen: Mutex::default() };
    let permitted = rt.denial().is_none();
    Side { orb, rt, recorder: Arc::new(recorder), permitted }
}

fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

impl Side {
    fn adapter(&self, name: &str, model: PriorityModel) -> Poa {
        let policies = PoaPolicies::new().multiple_ids().with(model);
        self.orb.root_poa().create(name, policies).unwrap()
    }

    fn probe(&self, name: &str, model: PriorityModel) -> Probe {
        self.adapter(name, model).activate_shared(&self.recorder).unwrap()
    }

    /// The same object, as another ORB sees it.
    fn seen_by(&self, other: &Side, probe: &Probe) -> Probe {
        let _ = self;
        other.orb.resolve(&probe.0.to_ior_string()).unwrap()
    }

    /// The schedule of an upcall at `priority` on this machine.
    fn at(&self, priority: i16) -> (Option<i16>, Schedule) {
        let schedule = match priority {
            0 => Schedule::Shared,
            _ if !self.permitted => Schedule::Shared,
            level => Schedule::Fifo(level as u8),
        };
        (Some(priority), schedule)
    }
}

/// Runs `work` on its own thread, so that the test's thread does not retain its priority.
fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

#[test]
fn upcalls_run_at_the_clients_priority() {
    let (server, client) = (side(), side());
    let here = server.probe("propagated", server.rt.client_propagated(number(3)));
    let there = server.seen_by(&client, &here);
    let model = there.0.exposed_policy::<PriorityModel>().unwrap().unwrap();
    assert!(model.is_client_propagated());
    assert_eq!(model.server_priority(), number(3));
    for (side, probe) in [(&client, &there), (&server, &here)] {
        apart(|| {
            // A thread without a priority sends none, and the server has one for it.
            assert_eq!(probe.priority(None).unwrap(), 3);
            assert_eq!(server.recorder.take(), [server.at(3)]);
            for priority in [5, 40, 0, 17] {
                side.rt.current().set_priority(number(priority)).unwrap();
                assert_eq!(probe.priority(None).unwrap(), priority);
                assert_eq!(server.recorder.take(), [server.at(priority)]);
                assert_eq!(side.rt.current().priority().unwrap(), number(priority));
            }
            // Also one-way calls; the call behind it completes the servant's record.
            probe.note().unwrap();
            assert_eq!(probe.priority(None).unwrap(), 17);
            assert_eq!(server.recorder.take(), [server.at(17), server.at(17)]);
        });
    }
}

#[test]
fn a_priority_reaches_every_hop() {
    let (first, second, client) = (side(), side(), side());
    let nearer = first.probe("nearer", first.rt.client_propagated(number(1)));
    let farther = second.probe("farther", second.rt.client_propagated(number(1)));
    let nearer = first.seen_by(&client, &nearer);
    apart(|| {
        client.rt.current().set_priority(number(33)).unwrap();
        assert_eq!(nearer.priority(Some(&farther)).unwrap(), 33);
    });
    assert_eq!(first.recorder.take(), [first.at(33)]);
    assert_eq!(second.recorder.take(), [second.at(33)]);
}

#[test]
fn upcalls_run_at_the_servers_priority() {
    let (server, client) = (side(), side());
    let adapter = server.adapter("declared", server.rt.server_declared(number(21)));
    let plain: Probe = adapter.activate_shared(&server.recorder).unwrap();
    let own: Probe =
        server.rt.activate_with_priority(&adapter, &server.recorder, number(30)).unwrap();
    for (probe, priority) in [(&plain, 21), (&own, 30)] {
        let there = server.seen_by(&client, probe);
        let model = there.0.exposed_policy::<PriorityModel>().unwrap().unwrap();
        assert_eq!(model, server.rt.server_declared(number(priority)));
        for (side, probe) in [(&client, &there), (&server, probe)] {
            apart(|| {
                side.rt.current().set_priority(number(9)).unwrap();
                assert_eq!(probe.priority(None).unwrap(), priority);
                assert_eq!(
                    side.rt.current().priority().unwrap(),
                    number(9),
                    "it has its own again"
                );
                let schedule = zorb_os::priority::current().unwrap();
                assert_eq!(schedule, side.at(9).1);
            });
            assert_eq!(server.recorder.take(), [server.at(priority)]);
        }
    }
}

#[test]
fn objects_have_priorities_of_their_own_where_the_server_declares_them() {
    let server = side();
    let root = server.orb.root_poa();
    let propagated = server.adapter("propagated", server.rt.client_propagated(number(1)));
    for poa in [&root, &propagated] {
        let refused =
            server.rt.activate_with_priority::<_, Probe>(poa, &server.recorder, number(2));
        assert_eq!(refused.unwrap_err(), PoaError::WrongPolicy);
    }
    let policies = PoaPolicies::new().user_ids().with(server.rt.server_declared(number(2)));
    let named = root.create("named", policies).unwrap();
    let id = ObjectId::from(&b"one"[..]);
    let probe: Probe = server
        .rt
        .activate_with_id_and_priority(&named, id.clone(), &server.recorder, number(4))
        .unwrap();
    assert_eq!(probe.priority(None).unwrap(), 4);
    let again: Probe = named.reference(&id).unwrap();
    assert_eq!(again, probe, "its reference says the same again");
}

#[test]
fn a_priority_that_the_server_cannot_map_fails_the_call() {
    let (server, client) = (side(), side());
    let probe = server.probe("propagated", server.rt.client_propagated(number(1)));
    let orb = &client.orb;
    // This client's priorities go higher than the server's.
    let wide = RtOrb::builder().attach(orb).unwrap();
    let there: Probe = orb.resolve(&probe.0.to_ior_string()).unwrap();
    apart(|| {
        wide.current().set_priority(number(41)).unwrap();
        let failed = there.priority(None).unwrap_err();
        assert_eq!(failed.kind, SystemExceptionKind::DataConversion);
        wide.current().set_priority(number(40)).unwrap();
        assert_eq!(there.priority(None).unwrap(), 40);
    });
}

/// One more on the way out, ten less on the way in, and never below zero.
#[derive(Debug)]
struct Shift;

impl PriorityTransform for Shift {
    fn inbound(&self, priority: Priority, _: &ObjectId) -> Option<Priority> {
        Priority::new(priority.value() - 10).ok()
    }

    fn outbound(&self, priority: Priority) -> Option<Priority> {
        Priority::new(priority.value() + 1).ok()
    }
}

#[test]
fn transforms_change_priorities_on_their_way() {
    let client = side();
    let orb = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    let orb = orb.listen("iiop://127.0.0.1:0").build().unwrap();
    let mapping = Direct::default();
    let rt = RtOrb::builder().mapping(mapping).transform(Shift).denied(Denied::Run);
    let rt = rt.attach(&orb).unwrap();
    let recorder = Arc::new(Recorder { current: rt.current(), seen: Mutex::default() });
    let policies = PoaPolicies::new().with(rt.client_propagated(number(1)));
    let poa = orb.root_poa().create("shifted", policies).unwrap();
    let here: Probe = poa.activate_shared(&recorder).unwrap();
    let there: Probe = client.orb.resolve(&here.0.to_ior_string()).unwrap();
    apart(|| {
        client.rt.current().set_priority(number(30)).unwrap();
        assert_eq!(there.priority(None).unwrap(), 20, "shifted on the way in");
        rt.current().set_priority(number(30)).unwrap();
        assert_eq!(here.priority(None).unwrap(), 21, "shifted both ways");
        client.rt.current().set_priority(number(5)).unwrap();
        let failed = there.priority(None).unwrap_err();
        assert_eq!(failed.kind, SystemExceptionKind::DataConversion);
    });
}

#[test]
fn without_a_model_upcalls_have_no_priority() {
    let (server, client) = (side(), side());
    let probe: Probe = server.orb.root_poa().activate_shared(&server.recorder).unwrap();
    let there = server.seen_by(&client, &probe);
    apart(|| {
        client.rt.current().set_priority(number(12)).unwrap();
        assert_eq!(there.priority(None).unwrap(), -1);
    });
    assert_eq!(server.recorder.take(), [(None, Schedule::Shared)]);
}
