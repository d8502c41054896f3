//! The rings' own code, over words of which `loom` decides who sees what when: every order of the two
//! sides' steps, and every value that they can see where the memory's rules leave a choice.
//!
//! The memory, the system's waiting and the buffers are the [platform](platform)'s, which is one of its
//! own here. Octets of the ring's body are cells: reading one that is being written is what `loom`
//! finds.
#![allow(clippy::duplicate_mod, reason = "the very code of the rings, on another platform")]
#![allow(clippy::arc_with_non_send_sync, reason = "what is shared is so with `loom`'s threads")]

#[path = "end.rs"]
#[allow(dead_code, reason = "of which not all is modelled")]
mod end;
#[path = "half.rs"]
#[allow(dead_code, reason = "of which not all is modelled")]
mod half;
#[cfg_attr(feature = "buffers", path = "pieces.rs")]
#[cfg_attr(not(feature = "buffers"), path = "pieces/none.rs")]
#[allow(dead_code, reason = "of which not all is modelled")]
mod pieces;
mod platform;

use std::sync::Arc;

use loom::thread;

use super::region;
use super::region::Region;
use half::{Reader, Writer};
use pieces::{Incoming, Outgoing};
use platform::{FENCED, SharedMemory};

/// What a side has of buffers.
type Buffers = (Option<Outgoing>, Option<Incoming>);

/// Runs a writer's steps and a reader's, at a ring of `size` octets, in every order in which they are
/// interrupted no more often than `preemptions`.
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
        let place = Region { head: 0, body: 4096, size };
        let memory = Arc::new(SharedMemory::new(size));
        let (outgoing, incoming) = buffers();
        let reader = Reader::new(&memory, place, incoming);
        let writer = Writer::new(&memory, place, outgoing);
        let write = Arc::clone(&write);
        let writing = thread::spawn(move || {
            write(&writer);
            writer.close();
        });
        read(&reader);
        writing.join().unwrap();
    });
}

/// Puts all of `octets` in, and sleeps while there is no room.
fn write_all(writer: &Writer, mut octets: &[u8]) {
    while !octets.is_empty() {
        match writer.write(octets).unwrap() {
            0 => writer.wait_unless(|| writer.is_ready(), None),
            done => octets = &octets[done..],
        }
    }
}

/// Takes out all there is until the writer has ended, so many octets at a time, and sleeps while there
/// are none.
fn read_all(reader: &Reader, at_a_time: usize) -> Vec<u8> {
    let (mut all, mut space) = (Vec::new(), vec![0; at_a_time]);
    loop {
        // As streams do: what came before the end comes before the news of it.
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
fn octets_come_out_as_they_went_in() {
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

/// What is taken little by little is room that the writer is not woken for each time.
#[test]
fn room_is_told_of_a_quarter_at_a_time() {
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
fn one_that_takes_no_more_is_noticed() {
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

/// Takes a piece where it lies as soon as it comes, and what stands before and behind it.
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
    // It was named before what stands in front of it was there.
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

/// The models would find it if the code were another: without its fences a wake-up is lost.
#[test]
#[should_panic(expected = "deadlock")]
fn without_the_fences_somebody_would_sleep_for_ever() {
    FENCED.set(false);
    in_every_order(
        (4, 2),
        no_buffers,
        |writer| write_all(writer, b"abcde"),
        |reader| assert_eq!(read_all(reader, 3), b"abcde"),
    );
}
