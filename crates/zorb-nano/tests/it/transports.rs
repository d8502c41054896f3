//! After start nothing is allocated in client or server, over any transport and messaging protocol of Linux.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use allocation_counter::measure;
use zorb_nano::{Client, Limits, Linux, Reference, Server};

use crate::allocations::assert_none;
use crate::linux::TIMEOUT;
use crate::servant::Meter;

/// What the client stores last.
const LAST: i32 = 99;
const ROUNDS: i32 = 3;

/// An abstract name of this process; the path is that of a file.
fn endpoints() -> [String; 6] {
    let id = std::process::id();
    let file = std::env::temp_dir().join(format!("zorb-nano-{id}.sock"));
    [
        "iiop://127.0.0.1:0".to_owned(),
        "lite+iiop://127.0.0.1:0".to_owned(),
        format!("uiop://@zorb-nano-{id}"),
        format!("uiop://{}", file.display()),
        format!("lite+uiop://@zorb-nano-{id}-lite"),
        "diop://127.0.0.1:0".to_owned(),
    ]
}

/// Calls with replies, and how they fail.
fn two_way(client: &mut Client<Linux>, meter: &Reference) {
    let mut sum = client.call(meter, "add", &mut |it| it.write::<[i32; 2]>(&[2, 3])).unwrap();
    assert_eq!(sum.results().unwrap().read::<i32>(), Ok(5));
    assert!(client.call(meter, "break", &mut |_| Ok(())).is_err());
    let mut text = client.call(meter, "echo", &mut |it| it.write_str("text")).unwrap();
    assert!(text.results().unwrap().read_text(4).unwrap() == *"text");
    let mut failed =
        client.call(meter, "divide", &mut |it| it.write::<[f64; 2]>(&[1.0, 0.0])).unwrap();
    assert!(failed.exception().is_some());
    assert_eq!(client.locate(meter), Ok(Some(meter.clone())));
}

fn one_way(client: &mut Client<Linux>, meter: &Reference, value: i32) {
    client.send(meter, "store", &mut |it| it.write::<i32>(&value)).unwrap();
    client.send_to_all([meter, meter], "store", &mut |it| it.write::<i32>(&value)).unwrap();
}

/// Makes a client call in rounds, and counts the allocations of each. The first round connects.
fn count_calls(url: &str, meter: &Reference) {
    let limits = Limits::DEFAULT.timeout(TIMEOUT);
    let mut client = Client::new(Linux::new(8), limits);
    let has_replies = !url.starts_with("diop");
    for round in 0..ROUNDS {
        let calls = || {
            if has_replies {
                two_way(&mut client, meter);
            } else {
                assert!(client.locate(meter).is_err(), "nothing answers");
            }
            one_way(&mut client, meter, round);
        };
        assert_none(measure(calls), &format!("client, {url}, round {round}"));
    }
    // The server ends with it.
    client.send(meter, "store", &mut |it| it.write::<i32>(&LAST)).unwrap();
}

#[test]
fn no_transport_allocates_after_start() {
    for url in endpoints() {
        let (send, receive) = channel();
        let has_failed = AtomicBool::new(false);
        let counted = thread::scope(|scope| {
            let served = scope.spawn(|| {
                let limits = Limits::DEFAULT.timeout(TIMEOUT);
                let endpoint = url.parse().unwrap();
                let mut server = Server::new(Linux::new(10), endpoint, limits).unwrap();
                let meter = Meter::default();
                let stored = std::rc::Rc::clone(&meter.stored);
                server.register(b"meter", Box::new(meter)).unwrap();
                send.send(server.reference(b"meter").unwrap()).unwrap();
                let mut served = 0;
                while stored.get() != LAST && !has_failed.load(Ordering::Acquire) {
                    let what = format!("server, {url}");
                    let work = || server.perform_work(Some(Duration::from_millis(5))).unwrap();
                    assert_none(measure(work), &what);
                    served += 1;
                }
                served
            });
            let meter = receive.recv().unwrap();
            // A panic must not leave the server running: the scope waits for it.
            let calls = catch_unwind(AssertUnwindSafe(|| count_calls(&url, &meter)));
            has_failed.store(calls.is_err(), Ordering::Release);
            let served = served.join().unwrap();
            calls.map_or_else(|panic| resume_unwind(panic), |()| served)
        });
        assert!(counted > 1, "{url}: the server has worked {counted} times");
    }
}
