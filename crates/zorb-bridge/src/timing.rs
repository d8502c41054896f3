//! The thread that closes connections whose messages take too long to arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use zorb_base::progress::{Progress, Timed};
use zorb_giop::{Inbound, Incomplete, TimeLimits};
use zorb_os::lock::{Condition, Lock};
use zorb_transport::Stream;

/// The connections of a bridge whose messages are timed. Its thread sleeps while none is incomplete.
#[derive(Debug)]
pub(crate) struct Timing {
    state: Lock<State>,
    /// Whether the checks are active.
    are_active: AtomicBool,
    changed: Condition,
}

#[derive(Debug)]
struct State {
    timed: Timed,
    is_stopped: bool,
}

impl Timing {
    pub(crate) fn new(limits: TimeLimits) -> Self {
        let state = State { timed: Timed::new(limits), is_stopped: false };
        let are_active = AtomicBool::new(false);
        Self { state: Lock::new(state), are_active, changed: Condition::new() }
    }

    /// Times the messages of a new connection.
    pub(crate) fn add(&self, progress: &Arc<Progress>, stream: &Arc<dyn Stream>) {
        self.state.lock().timed.add(progress, stream, Instant::now());
        self.resume();
    }

    pub(crate) fn remove(&self, progress: &Arc<Progress>) {
        self.state.lock().timed.remove(progress);
    }

    /// Called when a connection waits for the rest of a message.
    fn resume(&self) {
        if !self.are_active.load(Ordering::SeqCst) && !self.are_active.swap(true, Ordering::SeqCst)
        {
            self.state.lock().timed.resume(Instant::now());
            self.changed.notify_all();
        }
    }

    /// Shuts down the input of connections that exceed a limit at `now`.
    pub(crate) fn check(&self, now: Instant) {
        self.state.lock().timed.check(now, &self.are_active);
    }

    /// The body of its thread.
    pub(crate) fn run(&self) {
        loop {
            self.check(Instant::now());
            let state = self.state.lock();
            if state.is_stopped {
                return;
            }
            drop(match state.timed.next_check() {
                None => self.changed.wait(state),
                Some(next) => {
                    let left = next.saturating_duration_since(Instant::now());
                    self.changed.wait_for(state, left)
                }
            });
        }
    }

    /// Ends its thread.
    pub(crate) fn stop(&self) {
        self.state.lock().is_stopped = true;
        self.changed.notify_all();
    }
}

/// What the reading thread of a client waits for.
#[derive(Debug)]
pub(crate) struct Awaited<'l> {
    progress: &'l Progress,
    timing: &'l Timing,
    noted: Incomplete,
}

impl<'l> Awaited<'l> {
    pub(crate) fn new(progress: &'l Progress, timing: &'l Timing) -> Self {
        Self { progress, timing, noted: Incomplete::FIRST }
    }

    /// The number of whole messages so far, modulo 2³².
    pub(crate) fn messages(&self) -> u32 {
        self.progress.messages()
    }

    /// Records a whole message; `oldest` is the first one with fragments that the bridge still waits for.
    pub(crate) fn message_complete(&mut self, oldest: Option<u32>) {
        self.progress.count_message();
        if self.noted != Incomplete::NONE {
            self.note(oldest.map_or(Incomplete::NONE, Incomplete::fragmented));
        }
    }

    /// Records what the thread is about to wait for. If it `has_part` of a message, that is the rest of it.
    pub(crate) fn about_to_wait(&mut self, has_part: bool, oldest: Option<u32>) {
        let messages = self.messages();
        self.note(match oldest {
            Some(ordinal) => Incomplete::fragmented(ordinal),
            None if has_part => Incomplete::part(messages),
            None if messages == 0 => Incomplete::FIRST,
            None => Incomplete::NONE,
        });
    }

    /// The same for a connection whose messages are assembled first.
    pub(crate) fn about_to_wait_for(&mut self, inbound: &Inbound) {
        self.about_to_wait(inbound.has_buffered(), inbound.oldest_fragmented());
    }

    fn note(&mut self, incomplete: Incomplete) {
        if incomplete != self.noted {
            self.noted = self.progress.note(incomplete);
        }
        if incomplete != Incomplete::NONE {
            self.timing.resume();
        }
    }
}
