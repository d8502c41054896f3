//! Values as pointers that are reset before the values end.

use std::cell::Cell;
use std::ptr;
use std::thread::LocalKey;

/// The type of values that borrow for any lifetime, for [`Scoped`].
pub trait Borrowing: 'static {
    /// The type of those that borrow for `'a`.
    type Value<'a>;

    /// Returns `value`: one that borrows for longer also borrows for less.
    fn shorten<'s, 'l: 's>(value: &'s Self::Value<'l>) -> &'s Self::Value<'s>;
}

/// A value that is set while a function runs, for thread-locals: other functions that the thread runs in the
/// meantime find it without a parameter for it.
///
/// ```
/// use zorb_os::scoped::{Borrowing, Scoped};
///
/// struct Word;
///
/// impl Borrowing for Word {
///     type Value<'a> = &'a str;
///
///     fn shorten<'s, 'l: 's>(value: &'s &'l str) -> &'s &'s str {
///         value
///     }
/// }
///
/// thread_local! {
///     static WORD: Scoped<Word> = const { Scoped::new() };
/// }
/// let length = || Scoped::with(&WORD, |word| word.map(|word| word.len()));
///
/// assert_eq!(length(), None);
/// Scoped::set(&WORD, &"outer".to_owned(), || {
///     Scoped::set(&WORD, "in", || assert_eq!(length(), Some(2)));
///     assert_eq!(length(), Some(5));
///     assert!(Scoped::any(&WORD, |word| *word == "outer"));
/// });
/// assert_eq!(length(), None);
/// ```
pub struct Scoped<B: Borrowing>(Cell<*const Entry<'static, B>>);

/// One value, on the stack of [`Scoped::set`].
struct Entry<'a, B: Borrowing> {
    value: B::Value<'a>,
    before: Cell<*const Entry<'static, B>>,
}

impl<B: Borrowing> Scoped<B> {
    /// Without a value.
    #[must_use]
    pub const fn new() -> Self {
        Self(Cell::new(ptr::null()))
    }

    /// Runs `work` with `value`, and restores the previous value afterwards, also after a panic.
    #[inline(always)] // A few stores around `work`.
    pub fn set<R>(
        key: &'static LocalKey<Self>,
        value: B::Value<'_>,
        work: impl FnOnce() -> R,
    ) -> R {
        let entry = Entry::<'_, B> { value, before: Cell::new(ptr::null()) };
        // `work` is not inside the closure of `with`, which would then not be inlined.
        let before = key.with(|scoped| scoped.0.replace((&raw const entry).cast()));
        entry.before.set(before);
        let _restore = Restore { key, before };
        work()
    }

    /// Runs `work` with the current value; `None` if no [`set`](Self::set) is running.
    pub fn with<R>(
        key: &'static LocalKey<Self>,
        work: impl for<'v> FnOnce(Option<&'v B::Value<'v>>) -> R,
    ) -> R {
        work(Self::innermost(key).map(|entry| B::shorten(&entry.value)))
    }

    /// Whether `is` returns `true` for the value of a running [`set`](Self::set), the innermost first.
    pub fn any(
        key: &'static LocalKey<Self>,
        mut is: impl for<'v> FnMut(&'v B::Value<'v>) -> bool,
    ) -> bool {
        let mut next = Self::innermost(key);
        while let Some(entry) = next {
            if is(B::shorten(&entry.value)) {
                return true;
            }
            // SAFETY: null, or the entry of a `set` around that of this one, which runs as long. As in `innermost`.
            next = unsafe { entry.before.get().as_ref() };
        }
        false
    }

    /// The entry of the innermost `set`. It is valid for the caller, which `set` cannot return before: the key belongs
    /// to this thread. It borrows for a shorter time than its type says: the caller [shortens](Borrowing::shorten) it,
    /// which is correct for each lifetime, before others see it.
    fn innermost<'e>(key: &'static LocalKey<Self>) -> Option<&'e Entry<'static, B>> {
        let entry = key.with(|scoped| scoped.0.get());
        // SAFETY: null, or the entry of a `set` that has not restored the previous one. Lifetimes have no layout.
        unsafe { entry.as_ref() }
    }
}

impl<B: Borrowing> Default for Scoped<B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Borrowing> std::fmt::Debug for Scoped<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scoped").finish_non_exhaustive()
    }
}

/// Restores the previous value when it is dropped.
struct Restore<B: Borrowing> {
    key: &'static LocalKey<Scoped<B>>,
    before: *const Entry<'static, B>,
}

impl<B: Borrowing> Drop for Restore<B> {
    #[inline(always)] // as `Scoped::set`
    fn drop(&mut self) {
        self.key.with(|scoped| scoped.0.set(self.before));
    }
}
