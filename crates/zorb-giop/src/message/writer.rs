//! Encoding messages.

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrResult, CdrWriter, Number, TextCoding};

use super::locate::{write_locate_reply, write_locate_request};
use super::reply::{plain_reply, write_reply};
use super::request::{fill_principal, unaligned, write_request};
use super::{
    HEADER_SIZE, LocateStatus, MessageHeader, MessageKind, ReplyStatus, RequestStart, TargetAddress,
};
use crate::messaging::frame;
use crate::{GiopVersion, Messaging, ServiceContext};

/// Encodes a message into the caller's buffer, whose start is the alignment base.
///
/// Begin with the method for the kind of message, write the body with [`body`](Self::body), then call
/// [`finish`](Self::finish): the buffer has the octets to send. A buffer that is large enough needs no
/// allocation. After an error, begin another message in the same buffer.
///
/// ```
/// use zorb_cdr::{ByteOrder, TextCoding};
/// use zorb_giop::{GiopVersion, MessageWriter, RequestStart, ResponseFlags, TargetAddress};
///
/// let mut buffer = Vec::new();
/// let mut message = MessageWriter::request(
///     &mut buffer,
///     GiopVersion::V1_2,
///     ByteOrder::NATIVE,
///     &RequestStart {
///         request_id: 2,
///         response: ResponseFlags::SyncWithTarget,
///         target: TargetAddress::Key(b"key"),
///         operation: "add",
///         service_contexts: &[],
///     },
/// )?;
/// message.body(TextCoding::default()).write_i32(7);
/// message.finish()?;
/// assert_eq!(buffer.len() % 4, 0);
/// # Ok::<(), zorb_cdr::CdrError>(())
/// ```
#[derive(Debug)]
#[must_use = "a message is complete only after `finish`"]
pub struct MessageWriter<'b> {
    buffer: &'b mut Vec<u8>,
    version: GiopVersion,
    order: ByteOrder,
    kind: MessageKind,
    /// The end of the header, once a body was begun; 0 before.
    header_end: usize,
    /// The start of the body, once it was begun.
    body_start: usize,
    /// The messaging protocol, if it is not GIOP.
    messaging: Option<&'b dyn Messaging>,
}

impl<'b> MessageWriter<'b> {
    /// Clears `buffer` and begins a message of any kind, whose fields the caller writes.
    pub fn begin(
        buffer: &'b mut Vec<u8>,
        version: GiopVersion,
        order: ByteOrder,
        kind: MessageKind,
    ) -> Self {
        let header = MessageHeader { version, order, more_fragments: false, kind, size: 0 };
        buffer.clear();
        buffer.extend_from_slice(&header.to_octets());
        Self::after_header(buffer, version, order, kind)
    }

    /// Continues after the message header in `buffer`.
    #[inline]
    pub(crate) fn after_header(
        buffer: &'b mut Vec<u8>,
        version: GiopVersion,
        order: ByteOrder,
        kind: MessageKind,
    ) -> Self {
        Self { buffer, version, order, kind, header_end: 0, body_start: 0, messaging: None }
    }

    /// Clears `buffer` and begins a message of another messaging protocol.
    #[cold]
    pub(crate) fn begin_other(
        messaging: &'b dyn Messaging,
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
        kind: MessageKind,
    ) -> Self {
        frame::begin(messaging.header_size(), buffer, order);
        Self::resume_other(messaging, buffer, order, kind)
    }

    /// Continues after the header of another messaging protocol in `buffer`.
    #[inline]
    pub(crate) fn resume_other(
        messaging: &'b dyn Messaging,
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
        kind: MessageKind,
    ) -> Self {
        let message = Self::after_header(buffer, GiopVersion::HIGHEST, order, kind);
        Self { messaging: Some(messaging), ..message }
    }

    /// Begins a Request.
    ///
    /// For repeated requests, a [`RequestBuffer`](super::RequestBuffer) is faster.
    ///
    /// # Errors
    /// `Unsupported` for a target other than an object key before GIOP 1.2; `BadString`, `BadText` for an
    /// operation name with a NUL or a character that ISO 8859-1 does not have; `TooLong`.
    pub fn request(
        buffer: &'b mut Vec<u8>,
        version: GiopVersion,
        order: ByteOrder,
        start: &RequestStart<'_>,
    ) -> CdrResult<Self> {
        let mut message = Self::begin(buffer, version, order, MessageKind::Request);
        let mut writer = message.header_writer();
        write_request(start, version, &mut writer)?;
        writer.finish()?;
        Ok(message)
    }

    /// Begins a Request for encoded arguments that begin at an offset of `phase` modulo 8: see
    /// [`MessageFormat::request_before`](crate::MessageFormat::request_before).
    pub(crate) fn request_before(
        buffer: &'b mut Vec<u8>,
        version: GiopVersion,
        order: ByteOrder,
        start: &RequestStart<'_>,
        phase: u8,
    ) -> CdrResult<Self> {
        let mut message = Self::request(buffer, version, order, start)?;
        if version < GiopVersion::V1_2 {
            fill_principal(message.buffer, phase, order)?;
        }
        let at = message.body(TextCoding::default()).offset();
        if at % 8 == usize::from(phase) { Ok(message) } else { Err(unaligned(at)) }
    }

