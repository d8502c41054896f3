//! What a call learns once its request has been sent, or the connection has ended meanwhile.

use std::sync::Arc;

use zorb_cdr::TextCoding;

use super::super::connection::LastReceived;
use super::super::multiplexed::{Ended, MultiplexedConnection};
use super::super::redirections::Redirections;
use super::arguments::KeptArguments;
use super::call::PendingCall;
use super::operation_call::Attempted;
use super::sending::BodyStart;
use super::state::{SendState, State, Then};

/// A request that its thread has sent.
pub(super) struct SentRequest<'a> {
    pub(super) attempt: Attempted,
    /// When it began.
    pub(super) begun: LastReceived,
    pub(super) redirections: Redirections,
    /// The encoded arguments, and where they begin; `None` if there are none to be kept.
    pub(super) arguments: Option<(&'a [u8], BodyStart)>,
    /// The connection and the id of the request; `None` if the reader ends it, because it was not sent as a whole.
    pub(super) over: Option<(Arc<MultiplexedConnection>, u32)>,
}

/// What has happened to a call while its request was sent.
pub(super) struct Noted {
    /// Whether the reader has left its failure to the thread that has sent it.
    pub(super) is_left: bool,
    /// Whether somebody waits for its end, or is to be told.
    pub(super) is_watched: bool,
    is_cancelled: bool,
    has_ended: bool,
}

impl SentRequest<'_> {
    /// Stores it in its call, which is no longer being sent.
    pub(super) fn note(self, call: &PendingCall) -> Noted {
        let mut state = call.state.lock();
        // Then it will not be sent again.
        let is_answered = state.answer.is_some()
            || state.ended_while_sent.as_ref().is_some_and(Ended::has_result);
        if let Some((octets, BodyStart { at, text })) = self.arguments
            && !is_answered
        {
            call.keep(&mut state, KeptArguments::copy_of(octets, at, text));
        }
        state.first.get_or_insert(self.begun);
        state.redirections = self.redirections;
        state.attempt = self.attempt;
        if self.over.is_some() {
            state.over = self.over;
        }
        let is_watched = !matches!(state.then, Then::Nobody) || call.ended.is_awaited();
        Noted { is_watched, ..Noted::in_state(&mut state) }
    }
}

impl PendingCall {
    /// Notes that the request was sent over an open connection, with this id there. The reply may have ended the call.
    #[inline]
    pub(super) fn sent_at_once(
        self: &Arc<Self>,
        text: TextCoding,
        arguments: KeptArguments,
        begun: LastReceived,
        over: Option<(Arc<MultiplexedConnection>, u32)>,
    ) {
        let mut state = self.state.lock();
        state.attempt.text = text;
        state.first = Some(begun);
        if state.answer.is_none() {
            state.over = over;
            match arguments {
                // As those of most calls.
                KeptArguments::Empty => state.arguments = KeptArguments::Empty,
                arguments => self.keep(&mut state, arguments),
            }
        }
        let noted = Noted::in_state(&mut state);
        drop(state);
        noted.end(self);
    }

    fn keep(&self, state: &mut State, arguments: KeptArguments) {
        if let Some(counted) = &self.counted {
            // Those of the attempt before.
            counted.release();
            counted.retain(arguments.len());
        }
        state.arguments = arguments;
    }
}

impl Noted {
    /// Ends the sending.
    #[inline]
    fn in_state(state: &mut State) -> Self {
        state.sending = SendState::Sent;
        Self {
            is_left: std::mem::take(&mut state.is_left),
            // Its caller does not have it yet.
            is_watched: false,
            is_cancelled: state.is_cancelled,
            has_ended: state.ended_while_sent.is_some(),
        }
    }

    /// Ends the call, or its request, if either has happened, or has the reader do so. The thread does not use the
    /// connection any more.
    #[inline]
    pub(super) fn end(self, call: &Arc<PendingCall>) {
        if self.is_cancelled || self.has_ended || self.is_left {
            call.end_sent(self.is_left);
        }
    }
}

impl PendingCall {
    #[cold]
    fn end_sent(self: &Arc<Self>, is_left: bool) {
        let mut state = self.state.lock();
        let (ended, over) = (state.ended_while_sent.take(), state.over.clone());
        if state.is_cancelled {
            drop(state);
            return self.cancel();
        }
        let Some(ended) = ended else {
            drop(state);
            if let Some((connection, _)) = over.filter(|_| is_left) {
                connection.end_left();
            }
            return;
        };
        if self.end_request(state, ended) {
            self.run_call_back();
        }
    }
}
