//! A server that drives its machine by itself, and serves requests in any order.

use std::time::Duration;

use zorb_cdr::{ByteOrder, CdrReader, TextCoding};
use zorb_giop::{
    Activity, CancelledRequests, ClientMessage, ConnectionEnd, ConnectionTimer, Exceeded,
    Incomplete, LocateStatus, MessageFormat, MessageHeader, ProtocolError, ProtocolErrorKind,
    ReplyStatus, RequestHeader, ServedRequest, ServerReceiver, ServerRequests, TargetAddress,
    TimeLimits,
};

use super::calls::Calls;
use super::metered::MeteredInbound;
use super::network::{Arrived, Pipe};
use super::outbox::Outbox;
use super::random::Random;

/// Requests that may be served at the same time: fewer than the client may have outstanding.
const MAX_SERVED: u32 = 8;

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) requests: ServerRequests,
    receiver: ServerReceiver,
    cancelled: CancelledRequests,
    pub(crate) inbound: MeteredInbound,
    outbox: Outbox<Answered>,
    upcalls: Vec<Upcall>,
    /// Requests that are put aside.
    held: Vec<Upcall>,
    limits: TimeLimits,
    timer: ConnectionTimer,
    /// Whole messages received.
    messages: u32,
    /// When octets were read last.
    last_read: Duration,
    /// The time limit that ended the connection.
    pub(crate) exceeded: Option<Exceeded>,
    /// Whether there was no memory for what the client sent.
    pub(crate) lacked_memory: bool,
    /// How reading ended.
    pub(crate) ended: Option<ConnectionEnd>,
    /// Whether the machine has said that the connection is over.
    is_over: bool,
    /// Whether a broken request was found after it had begun.
    has_refused: bool,
    /// Whether a LocateReply is being sent.
    is_locating: bool,
    /// How many messages the machine has written by itself.
    transmitted: usize,
    pub(crate) gone: bool,
    /// Ids of requests that were served, for replies that should not be.
    served: Vec<u32>,
}

/// What a message to the client answers.
#[derive(Debug)]
enum Answered {
    /// A Request, which is finished when all of its reply is sent.
    Request,
    /// A LocateRequest; nothing is read until all of its reply is sent.
    LocateRequest,
}

#[derive(Debug)]
struct Upcall {
    request: ServedRequest,
    expects_reply: bool,
    version: zorb_giop::GiopVersion,
    call: usize,
    text: Option<TextCoding>,
    /// When it returns, or is resumed.
    ends_at: u64,
}

/// The time, and whether octets are damaged on their way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances {
    pub(crate) now: u64,
    pub(crate) damaged: bool,
}

/// The number of the call that a request is for.
fn call_of(target: &TargetAddress<'_>) -> usize {
    let key = target.object_key().ok().and_then(|key| key.first_chunk::<8>().copied());
    key.map_or(usize::MAX, |key| u64::from_le_bytes(key) as usize)
}

impl Server {
    pub(crate) fn new(inbound: MeteredInbound, limits: TimeLimits) -> Self {
        Self {
            requests: ServerRequests::new(),
            receiver: ServerReceiver::new(None),
            cancelled: CancelledRequests::new(),
            inbound,
            outbox: Outbox::default(),
            upcalls: Vec::new(),
            held: Vec::new(),
            limits,
            timer: ConnectionTimer::new(Duration::ZERO),
            messages: 0,
            last_read: Duration::ZERO,
            exceeded: None,
            lacked_memory: false,
            ended: None,
            is_over: false,
            has_refused: false,
            is_locating: false,
            transmitted: 0,
            gone: false,
            served: Vec::new(),
        }
    }

    pub(crate) fn receive(
        &mut self,
        calls: &mut Calls,
        pipe: &mut Pipe,
        at: Circumstances,
        random: &mut Random,
    ) {
        while self.reads() {
            match self.inbound.poll() {
                Ok(Some(header)) => {
                    self.messages += 1;
                    if let Err(end) = self.asked(calls, &header, at, random) {
                        self.end(end);
                    }
                    self.inbound.release();
                }
                Ok(None) => break,
                Err(error) => {
                    self.lacked_memory = matches!(error.kind, ProtocolErrorKind::OutOfMemory(_));
                    self.end(error.into());
                }
            }
        }
        if self.reads() {
            match pipe.receive(self.inbound.space(), at.now, random) {
                Arrived::Nothing => {}
                Arrived::End => self.end(ConnectionEnd::Lost),
                Arrived::Octets(count) => {
                    self.inbound.advance(count);
                    self.last_read = Duration::from_micros(at.now);
                }
            }
        }
    }

    /// Whether to read on. While there is no room, what has come waits in the stream.
    fn reads(&mut self) -> bool {
        if self.is_locating {
            return false;
        }
        if self.ended.is_none() && self.requests.is_closing() {
            self.end(ConnectionEnd::ClosedLocally);
        }
        self.ended.is_none() && self.requests.outstanding() < MAX_SERVED
    }

