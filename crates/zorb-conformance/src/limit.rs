//! The time limit of a test.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The time after which a test counts as hanging.
pub const LIMIT: Duration = Duration::from_secs(600);

/// Runs a test on its own thread, and propagates its panic.
///
/// # Panics
/// When the test fails or takes longer than [`LIMIT`].
pub(crate) fn run_within_the_limit(test: impl FnOnce() + Send + 'static) {
    let (sender, done) = mpsc::channel::<()>();
    let work = thread::spawn(move || {
        let _ends_the_wait = sender;
        test();
    });
    if done.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
        panic!("no result within {LIMIT:?}");
    }
    if let Err(failure) = work.join() {
        std::panic::resume_unwind(failure);
    }
}
