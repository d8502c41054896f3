//! The requests of pending calls of a connection: their beginning and their end.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::calling_lane::CallingLane;
use zorb_base::threads::ThreadCount;
use zorb_os::poll::Arrivals;
use zorb_os::priority;
use zorb_transport::MAX_LATENESS;

use super::leader::Led;
use super::pending_request::{Ending, PendingRequest, Reader};
use super::{Follower, MultiplexedCall, MultiplexedConnection, State, copied, notify};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::longest_wait::Wait;
use crate::client::time_limit::TimeLimit;

impl MultiplexedCall {
    /// Makes `request` get the reply of the request that begins next. Starts the connection's reader if there is none, in
    /// the lane and with the priority of the calling thread; it ends when the connection has had no pending requests for
    /// `linger`.
    ///
    /// # Errors
    /// The reader could not be started.
    pub(in crate::client) fn reply_to(
        &mut self,
        request: Arc<dyn PendingRequest>,
        threads: &Arc<ThreadCount>,
        linger: Duration,
    ) -> io::Result<()> {
        self.pending = Some(request);
        match std::mem::take(&mut self.needs_reader) {
            true => self.connection.start_reader(threads, linger),
            false => Ok(()),
        }
    }

    /// Makes the longest wait for the reply count since the `first` request of its call.
    #[cold]
    pub(in crate::client) fn waits_since(&mut self, first: LastReceived) {
        self.begun = Some(first);
    }

    /// Ends the use by a request that was sent. Its reply, or its failure, goes to the [`PendingRequest`].
    #[inline]
    pub(in crate::client) fn detach(&mut self) {
        self.id = None;
        self.is_counted = false;
        let Some(mut buffers) = self.buffers.take() else { return };
        buffers.trim();
        let connection = &self.connection;
        if self.is_user {
            connection.leave_with(connection.state(), buffers);
        } else if let Some(others) = connection.spare.put(buffers) {
            connection.state().keep(others);
        }
    }

    /// The connection.
    pub(in crate::client) const fn connection(&self) -> &Arc<MultiplexedConnection> {
        &self.connection
    }

    /// Takes the request back, so that its [`PendingRequest`] gets nothing; `false` if it has ended meanwhile.
    #[cold]
    pub(in crate::client) fn take_back(&mut self) -> bool {
        self.pending = None;
        if !std::mem::take(&mut self.is_counted) {
            return false;
        }
        let mut state = self.connection.state();
        let is_there = self.id.take().is_none_or(|id| state.machine.finish(id).is_some());
        state.pending.count -= usize::from(is_there);
        self.connection.publish_load(&state);
        is_there
    }
}

impl MultiplexedConnection {
    /// Starts the reader if there is none, in the lane and with the priority of the calling thread. Of several callers,
    /// one starts it, and if it cannot, the next one tries.
    #[cold]
    fn start_reader(
        self: &Arc<Self>,
        threads: &Arc<ThreadCount>,
        linger: Duration,
    ) -> io::Result<()> {
        let _alone = self.starting.lock();
        if self.state().pending.reader != Reader::Missing {
            return Ok(());
        }
        if self.arrivals.get().is_none()
            && let Some(stream) = self.stream.readiness_fd()
            && let Ok(arrivals) = Arrivals::new(stream)
        {
            let _ = self.arrivals.set(arrivals);
        }
        let (schedule, lane) = (priority::current().ok(), CallingLane::of_caller());
        let reads = Arc::clone(self);
        let body = move || {
            // The program's functions for replies make their calls over the lane's connections.
            let _in_lane = lane.as_ref().map(CallingLane::enter);
            // If that is not permitted, it has the system's default.
            let _ = schedule.map(priority::set);
            reads.read_pending(linger);
        };
        threads.spawn("zorb-replies", body)?;
        // It does not end as long as the caller's request counts.
        let mut state = self.state();
        if state.pending.reader == Reader::Missing {
            state.pending.reader = Reader::Runs;
        }
        Ok(())
    }

    /// Counts a request whose caller does not wait, and lets the reader wait for its reply; `true` if there is none.
    #[inline]
    pub(super) fn count_pending(&self, state: &mut State) -> bool {
        state.pending.count += 1;
        state.pending.has_begun = true;
        match state.pending.reader {
            Reader::Missing => return true,
            Reader::Idle => self.wake_reader(state),
            Reader::Polls if !state.pending.is_armed => self.arm_unless_led(state),
            _ => {}
        }
        false
    }

    #[inline(never)]
    fn arm_unless_led(&self, state: &mut State) {
        if state.inbound.is_some() {
            self.arm(state);
        }
    }

