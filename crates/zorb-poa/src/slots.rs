//! The table of active objects by slot index and generation.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::Guard;
use zorb_base::callback::call_back;
use zorb_base::object_id::ObjectId;
use zorb_base::steady_events::{Event, record};
use zorb_base::swap_slot::SwapSlot;
use zorb_os::lock::Lock;

use crate::active_object::ActiveObject;
use crate::call::Target;
use crate::hold_queue::serializer::UpcallPermit;

/// The number of slots in the first segment; each further segment has twice as many.
const FIRST_SEGMENT: usize = 64;
/// Enough segments for all 32-bit indexes.
const SEGMENTS: usize = 26;

type Slot = SwapSlot<Occupant>;

/// The content of a slot.
pub(crate) struct Occupant {
    generation: u32,
    /// `None` only while it is dropped.
    object: Option<Arc<ActiveObject>>,
    /// The permit of a request, for which this was created.
    _permit: Option<UpcallPermit>,
}

impl Occupant {
    fn of(object: Arc<ActiveObject>, generation: u32) -> Arc<Self> {
        Arc::new(Self { generation, object: Some(object), _permit: None })
    }
}

impl Drop for Occupant {
    /// Drops the servant if nobody else has it. This may happen on the thread of a request, which serves others, too.
    fn drop(&mut self) {
        let object = self.object.take();
        call_back("the drop of a servant", || drop(object));
    }
}

/// The object of a request. It remains alive until this is dropped, even if its slot changes. Holding it writes to no
/// memory that other threads access.
pub struct Found(Guard<Option<Arc<Occupant>>>);

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Found").field("object", &self.object()).finish_non_exhaustive()
    }
}

impl Found {
    /// An object that occupies no slot.
    pub(crate) fn without_slot(object: Arc<ActiveObject>) -> Self {
        Self(Guard::from_inner(Some(Occupant::of(object, 0))))
    }

    /// The same with the permit for its upcall, if requests need one. Dropping it ends the upcall.
    #[cold]
    pub(crate) fn with_permit(self, permit: Option<UpcallPermit>) -> Self {
        let Some(permit) = permit else { return self };
        let occupant = Occupant { generation: 0, object: self.to_shared(), _permit: Some(permit) };
        Self(Guard::from_inner(Some(Arc::new(occupant))))
    }

    /// The object. It is never `None`.
    #[inline]
    pub fn object(&self) -> Option<&ActiveObject> {
        self.0.as_deref()?.object.as_deref()
    }

    /// The object with a reference count of its own.
    pub(crate) fn to_shared(&self) -> Option<Arc<ActiveObject>> {
        self.0.as_deref()?.object.clone()
    }
}

impl Target for Found {
    fn id(&self) -> Option<&ObjectId> {
        self.object().map(|object| &object.id)
    }

    fn object(&self) -> Option<&dyn Any> {
        self.object().map(|object| object as _)
    }

    fn keep(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.to_shared().map(|object| object as _)
    }
}

/// A table whose readers take no lock, and which never moves a slot.
///
/// After a deactivation a slot is reused with the next generation, so that old references find nothing.
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

/// The segment of a slot index, and the offset in it.
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
        let (segment, offset) = locate(index);
        self.segments.get(segment)?.get()?.get(offset)
    }

    /// The object in slot `index`, if the slot has this generation.
    #[inline]
    pub(super) fn find(&self, index: u32, generation: u32) -> Option<Found> {
        let slot = self.slot(index)?.load();
        let matches = slot.as_ref().is_some_and(|occupant| occupant.generation == generation);
        matches.then_some(Found(slot))
    }

    /// Adds the object that `make` creates for a slot and generation; `None` if 2³² slots are occupied.
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
        let (segment, offset) = locate(index);
        let slots = self
            .segments
            .get(segment)?
            .get_or_init(|| (0..FIRST_SEGMENT << segment).map(|_| Slot::empty()).collect());
        let object = make(index, generation);
        record(Event::TableWritten);
        slots.get(offset)?.store(Some(Occupant::of(object, generation)));
        self.active.fetch_add(1, Ordering::Relaxed);
        Some((index, generation))
    }

    /// Removes and returns the object in a slot, which becomes free.
    pub(super) fn remove(&self, index: u32, generation: u32) -> Option<Arc<ActiveObject>> {
        let mut free = self.free.lock();
        let slot = self.slot(index)?;
        let taken = slot.load_full().filter(|occupant| occupant.generation == generation)?;
        record(Event::TableWritten);
        slot.store(None);
        // After its last generation a slot is not reused: an old reference could find another object.
        if generation != u32::MAX {
            free.released.push((index, generation));
        }
        self.active.fetch_sub(1, Ordering::Relaxed);
        taken.object.clone()
    }

    /// Whether a slot has been used.
    pub(super) fn has_used(&self, index: u32) -> bool {
        index < self.free.lock().next
    }

    /// The number of objects.
    pub(super) fn len(&self) -> usize {
        self.active.load(Ordering::Relaxed)
    }

    /// All objects.
    pub(super) fn all(&self) -> Vec<Arc<ActiveObject>> {
        // Under the lock, so that objects that it misses are added after the call.
        let free = self.free.lock();
        (0..free.next)
            .filter_map(|index| self.slot(index)?.load_full())
            .filter_map(|occupant| occupant.object.clone())
            .collect()
    }

    /// Replaces each object by the one that `make` returns, in the same slot, and returns them.
    pub(super) fn replace(
        &self,
        make: impl Fn(&ActiveObject) -> Arc<ActiveObject>,
    ) -> Vec<Arc<ActiveObject>> {
        record(Event::TableWritten);
        let free = self.free.lock();
        let replace = |slot: &Slot| {
            let old = slot.load_full()?;
            let object = old.object.as_ref()?;
            slot.store(Some(Occupant::of(make(object), old.generation)));
            Some(Arc::clone(object))
        };
        (0..free.next).filter_map(|index| replace(self.slot(index)?)).collect()
    }

    /// Removes and returns all objects.
    pub(super) fn take(&self) -> Vec<Arc<ActiveObject>> {
        record(Event::TableWritten);
        let free = self.free.lock();
        self.active.store(0, Ordering::Relaxed);
        (0..free.next)
            .filter_map(|index| self.slot(index)?.swap(None))
            .filter_map(|occupant| occupant.object.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests;
