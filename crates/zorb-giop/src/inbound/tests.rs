use alloc::vec;
use alloc::vec::Vec;

use zorb_cdr::ByteOrder;

use super::*;
use crate::MessageWriter;

#[test]
fn without_memory_for_what_follows_a_message_the_message_is_whole_and_the_stream_ends() {
    let mut message = Vec::new();
    MessageWriter::message_error(&mut message, ByteOrder::Little);
    for following in [0, 1, 2] {
        let mut inbound = Inbound::new(Limits::default());
        let octets = message.repeat(1 + following);
        inbound.space()[..octets.len()].copy_from_slice(&octets);
        inbound.advance(octets.len());
        assert!(inbound.poll().unwrap().is_some());
        // No machine has that much.
        inbound.limits.initial_capacity = usize::MAX;
        let mut detached = DetachedMessage::with_buffer(vec![0; 4]);
        inbound.take_into(&mut detached);
        assert_eq!(detached.message(), message);
        if following < 2 {
            assert!(!inbound.is_idle(), "polled once more");
            assert!(inbound.has_buffered(), "polled by those who look at this alone");
            for _ in 0..2 {
                let error = inbound.poll().unwrap_err();
                assert!(matches!(error.kind, ProtocolErrorKind::OutOfMemory(_)), "{error}");
            }
        } else {
            assert!(inbound.poll().unwrap().is_some(), "the message was copied out");
        }
    }
}
