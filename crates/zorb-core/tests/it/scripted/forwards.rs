//! Forwards, binding, and the forms of addresses.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::*;
use crate::support::{server, server_that_ends};
use zorb_cdr::CdrWriter;
use zorb_core::Interface;
use zorb_core::policy::{MaxHops, Policies};
use zorb_types::minor;

#[test]
fn forwards_are_followed_and_remembered() {
    let (_server, real) = server();
    let there = real.object().ior().clone();
    let (ior, served) = script(vec![vec![Play::Forward(there)]]);
    let (_orb, echo) = client_of(&ior);
    assert_eq!(echo.twice(4).unwrap(), 8);
    assert_eq!(echo.twice(5).unwrap(), 10);
    assert_eq!(served.join().unwrap(), 1, "the second call goes directly to the new server");
}

#[test]
fn binding_opens_the_connection_that_calls_go_over() {
    let (ior, served) =
        script(vec![vec![Play::Answer, Play::Answer, Play::Answer], vec![Play::Hang]]);
    let (orb, echo) = client_of(&ior);
    echo.object().validate_connection().unwrap();
    assert_eq!(echo.twice(4).unwrap(), 8);
    orb.shutdown(true).unwrap();
    // Ends the wait for a second connection.
    let (_orb, again) = client_of(&ior);
    again.object().validate_connection().unwrap_err();
    assert_eq!(served.join().unwrap(), 4);
}

#[test]
fn binding_follows_forwards() {
    let (_server, real) = server();
    let (ior, served) = script(vec![vec![Play::Forward(real.object().ior().clone())]]);
    let (_orb, echo) = client_of(&ior);
    echo.object().validate_connection().unwrap();
    assert_eq!(served.join().unwrap(), 1);
    assert_eq!(echo.twice(4).unwrap(), 8, "the forward is remembered");
}

#[test]
fn a_dead_forward_falls_back_to_the_original() {
    let (first_server, first) = server_that_ends();
    let (_second_server, second) = server();
    let (ior, served) = script(vec![vec![
        Play::Forward(first.object().ior().clone()),
        Play::Forward(second.object().ior().clone()),
    ]]);
    let (_orb, echo) = client_of(&ior);
    assert_eq!(echo.twice(4).unwrap(), 8);
    first_server.shutdown(true).unwrap();
    assert_eq!(echo.twice(6).unwrap(), 12);
    assert_eq!(served.join().unwrap(), 2);
}

#[test]
fn a_server_gets_the_address_that_it_asks_for() {
    use AddressingDisposition::{KeyAddr, ProfileAddr, ReferenceAddr};
    let plays = vec![
        Play::AnswerTo(KeyAddr),
        Play::AskFor(ProfileAddr),
        Play::AnswerTo(ProfileAddr),
        // Later requests have this form from the beginning.
        Play::AnswerTo(ProfileAddr),
        Play::AskFor(ReferenceAddr),
        Play::AnswerTo(ReferenceAddr),
        Play::AskFor(KeyAddr),
        Play::AnswerTo(KeyAddr),
        // It has this form.
        Play::AskFor(KeyAddr),
    ];
    let (ior, server) = script(vec![plays]);
    let (_orb, echo) = client_of(&ior);
    for value in 0..5 {
        assert_eq!(echo.twice(value), Ok(2 * value));
    }
    let error = echo.twice(5).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::NoImplement);
    assert_eq!(error.completed, CompletionStatus::No);
    drop(echo);
    assert_eq!(server.join().unwrap(), 9);
    let plays = vec![Play::AskFor(ReferenceAddr), Play::AnswerTo(ReferenceAddr)];
    let (ior, server) = script(vec![plays]);
    let (_orb, echo) = client_of(&ior);
    assert!(echo.object().locate().unwrap());
    assert_eq!(server.join().unwrap(), 2);
}

#[test]
fn a_malformed_forward_means_that_the_request_was_not_processed() {
    let (ior, server) = script(vec![vec![Play::ForwardNowhere]]);
    let (_orb, echo) = client_of(&ior);
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    assert_eq!(error.completed, CompletionStatus::No);
    drop(echo);
    assert_eq!(server.join().unwrap(), 1);
}

