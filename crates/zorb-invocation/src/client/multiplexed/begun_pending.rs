//! The request of a pending call, on the thread that sends it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use zorb_cdr::TextCoding;
use zorb_giop::{NewRequest, RequestBuffer};
use zorb_os::probe;

use super::pending_request::Reader;
use super::state::CallBuffers;
use super::{Follower, MultiplexedCall, MultiplexedConnection, PendingRequest, copied};
use crate::client::connection::{LastReceived, NoReply};
use crate::client::time_limit::TimeLimit;

/// A request that has begun at once. Unless it is [sent](Self::sent) or [fails](Self::into_call), dropping this takes it
/// back.
#[derive(Debug)]
pub(in crate::client) struct BegunPending {
    pub(in crate::client) text: TextCoding,
    pub(in crate::client) begun: LastReceived,
    buffers: Box<CallBuffers>,
    unsent: Unsent,
}

/// Takes a request back when it is dropped.
#[derive(Debug)]
struct Unsent {
    /// `None` once it was sent, or has failed.
    connection: Option<Arc<MultiplexedConnection>>,
    id: u32,
}

impl MultiplexedConnection {
    /// Begins a request whose caller does not wait, if fewer than `most` such requests are without a reply, there is a reader,
    /// and nothing is to be waited for, checked or announced. `pending` is what gets the reply. It counts as sent already.
    #[inline(always)] // 2 % of a pending call
    pub(in crate::client) fn begin_pending<P: PendingRequest + 'static>(
        self: Arc<Self>,
        most: usize,
        request: &NewRequest<'_>,
        pending: &Arc<P>,
    ) -> Option<BegunPending> {
        let now = LastReceived::now();
        let mut state = self.state();
        let can_begin = !state.closing
            && state.waiting.is_empty()
            && (!state.is_unused() || state.last_received.is_known_to_work_at(now))
            && state.users < self.max_calls
            && state.pending.count < most
            && state.pending.reader != Reader::Missing;
        if !can_begin {
            return None;
        }
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
        let unsent = Unsent { connection: Some(self), id: begun.request_id };
        Some(BegunPending { text: begun.text, begun: now, buffers, unsent })
    }

    /// Sends a message. The caller has locked sending.
    #[inline]
    fn send_locked(&self, octets: &[u8], time_limit: &TimeLimit) -> io::Result<()> {
        let limit = time_limit.next_wait()?;
        probe!(MessagingSend);
        let sent = match self.stream.try_send(octets) {
            Ok(count) if count == octets.len() => Ok(()),
            Ok(count) => self.send_rest(octets.get(count..).unwrap_or_default(), limit),
            Err(error) => Err(error),
        };
        probe!(TransportSend);
        if let Err(error) = &sent {
            // Part of the message may have been sent, so the server would misread what follows.
            self.end(&mut self.state(), NoReply::Lost(Some(copied(error))));
        }
        sent
    }

    /// Sends the rest of a message that the stream has taken in part.
    #[cold]
    fn send_rest(&self, octets: &[u8], limit: Option<Duration>) -> io::Result<()> {
        self.limit_sending(limit)?;
        self.stream.send_all(octets)
    }
}

impl BegunPending {
    /// The id of the request.
    #[inline]
    pub(in crate::client) const fn id(&self) -> u32 {
        self.unsent.id
    }

    /// The buffer for the request.
    #[inline]
    pub(in crate::client) fn outgoing(&mut self) -> &mut RequestBuffer {
        &mut self.buffers.outgoing
    }

    /// The octets of the request from `at` on.
    #[inline]
    pub(in crate::client) fn octets_from(&self, at: usize) -> &[u8] {
        self.buffers.outgoing.octets().get(at..).unwrap_or_default()
    }

    /// Sends the request in the buffer.
    #[inline]
    pub(in crate::client) fn send(&self, time_limit: &TimeLimit) -> io::Result<()> {
        let Some(connection) = &self.unsent.connection else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        let _alone = connection.begin_sending(|| time_limit.deadline())?;
        connection.send_locked(self.buffers.outgoing.octets(), time_limit)
    }

    /// Ends the use of the connection by the request, which was sent. Its reply, or its failure, goes to the
    /// [`PendingRequest`]. Returns the connection, and the id of the request.
    #[inline]
    pub(in crate::client) fn sent(self) -> Option<(Arc<MultiplexedConnection>, u32)> {
        let Self { mut buffers, mut unsent, .. } = self;
        let connection = unsent.connection.take()?;
        buffers.trim();
        if let Some(others) = connection.spare.put(buffers) {
            connection.state().keep(others);
        }
        Some((connection, unsent.id))
    }

    /// The call of a request that was not sent.
    #[cold]
    pub(in crate::client) fn into_call(self) -> Option<MultiplexedCall> {
        let Self { begun, buffers, mut unsent, .. } = self;
        let connection = unsent.connection.take()?;
        connection.state().machine.unsent(unsent.id);
        let mut call = MultiplexedCall::of_begun(connection, buffers, unsent.id);
        call.waits_since(begun);
        Some(call)
    }
}

impl Unsent {
    #[cold]
    fn take_back(connection: Arc<MultiplexedConnection>, id: u32) {
        drop(MultiplexedCall::of_begun(connection, Box::default(), id));
    }
}

impl Drop for Unsent {
    #[inline]
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            Self::take_back(connection, self.id);
        }
    }
}
