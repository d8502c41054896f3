//! The points of interceptors at which a request ends, and the service contexts of replies.

use std::sync::{Arc, Mutex};

use crate::support::{Echo, Servant, builder};
use zorb_core::interceptor::{
    ClientRequestInfo, ClientRequestInterceptor, RequestOutcome, ServerRequestInfo,
    ServerRequestInterceptor,
};
use zorb_core::{CollocationStrategy, Interface, Orb};
use zorb_giop::ServiceId;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

const FIRST: ServiceId = ServiceId(0x5a52_4230);
const SECOND: ServiceId = ServiceId(0x5a52_4231);

/// The points at which interceptors ran, in order.
type Log = Arc<Mutex<Vec<String>>>;

fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

/// Records the points at which it runs in a server, and raises an exception at one.
#[derive(Clone, Debug)]
struct Witness {
    name: &'static str,
    log: Log,
    raises_at: &'static str,
}

impl Witness {
    fn at(&self, point: &str, info: &ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let outcome = match info.outcome() {
            None | Some(RequestOutcome::Successful) => String::new(),
            Some(RequestOutcome::SystemException(exception)) => format!(" {:?}", exception.kind),
            other => format!(" {}", other.unwrap().exception_id().unwrap()),
        };
        self.log.lock().unwrap().push(format!("{} {point}{outcome}", self.name));
        if point != self.raises_at {
            return Ok(());
        }
        let completed = CompletionStatus::Maybe;
        Err(SystemException::no_permission(minor::no_permission::PEER_REFUSED, completed))
    }
}

impl ServerRequestInterceptor for Witness {
    fn receive_request_service_contexts(
        &self,
        info: &mut ServerRequestInfo<'_>,
    ) -> Result<(), SystemException> {
        assert!(!info.operation().is_empty());
        self.at("contexts", info)
    }

    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        self.at("request", info)?;
        info.proceed()
    }

    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        assert_eq!(info.outcome(), Some(&RequestOutcome::Successful));
        self.at("reply", info)
    }

    fn send_exception(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        self.at("exception", info)
    }

    fn send_other(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        assert_eq!(info.outcome(), Some(&RequestOutcome::Successful));
        self.at("other", info)
    }
}

/// A server of `Echo` with the interceptors `a` and `b`, the second of which raises an exception, and a client.
fn witnessed(raises_at: &'static str) -> ([Orb; 2], Echo, Log) {
    let log = Log::default();
    let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    for (name, raises_at) in [("a", ""), ("b", raises_at)] {
        let witness = Witness { name, log: Arc::clone(&log), raises_at };
        server.add_server_request_interceptor(name, move |_| Some(Arc::new(witness.clone())));
    }
    let echo: Echo = server.root_poa().activate(Servant::default()).unwrap();
    let client = builder().build().unwrap();
    let there = client.resolve(&echo.object().to_ior_string()).unwrap();
    ([server, client], there, log)
}

const BEGUN: [&str; 4] = ["a contexts", "b contexts", "a request", "b request"];

#[test]
fn a_request_ends_once_in_reverse_order() {
    let (_orbs, there, log) = witnessed("");
    let ended = |ends: [&str; 2]| {
        let log = taken(&log);
        assert_eq!(log[..4], BEGUN);
        assert_eq!(log[4..], ends);
    };
    there.twice(2).unwrap();
    ended(["b reply", "a reply"]);
    there.panic_now().unwrap_err();
    ended(["b exception Unknown", "a exception Unknown"]);
    there.repeat("x", -1).unwrap_err();
    let user = "exception IDL:zorb.test/Refused:1.0";
    ended([&format!("b {user}"), &format!("a {user}")]);
    there.unknown().unwrap_err();
    ended(["b exception BadOperation", "a exception BadOperation"]);
    there.note(1).unwrap();
    // The connection's next request is served after it.
    there.noted().unwrap();
    let log = taken(&log);
    assert_eq!(log[4..6], ["b other", "a other"]);
    assert_eq!(log[10..], ["b reply", "a reply"]);
}

