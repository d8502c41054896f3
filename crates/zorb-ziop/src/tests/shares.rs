//! What a peer's messages may take of the memory for messages.

use zorb_giop::MessageBudget;

#[cfg(feature = "zstd")]
use super::zstd::{RATIO, ZSTD, frame, message_of};
use super::*;
#[cfg(feature = "zstd")]
use crate::zstd::{COMPRESSION, DECOMPRESSION};

#[test]
fn a_message_is_sent_as_it_is_if_the_share_of_its_peer_is_used_up() {
    let sent = message(MessageKind::Request, ByteOrder::NATIVE, &[0; 50_000]);
    let is_compressed = |octets| {
        let share = Arc::new(MessageBudget::new(octets));
        let mut outgoing = Outgoing::new(all_kinds(), Arc::clone(&share), Some(ZLIB), None);
        let compressed = outgoing.compress(&[IoSlice::new(&sent)]);
        assert_eq!(compressed.is_some(), share.used() > 0);
        compressed.is_some()
    };
    assert!(!is_compressed(20_000) && is_compressed(60_000));
}

#[test]
#[cfg(feature = "zstd")]
fn memory_is_charged_to_the_peer_while_a_message_is_decompressed() {
    let whole = Arc::new(MessageBudget::new(usize::MAX));
    let share = Arc::new(MessageBudget::part_of(Arc::clone(&whole), 2 * DECOMPRESSION));
    let of = |share| Incoming::new(RATIO, Arc::new(Accepted::all()), share);
    let sent = message_of(50_000, &frame(&[5; 50_000]));
    let begin = |share: &Arc<MessageBudget>| {
        let mut begun = of(Arc::clone(share));
        begun.space()[..24].copy_from_slice(&sent[..24]);
        begun.filled(24);
        begun.take(&mut [0; 64]).map(|_| begun)
    };
    // Incomplete messages use at most the peer's share.
    let begun = [begin(&share).unwrap(), begin(&share).unwrap()];
    assert_eq!((share.used(), whole.used()), (share.limit(), share.limit()));
    assert_eq!(begin(&share).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
    // Another peer is not concerned.
    let other = Arc::new(MessageBudget::part_of(Arc::clone(&whole), DECOMPRESSION));
    assert_eq!(receive(of(Arc::clone(&other)), &sent.repeat(3), 999).unwrap().len(), 3 * 50_012);
    assert_eq!((other.used(), whole.used()), (0, share.limit()));
    drop(begun);
    assert_eq!((share.used(), whole.used()), (0, 0));
}

#[test]
#[cfg(feature = "zstd")]
fn a_message_is_sent_as_it_is_without_memory_to_compress_it() {
    let sent = message(MessageKind::Request, ByteOrder::NATIVE, &[0; 50_000]);
    let is_compressed = |octets| {
        let share = Arc::new(MessageBudget::new(octets));
        let mut outgoing = Outgoing::new(all_kinds(), share, Some(ZSTD), None);
        outgoing.compress(&[IoSlice::new(&sent)]).is_some()
    };
    assert!(!is_compressed(COMPRESSION) && is_compressed(COMPRESSION + 60_000));
}
