//! Activates and deactivates the objects of an adapter.

use std::time::Instant;

use zorb_base::object_id::ObjectId;
use zorb_base::upcall_thread::about_to_block;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::ObjectAdapter;
use crate::active_object::ActiveObject;
use crate::changing::NotActivated;
use crate::error::{PoaError, not_there};
use crate::policies::IdUniqueness;
use crate::skeleton::Skeleton;

impl ObjectAdapter {
    /// Adds a servant to the active object map, with `id` or one that the adapter assigns. Returns the id. Waits while the
    /// object is being incarnated or etherealized.
    ///
    /// # Errors
    /// `ServantAlreadyActive`, `ObjectAlreadyActive`; `OBJECT_NOT_EXIST` if the adapter has been destroyed;
    /// `NO_RESOURCES` if the map is full; `BAD_INV_ORDER` (OMG 3) if the calling thread would wait for itself; `TRANSIENT`
    /// if the wait takes longer than the option `MaxHeldTime`, or too many requests wait for the object.
    pub fn incarnate(
        &self,
        id: Option<ObjectId>,
        skeleton: Box<dyn Skeleton>,
    ) -> Result<ObjectId, PoaError> {
        let (mut id, mut skeleton) = (id, Some(skeleton));
        let mut since = None;
        loop {
            match self.incarnate_now(&mut id, &mut skeleton) {
                Ok(id) => return Ok(id),
                Err(NotActivated::Refused(error)) => return Err(error),
                Err(NotActivated::Changing(queue)) => {
                    about_to_block();
                    queue.wait(*since.get_or_insert_with(Instant::now), None)?;
                }
            }
        }
    }

    /// The same without a wait. Takes `id` and `skeleton` if it succeeds.
    fn incarnate_now(
        &self,
        id: &mut Option<ObjectId>,
        skeleton: &mut Option<Box<dyn Skeleton>>,
    ) -> Result<ObjectId, NotActivated> {
        let identity = skeleton.as_ref().map_or(0, |skeleton| skeleton.identity());
        let unique = self.policies.id_uniqueness == IdUniqueness::Unique;
        let mut servants = self.servants.lock();
        if self.is_being_destroyed() {
            let gone = not_there(minor::object_not_exist::BEING_DEACTIVATED);
            return Err(PoaError::System(gone).into());
        }
        if unique && servants.contains_key(&identity) {
            return Err(PoaError::ServantAlreadyActive.into());
        }
        if id.is_none() && !self.objects.ids_are_slots() {
            *id = Some(self.new_id());
        }
        let full =
            || SystemException::no_resources(minor::no_resources::OBJECTS, CompletionStatus::No);
        let mut insert = |id: Option<ObjectId>| {
            if id.as_ref().is_some_and(|id| self.objects.find(id.as_bytes()).is_some()) {
                return Err(PoaError::ObjectAlreadyActive);
            }
            let skeleton = skeleton.take().ok_or_else(full)?;
            self.objects.insert(id, skeleton).ok_or_else(|| PoaError::from(full()))
        };
        let id = match self.provider.changing() {
            Some(changing) => {
                let has_permit = || {
                    self.serializer
                        .as_ref()
                        .is_some_and(|serializer| serializer.permits_of_caller() > 0)
                };
                changing.activate(id, identity, has_permit, &self.objects, insert)?
            }
            None => insert(id.take())?,
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
