//! Incarnates objects for requests, with a servant activator.

use std::sync::{Arc, OnceLock, Weak};

use zorb_base::object_id::ObjectId;
use zorb_os::lock::Lock;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::ObjectAdapter;
use crate::active_object::ActiveObject;
use crate::call::ServerCall;
use crate::changing::{ChangingObjects, Incarnation, Wanted};
use crate::error::{no_memory, not_there};
use crate::hold_queue::{Arrival, Stopped};
use crate::inactive::{Provides, answer_no_servant, guarded};
use crate::policies::IdUniqueness;
use crate::reply::Served;
use crate::servants::NoServant;
use crate::skeleton::Skeleton;
use crate::slots::Found;
use crate::upcall::upcall_inactive;

impl ObjectAdapter {
    /// The target of a request for an object that is not in the active object map: one that incarnates it, or the
    /// object, if it has been incarnated.
    pub(crate) fn find_or_incarnate(
        &self,
        changing: &Arc<ChangingObjects>,
        id: ObjectId,
        arrival: Arrival<'_>,
    ) -> Result<Found, Stopped> {
        let has_permit = || {
            self.serializer.as_ref().is_some_and(|serializer| serializer.permits_of_caller() > 1)
        };
        let incarnation = match changing.find(id, arrival, has_permit, &self.objects)? {
            Wanted::Object(object) => return Ok(Found::without_slot(object)),
            Wanted::Incarnation(incarnation) => incarnation,
        };
        let destroyed = || Stopped::Refused(not_there(minor::object_not_exist::POA_NOT_FOUND));
        let adapter = self.this.upgrade().ok_or_else(destroyed)?;
        let id = incarnation.id().try_clone();
        let id = id.map_err(|error| Stopped::Refused(no_memory(error)))?;
        let incarnating = Incarnating {
            adapter,
            incarnation: Lock::new(Some(incarnation)),
            incarnated: OnceLock::new(),
        };
        Ok(self.for_request(id, self.with_policies(incarnating)))
    }

    /// A skeleton with the adapter's policies, unless it has some of its own.
    pub(crate) fn with_policies<S: Skeleton + 'static>(&self, skeleton: S) -> Arc<dyn Skeleton> {
        match self.needs_policy_skeleton() && skeleton.policies().is_none() {
            true => Arc::from(self.policy_skeleton(Box::new(skeleton), self.exposed().cloned())),
            false => Arc::new(skeleton),
        }
    }

    /// The target of one request for an object that is not active.
    pub(crate) fn for_request(&self, id: ObjectId, skeleton: Arc<dyn Skeleton>) -> Found {
        let this: Weak<Self> = Weak::clone(&self.this);
        let object = ActiveObject::for_request(id, this, skeleton, self.completion.begin());
        Found::without_slot(Arc::new(object))
    }

    /// Activates an object with the servant that the activator provides.
    fn incarnate_for(&self, incarnation: Incarnation) -> Result<Arc<ActiveObject>, NoServant> {
        let copy = || incarnation.id().try_clone();
        let refused = |error| NoServant::Refused(no_memory(error));
        let (id, in_map) = copy().and_then(|id| Ok((id, copy()?))).map_err(refused)?;
        let skeleton = incarnation.servant()?;
        let identity = skeleton.identity();
        let is_unique = self.policies.id_uniqueness == IdUniqueness::Unique;
        let mut servants = self.servants.lock();
        if is_unique && servants.contains_key(&identity) {
            let code = minor::obj_adapter::WRONG_POLICY;
            let exception = SystemException::obj_adapter(code, CompletionStatus::No);
            return Err(NoServant::Refused(exception));
        }
        let object = self.objects.object(in_map, skeleton);
        incarnation.count(identity);
        let (destroyed, is_inactive) = (self.destroyed.get(), self.manager.has_etherealized());
        if destroyed.is_some() || is_inactive {
            // The adapter's objects have ended in the meantime: this is the object's only request.
            drop(servants);
            let etherealizes = is_inactive || destroyed == Some(&true);
            self.set_end(&object, etherealizes.then_some(true));
            return Ok(object);
        }
        if is_unique {
            servants.insert(identity, id);
        }
        incarnation.incarnated(&object, &self.objects);
        Ok(object)
    }
}

/// Incarnates an object, and lets its servant serve the request.
struct Incarnating {
    adapter: Arc<ObjectAdapter>,
    /// Until the upcall begins.
    incarnation: Lock<Option<Incarnation>>,
    /// The object, and a skeleton without policies: this request's interceptors already run.
    incarnated: OnceLock<(Arc<ActiveObject>, Box<dyn Skeleton>)>,
}

impl Provides for Incarnating {
    fn serve<'a>(&'a self, call: &mut ServerCall<'a>) -> Served {
        let incarnation = self.incarnation.lock().take();
        let Some(incarnation) = incarnation else {
            return Err(not_there(minor::object_not_exist::NO_MATCH));
        };
        let id = incarnation.id().try_clone().map_err(no_memory)?;
        let incarnate = || Ok(self.adapter.incarnate_for(incarnation));
        match guarded(&id, "incarnate", incarnate)? {
            Ok(object) => {
                let bare = object.skeleton.without_policies();
                let (object, bare) = self.incarnated.get_or_init(|| (object, bare));
                upcall_inactive(&object.id, &**bare, call)
            }
            Err(reason) => answer_no_servant(reason, call),
        }
    }

    fn provided(&self) -> Option<&dyn Skeleton> {
        self.incarnated.get().map(|(_, bare)| &**bare)
    }
}
