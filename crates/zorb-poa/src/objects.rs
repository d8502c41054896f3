//! The active object map, in the form that the ids allow.

use std::sync::Arc;

use zorb_base::object_id::ObjectId;

use crate::active_object::ActiveObject;
use crate::ids::IdTable;
use crate::key::system_id;
use crate::skeleton::Skeleton;
use crate::slots::{Found, SlotTable};

/// The objects of an adapter. Finding one takes no lock and writes to nothing that is shared, so that
/// connections served by different processors do not wait for each other.
pub(super) struct Objects {
    slots: Box<SlotTable>,
    /// Where the objects are whose ids do not say so: all but those with transient system ids.
    ids: Option<Box<IdTable>>,
}

impl Objects {
    /// An empty map; `ids_are_slots` for transient system ids, which are index and generation.
    pub(super) fn new(ids_are_slots: bool) -> Self {
        let ids = (!ids_are_slots).then(|| Box::new(IdTable::new()));
        Self { slots: Box::new(SlotTable::new()), ids }
    }

    /// Whether ids are made here and stand for slots.
    pub(super) fn makes_ids(&self) -> bool {
        self.ids.is_none()
    }

    #[inline]
    pub(super) fn find(&self, id: &[u8]) -> Option<Found> {
        let (index, generation) = self.slot_of(id)?;
        self.slots.find(index, generation)
    }

    /// The index and the generation of the slot of the object `id`.
    #[inline]
    pub(super) fn slot_of(&self, id: &[u8]) -> Option<(u32, u32)> {
        match &self.ids {
            None => system_id(id),
            Some(ids) => ids.find(id),
        }
    }

    /// The object in a slot, if it is of that generation.
    #[inline]
    pub(super) fn find_in_slot(&self, slot: u32, generation: u32) -> Option<Found> {
        self.slots.find(slot, generation)
    }

    /// Adds an object under `id`, or under one made here; `None` when there is no room for it.
    pub(super) fn insert(
        &self,
        id: Option<ObjectId>,
        skeleton: Box<dyn Skeleton>,
    ) -> Option<ObjectId> {
        let (Some(ids), Some(id)) = (&self.ids, id) else {
            let mut made = None;
            self.slots.insert(|index, generation| {
                let octets = [index.to_be_bytes(), generation.to_be_bytes()].concat();
                let id = ObjectId::new(octets);
                made = Some(id.clone());
                Arc::new(ActiveObject::new(id, skeleton))
            })?;
            return made;
        };
        let object = Arc::new(ActiveObject::new(id.clone(), skeleton));
        ids.insert(id.as_bytes(), || self.slots.insert(|_, _| object))?;
        Some(id)
    }

    /// Takes the object of `id` out.
    pub(super) fn remove(&self, id: &[u8]) -> Option<Arc<ActiveObject>> {
        let (index, generation) = match &self.ids {
            None => system_id(id)?,
            Some(ids) => ids.remove(id)?,
        };
        self.slots.remove(index, generation)
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Every object.
    pub(super) fn all(&self) -> Vec<Arc<ActiveObject>> {
        self.slots.all()
    }

    /// Takes every object out.
    pub(super) fn take(&self) -> Vec<Arc<ActiveObject>> {
        if let Some(ids) = &self.ids {
            ids.clear();
        }
        self.slots.take()
    }
}