#[test]
fn an_exception_before_the_upcall_ends_what_has_begun() {
    let (_orbs, there, log) = witnessed("contexts");
    assert_eq!(there.twice(2).unwrap_err().kind, SystemExceptionKind::NoPermission);
    assert_eq!(taken(&log), ["a contexts", "b contexts", "a exception NoPermission"]);
    let (_orbs, there, log) = witnessed("request");
    assert_eq!(there.twice(2).unwrap_err().kind, SystemExceptionKind::NoPermission);
    let log = taken(&log);
    assert_eq!(log[..4], BEGUN);
    assert_eq!(log[4..], ["b exception NoPermission", "a exception NoPermission"]);
}

#[test]
fn an_exception_at_the_end_replaces_the_outcome() {
    let (_orbs, there, log) = witnessed("reply");
    assert_eq!(there.twice(2).unwrap_err().kind, SystemExceptionKind::NoPermission);
    assert_eq!(taken(&log)[4..], ["b reply", "a exception NoPermission"]);
    let (_orbs, there, log) = witnessed("exception");
    assert_eq!(there.unknown().unwrap_err().kind, SystemExceptionKind::NoPermission);
    assert_eq!(taken(&log)[4..], ["b exception BadOperation", "a exception NoPermission"]);
}

/// Adds a context to replies of all kinds: its data at the end of a request, and the size of the data when the
/// request has been received.
#[derive(Clone, Debug)]
struct Adds(Arc<Vec<u8>>);

impl ServerRequestInterceptor for Adds {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let size = self.0.len() as u64;
        info.add_reply_service_context(FIRST, &size.to_be_bytes(), false)?;
        info.proceed()?;
        let late = info.add_reply_service_context(FIRST, &[], true).unwrap_err();
        assert_eq!(late.minor, minor::bad_inv_order::INTERCEPTOR_CALL);
        Ok(())
    }

    fn send_reply(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        info.add_reply_service_context(SECOND, &self.0, false)?;
        let again = info.add_reply_service_context(SECOND, &[], false).unwrap_err();
        assert_eq!(again.minor, minor::bad_inv_order::CONTEXT_EXISTS);
        Ok(())
    }

    fn send_exception(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        self.send_reply(info)
    }
}

/// The end of a call in the client: the point, its outcome, and the two contexts of the reply.
type End = (&'static str, RequestOutcome, [Option<Vec<u8>>; 2]);

/// Records the ends of calls.
#[derive(Clone, Debug, Default)]
struct Reads(Arc<Mutex<Vec<End>>>);

impl Reads {
    fn at(&self, point: &'static str, info: &ClientRequestInfo<'_>) {
        let contexts = [FIRST, SECOND].map(|id| Some(info.reply_service_context(id)?.to_vec()));
        self.0.lock().unwrap().push((point, info.outcome().unwrap().clone(), contexts));
    }

    fn take(&self) -> Vec<End> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl ClientRequestInterceptor for Reads {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        assert_eq!((info.outcome(), info.reply_service_context(FIRST)), (None, None));
        Ok(())
    }

    fn receive_reply(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.at("reply", info);
        Ok(())
    }

    fn receive_exception(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.at("exception", info);
        Ok(())
    }

    fn receive_other(&self, info: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.at("other", info);
        Ok(())
    }
}

/// Whether the client is the server's ORB, so that its calls are collocated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Client {
    Remote,
    Collocated,
}

/// A server that adds a context with this data to replies, and a client that reads it.
fn adding(data: &[u8], client: Client) -> ([Orb; 2], Echo, Reads) {
    let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let adds = Adds(Arc::new(data.to_vec()));
    server.add_server_request_interceptor("adds", move |_| Some(Arc::new(adds.clone())));
    let echo: Echo = server.root_poa().activate(Servant::default()).unwrap();
    let client = match client {
        Client::Remote => builder().build().unwrap(),
        Client::Collocated => server.clone(),
    };
    let reads = Reads::default();
    let of_factory = reads.clone();
    client.add_client_request_interceptor("reads", move |_| Some(Arc::new(of_factory.clone())));
    let there = client.resolve(&echo.object().to_ior_string()).unwrap();
    ([server, client], there, reads)
}

