//! A server that drives its machines by itself, and serves requests in any order.

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    Asked, ConnectionEnd, Form, Inbound, LocateStatus, MessageHeader, NotServed, ReplyStatus,
    ServedRequest, ServerConnection, ServerRequests,
};

use super::calls::Calls;
use super::client::{MAX_MESSAGE, limits};
use super::network::{Arrived, Pipe};
use super::outbox::Outbox;
use super::random::Random;

/// Requests that may be served at the same time: fewer than the client may have outstanding.
const MAX_SERVED: usize = 8;

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) machine: ServerRequests,
    session: ServerConnection,
    inbound: Inbound,
    outbox: Outbox<()>,
    upcalls: Vec<Upcall>,
    pub(crate) gone: bool,
    /// Ids of requests that were served, for replies that should not be.
    served: Vec<u32>,
}

#[derive(Debug)]
struct Upcall {
    request: ServedRequest,
    header: MessageHeader,
    call: usize,
    returns_at: u64,
}

impl Server {
    pub(crate) fn new() -> Self {
        Self {
            machine: ServerRequests::new(None).with_max_outstanding(MAX_SERVED),
            session: ServerConnection::new(),
            inbound: Inbound::new(limits()),
            outbox: Outbox::default(),
            upcalls: Vec::new(),
            gone: false,
            served: Vec::new(),
        }
    }

    pub(crate) fn receive(
        &mut self,
        calls: &mut Calls,
        pipe: &mut Pipe,
        (now, damaged): (u64, bool),
        random: &mut Random,
    ) {
        // While there is no room, what has come waits in the stream.
        while self.machine.ended().is_none() && self.reads() {
            match self.inbound.poll() {
                Ok(Some(header)) => self.asked(calls, &header, (now, damaged), random),
                Ok(None) => break,
                Err(error) => self.machine.end(ConnectionEnd::ProtocolError(error)),
            }
        }
        if self.machine.ended().is_none() && self.reads() {
            match pipe.receive(self.inbound.space(), now, random) {
                Arrived::Nothing => {}
                Arrived::End => self.machine.end(ConnectionEnd::Lost),
                Arrived::Octets(count) => self.inbound.advance(count),
            }
        }
    }

    fn reads(&self) -> bool {
        self.machine.has_room() || self.machine.is_closing()
    }

    fn asked(
        &mut self,
        calls: &mut Calls,
        header: &MessageHeader,
        (now, damaged): (u64, bool),
        random: &mut Random,
    ) {
        let message = self.inbound.current().to_vec();
        let form = Form::Giop(header.version);
        let read = match self.machine.receive(header, &message) {
            Asked::Nothing | Asked::End => return,
            Asked::Request => form.read_request(&message, header).map(|(request, _)| {
                let text = self.session.begin_request(header.version, &request.service_contexts);
                (request.request_id, request.response.expects_reply(), request.target, text.ok())
            }),
            Asked::LocateRequest => form
                .read_locate_request(&message, header)
                .map(|request| (request.request_id, true, request.target, None)),
        };
        let (id, expects_reply, target, text) = match read {
            Ok(read) => read,
            Err(error) => return self.machine.end(ConnectionEnd::ProtocolError(error)),
        };
        let request = match self.machine.begin(id, header.version, expects_reply) {
            Ok(request) => request,
            Err(NotServed::Closing) => return,
            Err(NotServed::TooManyRequests { .. }) => panic!("there was room"),
            Err(NotServed::ProtocolError(error)) => {
                assert!(damaged, "{error}");
                return;
            }
        };
        let key = target.object_key().ok().and_then(|key| key.first_chunk::<8>().copied());
        let call = key.map_or(usize::MAX, |key| u64::from_le_bytes(key) as usize);
        calls.served(call, text, damaged);
        self.served.push(id);
        let returns_at = now + random.below(10_000) as u64;
        self.upcalls.push(Upcall { request, header: *header, call, returns_at });
    }

    /// Has an upcall return whose time has come, and sends a piece of what is to be sent.
    pub(crate) fn work(&mut self, pipe: &mut Pipe, now: u64, random: &mut Random) {
        let returned = self.upcalls.iter().position(|upcall| upcall.returns_at <= now);
        if let Some(index) = returned {
            let upcall = self.upcalls.swap_remove(index);
            if self.machine.finish(upcall.request) {
                let reply = upcall.reply(random);
                self.outbox.put((), &reply, random);
            }
        }
        let _ = self.outbox.send_piece(pipe, now, random);
        let mut buffer = Vec::new();
        // The CloseConnection comes behind the replies.
        while (self.outbox.is_empty() || self.machine.ended().is_some())
            && self.machine.poll_transmit(&mut buffer)
        {
            pipe.send(&buffer, now, random);
        }
        assert!(self.machine.outstanding() <= MAX_SERVED);
        assert!(self.inbound.capacity() <= 2 * MAX_MESSAGE, "{}", self.inbound.capacity());
        if self.machine.ended().is_some() && !self.gone {
            self.gone = true;
            self.outbox.clear();
            pipe.end();
        }
    }

    /// Sends a message that no server should.
    pub(crate) fn misbehave(&mut self, pipe: &mut Pipe, now: u64, random: &mut Random) {
        if !self.outbox.is_empty() || self.gone {
            return;
        }
        let mut octets = Vec::new();
        let form = Form::Giop(random.pick(&super::client::VERSIONS));
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

    /// When the next upcall returns.
    pub(crate) fn next_return(&self) -> Option<u64> {
        self.upcalls.iter().map(|upcall| upcall.returns_at).min()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.upcalls.is_empty() && self.machine.outstanding() == 0
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
        let (form, order) =
            (Form::Giop(self.header.version), random.pick(&[ByteOrder::Big, ByteOrder::Little]));
        let id = self.request.request_id;
        if self.header.kind == zorb_giop::MessageKind::LocateRequest {
            let message = form.locate_reply(&mut octets, order, id, LocateStatus::ObjectHere);
            message.and_then(|message| message.finish()).expect("it is small");
            return octets;
        }
        let message = form.reply(&mut octets, order, id, ReplyStatus::NoException, &[]);
        let mut message = message.expect("it is small");
        let mut body = message.body(TextCoding::default());
        body.put(&(self.call as u64).to_le_bytes());
        body.put(&vec![9; random.below(600)]);
        message.finish().expect("it is small");
        octets
    }
}
