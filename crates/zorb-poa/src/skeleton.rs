//! Skeletons: the interface of an object adapter to a servant.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::sync::Arc;

use zorb_base::interceptor::{
    AddedContexts, InterceptedRequest, ServerRequestInfo, ServerRequestInterceptor, SlotTable,
    invalid_call,
};
use zorb_base::object_id::ObjectId;
use zorb_base::policy::{Policies, PriorityModel, octets};
use zorb_cdr::{ByteOrder, CdrReader};
use zorb_giop::{RequestHeader, TaggedComponent};
use zorb_types::SystemException;

use crate::call::ServerCall;
use crate::connection_setup::ConnectionSetup;
use crate::flow_stack::FlowStack;
use crate::reply::Served;

/// A type-erased `Arc<T>` of a servant, where `T` is the trait object of one of its interfaces.
pub type ServantObject = Box<dyn Any + Send + Sync>;

/// A servant of one interface, with its type erased.
pub trait Skeleton: Send + Sync {
    /// The repository id of the most derived interface of the object `id`.
    fn type_id(&self, id: &ObjectId) -> Cow<'_, str>;
    /// Whether the object `id` supports the interface `type_id`.
    fn is_a(&self, id: &ObjectId, type_id: &str) -> bool;
    /// Whether the object `id` exists. Default: every object for which the servant is asked.
    fn exists(&self, id: &ObjectId) -> bool {
        let _ = id;
        true
    }
    /// Decodes the arguments, makes the upcall and writes the reply.
    fn dispatch<'a>(&'a self, call: &mut ServerCall<'a>) -> Served;
    /// The servant as an `Arc<T>`, where `wanted` is the type id of `T`; `None` if collocated calls may not call it
    /// directly.
    fn servant_object(&self, wanted: TypeId) -> Option<ServantObject>;
    /// The servant.
    fn servant(&self) -> Arc<dyn Any + Send + Sync>;
    /// Another skeleton of the same servant, without policies.
    fn without_policies(&self) -> Box<dyn Skeleton>;
    /// Identifies the servant, for id uniqueness.
    fn identity(&self) -> usize;
    /// The component of references with the policies that clients must know, if the object has policies of its own.
    fn exposed(&self) -> Option<&TaggedComponent> {
        None
    }
    /// The object's effective policies, if this is a [`PolicySkeleton`].
    fn policies(&self) -> Option<&Policies> {
        None
    }
    /// Whether it also serves the operations that every object has. Default: the adapter answers them.
    fn serves_all_operations(&self) -> bool {
        false
    }
    /// The priority by which a request is queued, if an interceptor knows it.
    fn request_priority(&self, id: &ObjectId, header: &RequestHeader<'_>) -> Option<i16> {
        let _ = (id, header);
        None
    }
}

/// A skeleton of an object whose requests are intercepted, or that has policies of its own.
pub struct PolicySkeleton {
    inner: Box<dyn Skeleton>,
    interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    /// Those with other points than around the upcall.
    observers: Vec<Arc<dyn ServerRequestInterceptor>>,
    setup: Option<Arc<ConnectionSetup>>,
    exposed: Option<TaggedComponent>,
    /// Whether the policies have a priority model, so that clients declare the bands of connections.
    is_prioritized: bool,
    policies: Policies,
}

impl std::fmt::Debug for PolicySkeleton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PolicySkeleton").field("policies", &self.policies).finish_non_exhaustive()
    }
}

/// The policies of an object, and values derived from them.
pub struct SkeletonPolicies {
    /// The interceptors of its requests.
    pub interceptors: Vec<Arc<dyn ServerRequestInterceptor>>,
    /// The setup of connections, if the policies contain properties of connections.
    pub setup: Option<Arc<ConnectionSetup>>,
    /// The component of references with the policies that clients must know.
    pub exposed: Option<TaggedComponent>,
    /// The object's effective policies.
    pub policies: Policies,
}

impl std::fmt::Debug for SkeletonPolicies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SkeletonPolicies").field("policies", &self.policies).finish_non_exhaustive()
    }
}

impl PolicySkeleton {
    /// Adds policies to `inner`.
    pub fn new(inner: Box<dyn Skeleton>, policies: SkeletonPolicies) -> Self {
        let SkeletonPolicies { interceptors, setup, exposed, policies } = policies;
        let is_prioritized = policies.value::<PriorityModel>().is_some();
        let observers = interceptors.iter().filter(|one| !one.surrounds_upcalls_only());
        let observers = observers.map(Arc::clone).collect();
        Self { inner, interceptors, observers, setup, exposed, is_prioritized, policies }
    }

    /// Makes the upcall after the interceptors have run.
    fn upcall<'a>(&'a self, call: &mut ServerCall<'a>) -> Served {
        match &self.setup {
            None => dispatch_to(&*self.inner, call),
            Some(setup) => dispatch_set_up(&*self.inner, setup, call),
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

    fn exists(&self, id: &ObjectId) -> bool {
        self.inner.exists(id)
    }

    fn dispatch<'a>(&'a self, call: &mut ServerCall<'a>) -> Served {
        if self.is_prioritized {
            call.apply_declared_band();
        }
        let object_id = call.object_id().filter(|_| !self.interceptors.is_empty());
        let Some(object_id) = object_id else { return self.upcall(call) };
        if !self.observers.is_empty() {
            call.begin_flow(&self.observers, object_id, &self.policies)?;
        }
        let mut request = Intercepted { skeleton: self, object_id, call, has_run: false };
        let served = ServerRequestInfo::new(&mut request, &self.interceptors).proceed();
        if served.is_ok() && !request.has_run { call.done() } else { served }
    }

