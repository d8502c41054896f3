//! Cutting a stream into messages: buffering, hand-over, growth and limits.

use std::sync::Arc;
use zorb_cdr::{ByteOrder, TextCoding};

use zorb_giop::{
    DetachedMessage, GiopVersion, HEADER_SIZE, Inbound, Limits, MessageBudget, MessageHeader,
    MessageKind, MessageWriter, ProtocolErrorKind, ReplyStatus,
};

use crate::support::messages;

const SMALL: Limits = Limits::DEFAULT.initial_capacity(256).retained_capacity(512);

/// Receives `octets` in pieces of `step` octets, and returns the messages.
pub(crate) fn received(inbound: &mut Inbound, octets: &[u8], step: usize) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    let mut rest = octets;
    while !rest.is_empty() {
        put(inbound, &mut rest, step);
        while let Some(header) = inbound.poll().expect("no protocol error") {
            assert_eq!(header.total_size(), inbound.current().len());
            messages.push(inbound.current().to_vec());
        }
    }
    messages
}

fn put(inbound: &mut Inbound, rest: &mut &[u8], step: usize) {
    let space = inbound.space();
    let count = space.len().min(rest.len()).min(step);
    space[..count].copy_from_slice(&rest[..count]);
    inbound.advance(count);
    *rest = &rest[count..];
}

fn put_all(inbound: &mut Inbound, octets: &[u8]) {
    let mut rest = octets;
    put(inbound, &mut rest, usize::MAX);
    assert!(rest.is_empty(), "more than one receive");
}

/// A reply with `size` octets of body.
fn reply(request_id: u32, size: usize) -> Vec<u8> {
    let mut buffer = Vec::new();
    let (version, order) = (GiopVersion::V1_2, ByteOrder::Little);
    let status = ReplyStatus::NoException;
    let mut message =
        MessageWriter::reply(&mut buffer, version, order, request_id, status, &[]).expect("ok");
    message.body(TextCoding::default()).put(&vec![0x5a; size]);
    message.finish().expect("small");
    buffer
}

#[test]
fn messages_are_received_in_pieces_of_any_size() {
    let sent: Vec<Vec<u8>> = messages().iter().map(|block| block.octets("octets")).collect();
    let stream = sent.concat();
    for step in [1, 3, 11, 12, 13, 64, 1000, usize::MAX] {
        let mut inbound = Inbound::new(SMALL);
        assert!(inbound.is_idle());
        assert_eq!(received(&mut inbound, &stream, step), sent, "in steps of {step}");
        assert!(inbound.is_idle());
    }
}

#[test]
fn a_message_is_current_until_the_next_poll() {
    let mut inbound = Inbound::new(SMALL);
    let (one, two) = (reply(1, 5), reply(2, 0));
    put_all(&mut inbound, &[one.clone(), two.clone(), two[..7].to_vec()].concat());
    assert!(inbound.current().is_empty());
    assert!(inbound.poll().expect("ok").is_some());
    assert_eq!(inbound.current(), one);
    assert!(inbound.has_buffered());
    assert!(inbound.poll().expect("ok").is_some());
    assert_eq!(inbound.current(), two);
    assert!(inbound.has_buffered());
    inbound.release();
    assert!(inbound.current().is_empty());
    assert!(inbound.poll().expect("ok").is_none());
    assert!(inbound.has_buffered() && !inbound.is_idle(), "seven octets of a third message");
    put_all(&mut inbound, &two[7..]);
    assert!(inbound.poll().expect("ok").is_some());
    assert!(!inbound.has_buffered() && !inbound.is_idle());
    inbound.release();
    assert!(inbound.is_idle());
}

