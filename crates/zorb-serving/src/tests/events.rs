//! Events that wait while connections end.

use std::fmt;
use std::io::{self, IoSlice, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_base::options::Options;
use zorb_os::poll::Event;
use zorb_testkit::{CLOSE_CONNECTION, LOCATE_REPLY, LOCATE_REQUEST, until};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::socket::SocketStream;
use zorb_transport::{Protocol, Stream, forward_stream};

use super::own_thread::Client;
use crate::connection::ServerConnection;
use crate::events::UNCOUNTED;
use crate::lane::admission::LaneAdmission;
use crate::lane::steady_state::SteadyState;
use crate::lane::{Lane, LaneParts, ThreadKind};
use crate::reactor::Reactor;
use crate::scratch::Scratch;
use crate::strategy::LeaderFollowers;
use crate::{LaneSettings, ServerCore};

/// A lane of leader/followers. Its threads do not run, unless a test starts them.
struct Scene {
    core: Arc<ServerCore>,
    lane: Arc<Lane>,
    admission: LaneAdmission,
}

impl Scene {
    fn new(threads: usize) -> Self {
        let core = ServerCore::for_tests(Options::default());
        let parts = LaneParts {
            settings: LaneSettings::new(None, threads),
            strategy: Box::new(LeaderFollowers),
            pool: 1,
            name: "test".to_owned(),
            stack_size: None,
            max_connections: 8,
            listeners: Vec::new(),
            steady_state: Arc::new(SteadyState::new("test", None)),
            threads: core.context.threads().beside(),
            adapters: Arc::default(),
        };
        let lane = Lane::new(&core.context, parts).unwrap();
        let protocol: Arc<dyn Protocol> = Arc::new(InprocProtocol::new(InprocTransport::new()));
        let admission = LaneAdmission::new(&lane, &core.context, &protocol, None);
        Self { core, lane, admission }
    }

    fn reactor(&self) -> &Reactor<ServerConnection> {
        self.lane.reactor.as_ref().unwrap()
    }

    /// The only connection.
    fn connection(&self) -> Arc<ServerConnection> {
        let mut all = self.lane.connections.all();
        assert_eq!(all.len(), 1);
        all.pop().unwrap()
    }

    /// A client at the reactor.
    fn client(&self) -> UnixStream {
        let (client, server) = UnixStream::pair().unwrap();
        let (local, peer) = ("server".to_owned(), "client".to_owned());
        self.admission.take_in(Arc::new(SocketStream::new(server, local, peer)));
        client
    }

    /// The connection of `client`.
    fn connection_of(&self, client: &str) -> Arc<ServerConnection> {
        let mut all = self.lane.connections.all().into_iter();
        all.find(|connection| connection.peer() == client).unwrap()
    }

    /// Two clients that have sent requests. `first` is called with the name of that whose request is not received first.
    fn two_clients(
        self: &Arc<Self>,
        first: impl Fn(&Self, &'static str) + Send + Sync + 'static,
    ) -> [UnixStream; 2] {
        let first = Arc::new((AtomicBool::new(true), first));
        [["one", "other"], ["other", "one"]].map(|[own, other]| {
            let (mut client, server) = UnixStream::pair().unwrap();
            let (scene, first) = (Arc::clone(self), Arc::clone(&first));
            let before_receiving = Box::new(move || {
                if first.0.swap(false, Ordering::SeqCst) {
                    (first.1)(&scene, other);
                }
            });
            let inner = SocketStream::new(server, "server".to_owned(), own.to_owned());
            self.admission.take_in(Arc::new(Watched { inner, before_receiving }));
            client.write_all(LOCATE_REQUEST).unwrap();
            client
        })
    }

    /// Starts one thread of the lane.
    fn start(&self) {
        self.lane.start(ThreadKind::Static, None).unwrap();
    }

    fn stop(&self) {
        self.lane.stop();
        until(|| self.lane.threads.load(Ordering::SeqCst) == 0);
    }

    /// The next event, without a wait.
    fn event(&self) -> Option<Event> {
        self.reactor().ready.next(Some(Duration::ZERO)).unwrap()
    }

    /// An event of a connection that has ended since, and whose slot is free.
    fn event_of_ended(&self) -> Event {
        let mut client = self.client();
        client.write_all(LOCATE_REQUEST).unwrap();
        let event = self.event().unwrap();
        self.connection().abandon();
        event
    }
}

/// A stream that calls a function before it receives.
struct Watched {
    inner: SocketStream,
    before_receiving: Box<dyn Fn() + Send + Sync>,
}

impl Stream for Watched {
    forward_stream!(
        inner: recv, set_recv_timeout, set_send_timeout, is_readable, shutdown, readiness_fd, peer, local
    );

    fn send_all(&self, octets: &[u8]) -> io::Result<()> {
        self.inner.send_all(octets)
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.inner.send_vectored_all(parts)
    }

    fn try_send(&self, octets: &[u8]) -> io::Result<usize> {
        self.inner.try_send(octets)
    }

    fn try_recv(&self, space: &mut [u8]) -> io::Result<Option<usize>> {
        (self.before_receiving)();
        self.inner.try_recv(space)
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

fn is_answered(client: &mut UnixStream) -> bool {
    let mut reply = [0; 20];
    client.read_exact(&mut reply).is_ok() && reply[7] == LOCATE_REPLY
}

#[test]
fn an_event_reaches_its_connection() {
    let scene = Scene::new(1);
    for _ in 0..3 {
        let mut client = scene.client();
        client.write_all(b"GIOP").unwrap();
        let event = scene.event().unwrap();
        let connection = scene.connection();
        scene.lane.handle_event(event, &mut Scratch::default());
        assert!(connection.progress.has_part());
        drop(client);
        scene.lane.handle_event(scene.event().unwrap(), &mut Scratch::default());
        assert_eq!(scene.lane.connections.count(), 0);
    }
}

#[test]
fn an_event_does_not_reach_the_handshake_of_the_next_connection_in_the_slot() {
    let scene = Scene::new(1);
    let event = scene.event_of_ended();
    let client = Client::new(&scene.core, [], usize::MAX);
    let handshake = client.handshake.lock().unwrap();
    scene.admission.take_in(Arc::<Client>::clone(&client));
    let connection = scene.connection();
    assert!(connection.has_own_threads());
    // Otherwise it would receive, on the lane's thread, until the client has sent something.
    scene.lane.handle_event(event, &mut Scratch::default());
    assert!(!connection.requests.has_ended() && !connection.input.is_empty());
    assert_eq!(connection.events.idle_checks.load(Ordering::SeqCst), UNCOUNTED);
    drop(handshake);
}

#[test]
fn an_event_does_not_reach_the_next_connection_of_the_reactor_in_the_slot() {
    let scene = Scene::new(1);
    let event = scene.event_of_ended();
    let mut client = scene.client();
    client.write_all(b"GIOP").unwrap();
    scene.lane.handle_event(Event { is_end: true, ..event }, &mut Scratch::default());
    let connection = scene.connection();
    assert!(!connection.progress.has_part() && !connection.events.at_end.load(Ordering::SeqCst));
    scene.lane.handle_event(scene.event().unwrap(), &mut Scratch::default());
    assert!(connection.progress.has_part());
}

#[test]
fn a_connection_whose_event_waits_is_not_idle() {
    let scene = Scene::new(2);
    let mut client = scene.client();
    client.write_all(LOCATE_REQUEST).unwrap();
    let event = scene.event().unwrap();
    let check = || scene.connection().check_idle(0, &mut Scratch::default());
    check();
    assert!(is_answered(&mut client));
    scene.lane.handle_event(event, &mut Scratch::default());
    check();
    assert_eq!(scene.lane.connections.count(), 0);
}

#[test]
fn the_only_thread_of_a_lane_takes_several_events_at_once() {
    for (threads, is_taken) in [(1, true), (2, false)] {
        let scene = Arc::new(Scene::new(threads));
        let found = Arc::new(Mutex::new(None));
        let finds = Arc::clone(&found);
        let mut clients = scene.two_clients(move |scene, other| {
            let event = scene.event();
            if let Some(event) = event {
                // In place of another thread.
                scene.lane.handle_event(event, &mut Scratch::default());
            }
            *finds.lock().unwrap() = Some((event, scene.connection_of(other).slot));
        });
        scene.start();
        assert!(clients.iter_mut().all(is_answered));
        let (event, other) = found.lock().unwrap().unwrap();
        let left = (!is_taken).then(|| Event { key: other.to_bits(), is_end: false });
        assert_eq!(event, left, "{threads} threads");
        scene.stop();
    }
}

#[test]
fn an_event_that_has_been_taken_with_others_is_dropped_when_its_connection_ends() {
    let scene = Arc::new(Scene::new(1));
    let next = Client::new(&scene.core, [], usize::MAX);
    let handshake = next.handshake.lock().unwrap();
    let stream = Arc::clone(&next);
    let mut clients = scene.two_clients(move |scene, other| {
        let connection = scene.connection_of(other);
        connection.abandon();
        scene.admission.take_in(Arc::<Client>::clone(&stream));
        let next = scene.connection_of("peer").slot;
        assert_eq!(next.to_bits() as u32, connection.slot.to_bits() as u32);
    });
    scene.start();
    assert_eq!(clients.iter_mut().map(is_answered).filter(|is_answered| *is_answered).count(), 1);
    let mut last = scene.client();
    last.write_all(LOCATE_REQUEST).unwrap();
    assert!(is_answered(&mut last), "the thread serves further clients");
    let connection = scene.connection_of("peer");
    assert!(!connection.requests.has_ended() && !connection.input.is_empty());
    drop(handshake);
    drop((clients, last));
    scene.stop();
}

#[test]
fn events_that_have_been_taken_with_others_are_handled_when_the_lane_stops() {
    let scene = Arc::new(Scene::new(1));
    let clients = scene.two_clients(|scene, _| scene.lane.stop());
    scene.start();
    for mut client in clients {
        let mut received = [0; 12];
        client.read_exact(&mut received).unwrap();
        assert_eq!(received[7], CLOSE_CONNECTION);
    }
    scene.stop();
}
