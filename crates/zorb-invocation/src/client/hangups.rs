//! The thread that detects connections that servers have closed, or that have been idle for too long.
//!
//! A client that makes no calls does not read from its connections, so it would keep those that their servers have
//! closed. One thread of the process waits for that (epoll with `EPOLLRDHUP`): each connection is registered once, when
//! it is opened, calls cost nothing, and received data does not wake the thread. Streams over datagrams report it
//! themselves. The wait has a time limit, after which
//! the thread closes what has been idle for its limit, so at most a quarter of that later.

use std::collections::HashMap;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use zorb_os::event::EventFd;
use zorb_os::lock::Lock;
use zorb_os::poll::HangupWatch;
use zorb_os::priority::{self, Schedule};
use zorb_os::thread::run_anywhere;
use zorb_transport::Stream;

/// The thread's stack size in octets.
const STACK: usize = 128 << 10;

/// The number of checks within an idle limit.
const IDLE_CHECKS: u32 = 4;
/// The shortest time between two checks.
const SHORTEST: Duration = Duration::from_millis(10);
/// The key of the event that wakes the thread.
const WAKE: u64 = 0;

/// Whether the server has hung up.
pub(super) type HungUp = AtomicBool;

/// Closes connections whose servers have hung up, or that have been idle for too long.
pub(super) trait ClosesHungUp: Send + Sync {
    /// The server of the connection with this flag, which is set, has hung up. Must not wait for a peer.
    fn close_hung_up(&self, connection: &Arc<HungUp>);

    /// The idle time after which it closes connections; `None` for no limit.
    fn idle_limit(&self) -> Option<Duration> {
        None
    }

    /// Closes the connections that have been idle for that time. Must not wait for a peer.
    fn close_idle(&self) {}
}

/// A connection whose server is watched until this is dropped.
#[derive(Debug)]
pub(super) struct WatchedConnection {
    key: u64,
    hung_up: Arc<HungUp>,
    watch: Arc<Watch>,
}

impl WatchedConnection {
    /// Whether the server has hung up.
    pub(super) fn has_hung_up(&self) -> bool {
        self.hung_up.load(Ordering::Acquire)
    }
}

impl Drop for WatchedConnection {
    fn drop(&mut self) {
        // The system stops watching the descriptor when it is closed.
        self.watch.connections.lock().by_key.remove(&self.key);
    }
}

/// Watches a new connection, which `closer` closes when its server hangs up; `None` if its transport cannot tell, or
/// the system is short of resources.
pub(super) fn watch(
    stream: &dyn Stream,
    closer: Weak<dyn ClosesHungUp>,
) -> Option<WatchedConnection> {
    let descriptor = stream.hangup_fd();
    // The function is replaced below, when there is something to call.
    if descriptor.is_none() && !stream.notify_of_hangup(Box::new(|| {})) {
        return None;
    }
    let interval = closer.upgrade().and_then(|closer| closer.idle_limit()).map(interval_of);
    let watched = running(interval).map(|watch| watch.register(closer, interval));
    let added = watched.and_then(|watched| {
        if let Some(descriptor) = descriptor {
            watched.watch.hangups.add(descriptor, watched.key)?;
        } else {
            let (watch, key) = (Arc::clone(&watched.watch), watched.key);
            stream.notify_of_hangup(Box::new(move || watch.close_hung_up(key)));
        }
        Ok(watched)
    });
    match added {
        Ok(watched) => Some(watched),
        Err(error) => {
            tracing::debug!(peer = stream.peer(), %error, "the connection is not watched");
            None
        }
    }
}

#[derive(Debug)]
struct Watch {
    hangups: HangupWatch,
    connections: Lock<Connections>,
}

#[derive(Default)]
struct Connections {
    by_key: HashMap<u64, Entry>,
    last_key: u64,
    /// The time between two idle checks; `None` if no connection needs them.
    interval: Option<Duration>,
    /// Wakes the thread, whose wait would be too long.
    wake: Option<EventFd>,
}

struct Entry {
    hung_up: Weak<HungUp>,
    closer: Weak<dyn ClosesHungUp>,
    interval: Option<Duration>,
}

fn interval_of(idle_limit: Duration) -> Duration {
    (idle_limit / IDLE_CHECKS).max(SHORTEST)
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.by_key.keys()).finish()
    }
}

/// The watch of the process, with its thread, which ends with the process. The first caller says how often it checks
/// for idle connections.
fn running(interval: Option<Duration>) -> io::Result<Arc<Watch>> {
    static WATCH: Lock<Option<Arc<Watch>>> = Lock::new(None);
    let mut running = WATCH.lock();
    if let Some(watch) = &*running {
        return Ok(Arc::clone(watch));
    }
    let watch = Arc::new(Watch::new(interval)?);
    let waiting = Arc::clone(&watch);
    thread::Builder::new()
        .name("zorb-hangups".to_owned())
        .stack_size(STACK)
        .spawn(move || waiting.run())?;
    Ok(Arc::clone(running.insert(watch)))
}

impl Watch {
    fn new(interval: Option<Duration>) -> io::Result<Self> {
        let connections = Lock::new(Connections { interval, ..Connections::default() });
        Ok(Self { hangups: HangupWatch::new()?, connections })
    }

