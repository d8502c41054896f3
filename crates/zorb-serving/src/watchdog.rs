//! The watchdog detects upcalls that take long, so that another thread takes over their connections; requests
//! that have been held for too long; messages that take too long to arrive; and clients that do not read
//! their replies. It also lets new connections begin that wait until others have ended.
//!
//! It watches connections with threads of their own and a recent upcall, connections that wait for the rest
//! of a message, for a client that does not read, or to begin, and queues of held requests. It sleeps while
//! there are none, so it costs an idle server nothing.

mod beginning;
mod newcomers;
mod output;

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use zorb_os::lock::{Condition, Lock};

use zorb_poa::HoldQueue;
use zorb_transport::Stream;

use zorb_base::progress::{Progress, Timed};
use zorb_giop::TimeLimits;

use self::newcomers::Newcomers;
pub(crate) use self::newcomers::{Begins, Begun, Refused, is_one_too_many};

/// The number of successive checks without an upcall after which a connection is no longer watched. Its next
/// upcall must then wake the watchdog, which costs more than these checks.
pub(super) const MAX_IDLE_CHECKS: u32 = 50;

/// What may be watched: a [connection](crate::connection::ServerConnection), or its
/// [resumed requests](crate::connection::ConnectionRequests). A connection uses the watchdog of its
/// [context](crate::context::ServerContext), so without this trait the modules would depend on each other.
pub(crate) trait Watched: Send + Sync {
    /// Marks it as watched; `false` if it is already, or has ended.
    fn begin_watch(&self) -> bool;

    /// Hands the input over if the upcall number `seen` is still running and a request waits. Returns the
    /// current number.
    fn relieve(self: Arc<Self>, seen: u32) -> u32;

    /// Ends it if its client has missed the deadline at `now`; otherwise returns the deadline. `None` if
    /// nothing waits.
    fn expire_output(self: Arc<Self>, now: Instant) -> Option<Instant>;

    /// Whether a thread has its input, so that no upcall delays it.
    fn is_being_read(&self) -> bool;

    /// Marks it as not watched, unless an upcall has begun since `seen`. A later upcall calls the watchdog
    /// itself.
    fn stop_watching(&self, seen: u32) -> bool;
}

impl fmt::Debug for dyn Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watched")
    }
}

/// Watches the connections that are in use.
#[derive(Debug)]
pub(crate) struct Watchdog {
    state: Lock<State>,
    /// The connections whose incomplete messages it times.
    timed: Lock<Timed>,
    /// Whether those checks are active.
    are_timed: AtomicBool,
    changed: Condition,
}

#[derive(Debug, Default)]
struct State {
    connections: HashMap<usize, Watch>,
    /// Queues of held requests, with the first time of expiry.
    holding: Vec<(HoldQueue, Instant)>,
    /// Connections whose clients do not read, with their deadlines.
    sending: HashMap<usize, (Arc<dyn Watched>, Instant)>,
    newcomers: Newcomers,
    started: bool,
    stopped: bool,
    /// Whether its thread has ended.
    ended: bool,
}

/// A connection with a recent upcall.
#[derive(Clone, Debug)]
struct Watch {
    connection: Arc<dyn Watched>,
    /// The number of upcalls at the last check.
    seen: u32,
    /// Checks since the last upcall.
    idle_checks: u32,
}

impl State {
    /// When the first held request expires.
    fn first_expiry(&self) -> Option<Instant> {
        self.holding.iter().map(|(_, expiry)| *expiry).min()
    }

    /// The first deadline of a client that does not read.
    fn first_send_deadline(&self) -> Option<Instant> {
        self.sending.values().map(|(_, deadline)| *deadline).min()
    }

    /// When new connections that wait try to begin; at `now` if the ORB shuts down.
    fn next_begin(&self, now: Instant) -> Option<Instant> {
        let next = self.newcomers.next_try(now)?;
        Some(if self.stopped { now } else { next })
    }
}

impl Watchdog {
    /// A watchdog that has not been started.
    pub(crate) fn new(limits: TimeLimits) -> Self {
        Self {
            state: Lock::default(),
            timed: Lock::new(Timed::new(limits)),
            are_timed: AtomicBool::new(false),
            changed: Condition::default(),
        }
    }

    /// Times the messages of a new connection.
    pub(super) fn start_timing(&self, progress: &Arc<Progress>, stream: &Arc<dyn Stream>) {
        self.timed.lock().add(progress, stream, Instant::now());
        self.time_messages();
    }

    pub(super) fn stop_timing(&self, progress: &Arc<Progress>) {
        self.timed.lock().remove(progress);
    }

    /// Called when a connection waits for the rest of a message.
    #[inline]
    pub(super) fn time_messages(&self) {
        if !self.are_timed.load(Ordering::SeqCst) {
            self.resume_timing();
        }
    }

    #[cold]
    fn resume_timing(&self) {
        if !self.are_timed.swap(true, Ordering::SeqCst) {
            self.timed.lock().resume(Instant::now());
            let watched = self.state.lock();
            drop(watched);
            self.changed.notify_all();
        }
    }

