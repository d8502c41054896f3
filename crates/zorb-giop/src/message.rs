//! The eight GIOP messages, and the encoding of their headers (CORBA 3.3 part 2, 9.4).

mod buffer;
mod fragment;
mod header;
mod kind;
mod locate;
mod operation;
mod reply;
mod request;
mod target;
mod whole;
mod writer;

pub use buffer::{PlainRequest, RequestBuffer};
pub use fragment::{FragmentPiece, Fragments, fragments};
pub use header::{HEADER_SIZE, MessageHeader};
pub use kind::MessageKind;
pub use locate::{CancelRequest, LocateReplyHeader, LocateRequestHeader, LocateStatus};
pub use operation::OperationName;
pub use reply::{ReplyHeader, ReplyStart, ReplyStatus};
pub(crate) use request::unaligned;
pub use request::{RequestHeader, RequestStart, ResponseFlags};
pub use target::{AddressingDisposition, TargetAddress};
pub use writer::MessageWriter;

use zorb_cdr::{CdrReader, CdrResult};

use crate::ProtocolError;

/// A reader after the 12 octets of `header`, limited to the size of the message.
#[inline]
fn open<'a>(
    message: &'a [u8],
    header: &MessageHeader,
    expected: MessageKind,
) -> Result<CdrReader<'a>, ProtocolError> {
    if header.kind != expected {
        return Err(crate::ProtocolErrorKind::WrongKind { expected, found: header.kind }.into());
    }
    let message = message.get(..header.total_size()).unwrap_or(message);
    let mut reader = CdrReader::new(message, header.order);
    let skipped: CdrResult<_> = reader.take(HEADER_SIZE, "message header");
    skipped.map_err(|cause| ProtocolError::header(expected, cause))?;
    Ok(reader)
}
