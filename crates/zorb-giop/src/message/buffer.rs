//! Buffers in which requests are written one after the other.

use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrResult};

use super::{HEADER_SIZE, MessageWriter, RequestStart, ResponseFlags};
use crate::{Form, GiopVersion};

/// The longest name of an operation that a buffer remembers.
const LONGEST_NAME: usize = 48;

/// A buffer in which requests are written one after the other, and which remembers how the last one
/// began.
///
/// Who calls an object again and again sends the same header again and again, but for the request's id.
/// So where the next request is for the same object and operation, the header stays where it is and gets
/// the new id: nothing is written, and little is compared. It allocates for octets alone.
///
/// ```
/// use std::sync::Arc;
/// use zorb_cdr::{ByteOrder, TextCoding};
/// use zorb_giop::{Form, GiopVersion, RequestBuffer, RequestStart, ResponseFlags, TargetAddress};
///
/// let key: Arc<[u8]> = Arc::from(&b"key"[..]);
/// let mut buffer = RequestBuffer::default();
/// for request_id in [2, 4] {
///     let start = RequestStart {
///         request_id,
///         response: ResponseFlags::SyncWithTarget,
///         target: TargetAddress::Key(&key),
///         operation: "add",
///         service_contexts: &[],
///     };
///     let form = Form::Giop(GiopVersion::V1_2);
///     let mut message = buffer.request(form, ByteOrder::NATIVE, &start, &key)?;
///     message.body(TextCoding::default()).write_i32(7);
///     message.finish()?;
///     assert_eq!(buffer.octets().len() % 4, 0);
/// }
/// # Ok::<(), zorb_cdr::CdrError>(())
/// ```
#[derive(Debug, Default)]
pub struct RequestBuffer {
    octets: Vec<u8>,
    begun: Option<Beginning>,
}

/// What the header at the beginning of the buffer says, but for its id and size.
#[derive(Debug)]
struct Beginning {
    /// The very octets that the key was copied from, which cannot change as long as they are kept.
    key: Arc<[u8]>,
    /// Where the header ends and the body has not been aligned.
    end: usize,
    id_at: u8,
    name_len: u8,
    version: GiopVersion,
    order: ByteOrder,
    response: ResponseFlags,
    name: [u8; LONGEST_NAME],
}

impl RequestBuffer {
    /// Begins a Request, as [`Form::request`] does. `key` is what the target of `start` is made of, and
    /// the buffer is used with no other messaging protocol than that of `form`.
    ///
    /// # Errors
    /// Those of [`Form::request`].
    #[inline]
    pub fn request<'b>(
        &'b mut self,
        form: Form<'b>,
        order: ByteOrder,
        start: &RequestStart<'_>,
        key: &Arc<[u8]>,
    ) -> CdrResult<MessageWriter<'b>> {
        match &self.begun {
            Some(begun) if begun.is_of(form.version(), order, start, key) => {
                self.octets.truncate(begun.end);
                let id_at = usize::from(begun.id_at);
                if let Some(place) = self.octets.get_mut(id_at..id_at + 4) {
                    place.copy_from_slice(&octets_of(order, start.request_id));
                }
                Ok(MessageWriter::behind_request(form, &mut self.octets, order))
            }
            _ => self.write(form, order, start, key),
        }
    }

    #[inline(never)]
    fn write<'b>(
        &'b mut self,
        form: Form<'b>,
        order: ByteOrder,
        start: &RequestStart<'_>,
        key: &Arc<[u8]>,
    ) -> CdrResult<MessageWriter<'b>> {
        self.begun = None;
        let message = form.request(&mut self.octets, order, start)?;
        let name = start.operation.as_bytes();
        let mut kept = [0; LONGEST_NAME];
        if let Some(id_at) = id_at(form)
            && let Some(place) = kept.get_mut(..name.len())
            && start.service_contexts.is_empty()
        {
            place.copy_from_slice(name);
            self.begun = Some(Beginning {
                key: Arc::clone(key),
                end: message.len(),
                id_at,
                name_len: name.len() as u8,
                version: form.version(),
                order,
                response: start.response,
                name: kept,
            });
        }
        Ok(message)
    }

    /// What was written last.
    #[inline]
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// The same, for who changes nothing in the header of a request that it begins with.
    #[inline]
    pub fn behind_header(&mut self) -> &mut Vec<u8> {
        &mut self.octets
    }

    /// The same for any use: how it begins is forgotten.
    #[inline]
    pub fn any_octets(&mut self) -> &mut Vec<u8> {
        self.begun = None;
        &mut self.octets
    }
}

/// Where the id lies in a request without service contexts.
fn id_at(form: Form<'_>) -> Option<u8> {
    match form {
        Form::Giop(GiopVersion::V1_2) => Some(HEADER_SIZE as u8),
        // Behind the number of service contexts.
        Form::Giop(_) => Some(HEADER_SIZE as u8 + 4),
        Form::Other(messaging) => messaging.request_id_at(),
    }
}

impl Beginning {
    #[inline]
    fn is_of(
        &self,
        version: GiopVersion,
        order: ByteOrder,
        start: &RequestStart<'_>,
        key: &Arc<[u8]>,
    ) -> bool {
        Arc::ptr_eq(&self.key, key)
            && (self.version, self.order, self.response) == (version, order, start.response)
            && start.service_contexts.is_empty()
            && self.name.get(..usize::from(self.name_len)) == Some(start.operation.as_bytes())
    }
}

#[inline]
fn octets_of(order: ByteOrder, word: u32) -> [u8; 4] {
    match order {
        ByteOrder::Little => word.to_le_bytes(),
        ByteOrder::Big => word.to_be_bytes(),
    }
}

#[cfg(test)]
mod tests;
