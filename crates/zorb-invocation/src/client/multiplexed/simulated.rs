//! Pending requests over a simulated network, in an order that follows from a seed: sending in its steps, replies in any
//! order and in any pieces, cancellation, deadlines, callers that wait, and ends of connections. Each request ends once,
//! with its own reply or the reason why it has none. One thread does all; nothing depends on time.
//!
//! `SIMULATION_STEPS=1000000` sets the number of steps.

use std::collections::{BTreeMap, VecDeque};
use std::io::IoSlice;
use std::net::Shutdown;
use std::sync::Mutex;

use zorb_base::connection_count::ConnectionCount;
use zorb_base::options::Options;
use zorb_base::threads::ThreadCount;
use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, Inbound, Limits, MessageFormat, MessageKind, MessageWriter, NewRequest,
    PlainRequest, ReplyStatus, RequestHeader, RequestKind, ResponseFlags,
};
use zorb_transport::{PeerShares, process_budget};

use super::*;
use crate::client::connection::{Connection, NoReply};
use crate::client::time_limit::TimeLimit;
use crate::client::wait_queue::WaitLimits;
use pending_request::Reader;

const VERSION: GiopVersion = GiopVersion::V1_2;
const ORDER: ByteOrder = ByteOrder::NATIVE;
/// The number of steps if nothing else is asked for.
const STEPS: u64 = 50_000;
/// The maximum number of pending requests.
const MOST: usize = 64;
/// The seed of the first run.
const SEED: u64 = 0x5eed;

/// Numbers that follow from a seed (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// The client's end of a simulated connection.
#[derive(Debug, Default)]
struct Simulated(Mutex<Network>);

#[derive(Debug, Default)]
struct Network {
    to_server: Vec<u8>,
    to_client: VecDeque<u8>,
    has_ended: bool,
}

impl Stream for Simulated {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut network = self.0.lock().unwrap();
        if network.to_client.is_empty() && !network.has_ended {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let count = buffer.len().min(network.to_client.len());
        for (to, from) in buffer.iter_mut().zip(network.to_client.drain(..count)) {
            *to = from;
        }
        Ok(count)
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        let mut network = self.0.lock().unwrap();
        if network.has_ended {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        network.to_server.extend_from_slice(bytes);
        Ok(())
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        parts.iter().try_for_each(|part| self.send_all(part))
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.send_all(bytes).map(|()| bytes.len())
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
        let network = self.0.lock().unwrap();
        network.has_ended || !network.to_client.is_empty()
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        self.0.lock().unwrap().has_ended = true;
        Ok(())
    }

    fn peer(&self) -> &'static str {
        "a simulated server"
    }

    fn local(&self) -> &'static str {
        ""
    }
}

/// A pending request, and how it has ended.
#[derive(Debug)]
struct Sent {
    value: i32,
    is_timed: bool,
    /// Whether it is being sent, and whether the reader has left it to who sends it.
    sending: Mutex<(bool, bool)>,
    /// The results; without a reply, whether the reason was its deadline.
    ends: Mutex<Vec<Result<i32, bool>>>,
}

impl PendingRequest for Sent {
    fn end(self: Arc<Self>, ended: Ended) -> Option<Arc<dyn PendingRequest>> {
        let result = match ended {
            Ended::Reply(reply) => {
                let body = &reply.received().message[reply.start.body_start..];
                Ok(i32::from_ne_bytes(body[..4].try_into().unwrap()))
            }
            Ended::NoReply { reason, .. } => Err(matches!(reason, NoReply::TimedOut)),
        };
        self.ends.lock().unwrap().push(result);
        None
    }

    fn call_back(&self) {}

    fn leave(&self) -> bool {
        let mut sending = self.sending.lock().unwrap();
        sending.1 |= sending.0;
        sending.0
    }
}

/// One connection with its server, and what the program has sent.
struct Run {
    chance: Chance,
    stream: Arc<Simulated>,
    connection: Arc<MultiplexedConnection>,
    server: Inbound,
    /// The requests that the server has, with their numbers.
    held: Vec<(u32, i32)>,
    /// Octets that are on their way to the client.
    on_the_way: Vec<u8>,
    /// Requests that have begun and are not sent yet, and those that are sent and not left to the reader.
    begun: Vec<(MultiplexedCall, zorb_giop::BegunRequest, Arc<Sent>, bool)>,
    sent: BTreeMap<u32, Arc<Sent>>,
    /// Those that have ended or were cancelled.
    over: Vec<(Arc<Sent>, bool)>,
    numbers: i32,
}

