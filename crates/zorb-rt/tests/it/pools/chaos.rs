//! Clients of two lanes, most of them hostile, in an order that follows from a seed. What the hostile ones do
//! delays no call to a lane whose threads they do not keep busy with upcalls, every call ends once, the lanes together
//! never use more memory than there is for messages, and all of it comes back.
//!
//! `CHAOS_SEED=N` runs one seed, `CHAOS_SEEDS=N` so many of them.
//!
//! The threads and the transports are real ones. The simulated network of `zorb-giop` drives the state machines of
//! connections, which have no threads; there, a seed fixes the order in which octets arrive. Locks, condition
//! variables and epoll decide whether one lane waits for another, and a simulated network or clock does not control
//! these. A seed therefore fixes what the clients send, but not when it arrives, and the checks hold for every order:
//! calls to the free lane end while all hostile clients stand still.

mod hostile;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use zorb_core::Result;
use zorb_rt::{Strategy, Threadpool};
use zorb_testkit::in_own_process;
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{ConnectOptions, Protocol, process_budget};
use zorb_unix::UiopProtocol;

use super::fixture::{Desk, Side, lane_of, side_by, until};
use hostile::HostileClient;

const SEEDS: u64 = 40;
const STEPS: usize = 120;
/// The budget for messages in memory.
const BUFFERED_OCTETS: usize = 600_000;

/// Lanes by their index and priority: in one, hostile clients keep threads busy with upcalls.
const BUSY: usize = 0;
const FREE: usize = 1;
const PRIORITIES: [i16; 2] = [10, 20];

/// Random numbers that follow from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) % limit.max(1) as u64) as usize
    }
}

