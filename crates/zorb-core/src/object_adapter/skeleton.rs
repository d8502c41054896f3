//! Skeletons: what an object adapter knows of a servant.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::sync::Arc;

use zorb_cdr::ByteOrder;
use zorb_giop::{OperationName, ServiceContexts, TaggedComponent};

use super::call::{Served, ServerCall};
use super::connection_setup::ConnectionSetup;
use crate::interceptor::{
    Arguments, ServerRequest, ServerRequestInfo, ServerRequestInterceptor, intercept_upcall,
};
use crate::object_id::ObjectId;
use crate::policy::{Policies, PriorityModel};

/// An `Arc` of a servant as the trait object of one of its interfaces, without its type.
pub type ServantObject = Box<dyn Any + Send + Sync>;

/// A servant without its type, for one interface.
pub(crate) trait Skeleton: Send + Sync {
    /// The repository id of the most derived interface of the object `id`.
    fn type_id(&self, id: &ObjectId) -> Cow<'_, str>;
    /// Whether the object `id` has the interface `type_id`.
    fn is_a(&self, id: &ObjectId, type_id: &str) -> bool;
    /// Decodes the arguments, makes the upcall and writes the reply.
    fn dispatch(&self, call: &mut ServerCall<'_>) -> Served;
    /// The servant as an `Arc<F>`, where `wanted` is the type id of `F`; `None` if callers in this process
    /// may not call it directly.
    fn servant_object(&self, wanted: TypeId) -> Option<ServantObject>;
    /// Tells servants apart, for id uniqueness.
    fn identity(&self) -> usize;
    /// The component with the object's policies in its references, if the object has policies of its own.
    fn exposed(&self) -> Option<&TaggedComponent> {
        None
    }
    /// The policies that hold for the object, if they are not just its adapter's.
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

/// A skeleton of an object whose requests are intercepted, or that has policies of its own.
pub(crate) struct PolicySkeleton {
    inner: Box<dyn Skeleton>,
    interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    setup: Option<Arc<ConnectionSetup>>,
    exposed: Option<TaggedComponent>,
    /// Whether the policies have a priority model, so that clients declare the bands of connections.
    is_prioritized: bool,
    policies: Policies,
}

/// The policies of an object, and what follows from them.
pub(crate) struct SkeletonPolicies {
    pub(crate) interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    /// The setup of connections, if the policies ask for one.
    pub(crate) setup: Option<Arc<ConnectionSetup>>,
    /// The component with the policies in references.
    pub(crate) exposed: Option<TaggedComponent>,
    pub(crate) policies: Policies,
}

impl PolicySkeleton {
    pub(crate) fn new(inner: Box<dyn Skeleton>, policies: SkeletonPolicies) -> Self {
        let SkeletonPolicies { interceptors, setup, exposed, policies } = policies;
        let is_prioritized = policies.value::<PriorityModel>().is_some();
        Self { inner, interceptors, setup, exposed, is_prioritized, policies }
    }

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
    fn servant_object(&self, wanted: TypeId) -> Option<ServantObject> {
        let intercepted = self.interceptors.iter().any(|it| it.intercepts_collocated_calls());
        if intercepted { None } else { self.inner.servant_object(wanted) }
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
