//! One server: its processes, and the requests that wait for it.

use std::time::{Duration, Instant};

use zorb::poa::HeldRequests;
use zorb_os::process::ProcessId;

use super::definition::Definition;
use super::instance::Instance;
use super::start_limits::StartLimits;
use crate::implementation_repository::ActivationMode;
use crate::server_repository::{Selection, ServerState};

/// A server of a repository.
#[derive(Debug)]
pub(super) struct Server {
    /// Distinguishes it from a removed server of the same name.
    pub(super) generation: u64,
    pub(super) definition: Definition,
    /// The processes that have registered.
    pub(super) running: Vec<Instance>,
    /// The ids of the registered processes that no client has been sent to, if each serves one client.
    pub(super) unclaimed: Vec<u64>,
    /// The clients that wait for a process of their own.
    pub(super) wanted: usize,
    /// The requests that wait for a process.
    pub(super) waiting: Option<HeldRequests>,
    /// Whether a thread starts processes.
    pub(super) is_starting: bool,
    /// The process that has been started, and has not registered.
    pub(super) process: Option<ProcessId>,
    /// How that has ended.
    pub(super) ended: Option<String>,
    /// The processes that may run, registered or not.
    pub(super) processes: Vec<ProcessId>,
    /// Whether an administrator has stopped it, so that it is not started before a request needs it.
    pub(super) is_stopped: bool,
    pub(super) limits: StartLimits,
    pub(super) starts: u64,
    pub(super) failures: u64,
    /// Why the last start has failed.
    pub(super) problem: String,
    /// The next instance in turn.
    next: usize,
}

/// A server whose processes are to be started.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) name: String,
    /// The server's, which may be removed and added again meanwhile.
    pub(super) generation: u64,
    /// How many starts have failed in a row.
    pub(super) failed: u32,
    pub(super) since: Instant,
    /// The last process that has registered, and may have to register with other names.
    pub(super) registered: Option<Registered>,
}

/// A process that has registered with the name of its server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registered {
    pub(super) process: ProcessId,
    /// By when it must have registered with the names that are linked to the server, if there is such a time.
    pub(super) until: Option<Instant>,
}

impl Registered {
    /// For how long it may still register: not at all after its end.
    pub(super) fn left(&self, now: Instant) -> Duration {
        match self.process.is_alive() {
            true => self.until.map_or(Duration::MAX, |until| until.saturating_duration_since(now)),
            false => Duration::ZERO,
        }
    }
}

impl Pending {
    pub(super) fn new(name: String, generation: u64) -> Self {
        Self { name, generation, failed: 0, since: Instant::now(), registered: None }
    }
}

impl Server {
    pub(super) fn new(generation: u64, definition: Definition) -> Self {
        Self {
            generation,
            definition,
            running: Vec::new(),
            unclaimed: Vec::new(),
            wanted: 0,
            waiting: None,
            is_starting: false,
            process: None,
            ended: None,
            processes: Vec::new(),
            is_stopped: false,
            limits: StartLimits::default(),
            starts: 0,
            failures: 0,
            problem: String::new(),
            next: 0,
        }
    }

    pub(super) fn is_per_client(&self) -> bool {
        self.definition.startup.activation == ActivationMode::PerClient
    }

    /// What it does now.
    pub(super) fn state(&self) -> ServerState {
        if self.running.iter().any(|instance| !instance.has_ended()) {
            ServerState::Running
        } else if self.is_starting && !self.is_stopped {
            ServerState::Starting
        } else if self.processes.iter().any(|process| process.is_alive()) {
            ServerState::Stopping
        } else if self.problem.is_empty() {
            ServerState::Stopped
        } else {
            ServerState::Failed
        }
    }

    /// Whether fewer processes run than should.
    pub(super) fn lacks_processes(&self) -> bool {
        match self.is_per_client() {
            true => self.unclaimed.len() < self.wanted,
            false => self.running.len() < self.definition.instances as usize,
        }
    }

