//! The state machines of connections: requests, ids, code sets, and the end of a connection.

mod client;
mod end;
mod ids;
mod server;

pub use client::{
    Announcement, BeginError, BegunRequest, ClientConnection, ClientSession, MAX_OUTSTANDING,
    NewRequest, Received, RequestKind,
};
pub use end::{ConnectionEnd, FailureCause, RequestFailure, RequestProgress};
pub use ids::RequestIds;
pub use server::{
    Activity, Cancellation, CancelledRequests, ClientMessage, ConnectionTimer, Exceeded,
    Incomplete, MAX_CANCELLED, ServedRequest, ServerReceiver, ServerRequests, TimeLimits,
    UnreadRequest,
};

use zorb_cdr::TextCoding;

use crate::{CodeSetContext, CodeSetError, GiopVersion, text_coding};

/// The text coding of messages of `version`.
#[inline(never)]
fn text_of(
    code_sets: Option<CodeSetContext>,
    version: GiopVersion,
) -> Result<TextCoding, CodeSetError> {
    text_coding(code_sets.unwrap_or(CodeSetContext::DEFAULT), version)
}