struct World {
    random: Random,
    server: Side,
    client: Side,
    protocol: Arc<dyn Protocol>,
    pool: Threadpool,
    desk: Desk,
    hostile: Vec<HostileClient>,
    /// Requests of hostile clients whose upcalls wait.
    stopped: Vec<i32>,
    /// Calls to the busy lane that have not been waited for.
    waiting: Vec<(i32, JoinHandle<Result<i32>>)>,
    /// Calls of the other client.
    lawful: Vec<i32>,
    next_id: i32,
    /// The most octets of messages in memory.
    most_used: usize,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let (protocol, url): (Arc<dyn Protocol>, _) = match random.below(3) {
            0 => (Arc::new(InprocProtocol::new(InprocTransport::new())), "inproc://"),
            _ => (Arc::new(UiopProtocol::new()), "uiop://"),
        };
        let budget = BUFFERED_OCTETS.to_string();
        // Longer than a call waits: no limit in time may end what should delay nobody.
        let options = [
            ("MaxBufferedOctets", budget.as_str()),
            ("MaxBufferedOctetsPerPeer", budget.as_str()),
            ("FirstMessageTimeout", "0"),
            ("MessageTimeout", "0"),
            ("SendTimeout", "3600000"),
        ];
        let server = side_by(Arc::clone(&protocol), url, &options);
        let client = side_by(Arc::clone(&protocol), url, &[]);
        // A single thread needs a transport with readiness.
        let strategies = Strategy::ALL.len() - usize::from(url == "inproc://");
        let strategy = Strategy::ALL[random.below(strategies)];
        let mut pool = server.pool().strategy(strategy);
        for priority in PRIORITIES {
            pool = pool.lane(lane_of(strategy, priority, 1 + random.below(2)));
        }
        let pool = pool.create().unwrap();
        let desk = server.desk(&pool, PRIORITIES[BUSY], &client);
        Self {
            random,
            server,
            client,
            protocol,
            pool,
            desk,
            hostile: Vec::new(),
            stopped: Vec::new(),
            waiting: Vec::new(),
            lawful: Vec::new(),
            next_id: 0,
            most_used: 0,
        }
    }

    fn id(&mut self) -> i32 {
        self.next_id += 1;
        self.next_id
    }

    fn connect(&mut self) {
        let lane = self.random.below(2);
        let url = self.pool.endpoints()[lane][0].clone();
        let transport = self.protocol.transport();
        let endpoint = transport.parse_endpoint(&url).unwrap();
        let stream = transport.connect(&endpoint, &ConnectOptions::default()).unwrap();
        let profile = self.protocol.decode_profile(&self.desk.0.ior().profiles[0]).unwrap();
        self.hostile.push(HostileClient::new(stream, lane, profile.object_key));
    }

    fn act(&mut self) {
        if self.hostile.is_empty() || (self.hostile.len() < 8 && self.random.below(6) == 0) {
            self.connect();
        }
        let id = self.id();
        let chosen = self.random.below(self.hostile.len());
        let client = &mut self.hostile[chosen];
        // Few enough that the threads of both lanes also serve others.
        if client.lane == BUSY && self.random.below(8) == 0 {
            self.server.clerk.shut(&[id]);
            self.stopped.push(id);
            client.write_request("serve", id, 0);
        }
        client.act(id, &mut self.random);
        match self.random.below(8) {
            0 | 1 => self.call_the_free_lane(),
            2 if self.waiting.len() < 4 => {
                let id = self.id();
                self.lawful.push(id);
                let call = self.client.call(&self.desk, PRIORITIES[BUSY], id);
                self.waiting.push((id, call));
            }
            3 if !self.stopped.is_empty() => {
                let chosen = self.random.below(self.stopped.len());
                self.server.clerk.open(self.stopped.swap_remove(chosen));
            }
            _ => {}
        }
        self.check_budget();
    }

    /// Only the server charges memory to the budget of the process: its client's messages are short.
    fn check_budget(&mut self) {
        let used = process_budget().used();
        assert!(used <= BUFFERED_OCTETS, "{used} octets are in use");
        self.most_used = self.most_used.max(used);
    }

    /// The call ends before any hostile client continues.
    fn call_the_free_lane(&mut self) {
        let id = self.id();
        self.lawful.push(id);
        let call = self.client.call(&self.desk, PRIORITIES[FREE], id);
        assert_eq!(call.join().unwrap(), Ok(id), "a call to a free lane is delayed");
    }

    fn end(mut self) {
        for id in self.stopped.drain(..) {
            self.server.clerk.open(id);
        }
        // The hostile clients are still there, in the middle of their messages.
        for (id, call) in self.waiting.drain(..) {
            assert_eq!(call.join().unwrap(), Ok(id), "a call to the busy lane is delayed");
        }
        self.call_the_free_lane();
        for client in &mut self.hostile {
            client.finish();
        }
        let order = self.server.clerk.order();
        for id in &self.lawful {
            let count = order.iter().filter(|served| *served == id).count();
            assert_eq!(count, 1, "upcalls of call {id}");
        }
        self.hostile.clear();
        self.client.orb.shutdown(true).unwrap();
        until(|| self.pool.counts().iter().all(|lane| lane.connections == 0));
        self.expect_memory();
        self.server.orb.shutdown(true).unwrap();
        let mut order = self.server.clerk.order();
        order.sort_unstable();
        let served = order.len();
        order.dedup();
        assert_eq!(order.len(), served, "a call is served twice");
    }

    /// A message that needs almost the whole budget is received, as soon as the threads that served the
    /// connections have released them.
    fn expect_memory(&mut self) {
        let end = Instant::now() + Duration::from_secs(300);
        loop {
            self.hostile.clear();
            self.connect();
            let id = self.id();
            let client = &mut self.hostile[0];
            client.write_request("serve", id, BUFFERED_OCTETS - 1000);
            client.finish();
            if client.is_answered(id) {
                return;
            }
            assert!(Instant::now() < end, "memory of connections that have ended is still in use");
        }
    }
}

/// Returns the most octets of messages that were in memory.
fn run(seed: u64) -> usize {
    let mut world = World::new(seed);
    for _ in 0..STEPS {
        world.act();
    }
    let most_used = world.most_used;
    world.end();
    most_used
}

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap())
}

#[test]
fn hostile_clients_delay_no_other_lane_and_every_call_ends_once() {
    let seeds = match asked("CHAOS_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..asked("CHAOS_SEEDS").unwrap_or(SEEDS),
    };
    let name = "pools::chaos::hostile_clients_delay_no_other_lane_and_every_call_ends_once";
    in_own_process(name, || {
        let used = seeds.map(|seed| {
            catch_unwind(AssertUnwindSafe(|| run(seed))).unwrap_or_else(|_| {
                panic!("CHAOS_SEED={seed} cargo test -p zorb-rt --test it hostile_clients_delay")
            })
        });
        let most_used = used.max();
        // The clients have tried; those of one seed may not.
        if asked("CHAOS_SEED").or(asked("CHAOS_SEEDS")).is_none() {
            assert!(most_used > Some(BUFFERED_OCTETS / 2));
        }
    });
}
