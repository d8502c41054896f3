//! One-way calls under `SYNC_NONE` that wait in queues of the ORB.

use std::net::TcpListener;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_core::flow::{BufferingConstraint, FlowEvent, FlowLimits, WhenFull};
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{
    ConnectionProperties, Policies, PrivateConnection, RelativeRequestTimeout, SyncScope,
};
use zorb_core::{Interface, ObjectRef, OnewayQueue, Orb, Result, codegen};
use zorb_os::priority::{self, Schedule};
use zorb_rt::{Direct, Priority, PriorityBand, PriorityBands, RtCurrent, RtOrb};
use zorb_shm::ShmiopProtocol;
use zorb_tcp::IiopProtocol;
use zorb_testkit::until;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};
use zorb_unix::UiopProtocol;

/// `interface Sink { oneway void put(in long number, in sequence<octet> data); long count(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sink(ObjectRef);

codegen::interface!(Sink(ObjectRef), "IDL:zorb.test/Sink:1.0", "Sink", []);

impl Sink {
    fn put(&self, number: i32, data: &[u8]) -> Result<()> {
        codegen::oneway!(self, put, [i32 => &number, Vec<u8> => data])
    }

    fn count(&self) -> Result<i32> {
        codegen::invoke!(self, count, [], [i32])
    }

    fn with(&self, policies: &Policies) -> Self {
        Self(self.0.with_policies(policies).unwrap())
    }
}

trait SinkServant: Send + Sync + 'static {
    fn put(&self, number: i32, data: &[u8]);
    fn count(&self) -> Result<i32>;
}

codegen::skeleton!(Sink, SinkServant, {
    0 "put" put(number: i32 => number, data: Vec<u8> => &data) oneway,
    1 "count" count() [result: i32],
});

/// A received call, with its priority.
type Seen = (i32, Option<i16>);

/// Blocks until it is permitted to run, and then records calls.
struct Slow {
    may: Mutex<Option<Receiver<()>>>,
    current: RtCurrent,
    seen: Mutex<Vec<Seen>>,
    came: Mutex<Sender<i32>>,
}

impl SinkServant for Slow {
    fn put(&self, number: i32, _: &[u8]) {
        if let Some(may) = &*self.may.lock().unwrap() {
            // The only message is the permission.
            let _ = may.recv();
        }
        let priority = self.current.priority().ok().map(Priority::value);
        self.seen.lock().unwrap().push((number, priority));
        self.came.lock().unwrap().send(number).unwrap();
    }

    fn count(&self) -> Result<i32> {
        Ok(self.seen.lock().unwrap().len() as i32)
    }
}

struct Scene {
    server: Orb,
    client: Orb,
    rt: RtOrb,
    servant: Arc<Slow>,
    came: Receiver<i32>,
    sink: Sink,
}

fn orb() -> zorb_core::OrbBuilder {
    let orb = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    orb.protocol(Arc::new(UiopProtocol::new())).protocol(Arc::new(ShmiopProtocol::new()))
}

/// Transports whose clients detect that the server does not read.
const PLACES: [&str; 3] = ["iiop://127.0.0.1:0", "uiop://", "shmiop://"];

fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

/// A client, and a server that is blocked until the sender of `gate` is dropped.
fn scene(gate: Option<Receiver<()>>) -> Scene {
    scene_at(PLACES[0], gate)
}

/// The same over another protocol.
fn scene_at(url: &str, gate: Option<Receiver<()>>) -> Scene {
    // Only one thread of a connection makes upcalls, so that they end in their order, however slow the machine is.
    let server = orb().listen(url).option("StallTakeover", "3600000").build().unwrap();
    let client = orb().build().unwrap();
    let attach = |orb: &Orb| RtOrb::builder().mapping(Direct::default()).attach(orb).unwrap();
    let (there, rt) = (attach(&server), attach(&client));
    let (tell, came) = channel();
    let servant = Arc::new(Slow {
        may: Mutex::new(gate),
        current: there.current(),
        seen: Mutex::default(),
        came: Mutex::new(tell),
    });
    let propagated = PoaPolicies::new().with(there.client_propagated(number(0)));
    let poa = server.root_poa().create("sinks", propagated).unwrap();
    let here: Sink = poa.activate_shared(&servant).unwrap();
    let sink = client.resolve(&here.0.to_ior_string()).unwrap();
    Scene { server, client, rt, servant, came, sink }
}

fn queued(queue: &OnewayQueue) -> Policies {
    Policies::new().with(SyncScope::None).with(queue.clone())
}

fn of(max_calls: usize, max_octets: usize) -> OnewayQueue {
    OnewayQueue::new(FlowLimits::default().max_calls(max_calls).max_octets(max_octets))
}

/// The numbers of calls that were sent, lost and refused.
fn counts(queue: &OnewayQueue) -> [u64; 3] {
    let counts = queue.counts();
    [counts.sent, counts.lost, counts.refused]
}

