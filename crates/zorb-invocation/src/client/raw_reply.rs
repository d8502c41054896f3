//! Replies that are decoded by code that knows their types at run time.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::fmt;
use std::sync::Arc;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrResult, TextCoding, fallible};
use zorb_giop::HEADER_SIZE;

use super::core::ClientCore;

/// A reply with results or a user exception, not decoded yet.
pub struct RawReply<'r> {
    pub(crate) exception: Option<Cow<'r, str>>,
    pub(crate) message: &'r [u8],
    pub(crate) fragment_starts: &'r [u32],
    pub(crate) body: CdrReader<'r>,
    pub(crate) core: &'r Arc<ClientCore>,
}

impl<'r> RawReply<'r> {
    /// The repository id of the user exception; `None` for results.
    pub fn exception_id(&self) -> Option<&str> {
        self.exception.as_deref()
    }

    /// A reader at the first result, or at the exception: its repository id, then its members.
    pub fn reader(&self) -> CdrReader<'r> {
        self.body.clone()
    }

    /// Copies it, to decode it later.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn to_owned_reply(&self) -> CdrResult<OwnedReply> {
        self.copied().map_err(|_| self.body.error(CdrErrorKind::OutOfMemory, "reply"))
    }

    fn copied(&self) -> Result<OwnedReply, TryReserveError> {
        // Its end may be in a shared buffer.
        let tail = self.body.tail();
        let mut message = Vec::new();
        message.try_reserve_exact(self.message.len() + tail.len())?;
        message.extend_from_slice(self.message);
        message.extend_from_slice(tail);
        Ok(OwnedReply {
            exception: self.exception.as_deref().map(fallible::copy_text).transpose()?,
            offset: message.len() - self.body.remaining(),
            message: message.into_boxed_slice(),
            fragment_starts: fallible::copy(self.fragment_starts)?.into_boxed_slice(),
            order: self.body.order(),
            text: self.body.text(),
            core: Arc::clone(self.core),
        })
    }
}

impl fmt::Debug for RawReply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawReply")
            .field("exception", &self.exception)
            .field("body", &self.body)
            .finish_non_exhaustive()
    }
}

/// A copy of a [`RawReply`].
#[derive(Clone)]
pub struct OwnedReply {
    exception: Option<String>,
    message: Box<[u8]>,
    fragment_starts: Box<[u32]>,
    order: ByteOrder,
    text: TextCoding,
    /// The offset of the body.
    offset: usize,
    core: Arc<ClientCore>,
}

impl OwnedReply {
    /// The repository id of the user exception; `None` for results.
    pub fn exception_id(&self) -> Option<&str> {
        self.exception.as_deref()
    }

    /// A reader at the first result, or at the exception: its repository id, then its members.
    pub fn reader(&self) -> CdrReader<'_> {
        let mut reader = CdrReader::new(&self.message, self.order)
            .with_parts(&self.fragment_starts, HEADER_SIZE)
            .with_text(self.text)
            .with_context(&self.core);
        // The header has been decoded before, so the octets are there.
        let _ = reader.take(self.offset, "reply header");
        reader
    }
}

impl fmt::Debug for OwnedReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedReply")
            .field("exception", &self.exception)
            .field("body", &self.reader())
            .finish_non_exhaustive()
    }
}
