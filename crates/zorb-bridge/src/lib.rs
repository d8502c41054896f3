//! An in-line bridge: it listens in one protocol and forwards messages in another.
//!
//! ```text
//! client ==== uiop ====> | bridge | ==== iiop ====> server
//!        <=== replies == |        | <== replies ===
//! ```
//!
//! Each connection of a client has a connection of its own to the server. So the state of a
//! connection, such as request ids, code sets and the order of messages, is valid for both
//! unchanged. Messages are forwarded octet for octet: in their original version and byte order,
//! with unread arguments, fragment by fragment, and long ones before their end has arrived. The
//! thread that reads messages also writes them: one thread for requests, one for replies.
//!
//! If the two sides frame messages differently, such as GIOPlite and GIOP, the bridge reassembles
//! messages and rewrites their headers. Arguments and results are still forwarded unread: the new
//! headers are padded so that the alignment of the body stays the same.
//!
//! The bridge examines only the start of each message: whether it is valid and not too long,
//! whether the bridge serves the requested object, and whether a reply forwards the client to an
//! object of the same server, which must then be reached through the bridge as well.
//!
//! Start with [`Bridge`].
#![forbid(unsafe_code)]

mod admission;
mod bridge;
mod client_side;
mod clients;
mod context;
mod conversion;
mod error;
mod forwarding;
mod fragments;
mod framing;
mod linger;
mod link;
mod reference;
mod relay;
mod replies;
mod request_head;
mod requests;
mod server_side;
mod serving;
mod settings;
mod statistics;
mod target;
#[cfg(test)]
mod tests;
mod timing;
mod waiting;

pub use bridge::Bridge;
pub use error::BridgeError;
pub use settings::Settings;
pub use statistics::Statistics;
