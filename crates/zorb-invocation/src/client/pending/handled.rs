//! Functions that get results on a thread for them.

use std::cell::Cell;
use std::sync::Arc;

use zorb_base::callback::call_back;

use super::super::jobs::{Job, Run};
use super::call::PendingCall;

thread_local! {
    /// Whether the thread runs such a function of a call of its own.
    static RUNS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// Calls `function` for `call`, which has ended, on a thread for that.
///
/// The limit of pending calls bounds the functions that wait, as their calls count. Those of the calls that it has
/// refused, which do not count and end on the thread of their caller, wait up to the same number; then that thread calls
/// them.
pub(super) fn call_in_thread(
    call: Arc<PendingCall>,
    function: impl FnOnce(&PendingCall) + Send + 'static,
) {
    let core = Arc::clone(call.object.core());
    let most = match call.counted {
        Some(_) => usize::MAX,
        None => core.options().max_pending_calls,
    };
    let run = move |run| match run {
        Run::InTime => {
            call_back("a reply", || function(&call));
        }
        Run::Late | Run::WithoutThread => lost(&call),
    };
    let job = Job { deadline: None, run: Box::new(run) };
    let Err(refused) = core.handlers().add_below(most, core.threads(), job) else { return };
    // Without an end to its depth, a function that makes its call again would overflow the stack.
    if RUNS_OWN.replace(true) {
        return (refused.run)(Run::WithoutThread);
    }
    (refused.run)(Run::InTime);
    RUNS_OWN.set(false);
}

#[cold]
fn lost(call: &PendingCall) {
    tracing::error!(operation = &*call.operation, "no thread for a reply");
}
