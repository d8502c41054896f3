//! A slot whose readers take no lock.

use std::mem::ManuallyDrop;
use std::ops::Deref;

use arc_swap::ArcSwapOption;

/// A place of a table whose readers take no lock: an [`ArcSwapOption`] that costs nothing to drop while it is empty.
///
/// That of arc-swap looks for readers first, among as many threads as have ever run at once: to drop the 4,112 slots of a
/// lane that had no connections took 0.4 ms of processor time after one thread, 33 after a hundred, 340 after a thousand.
#[derive(Debug)]
pub struct SwapSlot<T>(ManuallyDrop<ArcSwapOption<T>>);

impl<T> SwapSlot<T> {
    /// An empty slot.
    pub fn empty() -> Self {
        Self(ManuallyDrop::new(ArcSwapOption::empty()))
    }
}

impl<T> Deref for SwapSlot<T> {
    type Target = ArcSwapOption<T>;

    #[inline]
    fn deref(&self) -> &ArcSwapOption<T> {
        &self.0
    }
}

impl<T> Drop for SwapSlot<T> {
    /// Leaves nothing that would have to be dropped.
    fn drop(&mut self) {
        if self.0.load().is_some() {
            self.0.store(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_slot_drops_what_it_has() {
        let [kept, taken] = [1, 2].map(Arc::new);
        let slots = [(); 3].map(|()| SwapSlot::empty());
        slots[0].store(Some(Arc::clone(&kept)));
        slots[1].store(Some(Arc::clone(&taken)));
        let read = slots[1].load();
        assert_eq!([&kept, &taken].map(Arc::strong_count), [2, 2]);
        drop(slots);
        assert_eq!([&kept, &taken].map(Arc::strong_count), [1, 2], "one has a reader");
        drop(read);
        assert_eq!(Arc::strong_count(&taken), 1);
    }
}
