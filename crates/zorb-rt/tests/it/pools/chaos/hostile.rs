//! A client that sends anything at any time, and never waits.

use std::collections::BTreeMap;
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, MessageHeader, MessageKind, MessageWriter, ReplyStart, RequestStart,
    ResponseFlags, TargetAddress, fragments,
};
use zorb_transport::Stream;

use super::Random;

const ORDER: ByteOrder = ByteOrder::Little;

/// How a request must be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Once,
    /// It was canceled.
    AtMostOnce,
}

pub(super) struct HostileClient {
    stream: Arc<dyn Stream>,
    pub(super) lane: usize,
    key: Vec<u8>,
    unsent: Vec<u8>,
    received: Vec<u8>,
    due: BTreeMap<i32, Due>,
    /// Whether it has broken the protocol, so that the server may close the connection.
    is_broken: bool,
    /// Whether its messages need memory that the server may not have.
    needs_memory: bool,
    is_cut: bool,
}

impl HostileClient {
    pub(super) fn new(stream: Arc<dyn Stream>, lane: usize, key: Vec<u8>) -> Self {
        Self {
            stream,
            lane,
            key,
            unsent: Vec::new(),
            received: Vec::new(),
            due: BTreeMap::new(),
            is_broken: false,
            needs_memory: false,
            is_cut: false,
        }
    }

    /// Performs a random action; `id` is for a request.
    pub(super) fn act(&mut self, id: i32, random: &mut Random) {
        if self.is_cut {
            return;
        }
        match random.below(24) {
            0..4 => self.write_request("serve", id + 1_000_000, 0),
            4 | 5 => self.write_request("fill", id + 1_000_000, 0),
            // More than the sender's and the receiver's buffers take at once.
            6 => self.write_request("serve", id + 1_000_000, 50_000 + random.below(500_000)),
            7 => self.write_endless(id + 1_000_000, random.below(200_000)),
            8 => self.cancel(random),
            9 if random.below(4) == 0 => self.break_the_protocol(id, random),
            10 if random.below(4) == 0 => {
                let how = [Shutdown::Both, Shutdown::Write, Shutdown::Read][random.below(3)];
                let _ = self.stream.shutdown(how);
                self.is_cut = true;
            }
            11..14 => self.send(1),
            14..17 => self.send(random.below(self.unsent.len() + 1)),
            17..20 => self.send(usize::MAX),
            20 => drop(self.receive()),
            _ => {}
        }
    }

    /// Writes a request with `padding` octets after its arguments.
    pub(super) fn write_request(&mut self, operation: &str, id: i32, padding: usize) {
        let octets = self.request(operation, id, padding);
        // The budget does not count the first 64 KiB of a connection, but all replies that wait for it.
        self.needs_memory |= octets.len() > 60_000 || operation == "fill";
        self.unsent.extend(octets);
        self.due.insert(id, Due::Once);
    }

    fn request(&self, operation: &str, id: i32, padding: usize) -> Vec<u8> {
        let start = RequestStart {
            request_id: id as u32,
            response: ResponseFlags::SyncWithTarget,
            target: TargetAddress::Key(&self.key),
            operation,
            service_contexts: &[],
        };
        let mut octets = Vec::new();
        let message = MessageWriter::request(&mut octets, GiopVersion::V1_2, ORDER, &start);
        let mut message = message.unwrap();
        let mut body = message.body(Default::default());
        body.put(&id.to_le_bytes());
        if operation == "fill" {
            // More than the system buffers.
            body.put(&(1_i32 << 20).to_le_bytes());
        }
        body.put(&vec![0; padding]);
        message.finish().unwrap();
        octets
    }

    /// Fragments of a request without the last one.
    fn write_endless(&mut self, id: i32, padding: usize) {
        let message = self.request("serve", id, 4000 + padding);
        self.needs_memory = true;
        let pieces: Vec<_> = fragments(&message, 2000).collect();
        for piece in &pieces[..pieces.len() - 1] {
            self.unsent.extend_from_slice(piece.header());
            self.unsent.extend_from_slice(piece.payload);
        }
    }

    fn cancel(&mut self, random: &mut Random) {
        let chosen = random.below(self.due.len() + 1);
        if let Some((id, due)) = self.due.iter_mut().nth(chosen) {
            *due = Due::AtMostOnce;
            let mut cancel = Vec::new();
            let version = GiopVersion::V1_2;
            MessageWriter::cancel_request(&mut cancel, version, ORDER, *id as u32);
            self.unsent.extend(cancel);
        }
    }

    /// Writes a request with an invalid message header and a unique id.
    fn break_the_protocol(&mut self, id: i32, random: &mut Random) {
        let mut octets = self.request("serve", id + 2_000_000, 0);
        octets[random.below(12)] ^= 1 << random.below(8);
        self.unsent.extend(octets);
        self.is_broken = true;
    }

    /// Sends at most `most` octets, as many as the stream accepts.
    fn send(&mut self, most: usize) {
        let most = most.min(self.unsent.len());
        match self.stream.try_send(&self.unsent[..most]) {
            Ok(sent) => drop(self.unsent.drain(..sent)),
            // The server has closed the connection.
            Err(_) => self.unsent.clear(),
        }
    }

    /// Receives what is available. Returns whether the stream is still open.
    fn receive(&mut self) -> bool {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match self.stream.try_recv(&mut buffer) {
                Ok(Some(0)) | Err(_) => return false,
                Ok(Some(count)) => self.received.extend_from_slice(&buffer[..count]),
                Ok(None) => return true,
            }
        }
    }

    /// Sends the rest and reads all replies, until the server closes the connection. Every request has been
    /// answered once then.
    pub(super) fn finish(&mut self) {
        let end = Instant::now() + Duration::from_secs(300);
        let mut has_ended = false;
        if self.is_cut {
            return self.check(false);
        }
        while self.receive() {
            self.send(usize::MAX);
            if self.unsent.is_empty() && !has_ended {
                let _ = self.stream.shutdown(Shutdown::Write);
                has_ended = true;
            }
            assert!(Instant::now() < end, "replies are missing");
            std::thread::yield_now();
        }
        self.check(!self.is_broken && !self.needs_memory);
    }

    /// Checks that nothing was answered twice, and that everything was if `all`.
    fn check(&self, all: bool) {
        let (answered, others) = self.answers();
        for (id, count) in &answered {
            assert!(*count == 1, "request {id} is answered {count} times");
            assert!(self.due.contains_key(id) || self.is_broken, "{id} was not requested");
        }
        if all {
            assert_eq!(others, [], "the server closes the connection");
            for (id, due) in &self.due {
                let is_done = *due == Due::AtMostOnce || answered.contains_key(id);
                assert!(is_done, "request {id} is not answered");
            }
        }
    }

    /// How often each request was answered, and which other messages came.
    fn answers(&self) -> (BTreeMap<i32, usize>, Vec<MessageKind>) {
        let (mut answers, mut others) = (BTreeMap::new(), Vec::new());
        let mut octets = &self.received[..];
        while let Ok(Some(header)) = MessageHeader::parse_prefix(octets) {
            let Some(message) = octets.get(..header.total_size()) else { break };
            octets = &octets[message.len()..];
            match header.kind {
                MessageKind::Reply => {
                    let id = ReplyStart::read(message, &header).unwrap().request_id;
                    *answers.entry(id as i32).or_default() += 1;
                }
                kind => others.push(kind),
            }
        }
        (answers, others)
    }

    pub(super) fn is_answered(&self, id: i32) -> bool {
        self.answers().0.contains_key(&id)
    }
}
