//! Distributable threads that go from ORB to ORB.
#![allow(clippy::unwrap_used, clippy::use_self)]

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_arq::ArqProtocol;
use zorb_core::poa::PoaPolicies;
use zorb_core::{CollocationStrategy, ObjectRef, Orb, Result, codegen};
use zorb_dsrt::{
    Current, Deadline, EarliestDeadline, FixedPriority, Parameters, RtScheduling, Scheduler,
    ThreadId,
};
use zorb_giop::{GiopLite, ProfileTag};
use zorb_rt::{Direct, NativePriority, Priority, RtCurrent, RtOrb};
use zorb_shm::ShmiopProtocol;
use zorb_short::Short;
use zorb_tcp::IiopProtocol;
use zorb_transport::Composed;
use zorb_types::SystemExceptionKind;
use zorb_unix::UiopProtocol;

/// `interface Hop { short go(in Hop next, in Hop after); short hold(); oneway void note(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Hop(ObjectRef);

codegen::interface!(Hop(ObjectRef), "IDL:zorb.test/Hop:1.0", "Hop", []);

impl Hop {
    /// How many hops there were from here on.
    fn go(&self, next: Option<&Hop>, after: Option<&Hop>) -> Result<i16> {
        codegen::invoke!(
            self,
            go,
            [codegen::RefArgument::<Hop> => next, codegen::RefArgument::<Hop> => after],
            [i16]
        )
    }

    /// Stays until its distributable thread is cancelled.
    fn hold(&self) -> Result<i16> {
        codegen::invoke!(self, hold, [], [i16])
    }

    fn note(&self) -> Result<()> {
        codegen::oneway!(self, note, [])
    }
}

trait HopServant: Send + Sync + 'static {
    fn go(&self, next: Option<&Hop>, after: Option<&Hop>) -> Result<i16>;
    fn hold(&self) -> Result<i16>;
    fn note(&self);
}

codegen::skeleton!(Hop, HopServant, {
    0 "go" go(next: codegen::Ref<Hop> => next.as_ref(), after: codegen::Ref<Hop> => after.as_ref())
        [result: i16],
    1 "hold" hold() [result: i16],
    2 "note" note() oneway,
});

/// What an upcall saw.
type Seen = (Option<ThreadId>, Option<Parameters>, Option<i16>);

struct Recorder {
    current: Current,
    priority: RtCurrent,
    seen: Mutex<Vec<Seen>>,
    holds: Mutex<Sender<()>>,
    /// A segment that `go` has around its call, with these parameters.
    segment: Mutex<Option<Parameters>>,
}

impl Recorder {
    fn record(&self) {
        let priority = self.priority.priority().ok().map(Priority::value);
        let seen = (self.current.id(), self.current.scheduling_parameter(), priority);
        self.seen.lock().unwrap().push(seen);
    }

    fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}

impl HopServant for Recorder {
    fn go(&self, next: Option<&Hop>, after: Option<&Hop>) -> Result<i16> {
        self.record();
        let Some(next) = next else { return Ok(1) };
        let on = || match after {
            None if self.segment.lock().unwrap().is_none() => next.go(None, None),
            after => next.go(after, None),
        };
        let segment = *self.segment.lock().unwrap();
        let hops = match segment {
            None => on()?,
            Some(parameters) => self.current.within("hop", Some(parameters), on)??,
        };
        Ok(hops + 1)
    }

    fn hold(&self) -> Result<i16> {
        self.record();
        self.holds.lock().unwrap().send(()).unwrap();
        loop {
            self.current.check()?;
            std::thread::yield_now();
        }
    }

    fn note(&self) {
        self.record();
    }
}

struct Side {
    orb: Orb,
    scheduling: RtScheduling,
    recorder: Arc<Recorder>,
    hop: Hop,
    held: std::sync::mpsc::Receiver<()>,
}

