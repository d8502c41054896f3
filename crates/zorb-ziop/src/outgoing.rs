//! The messages that a stream sends, compressed where that is worthwhile.

use std::cmp::Ordering;
use std::io::IoSlice;
use std::sync::Arc;

use zorb_giop::{Charge, GiopVersion, HEADER_SIZE, MessageBudget, MessageHeader, MessageKind};

use crate::choice::{Choice, Thresholds};
use crate::deflate::{Deflater, from};
use crate::memory::charge_of;
use crate::message::{CompressedHeader, DESCRIPTION};
#[cfg(feature = "zstd")]
use crate::policy::CompressorId;
use crate::requests::Requests;
#[cfg(feature = "zstd")]
use crate::zstd;

/// The sending half of a stream.
#[derive(Debug)]
pub(crate) struct Outgoing {
    thresholds: Thresholds,
    /// What memory is charged to.
    share: Arc<MessageBudget>,
    /// How requests are compressed, if they are.
    own: Option<Choice>,
    /// How replies are.
    requests: Option<Arc<Requests>>,
    deflater: Deflater,
}

/// Octets that are sent instead of those that were passed.
#[derive(Debug)]
pub(crate) struct Compressed {
    pub(crate) octets: Vec<u8>,
    /// Their charge to the memory for messages.
    _charge: Charge,
}

impl Outgoing {
    pub(crate) fn new(
        thresholds: Thresholds,
        share: Arc<MessageBudget>,
        own: Option<Choice>,
        requests: Option<Arc<Requests>>,
    ) -> Self {
        Self { thresholds, share, own, requests, deflater: Deflater::default() }
    }

    /// What is sent for `parts`, which are whole messages; `None` for the same octets.
    pub(crate) fn compress(&mut self, parts: &[IoSlice<'_>]) -> Option<Compressed> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let header = header_of(parts)?;
        match header.total_size().cmp(&length) {
            Ordering::Equal => self.compress_one(&header, parts),
            Ordering::Less => self.compress_each(parts, length),
            // The rest of the message comes later.
            Ordering::Greater => None,
        }
    }

    /// The same for several messages.
    #[cold]
    fn compress_each(&mut self, parts: &[IoSlice<'_>], length: usize) -> Option<Compressed> {
        let (_charge_of_joined, mut joined) =
            (charge_of(&self.share, length)?, with_capacity(length)?);
        parts.iter().for_each(|part| joined.extend_from_slice(part));
        let (charge, mut octets) = (charge_of(&self.share, length)?, with_capacity(length)?);
        let mut messages = &*joined;
        while let Ok(Some(header)) = MessageHeader::parse_prefix(messages) {
            let Some((message, rest)) = messages.split_at_checked(header.total_size()) else {
                break;
            };
            match self.compress_one(&header, &[IoSlice::new(message)]) {
                Some(compressed) => octets.extend_from_slice(&compressed.octets),
                None => octets.extend_from_slice(message),
            }
            messages = rest;
        }
        octets.extend_from_slice(messages);
        Some(Compressed { octets, _charge: charge })
    }

    fn compress_one(
        &mut self,
        header: &MessageHeader,
        parts: &[IoSlice<'_>],
    ) -> Option<Compressed> {
        let choice = self.choice(header)?;
        let size = header.size as usize;
        let room = self.thresholds.most_of(size)?.checked_sub(DESCRIPTION)?;
        let charge = charge_of(&self.share, CompressedHeader::SIZE + room)?;
        let mut octets = with_capacity(CompressedHeader::SIZE + room)?;
        octets.resize(CompressedHeader::SIZE + room, 0);
        let (beginning, output) = octets.split_at_mut(CompressedHeader::SIZE);
        let body = from(parts, HEADER_SIZE);
        let length = match choice.compressor {
            #[cfg(feature = "zstd")]
            CompressorId::ZSTD => {
                let _charge = charge_of(&self.share, zstd::COMPRESSION)?;
                zstd::compress(choice.level, size, body, output)
            }
            _ => self.deflater.compress(choice.level, body, output),
        }?;
        let compressed = CompressedHeader {
            header: MessageHeader { size: u32::try_from(DESCRIPTION + length).ok()?, ..*header },
            compressor: choice.compressor,
            original: header.size,
        };
        beginning.copy_from_slice(&compressed.to_octets());
        octets.truncate(CompressedHeader::SIZE + length);
        Some(Compressed { octets, _charge: charge })
    }

    /// How a message is compressed, if it may be.
    fn choice(&self, header: &MessageHeader) -> Option<Choice> {
        if header.version < GiopVersion::V1_2 {
            return None;
        }
        let of_replies = || self.requests.as_ref()?.of_replies();
        match header.kind {
            MessageKind::Request => self.own,
            MessageKind::Reply => of_replies(),
            MessageKind::Fragment => self.own.or_else(of_replies),
            _ => None,
        }
    }
}

/// The header of the first message.
pub(crate) fn header_of(parts: &[IoSlice<'_>]) -> Option<MessageHeader> {
    MessageHeader::parse(&beginning(parts)?).ok()
}

/// The first octets, if there are as many.
fn beginning<const COUNT: usize>(parts: &[IoSlice<'_>]) -> Option<[u8; COUNT]> {
    let mut beginning = [0; COUNT];
    let octets = parts.iter().flat_map(|part| part.iter());
    let count = beginning.iter_mut().zip(octets).map(|(place, octet)| *place = *octet).count();
    (count == COUNT).then_some(beginning)
}

/// An empty buffer with room for `octets`; `None` without memory for them.
fn with_capacity(octets: usize) -> Option<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(octets).ok()?;
    Some(buffer)
}