    /// Checks the time limits. A client whose octets the server has not read yet is not slow.
    pub(crate) fn check_time(&mut self, pipe: &Pipe, now: u64) {
        let has_input = pipe.next_arrival().is_some_and(|arrival| arrival <= now);
        if has_input || !self.reads() {
            return;
        }
        let now = Duration::from_micros(now);
        let incomplete = Incomplete::of(&self.inbound, self.messages);
        let (messages, is_busy) = (self.messages, self.requests.is_busy());
        let activity = Activity { incomplete, messages, is_busy };
        let before = self.timer.poll_timeout(&self.limits);
        self.exceeded = self.timer.check(activity, now, &self.limits);
        if let Some(exceeded) = self.exceeded {
            assert!(before.is_some_and(|timeout| timeout <= now), "a limit is exceeded early");
            match exceeded {
                Exceeded::Message => assert_ne!(incomplete, Incomplete::NONE),
                Exceeded::Idle => {
                    assert!(self.is_waiting() && self.inbound.is_idle(), "it is not idle");
                    let limit = self.limits.idle.expect("there is one");
                    assert!(now >= self.last_read + limit, "it was used a moment ago");
                }
            }
            self.end(match exceeded {
                Exceeded::Message => ConnectionEnd::Lost,
                Exceeded::Idle => ConnectionEnd::of_idle(&self.inbound),
            });
        }
    }

    /// Whether it has nothing to do until the next message arrives.
    fn is_waiting(&self) -> bool {
        self.upcalls.is_empty() && self.held.is_empty()
    }

    /// Reads no more.
    fn end(&mut self, end: ConnectionEnd) {
        assert_eq!(self.ended, None, "it has ended before");
        self.ended = Some(end);
        let is_over = self.requests.end(end);
        self.over_if(is_over);
    }

    fn over_if(&mut self, is_over: bool) {
        assert!(!(is_over && self.is_over), "it is over a second time");
        self.is_over |= is_over;
        assert_eq!(self.is_over, self.requests.is_over());
    }

    fn finish(&mut self) {
        let is_over = self.requests.finish();
        self.over_if(is_over);
    }

    fn asked(
        &mut self,
        calls: &mut Calls,
        header: &MessageHeader,
        at: Circumstances,
        random: &mut Random,
    ) -> Result<(), ConnectionEnd> {
        let form = MessageFormat::Giop(header.version);
        let message = self.inbound.current().to_vec();
        match self.receiver.receive(&self.inbound, header) {
            ClientMessage::Request => {
                if let Some(upcall) = self.begin(&message, header, random)? {
                    self.serve(calls, upcall, at, random);
                }
            }
            ClientMessage::LocateRequest => {
                let located = form.read_locate_request(&message, header)?;
                calls.served(call_of(&located.target), None, at.damaged);
                let (mut octets, order) = (Vec::new(), order(random));
                let (id, here) = (located.request_id, LocateStatus::ObjectHere);
                let reply = form.locate_reply(&mut octets, order, id, here);
                reply.and_then(|message| message.finish()).expect("it is small");
                self.outbox.put(Answered::LocateRequest, &octets, random);
                self.is_locating = true;
            }
            ClientMessage::Cancel(cancellation) => self.cancelled.cancel(cancellation),
            ClientMessage::End(end) => return Err(end),
        }
        Ok(())
    }

    /// Begins a request; `None` if its header, which is read later, is broken.
    fn begin(
        &mut self,
        message: &[u8],
        header: &MessageHeader,
        random: &mut Random,
    ) -> Result<Option<Upcall>, ProtocolError> {
        let mut request = RequestHeader::EMPTY;
        let mut reader = CdrReader::new(message, header.order);
        let form = MessageFormat::Giop(header.version);
        let unread = match random.once_in(2) {
            true => self.receiver.begin_unread(&self.requests, message, header),
            false => None,
        };
        let read = form.read_request_with(&mut request, &mut reader, header);
        let (begun, text) = match unread {
            None => {
                read?;
                let (begun, text) = self.receiver.begin_request(&self.requests, &request, form);
                (begun, text.ok())
            }
            Some(unread) => {
                if let Err(error) = read {
                    self.requests.refuse(error);
                    self.has_refused = true;
                    self.finish();
                    return Ok(None);
                }
                assert_eq!(unread.response, request.response);
                (unread.request, Some(unread.text))
            }
        };
        assert_eq!(begun.request_id, request.request_id);
        Ok(Some(Upcall {
            request: begun,
            expects_reply: request.response.expects_reply(),
            version: header.version,
            call: call_of(&request.target),
            text,
            ends_at: 0,
        }))
    }

    /// Begins an upcall, or puts the request aside.
    fn serve(&mut self, calls: &mut Calls, upcall: Upcall, at: Circumstances, random: &mut Random) {
        let ends_at = at.now + random.below(10_000) as u64;
        let upcall = Upcall { ends_at, ..upcall };
        if random.once_in(8) {
            self.requests.hold();
            self.finish();
            assert!(self.requests.is_busy());
            self.held.push(upcall);
        } else {
            calls.served(upcall.call, upcall.text, at.damaged);
            self.served.push(upcall.request.request_id);
            self.upcalls.push(upcall);
        }
    }