    /// Receives for all until the pending request has ended, which has the time limit `own`, or until `deadline`; `false` if
    /// it has not received, because another thread does, the request is about to end, or the time is over.
    pub(in crate::client) fn receive_for_pending(
        &self,
        id: u32,
        request: *const (),
        own: TimeLimit,
        deadline: Option<Instant>,
    ) -> bool {
        let mut state = self.state();
        let begun = state.begun(id, request).filter(|_| state.machine.ended().is_none());
        let Some(wait) = begun.and_then(|begun| self.wait_until(begun, own, deadline)) else {
            return false;
        };
        let Some(mut inbound) = self.begin_to_lead(&mut state) else {
            state.leader.inherit();
            self.watch_in(&mut state);
            return false;
        };
        drop(state);
        let mut ending = None;
        let Led { mut state, led } = self.lead_for(&mut inbound, id, &wait, &mut ending);
        state.end_leading(inbound);
        let has_received = led.is_ok();
        let promoted = match led {
            // The reader ends the request when its time is over.
            Ok(()) | Err(NoReply::TimedOut) => self.promote(&mut state),
            Err(reason) => {
                self.end(&mut state, reason);
                None
            }
        };
        if state.closing && state.pending.count == 0 {
            // The reader closes the connection.
            self.wake_reader(&mut state);
        }
        drop(state);
        notify(promoted);
        drop(ending);
        has_received
    }

    /// When it was opened; the state machine's time starts here.
    #[inline]
    pub(in crate::client) const fn opened(&self) -> Instant {
        self.opened
    }

    /// The wait for a request that has `begun`, until its own limit or until `deadline`; `None` if that has passed. It ends
    /// no later than the request: the reader, which ends that, cannot wake a thread that receives.
    fn wait_until(
        &self,
        begun: LastReceived,
        own: TimeLimit,
        deadline: Option<Instant>,
    ) -> Option<Wait> {
        let since_begun = |limit| Wait::since(begun, limit, self.longest_wait);
        let Some(deadline) = deadline.filter(|it| own.deadline().is_none_or(|own| *it < own))
        else {
            return Some(since_begun(own));
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let longest = self.longest_wait.filter(|_| own.deadline().is_none());
        match longest {
            _ if left.is_zero() => None,
            Some(longest) if begun.left_of(longest) < left => Some(since_begun(TimeLimit::NONE)),
            _ => Some(since_begun(TimeLimit::new(Some(left)))),
        }
    }

    /// Notes the deadline of a pending request that has begun.
    #[cold]
    pub(super) fn pending_begun(&self, state: &mut State, deadline: Option<Duration>) {
        let Some(deadline) = deadline else { return };
        let pending = &mut state.pending;
        pending.earliest = Some(pending.earliest.map_or(deadline, |known| known.min(deadline)));
        if pending.wakes_at.is_none_or(|wakes| deadline < wakes) {
            self.wake_reader(state);
        }
    }

    /// Removes the pending request with this id, which is to be ended.
    #[cold]
    pub(super) fn take_pending(
        &self,
        state: &mut State,
        id: u32,
    ) -> Option<Arc<dyn PendingRequest>> {
        let Some(Follower::Pending { request, .. }) = state.machine.finish(id) else { return None };
        state.pending.count -= 1;
        self.publish_load(state);
        Some(request)
    }

    /// Ends a pending request, and lets the reader call the program back if it wants that. The calling thread leads or is the
    /// reader, which does not end meanwhile.
    #[inline]
    pub(super) fn end_pending(&self, ending: Ending) {
        if let Some(calls_back) = ending.end() {
            let mut state = self.state();
            state.pending.to_call_back.push(calls_back);
            self.wake_reader(&mut state);
        }
    }

    /// Ends a request that the reader has [left](PendingRequest::leave) to the calling thread, which has sent it.
    #[cold]
    pub(in crate::client) fn end_left(&self) {
        let mut state = self.state();
        state.pending.earliest = Some(Duration::ZERO);
        self.wake_reader(&mut state);
    }

    /// Stops omitting parts of requests; returns whether parts were omitted.
    #[cold]
    pub(in crate::client) fn send_in_full(&self) -> bool {
        self.state().machine.session().disable_abbreviation()
    }

    /// Ends a pending request for which nobody waits any more, and tells the server, unless it has ended.
    pub(in crate::client) fn cancel_pending(&self, id: u32, request: *const ()) {
        let mut state = self.state();
        if state.begun(id, request).is_none() {
            return;
        }
        let cancelled = state.machine.cancel(id);
        state.pending.count -= 1;
        self.publish_load(&state);
        drop(state);
        drop(cancelled);
        let _ = self.send_cancels();
    }

    /// Sends the CancelRequests that wait, without waiting for a server that does not read.
    #[cold]
    pub(super) fn send_cancels(&self) -> io::Result<()> {
        loop {
            let mut octets = Vec::new();
            if !self.state().machine.poll_transmit(&mut octets) {
                return Ok(());
            }
            self.lock_sending(Instant::now().checked_add(MAX_LATENESS))?;
            let sent = self.limit_sending(Some(MAX_LATENESS));
            let sent = sent.and_then(|()| self.send_or_skip(&octets));
            self.sending.unlock();
            sent?;
        }
    }

    /// Sends a message unless the stream takes nothing of it now. The caller has locked sending.
    fn send_or_skip(&self, octets: &[u8]) -> io::Result<()> {
        let sent = self.stream.try_send(octets).and_then(|sent| {
            let rest = octets.get(sent..).unwrap_or_default();
            // If the server does not read, it gets no CancelRequest. Other calls go on.
            if sent == 0 || rest.is_empty() { Ok(()) } else { self.stream.send_all(rest) }
        });
        if let Err(error) = &sent {
            // Part of the message may have been sent, so the server would misread what follows.
            self.end(&mut self.state(), NoReply::Lost(Some(copied(error))));
        }
        sent
    }
}
