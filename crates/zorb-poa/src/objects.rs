//! The active object map.

use std::sync::{Arc, OnceLock};

use zorb_base::object_id::ObjectId;

use crate::active_object::{ActiveObject, DirectCalls, WeakAdapter};
use crate::ids::IdTable;
use crate::key::system_id;
use crate::skeleton::Skeleton;
use crate::slots::{Found, SlotTable};

/// The active objects of an adapter. Finding one takes no lock and writes to no shared memory, so that connections
/// on different processors do not wait for each other.
pub(super) struct Objects {
    slots: Box<SlotTable>,
    /// Whether the map assigns ids, which are slots.
    ids_are_slots: bool,
    /// The slots of objects by id. If the ids are slots, only of those that were activated with an id that is not
    /// their slot.
    ids: OnceLock<Box<IdTable>>,
    /// The adapter of the objects.
    adapter: WeakAdapter,
    /// How collocated calls may call the servants.
    direct_calls: DirectCalls,
}

impl Objects {
    /// Creates the empty map of an adapter; `ids_are_slots` for transient system ids, which are index and generation.
    pub(super) fn new(
        adapter: WeakAdapter,
        ids_are_slots: bool,
        direct_calls: DirectCalls,
    ) -> Self {
        let slots = Box::new(SlotTable::new());
        Self { slots, ids_are_slots, ids: OnceLock::new(), adapter, direct_calls }
    }

    /// Creates an object that is not in the map.
    pub(super) fn object(&self, id: ObjectId, skeleton: Box<dyn Skeleton>) -> Arc<ActiveObject> {
        let adapter = WeakAdapter::clone(&self.adapter);
        Arc::new(ActiveObject::new(id, adapter, Arc::from(skeleton), self.direct_calls))
    }

    /// Whether an object is one of this map's adapter.
    pub(super) fn are_of_adapter(&self, object: &ActiveObject) -> bool {
        object.is_of(&self.adapter)
    }

    /// Whether the map assigns the ids, which are slots.
    pub(super) fn ids_are_slots(&self) -> bool {
        self.ids_are_slots
    }

    /// Whether an id may be one that the map has assigned.
    pub(super) fn has_assigned(&self, id: &[u8]) -> bool {
        self.ids_are_slots && system_id(id).is_some_and(|(slot, _)| self.slots.has_used(slot))
    }

    /// The object `id`.
    pub(super) fn find(&self, id: &[u8]) -> Option<Found> {
        self.find_usual(id).or_else(|| self.find_reactivated(id))
    }

    /// The object `id`, unless it must be found with [`find_reactivated`](Self::find_reactivated).
    #[inline]
    pub(super) fn find_usual(&self, id: &[u8]) -> Option<Found> {
        let (index, generation) = match self.ids_are_slots {
            true => system_id(id).or_else(|| self.slot_by_id(id))?,
            false => self.ids.get()?.find(id)?,
        };
        self.slots.find(index, generation)
    }

    /// The slot of an object that was activated with an id that is not its slot.
    #[cold]
    #[inline(never)]
    fn slot_by_id(&self, id: &[u8]) -> Option<(u32, u32)> {
        self.ids.get()?.find(id)
    }

    /// The object `id`, if it was activated with an id that has been a slot before.
    #[cold]
    #[inline(never)]
    pub(super) fn find_reactivated(&self, id: &[u8]) -> Option<Found> {
        let (index, generation) = self.slot_by_id(id).filter(|_| self.ids_are_slots)?;
        self.slots.find(index, generation)
    }

    /// The index and the generation of the slot of the object `id`, which may be inactive.
    pub(super) fn slot_of(&self, id: &[u8]) -> Option<(u32, u32)> {
        let by_id = self.ids.get().and_then(|ids| ids.find(id));
        by_id.or_else(|| system_id(id).filter(|_| self.ids_are_slots))
    }

    /// The object in a slot, if the slot has this generation.
    #[inline]
    pub(super) fn find_in_slot(&self, slot: u32, generation: u32) -> Option<Found> {
        self.slots.find(slot, generation)
    }

    /// Adds an object with `id`, or with one that the map assigns; `None` if the map is full.
    pub(super) fn insert(
        &self,
        id: Option<ObjectId>,
        skeleton: Box<dyn Skeleton>,
    ) -> Option<ObjectId> {
        let Some(id) = id else {
            let mut assigned = None;
            self.slots.insert(|index, generation| {
                let octets = [index.to_be_bytes(), generation.to_be_bytes()].concat();
                let id = ObjectId::new(octets);
                assigned = Some(id.clone());
                self.object(id, skeleton)
            })?;
            return assigned;
        };
        self.add(&self.object(id.clone(), skeleton))?;
        Some(id)
    }

    /// Adds an object; `None` if the map is full, or its id is in it.
    pub(super) fn add(&self, object: &Arc<ActiveObject>) -> Option<()> {
        let ids = self.ids.get_or_init(|| Box::new(IdTable::new()));
        ids.insert(object.id.as_bytes(), || self.slots.insert(|_, _| Arc::clone(object)))
    }

    /// Removes and returns the object `id`.
    pub(super) fn remove(&self, id: &[u8]) -> Option<Arc<ActiveObject>> {
        if self.ids_are_slots
            && let Some((index, generation)) = system_id(id)
            && let Some(object) = self.slots.remove(index, generation)
        {
            return Some(object);
        }
        let (index, generation) = self.ids.get()?.remove(id)?;
        self.slots.remove(index, generation)
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// All objects.
    pub(super) fn all(&self) -> Vec<Arc<ActiveObject>> {
        self.slots.all()
    }

    /// Replaces all objects by their successors, and returns them.
    pub(super) fn succeed(&self) -> Vec<Arc<ActiveObject>> {
        self.slots.replace(ActiveObject::successor)
    }

    /// Removes and returns all objects.
    pub(super) fn take(&self) -> Vec<Arc<ActiveObject>> {
        if let Some(ids) = self.ids.get() {
            ids.clear();
        }
        self.slots.take()
    }
}
