//! Background load while calls are timed: threads that can be switched on and off.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zorb_os::clock::MonotonicTime;

use super::bed::{Host, SHARED, joined};
use super::placement::boxed;
use super::servant::TIMEOUT;
use crate::error::{Error, Result};
use crate::stubs::real_time::Worker;

const RESTS: u8 = 0;
const GOES_ON: u8 = 1;
const IS_OVER: u8 = 2;

/// One step of a load thread. The argument is `true` in the first step after the load is switched on.
type Step<'a> = Box<dyn FnMut(bool) -> Result<()> + Send + 'a>;

/// Threads that are a load when switched on.
pub(super) struct Load<'a> {
    members: Vec<(Option<(&'a Host, i16)>, Step<'a>)>,
    settle: Duration,
}

impl<'a> Load<'a> {
    /// A load without threads. After switching, measurements wait for this long.
    pub(super) fn settling(settle: Duration) -> Self {
        Self { members: Vec::new(), settle }
    }

    /// With a thread of this priority on a client's processor.
    pub(super) fn with(
        self,
        client: &'a Host,
        priority: i16,
        step: impl FnMut(bool) -> Result<()> + Send + 'a,
    ) -> Self {
        self.and(Some((client, priority)), Box::new(step))
    }

    /// With a thread that may run on any processor.
    pub(super) fn with_any(self, step: impl FnMut(bool) -> Result<()> + Send + 'a) -> Self {
        self.and(None, Box::new(step))
    }

    fn and(mut self, client: Option<(&'a Host, i16)>, step: Step<'a>) -> Self {
        self.members.push((client, step));
        self
    }

    /// Runs a function while the threads exist, at first switched off.
    pub(super) fn beside<T>(self, work: impl FnOnce(&Switch) -> Result<T>) -> Result<T> {
        let Self { members, settle } = self;
        let all = Threads { all: members.len(), busy: 0 };
        let switch = Switch { settle, threads: Mutex::new(all), ..Switch::default() };
        std::thread::scope(|scope| {
            let switch = &switch;
            let mut threads = Vec::with_capacity(members.len());
            for (client, mut step) in members {
                let run = move || switch.serve(&mut step);
                threads.push(match client {
                    Some((client, priority)) => client.thread(scope, priority, run),
                    None => scope.spawn(boxed(run)),
                });
            }
            let done = work(switch);
            switch.set(IS_OVER);
            for thread in threads {
                joined(thread.join())?;
            }
            done
        })
    }
}

/// The number of threads, and of busy ones.
#[derive(Debug, Default)]
struct Threads {
    all: usize,
    busy: usize,
}

/// Switches the threads of a load on and off.
#[derive(Debug, Default)]
pub(super) struct Switch {
    state: AtomicU8,
    threads: Mutex<Threads>,
    changed: Condvar,
    settle: Duration,
}

impl Switch {
    /// Switches all threads on.
    ///
    /// # Errors
    /// A thread does not start.
    pub(super) fn on(&self) -> Result<()> {
        self.reach(GOES_ON, "start", |threads| threads.busy < threads.all)
    }

    /// Switches all threads off.
    ///
    /// # Errors
    /// A thread does not stop.
    pub(super) fn off(&self) -> Result<()> {
        self.reach(RESTS, "stop", |threads| threads.busy > 0)
    }

    fn reach(&self, state: u8, what: &str, waits: impl Fn(&Threads) -> bool) -> Result<()> {
        if self.state.load(Ordering::Acquire) == state {
            return Ok(());
        }
        self.set(state);
        let waited = self.changed.wait_timeout_while(self.threads(), TIMEOUT, |now| waits(now));
        let (threads, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if waits(&threads) {
            return Err(Error::new(format!("a thread of the load does not {what}: {threads:?}")));
        }
        drop(threads);
        std::thread::sleep(self.settle);
        Ok(())
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: u8) {
        let threads = self.threads();
        self.state.store(state, Ordering::Release);
        drop(threads);
        self.changed.notify_all();
    }

    /// Runs a thread of the load until its end.
    fn serve(&self, step: &mut Step<'_>) -> Result<()> {
        loop {
            let rests = |_: &mut Threads| self.state.load(Ordering::Acquire) == RESTS;
            let waited = self.changed.wait_while(self.threads(), rests);
            let mut threads = waited.unwrap_or_else(PoisonError::into_inner);
            if self.state.load(Ordering::Acquire) == IS_OVER {
                return Ok(());
            }
            threads.busy += 1;
            drop(threads);
            self.changed.notify_all();
            let mut done = step(true);
            while done.is_ok() && self.state.load(Ordering::Relaxed) == GOES_ON {
                done = step(false);
            }
            let mut threads = self.threads();
            threads.busy -= 1;
            threads.all -= usize::from(done.is_err());
            drop(threads);
            self.changed.notify_all();
            done?;
        }
    }
}

/// Clients of low priority, each with a thread of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clients {
    pub(super) clients: usize,
    /// Period of a client's calls; zero for one call after the other.
    pub(super) period: Duration,
    pub(super) micros: u32,
}

impl Clients {
    /// Lets the clients call this object.
    pub(super) fn calling<'a>(self, client: &'a Host, worker: &'a Worker) -> Load<'a> {
        let Self { clients, period, micros } = self;
        (0..clients).fold(Load::settling(Duration::from_millis(20)), |load, number| {
            // Phases are spread over the period.
            let part = period.as_micros() * number as u128 / clients.max(1) as u128;
            let begin = Duration::from_micros(u64::try_from(part).unwrap_or_default());
            let mut due = MonotonicTime::now();
            load.with(client, SHARED, move |fresh| {
                if fresh {
                    std::thread::sleep(begin);
                    due = MonotonicTime::now();
                }
                worker.work(-1, micros)?;
                due = due + period;
                std::thread::sleep(due.time_left());
                Ok(())
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn a_load_is_idle_while_switched_off() {
        let (steps, fresh) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let load = (0..3).fold(Load::settling(Duration::ZERO), |load, _| {
            load.with_any(|is_fresh| {
                fresh.fetch_add(usize::from(is_fresh), Ordering::SeqCst);
                steps.fetch_add(1, Ordering::SeqCst);
                Ok(())
            })
        });
        let until = |count: usize| {
            while steps.load(Ordering::SeqCst) < count {
                std::thread::yield_now();
            }
        };
        load.beside(|switch| {
            assert_eq!(steps.load(Ordering::SeqCst), 0);
            for round in 1..=3 {
                switch.on()?;
                until(steps.load(Ordering::SeqCst) + 10);
                switch.off()?;
                let done = steps.load(Ordering::SeqCst);
                std::thread::yield_now();
                assert_eq!(steps.load(Ordering::SeqCst), done);
                assert!(fresh.load(Ordering::SeqCst) <= 3 * round);
            }
            switch.off()
        })
        .unwrap();
    }

    #[test]
    fn an_error_in_a_load_is_reported() {
        let load = Load::settling(Duration::ZERO).with_any(|_| Err(Error::new("no more")));
        let done = load.beside(|switch| {
            switch.on()?;
            switch.off()
        });
        assert_eq!(done, Err(Error::new("no more")));
    }
}
