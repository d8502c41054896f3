//! The object that the calling thread serves.

use std::fmt;
use std::sync::{Arc, Weak};

use zorb_base::caller::Caller;
use zorb_base::interceptor::reply_end_time;
use zorb_base::object_id::ObjectId;
use zorb_base::policy::Deadline;
use zorb_invocation::interface::Interface;
use zorb_poa::{ActiveObject, CurrentUpcall, ObjectAdapter, PoaError, RequestSource, with_current};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::super::export::ObjectPolicies;
use super::super::inner::OrbInner;
use super::Poa;
use crate::servant::AnyServant;

/// The object whose upcall the calling thread makes: `PortableServer::Current` (CORBA 3.3 part 1, 15.3.10), the initial
/// reference `POACurrent`.
///
/// An upcall inside another one, by a collocated call, has a content of its own; afterwards that of the outer one
/// is back. Servants whose interface is annotated with `@upcall` get an [`Upcall`](crate::poa::Upcall) instead.
#[derive(Clone)]
#[doc(alias = "POACurrent")]
pub struct PoaCurrent {
    orb: Weak<OrbInner>,
}

impl PoaCurrent {
    pub(crate) fn new(orb: &Arc<OrbInner>) -> Self {
        Self { orb: Arc::downgrade(orb) }
    }

    /// The object's adapter (`get_POA`).
    ///
    /// # Errors
    /// `NoContext` outside of upcalls of this ORB; `OBJECT_NOT_EXIST` if the adapter has been destroyed and dropped.
    #[doc(alias = "get_POA")]
    pub fn poa(&self) -> Result<Poa, PoaError> {
        self.with(|_, poa| Ok(poa?))
    }

    /// The object's id (`get_object_id`).
    ///
    /// # Errors
    /// `NoContext` outside of upcalls of this ORB.
    #[doc(alias = "get_object_id")]
    pub fn object_id(&self) -> Result<ObjectId, PoaError> {
        self.with(|object, _| Ok(object.id().clone()))
    }

    /// The object's reference (`get_reference`), also if it is not active.
    ///
    /// # Errors
    /// `NoContext` outside of upcalls of this ORB; `OBJECT_NOT_EXIST` if the adapter has been destroyed and dropped;
    /// `INITIALIZE` if no endpoint can be opened.
    #[doc(alias = "get_reference")]
    #[doc(alias = "_this")]
    pub fn reference<R: Interface>(&self) -> Result<R, PoaError> {
        self.with(|object, poa| poa?.reference_of_object(object))
    }

    /// The servant that makes the upcall (`get_servant`).
    ///
    /// # Errors
    /// `NoContext` outside of upcalls of this ORB.
    #[doc(alias = "get_servant")]
    pub fn servant(&self) -> Result<AnyServant, PoaError> {
        self.with(|object, _| Ok(AnyServant::of_skeleton(&*object.skeleton)))
    }

    /// The name of the operation, as in a request: `_get_owner` for reading an attribute.
    ///
    /// # Errors
    /// `NoContext` outside of upcalls of this ORB.
    pub fn operation(&self) -> Result<String, PoaError> {
        self.with_upcall(|upcall, _| Ok(String::from_utf8_lossy(upcall.operation).into_owned()))
    }

    /// The client: its address, and its identity if the transport authenticates it. `None` for a collocated call, and
    /// for a client that has gone.
    ///
    /// # Errors
    /// `NoContext` outside of upcalls of this ORB.
    pub fn caller(&self) -> Result<Option<Caller>, PoaError> {
        self.with_upcall(|upcall, _| Ok(upcall.source.and_then(RequestSource::caller)))
    }

    /// The reply end time of the request (`ReplyEndTimePolicy`), in upcalls of an adapter with the policy
    /// [`ServeInTime`](zorb_base::policy::ServeInTime), if the client sent it; otherwise `None`. A servant may omit work
    /// that it cannot complete by then.
    ///
    /// # Errors
    /// `NoContext` outside of upcalls of this ORB.
    pub fn reply_end_time(&self) -> Result<Option<Deadline>, PoaError> {
        self.with_upcall(|_, _| Ok(reply_end_time()))
    }

    /// Calls `work` with the object, if it is one of this ORB, and its adapter, if that is still there.
    fn with<T>(
        &self,
        work: impl FnOnce(&ActiveObject, Result<Poa, SystemException>) -> Result<T, PoaError>,
    ) -> Result<T, PoaError> {
        self.with_upcall(|upcall, poa| work(upcall.object, poa))
    }

    fn with_upcall<T>(
        &self,
        work: impl FnOnce(&CurrentUpcall<'_>, Result<Poa, SystemException>) -> Result<T, PoaError>,
    ) -> Result<T, PoaError> {
        with_current(|upcall| {
            let upcall = upcall.ok_or(PoaError::NoContext)?;
            let poa = Poa::of(upcall.object);
            match &poa {
                Ok(poa) if !Weak::ptr_eq(&poa.orb, &self.orb) => Err(PoaError::NoContext),
                _ => work(upcall, poa),
            }
        })
    }
}

impl fmt::Debug for PoaCurrent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PoaCurrent").field(&self.object_id().ok()).finish()
    }
}

impl Poa {
    /// The adapter of an object.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if the adapter has been destroyed and dropped.
    pub(crate) fn of(object: &ActiveObject) -> Result<Self, SystemException> {
        let adapter = ObjectAdapter::of(object).ok_or_else(|| {
            let code = minor::object_not_exist::POA_NOT_FOUND;
            SystemException::object_not_exist(code, CompletionStatus::No)
        })?;
        let orb = adapter.core().owner().and_then(|orb| orb.downcast::<OrbInner>().ok());
        let orb = orb.map_or_else(Weak::new, |orb| Arc::downgrade(&orb));
        Ok(Self { adapter, orb })
    }

    /// The reference of an object of this adapter, active or not.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` if the ORB has been dropped; `INITIALIZE` if no endpoint can be opened.
    pub(crate) fn reference_of_object<R: Interface>(
        &self,
        object: &ActiveObject,
    ) -> Result<R, PoaError> {
        let skeleton = &*object.skeleton;
        let own = skeleton.policies().map(|effective| {
            let exposed = skeleton.exposed().or(self.adapter.exposed());
            ObjectPolicies { exposed, effective }
        });
        self.make_reference(object.id(), &skeleton.type_id(object.id()), own)
    }

    /// Calls `work` with the object of the current upcall, if that is an upcall of this adapter to the servant with
    /// this identity.
    pub(super) fn served_by<T>(
        &self,
        servant: usize,
        work: impl FnOnce(&ActiveObject) -> T,
    ) -> Option<T> {
        with_current(|upcall| {
            let object = upcall.map(|upcall| upcall.object);
            let object = object.filter(|object| object.skeleton.identity() == servant)?;
            let is_here = Arc::ptr_eq(&ObjectAdapter::of(object)?, &self.adapter);
            is_here.then(|| work(object))
        })
    }
}
