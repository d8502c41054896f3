//! References as pointers that are reset before they end.

use std::cell::Cell;
use std::ptr;
use std::thread::LocalKey;

/// A reference that is set while a function runs, for thread-locals: other functions that the thread runs in the
/// meantime find the value without a parameter for it.
///
/// ```
/// use zorb_os::scoped::Scoped;
///
/// thread_local! {
///     static WORD: Scoped<String> = const { Scoped::new() };
/// }
/// let length = || Scoped::with(&WORD, |word| word.map(String::len));
///
/// assert_eq!(length(), None);
/// Scoped::set(&WORD, &"outer".to_owned(), || {
///     Scoped::set(&WORD, &"in".to_owned(), || assert_eq!(length(), Some(2)));
///     assert_eq!(length(), Some(5));
/// });
/// assert_eq!(length(), None);
/// ```
pub struct Scoped<T>(Cell<*const T>);

impl<T: 'static> Scoped<T> {
    /// Without a value.
    #[must_use]
    pub const fn new() -> Self {
        Self(Cell::new(ptr::null()))
    }

    /// Runs `work` with `value`, and restores the previous value afterwards, also after a panic.
    #[inline(always)] // Two stores around `work`.
    pub fn set<R>(place: &'static LocalKey<Self>, value: &T, work: impl FnOnce() -> R) -> R {
        // `work` is not inside the closure of `with`, which would then not be inlined.
        let before = place.with(|scoped| scoped.0.replace(value));
        let _restore = Restore { place, before };
        work()
    }

    /// Runs `work` with the current value; `None` if no [`set`](Self::set) is running.
    pub fn with<R>(place: &'static LocalKey<Self>, work: impl FnOnce(Option<&T>) -> R) -> R {
        let value = place.with(|scoped| scoped.0.get());
        // SAFETY: the pointer is null, or comes from a reference that `set` borrows until it has restored the previous
        // pointer. The place belongs to this thread, so that `set` cannot return before `work`.
        work(unsafe { value.as_ref() })
    }
}

impl<T: 'static> Default for Scoped<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> std::fmt::Debug for Scoped<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scoped").finish_non_exhaustive()
    }
}

/// Restores the previous value when it is dropped.
struct Restore<T: 'static> {
    place: &'static LocalKey<Scoped<T>>,
    before: *const T,
}

impl<T> Drop for Restore<T> {
    #[inline(always)] // as `Scoped::set`
    fn drop(&mut self) {
        self.place.with(|scoped| scoped.0.set(self.before));
    }
}
