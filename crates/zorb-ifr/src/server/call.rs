//! The arguments, results and exceptions of the repository's operations.

use zorb::{CompletionStatus, MinorCode, SystemException, Wire};
use zorb_core::{Served, ServerCall};
use zorb_types::Transfer;

/// Reads an argument.
pub(super) fn argument<M: Wire>(call: &mut ServerCall<'_>) -> Result<M::Value, SystemException> {
    M::read(call.arguments()).map_err(|error| {
        SystemException::from_cdr(error, CompletionStatus::No, Transfer::ReceiveRequest)
    })
}

/// Completes a request with its result.
pub(super) fn reply<M: Wire>(call: &mut ServerCall<'_>, result: &M::View) -> Served {
    call.reply_dynamic(None, |writer| M::write(result, writer))
}

/// Completes a request that has no result.
pub(super) fn done(call: &mut ServerCall<'_>) -> Served {
    call.reply_dynamic(None, |_| Ok(()))
}

#[cold]
pub(super) fn bad_param(minor: MinorCode) -> SystemException {
    SystemException::bad_param(minor, CompletionStatus::No)
}
