//! The beginning of a compressed message.

use zorb_cdr::Number;
use zorb_giop::{HEADER_SIZE, MessageHeader};

use crate::policy::CompressorId;

/// The octets between the header of a message and its compressed body.
pub(crate) const DESCRIPTION: usize = 12;
const MAGIC: [u8; 4] = *b"ZIOP";

/// The beginning of a compressed message (`ZIOP::CompressedData`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CompressedHeader {
    /// The header; its size is that of the compressed message.
    pub(crate) header: MessageHeader,
    pub(crate) compressor: CompressorId,
    /// The number of octets of the original body.
    pub(crate) original: u32,
}

/// Whether these are the first octets of a compressed message.
pub(crate) fn is_compressed(octets: &[u8]) -> bool {
    octets.starts_with(&MAGIC)
}

impl CompressedHeader {
    /// The octets of the beginning.
    pub(crate) const SIZE: usize = HEADER_SIZE + DESCRIPTION;

    /// Reads the beginning of a message; `None` if it is malformed.
    pub(crate) fn parse(octets: &[u8; Self::SIZE]) -> Option<Self> {
        let mut header: [u8; HEADER_SIZE] = *octets.first_chunk()?;
        header[..4].copy_from_slice(b"GIOP");
        let header = MessageHeader::parse(&header).ok()?;
        let number = |at: usize| {
            let octets = *octets.get(at..)?.first_chunk()?;
            Some(u32::from_octets(octets, header.order))
        };
        let id = [octets[HEADER_SIZE], octets[HEADER_SIZE + 1]];
        let compressor = CompressorId(u16::from_octets(id, header.order));
        let (original, length) = (number(16)?, number(20)?);
        // The data is the last of the message.
        let is_whole = u64::from(header.size) == u64::from(length) + DESCRIPTION as u64;
        is_whole.then_some(Self { header, compressor, original })
    }

    /// The beginning as it is sent.
    pub(crate) fn to_octets(self) -> [u8; Self::SIZE] {
        let mut octets = [0; Self::SIZE];
        octets[..HEADER_SIZE].copy_from_slice(&self.header.to_octets());
        octets[..4].copy_from_slice(&MAGIC);
        let length = self.header.size.saturating_sub(DESCRIPTION as u32);
        let order = self.header.order;
        octets[12..14].copy_from_slice(&self.compressor.0.to_octets(order));
        octets[16..20].copy_from_slice(&self.original.to_octets(order));
        octets[20..].copy_from_slice(&length.to_octets(order));
        octets
    }

    /// The octets of the compressed body.
    pub(crate) const fn length(&self) -> usize {
        (self.header.size as usize).saturating_sub(DESCRIPTION)
    }

    /// The header of the original message.
    pub(crate) const fn original_header(&self) -> MessageHeader {
        MessageHeader { size: self.original, ..self.header }
    }
}
