//! Work for an ORB's calls that may block, and that threads which receive must therefore not do.
//!
//! One thread does it in order. While more waits, a second thread watches: it ends the work whose time is over, and
//! takes over if the first is blocked. If it works itself, another one watches. None exists without work.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_base::calling_lane::CallingLane;
use zorb_base::threads::ThreadCount;
use zorb_os::lock::{Condition, Lock, Locked};

/// How many threads may be blocked at the same time, and as many by jobs whose time is over.
const MOST: usize = 8;

/// How long a thread is blocked before another one takes over.
const BLOCKED_AFTER: Duration = Duration::from_millis(50);

/// A piece of work.
pub(super) struct Job {
    /// When its time is over.
    pub(super) deadline: Option<Instant>,
    pub(super) run: Box<dyn FnOnce(Run) + Send>,
}

impl Job {
    /// Work whose calls are those of the calling thread's lane.
    pub(super) fn new(deadline: Option<Instant>, run: impl FnOnce(Run) + Send + 'static) -> Self {
        let lane = CallingLane::of_caller();
        let run = move |how| {
            let _in_lane = lane.as_ref().map(CallingLane::enter);
            run(how);
        };
        Self { deadline, run: Box::new(run) }
    }
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
#[derive(Clone)]
pub(super) struct Jobs(Arc<Shared>);

struct Shared {
    /// The name of the threads.
    name: &'static str,
    state: Lock<State>,
    /// Notified for the thread that watches.
    changed: Condition,
}

#[derive(Default)]
struct State {
    /// The jobs that wait, by the numbers that they got in their order.
    waiting: BTreeMap<u64, Job>,
    /// The deadlines of those that have one.
    deadlines: BTreeSet<(Instant, u64)>,
    next_number: u64,
    /// The threads that work or are about to.
    threads: usize,
    /// The number of jobs that run in time.
    running: usize,
    /// When the one that began last counts as blocked.
    blocked_at: Option<Instant>,
    /// The number of jobs that run although their time is over.
    late: usize,
    /// Whether one of the threads watches, or is about to look.
    is_watched: bool,
}

impl State {
    fn put(&mut self, job: Job) {
        let number = self.next_number;
        self.next_number += 1;
        self.deadlines.extend(job.deadline.map(|deadline| (deadline, number)));
        self.waiting.insert(number, job);
    }

    fn take_first(&mut self) -> Option<Job> {
        let (number, job) = self.waiting.pop_first()?;
        if let Some(deadline) = job.deadline {
            self.deadlines.remove(&(deadline, number));
        }
        Some(job)
    }

    fn take_late(&mut self, now: Instant) -> Option<Job> {
        let &(deadline, number) = self.deadlines.first()?;
        if deadline > now || self.late >= MOST {
            return None;
        }
        self.deadlines.pop_first();
        self.waiting.remove(&number)
    }

    /// Takes the next job that may run now.
    fn begin_next(&mut self, now: Instant) -> Option<(Job, Run)> {
        if let Some(late) = self.take_late(now) {
            self.late += 1;
            return Some((late, Run::Late));
        }
        let is_blocked = self.blocked_at.is_none_or(|blocked_at| blocked_at <= now);
        if self.running > 0 && (!is_blocked || self.running >= MOST) {
            return None;
        }
        let next = self.take_first()?;
        self.running += 1;
        self.blocked_at = now.checked_add(BLOCKED_AFTER);
        Some((next, Run::InTime))
    }

    /// A job that ran like this has ended.
    fn end(&mut self, run: Run) {
        match run {
            Run::Late => self.late -= 1,
            _ => self.running -= 1,
        }
    }

    /// When the thread that watches looks again.
    fn next_look(&self) -> Option<Instant> {
        let takes_over = self.blocked_at.filter(|_| self.running < MOST);
        let earliest = self.deadlines.first().filter(|_| self.late < MOST);
        takes_over.into_iter().chain(earliest.map(|&(deadline, _)| deadline)).min()
    }
}

impl Jobs {
    /// No work yet. `name` is that of the threads.
    pub(super) fn new(name: &'static str) -> Self {
        let (state, changed) = (Lock::default(), Condition::new());
        Self(Arc::new(Shared { name, state, changed }))
    }

