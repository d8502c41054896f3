//! Pending requests over a simulated network, in an order that follows from a seed: sending in its steps, replies in any
//! order and in any pieces, cancellation, deadlines, callers that wait, and ends of connections. Each request ends once,
//! with its own reply or the reason why it has none. One thread does all; nothing depends on time.
//!
//! `SIMULATION_STEPS=10000000` sets the number of steps.

mod outcomes;
mod sending;
mod server;

use std::collections::BTreeMap;

use zorb_base::connection_count::ConnectionCount;
use zorb_base::options::Options;
use zorb_cdr::ByteOrder;
use zorb_giop::GiopVersion;
use zorb_transport::{PeerShares, process_budget};

use super::*;
use crate::client::connection::{Connection, NoReply};
use crate::client::time_limit::TimeLimit;
use outcomes::{Sent, Tally};
use pending_request::Reader;
use reader::Reading;
use sending::Beginning;
use server::{SimulatedServer, SimulatedStream};

const VERSION: GiopVersion = GiopVersion::V1_2;
const ORDER: ByteOrder = ByteOrder::NATIVE;
/// The default number of steps, which takes about seven seconds.
const STEPS: u64 = 1_000_000;
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

/// One connection with its server, and what the program has sent.
struct Run {
    chance: Chance,
    connection: Arc<MultiplexedConnection>,
    server: SimulatedServer,
    /// Requests that have begun and are not sent yet, and those that are sent and not left to the reader.
    begun: Vec<(Beginning, Arc<Sent>, bool)>,
    sent: BTreeMap<u32, Arc<Sent>>,
    /// Those that have ended or were cancelled.
    over: Vec<(Arc<Sent>, bool)>,
    numbers: i32,
}

impl Run {
    fn new(seed: u64) -> Self {
        let server = SimulatedServer::new();
        let options = Options::default();
        let connection = MultiplexedConnection::new(NewMultiplexedConnection {
            stream: Arc::<SimulatedStream>::clone(&server.stream),
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
            connection: Arc::new(connection),
            server,
            begun: Vec::new(),
            sent: BTreeMap::new(),
            over: Vec::new(),
            numbers: 0,
        }
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

    /// One step of the reader.
    fn read(&mut self) {
        let connection = Arc::clone(&self.connection);
        let state = connection.state();
        let is_late = state.pending.earliest.is_some_and(|at| at <= connection.opened.elapsed());
        if state.machine.ended().is_some() || is_late {
            drop(state);
            connection.fail_pending();
        } else {
            let mut reading = Reading::begin();
            let mut state = connection.receive_pending(state, Some(Duration::ZERO), &mut reading);
            state.pending.reader = Reader::Runs;
            drop(state);
            connection.end_received(&mut reading);
        }
        self.settle();
    }

    /// A caller waits for a pending request, and receives for all until that has ended, or nothing arrives.
    fn wait_for_pending(&mut self) {
        let at = self.chance.below(self.sent.len());
        let Some((id, sent)) = self.sent.iter().nth(at) else { return };
        let itself = Arc::as_ptr(sent).cast();
        let has_received = self.connection.receive_for_pending(*id, itself, TimeLimit::NONE, None);
        assert!(!has_received || !sent.ends.lock().unwrap().is_empty());
        self.settle();
    }

    /// A caller waits for its reply, and receives for the others. Replies may precede its own, and follow it.
    fn wait(&mut self, tally: &mut Tally) {
        self.numbers += 1;
        let value = self.numbers;
        let Some(Beginning::Joined(mut call, begun)) = self.begin(None, value) else { return };
        if call.send(&begun, &TimeLimit::NONE, None).is_err() {
            return;
        }
        self.server.receive();
        while self.chance.below(3) == 0 {
            let at = self.chance.below(self.server.held.len());
            self.server.answer(at);
        }
        let mut held = self.server.held.iter();
        if let Some(at) = held.position(|(id, _)| *id == begun.request_id) {
            self.server.answer(at);
        }
        self.server.deliver(usize::MAX);
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
            0 => self.server.close(),
            1 => self.server.cut(),
            2 => self.server.send_invalid(),
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
                self.server.receive();
                let at = self.chance.below(self.server.held.len());
                self.server.answer(at);
            }
            600..750 => {
                let most = self.chance.below(100);
                self.server.deliver(most);
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
            tally.count(sent, *is_cancelled);
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
