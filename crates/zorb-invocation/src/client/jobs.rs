//! Work of an ORB's calls that threads which receive must not do, because it may wait: one thread, which runs
//! while there is some.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use zorb_base::threads::ThreadCount;
use zorb_os::lock::Lock;

/// A piece of work; the flag is `false` if no thread could be started, and it must not wait.
pub(super) type Job = Box<dyn FnOnce(bool) + Send>;

/// The work that waits, in its order.
#[derive(Clone, Default)]
pub(super) struct Jobs(Arc<Lock<State>>);

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    /// Whether there is a thread.
    runs: bool,
}

impl Jobs {
    /// Adds work, and starts the thread if there is none.
    pub(super) fn add(&self, threads: &Arc<ThreadCount>, job: Job) {
        {
            let mut state = self.0.lock();
            state.waiting.push_back(job);
            if std::mem::replace(&mut state.runs, true) {
                return;
            }
        }
        let works = self.clone();
        if threads.spawn("zorb-resend", move || works.work(true)).is_err() {
            self.work(false);
        }
    }

    fn work(&self, may_wait: bool) {
        loop {
            let mut state = self.0.lock();
            let Some(next) = state.waiting.pop_front() else {
                state.runs = false;
                return;
            };
            drop(state);
            next(may_wait);
        }
    }
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").finish_non_exhaustive()
    }
}
