//! Slots: values that interceptors, servants and callers pass to each other (`PortableInterceptor::Current`).

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use zorb_os::lock::Lock;
use zorb_types::Any;

/// The number of a slot (`PortableInterceptor::SlotId`), unique in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SlotId(u32);

impl SlotId {
    /// A number that no other slot has.
    #[doc(hidden)]
    #[must_use]
    pub fn unique() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The ORB has not allocated the slot (`PortableInterceptor::InvalidSlot`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidSlot;

impl fmt::Display for InvalidSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the ORB has not allocated the slot")
    }
}

impl std::error::Error for InvalidSlot {}

/// The values of slots: those of a thread, or of a request. Clones are the same table.
#[derive(Clone, Debug, Default)]
pub struct SlotTable(Arc<Lock<Vec<(SlotId, Any)>>>);

impl SlotTable {
    /// The value of a slot, if it has been set.
    pub fn value(&self, slot: SlotId) -> Option<Any> {
        let values = self.0.lock();
        values.iter().find(|(known, _)| *known == slot).map(|(_, value)| value.clone())
    }

    /// Sets the value of a slot; `None` empties it.
    pub fn set(&self, slot: SlotId, value: Option<Any>) {
        let mut values = self.0.lock();
        values.retain(|(known, _)| *known != slot);
        values.extend(value.map(|value| (slot, value)));
    }

    /// A copy; `None` if no slot is set.
    fn copied(&self) -> Option<Self> {
        let values = self.0.lock();
        (!values.is_empty()).then(|| Self(Arc::new(Lock::new(values.clone()))))
    }
}

thread_local! {
    /// The values of the request that the thread serves, or of the thread; `None` if nobody has asked for them.
    static CURRENT: RefCell<Option<SlotTable>> = const { RefCell::new(None) };
    /// Whether the thread has ever had slots: most have none, and a pending call executes 30 instructions less for that.
    static HAS_SLOTS: Cell<bool> = const { Cell::new(false) };
}

/// The slots of the calling thread: in an upcall that [`serve_with`] makes, those of the request.
pub fn thread_slots() -> SlotTable {
    HAS_SLOTS.set(true);
    // A thread that ends has none.
    CURRENT
        .try_with(|current| current.borrow_mut().get_or_insert_default().clone())
        .unwrap_or_default()
}

/// A copy of the slots of the calling thread, for a call that ends on another one; `None` if none is set.
#[inline]
pub fn copied_thread_slots() -> Option<SlotTable> {
    if HAS_SLOTS.get() { copied() } else { None }
}

#[inline(never)]
fn copied() -> Option<SlotTable> {
    CURRENT.try_with(|current| current.borrow().as_ref()?.copied()).ok().flatten()
}

/// Makes an upcall, during which the slots of the request are those of the thread.
pub fn serve_with<T>(slots: SlotTable, upcall: impl FnOnce() -> T) -> T {
    struct Restore(Option<SlotTable>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    HAS_SLOTS.set(true);
    let _restore = Restore(CURRENT.replace(Some(slots)));
    upcall()
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn an_upcall_has_slots_of_its_own_also_after_a_panic() {
        let [one, two] = [(); 2].map(|()| SlotId::unique());
        thread_slots().set(one, Some(Any::new::<i32>(&1).unwrap()));
        let request = SlotTable::default();
        let upcall = AssertUnwindSafe(|| {
            serve_with(request.clone(), || {
                assert!(thread_slots().value(one).is_none());
                thread_slots().set(two, Some(Any::new::<i32>(&2).unwrap()));
                panic!("as asked")
            })
        });
        catch_unwind(upcall).unwrap_err();
        let number = |table: &SlotTable, slot| table.value(slot)?.get::<i32>();
        assert_eq!(number(&request, two), Some(2));
        assert_eq!((number(&thread_slots(), one), number(&thread_slots(), two)), (Some(1), None));
        thread_slots().set(one, None);
        assert!(thread_slots().value(one).is_none());
    }
}
