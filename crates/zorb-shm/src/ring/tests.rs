use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// One ring as two processes see it, and its memory, for a misbehaving peer.
fn ring(size: usize) -> (Writer, Reader, Arc<SharedMemory>, Region) {
    let layout = Layout::new(size, MIN_RING_SIZE).unwrap();
    let memory = SharedMemory::create("zorb-test", layout.memory_len()).unwrap();
    let fd = std::os::fd::AsFd::as_fd(&memory).try_clone_to_owned().unwrap();
    let (here, there) = (Arc::new(memory), Arc::new(SharedMemory::open(fd).unwrap()));
    let Ends { writer, .. } = layout.client(&here, Buffers::default());
    let Ends { reader, .. } = layout.server(&there, Buffers::default());
    (writer, reader, here, layout.requests)
}

#[test]
fn sizes_are_powers_of_two_in_bounds() {
    for (wanted, size) in
        [(0, 4096), (4096, 4096), (4097, 8192), (300_000, 524_288), (usize::MAX, 1 << 30)]
    {
        assert_eq!(ring_size(wanted), size);
        assert!(Layout::new(size, MIN_RING_SIZE).is_some());
    }
    for bad in [0, 1, 2048, 4095, 6000, 1 << 31] {
        assert_eq!(Layout::new(bad, 4096), None);
        assert_eq!(Layout::new(4096, bad), None);
    }
}

