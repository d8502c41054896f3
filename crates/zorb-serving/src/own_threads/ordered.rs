//! The resumed requests of one connection, which are served in order with the strategy thread per connection.
//!
//! They are served by threads of their lane, as the connection's own threads may be waiting for its next message. One
//! thread at a time serves the requests of a connection, one after the other, and the connection's own threads begin
//! no upcall meanwhile. Like the input, this is handed over when an upcall is about to block, or takes long: then
//! another thread serves the next request. If the client has gone, nothing tells that an upcall is about to block, and
//! only one that takes long is handed over.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use zorb_base::peer_threads::ThreadPeer;
use zorb_os::lock::{Condition, Lock, Locked};

/// The resumed requests of a connection. `L` is what starts a thread for the next one.
#[derive(Debug)]
pub(crate) struct OrderedRequests<R, L> {
    /// Whose share of threads serves them.
    peer: ThreadPeer,
    state: Lock<State<R, L>>,
    /// Whether a request is running, readable without the lock.
    is_running: AtomicBool,
    handed_over: Condition,
}

#[derive(Debug)]
struct State<R, L> {
    waiting: VecDeque<R>,
    /// Whether a thread serves the waiting requests, or has been asked to.
    has_thread: bool,
    /// The running request, unless its thread has handed over.
    running: Option<Running<L>>,
    /// The number of requests begun.
    begun: u32,
    /// Whether the watchdog watches it.
    is_watched: bool,
}

#[derive(Debug)]
struct Running<L> {
    thread: u32,
    lane: L,
}

/// A request that has begun.
#[derive(Debug)]
pub(crate) struct Begun<R> {
    pub(crate) request: R,
    /// Counted from 1.
    pub(crate) number: u32,
    /// Whether the watchdog must be asked to watch it.
    pub(crate) is_unwatched: bool,
}

impl<R, L> Default for OrderedRequests<R, L> {
    fn default() -> Self {
        Self::of(ThreadPeer::default())
    }
}

impl<R, L> OrderedRequests<R, L> {
    /// Those of a connection to `peer`: none.
    pub(crate) fn of(peer: ThreadPeer) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            has_thread: false,
            running: None,
            begun: 0,
            is_watched: false,
        };
        Self {
            peer,
            state: Lock::new(state),
            is_running: AtomicBool::new(false),
            handed_over: Condition::new(),
        }
    }

    /// Whose share of threads serves them.
    pub(crate) fn peer(&self) -> ThreadPeer {
        self.peer
    }

    /// Adds a request. Returns whether it wants a thread.
    pub(crate) fn put(&self, request: R) -> bool {
        let mut state = self.state.lock();
        state.waiting.push_back(request);
        !std::mem::replace(&mut state.has_thread, true)
    }

    /// Takes all waiting requests: no thread can be started for them.
    pub(crate) fn give_up(&self) -> VecDeque<R> {
        let mut state = self.state.lock();
        state.has_thread = false;
        std::mem::take(&mut state.waiting)
    }

    /// Begins the next request on the calling thread.
    pub(crate) fn begin(&self, thread: u32, lane: L) -> Option<Begun<R>> {
        let mut state = self.state.lock();
        let Some(request) = state.waiting.pop_front() else {
            state.has_thread = false;
            return None;
        };
        state.begun = state.begun.wrapping_add(1);
        state.running = Some(Running { thread, lane });
        // Before the request is admitted, and thus before any later one is.
        self.is_running.store(true, Ordering::Release);
        Some(Begun { request, number: state.begun, is_unwatched: !state.is_watched })
    }

    /// Ends the request with this number. Returns whether the thread goes on with those that wait.
    pub(crate) fn end(&self, number: u32) -> bool {
        let mut state = self.state.lock();
        if state.begun != number || state.running.is_none() {
            return false; // it has handed over
        }
        self.hand_over(&mut state).is_some()
    }

    /// Hands over, if the calling thread serves a request and has not done so. Returns whether it has, and what starts a
    /// thread for those that wait.
    #[cold]
    pub(crate) fn hand_over_from(&self, thread: u32) -> (bool, Option<L>) {
        let mut state = self.state.lock();
        match &state.running {
            Some(running) if running.thread == thread => (true, self.hand_over(&mut state)),
            _ => (false, None),
        }
    }

    /// Hands over, if the request with the number `seen` is still running. Returns the number of the last request, and
    /// what starts a thread for those that wait.
    pub(crate) fn hand_over_slow(&self, seen: u32) -> (u32, Option<L>) {
        let mut state = self.state.lock();
        let next = if state.begun == seen { self.hand_over(&mut state) } else { None };
        (state.begun, next)
    }

    fn hand_over(&self, state: &mut Locked<'_, State<R, L>>) -> Option<L> {
        let running = state.running.take()?;
        self.is_running.store(false, Ordering::Release);
        self.handed_over.notify_all();
        state.has_thread = !state.waiting.is_empty();
        state.has_thread.then_some(running.lane)
    }

    /// Whether a request is running that has not handed over.
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Acquire)
    }

    /// Waits until the running request has ended or handed over.
    #[cold]
    pub(crate) fn wait(&self) {
        let mut state = self.state.lock();
        while state.running.is_some() {
            state = self.handed_over.wait(state);
        }
    }

    /// Marks it as watched; `false` if it is already.
    pub(crate) fn begin_watch(&self) -> bool {
        !std::mem::replace(&mut self.state.lock().is_watched, true)
    }

    /// Marks it as not watched, unless a request has begun since `seen`.
    pub(crate) fn stop_watching(&self, seen: u32) -> bool {
        let mut state = self.state.lock();
        state.is_watched = state.begun != seen || state.running.is_some();
        !state.is_watched
    }
}
