use std::sync::atomic::Ordering;

use zorb_base::upcall_thread::end_upcall;
use zorb_testkit::Scripted;
use zorb_transport::inproc::{InprocProtocol, InprocTransport};

use super::*;
use crate::ServerCore;
use crate::connection::ServerConnection;
use crate::connection::new_connection::NewConnection;
use crate::input::Input;
use crate::pool::default_lane;
use zorb_base::options::Options;

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
        slot: 0,
        accepted: 1,
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

/// A connection that waits for a thread: its number, what its attempts result in, and the numbers of all that have tried.
#[derive(Debug)]
struct Awaits(u32, Begun, Arc<Lock<Vec<u32>>>);

impl Begins for Awaits {
    fn is_over(&self, _: Instant) -> bool {
        false
    }

    fn begin(&mut self) -> Begun {
        self.2.lock().push(self.0);
        // The second attempt succeeds.
        std::mem::replace(&mut self.1, Begun::Yes)
    }

    fn give_up(&mut self) {}
}

#[test]
fn connections_that_wait_for_threads_begin_in_their_order() {
    let watchdog = Watchdog::new(TimeLimits::default());
    let tried = Arc::<Lock<Vec<u32>>>::default();
    let first = [Begun::Later, Begun::Never, Begun::Later, Begun::WhenSystemPermits, Begun::Later];
    for (number, first) in (0..).zip(first) {
        let awaits = Box::new(Awaits(number, first, Arc::clone(&tried)));
        assert!(watchdog.begin_later(awaits).is_none());
    }
    // The system refuses the last one a thread, too.
    for expected in [vec![0, 1, 2, 3], vec![0, 2, 3, 4], vec![4], vec![]] {
        watchdog.begin_waiting(Instant::now());
        assert_eq!(std::mem::take(&mut *tried.lock()), expected);
    }
}
