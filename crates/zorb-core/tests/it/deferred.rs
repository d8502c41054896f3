//! Servants that answer later, in lanes of one thread with every strategy, and collocated.

mod asynchronous;
mod ends;
mod interceptors;
mod limits;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, Scope};
use std::time::Duration;

use crate::held::{DONE, Raw, STRATEGIES, TWO_WAY};
use crate::support::{
    Acting, Echo, Refused, RepeatError, Served, builder, client, served_by, until,
};
use zorb_core::lanes::Strategy;
use zorb_core::poa::{DeferredServant, PoaPolicies, Response, Upcall};
use zorb_core::{Orb, OrbBuilder, Result, codegen};
use zorb_giop::ResponseFlags;
use zorb_testkit::connect_from;
use zorb_types::{CompletionStatus, MinorCode, SystemException, SystemExceptionKind, minor};

/// The deferred servant trait of `Echo`, and its asynchronous one, with a part of their operations.
trait LateEcho: Send + Sync + 'static {
    fn twice(&self, upcall: &Upcall<'_>, value: i32, response: Response<i32>);
    fn repeat(&self, text: &str, times: i32, response: Response<String, RepeatError>);
    fn mirror(&self, data: &[u8], response: Response<Vec<u8>>);
    fn note(&self, value: i32);
    fn panic_now(&self, response: Response<()>);
}

trait AsyncEcho: Send + Sync + 'static {
    fn twice(self: Arc<Self>, value: i32) -> impl Future<Output = Result<i32>> + Send + 'static;
    fn repeat(
        self: Arc<Self>,
        text: String,
        times: i32,
    ) -> impl Future<Output = Result<String, RepeatError>> + Send + 'static;
    fn mirror(
        self: Arc<Self>,
        data: Vec<u8>,
    ) -> impl Future<Output = Result<Vec<u8>>> + Send + 'static;
    fn note(self: Arc<Self>, value: i32) -> impl Future<Output = ()> + Send + 'static;
    fn panic_now(self: Arc<Self>) -> impl Future<Output = Result<()>> + Send + 'static;
}

codegen::deferred!(Echo, LateEcho, AsyncEcho, {
    0 "twice" twice(upcall; value: i32 => value) [result: i32],
    1 "repeat" repeat(text: String => &text, times: i32 => times) [result: String],
    2 "mirror" mirror(data: codegen::Octets => data) [result: codegen::Octets],
    3 "note" note(value: i32 => value) oneway,
    4 "panic_now" panic_now() [],
});

/// A request that a servant has not answered.
#[derive(Debug)]
enum Asked {
    Twice(i32, Response<i32>),
    Repeat(String, i32, Response<String, RepeatError>),
    Mirror(Vec<u8>, Response<Vec<u8>>),
    Note(i32),
    Nothing(Response<()>),
}

impl Asked {
    /// Answers as `Servant` does.
    fn answer(self) {
        match self {
            Self::Twice(value, response) => response.send(Ok(value * 2)),
            Self::Repeat(text, times, response) => match usize::try_from(times) {
                Ok(times) => response.send(Ok(text.repeat(times))),
                Err(_) => response.raise(Refused { why: format!("{times} is negative") }),
            },
            Self::Mirror(data, response) => response.send(Ok(data)),
            Self::Note(_) => {}
            Self::Nothing(response) => response.send(Ok(())),
        }
    }

    fn value(&self) -> i32 {
        match self {
            Self::Twice(value, _) | Self::Note(value) => *value,
            other => panic!("{other:?}"),
        }
    }
}

/// A servant whose requests a test answers.
struct Asks(Mutex<Sender<Asked>>);

impl Asks {
    fn ask(&self, asked: Asked) {
        // Without a receiver, dropped unanswered.
        let _ = self.0.lock().unwrap().send(asked);
    }
}

/// The argument for which the servant panics.
const PANICS: i32 = -1;

impl LateEcho for Asks {
    fn twice(&self, upcall: &Upcall<'_>, value: i32, response: Response<i32>) {
        assert_eq!(upcall.operation(), "twice");
        assert_ne!(value, PANICS, "as asked");
        self.ask(Asked::Twice(value, response));
    }

    fn repeat(&self, text: &str, times: i32, response: Response<String, RepeatError>) {
        self.ask(Asked::Repeat(text.to_owned(), times, response));
    }

