//! The threads of a lane's reactor.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use zorb_base::connections::SlotKey;
use zorb_base::threads::ThreadActivity;
use zorb_os::poll::Event;

use super::{Lane, ThreadKind};
use crate::connection::ServerConnection;
use crate::reactor::{RESERVED, Reactor, STOP, TICK};
use crate::scratch::Scratch;

/// The minimum wait of the last waiting thread after its idle timeout.
const STAY: Duration = Duration::from_secs(1);

/// The octets of a reply with a system exception; some have fewer.
const EXCEPTION: usize = 256;

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
        let mut stays = false;
        // The rest of a dynamic thread's idle timeout after a tick.
        let mut left = None;
        loop {
            self.serve_waiting(reactor, kind, &mut scratch);
            self.work_ends();
            set_idle(true);
            reactor.begin_wait();
            let linger = self.linger(kind).map(|it| if stays { it.max(STAY) } else { it });
            let linger = left.take().or(linger);
            let begun = linger.map(|_| Instant::now());
            stays = false;
            let event = match scratch.is_large() && !self.is_frozen() {
                false => reactor.ready.next(linger),
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
                    stays = true;
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
                    left = begun.and_then(|begun| Some(linger?.saturating_sub(begun.elapsed())));
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
