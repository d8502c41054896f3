//! Lanes of the small ORB in threads of the system's real-time priorities: a request of the urgent lane interrupts an upcall of
//! the other one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use zorb_nano::{Endpoint, Limits, Linux, Reference, Server, Text};
use zorb_nano_tests::small::{Meter, MeterServant, MeterSkeleton};
use zorb_os::priority::{self, Schedule};
use zorb_os::thread::{affinity, set_affinity};

use crate::{TIMEOUT, small_client};

/// CORBA's priorities of the lanes.
const LOW: i16 = 10;
const HIGH: i16 = 20;
/// The system's, of the client that calls the urgent lane. Nothing keeps its request from being sent.
const CLIENT: Schedule = Schedule::Fifo(30);

pub(crate) fn trial() -> Trial {
    let name = "an_urgent_request_interrupts_an_upcall";
    let denied = std::thread::spawn(|| priority::set(CLIENT)).join().unwrap().err();
    match denied {
        None => Trial::test(name, || {
            assert!(interrupts(Schedule::Fifo(20), TIMEOUT), "its thread is more urgent");
            assert!(!interrupts(Schedule::Fifo(10), Duration::from_millis(20)), "the control");
            Ok(())
        }),
        Some(error) => {
            let name = format!("{name} (SCHED_FIFO cannot be set: {error})");
            Trial::test(name, || Ok(())).with_ignored_flag(true)
        }
    }
}

/// What the upcalls of both lanes have in common.
struct Shared {
    /// Upcalls that have begun and ended.
    events: Mutex<Vec<&'static str>>,
    is_urgent_done: AtomicBool,
    is_over: AtomicBool,
    /// How long the upcall that is not urgent uses the processor, unless an urgent one is carried out meanwhile.
    longest: Duration,
}

impl Shared {
    fn note(&self, event: &'static str) {
        self.events.lock().unwrap().push(event);
    }
}

/// Ends the servers if its thread panics: else the scope would wait for them forever.
struct EndOnPanic(Arc<Shared>);

impl Drop for EndOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_over.store(true, Ordering::Release);
        }
    }
}

struct LaneMeter {
    shared: Arc<Shared>,
    /// In the lane that is not urgent: tells that its upcall has begun.
    begun: Option<Sender<()>>,
}

impl MeterServant for LaneMeter {
    fn add(&mut self, a: i32, b: i32) -> zorb_nano::Result<i32> {
        let Self { shared, begun } = self;
        let Some(begun) = begun else {
            shared.note("urgent");
            shared.is_urgent_done.store(true, Ordering::Release);
            return Ok(a + b);
        };
        shared.note("begin");
        begun.send(()).unwrap();
        let start = Instant::now();
        while !shared.is_urgent_done.load(Ordering::Acquire) && start.elapsed() < shared.longest {
            std::hint::spin_loop();
        }
        shared.note("end");
        Ok(a + b)
    }

    fn echo<'a>(&'a mut self, text: Text<'a>) -> zorb_nano::Result<Text<'a>> {
        Ok(text)
    }

    fn store(&mut self, _: i32) {}
}

/// Serves a lane in the calling thread, which gets this schedule, until it is over.
fn serve(lane: i16, meter: LaneMeter, ready: &Sender<Endpoint>) {
    let shared = Arc::clone(&meter.shared);
    let endpoint = "127.0.0.1:0".parse::<Endpoint>().unwrap().of_lane(lane);
    let limits = Limits::DEFAULT.timeout(TIMEOUT);
    let mut server = Server::new(Linux::new(10), endpoint, limits).unwrap();
    server.register(b"meter", Box::new(MeterSkeleton(meter))).unwrap();
    ready.send(server.endpoints().next().unwrap()).unwrap();
    while !shared.is_over.load(Ordering::Acquire) {
        server.perform_work(Some(Duration::from_millis(5))).unwrap();
    }
}

/// Calls the lane of this priority.
fn call(target: &Reference, lane: i16) {
    let mut client = small_client();
    client.os().set_priority(Some(lane));
    assert_eq!(Meter(target.clone()).add(&mut client, 2, 3), Ok(5));
}

/// Whether a request is served while an upcall of the other lane runs, whose thread has `SCHED_FIFO` 10. All threads have the
/// same processor.
fn interrupts(urgent: Schedule, longest: Duration) -> bool {
    let processor = *affinity().unwrap().last().unwrap();
    let shared = Arc::new(Shared {
        events: Mutex::default(),
        is_urgent_done: AtomicBool::new(false),
        is_over: AtomicBool::new(false),
        longest,
    });
    let become_one = move |schedule| {
        set_affinity(&[processor]).unwrap();
        priority::set(schedule).unwrap();
    };
    std::thread::scope(|scope| {
        let end_on_panic = || EndOnPanic(Arc::clone(&shared));
        let _end = end_on_panic();
        let (begun, has_begun) = channel();
        let mut endpoints = Vec::new();
        let lanes = [(LOW, Schedule::Fifo(10), Some(begun)), (HIGH, urgent, None)];
        for (lane, schedule, begun) in lanes {
            let (meter, (ready, is_ready)) =
                (LaneMeter { shared: Arc::clone(&shared), begun }, channel());
            scope.spawn(move || {
                become_one(schedule);
                serve(lane, meter, &ready);
            });
            endpoints.push(is_ready.recv().unwrap());
        }
        let target = Reference::new(endpoints[0], b"meter").unwrap();
        let target = target.with_endpoints(endpoints).unwrap();
        let other = target.clone();
        let [high_end, low_end] = [end_on_panic(), end_on_panic()];
        let calls = [
            scope.spawn(move || {
                let _end = high_end;
                become_one(CLIENT);
                has_begun.recv().unwrap();
                call(&other, HIGH);
            }),
            scope.spawn(move || {
                let _end = low_end;
                call(&target, LOW);
            }),
        ];
        let failed = calls.map(|call| call.join().is_err()).contains(&true);
        shared.is_over.store(true, Ordering::Release);
        assert!(!failed, "a call has failed");
    });
    let events = shared.events.lock().unwrap();
    assert_eq!(events.first(), Some(&"begin"));
    events.get(1) == Some(&"urgent")
}
