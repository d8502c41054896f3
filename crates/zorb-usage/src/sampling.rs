//! Which requests are counted.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

/// Of so many requests, one is counted on average.
pub(crate) const RATE: u32 = 16;

thread_local! {
    /// The state of the thread's random numbers, never 0.
    static STATE: Cell<u32> = Cell::new(seed());
}

/// Another seed for each thread: a thread that makes only a few calls must not always count the same of them.
fn seed() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9) | 1
}

/// Whether the calling thread is to count this request. It is decided at random, since programs call operations in
/// patterns that repeat.
pub(crate) fn is_sampled() -> bool {
    // Without the state, the thread is about to end.
    let next = STATE.try_with(|state| {
        // Marsaglia's generator of 32 bits.
        let mut value = state.get();
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
        state.set(value);
        value
    });
    next.is_ok_and(|value| value.is_multiple_of(RATE))
}

#[cfg(test)]
mod tests {
    use super::{RATE, is_sampled};

    #[test]
    fn one_of_sixteen_is_counted_whatever_the_pattern() {
        const ROUNDS: u32 = 100_000;
        // Operations that alternate.
        let mut counts = [0_u32; RATE as usize];
        for _ in 0..ROUNDS {
            for count in &mut counts {
                *count += u32::from(is_sampled());
            }
        }
        // The standard deviation is 77.
        let expected = ROUNDS / RATE;
        assert!(counts.iter().all(|count| count.abs_diff(expected) < 1_000), "{counts:?}");
    }
}
