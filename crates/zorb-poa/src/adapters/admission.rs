//! Whether a request is admitted to its object.

use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use zorb_base::object_id::ObjectId;
use zorb_base::orb_core::Absence;
use zorb_giop::{Ior, ObjectIndex};
use zorb_os::probe;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use crate::adapter::ObjectAdapter;
use crate::error::{no_memory, not_there};
use crate::hold_queue::serializer::UpcallPermit;
use crate::hold_queue::{Arrival, HoldQueue, Stopped};
use crate::inactive::Locating;
use crate::policies::Lifespan;
use crate::provider::Provider;
use crate::servants::{no_default_servant, no_manager};
use crate::slots::Found;

/// The reason why a request is not admitted to its object.
#[derive(Debug)]
pub enum NotAdmitted {
    /// The key is that of a published reference: forward the client to it.
    Forward(Box<Ior>),
    /// The object does not exist, or the request may not reach it: answer with this exception.
    Refused(SystemException),
    /// The request has to wait: hold it in this queue.
    Held(HoldQueue),
    /// The target is a profile or a reference of a protocol whose profiles this crate cannot decode: ask the client
    /// for the object key.
    NeedsKey,
}

/// How a request has reached its adapter.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// Whether it has waited before.
    pub arrival: Arrival<'a>,
    /// The number of the thread pool whose lane received it; 0 for the ORB's own lane, `None` for a collocated
    /// call.
    pub pool: Option<usize>,
}

impl Access<'_> {
    /// The access of a collocated call.
    pub const LOCAL: Self = Self { arrival: Arrival::Collocated, pool: None };
}

impl From<Stopped> for NotAdmitted {
    #[cold]
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Held(queue) => Self::Held(queue),
            Stopped::Refused(exception) => Self::Refused(exception),
        }
    }
}

/// Whether an exception says that the object, or who would serve it, is not there.
fn is_missing(exception: &SystemException) -> bool {
    use SystemExceptionKind::{ObjAdapter, ObjectNotExist};
    matches!(exception.kind, ObjectNotExist | ObjAdapter)
}

impl ObjectAdapter {
    /// The object of a request, if the request is admitted.
    #[inline]
    pub(super) fn admit(&self, id: &[u8], by: Access<'_>) -> Result<Found, NotAdmitted> {
        match self.admit_usual(id, by) {
            Some(object) => Ok(object),
            None => self.admit_checked(id, by),
        }
    }

    /// The same for most requests; `None` if the request has to be [checked](Self::check), or its object is not active.
    #[inline]
    pub(super) fn admit_usual(&self, id: &[u8], by: Access<'_>) -> Option<Found> {
        if !self.is_unchecked(by) {
            return None;
        }
        probe!(Adapter);
        let object = self.objects().find_usual(id);
        probe!(Servant);
        // After the object is guarded: see `admit_checked`.
        if self.manager().is_open() { object } else { None }
    }

    #[inline(never)]
    fn admit_checked(&self, id: &[u8], by: Access<'_>) -> Result<Found, NotAdmitted> {
        loop {
            let permit = self.check(by)?;
            let absence = self.core().absence();
            let object = match self.objects().find(id) {
                Some(object) => object,
                None => {
                    let object = self.find_inactive(id, by.arrival, absence)?;
                    // It has been counted, and now looks at the state. Whoever waits for its manager's requests does that
                    // the other way round: see `PoaManager::wait_in`.
                    fence(Ordering::SeqCst);
                    object
                }
            };
            // Otherwise the manager has been changed since, and whoever waits for its requests may have overlooked this.
            if self.manager().is_active() {
                return Ok(object.with_permit(permit));
            }
        }
    }

