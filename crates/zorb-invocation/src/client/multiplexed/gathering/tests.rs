//! When the reader lets replies gather, with the test as the reader, and as the server.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use zorb_base::threads::ThreadCount;
use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{GiopVersion, MessageWriter, NewRequest, ReplyStatus};
use zorb_os::poll::Arrivals;
use zorb_transport::socket::SocketStream;

use super::super::pending_request::{Ended, PendingRequest, Reader, Stored};
use super::super::reader::Reading;
use super::super::tests::{connection_over, request};
use super::super::{Joining, MultiplexedConnection, SmallReply};
use super::MANY;
use crate::client::connection::LastReceived;
use crate::client::time_limit::TimeLimit;
use crate::client::wait_queue::WaitLimits;

const NOW: Option<Duration> = Some(Duration::ZERO);
const NEVER: Duration = Duration::from_secs(3600);

/// A request for whose end nobody waits; it tells of its reply.
#[derive(Debug)]
struct Stores(mpsc::Sender<()>);

impl PendingRequest for Stores {
    fn store(&self, _: SmallReply<'_>) -> Stored {
        self.0.send(()).unwrap();
        Stored::Reply
    }

    fn tell(self: Arc<Self>) -> Option<Arc<dyn PendingRequest>> {
        panic!("nobody waits")
    }

    fn end(self: Arc<Self>, _: Ended) -> Option<Arc<dyn PendingRequest>> {
        None
    }

    fn call_back(&self) {}

    fn leave(&self) -> bool {
        false
    }
}

struct Pair {
    connection: Arc<MultiplexedConnection>,
    server: UnixStream,
    replies: mpsc::Receiver<()>,
    tell: mpsc::Sender<()>,
}

impl Pair {
    fn new() -> Self {
        let (here, server) = UnixStream::pair().unwrap();
        let stream = SocketStream::new(here, String::new(), String::new());
        let (tell, replies) = mpsc::channel();
        Self { connection: connection_over(Arc::new(stream)), server, replies, tell }
    }

    /// The test is the reader.
    fn read_here(self) -> Self {
        let stream = self.connection.stream.readiness_fd().unwrap();
        self.connection.arrivals.set(Arrivals::new(stream).unwrap()).unwrap();
        self.connection.state().pending.reader = Reader::Runs;
        self
    }

    /// Begins a request, and returns its reply.
    fn begin(&self) -> Vec<u8> {
        self.begin_for(&Arc::new(Stores(self.tell.clone())))
    }

    fn begin_for(&self, stores: &Arc<Stores>) -> Vec<u8> {
        let request = NewRequest { deadline: None, ..request(None) };
        // However long this took, the connection needs no check.
        self.connection.state().last_received = LastReceived::now();
        let begun = Arc::clone(&self.connection).begin_pending(usize::MAX, &request, stores);
        let (_, id) = begun.unwrap().sent().unwrap();
        let (mut reply, status) = (Vec::new(), ReplyStatus::NoException);
        let (version, order) = (GiopVersion::V1_2, ByteOrder::NATIVE);
        let mut message =
            MessageWriter::reply(&mut reply, version, order, id, status, &[]).unwrap();
        message.body(TextCoding::default());
        message.finish().unwrap();
        reply
    }

    /// One step of the reader, after which replies may gather or not.
    fn read(&self) -> bool {
        let mut reading = Reading::begin();
        let state = self.connection.state();
        let state = self.connection.receive_pending(state, NOW, &mut reading);
        drop(state);
        self.connection.end_received(&mut reading);
        reading.lets_gather
    }

    fn reader(&self) -> Reader {
        self.connection.state().pending.reader
    }
}

