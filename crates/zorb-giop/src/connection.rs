//! What a connection remembers, apart from octets: ids, code sets, how it ended.

mod cancelled;
mod client;
mod ids;
mod server;

pub use cancelled::{CancelledRequests, MAX_CANCELLED};
pub use client::{ClientConnection, ConnectionEnd, RequestProgress, RetryDecision};
pub use ids::RequestIds;
pub use server::ServerConnection;

use zorb_cdr::TextCoding;

use crate::{CodeSetContext, CodeSetError, GiopVersion, text_coding};

/// How text is written in messages of `version`.
#[inline(never)]
fn text_of(
    code_sets: Option<CodeSetContext>,
    version: GiopVersion,
) -> Result<TextCoding, CodeSetError> {
    text_coding(code_sets.unwrap_or(CodeSetContext::DEFAULT), version)
}
