//! The client's state machine of a connection: arbitrary actions of its driver and octets of the server, in any order.

use std::collections::BTreeMap;
use std::time::Duration;

use zorb_giop::{
    BegunRequest, ClientConnection, ClientSession, ConnectionEnd, GiopVersion, Inbound, Limits,
    MessageFormat, NewRequest, Received, RequestKind,
};

use super::{AllocationBound, Target};

/// Steps of two octets, what to do and a number; [`RECEIVE`] is followed by so many octets from the
/// server. Every request ends once, and with the reply that has its id.
pub const TARGET: Target = Target {
    name: "connection",
    run,
    allocation: AllocationBound { per_octet: 256, constant: 64 << 10 },
    words: &[
        b"\x00\x00\x01\x00",
        b"\x00\x01\x01\x00",
        b"\x05\x18GIOP\x01\x02\x01\x01\x0c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        b"\x05\x14GIOP\x01\x02\x01\x04\x08\0\0\0\0\0\0\0\x01\0\0\0",
        b"\x05\x0cGIOP\x01\x02\x01\x05\0\0\0\0",
        b"\x05\x0cGIOP\x01\x02\x01\x06\0\0\0\0",
        b"GIOP\x01\x02\x03\x07",
    ],
};

/// Begins a request: one-way, two-way or a location, with a deadline if bit 7 is set.
pub const BEGIN: u8 = 0;
/// Reports the oldest request that was not sent yet as sent.
pub const SENT: u8 = 1;
/// Cancels a request.
pub const CANCEL: u8 = 2;
/// Advances the clock.
pub const TIME: u8 = 3;
/// Takes octets to send.
pub const TRANSMIT: u8 = 4;
/// Receives octets.
pub const RECEIVE: u8 = 5;
/// Closes the connection.
pub const CLOSE: u8 = 6;
/// Ends the stream.
pub const END: u8 = 7;

const MAX_OUTSTANDING: usize = 8;

struct Driver {
    machine: ClientConnection<u32>,
    inbound: Inbound,
    unsent: Vec<BegunRequest>,
    /// The number of each outstanding call, by id.
    calls: BTreeMap<u32, u32>,
    begun: u32,
    now: Duration,
}

fn run(octets: &[u8]) {
    let limits = Limits::DEFAULT.max_message_size(4096).max_partial_octets(8192);
    let mut driver = Driver {
        machine: ClientConnection::new(ClientSession::default(), None)
            .with_max_outstanding(MAX_OUTSTANDING),
        inbound: Inbound::new(limits),
        unsent: Vec::new(),
        calls: BTreeMap::new(),
        begun: 0,
        now: Duration::ZERO,
    };
    let mut rest = octets;
    while let [what, number, later @ ..] = rest {
        rest = later;
        match what % 8 {
            BEGIN => driver.begin(*number),
            SENT if !driver.unsent.is_empty() => driver.machine.sent(&driver.unsent.remove(0)),
            CANCEL => {
                let id = u32::from(*number);
                assert_eq!(driver.machine.cancel(id), driver.calls.remove(&id));
            }
            TIME => {
                driver.now += Duration::from_micros(u64::from(*number));
                driver.machine.handle_timeout(driver.now);
                let next = driver.machine.poll_timeout();
                assert!(next.is_none_or(|deadline| deadline > driver.now));
            }
            TRANSMIT => while driver.machine.poll_transmit(&mut Vec::new()) {},
            RECEIVE => {
                let (now, later) = rest.split_at(usize::from(*number).min(rest.len()));
                rest = later;
                driver.receive(now);
            }
            CLOSE => driver.machine.close(),
            END => driver.machine.end(ConnectionEnd::Lost),
            _ => {}
        }
        driver.take_failed();
        assert!(driver.machine.outstanding() <= MAX_OUTSTANDING);
        assert_eq!(driver.machine.outstanding(), driver.calls.len());
    }
    driver.machine.end(ConnectionEnd::Lost);
    driver.take_failed();
    assert!(driver.calls.is_empty(), "a request never ends: {:?}", driver.calls);
}

impl Driver {
    fn begin(&mut self, number: u8) {
        let kinds = [RequestKind::Oneway, RequestKind::Twoway, RequestKind::Locate];
        let versions = [GiopVersion::V1_0, GiopVersion::V1_1, GiopVersion::V1_2];
        let kind = kinds[usize::from(number % 3)];
        let request = NewRequest {
            kind,
            form: MessageFormat::Giop(versions[usize::from(number / 3 % 3)]),
            key: b"key",
            operation: "operation",
            code_sets: None,
            announced: u32::from(number % 2 == 1),
            deadline: (number > 127).then(|| self.now + Duration::from_micros(u64::from(number))),
        };
        self.begun += 1;
        let Ok(begun) = self.machine.begin(&request, true, self.begun) else { return };
        self.unsent.push(begun);
        if kind != RequestKind::Oneway {
            let other = self.calls.insert(begun.request_id, self.begun);
            assert_eq!(other, None, "two requests have the same id");
        }
    }

    fn receive(&mut self, mut octets: &[u8]) {
        while !octets.is_empty() && self.machine.ended().is_none() {
            let space = self.inbound.space();
            let (now, later) = octets.split_at(space.len().min(octets.len()));
            space[..now.len()].copy_from_slice(now);
            self.inbound.advance(now.len());
            octets = later;
            loop {
                match self.inbound.poll() {
                    Ok(None) => break,
                    Ok(Some(header)) => match self.machine.receive(&self.inbound, &header) {
                        Received::Reply(start) => self.answered(start.request_id),
                        Received::LocateReply(id) => self.answered(id),
                        Received::Late => {}
                        Received::End => return assert!(self.machine.ended().is_some()),
                    },
                    Err(error) => {
                        return self.machine.end(ConnectionEnd::ProtocolError(error));
                    }
                }
            }
        }
    }

    fn answered(&mut self, id: u32) {
        assert_eq!(self.machine.failure(id), None);
        let call = self.machine.finish(id);
        assert!(call.is_some(), "a reply to request {id}, which is not outstanding");
        assert_eq!(call, self.calls.remove(&id));
    }

    fn take_failed(&mut self) {
        while let Some((id, failure, call)) = self.machine.poll_failed() {
            assert_eq!(self.calls.remove(&id), Some(call), "{failure:?}");
        }
    }
}
