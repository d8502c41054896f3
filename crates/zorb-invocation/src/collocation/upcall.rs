//! The ORBs of which this thread is in an upcall of a collocated call.

use std::cell::RefCell;
use std::sync::Arc;

use zorb_base::orb_core::OrbCore;

thread_local! {
    /// The addresses of the ORBs, the innermost upcall last.
    static UPCALLS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// An upcall on this thread, until dropped.
pub struct Upcall(());

impl std::fmt::Debug for Upcall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upcall").finish_non_exhaustive()
    }
}

impl Upcall {
    #[inline]
    pub(crate) fn enter(core: &Arc<OrbCore>) -> Self {
        // A thread that ends has no upcalls.
        let _ = UPCALLS.try_with(|upcalls| upcalls.borrow_mut().push(Arc::as_ptr(core).addr()));
        Self(())
    }
}

impl Drop for Upcall {
    #[inline]
    fn drop(&mut self) {
        let _ = UPCALLS.try_with(|upcalls| upcalls.borrow_mut().pop());
    }
}

/// Whether this thread is in an upcall of a collocated call to a servant of `core`.
pub fn in_upcall_of(core: &Arc<OrbCore>) -> bool {
    let address = Arc::as_ptr(core).addr();
    UPCALLS.try_with(|upcalls| upcalls.borrow().contains(&address)).unwrap_or(false)
}
