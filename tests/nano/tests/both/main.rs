//! The small ORB and the full one in both directions, over each protocol that both have.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may")]

mod priorities;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};
use zorb::poa::PoaPolicies;
use zorb::rt::{LaneBuilder, Priority, RtOrb};
use zorb::{Interface as _, Orb};
use zorb_nano::{Client, Limits, Linux, Reference, Server, Text, TypedReference as _};
use zorb_nano_tests::{full, small};

/// How long to wait for the other side on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The protocols with replies.
const TWO_WAY: [&str; 4] =
    ["iiop://127.0.0.1:0", "lite+iiop://127.0.0.1:0", "uiop://@", "lite+uiop://@"];

/// What was stored last.
static STORED: AtomicI32 = AtomicI32::new(0);

struct FullMeter;

impl full::MeterServant for FullMeter {
    fn add(&self, a: i32, b: i32) -> zorb::Result<i32> {
        Ok(a.wrapping_add(b))
    }

    fn echo(&self, text: &str) -> zorb::Result<String> {
        Ok(text.to_owned())
    }

    fn store(&self, value: i32) {
        STORED.store(value, Ordering::Release);
    }
}

struct SmallMeter;

impl small::MeterServant for SmallMeter {
    fn add(&mut self, a: i32, b: i32) -> zorb_nano::Result<i32> {
        Ok(a.wrapping_add(b))
    }

    fn echo<'a>(&'a mut self, text: Text<'a>) -> zorb_nano::Result<Text<'a>> {
        Ok(text)
    }

    fn store(&mut self, value: i32) {
        STORED.store(value, Ordering::Release);
    }
}

fn full_orb(urls: &[&str]) -> Orb {
    let builder = Orb::builder().without_environment();
    urls.iter().fold(builder, |builder, url| builder.listen(*url)).build().unwrap()
}

fn small_client() -> Client<Linux> {
    Client::new(Linux::new(8), Limits::DEFAULT.timeout(TIMEOUT))
}

/// Repeats `send` until the value has been stored: datagrams may be lost.
fn until_stored(value: i32, mut send: impl FnMut()) {
    let begin = Instant::now();
    while STORED.load(Ordering::Acquire) != value {
        send();
        std::thread::yield_now();
        assert!(begin.elapsed() < TIMEOUT, "no datagram arrives");
    }
}

/// Runs `body` with the reference of a server on the small ORB.
fn beside_small_server(urls: &[String], body: impl FnOnce(&str)) {
    let done = AtomicBool::new(false);
    let (send, receive) = channel();
    std::thread::scope(|scope| {
        let done = &done;
        scope.spawn(move || {
            let (first, others) = urls.split_first().unwrap();
            let limits = Limits::DEFAULT.timeout(TIMEOUT);
            let mut server = Server::new(Linux::new(60), first.parse().unwrap(), limits).unwrap();
            others.iter().for_each(|url| server.listen(url.parse().unwrap()).unwrap());
            let servant = small::MeterSkeleton(SmallMeter);
            server.register(b"meter", Box::new(servant)).unwrap();
            let ior = server.reference(b"meter").unwrap().to_ior(small::Meter::ID).unwrap();
            send.send(ior.to_stringified().unwrap()).unwrap();
            while !done.load(Ordering::Acquire) {
                server.perform_work(Some(Duration::from_millis(5))).unwrap();
            }
            server.close();
        });
        let reference = receive.recv().unwrap();
        // A panic must not leave the server running: the scope waits for it.
        let body = std::panic::AssertUnwindSafe(|| body(&reference));
        let outcome = std::panic::catch_unwind(body);
        done.store(true, Ordering::Release);
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    });
}

