//! Waiting for the end of a call.

use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

use zorb_base::upcall_thread::{about_to_block, would_deadlock};
use zorb_os::lock::{Condition, Locked};
use zorb_types::{ErrorContext, Phase, SystemException};

use super::super::connection::LastReceived;
use super::super::multiplexed::MultiplexedConnection;
use super::super::needed_thread::is_needed_thread;
use super::call::PendingCall;
use super::operation_call::OperationCall;
use super::state::{CallBack, State, Taken, Then};

impl PendingCall {
    /// Waits until it has ended, or until the deadline; `false` if that has passed. The thread receives for the whole
    /// connection meanwhile, unless another one does. After that the call has usually ended: the caller looks, and may have
    /// to wait again.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` if it has not ended, and may need the calling thread for that.
    #[inline(never)]
    pub(super) fn wait(&self, deadline: Option<Instant>) -> Result<bool, SystemException> {
        let itself = std::ptr::from_ref(self).cast();
        // Its last attempt, and when that ends at the latest.
        let mut last = (None, None);
        let mut state = self.state.lock();
        while state.answer.is_none() {
            let over = state.over.clone();
            drop(state);
            about_to_wait()?;
            let attempt = over.as_ref().map(number_of);
            let has_received = over.is_some_and(|(connection, id)| {
                connection.receive_for_pending(id, itself, self.of.time_limit(), deadline)
            });
            if has_received {
                break;
            }
            state = self.state.lock();
            if state.answer.is_some() {
                break;
            }
            if attempt != state.over.as_ref().map(number_of) {
                // It has been sent meanwhile, so this thread can receive its reply.
                continue;
            }
            if attempt != last.0 {
                last = (attempt, self.latest_end(state.first));
            }
            let first = [deadline, last.1].into_iter().flatten().min();
            match wait_once(&self.ended, state, first) {
                Some(notified) => state = notified,
                None if first == deadline => return Ok(false),
                None => {
                    let over = self.state.lock().over.clone();
                    if let Some(over) = over.filter(|over| attempt == Some(number_of(over))) {
                        over.0.end_late(itself);
                    }
                    // If a thread still sends it, that ends it.
                    last.1 = None;
                    state = self.state.lock();
                }
            }
        }
        Ok(true)
    }

    /// When an attempt ends at the latest that begins to wait now, for its reply or to be sent; `None` without a limit.
    #[cold]
    pub(super) fn latest_end(&self, first: Option<LastReceived>) -> Option<Instant> {
        let longest = self.of.object.core().options().max_reply_wait;
        let left = || longest.map(|longest| first.map_or(longest, |it| it.left_of(longest)));
        // A limit beyond the range of the clock is no limit.
        let end = || Instant::now().checked_add(left()?);
        self.of.time_limit().deadline().or_else(end)
    }

    /// What is called, and how it has ended, if no other thread has it: then it has ended, and nobody can lock its state.
    #[inline]
    pub(super) fn owned(self: &mut Arc<Self>) -> Option<(&OperationCall, &mut State)> {
        let Self { of, state, .. } = Arc::get_mut(self)?;
        Some((of, state.get_mut()))
    }

    /// Takes how it has ended, if it has.
    #[inline]
    pub(super) fn try_take(&self) -> Option<Taken> {
        self.state.lock().take()
    }

    /// Takes how it has ended, if it has, for a caller that looks again later.
    pub(super) fn look(&self) -> Option<Taken> {
        let mut state = self.state.lock();
        let taken = state.take();
        if taken.is_none() {
            self.watch(state);
        }
        taken
    }

    /// Lets what arrives for it be received at once until it ends: somebody is to be told, or looks, and does not receive.
    pub(super) fn watch(&self, state: Locked<'_, State>) {
        let over = state.over.as_ref().filter(|(connection, _)| !connection.is_watched());
        let connection = over.map(|(connection, _)| Arc::clone(connection));
        drop(state);
        if let Some(connection) = connection {
            connection.watch();
        }
    }

    /// Takes how it has ended; if it has not, wakes the task when it does. The waker's own code runs without the lock.
    pub(super) fn take_or_wake(&self, waker: &Waker) -> Option<Taken> {
        let mut state = self.state.lock();
        let is_known = matches!(&state.then, Then::Wake(known) if known.will_wake(waker));
        if state.answer.is_none() && !is_known {
            drop(state);
            let then = Then::Wake(waker.clone());
            let before = std::mem::replace(&mut self.state.lock().then, then);
            drop(before);
            state = self.state.lock();
            if state.answer.is_none() {
                self.watch(state);
                return None;
            }
        }
        state.take()
    }

    /// Wakes `waker` when it ends, or now if it has ended.
    pub(super) fn wake_at_end(&self, waker: Waker) {
        let mut state = self.state.lock();
        if state.answer.is_some() {
            drop(state);
            return waker.wake();
        }
        let before = std::mem::replace(&mut state.then, Then::Wake(waker));
        self.watch(state);
        // The code of another waker.
        drop(before);
    }

    /// Calls `function` when it has ended.
    pub(super) fn call_back_with(&self, function: CallBack) {
        let mut state = self.state.lock();
        let before = std::mem::replace(&mut state.then, Then::CallBack(function));
        let has_ended = state.answer.is_some();
        match has_ended {
            true => drop(state),
            false => self.watch(state),
        }
        // The code of a waker.
        drop(before);
        if has_ended {
            self.run_call_back();
        }
    }
}

/// What tells the attempts of a call apart.
fn number_of(
    (connection, id): &(Arc<MultiplexedConnection>, u32),
) -> (*const MultiplexedConnection, u32) {
    (Arc::as_ptr(connection), *id)
}

/// Prepares the calling thread to wait until a call ends.
///
/// # Errors
/// `BAD_INV_ORDER` if the call may need it for that.
pub(super) fn about_to_wait() -> Result<(), SystemException> {
    if is_needed_thread() {
        return Err(waits_for_itself());
    }
    about_to_block();
    Ok(())
}

/// Waits for a notification, or until the deadline. `None` if that had passed before.
pub(super) fn wait_once<'l, T>(
    notified: &Condition,
    state: Locked<'l, T>,
    deadline: Option<Instant>,
) -> Option<Locked<'l, T>> {
    let Some(deadline) = deadline else { return Some(notified.wait(state)) };
    let left = deadline.saturating_duration_since(Instant::now());
    (!left.is_zero()).then(|| notified.wait_for(state, left))
}

/// The exception for a function that waits for a call on a thread that the call may need.
#[cold]
fn waits_for_itself() -> SystemException {
    let context = ErrorContext::new(Phase::Wait)
        .with_source("a function for the result of a pending call waits for another one")
        .with_hint("use `on_reply` for that, too, or wait on another thread");
    would_deadlock().with_context(context)
}
