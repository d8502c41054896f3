//! Bidirectional GIOP: requests in both directions of a connection (CORBA 3.3 part 2, 15.8).
//!
//! A connection that may carry them has a thread that receives, and several streams that share it: one of each side's
//! server, and any number of clients of the side that accepted it. For the rest of the ORB they are connections of their
//! own. Other connections are unaffected.

mod claims;
mod connection;
mod half;
mod numbering;
mod role;
mod sender;
mod split;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use zorb_cdr::ByteOrder;
use zorb_giop::{ListenPoints, MAX_LISTEN_POINTS, ServiceId};
use zorb_os::lock::Lock;

use crate::{Endpoint, Stream, log_limited};
use claims::{address_of, listen_point};
use connection::Connection;

/// Serves the requests that arrive over a stream.
pub type ServeStream = dyn Fn(Arc<dyn Stream>) + Send + Sync;

/// The bidirectional connections of an ORB, and what it offers and accepts.
#[derive(Default)]
pub struct Bidirection {
    /// Whether the ORB accepts what clients offer, or an adapter of it.
    orb_accepts: AtomicBool,
    adapter_accepts: AtomicBool,
    /// The connections that clients have opened, in that order.
    accepted: Lock<Vec<Weak<Connection>>>,
    offer: Lock<Offer>,
    /// How often the listen points have changed.
    generation: AtomicU32,
}

/// What clients of the ORB offer.
#[derive(Default)]
struct Offer {
    listening: Vec<(Vec<Endpoint>, Weak<ServeStream>)>,
    /// The data of the service context.
    context: Option<Arc<[u8]>>,
}

impl Bidirection {
    /// The service context of a request that offers.
    pub const CONTEXT: ServiceId = ServiceId::BI_DIR_IIOP;

    /// Sets whether the ORB, by its policy, calls objects of its clients over connections that these open from now on.
    pub fn accept(&self, accepts: bool) {
        self.orb_accepts.store(accepts, Ordering::Relaxed);
    }

    /// The same for an object adapter, whose policy does not change.
    pub fn accept_for_adapter(&self) {
        self.adapter_accepts.store(true, Ordering::Relaxed);
    }

    fn accepts(&self) -> bool {
        self.orb_accepts.load(Ordering::Relaxed) || self.adapter_accepts.load(Ordering::Relaxed)
    }

    /// Adds endpoints at which the ORB's objects are, whose requests `serve` serves.
    pub fn listen(&self, endpoints: &[Endpoint], serve: Weak<ServeStream>) {
        let mut offer = self.offer.lock();
        offer.listening.retain(|(_, serve)| serve.strong_count() > 0);
        offer.listening.push((endpoints.to_vec(), serve));
        let endpoints = offer.listening.iter().flat_map(|(endpoints, _)| endpoints);
        let points = endpoints.filter_map(listen_point).take(MAX_LISTEN_POINTS).collect();
        // Hosts of endpoints are ASCII.
        offer.context = ListenPoints(points).encode(ByteOrder::NATIVE).ok().map(Into::into);
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// How often the listen points have changed. A connection that was offered with an older number does not offer the
    /// newest.
    #[inline]
    pub fn generation(&self) -> u32 {
        self.generation.load(Ordering::Acquire)
    }

    /// The data of the [service context](Self::CONTEXT); `None` if the ORB does not listen.
    pub fn context(&self) -> Option<Arc<[u8]>> {
        self.offer.lock().context.clone()
    }

    /// A stream over the connection of a client that listens at the endpoint, if there is one. Of several it is the first
    /// that has said so, so that a later client does not get the calls for an earlier one.
    #[cold]
    pub fn client_at(&self, endpoint: &Endpoint) -> Option<Arc<dyn Stream>> {
        if !self.accepts() {
            return None;
        }
        let address = address_of(endpoint)?;
        // Dropped without the lock: a connection may be the last to use its stream.
        let accepted: Vec<_> = self.accepted.lock().iter().filter_map(Weak::upgrade).collect();
        let leading = accepted.iter().filter_map(|it| Some((it.leads_to(address)?, it)));
        let mut leading: Vec<_> = leading.collect();
        leading.sort_unstable_by_key(|(claim, _)| *claim);
        leading.into_iter().find_map(|(_, connection)| half::client(connection))
    }

    /// The stream of a client over a connection that it has opened, and over which it may offer to be called.
    ///
    /// # Errors
    /// There is no thread to receive.
    #[cold]
    pub fn opened(self: &Arc<Self>, stream: Arc<dyn Stream>) -> io::Result<Arc<dyn Stream>> {
        let orb = Arc::downgrade(self);
        let serve = move |stream| {
            let serve = orb.upgrade().and_then(|orb| {
                let offer = orb.offer.lock();
                offer.listening.iter().find_map(|(_, serve)| serve.upgrade())
            });
            serve.map(|serve| serve(stream)).is_some()
        };
        half::opened(stream, serve)
    }

    /// The stream of the server over a connection that it has accepted.
    pub fn accepted(&self, stream: Arc<dyn Stream>) -> Arc<dyn Stream> {
        if !self.accepts() {
            return stream;
        }
        match half::accepted(Arc::clone(&stream)) {
            Ok((connection, server)) => {
                let mut accepted = self.accepted.lock();
                accepted.retain(|connection| connection.strong_count() > 0);
                accepted.push(Arc::downgrade(&connection));
                drop(accepted);
                server
            }
            Err(error) => {
                log_limited!(warn, peer = stream.peer(), %error, "a connection is not bidirectional");
                stream
            }
        }
    }
}

impl fmt::Debug for Bidirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let accepted = self.accepted.lock().len();
        f.debug_struct("Bidirection")
            .field("accepts", &self.accepts())
            .field("accepted", &accepted)
            .finish_non_exhaustive()
    }
}
