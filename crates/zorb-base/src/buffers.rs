//! Buffers that are used again from message to message.

use std::sync::Once;

use zorb_giop::RequestBuffer;

/// The most octets of capacity that a buffer keeps between messages. One large message does not
/// cost its memory for the rest of a connection's life; messages up to this size allocate nothing.
const KEPT_CAPACITY: usize = 1 << 20;

/// Prepares the process, once, for large messages that come and go.
///
/// What programs make of such messages, such as the sequences that servants return, is theirs to
/// allocate, and nothing that is lent to them can take its place. An allocator that gives the top of
/// its heap back to the system as soon as 128 KiB are free there, as glibc's does, has them paged in
/// again with every call: 16 page faults in a server that gets and returns 96 KiB of structs. It
/// raises that limit to twice the largest block that it has seen come and go, so it is shown one. The
/// block is never touched, so it costs no memory; other allocators do not mind, and neither does
/// glibc's where its limits were set by hand.
pub fn show_allocator_a_large_block() {
    static SHOWN: Once = Once::new();
    SHOWN.call_once(|| drop(std::hint::black_box(Vec::<u8>::with_capacity(KEPT_CAPACITY))));
}

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