/// A queue, and the events that it has reported.
fn telling(queue: OnewayQueue) -> (OnewayQueue, Receiver<FlowEvent>) {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let queue = queue.on_event(move |event| {
        // The test may have dropped the receiver.
        let _ = tell.lock().unwrap().send(event.clone());
    });
    (queue, told)
}

const HOUR: Duration = Duration::from_secs(3600);
const LARGE: usize = 64 << 10;

#[test]
fn the_caller_goes_on_and_what_there_is_no_room_for_is_refused() {
    for url in PLACES {
        goes_on_and_is_refused(url);
    }
}

fn goes_on_and_is_refused(url: &str) {
    let (go, may) = channel();
    let scene = scene_at(url, Some(may));
    let (queue, told) = telling(of(8, usize::MAX));
    let sink = scene.sink.with(&queued(&queue));
    let data = vec![7; LARGE];
    // Until the transport is full, and the queue behind it.
    let mut taken = 0;
    let refused = loop {
        match sink.put(taken, &data) {
            Ok(()) => taken += 1,
            Err(exception) => break exception,
        }
        assert!(taken < 100_000, "the transport takes everything");
    };
    assert_eq!(refused.kind, SystemExceptionKind::Transient);
    assert_eq!(refused.completed, CompletionStatus::No);
    // The queue's thread may have sent some of the eight since.
    assert!(queue.waiting().0 <= 8);
    let is_high = |event: FlowEvent| matches!(event, FlowEvent::High { calls, .. } if calls >= 6);
    assert!(told.try_iter().any(is_high));
    drop(go);
    assert!(queue.flush(HOUR));
    let is_low = |event: FlowEvent| matches!(event, FlowEvent::Low { calls, .. } if calls <= 2);
    assert!(told.try_iter().any(is_low));
    let sent = u64::try_from(taken).unwrap();
    assert_eq!(counts(&queue), [sent, 0, 1]);
    let came: Vec<_> = scene.came.iter().take(taken as usize).collect();
    assert_eq!(came, (0..taken).collect::<Vec<_>>(), "in their order");
}

#[test]
fn calls_are_held_back_until_there_are_enough_or_the_queue_is_flushed() {
    for url in PLACES {
        let scene = scene_at(url, None);
        let constraint = BufferingConstraint::default();
        let queue = of(100, usize::MAX).buffering(constraint.calls(3));
        let sink = scene.sink.with(&queued(&queue));
        sink.put(0, &[]).unwrap();
        sink.put(1, &[]).unwrap();
        assert_eq!(scene.sink.count(), Ok(0));
        assert_eq!(queue.waiting().0, 2, "{url}");
        sink.put(2, &[]).unwrap();
        assert_eq!(scene.came.iter().take(3).collect::<Vec<_>>(), [0, 1, 2], "{url}");
        sink.put(3, &[]).unwrap();
        assert_eq!(queue.waiting().0, 1, "{url}");
        assert!(queue.flush(HOUR));
        assert_eq!(scene.came.recv(), Ok(3));
        assert_eq!(counts(&queue), [4, 0, 0], "{url}");
        let aging = of(100, usize::MAX).buffering(constraint.age(Duration::from_millis(1)));
        scene.sink.with(&queued(&aging)).put(4, &[]).unwrap();
        assert_eq!(scene.came.recv(), Ok(4));
    }
}

#[test]
fn a_caller_waits_for_room_where_it_is_to() {
    for url in PLACES {
        waits_for_room(url);
    }
}

fn waits_for_room(url: &str) {
    let (go, may) = channel();
    let scene = scene_at(url, Some(may));
    let queue = of(1, usize::MAX).when_full(WhenFull::Wait(HOUR));
    let sink = scene.sink.with(&queued(&queue));
    let hurried = sink.with(&Policies::new().with(RelativeRequestTimeout(Duration::ZERO)));
    let data = vec![7; LARGE];
    let (begin, begun) = channel();
    std::thread::scope(|scope| {
        let (sink, data) = (&sink, &data);
        scope.spawn(move || {
            for number in 0..200 {
                sink.put(number, data).unwrap();
                begin.send(()).unwrap();
            }
        });
        // It has queued some; then the server serves the others one by one.
        begun.recv().unwrap();
        // Its own time limit is shorter than the queue's: such a call is refused or late, but does not block.
        let _ = hurried.put(-1, data);
        drop(go);
        assert_eq!(begun.iter().count(), 199);
    });
    assert!(queue.flush(HOUR));
    let came = scene.came.iter().filter(|number| *number >= 0).take(200);
    assert!(came.eq(0..200), "none is lost, and all are in their order");
}

