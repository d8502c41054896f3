//! What ties a reference to an active object of its own ORB.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use arc_swap::{ArcSwapOption, Guard};
use zorb_os::lock::Lock;

use crate::object::{ObjectRef, Shared};
use crate::poa::{ActiveObject, PoaManager};
use crate::serving::Running;

/// The way from a reference to a servant.
pub(crate) struct Bond {
    pub(super) object: Arc<ActiveObject>,
    pub(super) manager: PoaManager,
    /// Whoever waits for the ORB's threads waits for the last call that guards the bond.
    _running: Running,
}

/// A reference's part of it.
#[derive(Default)]
pub(crate) struct Place {
    /// Whether the object is known not to be of this ORB.
    elsewhere: AtomicBool,
    bond: ArcSwapOption<Bond>,
    /// What direct calls go to, once they know it.
    direct: OnceLock<Arc<ActiveObject>>,
}

impl Place {
    #[inline]
    pub(super) fn is_elsewhere(&self) -> bool {
        self.elsewhere.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn bond(&self) -> Guard<Option<Arc<Bond>>> {
        self.bond.load()
    }

    #[inline]
    pub(super) fn direct(&self) -> Option<&ActiveObject> {
        self.direct.get().map(Arc::as_ref)
    }

    pub(super) fn make_direct(&self, bond: &Bond) {
        // Another thread may have been faster, with the same object.
        let _ = self.direct.set(Arc::clone(&bond.object));
    }

    /// Forgets what was found out: the reference now leads somewhere else.
    pub(crate) fn forget(&self) {
        self.elsewhere.store(false, Ordering::Relaxed);
        self.bond.store(None);
    }
}

/// An active object's part: the references that have a bond with it.
#[derive(Default)]
pub(crate) struct Bonds(Lock<Bound>);

#[derive(Default)]
struct Bound {
    /// The object is no longer active, or its ORB has shut down.
    ended: bool,
    references: Vec<Weak<Shared>>,
}

impl Bonds {
    /// Gives a reference its bond, while the object is active.
    fn tie(&self, shared: &Arc<Shared>, bond: Bond) {
        let mut bound = self.0.lock();
        if bound.ended {
            return;
        }
        // References come and go: those gone are swept out before the list grows.
        if bound.references.len() == bound.references.capacity() {
            bound.references.retain(|reference| reference.strong_count() > 0);
        }
        bound.references.push(Arc::downgrade(shared));
        shared.place.bond.store(Some(Arc::new(bond)));
    }

    /// Ends every bond, and has none begin any more. Calls that are running keep theirs.
    pub(crate) fn end(&self) {
        let references = {
            let mut bound = self.0.lock();
            bound.ended = true;
            std::mem::take(&mut bound.references)
        };
        // Without the lock: a servant may be dropped here, and a reference with it.
        for reference in references.iter().filter_map(Weak::upgrade) {
            reference.place.bond.store(None);
        }
    }
}

/// Finds the object of a reference in its own ORB and ties the two together, if it is there.
#[cold]
pub(super) fn tie(object: &ObjectRef) {
    let core = object.core();
    let forwarded = object.forwarded();
    let target = forwarded.binding().unwrap_or_else(|| object.binding());
    let place = &object.shared().place;
    let Some(key) = &target.routes(core).local else {
        return place.elsewhere.store(true, Ordering::Relaxed);
    };
    let Some((manager, found)) = core.find_active(key) else { return };
    let bond = Bond { object: Arc::clone(&found), manager, _running: core.threads().enter() };
    found.bonds.tie(object.shared(), bond);
    // A shutdown ends the bonds of the objects that it finds; this one may have been too new.
    if !core.is_running() {
        place.bond.store(None);
    }
}

/// Guards the bond of a reference to an object of this ORB, for a call that goes by a message.
/// A request that its manager holds back is not running yet, and guards nothing.
pub(crate) fn hold(object: &ObjectRef) -> Option<Guard<Option<Arc<Bond>>>> {
    let place = &object.shared().place;
    let mut bond = place.bond();
    if bond.is_none() && !place.is_elsewhere() {
        tie(object);
        bond = place.bond();
    }
    let active = bond.as_ref().is_some_and(|bond| bond.manager.is_active());
    active.then_some(bond)
}
