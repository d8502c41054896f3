//! The objects that a servant activator is incarnating or has to etherealize, and the requests that wait for it.
//!
//! ```text
//!           a request               incarnate              nothing waits
//! inactive ----------> incarnating -----------> incarnated -------------> in the active object map
//!    ^ ^                    |                       |                               |
//!    | +--------------------+                       | deactivate                    | deactivate
//!    |       an exception                           v                               |
//!    +------------------------------------- etherealizing <-------------------------+
//!     etherealize, after the last request
//! ```
//!
//! The request that finds an inactive object incarnates it, on its own thread. Others wait in the object's queue
//! meanwhile, and while it is etherealized, and are served in their order: an object is added to the active object map,
//! where requests find it without asking here, when no request waits. The table contains only objects that are changing
//! or for which requests wait.

mod state;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use zorb_base::callback::call_back;
use zorb_base::object_id::ObjectId;
use zorb_base::upcall_thread::would_deadlock;
use zorb_os::lock::Lock;
use zorb_os::thread;

use crate::active_object::ActiveObject;
use crate::error::{PoaError, no_memory};
use crate::hold_queue::{Arrival, HoldLimits, HoldQueue, Stopped};
use crate::objects::Objects;
use crate::registered::Registered;
use crate::servants::{Activator, EndedObject, NoServant, no_manager};
use crate::skeleton::Skeleton;
use state::{Phase, State};

/// The changing objects of an adapter with a servant activator.
pub(crate) struct ChangingObjects {
    activator: Registered<dyn Activator>,
    limits: HoldLimits,
    state: Lock<State>,
}

/// Why an object has not been activated.
pub(crate) enum NotActivated {
    /// It is being incarnated or etherealized. Ask again when the queue is open.
    Changing(HoldQueue),
    /// It cannot be.
    Refused(PoaError),
}

impl From<PoaError> for NotActivated {
    fn from(error: PoaError) -> Self {
        Self::Refused(error)
    }
}

/// What a request for an object that is not in the active object map gets.
pub(crate) enum Wanted {
    /// The object.
    Object(Arc<ActiveObject>),
    /// The task to incarnate it.
    Incarnation(Incarnation),
}

impl ChangingObjects {
    pub(crate) fn new(limits: HoldLimits) -> Arc<Self> {
        Arc::new(Self { activator: Registered::default(), limits, state: Lock::default() })
    }

    /// The servant activator, once it is set.
    pub(crate) fn activator(&self) -> &Registered<dyn Activator> {
        &self.activator
    }

    /// What a request for the object `id` gets. `map` is the active object map, in which the object was not. `has_permit`
    /// tells whether the calling thread makes the only upcall that the adapter allows at a time.
    pub(crate) fn find(
        self: &Arc<Self>,
        id: ObjectId,
        arrival: Arrival<'_>,
        has_permit: impl FnOnce() -> bool,
        map: &Objects,
    ) -> Result<Wanted, Stopped> {
        if !self.activator.is_set() {
            return Err(Stopped::Refused(no_manager()));
        }
        let mut state = self.state.lock();
        let phase = Phase::Incarnating(thread::id());
        let queue = if let Some(object) = state.objects.get_mut(&id) {
            if matches!(arrival, Arrival::Collocated) && object.needs_caller(&id, has_permit, map) {
                return Err(Stopped::Refused(would_deadlock()));
            }
            object.queue.admit(arrival)?;
            if let Phase::Incarnated(active) = &object.phase {
                let active = Arc::clone(active);
                if object.queue.has_no_requests() && map.add(&active).is_some() {
                    state.objects.remove(&id);
                }
                return Ok(Wanted::Object(active));
            }
            // Its gate is closed in the other phases, so that nothing waits for a request that incarnates it.
            object.queue.close();
            object.phase = phase;
            object.queue.clone()
        } else {
            // In the meantime another request may have incarnated it.
            if let Some(active) = map.find(id.as_bytes()).and_then(|found| found.to_shared()) {
                return Ok(Wanted::Object(active));
            }
            let copy = id.try_clone().map_err(|error| Stopped::Refused(no_memory(error)))?;
            state.add(copy, phase, &self.limits, map)
        };
        drop(state);
        Ok(Wanted::Incarnation(Incarnation { id, queue, objects: Arc::clone(self) }))
    }