#[test]
fn the_end_of_a_message_may_be_received_elsewhere() {
    let mut inbound = Inbound::new(SMALL);
    assert_eq!((inbound.missing_end(), inbound.complete_without_end()), (None, None));
    let (one, two) = (reply(1, 5_000), reply(2, 60));
    put_all(&mut inbound, &one[..7]);
    assert!(inbound.poll().expect("ok").is_none());
    assert_eq!(inbound.missing_end(), None, "its header is not here");
    put_all(&mut inbound, &one[7..40]);
    assert!(inbound.poll().expect("ok").is_none());
    assert_eq!(inbound.missing_end(), Some(one.len() - 40));
    let header = inbound.complete_without_end().expect("a header");
    assert_eq!(header.total_size(), one.len());
    assert_eq!(inbound.current(), &one[..40]);
    let detached = inbound.take(Vec::new());
    assert_eq!(detached.message(), &one[..40]);
    assert!(inbound.is_idle() && inbound.complete_without_end().is_none());
    assert!(inbound.capacity() <= 256, "nothing is made for what does not come");
    assert_eq!(received(&mut inbound, &two, usize::MAX), [two]);
    // Fragments are joined, so all of their octets have to be received here.
    let mut fragment = reply(3, 500);
    fragment[6] |= 2;
    put_all(&mut inbound, &fragment[..100]);
    assert!(inbound.poll().expect("ok").is_none());
    assert_eq!((inbound.missing_end(), inbound.complete_without_end()), (None, None));
}

#[test]
fn taking_a_message_takes_its_buffer() {
    let mut inbound = Inbound::new(SMALL);
    let (one, two) = (reply(1, 50), reply(2, 60));
    put_all(&mut inbound, &[one.clone(), two[..20].to_vec()].concat());
    assert!(inbound.poll().expect("ok").is_some());
    let lent = inbound.current().as_ptr();
    let detached = inbound.take(Vec::new());
    assert_eq!(detached.message(), one);
    assert_eq!(detached.message().as_ptr(), lent, "handed over, not copied");
    assert!(inbound.current().is_empty());
    assert!(inbound.has_buffered());
    assert!(inbound.poll().expect("ok").is_none());
    put_all(&mut inbound, &two[20..]);
    assert!(inbound.poll().expect("ok").is_some());
    let second = inbound.take(detached.buffer);
    assert_eq!(second.message(), two);
    assert!(inbound.is_idle());
    let nothing = inbound.take(Vec::new());
    assert!(nothing.message().is_empty());
}

#[test]
fn messages_that_wait_are_not_moved_for_each_one_taken() {
    let limits = Limits::DEFAULT.initial_capacity(1 << 16);
    let mut inbound = Inbound::new(limits);
    let message = |id: u32| reply(id, 50 + id as usize % 7);
    put_all(&mut inbound, &(0..500).flat_map(message).collect::<Vec<_>>());
    let mut detached = DetachedMessage::with_buffer(vec![0; 256]);
    assert!(inbound.poll().expect("ok").is_some());
    let first = inbound.current().as_ptr();
    for id in 0..490 {
        assert_eq!(inbound.current(), message(id));
        let offset = (0..id).map(|id| message(id).len()).sum();
        assert_eq!(inbound.current().as_ptr(), first.wrapping_add(offset), "message {id}");
        inbound.take_into(&mut detached);
        assert_eq!(detached.message(), message(id));
        assert_eq!(detached.buffer.len(), 256, "message {id} is copied");
        assert!(inbound.poll().expect("ok").is_some());
    }
    for id in 490..500 {
        inbound.take_into(&mut detached);
        assert_eq!(detached.message(), message(id));
        assert_eq!(inbound.poll().expect("ok").is_some(), id < 499);
    }
}