#[test]
fn replies_gather_behind_few_octets_unless_somebody_watches() {
    let pair = Pair::new().read_here();
    let mut replies = [(); 4].map(|()| pair.begin()).into_iter();
    let arrives = |octets: &[u8]| {
        (&pair.server).write_all(octets).unwrap();
        pair.read()
    };
    assert!(arrives(&replies.next().unwrap()));
    let partial = replies.next().unwrap();
    assert!(!arrives(&partial[..16]), "in the middle of a reply");
    assert!(arrives(&partial[16..]));
    assert!(!pair.read(), "nothing has arrived");
    pair.connection.watch();
    assert!(!arrives(&replies.next().unwrap()), "somebody is to be told of the last one");
    // The reader finds no pending request.
    pair.connection.end_watching();
    assert!(arrives(&replies.next().unwrap()));
    assert_eq!(std::iter::from_fn(|| pair.replies.try_recv().ok()).count(), 4);
    assert!(!pair.connection.lets_gather(MANY), "more may be on its way than the stream takes");
}

#[test]
fn nobody_watches_behind_the_last_reply_whoever_receives_it() {
    let pair = Pair::new().read_here();
    let stores = Arc::new(Stores(pair.tell.clone()));
    let replies = [(); 2].map(|()| pair.begin_for(&stores));
    pair.connection.watch();
    for (reply, is_last) in std::iter::zip(replies, [false, true]) {
        (&pair.server).write_all(&reply).unwrap();
        let id = u32::from_ne_bytes(reply[12..16].try_into().unwrap());
        let request = Arc::as_ptr(&stores).cast();
        assert!(pair.connection.receive_for_pending(id, request, TimeLimit::NONE, None));
        assert_eq!(pair.connection.is_watched(), !is_last);
    }
}

#[test]
fn who_begins_to_watch_ends_the_pause() {
    let pair = Pair::new().read_here();
    let _reply = pair.begin();
    let arrivals = pair.connection.arrivals.get().unwrap();
    for again in [false, true] {
        pair.connection.state().pending.reader = Reader::Gathers;
        pair.connection.watch();
        // Who watches knows that the reader does not pause.
        assert_eq!(pair.reader(), if again { Reader::Gathers } else { Reader::Runs });
        assert_eq!(arrivals.pause(Duration::ZERO).unwrap(), !again);
    }
}

#[test]
fn a_caller_that_receives_while_replies_gather_neither_wakes_nor_stops_the_reader() {
    let pair = Pair::new().read_here();
    let reply = pair.begin();
    let connection = &*pair.connection;
    let mut state = connection.state();
    state.pending.reader = Reader::Polls;
    connection.arm(&mut state);
    state.pending.reader = Reader::Gathers;
    let inbound = connection.begin_to_lead(&mut state).unwrap();
    assert!(state.pending.is_armed, "the reader does not wait for what arrives");
    drop(state);
    (&pair.server).write_all(&reply).unwrap();
    // The reader has paused before the caller has received.
    assert!(!pair.read());
    let mut state = connection.state();
    assert!(!state.pending.is_armed, "it is left to the caller");
    state.end_leading(inbound);
    state.pending.reader = Reader::Gathers;
    connection.resume_reader(&mut state);
    assert_eq!((state.pending.reader, state.pending.is_armed), (Reader::Gathers, false));
    drop(state);
    assert!(pair.read(), "it receives what the caller has left");
}

#[test]
fn replies_that_nobody_waits_for_are_received() {
    let pair = Pair::new();
    let limits = WaitLimits { deadline: None, max_waiting: usize::MAX, max_wait: None };
    let joining = Joining { in_upcall: false, in_waker: false, limits, pending: Some(1) };
    let threads = ThreadCount::new(usize::MAX);
    let mut call = pair.connection.join(&joining).unwrap();
    call.reply_to(Arc::new(Stores(pair.tell.clone())), &threads, NEVER).unwrap();
    drop(call);
    for _ in 0..10 {
        let replies = [(); 3].map(|()| pair.begin());
        for reply in replies {
            (&pair.server).write_all(&reply).unwrap();
            pair.replies.recv().unwrap();
        }
    }
    drop(pair.server);
    threads.join();
}