#[test]
fn a_malformed_forward_in_a_locate_reply_means_that_nothing_was_processed() {
    let (ior, server) = script(vec![vec![Play::ForwardNowhere]]);
    let (_orb, echo) = client_of(&ior);
    let error = echo.object().locate().unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Marshal);
    assert_eq!(error.completed, CompletionStatus::No);
    drop(echo);
    assert_eq!(server.join().unwrap(), 1);
}

#[test]
fn a_forward_to_a_nil_reference_is_the_servers_fault() {
    let nil = Ior { type_id: String::new(), profiles: Vec::new() };
    let (ior, server) = script(vec![vec![Play::Forward(nil)]]);
    let (_orb, echo) = client_of(&ior);
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::Transient);
    assert_eq!(error.completed, CompletionStatus::No);
    let text = zorb_types::Report(&error).to_string();
    assert!(text.contains("the server forwarded the request to a nil reference"), "{text}");
    drop(echo);
    assert_eq!(server.join().unwrap(), 1);
}

#[test]
fn looped_forwards_end() {
    let (ior, served) = {
        // The server forwards to itself.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let profile = IiopProfile {
            version: VERSION,
            host: "127.0.0.1".to_owned(),
            port,
            object_key: b"loop".to_vec(),
            components: Vec::new(),
        };
        let ior = Ior {
            type_id: "IDL:zorb.test/Echo:1.0".to_owned(),
            profiles: vec![profile.encode(ORDER).unwrap()],
        };
        let again = ior.clone();
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut count = 0;
            while let Some(message) = next_message(&mut stream) {
                count += 1;
                perform(&mut stream, &message, Play::Forward(again.clone()));
            }
            count
        });
        (ior, served)
    };
    let (orb, echo) = client_of(&ior);
    let error = echo.twice(1).unwrap_err();
    assert_eq!(error.kind, SystemExceptionKind::ImpLimit);
    assert_eq!(error.minor, minor::imp_limit::TOO_MANY_FORWARDS);
    orb.shutdown(true).unwrap();
    assert_eq!(served.join().unwrap(), 6, "the call and five forwards");
}

/// A server that forwards all requests of all connections to itself.
struct ForwardsForEver {
    address: SocketAddr,
    is_ended: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl ForwardsForEver {
    fn start(listener: TcpListener, ior: Ior) -> Self {
        let address = listener.local_addr().unwrap();
        let is_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&is_ended);
        let serve = move |mut stream: TcpStream, ior: &Ior| {
            while let Ok((header, message)) = read_message(&mut stream) {
                // Not the CancelRequest for a call that has ended.
                if header.kind == MessageKind::Request {
                    perform(&mut stream, &message, Play::Forward(ior.clone()));
                }
            }
        };
        let thread = std::thread::spawn(move || {
            let ior = &ior;
            std::thread::scope(|scope| {
                while let Ok((stream, _)) = listener.accept()
                    && !ended.load(Ordering::Relaxed)
                {
                    scope.spawn(move || serve(stream, ior));
                }
            });
        });
        Self { address, is_ended, thread }
    }

    /// Waits until the clients have gone.
    fn end(self) {
        self.is_ended.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address).unwrap());
        self.thread.join().unwrap();
    }
}

/// The longest wait is for all attempts of a call together: it ends although every attempt is answered long before.
#[test]
fn a_call_that_is_forwarded_for_ever_ends_after_the_longest_wait() {
    require_loopback();
    for calls in ["1", "8"] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ior = object_at("127.0.0.1", listener.local_addr().unwrap().port());
        let server = ForwardsForEver::start(listener, ior.clone());
        let one = builder().option("MaxConnectionsPerEndpoint", "1");
        let orb = one.option("MaxCallsPerConnection", calls);
        let orb = orb.max_reply_wait(Duration::from_millis(50)).build().unwrap();
        let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
        // More forwards than any machine follows in that time.
        let echo = echo.with_policies(&Policies::new().with(MaxHops(u16::MAX))).unwrap();
        let late = |exception: SystemException| {
            assert_eq!(exception.kind, SystemExceptionKind::Timeout, "{exception}");
        };
        late(echo.twice(4).unwrap_err());
        let write = |_: &mut CdrWriter<'_>| Ok(());
        let pending = echo.object().send("twice", write, |results| results.read_i32().map(drop));
        late(pending.wait().unwrap_err());
        orb.shutdown(true).unwrap();
        server.end();
    }
}
