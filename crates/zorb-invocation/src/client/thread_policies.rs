//! The policies of the calling thread.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use super::core::ClientCore;
use super::level_policies::ClientPolicies;

thread_local! {
    /// The policies of this thread, by ORB. Few threads use more than one.
    static CURRENT: RefCell<Vec<(Weak<ClientCore>, Arc<ClientPolicies>)>> =
        const { RefCell::new(Vec::new()) };
}

/// The policies of the calling thread for the ORB, if it has any. A thread that ends has none.
pub fn policies_of_thread(core: &Arc<ClientCore>) -> Option<Arc<ClientPolicies>> {
    let find = |current: &RefCell<Vec<(Weak<ClientCore>, Arc<ClientPolicies>)>>| {
        let current = current.borrow();
        let is_it = |orb: &Weak<ClientCore>| std::ptr::eq(orb.as_ptr(), Arc::as_ptr(core));
        current.iter().find(|(orb, _)| is_it(orb)).map(|(_, known)| Arc::clone(known))
    };
    CURRENT.try_with(find).ok().flatten()
}

/// Replaces the policies of the calling thread for the ORB.
pub fn set_policies_of_thread(core: &Arc<ClientCore>, policies: Option<Arc<ClientPolicies>>) {
    let _ = CURRENT.try_with(|current| {
        let mut current = current.borrow_mut();
        // Entries of ORBs that no longer exist are removed, too.
        current.retain(|(orb, _)| {
            orb.strong_count() > 0 && !std::ptr::eq(orb.as_ptr(), Arc::as_ptr(core))
        });
        if let Some(policies) = policies.filter(|known| !known.policies.is_empty()) {
            current.push((Arc::downgrade(core), policies));
        }
    });
}
