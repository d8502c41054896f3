//! The auto traits of [`ThreadSafe`].

use crate::thread_safe::ThreadSafe;

// SAFETY: `ThreadSafe::new`, the only way to make one besides `Clone`, accepts types that are `Send` and `Sync`.
unsafe impl<T> Send for ThreadSafe<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for ThreadSafe<T> {}
