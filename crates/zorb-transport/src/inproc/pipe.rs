//! A bounded pipe of bytes: one direction of an in-process connection.
#![expect(clippy::disallowed_types, reason = "for tests in one process; lanes do not listen here")]

use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The size of a pipe in octets unless [`StreamOptions::send_buffer`](crate::StreamOptions) sets
/// another.
pub const DEFAULT_CAPACITY: usize = 64 * 1024;

/// Locks `mutex`, whose contents are consistent even after a panic.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The unread octets of one direction, at most its capacity.
#[derive(Debug)]
pub(super) struct Pipe {
    state: Mutex<State>,
    /// Notified when octets are added or removed, and when an end is closed.
    changed: Condvar,
    capacity: usize,
}

#[derive(Debug)]
struct State {
    bytes: VecDeque<u8>,
    /// The sender has closed its end.
    write_closed: bool,
    /// The receiver has closed its end.
    read_closed: bool,
}

impl Pipe {
    pub(super) fn new(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        let bytes = VecDeque::with_capacity(capacity.min(DEFAULT_CAPACITY));
        let state = State { bytes, write_closed: false, read_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), capacity }
    }

    /// Waits for octets and reads up to `buffer.len()` of them. Returns 0 at the end.
    pub(super) fn recv(&self, buffer: &mut [u8], deadline: Option<Instant>) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let mut state = lock(&self.state);
        loop {
            if let Some(taken) = self.take(&mut state, buffer) {
                return Ok(taken);
            }
            state = self.wait(state, deadline)?;
        }
    }

    /// Reads up to `buffer.len()` octets; `None` if there are none yet. Returns 0 at the end.
    pub(super) fn try_recv(&self, buffer: &mut [u8]) -> Option<usize> {
        if buffer.is_empty() {
            return Some(0);
        }
        self.take(&mut lock(&self.state), buffer)
    }

    fn take(&self, state: &mut State, buffer: &mut [u8]) -> Option<usize> {
        if state.read_closed {
            return Some(0);
        }
        if state.bytes.is_empty() {
            return state.write_closed.then_some(0);
        }
        let taken = take(&mut state.bytes, buffer);
        self.changed.notify_all();
        Some(taken)
    }

    /// Writes as many of `bytes` as there is room for; returns their number.
    pub(super) fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.put(&mut lock(&self.state), bytes)
    }

    fn put(&self, state: &mut State, bytes: &[u8]) -> io::Result<usize> {
        if state.read_closed || state.write_closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let room = self.capacity.saturating_sub(state.bytes.len()).min(bytes.len());
        if room > 0 {
            state.bytes.extend(bytes.get(..room).unwrap_or_default());
            self.changed.notify_all();
        }
        Ok(room)
    }

    /// Writes all of `bytes`, waiting for room as needed.
    pub(super) fn send(&self, mut bytes: &[u8], deadline: Option<Instant>) -> io::Result<()> {
        let mut state = lock(&self.state);
        loop {
            let sent = self.put(&mut state, bytes)?;
            bytes = bytes.get(sent..).unwrap_or_default();
            if bytes.is_empty() {
                return Ok(());
            }
            state = self.wait(state, deadline)?;
        }
    }

    /// Ends sending: the receiver reads the end after the octets in the pipe.
    pub(super) fn close_write(&self) {
        lock(&self.state).write_closed = true;
        self.changed.notify_all();
    }

    /// Ends receiving: octets in the pipe are discarded, and sending fails.
    pub(super) fn close_read(&self) {
        let mut state = lock(&self.state);
        state.read_closed = true;
        state.bytes.clear();
        drop(state);
        self.changed.notify_all();
    }

    /// Whether the receiver would read octets or the end without waiting.
    pub(super) fn is_readable(&self) -> bool {
        let state = lock(&self.state);
        !state.bytes.is_empty() || state.write_closed || state.read_closed
    }

    /// Whether the receiver has closed its end.
    pub(super) fn is_broken(&self) -> bool {
        lock(&self.state).read_closed
    }

    fn wait<'s>(
        &self,
        state: MutexGuard<'s, State>,
        deadline: Option<Instant>,
    ) -> io::Result<MutexGuard<'s, State>> {
        let Some(deadline) = deadline else {
            return Ok(self.changed.wait(state).unwrap_or_else(PoisonError::into_inner));
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let (state, _) =
            self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        Ok(state)
    }
}

/// Moves octets from the front of `from` to `to`; returns their number.
fn take(from: &mut VecDeque<u8>, to: &mut [u8]) -> usize {
    let mut taken = 0;
    for part in [from.as_slices().0, from.as_slices().1] {
        let rest = to.get_mut(taken..).unwrap_or_default();
        let count = rest.len().min(part.len());
        let pairs = rest.get_mut(..count).zip(part.get(..count));
        if let Some((target, source)) = pairs {
            target.copy_from_slice(source);
        }
        taken += count;
    }
    from.drain(..taken);
    taken
}