    /// Goes on with a request that was put aside, unless the connection is over.
    fn resume(&mut self, calls: &mut Calls, at: Circumstances, random: &mut Random) {
        let has_room = self.is_over || self.requests.outstanding() < MAX_SERVED;
        let due = self.held.iter().position(|upcall| upcall.ends_at <= at.now);
        if let Some(index) = due.filter(|_| has_room) {
            let upcall = self.held.swap_remove(index);
            self.requests.end_hold();
            assert_eq!(self.requests.resume(), !self.is_over);
            if !self.is_over {
                self.serve(calls, upcall, at, random);
            }
        }
    }

    /// Ends an upcall that is due, and sends a piece of the output.
    pub(crate) fn work(
        &mut self,
        calls: &mut Calls,
        pipe: &mut Pipe,
        at: Circumstances,
        random: &mut Random,
    ) {
        self.resume(calls, at, random);
        let returned = self.upcalls.iter().position(|upcall| upcall.ends_at <= at.now);
        if let Some(index) = returned {
            let upcall = self.upcalls.swap_remove(index);
            let is_awaited = upcall.expects_reply && !self.cancelled.contains(upcall.request);
            match is_awaited && !self.gone {
                true => self.outbox.put(Answered::Request, &upcall.reply(random), random),
                false => self.finish(),
            }
        }
        if let Some(answered) = self.outbox.send_piece(pipe, at.now, random) {
            self.sent(&answered);
        }
        let mut buffer = Vec::new();
        while self.requests.poll_transmit(None, &mut buffer) {
            pipe.send(&buffer, at.now, random);
            self.transmitted += 1;
        }
        assert!(self.transmitted <= 1, "one message ends a connection");
        assert!(self.requests.outstanding() <= MAX_SERVED);
        let most = 2 * self.inbound.limits().max_message_size;
        assert!(self.inbound.capacity() <= most, "{}", self.inbound.capacity());
        let is_refused = matches!(self.ended, Some(ConnectionEnd::ProtocolError(_)));
        if (self.is_over || is_refused || self.has_refused) && !self.gone {
            self.gone = true;
            while let Some(answered) = self.outbox.take() {
                self.sent(&answered);
            }
            pipe.end();
        }
    }

    fn sent(&mut self, answered: &Answered) {
        match answered {
            Answered::Request => self.finish(),
            Answered::LocateRequest => self.is_locating = false,
        }
    }

    /// The thread that reads fails, and with it the connection.
    pub(crate) fn fail(&mut self) {
        let is_over = self.requests.abandon();
        self.over_if(is_over);
        self.ended.get_or_insert(ConnectionEnd::Lost);
    }

    /// Sends a message that no server should.
    pub(crate) fn misbehave(&mut self, pipe: &mut Pipe, now: u64, random: &mut Random) {
        if !self.outbox.is_empty() || self.gone {
            return;
        }
        let mut octets = Vec::new();
        let form = MessageFormat::Giop(random.pick(&super::client::VERSIONS));
        let id = match self.served.is_empty() || random.once_in(4) {
            true => random.next() as u32,
            false => self.served[random.below(self.served.len())],
        };
        let order = ByteOrder::NATIVE;
        let written = match random.below(3) {
            0 => form.reply(&mut octets, order, id, ReplyStatus::NoException, &[]),
            1 => form.locate_reply(&mut octets, order, id, LocateStatus::ObjectHere),
            _ => {
                form.cancel_request(&mut octets, order, id);
                return pipe.send(&octets, now, random);
            }
        };
        written.and_then(|message| message.finish()).expect("it is small");
        pipe.send(&octets, now, random);
    }

    /// When the next upcall returns, or a request is resumed.
    pub(crate) fn next_return(&self) -> Option<u64> {
        self.upcalls.iter().chain(&self.held).map(|upcall| upcall.ends_at).min()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.upcalls.is_empty() && self.held.is_empty() && self.requests.is_over()
    }

    /// Whether nothing of a message is left over.
    pub(crate) fn has_read_all(&mut self) -> bool {
        self.inbound.release();
        self.inbound.is_idle()
    }
}

impl Upcall {
    fn reply(&self, random: &mut Random) -> Vec<u8> {
        let mut octets = Vec::new();
        let (form, order) = (MessageFormat::Giop(self.version), order(random));
        let id = self.request.request_id;
        let message = form.reply(&mut octets, order, id, ReplyStatus::NoException, &[]);
        let mut message = message.expect("it is small");
        let mut body = message.body(TextCoding::default());
        body.put(&(self.call as u64).to_le_bytes());
        body.put(&vec![9; random.below(600)]);
        message.finish().expect("it is small");
        octets
    }
}

fn order(random: &mut Random) -> ByteOrder {
    random.pick(&[ByteOrder::Big, ByteOrder::Little])
}
