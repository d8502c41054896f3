//! What the threads of a lane wait at together: a reactor.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use zorb_os::event::{EventFd, PeriodicTimer};
use zorb_os::lock::Lock;
use zorb_os::poll::{ReadySet, Trigger};

use crate::connection::ServerConnection;
use crate::lane::{Lane, Role};
use crate::scratch::Scratch;

/// The key of the event that ends the threads.
const STOP: u64 = u64::MAX;
/// The key of the event that makes a thread check for requests without an event of their own.
const WAKE: u64 = u64::MAX - 1;
/// The key of the event that makes a thread check for idle connections.
const TICK: u64 = u64::MAX - 2;
/// How long a thread at least waits again whose time is up and that is the last one to wait.
const STAY: Duration = Duration::from_secs(1);

/// The readiness of a lane's connections, and what else wakes its threads.
#[derive(Debug)]
pub(super) struct EventLoop {
    ready: ReadySet,
    stop: EventFd,
    wake: EventFd,
    /// Makes a thread check for idle connections periodically, if there is a limit.
    ticks: Option<PeriodicTimer>,
    /// Connections with requests that have been received and not been looked at.
    buffered: Lock<VecDeque<Arc<ServerConnection>>>,
    buffered_count: AtomicUsize,
    /// Threads that wait.
    idle: AtomicUsize,
}

impl EventLoop {
    /// An event loop whose threads check for idle connections this often.
    pub(super) fn new(look_every: Option<Duration>) -> io::Result<Self> {
        let (ready, stop, wake) = (ReadySet::new()?, EventFd::new()?, EventFd::new()?);
        ready.add(stop.as_fd(), STOP, Trigger::Level)?;
        ready.add(wake.as_fd(), WAKE, Trigger::Edge)?;
        let ticks = look_every.map(PeriodicTimer::every).transpose()?;
        if let Some(ticks) = &ticks {
            ready.add(ticks.as_fd(), TICK, Trigger::Edge)?;
        }
        Ok(Self {
            ready,
            stop,
            wake,
            ticks,
            buffered: Lock::new(VecDeque::with_capacity(64)),
            buffered_count: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
        })
    }

    /// Waits for what comes over the connection in `slot`.
    pub(super) fn add(&self, fd: BorrowedFd<'_>, slot: u32) -> io::Result<()> {
        self.ready.add(fd, slot.into(), Trigger::Edge)
    }

    pub(super) fn remove(&self, fd: BorrowedFd<'_>) {
        // It is not in when a thread of its own has served the connection.
        let _ = self.ready.remove(fd);
    }

    /// Has the threads end.
    pub(super) fn stop(&self) {
        self.stop.notify();
    }

    /// Makes a thread check for requests without an event of their own.
    pub(super) fn wake(&self) {
        self.wake.notify();
    }

    pub(super) fn queue_buffered(&self, connection: &Arc<ServerConnection>) {
        let mut buffered = self.buffered.lock();
        buffered.push_back(Arc::clone(connection));
        self.buffered_count.store(buffered.len(), Ordering::Release);
        drop(buffered);
        self.wake();
    }

    /// A connection with buffered requests; another thread is woken when there are more.
    fn take_buffered(&self) -> Option<Arc<ServerConnection>> {
        if self.buffered_count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut buffered = self.buffered.lock();
        let connection = buffered.pop_front();
        self.buffered_count.store(buffered.len(), Ordering::Release);
        if !buffered.is_empty() {
            self.wake();
        }
        connection
    }

    /// Forgets connections with buffered requests: all connections have ended.
    fn clear(&self) {
        let buffered = std::mem::take(&mut *self.buffered.lock());
        drop(buffered);
    }
}

impl Lane {
    /// Serves what has been received or resumed already.
    fn serve_waiting(self: &Arc<Self>, events: &EventLoop, role: Role, scratch: &mut Scratch) {
        loop {
            if let Some(connection) = events.take_buffered() {
                self.ask_for_follower(events, role);
                connection.handle_buffered(scratch);
            } else if let Some(request) = self.resumed.take() {
                if !self.resumed.is_empty() {
                    events.wake();
                }
                self.ask_for_follower(events, role);
                let _permit = self.permit(false);
                drop(request.serve(scratch));
            } else {
                return;
            }
        }
    }

    /// The body of a thread that waits for events of connections.
    pub(super) fn run_event_loop(self: &Arc<Self>, events: &EventLoop, role: Role) {
        let mut scratch = Scratch::default();
        let mut stays = false;
        // What a tick has left of the time that a dynamic thread lingers.
        let mut left = None;
        loop {
            self.serve_waiting(events, role, &mut scratch);
            self.work_ends();
            events.idle.fetch_add(1, Ordering::AcqRel);
            let linger = self.linger(role).map(|it| if stays { it.max(STAY) } else { it });
            let linger = left.take().or(linger);
            let begun = linger.map(|_| Instant::now());
            stays = false;
            let event = events.ready.next(linger);
            self.work_begins();
            let idle = events.idle.fetch_sub(1, Ordering::AcqRel) - 1;
            let event = match event {
                Ok(Some(event)) => event,
                // The last one that waits stays: the others are in upcalls.
                Ok(None) if idle == 0 => {
                    stays = true;
                    continue;
                }
                Ok(None) => return,
                Err(error) => {
                    tracing::error!(%error, lane = self.name(), "waiting for requests failed");
                    return;
                }
            };
            match event.key {
                STOP => return events.clear(),
                WAKE => {}
                TICK => {
                    left = begun.and_then(|begun| Some(linger?.saturating_sub(begun.elapsed())));
                    if let Some(ticks) = &events.ticks {
                        ticks.drain();
                    }
                    self.ask_for_follower(events, role);
                    self.check_idle_connections(&mut scratch);
                }
                slot => {
                    self.ask_for_follower(events, role);
                    self.connections.with(slot, |connection| {
                        connection.handle_event(event.is_end, &mut scratch);
                    });
                }
            }
        }
    }

    /// Asks for a dynamic thread if no other thread waits for events: this one may be in an upcall next.
    fn ask_for_follower(&self, events: &EventLoop, role: Role) {
        if events.idle.load(Ordering::Acquire) == 0
            && role != Role::Reader
            && self.threads.load(Ordering::Acquire) < self.settings.max_threads()
            && self.thread_requests.ask(1)
        {
            self.thread_requests.call();
        }
    }
}
