//! Calls whose callers do not wait: `send_OP()` of a reference returns a [`Pending`].
//!
//! The request is sent by the caller like that of any call over a
//! [multiplexed connection](super::multiplexed). The [call](call::PendingCall) replaces a thread that sleeps: the
//! connection's reader, or a caller that receives for all, stores the undecoded reply in it, and the thread that takes
//! the result decodes it. A separate thread sends requests again ([`Jobs`](super::jobs)).

mod arguments;
mod call;
mod count;
mod ended;
mod handled;
mod interception;
mod resend;
mod send;
mod take;
mod to_all;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use zorb_base::gather::WriteBody;
use zorb_base::raises::Raises;
use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::reply::{Outcome, Request};
use crate::object::ObjectRef;
use call::{PendingCall, Taken};

/// A call that has been sent, and whose reply may not have arrived yet: the `AMI_Poller` of CORBA Messaging. Its
/// result is `Result<T, E>`, as that of the method that waits.
///
/// The result is taken once: by [`wait`](Self::wait), by one of the methods that return an `Option`, by
/// `.await` on any executor, or by [a function](Self::on_reply). A call that could not be sent has ended with its
/// exception. Dropping it cancels the call: the server gets a CancelRequest, and the connection stays usable.
///
/// The time limits of the call apply as if the caller waited: `TIMEOUT` ends the call on time.
#[must_use = "dropping a pending call cancels it"]
pub struct Pending<T, E = SystemException> {
    /// `None` after the result was taken.
    call: Option<Arc<PendingCall>>,
    read: ReadResults<T>,
    raises: PhantomData<fn() -> E>,
}