    /// Forgets processes that have ended; whether there were any.
    pub(super) fn forget_ended(&mut self) -> bool {
        let before = self.running.len();
        self.running.retain(|instance| !instance.has_ended());
        self.forget_claims();
        before != self.running.len()
    }

    pub(super) fn forget_claims(&mut self) {
        let running = &self.running;
        self.unclaimed.retain(|number| running.iter().any(|instance| instance.number == *number));
    }

    /// The process that a client with a request for the object `key` is sent to.
    pub(super) fn choose(&mut self, key: &[u8]) -> Option<&mut Instance> {
        self.forget_ended();
        if self.is_per_client() {
            let number = (!self.unclaimed.is_empty()).then(|| self.unclaimed.remove(0))?;
            self.wanted = self.wanted.saturating_sub(1);
            return self.running.iter_mut().find(|instance| instance.number == number);
        }
        match self.definition.choice {
            Selection::RoundRobin => {
                self.next = (self.next + 1).checked_rem(self.running.len())?;
                self.running.get_mut(self.next)
            }
            Selection::LeastLoaded => self.running.iter_mut().min_by_key(|it| it.clients),
            // The highest of the weights that all have for the key: the end of one process moves no other's objects.
            Selection::ByKey => self.running.iter_mut().max_by_key(|it| weight(key, it.number)),
        }
    }
}

/// A number that follows from both, evenly distributed (FNV-1a, mixed).
fn weight(key: &[u8], number: u64) -> u64 {
    let octets = key.iter().copied().chain(number.to_le_bytes());
    let hash = octets.fold(0xcbf2_9ce4_8422_2325, |hash: u64, octet| {
        (hash ^ u64::from(octet)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use zorb::giop::Ior;

    use super::*;

    fn server(choice: Selection, count: u64) -> Server {
        let mut server = Server::new(0, Definition { choice, ..Definition::unmanaged() });
        server.running = (0..count)
            .map(|number| Instance {
                number,
                reference: Arc::new(Ior::NIL),
                has_object: false,
                partial_ior: String::new(),
                process: None,
                clients: 0,
            })
            .collect();
        server
    }

    fn chosen(server: &mut Server, key: &[u8]) -> Option<u64> {
        let instance = server.choose(key)?;
        instance.clients += 1;
        Some(instance.number)
    }

    #[test]
    fn clients_are_sent_to_processes_in_turn() {
        let mut three = server(Selection::RoundRobin, 3);
        let order: Vec<_> = (0..6).filter_map(|_| chosen(&mut three, b"key")).collect();
        assert_eq!(order, [1, 2, 0, 1, 2, 0]);
        assert_eq!(chosen(&mut server(Selection::RoundRobin, 0), b"key"), None);
    }

    #[test]
    fn clients_are_sent_to_the_process_with_fewest() {
        let mut three = server(Selection::LeastLoaded, 3);
        three.running[0].clients = 2;
        three.running[2].clients = 1;
        let order: Vec<_> = (0..5).filter_map(|_| chosen(&mut three, b"key")).collect();
        assert_eq!(order, [1, 1, 2, 0, 1]);
    }

    #[test]
    fn the_end_of_a_process_moves_only_its_own_objects() {
        let mut four = server(Selection::ByKey, 4);
        let keys: Vec<[u8; 4]> = (0u32..400).map(u32::to_le_bytes).collect();
        let before: Vec<_> = keys.iter().map(|key| chosen(&mut four, key).unwrap()).collect();
        for number in 0..4 {
            let count = before.iter().filter(|chosen| **chosen == number).count();
            assert!((50..150).contains(&count), "{count} objects in process {number}");
        }
        four.running.remove(2);
        for (key, before) in keys.iter().zip(before) {
            let after = chosen(&mut four, key).unwrap();
            assert!(after == before || before == 2);
        }
    }
}
