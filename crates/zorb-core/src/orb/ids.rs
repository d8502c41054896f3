//! The ids of the ORBs in the process.

use std::sync::{Arc, Weak};

use zorb_base::error::{Error, Phase};
use zorb_os::lock::Lock;

use super::inner::OrbInner;

/// The ORBs with an id. Those that have ended are removed when another one is added.
static ORBS: Lock<Vec<Weak<OrbInner>>> = Lock::new(Vec::new());

/// Reserves the id of `orb`, if it has one, until its shutdown is complete.
///
/// # Errors
/// Another ORB of the process has the id.
pub(super) fn reserve(orb: &Arc<OrbInner>) -> Result<(), Error> {
    let id = orb.core.options().id.as_str();
    if id.is_empty() {
        return Ok(());
    }
    // Dropped without the lock: the last reference to an ORB drops servants, which are the program's.
    let mut upgraded = Vec::new();
    let mut orbs = ORBS.lock();
    let mut is_taken = false;
    orbs.retain(|other| {
        let Some(other) = other.upgrade() else { return false };
        let runs = !other.core.is_closed();
        is_taken |= runs && other.core.options().id == id;
        upgraded.push(other);
        runs
    });
    if is_taken {
        let what = format!("another ORB of the process has the id {id:?}");
        return Err(Error::new(Phase::Configure, what).with_hint(
            "share the ORB, destroy it first, or give each one an option Id of its own",
        ));
    }
    orbs.push(Arc::downgrade(orb));
    drop(orbs);
    drop(upgraded);
    Ok(())
}
