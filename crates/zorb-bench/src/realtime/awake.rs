//! Keeps processors from becoming idle.
//!
//! The hypervisor takes an idle virtual processor away, and returns it late. That would affect calls
//! without load more than calls under load, and hide the effect of the load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::process::nice;
use zorb_os::thread;

use super::work;

/// The lowest nice level: beside one other thread, it gets a sixtieth of the processor.
const LAST: i32 = 19;

/// A thread of the lowest priority on each of some processors, until this is dropped.
#[derive(Debug)]
pub(super) struct Awake {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Awake {
    /// Keeps these processors busy.
    pub(super) fn keep(processors: &[usize]) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        // If a thread cannot be started, the others end.
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