/// How often each outcome was seen.
#[derive(Debug, Default)]
struct Tally {
    replies: u64,
    timed_out: u64,
    lost: u64,
    cancelled: u64,
    waited: u64,
    connections: u64,
}

impl Run {
    fn new(seed: u64) -> Self {
        let stream = Arc::<Simulated>::default();
        let options = Options::default();
        let connection = MultiplexedConnection::new(NewMultiplexedConnection {
            stream: Arc::<Simulated>::clone(&stream),
            messaging: None,
            receiving: &Receiving::new(&options, &PeerShares::new(process_budget(), 0)),
            copy_threshold: usize::MAX,
            max_calls: usize::MAX,
            beyond_limit: false,
            is_for_pending: false,
            watched: None,
            counted: Counts { of_clients: ConnectionCount::of_clients().enter(), of_upcalls: None },
        });
        // The test is the reader.
        connection.state().pending.reader = Reader::Runs;
        Self {
            chance: Chance(seed | 1),
            stream,
            connection: Arc::new(connection),
            server: Inbound::new(Limits::default()),
            held: Vec::new(),
            on_the_way: Vec::new(),
            begun: Vec::new(),
            sent: BTreeMap::new(),
            over: Vec::new(),
            numbers: 0,
        }
    }

    /// Begins a request; `None` if the connection takes none.
    fn begin(
        &mut self,
        pending: Option<Arc<Sent>>,
        value: i32,
    ) -> Option<(MultiplexedCall, zorb_giop::BegunRequest)> {
        let is_timed = pending.as_ref().is_some_and(|sent| sent.is_timed);
        let request = NewRequest {
            kind: RequestKind::Twoway,
            form: MessageFormat::Giop(VERSION),
            key: b"key",
            operation: "twice",
            code_sets: None,
            announced: 0,
            // Its time is over when the reader looks next.
            deadline: is_timed.then_some(Duration::ZERO),
        };
        let (mut call, begun) = match &pending {
            Some(sent) if self.chance.below(2) == 0 => {
                Arc::clone(&self.connection).begin_pending(MOST, &request, sent)?
            }
            _ => self.join(pending, &request)?,
        };
        let key = Arc::new(b"key".to_vec());
        let plain = PlainRequest {
            request_id: begun.request_id,
            response: ResponseFlags::SyncWithTarget,
            key: &key,
            operation: "twice",
        };
        let outgoing = call.outgoing().unwrap();
        let mut message = outgoing.request(MessageFormat::Giop(VERSION), ORDER, plain).unwrap();
        message.body(begun.text).write_i32(value);
        message.finish().unwrap();
        Some((call, begun))
    }

    /// Begins a request in two steps.
    fn join(
        &self,
        pending: Option<Arc<Sent>>,
        request: &NewRequest<'_>,
    ) -> Option<(MultiplexedCall, zorb_giop::BegunRequest)> {
        let limits = WaitLimits { deadline: None, max_waiting: 0, max_wait: None };
        let most = pending.is_some().then_some(MOST);
        let joining = Joining { in_upcall: false, limits, pending: most };
        let mut call = self.connection.join(&joining).ok()?;
        if let Some(sent) = pending {
            call.reply_to(sent, &ThreadCount::new(0), Duration::MAX).unwrap();
        }
        let begun = call.begin(request, None).ok()?;
        Some((call, begun))
    }

    /// Begins a pending request, and sends it now or later.
    fn send(&mut self) {
        self.numbers += 1;
        let is_timed = self.chance.below(6) == 0;
        let sending = Mutex::new((true, false));
        let sent = Sent { value: self.numbers, is_timed, sending, ends: Mutex::default() };
        let sent = Arc::new(sent);
        let Some((call, begun)) = self.begin(Some(Arc::clone(&sent)), sent.value) else {
            // It was not sent, and ends nowhere else.
            assert!(sent.ends.lock().unwrap().is_empty());
            return;
        };
        self.begun.push((call, begun, sent, false));
        if self.chance.below(3) > 0 {
            let last = self.begun.len() - 1;
            self.go_on(last);
            if self.begun.len() > last {
                self.go_on(last);
            }
        }
    }

