//! The reader: a thread that receives for a connection's pending requests when no caller does.
//!
//! It waits until the stream is readable, and only then receives, so that a caller that waits for its own reply
//! never waits for the reader. While a caller leads, what arrives does not wake the reader. Over a stream without a
//! descriptor it receives like a caller.
//!
//! For a single reply it locks the state twice: before it receives, and to find the request and decide what to wait for
//! next. The request ends before that wait, with the state unlocked.

use std::time::Duration;

use zorb_giop::Inbound;
use zorb_os::lock::Locked;
use zorb_os::poll::Arrival;

use super::leader::Led;
use super::pending_request::{Ending, Reader};
use super::{MultiplexedConnection, State, promote_caller};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::needed_thread::on_needed_thread;

/// How long requests may wait for their replies after a connection was closed.
const LAST_REPLIES: Duration = Duration::from_secs(1);

/// How long the reader receives over a stream without a descriptor before it looks for an earlier deadline.
const MAX_BLOCKED: Duration = Duration::from_millis(20);

/// A tick of the coarse clock, by which a time may seem shorter than it is.
const TICK: Duration = Duration::from_millis(10);

/// What the reader knows when it looks at the state of the connection.
#[derive(Debug)]
pub(super) struct Reading {
    /// The request of the reply that was received last, to be ended with the state unlocked.
    ending: Option<Ending>,
    /// When it has last stopped receiving or waiting.
    pub(super) now: LastReceived,
    /// Whether further replies may gather before it waits for them.
    pub(super) lets_gather: bool,
}

impl Reading {
    /// That of a reader which begins.
    pub(super) fn begin() -> Self {
        Self { ending: None, now: LastReceived::now(), lets_gather: false }
    }
}

