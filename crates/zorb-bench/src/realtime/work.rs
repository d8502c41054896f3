//! Keeps a processor busy for a given time.

use std::hint::black_box;
use std::sync::OnceLock;

use zorb_os::clock::MonotonicTime;

/// Steps of a trial.
const STEPS: u64 = 200_000;
/// Number of trials; the fastest is undisturbed.
const TRIALS: usize = 20;

/// Steps of [`busy_loop`] per microsecond, measured once.
fn steps_per_micro() -> f64 {
    static FOUND: OnceLock<f64> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let trial = |_| {
            let begun = MonotonicTime::now();
            busy_loop(STEPS);
            MonotonicTime::now().nanos_since(begun).max(1)
        };
        let fastest = (0..TRIALS).map(trial).min().unwrap_or(1);
        STEPS as f64 * 1000.0 / fastest as f64
    })
}

/// Measures the speed of this machine now instead of during the first work.
pub(super) fn calibrate() {
    let _ = steps_per_micro();
}

/// Uses `micros` microseconds of CPU time.
pub(super) fn busy(micros: u32) {
    busy_loop((f64::from(micros) * steps_per_micro()) as u64);
}

#[inline(never)]
fn busy_loop(steps: u64) {
    let mut value = 1_u64;
    for _ in 0..steps {
        value = black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
    black_box(value);
}
