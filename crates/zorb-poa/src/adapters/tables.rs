//! The adapters of an ORB by index and by path.

use std::collections::HashMap;
use std::sync::Arc;

use zorb_types::{SystemException, minor};

use super::admission::{Access, NotAdmitted};
use crate::adapter::ObjectAdapter;
use crate::error::not_there;
use crate::key::KeyParts;
use crate::manager::ManagerState;

#[derive(Clone, Default)]
pub(super) struct Tables {
    pub(super) by_index: Vec<Option<Arc<ObjectAdapter>>>,
    pub(super) by_path: HashMap<Vec<u8>, Arc<ObjectAdapter>>,
}

impl Tables {
    /// The reason why a request for a missing adapter is not admitted, if the nearest existing adapter above it is
    /// holding or discarding requests: the program may still create the missing one.
    #[cold]
    #[inline(never)]
    pub(super) fn not_admitted(&self, key: KeyParts<'_>, by: Access<'_>) -> Option<NotAdmitted> {
        let KeyParts::Persistent { path, .. } = key else { return None };
        let is_root = |adapter: &&Arc<ObjectAdapter>| adapter.path().is_empty();
        let root = self.by_index.iter().flatten().find(is_root)?;
        let mut nearest = Arc::clone(root);
        for name in path.split(|octet| *octet == 0) {
            let child = std::str::from_utf8(name).ok().and_then(|name| nearest.child(name));
            let Some(child) = child else { break };
            nearest = child;
        }
        let manager = nearest.manager();
        match manager.state() {
            ManagerState::Holding | ManagerState::Discarding => {
                manager.admit(by.arrival).err().map(NotAdmitted::from)
            }
            ManagerState::Active | ManagerState::Inactive => None,
        }
    }

    #[inline]
    pub(super) fn adapter<'k>(
        &self,
        key: KeyParts<'k>,
    ) -> Result<(&ObjectAdapter, &'k [u8]), SystemException> {
        let (adapter, id) = match key {
            KeyParts::Transient { adapter, stamp, id } => {
                let found = self.by_index.get(adapter as usize).and_then(Option::as_ref);
                (found.filter(|found| found.stamp() == stamp), id)
            }
            KeyParts::Persistent { path, id } => (self.by_path.get(path), id),
            KeyParts::Name(_) => (None, &[][..]),
        };
        let adapter = adapter.ok_or_else(|| not_there(minor::object_not_exist::POA_NOT_FOUND))?;
        Ok((adapter, id))
    }
}