    /// The object `id`, if it is active but not in the active object map yet.
    pub(crate) fn incarnated(&self, id: &[u8]) -> Option<Arc<ActiveObject>> {
        match &self.state.lock().objects.get(id)?.phase {
            Phase::Incarnated(object) => Some(Arc::clone(object)),
            _ => None,
        }
    }

    /// Lets `insert` add an object of `servant` to the active object map, with this id if it is known, and counts it. No
    /// request begins to incarnate the object meanwhile. Takes the id if it succeeds.
    ///
    /// # Errors
    /// See [`NotActivated`].
    pub(crate) fn activate(
        &self,
        id: &mut Option<ObjectId>,
        servant: usize,
        has_permit: impl FnOnce() -> bool,
        map: &Objects,
        insert: impl FnOnce(Option<ObjectId>) -> Result<ObjectId, PoaError>,
    ) -> Result<ObjectId, NotActivated> {
        let mut state = self.state.lock();
        let changing = id.as_ref().and_then(|id| Some((id, state.objects.get(id)?)));
        if let Some((id, object)) = changing {
            match object.phase {
                // Its queue is open: the requests in it find the object in the map.
                Phase::Inactive => {}
                Phase::Incarnated(_) => return Err(PoaError::ObjectAlreadyActive.into()),
                _ if object.needs_caller(id, has_permit, map) => {
                    return Err(PoaError::System(would_deadlock()).into());
                }
                Phase::Incarnating(_) | Phase::Etherealizing(_) => {
                    return Err(match object.queue.admit(Arrival::Collocated) {
                        // The ORB is shutting down.
                        Err(Stopped::Refused(exception)) => PoaError::System(exception).into(),
                        Err(Stopped::Held(_)) | Ok(()) => {
                            NotActivated::Changing(object.queue.clone())
                        }
                    });
                }
            }
            state.objects.remove(id);
        }
        let id = insert(id.take())?;
        *state.activations.entry(servant).or_default() += 1;
        Ok(id)
    }

    /// Counts an object of a servant.
    fn count(&self, servant: usize) {
        *self.state.lock().activations.entry(servant).or_default() += 1;
    }

    /// Counts an object of a servant no more. Returns whether the servant has others.
    pub(crate) fn uncount(&self, servant: usize) -> bool {
        let mut state = self.state.lock();
        let Some(count) = state.activations.get_mut(&servant) else { return false };
        *count -= 1;
        let has_others = *count > 0;
        if !has_others {
            state.activations.remove(&servant);
        }
        has_others
    }

    /// Deactivates the object `id`; `None` if it is not active. If there is an activator, requests for it wait until
    /// it has been [etherealized](Self::etherealize).
    pub(crate) fn deactivate(&self, id: &ObjectId, map: &Objects) -> Option<Arc<ActiveObject>> {
        let mut state = self.state.lock();
        let removed = match state.objects.get(id).map(|object| &object.phase) {
            // Its requests ask again, and then wait in the new queue.
            Some(Phase::Incarnated(object)) => {
                let object = Arc::clone(object);
                state.objects.remove(id);
                object
            }
            Some(_) => return None,
            None => map.remove(id.as_bytes())?,
        };
        if self.activator.is_set() {
            state.add(id.clone(), Phase::Etherealizing(None), &self.limits, map);
        }
        Some(removed)
    }

    /// The active objects that are not in the active object map yet.
    pub(crate) fn all(&self) -> Vec<Arc<ActiveObject>> {
        let state = self.state.lock();
        let objects = state.objects.values().filter_map(|object| match &object.phase {
            Phase::Incarnated(active) => Some(Arc::clone(active)),
            _ => None,
        });
        objects.collect()
    }

