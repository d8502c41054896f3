//! Pending calls, whose callers do not wait: `send_OP()` of a reference returns a [`Pending`].
//!
//! The request is sent by the caller like that of any call over a
//! [multiplexed connection](super::multiplexed). The [call](call::PendingCall) replaces a thread that sleeps: the
//! connection's reader, or a caller that receives for all, stores the undecoded reply in it, and the thread that takes
//! the result decodes it. A separate thread sends requests again ([`Jobs`](super::jobs)).

mod arguments;
mod at_once;
mod call;
mod count;
mod ended;
mod handled;
mod interception;
mod operation_call;
mod resend;
mod results;
mod send;
mod sending;
mod sent;
mod set;
mod state;
mod take;
mod to_all;
mod waiting;
mod watch;

pub(super) use watch::PendingWatch;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use zorb_base::gather::WriteBody;
use zorb_base::raises::Raises;
use zorb_cdr::{CdrResult, CdrWriter};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::raw_reply::RawReply;
use crate::object::ObjectRef;
use call::PendingCall;
use results::ResultReader;
use state::Taken;

pub use results::ReadResults;
pub use set::{NumberedResult, PollableSet};

/// A call that has been sent, and whose reply may not have arrived yet: the `AMI_Poller` of CORBA Messaging. Its result
/// is `Result<T, E>`, as that of the synchronous method.
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
    reader: ResultReader<T, E>,
}

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
        Pending::sent(self, operation.into(), &arguments, ResultReader::typed(results))
    }

    /// Sends a call as [`send`](Self::send), whose types are known at run time: for the crate `zorb-dynamic`. `read`
    /// decodes the reply, also with a user exception, on the thread that takes the result.
    pub fn send_dynamic<T, E: From<SystemException>>(
        &self,
        operation: impl Into<Cow<'static, str>>,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
        read: impl Fn(&RawReply<'_>) -> CdrResult<Result<T, E>> + Send + Sync + 'static,
    ) -> Pending<T, E> {
        Pending::sent(self, operation.into(), &arguments, ResultReader::Raw(Arc::new(read)))
    }
}

impl<T, E> Pending<T, E> {
    fn sent(
        object: &ObjectRef,
        operation: Cow<'static, str>,
        arguments: WriteBody<'_>,
        reader: ResultReader<T, E>,
    ) -> Self {
        let call = send::send(object, operation, arguments);
        Self { call: Some(call), reader }
    }

    /// Whether the call has ended, so that its result can be taken without waiting.
    pub fn has_ended(&self) -> bool {
        self.call.as_ref().is_none_or(|call| call.look_whether_ended())
    }

    /// Wakes `waker` when the call ends, or now if it has ended.
    fn wake_at_end(&self, waker: Waker) {
        match &self.call {
            Some(call) => call.wake_at_end(waker),
            None => waker.wake(),
        }
    }
}

impl<T, E: From<SystemException>> Pending<T, E> {
    /// Waits for the result.
    ///
    /// # Errors
    /// What the operation raises, or the system exception of the call; `OBJECT_NOT_EXIST`
    /// (OMG 5) if the result was taken before; `BAD_INV_ORDER` (OMG 3) in a function that was passed to
    /// [`on_reply`](Self::on_reply) and runs on a thread that receives replies, unless the call has ended: it is
    /// cancelled then.
    pub fn wait(mut self) -> Result<T, E> {
        match self.take_owned() {
            Some(result) => result,
            None => self.wait_longer(None).unwrap_or_else(|| Err(taken_before())),
        }
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
        match self.take_owned() {
            Some(result) => Some(result),
            None => self.wait_longer(deadline),
        }
    }

