//! Splitting received octets into messages, in a buffer that does not grow.

use alloc::vec::Vec;

use zorb_giop::{MessageFormat, MessageHeader};

/// The octets that a connection has received.
///
/// `zorb_giop::Inbound` joins fragments and has a buffer that grows. Without both, this one needs a tenth of its code. Its
/// use is the same: receive into [`space`](Self::space), report the number to [`advance`](Self::advance), and
/// [`poll`](Self::poll) until it returns `None`.
#[derive(Debug)]
pub(crate) struct Inbound {
    buffer: Vec<u8>,
    /// `start..end` have been received and not been consumed.
    start: usize,
    end: usize,
    /// Octets of the current message, which begins at `start`; 0 if there is none.
    current: usize,
}

/// Why the octets cannot be taken for messages any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// They are not of the messaging protocol.
    NoMessage,
    /// A message is larger than the buffer, or fragmented.
    TooLarge,
}

impl Inbound {
    /// Allocates the buffer, for messages of at most this size; `None` without memory for it.
    pub(crate) fn new(size: usize) -> Option<Self> {
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(size).ok()?;
        buffer.resize(size, 0);
        Some(Self { buffer, start: 0, end: 0, current: 0 })
    }

    /// Drops all that has been received.
    pub(crate) fn reset(&mut self) {
        (self.start, self.end, self.current) = (0, 0, 0);
    }

    /// The free part of the buffer: not empty after [`poll`](Self::poll) has returned `None`. Releases the current message.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        self.release();
        let Self { buffer, start, end, .. } = self;
        if *start > 0 {
            // `copy_within` could panic.
            for at in *start..*end {
                let octet = buffer.get(at).copied().unwrap_or_default();
                if let Some(place) = buffer.get_mut(at - *start) {
                    *place = octet;
                }
            }
            (*start, *end) = (0, end.saturating_sub(*start));
        }
        buffer.get_mut(*end..).unwrap_or_default()
    }

    /// Reports that so many octets have been received at the start of [`space`](Self::space).
    pub(crate) fn advance(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.buffer.len());
    }

    /// Releases the current message, and makes the next whole one current; `None` if more octets are needed.
    ///
    /// # Errors
    /// What has been received cannot be used, and neither can what follows.
    pub(crate) fn poll(
        &mut self,
        form: MessageFormat<'_>,
    ) -> Result<Option<MessageHeader>, Unusable> {
        self.release();
        if self.is_idle() {
            return Ok(None);
        }
        let received = self.buffer.get(self.start..self.end).unwrap_or_default();
        let Some((header, size)) = form.read_header(received).map_err(|_| Unusable::NoMessage)?
        else {
            return Ok(None);
        };
        if header.more_fragments || size > self.buffer.len() {
            return Err(Unusable::TooLarge);
        }
        if size > received.len() {
            return Ok(None);
        }
        self.current = size;
        Ok(Some(header))
    }

    /// The message that [`poll`](Self::poll) returned last, with its header; empty once it was released.
    pub(crate) fn current(&self) -> &[u8] {
        self.buffer.get(self.start..self.start + self.current).unwrap_or_default()
    }

    /// Whether octets after the current message have been received.
    pub(crate) fn has_buffered(&self) -> bool {
        self.end > self.start + self.current
    }

    /// Whether no message is current or incomplete.
    pub(crate) fn is_idle(&self) -> bool {
        self.start == self.end
    }

    /// Releases the current message.
    pub(crate) fn release(&mut self) {
        self.start += core::mem::take(&mut self.current);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use zorb_cdr::ByteOrder;
    use zorb_giop::{GiopVersion, MessageHeader, MessageKind};

    use super::*;

    const FORM: MessageFormat<'_> = MessageFormat::Giop(GiopVersion::V1_2);

    fn message(octets: u8) -> Vec<u8> {
        let header = MessageHeader {
            version: GiopVersion::V1_2,
            order: ByteOrder::Big,
            more_fragments: false,
            kind: MessageKind::Request,
            size: octets.into(),
        };
        header.to_octets().into_iter().chain(0..octets).collect()
    }

    /// Receives `octets`, up to so many at a time, and returns the messages.
    fn receive(inbound: &mut Inbound, mut octets: &[u8], piece: usize) -> Vec<Vec<u8>> {
        let mut messages = Vec::new();
        while !octets.is_empty() {
            let space = inbound.space();
            let count = octets.len().min(space.len()).min(piece);
            assert!(count > 0, "there is space");
            space[..count].copy_from_slice(&octets[..count]);
            inbound.advance(count);
            octets = &octets[count..];
            while inbound.poll(FORM).unwrap().is_some() {
                messages.push(inbound.current().to_vec());
            }
        }
        messages
    }

    #[test]
    fn messages_are_the_same_however_they_are_received() {
        let messages: Vec<_> = [0, 5, 20, 1, 0, 20, 20].map(message).into();
        for piece in 1..64 {
            let mut inbound = Inbound::new(32).unwrap();
            assert_eq!(receive(&mut inbound, &messages.concat(), piece), messages, "{piece}");
            assert!(inbound.is_idle() && !inbound.has_buffered());
        }
    }

    #[test]
    fn a_current_message_is_not_idle() {
        let mut inbound = Inbound::new(64).unwrap();
        let sent = [message(3), message(4)[..5].to_vec()].concat();
        inbound.space()[..sent.len()].copy_from_slice(&sent);
        inbound.advance(sent.len());
        assert!(inbound.poll(FORM).unwrap().is_some());
        assert!(!inbound.is_idle() && inbound.has_buffered());
        assert_eq!(inbound.poll(FORM), Ok(None));
        assert!(inbound.current().is_empty() && !inbound.is_idle());
        inbound.reset();
        assert!(inbound.is_idle());
    }

    #[test]
    fn what_does_not_fit_is_refused_at_its_header() {
        let mut fragmented = message(3);
        fragmented[6] |= 2;
        let cases = [
            (message(21), Unusable::TooLarge),
            (fragmented, Unusable::TooLarge),
            (b"GET / HTTP/1.1\r\n".to_vec(), Unusable::NoMessage),
        ];
        for (octets, expected) in cases {
            let mut inbound = Inbound::new(32).unwrap();
            inbound.space()[..12].copy_from_slice(&octets[..12]);
            inbound.advance(12);
            assert_eq!(inbound.poll(FORM), Err(expected));
            assert_eq!(inbound.poll(FORM), Err(expected), "it stays so");
        }
    }
}
