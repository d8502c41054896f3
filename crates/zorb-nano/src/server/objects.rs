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

/// A server's object adapter: its objects by their keys, which it compares one after the other.
pub(super) struct Objects<'s> {
    objects: Vec<Object<'s>>,
    limit: usize,
}

struct Object<'s> {
    key: Vec<u8>,
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
        Self { objects: Vec::new(), limit }
    }

    pub(super) fn add(&mut self, key: &[u8], servant: Own<'s>) -> Result<(), SystemException> {
        let refused = |kind, minor| Err(SystemException::before(kind, minor));
        if key.is_empty() || self.find(key).is_some() {
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
        match room::push(&mut self.objects, Object { key: own, servant }) {
            true => Ok(()),
            false => Err(SystemException::NO_MEMORY),
        }
    }

    pub(super) fn find(&mut self, key: &[u8]) -> Option<&mut (dyn Servant + 's)> {
        let found = self.objects.iter_mut().find(|object| *object.key == *key);
        found.map(|object| match &mut object.servant {
            Own::Boxed(servant) => &mut **servant,
            Own::Borrowed(servant) => &mut **servant,
        })
    }
}

impl core::fmt::Debug for Objects<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.objects.iter().map(|object| &object.key)).finish()
    }
}
