//! Servants: the objects of the program behind the references of the wire.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_giop::{OperationName, ServiceContexts, TaggedComponent};
use zorb_types::SystemException;

use crate::interceptor::{
    Arguments, ServerRequest, ServerRequestInfo, ServerRequestInterceptor, intercept_upcall,
};
use crate::interface::Interface;
use crate::poa::ObjectId;
use crate::policy::Policies;
use crate::serving::{ConnectionSetup, ServerCall};

/// How an upcall ends: the reply is written, or a system exception is to be.
pub type Served = Result<(), SystemException>;

/// An interface that a servant of type `S` can serve.
///
/// Generated code implements it for each interface and every type that implements the interface's
/// servant trait, so that one type may serve several interfaces.
pub trait ServedBy<S>: Interface {
    /// Decodes the arguments of `call`, makes the upcall and writes the reply.
    ///
    /// # Errors
    /// The system exception to reply with, when the arguments cannot be decoded or the operation
    /// does not exist.
    fn dispatch(servant: &S, call: &mut ServerCall<'_>) -> Served;

    /// The repository id of the most derived interface of the object `id` of the servant: what its
    /// references say, and `_repository_id`. That of this interface, unless the servant is dynamic.
    fn type_id<'s>(servant: &'s S, id: &ObjectId) -> Cow<'s, str> {
        let _ = (servant, id);
        Cow::Borrowed(Self::REPOSITORY_ID)
    }

    /// The answer to `_is_a` about the object `id` of the servant.
    fn is_a(servant: &S, id: &ObjectId, type_id: &str) -> bool {
        let _ = (servant, id);
        Self::TYPE_IDS.contains(&type_id)
    }

    /// The servant as an `Arc<F>`, where `wanted` is the type id of `F`, the servant trait's object
    /// type of this interface or of one of its bases. Without one, stubs of the same ORB write and
    /// read what is passed, as for a servant elsewhere.
    fn face(servant: &Arc<S>, wanted: TypeId) -> Option<Face> {
        let _ = (servant, wanted);
        None
    }
}

/// An `Arc` of a servant, as one of its interfaces knows it.
pub type Face = Box<dyn Any + Send + Sync>;

/// What the object adapter keeps of a servant: its type erased, its interface fixed.
pub(crate) trait Skeleton: Send + Sync {
    fn type_id(&self, id: &ObjectId) -> Cow<'_, str>;
    fn is_a(&self, id: &ObjectId, type_id: &str) -> bool;
    fn dispatch(&self, call: &mut ServerCall<'_>) -> Served;
    fn face(&self, wanted: TypeId) -> Option<Face>;
    /// Tells servants apart, for id uniqueness.
    fn identity(&self) -> usize;
    /// What references to the object say of its policies, where it has policies of its own.
    fn exposed(&self) -> Option<&TaggedComponent> {
        None
    }
    /// The policies that hold for the object, where they are not just its adapter's.
    fn policies(&self) -> Option<&Policies> {
        None
    }
    /// The priority by which a request is queued, if an interceptor sets one.
    fn request_priority(
        &self,
        id: &ObjectId,
        operation: &OperationName<'_>,
        contexts: ServiceContexts<'_>,
    ) -> Option<i16> {
        let _ = (id, operation, contexts);
        None
    }
}

pub(crate) struct Tie<S, R> {
    servant: Arc<S>,
    interface: PhantomData<fn() -> R>,
}

impl<S, R> Tie<S, R> {
    pub(crate) fn new(servant: Arc<S>) -> Self {
        Self { servant, interface: PhantomData }
    }
}

impl<S: Send + Sync + 'static, R: ServedBy<S>> Skeleton for Tie<S, R> {
    fn type_id(&self, id: &ObjectId) -> Cow<'_, str> {
        R::type_id(&self.servant, id)
    }

    fn is_a(&self, id: &ObjectId, type_id: &str) -> bool {
        R::is_a(&self.servant, id, type_id)
    }

    fn dispatch(&self, call: &mut ServerCall<'_>) -> Served {
        R::dispatch(&self.servant, call)
    }

    fn face(&self, wanted: TypeId) -> Option<Face> {
        R::face(&self.servant, wanted)
    }

    fn identity(&self) -> usize {
        servant_identity(&self.servant)
    }
}

/// A skeleton of an object whose requests are intercepted, or that has policies of its own.
pub(crate) struct PolicySkeleton {
    pub(crate) inner: Box<dyn Skeleton>,
    pub(crate) interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    pub(crate) setup: Option<Arc<ConnectionSetup>>,
    pub(crate) exposed: Option<TaggedComponent>,
    /// Whether the policies have a priority model, so that clients declare the bands of connections.
    pub(crate) is_prioritized: bool,
    pub(crate) policies: Policies,
}

impl PolicySkeleton {
    /// Makes the upcall, after the interceptors.
    fn upcall(&self, call: &mut ServerCall<'_>) -> Served {
        match &self.setup {
            None => self.inner.dispatch(call),
            Some(setup) => setup.around_upcall(call, |call| self.inner.dispatch(call)),
        }
    }
}

impl Skeleton for PolicySkeleton {
    fn type_id(&self, id: &ObjectId) -> Cow<'_, str> {
        Skeleton::type_id(&*self.inner, id)
    }

    fn is_a(&self, id: &ObjectId, type_id: &str) -> bool {
        self.inner.is_a(id, type_id)
    }

    fn dispatch(&self, call: &mut ServerCall<'_>) -> Served {
        if self.is_prioritized {
            call.apply_declared_band();
        }
        let object_id = call.object_id().filter(|_| !self.interceptors.is_empty());
        let Some(object_id) = object_id else { return self.upcall(call) };
        let operation = call.request().operation.clone();
        let mut info = ServerRequestInfo::new(ServerRequest {
            operation: &operation,
            object_id,
            contexts: call.request().service_contexts,
            arguments: call.argument_octets(),
            policies: &self.policies,
            lane_priority: call.lane(),
        });
        let mut is_called = false;
        let served = intercept_upcall(&self.interceptors, &mut info, &mut || {
            is_called = true;
            self.upcall(call)
        });
        if served.is_ok() && !is_called { call.done() } else { served }
    }

    /// `None` if collocated calls must be intercepted.
    fn face(&self, wanted: TypeId) -> Option<Face> {
        let intercepted = self.interceptors.iter().any(|it| it.intercepts_collocated_calls());
        if intercepted { None } else { self.inner.face(wanted) }
    }

    fn identity(&self) -> usize {
        self.inner.identity()
    }

    fn exposed(&self) -> Option<&TaggedComponent> {
        self.exposed.as_ref()
    }

    fn policies(&self) -> Option<&Policies> {
        Some(&self.policies)
    }

    fn request_priority(
        &self,
        id: &ObjectId,
        operation: &OperationName<'_>,
        contexts: ServiceContexts<'_>,
    ) -> Option<i16> {
        let mut info = ServerRequestInfo::new(ServerRequest {
            operation,
            object_id: id,
            contexts,
            arguments: Arguments { octets: &[], offset: 0, order: ByteOrder::NATIVE },
            policies: &self.policies,
            lane_priority: None,
        });
        for interceptor in &self.interceptors {
            interceptor.receive_request_service_contexts(&mut info);
        }
        info.priority()
    }
}

/// The address of a servant's allocation: equal for clones of one `Arc`.
pub(crate) fn servant_identity<S>(servant: &Arc<S>) -> usize {
    Arc::as_ptr(servant).addr()
}
