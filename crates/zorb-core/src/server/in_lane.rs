//! A connection in a lane: the lane's threads serve it in turns.
//!
//! A thread of the lane that is told of news takes the reading role out of the slot where it lies,
//! reads and serves what is there, and puts it back. In an upcall it leaves the role in the slot, so
//! that another thread which is told of news serves the requests behind. One that finds no role
//! leaves a sign, which the role's holder looks for when it has put the role back.

mod job;
mod silence;

pub(crate) use job::Job;

use std::io;
use std::os::fd::BorrowedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI16, AtomicU32, Ordering};

use zorb_cdr::CdrReader;
use zorb_giop::{MessageHeader, MessageKind, ProtocolError, RequestHeader, ServiceId};
use zorb_transport::{Protocol, Stream};

use super::ServerConnection;
use super::connection::Kept;
use super::crew::Upcall;
use super::role::Reading;
use crate::buffers::trim;
use crate::lanes::Lane;
use crate::orb::OrbCore;
use crate::policy::SetsUp;

/// A connection's part in its lane.
#[derive(Debug)]
pub(crate) struct InLane {
    lane: Arc<Lane>,
    /// Its number there.
    place: u32,
    /// Whether something has come that the role's holder may not have seen.
    news: AtomicBool,
    /// Whether the peer has ended the stream, or it is broken.
    at_end: AtomicBool,
    /// Whether one thread serves it alone.
    alone: AtomicBool,
    /// Whether the lane's queue of such connections has it.
    nudged: AtomicBool,
    /// Threads that have to do with it, and requests that wait.
    present: AtomicU32,
    /// Whether nothing is read from it any more.
    ended: AtomicBool,
    /// Whether the peer is then owed a CloseConnection.
    farewell: AtomicBool,
    finished: AtomicBool,
    /// The highest priority of the band that its client says it is for; -1 for none.
    band: AtomicI16,
    /// How often the lane has looked since something has come.
    silent: AtomicU32,
}

/// The `place`th of the shorts that a service context is an encapsulation of.
pub(super) fn short(data: &[u8], place: usize) -> Option<i16> {
    let mut reader = CdrReader::for_encapsulation(data).ok()?;
    let shorts = std::iter::from_fn(|| reader.read_i16().ok());
    shorts.take(place + 1).nth(place)
}

impl InLane {
    /// How its connections are set up when they are accepted, if that is known then.
    pub(super) fn sets_up(&self) -> Option<Option<Arc<dyn SetsUp>>> {
        self.lane.sets_up()
    }

    /// The lane's priority; `None` for one that is for all.
    pub(super) fn priority(&self) -> Option<i16> {
        self.lane.priority()
    }

    /// The priority of a request: that of its upcall, where the object's policies or the request say it,
    /// else the highest of its connection's band, which a request tells before, else -1.
    fn urgency(&self, core: &OrbCore, request: &RequestHeader<'_>) -> i16 {
        let contexts = &request.service_contexts;
        let band = contexts.find(ServiceId::RT_CORBA_PRIORITY_RANGE);
        if let Some(high) = band.and_then(|data| short(data, 1)) {
            self.band.store(high, Ordering::Relaxed);
        }
        let own = contexts.find(ServiceId::RT_CORBA_PRIORITY).and_then(|data| short(data, 0));
        let key = request.target.object_key().ok();
        let upcall = key.and_then(|key| core.urgency(key, own));
        upcall.or(own).unwrap_or_else(|| self.band.load(Ordering::Relaxed))
    }
}

impl ServerConnection {
    /// A connection that the threads of a lane serve, known there by `place`.
    pub(crate) fn in_lane(
        core: &Arc<OrbCore>,
        protocol: &dyn Protocol,
        stream: Arc<dyn Stream>,
        (lane, place): (&Arc<Lane>, Option<u32>),
    ) -> Arc<Self> {
        let lane = InLane {
            lane: Arc::clone(lane),
            place: place.unwrap_or(u32::MAX),
            news: AtomicBool::new(false),
            at_end: AtomicBool::new(false),
            alone: AtomicBool::new(false),
            nudged: AtomicBool::new(false),
            present: AtomicU32::new(0),
            ended: AtomicBool::new(false),
            farewell: AtomicBool::new(false),
            finished: AtomicBool::new(false),
            band: AtomicI16::new(-1),
            silent: AtomicU32::new(silence::UNCOUNTED),
        };
        let connection = Self::with(core, protocol, stream, Some(lane));
        drop(connection.parked.put(connection.reading()));
        connection
    }

