//! The suite that every transport passes.
//!
//! A transport crate adds the whole of it with one line in its `tests/conformance.rs`:
//!
//! ```
//! # use zorb_transport::inproc::InprocTransport;
//! use zorb_transport::conformance::Subject;
//!
//! zorb_transport::conformance_suite!(Subject::new(InprocTransport::new(), "inproc://"));
//! ```
//!
//! Each test listens and connects on its own, so they run in parallel; each fails, instead of
//! hanging, after [`LIMIT`]. Nothing sleeps, and no test asks anything to be fast.
//!
//! A [`Driven`](crate::driven::Driven) protocol has rules of its own, which it keeps over a [simulated] network and under a
//! clock that is turned: [`driven_suite!`](crate::driven_suite) is for them.
//!
//! For tests of other things: [`Scripted`] is for what is above streams, [`Watched`] shows what goes over them,
//! [`Lossy`] puts a network that loses datagrams between both sides, [`short_folder`] is where sockets with a path go, and [`needs_loopback`] fails
//! where there is no network at all.
#![expect(clippy::disallowed_types, reason = "a suite of tests")]
// The suite is made of tests, which fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::missing_panics_doc)]

mod classes;
pub mod driven;
mod endpoints;
mod lossy;
mod scripted;
pub mod simulated;
mod streams;
mod waiting;
mod watched;

pub use classes::connections_of_a_server_have_classes_of_their_own;
pub use endpoints::*;
pub use lossy::Lossy;
pub use scripted::Scripted;
pub use streams::*;
pub use waiting::*;
pub use watched::{Toward, Watch, Watched, WatchedStream};

use std::net::{Ipv4Addr, UdpSocket};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::{Acceptor, ConnectOptions, ListenOptions, Stream, Transport};

/// How long one test may take before it counts as hanging.
pub const LIMIT: Duration = Duration::from_secs(60);

/// A folder for temporary files in which a socket can have a name of forty octets. A path of one has no more
/// than 107, and a machine's own folder for such files may take most of them.
#[must_use]
pub fn short_folder() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.as_os_str().len() <= 107 - 41 { folder } else { PathBuf::from("/tmp") }
}

/// To be called by tests before threads of theirs wait for each other over the loop-back interface. Where it is
/// down they would wait for ever.
///
/// # Panics
/// It is down.
pub fn needs_loopback() {
    let reached = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
        .and_then(|socket| socket.connect((Ipv4Addr::LOCALHOST, 1)));
    assert!(reached.is_ok(), "the loop-back interface is down: {reached:?}");
}

/// What the suite is run on: a transport and where it may listen.
#[derive(Debug, Clone)]
pub struct Subject {
    transport: Arc<dyn Transport>,
    listen_url: String,
}

impl Subject {
    /// A transport, and a URL at which any number of its acceptors may listen at once, each at
    /// an endpoint of its own that the transport chooses (in TCP: port 0).
    pub fn new(transport: impl Transport + 'static, listen_url: &str) -> Self {
        Self { transport: Arc::new(transport), listen_url: listen_url.to_owned() }
    }

    /// The transport.
    #[must_use]
    pub fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    fn listen(&self) -> Arc<dyn Acceptor> {
        self.transport.listen(&self.listen_url, &ListenOptions::default()).expect("listen")
    }

    fn connect(&self, acceptor: &dyn Acceptor) -> Arc<dyn Stream> {
        let options = ConnectOptions::default();
        self.transport.connect(acceptor.endpoint(), &options).expect("connect")
    }

    /// Both ends of a new connection, and the acceptor it came through.
    fn link(&self) -> Link {
        let acceptor = self.listen();
        let (client, server) = thread::scope(|scope| {
            // A transport may exchange greetings first, so both sides are at work at once.
            let accepting = scope.spawn(|| {
                let server = acceptor.accept().expect("accept");
                server.establish().expect("establish");
                server
            });
            (self.connect(&*acceptor), accepting.join().unwrap())
        });
        Link { client, server, acceptor }
    }
}

/// Both ends of a connection.
struct Link {
    client: Arc<dyn Stream>,
    server: Arc<dyn Stream>,
    #[allow(dead_code)] // kept open
    acceptor: Arc<dyn Acceptor>,
}

/// Runs one test of the suite. Called by [`conformance_suite!`](crate::conformance_suite).
///
/// # Panics
/// When the test fails or takes longer than [`LIMIT`].
pub fn run(subject: impl FnOnce() -> Subject, test: fn(&Subject)) {
    let subject = subject();
    let (sender, done) = mpsc::channel::<()>();
    let work = thread::spawn(move || {
        let _ends_the_wait = sender;
        test(&subject);
    });
    if done.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
        panic!("still not done after {LIMIT:?}");
    }
    if let Err(failure) = work.join() {
        std::panic::resume_unwind(failure);
    }
}

/// Makes a `#[test]` of every function of the suite. See [`conformance`](crate::conformance).
#[macro_export]
macro_rules! conformance_suite {
    ($subject:expr) => {
        $crate::conformance_suite! { @tests $subject;
            a_bound_endpoint_can_be_connected_to
            what_is_published_is_canonical
            other_schemes_are_refused
            junk_is_refused
            nobody_listening_is_a_told_story
            closing_refuses_new_clients
            closing_leaves_connections_alone
            many_connections_are_apart
            small_messages_come_back
            large_messages_come_back
            a_small_buffer_takes_a_message_in_parts
            gathered_parts_arrive_in_order
            both_directions_flow_at_once
            dropping_a_stream_is_the_end_for_the_peer
            ending_one_direction_leaves_the_other
            ending_twice_is_harmless
            sending_to_nobody_fails
            both_ends_have_names
            receiving_into_nothing_is_nothing
            shutdown_ends_a_waiting_recv
            close_ends_every_waiting_accept
            what_is_there_is_had_without_waiting
            a_recv_timeout_is_kept
            a_zero_timeout_does_not_wait_for_ever
            a_send_timeout_is_kept
            a_stream_is_stale_with_bytes_pending
            a_stream_is_stale_when_its_peer_has_gone
        }
    };
    (@tests $subject:expr; $($test:ident)*) => {
        $(
            #[test]
            fn $test() {
                $crate::conformance::run(|| $subject, $crate::conformance::$test);
            }
        )*
    };
}

/// `len` bytes in which no stretch repeats soon, different for each `seed`.
pub fn pattern(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[4]
    };
    (0..len).map(|_| next()).collect()
}

/// Receives exactly `len` bytes.
fn recv_exactly(stream: &dyn Stream, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    let mut filled = 0;
    while filled < len {
        let count = stream.recv(&mut bytes[filled..]).expect("recv");
        assert_ne!(count, 0, "the stream ended after {filled} of {len} bytes");
        filled += count;
    }
    bytes
}

/// Receives up to the end of the stream.
fn recv_to_end(stream: &dyn Stream) -> Vec<u8> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match stream.recv(&mut buffer).expect("recv") {
            0 => return bytes,
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Sends back all that comes until the end of the stream.
fn echo(stream: &dyn Stream) {
    let mut buffer = [0; 8192];
    loop {
        match stream.recv(&mut buffer).expect("recv") {
            0 => return,
            count => stream.send_all(&buffer[..count]).expect("send"),
        }
    }
}

/// Waits until `condition` holds; the suite's own limit ends it if it never does.
fn eventually(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}
