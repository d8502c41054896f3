use std::io::ErrorKind;
use std::sync::atomic::Ordering;

use zorb_base::upcall_thread::end_upcall;
use zorb_os::thread_count::CountedThread;
use zorb_testkit::{Scripted, in_own_process};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};

use super::*;
use crate::ServerCore;
use crate::connection::ServerConnection;
use crate::connection::new_connection::NewConnection;
use crate::input::Input;
use crate::pool::default_lane;
use zorb_base::connections::SlotKey;
use zorb_base::options::Options;
use zorb_base::peer_threads::{ShareInUse, ThreadPeer};

/// A connection that receives nothing.
fn connection(core: &ServerCore) -> Arc<ServerConnection> {
    let protocol = InprocProtocol::new(InprocTransport::new());
    let stream = Arc::new(Scripted::new(|_| Ok(0), |_| Ok(None)));
    let lane = default_lane(&core.context).unwrap();
    let new = NewConnection {
        protocol: &protocol,
        stream,
        lane: &lane.core,
        serving_lane: lane.clone(),
        slot: SlotKey::NONE,
    };
    ServerConnection::new(&core.context, new)
}

/// A connection, and its thread's input.
struct Served(Arc<ServerConnection>, Option<Box<Input>>);

impl Served {
    fn new(core: &Arc<ServerCore>) -> Self {
        let connection = connection(core);
        let input = connection.input.take();
        Self(connection, input)
    }

    fn begin(&mut self) {
        self.0.leave_input(self.1.take().unwrap(), true);
    }

    fn end(&mut self) {
        self.1 = self.0.input.take();
        assert!(self.1.is_some());
        end_upcall();
    }

    fn upcall(&mut self) {
        self.begin();
        self.end();
    }
}

#[test]
fn connections_in_use_alone_are_watched() {
    let core = ServerCore::for_tests(Options::default());
    let watchdog = core.context.watchdog();
    let [mut one, mut other] = [Served::new(&core), Served::new(&core)];
    assert_eq!(watchdog.check(), 0, "no upcalls");
    one.upcall();
    for _ in 0..MAX_IDLE_CHECKS {
        other.upcall();
        other.upcall();
        assert_eq!(watchdog.check(), 2);
    }
    assert_eq!(watchdog.check(), 1, "one has been idle for long");
    one.upcall();
    assert_eq!(watchdog.check(), 2);
    for _ in 0..=MAX_IDLE_CHECKS {
        watchdog.check();
    }
    assert_eq!(watchdog.check(), 0);
    // A closed connection is no longer watched.
    one.upcall();
    one.0.abandon();
    one.upcall();
    assert_eq!(watchdog.check(), 0);
}

#[test]
fn an_upcall_that_goes_on_stays_watched() {
    let core = ServerCore::for_tests(Options::default());
    let mut one = Served::new(&core);
    one.upcall();
    let seen = Arc::clone(&one.0).relieve(u32::MAX);
    one.begin();
    assert!(!one.0.stop_watching(seen), "it has begun since");
    assert!(!one.0.stop_watching(seen.wrapping_add(1)), "it is running");
    assert!(one.0.own_threads.is_watched.load(Ordering::Relaxed));
    one.end();
    assert!(one.0.stop_watching(seen.wrapping_add(1)));
    assert!(!one.0.own_threads.is_watched.load(Ordering::Relaxed));
}

/// A connection that waits for a thread.
#[derive(Debug)]
struct Awaits {
    number: u32,
    peer: ThreadPeer,
    end: Instant,
    /// Why its first attempt fails.
    refusal: Option<io::Error>,
    /// The numbers of all that have tried.
    tried: Arc<Lock<Vec<u32>>>,
}

impl Begins for Awaits {
    fn end(&self) -> Instant {
        self.end
    }

    fn is_over(&self) -> bool {
        false
    }

    fn begin(&mut self, refused: &mut Refused) -> Begun {
        if refused.reason(self.peer).is_some() {
            return Begun::Later;
        }
        self.tried.lock().push(self.number);
        match self.refusal.take() {
            None => Begun::Yes,
            Some(error) => {
                if error.kind() == ErrorKind::WouldBlock {
                    // It was counted when the system refused it.
                    drop(CountedThread::one_of(usize::MAX, None).unwrap());
                }
                refused.note(self.peer, &error);
                if is_one_too_many(&error) { Begun::Later } else { Begun::Never }
            }
        }
    }

    fn give_up(&mut self) {}
}

/// Lets connections from these peers, whose first attempts fail so, begin later.
fn begin_later(
    watchdog: &Arc<Watchdog>,
    end: Instant,
    newcomers: impl IntoIterator<Item = (ThreadPeer, Option<io::Error>)>,
) -> Arc<Lock<Vec<u32>>> {
    let tried = Arc::<Lock<Vec<u32>>>::default();
    for (number, (peer, refusal)) in (0..).zip(newcomers) {
        let tried = Arc::clone(&tried);
        let awaits = Awaits { number, peer, end, refusal, tried };
        assert!(watchdog.begin_later(Box::new(awaits)).is_none());
    }
    tried
}

#[test]
fn connections_that_wait_for_threads_begin_in_their_order() {
    let watchdog = Arc::new(Watchdog::new(TimeLimits::default()));
    let of_peer = || Some(io::Error::new(ErrorKind::QuotaExceeded, ShareInUse));
    let of_all = || Some(ErrorKind::QuotaExceeded.into());
    let (one, other) = (ThreadPeer::Local, ThreadPeer::Datagrams);
    let end = Instant::now() + Duration::from_secs(3600);
    let newcomers = [
        (one, of_peer()),
        (one, None),
        (other, Some(ErrorKind::OutOfMemory.into())),
        (other, of_all()),
        (other, None),
        (one, of_peer()),
    ];
    let tried = begin_later(&watchdog, end, newcomers);
    // Whoever comes later does not try for a thread that was refused.
    for expected in [vec![0, 2, 3], vec![0, 1, 3, 4, 5], vec![5], vec![]] {
        watchdog.begin_waiting(Instant::now());
        assert_eq!(std::mem::take(&mut *tried.lock()), expected);
    }
}

#[test]
fn connections_that_wait_try_again_when_a_thread_ends() {
    let name = "watchdog::tests::connections_that_wait_try_again_when_a_thread_ends";
    in_own_process(name, || {
        let watchdog = Arc::new(Watchdog::new(TimeLimits::default()));
        let now = Instant::now();
        let next = || watchdog.state.lock().next_begin(now);
        let end = now + Duration::from_secs(3600);
        for by_system in [false, true] {
            let kind = if by_system { ErrorKind::WouldBlock } else { ErrorKind::QuotaExceeded };
            assert_eq!(next(), None);
            let newcomers = [(ThreadPeer::Local, Some(kind.into()))];
            let tried = begin_later(&watchdog, end, newcomers);
            assert_eq!(next(), Some(now));
            watchdog.begin_waiting(now);
            // The system does not tell when it has threads again.
            let again = now + Duration::from_millis(10);
            assert_eq!(next(), Some(if by_system { again } else { end }));
            drop(CountedThread::one_of(usize::MAX, None).unwrap());
            assert_eq!(next(), Some(if by_system { again } else { now }), "not in a busy loop");
            watchdog.begin_waiting(now);
            assert_eq!(*tried.lock(), [0, 0]);
        }
        assert_eq!(next(), None);
    });
}
