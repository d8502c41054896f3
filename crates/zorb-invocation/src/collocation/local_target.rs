//! The servant of a reference in the same ORB.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use arc_swap::{ArcSwapOption, Guard};
use zorb_base::threads::Running;
use zorb_poa::{ActiveObject, PoaManager};

/// The cached servant of a reference.
pub(crate) struct LocalTarget {
    pub(super) object: Arc<ActiveObject>,
    pub(super) manager: PoaManager,
    /// Whether interceptors of the client need requests.
    pub(super) is_intercepted: bool,
    /// Makes a thread that waits for the ORB's threads wait for the last call that guards the target.
    pub(super) _running: Running,
}

impl std::fmt::Debug for LocalTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalTarget").field("object", &self.object).finish_non_exhaustive()
    }
}

/// What a reference caches about its object in its own ORB.
#[derive(Default)]
pub(crate) struct Collocation {
    /// Whether the object is known to be outside this ORB.
    is_remote: AtomicBool,
    target: ArcSwapOption<LocalTarget>,
    /// The target of direct calls, set by the first one.
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
        // Another thread may have set it, to the same object.
        let _ = self.direct.set(Arc::clone(&target.object));
    }

    /// Notes that the object is outside this ORB.
    pub(super) fn set_remote(&self) {
        self.is_remote.store(true, Ordering::Relaxed);
    }

    /// Sets the target of calls; after `None`, the next call looks it up.
    pub(crate) fn set_target(&self, target: Option<Arc<LocalTarget>>) {
        self.target.store(target);
    }

    /// Clears the cache: the reference now denotes another object.
    pub(crate) fn forget(&self) {
        self.is_remote.store(false, Ordering::Relaxed);
        self.target.store(None);
    }
}