    /// Begins a Reply; `version` is that of the request.
    ///
    /// # Errors
    /// `Unsupported` for a status that `version` does not have; `TooLong`.
    pub fn reply(
        buffer: &'b mut Vec<u8>,
        version: GiopVersion,
        order: ByteOrder,
        request_id: u32,
        status: ReplyStatus,
        contexts: &[ServiceContext<'_>],
    ) -> CdrResult<Self> {
        if version == GiopVersion::V1_2 && contexts.is_empty() {
            return Ok(Self::plain_reply(buffer, order, request_id, status));
        }
        let mut message = Self::begin(buffer, version, order, MessageKind::Reply);
        let mut writer = message.header_writer();
        write_reply(request_id, status, contexts, version, &mut writer)?;
        writer.finish()?;
        Ok(message)
    }

    /// Begins a Reply of GIOP 1.2 without service contexts, as most are.
    #[inline]
    pub(crate) fn plain_reply(
        buffer: &'b mut Vec<u8>,
        order: ByteOrder,
        request_id: u32,
        status: ReplyStatus,
    ) -> Self {
        let (version, kind) = (GiopVersion::V1_2, MessageKind::Reply);
        let header = MessageHeader { version, order, more_fragments: false, kind, size: 0 };
        buffer.clear();
        buffer.extend_from_slice(&plain_reply(header, request_id, status));
        Self::after_header(buffer, version, order, kind)
    }

    /// Begins a LocateRequest, which has no body.
    ///
    /// # Errors
    /// `Unsupported` for a target other than an object key before GIOP 1.2; `TooLong`.
    pub fn locate_request(
        buffer: &'b mut Vec<u8>,
        version: GiopVersion,
        order: ByteOrder,
        request_id: u32,
        target: &TargetAddress<'_>,
    ) -> CdrResult<Self> {
        let mut message = Self::begin(buffer, version, order, MessageKind::LocateRequest);
        let mut writer = message.header_writer();
        write_locate_request(request_id, target, version, &mut writer)?;
        writer.finish()?;
        Ok(message)
    }

    /// Begins a LocateReply; `version` is that of the LocateRequest.
    ///
    /// # Errors
    /// `Unsupported` for a status that `version` does not have.
    pub fn locate_reply(
        buffer: &'b mut Vec<u8>,
        version: GiopVersion,
        order: ByteOrder,
        request_id: u32,
        status: LocateStatus,
    ) -> CdrResult<Self> {
        let mut message = Self::begin(buffer, version, order, MessageKind::LocateReply);
        let mut writer = message.header_writer();
        write_locate_reply(request_id, status, version, &mut writer)?;
        writer.finish()?;
        Ok(message)
    }

    /// The version of the message.
    pub fn version(&self) -> GiopVersion {
        self.version
    }

    /// A writer at the end of the header, for a kind begun with [`begin`](Self::begin).
    #[inline]
    pub fn header_writer(&mut self) -> CdrWriter<'_> {
        CdrWriter::continue_in(self.buffer, self.order)
    }

    /// A writer at the end of the body. The first call aligns the body as the version requires;
    /// [`finish`](Self::finish) removes the padding of an empty body.
    #[inline(always)] // 1 % of a call in the client
    pub fn body(&mut self, text: TextCoding) -> CdrWriter<'_> {
        if self.header_end == 0 {
            self.header_end = self.buffer.len();
            let aligned = self.version == GiopVersion::V1_2
                && self.messaging.is_none()
                && matches!(self.kind, MessageKind::Request | MessageKind::Reply);
            if aligned {
                let padding = self.header_end.wrapping_neg() % 8;
                self.header_writer().put([0; 8].get(..padding).unwrap_or_default());
            }
            self.body_start = self.buffer.len();
        }
        self.header_writer().with_text(text)
    }

    /// Removes what was written to the body.
    pub fn clear_body(&mut self) {
        if self.header_end > 0 {
            self.buffer.truncate(self.body_start);
        }
    }

    /// The offset of the body; the end of the message if no body was begun.
    pub fn body_start(&self) -> usize {
        if self.header_end > 0 { self.body_start } else { self.buffer.len() }
    }

    /// Number of octets written so far, the header included.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Always `false`: a message has a header.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Completes the message by writing its size into the header.
    ///
    /// # Errors
    /// `TooLong` for a message of more than 2³²-1 octets; `OutOfMemory` if something was left out for lack of memory.
    #[inline]
    pub fn finish(self) -> CdrResult<()> {
        self.finish_before(0)
    }

    /// Completes a message that is sent with `tail` more octets from somewhere else.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    #[inline]
    pub fn finish_before(self, tail: usize) -> CdrResult<()> {
        if self.header_end > 0 && self.buffer.len() == self.body_start && tail == 0 {
            self.buffer.truncate(self.header_end);
        }
        if let Some(messaging) = self.messaging {
            if self.buffer.is_empty() {
                return Err(out_of_memory());
            }
            return messaging.finish(self.kind, self.order, self.buffer, tail);
        }
        let size = self.buffer.len().saturating_sub(HEADER_SIZE).saturating_add(tail);
        let Ok(size) = u32::try_from(size) else {
            return Err(CdrError::new(CdrErrorKind::TooLong, self.buffer.len(), "message"));
        };
        set_size(self.buffer, size, self.order)
    }
}

#[cold]
fn out_of_memory() -> CdrError {
    CdrError::new(CdrErrorKind::OutOfMemory, 0, "message")
}

/// Writes the message size into the header, unless it is there already, as in a reply without a body or a
/// repeated request: a store just before the send would delay it. `OutOfMemory` for an empty buffer.
#[inline]
fn set_size(buffer: &mut [u8], size: u32, order: ByteOrder) -> CdrResult<()> {
    let octets = size.to_octets(order);
    let Some(field) = buffer.get_mut(8..HEADER_SIZE) else { return Err(out_of_memory()) };
    if *field != octets {
        field.copy_from_slice(&octets);
    }
    Ok(())
}
