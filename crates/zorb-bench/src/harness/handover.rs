//! The handover time between two processors.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use zorb_os::clock::MonotonicTime;

use crate::processor::pin;
use crate::statistics::median;

/// Round trips between two readings of the clock, which take as long as one.
const BATCH: u32 = 20;
/// Batches, the first of which do not count.
const BATCHES: u32 = 60;
const COLD: usize = 10;
/// Polls before giving up: the other processor is busy.
const MAX_POLLS: u32 = 5_000_000;

/// A word in a cache line of its own, and the next ones, which processors fetch with it.
#[repr(align(256))]
#[derive(Debug, Default)]
struct Word(AtomicU32);

impl Word {
    /// Waits until the word has this value; `false` if it does not within the maximum number of polls.
    fn wait(&self, number: u32) -> bool {
        for _ in 0..MAX_POLLS {
            if self.0.load(Ordering::Acquire) == number {
                return true;
            }
            spin_loop();
        }
        false
    }

    fn set(&self, number: u32) {
        self.0.store(number, Ordering::Release);
    }
}

/// The time in nanoseconds for a word to get from one processor to another; `None` if they are the same,
/// or busy. The measurement takes less than a millisecond.
///
/// The placement of a virtual machine's processors, and whether they share caches, can change from one
/// millisecond to the next. Communication through shared memory depends on it.
#[must_use]
pub fn handover_ns(processors: [usize; 2]) -> Option<f64> {
    let [here, there] = processors;
    if here == there {
        return None;
    }
    let (asked, answered) = (Word::default(), Word::default());
    let all = BATCH * BATCHES;
    thread::scope(|scope| {
        scope.spawn(|| {
            // The other side gives up after its maximum number of polls.
            let pinned = pin(there).is_ok();
            (1..=all).all(|number| {
                let is_asked = pinned && asked.wait(number);
                answered.set(number);
                is_asked
            })
        });
        let asker = scope.spawn(|| -> Option<f64> {
            pin(here).ok()?;
            let mut batches = Vec::new();
            for batch in 0..BATCHES {
                let start = MonotonicTime::now();
                for number in 1..=BATCH {
                    let number = batch * BATCH + number;
                    asked.set(number);
                    if !answered.wait(number) {
                        return None;
                    }
                }
                batches.push(start.elapsed().as_nanos() as f64 / f64::from(BATCH * 2));
            }
            Some(median(batches.into_iter().skip(COLD)))
        });
        asker.join().ok().flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_not_far_from_itself() {
        assert_eq!(handover_ns([0, 0]), None);
        assert_eq!(handover_ns([0, usize::MAX]), None);
    }

    #[test]
    fn a_word_takes_some_time() {
        let processors = zorb_os::thread::affinity().unwrap();
        if let [here, there, ..] = processors.as_slice()
            && let Some(nanos) = handover_ns([*here, *there])
        {
            assert!(nanos > 0.0, "{nanos}");
        }
    }
}
