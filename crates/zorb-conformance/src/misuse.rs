//! Programs whose wakers, servants and executors panic, block, drop what they have or end: they harm no other call.

use std::panic::panic_any;
use std::pin::pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use zorb::poa::{AsyncServant, DeferredServant, Response, Task};
use zorb::{
    Interface, MinorCode, ObjectRef, Orb, Pending, SystemException, SystemExceptionKind, minor,
};

use crate::Subject;
use crate::idl::suite::{self, Later, LaterAsyncServant, LaterDeferredServant};
use crate::pending::send_add;
use crate::subject::Way;

/// What a panic is thrown with, and panics when it is dropped.
struct PanicsToo;

impl Drop for PanicsToo {
    fn drop(&mut self) {
        panic!("as requested")
    }
}

/// A call that its own waker has, too.
type Shared = Arc<Mutex<Option<Pending<i32>>>>;

fn take(call: &Shared) -> Option<Pending<i32>> {
    call.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// What a waker does with the object of its call, and with its call.
type Misuse = fn(&ObjectRef, &Shared);

const MISUSES: [Misuse; 6] = [
    |_, _| panic_any(PanicsToo),
    // Its own call has ended.
    |_, call| drop(take(call)),
    |_, call| assert_eq!(take(call).map(Pending::wait), Some(Ok(3))),
    |object, _| match send_add(object, 2, 2).wait() {
        Ok(sum) => assert_eq!(sum, 4),
        Err(refused) => assert_eq!(refused.kind, SystemExceptionKind::BadInvOrder),
    },
    |object, _| {
        let object: suite::Subject = object.unchecked_narrow();
        assert_eq!(object.add(2, 3), Ok(5));
    },
    |object, _| (0..50).for_each(|number| send_add(object, number, 1).on_reply(drop)),
];

struct Misuses {
    object: ObjectRef,
    call: Shared,
    misuse: Misuse,
    /// Tells whether it has done so, or panicked.
    done: Mutex<Sender<bool>>,
}

impl Wake for Misuses {
    fn wake(self: Arc<Self>) {
        let mut told = Tells { sender: &self.done, is_done: false };
        (self.misuse)(&self.object, &self.call);
        told.is_done = true;
    }
}

/// Tells at its end whether something has been done.
struct Tells<'a> {
    sender: &'a Mutex<Sender<bool>>,
    is_done: bool,
}

impl Drop for Tells<'_> {
    fn drop(&mut self) {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        // A task that is not awaited any more may be woken.
        let _ = sender.send(self.is_done);
    }
}

/// Awaits a call, which has not ended then, with the waker that `make` makes.
fn awaited<T>(object: &ObjectRef, make: impl Fn(Shared) -> (Waker, T)) -> (Shared, T) {
    loop {
        let call = Shared::default();
        let (waker, told) = make(Arc::clone(&call));
        let mut sent = send_add(object, 1, 2);
        // The waker waits for the lock.
        let mut place = call.lock().unwrap();
        if pin!(&mut sent).poll(&mut Context::from_waker(&waker)).is_pending() {
            *place = Some(sent);
            drop(place);
            return (call, told);
        }
    }
}

/// A client whose calls share connections, if `calls` is more than 1.
fn client(on: &Subject, calls: &str) -> Orb {
    let one = on.builder().option("MaxConnectionsPerEndpoint", "1");
    one.option("MaxCallsPerConnection", calls).build().unwrap()
}

fn still_works(there: &suite::Subject) {
    assert_eq!(there.add(1, 2), Ok(3));
    let calls: Vec<_> = (0..20).map(|number| send_add(there.as_object(), number, 1)).collect();
    for (number, call) in (0..).zip(calls) {
        assert_eq!(call.wait(), Ok(number + 1));
    }
}

/// Wakers that panic, drop and take their calls, wait, call and send.
pub fn wakers_harm_no_other_call(on: &Subject, _: &'static str) {
    let server = on.server();
    for calls in ["1", "64"] {
        let client = client(on, calls);
        let there = server.seen_by(&client);
        let object = there.as_object();
        for (number, misuse) in MISUSES.into_iter().enumerate() {
            let make = |call| {
                let (done, told) = channel();
                let (object, done) = (object.clone(), Mutex::new(done));
                (Waker::from(Arc::new(Misuses { object, call, misuse, done })), told)
            };
            let (_call, told) = awaited(object, make);
            // It receives for the connection, and may run the waker.
            assert_eq!(send_add(object, 3, 4).wait(), Ok(7));
            assert_eq!(told.recv(), Ok(number != 0), "{number}");
            still_works(&there);
        }
        client.shutdown(true).unwrap();
    }
}