fn side(scheduler: impl FnOnce(RtCurrent) -> Arc<dyn Scheduler>) -> Side {
    side_at(&["iiop://127.0.0.1:0"], scheduler)
}

fn side_at(urls: &[&str], scheduler: impl FnOnce(RtCurrent) -> Arc<dyn Scheduler>) -> Side {
    let orb = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    let orb = orb.protocol(Arc::new(UiopProtocol::new())).protocol(Arc::new(ShmiopProtocol::new()));
    let orb = orb.protocol(Arc::new(ArqProtocol::new()));
    let lite = Composed::new(&GiopLite, UiopProtocol::new(), ProfileTag::ZORB_LITE_UIOP);
    let short = Composed::new(&Short, UiopProtocol::new(), ProfileTag::ZORB_SHORT_UIOP);
    let orb = orb.protocol(Arc::new(lite)).protocol(Arc::new(short));
    let orb = urls.iter().fold(orb, |orb, url| orb.listen(*url)).build().unwrap();
    let mapping = Direct::new(NativePriority::SHARED, NativePriority(40));
    let rt = RtOrb::builder().mapping(mapping).attach(&orb).unwrap();
    let scheduling = RtScheduling::attach(&orb, scheduler(rt.current()));
    let (holds, held) = channel();
    let recorder = Arc::new(Recorder {
        current: scheduling.current(),
        priority: rt.current(),
        seen: Mutex::default(),
        holds: Mutex::new(holds),
        segment: Mutex::default(),
    });
    let policies = PoaPolicies::new().multiple_ids().with(scheduling.policy());
    let poa = orb.root_poa().create("distributable", policies).unwrap();
    let hop = poa.activate_shared(&recorder).unwrap();
    Side { orb, scheduling, recorder, hop, held }
}

fn by_deadline() -> Side {
    side(|_| Arc::new(EarliestDeadline::new()))
}

fn by_priority() -> Side {
    side(|current| Arc::new(FixedPriority::new(current)))
}

impl Side {
    /// The object of `other`, as this ORB sees it.
    fn sees(&self, other: &Side) -> Hop {
        self.orb.resolve(&other.hop.0.to_ior_string()).unwrap()
    }
}

fn soon() -> Parameters {
    Parameters::Deadline(Deadline::after(Duration::from_secs(60)))
}

#[test]
fn a_thread_is_the_same_at_every_hop() {
    let [client, first, second, third] = std::array::from_fn(|_| by_deadline());
    let (hop, deadline) = (client.sees(&first), soon());
    let current = client.scheduling.current();
    let (hops, id) = current
        .within("track", Some(deadline), || {
            (hop.go(Some(&second.hop), Some(&third.hop)).unwrap(), current.id())
        })
        .unwrap();
    assert_eq!(hops, 3);
    for side in [&first, &second, &third] {
        assert_eq!(side.recorder.take(), [(id, Some(deadline), None)]);
        assert_eq!(side.scheduling.count(), 0, "it has left");
    }
    // Another one has another id; and outside of segments there is none.
    let other = current.within("other", Some(deadline), || {
        hop.go(None, None).unwrap();
        current.id()
    });
    assert_ne!(other.unwrap(), id);
    assert_eq!(hop.go(None, None).unwrap(), 1);
    let seen = first.recorder.take();
    assert_ne!(seen[0].0, id);
    assert_eq!(seen[1], (None, None, None));
}

#[test]
fn a_thread_goes_on_by_every_protocol_that_can_carry_it() {
    for urls in [
        &["uiop://"][..],
        &["shmiop://"],
        &["rudp://127.0.0.1:0"],
        // The first has nothing to carry it by.
        &["lite+uiop://", "uiop://"],
        &["short+uiop://", "uiop://"],
    ] {
        let (client, server) =
            (by_deadline(), side_at(urls, |_| Arc::new(EarliestDeadline::new())));
        let (hop, deadline) = (client.sees(&server), soon());
        let current = client.scheduling.current();
        let work = || {
            assert_eq!(hop.go(None, None), Ok(1), "{urls:?}");
            current.id()
        };
        let id = current.within("track", Some(deadline), work).unwrap();
        assert_eq!(server.recorder.take(), [(id, Some(deadline), None)], "{urls:?}");
    }
}

