//! The threads of a lane's reactor.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use zorb_base::connections::SlotKey;
use zorb_base::threads::ThreadActivity;
use zorb_os::poll::{Batch, Event};

use super::{Lane, ThreadKind};
use crate::connection::ServerConnection;
use crate::reactor::{RESERVED, Reactor, STOP, TICK};
use crate::scratch::Scratch;

/// The minimum wait of the last waiting thread after its idle timeout.
const STAY: Duration = Duration::from_secs(1);

/// The events that the only thread of a lane takes at once, in the order in which they have happened: it could not have
/// handled a later one sooner.
const BATCH: usize = 8;

/// The octets of a reply with a system exception; some have fewer.
const EXCEPTION: usize = 256;

/// How long a dynamic thread waits. Apart from the other ones, which have no limit: 10 instructions for each request.
struct IdleLimit {
    kind: ThreadKind,
    /// Whether its last wait was over without an event, and it was the last one that waited.
    stays: bool,
    /// The rest of its limit after a tick.
    left: Option<Duration>,
    /// The limit of the current wait, and when that has begun.
    current: Option<(Duration, Instant)>,
}

impl IdleLimit {
    fn of(kind: ThreadKind) -> Option<Self> {
        let limit = Self { kind, stays: false, left: None, current: None };
        matches!(kind, ThreadKind::Dynamic(_)).then_some(limit)
    }

    /// The limit of a wait that begins.
    #[cold]
    fn begin(&mut self, lane: &Lane) -> Option<Duration> {
        let stays = std::mem::take(&mut self.stays);
        let limit = lane.linger(self.kind).map(|it| if stays { it.max(STAY) } else { it });
        let limit = self.left.take().or(limit);
        self.current = limit.map(|limit| (limit, Instant::now()));
        limit
    }

    /// The next wait is longer, for the last thread that waits.
    fn stay(&mut self) {
        self.stays = true;
    }

    /// Makes the next wait last only as long as the current one would have lasted.
    fn resume(&mut self) {
        self.left = self.current.map(|(limit, begun)| limit.saturating_sub(begun.elapsed()));
    }
}

impl Lane {
    /// Serves requests that are buffered or resumed at the time of the call. Later ones wake a thread, and
    /// wait behind events.
    fn serve_waiting(
        self: &Arc<Self>,
        reactor: &Reactor<ServerConnection>,
        kind: ThreadKind,
        scratch: &mut Scratch,
    ) {
        for _ in 0..reactor.buffered() + self.resumed.len() {
            if let Some(connection) = reactor.take_buffered() {
                self.ask_for_follower(reactor, kind);
                connection.handle_buffered(scratch);
            } else if let Some(request) = self.resumed.take() {
                if !self.resumed.is_empty() {
                    reactor.wake();
                }
                self.ask_for_follower(reactor, kind);
                let _permit = self.permit(false);
                drop(request.serve(scratch));
            } else {
                return;
            }
        }
    }

    /// The body of a thread of the reactor.
    pub(crate) fn handle_events(
        self: &Arc<Self>,
        reactor: &Reactor<ServerConnection>,
        kind: ThreadKind,
    ) {
        let mut scratch = Scratch::default();
        if matches!(kind, ThreadKind::Reader) {
            // It writes nothing but exceptions for requests that may not wait, which may begin in the steady state.
            scratch.reply.reserve(EXCEPTION);
        }
        let activity = ThreadActivity::of_this_thread();
        let set_idle = |idle| activity.iter().for_each(|activity| activity.set_idle(idle));
        let mut idle_limit = IdleLimit::of(kind);
        let mut batch = Batch::<BATCH>::default();
        // What one thread has taken, no other could serve during an upcall of the first.
        let is_alone = !self.has_many_threads();
        loop {
            self.serve_waiting(reactor, kind, &mut scratch);
            self.work_ends();
            set_idle(true);
            reactor.begin_wait();
            let linger = idle_limit.as_mut().and_then(|limit| limit.begin(self));
            let event = match scratch.is_large() && !self.is_frozen() {
                false if is_alone => reactor.ready.next_of(&mut batch, linger),
                false => reactor.ready.next(linger),
                true if !batch.is_empty() => reactor.ready.next_of(&mut batch, linger),
                true => {
                    let next = |limit| reactor.ready.next(limit).transpose();
                    scratch.wait_with_large(linger, &next).transpose()
                }
            };
            set_idle(false);
            self.work_begins();
            let idle = reactor.end_wait();
            let event = match event {
                Ok(Some(event)) => event,
                // The last waiting thread stays: the others are in upcalls.
                Ok(None) if idle == 0 => {
                    idle_limit.iter_mut().for_each(IdleLimit::stay);
                    continue;
                }
                Ok(None) => return,
                Err(error) => {
                    tracing::error!(%error, lane = self.name(), "waiting for requests failed");
                    return;
                }
            };
            if event.key < RESERVED {
                self.ask_for_follower(reactor, kind);
                self.handle_event(event, &mut scratch);
                continue;
            }
            match event.key {
                STOP => return reactor.clear(),
                TICK => {
                    idle_limit.iter_mut().for_each(IdleLimit::resume);
                    if let Some(ticks) = &reactor.ticks {
                        ticks.drain();
                    }
                    self.ask_for_follower(reactor, kind);
                    self.check_idle_connections(&mut scratch);
                }
                _ => {} // it was woken
            }
        }
    }

    /// Handles an event of a connection, unless that has ended since the event was taken: the one in its slot may have
    /// threads of its own.
    #[inline]
    pub(crate) fn handle_event(&self, event: Event, scratch: &mut Scratch) {
        self.connections.with(SlotKey::from_bits(event.key), |connection| {
            connection.handle_event(event.is_end, scratch);
        });
    }

    /// Asks for a dynamic thread if no other thread waits for events: this one may be in an upcall next.
    pub(super) fn ask_for_follower(&self, reactor: &Reactor<ServerConnection>, kind: ThreadKind) {
        if kind != ThreadKind::Reader
            && !reactor.has_idle()
            && self.threads.load(Ordering::Acquire) < self.settings.max_threads()
            && self.thread_requests.ask(1)
        {
            self.thread_requests.call();
        }
    }
}
