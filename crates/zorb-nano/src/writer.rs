//! Encoding messages into a buffer that does not grow.

use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrResult, CdrWriter, TextCoding, Wire};
use zorb_giop::{
    GiopVersion, HEADER_SIZE, MessageFormat, MessageHeader, MessageKind, MessageWriter,
    ReplyStatus, RequestStart,
};
use zorb_types::Transfer;

use crate::endpoint::Encoding;
use crate::head::Head;
use crate::{Reference, SystemException, Text};

/// Octets of a request's header besides object key and operation, and of a reply's, at most.
const HEADER: usize = 80;

/// The arguments of a request in a client, or the results in a servant.
///
/// A value that would make the message larger than [`Limits::max_message_size`](crate::Limits::max_message_size) is not
/// written. The call then fails, even if the caller ignores the error.
#[derive(Debug)]
pub struct Writer<'b> {
    /// Its capacity is at least `limit`.
    buffer: &'b mut Vec<u8>,
    limit: usize,
    frame: Frame,
    failed: Option<SystemException>,
    transfer: Transfer,
}

/// Where the parts of a message begin.
#[derive(Clone, Copy, Debug)]
struct Frame {
    encoding: Encoding,
    kind: MessageKind,
    header_end: usize,
    body_start: usize,
}

impl<'b> Writer<'b> {
    /// Begins a Request in the machine's byte order.
    pub(crate) fn request(
        buffer: &'b mut Vec<u8>,
        limit: usize,
        encoding: Encoding,
        start: &RequestStart<'_>,
        key: usize,
    ) -> Result<Self, SystemException> {
        if start.operation.len() + key + HEADER > limit {
            return Err(SystemException::TOO_LARGE);
        }
        let message = encoding.form().request(buffer, ByteOrder::NATIVE, start);
        let frame = message.map(|message| begin_body(message, encoding, MessageKind::Request));
        let transfer = Transfer::SendRequest;
        let frame = frame.map_err(|error| SystemException::of_cdr(error, transfer))?;
        Ok(Self { buffer, limit, frame, failed: None, transfer })
    }

    /// Begins a Request whose header, but for the id, the buffer has already.
    pub(crate) fn request_again(
        buffer: &'b mut Vec<u8>,
        limit: usize,
        head: &Head,
        (encoding, id): (Encoding, u32),
    ) -> Self {
        buffer.truncate(head.end);
        Head::set_id(buffer, id);
        let padding = [0; 8].get(..head.body_start.saturating_sub(head.end)).unwrap_or_default();
        CdrWriter::resume(buffer, ByteOrder::NATIVE).put(padding);
        let (kind, header_end, body_start) = (MessageKind::Request, head.end, head.body_start);
        let frame = Frame { encoding, kind, header_end, body_start };
        Self { buffer, limit, frame, failed: None, transfer: Transfer::SendRequest }
    }

    /// Begins a Reply in the machine's byte order.
    pub(crate) fn reply(
        buffer: &'b mut Vec<u8>,
        limit: usize,
        encoding: Encoding,
        request_id: u32,
        status: ReplyStatus,
    ) -> CdrResult<Self> {
        let message = encoding.form().reply(buffer, ByteOrder::NATIVE, request_id, status, &[])?;
        let frame = begin_body(message, encoding, MessageKind::Reply);
        Ok(Self { buffer, limit, frame, failed: None, transfer: Transfer::SendReply })
    }

    /// Writes a value of an IDL type of fixed size: numbers, `boolean`, `char`, enums, and structs and arrays of them.
    ///
    /// # Errors
    /// `IMP_LIMIT`, minor `MESSAGE_TOO_LARGE`; `DATA_CONVERSION` for a `char` without a code in ISO 8859-1.
    pub fn write<T: Wire>(&mut self, value: &T::View) -> Result<(), SystemException> {
        let layout = const {
            match T::LAYOUT {
                Some(layout) => layout,
                None => panic!("the type has no fixed size: write its parts"),
            }
        };
        self.append(layout.size_at(self.buffer.len()), |writer| T::write(value, writer))
    }

