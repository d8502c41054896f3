use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::*;
use crate::socket::{SameUser, same_user};

struct Ends {
    sender: Arc<SendBuffers>,
    receiver: Arc<ReceiveBuffers>,
    trust: SameUser,
}

fn ends(count: usize, size: usize) -> Ends {
    let layout = BufferLayout::new(count, size).unwrap();
    let memory = SharedMemory::create("zorb-test", layout.memory_len()).unwrap();
    let there = SharedMemory::open(memory.as_fd().try_clone_to_owned().unwrap()).unwrap();
    let (socket, _other) = UnixStream::pair().unwrap();
    let trust = same_user(socket.as_fd()).unwrap().unwrap();
    let sender = SendBuffers::new(memory, layout, trust).unwrap();
    Ends { sender, receiver: ReceiveBuffers::new(there, layout).unwrap(), trust }
}

#[test]
fn octets_are_read_in_place() {
    let Ends { sender, receiver, trust } = ends(2, 4096);
    let mut buffer = sender.take(100).unwrap();
    buffer.octets_mut().unwrap().fill(7);
    let piece = sender.piece(&buffer[10..]).unwrap();
    sender.will_send(piece);
    let found = receiver.piece(piece.to_word()).unwrap();
    assert_eq!((found, found.len()), (piece, 90));
    let loan = receiver.loan(found, trust);
    assert_eq!(&loan[..], &[7; 90]);
    let mut copy = [0; 100];
    assert_eq!(receiver.read(found, 80, &mut copy), 10);
    assert_eq!((copy[9], copy[10]), (7, 0));
    // It cannot be changed while it is read, but can be sent again.
    assert!(buffer.is_in_use() && buffer.octets_mut().is_none());
    sender.will_send(piece);
    drop(loan);
    assert!(buffer.is_in_use());
    receiver.return_piece(piece);
    assert!(!buffer.is_in_use());
    assert_eq!(buffer.octets_mut().unwrap().len(), 100);
}

#[test]
fn a_buffer_is_free_when_nobody_has_it() {
    let Ends { sender, receiver, .. } = ends(2, 4096);
    let (one, other) = (sender.take(4096).unwrap(), sender.take(0).unwrap());
    assert!(sender.take(1).is_none());
    let piece = sender.piece(&one).unwrap();
    sender.will_send(piece);
    drop(one);
    assert!(sender.take(1).is_none(), "the reader still has it");
    receiver.return_piece(piece);
    assert!(sender.take(4097).is_none());
    let again = sender.take(1).unwrap();
    assert!(sender.take(1).is_none());
    drop((other, again));
}

#[test]
fn a_part_keeps_what_it_is_of() {
    let Ends { sender, receiver, trust } = ends(1, 4096);
    let mut buffer = sender.take(100).unwrap();
    for (at, octet) in buffer.octets_mut().unwrap().iter_mut().enumerate() {
        *octet = at as u8;
    }
    let piece = sender.piece(&buffer).unwrap();
    sender.will_send(piece);
    sender.will_send(piece);
    let (loan, again) = (receiver.loan(piece, trust), receiver.loan(piece, trust));
    let part = loan.part(&loan[10..30]).unwrap();
    let inner = part.part(&part[5..]).unwrap();
    assert_eq!((part.len(), part[0], inner.len(), inner[0]), (20, 10, 15, 15));
    assert!(loan.part(&[0; 4]).is_none() && loan.part(&loan[..0]).is_none());
    assert!(part.part(&loan).is_none() && inner.part(&loan[10..15]).is_none());
    drop((loan, inner));
    assert!(buffer.is_in_use());
    drop(again);
    assert!(buffer.is_in_use(), "a part is left");
    assert_eq!(part[19], 29);
    drop(part);
    assert!(!buffer.is_in_use());
}

#[test]
fn octets_of_elsewhere_are_none_of_the_buffers() {
    let Ends { sender, .. } = ends(1, 4096);
    let buffer = sender.take(4096).unwrap();
    assert_eq!(sender.piece(b"elsewhere"), None);
    assert_eq!(sender.piece(&buffer[..0]), None);
    assert_eq!(sender.piece(&vec![0; 1 << 20]), None);
    assert!(sender.piece(&buffer[4095..]).is_some());
}

#[test]
fn a_word_that_means_nothing_is_refused() {
    let Ends { receiver, .. } = ends(2, 8192);
    let word = |index: usize, offset, len| Piece { index, offset, len }.to_word();
    assert!(receiver.piece(word(1, 8191, 1)).is_some());
    assert!(receiver.piece(word(1, 0, 8192)).is_some());
    for (index, offset, len) in [(2, 0, 1), (0, 0, 0), (0, 1, 8192), (0, 8193, 1), (255, 0, 1)] {
        assert_eq!(receiver.piece(word(index, offset, len)), None, "{index} {offset} {len}");
    }
    for noise in [u64::MAX, 1 << 63, u64::MAX >> 8] {
        assert_eq!(receiver.piece(noise), None);
    }
}

#[test]
fn shapes_have_limits() {
    assert!(BufferLayout::new(MAX_BUFFERS, MAX_BUFFER_SIZE).is_some());
    for (count, size) in
        [(0, 4096), (MAX_BUFFERS + 1, 4096), (1, 0), (1, 4095), (1, MAX_BUFFER_SIZE + 4096)]
    {
        assert_eq!(BufferLayout::new(count, size), None);
    }
    let layout = BufferLayout::new(3, 4096).unwrap();
    assert_eq!((layout.count(), layout.size(), layout.memory_len()), (3, 4096, 4 * 4096));
    let memory = SharedMemory::create("zorb-test", 4096).unwrap();
    assert!(ReceiveBuffers::new(memory, layout).is_err());
}
