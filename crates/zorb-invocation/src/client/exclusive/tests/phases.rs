//! The limit of each wait for a part of a reply, without waiting: half of the time of the call is over when it begins to
//! receive, so a wait that began the limit anew would have all of it.

use std::collections::VecDeque;

use zorb_giop::{MessageWriter, ReplyStatus};

use super::*;

/// A stream with a reply in pieces.
#[derive(Debug, Default)]
struct Pieces {
    inner: Recorder,
    pieces: Mutex<VecDeque<Vec<u8>>>,
    recv_timeout: Mutex<Option<Duration>>,
    /// The timeout that each piece was waited for with.
    waits: Mutex<Vec<Option<Duration>>>,
}

impl Stream for Pieces {
    forward_stream!(inner: set_send_timeout, is_readable, shutdown, peer, local);

    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.waits.lock().unwrap().push(*self.recv_timeout.lock().unwrap());
        let piece = self.pieces.lock().unwrap().pop_front().expect("the reply is complete");
        buffer[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }

    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        Ok(())
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        *self.recv_timeout.lock().unwrap() = timeout;
        Ok(())
    }
}

fn reply(id: u32) -> Vec<u8> {
    let (mut octets, status) = (Vec::new(), ReplyStatus::NoException);
    let (version, order) = (GiopVersion::V1_2, ByteOrder::NATIVE);
    let message = MessageWriter::reply(&mut octets, version, order, id, status, &[]);
    let mut message = message.unwrap();
    message.body(TextCoding::default()).write_octets(&[7; 32]).unwrap();
    message.finish().unwrap();
    octets
}

/// The ids of two requests.
struct Ids {
    cancelled: u32,
    waits: u32,
}

/// How a server sends the reply to the request that waits for it.
type Sends = fn(&Ids) -> Vec<Vec<u8>>;

fn split(octets: &[u8], at: usize) -> Vec<Vec<u8>> {
    let (first, rest) = octets.split_at(at);
    vec![first.to_vec(), rest.to_vec()]
}

const PHASES: [(&str, Sends); 5] = [
    ("in the header", |ids| split(&reply(ids.waits), 7)),
    ("in the body", |ids| split(&reply(ids.waits), 30)),
    ("in fragments", |ids| {
        let whole = reply(ids.waits);
        let pieces = zorb_giop::fragments(&whole, 24);
        pieces.flat_map(|piece| [piece.header().to_vec(), piece.payload.to_vec()]).collect()
    }),
    ("octet by octet", |ids| reply(ids.waits).chunks(1).map(<[u8]>::to_vec).collect()),
    ("behind late replies", |ids| [ids.cancelled, ids.cancelled, ids.waits].map(reply).into()),
];

/// Receives a reply that is sent like this; returns the timeouts of the waits for its pieces.
fn receive(sends: Sends, longest: Duration, own: TimeLimit) -> Vec<Option<Duration>> {
    let stream = Arc::new(Pieces::default());
    let mut connection = connection_over(Arc::<Pieces>::clone(&stream), longest);
    let ids = [true, false].map(|is_cancelled| {
        let request = NewRequest { deadline: None, ..request(None) };
        let begun = connection.begin(&request, None).unwrap();
        connection.send(&begun, &own, None).unwrap();
        if is_cancelled {
            assert!(connection.machine.cancel(begun.request_id).is_some());
        }
        begun.request_id
    });
    let [cancelled, waits] = ids;
    *stream.pieces.lock().unwrap() = sends(&Ids { cancelled, waits }).into();
    connection.begun = LastReceived::long_ago();
    connection.receive(&own).unwrap();
    std::mem::take(&mut *stream.waits.lock().unwrap())
}

#[test]
fn each_wait_for_a_part_of_a_reply_has_what_is_left_of_the_longest_wait() {
    // As long again as since the call began, which is as long ago as the machine has been running.
    let runs = Duration::MAX - LastReceived::long_ago().left_of(Duration::MAX);
    for (phase, sends) in PHASES {
        let waits = receive(sends, runs * 2, TimeLimit::NONE);
        // Nothing has waited before the first one, which reads no clock.
        let (first, others) = waits.split_first().unwrap();
        assert_eq!(*first, Some(runs * 2), "{phase}");
        assert!(!others.is_empty(), "{phase}");
        let most = others.iter().map(|wait| wait.expect("a limit")).max().unwrap();
        assert!(most <= runs, "{phase}: {most:?} of {runs:?}");
    }
}

#[test]
fn each_wait_for_a_part_of_a_reply_has_what_is_left_of_the_limit_of_the_call() {
    for (phase, sends) in PHASES {
        let waits = receive(sends, HOUR * 2, TimeLimit::of_rest(HOUR, HOUR / 2));
        let most = waits.iter().map(|wait| wait.expect("a limit")).max().unwrap();
        assert!(most <= HOUR / 2, "{phase}: {most:?}");
    }
}
