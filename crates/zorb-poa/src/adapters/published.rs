//! Published references, and what knows the servers of objects that are elsewhere.

use std::sync::Arc;

use zorb_giop::{Ior, RequestHeader, ResponseFlags};
use zorb_types::minor;

use super::Adapters;
use super::admission::NotAdmitted;
use crate::error::not_there;
use crate::forwarder::{ForwardTo, Forwarder};
use crate::hold_queue::Arrival;

impl Adapters {
    /// Publishes a reference: requests with the key `name` are forwarded to it. Returns `false` if the name is
    /// taken.
    pub fn publish(&self, name: &[u8], ior: &Ior) -> bool {
        let mut published = self.published.lock();
        let is_free = !published.contains_key(name);
        if is_free {
            published.insert(name.to_vec(), ior.clone());
        }
        is_free
    }

    /// Removes a published reference; returns `false` if there is none.
    pub fn unpublish(&self, name: &[u8]) -> bool {
        self.published.lock().remove(name).is_some()
    }

    /// The key of the published object of this ORB that a one-way request is for; others are forwarded to it.
    #[cold]
    pub(super) fn key_of_published(
        &self,
        name: &[u8],
        header: &RequestHeader<'_>,
    ) -> Option<Vec<u8>> {
        if header.response != ResponseFlags::NoResponse {
            return None;
        }
        let ior = self.published.lock().get(name).cloned()?;
        self.orb.local_key(&ior)
    }

    /// The published reference with this name; otherwise, for a request that has come by `arrival`, what the forwarder
    /// knows.
    #[cold]
    pub(super) fn find_published(&self, name: &[u8], arrival: Option<Arrival<'_>>) -> NotAdmitted {
        let absence = self.orb.absence();
        let published = self.published.lock().get(name).cloned();
        if let Some(ior) = published {
            return NotAdmitted::Forward(Box::new(ior));
        }
        let gone = not_there(minor::object_not_exist::UNKNOWN_KEY);
        let refused = NotAdmitted::Refused(absence.of_persistent(gone));
        match arrival {
            Some(arrival) => self.forward(name, arrival).unwrap_or(refused),
            None => refused,
        }
    }

    /// Sets what knows the servers of other objects. Returns `false` if that has been set before.
    pub fn set_forwarder(&self, forwarder: Arc<dyn Forwarder>) -> bool {
        self.forwarder.set(forwarder).is_ok()
    }

    /// Where the forwarder sends a request; `None` if there is none, or if it does not know the object.
    #[cold]
    pub(super) fn forward(&self, key: &[u8], arrival: Arrival<'_>) -> Option<NotAdmitted> {
        let was_held = matches!(arrival, Arrival::Resumed(pass) if pass.forwarder_held());
        match self.forwarder.get()?.find(key, was_held) {
            ForwardTo::Nowhere => None,
            ForwardTo::Reference(ior) => Some(NotAdmitted::Forward(ior)),
            ForwardTo::Held(requests) => Some(NotAdmitted::Held(requests.into_queue())),
            ForwardTo::Refused(exception) => Some(NotAdmitted::Refused(exception)),
        }
    }

    /// Whether the forwarder knows the object with this key.
    #[cold]
    pub(super) fn is_forwarded(&self, key: &[u8]) -> bool {
        self.forwarder.get().is_some_and(|forwarder| forwarder.knows(key))
    }
}
