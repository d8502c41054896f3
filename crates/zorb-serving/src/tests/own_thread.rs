//! One of a connection's own threads with a simulated clock.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_base::connections::SlotKey;
use zorb_base::options::{Options, Origin};
use zorb_giop::{MessageBudget, ServedRequest};
use zorb_testkit::until;
use zorb_transport::Stream;
use zorb_transport::inproc::{InprocProtocol, InprocTransport};

use super::slow::large_locate_request;
use crate::connection::ServerConnection;
use crate::connection::new_connection::NewConnection;
use crate::lane::Lane;
use crate::output::SendingThread;
use crate::pool::default_lane;
use crate::scratch::Scratch;
use crate::watchdog::Watched;
use crate::{LaneSettings, PoolSettings, ServerCore, Strategy};

/// A step of a client's script.
#[derive(Debug)]
pub(crate) enum Step {
    Sends(Vec<u8>),
    /// Sends nothing while the thread waits.
    Waits,
}

/// A scripted client, and a log of what the thread does.
#[derive(Debug)]
pub(crate) struct Client {
    steps: Mutex<VecDeque<Step>>,
    budget: Arc<MessageBudget>,
    /// How many octets it takes before it no longer reads.
    reads: usize,
    log: Mutex<Vec<String>>,
    /// Locked during its handshake.
    pub(super) handshake: Mutex<()>,
    /// Locked while it reads nothing more.
    reading: Mutex<()>,
    /// Whether it has sent something.
    has_sent: AtomicBool,
    /// Whether its stream is one of a bidirectional connection.
    shares_connection: AtomicBool,
}

impl Client {
    pub(super) fn new(
        core: &ServerCore,
        steps: impl IntoIterator<Item = Step>,
        reads: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            steps: Mutex::new(steps.into_iter().collect()),
            budget: Arc::clone(core.message_budget()),
            reads,
            log: Mutex::default(),
            handshake: Mutex::default(),
            reading: Mutex::default(),
            has_sent: AtomicBool::new(false),
            shares_connection: AtomicBool::new(false),
        })
    }

    fn note(&self, what: String) {
        self.log.lock().unwrap().push(what);
    }
}

impl Stream for Client {
    fn establish(&self) -> io::Result<()> {
        drop(self.handshake.lock().unwrap());
        Ok(())
    }

    fn recv(&self, space: &mut [u8]) -> io::Result<usize> {
        let mut steps = self.steps.lock().unwrap();
        match steps.front_mut() {
            None => Ok(0),
            Some(Step::Sends(octets)) => {
                let count = space.len().min(octets.len());
                space[..count].copy_from_slice(&octets[..count]);
                octets.drain(..count);
                if octets.is_empty() {
                    steps.pop_front();
                }
                Ok(count)
            }
            Some(Step::Waits) => {
                steps.pop_front();
                let has_large = self.budget.used() > 0;
                self.note(format!("waits {}", if has_large { "with large buffers" } else { "" }));
                Err(io::ErrorKind::TimedOut.into())
            }
        }
    }

    fn try_recv(&self, _: &mut [u8]) -> io::Result<Option<usize>> {
        Ok(None)
    }

    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        Ok(octets.len().min(self.reads))
    }

    /// Only waiting threads send so.
    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.note(format!("waits with {} octets charged", self.budget.used()));
        drop(self.reading.lock().unwrap());
        Ok(())
    }

    fn set_recv_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        self.note(format!("limit {}", limit.unwrap_or_default().as_secs()));
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
        self.has_sent.load(Ordering::SeqCst)
    }

    fn shares_connection(&self) -> bool {
        self.shares_connection.load(Ordering::SeqCst)
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        self.note("shut down".to_owned());
        Ok(())
    }

    fn peer(&self) -> &'static str {
        "peer"
    }

    fn local(&self) -> &'static str {
        "local"
    }
}

/// A connection to a client with this script, who takes so many octets of each message without a wait. The budget is
/// 20,000,000 octets, half of them for one client.
pub(crate) fn connection(
    steps: impl IntoIterator<Item = Step>,
    reads: usize,
) -> (Arc<ServerConnection>, Arc<Client>) {
    let mut options = Options::default();
    for (name, value) in [("MaxBufferedOctets", "20000000"), ("IdleTimeout", "300000")] {
        options.set(name, value, Origin::Program).unwrap();
    }
    let core = ServerCore::for_tests(options);
    let lane = default_lane(&core.context).unwrap();
    connection_in(&core, &lane, steps, reads)
}

/// The same in a lane.
fn connection_in(
    core: &ServerCore,
    lane: &Arc<Lane>,
    steps: impl IntoIterator<Item = Step>,
    reads: usize,
) -> (Arc<ServerConnection>, Arc<Client>) {
    let client = Client::new(core, steps, reads);
    let stream: Arc<dyn Stream> = Arc::<Client>::clone(&client);
    let connection = ServerConnection::new(
        &core.context,
        NewConnection {
            protocol: &InprocProtocol::new(InprocTransport::new()),
            stream,
            lane: &lane.core,
            serving_lane: Arc::<Lane>::clone(lane),
            slot: SlotKey::NONE,
        },
    );
    connection.takes_own_threads();
    (connection, client)
}

/// The log of a connection's thread for a script.
fn log(steps: impl IntoIterator<Item = Step>) -> Vec<String> {
    let (connection, client) = connection(steps, usize::MAX);
    let input = connection.input.take().unwrap();
    assert!(connection.receive_requests(input, &mut Scratch::default()).is_none());
    let mut log = client.log.lock().unwrap().clone();
    log.retain(|what| what != "shut down");
    log
}

