//! A client that drives the machine by itself: one thread, any number of calls.

use std::time::Duration;

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    BegunRequest, ClientConnection, ClientSession, CodeSetComponentInfo, ConnectionEnd,
    GiopVersion, Inbound, Limits, MessageFormat, NewRequest, Received, RequestKind,
    RequestProgress, RequestStart, ResponseFlags, ServiceContext, ServiceId, TargetAddress,
};

use super::calls::{Calls, Outcome};
use super::network::{Arrived, Pipe};
use super::outbox::Outbox;
use super::random::Random;

/// Requests that may be outstanding.
pub(crate) const MAX_OUTSTANDING: usize = 12;
/// The longest message.
pub(crate) const MAX_MESSAGE: usize = 4096;

pub(crate) const VERSIONS: [GiopVersion; 3] =
    [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2];

pub(crate) fn limits() -> Limits {
    Limits::DEFAULT
        .max_message_size(MAX_MESSAGE)
        .max_fragments(256)
        .max_partial_messages(2 * MAX_OUTSTANDING)
        .max_partial_octets(2 * MAX_OUTSTANDING * MAX_MESSAGE)
        .initial_capacity(256)
        .retained_capacity(1024)
}

#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) machine: ClientConnection<usize>,
    inbound: Inbound,
    outbox: Outbox<(usize, BegunRequest, RequestKind)>,
    /// Outstanding ids and their calls, for cancelling.
    waiting: Vec<(u32, usize)>,
    code_sets: CodeSetComponentInfo,
    /// Whether the references name code sets.
    negotiates: bool,
    /// Whether the stream has been ended.
    pub(crate) gone: bool,
    /// Whether replies may be made up.
    lied_to: bool,
}

impl Client {
    pub(crate) fn new(random: &mut Random) -> Self {
        let machine = ClientConnection::new(ClientSession::default(), None);
        Self {
            machine: machine.with_max_outstanding(MAX_OUTSTANDING),
            inbound: Inbound::new(limits()),
            outbox: Outbox::default(),
            waiting: Vec::new(),
            code_sets: CodeSetComponentInfo::zorb(),
            negotiates: random.once_in(2),
            gone: false,
            lied_to: false,
        }
    }

    /// Makes a call of any kind.
    pub(crate) fn call(&mut self, calls: &mut Calls, now: u64, random: &mut Random) {
        let number = calls.begin();
        let key = (number as u64).to_le_bytes();
        let version = random.pick(&VERSIONS);
        let kind = match random.below(8) {
            0 => RequestKind::Locate,
            1 | 2 => RequestKind::Oneway,
            _ => RequestKind::Twoway,
        };
        let times_out = kind != RequestKind::Oneway && random.once_in(3);
        let deadline = times_out.then(|| Duration::from_micros(now + random.below(20_000) as u64));
        let request = NewRequest {
            kind,
            form: MessageFormat::Giop(version),
            key: &key,
            operation: "operation",
            code_sets: self.negotiates.then_some([&self.code_sets, &self.code_sets]),
            announced: 0,
            deadline,
        };
        let first = self.machine.must_be_sent_first(&request).expect("the code sets are the same");
        if first && !self.outbox.is_empty() {
            return calls.end(number, Outcome::Refused);
        }
        let Ok(begun) = self.machine.begin(&request, first, number) else {
            return calls.end(number, Outcome::Refused);
        };
        calls.written_in(number, begun.text);
        self.outbox.put((number, begun, kind), &write(&request, &begun, random), random);
        if kind != RequestKind::Oneway {
            self.waiting.push((begun.request_id, number));
        }
    }

    /// Records that the server's octets may be damaged from now on.
    pub(crate) fn lied_to(&mut self, is_so: bool) {
        self.lied_to |= is_so;
    }

    /// Sends a piece of a request, or what the machine has to send.
    pub(crate) fn send(
        &mut self,
        calls: &mut Calls,
        pipe: &mut Pipe,
        now: u64,
        random: &mut Random,
    ) {
        self.transmit(pipe, now, random);
        if let Some((number, begun, kind)) = self.outbox.send_piece(pipe, now, random) {
            self.machine.sent(&begun);
            if kind == RequestKind::Oneway {
                calls.end(number, Outcome::Sent);
            }
        }
    }

    fn transmit(&mut self, pipe: &mut Pipe, now: u64, random: &mut Random) {
        let mut buffer = Vec::new();
        // One-way requests are not outstanding, and are sent before the stream ends.
        while (self.outbox.is_empty()
            || !self.machine.is_closing()
            || self.machine.ended().is_some())
            && self.machine.poll_transmit(&mut buffer)
        {
            pipe.send(&buffer, now, random);
        }
    }

    pub(crate) fn receive(
        &mut self,
        calls: &mut Calls,
        pipe: &mut Pipe,
        now: u64,
        random: &mut Random,
    ) {
        if self.machine.ended().is_some() {
            return;
        }
        match pipe.receive(self.inbound.space(), now, random) {
            Arrived::Nothing => return,
            Arrived::End => return self.machine.end(ConnectionEnd::Lost),
            Arrived::Octets(count) => self.inbound.advance(count),
        }
        loop {
            match self.inbound.poll() {
                Ok(None) => return,
                Ok(Some(header)) => match self.machine.receive(&self.inbound, &header) {
                    Received::Reply(start) => {
                        let body = self.inbound.current()[start.body_start..].to_vec();
                        self.answered(calls, start.request_id, &body);
                    }
                    Received::LocateReply(id) => self.answered(calls, id, &[]),
                    Received::Late => {}
                    Received::End => return,
                },
                Err(error) => return self.machine.end(ConnectionEnd::ProtocolError(error)),
            }
        }
    }

