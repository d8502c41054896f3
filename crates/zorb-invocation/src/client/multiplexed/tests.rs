mod refused;
mod sent_again;

use std::io::IoSlice;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, mpsc};

use zorb_base::connection_count::ConnectionCount;
use zorb_base::options::Options;
use zorb_base::threads::ThreadCount;
use zorb_giop::{CodeSetComponentInfo, GiopVersion, MessageFormat, NewRequest, RequestKind};
use zorb_transport::socket::SocketStream;
use zorb_transport::{PeerShares, process_budget};

use super::*;
use crate::client::connection::{Connection, NoReply, NotBegun};
use crate::client::time_limit::TimeLimit;
use crate::client::wait_queue::WaitLimits;

/// A stream that records what is sent, and takes only the first octets of a message without waiting.
#[derive(Debug, Default)]
pub(in crate::client) struct Recorder {
    sent: Mutex<Vec<u8>>,
    /// Whether it fails in the middle of the next message.
    fails: AtomicBool,
}

impl Recorder {
    /// The kinds of the messages that were sent.
    fn kinds(&self) -> Vec<u8> {
        let sent = self.sent.lock().unwrap();
        let starts = sent.windows(4).enumerate().filter(|(_, four)| four == b"GIOP");
        starts.map(|(at, _)| sent[at + 7]).collect()
    }

    fn take(&self, bytes: &[u8], most: usize) -> usize {
        let taken = bytes.len().min(most);
        self.sent.lock().unwrap().extend_from_slice(&bytes[..taken]);
        taken
    }
}

impl Stream for Recorder {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.take(bytes, usize::MAX);
        Ok(())
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        parts.iter().try_for_each(|part| self.send_all(part))
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.take(bytes, 12);
        if self.fails.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(taken)
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
        false
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &'static str {
        "a recorder"
    }

    fn local(&self) -> &'static str {
        ""
    }
}

fn connection() -> (Arc<Recorder>, Arc<MultiplexedConnection>) {
    let recorder = Arc::new(Recorder::default());
    let connection = connection_over(Arc::<Recorder>::clone(&recorder));
    (recorder, connection)
}

pub(super) fn connection_over(stream: Arc<dyn Stream>) -> Arc<MultiplexedConnection> {
    connection_with(stream, &PeerShares::new(process_budget(), 0))
}

fn connection_with(stream: Arc<dyn Stream>, shares: &PeerShares) -> Arc<MultiplexedConnection> {
    let options = Options::default();
    let connection = MultiplexedConnection::new(NewMultiplexedConnection {
        stream,
        messaging: None,
        receiving: &Receiving::new(&options, shares),
        copy_threshold: usize::MAX,
        max_calls: 4,
        beyond_limit: false,
        is_for_pending: false,
        watched: None,
        counted: Counts { of_clients: ConnectionCount::of_clients().enter(), of_upcalls: None },
    });
    Arc::new(connection)
}

fn join(connection: &Arc<MultiplexedConnection>) -> MultiplexedCall {
    let limits = WaitLimits { deadline: None, max_waiting: usize::MAX, max_wait: None };
    let joining = Joining { in_upcall: false, in_waker: false, limits, pending: None };
    connection.join(&joining).unwrap()
}

pub(in crate::client) fn request<'a>(
    code_sets: Option<[&'a CodeSetComponentInfo; 2]>,
) -> NewRequest<'a> {
    NewRequest {
        kind: RequestKind::Twoway,
        form: MessageFormat::Giop(GiopVersion::V1_2),
        key: b"key",
        operation: "add",
        code_sets,
        announced: 0,
        deadline: Some(Duration::ZERO),
    }
}

/// Sends a request that nobody answers.
fn send(call: &mut MultiplexedCall) -> u32 {
    let begun = call.begin(&request(None), None).unwrap();
    call.send(&begun, &TimeLimit::new(None), None).unwrap();
    begun.request_id
}

/// How a connection ends, whether it has been used, and whether calls go over another one then.
type End = (fn() -> NoReply, bool, bool);

