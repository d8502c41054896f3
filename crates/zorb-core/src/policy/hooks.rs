//! What policies do around calls, for crates above the core: RT-CORBA's priorities are made of it.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;

use zorb_cdr::{CdrReader, CdrResult};
use zorb_giop::{PolicyValue, ServiceContext, ServiceId};
use zorb_transport::StreamOptions;
use zorb_types::SystemException;

use super::{Policies, Policy, PolicyType, TypedPolicy};
use crate::error::Error;
use crate::object::ObjectRef;
use crate::orb::Orb;
use crate::poa::ObjectId;
use crate::servant::Served;
use crate::serving::ServerCall;

/// What an adapter's policy does around each of the adapter's upcalls, on the thread that makes them.
///
/// Stubs call objects of such an adapter by messages also inside their own ORB.
pub trait AroundUpcall: fmt::Debug + Send + Sync + 'static {
    /// Makes the upcall, by calling `run` once, or refuses it. `run` may panic.
    ///
    /// # Errors
    /// The system exception to reply with; that of `run` among them.
    fn upcall(
        &self,
        call: &mut ServerCall<'_>,
        run: &mut dyn FnMut(&mut ServerCall<'_>) -> Served,
    ) -> Served;

    /// The priority at which it has the upcall of a request to the object `id` run, for requests that wait
    /// for a thread; `told` is what the request says of it (`RTCorbaPriority`). It may be asked before
    /// an upcall, on another thread. Default: it has none.
    fn urgency(&self, id: &ObjectId, told: Option<i16>) -> Option<i16> {
        let _ = (id, told);
        None
    }

    /// The policies of its own of the object `id`, which is about to be activated with those that are
    /// `given`, or to have a reference made, as `for_reference` says. Default: those that are given,
    /// which is `None`.
    ///
    /// # Errors
    /// What keeps it from being so, as another reference says otherwise.
    fn own_policies(
        &self,
        id: &ObjectId,
        given: &Policies,
        for_reference: bool,
    ) -> Result<Option<Policies>, SystemException> {
        let _ = (id, given, for_reference);
        Ok(None)
    }

    /// Whether it has something to do for calls alone that come over connections. Stubs then may call
    /// the adapter's objects directly inside their own ORB. Default: for all.
    fn is_about_connections(&self) -> bool {
        false
    }
}

/// What a policy that stands in a reference has requests to its object say, or what all requests of an
/// ORB are to say.
pub trait RequestContext: fmt::Debug + Send + Sync + 'static {
    /// The service context for a request that the calling thread is about to send, if any.
    ///
    /// # Errors
    /// The system exception that keeps the request from being sent.
    fn context(&self) -> Result<Option<ShortContext>, SystemException>;

    /// The same, of a request to `object`. Asked again when the request has to be sent to another
    /// place.
    ///
    /// # Errors
    /// The system exception that keeps the request from being sent.
    fn context_to(&self, object: &ObjectRef) -> Result<Option<ShortContext>, SystemException> {
        let _ = object;
        self.context()
    }

    /// The same, of a request that is of use for so long.
    ///
    /// # Errors
    /// The system exception that keeps the request from being sent.
    fn context_within(
        &self,
        object: &ObjectRef,
        times: EndTimes,
    ) -> Result<Option<ShortContext>, SystemException> {
        let _ = times;
        self.context_to(object)
    }

    /// A call to `object` has ended, well or not, whether its request was sent or not. Only those are
    /// told that [accompany](super::PolicyManager::accompany) all requests of an ORB.
    ///
    /// # Errors
    /// The system exception that the call fails with instead of its outcome.
    fn ended(&self, object: &ObjectRef) -> Result<(), SystemException> {
        let _ = object;
        Ok(())
    }

    /// Whether a request of the calling thread to `object` has to say something to an endpoint that serves
    /// the priority `lane` alone, or all: it does not go there where its protocol has no service contexts.
    /// Default: no.
    fn must_arrive(&self, object: &ObjectRef, lane: Option<i16>) -> bool {
        let _ = (object, lane);
        false
    }

    /// The priorities of which one must be served by the endpoint that a call of the calling thread to
    /// `object` goes to, where endpoints of the reference serve different ones. Endpoints that are for all
    /// priorities always will do. Default: any will.
    ///
    /// # Errors
    /// The system exception that keeps the request from being sent.
    fn lanes(&self, object: &ObjectRef) -> Result<Option<RangeInclusive<i16>>, SystemException> {
        let _ = object;
        Ok(None)
    }
}

/// For how long a request is of use, as the limits of time of its call say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndTimes {
    /// By when it is to be with its object: where
    /// [`RelativeRequestTimeout`](super::RelativeRequestTimeout) says something.
    pub request: Option<Instant>,
    /// By when its reply is to be back: where [`RelativeRoundtripTimeout`](super::RelativeRoundtripTimeout)
    /// says something, and a reply is waited for.
    pub reply: Option<Instant>,
}

