//! A request whose caller does not wait, on the thread that sends it.

use std::io;
use std::sync::Arc;

use zorb_cdr::TextCoding;
use zorb_giop::{NewRequest, RequestBuffer};
use zorb_os::probe;

use super::pending_request::Reader;
use super::state::CallBuffers;
use super::{Follower, MultiplexedCall, MultiplexedConnection, PendingRequest, copied};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::request_octets::CountedOctets;
use crate::client::time_limit::TimeLimit;

/// A request that has begun at once. Unless it is [sent](Self::sent) or [fails](Self::into_call), dropping this takes it
/// back.
#[derive(Debug)]
pub(in crate::client) struct BegunPending {
    pub(in crate::client) id: u32,
    pub(in crate::client) text: TextCoding,
    /// `None` at its end.
    parts: Option<Parts>,
}

#[derive(Debug)]
struct Parts {
    connection: Arc<MultiplexedConnection>,
    buffers: Box<CallBuffers>,
    /// Its octets, if it is large.
    octets: Option<CountedOctets>,
}

impl MultiplexedConnection {
    /// Begins a request whose caller does not wait, if fewer than `most` such requests are without a reply, there is a reader,
    /// and nothing is to be waited for, checked or announced. `pending` is what gets the reply. It counts as sent already.
    #[inline]
    pub(in crate::client) fn begin_pending<P: PendingRequest + 'static>(
        self: Arc<Self>,
        most: usize,
        request: &NewRequest<'_>,
        pending: &Arc<P>,
    ) -> Option<BegunPending> {
        let mut state = self.state();
        let can_begin = !state.closing
            && state.waiting.is_empty()
            && (!state.is_unused() || state.last_received.is_known_to_work())
            && state.users < self.max_calls
            && state.pending.count < most
            && state.pending.reader != Reader::Missing;
        if !can_begin {
            return None;
        }
        let now = LastReceived::now();
        let follower = || Follower::Pending { request: Arc::<P>::clone(pending), begun: now };
        let begun = state.machine.begin_sent(request, follower)?;
        state.pending.oldest.get_or_insert(now);
        self.count_pending(&mut state);
        if request.deadline.is_some() {
            self.pending_begun(&mut state, request.deadline);
        }
        self.publish_load(&state);
        let buffers = self.spare.take().or_else(|| state.idle.pop());
        drop(state);
        let buffers = buffers.unwrap_or_default();
        let parts = Some(Parts { connection: self, buffers, octets: None });
        Some(BegunPending { id: begun.request_id, text: begun.text, parts })
    }

    /// Sends a message. The caller has locked sending.
    #[inline]
    fn send_locked(&self, octets: &[u8], time_limit: &TimeLimit) -> io::Result<()> {
        self.stream.set_send_timeout(time_limit.next_wait()?.or(self.longest_wait))?;
        probe!(MessagingSend);
        let sent = self.stream.send_all(octets);
        probe!(TransportSend);
        if let Err(error) = &sent {
            // Part of the message may have been sent, so the server would misread what follows.
            self.end(&mut self.state(), NoReply::Lost(Some(copied(error))));
        }
        sent
    }
}

impl BegunPending {
    /// The buffer for the request.
    #[inline]
    pub(in crate::client) fn outgoing(&mut self) -> Option<&mut RequestBuffer> {
        self.parts.as_mut().map(|parts| &mut parts.buffers.outgoing)
    }

    /// The octets of the request from `at` on.
    #[inline]
    pub(in crate::client) fn octets_from(&self, at: usize) -> &[u8] {
        let octets = self.parts.as_ref().map(|parts| parts.buffers.outgoing.octets());
        octets.and_then(|octets| octets.get(at..)).unwrap_or_default()
    }

    /// Keeps what counts the octets of a large request until its end.
    pub(in crate::client) fn keep(&mut self, counted: CountedOctets) {
        if let Some(parts) = &mut self.parts {
            parts.octets = Some(counted);
        }
    }

    /// The connection.
    #[inline]
    pub(in crate::client) fn connection(&self) -> Option<&Arc<MultiplexedConnection>> {
        self.parts.as_ref().map(|parts| &parts.connection)
    }

    /// Sends the request in the buffer.
    #[inline]
    pub(in crate::client) fn send(&self, time_limit: &TimeLimit) -> io::Result<()> {
        let Some(Parts { connection, buffers, .. }) = &self.parts else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        connection.lock_sending(time_limit.deadline())?;
        let sent = connection.send_locked(buffers.outgoing.octets(), time_limit);
        connection.sending.unlock();
        sent
    }

    /// Ends the use of the connection by the request, which was sent. Its reply, or its failure, goes to the
    /// [`PendingRequest`].
    #[inline]
    pub(in crate::client) fn sent(&mut self) {
        let Some(Parts { connection, mut buffers, .. }) = self.parts.take() else { return };
        buffers.trim();
        if let Some(others) = connection.spare.put(buffers) {
            connection.state().keep(others);
        }
    }

    /// The call of a request that was not sent.
    #[cold]
    pub(in crate::client) fn into_call(mut self) -> Option<MultiplexedCall> {
        let Parts { connection, buffers, .. } = self.parts.take()?;
        connection.state().machine.unsent(self.id);
        Some(MultiplexedCall::of_begun(connection, buffers, self.id))
    }
}

impl Parts {
    #[cold]
    fn take_back(self, id: u32) {
        drop(MultiplexedCall::of_begun(self.connection, self.buffers, id));
    }
}

impl Drop for BegunPending {
    #[inline]
    fn drop(&mut self) {
        if let Some(parts) = self.parts.take() {
            parts.take_back(self.id);
        }
    }
}
