//! Work of an ORB's calls that threads which receive must not do, because it may wait.
//!
//! One thread does it in order. While more waits, a second thread watches: it ends the work whose time is over, and
//! takes over if the first is blocked. Neither exists without work.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::threads::ThreadCount;
use zorb_os::lock::{Condition, Lock, Locked};

use super::needed_thread::on_needed_thread;

/// How many threads may be blocked at the same time.
const MOST: usize = 8;

/// How long a thread is blocked before another one takes over.
const PATIENCE: Duration = Duration::from_millis(50);

/// A piece of work.
pub(super) struct Job {
    /// When its time is over.
    pub(super) deadline: Option<Instant>,
    pub(super) run: Box<dyn FnOnce(Run) + Send>,
}

/// How a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// It may wait.
    InTime,
    /// Its time is over: it must not wait.
    Late,
    /// No thread could be started: it must not wait.
    WithoutThread,
}

/// The work that waits, in its order.
#[derive(Clone, Default)]
pub(super) struct Jobs(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Lock<State>,
    /// Notified for the thread that watches.
    changed: Condition,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    /// The threads that work or are about to.
    threads: usize,
    /// The number of jobs that run.
    running: usize,
    /// When the one that began last counts as blocked.
    blocked_at: Option<Instant>,
    /// Whether one of the threads watches, or is about to look.
    is_watched: bool,
}

impl State {
    fn take_late(&mut self, now: Instant) -> Option<Job> {
        let is_late = |job: &Job| job.deadline.is_some_and(|deadline| deadline <= now);
        let at = self.waiting.iter().position(is_late)?;
        self.waiting.remove(at)
    }

    /// Takes the next job if it may run now.
    fn begin_next(&mut self, now: Instant) -> Option<Job> {
        let is_blocked = self.blocked_at.is_none_or(|blocked_at| blocked_at <= now);
        if self.running > 0 && (!is_blocked || self.running >= MOST) {
            return None;
        }
        let next = self.waiting.pop_front()?;
        self.running += 1;
        self.blocked_at = now.checked_add(PATIENCE);
        Some(next)
    }

    /// When the thread that watches looks again.
    fn next_look(&self) -> Option<Instant> {
        let takes_over = self.blocked_at.filter(|_| self.running < MOST);
        let deadlines = self.waiting.iter().filter_map(|job| job.deadline);
        deadlines.chain(takes_over).min()
    }
}

impl Jobs {
    /// Adds work, and starts a thread for it unless there are enough.
    pub(super) fn add(&self, threads: &Arc<ThreadCount>, job: Job) {
        let mut state = self.0.state.lock();
        state.waiting.push_back(job);
        if state.is_watched {
            self.0.changed.notify_one();
            return;
        }
        drop(self.watch(state, threads));
    }

    /// Starts the thread that watches. If that fails, jobs that no other thread takes end at once.
    fn watch<'s>(
        &'s self,
        mut state: Locked<'s, State>,
        threads: &Arc<ThreadCount>,
    ) -> Locked<'s, State> {
        state.threads += 1;
        state.is_watched = true;
        drop(state);
        let (works, counts) = (self.clone(), Arc::clone(threads));
        let started = threads.spawn("zorb-resend", move || works.work(&counts));
        let mut state = self.0.state.lock();
        if started.is_err() {
            state.threads -= 1;
            state.is_watched = false;
            while state.threads == 0
                && let Some(job) = state.waiting.pop_front()
            {
                drop(state);
                on_needed_thread(|| (job.run)(Run::WithoutThread));
                state = self.0.state.lock();
            }
        }
        state
    }

    /// Watches the jobs that wait, and does them when it is their turn.
    fn work(&self, threads: &Arc<ThreadCount>) {
        let mut state = self.0.state.lock();
        let mut watches = true;
        while !state.waiting.is_empty() {
            let now = Instant::now();
            if let Some(late) = state.take_late(now) {
                drop(state);
                on_needed_thread(|| (late.run)(Run::Late));
                state = self.0.state.lock();
                continue;
            }
            if let Some(next) = state.begin_next(now) {
                if std::mem::take(&mut watches) {
                    state.is_watched = false;
                    if !state.waiting.is_empty() {
                        state = self.watch(state, threads);
                    }
                }
                drop(state);
                on_needed_thread(|| (next.run)(Run::InTime));
                state = self.0.state.lock();
                state.running -= 1;
                if !state.is_watched {
                    (watches, state.is_watched) = (true, true);
                }
                continue;
            }
            if !watches {
                break;
            }
            state = match state.next_look() {
                Some(look) => {
                    let left = look.saturating_duration_since(now);
                    self.0.changed.wait_for(state, left)
                }
                None => self.0.changed.wait(state),
            };
        }
        state.threads -= 1;
        if watches {
            state.is_watched = false;
        }
        // The thread that watches may have nothing to watch any more, or may work itself.
        self.0.changed.notify_one();
    }
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    fn job(run: impl FnOnce(Run) + Send + 'static) -> Job {
        Job { deadline: None, run: Box::new(run) }
    }

    /// Jobs of which `count` are blocked, until the sender is dropped.
    fn blocked(count: usize) -> (Jobs, Arc<ThreadCount>, Vec<Sender<()>>) {
        let (jobs, threads) = (Jobs::default(), ThreadCount::new(usize::MAX));
        let block = |_| {
            let (release, released) = channel::<()>();
            let (begun, has_begun) = channel();
            let blocks = move |run| {
                begun.send(run).unwrap();
                let _ = released.recv();
            };
            jobs.add(&threads, job(blocks));
            assert_eq!(has_begun.recv(), Ok(Run::InTime));
            release
        };
        let releases = (0..count).map(block).collect();
        (jobs, threads, releases)
    }

    #[test]
    fn a_job_that_is_blocked_stops_no_other() {
        let (jobs, threads, releases) = blocked(MOST - 1);
        let (tell, told) = channel();
        for number in 0..3 {
            let tell = tell.clone();
            jobs.add(&threads, job(move |run| tell.send((number, run)).unwrap()));
        }
        let mut all: Vec<_> = told.iter().take(3).collect();
        all.sort_by_key(|&(number, _)| number);
        assert_eq!(all, [0, 1, 2].map(|number| (number, Run::InTime)));
        drop(releases);
        threads.join();
    }

    #[test]
    fn jobs_end_in_time_while_all_threads_are_blocked() {
        let (jobs, threads, releases) = blocked(MOST);
        let (tell, told) = channel();
        let tells = tell.clone();
        jobs.add(&threads, job(move |run| tells.send(run).unwrap()));
        for after in [Duration::from_millis(20), Duration::ZERO] {
            let tell = tell.clone();
            let late = job(move |run| tell.send(run).unwrap());
            jobs.add(&threads, Job { deadline: Some(Instant::now() + after), ..late });
        }
        assert_eq!([told.recv(), told.recv()], [Ok(Run::Late); 2]);
        drop(releases);
        assert_eq!(told.recv(), Ok(Run::InTime));
        threads.join();
        assert_eq!(jobs.0.state.lock().threads, 0);
    }

    #[test]
    fn without_a_thread_jobs_end_at_once() {
        let (jobs, none) = (Jobs::default(), ThreadCount::new(0));
        let (tell, told) = channel();
        jobs.add(&none, job(move |run| tell.send(run).unwrap()));
        assert_eq!(told.try_recv(), Ok(Run::WithoutThread));
    }
}
