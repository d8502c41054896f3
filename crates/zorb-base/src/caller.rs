//! Who made the request that is being served.

use std::fmt;
use std::sync::Arc;

use zorb_transport::PeerIdentity;

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
        self.connection.stream().peer_identity()
    }

    /// Has the replies to this client's requests over this connection lie where `strategy` says, from
    /// now on, as far as no object, adapter or thread has a policy for it: see
    /// `Loan::for_reply`.
    pub fn set_buffer_strategy(&self, strategy: BufferStrategy) {
        self.connection.set_buffer_strategy(strategy);
    }

    /// Where the client is, as its transport says it: `192.0.2.7:40122`. Not a proof of anything.
    #[must_use]
    pub fn address(&self) -> &str {
        self.connection.stream().peer()
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