#[test]
fn requests_have_the_priority_of_their_callers_and_the_connections_of_their_bands() {
    let scene = scene(None);
    let band = |low, high| PriorityBand::new(number(low), number(high)).unwrap();
    let bands = PriorityBands::new([band(0, 9), band(10, 40)]).unwrap();
    for with_bands in [false, true] {
        let queue = of(64, usize::MAX);
        let mut policies = queued(&queue);
        if with_bands {
            policies = policies.with(bands.clone());
        }
        let sink = scene.sink.with(&policies);
        for (number, priority) in [(1, 5), (2, 20), (3, 7)] {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    scene.rt.current().set_priority(self::number(priority)).unwrap();
                    sink.put(number, b"").unwrap();
                });
            });
            // Bands are not in one order.
            assert_eq!(scene.came.recv(), Ok(number));
        }
        let seen = std::mem::take(&mut *scene.servant.seen.lock().unwrap());
        assert_eq!(seen, [(1, Some(5)), (2, Some(20)), (3, Some(7))], "{with_bands}");
        assert!(queue.flush(HOUR));
        assert_eq!(queue.counts().sent, 3);
    }
    // If no band contains the priority, the caller gets an error at once.
    let few = PriorityBands::new([band(30, 40)]).unwrap();
    let sink = scene.sink.with(&queued(&of(1, 1)).with(few));
    assert_eq!(sink.put(4, b"").unwrap_err().kind, SystemExceptionKind::InvPolicy);
}

#[test]
fn a_queue_s_thread_is_scheduled_as_the_one_that_opened_it() {
    let (go, may) = channel();
    let scene = scene(Some(may));
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let queue = of(8, usize::MAX).on_event(move |event| {
        // The queue's thread reports that there is room; the test may have dropped the receiver.
        if matches!(event, FlowEvent::Low { .. }) {
            let _ = tell.lock().unwrap().send(priority::current().unwrap());
        }
    });
    let sink = scene.sink.with(&queued(&queue));
    let data = vec![7; LARGE];
    let opener = std::thread::scope(|scope| {
        let opener = scope.spawn(|| {
            // Where that is not allowed, both are shared ones.
            let _ = priority::set(Schedule::Fifo(2));
            while sink.put(0, &data).is_ok() {}
            priority::current().unwrap()
        });
        opener.join().unwrap()
    });
    drop(go);
    assert_eq!(told.recv(), Ok(opener));
}

#[test]
fn a_reference_keeps_its_queue_where_its_thread_has_calls_go_other_ways() {
    let scene = scene(None);
    let queue = of(64, usize::MAX);
    let sink = scene.sink.with(&queued(&queue));
    let apart = Policies::new().with(PrivateConnection);
    scene.client.policy_current().during(&apart, || sink.put(1, b"").unwrap()).unwrap();
    assert_eq!(scene.came.recv(), Ok(1));
    assert!(queue.flush(HOUR));
    assert_eq!(queue.counts().sent, 1);
}

#[test]
fn only_one_way_calls_that_wait_for_nothing_are_queued() {
    let scene = scene(None);
    let queue = of(64, usize::MAX);
    // At the levels of ORB and thread as well.
    scene.client.policy_manager().add(&Policies::new().with(queue.clone())).unwrap();
    scene.sink.put(1, b"").unwrap();
    assert_eq!(scene.came.recv(), Ok(1));
    assert_eq!(counts(&queue), [0, 0, 0], "the scope is another one");
    let none = Policies::new().with(SyncScope::None);
    scene.client.policy_current().during(&none, || scene.sink.put(2, b"").unwrap()).unwrap();
    assert_eq!(scene.came.recv(), Ok(2));
    assert!(queue.flush(HOUR));
    assert_eq!(queue.counts().sent, 1);
    let all = scene.sink.with(&none);
    assert_eq!(all.count(), Ok(2), "a call with a reply is made as ever");
    assert!(all.0.locate().unwrap());
    let to_target = all.with(&Policies::new().with(SyncScope::WithTarget));
    to_target.put(3, b"").unwrap();
    assert_eq!(scene.servant.seen.lock().unwrap().len(), 3, "it has been run");
    assert_eq!(queue.counts().sent, 1);
    // An object of the same ORB.
    let here: Sink = scene.server.root_poa().activate_shared(&scene.servant).unwrap();
    here.with(&queued(&queue)).put(4, b"").unwrap();
    assert_eq!(scene.servant.seen.lock().unwrap().len(), 4);
    assert_eq!(queue.counts().sent, 1);
}

#[test]
fn queued_calls_are_sent_before_shutdown() {
    let scene = scene(None);
    let queue = of(64, usize::MAX);
    let sink = scene.sink.with(&queued(&queue));
    (0..20).for_each(|number| sink.put(number, b"").unwrap());
    scene.client.shutdown(true).unwrap();
    assert!(scene.came.iter().take(20).eq(0..20));
    assert_eq!(sink.put(20, b"").unwrap_err().kind, SystemExceptionKind::BadInvOrder);
    assert_eq!(counts(&queue), [20, 0, 0]);
}