    /// Replaces these objects by their successors, and returns them.
    pub(crate) fn succeed(&self) -> Vec<Arc<ActiveObject>> {
        let mut state = self.state.lock();
        let objects = state.objects.values_mut().filter_map(|object| match &mut object.phase {
            Phase::Incarnated(active) => {
                let successor = active.successor();
                Some(std::mem::replace(active, successor))
            }
            _ => None,
        });
        objects.collect()
    }

    /// Removes and returns the active objects that are not in the active object map yet.
    pub(crate) fn take(&self) -> Vec<Arc<ActiveObject>> {
        let mut taken = Vec::new();
        self.state.lock().objects.retain(|_, object| match &object.phase {
            Phase::Incarnated(active) => {
                taken.push(Arc::clone(active));
                false
            }
            _ => true,
        });
        taken
    }

    /// Lets the activator etherealize the object `id`, whose last request has ended.
    pub(crate) fn etherealize(
        &self,
        id: &ObjectId,
        skeleton: Box<dyn Skeleton>,
        cleanup_in_progress: bool,
    ) {
        if let Some(object) = self.state.lock().objects.get_mut(id)
            && let Phase::Etherealizing(by) = &mut object.phase
        {
            *by = Some(thread::id());
        }
        let remaining_activations = self.uncount(skeleton.identity());
        let ended = EndedObject { id, skeleton, cleanup_in_progress, remaining_activations };
        if let Some(activator) = self.activator.get() {
            call_back("etherealize", || activator.etherealize(ended));
        }
        self.end(id);
    }

    /// The object `id` has been etherealized: the next request incarnates it.
    fn end(&self, id: &ObjectId) {
        let mut state = self.state.lock();
        let Some(object) = state.objects.get_mut(id) else { return };
        if !matches!(object.phase, Phase::Etherealizing(_)) {
            return;
        }
        object.phase = Phase::Inactive;
        let queue = object.queue.clone();
        if queue.has_no_requests() {
            state.objects.remove(id);
        }
        drop(state);
        // Without the lock: a resumed request may ask at once.
        queue.open();
    }

    /// Answers held requests with `TRANSIENT`, and holds no further ones.
    pub(crate) fn release(&self) {
        let mut state = self.state.lock();
        state.is_released = true;
        let queues: Vec<_> = state.objects.values().map(|object| object.queue.clone()).collect();
        drop(state);
        queues.iter().for_each(HoldQueue::release);
    }
}

/// The task to incarnate an object. Dropping it ends the attempt, and lets the other requests for the object ask again.
pub(crate) struct Incarnation {
    id: ObjectId,
    queue: HoldQueue,
    objects: Arc<ChangingObjects>,
}

impl Incarnation {
    pub(crate) fn id(&self) -> &ObjectId {
        &self.id
    }

    /// Lets the activator provide the servant.
    pub(crate) fn servant(&self) -> Result<Box<dyn Skeleton>, NoServant> {
        match self.objects.activator.get() {
            Some(activator) => activator.incarnate(&self.id),
            None => Err(NoServant::Refused(no_manager())),
        }
    }

    /// Counts the object among those of its servant.
    pub(crate) fn count(&self, servant: usize) {
        self.objects.count(servant);
    }

    /// The object has become active.
    pub(crate) fn incarnated(&self, object: &Arc<ActiveObject>, map: &Objects) {
        let mut state = self.objects.state.lock();
        let Some(changing) = state.objects.get_mut(&self.id) else { return };
        changing.phase = Phase::Incarnated(Arc::clone(object));
        if self.queue.has_no_requests() && map.add(object).is_some() {
            state.objects.remove(&self.id);
        }
    }
}

impl Drop for Incarnation {
    fn drop(&mut self) {
        let mut state = self.objects.state.lock();
        if let Some(object) = state.objects.get_mut(&self.id)
            && object.queue == self.queue
            && let Phase::Incarnating(_) = object.phase
        {
            object.phase = Phase::Inactive;
            if self.queue.has_no_requests() {
                state.objects.remove(&self.id);
            }
        }
        drop(state);
        // Without the lock: a resumed request may ask at once.
        self.queue.open();
    }
}
