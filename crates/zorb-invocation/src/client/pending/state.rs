//! What a pending call learns after it has begun: its attempts, and how it has ended.

use std::sync::Arc;
use std::task::Waker;

use zorb_giop::ReplyStatus;
use zorb_types::SystemException;

use super::super::connection::LastReceived;
use super::super::multiplexed::{Ended, MultiplexedConnection, PendingReply, has_result};
use super::super::redirections::Redirections;
use super::arguments::KeptArguments;
use super::operation_call::{Attempted, OperationCall};

/// A function for a call that has ended.
pub(super) type CallBack = Box<dyn FnOnce(&OperationCall, Taken) + Send>;

/// The state of a call.
pub(super) struct State {
    /// The reference and the route of its last attempt.
    pub(super) attempt: Attempted,
    /// When its first request began: the longest wait is for all attempts together.
    pub(super) first: Option<LastReceived>,
    pub(super) sending: SendState,
    pub(super) ended_while_sent: Option<Ended>,
    /// Whether the connection's reader has left its failure to the thread that sends it.
    pub(super) is_left: bool,
    /// The connection and the id of its request, while it may be cancelled.
    pub(super) over: Option<(Arc<MultiplexedConnection>, u32)>,
    pub(super) arguments: KeptArguments,
    pub(super) redirections: Redirections,
    pub(super) answer: Option<Answer>,
    pub(super) then: Then,
    /// Whether nobody will take the result.
    pub(super) is_cancelled: bool,
}

/// Whether a thread sends a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendState {
    /// None does: it was sent.
    Sent,
    /// One does, over a connection that is open. The attempt is known: a reply may end the call. Its failure waits for that
    /// thread.
    AtOnce,
    /// One does. What ends it meanwhile waits for that thread.
    Sending,
}

/// How a call has ended.
pub(super) enum Answer {
    Reply(PendingReply),
    Failed(SystemException),
}

/// How a call has ended, taken by who reads its result.
pub(super) struct Taken {
    pub(super) answer: Answer,
    pub(super) attempt: Attempted,
}

/// How a call has ended.
#[derive(Clone, Copy)]
pub(super) struct EndedCall<'a> {
    pub(super) answer: &'a Answer,
    pub(super) attempt: &'a Attempted,
}

impl Taken {
    #[inline]
    pub(super) const fn as_ended(&self) -> EndedCall<'_> {
        EndedCall { answer: &self.answer, attempt: &self.attempt }
    }
}

/// What to notify when a call has ended.
#[derive(Default)]
pub(super) enum Then {
    #[default]
    Nobody,
    Wake(Waker),
    CallBack(CallBack),
}

impl State {
    /// That of a call which is about to be sent.
    #[inline]
    pub(super) const fn new(
        attempt: Attempted,
        redirections: Redirections,
        sending: SendState,
    ) -> Self {
        Self {
            attempt,
            first: None,
            sending,
            ended_while_sent: None,
            is_left: false,
            over: None,
            arguments: KeptArguments::None,
            redirections,
            answer: None,
            then: Then::Nobody,
            is_cancelled: false,
        }
    }

    /// Whether a reply with this status ends the call, whose request is not to be sent again.
    #[inline]
    pub(super) fn is_ended_by(&self, status: ReplyStatus) -> bool {
        has_result(status)
            || (status == ReplyStatus::SystemException
                && (self.attempt.forwarded.is_none() || !self.redirections.may_fall_back()))
    }

    /// How it has ended, if it has.
    #[inline]
    pub(super) fn ended(&self) -> Option<EndedCall<'_>> {
        Some(EndedCall { answer: self.answer.as_ref()?, attempt: &self.attempt })
    }

    #[inline]
    pub(super) fn take(&mut self) -> Option<Taken> {
        let answer = self.answer.take()?;
        Some(Taken { answer, attempt: std::mem::take(&mut self.attempt) })
    }
}
