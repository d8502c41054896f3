//! The sending side of a bidirectional connection: whole messages of one stream after the other.

use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_os::lock::{Condition, Lock};

use super::role::Role;
use crate::Stream;

/// Lets one stream at a time send.
#[derive(Debug)]
pub(super) struct Sender {
    stream: Arc<dyn Stream>,
    state: Lock<State>,
    free: Condition,
}

#[derive(Debug, Default)]
struct State {
    /// Whether a thread is sending.
    busy: bool,
    /// Whose message has been sent in part. Nobody else may send before its end.
    unfinished: Option<Role>,
    /// Whether nothing can be sent any more.
    broken: bool,
}

impl Sender {
    pub(super) fn new(stream: Arc<dyn Stream>) -> Self {
        Self { stream, state: Lock::default(), free: Condition::new() }
    }

    /// Sends a message, or the rest of one, within `timeout`. `send` gets whether it is a new one, and returns the result of
    /// sending, or why it has sent nothing.
    ///
    /// # Errors
    /// As [`Stream::send_vectored_all`], after which nothing more can be sent unless the time was over before the message
    /// began.
    pub(super) fn send<N>(
        &self,
        role: Role,
        timeout: Option<Duration>,
        send: impl FnOnce(bool) -> Result<io::Result<()>, N>,
    ) -> Result<io::Result<()>, N> {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        let is_new = match self.wait(role, deadline) {
            Ok(is_new) => is_new,
            Err(error) => return Ok(Err(error)),
        };
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // It fails only if the peer has gone, which sending reports.
        let _ = self.stream.set_send_timeout(left);
        let sent = send(is_new);
        self.release(matches!(sent, Ok(Err(_))));
        sent
    }

    /// Waits until this role may send. Returns whether a new message begins.
    fn wait(&self, role: Role, deadline: Option<Instant>) -> io::Result<bool> {
        let mut state = self.state.lock();
        loop {
            if state.broken {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if !state.busy && state.unfinished.is_none_or(|other| other == role) {
                state.busy = true;
                return Ok(state.unfinished.is_none());
            }
            state = match deadline {
                None => self.free.wait(state),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    self.free.wait_for(state, left)
                }
            };
        }
    }

    fn release(&self, broken: bool) {
        let mut state = self.state.lock();
        state.busy = false;
        state.unfinished = None;
        state.broken |= broken;
        drop(state);
        self.free.notify_all();
    }

    /// Sends of a message, or of the rest of one, what the stream takes at once: nothing while others send.
    ///
    /// # Errors
    /// As [`Stream::try_send_vectored`].
    pub(super) fn try_send(
        &self,
        role: Role,
        begin: impl FnOnce(),
        parts: &mut &mut [IoSlice<'_>],
    ) -> io::Result<()> {
        let mut state = self.state.lock();
        if state.broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if state.busy || state.unfinished.is_some_and(|other| other != role) {
            return Ok(());
        }
        // Without waiting, so that the lock may be held.
        let before = length(parts);
        let is_new = state.unfinished.is_none();
        let sent = self.stream.try_send_vectored(parts);
        let left = length(parts);
        if is_new && left < before {
            begin();
        }
        if sent.is_err() {
            state.broken = true;
        } else if left < before {
            state.unfinished = (left > 0).then_some(role);
        }
        drop(state);
        self.free.notify_all();
        sent
    }

    /// Whether this role has sent a message in part, whose rest is next.
    pub(super) fn is_unfinished(&self, role: Role) -> bool {
        self.state.lock().unfinished == Some(role)
    }

    /// Whether nothing can be sent any more.
    pub(super) fn is_broken(&self) -> bool {
        self.state.lock().broken
    }

    /// Lets nobody send any more.
    pub(super) fn end(&self) {
        self.state.lock().broken = true;
        self.free.notify_all();
    }
}

fn length(parts: &[IoSlice<'_>]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}
