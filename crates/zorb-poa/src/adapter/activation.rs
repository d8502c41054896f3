//! Activates and deactivates the objects of an adapter.

use std::sync::atomic::Ordering;

use zorb_base::object_id::ObjectId;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::ObjectAdapter;
use crate::active_object::ActiveObject;
use crate::error::PoaError;
use crate::policies::IdUniqueness;
use crate::skeleton::Skeleton;

impl ObjectAdapter {
    /// Adds a servant to the active object map, with `id` or one that the adapter assigns. Returns the id.
    ///
    /// # Errors
    /// `ServantAlreadyActive`, `ObjectAlreadyActive`; `OBJECT_NOT_EXIST` if the adapter has been destroyed;
    /// `NO_RESOURCES` if the map is full.
    pub fn incarnate(
        &self,
        id: Option<ObjectId>,
        skeleton: Box<dyn Skeleton>,
    ) -> Result<ObjectId, PoaError> {
        let identity = skeleton.identity();
        let unique = self.policies.id_uniqueness == IdUniqueness::Unique;
        let mut servants = self.servants.lock();
        if self.destroyed.load(Ordering::Acquire) {
            return Err(PoaError::System(SystemException::object_not_exist(
                minor::object_not_exist::BEING_DEACTIVATED,
                CompletionStatus::No,
            )));
        }
        if unique && servants.contains_key(&identity) {
            return Err(PoaError::ServantAlreadyActive);
        }
        let id = match id {
            None if !self.objects.ids_are_slots() => Some(self.new_id()),
            id => id,
        };
        let full =
            || SystemException::no_resources(minor::no_resources::OBJECTS, CompletionStatus::No);
        let insert = |id: Option<ObjectId>| {
            if id.as_ref().is_some_and(|id| self.objects.find(id.as_bytes()).is_some()) {
                return Err(PoaError::ObjectAlreadyActive);
            }
            self.objects.insert(id, skeleton).ok_or_else(|| PoaError::from(full()))
        };
        let id = match self.provider.changing() {
            Some(changing) => {
                let known = id.clone();
                changing.activate(known.as_ref(), identity, || insert(id))?
            }
            None => insert(id)?,
        };
        if unique {
            servants.insert(identity, id.clone());
        }
        Ok(id)
    }

    /// Removes an object from the active object map. Requests in progress complete; the servant is dropped, and
    /// etherealized before, after the last one.
    ///
    /// # Errors
    /// `ObjectNotActive`.
    pub fn deactivate(&self, id: &ObjectId) -> Result<(), PoaError> {
        self.deactivate_for(id, false)
    }

    /// The same; `cleanup_in_progress` if the manager is deactivated.
    pub(super) fn deactivate_for(
        &self,
        id: &ObjectId,
        cleanup_in_progress: bool,
    ) -> Result<(), PoaError> {
        // One lock for both maps, so that no thread sees a servant in only one of them.
        let mut servants = self.servants.lock();
        let removed = match self.provider.changing() {
            Some(changing) => changing.deactivate(id, &self.objects),
            None => self.objects.remove(id.as_bytes()),
        };
        let object = removed.ok_or(PoaError::ObjectNotActive)?;
        servants.remove(&object.skeleton.identity());
        // Dropping the servant may call the adapter.
        drop(servants);
        self.end(&object, Some(cleanup_in_progress));
        drop(object);
        Ok(())
    }

    /// Ends an object that has been removed from the map, when its last request has completed.
    pub(super) fn end(&self, object: &ActiveObject, cleanup_in_progress: Option<bool>) {
        self.set_end(object, cleanup_in_progress);
        object.end_collocation();
    }
}
