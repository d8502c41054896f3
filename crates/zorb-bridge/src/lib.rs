//! The in-line bridge: it listens in one protocol and passes what comes on in another.
//!
//! ```text
//! client ==== uiop ====> | bridge | ==== iiop ====> server
//!        <=== replies == |        | <== replies ===
//! ```
//!
//! Each connection of a client has one of its own to the server, so that whatever holds for one
//! connection, request ids, code sets, the order of messages, holds for the other as it is. Messages go
//! over octet for octet: in the version and byte order that they were written in, with their arguments
//! unread, fragments one by one, long ones before their end has come. The thread that has read them
//! writes them: one for requests, one for replies.
//!
//! Where one side frames messages otherwise than the other, GIOPlite beside GIOP, headers are written
//! anew, for messages that are here as a whole. Arguments and results still go over unread: the new
//! headers are made so long that they lie as they lay.
//!
//! What the bridge looks at is the beginning of each message: whether it is one and not too long,
//! whether the object asked for is one that the bridge is there for, and whether a reply forwards the
//! client to an object of the same server, which is then to be reached through the bridge as well.
//!
//! [`Bridge`] is where to begin.
#![forbid(unsafe_code)]

mod accept;
mod beginning;
mod bridge;
mod conversion;
mod error;
mod forwarding;
mod framing;
mod link;
mod parts;
mod published;
mod relay;
mod replies;
mod requests;
mod settings;
mod statistics;
mod target;

pub use bridge::Bridge;
pub use error::BridgeError;
pub use settings::Settings;
pub use statistics::Statistics;
