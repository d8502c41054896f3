//! Who made the request that is being served.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_transport::PeerIdentity;

use super::connection::ServerConnection;
use super::current::served_connection;
use crate::policy::BufferStrategy;

/// The client whose request the calling thread is serving: what a servant asks when it matters who
/// calls.
///
/// ```
/// # use zorb_core::Caller;
/// fn may_stop_the_plant() -> bool {
///     let caller = Caller::current().and_then(|caller| caller.identity());
///     caller.is_some_and(|caller| caller.has_name("dns:console.example.com"))
/// }
/// ```
#[doc(alias = "Current")]
#[derive(Clone)]
pub struct Caller {
    connection: Arc<ServerConnection>,
}

impl Caller {
    /// The client behind the upcall that this thread is in; `None` outside of upcalls that came over
    /// a connection, in those of collocated calls for instance.
    #[must_use]
    pub fn current() -> Option<Self> {
        served_connection().map(|connection| Self { connection })
    }

    /// Who the client has proven to be, where the connection's transport asks for it: with SSLIOP
    /// what its certificate says.
    #[must_use]
    pub fn identity(&self) -> Option<Arc<PeerIdentity>> {
        self.connection.stream.peer_identity()
    }

    /// Has the replies to this client's requests over this connection lie where `strategy` says, from
    /// now on, as far as no object, adapter or thread has a policy for it: see
    /// [`Loan::for_reply`](crate::Loan::for_reply).
    pub fn set_buffer_strategy(&self, strategy: BufferStrategy) {
        let number = BufferStrategy::ALL.iter().position(|it| *it == strategy);
        let number = number.and_then(|at| u8::try_from(at + 1).ok()).unwrap_or(0);
        self.connection.buffer_strategy.store(number, Ordering::Relaxed);
    }

    /// Where the client is, as its transport says it: `192.0.2.7:40122`. Not a proof of anything.
    #[must_use]
    pub fn address(&self) -> &str {
        self.connection.stream.peer()
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
