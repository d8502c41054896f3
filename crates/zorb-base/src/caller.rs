//! The client of the request that is being served.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use zorb_transport::{PeerIdentity, peer_network};

use crate::policy::BufferStrategy;
use crate::upcall_thread::{ServedConnection, served_connection};

/// The client whose request the calling thread serves. Servants use it to check permissions.
///
/// ```
/// # use zorb_base::caller::Caller;
/// fn may_stop_the_plant() -> bool {
///     let caller = Caller::current().and_then(|caller| caller.identity());
///     caller.is_some_and(|caller| caller.has_name("dns:console.example.com"))
/// }
/// ```
#[doc(alias = "Current")]
#[derive(Clone)]
pub struct Caller {
    connection: Arc<dyn ServedConnection>,
}

impl Caller {
    /// The client of the current upcall; `None` outside of upcalls, and in collocated calls.
    #[must_use]
    pub fn current() -> Option<Self> {
        served_connection().map(|connection| Self { connection })
    }

    /// The client at the other end of a connection.
    #[doc(hidden)]
    pub fn of(connection: Arc<dyn ServedConnection>) -> Self {
        Self { connection }
    }

    /// The authenticated identity of the client, if the transport authenticates clients: with SSLIOP, the
    /// names of its certificate.
    #[must_use]
    pub fn identity(&self) -> Option<Arc<PeerIdentity>> {
        self.connection.stream().peer_identity()
    }

    /// Sets the buffer strategy of replies over this connection, unless an object, an adapter or a thread has a
    /// policy of its own: see `Loan::for_reply`.
    pub fn set_buffer_strategy(&self, strategy: BufferStrategy) {
        self.connection.set_buffer_strategy(strategy);
    }

    /// The client's address as its transport reports it, such as `192.0.2.7:40122`. It is not authenticated.
    #[must_use]
    pub fn address(&self) -> &str {
        self.connection.stream().peer()
    }

    /// The IP address by which limits for each client count: the client's, or its network, the first 64 bits, for an IPv6
    /// address that is valid beyond its link. `None` for clients over Unix-domain sockets and shared memory, and for those
    /// that send datagrams.
    #[must_use]
    pub fn network(&self) -> Option<IpAddr> {
        let address: SocketAddr = self.address().parse().ok()?;
        Some(peer_network(address.ip()))
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("address", &self.address())
            .field("identity", &self.identity().map(|identity| identity.to_string()))
            .finish()
    }
}
