//! Weak handles to object adapters.

use std::sync::{Arc, Weak};

use zorb_poa::ObjectAdapter;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::super::inner::OrbInner;
use super::Poa;

/// A handle that keeps neither the adapter nor its ORB alive.
pub(super) struct WeakPoa {
    adapter: Weak<ObjectAdapter>,
    orb: Weak<OrbInner>,
}

impl WeakPoa {
    /// The adapter.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if the adapter has been dropped.
    pub(super) fn upgrade(&self) -> Result<Poa, SystemException> {
        let adapter = self.adapter.upgrade().ok_or_else(|| {
            let code = minor::object_not_exist::POA_NOT_FOUND;
            SystemException::object_not_exist(code, CompletionStatus::No)
        })?;
        Ok(Poa { adapter, orb: Weak::clone(&self.orb) })
    }
}

impl Poa {
    pub(super) fn downgrade(&self) -> WeakPoa {
        WeakPoa { adapter: Arc::downgrade(&self.adapter), orb: Weak::clone(&self.orb) }
    }
}
