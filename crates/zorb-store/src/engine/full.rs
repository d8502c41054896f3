//! What a full disk means for commits.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::StoreError;

/// Whether the disk was full a moment ago. Commits are then refused without trying: each attempt that fails costs the
/// database, which has to be opened again.
#[derive(Debug)]
pub(super) struct Full {
    /// For how long.
    pause: Duration,
    /// Whether `since` contains something: all that a commit reads when there is space.
    is_full: AtomicBool,
    // No thread that serves at a priority waits for this lock: a commit waits for the disk anyway.
    since: Mutex<Option<(Instant, StoreError)>>,
}

impl Full {
    pub(super) fn new(pause: Duration) -> Self {
        Self { pause, is_full: AtomicBool::new(false), since: Mutex::default() }
    }

    /// The error of commits in the pause.
    pub(super) fn check(&self, now: impl FnOnce() -> Instant) -> Result<(), StoreError> {
        if !self.is_full.load(Relaxed) {
            return Ok(());
        }
        match &*self.since() {
            Some((since, error)) if now().saturating_duration_since(*since) < self.pause => {
                Err(error.clone())
            }
            _ => Ok(()),
        }
    }

    /// A commit has failed with this error.
    pub(super) fn begin(&self, error: StoreError, now: Instant) {
        *self.since() = Some((now, error));
        self.is_full.store(true, Relaxed);
    }

    /// A commit was successful.
    pub(super) fn end(&self) {
        if self.is_full.load(Relaxed) {
            self.is_full.store(false, Relaxed);
            *self.since() = None;
        }
    }

    fn since(&self) -> MutexGuard<'_, Option<(Instant, StoreError)>> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoreErrorKind;

    #[test]
    fn commits_are_tried_again_after_the_pause() {
        let (pause, now) = (Duration::from_secs(5), Instant::now());
        let full = Full::new(pause);
        full.check(|| now).unwrap();
        full.begin(StoreError::new(StoreErrorKind::Full, "no space"), now);
        let refused = full.check(|| now + pause / 2).unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Full);
        full.check(|| now + pause).unwrap();
        full.begin(refused, now + pause);
        full.check(|| now + pause).unwrap_err();
        full.end();
        full.check(|| now + pause).unwrap();
    }
}