#[test]
fn a_thread_does_not_go_where_nothing_can_carry_it() {
    for url in ["lite+uiop://", "short+uiop://"] {
        let (client, server) =
            (by_deadline(), side_at(&[url], |_| Arc::new(EarliestDeadline::new())));
        let hop = client.sees(&server);
        let current = client.scheduling.current();
        let refused = current.within("track", Some(soon()), || hop.go(None, None)).unwrap();
        assert_eq!(refused.unwrap_err().kind, SystemExceptionKind::InvPolicy, "{url}");
        assert_eq!(hop.go(None, None), Ok(1), "{url}: who is none is no other there");
        assert_eq!(server.recorder.take(), [(None, None, None)], "{url}");
    }
}

#[test]
fn a_segment_of_a_hop_holds_for_what_it_calls() {
    let [client, first, second, third] = std::array::from_fn(|_| by_deadline());
    let (hop, deadline, sooner) = (client.sees(&first), soon(), soon());
    *second.recorder.segment.lock().unwrap() = Some(sooner);
    let current = client.scheduling.current();
    let work = || {
        assert_eq!(hop.go(Some(&second.hop), Some(&third.hop)).unwrap(), 3);
        current.id()
    };
    let id = current.within("track", Some(deadline), work).unwrap();
    assert_eq!(first.recorder.take(), [(id, Some(deadline), None)]);
    assert_eq!(second.recorder.take(), [(id, Some(deadline), None)]);
    assert_eq!(third.recorder.take(), [(id, Some(sooner), None)]);
    assert_eq!(current.scheduling_parameter(), None);
}

#[test]
fn implicit_parameters_are_what_requests_carry() {
    let [client, first] = std::array::from_fn(|_| by_deadline());
    let (hop, own, implicit) = (client.sees(&first), soon(), soon());
    let current = client.scheduling.current();
    current.begin_scheduling_segment("track", Some(own), Some(implicit)).unwrap();
    hop.go(None, None).unwrap();
    current.end_scheduling_segment("track").unwrap();
    assert_eq!(first.recorder.take()[0].1, Some(implicit));
}

#[test]
fn priorities_are_kept_at_every_hop_and_given_back() {
    let [client, first, second] = std::array::from_fn(|_| by_priority());
    let hop = client.sees(&first);
    let current = client.scheduling.current();
    let twelve = Parameters::Priority(Priority::new(12).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let work = || {
                assert_eq!(hop.go(Some(&second.hop), None).unwrap(), 2);
                // One-way calls, too; the call behind it has the record complete.
                hop.note().unwrap();
                hop.go(None, None).unwrap();
                current.id()
            };
            let id = current.within("track", Some(twelve), work).unwrap();
            let expected = (id, Some(twelve), Some(12));
            assert_eq!(first.recorder.take(), [expected; 3]);
            assert_eq!(second.recorder.take(), [expected]);
            hop.go(None, None).unwrap();
            assert_eq!(
                first.recorder.take(),
                [(None, None, None)],
                "the upcall's thread has its own again"
            );
        });
    });
}

#[test]
fn a_cancelled_thread_is_found_wherever_it_is() {
    let [client, first, second] = std::array::from_fn(|_| by_deadline());
    let (hop, held) = (client.sees(&first), client.sees(&second));
    // Straight to the second, and by way of the first, whose servant calls the second.
    let current = client.scheduling.current();
    let spawned =
        current.spawn("straight", Some(soon()), None, 0, move || held.hold().map(drop)).unwrap();
    second.held.recv().unwrap();
    let seen = second.recorder.take();
    assert_eq!(seen[0].0, Some(spawned.thread.id()));
    spawned.thread.cancel();
    let outcome = spawned.handle.join().unwrap().unwrap().unwrap_err();
    assert_eq!(outcome.kind, SystemExceptionKind::ThreadCancelled);
    assert_eq!((client.scheduling.count(), second.scheduling.count()), (0, 0));

    // The next one is not cancelled.
    assert_eq!(current.within("next", Some(soon()), || hop.go(None, None)).unwrap().unwrap(), 1);
}

