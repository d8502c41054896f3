//! Processors that do not sleep.
//!
//! A virtual processor that has nothing to do is given back to the machine below, and is late when it is
//! wanted. Calls without load would meet that more often than those beside it: they would look slow, and
//! a load harmless.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::process::nice;
use zorb_os::thread;

use super::work;

/// The least urgent of threads that share a processor: it gets a sixtieth beside one other.
const LAST: i32 = 19;

/// A thread on each of some processors that uses what nobody else wants, until this is dropped.
#[derive(Debug)]
pub(super) struct Awake {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Awake {
    /// Keeps these awake.
    pub(super) fn keep(processors: &[usize]) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        // What has been started ends also where the next cannot be.
        let mut awake = Self { stop, threads: Vec::with_capacity(processors.len()) };
        for &processor in processors {
            let stop = Arc::clone(&awake.stop);
            let keep = move || {
                if thread::set_affinity(&[processor]).is_err() || nice(LAST).is_err() {
                    return;
                }
                while !stop.load(Ordering::Relaxed) {
                    work::busy(20);
                }
            };
            awake.threads.push(std::thread::Builder::new().name("awake".to_owned()).spawn(keep)?);
        }
        Ok(awake)
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
