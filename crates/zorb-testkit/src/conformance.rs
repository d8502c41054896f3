//! The conformance suite of transports.
//!
//! One line in the tests of a transport's crate runs it:
//!
//! ```
//! # use zorb_transport::inproc::InprocTransport;
//! use zorb_testkit::conformance::Subject;
//!
//! zorb_testkit::conformance_suite!(Subject::new(InprocTransport::new(), "inproc://"));
//! ```
//!
//! Each test has its own acceptor and connections, so they run in parallel. A test that hangs fails after [`LIMIT`].
//! No test sleeps, and none requires a speed.

mod dscp;
mod endpoints;
mod streams;
mod waiting;

pub use dscp::connections_of_a_server_have_their_own_dscp;
pub use endpoints::*;
pub use streams::*;
pub use waiting::*;

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use zorb_transport::{Acceptor, ConnectOptions, ListenOptions, Stream, Transport};

/// The time after which a test counts as hanging.
pub const LIMIT: Duration = Duration::from_secs(600);

/// The transport under test, and the URL at which it listens.
#[derive(Debug, Clone)]
pub struct Subject {
    transport: Arc<dyn Transport>,
    listen_url: String,
}

impl Subject {
    /// A transport, and a URL at which any number of its acceptors can listen at the same time, each at
    /// its own endpoint, which the transport chooses (in TCP: port 0).
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

    /// Both ends of a new connection, and its acceptor.
    fn link(&self) -> Link {
        let acceptor = self.listen();
        let (client, server) = thread::scope(|scope| {
            // A transport may have a handshake, so both sides run concurrently.
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
    acceptor: Arc<dyn Acceptor>,
}

/// Runs one test of the suite. Called by [`conformance_suite!`](crate::conformance_suite).
///
/// # Panics
/// If the test fails or takes longer than [`LIMIT`].
pub fn run(subject: impl FnOnce() -> Subject, test: fn(&Subject)) {
    let subject = subject();
    let (sender, done) = mpsc::channel::<()>();
    let work = thread::spawn(move || {
        let _disconnects_when_done = sender;
        test(&subject);
    });
    if done.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
        panic!("no result within {LIMIT:?}");
    }
    if let Err(failure) = work.join() {
        std::panic::resume_unwind(failure);
    }
}

/// Makes a `#[test]` of every test of the suite. See [`conformance`](crate::conformance).
#[macro_export]
macro_rules! conformance_suite {
    ($subject:expr) => {
        $crate::conformance_suite! { @tests $subject;
            a_bound_endpoint_can_be_connected_to
            published_endpoints_are_canonical
            sockets_of_this_machine_are_declared
            other_schemes_are_refused
            malformed_endpoints_are_refused
            a_refused_connection_names_endpoint_and_cause
            closing_refuses_new_clients
            clients_that_wait_to_be_accepted_are_told_of_the_end
            connections_outlive_their_acceptor
            many_connections_are_independent
            small_messages_are_echoed
            large_messages_are_echoed
            a_small_buffer_receives_a_message_in_parts
            gathered_parts_arrive_in_order
            both_directions_transfer_concurrently
            dropping_a_stream_ends_it_for_the_peer
            shutting_down_one_direction_leaves_the_other_open
            repeated_shutdown_is_harmless
            sending_to_a_closed_peer_fails
            both_ends_have_addresses
            an_empty_buffer_receives_nothing
            shutdown_wakes_a_blocked_recv
            close_wakes_every_blocked_accept
            try_recv_never_blocks
            recv_times_out
            a_zero_timeout_expires
            send_times_out
            try_send_never_waits
            unexpected_octets_make_a_stream_readable
            a_stream_whose_peer_has_closed_is_readable
            a_client_learns_that_its_server_has_hung_up
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

/// Receives until the end of the stream.
fn recv_to_end(stream: &dyn Stream) -> Vec<u8> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match stream.recv(&mut buffer).expect("recv") {
            0 => return bytes,
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Echoes what it receives until the end of the stream.
fn echo(stream: &dyn Stream) {
    let mut buffer = [0; 8192];
    loop {
        match stream.recv(&mut buffer).expect("recv") {
            0 => return,
            count => stream.send_all(&buffer[..count]).expect("send"),
        }
    }
}