    /// Checks the connections with incomplete messages.
    pub(super) fn check_messages(&self, now: Instant) {
        self.timed.lock().check(now, &self.are_timed);
    }

    pub(super) fn forget<C: Watched>(&self, connection: &Arc<C>) {
        let forgotten = self.state.lock().connections.remove(&key_of(connection));
        drop(forgotten);
    }

    /// Watches a connection from its current upcall on.
    #[cold]
    pub(super) fn watch<C: Watched + 'static>(&self, connection: &Arc<C>, seen: u32) {
        let mut watched = self.state.lock();
        if !connection.begin_watch() {
            return;
        }
        let was_asleep = watched.connections.is_empty();
        let key = key_of(connection);
        let connection: Arc<C> = Arc::clone(connection);
        watched.connections.insert(key, Watch { connection, seen, idle_checks: 0 });
        drop(watched);
        if was_asleep {
            self.changed.notify_all();
        }
    }

    /// Discards the requests of a queue when they expire, the first of them at `expiry`.
    #[cold]
    pub(super) fn watch_held(&self, queue: &HoldQueue, expiry: Instant) {
        let mut watched = self.state.lock();
        if watched.stopped {
            return;
        }
        match watched.holding.iter_mut().find(|(known, _)| known == queue) {
            Some((_, first)) if *first <= expiry => return,
            Some((_, first)) => *first = expiry,
            None => watched.holding.push((queue.clone(), expiry)),
        }
        drop(watched);
        self.changed.notify_all();
    }

    /// Discards requests that have expired at `now`. Returns when the next one expires.
    pub(super) fn discard_expired(&self, now: Instant) -> Option<Instant> {
        let mut watched = self.state.lock();
        let expired: Vec<_> = watched.holding.extract_if(.., |(_, first)| *first <= now).collect();
        drop(watched);
        for (queue, _) in expired {
            if let Some(next) = queue.discard_expired(now) {
                self.watch_held(&queue, next);
            }
        }
        self.state.lock().first_expiry()
    }

    /// Starts its thread with `spawn`, once.
    ///
    /// # Errors
    /// That of `spawn`; the next call tries again.
    pub(super) fn start(&self, spawn: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let mut watched = self.state.lock();
        if !watched.started {
            spawn()?;
            watched.started = true;
        }
        Ok(())
    }

    /// Stops it, once no client is awaited. Connections that wait for threads give up.
    pub(crate) fn stop(&self) {
        let mut watched = self.state.lock();
        watched.stopped = true;
        let holding = std::mem::take(&mut watched.holding);
        drop(watched);
        drop(holding);
        self.changed.notify_all();
    }

    /// The body of the watchdog's thread: checks every `period` until stopped.
    pub(crate) fn run(&self, period: Duration) {
        let mut next_check = Instant::now();
        loop {
            let now = Instant::now();
            if now >= next_check {
                self.check();
                next_check = now + period;
            }
            self.discard_expired(now);
            self.check_messages(now);
            self.expire_output(now);
            if self.state.lock().next_begin(now).is_some_and(|next| next <= now) {
                self.begin_waiting(now);
            }
            let mut watched = self.state.lock();
            let next_timed = self.timed.lock().next_check();
            // Connections whose clients do not read must still end in time.
            if watched.stopped && watched.sending.is_empty() && watched.newcomers.is_empty() {
                watched.ended = true;
                return;
            }
            let check = (!watched.connections.is_empty()).then_some(next_check);
            let next_begin = watched.next_begin(now);
            let _watched = match check
                .into_iter()
                .chain(watched.first_expiry())
                .chain(watched.first_send_deadline())
                .chain(next_timed)
                .chain(next_begin)
                .min()
            {
                None => self.changed.wait(watched),
                Some(next) => {
                    let left = next.saturating_duration_since(Instant::now());
                    self.changed.wait_for(watched, left)
                }
            };
        }
    }

    /// Checks all watched connections, and returns how many are still watched. Starts threads without the
    /// lock, which serving threads take.
    pub(super) fn check(&self) -> usize {
        let watches = self.state.lock().connections.clone();
        let mut checked: Vec<_> = watches.into_iter().collect();
        checked.iter_mut().for_each(|(_, watch)| watch.check());
        let mut watched = self.state.lock();
        for (key, watch) in checked {
            if !watched.connections.contains_key(&key) {
                continue; // it has been closed meanwhile
            }
            if watch.idle_checks < MAX_IDLE_CHECKS || !watch.connection.stop_watching(watch.seen) {
                watched.connections.insert(key, watch);
            } else {
                watched.connections.remove(&key);
            }
        }
        watched.connections.len()
    }
}

impl Watch {
    fn check(&mut self) {
        let upcalls = Arc::clone(&self.connection).relieve(self.seen);
        let is_idle = upcalls == self.seen && self.connection.is_being_read();
        self.idle_checks = if is_idle { self.idle_checks + 1 } else { 0 };
        self.seen = upcalls;
    }
}

fn key_of<C>(connection: &Arc<C>) -> usize {
    Arc::as_ptr(connection).addr()
}

#[cfg(test)]
mod tests;
