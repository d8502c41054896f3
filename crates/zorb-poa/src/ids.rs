//! Maps object ids that are not slots, such as those that programs assign, to slots.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use arc_swap::ArcSwap;
use zorb_base::swap_slot::SwapSlot;
use zorb_os::lock::Lock;

/// The initial number of buckets; a power of two.
const FIRST_BUCKETS: usize = 16;
/// The average number of ids in a bucket at which the table doubles its size.
const FULL: usize = 2;

/// An object's slot in the [`SlotTable`](super::slots::SlotTable): index and generation.
pub(super) type SlotId = (u32, u32);

type Bucket = SwapSlot<Vec<(Box<[u8]>, SlotId)>>;

/// A hash table whose readers take no lock and write to no shared memory: buckets are replaced, not changed.
pub(super) struct IdTable {
    buckets: ArcSwap<Box<[Bucket]>>,
    /// The number of ids; locked while the table changes.
    count: Lock<usize>,
    hasher: RandomState,
}

impl IdTable {
    pub(super) fn new() -> Self {
        Self {
            buckets: ArcSwap::from_pointee(buckets(FIRST_BUCKETS)),
            count: Lock::new(0),
            hasher: RandomState::new(),
        }
    }

    fn number(&self, id: &[u8], buckets: &[Bucket]) -> usize {
        // The number of buckets is a power of two.
        self.hasher.hash_one(id) as usize & (buckets.len() - 1)
    }

    /// The slot of the object `id`.
    #[inline]
    pub(super) fn find(&self, id: &[u8]) -> Option<SlotId> {
        let buckets = self.buckets.load();
        let bucket = buckets.get(self.number(id, &buckets))?.load();
        let entries = bucket.as_ref()?;
        entries.iter().find(|(known, _)| **known == *id).map(|(_, slot)| *slot)
    }

    /// Adds an id with the slot that `make` returns; `None` if the id is there already, or `make` returns no slot.
    pub(super) fn insert(&self, id: &[u8], make: impl FnOnce() -> Option<SlotId>) -> Option<()> {
        let mut count = self.count.lock();
        let mut buckets = self.buckets.load_full();
        if *count >= buckets.len() * FULL {
            buckets = Arc::new(self.grown(&buckets));
            self.buckets.store(Arc::clone(&buckets));
        }
        let bucket = buckets.get(self.number(id, &buckets))?;
        let mut entries = bucket.load().as_deref().cloned().unwrap_or_default();
        if entries.iter().any(|(known, _)| **known == *id) {
            return None;
        }
        entries.push((id.into(), make()?));
        bucket.store(Some(Arc::new(entries)));
        *count += 1;
        Some(())
    }

    /// Removes an id; returns the slot of its object.
    pub(super) fn remove(&self, id: &[u8]) -> Option<SlotId> {
        let mut count = self.count.lock();
        let buckets = self.buckets.load();
        let bucket = buckets.get(self.number(id, &buckets))?;
        let mut entries = bucket.load().as_deref().cloned()?;
        let position = entries.iter().position(|(known, _)| **known == *id)?;
        let (_, slot) = entries.swap_remove(position);
        bucket.store((!entries.is_empty()).then(|| Arc::new(entries)));
        *count -= 1;
        Some(slot)
    }

    /// Removes all ids.
    pub(super) fn clear(&self) {
        let mut count = self.count.lock();
        self.buckets.store(Arc::new(buckets(FIRST_BUCKETS)));
        *count = 0;
    }

    /// Copies the ids to twice as many buckets.
    fn grown(&self, old: &[Bucket]) -> Box<[Bucket]> {
        let mut sorted: Vec<Vec<(Box<[u8]>, SlotId)>> = Vec::new();
        let grown = buckets(old.len() * 2);
        sorted.resize_with(grown.len(), Vec::new);
        for bucket in old {
            for (id, slot) in bucket.load().as_deref().into_iter().flatten() {
                if let Some(entries) = sorted.get_mut(self.number(id, &grown)) {
                    entries.push((id.clone(), *slot));
                }
            }
        }
        for (bucket, entries) in grown.iter().zip(sorted) {
            bucket.store((!entries.is_empty()).then(|| Arc::new(entries)));
        }
        grown
    }
}

fn buckets(count: usize) -> Box<[Bucket]> {
    (0..count).map(|_| Bucket::empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> [u8; 4] {
        number.to_be_bytes()
    }

    #[test]
    fn ids_are_found_while_the_table_grows_until_they_are_removed() {
        const IDS: u32 = 5000;
        let table = IdTable::new();
        for number in 0..IDS {
            table.insert(&id(number), || Some((number, 1))).unwrap();
            assert!(table.insert(&id(number), || panic!("it is there")).is_none());
        }
        assert!(table.buckets.load().len() > IDS as usize / FULL / 2);
        for number in 0..IDS {
            assert_eq!(table.find(&id(number)), Some((number, 1)));
        }
        assert_eq!(table.find(&id(IDS)), None);
        for number in (0..IDS).step_by(2) {
            assert_eq!(table.remove(&id(number)), Some((number, 1)));
            assert_eq!(table.remove(&id(number)), None);
        }
        let left = (0..IDS).filter(|&number| table.find(&id(number)).is_some()).count();
        assert_eq!(left, IDS as usize / 2);
        table.clear();
        assert_eq!(table.find(&id(1)), None);
        table.insert(&id(1), || Some((7, 7))).unwrap();
        assert_eq!(table.find(&id(1)), Some((7, 7)));
    }

    #[test]
    fn readers_find_an_id_while_others_are_added_and_removed() {
        let table = IdTable::new();
        table.insert(b"stays", || Some((1, 1))).unwrap();
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| (0..20_000).all(|_| table.find(b"stays") == Some((1, 1))));
            for number in 0..2000 {
                table.insert(&id(number), || Some((0, 0))).unwrap();
                if number % 3 == 0 {
                    table.remove(&id(number)).unwrap();
                }
            }
            assert!(reader.join().unwrap());
        });
    }

    #[test]
    fn an_id_without_a_slot_is_not_added() {
        let table = IdTable::new();
        assert!(table.insert(b"x", || None).is_none());
        assert_eq!(table.find(b"x"), None);
    }
}