#[test]
fn a_call_whose_connection_ends_before_its_request_goes_over_another() {
    let own = CodeSetComponentInfo::with_native_char(zorb_giop::CodeSetId::UTF_8);
    let ends: [End; 4] = [
        (|| NoReply::Closed, false, true),
        (|| NoReply::Lost(Some(io::ErrorKind::TimedOut.into())), true, true),
        (|| NoReply::Lost(None), false, false),
        (|| NoReply::MessageError, true, false),
    ];
    for (end, used, goes_again) in ends {
        // With code sets, it waits until it may announce them.
        for code_sets in [None, Some([&own, &own])] {
            let (_, connection) = connection();
            let mut call = join(&connection);
            connection.state().used = used;
            connection.end(&mut connection.state(), end());
            match call.begin(&request(code_sets), None).map_err(|reason| *reason) {
                Err(NotBegun::Unsent { error, again }) => {
                    assert_eq!(again, goes_again, "{:?}", end());
                    assert_ne!(error.kind(), io::ErrorKind::TimedOut, "that was another call");
                }
                begun => panic!("{begun:?}"),
            }
        }
    }
}

#[test]
fn the_request_that_is_sent_first_announces_the_priority_band() {
    let (_, connection) = connection();
    let [mut first, mut second, mut third] = [(); 3].map(|()| join(&connection));
    let banded = NewRequest { announced: 1, ..request(None) };
    assert!(first.begin(&banded, None).unwrap().announced != 0);
    // It may not overtake the other, nor rely on it.
    let waited = second.begin(&banded, Some(Instant::now())).map_err(|reason| *reason);
    assert!(matches!(waited, Err(NotBegun::Unsent { again: false, .. })), "{waited:?}");
    // The first is not sent after all, for example because its arguments have no encoding.
    drop(first);
    let begun = second.begin(&banded, None).unwrap();
    assert!(begun.announced != 0);
    second.send(&begun, &TimeLimit::new(None), None).unwrap();
    assert!(third.begin(&banded, None).unwrap().announced == 0);
}

#[test]
fn half_a_cancel_request_ends_the_connection() {
    let (recorder, connection) = connection();
    let mut call = join(&connection);
    let id = send(&mut call);
    recorder.fails.store(true, Ordering::Relaxed);
    connection.state().machine.handle_timeout(Duration::from_secs(1));
    assert!(call.time_out(id, &TimeLimit::new(None)).is_err());
    assert!(connection.has_ended());
}

#[test]
fn a_connection_closes_with_the_messages_that_wait() {
    let (recorder, connection) = connection();
    let mut call = join(&connection);
    let id = send(&mut call);
    connection.state().machine.cancel(id);
    drop(call);
    connection.close();
    assert_eq!(recorder.kinds(), [2, 5]);
}

/// A request that gets no reply.
#[derive(Debug)]
struct Unanswered;

impl PendingRequest for Unanswered {
    fn store(&self, _: SmallReply<'_>) -> Stored {
        Stored::Nothing
    }

    fn tell(self: Arc<Self>) -> Option<Arc<dyn PendingRequest>> {
        None
    }

    fn end(self: Arc<Self>, _: Ended) -> Option<Arc<dyn PendingRequest>> {
        None
    }

    fn call_back(&self) {}

    fn leave(&self) -> bool {
        false
    }
}

#[test]
fn a_call_that_gets_no_reader_fails_and_the_next_one_starts_it() {
    let (_, connection) = connection();
    let limits = WaitLimits { deadline: None, max_waiting: usize::MAX, max_wait: None };
    let joining = Joining { in_upcall: false, in_waker: false, limits, pending: Some(4) };
    let mut calls = [(); 4].map(|()| connection.join(&joining).unwrap());
    let none = ThreadCount::new(0);
    for call in &mut calls[..2] {
        // While a caller tries to start the reader, others do not rely on it.
        assert!(call.reply_to(Arc::new(Unanswered), &none, Duration::MAX).is_err());
    }
    let threads = ThreadCount::new(usize::MAX);
    calls[2].reply_to(Arc::new(Unanswered), &threads, Duration::ZERO).unwrap();
    calls[3].reply_to(Arc::new(Unanswered), &none, Duration::ZERO).unwrap();
    drop(calls);
    threads.join();
    assert_eq!(connection.load(), 0);
}