#[test]
fn a_cancellation_follows_its_thread_from_node_to_node() {
    let [client, first, second] = std::array::from_fn(|_| by_deadline());
    // An upcall in the first holds by calling the second's `hold`, through a servant of its own.
    struct Onwards(Hop);
    impl HopServant for Onwards {
        fn go(&self, _: Option<&Hop>, _: Option<&Hop>) -> Result<i16> {
            self.0.hold()
        }
        fn hold(&self) -> Result<i16> {
            self.0.hold()
        }
        fn note(&self) {}
    }
    let policies = PoaPolicies::new().with(first.scheduling.policy());
    let poa = first.orb.root_poa().create("onwards", policies).unwrap();
    let onwards: Hop = poa.activate(Onwards(first.sees(&second))).unwrap();
    let there: Hop = client.orb.resolve(&onwards.0.to_ior_string()).unwrap();
    let current = client.scheduling.current();
    let spawned =
        current.spawn("far", Some(soon()), None, 0, move || there.hold().map(drop)).unwrap();
    second.held.recv().unwrap();
    assert!(first.scheduling.lookup(&spawned.thread.id()).is_some(), "it has gone on from here");
    spawned.thread.cancel();
    let outcome = spawned.handle.join().unwrap().unwrap().unwrap_err();
    assert_eq!(outcome.kind, SystemExceptionKind::ThreadCancelled);
    for side in [&client, &first, &second] {
        assert_eq!(side.scheduling.count(), 0);
    }
}

#[test]
fn a_node_refuses_what_its_scheduler_does_not_know() {
    let (client, server) = (by_deadline(), by_priority());
    let hop = client.sees(&server);
    let refused = client.scheduling.current().within("track", Some(soon()), || hop.go(None, None));
    assert_eq!(refused.unwrap().unwrap_err().kind, SystemExceptionKind::InvPolicy);
    assert_eq!(server.recorder.take(), []);
}

#[test]
fn calls_inside_one_orb_are_hops_as_well() {
    let client = by_deadline();
    let current = client.scheduling.current();
    let deadline = soon();
    for strategy in [CollocationStrategy::ThruPoa, CollocationStrategy::Marshalled] {
        let hop = Hop(client.hop.0.with_collocation(strategy));
        let id = current
            .within("track", Some(deadline), || {
                assert_eq!(hop.go(Some(&client.hop), None).unwrap(), 2);
                current.id()
            })
            .unwrap();
        assert_eq!(client.recorder.take(), [(id, Some(deadline), None); 2]);
    }
}

#[test]
fn a_call_that_nobody_answers_lets_others_run() {
    let (client, gone) = (by_deadline(), by_deadline());
    let nobody = client.sees(&gone);
    gone.orb.shutdown(true).unwrap();
    let current = client.scheduling.current();
    let outcome = current.within("track", Some(soon()), || nobody.go(None, None));
    assert!(outcome.unwrap().is_err());
    let spawned = current.spawn("next", Some(soon()), None, 0, || 5).unwrap();
    assert_eq!(spawned.handle.join().unwrap().unwrap(), 5);
}

#[test]
fn the_standards_names_lead_to_it() {
    let client = by_deadline();
    let current: Current = client.orb.initial_local("RTScheduler_Current").unwrap();
    let scheduling: RtScheduling = client.orb.initial_local("RTScheduler").unwrap();
    let id = client.scheduling.current().within("track", Some(soon()), || current.id());
    assert!(id.unwrap().is_some(), "it is the same current");
    assert_eq!(scheduling.count(), 0);
}