    pub(crate) fn is_established(&self) -> bool {
        self.stream.is_established()
    }

    pub(crate) fn establish(&self) -> io::Result<()> {
        self.stream.establish()
    }

    pub(crate) fn peer(&self) -> &str {
        self.stream.peer()
    }

    /// What to wait on for news, if there is something.
    pub(crate) fn readiness(&self) -> Option<BorrowedFd<'_>> {
        self.stream.readiness_fd()
    }

    /// Serves what has come, on a thread that was told of it; `nudged` by another thread.
    pub(crate) fn turn(self: &Arc<Self>, at_end: bool, nudged: bool, kept: &mut Kept) {
        let Some(home) = &self.lane else { return };
        home.present.fetch_add(1, Ordering::AcqRel);
        home.silent.store(0, Ordering::Relaxed);
        if nudged {
            home.nudged.store(false, Ordering::SeqCst);
        }
        if at_end {
            home.at_end.store(true, Ordering::SeqCst);
        }
        home.news.store(true, Ordering::SeqCst);
        self.guarded(home, |home| self.serve_news(home, kept));
        self.part(home);
    }

    fn serve_news(self: &Arc<Self>, home: &InLane, kept: &mut Kept) {
        while home.news.load(Ordering::SeqCst) {
            let Some(reading) = self.parked.take() else { return };
            match self.read_on(home, reading, false, kept) {
                Some(reading) => drop(self.parked.put(reading)),
                None => return,
            }
        }
    }

    /// The body of a thread that serves this connection alone.
    pub(crate) fn stay(self: &Arc<Self>) {
        let Some(home) = &self.lane else { return };
        home.present.fetch_add(1, Ordering::AcqRel);
        home.alone.store(true, Ordering::Release);
        let mut kept = Kept::default();
        self.guarded(home, |home| {
            if let Some(reading) = self.parked.take() {
                // It comes back when the connection has ended.
                drop(self.read_on(home, reading, true, &mut kept));
            }
        });
        self.part(home);
    }

    /// Ends a connection that is not served.
    pub(crate) fn give_up(self: &Arc<Self>) {
        let Some(home) = &self.lane else { return };
        home.present.fetch_add(1, Ordering::AcqRel);
        self.end(home, false);
        self.part(home);
    }

    fn guarded(self: &Arc<Self>, home: &InLane, work: impl FnOnce(&InLane)) {
        Upcall::serve(self);
        if catch_unwind(AssertUnwindSafe(|| work(home))).is_err() {
            // A servant's drop panicked, say. The connection must not stay behind unserved.
            tracing::error!(peer = self.stream.peer(), "a serving thread panicked");
            Upcall::end();
            self.end(home, false);
        }
    }

    /// Reads and serves, until nothing more is there: the role comes back then, unless another
    /// thread has it or the connection has ended. If it `waits` there is always more to come.
    fn read_on(
        self: &Arc<Self>,
        home: &InLane,
        mut reading: Box<Reading>,
        waits: bool,
        kept: &mut Kept,
    ) -> Option<Box<Reading>> {
        loop {
            if self.closing.load(Ordering::Acquire) {
                self.end(home, true);
                return None;
            }
            let polled = reading.inbound.poll();
            #[cfg(feature = "buffers")]
            let polled = match polled {
                Ok(None) => Ok(self.borrow_end(&mut reading)),
                polled => polled,
            };
            match polled {
                Ok(Some(header)) => {
                    let done = self.attend(home, reading, &header, waits, kept);
                    trim(&mut kept.reply);
                    match done {
                        Ok(back) => reading = back.or_else(|| self.parked.take())?,
                        Err(error) => {
                            self.refuse(&error);
                            self.end(home, false);
                            return None;
                        }
                    }
                    continue;
                }
                Ok(None) => {}
                Err(error) => {
                    self.refuse(&error);
                    self.end(home, false);
                    return None;
                }
            }
            if !waits && reading.drained && !home.news.load(Ordering::SeqCst) {
                return Some(reading);
            }
            if !self.receive_more(home, &mut reading, waits) {
                return None;
            }
            if reading.drained && !waits && !reading.inbound.has_buffered() {
                return Some(reading);
            }
        }
    }

    /// Does what the current message asks, or has another thread do it.
    fn attend(
        self: &Arc<Self>,
        home: &InLane,
        reading: Box<Reading>,
        header: &MessageHeader,
        own_thread: bool,
        kept: &mut Kept,
    ) -> Result<Option<Box<Reading>>, ProtocolError> {
        let is_request = header.kind == MessageKind::Request;
        if is_request && home.lane.queues() {
            return self.hand_on(home, reading, header).map(Some);
        }
        let _permit = if is_request { home.lane.permit(own_thread) } else { None };
        self.process(reading, header, kept)
    }

    /// Receives what is there, or waits for it; `false` when the connection has ended.
    fn receive_more(&self, home: &InLane, reading: &mut Reading, waits: bool) -> bool {
        // Before it is looked for: what comes from now on is news again.
        home.news.store(false, Ordering::SeqCst);
        let at_end = home.at_end.load(Ordering::SeqCst);
        let inbound = &mut reading.inbound;
        let space = inbound.space();
        let room = space.len();
        let received = if waits {
            let limit = self.core.options().idle_timeout;
            home.lane.turn_ends();
            let received = self.wait.recv(&*self.stream, space, limit).map(Some);
            home.lane.turn_begins();
            received
        } else {
            self.stream.try_recv(space)
        };
        match received {
            Ok(None) => reading.drained = true,
            Ok(Some(0)) => {
                self.end(home, self.closing.load(Ordering::Acquire));
                return false;
            }
            Ok(Some(count)) => {
                inbound.advance(count);
                reading.drained = count < room && !at_end && self.stream.gives_all();
            }
            // Nothing for long: not the client's fault while a request of its is running.
            Err(error)
                if error.kind() == io::ErrorKind::TimedOut
                    && home.present.load(Ordering::Acquire) > 1 => {}
            Err(error) => {
                let idle = error.kind() == io::ErrorKind::TimedOut && inbound.is_idle();
                tracing::debug!(peer = self.stream.peer(), %error, "connection lost");
                self.end(home, idle);
                return false;
            }
        }
        true
    }

    /// Leaves the role where others of the lane find it, for the length of an upcall.
    pub(super) fn park_in_lane(self: &Arc<Self>, reading: Box<Reading>) {
        Upcall::begin();
        let Some(home) = &self.lane else { return };
        let behind = reading.inbound.has_buffered() || !reading.drained;
        // There is one role, so nothing comes back.
        drop(self.parked.put(reading));
        if !home.alone.load(Ordering::Acquire)
            && (behind || home.news.load(Ordering::SeqCst))
            && !home.nudged.swap(true, Ordering::SeqCst)
        {
            home.lane.nudge(self);
        }
    }

    /// Has nothing be read any more. Called by who has the reading role, or in its place.
    fn end(&self, home: &InLane, farewell: bool) {
        self.closing.store(true, Ordering::Release);
        if farewell {
            home.farewell.store(true, Ordering::Release);
        }
        home.ended.store(true, Ordering::Release);
    }

    /// Ends this thread's part in the connection; the last one out closes it.
    fn part(self: &Arc<Self>, home: &InLane) {
        if home.present.fetch_sub(1, Ordering::AcqRel) > 1
            || !home.ended.load(Ordering::Acquire)
            || home.finished.swap(true, Ordering::AcqRel)
        {
            return;
        }
        if home.farewell.load(Ordering::Acquire) && !self.parted.load(Ordering::Acquire) {
            self.say_goodbye();
        }
        self.core.forget_connection(self);
        home.lane.forget(self, home.place);
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}
