//! Whether a request is admitted to its object.

use zorb_base::object_id::ObjectId;
use zorb_base::orb_core::Absence;
use zorb_giop::{Ior, ObjectIndex};
use zorb_os::probe;
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind, minor};

use crate::adapter::ObjectAdapter;
use crate::hold_queue::{Arrival, HoldQueue, Stopped, Turn};
use crate::policies::Lifespan;
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
        if !self.admits_at_once(by) {
            return None;
        }
        probe!(Adapter);
        let object = self.objects().find_usual(id);
        probe!(Servant);
        object
    }

    #[inline(never)]
    fn admit_checked(&self, id: &[u8], by: Access<'_>) -> Result<Found, NotAdmitted> {
        let turn = self.check(by)?;
        let absence = self.core().absence();
        let object = match self.objects().find(id) {
            Some(object) => object,
            None => self.find_inactive(id, by.arrival, absence)?,
        };
        Ok(object.in_turn(turn))
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
        if let Some(changing) = self.provider().changing() {
            return self.find_or_incarnate(changing, id, arrival).map_err(NotAdmitted::from);
        }
        let id = ObjectId::from(id);
        let skeleton = self.provider().find(&id).map_err(NotAdmitted::Refused)?;
        Ok(self.for_request(id, skeleton))
    }

    /// Like [`admit`](Self::admit), by the object's slot; `None` if it is no longer there.
    pub(super) fn admit_to(
        &self,
        index: ObjectIndex,
        by: Access<'_>,
    ) -> Option<Result<Found, NotAdmitted>> {
        if !self.admits_at_once(by) {
            return self.admit_to_checked(index, by);
        }
        probe!(Adapter);
        let object = self.objects().find_in_slot(index.slot, index.generation);
        probe!(Servant);
        object.map(Ok)
    }

    #[inline(never)]
    fn admit_to_checked(
        &self,
        index: ObjectIndex,
        by: Access<'_>,
    ) -> Option<Result<Found, NotAdmitted>> {
        match self.check(by) {
            Ok(turn) => {
                let object = self.objects().find_in_slot(index.slot, index.generation);
                object.map(|object| Ok(object.in_turn(turn)))
            }
            Err(refused) => Some(Err(refused)),
        }
    }

    /// Whether a request passes without further checks: it comes from the adapter's thread pool or is collocated,
    /// requests have no turns, and the manager admits all.
    #[inline]
    fn admits_at_once(&self, by: Access<'_>) -> bool {
        let is_unchecked = match by.pool {
            Some(pool) => pool == self.unchecked_pool(),
            None => self.turns().is_none(),
        };
        is_unchecked && self.manager().is_open()
    }

    /// Checks that the request was received at an endpoint of the adapter's thread pool, or of the ORB if it has none:
    /// the threads of a pool serve the adapters of that pool alone. Then the manager's state, and whether it is the
    /// request's turn.
    fn check(&self, by: Access<'_>) -> Result<Option<Turn>, NotAdmitted> {
        if by.pool.is_some_and(|of_request| of_request != self.pool_number()) {
            return Err(NotAdmitted::Refused(elsewhere()));
        }
        let Some(turns) = self.turns() else {
            self.manager().admit(by.arrival)?;
            return Ok(None);
        };
        self.manager().admit_in_order(by.arrival)?;
        Ok(Some(turns.begin_turn(by.arrival)?))
    }
}

/// The exception for an object that exists, but not for requests at this endpoint.
#[cold]
pub(super) fn elsewhere() -> SystemException {
    SystemException::transient(minor::transient::OTHER_ENDPOINT, CompletionStatus::No)
}
