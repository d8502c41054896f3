//! Forwards requests for objects of other servers.

use std::fmt;

use zorb_base::orb_core::OrbCore;
use zorb_giop::Ior;
use zorb_types::SystemException;

use crate::hold_queue::{HoldLimits, HoldQueue};

/// Finds the servers of objects whose keys no adapter of this ORB knows, for an implementation repository.
///
/// The ORB forwards the client to the object's reference. A one-way request without a reply cannot be forwarded: it is
/// discarded. The methods are called on threads that receive requests, and must not block.
pub trait Forwarder: Send + Sync {
    /// Where a request for the object with this key goes. `was_held`: it has waited for [`ForwardTo::Held`] and has been
    /// resumed, also if it has been held by a POA manager since.
    fn find(&self, object_key: &[u8], was_held: bool) -> ForwardTo;

    /// Whether [`find`](Self::find) knows the object with this key, for a LocateRequest.
    fn knows(&self, object_key: &[u8]) -> bool;

    /// The ORB shuts down: the forwarder resumes all requests that it holds, and holds no further ones.
    fn release(&self);
}

/// Where a request goes.
#[derive(Debug)]
#[non_exhaustive]
pub enum ForwardTo {
    /// There is no such object: the client gets `OBJECT_NOT_EXIST`.
    Nowhere,
    /// To this reference.
    Reference(Box<Ior>),
    /// It waits until the queue is [resumed](HeldRequests::resume); then the ORB asks again.
    Held(HeldRequests),
    /// The client gets this exception.
    Refused(SystemException),
}

/// A queue of requests that wait as messages: they occupy no thread. The options `MaxHeldRequests`, `MaxHeldOctets` and
/// `MaxHeldTime` limit it; requests beyond these limits get `TRANSIENT`. `Orb::new_held_requests` creates one.
#[derive(Clone)]
pub struct HeldRequests(HoldQueue);

impl HeldRequests {
    /// An empty queue with the limits of an ORB.
    #[doc(hidden)]
    #[must_use]
    pub fn new(orb: &OrbCore) -> Self {
        Self(HoldQueue::of_forwarder(HoldLimits::of(orb)))
    }

    /// Resumes all requests, and those that reach the queue later at once. For the next ones, use a new queue.
    pub fn resume(&self) {
        self.0.open();
    }

    /// The number of requests that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no request waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_queue(self) -> HoldQueue {
        self.0
    }
}

impl fmt::Debug for HeldRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldRequests").field("requests", &self.len()).finish()
    }
}
