//! One run: a client, a server and the network between them, for a number of steps.

use std::ops::AddAssign;
use std::time::Duration;

use zorb_giop::{Exceeded, Inbound, TimeLimits};

use super::calls::{Calls, Outcome};
use super::client::{Client, limits};
use super::metered::MeteredInbound;
use super::network::Pipe;
use super::random::Random;
use super::server::{Circumstances, Server};

/// Actions of a run before it is brought to its end.
const STEPS: usize = 600;
/// Actions within which everything has to be over then.
const STEPS_TO_END: usize = 20_000;

/// The events of a run besides calls.
#[derive(Clone, Copy, Debug)]
struct Character {
    cancels: bool,
    cuts: bool,
    client_closes: bool,
    server_closes: bool,
    /// Whether a thread of the server fails.
    server_fails: bool,
    /// Whether octets are damaged on their way.
    damages: bool,
    /// Whether the server breaks the protocol.
    misbehaves: bool,
}

/// The result of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) steps: usize,
    pub(crate) calls: usize,
    pub(crate) replies: usize,
    pub(crate) failures: usize,
    pub(crate) cancelled: usize,
    pub(crate) refused: usize,
    /// Connections that a time limit has ended: for a message, for idleness.
    pub(crate) slow: usize,
    pub(crate) idle: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.calls += other.calls;
        self.replies += other.replies;
        self.failures += other.failures;
        self.cancelled += other.cancelled;
        self.refused += other.refused;
        self.slow += other.slow;
        self.idle += other.idle;
    }
}

struct World {
    random: Random,
    now: u64,
    character: Character,
    calls: Calls,
    client: Client,
    server: Server,
    requests: Pipe,
    replies: Pipe,
}

/// Runs what follows from `seed`, and checks that what must hold does.
pub(crate) fn run(seed: u64) -> Tally {
    let mut random = Random::new(seed);
    let character = Character {
        cancels: random.once_in(2),
        cuts: random.once_in(3),
        client_closes: random.once_in(3),
        server_closes: random.once_in(3),
        server_fails: random.once_in(8),
        damages: random.once_in(6),
        misbehaves: random.once_in(8),
    };
    let client = Client::new(&mut random);
    let limits_of_time = time_limits(&mut random);
    let mut world = World {
        random,
        now: 0,
        character,
        calls: Calls::default(),
        client,
        server: Server::new(MeteredInbound::new(Inbound::new(limits())), limits_of_time),
        requests: Pipe::default(),
        replies: Pipe::default(),
    };
    let mut steps = 0;
    while steps < STEPS && !world.client.gone {
        world.act();
        steps += 1;
    }
    steps += world.bring_to_an_end();
    world.check();
    let calls = &world.calls;
    Tally {
        steps,
        calls: calls.len(),
        replies: calls.count(|outcome| outcome == Outcome::Reply),
        failures: calls.count(|outcome| matches!(outcome, Outcome::Failed(_))),
        cancelled: calls.count(|outcome| outcome == Outcome::Cancelled),
        refused: calls.count(|outcome| outcome == Outcome::Refused),
        slow: usize::from(world.server.exceeded == Some(Exceeded::Message)),
        idle: usize::from(world.server.exceeded == Some(Exceeded::Idle)),
    }
}

/// None for most runs; otherwise shorter than the usual pauses of the client, so that they end some connections.
fn time_limits(random: &mut Random) -> TimeLimits {
    if !random.once_in(4) {
        return TimeLimits::default();
    }
    let mut limit = |most| {
        let limit = Duration::from_micros(1 + random.below(most) as u64);
        random.once_in(2).then_some(limit)
    };
    TimeLimits { message: limit(20_000), first: limit(20_000), idle: limit(60_000) }
}

impl World {
    /// Does one thing of many.
    fn act(&mut self) {
        let Self { random, now, character, calls, client, server, requests, replies } = self;
        let at = Circumstances { now: *now, damaged: character.damages };
        match random.below(101) {
            0..8 => client.call(calls, *now, random),
            8..28 => client.send(calls, requests, *now, random),
            28..43 => client.receive(calls, replies, *now, random),
            43..58 => server.receive(calls, requests, at, random),
            58..78 => server.work(calls, replies, at, random),
            78..92 => *now += random.below(2_000) as u64,
            92 | 93 if character.cancels => client.cancel(calls, requests, *now, random),
            94 if character.damages => {
                client.lied_to(requests.damage(random));
            }
            95 if character.damages => client.lied_to(replies.damage(random)),
            96 if character.misbehaves && random.once_in(4) => {
                client.lied_to(true);
                server.misbehave(replies, *now, random);
            }
            97 if character.cuts && random.once_in(8) => {
                requests.cut(random);
                replies.cut(random);
            }
            98 if character.client_closes && random.once_in(8) => client.machine.close(),
            99 if character.server_closes && random.once_in(8) => server.requests.close(),
            100 if character.server_fails && random.once_in(8) => server.fail(),
            _ => {}
        }
        client.tick(calls, requests, *now, random);
        server.check_time(requests, *now);
        if client.gone {
            replies.refuse();
        }
    }

    /// Ends the connection from the client, and lets everybody do what is left to do; how many actions
    /// it took.
    fn bring_to_an_end(&mut self) -> usize {
        self.client.machine.close();
        for step in 0..STEPS_TO_END {
            if self.client.gone && self.server.gone && self.server.is_idle() {
                return step;
            }
            let Self { random, now, character, calls, client, server, requests, replies } = self;
            let at = Circumstances { now: *now, damaged: character.damages };
            match random.below(4) {
                0 => client.send(calls, requests, *now, random),
                1 => client.receive(calls, replies, *now, random),
                2 => server.receive(calls, requests, at, random),
                _ => server.work(calls, replies, at, random),
            }
            client.tick(calls, requests, *now, random);
            server.check_time(requests, *now);
            if client.gone {
                replies.refuse();
            }
            if random.once_in(8) {
                let next = [requests.next_arrival(), replies.next_arrival(), server.next_return()];
                *now = (*now).max(next.into_iter().flatten().min().unwrap_or(0));
                *now += random.below(50) as u64;
            }
            // Damage may have each side wait for octets that never come.
            if step == STEPS_TO_END / 2 && character.damages {
                requests.cut(random);
                replies.cut(random);
            }
        }
        panic!("it does not end: {:?} {:?}", self.client.machine, self.server);
    }

    fn check(&mut self) {
        let lies = self.character.damages || self.character.misbehaves;
        self.calls.check(lies);
        let ends = (self.client.machine.ended(), self.server.ended);
        let ends = (ends.0.expect("the client's"), ends.1.expect("the server's"));
        if !lies {
            use zorb_giop::ConnectionEnd::{MessageError, ProtocolError};
            for end in [ends.0, ends.1] {
                let is_good = !matches!(end, ProtocolError(_) | MessageError);
                assert!(is_good, "nobody broke the protocol: {ends:?}");
            }
        }
        let Character { cuts, server_closes, server_fails, .. } = self.character;
        let timed_out = self.server.exceeded.is_some();
        if !lies && !cuts && !server_closes && !server_fails && !timed_out {
            assert!(self.server.has_read_all(), "requests that were given up are still there");
        }
        assert_eq!(self.client.machine.outstanding(), 0);
        assert!(
            self.server.requests.is_over() && (server_fails || !self.server.requests.is_busy())
        );
    }
}
