//! The iterators of services: objects that return the rest of a list.
//!
//! A client may forget an iterator, so their number is limited, and unused ones expire. They share a servant of the
//! service's, the default servant of their adapter; what distinguishes them is a cursor, the place in the list.
#![forbid(unsafe_code)]

mod table;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use zorb::poa::{AnyServant, ObjectId, PoaError, PoaPolicies};
use zorb::{Caller, CompletionStatus, Interface, Orb, SystemException, WeakOrb, minor};

use table::{Peer, Table};

/// The iterators of a service, with cursors of the type `C`.
pub struct Iterators<C> {
    // The ORB owns the adapter, and the adapter the servant, which owns this: it must not own the ORB.
    orb: WeakOrb,
    adapter: &'static str,
    // A list may be long: while one is made, only its own iterator is locked.
    table: Mutex<Table<Arc<Mutex<C>>>>,
}

impl<C> Iterators<C> {
    /// Creates the adapter of iterators below the root. At most `limit` iterators exist, and at least one: beyond it, one of
    /// the IP address is destroyed that has created most, the one not used for longest, and so is any that has not been used
    /// for `lifetime`.
    ///
    /// # Errors
    /// There is an adapter of this name.
    pub fn new(
        orb: &Orb,
        adapter: &'static str,
        limit: usize,
        lifetime: Duration,
    ) -> Result<Self, PoaError> {
        let policies = PoaPolicies::new().user_ids().multiple_ids().non_retain().default_servant();
        orb.root_poa().create(adapter, policies)?;
        let table = Mutex::new(Table::new(limit, lifetime));
        Ok(Self { orb: orb.downgrade(), adapter, table })
    }

    /// Sets the servant of all iterators.
    ///
    /// # Errors
    /// The ORB has shut down.
    pub fn set_servant(&self, servant: AnyServant) -> Result<(), PoaError> {
        let orb = self.orb.upgrade().ok_or(PoaError::AdapterNonExistent)?;
        orb.root_poa().find(self.adapter)?.set_servant(servant)
    }

    /// Creates an iterator, an object of the interface `I`.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` (Zorb 1) if the ORB has shut down.
    pub fn create<I: Interface>(&self, cursor: C) -> Result<I, SystemException> {
        let orb = self.orb.upgrade().ok_or_else(no_iterator)?;
        let poa = orb.root_poa().find(self.adapter)?;
        let id = self.table().add(Arc::new(Mutex::new(cursor)), peer(), Instant::now());
        Ok(poa.create_reference_with_id(ObjectId::from(&id.to_be_bytes()[..]))?)
    }

    /// Uses the iterator with this object id. Meanwhile, others can be used, and this one can be destroyed, but not be used
    /// by another thread, which waits.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` (Zorb 1) if there is none, or not any more.
    pub fn with<R>(
        &self,
        id: Option<&ObjectId>,
        access: impl FnOnce(&mut C) -> R,
    ) -> Result<R, SystemException> {
        let cursor = self.find(id)?;
        let mut cursor = cursor.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(access(&mut cursor))
    }

    /// Whether there is an iterator with this object id. It counts as used.
    pub fn exists(&self, id: &ObjectId) -> bool {
        self.find(Some(id)).is_ok()
    }

    /// Destroys an iterator.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` (Zorb 1) if there is none.
    pub fn destroy(&self, id: Option<&ObjectId>) -> Result<(), SystemException> {
        match id.and_then(number).is_some_and(|id| self.table().remove(id)) {
            true => Ok(()),
            false => Err(no_iterator()),
        }
    }

    /// The number of iterators.
    pub fn count(&self) -> usize {
        self.table().len()
    }

    /// The cursor of an iterator, which counts as used.
    fn find(&self, id: Option<&ObjectId>) -> Result<Arc<Mutex<C>>, SystemException> {
        let id = id.and_then(number).ok_or_else(no_iterator)?;
        let found = self.table().get(id, Instant::now()).map(|cursor| Arc::clone(cursor));
        found.ok_or_else(no_iterator)
    }

    fn table(&self) -> MutexGuard<'_, Table<Arc<Mutex<C>>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client that creates an iterator; local ones count as one.
fn peer() -> Peer {
    Caller::current()?.network()
}

fn number(id: &ObjectId) -> Option<u64> {
    id.as_bytes().try_into().ok().map(u64::from_be_bytes)
}

#[cold]
fn no_iterator() -> SystemException {
    SystemException::object_not_exist(minor::object_not_exist::NO_MATCH, CompletionStatus::No)
}

impl<C> fmt::Debug for Iterators<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.count();
        f.debug_struct("Iterators").field("count", &count).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
