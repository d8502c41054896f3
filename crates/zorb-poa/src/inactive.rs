//! Requests for objects that are not active: each gets an object of its own, whose skeleton finds the servant.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use zorb_base::interceptor::RequestOutcome;
use zorb_base::object_id::ObjectId;
use zorb_cdr::{Wire, fallible};
use zorb_giop::{Ior, ReplyStatus};
use zorb_types::{SystemException, SystemExceptionKind, minor};

use crate::call::ServerCall;
use crate::error::{no_memory, not_there};
use crate::reply::Served;
use crate::servants::{Located, Locator, NoServant};
use crate::skeleton::{ServantObject, Skeleton};
use crate::upcall::{panicked, upcall_inactive};

/// The skeleton of an object for which a servant manager provides a servant during the request.
pub(crate) trait Provides: Send + Sync {
    /// Serves the request with the servant.
    fn serve<'a>(&'a self, call: &mut ServerCall<'a>) -> Served;

    /// The skeleton of the servant, while it serves the request.
    fn provided(&self) -> Option<&dyn Skeleton> {
        None
    }
}

impl<P: Provides + 'static> Skeleton for P {
    fn type_id(&self, id: &ObjectId) -> Cow<'_, str> {
        self.provided().map_or(Cow::Borrowed(""), |servant| Skeleton::type_id(servant, id))
    }

    fn is_a(&self, id: &ObjectId, type_id: &str) -> bool {
        self.provided().is_some_and(|servant| servant.is_a(id, type_id))
    }

    fn dispatch<'a>(&'a self, call: &mut ServerCall<'a>) -> Served {
        self.serve(call)
    }

    fn servant_object(&self, _: TypeId) -> Option<ServantObject> {
        None
    }

    fn servant(&self) -> Arc<dyn Any + Send + Sync> {
        self.provided().map_or_else(|| Arc::new(()) as _, |servant| servant.servant())
    }

    fn without_policies(&self) -> Box<dyn Skeleton> {
        match self.provided() {
            Some(servant) => servant.without_policies(),
            None => Box::new(ProvidesNothing),
        }
    }

    fn identity(&self) -> usize {
        self.provided().map_or(0, |servant| servant.identity())
    }

    fn serves_all_operations(&self) -> bool {
        true
    }
}

/// The skeleton of no servant.
struct ProvidesNothing;

impl Provides for ProvidesNothing {
    fn serve<'a>(&'a self, _: &mut ServerCall<'a>) -> Served {
        Err(not_there(minor::object_not_exist::NO_MATCH))
    }
}

/// Lets the servant that a locator provides serve one request.
pub(crate) struct Locating {
    id: ObjectId,
    locator: Arc<dyn Locator>,
    /// The servant, after `preinvoke`.
    located: OnceLock<Box<dyn Located>>,
}

impl Locating {
    pub(crate) fn new(id: ObjectId, locator: Arc<dyn Locator>) -> Self {
        Self { id, locator, located: OnceLock::new() }
    }
}

impl Provides for Locating {
    fn serve<'a>(&'a self, call: &mut ServerCall<'a>) -> Served {
        let operation = fallible::copy_text(&call.request.operation).map_err(no_memory)?;
        let provided =
            guarded(&self.id, &operation, || Ok(self.locator.preinvoke(&self.id, &operation)))?;
        let located = match provided {
            Ok(located) => self.located.get_or_init(|| located),
            Err(reason) => return answer_no_servant(reason, call),
        };
        // A servant's panic ends only its upcall, so that the locator always gets the servant back.
        let served = upcall_inactive(&self.id, located.skeleton(), call);
        let ended = guarded(&self.id, &operation, || located.postinvoke(&self.id, &operation));
        served.and(ended)
    }

    fn provided(&self) -> Option<&dyn Skeleton> {
        self.located.get().map(|located| located.skeleton())
    }
}

/// Calls a servant manager, whose panic ends only the request.
pub(crate) fn guarded<T>(
    id: &ObjectId,
    operation: &str,
    work: impl FnOnce() -> Result<T, SystemException>,
) -> Result<T, SystemException> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic, id, operation)))
}

/// Answers a request for an object whose servant manager provides no servant.
pub(crate) fn answer_no_servant(reason: NoServant, call: &mut ServerCall<'_>) -> Served {
    match reason {
        NoServant::Forward(ior) => {
            call.end_flow(RequestOutcome::LocationForward((*ior).clone()))?;
            call.reply.write(ReplyStatus::LocationForward, |writer| Ior::write(&ior, writer))
        }
        NoServant::Refused(exception)
            if matches!(&*call.request.operation, "_non_existent" | "_not_existent")
                && exception.kind == SystemExceptionKind::ObjectNotExist =>
        {
            call.end_flow(RequestOutcome::Successful)?;
            call.reply.write(ReplyStatus::NoException, |writer| bool::write(&true, writer))
        }
        NoServant::Refused(exception) => Err(exception),
    }
}