/// Blocks until its sender is dropped.
struct Blocks {
    begun: Mutex<Sender<()>>,
    released: Mutex<Receiver<()>>,
}

impl Wake for Blocks {
    fn wake(self: Arc<Self>) {
        self.begun.lock().unwrap().send(()).unwrap();
        let _ = self.released.lock().unwrap().recv();
    }
}

/// While a waker blocks, calls of the connection have their replies or end on time, and calls of others go on.
pub fn a_waker_that_blocks_makes_no_call_wait_for_ever(on: &Subject, _: &'static str) {
    let (server, other) = (on.server(), on.client());
    for calls in ["1", "64"] {
        let client = client(on, calls);
        let there = server.seen_by(&client);
        let make = |_| {
            let (begun, has_begun) = channel();
            let (release, released) = channel();
            let blocks = Blocks { begun: Mutex::new(begun), released: Mutex::new(released) };
            (Waker::from(Arc::new(blocks)), (has_begun, release))
        };
        let (call, (has_begun, release)) = awaited(there.as_object(), make);
        thread::scope(|scope| {
            // It may receive for the connection, and run the waker.
            let mate = there.clone();
            let receives = scope.spawn(move || send_add(mate.as_object(), 5, 6).wait());
            has_begun.recv().unwrap();
            assert_eq!(server.seen_by(&other).add(7, 8), Ok(15));
            let hasty = there.with_timeout(Duration::from_millis(50));
            for ended in [hasty.add(1, 2), send_add(hasty.as_object(), 1, 2).wait()] {
                let is_late = |late: SystemException| late.kind == SystemExceptionKind::Timeout;
                assert!(ended.map_or_else(is_late, |sum| sum == 3));
            }
            drop(release);
            assert_eq!(receives.join().unwrap(), Ok(11));
        });
        assert_eq!(take(&call).map(Pending::wait), Some(Ok(3)));
        still_works(&there);
        client.shutdown(true).unwrap();
    }
}

/// The calls of a thread that panics are cancelled.
pub fn a_thread_that_panics_cancels_its_calls(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for _ in 0..20 {
        let object = there.as_object().clone();
        let panics = thread::spawn(move || {
            let _calls = [1, 2, 3].map(|number| send_add(&object, number, 1));
            panic!("as requested")
        });
        let kept = send_add(there.as_object(), 1, 1);
        assert!(panics.join().is_err());
        assert_eq!(kept.wait(), Ok(2));
    }
    still_works(&there);
    client.shutdown(true).unwrap();
}

/// A task that is its own waker, and has its call, as those of many executors.
struct Owned(Mutex<Option<Pending<i32>>>);

impl Wake for Owned {
    fn wake(self: Arc<Self>) {}
}

/// If nobody else has a task, it ends with its call.
pub fn a_task_whose_executor_has_ended_ends_with_its_call(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    for _ in 0..20 {
        let task = Arc::new(Owned(Mutex::new(Some(send_add(there.as_object(), 1, 2)))));
        let waker = Waker::from(Arc::clone(&task));
        let polled = {
            let mut call = task.0.lock().unwrap();
            pin!(call.as_mut().unwrap()).poll(&mut Context::from_waker(&waker))
        };
        let known = Arc::downgrade(&task);
        drop((polled, waker, task));
        while known.strong_count() > 0 {
            thread::yield_now();
        }
    }
    still_works(&there);
    client.shutdown(true).unwrap();
}

/// What a servant does with a response.
const KEEPS: i32 = 0;
const PANICS: i32 = 1;
const ANSWERS_AND_PANICS: i32 = 2;
const DROPS: i32 = 3;

/// The other argument of a call whose time is over before the servant answers.
const LATE: i32 = -1;

struct Careless(Mutex<Sender<(i32, Response<i32>)>>);