/// The log of a reply of so many octets to a client who takes so many of them without a wait.
fn log_of_reply(octets: usize, reads: usize) -> Vec<String> {
    let (connection, client) = connection([], reads);
    connection.send_reply(ServedRequest::default(), &vec![0; octets], SendingThread::Own);
    assert_eq!(client.budget.used(), 0);
    let log = client.log.lock().unwrap();
    log[1..].to_vec() // without the usual limit
}

#[test]
fn a_handshake_is_no_upcall() {
    let (connection, client) = connection([], 0);
    let waits = client.handshake.lock().unwrap();
    connection.start_own_thread().unwrap();
    assert!(!connection.has_upcall());
    drop(waits);
}

#[test]
fn a_client_that_does_not_read_gets_no_further_thread() {
    let (connection, client) = connection([], 0);
    let waits = client.reading.lock().unwrap();
    let _ = connection.leave_input(connection.input.take().unwrap(), false);
    let upcalls = Arc::clone(&connection).relieve(u32::MAX);
    let relieve = || Arc::clone(&connection).relieve(upcalls);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            connection.send_reply(ServedRequest::default(), b"reply", SendingThread::Own);
        });
        until(|| connection.output_waits());
        client.has_sent.store(true, Ordering::SeqCst);
        relieve();
        assert!(!connection.input.is_empty(), "its next request is not read");
        drop(waits);
    });
    // The control: now the upcall alone delays that request.
    relieve();
    until(|| connection.input.is_empty());
}

#[test]
fn a_bidirectional_connection_is_read_while_its_client_does_not_read() {
    let (connection, client) = connection([], 0);
    client.shares_connection.store(true, Ordering::SeqCst);
    let waits = client.reading.lock().unwrap();
    let _ = connection.leave_input(connection.input.take().unwrap(), false);
    let upcalls = Arc::clone(&connection).relieve(u32::MAX);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            connection.send_reply(ServedRequest::default(), b"reply", SendingThread::Own);
        });
        until(|| connection.output_waits());
        client.has_sent.store(true, Ordering::SeqCst);
        Arc::clone(&connection).relieve(upcalls);
        until(|| connection.input.is_empty());
        drop(waits);
    });
}

#[test]
fn a_lane_keeps_the_order_of_resumed_requests_only_if_every_connection_has_threads() {
    let core = ServerCore::for_tests(Options::default());
    let lane = default_lane(&core.context).unwrap();
    assert!(connection_in(&core, &lane, [], 0).0.ordered().is_some());
    for strategy in [Strategy::ThreadPerConnection, Strategy::LeaderFollowers, Strategy::HalfSync] {
        let endpoints = vec!["iiop://127.0.0.1:0".to_owned()];
        let lanes = vec![LaneSettings { endpoints, ..LaneSettings::new(None, 2) }];
        let settings = PoolSettings { strategy: Some(strategy), ..PoolSettings::new("test") };
        let pool = core.create_pool(PoolSettings { lanes, ..settings }).unwrap();
        let (connection, _) = connection_in(&core, &pool.core().lanes()[0], [], 0);
        let keeps_order = connection.ordered().is_some();
        assert_eq!(keeps_order, strategy == Strategy::ThreadPerConnection, "{strategy:?}");
        pool.destroy().unwrap();
    }
}

#[test]
fn a_reply_is_charged_while_a_thread_waits_for_the_client() {
    assert_eq!(log_of_reply(1_000_000, 1_000_000), [""; 0], "nothing waits");
    assert_eq!(log_of_reply(1_000_000, 100_000), ["waits with 900000 octets charged"]);
    assert_eq!(log_of_reply(9_000_000, 0), ["waits with 9000000 octets charged"]);
    assert_eq!(log_of_reply(11_000_000, 500_000), ["shut down"], "the client's share is smaller");
}

#[test]
fn a_thread_frees_large_buffers_before_it_waits_for_long() {
    let large = || Step::Sends(large_locate_request(500_000));
    let small = || Step::Sends(large_locate_request(100));
    let usual = ["limit 300", "waits "].map(str::to_owned);
    assert_eq!(log([small(), small(), Step::Waits]), usual);
    // The limit changes when buffers become large, and when they have not been used for a second.
    let log = log([large(), large(), small(), Step::Waits, small(), Step::Waits]);
    let freed = ["limit 300", "limit 1", "waits with large buffers", "limit 300", "waits "];
    assert_eq!(log, freed);
}

#[test]
fn a_part_of_a_large_message_keeps_its_buffer() {
    let mut part = large_locate_request(500_000);
    let rest = part.split_off(300_000);
    let waits = [Step::Waits, Step::Waits];
    let [one, other] = waits;
    // The second wait has the usual length; after it the connection is idle.
    let ended = log([Step::Sends(part.clone()), one, other]);
    let expected = ["limit 300", "limit 1", "waits with large buffers", "limit 300"];
    assert_eq!(ended[..4], expected);
    assert_eq!(ended[4..], ["waits with large buffers"]);
    // The rest arrives after the first wait.
    let whole = log([Step::Sends(part), Step::Waits, Step::Sends(rest), Step::Waits, Step::Waits]);
    assert_eq!(whole[..4], expected);
    let freed = ["limit 1", "waits with large buffers", "limit 300", "waits "];
    assert_eq!(whole[4..], freed);
}