    /// Does the next step of sending a request: sending its octets, or leaving it to the reader.
    fn go_on(&mut self, at: usize) {
        let Some((call, begun, _, is_sent)) = self.begun.get_mut(at) else { return };
        if !*is_sent {
            *is_sent = true;
            if call.send(begun, &TimeLimit::NONE, None).is_ok() {
                return;
            }
            let (mut call, _, sent, _) = self.begun.swap_remove(at);
            // It ends here, or the reader ends it.
            match call.take_back() {
                true => assert!(sent.ends.lock().unwrap().is_empty()),
                false => self.over.push((sent, false)),
            }
            return;
        }
        let (mut call, begun, sent, _) = self.begun.swap_remove(at);
        let is_left = std::mem::take(&mut *sent.sending.lock().unwrap()).1;
        if is_left {
            self.connection.end_left();
        }
        call.detach();
        self.sent.insert(begun.request_id, sent);
    }

    /// Moves what has ended.
    fn settle(&mut self) {
        let ended: Vec<u32> = self
            .sent
            .iter()
            .filter(|(_, sent)| !sent.ends.lock().unwrap().is_empty())
            .map(|(id, _)| *id)
            .collect();
        for id in ended {
            let sent = self.sent.remove(&id).unwrap();
            self.over.push((sent, false));
        }
    }

    fn cancel(&mut self) {
        let at = self.chance.below(self.sent.len());
        let Some(id) = self.sent.keys().nth(at).copied() else { return };
        let sent = self.sent.remove(&id).unwrap();
        self.connection.cancel_pending(id, Arc::as_ptr(&sent).cast());
        self.over.push((sent, true));
    }

    /// The server receives what there is.
    fn serve(&mut self) {
        let octets = std::mem::take(&mut self.stream.0.lock().unwrap().to_server);
        for piece in octets.chunks(512) {
            self.server.space()[..piece.len()].copy_from_slice(piece);
            self.server.advance(piece.len());
            while let Some(header) = self.server.poll().unwrap() {
                if header.kind == MessageKind::Request {
                    let message = self.server.current();
                    let (request, mut body) = RequestHeader::read(message, &header).unwrap();
                    self.held.push((request.request_id, body.read_i32().unwrap()));
                }
            }
        }
    }

    /// The server answers one of its requests.
    fn answer(&mut self, at: usize) {
        if self.held.is_empty() {
            return;
        }
        let (id, value) = self.held.swap_remove(at);
        let (mut octets, status) = (Vec::new(), ReplyStatus::NoException);
        let mut message =
            MessageWriter::reply(&mut octets, VERSION, ORDER, id, status, &[]).unwrap();
        message.body(zorb_cdr::TextCoding::default()).write_i32(value * 2);
        message.finish().unwrap();
        self.on_the_way.extend(octets);
    }

    /// Some of the octets arrive.
    fn deliver(&mut self, most: usize) {
        let count = most.min(self.on_the_way.len());
        self.stream.0.lock().unwrap().to_client.extend(self.on_the_way.drain(..count));
    }

    /// One step of the reader.
    fn read(&mut self) {
        let connection = Arc::clone(&self.connection);
        let state = connection.state();
        let is_late = state.pending.earliest.is_some_and(|at| at <= connection.opened.elapsed());
        if state.machine.ended().is_some() || is_late {
            drop(state);
            connection.fail_pending();
        } else {
            let mut ending = None;
            let mut state = connection.receive_pending(state, Some(Duration::ZERO), &mut ending);
            state.pending.reader = Reader::Runs;
            drop(state);
            connection.end_received(&mut ending);
        }
        self.settle();
    }

    /// A caller waits for a pending request, and receives for all until that has ended, or nothing arrives.
    fn wait_for_pending(&mut self) {
        let at = self.chance.below(self.sent.len());
        let Some((id, sent)) = self.sent.iter().nth(at) else { return };
        let itself = Arc::as_ptr(sent).cast();
        let has_received = self.connection.receive_for_pending(*id, itself, TimeLimit::NONE);
        assert!(!has_received || !sent.ends.lock().unwrap().is_empty());
        self.settle();
    }