impl MultiplexedConnection {
    /// Receives for pending requests until there have been none for `linger`, or the connection has ended.
    pub(super) fn read_pending(&self, linger: Duration) {
        let (mut closes_at, mut idle_since) = (None, None);
        // A caller may receive the last reply while this waits.
        let longest_round = linger.max(MAX_BLOCKED);
        let mut reading = Reading::begin();
        let mut state = self.state();
        loop {
            state.pending.reader = Reader::Runs;
            let has_ended = state.machine.ended().is_some();
            let calls_back = !state.pending.to_call_back.is_empty();
            let is_timed = state.pending.earliest.is_some() || state.closing;
            if calls_back || (reading.ending.is_some() && (has_ended || is_timed)) {
                let requests = std::mem::take(&mut state.pending.to_call_back);
                drop(state);
                if calls_back {
                    on_needed_thread(|| requests.iter().for_each(|request| request.call_back()));
                }
                drop(requests);
                self.end_received(&mut reading);
                reading.now = LastReceived::now();
                state = self.state();
                continue;
            }
            if state.pending.count == 0 {
                self.end_watching();
                if has_ended || state.closing {
                    if state.inbound.is_none() {
                        state = self.sleep_reader(state, Reader::Sleeps, None, &mut reading);
                        continue;
                    }
                    break;
                }
                // What begins meanwhile need not wake the reader.
                let has_begun = std::mem::take(&mut state.pending.has_begun);
                let since = match idle_since {
                    Some(since) if !has_begun => since,
                    _ => reading.now,
                };
                let left = since.left_of_at(reading.now, linger);
                idle_since = Some(since);
                if !left.is_zero() {
                    if !self.is_for_pending {
                        // What arrives is left to the callers that wait for their replies.
                        self.disarm(&mut state);
                    }
                    // A request that begins meanwhile may have a deadline, or wait as long as it may.
                    state.pending.wakes_at = None;
                    let limit = self.longest_wait.map_or(left, |longest| left.min(longest));
                    state = self.receive_pending(state, Some(limit), &mut reading);
                    continue;
                }
                if state.inbound.is_some() {
                    state.closing |= self.is_for_pending && state.is_unused();
                    break;
                }
                // A caller has the receive buffer.
                idle_since = None;
                let limit = Some(MAX_BLOCKED);
                state = self.sleep_reader(state, Reader::Sleeps, limit, &mut reading);
                continue;
            }
            idle_since = None;
            let now = if is_timed { self.opened.elapsed() } else { Duration::ZERO };
            if has_ended || state.pending.earliest.is_some_and(|earliest| earliest <= now) {
                drop(state);
                self.fail_pending();
                state = self.state();
                if has_ended && state.pending.count > 0 {
                    // Requests that are about to be sent, and will find that it has ended.
                    let limit = Some(MAX_BLOCKED);
                    state = self.sleep_reader(state, Reader::Idle, limit, &mut reading);
                }
                continue;
            }
            let mut limit = state.pending.earliest.map(|earliest| earliest.saturating_sub(now));
            if state.closing {
                let ends = *closes_at.get_or_insert(now + LAST_REPLIES);
                if ends <= now {
                    // Callers that wait for their replies get them.
                    if state.users == 0 {
                        self.end(&mut state, NoReply::Lost(None));
                    } else {
                        closes_at = Some(now + LAST_REPLIES);
                    }
                    continue;
                }
                limit = Some(limit.unwrap_or(Duration::MAX).min(ends.saturating_sub(now)));
            }
            state.pending.wakes_at = limit.and_then(|limit| now.checked_add(limit));
            if let Some(longest) = self.longest_wait {
                let oldest = state.pending.oldest.unwrap_or(reading.now);
                let rest = oldest.left_of_at(reading.now, longest);
                if rest.is_zero() {
                    self.limit_oldest(&mut state, longest);
                    continue;
                }
                let rest = rest.saturating_add(TICK);
                limit = Some(limit.map_or(rest, |limit| limit.min(rest)));
            }
            let limit = limit.map_or(longest_round, |limit| limit.min(longest_round));
            state = self.receive_pending(state, Some(limit), &mut reading);
        }
        state.pending.reader = Reader::Missing;
        state.closing |= self.beyond_limit && state.is_unused();
        let last = state.closing && state.is_unused() && state.machine.ended().is_none();
        drop(state);
        self.end_received(&mut reading);
        if last {
            self.send_close();
        }
    }

