//! Functions that get results on a thread for them.

use std::sync::Arc;

use zorb_base::callback::call_back;

use super::super::jobs::{Job, Run};
use super::call::PendingCall;
use super::operation_call::OperationCall;

/// Calls `function` for `call`, which has ended, on a thread for that. The limit of pending calls bounds the functions
/// that wait, as their calls count.
pub(super) fn call_in_thread(
    call: Arc<PendingCall>,
    function: impl FnOnce(&OperationCall) + Send + 'static,
) {
    let core = Arc::clone(call.of.object.core());
    let run = move |run| match run {
        Run::InTime => {
            call_back("a reply", || function(&call.of));
        }
        Run::Late | Run::WithoutThread => lost(&call),
    };
    core.handlers().add(core.threads(), Job::new(None, run));
}

#[cold]
fn lost(call: &PendingCall) {
    tracing::error!(operation = &*call.of.operation, "no thread for a reply");
}
