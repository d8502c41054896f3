//! New connections that wait for the threads and slots of others.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use zorb_base::options::{Options, Origin};
use zorb_os::thread_count::CountedThread;
use zorb_testkit::{in_own_process, until};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{Protocol, Stream};

use super::own_thread::Client;
use crate::ServerCore;
use crate::lane::Lane;
use crate::lane::admission::LaneAdmission;
use crate::pool::default_lane;

/// A lane. Its watchdog does not run: the tests let connections begin.
struct Scene {
    core: Arc<ServerCore>,
    lane: Arc<Lane>,
    admission: LaneAdmission,
}

impl Scene {
    /// A lane whose process may have so many threads and connections.
    fn new(threads: &str, connections: &str) -> Self {
        let mut options = Options::default();
        for (name, value) in [
            ("MaxThreads", threads),
            ("MaxThreadsPerPeer", threads),
            ("MaxConnections", connections),
        ] {
            options.set(name, value, Origin::Program).unwrap();
        }
        let core = ServerCore::for_tests(options);
        let lane = default_lane(&core.context).unwrap();
        let protocol: Arc<dyn Protocol> = Arc::new(InprocProtocol::new(InprocTransport::new()));
        let admission = LaneAdmission::new(&lane, &core.context, &protocol, None);
        Self { core, lane, admission }
    }

    /// A client that sends nothing, and closes when its handshake is over.
    fn client(&self) -> Arc<Client> {
        Client::new(&self.core, [], usize::MAX)
    }

    fn accept(&self, client: &Arc<Client>) {
        let stream: Arc<dyn Stream> = Arc::<Client>::clone(client);
        self.admission.take_in(stream);
    }

    /// What the watchdog does from time to time.
    fn begin_waiting(&self, now: Instant) {
        self.core.context.watchdog().begin_waiting(now);
    }

    /// The numbers of connections, of those that were closed for others, and of those that were rejected.
    fn counts(&self) -> (usize, u64, u64) {
        let Lane { connections, evicted, rejected, .. } = &*self.lane;
        let [evicted, rejected] = [evicted, rejected].map(|count| count.load(Ordering::SeqCst));
        (connections.count(), evicted, rejected)
    }
}

#[test]
fn a_client_that_waits_for_a_thread_keeps_no_other_from_being_accepted() {
    let name = "tests::awaited_threads::\
                a_client_that_waits_for_a_thread_keeps_no_other_from_being_accepted";
    in_own_process(name, || {
        let scene = Scene::new("1", "100");
        let clients = [scene.client(), scene.client(), scene.client()];
        let [first, second, third] = clients.each_ref().map(|it| it.handshake.lock().unwrap());
        clients.iter().for_each(|client| scene.accept(client));
        // The first one closes, but its thread has not ended.
        assert_eq!(scene.counts(), (3, 1, 0));
        // No other has a thread that could end for the third.
        scene.begin_waiting(Instant::now());
        assert_eq!(scene.counts(), (2, 1, 1));
        drop(first);
        until(|| CountedThread::count() == 0);
        assert_eq!(scene.counts(), (1, 1, 1));
        scene.begin_waiting(Instant::now());
        assert_eq!(CountedThread::count(), 1);
        drop(second);
        until(|| CountedThread::count() == 0);
        assert_eq!(scene.counts(), (0, 1, 1));
        drop(third);
    });
}

#[test]
fn a_client_gets_no_thread_after_it_has_waited_for_long() {
    let name = "tests::awaited_threads::a_client_gets_no_thread_after_it_has_waited_for_long";
    in_own_process(name, || {
        for has_shut_down in [false, true] {
            let scene = Scene::new("1", "100");
            let clients = [scene.client(), scene.client()];
            let [first, second] = clients.each_ref().map(|it| it.handshake.lock().unwrap());
            clients.iter().for_each(|client| scene.accept(client));
            assert_eq!(scene.counts(), (2, 1, 0));
            let mut now = Instant::now();
            if has_shut_down {
                scene.core.context.watchdog().stop();
            } else {
                now += Duration::from_secs(3600);
            }
            scene.begin_waiting(now);
            assert_eq!(scene.counts(), (1, 1, 1));
            drop(first);
            until(|| CountedThread::count() == 0);
            if has_shut_down {
                // Those that come now do not wait.
                let third = scene.client();
                let in_handshake = third.handshake.lock().unwrap();
                scene.accept(&third);
                scene.accept(&clients[1]);
                assert_eq!(scene.counts(), (1, 2, 2));
                drop(in_handshake);
                until(|| CountedThread::count() == 0);
            }
            drop(second);
        }
    });
}

#[test]
fn a_client_that_makes_room_for_another_one_while_it_waits_counts_once() {
    let name = "tests::awaited_threads::\
                a_client_that_makes_room_for_another_one_while_it_waits_counts_once";
    in_own_process(name, || {
        let scene = Scene::new("1", "100");
        let clients = [scene.client(), scene.client()];
        let [first, second] = clients.each_ref().map(|it| it.handshake.lock().unwrap());
        clients.iter().for_each(|client| scene.accept(client));
        assert_eq!(scene.counts(), (2, 1, 0));
        assert!(scene.lane.close_one(&|it| !it.has_own_threads()));
        scene.begin_waiting(Instant::now());
        assert_eq!(scene.counts(), (1, 2, 0));
        drop((first, second));
        until(|| CountedThread::count() == 0);
        assert_eq!(scene.counts(), (0, 2, 0));
    });
}

#[test]
fn clients_wait_for_slots_of_connections_that_end() {
    let name = "tests::awaited_threads::clients_wait_for_slots_of_connections_that_end";
    in_own_process(name, || {
        let scene = Scene::new("100", "1");
        // Each makes room for the next one, but none ends in its handshake.
        let clients: Vec<_> = (0..19).map(|_| scene.client()).collect();
        let mut handshakes: Vec<_> =
            clients.iter().map(|it| it.handshake.lock().unwrap()).collect();
        clients.iter().for_each(|client| scene.accept(client));
        assert_eq!(scene.counts(), (17, 16, 0), "two have no slot");
        let now = Instant::now();
        scene.begin_waiting(now);
        assert_eq!(scene.counts(), (17, 16, 0));
        drop(handshakes.remove(0));
        until(|| {
            scene.begin_waiting(now);
            scene.counts() == (17, 17, 0)
        });
        // No slot is free for the other one in time.
        scene.begin_waiting(now + Duration::from_secs(3600));
        assert_eq!(scene.counts(), (17, 17, 1));
        drop(handshakes);
        until(|| CountedThread::count() == 0);
        assert_eq!(scene.counts(), (0, 17, 1));
    });
}
