//! Calls that are sent again while other servers cannot be connected to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::send_twice;
use crate::scripted::{Play, script};
use crate::support::{Acting, Echo, Servant, server, until};
use zorb_cdr::{ByteOrder, Wire};
use zorb_core::{Interface, Orb, Pending};
use zorb_giop::{GiopVersion, IiopProfile, Ior};
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Around, WithTransport, in_own_process};
use zorb_transport::{ConnectError, ConnectOptions, ConnectPhase, Endpoint, Stream, Transport};
use zorb_types::{SystemException, SystemExceptionKind, minor};

/// Attempts to connect to [`DEAD_PORT`] take as long as this is locked, and are in vain.
#[derive(Debug)]
struct Dead(Arc<Mutex<()>>);

/// The number of attempts to connect to [`DEAD_PORT`].
static ATTEMPTS: AtomicUsize = AtomicUsize::new(0);

const DEAD_PORT: u16 = 9;

/// How many calls are blocked: as many as threads may be.
const BLOCKED: usize = 8;

impl Around for Dead {
    fn connect(
        &self,
        inner: &dyn Transport,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        if !endpoint.address().ends_with(&format!(":{DEAD_PORT}")) {
            return inner.connect(endpoint, options);
        }
        ATTEMPTS.fetch_add(1, Ordering::SeqCst);
        drop(self.0.lock().unwrap());
        let error = std::io::ErrorKind::TimedOut.into();
        Err(ConnectError::single(endpoint, ConnectPhase::Connect, error))
    }
}

fn dead_object() -> Ior {
    let profile = IiopProfile {
        version: GiopVersion::V1_2,
        host: "127.0.0.1".to_owned(),
        port: DEAD_PORT,
        object_key: b"dead".to_vec(),
        components: Vec::new(),
    };
    let profiles = vec![profile.encode(ByteOrder::Big).unwrap()];
    Ior { type_id: "IDL:zorb.test/Echo:1.0".to_owned(), profiles }
}

/// An ORB, and the lock that makes connecting to the dead server take long.
fn orb() -> (Orb, Arc<Mutex<()>>) {
    orb_with(&[])
}

fn orb_with(options: &[(&str, &str)]) -> (Orb, Arc<Mutex<()>>) {
    let lock = Arc::default();
    let dead = WithTransport::new(IiopProtocol::new(), Dead(Arc::clone(&lock)));
    let orb = Orb::builder().without_environment().protocol(Arc::new(dead));
    let orb = options.iter().fold(orb, |orb, &(name, value)| orb.option(name, value));
    (orb.build().unwrap(), lock)
}

#[test]
fn a_server_that_cannot_be_connected_to_delays_no_call_to_others() {
    let (_server, real) = server();
    let (orb, lock) = orb();
    let blocked = lock.lock().unwrap();
    let forwards = |there: Ior| {
        let (ior, served) = script(vec![vec![Play::Forward(there)]]);
        (orb.resolve::<Echo>(&ior.to_stringified().unwrap()).unwrap(), served)
    };
    let (to_dead, _) = forwards(dead_object());
    let (to_real, _) = forwards(real.object().ior().clone());
    let waits = send_twice(to_dead.object(), 1);
    assert_eq!(send_twice(to_real.object(), 2).wait().unwrap(), 4);
    assert!(!waits.has_ended());
    drop(blocked);
    assert_eq!(waits.wait().unwrap_err().kind, SystemExceptionKind::Transient);
}

#[test]
fn calls_that_wait_to_be_sent_again_end_on_time() {
    let (orb, lock) = orb();
    let plays = (0..=BLOCKED).map(|_| Play::Forward(dead_object()));
    let (ior, _) = script(vec![plays.collect()]);
    let text = ior.to_stringified().unwrap();
    let blocked = lock.lock().unwrap();
    // Each reference learns only its own forward.
    let resolve = |_| orb.resolve::<Echo>(&text).unwrap();
    let patient: Vec<_> = (0..BLOCKED).map(resolve).collect();
    let patient: Vec<_> = patient.iter().map(|echo| send_twice(echo.object(), 1)).collect();
    let hasty = resolve(0).with_timeout(Duration::from_secs(1));
    let mut late = send_twice(hasty.object(), 1);
    let ended = late.wait_timeout(Duration::from_secs(60)).expect("no thread is free for it");
    assert_eq!(ended.unwrap_err().kind, SystemExceptionKind::Timeout);
    drop(blocked);
    for call in patient {
        assert_eq!(call.wait().unwrap_err().kind, SystemExceptionKind::Transient);
    }
}

#[test]
fn arguments_count_while_their_call_is_sent_again() {
    const NAME: &str = "pending::resent::arguments_count_while_their_call_is_sent_again";
    in_own_process(NAME, || {
        // As many octets as the arguments of one call have.
        let (orb, lock) = orb_with(&[("MaxPendingOctets", "4")]);
        let (ior, _served) = script(vec![vec![Play::Forward(dead_object())]]);
        let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
        let blocked = lock.lock().unwrap();
        let first = send_twice(echo.object(), 1);
        until(|| ATTEMPTS.load(Ordering::SeqCst) > 0);
        let refused = send_twice(echo.object(), 2).wait().unwrap_err();
        assert_eq!(refused.kind, SystemExceptionKind::Transient, "{refused}");
        assert_eq!(refused.minor, minor::transient::TOO_MANY_PENDING, "{refused}");
        drop(blocked);
        assert_eq!(first.wait().unwrap_err().kind, SystemExceptionKind::Transient);
    });
}

#[test]
fn a_result_from_the_same_orb_does_not_name_the_server_that_has_forwarded() {
    let (orb, _) = orb();
    let own: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    let (ior, _served) = script(vec![vec![Play::Forward(own.object().ior().clone())]]);
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let write = |writer: &mut zorb_cdr::CdrWriter<'_>| i32::write(&1, writer);
    // The reply has only a `long`.
    let call: Pending<String, SystemException> = echo.object().send("twice", write, String::read);
    let exception = call.wait().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::Marshal, "{exception}");
    assert_eq!(exception.context().and_then(|context| context.target()), None, "{exception}");
}

#[test]
fn a_servant_of_a_call_that_is_sent_again_may_wait_for_pending_calls() {
    let (_server, real) = server();
    let (orb, _) = orb();
    // Sent again while the upcall waits.
    let (ior, _served) = script(vec![vec![Play::Forward(real.object().ior().clone())]]);
    let far: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let waits = Acting(move |value| send_twice(far.object(), value).wait());
    let own: Echo = orb.root_poa().activate(waits).unwrap();
    let (ior, _served) = script(vec![vec![Play::Forward(own.object().ior().clone())]]);
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    assert_eq!(send_twice(echo.object(), 4).wait().unwrap(), 8);
}
