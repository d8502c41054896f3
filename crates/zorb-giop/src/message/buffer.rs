//! Buffers for successive requests.

use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrResult, Number};

use super::{HEADER_SIZE, MessageWriter, RequestStart, ResponseFlags, TargetAddress};
use crate::{GiopVersion, MessageFormat};

/// The maximum length of an operation name for which a buffer reuses the header.
const MAX_NAME: usize = 48;

/// A buffer for successive requests that reuses the header of the last one.
///
/// Repeated calls of an operation have the same request header, except for the request id. So if the next
/// request is for the same object and operation, the header stays in the buffer and only its id is
/// overwritten. The buffer allocates memory for octets only.
///
/// ```
/// use std::sync::Arc;
/// use zorb_cdr::{ByteOrder, TextCoding};
/// use zorb_giop::{MessageFormat, GiopVersion, PlainRequest, RequestBuffer, ResponseFlags};
///
/// let key = Arc::new(b"key".to_vec());
/// let mut buffer = RequestBuffer::default();
/// for request_id in [2, 4] {
///     let response = ResponseFlags::SyncWithTarget;
///     let request = PlainRequest { request_id, response, key: &key, operation: "add" };
///     let form = MessageFormat::Giop(GiopVersion::V1_2);
///     let mut message = buffer.request(form, ByteOrder::NATIVE, request)?;
///     message.body(TextCoding::default()).write_i32(7);
///     message.finish()?;
///     assert_eq!(buffer.octets().len() % 4, 0);
/// }
/// # Ok::<(), zorb_cdr::CdrError>(())
/// ```
#[derive(Debug, Default)]
pub struct RequestBuffer {
    octets: Vec<u8>,
    last: Option<LastHeader>,
}

/// The header fields of a request to an object key, without service contexts.
#[derive(Clone, Copy, Debug)]
pub struct PlainRequest<'a> {
    /// Unique among the sender's outstanding requests on the connection.
    pub request_id: u32,
    /// Whether and when to answer.
    pub response: ResponseFlags,
    /// The object key.
    pub key: &'a Arc<Vec<u8>>,
    /// The operation name as in IDL.
    pub operation: &'a str,
}

/// The parameters of the header at the beginning of the buffer, except for its id and size.
#[derive(Debug)]
struct LastHeader {
    /// The object key. Holding the `Arc` makes pointer equality imply equality.
    key: Arc<Vec<u8>>,
    /// The end of the header, before the padding of a body.
    end: usize,
    id_at: u8,
    name_len: u8,
    version: GiopVersion,
    order: ByteOrder,
    response: ResponseFlags,
    name: [u8; MAX_NAME],
}

impl RequestBuffer {
    /// Begins a Request, as [`MessageFormat::request`] does. All requests in one buffer have the messaging protocol of
    /// `form`.
    ///
    /// # Errors
    /// As [`MessageFormat::request`].
    #[inline]
    pub fn request<'b>(
        &'b mut self,
        form: MessageFormat<'b>,
        order: ByteOrder,
        request: PlainRequest<'_>,
    ) -> CdrResult<MessageWriter<'b>> {
        if let Some(last) = &self.last
            && last.matches(form.version(), order, request)
            // There is no header if there was no memory for the last request.
            && let Some(id) = {
                let id_at = usize::from(last.id_at);
                self.octets.get_mut(id_at..id_at + 4)
            }
        {
            id.copy_from_slice(&octets_of(order, request.request_id));
            self.octets.truncate(last.end);
        } else {
            self.write_header(form, order, request)?;
        }
        Ok(form.resume_request(&mut self.octets, order))
    }

    #[inline(never)]
    fn write_header(
        &mut self,
        form: MessageFormat<'_>,
        order: ByteOrder,
        request: PlainRequest<'_>,
    ) -> CdrResult<()> {
        let PlainRequest { request_id, response, key, operation } = request;
        let target = TargetAddress::Key(key);
        let start = RequestStart { request_id, response, target, operation, service_contexts: &[] };
        self.last = None;
        let message = form.request(&mut self.octets, order, &start)?;
        let name = operation.as_bytes();
        let mut padded_name = [0; MAX_NAME];
        if let Some(id_at) = id_at(form)
            && let Some(prefix) = padded_name.get_mut(..name.len())
        {
            prefix.copy_from_slice(name);
            self.last = Some(LastHeader {
                key: Arc::clone(key),
                end: message.len(),
                id_at,
                name_len: name.len() as u8,
                version: form.version(),
                order,
                response,
                name: padded_name,
            });
        }
        Ok(())
    }

    /// The octets of the last message.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// The octets for a caller that changes only what follows the request header.
    pub fn octets_after_header(&mut self) -> &mut Vec<u8> {
        &mut self.octets
    }

    /// The octets for any use. The next request does not reuse the header.
    #[inline]
    pub fn octets_mut(&mut self) -> &mut Vec<u8> {
        self.last = None;
        &mut self.octets
    }
}

/// The offset of the id in a request without service contexts.
fn id_at(form: MessageFormat<'_>) -> Option<u8> {
    match form {
        MessageFormat::Giop(GiopVersion::V1_2) => Some(HEADER_SIZE as u8),
        // After the number of service contexts.
        MessageFormat::Giop(_) => Some(HEADER_SIZE as u8 + 4),
        MessageFormat::Other(messaging) => messaging.request_id_at(),
    }
}

impl LastHeader {
    #[inline]
    fn matches(&self, version: GiopVersion, order: ByteOrder, request: PlainRequest<'_>) -> bool {
        Arc::ptr_eq(&self.key, request.key)
            && (self.version, self.order, self.response) == (version, order, request.response)
            && self.name.get(..usize::from(self.name_len)) == Some(request.operation.as_bytes())
    }
}

#[inline]
fn octets_of(order: ByteOrder, word: u32) -> [u8; 4] {
    word.to_octets(order)
}

#[cfg(test)]
mod tests;