    /// The target of a request for an object that is not active. While the program starts, it may still activate an
    /// object of a persistent adapter.
    #[cold]
    #[inline(never)]
    fn find_inactive(
        &self,
        id: &[u8],
        arrival: Arrival<'_>,
        absence: Absence,
    ) -> Result<Found, NotAdmitted> {
        match self.find_provided(id, arrival) {
            Err(NotAdmitted::Refused(gone))
                if self.policies().lifespan == Lifespan::Persistent && is_missing(&gone) =>
            {
                Err(NotAdmitted::Refused(absence.of_persistent(gone)))
            }
            found => found,
        }
    }

    /// The target of a request for an object that the adapter's default servant or servant manager provides.
    fn find_provided(&self, id: &[u8], arrival: Arrival<'_>) -> Result<Found, NotAdmitted> {
        let refused = NotAdmitted::Refused;
        let copy = || ObjectId::try_copy(id).map_err(|error| refused(no_memory(error)));
        let oid = copy()?;
        match self.provider() {
            Provider::Nothing => Err(refused(not_there(minor::object_not_exist::NO_MATCH))),
            Provider::Default(servant) => {
                let servant = servant.load();
                let servant = servant.as_ref().ok_or_else(|| refused(no_default_servant()))?;
                Ok(self.for_request(oid, Arc::clone(&servant.skeleton)))
            }
            Provider::Locator(locator) => {
                let locator = locator.get().ok_or_else(|| refused(no_manager()))?;
                let locating = self.with_policies(Locating::new(oid, locator));
                Ok(self.for_request(copy()?, locating))
            }
            Provider::Activator(changing) => {
                self.find_or_incarnate(changing, oid, arrival).map_err(NotAdmitted::from)
            }
        }
    }

    /// Like [`admit`](Self::admit), by the object's slot; `None` if it is no longer there.
    pub(super) fn admit_to(
        &self,
        index: ObjectIndex,
        by: Access<'_>,
    ) -> Option<Result<Found, NotAdmitted>> {
        if !self.is_unchecked(by) {
            return self.admit_to_checked(index, by);
        }
        probe!(Adapter);
        let object = self.objects().find_in_slot(index.slot, index.generation);
        probe!(Servant);
        if self.manager().is_open() { object.map(Ok) } else { self.admit_to_checked(index, by) }
    }

    #[inline(never)]
    fn admit_to_checked(
        &self,
        index: ObjectIndex,
        by: Access<'_>,
    ) -> Option<Result<Found, NotAdmitted>> {
        loop {
            let permit = match self.check(by) {
                Ok(permit) => permit,
                Err(refused) => return Some(Err(refused)),
            };
            let object = self.objects().find_in_slot(index.slot, index.generation)?;
            if self.manager().is_active() {
                return Some(Ok(object.with_permit(permit)));
            }
        }
    }

    /// Whether a request passes if the manager admits all: it comes from the adapter's thread pool or is collocated, and
    /// requests need no permits.
    #[inline]
    fn is_unchecked(&self, by: Access<'_>) -> bool {
        match by.pool {
            Some(pool) => pool == self.unchecked_pool(),
            None => self.serializer().is_none(),
        }
    }

    /// Checks that the request was received at an endpoint of the adapter's thread pool, or of the ORB if it has none:
    /// the threads of a pool serve the adapters of that pool alone. Then the manager's state, and whether an
    /// earlier request is in progress that excludes it.
    fn check(&self, by: Access<'_>) -> Result<Option<UpcallPermit>, NotAdmitted> {
        if by.pool.is_some_and(|of_request| of_request != self.pool_number()) {
            return Err(NotAdmitted::Refused(elsewhere()));
        }
        let Some(serializer) = self.serializer() else {
            self.manager().admit(by.arrival)?;
            return Ok(None);
        };
        self.manager().admit_in_order(by.arrival)?;
        Ok(Some(serializer.acquire_permit(by.arrival)?))
    }
}

/// The exception for an object that exists, but not for requests at this endpoint.
#[cold]
pub(super) fn elsewhere() -> SystemException {
    SystemException::transient(minor::transient::OTHER_ENDPOINT, CompletionStatus::No)
}