    fn mirror(&self, data: &[u8], response: Response<Vec<u8>>) {
        self.ask(Asked::Mirror(data.to_vec(), response));
    }

    fn note(&self, value: i32) {
        self.ask(Asked::Note(value));
    }

    fn panic_now(&self, response: Response<()>) {
        self.ask(Asked::Nothing(response));
    }
}

/// A servant, and the requests that it gets.
fn asks() -> (DeferredServant<Asks>, Receiver<Asked>) {
    let (sender, receiver) = channel();
    (DeferredServant::new(Asks(Mutex::new(sender))), receiver)
}

/// An object that answers later and another one, in a lane of one thread.
struct Scene {
    orb: Orb,
    policies: PoaPolicies,
    late: Echo,
    asked: Receiver<Asked>,
    free: Echo,
    address: String,
    _pool: Option<zorb_core::lanes::Pool>,
}

impl Scene {
    fn new(strategy: Option<Strategy>) -> Self {
        Self::with(strategy, builder())
    }

    fn with(strategy: Option<Strategy>, builder: OrbBuilder) -> Self {
        let orb = builder.listen("iiop://127.0.0.1:0").build().unwrap();
        let Served { policies, address, pool } = served_by(&orb, strategy, 1);
        let poa = orb.root_poa().create("late", policies.clone()).unwrap();
        let (servant, asked) = asks();
        let late = poa.activate(servant).unwrap();
        let free = poa.activate(Acting(Ok)).unwrap();
        Self { orb, policies, late, asked, free, address, _pool: pool }
    }

    fn connect(&self) -> Raw {
        self.connect_from("127.0.0.1")
    }

    fn connect_from(&self, address: &str) -> Raw {
        Raw(connect_from(address, &self.address).unwrap())
    }

    /// `late` for a client whose calls share one connection.
    fn client(&self) -> (Orb, Echo) {
        let orb = builder().option("MaxConnectionsPerEndpoint", "1");
        let orb = orb.option("MaxCallsPerConnection", "64").build().unwrap();
        let late = orb.resolve(&self.late.object().to_ior_string()).unwrap();
        (orb, late)
    }
}

type Call<'s, T> = thread::ScopedJoinHandle<'s, T>;

/// A call of `twice` on a thread of its own.
fn call<'s>(scope: &'s Scope<'s, '_>, late: &'s Echo, value: i32) -> Call<'s, Result<i32>> {
    scope.spawn(move || late.twice(value))
}

/// Receives `count` requests, in order of their values.
fn receive(asked: &Receiver<Asked>, count: usize) -> Vec<Asked> {
    let mut all: Vec<Asked> = asked.iter().take(count).collect();
    all.sort_by_key(Asked::value);
    all
}

type Summary = (SystemExceptionKind, MinorCode, CompletionStatus);

fn maybe(kind: SystemExceptionKind, code: MinorCode) -> Summary {
    (kind, code, CompletionStatus::Maybe)
}

fn summary(exception: &SystemException) -> Summary {
    (exception.kind, exception.minor, exception.completed)
}

/// Five calls, answered from the last to the first, each by a thread of its own.
fn answered_in_reverse(late: &Echo, asked: &Receiver<Asked>) {
    thread::scope(|scope| {
        let mut calls: Vec<_> = (0..5).map(|value| call(scope, late, value)).collect();
        let mut waiting = receive(asked, 5);
        while let (Some(call), Some(asked)) = (calls.pop(), waiting.pop()) {
            let value = asked.value();
            thread::spawn(move || asked.answer()).join().unwrap();
            // Those before it have no answers yet.
            assert_eq!(call.join().unwrap(), Ok(value * 2));
        }
    });
}

#[test]
fn replies_are_sent_by_any_thread_and_in_any_order() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy);
        let (_client, shared) = scene.client();
        answered_in_reverse(&shared, &scene.asked);
        let (_client, exclusive) = client(&scene.late);
        answered_in_reverse(&exclusive, &scene.asked);
    }
    let scene = Scene::new(None);
    answered_in_reverse(&scene.late, &scene.asked);
}

