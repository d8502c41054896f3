//! Who made the request that is being served.

use std::fmt;
use std::sync::Arc;

use zorb_transport::{PeerIdentity, Stream};

use super::crew;

/// The client whose request the calling thread is serving: what a servant asks when it matters who
/// calls.
///
/// ```
/// # use zorb_core::Caller;
/// fn may_stop_the_plant() -> bool {
///     let caller = Caller::current().and_then(|caller| caller.identity());
///     caller.is_some_and(|caller| caller.is_called("dns:console.example.com"))
/// }
/// ```
#[doc(alias = "Current")]
#[derive(Clone)]
pub struct Caller {
    stream: Arc<dyn Stream>,
}

impl Caller {
    /// The client behind the upcall that this thread is in; `None` outside of upcalls that came over
    /// a connection, in those of collocated calls for instance.
    #[must_use]
    pub fn current() -> Option<Self> {
        crew::served_stream().map(|stream| Self { stream })
    }

    /// Who the client has proven to be, where the connection's transport asks for it: with SSLIOP
    /// what its certificate says.
    #[must_use]
    pub fn identity(&self) -> Option<Arc<PeerIdentity>> {
        self.stream.peer_identity()
    }

    /// Where the client is, as its transport says it: `192.0.2.7:40122`. Not a proof of anything.
    #[must_use]
    pub fn address(&self) -> &str {
        self.stream.peer()
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
