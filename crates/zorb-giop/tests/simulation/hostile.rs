//! A client that attacks the server and its other clients. It knows the protocol, and follows it as far as that helps
//! the attack.

use std::collections::VecDeque;

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    GiopVersion, MessageFormat, MessageHeader, MessageKind, RequestStart, ResponseFlags,
    TargetAddress, fragments,
};

use super::chaos::MAX_MESSAGE;
use super::client::VERSIONS;
use super::network::Pipe;
use super::random::Random;

/// How a hostile client sends what it has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// Everything at once.
    Flood,
    /// An octet at a time.
    Drip,
    /// Nothing more.
    Stop,
}

/// The messages that it writes.
#[derive(Clone, Copy, Debug)]
enum Attack {
    /// Requests as long as possible.
    LongRequests,
    /// Fragmented requests whose last fragment never comes.
    EndlessFragments,
    /// Requests in fragments that are joined, each before the next begins.
    JoinedFragments,
    /// The header of a long message, and less than the message.
    HalfMessages,
    /// Requests, CancelRequests for them, and for others.
    Cancels,
    /// Octets that are no messages.
    Garbage,
}

const ATTACKS: [Attack; 6] = [
    Attack::LongRequests,
    Attack::EndlessFragments,
    Attack::JoinedFragments,
    Attack::HalfMessages,
    Attack::Cancels,
    Attack::Garbage,
];

#[derive(Debug)]
pub(crate) struct HostileClient {
    attack: Attack,
    pace: Pace,
    reads: bool,
    unsent: VecDeque<u8>,
    next_id: u32,
}

impl HostileClient {
    pub(crate) fn new(random: &mut Random) -> Self {
        Self {
            attack: random.pick(&ATTACKS),
            pace: random.pick(&[Pace::Flood, Pace::Flood, Pace::Drip, Pace::Stop]),
            reads: random.once_in(2),
            unsent: VecDeque::new(),
            next_id: 1,
        }
    }

    /// Sends a piece, and every now and then changes its ways.
    pub(crate) fn act(&mut self, requests: &mut Pipe, now: u64, random: &mut Random) {
        if random.once_in(40) {
            self.attack = random.pick(&ATTACKS);
        }
        if random.once_in(40) {
            self.pace = random.pick(&[Pace::Flood, Pace::Flood, Pace::Drip, Pace::Stop]);
        }
        if self.unsent.is_empty() {
            self.write(random);
        }
        let wanted = match self.pace {
            Pace::Flood => self.unsent.len(),
            Pace::Drip => 1,
            Pace::Stop => 0,
        };
        if requests.has_room() {
            let piece: Vec<u8> =
                self.unsent.drain(..wanted.min(self.unsent.len()).min(4096)).collect();
            requests.send(&piece, now, random);
        }
    }

    /// Receives and ignores what the server sends, if it reads at all.
    pub(crate) fn receive(&mut self, replies: &mut Pipe, now: u64, random: &mut Random) {
        if self.reads {
            replies.receive(&mut [0; 2048], now, random);
        }
    }

    fn write(&mut self, random: &mut Random) {
        let version = random.pick(&VERSIONS);
        let id = self.next_id;
        self.next_id += 1;
        match self.attack {
            Attack::LongRequests => {
                let length = random.below(MAX_MESSAGE - 200);
                let message = request(version, id, length, random);
                self.unsent.extend(message);
            }
            Attack::EndlessFragments => {
                let version = random.pick(&[GiopVersion::V1_2, GiopVersion::V1_1]);
                let message = request(version, id, random.below(MAX_MESSAGE / 2), random);
                let mut pieces = pieces(&message, 400 + random.below(2000));
                pieces.pop();
                self.unsent.extend(pieces.concat());
            }
            Attack::JoinedFragments => {
                let length = random.below(MAX_MESSAGE / 8);
                let message = request(GiopVersion::V1_2, id, length, random);
                self.unsent.extend(pieces(&message, 200 + random.below(400)).concat());
            }
            Attack::HalfMessages => {
                let size = MAX_MESSAGE as u32 - 12;
                let (kind, order) = (MessageKind::Request, ByteOrder::Big);
                let header = MessageHeader { version, order, more_fragments: false, kind, size };
                self.unsent.extend(header.to_octets());
                self.unsent.extend(std::iter::repeat_n(0, random.below(MAX_MESSAGE - 12)));
                self.pace = Pace::Stop;
            }
            Attack::Cancels => {
                self.unsent.extend(request(version, id, random.below(300), random));
                let mut cancel = Vec::new();
                let canceled = id.saturating_sub(random.below(3) as u32);
                MessageFormat::Giop(version).cancel_request(
                    &mut cancel,
                    ByteOrder::NATIVE,
                    canceled,
                );
                self.unsent.extend(cancel);
            }
            Attack::Garbage => {
                let mut message = request(version, id, random.below(300), random);
                for _ in 0..=random.below(4) {
                    let at = random.below(message.len());
                    message[at] = random.next() as u8;
                }
                message.truncate(1 + random.below(message.len()));
                self.unsent.extend(message);
            }
        }
    }
}

fn pieces(message: &[u8], most: usize) -> Vec<Vec<u8>> {
    fragments(message, most).map(|piece| [piece.header(), piece.payload].concat()).collect()
}

fn request(version: GiopVersion, id: u32, length: usize, random: &mut Random) -> Vec<u8> {
    let mut octets = Vec::new();
    let response = match random.below(3) {
        0 => ResponseFlags::NoResponse,
        _ => ResponseFlags::SyncWithTarget,
    };
    let start = RequestStart {
        request_id: id,
        response,
        target: TargetAddress::Key(b"none"),
        operation: "operation",
        service_contexts: &[],
    };
    let message = MessageFormat::Giop(version).request(&mut octets, ByteOrder::NATIVE, &start);
    let mut message = message.expect("it is small");
    message.body(TextCoding::default()).put(&vec![5; length]);
    message.finish().expect("it is small");
    octets
}