#[test]
fn a_lane_of_one_thread_serves_others_while_a_thousand_are_unanswered() {
    const MANY: i32 = 1_000;
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy);
        let mut raw = scene.connect();
        (0..MANY).for_each(|value| raw.twice(&scene.late, value, TWO_WAY));
        let mut waiting = receive(&scene.asked, 1_000);
        // Over the same connection, and over another one.
        raw.twice(&scene.free, MANY, TWO_WAY);
        assert_eq!(raw.reply(), (MANY, DONE));
        let (_client, free) = client(&scene.free);
        assert_eq!(free.twice(7), Ok(7));
        waiting.reverse();
        let ids: Vec<i32> = waiting.iter().map(Asked::value).collect();
        waiting.into_iter().for_each(Asked::answer);
        for id in ids {
            assert_eq!(raw.reply(), (id, DONE));
        }
    }
}

#[test]
fn all_kinds_of_answers_arrive() {
    let scene = Scene::new(None);
    let (_client, there) = client(&scene.late);
    for late in [&scene.late, &there] {
        thread::scope(|scope| {
            scope.spawn(|| {
                let long = vec![7; 300_000];
                assert_eq!(late.repeat("ab", 2), Ok("abab".to_owned()));
                let refused = Refused { why: "-1 is negative".to_owned() };
                assert_eq!(late.repeat("ab", -1), Err(RepeatError::Refused(refused)));
                assert_eq!(late.mirror(&long), Ok(long.clone()));
                assert_eq!(late.mirror(&[]), Ok(Vec::new()));
                assert_eq!(late.panic_now(), Ok(()));
                late.note(3).unwrap();
                let exception = late.noted().unwrap_err();
                assert_eq!(exception.kind, SystemExceptionKind::BadOperation);
            });
            for _ in 0..5 {
                scene.asked.recv().unwrap().answer();
            }
            assert_eq!(scene.asked.recv().unwrap().value(), 3);
        });
    }
}

#[test]
fn a_request_that_is_dropped_is_transient() {
    let dropped = maybe(SystemExceptionKind::Transient, minor::transient::REPLY_DROPPED);
    let panicked = maybe(SystemExceptionKind::Unknown, minor::unknown::SERVANT_PANICKED);
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy);
        let (_client, there) = client(&scene.late);
        for late in [&scene.late, &there] {
            thread::scope(|scope| {
                let first = call(scope, late, 1);
                drop(scene.asked.recv().unwrap());
                assert_eq!(summary(&first.join().unwrap().unwrap_err()), dropped);
                let second = call(scope, late, 2);
                let asked = scene.asked.recv().unwrap();
                let panics = thread::spawn(move || {
                    let _asked = asked;
                    panic!("as asked");
                });
                assert!(panics.join().is_err());
                assert_eq!(summary(&second.join().unwrap().unwrap_err()), panicked);
            });
            assert_eq!(summary(&late.twice(PANICS).unwrap_err()), panicked);
        }
    }
}

#[test]
fn the_turn_of_a_single_thread_adapter_ends_with_the_upcall() {
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    for policies in [PoaPolicies::new().single_thread(), PoaPolicies::new().main_thread()] {
        let name = format!("{:?}", policies.thread_model);
        let poa = orb.root_poa().create(&name, policies).unwrap();
        let (servant, asked) = asks();
        let late: Echo = poa.activate(servant).unwrap();
        let (_client, there) = client(&late);
        thread::scope(|scope| {
            let calls = [call(scope, &late, 1), call(scope, &there, 2)];
            let mut waiting = Vec::new();
            while waiting.len() < 2 {
                orb.perform_work().unwrap();
                waiting.extend(asked.recv_timeout(Duration::from_millis(1)));
            }
            waiting.into_iter().for_each(Asked::answer);
            assert_eq!(calls.map(|call| call.join().unwrap()), [Ok(2), Ok(4)]);
        });
    }
}

#[test]
fn one_way_requests_have_no_response() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy);
        let mut raw = scene.connect();
        // A one-way request for an operation that others wait for.
        raw.twice(&scene.late, 1, ResponseFlags::NoResponse);
        raw.twice(&scene.late, 2, TWO_WAY);
        let waiting = receive(&scene.asked, 2);
        waiting.into_iter().for_each(Asked::answer);
        assert_eq!(raw.reply(), (2, DONE));
    }
}