#[test]
fn replies_of_all_kinds_carry_contexts_of_any_size() {
    for client in [Client::Remote, Client::Collocated] {
        for size in [0, 1, 72, 73, 100_000] {
            let data = vec![7; size];
            let (_orbs, there, reads) = adding(&data, client);
            let contexts = [Some((size as u64).to_be_bytes().to_vec()), Some(data)];
            assert_eq!(there.twice(2), Ok(4));
            // The results are written behind the contexts, or sent from where they are.
            let octets: Vec<u8> = (0..200_000).map(|at| at as u8).collect();
            assert_eq!(there.mirror(&octets).unwrap(), octets);
            for _ in 0..2 {
                let (point, outcome, found) = reads.0.lock().unwrap().remove(0);
                assert_eq!((point, outcome), ("reply", RequestOutcome::Successful));
                assert!(found == contexts, "{client:?}, {size} octets");
            }
            there.repeat("x", -1).unwrap_err();
            let user = RequestOutcome::UserException("IDL:zorb.test/Refused:1.0".into());
            assert!(reads.take() == [("exception", user, contexts.clone())], "{client:?}");
            let raised = there.unknown().unwrap_err();
            let system = RequestOutcome::SystemException(raised);
            assert!(reads.take() == [("exception", system, contexts)], "{client:?}");
        }
    }
}

#[test]
fn requests_without_replies_end_without_contexts() {
    let (_orbs, there, reads) = adding(b"x", Client::Remote);
    there.note(1).unwrap();
    assert_eq!(reads.take(), [("other", RequestOutcome::Successful, [None, None])]);
    let (orbs, there, reads) = adding(b"x", Client::Remote);
    orbs[0].shutdown(true).unwrap();
    let exception = there.twice(2).unwrap_err();
    let (point, outcome, contexts) = reads.take().pop().unwrap();
    assert_eq!((point, contexts), ("exception", [None, None]));
    assert_eq!(outcome.system_exception().map(|it| it.kind), Some(exception.kind));
}

#[test]
fn an_interceptor_sees_where_a_call_is_forwarded() {
    let ([server, client], there, reads) = adding(b"x", Client::Remote);
    server.publish("echo", &there).unwrap();
    let address = server.endpoints()[0].replace("iiop://", "");
    let object = client.string_to_object(&format!("corbaloc::{address}/echo")).unwrap().unwrap();
    assert_eq!(Echo::from_object(object).twice(3), Ok(6));
    let ends = reads.take();
    let (point, outcome, _) = &ends[0];
    assert_eq!(*point, "other");
    let forward = outcome.forward_reference().unwrap();
    assert_eq!(forward.type_id, "IDL:zorb.test/Echo:1.0");
    assert_eq!(ends[1].0, "reply");
}

/// Counts calls, and does without those that need no request.
#[derive(Clone, Debug)]
struct Counts {
    calls: Log,
    collocated: bool,
}

impl ClientRequestInterceptor for Counts {
    fn send_request(&self, info: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.calls.lock().unwrap().push(info.operation().to_owned());
        Ok(())
    }

    fn intercepts_collocated_calls(&self) -> bool {
        self.collocated
    }
}

#[test]
fn a_client_intercepts_collocated_calls_unless_it_lets_them_through() {
    for strategy in [CollocationStrategy::Direct, CollocationStrategy::ThruPoa] {
        for collocated in [true, false] {
            let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
            let counts = Counts { calls: Log::default(), collocated };
            let of_factory = counts.clone();
            orb.add_client_request_interceptor("counts", move |_| {
                Some(Arc::new(of_factory.clone()))
            });
            let echo: Echo = orb.root_poa().activate(Servant::default()).unwrap();
            let echo = echo.with_collocation(strategy);
            for _ in 0..3 {
                assert_eq!(echo.twice(2), Ok(4));
            }
            assert_eq!(taken(&counts.calls).len(), if collocated { 3 } else { 0 });
        }
    }
}