    fn answered(&mut self, calls: &mut Calls, id: u32, body: &[u8]) {
        let number = self.machine.finish(id).expect("it is outstanding");
        let known = self.forget(id);
        assert_eq!(known, Some(number), "the reply is another call's");
        if let Some(said) = body.first_chunk::<8>() {
            let said = u64::from_le_bytes(*said);
            assert!(said == number as u64 || self.lied_to, "call {number} has the reply to {said}");
        }
        calls.end(number, Outcome::Reply);
    }

    fn forget(&mut self, id: u32) -> Option<usize> {
        let place = self.waiting.iter().position(|(known, _)| *known == id)?;
        Some(self.waiting.swap_remove(place).1)
    }

    /// Whether no call of it is left, sent or not.
    pub(crate) fn is_served(&self) -> bool {
        self.waiting.is_empty() && self.outbox.is_empty()
    }

    /// Cancels one of the calls.
    pub(crate) fn cancel(
        &mut self,
        calls: &mut Calls,
        pipe: &mut Pipe,
        now: u64,
        random: &mut Random,
    ) {
        if self.waiting.is_empty() {
            return;
        }
        let (id, number) = self.waiting[random.below(self.waiting.len())];
        assert_eq!(self.machine.cancel(id), Some(number));
        self.forget(id);
        self.withdraw(number, pipe, now, random);
        calls.end(number, Outcome::Cancelled);
    }

    /// Sends no more of a request; of one in fragments the rest will never come, which a CancelRequest
    /// says.
    fn withdraw(&mut self, number: usize, pipe: &mut Pipe, now: u64, random: &mut Random) {
        let withdrawn = self.outbox.withdraw(|(call, ..)| *call == number);
        if let Some(((_, BegunRequest { request_id: id, .. }, _), true)) = withdrawn
            && !self.gone
        {
            let mut buffer = Vec::new();
            MessageFormat::Giop(GiopVersion::V1_2).cancel_request(
                &mut buffer,
                ByteOrder::NATIVE,
                id,
            );
            pipe.send(&buffer, now, random);
        }
    }

    /// Passes the time to the state machine, and takes failed calls.
    pub(crate) fn tick(
        &mut self,
        calls: &mut Calls,
        pipe: &mut Pipe,
        now: u64,
        random: &mut Random,
    ) {
        let time = Duration::from_micros(now);
        if self.machine.poll_timeout().is_some_and(|deadline| deadline <= time) {
            self.machine.handle_timeout(time);
        }
        assert!(self.machine.poll_timeout().is_none_or(|deadline| deadline > time));
        // Not at once: a late reply may come between.
        let takes_failures = random.once_in(3);
        while takes_failures && let Some((id, failure, number)) = self.machine.poll_failed() {
            assert_eq!(self.forget(id), Some(number));
            if failure.progress == RequestProgress::Unsent {
                self.withdraw(number, pipe, now, random);
            }
            calls.end(number, Outcome::Failed(failure));
        }
        assert!(self.machine.outstanding() <= MAX_OUTSTANDING);
        assert!(self.inbound.capacity() <= 2 * MAX_MESSAGE, "{}", self.inbound.capacity());
        self.transmit(pipe, now, random);
        if takes_failures && self.machine.ended().is_some() && !self.gone {
            self.gone = true;
            while let Some((number, ..)) = self.outbox.take() {
                if !self.waiting.iter().any(|(_, call)| *call == number) {
                    calls.end(number, Outcome::NeverSent);
                }
            }
            pipe.end();
        }
    }
}

/// The octets of a request.
fn write(request: &NewRequest<'_>, begun: &BegunRequest, random: &mut Random) -> Vec<u8> {
    let mut octets = Vec::new();
    let (order, id) = (random.pick(&[ByteOrder::Big, ByteOrder::Little]), begun.request_id);
    let target = TargetAddress::Key(request.key);
    if request.kind == RequestKind::Locate {
        let message = request.form.locate_request(&mut octets, order, id, &target);
        message.and_then(|message| message.finish()).expect("it is small");
        return octets;
    }
    let data = match begun.announcement {
        zorb_giop::Announcement::CodeSets(sets) => Some(sets.encode(order)),
        _ => None,
    };
    let context = data.as_ref().map(|data| ServiceContext::new(ServiceId::CODE_SETS, &data[..]));
    let response = match request.kind {
        RequestKind::Oneway => ResponseFlags::NoResponse,
        _ => ResponseFlags::SyncWithTarget,
    };
    let start = RequestStart {
        request_id: id,
        response,
        target,
        operation: request.operation,
        service_contexts: context.as_slice(),
    };
    let mut message = request.form.request(&mut octets, order, &start).expect("it is small");
    message.body(TextCoding::default()).put(&vec![7; random.below(600)]);
    message.finish().expect("it is small");
    octets
}
