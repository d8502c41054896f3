//! The servant that a reference of the same ORB leads to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use arc_swap::{ArcSwapOption, Guard};
use zorb_base::threads::Running;
use zorb_poa::{ActiveObject, CollocatedReference, PoaManager};

use crate::object::{ObjectRef, Shared};

/// The way from a reference to a servant.
pub struct LocalTarget {
    pub(super) object: Arc<ActiveObject>,
    pub(super) manager: PoaManager,
    /// Whoever waits for the ORB's threads waits for the last call that guards the target.
    _running: Running,
}

impl std::fmt::Debug for LocalTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalTarget").field("object", &self.object).finish_non_exhaustive()
    }
}

/// What a reference knows of its object in its own ORB.
#[derive(Default)]
pub(crate) struct Collocation {
    /// Whether the object is known not to be of this ORB.
    is_remote: AtomicBool,
    target: ArcSwapOption<LocalTarget>,
    /// What direct calls go to, once they know it.
    direct: OnceLock<Arc<ActiveObject>>,
}

impl Collocation {
    #[inline]
    pub(super) fn is_remote(&self) -> bool {
        self.is_remote.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn target(&self) -> Guard<Option<Arc<LocalTarget>>> {
        self.target.load()
    }

    #[inline]
    pub(super) fn direct(&self) -> Option<&ActiveObject> {
        self.direct.get().map(Arc::as_ref)
    }

    pub(super) fn make_direct(&self, target: &LocalTarget) {
        // Another thread may have been faster, with the same object.
        let _ = self.direct.set(Arc::clone(&target.object));
    }

    /// Forgets what is known: the reference now leads somewhere else.
    pub(crate) fn forget(&self) {
        self.is_remote.store(false, Ordering::Relaxed);
        self.target.store(None);
    }
}

impl CollocatedReference for Shared {
    fn forget_servant(&self) {
        self.collocation.target.store(None);
    }
}

/// Finds the object of a reference in its own ORB, and lets the reference call it, if it is there.
#[cold]
pub(super) fn collocate(object: &ObjectRef) {
    let core = object.core();
    let forwarded = object.forwarded();
    let binding = forwarded.binding().unwrap_or_else(|| object.binding());
    let collocation = &object.shared().collocation;
    let Some(key) = &binding.routes(core).local else {
        return collocation.is_remote.store(true, Ordering::Relaxed);
    };
    let Some((manager, found)) = core.adapters().find(key) else { return };
    let target =
        LocalTarget { object: Arc::clone(&found), manager, _running: core.threads().enter() };
    let reference: Weak<Shared> = Arc::downgrade(object.shared());
    found.collocate(reference, || collocation.target.store(Some(Arc::new(target))));
    // A shutdown ends the collocation of the objects that it finds; this one may have been too new.
    if !core.is_running() {
        collocation.target.store(None);
    }
}

/// Guards the target of a reference to an object of this ORB, for a call that goes by a message.
/// A request that its manager holds back is not running yet, and guards nothing.
pub(crate) fn hold(object: &ObjectRef) -> Option<Guard<Option<Arc<LocalTarget>>>> {
    let collocation = &object.shared().collocation;
    let mut target = collocation.target();
    if target.is_none() && !collocation.is_remote() {
        collocate(object);
        target = collocation.target();
    }
    let active = target.as_ref().is_some_and(|target| target.manager.is_active());
    active.then_some(target)
}
