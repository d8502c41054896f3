//! The rings' code under `loom`, which explores all interleavings of the two sides and all values
//! that a load may return.
//!
//! Memory, futexes and buffers are replaced by a [platform](platform) for `loom`. Octets of the
//! ring's body are cells, so that `loom` detects a read that races with a write.
#![allow(clippy::duplicate_mod, reason = "the rings' code on another platform")]
#![allow(clippy::arc_with_non_send_sync, reason = "shared only with `loom`'s threads")]

#[path = "end.rs"]
#[allow(dead_code, reason = "only a part is modelled")]
mod end;
#[path = "half.rs"]
#[allow(dead_code, reason = "only a part is modelled")]
mod half;
#[cfg_attr(feature = "buffers", path = "pieces.rs")]
#[cfg_attr(not(feature = "buffers"), path = "pieces/none.rs")]
#[allow(dead_code, reason = "only a part is modelled")]
mod pieces;
mod platform;

use std::sync::Arc;

use loom::thread;

use super::region;
use super::region::Region;
use half::{Reader, Writer};
use pieces::{Incoming, Outgoing};
use platform::{FENCED, SharedMemory};

/// The buffers of one side.
type Buffers = (Option<Outgoing>, Option<Incoming>);

/// Runs a writer and a reader on a ring of `size` octets in all orders with at most `preemptions`
/// preemptions.
fn in_every_order(
    (size, preemptions): (usize, usize),
    buffers: impl Fn() -> Buffers + Send + Sync + 'static,
    write: impl Fn(&Writer) + Send + Sync + 'static,
    read: impl Fn(&Reader) + Send + Sync + 'static,
) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    let write = Arc::new(write);
    model.check(move || {
        let region = Region { head: 0, body: 4096, size };
        let memory = Arc::new(SharedMemory::new(size));
        let (outgoing, incoming) = buffers();
        let reader = Reader::new(&memory, region, incoming);
        let writer = Writer::new(&memory, region, outgoing);
        let write = Arc::clone(&write);
        let writing = thread::spawn(move || {
            write(&writer);
            writer.close();
        });
        read(&reader);
        writing.join().unwrap();
    });
}

/// Writes all of `octets`, and sleeps while there is no room.
fn write_all(writer: &Writer, mut octets: &[u8]) {
    while !octets.is_empty() {
        match writer.write(octets).unwrap() {
            0 => writer.wait_unless(|| writer.is_ready(), None),
            done => octets = &octets[done..],
        }
    }
}

/// Reads up to `at_a_time` octets at once until the writer has closed its end, and sleeps while
/// there are none.
fn read_all(reader: &Reader, at_a_time: usize) -> Vec<u8> {
    let (mut all, mut space) = (Vec::new(), vec![0; at_a_time]);
    loop {
        // Like streams: octets that arrived before the end are read first.
        let is_ended = reader.is_ended();
        match reader.read(&mut space).unwrap() {
            0 if is_ended => return all,
            0 => reader.wait_unless(|| reader.is_ready() || reader.is_ended(), None),
            done => all.extend_from_slice(&space[..done]),
        }
    }
}

fn no_buffers() -> Buffers {
    (None, None)
}

#[test]
fn octets_are_preserved() {
    in_every_order(
        (4, 2),
        no_buffers,
        |writer| write_all(writer, b"abcde"),
        |reader| assert_eq!(read_all(reader, 3), b"abcde"),
    );
}

#[test]
fn a_full_ring_and_an_empty_one_are_waited_for() {
    in_every_order(
        (4, 2),
        no_buffers,
        |writer| {
            write_all(writer, b"abcd");
            write_all(writer, b"ef");
        },
        |reader| assert_eq!(read_all(reader, 4), b"abcdef"),
    );
}

/// Small reads free room without waking the writer each time.
#[test]
fn the_writer_is_woken_once_per_quarter() {
    in_every_order(
        (8, 2),
        no_buffers,
        |writer| {
            write_all(writer, b"abcdefgh");
            write_all(writer, b"i");
        },
        |reader| assert_eq!(read_all(reader, 3), b"abcdefghi"),
    );
}

#[test]
fn a_closed_reader_is_noticed() {
    in_every_order(
        (4, 3),
        no_buffers,
        |writer| {
            while !writer.is_refused() {
                if writer.write(b"abcd").unwrap() == 0 {
                    writer.wait_unless(|| writer.is_ready() || writer.is_refused(), None);
                }
            }
        },
        |reader| {
            let mut space = [0; 2];
            let _ = reader.read(&mut space).unwrap();
            reader.close();
        },
    );
}

/// Borrows a piece as soon as it arrives, and reads the octets before and after it.
#[cfg(feature = "buffers")]
fn borrow_between(reader: &Reader) {
    let mut space = [0; 2];
    let mut before = 0;
    while before < 2 {
        match reader.read(&mut space[before..]).unwrap() {
            0 => reader.wait_unless(|| reader.is_ready(), None),
            count => before += count,
        }
    }
    assert_eq!(&space, b"ab");
    // It was named before the preceding octets were written.
    assert_eq!(reader.borrow(5).unwrap().0, b"piece");
    assert_eq!(read_all(reader, 4), b"c");
}

#[cfg(feature = "buffers")]
#[test]
fn pieces_come_where_they_were_sent() {
    use platform::buffers::{ReceiveBuffers, SameUser, SendBuffers, Shared};

    let buffers = || {
        let shared = Arc::new(Shared::default());
        let incoming = Incoming::new(ReceiveBuffers::new(&shared), Some(SameUser));
        (Some(Outgoing::new(SendBuffers::new(&shared))), Some(incoming))
    };
    let write = |writer: &Writer| {
        assert!(writer.send_piece(2, b"piece"));
        write_all(writer, b"ab");
        write_all(writer, b"c");
    };
    let read = |reader: &Reader| assert_eq!(read_all(reader, 4), b"abpiecec");
    in_every_order((4, 2), buffers, write, read);
    in_every_order((4, 2), buffers, write, borrow_between);
}

/// The models detect errors: without fences a wake-up is lost.
#[test]
#[should_panic(expected = "deadlock")]
fn a_wake_up_is_lost_without_fences() {
    FENCED.set(false);
    in_every_order(
        (4, 2),
        no_buffers,
        |writer| write_all(writer, b"abcde"),
        |reader| assert_eq!(read_all(reader, 3), b"abcde"),
    );
}