    fn register(
        self: Arc<Self>,
        closer: Weak<dyn ClosesHungUp>,
        interval: Option<Duration>,
    ) -> WatchedConnection {
        let hung_up = Arc::<HungUp>::default();
        let mut connections = self.connections.lock();
        connections.last_key += 1;
        let key = connections.last_key;
        connections
            .by_key
            .insert(key, Entry { hung_up: Arc::downgrade(&hung_up), closer, interval });
        if let Some(interval) = interval
            && connections.interval.is_none_or(|longer| interval < longer)
        {
            connections.interval = Some(interval);
            self.wake(&mut connections);
        }
        drop(connections);
        WatchedConnection { key, hung_up, watch: self }
    }

    /// Ends the wait of the thread. Without a descriptor for that, the next check is late.
    #[cold]
    fn wake(&self, connections: &mut Connections) {
        let Ok(event) = EventFd::new() else { return };
        event.notify();
        if self.hangups.add_process(event.as_fd(), WAKE).is_ok() {
            connections.wake = Some(event);
        }
    }

    fn run(&self) {
        // The thread that started it may be urgent, or restricted to some processors. Locks inherit priorities.
        let _ = priority::set(Schedule::Shared);
        let _ = run_anywhere();
        let mut last_check = Instant::now();
        // The wait fails only with invalid arguments.
        while let Ok(key) = self.hangups.next_within(self.until_check(last_check, Instant::now())) {
            match key {
                None => {}
                Some(WAKE) => drop(self.connections.lock().wake.take()),
                Some(key) => self.close_hung_up(key),
            }
            let now = Instant::now();
            if self.until_check(last_check, now).is_some_and(|left| left.is_zero()) {
                last_check = now;
                self.close_idle();
            }
        }
    }

    fn close_hung_up(&self, key: u64) {
        let watched = self.connections.lock().by_key.get(&key).and_then(Entry::upgrade);
        if let Some((hung_up, closer)) = watched {
            hung_up.store(true, Ordering::Release);
            closer.close_hung_up(&hung_up);
        }
    }

    /// The time until the next idle check; `None` if none is due.
    fn until_check(&self, last: Instant, now: Instant) -> Option<Duration> {
        let interval = self.connections.lock().interval?;
        Some((last + interval).saturating_duration_since(now))
    }

    /// Closes the connections that have been idle for too long.
    fn close_idle(&self) {
        let mut closers: Vec<Arc<dyn ClosesHungUp>> = Vec::new();
        {
            let mut connections = self.connections.lock();
            let entries = connections.by_key.values();
            let timed = || entries.clone().filter(|entry| entry.interval.is_some());
            let interval = timed().filter_map(|entry| entry.interval).min();
            for closer in timed().filter_map(|entry| entry.closer.upgrade()) {
                if !closers.iter().any(|known| Arc::ptr_eq(known, &closer)) {
                    closers.push(closer);
                }
            }
            connections.interval = interval;
        }
        closers.iter().for_each(|closer| closer.close_idle());
    }
}

impl Entry {
    fn upgrade(&self) -> Option<(Arc<HungUp>, Arc<dyn ClosesHungUp>)> {
        self.hung_up.upgrade().zip(self.closer.upgrade())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    struct Closer {
        limit: Option<Duration>,
        checks: AtomicUsize,
    }

    impl ClosesHungUp for Closer {
        fn close_hung_up(&self, _: &Arc<HungUp>) {}

        fn idle_limit(&self) -> Option<Duration> {
            self.limit
        }

        fn close_idle(&self) {
            self.checks.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn idle_connections_are_looked_for_as_often_as_the_shortest_limit_needs() {
        let [forever, long, short] = [None, Some(400), Some(40)].map(|seconds| {
            let limit = seconds.map(Duration::from_secs);
            Arc::new(Closer { limit, checks: AtomicUsize::new(0) })
        });
        let watch = Arc::new(Watch::new(None).unwrap());
        let register = |closer: &Arc<Closer>| {
            let closer: Arc<dyn ClosesHungUp> = Arc::<Closer>::clone(closer);
            let interval = closer.idle_limit().map(interval_of);
            Arc::clone(&watch).register(Arc::downgrade(&closer), interval)
        };
        let start = Instant::now();
        let left = |seconds| watch.until_check(start, start + Duration::from_secs(seconds));
        let of_forever = register(&forever);
        assert_eq!(left(1000), None);
        let of_long = [register(&long), register(&long)];
        assert_eq!(left(30), Some(Duration::from_secs(70)));
        // The thread does not wait that long for a shorter one.
        let woken = |watch: &Watch| watch.hangups.next_within(Some(Duration::ZERO)).unwrap();
        assert_eq!(woken(&watch), Some(WAKE));
        let of_short = register(&short);
        assert_eq!((woken(&watch), left(4)), (Some(WAKE), Some(Duration::from_secs(6))));
        assert_eq!((woken(&watch), left(11)), (None, Some(Duration::ZERO)));
        watch.close_idle();
        let checks = |closer: &Closer| closer.checks.load(Ordering::Relaxed);
        assert_eq!([&forever, &long, &short].map(|closer| checks(closer)), [0, 1, 1]);
        drop(of_short);
        watch.close_idle();
        assert_eq!(left(30), Some(Duration::from_secs(70)));
        drop((of_forever, of_long));
        watch.close_idle();
        assert_eq!(left(30), None);
    }
}