    /// `None` if collocated calls must be intercepted.
    fn servant_object(&self, wanted: TypeId) -> Option<ServantObject> {
        let mut interceptors = self.interceptors.iter();
        if interceptors.any(|interceptor| interceptor.intercepts_collocated_calls()) {
            return None;
        }
        self.inner.servant_object(wanted)
    }

    fn servant(&self) -> Arc<dyn Any + Send + Sync> {
        self.inner.servant()
    }

    fn without_policies(&self) -> Box<dyn Skeleton> {
        self.inner.without_policies()
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

    fn serves_all_operations(&self) -> bool {
        self.inner.serves_all_operations()
    }

    fn request_priority(&self, id: &ObjectId, header: &RequestHeader<'_>) -> Option<i16> {
        let mut request = QueuedRequest { header, object_id: id, policies: &self.policies };
        let info = ServerRequestInfo::new(&mut request, &[]);
        self.interceptors.iter().find_map(|interceptor| interceptor.queue_priority(&info))
    }
}

/// A request whose upcall is intercepted.
struct Intercepted<'c, 'a> {
    skeleton: &'a PolicySkeleton,
    object_id: &'a ObjectId,
    call: &'c mut ServerCall<'a>,
    /// Whether the upcall has been made.
    has_run: bool,
}

impl<'a> Intercepted<'_, 'a> {
    fn flow(&mut self) -> Option<&mut FlowStack<'a>> {
        let reply = &mut self.call.reply;
        if reply.flow.is_none() {
            reply.begin_flow(FlowStack::new(self.object_id, &self.skeleton.policies));
        }
        reply.flow.as_deref_mut()
    }
}

impl InterceptedRequest for Intercepted<'_, '_> {
    fn header(&self) -> &RequestHeader<'_> {
        self.call.request()
    }

    fn object_id(&self) -> &ObjectId {
        self.object_id
    }

    fn most_derived_interface(&self) -> Option<Cow<'_, str>> {
        Some(Skeleton::type_id(self.skeleton, self.object_id))
    }

    fn policies(&self) -> &Policies {
        &self.skeleton.policies
    }

    fn arguments(&self) -> CdrReader<'_> {
        self.call.remaining_arguments()
    }

    fn lane_priority(&self) -> Option<i16> {
        self.call.lane()
    }

    fn reply_contexts(&mut self) -> Option<&mut AddedContexts> {
        self.flow()?.contexts()
    }

    fn slots(&mut self) -> Option<SlotTable> {
        Some(self.flow()?.slots())
    }

    fn upcall(&mut self) -> Served {
        if std::mem::replace(&mut self.has_run, true) {
            return Err(invalid_call());
        }
        self.skeleton.upcall(self.call)
    }
}

/// A request that is about to be queued.
struct QueuedRequest<'a> {
    header: &'a RequestHeader<'a>,
    object_id: &'a ObjectId,
    policies: &'a Policies,
}

impl InterceptedRequest for QueuedRequest<'_> {
    fn header(&self) -> &RequestHeader<'_> {
        self.header
    }

    fn object_id(&self) -> &ObjectId {
        self.object_id
    }

    fn most_derived_interface(&self) -> Option<Cow<'_, str>> {
        None
    }

    fn policies(&self) -> &Policies {
        self.policies
    }

    fn arguments(&self) -> CdrReader<'_> {
        CdrReader::new(&[], ByteOrder::NATIVE)
    }

    fn lane_priority(&self) -> Option<i16> {
        None
    }

    fn reply_contexts(&mut self) -> Option<&mut AddedContexts> {
        None
    }

    fn slots(&mut self) -> Option<SlotTable> {
        None
    }

    fn upcall(&mut self) -> Result<(), SystemException> {
        Err(invalid_call())
    }
}

/// Lets `skeleton` decode the arguments and make the upcall.
pub(super) fn dispatch_to<'a>(skeleton: &'a dyn Skeleton, call: &mut ServerCall<'a>) -> Served {
    match call.arguments.is_evenly_aligned() {
        true => skeleton.dispatch(call),
        false => dispatch_in_parts(skeleton, call),
    }
}

#[cold]
fn dispatch_in_parts<'a>(skeleton: &'a dyn Skeleton, call: &mut ServerCall<'a>) -> Served {
    // Its interceptors run once, and the skeleton behind them reads the arguments.
    if skeleton.policies().is_some() {
        return skeleton.dispatch(call);
    }
    let served = call.arguments.clone().read_in_parts(|arguments| {
        call.arguments = arguments.clone();
        let served = skeleton.dispatch(call);
        *arguments = call.arguments.clone();
        if std::mem::take(&mut call.undecodable) { Err(served) } else { Ok(served) }
    });
    served.unwrap_or_else(|undecodable| undecodable)
}

/// Makes an upcall with connection properties: applies them to the connection first, and to the reply.
#[inline(never)] // Inlined, requests without properties take 25 more instructions.
fn dispatch_set_up<'a>(
    skeleton: &'a dyn Skeleton,
    setup: &ConnectionSetup,
    call: &mut ServerCall<'a>,
) -> Served {
    // A collocated call has no connection.
    let Some(profile) = call.set_up_connection(setup) else { return dispatch_to(skeleton, call) };
    let properties = setup.properties(profile);
    let most = octets(properties.fragment_size).filter(|&most| most > 0);
    let (threshold, preallocate) = (properties.copy_threshold, properties.preallocate);
    call.write_reply_as(octets(threshold), octets(preallocate), most);
    let served = dispatch_to(skeleton, call);
    if served.is_ok() {
        call.send_in_fragments();
    }
    served
}