/// A function that reads the results of an operation.
pub type ReadResults<T> = fn(&mut CdrReader<'_>) -> CdrResult<T>;

impl ObjectRef {
    /// Sends a call without waiting for its reply, as the `send_` methods of references do. `arguments` writes the
    /// `in` and `inout` parameters, before this returns; `results` reads the result and the `inout` and `out`
    /// parameters, when the result is taken.
    ///
    /// Connecting, and sending to a server that does not read, take the caller's time as in
    /// [`invoke`](Self::invoke). A call of an object of this ORB runs before this returns.
    pub fn send<T, E: Raises>(
        &self,
        operation: impl Into<Cow<'static, str>>,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
        results: ReadResults<T>,
    ) -> Pending<T, E> {
        Pending::sent(self, operation.into(), &arguments, results)
    }
}

impl<T, E: Raises> Pending<T, E> {
    fn sent(
        object: &ObjectRef,
        operation: Cow<'static, str>,
        arguments: WriteBody<'_>,
        read: ReadResults<T>,
    ) -> Self {
        let call = send::send(object, operation, arguments);
        Self { call: Some(call), read, raises: PhantomData }
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// What the operation raises, or the system exception of the call; `OBJECT_NOT_EXIST`
    /// (OMG 5) if the result was taken before; `BAD_INV_ORDER` (OMG 3) in a function that was passed to
    /// [`on_reply`](Self::on_reply) and runs on a thread that receives replies, unless the call has ended: it is
    /// cancelled then.
    pub fn wait(mut self) -> Result<T, E> {
        self.wait_at_most(None).unwrap_or_else(|| Err(taken_before()))
    }

    /// Waits for the result, for at most `limit`. Returns `None` if the call is still pending then.
    ///
    /// # Errors
    /// As [`wait`](Self::wait); after `BAD_INV_ORDER` the call is still pending.
    pub fn wait_timeout(&mut self, limit: Duration) -> Option<Result<T, E>> {
        // A limit beyond the range of the clock is no limit.
        self.wait_at_most(Instant::now().checked_add(limit))
    }

    /// Waits for the result until `deadline`. Returns `None` if the call is still pending then.
    ///
    /// # Errors
    /// As [`wait_timeout`](Self::wait_timeout).
    pub fn wait_until(&mut self, deadline: Instant) -> Option<Result<T, E>> {
        self.wait_at_most(Some(deadline))
    }

    fn wait_at_most(&mut self, deadline: Option<Instant>) -> Option<Result<T, E>> {
        let Some(call) = &self.call else { return Some(Err(taken_before())) };
        match call.wait(deadline) {
            Ok(taken) => self.read(taken?),
            Err(exception) => Some(Err(E::from_system(exception))),
        }
    }

    /// Takes the result if the call has ended; does not wait.
    pub fn try_take(&mut self) -> Option<Result<T, E>> {
        let Some(call) = &self.call else { return Some(Err(taken_before())) };
        let taken = call.try_take()?;
        self.read(taken)
    }

    /// Whether the call has ended, so that its result can be taken without waiting.
    pub fn has_ended(&self) -> bool {
        self.call.as_ref().is_none_or(|call| call.has_ended())
    }

    /// Passes the result to `function` when the call ends: on the thread that reads the replies of the
    /// connection, or here if it has ended already. Replies of the same connection wait while `function` runs, unless
    /// other calls receive them. It may itself make calls, but cannot [wait](Self::wait) for a pending one: that may be
    /// a call of the same connection, whose reply would wait for `function`. A panic is logged.
    pub fn on_reply(mut self, function: impl FnOnce(Result<T, E>) + Send + 'static)
    where
        T: 'static,
    {
        let Some(call) = self.call.take() else { return function(Err(taken_before())) };
        let read = self.read;
        call.call_back_with(Box::new(move |call, taken| function(result_of(call, &taken, read))));
    }

    /// Passes the result to `function` when the call ends, on a thread `zorb-handlers`, where it may wait, also for other
    /// pending calls. At most eight such functions wait at the same time; further ones begin later, and until then their
    /// calls count as pending. So functions that wait for other functions of this kind may wait without an end. A panic
    /// is logged. If no thread can be started, an error is logged, and the result is lost.
    ///
    /// `function` runs here if the result was taken before, or if the limit of pending calls, `MaxPendingCalls`, has
    /// refused the call while as many functions wait for a thread. If this is in such a function that runs on its
    /// caller's thread, too, an error is logged, and the result is lost.
    pub fn on_reply_in_thread(mut self, function: impl FnOnce(Result<T, E>) + Send + 'static)
    where
        T: 'static,
    {
        let Some(call) = self.call.take() else { return function(Err(taken_before())) };
        let (read, itself) = (self.read, Arc::downgrade(&call));
        call.call_back_with(Box::new(move |_, taken| {
            // If the call is gone, whoever held it has called its function.
            let Some(call) = itself.upgrade() else { return };
            handled::call_in_thread(call, move |call| function(result_of(call, &taken, read)));
        }));
    }

    /// Reads the result of the call, which has ended.
    fn read(&mut self, taken: Taken) -> Option<Result<T, E>> {
        let call = self.call.take()?;
        Some(result_of(&call, &taken, self.read))
    }
}

impl<T, E: Raises> Future for Pending<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T, E>> {
        let Some(call) = &self.call else { return Poll::Ready(Err(taken_before())) };
        let taken = call.take_or_wake(context.waker());
        match taken.and_then(|taken| self.read(taken)) {
            Some(result) => Poll::Ready(result),
            None => Poll::Pending,
        }
    }
}

impl<T, E> Drop for Pending<T, E> {
    fn drop(&mut self) {
        if let Some(call) = &self.call {
            call.cancel();
        }
    }
}

impl<T, E> fmt::Debug for Pending<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("call", &self.call).finish_non_exhaustive()
    }
}

/// Reads the result of a call that has ended.
fn result_of<T, E: Raises>(
    call: &PendingCall,
    taken: &Taken,
    read: ReadResults<T>,
) -> Result<T, E> {
    // They have been written.
    let arguments = |_: &mut CdrWriter<'_>| Ok(());
    let request = Request { arguments, read, outcome: Outcome::missing() };
    let ended = call.read(taken, &request);
    request.outcome.after(ended)
}

#[cold]
fn taken_before<E: Raises>() -> E {
    let code = minor::object_not_exist::POLLER_DELIVERED;
    E::from_system(SystemException::object_not_exist(code, CompletionStatus::Yes))
}