    /// Writes a `sequence` of a type of fixed size.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_sequence<T: Wire>(&mut self, values: &[T::Value]) -> Result<(), SystemException> {
        let stride = const {
            match T::LAYOUT {
                Some(layout) => layout.stride(),
                None => panic!("the type has no fixed size: write the count and the elements"),
            }
        };
        // Padding of the count, the count, and padding of the first element.
        let octets = stride.saturating_mul(values.len()).saturating_add(3 + 4 + 8);
        self.append(octets, |writer| {
            writer.write_count(values.len(), "sequence")?;
            T::write_slice(values, writer)
        })
    }

    /// Writes the number of elements of a `sequence` whose elements follow one by one.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_count(&mut self, count: usize) -> Result<(), SystemException> {
        self.append(3 + 4, |writer| writer.write_count(count, "sequence"))
    }

    /// Writes a `sequence<octet>`.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_octets(&mut self, octets: &[u8]) -> Result<(), SystemException> {
        self.append(octets.len().saturating_add(3 + 4), |writer| writer.write_octets(octets))
    }

    /// Writes a `string`, in ISO 8859-1; in GIOPlite in UTF-8.
    ///
    /// # Errors
    /// As [`write`](Self::write); `BAD_PARAM` for a NUL inside; `DATA_CONVERSION` for other characters.
    pub fn write_str(&mut self, text: &str) -> Result<(), SystemException> {
        self.append(text.len().saturating_add(3 + 4 + 1), |writer| writer.write_str(text, u32::MAX))
    }

    /// Writes a `string` of at most `bound` characters, in ISO 8859-1.
    ///
    /// # Errors
    /// As [`write_str`](Self::write_str); `BAD_PARAM` for text that is too long.
    pub fn write_text<'t>(
        &mut self,
        text: impl Into<Text<'t>>,
        bound: u32,
    ) -> Result<(), SystemException> {
        let text = text.into();
        let octets = text.max_size().saturating_add(3 + 4 + 1);
        self.append(octets, |writer| text.write(writer, bound))
    }

    /// Writes a `sequence<octet>` of at most `bound` octets.
    ///
    /// # Errors
    /// As [`write`](Self::write); `BAD_PARAM` if there are more.
    pub fn write_bounded_octets(
        &mut self,
        octets: &[u8],
        bound: u32,
    ) -> Result<(), SystemException> {
        self.check_bound(octets.len(), bound)?;
        self.write_octets(octets)
    }

    /// Fails if a sequence has more than `bound` elements.
    pub(crate) fn check_bound(&mut self, count: usize, bound: u32) -> Result<(), SystemException> {
        if count <= bound as usize {
            return Ok(());
        }
        self.append(0, |writer| Err(writer.error(CdrErrorKind::BoundExceeded, "sequence")))
    }

    /// Writes an object reference, with the repository id `type_id`.
    ///
    /// # Errors
    /// As [`write_str`](Self::write_str).
    pub fn write_reference(
        &mut self,
        reference: &Reference,
        type_id: &str,
    ) -> Result<(), SystemException> {
        let size = reference.max_size(type_id);
        self.append(size, |writer| reference.write(type_id, writer))
    }

    /// Where the header ends in the message.
    pub(crate) fn header_end(&self) -> usize {
        self.frame.header_end
    }

    /// Where the values begin in the message.
    pub(crate) fn body_start(&self) -> usize {
        self.frame.body_start
    }

    /// Appends the values of another message, which are encoded alike.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub(crate) fn copy(&mut self, values: &[u8]) -> Result<(), SystemException> {
        self.append(values.len(), |writer| {
            writer.put(values);
            Ok(())
        })
    }

    /// Calls `write` if there is room for so many octets.
    fn append(
        &mut self,
        octets: usize,
        write: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> Result<(), SystemException> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        if octets > self.limit.saturating_sub(self.buffer.len()) {
            return Err(self.fail(SystemException::too_large(self.transfer)));
        }
        let text = self.frame.encoding.text();
        let writer = CdrWriter::resume(self.buffer, ByteOrder::NATIVE);
        let written = write(&mut writer.with_text(text));
        written.map_err(|error| self.fail(SystemException::of_cdr(error, self.transfer)))
    }

    #[cold]
    fn fail(&mut self, error: SystemException) -> SystemException {
        self.failed = Some(error);
        error
    }

    /// The first error of a value.
    pub(crate) fn failed(&self) -> Option<SystemException> {
        self.failed
    }

    /// Removes the values.
    pub(crate) fn clear(&mut self) {
        self.buffer.truncate(self.frame.body_start);
    }

    /// Replaces the status in the header of a Reply.
    pub(crate) fn set_status(&mut self, status: ReplyStatus) {
        // The list of service contexts, which is empty, precedes the id before GIOP 1.2, and follows the status since.
        // GIOPlite has none, and its header is padded to eight octets.
        let at = match self.frame.encoding.form() {
            MessageFormat::Other(_) => 12,
            MessageFormat::Giop(GiopVersion::V1_2) => HEADER_SIZE + 4,
            MessageFormat::Giop(_) => HEADER_SIZE + 8,
        };
        if let Some(field) = self.buffer.get_mut(at..at + 4) {
            field.copy_from_slice(&(status as u32).to_ne_bytes());
        }
    }

    /// Completes the message in the buffer.
    pub(crate) fn finish(self) {
        let Frame { encoding, kind, header_end, body_start } = self.frame;
        if self.buffer.len() == body_start {
            self.buffer.truncate(header_end);
        }
        let order = ByteOrder::NATIVE;
        let size =
            |header| u32::try_from(self.buffer.len().saturating_sub(header)).unwrap_or_default();
        let version = match encoding.form() {
            MessageFormat::Giop(version) => version,
            MessageFormat::Other(messaging) => {
                let header_size = usize::from(messaging.header_size());
                let frame = zorb_giop::Frame { kind, order, size: size(header_size) };
                if let Some(header) = self.buffer.get_mut(..header_size) {
                    messaging.write_header(frame, header);
                }
                return;
            }
        };
        let size = size(HEADER_SIZE);
        let header = MessageHeader { version, order, more_fragments: false, kind, size };
        if let Some(first) = self.buffer.first_chunk_mut() {
            *first = header.to_octets();
        }
    }
}

/// Aligns the body of a message whose header has been written.
fn begin_body(mut message: MessageWriter<'_>, encoding: Encoding, kind: MessageKind) -> Frame {
    let header_end = message.len();
    message.body(TextCoding::default());
    Frame { encoding, kind, header_end, body_start: message.body_start() }
}

/// Writes a Reply with a system exception in place of what is in the buffer.
pub(crate) fn write_exception(
    buffer: &mut Vec<u8>,
    limit: usize,
    encoding: Encoding,
    request_id: u32,
    exception: &SystemException,
) -> Result<(), CdrError> {
    let status = ReplyStatus::SystemException;
    let writer = Writer::reply(buffer, limit, encoding, request_id, status)?;
    exception.write(&mut CdrWriter::resume(writer.buffer, ByteOrder::NATIVE))?;
    writer.finish();
    Ok(())
}