#[test]
fn the_rings_of_a_memory_do_not_touch() {
    let layout = Layout::new(4096, 8192).unwrap();
    let Layout { requests, replies } = layout;
    assert_eq!(layout.memory_len(), 4096 + 4096 + 8192);
    let words = |place: Region| {
        let u64s = [place.tail(), place.read_position()].map(|at| (at, at + 8));
        #[cfg(feature = "buffers")]
        let u64s = {
            let (at, len) = place.queue();
            let of_pieces = [place.named(), place.taken(), place.takes_pieces()];
            let queue = (at, at + len as usize * 16);
            [u64s.to_vec(), of_pieces.map(|at| (at, at + 4)).to_vec(), vec![queue]].concat()
        };
        let u32s = [
            place.write_closed(),
            place.read_closed(),
            place.reader_sleeping(),
            place.writer_sleeping(),
        ];
        [u64s.to_vec(), u32s.map(|at| (at, at + 4)).to_vec()].concat()
    };
    let bodies = [requests, replies].map(|place| (place.body, place.body + place.size));
    let mut all = [words(requests), words(replies), bodies.to_vec()].concat();
    all.sort_unstable();
    assert!(all.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{all:?}");
}

#[test]
fn a_full_ring_takes_no_more_until_some_is_taken() {
    let (writer, reader, ..) = ring(4096);
    assert_eq!(writer.write(&[7; 5000]), Ok(4096));
    assert_eq!((writer.write(&[8]), writer.is_ready()), (Ok(0), false));
    let mut buffer = [0; 100];
    assert_eq!(reader.read(&mut buffer), Ok(100));
    assert_eq!(writer.write(&[8; 200]), Ok(100));
    let mut rest = [0; 5000];
    assert_eq!(reader.read(&mut rest), Ok(4096));
    assert_eq!((rest[3995], rest[3996], rest[4095]), (7, 8, 8));
    assert_eq!((reader.read(&mut rest), reader.is_ready()), (Ok(0), false));
}

#[test]
fn a_sleeping_writer_is_looked_for_once_in_a_quarter_of_the_ring() {
    let (writer, reader, memory, place) = ring(4096);
    let sleeping = memory.u32_at(place.writer_sleeping());
    let mut buffer = [0; 512];
    for round in 0..20 {
        assert_eq!(writer.write(&[round; 512]), Ok(512));
        sleeping.store(1, Ordering::SeqCst);
        assert_eq!(reader.read(&mut buffer), Ok(512));
        // Half of a quarter wakes nobody, a whole one does.
        assert_eq!(sleeping.load(Ordering::SeqCst), u32::from(round % 2 == 0), "round {round}");
    }
}

#[test]
fn a_ring_is_quiet_until_something_comes_or_ends() {
    let (writer, reader, ..) = ring(4096);
    assert!(reader.is_quiet());
    writer.write(b"three").unwrap();
    assert!(!reader.is_quiet());
    let mut two = [0; 2];
    assert_eq!(reader.read(&mut two), Ok(2));
    assert!(!reader.is_quiet(), "a part of the known octets is unread");
    assert_eq!(reader.read(&mut [0; 16]), Ok(3));
    assert!(reader.is_quiet());
    writer.close();
    assert!(!reader.is_quiet());
}

#[test]
fn closed_ends_are_noticed() {
    let (writer, reader, ..) = ring(4096);
    assert!(!reader.is_ended() && !writer.is_refused());
    writer.close();
    assert!(reader.is_ended() && !writer.is_refused());
    reader.close();
    assert!(writer.is_refused());
}

#[test]
fn sleepers_are_woken_by_what_they_wait_for() {
    const LEN: usize = 1 << 20;
    let (writer, reader, ..) = ring(4096);
    let sent: Vec<u8> = (0..LEN).map(|n| (n / 7) as u8).collect();
    let received = thread::scope(|scope| {
        scope.spawn(|| {
            let mut left = &sent[..];
            while !left.is_empty() {
                // Various lengths, so that both sides have to wait.
                let len = left.len().min(left.len() % 5000 + 1);
                match writer.write(&left[..len]).unwrap() {
                    0 => writer.wait_unless(|| writer.is_ready(), None),
                    done => left = &left[done..],
                }
            }
            writer.close();
        });
        let (mut received, mut buffer) = (Vec::new(), [0; 3000]);
        loop {
            let len = received.len() % 3000 + 1;
            match reader.read(&mut buffer[..len]).unwrap() {
                0 if reader.is_ended() && !reader.is_ready() => return received,
                0 => reader.wait_unless(|| reader.is_ready() || reader.is_ended(), None),
                done => received.extend_from_slice(&buffer[..done]),
            }
        }
    });
    assert!(received == sent);
}

/// Values that a peer may write over the words that the other side reads.
fn nonsense() -> impl Strategy<Value = u64> {
    prop_oneof![any::<u64>(), 0..20_000_u64, (0..20_000_u64).prop_map(|n| u64::MAX - n)]
}

proptest! {
    #[test]
    fn octets_are_preserved(
        steps in prop::collection::vec((0..6000_usize, 0..6000_usize), 1..40)
    ) {
        let (writer, reader, ..) = ring(4096);
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        let mut next = 0_u32;
        for (to_write, to_read) in steps {
            let bytes: Vec<u8> = (0..to_write).map(|_| {
                next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                next.to_le_bytes()[3]
            }).collect();
            let written = writer.write(&bytes).unwrap();
            prop_assert_eq!(written, to_write.min(4096 - (sent.len() - received.len())));
            sent.extend_from_slice(&bytes[..written]);
            let mut buffer = vec![0; to_read];
            let read = reader.read(&mut buffer).unwrap();
            prop_assert_eq!(read, to_read.min(sent.len() - received.len()));
            received.extend_from_slice(&buffer[..read]);
        }
        prop_assert!(sent.starts_with(&received));
    }

    /// Whatever the memory contains, a reader fills its buffer or a part of it, or reports
    /// corruption.
    #[test]
    fn a_writer_that_lies_is_survived(
        steps in prop::collection::vec((nonsense(), 0..10_000_usize), 1..20)
    ) {
        let (_, reader, memory, place) = ring(4096);
        for (tail, len) in steps {
            memory.u64_at(place.tail()).store(tail, Ordering::SeqCst);
            memory.u64_at(place.read_position()).store(!tail, Ordering::SeqCst);
            memory.u32_at(place.reader_sleeping()).store(tail as u32, Ordering::SeqCst);
            memory.u32_at(place.writer_sleeping()).store(tail as u32, Ordering::SeqCst);
            let mut buffer = vec![0; len];
            match reader.read(&mut buffer) {
                Ok(count) => prop_assert!(count <= len),
                Err(Corrupt) => return Ok(()),
            }
        }
    }

    /// A writer never writes beyond the ring.
    #[test]
    fn a_reader_that_lies_is_survived(
        steps in prop::collection::vec((nonsense(), 0..10_000_usize), 1..20)
    ) {
        let (writer, _, memory, place) = ring(4096);
        for (head, len) in steps {
            memory.u64_at(place.read_position()).store(head, Ordering::SeqCst);
            memory.u64_at(place.tail()).store(!head, Ordering::SeqCst);
            memory.u32_at(place.reader_sleeping()).store(head as u32, Ordering::SeqCst);
            let _ = writer.write(&vec![0x5A; len]);
            // The body of the other ring follows.
            let mut behind = [1; 64];
            memory.read(place.body + place.size, &mut behind);
            prop_assert_eq!(behind, [0; 64]);
        }
    }
}

#[test]
fn a_peer_that_scribbles_all_the_time_does_no_harm() {
    let (writer, reader, memory, place) = ring(4096);
    let done = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut noise = 1_u64;
            while !done.load(Ordering::Relaxed) {
                noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let near = noise >> 50;
                memory.u64_at(place.tail()).store(near, Ordering::Relaxed);
                memory.u64_at(place.read_position()).store(near, Ordering::Relaxed);
                memory.u32_at(place.reader_sleeping()).store(noise as u32, Ordering::Relaxed);
                memory.write(place.body, &noise.to_ne_bytes());
            }
        });
        let mut buffer = [0; 5000];
        for _ in 0..20_000 {
            if let Ok(count) = reader.read(&mut buffer) {
                assert!(count <= 5000);
            }
            let _ = writer.write(&buffer);
            reader.wait_unless(|| false, Some(Duration::ZERO));
        }
        done.store(true, Ordering::Relaxed);
    });
}
