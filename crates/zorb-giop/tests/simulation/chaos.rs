//! Many connections at one server, whose receivers share a budget: clients that keep the protocol, and hostile ones.
//! The hostile clients end no call of the others, and the budget is respected.

use std::sync::Arc;

use zorb_giop::{ConnectionEnd, Inbound, Limits, MessageBudget, TimeLimits};

use super::calls::{Calls, Outcome};
use super::client::Client;
use super::hostile::HostileClient;
use super::metered::MeteredInbound;
use super::network::Pipe;
use super::random::Random;
use super::run::Tally;
use super::server::{Circumstances, Server};

/// The longest message that the server receives.
pub(crate) const MAX_MESSAGE: usize = 32 * 1024;
/// The octets that a receiver keeps, and that the budget does not count: of its buffer, and of a joined message.
const RETAINED: usize = 1024;
/// What else a receiver holds: its list of fragmented messages.
const LISTS: usize = 2 * 1024;
const MAX_PARTIAL_MESSAGES: usize = 8;

/// Actions of a run before the hostile clients stop.
const STEPS: usize = 1_000;
/// Actions within which the others have to be served then.
const STEPS_TO_END: usize = 60_000;

fn limits() -> Limits {
    Limits::DEFAULT
        .max_message_size(MAX_MESSAGE)
        .max_fragments(256)
        .max_partial_messages(MAX_PARTIAL_MESSAGES)
        .max_partial_octets(MAX_PARTIAL_MESSAGES * MAX_MESSAGE)
        .initial_capacity(256)
        .retained_capacity(RETAINED)
}

enum Peer {
    Lawful(Box<Client>),
    Hostile(HostileClient),
}

struct Connection {
    peer: Peer,
    server: Server,
    requests: Pipe,
    replies: Pipe,
}

struct World {
    random: Random,
    now: u64,
    calls: Calls,
    budget: Arc<MessageBudget>,
    connections: Vec<Connection>,
}

/// The result of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChaosTally {
    pub(crate) lawful: Tally,
    /// Connections that the budget had no memory for.
    pub(crate) refused: usize,
    /// The maximum charge, in percent of the budget.
    pub(crate) most_charged: usize,
}

/// Runs the actions of `seed`, and checks the invariants.
pub(crate) fn run(seed: u64) -> ChaosTally {
    let mut random = Random::new(seed);
    let octets = [8, 24, 64, 1024][random.below(4)] * 1024;
    let budget = Arc::new(MessageBudget::new(octets));
    let (lawful, hostile) = (1 + random.below(3), 1 + random.below(5));
    let mut connections: Vec<_> =
        (0..lawful).map(|_| Connection::new(&budget, Peer::lawful(&mut random))).collect();
    connections.extend((0..hostile).map(|_| Connection::new(&budget, Peer::hostile(&mut random))));
    let mut world = World { random, now: 0, calls: Calls::default(), budget, connections };
    let (mut steps, mut most) = (0, 0);
    while steps < STEPS {
        world.act(true);
        most = most.max(world.budget.used());
        steps += 1;
    }
    steps += world.serve_the_lawful();
    let refused = world.connections.iter().filter(|it| it.server.lacked_memory).count();
    world.end();
    world.calls.check(false);
    let calls = &world.calls;
    let lawful = Tally {
        steps,
        calls: calls.len(),
        replies: calls.count(|outcome| outcome == Outcome::Reply),
        failures: calls.count(|outcome| matches!(outcome, Outcome::Failed(_))),
        cancelled: calls.count(|outcome| outcome == Outcome::Cancelled),
        refused: calls.count(|outcome| outcome == Outcome::Refused),
        ..Tally::default()
    };
    ChaosTally { lawful, refused, most_charged: most * 100 / octets }
}

impl Peer {
    fn lawful(random: &mut Random) -> Self {
        Self::Lawful(Box::new(Client::new(random)))
    }

    fn hostile(random: &mut Random) -> Self {
        Self::Hostile(HostileClient::new(random))
    }
}

impl Connection {
    fn new(budget: &Arc<MessageBudget>, peer: Peer) -> Self {
        let inbound = Inbound::new(limits()).with_budget(Arc::clone(budget));
        Self {
            peer,
            server: Server::new(MeteredInbound::new(inbound), TimeLimits::default()),
            requests: Pipe::default(),
            replies: Pipe::default(),
        }
    }

