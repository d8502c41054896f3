//! Starts the processes of servers, on as many threads as may start processes at the same time.

use std::process::Child;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use zorb::poa::HeldRequests;
use zorb_os::process::ProcessId;
use zorb_os::signal::Signal;

use super::definition::Definition;
use super::entry::{Pending, Registered, Server};
use super::process;
use super::servers::Servers;
use super::state::State;

/// How often what nobody reports is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// What is to be done with a pending server.
enum NextStep {
    Start(Definition),
    /// At least for this time.
    Wait(Duration),
    /// It need not be started, or may not be any more; so the requests that waited for it do not.
    Done(Vec<HeldRequests>),
}

impl Servers {
    /// Starts the processes of pending servers, one after the other, until there is none. Several threads do so.
    pub(super) fn run_starts(&self) {
        while let Some((mut pending, definition)) = self.next_start() {
            let outcome = self.start_process(&pending, &definition);
            let mut state = self.lock();
            state.starting -= 1;
            let server = state.server_of(&pending.name, pending.generation);
            match outcome {
                Ok(registered) => {
                    (pending.failed, pending.registered) = (0, Some(registered));
                    if let Some(server) = server {
                        server.limits.clear_failures();
                        server.problem.clear();
                    }
                }
                Err(problem) => {
                    tracing::warn!(server = pending.name, problem, "a server does not start");
                    pending.failed += 1;
                    if let Some(server) = server {
                        server.limits.failed(&self.options, Instant::now());
                        server.failures += 1;
                        server.problem = problem;
                        server.process = None;
                    }
                }
            }
            state.pending.push_back(pending);
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Waits until a server may be started, and takes it. `None` if none is pending.
    fn next_start(&self) -> Option<(Pending, Definition)> {
        let mut state = self.lock();
        loop {
            let mut wait = LOOK_AGAIN;
            let mut over = Vec::new();
            for _ in 0..state.pending.len() {
                let Some(pending) = state.pending.pop_front() else { break };
                match self.next_step(&mut state, &pending) {
                    NextStep::Start(definition) => {
                        drop(state);
                        over.iter().for_each(HeldRequests::resume);
                        return Some((pending, definition));
                    }
                    NextStep::Wait(time) => {
                        wait = wait.min(time);
                        state.pending.push_back(pending);
                    }
                    NextStep::Done(waiting) => over.extend(waiting),
                }
            }
            if state.pending.is_empty() {
                state.starters -= 1;
                drop(state);
                self.changed.notify_all();
                over.iter().for_each(HeldRequests::resume);
                return None;
            }
            if !over.is_empty() {
                drop(state);
                self.changed.notify_all();
                over.iter().for_each(HeldRequests::resume);
                state = self.lock();
                continue;
            }
            state.idle_starters += 1;
            let waited = self.changed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.idle_starters -= 1;
        }
    }

    /// What is to be done with a pending server now.
    fn next_step(&self, state: &mut State, pending: &Pending) -> NextStep {
        let has_ended = state.has_ended;
        let registered = pending.registered.filter(|_| state.lacks_linked(&pending.name));
        let Some(server) = state.server_of(&pending.name, pending.generation) else {
            return NextStep::Done(Vec::new());
        };
        let now = Instant::now();
        let gives_up = pending.failed >= server.definition.attempts();
        let is_over = has_ended || gives_up || server.is_stopped;
        let delay = server.limits.delay(&self.options, now);
        if !is_over && !delay.is_zero() && server.lacks_processes() && registered.is_none() {
            return NextStep::Wait(delay);
        }
        server.forget_ended();
        let is_full = server.running.len() >= self.options.imr_instances;
        let is_complete = is_full || !server.lacks_processes();
        let left = registered.map(|registered| registered.left(now));
        if let Some(left) = left.filter(|left| is_complete && !is_over && !left.is_zero()) {
            // Requests for the other names of the process wait until it has registered with these, too.
            return NextStep::Wait(left);
        }
        // It has not, or does not serve its own name any more.
        let has_failed = left.is_some_and(|left| left.is_zero() || server.running.is_empty());
        if is_over || is_complete || has_failed {
            server.is_starting = false;
            if gives_up {
                server.limits.give_up(&self.options, now);
                server.wanted = 0;
            }
            return NextStep::Done(state.take_waiting(&pending.name));
        }
        // One that is about to end may still have what the next one needs: a port, a file.
        server.processes.retain(|process| process.is_alive());
        let waits_for_earlier = !server.is_per_client()
            && server.processes.len() >= server.definition.instances as usize
            && now.duration_since(pending.since) < self.options.imr_stop_grace;
        if !delay.is_zero() || waits_for_earlier {
            return NextStep::Wait(if delay.is_zero() { LOOK_AGAIN } else { delay });
        }
        let definition = server.definition.clone();
        server.limits.started(now);
        server.starts += 1;
        (server.process, server.ended) = (None, None);
        state.starting += 1;
        NextStep::Start(definition)
    }

    /// Starts a process, and waits until it has registered.
    ///
    /// # Errors
    /// Why it has not.
    fn start_process(
        &self,
        pending: &Pending,
        definition: &Definition,
    ) -> Result<Registered, String> {
        let (name, generation) = (pending.name.as_str(), pending.generation);
        let spawning = self.spawning.lock().unwrap_or_else(PoisonError::into_inner);
        let repository = self.repository.get().map(String::as_str).unwrap_or_default();
        let child =
            process::start(name, &definition.startup, repository, &self.options.imr_server_logs)?;
        // A process without a start time has ended, and waits for its parent.
        let id = child.id();
        let process = ProcessId::of(id).unwrap_or_else(|| ProcessId::from_parts(id, 0));
        if let Some(server) = self.lock().server_of(name, generation) {
            server.process = Some(process);
            server.processes.push(process);
        }
        drop(spawning);
        tracing::info!(server = name, process = id, "started a server");
        self.watch(name, child, process)?;
        let deadline = Instant::now().checked_add(self.options.imr_start_timeout);
        let mut state = self.lock();
        loop {
            let has_ended = state.has_ended;
            let Some(server) = state.server_of(name, generation) else {
                drop(state);
                kill(process);
                return Err("it has been removed".to_owned());
            };
            if let Some(how) = server.ended.take() {
                return Err(format!("it has ended before it registered: {how}"));
            }
            if server.process != Some(process) {
                return Ok(Registered { process, until: deadline });
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) || server.is_stopped {
                server.process = None;
                let why = match server.is_stopped {
                    true => "it has been stopped".to_owned(),
                    false => format!("it has not registered as {name:?} in time"),
                };
                drop(state);
                kill(process);
                return Err(why);
            }
            if has_ended {
                return Err("the repository has ended".to_owned());
            }
            let wait = left.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN);
            let waited = self.changed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Watches for the end of a process.
    ///
    /// # Errors
    /// There is no thread or descriptor for that; then the process has been killed.
    fn watch(&self, name: &str, child: Child, process: ProcessId) -> Result<(), String> {
        let servers = self.this.clone();
        let ended = move |process, how: &str| {
            if let Some(servers) = servers.upgrade() {
                servers.forget(process, how);
            }
        };
        let Err(mut child) = self.watch.add(name, child, process, ended) else { return Ok(()) };
        kill(process);
        let _ = child.wait();
        self.forget(process, "killed");
        Err("there is no thread or descriptor to watch it".to_owned())
    }
}

/// Ends a process that has not done what it should have.
fn kill(process: ProcessId) {
    // It may have ended.
    let _ = process.signal_group(Signal::KILL.number());
}

impl State {
    /// The requests that wait for a server, and for the names that it serves.
    pub(super) fn take_waiting(&mut self, name: &str) -> Vec<HeldRequests> {
        let waits = |(known, server): (&String, &mut Server)| {
            let is_linked = server.definition.linked_to.as_deref() == Some(name);
            if known == name || is_linked { server.waiting.take() } else { None }
        };
        self.servers.iter_mut().filter_map(waits).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use zorb::Orb;
    use zorb::giop::Ior;
    use zorb_testkit::until;

    use super::super::options::ImrOptions;
    use super::super::start_requests::Reason;
    use super::*;

    fn servers(orb: &Orb) -> Arc<Servers> {
        Servers::load(orb, &ImrOptions::default(), None).unwrap()
    }

    fn definition(command: &str) -> Definition {
        let mut definition = Definition::unmanaged();
        definition.startup.command_line = command.to_owned();
        definition
    }

    #[test]
    fn a_server_that_is_added_again_is_another_one() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let servers = servers(&orb);
        servers.add("Shop", definition("sleep 600")).unwrap();
        servers.begin(&mut servers.lock(), "Shop", Reason::Administrator).unwrap();
        let started = || servers.lock().servers["Shop"].process;
        until(|| started().is_some());
        let process = started().unwrap();
        {
            // Nobody sees that there is none.
            let mut state = servers.lock();
            state.remove("Shop");
            state.insert("Shop".to_owned(), definition("sleep 600"));
        }
        servers.changed.notify_all();
        until(|| !process.is_alive());
        until(|| servers.lock().starters == 0);
        let state = servers.lock();
        let shop = &state.servers["Shop"];
        assert_eq!((shop.starts, shop.failures, shop.problem.as_str()), (0, 0, ""));
        assert_eq!((state.starting, state.pending.len()), (0, 0));
        drop(state);
        orb.shutdown(true).unwrap();
    }

    #[test]
    fn requests_for_linked_names_wait_while_the_process_may_register() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let servers = servers(&orb);
        servers.add("Shop", definition("sleep 600")).unwrap();
        servers.link("Orders", Some("Shop")).unwrap();
        servers.register("Shop", "", Ior::NIL, false).unwrap();
        let state = &mut *servers.lock();
        state.servers.get_mut("Orders").unwrap().waiting = Some(orb.new_held_requests());
        let mut pending = Pending::new("Shop".to_owned(), state.servers["Shop"].generation);
        let process = ProcessId::of(std::process::id()).unwrap();
        let long = Instant::now() + Duration::from_secs(600);
        pending.registered = Some(Registered { process, until: Some(long) });
        state.servers.get_mut("Shop").unwrap().is_starting = true;
        assert!(matches!(servers.next_step(state, &pending), NextStep::Wait(_)));
        assert!(state.servers["Shop"].is_starting && state.servers["Orders"].waiting.is_some());
        pending.registered = Some(Registered { process, until: Some(Instant::now()) });
        match servers.next_step(state, &pending) {
            NextStep::Done(resumed) => assert_eq!(resumed.len(), 1),
            NextStep::Start(_) | NextStep::Wait(_) => panic!("its time is over"),
        }
        assert!(!state.servers["Shop"].is_starting);
        orb.shutdown(true).unwrap();
    }

    #[test]
    fn requests_for_linked_names_do_not_wait_for_a_server_that_is_stopped() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let servers = servers(&orb);
        servers.add("Shop", definition("sleep 600")).unwrap();
        servers.link("Orders", Some("Shop")).unwrap();
        servers.add("Bank", definition("sleep 600")).unwrap();
        let mut state = servers.lock();
        let wait = |state: &mut State| {
            for server in state.servers.values_mut() {
                server.waiting = Some(orb.new_held_requests());
            }
        };
        wait(&mut state);
        let shop = state.servers.get_mut("Shop").unwrap();
        shop.is_stopped = true;
        let pending = Pending::new("Shop".to_owned(), shop.generation);
        match servers.next_step(&mut state, &pending) {
            NextStep::Done(resumed) => assert_eq!(resumed.len(), 2),
            NextStep::Start(_) | NextStep::Wait(_) => panic!("it has been stopped"),
        }
        assert!(state.servers["Bank"].waiting.is_some());
        wait(&mut state);
        drop(state);
        servers.remove("Shop").unwrap();
        assert!(servers.lock().servers["Orders"].waiting.is_none(), "nor for one that is gone");
        orb.shutdown(true).unwrap();
    }
}
