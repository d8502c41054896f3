//! One pending call.

use std::fmt;
use std::sync::Arc;

use zorb_os::lock::{Condition, Lock};
use zorb_types::SystemException;

use super::count::CountedCall;
use super::operation_call::OperationCall;
use super::state::{Answer, State};

/// A call whose caller does not wait. Its reply is stored in it, undecoded.
pub(super) struct PendingCall {
    pub(super) of: OperationCall,
    /// `None` if it was refused.
    pub(super) counted: Option<CountedCall>,
    pub(super) state: Lock<State>,
    pub(super) ended: Condition,
}

impl PendingCall {
    /// A call that the calling thread is about to send.
    #[inline]
    pub(super) fn new(of: OperationCall, counted: Option<CountedCall>, state: State) -> Arc<Self> {
        Arc::new(Self { of, counted, state: Lock::new(state), ended: Condition::new() })
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state.lock().answer.is_some()
    }

    /// The same for a caller that looks again later.
    pub(super) fn look_whether_ended(&self) -> bool {
        let state = self.state.lock();
        let has_ended = state.answer.is_some();
        if !has_ended {
            self.watch(state);
        }
        has_ended
    }

    /// The exception if it is not counted, as the limit of pending calls has refused it: then it has ended.
    pub(super) fn refused(&self) -> Option<SystemException> {
        if self.counted.is_some() {
            return None;
        }
        match self.try_take()?.answer {
            Answer::Failed(exception) => Some(exception.in_operation(&self.of.operation)),
            Answer::Reply(_) => None,
        }
    }
}

impl fmt::Debug for PendingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCall")
            .field("operation", &self.of.operation)
            .field("has_ended", &self.has_ended())
            .finish_non_exhaustive()
    }
}