    /// Does one thing of many. A quiet connection makes no new calls and attacks nobody.
    fn act(&mut self, calls: &mut Calls, now: u64, random: &mut Random, quiet: bool) {
        let Self { peer, server, requests, replies } = self;
        let damaged = matches!(peer, Peer::Hostile(_));
        let at = Circumstances { now, damaged };
        match random.below(8) {
            0 | 1 => server.receive(calls, requests, at, random),
            2 | 3 => server.work(calls, replies, at, random),
            _ => match peer {
                Peer::Hostile(_) if quiet => {}
                Peer::Hostile(_) if random.once_in(400) => {
                    requests.cut(random);
                    replies.cut(random);
                }
                Peer::Hostile(client) => {
                    client.act(requests, now, random);
                    client.receive(replies, now, random);
                }
                Peer::Lawful(client) => match random.below(4) {
                    0 if !quiet => client.call(calls, now, random),
                    0 | 1 => client.send(calls, requests, now, random),
                    2 if !quiet && random.once_in(8) => {
                        client.cancel(calls, requests, now, random);
                    }
                    _ => client.receive(calls, replies, now, random),
                },
            },
        }
        self.tick(calls, now, random);
    }

    fn tick(&mut self, calls: &mut Calls, now: u64, random: &mut Random) {
        if let Peer::Lawful(client) = &mut self.peer {
            client.tick(calls, &mut self.requests, now, random);
            if client.gone {
                self.replies.refuse();
            }
        }
    }

    /// When something happens by itself.
    fn next_event(&self) -> Option<u64> {
        let Self { server, requests, replies, .. } = self;
        let next = [requests.next_arrival(), replies.next_arrival(), server.next_return()];
        next.into_iter().flatten().min()
    }

    /// Whether it is a well-behaved client without outstanding calls.
    fn is_served(&self) -> bool {
        match &self.peer {
            Peer::Hostile(_) => true,
            Peer::Lawful(client) => client.is_served(),
        }
    }
}

impl World {
    fn act(&mut self, is_attacked: bool) {
        let Self { random, now, calls, connections, .. } = self;
        if random.once_in(6) {
            *now += random.below(2_000) as u64;
        }
        let index = random.below(connections.len());
        connections[index].act(calls, *now, random, !is_attacked);
        self.check_memory();
    }

    /// The memory of the receivers does not exceed the budget, independent of their own accounting.
    fn check_memory(&self) {
        assert!(self.budget.used() <= self.budget.limit());
        let held: usize = self.connections.iter().map(|it| it.server.inbound.held()).sum();
        let free = self.connections.len() * (2 * RETAINED + LISTS);
        let limit = self.budget.limit() + free;
        assert!(held <= limit, "{held} octets are held, and {limit} may be");
    }

    /// The hostile clients stop without closing. All calls of the others end; returns the number of actions.
    fn serve_the_lawful(&mut self) -> usize {
        for step in 0..STEPS_TO_END {
            if self.connections.iter().all(Connection::is_served) {
                self.check_connections();
                return step;
            }
            self.act(false);
            let next = self.connections.iter().filter_map(Connection::next_event).min();
            self.now = self.now.max(next.unwrap_or(0)) + self.random.below(20) as u64;
        }
        panic!("calls of lawful clients are delayed without end: {:?}", self.calls);
    }

    /// No connection of a lawful client has ended, unless there was no memory for a message of it.
    fn check_connections(&self) {
        for Connection { peer, server, .. } in &self.connections {
            if let Peer::Lawful(client) = peer {
                let expected = match client.machine.ended() {
                    None => true,
                    Some(ConnectionEnd::CloseConnection | ConnectionEnd::Lost) => {
                        server.lacked_memory
                    }
                    Some(_) => false,
                };
                assert!(expected, "a lawful client's connection ends: {:?}", client.machine);
            }
        }
    }

    /// All connections close, and the memory is released.
    fn end(&mut self) {
        for connection in &mut self.connections {
            match &mut connection.peer {
                Peer::Lawful(client) => client.machine.close(),
                Peer::Hostile(_) => {
                    connection.requests.end();
                    connection.replies.refuse();
                }
            }
        }
        for _ in 0..STEPS_TO_END {
            let is_over = |it: &Connection| it.server.gone && it.server.is_idle();
            if self.connections.iter().all(is_over) {
                break;
            }
            self.act(false);
            let next = self.connections.iter().filter_map(Connection::next_event).min();
            self.now = self.now.max(next.unwrap_or(0)) + self.random.below(20) as u64;
        }
        for Connection { server, .. } in &self.connections {
            assert!(server.gone && server.is_idle(), "it does not end: {server:?}");
        }
        self.connections.clear();
        assert_eq!(self.budget.used(), 0, "memory of connections that have ended is still charged");
    }
}
