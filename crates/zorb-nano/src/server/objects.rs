//! The objects of a server.

use alloc::boxed::Box;
use alloc::vec::Vec;

use zorb_types::{SystemExceptionKind, minor};

use crate::{MAX_KEY, Servant, SystemException, room};

/// No object has the key.
pub(super) const UNKNOWN_OBJECT: SystemException = SystemException::before(
    SystemExceptionKind::ObjectNotExist,
    minor::object_not_exist::UNKNOWN_KEY,
);

/// The most objects of a server: what an index in a key can be.
#[cfg(feature = "key-index")]
const MAX_OBJECTS: usize = 1 << 16;

/// A server's object adapter: its objects by their keys, which it compares one after the other unless a key has the index.
pub(super) struct Objects<'s> {
    objects: Vec<Object<'s>>,
    limit: usize,
}

struct Object<'s> {
    key: Vec<u8>,
    /// Its other key, by which it is found at once.
    #[cfg(feature = "key-index")]
    indexed: IndexedKey,
    servant: Own<'s>,
}

/// A servant, or where it is.
pub(super) enum Own<'s> {
    Boxed(Box<dyn Servant + 's>),
    Borrowed(&'s mut (dyn Servant + 's)),
}

impl<'s> Objects<'s> {
    /// None yet, and at most `limit`.
    pub(super) fn new(limit: usize) -> Self {
        #[cfg(feature = "key-index")]
        let limit = limit.min(MAX_OBJECTS);
        Self { objects: Vec::new(), limit }
    }

    pub(super) fn add(&mut self, key: &[u8], servant: Own<'s>) -> Result<(), SystemException> {
        let refused = |kind, minor| Err(SystemException::before(kind, minor));
        #[cfg(feature = "key-index")]
        let indexed = IndexedKey::new(self.objects.len(), key);
        #[cfg(feature = "key-index")]
        let is_known = self.find(key).is_some() || self.find(&indexed.0).is_some();
        #[cfg(not(feature = "key-index"))]
        let is_known = self.find(key).is_some();
        if key.is_empty() || is_known {
            return refused(SystemExceptionKind::BadParam, minor::bad_param::INVALID_OBJECT_ID);
        }
        if key.len() > MAX_KEY {
            return refused(SystemExceptionKind::ImpLimit, minor::imp_limit::TOO_LONG);
        }
        if self.objects.len() >= self.limit {
            return refused(SystemExceptionKind::NoResources, minor::no_resources::OBJECTS);
        }
        let mut own = Vec::new();
        let reserved = own.try_reserve_exact(key.len()).and(self.objects.try_reserve(1));
        reserved.map_err(|_| SystemException::NO_MEMORY)?;
        own.extend_from_slice(key);
        let object = Object {
            key: own,
            #[cfg(feature = "key-index")]
            indexed,
            servant,
        };
        match room::push(&mut self.objects, object) {
            true => Ok(()),
            false => Err(SystemException::NO_MEMORY),
        }
    }

    /// The object with a key of either kind.
    pub(super) fn find(&mut self, key: &[u8]) -> Option<&mut (dyn Servant + 's)> {
        let at = self.position(key)?;
        self.objects.get_mut(at).map(|object| match &mut object.servant {
            Own::Boxed(servant) => &mut **servant,
            Own::Borrowed(servant) => &mut **servant,
        })
    }

    fn position(&self, key: &[u8]) -> Option<usize> {
        #[cfg(feature = "key-index")]
        if let Some(at) = IndexedKey::index_in(key)
            && self.objects.get(at).is_some_and(|object| object.indexed.0 == *key)
        {
            return Some(at);
        }
        self.objects.iter().position(|object| *object.key == *key)
    }

    /// The key with the index of the object that has this key.
    #[cfg(feature = "key-index")]
    pub(super) fn indexed_key(&self, key: &[u8]) -> Option<[u8; INDEXED]> {
        let at = self.position(key)?;
        self.objects.get(at).map(|object| object.indexed.0)
    }
}

/// The length of a key with an index.
#[cfg(feature = "key-index")]
pub(super) const INDEXED: usize = 4;

/// The key with which references say where an object is: its index, and 16 bits of a hash of the key that it is registered
/// by. The latter tell a reference to what another process, with other objects, had at this index.
///
/// ```text
///  0        1        2        3        4
///  ├────────┴────────┼────────┴────────┤
///  │ index           │ hash            │  the highest octet first
///  └─────────────────┴─────────────────┘
/// ```
#[cfg(feature = "key-index")]
#[derive(Clone, Copy)]
struct IndexedKey([u8; INDEXED]);

#[cfg(feature = "key-index")]
impl IndexedKey {
    fn new(index: usize, key: &[u8]) -> Self {
        // FNV-1a.
        let add = |hash: u32, octet: &u8| (hash ^ u32::from(*octet)).wrapping_mul(0x0100_0193);
        let hash = key.iter().fold(0x811c_9dc5, add);
        let [_, _, c, d] = (hash ^ (hash >> 16)).to_be_bytes();
        // `add` limits the number of objects to what an index can be.
        let [a, b] = (index as u16).to_be_bytes();
        Self([a, b, c, d])
    }

    /// The index, if this is such a key.
    fn index_in(key: &[u8]) -> Option<usize> {
        let [a, b, _, _] = *key else { return None };
        Some(usize::from(u16::from_be_bytes([a, b])))
    }
}

impl core::fmt::Debug for Objects<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.objects.iter().map(|object| &object.key)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_indexes_in_keys_limit_the_objects() {
        let most = if cfg!(feature = "key-index") { 65_536 } else { 100_000 };
        assert_eq!(Objects::new(100_000).limit, most);
        assert_eq!(Objects::new(16).limit, 16);
    }
}
