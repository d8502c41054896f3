//! Splitting a message into fragments.

use super::{HEADER_SIZE, MessageHeader, MessageKind};
use crate::GiopVersion;

/// Octets before the data of a GIOP 1.2 Fragment: message header and request id.
const FRAGMENT_HEADER_SIZE: usize = HEADER_SIZE + 4;
/// The smallest piece: a Fragment with eight octets of data.
const MIN_PIECE: usize = FRAGMENT_HEADER_SIZE + 8;

/// Splits a whole GIOP 1.2 message into pieces of at most `max` octets each (CORBA 3.3 part 2, 9.4.9).
/// Zorb does this only when configured; a peer with small buffers may need it.
///
/// ```text
/// +--------------------+------------------------------------+
/// | header, bit 1 set  | first octets of the message        |   a multiple of 8 in all
/// +--------------------+-----------+------------------------+
/// | Fragment header    | ulong id  | octets that follow     |   a multiple of 8 in all
/// +--------------------+-----------+------------------------+
/// | Fragment header    | ulong id  | the last octets        |   bit 1 clear
/// +--------------------+-----------+------------------------+
/// ```
///
/// `max` is rounded down to a multiple of 8 and is at least 24. A message that is not larger, or that
/// cannot be fragmented (because of its version or kind, or because it is malformed), is one piece.
pub fn fragments(message: &[u8], max: usize) -> Fragments<'_> {
    let max = (max & !7).max(MIN_PIECE);
    let header = match MessageHeader::parse_prefix(message) {
        Ok(Some(header)) => Some(header),
        _ => None,
    };
    let header = header.filter(|header| {
        message.len() > max
            && header.total_size() == message.len()
            && header.version == GiopVersion::V1_2
            && header.kind.is_fragmentable(GiopVersion::V1_2)
    });
    Fragments { message, header, position: 0, max }
}

/// The pieces of a message, from [`fragments`].
#[derive(Clone, Debug)]
pub struct Fragments<'a> {
    message: &'a [u8],
    /// The header of a message that is split; `None` for one piece.
    header: Option<MessageHeader>,
    /// Octets of the message returned so far.
    position: usize,
    max: usize,
}

/// One piece: send the header, then the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentPiece<'a> {
    header: [u8; FRAGMENT_HEADER_SIZE],
    header_size: usize,
    /// The octets of the message that follow the header of the piece.
    pub payload: &'a [u8],
}

impl FragmentPiece<'_> {
    /// The octets to send before the payload: 12 for the first piece, 16 for the others, and none if the
    /// payload is the whole message.
    pub fn header(&self) -> &[u8] {
        self.header.get(..self.header_size).unwrap_or_default()
    }
}

impl<'a> Iterator for Fragments<'a> {
    type Item = FragmentPiece<'a>;

    fn next(&mut self) -> Option<FragmentPiece<'a>> {
        let rest = self.message.get(self.position..).filter(|rest| !rest.is_empty())?;
        let Some(mut header) = self.header else {
            self.position = self.message.len();
            return Some(FragmentPiece { header: [0; 16], header_size: 0, payload: rest });
        };
        let first = self.position == 0;
        let overhead = if first { HEADER_SIZE } else { FRAGMENT_HEADER_SIZE };
        let rest = if first { self.message.get(HEADER_SIZE..)? } else { rest };
        let (payload, left) =
            rest.split_at_checked(self.max - overhead).unwrap_or((rest, Default::default()));
        header.more_fragments = !left.is_empty();
        header.size = u32::try_from(payload.len() + overhead - HEADER_SIZE).ok()?;
        if !first {
            header.kind = MessageKind::Fragment;
        }
        let mut octets = [0; FRAGMENT_HEADER_SIZE];
        let (own, id) = octets.split_at_mut(HEADER_SIZE);
        own.copy_from_slice(&header.to_octets());
        id.copy_from_slice(self.message.get(HEADER_SIZE..FRAGMENT_HEADER_SIZE)?);
        self.position = self.message.len() - left.len();
        Some(FragmentPiece { header: octets, header_size: overhead, payload })
    }
}
