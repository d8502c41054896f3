//! Request interceptors: when they run, in which order, and what their exceptions do.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Echo, Servant, builder, client, server};
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_core::interceptor::{
    ClientRequestInfo, ClientRequestInterceptor, ServerRequestInfo, ServerRequestInterceptor,
};
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{Levels, Policies, PolicyType, SyncScope, TypedPolicy};
use zorb_core::{CollocationStrategy, Interface, Orb};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

/// The points at which interceptors ran, in order.
type Log = Arc<Mutex<Vec<String>>>;

fn refusal() -> SystemException {
    SystemException::no_permission(minor::no_permission::PEER_REFUSED, CompletionStatus::No)
}

/// Records the points at which it runs, and raises an exception at one.
#[derive(Clone, Debug)]
struct Witness {
    name: &'static str,
    log: Log,
    raises_at: &'static str,
}

impl Witness {
    fn at(&self, point: &str, detail: &str) -> Result<(), SystemException> {
        self.log.lock().unwrap().push(format!("{} {point}{detail}", self.name));
        if point == self.raises_at { Err(refusal()) } else { Ok(()) }
    }
}

impl ClientRequestInterceptor for Witness {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.at("sends", &format!(" {}", info.operation()))
    }

    fn receive_reply(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        assert!(info.response_expected());
        self.at("reply", "")
    }

    fn receive_exception(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        match info.outcome().unwrap().system_exception() {
            Some(exception) => self.at("exception", &format!(" {:?}", exception.kind)),
            None => self.at("exception", " of the user"),
        }
    }

    fn receive_other(&self, _: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.at("other", "")
    }
}

/// A client of `echo` with the interceptors `a` and `b`, the second of which raises an exception.
fn witnessed(echo: &Echo, b_raises_at: &'static str) -> (Orb, Echo, Log) {
    let log = Log::default();
    let orb = builder().build().unwrap();
    for (name, raises_at) in [("a", ""), ("b", b_raises_at)] {
        let witness = Witness { name, log: Arc::clone(&log), raises_at };
        orb.add_client_request_interceptor(name, move |_| Some(Arc::new(witness.clone())));
    }
    let echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    (orb, echo, log)
}

fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

#[test]
fn an_attempt_begins_in_order_and_ends_in_reverse() {
    let (_server, echo) = server();
    let (_orb, there, log) = witnessed(&echo, "");
    assert_eq!(there.twice(2), Ok(4));
    assert_eq!(taken(&log), ["a sends twice", "b sends twice", "b reply", "a reply"]);
    assert!(there.repeat("x", -1).is_err());
    let user = ["b exception of the user", "a exception of the user"];
    assert_eq!(taken(&log)[2..], user);
    assert_eq!(there.unknown().unwrap_err().kind, SystemExceptionKind::BadOperation);
    let system = ["b exception BadOperation", "a exception BadOperation"];
    assert_eq!(taken(&log)[2..], system);
    let at_once = Policies::new().with(SyncScope::None);
    Echo::from_object(there.object().with_policies(&at_once).unwrap()).note(1).unwrap();
    assert_eq!(taken(&log)[2..], ["b other", "a other"]);
}

#[test]
fn an_attempt_that_an_interceptor_refuses_is_not_sent() {
    let (_server, echo) = server();
    let (_orb, there, log) = witnessed(&echo, "sends");
    assert_eq!(there.twice(2).unwrap_err().kind, SystemExceptionKind::NoPermission);
    let ended = ["a sends twice", "b sends twice", "a exception NoPermission"];
    assert_eq!(taken(&log), ended);
}

#[test]
fn an_exception_at_the_end_replaces_the_outcome() {
    let (_server, echo) = server();
    let (_orb, there, log) = witnessed(&echo, "reply");
    assert_eq!(there.twice(2).unwrap_err().kind, SystemExceptionKind::NoPermission);
    assert_eq!(taken(&log)[2..], ["b reply", "a exception NoPermission"]);
}

#[test]
fn each_attempt_is_intercepted() {
    let (server, echo) = server();
    server.publish("echo", &echo).unwrap();
    let address = server.endpoints()[0].replace("iiop://", "");
    let (orb, _, log) = witnessed(&echo, "");
    let object = orb.string_to_object(&format!("corbaloc::{address}/echo")).unwrap().unwrap();
    assert_eq!(Echo::from_object(object).twice(3), Ok(6));
    let seen = taken(&log);
    assert_eq!(seen[..4], ["a sends twice", "b sends twice", "b other", "a other"]);
    assert_eq!(seen[4..], ["a sends twice", "b sends twice", "b reply", "a reply"]);
}