    /// A caller waits for its reply, and receives for the others. Replies may precede its own, and follow it.
    fn wait(&mut self, tally: &mut Tally) {
        self.numbers += 1;
        let value = self.numbers;
        let Some((mut call, begun)) = self.begin(None, value) else { return };
        if call.send(&begun, &TimeLimit::NONE, None).is_err() {
            return;
        }
        self.serve();
        while self.chance.below(3) == 0 {
            let at = self.chance.below(self.held.len());
            self.answer(at);
        }
        if let Some(at) = self.held.iter().position(|(id, _)| *id == begun.request_id) {
            self.answer(at);
        }
        self.deliver(usize::MAX);
        if let Ok(reply) = call.receive(&TimeLimit::NONE) {
            let body = &reply.message[reply.start.body_start..];
            assert_eq!(i32::from_ne_bytes(body[..4].try_into().unwrap()), value * 2);
            tally.waited += 1;
        }
        drop(call);
        self.settle();
    }

    /// The connection ends in one of several ways.
    fn close(&mut self) {
        match self.chance.below(4) {
            0 => {
                let mut octets = Vec::new();
                MessageWriter::close_connection(&mut octets, VERSION, ORDER);
                self.on_the_way.extend(octets);
                self.deliver(usize::MAX);
            }
            1 => self.stream.0.lock().unwrap().has_ended = true,
            2 => {
                self.on_the_way.extend(b"HTTP/1.1 400 Bad Request");
                self.deliver(usize::MAX);
            }
            _ => {
                let connection = Arc::clone(&self.connection);
                connection.end(&mut connection.state(), NoReply::Lost(None));
            }
        }
    }

    fn step(&mut self, tally: &mut Tally) {
        match self.chance.below(1_000) {
            0..300 => self.send(),
            300..400 => {
                let at = self.chance.below(self.begun.len());
                self.go_on(at);
            }
            400..600 => {
                self.serve();
                let at = self.chance.below(self.held.len());
                self.answer(at);
            }
            600..750 => {
                let most = self.chance.below(100);
                self.deliver(most);
            }
            750..900 => self.read(),
            900..950 => self.cancel(),
            950..975 => self.wait(tally),
            975..995 => self.wait_for_pending(),
            _ => self.close(),
        }
    }

    /// Ends everything; then each request has ended once, with its own reply or a reason.
    fn finish(mut self, tally: &mut Tally) {
        while !self.begun.is_empty() {
            self.go_on(0);
        }
        let connection = Arc::clone(&self.connection);
        connection.end(&mut connection.state(), NoReply::Lost(None));
        self.read();
        assert!(self.sent.is_empty(), "{:?}", self.sent);
        {
            let state = connection.state();
            assert_eq!((state.users, state.pending.count, state.machine.outstanding()), (0, 0, 0));
        }
        for (sent, is_cancelled) in &self.over {
            let ends = sent.ends.lock().unwrap();
            match ends[..] {
                [] if *is_cancelled => tally.cancelled += 1,
                [Ok(value)] => {
                    assert_eq!(value, sent.value * 2);
                    tally.replies += 1;
                }
                [Err(true)] => {
                    assert!(sent.is_timed);
                    tally.timed_out += 1;
                }
                [Err(false)] => tally.lost += 1,
                _ => panic!("{sent:?} has ended {} times", ends.len()),
            }
        }
        tally.connections += 1;
    }
}

#[test]
fn each_request_ends_once_with_its_reply_or_a_reason() {
    let steps = std::env::var("SIMULATION_STEPS").ok().and_then(|steps| steps.parse().ok());
    let mut tally = Tally::default();
    let (mut left, mut seed) = (steps.unwrap_or(STEPS), SEED);
    while left > 0 {
        seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let mut run = Run::new(seed);
        while left > 0 && !run.connection.has_ended() {
            left -= 1;
            run.step(&mut tally);
        }
        run.finish(&mut tally);
    }
    // Otherwise it would show nothing.
    let Tally { replies, timed_out, lost, cancelled, waited, connections } = tally;
    assert!(
        [replies, timed_out, lost, cancelled, waited, connections].iter().all(|&it| it > 20),
        "{tally:?}"
    );
}
