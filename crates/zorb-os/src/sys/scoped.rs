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
///     assert!(Scoped::any(&WORD, |word| word == "outer"));
/// });
/// assert_eq!(length(), None);
/// ```
pub struct Scoped<T>(Cell<*const Entry<T>>);

/// One value, on the stack of [`Scoped::set`].
struct Entry<T> {
    value: *const T,
    before: Cell<*const Self>,
}

impl<T: 'static> Scoped<T> {
    /// Without a value.
    #[must_use]
    pub const fn new() -> Self {
        Self(Cell::new(ptr::null()))
    }

    /// Runs `work` with `value`, and restores the previous value afterwards, also after a panic.
    #[inline(always)] // A few stores around `work`.
    pub fn set<R>(place: &'static LocalKey<Self>, value: &T, work: impl FnOnce() -> R) -> R {
        let entry = Entry { value, before: Cell::new(ptr::null()) };
        // `work` is not inside the closure of `with`, which would then not be inlined.
        let before = place.with(|scoped| scoped.0.replace(&raw const entry));
        entry.before.set(before);
        let _restore = Restore { place, before };
        work()
    }

    /// Runs `work` with the current value; `None` if no [`set`](Self::set) is running.
    pub fn with<R>(place: &'static LocalKey<Self>, work: impl FnOnce(Option<&T>) -> R) -> R {
        let entry = Self::innermost(place);
        // SAFETY: the value is one that `set` borrows while the entry exists: see `innermost`.
        work(entry.map(|entry| unsafe { &*entry.value }))
    }

    /// Whether `is` returns `true` for the value of a running [`set`](Self::set), the innermost first.
    pub fn any(place: &'static LocalKey<Self>, mut is: impl FnMut(&T) -> bool) -> bool {
        let mut next = Self::innermost(place);
        while let Some(entry) = next {
            // SAFETY: as in `with`.
            if is(unsafe { &*entry.value }) {
                return true;
            }
            // SAFETY: null, or the entry of a `set` around that of this one, which runs as long.
            next = unsafe { entry.before.get().as_ref() };
        }
        false
    }

    /// The entry of the innermost `set`. It is valid for the caller, which `set` cannot return before: the place belongs
    /// to this thread.
    fn innermost<'e>(place: &'static LocalKey<Self>) -> Option<&'e Entry<T>> {
        let entry = place.with(|scoped| scoped.0.get());
        // SAFETY: null, or the entry of a `set` that has not restored the previous one.
        unsafe { entry.as_ref() }
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
    before: *const Entry<T>,
}

impl<T> Drop for Restore<T> {
    #[inline(always)] // as `Scoped::set`
    fn drop(&mut self) {
        self.place.with(|scoped| scoped.0.set(self.before));
    }
}
