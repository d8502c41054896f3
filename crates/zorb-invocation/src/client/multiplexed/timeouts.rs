//! The timeouts of a stream that calls share.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The timeout of one direction of a stream. While calls without a limit follow each other, it is set only once, which
/// saves 1 % of a call's instructions. Used by one thread at a time.
#[derive(Debug)]
pub(super) struct SharedTimeout {
    /// The timeout for calls without a limit.
    longest: Option<Duration>,
    /// Whether the stream's timeout is known to be `longest`.
    is_longest: AtomicBool,
}

impl SharedTimeout {
    pub(super) const fn new(longest: Option<Duration>) -> Self {
        Self { longest, is_longest: AtomicBool::new(false) }
    }

    /// Sets the timeout of the stream, by `set`, for a call with this limit, unless it is known to have that of calls
    /// without a limit and this is one.
    #[inline]
    pub(super) fn change(
        &self,
        limit: Option<Duration>,
        set: impl FnOnce(Option<Duration>) -> io::Result<()>,
    ) -> io::Result<()> {
        if limit.is_none() && self.is_longest.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.change_to(limit, set)
    }

    #[cold]
    fn change_to(
        &self,
        limit: Option<Duration>,
        set: impl FnOnce(Option<Duration>) -> io::Result<()>,
    ) -> io::Result<()> {
        // If `set` fails, the timeout is unknown.
        self.is_longest.store(false, Ordering::Relaxed);
        set(limit.or(self.longest))?;
        self.is_longest.store(limit.is_none(), Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn only_the_longest_timeout_is_not_set_again() {
        let second = Duration::from_secs(1);
        let timeout = SharedTimeout::new(Some(second));
        let set = RefCell::new(Vec::new());
        let change = |limit| {
            let note = |timeout| {
                set.borrow_mut().push(timeout);
                Ok(())
            };
            timeout.change(limit, note).unwrap();
        };
        for limit in [None, None, Some(second), Some(second), None, None] {
            change(limit);
        }
        assert_eq!(set.take().len(), 4);
        assert!(timeout.change(Some(second), |_| Err(io::ErrorKind::Other.into())).is_err());
        change(None);
        assert_eq!(set.take(), [Some(second)]);
    }
}
