//! The reply to a request whose caller does not wait, until its result is taken.

use zorb_cdr::{ByteOrder, fallible};
use zorb_giop::{
    DetachedMessage, Inbound, MessageHeader, ProtocolError, ProtocolErrorKind, ReplyStart,
    ReplyStatus,
};

use super::detached::detach;
use crate::client::connection::CallReply;

/// The end of a reply if it is in a shared buffer.
#[cfg(feature = "buffers")]
pub(in crate::client) type ReplyTail = Option<zorb_transport::ReceivedBuffer>;
#[cfg(not(feature = "buffers"))]
pub(in crate::client) type ReplyTail = Option<std::convert::Infallible>;

/// The maximum length of a message that is stored in place: without results, or with a few.
const IN_PLACE: usize = 48;

/// A reply with octets of its own.
#[derive(Debug)]
pub(in crate::client) struct PendingReply {
    pub(in crate::client) start: ReplyStart,
    order: ByteOrder,
    octets: Octets,
}

/// A message of a single part that is still in the receive buffer.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct SmallReply<'a> {
    pub(in crate::client) message: &'a [u8],
    pub(in crate::client) order: ByteOrder,
    pub(in crate::client) start: ReplyStart,
}

impl SmallReply<'_> {
    /// Whether it is small enough to be stored in place.
    #[inline]
    pub(in crate::client) const fn fits_in_place(&self) -> bool {
        self.message.len() <= IN_PLACE
    }
}

/// Messages with their headers.
#[derive(Debug)]
enum Octets {
    InPlace {
        octets: [u8; IN_PLACE],
        length: u8,
    },
    /// One of a single part.
    Whole(Box<[u8]>),
    Other(Box<(DetachedMessage, ReplyTail)>),
}

impl PendingReply {
    /// Replies up to this size are not charged to the budget while they wait: the number of pending calls is limited.
    pub(in crate::client) const UNCHARGED: usize = 128;

    /// The current message, which is taken or copied; `tail` is its end if that is in a shared buffer.
    ///
    /// # Errors
    /// There is no memory for it. The flag is whether `inbound` has lost the message, and octets after it.
    pub(super) fn take(
        (inbound, header, tail): (&mut Inbound, &MessageHeader, ReplyTail),
        start: ReplyStart,
    ) -> Result<Self, (ProtocolError, bool)> {
        if tail.is_none() && inbound.fragment_starts().is_empty() {
            let copied = Self::copy_of(inbound.current(), header.order, start);
            if let Some(copied) = copied.map_err(|error| (error, true))? {
                return Ok(copied);
            }
        }
        let mut octets = detach(inbound, DetachedMessage::default()).map_err(|it| (it, true))?;
        if octets.message().len() > Self::UNCHARGED {
            inbound.charge_retained(&mut octets).map_err(|error| (error, false))?;
        }
        Ok(Self::of(octets, header.order, start, tail))
    }

    /// A copy of a message of a single part; `None` if it is to be charged to the budget.
    ///
    /// # Errors
    /// There is no memory for it.
    #[inline]
    pub(in crate::client) fn copy_of(
        message: &[u8],
        order: ByteOrder,
        start: ReplyStart,
    ) -> Result<Option<Self>, ProtocolError> {
        let length = message.len();
        let reply = SmallReply { message, order, start };
        if reply.fits_in_place() {
            let mut small = Self::in_place(&reply);
            small.fill(message);
            return Ok(Some(small));
        }
        if length > Self::UNCHARGED {
            return Ok(None);
        }
        let copy = fallible::copy(message).map_err(|_| ProtocolErrorKind::OutOfMemory(length))?;
        Ok(Some(Self { start, order, octets: Octets::Whole(copy.into()) }))
    }

    /// A reply that [fits in place](SmallReply::fits_in_place), to be [filled](Self::fill).
    #[inline]
    pub(in crate::client) fn in_place(reply: &SmallReply<'_>) -> Self {
        let &SmallReply { message, order, start } = reply;
        let octets = Octets::InPlace { octets: [0; IN_PLACE], length: message.len() as u8 };
        Self { start, order, octets }
    }

    /// Copies the message of the reply, which is stored in place.
    #[inline]
    pub(in crate::client) fn fill(&mut self, message: &[u8]) {
        if let Octets::InPlace { octets, .. } = &mut self.octets
            && let Some(octets) = octets.get_mut(..message.len())
        {
            octets.copy_from_slice(message);
        }
    }

    /// The message `octets`.
    pub(in crate::client) fn of(
        octets: DetachedMessage,
        order: ByteOrder,
        start: ReplyStart,
        tail: ReplyTail,
    ) -> Self {
        Self { start, order, octets: Octets::Other(Box::new((octets, tail))) }
    }

    /// Whether it contains results or a user exception.
    #[inline]
    pub(in crate::client) fn has_result(&self) -> bool {
        has_result(self.start.status)
    }

    /// The reply, to be decoded.
    #[inline]
    pub(in crate::client) fn received(&self) -> CallReply<'_> {
        let (message, fragment_starts) = match &self.octets {
            Octets::InPlace { octets, length } => {
                (octets.get(..usize::from(*length)).unwrap_or_default(), &[][..])
            }
            Octets::Whole(octets) => (&octets[..], &[][..]),
            Octets::Other(other) => (other.0.message(), &other.0.fragment_starts[..]),
        };
        CallReply {
            message,
            fragment_starts,
            #[cfg(feature = "buffers")]
            tail: match &self.octets {
                Octets::Other(other) => {
                    other.1.as_ref().map(|it| zorb_cdr::Tail::new(it).owned_by(it))
                }
                _ => None,
            },
            order: self.order,
            start: self.start,
        }
    }
}

/// Whether replies with this status contain results or a user exception.
#[inline]
pub(in crate::client) const fn has_result(status: ReplyStatus) -> bool {
    matches!(status, ReplyStatus::NoException | ReplyStatus::UserException)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_all_sizes_are_kept_whole() {
        let start = ReplyStart { request_id: 7, status: ReplyStatus::NoException, body_start: 24 };
        for length in [0, 24, IN_PLACE, IN_PLACE + 1, PendingReply::UNCHARGED] {
            let message: Vec<u8> = (0..length).map(|octet| octet as u8).collect();
            let kept = PendingReply::copy_of(&message, ByteOrder::Big, start).unwrap().unwrap();
            let received = kept.received();
            assert_eq!((received.message, received.fragment_starts), (&message[..], &[][..]));
            let mut detached = DetachedMessage::default();
            detached.copy_from(&message, &[12]).unwrap();
            let kept = PendingReply::of(detached, ByteOrder::Big, start, None);
            let received = kept.received();
            assert_eq!((received.message, received.fragment_starts), (&message[..], &[12][..]));
        }
        let larger = vec![0; PendingReply::UNCHARGED + 1];
        assert!(PendingReply::copy_of(&larger, ByteOrder::Big, start).unwrap().is_none());
    }
}
