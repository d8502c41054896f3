//! Finding the servant of a reference in the same ORB.

use std::sync::{Arc, Weak};

use arc_swap::Guard;

use super::local_target::LocalTarget;
use crate::object::{ObjectRef, Shared};

/// Finds the object of a reference in its own ORB, and caches it in the reference.
#[cold]
pub(super) fn collocate(object: &ObjectRef) {
    let core = object.core();
    let forwarded = object.forwarded();
    let binding = forwarded.binding().unwrap_or_else(|| object.binding());
    let collocation = &object.shared().collocation;
    let Ok(routes) = binding.routes(core) else { return };
    let Some(key) = &routes.local else {
        return collocation.set_remote();
    };
    let Some((manager, found)) = core.adapters().find(key) else { return };
    let target = LocalTarget {
        object: Arc::clone(&found),
        manager,
        is_intercepted: routes.intercepts_collocated_calls(),
        _running: core.threads().enter(),
    };
    let reference: Weak<Shared> = Arc::downgrade(object.shared());
    found.collocate(reference, || collocation.set_target(Some(Arc::new(target))));
    // A shutdown that runs now may have missed this one.
    if !core.is_running() {
        collocation.set_target(None);
    }
}

/// Guards the target of a reference to an object of this ORB, for a call with a request in memory. A held
/// request is not running yet, and guards nothing.
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