    /// The same for a call that had not ended, or that another thread still has.
    #[inline(never)]
    fn wait_longer(&mut self, deadline: Option<Instant>) -> Option<Result<T, E>> {
        loop {
            let Some(call) = &self.call else { return Some(Err(taken_before())) };
            match call.wait(deadline) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(exception) => return Some(Err(exception.into())),
            }
            if let Some(result) = self.take_owned() {
                return Some(result);
            }
            let Some(call) = &self.call else { return Some(Err(taken_before())) };
            if let Some(result) = call.try_take().and_then(|taken| self.read(&taken)) {
                return Some(result);
            }
        }
    }

    /// Takes the result if the call has ended; does not wait.
    pub fn try_take(&mut self) -> Option<Result<T, E>> {
        if let Some(result) = self.take_owned() {
            return Some(result);
        }
        let Some(call) = &self.call else { return Some(Err(taken_before())) };
        let taken = call.look()?;
        self.read(&taken)
    }

    /// Passes the result to `function` when the call ends: on the thread that reads the replies of the
    /// connection, or here if it has ended already. Replies of the same connection wait while `function` runs, unless
    /// other calls receive them. It may itself make calls, but cannot [wait](Self::wait) for a pending one: that may be
    /// a call of the same connection, whose reply would wait for `function`. A panic is logged.
    pub fn on_reply(mut self, function: impl FnOnce(Result<T, E>) + Send + 'static)
    where
        T: 'static,
        E: 'static,
    {
        let Some(call) = self.call.take() else { return function(Err(taken_before())) };
        let reader = self.reader.clone();
        call.call_back_with(Box::new(move |call, taken| {
            function(reader.read(call, taken.as_ended()))
        }));
    }

    /// Passes the result to `function` when the call ends, on a thread `zorb-handlers`, where it may wait, also for other
    /// pending calls. At most eight such functions wait at the same time; further ones begin later, and until then their
    /// calls count as pending. Functions that wait for other functions of this kind can therefore deadlock. A panic is
    /// logged. If no thread can be started, an error is logged, and the result is lost.
    ///
    /// # Errors
    /// `TRANSIENT` (Zorb 10), completed NO, if `MaxPendingCalls` or `MaxPendingOctets` has refused the call, or with which
    /// such a call has failed before it was refused; `OBJECT_NOT_EXIST` (OMG 5) if the result was taken before. `function`
    /// is not called then.
    pub fn on_reply_in_thread(
        mut self,
        function: impl FnOnce(Result<T, E>) + Send + 'static,
    ) -> Result<(), SystemException>
    where
        T: 'static,
        E: 'static,
    {
        let call = self.call.take().ok_or_else(taken_before::<SystemException>)?;
        if let Some(refused) = call.refused() {
            return Err(refused);
        }
        let (reader, itself) = (self.reader.clone(), Arc::downgrade(&call));
        call.call_back_with(Box::new(move |_, taken| {
            // If the call is gone, whoever held it has called its function.
            let Some(call) = itself.upgrade() else { return };
            handled::call_in_thread(call, move |call| {
                function(reader.read(call, taken.as_ended()))
            });
        }));
        Ok(())
    }

    /// Discards the result.
    ///
    /// # Errors
    /// As of [`on_reply_in_thread`](Self::on_reply_in_thread), but the result may have been taken.
    #[doc(hidden)]
    pub fn discard(self) -> Result<(), SystemException>
    where
        T: 'static,
        E: 'static,
    {
        if let Some(refused) = self.call.as_ref().and_then(|call| call.refused()) {
            return Err(refused);
        }
        self.on_reply(drop);
        Ok(())
    }

    /// Takes the result if the call has ended, and no other thread has it any more: then it is read where it is.
    #[inline]
    fn take_owned(&mut self) -> Option<Result<T, E>> {
        // If an interceptor panics, unwinding must not cancel the call, which has ended.
        let mut call = self.call.take()?;
        let ended = call.owned().and_then(|(of, state)| Some((of, state.ended()?)));
        let result = ended.map(|(of, ended)| self.reader.read(of, ended));
        if result.is_none() {
            self.call = Some(call);
        }
        result
    }

    /// Reads the result of the call, which has ended.
    fn read(&mut self, taken: &Taken) -> Option<Result<T, E>> {
        let call = self.call.take()?;
        Some(self.reader.read(&call.of, taken.as_ended()))
    }
}

impl<T, E: From<SystemException>> Future for Pending<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T, E>> {
        if let Some(result) = self.take_owned() {
            return Poll::Ready(result);
        }
        let Some(call) = &self.call else { return Poll::Ready(Err(taken_before())) };
        let taken = call.take_or_wake(context.waker());
        match taken.and_then(|taken| self.read(&taken)) {
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

#[cold]
fn taken_before<E: From<SystemException>>() -> E {
    let code = minor::object_not_exist::POLLER_DELIVERED;
    SystemException::object_not_exist(code, CompletionStatus::Yes).into()
}
