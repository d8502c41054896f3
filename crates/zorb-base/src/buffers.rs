//! Buffers that are used again from message to message.

use zorb_giop::RequestBuffer;

/// The most octets of capacity that a buffer keeps between messages. One large message does not
/// cost its memory for the rest of a connection's life; messages up to this size allocate nothing.
const KEPT_CAPACITY: usize = 1 << 20;

/// Gives the memory of an unusually large message back.
#[inline]
pub fn trim(buffer: &mut Vec<u8>) {
    if buffer.capacity() > KEPT_CAPACITY {
        *buffer = Vec::new();
    }
}

/// The same for a buffer of requests.
#[inline]
pub fn trim_request(buffer: &mut RequestBuffer) {
    if buffer.behind_header().capacity() > KEPT_CAPACITY {
        *buffer = RequestBuffer::default();
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_large_buffers_are_given_back() {
        let mut buffer = Vec::with_capacity(super::KEPT_CAPACITY);
        super::trim(&mut buffer);
        assert!(buffer.capacity() >= super::KEPT_CAPACITY);
        buffer.reserve(super::KEPT_CAPACITY + 1);
        super::trim(&mut buffer);
        assert_eq!(buffer.capacity(), 0);
    }
}
