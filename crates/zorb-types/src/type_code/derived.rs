//! What is derived from a type once, and kept with it.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::Any;
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use once_cell::race::OnceBox;

/// A list of values derived from types. It only grows, and is read without a lock.
#[derive(Default)]
pub(crate) struct Derived(OnceBox<Entry>);

struct Entry {
    /// The type, by its address.
    key: usize,
    value: Arc<dyn Any + Send + Sync>,
    next: Derived,
}

/// The values derived from types in static memory, which have no room for them. There are at most as many as the
/// program has types; dividing them keeps the lists short.
static OF_STATIC_TYPES: [Derived; LISTS] = [const { Derived(OnceBox::new()) }; LISTS];
const LISTS: usize = 64;

impl Entry {
    fn is_like(&self, other: &Self) -> bool {
        self.key == other.key && (*self.value).type_id() == (*other.value).type_id()
    }
}

impl Derived {
    /// The list of the type in static memory at this address.
    pub(super) fn of_static_type(key: usize) -> Option<&'static Self> {
        // Descriptions are larger than 64 octets.
        OF_STATIC_TYPES.get(key / 64 % LISTS)
    }

    pub(super) fn find<T: Any + Send + Sync>(&self, key: usize) -> Option<Arc<T>> {
        let mut list = self;
        while let Some(entry) = list.0.get() {
            if entry.key == key && entry.value.is::<T>() {
                return Arc::clone(&entry.value).downcast().ok();
            }
            list = &entry.next;
        }
        None
    }

    /// Does nothing if another thread has added a value of the same type meanwhile.
    pub(super) fn add(&self, key: usize, value: Arc<dyn Any + Send + Sync>) {
        // Like all small blocks, it is not expected to be refused: the table that it points to is larger.
        let mut entry = Box::new(Entry { key, value, next: Self::default() });
        let mut list = self;
        while let Err(refused) = list.0.set(entry) {
            entry = refused;
            match list.0.get() {
                Some(taken) if taken.is_like(&entry) => return,
                Some(taken) => list = &taken.next,
                None => return,
            }
        }
    }
}

// Whatever panics, the list is complete.
impl UnwindSafe for Derived {}
impl RefUnwindSafe for Derived {}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derived").finish_non_exhaustive()
    }
}
