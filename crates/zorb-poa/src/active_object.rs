//! Active objects: the entries of an active object map.

use std::any::Any;
use std::sync::{Arc, OnceLock, Weak};

use zorb_base::object_id::ObjectId;
use zorb_os::lock::Lock;

use crate::completion::{AtEnd, InProgress};
use crate::servant_objects::ServantObjects;
use crate::skeleton::Skeleton;

/// An object with a servant.
pub struct ActiveObject {
    pub(crate) id: ObjectId,
    /// Its adapter, without its type: that depends on this one.
    adapter: WeakAdapter,
    /// Makes the upcalls of its requests. Shared by objects that succeed each other.
    pub skeleton: Arc<dyn Skeleton>,
    servant_objects: ServantObjects,
    direct_calls: DirectCalls,
    collocated: Lock<Collocated>,
    /// For the object of one request only: dropped with it.
    _in_progress: Option<InProgress>,
}

impl std::fmt::Debug for ActiveObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ActiveObject").field("id", &self.id).finish_non_exhaustive()
    }
}

/// How collocated calls may call a servant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectCalls {
    /// As requests.
    Never,
    /// As a trait object, while the object is active.
    WhileActive,
    /// As a trait object, also of an object that is no longer active (`CollocationStrategy::Direct`).
    Always,
}

/// An adapter with its type erased.
pub(crate) type WeakAdapter = Weak<dyn Any + Send + Sync>;

/// What happens at the end of an object and of those that it succeeds, which still serve requests. Each of them has it
/// as its [`AtEnd`].
type SharedEnd = Arc<OnceLock<AtEnd>>;

/// A reference in this process that calls the servant without a message. The crate for invocations implements it, which
/// has references and is above this one.
pub trait CollocatedReference: Send + Sync {
    /// Releases the servant: the object is no longer active.
    fn forget_servant(&self);
}

#[derive(Default)]
struct Collocated {
    /// Whether the object is no longer active, or its ORB has shut down.
    ended: bool,
    /// Whether references keep the object (`CollocationStrategy::Direct`), so that nothing waits for its end.
    is_kept: bool,
    references: Vec<Weak<dyn CollocatedReference>>,
    /// Dropped with the object, after its last request.
    at_end: Option<AtEnd>,
}

impl Collocated {
    /// What the object shares with those that it succeeds, if it succeeds any.
    fn shared_end(&self) -> Option<&SharedEnd> {
        self.at_end.as_ref()?.downcast_ref()
    }
}

impl ActiveObject {
    pub(super) fn new(
        id: ObjectId,
        adapter: WeakAdapter,
        skeleton: Arc<dyn Skeleton>,
        direct_calls: DirectCalls,
    ) -> Self {
        Self {
            id,
            adapter,
            skeleton,
            servant_objects: ServantObjects::default(),
            direct_calls,
            collocated: Lock::default(),
            _in_progress: None,
        }
    }

    /// The object of one request, which is in progress as long as the object lives.
    pub(super) fn for_request(
        id: ObjectId,
        adapter: WeakAdapter,
        skeleton: Arc<dyn Skeleton>,
        in_progress: InProgress,
    ) -> Self {
        let object = Self::new(id, adapter, skeleton, DirectCalls::Never);
        Self { _in_progress: Some(in_progress), ..object }
    }

    /// The same object for later requests. What happens at its end happens after the last request of both.
    pub(super) fn successor(&self) -> Arc<Self> {
        let (id, adapter) = (self.id.clone(), WeakAdapter::clone(&self.adapter));
        let successor = Self::new(id, adapter, Arc::clone(&self.skeleton), self.direct_calls);
        // References may keep others, so that nothing waits for their end.
        if self.direct_calls != DirectCalls::Always {
            let mut collocated = self.collocated.lock();
            let shared = collocated.shared_end().map(Arc::clone).unwrap_or_default();
            collocated.at_end = Some(Box::new(SharedEnd::clone(&shared)));
            drop(collocated);
            successor.collocated.lock().at_end = Some(Box::new(shared));
        }
        Arc::new(successor)
    }

    /// The object's id.
    pub fn id(&self) -> &ObjectId {
        &self.id
    }

    /// The object's adapter; `None` if it has been destroyed and dropped.
    pub(crate) fn adapter(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.adapter.upgrade()
    }

    /// Whether it is one of this adapter.
    pub(crate) fn is_of(&self, adapter: &WeakAdapter) -> bool {
        Weak::ptr_eq(&self.adapter, adapter)
    }

    /// The servant as the trait object `S`; `None` if it does not implement it, or may not be called directly. `entry`
    /// is the entry of its table
    /// at which the search starts.
    #[inline]
    pub fn servant<S: ?Sized + 'static>(&self, entry: usize) -> Option<&S> {
        match self.servant_objects.first(entry) {
            Some(servant) => Some(servant),
            None if self.direct_calls != DirectCalls::Never => {
                self.servant_objects.find(entry, &*self.skeleton)
            }
            None => None,
        }
    }

    /// Adds a collocated reference, and calls `link`, which connects it to the servant. Does nothing if the object
    /// is no longer active.
    pub fn collocate(&self, reference: Weak<dyn CollocatedReference>, link: impl FnOnce()) {
        let mut collocated = self.collocated.lock();
        if collocated.ended {
            return;
        }
        // Remove dropped references before the list grows.
        if collocated.references.len() == collocated.references.capacity() {
            collocated.references.retain(|reference| reference.strong_count() > 0);
        }
        collocated.references.push(reference);
        link();
    }

    /// Whether a reference may keep the object from now on, also when it is no longer active.
    pub fn keep(&self) -> bool {
        // Without the lock: calls by references that may not ask each time.
        if self.direct_calls != DirectCalls::Always {
            return false;
        }
        let mut collocated = self.collocated.lock();
        let may_keep = collocated.at_end.is_none();
        collocated.is_kept |= may_keep;
        may_keep
    }

    /// Sets what is dropped with the object and those that it succeeds, after their last request; drops it now if
    /// references keep the object.
    pub(crate) fn set_at_end(&self, at_end: AtEnd) {
        let mut collocated = self.collocated.lock();
        if collocated.is_kept {
            return;
        }
        match collocated.shared_end() {
            // An object ends once.
            Some(shared) => drop(shared.set(at_end)),
            None => collocated.at_end = Some(at_end),
        }
    }

    /// Drops something with this object, which has a [`successor`](Self::successor); now if references keep the object.
    pub(crate) fn drop_at_end(&self, with_it: AtEnd) {
        let mut collocated = self.collocated.lock();
        if !collocated.is_kept {
            // In this order: who waits for this object alone need not wait for what happens after it.
            collocated.at_end = Some(Box::new((with_it, collocated.at_end.take())));
        }
    }

    /// Makes all collocated references release the servant, and accepts no further ones. Calls in progress
    /// complete.
    pub(crate) fn end_collocation(&self) {
        let references = {
            let mut collocated = self.collocated.lock();
            collocated.ended = true;
            std::mem::take(&mut collocated.references)
        };
        // Without the lock: this may drop the servant, and references with it.
        for reference in references.iter().filter_map(Weak::upgrade) {
            reference.forget_servant();
        }
    }
}
