//! Compression of messages (ZIOP), which an extension adds to an ORB.

use std::fmt;
use std::sync::Arc;

use zorb_giop::MessageBudget;
use zorb_transport::Stream;

use crate::policy::Policies;

/// Compresses and decompresses the messages of an ORB below its connections, so that other connections execute nothing
/// for it. An optional crate implements it, with the libraries that compress.
pub trait Compression: fmt::Debug + Send + Sync {
    /// How the connections of calls compress, by the policies about compression of a client, and of a server in its
    /// reference; `None` if they do not.
    fn for_calls(&self, client: &Policies, server: &Policies) -> Option<CompressedConnections>;

    /// The stream of a connection that a client has opened. Memory is charged to `share`, that of the client.
    fn accepted(&self, stream: Arc<dyn Stream>, share: Arc<MessageBudget>) -> Arc<dyn Stream>;
}

/// How connections of a client compress.
#[derive(Clone)]
pub struct CompressedConnections {
    /// Distinguishes them: calls share a connection only if this is equal.
    pub key: Box<[i64]>,
    open: Arc<OpenStream>,
}

type OpenStream = dyn Fn(Arc<dyn Stream>, Arc<MessageBudget>) -> Arc<dyn Stream> + Send + Sync;

impl CompressedConnections {
    /// Those with this key, whose streams `open` wraps.
    pub fn new(
        key: Box<[i64]>,
        open: impl Fn(Arc<dyn Stream>, Arc<MessageBudget>) -> Arc<dyn Stream> + Send + Sync + 'static,
    ) -> Self {
        Self { key, open: Arc::new(open) }
    }

    /// The stream of a connection that the client has opened. Memory is charged to `share`, that of the server.
    pub fn opened(&self, stream: Arc<dyn Stream>, share: Arc<MessageBudget>) -> Arc<dyn Stream> {
        (self.open)(stream, share)
    }
}

impl fmt::Debug for CompressedConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompressedConnections").field("key", &self.key).finish_non_exhaustive()
    }
}