impl LaterDeferredServant for Careless {
    fn add(&self, left: i32, right: i32, response: Response<i32>) {
        match left {
            PANICS => panic_any(PanicsToo),
            ANSWERS_AND_PANICS => {
                response.send(Ok(right));
                panic_any(PanicsToo)
            }
            DROPS => drop(response),
            _ => self.0.lock().unwrap().send((right, response)).unwrap(),
        }
    }
}

/// A client's reference to an object that answers later. While the way exists, it can be called.
fn seen(on: &Subject, client: &Orb, later: &Later) -> (Way, Later) {
    let way = on.way_to(&later.to_ior_string());
    let seen = client.resolve(&way.ior.to_stringified().unwrap()).unwrap();
    (way, seen)
}

/// Servants that keep, drop and answer requests, and panic.
pub fn careless_servants_answer_each_request_once(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let (keep, kept) = channel();
    let careless = DeferredServant::new(Careless(Mutex::new(keep)));
    let later: Later = server.orb.root_poa().activate(careless).unwrap();
    let (_way, later) = seen(on, &client, &later);
    for round in 0..3 {
        let panicked = later.add(PANICS, round).unwrap_err();
        assert_eq!(panicked.minor, minor::unknown::SERVANT_PANICKED);
        assert_eq!(later.add(ANSWERS_AND_PANICS, round), Ok(round));
        let dropped = later.add(DROPS, round).unwrap_err();
        assert_eq!(dropped.minor, minor::transient::REPLY_DROPPED);
        let hasty = later.with_timeout(Duration::from_millis(50));
        let late = hasty.add(KEEPS, LATE).unwrap_err();
        assert_eq!(late.kind, SystemExceptionKind::Timeout);
        thread::scope(|scope| {
            let waits = scope.spawn(|| later.add(KEEPS, round));
            // On a slow machine, the late one was not sent. Nobody gets its answer.
            let limit = Duration::from_secs(60);
            let kept = std::iter::from_fn(|| kept.recv_timeout(limit).ok());
            let answered = kept.map(|(right, response)| {
                response.send(Ok(right));
                right
            });
            assert_eq!({ answered }.find(|right| *right != LATE), Some(round));
            assert_eq!(waits.join().unwrap(), Ok(round));
        });
        still_works(&there);
    }
}

struct Sums;

impl LaterAsyncServant for Sums {
    async fn add(self: Arc<Self>, left: i32, right: i32) -> zorb::Result<i32> {
        assert_ne!(left, PANICS, "as requested");
        Ok(left + right)
    }
}

/// How an executor begins a task, and what its tasks answer: one that has a result, and one that panics.
type Executor = (fn(Task), [Result<i32, MinorCode>; 2]);

/// Runs a task, which waits for nothing, to its end.
fn run(mut task: Task) {
    let polled = task.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Ready(()));
}

/// Executors that drop their tasks, panic, and end with their threads.
pub fn executors_that_end_answer_each_request_once(on: &Subject, _: &'static str) {
    let (server, client) = (on.server(), on.client());
    let there = server.seen_by(&client);
    let dropped = minor::transient::REPLY_DROPPED;
    let panicked = minor::unknown::SERVANT_PANICKED;
    let executors: [Executor; 5] = [
        (run, [Ok(8), Err(panicked)]),
        (drop, [Err(dropped); 2]),
        (|_task| panic_any(PanicsToo), [Err(panicked); 2]),
        // The thread ends with a task that panics, or that it has not begun.
        (|task| drop(thread::spawn(move || run(task))), [Ok(8), Err(panicked)]),
        (|task| drop(thread::spawn(move || drop(task))), [Err(dropped); 2]),
    ];
    for (spawn, expected) in executors {
        let servant = AsyncServant::new(Sums, spawn);
        let later: Later = server.orb.root_poa().activate(servant).unwrap();
        let (_way, later) = seen(on, &client, &later);
        for (left, expected) in [4, PANICS].into_iter().zip(expected) {
            let found = later.add(left, 4).map_err(|exception| exception.minor);
            assert_eq!(found, expected, "{left}");
        }
        still_works(&there);
    }
    drop(client);
    server.orb.shutdown(true).unwrap();
}
