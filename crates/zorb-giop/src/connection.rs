//! What a connection remembers, apart from octets: ids, code sets, how it ended.

mod cancelled;
mod client;
mod ids;
mod server;

pub use cancelled::{CancelledRequests, MAX_CANCELLED};
pub use client::{ClientConnection, ConnectionEnd, RequestProgress, RetryDecision};
pub use ids::RequestIds;
pub use server::ServerConnection;
