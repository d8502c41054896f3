//! The object table: an index and a generation lead straight to the servant.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwapOption, Guard};
use zorb_base::steady_events::{Event, record};
use zorb_os::lock::Lock;

use crate::active_object::ActiveObject;

/// Slots in the first segment; each further one is twice as long.
const FIRST_SEGMENT: usize = 64;
/// Enough segments for every index of 32 bits.
const SEGMENTS: usize = 26;

type Slot = ArcSwapOption<Occupant>;

/// What a slot holds.
pub(crate) struct Occupant {
    generation: u32,
    object: Arc<ActiveObject>,
}

/// An object that was found. It stays, whatever becomes of its slot, for as long as this is kept, and
/// keeping it writes to nothing that other threads read or write.
pub struct Found(Guard<Option<Arc<Occupant>>>);

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Found").field("object", &self.object()).finish_non_exhaustive()
    }
}

impl Found {
    /// The object, which is always there.
    #[inline]
    pub fn object(&self) -> Option<&ActiveObject> {
        self.0.as_deref().map(|occupant| &*occupant.object)
    }

    /// The object, counted.
    pub(crate) fn to_shared(&self) -> Option<Arc<ActiveObject>> {
        self.0.as_deref().map(|occupant| Arc::clone(&occupant.object))
    }
}

/// A table that readers pass without a lock and that never moves a slot.
///
/// A slot is used again after a deactivation, with the next generation, so that old references
/// find nothing.
pub(super) struct SlotTable {
    segments: [OnceLock<Box<[Slot]>>; SEGMENTS],
    free: Lock<FreeSlots>,
    active: AtomicUsize,
}

#[derive(Default)]
struct FreeSlots {
    released: Vec<(u32, u32)>,
    next: u32,
}

/// The segment and the place in it of a slot index.
fn locate(index: u32) -> (usize, usize) {
    let position = index as usize / FIRST_SEGMENT + 1;
    let segment = position.ilog2() as usize;
    let first = ((1 << segment) - 1) * FIRST_SEGMENT;
    (segment, index as usize - first)
}

impl SlotTable {
    pub(super) fn new() -> Self {
        Self {
            segments: [const { OnceLock::new() }; SEGMENTS],
            free: Lock::default(),
            active: AtomicUsize::new(0),
        }
    }

    fn slot(&self, index: u32) -> Option<&Slot> {
        let (segment, place) = locate(index);
        self.segments.get(segment)?.get()?.get(place)
    }

    /// The object in slot `index`, if it is of that generation.
    #[inline]
    pub(super) fn find(&self, index: u32, generation: u32) -> Option<Found> {
        let slot = self.slot(index)?.load();
        let is_it = slot.as_ref().is_some_and(|occupant| occupant.generation == generation);
        is_it.then_some(Found(slot))
    }

    /// Puts an object into a free slot; `None` when 2³² are taken.
    pub(super) fn insert(
        &self,
        make: impl FnOnce(u32, u32) -> Arc<ActiveObject>,
    ) -> Option<(u32, u32)> {
        let mut free = self.free.lock();
        let (index, generation) = match free.released.pop() {
            Some((index, generation)) => (index, generation + 1),
            None => {
                let index = free.next;
                free.next = index.checked_add(1)?;
                (index, 0)
            }
        };
        let (segment, place) = locate(index);
        let slots = self
            .segments
            .get(segment)?
            .get_or_init(|| (0..FIRST_SEGMENT << segment).map(|_| Slot::empty()).collect());
        let object = make(index, generation);
        record(Event::TableWritten);
        slots.get(place)?.store(Some(Arc::new(Occupant { generation, object })));
        self.active.fetch_add(1, Ordering::Relaxed);
        Some((index, generation))
    }

    /// Takes the object out of its slot, which is free from then on.
    pub(super) fn remove(&self, index: u32, generation: u32) -> Option<Arc<ActiveObject>> {
        let mut free = self.free.lock();
        let slot = self.slot(index)?;
        let taken = slot.load_full().filter(|occupant| occupant.generation == generation)?;
        record(Event::TableWritten);
        slot.store(None);
        // After its last generation a slot stays empty: an old reference could find another object.
        if generation != u32::MAX {
            free.released.push((index, generation));
        }
        self.active.fetch_sub(1, Ordering::Relaxed);
        Some(Arc::clone(&taken.object))
    }

    /// Objects in the table.
    pub(super) fn len(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// Every object in the table.
    pub(super) fn all(&self) -> Vec<Arc<ActiveObject>> {
        // Under the lock, so that what is not found comes in after this.
        let free = self.free.lock();
        (0..free.next)
            .filter_map(|index| self.slot(index)?.load_full())
            .map(|occupant| Arc::clone(&occupant.object))
            .collect()
    }

    /// Takes every object out.
    pub(super) fn take(&self) -> Vec<Arc<ActiveObject>> {
        record(Event::TableWritten);
        let free = self.free.lock();
        self.active.store(0, Ordering::Relaxed);
        (0..free.next)
            .filter_map(|index| self.slot(index)?.swap(None))
            .map(|occupant| Arc::clone(&occupant.object))
            .collect()
    }
}

#[cfg(test)]
mod tests;