fn main() -> ExitCode {
    let tests: [(&str, fn()); 4] = [
        ("the_small_orb_calls_the_full_one", the_small_orb_calls_the_full_one),
        ("the_full_orb_calls_the_small_one", the_full_orb_calls_the_small_one),
        (
            "one_way_calls_are_datagrams_in_both_directions",
            one_way_calls_are_datagrams_in_both_directions,
        ),
        (
            "the_small_orb_calls_the_lane_of_its_priority",
            the_small_orb_calls_the_lane_of_its_priority,
        ),
    ];
    let trial = |(name, test): (&str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let trials = tests.map(trial).into_iter().chain([priorities::trial()]);
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn the_small_orb_calls_the_full_one() {
    let mut client = small_client();
    for url in TWO_WAY {
        let orb = full_orb(&[url]);
        let meter: full::Meter = orb.root_poa().activate(FullMeter).unwrap();
        let reference = Reference::parse(&meter.as_object().to_ior_string()).unwrap();
        let meter = small::Meter(reference);
        for value in 0..20 {
            assert_eq!(meter.add(&mut client, value, 1), Ok(value + 1), "{url}");
        }
        let text =
            if url.starts_with("lite") { "gr\u{f6}\u{df}e \u{6771}" } else { "gr\u{f6}\u{df}e" };
        assert!(meter.echo(&mut client, text).is_ok_and(|echo| echo == text), "{url}");
        assert_eq!(client.locate(&meter.0), Ok(Some(meter.0.clone())));
        orb.shutdown(true).unwrap();
    }
}

fn the_full_orb_calls_the_small_one() {
    let name = format!("@zorb-nano-both-{}", std::process::id());
    let orb = full_orb(&[]);
    for url in TWO_WAY {
        let url = url.replace('@', &name);
        beside_small_server(std::slice::from_ref(&url), |reference| {
            let meter: full::Meter = orb.resolve(reference).unwrap();
            for value in 0..20 {
                assert_eq!(meter.add(value, 1).unwrap(), value + 1, "{url}");
            }
            let text = if url.starts_with("lite") {
                "gr\u{f6}\u{df}e \u{6771}"
            } else {
                "gr\u{f6}\u{df}e"
            };
            assert_eq!(meter.echo(text).unwrap(), text, "{url}");
        });
    }
    orb.shutdown(true).unwrap();
}

fn one_way_calls_are_datagrams_in_both_directions() {
    let orb = full_orb(&["diop://127.0.0.1:0"]);
    let meter: full::Meter = orb.root_poa().activate(FullMeter).unwrap();
    let there = small::Meter(Reference::parse(&meter.as_object().to_ior_string()).unwrap());
    let mut client = small_client();
    until_stored(11, || there.store(&mut client, 11).unwrap());
    assert!(there.add(&mut client, 1, 2).is_err(), "a reply cannot come");
    let other = full_orb(&[]);
    beside_small_server(&["diop://127.0.0.1:0".to_owned()], |reference| {
        let meter: full::Meter = other.resolve(reference).unwrap();
        until_stored(12, || meter.store(12).unwrap());
        assert!(meter.add(1, 2).is_err(), "a reply cannot come");
    });
    orb.shutdown(true).unwrap();
    other.shutdown(true).unwrap();
}

fn the_small_orb_calls_the_lane_of_its_priority() {
    let orb = full_orb(&["iiop://127.0.0.1:0"]);
    let rt = RtOrb::builder().attach(&orb).unwrap();
    let [low, high] = [10, 20].map(|priority| Priority::new(priority).unwrap());
    let lanes = rt.threadpool("lanes").lane(LaneBuilder::new(low, 1));
    let lanes = lanes.lane(LaneBuilder::new(high, 1)).create().unwrap();
    let policies = PoaPolicies::new().with(rt.client_propagated(low)).with(lanes.policy());
    let poa = orb.root_poa().create("lanes", policies).unwrap();
    let meter: full::Meter = poa.activate(FullMeter).unwrap();
    let reference = Reference::parse(&meter.as_object().to_ior_string()).unwrap();
    let mut priorities: Vec<_> = reference.endpoints().iter().map(|it| it.priority()).collect();
    priorities.sort_unstable();
    assert_eq!(priorities, [Some(10), Some(20)]);
    let meter = small::Meter(reference);
    let mut client = small_client();
    for priority in [10, 20] {
        client.os().set_priority(Some(priority));
        assert_eq!(meter.add(&mut client, 1, 2), Ok(3));
    }
    client.os().set_priority(Some(15));
    let error = meter.add(&mut client, 1, 2).unwrap_err();
    assert_eq!(error.minor, zorb_nano::minor::inv_policy::NO_LANE);
    orb.shutdown(true).unwrap();
}
