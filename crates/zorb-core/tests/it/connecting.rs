//! Limits of connecting, and of waiting for a connection.

use std::io;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use crate::scripted::{Play, script};
use crate::support::{Acting, Echo, Servant, builder, client, server, until, until_noted};
use zorb_cdr::ByteOrder;
use zorb_core::policy::{ConnectionTimeout, Policies, SyncScope};
use zorb_core::{Interface, ObjectRef, OnewayQueue, Orb};
use zorb_giop::{GiopVersion, IiopProfile, Ior};
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Around, WithTransport, in_own_process};
use zorb_transport::{ConnectError, ConnectOptions, ConnectPhase, Endpoint, Stream, Transport};
use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

/// Nobody answers at a low port: each attempt times out at once.
#[derive(Debug)]
struct Unanswered {
    /// The timeouts of the attempts.
    timeouts: Timeouts,
    /// While this is locked, attempts do not time out.
    time: Arc<Mutex<()>>,
}

impl Around for Unanswered {
    fn connect(
        &self,
        inner: &dyn Transport,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        self.timeouts.lock().unwrap().push(options.timeout.unwrap());
        let port: u16 = endpoint.address().rsplit(':').next().unwrap().parse().unwrap();
        if port > HIGHEST {
            return inner.connect(endpoint, options);
        }
        drop(self.time.lock().unwrap());
        let error = io::ErrorKind::TimedOut.into();
        Err(ConnectError::single(endpoint, ConnectPhase::Connect, error))
    }
}

/// The highest port at which nobody answers.
const HIGHEST: u16 = 64;

/// The timeouts of attempts.
type Timeouts = Arc<Mutex<Vec<Duration>>>;

/// An ORB with such a transport, and the timeouts of its attempts.
fn unanswered() -> (Orb, Timeouts) {
    let (orb, timeouts, _) = timed();
    (orb, timeouts)
}

/// The same, with the lock that stops the time.
fn timed() -> (Orb, Timeouts, Arc<Mutex<()>>) {
    let timeouts = Timeouts::default();
    let time = Arc::<Mutex<()>>::default();
    let unanswered = Unanswered { timeouts: Arc::clone(&timeouts), time: Arc::clone(&time) };
    let protocol = WithTransport::new(IiopProtocol::new(), unanswered);
    let orb = Orb::builder().without_environment().protocol(Arc::new(protocol));
    let orb = orb.listen("iiop://127.0.0.1:0");
    let orb = orb.option("ConnectTimeout", "10000").option("MaxConnectTime", "25000");
    (orb.build().unwrap(), timeouts, time)
}

/// An object at these ports, at which nobody answers.
fn unreachable(ports: RangeInclusive<u16>) -> Ior {
    let profile = |port| {
        let profile = IiopProfile {
            version: GiopVersion::V1_2,
            host: "127.0.0.1".to_owned(),
            port,
            object_key: b"key".to_vec(),
            components: Vec::new(),
        };
        profile.encode(ByteOrder::Big).unwrap()
    };
    let type_id = "IDL:zorb.test/Echo:1.0".to_owned();
    Ior { type_id, profiles: ports.map(profile).collect() }
}

#[test]
fn connecting_to_all_addresses_has_one_limit() {
    let (orb, timeouts) = unanswered();
    let ior = unreachable(1..=HIGHEST);
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.minor, minor::transient::CONNECT_TIMED_OUT);
    assert_eq!(error.completed, CompletionStatus::No);
    assert_eq!(*timeouts.lock().unwrap(), [10, 10, 5].map(Duration::from_secs));
    // So has a LocateRequest, and the next call has the whole time again.
    timeouts.lock().unwrap().clear();
    let error = echo.object().locate().unwrap_err();
    assert_eq!(error.minor, minor::transient::CONNECT_TIMED_OUT);
    assert_eq!(*timeouts.lock().unwrap(), [10, 10, 5].map(Duration::from_secs));
}

#[test]
fn an_address_that_does_not_answer_has_timed_out_before_the_limit_of_all() {
    let (orb, timeouts) = unanswered();
    let ior = unreachable(HIGHEST..=HIGHEST);
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.minor, minor::transient::CONNECT_TIMED_OUT);
    assert_eq!(error.completed, CompletionStatus::No);
    assert_eq!(*timeouts.lock().unwrap(), [Duration::from_secs(10)]);
}