#[test]
fn two_buffers_alternate_without_allocation() {
    let mut inbound = Inbound::new(SMALL);
    let message = reply(1, 100);
    let mut spare = vec![0; 256];
    let mut seen = Vec::new();
    for _ in 0..20 {
        put_all(&mut inbound, &message);
        assert!(inbound.poll().expect("ok").is_some());
        let detached = inbound.take(spare);
        assert_eq!(detached.message(), message);
        seen.push((detached.buffer.as_ptr(), detached.buffer.capacity()));
        spare = detached.buffer;
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[test]
fn the_buffer_grows_with_the_octets_received_not_with_the_size_in_the_header() {
    let size = 1 << 20;
    let message = reply(1, size);
    let mut inbound = Inbound::new(SMALL);
    let mut rest = message.as_slice();
    while !rest.is_empty() {
        let arrived = message.len() - rest.len();
        put(&mut inbound, &mut rest, 700);
        assert!(inbound.capacity() <= (arrived.max(256)) * 2, "{}", inbound.capacity());
        assert_eq!(inbound.poll().expect("ok").is_some(), rest.is_empty());
    }
    assert_eq!(inbound.capacity(), message.len(), "no further than the message needs");
    assert_eq!(inbound.current(), message);
}

#[test]
fn a_large_buffer_shrinks() {
    let mut inbound = Inbound::new(SMALL);
    received(&mut inbound, &reply(1, 10_000), usize::MAX);
    let small = reply(2, 10);
    for _ in 0..40 {
        received(&mut inbound, &small, usize::MAX);
    }
    assert!(inbound.capacity() > 10_000, "kept for a while");
    for _ in 0..40 {
        received(&mut inbound, &small, usize::MAX);
    }
    inbound.space();
    assert!(inbound.capacity() <= SMALL.retained_capacity, "{}", inbound.capacity());
    assert_eq!(received(&mut inbound, &reply(3, 2_000), 100).len(), 1);
}

#[test]
fn a_large_buffer_is_charged_wherever_it_goes() {
    let budget = Arc::new(MessageBudget::new(1 << 20));
    let mut inbound = Inbound::new(SMALL).with_budget(Arc::clone(&budget));
    let (large, small) = (reply(1, 10_000), reply(2, 10));
    let excess = large.len() - SMALL.retained_capacity;
    let mut message = DetachedMessage::default();
    put_each(&mut inbound, &large);
    assert_eq!(budget.used(), excess);
    inbound.take_into(&mut message);
    assert_eq!((message.message(), budget.used()), (&large[..], excess));
    assert!(message.is_large() && !inbound.is_large());
    // It becomes the receive buffer while the next message is processed.
    put_each(&mut inbound, &small);
    inbound.take_into(&mut message);
    assert_eq!((message.message(), budget.used()), (&small[..], excess));
    assert!(inbound.is_large() && !message.is_large());
    put_each(&mut inbound, &large);
    inbound.take_into(&mut message);
    put_each(&mut inbound, &large);
    assert_eq!(budget.used(), 2 * excess);
    inbound.shrink();
    assert_eq!(budget.used(), excess);
    assert!(inbound.capacity() <= SMALL.retained_capacity);
    message.trim(large.len());
    assert_eq!(budget.used(), excess, "not larger than that");
    message.trim(large.len() - 1);
    assert_eq!(budget.used(), 0);
    // A message that waits is charged whole.
    put_each(&mut inbound, &small);
    inbound.take_into(&mut message);
    assert!(message.charge_whole(&budget));
    assert_eq!(budget.used(), message.buffer.len());
    message.settle(&SMALL);
    assert_eq!(budget.used(), 0);
    drop((inbound, message));
}

#[test]
fn joined_fragments_are_charged_until_the_message_is_over() {
    let budget = Arc::new(MessageBudget::new(1 << 20));
    let mut inbound = Inbound::new(SMALL).with_budget(Arc::clone(&budget));
    let fragments = |inbound: &mut Inbound| {
        let mut first = reply(7, 400);
        first[6] |= 2;
        assert!(!put_polling(inbound, &first));
        assert!(budget.used() >= first.len());
        let mut last = b"GIOP\x01\x02\x01\x07\x34\x01\0\0\x07\0\0\0".to_vec();
        last.resize(12 + 0x134, 0);
        assert!(put_polling(inbound, &last));
        assert_eq!(inbound.current().len(), first.len() + 0x130);
        first.len() + 0x130 - SMALL.retained_capacity
    };
    let excess = fragments(&mut inbound);
    assert!(budget.used() >= excess);
    inbound.release();
    assert_eq!(budget.used(), 0);
    fragments(&mut inbound);
    let mut message = DetachedMessage::default();
    inbound.take_into(&mut message);
    assert!(message.is_large() && budget.used() >= excess);
    drop(message);
    assert_eq!(budget.used(), 0);
}

/// Receives one message.
fn put_each(inbound: &mut Inbound, octets: &[u8]) {
    assert!(put_polling(inbound, octets));
}

/// Receives `octets`, and returns whether they end a message.
fn put_polling(inbound: &mut Inbound, octets: &[u8]) -> bool {
    let mut rest = octets;
    let mut is_whole = false;
    while !rest.is_empty() {
        assert!(!is_whole, "more than one message");
        put(inbound, &mut rest, usize::MAX);
        is_whole = inbound.poll().expect("ok").is_some();
    }
    is_whole
}

#[test]
fn a_size_above_the_limit_is_refused_before_the_body_is_received() {
    let limits = SMALL.max_message_size(1000);
    let message = reply(1, 1000);
    let mut inbound = Inbound::new(limits);
    put_all(&mut inbound, &message[..HEADER_SIZE]);
    let error = inbound.poll().expect_err("too large");
    let size = message.len() as u64;
    assert_eq!(error.kind, ProtocolErrorKind::MessageTooLarge { size, limit: 1000 });
    assert!(!error.answer_message_error);
    assert!(inbound.poll().is_err(), "an error is for good");

    let mut inbound = Inbound::new(limits);
    assert_eq!(received(&mut inbound, &reply(1, 1000 - 24), usize::MAX).len(), 1);
}

#[test]
fn a_header_with_a_size_of_four_gigabytes_allocates_nothing() {
    let header = MessageHeader {
        version: GiopVersion::V1_2,
        order: ByteOrder::Big,
        more_fragments: false,
        kind: MessageKind::Request,
        size: u32::MAX,
    };
    let limits = SMALL.max_message_size(usize::MAX);
    let mut inbound = Inbound::new(limits);
    put_all(&mut inbound, &header.to_octets());
    assert!(inbound.poll().expect("allowed").is_none());
    assert!(!inbound.space().is_empty());
    assert!(inbound.capacity() <= 512);
}

#[test]
fn advance_is_limited_to_the_space() {
    let mut inbound = Inbound::new(SMALL);
    inbound.space()[..4].copy_from_slice(b"JUNK");
    inbound.advance(usize::MAX);
    assert!(inbound.poll().is_err());
    assert!(inbound.current().is_empty());
}

#[test]
fn tiny_limits_work() {
    let limits = Limits::DEFAULT.initial_capacity(0).retained_capacity(0);
    let mut inbound = Inbound::new(limits);
    let message = reply(1, 3000);
    assert_eq!(received(&mut inbound, &message, 1), [message]);
}

/// Streams of messages of many sizes, whole and in fragments, are received in pieces of many sizes.
#[test]
fn no_buffer_grows_beyond_the_budget() {
    let mut seed = 7_u64;
    let mut below = |limit: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % limit
    };
    let retained = SMALL.retained_capacity;
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..300 {
        let budget = Arc::new(MessageBudget::new(below(20_000)));
        let new =
            || (Inbound::new(SMALL).with_budget(Arc::clone(&budget)), DetachedMessage::default());
        let mut connections = [(); 3].map(|()| new());
        for _ in 0..20 {
            let mut stream = Vec::new();
            for id in 0..below(6) as u32 {
                let message = reply(id, below(4_000));
                match below(3) {
                    0 => zorb_giop::fragments(&message, 16 + 8 * below(100)).for_each(|piece| {
                        stream.extend_from_slice(piece.header());
                        stream.extend_from_slice(piece.payload);
                    }),
                    _ => stream.extend_from_slice(&message),
                }
            }
            let chosen = below(connections.len());
            let mut rest = &stream[..];
            while !rest.is_empty() {
                let (inbound, detached) = &mut connections[chosen];
                put(inbound, &mut rest, 1 + below(5_000));
                let result = loop {
                    match inbound.poll() {
                        Ok(Some(_)) if below(4) == 0 => {}
                        Ok(Some(_)) => {
                            inbound.take_into(detached);
                            taken += 1;
                        }
                        Ok(None) => break Ok(()),
                        Err(error) => break Err(error),
                    }
                };
                if let Err(error) = result {
                    assert!(matches!(error.kind, ProtocolErrorKind::OutOfMemory(_)), "{error}");
                    refused += 1;
                    connections[chosen] = new();
                    break;
                }
                let excess = |octets: usize| octets.saturating_sub(retained);
                let all = connections.iter();
                let allocated = all.map(|(inbound, detached)| {
                    excess(inbound.capacity()) + excess(detached.buffer.capacity())
                });
                let allocated: usize = allocated.sum();
                assert!(allocated <= budget.used(), "{allocated} of {}", budget.used());
                assert!(budget.used() <= budget.limit(), "{budget:?}");
            }
        }
        drop(connections);
        assert_eq!(budget.used(), 0);
    }
    assert!(taken > 1_000 && refused > 100, "{taken} messages, {refused} connections");
}
