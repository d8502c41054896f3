//! Events that wait while connections end.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use zorb_base::options::Options;
use zorb_os::poll::Event;
use zorb_testkit::LOCATE_REQUEST;
use zorb_transport::Protocol;
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::socket::SocketStream;

use super::own_thread::Client;
use crate::connection::ServerConnection;
use crate::events::UNCOUNTED;
use crate::lane::admission::LaneAdmission;
use crate::lane::steady_state::SteadyState;
use crate::lane::{Lane, LaneParts};
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
        self.admission.take_in(Arc::new(stream(server)));
        client
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

fn stream(socket: UnixStream) -> SocketStream {
    SocketStream::new(socket, "server".to_owned(), "client".to_owned())
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