/// The option's limit is that of a call without the policy; a stronger level's policy may be the longer one.
#[test]
fn the_policy_of_the_strongest_level_limits_connecting() {
    let (orb, timeouts) = unanswered();
    let ior = unreachable(HIGHEST..=HIGHEST);
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let limit = |seconds| Policies::new().with(ConnectionTimeout(Duration::from_secs(seconds)));
    let attempted = |object: &ObjectRef| {
        timeouts.lock().unwrap().clear();
        let error = object.unchecked_narrow::<Echo>().twice(1).unwrap_err();
        assert_eq!(error.minor, minor::transient::CONNECT_TIMED_OUT);
        assert_eq!(error.completed, CompletionStatus::No);
        timeouts.lock().unwrap().iter().map(Duration::as_secs).collect::<Vec<_>>()
    };
    let plain = echo.object();
    assert_eq!(attempted(plain), [10], "the option");
    orb.policy_manager().add(&limit(3)).unwrap();
    assert_eq!(attempted(plain), [3], "the ORB");
    let of_thread = || {
        assert_eq!(attempted(plain), [4], "the thread");
        let object = plain.with_policies(&limit(2)).unwrap();
        assert_eq!(attempted(&object), [2], "the object");
        let call = object.for_call(&limit(5)).unwrap();
        assert_eq!(attempted(&call), [5], "the call");
        assert_eq!(attempted(&object), [2], "the object, for its next call");
    };
    orb.policy_current().during(&limit(4), of_thread).unwrap();
    assert_eq!(attempted(plain), [3], "the ORB again");
}

#[test]
fn a_call_whose_deadline_passes_while_it_connects_has_timed_out() {
    let (orb, _) = unanswered();
    let ior = unreachable(1..=HIGHEST);
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let policies = Policies::new().with(SyncScope::None).with(OnewayQueue::default());
    let queued: Echo = echo.object().with_policies(&policies).unwrap().unchecked_narrow();
    let at_once = Duration::from_nanos(1);
    let errors = [
        echo.with_timeout(at_once).twice(1).unwrap_err(),
        echo.with_timeout(at_once).note(1).unwrap_err(),
        queued.with_timeout(at_once).note(1).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(
            (error.kind, error.minor),
            (SystemExceptionKind::Timeout, minor::timeout::CONNECT)
        );
        assert_eq!(error.completed, CompletionStatus::No);
    }
}

#[test]
fn a_forward_leaves_a_call_the_rest_of_its_time_to_connect() {
    let (orb, timeouts) = unanswered();
    let (server, _) = script(vec![vec![Play::Forward(unreachable(3..=HIGHEST))]]);
    let mut ior = unreachable(1..=2);
    ior.profiles.extend(server.profiles);
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.minor, minor::transient::CONNECT_TIMED_OUT);
    assert_eq!(error.completed, CompletionStatus::No);
    let timeouts = timeouts.lock().unwrap();
    let five = Duration::from_secs(5);
    assert_eq!(timeouts[..3], [2 * five, 2 * five, five]);
    // Connecting to the server has taken some of the last five seconds.
    assert!(timeouts.len() == 4 && timeouts[3] < five, "{timeouts:?}");
}

/// Clients may pass references of any address to a server that calls back.
#[test]
fn callbacks_to_strangers_end_and_delay_nobody() {
    for calls in ["1", "4"] {
        let (server, timeouts, time) = timed();
        let echo: Echo = server.root_poa().activate(Servant::default()).unwrap();
        let client = builder().option("MaxCallsPerConnection", calls).build().unwrap();
        let there: Echo = client.resolve(&echo.object().to_ior_string()).unwrap();
        let stranger = unreachable(1..=HIGHEST).to_stringified().unwrap();
        let stranger: Echo = client.resolve(&stranger).unwrap();
        let stopped = time.lock().unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| there.call_back(Some(&stranger), 1));
            until(|| timeouts.lock().unwrap().len() == 1);
            assert_eq!(there.twice(2), Ok(4));
            assert!(!waiting.is_finished());
            drop(stopped);
            let error = waiting.join().unwrap().unwrap_err();
            assert_eq!(error.minor, minor::transient::CONNECT_TIMED_OUT);
        });
        assert_eq!(*timeouts.lock().unwrap(), [10, 10, 5].map(Duration::from_secs));
        server.shutdown(true).unwrap();
    }
}

#[test]
fn a_caller_without_a_timeout_does_not_wait_forever_for_a_connection() {
    for calls in ["1", "2"] {
        let (_server, echo) = server();
        let one = builder().option("MaxConnectionsPerEndpoint", "1");
        let one = one.option("MaxCallsPerConnection", calls).option("MaxConnectionWait", "20");
        let orb = one.build().unwrap();
        let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
        let (ended, ends) = mpsc::channel();
        std::thread::scope(|scope| {
            let callers = calls.parse::<usize>().unwrap() + 1;
            for _ in 0..callers {
                let (there, ended) = (&there, ended.clone());
                scope.spawn(move || ended.send(there.wait_for(6)));
            }
            // The others are in upcalls, or refused as well.
            let refused = ends.recv().unwrap().unwrap_err();
            echo.note(6).unwrap();
            assert_eq!(refused.minor, minor::transient::NO_FREE_CONNECTION);
            assert_eq!(refused.completed, CompletionStatus::No);
        });
    }
}

