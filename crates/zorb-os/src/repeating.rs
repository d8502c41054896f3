//! A thread that calls a function from time to time.

use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::lock::{Condition, Lock};

/// A thread that calls a function from time to time, until the function ends it or this is dropped.
#[derive(Debug)]
pub struct RepeatingThread {
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Stop {
    stopped: Lock<bool>,
    changed: Condition,
}

impl RepeatingThread {
    /// Starts a thread of this name, which calls `run` after `first`, and then after each pause that `run` returns, until
    /// it returns `None`.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn start(
        name: &str,
        first: Duration,
        mut run: impl FnMut() -> Option<Duration> + Send + 'static,
    ) -> io::Result<Self> {
        let stop = Arc::new(Stop { stopped: Lock::new(false), changed: Condition::new() });
        let its = Arc::clone(&stop);
        let repeat = move || {
            let mut pause = Some(first);
            while let Some(time) = pause
                && !its.wait(time)
            {
                pause = run();
            }
        };
        let thread = Builder::new().name(name.to_owned()).spawn(repeat)?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Stop {
    /// Waits; returns whether the thread should end.
    fn wait(&self, pause: Duration) -> bool {
        *self.changed.wait_while(self.stopped.lock(), pause, |stopped| !*stopped)
    }
}

/// Waits until the function returns, if it is running.
impl Drop for RepeatingThread {
    fn drop(&mut self) {
        *self.stop.stopped.lock() = true;
        self.stop.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the function has been reported by the thread.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn it_ends_when_its_function_says_so() {
        let (tell, told) = mpsc::channel();
        let mut left = 3;
        let run = move || {
            left -= 1;
            tell.send(left).unwrap();
            (left > 0).then_some(Duration::ZERO)
        };
        let _thread = RepeatingThread::start("repeats", Duration::ZERO, run).unwrap();
        assert_eq!(told.iter().collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn it_ends_when_it_is_dropped() {
        let hour = Duration::from_secs(3600);
        let (tell, told) = mpsc::channel();
        let run = move || {
            tell.send(()).unwrap();
            Some(hour)
        };
        let thread = RepeatingThread::start("repeats", Duration::ZERO, run).unwrap();
        told.recv().unwrap();
        drop(thread);
        assert!(told.recv().is_err(), "it has ended");
        // While it waits for its first time, too.
        drop(RepeatingThread::start("repeats", hour, || None).unwrap());
    }
}
