//! The phases of changing objects.

use std::collections::HashMap;
use std::sync::Arc;

use zorb_base::object_id::ObjectId;
use zorb_os::thread;

use crate::active_object::ActiveObject;
use crate::current::is_serving;
use crate::hold_queue::{Gate, HoldLimits, HoldQueue};
use crate::objects::Objects;

#[derive(Default)]
pub(super) struct State {
    pub(super) objects: HashMap<ObjectId, ChangingObject>,
    /// How many objects each servant has, by its identity, until they have been etherealized.
    pub(super) activations: HashMap<usize, usize>,
    /// Whether the ORB is shutting down: no requests are held any more.
    pub(super) is_released: bool,
}

pub(super) struct ChangingObject {
    pub(super) queue: HoldQueue,
    pub(super) phase: Phase,
}

/// What happens to an object.
pub(super) enum Phase {
    /// Nothing: the next request incarnates it.
    Inactive,
    /// This thread incarnates it.
    Incarnating(u32),
    /// It is active, but requests wait, which precede new ones.
    Incarnated(Arc<ActiveObject>),
    /// It is deactivated: its servant is etherealized after the last request, by this thread, if it is known already.
    Etherealizing(Option<u32>),
}

impl State {
    /// Adds an object in a phase in which its requests wait.
    pub(super) fn add(
        &mut self,
        id: ObjectId,
        phase: Phase,
        limits: &HoldLimits,
        map: &Objects,
    ) -> HoldQueue {
        if self.objects.len() == self.objects.capacity() {
            // Their requests were discarded, or their clients have gone.
            self.objects.retain(|_, object| object.is_needed(map));
        }
        let queue = HoldQueue::new(Gate::Closed, limits.clone());
        if self.is_released {
            queue.release();
        }
        self.objects.insert(id, ChangingObject { queue: queue.clone(), phase });
        queue
    }
}

impl ChangingObject {
    /// Whether the calling thread would wait for itself: it incarnates or etherealizes the object, makes an upcall of
    /// it, which precedes the etherealization, or has the permit for that.
    pub(super) fn needs_caller(
        &self,
        id: &ObjectId,
        has_permit: impl FnOnce() -> bool,
        map: &Objects,
    ) -> bool {
        match &self.phase {
            Phase::Incarnating(by) | Phase::Etherealizing(Some(by)) => *by == thread::id(),
            Phase::Etherealizing(None) => {
                has_permit() || is_serving(|object| object.id == *id && map.are_of_adapter(object))
            }
            Phase::Inactive | Phase::Incarnated(_) => false,
        }
    }

    /// Whether its requests still have to ask here. Moves it to the active object map if it is active.
    pub(super) fn is_needed(&self, map: &Objects) -> bool {
        match &self.phase {
            Phase::Incarnating(_) | Phase::Etherealizing(_) => true,
            _ if !self.queue.has_no_requests() => true,
            Phase::Inactive => false,
            Phase::Incarnated(object) => map.add(object).is_none(),
        }
    }
}