    /// Adds work, and starts a thread for it unless there are enough.
    pub(super) fn add(&self, threads: &Arc<ThreadCount>, job: Job) {
        let mut state = self.0.state.lock();
        state.put(job);
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
        let started = threads.spawn(self.0.name, move || works.work(&counts));
        let mut state = self.0.state.lock();
        if started.is_err() {
            state.threads -= 1;
            state.is_watched = false;
            while state.threads == 0
                && let Some(job) = state.take_first()
            {
                drop(state);
                (job.run)(Run::WithoutThread);
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
            if let Some((next, run)) = state.begin_next(now) {
                if std::mem::take(&mut watches) {
                    state.is_watched = false;
                    if !state.waiting.is_empty() {
                        state = self.watch(state, threads);
                    }
                }
                drop(state);
                (next.run)(run);
                state = self.0.state.lock();
                state.end(run);
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

    use zorb_base::calling_lane::thread_and_lane;

    use super::*;

    fn job(run: impl FnOnce(Run) + Send + 'static) -> Job {
        Job { deadline: None, run: Box::new(run) }
    }

    /// Jobs of which `count` are blocked, until the sender is dropped.
    fn blocked(count: usize) -> (Jobs, Arc<ThreadCount>, Vec<Sender<()>>) {
        let (jobs, threads) = (Jobs::new("zorb-test"), ThreadCount::new(usize::MAX));
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
    fn a_late_job_that_is_blocked_stops_no_other() {
        let (jobs, threads, releases) = blocked(MOST);
        let late = |run: Box<dyn FnOnce(Run) + Send>| {
            jobs.add(&threads, Job { deadline: Some(Instant::now()), run });
        };
        let (begun, has_begun) = channel();
        let late_releases = [(); MOST - 1].map(|()| {
            let (begun, (release, released)) = (begun.clone(), channel::<()>());
            late(Box::new(move |run| {
                begun.send(run).unwrap();
                let _ = released.recv();
            }));
            assert_eq!(has_begun.recv(), Ok(Run::Late));
            release
        });
        let (tell, told) = channel();
        late(Box::new(move |run| tell.send(run).unwrap()));
        assert_eq!(told.recv(), Ok(Run::Late));
        drop((releases, late_releases));
        threads.join();
        let state = jobs.0.state.lock();
        assert_eq!((state.threads, state.running, state.late), (0, 0, 0));
        assert!(state.waiting.is_empty() && state.deadlines.is_empty());
    }

    #[test]
    fn a_job_runs_in_the_lane_of_the_thread_that_added_it() {
        let (jobs, threads) = (Jobs::new("zorb-test"), ThreadCount::new(usize::MAX));
        let (tell, told) = channel();
        let lane_of_job = || {
            let tell = tell.clone();
            let lane = move |_| tell.send(thread_and_lane().1).unwrap();
            jobs.add(&threads, Job::new(None, lane));
            told.recv().unwrap()
        };
        assert_eq!(lane_of_job(), None);
        let lane = CallingLane::new().unwrap();
        let in_lane = lane.enter();
        assert_eq!(lane_of_job(), Some(lane.number()));
        drop(in_lane);
        assert_eq!(lane_of_job(), None);
        threads.join();
    }

    #[test]
    fn jobs_of_the_same_deadline_are_told_apart() {
        let mut state = State::default();
        let (now, later) = (Instant::now(), Instant::now() + Duration::from_secs(3600));
        for deadline in [Some(later), None, Some(now), Some(now), Some(later)] {
            state.put(Job { deadline, run: Box::new(|_| ()) });
        }
        let late = std::iter::from_fn(|| state.take_late(now)).map(|job| job.deadline);
        assert_eq!(late.collect::<Vec<_>>(), [Some(now); 2]);
        assert_eq!(state.next_look(), Some(later));
        let others = std::iter::from_fn(|| state.take_first()).map(|job| job.deadline);
        assert_eq!(others.collect::<Vec<_>>(), [Some(later), None, Some(later)]);
        assert_eq!(state.next_look(), None);
    }

    #[test]
    fn without_a_thread_jobs_end_at_once() {
        let (jobs, none) = (Jobs::new("zorb-test"), ThreadCount::new(0));
        let (tell, told) = channel();
        jobs.add(&none, job(move |run| tell.send(run).unwrap()));
        assert_eq!(told.try_recv(), Ok(Run::WithoutThread));
    }
}