#[test]
fn a_factory_of_the_same_name_is_replaced() {
    let (_server, echo) = server();
    let (orb, _, log) = witnessed(&echo, "sends");
    orb.add_client_request_interceptor("b", |_| None);
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    assert_eq!(there.twice(2), Ok(4));
    assert_eq!(taken(&log), ["a sends twice", "a reply"]);
}

/// Calls `work` on another thread, and waits for a minute.
fn elsewhere(work: impl FnOnce() + Send + 'static) {
    let (tell, told) = channel();
    let thread = std::thread::spawn(move || {
        work();
        // The test has failed already if nobody listens.
        let _ = tell.send(());
    });
    told.recv_timeout(Duration::from_secs(60)).unwrap();
    thread.join().unwrap();
}

#[test]
fn factories_may_use_the_orb_on_other_threads() {
    let (_server, echo) = server();
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    let (weak, same) = (orb.downgrade(), there.clone());
    let asked = AtomicBool::new(false);
    let once = move || !asked.swap(true, Ordering::Relaxed);
    orb.add_client_request_interceptor("asks", move |_| {
        if once() {
            let same = same.clone();
            elsewhere(move || assert_eq!(same.twice(1), Ok(2)));
        }
        None
    });
    assert_eq!(there.twice(2), Ok(4));
    // One call for the root adapter, and one for its child.
    let asked = AtomicI32::new(0);
    orb.add_server_request_interceptor("asks", move |_| {
        let number = asked.fetch_add(1, Ordering::Relaxed);
        if let (0 | 2, Some(orb)) = (number, weak.upgrade()) {
            elsewhere(move || {
                let root = orb.root_poa();
                root.create(&format!("other {number}"), PoaPolicies::new()).unwrap();
            });
        }
        None
    });
    assert!(orb.root_poa().create("child", PoaPolicies::new()).is_ok());
}

/// A policy of object adapters whose requests are guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Guarded {
    collocated: bool,
}

impl TypedPolicy for Guarded {
    const POLICY_TYPE: PolicyType = PolicyType(0x5a52_4278);
    const LEVELS: Levels = Levels::ADAPTER;

    fn write(&self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ok(())
    }

    fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self { collocated: false })
    }
}

/// Refuses one operation, executes another itself, and counts the others.
#[derive(Clone, Debug)]
struct Guard {
    policy: Guarded,
    log: Log,
}

impl ServerRequestInterceptor for Guard {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        assert_eq!(info.policies().value(), Some(&self.policy));
        self.log.lock().unwrap().push(info.operation().to_owned());
        match info.operation() {
            "mirror" => Err(refusal()),
            "wait_for" => {
                assert_eq!(info.arguments().read_i32(), Ok(7));
                Ok(())
            }
            "repeat" => {
                info.proceed()?;
                info.proceed()
            }
            _ => info.proceed(),
        }
    }

    fn intercepts_collocated_calls(&self) -> bool {
        self.policy.collocated
    }
}

/// A server whose object `guarded` is intercepted, while `free` is not.
fn guarded(policy: Guarded) -> (Orb, Echo, Echo, Log) {
    let (orb, free) = server();
    let log = Log::default();
    let of_factory = Arc::clone(&log);
    orb.add_server_request_interceptor("guard", move |policies| {
        let policy = *policies.value()?;
        Some(Arc::new(Guard { policy, log: Arc::clone(&of_factory) }))
    });
    let policies = PoaPolicies::new().with(policy);
    let poa = orb.root_poa().create("guarded", policies).unwrap();
    let guarded = poa.activate(Servant::default()).unwrap();
    (orb, guarded, free, log)
}

#[test]
fn upcalls_are_intercepted_where_policies_ask_for_it() {
    let (_orb, guarded, free, log) = guarded(Guarded { collocated: true });
    let (_client, there) = client(&guarded);
    assert_eq!(there.twice(2), Ok(4));
    assert_eq!(there.mirror(b"x").unwrap_err().kind, SystemExceptionKind::NoPermission);
    there.wait_for(7).unwrap();
    let twice = there.repeat("x", 2);
    assert!(format!("{twice:?}").contains("BAD_INV_ORDER"), "{twice:?}");
    assert!(there.panic_now().is_err());
    assert_eq!(there.object().non_existent(), Ok(false));
    assert_eq!(taken(&log), ["twice", "mirror", "wait_for", "repeat", "panic_now"]);
    let (_other, there) = client(&free);
    assert_eq!(there.mirror(b"x"), Ok(b"x".to_vec()));
    assert!(taken(&log).is_empty());
}

#[test]
fn collocated_calls_bypass_interceptors_that_let_them() {
    for collocated in [false, true] {
        let (_orb, guarded, ..) = guarded(Guarded { collocated });
        let direct = guarded.with_collocation(CollocationStrategy::Direct);
        assert_eq!(direct.mirror(b"x").is_err(), collocated);
    }
}