/// What the network is told of a connection, which is for requests of one priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NetworkClass {
    /// The class of service that routers see (DSCP, 0 to 63).
    pub dscp: Option<u8>,
    /// The priority in the machine's own queues (`SO_PRIORITY`); above 6 takes a privilege.
    pub queue: Option<u32>,
}

impl NetworkClass {
    /// What a connection is set up with: what was said for it by name stays.
    pub(crate) fn over(self, options: StreamOptions) -> StreamOptions {
        StreamOptions {
            dscp: options.dscp.or(self.dscp),
            socket_priority: options.socket_priority.or(self.queue),
            ..options
        }
    }
}

/// Says in which class of the network connections are that serve one priority. It is asked when
/// references are first called, and when lanes open their endpoints: never in a call.
pub trait NetworkPriorities: fmt::Debug + Send + Sync + 'static {
    /// Whether connections of which nobody says whether they are in the class that goes with their
    /// priority are in it. Default: they are.
    fn holds_for_all(&self) -> bool {
        true
    }

    /// The class of such a connection.
    fn class_of(&self, priority: i16) -> Option<NetworkClass>;

    /// The priority that the policies of a reference declare for all of its requests.
    fn declared(&self, policies: &[PolicyValue]) -> Option<i16>;
}

/// Gives object adapters policies by their names, where the program says nothing.
pub trait AdapterPolicies: fmt::Debug + Send + Sync + 'static {
    /// Those for the adapter that `orb` is about to make at this path: the names from below the root,
    /// joined by `/`; the root adapter's is `/`. It takes each of which it has none of the type.
    ///
    /// # Errors
    /// Why the adapter cannot be made; the root adapter is made without policies then.
    fn policies(&self, orb: &Orb, path: &str) -> Result<Policies, Error>;
}

/// Gives threads that serve a connection the priority at which they rest, between requests.
pub trait RestingPriorities: fmt::Debug + Send + Sync + 'static {
    /// Has the calling thread rest at `priority` from now on. Where that cannot be, it stays as it is.
    fn rest(&self, priority: i16);

    /// The highest priority that clients have threads rest at. Default: any.
    fn most(&self) -> i16 {
        i16::MAX
    }

    /// Has it rest at what `call` tells of its connection, if it does.
    fn rest_as_told(&self, call: &ServerCall<'_>) {
        if let Some(high) = call.told_band() {
            self.rest(high);
        }
    }
}

/// Tells the priority of calls.
pub trait CallPriority: fmt::Debug + Send + Sync + 'static {
    /// The priority of a call to `object` that the calling thread is about to make.
    ///
    /// # Errors
    /// The system exception that keeps the request from being sent.
    fn priority(&self, object: &ObjectRef) -> Result<i16, SystemException>;
}

/// The most contexts that policies, and what accompanies all requests, put into one request.
pub(crate) const MAX_CONTEXTS: usize = 8;

/// A service context of few octets, which takes no memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortContext {
    id: ServiceId,
    length: u8,
    octets: [u8; Self::MAX],
}

impl ShortContext {
    /// The most octets that it can have.
    pub const MAX: usize = 72;

    /// The context of service `id` with this data; `None` for too much of it.
    pub fn new(id: ServiceId, data: &[u8]) -> Option<Self> {
        let mut octets = [0; Self::MAX];
        octets.get_mut(..data.len())?.copy_from_slice(data);
        Some(Self { id, length: data.len() as u8, octets })
    }

    /// The context as messages have it.
    pub(crate) fn as_context(&self) -> ServiceContext<'_> {
        let data = self.octets.get(..usize::from(self.length)).unwrap_or_default();
        ServiceContext::new(self.id, data)
    }
}

/// Policies in references that the ORB understands.
#[derive(Default)]
pub(crate) struct Understood(Vec<(PolicyType, Arc<Reading>)>);

type Reading = dyn Fn(&mut CdrReader<'_>) -> CdrResult<Policy> + Send + Sync;

impl Understood {
    pub(super) fn add<P: TypedPolicy>(&mut self, prepare: impl Fn(P) -> P + Send + Sync + 'static) {
        self.0.retain(|(known, _)| *known != P::POLICY_TYPE);
        let read = move |reader: &mut CdrReader<'_>| P::read(reader).map(&prepare).map(Policy::new);
        self.0.push((P::POLICY_TYPE, Arc::new(read)));
    }

    /// Those of the policies of a reference that are understood.
    pub(crate) fn read(&self, values: &[PolicyValue]) -> Policies {
        let policies = values.iter().filter_map(|value| {
            let (_, read) = self.0.iter().find(|(known, _)| known.0 == value.policy_type)?;
            let read =
                CdrReader::for_encapsulation(&value.value).and_then(|mut reader| read(&mut reader));
            match read {
                Ok(policy) => Some(policy),
                Err(error) => {
                    tracing::debug!(%error, "a policy in a reference is skipped");
                    None
                }
            }
        });
        let mut read = Policies::new();
        policies.for_each(|policy| read.put(policy));
        read
    }
}

impl fmt::Debug for Understood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(known, _)| known)).finish()
    }
}
