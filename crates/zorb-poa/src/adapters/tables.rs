//! The adapters of an ORB by index and by path.

use std::collections::HashMap;
use std::sync::Arc;

use zorb_types::{SystemException, minor};

use crate::adapter::ObjectAdapter;
use crate::error::not_there;
use crate::key::KeyParts;
use crate::policies::Lifespan;

#[derive(Clone, Default)]
pub(super) struct Tables {
    pub(super) by_index: Vec<Option<Arc<ObjectAdapter>>>,
    pub(super) by_path: HashMap<Vec<u8>, Arc<ObjectAdapter>>,
}

impl Tables {
    /// The nearest existing adapter on a path, and the name of its child on it, which is missing or `is_created` at the
    /// moment.
    pub(super) fn nearest<'p>(
        &self,
        path: &'p [u8],
        is_created: impl Fn(&[u8]) -> bool,
    ) -> Option<(Arc<ObjectAdapter>, &'p str)> {
        let is_root = |adapter: &&Arc<ObjectAdapter>| adapter.path().is_empty();
        let mut nearest = Arc::clone(self.by_index.iter().flatten().find(is_root)?);
        for name in path.split(|octet| *octet == 0) {
            let name = std::str::from_utf8(name).ok().filter(|name| !name.is_empty())?;
            match nearest.child(name).filter(|child| !is_created(child.path())) {
                Some(child) => nearest = child,
                None => return Some((nearest, name)),
            }
        }
        None
    }

    /// The persistent adapters whose paths begin with `path`, found by requests or not.
    pub(super) fn persistent_below<'t>(
        &'t self,
        path: &'t [u8],
    ) -> impl Iterator<Item = &'t Arc<ObjectAdapter>> {
        self.by_index.iter().flatten().filter(move |adapter| {
            adapter.policies().lifespan == Lifespan::Persistent && adapter.path().starts_with(path)
        })
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