#[test]
fn a_queue_of_one_way_calls_leaves_the_only_connection_to_other_calls() {
    for calls in ["1", "2"] {
        let (_server, echo) = server();
        let one = builder().option("MaxConnectionsPerEndpoint", "1");
        let one = one.option("MaxCallsPerConnection", calls).option("MaxConnectionWait", "1");
        let orb = one.build().unwrap();
        let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
        let policies = Policies::new().with(SyncScope::None).with(OnewayQueue::default());
        let queued: Echo = there.object().with_policies(&policies).unwrap().unchecked_narrow();
        queued.note(1).unwrap();
        assert_eq!(there.twice(1), Ok(2));
        until_noted(&echo, 1);
    }
}

#[test]
fn callers_beyond_the_limit_of_those_that_wait_are_refused_at_once() {
    for calls in ["1", "2"] {
        let (_server, echo) = server();
        let one = builder().option("MaxConnectionsPerEndpoint", "1").option("MaxWaitingCalls", "3");
        let one = one.option("MaxCallsPerConnection", calls).option("MaxConnectionWait", "0");
        let orb = one.build().unwrap();
        let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
        let (ended, ends) = mpsc::channel();
        std::thread::scope(|scope| {
            let served = calls.parse::<usize>().unwrap() + 3;
            for _ in 0..served + 5 {
                let (there, ended) = (&there, ended.clone());
                scope.spawn(move || ended.send(there.wait_for(6)));
            }
            // The others are in upcalls, or wait.
            for _ in 0..5 {
                let refused = ends.recv().unwrap().unwrap_err();
                assert_eq!(refused.minor, minor::transient::NO_FREE_CONNECTION);
                assert_eq!(refused.completed, CompletionStatus::No);
            }
            echo.note(6).unwrap();
            for _ in 0..served {
                assert_eq!(ends.recv().unwrap(), Ok(()));
            }
        });
    }
}

/// Calls to two ORBs whose servants call each other until the argument is 0, if possible over one connection in each
/// direction.
fn call_back(calls: &str, max_threads: &str, test: impl FnOnce(&Echo)) {
    let side = || {
        let one = builder().option("MaxConnectionsPerEndpoint", "1");
        let one = one.option("MaxCallsPerConnection", calls).option("MaxThreads", max_threads);
        one.listen("iiop://127.0.0.1:0").build().unwrap()
    };
    let orbs = [side(), side()];
    let peers: [Arc<Mutex<Option<Echo>>>; 2] = Default::default();
    let objects = [0, 1].map(|number: usize| {
        let peer = Arc::clone(&peers[number]);
        let servant = Acting(move |left| {
            let peer = peer.lock().unwrap().clone().unwrap();
            if left == 0 { Ok(0) } else { Ok(peer.twice(left - 1)? + 1) }
        });
        orbs[number].root_poa().activate::<_, Echo>(servant).unwrap()
    });
    for (number, orb) in orbs.iter().enumerate() {
        let other = objects[1 - number].object().to_ior_string();
        *peers[number].lock().unwrap() = Some(orb.resolve(&other).unwrap());
    }
    let (_client, first) = client(&objects[0]);
    test(&first);
    peers.iter().for_each(|peer| *peer.lock().unwrap() = None);
    orbs.iter().for_each(|orb| orb.shutdown(true).unwrap());
}

#[test]
fn callbacks_nest_deeper_than_a_connection_has_threads() {
    // A server has 16 threads for a connection, by default.
    for calls in ["1", "2", "64"] {
        call_back(calls, "0", |first| {
            assert_eq!(first.twice(60), Ok(60), "{calls} calls share a connection");
        });
    }
}

/// A call that nests deeper than the process has threads fails, and those that wait for it end with it.
#[test]
fn callbacks_beyond_the_threads_of_the_process_fail() {
    in_own_process("connecting::callbacks_beyond_the_threads_of_the_process_fail", || {
        for calls in ["1", "4"] {
            call_back(calls, "24", |first| {
                assert_eq!(first.twice(4), Ok(4));
                let error = first.twice(60).unwrap_err();
                assert_eq!(error.kind, SystemExceptionKind::Transient, "{error}");
                // The threads are free again.
                until(|| first.twice(4) == Ok(4));
            });
        }
    });
}
