//! Servers that end while clients do not read their replies.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tracing::Level;
use zorb_cdr::{ByteOrder, Wire};
use zorb_core::lanes::Strategy;
use zorb_core::{Health, Orb};
use zorb_giop::{GiopVersion, MessageWriter, RequestStart, ResponseFlags, TargetAddress};
use zorb_testkit::{Log, LogLine};

use crate::support::{Echo, EchoServant, Servant, Served, builder, client, served_by, until};

/// The default lane, and lanes of pools with each strategy.
const SERVED: [Option<Strategy>; 5] = [
    None,
    Some(Strategy::ThreadPerConnection),
    Some(Strategy::LeaderFollowers),
    Some(Strategy::HalfSync),
    Some(Strategy::SingleThread),
];

/// A server whose grace time is long enough to end in order, with one object.
struct Server {
    orb: Orb,
    address: String,
    servant: Arc<Servant>,
    here: Echo,
}

impl Server {
    fn new(strategy: Option<Strategy>, grace: Duration) -> Self {
        let options = builder().listen("iiop://127.0.0.1:0").shutdown_grace(grace);
        let orb =
            options.option("SendBuffer", "4096").option("SendTimeout", "3600000").build().unwrap();
        orb.serve().unwrap();
        let threads = if strategy == Some(Strategy::SingleThread) { 1 } else { 3 };
        let Served { policies, address, .. } = served_by(&orb, strategy, threads);
        let poa = orb.root_poa().create("served", policies).unwrap();
        let servant = Arc::new(Servant::default());
        let here: Echo = poa.activate_shared(&servant).unwrap();
        Self { orb, address, servant, here }
    }

    /// A client that has asked for a reply of 3 MB and does not read it. The server has begun to send.
    fn client_that_does_not_read(&self) -> TcpStream {
        let profile = &self.here.object().ior().profiles[0];
        let key = zorb_giop::iiop_object_key(&profile.data).unwrap();
        let mut bytes = Vec::new();
        let start = RequestStart {
            request_id: 2,
            response: ResponseFlags::SyncWithTarget,
            target: TargetAddress::Key(key),
            operation: "repeat",
            service_contexts: &[],
        };
        let (version, order) = (GiopVersion::V1_2, ByteOrder::NATIVE);
        let mut message = MessageWriter::request(&mut bytes, version, order, &start).unwrap();
        let mut body = message.body(Default::default());
        String::write("three".repeat(1_000).as_str(), &mut body).unwrap();
        i32::write(&600, &mut body).unwrap();
        message.finish().unwrap();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(&bytes).unwrap();
        assert_eq!(stream.peek(&mut [0]).unwrap(), 1);
        stream
    }
}

/// The lines at this level.
fn lines_at(log: &Log, level: Level) -> Vec<LogLine> {
    log.lines().into_iter().filter(|line| line.level == level).collect()
}

#[test]
fn clients_that_do_not_read_are_named_and_do_not_make_a_shutdown_fail() {
    std::thread::scope(|scope| {
        for strategy in SERVED {
            scope.spawn(move || {
                let server = Server::new(strategy, Duration::from_secs(20));
                let unread = server.client_that_does_not_read();
                let log = Log::default();
                let ended = log.of(|| server.orb.shutdown(true));
                assert!(ended.is_ok(), "{strategy:?}: {ended:?}");
                assert!(lines_at(&log, Level::ERROR).is_empty(), "{:?}", log.lines());
                let warned = lines_at(&log, Level::WARN);
                let closed = warned.iter().find(|line| line.field("closed") == Some("1"));
                let peers = closed.and_then(|line| line.field("peers"));
                let client = unread.local_addr().unwrap().to_string();
                assert!(peers.is_some_and(|peers| peers.contains(&client)), "{warned:?}");
            });
        }
    });
}

#[test]
fn only_upcalls_that_run_are_named_at_the_end_of_the_grace_time() {
    std::thread::scope(|scope| {
        for strategy in SERVED {
            scope.spawn(move || {
                let server = Server::new(strategy, Duration::from_secs(2));
                // Other threads have served something before.
                let clients: Vec<_> = (0..3).map(|_| client(&server.here)).collect();
                for _ in 0..20 {
                    clients.iter().for_each(|(_, there)| assert_eq!(there.twice(2), Ok(4)));
                }
                let _unread = server.client_that_does_not_read();
                let call = scope.spawn({
                    let there = clients[0].1.clone();
                    move || there.wait_for(1)
                });
                until(|| server.servant.waiting.load(Ordering::SeqCst));
                let log = Log::default();
                let ended = log.of(|| server.orb.shutdown(true));
                server.servant.note(1);
                let error = ended.unwrap_err().to_string();
                assert!(error.contains("wait_for on the thread "), "{error}");
                assert!(!error.contains("twice") && !error.contains("repeat"), "{error}");
                let errors = lines_at(&log, Level::ERROR);
                let named: Vec<_> = errors.iter().map(|line| line.field("operation")).collect();
                assert_eq!(named, [Some("\"wait_for\"")], "{strategy:?}: {errors:?}");
                assert_eq!(lines_at(&log, Level::WARN).len(), 1);
                let _ = call.join().unwrap();
            });
        }
    });
}

#[test]
fn a_client_that_does_not_read_does_not_make_a_server_seem_stuck() {
    let server = Server::new(None, Duration::from_secs(2));
    // Whatever a probe finds stuck is so at once.
    server.orb.publish_health("Health", Duration::ZERO).unwrap();
    let prober = builder().build().unwrap();
    let health = prober.resolve::<Health>(&format!("corbaloc::{}/Health", server.address)).unwrap();
    let _unread = server.client_that_does_not_read();
    // The thread finds that it must wait.
    until(|| health.live().unwrap().0);
    assert_eq!(health.live(), Ok((true, String::new())));
    server.orb.shutdown(true).unwrap();
}
