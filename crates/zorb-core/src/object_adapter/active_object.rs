//! Active objects: the entries of an active object map.

use std::sync::Weak;

use zorb_os::lock::Lock;

use super::servant_objects::ServantObjects;
use super::skeleton::Skeleton;
use crate::object_id::ObjectId;

/// An object with a servant.
pub(crate) struct ActiveObject {
    pub(crate) id: ObjectId,
    pub(crate) skeleton: Box<dyn Skeleton>,
    servant_objects: ServantObjects,
    collocated: Lock<Collocated>,
}

/// A reference in this process that calls the servant without a message.
pub(crate) trait CollocatedReference: Send + Sync {
    /// Forgets the servant: the object is no longer active.
    fn forget_servant(&self);
}

#[derive(Default)]
struct Collocated {
    /// The object is no longer active, or its ORB has shut down.
    ended: bool,
    references: Vec<Weak<dyn CollocatedReference>>,
}

impl ActiveObject {
    pub(super) fn new(id: ObjectId, skeleton: Box<dyn Skeleton>) -> Self {
        Self {
            id,
            skeleton,
            servant_objects: ServantObjects::default(),
            collocated: Lock::default(),
        }
    }

    /// The servant as an `S`, which is looked for at `place` first; `None` when it does not serve that.
    #[inline]
    pub(crate) fn servant<S: ?Sized + 'static>(&self, place: usize) -> Option<&S> {
        match self.servant_objects.first(place) {
            Some(servant) => Some(servant),
            None => self.servant_objects.find(place, &*self.skeleton),
        }
    }

    /// Adds a reference that calls the servant without a message from now on, which `link` makes it do;
    /// nothing happens when the object is no longer active.
    pub(crate) fn collocate(&self, reference: Weak<dyn CollocatedReference>, link: impl FnOnce()) {
        let mut collocated = self.collocated.lock();
        if collocated.ended {
            return;
        }
        // References come and go: those gone are swept out before the list grows.
        if collocated.references.len() == collocated.references.capacity() {
            collocated.references.retain(|reference| reference.strong_count() > 0);
        }
        collocated.references.push(reference);
        link();
    }

    /// Makes all collocated references forget the servant, and accepts no more of them. Calls that are
    /// running finish.
    pub(crate) fn end_collocation(&self) {
        let references = {
            let mut collocated = self.collocated.lock();
            collocated.ended = true;
            std::mem::take(&mut collocated.references)
        };
        // Without the lock: a servant may be dropped here, and a reference with it.
        for reference in references.iter().filter_map(Weak::upgrade) {
            reference.forget_servant();
        }
    }
}