#[test]
fn a_queue_ends_with_its_policy() {
    let scene = scene(None);
    let sink = scene.sink.with(&queued(&of(64, usize::MAX)));
    (0..20).for_each(|number| sink.put(number, b"").unwrap());
    drop(sink);
    assert!(scene.came.iter().take(20).eq(0..20));
    // The shutdown of the ORB waits for its thread.
    scene.client.shutdown(true).unwrap();
}

/// An object of a server that reads nothing.
fn deaf(client: &Orb) -> (TcpListener, Sink) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("corbaloc::{}/sink", listener.local_addr().unwrap());
    (listener, Sink::from_object(client.string_to_object(&url).unwrap().unwrap()))
}

#[test]
fn calls_that_cannot_be_sent_are_lost_and_the_program_is_told() {
    let client = orb().option("SendTimeout", "1").build().unwrap();
    let (_listener, sink) = deaf(&client);
    let (queue, told) = telling(of(4, usize::MAX));
    let sink = sink.with(&queued(&queue));
    let data = vec![7; 64 << 20];
    sink.put(1, &data).unwrap();
    let lost = told.iter().find_map(|event| match event {
        FlowEvent::Lost(exception) => Some(exception.kind),
        _ => None,
    });
    assert_eq!(lost, Some(SystemExceptionKind::Timeout));
    // The next one goes over another connection.
    sink.put(2, b"").unwrap();
    assert!(queue.flush(HOUR));
    assert_eq!(counts(&queue), [1, 1, 0]);
    client.shutdown(true).unwrap();
}

#[test]
fn a_call_that_is_late_is_not_sent() {
    let client = orb().build().unwrap();
    let (_listener, sink) = deaf(&client);
    let (queue, told) = telling(of(4, usize::MAX));
    let sink = sink.with(&queued(&queue));
    sink.put(1, b"").unwrap();
    let late = sink.with(&Policies::new().with(RelativeRequestTimeout(Duration::ZERO)));
    late.put(2, b"").unwrap();
    let lost = told.recv().unwrap();
    assert!(matches!(lost, FlowEvent::Lost(it) if it.kind == SystemExceptionKind::Timeout));
    sink.put(3, b"").unwrap();
    assert!(queue.flush(HOUR));
    assert_eq!(counts(&queue), [2, 1, 0]);
}

/// The number of calls that a queue takes while its server does not read, with `data` each, and why it refuses the next
/// one.
fn taken(
    client: &Orb,
    queue: OnewayQueue,
    stronger: Option<ConnectionProperties>,
    data: &[u8],
) -> (usize, SystemException) {
    let queue = queue.when_full(WhenFull::Refuse);
    // Waiting calls are lost when the server ends.
    let (_listener, sink) = deaf(client);
    let mut policies = queued(&queue);
    policies = stronger.into_iter().fold(policies, |policies, it| policies.with(it));
    let sink = sink.with(&policies);
    // Sending the first blocks, as the transport is full.
    sink.put(0, &vec![7; 64 << 20]).unwrap();
    until(|| queue.waiting().0 == 0);
    let mut calls = 0;
    loop {
        match sink.put(1, data) {
            Ok(()) => calls += 1,
            Err(refused) => return (calls, refused),
        }
    }
}

#[test]
fn limits_are_those_of_properties_policy_and_options_in_this_order() {
    let client = orb().option("MaxQueuedCalls", "3").option("MaxQueuedOctets", "2500");
    let client = client.option("SendTimeout", "3600000").build().unwrap();
    let [mut calls, mut octets] = [ConnectionProperties::default(); 2];
    calls.queued_calls = Some(2);
    octets.queued_octets = Some(1500);
    let many = 1 << 20;
    // A request with a thousand octets has up to 250 more.
    let thousand = [7; 1000];
    for (queue, stronger, data, most) in [
        (OnewayQueue::default(), None, &[][..], 3),
        (of(4, many), None, &[], 4),
        (of(4, many), Some(calls), &[], 2),
        (OnewayQueue::default(), Some(calls), &[], 2),
        (OnewayQueue::default(), None, &thousand, 2),
        (of(many, 5000), None, &thousand, 4),
        (of(many, 5000), Some(octets), &thousand, 1),
        (OnewayQueue::default(), Some(octets), &thousand, 1),
    ] {
        let (taken, refused) = taken(&client, queue, stronger, data);
        assert_eq!(taken, most, "{}", data.len());
        assert_eq!(refused.kind, SystemExceptionKind::Transient);
        assert_eq!(refused.minor, minor::transient::REQUEST_DISCARDED);
        assert_eq!(refused.completed, CompletionStatus::No);
    }
}
