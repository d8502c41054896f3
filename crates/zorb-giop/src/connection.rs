//! What a connection remembers, apart from octets: ids, code sets, how it ended.

mod client;
mod ids;
mod server;

pub use client::{ClientConnection, ConnectionEnd, RequestProgress, RetryDecision};
pub use ids::RequestIds;
pub use server::{MAX_CANCELLED, ServerConnection};
