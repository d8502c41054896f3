//! The longest wait of a call begins when its request has to wait for the server, or else with its reply.

mod phases;

use std::io::IoSlice;
use std::sync::Mutex;

use zorb_base::connection_count::ConnectionCount;
use zorb_base::gather::Gather;
use zorb_base::options::Options;
use zorb_cdr::{ByteOrder, CdrWriter, Octets, TextCoding, Wire};
use zorb_giop::{GiopVersion, MessageFormat, PlainRequest, ResponseFlags};
use zorb_transport::{PeerShares, forward_stream, process_budget};

use super::*;
use crate::client::multiplexed::tests::{Recorder, request};

const HOUR: Duration = Duration::from_secs(3600);
/// More than a wait may exceed its limit by, and a tick of the coarse clock.
const A_WHILE: Duration = Duration::from_millis(20);

/// A stream to a server that does not read for a while, and sends nothing.
#[derive(Debug, Default)]
struct Full {
    inner: Recorder,
    /// The octets that it takes at once of each message.
    room: Mutex<usize>,
    /// The timeouts of receiving that were set.
    recv_timeouts: Mutex<Vec<Option<Duration>>>,
}

impl Stream for Full {
    forward_stream!(inner: recv, set_send_timeout, is_readable, shutdown, peer, local);

    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        let begun = LastReceived::now();
        while !begun.is_older_than(A_WHILE) {}
        Ok(())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send_all(&[])
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len().min(*self.room.lock().unwrap()))
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.recv_timeouts.lock().unwrap().push(timeout);
        Ok(())
    }
}

fn connection(stream: &Arc<Full>) -> ExclusiveConnection {
    connection_over(Arc::<Full>::clone(stream), HOUR)
}

fn connection_over(stream: Arc<dyn Stream>, longest: Duration) -> ExclusiveConnection {
    let mut receiving = Receiving::new(&Options::default(), &PeerShares::new(process_budget(), 0));
    receiving.longest_wait = Some(longest);
    ExclusiveConnection::new(NewConnection {
        stream,
        session: ClientSession::with_messaging(None, false),
        messaging: None,
        receiving: &receiving,
        copy_threshold: usize::MAX,
        counted: Counts { of_clients: ConnectionCount::of_clients().enter(), of_upcalls: None },
    })
}

/// Makes a call with an argument of this size in octets, which is sent without a copy if it reaches `threshold`. Returns the
/// timeout of waiting for the reply, if that has changed.
fn call(
    connection: &mut ExclusiveConnection,
    stream: &Full,
    octets: usize,
    threshold: usize,
) -> Option<Duration> {
    // So that a wait that began with the call would be over.
    connection.begun = LastReceived::long_ago();
    let begun = connection.begin(&NewRequest { deadline: None, ..request(None) }, None).unwrap();
    let octets = vec![7; octets];
    let arguments = |writer: &mut CdrWriter<'_>| Octets::write(&octets, writer);
    let mut gather = Gather::runs_from(threshold);
    let response = ResponseFlags::SyncWithTarget;
    let start = PlainRequest {
        request_id: begun.request_id,
        response,
        key: &Arc::new(b"key".to_vec()),
        operation: "op",
    };
    let form = MessageFormat::Giop(GiopVersion::V1_2);
    let message = connection.outgoing.request(form, ByteOrder::NATIVE, start).unwrap();
    gather.write_body(message, TextCoding::default(), &arguments).unwrap();
    let rest = gather.tail().map(|tail| (tail, &arguments as WriteBody<'_>));
    connection.send(&begun, &TimeLimit::NONE, rest).unwrap();
    assert!(matches!(connection.receive(&TimeLimit::NONE), Err(NoReply::Lost(None))));
    stream.recv_timeouts.lock().unwrap().pop().flatten()
}

#[test]
fn a_request_that_waits_for_the_server_leaves_less_time_to_its_reply() {
    for (octets, threshold) in [(64, usize::MAX), (1 << 20, usize::MAX), (1 << 20, 1)] {
        let stream = Arc::new(Full { room: Mutex::new(32), ..Full::default() });
        let timeout = call(&mut connection(&stream), &stream, octets, threshold);
        assert!(timeout.is_some_and(|it| it > HOUR / 2 && it <= HOUR - A_WHILE), "{timeout:?}");
    }
}

#[test]
fn a_request_that_the_stream_takes_at_once_leaves_all_the_time_to_its_reply() {
    let stream = Arc::new(Full { room: Mutex::new(usize::MAX), ..Full::default() });
    let mut connection = connection(&stream);
    assert_eq!(call(&mut connection, &stream, 1 << 20, usize::MAX), Some(HOUR));
    assert_eq!(call(&mut connection, &stream, 1 << 20, 1), None, "the same");
    *stream.room.lock().unwrap() = 0;
    assert!(call(&mut connection, &stream, 64, usize::MAX).is_some_and(|it| it < HOUR));
    // What the request before had to wait for does not matter.
    *stream.room.lock().unwrap() = usize::MAX;
    assert_eq!(call(&mut connection, &stream, 64, usize::MAX), Some(HOUR));
}