#[test]
fn a_pending_request_that_the_stream_takes_in_part_is_sent_entirely() {
    let (recorder, connection) = connection();
    connection.state().pending.reader = Reader::Runs;
    let without_limit = NewRequest { deadline: None, ..request(None) };
    let begun = Arc::clone(&connection).begin_pending(4, &without_limit, &Arc::new(Unanswered));
    let mut begun = begun.unwrap();
    let message: Vec<u8> = (0..40).collect();
    begun.outgoing().octets_mut().clone_from(&message);
    begun.send(&TimeLimit::NONE).unwrap();
    assert_eq!(*recorder.sent.lock().unwrap(), message);
    begun.sent();
}

#[test]
fn a_pending_request_without_a_limit_ends_after_the_longest_wait_and_no_other_does() {
    let (_, connection) = connection();
    connection.state().pending.reader = Reader::Runs;
    let without_limit = NewRequest { deadline: None, ..request(None) };
    let begin = || {
        let begun = Arc::clone(&connection).begin_pending(4, &without_limit, &Arc::new(Unanswered));
        let begun = begun.unwrap();
        let id = begun.id();
        begun.sent();
        id
    };
    let [old, new] = [(); 2].map(|()| begin());
    let mut state = connection.state();
    let Some(Follower::Pending { begun, .. }) = state.machine.call_mut(old) else { panic!() };
    *begun = LastReceived::long_ago();
    state.pending.oldest = Some(LastReceived::long_ago());
    // As long as the machine has been running.
    let longest = Duration::MAX - LastReceived::long_ago().left_of(Duration::MAX);
    connection.limit_oldest(&mut state, longest);
    let begun_new = match state.machine.call_mut(new) {
        Some(Follower::Pending { begun, .. }) => *begun,
        other => panic!("{other:?}"),
    };
    assert_eq!(state.pending.oldest, Some(begun_new));
    drop(state);
    connection.fail_pending();
    let mut state = connection.state();
    assert!(state.machine.call_mut(old).is_none() && state.machine.call_mut(new).is_some());
    assert_eq!((state.pending.count, state.pending.earliest), (1, None));
}

/// A request that tells when it has ended.
#[derive(Debug)]
struct Tells(mpsc::Sender<()>);

impl PendingRequest for Tells {
    fn store(&self, _: SmallReply<'_>) -> Stored {
        Stored::Nothing
    }

    fn tell(self: Arc<Self>) -> Option<Arc<dyn PendingRequest>> {
        None
    }

    fn end(self: Arc<Self>, _: Ended) -> Option<Arc<dyn PendingRequest>> {
        self.0.send(()).unwrap();
        None
    }

    fn call_back(&self) {}

    fn leave(&self) -> bool {
        false
    }
}

#[test]
fn a_reader_without_requests_is_woken_by_those_with_a_deadline_only() {
    let (here, _there) = UnixStream::pair().unwrap();
    let stream = SocketStream::new(here, String::new(), String::new());
    let connection = connection_over(Arc::new(stream));
    let limits = WaitLimits { deadline: None, max_waiting: usize::MAX, max_wait: None };
    let joining = Joining { in_upcall: false, in_waker: false, limits, pending: Some(4) };
    let (threads, hour) = (ThreadCount::new(usize::MAX), Duration::from_secs(3600));
    let mut first = connection.join(&joining).unwrap();
    first.reply_to(Arc::new(Unanswered), &threads, hour).unwrap();
    // It has not begun. The reader sees that.
    drop(first);
    connection.wake_reader(&mut connection.state());
    let reader = || connection.state().pending.reader;
    while reader() == Reader::Runs {
        std::thread::yield_now();
    }
    let (tell, told) = mpsc::channel();
    let request_until = |deadline| {
        let request = NewRequest { deadline, ..request(None) };
        let tells = Arc::new(Tells(tell.clone()));
        // However long the reader took, the connection needs no check.
        connection.state().last_received = LastReceived::now();
        drop(Arc::clone(&connection).begin_pending(4, &request, &tells).unwrap().sent());
    };
    request_until(None);
    assert_eq!(reader(), Reader::Polls);
    request_until(Some(Duration::ZERO));
    told.recv().unwrap();
    assert!(told.try_recv().is_err(), "the other one waits");
    connection.end(&mut connection.state(), NoReply::Lost(None));
    told.recv().unwrap();
    threads.join();
}