    fn sleep_reader<'s>(
        &self,
        mut state: Locked<'s, State>,
        reader: Reader,
        limit: Option<Duration>,
        reading: &mut Reading,
    ) -> Locked<'s, State> {
        state.pending.reader = reader;
        let state = match limit {
            Some(limit) => self.reader_wake.wait_for(state, limit),
            None => self.reader_wake.wait(state),
        };
        reading.now = LastReceived::now();
        state
    }

    /// Waits for octets, at most for `limit`, and receives them if no caller does. Ends the request of the reply that
    /// was received last before that, perhaps instead, and leaves that of the next one to the caller, which has to end it
    /// with the state unlocked.
    pub(super) fn receive_pending<'s>(
        &'s self,
        mut state: Locked<'s, State>,
        limit: Option<Duration>,
        reading: &mut Reading,
    ) -> Locked<'s, State> {
        if reading.ending.is_some() && (self.reads_ahead || self.arrivals.get().is_none()) {
            // Its function may call over this connection, and needs the receive buffer then.
            drop(state);
            self.end_received(reading);
            reading.now = LastReceived::now();
            return self.state();
        }
        let is_led = state.inbound.is_none();
        let waits = match self.arrivals.get() {
            // Somebody may have begun to watch since it received.
            Some(arrivals)
                if std::mem::take(&mut reading.lets_gather) && !is_led && !self.is_watched() =>
            {
                return self.gather(state, arrivals, limit, reading);
            }
            Some(arrivals) => {
                if is_led {
                    // Its leader has begun while replies gathered.
                    self.disarm(&mut state);
                }
                if is_led || !(self.reads_ahead && self.stream.is_readable()) {
                    state.pending.reader = Reader::Polls;
                    if !is_led && state.pending.count > 0 {
                        self.arm(&mut state);
                    }
                    drop(state);
                    self.end_received(reading);
                    let arrival = arrivals.wait(limit).unwrap_or(Arrival::Nothing);
                    state = self.state();
                    state.pending.reader = Reader::Runs;
                    match arrival {
                        Arrival::Nothing => {
                            reading.now = LastReceived::now();
                            return state;
                        }
                        Arrival::Octets => {}
                        // To be reported again if there are octets before it.
                        Arrival::End => self.disarm(&mut state),
                    }
                }
                None
            }
            None if is_led => return self.sleep_reader(state, Reader::Sleeps, limit, reading),
            None if state.pending.count == 0 => {
                return self.sleep_reader(state, Reader::Idle, limit, reading);
            }
            None => Some(limit.unwrap_or(MAX_BLOCKED).min(MAX_BLOCKED)),
        };
        // Nobody else receives meanwhile, so it stays armed.
        let Some(mut inbound) = self.begin_to_receive(&mut state) else {
            reading.now = LastReceived::now();
            return state;
        };
        drop(state);
        let led;
        (state, led) = self.lead_once(&mut inbound, waits, reading);
        state.end_leading(inbound);
        match led {
            Ok(is_drained) => {
                if !is_drained {
                    // What is left would not be reported again.
                    self.disarm(&mut state);
                }
                if let Some(promoted) = promote_caller(&mut state) {
                    drop(state);
                    promoted.notify_one();
                    state = self.state();
                }
            }
            Err(reason) => self.end(&mut state, reason),
        }
        state
    }

    /// Receives once, and passes on the messages that are complete then. Waits at most `waits` for octets; with `None`,
    /// does not wait: there are octets, unless a caller has taken them. Returns whether the stream is drained, with the
    /// state locked.
    fn lead_once<'s>(
        &'s self,
        inbound: &mut Inbound,
        waits: Option<Duration>,
        reading: &mut Reading,
    ) -> (Locked<'s, State>, Result<bool, NoReply>) {
        let (mut is_drained, mut octets) = (false, None);
        // Without a wait, what follows is received at this time.
        let mut now = LastReceived::now();
        let received_at = now;
        let mut receive = |inbound: &mut Inbound| {
            let space = inbound.space();
            let room = space.len();
            let received = match waits {
                None => self.stream.try_recv(space),
                Some(limit) => {
                    let received = self
                        .limit_receiving(Some(limit))
                        .and_then(|()| self.wait.recv(&*self.stream, space, Some(limit)));
                    now = LastReceived::now();
                    received.map(Some)
                }
            };
            match received {
                Ok(Some(0)) => return Err(NoReply::Lost(None)),
                Ok(Some(count)) => {
                    is_drained = count < room && !self.reads_ahead;
                    octets = Some(count);
                    inbound.advance(count);
                }
                Ok(None) => is_drained = !self.reads_ahead,
                Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {}
                Err(error) => return Err(NoReply::Lost(Some(error))),
            }
            Ok(now)
        };
        let Led { state, led } =
            self.lead(inbound, None, received_at, &mut receive, &mut reading.ending);
        reading.now = now;
        // Nobody waits for what is in the middle of a message, but it is large.
        reading.lets_gather = is_drained
            && octets.is_some_and(|octets| self.lets_gather(octets))
            && inbound.is_idle();
        (state, led.map(|()| is_drained))
    }

    /// Ends the request of the reply that was received last. Called by the reader with the state unlocked.
    #[inline]
    pub(super) fn end_received(&self, reading: &mut Reading) {
        if let Some(ending) = reading.ending.take()
            && let Some(calls_back) = ending.end()
        {
            on_needed_thread(|| calls_back.call_back());
        }
    }
}
