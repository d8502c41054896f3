//! How a new connection waits for the thread of another one to end.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use zorb_os::thread_count::CountedThread;

/// How often to try again if the system refuses a thread: it frees one only some time after that has been noted as ended,
/// and those of others without a note.
const SYSTEM_RETRY: Duration = Duration::from_millis(10);

/// Whether a thread was refused because there are as many as there may be.
pub(super) fn is_one_too_many(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::QuotaExceeded | ErrorKind::WouldBlock)
}

/// A wait for threads to end.
pub(super) struct ThreadWait<'l> {
    /// How many had ended before the first try.
    pub ended: u32,
    /// When to give up.
    pub end: Instant,
    /// How many threads had ended when a connection of the lane last waited in vain: until another one ends, no other
    /// waits.
    pub in_vain: &'l AtomicU64,
    /// Whether the lane needs no thread any more.
    pub is_over: &'l dyn Fn() -> bool,
}

impl ThreadWait<'_> {
    /// Tries `begin`, which has failed with `error`, again whenever a thread has ended.
    ///
    /// # Errors
    /// The last one, if there is still one thread too many when the wait is over, or another one.
    pub(super) fn retry(
        self,
        mut error: io::Error,
        mut begin: impl FnMut() -> io::Result<()>,
    ) -> io::Result<()> {
        let mut ended = self.ended;
        while self.in_vain.load(Ordering::Relaxed) != u64::from(ended)
            && is_one_too_many(&error)
            && !(self.is_over)()
        {
            let now = Instant::now();
            if now >= self.end {
                self.in_vain.store(ended.into(), Ordering::Relaxed);
                break;
            }
            let is_of_system = error.kind() == ErrorKind::WouldBlock;
            let until = if is_of_system { self.end.min(now + SYSTEM_RETRY) } else { self.end };
            if !CountedThread::wait_for_end(ended, until) && !is_of_system {
                continue;
            }
            ended = CountedThread::ended();
            match begin() {
                Ok(()) => return Ok(()),
                Err(again) => error = again,
            }
        }
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use zorb_base::threads::ThreadCount;

    use super::*;

    const NEVER: u64 = u64::MAX;

    /// Waits until `limit` from now with a `begin` that fails with `kind` each time, after a thread has ended. Returns how
    /// often it was called, and how many threads had ended if that was in vain.
    fn tries(kind: ErrorKind, limit: Duration, most: u32) -> (u32, u64) {
        let (in_vain, tries) = (AtomicU64::new(NEVER), Cell::new(0));
        let wait = ThreadWait {
            ended: CountedThread::ended().wrapping_sub(1),
            end: Instant::now() + limit,
            in_vain: &in_vain,
            is_over: &|| tries.get() == most,
        };
        let error = wait.retry(ErrorKind::QuotaExceeded.into(), || {
            tries.set(tries.get() + 1);
            let threads = ThreadCount::new(usize::MAX);
            threads.spawn("ends", || {})?;
            threads.join();
            Err(kind.into())
        });
        let error = error.unwrap_err().kind();
        assert!([kind, ErrorKind::QuotaExceeded].contains(&error), "{error:?}");
        (tries.get(), in_vain.into_inner())
    }

    #[test]
    fn the_wait_ends_although_other_threads_end() {
        for kind in [ErrorKind::QuotaExceeded, ErrorKind::WouldBlock] {
            let (_, in_vain) = tries(kind, Duration::from_millis(20), u32::MAX);
            assert_ne!(in_vain, NEVER, "{kind:?}");
            assert_eq!(tries(kind, Duration::ZERO, u32::MAX).0, 0);
        }
    }

    #[test]
    fn the_wait_ends_when_the_lane_stops_or_the_error_is_another() {
        const HOUR: Duration = Duration::from_secs(3600);
        assert_eq!(tries(ErrorKind::QuotaExceeded, HOUR, 3), (3, NEVER));
        assert_eq!(tries(ErrorKind::WouldBlock, HOUR, 3), (3, NEVER));
        assert_eq!(tries(ErrorKind::OutOfMemory, HOUR, u32::MAX), (1, NEVER));
    }

    #[test]
    fn no_connection_waits_for_what_another_waited_for_in_vain() {
        let ended = CountedThread::ended().wrapping_add(1 << 31);
        let in_vain = AtomicU64::new(ended.into());
        let end = Instant::now() + Duration::from_secs(3600);
        let wait = ThreadWait { ended, end, in_vain: &in_vain, is_over: &|| false };
        let begin = || panic!("no thread has ended");
        assert!(wait.retry(ErrorKind::QuotaExceeded.into(), begin).is_err());
    }
}
